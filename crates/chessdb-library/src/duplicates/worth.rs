//! Chooses the best game of a group, which is the one that is shown.

use std::cmp::Reverse;

use super::group::SameGame;
use super::occasion::dates_agree;
use super::{Duplicate, FEWEST_PLIES, Member, Reason};
use crate::library::REMARK;
use chessdb::game::{Movetext, Token};

/// The members of a group. The game with the most annotations is the best; among several the game with the most tags;
/// among several the first one.
pub(super) fn members(group: &[SameGame]) -> impl Iterator<Item = Member> {
    let worth = |same: &&SameGame| {
        let seen = &same.seen;
        (Reverse((seen.annotations, seen.known)), seen.game)
    };
    let best = group.iter().min_by_key(worth);
    let first = group.iter().map(|same| same.seen.game).min();
    let member = move |same: &SameGame| {
        let seen = &same.seen;
        let best = best.filter(|best| best.seen.game != seen.game);
        Member {
            group: first.unwrap_or(seen.game),
            duplicate: Duplicate {
                game: seen.game,
                plies: seen.plies,
                annotations: seen.annotations,
                reason: best.map(|best| reason(best, same)),
            },
        }
    };
    group.iter().map(member)
}

/// Why a game is the same as the best one of its group.
fn reason(best: &SameGame, other: &SameGame) -> Reason {
    if other.seen.plies < FEWEST_PLIES {
        Reason::Tags
    } else if dates_agree(best.date, other.date) {
        Reason::Date
    } else {
        Reason::Moves
    }
}

/// True for the value of a tag that contains information.
pub(super) fn is_known(value: &str) -> bool {
    !matches!(value, "" | "?" | "????.??.??" | "*")
}

/// Number of comments, glyphs and variations.
///
/// Remarks of pgnfs do not count, nor do comments with nothing but commands, such as clock times.
pub(super) fn annotations(movetext: &Movetext) -> u32 {
    let counts = |token: &&Token| match token {
        Token::Move(..) | Token::VariationEnd | Token::Remark(_) => false,
        Token::Nag(_) | Token::VariationStart => true,
        Token::Comment(range) => says_something(movetext.text(*range)),
    };
    movetext.tokens().iter().filter(counts).count() as u32
}

/// True for a comment that has more than commands in brackets, such as `[%clk 1:00:00]`. Remarks do not count: in a PGN
/// file that pgnfs has exported they are comments.
fn says_something(comment: &str) -> bool {
    if comment.starts_with(REMARK) {
        return false;
    }
    let mut rest = comment.trim_start();
    while let Some(command) = rest.strip_prefix("[%") {
        rest = match command.split_once(']') {
            Some((_, after)) => after.trim_start(),
            None => return false,
        };
    }
    !rest.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remarks_and_clock_times_say_nothing() {
        for comment in [
            "",
            " ",
            "[%clk 1:00]",
            "[%eval 1] [%clk 1:00] ",
            "pgnfs: illegal move",
            "[%csl",
        ] {
            assert!(!says_something(comment), "{comment}");
        }
        for comment in ["good", "[%clk 1:00] good", "good [%clk 1:00]"] {
            assert!(says_something(comment), "{comment}");
        }
    }
}
