//! The `.cbi`: 32-bit words that lead from the number of a game to its record (section 2).
//!
//! | word | value |
//! |---|---|
//! | 0 | number of games + 1 |
//! | g = 1..n | offset of game g in the `.cbf` + g + 1 |
//! | n + 1 | end of the `.cbf` + n + 2 |

use super::header::Header;
use crate::bytes::be_u32;
use crate::formats::rows::Rows;
use crate::formats::{Problem, SourceFile};

/// Where the records stand.
pub(super) enum Index {
    /// By an index file: the words after the first, but for the end mark and what follows it.
    File { file: SourceFile, rows: Rows },
    /// By walking the records, for want of a usable index.
    Walked(Vec<u32>),
}

impl Index {
    /// Reads the number of games (section 2.4), or walks the records where there is no usable index (2.5).
    pub(super) fn open(cbi: Option<&SourceFile>, cbf: &SourceFile, problems: &mut Vec<Problem>) -> Index {
        let unusable = match cbi {
            Some(cbi) if cbi.bytes.len() >= 8 => {
                let len = count(cbi, cbf.bytes.len(), problems);
                return Index::File {
                    rows: Rows::of(cbi, 4, 4, len as usize),
                    file: cbi.clone(),
                };
            }
            Some(cbi) => format!("the index {} holds less than two words", cbi.name),
            None => "there is no index (.cbi)".to_owned(),
        };
        let (offsets, stop) = walk(&cbf.bytes);
        let stopped = stop < cbf.bytes.len();
        let what = if stopped {
            format!("{unusable}: games found by walking the records, up to this offset")
        } else {
            format!("{unusable}: games found by walking the records")
        };
        problems.push(Problem::damage(
            cbf.name.clone(),
            stopped.then_some(stop as u64),
            what,
        ));
        Index::Walked(offsets)
    }

    /// Number of games.
    pub(super) fn len(&self) -> u32 {
        match self {
            Index::File { rows, .. } => rows.len(),
            Index::Walked(offsets) => u32::try_from(offsets.len()).unwrap_or(u32::MAX),
        }
    }

    /// Where the record of a game begins, games counted from 0. It may be anywhere, also outside the file: a
    /// negative offset wraps around and is after every end.
    pub(super) fn offset(&self, game: u32) -> u32 {
        let offset = match self {
            Index::File { file, rows } => {
                let game = u32::try_from(rows.place(game)).unwrap_or(u32::MAX);
                word(file, game.saturating_add(1)).map(|word| word.wrapping_sub(game).wrapping_sub(2))
            }
            Index::Walked(offsets) => offsets.get(game as usize).copied(),
        };
        offset.unwrap_or(u32::MAX)
    }

    /// The numbers of all games, until the index is lost.
    pub(super) fn games(&self) -> Box<dyn Iterator<Item = u32> + '_> {
        match self {
            Index::File { file, rows } => Box::new(file.numbers(rows.len())),
            Index::Walked(_) => Box::new(0..self.len()),
        }
    }

    pub(super) fn describe(&self) -> &'static str {
        match self {
            Index::File { .. } => "the .cbi",
            Index::Walked(_) => "none: games found by walking the records",
        }
    }
}

fn word(file: &SourceFile, number: u32) -> Option<u32> {
    be_u32(&file.bytes, (number as usize).checked_mul(4)?)
}

/// Number of games of an index file, with a row for each oddity (section 2.4).
fn count(cbi: &SourceFile, cbf_len: usize, problems: &mut Vec<Problem>) -> u32 {
    let words = u32::try_from(cbi.bytes.len() / 4).unwrap_or(u32::MAX);
    let mut report = |offset: u64, what: String| {
        problems.push(Problem::damage(cbi.name.clone(), offset, what));
    };
    let left_over = cbi.bytes.len() % 4;
    if left_over > 0 {
        let at = u64::from(words) * 4;
        report(at, format!("{left_over} bytes behind the last word are ignored"));
    }
    match word(cbi, 0).unwrap_or(0) {
        0 => {
            report(0, "the index gives no number of games".to_owned());
            words.saturating_sub(2)
        }
        stored if stored > words => {
            report(
                0,
                format!("the index counts {} games and has {words} words", stored - 1),
            );
            let last = words.saturating_sub(1);
            let end_mark = word(cbi, last).map(|word| word.wrapping_sub(last).wrapping_sub(1));
            let is_end = end_mark.is_some_and(|end| end as usize == cbf_len);
            last.saturating_sub(u32::from(is_end))
        }
        stored => {
            if stored == words {
                report(
                    u64::from(words) * 4,
                    "the end mark of the index is missing".to_owned(),
                );
            }
            stored - 1
        }
    }
}

/// Records one after another from the start of the file, and where they end (section 2.5).
fn walk(cbf: &[u8]) -> (Vec<u32>, usize) {
    let mut offsets = Vec::new();
    let mut at = 0;
    while let Some(rest) = cbf.get(at..)
        && let Some(coded) = rest.first_chunk()
        && let Ok(offset) = u32::try_from(at)
    {
        let header = Header::new(*coded);
        if header.mlen == 0 || !header.is_checksum_good || header.record_len() > rest.len() {
            break;
        }
        offsets.push(offset);
        at += header.record_len();
    }
    (offsets, at)
}
