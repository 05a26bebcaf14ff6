//! One game: the stream of the move area becomes tokens (sections 6.6, 7, 10.4 and 11).

use super::characters::Characters;
use super::coding::Moves;
use super::comments::{Comments, line_result_glyph, line_result_sign};
use super::list::{EnPassant, numbered};
use super::record::Record;
use super::rest::Rest;
use super::setup::StoredPosition;
use super::{END, START, Source, remark};
use crate::board::{Illegal, Position};
use crate::formats::Problem;
use crate::game::{Movetext, MovetextBuilder};

/// Most variations that are open at once (section 6.6).
const DEEPEST: usize = 255;
/// Most remarks of a game that do not end it: the first hundred say enough.
const MOST_NOTES: u32 = 100;

/// Decodes the moves of a record; `stored` is its set-up position, where it has one.
pub(super) fn movetext(
    record: &Record<'_>,
    stored: Option<StoredPosition>,
    characters: Characters,
    source: Source<'_>,
) -> (Movetext, Vec<Problem>) {
    let (position, first_move) = match &stored {
        Some(StoredPosition {
            position: Ok(position),
            first_move,
            is_cut: false,
            ..
        }) => (*position, *first_move),
        _ => (Position::initial(), 1),
    };
    let set_up_file = record.header.set_up_file();
    let mut game = Decoder {
        record,
        moves: record.moves(),
        comments: Comments::new(record.comments),
        characters,
        builder: MovetextBuilder::new(position, first_move),
        line: Line {
            en_passant: EnPassant::on_file(if stored.is_some() { set_up_file } else { 0 }),
            ..Line::default()
        },
        outer: Vec::new(),
        remarks: Remarks {
            source,
            problems: Vec::new(),
            notes: 0,
        },
        text: String::new(),
    };
    game.builder.reserve(record.moves_len() + 8);
    game.decode(stored);
    (game.builder.finish(), game.remarks.problems)
}

struct Remarks<'a> {
    source: Source<'a>,
    problems: Vec<Problem>,
    notes: u32,
}

/// State of a line beside its position.
#[derive(Clone, Copy, Debug, Default)]
struct Line {
    en_passant: EnPassant,
    /// The state before the last move, to which a variation goes back.
    before: EnPassant,
    /// Glyph of the position after the last move.
    position_glyph: u8,
}

/// Whether reading goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    Byte,
    End,
}

struct Decoder<'a> {
    record: &'a Record<'a>,
    moves: Moves<'a>,
    comments: Comments<'a>,
    characters: Characters,
    builder: MovetextBuilder,
    line: Line,
    outer: Vec<Line>,
    remarks: Remarks<'a>,
    /// Text of the comment that is being read.
    text: String,
}

