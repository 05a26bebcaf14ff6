//! The PGN writer: readers find exactly the game that was written.

use testkit::harness;

mod injection;
pub mod layout;
mod python;
mod random;

use chessdb::board::{Move, Position, Square};
use chessdb::replay::Replay;

#[test]
fn a_number_of_four_digits_has_three_points_before_black() {
    let knights = [
        (Square::G1, Square::F3),
        (Square::G8, Square::F6),
        (Square::F3, Square::G1),
        (Square::F6, Square::G8),
    ];
    let mut replay = Replay::builder(Position::initial(), 1);
    for (ply, (from, to)) in knights.into_iter().cycle().take(2003).enumerate() {
        replay.play(Move::normal(from, to)).unwrap();
        // The number is repeated after a comment.
        if ply >= 1994 {
            replay.comment("x");
        }
    }
    let game = chessdb::game::Game {
        movetext: replay.finish().0,
        ..chessdb::game::Game::default()
    };
    let text = String::from_utf8(chessdb::pgn::to_text(&game))
        .unwrap()
        .replace('\n', " ");
    let end = "998. Ng1 {x} 998... Ng8 {x} 999. Nf3 {x} 999... Nf6 {x} 1000. Ng1 {x} 1000... Ng8 {x} 1001. Nf3 {x} \
               1001... Nf6 {x} 1002. Ng1 {x}";
    assert!(text.contains(end), "{}", &text[text.len() - 300..]);
}
