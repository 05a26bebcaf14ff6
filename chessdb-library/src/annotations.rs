//! What the annotations of a main line say of its moves: glyphs, comments, times on the clock and evaluations.
//!
//! Times and evaluations are commands in comments, as PGN files of servers and other programs have them:
//!
//! | command | meaning |
//! |---|---|
//! | `[%clk 1:02:03.4]` | time left after the move, in hours, minutes and seconds; hours, or hours and minutes, may be left out; the decimal point may be a comma |
//! | `[%eval 0.35]`, `[%eval -1.2,20]` | pawns from White's side, and the depth in plies |
//! | `[%eval -50,20]` | an integer with a depth: hundredths of a pawn, as ChessBase counts |
//! | `[%eval #-3]` | mate in so many moves, negative if Black mates |
//!
//! An evaluation is that of the position after the move that has the comment.

use chessdb::Database;
use chessdb::game::{Game, Movetext, Token};

use crate::library::decoded;

/// The time left on the clock after each half-move of a game's main line, in hundredths of a second; `None` where no comment
/// says it.
pub fn clocks(database: &dyn Database, game: u32) -> Vec<Option<i32>> {
    LineAnnotations::of(database, game).clocks()
}

/// The evaluation after each half-move of a game's main line in hundredths of a pawn from White's side, at most 31,000; for a
/// mate in `n` 32,000 - `n`, negative if Black mates. `None` where no comment says it.
pub fn evaluations(database: &dyn Database, game: u32) -> Vec<Option<i32>> {
    LineAnnotations::of(database, game).evaluations()
}

/// The annotations of a main line.
#[derive(Debug, Default)]
pub(crate) struct LineAnnotations {
    movetext: Movetext,
    /// Number of moves.
    moves: u32,
    /// Glyphs and comments, each after the number of moves that precede it, in ascending order.
    entries: Vec<(u32, Token)>,
}

impl LineAnnotations {
    /// Those of a game.
    pub(crate) fn of(database: &dyn Database, game: u32) -> LineAnnotations {
        let movetext = decoded(database, game).game.movetext;
        let mut moves = 0;
        let mut entries = Vec::new();
        for &token in movetext.main_line_tokens() {
            match token {
                Token::Move(..) => moves += 1,
                Token::Nag(_) | Token::Comment(_) => entries.push((moves, token)),
                _ => {}
            }
        }
        LineAnnotations {
            movetext,
            moves,
            entries,
        }
    }

    /// Those of a game of which nothing is read yet.
    pub(crate) fn beginning(game: &Game) -> LineAnnotations {
        LineAnnotations {
            movetext: game.movetext.clone(),
            ..LineAnnotations::default()
        }
    }

    /// Adds a glyph or a comment after so many moves, which are at least as many as those of the last one.
    pub(crate) fn push(&mut self, moves: u32, token: Token) {
        self.entries.push((moves, token));
    }

    /// Removes those after more than so many moves, and returns them.
    pub(crate) fn cut(&mut self, moves: u32) -> Vec<(u32, Token)> {
        let kept = self.entries.partition_point(|(before, _)| *before <= moves);
        self.entries.split_off(kept)
    }

    /// The time on the clock after each move, in hundredths of a second; `None` where no comment has it.
    pub(crate) fn clocks(&self) -> Vec<Option<i32>> {
        let time = |moves| self.comments(moves).find_map(clock);
        let times = (1..=self.moves).map(time);
        times.map(|time| time?.try_into().ok()).collect()
    }

    /// The evaluation after each move as a [number](Evaluation::number); `None` where no comment has one.
    pub(crate) fn evaluations(&self) -> Vec<Option<i32>> {
        let value = |moves: u32| {
            let evaluation = self.comments(moves).find_map(evaluation)?;
            Some(i32::from(evaluation.number(self.white_moved(moves))))
        };
        (1..=self.moves).map(value).collect()
    }

