//! Columns to tags (section 7.3), and decoding a whole game.

use super::Jose;
use super::columns::Column;
use super::decode::{DecodedMoves, Decoder, Findings, MoveDataPlace};
use super::games::{Entry, Record};
use super::myisam::{Row, Table};
use super::set_up::SetUp;
use super::tokens::{Tokens, ZeroNag};
use crate::board::{ByColor, Position, SetupError};
use crate::database::{Decoded, ratings_of, ratings_of_numbers};
use crate::game::{Game, Movetext, Tags};
use crate::problem::Problem;
use crate::replay::{CountedLine, Fault, Replay, Tree};

/// Attribute of a Chess960 game. The other attributes are not reliable.
const CHESS960: i32 = 8;

/// The start position of a game (section 5).
enum Start {
    Normal,
    SetUp(Box<SetUp>),
    /// A text that is not a position.
    Unreadable(String),
}

impl Jose {
    /// All tags of a game.
    pub(super) fn tags_of(&self, entry: &Entry) -> Tags {
        let record = self.games.record(entry);
        self.header(entry, &record, &self.start(&record))
    }

    /// The ratings of a game. If their columns are empty, they may be in `Info`.
    pub(super) fn ratings_of_entry(&self, entry: &Entry) -> ByColor<Option<u16>> {
        let record = self.games.record(entry);
        match [Column::WhiteElo, Column::BlackElo].map(|column| record.count(column)) {
            [Some(white), Some(black)] => ratings_of_numbers([white, black]),
            _ => ratings_of(&self.tags_of(entry)),
        }
    }

    fn start(&self, record: &Record<'_>) -> Start {
        match record.text(Column::Fen, self.texts) {
            None => Start::Normal,
            Some(text) if text.is_empty() => Start::Normal,
            Some(text) => match SetUp::parse(&text) {
                Some(set_up) => Start::SetUp(Box::new(set_up)),
                None => Start::Unreadable(text),
            },
        }
    }

    fn header(&self, entry: &Entry, record: &Record<'_>, start: &Start) -> Tags {
        let texts = self.texts;
        let mut tags = Tags::new(entry.outcome);
        tags.set_str("Event", self.names.events.text(entry.event));
        tags.set_str(
            "Site",
            self.sites.text(self.sites.place(record.int(Column::SiteId))),
        );
        tags.set_date("Date", entry.date);
        tags.set_str("White", self.names.players.text(entry.white));
        tags.set_str("Black", self.names.players.text(entry.black));
        for (name, column) in [
            ("Round", Column::Round),
            ("Board", Column::Board),
            ("ECO", Column::Eco),
        ] {
            if let Some(text) = record.known_text(column, texts) {
                tags.set_str(name, &text);
            }
        }
        for (name, column) in [
            ("WhiteElo", Column::WhiteElo),
            ("BlackElo", Column::BlackElo),
            ("PlyCount", Column::PlyCount),
        ] {
            if let Some(number) = record.count(column) {
                tags.set_number(name, number);
            }
        }
        for (name, column) in [
            ("WhiteTitle", Column::WhiteTitle),
            ("BlackTitle", Column::BlackTitle),
        ] {
            if let Some(title) = record.text(column, texts).filter(|title| !title.is_empty()) {
                tags.set_str(name, &title);
            }
        }
        if let Some(date) = record.date(Column::EventDate) {
            tags.set_date("EventDate", date.meant(self.games.shift));
        }
        for (name, names, column) in [
            ("Opening", &self.openings, Column::OpeningId),
            ("Annotator", &self.names.players, Column::AnnotatorId),
        ] {
            match names.place(record.int(column)) {
                0 => {}
                place => tags.set_str(name, names.text(place)),
            }
        }
        let is_chess960 = matches!(start, Start::SetUp(set_up) if set_up.is_chess960)
            || record.int(Column::Attributes).unwrap_or(0) & CHESS960 != 0;
        if is_chess960 {
            tags.set_str("Variant", "Chess960");
        }
        match start {
            Start::Normal => {}
            Start::SetUp(set_up) => {
                tags.set_str("SetUp", "1");
                tags.set_str("FEN", &set_up.fen);
            }
            Start::Unreadable(_) => tags.set_no_start(),
        }
        if let Some(info) = record.text(Column::Info, texts) {
            add_info(&mut tags, &info);
        }
        if entry.is_deleted {
            tags.set_str("Deleted", "1");
        }
        tags
    }

    /// Decodes a game.
    pub(super) fn decode(&self, entry: &Entry) -> Decoded {
        let record = self.games.record(entry);
        let start = self.start(&record);
        let tags = self.header(entry, &record, &start);
        let (movetext, problems) = match record.moves(self.texts) {
            Some((tokens, place)) if !matches!(start, Start::Unreadable(_)) => {
                let reading = read(tokens, place, &start, &record);
                (reading.output, reading.problems)
            }
            moves => without_moves(&record, &start, moves.is_none()),
        };
        Decoded {
            game: Game { tags, movetext },
            problems,
        }
    }

