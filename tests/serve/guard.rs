//! Who may ask, and what browsers are told.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use super::client::Served;

#[test]
fn only_own_names_and_allowed_pages_are_answered() {
    let served = Served::games(&["--host", "nas.local", "--allow-origin", "tauri://localhost"]);
    let port = served.address.port();
    let status = |head: &str| {
        served
            .send(&format!(
                "GET /files/ HTTP/1.1\r\n{head}Connection: close\r\n\r\n"
            ))
            .status
    };
    assert_eq!(status(&format!("Host: localhost:{port}\r\n")), 200);
    assert_eq!(status("Host: nas.local\r\n"), 200);
    assert_eq!(status("Host: evil.example\r\n"), 421);
    assert_eq!(status(""), 400);
    assert_eq!(status("Host: localhost\r\nHost: localhost\r\n"), 400);
    let with = |origin: &str| served.ask("GET", "/masters", &[&format!("Origin: {origin}")]);
    let allowed = with("tauri://localhost");
    assert_eq!(allowed.status, 200);
    assert_eq!(allowed.header("access-control-allow-origin"), "tauri://localhost");
    assert_eq!(with(&format!("http://{}", served.address)).status, 200);
    for other in ["null", "https://evil.example"] {
        assert_eq!(with(other).status, 403, "{other}");
    }
    let preflight = served.ask(
        "OPTIONS",
        "/lichess?play=e2e4",
        &[
            "Origin: tauri://localhost",
            "Access-Control-Request-Method: GET",
            "Access-Control-Request-Headers: authorization",
        ],
    );
    assert_eq!(preflight.status, 204);
    assert!(
        preflight
            .header("access-control-allow-headers")
            .contains("authorization")
    );
    assert_eq!(preflight.header("access-control-allow-private-network"), "true");
}

/// Pages elsewhere send no `Origin` with pictures, scripts and `no-cors` requests.
#[test]
fn pages_elsewhere_start_no_search() {
    let served = Served::games(&[]);
    let of = |path: &str, site: &str, mode: &str, dest: &str| {
        let lines = [("Site", site), ("Mode", mode), ("Dest", dest)];
        let lines = lines.map(|(name, value)| format!("Sec-Fetch-{name}: {value}"));
        served
            .ask("GET", path, &lines.each_ref().map(String::as_str))
            .status
    };
    for path in [
        "/api/games?q=player:tal",
        "/files/a.pgn/search/player:tal/all.pgn",
        "/masters",
        "/",
    ] {
        for dest in ["script", "image", "empty", "iframe"] {
            assert_eq!(of(path, "cross-site", "no-cors", dest), 403, "{path} {dest}");
            assert_eq!(of(path, "same-site", "no-cors", dest), 403, "{path} {dest}");
            assert_eq!(of(path, "same-origin", "cors", dest), 200, "{path} {dest}");
        }
        let visited = of(path, "cross-site", "navigate", "document");
        assert_eq!(visited, if path == "/" { 200 } else { 403 }, "{path}");
        assert_eq!(of(path, "none", "navigate", "document"), 200, "{path}");
    }
    // A page can open links by itself, and measure when they have opened.
    for (path, opened) in [
        ("/files/", 200),
        ("/files/a.pgn/", 200),
        ("/files/a.pgn/all.pgn", 200),
        ("/files/a.pgn/players/", 200),
        ("/files/a.pgn/players/search", 403),
        ("/files/a.pgn/search/player:tal/", 403),
        ("/files/a.pgn/%73earch/player:tal/", 403),
        ("/files/a.pgn/Search/player:tal/", 404),
        ("/files/a.pgn/moves/e4/", 403),
        ("/files/a.pgn/search/syntax.txt", 403),
        ("/files/a.pgn/positions/start", 403),
    ] {
        assert_eq!(of(path, "cross-site", "navigate", "document"), opened, "{path}");
        assert_ne!(of(path, "same-origin", "navigate", "document"), 403, "{path}");
    }
}

#[test]
fn what_strangers_wrote_runs_nowhere() {
    let served = Served::games(&[]);
    for (path, policy) in [
        ("/", "default-src 'self'"),
        ("/files/", "default-src 'self'"),
        ("/files/a.pgn/tables/overview.html", "sandbox; default-src 'none'"),
        ("/files/x.html", "sandbox; default-src 'none'"),
        ("/api/databases", "default-src 'self'"),
    ] {
        let answer = served.get(path);
        let found = answer.header("content-security-policy");
        assert!(found.starts_with(policy), "{path}: {found}");
        assert_eq!(answer.header("x-content-type-options"), "nosniff", "{path}");
        assert_eq!(
            answer.header("cross-origin-resource-policy"),
            "same-origin",
            "{path}"
        );
    }
}

#[test]
fn no_answer_has_the_path_of_the_source() {
    let served = Served::games(&[]);
    let source = served.source();
    let above = source.parent().unwrap().to_str().unwrap();
    let name = source.file_name().unwrap().to_str().unwrap();
    for path in [
        "/files/",
        "/files/info.txt",
        "/files/a.pgn/info.txt",
        "/files/a.pgn/tables/overview.html",
        "/files/all/info.txt",
        "/files/all/tables/games.csv",
        "/files/a.pgn/tables/problems.txt",
        "/api/databases",
        "/api/status",
        "/api/games?q=player:nobody",
        "/files/nothing",
    ] {
        let text = served.get(path).text();
        assert!(!text.contains(&format!("{above}/")), "{path}: {text}");
    }
    assert!(
        served
            .get("/files/info.txt")
            .text()
            .contains(&format!("Source:    {name}\n"))
    );
}

