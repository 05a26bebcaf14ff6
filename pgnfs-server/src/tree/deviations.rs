//! `deviations.csv`: where the games of a search leave its repertoire.

use std::ops::RangeInclusive;
use std::sync::Arc;

use super::branch::Branch;
use super::inode::Node;
use super::section::{Content, Existing, Kind, Section};
use chessdb_library::cancel;
use chessdb_library::csv::append_record;
use chessdb_library::making::Making;
use chessdb_library::positions::DatabasePart;
use chessdb_library::repertoire::LEFT_COLUMNS;

/// `deviations.csv` of a search with one repertoire.
pub(super) struct Deviations(Arc<Branch>);

impl Deviations {
    pub(super) const NODES: &[RangeInclusive<Node>] = &[Node::DEVIATIONS..=Node::DEVIATIONS];

    /// `None` in a directory that is not that of such a search.
    pub(super) fn new(branch: &Arc<Branch>) -> Option<Deviations> {
        branch.query()?.only_repertoire()?;
        Some(Deviations(Arc::clone(branch)))
    }
}

impl Section for Deviations {
    fn kind(&self, _: Node) -> Kind {
        Kind::File
    }

    fn open(&self, _: Node) -> Option<Existing<'_>> {
        Some(Existing::File(Content::Own))
    }

    fn text(&self, _: Node) -> Option<String> {
        let branch = &self.0;
        let query = branch.query()?;
        let options = branch.answer_options();
        let mut table = Vec::new();
        append_record(&mut table, LEFT_COLUMNS);
        let games: u32 = branch.parts().iter().map(DatabasePart::len).sum();
        let making = Making::begin("deviations.csv", branch.name(), games.into());
        for part in branch.parts().iter() {
            cancel::check();
            let games: Vec<u32> = part.games_at(0..part.len()).collect();
            for left in query.left_in(part, &games, &options, &|games| making.done(games)) {
                let path = branch.path(part.first.saturating_add(left.game));
                append_record(&mut table, left.record(path.unwrap_or_default()));
            }
        }
        String::from_utf8(table).ok()
    }
}
