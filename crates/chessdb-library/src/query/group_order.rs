//! How groups of terms follow each other.

/// The position of a group relative to the group before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum GroupOrder {
    /// Any time later.
    #[default]
    Then,
    /// One half-move later.
    Next,
}

impl GroupOrder {
    /// The word that begins such a group.
    pub(super) fn word(self) -> &'static str {
        match self {
            GroupOrder::Then => "then",
            GroupOrder::Next => "next",
        }
    }

    /// The order that a word of a query sets: `then` or `next`.
    pub(super) fn of_word(word: &str) -> Option<GroupOrder> {
        [GroupOrder::Then, GroupOrder::Next]
            .into_iter()
            .find(|order| order.word() == word)
    }
}
