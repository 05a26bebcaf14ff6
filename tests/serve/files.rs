//! The tree of files.

use std::fs;

use super::client::{GAMES, Served};
use testkit::open_files::deleted_files;
use testkit::patience::wait_for;

const GAME: &str = "/files/a.pgn/games/000001-001000/000001.pgn";

#[test]
fn files_have_the_bytes_of_the_mount() {
    let served = Served::games(&[]);
    let all = served.get("/files/a.pgn/all.pgn");
    assert_eq!(all.status, 200);
    assert_eq!(
        all.header("content-type"),
        "application/x-chess-pgn; charset=utf-8"
    );
    assert_eq!(all.header("content-length"), all.body.len().to_string());
    let one = served.get(GAME);
    assert!(all.text().starts_with(&one.text()) && one.text().contains("[White \"Müller, <b>\"]"));
    assert!(GAMES.contains("1. e4 c5 2. Nf3 d6 1-0") && one.text().contains("1. e4 c5 2. Nf3 d6 1-0"));
    let head = served.ask("HEAD", GAME, &[]);
    assert_eq!((head.status, head.body.len()), (200, 0));
    assert_eq!(head.header("content-length"), one.body.len().to_string());
    assert_eq!(
        served.get("/files/a.pgn/tables/games.csv").header("content-type"),
        "text/csv; charset=utf-8"
    );
    assert_eq!(served.get("/files/more/b%20%C3%BC.pgn/all.pgn").body, all.body);
    let found = served.get("/files/all/search/white:tal/all.pgn").text();
    assert_eq!(found.matches("[White \"Tal\"]").count(), 2);
}

#[test]
fn parts_of_files_are_exact() {
    let served = Served::games(&[]);
    let all = served.get(GAME).body;
    let size = all.len();
    let part = |range: &str| served.ask("GET", GAME, &[&format!("Range: bytes={range}")]);
    for (range, expected) in [
        ("0-0", 0..1),
        ("5-9", 5..10),
        ("5-", 5..size),
        ("-7", size - 7..size),
        ("0-999999", 0..size),
        ("-999999", 0..size),
    ] {
        let answer = part(range);
        assert_eq!(answer.status, 206, "{range}");
        assert_eq!(answer.body, all[expected.clone()], "{range}");
        let content = format!("bytes {}-{}/{size}", expected.start, expected.end - 1);
        assert_eq!(answer.header("content-range"), content);
    }
    let none = part(&format!("{size}-"));
    assert_eq!(
        (none.status, none.header("content-range")),
        (416, &*format!("bytes */{size}"))
    );
    let several = part("0-4,10-11");
    assert_eq!(several.status, 206);
    assert_eq!(several.header("content-length"), several.body.len().to_string());
    let text = several.text();
    let first = String::from_utf8(all[..5].to_vec()).unwrap();
    assert!(
        text.contains(&format!("bytes 0-4/{size}\r\n\r\n{first}\r\n--")),
        "{text}"
    );
    assert_eq!(part("0-0,2-2,4-4,6-6,8-8,10-10,12-12,14-14").status, 206);
    assert_eq!(part(",5-9, ").body, all[5..10]);
    assert_eq!(served.ask("GET", GAME, &["Range: Bytes=5-9"]).body, all[5..10]);
    // More ranges than are sent, and what is no range, get the whole file.
    for whole in ["0-0,2-2,4-4,6-6,8-8,10-10,12-12,14-14,16-16", "x", ","] {
        assert_eq!(part(whole).body, all, "{whole}");
    }
}

