//! The results of comparing texts, so that each text is compared once.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, Ordering};

use parking_lot::Mutex;
use rustc_hash::FxHashMap;

use chessdb::TextId;

/// Maximum number of pages; together they are 64 MiB, for as many ids.
const MOST_PAGES: usize = 1 << 14;

/// Number of ids on a page.
const PAGE: usize = 1 << 12;

const NO: u8 = 1;
const YES: u8 = 2;

/// For each text of a database, whether it matches. Threads share it.
pub(super) struct TextVerdicts {
    /// A byte for each of the first ids, 0 while nothing is known. Pages are made on first use, because most databases
    /// have fewer texts than games.
    pages: Vec<OnceLock<Box<[AtomicU8]>>>,
    /// For ids beyond the pages, which are rare. A map needs a lock, because threads share it.
    others: Mutex<FxHashMap<TextId, bool>>,
}

impl TextVerdicts {
    /// No results yet. Most texts that are compared should have an id below `ids`.
    pub(super) fn new(ids: usize) -> TextVerdicts {
        let pages = ids.div_ceil(PAGE).min(MOST_PAGES);
        TextVerdicts {
            pages: (0..pages).map(|_| OnceLock::new()).collect(),
            others: Mutex::default(),
        }
    }

    /// The cached result for a text, or the result of `is_wanted`, which is cached.
    #[inline]
    pub(super) fn get(&self, id: TextId, is_wanted: impl FnOnce() -> bool) -> bool {
        let id_in_page = id.0 as usize % PAGE;
        let page = self.pages.get(id.0 as usize / PAGE);
        let page = page.map(|page| page.get_or_init(|| (0..PAGE).map(|_| AtomicU8::new(0)).collect()));
        let Some(known) = page.and_then(|page| page.get(id_in_page)) else {
            return self.get_other(id, is_wanted);
        };
        match known.load(Ordering::Relaxed) {
            NO => false,
            YES => true,
            _ => {
                let is_wanted = is_wanted();
                known.store(if is_wanted { YES } else { NO }, Ordering::Relaxed);
                is_wanted
            }
        }
    }

    fn get_other(&self, id: TextId, is_wanted: impl FnOnce() -> bool) -> bool {
        if let Some(&known) = self.others.lock().get(&id) {
            return known;
        }
        let is_wanted = is_wanted();
        self.others.lock().insert(id, is_wanted);
        is_wanted
    }
}
