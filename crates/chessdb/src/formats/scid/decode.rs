//! Decodes one game: turns the bytes of its moves into tokens (sections 5.5 to 5.9 and 11).

use super::index::Entry;
use super::moves::{self, Bytes, COMMENT, END, FINISH, GLYPH, NoMove, START};
use super::pieces::{Effect, Lists};
use super::record::{Damage, Parts, Record};
use super::setup::SetUp;
use super::texts::Texts;
use super::unplayed::UnplayedLine;
use crate::board::{Bitboard, Move, Position};
use crate::problem::Problem;
use crate::replay::castling::{castling_without_right, rooks_without_right};
use crate::replay::{Fault, Limits, Origin, Replay, Sink, Tree, Unplayed};

/// The limits of section 11.3.
const LIMITS: Limits = Limits {
    depth: 255,
    moves: u32::MAX,
};

/// A game whose record is in the file.
#[derive(Clone)]
pub(super) struct Stored<'a> {
    pub(super) record: Record<'a>,
    pub(super) parts: Result<Parts<'a>, Damage>,
    /// The start position, unless it is the usual one.
    pub(super) set_up: Option<SetUp>,
    pub(super) texts: Texts,
}

impl<'a> Stored<'a> {
    /// A game with its start position. If it castles without a stored right, the right is added (section 5.6), because
    /// readers of PGN would otherwise refuse the move.
    pub(super) fn new(
        record: Record<'a>,
        parts: Result<Parts<'a>, Damage>,
        entry: &Entry,
        texts: Texts,
    ) -> Stored<'a> {
        let fen = parts.as_ref().ok().and_then(|parts| parts.fen);
        let stored = Stored {
            set_up: fen.map(|fen| SetUp::parse(&texts.line(fen))),
            record,
            parts,
            texts,
        };
        let (rooks, turn) = match &stored.set_up {
            Some(SetUp {
                position: Some(position),
                flaw: None,
                ..
            }) if !entry.is_chess960 => (rooks_without_right(position), position.turn()),
            _ => return stored,
        };
        let used = castling_without_right(rooks, turn, || {
            let (movetext, _) = stored
                .with_rights(rooks)?
                .replay(Origin::default(), Tree::beginning);
            Some(movetext)
        });
        if used.is_empty() {
            return stored;
        }
        stored.with_rights(used).unwrap_or(stored)
    }

    /// The game where these rooks have the right to castle. `None` if it has no set-up position.
    fn with_rights(&self, rooks: Bitboard) -> Option<Stored<'a>> {
        Some(Stored {
            set_up: Some(self.set_up.as_ref()?.with_rights(rooks)?),
            ..self.clone()
        })
    }

    /// Replays the moves. `sink` creates the sink from the start position, the number of the first move and an estimate
    /// of the number of tokens.
    pub(super) fn replay<S: Sink>(
        &self,
        origin: Origin<'a>,
        sink: impl FnOnce(&Position, u32, usize) -> S,
    ) -> (S::Output, Vec<Problem>) {
        let playable = self.set_up.as_ref().filter(|set_up| set_up.flaw.is_none());
        let set_up = playable.and_then(|set_up| Some((set_up.position?, set_up.first_move)));
        let (position, first_move, lists) = match set_up {
            Some((position, first_move)) => (position, first_move, Lists::of(&position)),
            None => (Position::initial(), 1, Lists::usual()),
        };
        let sink = sink(&position, first_move, self.record.bytes.len() + 8);
        let mut replay = Replay::new(sink, position, lists, LIMITS, origin);
        match &self.parts {
            Err(damage) => {
                let fault = if self.record.is_cut {
                    Fault::Cut
                } else {
                    Fault::damage(damage.what)
                };
                replay.fault(self.record.start + damage.at as u64, &fault);
                replay.finish()
            }
            Ok(parts) => {
                let bytes = Bytes::new(self.record.bytes, parts.moves_at);
                let mut decoder = Decoder {
                    stored: self,
                    bytes,
                    comments: Comments::default(),
                    replay,
                };
                match self.set_up.as_ref().filter(|set_up| set_up.flaw.is_some()) {
                    Some(set_up) => decoder.unplayable(set_up, parts.fen_at),
                    None => decoder.decode(),
                }
                if self.set_up.as_ref().is_some_and(|set_up| set_up.has_added_rights) {
                    let what =
                        "the game castles without a stored right, which is added to the start position";
                    decoder.replay.doubt(decoder.offset(parts.fen_at), what);
                }
                decoder.replay.finish()
            }
        }
    }
}