#[test]
fn unchanged_files_are_not_sent_again() {
    let served = Served::games(&[]);
    let first = served.get(GAME);
    let (tag, time) = (first.header("etag"), first.header("last-modified"));
    assert!(tag.starts_with('"') && time.ends_with("GMT"), "{first:?}");
    for (line, status) in [
        (format!("If-None-Match: {tag}"), 304),
        ("If-None-Match: *".to_owned(), 304),
        ("If-None-Match: \"x\"".to_owned(), 200),
        (format!("If-Modified-Since: {time}"), 304),
        ("If-Modified-Since: Sat, 01 Jan 2000 00:00:00 GMT".to_owned(), 200),
        (format!("If-Match: {tag}"), 200),
        ("If-Match: \"x\"".to_owned(), 412),
        (format!("If-Unmodified-Since: {time}"), 200),
        (
            "If-Unmodified-Since: Sat, 01 Jan 2000 00:00:00 GMT".to_owned(),
            412,
        ),
    ] {
        assert_eq!(served.ask("GET", GAME, &[&line]).status, status, "{line}");
    }
    let head = served.ask("HEAD", GAME, &["If-None-Match: *"]);
    assert_eq!(
        (head.status, head.header("content-length")),
        (304, &*first.body.len().to_string())
    );
    let ranged = |tag: &str| {
        served
            .ask("GET", GAME, &["Range: bytes=0-3", &format!("If-Range: {tag}")])
            .status
    };
    // Only the same tag belongs to these bytes: the time has no parts of a second.
    for (condition, status) in [
        (tag, 206),
        (time, 200),
        ("\"x\"", 200),
        (&*format!("W/{tag}"), 200),
        ("Sat, 01 Jan 2000 00:00:00 GMT", 200),
        ("Fri, 31 Dec 2100 00:00:00 GMT", 200),
        ("\"nonsense", 200),
        ("*", 200),
        ("", 200),
    ] {
        assert_eq!(ranged(condition), status, "{condition}");
    }
    assert_ne!(served.get("/files/a.pgn/all.pgn").header("etag"), tag);
}

#[test]
fn info_has_another_tag_when_it_has_another_text() {
    let served = Served::games(&["-o", "watch=poll:1"]);
    for (path, name, text) in [
        // What is left out is no part of a database.
        ("/files/info.txt", "bad.cbh", "garbage"),
        ("/files/all/info.txt", "more.pgn", GAMES),
    ] {
        let old = served.get(path);
        let tag = old.header("etag").to_owned();
        let known = format!("If-None-Match: {tag}");
        assert_eq!(served.ask("GET", path, &[&known]).status, 304, "{path}");
        fs::write(served.source().join(name), text).unwrap();
        wait_for("another text", || served.get(path).body != old.body);
        let new = served.get(path);
        assert_ne!(new.header("etag"), tag, "{path}");
        assert_eq!(served.ask("GET", path, &[&known]).status, 200, "{path}");
        let part = ["Range: bytes=5-", &format!("If-Range: {tag}")];
        assert_eq!(served.ask("GET", path, &part).status, 200, "{path}");
    }
}

#[test]
fn files_that_were_replaced_are_closed() {
    let served = Served::games(&["-o", "watch=poll:1"]);
    let source = served.source();
    for name in ["First", "Second"] {
        let new = source.join("new");
        fs::write(&new, format!("[White \"{name}\"]\n\n1. e4 *\n")).unwrap();
        fs::rename(&new, source.join("a.pgn")).unwrap();
        wait_for("the new file alone", || {
            served.get(GAME).text().contains(name) && deleted_files(served.process(), &source).is_empty()
        });
    }
}

#[test]
fn directories_are_pages_and_lists() {
    let served = Served::games(&[]);
    let root = served.get("/files");
    assert_eq!((root.status, root.header("location")), (308, "/files/"));
    let moved = served.get("/files/a.pgn");
    assert_eq!((moved.status, moved.header("location")), (308, "/files/a.pgn/"));
    assert_eq!(served.get(&format!("{GAME}/")).status, 404);
    let page = served.get("/files/a.pgn/players/").text();
    assert!(
        page.contains("<a href=\"./M%C3%BCller%2C%20%3Cb%3E/\">Müller, &lt;b&gt;/</a>"),
        "{page}"
    );
    assert!(!page.contains("<b>"));
    let list = served.ask("GET", "/files/a.pgn/", &["Accept: application/json"]);
    let list: serde_json::Value = serde_json::from_slice(&list.body).unwrap();
    let entries = list["entries"].as_array().unwrap();
    let of = |name: &str| entries.iter().find(|entry| entry["name"] == name).unwrap();
    assert_eq!(
        (&of("games")["type"], &of("games")["size"]),
        (&"directory".into(), &().into())
    );
    assert_eq!(of("info.txt")["type"], "file");
    for missing in [
        "/files/x",
        "/files/a.pgn/x/",
        "/files/.DS_Store",
        "/files/._a.pgn",
        "/files/Thumbs.db",
    ] {
        assert_eq!(served.get(missing).status, 404, "{missing}");
    }
}

