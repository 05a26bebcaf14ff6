//! Views, names of games and selected databases, set on the command line.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use super::scratch::{Scratch, pgnfs, run};
use super::simplecdb::{self, OPERA};
use testkit::needs;

fn ls(path: &Path) -> Vec<String> {
    let entries = fs::read_dir(path).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn views_names_and_databases_of_ones_own() {
    needs!(mount);
    let scratch = Scratch::new();
    simplecdb::write(&scratch.source.join("sub/a"), &[OPERA]);
    simplecdb::write(&scratch.source.join("sub/other"), &[OPERA]);
    let long = [
        "--view=rivals=%{player}, %{year}/%{opponent}",
        "--view=days=%{date}",
        "--name=%{white}@%{number}",
        "--only=A.*",
        "--only=sub/b*",
        "--flat",
    ];
    let list = r"view=rivals=%{player}\, %{year}/%{opponent},view=days=%{date},name=%{white}@%{number},only=A.*,only=sub/b*,flat";
    for options in [&long[..], &["-o", list]] {
        scratch.mount(options);
        let mount = &scratch.mount;
        assert_eq!(ls(mount), ["a.dci", "a.dci (2)", "all", "b.dci", "info.txt"]);
        let top = "all.pgn days eco events games info.txt material merged moves players positions rivals search tables years";
        assert_eq!(ls(&mount.join("a.dci")).join(" "), top);
        assert_eq!(ls(&mount.join("a.dci/days")), ["1851.06.21", "1858.11.02"]);
        let game = mount.join("a.dci/rivals/Morphy, Paul, 1858/Duke of Brunswick/Morphy@000001.pgn");
        assert_eq!(
            fs::metadata(&game).unwrap().ino(),
            fs::metadata(&scratch.games()[0]).unwrap().ino()
        );
        // games, players twice, events, years, eco, material, days, rivals twice
        assert_eq!(fs::metadata(&game).unwrap().nlink(), 10);
        let merged = mount.join("a.dci/merged/rivals/Morphy, Paul, 1858/Duke of Brunswick.pgn");
        assert_eq!(fs::read(merged).unwrap(), fs::read(&game).unwrap());
        for table in ["tables/games.csv", "tables/games.ndjson"] {
            let path = mount.join("a.dci").join(table);
            let size = fs::metadata(&path).unwrap().len();
            let text = fs::read_to_string(&path).unwrap();
            assert_eq!(size, text.len() as u64, "{table}");
            assert_eq!(text.matches("games/000001-001000/00000").count(), 2, "{text}");
        }
        scratch.unmount();
    }
}

#[test]
fn only_and_flat_hold_for_all_commands() {
    let scratch = Scratch::new();
    let source = &scratch.source;
    let info = run(pgnfs().args(["info", "--flat"]).arg(source));
    let mut lines: Vec<&str> = info.out.lines().skip(1).collect();
    lines.sort_unstable();
    assert_eq!(lines, ["a.dci: 2 games, SimpleCDb", "b.dci: 1 game, SimpleCDb"]);
    let export = run(pgnfs().args(["export", "--only=sub/*"]).arg(source));
    assert_eq!((export.code, export.out.matches("[White ").count()), (Some(0), 1));
    let check = run(pgnfs().args(["check", "-o", "only=b.dci"]).arg(source));
    assert_eq!(check.err, "pgnfs: 1 game in 1 database, 0 problems\n");
    let none = run(pgnfs().args(["info", "--only=*.cbf"]).arg(source));
    assert_eq!(none.code, Some(2));
    assert!(none.err.contains("'only'"), "{}", none.err);
}

#[test]
fn template_errors_are_reported_before_mounting() {
    let scratch = Scratch::new();
    for (option, words) in [
        (
            "--view=x=%{colour}",
            "character 1 of the template: unknown field 'colour'; the fields are player,",
        ),
        ("--view=players=%{eco}", "its name is already used"),
        ("--name=%{number}-%{white}", "a name must end with %{number}"),
        ("--only=[a", "is not a pattern"),
    ] {
        let ended = run(&mut scratch.mount_command(&[option]));
        assert_eq!(ended.code, Some(2), "{ended:?}");
        assert!(ended.err.contains(words), "{ended:?}");
        assert!(!scratch.is_mounted());
    }
}
