//! Positions as names of directories, and parsing other spellings of them.

use super::wanted::{Pattern, Rights, WantedError};
use chessdb::board::{Fen, File, Piece, Position, Rank, Square};

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
mod tests {
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
