use proptest::collection::vec;
use proptest::prelude::*;

use super::comments::{LONGEST_EVENT, event_at_end, game_in_line};
use super::tags::{MOST_INDENT, tag_follows};
use super::*;
use crate::formats::pgn_common::between::lines_between;
use crate::formats::pgn_common::section::{skip_ignored, skip_line_start};
use crate::formats::pgn_common::tag::{blanks, bracket_line, opens_game, read_odd_tag, read_tag};

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
    // Lines that end with LF CR.
    assert_eq!(starts("[A \"\"]\n\r\n\r1. e4\n\r\n\r[A \"\"]\n\r"), [0, 19]);
    assert_eq!(starts("Dear\n"), []);
}

#[test]
fn an_indented_tag_behind_moves_begins_a_game_if_one_follows() {
    assert_eq!(starts("[A \"\"]\n1. e4 *\n\n  [A \"\"]\n\n1. e4\n"), [0, 18]);
    assert_eq!(starts("[A \"\"]\n1. e4 *\n {a}\n\t[A \"\"] 1. e4\n"), [0, 21]);
    assert_eq!(starts("[A \"\"]\n1. e4\n [A \"\"] e5 1-0\n"), [0]);
    assert_eq!(
        starts(&format!("[A \"\"]\n*\n{}[A \"\"]\n\n", " ".repeat(65))),
        [0]
    );
}

#[test]
fn movetext_begins_in_the_line_of_a_tag() {
    assert_eq!(
        starts("[A \"x\"] 1. e4 {\"y\"]\n[B \"\"]\n}\n[A \"\"]\n"),
        [0, 29]
    );
    assert_eq!(
        starts("[A \"x\"] 1. e4 {\"y\"} *\n[A \"x\"] [B \"y\"] 1. d4 *\n"),
        [0, 22]
    );
    assert_eq!(starts("[A \"x\"] [B \"\\\"]\"]\n[C \"\"]\n"), [0]);
}

#[test]
fn a_tag_without_quotation_marks_is_no_movetext() {
    assert_eq!(starts("[A \"\"]\n[FEN 8/8 w]\n[B \"\"]\n"), [0]);
    assert_eq!(starts("[A \"\"]\n\n[Diagram 1]\n[B \"\"]\n"), [0, 20]);
}

#[test]
fn a_tag_behind_the_result_begins_a_game() {
    for (before, begins) in [
        ("1. e4 1-0", true),
        ("1. e4 1/2-1/2 \t", true),
        ("1. e4 {a} e5 *", true),
        ("1. f3 e5 2. g4 Qh40-1", true),
        ("1. e4 e5", false),
        ("1. e4 {1-0}", false),
        ("1. e4 ; 1-0", false),
        ("1. e4 {a} e5", false),
        ("1. e4 1-0)", false),
    ] {
        let text = format!("[A \"\"]\n\n{before}[B \"\"]\n1. d4\n");
        let wanted = begins.then_some(8 + before.len() as u64);
        assert_eq!(starts(&text).get(1).copied(), wanted, "{before}");
        for tag in ["[%clk \"1\"]", "[B]", "[B \"", "[B \"x\ny\"]"] {
            assert_eq!(starts(&text.replace("[B \"\"]", tag)).len(), 1, "{before} {tag}");
        }
    }
    assert_eq!(starts("{c} [Event \"A\"]\n[Site \"?\"]\n"), [4]);
    assert_eq!(starts("c [Event \"A\"]\n[Site \"?\"]\n"), [14]);
}

