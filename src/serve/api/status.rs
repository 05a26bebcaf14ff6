//! The databases and the state of the program, in pieces, because there may be very many databases.

use std::iter::{once, once_with};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use pgnfs_server::{Requests, Status};

use super::pieces::{entries, in_pieces};
use crate::status::{database, opening, summary};

/// Maximum age of a status that clients share. It is shared only while one of them is still receiving it.
const SHARED: Duration = Duration::from_secs(1);

/// The last status. Clones share it.
#[derive(Clone, Default)]
pub(super) struct Snapshots(Arc<Mutex<Option<Snapshot>>>);

/// When a status was made, and the status while a client receives it. Weak, because with very many databases it is
/// large.
type Snapshot = (Instant, Weak<Status>);

impl Snapshots {
    /// The open databases, and the databases that are being opened.
    pub(super) fn databases(self, requests: Requests) -> impl Iterator<Item = Vec<u8>> + Send {
        once_with(move || lists(self.get(&requests), "{".to_owned())).flatten()
    }

    /// The state of the program, which has served since `since`.
    pub(super) fn state(self, requests: Requests, since: Instant) -> impl Iterator<Item = Vec<u8>> + Send {
        once_with(move || {
            let status = self.get(&requests);
            let summary = summary(&status, since).to_string();
            let begun = summary.strip_suffix('}').map(|begun| format!("{begun},"));
            lists(status, begun.unwrap_or_default())
        })
        .flatten()
    }

    /// The present status. The lock is held while it is made, so that requests at the same time share one.
    fn get(&self, requests: &Requests) -> Arc<Status> {
        let mut last = self.0.lock();
        let known = last.as_ref().filter(|(since, _)| since.elapsed() < SHARED);
        if let Some(status) = known.and_then(|(_, status)| status.upgrade()) {
            return status;
        }
        let status = Arc::new(requests.status());
        *last = Some((Instant::now(), Arc::downgrade(&status)));
        status
    }
}

/// A JSON object with lists of databases, after the text `begin`.
fn lists(status: Arc<Status>, begin: String) -> impl Iterator<Item = Vec<u8>> + Send {
    let other = Arc::clone(&status);
    let databases = (0..status.databases.len()).map(move |n| database(&status.databases[n]));
    let opening = (0..other.opening.len()).map(move |n| opening(&other.opening[n]));
    let parts = once(format!("{begin}\"databases\":["))
        .chain(entries(databases))
        .chain(once("],\"opening\":[".to_owned()))
        .chain(entries(opening))
        .chain(once("]}".to_owned()));
    in_pieces(parts)
}

#[cfg(test)]
mod tests {
    use super::super::pieces::PIECE;
    use super::*;
    use pgnfs_server::{CacheStatus, DatabaseStatus, IndexState, OpeningStatus, PassState};
    use serde_json::Value;

    #[test]
    fn many_databases_come_in_pieces() {
        let database = |n: usize| DatabaseStatus {
            path: format!("{n}.pgn"),
            name: "a \"name\"".to_owned(),
            format: "pgn",
            title: "PGN",
            games: 1,
            is_counted: true,
            sizes_known: 0,
            pass: PassState::Waiting,
            index: IndexState::Unused,
            has_lines: false,
            problems: 0,
            silence: None,
        };
        for (databases, openings) in [(0, 0), (1, 2), (3000, 1)] {
            let opening = OpeningStatus {
                path: "x".to_owned(),
                elapsed: Duration::ZERO,
                percent: None,
            };
            let status = Status {
                databases: (0..databases).map(database).collect(),
                gone: None,
                opening: vec![opening; openings],
                cache: CacheStatus {
                    games: 0,
                    bytes: 0,
                    capacity: 0,
                    hits: 0,
                    misses: 0,
                },
                refused: Vec::new(),
            };
            let pieces: Vec<Vec<u8>> = lists(Arc::new(status), "{\"a\":1,".to_owned()).collect();
            assert!(pieces.iter().all(|piece| piece.len() < PIECE + 1000));
            assert_eq!(pieces.len() > 5, databases > 1000);
            let json: Value = serde_json::from_slice(&pieces.concat()).unwrap();
            let len = |key: &str| json[key].as_array().unwrap().len();
            assert_eq!(
                (len("databases"), len("opening"), &json["a"]),
                (databases, openings, &1.into())
            );
        }
    }
}