    /// Numbers of moves that are followed by annotations, in ascending order.
    pub(crate) fn places(&self) -> impl Iterator<Item = u32> {
        let runs = self.entries.chunk_by(|(a, _), (b, _)| a == b);
        runs.filter_map(|run| run.first()).map(|(moves, _)| *moves)
    }

    /// The glyphs after so many moves.
    pub(crate) fn nags(&self, moves: u32) -> impl Iterator<Item = u8> {
        self.after(moves).iter().filter_map(|(_, token)| match token {
            Token::Nag(nag) => Some(*nag),
            _ => None,
        })
    }

    /// The comments after so many moves.
    pub(crate) fn comments(&self, moves: u32) -> impl Iterator<Item = &str> {
        self.after(moves).iter().filter_map(|(_, token)| match token {
            Token::Comment(range) => Some(self.movetext.text(*range)),
            _ => None,
        })
    }

    /// True if White made the last of so many moves, and so mates if that is mate.
    pub(crate) fn white_moved(&self, moves: u32) -> bool {
        self.movetext.first_ply().wrapping_add(moves) % 2 == 1
    }

    fn after(&self, moves: u32) -> &[(u32, Token)] {
        let start = self.entries.partition_point(|(before, _)| *before < moves);
        let rest = self.entries.get(start..).unwrap_or_default();
        rest.split_at(rest.partition_point(|(before, _)| *before == moves))
            .0
    }
}

/// What a position is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Evaluation {
    /// Hundredths of a pawn, from White's side.
    Hundredths(i32),
    /// Mate in so many moves; negative if Black mates.
    Mate(i32),
}

/// The number of a mate on the board, from the side of the winner.
const MATE: i16 = 32_000;

/// The longest mate that has a number of its own, and the room between mates and other evaluations.
const LONGEST_MATE: u32 = 999;

/// The most hundredths of a pawn, from either side.
const MOST_HUNDREDTHS: i32 = 31_000;

impl Evaluation {
    /// Hundredths of a pawn from White's side, at most 31,000; for a mate in `n` 32,000 - `n`, negative if Black mates. A mate in 0
    /// is one of White's if `white_moved`.
    pub(crate) fn number(self, white_moved: bool) -> i16 {
        match self {
            Evaluation::Hundredths(value) => {
                let value = value.clamp(-MOST_HUNDREDTHS, MOST_HUNDREDTHS);
                value.try_into().unwrap_or_default()
            }
            Evaluation::Mate(moves) => {
                let number = MATE - moves.unsigned_abs().min(LONGEST_MATE) as i16;
                if self.favours_white(white_moved) {
                    number
                } else {
                    -number
                }
            }
        }
    }

    /// True if White is better. A mate in 0 is one of White's if `white_moved`.
    pub(crate) fn favours_white(self, white_moved: bool) -> bool {
        match self {
            Evaluation::Hundredths(value) | Evaluation::Mate(value) if value != 0 => value > 0,
            Evaluation::Hundredths(_) => false,
            Evaluation::Mate(_) => white_moved,
        }
    }
}

/// The time left on the clock that a comment has, in hundredths of a second: that of the first command which says one.
pub(crate) fn clock(comment: &str) -> Option<u32> {
    commands(comment, "clk").find_map(time_left)
}

fn time_left(text: &str) -> Option<u32> {
    let mut hundredths = 0u32;
    for part in text.split(':') {
        if part.starts_with(['+', '-']) {
            return None;
        }
        let part = u32::try_from(decimal(&part.replace(',', "."))?).ok()?;
        hundredths = hundredths.checked_mul(60)?.checked_add(part)?;
    }
    Some(hundredths)
}

/// The evaluation that a comment has: that of the first command which says one.
pub(crate) fn evaluation(comment: &str) -> Option<Evaluation> {
    commands(comment, "eval").find_map(worth)
}

fn worth(text: &str) -> Option<Evaluation> {
    let (value, depth) = match text.split_once(',') {
        Some((value, depth)) => (value, Some(depth)),
        None => (text, None),
    };
    if let Some(mate) = value.strip_prefix('#') {
        return mate.parse().ok().map(Evaluation::Mate);
    }
    let counts_hundredths = depth.is_some() && !value.contains('.');
    let hundredths = if counts_hundredths {
        value.parse().ok()
    } else {
        decimal(value).and_then(|value| value.try_into().ok())
    };
    hundredths.map(Evaluation::Hundredths)
}

