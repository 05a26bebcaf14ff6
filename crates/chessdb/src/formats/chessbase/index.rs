//! The `.cbi`: 32-bit words that map the number of a game to its record (section 2).
//!
//! | word | value |
//! |---|---|
//! | 0 | number of games + 1 |
//! | g = 1..n | offset of game g in the `.cbf` + g + 1 |
//! | n + 1 | end of the `.cbf` + n + 2 |

use super::walk::{Walk, walk};
use crate::bytes::be_u32;
use crate::database::Rows;
use crate::files::{Files, SourceFile};
use crate::problem::Problem;

/// Where the records are.
pub(super) enum Index {
    /// In an index file. The rows are the words after the first one, without the end mark and the words after it.
    File { file: SourceFile, rows: Rows },
    /// Found by walking through the records, because there is no usable index.
    Walked(Walk),
}

impl Index {
    /// Reads the number of games (section 2.4), or walks the records if the index cannot be used (2.5).
    pub(super) fn open(files: &Files, cbf: &SourceFile, problems: &mut Vec<Problem>) -> Index {
        let name = files.name_beside(cbf, "cbi");
        let unusable = match files.get("cbi") {
            Some(cbi) if cbi.bytes.len() >= 8 => {
                let len = count(cbi, cbf.bytes.len(), problems);
                return Index::File {
                    rows: Rows::new(cbi, 4, 4, len as usize),
                    file: cbi.clone(),
                };
            }
            Some(_) => format!("the file {name}, which says where each game begins, is too short"),
            None => format!("the file {name}, which says where each game begins, is missing"),
        };
        let walk = walk(cbf);
        let mut what = format!("{unusable}, so the games were searched for in the .cbf");
        if walk.first_gap.is_some() {
            what.push_str("; from this byte on there is something other than games, so some may be missing");
        }
        let offset = walk.first_gap.map(u64::from);
        problems.push(Problem::damage(cbf.name.clone(), offset, what));
        Index::Walked(walk)
    }

    /// Number of games.
    pub(super) fn len(&self) -> u32 {
        match self {
            Index::File { rows, .. } => rows.len(),
            Index::Walked(walk) => u32::try_from(walk.offsets.len()).unwrap_or(u32::MAX),
        }
    }

    /// The offset of a game's record, by the number of the game from 0. It may be outside the file: a
    /// negative offset wraps around to one beyond any end.
    pub(super) fn offset(&self, game: u32) -> u32 {
        let offset = match self {
            Index::File { file, rows } => {
                let game = u32::try_from(rows.place(game)).unwrap_or(u32::MAX);
                word(file, game.saturating_add(1)).map(|word| word.wrapping_sub(game).wrapping_sub(2))
            }
            Index::Walked(walk) => walk.offsets.get(game as usize).copied(),
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

    /// The name of the index file; none without one.
    pub(super) fn file_name(&self) -> &str {
        match self {
            Index::File { file, .. } => &file.name,
            Index::Walked(_) => "the index",
        }
    }

    pub(super) fn describe(&self) -> String {
        match self {
            Index::File { .. } => "the .cbi".to_owned(),
            Index::Walked(walk) if walk.records_after_gaps == 0 => {
                "none: the games were searched for in the .cbf".to_owned()
            }
            Index::Walked(walk) => format!(
                "none: the games were searched for in the .cbf, and {} of them found after something other than games",
                walk.records_after_gaps
            ),
        }
    }
}

fn word(file: &SourceFile, number: u32) -> Option<u32> {
    be_u32(&file.bytes, (number as usize).checked_mul(4)?)
}

/// Number of games in an index file. Reports oddities (section 2.4).
fn count(cbi: &SourceFile, cbf_len: usize, problems: &mut Vec<Problem>) -> u32 {
    let words = u32::try_from(cbi.bytes.len() / 4).unwrap_or(u32::MAX);
    let mut report = |offset: u64, what: String| {
        problems.push(Problem::damage(cbi.name.clone(), offset, what));
    };
    let left_over = cbi.bytes.len() % 4;
    if left_over > 0 {
        let at = u64::from(words) * 4;
        report(at, format!("{left_over} bytes after the last word are ignored"));
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
