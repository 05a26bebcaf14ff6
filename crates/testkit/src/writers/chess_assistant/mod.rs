//! Writes Chess Assistant: `.cdp .d00 .a02 .d02 .emb` (docs/formats/chess-assistant.md).
//!
//! Texts are UTF-8. A game with glyphs other than `$1` to `$6` and `$220` is refused, because the format has
//! no known code for them.

mod emb;
mod record;

use std::error::Error;
use std::path::Path;

use crate::writers::source::SourceGame;
use emb::Names;
pub use record::record;

/// Writes the files of a database.
///
/// # Errors
/// Fails if a file cannot be written, or if the format cannot hold a game.
pub fn write(games: &[SourceGame], target: &Path) -> Result<(), Box<dyn Error>> {
    let mut writer = Writer::default();
    for (number, game) in games.iter().enumerate() {
        let added = record(game).and_then(|record| writer.add(game, &record));
        added.map_err(|error| format!("game {}: {error}", number + 1))?;
    }
    writer.finish(target)
}

/// A database being written.
#[derive(Default)]
pub struct Writer {
    headers: Vec<u8>,
    addresses: Vec<u8>,
    records: Vec<u8>,
    players: Names,
    events: Names,
    places: Names,
    sources: Names,
}

impl Writer {
    /// Adds a game with its tags and its moves as encoded by [`record`].
    ///
    /// # Errors
    /// If a name or the database is too long.
    pub fn add(&mut self, game: &SourceGame, record: &[u8]) -> Result<(), String> {
        let address = i32::try_from(self.records.len()).map_err(|_| "more than 2 GiB of moves")?;
        append_length(&mut self.records, record.len())?;
        self.records.extend(record);
        let game_id = (self.addresses.len() / 4) as u32;
        self.addresses.extend(address.to_le_bytes());

        let tag = |name: &str| game.tag(name).unwrap_or_default();
        let fide_id = |name: &str| tag(name).parse::<u32>().unwrap_or(0);
        let (players, header) = (&mut self.players, &mut self.headers);
        let white = players.player(tag("White"), tag("WhiteTitle"), fide_id("WhiteFideId"))?;
        let black = players.player(tag("Black"), tag("BlackTitle"), fide_id("BlackFideId"))?;
        append_id(header, white);
        append_id(header, black);
        for name in ["WhiteElo", "BlackElo"] {
            header.extend(tag(name).parse::<u16>().unwrap_or(0).to_le_bytes());
        }
        header.push(match tag("Result") {
            "1/2-1/2" => 1,
            "1-0" => 2,
            "0-1" => 3,
            _ => 4,
        });
        append_id(header, date(tag("Date")));
        append_id(header, self.events.name(tag("Event"))?);
        append_id(header, self.places.name(tag("Site"))?);
        header.extend(0u32.to_le_bytes());
        header.extend(game_id.to_le_bytes());
        header.push(0);
        header.push(doubled_round(tag("Round")));
        header.extend(opening(tag("ECO")).to_le_bytes());
        append_id(header, players.name(tag("Annotator"))?);
        append_id(header, self.sources.name(tag("Source"))?);
        Ok(())
    }

    /// Writes the files.
    ///
    /// # Errors
    /// Fails if a file cannot be written.
    pub fn finish(self, target: &Path) -> Result<(), Box<dyn Error>> {
        for (extension, bytes) in self.files() {
            let path = target.with_extension(extension);
            std::fs::write(&path, bytes).map_err(|error| format!("{}: {error}", path.display()))?;
        }
        Ok(())
    }

    /// The files with their extensions.
    pub fn files(self) -> [(&'static str, Vec<u8>); 5] {
        let games = (self.addresses.len() / 4) as u32;
        let mut main = padded("Chess Assistant 3.0 database.", 50);
        main.extend(padded("\nChess Data Pro format. Version 1.3", 50));
        main.extend([0; 4]);
        main.extend(games.to_le_bytes());
        main.extend([0; 4]);
        let lists = [
            ("Players", self.players),
            ("Events", self.events),
            ("Places", self.places),
            ("Sources", self.sources),
        ];
        [
            ("cdp", main),
            ("d00", self.headers),
            ("a02", self.addresses),
            ("d02", self.records),
            ("emb", emb::pack(lists)),
        ]
    }
}

/// A text padded with zeros.
fn padded(text: &str, len: usize) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    bytes.resize(len, 0);
    bytes
}

/// Appends a length: one byte below 128, else two with seven and eight bits.
fn append_length(out: &mut Vec<u8>, length: usize) -> Result<(), String> {
    match length {
        0..0x80 => out.push(length as u8),
        0x80..0x8000 => out.extend([0x80 | length as u8, (length >> 7) as u8]),
        _ => return Err("more than 32767 bytes of moves and comments".to_owned()),
    }
    Ok(())
}

fn append_id(out: &mut Vec<u8>, id: u32) {
    out.extend(&id.to_le_bytes()[..3]);
}

/// Day, 32 times the month, 416 times the year; unknown parts are 0.
fn date(text: &str) -> u32 {
    let mut parts = text.split('.').map(|part| part.parse::<u32>().unwrap_or(0));
    let mut part = || parts.next().unwrap_or(0);
    part() * 416 + part() * 32 + part()
}

/// Twice the round: `3.5` is stored as 7, and a value that does not fit as 0.
fn doubled_round(text: &str) -> u8 {
    let round: f64 = text.parse().unwrap_or(0.0);
    let doubled = 2.0 * round;
    if doubled.fract() == 0.0 && (0.0..256.0).contains(&doubled) {
        doubled as u8
    } else {
        0
    }
}

/// The opening code with hundreds for the letter, A first.
fn opening(text: &str) -> u16 {
    match text.as_bytes() {
        [letter @ b'A'..=b'E', digits @ ..] => {
            let digits = std::str::from_utf8(digits)
                .ok()
                .and_then(|text| text.parse().ok());
            digits
                .filter(|&number: &u16| number < 100)
                .map_or(0, |number| u16::from(letter - b'A') * 100 + number)
        }
        _ => 0,
    }
}
