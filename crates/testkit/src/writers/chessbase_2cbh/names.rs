//! The `.2lid`: players, tournaments, sources, teams and titles (section 5).

use std::collections::HashMap;

use crate::writers::source::SourceGame;

/// Types of entities.
pub const PLAYER: usize = 0;
pub const TOURNAMENT: usize = 1;
pub const SOURCE: usize = 2;
pub const TEAM: usize = 4;
pub const TITLE: usize = 5;

const TYPES: usize = 6;
/// Bytes for a record of each type.
const CONTAINERS: [usize; TYPES] = [1024, 1120, 220, 1024, 314, 532];
/// The language of titles: English as a nation.
const ENGLISH: i32 = 42;
/// Kinds of tournaments, as PGN names them.
const KINDS: [&str; 9] = [
    "", "game", "match", "tourn", "swiss", "team", "k.o.", "simul", "schev",
];
const SPEEDS: [(u8, &str); 3] = [(0x20, " (blitz)"), (0x40, " (rapid)"), (0x80, " (corr)")];

/// All names, each once.
pub struct Names {
    header: usize,
    containers: [usize; TYPES],
    records: [Vec<Vec<u8>>; TYPES],
    ids: [HashMap<Vec<u8>, i64>; TYPES],
}

impl Default for Names {
    fn default() -> Names {
        Names::new(184)
    }
}

impl Names {
    /// No names yet, with a header of `header` bytes.
    pub fn new(header: usize) -> Names {
        Names {
            header,
            containers: CONTAINERS,
            records: Default::default(),
            ids: Default::default(),
        }
    }

    /// The number of an entity with these fields.
    ///
    /// # Errors
    /// If they are longer than a record of the type can be.
    pub fn id(&mut self, of: usize, fields: Vec<u8>) -> Result<i64, String> {
        if let Some(&id) = self.ids[of].get(&fields) {
            return Ok(id);
        }
        if fields.len() + 4 > self.containers[of] {
            let text = String::from_utf8_lossy(&fields);
            return Err(format!("a name of {} bytes is too long: {text}", fields.len()));
        }
        let id = self.push(of, fields.clone());
        self.ids[of].insert(fields, id);
        Ok(id)
    }

    /// Appends an entity with these fields, whatever they are, and gives its number.
    pub fn push(&mut self, of: usize, fields: Vec<u8>) -> i64 {
        let record = [&(fields.len() as i32).to_le_bytes()[..], &fields].concat();
        self.records[of].push(record);
        self.records[of].len() as i64 - 1
    }

    /// The file. It ends with the last record.
    pub fn file(&self) -> Vec<u8> {
        let mut bytes = vec![0; self.header];
        let mut set = |at: usize, field: &[u8]| bytes[at..at + field.len()].copy_from_slice(field);
        set(0, &(self.header as i32).to_be_bytes());
        set(4, &(TYPES as i32).to_be_bytes());
        for (number, (container, records)) in self.containers.iter().zip(&self.records).enumerate() {
            let at = 8 + 20 * number;
            set(at, &(*container as i32).to_be_bytes());
            set(at + 4, &(records.len() as i64).to_be_bytes());
            set(at + 12, &(-1i64).to_be_bytes());
        }
        let most = self.records.iter().map(Vec::len).max().unwrap_or(0);
        let mut end = bytes.len();
        for entity in 0..most {
            for (container, records) in self.containers.iter().zip(&self.records) {
                let at = bytes.len();
                if let Some(record) = records.get(entity) {
                    bytes.extend(&record[..record.len().min(*container)]);
                    end = bytes.len();
                }
                bytes.resize(at + container, 0);
            }
        }
        bytes.truncate(end);
        bytes
    }
}

/// A text after its length.
pub fn string(text: &str) -> Vec<u8> {
    [&(text.len() as i32).to_le_bytes()[..], text.as_bytes()].concat()
}

/// A player: last name, first name, numbers.
pub fn player(name: Option<&str>) -> Vec<u8> {
    let name = known(name);
    let (last, first) = name.split_once(", ").unwrap_or((name, ""));
    let mut fields = [string(last), string(first)].concat();
    for number in [0, 0, -1, 8i32] {
        fields.extend(number.to_le_bytes());
    }
    fields.extend((-1i64).to_le_bytes());
    fields
}

/// A tournament.
pub fn tournament(game: &SourceGame) -> Vec<u8> {
    let mut fields = [string(known(game.tag("Site"))), string(known(game.tag("Event")))].concat();
    fields.extend(date(game.tag("EventDate")).to_le_bytes());
    let kind = known(game.tag("EventType"));
    let (of_teams, kind) = match kind.strip_prefix("team-") {
        Some(kind) => (1, kind),
        None => (0, kind),
    };
    let speed = SPEEDS.iter().find(|(_, speed)| kind.ends_with(speed));
    let name = kind.strip_suffix(speed.map_or("", |(_, speed)| speed));
    let number = KINDS.iter().position(|other| Some(*other) == name).unwrap_or(0) as u8;
    fields.push(number | speed.map_or(0, |(bit, _)| *bit));
    fields.extend([of_teams, 0, 0]);
    fields.extend([number_of(game.tag("EventCategory")) as u8, 0]);
    fields.extend([number_of(game.tag("EventRounds")) as u8, 0]);
    let mut place = [0; 46];
    for at in [13, 24, 35] {
        place[9 + at] = 7;
    }
    fields.extend(place);
    fields.extend([0; 2 + 4 + 44]);
    fields
}

/// A source.
pub fn source(game: &SourceGame) -> Vec<u8> {
    let mut fields = [string(known(game.tag("SourceTitle"))), string("")].concat();
    fields.extend([0; 4]);
    fields.extend(date(game.tag("SourceVersionDate")).to_le_bytes());
    for tag in ["SourceVersion", "SourceQuality"] {
        fields.extend((number_of(game.tag(tag)) as i16).to_le_bytes());
    }
    fields
}

/// A team.
pub fn team(name: &str) -> Vec<u8> {
    let mut fields = string(name);
    fields.extend([0; 5]);
    fields
}

/// A title; without a text it has no language.
pub fn title(text: &str) -> Vec<u8> {
    match text {
        "" => 0i32.to_le_bytes().to_vec(),
        _ => [&1i32.to_le_bytes()[..], &ENGLISH.to_le_bytes(), &string(text)].concat(),
    }
}

/// A date: day, month and year from the low bits on.
pub fn date(value: Option<&str>) -> i32 {
    let mut parts = known(value)
        .split('.')
        .map(|part| part.parse::<i32>().unwrap_or(0));
    let mut part = || parts.next().unwrap_or(0);
    part() << 9 | part() << 5 | part()
}

/// The number that a tag has; 0 if it is unknown or not a number.
pub fn number_of(value: Option<&str>) -> i32 {
    known(value).parse().unwrap_or(0)
}

/// The value of a tag; empty if it is unknown.
pub fn known(value: Option<&str>) -> &str {
    value.filter(|&value| value != "?").unwrap_or_default()
}
