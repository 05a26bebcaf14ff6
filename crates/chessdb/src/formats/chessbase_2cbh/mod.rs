//! ChessBase 17 and later: databases in `.2cbh` and its companions.
//!
//! | file | contents |
//! |---|---|
//! | `.2cbh` | a record of 192 bytes for each game, analysis and guiding text ([`header`], [`doubts`]) |
//! | `.2cbg` | moves ([`frame`], [`setup`], [`words`], [`walk`], [`decode`]) and guiding texts ([`texts`]) |
//! | `.2cba` | annotations ([`annotations`], [`quotation`]) |
//! | `.2lid` | players, tournaments, sources, teams and titles ([`names`]) |
//! | `.ini` | the title of the database |
//! | `.2cbv` | all these, in a ZIP file ([`archive`]) |
//!
//! Everything is little endian, except checksums and the header of the `.2lid`. The meaning of the fields of games and
//! annotations is in [`chessbase_common`](super::chessbase_common). Section numbers in this module refer to
//! `docs/formats/chessbase-2cbh.md`.

mod annotations;
mod archive;
mod decode;
mod doubts;
mod fields;
mod find;
mod frame;
mod game;
mod header;
mod names;
mod quotation;
mod setup;
mod several;
mod tags;
#[cfg(test)]
mod tests;
mod texts;
mod walk;
mod words;

use std::ops::ControlFlow;

use self::header::{Header, RECORD};
use self::names::{Names, Type};
use self::texts::Text;
use super::chessbase_common::archive::InArchive;
use super::chessbase_common::base::{self, SAMPLE};
use super::chessbase_common::{Base, Based, Characters, Numbering, Texts, values};
use crate::board::ByColor;
use crate::bytes::{index, le_u16, le_u32};
use crate::database::{
    AsFiles, Database, Decoded, Format, Info, Keys, NotADatabase, Options, TextId, ratings_of_numbers,
};
use crate::files::{Files, SourceFile};
use crate::game::{Game, Tags};
use crate::problem::Problem;
use crate::replay::{MainLine, Ply, Tree};

/// The format's row.
pub const FORMAT: Format = Format {
    name: "chessbase-2cbh",
    title: "ChessBase (2CBH)",
    find: find::find,
    by_content: None,
    small_files: None,
    readings: Vec::new,
    open: several::open,
};

/// Maximum number of bytes of an `.ini` that are read.
const LONGEST_INI: usize = 64 << 10;

/// An open database.
struct ChessBase2Cbh {
    base: Base<Text>,
    names: Names,
}

/// A game's place in the database.
struct Place<'a> {
    /// Number of its record, from 0.
    record: usize,
    header: Header<'a>,
}

/// Files whose absence is reported, with their contents.
const MISSED: [(&str, &str); 3] = [
    ("2cbg", "games have no moves"),
    ("2cba", "games have no annotations"),
    ("2lid", "players, events, sources, teams and titles are unknown"),
];

impl ChessBase2Cbh {
    fn open(mut files: Files, options: &Options) -> Result<ChessBase2Cbh, NotADatabase> {
        let mut problems = files.holes();
        let mut warnings = std::mem::take(&mut files.warnings);
        let Some(cbh) = files.get("2cbh") else {
            let reason = find::reason(|kind| files.get(kind).is_some());
            return Err(NotADatabase::new(
                reason.unwrap_or_else(|| "there is no .2cbh".to_owned()),
            ));
        };
        let version = check_header(cbh, &mut problems)?;
        let characters = Characters::choose(options.encoding.as_deref(), &mut warnings);
        let mut rows = vec![("version", version.to_string())];
        let title = files.get("ini").and_then(|ini| title_of(&ini.bytes, characters));
        rows.extend(title.map(|title| ("title", title)));
        // Without records, nothing is lost.
        if cbh.bytes.len() >= 2 * RECORD {
            problems.extend(files.lost(cbh, MISSED));
        }
        let numbering = Numbering::new(cbh, RECORD, Header::kind_at, given(cbh));
        let mut base = Base::new(cbh, &files, ["2cbg", "2cba"], numbering, characters);
        base.describe(Info { rows, warnings });
        let names = Names::open(files.get("2lid"), &mut problems);
        base.add(None, problems);
        let database = ChessBase2Cbh { base, names };
        // In a short file, the texts are read now, so that no later call has to wait for them.
        database.file_problems();
        Ok(database)
    }

    fn place(&self, game: u32) -> Option<Place<'_>> {
        let record = self.base.record(game)?;
        let header = Header::at(&self.base.cbh.bytes, record)?;
        Some(Place { record, header })
    }
}

impl Based for ChessBase2Cbh {
    type Text = Text;

    fn base(&self) -> &Base<Text> {
        &self.base
    }

    fn base_mut(&mut self) -> &mut Base<Text> {
        &mut self.base
    }

    fn read_texts(&self, cbg: &SourceFile, records: impl Iterator<Item = usize>) -> Texts<Text> {
        texts::read_all(&self.base.cbh, cbg, records)
    }

    fn text_name(&self, text: &Text) -> String {
        text.name(self)
    }

    fn sample(&self) -> impl Iterator<Item = &[u8]> {
        let names = [Type::Player, Type::Tournament];
        let names = names.into_iter().flat_map(|of| self.names.sample(of, SAMPLE));
        let places = (0..SAMPLE).map_while(|game| self.place(game));
        let comments = places.filter_map(|place| {
            let frame = self.annotations_of(&place.header)?.ok()?;
            let mut items = annotations::Items::new(frame.content, 0).take(SAMPLE as usize);
            items.find_map(|item| annotations::text_of(&item))
        });
        names.chain(comments)
    }
}

