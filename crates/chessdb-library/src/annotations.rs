//! The annotations of a main line: glyphs, comments, times on the clock and evaluations.
//!
//! Times and evaluations are commands in comments, as PGN files of servers and other programs have them:
//!
//! | command | meaning |
//! |---|---|
//! | `[%clk 1:02:03.4]` | time left after the move, in hours, minutes and seconds; hours, or hours and minutes, may be left out; the decimal point may be a comma |
//! | `[%eval 0.35]`, `[%eval -1.2,20]` | pawns from White's side, and the depth in plies |
//! | `[%eval -50,20]` | hundredths of a pawn, if the game counts these |
//! | `[%eval #-3]` | mate in three moves, negative if Black mates |
//!
//! An evaluation is about the position after the move that has the comment.
//!
//! Engine matches have evaluations and times without commands. They count where no command has one:
//!
//! | comment | meaning |
//! |---|---|
//! | `+0.31/13 0.6s` | pawns from the side that moved, the depth, and the time spent, as cutechess writes them |
//! | `-M4/20 1.2s` | the side that moved is mated with the fourth half-move from this one on |
//! | `d=25, mt=3000, wv=-0.18` | pawns from White's side, and the time spent in milliseconds, as TCEC writes them; mates as above |

use std::borrow::Cow;
use std::cell::OnceCell;

use chessdb::Database;
use chessdb::game::{Game, Movetext, Token};

use crate::time_control::TimeControl;

/// The time left on the clock after each half-move of a game's main line, in hundredths of a second; `None` where no
/// comment gives it.
pub fn clocks(database: &dyn Database, game: u32) -> Vec<Option<i32>> {
    LineAnnotations::of(database, game).clocks()
}

/// The evaluation after each half-move of a game's main line in hundredths of a pawn from White's side, at most 31,000;
/// for a mate in `n` 32,000 - `n`, negative if Black mates. `None` where no comment gives it.
pub fn evaluations(database: &dyn Database, game: u32) -> Vec<Option<i32>> {
    LineAnnotations::of(database, game).evaluations()
}

/// The movetext of a game with its evaluations in pawns, as all other programs read them; `None` if they are pawns already.
pub fn with_pawns(movetext: &Movetext) -> Option<Movetext> {
    are_hundredths(movetext).then(|| movetext.with_comments(in_pawns))
}

/// The annotations of a main line.
#[derive(Debug, Default)]
pub(crate) struct LineAnnotations {
    movetext: Movetext,
    /// Whether the game's evaluations are hundredths of a pawn, found on first use.
    are_hundredths: OnceCell<bool>,
    /// The increment of each move, in hundredths of a second.
    increment: u32,
    /// Number of moves.
    moves: u32,
    /// Glyphs and comments, each after the number of moves that precede it, in ascending order.
    entries: Vec<(u32, Token)>,
}

