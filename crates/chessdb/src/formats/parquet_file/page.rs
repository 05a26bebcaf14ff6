//! The values of a page (section 4).
//!
//! | page | bytes |
//! |---|---|
//! | data | length of the levels and levels, if the column may be null ([`hybrid`](super::hybrid)); then the values. All are packed together. |
//! | data of version 2 | levels, which are not packed; then the values |
//! | dictionary | the values |
//!
//! | encoding | values |
//! |---|---|
//! | 0 | 4 or 8 bytes each; texts after their length in 4 bytes |
//! | 2, 8 | the bits of a number in a byte; then the numbers of the values in the dictionary |
//! | 5, 6, 7 | differences ([`delta`](super::delta)) |
//! | 9 | the first bytes of all numbers, then the second ones and so on |

use std::sync::Arc;

use super::delta::{self, Spans, span};
use super::head::{DATA_2, Head};
use super::hybrid::{self, NULL};
use super::unpack::Codec;
use crate::bytes::{le_u32, le_u64};

/// How the values of a column are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stored {
    Texts,
    Int32,
    Int64,
    Float,
    Double,
    /// A bit for each value.
    Bits,
}

/// A value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Value<'a> {
    Text(&'a [u8]),
    Number(i64),
    Real(f64),
}

/// Values in the order in which they are stored.
#[derive(Debug)]
enum Values {
    Texts(Vec<u8>, Spans),
    Numbers(Vec<i64>),
    Reals(Vec<f64>),
    Chosen(Vec<u32>, Arc<Page>),
}

/// A page that was read: its rows, or the values of a dictionary.
#[derive(Debug)]
pub(super) struct Page {
    values: Values,
    /// For each row the number of its value; `None` if no row is null.
    present: Option<Vec<u32>>,
}

/// The properties of a column that reading its pages depends on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Form {
    pub(super) stored: Stored,
    pub(super) codec: Codec,
    /// True if rows may be null.
    pub(super) is_nullable: bool,
}

impl Page {
    /// Reads a dictionary.
    ///
    /// # Errors
    /// If the page is damaged or its encoding is not supported.
    pub(super) fn dictionary(head: &Head, body: &[u8], form: Form) -> Result<Page, &'static str> {
        let bytes = unpacked(head, body, form)?;
        let count = count_of(head.values)?;
        let values = plain(bytes, 0, count, form.stored).ok_or("its values are cut or damaged")?;
        let present = None;
        Ok(Page { values, present })
    }

    /// Reads a page of values.
    ///
    /// # Errors
    /// If the page is damaged or its encoding is not supported.
    pub(super) fn data(
        head: &Head,
        body: &[u8],
        form: Form,
        dictionary: Option<&Arc<Page>>,
    ) -> Result<Page, &'static str> {
        const LEVELS: &str = "its levels, which mark null values, cannot be read";
        let count = count_of(head.values)?;
        let bytes = unpacked(head, body, form)?;
        let (levels, start) = match (head.kind, form.is_nullable) {
            (DATA_2, _) => {
                let levels_at = head.repeats_len;
                let start = levels_at.checked_add(head.levels_len).ok_or(LEVELS)?;
                (bytes.get(levels_at..start).ok_or(LEVELS)?, start)
            }
            (_, true) => {
                // The only other encoding is older than 2013.
                if head.levels != LEVELS_IN_RUNS {
                    return Err(
                        "its levels, which mark null values, have an old encoding, which is not supported",
                    );
                }
                let len = le_u32(&bytes, 0).and_then(|len| usize::try_from(len).ok());
                let end = len.and_then(|len| len.checked_add(4)).ok_or(LEVELS)?;
                (bytes.get(4..end).ok_or(LEVELS)?, end)
            }
            (_, false) => (&[][..], 0),
        };
        let (present, stored) = match form.is_nullable {
            true => hybrid::present(levels, count).ok_or(LEVELS)?,
            false => (None, count),
        };
        let values = match head.encoding {
            0 => plain(bytes, start, stored, form.stored),
            3 if form.stored == Stored::Bits => runs_of_bits(&bytes, start, stored),
            2 | 8 => {
                let dictionary = dictionary.ok_or("the values it refers to are missing")?;
                chosen(&bytes, start, stored, dictionary)
            }
            5 => delta_numbers(&bytes, start, stored, form.stored),
            6 if form.stored == Stored::Texts => {
                delta::texts(&bytes, start, stored).map(|spans| Values::Texts(bytes, spans))
            }
            7 if form.stored == Stored::Texts => {
                let texts = delta::prefixed(&bytes, start, stored);
                texts.map(|(bytes, spans)| Values::Texts(bytes, spans))
            }
            9 => spread(&bytes, start, stored, form.stored),
            _ => return Err("its encoding is not supported"),
        };
        let values = values.ok_or("its values are cut or damaged")?;
        Ok(Page { values, present })
    }

    /// The value of a row, or the value with this number in a dictionary; `None` if it is null.
    pub(super) fn value(&self, row: usize) -> Option<Value<'_>> {
        let number = match &self.present {
            Some(present) => index_of(*present.get(row)?)?,
            None => row,
        };
        match &self.values {
            Values::Texts(bytes, spans) => span(bytes, *spans.get(number)?).map(Value::Text),
            Values::Numbers(numbers) => numbers.get(number).copied().map(Value::Number),
            Values::Reals(numbers) => numbers.get(number).copied().map(Value::Real),
            Values::Chosen(numbers, page) => page.value(index_of(*numbers.get(number)?)?),
        }
    }

    /// The page's dictionary, and the number of the row's value in it; `None` if the row is null or the page has no
    /// dictionary.
    pub(super) fn chosen(&self, row: usize) -> Option<(&Arc<Page>, u32)> {
        let Values::Chosen(numbers, page) = &self.values else {
            return None;
        };
        let number = match &self.present {
            Some(present) => index_of(*present.get(row)?)?,
            None => row,
        };
        Some((page, *numbers.get(number)?))
    }

    /// Number of bytes in memory, without the dictionary.
    pub(super) fn size(&self) -> usize {
        let values = match &self.values {
            Values::Texts(bytes, spans) => bytes.capacity() + size_of_val(&spans[..]),
            Values::Numbers(numbers) => size_of_val(&numbers[..]),
            Values::Reals(numbers) => size_of_val(&numbers[..]),
            Values::Chosen(numbers, _) => size_of_val(&numbers[..]),
        };
        values
            + self
                .present
                .as_ref()
                .map_or(0, |present| size_of_val(&present[..]))
            + size_of::<Page>()
    }

    /// A page that takes `size` bytes of memory.
    #[cfg(test)]
    pub(super) fn of_size(size: usize) -> Page {
        let bytes = vec![0; size.saturating_sub(size_of::<Page>())];
        Page {
            values: Values::Texts(bytes, Spans::default()),
            present: None,
        }
    }

    /// Number of values, without nulls.
    pub(super) fn len(&self) -> usize {
        match &self.values {
            Values::Texts(_, spans) => spans.len(),
            Values::Numbers(numbers) => numbers.len(),
            Values::Reals(numbers) => numbers.len(),
            Values::Chosen(numbers, _) => numbers.len(),
        }
    }
}

