//! Chooses the best game of a group, which is the one that is shown.

use std::cmp::Reverse;

use super::occasion::dates_agree;
use super::seen::ComparedGame;
use super::{ComparedGames, Duplicate, FEWEST_PLIES, Reason};
use crate::library::REMARK;
use chessdb::game::{Date, Movetext, Token};

/// Sorts a group: the game with the most annotations comes first; among several the game with the most tags; among
/// several the first one. The others follow in their order.
pub(super) fn best_first(games: &ComparedGames<'_>, group: &[u32], plies: u32) -> Vec<Duplicate> {
    let duplicates = group.iter().filter_map(|&game| {
        let &ComparedGame {
            known, annotations, ..
        } = games.seen.get(&game)?;
        let duplicate = Duplicate {
            game,
            plies,
            annotations,
            reason: None,
        };
        Some((known, duplicate))
    });
    let mut duplicates: Vec<(usize, Duplicate)> = duplicates.collect();
    duplicates.sort_unstable_by_key(|(_, duplicate)| duplicate.game);
    let worth = |&(known, duplicate): &(usize, Duplicate)| Reverse((duplicate.annotations, known));
    let best = (0..duplicates.len()).min_by_key(|&n| duplicates.get(n).map(worth));
    if let Some(first) = best.and_then(|best| duplicates.get_mut(..=best)) {
        first.rotate_right(1);
    }
    let mut duplicates = duplicates.into_iter().map(|(_, duplicate)| duplicate);
    let best = duplicates.next();
    let others = duplicates.map(|duplicate| Duplicate {
        reason: best.map(|best| reason(games, best.game, duplicate)),
        ..duplicate
    });
    best.into_iter().chain(others).collect()
}

/// Why a game is the same as the best one of its group.
fn reason(games: &ComparedGames<'_>, best: u32, duplicate: Duplicate) -> Reason {
    let date = |game| {
        let found = games.get(game);
        found.map_or(Date::default(), |(database, own)| database.keys(own).date)
    };
    if duplicate.plies < FEWEST_PLIES {
        Reason::Tags
    } else if dates_agree(date(best), date(duplicate.game)) {
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
