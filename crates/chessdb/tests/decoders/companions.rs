//! Databases with a file that is missing or damaged: problems name the file and say what is lost with it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use chessdb::files::SourceFolder;
use chessdb::formats::FORMATS;
use chessdb::{Database, Options, Problem};
use testkit::harness::frame::Input;
use testkit::needs;
use testkit::samples::{all_samples, candidates, open};
use testkit::writers::{WRITERS, source};

/// What happens to a file: the bytes that it has afterwards, if it still exists.
type Damage = fn(&[u8]) -> Option<Vec<u8>>;

const DAMAGES: [(&str, Damage); 4] = [
    ("deleted", |_| None),
    ("emptied", |_| Some(Vec::new())),
    ("cut by half", |bytes| Some(bytes[..bytes.len() / 2].to_vec())),
    ("half zeroed", |bytes| {
        let mut zeroed = bytes.to_vec();
        zeroed[bytes.len() / 2..].fill(0);
        Some(zeroed)
    }),
];

/// Tables with a single record, whose second half may as well be empty.
const UNNOTICED: [(&str, &str); 6] = [
    ("TestBase.cbs", "half zeroed"),
    ("TestBase.cbt", "half zeroed"),
    ("Mate2.cbc", "half zeroed"),
    ("Mate2.cbs", "half zeroed"),
    ("WithVariations.cbc", "half zeroed"),
    ("IO_Opening.MYD", "half zeroed"),
];

/// What a database shows, and which messages it gives.
struct Shown {
    games: Vec<String>,
    problems: Vec<Problem>,
}

/// Opens the only database of some files; `None` if they are not a database.
fn read(input: &Input) -> Option<Shown> {
    let directory = input.directory();
    let mut opened = FORMATS.iter().flat_map(|format| {
        let found = (format.find)(&directory);
        let files = found.iter().map(|candidate| input.open(candidate));
        let opened = files.filter_map(|files| (format.open)(files, &input.options).ok());
        opened.flatten().collect::<Vec<_>>()
    });
    let database = opened.next()?.database;
    assert!(opened.next().is_none(), "several databases");
    Some(shown(&*database))
}

fn shown(database: &dyn Database) -> Shown {
    let mut shown = Shown {
        games: Vec::new(),
        problems: database.problems().to_vec(),
    };
    for decoded in database.games() {
        let tags = decoded.game.tags.iter();
        let moves = decoded
            .game
            .movetext
            .tokens()
            .iter()
            .map(|token| format!("{token:?}"));
        let tags = tags.map(|(name, value)| format!("{name} {value}"));
        shown.games.push(tags.chain(moves).collect::<Vec<_>>().join("\n"));
        shown.problems.extend(decoded.problems);
    }
    shown
}

/// Damages each file of a database in each way. Returns what is lost without a message.
fn silent_losses(name: &str, input: &Input) -> Vec<String> {
    let sound = read(input).unwrap_or_else(|| panic!("{name} is no database"));
    let (mut silent, mut compared) = (Vec::new(), 0);
    for (number, (file, bytes)) in input.files.iter().enumerate() {
        for (how, damage) in DAMAGES {
            let mut damaged = input.clone();
            match damage(bytes) {
                Some(bytes) => damaged.files[number].1 = Arc::new(bytes),
                None => drop(damaged.files.remove(number)),
            }
            let Some(read) = read(&damaged) else { continue };
            compared += 1;
            let lost = sound.games.iter().enumerate();
            let lost = lost.filter(|(n, game)| read.games.get(*n) != Some(game)).count();
            let is_of_file = |problem: &&Problem| problem.file == *file || problem.what.contains(file);
            let is_said = read
                .problems
                .iter()
                .filter(is_of_file)
                .any(|problem| !sound.problems.contains(problem));
            if lost > 0 && !is_said && !UNNOTICED.contains(&(file, how)) {
                silent.push(format!("{name}: {file} {how}: {lost} games differ"));
            }
        }
    }
    assert!(compared >= input.files.len(), "{name}: {compared}");
    silent
}

/// The files of a folder whose names begin with `stem`.
fn files_of(folder: &Path, stem: &str) -> Input {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    let name = |path: &PathBuf| path.file_name().unwrap().to_string_lossy().into_owned();
    files.retain(|path| path.is_file() && name(path).starts_with(stem) && !name(path).contains(".expected."));
    Input::new(
        files
            .iter()
            .map(|path| (name(path), std::fs::read(path).unwrap())),
    )
}

