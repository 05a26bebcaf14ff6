//! The searches in requests.

use chessdb_library::query::{Query, QueryError};
use pgnfs_server::{FsError, Requests};

use super::answer::{Visit, read_query};

/// A term that does not change the result, because games marked as deleted are left out anyway.
const FIELD: &str = "deleted:no";

/// Reads a search in the form that the command takes; `None` if it is empty.
///
/// The games of a search are cached by its name in `search/`. Names there need a field, so that `.git` is not a search;
/// words without a field get one that changes nothing.
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
