//! `pgnfs status`.

use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use serde_json::Value;

use super::{CommandError, counted, ended, json, progress};
use crate::{mount, status};
use chessdb_library::library::{on_one_line, shown};

/// Pause between two requests for the status while waiting.
const PAUSE: Duration = Duration::from_millis(200);

/// Shows the status of the mount at `point`, or of the server at this address, as text or JSON. With `waits`, first
/// waits until all databases are open and all sizes are known. If `point` is a device or in another file system, lists
/// the mounts that show files of it.
///
/// A server that requires a password gets the first line of `login`.
pub fn run(point: &Path, as_json: bool, waits: bool, login: Option<&Path>) -> Result<ExitCode, CommandError> {
    if server_of(point).is_none()
        && mount::find(point).is_err()
        && let Some(showing) = mount::showing(point)?
    {
        let out = &mut io::stdout().lock();
        return ended(list(out, point, &showing, as_json), "standard output");
    }
    let status = if waits {
        wait(point, login)?
    } else {
        ask(point, login)?
    };
    let out = &mut io::stdout().lock();
    let written = if as_json {
        writeln!(out, "{}", json::text(&status))
    } else {
        text(out, &status)
    };
    ended(written, "standard output")
}

/// Lists the mounts that show files of a file system.
fn list(out: &mut impl Write, of: &Path, showing: &[(PathBuf, PathBuf)], as_json: bool) -> io::Result<()> {
    let text = |path: &Path| path.to_string_lossy().into_owned();
    if as_json {
        let rows = showing
            .iter()
            .map(|(point, source)| serde_json::json!({ "mount_point": text(point), "source": text(source) }));
        return writeln!(out, "{}", json::text(&rows.collect()));
    }
    for (point, source) in showing {
        writeln!(out, "{} shows {}", shown(point), shown(source))?;
    }
    if showing.is_empty() {
        writeln!(out, "no mount of pgnfs shows files of {}", shown(of))?;
    }
    Ok(())
}

/// The address of a server; `None` for a path. A file whose name looks like an address is written `./HOST:PORT`.
fn server_of(point: &Path) -> Option<&str> {
    let text = point.to_str()?;
    let address = text.strip_prefix("http://").unwrap_or(text).trim_end_matches('/');
    let (host, port) = address.rsplit_once(':')?;
    let is_address = !host.is_empty() && !host.contains('/') && port.parse::<u16>().is_ok();
    is_address.then_some(address)
}

#[cfg(feature = "serve")]
fn ask_server(address: &str, login: Option<&Path>) -> Result<Value, CommandError> {
    let logins = login.map(super::serve::read_logins).transpose()?;
    let mut status =
        crate::serve::ask_status(address, logins.as_ref()).map_err(|error| format!("{address}: {error}"))?;
    status["address"] = address.into();
    Ok(status)
}

#[cfg(not(feature = "serve"))]
fn ask_server(address: &str, _: Option<&Path>) -> Result<Value, CommandError> {
    Err(format!("{address}: this program was built without serve").into())
}

fn ask(point: &Path, login: Option<&Path>) -> Result<Value, CommandError> {
    if let Some(address) = server_of(point) {
        return ask_server(address, login);
    }
    let (device, user) = mount::find(point)?;
    status::ask(device, user).map_err(|error| {
        // If the process did not answer in time, checking the mount would block, too.
        if !matches!(error.kind(), ErrorKind::TimedOut | ErrorKind::WouldBlock)
            && let Err(error) = mount::check_alive(point)
        {
            return error.into();
        }
        let point = shown(point);
        let may_ask = [user, 0].contains(&mount::user());
        match error.kind() {
            ErrorKind::PermissionDenied | ErrorKind::NotFound if may_ask => {
                format!("{point} is mounted, but has no socket that reports its status: {error}")
            }
            ErrorKind::PermissionDenied => {
                format!("{point} is mounted by user {user}: only that user and root may see its status")
            }
            _ => format!(
                "{point} is mounted by user {user} and does not answer; only that user and root may see its status: {error}"
            ),
        }
        .into()
    })
}

