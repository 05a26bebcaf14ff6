//! Lists of games, page by page.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Query as Parameters, State};
use chessdb_library::lines::Occurrence;
use chessdb_library::positions::{Answers, DatabasePart, pattern_epd};
use chessdb_library::query::{ListOrder, Query, QueryError, QueryHint, SortKey};
use chessdb_library::table::GamePath;
use pgnfs_server::FsError;
use serde_json::{Value, json};

use super::request::{Api, ApiError, GameList, Given, about, has_position, line, line_key, search};
use crate::serve::answer::{Visit, search_in_turn};
use crate::serve::answer_cache::{GamesId, KeptAnswers};
use crate::serve::line::PlayedLine;

/// Default and maximum number of games on a page.
const USUALLY: u32 = 100;
const MOST: u32 = 1000;

/// The tags that a list shows.
const TAGS: [&str; 10] = [
    "White", "Black", "WhiteElo", "BlackElo", "Result", "Date", "Event", "Site", "Round", "ECO",
];

/// Which games of a list are shown.
struct GamesPage {
    from: u32,
    count: u32,
    order: ListOrder,
    /// The position that its games have.
    position: Option<Query>,
    /// The key of a cached list: everything but the search that determines it.
    question: String,
}

/// Number of games in a window. Windows start at multiples of half this number, so every page is inside one window.
const WINDOW: u32 = 20 * MOST;

/// A game in a list: the part, its number there, and the ply of the position, if the request has one.
pub(super) type ListedGame = (usize, u32, Option<u32>);

/// The games that match a search, or have a position, or both.
pub(super) async fn list(
    State(Api { requests, lists, .. }): State<Api>,
    visit: Visit,
    Parameters(given): Given,
) -> Result<Json<Value>, ApiError> {
    let number = |name: &'static str, usual: u32| match given.get(name) {
        None => Ok(usual),
        Some(text) => {
            let wrong = |_| ApiError::Parameter(name, format!("'{text}' is not a number"));
            text.parse::<u32>().map_err(wrong)
        }
    };
    let sort = given.get("sort").map_or("database", String::as_str);
    let (name, is_reversed) = match sort.strip_prefix('-') {
        Some(name) => (name, true),
        None => (sort, false),
    };
    if !SortKey::NAMES.contains(&name) {
        let names = SortKey::NAMES.join(", ");
        return Err(ApiError::Parameter(
            "sort",
            format!("'{sort}' is not one of {names}"),
        ));
    }
    let line = line(&given)?;
    let is_search = given.get("q").is_some_and(|text| !text.trim().is_empty());
    let page = GamesPage {
        from: number("from", 0)?,
        count: number("count", USUALLY)?.min(MOST),
        order: ListOrder {
            key: SortKey::of_name(name),
            is_reversed,
        },
        position: has_position(&given)
            .then(|| position_query(&line, is_search))
            .transpose()
            .map_err(|error| ApiError::Parameter("fen", error.what))?,
        question: format!("{sort} {} {}", has_position(&given), line_key(&given, &line)),
    };
    let search = search(&requests, visit, &given).await?;
    let asked = search.clone();
    let listed = about(
        &requests,
        visit,
        &given,
        search.as_ref(),
        move |answers, games| {
            let mut listed = page.list(answers, games, &lists)?;
            let unknown = asked.map_or_else(Vec::new, |query| {
                query.unknown_databases(answers.parts().iter().map(|part| part.entry().name()))
            });
            if let Some(listed) = listed.as_object_mut().filter(|_| !unknown.is_empty()) {
                let hints = unknown
                    .into_iter()
                    .map(|term| QueryHint::NoDatabase(term).to_string());
                listed.insert("hints".to_owned(), hints.collect());
            }
            Ok(listed)
        },
    );
    Ok(Json(listed.await?))
}

/// The query for the games with the last position of a line. In a search, games marked as deleted are included, because
/// they are among its games only if the search asks for them.
fn position_query(line: &PlayedLine, is_in_search: bool) -> Result<Query, QueryError> {
    let deleted = if is_in_search { "any" } else { "no" };
    Query::parse(&format!(
        "deleted:{deleted} fen:\"{}\"",
        pattern_epd(&line.pattern())
    ))
}

