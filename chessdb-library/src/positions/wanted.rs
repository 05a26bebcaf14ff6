//! Criteria of a search: a position, a pawn structure, or material.

use std::fmt;

use crate::lines::{Pieces, PlainBoard, move_name};
use chessdb::board::{
    Bitboard, ByColor, Color, Fen, FenFlaw, Move, Position, Rank, ReadError, Role, Setup, SetupError, Square,
    Undo,
};

/// The criterion of a search.
#[derive(Clone, Copy, Debug)]
// A search has only one value of this type.
#[allow(clippy::large_enum_variant)]
pub enum Wanted {
    /// A position.
    Position(Pattern),
    /// The squares of all pawns, regardless of other pieces and of the side to move.
    Pawns(Pawns),
    /// The pieces on the board, regardless of their squares and of the side to move.
    Material(Material),
}

impl Wanted {
    /// True if a position meets the criterion.
    #[inline]
    pub fn matches(&self, position: &Position) -> bool {
        match self {
            Wanted::Position(pattern) => pattern.matches(position),
            Wanted::Pawns(pawns) => pawns.matches(position),
            Wanted::Material(material) => material.matches(position),
        }
    }

    /// True if nothing but the pieces and the side to move count.
    pub(super) fn is_of_pieces(&self) -> bool {
        match self {
            Wanted::Position(pattern) => pattern.rights == Rights::None,
            Wanted::Pawns(_) | Wanted::Material(_) => true,
        }
    }

    /// False if no position with these pieces meets it.
    #[inline]
    pub(super) fn may_match(&self, board: &PlainBoard) -> bool {
        match self {
            Wanted::Position(pattern) => pattern.has_pieces_of(board),
            Wanted::Pawns(pawns) => pawns.matches(board),
            Wanted::Material(material) => material.matches(board),
        }
    }

    /// True only if no game that has reached `position` can still reach a match. False does not mean that one
    /// can.
    #[inline]
    pub(crate) fn is_past(&self, position: &impl Pieces) -> bool {
        let needs = match self {
            Wanted::Position(pattern) => &pattern.needs,
            Wanted::Pawns(pawns) => &pawns.needs,
            Wanted::Material(material) => &material.needs,
        };
        needs.are_lost(position)
    }
}

/// Pieces that a match requires and that cannot come back once they are gone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Needs {
    /// Pawns on their initial squares.
    pub(crate) home: ByColor<Bitboard>,
    /// Number of pieces.
    pub(crate) pieces: ByColor<u32>,
    /// Number of pawns.
    pub(crate) pawns: ByColor<u32>,
}

impl Needs {
    /// True if a game that has reached `position` will not have them again.
    pub(crate) fn are_lost(&self, position: &impl Pieces) -> bool {
        Color::ALL.into_iter().any(|color| {
            let pawns = position.of_kind(color, Role::Pawn);
            (self.home[color] & !pawns).any()
                || (position.pieces(color).count() as u32) < self.pieces[color]
                || (pawns.count() as u32) < self.pawns[color]
        })
    }
}

/// The pawns of `color` among `pawns` that have not moved.
pub(crate) fn at_home(pawns: Bitboard, color: Color) -> Bitboard {
    pawns & Bitboard::from_rank(color.relative_rank(Rank::Second))
}

/// The rights of a position that count in a [`Pattern`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rights {
    /// Castling rights and the en passant square.
    All,
    /// Castling rights.
    Castling,
    /// None.
    None,
}

/// A position as given by a FEN. Fields that the FEN leaves out match anything.
///
/// The right to capture en passant counts only if a pawn can legally do so.
#[derive(Clone, Copy, Debug)]
pub struct Pattern {
    position: Position,
    en_passant: Option<Square>,
    rights: Rights,
    needs: Needs,
}

