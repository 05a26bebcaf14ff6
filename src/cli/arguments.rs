//! The commands and their arguments.

use std::ffi::{OsStr, OsString};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};

use super::options::{self, Scope};
use super::{export, find, manual};
use crate::mount::GUARDIAN;
use chessdb_library::query::{SYNTAX, SortKey, fields};
use chessdb_library::table::RowKind;

/// Parses the arguments, including the program's name. The result has no subcommand if mount(8) called the program.
pub fn parse(arguments: Vec<OsString>) -> Result<ArgMatches, clap::Error> {
    if is_mount_helper(&arguments) {
        mount_helper().try_get_matches_from(arguments)
    } else {
        let guardian = Command::new(GUARDIAN).hide(true).arg(mount_point());
        let generate = Command::new(GENERATE)
            .hide(true)
            .about("Writes a man page or a completion script for a shell to standard output")
            .arg(Arg::new("KIND").required(true).value_parser(manual::KINDS));
        let complete = Command::new(COMPLETE)
            .hide(true)
            .about("Writes the completions of the last word")
            .arg(
                Arg::new("WORDS")
                    .last(true)
                    .num_args(0..)
                    .value_parser(value_parser!(OsString)),
            );
        let all = pgnfs().subcommands([guardian, generate, complete]);
        all.try_get_matches_from(with_marked_query(without_needless_help(arguments)))
    }
}

/// Makes `pgnfs help --help` the same as `pgnfs --help`, and `pgnfs help find --help` the same as `pgnfs find --help`.
fn without_needless_help(mut arguments: Vec<OsString>) -> Vec<OsString> {
    let is_help = |argument: &OsString| argument == "--help" || argument == "-h";
    if arguments.get(1).is_some_and(|command| command == "help") {
        arguments.retain(|argument| !is_help(argument));
    }
    arguments
}

/// Name of the hidden command that generates man pages and completions.
pub const GENERATE: &str = "generate";

/// Name of the hidden command that shells call for completions.
pub const COMPLETE: &str = "complete";

