//! What somebody may mean who has typed the beginning of a name: players, events, openings and fields.

use std::sync::{Arc, LazyLock};

use axum::Json;
use axum::extract::{Query as Parameters, State};
use chessdb_library::openings::OpeningName;
use chessdb_library::query::{GameNames, NameList, fields};
use pgnfs_server::FsError;
use serde_json::{Value, json};

use super::{Api, ApiError, Given, about};
use crate::serve::answer::Visit;

/// Names of each kind unless the client says how many, and the most.
const USUALLY: usize = 8;
const MOST: usize = 100;

const KINDS: [&str; 4] = ["player", "event", "opening", "field"];

/// The names of openings.
static OPENINGS: LazyLock<NameList> = LazyLock::new(|| {
    OpeningName::all()
        .map(|opening| (opening.name.to_owned(), 0))
        .collect()
});

/// Names in which each word of a text begins a word, those with the most games first, each with the term of a search.
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
            .map_err(|_| ApiError::Wrong("count", format!("'{count}' is not a number")))?
            .min(MOST),
    };
    let kinds: Vec<&str> = match text("kind") {
        "" => KINDS.to_vec(),
        kinds => kinds.split(',').map(str::trim).collect(),
    };
    if let Some(wrong) = kinds.iter().find(|kind| !KINDS.contains(kind)) {
        let what = format!("'{wrong}' is not one of {}", KINDS.join(", "));
        return Err(ApiError::Wrong("kind", what));
    }
    let needs_games = kinds.iter().any(|kind| matches!(*kind, "player" | "event"));
    let of_games = if needs_games {
        let question = format!("names {:?}", text("db"));
        let made = about(&requests, visit, &given, None, move |answers, games| {
            names.get_or_make(games, question, || {
                Ok::<_, FsError>(Arc::new(GameNames::of(answers.parts())))
            })
        });
        made.await?
    } else {
        Arc::default()
    };
    let wanted = text("text");
    let listed = |kind: &str, list: &NameList| -> Vec<Value> {
        let found = list.find(wanted, count).into_iter();
        let row = |(name, games): (&str, u32)| {
            let games = (games > 0).then_some(games);
            json!({ "kind": kind, "name": name, "games": games, "q": term(kind, name) })
        };
        found.map(row).collect()
    };
    let rows = kinds.iter().flat_map(|&kind| match kind {
        "player" => listed(kind, &of_games.players),
        "event" => listed(kind, &of_games.events),
        "opening" => listed(kind, &OPENINGS),
        _ => {
            let own = fields().filter(|(name, _)| name.starts_with(&wanted.to_lowercase()));
            let row = |(name, about): (&str, &str)| {
                json!({ "kind": kind, "name": name, "about": about, "games": null, "q": format!("{name}:") })
            };
            own.take(count).map(row).collect()
        }
    });
    Ok(Json(json!({ "names": rows.collect::<Vec<Value>>() })))
}

/// A term that asks for a name.
fn term(field: &str, name: &str) -> String {
    format!("{field}:\"{}\"", name.replace('\\', r"\\").replace('"', r#"\""#))
}
