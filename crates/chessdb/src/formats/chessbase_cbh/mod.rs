//! ChessBase since 1997: databases in `.cbh` and its companions, and archives in `.cbv`.
//!
//! | file | contents |
//! |---|---|
//! | `.cbh` | a record of 46 bytes for each game and guiding text ([`header`], [`doubts`]) |
//! | `.cbg` | moves ([`record`], [`setup`], [`codes`], [`pieces`], [`decode`]) and texts ([`texts`]) |
//! | `.cba` | annotations ([`annotations`], [`items`], [`quotation`]) |
//! | `.cbp` `.cbt` `.cbc` `.cbs` `.cbe` `.cbl` | players, tournaments, annotators, sources, teams, titles ([`entities`]) |
//! | `.cbj` | fields of each game that newer versions added ([`extended`]) |
//! | `.cbv` `.cbz` | all these, packed ([`archive`], [`unpack`]), and encrypted (`encryption`) |
//!
//! Files of records store the number of their records ([`records`]). The meaning of the fields of games and annotations
//! is in [`chessbase_common`](super::chessbase_common). The records of `.cbh`, `.cbg`, `.cba` and `.cbj` are big
//! endian, all others little endian. Section numbers in this module refer to `docs/formats/chessbase-cbh.md`.

mod annotations;
mod archive;
mod codes;
mod decode;
mod doubts;
#[cfg(feature = "des")]
mod encryption;
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
mod unplayed;

use std::ops::ControlFlow;

use self::annotations::Items;
use self::entities::{Entities, Entity, Player, Tournament};
use self::extended::Extended;
use self::header::{FileHeader, Header};
use self::texts::Text;
use super::chessbase_common::archive::InArchive;
use super::chessbase_common::base::{self, SAMPLE};
use super::chessbase_common::{Base, Based, Characters, Numbering, Texts, companions, records, values};
use crate::board::ByColor;
use crate::bytes::index;
use crate::database::{
    AsFiles, Database, Decoded, Format, Info, Keys, NotADatabase, Options, TextId, ratings_of_numbers,
};
use crate::files::{Files, SourceFile};
use crate::game::{Game, Tags};
use crate::problem::Problem;
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

/// An open database.
struct ChessBaseCbh {
    base: Base<Text>,
    players: Entities,
    tournaments: Entities,
    annotators: Entities,
    sources: Entities,
    teams: Entities,
    titles: Entities,
    extended: Extended,
}

/// The place of a game or a guiding text in the database.
struct Place {
    /// Number of its record, from 0.
    record: usize,
    header: Header,
}

impl ChessBaseCbh {
    fn open(mut files: Files, options: &Options) -> Result<ChessBaseCbh, NotADatabase> {
        let mut problems = files.holes();
        let mut warnings = std::mem::take(&mut files.warnings);
        let Some(cbh) = files.get("cbh") else {
            let unread = companions::unread_kinds().find(|kind| files.get(kind).is_some());
            let reason = unread.and_then(companions::reason);
            return Err(NotADatabase::new(
                reason.unwrap_or_else(|| "there is no .cbh".to_owned()),
            ));
        };
        let is_old = check_header(cbh, &mut problems)?;
        let characters = Characters::choose(options.encoding.as_deref(), &mut warnings);
        let mut of_extended = Vec::new();
        let extended = Extended::open(files.get("cbj"), &mut of_extended);
        let is_missed = |(kind, _): &(&str, &str)| match *kind {
            "cbe" | "cbj" => !is_old,
            "cbl" => extended.has_titles(),
            _ => true,
        };
        // Without records, nothing is lost.
        if cbh.bytes.len() >= 2 * header::RECORD {
            problems.extend(files.lost(cbh, MISSED.into_iter().filter(is_missed)));
        }
        let numbering = Numbering::new(cbh, header::RECORD, Header::kind_at, given(cbh));
        let mut base = Base::new(cbh, &files, ["cbg", "cba"], numbering, characters);
        base.describe(Info {
            rows: vec![("version", describe_version(is_old).to_owned())],
            warnings,
        });
        let mut open = |kind: entities::Kind| Entities::open(files.get(kind.extension), kind, &mut problems);
        let mut database = ChessBaseCbh {
            base,
            players: open(entities::PLAYERS),
            tournaments: open(entities::TOURNAMENTS),
            annotators: open(entities::ANNOTATORS),
            sources: open(entities::SOURCES),
            teams: open(entities::TEAMS),
            titles: open(entities::TITLES),
            extended,
        };
        problems.extend(of_extended);
        database.base.add(None, problems);
        // In a short file, the texts are read now, so that no later call has to wait for them.
        database.file_problems();
        Ok(database)
    }

    fn place(&self, game: u32) -> Option<Place> {
        self.place_of_record(self.base.record(game)?)
    }

    /// The place of the game or text with this record, from 0.
    fn place_of_record(&self, record: usize) -> Option<Place> {
        let header = Header::at(&self.base.cbh.bytes, record)?;
        Some(Place { record, header })
    }

    fn entity<'a>(&self, entities: &'a Entities, id: u32) -> Option<Entity<'a>> {
        entities.get(id, self.base.characters)
    }
}

impl Based for ChessBaseCbh {
    type Text = Text;

    fn base(&self) -> &Base<Text> {
        &self.base
    }

    fn base_mut(&mut self) -> &mut Base<Text> {
        &mut self.base
    }