/// Shows a progress bar until all databases are open and all sizes are known or cannot be found.
fn wait(point: &Path, login: Option<&Path>) -> Result<Value, CommandError> {
    let bar = progress::bar(0);
    loop {
        let status = ask(point, login)?;
        let (games, known) = (number(&status, "games"), number(&status, "sizes_known"));
        bar.set_length(games);
        bar.set_position(known);
        let is_opening = !opening(&status).is_empty();
        if known >= games && !is_opening {
            bar.finish_and_clear();
            return Ok(status);
        }
        if let Some(database) = given_up(&status).filter(|_| !is_opening) {
            bar.finish_and_clear();
            return Err(format!(
                "{}: a file was changed, so not all sizes can be found: {}",
                line(database, "name"),
                advice(&status)
            )
            .into());
        }
        thread::sleep(PAUSE);
    }
}

/// A database whose sizes cannot all be found, if no other database is still in progress.
fn given_up(status: &Value) -> Option<&Value> {
    let mut found = None;
    for database in databases(status) {
        match database["pass"].as_str() {
            Some("waiting" | "running") => return None,
            Some("given up") => found = Some(database),
            _ => {}
        }
    }
    found
}

/// Advice for the user if a database was given up.
fn advice(status: &Value) -> String {
    match status["watched"].as_bool() {
        Some(false) => format!(
            "unmount {} and mount it again, as it does not follow its source (watch=off)",
            line(status, "mount_point")
        ),
        _ => "try again when the mount has opened the new state".to_owned(),
    }
}

fn databases(status: &Value) -> &[Value] {
    status["databases"].as_array().map_or(&[], Vec::as_slice)
}

fn opening(status: &Value) -> &[Value] {
    status["opening"].as_array().map_or(&[], Vec::as_slice)
}

fn text(out: &mut impl Write, status: &Value) -> io::Result<()> {
    let databases = databases(status);
    let (games, known) = (number(status, "games"), number(status, "sizes_known"));
    let (place, since) = if status["address"].is_string() {
        ("address", "serving for")
    } else {
        ("mount_point", "mounted for")
    };
    writeln!(
        out,
        "{}: {}{} in {}",
        line(status, place),
        bound(status),
        counted(games, "game"),
        counted(databases.len() as u64, "database")
    )?;
    let mut row = |name: &str, value: &str| writeln!(out, "  {name:<15} {value}");
    if status["source"].is_string() {
        row("source", &line(status, "source"))?;
    }
    if status["source_gone_since"].is_string() {
        row(
            "",
            &format!("missing or empty since {}", line(status, "source_gone_since")),
        )?;
    }
    row(
        "program",
        &format!("pgnfs {}, process {}", line(status, "version"), status["process"]),
    )?;
    row(since, &duration(number(status, "uptime")))?;
    row("sizes known", &format!("{known} of {}{games}", bound(status)))?;
    let cache = &status["cache"];
    let (kept, bytes, capacity) = (
        number(cache, "games"),
        number(cache, "bytes"),
        number(cache, "capacity"),
    );
    row(
        "cache",
        &format!("{}, {bytes} of {capacity} bytes", counted(kept, "game")),
    )?;
    let (hits, misses) = (number(cache, "hits"), number(cache, "misses"));
    row("cache hits", &format!("{hits} of {}", hits + misses))?;
    for made in status["making"].as_array().into_iter().flatten() {
        row("in progress", &being_made(made))?;
    }
    for workers in status["workers"].as_array().into_iter().flatten() {
        let (running, waiting) = (number(workers, "running"), number(workers, "waiting"));
        let waiting = match waiting {
            0 => String::new(),
            waiting => format!(", {waiting} waiting"),
        };
        row(
            "work",
            &format!("{}: {running} running{waiting}", line(workers, "name")),
        )?;
    }
    for refused in status["refused"].as_array().into_iter().flatten() {
        row("no search", &line(refused, "path"))?;
        row("", &line(refused, "reason"))?;
    }
    for database in databases {
        writeln!(out, "\n{}", line(database, "name"))?;
        let mut row = |name: &str, value: &str| writeln!(out, "  {name:<15} {value}");
        row("format", &line(database, "title"))?;
        row(
            "games",
            &format!("{}{}", bound(database), number(database, "games")),
        )?;
        let known = number(database, "sizes_known");
        row("sizes known", &format!("{known}, {}", line(database, "pass")))?;
        if let Some(index) = index(database) {
            row("positions", &index)?;
        }
        if database["has_lines"] == true {
            row("lines", "kept: searches for positions do not decode the games")?;
        }
        row("problems", &number(database, "problems").to_string())?;
        if let Some(seconds) = database["silence"].as_u64() {
            row("source", &format!("has not answered for {}", duration(seconds)))?;
        }
    }
    for opening in opening(status) {
        writeln!(out, "\n{}", line(opening, "path"))?;
        let percent = opening["percent"].as_u64();
        let read = percent
            .map(|percent| format!(", {percent} % read"))
            .unwrap_or_default();
        let elapsed = duration(number(opening, "seconds"));
        writeln!(out, "  {:<15} for {elapsed}{read}", "being opened")?;
    }
    Ok(())
}

