//! Movetext without annotations, which is recognised faster than it is decoded.

/// True for movetext that has only moves in their usual form, the numbers of moves, and results. Other words that mean
/// nothing may be among them. False also for much that has no annotations, such as a move in another form.
pub(super) fn has_only_moves(movetext: &[u8]) -> bool {
    has_usual_pairs(movetext) || {
        let words = movetext.split(|c| matches!(c, b' ' | b'\n' | b'\r'));
        words.into_iter().all(is_usual)
    }
}

/// Kinds of characters, and for each the kinds that may follow it in text without annotations: no sign stands alone, a
/// sign for check ends a word, and so does no letter. A promotion is in no pair, since `=N` and `N` end alike.
const PAIRS: [(&[u8], &[u8]); 10] = [
    (b" \n\r", b" \n\r0123456789abcdefghKQRBNO*"),
    (b"0123456789", b" \n\r0123456789.abcdefghx+#-/"),
    (b".", b" \n\r.abcdefghKQRBNO"),
    (b"abcdefgh", b"0123456789abcdefghx"),
    (b"KQRBN", b"0123456789abcdefghx"),
    (b"x", b"abcdefgh"),
    (b"O", b" \n\r-+#"),
    (b"-/", b"0123456789O"),
    (b"+#", b" \n\r"),
    (b"*", b" \n\r"),
];

/// For each character the bit of its kind, and above these the bits of the kinds that may not follow it. The last kind
/// has all characters that are in no row, and follows none.
#[allow(clippy::indexing_slicing)]
const KINDS: [u32; 256] = {
    let mut kinds = [1 << PAIRS.len() | u32::MAX << 16; 256];
    let mut row = 0;
    while row < PAIRS.len() {
        let (own, followers) = PAIRS[row];
        let mut allowed = 0;
        let mut other = 0;
        while other < PAIRS.len() {
            if has(followers, PAIRS[other].0[0]) {
                allowed |= 1 << other;
            }
            other += 1;
        }
        let mut place = 0;
        while place < own.len() {
            kinds[own[place] as usize] = 1 << row | !allowed << 16;
            place += 1;
        }
        row += 1;
    }
    kinds
};

#[allow(clippy::indexing_slicing)]
const fn has(characters: &[u8], wanted: u8) -> bool {
    let mut place = 0;
    while place < characters.len() {
        if characters[place] == wanted {
            return true;
        }
        place += 1;
    }
    false
}

/// True if any two neighbours in the text are one of the [`PAIRS`]. Takes a quarter of the time that reading the words
/// takes, because nothing depends on what was found before.
#[allow(clippy::indexing_slicing)]
fn has_usual_pairs(movetext: &[u8]) -> bool {
    let mut last = KINDS[b' ' as usize];
    let are_usual = movetext.chunks(64).all(|some| {
        let unusual = some.iter().fold(0, |unusual, &c| {
            let own = KINDS[c as usize];
            let not_allowed = std::mem::replace(&mut last, own) >> 16;
            unusual | own & not_allowed
        });
        unusual & 0xffff == 0
    });
    are_usual && KINDS[b' ' as usize] & (last >> 16) & 0xffff == 0
}

fn is_usual(word: &[u8]) -> bool {
    match after_number(word) {
        b"" | b"O-O" | b"O-O+" | b"O-O#" | b"O-O-O" | b"O-O-O+" | b"O-O-O#" => true,
        b"1-0" | b"0-1" | b"1/2-1/2" | b"*" => true,
        [mv @ .., b'+' | b'#'] | mv => is_move(mv),
    }
}

/// The text after the number of a move and its points.
fn after_number(word: &[u8]) -> &[u8] {
    let after = |word: &[u8], is_wanted: fn(&u8) -> bool| word.iter().take_while(|c| is_wanted(c)).count();
    let digits = after(word, u8::is_ascii_digit);
    let rest = word.get(digits..).unwrap_or_default();
    match after(rest, |&c| c == b'.') {
        points if digits > 0 && points > 0 => rest.get(points..).unwrap_or_default(),
        _ => word,
    }
}

/// True for the name of a piece, squares and a promotion. A word that ends this way has no glyph at its end.
fn is_move(word: &[u8]) -> bool {
    let squares = match word {
        [squares @ .., b'=', b'Q' | b'R' | b'B' | b'N'] => squares,
        squares => squares,
    };
    let [first, inner @ .., last] = squares else {
        return false;
    };
    matches!(first, b'a'..=b'h' | b'K' | b'Q' | b'R' | b'B' | b'N')
        && matches!(last, b'1'..=b'8')
        && inner
            .iter()
            .all(|c| matches!(c, b'a'..=b'h' | b'1'..=b'8' | b'x'))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each pair of characters alone: what the pairs allow has no sign of an annotation.
    #[test]
    fn no_pair_makes_a_sign() {
        for [first, second] in (0..=u16::MAX).map(u16::to_be_bytes) {
            for text in [
                &[first, second][..],
                &[b'4', first, second],
                &[first, second, b' ', b'e', b'4'],
            ] {
                if has_usual_pairs(text) {
                    let words: Vec<&[u8]> = text.split(|c| b" \n\r".contains(c)).collect();
                    let are_plain = words.iter().all(|word| {
                        let has_letters = word.iter().any(|c| b"KQRBNabcdefghx".contains(c));
                        let ends_in_sign = matches!(word, [.., b'=' | b'-' | b'/']);
                        let is_sign = matches!(word, [b'+' | b'#' | b'=', ..]);
                        let is_usual_end = matches!(word, [.., b'0'..=b'9' | b'+' | b'#']);
                        !is_sign && !ends_in_sign && (!has_letters || is_usual_end)
                    });
                    assert!(are_plain, "{}", text.escape_ascii());
                }
            }
        }
    }

    /// Most games are recognised by their pairs, so that this is worth it.
    #[test]
    fn usual_movetext_has_usual_pairs() {
        let usual =
            "1. e4 e5 2. Nf3 Nc6 3.Bb5 a6 4. Bxc6+ dxc6 5. O-O Rhb8 6. R1xa2# O-O-O+\r\n12... Qa1xb2 ";
        for result in ["1-0", "0-1", "1/2-1/2", "*", "1-0\n\n", ""] {
            assert!(has_usual_pairs(format!("{usual}{result}").as_bytes()), "{result}");
        }
        // A text of several pieces, with one sign at each place.
        let long = "1. e4 e5 ".repeat(30);
        for place in 0..long.len() {
            let mut text = long.clone().into_bytes();
            text[place] = b'!';
            assert!(!has_usual_pairs(&text), "{place}");
        }
    }

    #[test]
    fn moves_numbers_and_results_are_recognised() {
        for movetext in [
            "",
            "\n\n",
            "1. e4 e5 2. Nf3 Nc6 3.Bb5 a6 4. Bxc6+ dxc6 5. O-O 1/2-1/2\n\n",
            "12... Qa1xb2# 0-1\r\n",
            "1. exd8=Q+ O-O-O 2.O-O# *",
        ] {
            assert!(has_only_moves(movetext.as_bytes()), "{movetext}");
        }
        for other in [
            "e4!", "e4 $1", "{a}", "( e4 )", "e4 =", "e4+-", "N", "e4N", "e8=", "e8=+", "e4;", "e4\t",
            "e4+N", "--", "%", "e4=QN", "[", "e4\u{a0}", "1.=e4", "Ne", "e4-", "+", "#", "D", "1.D", "e4 =",
            "=N", "x", "e4 e", "O-", "e4/", "1.+",
        ] {
            assert!(!has_only_moves(other.as_bytes()), "{other}");
        }
    }
}
