//! Options, once for both spellings: `--name=value` and `-o name=value`.

mod error;
mod generic;
mod read;
mod settings;
mod values;

use std::time::Duration;

use chessdb::formats::FORMATS;
use error::Wanted;
use values::{bytes, means, passwords};

pub use error::OptionError;
pub use read::{arguments, list_argument, of_mount, settings};
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
struct Row {
    name: &'static str,
    /// The placeholder for the value in the help; empty if the option takes none.
    value: &'static str,
    /// Empty for an option that only tests need: it is known in lists alone, and no page shows it.
    help: &'static str,
    scope: Scope,
    /// The option may be repeated, and every value counts.
    repeats: bool,
    /// Sets the value, or returns a description of valid ones.
    set: fn(&mut Settings, &str) -> Result<(), Wanted>,
}

static OPTIONS: &[Row] = &[
    Row {
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
    Row {
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
    Row {
        name: "fix-dates",
        value: "WHETHER",
        help: "Corrects dates that show a known bug of the program that wrote them: yes or no [default: yes]",
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
    Row {
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
    Row {
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
    Row {
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
    Row {
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
    Row {
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
    Row {
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
    Row {
        name: "mtime",
        value: "WHICH",
        help: "Time of a game's file: played, the day of the game, or source, the time of the database \
               [default: played]",
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
    Row {
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
    Row {
        name: "cache-dir",
        value: "PATH",
        help: "Folder in which sizes of games are kept for the next mount, or none to keep no sizes [default: \
               $XDG_CACHE_HOME/pgnfs or ~/.cache/pgnfs]",
        scope: Scope::Mount,
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
    Row {
        name: "watch",
        value: "MEANS",
        help: "How to notice changes of the source: auto, inotify, poll or poll:SECONDS, or off [default: auto]",
        scope: Scope::Mount,
        repeats: false,
        set: |settings, value| {
            settings.watch = means(value).ok_or("auto, inotify, poll, poll:SECONDS (1 to 86400) or off")?;
            Ok(())
        },
    },
    Row {
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
    Row {
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
    Row {
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
    Row {
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
    Row {
        name: "uid",
        value: "NUMBER",
        help: "Owner of all files [default: the user who mounts]",
        scope: Scope::Mount,
        repeats: false,
        set: |settings, value| {
            settings.uid = Some(value.parse().map_err(|_| "the number of a user")?);
            Ok(())
        },
    },
    Row {
        name: "gid",
        value: "NUMBER",
        help: "Group of all files [default: that of the user who mounts]",
        scope: Scope::Mount,
        repeats: false,
        set: |settings, value| {
            settings.gid = Some(value.parse().map_err(|_| "the number of a group")?);
            Ok(())
        },
    },
    Row {
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
    Row {
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
    Row {
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

impl Row {
    fn is_in(&self, scope: Scope) -> bool {
        scope == Scope::Mount || self.scope == scope
    }

    fn is_shown(&self) -> bool {
        !self.help.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(scope: Scope, words: &[&str]) -> Result<Settings, OptionError> {
        let command = clap::Command::new("test")
            .no_binary_name(true)
            .args(arguments(scope));
        settings(&command.get_matches_from(words), scope, false)
    }

    #[test]
    fn both_spellings_say_the_same() {
        let long = [
            "--encoding=koi8-r",
            "--reading=text",
            "--fix-dates=no",
            "--password-file=/dev/null",
            "--threads=3",
            "--only=a*",
            "--flat",
            "--view=a=%{white}",
            "--name=%{year}%{number}",
            "--mtime=source",
            "--cache-size=2K",
            "--cache-dir=/x",
            "--watch=poll:7",
            "--source-timeout=5",
            "--open-wait=9",
            "--xattr",
            "--uid=7",
            "--gid=8",
            "--umask=027",
            "--allow_other",
            "--default_permissions",
        ];
        assert_eq!(long.len(), OPTIONS.iter().filter(|row| row.is_shown()).count());
        let short: Vec<_> = long.iter().map(|word| word.trim_start_matches('-')).collect();
        let settings = parse(Scope::Mount, &long).unwrap();
        assert_eq!(parse(Scope::Mount, &["-o", &short.join(",")]).unwrap(), settings);
        let repeated: Vec<_> = short.iter().flat_map(|word| ["-o", word]).collect();
        assert_eq!(parse(Scope::Mount, &repeated).unwrap(), settings);
        assert_eq!(settings.serve.cache_size, 2048);
        assert_eq!(settings.serve.source_timeout, Duration::from_secs(5));
        assert_eq!(
            (settings.uid, settings.gid, settings.umask),
            (Some(7), Some(8), 0o27)
        );
    }

    #[test]
    fn every_option_is_documented() {
        let page = include_str!("../../docs/commands.md");
        for row in OPTIONS.iter().filter(|row| row.is_shown()) {
            assert!(page.contains(&format!("\n| `{}` |", row.name)), "{}", row.name);
        }
    }

    #[test]
    fn what_fstab_says_is_passed_over() {
        let list = "rw,dev,,suid,exec,atime,users,user=joe,nofail,_netdev,x-systemd.automount,defaults";
        assert_eq!(parse(Scope::Mount, &["-o", list]), Ok(Settings::default()));
        assert_eq!(
            parse(Scope::Games, &["-o", "ro"]),
            Err(OptionError::Unknown("ro".to_owned(), Scope::Games))
        );
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (word, error) in [
            (
                "nonsense=1",
                OptionError::Unknown("nonsense".to_owned(), Scope::Mount),
            ),
            ("uid", OptionError::NoValue("uid", "NUMBER")),
            ("xattr=1", OptionError::NeedlessValue("xattr")),
        ] {
            assert_eq!(parse(Scope::Mount, &["-o", word]), Err(error));
        }
        for word in [
            "threads=0",
            "cache-size=12Q",
            "cache-size=M",
            "umask=8",
            "umask=1000",
            "mtime=x",
            "encoding=x",
            "reading=main/order",
            "uid=-1",
            "watch=poll:0",
            "source-timeout=0",
            "cache-dir=",
            "open-wait=-1",
            "password-file=/dev/null/x",
        ] {
            let error = parse(Scope::Mount, &["-o", word]).unwrap_err();
            assert!(matches!(error, OptionError::BadValue(..)), "{word}: {error}");
        }
        assert_eq!(
            parse(Scope::Games, &["-o", "uid=1"]),
            Err(OptionError::MountOnly("uid"))
        );
    }
}
