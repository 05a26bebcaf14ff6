//! Players, events, sites and rounds by number.

mod coded;
mod plain;

use self::coded::Coded;
use self::plain::Plain;
use super::about::About;
use super::index::Version;
use super::texts::Texts;
use crate::files::SourceFile;
use crate::problem::Problem;

/// The text for an unknown name.
pub(super) const UNKNOWN: &str = "?";

/// The kinds of names, in the order of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Player,
    Event,
    Site,
    Round,
}

/// Number of kinds.
const KINDS: usize = 4;

/// The names of a database.
pub(super) enum Names {
    /// The file is missing.
    Missing,
    /// Versions 3 and 4.
    Coded(Coded),
    /// Version 5.
    Plain(Plain),
}

/// Damage in a file of names. The names in front of it are good.
struct Damage {
    at: usize,
    what: String,
}

impl Names {
    /// Finds the names in the file. In version 5 the file also has the description of the database, which goes into
    /// `about`.
    pub(super) fn open(
        file: Option<&SourceFile>,
        version: Version,
        texts: Texts,
        about: &mut About,
        warnings: &mut Vec<String>,
        problems: &mut Vec<Problem>,
    ) -> Names {
        let Some(file) = file.filter(|file| !file.bytes.is_empty()) else {
            return Names::Missing;
        };
        let (names, damage) = match version {
            Version::Five => {
                let (names, damage) = Plain::open(file, |record| about.set(record, texts));
                (Names::Plain(names), damage)
            }
            _ => {
                let (names, damage) = Coded::open(file, warnings);
                (Names::Coded(names), damage)
            }
        };
        if let Some(Damage { at, what }) = damage {
            let what = format!("{what}: names after it are unknown");
            problems.push(Problem::damage(&file.name, at as u64, what));
        }
        names
    }

    /// True if there is a name with this number.
    #[inline]
    pub(super) fn has(&self, kind: Kind, number: u32) -> bool {
        match self {
            Names::Missing => false,
            Names::Coded(names) => names.has(kind, number),
            Names::Plain(names) => names.has(kind, number),
        }
    }

    /// The name of the file, if it has all names that it should have.
    pub(super) fn whole_file(&self) -> Option<&str> {
        let (file, is_whole) = match self {
            Names::Missing => return None,
            Names::Coded(names) => (&names.file, names.is_whole),
            Names::Plain(names) => (&names.file, names.is_whole),
        };
        is_whole.then_some(&*file.name)
    }

    /// Appends the stored name, or `?` if it is unknown.
    pub(super) fn append(&self, kind: Kind, number: u32, texts: Texts, out: &mut String) {
        let is_known = match self {
            Names::Missing => false,
            Names::Coded(names) => names.append(kind, number, texts, out),
            Names::Plain(names) => names.append(kind, number, texts, out),
        };
        if !is_known {
            out.push_str(UNKNOWN);
        }
    }

    /// The number of names of each kind, for display.
    pub(super) fn describe(&self) -> String {
        let count = |kind| match self {
            Names::Missing => 0,
            Names::Coded(names) => names.count(kind),
            Names::Plain(names) => names.count(kind),
        };
        let [players, events, sites, rounds] =
            [Kind::Player, Kind::Event, Kind::Site, Kind::Round].map(count);
        format!("{players} players, {events} events, {sites} sites, {rounds} rounds")
    }
}
