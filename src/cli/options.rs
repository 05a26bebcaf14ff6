//! Options, once for both spellings: `--name=value` and `-o name=value`.

mod error;
mod generic;

use std::path::PathBuf;
use std::time::Duration;

use clap::{Arg, ArgAction, ArgMatches};

use crate::formats::{self, FORMATS};
use crate::fs::ServeOptions;
use crate::watch::{self, Means};
use error::Wanted;
use generic::is_generic;

pub use error::OptionError;

/// What all options together say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// How games are read.
    pub formats: formats::Options,
    /// How they are served.
    pub serve: ServeOptions,
    /// How changes of the source are noticed.
    pub watch: Means,
    /// Where sizes of games are kept from one mount to the next.
    pub cache_folder: CacheFolder,
    /// Tags are extended attributes.
    pub xattr: bool,
    /// Owner of the files; else the user who mounts.
    pub uid: Option<u32>,
    /// Group of the files; else that of the user who mounts.
    pub gid: Option<u32>,
    /// Permissions that nobody has.
    pub umask: u16,
    /// Other users may look.
    pub allow_other: bool,
    /// The kernel checks permissions.
    pub default_permissions: bool,
}

/// Where something is kept that can be made again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum CacheFolder {
    /// Where the user's programs have such things.
    #[default]
    Usual,
    /// In this folder.
    At(PathBuf),
    /// Nowhere.
    Nowhere,
}

/// The commands that know an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// All that read games.
    Games,
    /// `mount` alone.
    Mount,
}

/// An option.
struct Row {
    name: &'static str,
    /// What stands for the value in the help; empty where there is none.
    value: &'static str,
    help: &'static str,
    scope: Scope,
    /// Takes the value, or says what it should have been.
    set: fn(&mut Settings, &str) -> Result<(), Wanted>,
}

static OPTIONS: &[Row] = &[
    Row {
        name: "encoding",
        value: "LABEL",
        help: "Code page of the texts, such as windows-1252 or koi8-r [default: what the format says]",
        scope: Scope::Games,
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
        help: "Reads a format that has several readings in this one, by the name in info.txt",
        scope: Scope::Games,
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
        help: "Corrects dates where a known bug of the program that wrote them shows: yes or no [default: yes]",
        scope: Scope::Games,
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
        name: "threads",
        value: "NUMBER",
        help: "Threads that decode together [default: the number of processors]",
        scope: Scope::Games,
        set: |settings, value| {
            let threads = value.parse().ok().filter(|threads| (1..=1024).contains(threads));
            settings.serve.threads = threads.ok_or("a number from 1 to 1024")?;
            Ok(())
        },
    },
    Row {
        name: "mtime",
        value: "WHICH",
        help: "Time of a game's file: played, the day of the game, or source, the time of the database \
               [default: played]",
        scope: Scope::Mount,
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
        help: "Most bytes of decoded games in memory, such as 500000, 64M or 2G [default: 64M]",
        scope: Scope::Mount,
        set: |settings, value| {
            settings.serve.cache_size = bytes(value).ok_or("a number of bytes such as 500000, 64M or 2G")?;
            Ok(())
        },
    },
    Row {
        name: "cache-dir",
        value: "PATH",
        help: "Folder in which sizes of games are kept for the next mount, or none [default: \
               $XDG_CACHE_HOME/pgnfs or ~/.cache/pgnfs]",
        scope: Scope::Mount,
        set: |settings, value| {
            settings.cache_folder = match value {
                "" | "none" => CacheFolder::Nowhere,
                path => CacheFolder::At(path.into()),
            };
            Ok(())
        },
    },
    Row {
        name: "watch",
        value: "MEANS",
        help: "How changes of the source are noticed: auto, inotify, poll or poll:SECONDS, or off [default: auto]",
        scope: Scope::Mount,
        set: |settings, value| {
            settings.watch = means(value).ok_or("auto, inotify, poll, poll:SECONDS or off")?;
            Ok(())
        },
    },
    Row {
        name: "xattr",
        value: "",
        help: "Shows tags as extended attributes (getfattr -d); ls -l then asks twice for every file",
        scope: Scope::Mount,
        set: |settings, _| {
            settings.xattr = true;
            Ok(())
        },
    },
    Row {
        name: "uid",
        value: "NUMBER",
        help: "Owner of all files [default: who mounts]",
        scope: Scope::Mount,
        set: |settings, value| {
            settings.uid = Some(value.parse().map_err(|_| "the number of a user")?);
            Ok(())
        },
    },
    Row {
        name: "gid",
        value: "NUMBER",
        help: "Group of all files [default: that of who mounts]",
        scope: Scope::Mount,
        set: |settings, value| {
            settings.gid = Some(value.parse().map_err(|_| "the number of a group")?);
            Ok(())
        },
    },
    Row {
        name: "umask",
        value: "OCTAL",
        help: "Permissions to take away from 0444 and 0555, such as 077 [default: 000]",
        scope: Scope::Mount,
        set: |settings, value| {
            let umask = u16::from_str_radix(value, 8).ok().filter(|umask| *umask <= 0o777);
            settings.umask = umask.ok_or("an octal number such as 022")?;
            Ok(())
        },
    },
    Row {
        name: "allow_other",
        value: "",
        help: "Lets other users look, as far as permissions say",
        scope: Scope::Mount,
        set: |settings, _| {
            settings.allow_other = true;
            // Else everybody could read everything, whatever umask says.
            settings.default_permissions = true;
            Ok(())
        },
    },
    Row {
        name: "default_permissions",
        value: "",
        help: "Lets the kernel check permissions; allow_other includes it",
        scope: Scope::Mount,
        set: |settings, _| {
            settings.default_permissions = true;
            Ok(())
        },
    },
];