#[test]
fn what_is_lost_with_a_file_is_said() {
    let text =
        std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/games/annotated.pgn"));
    let games = source::read(&text.unwrap()).unwrap();
    let mut silent = Vec::new();
    for (name, write) in WRITERS {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path().join("a");
        let mut games = games.clone();
        games.retain(|game| write(std::slice::from_ref(game), &base).is_ok());
        write(&games, &base).unwrap();
        let input = files_of(folder.path(), "a");
        if input.files.len() > 1 {
            silent.extend(silent_losses(name, &input));
        }
    }
    assert_eq!(silent.join("\n"), "");
}

/// Databases of samples: a folder, and what the names of the files begin with.
const SAMPLES: [(&str, &str); 18] = [
    ("chess-assistant/small", "small."),
    ("chessbase", "small."),
    ("chessbase-2cbh", "annotated."),
    ("chessbase-2cbh", "names."),
    ("chessbase-2cbh", "texts."),
    ("chessbase-cbh/Annotation", "TestBase."),
    ("chessbase-cbh/Capa", "Capa."),
    ("chessbase-cbh/NormalGames", "BielMTO."),
    ("chessbase-cbh/old", "Mate2."),
    ("chessbase-cbh/WithVariations", "WithVariations."),
    ("jose/edge", ""),
    ("jose/fragmented", ""),
    ("scid/real-si4", "TestDB."),
    ("scid/si3", "hand."),
    ("scid/si3", "tags."),
    ("scid/si4", "tags."),
    ("scid/si5", "tags."),
    ("simplecdb/small", ""),
];

