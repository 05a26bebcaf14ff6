//! Games of legal moves from any bytes, as the writers of `examples/make_database` take them.

use shakmaty::{Chess, Move, Position};

use crate::harness::told::Told;
use crate::source::{Item, SourceGame, played, set_up};

const TAGS: [&str; 16] = [
    "White",
    "Black",
    "Event",
    "Site",
    "Date",
    "Round",
    "Result",
    "WhiteElo",
    "ECO",
    "Annotator",
    "Source",
    "WhiteTitle",
    "EventDate",
    "Opening",
    "Variant",
    "Board",
];

/// Values that formats keep in a form of their own.
const VALUES: [&str; 8] = [
    "1-0",
    "1/2-1/2",
    "1858.11.??",
    "2500",
    "3.5",
    "C41",
    "Chess960",
    "?",
];

/// Glyphs that all formats can hold.
const NAGS: [u8; 7] = [1, 2, 3, 4, 5, 6, 220];

/// Most items of a game.
const MOST_ITEMS: usize = 600;

/// Most variations that are open at once: the writers recurse.
const DEEPEST: usize = 40;

/// A game that begins in one of these positions, of which the first is the normal start.
pub fn game(told: &mut Told<'_>, starts: &[&str]) -> SourceGame {
    let mut game = SourceGame::default();
    let fen = told.one_of(starts);
    if fen != starts[0] {
        game.start = set_up(fen).expect("a position");
        game.set_tag("SetUp", "1");
        game.set_tag("FEN", fen);
    }
    for _ in 0..told.below(8) {
        let name = told.one_of(&TAGS);
        if told.once_in(2) {
            game.set_tag(name, &told.name());
        } else {
            game.set_tag(name, told.one_of(&VALUES));
        }
    }
    game.items = items(told, &game.start);
    game
}

fn items(told: &mut Told<'_>, start: &Chess) -> Vec<Item> {
    let mut items = Vec::new();
    let (mut position, mut before) = (start.clone(), None);
    let mut outer = Vec::new();
    while let Some(what) = told.next().filter(|_| items.len() < MOST_ITEMS) {
        let item = match what {
            0 => break,
            1..16 => Item::Nag(told.one_of(&NAGS)),
            16..32 => Item::Comment(told.text()),
            32..48 => match before.take() {
                Some(start) if outer.len() < DEEPEST => {
                    outer.push((position, Some(Chess::clone(&start))));
                    position = start;
                    Item::VariationStart
                }
                none => {
                    before = none;
                    continue;
                }
            },
            48..64 => match outer.pop() {
                Some(line) => {
                    (position, before) = line;
                    Item::VariationEnd
                }
                None => continue,
            },
            64..72 if !position.is_check() => Item::Null,
            _ => match legal_move(told, &position, what >= 160) {
                Some(mv) => Item::Move(mv),
                None => continue,
            },
        };
        if matches!(item, Item::Move(_) | Item::Null) {
            let after = played(&position, &item);
            before = Some(std::mem::replace(&mut position, after));
        }
        items.push(item);
    }
    items
}

/// One of the legal moves; where that is asked for, rather one that formats have a code of its own for.
fn legal_move(told: &mut Told<'_>, position: &Chess, is_special: bool) -> Option<Move> {
    let moves = position.legal_moves();
    let has_code = |mv: &&Move| mv.is_promotion() || mv.is_castle() || mv.is_en_passant();
    let special: Vec<Move> = moves.iter().filter(has_code).copied().collect();
    let among = match is_special && !special.is_empty() {
        true => &special[..],
        false => &moves,
    };
    (!among.is_empty()).then(|| told.one_of(among))
}
