//! Games without tags, in text before the first tag of a file (section 3.4).

use memchr::memchr;

use super::items::{Item, Items};
use super::values::movetext_result;
use crate::board::Position;
use crate::text::utf8_lossy;

/// Number of bytes before the first tag in which games are searched for. A game that begins in them may be
/// longer.
pub(super) const MOST_HEAD: u64 = 1 << 28;

/// Offsets of games without tags: lines with a number, a point and a legal first move, or with a result
/// alone. Each game ends with a result outside of variations and comments.
pub(super) fn games(text: &[u8], line_end: u8) -> Vec<usize> {
    let mut starts = Vec::new();
    let mut at = 0;
    while let Some(start) = next_start(text, at, line_end) {
        starts.push(start);
        at = end_of_game(text, start, line_end);
    }
    starts
}

/// The next line that begins a game, starting at `at`, which may be in the middle of a line.
fn next_start(text: &[u8], at: usize, line_end: u8) -> Option<usize> {
    let mut at = at;
    loop {
        let rest = text.get(at..)?;
        let end = memchr(line_end, rest).unwrap_or(rest.len());
        let line = rest.get(..end)?;
        let indent = line
            .iter()
            .take_while(|c| c.is_ascii_whitespace() || **c == 0 || **c == 0x1a)
            .count();
        let mark = line
            .get(indent..)
            .is_some_and(|line| line.starts_with(b"\xef\xbb\xbf"));
        let indent = indent + if mark { 3 } else { 0 };
        if begins_game(line.get(indent..)?) {
            return Some(at + indent);
        }
        at += end + 1;
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
    line.len() <= 16 && movetext_result(&utf8_lossy(line)).is_some()
}

fn is_result(word: &[u8]) -> bool {
    word.len() <= 16
        && matches!(word.first(), Some(b'0' | b'1' | b'*' | 0xc2 | 0xbd))
        && movetext_result(&utf8_lossy(word)).is_some()
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
    fn two_games_may_stand_in_one_line() {
        assert_eq!(games(b"1. e4 1-0 1. d4 0-1\n", b'\n'), [0, 10]);
    }
}
