//! Files whose texts sections of the tree generate, such as `moves.csv`.

use parking_lot::Mutex;
use std::num::NonZeroUsize;
use std::sync::Arc;

use lru::LruCache;

use super::Text;
use crate::fs::database::DatabaseFs;
use crate::fs::failure::Failure;
use crate::fs::types::FsError;
use crate::tree::Node;

/// Maximum number of texts that are kept.
const MOST_KEPT: NonZeroUsize = NonZeroUsize::new(256).unwrap();

/// The most recently used texts.
pub(in crate::fs) struct OwnTexts(Mutex<LruCache<Node, Arc<[u8]>>>);

impl OwnTexts {
    pub(in crate::fs) fn new() -> OwnTexts {
        OwnTexts(Mutex::new(LruCache::sparse(MOST_KEPT)))
    }

    pub(in crate::fs) fn get(&self, file: Node) -> Option<Arc<[u8]>> {
        let mut texts = self.0.lock();
        texts.get(&file).cloned()
    }

    pub(in crate::fs) fn put(&self, file: Node, text: &Arc<[u8]>) {
        let mut texts = self.0.lock();
        texts.put(file, Arc::clone(text));
    }
}

/// A file with the generated text of a node.
pub(super) struct Own<'a>(pub(super) &'a DatabaseFs, pub(super) Node);

impl Text for Own<'_> {
    fn text_if_known(&self) -> Option<Arc<[u8]>> {
        self.0.own_texts.get(self.1)
    }

    fn text(&self) -> Result<Arc<[u8]>, FsError> {
        if let Some(text) = self.text_if_known() {
            return Ok(text);
        }
        let section = self.0.tree.section(self.1).ok_or(FsError::Stale)?;
        let text = section
            .text(self.1)
            .ok_or_else(|| match section.is_unavailable() {
                true => self.0.texts().fail(Failure::Index),
                false => FsError::Stale,
            });
        let text: Arc<[u8]> = text?.into_bytes().into();
        self.0.texts().check()?;
        self.0.own_texts.put(self.1, &text);
        Ok(text)
    }
}
