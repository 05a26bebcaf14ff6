//! Searches that requests name.

use chessdb_library::query::{Query, QueryError};
use pgnfs_server::{FsError, Requests};

use super::answer::{Visit, read_query};

/// A term that changes no result, because games marked as deleted are left out anyway.
const FIELD: &str = "deleted:no";

/// Reads a search as the command takes it; `None` if it is empty.
///
/// The games of a search are kept by its name in `search/`, and names there need a field, so that `.git` is not one. Words
/// alone get a field that changes nothing.
pub(super) async fn read_search(
    requests: &Requests,
    visit: Visit,
    text: &str,
) -> Result<Result<Option<Query>, QueryError>, FsError> {
    if text.trim().is_empty() {
        return Ok(Ok(None));
    }
    let query = match read_query(requests, visit, text.to_owned()).await? {
        Ok(query) if !query.has_fields() => {
            let query = read_query(requests, visit, format!("{FIELD} {text}")).await?;
            query.map_err(|error| QueryError {
                offset: error.offset.saturating_sub(FIELD.len() + 1),
                ..error
            })
        }
        query => query,
    };
    Ok(query.map(Some))
}
