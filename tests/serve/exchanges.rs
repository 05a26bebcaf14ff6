//! Requests as the Finder of macOS and the WebDAV client of Windows send them. The headers and bodies are what Apple's
//! webdavfs sends, which is published, and Microsoft's redirector, as [MS-WDV] and the documentation of WebDAV servers
//! show them.

use super::client::{Answer, Served};
use super::webdav::addresses;

/// A request, and what its answer must be.
struct Exchange {
    method: &'static str,
    path: &'static str,
    lines: &'static [&'static str],
    body: &'static str,
    status: u16,
    /// What the answer contains, and what it does not.
    shows: &'static [&'static str],
    hides: &'static [&'static str],
}

const NOTHING: Exchange = Exchange {
    method: "",
    path: "",
    lines: &[],
    body: "",
    status: 0,
    shows: &[],
    hides: &[],
};

impl Exchange {
    fn replay(&self, served: &Served, client: &[&str]) -> Answer {
        let host = served.address;
        let mut head = format!(
            "{} {} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n",
            self.method, self.path
        );
        for line in client.iter().chain(self.lines) {
            head += &format!("{line}\r\n");
        }
        if !self
            .lines
            .iter()
            .any(|line| line.starts_with("Transfer-Encoding"))
        {
            head += &format!("Content-Length: {}\r\n", self.body.len());
        }
        let answer = served.send(&format!("{head}\r\n{}", self.body));
        let (text, what) = (answer.text(), format!("{} {}", self.method, self.path));
        assert_eq!(answer.status, self.status, "{what}: {text}");
        for shown in self.shows {
            assert!(text.contains(shown), "{what}: no {shown} in {text}");
        }
        for hidden in self.hides {
            assert!(!text.contains(hidden), "{what}: {hidden} in {text}");
        }
        answer
    }
}

const FINDER: &[&str] = &[
    "Accept: */*",
    "User-Agent: WebDAVFS/3.0.0 (03008000) Darwin/23.2.0 (arm64)",
];

const STAT: &str = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<D:propfind xmlns:D=\"DAV:\">\n<D:prop>\n\
    <D:getlastmodified/>\n<D:getcontentlength/>\n<D:creationdate/>\n<D:resourcetype/>\n</D:prop>\n</D:propfind>\n";

const QUOTA: &str = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<D:propfind xmlns:D=\"DAV:\">\n<D:prop>\n\
    <D:quota-available-bytes/>\n<D:quota-used-bytes/>\n<D:quota/>\n<D:quotaused/>\n</D:prop>\n</D:propfind>\n";

const LOCK: &str = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<D:lockinfo xmlns:D=\"DAV:\">\n\
    <D:lockscope><D:exclusive/></D:lockscope>\n<D:locktype><D:write/></D:locktype>\n</D:lockinfo>\n";

const ZERO: &[&str] = &["Content-Type: text/xml", "Depth: 0"];
const ONE: &[&str] = &["Content-Type: text/xml", "Depth: 1"];

const GAME: &str = "/files/a.pgn/games/000001-001000/000001.pgn";

#[test]
fn the_finder_connects_looks_around_and_changes_nothing() {
    let served = Served::games(&[]);
    let stat = |path, status, shows| Exchange {
        method: "PROPFIND",
        path,
        lines: ZERO,
        body: STAT,
        status,
        shows,
        ..NOTHING
    };
    let write = |method, path, lines, body| Exchange {
        method,
        path,
        lines,
        body,
        status: 405,
        ..NOTHING
    };
    let options = Exchange {
        method: "OPTIONS",
        path: "/files/",
        status: 200,
        ..NOTHING
    };
    let options = options.replay(&served, FINDER);
    // Without class 2, which has locks, the Finder mounts for reading only.
    assert_eq!(options.header("dav"), "1");
    for exchange in [
        stat(
            "/files/",
            207,
            &[
                "<href>/files/</href>",
                "<resourcetype><collection/></resourcetype>",
            ],
        ),
        // macOS 15.4 and later hangs if a quota is given.
        Exchange {
            body: QUOTA,
            shows: &["<status>HTTP/1.1 404 Not Found</status>", "quota-available-bytes"],
            hides: &["200 OK"],
            ..stat("/files/", 207, &[])
        },
        stat("/files/.metadata_never_index", 404, &[]),
        stat("/files/.Spotlight-V100", 404, &[]),
        stat("/files/mach_kernel", 404, &[]),
        stat("/files/Backups.backupdb", 404, &[]),
        stat("/files/.hidden", 404, &[]),
        stat("/files/.DS_Store", 404, &[]),
        stat("/files/._.", 404, &[]),
        stat("/files/._a.pgn", 404, &[]),
        stat("/files/a.pgn/._games", 404, &[]),
        Exchange {
            lines: ONE,
            hides: &["<location>", "quota"],
            ..stat(
                "/files/",
                207,
                &["<href>/files/a.pgn/</href>", "<href>/files/info.txt</href>"],
            )
        },
        Exchange {
            lines: ONE,
            ..stat(
                "/files/more/b%20%C3%BC.pgn/",
                207,
                &["<href>/files/more/b%20%C3%BC.pgn/all.pgn</href>"],
            )
        },
        write(
            "LOCK",
            "/files/a.pgn/info.txt",
            &["Depth: 0", "Timeout: Second-600", "Content-Type: text/xml"],
            LOCK,
        ),
        write(
            "PUT",
            "/files/._a.pgn",
            &["X-Expected-Entity-Length: 5", "Transfer-Encoding: Chunked"],
            "5\r\nhello\r\n0\r\n\r\n",
        ),
        write("PUT", "/files/new.pgn", &[], "1. e4 *"),
        write("MKCOL", "/files/untitled%20folder/", &[], ""),
        write("DELETE", GAME, &[], ""),
        write(
            "MOVE",
            GAME,
            &["Destination: http://127.0.0.1/files/x.pgn", "Overwrite: F"],
            "",
        ),
        write(
            "PROPPATCH",
            "/files/a.pgn/",
            ZERO,
            "<D:propertyupdate xmlns:D=\"DAV:\"><D:set><D:prop/></D:set></D:propertyupdate>",
        ),
    ] {
        exchange.replay(&served, FINDER);
    }
    // A download that was interrupted goes on, unless the file has changed.
    let get = |lines, status| Exchange {
        method: "GET",
        path: GAME,
        lines,
        status,
        ..NOTHING
    };
    let whole = get(&[], 200).replay(&served, FINDER);
    let rest = get(&["Range: bytes=10-"], 206).replay(&served, FINDER);
    assert_eq!(rest.body, whole.body[10..]);
    let found = stat(GAME, 207, &[]).replay(&served, FINDER).text();
    let length = format!("<getcontentlength>{}</getcontentlength>", whole.body.len());
    assert!(found.contains(&length), "{found}");
    let time = format!(
        "<getlastmodified>{}</getlastmodified>",
        whole.header("last-modified")
    );
    assert!(found.contains(&time), "{found}");
    let begun = format!("If-Range: {}", whole.header("etag"));
    let resumed = served.ask("GET", GAME, &[FINDER[1], "Range: bytes=3-", &begun]);
    assert_eq!((resumed.status, &resumed.body[..]), (206, &whole.body[3..]));
    let outdated = served.ask("GET", GAME, &[FINDER[1], "Range: bytes=3-", "If-Range: \"x\""]);
    assert_eq!((outdated.status, outdated.body), (200, whole.body));
}

