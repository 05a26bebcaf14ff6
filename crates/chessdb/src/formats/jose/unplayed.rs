//! Moves that PGN cannot represent, as text for a remark or a comment.

use super::decode::{Decoder, LIMITS, choose};
use super::pieces::PieceLists;
use super::tokens::{Cursor, MoveToken};
use crate::board::Position;
use crate::replay::{Notation, Sink, State, StoredLine};

impl<S: Sink> Decoder<'_, S> {
    /// The data from the cursor to the end of the line as text; the end itself is not consumed. Without an
    /// `outer` line, only the end of the data ends the line. Comments are in quotation marks. A variation without moves
    /// is left out, except for its comments.
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
                MoveToken::Text(byte, text) => self.quote(byte, text, &mut line),
                MoveToken::Start => match self.variation(cursor.at) {
                    Some(mut variation) if !variation.has_move => {
                        while let Some(token) = tokens.next(&mut variation.inside) {
                            if let MoveToken::Text(byte, text) = token {
                                self.quote(byte, text, &mut line);
                            }
                        }
                        cursor.go_to(variation.after);
                    }
                    Some(variation) if line.depth() >= LIMITS.depth => cursor.go_to(variation.after),
                    _ => line.start_early_variation(),
                },
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

    /// Appends a comment to a line that is text.
    fn quote(&mut self, byte: u8, text: Option<&[u8]>, line: &mut StoredLine<PieceLists>) {
        if text.is_none() {
            self.miss_text();
        }
        if let Some(comment) = self.tokens.comment(byte, text) {
            line.word(format_args!("\"{}\"", comment.trim()));
        }
    }
}
