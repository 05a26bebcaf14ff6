//! Records in several blocks (sections 8.5, 12.3).

use std::borrow::Cow;
use std::collections::HashSet;

use super::block::{Block, BlockKind};
use crate::bytes::{index, slice};

/// Maximum length of a record (section 13).
const LONGEST: usize = 64 << 20;

/// The bytes of a record.
pub(super) struct Collected<'t> {
    pub(super) bytes: Cow<'t, [u8]>,
    /// Why the record is incomplete.
    pub(super) damage: Option<&'static str>,
}

/// Collects the record that starts with this block, until a block is damaged or missing, but at most `limit` bytes.
pub(super) fn collect<'t>(file: &'t [u8], at: usize, first: &Block, limit: usize) -> Collected<'t> {
    let there = |block: &Block| {
        let rest = file.get(block.data..).unwrap_or_default();
        rest.get(..block.len).unwrap_or(rest)
    };
    let first_bytes = there(first);
    let first_bytes = first_bytes
        .get(..first.record.min(LONGEST))
        .unwrap_or(first_bytes);
    let borrowed = |damage| Collected {
        bytes: Cow::Borrowed(first_bytes),
        damage,
    };
    if first_bytes.len() < first.len.min(first.record).min(LONGEST) {
        return borrowed(Some("the table ends inside the row"));
    }
    if first.record > LONGEST {
        return borrowed(Some("the row is longer than 64 MiB"));
    }
    if first.len > first.record {
        return borrowed(Some("a part of the row is longer than the row"));
    }
    if first_bytes.len() == first.record {
        return borrowed(None);
    }
    let mut bytes = first_bytes.to_vec();
    let mut seen = HashSet::from([at]);
    let mut next = first.next;
    let damage = loop {
        if bytes.len() == first.record {
            break None;
        }
        let Some(place) = next.map(index) else {
            break Some("the last part of the row comes before its end");
        };
        if bytes.len() >= limit {
            break Some("parts of rows are used again and again");
        }
        if !seen.insert(place) {
            break Some("the parts of the row run in a circle");
        }
        let Some(part) = Block::read(file, place).filter(|part| part.kind == BlockKind::Part) else {
            break Some("a part of the row is not where the row says");
        };
        let rest = first.record - bytes.len();
        match slice(file, part.data, part.len) {
            Some([]) => break Some("a part of the row is empty"),
            Some(more) if more.len() <= rest => bytes.extend_from_slice(more),
            Some(more) => {
                bytes.extend_from_slice(more.get(..rest).unwrap_or_default());
                break Some("the parts of the row hold more than the row");
            }
            None => {
                let more = there(&part);
                bytes.extend_from_slice(more.get(..rest).unwrap_or(more));
                break Some("the table ends inside the row");
            }
        }
        next = part.next;
    };
    Collected {
        bytes: Cow::Owned(bytes),
        damage,
    }
}
