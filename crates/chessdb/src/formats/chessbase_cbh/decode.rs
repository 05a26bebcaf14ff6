//! One game: items to tokens (sections 8.6, 14).
//!
//! A game keeps positions and goes back to them at the end of a line, so a variation is stored after the rest of the
//! line that it leaves. PGN needs it after the move that it replaces. The lines are stored one after the other, so they
//! can be read in the order of PGN once the start of each is known ([`Outline`]).

use std::ops::Range;

use super::codes::{Cursor, Encoding, Mode, NoItem, Outline, Stored};
use super::pieces::{Order, PAWNS, Pieces, Played};
use super::record::Record;
use super::setup::Start;
use super::unplayed::UnplayedLine;
use crate::board::{CastlingSide, Color, File, Move, Position, Role, Square};
use crate::formats::chessbase_common::Annotations;
use crate::problem::{Problem, ProblemKind};
use crate::replay::{Fault, Limits, Origin, Replay, Sink};

/// The limits of section 14.3.
pub(super) const LIMITS: Limits = Limits {
    depth: 255,
    moves: 1_000_000,
};

/// Replays a record. `sink` creates the sink from the start position, the number of the first move and an estimate of
/// the number of tokens.
pub(super) fn replay<S: Sink>(
    record: &Record<'_>,
    start: &Start,
    annotations: &Annotations<'_>,
    origin: Origin<'_>,
    sink: impl FnOnce(&Position, u32, usize) -> S,
) -> (S::Output, Vec<Problem>) {
    let sink = sink(&start.position, start.first_move, record.moves.len());
    match Mode::numbered(record.mode) {
        Some(Mode::Before(encoding, order)) => {
            Game::new(record, encoding, order, start, annotations, origin, sink).play(start)
        }
        Some(Mode::After(encoding, order)) => {
            Game::new(record, encoding, order, start, annotations, origin, sink).play(start)
        }
        Some(Mode::Simple(encoding)) => {
            Game::new(record, encoding, Order::Normal, start, annotations, origin, sink).play(start)
        }
        None => {
            let mut replay = Replay::new(sink, start.position, (), LIMITS, origin);
            let what = format!("moves of mode {} are not read", record.mode);
            let offset = record.offset as u64;
            replay.remark(&format!("{what}: at .cbg offset 0x{offset:x}"));
            replay.problem(Problem::new(ProblemKind::Unsupported, origin.file, offset, what));
            replay.finish()
        }
    }
}

/// A game being replayed.
pub(super) struct Game<'a, E, S> {
    pub(super) record: &'a Record<'a>,
    pub(super) encoding: E,
    pub(super) is_chess960: bool,
    pub(super) annotations: &'a Annotations<'a>,
    pub(super) replay: Replay<'a, S, Pieces>,
    /// The starts of the lines. Read when the first position is kept.
    outline: Option<Outline>,
    /// The parts to be read when the current line ends. The next part is the last one.
    pub(super) pending: Vec<Pending>,
    /// True if all moves of the main line have been played.
    pub(super) is_whole: bool,
    /// The line that is not played.
    pub(super) unplayed: Option<UnplayedLine>,
}

/// A part to be read after the end of a line.
#[derive(Clone, Copy, Debug)]
pub(super) enum Pending {
    /// A variation on the last move of the outer line.
    Variation(Cursor),
    /// The rest of the outer line; `None` if it has ended.
    Rest(Option<Cursor>),
}

/// How reading continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    Item,
    EndOfLine,
    EndOfGame,
}

