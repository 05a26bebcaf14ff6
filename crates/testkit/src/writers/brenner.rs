//! Writes Brenner's minimal encoding: one `.brn` file (docs/formats/brenner.md).

use std::error::Error;
use std::path::Path;

use shakmaty::{Chess, Color, File, Move, Piece, Position, Role, Square};

use crate::writers::source::{Item, SourceGame};

/// One of the eight readings of the format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// The alternate notation instead of the main one.
    pub alternate: bool,
    /// A piece's number is its position among the pieces of its kind on the board; otherwise it keeps its
    /// number.
    pub order: bool,
    /// The right of a black pawn is the right side of the diagram; otherwise it is the pawn's own.
    pub diagram: bool,
}

/// Writes a file in the main notation.
///
/// # Errors
/// Fails if a file cannot be written, or if the format cannot hold a game.
pub fn write(games: &[SourceGame], target: &Path) -> Result<(), Box<dyn Error>> {
    write_as(games, target, Reading::default())
}

/// Writes a file in the alternate notation.
///
/// # Errors
/// As [`write()`].
pub fn write_alternate(games: &[SourceGame], target: &Path) -> Result<(), Box<dyn Error>> {
    let reading = Reading {
        alternate: true,
        ..Reading::default()
    };
    write_as(games, target, reading)
}

/// Writes a file in a reading.
///
/// # Errors
/// As [`write()`].
pub fn write_as(games: &[SourceGame], target: &Path, reading: Reading) -> Result<(), Box<dyn Error>> {
    let mut file = Vec::new();
    // After a game without a result, the names of the next game mark its beginning.
    let mut needs_names = false;
    for (number, game) in games.iter().enumerate() {
        let record =
            record(game, reading, needs_names).map_err(|error| format!("game {}: {error}", number + 1))?;
        file.extend(record);
        needs_names = result(game).is_none();
    }
    let path = target.with_extension("brn");
    std::fs::write(&path, file).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(())
}

/// The record of a game. With `needs_names` it begins with the names even if they are unknown.
///
/// # Errors
/// If the format cannot represent the game.
pub fn record(game: &SourceGame, reading: Reading, needs_names: bool) -> Result<Vec<u8>, String> {
    if game.tag("FEN").is_some() {
        return Err("a game from a set-up position has no code".to_owned());
    }
    let mut record = Vec::new();
    append_headers(&mut record, game, needs_names)?;
    let mut pieces = PieceNumbers::start(reading);
    let mut position = Chess::default();
    let mut last = None;
    for item in &game.items {
        match item {
            Item::Move(mv) => {
                pieces.append(&mut record, &position, *mv)?;
                position.play_unchecked(*mv);
            }
            Item::Nag(nag) => {
                // Two glyphs in a row would be read as one.
                if matches!(last, Some(&Item::Nag(1 | 2))) {
                    record.extend([0, 0]);
                }
                record.extend(glyphs(*nag).ok_or_else(|| format!("the glyph ${nag} has no code"))?);
            }
            Item::Comment(text) => append_text(&mut record, text)?,
            Item::Null => return Err("a null move has no code".to_owned()),
            Item::VariationStart | Item::VariationEnd => return Err("a variation has no code".to_owned()),
        }
        last = Some(item);
    }
    record.extend(result(game));
    Ok(record)
}

fn result(game: &SourceGame) -> Option<u8> {
    match game.tag("Result") {
        Some("0-1") => Some(1),
        Some("1-0") => Some(2),
        Some("1/2-1/2") => Some(3),
        _ => None,
    }
}

fn glyphs(nag: u8) -> Option<&'static [u8]> {
    const GLYPHS: [&[u8]; 6] = [&[7], &[6], &[7, 7], &[6, 6], &[7, 6], &[6, 7]];
    GLYPHS.get(usize::from(nag).checked_sub(1)?).copied()
}

