//! Games from arbitrary bytes: anything that a decoder could pass to the PGN writer.

use chessdb::board::{Fen, Move};
use chessdb::game::{Game, Outcome, Tags};
use chessdb::replay::Replay;

use super::choices::Choices;

/// Start positions; the first is the normal one.
pub const STARTS: [&str; 6] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 3 17",
    "7k/PPPPPP2/8/8/8/8/pppppp2/7K w - - 0 250",
    "6k1/8/8/2Q1Q3/8/2Q1Q3/8/K7 w - - 0 1",
    "rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 3",
    "5r1k/4P1pp/8/8/8/8/8/K3R3 w - - 0 9",
];

/// Names of tags. PGN does not allow some of them.
const NAMES: [&str; 10] = [
    "White",
    "Black",
    "Event",
    "Site",
    "Round",
    "Annotator",
    "A_b9",
    "bad name",
    "_",
    "",
];

/// Maximum number of tokens in a game.
const MOST_TOKENS: usize = 2_000;

/// The game that the choices in `bytes` describe.
pub fn game(bytes: &[u8]) -> Game {
    let mut choices = Choices(bytes);
    let outcomes = [
        Outcome::Unknown,
        Outcome::WhiteWins,
        Outcome::BlackWins,
        Outcome::Draw,
    ];
    let head = choices.byte();
    let mut tags = Tags::new(outcomes[usize::from(head % 4)]);
    let start = STARTS[usize::from(head / 4) % STARTS.len()];
    let fen = Fen::parse(start).expect("a position");
    if start != STARTS[0] {
        tags.set_str("SetUp", "1");
        tags.set_str("FEN", start);
    }
    for _ in 0..choices.byte() % 6 {
        let name = NAMES[usize::from(choices.byte()) % NAMES.len()];
        tags.set_str(name, &choices.text());
    }
    let mut movetext = Replay::builder(fen.position, fen.first_move);
    for _ in 0..MOST_TOKENS {
        let Some(what) = choices.next_byte() else { break };
        match what % 16 {
            0 => drop(movetext.play(Move::Null)),
            1 => movetext.nag(choices.byte()),
            2 | 3 => movetext.comment(&choices.text()),
            4 => drop(movetext.start_variation()),
            5 => drop(movetext.end_variation()),
            _ => {
                let legal = movetext.position().legal_moves();
                if let Some(&mv) = legal.get(usize::from(choices.byte()) % legal.len().max(1)) {
                    movetext.play(mv).expect("a legal move");
                }
            }
        }
    }
    Game {
        tags,
        movetext: movetext.finish().0,
    }
}