impl LineAnnotations {
    /// The annotations of a game's main line.
    pub(crate) fn of(database: &dyn Database, game: u32) -> LineAnnotations {
        let game = database.game(game).game;
        let increment = increment(&game);
        let movetext = game.movetext;
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
            are_hundredths: OnceCell::new(),
            increment,
            moves,
            entries,
        }
    }

    /// The annotations of a game, empty so far. The caller adds them with [`LineAnnotations::push`].
    pub(crate) fn beginning(game: &Game) -> LineAnnotations {
        LineAnnotations {
            movetext: game.movetext.clone(),
            increment: increment(game),
            ..LineAnnotations::default()
        }
    }

    /// Adds a glyph or a comment after `moves` moves. No annotation may have been added for a later move.
    pub(crate) fn push(&mut self, moves: u32, token: Token) {
        self.entries.push((moves, token));
    }

    /// Removes the annotations after more than `moves` moves, and returns them.
    pub(crate) fn cut(&mut self, moves: u32) -> Vec<(u32, Token)> {
        let kept = self.entries.partition_point(|(before, _)| *before <= moves);
        self.entries.split_off(kept)
    }

    /// The time on the clock after each move, in hundredths of a second; `None` where no comment has it.
    pub(crate) fn clocks(&self) -> Vec<Option<i32>> {
        let times = (1..=self.moves).map(|moves| self.clock(moves));
        times.map(|time| time?.try_into().ok()).collect()
    }

    /// The evaluation after each move as a [number](Evaluation::number); `None` where no comment has one.
    pub(crate) fn evaluations(&self) -> Vec<Option<i32>> {
        let value = |moves: u32| {
            let evaluation = self.evaluation(moves)?;
            Some(i32::from(evaluation.number(self.white_moved(moves))))
        };
        (1..=self.moves).map(value).collect()
    }

    /// The time left after a number of moves, in hundredths of a second.
    fn clock(&self, moves: u32) -> Option<u32> {
        self.comments(moves).find_map(clock)
    }

    /// How long the last of `moves` moves took, in hundredths of a second: from a comment, otherwise from the clock
    /// since the same side's previous move. `None` without either, or if the clock gained more than the increment.
    pub(crate) fn time_spent(&self, moves: u32) -> Option<u32> {
        self.comments(moves).find_map(written_time).or_else(|| {
            let before = self.clock(moves.checked_sub(2)?)?;
            before
                .checked_add(self.increment)?
                .checked_sub(self.clock(moves)?)
        })
    }

    /// The evaluation after a number of moves, from the first command that has one, otherwise from the comment of an
    /// engine match.
    pub(crate) fn evaluation(&self, moves: u32) -> Option<Evaluation> {
        let mut evaluations = self.comments(moves).flat_map(evaluations_in);
        let Some((_, written)) = evaluations.next() else {
            let white_moved = self.white_moved(moves);
            return self
                .comments(moves)
                .find_map(|comment| of_match(comment, white_moved));
        };
        let are_hundredths = self.are_hundredths.get_or_init(|| are_hundredths(&self.movetext));
        Some(written.read(*are_hundredths))
    }

    /// The numbers of moves after which there are annotations, in ascending order.
    pub(crate) fn places(&self) -> impl Iterator<Item = u32> {
        let runs = self.entries.chunk_by(|(a, _), (b, _)| a == b);
        runs.filter_map(|run| run.first()).map(|(moves, _)| *moves)
    }

    /// The glyphs after `moves` moves.
    pub(crate) fn nags(&self, moves: u32) -> impl Iterator<Item = u8> {
        self.after(moves).iter().filter_map(|(_, token)| match token {
            Token::Nag(nag) => Some(*nag),
            _ => None,
        })
    }

    /// The comments after `moves` moves.
    pub(crate) fn comments(&self, moves: u32) -> impl Iterator<Item = &str> {
        self.after(moves).iter().filter_map(|(_, token)| match token {
            Token::Comment(range) => Some(self.movetext.text(*range)),
            _ => None,
        })
    }

    /// True if White made the last of `moves` moves, so that White mates if that position is mate.
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
    /// Mate in this number of moves; negative if Black mates.
    Mate(i32),
}

/// The number of a mate that is on the board, from the winner's side.
const MATE: i16 = 32_000;

/// The longest mate that keeps its length. It fixes the gap between mates and other evaluations.
const LONGEST_MATE: u32 = 999;

/// The most hundredths of a pawn, from either side.
const MOST_HUNDREDTHS: i32 = 31_000;

impl Evaluation {
    /// Hundredths of a pawn from White's side, at most 31,000; for a mate in `n` 32,000 - `n`, negative if Black mates.
    /// White has given a mate in 0 if `white_moved`.
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

    /// The same for the other side.
    fn negated(self) -> Evaluation {
        match self {
            Evaluation::Hundredths(value) => Evaluation::Hundredths(value.saturating_neg()),
            Evaluation::Mate(moves) => Evaluation::Mate(moves.saturating_neg()),
        }
    }