impl Pattern {
    /// A pattern that only this position matches.
    ///
    /// ```
    /// use chessdb::board::Position;
    /// use chessdb_library::positions::Pattern;
    ///
    /// assert!(Pattern::new(Position::initial()).matches(&Position::initial()));
    /// ```
    pub fn new(position: Position) -> Pattern {
        let count = |color| position.pieces(color).count() as u32;
        let pawns = |color| position.of_kind(color, Role::Pawn);
        Pattern {
            en_passant: position.legal_en_passant(),
            rights: Rights::All,
            needs: Needs {
                home: ByColor::new_with(|color| at_home(pawns(color), color)),
                pieces: ByColor::new_with(count),
                pawns: ByColor::new_with(|color| pawns(color).count() as u32),
            },
            position,
        }
    }

    /// Reads a FEN or an EPD. If castling rights or the en passant square are left out, any match. Later
    /// fields are ignored.
    ///
    /// # Errors
    /// If the text is not FEN or names no side to move, or if no game can reach the position.
    pub fn parse(fen: &str) -> Result<Pattern, WantedError> {
        let fields: Vec<&str> = fen.split_ascii_whitespace().take(4).collect();
        let [board, turn, rest @ ..] = fields.as_slice() else {
            return Err(WantedError::NoTurn);
        };
        let castling = rest.first().copied();
        let en_passant = rest.get(1).copied();
        let text = format!(
            "{board} {turn} {} {}",
            castling.unwrap_or("KQkq"),
            en_passant.unwrap_or("-")
        );
        let position = Fen::parse(&text).map_err(|error| of_fen(&text, error))?.position;
        Ok(Pattern {
            rights: match (castling, en_passant) {
                (None, _) => Rights::None,
                (_, None) => Rights::Castling,
                _ => Rights::All,
            },
            ..Pattern::new(position)
        })
    }

    /// The position after a line of moves from the normal start position. Moves are in SAN or another
    /// notation that [`Position::read_move`] reads, with or without numbers.
    ///
    /// # Errors
    /// Names the first word that is not a legal move.
    pub fn of_moves(line: &str) -> Result<Pattern, WantedError> {
        let (_, position) = read_moves(line)?;
        Ok(Pattern::new(position))
    }

    /// The position. If any castling rights match, it has all that are possible.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// The rights that count.
    pub fn rights(&self) -> Rights {
        self.rights
    }

    /// The pattern of the same position in which other rights count.
    pub fn with_rights(self, rights: Rights) -> Pattern {
        if rights == Rights::None {
            // The position then has all castling rights that are possible, as if they were left out.
            let fen = self.position.fen();
            let fields: Vec<&str> = fen.split(' ').take(2).collect();
            if let Ok(pattern) = Pattern::parse(&fields.join(" ")) {
                return pattern;
            }
        }
        Pattern { rights, ..self }
    }

    /// True if castling rights and the en passant square both count.
    pub fn is_exact(&self) -> bool {
        self.rights == Rights::All
    }

    /// True if a position matches this pattern.
    #[inline]
    pub fn matches(&self, position: &Position) -> bool {
        self.has_pieces_of(position) && self.has_rights_of(position)
    }

    /// True if it has the same pieces and the same side to move.
    #[inline]
    pub(crate) fn has_pieces_of(&self, position: &impl Pieces) -> bool {
        let own = &self.position;
        let has_kinds = || {
            Role::ALL.into_iter().all(|role| {
                Color::ALL
                    .into_iter()
                    .all(|color| own.of_kind(color, role) == position.of_kind(color, role))
            })
        };
        own.occupied() == position.occupied()
            && own.turn() == position.turn()
            && own.pieces(Color::White) == position.pieces(Color::White)
            && has_kinds()
    }

    fn has_rights_of(&self, position: &Position) -> bool {
        let own = &self.position;
        (self.rights == Rights::None || own.castling_rooks() == position.castling_rooks())
            && (self.rights != Rights::All || self.en_passant == position.legal_en_passant())
    }

    /// True only if no game that has reached `position` can still reach a match. False does not mean that one
    /// can.
    pub(crate) fn is_past(&self, position: &impl Pieces) -> bool {
        self.needs.are_lost(position)
    }

