//! Finds the games whose main line reaches a position:
//! `cargo run --example find_position -- games.pgn 'r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3'`.

use std::error::Error;
use std::ops::ControlFlow;

use chessdb::board::Fen;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(path), Some(fen)) = (arguments.next(), arguments.next()) else {
        return Err("usage: find_position DATABASE FEN".into());
    };
    // Keys of positions are equal if pieces, turn, castling rights and possible captures en passant are.
    let wanted = Fen::parse(&fen)?.position.key();
    let database = chessdb::open(path)?;
    for game in 0..database.len() {
        // The main line alone is decoded, without text. What follows the position is not decoded at all.
        database.main_line(game, &mut |ply| {
            let is_start = ply.number == 0 && ply.before().key() == wanted;
            if !is_start && ply.position.key() != wanted {
                return ControlFlow::Continue(());
            }
            let tags = database.tags(game);
            let player = |side| tags.get(side).unwrap_or("?");
            let plies = if is_start { 0 } else { ply.number + 1 };
            let (white, black) = (player("White"), player("Black"));
            println!("game {}, after {plies} half-moves: {white} - {black}", game + 1);
            ControlFlow::Break(())
        });
    }
    Ok(())
}
