//! Finds and opens databases (sections 1.2, 2, 7.5 and 8.1).

use std::collections::HashSet;

use encoding_rs::{Encoding, WINDOWS_1251};

use super::address::follow;
use super::cdp::{Cdp, SIGNATURE};
use super::codes::{Code, read};
use super::emb::{self, Emb};
use super::encoding::{Evidence, decode};
use super::header::{self, Header};
use super::names::Names;
use super::reading::{self, CodeReading};
use super::record::{self, LengthForm};
use super::setup::{self, Refused};
use super::{ChessAssistant, game};
use crate::bytes::le_u32;
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
        let mut problems = files.holes();
        // A database without games has empty files.
        let is_empty = |kind| files.get(kind).is_some_and(|file| file.bytes.is_empty());
        if let Some((_, main)) = files.files.first()
            && !["d00", "a02", "d02"].into_iter().all(is_empty)
        {
            problems.extend(files.lost(main, LOST));
        }
        let emb = Emb::open(files.get("emb"), &mut problems);
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
            problems,
        };
        let sample = database.sample();
        database.choose_reading(&sample, options);
        let comment = files.get("cdp").map(|cdp| Cdp::read(&cdp.bytes).comment);
        database.choose_encoding(&sample, comment.unwrap_or_default(), options, &mut warnings);
        let mut problems = std::mem::take(&mut database.problems);
        problems.extend(database.same_address());
        database.note_leftovers(&files, &mut warnings, &mut problems);
        database.problems = problems;
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

    fn note_leftovers(&self, files: &Files, warnings: &mut Vec<String>, problems: &mut Vec<Problem>) {
        if let Some(file) = files.get("cdp") {
            let cdp = Cdp::read(&file.bytes);
            match cdp.games {
                Some(games) if games == self.headers.len() => {}
                Some(games) if games > self.headers.len() => {
                    let what = format!(
                        "there are {} headers, but {} counts {games} games",
                        self.headers.len(),
                        file.name
                    );
                    let at = self.d00.as_ref().map(|d00| d00.bytes.len() as u64);
                    problems.extend(at.map(|at| Problem::damage(self.d00_name(), at, what)));
                }
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
                let at = file.bytes.len() - left;
                let what = format!("{left} bytes after the last {what} are ignored");
                problems.push(Problem::damage(&file.name, at as u64, what));
            }
        }
        if let Some(emb) = files.get("emb").filter(|emb| emb.bytes.len() >= emb::HEADER) {
            for list in self.names.missing() {
                let what = format!("there are no {list}: their names are unknown");
                problems.push(Problem::damage(&emb.name, None, what));
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

    /// The problem of several games whose entries lead to the first record: only one of them can be right.
    fn same_address(&self) -> Option<Problem> {
        let a02 = self.a02.as_ref()?;
        let games = self.d00.iter().flat_map(|d00| d00.numbers(self.headers.len()));
        let games = games.filter(|game| !self.is_blank(*game));
        let mut first: Vec<u32> = games.filter_map(|game| self.first_record(a02, game)).collect();
        first.sort_unstable();
        first.dedup();
        let what = format!(
            "{} entries lead to the first game: all but one are lost",
            first.len()
        );
        let second = first.get(1)?;
        Some(Problem::damage(&a02.name, u64::from(*second) * 4, what))
    }

    /// The entry of a game, if it leads to the first record. The zeros of a hole lead nowhere.
    fn first_record(&self, a02: &SourceFile, game: u32) -> Option<u32> {
        let place = |id: u32| usize::try_from(id).ok()?.checked_mul(4);
        let entry = |id| le_u32(&a02.bytes, place(id)?).map(u32::cast_signed);
        let found = follow(self.header(game).game_id, entry).ok()?;
        let is_first = found.address == 0 && a02.gap_at(place(found.id)?).is_none();
        is_first.then_some(found.id)
    }

    /// The FEN of a game, without decoding its moves if possible.
    pub(super) fn fen(&self, header: &Header) -> Result<Option<String>, Refused> {
        let record = || {
            let (d02, address) = game::address(self, header).ok()?;
            record::read(&d02.bytes, address, LengthForm::TwoBytes)
        };
        let Some(record) = record() else { return Ok(None) };
        if record.is_ambiguous {
            return game::moves(self, 0, header, self.reading).fen;
        }
        match setup::find(record.codes) {
            Some((_, bytes)) => setup::start(bytes).map_or(Err(Refused), |start| Ok(start.fen)),
            None => Ok(None),
        }
    }
}

/// The files beside the main file, and what is lost without each.
const LOST: [(&str, &str); 4] = [
    ("d00", "without the headers there are no games"),
    ("a02", "games have no moves"),
    ("d02", "games have no moves"),
    ("emb", "all names are unknown"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::Bytes;
    use crate::holed::Holed;
    use std::ops::Range;
    use std::sync::Arc;

    /// The problem that entries of the `.a02` lead to the first record, for games with these ids.
    fn problem_of(ids: impl Iterator<Item = u32>, a02: &[u8], gap: Option<Range<usize>>) -> Option<Problem> {
        let header = |id: u32| {
            let mut header = [0; header::SIZE];
            header[0] = 1;
            header[24..28].copy_from_slice(&id.to_le_bytes());
            header
        };
        let d00: Vec<u8> = ids.flat_map(header).collect();
        let files: [(&str, Arc<dyn Bytes>); 3] = [
            ("d00", Arc::new(d00)),
            ("a02", Arc::new(Holed(a02.to_vec(), gap.into_iter().collect()))),
            ("d02", Arc::new(vec![0; 8])),
        ];
        let files = files.map(|(kind, bytes)| {
            let name = format!("x.{kind}");
            (kind.to_owned(), SourceFile { name, bytes })
        });
        let files = Files {
            files: files.into(),
            ..Files::default()
        };
        let database = ChessAssistant::open(files, &Options::default()).unwrap();
        let mut problems = database.problems.into_iter();
        problems.find(|problem| problem.what.contains("lead to the first game"))
    }

    #[test]
    fn only_entries_of_games_that_lead_to_one_record_lose_games() {
        // Ids start at 1. The last two entries belong to no game.
        let a02: Vec<u8> = [0u32, 0, 4, 0, 0].map(u32::to_le_bytes).concat();
        assert_eq!(problem_of(1..3, &a02, None), None);
        let problem = problem_of(1..4, &a02, None).unwrap();
        let what = "2 entries lead to the first game: all but one are lost";
        assert_eq!((problem.offset, &*problem.what), (Some(12), what));
    }

    #[test]
    fn entries_in_a_hole_lead_nowhere() {
        // Entries of 1 and 0 in turn.
        let mut a02 = [1u32.to_le_bytes(), [0; 4]].concat().repeat(8);
        a02.extend([0; 400]);
        for (gap, expected) in [
            (None, Some((12, "108 entries"))),
            (Some(64..464), Some((12, "8 entries"))),
            (Some(8..464), None),
        ] {
            let problem = problem_of(1..116, &a02, gap.clone());
            let shown = problem.as_ref().map(|problem| {
                (
                    problem.offset.unwrap(),
                    problem.what.split(" lead").next().unwrap(),
                )
            });
            assert_eq!(shown, expected, "{gap:?}");
        }
    }
}
