//! DES, with which `.cbz` archives are encrypted (section 12.4): each block of eight bytes for itself.

/// Bytes of a block, and of a key.
pub(super) const BLOCK: usize = 8;

/// Keys of the rounds, six bits for each of the eight boxes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Key([[u8; 8]; 16]);

impl Key {
    /// The key that a password stands for. A long one is folded, a short one repeated.
    ///
    /// None for an empty one.
    pub(super) fn of_password(password: &[u8]) -> Option<Key> {
        let mut key = [0u8; BLOCK];
        if password.is_empty() {
            return None;
        }
        if password.len() > BLOCK {
            for (place, &byte) in (0..BLOCK).cycle().zip(password) {
                if let Some(sum) = key.get_mut(place) {
                    *sum = sum.wrapping_mul(2) ^ byte;
                }
            }
        } else {
            for (to, &from) in key.iter_mut().zip(password.iter().cycle()) {
                *to = from;
            }
        }
        Some(Key::new(key))
    }

    fn new(key: [u8; BLOCK]) -> Key {
        let chosen = permuted(u64::from_be_bytes(key), 64, &KEY_CHOICE);
        let (mut left, mut right) = (chosen >> 28, chosen & HALF_OF_KEY);
        let mut rounds = [[0; 8]; 16];
        for (round, parts) in rounds.iter_mut().enumerate() {
            let shift = if matches!(round, 0 | 1 | 8 | 15) { 1 } else { 2 };
            let rotated = |half: u64| ((half << shift) | (half >> (28 - shift))) & HALF_OF_KEY;
            (left, right) = (rotated(left), rotated(right));
            let bits = permuted((left << 28) | right, 56, &ROUND_CHOICE);
            for (part, shift) in parts.iter_mut().zip((0..8).rev()) {
                let [.., low] = (bits >> (6 * shift)).to_be_bytes();
                *part = low & 63;
            }
        }
        Key(rounds)
    }

    /// Decrypts a block.
    pub(super) fn decrypt(&self, block: [u8; BLOCK]) -> [u8; BLOCK] {
        let bits = permuted(u64::from_be_bytes(block), 64, &INITIAL).to_be_bytes();
        let [a, b, c, d, e, f, g, h] = bits;
        let (mut left, mut right) = (u32::from_be_bytes([a, b, c, d]), u32::from_be_bytes([e, f, g, h]));
        for round in self.0.iter().rev() {
            (left, right) = (right, left ^ scrambled(right, round));
        }
        // The halves change places after the last round.
        let bits = (u64::from(right) << 32) | u64::from(left);
        permuted(bits, 64, &FINAL).to_be_bytes()
    }
}

const HALF_OF_KEY: u64 = (1 << 28) - 1;

/// What the boxes make of half a block.
fn scrambled(half: u32, round: &[u8; 8]) -> u32 {
    let boxes = SCRAMBLED
        .iter()
        .zip(round)
        .zip((0..8).map(|place| (4 * place + 31) % 32));
    boxes.fold(0, |sum, ((table, &key), rotation)| {
        let [.., bits] = (half.rotate_left(rotation) >> 26).to_be_bytes();
        sum | table.get(usize::from(bits ^ key)).copied().unwrap_or(0)
    })
}

/// Takes bits of a number of `len` bits in an order. Bits are counted from 1, the highest first.
const fn permuted(bits: u64, len: u8, order: &[u8]) -> u64 {
    let mut out = 0;
    let mut rest = order;
    while let [place, tail @ ..] = rest {
        out = (out << 1) | ((bits >> (len - *place)) & 1);
        rest = tail;
    }
    out
}

/// The boxes, each followed by the permutation of their bits.
static SCRAMBLED: [[u32; 64]; 8] = scramble();

// It runs while this is compiled.
#[allow(clippy::cast_possible_truncation, clippy::indexing_slicing)]
const fn scramble() -> [[u32; 64]; 8] {
    let mut tables = [[0; 64]; 8];
    let mut number = 0;
    while number < 8 {
        let mut bits = 0;
        while bits < 64 {
            let row = (bits >> 4 & 2) | (bits & 1);
            let digit = BOXES[number][row].as_bytes()[bits >> 1 & 15];
            let value = match digit {
                b'0'..=b'9' => digit - b'0',
                _ => digit - b'a' + 10,
            };
            let placed = (value as u64) << (28 - 4 * number);
            tables[number][bits] = permuted(placed, 32, &BITS_OF_BOXES) as u32;
            bits += 1;
        }
        number += 1;
    }
    tables
}

