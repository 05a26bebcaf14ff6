//! Start positions other than the normal one (section 4.3).

use crate::board::{Fen, Position, SetupError};

/// The start position of a tag `FEN`.
#[derive(Clone, Debug)]
pub(super) struct SetUp {
    /// The FEN for the tag: unchanged if it is complete, otherwise completed.
    pub(super) fen: String,
    pub(super) position: Position,
    pub(super) first_move: u32,
}

impl SetUp {
    /// Parses the value of the tag.
    ///
    /// # Errors
    /// If no game can be played from the position, with the reason.
    pub(super) fn parse(text: &str) -> Result<SetUp, SetupError> {
        // Some programs separate the ranks with the other slash.
        let text = text.trim().replace('\\', "/");
        let fields = text.split_ascii_whitespace().count();
        let fen = match DEFAULTS.get(fields) {
            Some(missing) if fields > 0 => format!("{text}{missing}"),
            _ => text,
        };
        let Fen { position, first_move } = Fen::parse(&fen)?;
        Ok(SetUp {
            fen,
            position,
            first_move,
        })
    }
}

/// Completes a FEN with fewer than six fields, by number of fields.
const DEFAULTS: [&str; 6] = ["", " w - - 0 1", " - - 0 1", " - 0 1", " 0 1", " 1"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_completed() {
        let fen = |text| SetUp::parse(text).map(|set_up| set_up.fen);
        let whole = "4k3/8/8/8/8/8/8/4K3 w - - 0 1";
        assert_eq!(fen(whole), Ok(whole.to_owned()));
        assert_eq!(fen(" 4k3/8/8/8/8/8/8/4K3"), Ok(whole.to_owned()));
        assert_eq!(fen("4k3/8/8/8/8/8/8/4K3 w -"), Ok(whole.to_owned()));
        assert_eq!(fen(r"4k3\8\8\8\8\8\8\4K3 w - - 0 1"), Ok(whole.to_owned()));
        assert_eq!(fen("rnbqkbnr/ppp"), Err(SetupError::NotFen));
        assert_eq!(fen("8/8/8/8/8/8/8/8 w - - 0 1"), Err(SetupError::Kings));
        assert_eq!(fen(""), Err(SetupError::NotFen));
    }
}