/// The encoding of levels in runs.
const LEVELS_IN_RUNS: i64 = 3;

fn index_of(number: u32) -> Option<usize> {
    usize::try_from(number).ok().filter(|_| number != NULL)
}

fn count_of(values: u32) -> Result<usize, &'static str> {
    usize::try_from(values).map_err(|_| "it has too many values")
}

/// The bytes of a page. In version 2, the levels before the values are never packed.
fn unpacked(head: &Head, body: &[u8], form: Form) -> Result<Vec<u8>, &'static str> {
    const WRONG: &str = "it cannot be unpacked";
    if head.checksum.is_some_and(|sum| sum != crc32fast::hash(body)) {
        return Err("its checksum is wrong");
    }
    if head.kind != DATA_2 {
        return form.codec.unpack(body, head.unpacked).ok_or(WRONG);
    }
    let levels_len = head.repeats_len.checked_add(head.levels_len).ok_or(WRONG)?;
    let (levels, values) = body.split_at_checked(levels_len).ok_or(WRONG)?;
    let values_len = head.unpacked.checked_sub(levels_len).ok_or(WRONG)?;
    let codec = if head.is_plain { Codec::Plain } else { form.codec };
    let values = codec.unpack(values, values_len).ok_or(WRONG)?;
    Ok([levels, &values].concat())
}

fn plain(bytes: Vec<u8>, start: usize, count: usize, stored: Stored) -> Option<Values> {
    let rest = bytes.get(start..)?;
    let width = match stored {
        Stored::Texts | Stored::Int32 | Stored::Float => 4,
        Stored::Int64 | Stored::Double => 8,
        Stored::Bits => {
            let bits = rest
                .iter()
                .flat_map(|byte| (0..8).map(move |bit| i64::from(byte >> bit & 1)));
            let numbers: Vec<i64> = bits.take(count).collect();
            return (numbers.len() == count).then_some(Values::Numbers(numbers));
        }
    };
    if count > rest.len() / width {
        return None;
    }
    let values = match stored {
        Stored::Texts => {
            let mut spans = Vec::with_capacity(count);
            let mut at = start;
            for _ in 0..count {
                let len = le_u32(&bytes, at)?;
                at += 4;
                spans.push((u32::try_from(at).ok()?, len));
                at = at.checked_add(usize::try_from(len).ok()?)?;
            }
            return (at <= bytes.len()).then_some(Values::Texts(bytes, spans));
        }
        _ => numbers_of(rest.chunks_exact(width).take(count), stored),
    };
    Some(values)
}

