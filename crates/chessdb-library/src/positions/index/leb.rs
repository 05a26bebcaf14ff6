//! Integers of variable length: LEB128, with seven bits a byte, the lowest first.

/// Appends an integer.
#[inline]
pub(super) fn append(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

/// Takes an integer from the front. `None` if it is cut or too long.
#[inline]
pub(super) fn take(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
}

/// Drops `number` integers from the front. `None` if there are not enough.
#[inline]
pub(super) fn skip(bytes: &mut &[u8], mut number: u64) -> Option<()> {
    while number > 0 {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number -= u64::from(byte < 0x80);
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_read_as_they_were_written() {
        let values = [0, 1, 127, 128, 300, 1 << 21, u64::MAX];
        let mut bytes = Vec::new();
        values.iter().for_each(|&value| append(&mut bytes, value));
        let mut rest = bytes.as_slice();
        assert_eq!(values.map(|_| take(&mut rest)), values.map(Some));
        let mut skipped = bytes.as_slice();
        assert_eq!(skip(&mut skipped, 5), Some(()));
        assert_eq!((take(&mut skipped), skip(&mut skipped, 2)), (Some(1 << 21), None));
        assert_eq!((take(&mut rest), take(&mut &[0x80u8; 20][..])), (None, None));
    }
}
