//! The ranks of a FEN as directories. They make a FEN usable as a path, because `positions/<FEN>` has a slash
//! after each rank but the last.
//!
//! The node of a directory of ranks does not contain the ranks: its number is a hash of them. Their text is
//! kept until too many other directories have been looked up. After that the directory is stale, and the
//! kernel looks up its path again.

use chessdb_library::recent::Recent;
use std::num::NonZeroUsize;

use xxhash_rust::xxh3::xxh3_64;

use super::inode::{KIND_RANKS, Node};

/// Maximum number of directories that are kept; one FEN needs [`DIRECTORIES`].
const MOST_KEPT: NonZeroUsize = NonZeroUsize::new(4096).unwrap();

/// Number of ranks that have a directory. The last rank is the link to the position.
pub(super) const DIRECTORIES: usize = 7;

/// The most recently used directories of ranks, with the text of each.
pub(super) struct Ranks(Recent<u32, Box<str>>);

impl Ranks {
    pub(super) fn new() -> Ranks {
        Ranks(Recent::new(MOST_KEPT))
    }

    /// The directory of the first ranks of a FEN, with slashes between them. `None` for other texts, and in
    /// the unlikely case that another directory has the same hash.
    pub(super) fn node(&self, ranks: &str) -> Option<Node> {
        let are_ranks = ranks.split('/').count() <= DIRECTORIES && ranks.split('/').all(is_rank);
        if !are_ranks {
            return None;
        }
        let number = xxh3_64(ranks.as_bytes()) as u32;
        let kept = self.0.get_or(number, || ranks.into());
        (*kept == *ranks).then_some(Node::new(KIND_RANKS, number))
    }

    /// The ranks of a directory; `None` if they are no longer kept.
    pub(super) fn text(&self, node: Node) -> Option<Box<str>> {
        self.0.get(&node.number())
    }
}

/// True if `text` is a valid rank of a FEN.
fn is_rank(text: &str) -> bool {
    let squares = text.chars().map(|c| match c {
        '1'..='8' => c.to_digit(10),
        'K' | 'Q' | 'R' | 'B' | 'N' | 'P' | 'k' | 'q' | 'r' | 'b' | 'n' | 'p' => Some(1),
        _ => None,
    });
    squares.sum::<Option<u32>>() == Some(8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_are_kept_until_many_others_were_looked_up() {
        let ranks = Ranks::new();
        let node = ranks.node("rnbqkbnr/pppp1ppp").unwrap();
        assert_eq!(ranks.text(node).as_deref(), Some("rnbqkbnr/pppp1ppp"));
        assert_eq!(ranks.node("rnbqkbnr/pppp1ppp"), Some(node));
        for wrong in [
            "",
            "9",
            "7",
            "rnbqkbnr/",
            "ppppppppp",
            "8/8/8/8/8/8/8/8",
            "rnbqkbnx",
        ] {
            assert_eq!(ranks.node(wrong), None, "{wrong}");
        }
        let letters = "KQRBNPkqrbnp";
        for number in 0..10_000_usize {
            let rank: String = (0..8)
                .map(|n| {
                    letters
                        .chars()
                        .nth(number / letters.len().pow(n) % letters.len())
                        .unwrap()
                })
                .collect();
            ranks.node(&rank);
        }
        assert_eq!(ranks.text(node), None);
        assert_eq!(ranks.node("rnbqkbnr/pppp1ppp"), Some(node));
    }
}
