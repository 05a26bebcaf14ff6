//! A format of one's own in forty lines: `cargo run --example own_format -- games.txt > games.pgn`.
//!
//! Each line of the file is a game, such as `Tal - Smyslov 1-0 e4 c6 d3`. Tables, searches and a mount take it from here.

use std::error::Error;
use std::io::{self, Write};

use chessdb::board::{Position, Undo};
use chessdb::game::{Date, Game, Outcome, Tags};
use chessdb::replay::Replay;
use chessdb::{Database, Decoded, Keys, Problem, TextId, pgn};

struct Lines(Vec<String>);

impl Lines {
    /// White, Black, the result and the moves of a game; empty where the line has no more words.
    fn fields(&self, game: u32) -> (&str, &str, Outcome, &str) {
        let line = self.0.get(game as usize).map_or("", String::as_str);
        let (white, rest) = line.split_once(" - ").unwrap_or((line, ""));
        let mut words = rest.splitn(3, ' ').map(str::trim);
        let mut next = || words.next().unwrap_or("");
        let (black, result) = (next(), next());
        let outcomes = [Outcome::WhiteWins, Outcome::Draw, Outcome::BlackWins];
        let outcome = outcomes.into_iter().find(|outcome| outcome.token() == result);
        (white, black, outcome.unwrap_or_default(), next())
    }
}

impl Database for Lines {
    fn len(&self) -> u32 {
        self.0.len() as u32
    }

    fn keys(&self, game: u32) -> Keys {
        Keys {
            white: TextId(2 * game),
            black: TextId(2 * game + 1),
            event: TextId(u32::MAX),
            date: Date::default(),
            event_year: 0,
            eco: None,
            outcome: self.fields(game).2,
            deleted: false,
        }
    }

    fn text(&self, id: TextId) -> String {
        let (white, black, ..) = self.fields(id.0 / 2);
        let name = if id.0.is_multiple_of(2) { white } else { black };
        if name.is_empty() { "?" } else { name }.to_owned()
    }

    fn game(&self, game: u32) -> Decoded {
        let (white, black, outcome, moves) = self.fields(game);
        let mut tags = Tags::new(outcome);
        tags.set_str("White", white);
        tags.set_str("Black", black);
        let (mut position, mut problems) = (Position::initial(), Vec::new());
        let mut movetext = Replay::builder(position, 1);
        for san in moves.split_whitespace() {
            // Reading never fails: what is wrong is a problem and a remark, and the game has the moves before it.
            let Ok(mv) = position.read_move(san) else {
                let what = format!("'{san}' is not a legal move");
                movetext.remark(&what);
                problems.push(Problem::damage("games.txt", None, what));
                break;
            };
            let played = position.advance(mv, &mut Undo::default()).is_ok() && movetext.play(mv).is_ok();
            debug_assert!(played, "a move that was read is legal");
        }
        let movetext = movetext.finish().0;
        Decoded {
            game: Game { tags, movetext },
            problems,
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1).ok_or("usage: own_format FILE")?;
    let text = std::fs::read_to_string(path)?;
    Ok(write(
        &Lines(text.lines().map(str::to_owned).collect()),
        &mut io::stdout().lock(),
    )?)
}

fn write(database: &dyn Database, out: &mut impl Write) -> io::Result<()> {
    for Decoded { game, problems } in database.games() {
        let mut text = Vec::new();
        pgn::append_game(&mut text, &game);
        out.write_all(&text)?;
        problems.iter().for_each(|problem| eprintln!("{problem}"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_a_game() {
        let lines = ["Tal - Smyslov 1-0 e4 c6 d3", "Bird - NN * e4 e4", ""];
        let database = Lines(lines.map(str::to_owned).to_vec());
        let mut out = Vec::new();
        write(&database, &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(
            text.contains("[White \"Tal\"]") && text.contains("1. e4 c6 2. d3 1-0"),
            "{text}"
        );
        assert!(text.contains("'e4' is not a legal move"), "{text}");
        assert_eq!(database.game(1).problems.len(), 1);
        // What follows from the four methods.
        let database: &dyn Database = &database;
        let mut plies = 0;
        database.main_line(0, &mut |_| {
            plies += 1;
            std::ops::ControlFlow::Continue(())
        });
        assert_eq!((plies, database.tags(0).get("Black")), (3, Some("Smyslov")));
        assert_eq!(database.text(database.keys(2).white), "?");
    }
}
