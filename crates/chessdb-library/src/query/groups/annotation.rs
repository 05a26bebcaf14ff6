//! Terms about the annotations of a game.

use std::fmt;

use chessdb::formats::nag_of_sign;

use super::error::TermError;
use super::reflection::Reflection;
use crate::annotations::{Evaluation, LineAnnotations, clock, decimal};
use crate::query::Bounds;
use crate::query::words::WantedWord;
use crate::spelling::FoldedText;

/// The value of a mate, in hundredths of a pawn.
const MATE: i64 = 10_000;

/// The annotation that a move or position must have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum AnnotationTest {
    /// A glyph of the move that is played.
    Nag(u8),
    /// The starts of words, all in one comment on the move.
    Comment(Vec<WantedWord>),
    /// The seconds that are left after it.
    Clock(Bounds),
    /// The seconds that it took.
    Spent(Bounds),
    /// Hundredths of a pawn, of the position.
    Evaluation(Bounds),
}

impl AnnotationTest {
    /// A glyph by its sign or number.
    pub(super) fn nag(text: &str) -> Result<AnnotationTest, TermError> {
        let digits = text.strip_prefix('$').unwrap_or(text);
        let number = digits.parse().ok().filter(|_| !digits.starts_with('+'));
        let nag = number.or_else(|| nag_of_sign(text));
        nag.map(AnnotationTest::Nag).ok_or(TermError::Nag)
    }

    /// Words of a comment.
    pub(super) fn comment(text: &str) -> Result<AnnotationTest, TermError> {
        let words = WantedWord::all(text);
        if words.is_empty() {
            return Err(TermError::Words);
        }
        Ok(AnnotationTest::Comment(words))
    }

    /// A number of pawns, or a range.
    pub(super) fn evaluation(text: &str) -> Result<AnnotationTest, TermError> {
        let number = |text: &str| decimal(text).ok_or(TermError::Pawns);
        let end = |text: &str| match text {
            "" => Ok(None),
            _ => number(text).map(Some),
        };
        let bounds = match text.split_once("..") {
            None => Bounds::exactly(number(text)?),
            Some((least, most)) => Bounds {
                least: end(least)?,
                most: end(most)?,
            },
        };
        match (bounds.least, bounds.most) {
            (None, None) => Err(TermError::Pawns),
            (Some(least), Some(most)) if least > most => Err(TermError::Pawns),
            _ => Ok(AnnotationTest::Evaluation(bounds)),
        }
    }

    /// True if it is about the move that is played in a position, not about the position.
    pub(super) fn is_of_move(&self) -> bool {
        !matches!(self, AnnotationTest::Evaluation(_))
    }

    /// True if it holds at the position after `ply` moves of a game.
    pub(super) fn holds(&self, ply: u32, annotations: &LineAnnotations) -> bool {
        self.holds_after(ply.saturating_add(u32::from(self.is_of_move())), annotations)
    }

    /// True if it holds anywhere in a game.
    pub(super) fn is_anywhere(&self, annotations: &LineAnnotations) -> bool {
        annotations
            .places()
            .any(|moves| self.holds_after(moves, annotations))
    }

    /// True if it holds for the annotations after this number of moves.
    fn holds_after(&self, moves: u32, annotations: &LineAnnotations) -> bool {
        let mut comments = annotations.comments(moves);
        match self {
            AnnotationTest::Nag(nag) => annotations.nags(moves).any(|own| own == *nag),
            AnnotationTest::Comment(words) => comments.any(|comment| FoldedText::of(comment).has(words)),
            AnnotationTest::Clock(seconds) => {
                let time = comments.find_map(clock);
                time.is_some_and(|hundredths| seconds.contains((hundredths / 100).into()))
            }
            AnnotationTest::Spent(seconds) => {
                let time = annotations.time_spent(moves);
                time.is_some_and(|hundredths| seconds.contains((hundredths / 100).into()))
            }
            AnnotationTest::Evaluation(hundredths) => {
                let value = annotations.evaluation(moves).map(|value| match value {
                    Evaluation::Hundredths(value) => value.into(),
                    mate if mate.favours_white(annotations.white_moved(moves)) => MATE,
                    Evaluation::Mate(_) => -MATE,
                });
                value.is_some_and(|value| hundredths.contains(value))
            }
        }
    }

    /// The same of a mirror image. Glyphs from 14 to 139 are about a side: even ones about White, odd ones about Black.
    pub(super) fn reflected(&self, reflection: Reflection) -> AnnotationTest {
        match self {
            AnnotationTest::Nag(nag @ 14..=139) if reflection.colour => AnnotationTest::Nag(nag ^ 1),
            AnnotationTest::Evaluation(bounds) if reflection.colour => {
                AnnotationTest::Evaluation(bounds.negated())
            }
            other => other.clone(),
        }
    }
}

impl fmt::Display for AnnotationTest {
    /// The canonical value.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AnnotationTest::Nag(nag) => nag.fmt(f),
            AnnotationTest::Comment(words) => f.write_str(&WantedWord::text_of(words)),
            AnnotationTest::Clock(bounds) | AnnotationTest::Spent(bounds) => bounds.fmt(f),
            AnnotationTest::Evaluation(Bounds { least, most }) => match (least, most) {
                (Some(least), Some(most)) if least == most => f.write_str(&pawns(*least)),
                _ => {
                    let end = |end: &Option<i64>| end.map(pawns).unwrap_or_default();
                    write!(f, "{}..{}", end(least), end(most))
                }
            },
        }
    }
}

/// Hundredths of a pawn as pawns.
fn pawns(hundredths: i64) -> String {
    let sign = if hundredths < 0 { "-" } else { "" };
    let (whole, part) = (hundredths.unsigned_abs() / 100, hundredths.unsigned_abs() % 100);
    let text = format!("{sign}{whole}.{part:02}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
