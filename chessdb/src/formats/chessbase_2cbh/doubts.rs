//! What in a game's record cannot be as it is stored, though the game can be read.

use super::game::{Moves, full_moves};
use super::header::{Header, RECORD};
use super::names::{self, Type};
use super::walk::Words;
use super::words::Table;
use super::{ChessBase2Cbh, Place};
use crate::formats::{Problem, ProblemKind};

/// Impossible values of a record: where they are, and what they are called.
type Impossible = (usize, fn(&Header<'_>) -> bool, &'static str);

const IMPOSSIBLE: [Impossible; 4] = [
    (
        0x02,
        |header| !header.has_possible_kind(),
        "the record is neither of a game nor of an analysis",
    ),
    (
        0x58,
        |header| !header.has_possible_outcome(),
        "the result is impossible",
    ),
    (
        0x80,
        |header| !header.has_possible_opening(),
        "the opening is impossible",
    ),
    (
        0xbc,
        |header| !header.has_possible_date(),
        "the date is impossible",
    ),
];

impl ChessBase2Cbh {
    /// What is wrong with the record of a game. `problems` are those of its moves.
    pub(super) fn doubts(
        &self,
        place: &Place<'_>,
        moves: Option<&Moves<'_>>,
        problems: &[Problem],
    ) -> Vec<Problem> {
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
        let references = header.references();
        let [white_team, black_team] = references.teams.map_or([None; 2], |teams| teams.map(Some));
        for (what, of, at) in [
            ("White", Type::Player, references.white),
            ("Black", Type::Player, references.black),
            ("the tournament", Type::Tournament, references.tournament),
            ("the annotator", Type::Player, Some(references.annotator)),
            ("the source", Type::Source, Some(references.source)),
            ("White's team", Type::Team, white_team),
            ("Black's team", Type::Team, black_team),
            ("the title", Type::Title, Some(references.title)),
        ] {
            let Some((at, file)) = at.zip(self.names.file()) else {
                continue;
            };
            let number = header.i64(at);
            if number == -1 && matches!(of, Type::Team | Type::Title) {
                continue;
            }
            match self.names.get(of, number) {
                None => damage(
                    at,
                    format!("{what} is number {number} of {file}, which has no such record"),
                ),
                Some(entity) if !names::has_all_strings(of, entity) => {
                    damage(
                        at,
                        format!("{what} is number {number} of {file}, whose texts are cut"),
                    );
                }
                Some(_) => {}
            }
        }
        let is_damaged = problems.iter().any(|problem| problem.kind == ProblemKind::Damage);
        let counted = moves.and_then(|moves| {
            let first = moves.start.moves?;
            let words = Words(moves.frame.content);
            let is_move = |word| match moves.frame.tag {
                super::frame::WITHOUT_KING => true,
                _ => Table::get().meaning(word).is_some(),
            };
            Some(full_moves(words.main_line_len(first, is_move), &moves.start))
        });
        if let Some((counted, stored)) = counted.zip(header.full_moves())
            && counted != stored
            && !is_damaged
        {
            let what = format!("the game has {counted} full moves, of which its record counts {stored}");
            doubts.push(Problem::doubt(&self.cbh.name, record_at + 0x8a, what));
        }
        doubts
    }
}
