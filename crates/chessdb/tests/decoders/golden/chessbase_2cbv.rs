//! Archives of databases of ChessBase 17 and later.

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

use chessdb::formats::NamedDatabase;
use chessdb::{Database, Options, ProblemKind};
use chessdb_library::library::to_pgn;

use super::encode_chessbase_2cbh::Database as Made;
use super::encode_chessbase_2cbh::archive::{Form, zip};
use super::source;
use testkit::needs;
use testkit::samples::{candidates, open_base, shared, try_open_all};

/// The files of a database, with this stem.
fn files(stem: &str, count: usize) -> Vec<(String, Vec<u8>)> {
    let text = include_bytes!("../../../../../examples/games/annotated.pgn");
    let games = source::read(text).unwrap();
    let count = count.min(games.len());
    let files = Made::of(&games[..count]).unwrap().files().into_iter();
    files
        .map(|(extension, bytes)| (format!("{stem}.{extension}"), bytes))
        .collect()
}

/// Opens an archive of these bytes.
fn open(bytes: &[u8]) -> Result<Box<dyn Database>, String> {
    let mut parts = open_all(bytes)?;
    Ok(parts.swap_remove(0).database)
}

/// Opens all databases of an archive.
fn open_all(bytes: &[u8]) -> Result<Vec<NamedDatabase>, String> {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path().join("made");
    fs::write(base.with_extension("2cbv"), bytes).unwrap();
    let found = candidates(&base);
    assert_eq!(found.len(), 1);
    try_open_all(found[0].0, &found[0].1, &Options::default())
}

/// Everything that a user sees of a database, except where its files are.
fn contents(database: &dyn Database) -> Vec<String> {
    let games = (0..database.len()).map(|game| to_pgn(&database.game(game).game));
    let members = database.as_files().members().into_iter().enumerate();
    let members = members.map(|(number, member)| {
        let mut bytes = vec![0; usize::try_from(member.size).unwrap()];
        assert_eq!(
            database.as_files().read_member(number, 0, &mut bytes).unwrap(),
            bytes.len()
        );
        format!("{}: {bytes:?}", member.name)
    });
    games
        .map(|text| String::from_utf8(text).unwrap())
        .chain(members)
        .collect()
}

fn problems(database: &dyn Database) -> Vec<String> {
    database.problems().iter().map(ToString::to_string).collect()
}

const FORMS: [Form; 4] = [
    Form {
        is_stored: false,
        is_zip64: false,
    },
    Form {
        is_stored: true,
        is_zip64: false,
    },
    Form {
        is_stored: false,
        is_zip64: true,
    },
    Form {
        is_stored: true,
        is_zip64: true,
    },
];

#[test]
fn games_of_an_archive_are_those_of_its_folder() {
    let folder = tempfile::tempdir().unwrap();
    let made = files("made", 40);
    for (name, bytes) in &made {
        fs::write(folder.path().join(name), bytes).unwrap();
    }
    let expected = contents(&*open_base(&folder.path().join("made")).unwrap());
    assert!(!expected.is_empty());
    for form in FORMS {
        let database = open(&zip(&made, form).unwrap()).unwrap();
        assert_eq!(problems(&*database), [""; 0], "{form:?}");
        assert_eq!(contents(&*database), expected, "{form:?}");
    }
}

#[test]
fn games_of_samples_are_the_same_in_an_archive() {
    needs!(samples);
    let samples = shared().join("data/chessbase-2cbh");
    let of = |base: &Path| contents(&*open_base(base).unwrap());
    assert_eq!(of(&samples.join("packed")), of(&samples.join("annotated")));
    for name in ["plain", "starts", "texts", "names"] {
        let extensions = ["2cbh", "2cbg", "2cba", "2lid", "ini"];
        let members = extensions.map(|extension| {
            let bytes = fs::read(samples.join(name).with_extension(extension)).unwrap();
            (format!("{name}.{extension}"), bytes)
        });
        for form in FORMS {
            let database = open(&zip(&members, form).unwrap()).unwrap();
            assert_eq!(
                contents(&*database),
                of(&samples.join(name)),
                "{name} as {form:?}"
            );
        }
    }
}

#[test]
fn several_databases_of_an_archive_are_databases_of_their_own() {
    let mut members = files("Folder\\First", 3);
    members.extend(files("sub/deep/second", 5));
    // A stem in another letter case belongs to the same database.
    members.extend(files("THIRD", 2).into_iter().map(|(name, bytes)| {
        if name.ends_with("cbg") {
            (name.to_lowercase(), bytes)
        } else {
            (name.to_uppercase(), bytes)
        }
    }));
    members.extend(files("other/second", 1));
    let parts = open_all(&zip(&members, Form::default()).unwrap()).unwrap();
    let found: Vec<(&str, u32)> = parts
        .iter()
        .map(|part| (part.name.as_deref().unwrap(), part.database.len()))
        .collect();
    let expected = [
        ("First.2cbh", 3),
        ("second.2cbh", 5),
        ("THIRD.2CBH", 2),
        ("second.2cbh (2)", 1),
    ];
    assert_eq!(found, expected);
    for part in &parts {
        assert_eq!(problems(&*part.database), [""; 0], "{:?}", part.name);
        assert!(part.database.game(0).problems.is_empty(), "{:?}", part.name);
    }
}

