//! Finds out which records are games and which are guiding texts.
//!
//! A database does not store the numbers of either, so all records are read: in a short file when it is opened, in a
//! long file when a number is first needed.

use std::sync::OnceLock;

use crate::database::Rows;
use crate::files::SourceFile;
use crate::problem::Problem;

/// Maximum number of records that are read when a file is opened, because opening must not take long.
const MANY: u32 = 1 << 16;

/// The kind of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::formats) enum Kind {
    Game,
    Text,
    Unused,
}

/// Returns the kind of the record at a place, from 0; `None` beyond the end of the file.
pub(in crate::formats) type KindAt = fn(&[u8], usize) -> Option<Kind>;

/// The numbers of games and of texts.
#[derive(Debug)]
pub(in crate::formats) struct Numbering {
    rows: Rows,
    kind_at: KindAt,
    /// Size of a record.
    record: usize,
    /// Number of records that the header gives.
    given: u32,
    /// Set when all records have been read. It contains `None` if the file was changed before that.
    counted: OnceLock<Option<Counted>>,
}

/// The result of reading all records.
#[derive(Debug, Default)]
struct Counted {
    games: u32,
    /// Pairs: from this game on, this number of records before it are not games.
    passed: Vec<(u32, u32)>,
    /// Numbers of the rows that are texts.
    texts: Vec<u32>,
    /// The place of the first unused record among those that the header gives, and the number of such records.
    unused: Option<(usize, u32)>,
}

impl Numbering {
    /// The numbering of a file if its header is as long as a record and states this number of records.
    pub(in crate::formats) fn new(cbh: &SourceFile, record: usize, kind_at: KindAt, given: u32) -> Numbering {
        let numbering = Numbering {
            rows: Rows::new(cbh, record, record, u32::MAX as usize),
            kind_at,
            record,
            given,
            counted: OnceLock::new(),
        };
        if !numbering.is_long() {
            numbering.counted(cbh);
        }
        numbering
    }

    /// Number of games; the number of records if the file was changed before they were counted.
    pub(in crate::formats) fn games(&self, cbh: &SourceFile) -> u32 {
        self.counted(cbh).map_or(self.rows.len(), |counted| counted.games)
    }

    /// True for a file so long that reading all of it takes a while.
    pub(in crate::formats) fn is_long(&self) -> bool {
        self.rows.len() > MANY
    }

    /// The number of all records, until the games among them are counted; then `None`.
    pub(in crate::formats) fn uncounted(&self) -> Option<u32> {
        let is_counted = self.counted.get().is_some_and(Option::is_some);
        (!is_counted).then(|| self.rows.len())
    }

    /// The place of a game's record in the file, from 0.
    pub(in crate::formats) fn place(&self, cbh: &SourceFile, game: u32) -> Option<usize> {
        let counted = self.counted(cbh)?;
        if game >= counted.games {
            return None;
        }
        let after = counted.passed.partition_point(|&(first, _)| first <= game);
        let last = after.checked_sub(1).and_then(|last| counted.passed.get(last));
        let passed = last.map_or(0, |&(_, passed)| passed);
        Some(self.rows.place(game.saturating_add(passed)))
    }

    /// The places of guiding texts in the file, from 0.
    pub(in crate::formats) fn texts(&self, cbh: &SourceFile) -> impl Iterator<Item = usize> {
        let texts = self.counted(cbh).map(|counted| &*counted.texts);
        texts.unwrap_or_default().iter().map(|&row| self.rows.place(row))
    }

    /// The problem of a file with unused records among those that its header gives. ChessBase removes no record, so
    /// the contents of unused records are lost.
    pub(in crate::formats) fn lost(&self, cbh: &SourceFile) -> Option<Problem> {
        let (first, count) = self.counted(cbh)?.unused?;
        let at = first.saturating_add(1).saturating_mul(self.record) as u64;
        let what = match count {
            1 => "a record has only zeros: its game or text is lost".to_owned(),
            _ => format!("{count} records have only zeros: their games or texts are lost"),
        };
        Some(Problem::damage(&cbh.name, at, what))
    }

    /// The counts of the file as it was opened; `None` if it was changed before they were complete.
    fn counted(&self, cbh: &SourceFile) -> Option<&Counted> {
        let count = || Some(self.count(cbh)).filter(|_| cbh.bytes.is_intact());
        self.counted.get_or_init(count).as_ref()
    }

