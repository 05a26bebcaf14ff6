//! The rest of a line after an illegal move, as text (section 11.2).
//!
//! The board plays on, whatever the rules say, so that later numbers keep their meaning.

use super::moves::{self, Bytes, COMMENT, END, FINISH, GLYPH, START};
use super::pieces::{Effect, Lists};
use crate::board::{Move, Position};
use crate::replay::{Notation, StoredLine};

/// Most variations that are open at once inside the text.
const DEEPEST: usize = 255;

/// A line that is played on.
pub(super) struct UnplayedLine {
    line: StoredLine<Lists>,
    /// Comments that were passed.
    pub(super) comments: usize,
}

impl UnplayedLine {
    /// A line that goes on from a position.
    pub(super) fn new(position: Position, lists: Lists) -> UnplayedLine {
        UnplayedLine {
            line: StoredLine::new(position, lists, Notation::Long),
            comments: 0,
        }
    }

    /// The moves as the detail of a remark.
    pub(super) fn detail(self) -> String {
        self.line.detail()
    }

    /// Plays the move of the piece with a number.
    pub(super) fn play(&mut self, number: u8, mv: Move) {
        let mut after = *self.line.state();
        after.follow(Effect::of(self.line.position(), number, mv));
        self.line.play(mv, after);
    }

    /// Plays what the bytes have, up to the end of the line or of the game. Where a byte is no move, the rest of its
    /// line is passed over. True where the line's own end was read.
    pub(super) fn read(&mut self, bytes: &mut Bytes<'_>) -> bool {
        loop {
            let before = *bytes;
            let Some(byte) = bytes.next() else { return false };
            let skipped = match byte {
                GLYPH => {
                    bytes.next();
                    0
                }
                COMMENT => {
                    self.comments += 1;
                    0
                }
                FINISH => {
                    *bytes = before;
                    return false;
                }
                END => {
                    if self.line.end_variation() {
                        0
                    } else {
                        return true;
                    }
                }
                START => usize::from(self.line.depth() >= DEEPEST || !self.line.start_variation()),
                _ => match moves::read(byte, bytes, self.line.position(), self.line.state()) {
                    Ok((number, mv)) => {
                        self.play(number, mv);
                        0
                    }
                    Err(_) => {
                        self.line.word("...");
                        if !bytes.skip(1, &mut self.comments) {
                            return false;
                        }
                        if !self.line.end_variation() {
                            return true;
                        }
                        0
                    }
                },
            };
            if !bytes.skip(skipped, &mut self.comments) {
                return false;
            }
        }
    }
}
