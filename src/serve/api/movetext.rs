//! A game as a JSON list of moves, each with a reference to the move before it. It is written piece by piece, because
//! the JSON can be a hundred times as long as the game. The tags, a move with its comments, and the problems each stay
//! in one piece, so the longest piece is proportional to the game.

use std::collections::HashMap;

use chessdb::Decoded;
use chessdb::board::{Counters, Position, Undo};
use chessdb::game::{TextRange, Token};
use serde::Serialize;

use super::pieces::{PIECE, append};
use crate::serve::line::{fen, read_fen, uci};

/// The place where a line continues.
#[derive(Clone)]
struct LinePlace {
    /// The last move, by its number in the list.
    last: Option<usize>,
    position: Position,
    counters: Counters,
    /// The place before the last move, where a variation starts.
    before: Option<Box<LinePlace>>,
}

/// A move in the list.
#[derive(Serialize)]
struct MoveJson<'a> {
    parent: Option<usize>,
    san: String,
    uci: String,
    fen: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    before: Vec<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    nags: Vec<u8>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    comments: Vec<&'a str>,
}

/// A game. Moves come in the order of PGN: if several follow the same move, the first is the main line.
pub(super) struct GameJson {
    decoded: Decoded,
    annotations: Annotations,
    place: LinePlace,
    /// The lines around the variation that is written.
    outer: Vec<LinePlace>,
    /// Number of the next token.
    token: usize,
    /// Number of moves that were written.
    moves: usize,
    /// Comments in front of the first move of a variation.
    before: Vec<TextRange>,
    part: JsonPart,
}

/// What to write next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum JsonPart {
    Tags,
    Moves,
    Nothing,
}

/// Glyphs and comments that come later in the movetext than they are written.
#[derive(Default)]
struct Annotations {
    /// Comments in front of the first move of the game.
    first: Vec<TextRange>,
    /// Annotations after a variation that belong to the move before it, by the number of that move.
    late: HashMap<usize, Vec<Token>>,
}

impl Annotations {
    fn of(tokens: &[Token]) -> Annotations {
        let mut found = Annotations::default();
        // The last move of the line, and its previous move.
        let (mut last, mut before, mut moves) = (None, None, 0);
        let mut outer = Vec::new();
        let (mut follows_move, mut begins_variation) = (false, false);
        for &token in tokens {
            match token {
                Token::Move(..) => {
                    (before, last) = (Some(last), Some(moves));
                    (follows_move, begins_variation) = (true, false);
                    moves += 1;
                }
                Token::VariationStart => {
                    outer.push((last, before));
                    (last, before) = (before.unwrap_or(last), None);
                    (follows_move, begins_variation) = (false, true);
                }
                Token::VariationEnd => {
                    (last, before) = outer.pop().unwrap_or((last, before));
                    (follows_move, begins_variation) = (false, false);
                }
                _ if follows_move => {}
                Token::Comment(_) | Token::Remark(_) if begins_variation => {}
                Token::Nag(_) | Token::Comment(_) | Token::Remark(_) => match (last, token) {
                    (Some(last), token) => found.late.entry(last).or_default().push(token),
                    (None, Token::Comment(text) | Token::Remark(text)) => found.first.push(text),
                    (None, _) => {}
                },
            }
        }
        found
    }
}

impl GameJson {
    /// Starts writing a game.
    pub(super) fn new(decoded: Decoded) -> GameJson {
        let game = &decoded.game;
        let setup = game.tags.get("FEN").and_then(|fen| read_fen(fen).ok());
        GameJson {
            annotations: Annotations::of(game.movetext.tokens()),
            place: LinePlace {
                last: None,
                position: game.start().unwrap_or_default(),
                counters: setup.map_or(Counters::default(), |(_, counters)| counters),
                before: None,
            },
            outer: Vec::new(),
            token: 0,
            moves: 0,
            before: Vec::new(),
            part: JsonPart::Tags,
            decoded,
        }
    }

