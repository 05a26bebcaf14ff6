//! Finds and opens databases (sections 1.2, 2, 7.5 and 8.1).

use std::collections::HashSet;

use encoding_rs::{Encoding, WINDOWS_1251};

use super::cdp::{Cdp, SIGNATURE};
use super::codes::{Code, read};
use super::emb::Emb;
use super::encoding::{Evidence, decode};
use super::header::{self, Header};
use super::names::Names;
use super::reading::{self, CodeReading};
use super::record::{self, LengthForm};
use super::{ChessAssistant, game, setup};
use crate::database::{Info, NotADatabase, Options, Rows};
use crate::files::{Candidate, Files, SourceFile, SourceFolder, by_stem};
use crate::problem::Problem;

/// Number of games in the sample that determines the reading.
const SAMPLE: u64 = 32;

/// Finds databases by file name: a `.cdp`, or a `.d00` together with a file of moves.
pub(super) fn find(directory: &SourceFolder) -> Vec<Candidate> {
    let mut found = by_stem(directory, &["cdp", "d00"], &["a02", "d02", "emb"]);
    found.retain(|candidate| has(candidate, "cdp") || is_complete(|kind| has(candidate, kind)));
    found
}

fn has(candidate: &Candidate, kind: &str) -> bool {
    candidate.files.iter().any(|(other, _)| other == kind)
}

/// True with a `.d00` and at least one of the files that lead to moves.
fn is_complete(has: impl Fn(&str) -> bool) -> bool {
    has("d00") && (has("a02") || has("d02"))
}

impl ChessAssistant {
    pub(super) fn open(files: Files, options: &Options) -> Result<ChessAssistant, NotADatabase> {
        let has_signature = files
            .get("cdp")
            .is_some_and(|cdp| cdp.bytes.starts_with(SIGNATURE));
        if !has_signature && !is_complete(|kind| files.get(kind).is_some()) {
            return Err(NotADatabase::new(
                "the .cdp does not begin with Chess Assistant, and no .d00 with .a02 or .d02 stands beside it",
            ));
        }
        let mut warnings = files.warnings.clone();
        let emb = Emb::open(files.get("emb"), &mut warnings);
        let d00 = files.get("d00").cloned();
        let headers = d00
            .as_ref()
            .map(|d00| Rows::new(d00, 0, header::SIZE, usize::MAX));
        let mut database = ChessAssistant {
            d00,
            a02: files.get("a02").cloned(),
            d02: files.get("d02").cloned(),
            names: Names::new(emb, WINDOWS_1251),
            reading: CodeReading::DEFAULT,
            headers: headers.unwrap_or_default(),
            info: Info::default(),
            problems: files.holes().into_iter().chain(missing_files(&files)).collect(),
        };
        let sample = database.sample();
        database.choose_reading(&sample, options);
        let comment = files.get("cdp").map(|cdp| Cdp::read(&cdp.bytes).comment);
        database.choose_encoding(&sample, comment.unwrap_or_default(), options, &mut warnings);
        database.note_leftovers(&files, &mut warnings);
        let rows = database.rows(&files, &sample);
        database.info = Info { rows, warnings };
        Ok(database)
    }

    /// A sample of games from the whole database (section 8.1). Its records together are not longer than their file, so
    /// that headers that all refer to one long record cost no more than valid ones.
    fn sample(&self) -> Vec<u32> {
        let len = u64::from(self.headers.len());
        let numbers = (0..SAMPLE.min(len)).map(|k| if len <= SAMPLE { k } else { k * len / SAMPLE });
        let mut budget = self.d02.as_ref().map_or(0, SourceFile::data_len);
        let mut seen = HashSet::new();
        let fits = |game: &u32| {
            let Ok((d02, address)) = game::address(self, &self.header(*game)) else {
                return true;
            };
            // Both forms of the length may be tried.
            let forms = [LengthForm::TwoBytes, LengthForm::Leb128].into_iter();
            let records = forms.filter_map(|form| record::read(&d02.bytes, address, form));
            let cost = records.map(|record| record.codes.len()).max().unwrap_or(0);
            if !seen.insert(address) || cost > budget {
                return false;
            }
            budget -= cost;
            true
        };
        numbers
            .filter_map(|game| u32::try_from(game).ok())
            .filter(fits)
            .collect()
    }

    fn choose_reading(&mut self, sample: &[u32], options: &Options) {
        if let Some(reading) = options.reading.as_deref().and_then(CodeReading::named) {
            self.reading = reading;
            return;
        }
        let clean = |reading| {
            let is_clean = |game: &&u32| game::moves(self, **game, &self.header(**game), reading).is_clean;
            sample.iter().filter(is_clean).count()
        };
        self.reading = reading::choose(sample.len(), clean);
    }

