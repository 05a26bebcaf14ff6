//! Kept lines: the same main lines and answers as without them, whatever happens to their file.

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use chessdb::board::{Move, Position};
use chessdb::{Database, Options};
use chessdb_library::kept::{KeptFiles, Space};
use chessdb_library::library::{Library, LibraryEntry, to_pgn};
use chessdb_library::positions::{AnswerOptions, BuildOptions, DatabasePart, IndexUse, Pattern, Positions};
use chessdb_library::query::Query;
use chessdb_library::task::Cancel;
use testkit::fake::{Fake, game};
use testkit::needs;
use testkit::samples::{all_bases, open_base};
use testkit::{Random, cases};

/// A database whose lines are kept in a folder.
fn kept_in(entry: &LibraryEntry, cache: &Path) -> Positions {
    let positions = Positions::new(&entry.clone().into(), BuildOptions::default());
    positions.keep_in(&KeptFiles::open(cache, "", Space::default()).unwrap());
    positions
}

/// Opens the only database of a file.
fn open(path: &Path) -> Library {
    let library = Library::open(path, &Options::default()).unwrap();
    assert_eq!(library.databases().len(), 1, "{}", path.display());
    library
}

/// The files of a folder in which lines are kept.
fn files_in(cache: &Path) -> Vec<PathBuf> {
    let files = fs::read_dir(cache).unwrap().map(|file| file.unwrap().path());
    files
        .filter(|path| path.extension().is_some_and(|kind| kind == "lines"))
        .collect()
}

/// The moves of a game's main line, and the position after each.
fn line(database: &dyn Database, game: u32) -> Vec<(Move, Position)> {
    let mut line = Vec::new();
    database.main_line(game, &mut |ply| {
        assert_eq!(ply.number as usize, line.len());
        line.push((ply.mv, *ply.position));
        ControlFlow::Continue(())
    });
    line
}

/// Makes the lines of a database, and compares up to `most` games with those that the database itself gives.
/// Returns the number of moves compared.
fn assert_same_lines(entry: &LibraryEntry, most: u32) -> usize {
    let cache = tempfile::tempdir().unwrap();
    let positions = kept_in(entry, cache.path());
    positions.lines().make(2, &|_| ());
    assert!(positions.lines().are_kept(), "{}", entry.name());
    let (own, kept) = (&*entry.database, &*positions.entry().database);
    let step = own.len().div_ceil(most).max(1);
    let games = (0..own.len()).step_by(step as usize);
    games
        .map(|game| {
            let expected = line(own, game);
            let name = entry.name();
            assert!(line(kept, game) == expected, "{name}, game {}", game + 1);
            expected.len()
        })
        .sum()
}

#[test]
fn kept_lines_are_those_of_the_database() {
    needs!(samples);
    let mut moves = 0;
    for base in all_bases() {
        // Each database of the folder counts once, with its companions.
        let Ok(library) = Library::open(base.parent().unwrap(), &Options::default()) else {
            continue;
        };
        let name = base.file_name().unwrap().to_str().unwrap();
        let own = library
            .databases()
            .iter()
            .filter(|entry| entry.name().contains(name));
        moves += own
            .map(|entry| assert_same_lines(entry, cases(200, u32::MAX)))
            .sum::<usize>();
    }
    assert!(moves > 500_000, "{moves}");
}

/// A game of PGN with this number of half-moves, after these tags.
fn of_length(tags: &str, plies: usize) -> String {
    let cycle = ["Nf3", "Nf6", "Ng1", "Ng8"];
    let moves: Vec<&str> = cycle.into_iter().cycle().take(plies).collect();
    let lines: Vec<String> = moves.chunks(16).map(|some| some.join(" ")).collect();
    format!("[Event \"{plies}\"]\n{tags}\n{} *\n\n", lines.join("\n"))
}

