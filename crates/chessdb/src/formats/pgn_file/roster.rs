//! The seven tags that every game should have.

/// The bits that distinguish small letters from capital letters.
const LETTER_CASE: u64 = 0x2020_2020_2020_2020;

/// The bit of a tag of the roster, in any letter case; 0 for other tags.
#[inline(always)]
pub(super) fn roster_bit(name: u64) -> u8 {
    const EVENT: u64 = name_key(b"Event") | LETTER_CASE;
    const SITE: u64 = name_key(b"Site") | LETTER_CASE;
    const DATE: u64 = name_key(b"Date") | LETTER_CASE;
    const ROUND: u64 = name_key(b"Round") | LETTER_CASE;
    const WHITE: u64 = name_key(b"White") | LETTER_CASE;
    const BLACK: u64 = name_key(b"Black") | LETTER_CASE;
    const RESULT: u64 = name_key(b"Result") | LETTER_CASE;
    match name | LETTER_CASE {
        EVENT => 1,
        SITE => 2,
        DATE => 4,
        ROUND => 8,
        WHITE => 16,
        BLACK => 32,
        RESULT => 64,
        _ => 0,
    }
}

/// A name as an integer in little endian; 0 if it is longer than eight bytes.
pub(super) const fn name_key(name: &[u8]) -> u64 {
    let mut key = 0;
    let mut rest = name;
    while let [before @ .., last] = rest {
        key = key << 8 | *last as u64;
        rest = before;
    }
    if name.len() > 8 { 0 } else { key }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_roster_has_any_letter_case() {
        let names = ["Event", "Site", "Date", "Round", "White", "Black", "Result"];
        for (place, name) in names.iter().enumerate() {
            for name in [name.to_string(), name.to_lowercase(), name.to_uppercase()] {
                assert_eq!(roster_bit(name_key(name.as_bytes())), 1 << place, "{name}");
            }
        }
        for name in ["ECO", "Events", "Even", "FEN", "", "WhiteElo", "EventDate"] {
            assert_eq!(roster_bit(name_key(name.as_bytes())), 0, "{name}");
        }
    }
}
