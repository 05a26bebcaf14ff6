//! `overview.html`.

use std::collections::BTreeMap;

use chessdb::Problem;
use chessdb::game::Outcome;

use super::mounted::{Mounted, mount, mount_all, mount_with};
use super::tables::{Row, read_csv};
use chessdb_library::spelling::Spelling;
use pgnfs_server::inside::{Layout, ServeOptions};
use testkit::fake::{Fake, game};
use testkit::needs;

type Counts = BTreeMap<String, u64>;

/// The numbers of a section of the page.
fn numbers(page: &str, id: &str) -> Counts {
    let (_, section) = page.split_once(&format!("<h2 id=\"{id}\">")).unwrap();
    let section = section.split("<h2").next().unwrap();
    let rows = section.split("<tr><td>").skip(1).map(|row| {
        let (text, count) = row.split_once("<td>").unwrap();
        let text = match text.strip_prefix("<a ") {
            Some(link) => link.split_once('>').unwrap().1.strip_suffix("</a>").unwrap(),
            None => text,
        };
        let count = count.split(['\n', '<']).next().unwrap();
        (unescaped(text), count.parse().unwrap())
    });
    rows.collect()
}

fn unescaped(html: &str) -> String {
    let marks = [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&#39;", "'"),
        ("&amp;", "&"),
    ];
    marks
        .iter()
        .fold(html.to_owned(), |text, (mark, plain)| text.replace(mark, plain))
}

/// How often a column has each value.
fn counted(values: impl Iterator<Item = String>) -> Counts {
    let mut counts = Counts::new();
    for value in values {
        *counts.entry(value).or_default() += 1;
    }
    counts
}

/// Every number of a page follows from the games in `games.csv`. Returns the page.
fn check(tree: &Mounted, folder: &str) -> String {
    let page = tree.cat(&format!("{folder}tables/overview.html"));
    let (_, rows) = read_csv(&tree.cat(&format!("{folder}tables/games.csv")));
    let values = |tag: &'static str| rows.iter().filter_map(move |row: &Row| row.get(tag).cloned());
    let (_, games) = page.split("</p>").next().unwrap().rsplit_once(", ").unwrap();
    assert_eq!(
        games.replace(',', "").split(' ').next().unwrap(),
        rows.len().to_string()
    );
    let years = values("Date").filter_map(|date| date.get(..4).map(str::to_owned));
    let years = years.filter(|year| year.bytes().all(|digit| digit.is_ascii_digit()));
    let years = years.map(|year| year.trim_start_matches('0').to_owned());
    assert_eq!(numbers(&page, "years"), counted(years));
    assert_eq!(numbers(&page, "results"), counted(values("Result")));
    let ratings = values("WhiteElo").chain(values("BlackElo"));
    let ratings = ratings.filter_map(|rating| rating.trim().parse::<u32>().ok());
    let ratings = ratings.filter(|rating| (100..=3999).contains(rating));
    let ratings = ratings.map(|rating| format!("{}-{}", rating / 100 * 100, rating / 100 * 100 + 99));
    assert_eq!(numbers(&page, "ratings"), counted(ratings));
    let of_one_colour = rows.iter().filter(|row| row.get("White") != row.get("Black"));
    let blacks = of_one_colour.filter_map(|row| row.get("Black").cloned());
    check_most(&numbers(&page, "players"), counted(values("White").chain(blacks)));
    let openings = numbers(&page, "openings").into_iter();
    let codes = openings.map(|(text, count)| (text.split(' ').next().unwrap().to_owned(), count));
    check_codes(&codes.collect(), counted(values("ECO")), coded_by_moves(&page));
    check_harmless(&page);
    for link in links(&page) {
        let path = format!("{folder}{}", decoded(link));
        let games = tree.ls(&path).len();
        assert!(games > 0 && path.ends_with('/'), "{path}");
    }
    page
}

/// Where the page leads to.
fn links(page: &str) -> impl Iterator<Item = &str> {
    page.split("href=\"")
        .skip(1)
        .map(|rest| rest.split('"').next().unwrap())
}

