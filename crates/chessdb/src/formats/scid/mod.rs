//! Scid (since 1999): databases of versions 3, 4 and 5.
//!
//! | file | contents |
//! |---|---|
//! | `.si3` `.si4` `.si5` | index: in versions 3 and 4 a header, then one entry a game ([`index`], [`about`]) |
//! | `.sn3` `.sn4` `.sn5` | names of players, events, sites and rounds by number ([`names`]) |
//! | `.sg3` `.sg4` `.sg5` | games without marks between them; the index says where each is ([`record`]) |
//!
//! A game is the same in all versions:
//!
//! | part | read by |
//! |---|---|
//! | further tags, up to a zero | [`record`], [`tags`] |
//! | a byte of flags, and the FEN if there is one | [`record`], [`setup`] |
//! | moves, glyphs, variations and marks of comments, up to `0F` | [`moves`], [`pieces`], [`decode`] |
//! | the texts of the comments, each up to a zero | [`decode`] |
//!
//! Integers are big endian in versions 3 and 4 and little endian in version 5. Section numbers in this module refer to
//! `docs/formats/scid.md`.

mod about;
mod decode;
mod fields;
mod index;
mod moves;
mod names;
mod pieces;
mod record;
mod setup;
mod tags;
mod texts;
mod unplayed;

use std::ops::ControlFlow;

use self::about::About;
use self::decode::Stored;
use self::index::{Entry, Index, Version};
use self::names::{Kind, Names};
use self::record::Record;
use self::texts::Texts;
use crate::board::{ByColor, Position};
use crate::bytes;
use crate::database::{
    AsFiles, Database, Decoded, Format, Info, Keys, NamedDatabase, NotADatabase, Options, TextId,
};
use crate::files::{Candidate, Files, MOST_ENTRIES, SourceFile, SourceFolder, by_stem};
use crate::game::{Game, Tags};
use crate::problem::Problem;
use crate::replay::{Fault, Limits, MainLine, Origin, PlaceForm, Ply, Replay, Sink, Tree};

/// The format's row.
pub const FORMAT: Format = Format {
    name: "scid",
    title: "Scid",
    find,
    by_content: None,
    small_files: None,
    readings: Vec::new,
    open: |files, options| Ok(NamedDatabase::only(Scid::open(files, options)?)),
};

/// Extensions of index, names and games for each version, with the dot that remarks show.
static EXTENSIONS: [[&str; 3]; 3] = [
    [".si3", ".sn3", ".sg3"],
    [".si4", ".sn4", ".sg4"],
    [".si5", ".sn5", ".sg5"],
];

/// An extension without its dot, for finding files.
fn kind(extension: &str) -> &str {
    extension.trim_start_matches('.')
}

/// The form of places in remarks: in hexadecimal, with the extension of the file.
fn place_in<'a>(file: &'a SourceFile, extension: &'static str) -> Origin<'a> {
    Origin {
        file: &file.name,
        place: PlaceForm::Hexadecimal(extension),
    }
}

fn find(directory: &SourceFolder) -> Vec<Candidate> {
    let of_version = |extensions: &[&'static str; 3]| {
        let [index, names, games] = extensions.map(kind);
        by_stem(directory, &[index], &[names, games])
    };
    let mut candidates: Vec<Candidate> = EXTENSIONS.iter().flat_map(of_version).collect();
    candidates.sort_by(|a, b| a.name.cmp(&b.name));
    candidates
}

/// The id of a name that is missing.
const UNKNOWN: TextId = TextId(u32::MAX);

/// An open Scid database.
struct Scid {
    extensions: &'static [&'static str; 3],
    index: Index,
    games: Option<SourceFile>,
    names: Names,
    texts: Texts,
    info: Info,
    problems: Vec<Problem>,
}