/// Work in progress, with its progress.
fn being_made(made: &Value) -> String {
    let (what, of) = (line(made, "what"), line(made, "of"));
    let elapsed = duration(number(made, "seconds"));
    match made["games"].as_u64() {
        Some(games) => format!(
            "{what} of {of}: {} of {games} games, for {elapsed}",
            number(made, "done")
        ),
        None => format!("{what} of {of}, for {elapsed}"),
    }
}

/// The state of a database's index of positions; `None` if no command has needed it.
fn index(database: &Value) -> Option<String> {
    match database["index"].as_str()? {
        "building" => {
            let (read, games) = (number(database, "index_read"), number(database, "games"));
            Some(format!("index being built, {read} of {games} games read"))
        }
        "ready" => Some("index ready".to_owned()),
        "failed" => Some("no index, see the log".to_owned()),
        _ => None,
    }
}

/// The words in front of a number of games that were not counted exactly. Earlier versions of the server did not report
/// this.
fn bound(value: &Value) -> &'static str {
    match value["counted"].as_bool() {
        Some(false) => "at most ",
        _ => "",
    }
}

fn number(value: &Value, key: &str) -> u64 {
    value[key].as_u64().unwrap_or_default()
}

fn line(value: &Value, key: &str) -> String {
    on_one_line(value[key].as_str().unwrap_or_default()).into_owned()
}

