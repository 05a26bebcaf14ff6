//! Positions that are searched for, and their names.

use std::fmt;

use crate::lines::{Pieces, move_name};
use chessdb::board::{
    Bitboard, ByColor, Color, Fen, FenFlaw, File, Move, Piece, Position, Rank, ReadError, Role, Setup,
    SetupError, Square, Undo,
};

/// The properties that an index excludes games by.
#[derive(Clone, Copy, Debug)]
// A search has few values of this type.
#[allow(clippy::large_enum_variant)]
pub(crate) enum Wanted {
    /// A position.
    Position(Pattern),
    /// The squares of all pawns, regardless of other pieces and of the side to move.
    Pawns(ByColor<Bitboard>),
}

/// Pieces that a match requires and that cannot come back once they are off the board.
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
                || has_fewer(pawns, self.pawns[color])
                || self.pieces[color] > 0 && has_fewer(position.pieces(color), self.pieces[color])
        })
    }
}

/// True for fewer squares than `least`.
fn has_fewer(squares: Bitboard, least: u32) -> bool {
    match least {
        // Fast path: most patterns have few pieces, and counting takes long.
        0 => false,
        1 => squares.is_empty(),
        2 => (squares.0 & squares.0.wrapping_sub(1)) == 0,
        _ => (squares.count() as u32) < least,
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

    /// The position. If castling rights do not matter, it has all that are possible.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// The rights that count.
    pub fn rights(&self) -> Rights {
        self.rights
    }

    /// The pattern of the same position with other rights that count.
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

    /// True if nothing but the pieces and the side to move count.
    pub(super) fn is_of_pieces(&self) -> bool {
        self.rights == Rights::None
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

/// Reads the squares of all pawns from the board of a FEN. Other pieces and fields are ignored, and the fields may be
/// missing.
///
/// # Errors
/// If the text is not FEN.
pub(crate) fn read_pawns(fen: &str) -> Result<ByColor<Bitboard>, WantedError> {
    let board = fen.split_ascii_whitespace().next().unwrap_or_default();
    let text = format!("{board} w - -");
    let setup: Setup = Fen::setup(&text).map_err(|error| of_fen(&text, error))?;
    Ok(ByColor::new_with(|color| setup.board.by_piece(color.pawn())))
}

/// Reason why a text is not a position.
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
        }
    }
}

impl std::error::Error for WantedError {}

/// The error of reading a FEN, with the place.
fn of_fen(text: &str, error: SetupError) -> WantedError {
    Fen::flaw(text).map_or(WantedError::Fen(error), WantedError::NotFen)
}

/// The name of a position: its EPD with `-` between ranks and `_` between fields. The en passant square is
/// only set if a legal capture is possible.
///
/// ```
/// use chessdb::board::Position;
/// use chessdb_library::positions::position_name;
///
/// let name = "rnbqkbnr-pppppppp-8-8-8-8-PPPPPPPP-RNBQKBNR_w_KQkq_-";
/// assert_eq!(position_name(&Position::initial()), name);
/// ```
pub fn position_name(position: &Position) -> String {
    name_of(&epd(position))
}

/// The name of a pattern: the name of its position without the rights that do not count.
///
/// ```
/// use chessdb_library::positions::{Pattern, pattern_name};
///
/// let pattern = Pattern::parse("8/8/4k3/8/r7/4P3/4K3/7R w").unwrap();
/// assert_eq!(pattern_name(&pattern), "8-8-4k3-8-r7-4P3-4K3-7R_w");
/// ```
pub fn pattern_name(pattern: &Pattern) -> String {
    name_of(&pattern_epd(pattern))
}

fn name_of(epd: &str) -> String {
    // Ranks contain no `-`, so the first seven are between ranks.
    epd.replacen('/', "-", 7).replace(' ', "_")
}

/// The EPD of a position: FEN without counters, with the en passant square only if a legal capture is
/// possible.
pub fn epd(position: &Position) -> String {
    fields(position, 4)
}

/// The EPD of a pattern's position without the rights that do not count.
pub fn pattern_epd(pattern: &Pattern) -> String {
    let number = match pattern.rights() {
        Rights::All => 4,
        Rights::Castling => 3,
        Rights::None => 2,
    };
    fields(pattern.position(), number)
}

/// The first fields of the FEN of a position.
fn fields(position: &Position, number: usize) -> String {
    let mut setup = position.setup();
    setup.ep_square = position.legal_en_passant();
    let fen = Fen::text(&setup);
    fen.split(' ').take(number).collect::<Vec<_>>().join(" ")
}

/// The name of the normal start position.
pub fn initial_name() -> String {
    position_name(&Position::initial())
}