    fn choose_encoding(
        &mut self,
        sample: &[u32],
        comment: &[u8],
        options: &Options,
        warnings: &mut Vec<String>,
    ) {
        if let Some(label) = &options.encoding {
            match Encoding::for_label(label.as_bytes()) {
                Some(encoding) => {
                    self.names.encoding = encoding;
                    return;
                }
                None => warnings.push(format!("no text encoding is called {label}")),
            }
        }
        let mut evidence = Evidence::default();
        evidence.add(comment);
        self.names.add_evidence(&mut evidence);
        for &game in sample {
            self.add_texts_of(game, &mut evidence);
        }
        self.names.encoding = evidence.guess();
    }

    /// Adds the evidence for the code page from the comments of a game.
    fn add_texts_of(&self, game: u32, evidence: &mut Evidence) {
        let Ok((d02, address)) = game::address(self, &self.header(game)) else {
            return;
        };
        let Some(record) = record::read(&d02.bytes, address, LengthForm::TwoBytes) else {
            return;
        };
        let mut at = 0;
        while let Ok(Some((code, size))) = read(record.codes, at) {
            if let Code::Comment([4 | 5, text @ ..]) = code {
                evidence.add(text);
            }
            at += size;
        }
    }

    fn note_leftovers(&self, files: &Files, warnings: &mut Vec<String>) {
        if let Some(file) = files.get("cdp") {
            let cdp = Cdp::read(&file.bytes);
            match cdp.games {
                Some(games) if games == self.headers.len() => {}
                Some(games) => warnings.push(format!(
                    "{} counts {games} games, {} has {}",
                    file.name,
                    self.d00_name(),
                    self.headers.len()
                )),
                None => warnings.push(format!("{} ends before the number of games", file.name)),
            }
            if cdp.is_cut && cdp.games.is_some() {
                warnings.push(format!("{} ends inside the comment on the base", file.name));
            }
        }
        let sized = [(&self.d00, header::SIZE, "header"), (&self.a02, 4, "entry")];
        for (file, size, what) in sized {
            if let Some(file) = file
                && file.bytes.gaps().is_empty()
                && !file.bytes.len().is_multiple_of(size)
            {
                let left = file.bytes.len() % size;
                warnings.push(format!(
                    "{}: {left} bytes after the last {what} are ignored",
                    file.name
                ));
            }
        }
        if files.get("emb").is_some() {
            for list in self.names.missing() {
                warnings.push(format!("the .emb holds no {list}: their names are unknown"));
            }
        }
    }

    fn rows(&self, files: &Files, sample: &[u32]) -> Vec<(&'static str, String)> {
        let mut rows = Vec::new();
        let text = |bytes| decode(bytes, self.names.encoding);
        if let Some(file) = files.get("cdp") {
            let cdp = Cdp::read(&file.bytes);
            let described = [
                ("made by", cdp.signature),
                ("version", cdp.version),
                ("comment", cdp.comment),
            ];
            let there = described.into_iter().map(|(name, bytes)| (name, text(bytes)));
            rows.extend(there.filter(|(_, text)| !text.trim().is_empty()));
        }
        rows.push(("reading", self.reading.name()));
        rows.push(("encoding", self.names.encoding.name().to_owned()));
        let marks: u32 = sample
            .iter()
            .map(|&game| game::moves(self, game, &self.header(game), self.reading).folder_marks)
            .fold(0, u32::saturating_add);
        if marks > 0 {
            let games = sample.len();
            rows.push((
                "folder marks",
                format!("{marks} in a sample of {games} games, not shown"),
            ));
        }
        let games = self.d00.iter().flat_map(|d00| d00.numbers(self.headers.len()));
        let unknown = games.filter(|&game| self.header(game).has_unknown_type());
        match unknown.count() {
            0 => {}
            count => rows.push((
                "game types",
                format!("{count} games have types above 30, which perhaps are bit masks: shown as numbers"),
            )),
        }
        rows
    }

    /// The FEN of a game, without decoding its moves if possible.
    pub(super) fn fen(&self, header: &Header) -> Option<String> {
        let (d02, address) = game::address(self, header).ok()?;
        let record = record::read(&d02.bytes, address, LengthForm::TwoBytes)?;
        if record.is_ambiguous {
            return game::moves(self, 0, header, self.reading).fen;
        }
        let (_, bytes) = setup::find(record.codes)?;
        setup::start(bytes).ok()?.fen
    }
}

/// Problems for missing files, without which something is missing in every game.
fn missing_files(files: &Files) -> Vec<Problem> {
    let needed = [
        (
            "d00",
            "(missing .d00)",
            "the headers are missing: without them there are no games",
        ),
        (
            "a02",
            "(missing .a02)",
            "the addresses of the moves are missing: games have tags only",
        ),
        (
            "d02",
            "(missing .d02)",
            "the moves are missing: games have tags only",
        ),
        ("emb", "(missing .emb)", "the names are missing: all are ?"),
    ];
    let missing = needed.into_iter().filter(|(kind, ..)| files.get(kind).is_none());
    missing
        .map(|(_, file, what)| Problem::damage(file, None, what))
        .collect()
}
