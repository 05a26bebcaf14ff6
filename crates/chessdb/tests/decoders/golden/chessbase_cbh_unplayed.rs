//! Lines that cannot be played. Nothing is lost from them: the remark has the moves and variations, and the comments
//! follow it.

use super::chessbase_cbh_hostile::{cbh, open, record};
use super::*;
use testkit::writers::chessbase_cbh::Mode;

/// Size of the header of `.cbg` and `.cba`.
const HEADER: usize = 26;

/// A move in a mode of simple words.
struct Word {
    squares: &'static str,
    /// An alternative is stored after the end of this line.
    keeps: bool,
    ends: bool,
}

const fn word(squares: &'static str) -> Word {
    Word {
        squares,
        keeps: false,
        ends: false,
    }
}

const fn kept(word: Word) -> Word {
    Word { keeps: true, ..word }
}

const fn last(word: Word) -> Word {
    Word { ends: true, ..word }
}

/// The number of a square in ChessBase: file by file.
fn number(square: &[u8]) -> u16 {
    u16::from(square[0] - b'a') * 8 + u16::from(square[1] - b'1')
}

/// The bytes of a game in words, in mode 5.
fn words(words: &[Word]) -> Vec<u8> {
    let bits = |word: &Word| {
        let squares = word.squares.as_bytes();
        let (from, to) = (number(&squares[..2]), number(&squares[2..]));
        from | (to << 6) | (u16::from(word.ends) << 14) | (u16::from(word.keeps) << 15)
    };
    record(&words.iter().map(bits).collect::<Vec<_>>()).split_off(4)
}

/// A database of one game, and the text of its moves. Comments have the numbers of moves in stored order.
fn movetext(flags: u8, start: &[u8], moves: &[u8], comments: &[(i32, &str)]) -> String {
    let mut cbg = vec![0; HEADER];
    let size = (4 + start.len() + moves.len()) as u32;
    cbg.push(flags);
    cbg.extend(&size.to_be_bytes()[1..]);
    cbg.extend(start);
    cbg.extend(moves);
    let mut items = Vec::new();
    for (position, text) in comments {
        items.extend(&position.to_be_bytes()[1..]);
        items.push(2);
        items.extend((text.len() as u16 + 8).to_be_bytes());
        items.extend([0, 0]);
        items.extend(text.bytes());
    }
    let mut cba = vec![0; HEADER];
    cba.extend([0, 0, 1, 1, 0, 14, 14]);
    cba.extend(&(comments.len() as u32 + 1).to_be_bytes()[1..]);
    cba.extend((items.len() as u32 + 14).to_be_bytes());
    cba.extend(items);
    let mut cbh = cbh(&[HEADER as u32]);
    cbh[46 + 8] = HEADER as u8;
    cbh[46 + 27] = 3;
    let database = open(&[("cbh", cbh), ("cbg", cbg), ("cba", cba)]).unwrap();
    let text = String::from_utf8(to_pgn(&database.game(0).game)).unwrap();
    let (_, text) = text.split_once("\n\n").unwrap();
    text.trim_end().replace('\n', " ")
}

#[test]
fn alternatives_and_comments_of_an_illegal_line_are_in_the_remark_and_after_it() {
    let moves = words(&[
        word("e2e4"),
        word("e7e5"),
        kept(word("e1e3")),
        kept(word("g8f6")),
        last(word("e3e2")),
        last(word("b8c6")),
        word("g1f3"),
        last(word("b8c6")),
    ]);
    let comments = [(1, "open"), (2, "first"), (5, "second"), (6, "third")];
    assert_eq!(
        movetext(5, &[], &moves, &comments),
        "1. e4 e5 {open pgnfs: illegal move: the piece does not move that way; the stored line goes on e1e3 (g1f3 b8c6) \
         g8f6 (b8c6) e3e2 at .cbg offset 0x22 first third second} *"
    );
}

#[test]
fn alternatives_to_the_first_move_of_an_illegal_variation_are_played() {
    let moves = words(&[
        kept(word("e2e4")),
        last(word("e7e5")),
        kept(word("e1e3")),
        last(word("e7e5")),
        word("d2d4"),
        last(word("d7d5")),
    ]);
    assert_eq!(
        movetext(5, &[], &moves, &[(2, "said")]),
        "1. e4 {pgnfs: illegal move: the piece does not move that way; the stored line goes on e1e3 e7e5 at .cbg offset \
         0x22 said} (1. d4 d5) 1... e5 *"
    );
}

#[test]
fn all_lines_from_a_position_that_cannot_be_played_are_in_the_remark() {
    // A white king on e1 and nothing else.
    let mut start = [0; 28];
    start[0] = 1;
    start[4 + 4] = 0b1000_1000;
    let moves = words(&[
        kept(word("e1e2")),
        last(word("a7a6")),
        word("e1d1"),
        last(word("a7a5")),
    ]);
    let comments = [(-1, "whole"), (1, "first"), (2, "second")];
    assert_eq!(
        movetext(0x45, &start, &moves, &comments),
        "{whole pgnfs: no game can be played from the start position: each side must have one king (8/8/8/8/8/8/8/4K3 w \
         - - 0 1); the stored line goes on e1e2 (e1d1 a7a5) a7a6 at .cbg offset 0x1a second first} *"
    );
}

#[test]
fn a_stored_rest_that_is_cut_says_so() {
    let mode = Mode::of(0).unwrap();
    // e4 e5, a second queen, a knight from g8 to f6, and a code that no move has.
    let codes = [128, 128, 143, 108, 240];
    let moves: Vec<u8> = codes
        .into_iter()
        .enumerate()
        .map(|(moves, code)| mode.byte(code, moves))
        .collect();
    assert_eq!(
        movetext(0, &[], &moves, &[(3, "said")]),
        "1. e4 e5 {pgnfs: the piece of the move is not on the board; the stored line goes on Q? g8f6 ... at .cbg offset \
         0x20 said} *"
    );
}
