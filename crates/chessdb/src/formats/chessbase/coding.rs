//! The coding of headers, texts and moves (sections 4.1 and 5).
//!
//! Every byte is XORed with a key. Keys run from the last byte of a block to its first; each is the next one multiplied
//! by a constant, mod 256. The constants are odd and so have inverses. Therefore a block can also be read forwards,
//! which recovers the part that a truncated file contains.
//!
//! | block | first key | multiplied by |
//! |---|---|---|
//! | header; its byte 11 is also XORed with `14 + plen + slen` | 101 | 3 |
//! | texts, one block of l = plen + slen bytes | 3l | 3 |
//! | moves | 49 x mlen | 7 |

/// 3 * 171 = 1 mod 256.
const INVERSE_OF_3: u8 = 171;
/// 7 * 183 = 1 mod 256.
const INVERSE_OF_7: u8 = 183;

/// Decodes the 14 bytes of a header (section 4.1).
pub(super) fn header(mut bytes: [u8; 14]) -> [u8; 14] {
    let mut key = 101u8;
    for byte in bytes.iter_mut().rev() {
        *byte ^= key;
        key = key.wrapping_mul(3);
    }
    let [_, _, _, _, players, source, ..] = bytes;
    if let Some(byte) = bytes.get_mut(11) {
        *byte ^= 14 + (players & 63) + (source & 63);
    }
    bytes
}

/// Decodes players and source from a block whose complete length is `len` bytes (section 5.1).
pub(super) fn texts(block: &[u8], len: usize) -> impl Iterator<Item = u8> {
    let mut key = power(3, len).wrapping_mul(low_byte(len));
    block.iter().map(move |&byte| {
        let plain = byte ^ key;
        key = key.wrapping_mul(INVERSE_OF_3);
        plain
    })
}

/// Decodes the move area byte by byte (section 5.2).
#[derive(Clone, Debug)]
pub(super) struct Moves<'a> {
    area: &'a [u8],
    at: usize,
    key: u8,
}

impl<'a> Moves<'a> {
    /// The moves of an area whose complete length is `mlen - 1` bytes.
    pub(super) fn new(area: &'a [u8], mlen: u16) -> Moves<'a> {
        // The key of byte 1; byte 0 is not coded.
        let key = power(7, usize::from(mlen.saturating_sub(3)))
            .wrapping_mul(49)
            .wrapping_mul(low_byte(usize::from(mlen)));
        Moves { area, at: 0, key }
    }

    /// The offset of the next byte in the area.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// The next byte.
    #[inline]
    pub(super) fn next(&mut self) -> Option<u8> {
        let byte = *self.area.get(self.at)?;
        self.at += 1;
        if self.at == 1 {
            return Some(byte);
        }
        let plain = byte ^ self.key;
        self.key = self.key.wrapping_mul(INVERSE_OF_7);
        Some(plain)
    }
}

/// `base` to the power of `exponent`, mod 256.
fn power(base: u8, exponent: usize) -> u8 {
    // The order of every odd number mod 256 divides 64.
    base.wrapping_pow(u32::from(low_byte(exponent % 64)))
}

fn low_byte(number: usize) -> u8 {
    let [low, ..] = number.to_le_bytes();
    low
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rules as on the page: from the last byte to the first.
    fn backwards(bytes: &mut [u8], first_key: u8, factor: u8) {
        let mut key = first_key;
        for byte in bytes.iter_mut().rev() {
            *byte ^= key;
            key = key.wrapping_mul(factor);
        }
    }

    #[test]
    fn forwards_and_backwards_are_the_same() {
        for len in 0..200 {
            let coded: Vec<u8> = (0..len).map(|n: u8| n.wrapping_mul(77)).collect();
            let mut plain = coded.clone();
            backwards(&mut plain, 3u8.wrapping_mul(len), 3);
            assert!(texts(&coded, usize::from(len)).eq(plain.iter().copied()));

            let mlen = u16::from(len) + 1;
            let mut plain = coded.clone();
            if let Some((_, rest)) = plain.split_first_mut() {
                backwards(rest, 49u8.wrapping_mul(len.wrapping_add(1)), 7);
            }
            let mut moves = Moves::new(&coded, mlen);
            let mut given = Vec::new();
            while let Some(byte) = moves.next() {
                given.push(byte);
            }
            assert_eq!(given, plain);
        }
    }

    #[test]
    fn a_part_of_a_block_decodes_as_it_does_in_the_whole() {
        let coded: Vec<u8> = (0..90).collect();
        let whole: Vec<u8> = texts(&coded, 90).collect();
        let part: Vec<u8> = texts(&coded[..40], 90).collect();
        assert_eq!(part, whole[..40]);
    }
}