impl<'a, E: Encoding, S: Sink> Game<'a, E, S> {
    fn new(
        record: &'a Record<'a>,
        encoding: E,
        order: Order,
        start: &Start,
        annotations: &'a Annotations<'a>,
        origin: Origin<'a>,
        sink: S,
    ) -> Game<'a, E, S> {
        let pieces = Pieces::of(&start.position, order);
        Game {
            record,
            encoding,
            is_chess960: record.is_chess960(),
            annotations,
            replay: Replay::new(sink, start.position, pieces, LIMITS, origin),
            outline: None,
            pending: Vec::new(),
            is_whole: start.flaw.is_none(),
            unplayed: None,
        }
    }

    fn play(mut self, start: &Start) -> (S::Output, Vec<Problem>) {
        self.annotations.begin(&mut self.replay);
        if let Some(flaw) = &start.flaw {
            let what = format!("no game can be played from the start position: {flaw}");
            let detail = format!(" ({})", start.flawed_fen());
            self.leave(self.record.offset as u64, Fault::damage(what), detail);
        }
        if S::WHOLE || start.flaw.is_none() {
            self.decode();
        }
        self.report_unplayed();
        if self.is_whole {
            self.annotations.judge(&mut self.replay);
        }
        if start.has_wrong_rooks {
            let what = "neither side may castle: the squares of kings and rooks are impossible";
            self.replay.doubt(self.record.offset as u64, what);
        }
        if start.has_added_rights {
            let what = "the game castles without a stored right, which is added to the start position";
            self.replay.doubt(self.record.offset as u64, what);
        }
        if S::WHOLE {
            self.annotate_end();
        }
        self.annotations.end(&mut self.replay);
        self.replay.finish()
    }

    fn decode(&mut self) {
        let mut cursor = Cursor::default();
        // Positions that were kept before the next move are above this number.
        let mut kept = 0;
        while !self.replay.is_done() {
            let place = cursor;
            let mut next = match self.encoding.next(self.record.moves, &mut cursor) {
                Ok(item) => match item.stored {
                    Some(stored) => {
                        let variations = kept..cursor.kept;
                        self.one_move(stored, item.ends_line, place, variations, &mut cursor)
                    }
                    None if item.ends_line => Next::EndOfLine,
                    None => continue,
                },
                Err(reason) => self.no_item(reason, place),
            };
            while next == Next::EndOfLine {
                next = self.end_line(&mut cursor);
            }
            match next {
                Next::EndOfGame => return,
                // A move may have started another line, with other kept positions.
                _ => kept = cursor.kept,
            }
        }
    }

    /// Goes to the line that follows the end of one.
    fn end_line(&mut self, cursor: &mut Cursor) -> Next {
        if self.unplayed.is_some()
            && let Some(next) = self.end_unplayed(cursor)
        {
            next
        } else if self.replay.end_variation() {
            self.next_line(cursor)
        } else {
            Next::EndOfGame
        }
    }

    /// Plays a move, and goes to its first variation, if it has any.
    #[inline(always)]
    fn one_move(
        &mut self,
        stored: Stored,
        ends_line: bool,
        place: Cursor,
        variations: Range<u32>,
        cursor: &mut Cursor,
    ) -> Next {
        if S::WHOLE && self.unplayed.is_some() {
            return self.unplayed_move(stored, ends_line, place, variations, cursor);
        }
        let has_variations = S::WHOLE && !variations.is_empty();
        // An alternative to the first move of a variation becomes another variation of the same move.
        let is_first = has_variations && self.replay.depth() > 0 && !self.replay.has_move();
        if let Err(fault) = self.play_stored(stored, place, has_variations) {
            if !S::WHOLE || matches!(fault, Fault::TooLong(_)) {
                return self.stop(place, &fault);
            }
            self.leave(self.offset(place), fault, String::new());
            // Alternatives to the first move of a variation are played nevertheless, because they follow another move.
            let variations = if is_first {
                self.add_variations(variations);
                0..0
            } else {
                variations
            };
            return self.unplayed_move(stored, ends_line, place, variations, cursor);
        }
        if has_variations {
            if !is_first {
                let rest = (!ends_line).then_some(*cursor);
                self.pending.push(Pending::Rest(rest));
            }
            self.add_variations(variations);
            if !is_first {
                return self.next_line(cursor);
            }
        }
        if ends_line { Next::EndOfLine } else { Next::Item }
    }

    /// Plays a move that is stored at a place. If it has variations, the state before it is saved.
    #[inline(always)]
    fn play_stored(&mut self, stored: Stored, place: Cursor, has_variations: bool) -> Result<(), Fault> {
        let (position, pieces) = self.replay.parts();
        let Some(mv) = meaning(stored, position, pieces, self.is_chess960) else {
            return Err(Fault::damage("the piece of the move is not on the board"));
        };
        let us = position.turn();
        let played = Played::of(position, mv);
        if has_variations {
            self.replay.keep_state();
        }
        if S::WHOLE {
            self.annotations
                .before_move(place.moves, &mut self.replay, |position| {
                    position.test(mv).is_ok()
                });
        }
        self.replay.play(mv)?;
        self.replay.state_mut().follow(us, &played);
        if S::WHOLE {
            self.annotations.after_move(place.moves, &mut self.replay);
        }
        Ok(())
    }

    /// Queues the lines that continue from kept positions; the position that was kept last comes first.
    pub(super) fn add_variations(&mut self, kept: Range<u32>) {
        let (encoding, moves) = (self.encoding, self.record.moves);
        let outline = self
            .outline
            .get_or_insert_with(|| Outline::read(&encoding, moves));
        let lines = kept.filter_map(|number| *outline.lines.get(usize::try_from(number).ok()?)?);
        self.pending.extend(lines.map(Pending::Variation));
    }

    /// Moves the cursor to the next line after a line has ended.
    fn next_line(&mut self, cursor: &mut Cursor) -> Next {
        while let Some(pending) = self.pending.pop() {
            match pending {
                Pending::Variation(line) => match self.replay.start_variation() {
                    Ok(()) => {
                        *cursor = line;
                        return Next::Item;
                    }
                    Err(fault) => {
                        self.stop(line, &fault);
                    }
                },
                Pending::Rest(Some(rest)) => {
                    *cursor = rest;
                    return Next::Item;
                }
                Pending::Rest(None) => {
                    if !self.replay.end_variation() {
                        return Next::EndOfGame;
                    }
                }
            }
        }
        Next::EndOfGame
    }

    /// Handles a line that ends without its mark.
    #[cold]
    fn no_item(&mut self, reason: NoItem, place: Cursor) -> Next {
        if self.unplayed.is_some() {
            return self.no_unplayed_item(reason);
        }
        let fault = match reason {
            NoItem::Unassigned(code) => Fault::damage(format!("no move has the code {code}")),
            NoItem::End if self.record.is_cut => Fault::Cut,
            NoItem::End if self.replay.depth() > 0 => Fault::OpenVariations,
            NoItem::End if self.encoding.may_end_without_mark() => return Next::EndOfLine,
            NoItem::End => Fault::damage("the game has no end"),
        };
        self.stop(place, &fault)
    }

    /// Reports a fault that ends its line.
    #[cold]
    fn stop(&mut self, place: Cursor, fault: &Fault) -> Next {
        self.is_whole &= self.replay.depth() > 0;
        self.replay.fault(self.offset(place), fault);
        Next::EndOfLine
    }

    fn offset(&self, place: Cursor) -> u64 {
        self.record.moves_at as u64 + u64::from(place.at)
    }

    /// Annotations of missing moves go to the last move of the main line.
    fn annotate_end(&mut self) {
        if self.annotations.is_empty() {
            return;
        }
        let moves = match &self.outline {
            Some(outline) => outline.moves,
            None => Outline::read(&self.encoding, self.record.moves).moves,
        };
        self.annotations.after(moves, &mut self.replay);
    }
}

