//! The codes of one game.

use shakmaty::{CastlingSide, Chess, Color, Move, Position, Role, Square};

use crate::writers::source::{Item, SourceGame, played};

const BISHOP: &[u8] = &[
    0o11, 0o22, 0o33, 0o44, 0o55, 0o66, 0o77, 0o17, 0o26, 0o35, 0o53, 0o62, 0o71,
];
const ROOK: &[u8] = &[
    0o07, 0o06, 0o05, 0o04, 0o03, 0o02, 0o01, 0o70, 0o60, 0o50, 0o40, 0o30, 0o20, 0o10,
];
const KNIGHT: &[u8] = &[0o67, 0o76, 0o16, 0o27, 0o21, 0o12, 0o72, 0o61];
const KING: &[u8] = &[0o11, 0o77, 0o17, 0o71, 0o07, 0o01, 0o70, 0o10];

/// First code and steps of the pieces from number 8 on.
const PIECES: [(u8, [&[u8]; 3]); 10] = [
    (32, [KNIGHT, &[], &[]]),
    (40, [KNIGHT, &[], &[]]),
    (48, [BISHOP, &[], &[]]),
    (61, [BISHOP, &[], &[]]),
    (74, [ROOK, &[], &[]]),
    (88, [ROOK, &[], &[]]),
    (102, [BISHOP, ROOK, &[]]),
    (129, [KING, &[], &[]]),
    (137, [BISHOP, ROOK, KNIGHT]),
    (172, [BISHOP, ROOK, KNIGHT]),
];

/// Numbers of the pieces on the first rank.
const HOME: [u8; 8] = [12, 8, 10, 14, 15, 11, 9, 13];

/// Stored for a promoted piece if no number is free; it is then referred to by its pawn's number.
const NO_NUMBER: u8 = 31;

/// Encodes a game.
///
/// # Errors
/// If the format cannot represent the game.
pub fn record(game: &SourceGame) -> Result<Vec<u8>, String> {
    let mut codes = Vec::new();
    let mut pieces = PieceNumbers::initial();
    if let Some(fen) = game.tag("FEN") {
        pieces = PieceNumbers::of(&game.start)?;
        append_set_up(&mut codes, game, &pieces, fen)?;
    }
    let lines = lines(&game.items)?;
    append_lines(&mut codes, &lines, &game.start, pieces)?;
    Ok(codes)
}

/// A line of moves. In PGN a variation follows the move that it replaces; in Chess Assistant it precedes it.
#[derive(Default)]
struct Line<'g> {
    /// Comments before the first move.
    before: Vec<&'g Item>,
    moves: Vec<Ply<'g>>,
}

struct Ply<'g> {
    item: &'g Item,
    notes: Vec<&'g Item>,
    /// Indices of the alternatives to the move.
    variations: Vec<usize>,
}

/// All lines of a game, the main line first.
fn lines(items: &[Item]) -> Result<Vec<Line<'_>>, String> {
    let mut lines = vec![Line::default()];
    let (mut here, mut outer) = (0, Vec::new());
    for item in items {
        let next = lines.len();
        let line = &mut lines[here];
        match (item, line.moves.last_mut()) {
            (Item::VariationEnd, _) => here = outer.pop().ok_or("a variation ends that did not begin")?,
            (Item::VariationStart, Some(ply)) => {
                ply.variations.push(next);
                lines.push(Line::default());
                outer.push(here);
                here = next;
            }
            (Item::Move(_) | Item::Null, _) => line.moves.push(Ply {
                item,
                notes: Vec::new(),
                variations: Vec::new(),
            }),
            (note, Some(ply)) => ply.notes.push(note),
            (note, None) => line.before.push(note),
        }
    }
    Ok(lines)
}

/// A line that is being written.
struct Written {
    line: usize,
    /// Number of moves that have been written.
    moves: usize,
    /// Number of variations of the next move that have been written.
    variations: usize,
    position: Chess,
    pieces: PieceNumbers,
}

