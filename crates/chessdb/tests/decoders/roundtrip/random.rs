//! Random games, the same in every run.

use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Move, Position, Role};
use testkit::Random;

use super::source::{Item, SourceGame, played};

/// Which items the games may contain.
#[derive(Clone, Copy, Debug)]
pub struct Kinds {
    pub variations: bool,
    pub comments: bool,
    pub nags: bool,
    pub set_ups: bool,
    pub null_moves: bool,
}

/// The game with this number.
pub fn game(number: u64, kinds: Kinds) -> SourceGame {
    let mut random = Random(number + 1);
    let mut game = SourceGame::default();
    let tags = [
        ("Event", format!("Event {}", random.below(50))),
        (
            "Date",
            format!(
                "{}.{:02}.{:02}",
                1900 + random.below(120),
                1 + random.below(12),
                1 + random.below(28)
            ),
        ),
        ("White", format!("White {}, A", random.below(300))),
        ("Black", format!("Black {}, B", random.below(300))),
        (
            "Result",
            ["1-0", "0-1", "1/2-1/2", "*"][random.below(4)].to_owned(),
        ),
    ];
    tags.iter().for_each(|(name, value)| game.set_tag(name, value));
    if kinds.set_ups && random.once_in(5) {
        for _ in 0..random.below(60) {
            let Some(mv) = pick(&game.start, &mut random) else {
                break;
            };
            game.start.play_unchecked(mv);
        }
        let fen = Fen::from_position(&game.start, EnPassantMode::Legal).to_string();
        // Counters and castling rights are exactly those in the FEN.
        let set_up: Fen = fen.parse().expect("FEN");
        game.start = set_up
            .into_position(CastlingMode::Standard)
            .expect("a playable position");
        game.set_tag("SetUp", "1");
        game.set_tag("FEN", &fen);
    }
    if kinds.comments && random.once_in(4) {
        game.items.push(comment(&mut random));
    }
    let start = game.start.clone();
    let plies = 1 + random.below(160);
    append_line(&mut game.items, start, plies, 0, kinds, &mut random);
    game
}

/// The game with this number, from another start position.
pub fn game_from(start: Chess, number: u64, kinds: Kinds) -> SourceGame {
    let without = Kinds {
        set_ups: false,
        ..kinds
    };
    let mut random = Random(!number);
    let mut game = SourceGame {
        items: Vec::new(),
        ..game(number, without)
    };
    append_line(
        &mut game.items,
        start.clone(),
        1 + random.below(160),
        0,
        kinds,
        &mut random,
    );
    game.start = start;
    game
}

/// A legal move. Pawn moves and captures are preferred, so that promotions and en passant occur.
fn pick(position: &Chess, random: &mut Random) -> Option<Move> {
    let legal = position.legal_moves();
    let pawns: Vec<Move> = legal
        .iter()
        .filter(|mv| mv.role() == Role::Pawn)
        .copied()
        .collect();
    if !pawns.is_empty() && random.once_in(2) {
        return Some(pawns[random.below(pawns.len())]);
    }
    (!legal.is_empty()).then(|| legal[random.below(legal.len())])
}

fn append_line(
    items: &mut Vec<Item>,
    mut position: Chess,
    plies: usize,
    depth: usize,
    kinds: Kinds,
    random: &mut Random,
) {
    for ply in 0..plies {
        let item = match pick(&position, random) {
            None => return,
            Some(_) if kinds.null_moves && ply > 0 && !position.is_check() && random.once_in(60) => {
                Item::Null
            }
            Some(mv) => Item::Move(mv),
        };
        let after = played(&position, &item);
        items.push(item);
        if kinds.nags && random.once_in(9) {
            let first = 1 + random.below(6) as u8;
            items.push(Item::Nag(first));
            if random.once_in(3) {
                items.push(Item::Nag(10 + random.below(10) as u8));
            }
        }
        if kinds.comments && random.once_in(12) {
            items.push(comment(random));
        }
        while kinds.variations && depth < 4 && random.once_in(14) && !position.legal_moves().is_empty() {
            items.push(Item::VariationStart);
            if kinds.comments && random.once_in(6) {
                items.push(comment(random));
            }
            let length = 1 + random.below(8);
            append_line(items, position.clone(), length, depth + 1, kinds, random);
            items.push(Item::VariationEnd);
        }
        position = after;
    }
}

fn comment(random: &mut Random) -> Item {
    const WORDS: [&str; 8] = ["better", "was", "the", "quiet", "Zug", "idée", "with", "attack"];
    let count = 1 + random.below(12);
    let words: Vec<&str> = (0..count).map(|_| WORDS[random.below(WORDS.len())]).collect();
    Item::Comment(words.join(" "))
}
