//! The form of a move in any language (section 5.1).

/// The parts of a word that has the form of a move, except for the signs after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Form<'a> {
    /// The name of the piece: a letter, two in Russian, a figurine, or nothing.
    pub(super) piece: &'a str,
    /// The squares with the sign between them.
    pub(super) squares: &'a str,
    /// The name of the piece that a pawn becomes, or empty.
    pub(super) promotion: &'a str,
}

impl Form<'_> {
    /// True for the move of a pawn to the last rank, without the name of a piece.
    pub(super) fn lacks_promotion(&self) -> bool {
        self.piece.is_empty() && self.promotion.is_empty() && self.squares.ends_with(['1', '8'])
    }
}

/// Castling and null moves.
const SPECIAL: [&str; 13] = [
    "O-O", "O-O-O", "0-0", "0-0-0", "o-o", "o-o-o", "--", "Z0", "0000", "null", "@@@@", "<>", "pass",
];

/// True for a word with the form of a move, whether or not it can be played.
pub(super) fn has_form(word: &str) -> bool {
    let is_sign = |c: char| !c.is_alphanumeric() && !matches!(c, '-' | '>' | '@');
    form(word).is_some() || SPECIAL.contains(&word.trim_end_matches(is_sign))
}

/// Words that may follow a move without white space, in addition to signs.
const SUFFIXES: [&str; 6] = ["ep", "e.p.", "ch", "mate", "N", "D"];

/// The parts of a word; `None` if it does not have the form of a move. Castling and null moves are handled elsewhere.
pub(super) fn form(word: &str) -> Option<Form<'_>> {
    if word.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let (piece, rest) = split_piece(word);
    let (squares, rest) = split_squares(rest)?;
    let is_promotion = piece.is_empty() && squares.ends_with(['1', '8']);
    let (promotion, rest) = if is_promotion {
        split_promotion(rest)
    } else {
        ("", rest)
    };
    let rest = SUFFIXES
        .iter()
        .find_map(|suffix| rest.strip_prefix(suffix))
        .unwrap_or(rest);
    let is_end = !rest.starts_with(char::is_alphanumeric);
    is_end.then_some(Form {
        piece,
        squares,
        promotion,
    })
}

/// Splits off the name of a piece.
fn split_piece(word: &str) -> (&str, &str) {
    let mut rest = word.chars();
    match rest.next() {
        // In Russian, only the name of the king has two letters.
        Some('К') if rest.as_str().starts_with('р') => drop(rest.next()),
        Some(c) if is_figurine(c) => {
            let variant = |c: char| matches!(c, '\u{fe0e}' | '\u{fe0f}');
            rest = rest
                .as_str()
                .strip_prefix(variant)
                .unwrap_or(rest.as_str())
                .chars();
        }
        Some(c) if c.is_alphabetic() && !('a'..='h').contains(&c) => {}
        _ => return ("", word),
    }
    word.split_at(word.len() - rest.as_str().len())
}

/// True for the figurine of a piece.
pub(super) fn is_figurine(c: char) -> bool {
    ('\u{2654}'..='\u{265f}').contains(&c)
}

/// Splits off `f3`, `gf3`, `1xf3`, `g1-f3` and the like. Ranks that do not exist are part of the form.
fn split_squares(text: &str) -> Option<(&str, &str)> {
    let is_part = |c: char| matches!(c, 'a'..='h' | '0'..='9' | 'x' | ':' | '-');
    let run = text.trim_start_matches(is_part);
    let run = text.get(..text.len() - run.len())?;
    let end = run.rfind(|c: char| c.is_ascii_digit())? + 1;
    let (squares, rest) = text.split_at_checked(end)?;
    let [before @ .., b'a'..=b'h', _] = squares.as_bytes() else {
        return None;
    };
    let before = match before {
        [before @ .., b'x' | b':' | b'-'] => before,
        _ => before,
    };
    matches!(
        before,
        [] | [b'a'..=b'h'] | [b'0'..=b'9'] | [b'a'..=b'h', b'0'..=b'9']
    )
    .then_some((squares, rest))
}

/// The signs that may precede the name of the piece that a pawn becomes; the longest first.
const OPENINGS: [&str; 8] = ["=(", "=[", "(=", "[=", "=", "/", "(", "["];

/// Splits off `=Q`, `Q`, `(Q)` and the like. Returns the name of the piece.
fn split_promotion(text: &str) -> (&str, &str) {
    let opened = OPENINGS.iter().find_map(|opening| text.strip_prefix(opening));
    let inner = opened.unwrap_or(text);
    let is_name = |c: char| is_figurine(c) || c.is_uppercase() || matches!(c, 'n' | 'b' | 'r' | 'q');
    match inner.chars().next().filter(|&c| is_name(c)) {
        Some(piece) => {
            let (piece, rest) = inner.split_at(piece.len_utf8());
            (piece, rest.strip_prefix([')', ']']).unwrap_or(rest))
        }
        None => ("", text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_are_told_from_words() {
        let parts = |word| form(word).map(|form| [form.piece, form.squares, form.promotion]);
        for (word, wanted) in [
            ("Sf3", ["S", "f3", ""]),
            ("Ng9!?", ["N", "g9", ""]),
            ("Крf2", ["Кр", "f2", ""]),
            ("♘g1xf3±", ["♘", "g1xf3", ""]),
            ("♘\u{fe0e}f3", ["♘\u{fe0e}", "f3", ""]),
            ("T1d4+-", ["T", "1d4", ""]),
            ("exd8=D+", ["", "exd8", "D"]),
            ("e8(D)", ["", "e8", "D"]),
            ("e8=(S)+", ["", "e8", "S"]),
            ("e8(=♘)", ["", "e8", "♘"]),
            ("dxe8[T]!", ["", "dxe8", "T"]),
            ("a8b", ["", "a8", "b"]),
            ("Sf3N", ["S", "f3", ""]),
            ("dxe6e.p.", ["", "dxe6", ""]),
            ("e4", ["", "e4", ""]),
        ] {
            assert_eq!(parts(word), Some(wanted), "{word}");
        }
        for word in [
            "", "Nf", "B97", "1e4", "O-O", "--", "a4paper", "Diagram", "D4", "Elo2500", "1-0", "x", "+-",
        ] {
            assert_eq!(parts(word), None, "{word}");
        }
    }
}
