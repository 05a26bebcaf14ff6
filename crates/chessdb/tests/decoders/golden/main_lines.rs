//! `Database::main_line` returns the main line of the whole game, and stops when requested. `Database::tags` returns its
//! tags.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use chessdb::Options;
use chessdb::board::Move;
use chessdb::game::{Date, Game, Tags, Token, rating};
use chessdb_library::lines::PieceTally;
use chessdb_library::positions::LineEnd;

use super::*;
use testkit::samples::{candidates, files_below, open, shared};
use testkit::{Random, cases};

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

/// What a game is sorted by and searched for without its tags: players, event, place if it is known without them, result,
/// date, opening code and ratings.
fn sorted_by(database: &dyn Database, game: u32) -> String {
    let (keys, ratings) = (database.keys(game), database.ratings(game));
    let eco = keys.eco.map(|eco| eco.to_string());
    let ratings = [ratings.white, ratings.black];
    let names = [
        Some(keys.white),
        Some(keys.black),
        Some(keys.event),
        database.site(game),
    ];
    let names = names.map(|name| name.map(|name| database.text(name)));
    format!("{names:?} {} {} {eco:?} {ratings:?}", keys.outcome, keys.date)
}

/// [`sorted_by`] as it follows from the tags, with or without the place.
fn follows_from(tags: &Tags, has_site: bool) -> String {
    let names = [
        ("White", true),
        ("Black", true),
        ("Event", true),
        ("Site", has_site),
    ];
    let names = names.map(|(name, is_shown)| tags.get(name).filter(|_| is_shown));
    let ratings = ["WhiteElo", "BlackElo"].map(|name| tags.get(name).and_then(rating));
    let (date, _) = Date::read(tags.get("Date").unwrap());
    // Scid adds further characters to a code.
    let eco = tags.get("ECO").and_then(|eco| eco.get(..3));
    format!("{names:?} {} {date} {eco:?} {ratings:?}", tags.outcome())
}

/// True for a game with comments, glyphs or variations.
fn is_annotated(game: &Game) -> bool {
    let mut tokens = game.movetext.tokens().iter();
    tokens.any(|token| !matches!(token, Token::Move(..) | Token::Remark(_)))
}

/// Whatever words are written, none of them is an annotation where [`Database::has_only_moves`] says so.
#[test]
fn movetext_that_is_taken_for_plain_has_no_annotations() {
    const WORDS: [&str; 48] = [
        "1.", "2...", "12", "e4", "e5", "Nf3", "Nc6", "d4", "exd4", "Nxd4", "a1=Q", "b8=N+", "O-O", "0-0",
        "N", "D", "=", "e4=", "Nf3N", "+", "#", "e4+", "e4+-", "e4++", "--", "1-0", "1/2-1/2", "*", "1/2",
        "K", "Ke2#", "hxg8=R#", "R8", "ep", "e4e5", "1.e4", "2.N", "1.=e4", "e4D", "Qd1-d3", "O", "12e4",
        "...", "0-0-0", "1-2", "e4f5", "2/2", "0",
    ];
    let mut random = Random(7);
    let text = |_| {
        let words = (0..1 + random.below(7)).map(|_| WORDS[random.below(WORDS.len())]);
        let words: Vec<&str> = words.collect();
        format!("[Event \"?\"]\n\n{}\n\n", words.join(" "))
    };
    let all: String = (0..cases(20_000, 2_000_000)).map(text).collect();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("words.pgn");
    std::fs::write(&path, all).unwrap();
    let database = chessdb::open(&path).unwrap();
    let plain = (0..database.len()).filter(|&game| database.has_only_moves(game));
    let mut count = 0;
    for game in plain {
        let whole = database.game(game).game;
        assert!(!is_annotated(&whole), "{whole}");
        count += usize::from(whole.movetext.main_line().count() > 0);
    }
    assert!(count > 500, "{count} of {}", database.len());
}

#[test]
fn main_lines_and_tags_of_all_samples_are_those_of_the_games() {
    needs!(samples);
    let (mut lines, mut plain) = (0, 0);
    let databases = databases();
    for (name, database) in &databases {
        for game in games(&**database) {
            let whole = database.game(game).game;
            assert_eq!(database.tags(game), whole.tags, "{name}, game {}", game + 1);
            assert_eq!(
                sorted_by(&**database, game),
                follows_from(&whole.tags, database.site(game).is_some()),
                "{name}, game {}",
                game + 1
            );
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
            if database.has_only_moves(game) {
                assert!(!is_annotated(&whole), "{name}, game {}", game + 1);
                plain += 1;
            }
        }
    }
    assert!(plain > 100, "{plain} games without annotations");
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
