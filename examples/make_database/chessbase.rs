//! Writes ChessBase games: `.cbf` and `.cbi` (docs/formats/chessbase.md).
//!
//! What the format has no place for is left out: the site, month and day, years and ratings that it cannot hold, the
//! opening code of a game from a set-up position, its clock, all tags that it does not know. What it could hold only changed is
//! refused.

use std::error::Error;
use std::path::Path;

use shakmaty::{Board, CastlingSide, Chess, Color, File, Move, Piece, Position, Rank, Role, Square};

use crate::source::{Item, SourceGame};

/// Writes the two files of a database.
///
/// # Errors
/// Those of writing, and a game that the format cannot hold.
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
/// What the format cannot hold.
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

/// XORs bytes from the last to the first with keys that are multiplied from byte to byte.
fn code(bytes: &mut [u8], mut key: u8, factor: u8) {
    for byte in bytes.iter_mut().rev() {
        *byte ^= key;
        key = key.wrapping_mul(factor);
    }
}

/// Plies of the main line.
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

/// The value of a tag, empty where it is unknown.
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

/// Steps of five above 1600; 0 for a rating that is not on them.
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

/// Glyphs by the place of their code in a comment; the code is the place in the list.
const GLYPHS: [&[u8]; 3] = [
    &[0, 1, 2, 5, 6, 3, 4, 0, 22, 32],
    &[0, 18, 16, 14, 10, 13, 15, 17, 19, 146, 44, 132, 36, 40, 138, 7],
    &[0, 145, 142, 140, 144, 0, 143],
];

/// What is said about one move.
#[derive(Default)]
struct Annotation {
    codes: [u8; 3],
    text: Vec<u8>,
    /// Place of the move's byte.
    at: usize,
}

/// The move area and the comment area.
fn movetext(game: &SourceGame, en_passant: u8) -> Result<(Vec<u8>, Vec<u8>), String> {
    let mut moves: Vec<u8> = Vec::new();
    let mut annotations: Vec<Annotation> = Vec::new();
    let mut initial: Option<Vec<u8>> = None;
    let mut line = Line {
        position: game.start.clone(),
        en_passant: EnPassant {
            file: en_passant,
            kept: false,
        },
        before: None,
    };
    let mut outer = Vec::new();
    for item in &game.items {
        match item {
            Item::Move(mv) => {
                let number = number(&line, *mv)?;
                moves.push(number);
                line = line.after(*mv);
            }
            Item::Null => return Err("a null move".to_owned()),
            Item::Nag(_) | Item::Comment(_) if line.before.is_none() => match item {
                Item::Comment(text) if outer.is_empty() && initial.is_none() => {
                    initial = Some(bytes_of(text)?)
                }
                _ => return Err("an annotation before the first move of a line".to_owned()),
            },
            Item::Nag(_) | Item::Comment(_) => {
                let at = moves.len() - 1;
                if annotations.last().is_none_or(|last| last.at != at) {
                    if matches!(moves[at], 0x7f | 0x80) {
                        return Err("an annotation of the 127th move or behind a variation".to_owned());
                    }
                    moves[at] |= 0x80;
                    annotations.push(Annotation {
                        at,
                        ..Annotation::default()
                    });
                }
                if let Some(annotation) = annotations.last_mut() {
                    annotation.add(item)?;
                }
            }
            Item::VariationStart => {
                let before = line
                    .before
                    .as_deref()
                    .cloned()
                    .ok_or("a variation before the first move")?;
                moves.push(0xff);
                outer.push(std::mem::replace(
                    &mut line,
                    Line {
                        before: None,
                        ..before
                    },
                ));
            }
            Item::VariationEnd => {
                moves.push(0x80);
                line = outer.pop().ok_or("a variation ends that did not begin")?;
            }
        }
    }
    let initial = initial.map(|text| Annotation {
        text,
        ..Annotation::default()
    });
    let mut comments = Vec::new();
    for annotation in annotations.into_iter().chain(initial) {
        if comments.is_empty() {
            comments.push(0xff);
        }
        comments.extend(annotation.codes);
        comments.push(0);
        comments.extend(annotation.text);
        comments.push(0xff);
    }
    Ok((moves, comments))
}