/// The path in a relative reference of the page, which is in `tables/`.
fn decoded(reference: &str) -> String {
    let mut parts = reference.strip_prefix("../").unwrap_or(reference).split('%');
    let mut bytes = parts.next().unwrap().as_bytes().to_vec();
    for part in parts {
        bytes.push(u8::from_str_radix(&part[..2], 16).unwrap());
        bytes.extend(&part.as_bytes()[2..]);
    }
    String::from_utf8(bytes).unwrap()
}

/// How many games the page says to have their code from the moves.
fn coded_by_moves(page: &str) -> u64 {
    let Some((before, _)) = page.split_once(" without the tag ECO ha") else {
        return 0;
    };
    let (_, games) = before.rsplit_once("<p>").unwrap();
    games.split(' ').next().unwrap().replace(',', "").parse().unwrap()
}

/// Checks `shown`, the 25 greatest counts of codes: the games with the tag, and this number of others.
fn check_codes(shown: &Counts, of_tag: Counts, by_moves: u64) {
    if by_moves == 0 {
        return check_most(shown, of_tag);
    }
    for (code, count) in &of_tag {
        assert!(shown.get(code).is_none_or(|shown| shown >= count), "{code}");
    }
    let [all, tagged] = [shown, &of_tag].map(|counts| counts.values().sum::<u64>());
    let is_whole = shown.len() < 25;
    assert!(all == tagged + by_moves || !is_whole && all < tagged + by_moves);
}

/// `shown` are the 25 greatest counts.
fn check_most(shown: &Counts, counts: Counts) {
    assert_eq!(shown.len(), counts.len().min(25));
    let least = shown.values().min().copied().unwrap_or(0);
    for (text, count) in counts {
        match shown.get(&text) {
            Some(shown) => assert_eq!(*shown, count, "{text}"),
            None => assert!(count <= least, "{text}"),
        }
    }
}

/// The page runs nothing and loads nothing.
fn check_harmless(page: &str) {
    assert!(page.contains("<svg") && page.contains("default-src 'none'"));
    for harmful in [
        "<script", "<img", "<link", "<iframe", "<object", "src=", "http:", "https:", "url(", "@import",
    ] {
        assert!(!page.contains(harmful), "{harmful}");
    }
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/-._~%".contains(c);
    for link in links(page) {
        assert!(link.chars().all(is_plain) && !link.starts_with('/'), "{link}");
    }
}

#[test]
fn numbers_are_those_of_the_tables() {
    let karpov = |black, year| game("Karpov, Anatoly", black).date(year, 1, 2);
    let mut fake = Fake::of([
        karpov("Spassky, Boris", 1974)
            .outcome(Outcome::Draw)
            .eco(b"B97")
            .tag("ECO", "B97"),
        karpov("Korchnoi, Viktor", 1978)
            .tag("WhiteElo", "2725")
            .tag("BlackElo", "x")
            .deleted(),
        karpov("Karpov, Anatoly", 0)
            .outcome(Outcome::WhiteWins)
            .tag("WhiteElo", "2700"),
        game("?", "b").problem("odd: a colon"),
    ]);
    fake.problems.push(Problem::damage("b.dcn", 7, "cut"));
    let tree = mount(fake);
    let page = check(&tree, "");
    assert_eq!(
        numbers(&page, "years"),
        [("1974".to_owned(), 1), ("1978".to_owned(), 1)].into()
    );
    assert!(page.contains("<p>2 games without a year.</p>"), "{page}");
    assert_eq!(numbers(&page, "ratings"), [("2700-2799".to_owned(), 2)].into());
    assert_eq!(numbers(&page, "players")["Karpov, Anatoly"], 3);
    let damage = numbers(&page, "problems");
    assert_eq!((damage["b.dcn"], damage.values().sum::<u64>()), (1, 2));
    assert_eq!(tree.cat("tables/problems.txt").lines().count(), 2);
}

