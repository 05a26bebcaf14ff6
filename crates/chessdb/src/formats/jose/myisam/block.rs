//! Block headers of dynamic rows (section 8.5).
//!
//! | type | header after the type byte | what it is |
//! |---|---|---|
//! | 0 | block length u24 (with the header), next u64, previous u64 | deleted |
//! | 1, 2 | record length u16, u24 | whole record |
//! | 3, 4 | the same, unused u8 | whole record, unused bytes after it |
//! | 5, 6, 13 | record length u16, u24, u32, data length u16, u24, u24, next u64 | first part |
//! | 7, 8 | data length u16, u24 | last part |
//! | 9, 10 | the same, unused u8 | last part, unused bytes after it |
//! | 11, 12 | data length u16, u24, next u64 | middle part |

/// The kind of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BlockKind {
    Deleted,
    /// A whole record or the first part of one.
    First,
    /// A part after the first.
    Part,
}

/// The header of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Block {
    pub(super) kind: BlockKind,
    /// Length of the whole record, for a first block.
    pub(super) record: usize,
    /// Offset of the data in the file.
    pub(super) data: usize,
    /// Number of bytes of data in this block.
    pub(super) len: usize,
    /// Offset of the next part.
    pub(super) next: Option<u64>,
    /// Offset of the end of the block.
    pub(super) end: usize,
}

/// Widths of the fields of a header: record length, data length, unused, next.
const FORMS: [Option<[usize; 4]>; 14] = [
    None,
    Some([2, 0, 0, 0]),
    Some([3, 0, 0, 0]),
    Some([2, 0, 1, 0]),
    Some([3, 0, 1, 0]),
    Some([2, 2, 0, 8]),
    Some([3, 3, 0, 8]),
    Some([0, 2, 0, 0]),
    Some([0, 3, 0, 0]),
    Some([0, 2, 1, 0]),
    Some([0, 3, 1, 0]),
    Some([0, 2, 0, 8]),
    Some([0, 3, 0, 8]),
    Some([4, 3, 0, 8]),
];

impl Block {
    /// Reads the block at `at`; `None` if no block starts there. Its end or next part may be outside the file.
    pub(super) fn read(file: &[u8], at: usize) -> Option<Block> {
        let rest = file.get(at..)?;
        let (&kind, header) = rest.split_first()?;
        if kind == 0 {
            let len = number(header, 0, 3)?;
            return (len >= 20).then_some(Block {
                kind: BlockKind::Deleted,
                record: 0,
                data: at,
                len,
                next: None,
                end: at.saturating_add(len),
            });
        }
        let [record, data, unused, next] = (*FORMS.get(usize::from(kind))?)?;
        let record_len = number(header, 0, record)?;
        let data_len = number(header, record, data)?;
        let unused_len = number(header, record + data, unused)?;
        let next_at = number(header, record + data + unused, next)?;
        let len = if data == 0 { record_len } else { data_len };
        let start = at + 1 + record + data + unused + next;
        Some(Block {
            kind: if record == 0 {
                BlockKind::Part
            } else {
                BlockKind::First
            },
            record: record_len,
            data: start,
            len,
            next: (next > 0).then_some(next_at as u64),
            end: start.saturating_add(len).saturating_add(unused_len),
        })
    }
}

/// A big-endian number of up to eight bytes.
fn number(bytes: &[u8], at: usize, len: usize) -> Option<usize> {
    let bytes = bytes.get(at..)?.get(..len)?;
    let value = bytes
        .iter()
        .fold(0u64, |value, &byte| value << 8 | u64::from(byte));
    Some(crate::bytes::index(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_say_where_data_begins_and_ends() {
        let whole = Block::read(&[3, 0, 10, 2, 0], 0).unwrap();
        assert_eq!(
            (whole.kind, whole.data, whole.len, whole.end),
            (BlockKind::First, 4, 10, 16)
        );
        let first = Block::read(&[5, 0, 40, 0, 7, 0, 0, 0, 0, 0, 0, 1, 0, 9], 0).unwrap();
        assert_eq!((first.record, first.len, first.next), (40, 7, Some(256)));
        let last = Block::read(&[9, 0, 7, 1], 0).unwrap();
        assert_eq!((last.kind, last.data, last.end), (BlockKind::Part, 4, 12));
        assert_eq!(Block::read(&[0, 0, 0, 19], 0), None);
        assert_eq!(Block::read(&[14, 0, 0, 19], 0), None);
        assert_eq!(Block::read(&[5, 0, 40], 0), None);
    }
}
