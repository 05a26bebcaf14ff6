//! Answers of the explorer, with the same fields in the same order as on Lichess.

use std::collections::BTreeMap;

use bytes::Bytes;
use chessdb::board::{Move, Position, Undo};
use chessdb::game::Outcome;
use chessdb_library::explorer::{Explored, ExploredGame, ExploredMove, GameCard, Results};
use chessdb_library::openings::OpeningName;
use chessdb_library::positions::{Answers, DatabasePart};
use serde::Serialize;

use super::ids::{GameIds, codes};
use super::question::{ExplorerKind, ExplorerQuestion};
use crate::serve::answer_cache::kept_text;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ExplorerAnswer {
    white: u32,
    draws: u32,
    black: u32,
    moves: Vec<MoveAnswer>,
    #[serde(skip_serializing_if = "Option::is_none")]
    recent_games: Option<Vec<GameAnswer>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    top_games: Option<Vec<GameAnswer>>,
    opening: Option<OpeningAnswer>,
    #[serde(skip_serializing_if = "Option::is_none")]
    queue_position: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    history: Option<Vec<MonthAnswer>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct MoveAnswer {
    uci: String,
    san: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    average_rating: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    average_opponent_rating: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    performance: Option<i32>,
    white: u32,
    draws: u32,
    black: u32,
    game: Option<GameAnswer>,
    opening: Option<OpeningAnswer>,
}

#[derive(Serialize)]
struct GameAnswer {
    /// The move that was played, in a list of games.
    #[serde(skip_serializing_if = "Option::is_none")]
    uci: Option<String>,
    id: String,
    winner: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    speed: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mode: Option<&'static str>,
    white: PlayerAnswer,
    black: PlayerAnswer,
    year: u16,
    month: Option<String>,
}

#[derive(Serialize)]
struct PlayerAnswer {
    name: String,
    rating: u16,
}

#[derive(Serialize)]
pub(in crate::serve) struct OpeningAnswer {
    eco: &'static str,
    name: &'static str,
}

#[derive(Serialize)]
struct MonthAnswer {
    month: String,
    white: u32,
    draws: u32,
    black: u32,
}

impl From<OpeningName> for OpeningAnswer {
    fn from(OpeningName { eco, name, .. }: OpeningName) -> OpeningAnswer {
        OpeningAnswer { eco, name }
    }
}

/// The answer as a line of JSON.
pub(super) fn answer(
    question: &ExplorerQuestion,
    explored: &Explored,
    answers: &Answers,
    ids: &GameIds,
) -> Bytes {
    let teller = Teller {
        question,
        parts: answers.parts(),
        ids,
        codes: codes(answers.parts()),
    };
    let games = |games: &[ExploredGame]| {
        games
            .iter()
            .filter_map(|found| teller.game_of_move(found))
            .collect()
    };
    let is_masters = question.kind == ExplorerKind::Masters;
    let is_player = question.kind == ExplorerKind::Player;
    let Results { white, draws, black } = explored.all;
    let answer = ExplorerAnswer {
        white,
        draws,
        black,
        moves: explored
            .moves
            .iter()
            .map(|explored| teller.mv(explored))
            .collect(),
        recent_games: (!is_masters).then(|| games(&explored.latest)),
        top_games: (!is_player).then(|| games(&explored.strongest)),
        opening: question.line.opening.map(OpeningAnswer::from),
        queue_position: is_player.then_some(0),
        history: question.limits.months.then(|| history(&explored.months)),
    };
    let mut text = serde_json::to_string(&answer).unwrap_or_default();
    text.push('\n');
    kept_text(text)
}

struct Teller<'a> {
    question: &'a ExplorerQuestion,
    parts: &'a [DatabasePart],
    ids: &'a GameIds,
    /// The code of each part in the ids of its games.
    codes: Vec<u32>,
}

impl Teller<'_> {
    fn mv(&self, explored: &ExploredMove) -> MoveAnswer {
        let (tally, is_player) = (&explored.tally, self.question.kind == ExplorerKind::Player);
        let after = after(&self.question.line.position, explored.mv);
        MoveAnswer {
            uci: explored.uci.clone(),
            san: explored.san.clone(),
            average_rating: tally.elo().filter(|_| !is_player),
            average_opponent_rating: tally.opponents().filter(|_| is_player),
            performance: tally.performance().filter(|_| is_player),
            white: tally.white,
            draws: tally.draws,
            black: tally.black,
            game: explored.game.and_then(|game| self.game(game)),
            opening: after
                .and_then(|after| OpeningName::of(&after))
                .map(OpeningAnswer::from),
        }
    }

    fn game_of_move(&self, found: &ExploredGame) -> Option<GameAnswer> {
        let uci = found.next.map_or(String::new(), |mv| {
            let position = &self.question.line.position;
            let uci = chessdb::board::Uci {
                position,
                mv,
                is_chess960: true,
            };
            uci.to_string()
        });
        Some(GameAnswer {
            uci: Some(uci),
            ..self.game(found.game)?
        })
    }

    /// The data of a game in an answer; `None` if it has no id.
    fn game(&self, game: u32) -> Option<GameAnswer> {
        let (number, game) = DatabasePart::place_of(self.parts, game);
        let (part, &code) = (self.parts.get(number)?, self.codes.get(number)?);
        let card = GameCard::of(part.database(), game);
        let id = self.ids.of(part, code, game, card.lichess.as_deref())?;
        let is_masters = self.question.kind == ExplorerKind::Masters;
        let player = |(name, rating)| PlayerAnswer { name, rating };
        Some(GameAnswer {
            uci: None,
            id,
            winner: match card.outcome {
                Outcome::WhiteWins => Some("white"),
                Outcome::BlackWins => Some("black"),
                Outcome::Draw | Outcome::Unknown => None,
            },
            speed: (!is_masters).then(|| card.speed.name()),
            mode: (!is_masters).then_some(if card.is_rated { "rated" } else { "casual" }),
            white: player(card.white),
            black: player(card.black),
            year: card.year,
            month: (card.year != 0 && card.month != 0).then(|| month((card.year, card.month))),
        })
    }
}

fn after(position: &Position, mv: Move) -> Option<Position> {
    let mut after = *position;
    after.advance(mv, &mut Undo::default()).ok()?;
    Some(after)
}

fn history(months: &BTreeMap<(u16, u8), Results>) -> Vec<MonthAnswer> {
    let known = months.iter().filter(|((year, _), _)| *year != 0);
    let months = known.map(|(&of, &Results { white, draws, black })| MonthAnswer {
        month: month(of),
        white,
        draws,
        black,
    });
    months.collect()
}

fn month((year, month): (u16, u8)) -> String {
    format!("{year:04}-{month:02}")
}
