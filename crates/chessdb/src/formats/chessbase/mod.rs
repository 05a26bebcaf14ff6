//! ChessBase for DOS, Atari and Windows 3.1 (1987-1997): games in CBF/CBI, and Fritz's opening books in FBK.
//!
//! | file | contents |
//! |---|---|
//! | `.cbf` | records in any order, with dead gaps between them ([`record`]) |
//! | `.cbi` | index of 32-bit words: number of games + 1, then the record's place of each game ([`index`]) |
//! | `.fbk` | opening book, a database of its own ([`book`]) |
//!
//! A record of the `.cbf`:
//!
//! | bytes | part |
//! |---|---|
//! | 14 | header, coded ([`header`]) |
//! | plen + slen | players and source, coded as one block ([`names`]) |
//! | mlen - 1 | moves, coded: numbers in a list of moves, variations ([`list`], [`decode`]) |
//! | clen | comments ([`comments`]) |
//! | 33 | position, in games that do not begin in the normal one ([`setup`]) |
//!
//! All integers are big endian. Section numbers in this module refer to `docs/formats/chessbase.md`.

pub mod book;
mod by_file;
mod characters;
mod coding;
mod comments;
mod decode;
mod header;
mod index;
mod list;
mod names;
mod pawns;
mod record;
mod setup;
mod texts;
mod unplayed;
mod walk;

use std::ops::ControlFlow;
use std::sync::OnceLock;

use self::characters::Characters;
use self::header::Header;
use self::index::Index;
use self::names::Names;
use self::record::Record;
use self::setup::StoredPosition;
use crate::board::{ByColor, Position};
use crate::database::{
    AsFiles, Database, Decoded, Format, Info, Keys, NamedDatabase, NotADatabase, Options, TextId,
    ratings_of_numbers,
};
use crate::files::{Files, SourceFile, by_stem};
use crate::game::{Date, Game, Outcome, Tags};
use crate::problem::Problem;
use crate::replay::{Fault, Limits, MainLine, Origin, PlaceForm, Ply, Replay, Sink, Tree};

/// The format's row.
pub const FORMAT: Format = Format {
    name: "chessbase",
    title: "ChessBase (CBF)",
    find: |directory| {
        let mut candidates = by_stem(directory, &["cbf"], &["cbi"]);
        candidates.retain(|candidate| candidate.files.iter().any(|(kind, _)| kind == "cbf"));
        candidates
    },
    by_content: None,
    small_files: None,
    readings: Vec::new,
    open: |files, options| Ok(NamedDatabase::only(ChessBase::open(files, options)?)),
};

/// Begins a variation in the move area.
const START: u8 = 0xff;
/// Ends a variation.
const END: u8 = 0x80;

/// An open database of games.
struct ChessBase {
    cbf: SourceFile,
    index: Index,
    characters: Characters,
    /// Ids of the texts of each game. Finding them reads all records, so this is done on first use.
    ids: OnceLock<Vec<texts::Ids>>,
    info: Info,
    problems: Vec<Problem>,
}

impl ChessBase {
    fn open(files: Files, options: &Options) -> Result<ChessBase, NotADatabase> {
        let cbf = files
            .get("cbf")
            .ok_or_else(|| NotADatabase::new("there is no .cbf"))?;
        let mut warnings = files.warnings.clone();
        let mut problems = files.holes();
        let characters = Characters::choose(options.encoding.as_deref(), &mut warnings);
        let index = Index::open(&files, cbf, &mut problems);
        let rows = vec![
            ("index", index.describe()),
            ("characters", characters.describe().to_owned()),
        ];
        Ok(ChessBase {
            cbf: cbf.clone(),
            index,
            characters,
            ids: OnceLock::new(),
            info: Info { rows, warnings },
            problems,
        })
    }

    fn ids(&self) -> &[texts::Ids] {
        self.ids.get_or_init(|| {
            texts::ids(self.index.games(), |game, names| {
                !self.cbf.bytes.is_lost() && self.read_names(game, names)
            })
        })
    }

