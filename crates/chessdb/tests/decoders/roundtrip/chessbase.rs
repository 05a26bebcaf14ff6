use std::collections::BTreeSet;

use chessdb::Database;
use chessdb_library::library::to_pgn;
use shakmaty::{EnPassantMode, Role, fen::Fen};

use super::random::{Kinds, game};
use super::*;
use testkit::pgn;
use testkit::samples::open_base;

/// A random game that a `.cbf` can store.
fn game_of_cbf(number: u64) -> SourceGame {
    let kinds = Kinds {
        variations: true,
        comments: true,
        nags: true,
        set_ups: true,
        null_moves: false,
    };
    let mut game = game(number, kinds);
    // No comment precedes the first move of a variation, and two glyphs have no code.
    let mut in_front = false;
    game.items.retain(|item| {
        let at_start = std::mem::replace(&mut in_front, *item == Item::VariationStart);
        let has_no_code = matches!(item, Item::Nag(11 | 12));
        !(has_no_code || at_start && matches!(item, Item::Comment(_)))
    });
    let year = game.tag("Date").map(|date| date[..4].to_owned()).unwrap();
    game.set_tag("Date", &format!("{year}.??.??"));
    let round = [number % 17, number % 3];
    game.set_tag("Round", &format!("{}.{}", round[0], round[1]));
    if game.tag("FEN").is_none() {
        let code = number % 511;
        let letter = char::from(b"ABCDEF"[code as usize / 100]);
        game.set_tag("ECO", &format!("{letter}{:02}", code % 100));
        let sub = number % 128;
        if sub > 0 {
            game.set_tag("ECOSub", &format!("{sub:02}"));
        }
    } else {
        // The half-move clock is not stored.
        let fen = Fen::from_position(&game.start, EnPassantMode::Legal).to_string();
        let mut fields: Vec<&str> = fen.split(' ').collect();
        fields[4] = "0";
        game.set_tag("FEN", &fields.join(" "));
    }
    let steps = number % 255;
    if steps > 0 {
        game.set_tag("WhiteElo", &(1600 + 5 * steps).to_string());
    }
    game.set_tag("White", &format!("Vachier-Lagrave,M{}", number % 300));
    game
}

#[test]
fn random_games_come_back_exactly() {
    let games: Vec<SourceGame> = (0..most_games()).map(game_of_cbf).collect();
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path().join("random");
    encode_chessbase::write(&games, &base).unwrap();
    let database = open_base(&base).unwrap();
    assert_comes_back(&*database, &games);
    check_ids(&*database, &games);
}

/// The same texts have the same ids, so there are no more ids than players.
fn check_ids(database: &dyn Database, games: &[SourceGame]) {
    let names = |name: &'static str| games.iter().map(move |game| game.tag(name).unwrap());
    let texts: BTreeSet<&str> = names("White")
        .chain(names("Black"))
        .chain(names("Event"))
        .collect();
    let keys = (0..database.len()).map(|game| database.keys(game));
    let ids: BTreeSet<_> = keys
        .flat_map(|keys| [keys.white, keys.black, keys.event])
        .collect();
    assert_eq!(ids.len(), texts.len());
}

#[test]
fn books_of_random_lines_come_back_in_both_readings() {
    let kinds = Kinds {
        variations: false,
        comments: false,
        nags: true,
        set_ups: false,
        null_moves: false,
    };
    let mut games: Vec<SourceGame> = (0..most_games() / 4).map(|number| game(number, kinds)).collect();
    for game in &mut games {
        game.items.truncate(24);
        let is_in_book = |item: &Item| match item {
            Item::Move(mv) => matches!(mv.promotion(), None | Some(Role::Queen)),
            _ => true,
        };
        let len = game.items.iter().take_while(|item| is_in_book(item)).count();
        game.items.truncate(len);
        game.items
            .retain(|item| matches!(item, Item::Move(_) | Item::Nag(2)));
    }
    let folder = tempfile::tempdir().unwrap();
    let mut books = Vec::new();
    for (reading, write) in [
        ("tree", encode_chessbase_book::write as fn(&[_], &_) -> _),
        ("flat", encode_chessbase_book::write_flat),
    ] {
        let base = folder.path().join(reading);
        write(&games, &base).unwrap();
        let book = open_base(&base).unwrap();
        assert!(book.info().rows.contains(&("reading", reading.to_owned())));
        assert_eq!(book.problems(), []);
        let lines: BTreeSet<Vec<String>> = (0..book.len()).map(|line| moves(&book.game(line).game)).collect();
        // Every game is a line or the beginning of one, and every line is a game.
        let expected: BTreeSet<Vec<String>> = games.iter().map(moves_of_source).collect();
        assert!(lines.is_subset(&expected));
        for game in &expected {
            let follows = lines.range(game.clone()..).next();
            assert!(follows.is_some_and(|line| line.starts_with(game)), "{game:?}");
        }
        let text = chessdb_library::library::to_pgn(&book.as_files().document(0));
        assert_eq!(pgn::read(&text).len(), 1);
        books.push(text);
    }
    assert_eq!(books[0], books[1]);
}

fn moves(game: &Game) -> Vec<String> {
    let items = items_of_game(game).into_iter();
    items.filter(|item| !item.starts_with('$')).collect()
}

fn moves_of_source(game: &SourceGame) -> Vec<String> {
    let items = game.texts().into_iter();
    items.filter(|item| !item.starts_with('$')).collect()
}

#[test]
fn an_unplayable_position_is_shown_in_a_remark_with_its_moves() {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path().join("kings");
    let remark = |fen: &str, moves: &str| {
        let text = format!("[SetUp \"1\"]\n[FEN \"{fen}\"]\n\n{moves} *\n");
        let games = super::source::read(text.as_bytes()).unwrap();
        encode_chessbase::write(&games, &base).unwrap();
        // The position is the last 33 bytes. White's king on e1 is in the upper half of its third byte.
        let path = base.with_extension("cbf");
        let mut bytes = std::fs::read(&path).unwrap();
        let king = bytes.len() - 33 + 2;
        bytes[king] &= 0x0f;
        std::fs::write(&path, bytes).unwrap();
        let decoded = open_base(&base).unwrap().game(0);
        assert_eq!(decoded.problems.len(), 1);
        String::from_utf8(to_pgn(&decoded.game))
            .unwrap()
            .replace('\n', " ")
    };
    let (kings, board) = ("4k3/8/8/8/8/8/P7/4K3 w - - 0 1", "4k3/8/8/8/8/8/P7/8 w - - 0 1");
    assert!(remark(kings, "").contains(&format!("{board} at .cbf")));
    assert!(remark(kings, "1. a4").contains(&format!("{board}; the stored line goes on a2a4 at .cbf")));
    // The moving piece is the missing one.
    let (kings, board) = ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", "4k3/8/8/8/8/8/8/8 w - - 0 1");
    assert!(remark(kings, "1. Ke2").contains(&format!("{board}; the stored line goes on ... at .cbf")));
}
