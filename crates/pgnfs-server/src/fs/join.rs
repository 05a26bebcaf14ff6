//! Where each game begins in a file that joins many games.

use std::num::NonZeroUsize;
use std::sync::{Arc, OnceLock};

use super::sizes::Sizes;
use crate::tree::{Games, Node};
use chessdb_library::once_lru::OnceLru;

/// Number of games between two stored offsets. Fewer would take more memory; more would make a read sum more sizes.
const STEP: usize = 256;

/// Number of long merged files whose [`Join`] is kept.
const MOST_KEPT: NonZeroUsize = NonZeroUsize::new(64).unwrap();

/// The offsets of every [`STEP`]th game in a joined file. The others are computed from the sizes in between.
pub(super) struct Join {
    /// The offset of every game whose number in the file is a multiple of [`STEP`].
    places: Vec<u64>,
    len: u64,
}

impl Join {
    /// The offsets of these games; `None` if a size is unknown.
    pub(super) fn new(games: &Games<'_>, sizes: &Sizes) -> Option<Join> {
        let mut places = Vec::with_capacity(games.len().div_ceil(STEP));
        let mut len = 0;
        for (n, game) in games.iter().enumerate() {
            if n % STEP == 0 {
                places.push(len);
            }
            len += u64::from(sizes.get(game)?);
        }
        Some(Join { places, len })
    }

    /// True if computing a join again is cheaper than keeping it.
    pub(super) fn is_short(&self) -> bool {
        self.places.len() <= 1
    }

    /// The memory that it takes, in bytes.
    pub(super) fn bytes(&self) -> usize {
        size_of_val(&*self.places)
    }

    /// Length of the file in bytes.
    pub(super) fn len(&self) -> u64 {
        self.len
    }

    /// The game at an offset: its number in the file and its own offset.
    pub(super) fn find(&self, offset: u64, games: &Games<'_>, sizes: &Sizes) -> Option<(usize, u64)> {
        if offset >= self.len {
            return None;
        }
        let step = self
            .places
            .partition_point(|&place| place <= offset)
            .checked_sub(1)?;
        let mut n = step * STEP;
        let mut place = *self.places.get(step)?;
        loop {
            let next = place + u64::from(sizes.get(games.get(n)?)?);
            if next > offset {
                return Some((n, place));
            }
            place = next;
            n += 1;
        }
    }
}

/// A cache of joins.
pub(super) struct Joins {
    all: OnceLock<Arc<Join>>,
    listed: OnceLru<Node, Arc<Join>>,
}

impl Joins {
    pub(super) fn new() -> Joins {
        Joins {
            all: OnceLock::new(),
            listed: OnceLru::new(MOST_KEPT),
        }
    }

    /// The memory that they take, in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.all.get().map_or(0, |join| join.bytes()) + self.listed.sum(|join| join.bytes())
    }

    pub(super) fn get(&self, file: Node) -> Option<Arc<Join>> {
        match file {
            Node::ALL => self.all.get().cloned(),
            file => self.listed.get(&file),
        }
    }

    pub(super) fn keep(&self, file: Node, join: &Arc<Join>) {
        if file == Node::ALL {
            self.all.get_or_init(|| Arc::clone(join));
        } else if !join.is_short() {
            self.listed.put(file, Arc::clone(join));
        }
    }
}
