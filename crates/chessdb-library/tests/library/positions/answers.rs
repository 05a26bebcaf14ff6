//! Questions about several databases have the same answers from an index and from the games.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::thread;

use chessdb::Options;
use chessdb_library::kept::{KeptFiles, Space};
use chessdb_library::library::Library;
use chessdb_library::positions::{
    AnswerOptions, Answers, BuildOptions, DatabasePart, IndexState, IndexUse, Pattern, Positions,
};
use chessdb_library::query::Query;

/// The games of three databases. The second one has none.
const GAMES: [&[&str]; 3] = [
    &["1. e4 e5 2. Nf3 1-0", "1. d4 d5 *", "1. e4 c5 1/2-1/2"],
    &[],
    &[
        "1. Nf3 e5 2. e4 0-1",
        "1. e4 e5 2. Nf3 Nc6 1-0",
        "1. e4 1-0",
        "1. c4 *",
    ],
];

fn parts(folder: &Path) -> Vec<DatabasePart> {
    for (number, games) in GAMES.into_iter().enumerate() {
        let result = |game: &str| format!("[Result {:?}]\n\n{game}\n\n", game.rsplit(' ').next().unwrap());
        let pgn: String = games.iter().map(|game| result(game)).collect();
        fs::write(folder.join(format!("{number}.pgn")), pgn).unwrap();
    }
    let library = Library::open(folder, &Options::default()).unwrap();
    let positions = library.databases().iter();
    DatabasePart::all(positions.map(|entry| Arc::new(Positions::new(entry, BuildOptions::default()))))
}

fn answers(parts: &[DatabasePart], index: IndexUse, scans: bool) -> Answers {
    let options = AnswerOptions {
        index,
        scans,
        threads: 2,
        names: None,
        ..AnswerOptions::default()
    };
    Answers::new(parts, options)
}

/// The games with a position, each with its ply, and the moves played in it, with their numbers of games and first games.
type Asked = (Vec<(u32, u32)>, Vec<(String, u32, Option<u32>)>);

/// Also checks that `done` counts all games.
fn asked(answers: &Answers, line: &str) -> Option<Asked> {
    let pattern = Pattern::of_moves(line).unwrap();
    let searched = AtomicU64::new(0);
    let done = |games| {
        searched.fetch_add(games, Ordering::Relaxed);
    };
    let found = answers.find(&pattern, &done)?;
    let all: u64 = answers
        .parts()
        .iter()
        .map(|part| u64::from(part.database().len()))
        .sum();
    assert_eq!(searched.into_inner(), all);
    let table = answers.moves(&pattern, &|_| ())?;
    let rows = table
        .rows
        .into_iter()
        .map(|row| (row.san, row.tally.games, row.game));
    Some((
        found.iter().map(|found| (found.game, found.ply)).collect(),
        rows.collect(),
    ))
}

#[test]
fn an_index_answers_as_the_games_do() {
    let folder = tempfile::tempdir().unwrap();
    let parts = parts(folder.path());
    let rows = |rows: &[(&str, u32, u32)]| -> Vec<(String, u32, Option<u32>)> {
        rows.iter()
            .map(|&(san, games, first)| (san.to_owned(), games, Some(first)))
            .collect()
    };
    // The games of the last database have the numbers from 3 on.
    let after_e4 = (
        vec![(0, 1), (2, 1), (4, 1), (5, 1)],
        rows(&[("e5", 2, 0), ("c5", 1, 2), ("", 1, 5)]),
    );
    let after_nf3 = (vec![(0, 3), (3, 3), (4, 3)], rows(&[("Nc6", 1, 4), ("", 2, 0)]));
    for (index, scans) in [
        (IndexUse::No, true),
        (IndexUse::Auto, true),
        (IndexUse::Yes, true),
        (IndexUse::Yes, false),
    ] {
        let all = answers(&parts, index, scans);
        assert_eq!(asked(&all, "e4").as_ref(), Some(&after_e4), "{index:?}");
        assert_eq!(asked(&all, "e4 e5 Nf3").as_ref(), Some(&after_nf3), "{index:?}");
        let won = all.among(&Query::parse("result:1-0 played:e4").unwrap(), &|_| ());
        let expected = (vec![(0, 1), (4, 1), (5, 1)], rows(&[("e5", 2, 0), ("", 1, 5)]));
        assert_eq!(won.parts().iter().map(DatabasePart::len).sum::<u32>(), 3);
        // `done` counts the games of the databases, whether they are among those that are asked for or not.
        assert_eq!(asked(&won, "e4"), Some(expected), "{index:?}");
    }
    assert_eq!(asked(&answers(&parts, IndexUse::No, false), "e4"), None);
    let numbered = (0..7).map(|game| DatabasePart::place_of(&parts, game));
    let last = parts.len() - 1;
    assert_eq!(
        numbered.collect::<Vec<_>>(),
        [(0, 0), (0, 1), (0, 2), (last, 0), (last, 1), (last, 2), (last, 3)]
    );
}

#[test]
fn a_damaged_index_is_removed_and_made_again_where_it_is_wanted() {
    let folder = tempfile::tempdir().unwrap();
    let (source, cache) = (folder.path().join("source"), folder.path().join("cache"));
    fs::create_dir(&source).unwrap();
    let first = parts(&source).remove(0);
    let files = KeptFiles::open(&cache, "", Space::default()).unwrap();
    let files_in_cache = || fs::read_dir(&cache).unwrap().map(|file| file.unwrap().path());
    let is_index = |path: &PathBuf| path.extension().is_some_and(|kind| kind == "positions");
    let kept = || files_in_cache().filter(is_index);
    for (uses, after) in [
        (IndexUse::Auto, (0, IndexState::Unused)),
        (IndexUse::Yes, (1, IndexState::Ready)),
    ] {
        let positions = Arc::new(Positions::new(first.entry(), BuildOptions::default()));
        positions.keep_in(&files);
        let part = DatabasePart::of(Arc::clone(&positions));
        let ask = |uses| asked(&answers(std::slice::from_ref(&part), uses, true), "e4 e5").unwrap();
        let expected = ask(IndexUse::No);
        assert_eq!(expected.0, [(0, 2)]);
        positions.build(&|_| ()).unwrap();
        // A block is checked when it is first read: an index that has answered would not notice.
        let file = kept().next().unwrap();
        fs::write(&file, vec![0; fs::metadata(&file).unwrap().len() as usize]).unwrap();
        assert_eq!(ask(uses), expected);
        assert_eq!((kept().count(), positions.state()), after);
        // Without an index, the games answer.
        assert_eq!(ask(uses), expected);
        assert_eq!((kept().count(), positions.state()), after);
    }
}

#[test]
fn a_question_that_a_scan_answers_does_not_wait_until_an_index_is_built() {
    let folder = tempfile::tempdir().unwrap();
    let parts = parts(folder.path());
    let part = &parts[0];
    let ((begun, begins), (end, ends)) = (channel(), channel::<()>());
    let ends = Mutex::new(ends);
    thread::scope(|scope| {
        let build = scope.spawn(|| {
            part.positions.build(&|_| {
                begun.send(()).unwrap();
                // An error when the other end is dropped.
                let _ = ends.lock().unwrap().recv();
            })
        });
        begins.recv().unwrap();
        assert!(matches!(part.positions.state(), IndexState::Building { .. }));
        let found = asked(&answers(&parts[..1], IndexUse::Auto, true), "d4")
            .unwrap()
            .0;
        assert_eq!(found, [(1, 1)]);
        drop(end);
        build.join().unwrap().unwrap();
    });
    assert_eq!(part.positions.state(), IndexState::Ready);
}
