//! Game headers: 38 bytes a game in `.d00` (section 4).
//!
//! | offset | size | field |
//! |---|---|---|
//! | 0, 3 | 3 + 3 | White's and Black's player id |
//! | 6, 8 | 2 + 2 | their Elo |
//! | 10 | 1 | outcome |
//! | 11 | 3 | date: day + 32 * (month + 13 * year) |
//! | 14, 17 | 3 + 3 | event id, place id |
//! | 20 | 4 | game type |
//! | 24 | 4 | GameID, index into `.a02` |
//! | 29 | 1 | round * 2 |
//! | 30 | 2 | opening code |
//! | 32, 35 | 3 + 3 | annotator (a player id), source id |

use std::borrow::Cow;

use crate::bytes::{le_u16, le_u32, slice};
use crate::game::{Date, Eco, Outcome};

pub(super) const SIZE: usize = 38;

/// One header.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Header {
    pub(super) white: u32,
    pub(super) black: u32,
    pub(super) white_elo: u16,
    pub(super) black_elo: u16,
    outcome: u8,
    date: u32,
    pub(super) event: u32,
    pub(super) place: u32,
    pub(super) game_type: u32,
    pub(super) game_id: u32,
    /// Twice the round.
    pub(super) round: u8,
    eco: u16,
    pub(super) annotator: u32,
    pub(super) source: u32,
}

/// A judgement that Chess Assistant stores instead of a result, shown as a sign after the last move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Judgement {
    pub(super) sign: &'static str,
    pub(super) nag: u8,
}

/// Judgements by outcome, from 5 on (section 4.1). The sign does not show which side has the attack or initiative.
const JUDGEMENTS: [Judgement; 12] = [
    judgement("+/-", 16),
    judgement("-/+", 17),
    judgement("+/=", 14),
    judgement("=/+", 15),
    judgement("+-", 18),
    judgement("-+", 19),
    judgement("=", 10),
    judgement("Inf", 13),
    judgement("=/Inf", 44),
    judgement("->", 40),
    judgement("^", 36),
    judgement("->/<-", 132),
];

const FIRST_JUDGEMENT: u8 = 5;

const fn judgement(sign: &'static str, nag: u8) -> Judgement {
    Judgement { sign, nag }
}

/// Meanings of game types, by number (section 4.3).
const GAME_TYPES: [&str; 31] = [
    "",
    "my own games",
    "historic games",
    "model games",
    "annotated games from books",
    "computer games",
    "opening theory/plans",
    "middlegames",
    "endgames",
    "strategy",
    "tactics",
    "tests",
    "blunders",
    "kingside attack",
    "queenside attack",
    "counter attack",
    "typical pawn structure",
    "piece play",
    "positional sacrifice",
    "material imbalance",
    "endgame transition",
    "opposite coloured bishops",
    "space",
    "defence",
    "prophylaxis",
    "drawing methods",
    "my analysis",
    "computer analysis",
    "tablebase analysis",
    "psychology",
    "miscellaneous",
];

impl Header {
    /// Reads the header with this number, from 0; an empty one after the end of the file.
    #[inline]
    pub(super) fn read(d00: &[u8], place: usize) -> Header {
        slice(d00, place.saturating_mul(SIZE), SIZE)
            .and_then(Header::fields)
            .unwrap_or_default()
    }

    #[inline]
    fn fields(bytes: &[u8]) -> Option<Header> {
        Some(Header {
            white: id3(bytes, 0)?,
            black: id3(bytes, 3)?,
            white_elo: le_u16(bytes, 6)?,
            black_elo: le_u16(bytes, 8)?,
            outcome: *bytes.get(10)?,
            date: id3(bytes, 11)?,
            event: id3(bytes, 14)?,
            place: id3(bytes, 17)?,
            game_type: le_u32(bytes, 20)?,
            game_id: le_u32(bytes, 24)?,
            round: *bytes.get(29)?,
            eco: le_u16(bytes, 30)?,
            annotator: id3(bytes, 32)?,
            source: id3(bytes, 35)?,
        })
    }