    /// True if White is better. White has given a mate in 0 if `white_moved`.
    pub(crate) fn favours_white(self, white_moved: bool) -> bool {
        match self {
            Evaluation::Hundredths(value) | Evaluation::Mate(value) if value != 0 => value > 0,
            Evaluation::Hundredths(_) => false,
            Evaluation::Mate(_) => white_moved,
        }
    }
}

/// The time left on the clock in hundredths of a second, from the first command of a comment that gives one.
pub(crate) fn clock(comment: &str) -> Option<u32> {
    commands(comment, "clk").find_map(|(_, text)| time_left(text))
}

/// The increment of a move in the first period of a game's time control, in hundredths of a second.
fn increment(game: &Game) -> u32 {
    let control = game.tags.get("TimeControl").and_then(TimeControl::parse);
    let seconds = control.map_or(0, |control| control.increment.saturating_mul(100));
    seconds.try_into().unwrap_or(u32::MAX)
}

/// The time that a comment says the move took, in hundredths of a second.
fn written_time(comment: &str) -> Option<u32> {
    commands(comment, "emt")
        .find_map(|(_, text)| time_left(text))
        .or_else(|| Some(value_of(comment, "mt")?.parse::<u32>().ok()? / 10))
        .or_else(|| {
            let (_, rest) = score(comment)?;
            let seconds = rest.split([' ', ',']).nth(1)?.strip_suffix('s')?;
            decimal(seconds)?.try_into().ok()
        })
}

/// The evaluation in the comment of an engine match.
fn of_match(comment: &str, white_moved: bool) -> Option<Evaluation> {
    if let Some(written) = value_of(comment, "wv") {
        return read_score(written);
    }
    let own = read_score(score(comment)?.0)?;
    Some(if white_moved { own } else { own.negated() })
}

/// True if the comment of an engine match has an evaluation.
pub(crate) fn is_evaluated(comment: &str) -> bool {
    of_match(comment, true).is_some()
}

/// The score at the start of a comment, in front of the slash and the depth, and the text after the slash.
fn score(comment: &str) -> Option<(&str, &str)> {
    let (score, rest) = comment.trim_start().split_once('/')?;
    // A result has no decimal point, and the points of a player, as in 5.5/7, have no sign and no time.
    let is_score = score.contains(['.', 'M']) && read_score(score).is_some();
    let seconds = rest
        .split([' ', ','])
        .nth(1)
        .and_then(|word| word.strip_suffix('s'));
    let is_of_engine =
        score.starts_with(['+', '-']) || score == "0.00" || seconds.and_then(decimal).is_some();
    (is_score && is_of_engine && rest.starts_with(|c: char| c.is_ascii_digit())).then_some((score, rest))
}

/// Reads a number of pawns, or `M5`: mate with the fifth half-move, counted from the one just played, after which two
/// moves are left. `M1` stays a mate in one, since a mate on the board has no sign.
fn read_score(text: &str) -> Option<Evaluation> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let Some(plies) = unsigned.strip_prefix('M') else {
        return Some(Evaluation::Hundredths(decimal(text)?.try_into().ok()?));
    };
    let plies = plies.parse::<u16>().ok().filter(|&plies| plies > 0)?;
    let moves = i32::from(plies / 2).max(1);
    Some(Evaluation::Mate(if text.starts_with('-') {
        -moves
    } else {
        moves
    }))
}

/// The value of `name=value` in a list with commas.
fn value_of<'a>(comment: &'a str, name: &str) -> Option<&'a str> {
    let mut fields = comment
        .split(',')
        .filter_map(|field| field.trim().split_once('='));
    fields
        .find(|(own, _)| *own == name)
        .map(|(_, value)| value.trim())
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

