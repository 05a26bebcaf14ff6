//! The layout of written PGN, byte by byte, compared with a second writer that is slow and simple.

use chessdb::board::{Move, Position};
use chessdb::game::{Game, Outcome, Tags, Token};
use chessdb::pgn::{REMARK, to_text};
use chessdb::replay::Replay;
use testkit::Random;

/// What separates a word from the word in front of it.
#[derive(Clone, Copy, PartialEq)]
enum Gap {
    /// A blank, or a new line where the word does not fit.
    Break,
    /// A blank.
    Blank,
    /// Nothing, or a new line where the line is full.
    Close,
}

/// The PGN of a game whose remarks begin with the word `remark`.
pub fn written(game: &Game, remark: &str) -> String {
    let mut text = String::new();
    for (name, value) in game.tags.iter() {
        let value = value
            .replace(char::is_control, "")
            .replace('\\', "\\\\")
            .replace('"', "\\\"");
        text += &format!("[{name} \"{value}\"]\n");
    }
    text.push('\n');
    let mut column = 0;
    for (gap, word) in words(game, remark) {
        let len = word.chars().count();
        let (blank, fits) = match gap {
            Gap::Break => (" ", column == 0 || column + 1 + len <= 79),
            Gap::Blank => (" ", true),
            Gap::Close => ("", column < 79),
        };
        let separator = if column == 0 { "" } else { blank };
        let separator = if fits { separator } else { "\n" };
        column = if fits { column + separator.len() } else { 0 } + len;
        text = text + separator + &word;
    }
    text + "\n\n"
}

/// The words of the movetext.
fn words(game: &Game, remark: &str) -> Vec<(Gap, String)> {
    let (mut words, mut outer, mut open) = (Vec::new(), Vec::new(), String::new());
    let (mut ply, mut needs_number) = (game.movetext.first_ply(), true);
    let mut tokens = game.movetext.tokens();
    while let [token, rest @ ..] = tokens {
        tokens = rest;
        let mut own = Vec::new();
        match token {
            Token::Move(san, _) => {
                if ply % 2 == 0 || needs_number {
                    own.push(format!("{}{}", ply / 2 + 1, [".", "..."][ply as usize % 2]));
                }
                own.push(san.to_string());
                (ply, needs_number) = (ply + 1, false);
            }
            Token::VariationStart => {
                outer.push(ply);
                (ply, needs_number) = (ply - 1, true);
                open.push('(');
            }
            Token::VariationEnd => {
                (ply, needs_number) = (outer.pop().unwrap(), true);
                words.push((Gap::Close, ")".to_owned()));
            }
            Token::Nag(_) | Token::Comment(_) | Token::Remark(_) => {
                let is_other = |token: &Token| {
                    matches!(
                        token,
                        Token::Move(..) | Token::VariationStart | Token::VariationEnd
                    )
                };
                let len = rest.iter().position(is_other).unwrap_or(rest.len());
                let mut comment = Vec::new();
                for token in [&[*token], &rest[..len]].concat() {
                    match token {
                        Token::Nag(nag) if own.contains(&format!("${nag}")) => {}
                        Token::Nag(nag) => own.push(format!("${nag}")),
                        Token::Comment(text) => comment.extend(comment_words(game.movetext.text(text))),
                        Token::Remark(text) => {
                            comment.extend(comment_words(remark));
                            comment.extend(comment_words(game.movetext.text(text)));
                        }
                        _ => unreachable!(),
                    }
                    needs_number |= !matches!(token, Token::Nag(_));
                }
                if let Some(first) = comment.first_mut() {
                    first.insert(0, '{');
                    comment.last_mut().unwrap().push('}');
                }
                own.extend(comment);
                tokens = &rest[len..];
            }
        }
        for word in own {
            // A line must not begin as a tag or with the sign that hides it.
            let gap = if word.starts_with(['[', '%']) {
                Gap::Blank
            } else {
                Gap::Break
            };
            words.push((gap, std::mem::take(&mut open) + &word));
        }
    }
    words.push((Gap::Break, game.tags.outcome().token().to_owned()));
    words
}

/// The words of a comment. Blanks within commands do not end a word; other words have at most 250 bytes.
fn comment_words(text: &str) -> Vec<String> {
    let (mut words, mut len, mut rest) = (vec![String::new()], 0, text);
    while let Some(c) = rest.chars().next() {
        let command = rest.starts_with("[%").then(|| rest.find(']')).flatten();
        let (piece, after) = rest.split_at(command.map_or(c.len_utf8(), |end| end + 1));
        let is_blank = command.is_none() && (c == ' ' || c.is_control());
        // A part that would begin badly begins one character later.
        let begins_well = command.is_none() && !['[', '%'].contains(&c);
        let is_full = len > 250 || begins_well && len + piece.len() > 250;
        if is_blank || is_full {
            words.push(String::new());
            len = 0;
        }
        if !is_blank {
            *words.last_mut().unwrap() += &piece.replace('}', ")").replace(char::is_control, " ");
            len = if command.is_some() { 0 } else { len + piece.len() };
        }
        rest = after;
    }
    words.retain(|word| !word.is_empty());
    words
}