/// The documented commands.
pub fn pgnfs() -> Command {
    let mount = Command::new("mount")
        .about("Mounts SOURCE, and returns when its files are available")
        .args([source(), mount_point()])
        .arg(flag('f', "foreground").help("Stays in the foreground until unmounted"))
        .args(options::arguments(Scope::Mount));
    let serve = Command::new("serve")
        .about("Shows SOURCE over HTTP: a board, an opening explorer, and the same files as mount")
        .arg(source())
        .args([
            Arg::new("listen")
                .long("listen")
                .value_name("ADDRESS:PORT")
                .default_value("127.0.0.1:9002")
                .value_parser(listen_address)
                .help("The address to listen on; port 0 picks a free port"),
            Arg::new("host")
                .long("host")
                .value_name("NAME")
                .action(ArgAction::Append)
                .help("Another name of this server, such as nas.local; may be repeated"),
            Arg::new("login")
                .long("login")
                .value_name("FILE")
                .value_parser(value_parser!(PathBuf))
                .conflicts_with("open-to-all")
                .help("Asks for a name and a password; FILE has lines NAME:PASSWORD, and must be readable only by its owner"),
            Arg::new("open-to-all")
                .long("open-to-all")
                .action(ArgAction::SetTrue)
                .help("Lets everyone who can reach ADDRESS read all games; without --login, needed if other \
                       machines can reach it"),
            Arg::new("allow-origin")
                .long("allow-origin")
                .value_name("ORIGIN")
                .action(ArgAction::Append)
                .help("Lets web pages from this origin, such as tauri://localhost, send requests; null is the \
                       origin of sandboxed pages; may be repeated"),
        ])
        .args(options::arguments(Scope::Serve));
    let unmount = Command::new("unmount")
        .visible_alias("umount")
        .about("Unmounts")
        .arg(mount_point().help("Where it is mounted"))
        .arg(
            Arg::new("lazy")
                .long("lazy")
                .action(ArgAction::SetTrue)
                .help("Does not warn about open files; the program ends when they are closed"),
        );
    let export = Command::new("export")
        .about("Writes all games as PGN, as a table or as an opening book, to standard output or to a file")
        .arg(source())
        .arg(
            Arg::new("DATABASE")
                .help("Writes only this database, named by its path in SOURCE as info shows it"),
        )
        .arg(
            path("output")
                .required(false)
                .long("output")
                .value_name("FILE")
                .help("Writes to this file, which is created or replaced; - is standard output; with --schema also to a folder"),
        )
        .arg(
            Arg::new("to")
                .long("to")
                .value_name("FORM")
                .default_value("pgn")
                .value_parser(export::FORMS)
                .help("Writes PGN, a table of the games, or a Polyglot opening book"),
        )
        .arg(
            Arg::new("rows")
                .long("rows")
                .value_name("WHAT")
                .value_parser(RowKind::NAMES)
                .help("Rows of the table: games, or the positions of their main lines [default: games]"),
        )
        .arg(
            Arg::new("columns").long("columns").value_name("NAMES").help(
                "The columns of the table, separated by commas: tags and others, such as White,year,moves",
            ),
        )
        .arg(
            Arg::new("schema")
                .long("schema")
                .value_name("NAME")
                .value_parser(export::SCHEMAS)
                .help("Uses the columns of a published table instead of --columns"),
        )
        .arg(
            Arg::new("part")
                .long("part")
                .value_name("K/N")
                .allow_hyphen_values(true)
                .help("Writes only the Kth of N parts of the games"),
        )
        .arg(
            Arg::new("where")
                .long("where")
                .value_name("QUERY")
                .allow_hyphen_values(true)
                .value_parser(value_parser!(OsString))
                .help("Writes only the games that match this query: see pgnfs find --help"),
        )
        .arg(unique().help("Writes only the best game of each group of duplicates"))
        .args(export::book::arguments())
        .args(options::arguments(Scope::Search));
    let find = find();
    let check = Command::new("check")
        .about("Decodes all games and prints a line for every problem; the exit code is 1 if there is any")
        .arg(source())
        .args(options::arguments(Scope::Games));
    let info = Command::new("info")
        .about("Lists the databases of SOURCE, and what was left out, with the reasons")
        .arg(source())
        .arg(json())
        .arg(
            Arg::new("long")
                .long("long")
                .action(ArgAction::SetTrue)
                .help("Also shows files, readings, warnings and problems of each database"),
        )
        .args(options::arguments(Scope::Games));
    let status = Command::new("status")
        .about("Shows the status of a mount or a server: databases, known sizes, cache, and work in progress")
        .arg(mount_point().help(
            "Mount point, or address of a server such as 127.0.0.1:9002; for a device, or the mount point of \
             another file system, lists the mounts that use its files",
        ))
        .arg(json())
        .arg(
            Arg::new("wait")
                .long("wait")
                .action(ArgAction::SetTrue)
                .help("Waits until all databases are open and all sizes are known"),
        )
        .arg(
            Arg::new("login")
                .long("login")
                .value_name("FILE")
                .value_parser(value_parser!(PathBuf))
                .help("Logs in to the server with the first line of FILE, NAME:PASSWORD"),
        );
    let commands = [mount]
        .into_iter()
        .chain(cfg!(feature = "serve").then_some(serve))
        .chain([unmount, export, find, check, info, status]);
    Command::new("pgnfs")
        .version(env!("PGNFS_VERSION"))
        .about("Shows chess databases of all formats as a file system in which every game is a PGN file")
        .max_term_width(80)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommands(commands.map(with_examples))
}

/// Reads an address to listen on.
///
/// # Errors
/// What an address is.
fn listen_address(text: &str) -> Result<SocketAddr, &'static str> {
    let address = match text.strip_prefix("localhost:") {
        Some(port) => port
            .parse()
            .map(|port| SocketAddr::from(([127, 0, 0, 1], port)))
            .ok(),
        None => text.parse().ok(),
    };
    address.ok_or("an address is IP:PORT, such as 0.0.0.0:9002 or [::1]:9002, or localhost:PORT")
}

fn with_examples(command: Command) -> Command {
    let name = command.get_name().to_owned();
    match EXAMPLES.iter().find(|(own, _)| *own == name) {
        Some((_, text)) => command.after_long_help(*text),
        None => command,
    }
}

