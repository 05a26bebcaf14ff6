//! Lists the players of a database with their numbers of games, most games first:
//! `cargo run --example players -- games.cbh`.

use std::collections::HashMap;
use std::error::Error;
use std::io::{self, BufWriter, ErrorKind, Write};

use chessdb::Database;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1).ok_or("usage: players DATABASE")?;
    let database = chessdb::open(path)?;
    match list(&*database, &mut BufWriter::new(io::stdout().lock())) {
        // The reader of a pipe has seen enough.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        written => Ok(written?),
    }
}

fn list(database: &dyn Database, out: &mut impl Write) -> io::Result<()> {
    // Keys are numbers that are stored with a game, so no move is decoded and no text is read here.
    let mut by_id = HashMap::new();
    for game in 0..database.len() {
        let keys = database.keys(game);
        for player in [keys.white, keys.black] {
            *by_id.entry(player).or_insert(0u32) += 1;
        }
    }
    // Several ids may have the same text.
    let mut by_name: HashMap<String, u32> = HashMap::new();
    for (id, games) in by_id {
        *by_name.entry(database.text(id)).or_default() += games;
    }
    let mut players: Vec<(String, u32)> = by_name.into_iter().collect();
    players.sort_by(|(a, a_games), (b, b_games)| b_games.cmp(a_games).then(a.cmp(b)));
    for (name, games) in players {
        writeln!(out, "{games:6} {name}")?;
    }
    out.flush()
}