/// The arguments of all options in a scope, `-o` among them.
pub fn arguments(scope: Scope) -> Vec<Arg> {
    let rows = OPTIONS.iter().filter(|row| row.is_in(scope));
    let long = rows.map(|row| {
        let arg = Arg::new(row.name).long(row.name).help(row.help);
        match row.value {
            "" => arg.action(ArgAction::SetTrue),
            value => arg.value_name(value),
        }
    });
    std::iter::once(list_argument()).chain(long).collect()
}

/// The argument `-o`.
pub fn list_argument() -> Arg {
    Arg::new("o")
        .short('o')
        .value_name("OPTIONS")
        .action(ArgAction::Append)
        .help("Options without their dashes and with commas between them: -o encoding=koi8-r,threads=1")
}

/// Reads `-o` lists, then long options, which therefore win. `sloppy` passes over unknown ones.
///
/// # Errors
/// For the first option that is unknown or has a wrong value.
pub fn settings(matches: &ArgMatches, scope: Scope, sloppy: bool) -> Result<Settings, OptionError> {
    let mut settings = Settings::default();
    let lists = matches.get_many::<String>("o").into_iter().flatten();
    for word in lists
        .flat_map(|list| list.split(','))
        .filter(|word| !word.is_empty())
    {
        match set_word(&mut settings, word, scope) {
            Err(OptionError::Unknown(_)) if sloppy => {}
            result => result?,
        }
    }
    // `mount.pgnfs` has lists only.
    for row in OPTIONS
        .iter()
        .filter(|row| matches.try_contains_id(row.name).unwrap_or(false))
    {
        if !row.value.is_empty() {
            set(row, &mut settings, matches.get_one(row.name).map(String::as_str))?;
        } else if matches.get_flag(row.name) {
            set(row, &mut settings, None)?;
        }
    }
    Ok(settings)
}

/// What is wrong with a name that a command does not know and that is an option of `mount`.
pub fn of_mount(name: &str) -> Option<OptionError> {
    let row = OPTIONS.iter().find(|row| row.name == name)?;
    Some(OptionError::MountOnly(row.name))
}

impl Row {
    fn is_in(&self, scope: Scope) -> bool {
        scope == Scope::Mount || self.scope == scope
    }
}