/// What `--help` shows at the end.
const EXAMPLES: [(&str, &str); 7] = [
    (
        "mount",
        "Examples:\n  pgnfs mount ~/databases ~/games\n  pgnfs mount --only '*.cbh' --spelling fold ~/databases ~/games\n  \
         pgnfs mount --view 'openings=%{eco}/%{player}' games.pgn ~/games",
    ),
    (
        "serve",
        "Examples:\n  pgnfs serve ~/databases\n  pgnfs serve --listen 0.0.0.0:9002 --login users.txt ~/databases",
    ),
    ("unmount", "Example:\n  pgnfs unmount ~/games"),
    (
        "export",
        "Examples:\n  pgnfs export --output games.pgn ~/databases\n  pgnfs export --where 'player:carlsen' --to csv games.cbh\n  \
         pgnfs export --to polyglot --output book.bin games.pgn",
    ),
    ("check", "Example:\n  pgnfs check games.cbh"),
    (
        "info",
        "Examples:\n  pgnfs info ~/databases\n  pgnfs info --long games.cbh",
    ),
    (
        "status",
        "Examples:\n  pgnfs status ~/games\n  pgnfs status --wait --json ~/games\n  pgnfs status 127.0.0.1:9002",
    ),
];

/// The ways to call `find`.
const USAGE_OF_FIND: &str = "pgnfs find [OPTIONS] QUERY SOURCE [DATABASE]\n       \
                             pgnfs find [OPTIONS] --novelty SOURCE";

fn find() -> Command {
    let place = |name: &'static str| Arg::new(name).value_parser(value_parser!(OsString));
    Command::new("find")
        .about("Finds the games that match a query; the exit code is 1 if no game matches")
        .override_usage(USAGE_OF_FIND)
        .after_long_help(SYNTAX)
        .args([
            place("QUERY").help("What to search for, such as 'player:carlsen year:2013.. played:O-O'"),
            place("SOURCE").help("A folder with chess databases, or one database"),
            place("DATABASE").help("Searches only this database, named by its path in SOURCE as info shows it"),
            Arg::new("novelty").long("novelty").action(ArgAction::SetTrue).help(
                "Finds the first move of each game, or of each game that matches QUERY, that leads to a position no \
                 earlier game of its database has",
            ),
        ])
        .arg(unique().help("Searches only the best game of each group of duplicates"))
        .arg(
            Arg::new("show")
                .long("show")
                .value_name("WHAT")
                .value_parser(find::SHOWN)
                .default_value("path")
                .help("What to show: paths and plies, the number of games, the moves played, where games leave a \
                       repertoire, the games, or a table"),
        )
        .args([
            Arg::new("sort")
                .long("sort")
                .value_name("ORDER")
                .value_parser(SortKey::NAMES)
                .default_value("database")
                .help(
                    "Order of the games: as in the databases, earliest first, highest sum of known ratings first, or \
                     shortest first; games where this is unknown come last",
                ),
            Arg::new("reverse")
                .long("reverse")
                .action(ArgAction::SetTrue)
                .help("Reverses the order"),
            Arg::new("limit")
                .long("limit")
                .value_name("NUMBER")
                .value_parser(value_parser!(u64).range(1..))
                .help("Shows at most this many games"),
        ])
        .args(options::arguments(Scope::Search))
}

/// The arguments of `find`, with a blank in front of a query such as `-player:tal` or `-(`, which would otherwise be
/// taken for an option.
fn with_marked_query(mut arguments: Vec<OsString>) -> Vec<OsString> {
    if arguments.get(1).is_some_and(|command| command == "find") {
        let options = arguments.iter().position(|argument| argument == "--");
        let options = options.unwrap_or(arguments.len());
        for argument in &mut arguments[..options] {
            if begins_query(argument) {
                let mut marked = OsString::from(" ");
                marked.push(&*argument);
                *argument = marked;
            }
        }
    }
    arguments
}

/// True for an argument that starts with `-(`, or with a hyphen and a field, such as `-player:`.
fn begins_query(argument: &OsStr) -> bool {
    let text = argument.to_string_lossy();
    let field = text.strip_prefix('-').and_then(|text| text.split_once(':'));
    text.starts_with("-(") || field.is_some_and(|(field, _)| fields().any(|(name, _)| name == field))
}

/// The command line with which mount(8) calls a helper.
fn mount_helper() -> Command {
    Command::new("mount.pgnfs")
        .version(env!("PGNFS_VERSION"))
        .about("Mounts chess databases as a file system of PGN files; called by mount -t pgnfs")
        .args([source(), mount_point()])
        .arg(flag('s', "sloppy").help("Ignores unknown options"))
        .arg(flag('f', "fake").help("Does not mount"))
        .arg(flag('n', "no-table").help("Ignored"))
        .arg(flag('v', "verbose").help("Ignored"))
        .arg(options::list_argument())
}

