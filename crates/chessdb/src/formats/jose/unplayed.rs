//! Moves that PGN cannot represent, as text for a remark or a comment.

use super::decode::{Decoder, LIMITS, choose};
use super::tokens::{Cursor, MoveToken};
use crate::board::Position;
use crate::replay::{Notation, Sink, State, StoredLine};

impl<S: Sink> Decoder<'_, S> {
    /// The data from the cursor to the end of the line as text; the end itself is not consumed. Without an
    /// `outer` line, only the end of the data ends the line. Comments are in quotation marks.
    #[cold]
    pub(super) fn unplayed(
        &mut self,
        position: Position,
        cursor: &mut Cursor,
        notation: Notation,
        has_outer: bool,
    ) -> String {
        let tokens = self.tokens;
        // SAN is used for variations that are shown separately.
        let is_main = notation == Notation::Long && self.replay.depth() == 0;
        let mut line = StoredLine::new(position, self.replay.state().clone(), notation);
        loop {
            let start = *cursor;
            let Some(token) = tokens.next(cursor) else { break };
            match token {
                MoveToken::Move { code, second } => match choose(line.position(), line.state(), code, second)
                {
                    Ok((coded, illegal)) => {
                        self.findings.has_illegal |= illegal.is_some();
                        self.findings.plies += u32::from(is_main && line.depth() == 0);
                        let mut lists = line.state().clone();
                        coded.effect(line.position()).apply(&mut lists);
                        line.play(coded.mv, lists);
                    }
                    Err(impossible) => {
                        self.findings.has_undecodable = true;
                        let at = start.at;
                        line.word(format_args!("[code 0x{code:02x} at offset {at}: {impossible}]"));
                        tokens.skip_line(cursor, has_outer || line.depth() > 0);
                    }
                },
                MoveToken::Nag(nag) => line.word(format_args!("${nag}")),
                MoveToken::Text(byte, text) => {
                    if text.is_none() {
                        self.miss_text();
                    }
                    if let Some(comment) = tokens.comment(byte, text) {
                        line.word(format_args!("\"{}\"", comment.trim()));
                    }
                }
                MoveToken::Start => {
                    let is_left_out = line.depth() >= LIMITS.depth || !line.start_variation();
                    if is_left_out && tokens.skip_line(cursor, true) {
                        tokens.next(cursor);
                    }
                }
                MoveToken::End => {
                    if !line.end_variation() && has_outer {
                        *cursor = start;
                        break;
                    }
                }
                MoveToken::Finish => {
                    *cursor = start;
                    self.findings.is_finished = true;
                    break;
                }
                MoveToken::Cut => line.word("[a code is cut off]"),
                MoveToken::Result(_) | MoveToken::Nothing => {}
            }
        }
        while line.end_variation() {}
        self.replay.state_mut().carry(line.state());
        line.finish()
    }
}