    /// A pattern of another position that ignores the same rights.
    pub(super) fn with(&self, position: Position) -> Pattern {
        Pattern {
            rights: self.rights,
            ..Pattern::new(position)
        }
    }

    /// The pattern after a move, which ignores the same rights. `None` if the move is illegal.
    pub fn after(&self, mv: Move) -> Option<Pattern> {
        let mut position = self.position;
        position.advance(mv, &mut Undo::default()).ok()?;
        Some(self.with(position))
    }
}

/// The moves of a line from the normal start position, as people write them: `1. e4 c5`.
fn numbered(moves: &[Move]) -> String {
    let mut position = Position::initial();
    let mut words = Vec::new();
    for (ply, &mv) in moves.iter().enumerate() {
        if ply % 2 == 0 {
            words.push(format!("{}.", ply / 2 + 1));
        }
        words.extend(move_name(&position, mv));
        // The moves are legal.
        let _ = position.advance(mv, &mut Undo::default());
    }
    words.join(" ")
}

/// Reads a line of moves from the normal start position. Returns the moves and the position after them.
///
/// ```
/// use chessdb_library::positions::read_moves;
///
/// let (moves, _) = read_moves("1. e4 c5 2.Nf3").unwrap();
/// assert_eq!(moves.len(), 3);
/// let error = read_moves("e4 e4").unwrap_err().to_string();
/// assert_eq!(error, "'e4' is not a legal move after 1. e4: no pawn can go to e4");
/// ```
///
/// # Errors
/// Names the first word that is not a legal move.
pub fn read_moves(line: &str) -> Result<(Vec<Move>, Position), WantedError> {
    let mut position = Position::initial();
    let mut undo = Undo::default();
    let mut moves = Vec::new();
    for word in line.split_ascii_whitespace() {
        // `1.` and `1...` may precede a move without a space.
        let rest = word.trim_start_matches(|c: char| c.is_ascii_digit());
        let word = match rest.strip_prefix('.') {
            Some(rest) => rest.trim_start_matches('.'),
            None => word,
        };
        if word.is_empty() {
            continue;
        }
        let mv = position
            .read_move(word)
            .map_err(|error| WantedError::Move(word.to_owned(), numbered(&moves), error))?;
        // `read_move` has checked that the move is legal.
        let _ = position.advance(mv, &mut undo);
        moves.push(mv);
    }
    Ok((moves, position))
}

/// The squares of all pawns.
#[derive(Clone, Copy, Debug)]
pub struct Pawns {
    pawns: ByColor<Bitboard>,
    needs: Needs,
}

impl Pawns {
    /// Reads the pawns from the board of a FEN. Other pieces and fields are ignored, and the fields may be
    /// missing.
    ///
    /// # Errors
    /// If the text is not FEN.
    pub fn parse(fen: &str) -> Result<Pawns, WantedError> {
        let board = fen.split_ascii_whitespace().next().unwrap_or_default();
        let text = format!("{board} w - -");
        let setup: Setup = Fen::setup(&text).map_err(|error| of_fen(&text, error))?;
        Ok(Pawns::new(ByColor::new_with(|color| {
            setup.board.by_piece(color.pawn())
        })))
    }

    /// Exactly these pawns.
    pub(crate) fn new(pawns: ByColor<Bitboard>) -> Pawns {
        Pawns {
            needs: Needs {
                home: ByColor::new_with(|color| at_home(pawns[color], color)),
                pieces: ByColor::default(),
                pawns: ByColor::new_with(|color| pawns[color].count() as u32),
            },
            pawns,
        }
    }

    /// The squares of the pawns of each colour.
    pub(crate) fn squares(&self) -> ByColor<Bitboard> {
        self.pawns
    }