impl Scid {
    fn open(files: Files, options: &Options) -> Result<Scid, NotADatabase> {
        let found = EXTENSIONS.iter().find_map(|extensions| {
            let [index, names, games] = extensions.map(|extension| files.get(kind(extension)));
            Some((extensions, index?, names, games))
        });
        let (extensions, index, names, games) =
            found.ok_or_else(|| NotADatabase::new("there is no index"))?;
        let mut warnings = files.warnings.clone();
        let mut problems = files.holes();
        let is_five = extensions.contains(&".si5");
        let index = Index::open(index, is_five, games, &mut warnings, &mut problems)?;
        if index.len() > 0 {
            let [_, names, games] = extensions.map(kind);
            let companions = [
                (names, "players, events, sites and rounds are unknown"),
                (games, "games have no moves"),
            ];
            problems.extend(files.lost(&index.file, companions));
        }
        let texts = Texts::choose(options.encoding.as_deref(), &mut warnings);
        let mut about = match index.version {
            Version::Five => About::default(),
            _ => About::of_header(index.header(), texts),
        };
        let names = Names::open(
            names,
            index.version,
            texts,
            &mut about,
            &mut warnings,
            &mut problems,
        );
        if let Some(games) = games {
            // Scid appends games, so if the last one is whole, the file was not cut. Testing all of them would read the
            // whole index.
            let end_of = |game| {
                let Entry { offset, len, .. } = index.entry(game);
                offset.saturating_add(len.into())
            };
            let end = games.bytes.len() as u64;
            let last = index.len().checked_sub(1).map_or(0, end_of);
            if last > end {
                let what = "the file ends before the last game of the index does";
                problems.push(Problem::damage(&games.name, end, what));
            }
            // The index of version 5 does not say how many entries it has, but the last game of the file has one. Where
            // games were replaced, it may have any entry.
            if index.version == Version::Five && last < end && index.len() <= MOST_ENTRIES {
                let listed = index.file.numbers(index.len()).map(end_of).max().unwrap_or(0);
                if listed < end {
                    let what = format!(
                        "entries are missing at the end: {} bytes of {} are in no game",
                        end - listed,
                        games.name
                    );
                    problems.push(Problem::damage(
                        &index.file.name,
                        index.file.bytes.len() as u64,
                        what,
                    ));
                }
            }
        }
        let mut rows = vec![
            ("version", index.version.number().to_string()),
            ("characters", texts.0.describe("text")),
            ("names", names.describe()),
        ];
        rows.extend(about.rows());
        Ok(Scid {
            extensions,
            index,
            games: games.cloned(),
            names,
            texts,
            info: Info { rows, warnings },
            problems,
        })
    }

    /// The bytes of a game; an error if the place in the index has no bytes.
    fn record(&self, entry: &Entry) -> Result<Record<'_>, &'static str> {
        let games = self.games.as_ref().ok_or("there is no file of games")?;
        let rest = games.bytes.get(bytes::index(entry.offset)..).unwrap_or_default();
        let len = entry.len as usize;
        if rest.is_empty() {
            return Err("the index leads out of the file of games");
        }
        if len == 0 {
            return Err("the index gives the game no bytes");
        }
        Ok(Record {
            bytes: rest.get(..len).unwrap_or(rest),
            start: entry.offset,
            is_cut: len > rest.len(),
        })
    }

    /// A game with its tags. If its bytes are missing, it has only the tags from the index.
    fn read(&self, entry: &Entry) -> (Tags, Result<Stored<'_>, &'static str>) {
        let mut tags = self.tags_before(entry);
        let stored = self.record(entry).map(|record| {
            let parts = record.read(|tag| self.add_tag(&mut tags, tag));
            Stored::new(record, parts, entry, self.texts)
        });
        let set_up = stored.as_ref().ok().and_then(|stored| stored.set_up.as_ref());
        self.add_tags_after(&mut tags, entry, set_up);
        (tags, stored)
    }

    /// The place in remarks about a game without bytes: where it should be in the file of games or, without that file or
    /// such a place, the game's entry in the index.
    fn nowhere(&self, entry: &Entry) -> (Origin<'_>, u64) {
        let [index, _, _] = self.extensions;
        match self.games {
            Some(_) if entry.len > 0 => (self.origin(), entry.offset),
            _ => (place_in(&self.index.file, index), entry.at),
        }
    }