    pub(super) fn outcome(&self) -> Outcome {
        match self.outcome {
            1 => Outcome::Draw,
            2 => Outcome::WhiteWins,
            3 => Outcome::BlackWins,
            _ => Outcome::Unknown,
        }
    }

    /// The judgement stored instead of a result.
    pub(super) fn judgement(&self) -> Option<Judgement> {
        let number = self.outcome.checked_sub(FIRST_JUDGEMENT)?;
        JUDGEMENTS.get(usize::from(number)).copied()
    }

    /// The outcome, if its value is unknown.
    pub(super) fn unknown_outcome(&self) -> Option<u8> {
        (usize::from(self.outcome) >= usize::from(FIRST_JUDGEMENT) + JUDGEMENTS.len()).then_some(self.outcome)
    }

    /// The date of the game (section 4.2), including impossible days.
    pub(super) fn date(&self) -> Date {
        let small = |value: u32| u8::try_from(value).unwrap_or(0);
        let year = u16::try_from(self.date / (32 * 13)).unwrap_or(0);
        Date::new(year, small(self.date / 32 % 13), small(self.date % 32))
    }

    /// The opening code: hundreds are the letters A to E; 0 means none.
    pub(super) fn eco(&self) -> Option<Eco> {
        let code = u8::try_from(self.eco % 100).ok()?;
        let letter = *b"ABCDE".get(usize::from(self.eco / 100))?;
        let eco = Eco::new([letter, b'0' + code / 10, b'0' + code % 10]);
        eco.filter(|_| self.eco != 0)
    }

    /// The value of the tag `GameType`; `None` if the header has no game type.
    pub(super) fn game_type(&self) -> Option<Cow<'static, str>> {
        match GAME_TYPES.get(self.game_type as usize) {
            Some(&"") => None,
            Some(&text) => Some(Cow::Borrowed(text)),
            None => Some(Cow::Owned(format!("0x{:08X}", self.game_type))),
        }
    }

    /// True if the game type is unknown.
    pub(super) fn has_unknown_type(&self) -> bool {
        self.game_type as usize >= GAME_TYPES.len()
    }
}

/// Reads a number of three bytes.
#[inline]
fn id3(bytes: &[u8], at: usize) -> Option<u32> {
    let low = le_u16(bytes, at)?;
    let high = *bytes.get(at + 2)?;
    Some(u32::from(low) | u32::from(high) << 16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes_are_results_or_judgements() {
        let header = |outcome| Header {
            outcome,
            ..Header::default()
        };
        assert_eq!(header(2).outcome(), Outcome::WhiteWins);
        assert_eq!(header(4).judgement(), None);
        assert_eq!(header(5).judgement(), Some(judgement("+/-", 16)));
        assert_eq!(header(16).judgement(), Some(judgement("->/<-", 132)));
        assert_eq!(header(17).judgement(), None);
        assert_eq!(header(16).unknown_outcome(), None);
        assert_eq!(header(17).unknown_outcome(), Some(17));
        assert_eq!(header(0).unknown_outcome(), None);
    }

    #[test]
    fn dates_and_openings() {
        let header = |date, eco| Header {
            date,
            eco,
            ..Header::default()
        };
        assert_eq!(
            header(1985 * 416 + 11 * 32 + 9, 0).date().to_string(),
            "1985.11.09"
        );
        assert_eq!(header(31, 0).date().to_string(), "????.??.31");
        assert_eq!(header(0xff_ffff, 0).date().year, 0);
        let eco = |code| header(0, code).eco().map(|eco| eco.to_string());
        assert_eq!(eco(197).as_deref(), Some("B97"));
        assert_eq!(eco(499).as_deref(), Some("E99"));
        assert_eq!(eco(500), None);
        assert_eq!(eco(0), None);
    }
}
