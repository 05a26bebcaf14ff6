//! Section 2, and common tools, which read exactly the games.

use std::process::Command;

use super::mounted::Mounted;
use testkit::{has, python};

#[test]
fn section_2_1_python_chess_and_pgn_extract_read_everything() {
    let Some(mounted) = Mounted::new(&[]) else { return };
    if let Some(python) = python("chess.pgn", "python-chess") {
        let script = r#"
import sys, chess.pgn
games = nodes = 0
for path in sys.argv[1:]:
    with open(path, encoding="utf-8") as file:
        while (game := chess.pgn.read_game(file)) is not None:
            assert not game.errors, (path, game.headers, game.errors)
            assert game.headers["Result"] in ("1-0", "0-1", "1/2-1/2", "*")
            games += 1
            nodes += sum(1 for _ in game.mainline())
print(games, nodes > 1000)
"#;
        let output = Command::new(python)
            .args(["-c", script, "annotated.dci/all.pgn", "club/classics.dci/all.pgn"])
            .current_dir(mounted.path())
            .output()
            .unwrap();
        let (out, err) = (
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr),
        );
        assert!(output.status.success() && err.is_empty(), "{err}");
        assert_eq!(out.trim(), format!("{} True", mounted.games));
    }
    if has("pgn-extract", "pgn-extract") {
        let report = mounted.shell("PATH=$PATH:/usr/games; pgn-extract -r club/classics.dci/all.pgn 2>&1");
        assert!(!report.to_lowercase().contains("error"), "{report}");
    }
}

#[test]
fn section_2_2_what_was_written_is_what_is_read() {
    let Some(mounted) = Mounted::new(&[]) else { return };
    let examples = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/games/annotated.pgn");
    let written = testkit::pgn::read(&std::fs::read(examples).unwrap());
    let read = testkit::pgn::read(&std::fs::read(mounted.path().join("annotated.dci/all.pgn")).unwrap());
    assert_eq!(written.len(), read.len());
    for (written, read) in written.iter().zip(&read) {
        assert_eq!(written.movetext, read.movetext, "{:?}", written.tags);
        for tag in ["White", "Date", "Result", "FEN"] {
            assert_eq!(written.tags.get(tag), read.tags.get(tag), "{:?}", written.tags);
        }
    }
}

#[test]
fn copies_are_the_same_bytes() {
    let Some(mounted) = Mounted::new(&[]) else { return };
    mounted.shell("cp -a . \"$COPIES/cp\" && diff -r --no-dereference . \"$COPIES/cp\"");
    // In a copy, too, a game is one file, however many views show it. Its name in moves/ is not counted in the mount.
    let listing = "cd club; find . -path '*/moves' -prune -o -type f -printf '%P %s %n\\n' | sort";
    mounted.shell("cp -a club \"$COPIES\" && chmod -R u+w \"$COPIES\" && rm -r \"$COPIES\"/club/*/moves");
    let copied = format!("cd \"$COPIES\" && {listing}");
    assert_eq!(mounted.shell(&copied), mounted.shell(listing));
    mounted.shell("tar cf \"$COPIES/all.tar\" . && mkdir \"$COPIES/tar\" && tar xf \"$COPIES/all.tar\" -C \"$COPIES/tar\"");
    mounted.shell("diff -r --no-dereference . \"$COPIES/tar\"");
    for copy in ["cp", "tar"] {
        let games = "-type f -regextype posix-extended -regex '.*[0-9]{6}\\.pgn' -printf '%i\\n'";
        let stored = mounted.lines(&format!("find \"$COPIES/{copy}\" {games} | sort -u"));
        assert_eq!(stored.len(), mounted.games, "{copy}");
    }
    if has("rsync", "rsync") {
        mounted.shell("rsync -a . \"$COPIES/rsync/\" && diff -r --no-dereference . \"$COPIES/rsync\"");
        // Sizes and times are the same, so nothing is left to copy, except for times that many file systems cannot
        // store.
        let again = "rsync -an --out-format='%M %n' . \"$COPIES/rsync/\" | grep -v '/$' || true";
        let left = mounted.lines(again);
        let left: Vec<&String> = left.iter().filter(|line| line.as_str() > "1902").collect();
        assert!(left.is_empty(), "{left:?}");
    }
}

#[test]
fn grep_and_find_see_every_game() {
    let Some(mounted) = Mounted::new(&[]) else { return };
    let by_grep = mounted
        .lines("grep -rl 'White \"Kasparov, Garry\"' club/classics.dci/games")
        .len();
    let by_name = mounted
        .lines("ls 'club/classics.dci/players/Kasparov, Garry' | grep '_Kasparov-'")
        .len();
    assert!(by_grep > 0);
    assert_eq!(by_grep, by_name);
    let counted: usize = mounted
        .lines("grep -rc '^\\[White ' . --include=all.pgn --exclude-dir=all")
        .iter()
        .map(|line| line.rsplit(':').next().unwrap().parse::<usize>().unwrap())
        .sum();
    assert_eq!(counted, mounted.games);
    if has("rg", "ripgrep") {
        // Memory maps would show bytes after the end if a size were wrong.
        let by_maps =
            mounted.lines("rg --mmap --no-ignore -l 'White \"Kasparov, Garry\"' club/classics.dci/games");
        assert_eq!(by_maps.len(), by_grep);
        assert_eq!(
            mounted.shell("rg --mmap --text -c '\\x00' -g '!*.parquet' . || true"),
            ""
        );
    }
    if has("less", "less") {
        mounted.shell("less club/classics.dci/all.pgn | cmp - club/classics.dci/all.pgn");
    }
    mounted.shell("find . -size +100k | grep . && exit 1 || true");
    assert_eq!(mounted.lines("find . -empty -type f -name '*.pgn'").len(), 0);
}
