//! What in a game's record cannot be as it is stored, though the game can be read.

use super::header::{Header, RECORD};
use super::{ChessBaseCbh, Place};
use crate::formats::chessbase_common::Doubts;
use crate::formats::chessbase_common::values::full_moves;
use crate::game::Tags;
use crate::problem::Problem;

/// Impossible values of a record: where they are, and what they are called.
type Impossible = (usize, fn(&Header) -> bool, &'static str);

const IMPOSSIBLE: [Impossible; 3] = [
    (24, |header| !header.has_possible_date(), "the date is impossible"),
    (
        27,
        |header| !header.has_possible_outcome(),
        "the result is impossible",
    ),
    (
        35,
        |header| !header.has_possible_opening(),
        "the opening is impossible",
    ),
];

impl ChessBaseCbh {
    /// What is wrong with the record of a game with these tags. `of_game` are the problems of its moves.
    pub(super) fn doubts(&self, place: &Place, tags: &Tags, of_game: &[Problem]) -> Vec<Problem> {
        let header = &place.header;
        let mut doubts = Doubts::new(&self.base.cbh, place.record, RECORD);
        for (at, is_impossible, what) in IMPOSSIBLE {
            if is_impossible(header) {
                doubts.damage(at, what);
            }
        }
        let [white_team, black_team] = self.extended.get(place.record).teams();
        for (at, what, id, entities) in [
            (9, "White", Some(header.white_id()), &self.players),
            (12, "Black", Some(header.black_id()), &self.players),
            (15, "the tournament", Some(header.tournament()), &self.tournaments),
            (18, "the annotator", Some(header.annotator()), &self.annotators),
            (21, "the source", Some(header.source()), &self.sources),
            (0, "White's team", white_team, &self.teams),
            (0, "Black's team", black_team, &self.teams),
        ] {
            if let Some(id) = id
                && let Some(file) = entities.lacks(id, self.base.characters)
            {
                doubts.no_entity(at, what, id, file);
            }
        }
        if let Some(counted) = counted(tags) {
            doubts.full_moves(45, [counted, header.full_moves().into()], of_game);
        }
        doubts.problems()
    }
}

/// The full moves of a game as its record counts them; none if its moves are not known.
fn counted(tags: &Tags) -> Option<u32> {
    let plies: u32 = tags.get("PlyCount")?.parse().ok()?;
    let is_of_black = |fen: &str| fen.split(' ').nth(1) == Some("b");
    let begins_with_black = tags.get("FEN").is_some_and(is_of_black);
    Some(full_moves(plies, begins_with_black).min(255))
}