/// A diagram of a position with White at the bottom, a dot for each empty square.
///
/// ```
/// use chessdb::board::Position;
/// use chessdb_library::positions::diagram;
///
/// let diagram = diagram(&Position::initial());
/// assert_eq!(diagram.lines().nth(6), Some("2  P P P P P P P P"));
/// assert_eq!(diagram.lines().last(), Some("White to move"));
/// ```
pub fn diagram(position: &Position) -> String {
    let mut text = String::new();
    for rank in Rank::ALL.into_iter().rev() {
        text.push(rank.char());
        text.push(' ');
        for file in File::ALL {
            let piece = position.piece_at(Square::from_coords(file, rank));
            text.push(' ');
            text.push(piece.map_or('.', Piece::char));
        }
        text.push('\n');
    }
    text.push_str("\n   a b c d e f g h\n\n");
    text + position.turn().fold_wb("White to move\n", "Black to move\n")
}

/// Parses the name of a position in one of many spellings: FEN or EPD, with one of the characters `-.|:∕` or
/// `%2F` between ranks, and with spaces, `_` or `%20` between fields. If castling rights or the en passant square are
/// left out, any match.
///
/// # Errors
/// As [`Pattern::parse`].
pub fn read_position(name: &str) -> Result<Pattern, WantedError> {
    let escapes = [("%2F", "/"), ("%2f", "/"), ("%20", " "), ("_", " ")];
    let name = escapes.iter().fold(name.to_owned(), |name, (escape, character)| {
        name.replace(escape, character)
    });
    let (board, rest) = name.split_once(' ').unwrap_or((&name, ""));
    let board = board.replace(['-', '.', '|', ':', '\u{2215}', '\u{2044}'], "/");
    Pattern::parse(&format!("{board} {rest}"))
}

#[cfg(test)]
mod name_tests {
    use super::*;

    #[test]
    fn positions_are_read_in_many_forms() {
        let fen = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq";
        let board = fen.split(' ').next().unwrap();
        let canonical = format!("{} b KQkq -", board.replace('/', "-")).replace(' ', "_");
        for text in [
            canonical.clone(),
            format!("{fen} e3 0 1"),
            format!("{fen} -"),
            fen.replace('/', ".") + " -",
            fen.replace('/', "%2F").replace(' ', "_") + "_-",
            fen.replace('/', "\u{2215}") + " e3",
            fen.replace('/', "%2f")
                .replacen("%2f", "%2F", 3)
                .replace(' ', "%20")
                + "%20-",
        ] {
            let pattern = read_position(&text).unwrap();
            assert_eq!(position_name(pattern.position()), canonical, "{text}");
        }
        for (text, name) in [
            (fen.to_owned(), canonical.trim_end_matches("_-")),
            (format!("{board} b"), canonical.trim_end_matches("_KQkq_-")),
        ] {
            let pattern = read_position(&text).unwrap();
            assert_eq!(pattern_name(&pattern), name, "{text}");
        }
        for text in [board, "", "x", "8/8 w - -", "start"] {
            assert!(read_position(text).is_err(), "{text}");
        }
    }

    #[test]
    fn en_passant_is_named_where_a_pawn_can_be_captured() {
        let name = |fen: &str| position_name(&Fen::parse(fen).unwrap().position);
        assert_eq!(
            name("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1"),
            "4k3-8-8-3pP3-8-8-8-4K3_w_-_d6"
        );
        // The pawn is pinned.
        assert_eq!(
            name("8/8/8/K2pP2r/8/8/8/7k w - d6 0 1"),
            "8-8-8-K2pP2r-8-8-8-7k_w_-_-"
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_fen_leaves_out_may_be_anything() {
        let (_, reached) = read_moves("e4 a6 e5 d5").unwrap();
        let board = "rnbqkbnr/1pp1pppp/p7/3pP3/8/8/PPPP1PPP/RNBQKBNR";
        for (rest, matches) in [
            ("w KQkq d6 0 3", true),
            ("w KQkq d6", true),
            ("w KQkq -", false),
            ("w KQkq", true),
            ("w", true),
            ("w KQk", false),
            ("b", false),
        ] {
            let pattern = Pattern::parse(&format!("{board} {rest}")).unwrap();
            assert_eq!(pattern.matches(&reached), matches, "{rest}");
        }
        assert_eq!(Pattern::parse(board).unwrap_err(), WantedError::NoTurn);
    }

    #[test]
    fn fewer_squares_are_noticed() {
        let squares = |count: u32| Square::ALL.into_iter().rev().take(count as usize).collect();
        for count in 0..=64 {
            for least in 0..=64 {
                assert_eq!(has_fewer(squares(count), least), count < least, "{count} {least}");
            }
        }
    }

    #[test]
    fn en_passant_counts_where_a_pawn_can_capture() {
        let (_, reached) = read_moves("e4").unwrap();
        for en_passant in ["e3", "-"] {
            let fen = format!("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq {en_passant}");
            assert!(Pattern::parse(&fen).unwrap().matches(&reached));
        }
    }
}
