//! A game as python-chess would read it from its PGN: header lines, and movetext as a list of values.

use pyo3::prelude::*;
use pyo3::types::{PyEllipsis, PyList};

use chessdb::Database;
use chessdb::board::{Move, Position, Square};
use chessdb::game::{Game, Token};
use chessdb_library::annotations;
use chessdb_library::library::to_pgn;

/// A value of the movetext.
pub enum Value {
    /// A move: the origin, from bit 6 the target, from bit 12 the promotion (2 knight to 5 queen); 0 for a null move.
    Move(u16),
    /// A numeric annotation glyph.
    Nag(u8),
    /// A comment with the line breaks that it has in the PGN.
    Comment(String),
    /// Start of a variation.
    Start,
    /// End of a variation.
    End,
}

/// Names and values of the header lines, with the escapes of the PGN, which python-chess keeps; and the movetext.
pub type Values = (Vec<(String, String)>, Vec<Value>);

/// The values of a game in export form; `None` if it cannot be played from its start, so that python-chess has to read
/// the text.
pub fn values_of(database: &dyn Database, game: u32) -> Option<Values> {
    let game = with_pawns(database, game);
    let start = game.tags.start()?.position;
    let text = String::from_utf8(to_pgn(&game)).ok()?;
    let (head, movetext) = text.split_once("\n\n")?;
    let headers = head.lines().filter_map(|line| {
        let (name, value) = line.strip_prefix('[')?.strip_suffix("\"]")?.split_once(" \"")?;
        Some((name.to_owned(), value.to_owned()))
    });
    Some((headers.collect(), movetext_values(&game, &start, movetext)))
}

/// A game with its evaluations in pawns, as python-chess reads them.
pub fn with_pawns(database: &dyn Database, game: u32) -> Game {
    let mut game = database.game(game).game;
    if let Some(movetext) = annotations::with_pawns(&game.movetext) {
        game.movetext = movetext;
    }
    game
}

fn movetext_values(game: &Game, start: &Position, written: &str) -> Vec<Value> {
    let is_chess960 = game.tags.is_chess960() || start.is_chess960();
    let mut written = written;
    let mut next_comment = || {
        let (comment, rest) = written.split_once('{')?.1.split_once('}')?;
        written = rest;
        Some(Value::Comment(comment.to_owned()))
    };
    let movetext = &game.movetext;
    let mut values = Vec::with_capacity(movetext.tokens().len());
    // Pieces that castle have not moved, so they are on the same squares as at the start.
    let mut turn = start.turn();
    let mut outer = Vec::new();
    let mut is_commented = false;
    for token in movetext.tokens() {
        is_commented &= matches!(token, Token::Nag(_) | Token::Comment(_) | Token::Remark(_));
        match *token {
            Token::Move(_, mv) => {
                let (from, to, promotion) = match mv.unpack() {
                    Move::Normal { from, to, promotion } => (from, to, promotion),
                    Move::Castle(side) => {
                        let (from, to) = start.castling_squares(turn, side, is_chess960);
                        (from, to, None)
                    }
                    Move::Null => (Square::A1, Square::A1, None),
                };
                let promotion = promotion.map_or(0, |role| role as u16);
                values.push(Value::Move(promotion << 12 | (to as u16) << 6 | from as u16));
                turn = !turn;
            }
            Token::Nag(nag) => values.push(Value::Nag(nag)),
            // All comments on a move are written as one, and blank ones are not written.
            Token::Comment(range) | Token::Remark(range) => {
                let is_blank = |c: char| c <= ' ' || c == '\x7f';
                if !is_commented && !movetext.text(range).chars().all(is_blank) {
                    values.extend(next_comment());
                    is_commented = true;
                }
            }
            Token::VariationStart => {
                outer.push(turn);
                turn = !turn;
                values.push(Value::Start);
            }
            Token::VariationEnd => {
                turn = outer.pop().unwrap_or(turn);
                values.push(Value::End);
            }
        }
    }
    values
}

/// The values as a list: a move as its number, a glyph as `-1` less it, a comment as text, the start of a variation as
/// `None`, its end as `...`.
pub fn to_list<'py>(py: Python<'py>, values: Vec<Value>) -> PyResult<Bound<'py, PyList>> {
    let list = PyList::empty(py);
    for value in values {
        match value {
            Value::Move(number) => list.append(number)?,
            Value::Nag(nag) => list.append(-1 - i32::from(nag))?,
            Value::Comment(text) => list.append(text)?,
            Value::Start => list.append(py.None())?,
            Value::End => list.append(PyEllipsis::get(py))?,
        }
    }
    Ok(list)
}
