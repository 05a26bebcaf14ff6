//! Parquet: tables with a row for each game, as Lichess publishes them and pgnfs exports them.
//!
//! | part of a file | read by |
//! |---|---|
//! | the footer: columns and their places | [`footer`], [`thrift`], [`column`] |
//! | pages, and their headers | [`table`], [`head`], [`unpack`], [`cache`] |
//! | the values of a page | [`page`], [`hybrid`], [`delta`] |
//! | a row as a game in PGN | [`row`], [`pgn_common`](super::pgn_common) |
//! | keys for sorting games | [`keys`], [`names`] |
//!
//! A column of a tag has the tag's name, such as `White`; `movetext`, `pgn` or `moves` has the moves. Section numbers
//! in this module refer to `docs/formats/parquet.md`.

mod cache;
mod column;
mod delta;
mod footer;
mod head;
mod hybrid;
mod keys;
mod names;
mod page;
mod row;
mod table;
mod thrift;
mod unpack;

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::OnceLock;

use encoding_rs::{Encoding, UTF_8};

use self::column::WITH_MOVES;
use self::footer::{Layout, MAGIC};
use self::keys::AllKeys;
use self::row::{Columns, Part, RowText};
use self::table::Table;
use crate::board::{ByColor, Position};
use crate::database::{
    AsFiles, ByContent, Database, Decoded, Format, Info, Keys, NamedDatabase, NotADatabase, Options, TextId,
    ratings_of,
};
use crate::files::{Files, by_stem};
use crate::formats::pgn_common::Stored;
use crate::game::{Game, Tags, rating};
use crate::problem::Problem;
use crate::replay::{Fault, Limits, Origin, Ply, Replay, Tree, main_line_or};
use crate::text::TextEncoding;

/// The format's row.
pub const FORMAT: Format = Format {
    name: "parquet",
    title: "Parquet",
    find: |directory| by_stem(directory, &[KIND], &[]),
    by_content: Some(ByContent {
        kind: KIND,
        accepts: |bytes| bytes.starts_with(MAGIC),
    }),
    small_files: None,
    readings: Vec::new,
    open: |files, options| Ok(NamedDatabase::only(ParquetFile::open(files, options)?)),
};

/// Extension of files.
const KIND: &str = "parquet";

/// An open file.
struct ParquetFile {
    table: Table,
    columns: Columns,
    keys: OnceLock<AllKeys>,
    info: Info,
    problems: Vec<Problem>,
}

impl ParquetFile {
    fn open(files: Files, options: &Options) -> Result<ParquetFile, NotADatabase> {
        let file = files
            .get(KIND)
            .ok_or_else(|| NotADatabase::new("there is no file"))?
            .clone();
        let layout = Layout::read(&file.bytes).map_err(NotADatabase::new)?;
        let mut warnings = files.warnings.clone();
        let mut problems = files.holes();
        let damage = layout.damage.iter();
        problems.extend(damage.map(|(at, what)| Problem::damage(&file.name, *at, what.clone())));
        let texts = texts(options.encoding.as_deref(), &mut warnings);
        let table = Table::new(file, layout);
        let Some(columns) = Columns::of(&table, texts) else {
            let [movetext, pgn, moves] = WITH_MOVES;
            let what =
                format!("the table has no games: it has no column {movetext} of texts, nor {pgn} or {moves}");
            return Err(NotADatabase::new(what));
        };
        let info = Info {
            rows: describe(&table, &columns),
            warnings,
        };
        Ok(ParquetFile {
            table,
            columns,
            keys: OnceLock::new(),
            info,
            problems,
        })
    }

    /// The keys of all games.
    fn all_keys(&self) -> &AllKeys {
        self.keys.get_or_init(|| {
            let keys = match self.columns.have_all(&self.table, &keys::TAGS) {
                true => AllKeys::of_columns(&self.table, &self.columns),
                false => AllKeys::of_tags(&self.table, |row| self.tags(row)),
            };
            keys.with_deleted(&self.table, self.columns.deleted)
        })
    }

    fn text_of(&self, game: u32, part: Part) -> Option<RowText> {
        (game < self.len()).then(|| self.columns.text(&self.table, game, part))
    }

    fn file_name(&self) -> &str {
        &self.table.file.name
    }
}

/// A game whose text was made from a row.
fn stored(read: &RowText) -> Stored<'_> {
    let utf_8 = TextEncoding { forced: Some(UTF_8) };
    Stored::made(read.text.as_bytes(), read.at, utf_8)
}

