//! The positions that two or more games have, by key.
//!
//! The first *b* bits of a key are the number of its bucket. In a bucket each position is:
//!
//! | bytes | what |
//! |---|---|
//! | 4 | the next 32 bits of its key |
//! | LEB128 | number of nodes of the opening tree that have it |
//! | LEB128 each | for each of them: the first game, from the end of the node before; number of games; number of moves |
//!
//! No game is in two of the nodes, because only first occurrences count. Positions are in the order of their
//! keys.

use std::cmp::Ordering;
use std::io;

use super::leb;
use super::popular::POPULAR;
use super::spill::{NodeEntry, Spill, first_bits};

/// A node of the opening tree: the games from `lo` to `hi` have the same first `depth` moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct IndexNode {
    pub(super) lo: u32,
    pub(super) hi: u32,
    pub(super) depth: u32,
}

/// Number of bits of a bucket's number in an index of `games` games. Each bucket has about ten positions.
pub(super) fn bucket_bits(games: u32) -> u32 {
    let buckets = u64::from(games) / 6;
    buckets.max(1).ilog2().min(28)
}

/// Writes the positions that several games have, part by part. `write` is called with the offsets of the next buckets,
/// 8 bytes each, and with the bytes of their positions; at last with the offset at which all positions end. Returns the
/// popular positions.
pub(super) fn write_shared(
    spill: &mut Spill,
    bits: u32,
    mut write: impl FnMut(&[u8], &[u8]) -> io::Result<()>,
) -> io::Result<Vec<NodeEntry>> {
    // The first bits of a bucket's number are those of its part.
    let buckets = (1usize << bits) / spill.parts();
    let mut popular = Vec::new();
    let mut written: u64 = 0;
    let (mut begins, mut bytes) = (Vec::new(), Vec::new());
    for part in 0..spill.parts() {
        let mut entries = spill.take(part)?;
        keep_shared(&mut entries);
        entries.sort_unstable();
        begins.clear();
        bytes.clear();
        for nodes in entries.chunk_by(|a, b| a.key == b.key) {
            let games: u32 = nodes.iter().map(|node| node.len).sum();
            if games < 2 {
                continue;
            }
            let bucket = first_bits(nodes[0].key, bits) - part * buckets;
            begins.resize(begins.len().max(bucket + 1), written + bytes.len() as u64);
            append(&mut bytes, nodes, bits);
            if games >= POPULAR {
                popular.extend(nodes.first());
            }
        }
        written += bytes.len() as u64;
        begins.resize(buckets, written);
        let begins: Vec<u8> = begins.iter().flat_map(|begin| begin.to_le_bytes()).collect();
        write(&begins, &bytes)?;
    }
    write(&written.to_le_bytes(), &[])?;
    Ok(popular)
}

/// Removes most of the nodes whose position no other game has. They are nearly all nodes, and sorting them
/// would take longest.
fn keep_shared(entries: &mut Vec<NodeEntry>) {
    let bits = (entries.len() * 16).next_power_of_two().max(64);
    let mut seen = vec![0u64; bits / 64];
    let mut twice = vec![0u64; bits / 64];
    // The last bits are used, because the first bits of all keys are the same.
    let place = |key: u64| {
        let bit = key as usize & (bits - 1);
        (bit / 64, 1u64 << (bit % 64))
    };
    for entry in entries.iter() {
        let (word, bit) = place(entry.key);
        if entry.len > 1 || seen[word] & bit != 0 {
            twice[word] |= bit;
        }
        seen[word] |= bit;
    }
    entries.retain(|entry| {
        let (word, bit) = place(entry.key);
        twice[word] & bit != 0
    });
}

/// The bits of a key that are stored in its bucket.
pub(super) fn rest_of(key: u64, bits: u32) -> u32 {
    (key << bits >> 32) as u32
}

fn append(bytes: &mut Vec<u8>, nodes: &[NodeEntry], bits: u32) {
    bytes.extend(rest_of(nodes[0].key, bits).to_le_bytes());
    leb::append(bytes, nodes.len() as u64);
    let mut end = 0;
    for node in nodes {
        leb::append(bytes, u64::from(node.lo - end));
        leb::append(bytes, u64::from(node.len));
        leb::append(bytes, u64::from(node.depth));
        end = node.lo + node.len;
    }
}

/// Passes the nodes of each position of a bucket with the wanted rest of the key to `each`. `None` if the
/// bytes are not a valid bucket.
pub(super) fn read(
    mut bucket: &[u8],
    wanted: u32,
    games: u32,
    mut each: impl FnMut(Vec<IndexNode>),
) -> Option<()> {
    while let Some((rest, tail)) = bucket.split_first_chunk::<4>() {
        bucket = tail;
        let number = leb::take(&mut bucket)?;
        match u32::from_le_bytes(*rest).cmp(&wanted) {
            Ordering::Less => {
                leb::skip(&mut bucket, number.checked_mul(3)?)?;
                continue;
            }
            Ordering::Equal => {}
            // Positions are in the order of their keys.
            Ordering::Greater => return Some(()),
        }
        let mut nodes = Vec::new();
        let mut end = 0u64;
        for _ in 0..number {
            let lo = end.checked_add(leb::take(&mut bucket)?)?;
            end = lo.checked_add(leb::take(&mut bucket)?)?;
            let depth = leb::take(&mut bucket)?;
            nodes.push(IndexNode {
                lo: lo.try_into().ok()?,
                hi: u32::try_from(end).ok().filter(|&end| end <= games)?,
                depth: depth.try_into().ok()?,
            });
        }
        each(nodes);
    }
    bucket.is_empty().then_some(())
}