/// What the commands of a name say: the text of each `[%name text]`.
fn commands<'a>(comment: &'a str, name: &'a str) -> impl Iterator<Item = &'a str> {
    // A comment of a PGN file may have a line end instead of the blank.
    let texts = comment.split("[%").skip(1);
    let texts =
        texts.filter_map(move |command| command.strip_prefix(name)?.strip_prefix(char::is_whitespace));
    texts.filter_map(|text| Some(text.split(']').next()?.trim()))
}

/// A decimal number in hundredths; further digits are cut off.
pub(crate) fn decimal(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    let are_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.len() + part.len() == 0 || !are_digits(whole) || !are_digits(part) {
        return None;
    }
    let part = format!("{part:0<2}");
    let hundredths: i64 = format!("{whole}{}", &part[..2]).parse().ok()?;
    Some(if text.starts_with('-') {
        -hundredths
    } else {
        hundredths
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read() {
        for (comment, hundredths) in [
            ("[%clk 1:02:03]", Some(372_300)),
            ("[%clk -0:00:01]", None),
            ("[%clk 0:00:-1]", None),
            ("good [%emt 0:01] [%clk 0:00:09.75] move", Some(975)),
            ("[%clk 5:00]", Some(30_000)),
            ("[%clk 0:00:05,2]", Some(520)),
            ("[%clk 0:00:05,2,1]", None),
            ("[%clk 12]", Some(1_200)),
            ("[%clk\n0:00:12]", Some(1_200)),
            ("[%clk 1:xx] [%clk 0:05] [%clk 0:06]", Some(500)),
            ("[%clk 1:xx]", None),
            ("[%clk]", None),
            ("[%clk -1]", None),
            ("[%clk 99999999:00:00]", None),
            ("[%clock 1]", None),
            ("clk 1:00", None),
            ("", None),
        ] {
            assert_eq!(clock(comment), hundredths, "{comment}");
        }
    }

    #[test]
    fn evaluations_are_read() {
        use Evaluation::{Hundredths, Mate};
        for (comment, value) in [
            ("[%eval 0.35]", Some(Hundredths(35))),
            ("[%clk 0:01] [%eval -1.2,20] good", Some(Hundredths(-120))),
            ("[%eval -50,20]", Some(Hundredths(-50))),
            ("[%eval 3]", Some(Hundredths(300))),
            ("[%eval\r\n-0.5]", Some(Hundredths(-50))),
            ("[%eval +.259]", Some(Hundredths(25))),
            ("[%eval #-3]", Some(Mate(-3))),
            ("[%eval #12,40]", Some(Mate(12))),
            ("[%eval alpha [%eval -0.35]", Some(Hundredths(-35))),
            ("[%eval #]", None),
            ("[%eval 1.2.3]", None),
            ("[%eval x]", None),
            ("[%eval 99999999999999999999]", None),
            ("[%eval]", None),
        ] {
            assert_eq!(evaluation(comment), value, "{comment}");
        }
    }

    #[test]
    fn evaluations_are_numbers() {
        use Evaluation::{Hundredths, Mate};
        for (evaluation, white_moved, number) in [
            (Hundredths(-35), true, -35),
            (Hundredths(31_000), true, 31_000),
            (Hundredths(31_001), true, 31_000),
            (Hundredths(i32::MIN), true, -31_000),
            (Mate(1), true, 31_999),
            (Mate(-12), true, -31_988),
            (Mate(999), true, 31_001),
            (Mate(1_000), true, 31_001),
            (Mate(i32::MIN), true, -31_001),
            (Mate(0), true, 32_000),
            (Mate(0), false, -32_000),
        ] {
            assert_eq!(evaluation.number(white_moved), number, "{evaluation:?}");
        }
    }
}
