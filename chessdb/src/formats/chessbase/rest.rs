//! The rest of a line behind an illegal move, as text (section 11.4).
//!
//! The board plays on, whatever the rules say, so that later numbers keep their meaning.

use std::fmt::Write;

use super::coding::Moves;
use super::comments::Comments;
use super::list::{EnPassant, numbered};
use super::{END, START};
use crate::board::{LongMove, Position};

/// Most variations that are open at once inside the text.
const DEEPEST: usize = 255;

/// A line that is played on.
pub(super) struct Rest {
    line: Line,
    outer: Vec<Line>,
    text: String,
}

#[derive(Clone, Copy)]
struct Line {
    position: Position,
    en_passant: EnPassant,
    /// The state before the last move.
    before: Option<(Position, EnPassant)>,
}

impl Rest {
    /// A line that goes on from a position.
    pub(super) fn new(position: Position, en_passant: EnPassant) -> Rest {
        Rest {
            line: Line {
                position,
                en_passant,
                before: None,
            },
            outer: Vec::new(),
            text: String::new(),
        }
    }

    /// Moves in long algebraic notation, variations in parentheses.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Plays the move of a byte. False where there is none.
    pub(super) fn play(&mut self, byte: u8, comments: &mut Comments<'_>) -> bool {
        if byte & 0x80 != 0 {
            comments.next();
        }
        let Line {
            position, en_passant, ..
        } = self.line;
        let Ok((mv, after)) = numbered(&position, en_passant, byte & 0x7f) else {
            return false;
        };
        let blank = if self.text.is_empty() || self.text.ends_with('(') {
            ""
        } else {
            " "
        };
        // Writing to a string cannot fail.
        let _ = write!(self.text, "{blank}{}", LongMove(&position, mv));
        self.line.before = Some((position, en_passant));
        self.line.position.play(mv);
        self.line.en_passant = after;
        true
    }

    /// Plays what the stream has, up to the end of the line or of the game. Where a byte cannot be read, the rest of
    /// its line is passed over. True where the line's own end was read.
    pub(super) fn read(&mut self, moves: &mut Moves<'_>, comments: &mut Comments<'_>) -> bool {
        // Ends to pass over; the last of them belongs to a line that has been begun.
        let mut skip = 0u32;
        while let Some(byte) = moves.next() {
            let is_end = byte == END;
            if skip > 0 {
                match byte {
                    START => skip += 1,
                    END => skip -= 1,
                    _ if byte & 0x80 != 0 => drop(comments.next()),
                    _ => {}
                }
                if skip > 0 {
                    continue;
                }
            } else if byte == 0 {
                break;
            }
            match byte {
                _ if is_end => {
                    let Some(outer) = self.outer.pop() else {
                        return true;
                    };
                    self.line = outer;
                    self.text.push(')');
                }
                START => skip = self.start_variation(),
                _ => {
                    if !self.play(byte, comments) {
                        self.text.push_str(" ...");
                        skip = 1;
                    }
                }
            }
        }
        self.text.extend(self.outer.drain(..).map(|_| ')'));
        false
    }

    /// Begins a variation; gives the number of ends to pass over where that is not possible.
    fn start_variation(&mut self) -> u32 {
        let Some((position, en_passant)) = self.line.before else {
            return 2;
        };
        self.outer.push(self.line);
        self.line = Line {
            position,
            en_passant,
            before: None,
        };
        self.text.push_str(" (");
        u32::from(self.outer.len() > DEEPEST)
    }
}
