//! Games without tags, in text before the first tag of a file (section 3.4).

use crate::text::Charset;
use memchr::{memchr, memchr2};
use std::ops::Range;

use crate::board::Position;
use crate::formats::pgn_common::items::{Item, Items};
use crate::formats::pgn_common::nag_of_sign;
use crate::formats::pgn_common::results::{movetext_result, numbered_result};
use crate::formats::pgn_common::words::without_number;

/// Number of bytes in front of the first tag that are searched for games. A game that starts there may be longer.
pub(super) const MOST_HEAD: u64 = 1 << 28;

/// Offsets of games without tags. Such a game begins with a line that has a number, a point and a legal first move, or
/// only moves, or only a result. Comments before it belong to the game. Each game ends with a result outside of
/// variations and comments.
pub(super) fn games(text: &[u8], line_end: u8) -> Vec<usize> {
    let mut starts = Vec::new();
    let mut search = Search::new(text, line_end);
    while let Some((comments, moves)) = search.next_start() {
        let start = if starts.is_empty() { comments } else { moves };
        starts.push(start);
        search.at = end_of_game(text, start, line_end);
    }
    starts
}

/// The place of the first move of a game without tags, if comments come before it and it begins a line.
pub(super) fn moves_of(game: &[u8], line_end: u8) -> usize {
    let moves = after_comments(game, 0, line_end);
    let line = game.get(..moves).unwrap_or_default().trim_ascii_end().len();
    let begins_line = memchr(line_end, game.get(line..moves).unwrap_or_default()).is_some();
    if begins_line { moves } else { 0 }
}

/// The search for games. It keeps what it has found out about the text ahead, so that many games in a line, and many
/// lines that begin no game, are read once.
struct Search<'a> {
    text: &'a [u8],
    line_end: u8,
    /// The place where the search continues, perhaps in the middle of a line.
    at: usize,
    /// The end of the line that was read last, and the end of the text in it.
    line: (usize, usize),
    /// Comments before this place are not followed by a game.
    vain: usize,
    /// Lines before this place are part of text that begins with moves and is not a game.
    tried: usize,
}

impl<'a> Search<'a> {
    fn new(text: &'a [u8], line_end: u8) -> Search<'a> {
        Search {
            text,
            line_end,
            at: 0,
            line: (0, 0),
            vain: 0,
            tried: 0,
        }
    }

    fn part(&self, part: Range<usize>) -> &'a [u8] {
        self.text.get(part).unwrap_or_default()
    }

    /// The length of the line at a place.
    fn line_len(&self, at: usize) -> usize {
        let rest = self.text.get(at..).unwrap_or_default();
        memchr(self.line_end, rest).unwrap_or(rest.len())
    }

    /// The start of the next game, and the line with its moves. The two places differ if comments come before the
    /// moves.
    fn next_start(&mut self) -> Option<(usize, usize)> {
        while self.at <= self.text.len() {
            if self.at >= self.line.0 {
                let end = self.at + self.line_len(self.at);
                let line = self.part(self.at..end).trim_ascii_end();
                self.line = (end, self.at + line.len());
            }
            let (end, text_end) = self.line;
            let line = trim_ignored(self.part(self.at..text_end));
            let start = text_end - line.len();
            if begins_game(line) || !line.is_empty() && self.is_game_of_moves(start) {
                return Some((start, start));
            }
            if self.at >= self.vain && matches!(line.first(), Some(b'{' | b';')) {
                let moves = after_comments(self.text, start, self.line_end);
                let line = self.part(moves..moves + self.line_len(moves));
                let begins = begins_game(line) && movetext_result(line.trim_ascii(), Charset::Utf8).is_none();
                if begins || self.is_game_of_moves(moves) {
                    return Some((start, moves));
                }
                self.vain = moves;
            }
            self.at = end + 1;
        }
        None
    }

    /// True if the text at a place has only legal moves, at least one, and their annotations, up to a result, an empty
    /// line or its end.
    fn is_game_of_moves(&mut self, start: usize) -> bool {
        const LONGEST: usize = 4 << 10;
        if start < self.tried {
            return false;
        }
        let text = self.part(start..self.text.len().min(start + LONGEST));
        let (len, is_game) = only_moves(text, self.line_end);
        self.tried = start + len;
        is_game && len < LONGEST
    }
}

