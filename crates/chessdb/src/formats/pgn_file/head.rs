//! Games without tags, in text before the first tag of a file (section 3.4).

use crate::text::Charset;
use memchr::{memchr, memchr2};

use crate::board::Position;
use crate::formats::pgn_common::items::{Item, Items};
use crate::formats::pgn_common::nag_of_sign;
use crate::formats::pgn_common::results::movetext_result;
use crate::formats::pgn_common::words::without_number;

/// Number of bytes in front of the first tag that are searched for games. A game that starts there may be longer.
pub(super) const MOST_HEAD: u64 = 1 << 28;

/// Offsets of games without tags. Such a game begins with a line that has a number, a point and a legal first move, or
/// only moves, or only a result. Comments before it belong to the game. Each game ends with a result outside of
/// variations and comments.
pub(super) fn games(text: &[u8], line_end: u8) -> Vec<usize> {
    let mut starts = Vec::new();
    let mut at = 0;
    while let Some((comments, moves)) = next_start(text, at, line_end) {
        let start = if starts.is_empty() { comments } else { moves };
        starts.push(start);
        at = end_of_game(text, start, line_end);
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

/// The start of the next game from `at` on, and the line with its moves. The two places differ if comments come before
/// the moves. `at` may be in the middle of a line.
fn next_start(text: &[u8], at: usize, line_end: u8) -> Option<(usize, usize)> {
    let mut at = at;
    // Comments before this place are not followed by a game.
    let mut vain = at;
    loop {
        let rest = text.get(at..)?;
        let end = memchr(line_end, rest).unwrap_or(rest.len());
        let line = trim_ignored(rest.get(..end)?);
        let start = at + end - line.len();
        if begins_game(line) || !line.is_empty() && is_game_of_moves(text.get(start..)?, line_end) {
            return Some((start, start));
        }
        if at >= vain && matches!(line.first(), Some(b'{' | b';')) {
            let moves = after_comments(text, start, line_end);
            let after = text.get(moves..).unwrap_or_default();
            let line = after.get(..memchr(line_end, after).unwrap_or(after.len()))?;
            if begins_game(line) && movetext_result(line.trim_ascii(), Charset::Utf8).is_none() {
                return Some((start, moves));
            }
            vain = moves;
        }
        at += end + 1;
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
            Item::Word(word) if movetext_result(word, Charset::Utf8).is_some() => break,
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

/// True if a text has only legal moves, at least one, and their annotations, up to a result, an empty line or its end.
fn is_game_of_moves(text: &[u8], line_end: u8) -> bool {
    const LONGEST: usize = 4 << 10;
    let text = text.get(..LONGEST).unwrap_or(text);
    let lines = text.split_inclusive(|&byte| byte == line_end);
    let until_empty = lines.take_while(|line| !line.trim_ascii().is_empty());
    let end = until_empty.map(<[u8]>::len).sum();
    let mut items = Items::new(text.get(..end).unwrap_or_default(), 0, line_end);
    let mut position = Position::initial();
    let mut moves = 0;
    while let Some(item) = items.next() {
        match item {
            Item::Word(word) if movetext_result(word, Charset::Utf8).is_some() => return moves > 0,
            Item::Word(word) => {
                let (word, _) = without_number(word);
                match position.read_move(word) {
                    Ok(mv) => {
                        position.play(mv);
                        moves += 1;
                    }
                    Err(_) if word.is_empty() => {}
                    Err(_)
                        if moves > 0
                            && crate::text::utf8(word).is_ok_and(|sign| nag_of_sign(&sign).is_some()) => {}
                    Err(_) => return false,
                }
            }
            // Comments and glyphs before the first move do not make it a game.
            Item::Comment(_, true) | Item::Nag(Some(_)) if moves > 0 => {}
            Item::Open if moves > 0 && items.skip_variation() => {}
            _ => return false,
        }
    }
    moves > 0 && end < LONGEST
}

/// Minimum number of moves in a line without move numbers, to distinguish it from other text.
const LEAST_MOVES: u32 = 2;

fn is_result(word: &[u8]) -> bool {
    matches!(word.first(), Some(b'0' | b'1' | b'*' | 0xc2 | 0xbd))
        && movetext_result(word, Charset::Utf8).is_some()
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
    fn two_games_may_stand_in_one_line() {
        assert_eq!(games(b"1. e4 1-0 1. d4 0-1\n", b'\n'), [0, 10]);
    }
}