    /// Pawns on their initial squares: bits 0-7 for White, by file, and 8-15 for Black.
    pub(super) fn home(&self) -> u16 {
        let ByColor { white, black } = self.pawns;
        (white.0 >> 8 & 0xff) as u16 | ((black.0 >> 48 & 0xff) as u16) << 8
    }

    /// Number of pawns of a colour.
    pub(super) fn count(&self, color: Color) -> u32 {
        self.needs.pawns[color]
    }

    #[inline]
    fn matches(&self, position: &impl Pieces) -> bool {
        Color::ALL
            .into_iter()
            .all(|color| position.of_kind(color, Role::Pawn) == self.pawns[color])
    }
}

/// The pieces of both sides, without their squares.
#[derive(Clone, Copy, Debug)]
pub struct Material {
    counts: ByColor<[u8; 6]>,
    needs: Needs,
}

impl Material {
    /// Reads a list of pieces as letters in any order, upper case for White: `KRPkr`.
    ///
    /// # Errors
    /// If the list contains another character, or a side does not have exactly one king.
    pub fn parse(text: &str) -> Result<Material, WantedError> {
        let mut counts = ByColor::<[u8; 6]>::default();
        for letter in text.chars() {
            let role = Role::from_char(letter.to_ascii_lowercase()).ok_or(WantedError::Material)?;
            let color = Color::from_white(letter.is_ascii_uppercase());
            let count = &mut counts[color][role as usize - 1];
            *count = count.saturating_add(1);
        }
        let number = |color: Color, role: Role| counts[color][role as usize - 1];
        if Color::ALL.into_iter().any(|color| number(color, Role::King) != 1) {
            return Err(WantedError::Material);
        }
        let needs = Needs {
            home: ByColor::default(),
            pieces: ByColor::new_with(|color| counts[color].iter().copied().map(u32::from).sum()),
            pawns: ByColor::new_with(|color| number(color, Role::Pawn).into()),
        };
        Ok(Material { counts, needs })
    }

    /// Number of pieces of one kind and colour.
    pub(super) fn count(&self, color: Color, role: Role) -> u32 {
        self.counts[color][role as usize - 1].into()
    }

    #[inline]
    fn matches(&self, position: &impl Pieces) -> bool {
        let wanted: u32 = self.needs.pieces.iter().sum();
        position.occupied().count() as u32 == wanted && self.matches_rest(position)
    }

    fn matches_rest(&self, position: &impl Pieces) -> bool {
        Color::ALL.into_iter().all(|color| {
            Role::ALL.into_iter().all(|role| {
                let count = position.of_kind(color, role).count();
                count == usize::from(self.counts[color][role as usize - 1])
            })
        })
    }
}

/// Reason why a text is not a valid criterion.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WantedError {
    /// The text is not FEN.
    NotFen(FenFlaw),
    /// No game can reach the position.
    Fen(SetupError),
    /// The FEN has no second field.
    NoTurn,
    /// A word in a line of moves, the moves before it, and why it is not a legal move.
    Move(String, String, ReadError),
    /// The text is not a list of pieces.
    Material,
}

impl fmt::Display for WantedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WantedError::NotFen(flaw) => flaw.fmt(f),
            WantedError::Fen(error) => error.fmt(f),
            WantedError::NoTurn => f.write_str("the side to move is missing: add w or b after the board"),
            WantedError::Move(word, before, error) => {
                write!(f, "'{word}' is not a legal move")?;
                if !before.is_empty() {
                    write!(f, " after {before}")?;
                }
                match error {
                    ReadError::NotAMove => Ok(()),
                    error => write!(f, ": {error}"),
                }
            }
            WantedError::Material => f.write_str(
                "expected letters of pieces such as KRPkr, capital ones for White, with both kings",
            ),
        }
    }
}

impl std::error::Error for WantedError {}

/// The error of reading a FEN, with the place.
fn of_fen(text: &str, error: SetupError) -> WantedError {
    Fen::flaw(text).map_or(WantedError::Fen(error), WantedError::NotFen)
}

#[cfg(test)]
mod tests;