/// The texts of comments whose marks have not been reached. All texts are stored after the moves, in the order of the
/// marks.
#[derive(Default)]
struct Comments<'a> {
    /// The remaining texts; `None` until the first mark is reached.
    rest: Option<&'a [u8]>,
    /// True if the texts have run out and that was reported.
    is_short: bool,
}

impl<'a> Comments<'a> {
    /// Finds the texts, from any place among the moves. If the moves have no end, there are no texts.
    fn find(&mut self, moves: &Bytes<'a>) {
        if self.rest.is_none() {
            let texts = moves.after_end();
            self.is_short = texts.is_none();
            self.rest = Some(texts.unwrap_or_default());
        }
    }

    /// The next text. Bytes without a zero after them are not a text.
    fn next(&mut self) -> Option<&'a [u8]> {
        let texts = self.rest?;
        let end = texts.iter().position(|&byte| byte == 0)?;
        let (text, rest) = texts.split_at_checked(end)?;
        self.rest = Some(rest.get(1..).unwrap_or_default());
        Some(text)
    }

    fn skip(&mut self, texts: usize) {
        for _ in 0..texts {
            if self.next().is_none() {
                return;
            }
        }
    }
}

/// Whether reading continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    Byte,
    End,
}

struct Decoder<'a, S> {
    stored: &'a Stored<'a>,
    bytes: Bytes<'a>,
    comments: Comments<'a>,
    replay: Replay<'a, S, Lists>,
}