#[test]
fn lines_between_tags_split_no_game() {
    let rest = "[White \"A\"]\n[Result \"1-0\"]\n\n1. e4 1-0\n\n";
    for line in [
        "; a comment\n",
        "{a comment}\n",
        "[White]\n",
        "Time: 20:00\n",
        "[White ACPL \"25\"]\n",
    ] {
        let game = format!("[Event \"A\"]\n{line}{rest}");
        assert_eq!(starts(&game.repeat(2)), [0, game.len() as u64], "{line}");
        // A tag of the roster that comes again shows that the line was a game.
        let two = format!("[Event \"A\"]\n{line}[Event \"B\"]\n{rest}");
        let second = two.find("[Event \"B").unwrap() as u64;
        let is_line_of_tags = line.contains("ACPL");
        assert_eq!(starts(&two).len(), if is_line_of_tags { 1 } else { 2 }, "{line}");
        assert!(is_line_of_tags || starts(&two)[1] == second, "{line}");
    }
    for line in [
        "1. e4 e5\n",
        "1-0\n",
        "{a comment} 1-0\n",
        "\n{a comment}\n",
        "{a comment}\n\n",
    ] {
        let text = format!("[Event \"A\"]\n{line}{rest}");
        assert_eq!(starts(&text).len(), 2, "{line}");
    }
}

#[test]
fn a_roster_tag_that_comes_again_behind_an_empty_line_begins_a_game() {
    assert_eq!(starts("[White \"\"]\n\n[White \"\"]\n"), [0, 12]);
    assert_eq!(starts("[White \"\"]\n[White \"\"]\n"), [0]);
    assert_eq!(starts("[White \"\"]\n\n[white \"\"]\n"), [0, 12]);
    assert_eq!(
        starts("[White \"\"]\n\n%\n[Black \"\"]\n\n[ECO \"\"]\n\n[Black\"\"]\n"),
        [0, 36]
    );
}

#[test]
fn comments_hide_tags() {
    assert_eq!(starts("[A \"\"]\n{\n[A \"\"]\n}\n[A \"\"]\n"), [0, 18]);
    assert_eq!(starts("[A \"\"]\n\n; {\n%{\n[A \"\"]\n"), [0, 15]);
}

#[test]
fn an_open_comment_ends_before_a_game_behind_an_empty_line() {
    let text = "[A \"\"]\n{ open\n\n[Event \"\"]\n[A \"\"]\n\n1. e4 }\n";
    assert_eq!(scanned(text).starts, [0, 15]);
    assert_eq!(scanned(text).unclosed, [15]);
}

/// The table of section 3.3 in `docs/formats/pgn.md`, and more such texts: the text of an open comment, and where a
/// game begins in it.
#[test]
fn tags_end_an_open_comment() {
    for (comment, begins) in [
        ("cut\n[Event \"B\"]\n[Site \"?\"]", Some("[Event")),
        ("cut\n[event \"B\"]\n[Site \"?\"]", Some("[event")),
        ("cut\n[Event \"B\"]\n1. d4", Some("[Event")),
        ("cut\n[Event \"B\"]\n\n1. d4", Some("[Event")),
        ("cut\n\n[Event \"B\"]\n1. d4", Some("[Event")),
        ("cut\n[Site \"?\"]\n[White \"B\"]", Some("[Site")),
        ("cut\n\u{feff}[Site \"?\"]\n[White \"B\"]", Some("[Site")),
        ("cut[Event \"B\"]\n[Site \"?\"]", Some("[Event")),
        (
            "cut [Event \"A\"] [Event \"B\"] \r\n[Site \"?\"]",
            Some("[Event \"B"),
        ),
        ("cut[Event  \"B\"] [Site \"?\"]\n\n1. d4", Some("[Event")),
        ("cut[Event \"B\"][Site \"?\"]  \r\n\n1. d4", Some("[Event")),
        ("cut[Event \"B\"]\n  [Site \"?\"]", Some("[Event")),
        ("cut\n  [Event \"B\"]\n\t[Site \"?\"]", Some("[Event")),
        ("cut\n [Site \"B\"]\n [White \"?\"]", Some("[Site")),
        ("cut\n[Event   \"B\"]\n\n1. d4", Some("[Event")),
        ("cut\n[Event \"B\"]\n; c\n[Site \"?\"]", Some("[Event")),
        ("cut\n[Event \"B\"]\n[White ACPL \"3\"]\n1. d4", Some("[Event")),
        ("cut\n[Event \"B\"]\n[White]\n[Site \"?\"]", Some("[Event")),
        ("cut\n[Event \"B\"]\nd4 {q} d5", Some("[Event")),
        ("cut\n[Event \"B\"]\n1-0", Some("[Event")),
        ("cut\n[Event \"B\"]\n{q} 1. d4", Some("[Event")),
        // Text.
        ("a tag\n[Event \"B\"]\nof a game", None),
        ("a tag\n[Site \"?\"]\nof a game", None),
        ("a tag\n[Site \"?\"]\n\n[White \"B\"]", None),
        ("a tag [Event \"B\"]\nof a game", None),
        ("a tag [Event \"B\"] of a game\n[Site \"?\"]\n", None),
        ("a tag [Site \"B\"]\n[Site \"?\"]\n", None),
        ("a tag [Event \"A\"] [Site \"B\"]\n1. d4", None),
        ("a tag [Event \"B\"]\n\nof a game", None),
        ("a tag\n [Event \"B\"]\n of a game", None),
        ("[%clk 0:01]\n[%clk 0:02]\n[Event]\n[Event B]\n", None),
    ] {
        for end in ["\n\n1. d4 1-0\n", "\n}\n"] {
            let text = format!("[A \"\"]\n\n1. e4 {{{comment}{end}");
            let place = begins.map(|begins| text.find(begins).unwrap() as u64);
            let found = scanned(&text);
            assert_eq!(found.starts.get(1).copied(), place, "{text}");
            assert_eq!(found.unclosed.first().copied(), place, "{text}");
        }
    }
}

