//! jose, the program of Peter Schäfer: MyISAM tables in a folder, or packed in a `.jose` archive.
//!
//! | file | contents |
//! |---|---|
//! | `Game` | headers of fixed size ([`games`]) |
//! | `MoreGame` | moves, comments, start positions and rare tags, in rows of any size ([`tokens`], [`codes`], [`decode`]) |
//! | `IO_Game` | both in one table, in archives and in folders that were unpacked from archives |
//! | `Player` `Event` `Site` `Opening` | names by number ([`names`]) |
//! | `Collection` | the program's folders ([`collections`]) |
//! | `.jose` | `IO_` tables in tar, mostly in gzip ([`archive`], [`tar`]) |
//!
//! A table is three files, `.frm`, `.MYI` and `.MYD` ([`myisam`]).
//! Section numbers in this module refer to `docs/formats/jose.md`.

mod archive;
mod codes;
mod collections;
mod columns;
mod dates;
mod decode;
mod find;
mod games;
mod header;
mod myisam;
mod names;
mod pieces;
mod set_up;
mod steps;
mod tar;
mod text;
mod tokens;
mod unplayed;
mod variations;

use std::ops::ControlFlow;

use self::collections::Collections;
use self::columns::{NAMED, OPENING};
use self::games::{Entry, Games, NameTables};
use self::names::Names;
use self::text::TextDecoder;
use crate::board::ByColor;
use crate::database::{
    Database, Decoded, Folder, Format, Info, Keys, NamedDatabase, NotADatabase, Options, TextId,
};
use crate::files::Files;
use crate::game::Tags;
use crate::problem::Problem;
use crate::replay::{Ply, main_line_or};

/// The format's row.
pub const FORMAT: Format = Format {
    name: "jose",
    title: "jose",
    find: find::find,
    by_content: None,
    small_files: None,
    readings: Vec::new,
    open: |files, options| Ok(NamedDatabase::only(Jose::open(files, options)?)),
};

/// An open jose database.
struct Jose {
    games: Games,
    names: NameTables,
    sites: Names,
    openings: Names,
    texts: TextDecoder,
    info: Info,
    problems: Vec<Problem>,
}

/// Ids alternate between players and events.
const KINDS_OF_NAMES: u32 = 2;

impl Jose {
    fn open(mut files: Files, options: &Options) -> Result<Jose, NotADatabase> {
        let mut warnings = std::mem::take(&mut files.warnings);
        let mut rows = Vec::new();
        let mut problems = files.holes();
        if let Some(archive) = files.get("jose") {
            let packed = archive.bytes.len();
            files = archive::unpack(archive)?;
            warnings.append(&mut files.warnings);
            let unpacked: usize = files.files.iter().map(|(_, file)| file.bytes.len()).sum();
            rows.push(("archive", format!("{packed} bytes, {unpacked} unpacked")));
        }
        let has = |kind| files.get(kind).is_some();
        if !has("io_game.myd") && !has("game.myd") && !has("moregame.myd") {
            return Err(NotADatabase::new("there is no table with games in it"));
        }
        let texts = match options.encoding.as_deref().map(TextDecoder::with_label) {
            Some(Some(texts)) => texts,
            Some(None) => {
                warnings.push("the encoding is not known, so it is ignored".to_owned());
                TextDecoder::default()
            }
            None => TextDecoder::default(),
        };
        let prefix = if has("io_game.myd") { "io_" } else { "" };
        let mut names = |table: &str, known| {
            let table = format!("{prefix}{table}");
            Names::open(&files, &table, &[known], texts, &mut warnings, &mut problems)
        };
        let (players, events) = (names("player", &NAMED), names("event", &NAMED));
        let (sites, openings) = (names("site", &NAMED), names("opening", &OPENING));
        let table = format!("{prefix}collection");
        let names = NameTables {
            players,
            events,
            collections: Collections::open(&files, &table, texts, &mut warnings, &mut problems),
        };
        let games = Games::open(
            &files,
            &names,
            options.fix_dates,
            texts,
            &mut warnings,
            &mut problems,
        );
        let tables = if games.is_archive {
            "IO_Game"
        } else {
            "Game and MoreGame"
        };
        rows.push(("tables", tables.to_owned()));
        rows.push(("texts", format!("UTF-8, else {}", texts.fallback())));
        rows.push(("dates", describe_dates(&games)));
        Ok(Jose {
            games,
            names,
            sites,
            openings,
            texts,
            info: Info { rows, warnings },
            problems,
        })
    }

    fn entry(&self, game: u32) -> Option<&Entry> {
        self.games.entries.get(game as usize)
    }
}

/// How dates are corrected (section 10.2), for display.
fn describe_dates(games: &Games) -> String {
    let table = if games.is_archive { "IO_Game" } else { "Game" };
    match games.shift {
        None => "as stored: fix-dates is off".to_owned(),
        Some(shift) => {
            let counts = format!(
                "of the partial dates in {table} {} are one day early and {} are not",
                shift.early, shift.in_place
            );
            match (shift.is_general(), shift.early) {
                (true, _) => format!("all full dates are corrected by one day: {counts}"),
                (false, 0) => "as stored".to_owned(),
                (false, _) => format!("only partial dates are corrected by one day: {counts}"),
            }
        }
    }
}

impl Database for Jose {
    fn len(&self) -> u32 {
        u32::try_from(self.games.entries.len()).unwrap_or(u32::MAX)
    }

    fn keys(&self, game: u32) -> Keys {
        let player = |place: u32| TextId(place.saturating_mul(KINDS_OF_NAMES));
        let entry = self.entry(game).copied().unwrap_or(Entry::EMPTY);
        Keys {
            white: player(entry.white),
            black: player(entry.black),
            event: TextId(entry.event.saturating_mul(KINDS_OF_NAMES).saturating_add(1)),
            date: entry.date,
            event_year: entry.event_year,
            eco: entry.eco,
            outcome: entry.outcome,
            deleted: entry.is_deleted,
        }
    }

    fn text(&self, id: TextId) -> String {
        let names = match id.0 % KINDS_OF_NAMES {
            0 => &self.names.players,
            _ => &self.names.events,
        };
        names.text(id.0 / KINDS_OF_NAMES).to_owned()
    }

    fn tags(&self, game: u32) -> Tags {
        self.entry(game)
            .map(|entry| self.tags_of(entry))
            .unwrap_or_default()
    }

    fn ratings(&self, game: u32) -> ByColor<Option<u16>> {
        self.entry(game)
            .map_or_else(ByColor::default, |entry| self.ratings_of_entry(entry))
    }

    fn game(&self, game: u32) -> Decoded {
        self.entry(game)
            .map(|entry| self.decode(entry))
            .unwrap_or_default()
    }

    fn main_line(&self, game: u32, each: &mut dyn FnMut(&Ply<'_>) -> ControlFlow<()>) {
        let entry = self.entry(game);
        main_line_or(
            each,
            |sink| {
                entry
                    .and_then(|entry| self.replay_main_line(entry, sink))
                    .is_some()
            },
            || self.game(game).game,
        );
    }

    fn info(&self) -> Info {
        self.info.clone()
    }

    fn problems(&self) -> &[Problem] {
        &self.problems
    }

    fn folders(&self) -> Vec<Folder> {
        self.names.collections.folders(&self.games.shelves())
    }
}