fn append_lines(
    codes: &mut Vec<u8>,
    lines: &[Line<'_>],
    start: &Chess,
    pieces: PieceNumbers,
) -> Result<(), String> {
    let begun = |line, position, pieces| Written {
        line,
        moves: 0,
        variations: 0,
        position,
        pieces,
    };
    append_notes(codes, &lines[0].before, 5)?;
    let mut here = begun(0, start.clone(), pieces);
    let mut outer = Vec::new();
    loop {
        let Some(ply) = lines[here.line].moves.get(here.moves) else {
            match outer.pop() {
                Some(line) => here = line,
                None => return Ok(()),
            }
            codes.push(232);
            continue;
        };
        if let Some(&variation) = ply.variations.get(here.variations) {
            here.variations += 1;
            codes.push(231);
            append_notes(codes, &lines[variation].before, 5)?;
            let inner = begun(variation, here.position.clone(), here.pieces.clone());
            outer.push(std::mem::replace(&mut here, inner));
            continue;
        }
        match ply.item {
            Item::Move(mv) => here.pieces.append_move(codes, here.position.turn(), *mv),
            _ => codes.push(211),
        }
        here.position = played(&here.position, ply.item);
        append_notes(codes, &ply.notes, 4)?;
        here.moves += 1;
        here.variations = 0;
    }
}

fn append_notes(codes: &mut Vec<u8>, notes: &[&Item], text_type: u8) -> Result<(), String> {
    notes
        .iter()
        .try_for_each(|note| append_note(codes, note, text_type))
}

/// Appends a glyph, or a text of the given type.
fn append_note(codes: &mut Vec<u8>, note: &Item, text_type: u8) -> Result<(), String> {
    let body = match note {
        Item::Comment(text) => [&[text_type], text.as_bytes()].concat(),
        Item::Nag(nag @ 1..=6) => {
            const SIGNS: [&[u8]; 6] = [b"!", b"?", b"!!", b"??", b"!?", b"?!"];
            [&[2], SIGNS[usize::from(*nag) - 1]].concat()
        }
        Item::Nag(220) => vec![8],
        other => return Err(format!("the format cannot hold {other:?}")),
    };
    match body.len() {
        2 => codes.push(234),
        len @ 0..256 => codes.extend([235, len as u8]),
        len => {
            codes.push(236);
            codes.extend((len as u32).to_le_bytes());
        }
    }
    codes.extend(body);
    Ok(())
}

/// Numbers of the pieces by square.
#[derive(Clone)]
struct PieceNumbers {
    numbers: [Option<(Color, u8)>; 64],
    /// Squares of promoted pieces that keep the number of their pawn.
    are_pawns_no_more: [bool; 64],
}

impl PieceNumbers {
    fn empty() -> PieceNumbers {
        PieceNumbers {
            numbers: [None; 64],
            are_pawns_no_more: [false; 64],
        }
    }

    fn initial() -> PieceNumbers {
        let mut pieces = PieceNumbers::empty();
        for (file, home) in HOME.into_iter().enumerate() {
            pieces.numbers[file] = Some((Color::White, home));
            pieces.numbers[8 + file] = Some((Color::White, file as u8));
            pieces.numbers[48 + file] = Some((Color::Black, file as u8));
            pieces.numbers[56 + file] = Some((Color::Black, home));
        }
        pieces
    }

    /// Numbers of the pieces in a set-up position; each kind has its own range.
    fn of(position: &Chess) -> Result<PieceNumbers, String> {
        let mut pieces = PieceNumbers::empty();
        for color in Color::ALL {
            let mut free: Vec<u8> = (0..18).collect();
            for square in position.board().by_color(color) {
                let role = position.board().role_at(square).expect("a piece stands there");
                let may_have = |number: u8| match role {
                    Role::Pawn => number < 8,
                    Role::Knight => matches!(number, 8 | 9 | 16 | 17),
                    Role::Bishop => matches!(number, 10 | 11 | 16 | 17),
                    Role::Rook => matches!(number, 12 | 13 | 16 | 17),
                    Role::Queen => matches!(number, 14 | 16 | 17),
                    Role::King => number == 15,
                };
                let place = free.iter().position(|&number| may_have(number));
                let place = place.ok_or_else(|| format!("more pieces than numbers: {role:?}"))?;
                pieces.numbers[square as usize] = Some((color, free.remove(place)));
            }
        }
        Ok(pieces)
    }

    fn append_move(&mut self, codes: &mut Vec<u8>, us: Color, mv: Move) {
        let (from, to) = match mv {
            Move::Castle { king, rook } => {
                let side = CastlingSide::from_king_side(king < rook);
                codes.push(if side == CastlingSide::KingSide { 208 } else { 207 });
                let rook_to = Square::from_coords(side.rook_to_file(), rook.rank());
                self.go(rook, rook_to);
                self.go(king, Square::from_coords(side.king_to_file(), king.rank()));
                return;
            }
            mv => (mv.from().expect("nothing is dropped"), mv.to()),
        };
        let (_, number) = self.numbers[from as usize].expect("every piece has a number");
        if let Move::EnPassant { .. } = mv {
            codes.push(210);
            self.numbers[to.xor(Square::A2) as usize] = None;
        }
        let delta = delta(from, to);
        if let Some(role) = mv.promotion() {
            let new = [16, 17]
                .into_iter()
                .find(|&new| !self.numbers.contains(&Some((us, new))));
            let kind = match role {
                Role::Knight => 2,
                Role::Bishop => 3,
                Role::Rook => 4,
                _ => 5,
            };
            codes.extend([
                209,
                number << 2 | pawn_kind(delta, us),
                kind << 5 | new.unwrap_or(NO_NUMBER),
            ]);
            self.go(from, to);
            self.numbers[to as usize] = Some((us, new.unwrap_or(number)));
            self.are_pawns_no_more[to as usize] = new.is_none();
            return;
        }
        if self.are_pawns_no_more[from as usize] {
            codes.extend([212 + number, (delta & 0o70) << 1 | delta & 7]);
        } else if number < 8 {
            codes.push(number * 4 + pawn_kind(delta, us));
        } else {
            let (first, ways) = PIECES[usize::from(number) - 8];
            let place = ways.concat().iter().position(|&way| way == delta);
            codes.push(first + place.expect("pieces move as they do") as u8);
        }
        self.go(from, to);
    }

    fn go(&mut self, from: Square, to: Square) {
        self.numbers[to as usize] = self.numbers[from as usize].take();
        self.are_pawns_no_more[to as usize] = std::mem::take(&mut self.are_pawns_no_more[from as usize]);
    }
}

/// Ranks forward and files to the right, each modulo 8.
fn delta(from: Square, to: Square) -> u8 {
    let (from, to) = (from as u8, to as u8);
    ((to & 0o70) + 64 - (from & 0o70)) & 0o70 | ((to & 7) + 8 - (from & 7)) & 7
}

/// The kind of a pawn's step: 0 one step, 1 to the left, 2 to the right, 3 two steps.
fn pawn_kind(delta: u8, us: Color) -> u8 {
    let kinds = us.fold_wb([0o10, 0o17, 0o11, 0o20], [0o70, 0o77, 0o71, 0o60]);
    kinds
        .iter()
        .position(|&kind| kind == delta)
        .expect("a pawn's step") as u8
}

/// Appends code 230 with its 76 bytes.
fn append_set_up(
    codes: &mut Vec<u8>,
    game: &SourceGame,
    pieces: &PieceNumbers,
    fen: &str,
) -> Result<(), String> {
    let position = &game.start;
    codes.push(230);
    for color in [Color::White, Color::Black] {
        for number in 0..18 {
            let square = Square::ALL
                .into_iter()
                .find(|&square| pieces.numbers[square as usize] == Some((color, number)));
            match square {
                Some(square) => {
                    let role = position.board().role_at(square).expect("a piece stands there");
                    codes.extend([byte_of(square), role as u8]);
                }
                None => codes.extend([8, 0]),
            }
        }
    }
    let number = fen
        .split(' ')
        .nth(5)
        .and_then(|number| number.parse::<u16>().ok());
    let plies = number.unwrap_or(1).saturating_sub(1).checked_mul(2);
    let plies = plies.ok_or("the first move's number is too high")?;
    codes.extend((plies + u16::from(position.turn().is_black())).to_le_bytes());
    let rights = [Square::H1, Square::A1, Square::H8, Square::A8];
    let rights = (0..).zip(rights).map(|(bit, rook)| {
        let has_right = position.castles().castling_rights().contains(rook);
        u8::from(has_right) << bit
    });
    codes.push(rights.sum());
    let en_passant = position.legal_ep_square();
    codes.push(en_passant.map_or(0, byte_of));
    Ok(())
}

/// Rank in the high four bits, file in the low ones.
fn byte_of(square: Square) -> u8 {
    (square.rank() as u8) << 4 | square.file() as u8
}
