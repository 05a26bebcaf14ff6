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
}

#[test]
fn what_strangers_wrote_runs_nowhere() {
    let served = Served::games(&[]);
    for (path, policy) in [
        ("/", "default-src 'self'"),
        ("/files/", "default-src 'self'"),
        ("/files/a.pgn/overview.html", "sandbox; default-src 'none'"),
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
        "/files/a.pgn/overview.html",
        "/files/all/info.txt",
        "/files/all/games.csv",
        "/files/a.pgn/problems.txt",
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
fn mistakes_name_the_remedy() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.pgn"), "1. e4 *\n").unwrap();
    let file = folder.path().join("logins");
    fs::write(&file, "magnus:e4\n").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = taken.local_addr().unwrap().to_string();
    for (options, said) in [
        (&["--listen", "0.0.0.0:0"][..], "--login FILE asks for passwords"),
        (&["--login", file.to_str().unwrap()], "chmod 600"),
        (&["--listen", &taken], &*taken),
        (&["--listen", "here"], "invalid value 'here'"),
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
