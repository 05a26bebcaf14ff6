//! SimpleCDb, the open format of pgn2dcg and Jerry (2016-2018).
//!
//! | file | contents |
//! |---|---|
//! | `.dci` | index: magic `SimpleCDbi`, version, OpenDefault u64, then one entry a game (`index`) |
//! | `.dcg` | magic `SimpleCDbg`, then records `length \| marker \| [FEN] \| body` (`record`, `body`) |
//! | `.dcn` `.dcs` `.dce` | players, sites, events: magic, then texts of 36 bytes (`strings`) |
//!
//! All integers are big endian, except reversed record lengths of one writer (`length`). Section numbers in this module
//! refer to `docs/formats/simplecdb.md`.

mod body;
mod decode;
mod index;
mod length;
mod promotion;
mod record;
mod strings;

use std::ops::ControlFlow;

use self::index::{Entry, Index};
use self::promotion::Promotions;
use self::record::Records;
use self::strings::{EVENTS, PLAYERS, SITES, Strings};
use crate::board::ByColor;
use crate::database::{
    Database, Decoded, Format, Info, Keys, NamedDatabase, NotADatabase, Options, TextId, ratings_of_numbers,
};
use crate::files::{Files, SourceFile, by_stem};
use crate::game::Tags;
use crate::problem::Problem;
use crate::replay::{Ply, main_line_or};

/// The format's row.
pub const FORMAT: Format = Format {
    name: "simplecdb",
    title: "SimpleCDb",
    find: |directory| by_stem(directory, &["dci", "dcg"], &["dcn", "dcs", "dce"]),
    by_content: None,
    small_files: None,
    readings: || Promotions::ALL.map(|reading| reading.name().to_owned()).to_vec(),
    open: |files, options| Ok(NamedDatabase::only(SimpleCdb::open(files, options)?)),
};

/// The files of texts, and what is lost without each.
const LOST: [(&str, &str); 3] = [
    (PLAYERS.extension, "players are unknown"),
    (SITES.extension, "sites are unknown"),
    (EVENTS.extension, "events are unknown"),
];

/// An open SimpleCDb database.
struct SimpleCdb {
    index: Index,
    records: Records,
    players: Strings,
    sites: Strings,
    events: Strings,
    promotions: Promotions,
    info: Info,
    problems: Vec<Problem>,
}

impl SimpleCdb {
    fn open(files: Files, options: &Options) -> Result<SimpleCdb, NotADatabase> {
        let dci = files.get("dci");
        let dcg = files.get("dcg");
        let has_magic =
            |file: Option<&SourceFile>, magic: &[u8]| file.is_some_and(|file| file.bytes.starts_with(magic));
        if !has_magic(dci, index::MAGIC) && !has_magic(dcg, record::MAGIC) {
            return Err(NotADatabase::new(
                "neither the .dci nor the .dcg begins as SimpleCDb files do",
            ));
        }
        let mut warnings = files.warnings.clone();
        let mut problems = files.holes();
        if let Some(dcg) = dcg
            && !dcg.bytes.starts_with(record::MAGIC)
        {
            warnings.push(format!("{} does not begin with SimpleCDbg", dcg.name));
        }
        let name = |kind| {
            let main = dci.or(dcg);
            main.map_or_else(String::new, |main| files.name_beside(main, kind))
        };
        let names = record::FileNames {
            dci: name("dci"),
            dcg: name("dcg"),
        };
        let (index, records) = record::open(dci, dcg, &names, &mut warnings, &mut problems);
        if let (Some(dci), Index::File { layout, rows, .. }) = (dci, &index)
            && rows.len() > 0
        {
            let is_read = |(kind, _): &(&str, &str)| *kind != EVENTS.extension || layout.has_event();
            problems.extend(files.lost(dci, LOST.into_iter().filter(is_read)));
        }
        let strings = |kind: &strings::Kind, warnings: &mut Vec<String>| {
            Strings::open(files.get(kind.extension), kind, warnings)
        };
        let mut database = SimpleCdb {
            players: strings(&PLAYERS, &mut warnings),
            sites: strings(&SITES, &mut warnings),
            events: strings(&EVENTS, &mut warnings),
            index,
            records,
            promotions: Promotions::Reference,
            info: Info::default(),
            problems,
        };
        let forced = options.reading.as_deref().and_then(Promotions::named);
        database.promotions = forced.unwrap_or_else(|| promotion::choose(&database));
        let rows = vec![
            ("index", database.index.describe()),
            ("record lengths", database.records.describe()),
            ("promotion codes", database.promotions.describe().to_owned()),
        ];
        database.info = Info { rows, warnings };
        Ok(database)
    }

