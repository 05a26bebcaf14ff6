//! Annotations: records of the `.cba` (section 9).
//!
//! | bytes | part |
//! |---|---|
//! | 3 | number of the game |
//! | 4 | `01 00 0E 0E` |
//! | 3 | number of items + 1 |
//! | 4 | size of the record with these 14 bytes |
//! | | items: position of 24 bits, kind, size of 16 bits with these 6, data |

use crate::bytes::{be_u16, be_u32, index, slice};
use crate::formats::chessbase_common::Annotations;
use crate::formats::chessbase_common::items::Item;

/// Size of a record's head.
const HEAD: usize = 14;
/// Size of an item's head.
const ITEM_HEAD: usize = 6;
/// The bytes in the head of a record that identify it.
const MAGIC: [u8; 4] = [1, 0, 14, 14];

/// Reads the record at a place of the `.cba`.
pub(super) fn read<'a>(annotations: &mut Annotations<'a>, cba: &'a [u8], at: u64) {
    let Some(mut items) = Items::at(cba, at) else {
        return annotations.damage(at, "there are no annotations at the place of this game's");
    };
    annotations.extend(&mut items);
    let found = annotations.count();
    match items.damage {
        Some((at, what)) => annotations.damage(at, what),
        None if items.count != found => {
            let count = items.count;
            let what = format!("there are {found} annotations, but their record counts {count}");
            annotations.problem(at, what);
        }
        None => {}
    }
}

/// The items of a record.
#[derive(Clone, Debug)]
pub(super) struct Items<'a> {
    /// The items that have not been read.
    rest: &'a [u8],
    at: u64,
    /// The number of items according to the record.
    count: usize,
    /// The first damage, with its place in the file.
    damage: Option<(u64, &'static str)>,
}

impl<'a> Items<'a> {
    /// The record at a place; `None` if no record starts there.
    pub(super) fn at(cba: &'a [u8], at: u64) -> Option<Items<'a>> {
        let start = index(at);
        let head = slice(cba, start, HEAD)?;
        let (magic, last_of_magic_and_count, size) =
            (slice(head, 3, 4)?, be_u32(head, 6)?, be_u32(head, 10)?);
        if magic != MAGIC {
            return None;
        }
        let size = usize::try_from(size).ok()?;
        let count = index((last_of_magic_and_count & 0xff_ffff).into());
        let record = cba.get(start..)?;
        let (rest, damage) = match slice(record, HEAD, size.checked_sub(HEAD)?) {
            Some(rest) => (rest, None),
            None => (
                record.get(HEAD..)?,
                Some((at, "the file ends inside the annotations")),
            ),
        };
        Some(Items {
            rest,
            at: at + HEAD as u64,
            count: count.saturating_sub(1),
            damage,
        })
    }
}

impl<'a> Iterator for Items<'a> {
    type Item = Item<'a>;

    fn next(&mut self) -> Option<Item<'a>> {
        if self.rest.is_empty() {
            return None;
        }
        let head = be_u32(self.rest, 0);
        let size = be_u16(self.rest, 4).map(usize::from);
        let item = size.and_then(|size| self.rest.split_at_checked(size));
        let Some((item, rest)) = item.filter(|(item, _)| item.len() >= ITEM_HEAD) else {
            self.damage = self
                .damage
                .or(Some((self.at, "the size of an annotation is impossible")));
            self.rest = &[];
            return None;
        };
        let [a, b, c, kind] = head.unwrap_or_default().to_be_bytes();
        let at = self.at;
        self.rest = rest;
        self.at += item.len() as u64;
        Some(Item {
            // The position has 24 bits with a sign: it is put into the high bits, and the shift extends the sign.
            position: i32::from_be_bytes([a, b, c, 0]) >> 8,
            kind,
            data: item.get(ITEM_HEAD..)?,
            at,
        })
    }
}