/// Numbers from their bytes in little endian.
fn numbers_of<'a>(bytes: impl Iterator<Item = &'a [u8]>, stored: Stored) -> Values {
    let low = |bytes: &[u8]| le_u32(bytes, 0).unwrap_or_default();
    let wide = |bytes: &[u8]| le_u64(bytes, 0).unwrap_or_default();
    match stored {
        Stored::Int64 => Values::Numbers(bytes.map(|bytes| wide(bytes).cast_signed()).collect()),
        Stored::Float => Values::Reals(bytes.map(|bytes| f32::from_bits(low(bytes)).into()).collect()),
        Stored::Double => Values::Reals(bytes.map(|bytes| f64::from_bits(wide(bytes))).collect()),
        Stored::Int32 | Stored::Texts | Stored::Bits => {
            Values::Numbers(bytes.map(|bytes| low(bytes).cast_signed().into()).collect())
        }
    }
}

/// Bits in runs, after their length in bytes.
fn runs_of_bits(bytes: &[u8], start: usize, count: usize) -> Option<Values> {
    let runs = bytes.get(start.checked_add(4)?..)?;
    let len = usize::try_from(le_u32(bytes, start)?).ok()?;
    let bits = hybrid::numbers(runs.get(..len)?, 1, count, 2)?;
    Some(Values::Numbers(bits.into_iter().map(i64::from).collect()))
}

fn chosen(bytes: &[u8], start: usize, count: usize, dictionary: &Arc<Page>) -> Option<Values> {
    let numbers = if count == 0 {
        Vec::new()
    } else {
        let width = u32::from(*bytes.get(start)?);
        let runs = bytes.get(start.checked_add(1)?..)?;
        hybrid::numbers(runs, width, count, dictionary.len())?
    };
    Some(Values::Chosen(numbers, Arc::clone(dictionary)))
}

fn delta_numbers(bytes: &[u8], start: usize, count: usize, stored: Stored) -> Option<Values> {
    let (numbers, _) = delta::numbers(bytes.get(start..)?, count)?;
    match stored {
        Stored::Int64 => Some(Values::Numbers(numbers)),
        // Differences of 32 bits wrap around.
        Stored::Int32 => {
            let low = |number: i64| {
                let [a, b, c, d, ..] = number.to_le_bytes();
                i32::from_le_bytes([a, b, c, d]).into()
            };
            Some(Values::Numbers(numbers.into_iter().map(low).collect()))
        }
        _ => None,
    }
}

fn spread(bytes: &[u8], start: usize, count: usize, stored: Stored) -> Option<Values> {
    let width = match stored {
        Stored::Texts | Stored::Bits => return None,
        Stored::Int32 | Stored::Float => 4,
        Stored::Int64 | Stored::Double => 8,
    };
    let rest = bytes.get(start..)?;
    if count > rest.len() / width {
        return None;
    }
    let byte = |number: usize, place: usize| rest.get(place * count + number).copied().unwrap_or_default();
    let numbers = (0..count).map(|number| (0..width).map(|place| byte(number, place)).collect::<Vec<u8>>());
    let numbers: Vec<Vec<u8>> = numbers.collect();
    Some(numbers_of(numbers.iter().map(Vec::as_slice), stored))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first bytes of all numbers, then the second ones, and so on, as the format's page describes.
    #[test]
    fn a_stream_of_bytes_has_a_part_for_each_byte_of_a_number() {
        let bytes = [0xff, 1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0x80];
        let Some(Values::Numbers(numbers)) = spread(&bytes, 1, 3, Stored::Int32) else {
            panic!("no numbers");
        };
        assert_eq!(numbers, [1, 2, i64::from(i32::MIN) + 3]);
        // One byte less, and one number more.
        assert!(spread(&bytes[..12], 1, 3, Stored::Int32).is_none());
        assert!(spread(&bytes, 1, 4, Stored::Int32).is_none());
        assert!(spread(&bytes, 1, 3, Stored::Double).is_none());
        assert!(spread(&bytes, 14, 0, Stored::Int32).is_none());
    }
}
