//! Movetext: a flat list of tokens, and the builder that lets only legal moves into it.

use crate::board::{Color, Illegal, Move, Position, San, Undo};

/// One item of movetext, in PGN's order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token {
    /// A move of the current line.
    Move(San),
    /// A numeric annotation glyph for the move before it.
    Nag(u8),
    /// A comment on the move before it, or on what follows at the start of a line.
    Comment(TextRange),
    /// What follows, up to the matching end, may be played instead of the move before it.
    VariationStart,
    /// End of a variation.
    VariationEnd,
}

/// Where a comment stands in [`Movetext::text`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextRange {
    start: u32,
    end: u32,
}

/// The moves of a game with everything that is said about them.
///
/// A variation always follows a move, is never empty, and all its moves are legal.
#[derive(Clone, Debug, Default)]
pub struct Movetext {
    tokens: Vec<Token>,
    texts: String,
    first_ply: u32,
}

/// Tokens that a usual game has at most.
const USUAL: usize = 256;

impl Movetext {
    /// The tokens.
    pub fn tokens(&self) -> &[Token] {
        &self.tokens
    }

    /// The text of a comment.
    pub fn text(&self, range: TextRange) -> &str {
        self.texts
            .get(range.start as usize..range.end as usize)
            .unwrap_or_default()
    }

    /// Bytes of all comments.
    pub fn text_len(&self) -> usize {
        self.texts.len()
    }

    /// Plies before the first move: even when White begins, `2 * (first move number - 1)` then.
    pub fn first_ply(&self) -> u32 {
        self.first_ply
    }
}

/// A variation was begun where no move stands that it could replace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoMove;

/// Builds movetext and keeps the position.
///
/// Annotations of a move may come after its variations; they end up where PGN wants them, before them.
#[derive(Debug)]
pub struct MovetextBuilder {
    movetext: Movetext,
    line: Line,
    /// The lines that the current one branches off from, outermost first.
    outer: Vec<OuterLine>,
    /// Annotations that came after a variation of their move, with the place they belong to.
    late: Vec<(usize, Token)>,
    moves: u32,
}

#[derive(Clone, Copy, Debug)]
struct Line {
    position: Position,
    /// Takes the last move of this line back, where it has one.
    undo: Undo,
    has_move: bool,
    /// Where annotations of the last move belong once a variation stands behind it.
    anchor: Option<usize>,
}

#[derive(Clone, Copy, Debug)]
struct OuterLine {
    line: Line,
    /// Place of the inner line's [`Token::VariationStart`].
    start: usize,
    anchor_before: Option<usize>,
}

impl MovetextBuilder {
    /// Movetext that begins in `position` with move `first_move`.
    pub fn new(position: Position, first_move: u32) -> MovetextBuilder {
        let black = u32::from(position.turn() == Color::Black);
        MovetextBuilder {
            movetext: Movetext {
                tokens: Vec::with_capacity(USUAL),
                texts: String::new(),
                first_ply: first_move
                    .saturating_sub(1)
                    .saturating_mul(2)
                    .saturating_add(black),
            },
            line: Line {
                position,
                undo: Undo::default(),
                has_move: false,
                anchor: None,
            },
            outer: Vec::new(),
            late: Vec::new(),
            moves: 0,
        }
    }

    /// Makes room for this many more tokens.
    pub fn reserve(&mut self, tokens: usize) {
        self.movetext.tokens.reserve(tokens);
    }

    /// The position after the last move of the current line.
    pub fn position(&self) -> &Position {
        &self.line.position
    }

    /// The position before the last move of the current line: where a variation on it begins.
    pub fn position_before(&self) -> Option<Position> {
        self.line.has_move.then(|| {
            let mut position = self.line.position;
            position.take_back(&self.line.undo);
            position
        })
    }

    /// True when the current line has a move.
    pub fn has_move(&self) -> bool {
        self.line.has_move
    }

    /// Number of variations that are open.
    pub fn depth(&self) -> usize {
        self.outer.len()
    }

    /// Moves played so far in all lines.
    pub fn moves(&self) -> u32 {
        self.moves
    }

    /// Plays a move in the current line.
    ///
    /// # Errors
    /// The rule that it breaks; nothing has changed then.
    // Inlined so that each caller has only the code for the kind of move that it plays.
    #[inline(always)]
    pub fn play(&mut self, mv: Move) -> Result<(), Illegal> {
        let san = self.line.position.play_legal(mv, &mut self.line.undo)?;
        self.line.has_move = true;
        self.line.anchor = None;
        self.moves += 1;
        self.movetext.tokens.push(Token::Move(san));
        Ok(())
    }

    /// Begins an alternative to the last move of the current line.
    ///
    /// # Errors
    /// The line has no move yet.
    pub fn start_variation(&mut self) -> Result<(), NoMove> {
        let position = self.position_before().ok_or(NoMove)?;
        let start = self.movetext.tokens.len();
        let anchor_before = self.line.anchor;
        self.line.anchor = anchor_before.or(Some(start));
        self.outer.push(OuterLine {
            line: self.line,
            start,
            anchor_before,
        });
        self.movetext.tokens.push(Token::VariationStart);
        self.line = Line {
            position,
            undo: Undo::default(),
            has_move: false,
            anchor: None,
        };
        Ok(())
    }

    /// Ends the current variation; false where none is open.
    ///
    /// A variation without a move vanishes, and its comments go to the move that it would have replaced.
    pub fn end_variation(&mut self) -> bool {
        let Some(outer) = self.outer.pop() else {
            return false;
        };
        let is_empty = !self.line.has_move;
        self.line = outer.line;
        if is_empty {
            self.line.anchor = outer.anchor_before;
            let orphans = self.movetext.tokens.split_off(outer.start);
            for token in orphans {
                if matches!(token, Token::Comment(_)) {
                    self.annotate(token);
                }
            }
        } else {
            self.movetext.tokens.push(Token::VariationEnd);
        }
        true
    }

    /// Adds a glyph to the last move of the current line; 0, and one before the first move, are dropped.
    pub fn nag(&mut self, nag: u8) {
        if nag != 0 && self.has_move() {
            self.annotate(Token::Nag(nag));
        }
    }

    /// Adds a comment to the last move of the current line, or before its first move. Blank ones are dropped.
    pub fn comment(&mut self, text: &str) {
        if text.trim().is_empty() {
            return;
        }
        let texts = &mut self.movetext.texts;
        let start = texts.len();
        texts.push_str(text);
        if let (Ok(start), Ok(end)) = (u32::try_from(start), u32::try_from(texts.len())) {
            self.annotate(Token::Comment(TextRange { start, end }));
        }
    }

    fn annotate(&mut self, token: Token) {
        match self.line.anchor {
            Some(anchor) => self.late.push((anchor, token)),
            None => self.movetext.tokens.push(token),
        }
    }

    /// Closes open variations and gives the movetext.
    pub fn finish(mut self) -> Movetext {
        while self.end_variation() {}
        if !self.late.is_empty() {
            self.late.sort_by_key(|(place, _)| *place);
            self.movetext.tokens = merge(&self.movetext.tokens, &self.late);
        }
        self.movetext
    }
}

/// `tokens` with each late one inserted before the token at its place.
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
