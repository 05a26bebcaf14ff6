//! Brenner's minimal encoding (2002-2013): about one byte a half-move, readable only by replaying the game.
//!
//! A `.brn` file consists of the records of its games one after another, without head, lengths or index:
//!
//! | bytes | mean |
//! |---|---|
//! | 00 ... 00 | a text: a header if it begins with W, B, D, L, T or V and comes before the moves, otherwise a comment ([`headers`]) |
//! | 01 02 03 | result 0-1, 1-0, 1/2-1/2; it ends the record ([`cut`]) |
//! | 04 05 | O-O, O-O-O |
//! | 06 07 | glyphs `?`, `!` |
//! | 08-1F | king and knight moves |
//! | 20-FF | all other half-moves, and prefixes that name a promoted piece; two notations ([`codes`]) |
//!
//! The ambiguities of the description give eight readings; the games of a file decide which one applies ([`reading`]).
//! Section numbers in this module refer to `docs/formats/brenner.md`.

mod codes;
mod cut;
mod dates;
mod decode;
mod headers;
mod index;
mod items;
mod numbers;
mod reading;
mod steps;
mod texts;

use std::path::Path;

use self::cut::Records;
use std::ops::ControlFlow;

use self::decode::Source;
use self::index::Index;
use self::reading::{HalfMoveReading, Sample, Vote};
use self::texts::TextReader;
use crate::database::{
    ByContent, Database, Decoded, Format, Info, Keys, NamedDatabase, NotADatabase, Options, TextId,
};
use crate::files::{Candidate, Files, SourceFile, SourceFolder};
use crate::game::Tags;
use crate::problem::Problem;
use crate::replay::{MainLine, Ply};

/// The kind of the only file of a database.
const KIND: &str = "brn";

/// The format's row.
pub const FORMAT: Format = Format {
    name: "brenner",
    title: "Brenner's minimal encoding",
    find,
    by_content: Some(ByContent { kind: KIND, accepts }),
    small_files: None,
    readings: || reading::READINGS.map(|(name, _)| name.to_owned()).to_vec(),
    open: |files, options| Ok(NamedDatabase::only(Brenner::open(&files, options)?)),
};

/// Every `.brn` file is a database, even an empty one, and has no companions (section 1.3).
fn find(directory: &SourceFolder) -> Vec<Candidate> {
    let is_brn = |name: &&String| {
        let path = Path::new(name);
        path.extension()
            .is_some_and(|extension| extension.eq_ignore_ascii_case(KIND))
    };
    let files = directory.files.iter().filter(is_brn);
    files
        .map(|name| Candidate {
            name: name.clone(),
            files: vec![(KIND.to_owned(), directory.path.join(name))],
            warnings: Vec::new(),
        })
        .collect()
}

/// True if bytes without the extension certainly are records of games (section 4.7).
fn accepts(bytes: &[u8]) -> bool {
    let mut sample = Sample::default();
    let mut records = Records::new(bytes);
    while let Some(record) = records.next(|_, _| {}) {
        if !record.is_game || !record.is_closed {
            return false;
        }
        sample.offer(record.start, record.end, record.halfmoves);
    }
    Vote::take(bytes, &sample).is_convincing()
}

/// An open file.
struct Brenner {
    file: SourceFile,
    index: Index,
    reading: HalfMoveReading,
    texts: TextReader,
    info: Info,
    problems: Vec<Problem>,
}

impl Brenner {
    fn open(files: &Files, options: &Options) -> Result<Brenner, NotADatabase> {
        let file = files
            .get(KIND)
            .ok_or_else(|| NotADatabase::new("there is no .brn file"))?;
        let texts = TextReader::new(options.encoding.as_deref());
        let (index, sample) = Index::build(file, texts);
        let (reading, described) = match options.reading.as_deref().and_then(HalfMoveReading::named) {
            Some(reading) => (reading, format!("{} (forced)", reading.name())),
            None => {
                let vote = Vote::take(&file.bytes, &sample);
                (vote.reading, vote.describe())
            }
        };
        Ok(Brenner {
            problems: files
                .holes()
                .into_iter()
                .chain(problems(&file.name, &index))
                .collect(),
            info: Info {
                rows: vec![("reading", described), ("texts", texts.0.describe("text"))],
                warnings: files.warnings.clone(),
            },
            file: file.clone(),
            index,
            reading,
            texts,
        })
    }

    fn source(&self, game: u32) -> Source<'_> {
        let (start, end, outcome) = self.index.record(game);
        Source {
            file: &self.file.name,
            record: self.file.bytes.get(start..end).unwrap_or_default(),
            start,
            outcome,
        }
    }
}

/// The problems of bytes that belong to no game.
fn problems(file: &str, index: &Index) -> Vec<Problem> {
    let problem = |offset, what| Problem::damage(file, offset, what);
    let strays = index.strays.iter().map(|stray| {
        let len = stray.end - stray.start;
        let bytes = if len == 1 { "byte belongs" } else { "bytes belong" };
        problem(Some(stray.start as u64), format!("{len} {bytes} to no game"))
    });
    let mut problems: Vec<Problem> = strays.collect();
    if index.more_strays > 0 {
        let what = format!(
            "{} more places with bytes that belong to no game",
            index.more_strays
        );
        problems.push(problem(None, what));
    }
    problems
}

impl Database for Brenner {
    fn len(&self) -> u32 {
        self.index.len()
    }

    fn keys(&self, game: u32) -> Keys {
        self.index.keys(game)
    }

    fn text(&self, id: TextId) -> String {
        let text = self.texts.value(self.index.value(&self.file.bytes, id));
        if text.is_empty() { "?".to_owned() } else { text }
    }

    fn tags(&self, game: u32) -> Tags {
        let source = self.source(game);
        headers::tags(source.record, source.outcome, self.texts)
    }

    fn game(&self, game: u32) -> Decoded {
        decode::game(self.source(game), self.reading, self.texts)
    }

    fn main_line(&self, game: u32, each: &mut dyn FnMut(&Ply<'_>) -> ControlFlow<()>) {
        decode::main_line(self.source(game), self.reading, self.texts, MainLine(each));
    }

    fn info(&self) -> Info {
        self.info.clone()
    }

    fn problems(&self) -> &[Problem] {
        &self.problems
    }
}