#[test]
fn a_game_in_the_line_of_a_comment_begins_in_its_last_1024_bytes() {
    for (bytes, found) in [(LONGEST_EVENT - 1, 2), (LONGEST_EVENT, 2), (LONGEST_EVENT + 1, 1)] {
        let event = format!("[Event \"{}\"]", "B".repeat(bytes - 10));
        assert_eq!(event.len(), bytes);
        let text = format!("[A \"\"]\n1. e4 {{cut {event}\n[Site \"?\"]\n");
        assert_eq!(starts(&text).len(), found, "{bytes}");
    }
}

/// The roster and whether an empty line came last.
type Tags<'t> = (Vec<&'t [u8]>, bool);

fn has_name(seen: &[&[u8]], name: &[u8]) -> bool {
    seen.iter().any(|seen| seen.eq_ignore_ascii_case(name))
}

/// The end of lines that belong to the tags.
fn after_between(text: &[u8], at: usize, line_end: u8, tags: Option<&Tags<'_>>) -> Option<usize> {
    let (seen, _) = tags.filter(|(_, after_empty)| !after_empty)?;
    match lines_between(&text[at..], line_end) {
        Some((len, tag)) => (!has_name(seen, tag.name)).then_some(at + len),
        None => Some(at + bracket_line(&text[at..], line_end)?),
    }
}

