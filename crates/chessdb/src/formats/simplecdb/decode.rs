//! Decoding a game: items to tokens, and the handling of damage (sections 6.6 to 7.5).

use std::fmt::Write;

use super::SimpleCdb;
use super::body::{Item, Items, StoredMove};
use super::index::Entry;
use super::promotion::Promotions;
use super::record::{Damage, Parts, Record};
use crate::board::{Fen, Illegal, Move, Position, Square};
use crate::database::Decoded;
use crate::game::{Game, Movetext, Tags};
use crate::problem::Problem;
use crate::replay::{CountedLine, Fault, Limits, Origin, PlaceForm, Replay, Sink, Tree, Unplayed};
use crate::text::utf8_line;

/// The limits of section 7.5.
const LIMITS: Limits = Limits {
    depth: 255,
    moves: 65_535,
};

/// Decodes a game.
pub(super) fn game(database: &SimpleCdb, game: u32) -> Decoded {
    let entry = database.entry(game);
    let mut tags = database.header(&entry);
    let mut problems = Vec::new();
    if !matches!(entry.status, 0 | 0xff) {
        let file = database.index.file_name();
        let what = format!("unknown status {:02x}", entry.status);
        problems.push(Problem::doubt(file, entry.at as u64, what));
    }
    if entry.is_blank {
        let what = "the entry has only zeros";
        problems.push(Problem::damage(database.index.file_name(), entry.at as u64, what));
    }
    problems.extend(database.lost_texts(&entry));
    set_start(&mut tags, database, &entry);
    let (movetext, rest) = moves(database, &entry, database.promotions);
    problems.extend(rest);
    Decoded {
        game: Game { tags, movetext },
        problems,
    }
}

/// The moves of a game, and their problems, under a reading of the promotion codes.
pub(super) fn moves(database: &SimpleCdb, entry: &Entry, promotions: Promotions) -> (Movetext, Vec<Problem>) {
    let record = record(database, entry.offset);
    let (moves, _) = replay(database, record, promotions, Tree::beginning);
    moves
}

/// Sets the tags of the stored position, whether or not a game can be played from it.
pub(super) fn set_start(tags: &mut Tags, database: &SimpleCdb, entry: &Entry) {
    let record = database.records.record(entry.offset);
    match record.as_ref().map(Record::parts) {
        Ok(Ok(Parts { fen: Some(fen), .. })) => {
            tags.set_str("SetUp", "1");
            tags.set_str("FEN", &fen);
        }
        Ok(Err(_)) => tags.set_no_start(),
        Ok(Ok(_)) | Err(_) => {}
    }
}

/// Passes the moves of a game's main line to `sink`. Returns false if the end of the line depends on the
/// whole game.
pub(super) fn main_line(database: &SimpleCdb, game: u32, sink: CountedLine<'_>) -> bool {
    let record = record(database, database.entry(game).offset);
    // The limit of moves applies to all lines together.
    if record
        .as_ref()
        .is_ok_and(|(record, _)| record.bytes.len() > LIMITS.moves as usize)
    {
        return false;
    }
    let (_, is_certain) = replay(database, record, database.promotions, |_, _, _| sink);
    is_certain
}

/// The record at an offset of the game file, and its parts.
fn record(database: &SimpleCdb, offset: u64) -> Result<(Record<'_>, Parts), Damage> {
    let record = database.records.record(offset)?;
    let parts = record.parts()?;
    Ok((record, parts))
}

/// Replays a record. `sink` creates the sink from the start position, the number of the first move and an estimate of
/// the number of tokens. The second result is false if skipped variations may have ended the game.
fn replay<S: Sink>(
    database: &SimpleCdb,
    record: Result<(Record<'_>, Parts), Damage>,
    promotions: Promotions,
    sink: impl FnOnce(&Position, u32, usize) -> S,
) -> ((S::Output, Vec<Problem>), bool) {
    let origin = Origin {
        file: database.records.file_name(),
        place: PlaceForm::Hexadecimal(".dcg"),
    };
    let begun = record.and_then(|(record, parts)| {
        let (position, first_move) = match &parts.fen {
            None => (Position::initial(), 1),
            Some(fen) => {
                let fen = Fen::parse(fen).map_err(|error| Damage::new(record.start, error.to_string()))?;
                (fen.position, fen.first_move)
            }
        };
        Ok((record, parts.body, position, first_move))
    });
    match begun {
        Ok((record, body, position, first_move)) => {
            let sink = sink(&position, first_move, record.bytes.len() / 2);
            let mut body = Body {
                record,
                items: Items::new(record.bytes, body),
                replay: Replay::new(sink, position, (), LIMITS, origin),
                promotions,
                is_certain: true,
            };
            body.decode();
            (body.replay.finish(), body.is_certain)
        }
        Err(Damage { offset, reason }) => {
            let start = Position::initial();
            let mut replay = Replay::new(sink(&start, 1, 1), start, (), LIMITS, origin);
            replay.fault(offset, &Fault::Damage(reason));
            (replay.finish(), true)
        }
    }
}

/// A body being decoded.
struct Body<'a, S> {
    record: Record<'a>,
    items: Items<'a>,
    replay: Replay<'a, S>,
    promotions: Promotions,
    /// False if a skipped variation may have ended the game.
    is_certain: bool,
}

/// Whether decoding continues.
#[derive(PartialEq, Eq)]
enum Next {
    Item,
    End,
}