/// True if the evaluations of a game are written in hundredths of a pawn, and not in pawns. All its comments count,
/// those in variations too.
///
/// Programs write pawns with a decimal point. ChessBase writes hundredths of a pawn without one, and the depth after
/// them. So a whole game counts hundredths if one of its evaluations has a depth and none has a decimal point. Mates
/// do not count here.
fn are_hundredths(movetext: &Movetext) -> bool {
    let mut are_hundredths = false;
    let comments = movetext.tokens().iter().filter_map(|token| match token {
        Token::Comment(range) => Some(movetext.text(*range)),
        _ => None,
    });
    for (_, written) in comments.flat_map(evaluations_in) {
        match written {
            WrittenEvaluation::Decimal(_) => return false,
            WrittenEvaluation::Integer { has_depth: true, .. } => are_hundredths = true,
            WrittenEvaluation::Integer { .. } | WrittenEvaluation::Mate(_) => {}
        }
    }
    are_hundredths
}

/// An evaluation as it is written in a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WrittenEvaluation {
    /// Mate in a number of moves.
    Mate(i32),
    /// A number with a decimal point, in hundredths.
    Decimal(i32),
    /// A number without one, and whether a depth follows.
    Integer { number: i32, has_depth: bool },
}

impl WrittenEvaluation {
    fn of(text: &str) -> Option<WrittenEvaluation> {
        let (value, has_depth) = match text.split_once(',') {
            Some((value, _)) => (value, true),
            None => (text, false),
        };
        if let Some(mate) = value.strip_prefix('#') {
            return mate.parse().ok().map(WrittenEvaluation::Mate);
        }
        let hundredths = i32::try_from(decimal(value)?).ok()?;
        Some(if value.contains('.') {
            WrittenEvaluation::Decimal(hundredths)
        } else {
            let number = hundredths / 100;
            WrittenEvaluation::Integer { number, has_depth }
        })
    }

    fn read(self, are_hundredths: bool) -> Evaluation {
        match self {
            WrittenEvaluation::Mate(moves) => Evaluation::Mate(moves),
            WrittenEvaluation::Decimal(hundredths) => Evaluation::Hundredths(hundredths),
            WrittenEvaluation::Integer { number, .. } if are_hundredths => Evaluation::Hundredths(number),
            // It was read in hundredths, so it is not too large.
            WrittenEvaluation::Integer { number, .. } => Evaluation::Hundredths(number.saturating_mul(100)),
        }
    }
}

/// The evaluations of a comment, each with the offset of its text.
fn evaluations_in(comment: &str) -> impl Iterator<Item = (usize, WrittenEvaluation)> {
    commands(comment, "eval").filter_map(|(start, text)| Some((start, WrittenEvaluation::of(text)?)))
}

/// A comment with hundredths of a pawn as pawns: `[%eval 0.95,24]` for `[%eval 95,24]`.
fn in_pawns(comment: &str) -> Cow<'_, str> {
    let (mut changed, mut rest) = (String::new(), 0);
    for (start, written) in evaluations_in(comment) {
        if let WrittenEvaluation::Integer { number, .. } = written {
            let sign = if number < 0 { "-" } else { "" };
            let number = number.unsigned_abs();
            changed.push_str(&comment[rest..start]);
            changed.push_str(&format!("{sign}{}.{:02}", number / 100, number % 100));
            let is_of_number = |c: char| c.is_ascii_digit() || matches!(c, '+' | '-');
            rest = comment.len() - comment[start..].trim_start_matches(is_of_number).len();
        }
    }
    if rest == 0 {
        return Cow::Borrowed(comment);
    }
    changed.push_str(&comment[rest..]);
    Cow::Owned(changed)
}

/// The commands with a name: the text of each `[%name text]`, and its offset.
fn commands<'a>(comment: &'a str, name: &'a str) -> impl Iterator<Item = (usize, &'a str)> {
    comment.match_indices("[%").filter_map(move |(at, mark)| {
        // A comment of a PGN file may have a line end instead of the blank.
        let command = comment.get(at + mark.len()..)?;
        let text = command.strip_prefix(name)?.strip_prefix(char::is_whitespace)?;
        let text = text.trim_start();
        let start = comment.len() - text.len();
        // A command that is not closed ends where the next one starts. The bracket is searched for only up to there,
        // so that each byte of a comment is read once.
        let end = text.find("[%").unwrap_or(text.len());
        let end = text[..end].find(']').unwrap_or(end);
        Some((start, text.get(..end)?.trim_end()))
    })
}

