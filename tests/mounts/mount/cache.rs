//! The limit of space for kept files, files of an earlier version, and tables that are kept.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use super::kept_views::{kept, scratch, unmount};
use super::scratch::{CACHE, pgnfs, run, wait_for};
use testkit::needs;

#[test]
fn what_does_not_fit_is_shown_and_not_kept() {
    needs!(mount);
    let scratch = scratch();
    let first_moves = || {
        let moves = scratch.mount.join("many.pgn/moves");
        wait_for("the database", || moves.exists());
        let rows = fs::read_to_string(moves.join("moves.csv")).unwrap();
        let info = fs::read_to_string(scratch.mount.join("many.pgn/info.txt")).unwrap();
        (rows, info)
    };
    let foreground = scratch.mount_in_foreground(&["--cache-space=1M"], "pgnfs=debug");
    let (rows, info) = first_moves();
    let refused = "the index of positions is not kept, because it has more than the 599188 bytes that cache-space \
                   allows: raise cache-space\n";
    assert!(info.contains(refused), "{info}");
    assert!(!info.contains("a view"), "{info}");
    let log = scratch.log();
    assert!(log.contains(&format!("many.pgn: {refused}")), "{log}");
    let players = fs::read_dir(scratch.mount.join("many.pgn/players"))
        .unwrap()
        .count();
    assert_eq!(players, 501 + 307);
    unmount(&scratch);
    drop(foreground);
    let number = |kind| kept(&scratch, kind).len();
    assert_eq!(["scan", "views", "positions"].map(number), [1, 1, 0]);

    // An earlier version has left a file.
    let earlier = scratch.path("cache/pgnfs/0123456789abcdef0123456789abcdef.positions");
    fs::write(&earlier, "bytes").unwrap();
    let foreground = scratch.mount_in_foreground(&["--cache-space=1M"], "pgnfs=debug");
    let (same, info) = first_moves();
    assert_eq!(same, rows);
    assert!(info.contains(refused), "{info}");
    unmount(&scratch);
    drop(foreground);
    assert!(!earlier.exists());
    assert_eq!(number("positions"), 0);

    scratch.mount(&[]);
    let (same, info) = first_moves();
    assert_eq!(same, rows);
    assert!(!info.contains("not kept"), "{info}");
    unmount(&scratch);
    assert_eq!(["scan", "views", "positions"].map(number), [1, 1, 1]);
}

#[test]
fn tables_in_a_mount_are_those_of_an_export_and_are_made_once() {
    needs!(mount);
    let scratch = scratch();
    let exported = |source: &Path| {
        let file = scratch.path("exported");
        let mut export = pgnfs();
        export.args(["export", "--to", "parquet", "--output"]).arg(&file);
        let ended = run(export.arg(source).env(CACHE, scratch.path("cache")));
        assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""));
        fs::read(file).unwrap()
    };
    let right = [
        exported(&scratch.source),
        exported(&scratch.source.join("many.pgn")),
    ];
    let tables =
        ["all/tables/games.parquet", "many.pgn/tables/games.parquet"].map(|path| scratch.mount.join(path));
    let mut made = None;
    for _ in 0..2 {
        scratch.mount(&[]);
        for (table, right) in tables.iter().zip(&right) {
            wait_for("the table", || table.exists());
            assert_eq!(fs::metadata(table).unwrap().len(), right.len() as u64);
            assert!(fs::read(table).unwrap() == *right, "{table:?}");
        }
        unmount(&scratch);
        let files = kept(&scratch, "parquet");
        let inodes: Vec<u64> = files
            .iter()
            .map(|file| fs::metadata(file).unwrap().ino())
            .collect();
        assert_eq!(inodes.len(), 2);
        assert_eq!(
            *made.get_or_insert(inodes.clone()),
            inodes,
            "none was written again"
        );
    }
}
