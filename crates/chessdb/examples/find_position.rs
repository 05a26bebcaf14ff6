//! Finds the games whose main line reaches a position:
//! `cargo run --example find_position -- games.pgn 'r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3'`.

use std::error::Error;
use std::io::{self, ErrorKind, Write};
use std::ops::ControlFlow;

use chessdb::Database;
use chessdb::board::{Fen, Position};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(path), Some(fen)) = (arguments.next(), arguments.next()) else {
        return Err("usage: find_position DATABASE FEN".into());
    };
    let wanted = Fen::parse(&fen)?.position;
    let database = chessdb::open(path)?;
    match find(&*database, &wanted, &mut io::stdout().lock()) {
        // The reader of a pipe has seen enough.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        written => Ok(written?),
    }
}

fn find(database: &dyn Database, wanted: &Position, out: &mut impl Write) -> io::Result<()> {
    // Keys of positions are equal if pieces, turn, castling rights and possible captures en passant are.
    let wanted = wanted.key();
    for game in 0..database.len() {
        let mut found = None;
        // The main line alone is decoded, without text. What follows the position is not decoded at all.
        database.main_line(game, &mut |ply| {
            let is_start = ply.number == 0 && ply.before().key() == wanted;
            if !is_start && ply.position.key() != wanted {
                return ControlFlow::Continue(());
            }
            found = Some(if is_start { 0 } else { ply.number + 1 });
            ControlFlow::Break(())
        });
        if let Some(plies) = found {
            let tags = database.tags(game);
            let player = |side| tags.get(side).unwrap_or("?");
            let (white, black) = (player("White"), player("Black"));
            writeln!(
                out,
                "game {}, after {plies} half-moves: {white} - {black}",
                game + 1
            )?;
        }
    }
    Ok(())
}
