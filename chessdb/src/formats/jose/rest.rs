//! Moves that PGN cannot hold as moves, as text for a remark or a comment.

use std::fmt::Write;

use super::decode::{DEEPEST, Decoder, choose};
use super::tokens::{Cursor, Token};
use crate::board::{LongMove, Position, Undo};

/// How the moves are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    /// The rest of a line that goes on with an illegal move, in long algebraic notation.
    Line {
        /// The line is a variation, and its end ends the rest.
        has_outer: bool,
    },
    /// A variation of nothing, in SAN as long as it is legal.
    Variation,
}

/// A line that is told.
#[derive(Clone, Copy)]
struct Told {
    position: Position,
    before: Option<Position>,
}

impl Decoder<'_> {
    /// What the data holds from the cursor to the end of the line, which itself is left. Variations are in round
    /// brackets, comments in quotation marks.
    #[cold]
    pub(super) fn rest(&mut self, position: Position, cursor: &mut Cursor, style: Style) -> String {
        let tokens = self.tokens;
        let has_outer = style != Style::Line { has_outer: false };
        let is_main = style != Style::Variation && self.builder.depth() == 0;
        let mut line = Told {
            position,
            before: None,
        };
        let mut outer: Vec<Told> = Vec::new();
        let mut words = Words::default();
        loop {
            let start = *cursor;
            let Some(token) = tokens.next(cursor) else { break };
            match token {
                Token::Move { code, second } => match choose(&line.position, &self.lists, code, second) {
                    Ok((coded, illegal)) => {
                        coded.effect(&line.position).apply(&mut self.lists);
                        line.before = Some(line.position);
                        self.reading.has_illegal |= illegal.is_some();
                        self.reading.plies += u32::from(is_main && outer.is_empty());
                        let in_san = style == Style::Variation;
                        match line.position.play_legal(coded.mv, &mut Undo::default()) {
                            Ok(san) if in_san => words.add(san),
                            Ok(_) => {
                                let before = line.before.unwrap_or(position);
                                words.add(LongMove(&before, coded.mv));
                            }
                            Err(_) => {
                                words.add(LongMove(&line.position, coded.mv));
                                line.position.play(coded.mv);
                            }
                        }
                    }
                    Err(impossible) => {
                        self.reading.has_undecodable = true;
                        let at = start.at;
                        words.add(format_args!("[code 0x{code:02x} at offset {at}: {impossible}]"));
                        tokens.skip_line(cursor, has_outer || !outer.is_empty());
                    }
                },
                Token::Nag(nag) => words.add(format_args!("${nag}")),
                Token::Text(byte, text) => {
                    if text.is_none() {
                        self.miss_text();
                    }
                    if let Some(comment) = tokens.comment(byte, text) {
                        words.add(format_args!("\"{}\"", comment.trim()));
                    }
                }
                Token::Start if outer.len() >= DEEPEST => {
                    if tokens.skip_line(cursor, true) {
                        tokens.next(cursor);
                    }
                }
                Token::Start => {
                    self.lists.start_variation();
                    outer.push(line);
                    line = Told {
                        position: line.before.unwrap_or(line.position),
                        before: None,
                    };
                    words.add("(");
                }
                Token::End => match outer.pop() {
                    Some(left) => {
                        self.lists.end_variation();
                        line = left;
                        words.add(")");
                    }
                    None if has_outer => {
                        *cursor = start;
                        break;
                    }
                    None => {}
                },
                Token::Finish => {
                    *cursor = start;
                    self.reading.is_finished = true;
                    break;
                }
                Token::Cut => words.add("[a code is cut off]"),
                Token::Result(_) | Token::Nothing => {}
            }
        }
        for _ in &outer {
            self.lists.end_variation();
            words.add(")");
        }
        words.text
    }
}

/// Words with blanks between them.
#[derive(Default)]
struct Words {
    text: String,
}

impl Words {
    fn add(&mut self, word: impl std::fmt::Display) {
        if !self.text.is_empty() {
            self.text.push(' ');
        }
        // Writing to a string cannot fail.
        let _ = write!(self.text, "{word}");
    }
}
