//! The memory needed to open databases and to read their games, compared with the bounds of `crates/testkit/src/harness`.
//!
//! Times differ between runs, so only `scripts/fuzz` checks them.

use testkit::harness;

use std::collections::BTreeMap;

use chessdb::NotADatabase;
use chessdb::files::Candidate;
use chessdb::formats::{FORMATS, Format};
use harness::frame::Input;
use harness::meter::measure;
use harness::sweep::{Games, Strictness, Swept, sweep_candidate};
use testkit::needs;
use testkit::samples::{all_bases, candidates};
use testkit::writers::{parquet, source};

#[test]
fn samples_stay_within_the_bounds() {
    needs!(samples);
    let strictness = Strictness {
        games: Some(Games { most: 200, near: 0.5 }),
        slowness: None,
    };
    let mut formats: BTreeMap<&str, Swept> = BTreeMap::new();
    for base in all_bases() {
        for (format, candidate) in candidates(&base) {
            let swept = sweep_candidate(format, &candidate, &Input::read(&candidate), strictness);
            formats.entry(format.name).or_default().add(swept);
        }
    }
    // Tables of games are made here.
    let pgn = std::fs::read(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../examples/games/annotated.pgn"
    ))
    .unwrap();
    let folder = tempfile::tempdir().unwrap();
    parquet::write(&source::read(&pgn).unwrap(), &folder.path().join("annotated")).unwrap();
    for (format, candidate) in candidates(&folder.path().join("annotated")) {
        let swept = sweep_candidate(format, &candidate, &Input::read(&candidate), strictness);
        formats.entry(format.name).or_default().add(swept);
    }
    for (format, swept) in &formats {
        eprintln!("{format}: {swept:?}");
    }
    assert_eq!(formats.len(), FORMATS.len(), "{:?}", formats.keys());
}

#[test]
fn files_are_framed_and_found_again() {
    let input = Input::new([
        ("b.dci".to_owned(), b"\n@fil\0\xff".to_vec()),
        ("a.dcg".to_owned(), Vec::new()),
    ]);
    assert_eq!(Input::parse(&input.framed()).files, input.files);
    let input = Input::parse(b"x\n@file a.brn\n1\n@file options\nreading=r\nencoding=e\n@file ../b\n2");
    let files: Vec<_> = input
        .files
        .iter()
        .map(|(name, bytes)| (name.as_str(), bytes.as_slice()))
        .collect();
    assert_eq!(files, [("a.brn", &b"1"[..])]);
    assert_eq!(input.options.reading.as_deref(), Some("r"));
    assert_eq!(input.options.encoding.as_deref(), Some("e"));
}

#[test]
fn memory_is_counted_to_the_byte() {
    let (kept, cost) = measure(|| {
        drop(vec![0u8; 10_000]);
        vec![0u8; 3_000]
    });
    assert_eq!(cost.memory, 10_000);
    let ((), cost) = measure(|| drop(kept));
    assert_eq!(cost.memory, 0);
}

#[test]
#[should_panic(expected = "opening takes")]
fn a_bound_that_is_broken_is_seen() {
    static GREEDY: Format = Format::new(
        "greedy",
        "Greedy",
        |_| Vec::new(),
        |_, _| Err(NotADatabase::new(format!("{}", vec![1; 1 << 20].len()))),
    );
    let candidate = Candidate {
        name: "x".to_owned(),
        files: Vec::new(),
        warnings: Vec::new(),
    };
    sweep_candidate(&GREEDY, &candidate, &Input::default(), Strictness::default());
}
