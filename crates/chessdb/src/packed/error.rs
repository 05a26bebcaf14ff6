//! Why a compressed file cannot be opened.

use std::fmt;

use super::stream::Damage;
use crate::problem::Remedy;

/// Reason why a compressed file cannot be opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PackedError {
    /// The container is unknown.
    Unknown,
    /// The zip archive contains no PGN file.
    Empty,
    /// A member of a zip archive is packed or encrypted by an unsupported method with this name.
    Method(String),
    /// The file unpacks to far more than its size.
    TooLarge,
    /// Nothing can be unpacked.
    Damaged(Damage),
}

impl PackedError {
    /// What a user can do about it.
    pub fn remedy(&self) -> Option<Remedy> {
        match self {
            PackedError::Method(_) => Some(Remedy::Unpack),
            PackedError::TooLarge => Some(Remedy::UnpackIfTrusted),
            PackedError::Unknown | PackedError::Empty | PackedError::Damaged(_) => None,
        }
    }
}

impl fmt::Display for PackedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PackedError::Unknown => f.write_str("the file is neither zst, gz, bz2 nor zip"),
            PackedError::Empty => f.write_str("there is no PGN file in the archive"),
            PackedError::Method(method) => {
                write!(f, "its {method} is not supported")
            }
            PackedError::TooLarge => {
                f.write_str("it unpacks to far more than its size, as a file made to do harm does")
            }
            PackedError::Damaged(damage) => write!(f, "nothing can be unpacked: {damage}"),
        }
    }
}

impl std::error::Error for PackedError {}