/// The number of words of a game has two bytes up to 65,534. A game that begins elsewhere has three more.
#[test]
fn games_of_any_length_are_kept() {
    let set_up = "[SetUp \"1\"]\n[FEN \"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1\"]\n";
    let mut text = String::new();
    for plies in [0, 1, 65_533, 65_534, 65_535, 65_536] {
        text += &of_length("", plies);
        text += &of_length(set_up, plies);
    }
    for plies in [65_530, 65_531, 65_532, 2] {
        text += &of_length(set_up, plies);
    }
    // Others before and after blocks of 64 games.
    for _ in 0..120 {
        text += &of_length("", 3);
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("long.pgn");
    fs::write(&path, text).unwrap();
    let library = open(&path);
    let lens = [0, 2, 4, 6, 8, 10].map(|game| line(&*library.databases()[0].database, game).len());
    assert_eq!(lens, [0, 1, 65_533, 65_534, 65_535, 65_536]);
    assert!(assert_same_lines(&library.databases()[0], u32::MAX) > 700_000);
}

#[test]
fn special_moves_and_start_positions_are_kept() {
    let games = [
        // En passant to both sides, promotions with and without a capture, castling to both sides.
        (
            "",
            "e4 a6 e5 d5 exd6 h6 dxc7 h5 cxb8=N h4 g4 hxg3 Nc3 gxh2 Bg2 hxg1=Q",
        ),
        (
            "",
            "e4 d5 exd5 c6 dxc6 Nf6 cxb7 Nfd7 bxa8=Q e5 Nf3 Be7 Be2 O-O O-O",
        ),
        ("", "d4 d5 Nc3 Nc6 Bf4 Bf5 Qd2 Qd7 O-O-O O-O-O"),
        ("", "e4 -- d4 -- --"),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", ""),
        ("4k3/8/8/8/8/8/8/4K3 b - - 0 1", "Kd8 Kd1"),
        ("not a position", "e4 e5"),
        ("not a position", ""),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "exd6 Kd7"),
        // Chess960: king and rook change places, the king stays, the rook stays, rooks on both sides of a home rank.
        ("4k3/8/8/8/8/8/8/5KR1 w G - 0 1", "O-O Kd8"),
        ("4k3/8/8/8/8/8/8/6KR w H - 0 1", "O-O Kd8"),
        ("4k3/8/8/8/8/8/8/2KR4 w D - 0 1", "Kb1 Ke7"),
        ("4k3/8/8/8/8/8/8/1RK5 w B - 0 1", "O-O-O Ke7"),
        ("1r1k2r1/6p1/8/8/8/8/6P1/1R1K2R1 b GBgb - 0 1", "O-O O-O-O"),
        ("bbqnn1kr/pppppppp/8/8/8/8/PPPPPPPP/BBQNN1KR w Hh - 0 1", "O-O"),
        // More pieces than a game begins with.
        (
            "rnbqkbnr/pppppppp/nnnnnnnn/8/8/NNNNNNNN/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "Nab5 Nab4 Nxc7+ Nxc7",
        ),
    ];
    let mut text = String::new();
    for (fen, moves) in games {
        text += "[Event \"?\"]\n";
        if !fen.is_empty() {
            text += &format!("[SetUp \"1\"]\n[FEN \"{fen}\"]\n");
        }
        text += &format!("\n{moves} *\n\n");
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("special.pgn");
    fs::write(&path, text).unwrap();
    let library = open(&path);
    let entry = &library.databases()[0];
    assert_same_lines(entry, u32::MAX);
    let lens: Vec<usize> = (0..entry.database.len())
        .map(|game| line(&*entry.database, game).len())
        .collect();
    assert_same_answers(entry, &QUESTIONS);
    // Of positions after null moves.
    let fen = "fen:\"rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR w KQkq\"";
    let after_null_moves = [
        "played:d4",
        "ply:2 white_pawns:8",
        "by:white diff:0 ply:2",
        fen,
        "-played:d4",
    ];
    let hits = assert_same_answers(entry, &after_null_moves);
    assert!(hits > after_null_moves.len(), "{hits}");
    assert_eq!(lens, [16, 15, 10, 5, 0, 2, 0, 0, 2, 2, 2, 2, 2, 2, 1, 4]);
}

/// The games that a query finds.
fn found(query: &str, positions: Positions) -> Vec<(u32, u32, Option<Move>)> {
    let options = AnswerOptions {
        index: IndexUse::No,
        threads: 2,
        ..AnswerOptions::default()
    };
    let part = DatabasePart::of(positions.into());
    let found = Query::parse(query).unwrap().find(&part, &options, &|_| ());
    found
        .into_iter()
        .map(|found| (found.game, found.ply, found.next))
        .collect()
}

/// Questions whose answers show on a plain board, need the whole position, or both.
const QUESTIONS: [&str; 50] = [
    "material:KRPkr",
    "material:KRP+kr*p*",
    "-material:K*k* result:1-0",
    "diff:5.. for:4",
    "diff:3.. then diff:..-3",
    "lead:2.. then lead:..-2",
    "imbalance:RvBN",
    "imbalance:BvN for:4",
    "imbalance:RvBP|Qvrr by:white",
    "-imbalance:NvB result:1-0",
    "sacrifice:2.. by:black ply:10..",
    "is:check",
    "is:mate",
    "is:mate by:white",
    "is:mate mirror:colour played:null",
    "-is:mate result:1-0",
    "is:mate|stalemate",
    "is:stalemate",
    "played:Bxh7+",
    "played:Bxh7+ by:white ply:20..60",
    "played:*#",
    "played:Q*#",
    "played:N*#|B*#",
    "played:Rxg7#|Qxf2#",
    "played:O-O*#",
    "played:O-O then is:mate",
    "played:O-O-O then played:O-O",
    "played:P*=Q*",
    "played:e8=N|e1=N",
    "bishops:same",
    "bishops:opposite for:10",
    "bishops:opposite by:black then bishops:same",
    "-bishops:opposite bishops:same",
    "white_passed:3..",
    "black_passed:2 mirror:colour",
    "white_isolated:4..",
    "black_isolated:5..6",
    "white_doubled:2.. black_doubled:2..",
    "white_pawns:..1",
    "black_pawns:9..",
    "white_pawns:8 black_pawns:8 ply:40..",
    "-white_passed:1..",
    "board:8/8/8/3P4/2B5/8/8/8",
    "board:8/8/4[Nn]3/8/8/8/8/-6- mirror:both",
    "pawns:8/pp3ppp/4p3/8/3P4/8/PP3PPP/8",
    "line:e4,c5",
    "fen:\"r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R b KQkq\"",
    "sacrifice:3..",
    "sacrifice:5.. then is:mate",
    "played:Nxf7 then material:K*k* within:9",
];

/// Asks questions without kept lines, while they are written, and with them, and returns how many games are found.
fn assert_same_answers(entry: &Arc<LibraryEntry>, queries: &[&str]) -> usize {
    let folder = tempfile::tempdir().unwrap();
    let kept = folder.path().join("kept");
    kept_in(entry, &kept).lines().make(2, &|_| ());
    let asked = queries.iter().enumerate().map(|(number, query)| {
        let expected = found(query, Positions::new(entry, BuildOptions::default()));
        let first = folder.path().join(number.to_string());
        assert_eq!(found(query, kept_in(entry, &first)), expected, "{query}, writing");
        assert_eq!(found(query, kept_in(entry, &first)), expected, "{query}, written");
        let positions = kept_in(entry, &kept);
        assert!(positions.lines().are_kept());
        assert_eq!(found(query, positions), expected, "{query}, kept");
        expected.len()
    });
    asked.sum()
}

/// The same games as SimpleCDb and as PGN, without kept lines, while they are written, and with them.
#[test]
fn answers_are_the_same_with_kept_lines() {
    needs!(samples);
    let folder = tempfile::tempdir().unwrap();
    let sample = testkit::samples::shared().join("data/simplecdb/medium/plain");
    let stored = open_base(&sample).unwrap();
    let most = cases(1500, stored.len());
    let texts = (0..stored.len().min(most)).map(|game| to_pgn(&stored.game(game).game));
    let path = folder.path().join("games.pgn");
    fs::write(&path, texts.collect::<Vec<_>>().concat()).unwrap();
    let written = open(&path);
    let entry = &written.databases()[0];
    assert!(assert_same_answers(entry, &QUESTIONS) > 5000);
}

/// Start positions are kept up to 65,536 different ones.
#[test]
fn start_positions_beyond_the_limit_are_asked_of_the_database() {
    let mut text = String::new();
    for mask in 0..65_540u32 {
        // White pawns on some squares from a3 to h4, and perhaps on a5.
        let rank = |bits: u32| -> String {
            (0..8)
                .map(|file| if bits >> file & 1 == 1 { 'P' } else { '1' })
                .collect()
        };
        let [third, fourth, fifth] = [0, 8, 16].map(|shift| rank(mask >> shift & 0xff));
        text += "[Event \"?\"]\n[SetUp \"1\"]\n";
        text += &format!("[FEN \"4k3/8/8/{fifth}/{fourth}/{third}/8/4K3 w - - 0 1\"]\n\nKd1 *\n\n");
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("starts.pgn");
    fs::write(&path, text).unwrap();
    let library = open(&path);
    let entry = &library.databases()[0];
    assert_same_lines(entry, 2000);
    // The last ones beyond the limit are among them.
    assert!(assert_same_answers(entry, &["diff:16..", "white_pawns:1 ply:1"]) > 1);
}

#[test]
fn positions_pawns_and_material_are_found_in_kept_lines() {
    needs!(samples);
    let sample = testkit::samples::shared().join("data/simplecdb/medium");
    let library = Library::open(&sample, &Options::default()).unwrap();
    let cache = tempfile::tempdir().unwrap();
    let mut most = 0;
    for entry in library.databases() {
        let without = Positions::new(entry, BuildOptions::default());
        let kept = kept_in(entry, cache.path());
        kept.lines().make(2, &|_| ());
        let parts = [without, kept].map(|positions| DatabasePart::of(positions.into()));
        let options = AnswerOptions {
            index: IndexUse::No,
            threads: 2,
            ..AnswerOptions::default()
        };
        let sicilian = "rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w";
        let patterns = [
            Pattern::of_moves("e4 c5").unwrap(),
            Pattern::of_moves("e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O").unwrap(),
            Pattern::parse(sicilian).unwrap(),
            Pattern::parse(&format!("{sicilian} KQkq c6")).unwrap(),
            Pattern::new(Position::initial()),
        ];
        let mut queries = vec![
            Query::parse("pawns:8/pp3ppp/4p3/8/3P4/8/PP3PPP/8").unwrap(),
            Query::parse("material:KRPkr").unwrap(),
        ];
        for pattern in &patterns {
            let query = Query::of_pattern(pattern).unwrap();
            for part in &parts {
                let found = part.find(pattern, &options, &|_| ()).unwrap();
                assert_eq!(query.find(part, &options, &|_| ()), found, "{pattern:?}");
            }
            queries.push(query);
        }
        for query in queries {
            let [without, kept] = parts.each_ref().map(|part| query.find(part, &options, &|_| ()));
            most = most.max(kept.len());
            assert_eq!(without, kept, "{}: {}", entry.name(), query.canonical());
        }
        let [without, kept] = parts.each_ref().map(|part| {
            let pattern = Pattern::of_moves("d4").unwrap();
            part.moves(&pattern, &options, &|_| ()).unwrap()
        });
        assert_eq!(format!("{without:?}"), format!("{kept:?}"));
    }
    assert!(most > 1000, "{most}");
}

#[test]
fn the_first_search_of_all_games_keeps_the_lines() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.pgn");
    fs::write(
        &path,
        "[Event \"?\"]\n\n1. e4 d5 2. exd5 *\n\n[Event \"?\"]\n\n1. d4 d5 *\n",
    )
    .unwrap();
    let library = open(&path);
    let entry = &library.databases()[0];
    for (query, is_kept) in [
        // These end at the first moves of most games.
        ("line:e4,d5", false),
        ("is:check", false),
        // These look at few games.
        ("result:1-0 material:KRPkr", false),
        ("player:nobody diff:1..", false),
        // This needs whole games.
        ("diff:1.. in:variations", false),
        ("result:1-0", false),
        ("diff:1..", true),
        ("material:KRPkr", true),
        ("played:exd5", true),
        ("sacrifice:1..", true),
    ] {
        let cache = tempfile::tempdir().unwrap();
        found(query, kept_in(entry, cache.path()));
        assert_eq!(files_in(cache.path()).len(), usize::from(is_kept), "{query}");
    }
}

#[test]
fn a_damaged_file_gives_no_other_answer() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.pgn");
    let games = ["e4 d5 exd5 Qxd5 Nc3", "d4 d5 c4 dxc4 e3", "f3 e5 g4 Qh4#"];
    let set_up = "[Event \"?\"]\n[SetUp \"1\"]\n[FEN \"4k3/8/8/8/8/8/8/4K2R w K - 0 1\"]\n\nO-O Kd8 *\n\n";
    let text: String = games
        .iter()
        .map(|moves| format!("[Event \"?\"]\n\n{moves} *\n\n"))
        .collect();
    fs::write(&path, (text + set_up).repeat(20)).unwrap();
    let library = open(&path);
    let entry = &library.databases()[0];
    let cache = tempfile::tempdir().unwrap();
    kept_in(entry, cache.path()).lines().make(1, &|_| ());
    let file = files_in(cache.path()).pop().unwrap();
    let sound = fs::read(&file).unwrap();
    let queries = ["diff:1..", "is:mate", "played:O-O"];
    let expected = queries.map(|query| found(query, kept_in(entry, cache.path())));
    assert_eq!(expected.each_ref().map(Vec::len), [40, 20, 20]);
    let mut random = Random(3);
    let mut damage: Vec<Vec<u8>> = Vec::new();
    // Each part of the file, and random ones.
    let places = (0..sound.len()).step_by(sound.len() / cases(60, 4000));
    for at in places.chain((0..280).step_by(cases(16, 1))) {
        let mut bytes = sound.clone();
        bytes[at] ^= 1 << random.below(8);
        damage.push(bytes);
    }
    for len in [0, 1, 271, 272, 4095, 4096, sound.len() - 1] {
        damage.push(sound[..len].to_vec());
    }
    damage.push(vec![0; sound.len()]);
    for bytes in damage {
        fs::write(&file, &bytes).unwrap();
        for (query, expected) in queries.iter().zip(&expected) {
            assert_eq!(found(query, kept_in(entry, cache.path())), *expected, "{query}");
            // Damaged files are removed or made again.
            fs::write(&file, &bytes).unwrap();
        }
    }
}