    /// Replays the main line of a game into a sink. Returns `None` if its reading depends on the whole game.
    pub(super) fn replay_main_line(&self, entry: &Entry, sink: CountedLine<'_>) -> Option<()> {
        let record = self.games.record(entry);
        let (tokens, place) = record.moves(self.texts)?;
        let (position, _, None) = beginning(&self.start(&record))? else {
            return None;
        };
        if tokens.has_zero_nag() || tokens.may_promote_in_variations() {
            return None;
        }
        Decoder::new(tokens, place, position, sink).decode();
        Some(())
    }
}

/// Start position, first move number, and why no game can be played from it; `None` if it cannot be read.
fn beginning(start: &Start) -> Option<(Position, u32, Option<SetupError>)> {
    match start {
        Start::Normal => Some((Position::initial(), 1, None)),
        Start::SetUp(set_up) => Some((set_up.position, set_up.first_move, set_up.flaw)),
        Start::Unreadable(_) => None,
    }
}

/// The damaged rows of a game.
fn damaged_rows<'t>(record: &Record<'t>) -> impl Iterator<Item = (MoveDataPlace<'t>, &'static str)> {
    let place = |(table, row): (&'t Table, &Row<'t>)| Some((place_of(table, row), row.damage?));
    record.rows().filter_map(place)
}

fn place_of<'t>(table: &'t Table, row: &Row<'_>) -> MoveDataPlace<'t> {
    MoveDataPlace {
        file: table.file_name(),
        data: None,
        row: row.offset,
    }
}

/// Movetext without moves, with remarks that state the reason.
fn without_moves(record: &Record<'_>, start: &Start, lacks_data: bool) -> (Movetext, Vec<Problem>) {
    let mut replay = Replay::builder(Position::initial(), 1);
    for (place, what) in damaged_rows(record) {
        replay.fault_in(place.origin(), place.row, &Fault::damage(what), "");
    }
    if let Some((table, row)) = record.rows().last() {
        let place = place_of(table, row);
        let mut fault = |what: String| replay.fault_in(place.origin(), place.row, &Fault::damage(what), "");
        if let Start::Unreadable(text) = start {
            fault(format!("the start position cannot be read: {text}"));
        }
        if lacks_data {
            fault("there are no move data".to_owned());
        }
    }
    replay.finish()
}

/// Decodes the move data in the reading of NAG 0 that fits (section 3.7).
fn read<'a>(
    tokens: Tokens<'a>,
    place: MoveDataPlace<'a>,
    start: &Start,
    record: &Record<'_>,
) -> DecodedMoves<Movetext> {
    let (position, first_move, flaw) = beginning(start).unwrap_or((Position::initial(), 1, None));
    let decoder = |tokens: Tokens<'a>| {
        let sink = Tree::beginning(&position, first_move, tokens.bin.len());
        let mut decoder = Decoder::new(tokens, place, position, sink);
        for (place, what) in damaged_rows(record) {
            decoder.row_fault(place, what);
        }
        decoder
    };
    if let Some(flaw) = flaw {
        let reason = format!("no game can be played from this position, {flaw}");
        return decoder(tokens).describe(position, reason);
    }
    let reading = decoder(tokens).decode();
    let count = record.count(Column::PlyCount);
    let fits = |findings: &Findings| count.is_none_or(|count| count == findings.plies);
    if !tokens.has_zero_nag() || (!reading.findings.has_undecodable && fits(&reading.findings)) {
        return reading;
    }
    let mut other = decoder(Tokens {
        zero_nag: ZeroNag::Alone,
        ..tokens
    });
    let what = "NAG 0 is stored without its value byte in this game";
    other.fault(0, &Fault::damage(what));
    let other = other.decode();
    let found = &other.findings;
    let is_better = !found.has_undecodable && !found.has_illegal && found.is_finished && fits(found);
    if is_better { other } else { reading }
}

/// Tags that other columns have: the start position of the moves, and the mark of the trash.
const STORED_ELSEWHERE: [&str; 2] = ["FEN", "Deleted"];

/// Adds the tags in `Info`: `key=value;key=value`. A part without a key belongs to the previous value.
fn add_info(tags: &mut Tags, info: &str) {
    let mut pairs: Vec<(&str, String)> = Vec::new();
    for part in info.split(';') {
        match part.split_once('=').filter(|(key, _)| is_key(key)) {
            Some((key, value)) => pairs.push((key, value.to_owned())),
            None => {
                if let Some((_, value)) = pairs.last_mut() {
                    value.push(';');
                    value.push_str(part);
                }
            }
        }
    }
    for (key, value) in pairs {
        let is_taken = tags.iter().any(|(name, _)| name.eq_ignore_ascii_case(key));
        if is_taken || STORED_ELSEWHERE.iter().any(|name| key.eq_ignore_ascii_case(name)) {
            continue;
        }
        let value = value.trim();
        let lower = value.to_lowercase();
        let is_chess960 =
            key.eq_ignore_ascii_case("Variant") && (lower.contains("fischer") || lower.contains("960"));
        tags.set_str(key.to_owned(), if is_chess960 { "Chess960" } else { value });
    }
}

/// True for a letter followed by letters, digits and `_`.
fn is_key(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_')
}
