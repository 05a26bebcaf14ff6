//! The table of moves of a position that several games have.
//!
//! First, the positions after all legal moves are found in the index. If a node of one of them is one move below a node
//! of the position itself, its games have played the move. The index also has the move where a single game parts from
//! all others, so hardly any game is decoded.

use std::ops::Range;

use super::super::table::{MoveRow, MovesTable};
use super::super::tally::Tally;
use super::super::wanted::Pattern;
use super::Index;
use super::keys::{key_of, key_with};
use super::shared::IndexNode;
use crate::kept::Damaged;
use chessdb::board::{Move, Position, RunningKey, Undo};

/// A row under construction.
struct UnfinishedRow {
    mv: Option<Move>,
    /// The nodes of each shared position whose stored bits match the position after the move.
    after: Vec<Vec<IndexNode>>,
    /// The index in `after` of the position that certainly follows the move.
    known: Option<usize>,
    tally: Tally,
    /// The first game where the move was played.
    game: Option<u32>,
}

/// The games of a node one move below a node of the position, and the index of the row of this move.
type Played = (Range<u32>, usize);

impl Index {
    /// The table of moves of a position with these nodes.
    pub(super) fn table(&self, pattern: &Pattern, nodes: &[IndexNode]) -> Result<MovesTable, Damaged> {
        let (mut rows, are_distinct) = self.rows(pattern.position())?;
        let mut played = if are_distinct {
            played(&mut rows, nodes)
        } else {
            Vec::new()
        };
        played.sort_unstable_by_key(|(range, _)| range.start);
        let mut played = played.into_iter().peekable();
        let (mut parts, mut unknown) = (Vec::new(), Vec::new());
        for node in nodes {
            let mut place = node.lo;
            while place < node.hi {
                while played.next_if(|(range, _)| range.start < place).is_some() {}
                let (range, row) = match played.next_if(|(range, _)| range.start == place) {
                    Some((range, row)) => (place..range.end.min(node.hi), Some(row)),
                    None => {
                        let end = self.next_below(place + 1, node.hi, node.depth + 2)?;
                        let range = place..end.unwrap_or(node.hi);
                        unknown.push((*node, range.clone()));
                        (range, None)
                    }
                };
                place = range.end;
                parts.push((range, row));
            }
        }
        let mut moves = self.next_moves(&unknown)?.into_iter();
        for (range, row) in parts {
            let row = match row {
                Some(row) => row,
                None => self.row_of(&mut rows, moves.next().flatten(), pattern)?,
            };
            self.add_games(&mut rows[row], range, pattern)?;
        }
        // Games are read in database order.
        let mut rows = rows
            .into_iter()
            .map(|row| Ok((self.asked_by(&row)?, row)))
            .collect::<Result<Vec<_>, Damaged>>()?;
        rows.sort_by(|(one, _), (other, _)| one.cmp(other));
        let mut table = Vec::new();
        for (_, row) in rows {
            table.extend(self.finish(row, pattern)?);
        }
        Ok(MovesTable::new(table))
    }

    /// The games to read for the table of a shared position, apart from some that leave the others. Each has the
    /// number of moves to follow.
    pub(super) fn asked_for(&self, pattern: &Pattern) -> Result<Vec<(u32, u32)>, Damaged> {
        let mut asked = Vec::new();
        for nodes in self.nodes_by_key(key_of(pattern.position()))? {
            asked.extend(self.reader_of(&nodes)?);
            let (mut rows, are_distinct) = self.rows(pattern.position())?;
            if are_distinct {
                played(&mut rows, &nodes);
            }
            for row in &rows {
                asked.extend(self.asked_by(row)?);
            }
        }
        Ok(asked)
    }

    /// The games that are read to find the position after the move of a row.
    fn asked_by(&self, row: &UnfinishedRow) -> Result<Vec<(u32, u32)>, Damaged> {
        let is_asked = row.known.is_none() && row.mv != Some(Move::Null);
        let after = row.after.iter().filter(|_| is_asked);
        after
            .filter_map(|nodes| self.reader_of(nodes).transpose())
            .collect()
    }