    fn read_texts(&self, cbg: &SourceFile, records: impl Iterator<Item = usize>) -> Texts<Text> {
        texts::read_all(cbg, records, |record| {
            Some(self.moves_at(cbg, &self.place_of_record(record)?))
        })
    }

    fn text_name(&self, text: &Text) -> String {
        let cbg = self.base.cbg.as_ref();
        text.name(cbg.map_or(&[], |cbg| &cbg.bytes), self.base.characters)
    }

    fn sample(&self) -> impl Iterator<Item = &[u8]> {
        let names = [&self.players, &self.tournaments];
        let names = names.into_iter().flat_map(|entities| entities.sample(SAMPLE));
        let places = (0..SAMPLE).map_while(|game| self.place(game));
        let comments = places.filter_map(|place| {
            let (cba, at) = self.annotations_of(&place)?;
            let mut items = Items::at(&cba.bytes, at)?.take(SAMPLE as usize);
            items.find_map(|item| items::text_of(&item))
        });
        names.chain(comments)
    }
}

impl InArchive for ChessBaseCbh {
    fn of_files(files: Files, options: &Options) -> Result<ChessBaseCbh, NotADatabase> {
        ChessBaseCbh::open(files, options)
    }
}

/// The files of a complete database, and what is unknown without each of them.
const MISSED: [(&str, &str); 9] = [
    ("cbg", "games have no moves"),
    ("cba", "games have no annotations"),
    ("cbp", "players are unknown"),
    ("cbt", "events are unknown"),
    ("cbc", "annotators are unknown"),
    ("cbs", "sources are unknown"),
    ("cbe", "teams are unknown"),
    ("cbl", "titles of games are unknown"),
    ("cbj", "teams are unknown"),
];

fn describe_version(is_old: bool) -> &'static str {
    if is_old {
        "ChessBase 6 to 8"
    } else {
        "ChessBase 9 or later"
    }
}

/// The number of records that the header of the `.cbh` gives.
fn given(cbh: &SourceFile) -> u32 {
    FileHeader(&cbh.bytes)
        .next_number()
        .unwrap_or(0)
        .saturating_sub(1)
}

/// Tests the header of the `.cbh`. Returns true if it comes from an old version (section 3.1).
fn check_header(cbh: &SourceFile, problems: &mut Vec<Problem>) -> Result<bool, NotADatabase> {
    let bytes: &[u8] = &cbh.bytes;
    if bytes.len() < header::RECORD {
        return Err(NotADatabase::new(format!(
            "the .cbh has {} of the {} bytes of its header: get a whole copy",
            bytes.len(),
            header::RECORD
        )));
    }
    let header = FileHeader(bytes);
    let version = header
        .version()
        .filter(|&version| version == FileHeader::OLD || version == FileHeader::NEW);
    let has_size = header.record_size().map(usize::from) == Some(header::RECORD);
    // One sound field is enough to recognise the format, because the other one may be damaged.
    if version.is_none() && !has_size {
        return Err(NotADatabase::new(
            "the .cbh does not begin like a file of ChessBase",
        ));
    }
    if version.is_none() || !has_size {
        problems.push(records::no_header(cbh));
    }
    let count = header
        .next_number()
        .and_then(|next| index(next.into()).checked_sub(1));
    let damage = count.and_then(|count| records::wrong_number(cbh, header::RECORD, header::RECORD, count));
    let rest = bytes.len() % header::RECORD;
    if rest != 0 && damage.is_none() {
        let at = (bytes.len() - rest) as u64;
        problems.push(Problem::damage(&cbh.name, at, "the file ends inside a record"));
    }
    problems.extend(damage);
    Ok(version == Some(FileHeader::OLD))
}

impl Database for ChessBaseCbh {
    fn len(&self) -> u32 {
        self.base.numbering.games(&self.base.cbh)
    }

    fn keys(&self, game: u32) -> Keys {
        let Some(Place { header, .. }) = self.place(game) else {
            return Keys::UNKNOWN;
        };
        let tournament = self.entity(&self.tournaments, header.tournament());
        Keys {
            white: base::player(header.white_id()),
            black: base::player(header.black_id()),
            event: base::event(header.tournament()),
            date: header.date(),
            event_year: tournament.map_or(0, |tournament| values::date(Tournament(tournament).date()).year),
            eco: header.eco().map(|(eco, _)| eco),
            outcome: header.outcome(),
            deleted: header.is_deleted(),
        }
    }

    fn text(&self, id: TextId) -> String {
        let player = |number, text: &mut String| {
            if let Some(player) = self.entity(&self.players, number) {
                Player(player).append_name(text);
            }
        };
        let event = |number, text: &mut String| {
            if let Some(tournament) = self.entity(&self.tournaments, number) {
                Tournament(tournament).append_title(text);
            }
        };
        base::name_of(id, player, event)
    }

    fn tags(&self, game: u32) -> Tags {
        let Some(place) = self.place(game) else {
            return Tags::default();
        };
        let record = self.record(&place);
        let start = record.as_ref().map(|record| self.start(record));
        self.all_tags(&place, record.as_ref(), start.as_ref())
    }

    fn ratings(&self, game: u32) -> ByColor<Option<u16>> {
        let place = self.place(game);
        place.map_or_else(ByColor::default, |place| ratings_of_numbers(place.header.elo()))
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
        self.description()
    }

    fn problems(&self) -> &[Problem] {
        self.file_problems()
    }

    fn as_files(&self) -> &dyn AsFiles {
        self
    }
}
