//! Games of legal moves from arbitrary bytes, for the writers of `examples/make_database`.

use shakmaty::{Chess, Move, Position};

use crate::harness::choices::Choices;
use crate::writers::source::{Item, SourceGame, played, set_up};

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

/// Values for which formats have special representations.
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

/// Glyphs that all formats can store.
const NAGS: [u8; 7] = [1, 2, 3, 4, 5, 6, 220];

/// Maximum number of items in a game.
const MOST_ITEMS: usize = 600;

/// Maximum number of variations open at once. It is limited because the writers recurse.
const DEEPEST: usize = 40;

/// A game that begins in one of `starts`. The first of them must be the normal start position.
pub fn game(choices: &mut Choices<'_>, starts: &[&str]) -> SourceGame {
    let mut game = SourceGame::default();
    let fen = choices.one_of(starts);
    if fen != starts[0] {
        game.start = set_up(fen).expect("a position");
        game.set_tag("SetUp", "1");
        game.set_tag("FEN", fen);
    }
    for _ in 0..choices.below(8) {
        let name = choices.one_of(&TAGS);
        if choices.once_in(2) {
            game.set_tag(name, &choices.name());
        } else {
            game.set_tag(name, choices.one_of(&VALUES));
        }
    }
    game.items = items(choices, &game.start);
    game
}

fn items(choices: &mut Choices<'_>, start: &Chess) -> Vec<Item> {
    let mut items = Vec::new();
    let (mut position, mut before) = (start.clone(), None);
    let mut outer = Vec::new();
    while let Some(what) = choices.next_byte().filter(|_| items.len() < MOST_ITEMS) {
        let item = match what {
            0 => break,
            1..16 => Item::Nag(choices.one_of(&NAGS)),
            16..32 => Item::Comment(choices.text()),
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
            _ => match legal_move(choices, &position, what >= 160) {
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

/// One of the legal moves; if `is_special`, preferably one with a special code in the formats.
fn legal_move(choices: &mut Choices<'_>, position: &Chess, is_special: bool) -> Option<Move> {
    let moves = position.legal_moves();
    let has_code = |mv: &&Move| mv.is_promotion() || mv.is_castle() || mv.is_en_passant();
    let special: Vec<Move> = moves.iter().filter(has_code).copied().collect();
    let among = if is_special && !special.is_empty() {
        &special[..]
    } else {
        &moves
    };
    (!among.is_empty()).then(|| choices.one_of(among))
}
