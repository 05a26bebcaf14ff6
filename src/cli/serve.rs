//! `pgnfs serve`.

use std::io::{self, Write};
use std::net::SocketAddr;
use std::path::{Path, PathBuf, absolute};
use std::process::ExitCode;

use clap::ArgMatches;

use super::cache::kept_files;
use super::options::{self, Scope};
use super::{CommandError, logging, mount, path};
use crate::serve::{Guard, HttpLimits, HttpOptions, Logins, serve};
use chessdb_library::library::shown;
use chessdb_library::turns::{LOWEST, lower_priority};
use pgnfs_server::PassOptions;

/// Serves until a signal asks the program to end.
pub fn run(matches: &ArgMatches) -> Result<ExitCode, CommandError> {
    let mut settings = options::settings(matches, Scope::Serve, false)?;
    // Clients should not learn the full path of the source.
    settings.serve.shows_source = false;
    let http = http_options(matches)?;
    let source = absolute(path(matches, "SOURCE"))?;
    let kept = kept_files(&settings, true);
    let mut server = mount::open(&source, &settings, kept.as_ref())?;
    mount::keep_and_warn(&server, kept.as_ref(), "info.txt");
    let pass = PassOptions {
        threads: settings.serve.threads,
        lower_priority: || lower_priority(LOWEST),
    };
    server.start(pass, |_| ())?;
    if rustix::process::geteuid().is_root() {
        logging::say(format_args!(
            "root is not needed: any user who can read the databases may serve them"
        ));
    }
    let (listen, is_open) = (http.listen, http.logins.is_none());
    let ready = |address: SocketAddr| {
        if is_open {
            let whom = if address.ip().is_loopback() {
                "all users of this machine"
            } else {
                "everyone who can reach this address"
            };
            logging::say(format_args!(
                "{whom} can read all games; --login FILE asks for passwords"
            ));
        }
        let mut out = io::stdout().lock();
        // Ignored: the server works without standard output.
        let _ = writeln!(out, "http://{address}/").and_then(|()| out.flush());
    };
    serve(&server, http, ready).map_err(|error| {
        let remedy = match error.kind() {
            io::ErrorKind::AddrInUse => ": --listen takes another address, or port 0 for a free one",
            _ => "",
        };
        format!("{listen}: {error}{remedy}")
    })?;
    Ok(ExitCode::SUCCESS)
}

fn http_options(matches: &ArgMatches) -> Result<HttpOptions, CommandError> {
    let texts = |name| matches.get_many::<String>(name).into_iter().flatten().cloned();
    let listen = matches.get_one::<SocketAddr>("listen").copied();
    let listen = listen.unwrap_or(SocketAddr::from(([127, 0, 0, 1], 0)));
    let logins = matches
        .get_one::<PathBuf>("login")
        .map(|file| read_logins(file))
        .transpose()?;
    if logins.is_none() && !listen.ip().is_loopback() && !matches.get_flag("open-to-all") {
        let what = "other machines can reach it: use --login FILE to ask for passwords, or --open-to-all to let \
                    everyone read";
        return Err(format!("{listen}: {what}").into());
    }
    Ok(HttpOptions {
        listen,
        guard: Guard {
            hosts: texts("host").map(host).collect::<Result<_, _>>()?,
            origins: texts("allow-origin").map(origin).collect::<Result<_, _>>()?,
            any_address: false,
        },
        logins,
        limits: HttpLimits::default(),
    })
}

/// True for a text that can be a part of an origin.
fn is_part_of_origin(text: &str) -> bool {
    let is_sign = |sign: char| sign.is_whitespace() || "/*?#@".contains(sign);
    !text.is_empty() && !text.contains(is_sign)
}

/// A name of the server as browsers write it.
fn host(text: String) -> Result<String, CommandError> {
    let text = text.to_lowercase();
    if !is_part_of_origin(&text) {
        let what = "a name is HOST or HOST:PORT, such as nas.local";
        return Err(format!("--host {text}: {what}").into());
    }
    Ok(text)
}

/// An origin as browsers write it.
fn origin(text: String) -> Result<String, CommandError> {
    let text = text.to_lowercase();
    let is_origin = text
        .split_once("://")
        .is_some_and(|(scheme, host)| is_part_of_origin(scheme) && is_part_of_origin(host));
    if text == "null" {
        logging::say(format_args!(
            "sandboxed pages of any site have the origin null, too, and may now send requests"
        ));
    } else if !is_origin {
        let what = "an origin is SCHEME://HOST or SCHEME://HOST:PORT, such as tauri://localhost, or null";
        return Err(format!("--allow-origin {text}: {what}").into());
    }
    Ok(text)
}

/// The names and passwords in a file.
pub(super) fn read_logins(file: &Path) -> Result<Logins, CommandError> {
    Logins::read(file).map_err(|error| format!("{}: {error}", shown(file)).into())
}
