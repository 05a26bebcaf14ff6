//! Writes ChessBase games: `.cbf` and `.cbi` (docs/formats/chessbase.md).
//!
//! What the format cannot store is left out: the site, month and day, years and ratings out of range, the
//! opening code of a game from a set-up position, its clock, and all tags without a field. A game that would
//! have to be changed otherwise is refused.

mod list;
mod movetext;

use std::error::Error;
use std::path::Path;

use shakmaty::{Board, CastlingSide, Color, Piece, Position, Role, Square};

use crate::writers::source::{Item, SourceGame};
use movetext::movetext;

/// Writes the two files of a database.
///
/// # Errors
/// Fails if a file cannot be written, or if the format cannot hold a game.
pub fn write(games: &[SourceGame], target: &Path) -> Result<(), Box<dyn Error>> {
    let mut records = Vec::new();
    let mut words = vec![games.len() + 1];
    for (number, game) in (1..).zip(games) {
        words.push(records.len() + number + 1);
        records.extend(record(game).map_err(|error| format!("game {number}: {error}"))?);
    }
    words.push(records.len() + games.len() + 2);
    let mut index = Vec::new();
    for word in words {
        index.extend(u32::try_from(word)?.to_be_bytes());
    }
    for (extension, bytes) in [("cbf", records), ("cbi", index)] {
        let path = target.with_extension(extension);
        std::fs::write(&path, bytes).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(())
}

/// The record of a game: header, texts, moves, comments, position.
///
/// # Errors
/// If the format cannot represent the game.
pub fn record(game: &SourceGame) -> Result<Vec<u8>, String> {
    let players = players(game)?;
    let source = source(game)?;
    let set_up = game.tag("FEN").is_some();
    let en_passant = game
        .start
        .maybe_ep_square()
        .map_or(0, |square| square.file() as u8 + 1);
    let (moves, comments) = movetext(game, if set_up { en_passant } else { 0 })?;
    let mlen = u16::try_from(moves.len() + 1).map_err(|_| "too many moves")?;
    let clen = u16::try_from(comments.len()).map_err(|_| "too much comment")?;

    let mut header = [0u8; 14];
    let year = game
        .tag("Date")
        .and_then(|date| date.split('.').next()?.parse::<i32>().ok());
    header[0] = year
        .and_then(|year| i8::try_from(year - 1900).ok())
        .map_or(127, i8::cast_unsigned);
    header[1] = match game.tag("Result") {
        Some("0-1") => 0,
        Some("1/2-1/2") => 1,
        Some("1-0") => 2,
        _ => 3,
    };
    header[2..4].copy_from_slice(&mlen.to_be_bytes());
    header[4] = players.len() as u8;
    header[5] = source.len() as u8;
    header[6..8].copy_from_slice(&clen.to_be_bytes());
    header[8] = elo(game.tag("WhiteElo"));
    header[9] = elo(game.tag("BlackElo"));
    if set_up {
        let rights = game.start.castles();
        header[10] = 1 | u8::from(game.start.turn().is_black()) << 1;
        let sides = [CastlingSide::QueenSide, CastlingSide::KingSide];
        let all = Color::ALL
            .iter()
            .flat_map(|&color| sides.map(|side| (color, side)));
        for (bit, (color, side)) in (2..).zip(all) {
            header[10] |= u8::from(rights.has(color, side)) << bit;
        }
        header[11] = en_passant;
    } else {
        let code = game.tag("ECO").and_then(eco).unwrap_or(0);
        header[10] = (code as u8 & 31) << 1;
        header[4] |= ((code >> 5) as u8 & 3) << 6;
        header[5] |= ((code >> 7) as u8) << 6;
        let sub = game.tag("ECOSub").and_then(|sub| sub.parse::<u8>().ok());
        let sub = sub.filter(|&sub| sub < 128).unwrap_or(0);
        header[11] = sub & 63 | (sub & 64) << 1;
    }
    let first_move = game.start.fullmoves().get();
    let main_moves = main_line(game).div_ceil(2);
    header[12] = main_moves.min(255) as u8;
    header[13] = header[3]
        .wrapping_mul(0xc1)
        .wrapping_mul(header[8].wrapping_add(1))
        .wrapping_mul(header[0]);

    let mut record = coded_header(header).to_vec();
    let mut texts = [players, source].concat();
    let len = texts.len() as u8;
    code(&mut texts, len.wrapping_mul(3), 3);
    record.extend(texts);
    let mut moves = moves;
    if let Some((_, rest)) = moves.split_first_mut() {
        code(rest, 49u8.wrapping_mul(mlen as u8), 7);
    }
    record.extend(moves);
    record.extend(comments);
    if set_up {
        record.extend(position(game.start.board()));
        record.push(u8::try_from(first_move - 1).map_err(|_| "a first move after the 256th")?);
    }
    Ok(record)
}

fn coded_header(mut header: [u8; 14]) -> [u8; 14] {
    header[11] ^= 14 + (header[4] & 63) + (header[5] & 63);
    code(&mut header, 101, 3);
    header
}

/// XORs bytes from the last to the first with keys; each key is the previous one multiplied by `factor`.
fn code(bytes: &mut [u8], mut key: u8, factor: u8) {
    for byte in bytes.iter_mut().rev() {
        *byte ^= key;
        key = key.wrapping_mul(factor);
    }
}

/// Number of plies in the main line.
fn main_line(game: &SourceGame) -> usize {
    let mut depth = 0;
    let mut plies = 0;
    for item in &game.items {
        match item {
            Item::VariationStart => depth += 1,
            Item::VariationEnd => depth -= 1,
            Item::Move(_) if depth == 0 => plies += 1,
            _ => {}
        }
    }
    plies
}

/// `White-Black`, with `_` for hyphens inside names.
fn players(game: &SourceGame) -> Result<Vec<u8>, String> {
    let mut names = Vec::new();
    for tag in ["White", "Black"] {
        let name = known(game.tag(tag));
        if name.contains(['_', '(']) {
            return Err(format!("a name with _ or a parenthesis: {name}"));
        }
        names.push(name.replace('-', "_"));
    }
    match names.concat().as_str() {
        "" => Ok(Vec::new()),
        _ => text_of_field(&names.join("-")),
    }
}

/// `Event (Round) [Annotator]`.
fn source(game: &SourceGame) -> Result<Vec<u8>, String> {
    let event = known(game.tag("Event"));
    if event.contains(['[', '(']) {
        return Err(format!("an event with a parenthesis or bracket: {event}"));
    }
    let mut parts = Vec::new();
    if !event.is_empty() {
        parts.push(event.to_owned());
    }
    let round = known(game.tag("Round"));
    if round.contains(|c: char| c.is_ascii_digit()) && round.chars().all(|c| c.is_ascii_digit() || c == '.') {
        parts.push(format!("({round})"));
    }
    let annotator = known(game.tag("Annotator"));
    if !annotator.is_empty() {
        parts.push(format!("[{annotator}]"));
    }
    text_of_field(&parts.join(" "))
}

/// The value of a tag; empty if it is unknown.
fn known(value: Option<&str>) -> &str {
    value.filter(|&value| value != "?").unwrap_or_default()
}

fn text_of_field(text: &str) -> Result<Vec<u8>, String> {
    let bytes = bytes_of(text)?;
    if bytes.len() > 63 {
        return Err(format!("more than 63 bytes: {text}"));
    }
    Ok(bytes)
}

/// A text in code page 437, without its graphic characters.
fn bytes_of(text: &str) -> Result<Vec<u8>, String> {
    const LETTERS: &str = "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ";
    const ACCENTED: &str = "áíóúñÑ";
    let place = |list: &str, wanted: char| list.chars().position(|c| c == wanted);
    let bytes = text.chars().map(|c| match c {
        ' '..='~' => Ok(c as u8),
        'ß' => Ok(0xe1),
        _ => place(LETTERS, c)
            .map(|place| 0x80 + place as u8)
            .or_else(|| place(ACCENTED, c).map(|place| 0xa0 + place as u8))
            .ok_or_else(|| format!("a character that code page 437 has not: {c}")),
    });
    bytes.collect()
}

/// Steps of five above 1600; 0 for a rating between steps or out of range.
fn elo(value: Option<&str>) -> u8 {
    let elo = value.and_then(|value| value.parse::<u32>().ok()).unwrap_or(0);
    match elo.checked_sub(1600) {
        Some(above) if above % 5 == 0 => u8::try_from(above / 5).unwrap_or(0),
        _ => 0,
    }
}

/// Number of an opening code from 1; A00 is 1.
fn eco(code: &str) -> Option<u16> {
    let letter = "ABCDEF".find(code.get(..1)?)?;
    let number: u16 = code.get(1..3)?.parse().ok()?;
    Some(letter as u16 * 100 + number + 1).filter(|&code| code < 512)
}

/// The 32 bytes of a board: two squares a byte.
fn position(board: &Board) -> Vec<u8> {
    let nibble = |square: Square| match board.piece_at(square) {
        None => 0,
        Some(Piece { color, role }) => {
            let kind = match role {
                Role::King => 1,
                Role::Queen => 2,
                Role::Knight => 3,
                Role::Bishop => 4,
                Role::Rook => 5,
                Role::Pawn => 6,
            };
            kind + if color.is_black() { 8 } else { 0 }
        }
    };
    let (pairs, _) = Square::ALL.as_chunks::<2>();
    pairs
        .iter()
        .map(|&[left, right]| nibble(left) << 4 | nibble(right))
        .collect()
}