#[test]
fn with_passwords_every_path_asks_for_one() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("logins");
    fs::write(&file, "magnus:e4\n").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    let served = Served::games(&["--login", file.to_str().unwrap()]);
    for path in ["/", "/files/", "/masters", "/api/databases", "/robots.txt"] {
        let refused = served.get(path);
        assert_eq!(refused.status, 401, "{path}");
        assert!(refused.header("www-authenticate").starts_with("Basic"), "{path}");
        // magnus:e4
        assert_eq!(
            served
                .ask("GET", path, &["Authorization: Basic bWFnbnVzOmU0"])
                .status,
            200,
            "{path}"
        );
    }
}

#[test]
fn the_status_of_a_server_with_passwords_is_shown_to_who_has_one() {
    let folder = tempfile::tempdir().unwrap();
    let logins = |name: &str, text: &str| {
        let file = folder.path().join(name);
        fs::write(&file, text).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
        file.to_str().unwrap().to_owned()
    };
    let (right, wrong) = (logins("right", "magnus:e4\n"), logins("wrong", "magnus:d4\n"));
    let served = Served::games(&["--login", &right]);
    let status = |options: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pgnfs"));
        let output = command
            .arg("status")
            .args(options)
            .arg(served.address.to_string())
            .output()
            .unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (output.status.success(), text(output.stdout), text(output.stderr))
    };
    let (is_well, text, _) = status(&["--wait", "--login", &right]);
    assert!(is_well && text.contains("8 games in 2 databases"), "{text}");
    for (options, said) in [
        (&[][..], "requires a name and a password: use --login FILE"),
        (
            &["--login", &wrong],
            "refuses the name and the password of --login",
        ),
    ] {
        let (is_well, _, error) = status(options);
        assert!(!is_well && error.contains(said), "{error}");
    }
}

#[test]
fn what_is_no_question_says_so() {
    let served = Served::games(&["--allow-origin", "null"]);
    for (method, path, more, status, said) in [
        ("GET", "/nothing", &[][..], 404, "the board is at /"),
        (
            "POST",
            "/masters",
            &["Content-Length: 0"],
            405,
            "only GET and HEAD",
        ),
        (
            "PUT",
            "/files/a.pgn/info.txt",
            &["Content-Length: 0"],
            405,
            "can only be read",
        ),
        (
            "GET",
            "/files/a.pgn/info.txt",
            &["Range: bytes=999999-"],
            416,
            "bytes\n",
        ),
        ("GET", "/in/%20/masters", &[], 400, "a search is needed"),
        ("GET", "/masters/pgn/00000000", &[], 404, "no game has this id"),
        (
            "GET",
            "/lichess?speeds=foo",
            &[],
            400,
            "not one of: ultraBullet, bullet",
        ),
        (
            "GET",
            "/masters?play=e2e4,e2e4",
            &[],
            400,
            "move 2, e2e4, is not legal in",
        ),
    ] {
        let answer = served.ask(method, path, more);
        let text = answer.text();
        assert!(
            answer.status == status && text.contains(said),
            "{method} {path}: {} {text}",
            answer.status
        );
    }
    let body = served.send(&format!(
        "GET /masters HTTP/1.1\r\nHost: {}\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi",
        served.address
    ));
    assert_eq!(
        (body.status, &*body.text()),
        (413, "requests have no body here\n")
    );
    // The target names another server than the header.
    let target = served.send(&format!(
        "GET http://evil.example/robots.txt HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n",
        served.address
    ));
    assert_eq!(target.status, 421);
    let preflight = |path| {
        let lines = ["Origin: null", "Access-Control-Request-Method: GET"];
        served.ask("OPTIONS", path, &lines).status
    };
    assert_eq!((preflight("/api/games"), preflight("/masters")), (204, 204));
    assert_ne!(preflight("/files/"), 204);
}

#[test]
fn mistakes_name_the_remedy() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.pgn"), "1. e4 *\n").unwrap();
    let file = folder.path().join("logins");
    fs::write(&file, "magnus:e4\n").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = taken.local_addr().unwrap().to_string();
    for (options, said) in [
        (
            &["--listen", "0.0.0.0:0"][..],
            "--login FILE to ask for passwords",
        ),
        (&["--login", file.to_str().unwrap()], "chmod 600"),
        (&["--listen", &taken], &*taken),
        (&["--listen", &taken], "port 0 for a free one"),
        (&["--allow-origin", "*"], "an origin is SCHEME://HOST"),
        (
            &["--allow-origin", "https://a.example/"],
            "an origin is SCHEME://HOST",
        ),
        (
            &["--listen", "here"],
            "an address is IP:PORT, such as 0.0.0.0:9002",
        ),
        (&["--listen", "localhost:x"], "or localhost:PORT"),
        (&["--host", ""], "a name is HOST or HOST:PORT"),
        (&["--host", "http://nas.local"], "a name is HOST or HOST:PORT"),
        (&["--host", "nas.local/"], "a name is HOST or HOST:PORT"),
        (&["--host", "me@nas.local"], "a name is HOST or HOST:PORT"),
        (&["--host", "nas local"], "a name is HOST or HOST:PORT"),
        (&["--allow-nothing"], "--allow-nothing"),
        (&["-o", "uid=1"], "only for mount"),
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_pgnfs"))
            .arg("serve")
            .args(options)
            .arg(folder.path())
            .output();
        let output = output.unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{options:?}: {error}");
        assert!(error.contains(said), "{options:?}: {error}");
    }
}
