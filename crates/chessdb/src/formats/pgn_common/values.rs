//! Values of tags in special forms (section 4.1).

use crate::game::Eco;

/// Replaces all kinds of dashes by ASCII hyphens.
pub(super) fn with_plain_dashes(text: &str) -> String {
    text.replace(DASHES, "-")
}

/// Replaces all kinds of dashes by ASCII hyphens, and the sign × of a capture by `x`.
pub(in crate::formats) fn with_plain_signs(text: &str) -> String {
    with_plain_dashes(text).replace('×', "x")
}

const DASHES: [char; 6] = [
    '\u{2010}', '\u{2011}', '\u{2012}', '\u{2013}', '\u{2014}', '\u{2212}',
];

/// Parses an opening code: a letter and two digits, followed by anything. A small letter means the capital one.
pub(in crate::formats) fn read_eco(text: &str) -> Option<Eco> {
    let code: [u8; 3] = *text.trim().as_bytes().first_chunk()?;
    let [letter, tens, units] = code;
    let is_code = letter.is_ascii_alphabetic() && tens.is_ascii_digit() && units.is_ascii_digit();
    Eco::new(code.map(|c| c.to_ascii_uppercase())).filter(|_| is_code)
}

/// True for a value that means unknown. Ratings of 0 are unknown, and so is a value without a printable character.
pub(in crate::formats) fn is_unknown(name: &str, value: &str) -> bool {
    match value.trim_matches(|c: char| c.is_whitespace() || c.is_control()) {
        "" | "?" | "????.??.??" => true,
        "0" | "-" => name.ends_with("Elo"),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opening_codes_begin_with_a_letter_and_two_digits() {
        assert_eq!(
            read_eco("B97/05").map(|eco| eco.to_string()),
            Some("B97".to_owned())
        );
        assert_eq!(read_eco("b90"), read_eco("B90"));
        assert_eq!(read_eco("?"), None);
        assert_eq!(read_eco("Bad"), None);
    }
}
