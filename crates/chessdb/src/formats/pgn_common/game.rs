//! A game: its tags and its moves.

use std::cell::OnceCell;
use std::ops::Range;

use super::characters::{decode, value};
use super::decode::{Decoder, LIMITS, left_out, short};
use super::items::{Item, Items};
use super::languages::{Language, candidates};
use super::plain;
use super::results::{Written, outcome, read_result};
use super::section::Section;
use super::set_up::SetUp;
use super::tag::{Flaw, Tag};
use super::usual_names::{FoundValue, usual_name};
use super::values::is_unknown;
use crate::board::{ByColor, Position, SetupError};
use crate::game::{Date, DateFlaw, Game, Movetext, Tags, is_name, rating};
use crate::problem::{Problem, ProblemKind};
use crate::replay::{CountedLine, Fault, Origin, Replay, Tree};
use crate::text::{Charset, TextEncoding, utf8_len, utf8_lossy};

/// Maximum number of tags of a game (section 8); others are left out.
pub(in crate::formats) const MOST_TAGS: usize = 1000;

/// A game as written in the file.
#[derive(Debug)]
pub(in crate::formats) struct Stored<'a> {
    pub(in crate::formats) text: &'a [u8],
    /// Its offset in the file.
    pub(in crate::formats) start: u64,
    pub(in crate::formats) line_end: u8,
    /// True if the text was made from other data. Then its start is the offset of every part.
    is_made: bool,
    characters: TextEncoding,
    /// Its encoding, found on first use by examining the whole text. Reading only moves does not need it.
    encoding: OnceCell<Charset>,
}

/// The information in the tags of a game.
struct Read {
    tags: Tags,
    set_up: Option<Result<SetUp, SetupError>>,
    /// Offset and value of the tag `FEN`.
    fen: Option<(usize, String)>,
    /// Offset of the movetext.
    moves_at: usize,
    /// Oddities of the tags, with their offsets.
    doubts: Vec<(usize, String)>,
    /// Lines between the tags: comments, and text that is left out.
    between: Vec<Range<usize>>,
    result: Option<ResultTag>,
}

/// The tag `Result`, if it can be read.
struct ResultTag {
    at: usize,
    written: Written,
    text: String,
}

/// The moves of a game, read in one way.
struct Attempt {
    movetext: Movetext,
    problems: Vec<Problem>,
    /// True if a word with the form of a move could not be played.
    has_failed: bool,
    /// True if a promotion that names no piece was played as one to a queen.
    has_queen: bool,
}

/// A way of reading the moves of a game.
#[derive(Clone, Copy, Debug)]
struct Way {
    language: Option<&'static Language>,
    /// Whether a promotion without a piece is read as a queen.
    takes_queens: bool,
}

