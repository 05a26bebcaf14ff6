//! What a player plays, and what has changed lately.

use axum::extract::{Query as Parameters, State};
use axum::response::Response;
use chessdb::board::{Color, Counters, Position, Undo};
use chessdb_library::openings::opening;
use chessdb_library::player::{PlayerFigures, PlayerTally, Preparation, RATINGS, RepertoireChange};
use chessdb_library::positions::{Answers, DatabasePart};
use chessdb_library::query::{Days, PlayerGame, Query, QueryError};
use pgnfs_server::{FsError, Requests};
use serde_json::{Value, json};

use super::board::{self, color};
use super::games;
use super::request::{Api, ApiError, Given, about, json_text};
use crate::serve::answer::{Visit, read_query, search_in_turn};
use crate::serve::answer_cache::kept_text;
use crate::serve::line::{fen, uci};
use crate::serve::player::player_term;

/// Number of entries of each list.
const MOST: usize = 12;

/// The search for a player, and the parameters of the request.
struct PrepareQuestion {
    /// The search as text.
    text: String,
    search: Query,
    /// The name as the request has it.
    name: String,
    color: Option<Color>,
    since: Option<Days>,
}

/// A player's new games, compared with the earlier ones.
pub(super) async fn prepare(
    State(Api { requests, kept, .. }): State<Api>,
    visit: Visit,
    Parameters(given): Given,
) -> Result<Response, ApiError> {
    let text = |name| given.get(name).map(|text| text.trim()).unwrap_or_default();
    // The explorer calls this parameter `color`.
    let colour = ["colour", "color"].map(text).concat();
    let asked = PrepareQuestion::read(
        &requests,
        visit,
        text("player"),
        &colour,
        text("since"),
        text("q"),
    );
    let asked = asked.await?;
    let search = asked.search.clone();
    // The cache key has the search as it was written, because the answer contains it.
    let question = ["db", "player", "since", "q"].map(text);
    let question = format!("prepare {colour:?} {question:?}");
    let answer = about(&requests, visit, &given, Some(&search), move |answers, games| {
        kept.get_or_make(games, question, || {
            let answer = search_in_turn(answers, true, || asked.answer(answers).to_string());
            Ok::<_, FsError>(kept_text(answer))
        })
    });
    Ok(json_text(answer.await?))
}

impl PrepareQuestion {
    async fn read(
        requests: &Requests,
        visit: Visit,
        name: &str,
        side: &str,
        since: &str,
        search: &str,
    ) -> Result<PrepareQuestion, ApiError> {
        if name.is_empty() {
            return Err(ApiError::Parameter("player", "a name is needed".to_owned()));
        }
        let color = match side {
            "" => None,
            "white" => Some(Color::White),
            "black" => Some(Color::Black),
            _ => {
                let what = format!("'{side}' is neither white nor black");
                return Err(ApiError::Parameter("colour", what));
            }
        };
        let since = match since {
            "" => None,
            _ => {
                let days = Days::parse(&format!("{since}.."));
                Some(days.map_err(|_| {
                    let what = format!("'{since}' is not a date such as 2024, 2024-06 or 2024-06-30");
                    ApiError::Parameter("since", what)
                })?)
            }
        };
        let side = color.map(|side| player_term(board::color(side), name));
        let terms = side
            .into_iter()
            .chain([player_term("player", name), search.to_owned()]);
        let text = terms.collect::<Vec<_>>().join(" ");
        // Errors refer to the text of the request.
        let before = text.len() - search.len();
        let text = text.trim_end().to_owned();
        let search = match read_query(requests, visit, text.clone()).await? {
            Ok(search) => search,
            Err(error) if error.offset <= before => return Err(ApiError::Parameter("player", error.what)),
            Err(error) => {
                let offset = error.offset - before;
                return Err(QueryError { offset, ..error }.into());
            }
        };
        if !search.has_one_player() {
            let what = "the search names a player, too: leave it out there".to_owned();
            return Err(ApiError::Parameter("q", what));
        }
        Ok(PrepareQuestion {
            text,
            search,
            name: name.to_owned(),
            color,
            since,
        })
    }