fn source() -> Arg {
    path("SOURCE").help("A folder with chess databases, or one database")
}

fn mount_point() -> Arg {
    path("MOUNTPOINT").help("An empty folder outside SOURCE")
}

fn unique() -> Arg {
    Arg::new("unique").long("unique").action(ArgAction::SetTrue)
}

fn json() -> Arg {
    Arg::new("json")
        .long("json")
        .action(ArgAction::SetTrue)
        .help("Writes JSON")
}

fn path(name: &'static str) -> Arg {
    Arg::new(name).required(true).value_parser(value_parser!(PathBuf))
}

fn flag(letter: char, name: &'static str) -> Arg {
    Arg::new(name).short(letter).action(ArgAction::SetTrue)
}

/// True if mount(8) called the program: under a name such as `mount.pgnfs`, or, for `mount -t fuse.pgnfs`, as
/// `pgnfs SOURCE MOUNTPOINT -o OPTIONS`.
pub fn is_mount_helper(arguments: &[OsString]) -> bool {
    let name = arguments.first().and_then(|path| Path::new(path).file_name());
    let is_named_so = name
        .and_then(OsStr::to_str)
        .is_some_and(|name| name.starts_with("mount."));
    let is_called_so = match arguments {
        [_, source, point, o, _] => {
            let is_word = |word: &OsString| word.as_encoded_bytes().starts_with(b"-");
            let is_command = pgnfs().find_subcommand(source).is_some();
            o == "-o" && !is_command && !is_word(source) && !is_word(point)
        }
        _ => false,
    };
    is_named_so || is_called_so
}

#[cfg(test)]
mod tests {
    use super::*;

    fn subcommand(line: &str) -> Option<String> {
        let matches = parse(line.split(' ').map(OsString::from).collect()).unwrap();
        matches.subcommand_name().map(str::to_owned)
    }

    #[test]
    fn the_commands_are_well_formed() {
        pgnfs().debug_assert();
        mount_helper().debug_assert();
    }

    #[test]
    fn mount_8_calls_without_a_command() {
        for line in [
            "/sbin/mount.pgnfs /a /b -o ro",
            "mount.fuse.pgnfs /a /b -sfnv -o ro",
            "pgnfs /a /b -o rw,dev",
        ] {
            assert_eq!(subcommand(line), None, "{line}");
        }
        assert_eq!(subcommand("pgnfs mount -o ro /a /b"), Some("mount".to_owned()));
        assert_eq!(
            subcommand("pgnfs export /a -o threads=1"),
            Some("export".to_owned())
        );
        assert!(parse(["pgnfs", "moutn", "/a", "/b"].map(OsString::from).to_vec()).is_err());
    }

    #[test]
    fn localhost_is_an_address_to_listen_on() {
        for (text, address) in [
            ("localhost:9002", Some("127.0.0.1:9002")),
            ("0.0.0.0:0", Some("0.0.0.0:0")),
            ("[::1]:9002", Some("[::1]:9002")),
            ("localhost", None),
            ("localhost:65536", None),
            ("localhost.example:9002", None),
            ("127.0.0.1", None),
        ] {
            let found = listen_address(text).ok().map(|address| address.to_string());
            assert_eq!(found.as_deref(), address, "{text}");
        }
    }

    #[test]
    fn lines_of_help_have_80_columns() {
        for line in ["pgnfs -h", "pgnfs find -h", "pgnfs mount --help"] {
            let error = parse(line.split(' ').map(OsString::from).collect()).unwrap_err();
            let examples = "\nExamples:";
            let text = error.to_string();
            let wrapped = text.split(examples).next().unwrap();
            let longest = wrapped.lines().max_by_key(|line| line.chars().count()).unwrap();
            assert!(longest.chars().count() <= 80, "{line}: {longest}");
        }
    }

    #[test]
    fn help_of_help_is_help() {
        let said = |line: &str| {
            let error = parse(line.split(' ').map(OsString::from).collect()).unwrap_err();
            assert_eq!(error.kind(), clap::error::ErrorKind::DisplayHelp, "{line}");
            error.to_string()
        };
        for line in ["pgnfs help --help", "pgnfs help -h", "pgnfs --help"] {
            assert_eq!(said(line), said("pgnfs help"), "{line}");
        }
        assert_eq!(said("pgnfs help find --help"), said("pgnfs help find"));
    }
}