    fn origin(&self) -> Origin<'_> {
        let [_, _, games] = self.extensions;
        place_in(self.games.as_ref().unwrap_or(&self.index.file), games)
    }

    /// Replays the moves of a game into a sink. If its bytes are missing, there is only a remark.
    fn replay<S: Sink>(
        &self,
        entry: &Entry,
        stored: &Result<Stored<'_>, &'static str>,
        sink: impl FnOnce(&Position, u32, usize) -> S,
    ) -> (S::Output, Vec<Problem>) {
        match stored {
            Ok(stored) => stored.replay(self.origin(), sink),
            Err(what) => {
                let (origin, offset) = self.nowhere(entry);
                let start = Position::initial();
                let mut replay = Replay::new(sink(&start, 1, 1), start, (), Limits::NONE, origin);
                replay.fault(offset, &Fault::damage(*what));
                replay.finish()
            }
        }
    }

    /// A problem for each missing name that an entry refers to. If the file of names is damaged or missing, the list
    /// is empty, because that problem was reported once for the database.
    fn missing_names(&self, entry: &Entry) -> Vec<Problem> {
        let Some(file) = self.names.whole_file() else {
            return Vec::new();
        };
        let names = [
            (Kind::Player, entry.white, "White"),
            (Kind::Player, entry.black, "Black"),
            (Kind::Event, entry.event, "the event"),
            (Kind::Site, entry.site, "the site"),
            (Kind::Round, entry.round, "the round"),
        ];
        let missing = names
            .into_iter()
            .filter(|&(kind, number, _)| !self.names.has(kind, number));
        let row = |(_, number, what): (Kind, u32, &str)| {
            let what = format!("{what} is number {number} of {file}, which has no such name");
            Problem::damage(&self.index.file.name, entry.at, what)
        };
        missing.map(row).collect()
    }

    fn id(&self, kind: Kind, number: u32) -> TextId {
        if self.names.has(kind, number) {
            TextId(number << 1 | u32::from(kind == Kind::Event))
        } else {
            UNKNOWN
        }
    }
}

impl Database for Scid {
    fn len(&self) -> u32 {
        self.index.len()
    }

    fn keys(&self, game: u32) -> Keys {
        let entry = self.index.entry(game);
        Keys {
            white: self.id(Kind::Player, entry.white),
            black: self.id(Kind::Player, entry.black),
            event: self.id(Kind::Event, entry.event),
            date: entry.date,
            event_year: entry.event_date.year,
            eco: entry.opening().and_then(|opening| opening.plain()),
            outcome: entry.outcome,
            deleted: entry.flags.is_deleted(),
        }
    }

    fn text(&self, id: TextId) -> String {
        let mut text = String::new();
        let kind = match id.0 & 1 {
            0 => Kind::Player,
            _ => Kind::Event,
        };
        if id != UNKNOWN {
            self.names.append(kind, id.0 >> 1, self.texts, &mut text);
        }
        if text.is_empty() {
            names::UNKNOWN.to_owned()
        } else {
            text
        }
    }

    fn tags(&self, game: u32) -> Tags {
        self.read(&self.index.entry(game)).0
    }

    fn ratings(&self, game: u32) -> ByColor<Option<u16>> {
        self.ratings_of(&self.index.entry(game))
    }

    fn game(&self, game: u32) -> Decoded {
        let entry = self.index.entry(game);
        let (tags, stored) = self.read(&entry);
        let (movetext, mut problems) = self.replay(&entry, &stored, Tree::beginning);
        problems.extend(self.missing_names(&entry));
        Decoded {
            game: Game { tags, movetext },
            problems,
        }
    }

    fn main_line(&self, game: u32, each: &mut dyn FnMut(&Ply<'_>) -> ControlFlow<()>) {
        let entry = self.index.entry(game);
        let Ok(record) = self.record(&entry) else {
            return;
        };
        let parts = record.parts();
        let stored = Stored::new(record, parts, &entry, self.texts);
        stored.replay(self.origin(), |_, _, _| MainLine(each));
    }

    fn info(&self) -> Info {
        self.info.clone()
    }

    fn problems(&self) -> &[Problem] {
        &self.problems
    }

    fn as_files(&self) -> &dyn AsFiles {
        self
    }
}

impl AsFiles for Scid {
    fn record_len(&self, game: u32) -> Option<u64> {
        Some(self.index.entry(game).len.into())
    }
}
