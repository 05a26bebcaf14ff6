//! Writes Scid, version 4: `.si4 .sn4 .sg4` (docs/formats/scid.md).
//!
//! Fields of the index that are derived from the moves (half-moves, material, home pawns) are 0.

use std::collections::HashMap;
use std::error::Error;
use std::path::Path;

use shakmaty::{Chess, Color, File, Move, Position, Rank, Role, Square};

use crate::writers::source::{Item, SourceGame, played};

/// No game crosses a multiple of this offset in the games file.
const BLOCK: usize = 1 << 17;

/// Tags stored in the index.
const IN_INDEX: [&str; 7] = ["Event", "Site", "Round", "White", "Black", "Date", "Result"];

/// Names of tags that are stored as numbers from 241 on.
const NUMBERED: [&str; 7] = [
    "WhiteCountry",
    "BlackCountry",
    "Annotator",
    "PlyCount",
    "EventDate",
    "Opening",
    "Variation",
];

/// Writes the three files of a database.
///
/// # Errors
/// Fails if a file cannot be written, or if the format cannot hold a game.
pub fn write(games: &[SourceGame], target: &Path) -> Result<(), Box<dyn Error>> {
    let count = u32::try_from(games.len())?.to_be_bytes();
    let mut index = [b"Scid.si\0", &[1, 0x90, 0, 0, 0, 0][..], &count[1..]].concat();
    index.resize(182, 0);
    let mut names: [Names; 4] = Default::default();
    let mut records = Vec::new();
    for (number, game) in games.iter().enumerate() {
        let record = record(game).map_err(|error| format!("game {}: {error}", number + 1))?;
        if records.len() % BLOCK + record.len() > BLOCK {
            records.resize(records.len().next_multiple_of(BLOCK), 0);
        }
        let offset = u32::try_from(records.len())?;
        index.extend(entry(game, offset, record.len() as u32, &mut names)?);
        records.extend(record);
    }
    let files = [("si4", index), ("sn4", names_file(&names)), ("sg4", records)];
    for (extension, bytes) in files {
        let path = target.with_extension(extension);
        std::fs::write(&path, bytes).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(())
}

/// Names of one kind: their numbers and frequencies.
#[derive(Default)]
struct Names {
    texts: Vec<String>,
    frequencies: Vec<u32>,
    numbers: HashMap<String, u32>,
}

impl Names {
    fn number(&mut self, text: &str) -> Result<u32, String> {
        if text.len() > 255 {
            return Err(format!("the name {text} has more than 255 bytes"));
        }
        let number = *self.numbers.entry(text.to_owned()).or_insert_with(|| {
            self.texts.push(text.to_owned());
            self.frequencies.push(0);
            self.texts.len() as u32 - 1
        });
        self.frequencies[number as usize] += 1;
        Ok(number)
    }
}

/// The names of all kinds, each kind sorted.
fn names_file(kinds: &[Names; 4]) -> Vec<u8> {
    let mut file = b"Scid.sn\0\0\0\0\0".to_vec();
    let highest = |names: &Names| names.frequencies.iter().copied().max().unwrap_or(0);
    file.extend(
        kinds
            .iter()
            .flat_map(|names| low_bytes(names.texts.len() as u32, 3)),
    );
    file.extend(kinds.iter().flat_map(|names| low_bytes(highest(names), 3)));
    for names in kinds {
        let number_len = if names.texts.len() < 1 << 16 { 2 } else { 3 };
        let frequency_len = match highest(names) {
            0..0x100 => 1,
            0x100..0x1_0000 => 2,
            _ => 3,
        };
        let mut order: Vec<usize> = (0..names.texts.len()).collect();
        order.sort_by_key(|&number| &names.texts[number]);
        let mut before: Option<&str> = None;
        for number in order {
            let text = &names.texts[number];
            file.extend(low_bytes(number as u32, number_len));
            file.extend(low_bytes(names.frequencies[number], frequency_len));
            file.push(text.len() as u8);
            let same = before.map(|before| {
                text.bytes()
                    .zip(before.bytes())
                    .take_while(|(a, b)| a == b)
                    .count()
            });
            file.extend(same.map(|same| same as u8));
            file.extend(&text.as_bytes()[same.unwrap_or(0)..]);
            before = Some(text);
        }
    }
    file
}

fn low_bytes(value: u32, len: usize) -> Vec<u8> {
    value.to_be_bytes()[4 - len..].to_vec()
}

fn entry(game: &SourceGame, offset: u32, len: u32, names: &mut [Names; 4]) -> Result<Vec<u8>, String> {
    let [players, events, sites, rounds] = names;
    let tag = |name| game.tag(name).unwrap_or("?");
    let (white, black) = (players.number(tag("White"))?, players.number(tag("Black"))?);
    let event = events.number(tag("Event"))?;
    let site = sites.number(tag("Site"))?;
    let round = rounds.number(tag("Round"))?;
    let result = match game.tag("Result") {
        Some("1-0") => 1,
        Some("0-1") => 2,
        Some("1/2-1/2") => 3,
        _ => 0u16,
    };
    let rating = |name| rating(game, name).unwrap_or(0);
    let mut entry = offset.to_be_bytes().to_vec();
    entry.extend(low_bytes(len, 2));
    entry.push((len >> 16 << 7) as u8);
    entry.extend([0, 0]);
    entry.push((white >> 16 << 4 | black >> 16) as u8);
    entry.extend([low_bytes(white, 2), low_bytes(black, 2)].concat());
    entry.push((event >> 16 << 5 | site >> 16 << 2 | round >> 16) as u8);
    entry.extend([low_bytes(event, 2), low_bytes(site, 2), low_bytes(round, 2)].concat());
    entry.extend((result << 12).to_be_bytes());
    entry.extend(opening(game).unwrap_or(0).to_be_bytes());
    entry.extend(date(game.tag("Date").unwrap_or_default()).to_be_bytes());
    entry.extend([rating("WhiteElo").to_be_bytes(), rating("BlackElo").to_be_bytes()].concat());
    entry.resize(47, 0);
    Ok(entry)
}

/// A rating that fits into the index.
fn rating(game: &SourceGame, tag: &str) -> Option<u16> {
    let rating = game.tag(tag)?.parse().ok()?;
    (1..=4000).contains(&rating).then_some(rating)
}

/// An opening code without sub-code, as a number.
fn opening(game: &SourceGame) -> Option<u16> {
    let code = game.tag("ECO")?;
    let letter = code
        .bytes()
        .next()
        .filter(|letter| (b'A'..=b'E').contains(letter))?;
    let number: u16 = code.get(1..).filter(|digits| digits.len() == 2)?.parse().ok()?;
    Some((u16::from(letter - b'A') * 100 + number) * 131 + 1)
}

fn date(text: &str) -> u32 {
    let mut parts = text.split('.').map(|part| part.parse::<u32>().unwrap_or(0));
    let mut part = |most| parts.next().filter(|&part| part <= most).unwrap_or(0);
    part(2047) << 9 | part(12) << 5 | part(31)
}

/// The bytes of a game.
fn record(game: &SourceGame) -> Result<Vec<u8>, String> {
    let mut record = Vec::new();
    for (name, value) in &game.tags {
        let is_elsewhere = match name.as_str() {
            "FEN" | "SetUp" => true,
            "ECO" => opening(game).is_some(),
            "WhiteElo" | "BlackElo" => rating(game, name).is_some(),
            name => IN_INDEX.contains(&name),
        };
        if is_elsewhere {
            continue;
        }
        match NUMBERED.iter().position(|numbered| numbered == name) {
            Some(number) => record.push(241 + number as u8),
            None if (1..=240).contains(&name.len()) => {
                record.push(name.len() as u8);
                record.extend(name.bytes());
            }
            None => return Err(format!("the name of the tag {name} is too long")),
        }
        let len =
            u8::try_from(value.len()).map_err(|_| format!("the value of the tag {name} is too long"))?;
        record.push(len);
        record.extend(value.bytes());
    }
    let fen = game.tag("FEN");
    record.extend([0, u8::from(fen.is_some())]);
    record.extend(fen.into_iter().flat_map(|fen| fen.bytes().chain([0])));
    append_moves(&mut record, game)?;
    if record.len() < BLOCK {
        Ok(record)
    } else {
        Err("more than 131071 bytes".to_owned())
    }
}

/// A position, and the pieces of Black and White by number.
#[derive(Clone)]
struct Line {
    position: Chess,
    pieces: [Vec<Square>; 2],
}

impl Line {
    fn new(game: &SourceGame) -> Line {
        let position = game.start.clone();
        let mut pieces: [Vec<Square>; 2] = Default::default();
        for color in Color::ALL {
            let list = &mut pieces[color as usize];
            if game.tag("FEN").is_none() {
                let home = |file| Square::from_coords(file, color.backrank());
                list.push(home(File::E));
                list.extend(File::ALL.into_iter().filter(|&file| file != File::E).map(home));
                let second = color.relative_rank(Rank::Second);
                list.extend(File::ALL.map(|file| Square::from_coords(file, second)));
                continue;
            }
            for square in Rank::ALL
                .into_iter()
                .rev()
                .flat_map(|rank| File::ALL.map(|file| Square::from_coords(file, rank)))
            {
                match position.board().piece_at(square) {
                    Some(piece) if piece == color.king() => {
                        list.push(square);
                        let last = list.len() - 1;
                        list.swap(0, last);
                    }
                    Some(piece) if piece.color == color => list.push(square),
                    _ => {}
                }
            }
        }
        Line { position, pieces }
    }

    fn play(&self, item: &Item) -> Line {
        let mut pieces = self.pieces.clone();
        let us = self.position.turn();
        if let Item::Move(mv) = item {
            let taken = match mv {
                Move::EnPassant { from, to } => Some(Square::from_coords(to.file(), from.rank())),
                mv => mv.capture().map(|_| mv.to()),
            };
            if let Some(taken) = taken {
                let list = &mut pieces[!us as usize];
                let number = number_of(list, taken);
                list.swap_remove(number);
            }
            let list = &mut pieces[us as usize];
            match *mv {
                Move::Castle { king, rook } => {
                    let side = mv.castling_side().expect("castling");
                    let (king, rook) = (number_of(list, king), number_of(list, rook));
                    list[king] = Square::from_coords(side.king_to_file(), us.backrank());
                    list[rook] = Square::from_coords(side.rook_to_file(), us.backrank());
                }
                mv => {
                    let number = number_of(list, mv.from().expect("nothing is dropped"));
                    list[number] = mv.to();
                }
            }
        }
        Line {
            position: played(&self.position, item),
            pieces,
        }
    }

    /// The bytes of a move.
    fn code(&self, mv: Move) -> Vec<u8> {
        let from = match mv {
            Move::Castle { king, .. } => king,
            mv => mv.from().expect("nothing is dropped"),
        };
        let to = mv.to();
        let number = number_of(&self.pieces[self.position.turn() as usize], from) as u8;
        let steps = to as i32 - from as i32;
        let place = |table: &[i32]| table.iter().position(|&known| known == steps).expect("a step") as u8 + 1;
        let straight = || {
            if to.rank() == from.rank() {
                to.file() as u8
            } else {
                8 + to.rank() as u8
            }
        };
        let is_diagonal = to.rank() != from.rank() && to.file() != from.file();
        let value = match (mv, mv.role()) {
            (Move::Castle { king, rook }, _) => 9 + u8::from(king < rook),
            (_, Role::King) => place(&[-9, -8, -7, -1, 1, 7, 8, 9]),
            (_, Role::Knight) => place(&[-17, -15, -10, -6, 6, 10, 15, 17]),
            (_, Role::Bishop) => {
                let is_rising =
                    to.file() as i32 - from.file() as i32 == to.rank() as i32 - from.rank() as i32;
                to.file() as u8 + if is_rising { 0 } else { 8 }
            }
            (_, Role::Queen) if is_diagonal => return vec![number << 4 | from.file() as u8, 64 + to as u8],
            (_, Role::Queen | Role::Rook) => straight(),
            (_, Role::Pawn) if steps.abs() == 16 => 15,
            (mv, Role::Pawn) => {
                let promotion = match mv.promotion() {
                    None => 0,
                    Some(Role::Queen) => 1,
                    Some(Role::Rook) => 2,
                    Some(Role::Bishop) => 3,
                    Some(_) => 4,
                };
                (steps.unsigned_abs() as u8 - 7) + 3 * promotion
            }
        };
        vec![number << 4 | value]
    }
}

fn number_of(list: &[Square], square: Square) -> usize {
    list.iter()
        .position(|&other| other == square)
        .expect("a piece of the side")
}

/// Appends the moves with their marks, then the texts of the comments.
fn append_moves(record: &mut Vec<u8>, game: &SourceGame) -> Result<(), String> {
    let mut line = Line::new(game);
    let mut before = line.clone();
    let mut outer = Vec::new();
    let mut texts = Vec::new();
    for item in &game.items {
        match item {
            Item::Move(mv) => record.extend(line.code(*mv)),
            Item::Null => record.push(0),
            Item::Nag(nag) => record.extend([0x0b, *nag]),
            Item::Comment(text) if text.contains('\0') => return Err("a comment has a zero byte".to_owned()),
            Item::Comment(text) => {
                record.push(0x0c);
                texts.extend(text.bytes().chain([0]));
            }
            Item::VariationStart => {
                record.push(0x0d);
                outer.push((line, before.clone()));
                line = before.clone();
            }
            Item::VariationEnd => {
                record.push(0x0e);
                (line, before) = outer.pop().expect("variations are balanced");
            }
        }
        if matches!(item, Item::Move(_) | Item::Null) {
            before = line.clone();
            line = before.play(item);
        }
    }
    record.push(0x0f);
    record.extend(texts);
    Ok(())
}