/// Finds games like [`Scanner`], but slowly, a line and a byte at a time.
fn slowly(text: &[u8], line_end: u8) -> Found {
    let line_of = |at: usize| {
        let len = text[at..].iter().position(|&c| c == line_end);
        len.map_or(text.len(), |len| at + len + 1)
    };
    let mut found = Found::default();
    let mut is_head = true;
    // The state within tags; `None` in movetext.
    let mut tags: Option<Tags<'_>> = None;
    let mut at = 0;
    while at < text.len() {
        let start = skip_line_start(text, at, line_end);
        let mut lead = start;
        if is_head || tags.is_some() {
            lead += blanks(&text[lead..]);
        }
        // Before the first tag, ignored bytes may also come after blanks.
        let next = |lead| {
            let next = skip_line_start(text, lead, line_end);
            next + blanks(&text[next..])
        };
        while is_head && lead < next(lead) {
            lead = next(lead);
        }
        if !is_head && tags.is_none() {
            let indent = blanks(&text[start..]);
            if (1..=MOST_INDENT).contains(&indent) && opens_game(&text[start + indent..], line_end) {
                lead += indent;
            }
        }
        let rest = &text[lead..];
        let mut moves = match rest {
            [] => break,
            [b'%', ..] if lead == start || is_head => {
                at = line_of(at);
                continue;
            }
            [b'[', ..] => {
                let end = match read_tag(rest, line_end) {
                    None => {
                        let is_in_tags = tags.as_ref().is_some_and(|(_, after_empty)| !after_empty);
                        if is_in_tags && read_odd_tag(rest, line_end).is_some() {
                            end_of_tags(text, lead, line_end)
                        } else {
                            Err(lead + 1)
                        }
                    }
                    Some(tag) => {
                        let is_new = match &tags {
                            None => true,
                            Some((seen, after_empty)) => *after_empty && has_name(seen, tag.name),
                        };
                        if is_new {
                            let place = lead as u64;
                            let is_unclosed = false;
                            found.push(Start { place, is_unclosed });
                            tags = None;
                        }
                        is_head = false;
                        let (seen, after_empty) = tags.get_or_insert_default();
                        *after_empty = false;
                        if ["Event", "Site", "Date", "Round", "White", "Black", "Result"]
                            .iter()
                            .any(|name| name.as_bytes().eq_ignore_ascii_case(tag.name))
                        {
                            seen.push(tag.name);
                        }
                        end_of_tags(text, lead, line_end)
                    }
                };
                let moves = match end {
                    Ok(next) => {
                        at = next;
                        continue;
                    }
                    Err(moves) => moves,
                };
                let part = moves - usize::from(text[moves - 1] == b'[');
                if let Some(after) = after_between(text, part, line_end, tags.as_ref()) {
                    at = after;
                    continue;
                }
                tags = None;
                moves
            }
            [c, ..] if tags.is_some() && *c == line_end => {
                tags.as_mut().unwrap().1 = true;
                at = lead + 1;
                continue;
            }
            [b'\r', c, ..] if tags.is_some() && *c == line_end => {
                tags.as_mut().unwrap().1 = true;
                at = lead + 2;
                continue;
            }
            _ => {
                if let Some(after) = after_between(text, start, line_end, tags.as_ref()) {
                    at = after;
                    continue;
                }
                tags = None;
                start
            }
        };
        // Movetext to the end of the line in which its last comment ends.
        loop {
            match text.get(moves) {
                None => {
                    at = text.len();
                    break;
                }
                Some(b';') => {
                    at = line_of(moves);
                    break;
                }
                Some(c) if *c == line_end => {
                    at = moves + 1;
                    break;
                }
                Some(b'{') => {
                    moves += 1;
                    let (mut game, mut from) = (None, moves);
                    while moves < text.len() && text[moves] != b'}' && game.is_none() {
                        if text[moves] == line_end {
                            let line = skip_ignored(text, moves + 1);
                            game = event_at_end(text, from, moves, line_end)
                                .or_else(|| game_in_line(text, line, line_end));
                            from = moves + 1;
                        }
                        moves += 1;
                    }
                    if let Some(game) = game {
                        found.push(Start {
                            place: game as u64,
                            is_unclosed: true,
                        });
                        // The section begins with this tag, which is found again there.
                        found.starts.pop();
                        (is_head, tags, at) = (false, None, game);
                        break;
                    }
                    moves += 1;
                }
                Some(b'[') if moves > 0 && tag_follows(&text[..moves], is_head, &text[moves..], line_end) => {
                    at = moves;
                    break;
                }
                Some(_) => moves += 1,
            }
        }
    }
    found
}

/// The end of a line that begins with a tag, or the place where movetext begins in it.
fn end_of_tags(text: &[u8], start: usize, line_end: u8) -> Result<usize, usize> {
    let mut at = start;
    loop {
        match text.get(at) {
            None => return Ok(text.len()),
            Some(b'[') => {
                match read_tag(&text[at..], line_end).or_else(|| read_odd_tag(&text[at..], line_end)) {
                    Some(tag) => at += tag.len,
                    None => return Err(at + 1),
                }
            }
            Some(b' ' | b'\t' | b'\0' | 0x1a) => at += 1,
            Some(c) if *c == line_end => return Ok(at + 1),
            Some(b'\r') => at += 1,
            Some(_) => return Err(at),
        }
    }
}

