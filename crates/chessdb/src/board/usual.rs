//! SAN in its usual form, read with few branches: the processor can predict neither which piece moves nor whether it
//! takes.

use shakmaty::attacks;

use super::geometry::with_free_path;
use super::packed::PackedPiece;
use super::{Bitboard, Color, Position, Role, Square, Step};

impl Position {
    /// The step of a move in simple SAN: `Nf3`, `Nxf3`, `Nbd2`, `N1xf3`, `e4`, `exd5`. It has at most a file or a rank
    /// of departure, and no signs after the move. `text` has the first of its `len` characters in the lowest byte.
    ///
    /// `None` for text of any other form, for promotions and captures en passant, and if no piece or several have a free
    /// path. The step may leave the king in check.
    #[inline(always)]
    pub(crate) fn usual_step(&self, text: u64, len: usize) -> Option<Step> {
        let character = |place: usize| (text >> (8 * (place & 7))) as u8;
        let file = character(len.wrapping_sub(2)).wrapping_sub(b'a');
        let rank = character(len.wrapping_sub(1)).wrapping_sub(b'1');
        let to = Square::new(u32::from(file & 7) | u32::from(rank & 7) << 3);
        let role = ROLES[usize::from(character(0))];
        let is_pawn = role == Role::Pawn as u8;

        // The characters between the piece and the target. A pawn's file is both its letter and its departure.
        let letters = usize::from(!is_pawn);
        let count = len.wrapping_sub(2 + letters);
        let before = text >> (8 * letters) & !(u64::MAX << (8 * (count & 7)));
        let [departure, sign] = [before as u8, (before >> 8) as u8];
        let is_usual = (count <= 1) | ((count == 2) & (departure != b'x') & (sign == b'x'));

        let takes = is_pawn & (count > 0);
        let color = usize::from(self.turn.is_black()) * BLACK;
        let kind = color | usize::from(role);
        let row = kind | (usize::from(takes) * TAKING_PAWN);
        let candidates =
            self.by_kind[kind & 15] & SOURCES[row & 15][to as usize] & DEPARTURES[usize::from(departure)];
        let from = match candidates.single_square() {
            Some(from) => from,
            None => with_free_path(candidates, to, self.occupied()).single_square()?,
        };

        let taken = self.packed_at(to);
        let is_rare_pawn =
            is_pawn & ((takes != (taken != PackedPiece::NONE)) | Bitboard::BACKRANKS.contains(to));
        let is_step = is_usual & ((file | rank) < 8) & !taken.is_of(self.turn) & !is_rare_pawn;
        is_step.then(|| Step::of_pieces(self.packed_at(from), from, to, taken))
    }
}

/// The bit of Black in the number of a row of [`SOURCES`].
const BLACK: usize = 8;

/// The row of [`SOURCES`] for pawns that take. All other moves use the number of the role as their row.
const TAKING_PAWN: usize = 7;

/// The role for the first character of SAN, as a number; 0 if the character is not a piece.
static ROLES: [u8; 256] = roles();

/// The squares of departure that the character in front of the target permits: one file or one rank; the whole board
/// for `x` or any other character.
static DEPARTURES: [Bitboard; 256] = departures();

/// The squares that a piece can come from to reach a square of an otherwise empty board, by kind of piece and square.
static SOURCES: [[Bitboard; 64]; 16] = sources();

const fn roles() -> [u8; 256] {
    let mut table = [0; 256];
    let mut file = b'a';
    while file <= b'h' {
        table[file as usize] = Role::Pawn as u8;
        file += 1;
    }
    table[b'N' as usize] = Role::Knight as u8;
    table[b'B' as usize] = Role::Bishop as u8;
    table[b'R' as usize] = Role::Rook as u8;
    table[b'Q' as usize] = Role::Queen as u8;
    table[b'K' as usize] = Role::King as u8;
    table
}

const fn departures() -> [Bitboard; 256] {
    let mut table = [Bitboard::EMPTY; 256];
    table[0] = Bitboard::FULL;
    table[b'x' as usize] = Bitboard::FULL;
    let mut number = 0;
    while number < 8 {
        table[b'a' as usize + number] = Bitboard(0x0101_0101_0101_0101 << number);
        table[b'1' as usize + number] = Bitboard(0xff << (8 * number));
        number += 1;
    }
    table
}

