//! Splitting a file into records in one pass, independent of board and notation (sections 2.5 to 2.7).

use super::items::{Item, Items, Text, is_glyph, is_halfmove, outcome};
use crate::files::SourceFile;
use crate::game::Outcome;

/// Properties of a record that this pass determines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Record {
    pub(super) start: usize,
    pub(super) end: usize,
    /// Number of bytes of half-moves, including prefixes.
    pub(super) halfmoves: usize,
    pub(super) outcome: Outcome,
    /// True if it contains a header or half-moves. Otherwise it is not a game.
    pub(super) is_game: bool,
    /// True if every text in it has its closing 00.
    pub(super) is_closed: bool,
}

/// Splits a file into records, and reports texts that may be headers, so that a single pass is enough.
pub(super) struct Records<'a> {
    items: Items<'a>,
    len: usize,
    /// The long holes of the file, which are skipped.
    file: Option<&'a SourceFile>,
    /// Offset of the next long hole.
    gap: usize,
}

/// State of the current record for the rules of section 2.5.
#[derive(Clone, Copy, Default)]
struct State {
    /// True after an item other than a text.
    moved: bool,
    /// True after a text tagged W before any such item.
    white: bool,
    /// True after a result.
    done: bool,
}

impl<'a> Records<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Records<'a> {
        Records {
            items: Items::new(bytes),
            len: bytes.len(),
            file: None,
            gap: usize::MAX,
        }
    }

    /// The records of a file. No record extends over a long hole, and the records end when the file is lost.
    pub(super) fn of(file: &'a SourceFile) -> Records<'a> {
        let mut records = Records {
            file: Some(file),
            ..Records::new(&file.bytes)
        };
        records.gap = file.bytes.gaps().first().map_or(usize::MAX, |gap| gap.start);
        records
    }

    /// Continues after the long hole at the current offset.
    fn pass_gap(&mut self) {
        let gaps = self.file.map(|file| file.bytes.gaps()).unwrap_or_default();
        let here = gaps.partition_point(|gap| gap.start < self.gap);
        self.items.at = gaps.get(here).map_or(self.len, |gap| gap.end.max(self.items.at));
        self.gap = gaps.get(here + 1).map_or(usize::MAX, |gap| gap.start);
    }

    fn is_lost(&self) -> bool {
        self.file.is_some_and(|file| file.bytes.is_lost())
    }

    /// The next record. `opening` receives the texts before its first item of another kind, with their
    /// offsets.
    pub(super) fn next(&mut self, mut opening: impl FnMut(Text<'a>, usize)) -> Option<Record> {
        while self.items.at >= self.gap {
            self.pass_gap();
        }
        if self.is_lost() {
            return None;
        }
        let start = self.items.at;
        let mut record = Record {
            start,
            end: start,
            is_closed: true,
            ..Record::default()
        };
        let mut state = State::default();
        loop {
            let before = self.items;
            if before.at >= self.gap {
                break;
            }
            let Some(item) = self.items.next() else { break };
            if before.at > start && self.begins_record(item, state) {
                self.items = before;
                break;
            }
            match item {
                Item::Byte(byte) => {
                    state.moved = true;
                    let is_halfmove = is_halfmove(byte);
                    record.halfmoves += usize::from(is_halfmove);
                    record.is_game |= is_halfmove;
                    if let Some(outcome) = outcome(byte) {
                        state.done = true;
                        record.outcome = outcome;
                    }
                }
                // A file that was truncated under the map reads as zeros, which are empty texts.
                Item::Text(text) if text.bytes.is_empty() && self.is_lost() => break,
                Item::Text(text) => {
                    record.is_closed &= text.is_closed;
                    if !state.moved {
                        let tag = text.tag();
                        record.is_game |= tag.is_some();
                        state.white |= tag == Some(b'W');
                        opening(text, before.at + 1);
                    }
                }
            }
        }
        record.end = self.items.at;
        (record.end > start).then_some(record)
    }

    /// True if the item just read is the first of a new record.
    #[inline]
    fn begins_record(&self, item: Item<'_>, state: State) -> bool {
        match item {
            Item::Byte(byte) => state.done && !is_glyph(byte),
            Item::Text(text) if state.done => {
                let is_last_remark = text.is_closed && self.items.at == self.len;
                text.tag().is_some() && !is_last_remark
            }
            Item::Text(text) => {
                // The next text is tagged B: its opening 00 and its letter.
                (state.moved || state.white)
                    && text.tag() == Some(b'W')
                    && self.items.rest().starts_with(b"\0B")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn starts(bytes: &[u8]) -> Vec<usize> {
        let mut records = Records::new(bytes);
        std::iter::from_fn(|| records.next(|_, _| {}))
            .map(|record| record.start)
            .collect()
    }

    #[test]
    fn a_result_and_its_annotations_end_a_record() {
        assert_eq!(starts(b"\x2c\x02\x07\0good\0\x2c\x01"), [0, 9]);
        assert_eq!(starts(b"\x2c\x02\0Wa\0\x2c"), [0, 2]);
        // The last text of the file is a comment, even if it begins like a header.
        assert_eq!(starts(b"\x2c\x02\0White resigned\0"), [0]);
        assert_eq!(starts(b"\x2c\x02\0White resigned"), [0, 2]);
        assert_eq!(starts(b"\x02\x02\x02"), [0, 1, 2]);
    }

    #[test]
    fn without_a_result_both_names_begin_a_record() {
        assert_eq!(starts(b"\0Wa\0\0Bb\0\x2c\0Wc\0\0Bd\0\x2c"), [0, 9]);
        assert_eq!(starts(b"\0Wa\0\0Bb\0\0Wc\0\0Bd\0"), [0, 8]);
        assert_eq!(starts(b"\0Wa\0\0Bb\0\0White to move\0\x2c"), [0]);
        assert_eq!(starts(b"\x2c\0Wc\0\x2c\0Bd\0"), [0]);
    }

    #[test]
    fn only_headers_and_half_moves_make_a_game() {
        let is_game = |bytes| Records::new(bytes).next(|_, _| {}).unwrap().is_game;
        assert!(is_game(b"\0W\0"));
        assert!(is_game(b"\x04"));
        assert!(!is_game(b"\0\0\0\0"));
        assert!(!is_game(b"\x06\x07\0White\0"));
        assert!(!is_game(b"\x03"));
        assert!(!is_game(b"\0good\0\x03"));
    }
}
