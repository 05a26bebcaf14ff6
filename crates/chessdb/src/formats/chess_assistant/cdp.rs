//! The main file, with the program that made the database, and a comment on the database (section 2).
//!
//! | offset | size | field |
//! |---|---|---|
//! | 0 | 50 | signature, filled with zeros |
//! | 50 | 50 | version of the format, filled with zeros |
//! | 104 | 4 | number of games |
//! | 108 | 4 | length of the comment that follows |

use crate::bytes::{index, le_u32, slice};

pub(super) const SIGNATURE: &[u8] = b"Chess Assistant";

const FIXED: usize = 50;
const COUNT: usize = 104;
const COMMENT_LENGTH: usize = 108;
const COMMENT: usize = 112;

/// The contents of the main file. If the file is truncated, the last fields are shorter or empty.
#[derive(Debug, Default)]
pub(super) struct Cdp<'d> {
    pub(super) signature: &'d [u8],
    pub(super) version: &'d [u8],
    pub(super) games: Option<u32>,
    /// The comment on the whole database.
    pub(super) comment: &'d [u8],
    /// True if the comment's stated length exceeds the file, or the fields before it are missing.
    pub(super) is_cut: bool,
}

impl<'d> Cdp<'d> {
    pub(super) fn read(data: &'d [u8]) -> Cdp<'d> {
        let fixed = |at: usize| {
            let there = data.get(at..).unwrap_or_default();
            let field = there.get(..FIXED).unwrap_or(there);
            field.split(|&c| c == 0).next().unwrap_or_default().trim_ascii()
        };
        let rest = data.get(COMMENT..).unwrap_or_default();
        let length = le_u32(data, COMMENT_LENGTH).map(|length| index(length.into()));
        let whole = length.and_then(|length| slice(rest, 0, length));
        Cdp {
            signature: fixed(0),
            version: fixed(FIXED),
            games: le_u32(data, COUNT),
            comment: whole.unwrap_or(rest),
            is_cut: whole.is_none(),
        }
    }
}
