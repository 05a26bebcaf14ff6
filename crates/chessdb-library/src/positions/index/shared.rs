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

use super::keys::WALKED_PLIES;
use super::leb;
use super::popular::POPULAR;
use super::spill::{ENTRY, KeyedPly, Spill, entries, first_bits};
use crate::kept::{Numbers, SectionId};
use crate::parallel::chunks_of;

/// Numbers of items in a block whose minimum a section stores.
pub(super) const SMALL: usize = 64;
pub(super) const LARGE: usize = 4096;

/// Number of parts that a thread makes before they are written.
const AHEAD: usize = 8;

/// A node of the opening tree with its position: `len` games from `lo` on have it after `depth` moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NodeEntry {
    pub(super) key: u64,
    pub(super) lo: u32,
    pub(super) len: u32,
    pub(super) depth: u16,
}

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

/// The order of the games in an index.
pub(super) struct GameOrder {
    /// The place of each game of the database.
    places: Vec<u32>,
    /// Number of nodes that each game has in common with the one before it, by place; see [`super::tree`].
    common: Vec<u16>,
}

impl GameOrder {
    /// The order of `games`, some of `number` games.
    pub(super) fn new(games: &[u32], common: Vec<u16>, number: u32) -> GameOrder {
        let mut places = vec![0; number as usize];
        for (place, &game) in (0..).zip(games) {
            // The numbers were read back from a file, which others may have changed.
            if let Some(of_game) = places.get_mut(game as usize) {
                *of_game = place;
            }
        }
        GameOrder { places, common }
    }

    /// The node that starts with this position of a game; `None` if it starts with another game.
    fn node(&self, entry: KeyedPly) -> Option<NodeEntry> {
        let lo = self.places[entry.game as usize];
        let begins = self.common[lo as usize] <= entry.depth;
        begins.then(|| NodeEntry {
            key: entry.key,
            lo,
            len: self.games_of(entry),
            depth: entry.depth,
        })
    }

    /// Number of games from this one on that have the position after the same moves.
    fn games_of(&self, entry: KeyedPly) -> u32 {
        let next = self.places[entry.game as usize] as usize + 1;
        let others = self.common[next..]
            .iter()
            .take_while(|&&common| common > entry.depth);
        1 + others.count() as u32
    }
}

/// The positions of a part that several games have.
struct SharedPart {
    /// The offset of each bucket in `bytes`.
    begins: Vec<usize>,
    bytes: Vec<u8>,
    popular: Vec<NodeEntry>,
}

/// Writes the positions that several games have, part by part. `write` is called with the offsets of the next buckets,
/// 8 bytes each, and with the bytes of their positions; at last with the offset where all positions end. Returns the
/// popular positions.
pub(super) fn write_shared(
    spill: &mut Spill,
    order: &GameOrder,
    bits: u32,
    threads: usize,
    mut write: impl FnMut(&[u8], &[u8]) -> io::Result<()>,
) -> io::Result<Vec<NodeEntry>> {
    let mut popular = Vec::new();
    let mut written: u64 = 0;
    let ahead = threads.max(1) * AHEAD;
    for first in (0..spill.parts()).step_by(ahead) {
        let parts = first..spill.parts().min(first + ahead);
        let shared = chunks_of(1, parts.len() as u32, threads, &|_| (), |places| {
            shared_part(spill, first + places.start as usize, order, bits)
        });
        for part in shared {
            let part = part?;
            let offsets = part.begins.iter().map(|&begin| written + begin as u64);
            let offsets: Vec<u8> = offsets.flat_map(u64::to_le_bytes).collect();
            write(&offsets, &part.bytes)?;
            written += part.bytes.len() as u64;
            popular.extend(part.popular);
        }
        parts.for_each(|part| spill.clear(part));
    }
    write(&written.to_le_bytes(), &[])?;
    Ok(popular)
}

fn shared_part(spill: &Spill, part: usize, order: &GameOrder, bits: u32) -> io::Result<SharedPart> {
    let nodes = nodes_of(&spill.part(part)?, order);
    // A bucket's number starts with the bits of its part.
    let buckets = (1usize << bits) / spill.parts();
    let (mut begins, mut bytes, mut popular) = (Vec::with_capacity(buckets), Vec::new(), Vec::new());
    for nodes in nodes.chunk_by(|a, b| a.key == b.key) {
        let games: u32 = nodes.iter().map(|node| node.len).sum();
        if games < 2 {
            continue;
        }
        let bucket = first_bits(nodes[0].key, bits) - part * buckets;
        begins.resize(begins.len().max(bucket + 1), bytes.len());
        append(&mut bytes, nodes, bits);
        if games >= POPULAR {
            popular.extend(nodes.first());
        }
    }
    begins.resize(buckets, bytes.len());
    Ok(SharedPart {
        begins,
        bytes,
        popular,
    })
}