/// The place after the comments at a place, and after characters that are ignored between them. Braces that contain
/// braces are not a comment.
fn after_comments(text: &[u8], at: usize, line_end: u8) -> usize {
    let mut at = at;
    loop {
        let rest = trim_ignored(text.get(at..).unwrap_or_default());
        let start = text.len() - rest.len();
        let len = match rest.split_first() {
            Some((b'{', inside)) => match memchr2(b'{', b'}', inside) {
                Some(end) if inside.get(end) == Some(&b'}') => end + 2,
                _ => return start,
            },
            Some((b';', _)) => memchr(line_end, rest).unwrap_or(rest.len()),
            _ => return start,
        };
        at = start + len;
    }
}

/// A text without the white space and the ignored bytes at its start.
fn trim_ignored(text: &[u8]) -> &[u8] {
    let mut rest = text;
    loop {
        rest = match rest {
            [c, rest @ ..] if c.is_ascii_whitespace() || matches!(c, 0 | 0x1a) => rest,
            [0xef, 0xbb, 0xbf, rest @ ..] => rest,
            _ => return rest,
        }
    }
}

fn begins_game(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    let digits = line.iter().take_while(|c| c.is_ascii_digit()).count();
    let dots = line.iter().skip(digits).take_while(|&&c| c == b'.').count();
    if digits > 0 && dots > 0 {
        let moves = line.get(digits + dots..).unwrap_or_default().trim_ascii_start();
        let mut items = Items::new(moves, 0, b'\n');
        let first = items.next();
        return matches!(first, Some(Item::Word(word)) if Position::initial().read_move(word).is_ok());
    }
    movetext_result(line, Charset::Utf8).is_some() || has_only_moves(line)
}

/// True if a line has only legal moves of a game's start, at least [`LEAST_MOVES`], their annotations and a result.
fn has_only_moves(line: &[u8]) -> bool {
    let mut items = Items::new(line, 0, b'\n');
    let mut position = Position::initial();
    let mut moves = 0;
    while let Some(item) = items.next() {
        match item {
            Item::Word(word) if numbered_result(word, Charset::Utf8).is_some() => break,
            Item::Word(word) => {
                let (word, _) = without_number(word);
                match position.read_move(word) {
                    Ok(mv) => position.play(mv),
                    Err(_) if word.is_empty() => continue,
                    Err(_) => return false,
                }
                moves += 1;
            }
            Item::Comment(..) | Item::Nag(_) => {}
            Item::Open if items.skip_variation() => {}
            _ => return false,
        }
    }
    moves >= LEAST_MOVES
}

/// The length of the part of a text that has only legal moves of a game's start, their annotations, and a result; and
/// whether it has moves and nothing else up to its result, an empty line or its end.
fn only_moves(text: &[u8], line_end: u8) -> (usize, bool) {
    let mut items = Items::new(text, 0, line_end);
    let mut position = Position::initial();
    let mut has_moves = false;
    loop {
        let before = items.at;
        let Some(item) = items.next() else {
            return (text.len(), has_moves);
        };
        let start = items.start;
        if has_empty_line(text.get(before..start).unwrap_or_default(), line_end) {
            return (start, has_moves);
        }
        let is_part = match item {
            Item::Word(word) if numbered_result(word, Charset::Utf8).is_some() => {
                return (items.at, has_moves);
            }
            Item::Word(word) => {
                let (word, _) = without_number(word);
                match position.read_move(word) {
                    Ok(mv) => {
                        position.play(mv);
                        has_moves = true;
                        true
                    }
                    Err(_) => {
                        let is_sign =
                            || crate::text::utf8(word).is_ok_and(|sign| nag_of_sign(&sign).is_some());
                        word.is_empty() || has_moves && is_sign()
                    }
                }
            }
            // Comments and glyphs before the first move do not make it a game.
            Item::Comment(_, true) | Item::Nag(Some(_)) => has_moves,
            Item::Open => has_moves && items.skip_variation(),
            _ => false,
        };
        if !is_part {
            return (start, false);
        }
    }
}

fn has_empty_line(text: &[u8], line_end: u8) -> bool {
    let lines = text.split(|&c| c == line_end).skip(1);
    let ended = text.iter().filter(|&&c| c == line_end).count().saturating_sub(1);
    lines.take(ended).any(|line| line.trim_ascii().is_empty())
}

/// Minimum number of moves in a line without move numbers, to distinguish it from other text.
const LEAST_MOVES: u32 = 2;

fn is_result(word: &[u8]) -> bool {
    matches!(word.first(), Some(b'0'..=b'9' | b'*' | 0xc2 | 0xbd))
        && numbered_result(word, Charset::Utf8).is_some()
}

