//! PGN files on a real mount, in their three forms (semantics 2.4).

use std::fs;
use std::io::Write;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::Command;

use super::scratch::{CACHE, Scratch, pgnfs, run, wait_for};
use testkit::needs;

/// A file with text before the first game and between games, carriage returns, a byte of windows-1252, and an
/// illegal move.
const FILE: &[u8] = b"From: me\r\n\r\n[Event \"A\"]\r\n[White \"M\xfcller\"]\r\n[Result \"1-0\"]\r\n\r\n1.e4 Ke4 1-0\r\n-- \r\nbye\r\n\r\n\
    [Event \"B\"]\n[Result \"*\"]\n\n1. d4 { open *\n\n[Event \"C\"]\n[Result \"*\"]\n\n1. c4 *\x1a";

fn mounted(option: &[&str]) -> Scratch {
    mounted_of(FILE, option)
}

fn mounted_of(file: &[u8], option: &[&str]) -> Scratch {
    let scratch = Scratch::new();
    fs::write(scratch.source.join("X.PGN"), file).unwrap();
    scratch.mount(option);
    scratch
}

/// [`FILE`], with so much text after its last game that its index is kept.
fn long_file() -> Vec<u8> {
    [FILE, b"\n", "; rest\n".repeat(40_000).as_bytes()].concat()
}

fn read(scratch: &Scratch, name: &str) -> Vec<u8> {
    fs::read(scratch.mount.join("X.PGN").join(name)).unwrap()
}

fn games(scratch: &Scratch) -> Vec<Vec<u8>> {
    let path = |n: u32| format!("games/000001-001000/{n:06}.pgn");
    let games: Vec<Vec<u8>> = (1..=3).map(|n| read(scratch, &path(n))).collect();
    for (n, game) in (1..).zip(&games) {
        let path = scratch.mount.join("X.PGN").join(path(n));
        assert_eq!(fs::metadata(path).unwrap().len(), game.len() as u64);
    }
    assert_eq!(read(scratch, "all.pgn"), games.concat());
    games
}

#[test]
fn games_are_shown_as_they_are_written() {
    needs!(mount);
    let scratch = mounted(&[]);
    let games = games(&scratch);
    let first = "[Event \"A\"]\n[White \"Müller\"]\n[Result \"1-0\"]\n\n1.e4 Ke4 1-0\n-- \nbye\n\n";
    assert_eq!(String::from_utf8_lossy(&games[0]), first);
    assert_eq!(games[2], b"[Event \"C\"]\n[Result \"*\"]\n\n1. c4 *\n\n");
    assert!(!scratch.mount.join("X.PGN/head.txt").exists());
    assert!(scratch.mount.join("X.PGN/players/Müller").is_dir());
    let info = String::from_utf8(read(&scratch, "info.txt")).unwrap();
    assert!(info.contains("head.txt") && info.contains("1 comment"), "{info}");
    let problems = String::from_utf8(read(&scratch, "tables/problems.txt")).unwrap();
    assert!(problems.contains("000001\tX.PGN: byte"), "{problems}");
    assert!(problems.contains("illegal move"), "{problems}");
}

#[test]
fn verbatim_games_and_the_head_are_the_file() {
    needs!(mount);
    let scratch = mounted(&["--pgn=verbatim"]);
    let head = read(&scratch, "head.txt");
    assert_eq!(head, b"From: me\r\n\r\n");
    assert_eq!([head, games(&scratch).concat()].concat(), FILE);
}

#[test]
fn export_writes_games_again() {
    needs!(mount);
    let scratch = mounted(&["--pgn=export"]);
    let first = String::from_utf8(games(&scratch)[0].clone()).unwrap();
    assert!(first.contains("[White \"Müller\"]\n[Black \"?\"]\n"), "{first}");
    assert!(first.contains("\n1. e4 {pgnfs: byte"), "{first}");
    let exported = export(&scratch.source.join("X.PGN"), "--pgn=export");
    assert_eq!(exported, read(&scratch, "all.pgn"));
}

#[test]
fn check_finds_the_problems_in_all_forms() {
    let scratch = Scratch::new();
    let path = scratch.source.join("X.PGN");
    fs::write(&path, FILE).unwrap();
    let check = |form: &str| run(pgnfs().args(["check", form]).arg(&path));
    let cleaned = check("--pgn=cleaned");
    assert!(cleaned.out.contains("no king can go to e4"), "{cleaned:?}");
    assert_eq!(check("--pgn=export").out, cleaned.out);
    assert_eq!(check("--pgn=verbatim").out, cleaned.out);
    assert!(export(&path, "--pgn=verbatim").ends_with(b"\x1a"));
    assert!(export(&path, "--pgn=cleaned").ends_with(b"1. c4 *\n\n"));
}

