//! The ranks of a FEN as directories. They make a FEN usable as a path, because `positions/<FEN>` has a slash
//! after each rank but the last.

use super::branch::GameSet;
use super::inode::{KIND_RANKS, Node};

/// Number of ranks that have a directory. The last rank is the link to the position.
pub(super) const DIRECTORIES: usize = 7;

/// The directory of the first ranks of a FEN, with slashes between them. `None` for other texts.
pub(super) fn ranks_node(game_set: &GameSet, ranks: &str) -> Option<Node> {
    let are_ranks = ranks.split('/').count() <= DIRECTORIES && ranks.split('/').all(is_rank);
    are_ranks.then(|| game_set.counted().node(KIND_RANKS, ranks))?
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
    fn a_rank_has_eight_squares() {
        for rank in ["8", "rnbqkbnr", "pppp1ppp", "KQRBNP2", "1k1q1r2"] {
            assert!(is_rank(rank), "{rank}");
        }
        for wrong in ["", "9", "7", "ppppppppp", "rnbqkbnx", "44/", "4 4", "0p7"] {
            assert!(!is_rank(wrong), "{wrong}");
        }
    }
}