#[track_caller]
fn assert_layout(game: &Game) -> String {
    let text = String::from_utf8(to_text(game)).unwrap();
    assert_eq!(text, written(game, REMARK));
    text
}

/// The parts that comments are made of.
const PIECES: [&str; 24] = [
    "a",
    "so",
    "with",
    "advantage",
    "combination,",
    "для",
    "преимущество",
    "e\u{301}te\u{301}",
    "馬",
    "𝄞𝄞",
    "\t",
    "\n",
    "}",
    "(",
    ")",
    "[",
    "%",
    "[%clk 0:01:00]",
    "[%eval -0.3,20]",
    "[%cal Ge2e4, Rd1d8]",
    "[%csl Ga1]x",
    "[%",
    "]",
    "{",
];

fn comment(random: &mut Random) -> String {
    let mut text = String::new();
    for _ in 0..random.below(12) {
        text += random.pick(&PIECES);
        if random.below(5) > 0 {
            text.push(' ');
        }
        if random.once_in(60) {
            text += &random.pick(&["x", "ё", "%"]).repeat(120 + random.below(200));
        }
    }
    text
}

fn game(random: &mut Random) -> Game {
    let first_move = random.pick(&[1, 8, 97, 996, 99_998]);
    let mut replay = Replay::builder(Position::initial(), first_move);
    let annotations = random.below(3);
    for _ in 0..20 + random.below(60) {
        match random.below(8) {
            0 => drop(replay.start_variation()),
            1 => drop(replay.end_variation()),
            2 if annotations > 0 => replay.nag(random.pick(&[1, 1, 14, 255])),
            3 | 4 if annotations > 1 => replay.comment(&comment(random)),
            5 if random.once_in(9) => replay.remark(&comment(random)),
            _ => {
                let legal = replay.position().legal_moves();
                let mv = if legal.is_empty() || random.once_in(30) {
                    Move::Null
                } else {
                    random.pick(&legal)
                };
                let _ = replay.play(mv);
            }
        }
    }
    let mut tags = Tags::new(random.pick(&[Outcome::Draw, Outcome::WhiteWins, Outcome::Unknown]));
    tags.set_str("Event", &comment(random));
    tags.set_str("Annotator", "\"\\ \\\" Ё");
    Game {
        tags,
        movetext: replay.finish().0,
    }
}

#[test]
fn games_are_laid_out_as_by_the_slow_writer() {
    let mut random = Random(55);
    let (mut lines, mut full) = (0, 0);
    for _ in 0..testkit::cases(600, 20_000) {
        let text = assert_layout(&game(&mut random));
        lines += text.lines().count();
        full += text.lines().filter(|line| line.chars().count() == 79).count();
    }
    assert!(full * 30 > lines, "{full} full lines of {lines}");
}

/// The last word of a line ends in column 78, 79 or 80, counted in characters.
#[test]
fn a_line_has_79_characters_of_any_script() {
    for letter in ["x", "ж", "e\u{301}", "馬", "𝄞"] {
        for (columns, fits) in [(78, true), (79, true), (80, false)] {
            // `1. e4 {`, a word and a blank come first. No word has more than 250 bytes.
            let first = letter.repeat(20 / letter.chars().count());
            let len = columns - "1. e4 {".len() - 20 - " ".len();
            let own = letter.chars().count();
            let word = letter.repeat(len / own) + &"y".repeat(len % own);
            let mut replay = Replay::builder(Position::initial(), 1);
            replay.play(replay.position().read_move("e4").unwrap()).unwrap();
            replay.comment(&format!("{first} {word} end"));
            let game = Game {
                movetext: replay.finish().0,
                ..Game::default()
            };
            let text = assert_layout(&game);
            let separator = if fits { " " } else { "\n" };
            assert!(
                text.contains(&format!("\n1. e4 {{{first}{separator}{word}")),
                "{columns}: {text}"
            );
        }
    }
}

/// Commands are not wrapped, but the words after them are.
#[test]
fn words_after_many_commands_begin_a_line() {
    for commands in 1..12 {
        let mut replay = Replay::builder(Position::initial(), 1);
        let all = vec!["[%clk 0:01:00]"; commands].join(" ");
        replay.comment(&format!(
            "{all} and these are plain words which fill the line after them, whatever it has"
        ));
        let game = Game {
            movetext: replay.finish().0,
            ..Game::default()
        };
        let text = assert_layout(&game);
        let mut lines = text.lines().filter(|line| line.chars().count() > 79);
        let long = format!("{{{all}");
        assert!(lines.all(|line| line == long), "{commands}: {text}");
    }
}
