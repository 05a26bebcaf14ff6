//! Movetext without annotations, which is recognised faster than it is decoded.

/// True for movetext that has only moves in their usual form, the numbers of moves, and results. False also for much that
/// has no annotations, such as a move in another form.
pub(super) fn has_only_moves(movetext: &[u8]) -> bool {
    let words = movetext.split(|c| matches!(c, b' ' | b'\n' | b'\r'));
    words.into_iter().all(is_usual)
}

fn is_usual(word: &[u8]) -> bool {
    match after_number(word) {
        b"" | b"O-O" | b"O-O+" | b"O-O#" | b"O-O-O" | b"O-O-O+" | b"O-O-O#" => true,
        b"1-0" | b"0-1" | b"1/2-1/2" | b"*" => true,
        [mv @ .., b'+' | b'#'] | mv => is_move(mv),
    }
}

/// What follows the number of a move and its points.
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
    use super::has_only_moves;

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
            "e4+N", "12", "--", "0000", "d62.Nf3", "%", "e4=QN", "[", "1", "e4\u{a0}", "1.=e4", "Ne", "e4-",
            "+", "#", "D", "1.D",
        ] {
            assert!(!has_only_moves(other.as_bytes()), "{other}");
        }
    }
}