impl Decoder<'_> {
    fn decode(&mut self, stored: Option<StoredPosition>) {
        self.initial_comment();
        self.header_remarks();
        let is_whole = match stored {
            Some(stored) if !stored.is_playable() => {
                self.unplayable(&stored);
                false
            }
            stored => {
                if let Some(at) = stored.and_then(|stored| stored.invalid_at) {
                    self.remark(
                        self.record.position_at() + at,
                        "the position names a piece that does not exist",
                    );
                }
                self.decode_moves()
            }
        };
        if self.record.is_cut {
            self.remark(self.remarks.source.len, "the file ends inside the game");
        } else if is_whole {
            self.line_result();
        }
    }

    /// The comments that no move uses stand before the first move (section 7.5).
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
            self.builder.comment(&self.text);
        }
    }

    fn header_remarks(&mut self) {
        let start = self.record.start;
        if !self.record.header.is_checksum_good {
            self.remark(start + 13, "the checksum is wrong");
        }
        if self.record.header.mlen == 0 {
            self.remark(start + 2, "the length of the moves is 0, which no game has");
        }
    }

    /// A position that no game can be played from is told in a remark, with the moves (section 9.2).
    fn unplayable(&mut self, stored: &StoredPosition) {
        let fen = stored.fen();
        let what = match &stored.position {
            Err(error) if !stored.is_cut => {
                let position = Position::unplayable(&stored.setup);
                let file = EnPassant::on_file(self.record.header.set_up_file());
                let mut rest = Rest::new(position, file);
                rest.read(&mut self.moves, &mut self.comments);
                match rest.text().trim_start() {
                    "" => format!("{error}: {fen}"),
                    moves => format!("{error}: {fen}, stored moves: {moves}"),
                }
            }
            _ => format!("the position is cut: {fen}"),
        };
        self.remark(self.record.position_at(), &what);
    }

    /// Reads the whole stream. True where the main line is whole.
    fn decode_moves(&mut self) -> bool {
        loop {
            let at = self.moves.at();
            let Some(byte) = self.moves.next() else {
                return self.end_of_area();
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
    }

    #[inline(always)]
    fn numbered_move(&mut self, byte: u8, at: usize) -> Next {
        match numbered(self.builder.position(), self.line.en_passant, byte & 0x7f) {
            Ok((mv, after)) => match self.builder.play(mv) {
                Ok(()) => {
                    self.line = Line {
                        en_passant: after,
                        before: self.line.en_passant,
                        position_glyph: 0,
                    };
                    if byte & 0x80 != 0 {
                        self.annotate(at);
                    }
                    Next::Byte
                }
                Err(illegal) => self.illegal(illegal, byte, at),
            },
            Err(reason) => {
                if byte & 0x80 != 0 {
                    self.comments.next();
                }
                self.stop_line(at, reason, 1)
            }
        }
    }

    /// Gives the last move the next comment (section 10.4).
    fn annotate(&mut self, at: usize) {
        let Some(comment) = self.comments.next() else {
            if !self.record.is_cut {
                self.note(at, "the move's comment is missing");
            }
            return;
        };
        self.line.position_glyph = comment.position_glyph();
        self.builder.nag(comment.move_glyph());
        self.builder.nag(self.line.position_glyph);
        self.builder.nag(comment.extra_glyph());
        let text = comment.text();
        if !text.is_empty() {
            self.characters.decode(text, &mut self.text);
            self.builder.comment(&self.text);
        }
    }

    /// The legal line ends; what the file has behind it is told in the remark (section 11.4).
    #[cold]
    fn illegal(&mut self, illegal: Illegal, byte: u8, at: usize) -> Next {
        let mut rest = Rest::new(*self.builder.position(), self.line.en_passant);
        rest.play(byte, &mut self.comments);
        let is_closed = rest.read(&mut self.moves, &mut self.comments);
        let what = format!("illegal move: {illegal}; the stored line goes on {}", rest.text());
        if self.builder.depth() == 0 {
            self.stop(at, &what)
        } else {
            self.note(at, &what);
            if is_closed {
                self.close_variation()
            } else {
                Next::End
            }
        }
    }

    fn start_variation(&mut self, at: usize) -> Next {
        if !self.builder.has_move() {
            return self.stop_line(at, "a variation begins where no move stands that it replaces", 2);
        }
        if self.builder.depth() >= DEEPEST {
            self.note(at, "variations are nested deeper than 255 levels");
            return self.skip(1);
        }
        // The line has a move, so this does not fail.
        let _ = self.builder.start_variation();
        self.outer.push(self.line);
        self.line = Line {
            en_passant: self.line.before,
            ..Line::default()
        };
        Next::Byte
    }

    fn end_variation(&mut self, at: usize) -> Next {
        if self.builder.depth() == 0 {
            return self.stop(at, "a variation ends that did not begin");
        }
        self.close_variation()
    }

    fn close_variation(&mut self) -> Next {
        self.builder.end_variation();
        self.line = self.outer.pop().unwrap_or_default();
        Next::Byte
    }

    /// Ends the game in the main line; ends a variation and passes over what is left of it, which has `depth` ends.
    fn stop_line(&mut self, at: usize, reason: &str, depth: u32) -> Next {
        if self.builder.depth() == 0 {
            return self.stop(at, reason);
        }
        self.note(at, reason);
        match self.skip(depth) {
            Next::Byte => self.close_variation(),
            Next::End => Next::End,
        }
    }

    /// Passes over the stream up to the end of so many variations. Their comments are used up.
    fn skip(&mut self, mut depth: u32) -> Next {
        while depth > 0 {
            match self.moves.next() {
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

    /// A zero ends the game, whatever follows (section 6.2).
    fn zero(&mut self, at: usize) -> bool {
        if at + 1 < self.record.moves_len() {
            self.stop(at, "a zero byte ends the game before the end of its moves");
            return false;
        }
        self.end_of_area()
    }

    /// True where the stream ends in the main line.
    fn end_of_area(&mut self) -> bool {
        if self.builder.depth() > 0 {
            self.end_inside_variation();
            return false;
        }
        true
    }

    fn end_inside_variation(&mut self) {
        if !self.record.is_cut {
            self.stop(self.record.moves_len(), "the moves end inside a variation");
        }
    }

    /// An evaluation of the last position in place of a result (section 10.5).
    fn line_result(&mut self) {
        let code = self.record.header.line_result();
        if !self.builder.has_move() {
            self.builder.comment(line_result_sign(code));
        } else if self.line.position_glyph != line_result_glyph(code) {
            self.builder.nag(line_result_glyph(code));
        }
    }

    /// A remark on something at which the game ends.
    #[cold]
    fn stop(&mut self, at: usize, what: &str) -> Next {
        self.remark(self.record.moves_at() + at, what);
        Next::End
    }

    /// A remark on something after which the game goes on.
    #[cold]
    fn note(&mut self, at: usize, what: &str) {
        self.remarks.notes += 1;
        if self.remarks.notes <= MOST_NOTES {
            self.remark(self.record.moves_at() + at, what);
        }
    }

    #[cold]
    fn remark(&mut self, offset: usize, what: &str) {
        let Remarks { source, problems, .. } = &mut self.remarks;
        remark(&mut self.builder, problems, *source, offset, what);
    }
}