    /// A row for each move that is possible in a position. Also returns true if the stored bits of the positions
    /// after these moves all differ.
    fn rows(&self, position: &Position) -> Result<(Vec<UnfinishedRow>, bool), Damaged> {
        let running = RunningKey::new(position);
        let moves = position.legal_moves().into_iter().chain([Move::Null]);
        let moves = moves.filter_map(|mv| Some((mv, key_after(position, running, mv)?)));
        let (moves, mut keys): (Vec<Move>, Vec<u64>) = moves.unzip();
        let after = self.nodes_by_keys(&keys)?;
        let rows = moves.into_iter().zip(after);
        let rows = rows
            .map(|(mv, after)| UnfinishedRow::new(Some(mv), after))
            .collect();
        for key in &mut keys {
            *key >>= 32 - self.sections.bucket_bits();
        }
        keys.sort_unstable();
        let are_distinct = keys.windows(2).all(|two| two[0] != two[1]);
        Ok((rows, are_distinct))
    }

    /// The index of the row of a move, which is added if it is missing; `None` for the games that end.
    fn row_of(
        &self,
        rows: &mut Vec<UnfinishedRow>,
        mv: Option<Move>,
        pattern: &Pattern,
    ) -> Result<usize, Damaged> {
        if let Some(place) = rows.iter().position(|row| row.mv == mv) {
            return Ok(place);
        }
        let position = pattern.position();
        let key = mv.and_then(|mv| key_after(position, RunningKey::new(position), mv));
        let after = key.map_or(Ok(Vec::new()), |key| self.nodes_by_key(key))?;
        rows.push(UnfinishedRow::new(mv, after));
        Ok(rows.len() - 1)
    }

    /// Adds the games at some places to a row.
    fn add_games(
        &self,
        row: &mut UnfinishedRow,
        range: Range<u32>,
        pattern: &Pattern,
    ) -> Result<(), Damaged> {
        let mover = pattern.position().turn();
        self.facts_in(&range)?
            .for_each(|facts| row.tally.add(facts, mover));
        let first = self.first_in(range)?;
        row.game = row.game.into_iter().chain(first).min();
        Ok(())
    }

    /// The complete row; `None` for a move that was not played, unless several games have the position after it. If
    /// that position is not shared, only the game that played the move has it.
    fn finish(&self, row: UnfinishedRow, pattern: &Pattern) -> Result<Option<MoveRow>, Damaged> {
        let is_played = row.tally.games > 0;
        if !is_played && (row.after.is_empty() || row.mv == Some(Move::Null)) {
            return Ok(None);
        }
        let mut after = row.known.and_then(|known| row.after.get(known));
        if after.is_none()
            && let Some(wanted) = row.mv.and_then(|mv| pattern.after(mv))
        {
            for nodes in &row.after {
                if self.have(nodes, &wanted)? {
                    after = Some(nodes);
                }
            }
        }
        let reached = after.map(|nodes| self.number_of(nodes)).transpose()?;
        if !is_played && reached.is_none_or(|reached| reached < 2) {
            return Ok(None);
        }
        let game = match (row.game, after) {
            (None, Some(nodes)) => self.first_of(nodes)?,
            (game, _) => game,
        };
        Ok(Some(MoveRow {
            reached: reached.unwrap_or(row.tally.games),
            tally: row.tally,
            game,
            ..MoveRow::new(pattern.position(), row.mv)
        }))
    }
}

impl UnfinishedRow {
    fn new(mv: Option<Move>, after: Vec<Vec<IndexNode>>) -> UnfinishedRow {
        UnfinishedRow {
            mv,
            after,
            known: None,
            tally: Tally::default(),
            game: None,
        }
    }
}

/// The games that played each row's move, found through nodes. The stored bits of the positions after the moves must
/// all differ: a node one move below the position then belongs to the move whose bits it has.
fn played(rows: &mut [UnfinishedRow], nodes: &[IndexNode]) -> Vec<Played> {
    let is_below = |node: &IndexNode| {
        let above = nodes.get(nodes.partition_point(|above| above.hi <= node.lo));
        above.is_some_and(|above| above.lo <= node.lo && above.depth + 1 == node.depth) && node.lo < node.hi
    };
    let mut played = Vec::new();
    for (place, row) in rows.iter_mut().enumerate() {
        for (number, nodes) in row.after.iter().enumerate() {
            for node in nodes.iter().filter(|node| is_below(node)) {
                played.push((node.lo..node.hi, place));
                row.known = Some(number);
            }
        }
    }
    played
}

/// The key of the position after a move; `None` if the move is illegal.
fn key_after(position: &Position, mut running: RunningKey, mv: Move) -> Option<u64> {
    let (mut after, mut undo) = (*position, Undo::default());
    after.advance(mv, &mut undo).ok()?;
    running.follow(&undo, &after);
    Some(key_with(running, &after))
}
