//! Tags and movetext of one game.

use std::fmt;

use super::comment::append_comment;
use super::lines::Lines;
use crate::game::{Game, Movetext, Tags, Token};

/// The first word of remarks, unless another is given.
pub const REMARK: &str = "chessdb:";

/// The PGN of a game: tags, an empty line, movetext with the result, an empty line.
pub fn to_text(game: &Game) -> Vec<u8> {
    let tokens = game.movetext.tokens().len();
    let mut out = Vec::with_capacity(512 + 8 * tokens + game.movetext.text_len());
    append_game(&mut out, game);
    out
}

impl fmt::Display for Game {
    /// The PGN of the game.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&String::from_utf8_lossy(&to_text(self)))
    }
}

/// Appends the PGN of a game.
pub fn append_game(out: &mut Vec<u8>, game: &Game) {
    append_game_with(out, game, REMARK);
}

/// Appends the PGN of a game. Its remarks start with the word `remark`.
pub fn append_game_with(out: &mut Vec<u8>, game: &Game, remark: &str) {
    append_tags(out, &game.tags);
    append_movetext_with(out, game, remark);
}

/// Appends the movetext of a game with its result, and an empty line. Remarks start with the word `remark`.
pub fn append_movetext_with(out: &mut Vec<u8>, game: &Game, remark: &str) {
    let mut lines = Lines::new(out);
    append_movetext(&mut lines, &game.movetext, remark);
    let result = game.tags.outcome().token();
    lines.word(result.as_bytes(), result.len());
    lines.finish();
}

/// Appends the tag pairs and the empty line after them.
pub fn append_tags(out: &mut Vec<u8>, tags: &Tags) {
    // All values are checked at once, because very few games contain characters to escape.
    let escape = !tags
        .all_values()
        .bytes()
        .fold(true, |plain, c| plain & is_plain(c));
    for (name, value) in tags.iter() {
        out.push(b'[');
        out.extend_from_slice(name.as_bytes());
        out.extend_from_slice(b" \"");
        if escape {
            append_escaped(out, value);
        } else {
            out.extend_from_slice(value.as_bytes());
        }
        out.extend_from_slice(b"\"]\n");
    }
    out.push(b'\n');
}

/// True for a character that needs no escape in a tag value.
fn is_plain(c: u8) -> bool {
    (b' '..0x7f).contains(&c) & (c != b'"') & (c != b'\\')
}

/// Appends a tag value with `"` and `\` escaped and without control characters.
#[cold]
fn append_escaped(out: &mut Vec<u8>, value: &str) {
    for c in value.chars().filter(|c| !c.is_control()) {
        if matches!(c, '"' | '\\') {
            out.push(b'\\');
        }
        out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
    }
}

fn append_movetext(lines: &mut Lines<'_>, movetext: &Movetext, remark: &str) {
    let mut rest = movetext.tokens();
    let mut ply = movetext.first_ply();
    let mut outer_plies = Vec::new();
    // Black's move has a number at the start of a line and after anything except White's move.
    let mut needs_number = true;
    loop {
        // Fast path: most moves follow another move, so they are written in pairs.
        while let [Token::Move(white, _), Token::Move(black, _), tail @ ..] = rest
            && ply.is_multiple_of(2)
            && let Some(&(digits, len)) = NUMBERS.get(ply as usize / 2 + 1)
        {
            lines.short_words([
                (digits, len + 1),
                (white.bytes(), white.len()),
                (black.bytes(), black.len()),
            ]);
            ply += 2;
            needs_number = false;
            rest = tail;
        }
        let Some((&token, tail)) = rest.split_first() else {
            return;
        };
        match token {
            Token::Move(san, _) => {
                if ply.is_multiple_of(2) || needs_number {
                    append_number(lines, ply);
                }
                lines.short_word(san.bytes(), san.len());
                ply = ply.saturating_add(1);
                needs_number = false;
                rest = tail;
            }
            Token::VariationStart => {
                outer_plies.push(ply);
                ply = ply.saturating_sub(1);
                lines.open_parenthesis();
                needs_number = true;
                rest = tail;
            }
            Token::VariationEnd => {
                ply = outer_plies.pop().unwrap_or(ply);
                lines.close_parenthesis();
                needs_number = true;
                rest = tail;
            }
            Token::Nag(_) | Token::Comment(_) | Token::Remark(_) => {
                let is_annotation =
                    |token: &&Token| matches!(token, Token::Nag(_) | Token::Comment(_) | Token::Remark(_));
                let len = rest.iter().take_while(is_annotation).count();
                let (annotations, tail) = rest.split_at(len);
                needs_number |= append_annotations(lines, movetext, annotations, remark);
                rest = tail;
            }
        }
    }
}

/// Appends the glyphs of one move without duplicates, then its comments and remarks as one comment. Returns true if it
/// wrote a comment.
fn append_annotations(
    lines: &mut Lines<'_>,
    movetext: &Movetext,
    annotations: &[Token],
    remark: &str,
) -> bool {
    let mut written = [false; 256];
    let mut comments = false;
    for token in annotations {
        match *token {
            Token::Nag(nag) => {
                let seen = written
                    .get_mut(usize::from(nag))
                    .map(|seen| std::mem::replace(seen, true));
                if seen == Some(false) {
                    let word = format!("${nag}");
                    lines.word(word.as_bytes(), word.len());
                }
            }
            _ => comments = true,
        }
    }
    if comments {
        let texts = annotations.iter().map(|token| match *token {
            Token::Comment(range) => ["", movetext.text(range)],
            Token::Remark(range) => [remark, movetext.text(range)],
            _ => ["", ""],
        });
        append_comment(lines, texts.flatten());
    }
    comments
}

/// Appends `12.` or `12...`.
#[inline]
fn append_number(lines: &mut Lines<'_>, ply: u32) {
    let number = ply / 2 + 1;
    let dots = if ply.is_multiple_of(2) { 1 } else { 3 };
    match NUMBERS.get(number as usize) {
        Some((digits, len)) => lines.short_word(*digits, len + dots),
        None => {
            let word = format!("{number}{}", &"..."[..dots]);
            lines.word(word.as_bytes(), word.len());
        }
    }
}

/// The digits of move numbers followed by points, and the number of digits.
static NUMBERS: [([u8; 8], usize); 1000] = numbers();

const fn numbers() -> [([u8; 8], usize); 1000] {
    let mut table = [([b'.'; 8], 0); 1000];
    let mut number = 0;
    while number < 1000 {
        let len = if number >= 100 {
            3
        } else if number >= 10 {
            2
        } else {
            1
        };
        let mut rest = number;
        let mut place = len;
        while place > 0 {
            place -= 1;
            table[number].0[place] = b'0' + (rest % 10) as u8;
            rest /= 10;
        }
        table[number].1 = len;
        number += 1;
    }
    table
}