#[test]
fn check_names_lines_only_where_bytes_are_those_of_the_file() {
    let scratch = Scratch::new();
    let text = "[Event \"a\"]\n[White \"Ä\"]\n\n1. e4 e5 2. Ke3 *\n";
    let utf_16: Vec<u8> = "\u{feff}"
        .encode_utf16()
        .chain(text.encode_utf16())
        .flat_map(u16::to_le_bytes)
        .collect();
    for (bytes, option, line) in [
        (text.as_bytes().to_vec(), "--encoding=utf-8", "line 4, 2. Ke3: "),
        (utf_16, "--encoding=utf-8", "2. Ke3: "),
        (
            b"[Event \"\x83\x5c\"]\n\n1. e4 e5 2. Ke3 *\n".to_vec(),
            "--encoding=shift_jis",
            "2. Ke3: ",
        ),
    ] {
        let path = scratch.source.join("x.pgn");
        fs::write(&path, bytes).unwrap();
        let out = run(pgnfs().args(["check", option]).arg(&path)).out;
        assert!(out.starts_with(&format!("x.pgn: game 1: {line}")), "{out}");
    }
}

/// Files that end without a line feed, and within a comment to the end of the line.
#[test]
fn games_of_several_files_are_written_as_games_of_their_own() {
    let scratch = Scratch::new();
    let games = [
        ("a.pgn", "[Event \"A\"]\n\n1. e4 1-0 ; great game"),
        ("b.pgn", "[Event \"B\"]\n\n1. d4 1-0"),
        ("c.pgn", "1. c4 e5 2. Nc3 *"),
        ("d.pgn", "[Event \"D\"]\n\n1. f4 0-1\n"),
    ];
    let folder = scratch.path("games");
    fs::create_dir(&folder).unwrap();
    for (name, text) in games {
        fs::write(folder.join(name), text).unwrap();
    }
    let events = |command: &[&str]| {
        let output = pgnfs().args(command).arg(&folder).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        let path = scratch.path("read.pgn");
        fs::write(&path, output.stdout).unwrap();
        let table = run(pgnfs()
            .args(["export", "--to=csv", "--columns=Event,moves"])
            .arg(&path));
        table.out.lines().skip(1).map(str::to_owned).collect::<Vec<_>>()
    };
    let (a, b, c, d) = ("A,e4", "B,d4", ",c4 e5 Nc3", "D,f4");
    assert_eq!(events(&["export"]), [a, b, c, d]);
    assert_eq!(
        events(&["find", "--show=pgn", "--reverse", "result:1-0|0-1|*"]),
        [d, c, b, a]
    );
    // In the file, a game without tags is the end of the preceding game.
    fs::remove_file(folder.join("c.pgn")).unwrap();
    assert_eq!(events(&["export", "--pgn=verbatim"]), [a, b, d]);
    assert_eq!(
        export(&folder.join("a.pgn"), "--pgn=verbatim"),
        games[0].1.as_bytes()
    );
}

fn export(path: &Path, form: &str) -> Vec<u8> {
    let output = pgnfs().args(["export", form]).arg(path).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    output.stdout
}

/// Files that were kept for scans in a scratch folder.
fn kept(scratch: &Scratch) -> Vec<std::path::PathBuf> {
    let files = fs::read_dir(scratch.path("cache/pgnfs")).unwrap();
    let files = files.map(|file| file.unwrap().path());
    files
        .filter(|path| path.extension().is_some_and(|extension| extension == "scan"))
        .collect()
}

#[test]
fn a_lost_or_damaged_index_costs_time_only() {
    needs!(mount);
    let scratch = mounted_of(&long_file(), &[]);
    let expected = (
        games(&scratch),
        read(&scratch, "tables/games.csv"),
        read(&scratch, "all.pgn"),
    );
    let listed = |scratch: &Scratch| fs::read_dir(scratch.mount.join("X.PGN/players")).unwrap().count();
    let players = listed(&scratch);
    scratch.unmount();
    let index = kept(&scratch);
    assert_eq!(index.len(), 1, "{index:?}");
    let sound = fs::read(&index[0]).unwrap();
    let damaged = |place: usize| {
        let mut bytes = sound.clone();
        bytes[place] ^= 0x55;
        bytes
    };
    let cut = sound[..sound.len() / 2].to_vec();
    for bytes in [
        damaged(1),
        damaged(30),
        damaged(90),
        damaged(sound.len() - 9),
        cut,
        Vec::new(),
        sound.clone(),
    ] {
        fs::write(&index[0], &bytes).unwrap();
        scratch.mount(&[]);
        assert_eq!(listed(&scratch), players);
        let given = (
            games(&scratch),
            read(&scratch, "tables/games.csv"),
            read(&scratch, "all.pgn"),
        );
        assert_eq!(given, expected);
        scratch.unmount();
        let stays = fs::read(&index[0]).is_ok_and(|left| left == bytes);
        assert_eq!(stays, bytes == sound, "a damaged file is removed or made again");
    }
    fs::remove_file(&index[0]).unwrap();
    scratch.mount(&[]);
    assert_eq!(games(&scratch), expected.0);
    assert_eq!(kept(&scratch), index);
}

