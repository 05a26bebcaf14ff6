//! A file with gaps, for tests.

use std::ops::{Deref, Range};

use crate::files::Bytes;

/// The bytes, and the ranges that are missing.
#[derive(Debug)]
pub(crate) struct Holed(pub(crate) Vec<u8>, pub(crate) Vec<Range<usize>>);

impl Deref for Holed {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

impl Bytes for Holed {
    fn gaps(&self) -> &[Range<usize>] {
        &self.1
    }
}