#[test]
fn players_openings_and_years_lead_to_their_directories() {
    let games = [
        game("Müller, \"50 %\" #1?", "a/b")
            .date(985, 1, 2)
            .eco(b"B97")
            .tag("ECO", "B97"),
        game("a_b", "a\\b").date(990, 1, 2).tag("ECO", "Z1"),
        game("Deleted, Only", "a_b").date(991, 1, 2).deleted(),
    ];
    let tree = mount(Fake::of(games));
    let page = check(&tree, "");
    let leads = |text: &str| {
        let row = page
            .split("<tr><td>")
            .find(|row| row.contains(&format!(">{text}</a>")));
        row.map(|row| decoded(row.split('"').nth(1).unwrap()))
    };
    for (text, path) in [
        ("Müller, &quot;50 %&quot; #1?", "players/Müller, \"50 %\" #1?/"),
        ("985", "years/0985/"),
        ("990", "years/0990/"),
        ("B97 Sicilian Defense: Najdorf", "eco/B/B97/"),
    ] {
        assert_eq!(leads(text).as_deref(), Some(path), "{page}");
    }
    // Three names that are one when slashes are replaced, each in a directory of its own.
    let game_of = |text: &str| tree.ls(&leads(text).unwrap());
    assert_ne!(game_of("a/b"), game_of("a_b"));
    assert_eq!(game_of("a_b"), game_of("a\\b"));
    for nowhere in ["991", "Deleted, Only", "Z1"] {
        assert!(page.contains(&format!("<tr><td>{nowhere}<td>1")), "{nowhere}");
    }
    // Charts lead there as well: four players, two years and an opening, twice each.
    assert_eq!(links(&page).count(), 2 * (4 + 2 + 1));
}

#[test]
fn a_wrong_year_does_not_narrow_the_columns() {
    let games = (0..400).map(|n| game("a", "b").date(1950 + n % 50, 0, 0));
    let tree = mount(Fake::of(games.chain([game("a", "b").date(9999, 0, 0)])));
    let page = check(&tree, "");
    assert!(!page.contains("Each column covers"), "{page}");
    assert!(page.contains("<p>1 game with a year outside the chart.</p>"));
}

#[test]
fn a_chart_has_at_most_120_columns() {
    for (years, step) in [(119, 1), (120, 1), (121, 2)] {
        let games = (0..years).map(|year| game("a", "b").date(1700 + year, 0, 0));
        let page = check(&mount(Fake::of(games)), "");
        let said = format!("Each column covers {step} years.");
        assert_eq!(page.contains(&said), step > 1, "{years}");
        assert_eq!(page.contains("Each column covers"), step > 1, "{years}");
    }
}

#[test]
fn a_number_of_games_is_not_taken_for_a_year() {
    for (games, said) in [(999, "999 games"), (1_000, "1,000 games"), (1_935, "1,935 games")] {
        let page = mount(Fake::of((0..games).map(|_| game("a", "b")))).cat("tables/overview.html");
        assert!(page.contains(&format!("<p>{said} without a year.</p>")), "{page}");
    }
}

/// 65535 is what SimpleCDb has for no rating; it would make the chart a needle.
#[test]
fn a_wrong_rating_does_not_widen_the_chart() {
    let ratings = ["99", "100", "2500", "2599", "3999", "4000", "32484", "65535"];
    let games = ratings.map(|elo| game("a", "b").tag("WhiteElo", elo));
    let tree = mount(Fake::of(games));
    let page = check(&tree, "");
    let counts = [("100-199", 1), ("2500-2599", 2), ("3900-3999", 1)];
    let counts = counts.map(|(range, count)| (range.to_owned(), count));
    assert_eq!(numbers(&page, "ratings"), counts.into());
    // Tables have no such number either; the games keep what the tag says.
    assert!(!tree.cat("tables/games.csv").contains("65535"));
    assert!(tree.cat("all.pgn").contains("[WhiteElo \"65535\"]"));
}