#[test]
fn commands_and_mounts_use_one_index() {
    needs!(mount);
    let scratch = Scratch::new();
    let path = scratch.source.join("X.PGN");
    fs::write(&path, long_file()).unwrap();
    let cache = scratch.path("cache");
    let run = |arguments: &[&str]| {
        let ended = run(pgnfs().args(arguments).arg(&path).env(CACHE, &cache));
        assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""), "{arguments:?}");
        ended.out
    };
    let find = ["find", "line:d4"];
    let none = ["--cache-dir=none"];
    let expected = (
        run(&[&["export"], &none[..]].concat()),
        run(&[&find, &none[..]].concat()),
    );
    assert!(!cache.exists());
    assert_eq!(run(&find), expected.1);
    let index = kept(&scratch);
    assert_eq!(index.len(), 1, "{index:?}");
    // A new scan would replace the file by another one.
    let inode = || fs::metadata(&index[0]).unwrap().ino();
    let first = inode();
    assert_eq!((run(&["export"]), run(&find)), expected);
    assert!(run(&["info"]).contains("games           3"));
    scratch.mount(&[]);
    games(&scratch);
    scratch.unmount();
    assert_eq!((kept(&scratch), inode()), (index.clone(), first));
    // A file with other contents in its place, and a damaged one.
    let sound = fs::read(&index[0]).unwrap();
    for bytes in [&b""[..], &sound[..sound.len() / 2], &sound[1..]] {
        fs::write(&index[0], bytes).unwrap();
        assert_eq!((run(&["export"]), run(&find)), expected);
        assert_eq!(fs::read(&index[0]).unwrap(), sound);
    }
}

#[test]
fn an_index_that_cannot_be_kept_is_done_without() {
    let scratch = Scratch::new();
    let path = scratch.source.join("X.PGN");
    fs::write(&path, long_file()).unwrap();
    // No file can have a single byte, as on a full disk.
    let full = r#"ulimit -f 0; exec "$@""#;
    let mut command = Command::new("sh");
    command.args(["-c", full, "sh", env!("CARGO_BIN_EXE_pgnfs")]);
    let without = run(command.arg("info").arg(&path).env(CACHE, scratch.path("cache")));
    assert!(kept(&scratch).is_empty());
    let missing = run(pgnfs().args(["info", "--cache-dir=/proc/missing"]).arg(&path));
    assert!(
        missing.err.starts_with("pgnfs: nothing is kept: /proc/missing: "),
        "{missing:?}"
    );
    for ended in [without, missing] {
        assert_eq!(ended.code, Some(0), "{ended:?}");
        assert!(ended.out.contains("games           3"), "{ended:?}");
    }
}

#[test]
fn a_file_that_changes_is_scanned_again() {
    needs!(mount);
    let scratch = mounted_of(&long_file(), &[]);
    scratch.unmount();
    let path = scratch.source.join("X.PGN");
    fs::write(
        &path,
        [&long_file()[..], b"\n\n[Event \"D\"]\n\n1. f4 *\n"].concat(),
    )
    .unwrap();
    scratch.mount(&[]);
    assert!(read(&scratch, "games/000001-001000/000004.pgn").starts_with(b"[Event \"D\"]"));
    assert_eq!(kept(&scratch).len(), 1);
}

#[test]
fn games_that_are_appended_appear_beside_the_others() {
    needs!(mount);
    let game = |n: usize| {
        format!(
            "[Event \"E{n}\"]\n[White \"P{}\"]\n[Black \"P0\"]\n[Result \"*\"]\n\n1. e4 {{ game {n} }} *\n\n",
            n % 7
        )
    };
    let games = |all: std::ops::Range<usize>| all.map(game).collect::<String>();
    let scratch = Scratch::new();
    let path = scratch.source.join("X.PGN");
    fs::write(&path, games(0..6_000)).unwrap();
    scratch.mount(&[]);
    let whole = |scratch: &Scratch| String::from_utf8(read(scratch, "all.pgn")).unwrap();
    assert!(whole(&scratch) == games(0..6_000));
    for (old, new) in [(6_000, 6_001), (6_001, 8_000)] {
        let mut file = fs::File::options().append(true).open(&path).unwrap();
        file.write_all(games(old..new).as_bytes()).unwrap();
        drop(file);
        let last = scratch.mount.join(format!(
            "X.PGN/games/{:06}-{:06}/{new:06}.pgn",
            (new - 1) / 1000 * 1000 + 1,
            (new - 1) / 1000 * 1000 + 1000
        ));
        wait_for("the new games", || last.exists());
        assert!(whole(&scratch) == games(0..new));
        let players = fs::read_dir(scratch.mount.join("X.PGN/players")).unwrap();
        assert_eq!(players.count(), 7);
    }
    scratch.unmount();
    scratch.mount(&[]);
    assert!(whole(&scratch) == games(0..8_000));
    assert_eq!(kept(&scratch).len(), 1);
    scratch.unmount();
    // A game in the middle is a different game now, and one more follows at the end.
    let changed = games(0..8_001).replace("game 3000 ", "game three thousand ");
    fs::write(&path, &changed).unwrap();
    scratch.mount(&[]);
    assert!(whole(&scratch) == changed);
}

