//! Very many small PGN files of one folder are one database.

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::sync::Arc;
use std::time::Duration;

use chessdb::{Options, PgnForm};
use chessdb_library::library::{
    DatabaseSelection, Library, LibraryEntry, LibraryOptions, problems_of, text_of,
};

use super::source::{Source, paths};

/// Maximum number of small files that are databases of their own.
const MOST: usize = 1000;

const NAME: &str = "small-files.pgn";

fn game(event: &str) -> String {
    format!("[Event \"{event}\"]\n[White \"W {event}\"]\n[Result \"*\"]\n\n1. e4 *\n")
}

fn name(n: usize) -> String {
    format!("{n:05}.pgn")
}

/// A source with `number` files of one game each.
fn many(number: usize) -> Source {
    let source = Source::new();
    for n in 0..number {
        source.file(&name(n), game(&n.to_string()).as_bytes());
    }
    source
}

fn events(entry: &LibraryEntry) -> Vec<String> {
    let tags = (0..entry.database.len()).map(|game| entry.database.tags(game));
    tags.map(|tags| tags.get("Event").unwrap_or_default().to_owned())
        .collect()
}

fn joined(library: &Library) -> &Arc<LibraryEntry> {
    let mut entries = library.databases().iter();
    entries.find(|entry| entry.path == NAME).unwrap()
}

#[test]
fn one_file_more_makes_them_one_database() {
    let source = many(MOST);
    assert_eq!(source.open().unwrap().databases().len(), MOST);
    source.file(&name(MOST), game("last").as_bytes());
    source.database("a");
    source.file("large.pgn", game("large").repeat(200).as_bytes());
    source.file("b.zip.pgn.gz", b"no archive");
    source.file("sub/one.pgn", game("sub").as_bytes());
    let library = source.open().unwrap();
    assert_eq!(paths(&library), ["a.dci", "large.pgn", NAME, "sub/one.pgn"]);
    assert_eq!(library.left_out().len(), 1, "the file that is not an archive");
    let entry = joined(&library);
    let expected: Vec<String> = (0..MOST)
        .map(|n| n.to_string())
        .chain(["last".to_owned()])
        .collect();
    assert_eq!(events(entry), expected, "in the order of the names");
    assert_eq!(entry.database.text(entry.database.keys(7).white), "W 7");
    assert_eq!(text_of(entry, 7).pgn, format!("{}\n", game("7")).into_bytes());
    let [row] = entry.file_rows().try_into().unwrap();
    let bytes = source.path("").read_dir().unwrap().flatten().filter(|file| {
        let name = file.file_name().into_string().unwrap();
        name.starts_with(|c: char| c.is_ascii_digit())
    });
    let bytes: u64 = bytes.map(|file| file.metadata().unwrap().len()).sum();
    assert_eq!(
        row,
        format!("1001 files from 00000.pgn to 01000.pgn, {bytes} bytes")
    );
}

#[test]
fn options_say_which_files_are_joined() {
    let source = many(MOST + 1);
    let open = |options: &Options, selection: &DatabaseSelection| {
        let options = LibraryOptions {
            formats: options.clone(),
            selection: selection.clone(),
            ..LibraryOptions::default()
        };
        options.open(&source.path("")).unwrap()
    };
    let mut verbatim = Options::default();
    verbatim.pgn = PgnForm::Verbatim;
    assert_eq!(
        open(&verbatim, &DatabaseSelection::default()).databases().len(),
        MOST + 1
    );
    let mut some = DatabaseSelection::default();
    some.add_only("*[0-8].pgn").unwrap();
    assert_eq!(open(&Options::default(), &some).databases().len(), 901);
    let mut all = DatabaseSelection::default();
    all.add_only("0*.pgn").unwrap();
    all.add_kinds("pgn").unwrap();
    all.flat = true;
    assert_eq!(paths(&open(&Options::default(), &all)), [NAME]);
    let mut joined = DatabaseSelection::default();
    joined.add_only(NAME).unwrap();
    let library = open(&Options::default(), &joined);
    assert_eq!(paths(&library), [NAME], "by its own name");
    assert_eq!(library.databases()[0].database.len() as usize, MOST + 1);
    let single = Library::open(&source.path(&name(3)), &Options::default()).unwrap();
    assert_eq!(events(&single.databases()[0]), ["3"], "the source is one of them");
    // A file has the name.
    source.file(NAME, game("large").repeat(200).as_bytes());
    let library = open(&Options::default(), &DatabaseSelection::default());
    assert_eq!(paths(&library), [NAME, "small-files.pgn (2)"]);
}

