//! The rest of a line after an illegal move, as text (section 11.2).
//!
//! The moves are played on a board that allows everything, because a byte names its piece by a number whose meaning
//! depends on all moves before it.

use super::moves::{self, Bytes, COMMENT, END, FINISH, GLYPH, START};
use super::pieces::{Effect, Lists};
use crate::board::{Move, Position};
use crate::replay::{Notation, StoredLine};

/// Maximum number of nested variations in the text.
const DEEPEST: usize = 255;

/// The rest of a line, played without testing the rules.
pub(super) struct UnplayedLine {
    line: StoredLine<Lists>,
    /// Number of marks of comments that were skipped, so that the caller can skip their texts.
    pub(super) comments: usize,
}

impl UnplayedLine {
    /// An empty line that starts in a position.
    pub(super) fn new(position: Position, lists: Lists) -> UnplayedLine {
        UnplayedLine {
            line: StoredLine::new(position, lists, Notation::Long),
            comments: 0,
        }
    }

    /// The text of the moves for a remark.
    pub(super) fn detail(self) -> String {
        self.line.detail()
    }

    /// Plays a move of the piece with this number.
    pub(super) fn play(&mut self, number: u8, mv: Move) {
        let mut after = *self.line.state();
        after.follow(Effect::of(self.line.position(), number, mv));
        self.line.play(mv, after);
    }

    /// Plays the moves up to the end of the line or of the game. If a byte is not a move, the rest of its variation is
    /// skipped. Returns true if the end of the line itself was read.
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