/// Takes `name` or `name=value` from a list.
fn set_word(settings: &mut Settings, word: &str, scope: Scope) -> Result<(), OptionError> {
    let (name, value) = match word.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (word, None),
    };
    match OPTIONS.iter().find(|row| row.name == name) {
        Some(row) if row.is_in(scope) => set(row, settings, value),
        Some(row) => Err(OptionError::MountOnly(row.name)),
        None if scope == Scope::Mount && is_generic(name) => Ok(()),
        None => Err(OptionError::Unknown(name.to_owned())),
    }
}

fn set(row: &Row, settings: &mut Settings, value: Option<&str>) -> Result<(), OptionError> {
    let value = match (value, row.value) {
        (Some(_), "") => return Err(OptionError::NeedlessValue(row.name)),
        (None, wanted) if !wanted.is_empty() => return Err(OptionError::NoValue(row.name, wanted)),
        (value, _) => value.unwrap_or_default(),
    };
    (row.set)(settings, value).map_err(|wanted| OptionError::BadValue(row.name, value.to_owned(), wanted))
}

/// Reads how to watch.
fn means(text: &str) -> Option<Means> {
    Some(match text {
        "auto" => Means::Auto,
        "inotify" => Means::Inotify,
        "poll" => Means::Poll(watch::PAUSE),
        "off" => Means::Off,
        _ => {
            let seconds = text.strip_prefix("poll:")?.parse().ok();
            let seconds = seconds.filter(|seconds| (1..=24 * 60 * 60).contains(seconds))?;
            Means::Poll(Duration::from_secs(seconds))
        }
    })
}

/// Reads a number of bytes with a unit behind it.
fn bytes(text: &str) -> Option<usize> {
    let units = [('K', 1 << 10), ('M', 1 << 20), ('G', 1 << 30)];
    let unit = units
        .into_iter()
        .find(|(letter, _)| text.ends_with([*letter, letter.to_ascii_lowercase()]));
    let (digits, unit) = match unit {
        Some((_, unit)) => (text.get(..text.len() - 1)?, unit),
        None => (text, 1),
    };
    digits.parse::<usize>().ok()?.checked_mul(unit)
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
            "--threads=3",
            "--mtime=source",
            "--cache-size=2K",
            "--cache-dir=/x",
            "--watch=poll:7",
            "--xattr",
            "--uid=7",
            "--gid=8",
            "--umask=027",
            "--allow_other",
            "--default_permissions",
        ];
        assert_eq!(long.len(), OPTIONS.len());
        let short: Vec<_> = long.iter().map(|word| word.trim_start_matches('-')).collect();
        let settings = parse(Scope::Mount, &long).unwrap();
        assert_eq!(parse(Scope::Mount, &["-o", &short.join(",")]).unwrap(), settings);
        let repeated: Vec<_> = short.iter().flat_map(|word| ["-o", word]).collect();
        assert_eq!(parse(Scope::Mount, &repeated).unwrap(), settings);
        assert_eq!(settings.serve.cache_size, 2048);
        assert_eq!(
            (settings.uid, settings.gid, settings.umask),
            (Some(7), Some(8), 0o27)
        );
    }

    #[test]
    fn every_option_is_documented() {
        let page = include_str!("../../docs/commands.md");
        for row in OPTIONS {
            assert!(page.contains(&format!("\n| `{}` |", row.name)), "{}", row.name);
        }
    }

    #[test]
    fn what_fstab_says_is_passed_over() {
        let list = "rw,dev,,suid,exec,atime,users,user=joe,nofail,_netdev,x-systemd.automount,defaults";
        assert_eq!(parse(Scope::Mount, &["-o", list]), Ok(Settings::default()));
        assert_eq!(
            parse(Scope::Games, &["-o", "ro"]),
            Err(OptionError::Unknown("ro".to_owned()))
        );
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (word, error) in [
            ("nonsense=1", OptionError::Unknown("nonsense".to_owned())),
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