#[test]
fn problems_name_the_file_and_its_byte() {
    let source = many(MOST + 1);
    let illegal = "[Event \"illegal\"]\n\n1. e4 Ke4 *\n";
    source.file(&name(0), format!("letter\n\n{}", game("0")).as_bytes());
    source.file(&name(3), illegal.as_bytes());
    // An open comment ends with its file.
    source.file(&name(5), b"[Event \"open\"]\n\n1. e4 { open\n");
    source.file(&name(6), format!("mail\n\n{}", game("6")).as_bytes());
    source.file(&name(8), b"no game\n");
    source.file(&name(9), b"");
    source.file(&name(10), b"\x1f\x8b\x08\0\0\0\0\0\0\x03packed");
    source.file(&name(11), game("11").replace('\n', "\r").as_bytes());
    let utf_16: Vec<u8> = [0xfeff]
        .into_iter()
        .chain(game("12 é").encode_utf16())
        .flat_map(u16::to_le_bytes)
        .collect();
    source.file(&name(12), &utf_16);
    source.file(&name(13), b"[Event \"13\"]\n[White \"R\xe9ti\"]\n\n1. e4 *");
    let library = source.open().unwrap();
    let entry = joined(&library);
    let first = events(entry);
    assert_eq!(
        first[..12],
        [
            "0", "1", "2", "illegal", "4", "open", "6", "7", "11", "12 é", "13", "14"
        ]
    );
    assert_eq!(text_of(entry, 8).pgn, format!("{}\n", game("11")).into_bytes());
    assert_eq!(entry.database.tags(10).get("White"), Some("Réti"));
    let [problem] = problems_of(entry, 3).try_into().unwrap();
    assert_eq!(
        (problem.file.as_str(), problem.offset),
        ("00003.pgn", Some(illegal.find("Ke4").unwrap() as u64))
    );
    assert!(entry.database.problems().is_empty());
    let warnings: [String; 4] = entry.database.info().warnings.try_into().unwrap();
    let begins = [
        "00010.pgn is left out: it is compressed",
        "00000.pgn: the 8 bytes before the first game",
        "00006.pgn: the 6 bytes before the first game",
        "00008.pgn: there is no game in this file",
    ];
    for (warning, begin) in warnings.iter().zip(begins) {
        assert!(warning.starts_with(begin), "{warnings:?}");
    }
}

#[test]
fn every_change_of_a_file_is_shown() {
    let source = many(MOST + 1);
    let first = source.open().unwrap();
    let again = |library: &Library| library.reopen(library.databases(), Duration::ZERO);
    assert!(again(&first).is_same(&first));
    let replaced = game("replaced");
    source.file(&name(7), replaced.as_bytes());
    // Everything that was opened before can still be read.
    assert!(joined(&first).is_intact() && !joined(&first).is_current());
    assert_eq!(events(joined(&first))[7], "7");
    let second = again(&first);
    assert_eq!(events(joined(&second))[7], "replaced");
    // The same length, and the time is put back.
    let file = File::options().write(true).open(source.path(&name(7))).unwrap();
    let time = file.metadata().unwrap().modified().unwrap();
    file.write_at(replaced.to_uppercase().replace("EVENT", "Event").as_bytes(), 0)
        .unwrap();
    file.set_modified(time).unwrap();
    drop(file);
    let third = again(&second);
    assert_eq!(events(joined(&third))[7], "REPLACED");
    // Another file of the same length and time takes the name.
    let (before, after) = (source.path(&name(8)), source.path("other"));
    fs::write(&after, game("x")).unwrap();
    let time = fs::metadata(&before).unwrap().modified().unwrap();
    File::options()
        .write(true)
        .open(&after)
        .unwrap()
        .set_modified(time)
        .unwrap();
    fs::rename(&after, &before).unwrap();
    let third = again(&third);
    let shown = events(joined(&third));
    assert_eq!(
        (shown.len(), &shown[6..10]),
        (MOST + 1, &["6", "REPLACED", "x", "9"].map(str::to_owned)[..])
    );
    source.file("00000a.pgn", game("added").as_bytes());
    let fourth = again(&third);
    assert_eq!(events(joined(&fourth))[..3], ["0", "added", "1"]);
    fs::remove_file(source.path("00000a.pgn")).unwrap();
    assert_eq!(events(joined(&again(&fourth)))[..2], ["0", "1"]);
    fs::remove_file(source.path(&name(0))).unwrap();
    assert_eq!(again(&fourth).databases().len(), MOST, "too few to be joined");
}

#[test]
fn the_old_state_is_shown_until_the_new_one_is_open() {
    let source = many(MOST + 1);
    let options = LibraryOptions {
        patience: Some(Duration::ZERO),
        ..LibraryOptions::default()
    };
    let mut library = options.open(&source.path("")).unwrap();
    let mut endings = library.endings();
    let mut all_open = |mut library: Library, shown: &[&str]| {
        while !library.opening().is_empty() {
            assert_eq!(paths(&library), shown);
            endings.wait();
            library = library.go_on();
        }
        library
    };
    library = all_open(library, &[]);
    assert_eq!(events(joined(&library))[0], "0");
    source.file(&name(0), game("changed").as_bytes());
    let changed = library.reopen(library.databases(), Duration::ZERO);
    assert_eq!(events(joined(&changed))[0], "0");
    let changed = all_open(changed, &[NAME]);
    assert_eq!(paths(&changed), [NAME]);
    assert_eq!(events(joined(&changed))[0], "changed");
}