const WINDOWS: &[&str] = &[
    "User-Agent: Microsoft-WebDAV-MiniRedir/10.0.22631",
    "translate: f",
    "Pragma: no-cache",
];

#[test]
fn windows_maps_a_drive_and_copies_a_game() {
    let served = Served::games(&[]);
    let find = |path, lines, status, shows| Exchange {
        method: "PROPFIND",
        path,
        lines,
        status,
        shows,
        ..NOTHING
    };
    let (zero, one) = (&["Depth: 0"][..], &["Depth: 1"][..]);
    for path in ["/", "/files"] {
        let options = Exchange {
            method: "OPTIONS",
            path,
            status: 200,
            ..NOTHING
        };
        let options = options.replay(&served, WINDOWS);
        assert_eq!(
            (options.header("dav"), options.header("ms-author-via")),
            ("1", "DAV"),
            "{path}"
        );
    }
    let write = |method, path, lines, body| Exchange {
        method,
        path,
        lines,
        body,
        status: 405,
        ..NOTHING
    };
    let lock = &[
        "Timeout: Second-3600",
        "Content-Type: text/xml; charset=\"utf-8\"",
    ];
    for exchange in [
        // Directories have no slash at the end, and all properties are asked for, by no body.
        find("/files", zero, 207, &["<href>/files/</href>", "<collection/>"]),
        find("/files/a.pgn", zero, 207, &["<href>/files/a.pgn/</href>"]),
        find("/files/desktop.ini", zero, 404, &[]),
        find("/files/Desktop.ini", zero, 404, &[]),
        find("/files/AutoRun.inf", zero, 404, &[]),
        find("/files/a.pgn/Thumbs.db", zero, 404, &[]),
        find("/files/a.pgn/folder.jpg", zero, 404, &[]),
        find(
            "/files/a.pgn",
            one,
            207,
            &[
                "<href>/files/a.pgn/games/</href>",
                "<displayname>info.txt</displayname>",
                "<href>/files/a.pgn/tables/</href>",
            ],
        ),
        write("LOCK", GAME, lock, LOCK),
        write("UNLOCK", GAME, &["Lock-Token: <opaquelocktoken:x>"], ""),
        write("PUT", "/files/a.pgn/new.pgn", &[], ""),
        write(
            "PROPPATCH",
            GAME,
            &["Content-Type: text/xml; charset=\"utf-8\""],
            "<?xml version=\"1.0\" encoding=\"utf-8\" ?><D:propertyupdate xmlns:D=\"DAV:\" \
             xmlns:Z=\"urn:schemas-microsoft-com:\"><D:set><D:prop><Z:Win32FileAttributes>00000020</Z:Win32FileAttributes>\
             </D:prop></D:set></D:propertyupdate>",
        ),
        write(
            "MOVE",
            GAME,
            &["Destination: http://127.0.0.1/files/x", "Overwrite: F"],
            "",
        ),
    ] {
        exchange.replay(&served, WINDOWS);
    }
    // Each file of a directory is found by its address, and has the length that was listed.
    let games = find("/files/a.pgn/games/000001-001000", one, 207, &[]).replay(&served, WINDOWS);
    let xml = games.text();
    let files = &addresses(&xml)[1..];
    assert_eq!(files.len(), 4);
    for address in files {
        let own = xml.split(&format!("<href>{address}</href>")).nth(1).unwrap();
        let length = own.split("<getcontentlength>").nth(1).unwrap();
        let length: usize = length.split('<').next().unwrap().parse().unwrap();
        let lines: Vec<&str> = WINDOWS
            .iter()
            .copied()
            .chain(["Cache-Control: no-cache"])
            .collect();
        let answer = served.ask("GET", address, &lines);
        assert_eq!((answer.status, answer.body.len()), (200, length), "{address}");
    }
}