    fn count(&self, cbh: &SourceFile) -> Counted {
        let mut counted = Counted::default();
        let mut passed = 0;
        for row in cbh.numbers(self.rows.len()) {
            let place = self.rows.place(row);
            match (self.kind_at)(&cbh.bytes, place) {
                Some(Kind::Game) => {
                    counted.games += 1;
                    continue;
                }
                Some(Kind::Text) => counted.texts.push(row),
                Some(Kind::Unused) => {
                    if place < self.given as usize {
                        counted.unused.get_or_insert((place, 0)).1 += 1;
                    }
                }
                None => break,
            }
            passed += 1;
            match counted.passed.last_mut() {
                Some((first, count)) if *first == counted.games => *count = passed,
                _ => counted.passed.push((counted.games, passed)),
            }
        }
        counted.passed.shrink_to_fit();
        counted.texts.shrink_to_fit();
        counted
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::Bytes;
    use std::ops::Deref;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    const RECORD: usize = 46;

    fn kind_at(file: &[u8], place: usize) -> Option<Kind> {
        Some(match file.get(RECORD * (place + 1))? {
            0 => Kind::Unused,
            byte if byte & 2 != 0 => Kind::Text,
            _ => Kind::Game,
        })
    }

    fn numbering(cbh: &SourceFile) -> Numbering {
        Numbering::new(cbh, RECORD, kind_at, 6)
    }

    #[test]
    fn texts_and_unused_records_have_no_number() {
        let kinds = [1, 3, 3, 0x81, 0, 1, 3, 0];
        let mut bytes = vec![0; RECORD * (kinds.len() + 1)];
        for (place, kind) in (1..).zip(kinds) {
            bytes[RECORD * place] = kind;
        }
        let cbh = SourceFile {
            name: String::new(),
            bytes: Arc::new(bytes),
        };
        let numbering = numbering(&cbh);
        assert_eq!(numbering.games(&cbh), 3);
        let places: Vec<_> = (0..4).map(|game| numbering.place(&cbh, game)).collect();
        assert_eq!(places, [Some(0), Some(3), Some(5), None]);
        assert_eq!(numbering.texts(&cbh).collect::<Vec<_>>(), [1, 2, 6]);
        // Records beyond the number in the header are not lost.
        let lost = numbering.lost(&cbh).unwrap();
        assert_eq!(lost.offset, Some(5 * RECORD as u64));
        assert!(lost.what.starts_with("a record has only zeros"), "{lost}");
    }

    /// Bytes of a file that is changed.
    #[derive(Debug)]
    struct Changing(Vec<u8>, AtomicBool);

    impl Deref for Changing {
        type Target = [u8];

        fn deref(&self) -> &[u8] {
            &self.0
        }
    }

    impl Bytes for Changing {
        fn is_intact(&self) -> bool {
            !self.1.load(Ordering::Relaxed)
        }
    }

    #[test]
    fn nothing_is_counted_in_a_file_that_was_changed() {
        for records in [MANY, MANY + 1] {
            let bytes = Arc::new(Changing(
                vec![3; RECORD * (records as usize + 1)],
                AtomicBool::new(false),
            ));
            let cbh = SourceFile {
                name: String::new(),
                bytes: bytes.clone(),
            };
            let numbering = numbering(&cbh);
            bytes.1.store(true, Ordering::Relaxed);
            // A short file was counted when it was opened.
            let (games, most) = if numbering.is_long() {
                (records, Some(records))
            } else {
                (0, None)
            };
            assert_eq!((numbering.games(&cbh), numbering.uncounted()), (games, most));
            assert_eq!(numbering.place(&cbh, 0), None);
            assert_eq!(numbering.texts(&cbh).count() == 0, most.is_some());
        }
    }

    #[test]
    fn records_of_a_long_file_are_counted_when_a_number_is_needed() {
        for records in [MANY, MANY + 1] {
            let mut bytes = vec![1; RECORD * (records as usize + 1)];
            bytes[RECORD] = 3;
            let cbh = SourceFile {
                name: String::new(),
                bytes: Arc::new(bytes),
            };
            let numbering = numbering(&cbh);
            let is_long = records > MANY;
            assert_eq!(numbering.uncounted(), is_long.then_some(records));
            assert_eq!(numbering.games(&cbh), records - 1);
            assert_eq!((numbering.is_long(), numbering.uncounted()), (is_long, None));
        }
    }
}
