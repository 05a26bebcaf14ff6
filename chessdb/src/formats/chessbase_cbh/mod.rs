//! ChessBase since 1997: databases in `.cbh` and its companions, and archives in `.cbv`.
//!
//! | file | holds |
//! |---|---|
//! | `.cbh` | a record of 46 bytes for each game and guiding text ([`header`], [`doubts`]) |
//! | `.cbg` | moves ([`record`], [`setup`], [`codes`], [`pieces`], [`decode`]) and texts ([`texts`]) |
//! | `.cba` | annotations ([`annotations`], [`items`], [`quotation`]) |
//! | `.cbp` `.cbt` `.cbc` `.cbs` `.cbe` | players, tournaments, annotators, sources, teams ([`entities`]) |
//! | `.cbj` | what newer versions know of each game ([`extended`]) |
//! | `.cbv` `.cbz` | all these, packed ([`archive`], [`unpack`]), and encrypted ([`des`]) |
//!
//! Files of records say how many they have ([`records`]).
//! What games and annotations say is in [`chessbase_common`](super::chessbase_common).
//! The records of `.cbh`, `.cbg`, `.cba` and `.cbj` are big endian, all others little endian.
//! Section numbers in this module are those of `docs/formats/chessbase-cbh.md`.

mod annotations;
mod archive;
mod codes;
mod decode;
mod des;
mod doubts;
mod entities;
mod extended;
mod find;
mod game;
mod header;
mod items;
mod pieces;
mod quotation;
mod record;
mod setup;
mod several;
mod tables;
mod tags;
mod texts;
mod unpack;

use std::io;
use std::ops::ControlFlow;
use std::sync::OnceLock;

use self::annotations::Items;
use self::entities::{Entities, Entity};
use self::extended::Extended;
use self::header::Header;
use self::texts::{Text, Texts};
use super::chessbase_common::archive::InArchive;
use super::chessbase_common::{Characters, Numbering, records, values};
use super::{
    Database, Decoded, Files, Format, Info, Keys, Member, NotADatabase, Options, Problem, SourceFile, TextId,
};
use crate::bytes::{be_u16, be_u32, index};
use crate::game::{Game, Tags};
use crate::replay::{MainLine, Ply, Tree};

/// The format's row.
pub const FORMAT: Format = Format {
    name: "chessbase-cbh",
    title: "ChessBase (CBH)",
    find: find::find,
    by_content: None,
    small_files: None,
    readings: Vec::new,
    open: several::open,
};

/// Players and events have ids in turn.
const KINDS_OF_NAMES: u32 = 2;
/// The directory of guiding texts.
const TEXTS: &str = "texts";
/// Players, tournaments and comments whose characters are looked at for a guess at their encoding, of each.
const SAMPLE: u32 = 500;

/// An open database.
struct ChessBaseCbh {
    cbh: SourceFile,
    cbg: Option<SourceFile>,
    cba: Option<SourceFile>,
    /// Names for faults of files, also of those that are missing.
    names: Names,
    numbering: Numbering,
    players: Entities,
    tournaments: Entities,
    annotators: Entities,
    sources: Entities,
    teams: Entities,
    extended: Extended,
    characters: Characters,
    texts: OnceLock<Texts>,
    info: Info,
    /// Problems of the files.
    problems: Vec<Problem>,
    /// The same and those of the guiding texts, which are known when the games are counted.
    all_problems: OnceLock<Vec<Problem>>,
}

/// Names of files with which games may have faults.
struct Names {
    cbg: String,
    cba: String,
}

/// A game's place in the database.
struct Place {
    /// Number of its record, from 0.
    record: usize,
    header: Header,
}

impl ChessBaseCbh {
    fn open(mut files: Files, options: &Options) -> Result<ChessBaseCbh, NotADatabase> {
        let mut rows = Vec::new();
        let mut problems = files.holes();
        let mut warnings = std::mem::take(&mut files.warnings);
        let Some(cbh) = files.get("cbh") else {
            let unread = find::unread_kinds().find(|kind| files.get(kind).is_some());
            let reason = unread.and_then(find::reason);
            return Err(NotADatabase(
                reason.unwrap_or_else(|| "there is no .cbh".to_owned()),
            ));
        };
        let is_old = check_header(cbh, &mut problems)?;
        rows.push(("version", describe_version(is_old).to_owned()));
        let characters = Characters::choose(options.encoding.as_deref(), &mut warnings);
        let mut open = |kind: entities::Kind| Entities::open(files.get(kind.extension), kind, &mut problems);
        let name = |extension| match files.get(extension) {
            Some(file) => file.name.clone(),
            None => records::sibling(&cbh.name, extension),
        };
        let database = ChessBaseCbh {
            numbering: Numbering::new(cbh, header::RECORD, Header::kind_at),
            names: Names {
                cbg: name("cbg"),
                cba: name("cba"),
            },
            players: open(entities::PLAYERS),
            tournaments: open(entities::TOURNAMENTS),
            annotators: open(entities::ANNOTATORS),
            sources: open(entities::SOURCES),
            teams: open(entities::TEAMS),
            extended: Extended::open(files.get("cbj"), &mut problems),
            cbh: cbh.clone(),
            cbg: files.get("cbg").cloned(),
            cba: files.get("cba").cloned(),
            characters,
            texts: OnceLock::new(),
            info: Info::default(),
            problems,
            all_problems: OnceLock::new(),
        };
        for (extension, what) in MISSED {
            let is_new = matches!(extension, "cbe" | "cbj");
            if files.get(extension).is_none() && !(is_old && is_new) {
                warnings.push(format!("{} is missing: {what}", name(extension)));
            }
        }
        let database = ChessBaseCbh {
            info: Info { rows, warnings },
            ..database
        };
        // Of a short file the texts are read now, so that nothing has to wait for them.
        database.problems();
        Ok(database)
    }

