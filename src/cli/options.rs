//! Options, once for both spellings: `--name=value` and `-o name=value`.

mod error;
mod generic;
mod read;
mod settings;
mod values;

use std::time::Duration;

use chessdb::formats::{FORMATS, PgnForm};
use chessdb_library::positions::IndexUse;
use chessdb_library::spelling::Spelling;
use error::ValidValues;
use values::{bytes, means, passwords, spelling_file};

/// The words that an option accepts, if these are few.
pub fn choices(name: &str) -> &'static [&'static str] {
    let row = CHOICES.iter().find(|(option, _)| *option == name);
    row.map_or(&[], |(_, words)| words)
}

/// The words that options accept.
const CHOICES: [(&str, &[&str]); 5] = [
    ("fix-dates", &["yes", "no"]),
    ("pgn", &["cleaned", "export", "verbatim"]),
    ("mtime", &["played", "source"]),
    ("index", &["auto", "yes", "no"]),
    ("watch", &["auto", "inotify", "poll", "off"]),
];

pub use error::OptionError;
pub use read::{arguments, is_idle_remount, list_argument, of_mount, settings};
pub use settings::{CacheFolder, Settings};

/// The commands that know an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// All commands that read games.
    Games,
    /// `mount` alone.
    Mount,
}

/// An option.
struct OptionRow {
    name: &'static str,
    /// The placeholder for the value in the help; empty if the option takes none.
    value: &'static str,
    /// Empty for an option that only tests need: it is known in lists alone, and no page shows it.
    help: &'static str,
    scope: Scope,
    /// The option may be repeated, and every value counts.
    repeats: bool,
    /// Sets the value, or returns a description of valid ones.
    set: fn(&mut Settings, &str) -> Result<(), ValidValues>,
}

