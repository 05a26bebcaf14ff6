use super::*;

fn scanned(text: &str) -> Found {
    let mut scanner = Scanner::new(b'\n');
    scanner.scan(text.as_bytes(), 0, true, u64::MAX);
    scanner.found
}

fn starts(text: &str) -> Vec<u64> {
    scanned(text).starts
}

#[test]
fn a_tag_behind_moves_begins_a_game() {
    assert_eq!(starts("[A \"\"]\n1. e4\n[A \"\"]\n1. d4\n"), [0, 13]);
    assert_eq!(starts("[A \"\"]\n1. e4\n [A \"\"]\n[%clk 1]\n"), [0]);
    assert_eq!(starts("\u{feff}[A \"\"]\n1. e4\n\u{feff}\0[A \"\"]\n"), [3, 20]);
    assert_eq!(starts("Dear\n\n[A \"\"]\n"), [6]);
    assert_eq!(starts("Dear\n"), []);
}

#[test]
fn a_roster_tag_that_comes_again_behind_an_empty_line_begins_a_game() {
    assert_eq!(starts("[White \"\"]\n\n[White \"\"]\n"), [0, 12]);
    assert_eq!(starts("[White \"\"]\n[White \"\"]\n"), [0]);
    assert_eq!(
        starts("[White \"\"]\n\n%\n[Black \"\"]\n\n[ECO \"\"]\n\n[Black\"\"]\n"),
        [0, 36]
    );
}

#[test]
fn comments_hide_tags() {
    assert_eq!(starts("[A \"\"]\n{\n[A \"\"]\n}\n[A \"\"]\n"), [0, 18]);
    assert_eq!(starts("[A \"\"]\n; {\n%{\n[A \"\"]\n"), [0, 14]);
}

#[test]
fn an_open_comment_ends_before_a_game_behind_an_empty_line() {
    let text = "[A \"\"]\n{ open\n\n[Event \"\"]\n[A \"\"]\n\n1. e4 }\n";
    assert_eq!(scanned(text).starts, [0, 15]);
    assert_eq!(scanned(text).unclosed, [15]);
    // A quoted tag is text.
    assert_eq!(starts("[A \"\"]\n{ open\n\n[Event \"\"]\ntext }\n"), [0]);
}