impl<'a> Stored<'a> {
    /// A game from its bytes.
    pub(in crate::formats) fn new(
        text: &'a [u8],
        start: u64,
        characters: TextEncoding,
        line_end: u8,
    ) -> Stored<'a> {
        Stored {
            text,
            start,
            line_end,
            is_made: false,
            characters,
            encoding: OnceCell::new(),
        }
    }

    /// A game whose text, with line feeds, was made from data at one offset of a file.
    #[cfg(feature = "parquet")]
    pub(in crate::formats) fn made(text: &'a [u8], start: u64, characters: TextEncoding) -> Stored<'a> {
        Stored {
            is_made: true,
            ..Stored::new(text, start, characters, b'\n')
        }
    }

    /// The offset in the file of a place in the text.
    pub(super) fn place(&self, at: usize) -> u64 {
        if self.is_made {
            self.start
        } else {
            self.start + at as u64
        }
    }

    /// The encoding of the text.
    pub(in crate::formats) fn encoding(&self) -> Charset {
        *self
            .encoding
            .get_or_init(|| self.characters.charset_of(self.text))
    }

    /// The items of the movetext, which starts at an offset.
    pub(in crate::formats) fn items(&self, moves_at: usize) -> Items<'a> {
        let items = Items::new(self.text, moves_at, self.line_end);
        match self.characters.forced {
            None => items,
            Some(encoding) => items.in_encoding(encoding),
        }
    }

    /// All tags.
    pub(in crate::formats) fn tags(&self) -> Tags {
        self.read().tags
    }

    /// The ratings, as in [`Stored::tags`]. No other tag is decoded.
    pub(in crate::formats) fn ratings(&self) -> ByColor<Option<u16>> {
        let mut found = ByColor::<FoundValue<'_>>::default();
        for (_, tag) in Section::new(self.text, self.line_end).take(MOST_TAGS) {
            match usual_name(tag.name) {
                Some(name @ "WhiteElo") => found.white.offer(name, &tag),
                Some(name @ "BlackElo") => found.black.offer(name, &tag),
                _ => continue,
            }
            if found.white.is_exact() && found.black.is_exact() {
                break;
            }
        }
        found.map(|found| rating(&value(found.get()?, self.encoding())))
    }

    /// True if the game certainly has no annotations. Comments may also be between the tags, and in text that is not a
    /// tag.
    pub(in crate::formats) fn has_only_moves(&self) -> bool {
        let mut section = Section::new(self.text, self.line_end);
        let are_tags = section.by_ref().all(|(_, tag)| tag.flaw.is_none());
        let movetext = self.text.get(section.at..).unwrap_or_default();
        are_tags && section.between.is_empty() && plain::has_only_moves(movetext)
    }

    /// The whole game.
    pub(in crate::formats) fn game(&self, file: &str) -> (Game, Vec<Problem>) {
        let read = self.read();
        let (movetext, problems) = self.replay(&read, file);
        let game = Game {
            tags: read.tags,
            movetext,
        };
        (game, problems)
    }

    /// Passes the moves of the main line to `line`. Returns false if the line cannot be read without its
    /// variations.
    pub(in crate::formats) fn main_line(&self, line: CountedLine<'_>) -> bool {
        let mut section = Section::new(self.text, self.line_end);
        let [mut fen, mut result] = [FoundValue::default(); 2];
        for (_, tag) in section.by_ref().take(MOST_TAGS) {
            match tag.name.len() {
                3 if tag.name.eq_ignore_ascii_case(b"FEN") => fen.offer("FEN", &tag),
                6 if tag.name.eq_ignore_ascii_case(b"Result") => result.offer("Result", &tag),
                _ => {}
            }
        }
        section.by_ref().for_each(drop);
        let text = |found: FoundValue<'_>| Some(value(found.get()?, self.encoding()));
        let fen = text(fen).filter(|fen| !is_unknown("FEN", fen));
        let set_up = fen.map(|fen| SetUp::parse(&fen));
        let tag = || read_result(&text(result)?);
        let start = match set_up {
            None => Position::initial(),
            Some(Ok(set_up)) => set_up.position,
            Some(Err(_)) => return true,
        };
        let replay = Replay::new(line, start, (), LIMITS, Origin::default());
        Decoder::new(self, section.at, tag, None, replay)
            .decode()
            .is_certain
    }

    /// The moves of a game, and the problems. If not all moves can be read in English, but all can in another language,
    /// that language is used.
    fn replay(&self, read: &Read, file: &'a str) -> (Movetext, Vec<Problem>) {
        let way = Way {
            language: None,
            takes_queens: true,
        };
        let english = self.attempt(read, file, way);
        if !english.has_failed {
            return (english.movetext, english.problems);
        }
        let languages = candidates(self.items(read.moves_at), self.encoding());
        let attempt = languages
            .first()
            .map(|&language| Some(language))
            .map(|language| self.attempt(read, file, Way { language, ..way }));
        match attempt.filter(|attempt| !attempt.has_failed) {
            Some(Attempt {
                movetext,
                mut problems,
                ..
            }) => {
                let names: Vec<&str> = languages.iter().map(|language| language.name).collect();
                let what = format!("the letters of pieces are read in {}", names.join(" or "));
                let place = self.place(read.moves_at);
                problems.push(Problem::new(ProblemKind::Doubt, file, place, what));
                (movetext, problems)
            }
            // A promotion without a piece was played as a queen, but may have been another piece. If the game can be
            // read without this move, it was not a promotion.
            None if english.has_queen => {
                let plain = Way {
                    takes_queens: false,
                    ..way
                };
                let plain = self.attempt(read, file, plain);
                (plain.movetext, plain.problems)
            }
            None => (english.movetext, english.problems),
        }
    }

    fn attempt(&self, read: &Read, file: &'a str, way: Way) -> Attempt {
        let origin = Origin {
            file,
            ..Origin::default()
        };
        let (position, first_move) = match &read.set_up {
            Some(Ok(set_up)) => (set_up.position, set_up.first_move),
            _ => (Position::initial(), 1),
        };
        let begin = || {
            let tree = Tree::beginning(&position, first_move, self.text.len() / 6);
            let mut replay = Replay::new(tree, position, (), LIMITS, origin);
            for (at, what) in &read.doubts {
                replay.doubt(self.place(*at), what.clone());
            }
            for lines in &read.between {
                self.add_lines(&mut replay, lines.clone());
            }
            replay
        };
        if let (Some(Err(error)), Some((at, fen))) = (&read.set_up, &read.fen) {
            let text = self.in_one_line(read.moves_at..self.text.len());
            let detail = format!(": {fen}; the moves are {text}");
            let mut replay = begin();
            replay.fault_with(
                self.place(*at),
                &Fault::damage(format!("no game can be played from the set-up position: {error}")),
                &detail,
            );
            let (movetext, problems) = replay.finish();
            return Attempt {
                movetext,
                problems,
                has_failed: false,
                has_queen: false,
            };
        }
        let tag = || read.result.as_ref().map(|result| result.written);
        let decoder = || {
            let decoder = Decoder::new(self, read.moves_at, tag, way.language, begin());
            if way.takes_queens {
                decoder
            } else {
                decoder.without_queens()
            }
        };
        let mut end = decoder().decode();
        if end.needs_counts {
            let plies = 2 * u64::from(first_move.saturating_sub(1)) + u64::from(position.turn().is_black());
            end = decoder().counting(plies).decode();
        }
        let shown = read.tags.outcome();
        if let Some(outcome) = end.outcome
            && outcome != shown
        {
            let source = read.result.as_ref().map_or("game", |_| "tag");
            let what = format!(
                "the {source} has the result {}, the movetext {}",
                shown.token(),
                outcome.token()
            );
            end.replay.doubt(self.place(read.moves_at), what);
        }
        let unplayed = match &read.result {
            Some(result) if result.written.is_unplayed => Some((
                result.at,
                format!(
                    "{}: the tag Result is {}",
                    result.written.meaning(),
                    result.text.trim()
                ),
            )),
            _ => end.unplayed.map(|last| {
                let text = self.in_one_line(last.start..last.end);
                (
                    last.start,
                    format!("{}: the result is {text}", last.result.meaning()),
                )
            }),
        };
        if let Some((at, what)) = unplayed {
            end.replay.fault(self.place(at), &Fault::Doubt(what.into()));
        }
        let (movetext, problems) = end.replay.finish();
        Attempt {
            movetext,
            problems,
            has_failed: end.has_failed,
            has_queen: end.has_queen,
        }
    }

    /// Renames tags whose names differ from usual names only in letter case, unless the game also has a tag with the
    /// usual name. Returns the problem.
    fn give_usual_names(&self, found: &mut [(usize, Tag<'a>)]) -> Option<(usize, String)> {
        let (mut first, mut names) = (None, Vec::new());
        for place in 0..found.len() {
            let Some(&(at, tag)) = found.get(place) else { break };
            let Some(usual) = usual_name(tag.name) else {
                continue;
            };
            let name = usual.as_bytes();
            if name == tag.name || found.iter().any(|(_, other)| other.name == name) {
                continue;
            }
            names.push(format!("{} for {usual}", utf8_lossy(tag.name)));
            first.get_or_insert(at);
            if let Some((_, tag)) = found.get_mut(place) {
                tag.name = name;
            }
        }
        let what = format!("names of tags are in another letter case: {}", names.join(", "));
        Some((first?, what))
    }

    /// Adds lines between the tags that are not tags: comments go to the moves, and other text into a remark.
    fn add_lines(&self, replay: &mut Replay<'_, Tree>, lines: Range<usize>) {
        let mut items = Items::new(
            self.text.get(..lines.end).unwrap_or_default(),
            lines.start,
            self.line_end,
        );
        let mut other: Option<Range<usize>> = None;
        loop {
            let item = items.next();
            if let Some(Item::Comment(..)) | None = item
                && let Some(text) = other.take()
            {
                let (fault, detail) = left_out("this is no tag", &self.in_one_line(text.clone()));
                replay.fault_with(self.place(text.start), &fault, &detail);
            }
            match item {
                Some(Item::Comment(text, _)) => replay.comment(&decode(text, self.encoding())),
                Some(_) => other.get_or_insert(items.start..items.at).end = items.at,
                None => return,
            }
        }
    }

    /// A part of the text as a single line.
    pub(super) fn in_one_line(&self, part: Range<usize>) -> String {
        let text = decode(self.text.get(part).unwrap_or_default(), self.encoding());
        let words: Vec<&str> = text.split_whitespace().collect();
        words.join(" ")
    }

    fn read(&self) -> Read {
        let mut section = Section::new(self.text, self.line_end);
        let mut found: Vec<(usize, Tag<'_>)> = Vec::with_capacity(16);
        let (mut doubts, mut odd_names) = (Vec::new(), Vec::new());
        for (number, (at, tag)) in section.by_ref().enumerate() {
            let name = || utf8_lossy(tag.name);
            match tag.flaw {
                Some(Flaw::End) => doubts.push((at, format!("the tag {} is not closed", name()))),
                Some(Flaw::Quotes) => {
                    doubts.push((at, format!("the tag {} has no quotation marks", name())));
                }
                Some(Flaw::Name) => {
                    odd_names.push(at..at + tag.len);
                    continue;
                }
                None => {}
            }
            if number >= MOST_TAGS {
                doubts.push((at, format!("the game has more than {MOST_TAGS} tags")));
                break;
            }
            if found.iter().any(|(_, other)| other.name == tag.name) {
                doubts.push((at, format!("the tag {} occurs twice", name())));
            } else {
                found.push((at, tag));
            }
        }
        section.by_ref().for_each(drop);
        let moves_at = section.at;
        doubts.extend(self.give_usual_names(&mut found));
        let mut between = std::mem::take(&mut section.between);
        between.extend(odd_names);
        between.sort_by_key(|lines| lines.start);
        let text_of = |name: &[u8]| {
            let found = found.iter().find(|(_, tag)| tag.name == name);
            found.map(|(at, tag)| (*at, value(tag.value, self.encoding())))
        };
        if self.encoding() == Charset::Mixed {
            let what = "bytes that are not UTF-8 are read in windows-1252";
            doubts.push((utf8_len(self.text), what.to_owned()));
        }
        let result = text_of(b"Result").and_then(|(at, text)| {
            let written = read_result(&text)?;
            Some(ResultTag { at, written, text })
        });
        let tagged = result.as_ref().map(|result| result.written);
        let mut tags = Tags::new(outcome(tagged, self.items(moves_at), self.encoding()));
        let fen = text_of(b"FEN").filter(|(_, fen)| !is_unknown("FEN", fen));
        let set_up = fen.as_ref().map(|(_, fen)| SetUp::parse(fen));
        let has_date = found.iter().any(|(_, tag)| tag.name == b"Date");
        for (at, tag) in &found {
            let name = utf8_lossy(tag.name);
            let text = value(tag.value, self.encoding());
            match name.as_str() {
                "SetUp" if fen.is_none() && text.trim() == "1" => {
                    doubts.push((*at, "the tag SetUp has no FEN beside it".to_owned()));
                }
                "Result" | "FEN" | "SetUp" => {}
                "Date" => {
                    let (date, flaw) = Date::read(&text);
                    doubts.extend(flaw.map(|flaw| (*at, doubtful_date(date, flaw, &text))));
                    tags.set_date("Date", date);
                }
                _ if !is_name(&name) => doubts.push((*at, format!("the tag {name} has no name of PGN"))),
                _ if is_unknown(&name, &text) => {}
                _ => {
                    let is_played = name == "UTCDate" && !has_date;
                    if is_played || name == "EventDate" {
                        let (date, flaw) = Date::read(&text);
                        doubts.extend(flaw.map(|flaw| (*at, doubtful_date(date, flaw, &text))));
                        if is_played {
                            tags.set_date("Date", date);
                        }
                    }
                    tags.set_str(name, &text);
                }
            }
        }
        match &set_up {
            Some(Ok(set_up)) => {
                tags.set_str("SetUp", "1");
                tags.set_str("FEN", &set_up.fen);
            }
            Some(Err(_)) => tags.set_no_start(),
            None => {}
        }
        Read {
            tags,
            set_up,
            fen,
            moves_at,
            doubts,
            between,
            result,
        }
    }
}

/// The problem of a date with a flaw.
fn doubtful_date(date: Date, flaw: DateFlaw, text: &str) -> String {
    match flaw {
        DateFlaw::Impossible => format!("there is no such day: {}", short(text)),
        DateFlaw::Ambiguous => format!("of this date only the year is certain: {}", short(text)),
        DateFlaw::Unreadable if date == Date::default() => {
            format!("the date cannot be read: {}", short(text))
        }
        DateFlaw::Unreadable => format!("a part of the date cannot be read: {}", short(text)),
    }
}

#[cfg(test)]
mod tests;