/// Writes the known headers. The names come first if they are needed to separate the game from the one
/// before: if that has no result, and if the game begins with a comment or has nothing else.
fn append_headers(record: &mut Vec<u8>, game: &SourceGame, needs_names: bool) -> Result<(), String> {
    const HEADERS: [(u8, &str); 6] = [
        (b'W', "White"),
        (b'B', "Black"),
        (b'D', "Date"),
        (b'L', "Site"),
        (b'T', "Event"),
        (b'V', "Opening"),
    ];
    let known = |name: &str| {
        let value = game.tag(name);
        value.filter(|value| !matches!(*value, "" | "?" | "????.??.??"))
    };
    let has_tags = HEADERS.iter().any(|(_, name)| known(name).is_some());
    let begins_with_move = matches!(game.items.first(), Some(Item::Move(_)));
    let with_names = needs_names || has_tags || !begins_with_move;
    for (letter, name) in HEADERS {
        let value = known(name);
        if value.is_some() || with_names && matches!(letter, b'W' | b'B') {
            append_marked(record, &[letter], value.unwrap_or_default())?;
        }
    }
    Ok(())
}

/// Writes a comment. A space keeps it from looking like a header.
fn append_text(record: &mut Vec<u8>, text: &str) -> Result<(), String> {
    let mark: &[u8] = if text.starts_with(['W', 'B', 'D', 'L', 'T', 'V']) {
        b" "
    } else {
        b""
    };
    append_marked(record, mark, text)
}

fn append_marked(record: &mut Vec<u8>, mark: &[u8], text: &str) -> Result<(), String> {
    if text.bytes().any(|byte| byte < 9) {
        return Err(format!("the text {text:?} would end in the middle"));
    }
    record.push(0);
    record.extend(mark);
    record.extend(text.bytes());
    record.push(0);
    Ok(())
}

/// The pieces of both sides by number.
struct PieceNumbers {
    reading: Reading,
    /// The pieces on the board with their numbers and squares.
    living: Vec<(Piece, u8, Square)>,
    /// How many numbers of each kind have been assigned.
    given: Vec<(Piece, u8)>,
}

/// Maximum number of pieces of one kind, whose number has two bits.
const MOST: u8 = 4;

impl PieceNumbers {
    fn start(reading: Reading) -> PieceNumbers {
        let mut pieces = PieceNumbers {
            reading,
            living: Vec::new(),
            given: Vec::new(),
        };
        let board = Chess::default().board().clone();
        for file in File::ALL {
            for square in board.occupied() & shakmaty::Bitboard::from_file(file) {
                if let Some(piece) = board.piece_at(square) {
                    let number = pieces.next_number(piece);
                    pieces.living.push((piece, number, square));
                }
            }
        }
        pieces
    }

    /// The next unused number of a kind.
    fn next_number(&mut self, piece: Piece) -> u8 {
        match self.given.iter_mut().find(|(kind, _)| *kind == piece) {
            Some((_, given)) => {
                *given += 1;
                *given - 1
            }
            None => {
                self.given.push((piece, 1));
                0
            }
        }
    }

    /// A number for a promoted piece: an unused number, or otherwise the number of a captured piece.
    fn number_of_promoted(&mut self, piece: Piece) -> Result<u8, String> {
        let of_kind = |living: &&(Piece, u8, Square)| living.0 == piece;
        let living: Vec<u8> = self.living.iter().filter(of_kind).map(|piece| piece.1).collect();
        if living.len() >= usize::from(MOST) {
            let Piece { color, role } = piece;
            return Err(format!("{color} gets a fifth {role:?}, who has no code"));
        }
        if self.reading.order {
            return Ok(0);
        }
        let fresh = self.next_number(piece);
        let free = (fresh..MOST)
            .chain(0..MOST)
            .find(|number| !living.contains(number));
        free.ok_or_else(|| "no number is free".to_owned())
    }

    /// The number that refers to a piece in the present position.
    fn number(&self, square: Square) -> Result<u8, String> {
        let living = self.living.iter().find(|living| living.2 == square);
        let &(piece, number, _) = living.ok_or_else(|| format!("{square} is empty"))?;
        if !self.reading.order {
            return Ok(number);
        }
        let place = |square: Square| (square.file(), square.rank());
        let before = self
            .living
            .iter()
            .filter(|living| living.0 == piece && place(living.2) < place(square));
        u8::try_from(before.count()).map_err(|error| error.to_string())
    }

