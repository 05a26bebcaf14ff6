//! Start positions (section 4.3).

use shakmaty::fen::Fen;
use shakmaty::{Board, CastlingSide, Chess, Color, EnPassantMode, File, Piece, Position, Rank, Role, Square};

use super::words::{number_of, square};
use crate::writers::source::SourceGame;

/// The words in front of a set-up of Chess960.
const SET_UP_960: u16 = 1000;
/// The start position of Chess960 that is the usual one.
const USUAL: u16 = 518;

/// The first words of pieces and of pawns, of White and of Black.
const PIECES: [u16; 2] = [0xc02d, 0xc16d];
const PAWNS: [u16; 2] = [0xc2ad, 0xc2dd];

/// Where a game begins.
pub enum Start {
    Usual,
    /// A start position of Chess960, by its number.
    Chess960(u16),
    /// A set-up, and whether it is one of Chess960.
    SetUp(Vec<u16>, bool),
}

impl Start {
    /// The start of a game.
    ///
    /// # Errors
    /// If castling rights cannot be stored.
    pub fn of(game: &SourceGame) -> Result<Start, String> {
        if game.tag("FEN").is_none() {
            return Ok(Start::Usual);
        }
        let is_chess960 = game.tag("Variant").is_some_and(|variant| variant.contains("960"));
        if is_chess960 && let Some(number) = number_in_chess960(&game.start) {
            return Ok(Start::Chess960(number));
        }
        Ok(Start::SetUp(set_up(&game.start, is_chess960)?, is_chess960))
    }

    pub fn is_set_up(&self) -> bool {
        !matches!(self, Start::Usual)
    }

    pub fn is_chess960(&self) -> bool {
        self.chess960().is_some()
    }

    /// The number of the start position in Chess960, 0 where it has none.
    pub fn chess960(&self) -> Option<u16> {
        match self {
            Start::Chess960(number) => Some(*number),
            Start::SetUp(_, true) => Some(0),
            _ => None,
        }
    }

    /// The words between the marks of the start and of the moves.
    pub fn words(&self) -> Vec<u16> {
        match self {
            Start::Usual => Vec::new(),
            Start::Chess960(number) => vec![*number],
            Start::SetUp(words, false) => words.clone(),
            Start::SetUp(words, true) => [&[SET_UP_960], words.as_slice()].concat(),
        }
    }
}

fn set_up(start: &Chess, is_chess960: bool) -> Result<Vec<u16>, String> {
    let board = start.board();
    let mut rights = 0;
    for color in Color::ALL {
        for side in [CastlingSide::QueenSide, CastlingSide::KingSide] {
            if let Some(rook) = start.castles().rook(color, side) {
                let is_known = if is_chess960 {
                    outermost(board, color, side) == Some(rook)
                } else {
                    board.king_of(color).map(Square::file) == Some(File::E) && is_corner(rook)
                };
                if !is_known {
                    return Err("castling with a rook that the format cannot name".to_owned());
                }
                rights |= 1u16 << (2 * color.fold_wb(0, 1) + u16::from(side.is_king_side()));
            }
        }
    }
    let number = u16::try_from(start.fullmoves().get()).map_err(|_| "a first move after the 65535th")?;
    let en_passant = start.ep_square(EnPassantMode::Legal);
    let mut words = vec![
        number,
        rights << 8 | u16::from(start.turn().is_black()),
        en_passant.map_or(0, |square| u32::from(square.file()) as u16 + 1),
    ];
    for square in (0..64).map(square) {
        if let Some(piece) = board.piece_at(square) {
            words.push(piece_word(piece, square));
        }
    }
    Ok(words)
}

/// The word of a piece on a square.
pub fn piece_word(Piece { color, role }: Piece, square: Square) -> u16 {
    let color = color.fold_wb(0, 1);
    let kind = match role {
        Role::Pawn => {
            let [file, rank] = [u32::from(square.file()), u32::from(square.rank())];
            return PAWNS[color] + 6 * file as u16 + rank.saturating_sub(1) as u16;
        }
        Role::King => 0,
        Role::Queen => 1,
        Role::Knight => 2,
        Role::Bishop => 3,
        Role::Rook => 4,
    };
    PIECES[color] + 64 * kind + number_of(square)
}

fn is_corner(square: Square) -> bool {
    matches!(square.file(), File::A | File::H)
}

/// The outermost rook of a side on a side of its king.
fn outermost(board: &Board, color: Color, side: CastlingSide) -> Option<Square> {
    let king = board.king_of(color)?;
    let rank = color.fold_wb(Rank::First, Rank::Eighth);
    let rooks = board.by_piece(color.rook()).into_iter();
    let mut rooks = rooks.filter(|rook| rook.rank() == rank && (*rook > king) == side.is_king_side());
    match side {
        CastlingSide::KingSide => rooks.next_back(),
        CastlingSide::QueenSide => rooks.next(),
    }
}

/// The number of a position among the start positions of Chess960; `None` for the usual one, which is stored in another
/// way.
fn number_in_chess960(start: &Chess) -> Option<u16> {
    let fen = Fen::from_position(start, EnPassantMode::Legal).to_string();
    let rank = fen.split('/').next()?;
    let number = (0..960).find(|&number| back_rank(number) == rank.as_bytes())?;
    let white = rank.to_uppercase();
    let is_start = fen.starts_with(&format!("{rank}/pppppppp/8/8/8/8/PPPPPPPP/{white} w "))
        && start.castles().castling_rights().count() == 4
        && start.fullmoves().get() == 1;
    (is_start && number != USUAL).then_some(number)
}

/// Black's back rank in a start position of Chess960.
fn back_rank(number: u16) -> [u8; 8] {
    /// Places of the knights among the five squares that bishops and queen leave.
    const KNIGHTS: [[usize; 2]; 10] = [
        [0, 1],
        [0, 2],
        [0, 3],
        [0, 4],
        [1, 2],
        [1, 3],
        [1, 4],
        [2, 3],
        [2, 4],
        [3, 4],
    ];
    let number = usize::from(number);
    let mut rank = [0; 8];
    rank[2 * (number % 4) + 1] = b'b';
    rank[2 * (number / 4 % 4)] = b'b';
    let free = |rank: &[u8; 8]| (0..8).filter(|&file| rank[file] == 0).collect::<Vec<_>>();
    let places = free(&rank);
    rank[places[number / 16 % 6]] = b'q';
    let places = free(&rank);
    for place in KNIGHTS[number / 96] {
        rank[places[place]] = b'n';
    }
    for (place, piece) in free(&rank).into_iter().zip(*b"rkr") {
        rank[place] = piece;
    }
    rank
}
