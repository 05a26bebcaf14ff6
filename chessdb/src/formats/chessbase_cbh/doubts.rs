//! What in a game's record cannot be as it is stored, though the game can be read.

use super::header::{Header, RECORD};
use super::{ChessBaseCbh, Place};
use crate::formats::{Problem, ProblemKind};
use crate::game::Tags;

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
    /// What is wrong with the record of a game with these tags. `problems` are those of its moves.
    pub(super) fn doubts(&self, place: &Place, tags: &Tags, problems: &[Problem]) -> Vec<Problem> {
        let header = &place.header;
        let record_at = (place.record as u64 + 1) * RECORD as u64;
        let mut doubts = Vec::new();
        let mut damage = |at: usize, what: String| {
            doubts.push(Problem::damage(&self.cbh.name, record_at + at as u64, what));
        };
        for (at, _, what) in IMPOSSIBLE
            .iter()
            .filter(|(_, is_impossible, _)| is_impossible(header))
        {
            damage(*at, (*what).to_owned());
        }
        for (at, what, id, entities) in [
            (9, "White", header.white(), &self.players),
            (12, "Black", header.black(), &self.players),
            (15, "the tournament", header.tournament(), &self.tournaments),
            (18, "the annotator", header.annotator(), &self.annotators),
            (21, "the source", header.source(), &self.sources),
        ] {
            if let Some(file) = entities.lacks(id, self.characters) {
                damage(
                    at,
                    format!("{what} is number {id} of {file}, which has no such record"),
                );
            }
        }
        let teams = self.extended.get(place.record).teams();
        for (what, id) in ["White's team", "Black's team"].into_iter().zip(teams) {
            let missing = id.and_then(|id| Some((id, self.teams.lacks(id, self.characters)?)));
            if let Some((id, file)) = missing {
                damage(
                    0,
                    format!("{what} is number {id} of {file}, which has no such record"),
                );
            }
        }
        let is_damaged = problems.iter().any(|problem| problem.kind == ProblemKind::Damage);
        if let Some(full_moves) =
            full_moves(tags).filter(|&moves| !is_damaged && moves != header.full_moves())
        {
            let what = format!(
                "the game has {full_moves} full moves, of which its record counts {}",
                header.full_moves()
            );
            doubts.push(Problem::doubt(&self.cbh.name, record_at + 45, what));
        }
        doubts
    }
}

/// The full moves of a game as its record counts them; none if its moves are not known.
fn full_moves(tags: &Tags) -> Option<u8> {
    let plies: u32 = tags.get("PlyCount")?.parse().ok()?;
    let is_of_black = |fen: &str| fen.split(' ').nth(1) == Some("b");
    let begins_with_black = plies > 0 && tags.get("FEN").is_some_and(is_of_black);
    let full_moves = (plies + u32::from(begins_with_black)).div_ceil(2);
    u8::try_from(full_moves.min(255)).ok()
}