#[test]
fn texts_of_a_database_are_no_html() {
    let tree = mount(Fake::of([game(
        "<script>alert(1)</script>",
        "</svg><b onclick='x'>\u{202e}\"&amp;",
    )
    .tag("ECO", "<i>")]));
    let page = tree.cat("tables/overview.html");
    for tag in ["<script", "<b ", "<i>", "</svg><b", "\u{202e}"] {
        assert!(!page.contains(tag), "{tag}");
    }
    assert!(numbers(&page, "players").contains_key("<script>alert(1)</script>"));
    assert!(page.contains("&lt;/svg&gt;"));
}

#[test]
fn all_databases_have_one_as_well() {
    let tree = mount_all(vec![
        Fake::of([game("Karpov", "Spassky").date(1974, 0, 0).problem("odd")]).at("old/a.dci"),
        Fake::of([game("Karpov", "Kasparov").date(1985, 0, 0)]).at("b.dci"),
        Fake::default().at("zero.dci"),
    ]);
    let page = check(&tree, "all/");
    assert!(page.contains("<p>3 databases, 2 games</p>"));
    assert_eq!(numbers(&page, "players")["Karpov"], 2);
    assert_eq!(numbers(&page, "problems"), [("old/a.dci".to_owned(), 1)].into());
    check_empty(&tree.cat("zero.dci/tables/overview.html"));
}

#[test]
fn players_of_all_databases_have_the_names_of_the_tables() {
    let mut layout = Layout::default();
    layout.spell(Spelling::Fold);
    let options = ServeOptions {
        layout: layout.into(),
        ..ServeOptions::default()
    };
    let of = |name: &str, path: &str| Fake::of([game(name, "x")]).at(path);
    let databases = vec![of("Kasparov, Garry", "a.dci"), of("Kasparov,G", "b.dci")];
    let tree = mount_with(databases, options);
    let players = numbers(&check(&tree, "all/"), "players");
    assert_eq!(players["Kasparov, Garry"], 2, "{players:?}");
    assert_eq!(numbers(&check(&tree, "b.dci/"), "players")["Kasparov,G"], 1);
}

/// The cells of the table of a section, row by row, without links.
fn table(page: &str, id: &str) -> Vec<String> {
    let (_, section) = page.split_once(&format!("<h2 id=\"{id}\">")).unwrap();
    let section = section.split("<h2").next().unwrap();
    let rows = section.split("<tr><td>").skip(1).map(|row| {
        let row = row.split(['\n']).next().unwrap();
        let cells = row.split("<td>").map(|cell| {
            let cell = cell.strip_suffix("</a>").unwrap_or(cell);
            unescaped(cell.rsplit('>').next().unwrap())
        });
        cells.collect::<Vec<_>>().join(" | ")
    });
    rows.collect()
}

#[test]
fn an_axis_has_each_number_once() {
    for games in [1, 2, 3] {
        let all = (0..games).map(|n| game("A", "B").date(1857 + n, 1, 1));
        let page = mount(Fake::of(all)).cat("tables/overview.html");
        let (_, section) = page.split_once("<h2 id=\"years\">").unwrap();
        let chart = section.split("</svg>").next().unwrap();
        let mut labels: Vec<&str> = chart
            .split("<text")
            .skip(1)
            .map(|text| text.split_once('>').unwrap().1.split('<').next().unwrap().trim())
            .collect();
        let number = labels.len();
        labels.sort_unstable();
        labels.dedup();
        assert_eq!(labels.len(), number, "{labels:?}");
        assert!(labels.contains(&"1857") && labels.contains(&"1"), "{labels:?}");
    }
}