const fn sources() -> [[Bitboard; 64]; 16] {
    let mut table = [[Bitboard::EMPTY; 64]; 16];
    let mut index = 0;
    while index < 64 {
        let to = Square::new(index as u32);
        let bishop = attacks::bishop_attacks(to, Bitboard::EMPTY);
        let rook = attacks::rook_attacks(to, Bitboard::EMPTY);
        let pieces = [
            attacks::knight_attacks(to),
            bishop,
            rook,
            Bitboard(bishop.0 | rook.0),
            attacks::king_attacks(to),
        ];
        let mut piece = 0;
        while piece < pieces.len() {
            table[2 + piece][index] = pieces[piece];
            table[BLACK + 2 + piece][index] = pieces[piece];
            piece += 1;
        }
        // A pawn that has not moved reaches the fourth rank of its side from two squares away.
        let square: u64 = 1 << index;
        let [white, black] = [square >> 8, square << 8];
        table[1][index] = Bitboard(white | if index / 8 == 3 { white >> 8 } else { 0 });
        table[BLACK + 1][index] = Bitboard(black | if index / 8 == 4 { black << 8 } else { 0 });
        table[TAKING_PAWN][index] = attacks::pawn_attacks(Color::Black, to);
        table[BLACK + TAKING_PAWN][index] = attacks::pawn_attacks(Color::White, to);
        index += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Fen, Move, Undo};

    const POSITIONS: [&str; 6] = [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1",
        "4k3/4r3/8/2N3N1/1b6/2N3N1/3PNP2/R3KB1R w KQ - 0 1",
        "1k5r/1P2p1P1/2p2p2/3pP3/2p4p/P2Q1P2/P1r4P/R4RK1 w - d6 0 2",
        "q2q4/k7/q2q4/8/3PpP2/4p3/6K1/3R4 b - d3 0 2",
    ];

    fn step(position: &Position, text: &str) -> Option<Step> {
        let mut characters = [0; 8];
        characters
            .iter_mut()
            .zip(text.bytes())
            .for_each(|(to, from)| *to = from);
        position.usual_step(u64::from_le_bytes(characters), text.len())
    }

    /// Texts of up to seven characters that look like moves.
    fn texts() -> impl Iterator<Item = String> {
        let pieces = ["", "N", "B", "R", "Q", "K", "P", "b", "x", "O"];
        let between = [
            "", "x", "a", "c", "d", "g", "h", "1", "3", "5", "ax", "dx", "gx", "3x", "5x", "c3", "xx", "xd",
            "1d", "-", "g-", "c3x",
        ];
        pieces.into_iter().flat_map(move |piece| {
            between.into_iter().flat_map(move |between| {
                Square::ALL
                    .into_iter()
                    .map(move |to| format!("{piece}{between}{to}"))
            })
        })
    }

    #[test]
    fn a_text_is_the_same_move_as_read_in_full_or_none() {
        for fen in POSITIONS {
            let position = Fen::parse(fen).unwrap().position;
            let mut played = 0;
            for text in texts().chain(["", "e", "4", "Nf", "N", "O-O", "e9", "i4", "Nf33"].map(str::to_owned))
            {
                let (mut after, mut undo) = (position, Undo::default());
                let usual = step(&position, &text)
                    .filter(|&step| after.play_step::<true>(step, &mut undo).is_some())
                    .map(|step| Move::normal(step.from(), step.to()));
                if let Some(mv) = usual {
                    assert_eq!(position.read_move(&text), Ok(mv), "{text} in {fen}");
                    played += 1;
                }
            }
            assert!(played > 10, "{played} in {fen}");
        }
    }

    #[test]
    fn nearly_all_moves_are_usual() {
        let (mut read, mut all) = (0, 0);
        for fen in POSITIONS {
            let position = Fen::parse(fen).unwrap().position;
            for (from, to) in Square::ALL
                .into_iter()
                .flat_map(|from| Square::ALL.map(|to| (from, to)))
            {
                let Ok(san) = { position }.play_legal(Move::normal(from, to), &mut Undo::default()) else {
                    continue;
                };
                let san = san.to_string();
                let found = step(&position, san.trim_end_matches(['+', '#']));
                assert!(
                    found.is_none_or(|step| (step.from(), step.to()) == (from, to)),
                    "{san} in {fen}"
                );
                all += 1;
                read += usize::from(found.is_some());
            }
        }
        assert!(read * 20 > all * 19, "{read} of {all}");
    }
}