    fn answer(&self, answers: &Answers) -> Value {
        let parts = answers.parts();
        let games = self.search.games_of_player(parts, answers.options());
        // Games that fit both players count for White, unless games with Black are asked for.
        let both_for = games.iter().find(|game| game.fits_both).map(|game| game.color);
        let with_color = |side| self.with_color(side, both_for);
        let preparation = Preparation::of(parts, &games, self.since, MOST);
        let figures = &preparation.figures;
        let since = preparation.since.to_string();
        // If no game has a known year, no game is recent.
        let is_known = !since.starts_with("0000");
        let listed = |games: &[PlayerGame]| -> Vec<Value> {
            let row = |played: &PlayerGame| games::row(parts, (played.part, played.game, None));
            games.iter().map(row).collect()
        };
        let changes = |changes: &[RepertoireChange], days: &str| -> Vec<Value> {
            let changes = changes.iter();
            changes
                .map(|change| change_row(parts, change, days, &with_color))
                .collect()
        };
        json!({
            "player": self.name,
            "q": self.text,
            "since": is_known.then(|| since.trim_end_matches("..").replace('.', "-")),
            "all": tally(&figures.all, &self.text),
            "colours": self.colors().map(|side| {
                let mut row = tally(&figures.all.only(side), &with_color(side));
                row["colour"] = color(side).into();
                row
            }).collect::<Vec<_>>(),
            "recent": is_known.then(|| tally(&preparation.recent, &format!("date:{since} {}", self.text))),
            "openings": self.openings(figures, &with_color),
            "years": figures.years.iter().rev().map(|(year, own)| {
                let mut row = tally(own, &format!("year:{year:04} {}", self.text));
                row["year"] = (*year).into();
                row
            }).collect::<Vec<_>>(),
            "opponents": figures.opponents.iter().rev().map(|(first, own)| {
                let last = first + RATINGS - 1;
                let search = self.with_opponents(&format!("{first}..{last}"), both_for);
                let mut row = tally(own, &search);
                row["from"] = (*first).into();
                row["to"] = last.into();
                row
            }).collect::<Vec<_>>(),
            "new": changes(&preparation.new, &format!("date:{since}")),
            "given_up": changes(&preparation.given_up, &format!("-date:{since}")),
            "lost": listed(&preparation.lost),
            "latest": listed(&preparation.latest),
        })
    }

    /// The requested colours.
    fn colors(&self) -> impl Iterator<Item = Color> {
        let asked = self.color;
        Color::ALL
            .into_iter()
            .filter(move |&color| asked.is_none_or(|asked| asked == color))
    }

    /// The search, limited to games where the player had this colour.
    fn with_color(&self, side: Color, both_for: Option<Color>) -> String {
        format!("{}{}", self.color_term(side, both_for), self.text)
    }

    /// The terms that limit the search to games where the player had this colour, with a blank after each; nothing if
    /// the search is about one colour. If the name fits both players of a game, the game counts for `both_for`.
    fn color_term(&self, side: Color, both_for: Option<Color>) -> String {
        let term = |side| player_term(color(side), &self.name);
        match (self.color, side) {
            (Some(_), _) => String::new(),
            (None, side) if both_for == Some(!side) => format!("{} -{} ", term(side), term(!side)),
            (None, _) => format!("{} ", term(side)),
        }
    }

    /// The search, limited to opponents with these ratings.
    fn with_opponents(&self, ratings: &str, both_for: Option<Color>) -> String {
        let as_color = |side: Color| {
            let opponent = color(side.fold_wb(Color::Black, Color::White));
            let colored = self.color_term(side, both_for);
            format!("{colored}{opponent}_elo:{ratings}")
        };
        let terms = match self.color {
            Some(side) => as_color(side),
            // In a game that fits both players, `opponent_elo:` would be about either of them.
            None if both_for.is_some() => {
                format!("( {} | {} )", as_color(Color::White), as_color(Color::Black))
            }
            None => format!("opponent_elo:{ratings}"),
        };
        format!("{terms} {}", self.text)
    }

    /// The most frequent openings of each colour.
    fn openings(&self, figures: &PlayerFigures, with_color: &dyn Fn(Color) -> String) -> Vec<Value> {
        let mut rows = Vec::new();
        for side in self.colors() {
            let own = figures.openings_of(side);
            rows.extend(own.iter().take(MOST).map(|(eco, own)| {
                let search = format!("eco:{eco} {}", with_color(side));
                let mut row = tally(own, &search);
                row["colour"] = color(side).into();
                row["eco"] = eco.as_str().into();
                row["name"] = opening(eco.as_str()).into();
                row
            }));
        }
        rows
    }
}

/// A move that was taken up or given up, with a search for the player's games with this colour from `days`.
fn change_row(
    parts: &[DatabasePart],
    change: &RepertoireChange,
    days: &str,
    with_color: &dyn Fn(Color) -> String,
) -> Value {
    let played = change.game;
    let place = (played.part, played.game, Some(change.line.len() as u32));
    let (before, after) = change.occurred;
    let mut position = change.start;
    let moves = change.line.iter().map_while(|&mv| {
        let uci = uci(&position, mv);
        let san = position.play_legal(mv, &mut Undo::default()).ok()?;
        Some((san.to_string(), uci))
    });
    let (line, play): (Vec<String>, Vec<String>) = moves.unzip();
    let is_usual = change.start == Position::initial();
    json!({
        "colour": color(played.color),
        "line": line,
        "play": play,
        "fen": (!is_usual).then(|| fen(&change.start, &Counters::default())),
        "games": change.games,
        "before": before,
        "after": after,
        "game": games::row(parts, place),
        "q": format!("{days} {}", with_color(played.color)),
    })
}

/// Results, and the search for their games.
fn tally(tally: &PlayerTally, search: &str) -> Value {
    json!({
        "games": tally.games(),
        "wins": tally.wins(),
        "draws": tally.draws(),
        "losses": tally.losses(),
        "score": tally.score(),
        "performance": tally.performance(),
        "opponents": tally.opponents(),
        "q": search,
    })
}