/// The move of a stored code; `None` if its piece does not exist.
#[inline(always)]
pub(super) fn meaning(
    stored: Stored,
    position: &Position,
    pieces: &Pieces,
    is_chess960: bool,
) -> Option<Move> {
    let us = position.turn();
    Some(match stored {
        Stored::Step { slot, files, ranks } => {
            let from = pieces.square(us, slot)?;
            // A pawn's steps are from its player's view, so both directions are reversed for Black.
            let to = if slot >= PAWNS && us == Color::Black {
                shifted(from, 8 - files, 8 - ranks)
            } else {
                shifted(from, files, ranks)
            };
            Move::normal(from, to)
        }
        Stored::King(files, ranks) => {
            let from = position.king(us)?;
            Move::normal(from, shifted(from, files, ranks))
        }
        Stored::Castle(side) => Move::Castle(side),
        Stored::Null => Move::Null,
        Stored::Squares { from, to, promotion } => by_squares(from, to, promotion, position, is_chess960),
    })
}

/// The square that is `files` to the right and `ranks` up, modulo 8.
#[inline(always)]
fn shifted(from: Square, files: u8, ranks: u8) -> Square {
    let from = u32::from(from);
    let file = (from + u32::from(files)) & 7;
    let rank = ((from >> 3) + u32::from(ranks)) & 7;
    Square::new((rank << 3) | file)
}

/// A move by its squares. Castling is a king's step of two files; in Chess960, both squares are the king's target.
fn by_squares(from: Square, to: Square, promotion: Role, position: &Position, is_chess960: bool) -> Move {
    let us = position.turn();
    let side = match to.file() {
        File::G => Some(CastlingSide::KingSide),
        File::C => Some(CastlingSide::QueenSide),
        _ => None,
    };
    let is_castling = if is_chess960 {
        from == to && to.rank() == us.backrank()
    } else {
        let home = Square::from_coords(File::E, us.backrank());
        from == home && to.rank() == us.backrank() && position.king(us) == Some(home)
    };
    if let Some(side) = side.filter(|_| is_castling) {
        return Move::Castle(side);
    }
    let is_promotion = position.role_at(from) == Some(Role::Pawn) && to.rank() == (!us).backrank();
    Move::Normal {
        from,
        to,
        promotion: is_promotion.then_some(promotion),
    }
}
