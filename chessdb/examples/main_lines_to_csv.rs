//! Writes the main lines of a database as CSV: `cargo run --example main_lines_to_csv -- games.si4 > games.csv`.

use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os()
        .nth(1)
        .ok_or("usage: main_lines_to_csv DATABASE")?;
    let database = chessdb::open(path)?;
    let mut rows = csv::Writer::from_writer(std::io::stdout().lock());
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
            game.start().fen(),
            moves.join(" "),
        ])?;
        // Damage never stops reading; it is reported with each game.
        for problem in decoded.problems {
            eprintln!("game {number}: {problem}");
        }
    }
    Ok(rows.flush()?)
}
