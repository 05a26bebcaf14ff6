//! Data stored for each game: its place, and the keys for sorting (section 6).

use crate::bytes::{le_u32, slice};
use crate::database::{Keys, TextId};
use crate::game::{Date, Eco, Outcome};

/// Bytes of a row without its names.
const FIXED: usize = 18;

/// The entry of a game in the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Row {
    /// Offset of the game in the file.
    pub(super) start: u64,
    /// Length of the cleaned text in bytes.
    pub(super) size: u32,
    /// True if the cleaned text is the same as the text in the file, except for white space at the end.
    pub(super) is_plain: bool,
    pub(super) keys: Keys,
}

/// Length in bytes of a row with `width` bytes for numbers of names.
pub(super) fn row_len(width: usize) -> usize {
    FIXED + 3 * width
}

impl Row {
    /// Appends the bytes of the row.
    pub(super) fn write(&self, width: usize, out: &mut Vec<u8>) {
        let Keys {
            date, eco, outcome, ..
        } = self.keys;
        let day = u32::from(date.year) | u32::from(date.month) << 14 | u32::from(date.day) << 18;
        let outcome = OUTCOMES.iter().position(|&other| other == outcome).unwrap_or(0);
        let outcome = u32::try_from(outcome).unwrap_or(0);
        let day = day | outcome << 23 | u32::from(self.is_plain) << 25;
        let event = u32::from(self.keys.event_year) | eco.map_or(0, eco_bits) << 14;
        out.extend(self.start.to_le_bytes().iter().take(6));
        out.extend(self.size.to_le_bytes());
        out.extend(day.to_le_bytes());
        out.extend(event.to_le_bytes());
        for name in [self.keys.white, self.keys.black, self.keys.event] {
            out.extend(name.0.to_le_bytes().iter().take(width));
        }
    }

    /// The row with other numbers of names.
    pub(super) fn with_names(self, number: impl Fn(u32) -> u32) -> Row {
        let new = |id: TextId| TextId(number(id.0));
        let Keys {
            white, black, event, ..
        } = self.keys;
        Row {
            keys: Keys {
                white: new(white),
                black: new(black),
                event: new(event),
                ..self.keys
            },
            ..self
        }
    }

    /// Reads a row; `None` if the bytes are too few.
    #[inline]
    pub(super) fn read(bytes: &[u8], width: usize) -> Option<Row> {
        let day = le_u32(bytes, 10)?;
        let event = le_u32(bytes, 14)?;
        let name = |number: usize| Some(TextId(le_bytes(slice(bytes, FIXED + number * width, width)?)));
        let bits = |value: u32, from: u32, bits: u32| value >> from & ((1 << bits) - 1);
        let small = |value: u32| u8::try_from(value).unwrap_or(0);
        let year = |value: u32| u16::try_from(value).unwrap_or(0);
        Some(Row {
            start: u64::from(le_u32(bytes, 0)?) | u64::from(le_bytes(slice(bytes, 4, 2)?)) << 32,
            size: le_u32(bytes, 6)?,
            is_plain: bits(day, 25, 1) == 1,
            keys: Keys {
                white: name(0)?,
                black: name(1)?,
                event: name(2)?,
                date: Date::new(
                    year(bits(day, 0, 14)),
                    small(bits(day, 14, 4)),
                    small(bits(day, 18, 5)),
                ),
                event_year: year(bits(event, 0, 14)),
                eco: eco_of(event >> 14),
                outcome: OUTCOMES
                    .get(bits(day, 23, 2) as usize)
                    .copied()
                    .unwrap_or_default(),
                deleted: false,
            },
        })
    }
}

/// Results in the order of their numbers in a row.
const OUTCOMES: [Outcome; 4] = [
    Outcome::Unknown,
    Outcome::WhiteWins,
    Outcome::BlackWins,
    Outcome::Draw,
];

/// An opening code in 15 bits, never 0: the ASCII code of the letter, then two digits.
fn eco_bits(eco: Eco) -> u32 {
    match *eco.as_str().as_bytes() {
        [letter, tens, units] => {
            u32::from(letter & 0x7f) << 8 | u32::from(tens & 0xf) << 4 | u32::from(units & 0xf)
        }
        _ => 0,
    }
}

fn eco_of(bits: u32) -> Option<Eco> {
    let [digits, letter, ..] = bits.to_le_bytes();
    let code = [letter & 0x7f, b'0' + (digits >> 4), b'0' + (digits & 0xf)];
    Eco::new(code).filter(|_| bits != 0)
}

/// An integer of up to four bytes.
#[inline]
fn le_bytes(bytes: &[u8]) -> u32 {
    let fold = |number: u32, byte: &u8| number << 8 | u32::from(*byte);
    bytes.iter().rev().take(4).fold(0, fold)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read_as_they_were_written() {
        for width in [3, 4] {
            for (start, code, outcome) in [
                (0, None, Outcome::Unknown),
                (0xffff_ffff_ffff, Some(*b"B97"), Outcome::Draw),
                (1 << 32, Some(*b"e00"), Outcome::BlackWins),
            ] {
                let row = Row {
                    start,
                    size: 0x1234_5678,
                    is_plain: start > 0,
                    keys: Keys {
                        white: TextId(0xff_ffff),
                        black: TextId(0),
                        event: TextId(0x01_0203),
                        date: Date::new(9999, 12, 31),
                        event_year: 1985,
                        eco: code.and_then(Eco::new),
                        outcome,
                        deleted: false,
                    },
                };
                let mut bytes = Vec::new();
                row.write(width, &mut bytes);
                assert_eq!(bytes.len(), row_len(width));
                assert_eq!(Row::read(&bytes, width), Some(row));
                assert_eq!(Row::read(&bytes[1..], width), None);
            }
        }
    }
}