/// The boxes, four rows of sixteen values each.
const BOXES: [[&str; 4]; 8] = [
    [
        "e4d12fb83a6c5907",
        "0f74e2d1a6cb9538",
        "41e8d62bfc973a50",
        "fc8249175b3ea06d",
    ],
    [
        "f18e6b34972dc05a",
        "3d47f28ec01a69b5",
        "0e7ba4d158c6932f",
        "d8a13f42b67c05e9",
    ],
    [
        "a09e63f51dc7b428",
        "d709346a285ecbf1",
        "d6498f30b12c5ae7",
        "1ad069874fe3b52c",
    ],
    [
        "7de3069a1285bc4f",
        "d8b56f03472c1ae9",
        "a690cb7df13e5284",
        "3f06a1d8945bc72e",
    ],
    [
        "2c417ab6853fd0e9",
        "eb2c47d150fa3986",
        "421bad78f9c5630e",
        "b8c71e2d6f09a453",
    ],
    [
        "c1af92680d34e75b",
        "af427c9561de0b38",
        "9ef528c3704a1db6",
        "432c95fabe17608d",
    ],
    [
        "4b2ef08d3c975a61",
        "d0b7491ae35c2f86",
        "14bdc37eaf680592",
        "6bd814a7950fe23c",
    ],
    [
        "d2846fb1a93e50c7",
        "1fd8a374c56b0e92",
        "7b419ce206adf358",
        "21e74a8dfc90356b",
    ],
];

#[rustfmt::skip]
const INITIAL: [u8; 64] = [
    58, 50, 42, 34, 26, 18, 10, 2, 60, 52, 44, 36, 28, 20, 12, 4, 62, 54, 46, 38, 30, 22, 14, 6, 64, 56, 48, 40, 32, 24, 16, 8,
    57, 49, 41, 33, 25, 17, 9, 1, 59, 51, 43, 35, 27, 19, 11, 3, 61, 53, 45, 37, 29, 21, 13, 5, 63, 55, 47, 39, 31, 23, 15, 7,
];
#[rustfmt::skip]
const FINAL: [u8; 64] = [
    40, 8, 48, 16, 56, 24, 64, 32, 39, 7, 47, 15, 55, 23, 63, 31, 38, 6, 46, 14, 54, 22, 62, 30, 37, 5, 45, 13, 53, 21, 61, 29,
    36, 4, 44, 12, 52, 20, 60, 28, 35, 3, 43, 11, 51, 19, 59, 27, 34, 2, 42, 10, 50, 18, 58, 26, 33, 1, 41, 9, 49, 17, 57, 25,
];
#[rustfmt::skip]
const BITS_OF_BOXES: [u8; 32] = [
    16, 7, 20, 21, 29, 12, 28, 17, 1, 15, 23, 26, 5, 18, 31, 10, 2, 8, 24, 14, 32, 27, 3, 9, 19, 13, 30, 6, 22, 11, 4, 25,
];
#[rustfmt::skip]
const KEY_CHOICE: [u8; 56] = [
    57, 49, 41, 33, 25, 17, 9, 1, 58, 50, 42, 34, 26, 18, 10, 2, 59, 51, 43, 35, 27, 19, 11, 3, 60, 52, 44, 36,
    63, 55, 47, 39, 31, 23, 15, 7, 62, 54, 46, 38, 30, 22, 14, 6, 61, 53, 45, 37, 29, 21, 13, 5, 28, 20, 12, 4,
];
#[rustfmt::skip]
const ROUND_CHOICE: [u8; 48] = [
    14, 17, 11, 24, 1, 5, 3, 28, 15, 6, 21, 10, 23, 19, 12, 4, 26, 8, 16, 7, 27, 20, 13, 2,
    41, 52, 31, 37, 47, 55, 30, 40, 51, 45, 33, 48, 44, 49, 39, 56, 34, 53, 46, 42, 50, 36, 29, 32,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_decrypted() {
        let key = Key::new(0x1334_5779_9bbc_dff1u64.to_be_bytes());
        let block = 0x85e8_1354_0f0a_b405u64.to_be_bytes();
        assert_eq!(u64::from_be_bytes(key.decrypt(block)), 0x0123_4567_89ab_cdef);
        let zeros = Key::new([0; 8]);
        let block = 0x8ca6_4de9_c1b1_23a7u64.to_be_bytes();
        assert_eq!(zeros.decrypt(block), [0; 8]);
    }

    #[test]
    fn boxes_are_permutations() {
        for row in BOXES.iter().flatten() {
            let mut digits = row.as_bytes().to_vec();
            digits.sort_unstable();
            assert_eq!(digits, b"0123456789abcdef");
        }
    }

    #[test]
    fn passwords_become_keys() {
        let key = |password: &[u8]| Key::of_password(password).unwrap().0;
        assert_eq!(key(b"pass"), Key::new(*b"passpass").0);
        let folded = 0xaa93_33ab_a9b3_bc24u64.to_be_bytes();
        assert_eq!(key(b"my long password"), Key::new(folded).0);
        assert!(Key::of_password(b"").is_none());
    }
}