#[test]
fn a_search_for_a_player_has_the_scores_of_the_player() {
    let tal = |black: &str, year| game("Tal", black).date(year, 5, 7).tag("BlackElo", "2610");
    let games = || {
        [
            tal("<i>X</i>", 1959)
                .outcome(Outcome::WhiteWins)
                .eco(b"B97")
                .tag("ECO", "B97"),
            tal("Y", 1960)
                .outcome(Outcome::Draw)
                .eco(b"B97")
                .tag("ECO", "B97"),
            game("Y", "Tal")
                .date(1960, 1, 1)
                .outcome(Outcome::WhiteWins)
                .tag("WhiteElo", "2590"),
            game("Y", "Tal"),
            game("Y", "Z").outcome(Outcome::WhiteWins),
            tal("Y", 1961).deleted(),
        ]
    };
    let options = ServeOptions {
        unique: true,
        ..ServeOptions::default()
    };
    let b = [game("Z", "Tal").date(1958, 0, 0).outcome(Outcome::BlackWins)];
    let databases = vec![Fake::of(games()).at("old/a.dci"), Fake::of(b).at("b.dci")];
    let tree = mount_with(databases, options);
    let page = tree.cat("old/a.dci/search/player:tal/tables/overview.html");
    check_harmless(&page);
    assert!(
        page.contains("<h1>player:tal</h1>\n<p>old/a.dci, 4 games</p>"),
        "{page}"
    );
    assert_eq!(
        table(&page, "scores"),
        [
            "White | 2 | 1 | 1 | 0 | 75.0 % | 2803",
            "Black | 2 | 0 | 0 | 1 | 0.0 % | 1790",
            "both colours | 4 | 1 | 1 | 1 | 50.0 % | 2603"
        ]
    );
    assert_eq!(
        table(&page, "openings-white"),
        ["B97 Sicilian Defense: Najdorf | 2 | 1 | 1 | 0 | 75.0 % | 2803"]
    );
    assert_eq!(table(&page, "openings-black"), [""; 0]);
    assert!(page.contains("<p>2 games without an opening code.</p>"));
    assert!(page.contains("<p>1 game without a year.</p>"));
    assert_eq!(
        table(&page, "scores-years"),
        [
            "1960 | 2 | 0 | 1 | 1 | 25.0 % | 2407",
            "1959 | 1 | 1 | 0 | 0 | 100.0 % | 3410"
        ]
    );
    assert_eq!(
        table(&page, "scores-ratings"),
        [
            "2600-2699 | 2 | 1 | 1 | 0 | 75.0 % | 2803",
            "2500-2599 | 1 | 0 | 0 | 1 | 0.0 % | 1790"
        ]
    );
    assert!(page.contains("<p>1 game without a rating of the opponent.</p>"));
    let latest = table(&page, "latest");
    assert_eq!(latest[0], "1960.05.07 | Tal | Y | 1/2-1/2 | B97");
    assert_eq!(latest.len(), 4);
    // A game without a date can be opened, too.
    assert!(latest[3].starts_with("? | Y | Tal"), "{latest:?}");
    let of_all = tree.cat("all/search/player:tal/tables/overview.html");
    assert_eq!(
        table(&of_all, "scores")[2],
        "both colours | 5 | 2 | 1 | 1 | 62.5 % | 2603"
    );
    // The page of a search leads to the games, whether these are in its directory or not.
    for (folder, page) in [
        ("old/a.dci/search/player:tal/", page),
        ("all/search/player:tal/", of_all),
        (
            "all/unique/search/player:tal/",
            tree.cat("all/unique/search/player:tal/tables/overview.html"),
        ),
    ] {
        let links: Vec<String> = links(&page)
            .map(decoded)
            .filter(|link| link.ends_with(".pgn"))
            .collect();
        assert!(links.len() >= 4, "{page}");
        for link in links {
            assert!(
                tree.cat(&inside(&format!("{folder}{link}"))).contains("Tal"),
                "{link}"
            );
        }
    }
    for other in ["white:tal", "player:tal player:y", "-player:tal"] {
        let page = tree.cat(&format!("b.dci/search/{other}/tables/overview.html"));
        assert!(!page.contains("id=\"scores\""), "{other}");
    }
}

/// A path without `..`.
fn inside(path: &str) -> String {
    let mut names = Vec::new();
    for name in path.split('/') {
        match name {
            ".." => drop(names.pop()),
            name => names.push(name),
        }
    }
    names.join("/")
}