#[test]
fn games_are_found_as_byte_by_byte() {
    const PARTS: [&[u8]; 46] = [
        b"{",
        b"}",
        b";",
        b"%",
        b"[",
        b"]",
        b"\"",
        b"\n",
        b"\n",
        b"\n",
        b"\r\n",
        b"\n\r",
        b"\r",
        b"\n\n",
        b" ",
        b"\t",
        b"\0",
        b"\x1a",
        b"\xef\xbb\xbf",
        b"[Event \"A\"]\n",
        b"[Event \"A\"]\n[Site \"?\"]\n",
        b"[White \"B\"]\n",
        b"[Black \"a rather long name, which fills more than a block of bytes, and then some\"]\n",
        b"[ECO \"",
        b"\"]\n",
        b"[%clk 0:01]",
        b" 1. e4 ",
        b"\n\n[Event \"",
        b"[Result",
        b"{ comment }",
        b"a sentence that is longer than one block of sixteen bytes, and than four of them, too",
        b"] [Round \"1\"] ",
        b"[Result \"*\"] 1. e4 {see ",
        b"[\"x\"]\n",
        b"; a comment\n",
        b"{a comment}\n",
        b"Time: 20:00\n",
        b"[White ACPL \"25\"]\n",
        b" 1-0",
        b"[white \"B\"]\n",
        b" 1-0[Event \"A\"]\n",
        b"[White ACPL \"25\"] ",
        b"[Elo (White) \"25\"]",
        b"[White]\n",
        b"\n  [Event  \"A\"]\n",
        b" {cut[Event \"A\"][Site \"?\"]\n",
    ];
    let mut number = 1u64;
    let mut next = || {
        number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (number >> 33) as usize
    };
    let mut games = [0; 2];
    for round in 0..20_000 {
        let line_end = [b'\n', b'\r'][usize::from(round % 8 == 0)];
        let mut text: Vec<u8> = Vec::new();
        for _ in 0..next() % 60 {
            text.extend(PARTS[next() % PARTS.len()]);
        }
        if line_end == b'\r' {
            text.iter_mut().filter(|c| **c == b'\n').for_each(|c| *c = b'\r');
        }
        let mut scanner = Scanner::new(line_end);
        scanner.scan(&text, 0, true, u64::MAX);
        let slow = slowly(&text, line_end);
        assert_eq!(scanner.found, slow, "{}", text.escape_ascii());
        games[0] += slow.starts.len();
        games[1] += slow.unclosed.len();
    }
    assert!(games[0] > 10_000 && games[1] > 100, "{games:?}");
}

/// The results of a scan in windows of these sizes in turn, not counting the lookahead.
fn in_windows(text: &[u8], line_end: u8, windows: &[usize]) -> Found {
    let mut scanner = Scanner::new(line_end);
    let (mut at, mut windows) = (0, windows.iter().cycle());
    loop {
        let end = at + windows.next().unwrap() + LOOKAHEAD;
        let bytes = &text[at..end.min(text.len())];
        match scanner.scan(bytes, at as u64, end >= text.len(), u64::MAX) {
            Stop::Read(_) if end >= text.len() => return scanner.found,
            Stop::Read(read) => {
                assert!(read > 0, "no progress at {at}");
                at += read;
            }
            Stop::Start(_) => unreachable!(),
        }
    }
}

