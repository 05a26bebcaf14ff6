//! Castling, and the loss of its right, in every arrangement of few pieces, compared with shakmaty.

use chessdb::board::{Bitboard, CastlingSide, Color, File, Move, Position, Rank, Role, Setup, Square, Undo};
use shakmaty::san::SanPlus;
use shakmaty::{CastlingMode, Chess, FromSetup as _, Position as _};

use super::oracle::compare;

/// King and rook of `color` on its first rank, with the right to castle, and the king of the other side elsewhere.
fn castling(color: Color, king: File, rook: File, other: Square) -> Setup {
    let at = |file: File| Square::from_coords(file, color.backrank());
    let mut setup = Setup::empty();
    setup.turn = color;
    setup.board.set_piece_at(at(king), color.king());
    setup.board.set_piece_at(at(rook), color.rook());
    setup.board.set_piece_at(other, (!color).king());
    setup.castling_rights = Bitboard::from_square(at(rook));
    setup
}

/// The position of a set-up in both programs; `None` if it is not legal.
fn both(setup: &Setup) -> Option<(Position, Chess)> {
    let theirs = Chess::from_setup(setup.clone(), CastlingMode::Chess960).ok()?;
    Some((Position::from_setup(setup).unwrap(), theirs))
}

#[test]
fn no_single_piece_allows_or_forbids_castling_wrongly() {
    let (mut positions, mut allowed) = (0, 0);
    let files = || File::ALL.into_iter();
    for (king, rook) in files().flat_map(|king| files().map(move |rook| (king, rook))) {
        if king == rook {
            continue;
        }
        for color in Color::ALL {
            let other = Square::from_coords(File::H, color.relative_rank(Rank::Sixth));
            let bare = castling(color, king, rook, other);
            for (square, role, of) in Square::ALL
                .into_iter()
                .flat_map(|square| Role::ALL.map(|role| (square, role)))
                .flat_map(|(square, role)| Color::ALL.map(|of| (square, role, of)))
            {
                if role == Role::King || bare.board.piece_at(square).is_some() {
                    continue;
                }
                let mut setup = bare.clone();
                setup.board.set_piece_at(square, role.of(of));
                let Some((ours, theirs)) = both(&setup) else {
                    continue;
                };
                positions += 1;
                for side in [CastlingSide::KingSide, CastlingSide::QueenSide] {
                    let castles = theirs.castling_moves(side).first().copied();
                    let mut after = ours;
                    let san = after.play_legal(Move::Castle(side), &mut Undo::default());
                    let expected =
                        castles.map(|castles| SanPlus::from_move(theirs.clone(), castles).to_string());
                    assert_eq!(
                        san.ok().map(|san| san.to_string()),
                        expected,
                        "{side:?} in {}",
                        ours.fen()
                    );
                    allowed += u32::from(expected.is_some());
                }
            }
        }
    }
    assert!(positions > 40_000 && allowed > 10_000, "{positions} {allowed}");
}

#[test]
fn a_rook_that_is_taken_loses_its_right() {
    let mut positions = 0;
    let files = || File::ALL.into_iter();
    for (king, rook) in files().flat_map(|king| files().map(move |rook| (king, rook))) {
        if king == rook {
            continue;
        }
        for color in Color::ALL {
            // The other side is to move, with a pawn that can take the rook or not, or with a piece beside it.
            let other = Square::from_coords(File::A, color.relative_rank(Rank::Fourth));
            for (role, square) in files()
                .map(|file| {
                    (
                        Role::Pawn,
                        Square::from_coords(file, color.relative_rank(Rank::Second)),
                    )
                })
                .chain(files().map(|file| (Role::Queen, Square::from_coords(file, color.backrank()))))
            {
                let mut setup = castling(color, king, rook, other);
                setup.turn = !color;
                if setup.board.piece_at(square).is_some() {
                    continue;
                }
                setup.board.set_piece_at(square, role.of(!color));
                if let Some((ours, theirs)) = both(&setup) {
                    compare(&ours, &theirs);
                    positions += 1;
                }
            }
        }
    }
    assert!(positions > 500, "{positions}");
}