/// The nodes of a part, by key and place, without most of those whose position no other game has.
fn nodes_of(part: &[[u8; ENTRY]], order: &GameOrder) -> Vec<NodeEntry> {
    let is_shared = may_be_shared(part, order);
    let shared = entries(part).filter(|entry| is_shared(entry.key));
    let mut nodes: Vec<NodeEntry> = shared.filter_map(|entry| order.node(entry)).collect();
    nodes.sort_unstable_by_key(|node| (node.key, node.lo));
    nodes
}

/// Returns a function that is false for a key of the part that only one game has. Nearly all positions occur in a
/// single game, and sorting them would take most of the time.
fn may_be_shared(part: &[[u8; ENTRY]], order: &GameOrder) -> impl Fn(u64) -> bool {
    let bits = (entries(part).len() * 16).next_power_of_two().max(64);
    let mut seen = vec![0u64; bits / 64];
    let mut twice = vec![0u64; bits / 64];
    // The last bits are used, because the first bits of all keys are the same.
    let place = move |key: u64| {
        let bit = key as usize & (bits - 1);
        (bit / 64, 1u64 << (bit % 64))
    };
    for entry in entries(part) {
        let (word, bit) = place(entry.key);
        // Of the games of a node that was walked through, only the first has an entry.
        let is_walked = usize::from(entry.depth) <= WALKED_PLIES;
        if seen[word] & bit != 0 || is_walked && order.games_of(entry) > 1 {
            twice[word] |= bit;
        }
        seen[word] |= bit;
    }
    move |key| {
        let (word, bit) = place(key);
        twice[word] & bit != 0
    }
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

/// A section of an index. Games are in the order of their moves, see [`super::order`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum IndexSection {
    /// The number of each game in its database: 4 bytes.
    Games,
    /// For each game, the length of the part that its line has in common with the game before, see
    /// [`super::tree`]: 2 bytes.
    Common,
    /// For each game, the bits of the first move that it does not have in common with the game before or after it, 0 if
    /// it has all moves in common: 2 bytes.
    Parting,
    /// The minimum of each 64 items of `Common`: 4 bytes.
    Common64,
    /// The minimum of each 4096 items of `Common`: 4 bytes.
    Common4096,
    /// The minimum of each 64 items of `Games`: 4 bytes.
    Games64,
    /// The minimum of each 4096 items of `Games`: 4 bytes.
    Games4096,
    /// [`Facts`](super::super::Facts) of each game: 8 bytes.
    Facts,
    /// [`Signature::pawns`](super::signature::Signature) of each game: 8 bytes.
    Pawns,
    /// [`Signature::material`](super::signature::Signature) of each game: 4 bytes.
    Material,
    /// The offset where each bucket of `Positions` begins, and the end of the last one: 8 bytes.
    Buckets,
    /// The positions that several games have, see [`super::shared`].
    Positions,
    /// The keys of popular positions, and the offsets where their tables end: 8 and 8 bytes.
    Popular,
    /// The tables of moves of popular positions, see [`super::popular`].
    Tables,
}

/// The sections of an index.
pub(super) type IndexSections = crate::kept::Sections<IndexSection>;

/// Places of the numbers in a header.
pub(super) const GAMES: usize = 0;
pub(super) const USUAL: usize = 1;
pub(super) const BUCKET_BITS: usize = 2;

impl SectionId for IndexSection {
    fn place(self) -> usize {
        self as usize
    }

    fn are_valid(numbers: &Numbers) -> bool {
        numbers.own[USUAL] <= numbers.own[GAMES] && numbers.own[BUCKET_BITS] <= 32
    }
}

impl IndexSections {
    /// Number of games in the index.
    pub(super) fn games(&self) -> u32 {
        self.numbers().own[GAMES]
    }

    /// Number of games that begin in the normal start position.
    pub(super) fn usual(&self) -> u32 {
        self.numbers().own[USUAL]
    }

    /// Bits of a bucket's number.
    pub(super) fn bucket_bits(&self) -> u32 {
        self.numbers().own[BUCKET_BITS]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_has_all_games_with_the_same_moves() {
        // Games 0, 1 and 3 start with the same three moves, game 2 only with the same first move.
        let order = GameOrder::new(&[3, 0, 1, 2], vec![0, 4, 4, 2], 4);
        let nodes = |plies: &[(u32, u16)]| {
            let plies = plies
                .iter()
                .map(|&(game, depth)| KeyedPly { key: 7, game, depth });
            let mut spill = Spill::new(0, None);
            spill.push_all(plies.collect()).unwrap();
            let nodes = nodes_of(&spill.part(0).unwrap(), &order);
            let nodes = nodes.into_iter().map(|node| (node.lo, node.len, node.depth));
            nodes.collect::<Vec<_>>()
        };
        assert_eq!(nodes(&[(0, 1), (1, 1), (2, 1), (3, 1)]), [(0, 4, 1)]);
        assert_eq!(nodes(&[(0, 3), (1, 3), (2, 3), (3, 3)]), [(0, 3, 3), (3, 1, 3)]);
        assert_eq!(nodes(&[(3, 1)]), [(0, 4, 1)]);
        assert_eq!(nodes(&[(3, 2), (2, 3)]), [(0, 3, 2), (3, 1, 3)]);
    }
}
