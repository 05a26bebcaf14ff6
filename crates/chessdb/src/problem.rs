//! Problems of a database and their locations.

use std::fmt;

/// A problem: a description, the file, and the byte.
///
/// ```
/// use chessdb::{Problem, ProblemKind};
///
/// let problem = Problem::damage("games.dcg", 16, "the file ends inside the game");
/// assert_eq!(problem.kind, ProblemKind::Damage);
/// assert_eq!(problem.to_string(), "games.dcg: byte 16 (0x10): the file ends inside the game");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Problem {
    /// The kind of problem, which says whether something is lost.
    pub kind: ProblemKind,
    /// Name of the file, without its folder.
    pub file: String,
    /// Offset of the byte in the file; `None` if the problem has no location.
    pub offset: Option<u64>,
    /// The fault, in lower case, without a full stop.
    pub what: String,
    /// What a user can do about it.
    pub remedy: Option<Remedy>,
    /// Its place among the moves: the number of half-moves before it in its line, counted from the first move of the
    /// game. `None` if that is not known.
    pub plies: Option<u32>,
}

/// What a user can do about a fault. Each program puts it into words for its users.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Remedy {
    /// Give the password of the archive in [`Options::passwords`](crate::Options::passwords).
    Password,
    /// Unpack the archive with another program, and open its contents.
    Unpack,
    /// Like [`Remedy::Unpack`], if the archive comes from a trusted source.
    UnpackIfTrusted,
}

/// What a problem means for the games.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ProblemKind {
    /// Bytes are missing or break the rules of the format or of chess. Something of a game may be lost.
    Damage,
    /// A limit of this crate was exceeded. The rest is left out.
    Limit,
    /// Something is odd but nothing is lost.
    Doubt,
    /// The bytes are valid, but this crate does not support them.
    Unsupported,
}

impl Problem {
    /// A problem of this kind. Pass `None` as the offset if it has no location.
    pub fn new(
        kind: ProblemKind,
        file: impl Into<String>,
        offset: impl Into<Option<u64>>,
        what: impl Into<String>,
    ) -> Problem {
        Problem {
            kind,
            file: file.into(),
            offset: offset.into(),
            what: what.into(),
            remedy: None,
            plies: None,
        }
    }

    /// The problem with what a user can do about it.
    #[must_use]
    pub fn with_remedy(self, remedy: impl Into<Option<Remedy>>) -> Problem {
        Problem {
            remedy: remedy.into(),
            ..self
        }
    }

    /// A problem of kind [`ProblemKind::Damage`].
    pub fn damage(
        file: impl Into<String>,
        offset: impl Into<Option<u64>>,
        what: impl Into<String>,
    ) -> Problem {
        Problem::new(ProblemKind::Damage, file, offset, what)
    }

    /// A problem of kind [`ProblemKind::Doubt`].
    pub fn doubt(
        file: impl Into<String>,
        offset: impl Into<Option<u64>>,
        what: impl Into<String>,
    ) -> Problem {
        Problem::new(ProblemKind::Doubt, file, offset, what)
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.offset {
            Some(offset) => write!(f, "{}: byte {offset} (0x{offset:x}): {}", self.file, self.what),
            None => write!(f, "{}: {}", self.file, self.what),
        }
    }
}