    fn entry(&self, game: u32) -> Entry {
        self.index.entry(game)
    }
}

impl Database for SimpleCdb {
    fn len(&self) -> u32 {
        self.index.len()
    }

    fn keys(&self, game: u32) -> Keys {
        let entry = self.entry(game);
        Keys {
            white: self.players.id(entry.white),
            black: self.players.id(entry.black),
            event: self.events.id(entry.event),
            date: entry.date,
            event_year: 0,
            eco: entry.eco,
            outcome: entry.outcome,
            deleted: entry.is_deleted(),
        }
    }

    fn text(&self, id: TextId) -> String {
        [&self.players, &self.events, &self.sites]
            .into_iter()
            .find_map(|strings| strings.of_id(id))
            .unwrap_or_else(|| strings::UNKNOWN.to_owned())
    }

    fn tags(&self, game: u32) -> Tags {
        let entry = self.entry(game);
        let mut tags = self.header(&entry);
        decode::set_start(&mut tags, self, &entry);
        tags
    }

    fn site(&self, game: u32) -> Option<TextId> {
        Some(self.sites.id(self.entry(game).site))
    }

    fn ratings(&self, game: u32) -> ByColor<Option<u16>> {
        let entry = self.entry(game);
        ratings_of_numbers([entry.white_elo, entry.black_elo])
    }

    fn game(&self, game: u32) -> Decoded {
        decode::game(self, game)
    }

    fn main_line(&self, game: u32, each: &mut dyn FnMut(&Ply<'_>) -> ControlFlow<()>) {
        main_line_or(
            each,
            |sink| decode::main_line(self, game, sink),
            || self.game(game).game,
        );
    }

    fn info(&self) -> Info {
        self.info.clone()
    }

    fn problems(&self) -> &[Problem] {
        &self.problems
    }
}

impl SimpleCdb {
    /// A problem for each text of an entry that is lost.
    fn lost_texts(&self, entry: &Entry) -> Vec<Problem> {
        let texts = [
            (&self.players, entry.white, "White"),
            (&self.players, entry.black, "Black"),
            (&self.sites, entry.site, "the site"),
            (&self.events, entry.event, "the event"),
        ];
        let lost = |(strings, reference, what): (&Strings, u32, &str)| strings.lost(reference, what);
        texts.into_iter().filter_map(lost).collect()
    }

    /// The tags from the index (section 8.1).
    fn header(&self, entry: &Entry) -> Tags {
        let mut tags = Tags::new(entry.outcome);
        tags.set_with("Event", |value| self.events.append(entry.event, value));
        tags.set_with("Site", |value| self.sites.append(entry.site, value));
        tags.set_date("Date", entry.date);
        if entry.round != 0 {
            tags.set_number("Round", entry.round.into());
        }
        tags.set_with("White", |value| self.players.append(entry.white, value));
        tags.set_with("Black", |value| self.players.append(entry.black, value));
        for (name, elo) in [("WhiteElo", entry.white_elo), ("BlackElo", entry.black_elo)] {
            if elo != 0 {
                tags.set_number(name, elo.into());
            }
        }
        if let Some(eco) = &entry.eco {
            tags.set_str("ECO", eco.as_str());
        }
        if entry.is_deleted() {
            tags.set_str("Deleted", "1");
        }
        tags
    }
}