impl Annotation {
    fn add(&mut self, item: &Item) -> Result<(), String> {
        match item {
            Item::Nag(nag) => {
                let code = GLYPHS.iter().enumerate().find_map(|(place, glyphs)| {
                    let code = glyphs.iter().position(|glyph| glyph == nag)?;
                    Some((place, code as u8)).filter(|_| *nag != 0)
                });
                match code {
                    Some((place, code)) if self.codes[place] == 0 => self.codes[place] = code,
                    _ => return Err(format!("the glyph ${nag} of a move")),
                }
            }
            Item::Comment(text) => {
                if !self.text.is_empty() {
                    self.text.push(b' ');
                }
                self.text.extend(bytes_of(text)?);
            }
            _ => {}
        }
        Ok(())
    }
}

/// A place in a line: what the list of moves depends on.
#[derive(Clone)]
struct Line {
    position: Chess,
    en_passant: EnPassant,
    /// The place before the last move of the line.
    before: Option<Box<Line>>,
}

/// The en passant state of the list: its file 1 to 8, and whether castling kept it.
#[derive(Clone, Copy, Default)]
struct EnPassant {
    file: u8,
    kept: bool,
}

impl Line {
    fn after(mut self, mv: Move) -> Line {
        self.before = None;
        let mut position = self.position.clone();
        position.play_unchecked(mv);
        let en_passant = match mv {
            Move::Castle { .. } => EnPassant {
                kept: self.en_passant.file != 0,
                ..self.en_passant
            },
            Move::Normal {
                role: Role::Pawn,
                from,
                to,
                ..
            } if from.rank().distance(to.rank()) == 2 => EnPassant {
                file: from.file() as u8 + 1,
                kept: false,
            },
            _ => EnPassant::default(),
        };
        Line {
            position,
            en_passant,
            before: Some(Box::new(self)),
        }
    }
}

/// A move by its squares; none for entries that cannot be played. Castling is the king's move onto his rook.
type Entry = Option<(Square, Square, Option<Role>)>;

/// The number of a legal move in the list.
fn number(line: &Line, mv: Move) -> Result<u8, String> {
    let wanted = match mv {
        Move::Castle { king, rook } => (king, rook, None),
        mv => (mv.from().ok_or("a dropped man")?, mv.to(), mv.promotion()),
    };
    let list = list(line.position.board(), line.position.turn(), line.en_passant);
    let place = list.iter().position(|entry| *entry == Some(wanted));
    let place = place.ok_or("a move that is not in the list")?;
    u8::try_from(place + 1)
        .ok()
        .filter(|&number| number < 128)
        .ok_or_else(|| "a move beyond the 127th of the list".to_owned())
}

const BISHOP: [(i32, i32); 4] = [(-1, -1), (1, -1), (1, 1), (-1, 1)];
const ROOK: [(i32, i32); 4] = [(-1, 0), (0, -1), (1, 0), (0, 1)];
const KING: [(i32, i32); 8] = [
    (-1, -1),
    (-1, 0),
    (-1, 1),
    (0, -1),
    (0, 1),
    (1, -1),
    (1, 0),
    (1, 1),
];
const KNIGHT: [(i32, i32); 8] = [
    (-2, -1),
    (-2, 1),
    (2, -1),
    (2, 1),
    (-1, -2),
    (-1, 2),
    (1, -2),
    (1, 2),
];