impl GamesPage {
    fn list(
        &self,
        answers: &Answers,
        games: GamesId,
        lists: &KeptAnswers<Arc<GameList>>,
    ) -> Result<Value, FsError> {
        let parts = answers.parts();
        let (number, shown) = if self.position.is_none() && self.order.key.is_none() {
            let number = parts.iter().map(DatabasePart::len).sum();
            (number, self.unsorted(parts, number))
        } else {
            let first = self.from / (WINDOW / 2) * (WINDOW / 2);
            let make = || {
                search_in_turn(answers, self.order.key.is_some(), || self.listed(answers, first))
                    .map(Arc::new)
            };
            let list = lists.get_or_make(games, format!("{first} {}", self.question), make)?;
            (list.count, self.shown(parts, &list, first))
        };
        let games = shown.into_iter().map(|listed| row(parts, listed));
        Ok(json!({ "count": number, "from": self.from, "games": games.collect::<Vec<_>>() }))
    }

    /// The games of a window of the list.
    fn listed(&self, answers: &Answers, first: u32) -> Result<GameList, FsError> {
        let parts = answers.parts();
        let window = first..first.saturating_add(WINDOW);
        let threads = answers.options().threads;
        let place = |game: u32| {
            let (part, game) = DatabasePart::place_of(parts, game);
            (parts[part].database(), game)
        };
        let Some(position) = &self.position else {
            // Finds games of the parts by their numbers among the shown games.
            let mut ends = Vec::new();
            let mut count = 0_u32;
            for part in &**parts {
                count = count.saturating_add(part.len());
                ends.push(count);
            }
            let shown = |n: u32| {
                let number = ends.partition_point(|&end| end <= n);
                let before = number.checked_sub(1).map_or(0, |before| ends[before]);
                let part = &parts[number];
                let game = part.games_at(n - before..n - before + 1).next();
                (part, game.unwrap_or_default())
            };
            let game = |n: u32| {
                let (part, game) = shown(n);
                (part.database(), game)
            };
            let page = self.order.page(count, game, window, threads);
            let games = page.into_iter().map(|n| {
                let (part, game) = shown(n);
                part.first + game
            });
            return Ok(GameList {
                count,
                games: games.collect(),
                plies: None,
            });
        };
        let found = parts.iter().flat_map(|part| {
            let found = position.find(part, answers.options(), &|_| ());
            found.into_iter().map(|found| Occurrence {
                game: part.first.saturating_add(found.game),
                ..found
            })
        });
        let found: Vec<Occurrence> = found.collect();
        let count = found.len() as u32;
        let page = self
            .order
            .page(count, |n| place(found[n as usize].game), window, threads);
        let page = page.into_iter().map(|n| &found[n as usize]);
        Ok(GameList {
            count,
            games: page.clone().map(|found| found.game).collect(),
            plies: Some(page.map(|found| found.ply).collect()),
        })
    }

    /// The games of a page, from the window of the list that contains the page.
    fn shown(&self, parts: &[DatabasePart], list: &GameList, first: u32) -> Vec<ListedGame> {
        let begin = ((self.from - first) as usize).min(list.games.len());
        let games = list.games[begin..].iter().take(self.count as usize);
        let listed = games.enumerate().map(|(n, &game)| {
            let (part, game) = DatabasePart::place_of(parts, game);
            let ply = list.plies.as_ref().map(|plies| plies[begin + n]);
            (part, game, ply)
        });
        listed.collect()
    }

    /// The games of a page in the order of the databases. `number` is how many games there are in all.
    fn unsorted(&self, parts: &[DatabasePart], number: u32) -> Vec<ListedGame> {
        let end = self.from.saturating_add(self.count).min(number);
        let places = if self.order.is_reversed {
            (number - end)..number.saturating_sub(self.from)
        } else {
            self.from.min(end)..end
        };
        let mut shown = Vec::new();
        let mut first = 0;
        for (n, part) in parts.iter().enumerate() {
            let own = places.start.max(first) - first..places.end.max(first) - first;
            shown.extend(
                part.games_at(own.start..own.end.min(part.len()))
                    .map(|game| (n, game, None)),
            );
            first += part.len();
        }
        if self.order.is_reversed {
            shown.reverse();
        }
        shown
    }
}

/// A game with the tags that a list shows.
pub(super) fn row(parts: &[DatabasePart], (part, game, ply): ListedGame) -> Value {
    let Some(part) = parts.get(part) else {
        return Value::Null;
    };
    let (entry, database) = (part.entry(), part.database());
    let tags = database.tags(game);
    let path = GamePath::of(entry, game).path();
    let mut row = json!({ "path": path, "database": entry.path, "number": u64::from(game) + 1, "ply": ply });
    if let Value::Object(row) = &mut row {
        row.extend(
            TAGS.iter()
                .filter_map(|&tag| Some((tag.to_owned(), tags.get(tag)?.into()))),
        );
    }
    row
}
