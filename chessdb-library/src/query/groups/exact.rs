//! Exact positions.

use chessdb::board::{Position, Square};

use super::reflection::Reflection;
use crate::positions::{Pattern, Rights};

/// A position with the rights that count.
#[derive(Clone, Copy, Debug)]
pub(super) struct ExactPosition {
    pub(super) pattern: Pattern,
    /// The en passant square where the pattern ignores all rights and this one counts nevertheless.
    en_passant: Option<Option<Square>>,
}

impl ExactPosition {
    pub(super) fn new(pattern: Pattern) -> ExactPosition {
        ExactPosition {
            pattern,
            en_passant: None,
        }
    }

    /// The pattern, if it matches the same positions.
    pub(super) fn only_pattern(&self) -> Option<&Pattern> {
        self.en_passant.is_none().then_some(&self.pattern)
    }

    #[inline]
    pub(super) fn matches(&self, position: &Position) -> bool {
        self.pattern.matches(position) && self.has_en_passant(position)
    }

    fn has_en_passant(&self, position: &Position) -> bool {
        self.en_passant
            .is_none_or(|wanted| wanted == position.legal_en_passant())
    }

    /// The mirror image. `None` if no game can reach it.
    pub(super) fn reflected(&self, reflection: Reflection) -> Option<ExactPosition> {
        let position = reflection.position(self.pattern.position())?;
        let rights = self.pattern.rights();
        let pattern = Pattern::new(position);
        Some(if reflection.side {
            ExactPosition {
                pattern: pattern.with_rights(Rights::None),
                en_passant: (rights == Rights::All).then(|| position.legal_en_passant()),
            }
        } else {
            ExactPosition::new(pattern.with_rights(rights))
        })
    }
}

impl PartialEq for ExactPosition {
    fn eq(&self, other: &ExactPosition) -> bool {
        let parts = |exact: &ExactPosition| {
            (
                *exact.pattern.position(),
                exact.pattern.rights(),
                exact.en_passant,
            )
        };
        parts(self) == parts(other)
    }
}

impl Eq for ExactPosition {}