/// The encoding of texts. Adds a warning if the label is unknown.
fn texts(label: Option<&str>, warnings: &mut Vec<String>) -> TextEncoding {
    let forced = label.and_then(|label| {
        let found = Encoding::for_label(label.as_bytes());
        if found.is_none() {
            warnings.push(format!(
                "encoding {label} is not known: each text is read in utf-8, else windows-1252"
            ));
        }
        found
    });
    TextEncoding { forced }
}

fn describe(table: &Table, columns: &Columns) -> Vec<(&'static str, String)> {
    let layout = &table.layout;
    let chunks = layout.groups.iter().flat_map(|group| &group.chunks);
    let codecs: BTreeSet<_> = chunks.clone().map(|chunk| chunk.form.codec).collect();
    let codecs: Vec<String> = codecs.iter().map(ToString::to_string).collect();
    let unpacked: u64 = chunks.map(|chunk| chunk.unpacked).sum();
    let moves = layout.columns.get(columns.moves);
    let read = columns.read();
    let unused = layout
        .columns
        .iter()
        .enumerate()
        .filter(|(number, _)| !read.contains(number));
    let unused = unused.map(|(_, column)| column.name.as_str());
    let others: Vec<&str> = layout.others.iter().map(String::as_str).chain(unused).collect();
    let mut rows = vec![
        ("groups of rows", layout.groups.len().to_string()),
        ("compression", codecs.join(", ")),
        ("unpacked", format!("{unpacked} bytes")),
        (
            "moves are in",
            moves.map_or_else(String::new, |column| column.name.clone()),
        ),
        ("characters", columns.texts.describe("text")),
    ];
    rows.extend(layout.writer.clone().map(|writer| ("written by", writer)));
    if !others.is_empty() {
        rows.push(("columns not read", others.join(", ")));
    }
    rows
}

impl Database for ParquetFile {
    fn len(&self) -> u32 {
        self.table.layout.rows
    }

    fn keys(&self, game: u32) -> Keys {
        let keys = usize::try_from(game)
            .ok()
            .and_then(|game| self.all_keys().keys.get(game));
        keys.copied().unwrap_or(Keys::UNKNOWN)
    }

    fn text(&self, id: TextId) -> String {
        let name = self.keys.get().and_then(|all| all.names.name(id.0));
        name.unwrap_or_else(|| "?".to_owned())
    }

    fn tags(&self, game: u32) -> Tags {
        let read = self.text_of(game, Part::Tags);
        read.map_or_else(Tags::default, |read| stored(&read).tags())
    }

    fn ratings(&self, game: u32) -> ByColor<Option<u16>> {
        if !self.columns.have_all(&self.table, &["WhiteElo", "BlackElo"]) {
            return ratings_of(&self.tags(game));
        }
        let of_side = |name: &str| {
            let mut text = String::new();
            let number = self.columns.tag(name)?;
            self.columns.value(&self.table, number, game, &mut text).ok()?;
            rating(&text)
        };
        ByColor {
            white: of_side("WhiteElo"),
            black: of_side("BlackElo"),
        }
    }

    fn game(&self, game: u32) -> Decoded {
        let Some(read) = self.text_of(game, Part::All) else {
            return Decoded::default();
        };
        let file = self.file_name();
        let (mut game, mut problems) = stored(&read).game(file);
        problems.extend(
            read.lost
                .iter()
                .map(|lost| Problem::damage(file, lost.at, lost.what.clone())),
        );
        if let Some(lost) = &read.lost_moves {
            let origin = Origin {
                file,
                ..Origin::default()
            };
            let start = Position::initial();
            let mut replay = Replay::new(Tree::beginning(&start, 1, 0), start, (), Limits::NONE, origin);
            replay.fault(lost.at, &Fault::damage(lost.what.clone()));
            let (movetext, more) = replay.finish();
            game = Game { movetext, ..game };
            problems.extend(more);
        }
        Decoded { game, problems }
    }

    fn main_line(&self, game: u32, each: &mut dyn FnMut(&Ply<'_>) -> ControlFlow<()>) {
        if let Some(read) = self.text_of(game, Part::Moves) {
            main_line_or(
                each,
                |line| stored(&read).main_line(line),
                || self.game(game).game,
            );
        }
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

impl AsFiles for ParquetFile {
    fn is_prepared(&self) -> bool {
        self.keys.get().is_some()
    }
}