/// How an oddity of a file is told.
#[derive(Debug, PartialEq)]
enum Told {
    /// Something may be lost with it.
    Problem(&'static str),
    /// Nothing is lost.
    Warning(&'static str),
    Nothing,
}

/// An oddity: the writer of a database, a file of it, what happens to the file, and how it is told.
type Oddity = (&'static str, &'static str, fn(&mut Vec<u8>), Told);

const ODDITIES: [Oddity; 12] = [
    (
        "simplecdb",
        "a.dci",
        |bytes| bytes[10] = 2,
        Told::Warning("a.dci: unknown version 2"),
    ),
    ("simplecdb", "a.dci", |bytes| bytes[10] = 1, Told::Nothing),
    (
        "simplecdb",
        "a.dcn",
        |bytes| bytes[0] = b'X',
        Told::Warning("a.dcn does not begin with SimpleCDbn"),
    ),
    (
        "simplecdb",
        "a.dci",
        |bytes| bytes.extend([0; 5]),
        Told::Problem("5 bytes after the last entry are ignored"),
    ),
    (
        "scid",
        "a.si4",
        |bytes| bytes.extend([0; 47]),
        Told::Problem("that the header counts are ignored"),
    ),
    (
        "scid",
        "a.si4",
        |bytes| bytes.extend([0; 46]),
        Told::Warning("a.si4: 46 bytes after the last entry are ignored"),
    ),
    (
        "chess-assistant",
        "a.d00",
        |bytes| bytes.extend([0; 37]),
        Told::Problem("37 bytes after the last header are ignored"),
    ),
    (
        "chess-assistant",
        "a.a02",
        |bytes| bytes.extend([0; 3]),
        Told::Problem("3 bytes after the last entry are ignored"),
    ),
    (
        "chess-assistant",
        "a.emb",
        |bytes| bytes.truncate(139),
        Told::Problem("the file is too short to hold names"),
    ),
    (
        "chess-assistant",
        "a.cdp",
        Vec::clear,
        Told::Warning("a.cdp ends before the number of games"),
    ),
    (
        "chessbase-2cbh",
        "a.2lid",
        Vec::clear,
        Told::Problem("the file is empty: players, events"),
    ),
    (
        "chessbase-cbh",
        "a.cbp",
        |bytes| bytes.truncate(40),
        Told::Problem("of the "),
    ),
];

#[test]
fn each_oddity_of_a_file_is_told_once() {
    let text =
        std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/games/annotated.pgn"));
    let games = source::read(&text.unwrap()).unwrap();
    for (name, file, change, told) in ODDITIES {
        let (_, write) = WRITERS.iter().find(|(writer, _)| *writer == name).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path().join("a");
        let mut games = games.clone();
        games.retain(|game| write(std::slice::from_ref(game), &base).is_ok());
        write(&games, &base).unwrap();
        let mut input = files_of(folder.path(), "a");
        let of_sound = said_of(&input);
        assert_eq!(of_sound, [[""; 0]; 2], "{name}");
        let place = input.files.iter().position(|(own, _)| own == file);
        let place = place.unwrap_or_else(|| panic!("{name} has no {file}"));
        let mut bytes = input.files[place].1.to_vec();
        change(&mut bytes);
        input.files[place].1 = Arc::new(bytes);
        let [problems, warnings] = said_of(&input);
        match told {
            Told::Problem(what) => {
                let of_file = problems
                    .iter()
                    .filter(|said| said.starts_with(file))
                    .collect::<Vec<_>>();
                assert_eq!(of_file.len(), 1, "{name}, {file}: {problems:?}");
                assert!(of_file[0].contains(what), "{name}, {file}: {problems:?}");
            }
            Told::Warning(what) => {
                assert_eq!(problems, [""; 0], "{name}, {file}");
                assert_eq!(warnings, [what], "{name}, {file}");
            }
            Told::Nothing => assert_eq!([problems, warnings], [[""; 0]; 2], "{name}, {file}"),
        }
    }
}

/// The problems and the warnings of a database itself.
fn said_of(input: &Input) -> [Vec<String>; 2] {
    let directory = input.directory();
    let opened = FORMATS.iter().find_map(|format| {
        let candidate = (format.find)(&directory).into_iter().next()?;
        (format.open)(input.open(&candidate), &input.options).ok()
    });
    let database = opened.unwrap().swap_remove(0).database;
    let problems = database.problems().iter().map(ToString::to_string);
    [problems.collect(), database.info().warnings]
}

#[test]
fn a_lock_of_jose_is_told() {
    let jose = FORMATS.iter().find(|format| format.name == "jose").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let tables = folder.path().join("mysql");
    std::fs::create_dir(&tables).unwrap();
    let warnings = || {
        let directory = SourceFolder {
            path: tables.clone(),
            files: vec!["IO_Game.MYD".to_owned()],
        };
        (jose.find)(&directory).remove(0).warnings
    };
    assert_eq!(warnings(), [""; 0]);
    for place in [tables.as_path(), folder.path()] {
        std::fs::write(place.join("db.lock"), "").unwrap();
        assert_eq!(
            warnings(),
            ["db.lock says that jose may be running and change the tables"]
        );
        std::fs::remove_file(place.join("db.lock")).unwrap();
    }
}

#[test]
fn what_is_lost_with_a_file_of_a_sample_is_said() {
    let shared = needs!(samples).join("data");
    let mut silent = Vec::new();
    for (folder, stem) in SAMPLES {
        let input = files_of(&shared.join(folder), stem);
        assert!(input.files.len() > 1, "{folder}");
        silent.extend(silent_losses(folder, &input));
    }
    assert_eq!(silent.join("\n"), "");
}

/// The messages about files that have lost something.
const LOSSES: [&str; 9] = [
    "the file is missing",
    "the file is empty",
    "the file cannot be used",
    "zeros",
    "is not there",
    "are in no game",
    "are ignored",
    ") cannot be read",
    "lead to the first game",
];

/// Folders of samples that have lost something.
const LOSING: [&str; 4] = [
    "/corrupt/",
    "/pgn-cases/",
    "/variants/crash/",
    "/variants/trunc_dci/",
];

#[test]
fn of_sound_databases_nothing_is_said_to_be_lost() {
    needs!(samples);
    let (mut said, mut compared) = (Vec::new(), 0);
    for base in all_samples().iter().flat_map(|sample| sample.bases()) {
        let path = base.to_string_lossy().into_owned();
        if LOSING.iter().any(|folder| path.contains(folder)) {
            continue;
        }
        for (format, candidate) in candidates(&base) {
            let Some(database) = open(format, &candidate, &Options::default()) else {
                continue;
            };
            compared += 1;
            for problem in shown(&*database).problems {
                if LOSSES.iter().any(|loss| problem.what.contains(loss)) {
                    said.push(format!("{path}: {problem}"));
                }
            }
        }
    }
    assert_eq!(said, [""; 0]);
    assert!(compared > 100, "{compared}");
}