    fn place(&self, game: u32) -> Option<Place> {
        let record = self.numbering.place(&self.cbh, game)?;
        let header = Header::at(&self.cbh.bytes, record)?;
        Some(Place { record, header })
    }

    fn entity<'a>(&self, entities: &'a Entities, id: u32) -> Option<Entity<'a>> {
        entities.get(id, self.characters)
    }

    /// All guiding texts.
    fn texts(&self) -> &Texts {
        self.texts.get_or_init(|| {
            let places = self.numbering.texts(&self.cbh);
            let Some(cbg) = &self.cbg else {
                return Texts::missing(places.count(), &self.names.cbg);
            };
            let places = places.filter_map(|place| {
                let header = Header::at(&self.cbh.bytes, place)?;
                Some((place + 1, header.moves_at()))
            });
            Texts::read(cbg, places)
        })
    }
}

impl InArchive for ChessBaseCbh {
    fn of_files(files: Files, options: &Options) -> Result<ChessBaseCbh, NotADatabase> {
        ChessBaseCbh::open(files, options)
    }

    fn add(&mut self, row: Option<(&'static str, String)>, problems: Vec<Problem>) {
        self.info.rows.splice(..0, row);
        self.problems.splice(..0, problems);
        self.all_problems = OnceLock::new();
    }
}

impl ChessBaseCbh {
    /// What to say where most of the first texts look as if they were in Cyrillic letters.
    fn doubt_of_encoding(&self) -> Option<String> {
        let names = [&self.players, &self.tournaments];
        let names = names.into_iter().flat_map(|entities| entities.sample(SAMPLE));
        let places = (0..SAMPLE).map_while(|game| self.place(game));
        let comments = places.filter_map(|place| {
            let (cba, at) = self.annotations_of(&place)?;
            let mut items = Items::at(&cba.bytes, at)?.take(SAMPLE as usize);
            items.find_map(|item| items::text_of(&item))
        });
        self.characters.doubt(names.chain(comments))
    }
}

/// Files that are missed where they are not there, with what they hold.
const MISSED: [(&str, &str); 8] = [
    ("cbg", "games have no moves"),
    ("cba", "games have no annotations"),
    ("cbp", "players are unknown"),
    ("cbt", "events are unknown"),
    ("cbc", "annotators are unknown"),
    ("cbs", "sources are unknown"),
    ("cbe", "teams are unknown"),
    ("cbj", "teams are unknown"),
];

fn describe_version(is_old: bool) -> &'static str {
    match is_old {
        true => "ChessBase 6 to 8",
        false => "ChessBase 9 or later",
    }
}

/// Looks at the header of the `.cbh`; true for that of an old version (section 3.1).
fn check_header(cbh: &SourceFile, problems: &mut Vec<Problem>) -> Result<bool, NotADatabase> {
    let bytes: &[u8] = &cbh.bytes;
    if bytes.len() < header::RECORD {
        return Err(NotADatabase(format!(
            "the .cbh has {} of the {} bytes of its header: get a whole copy",
            bytes.len(),
            header::RECORD
        )));
    }
    let version = be_u16(bytes, 1).filter(|version| matches!(version, 0x24 | 0x2c));
    let has_size = be_u16(bytes, 3).map(usize::from) == Some(header::RECORD);
    if version.is_none() && !has_size {
        return Err(NotADatabase(
            "the .cbh does not begin as those of ChessBase do".to_owned(),
        ));
    }
    if version.is_none() || !has_size {
        problems.push(records::no_header(cbh));
    }
    let count = be_u32(bytes, 6).and_then(|next| index(next.into()).checked_sub(1));
    let damage = count.and_then(|count| records::wrong_number(cbh, header::RECORD, header::RECORD, count));
    let rest = bytes.len() % header::RECORD;
    if rest != 0 && damage.is_none() {
        let at = (bytes.len() - rest) as u64;
        problems.push(Problem::damage(&cbh.name, at, "the file ends inside a record"));
    }
    problems.extend(damage);
    Ok(version == Some(0x24))
}

