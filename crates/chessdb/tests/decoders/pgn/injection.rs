//! Texts that could end or begin a tag, a comment or a game.

use chessdb::board::{Move, Position, Square};
use chessdb::game::{Game, Outcome, Tags};
use chessdb::replay::Replay;

/// Texts used as tag values and comments.
pub const TEXTS: [&str; 24] = [
    "\"]",
    "\"]\n[White \"Mallory\"]\n\n1. e4 *\n\n[Event \"2",
    "\\",
    "\\\"",
    "\\\\\"] [Black \"x",
    "}",
    "} 1-0\n\n[Event \"x\"]\n\n1. d4 {",
    "{ { {",
    "a\n% b\n%c",
    "%",
    "; to the end of the line",
    "a\n; b",
    "(",
    ") (1. d4",
    "$1 $255 1-0 0-1 1/2-1/2 *",
    "<reserved>",
    "[%eval 0.3] [%",
    "[% a]b\u{85}c",
    "[Event \"x\"]",
    "[Event \"x\"] [Site \"y\"] 1. d4",
    "a\r\nb\0c\x1b[31m\x7f\x1a",
    "\u{feff}\u{85}\u{2028}\u{2029}\u{a0}",
    "\u{202e}nemow\u{202c} e\u{301}\u{301}\u{301}",
    "--",
];

/// A game with a text in every tag and at every move.
pub fn game(text: &str) -> Game {
    let mut tags = Tags::new(Outcome::Draw);
    for name in [
        "Event",
        "Site",
        "Round",
        "White",
        "Black",
        "Annotator",
        "Zzz",
        "Date",
    ] {
        tags.set_str(name, text);
    }
    let mut movetext = Replay::builder(Position::initial(), 1);
    movetext.comment(text);
    movetext.play(Move::normal(Square::E2, Square::E4)).unwrap();
    movetext.comment(text);
    movetext.nag(1);
    movetext.start_variation().unwrap();
    movetext.comment(text);
    movetext.play(Move::normal(Square::D2, Square::D4)).unwrap();
    movetext.comment(text);
    movetext.comment(text);
    assert!(movetext.end_variation());
    movetext.play(Move::normal(Square::E7, Square::E5)).unwrap();
    movetext.comment(text);
    Game {
        tags,
        movetext: movetext.finish().0,
    }
}

#[test]
fn no_text_ends_a_tag_a_comment_or_a_game() {
    for text in TEXTS {
        for times in [1, 40, 1000] {
            let game = game(&text.repeat(times));
            super::random::assert_written(&game);
        }
    }
}

#[test]
fn no_line_is_taken_for_a_tag_or_skipped() {
    for text in TEXTS {
        let game = game(&[text, " "].concat().repeat(100));
        let written = String::from_utf8(chessdb::pgn::to_text(&game)).unwrap();
        let (tags, movetext) = written.split_once("\n\n").unwrap();
        assert!(
            tags.lines()
                .all(|line| line.starts_with('[') && line.ends_with("\"]")),
            "{tags}"
        );
        assert!(
            movetext.lines().all(|line| !line.starts_with(['[', '%'])),
            "{movetext}"
        );
        assert!(
            !written.contains(|c: char| c.is_control() && c != '\n'),
            "{written}"
        );
    }
}
