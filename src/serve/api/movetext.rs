//! A game as a list of moves, each of which knows the one before it.

use chessdb::board::{Counters, Fen, Position, Undo};
use chessdb::game::{Game, Token};
use serde_json::{Map, Value, json};

use super::board::uci;
use crate::serve::line::fen;

/// Where a line goes on.
#[derive(Clone)]
struct LinePlace {
    /// The last move, by its number in the list.
    last: Option<usize>,
    position: Position,
    counters: Counters,
    /// The place before the last move, to which a variation goes back.
    before: Option<Box<LinePlace>>,
}

/// A game. Moves come in the order of PGN: of several that follow one move, the first is the main line.
pub(super) fn game(game: &Game, problems: &[String]) -> Value {
    let setup = game.tags.get("FEN").and_then(|fen| Fen::parse(fen).ok());
    let mut counters = Counters::default();
    if let Some(number) = setup.and_then(|setup| setup.first_move.try_into().ok()) {
        counters.fullmoves = number;
    }
    let start = game.start();
    let begin = fen(&start, &counters);
    let mut place = LinePlace {
        last: None,
        position: start,
        counters,
        before: None,
    };
    let (mut moves, mut outer) = (Vec::<Map<String, Value>>::new(), Vec::new());
    let mut before = Vec::new();
    for token in game.movetext.tokens() {
        match *token {
            Token::Move(san, mv) => {
                let mv = mv.unpack();
                let uci = uci(&place.position, mv);
                let mut after = LinePlace {
                    last: Some(moves.len()),
                    before: None,
                    ..place.clone()
                };
                after.counters.follow(&place.position, mv);
                if after.position.advance(mv, &mut Undo::default()).is_err() {
                    break;
                }
                let Value::Object(object) = json!({
                    "parent": place.last,
                    "san": san.to_string(),
                    "uci": uci,
                    "fen": fen(&after.position, &after.counters),
                }) else {
                    break;
                };
                moves.push(object);
                place.before = None;
                after.before = Some(Box::new(place));
                place = after;
            }
            Token::Nag(nag) => {
                if let Some(of) = place.last.and_then(|last| moves.get_mut(last)) {
                    append(of, "nags", nag.into());
                }
            }
            Token::Comment(text) | Token::Remark(text) => {
                let text = Value::from(game.movetext.text(text));
                match place.last.and_then(|last| moves.get_mut(last)) {
                    Some(of) => append(of, "comments", text),
                    None => before.push(text),
                }
            }
            Token::VariationStart => {
                let begin = place.before.as_deref().cloned().unwrap_or_else(|| place.clone());
                outer.push(std::mem::replace(&mut place, begin));
            }
            Token::VariationEnd => {
                if let Some(line) = outer.pop() {
                    place = line;
                }
            }
        }
    }
    json!({
        "tags": game.tags.iter().map(|(name, value)| [name, value]).collect::<Vec<_>>(),
        "result": game.tags.outcome().token(),
        "fen": begin,
        "comments": before,
        "moves": moves,
        "problems": problems,
    })
}

fn append(object: &mut Map<String, Value>, key: &str, value: Value) {
    let list = object.entry(key).or_insert_with(|| Value::Array(Vec::new()));
    if let Value::Array(list) = list {
        list.push(value);
    }
}
