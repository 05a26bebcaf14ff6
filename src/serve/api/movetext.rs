//! A game as a list of moves, each of which knows the one before it.

use chessdb::board::{Counters, Position, Undo};
use chessdb::game::{Game, Token};
use serde_json::{Map, Value, json};

use super::board::uci;
use crate::serve::line::{fen, read_fen};

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
    let setup = game.tags.get("FEN").and_then(|fen| read_fen(fen).ok());
    let counters = setup.map_or(Counters::default(), |(_, counters)| counters);
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
    // Comments before the first move of a variation; `None` after it.
    let mut at_begin: Option<Vec<Value>> = None;
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
                let Value::Object(mut object) = json!({
                    "parent": place.last,
                    "san": san.to_string(),
                    "uci": uci,
                    "fen": fen(&after.position, &after.counters),
                }) else {
                    break;
                };
                if let Some(texts) = at_begin.take().filter(|texts| !texts.is_empty()) {
                    object.insert("before".to_owned(), texts.into());
                }
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
                let of = place.last.and_then(|last| moves.get_mut(last));
                match (&mut at_begin, of) {
                    (Some(texts), _) => texts.push(text),
                    (None, Some(of)) => append(of, "comments", text),
                    (None, None) => before.push(text),
                }
            }
            Token::VariationStart => {
                let begin = place.before.as_deref().cloned().unwrap_or_else(|| place.clone());
                outer.push(std::mem::replace(&mut place, begin));
                at_begin = Some(Vec::new());
            }
            Token::VariationEnd => {
                at_begin = None;
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