    /// Writes a move that is about to be played in `position`, and updates the numbers.
    fn append(&mut self, record: &mut Vec<u8>, position: &Chess, mv: Move) -> Result<(), String> {
        let us = position.turn();
        if let Move::Castle { king, rook } = mv {
            let is_short = king < rook;
            record.push(if is_short { 4 } else { 5 });
            let (king_to, rook_to) = if is_short {
                (File::G, File::F)
            } else {
                (File::C, File::D)
            };
            for (from, file) in [(king, king_to), (rook, rook_to)] {
                self.step(from, Square::from_coords(file, from.rank()));
            }
            return Ok(());
        }
        let (Some(from), to) = (mv.from(), mv.to()) else {
            return Err("a dropped piece has no code".to_owned());
        };
        let number = self.number(from)?;
        let (east, north) = (
            to.file() as i8 - from.file() as i8,
            to.rank() as i8 - from.rank() as i8,
        );
        // When a pawn captures and promotes, the number of the captured piece is free already.
        let taken = match mv {
            Move::EnPassant { from, to } => Some(Square::from_coords(to.file(), from.rank())),
            _ => mv.is_capture().then_some(to),
        };
        self.living.retain(|piece| Some(piece.2) != taken);
        match mv.promotion() {
            Some(role) => {
                let piece = Piece { color: us, role };
                let promoted = self.number_of_promoted(piece)?;
                record.push(self.prefix(role, promoted));
                record.push(self.pawn(us, number, east, north));
                self.living.retain(|piece| piece.2 != from);
                self.living.push((piece, promoted, to));
            }
            None => {
                let role = mv.role();
                let plain = match role {
                    Role::Pawn => None,
                    Role::King | Role::Queen => Some(0),
                    _ => Some(1),
                };
                if plain.is_some_and(|most| number > most) {
                    record.push(self.prefix(role, number));
                }
                record.push(match role {
                    Role::Pawn => self.pawn(us, number, east, north),
                    _ => self.piece(role, number & 1, east, north),
                });
                self.step(from, to);
            }
        }
        Ok(())
    }

    fn step(&mut self, from: Square, to: Square) {
        if let Some(piece) = self.living.iter_mut().find(|piece| piece.2 == from) {
            piece.2 = to;
        }
    }

    fn prefix(&self, role: Role, number: u8) -> u8 {
        match (self.reading.alternate, role) {
            (false, Role::Queen) => 0x40 | number << 1,
            (false, Role::Knight) => 0x41 | number << 1,
            (false, Role::Rook) => 0x80 | number << 1,
            (false, _) => 0x81 | number << 1,
            (true, Role::Queen) => 0xc0 | number << 4,
            (true, Role::Knight) => 0xc8 | number << 4,
            (true, Role::Rook) => 0x80 | number << 4,
            (true, _) => 0x40 | number << 4,
        }
    }

    fn pawn(&self, us: Color, number: u8, east: i8, north: i8) -> u8 {
        let is_turned = us == Color::Black && !self.reading.diagram;
        let way: u8 = match (north.abs(), if is_turned { -east } else { east }) {
            (2, _) => 1,
            (_, 0) => 0,
            (_, 1) => 2,
            _ => 3,
        };
        let way = if self.reading.alternate {
            [1, 2, 0, 3][usize::from(way)]
        } else {
            way
        };
        0x20 | way << 3 | number
    }

    fn piece(&self, role: Role, w: u8, east: i8, north: i8) -> u8 {
        const KNIGHT: [(i8, i8); 8] = [
            (2, -1),
            (2, 1),
            (1, 2),
            (-1, 2),
            (-2, 1),
            (-2, -1),
            (-1, -2),
            (1, -2),
        ];
        const LINES: [(i8, i8); 8] = [
            (1, 0),
            (1, 1),
            (0, 1),
            (-1, 1),
            (-1, 0),
            (-1, -1),
            (0, -1),
            (1, -1),
        ];
        let place = |table: &[(i8, i8)], way: (i8, i8)| {
            table.iter().position(|&known| known == way).unwrap_or(0) as u8
        };
        if role == Role::Knight {
            return 0x10 | w << 3 | place(&KNIGHT, (east, north));
        }
        let ddd = place(&LINES, (east.signum(), north.signum()));
        let nnn = east.abs().max(north.abs()) as u8;
        match (self.reading.alternate, role) {
            (_, Role::King) => 0x08 | ddd,
            (false, Role::Queen) => 0x40 | nnn << 3 | ddd,
            (true, Role::Queen) => 0xc0 | ddd << 3 | nnn,
            (false, _) => 0x80 | w << 6 | nnn << 3 | ddd,
            (true, Role::Rook) => 0x80 | ddd >> 1 << 4 | w << 3 | nnn,
            (true, _) => 0x40 | ddd >> 1 << 4 | w << 3 | nnn,
        }
    }
}