#[test]
fn twenty_openings_and_games_of_a_player_are_listed() {
    for (number, shown) in [(20, 20), (21, 20)] {
        let codes = (0..number).map(|n| [b'A', b'0' + n / 10, b'0' + n % 10]);
        let games = codes.map(|code| game("Tal", "Y").eco(&code));
        let tree = mount(Fake::of(games));
        let page = tree.cat("search/player:tal/tables/overview.html");
        let rows = table(&page, "openings-white").len();
        assert_eq!((rows, table(&page, "latest").len()), (shown, shown), "{number}");
        assert_eq!(page.contains("<p>The 20 most frequent of 21.</p>"), number > 20);
    }
}

fn check_empty(page: &str) {
    assert!(page.contains("<p>Fake, 0 games</p>"), "{page}");
    assert!(numbers(page, "years").is_empty() && numbers(page, "players").is_empty());
}

#[test]
fn it_waits_for_all_games_and_is_the_same_in_the_next_mount() {
    let games =
        || (0..700u32).map(|n| game(&format!("p{}", n % 40), "x").date(1500 + (n % 500) as u16, 0, 0));
    let tree = mount(Fake::of(games()));
    let overview = tree.inode("tables/overview.html");
    assert!(tree.may_wait(overview));
    assert_eq!(tree.attributes_if_known(overview).unwrap(), None);
    let page = check(&tree, "");
    assert!(!tree.may_wait(overview));
    assert!(page.contains("<p>Each column covers 5 years.</p>"), "{page}");
    let options = ServeOptions {
        threads: 1,
        ..ServeOptions::default()
    };
    let again = mount_with(vec![Fake::of(games()).at("")], options);
    assert_eq!(again.cat("tables/overview.html"), page);
}

#[test]
fn samples_have_the_numbers_of_their_tables() {
    let shared = needs!(samples);
    for folder in ["chessbase", "brenner"] {
        let library =
            chessdb_library::library::Library::open(&shared.join("data").join(folder), &Default::default());
        let tree = Mounted(pgnfs_server::inside::ChessFs::new(
            library.unwrap(),
            ServeOptions::default(),
        ));
        check(&tree, "all/");
    }
}

#[test]
fn openings_are_those_of_the_moves_where_the_tag_is_missing() {
    let tree_with = |by_moves: bool| {
        let mut layout = Layout::default();
        layout.sort_eco_by_moves(by_moves);
        let options = ServeOptions {
            layout: layout.into(),
            ..ServeOptions::default()
        };
        let games = [
            game("Tal", "b").line("e4 c5").eco(b"C42").tag("ECO", "C42"),
            game("Tal", "d").line("e4 c5").date(1960, 1, 1),
            game("Tal", "f").line("d4 Nf6 c4 e6 Nf3 d5 Nc3"),
            game("g", "h").line("e4 c5").eco(b"B20").tag("ECO", "B20"),
            game("i", "j"),
        ];
        mount_with(vec![Fake::of(games).at("")], options)
    };
    for by_moves in [false, true] {
        let tree = tree_with(by_moves);
        let page = tree.cat("tables/overview.html");
        assert_eq!(
            table(&page, "openings"),
            [
                "B20 Sicilian Defense | 2",
                "C42 Petrov's Defense | 1",
                "D37 Queen's Gambit Declined | 1"
            ]
        );
        assert_eq!(
            table(&page, "opening-names"),
            [
                "Sicilian Defense | 3",
                "Queen's Gambit Declined: Three Knights Variation | 1"
            ]
        );
        assert!(page.contains("<p>2 games without the tag ECO have their code from the moves."));
        assert_eq!(
            page.contains("eco/ has all with the option --eco=moves"),
            !by_moves
        );
        for link in links(&page).map(decoded) {
            assert!(!tree.ls(&link).is_empty(), "{link}");
        }
        assert_eq!(page.contains("../eco/D/D37/"), by_moves);
        let of_player = tree.cat("search/player:tal/tables/overview.html");
        assert_eq!(table(&of_player, "latest")[0], "1960.01.01 | Tal | d | * | B20");
        assert_eq!(of_player.contains("with this code in the tag ECO"), !by_moves);
    }
}
