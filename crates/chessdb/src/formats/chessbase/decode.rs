//! Decoding a game: the bytes of the move area become tokens (sections 6.6, 7, 10.4 and 11).

use super::characters::Characters;
use super::coding::Moves;
use super::comments::{Comments, line_result_glyph, line_result_sign};
use super::list::{EnPassant, numbered};
use super::record::Record;
use super::setup::StoredPosition;
use super::unplayed::UnplayedLine;
use super::{END, START};
use crate::board::Position;
use crate::problem::Problem;
use crate::replay::{self, Fault, Limits, Origin, Replay, Sink, Unplayed};

/// The limits of section 6.6.
const LIMITS: Limits = Limits {
    depth: 255,
    moves: u32::MAX,
};

/// Replays the moves of a record. `stored` is its set-up position, if any, and `file_len` the length of the
/// file. `sink` creates the sink for a position, a first move number and a number of tokens.
pub(super) fn replay<S: Sink>(
    record: &Record<'_>,
    stored: Option<StoredPosition>,
    characters: Characters,
    origin: Origin<'_>,
    file_len: usize,
    sink: impl FnOnce(&Position, u32, usize) -> S,
) -> (S::Output, Vec<Problem>) {
    let (position, first_move) = match &stored {
        Some(StoredPosition {
            position: Ok(position),
            first_move,
            is_cut: false,
            ..
        }) => (*position, *first_move),
        _ => (Position::initial(), 1),
    };
    let en_passant = EnPassant::on_file(if stored.is_some() {
        record.header.set_up_file()
    } else {
        0
    });
    let sink = sink(&position, first_move, record.moves_len() + 8);
    let state = State {
        en_passant,
        position_glyph: 0,
    };
    let mut game = Decoder {
        record,
        file_len,
        moves: record.moves(),
        comments: Comments::new(record.comments),
        characters,
        replay: Replay::new(sink, position, state, LIMITS, origin),
        text: String::new(),
    };
    game.decode(stored);
    game.replay.finish()
}

/// The state of a line in addition to its position.
#[derive(Clone, Copy, Debug)]
struct State {
    en_passant: EnPassant,
    /// Glyph of the position after the last move.
    position_glyph: u8,
}

impl replay::State for State {}

/// Whether decoding continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    Byte,
    End,
}

struct Decoder<'a, S> {
    record: &'a Record<'a>,
    file_len: usize,
    moves: Moves<'a>,
    comments: Comments<'a>,
    characters: Characters,
    replay: Replay<'a, S, State>,
    /// Buffer for the text of a comment.
    text: String,
}