impl<'a, S: Sink> Body<'a, S> {
    fn decode(&mut self) {
        while !self.replay.is_done() {
            let at = self.items.at;
            if let Some(stored) = self.items.next_move() {
                if self.play_stored(stored, at) == Next::End {
                    return;
                }
                continue;
            }
            let next = match self.items.next() {
                Ok(Some(item)) => self.item(item, at),
                Ok(None) => self.end(),
                Err(bad) => self.stop(bad.at, &Fault::damage(bad.reason)),
            };
            if next == Next::End {
                return;
            }
        }
    }

    fn item(&mut self, item: Item<'a>, at: usize) -> Next {
        match item {
            Item::Move(stored) => return self.play_stored(stored, at),
            Item::NullMove => return self.play(Move::Null, at),
            Item::Start => return self.start_variation(at),
            Item::End if !self.replay.end_variation() => return self.stop(at, &Fault::StrayEnd),
            Item::Text(text) if S::WHOLE => self.replay.comment(&utf8_line(text)),
            Item::Nags(nags) => nags.iter().for_each(|&nag| self.replay.nag(nag)),
            Item::End | Item::Text(_) => {}
        }
        Next::Item
    }

    /// Plays a stored move. A king's step of two files from its home square is castling.
    #[inline(always)]
    fn play_stored(&mut self, stored: StoredMove, at: usize) -> Next {
        let (from, to) = (stored.from(), stored.to());
        if let Some(side) = stored.castling_step()
            && self.is_king_of_mover(from)
        {
            return self.play(Move::Castle(side), at);
        }
        match self.promotions.role(stored.promotion_code()) {
            Some(promotion) => self.play(Move::Normal { from, to, promotion }, at),
            None => self.unplayed(Unplayed::Illegal(Illegal::Promotion), at),
        }
    }

    fn is_king_of_mover(&self, square: Square) -> bool {
        let position = self.replay.position();
        position.king(position.turn()) == Some(square)
    }

    #[inline(always)]
    fn play(&mut self, mv: Move, at: usize) -> Next {
        match self.replay.play(mv) {
            Ok(()) => Next::Item,
            Err(unplayed) => self.unplayed(unplayed, at),
        }
    }

    /// Handles an illegal move, which ends its line. The remark contains the stored rest of the line (section 7.2).
    #[cold]
    fn unplayed(&mut self, unplayed: Unplayed, at: usize) -> Next {
        let Unplayed::Illegal(_) = unplayed else {
            return self.stop(at, &unplayed.into());
        };
        let rest = if self.replay.lists_faults() {
            stored_line(Items::new(self.record.bytes, at))
        } else {
            String::new()
        };
        self.replay.fault_with(self.offset(at), &unplayed.into(), &rest);
        if self.replay.depth() == 0 {
            return Next::End;
        }
        let next = self.skip_variation();
        if next == Next::Item {
            self.replay.end_variation();
        }
        next
    }

    fn start_variation(&mut self, at: usize) -> Next {
        if !S::WHOLE && self.replay.has_move() {
            return self.skip_variation();
        }
        match self.replay.start_variation() {
            Ok(()) => Next::Item,
            Err(deep @ Fault::TooDeep(_)) => {
                self.replay.fault(self.offset(at), &deep);
                self.skip_variation()
            }
            Err(fault) => self.stop(at, &fault),
        }
    }

    /// Skips all items up to the end of the current variation.
    fn skip_variation(&mut self) -> Next {
        let mut depth = 1u32;
        let mut has_move = false;
        loop {
            match self.items.next() {
                Ok(Some(Item::Start)) => {
                    // An empty variation ends the game, unless its own line has already ended.
                    self.is_certain &= has_move;
                    has_move = false;
                    depth += 1;
                }
                Ok(Some(Item::End)) => {
                    has_move = true;
                    depth -= 1;
                }
                Ok(Some(Item::Move(_) | Item::NullMove)) => has_move = true,
                Ok(Some(_)) => {}
                Ok(None) => return self.end_inside_variation(),
                Err(bad) => return self.stop(bad.at, &Fault::damage(bad.reason)),
            }
            if depth == 0 {
                return Next::Item;
            }
        }
    }

    fn end(&mut self) -> Next {
        match self.record.cut {
            Some(reason) => self.stop(self.record.bytes.len(), &Fault::damage(reason)),
            None if self.replay.depth() > 0 => self.end_inside_variation(),
            None => Next::End,
        }
    }

    fn end_inside_variation(&mut self) -> Next {
        let fault = self.record.cut.map_or(Fault::OpenVariations, Fault::damage);
        self.stop(self.record.bytes.len(), &fault)
    }

    #[cold]
    fn stop(&mut self, at: usize, fault: &Fault) -> Next {
        self.replay.fault(self.offset(at), fault);
        Next::End
    }

    fn offset(&self, at: usize) -> u64 {
        self.record.start + at as u64
    }
}

/// The detail of a remark: the stored moves of the current line, up to its end or to the first byte that
/// cannot be read. A promotion code without a meaning is shown as a number.
fn stored_line(mut items: Items<'_>) -> String {
    let mut line = String::from("; the stored line goes on");
    let mut depth = 0u32;
    while let Ok(Some(item)) = items.next() {
        match item {
            Item::Start => depth += 1,
            Item::End if depth == 0 => break,
            Item::End => depth -= 1,
            Item::Move(stored) if depth == 0 => {
                let code = stored.promotion_code();
                let promotion = if code == 0 {
                    String::new()
                } else {
                    format!("={code}")
                };
                // Writing to a string cannot fail.
                let _ = write!(line, " {}{}{promotion}", stored.from(), stored.to());
            }
            Item::NullMove if depth == 0 => line.push_str(" --"),
            _ => {}
        }
    }
    line
}
