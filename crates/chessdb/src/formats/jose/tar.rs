//! tar headers as the program writes them (section 9.2).
//!
//! | offset | size | field |
//! |---|---|---|
//! | 0 | 100 | name, closed by NUL |
//! | 124 | 12 | size, octal: leading spaces or zeros, closed by a space or NUL |
//! | 148 | 8 | sum of all bytes of the header with spaces in this field, octal |
//! | 156 | 1 | type: `0` or NUL regular, `1` to `6` without contents |
//! | 257 | 6 | `ustar`, NUL |
//! | 345 | 155 | folder, to put before the name |
//!
//! The crate `tar` is not suitable: it rejects sizes that begin with spaces, and returns nothing from an archive that
//! is cut.

use crate::bytes::slice;
use crate::text::utf8;

/// Size of a header in bytes. Contents are padded to a multiple of it.
pub(super) const BLOCK: usize = 512;

/// A member of the archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Member {
    /// The name of a regular file that is in no folder; `None` for any other member.
    pub(super) name: Option<String>,
    /// Size of the contents in bytes.
    pub(super) size: u64,
}

/// True if the block is a header.
pub(super) fn is_header(block: &[u8]) -> bool {
    block.len() >= BLOCK && (slice(block, 257, 5) == Some(b"ustar") || has_right_sum(block))
}

fn has_right_sum(block: &[u8]) -> bool {
    let bytes = block.iter().take(BLOCK).enumerate();
    let sum: u64 = bytes
        .map(|(place, &byte)| {
            if (148..156).contains(&place) {
                32
            } else {
                u64::from(byte)
            }
        })
        .sum();
    // 256 is the sum of a block of zeros.
    sum != 256 && number(slice(block, 148, 8).unwrap_or_default()) == Some(sum)
}

impl Member {
    /// Parses a header; `None` if it is invalid.
    pub(super) fn read(block: &[u8]) -> Option<Member> {
        if !is_header(block) {
            return None;
        }
        let kind = *block.get(156)?;
        let size = match kind {
            b'1'..=b'6' => 0,
            _ => number(slice(block, 124, 12)?).unwrap_or(u64::MAX),
        };
        let name = text(slice(block, 0, 100)?);
        let has_prefix = slice(block, 257, 6) == Some(b"ustar\0") && block.get(345).is_some_and(|&c| c != 0);
        let name = name.strip_prefix("./").unwrap_or(&name);
        let is_plain = matches!(kind, b'0' | 0) && !has_prefix && !name.contains(['/', '\\']);
        Some(Member {
            name: is_plain.then(|| name.to_owned()),
            size,
        })
    }
}

fn text(field: &[u8]) -> String {
    let end = field.iter().position(|&c| c == 0).unwrap_or(field.len());
    utf8(field.get(..end).unwrap_or_default()).unwrap_or_default()
}

/// Parses an octal number, or a binary one, which later writers use for large sizes.
fn number(field: &[u8]) -> Option<u64> {
    if field.first().is_some_and(|first| first & 0x80 != 0) {
        let digits = field.iter().skip(1);
        return digits.into_iter().try_fold(0u64, |value, &byte| {
            Some(value.checked_mul(256)? | u64::from(byte))
        });
    }
    let text = field.trim_ascii_start();
    let end = text
        .iter()
        .position(|c| !(b'0'..=b'7').contains(c))
        .unwrap_or(text.len());
    let digits = text.get(..end).filter(|digits| !digits.is_empty())?;
    digits.iter().try_fold(0u64, |value, &digit| {
        Some(value.checked_mul(8)? | u64::from(digit - b'0'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(name: &str, kind: u8, size: &[u8]) -> Vec<u8> {
        let mut block = vec![0; BLOCK];
        block[..name.len()].copy_from_slice(name.as_bytes());
        block[124..124 + size.len()].copy_from_slice(size);
        block[156] = kind;
        block[257..262].copy_from_slice(b"ustar");
        block
    }

    #[test]
    fn sizes_have_leading_blanks() {
        let member = Member::read(&header("./IO_Game.MYD", b'0', b"       1750 ")).unwrap();
        assert_eq!(member.name.as_deref(), Some("IO_Game.MYD"));
        assert_eq!(member.size, 0o1750);
        assert_eq!(number(b"zz"), None);
        assert_eq!(number(&[0x80, 0, 1, 0]), Some(256));
        assert_eq!(number(&[0xff; 12]), None);
    }

    #[test]
    fn only_plain_names_of_regular_files_count() {
        for (name, kind) in [
            ("../IO_Game.MYD", b'0'),
            ("/IO_Game.MYD", b'0'),
            ("IO_Game.MYD", b'2'),
        ] {
            assert_eq!(Member::read(&header(name, kind, b"0")).unwrap().name, None);
        }
        assert_eq!(Member::read(&[0; BLOCK]), None);
    }
}