impl InArchive for ChessBase2Cbh {
    fn of_files(files: Files, options: &Options) -> Result<ChessBase2Cbh, NotADatabase> {
        ChessBase2Cbh::open(files, options)
    }
}

/// The number of records that the header of the `.2cbh` gives: it stores the number of the next one.
fn given(cbh: &SourceFile) -> u32 {
    le_u32(&cbh.bytes, 0x10).unwrap_or(0).saturating_sub(1)
}

/// Tests the header of the `.2cbh`, and returns its version (section 2).
fn check_header(cbh: &SourceFile, problems: &mut Vec<Problem>) -> Result<u8, NotADatabase> {
    let bytes: &[u8] = &cbh.bytes;
    if bytes.len() < RECORD {
        return Err(NotADatabase::new(format!(
            "the .2cbh has {} of the {RECORD} bytes of its header: get a whole copy",
            bytes.len()
        )));
    }
    if le_u16(bytes, 0x0a).map(usize::from) != Some(RECORD) {
        return Err(NotADatabase::new(
            "the .2cbh does not begin like a file of ChessBase",
        ));
    }
    let rest = bytes.len() % RECORD;
    if rest != 0 {
        let at = (bytes.len() - rest) as u64;
        problems.push(Problem::damage(&cbh.name, at, "the file ends inside a record"));
    }
    let records = bytes.len() / RECORD - 1;
    let count = given(cbh);
    if le_u32(bytes, 0x10).map(|next| index(next.into())) != Some(records + 1) {
        let what = format!("the file has {records} records, but its header counts {count}");
        problems.push(if index(count.into()) > records {
            Problem::damage(&cbh.name, 0x10, what)
        } else {
            Problem::doubt(&cbh.name, 0x10, what)
        });
    }
    Ok(bytes.get(0x0d).copied().unwrap_or(0))
}

/// The title of a database from its `.ini`: `Title=` in the section `[Descr2CBG]`.
fn title_of(ini: &[u8], characters: Characters) -> Option<String> {
    let ini = ini.get(..LONGEST_INI).unwrap_or(ini);
    let lines = ini
        .split(|&byte| matches!(byte, b'\r' | b'\n'))
        .map(<[u8]>::trim_ascii);
    let mut lines = lines
        .skip_while(|line| !line.eq_ignore_ascii_case(b"[Descr2CBG]"))
        .skip(1);
    let title = lines
        .by_ref()
        .take_while(|line| !line.starts_with(b"["))
        .find_map(|line| {
            let (name, value) = line.split_at(line.iter().position(|&byte| byte == b'=')?);
            name.trim_ascii()
                .eq_ignore_ascii_case(b"Title")
                .then_some(value.get(1..)?)
        })?;
    let title = characters.line(title.trim_ascii());
    (!title.is_empty()).then_some(title)
}

impl Database for ChessBase2Cbh {
    fn len(&self) -> u32 {
        self.base.numbering.games(&self.base.cbh)
    }

    fn keys(&self, game: u32) -> Keys {
        let Some(Place { header, .. }) = self.place(game) else {
            return Keys::UNKNOWN;
        };
        let references = header.references();
        // A number that is too large for an id has no name.
        let id = |at: Option<usize>, of: fn(u32) -> TextId| {
            let number = header.reference(at).map(u32::try_from);
            of(number.and_then(Result::ok).unwrap_or(u32::MAX))
        };
        let tournament = self.entity(Type::Tournament, header.reference(references.tournament));
        Keys {
            white: id(references.white, base::player),
            black: id(references.black, base::player),
            event: id(references.tournament, base::event),
            date: header.date(),
            event_year: tournament
                .and_then(tags::date_of)
                .map_or(0, |date| values::date(date).year),
            eco: header.eco().map(|(eco, _)| eco),
            outcome: header.outcome(),
            deleted: header.is_deleted(),
        }
    }

    fn text(&self, id: TextId) -> String {
        let characters = self.base.characters;
        let player = |number: u32, text: &mut String| {
            if let Some(player) = self.names.get(Type::Player, number.into()) {
                tags::append_player(player, characters, text);
            }
        };
        let event = |number: u32, text: &mut String| {
            if let Some(tournament) = self.names.get(Type::Tournament, number.into()) {
                tags::append_event(tournament, characters, text);
            }
        };
        base::name_of(id, player, event)
    }

    fn tags(&self, game: u32) -> Tags {
        let Some(place) = self.place(game) else {
            return Tags::default();
        };
        let moves = self.moves(&place).and_then(Result::ok);
        self.all_tags(&place, moves.as_ref())
    }

    fn ratings(&self, game: u32) -> ByColor<Option<u16>> {
        let place = self.place(game);
        place.map_or_else(ByColor::default, |place| ratings_of_numbers(place.header.elo()))
    }

    fn game(&self, game: u32) -> Decoded {
        let Some(place) = self.place(game) else {
            return Decoded::default();
        };
        let moves = self.moves(&place);
        let read = moves.as_ref().and_then(|moves| moves.as_ref().ok());
        let tags = self.all_tags(&place, read);
        let (movetext, mut problems) = self.replay(&place, moves.as_ref(), Tree::beginning);
        let doubts = self.doubts(&place, read, &problems);
        problems.extend(doubts);
        Decoded {
            game: Game { tags, movetext },
            problems,
        }
    }

    fn main_line(&self, game: u32, each: &mut dyn FnMut(&Ply<'_>) -> ControlFlow<()>) {
        let Some(place) = self.place(game) else { return };
        let moves = self.moves(&place);
        self.replay(&place, moves.as_ref(), |_, _, _| MainLine(each));
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