/// Programs look up such names in every directory, but players and events may have them, too.
#[test]
fn every_name_of_a_listing_has_an_answer() {
    let game =
        |white: &str| format!("[Event \".hidden\"]\n[White \"{white}\"]\n[Black \"Tal\"]\n\n1. e4 *\n\n");
    let games = ["Thumbs.db", "desktop.ini", "._hidden"].map(game).concat();
    let served = Served::with(&[("a.pgn", &games), ("._b.pgn", &games)], &[]);
    for (folder, names) in [
        ("", &["._b.pgn"][..]),
        ("a.pgn/players/", &["Thumbs.db", "desktop.ini", "._hidden"]),
        ("a.pgn/events/", &[".hidden"]),
    ] {
        let page = served.get(&format!("/files/{folder}")).text();
        for name in names {
            assert!(page.contains(&format!("\"./{name}/\"")), "{page}");
            assert_eq!(
                served.get(&format!("/files/{folder}{name}/")).status,
                200,
                "{name}"
            );
            let found = served.ask("PROPFIND", &format!("/files/{folder}{name}/"), &["Depth: 0"]);
            assert_eq!(found.status, 207, "{name}");
        }
    }
}

#[test]
fn links_lead_to_the_one_address_of_a_file() {
    let served = Served::games(&[]);
    // A query in other words is a link to its canonical name.
    let link = "/files/a.pgn/search/white:TAL/all.pgn";
    let answer = served.get(link);
    assert_eq!(answer.status, 307);
    assert_eq!(
        answer.header("location"),
        "/files/a.pgn/search/white%3Atal/all.pgn"
    );
    assert_eq!(served.get(answer.header("location")).status, 200);
}

#[test]
fn nothing_outside_the_tree_is_named() {
    let served = Served::games(&[]);
    for path in [
        "/files/../etc/passwd",
        "/files/%2e%2e/x",
        "/files/a.pgn//x",
        "/files/a%2fb",
        "/files/a%00",
        "/files/%ff",
    ] {
        assert_eq!(served.get(path).status, 400, "{path}");
    }
    for method in ["PUT", "DELETE", "MKCOL", "POST", "LOCK", "MOVE"] {
        assert_eq!(served.ask(method, "/files/a.pgn/x", &[]).status, 405, "{method}");
    }
}

#[test]
fn a_page_has_folders_first_and_names_in_order() {
    let files = ["b.pgn", "A.pgn", "c/x.pgn", "ä.pgn"].map(|name| (name, GAMES));
    let served = Served::with(&files, &[]);
    let names = |path: &str| -> Vec<String> {
        let page = served.get(path).text();
        let rows = page
            .lines()
            .filter_map(|line| line.split_once("<a href=\"./")?.1.split_once('"'));
        rows.map(|(name, _)| name.to_owned()).collect()
    };
    let root = ["A.pgn/", "all/", "b.pgn/", "c/", "%C3%A4.pgn/", "info.txt"];
    assert_eq!(names("/files/"), root);
    let database = names("/files/b.pgn/");
    let folders = database.iter().take_while(|name| name.ends_with('/')).count();
    assert!(folders > 1 && folders < database.len());
    assert!(
        database[..folders].is_sorted() && database[folders..].is_sorted(),
        "{database:?}"
    );
    assert!(!database[folders..].iter().any(|name| name.ends_with('/')));
}

#[test]
fn a_page_of_many_says_that_the_directory_is_not_sorted_as_a_whole() {
    let said = "Sorted within each page of 1000 entries, not across pages.";
    for (players, pages) in [(1000, 1), (1001, 2)] {
        let games: String = (0..players)
            .map(|n| format!("[White \"Player {n}\"]\n[Black \"Player 0\"]\n\n1. e4 *\n\n"))
            .collect();
        let served = Served::with(&[("a.pgn", &games)], &[]);
        let (mut query, mut seen, mut listed) = ("".to_owned(), 0, 0);
        while seen < pages {
            let page = served.get(&format!("/files/a.pgn/players/{query}")).text();
            assert_eq!(page.contains(said), pages > 1, "{players} players");
            listed += page.matches("<a href=\"./").count();
            seen += 1;
            let next = page
                .lines()
                .find_map(|line| line.strip_suffix("\" rel=\"next\">next</a>"));
            assert_eq!(next.is_some(), seen < pages);
            query = next.unwrap_or_default().replace("<a href=\"", "");
        }
        assert_eq!(listed, players);
    }
}