    fn record(&self, game: u32) -> Option<Record<'_>> {
        Record::at(&self.cbf.bytes, self.index.offset(game) as usize)
    }

    /// Reads the texts of a game. Returns false for a game without a record.
    fn read_names(&self, game: u32, names: &mut Names) -> bool {
        let record = self.record(game);
        if let Some(record) = &record {
            names.read(record, self.characters);
        }
        record.is_some()
    }

    /// The tags of a record (section 10).
    fn tags_of(&self, record: &Record<'_>, stored: Option<&StoredPosition>) -> Tags {
        let header = &record.header;
        let mut names = Names::default();
        names.read(record, self.characters);
        let mut tags = Tags::new(header.outcome());
        tags.set_str("Event", &names.event());
        tags.set_date("Date", header.date());
        tags.set_str("White", &names.white());
        tags.set_str("Black", &names.black());
        for (name, text) in [("Round", &names.round), ("Annotator", &names.annotator)] {
            if !text.is_empty() {
                tags.set_str(name, text);
            }
        }
        for (name, elo) in ["WhiteElo", "BlackElo"].into_iter().zip(header.elo()) {
            if elo != 0 {
                tags.set_number(name, elo);
            }
        }
        if let Some(eco) = header.eco() {
            tags.set_str("ECO", eco.as_str());
        }
        if header.eco_sub() != 0 {
            tags.set("ECOSub", format_args!("{:02}", header.eco_sub()));
        }
        for (name, is_set) in [("Marked", header.is_marked()), ("Deleted", header.is_deleted())] {
            if is_set {
                tags.set_str(name, "1");
            }
        }
        match stored {
            Some(stored) if stored.is_playable() => {
                tags.set_str("SetUp", "1");
                tags.set_str("FEN", &stored.fen());
            }
            Some(_) => tags.set_no_start(),
            None => {}
        }
        tags
    }

    /// Replays the moves of a game into a sink: see [`decode::replay`]. Without a record they are replaced by
    /// a remark with the offset from the index (section 2.4).
    fn replay<S: Sink>(
        &self,
        game: u32,
        sink: impl FnOnce(&Position, u32, usize) -> S,
    ) -> (S::Output, Vec<Problem>) {
        let origin = Origin {
            file: &self.cbf.name,
            place: PlaceForm::Hexadecimal(".cbf"),
        };
        match self.record(game) {
            Some(record) => {
                let stored = stored_position(&record);
                let file_len = self.cbf.bytes.len();
                decode::replay(&record, stored, self.characters, origin, file_len, sink)
            }
            None => {
                let start = Position::initial();
                let mut replay = Replay::new(sink(&start, 1, 1), start, (), Limits::NONE, origin);
                let offset = self.index.offset(game);
                let what = format!("{} leads out of the file", self.index.file_name());
                replay.fault(offset.into(), &Fault::damage(what));
                replay.finish()
            }
        }
    }
}

/// The set-up position of a record.
fn stored_position(record: &Record<'_>) -> Option<StoredPosition> {
    let bytes = record.position?;
    Some(StoredPosition::read(bytes, &record.header))
}

impl Database for ChessBase {
    fn len(&self) -> u32 {
        self.index.len()
    }

    fn keys(&self, game: u32) -> Keys {
        let record = self.record(game).filter(|_| game < self.len());
        let header = record.map(|record| record.header);
        let [white, black, event] = self.ids().get(game as usize).copied().unwrap_or(texts::UNKNOWN);
        Keys {
            white,
            black,
            event,
            date: header.as_ref().map_or(Date::default(), Header::date),
            event_year: 0,
            eco: header.as_ref().and_then(Header::eco),
            outcome: header.as_ref().map_or(Outcome::Unknown, Header::outcome),
            deleted: header.as_ref().is_some_and(Header::is_deleted),
        }
    }

    fn text(&self, id: TextId) -> String {
        texts::text(id, |game, names| self.read_names(game, names))
    }

    fn tags(&self, game: u32) -> Tags {
        match self.record(game) {
            Some(record) => self.tags_of(&record, stored_position(&record).as_ref()),
            None => Tags::new(Outcome::Unknown),
        }
    }

    fn ratings(&self, game: u32) -> ByColor<Option<u16>> {
        let record = self.record(game);
        record.map_or_else(ByColor::default, |record| ratings_of_numbers(record.header.elo()))
    }

    fn game(&self, game: u32) -> Decoded {
        let (movetext, problems) = self.replay(game, Tree::beginning);
        let tags = self.tags(game);
        Decoded {
            game: Game { tags, movetext },
            problems,
        }
    }

    fn main_line(&self, game: u32, each: &mut dyn FnMut(&Ply<'_>) -> ControlFlow<()>) {
        self.replay(game, |_, _, _| MainLine(each));
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

impl AsFiles for ChessBase {
    fn is_prepared(&self) -> bool {
        self.ids.get().is_some()
    }
}