/// `3 days 4 h`, `4 h 5 min`, `5 min 6 s`.
fn duration(seconds: u64) -> String {
    let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86400);
    match (days, hours, minutes) {
        (0, 0, 0) => format!("{seconds} s"),
        (0, 0, _) => format!("{minutes} min {} s", seconds % 60),
        (0, ..) => format!("{hours} h {} min", minutes % 60),
        _ => format!("{} {} h", counted(days, "day"), hours % 24),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_database_that_was_given_up_ends_the_wait() {
        let asked = |passes: &[&str]| {
            let databases = passes
                .iter()
                .map(|pass| json!({ "name": format!("{pass}.dci"), "pass": pass }));
            let status = json!({ "databases": databases.collect::<Vec<_>>() });
            given_up(&status).map(|database| line(database, "name"))
        };
        assert_eq!(
            asked(&["done", "given up", "done"]).as_deref(),
            Some("given up.dci")
        );
        for at_work in [
            &["given up", "running"][..],
            &["waiting", "given up"],
            &["done"],
            &[],
        ] {
            assert_eq!(asked(at_work), None, "{at_work:?}");
        }
    }

    #[test]
    fn an_unwatched_source_has_to_be_mounted_again() {
        let advice = |watched: Value| advice(&json!({ "mount_point": "/mnt", "watched": watched }));
        assert!(advice(json!(false)).starts_with("unmount /mnt and mount it again"));
        // Earlier versions did not report `watched`.
        for watched in [json!(true), json!(null)] {
            assert_eq!(
                advice(watched),
                "try again when the mount has opened the new state"
            );
        }
    }

    #[test]
    fn an_index_that_is_built_has_progress() {
        let building = json!({ "index": "building", "index_read": 12, "games": 30 });
        assert_eq!(
            index(&building).as_deref(),
            Some("index being built, 12 of 30 games read")
        );
        // Earlier versions did not report it.
        for silent in [json!({ "index": "unused" }), json!({})] {
            assert_eq!(index(&silent), None);
        }
    }

    #[test]
    fn what_is_made_and_that_the_source_is_gone_are_shown() {
        let made = [
            json!({ "what": "index of positions", "of": "a.pgn", "seconds": 61, "done": 5, "games": 12 }),
            json!({ "what": "view players", "of": "all", "seconds": 2, "done": 0, "games": null }),
        ];
        let status = json!({ "source": "/media/stick", "source_gone_since": "1999-12-31 23:59:59 UTC", "making": made });
        let mut out = Vec::new();
        text(&mut out, &status).unwrap();
        let out = String::from_utf8(out).unwrap();
        for row in [
            "  source          /media/stick\n                  missing or empty since 1999-12-31 23:59:59 UTC\n",
            "  in progress     index of positions of a.pgn: 5 of 12 games, for 1 min 1 s\n",
            "  in progress     view players of all, for 2 s\n",
        ] {
            assert!(out.contains(row), "{out}");
        }
        // Earlier versions, and a source that is there.
        let mut out = Vec::new();
        text(&mut out, &json!({ "source_gone_since": null })).unwrap();
        assert!(!String::from_utf8(out).unwrap().contains("gone"));
    }

    #[test]
    fn games_that_are_not_counted_are_a_bound() {
        let status = |is_counted: Value| {
            let database = json!({ "name": "a.cbh", "games": 70_000, "counted": is_counted });
            let status = json!({ "games": 70_000, "counted": is_counted, "databases": [database] });
            let mut out = Vec::new();
            text(&mut out, &status).unwrap();
            String::from_utf8(out).unwrap()
        };
        let uncounted = status(json!(false));
        assert_eq!(uncounted.matches("at most 70000").count(), 3, "{uncounted}");
        for counted in [json!(true), json!(null)] {
            assert!(!status(counted).contains("at most"));
        }
    }

    #[test]
    fn a_database_that_is_being_opened_has_progress() {
        let shown = |opening: Value| {
            let mut out = Vec::new();
            text(&mut out, &json!({ "opening": [opening] })).unwrap();
            String::from_utf8(out).unwrap().lines().last().unwrap().to_owned()
        };
        let reads = json!({ "path": "a.pgn", "seconds": 61, "percent": 0 });
        assert_eq!(shown(reads), "  being opened    for 1 min 1 s, 0 % read");
        // A format that reads headers only, and earlier versions.
        for silent in [
            json!({ "path": "a.dci", "seconds": 5, "percent": null }),
            json!({ "seconds": 5 }),
        ] {
            assert_eq!(shown(silent), "  being opened    for 5 s");
        }
    }

    #[test]
    fn durations_have_two_units() {
        for (seconds, text) in [
            (0, "0 s"),
            (59, "59 s"),
            (61, "1 min 1 s"),
            (3 * 3600 + 59, "3 h 0 min"),
            (86400 + 3600, "1 day 1 h"),
        ] {
            assert_eq!(duration(seconds), text);
        }
    }
}