static OPTIONS: &[OptionRow] = &[
    OptionRow {
        name: "encoding",
        value: "LABEL",
        help: "Code page of the texts, such as windows-1252 or koi8-r [default: that of the format]",
        scope: Scope::Games,
        repeats: false,
        set: |settings, value| {
            encoding_rs::Encoding::for_label(value.as_bytes())
                .ok_or("a code page such as utf-8, windows-1252, ibm866 or koi8-r")?;
            settings.formats.encoding = Some(value.to_owned());
            Ok(())
        },
    },
    OptionRow {
        name: "reading",
        value: "NAME",
        help: "Reads a format that has several readings in this one, named as in info.txt",
        scope: Scope::Games,
        repeats: false,
        set: |settings, value| {
            let known = || FORMATS.iter().flat_map(|format| (format.readings)());
            if !known().any(|name| name == value) {
                let names: Vec<String> = known().collect();
                return Err(format!("the reading of any format; there are {}", names.join(", ")).into());
            }
            settings.formats.reading = Some(value.to_owned());
            Ok(())
        },
    },
    OptionRow {
        name: "fix-dates",
        value: "yes|no",
        help: "Whether dates that show a known bug of the program that wrote them are corrected [default: yes]",
        scope: Scope::Games,
        repeats: false,
        set: |settings, value| {
            settings.formats.fix_dates = match value {
                "yes" => true,
                "no" => false,
                _ => return Err("yes or no".into()),
            };
            Ok(())
        },
    },
    OptionRow {
        name: "pgn",
        value: "FORM",
        help: "How games of PGN files are shown: cleaned, as they are written but in UTF-8 with line feeds; export, \
               read and written again; or verbatim, byte for byte [default: cleaned]",
        scope: Scope::Games,
        repeats: false,
        set: |settings, value| {
            settings.formats.pgn = match value {
                "cleaned" => PgnForm::Cleaned,
                "export" => PgnForm::Export,
                "verbatim" => PgnForm::Verbatim,
                _ => return Err("cleaned, export or verbatim".into()),
            };
            Ok(())
        },
    },
    OptionRow {
        name: "password-file",
        value: "FILE",
        help: "Passwords of encrypted archives (.cbz), one a line, in a file that only its owner can read",
        scope: Scope::Games,
        repeats: false,
        set: |settings, value| {
            settings.formats.passwords = passwords(value)?;
            Ok(())
        },
    },
    OptionRow {
        name: "threads",
        value: "NUMBER",
        help: "Number of threads that decode [default: the number of processors]",
        scope: Scope::Games,
        repeats: false,
        set: |settings, value| {
            let threads = value.parse().ok().filter(|threads| (1..=1024).contains(threads));
            settings.serve.threads = threads.ok_or("a number from 1 to 1024")?;
            Ok(())
        },
    },
    OptionRow {
        name: "only",
        value: "GLOB",
        help: "Only databases whose name matches, or whose path in SOURCE if GLOB contains a /; may be repeated",
        scope: Scope::Games,
        repeats: true,
        set: |settings, value| {
            let wrong = |error| format!("a pattern: {error}");
            Ok(settings.selection.add_only(value).map_err(wrong)?)
        },
    },
    OptionRow {
        name: "kinds",
        value: "LIST",
        help: "Only databases of these kinds: extensions of their files or formats, such as cbh,si4,pgn",
        scope: Scope::Games,
        repeats: true,
        set: |settings, value| Ok(settings.selection.add_kinds(value)?),
    },
    OptionRow {
        name: "flat",
        value: "",
        help: "Shows all databases side by side, without the folders that lead to them",
        scope: Scope::Games,
        repeats: false,
        set: |settings, _| {
            settings.selection.flat = true;
            Ok(())
        },
    },
    OptionRow {
        name: "view",
        value: "NAME=TEMPLATE",
        help: "Adds a view, such as openings=%{eco}/%{player}; may be repeated",
        scope: Scope::Mount,
        repeats: true,
        set: |settings, value| {
            let wrong = |error| format!("a view: {error}");
            Ok(settings.serve.layout.add_view(value).map_err(wrong)?)
        },
    },
    OptionRow {
        name: "name",
        value: "TEMPLATE",
        help: "Names of games in views [default: %{date}_%{white}-%{black}_%{result}_%{number}]",
        scope: Scope::Mount,
        repeats: false,
        set: |settings, value| {
            let wrong = |error| format!("a template for names: {error}");
            Ok(settings.serve.layout.name_games(value).map_err(wrong)?)
        },
    },
    OptionRow {
        name: "spelling",
        value: "stored|fold|FILE",
        help: "Spellings of players; stored: as stored; fold: joined by rules; FILE: joined by a spelling file of Scid \
               [default: stored]",
        scope: Scope::Mount,
        repeats: false,
        set: |settings, value| {
            let spelling = match value {
                "" => return Err("stored, fold or a spelling file of Scid".into()),
                "stored" => Spelling::Stored,
                "fold" => Spelling::Fold,
                path => spelling_file(path)?,
            };
            settings.serve.layout.spell(spelling);
            Ok(())
        },
    },
    OptionRow {
        name: "unique",
        value: "",
        help: "Adds all/unique/, which shows each game only once",
        scope: Scope::Mount,
        repeats: false,
        set: |settings, _| {
            settings.serve.unique = true;
            Ok(())
        },
    },
    OptionRow {
        name: "mtime",
        value: "played|source",
        help: "Time of a game's file; played: the day of the game; source: the time of the database [default: played]",
        scope: Scope::Mount,
        repeats: false,
        set: |settings, value| {
            settings.serve.mtime_from_source = match value {
                "played" => false,
                "source" => true,
                _ => return Err("played or source".into()),
            };
            Ok(())
        },
    },
    OptionRow {
        name: "cache-size",
        value: "BYTES",
        help: "Maximum size of decoded games in memory, such as 500000, 64M or 2G [default: 64M]",
        scope: Scope::Mount,
        repeats: false,
        set: |settings, value| {
            settings.serve.cache_size = bytes(value).ok_or("a number of bytes such as 500000, 64M or 2G")?;
            Ok(())
        },
    },
    OptionRow {
        name: "cache-dir",
        value: "PATH",
        help: "Folder in which is kept what takes long to find again: sizes of games, views, tables, and indexes of PGN \
               files and of positions; none keeps nothing [default: $XDG_CACHE_HOME/pgnfs or ~/.cache/pgnfs]",
        scope: Scope::Games,
        repeats: false,
        set: |settings, value| {
            settings.cache_folder = match value {
                "" => return Err("a path or none".into()),
                "none" => CacheFolder::Nowhere,
                path => CacheFolder::At(path.into()),
            };
            Ok(())
        },
    },
    OptionRow {
        name: "cache-space",
        value: "BYTES",
        help: "Maximum size of all files in the cache folder [default: 16G]",
        scope: Scope::Games,
        repeats: false,
        set: |settings, value| {
            settings.cache_space = bytes(value).ok_or("a number of bytes such as 512M or 20G")? as u64;
            Ok(())
        },
    },
    OptionRow {
        name: "index",
        value: "auto|yes|no",
        help: "Index of positions; auto: use it if it exists; yes: build it if missing; no: never use one [default: auto]",
        scope: Scope::Games,
        repeats: false,
        set: |settings, value| {
            settings.index = match value {
                "auto" => IndexUse::Auto,
                "yes" => IndexUse::Yes,
                "no" => IndexUse::No,
                _ => return Err("auto, yes or no".into()),
            };
            Ok(())
        },
    },
    OptionRow {
        name: "index-memory",
        value: "BYTES",
        help: "Memory that is used to build an index, about [default: 512M]",
        scope: Scope::Games,
        repeats: false,
        set: |settings, value| {
            let memory = bytes(value).filter(|&memory| memory >= 16 << 20);
            settings.index_memory = memory.ok_or("a number of bytes such as 512M or 2G, at least 16M")?;
            Ok(())
        },
    },
    OptionRow {
        name: "index-space",
        value: "BYTES",
        help: "Maximum size of all indexes of positions in the cache folder; cache-space, which limits all files in \
               it, has replaced this [default: that of cache-space]",
        scope: Scope::Games,
        repeats: false,
        set: |settings, value| {
            settings.index_space = Some(bytes(value).ok_or("a number of bytes such as 512M or 20G")? as u64);
            Ok(())
        },
    },
    OptionRow {
        name: "watch",
        value: "MODE",
        help: "How to notice changes of the source: auto, inotify, poll or poll:SECONDS, or off [default: auto]",
        scope: Scope::Mount,
        repeats: false,
        set: |settings, value| {
            settings.watch = means(value).ok_or("auto, inotify, poll, poll:SECONDS (1 to 86400) or off")?;
            Ok(())
        },
    },
    OptionRow {
        name: "quiet",
        value: "MILLISECONDS",
        help: "",
        scope: Scope::Mount,
        repeats: false,
        set: |settings, value| {
            let milliseconds = value.parse().ok().filter(|wanted| (1..=60_000).contains(wanted));
            settings.quiet = milliseconds
                .map(Duration::from_millis)
                .ok_or("a number from 1 to 60000")?;
            Ok(())
        },
    },
    OptionRow {
        name: "source-timeout",
        value: "SECONDS",
        help: "How long a request may wait for files on a network or on the file system of another program before \
               it fails [default: 30]",
        scope: Scope::Mount,
        repeats: false,
        set: |settings, value| {
            let seconds = value.parse().ok().filter(|seconds| (1..=86400).contains(seconds));
            let seconds = seconds.ok_or("a number of seconds from 1 to 86400")?;
            settings.serve.source_timeout = Duration::from_secs(seconds);
            Ok(())
        },
    },
    OptionRow {
        name: "open-wait",
        value: "SECONDS",
        help: "How long to wait for databases that open slowly; they appear when they are open [default: 2]",
        scope: Scope::Mount,
        repeats: false,
        set: |settings, value| {
            let seconds = value.parse().ok().filter(|seconds| *seconds <= 86_400);
            settings.open_wait = seconds
                .map(Duration::from_secs)
                .ok_or("a number from 0 to 86400")?;
            Ok(())
        },
    },
    OptionRow {
        name: "wait-for-source",
        value: "",
        help: "Mounts even if SOURCE does not exist or has no databases yet; they appear when they are there",
        scope: Scope::Mount,
        repeats: false,
        set: |settings, _| {
            settings.wait_for_source = true;
            Ok(())
        },
    },
    OptionRow {
        name: "xattr",
        value: "",
        help: "Provides tags as extended attributes (getfattr -d); ls -l then sends two more requests for every file",
        scope: Scope::Mount,
        repeats: false,
        set: |settings, _| {
            settings.xattr = true;
            Ok(())
        },
    },
    OptionRow {
        name: "uid",
        value: "NUMBER",
        help: "Owner of all files [default: the user who mounts]",
        scope: Scope::Mount,
        repeats: false,
        set: |settings, value| {
            settings.uid = Some(values::id(value).ok_or("the number of a user")?);
            Ok(())
        },
    },
    OptionRow {
        name: "gid",
        value: "NUMBER",
        help: "Group of all files [default: that of the user who mounts]",
        scope: Scope::Mount,
        repeats: false,
        set: |settings, value| {
            settings.gid = Some(values::id(value).ok_or("the number of a group")?);
            Ok(())
        },
    },
    OptionRow {
        name: "umask",
        value: "OCTAL",
        help: "Permissions to remove from 0444 and 0555, such as 077 [default: 000]",
        scope: Scope::Mount,
        repeats: false,
        set: |settings, value| {
            let umask = u16::from_str_radix(value, 8).ok().filter(|umask| *umask <= 0o777);
            settings.umask = umask.ok_or("an octal number such as 022")?;
            Ok(())
        },
    },
    OptionRow {
        name: "allow_other",
        value: "",
        help: "Lets other users access the mount, as far as permissions allow",
        scope: Scope::Mount,
        repeats: false,
        set: |settings, _| {
            settings.allow_other = true;
            // Otherwise all users could read everything, whatever the umask.
            settings.default_permissions = true;
            Ok(())
        },
    },
    OptionRow {
        name: "default_permissions",
        value: "",
        help: "Lets the kernel check permissions; implied by allow_other",
        scope: Scope::Mount,
        repeats: false,
        set: |settings, _| {
            settings.default_permissions = true;
            Ok(())
        },
    },
];

impl OptionRow {
    fn is_in(&self, scope: Scope) -> bool {
        scope == Scope::Mount || self.scope == scope
    }

    fn is_shown(&self) -> bool {
        !self.help.is_empty()
    }
}

#[cfg(test)]
mod tests;