    fn append_tags(&mut self, out: &mut Vec<u8>) {
        let game = &self.decoded.game;
        let comments = self
            .annotations
            .first
            .iter()
            .map(|&text| game.movetext.text(text));
        let tags = game.tags.iter().collect::<Vec<_>>();
        out.extend_from_slice(b"{\"tags\":");
        append(out, &tags);
        out.extend_from_slice(b",\"result\":");
        append(out, game.tags.outcome().token());
        out.extend_from_slice(b",\"fen\":");
        append(out, &fen(&self.place.position, &self.place.counters));
        out.extend_from_slice(b",\"comments\":");
        append(out, &comments.collect::<Vec<_>>());
        out.extend_from_slice(b",\"moves\":[");
    }

    /// Reads the next token, and appends its move. False at the end.
    fn append_move(&mut self, out: &mut Vec<u8>) -> bool {
        let movetext = &self.decoded.game.movetext;
        let Some(&token) = movetext.tokens().get(self.token) else {
            return false;
        };
        self.token += 1;
        let place = &mut self.place;
        match token {
            Token::Move(san, mv) => {
                let mv = mv.unpack();
                let mut after = LinePlace {
                    last: Some(self.moves),
                    before: None,
                    ..*place
                };
                after.counters.follow(&place.position, mv);
                if after.position.advance(mv, &mut Undo::default()).is_err() {
                    return false;
                }
                let following = movetext.tokens().get(self.token..).unwrap_or_default().iter();
                let own = following.take_while(|token| !is_part_of_line(token));
                let late = self.annotations.late.get(&self.moves);
                let (mut nags, mut comments) = (Vec::new(), Vec::new());
                for &token in own.chain(late.into_iter().flatten()) {
                    match token {
                        Token::Nag(nag) => nags.push(nag),
                        Token::Comment(text) | Token::Remark(text) => comments.push(movetext.text(text)),
                        _ => {}
                    }
                }
                if self.moves > 0 {
                    out.push(b',');
                }
                append(
                    out,
                    &MoveJson {
                        parent: place.last,
                        san: san.to_string(),
                        uci: uci(&place.position, mv),
                        fen: fen(&after.position, &after.counters),
                        before: self.before.drain(..).map(|text| movetext.text(text)).collect(),
                        nags,
                        comments,
                    },
                );
                self.moves += 1;
                place.before = None;
                let before = std::mem::replace(place, after);
                place.before = Some(Box::new(before));
            }
            Token::VariationStart => {
                let begin = place.before.as_deref().unwrap_or(place).clone();
                self.outer.push(std::mem::replace(place, begin));
                let following = movetext.tokens().get(self.token..).unwrap_or_default().iter();
                let texts = following.take_while(|token| !is_part_of_line(token));
                self.before.extend(texts.filter_map(|token| match *token {
                    Token::Comment(text) | Token::Remark(text) => Some(text),
                    _ => None,
                }));
            }
            Token::VariationEnd => {
                self.before.clear();
                if let Some(line) = self.outer.pop() {
                    *place = line;
                }
            }
            // Glyphs and comments were written with their move.
            Token::Nag(_) | Token::Comment(_) | Token::Remark(_) => {}
        }
        true
    }

    fn append_problems(&self, out: &mut Vec<u8>) {
        let problems = self.decoded.problems.iter().map(ToString::to_string);
        out.extend_from_slice(b"],\"problems\":");
        append(out, &problems.collect::<Vec<String>>());
        out.push(b'}');
    }
}

/// True for a move, and for the start and the end of a variation.
fn is_part_of_line(token: &Token) -> bool {
    matches!(
        token,
        Token::Move(..) | Token::VariationStart | Token::VariationEnd
    )
}

impl Iterator for GameJson {
    type Item = Vec<u8>;

