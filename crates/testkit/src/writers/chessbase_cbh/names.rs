//! Tables of names (section 5).

use std::collections::HashMap;

use super::known;
use crate::writers::source::SourceGame;

/// The records of a file of names, each text once.
pub struct Table {
    /// Bytes of the fields of a record.
    len: usize,
    ids: HashMap<Vec<u8>, u32>,
    records: Vec<Vec<u8>>,
}

impl Table {
    pub fn new(len: usize) -> Table {
        Table {
            len,
            ids: HashMap::new(),
            records: Vec::new(),
        }
    }

    /// The number of a record that begins with these fields.
    pub fn id(&mut self, fields: Vec<u8>) -> Result<u32, String> {
        if let Some(&id) = self.ids.get(&fields) {
            return Ok(id);
        }
        let id = u32::try_from(self.records.len()).unwrap_or(u32::MAX);
        if id >= 1 << 24 {
            return Err("too many names".to_owned());
        }
        let mut record = fields.clone();
        record.resize(self.len, 0);
        self.records.push(record);
        self.ids.insert(fields, id);
        Ok(id)
    }

    /// The file.
    pub fn bytes(&self) -> Vec<u8> {
        let count = self.records.len() as i32;
        let mut bytes = Vec::new();
        let root = if count == 0 { -1 } else { 0 };
        for field in [count, root, 1_234_567_890, self.len as i32, -1, count, 4, 0] {
            bytes.extend(field.to_le_bytes());
        }
        for record in &self.records {
            // Neither branch leads anywhere.
            bytes.extend([0xff; 8]);
            bytes.push(0);
            bytes.extend(record);
        }
        bytes
    }
}

/// A text that fills a field with zeros.
pub fn field(text: &str, len: usize) -> Result<Vec<u8>, String> {
    let mut bytes = text.as_bytes().to_vec();
    if bytes.len() > len || bytes.contains(&0) {
        return Err(format!("more than {len} bytes: {text}"));
    }
    bytes.resize(len, 0);
    Ok(bytes)
}

/// A player: last name, first name.
pub fn player(name: Option<&str>) -> Result<Vec<u8>, String> {
    let name = known(name);
    let (last, first) = name.split_once(", ").unwrap_or((name, ""));
    Ok([field(last, 30)?, field(first, 20)?].concat())
}

/// A tournament: title, place, date.
pub fn tournament(game: &SourceGame) -> Result<Vec<u8>, String> {
    let mut bytes = field(known(game.tag("Event")), 40)?;
    bytes.extend(field(known(game.tag("Site")), 30)?);
    bytes.extend(date(game.tag("EventDate")).to_le_bytes());
    Ok(bytes)
}

/// A date: day, month and year from the low bits on.
pub fn date(value: Option<&str>) -> u32 {
    let mut parts = known(value)
        .split('.')
        .map(|part| part.parse::<u32>().unwrap_or(0));
    let mut part = || parts.next().unwrap_or(0);
    part() << 9 | part() << 5 | part()
}