/// The offset after the result of a game.
fn end_of_game(text: &[u8], start: usize, line_end: u8) -> usize {
    let mut items = Items::new(text, start, line_end);
    let mut depth = 0u32;
    while let Some(item) = items.next() {
        match item {
            Item::Open => depth += 1,
            Item::Close => depth = depth.saturating_sub(1),
            Item::Word(word) if depth == 0 && is_result(word) => return items.at,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_end_games_without_tags() {
        let text = "Dear all,\nin round 1. e4 won.\n\n1. e4 {1-0} (1. d4 0-1) e5 1-0\n\n 1.d4 *\n1-0\nBye\n";
        let found = games(text.as_bytes(), b'\n');
        let lines: Vec<&str> = found
            .iter()
            .map(|&at| text[at..].lines().next().unwrap())
            .collect();
        assert_eq!(lines, ["1. e4 {1-0} (1. d4 0-1) e5 1-0", "1.d4 *", "1-0"]);
        assert!(games(b"1. e5 e4 *\n1.\n", b'\n').is_empty());
    }

    #[test]
    fn moves_need_no_numbers() {
        let text = "e4 is best.\ne4 e5 Nf3\nNc6 *\nd4 {open} d5 2. c4 (2. a3) 1-0\na4\nNf3 Nc6 Nf3\n";
        assert_eq!(games(text.as_bytes(), b'\n'), [12, 28]);
    }

    #[test]
    fn one_move_and_nothing_else_is_a_game() {
        for (text, is_game) in [
            ("e4 { one move and a comment, no number } *\n", true),
            ("e4\n", true),
            ("e4 !? (d4) +-\n{a}\n\nText.\n", true),
            ("e4 $1 1/2-1/2\n", true),
            ("e4 is best.\n", false),
            ("e4\nis best.\n", false),
            ("e4\r\n\r\nText.\r\n", true),
            ("e4\n \t\nText.\n", true),
            ("e4 {open\n", false),
            ("e4 {a\n\nb} *\n", true),
            ("e4 {a\n\nb}\n\nText.\n", true),
            ("e4 {a\n\nb} is best.\n", false),
            ("{note} e4 *\n", true),
            ("{note} e4 is best.\n", false),
            ("e5 *\n", false),
            ("*e4\n", false),
            ("! e4\n", false),
        ] {
            assert_eq!(
                games(text.as_bytes(), b'\n').len(),
                usize::from(is_game),
                "{text}"
            );
        }
    }

    #[test]
    fn comments_before_the_first_move_belong_to_the_game() {
        for (text, start, moves) in [
            ("{a}\n\n1. e4 e5 *\n", 0, 5),
            ("Dear all,\n \n{a\nb} ; c\n{d}\n1. e4 *\n", 12, 26),
            ("{1. d4 is\n2. c4} 1. e4 e5\n2. Nf3 *\n", 0, 0),
            ("; a\n; b\r\ne4 e5\n", 0, 9),
            ("; a\ne4 *\n", 0, 4),
            ("{a\n\nb} e4\n\nText.\n", 0, 0),
            // An open comment is text.
            ("{a\n1. e4 {b} e5 2. Nf3\n", 3, 3),
            ("{a}\nb\n1. e4 e5\n", 6, 6),
        ] {
            let games = games(text.as_bytes(), b'\n');
            assert_eq!(games, [start], "{text}");
            assert_eq!(
                start + moves_of(&text.as_bytes()[start..], b'\n'),
                moves,
                "{text}"
            );
        }
        // After a game, such comments belong to this game.
        assert_eq!(games(b"1. e4 *\n{a\n1. b} 1. d4 *\n", b'\n'), [0, 17]);
    }

    #[test]
    fn many_comments_are_read_once() {
        for line in ["{\n", "{a}\n", ";\n", "{{}\n"] {
            assert!(games(line.repeat(1 << 20).as_bytes(), b'\n').is_empty());
        }
    }

    #[test]
    fn many_games_in_a_line_are_read_once() {
        for game in ["e4 e5 1-0 ", "e4 1-0 ", "1. e4 1-0 "] {
            let text = game.repeat(1 << 17);
            assert_eq!(games(text.as_bytes(), b'\n').len(), 1 << 17, "{game}");
        }
    }

    #[test]
    fn many_lines_of_a_move_are_read_once() {
        let text = "Nf3\nNf6\nNg1\nNg8\n".repeat(1 << 15) + "x";
        assert!(games(text.as_bytes(), b'\n').is_empty());
    }

    #[test]
    fn a_game_in_an_open_comment_does_not_make_its_comments_be_read_again() {
        let text = "{\ne4 e5 1-0\n}\n".repeat(1 << 15);
        assert_eq!(games(text.as_bytes(), b'\n').len(), 1 << 15);
    }

    #[test]
    fn two_games_may_stand_in_one_line() {
        assert_eq!(games(b"1. e4 1-0 1. d4 0-1\n", b'\n'), [0, 10]);
    }
}
