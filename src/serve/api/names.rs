//! Completions for a typed text: players, events, openings and fields.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Query as Parameters, State};
use chessdb_library::query::{GameNames, NameList, fields};
use pgnfs_server::FsError;
use serde_json::{Value, json};

use super::request::{Api, ApiError, Given, about};
use crate::serve::answer::{Visit, search_in_turn};

/// Default and maximum number of names of each kind.
const USUALLY: usize = 8;
const MOST: usize = 100;

const KINDS: [&str; 4] = ["player", "event", "opening", "field"];

/// Answers with names that match a text: each word of the text starts a word of the name. Names with the most games
/// come first, each with its term for a search.
pub(super) async fn names(
    State(Api { requests, names, .. }): State<Api>,
    visit: Visit,
    Parameters(given): Given,
) -> Result<Json<Value>, ApiError> {
    let text = |name| given.get(name).map_or("", |text| text.trim());
    let count = match text("count") {
        "" => USUALLY,
        count => count
            .parse::<usize>()
            .map_err(|_| ApiError::Parameter("count", format!("'{count}' is not a number")))?
            .min(MOST),
    };
    let kinds: Vec<&str> = match text("kind") {
        "" => KINDS.to_vec(),
        kinds => kinds.split(',').map(str::trim).collect(),
    };
    if let Some(wrong) = kinds.iter().find(|kind| !KINDS.contains(kind)) {
        let what = format!("'{wrong}' is not one of {}", KINDS.join(", "));
        return Err(ApiError::Parameter("kind", what));
    }
    let wanted = text("text").to_owned();
    let has = |kind| kinds.contains(&kind);
    let (has_players, has_events) = (has("player"), has("event"));
    let of_games = if has_players || has_events {
        let (question, wanted) = (format!("names {:?}", text("db")), wanted.clone());
        let found = about(&requests, visit, &given, None, move |answers, games| {
            let own = names.get_or_make(games, question, || {
                let names = search_in_turn(answers, true, || GameNames::of(answers.parts()));
                Ok::<_, FsError>(Arc::new(names))
            })?;
            let listed = |is_asked: bool, kind, list| is_asked.then(|| rows(kind, list, &wanted, count));
            let players = listed(has_players, "player", &own.players);
            let events = listed(has_events, "event", &own.events);
            Ok([players, events].into_iter().flatten().flatten().collect())
        });
        found.await?
    } else {
        Vec::new()
    };
    let openings = has("opening").then(|| rows("opening", NameList::openings(), &wanted, count));
    let own_fields = has("field").then(|| field_rows(&wanted, count));
    let names = of_games.into_iter().chain(openings.into_iter().flatten());
    let names: Vec<Value> = names.chain(own_fields.into_iter().flatten()).collect();
    Ok(Json(json!({ "names": names })))
}

/// The first `count` names of a list that match, as JSON.
fn rows(kind: &str, list: &NameList, wanted: &str, count: usize) -> Vec<Value> {
    let row = |(name, games): (&str, u32)| {
        let games = (games > 0).then_some(games);
        json!({ "kind": kind, "name": name, "games": games, "q": term(kind, name) })
    };
    list.find(wanted, count).into_iter().map(row).collect()
}

/// The fields whose names start with a text, as JSON.
fn field_rows(wanted: &str, count: usize) -> Vec<Value> {
    let wanted = wanted.to_lowercase();
    let own = fields().filter(|(name, _)| name.starts_with(&wanted));
    let row = |(name, about): (&str, &str)| json!({ "kind": "field", "name": name, "about": about, "games": null, "q": format!("{name}:") });
    own.take(count).map(row).collect()
}

/// A term for a name.
fn term(field: &str, name: &str) -> String {
    // A name without words can only be found exactly.
    let exactly = if name.contains(char::is_alphanumeric) {
        ""
    } else {
        "="
    };
    format!(
        "{field}:{exactly}\"{}\"",
        name.replace('\\', r"\\").replace('"', r#"\""#)
    )
}
