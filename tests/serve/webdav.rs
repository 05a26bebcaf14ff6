//! WebDAV.

use super::client::Served;

/// The `href` of each response.
pub fn addresses(xml: &str) -> Vec<&str> {
    let parts = xml.split("<href>").skip(1);
    parts.map(|part| part.split("</href>").next().unwrap()).collect()
}

#[test]
fn every_file_has_its_length() {
    let served = Served::games(&[]);
    let answer = served.ask("PROPFIND", "/files/a.pgn/games/000001-001000/", &["Depth: 1"]);
    assert_eq!(answer.status, 207);
    let xml = answer.text();
    assert_eq!(addresses(&xml).len(), 5, "{xml}");
    for address in &addresses(&xml)[1..] {
        let size = served.get(address).body.len();
        let own = xml.split(&format!("<href>{address}</href>")).nth(1).unwrap();
        let own = own.split("</response>").next().unwrap();
        assert!(
            own.contains(&format!("<getcontentlength>{size}</getcontentlength>")),
            "{own}"
        );
    }
}

#[test]
fn depths_are_as_the_standard_says() {
    let served = Served::games(&[]);
    let of = |more: &[&str]| served.ask("PROPFIND", "/files/a.pgn/", more);
    let itself = of(&["Depth: 0"]).text();
    assert_eq!(addresses(&itself), ["/files/a.pgn/"]);
    assert!(itself.contains("<resourcetype><collection/></resourcetype>"));
    for more in [&[][..], &["Depth: infinity"]] {
        let refused = of(more);
        assert_eq!(refused.status, 403);
        assert!(refused.text().contains("propfind-finite-depth"));
    }
    let file = served
        .ask("PROPFIND", "/files/a.pgn/info.txt", &["Depth: 0"])
        .text();
    assert_eq!(addresses(&file), ["/files/a.pgn/info.txt"]);
    assert_eq!(served.ask("PROPFIND", "/files/x", &["Depth: 0"]).status, 404);
}

#[test]
fn what_is_asked_is_answered() {
    let served = Served::games(&[]);
    let ask = |body: &str| {
        let address = served.address;
        let len = body.len();
        served.send(&format!(
            "PROPFIND /files/a.pgn/info.txt HTTP/1.1\r\nHost: {address}\r\nDepth: 0\r\nConnection: close\r\n\
             Content-Length: {len}\r\n\r\n{body}"
        ))
    };
    // As the Finder of macOS asks.
    let finder = ask(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<D:propfind xmlns:D=\"DAV:\">\n<D:prop>\n<D:getlastmodified/>\n\
         <D:getcontentlength/>\n<D:quota-available-bytes/>\n</D:prop>\n</D:propfind>\n",
    );
    let xml = finder.text();
    assert_eq!(finder.status, 207);
    assert!(
        xml.contains("<getcontentlength>") && !xml.contains("<displayname>"),
        "{xml}"
    );
    let missing =
        "<prop><quota-available-bytes xmlns=\"DAV:\"/></prop><status>HTTP/1.1 404 Not Found</status>";
    assert!(xml.contains(missing), "{xml}");
    assert_eq!(ask("<x").status, 400);
    assert_eq!(
        ask(&format!(
            "<propfind xmlns='DAV:'>{}</propfind>",
            " ".repeat(20_000)
        ))
        .status,
        413
    );
    let options = served.ask("OPTIONS", "/files/", &[]);
    assert_eq!((options.status, options.header("dav")), (200, "1"));
}

#[test]
fn links_are_not_listed() {
    let served = Served::games(&[]);
    let path = "/files/a.pgn/positions/rnbqkbnr-pppppppp-8-8-8-8-PPPPPPPP-RNBQKBNR_w_KQkq_-/";
    let answer = served.ask("PROPFIND", path, &["Depth: 1"]);
    assert_eq!(answer.status, 207, "{}", answer.text());
    let xml = answer.text();
    let files = addresses(&xml);
    assert!(
        files.iter().any(|address| address.ends_with("/moves.csv")),
        "{xml}"
    );
    for address in files {
        assert_ne!(served.get(address).status, 307, "{address}");
    }
}

/// A listing is read in pages of a thousand entries.
#[test]
fn long_folders_are_listed_whole() {
    for number in [999, 1000, 1001] {
        let players: Vec<String> = (0..number)
            .map(|n| format!("[White \"P {n:04}\"]\n[Black \"?\"]\n\n1. e4 *\n\n"))
            .collect();
        let served = Served::with(&[("a.pgn", &players.concat())], &[]);
        let xml = served
            .ask("PROPFIND", "/files/a.pgn/players/", &["Depth: 1"])
            .text();
        let players: Vec<&str> = addresses(&xml)
            .into_iter()
            .filter(|address| address.contains("/P%20"))
            .collect();
        assert_eq!(players.len(), number);
        let each: std::collections::BTreeSet<&str> = players.into_iter().collect();
        assert_eq!(each.len(), number);
    }
}

#[test]
fn names_are_texts_of_xml() {
    let game = "[White \"Tom & Jerry\"]\n[Black \"a]]>b\"]\n\n1. e4 *\n\n";
    let served = Served::with(&[("x & y.pgn", game)], &[]);
    for (path, name, written) in [
        ("/files/", "x & y.pgn", "x &amp; y.pgn"),
        (
            "/files/x%20%26%20y.pgn/players/",
            "Tom & Jerry",
            "Tom &amp; Jerry",
        ),
        ("/files/x%20%26%20y.pgn/players/", "a]]>b", "a]]&gt;b"),
    ] {
        let xml = served.ask("PROPFIND", path, &["Depth: 1"]).text();
        assert!(
            xml.contains(&format!("<displayname>{written}</displayname>")),
            "{path}: {xml}"
        );
        assert!(!xml.contains(name), "{path}: {xml}");
    }
}