impl<S: Sink> Decoder<'_, S> {
    fn decode(&mut self) {
        while !self.replay.is_done() {
            let at = self.bytes.at;
            let Some(byte) = self.bytes.next() else {
                return self.without_end();
            };
            let next = match byte {
                GLYPH => self.glyph(),
                COMMENT => self.comment(at),
                START => self.start_variation(at),
                END => self.end_variation(at),
                FINISH => return self.finish(at),
                _ => self.play(byte, at),
            };
            if next == Next::End {
                return;
            }
        }
    }

    #[inline(always)]
    fn play(&mut self, byte: u8, at: usize) -> Next {
        let position = self.replay.position();
        match moves::read(byte, &mut self.bytes, position, self.replay.state()) {
            Ok((number, mv)) => {
                let effect = Effect::of(position, number, mv);
                match self.replay.play(mv) {
                    Ok(()) => {
                        if S::WHOLE && self.bytes.is_annotation_next() {
                            self.replay.keep_state();
                        }
                        self.replay.state_mut().follow(effect);
                        Next::Byte
                    }
                    Err(unplayed) => self.unplayed(unplayed, number, mv, at),
                }
            }
            Err(reason) => self.no_move(reason, at),
        }
    }

    /// Ends the line at an illegal move; the remark has the rest of the line in its stored form.
    #[cold]
    fn unplayed(&mut self, unplayed: Unplayed, number: u8, mv: Move, at: usize) -> Next {
        if !S::WHOLE {
            return Next::End;
        }
        let mut rest = UnplayedLine::new(*self.replay.position(), *self.replay.state());
        rest.play(number, mv);
        self.comments.find(&self.bytes);
        let is_closed = rest.read(&mut self.bytes);
        self.comments.skip(rest.comments);
        let offset = self.offset(at);
        self.replay.fault_with(offset, &unplayed.into(), &rest.detail());
        if self.replay.depth() > 0 && is_closed {
            self.replay.end_variation();
            return Next::Byte;
        }
        Next::End
    }

    /// Handles a byte that is not a move: in the main line it ends the game, in a variation the rest of the variation
    /// is skipped.
    #[cold]
    fn no_move(&mut self, reason: NoMove, at: usize) -> Next {
        self.fault(at, &reason.into());
        if self.replay.depth() == 0 {
            return Next::End;
        }
        let next = self.skip_variation();
        if next == Next::Byte {
            self.replay.end_variation();
        }
        next
    }

    fn glyph(&mut self) -> Next {
        match self.bytes.next() {
            Some(glyph) => {
                self.replay.nag(glyph);
                Next::Byte
            }
            None => {
                self.without_end();
                Next::End
            }
        }
    }

    fn comment(&mut self, at: usize) -> Next {
        if S::WHOLE {
            self.comments.find(&self.bytes);
            match self.comments.next() {
                Some(text) => self.replay.comment(&self.stored.texts.decode(text)),
                None if !self.comments.is_short => {
                    self.comments.is_short = true;
                    if !self.stored.record.is_cut {
                        self.fault(at, &Fault::damage("the text of a comment is missing"));
                    }
                }
                None => {}
            }
        }
        Next::Byte
    }

    fn start_variation(&mut self, at: usize) -> Next {
        if !S::WHOLE {
            return self.skip_variation();
        }
        match self.replay.start_variation() {
            Ok(()) => Next::Byte,
            Err(fault) => {
                self.fault(at, &fault);
                self.skip_variation()
            }
        }
    }

    fn end_variation(&mut self, at: usize) -> Next {
        if self.replay.end_variation() {
            Next::Byte
        } else {
            self.fault(at, &Fault::StrayEnd);
            Next::End
        }
    }

    /// Skips the rest of a variation, and the texts of its comments.
    fn skip_variation(&mut self) -> Next {
        let mut comments = 0;
        if S::WHOLE {
            self.comments.find(&self.bytes);
        }
        let is_closed = self.bytes.skip(1, &mut comments);
        self.comments.skip(comments);
        if is_closed {
            return Next::Byte;
        }
        match self.bytes.next() {
            Some(_) => self.fault(self.bytes.at - 1, &Fault::OpenVariations),
            None => self.without_end(),
        }
        Next::End
    }

    /// Handles the mark of the game's end: reports variations that are still open, and texts that belong to no mark.
    fn finish(&mut self, at: usize) {
        if self.replay.depth() > 0 {
            self.fault(at, &Fault::OpenVariations);
        }
        if !S::WHOLE {
            return;
        }
        if self.stored.record.is_cut {
            self.fault(self.stored.record.bytes.len(), &Fault::Cut);
        } else {
            let bytes = self.stored.record.bytes;
            let texts = self.comments.rest.or_else(|| bytes.get(self.bytes.at..));
            self.comments.rest = texts;
            let after = bytes.len() - texts.map_or(0, <[u8]>::len);
            if self.comments.next().is_some() {
                self.fault(
                    after,
                    &Fault::damage("there are more texts than comments in the game"),
                );
            }
        }
    }

    /// Reports that the bytes end without the mark of the game's end.
    #[cold]
    fn without_end(&mut self) {
        let fault = if self.stored.record.is_cut {
            Fault::Cut
        } else {
            Fault::damage("the moves do not end inside the game")
        };
        self.fault(self.stored.record.bytes.len(), &fault);
    }

    /// Reports a start position that no game can be played from. The remark has the position and the moves.
    #[cold]
    fn unplayable(&mut self, set_up: &SetUp, at: usize) {
        let flaw = set_up.flaw.map(|flaw| format!("{flaw}: {}", set_up.fen));
        let detail = match set_up.position {
            Some(position) if S::WHOLE => {
                let mut rest = UnplayedLine::new(position, Lists::of(&position));
                rest.read(&mut self.bytes);
                rest.detail()
            }
            _ => String::new(),
        };
        let fault = Fault::damage(flaw.unwrap_or_default());
        self.replay.fault_with(self.offset(at), &fault, &detail);
    }

    /// Reports a fault at a place in the record.
    #[cold]
    fn fault(&mut self, at: usize, fault: &Fault) {
        self.replay.fault(self.offset(at), fault);
    }

    fn offset(&self, at: usize) -> u64 {
        self.stored.record.start + at as u64
    }
}
