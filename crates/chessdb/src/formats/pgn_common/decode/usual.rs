//! A fast path for moves in the usual form, which nearly all moves have: it reads words eight bytes at a time.

use super::{Decoder, State};
use crate::board::{CastlingSide, Move};
use crate::replay::Sink;

/// Castling in the usual form, as in [`UsualWord::text`].
const CASTLING: [(u64, CastlingSide); 2] = [
    (u64::from_le_bytes(*b"O-O\0\0\0\0\0"), CastlingSide::KingSide),
    (u64::from_le_bytes(*b"O-O-O\0\0\0"), CastlingSide::QueenSide),
];

impl<S: Sink> Decoder<'_, S> {
    /// Plays moves up to the first item that is not a move in the usual form.
    #[inline(always)]
    pub(super) fn usual_moves(&mut self) {
        // Other languages matter only for a whole game.
        let is_english = !S::WHOLE || self.language.is_none();
        if !is_english || self.unread.is_some() || self.counts.is_some() || self.state != State::Moves {
            return;
        }
        loop {
            let at = if S::WHOLE {
                after_blanks(self.items.text, self.items.at)
            } else {
                self.items.skip_comments();
                self.items.at
            };
            let Some(word) = UsualWord::read(self.items.text, at) else {
                return;
            };
            if !self.play_usual(&word) {
                return;
            }
            self.items.at = word.end;
            self.number = None;
            if S::WHOLE && !self.early.is_empty() {
                self.early_glyphs();
            }
            if self.replay.is_done() {
                return;
            }
        }
    }

    /// Plays a word if it is a legal move in the usual form. Otherwise nothing is changed.
    #[inline(always)]
    fn play_usual(&mut self, word: &UsualWord) -> bool {
        let [first, ..] = word.text.to_le_bytes();
        match self.replay.position().usual_step(word.text, word.len) {
            Some(step) => self.is_certain_of(first) && self.replay.play_step(step),
            None => {
                let castling = CASTLING.iter().find(|(name, _)| *name == word.text);
                castling.is_some_and(|&(_, side)| self.replay.play(Move::Castle(side)).is_ok())
            }
        }
    }
}

/// A word that may be a move in the usual form: SAN in ASCII, perhaps with a number before it and a sign of check after
/// it.
#[derive(Debug, PartialEq, Eq)]
struct UsualWord {
    /// The characters between number and sign, the first one in the lowest byte.
    text: u64,
    /// The number of these characters, below 8.
    len: usize,
    /// Offset after the word.
    end: usize,
}

impl UsualWord {
    /// Reads the word at an offset, or after the move number there. `None` for words in other forms and for many other
    /// items.
    #[inline(always)]
    fn read(text: &[u8], at: usize) -> Option<UsualWord> {
        let mut start = at;
        if text.get(start)?.is_ascii_digit() {
            start = after_blanks(text, after_number(text, start)?);
        }
        let block = u64::from_le_bytes(*text.get(start..)?.first_chunk()?);
        let stops = below(block, b',');
        if stops == 0 {
            return None;
        }
        let len = stops.trailing_zeros() as usize / 8;
        let stop = text.get(start + len)?;
        let end = start + len + usize::from(matches!(stop, b'+' | b'#'));
        matches!(text.get(end)?, b' ' | b'\n' | b'\r' | b')').then_some(UsualWord {
            text: block & !(u64::MAX << (8 * (len & 7))),
            len,
            end,
        })
    }
}

#[inline(always)]
fn after_blanks(text: &[u8], at: usize) -> usize {
    let mut at = at;
    while matches!(text.get(at), Some(b' ' | b'\n' | b'\r')) {
        at += 1;
    }
    at
}

/// The offset after the digits and points of a move number; `None` if there is no point.
#[inline(always)]
fn after_number(text: &[u8], at: usize) -> Option<usize> {
    let mut point = at;
    while text.get(point)?.is_ascii_digit() {
        point += 1;
    }
    let mut end = point;
    while *text.get(end)? == b'.' {
        end += 1;
    }
    (end > point).then_some(end)
}

/// Sets the highest bit of the first byte that is below `least`, an ASCII character. The bits after this byte have no
/// meaning.
#[inline(always)]
fn below(block: u64, least: u8) -> u64 {
    const ONES: u64 = u64::MAX / 0xff;
    block.wrapping_sub(ONES * u64::from(least)) & !block & (ONES << 7)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<(String, &str)> {
        let word = UsualWord::read(text.as_bytes(), 0)?;
        let characters = word.text.to_le_bytes();
        let moves = crate::text::utf8(&characters[..word.len]).unwrap();
        assert!(characters[word.len..].iter().all(|&c| c == 0), "{text}");
        Some((moves, &text[word.end..]))
    }

    #[test]
    fn numbers_and_signs_of_check_belong_to_words() {
        for (text, word, rest) in [
            ("e4 e5 2. Nf3", "e4", " e5 2. Nf3"),
            ("1. e4 e5 2. Nf3", "e4", " e5 2. Nf3"),
            ("12...\r\n Nf6+\n13. e4", "Nf6", "\n13. e4"),
            ("100.\nQa1xb2# 0-1", "Qa1xb2", " 0-1"),
            ("O-O-O) 5. e4", "O-O-O", ") 5. e4"),
        ] {
            assert_eq!(read(text), Some((word.to_owned(), rest)));
        }
    }

    #[test]
    fn other_items_are_left() {
        for text in [
            "",
            "e4",
            "1. ",
            "1 e4 e5 d4",
            "0-1      ",
            "e4! e5 d4",
            "e4+! e5 d4",
            "e4(R) e5 d4",
            "e4++ e5 d4",
            "e4$1 e5 d4",
            "Qa1xb2b3 ",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn the_first_small_byte_is_found() {
        for (bytes, place) in [
            (*b"abcd,efg", 8),
            (*b"ab+d efg", 2),
            (*b"+bcdefgh", 0),
            ([0xff; 8], 8),
        ] {
            let found = below(u64::from_le_bytes(bytes), b',').trailing_zeros() / 8;
            assert_eq!(found, place, "{bytes:?}");
        }
    }
}
