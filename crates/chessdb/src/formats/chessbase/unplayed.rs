//! The rest of a line after an illegal move, as text (section 11.4).
//!
//! The moves are played even if they are illegal, so that later numbers keep their meaning.

use super::coding::Moves;
use super::comments::Comments;
use super::list::{EnPassant, numbered};
use super::{END, START};
use crate::board::Position;
use crate::replay::{Notation, StoredLine};

/// Maximum number of variations open at once in the text.
const DEEPEST: usize = 255;

/// A line that is played without testing legality.
pub(super) struct UnplayedLine(StoredLine<EnPassant>);

impl UnplayedLine {
    /// A line that continues from a position.
    pub(super) fn new(position: Position, en_passant: EnPassant) -> UnplayedLine {
        UnplayedLine(StoredLine::new(position, en_passant, Notation::Long))
    }

    /// The moves as the detail of a remark.
    pub(super) fn detail(self) -> String {
        self.0.detail()
    }

    /// Plays the move of a byte. Returns false if the byte is not a move.
    pub(super) fn play(&mut self, byte: u8, comments: &mut Comments<'_>) -> bool {
        if byte & 0x80 != 0 {
            comments.next();
        }
        match numbered(self.0.position(), *self.0.state(), byte & 0x7f) {
            Ok((mv, after)) => {
                self.0.play(mv, after);
                true
            }
            Err(_) => false,
        }
    }

    /// Plays the moves up to the end of the line or of the game. If a byte cannot be read, the rest of its
    /// line is skipped. Returns true if the end of the line itself was read.
    pub(super) fn read(&mut self, moves: &mut Moves<'_>, comments: &mut Comments<'_>) -> bool {
        // Number of ends to skip; the last of them ends a line that was started.
        let mut skip = 0u32;
        while let Some(byte) = moves.next() {
            if byte == 0 {
                break;
            }
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
            }
            match byte {
                END => {
                    if !self.0.end_variation() {
                        return true;
                    }
                }
                // Without a move to replace, the rest of the line is skipped, too.
                START if !self.0.start_variation() => skip = 2,
                START => skip = u32::from(self.0.depth() > DEEPEST),
                _ => {
                    if !self.play(byte, comments) {
                        self.0.word("...");
                        skip = 1;
                    }
                }
            }
        }
        false
    }
}