    fn next(&mut self) -> Option<Vec<u8>> {
        let mut out = Vec::new();
        if self.part == JsonPart::Tags {
            self.append_tags(&mut out);
            self.part = JsonPart::Moves;
        }
        while self.part == JsonPart::Moves && out.len() < PIECE {
            if !self.append_move(&mut out) {
                self.append_problems(&mut out);
                self.part = JsonPart::Nothing;
            }
        }
        (!out.is_empty()).then_some(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chessdb_library::library::Library;
    use serde_json::{Value, json};

    fn pieces_of(movetext: &str) -> Vec<Vec<u8>> {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(
            folder.path().join("a.pgn"),
            format!("[White \"x\"]\n\n{movetext}\n\n"),
        )
        .unwrap();
        let library = Library::open(folder.path(), &Default::default()).unwrap();
        let game = library.databases()[0].database.game(0);
        GameJson::new(game).collect()
    }

    fn json_of(movetext: &str) -> Value {
        serde_json::from_slice(&pieces_of(movetext).concat()).unwrap()
    }

    #[test]
    fn annotations_belong_to_their_moves() {
        let game = json_of(
            "{game} 1. e4 $1 {one} ({first} 1. d4 {two} d5 (1... Nf6 $2) $3 {late}) {of e4} 1... e5 {three} \
             (1... c5) (1... c6) $5 {four} *",
        );
        let moves = game["moves"].as_array().unwrap().iter();
        let found = moves.map(|of| {
            let of = |key: &str| of.get(key).cloned().unwrap_or_default();
            json!([of("san"), of("parent"), of("before"), of("nags"), of("comments")])
        });
        assert_eq!(
            found.collect::<Vec<_>>(),
            [
                json!(["e4", null, null, [1], ["one", "of e4"]]),
                json!(["d4", null, ["first"], null, ["two"]]),
                json!(["d5", 1, null, [3], ["late"]]),
                json!(["Nf6", 1, null, [2], null]),
                json!(["e5", 0, null, [5], ["three", "four"]]),
                json!(["c5", 0, null, null, null]),
                json!(["c6", 0, null, null, null]),
            ]
        );
        assert_eq!(game["comments"], json!(["game"]));
        assert_eq!((&game["result"], &game["problems"]), (&json!("*"), &json!([])));
        assert!(game["tags"].as_array().unwrap().contains(&json!(["White", "x"])));
        assert_eq!(game["moves"][5]["uci"], "c7c5");
        assert_eq!(
            game["moves"][5]["fen"],
            "rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2"
        );
    }

    #[test]
    fn a_game_without_moves_is_complete() {
        let game = json_of("{only} *");
        assert_eq!(
            (&game["comments"], &game["moves"]),
            (&json!(["only"]), &json!([]))
        );
    }

    /// A move with its comments stays in one piece.
    #[test]
    fn a_piece_is_a_move_with_its_comments_where_these_are_long() {
        let comments = "{x \"} ".repeat(50_000);
        let pieces = pieces_of(&format!("1. e4 {comments} e5 {comments} *"));
        // Each comment has quotation marks, a comma, and a character that is escaped.
        let most = pieces.iter().map(Vec::len).max().unwrap();
        assert!((50_000 * 7..50_000 * 7 + PIECE).contains(&most), "{most}");
        let game: Value = serde_json::from_slice(&pieces.concat()).unwrap();
        for mv in game["moves"].as_array().unwrap() {
            assert_eq!(mv["comments"].as_array().unwrap().len(), 50_000);
        }
    }

    /// If comments are short, no piece is much longer than the others, even of a very long game.
    #[test]
    fn a_long_game_comes_in_pieces() {
        let pieces = pieces_of(&format!("1. e4 {} *", "(1. d4) ".repeat(20_000)));
        let most = pieces.iter().map(Vec::len).max().unwrap();
        assert!(
            pieces.len() > 20 && most < PIECE + 1000,
            "{} {most}",
            pieces.len()
        );
        let game: Value = serde_json::from_slice(&pieces.concat()).unwrap();
        assert_eq!(game["moves"].as_array().unwrap().len(), 20_001);
    }
}
