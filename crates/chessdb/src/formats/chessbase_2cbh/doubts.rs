//! Impossible values in a game's record. They are reported, and the game is read nevertheless.

use super::frame;
use super::game::{Moves, full_moves};
use super::header::{Header, RECORD};
use super::names::{self, Type};
use super::walk::Words;
use super::words::{is_move, is_no_mark};
use super::{ChessBase2Cbh, Place};
use crate::formats::chessbase_common::Doubts;
use crate::problem::Problem;

/// Impossible values of a record: offset, test and name.
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
    /// The problems of a game's record. `of_game` are the problems of its moves.
    pub(super) fn doubts(
        &self,
        place: &Place<'_>,
        moves: Option<&Moves<'_>>,
        of_game: &[Problem],
    ) -> Vec<Problem> {
        let header = &place.header;
        let mut doubts = Doubts::new(&self.base.cbh, place.record, RECORD);
        for (at, is_impossible, what) in IMPOSSIBLE {
            if is_impossible(header) {
                doubts.damage(at, what);
            }
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
                None => doubts.no_entity(at, what, number, file),
                Some(entity) if !names::has_all_strings(of, entity) => {
                    doubts.damage(
                        at,
                        format!("{what} is number {number} of {file}, whose texts are cut"),
                    );
                }
                Some(_) => {}
            }
        }
        if let Some(counted) = moves.and_then(counted).zip(header.full_moves()) {
            doubts.full_moves(0x8a, counted.into(), of_game);
        }
        doubts.problems()
    }
}

/// Number of full moves of a game; `None` if the start of its moves is not marked.
fn counted(moves: &Moves<'_>) -> Option<u32> {
    let first = moves.start.moves?;
    let words = Words::new(moves.frame.content);
    let plies = match moves.frame.tag {
        frame::WITHOUT_KING => words.main_line_len(first, is_no_mark),
        _ => words.main_line_len(first, is_move),
    };
    Some(full_moves(plies, &moves.start))
}