/// A decimal number in hundredths; digits after the second are cut off.
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
        use WrittenEvaluation::{Decimal, Mate};
        let integer = |number, has_depth| Some(WrittenEvaluation::Integer { number, has_depth });
        for (comment, value) in [
            ("[%eval 0.35]", Some(Decimal(35))),
            ("[%clk 0:01] [%eval -1.2,20] good", Some(Decimal(-120))),
            ("[%eval -50,20]", integer(-50, true)),
            ("[%eval -50, 20 ]", integer(-50, true)),
            ("[%eval +3]", integer(3, false)),
            ("[%eval 3.]", Some(Decimal(300))),
            ("[%eval\r\n-0.5]", Some(Decimal(-50))),
            ("[%eval +.259]", Some(Decimal(25))),
            ("[%eval #-3]", Some(Mate(-3))),
            ("[%eval #12,40]", Some(Mate(12))),
            ("[%eval alpha [%eval -0.35]", Some(Decimal(-35))),
            ("[%eval 21474836,1]", integer(21_474_836, true)),
            ("[%eval 21474837,1]", None),
            ("[%eval #]", None),
            ("[%eval 1.2.3]", None),
            ("[%eval x]", None),
            ("[%eval 99999999999999999999]", None),
            ("[%eval]", None),
        ] {
            let mut found = evaluations_in(comment).map(|(_, written)| written);
            assert_eq!(found.next(), value, "{comment}");
        }
    }

    /// Each command is closed by its own bracket, or ends where the next one begins.
    #[test]
    fn commands_end_at_their_bracket_or_at_the_next_command() {
        let comment = "[%clk 1 [%clk 2] a] [%clk 3 b [%emt 4] [%clk 5";
        let found: Vec<_> = commands(comment, "clk").map(|(_, text)| text).collect();
        assert_eq!(found, ["1", "2", "3 b", "5"]);
        // Ten megabytes; reading to the end of the comment for each command would take hours.
        let many = "[%clk 1 ".repeat(1_300_000);
        assert_eq!(commands(&many, "clk").count(), 1_300_000);
    }

    /// The numbers of the evaluations in the first comments of a game, and the comments in pawns.
    fn of_game(comments: &[&str]) -> (Vec<Option<i32>>, Vec<String>) {
        use chessdb::board::{Position, Square};
        use chessdb::replay::Replay;
        let mut replay = Replay::builder(Position::initial(), 1);
        let shuffle = [
            (Square::G1, Square::F3),
            (Square::G8, Square::F6),
            (Square::F3, Square::G1),
            (Square::F6, Square::G8),
        ];
        for (comment, (from, to)) in comments.iter().zip(shuffle.into_iter().cycle()) {
            replay.play(chessdb::board::Move::normal(from, to)).unwrap();
            replay.comment(comment);
        }
        let movetext = replay.finish().0;
        let mut annotations = LineAnnotations {
            movetext,
            ..LineAnnotations::default()
        };
        annotations.moves = comments.len() as u32;
        let mut moves = 0;
        for token in annotations.movetext.tokens().to_vec() {
            match token {
                Token::Move(..) => moves += 1,
                token => annotations.push(moves, token),
            }
        }
        let changed = with_pawns(&annotations.movetext);
        let changed = changed.as_ref().unwrap_or(&annotations.movetext);
        let texts = changed.tokens().iter().filter_map(|token| match token {
            Token::Comment(range) => Some(changed.text(*range).to_owned()),
            _ => None,
        });
        (annotations.evaluations(), texts.collect())
    }

    #[test]
    fn a_whole_game_counts_pawns_or_hundredths() {
        for (comments, numbers, pawns) in [
            (vec!["[%eval 95,24]"], vec![95], vec!["[%eval 0.95,24]"]),
            // Also where an evaluation has no depth.
            (
                vec!["[%eval 3]", "[%eval -120,20] good", "[%eval #2,20]", "[%eval 0]"],
                vec![3, -120, 31_998, 0],
                vec![
                    "[%eval 0.03]",
                    "[%eval -1.20,20] good",
                    "[%eval #2,20]",
                    "[%eval 0.00]",
                ],
            ),
            // A decimal point anywhere.
            (
                vec!["[%eval 3,20]", "[%eval 0.5,20]", "[%eval -1]"],
                vec![300, 50, -100],
                vec!["[%eval 3,20]", "[%eval 0.5,20]", "[%eval -1]"],
            ),
            // No depth, or one of a mate alone.
            (
                vec!["[%eval 3]", "[%eval -12]"],
                vec![300, -1200],
                vec!["[%eval 3]", "[%eval -12]"],
            ),
            (
                vec!["[%eval 3]", "[%eval #-4,30]"],
                vec![300, -31_996],
                vec!["[%eval 3]", "[%eval #-4,30]"],
            ),
            (
                vec!["[%eval 7,1] a [%eval +8,1"],
                vec![7],
                vec!["[%eval 0.07,1] a [%eval 0.08,1"],
            ),
        ] {
            let (found, texts) = of_game(&comments);
            assert_eq!(
                found,
                numbers.into_iter().map(Some).collect::<Vec<_>>(),
                "{comments:?}"
            );
            assert_eq!(texts, pawns, "{comments:?}");
        }
    }

    #[test]
    fn comments_of_engine_matches_are_read() {
        use Evaluation::{Hundredths, Mate};
        for (comment, white, black, hundredths) in [
            (
                "+0.31/13 0.6s",
                Some(Hundredths(31)),
                Some(Hundredths(-31)),
                Some(60),
            ),
            (
                "-0.31/13 12s",
                Some(Hundredths(-31)),
                Some(Hundredths(31)),
                Some(1200),
            ),
            (
                "0.00/1 0.015s, Draw by 3-fold repetition",
                Some(Hundredths(0)),
                Some(Hundredths(0)),
                Some(1),
            ),
            ("-M4/245 0.004s", Some(Mate(-2)), Some(Mate(2)), Some(0)),
            ("+M5/6", Some(Mate(2)), Some(Mate(-2)), None),
            (
                "+M1/2 0.010s, White mates",
                Some(Mate(1)),
                Some(Mate(-1)),
                Some(1),
            ),
            (
                "d=25, mt=3018, wv=-0.18, R50=49",
                Some(Hundredths(-18)),
                Some(Hundredths(-18)),
                Some(301),
            ),
            ("wv=M7, mt=5", Some(Mate(3)), Some(Mate(3)), Some(0)),
            ("wv=-M1", Some(Mate(-1)), Some(Mate(-1)), None),
            ("5.5/7 for Tal", None, None, None),
            ("2.5/4 was enough for the prize", None, None, None),
            (
                "0.31/13 0.6s",
                Some(Hundredths(31)),
                Some(Hundredths(-31)),
                Some(60),
            ),
            ("0.00/5", Some(Hundredths(0)), Some(Hundredths(0)), None),
            ("+M0/3", None, None, None),
            ("31/13", None, None, None),
            ("see 0.31/13 0.6s", None, None, None),
            ("0.31/x", None, None, None),
            ("book", None, None, None),
            ("wv=", None, None, None),
            (
                "[%emt 0:00:05] +0.1/3 2s",
                Some(Hundredths(10)),
                Some(Hundredths(-10)),
                Some(500),
            ),
            ("1/2-1/2", None, None, None),
            ("", None, None, None),
        ] {
            let comment_alone = comment.trim_start_matches("[%emt 0:00:05] ");
            assert_eq!(of_match(comment_alone, true), white, "{comment}");
            assert_eq!(of_match(comment_alone, false), black, "{comment}");
            assert_eq!(written_time(comment), hundredths, "{comment}");
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
