//! Writes the main lines of a database as CSV: `cargo run --example main_lines_to_csv -- games.si4 > games.csv`.

use std::error::Error;
use std::io::{self, ErrorKind, Write};

use chessdb::Database;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os()
        .nth(1)
        .ok_or("usage: main_lines_to_csv DATABASE")?;
    let database = chessdb::open(path)?;
    let written = write(&*database, &mut csv::Writer::from_writer(io::stdout().lock()));
    match written.as_ref().map_err(csv::Error::kind) {
        // The reader of a pipe has seen enough.
        Err(csv::ErrorKind::Io(error)) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        _ => Ok(written?),
    }
}

fn write(database: &dyn Database, rows: &mut csv::Writer<impl Write>) -> csv::Result<()> {
    rows.write_record(["game", "white", "black", "result", "start", "moves"])?;
    for (number, decoded) in (1..).zip(database.games()) {
        let game = decoded.game;
        let tag = |name| game.tags.get(name).unwrap_or("?").to_owned();
        let moves: Vec<String> = game.main_line().map(|played| played.san.to_string()).collect();
        rows.write_record([
            u32::to_string(&number),
            tag("White"),
            tag("Black"),
            tag("Result"),
            game.start().map_or_else(|| "?".to_owned(), |start| start.fen()),
            moves.join(" "),
        ])?;
        // Damage never stops reading; it is reported with each game.
        for problem in decoded.problems {
            eprintln!("game {number}: {problem}");
        }
    }
    Ok(rows.flush()?)
}
