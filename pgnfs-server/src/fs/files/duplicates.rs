//! `duplicates.csv`

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::ops::{ControlFlow, Range};

use crate::fs::branch::BranchFs;
use crate::fs::part::PartFs;
use crate::tree::GameSet;
use chessdb::game::Tags;
use chessdb_library::duplicates::{Duplicates, Reason};
use chessdb_library::library::tags_of;
use chessdb_library::parallel::in_order;
use chessdb_library::table::{DuplicateRow, GamePath};

/// Rows that are made together.
const PIECE: usize = 64;

/// Approximate number of bytes of tags that are read ahead.
const AHEAD: usize = 8 << 20;

/// Writes the table. On first use, searches for duplicates.
///
/// # Errors
/// If writing fails.
pub(super) fn write_duplicates(branch: &BranchFs, out: &mut impl Write) -> io::Result<()> {
    let found = FoundDuplicates {
        duplicates: branch.game_set().duplicates(),
        parts: &branch.parts(),
        branch: branch.game_set(),
    };
    let pieces = found.duplicates.len().div_ceil(PIECE).max(1);
    let rows = |pieces: Range<u32>| {
        let tags = found.tags_of(pieces.clone().flat_map(rows_of));
        let mut rows = Vec::new();
        pieces.for_each(|piece| found.append_piece(&mut rows, piece, &tags));
        rows
    };
    let mut written = Ok(());
    let _ = in_order(pieces as u32, branch.threads(), rows, |rows| {
        written = out.write_all(&rows);
        if written.is_ok() {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    });
    written
}

/// Duplicates, and the databases that their games belong to.
struct FoundDuplicates<'a> {
    duplicates: &'a Duplicates,
    parts: &'a [PartFs<'a>],
    branch: &'a GameSet,
}

impl FoundDuplicates<'_> {
    /// Appends the rows of a piece. `ahead` are tags of some of their games.
    fn append_piece(&self, out: &mut Vec<u8>, piece: u32, ahead: &BTreeMap<u32, Tags>) {
        let has_database = self.parts.iter().any(|part| part.path.is_some());
        if piece == 0 {
            out.extend_from_slice(DuplicateRow::header(has_database).as_bytes());
        }
        let tags = |game| match ahead.get(&game) {
            Some(tags) => Cow::Borrowed(tags),
            None => Cow::Owned(self.tags(game)),
        };
        let mut best_tags: Option<(u32, Cow<'_, Tags>)> = None;
        for n in rows_of(piece) {
            let Some((group, best, duplicate)) = self.duplicates.get(n) else {
                return;
            };
            if best_tags.as_ref().is_none_or(|&(game, _)| game != best.game) {
                best_tags = Some((best.game, tags(best.game)));
            }
            let own_tags = (duplicate.game != best.game).then(|| tags(duplicate.game));
            let (place, game) = self.branch.place_of(duplicate.game);
            let (Some(part), Some((_, best_tags))) = (self.parts.get(place), &best_tags) else {
                return;
            };
            let database = part.path.unwrap_or_default();
            let folder = match database {
                "" => String::new(),
                path => format!("{path}/"),
            };
            let row = DuplicateRow {
                place: GamePath {
                    database,
                    folder: &folder,
                    game,
                    digits: part.database.indexed().digits(),
                },
                group: group as u32,
                plies: duplicate.plies,
                annotations: duplicate.annotations,
                tags: own_tags.as_deref().unwrap_or(best_tags),
                best: own_tags.as_ref().map(|_| &**best_tags),
                reason: duplicate.reason.map_or("", Reason::name),
            };
            row.append(out, has_database);
        }
    }

    /// The tags of the games of some rows, as far as [`AHEAD`] allows.
    fn tags_of(&self, rows: impl Iterator<Item = usize>) -> BTreeMap<u32, Tags> {
        let rows = rows.filter_map(|n| self.duplicates.get(n));
        let games = rows.flat_map(|(_, best, duplicate)| [best.game, duplicate.game]);
        read_ahead(games.collect(), AHEAD, |game| self.tags(game))
    }

    fn tags(&self, game: u32) -> Tags {
        let (place, game) = self.branch.place_of(game);
        let part = self.parts.get(place);
        part.map_or(Tags::default(), |part| {
            tags_of(&*part.database.entry().database, game)
        })
    }
}

/// The rows of a piece.
fn rows_of(piece: u32) -> Range<usize> {
    let first = piece as usize * PIECE;
    first..first + PIECE
}

/// Reads the tags of games in the order in which the games are stored, until they have about `most` bytes. In another
/// order, each game might unpack all that precedes it in a compressed file.
fn read_ahead(games: BTreeSet<u32>, most: usize, read: impl Fn(u32) -> Tags) -> BTreeMap<u32, Tags> {
    let mut bytes = 0;
    let next = |game| {
        (bytes < most).then(|| {
            let tags = read(game);
            bytes += tags
                .iter()
                .map(|(name, value)| name.len() + value.len())
                .sum::<usize>();
            (game, tags)
        })
    };
    games.into_iter().map_while(next).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    #[test]
    fn tags_are_read_in_the_order_of_games_up_to_a_limit() {
        let read = RefCell::new(Vec::new());
        let tags = |game: u32| {
            read.borrow_mut().push(game);
            let mut tags = Tags::default();
            tags.set("White", game.to_string());
            tags
        };
        let games = || BTreeSet::from([70, 10, 90, 30, 10, 50]);
        let all = read_ahead(games(), usize::MAX, tags);
        assert_eq!(read.take(), [10, 30, 50, 70, 90]);
        assert_eq!(all.get(&90).and_then(|tags| tags.get("White")), Some("90"));
        let one: usize = tags(10)
            .iter()
            .map(|(name, value)| name.len() + value.len())
            .sum();
        read.take();
        assert_eq!(read_ahead(games(), 2 * one + 1, tags).len(), 3);
        assert_eq!(read.take(), [10, 30, 50]);
    }
}
