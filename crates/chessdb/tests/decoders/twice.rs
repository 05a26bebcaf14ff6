//! Tags of PGN that occur twice: the first one counts, for the index, the tags alone and the game, and it is said.

use chessdb::Database;
use testkit::samples::open_base;

/// Tags outside the roster, each with two values.
const TAGS: [(&str, [&str; 2]); 11] = [
    ("WhiteElo", ["2500", "2600"]),
    ("BlackElo", ["2400", "2300"]),
    ("ECO", ["B33", "C50"]),
    ("EventDate", ["1984.01.02", "1986.03.04"]),
    ("UTCDate", ["1985.01.02", "1987.03.04"]),
    ("UTCTime", ["01:02:03", "04:05:06"]),
    ("TimeControl", ["180+2", "40/5400"]),
    ("Annotator", ["Tal", "Keres"]),
    ("Variant", ["Standard", "Chess960"]),
    (
        "FEN",
        [
            "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1",
            "4k3/8/8/8/8/8/3PP3/4K3 w - - 0 1",
        ],
    ),
    ("Own", ["x", "y"]),
];

fn database(text: &str) -> Box<dyn Database> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.pgn"), text).unwrap();
    open_base(&folder.path().join("a")).unwrap()
}

/// What an index and the tags alone show of a game.
fn said(database: &dyn Database) -> String {
    let keys = database.keys(0);
    let elos = database.ratings(0);
    format!("{:?} {:?} {} {elos:?}", keys.eco, keys.event_year, keys.date)
}

#[test]
fn the_first_of_two_tags_counts_for_all_who_read_them() {
    let begin = "[Event \"E\"]\n[Site \"S\"]\n[Date \"1985.11.09\"]\n[Round \"1\"]\n[White \"A\"]\n[Black \"B\"]\n[Result \"*\"]\n";
    for (name, values) in TAGS {
        let tag = |name: &str, value: &str| format!("[{name} \"{value}\"]\n");
        for [first, second] in [values, [values[1], values[0]]] {
            let only = database(&format!("{begin}{}\n*\n", tag(name, first)));
            // Another tag may be between them, and both may be the same.
            for between in ["", "[Board \"7\"]\n"] {
                for value in [first, second] {
                    let twice = format!("{begin}{}{between}{}\n*\n", tag(name, first), tag(name, value));
                    let twice = database(&twice);
                    assert_eq!(twice.len(), 1, "{name}");
                    let decoded = twice.game(0);
                    for tags in [&twice.tags(0), &decoded.game.tags] {
                        assert_eq!(tags.get(name), only.tags(0).get(name), "{name} {first} {value}");
                        assert_eq!(tags.iter().filter(|(own, _)| *own == name).count(), 1, "{name}");
                    }
                    assert_eq!(said(&*twice), said(&*only), "{name} {first} {value}");
                    let problems = decoded
                        .problems
                        .iter()
                        .filter(|problem| problem.what.contains(name));
                    assert_eq!(problems.count(), 1, "{name}: {:?}", decoded.problems);
                    assert_eq!(
                        decoded.game.movetext.first_ply(),
                        only.game(0).game.movetext.first_ply()
                    );
                }
            }
        }
    }
}

/// Where no tag has the usual name, the first one in another letter case counts for all of them, whatever comes after it.
#[test]
fn the_first_of_two_tags_in_other_letter_cases_counts_for_all_who_read_them() {
    let roster = [
        ("Event", ["E", "F"]),
        ("Site", ["S", "T"]),
        ("Date", ["1985.11.09", "1986.12.10"]),
        ("Round", ["1", "2"]),
        ("White", ["A", "C"]),
        ("Black", ["B", "D"]),
        ("Result", ["1-0", "0-1"]),
    ];
    let is_usual = |(name, _): &(&str, _)| *name != "Own";
    for (name, values) in roster.into_iter().chain(TAGS.into_iter().filter(is_usual)) {
        let others = roster.iter().filter(|(own, _)| *own != name && *own != "Result");
        let others: String = others
            .map(|(own, values)| format!("[{own} \"{}\"]\n", values[0]))
            .collect();
        // `ECO` and `FEN` are the usual names.
        let (first, rest) = name.split_at(1);
        let cases = [name.to_lowercase(), format!("{first}{}", rest.to_lowercase())];
        let cases = match cases[1] == name {
            true => [name.to_lowercase(), name.to_uppercase()],
            false => cases,
        };
        for [first, second] in [values, [values[1], values[0]]] {
            for [one, other] in [
                [&cases[0], &cases[1]],
                [&cases[1], &cases[0]],
                [&cases[0], &cases[0]],
            ] {
                let only = database(&format!("{others}[{name} \"{first}\"]\n\n*\n"));
                let twice = format!("{others}[{one} \"{first}\"]\n[{other} \"{second}\"]\n\n*\n");
                let twice = database(&twice);
                assert_eq!(twice.len(), 1, "{one} {other}");
                let shown = |database: &dyn Database| {
                    let (keys, whole) = (database.keys(0), database.game(0).game);
                    let texts = [keys.white, keys.black, keys.event].map(|id| database.text(id));
                    let values =
                        [&database.tags(0), &whole.tags].map(|tags| tags.get(name).map(str::to_owned));
                    let first_ply = whole.movetext.first_ply();
                    format!(
                        "{texts:?} {:?} {} {values:?} {first_ply}",
                        keys.outcome,
                        said(database)
                    )
                };
                assert_eq!(shown(&*twice), shown(&*only), "{one} {first}, {other} {second}");
            }
        }
    }
}
