//! Positions of all games of a database: the games that have a position, and the moves played in it.
//!
//! Only main lines count, and deleted games are left out, except by [`LineEnds`]. A game counts once for a position,
//! with its first occurrence. Castling rights count, and so does the en passant square if a legal capture is possible.
//!
//! [`scan`] and [`scan_moves`] search all games. An [`Index`] gives the same answers in microseconds for positions
//! that several games have, and in milliseconds for all others:
//!
//! | question | answer |
//! |---|---|
//! | which games have this position | [`Index::find`], [`Index::count`] |
//! | which moves were played in this position | [`Index::moves`], a [`MovesTable`], written by [`MovesTable::csv`] |
//! | the opening tree | [`Index::root`], [`Index::children`], [`Index::child`], [`Index::games`], [`Index::first_game_of`], [`Index::line`] |
//! | the novelties of all games | [`Index::novelties`], which [`novelties_csv`] writes |
//! | the node of the tree that a game reaches after some of its moves | [`Index::node_of`] |
//! | all of these, of some of the games | [`Index::among`] |
//!
//! [`Answers`] answers them for some games of several databases, each a [`DatabasePart`]: from the indexes, which
//! [`Positions`] opens and builds, or by a scan.
//!
//! [`Index::load`] opens the kept index of a database, [`Index::build`] builds and keeps it, and [`Index::in_memory`]
//! builds it without a file. Any query may return [`Damaged`]. [`Positions::ask`] then drops the index, removes its
//! file, and repeats the query with a new index if one is to be built.

mod answers;
mod index;
mod indexed;
mod line_ends;
mod scan;
mod selection;
mod table;
mod tally;
mod wanted;

pub use answers::Answers;
pub use answers::{AnswerOptions, DatabasePart};
pub use index::{
    BuildOptions, Damaged, Index, IndexError, IndexUse, Novelty, PopularPosition, TreeNode, novelties_csv,
};
pub use indexed::{IndexState, Positions};
pub use line_ends::{LineEnd, LineEnds, LineHash, OPENING_PLIES};
pub(crate) use scan::{kept_occurrence, occurrence};
pub use scan::{scan, scan_moves};
pub use selection::Selection;
pub use table::{COLUMNS, MoveRow, MovesTable, san_of};
pub use tally::Facts;
pub use tally::Tally;
pub(crate) use tally::{SLACK, keep_greatest};
pub(crate) use wanted::{Needs, Wanted, at_home, read_pawns};
pub use wanted::{Pattern, Rights, WantedError, read_moves};
pub use wanted::{diagram, epd, initial_name, pattern_epd, pattern_name, position_name, read_position};
