//! The canonical form of a search, and the directory with its games.

use axum::Json;
use axum::extract::{Query as Parameters, State};
use chessdb_library::positions::pattern_epd;
use chessdb_library::query::Query;
use pgnfs_server::Requests;
use serde_json::{Value, json};

use super::request::{ApiError, Given, has_position, line};
use crate::serve::answer::{Visit, read_query};
use crate::serve::path::TreePath;
use crate::serve::search::read_search;

/// The canonical form of a query, and the address of the directory with the games that it finds in a database, limited
/// to a position if one is given. For a search with a repertoire, also the addresses of the table of deviations and of
/// the directory with the games in that table.
pub(super) async fn query(
    State(requests): State<Requests>,
    visit: Visit,
    Parameters(given): Given,
) -> Result<Json<Value>, ApiError> {
    if let Some(path) = given
        .get("db")
        .filter(|path| !path.is_empty() && !requests.has_database(path))
    {
        return Err(ApiError::NoDatabase(path.clone()));
    }
    let text = given.get("q").map_or("", |text| text.trim());
    let canonical = match text {
        "" => None,
        text => Some(read_query(&requests, visit, text.to_owned()).await??.canonical()),
    };
    let position = if has_position(&given) {
        Some(format!("( fen:\"{}\" )", pattern_epd(&line(&given)?.pattern())))
    } else {
        None
    };
    let (files, deviations, leaving) = match position {
        // Settings such as `mirror:` and `in:variations` would also apply to the added position, and change its
        // meaning.
        Some(_) if canonical.as_deref().is_some_and(is_about_positions) => (None, None, None),
        position => {
            let mut database = given.get("db").filter(|path| !path.is_empty());
            let terms = [position.as_deref(), Some(text)].into_iter().flatten();
            let terms = terms.collect::<Vec<_>>().join(" ");
            let mut search = read_search(&requests, visit, &terms).await??;
            // Only the directory of all databases can use a repertoire that is in another database.
            if let Some(path) = database
                && search
                    .as_ref()
                    .is_some_and(|search| !search.repertoires().is_empty())
            {
                let terms = format!("{} {terms}", only_database(path));
                search = read_search(&requests, visit, &terms).await??;
                database = None;
            }
            let search = search.as_ref();
            let files = |search: Option<&Query>| files(&requests, database, search);
            let has_table = search.is_some_and(|search| search.only_repertoire().is_some());
            let table = |files: String| format!("{files}tables/deviations.csv");
            let leaving = search.and_then(Query::for_games_that_leave);
            (
                files(search),
                files(search).filter(|_| has_table).map(table),
                leaving.as_ref().and_then(|search| files(Some(search))),
            )
        }
    };
    Ok(Json(json!({
        "canonical": canonical,
        "files": files,
        "deviations": deviations,
        "leaving": leaving,
    })))
}

/// True if a query has a setting for all its positions, such as `mirror:`.
fn is_about_positions(canonical: &str) -> bool {
    let mut terms = canonical.split(' ');
    terms.any(|term| term.starts_with("mirror:") || term.starts_with("in:"))
}

/// The terms for exactly the database with this path.
fn only_database(path: &str) -> String {
    let pattern: String = path
        .chars()
        .map(|c| match c {
            '*' | '?' | '[' => format!("[{c}]"),
            '"' | '\\' => format!("\\{c}"),
            c => c.to_string(),
        })
        .collect();
    if path.contains('/') {
        format!("db:\"{pattern}\"")
    } else {
        // A name alone would also find databases with this name in folders.
        format!("db:\"{pattern}\" -db:\"*/**/{pattern}\"")
    }
}

/// The address of the directory of a search; `None` if its name is too long for one.
fn files(requests: &Requests, database: Option<&String>, search: Option<&Query>) -> Option<String> {
    let path = database.cloned().or_else(|| requests.path_of_all())?;
    if !Requests::keeps(search) {
        return None;
    }
    let own = search.map(|search| ["search".to_owned(), search.name()]);
    let names = path.split('/').filter(|name| !name.is_empty());
    let path = TreePath {
        names: names
            .map(str::to_owned)
            .chain(own.into_iter().flatten())
            .collect(),
        is_directory: true,
    };
    Some(path.address())
}