/// A window may end after any byte: within a byte-order mark, within the blanks before a tag, within a comment.
#[test]
fn it_does_not_matter_where_a_window_ends() {
    let rest = "1. e4 e5 2. Nf3 Nc6\n".repeat(LOOKAHEAD / 20 + 10);
    for head in [
        "[A \"\"]\n1. e4 *\n\u{feff}[B \"\"]\n1. d4 *\n\u{feff}\u{feff}[C \"\"]\n*\n\n\0\u{feff}[D \"\"]\n",
        "[A \"\"]\n1. e4 *\n  \u{feff}[B \"\"]\n1. d4 *\n \t [C \"\"]\n\n* \u{feff}[D \"\"]\n\u{feff}%[E \"\"]\n",
        "[A \"\"]\n1. e4 { open\n\n\u{feff}[Event \"\"]\n[Site \"\"]\n\n1. d4 } { a } ; b\n[C \"\"]\n*\n",
        "[A \"\"]\n1. e4 { cut [Event \"\"]\n[Site \"\"]\n\n1. d4 {a} 1-0 \t[B \"\"]\n; a\n{b}\n[C \"\"]\n1/2-1/2[D \"\"]\n",
        "[White \"\"]\n\n\u{feff}[White \"\"]\n[Black \"\"] [ECO \"\"]\n\n[Black \"\"]\n\u{feff}\n\u{feff}[Black \"\"]\n",
    ] {
        let text = head.to_owned() + &rest;
        let whole = scanned(&text);
        assert!(whole.starts.len() > 1, "{head}");
        for end in 8..=head.len() {
            let found = in_windows(text.as_bytes(), b'\n', &[end, 2 * LOOKAHEAD]);
            assert_eq!(found, whole, "a window ends at {end} of {head:?}");
        }
    }
}

/// Bytes between two places at which a game may begin. Some are longer than any lookahead.
fn part() -> impl Strategy<Value = Vec<u8>> {
    let short: Vec<&[u8]> = vec![
        b"\n",
        b"\n\n",
        b"\r\n",
        b" ",
        b"\t",
        b"\0",
        b"\x1a",
        b"\xef\xbb\xbf",
        b"\xef\xbb",
        b"{",
        b"}",
        b";",
        b"%",
        b"[",
        b"\"]",
        b"[Event \"A\"]\n[Site \"?\"]\n",
        b"\n[Event \"A\"]\n[Site \"?\"]\n\n1. e4 { open\n\n",
        b"[White \"B\"] [Black \"C\"]",
        b"[ECO \"",
        b"1. e4 e5 {a} 1-0\n\n",
    ];
    let long: Vec<&[u8]> = vec![
        b"\0",
        b"\0",
        b"\0\x1a",
        b"\xef\xbb\xbf",
        b" ",
        b" \0",
        b"[A \"x\"]",
        b"x",
    ];
    let bytes = prop_oneof![1..70_000usize, LOOKAHEAD - 10..LOOKAHEAD + 70_000];
    let long = (prop::sample::select(long), bytes);
    prop_oneof![
        20 => prop::sample::select(short).prop_map(<[u8]>::to_vec),
        1 => long.prop_map(|(part, bytes)| part.repeat(bytes.div_ceil(part.len()))),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn games_do_not_depend_on_windows(
        parts in vec(part(), 1..40),
        windows in vec(4..50_000usize, 1..8),
    ) {
        let text = parts.concat();
        let mut scanner = Scanner::new(b'\n');
        scanner.scan(&text, 0, true, u64::MAX);
        prop_assert_eq!(in_windows(&text, b'\n', &windows), scanner.found);
    }
}

#[test]
fn zeros_hide_no_game() {
    let zeros = "\0".repeat(2 * LOOKAHEAD);
    let game = "[Event \"\"]\n[Site \"\"]\n\n1. e4 ";
    for text in [
        format!("{game}{{ open\n\n{zeros}{game}"),
        format!("{game}\n{zeros}{game}"),
        format!("{zeros}{game}\n{game}"),
        format!("Dear {zeros}\n \0 {zeros} {game}\n{game}"),
    ] {
        let whole = scanned(&text);
        assert_eq!(whole.starts.len(), 2);
        for window in [5, 4_000, LOOKAHEAD, LOOKAHEAD + 1] {
            // Short windows only around the end of the zeros.
            let windows = match window {
                5 => vec![text.len() - 3 * LOOKAHEAD / 2, 5, 5, 5, 5, 5, 5, 5, 5],
                _ => vec![window],
            };
            assert_eq!(in_windows(text.as_bytes(), b'\n', &windows), whole, "{window}");
        }
    }
}
