//! Scid imports all games of every sample's `all.pgn` and objects only to what it cannot represent.

use std::process::Command;

use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess};

use super::mounted::Mounted;
use testkit::needs;

/// Imports files into a new database. For each it prints a line, followed by the objections of Scid.
const SCRIPT: &str = r#"
sc_base create SCID4 [lindex $argv 0]
set base [sc_base current]
foreach file [lrange $argv 1 end] {
    if {[catch {sc_base import $base $file} result]} {
        puts "> 0 $errorCode $file"
    } else {
        puts "> [lindex $result 0] 0 $file\n[lindex $result 1]"
    }
}
sc_base close $base
"#;

/// Scid's error number for a game of more than 128 KiB, at which it stops.
const GAME_TOO_LONG: u32 = 210;

/// Scid's output for one file.
struct Import {
    file: String,
    games: usize,
    error: u32,
    objections: Vec<String>,
}

fn import(mounted: &Mounted, base: &str, files: impl Iterator<Item = String>) -> Vec<Import> {
    let script = mounted.copies().join("import.tcl");
    std::fs::write(&script, SCRIPT).unwrap();
    let output = Command::new("sh")
        .args(["-c", "PATH=$PATH:/usr/games; exec tkscid \"$@\"", "sh"])
        .args([script, mounted.copies().join(base)])
        .args(files)
        .current_dir(mounted.path())
        .env("LC_ALL", "C.UTF-8")
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let mut imports: Vec<Import> = Vec::new();
    // Scid cuts long values at a byte.
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        if let Some(line) = line.strip_prefix("> ") {
            let words: Vec<&str> = line.splitn(3, ' ').collect();
            imports.push(Import {
                games: words[0].parse().unwrap(),
                error: words[1].parse().unwrap(),
                file: words[2].to_owned(),
                objections: Vec::new(),
            });
        } else if !line.is_empty() {
            imports.last_mut().unwrap().objections.push(line.to_owned());
        }
    }
    imports
}

/// Number of Chess960 games that Scid reports as ignored.
fn ignored(import: &Import) -> usize {
    let counts = import.objections.iter().filter_map(|objection| {
        let count = objection.strip_prefix("Ignored ")?;
        count.strip_suffix(" chess960 game(s).")?.parse::<usize>().ok()
    });
    counts.sum()
}

/// The number of the game that an objection refers to.
fn game_of(objection: &str) -> Option<usize> {
    let (number, _) = objection.strip_prefix("(game ")?.split_once(", line ")?;
    number.parse().ok()
}

/// True if an objection is caused by a limit of Scid.
fn is_limit(objection: &str, game: &str, before: &[&str]) -> bool {
    if let Some(tag) = objection.strip_prefix("Error parsing the tag pair: ") {
        // The tag is truncated in the message.
        let shown = tag.split(' ').next().unwrap();
        let tags = game.lines().take_while(|line| line.starts_with('['));
        let (name, value) = tags
            .filter_map(|line| line.strip_prefix('[')?.strip_suffix("\"]")?.split_once(" \""))
            .find(|(name, _)| match shown.strip_suffix("...") {
                Some(beginning) => name.starts_with(beginning),
                None => *name == shown,
            })
            .unwrap_or_else(|| panic!("{objection}\n{game}"));
        return match name {
            // An impossible position stored in the database.
            "FEN" => {
                let fen = value.parse::<Fen>();
                fen.is_err()
                    || fen
                        .unwrap()
                        .into_position::<Chess>(CastlingMode::Standard)
                        .is_err()
            }
            "WhiteElo" | "BlackElo" => value.parse::<u32>().unwrap() > 4000,
            // A tag has at most 240 bytes, including its name.
            _ => name.len() + value.len() > 240,
        };
    }
    if let Some(glyph) = objection.strip_prefix("Invalid annotation symbol: $") {
        // The sample has numbered glyphs at one move; Scid has room for 23.
        return glyph.parse::<u32>().unwrap() > 23 && game.contains(" $22 $23 $24 ");
    }
    // After three objections Scid ignores the rest of a game.
    objection == "End of game, ignored the part after the last error." && before.len() >= 3
}

#[test]
fn scid_imports_every_sample() {
    needs!(program "tkscid", in "scid");
    let Some(mounted) = Mounted::of_samples() else {
        return;
    };
    let most = testkit::cases(200, usize::MAX);
    let databases: Vec<_> = mounted
        .databases()
        .into_iter()
        .filter(|(_, games)| *games <= most)
        .collect();
    let mut imported = 0;
    let files = databases.iter().map(|(path, _)| format!("{path}/all.pgn"));
    for (import, (path, games)) in import(&mounted, "all", files).iter().zip(&databases) {
        assert_eq!(import.file, format!("{path}/all.pgn"));
        match import.error {
            0 => assert_eq!(import.games + ignored(import), *games, "{path}"),
            error => assert_eq!(error, GAME_TOO_LONG, "{path}"),
        }
        imported += import.games + ignored(import);
        let mut before: Vec<&str> = Vec::new();
        for objection in &import.objections {
            let Some(number) = game_of(objection) else {
                assert!(objection.ends_with(" chess960 game(s)."), "{path}: {objection}");
                continue;
            };
            before.retain(|earlier| game_of(earlier) == Some(number));
            let what = objection.split_once(") ").unwrap().1;
            let game = mounted.shell(&format!("cat '{path}'/games/*/{number:06}.pgn"));
            assert!(is_limit(what, &game, &before), "{path}: {objection}");
            before.push(objection);
        }
    }
    // Four databases contain the same long game.
    let games: usize = databases.iter().map(|(_, games)| games).sum();
    assert!(
        databases.len() > 50 && imported + 300 > games,
        "{imported} of {games}"
    );

    // If a game is too long, all others can be imported from separate files.
    for (path, games) in databases.iter().filter(|(path, _)| path.ends_with("random_dir")) {
        let files = mounted.lines(&format!("ls '{path}'/games/*/*.pgn"));
        assert_eq!(files.len(), *games);
        for import in import(&mounted, "single", files.into_iter()) {
            let length = std::fs::metadata(mounted.path().join(&import.file))
                .unwrap()
                .len();
            match import.error {
                0 => assert_eq!(import.games + ignored(&import), 1, "{}", import.file),
                error => assert!(error == GAME_TOO_LONG && length > 128 << 10, "{}", import.file),
            }
        }
    }
}
