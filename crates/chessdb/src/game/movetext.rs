//! Movetext: a flat list of tokens, and its builder.

use std::borrow::Cow;

use crate::board::{Move, PackedMove, Position, San};

/// One item of movetext, in PGN's order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token {
    /// A move of the current line.
    Move(San, PackedMove),
    /// A numeric annotation glyph for the move before it.
    Nag(u8),
    /// A comment on the move before it, or on the line if it comes before the first move.
    Comment(TextRange),
    /// A comment of the decoder, in the same place, which describes a fault.
    Remark(TextRange),
    /// Start of a variation: an alternative to the move before it.
    VariationStart,
    /// End of a variation.
    VariationEnd,
}

/// Range of a comment or a remark in [`Movetext::text`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextRange {
    start: u32,
    end: u32,
}

/// The moves of a game with their annotations.
///
/// A variation always follows a move, is never empty, and all its moves are legal.
#[derive(Clone, Debug, Default)]
pub struct Movetext {
    tokens: Vec<Token>,
    texts: String,
    first_ply: u32,
}

/// Number of tokens in a large typical game.
const USUAL: usize = 256;

impl Movetext {
    /// The tokens.
    pub fn tokens(&self) -> &[Token] {
        &self.tokens
    }

    /// The text of a comment or a remark.
    pub fn text(&self, range: TextRange) -> &str {
        self.texts
            .get(range.start as usize..range.end as usize)
            .unwrap_or_default()
    }

    /// The same moves with other comments. Remarks stay as they are.
    pub fn with_comments(&self, change: impl Fn(&str) -> Cow<'_, str>) -> Movetext {
        let mut texts = String::with_capacity(self.texts.len());
        let mut append = |text: &str| {
            // A text beyond the largest possible offset becomes empty.
            let offset = |texts: &String| u32::try_from(texts.len()).unwrap_or(u32::MAX);
            let start = offset(&texts);
            texts.push_str(text);
            let end = offset(&texts);
            TextRange { start, end }
        };
        let tokens = self.tokens.iter().map(|&token| match token {
            Token::Comment(range) => Token::Comment(append(&change(self.text(range)))),
            Token::Remark(range) => Token::Remark(append(self.text(range))),
            token => token,
        });
        Movetext {
            tokens: tokens.collect(),
            texts,
            first_ply: self.first_ply,
        }
    }

    /// Length of all comments and remarks in bytes.
    pub fn text_len(&self) -> usize {
        self.texts.len()
    }

    /// Plies before the first move: `2 * (first move number - 1)`, and one more if Black begins.
    pub fn first_ply(&self) -> u32 {
        self.first_ply
    }
}

/// Builds movetext from legal moves, as the sink of a [`Replay`](crate::replay::Replay).
///
/// Annotations of a move may arrive after its variations; in the movetext, they come before the variations, as in PGN.
#[derive(Debug, Default)]
pub struct Tree {
    movetext: Movetext,
    /// Place for further annotations of the last move, once it has a variation.
    anchor: Option<usize>,
    outer: Vec<Outer>,
    /// Annotations that arrived after a variation of their move, with their places.
    late: Vec<(usize, Token)>,
}

/// A line that encloses a variation.
#[derive(Clone, Copy, Debug)]
struct Outer {
    /// Place of the variation's [`Token::VariationStart`].
    start: usize,
    /// The line's anchor before the variation.
    anchor: Option<usize>,
}

/// Highest number of a first move: the half-moves of the longest game after it can be counted, too. Whose move it is
/// follows from the count.
const MOST_MOVES: u32 = 2_000_000_000;

impl Tree {
    /// Empty movetext that starts from a position with move number `first_move`, with capacity for `tokens` tokens.
    pub fn beginning(position: &Position, first_move: u32, tokens: usize) -> Tree {
        Tree {
            movetext: Movetext {
                tokens: Vec::with_capacity(tokens.min(USUAL)),
                texts: String::new(),
                first_ply: first_move.clamp(1, MOST_MOVES) * 2 - 2 + u32::from(position.turn().is_black()),
            },
            ..Tree::default()
        }
    }

    #[inline(always)]
    pub(crate) fn add_move(&mut self, mv: Move, san: San) {
        self.anchor = None;
        self.movetext.tokens.push(Token::Move(san, PackedMove::new(mv)));
    }

    pub(crate) fn start_variation(&mut self) {
        let start = self.movetext.tokens.len();
        self.outer.push(Outer {
            start,
            anchor: self.anchor.take(),
        });
        self.movetext.tokens.push(Token::VariationStart);
    }

    /// Ends the current variation. An empty one is removed, and its comments are moved to the move that it
    /// would have replaced.
    pub(crate) fn end_variation(&mut self, is_empty: bool) {
        let Some(Outer { start, anchor }) = self.outer.pop() else {
            return;
        };
        if is_empty {
            self.anchor = anchor;
            for token in self.movetext.tokens.split_off(start) {
                if matches!(token, Token::Comment(_) | Token::Remark(_)) {
                    self.annotate(token);
                }
            }
        } else {
            self.anchor = anchor.or(Some(start));
            self.movetext.tokens.push(Token::VariationEnd);
        }
    }

    pub(crate) fn add_nag(&mut self, nag: u8) {
        self.annotate(Token::Nag(nag));
    }

    pub(crate) fn add_comment(&mut self, text: &str) {
        self.add_text(text, Token::Comment);
    }

    pub(crate) fn add_remark(&mut self, text: &str) {
        self.add_text(text, Token::Remark);
    }

    fn add_text(&mut self, text: &str, token: fn(TextRange) -> Token) {
        let texts = &mut self.movetext.texts;
        let start = texts.len();
        texts.push_str(text);
        if let (Ok(start), Ok(end)) = (u32::try_from(start), u32::try_from(texts.len())) {
            self.annotate(token(TextRange { start, end }));
        }
    }

    fn annotate(&mut self, token: Token) {
        match self.anchor {
            Some(anchor) => self.late.push((anchor, token)),
            None => self.movetext.tokens.push(token),
        }
    }

    pub(crate) fn into_movetext(mut self) -> Movetext {
        if !self.late.is_empty() {
            self.late.sort_by_key(|(place, _)| *place);
            self.movetext.tokens = merge(&self.movetext.tokens, &self.late);
        }
        self.movetext
    }
}

/// `tokens`, with each late token inserted before the token at its place.
fn merge(tokens: &[Token], late: &[(usize, Token)]) -> Vec<Token> {
    let mut merged = Vec::with_capacity(tokens.len() + late.len());
    let mut late = late.iter().peekable();
    for (place, &token) in tokens.iter().enumerate() {
        while let Some((_, annotation)) = late.next_if(|(anchor, _)| *anchor <= place) {
            merged.push(*annotation);
        }
        merged.push(token);
    }
    merged.extend(late.map(|(_, annotation)| *annotation));
    merged
}
