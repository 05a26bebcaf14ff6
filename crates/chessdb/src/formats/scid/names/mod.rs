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

/// What stands for a name that is not known.
pub(super) const UNKNOWN: &str = "?";

/// A kind of names, by its place in the file.
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
    /// There is no file.
    Missing,
    /// Versions 3 and 4.
    Coded(Coded),
    /// Version 5.
    Plain(Plain),
}

/// What is wrong with a file of names, and where. What precedes it is good.
struct Damage {
    at: usize,
    what: String,
}

impl Names {
    /// Reads where the names are. Version 5 has what the database says of itself among them.
    pub(super) fn open(
        file: Option<&SourceFile>,
        version: Version,
        texts: Texts,
        about: &mut About,
        warnings: &mut Vec<String>,
        problems: &mut Vec<Problem>,
    ) -> Names {
        let Some(file) = file else {
            let what = "there is no file of names: players, events, sites and rounds are unknown";
            warnings.push(what.to_owned());
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

    /// True for the number of a name that is there.
    #[inline]
    pub(super) fn has(&self, kind: Kind, number: u32) -> bool {
        match self {
            Names::Missing => false,
            Names::Coded(names) => names.has(kind, number),
            Names::Plain(names) => names.has(kind, number),
        }
    }

    /// True where all names are known that the file should have.
    pub(super) fn is_whole(&self) -> bool {
        match self {
            Names::Missing => false,
            Names::Coded(names) => names.is_whole,
            Names::Plain(names) => names.is_whole,
        }
    }

    /// Appends a name as it is stored, `?` for one that is unknown.
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

    /// How many names there are of each kind, for display.
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
