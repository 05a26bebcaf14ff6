//! The seven tags that every game should have.

/// The bit of a tag of the roster, 0 for others.
#[inline(always)]
pub(super) fn roster_bit(name: u64) -> u8 {
    const EVENT: u64 = name_key(b"Event");
    const SITE: u64 = name_key(b"Site");
    const DATE: u64 = name_key(b"Date");
    const ROUND: u64 = name_key(b"Round");
    const WHITE: u64 = name_key(b"White");
    const BLACK: u64 = name_key(b"Black");
    const RESULT: u64 = name_key(b"Result");
    match name {
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
