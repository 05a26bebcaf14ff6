//! Impossible values in a game's record. They are reported, and the game is read nevertheless.

use super::header::{Header, RECORD, field};
use super::{ChessBaseCbh, Place};
use crate::formats::chessbase_common::Doubts;
use crate::formats::chessbase_common::values::full_moves;
use crate::game::Tags;
use crate::problem::Problem;

/// A field that can be impossible: its offset, a test for it, and the text of the problem.
type Impossible = (usize, fn(&Header) -> bool, &'static str);

const IMPOSSIBLE: [Impossible; 3] = [
    (
        field::DATE,
        |header| !header.has_possible_date(),
        "the date is impossible",
    ),
    (
        field::RESULT,
        |header| !header.has_possible_outcome(),
        "the result is impossible",
    ),
    (
        field::OPENING,
        |header| !header.has_possible_opening(),
        "the opening is impossible",
    ),
];

impl ChessBaseCbh {
    /// The problems of the record of a game with these tags. `of_game` are the problems of its moves: if they
    /// include damage, the number of moves is not compared.
    pub(super) fn doubts(&self, place: &Place, tags: &Tags, of_game: &[Problem]) -> Vec<Problem> {
        let header = &place.header;
        let mut doubts = Doubts::new(&self.base.cbh, place.record, RECORD);
        for (at, is_impossible, what) in IMPOSSIBLE {
            if is_impossible(header) {
                doubts.damage(at, what);
            }
        }
        let extended = self.extended.get(place.record);
        let [white_team, black_team] = extended.teams();
        for (at, what, id, entities) in [
            (field::WHITE, "White", Some(header.white_id()), &self.players),
            (field::BLACK, "Black", Some(header.black_id()), &self.players),
            (
                field::TOURNAMENT,
                "the tournament",
                Some(header.tournament()),
                &self.tournaments,
            ),
            (
                field::ANNOTATOR,
                "the annotator",
                Some(header.annotator()),
                &self.annotators,
            ),
            (field::SOURCE, "the source", Some(header.source()), &self.sources),
            // Teams and titles are in the `.cbj`, so the problem names the place of the whole record.
            (0, "White's team", white_team, &self.teams),
            (0, "Black's team", black_team, &self.teams),
            (0, "the title", extended.title(), &self.titles),
        ] {
            if let Some(id) = id
                && let Some(file) = entities.lacks(id, self.base.characters)
            {
                doubts.no_entity(at, what, id, file);
            }
        }
        if let Some(file) = self.extended.lacks(place.record) {
            doubts.damage(0, format!("its record in {file} has only zeros"));
        }
        if let Some(counted) = counted(tags) {
            doubts.full_moves(field::FULL_MOVES, [counted, header.full_moves().into()], of_game);
        }
        doubts.problems()
    }
}

/// The number of full moves as a record counts them, from the tags; `None` if the moves cannot be read.
fn counted(tags: &Tags) -> Option<u32> {
    let plies: u32 = tags.get("PlyCount")?.parse().ok()?;
    let is_of_black = |fen: &str| fen.split(' ').nth(1) == Some("b");
    let begins_with_black = tags.get("FEN").is_some_and(is_of_black);
    Some(full_moves(plies, begins_with_black).min(255))
}