#[test]
fn lines_of_another_state_are_made_anew() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.pgn");
    let cache = tempfile::tempdir().unwrap();
    let first = "[Event \"?\"]\n\n1. e4 d5 2. exd5 *\n\n";
    fs::write(&path, first).unwrap();
    assert_eq!(
        found("diff:1..", kept_in(&open(&path).databases()[0], cache.path())).len(),
        1
    );
    fs::write(&path, first.repeat(3)).unwrap();
    let library = open(&path);
    let positions = kept_in(&library.databases()[0], cache.path());
    assert!(!positions.lines().are_kept());
    assert_eq!(found("diff:1..", positions).len(), 3);
    assert!(kept_in(&library.databases()[0], cache.path()).lines().are_kept());
    assert_eq!(files_in(cache.path()).len(), 1);
}

#[test]
fn nothing_is_kept_of_a_source_that_changes_meanwhile() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.pgn");
    fs::write(&path, "1. e4 d5 2. exd5 *\n\n").unwrap();
    let library = open(&path);
    let cache = tempfile::tempdir().unwrap();
    let positions = kept_in(&library.databases()[0], cache.path());
    positions
        .lines()
        .make(1, &|_| fs::write(&path, "1. d4 *\n\n1. c4 *\n\n").unwrap());
    assert!(!positions.lines().are_kept());
    assert!(files_in(cache.path()).is_empty());
}

