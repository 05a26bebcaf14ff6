//! Start positions (section 7.2).

use shakmaty::{CastlingSide, Chess, Color, Piece, Position, Role};

use super::pieces::{number_of, square_of};

/// The 28 bytes of a position.
pub fn bytes(start: &Chess) -> Result<Vec<u8>, String> {
    let en_passant = start
        .maybe_ep_square()
        .map_or(0, |square| square.file() as u8 + 1);
    let turn = if start.turn().is_black() { 0x10 } else { 0 };
    let sides = [CastlingSide::QueenSide, CastlingSide::KingSide];
    let all = Color::ALL
        .iter()
        .flat_map(|&color| sides.map(|side| (color, side)));
    let mut rights = 0;
    for (bit, (color, side)) in all.enumerate() {
        rights |= u8::from(start.castles().has(color, side)) << bit;
    }
    let number = u8::try_from(start.fullmoves().get()).map_err(|_| "a first move after the 255th")?;
    let mut bytes = vec![1, en_passant | turn, rights, number];
    let mut bits = Vec::new();
    for square in (0..64).map(square_of) {
        let Some(Piece { color, role }) = start.board().piece_at(square) else {
            bits.push(0);
            continue;
        };
        let kind = match role {
            Role::King => 1,
            Role::Queen => 2,
            Role::Knight => 3,
            Role::Bishop => 4,
            Role::Rook => 5,
            Role::Pawn => 6,
        };
        bits.extend([
            1,
            u8::from(color.is_black()),
            kind >> 2 & 1,
            kind >> 1 & 1,
            kind & 1,
        ]);
    }
    bits.resize(192, 0);
    let (octets, _) = bits.as_chunks::<8>();
    bytes.extend(
        octets
            .iter()
            .map(|bits| bits.iter().fold(0, |byte, bit| byte << 1 | bit)),
    );
    Ok(bytes)
}

/// The 8 bytes that follow in Chess960: the squares of kings and rooks, and the number of the position, which
/// is not used.
pub fn rooks(start: &Chess) -> [u8; 8] {
    let king = |color| start.board().king_of(color).map_or(0, number_of);
    let rook = |color, side| start.castles().rook(color, side).map_or(0, number_of);
    let [short, long] = [CastlingSide::KingSide, CastlingSide::QueenSide];
    let squares = [
        king(Color::White),
        king(Color::Black),
        rook(Color::White, short),
        rook(Color::White, long),
        rook(Color::Black, short),
        rook(Color::Black, long),
        0,
        0,
    ];
    squares.map(|square| square as u8)
}
