//! `Database::main_line` returns the main line of the whole game, and stops when requested. `Database::tags` returns its
//! tags.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use chessdb::Options;
use chessdb::board::Move;
use chessdb::game::{Game, Token};
use chessdb_library::lines::PieceTally;
use chessdb_library::positions::LineEnd;

use super::*;
use testkit::cases;
use testkit::samples::{candidates, files_below, open, shared};

/// The moves of a decoded game's main line.
fn of_game(game: &Game) -> Vec<Move> {
    let mut depth = 0;
    let mut moves = Vec::new();
    for token in game.movetext.tokens() {
        match *token {
            Token::VariationStart => depth += 1,
            Token::VariationEnd => depth -= 1,
            Token::Move(_, mv) if depth == 0 => moves.push(mv.unpack()),
            _ => {}
        }
    }
    moves
}

/// After a break at a move, there are no further moves.
pub fn check_break(database: &dyn Database, game: u32, wanted: usize) {
    let mut seen = 0;
    database.main_line(game, &mut |ply| {
        assert_eq!(ply.number as usize, seen);
        seen += 1;
        if seen < wanted {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    });
    assert_eq!(seen, wanted, "game {game}");
}

/// Every database below the samples, damaged ones included.
fn databases() -> Vec<(String, Box<dyn Database>)> {
    let data = shared().join("data");
    let files = files_below(&data);
    let folders = files.iter().filter_map(|path| path.parent().map(Path::to_owned));
    let bases: BTreeSet<PathBuf> = files
        .iter()
        .map(|path| path.with_extension(""))
        .chain(folders)
        .collect();
    let found = bases.iter().flat_map(|base| candidates(base));
    let opened = found.filter_map(|(format, candidate)| {
        let name = candidate.files.first()?.1.display().to_string();
        Some((name, open(format, &candidate, &Options::default())?))
    });
    opened.collect()
}

/// The first games of a database, and every tenth of the others.
fn games(database: &dyn Database) -> impl Iterator<Item = u32> {
    let (first, step) = cases((200, 10), (u32::MAX, 1));
    (0..database.len()).filter(move |game| *game < first || game % step == 0)
}

#[test]
fn main_lines_and_tags_of_all_samples_are_those_of_the_games() {
    needs!(samples);
    let mut lines = 0;
    let databases = databases();
    for (name, database) in &databases {
        for game in games(&**database) {
            let whole = database.game(game).game;
            assert_eq!(database.tags(game), whole.tags, "{name}, game {}", game + 1);
            let expected = of_game(&whole);
            let in_movetext: Vec<Move> = whole.movetext.main_line().map(|(_, mv)| mv.unpack()).collect();
            assert_eq!(in_movetext, expected, "{name}, game {}", game + 1);
            let mut given = Vec::with_capacity(expected.len());
            database.main_line(game, &mut |ply| {
                given.push(ply.mv);
                ControlFlow::Continue(())
            });
            assert_eq!(given, expected, "{name}, game {}", game + 1);
            if !expected.is_empty() {
                check_break(&**database, game, expected.len().div_ceil(2));
            }
            lines += 1;
        }
    }
    assert!(
        lines > cases(5_000, 50_000) && databases.len() > 50,
        "{lines} main lines of {} databases",
        databases.len()
    );
}

#[test]
fn the_pieces_at_the_end_of_a_line_are_those_of_its_last_position() {
    needs!(samples);
    let mut takings = 0;
    for (name, database) in &databases() {
        for game in games(&**database) {
            let mut last = None;
            database.main_line(game, &mut |ply| {
                takings += usize::from(ply.captured().is_some());
                last = Some(*ply.position);
                ControlFlow::Continue(())
            });
            let Some(last) = last else { continue };
            let end = LineEnd::of(&**database, game);
            assert_eq!(
                end.material,
                PieceTally::of(&last).bits(),
                "{name}, game {}",
                game + 1
            );
        }
    }
    assert!(takings > 10_000, "{takings}");
}