impl Database for ChessBaseCbh {
    fn len(&self) -> u32 {
        self.numbering.games(&self.cbh)
    }

    fn uncounted(&self) -> Option<u32> {
        self.numbering.uncounted()
    }

    fn keys(&self, game: u32) -> Keys {
        let place = self.numbering.place(&self.cbh, game);
        let Some(header) = place.and_then(|place| Header::at(&self.cbh.bytes, place)) else {
            return Keys::UNKNOWN;
        };
        let player = |id: u32| TextId(id * KINDS_OF_NAMES);
        let tournament = self.entity(&self.tournaments, header.tournament());
        Keys {
            white: player(header.white()),
            black: player(header.black()),
            event: TextId(header.tournament() * KINDS_OF_NAMES + 1),
            date: header.date(),
            event_year: tournament.map_or(0, |tournament| values::date(tournament.u32(70)).year),
            eco: header.eco().map(|(eco, _)| eco),
            outcome: header.outcome(),
            deleted: header.is_deleted(),
        }
    }

    fn text(&self, id: TextId) -> String {
        let number = id.0 / KINDS_OF_NAMES;
        let mut text = String::new();
        if id.0.is_multiple_of(KINDS_OF_NAMES) {
            if let Some(player) = self.entity(&self.players, number) {
                entities::append_player(&player, &mut text);
            }
        } else if let Some(tournament) = self.entity(&self.tournaments, number) {
            entities::append_title(&tournament, &mut text);
        }
        match text.is_empty() {
            true => "?".to_owned(),
            false => text,
        }
    }

    fn tags(&self, game: u32) -> Tags {
        let Some(place) = self.place(game) else {
            return Tags::default();
        };
        let record = self.record(&place);
        let start = record.as_ref().map(|record| self.start(record));
        self.all_tags(&place, record.as_ref(), start.as_ref())
    }

    fn game(&self, game: u32) -> Decoded {
        let Some(place) = self.place(game) else {
            return Decoded::default();
        };
        let record = self.record(&place);
        let start = record.as_ref().map(|record| self.start(record));
        let tags = self.all_tags(&place, record.as_ref(), start.as_ref());
        let (movetext, mut problems) = self.replay(&place, record.as_ref(), start.as_ref(), Tree::beginning);
        let doubts = self.doubts(&place, &tags, &problems);
        problems.extend(doubts);
        Decoded {
            game: Game { tags, movetext },
            problems,
        }
    }

    fn main_line(&self, game: u32, each: &mut dyn FnMut(&Ply<'_>) -> ControlFlow<()>) {
        let Some(place) = self.place(game) else { return };
        let record = self.record(&place);
        let start = record.as_ref().map(|record| self.start(record));
        self.replay(&place, record.as_ref(), start.as_ref(), |_, _, _| MainLine(each));
    }

    fn info(&self) -> Info {
        let mut info = self.info.clone();
        info.rows.push(("texts", self.characters.describe()));
        let texts = self.numbering.texts(&self.cbh).count();
        if texts > 0 {
            info.rows.push(("guiding texts", texts.to_string()));
        }
        info.warnings.extend(self.doubt_of_encoding());
        info
    }

    fn problems(&self) -> &[Problem] {
        match self.numbering.uncounted() {
            Some(_) => &self.problems,
            None => self.all_problems.get_or_init(|| {
                let of_texts = self.texts().problems.iter();
                let is_intact = self.cbg.as_ref().is_none_or(|cbg| cbg.bytes.is_intact());
                let of_texts = of_texts.filter(|_| is_intact);
                self.problems.iter().chain(of_texts).cloned().collect()
            }),
        }
    }

    fn member_directory(&self) -> Option<&'static str> {
        self.numbering.is_long().then_some(TEXTS)
    }

    fn members(&self) -> Vec<Member> {
        let cbg: &[u8] = self.cbg.as_ref().map_or(&[], |cbg| &cbg.bytes);
        let member = |text: &Text| Member {
            directory: TEXTS,
            name: text.name(cbg, self.characters),
            size: text.bytes.len() as u64,
        };
        self.texts().texts.iter().map(member).collect()
    }

    fn read_member(&self, member: usize, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let missing = || io::Error::from(io::ErrorKind::NotFound);
        let text = self.texts().texts.get(member).ok_or_else(missing)?;
        let cbg = self.cbg.as_ref().ok_or_else(missing)?;
        let bytes = cbg.bytes.get(text.bytes.clone()).ok_or_else(missing)?;
        Ok(records::copy(bytes, offset, buffer))
    }
}