#[test]
fn games_behind_four_gibibytes_are_found() {
    needs!(mount);
    let scratch = Scratch::new();
    let path = scratch.source.join("X.PGN");
    fs::write(&path, FILE).unwrap();
    let file = fs::File::options().write(true).open(&path).unwrap();
    let far = b"\n\n[Event \"far\"]\n[White \"F\"]\n\n1. f4 *\n";
    std::os::unix::fs::FileExt::write_all_at(&file, far, 5 << 30).unwrap();
    drop(file);
    scratch.mount(&[]);
    let game = "games/000001-001000/000004.pgn";
    assert_eq!(
        read(&scratch, game),
        b"[Event \"far\"]\n[White \"F\"]\n\n1. f4 *\n\n"
    );
    assert!(scratch.mount.join("X.PGN/players/F").is_dir());
    assert!(read(&scratch, "all.pgn").len() < 1000);
}

#[test]
fn kinds_select_databases() {
    let scratch = Scratch::new();
    fs::write(scratch.source.join("X.PGN"), FILE).unwrap();
    let listed = |kinds: &[&str]| {
        let ended = run(pgnfs().arg("info").args(kinds).arg(&scratch.source));
        assert_eq!(ended.code, Some(0), "{ended:?}");
        ["X.PGN", "a.dci", "sub/b.dci"].map(|name| ended.out.contains(name))
    };
    assert_eq!(listed(&[]), [true, true, true]);
    assert_eq!(listed(&["--kinds=pgn"]), [true, false, false]);
    assert_eq!(listed(&["--kinds=.DCI"]), [false, true, true]);
    assert_eq!(listed(&["--kinds=simplecdb,pgn"]), [true, true, true]);
    assert_eq!(listed(&["--kinds=simplecdb", "--only=a*"]), [false, true, false]);
}

#[test]
fn very_many_small_files_are_one_directory() {
    needs!(mount);
    let scratch = Scratch::new();
    let folder = scratch.source.join("games");
    fs::create_dir(&folder).unwrap();
    let write = |n: usize, moves: &str| {
        let game = format!(
            "[Event \"E{n}\"]\n[White \"P{}\"]\n[Result \"*\"]\n\n{moves} *\n",
            n % 7
        );
        fs::write(folder.join(format!("{n:04}.pgn")), game).unwrap();
    };
    (0..1_001).for_each(|n| write(n, "1. e4"));
    write(4, "1. Ke2");
    scratch.mount(&[]);
    let shown = scratch.mount.join("games");
    let names = |directory: &Path| {
        let entries = fs::read_dir(directory).unwrap();
        entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect::<Vec<_>>()
    };
    assert_eq!(names(&shown), ["small-files.pgn"]);
    let database = shown.join("small-files.pgn");
    assert_eq!(names(&database.join("players")).len(), 7 + 1, "and unknown");
    let read = |path: &str| fs::read_to_string(database.join(path)).unwrap();
    assert!(read("games/001001-002000/001001.pgn").contains("E1000"));
    assert!(read("info.txt").contains("1001 files from 0000.pgn to 1000.pgn"));
    let problems = read("tables/problems.txt");
    assert!(
        problems.starts_with("000005\t0004.pgn: byte ") && problems.lines().count() == 1,
        "{problems}"
    );
    let all = read("all.pgn");
    assert_eq!(export(&folder, "--pgn=cleaned"), all.as_bytes());
    // Until a change is seen, the state before it is shown.
    write(4, "1. d4");
    let fifth = || read_if_there(&database.join("games/000001-001000/000005.pgn"));
    wait_for("the change", || {
        fifth().is_some_and(|game| game.contains("1. d4"))
    });
    fs::remove_file(folder.join("0000.pgn")).unwrap();
    wait_for("databases of their own", || {
        shown.join("0001.pgn/all.pgn").exists()
    });
    assert!(!database.exists());
}

fn read_if_there(path: &Path) -> Option<String> {
    fs::read_to_string(path).ok()
}