#[test]
fn what_is_damaged_of_an_archive_is_named_and_the_rest_is_read() {
    let made = files("made", 8);
    let whole = zip(&made, Form::default()).unwrap();
    // The checksum and the size of the second member, in the directory.
    let entry = |number: usize| {
        let starts = (0..whole.len()).filter(|&at| whole[at..].starts_with(b"PK\x01\x02"));
        starts.clone().nth(number).unwrap()
    };
    for (field, what) in [(16, "checksum"), (24, "bytes are packed here")] {
        let mut changed = whole.clone();
        changed[entry(1) + field] ^= 1;
        let database = open(&changed).unwrap();
        let problems = problems(&*database);
        assert_eq!(problems.len(), 1, "{problems:?}");
        assert!(
            problems[0].contains("made.2cbg") && problems[0].contains(what),
            "{problems:?}"
        );
        assert!(problems[0].starts_with("made.2cbv: byte "), "{problems:?}");
        let expected = open(&whole).unwrap();
        assert_eq!(contents(&*database), contents(&*expected));
    }
    // Without its directory, the files are found by their headers.
    let database = open(&whole[..entry(0)]).unwrap();
    assert_eq!(database.len(), 8);
    assert!(problems(&*database)[0].contains("directory"));
    assert!(database.game(7).problems.is_empty());
    // With a method that is not known, a file is not there.
    let mut changed = whole.clone();
    changed[entry(2) + 10] = 9;
    let database = open(&changed).unwrap();
    let [problem, ..] = database.problems() else {
        panic!("no problem")
    };
    assert_eq!(problem.kind, ProblemKind::Unsupported);
    assert!(problem.what.starts_with("made.2cba is not read"), "{problem}");
    assert_eq!(database.len(), 8);
}

#[test]
fn an_archive_that_is_cut_anywhere_gives_what_is_left() {
    let whole = zip(&files("made", 4), Form::default()).unwrap();
    let mut opened = 0;
    for len in (0..whole.len()).step_by(101) {
        match open(&whole[..len]) {
            Ok(database) => {
                opened += 1;
                assert!(!database.problems().is_empty(), "cut at {len}");
                (0..database.len()).for_each(|game| drop(database.game(game)));
            }
            Err(reason) => assert!(!reason.is_empty(), "cut at {len}"),
        }
    }
    assert!(opened > 10, "{opened} opened");
}

#[test]
fn an_archive_that_unpacks_to_far_more_than_its_size_is_left_out() {
    let mut made = files("made", 1);
    made[0].1.resize(70 << 20, 0);
    let error = open(&zip(&made, Form::default()).unwrap()).err().unwrap();
    assert!(error.contains("unpacks to far more than its size"), "{error}");
    // Stored members are used where they are, so their size is no danger.
    let stored = Form {
        is_stored: true,
        is_zip64: false,
    };
    assert!(open(&zip(&made, stored).unwrap()).is_ok());
    // Files that are not needed are not unpacked.
    let mut made = files("made", 1);
    made.push(("made.2lcd".to_owned(), vec![0; 70 << 20]));
    assert_eq!(open(&zip(&made, Form::default()).unwrap()).unwrap().len(), 1);
}

#[test]
fn files_that_share_their_bytes_share_the_limit() {
    for form in FORMS.into_iter().filter(|form| !form.is_zip64) {
        let error = open(&sharing(form)).err().unwrap();
        assert!(
            error.contains("unpacks to far more than its size"),
            "{form:?}: {error}"
        );
    }
}

/// An archive in which a member of a megabyte stands under many names.
fn sharing(form: Form) -> Vec<u8> {
    let mut made = files("0", 1);
    made[0].1.resize(1 << 20, 0);
    let whole = zip(&made, form).unwrap();
    let directory = (0..whole.len())
        .find(|&at| whole[at..].starts_with(b"PK\x01\x02"))
        .unwrap();
    let end = whole.len() - 22;
    // The same number of entries for the one member of a megabyte as there are letters.
    let entry = &whole[directory..directory + 46 + "0.2cbh".len()];
    let mut bytes = whole[..directory].to_vec();
    let names: Vec<u8> = (b'0'..=b'9')
        .chain(b'a'..=b'z')
        .chain(b'!'..=b'-')
        .chain([b'@', b'_'])
        .collect();
    for repeat in 0..3u8 {
        for name in &names {
            let mut entry = entry.to_vec();
            entry[46] = *name;
            entry[28] = 7;
            entry.insert(47, b'x' + repeat);
            bytes.extend(entry);
        }
    }
    let count = (3 * names.len() as u16).to_le_bytes();
    let len = (bytes.len() - directory) as u32;
    let mut tail = whole[end..].to_vec();
    tail[8..10].copy_from_slice(&count);
    tail[10..12].copy_from_slice(&count);
    tail[12..16].copy_from_slice(&len.to_le_bytes());
    bytes.extend(tail);
    bytes
}

#[test]
fn a_cut_archive_has_the_moves_of_the_files_before_the_cut() {
    needs!(samples);
    let damaged = shared().join("data/chessbase-2cbh/damaged");
    let [cut, whole] = ["archives/cut", "base/base"].map(|name| open_base(&damaged.join(name)).unwrap());
    let line = |database: &dyn Database, game| {
        let mut moves = Vec::new();
        database.main_line(game, &mut |ply| {
            moves.push(ply.mv);
            ControlFlow::Continue(())
        });
        moves
    };
    assert_eq!(cut.len(), whole.len());
    for game in 0..whole.len() {
        assert_eq!(line(&*cut, game), line(&*whole, game), "game {game}");
        assert_eq!(
            cut.tags(game).get("White"),
            whole.tags(game).get("White"),
            "game {game}"
        );
    }
    assert!(
        problems(&*cut)
            .iter()
            .any(|problem| problem.contains("base.2cba"))
    );
}