#[test]
fn nothing_is_kept_of_cancelled_work() {
    let entry = Fake::many(5000).at("a");
    let cache = tempfile::tempdir().unwrap();
    let positions = kept_in(&entry, cache.path());
    let cancel = Cancel::default();
    let end = cancel.run(|| positions.lines().make(2, &|_| cancel.cancel()));
    assert!(end.is_err());
    assert!(!positions.lines().are_kept() && files_in(cache.path()).is_empty());
    // The next call does all of it.
    positions.lines().make(2, &|_| ());
    assert!(positions.lines().are_kept());
}

#[test]
fn a_game_that_cannot_be_decoded_is_asked_of_the_database() {
    let mut games: Vec<_> = (0..100).map(|_| game("a", "b")).collect();
    games.iter_mut().for_each(|game| game.line = "e4 d5 exd5");
    games[70].panics = true;
    let entry = Fake::of(games).at("a");
    let cache = tempfile::tempdir().unwrap();
    let positions = kept_in(&entry, cache.path());
    positions.lines().make(2, &|_| ());
    assert!(positions.lines().are_kept());
    let found = found("diff:1..", positions);
    assert_eq!(found.len(), 99);
    assert!(found.iter().all(|&(game, ..)| game != 70));
}

#[test]
fn a_search_does_not_need_a_place_for_lines() {
    let entry = Fake::of((0..10).map(|_| {
        let mut game = game("a", "b");
        game.line = "e4 d5 exd5";
        game
    }))
    .at("a");
    let cache = tempfile::tempdir().unwrap();
    let small = Space {
        bytes: 1000,
        ..Space::default()
    };
    let positions = Positions::new(&entry.into(), BuildOptions::default());
    positions.keep_in(&KeptFiles::open(cache.path(), "", small).unwrap());
    // The folder has gone, and a file is in its place.
    fs::remove_dir(cache.path()).unwrap();
    fs::write(cache.path(), "").unwrap();
    let is_done = AtomicBool::new(false);
    positions
        .lines()
        .make(1, &|_| is_done.store(true, Ordering::Relaxed));
    assert_eq!(found("diff:1..", positions).len(), 10);
    fs::remove_file(cache.path()).unwrap();
}
