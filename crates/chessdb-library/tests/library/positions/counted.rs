//! Positions of games, found by shakmaty.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use chessdb::board::Move;
use chessdb::game::{Game, Token};
use chessdb::{Database, Options};
use chessdb_library::positions::Pattern;
use shakmaty::fen::{Epd, Fen};
use shakmaty::san::SanPlus;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Position, PositionError};
use testkit::samples::{all_samples, candidates, open};

/// All samples with at most `most` games, with their names.
pub fn databases(most: u32) -> Vec<(String, Arc<dyn Database>)> {
    let bases = all_samples().into_iter().flat_map(|sample| sample.bases());
    let mut found = Vec::new();
    for base in bases {
        for (format, candidate) in candidates(&base) {
            let opened = open(format, &candidate, &Options::default());
            let small = opened.filter(|database| (1..=most).contains(&database.len()));
            found.extend(small.map(|database| (base.display().to_string(), Arc::from(database))));
        }
    }
    assert!(found.len() > 20, "{}", found.len());
    found
}

/// A position as text, with castling rights and with the en passant square if a capture is possible.
pub type Key = String;

/// The games with a position: the first ply in each, and how often each move was played after its first
/// occurrence.
#[derive(Clone, Debug, Default)]
pub struct Counted {
    /// The first ply, by number of the game.
    pub games: BTreeMap<u32, u32>,
    /// Number of games by SAN of the move; empty for games that end there.
    pub moves: BTreeMap<String, u32>,
}

/// All positions up to a ply in all games that are not deleted.
pub fn count(database: &dyn Database, most: u32) -> HashMap<Key, Counted> {
    let mut all: HashMap<Key, Counted> = HashMap::new();
    for number in 0..database.len() {
        if database.keys(number).deleted {
            continue;
        }
        let game = database.game(number).game;
        for (ply, (key, san)) in (0..=most).zip(line(&game)) {
            let counted = all.entry(key).or_default();
            if let Entry::Vacant(place) = counted.games.entry(number) {
                place.insert(ply);
                *counted.moves.entry(san).or_default() += 1;
            }
        }
    }
    all
}

/// The positions of a main line, each with the next move.
pub fn line(game: &Game) -> Vec<(Key, String)> {
    let Some(mut position) = start(game) else {
        return Vec::new();
    };
    let mut positions = Vec::new();
    let mut depth = 0;
    for token in game.movetext.tokens() {
        match *token {
            Token::VariationStart => depth += 1,
            Token::VariationEnd => depth -= 1,
            Token::Move(_, mv) if depth == 0 && mv.unpack() == Move::Null => {
                positions.push((key(&position), "null".to_owned()));
                position = position.clone().swap_turn().unwrap();
            }
            Token::Move(san, _) if depth == 0 => {
                let key = key(&position);
                let mv = san
                    .to_string()
                    .parse::<SanPlus>()
                    .unwrap()
                    .san
                    .to_move(&position)
                    .unwrap();
                let san = SanPlus::from_move_and_play_unchecked(&mut position, mv);
                positions.push((key, san.to_string()));
            }
            _ => {}
        }
    }
    positions.push((key(&position), String::new()));
    positions
}

/// The start position of a game; `None` if no game can be played from it.
fn start(game: &Game) -> Option<Chess> {
    let Some(fen) = game.tags.get("FEN") else {
        return game.start().map(|_| Chess::default());
    };
    let position = fen.parse::<Fen>().ok()?.into_position(CastlingMode::Chess960);
    let position = position
        .or_else(PositionError::ignore_too_much_material)
        .or_else(PositionError::ignore_impossible_check)
        .or_else(PositionError::ignore_invalid_ep_square)
        .or_else(PositionError::ignore_invalid_castling_rights);
    position.ok()
}

fn key(position: &Chess) -> Key {
    Epd::from_position(position, EnPassantMode::Legal).to_string()
}

/// The position of a key, parsed like one from a user.
pub fn pattern(key: &Key) -> Pattern {
    Pattern::parse(key).unwrap_or_else(|error| panic!("{key}: {error}"))
}