/// The whole list of moves, in its order.
fn list(board: &Board, turn: Color, en_passant: EnPassant) -> Vec<Entry> {
    let mut list = Vec::new();
    for file in File::ALL {
        for rank in Rank::ALL {
            let from = Square::from_coords(file, rank);
            let Some(piece) = board.piece_at(from).filter(|piece| piece.color == turn) else {
                continue;
            };
            match piece.role {
                Role::King => {
                    append_runs(&mut list, board, turn, from, &KING, 1);
                    append_castling(&mut list, board, turn, from);
                }
                Role::Knight => append_runs(&mut list, board, turn, from, &KNIGHT, 1),
                Role::Bishop => append_runs(&mut list, board, turn, from, &BISHOP, 7),
                Role::Rook => append_runs(&mut list, board, turn, from, &ROOK, 7),
                Role::Queen => {
                    append_runs(&mut list, board, turn, from, &BISHOP, 7);
                    append_runs(&mut list, board, turn, from, &ROOK, 7);
                }
                Role::Pawn => append_pawn(&mut list, board, turn, from, en_passant),
            }
        }
    }
    list
}

/// The square so many files and ranks away.
fn step(from: Square, (files, ranks): (i32, i32)) -> Option<Square> {
    Some(Square::from_coords(
        from.file().offset(files)?,
        from.rank().offset(ranks)?,
    ))
}

fn append_runs(
    list: &mut Vec<Entry>,
    board: &Board,
    turn: Color,
    from: Square,
    directions: &[(i32, i32)],
    longest: usize,
) {
    for &direction in directions {
        let mut at = from;
        for _ in 0..longest {
            let Some(to) = step(at, direction) else { break };
            let taken = board.color_at(to);
            if taken == Some(turn) {
                break;
            }
            list.push(Some((from, to, None)));
            if taken.is_some() {
                break;
            }
            at = to;
        }
    }
}

fn append_castling(list: &mut Vec<Entry>, board: &Board, turn: Color, king: Square) {
    let home = turn.backrank();
    if king != Square::from_coords(File::E, home) {
        return;
    }
    for (corner, between) in [
        (File::H, &[File::F, File::G][..]),
        (File::A, &[File::B, File::C, File::D]),
    ] {
        let rook = Square::from_coords(corner, home);
        let is_free = |&file: &File| board.piece_at(Square::from_coords(file, home)).is_none();
        if board.piece_at(rook) == Some(turn.rook()) && between.iter().all(is_free) {
            list.push(Some((king, rook, None)));
        }
    }
}

fn append_pawn(list: &mut Vec<Entry>, board: &Board, turn: Color, from: Square, en_passant: EnPassant) {
    let forward = turn.fold_wb(1, -1);
    let is_free = |square: Square| board.piece_at(square).is_none();
    let mut push = |to: Square| {
        if to.rank() == turn.relative_rank(Rank::Eighth) {
            let roles = [Role::Queen, Role::Rook, Role::Bishop, Role::Knight];
            list.extend(roles.map(|role| Some((from, to, Some(role)))));
        } else {
            list.push(Some((from, to, None)));
        }
    };
    let single = step(from, (0, forward)).filter(|&to| is_free(to));
    if from.rank() == turn.relative_rank(Rank::Second)
        && single.is_some()
        && let Some(double) = step(from, (0, 2 * forward)).filter(|&to| is_free(to))
    {
        push(double);
    }
    single.into_iter().for_each(&mut push);
    let captures = [-1, 1].map(|files| step(from, (files, forward)));
    for to in captures.into_iter().flatten() {
        if board.color_at(to) == Some(!turn) {
            push(to);
        }
    }
    if from.rank() == turn.relative_rank(Rank::Fifth) {
        let index = from.file() as i32;
        let file = i32::from(en_passant.file);
        for (matches, files) in [(index == file, -1), (index - file == -2, 1)] {
            if matches {
                let to = step(from, (files, forward)).filter(|_| file > 0 && !en_passant.kept);
                list.push(to.map(|to| (from, to, None)));
            }
        }
    }
}