impl<S: Sink> Decoder<'_, S> {
    fn decode(&mut self, stored: Option<StoredPosition>) {
        if S::WHOLE {
            self.initial_comment();
            self.header_remarks();
        }
        let is_whole = match stored {
            Some(stored) if !stored.is_playable() => {
                self.unplayable(&stored);
                false
            }
            stored => {
                if let Some(at) = stored.and_then(|stored| stored.invalid_at) {
                    self.remark(
                        self.record.position_at() + at,
                        &Fault::damage("the position names a piece that does not exist"),
                    );
                }
                self.decode_moves()
            }
        };
        if self.record.is_cut {
            self.remark(self.file_len, &Fault::Cut);
        } else if is_whole {
            self.line_result();
        }
    }

    /// Adds the comments that no move uses before the first move (section 7.5).
    fn initial_comment(&mut self) {
        let comments = self.record.comments;
        if comments.is_empty() || comments.len() < usize::from(self.record.header.clen) {
            return;
        }
        let mut moves = self.record.moves();
        let mut used = 0;
        while let Some(byte) = moves.next().filter(|&byte| byte != 0) {
            used += usize::from(byte & 0x80 != 0 && byte != START && byte != END);
        }
        for comment in self.comments.clone().skip(used) {
            self.characters.decode(comment.text(), &mut self.text);
            self.replay.comment(&self.text);
        }
    }

    fn header_remarks(&mut self) {
        let start = self.record.start;
        if !self.record.header.is_checksum_good {
            self.remark(start + 13, &Fault::damage("the checksum is wrong"));
        }
        if self.record.header.mlen == 0 {
            let what = "the length of the moves is 0, which no game has";
            self.remark(start + 2, &Fault::damage(what));
        }
    }

    /// Adds a remark with a position that no game can be played from, and with the moves (section 9.2).
    fn unplayable(&mut self, stored: &StoredPosition) {
        let fen = stored.fen();
        let (what, rest) = match &stored.position {
            Err(error) if !stored.is_cut => {
                let position = Position::unplayable(&stored.setup);
                let file = EnPassant::on_file(self.record.header.set_up_file());
                let mut rest = UnplayedLine::new(position, file);
                rest.read(&mut self.moves, &mut self.comments);
                (format!("{error}: {fen}"), rest.detail())
            }
            _ => (format!("the position is cut: {fen}"), String::new()),
        };
        let offset = self.record.position_at() as u64;
        self.replay.fault_with(offset, &Fault::damage(what), &rest);
    }

    /// Decodes all moves. Returns true if the main line is complete.
    fn decode_moves(&mut self) -> bool {
        while !self.replay.is_done() {
            let at = self.moves.at();
            let Some(byte) = self.moves.next() else {
                return self.ends_in_main_line();
            };
            let next = match byte {
                END => self.end_variation(at),
                START => self.start_variation(at),
                0 => return self.zero(at),
                _ => self.numbered_move(byte, at),
            };
            if next == Next::End {
                return false;
            }
        }
        false
    }

    #[inline(always)]
    fn numbered_move(&mut self, byte: u8, at: usize) -> Next {
        let en_passant = self.replay.state().en_passant;
        match numbered(self.replay.position(), en_passant, byte & 0x7f) {
            Ok((mv, en_passant)) => match self.replay.play(mv) {
                Ok(()) => {
                    self.replay.follow(State {
                        en_passant,
                        position_glyph: 0,
                    });
                    if S::WHOLE && byte & 0x80 != 0 {
                        self.annotate(at);
                    }
                    Next::Byte
                }
                Err(unplayed) => self.unplayed(unplayed, byte, at),
            },
            Err(reason) => {
                if byte & 0x80 != 0 {
                    self.comments.next();
                }
                self.stop_line(at, &Fault::damage(reason), 1)
            }
        }
    }

    /// Attaches the next comment to the last move (section 10.4).
    fn annotate(&mut self, at: usize) {
        let Some(comment) = self.comments.next() else {
            if !self.record.is_cut {
                self.fault(at, &Fault::damage("the move's comment is missing"));
            }
            return;
        };
        self.replay.state_mut().position_glyph = comment.position_glyph();
        self.replay.nag(comment.move_glyph());
        self.replay.nag(comment.position_glyph());
        self.replay.nag(comment.extra_glyph());
        let text = comment.text();
        if !text.is_empty() {
            self.characters.decode(text, &mut self.text);
            self.replay.comment(&self.text);
        }
    }

    /// Ends the line before a move that was not played. The remark contains the stored rest of the line
    /// (section 11.4).
    #[cold]
    fn unplayed(&mut self, unplayed: Unplayed, byte: u8, at: usize) -> Next {
        let mut rest = UnplayedLine::new(*self.replay.position(), self.replay.state().en_passant);
        rest.play(byte, &mut self.comments);
        let is_closed = rest.read(&mut self.moves, &mut self.comments);
        let offset = self.record.moves_at() + at;
        self.replay
            .fault_with(offset as u64, &unplayed.into(), &rest.detail());
        if self.replay.depth() > 0 && is_closed {
            self.replay.end_variation();
            return Next::Byte;
        }
        Next::End
    }

    fn start_variation(&mut self, at: usize) -> Next {
        if !S::WHOLE && self.replay.has_move() {
            return self.skip(1);
        }
        match self.replay.start_variation() {
            Ok(()) => Next::Byte,
            Err(Fault::NothingToReplace) => self.stop_line(at, &Fault::NothingToReplace, 2),
            Err(fault) => {
                self.fault(at, &fault);
                self.skip(1)
            }
        }
    }

    fn end_variation(&mut self, at: usize) -> Next {
        if self.replay.end_variation() {
            Next::Byte
        } else {
            self.stop(at, &Fault::StrayEnd)
        }
    }

    /// Ends the game if this is the main line. Otherwise ends the variation and skips the rest of it, which
    /// contains `depth` ends.
    fn stop_line(&mut self, at: usize, fault: &Fault, depth: u32) -> Next {
        self.fault(at, fault);
        if self.replay.depth() == 0 {
            return Next::End;
        }
        let next = self.skip(depth);
        if next == Next::Byte {
            self.replay.end_variation();
        }
        next
    }

    /// Skips the bytes up to the end of `depth` variations, and their comments.
    fn skip(&mut self, mut depth: u32) -> Next {
        while depth > 0 {
            let at = self.moves.at();
            match self.moves.next() {
                Some(0) => {
                    self.zero(at);
                    return Next::End;
                }
                Some(START) => depth += 1,
                Some(END) => depth -= 1,
                Some(byte) if byte & 0x80 != 0 => drop(self.comments.next()),
                Some(_) => {}
                None => {
                    self.end_inside_variation();
                    return Next::End;
                }
            }
        }
        Next::Byte
    }

    /// Handles a zero byte, which ends the game even if more bytes follow (section 6.2).
    fn zero(&mut self, at: usize) -> bool {
        if at + 1 < self.record.moves_len() {
            let what = "a zero byte ends the game before the end of its moves";
            self.stop(at, &Fault::damage(what));
            return false;
        }
        self.ends_in_main_line()
    }

    /// Returns true if the bytes end in the main line.
    fn ends_in_main_line(&mut self) -> bool {
        if self.replay.depth() > 0 {
            self.end_inside_variation();
            return false;
        }
        true
    }

    fn end_inside_variation(&mut self) {
        if !self.record.is_cut {
            self.stop(self.record.moves_len(), &Fault::OpenVariations);
        }
    }

    /// Adds the evaluation of the last position, stored instead of a result (section 10.5).
    fn line_result(&mut self) {
        let code = self.record.header.line_result();
        if !self.replay.has_move() {
            self.replay.comment(line_result_sign(code));
        } else if self.replay.state().position_glyph != line_result_glyph(code) {
            self.replay.nag(line_result_glyph(code));
        }
    }

    /// Adds a fault that ends the game.
    #[cold]
    fn stop(&mut self, at: usize, fault: &Fault) -> Next {
        self.fault(at, fault);
        Next::End
    }

    /// Adds a fault at an offset in the move area.
    #[cold]
    fn fault(&mut self, at: usize, fault: &Fault) {
        self.remark(self.record.moves_at() + at, fault);
    }

    /// Adds a fault at an offset in the file.
    #[cold]
    fn remark(&mut self, offset: usize, fault: &Fault) {
        self.replay.fault(offset as u64, fault);
    }
}
