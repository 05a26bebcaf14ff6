//! Writes SimpleCDb: `.dci .dcg .dcn .dcs .dce` (docs/formats/simplecdb.md).

use std::collections::HashMap;
use std::error::Error;
use std::path::Path;

use shakmaty::{CastlingSide, Move, Role, Square};

use crate::writers::source::{Item, SourceGame};

/// Writes the five files of a database.
///
/// # Errors
/// Fails if a file cannot be written, or if the format cannot hold a game.
pub fn write(games: &[SourceGame], target: &Path) -> Result<(), Box<dyn Error>> {
    let mut players = Strings::new(b"SimpleCDbn");
    let mut sites = Strings::new(b"SimpleCDbs");
    let mut events = Strings::new(b"SimpleCDbe");
    let mut index = b"SimpleCDbi\0\0\0\0\0\0\0\0\0".to_vec();
    let mut records = b"SimpleCDbg".to_vec();
    for (number, game) in games.iter().enumerate() {
        let entry = Entry {
            offset: records.len() as u64,
            white: players.reference(game.tag("White")),
            black: players.reference(game.tag("Black")),
            site: sites.reference(game.tag("Site")),
            event: events.reference(game.tag("Event")),
        };
        entry.append(&mut index, game);
        let record = record(game).map_err(|error| format!("game {}: {error}", number + 1))?;
        append_length(&mut records, record.len());
        records.extend(record);
    }
    let files = [
        ("dci", index),
        ("dcg", records),
        ("dcn", players.bytes),
        ("dcs", sites.bytes),
        ("dce", events.bytes),
    ];
    for (extension, bytes) in files {
        let path = target.with_extension(extension);
        std::fs::write(&path, bytes).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(())
}

/// The fields of an index entry other than tags.
struct Entry {
    offset: u64,
    white: u32,
    black: u32,
    site: u32,
    event: u32,
}

impl Entry {
    fn append(&self, index: &mut Vec<u8>, game: &SourceGame) {
        let number = |name: &str| {
            game.tag(name)
                .and_then(|value| value.parse::<u16>().ok())
                .unwrap_or(0)
        };
        index.push(0);
        index.extend(self.offset.to_be_bytes());
        index.extend(self.white.to_be_bytes());
        index.extend(self.black.to_be_bytes());
        index.extend(number("Round").to_be_bytes());
        index.extend(self.site.to_be_bytes());
        index.extend(self.event.to_be_bytes());
        index.extend(number("WhiteElo").to_be_bytes());
        index.extend(number("BlackElo").to_be_bytes());
        index.push(match game.tag("Result") {
            Some("1-0") => 1,
            Some("0-1") => 2,
            Some("1/2-1/2") => 3,
            _ => 0,
        });
        let eco = game.tag("ECO").and_then(|eco| eco.as_bytes().first_chunk::<3>());
        index.extend(eco.unwrap_or(&[0; 3]));
        let date = game.tag("Date").unwrap_or_default();
        let mut parts = date.split('.').map(|part| part.parse::<u16>().unwrap_or(0));
        index.extend(parts.next().unwrap_or(0).to_be_bytes());
        index.extend(
            parts
                .next()
                .map(|month| month as u8)
                .into_iter()
                .chain([0])
                .take(1),
        );
        index.extend(parts.next().map(|day| day as u8).into_iter().chain([0]).take(1));
    }
}

/// A string file that is being written, without duplicate texts.
struct Strings {
    bytes: Vec<u8>,
    references: HashMap<String, u32>,
}

impl Strings {
    fn new(magic: &[u8]) -> Strings {
        Strings {
            bytes: magic.to_vec(),
            references: HashMap::new(),
        }
    }

    /// The offset of a text, which is cut at 36 bytes between characters; 0 for an unknown text.
    fn reference(&mut self, text: Option<&str>) -> u32 {
        let text = text.unwrap_or("?");
        if matches!(text, "" | "?") {
            return 0;
        }
        let text = &text[..text.floor_char_boundary(36)];
        let bytes = &mut self.bytes;
        *self.references.entry(text.to_owned()).or_insert_with(|| {
            let place = bytes.len() as u32;
            bytes.extend(format!("{:width$}", text, width = 36 - text.len() + text.chars().count()).bytes());
            place
        })
    }
}

/// Marker, FEN and body of a game.
///
/// # Errors
/// If the game has more moves than readers accept.
pub fn record(game: &SourceGame) -> Result<Vec<u8>, String> {
    let mut record = Vec::new();
    match game.tag("FEN") {
        None => record.push(0),
        Some(fen) => {
            record.push(1);
            append_length(&mut record, fen.len());
            record.extend(fen.bytes());
        }
    }
    let moves = game
        .items
        .iter()
        .filter(|item| matches!(item, Item::Move(_) | Item::Null));
    if moves.count() > 65_535 {
        return Err("more than 65535 moves".to_owned());
    }
    for item in &game.items {
        match item {
            Item::Move(mv) => record.extend(code(*mv).to_be_bytes()),
            Item::Null => record.push(0x88),
            Item::Nag(nag) => record.extend([0x87, 1, *nag]),
            Item::Comment(text) => {
                record.push(0x86);
                append_length(&mut record, text.len());
                record.extend(text.bytes());
            }
            Item::VariationStart => record.push(0x84),
            Item::VariationEnd => record.push(0x85),
        }
    }
    Ok(record)
}

/// Bits 14-12 promotion, 11-6 from, 5-0 to. Castling is the king's step of two files.
fn code(mv: Move) -> u16 {
    let (from, to) = match mv {
        Move::Castle { king, rook } => {
            let side = CastlingSide::from_king_side(king < rook);
            (king, Square::from_coords(side.king_to_file(), king.rank()))
        }
        mv => (mv.from().expect("nothing is dropped"), mv.to()),
    };
    let promotion = match mv.promotion() {
        Some(Role::Knight) => 2,
        Some(Role::Bishop) => 3,
        Some(Role::Rook) => 4,
        Some(_) => 5,
        None => 0,
    };
    promotion << 12 | (from as u16) << 6 | to as u16
}

fn append_length(out: &mut Vec<u8>, length: usize) {
    let bytes = (length as u32).to_be_bytes();
    match length {
        0..0x7f => out.push(length as u8),
        0x7f..=0xff => out.extend([&[0x81], &bytes[3..]].concat()),
        0x100..=0xffff => out.extend([&[0x82], &bytes[2..]].concat()),
        0x1_0000..=0xff_ffff => out.extend([&[0x83], &bytes[1..]].concat()),
        _ => out.extend([&[0x84], &bytes[..]].concat()),
    }
}
