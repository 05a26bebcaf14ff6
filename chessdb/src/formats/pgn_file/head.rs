//! Games without tags, in text before the first tag of a file (section 3.4).

use encoding_rs::UTF_8;
use memchr::memchr;

use super::items::{Item, Items};
use super::values::movetext_result;
use super::words::without_number;
use crate::board::Position;

/// Number of bytes before the first tag in which games are searched for. A game that begins in them may be
/// longer.
pub(super) const MOST_HEAD: u64 = 1 << 28;

/// Offsets of games without tags: lines with a number, a point and a legal first move, with nothing but moves, or with
/// a result alone. Each game ends with a result outside of variations and comments.
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
    movetext_result(line, UTF_8).is_some() || is_of_moves(line)
}

/// True if a line has nothing but legal moves from the first one on, at least [`LEAST_MOVES`], their annotations and a
/// result.
fn is_of_moves(line: &[u8]) -> bool {
    let mut items = Items::new(line, 0, b'\n');
    let mut position = Position::initial();
    let mut moves = 0;
    while let Some(item) = items.next() {
        match item {
            Item::Word(word) if movetext_result(word, UTF_8).is_some() => break,
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

/// Number of moves that tell a line of moves without numbers from other text.
const LEAST_MOVES: u32 = 2;

fn is_result(word: &[u8]) -> bool {
    matches!(word.first(), Some(b'0' | b'1' | b'*' | 0xc2 | 0xbd)) && movetext_result(word, UTF_8).is_some()
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
    fn two_games_may_stand_in_one_line() {
        assert_eq!(games(b"1. e4 1-0 1. d4 0-1\n", b'\n'), [0, 10]);
    }
}
