//! The status as JSON.

use std::path::PathBuf;
use std::time::Instant;

use rustix::process::Uid;
use serde_json::{Value, json};

use chessdb_library::making::{MakingStatus, being_made};
use chessdb_library::workers::{Busy, busy};
use pgnfs_server::{DatabaseStatus, IndexState, OpeningStatus, PassState, RefusedName, Status, utc};

/// Properties of a mount that do not depend on its files.
#[derive(Clone, Debug)]
pub struct Mounted {
    /// Where it is mounted.
    pub point: PathBuf,
    /// The source that it shows.
    pub source: PathBuf,
    /// Its device number.
    pub device: u64,
    /// When it was mounted.
    pub since: Instant,
    /// True if it follows its source.
    pub is_watched: bool,
}

/// The part of the status that `user` may see, as JSON. `docs/commands.md` documents the keys. Keys may be added but
/// not removed.
pub(super) fn report(mounted: &Mounted, status: &Status, user: Uid) -> Value {
    let refused = status.refused.iter();
    let refused = refused.filter(|refused| user.is_root() || refused.user == user.as_raw());
    let mut report = state(status, mounted.since);
    report["mount_point"] = mounted.point.to_string_lossy().into();
    report["source"] = mounted.source.to_string_lossy().into();
    report["watched"] = mounted.is_watched.into();
    report["refused"] = refused.map(refused_name).collect();
    report
}

/// The part of the status that every user who can read the files may see.
fn state(status: &Status, since: Instant) -> Value {
    let mut state = summary(status, since);
    state["databases"] = status.databases.iter().map(database).collect();
    state["opening"] = status.opening.iter().map(opening).collect();
    state
}

/// Like [`state`], without the lists of databases, which may be long.
pub(crate) fn summary(status: &Status, since: Instant) -> Value {
    let databases = status.databases.iter();
    let games = databases.clone().map(|database| u64::from(database.games));
    let known = databases.clone().map(|database| u64::from(database.sizes_known));
    let cache = &status.cache;
    json!({
        "version": env!("PGNFS_VERSION"),
        "process": std::process::id(),
        "source_gone_since": status.gone.map(utc),
        "uptime": since.elapsed().as_secs(),
        "games": games.sum::<u64>(),
        "counted": databases.clone().all(|database| database.is_counted),
        "sizes_known": known.sum::<u64>(),
        "cache": {
            "games": cache.games,
            "bytes": cache.bytes,
            "capacity": cache.capacity,
            "hits": cache.hits,
            "misses": cache.misses,
        },
        "making": being_made().iter().map(|made| making(made)).collect::<Vec<_>>(),
        "workers": busy().into_iter().map(workers).collect::<Vec<_>>(),
    })
}

fn refused_name(refused: &RefusedName) -> Value {
    json!({
        "path": refused.path,
        "reason": refused.reason,
        "user": refused.user,
        "seconds": refused.at.elapsed().as_secs(),
    })
}

fn making(made: &MakingStatus) -> Value {
    json!({
        "what": made.what,
        "of": made.of,
        "seconds": made.since.elapsed().as_secs(),
        "done": made.done(),
        "games": (made.games > 0).then_some(made.games),
    })
}

fn workers(busy: Busy) -> Value {
    json!({
        "name": busy.name,
        "running": busy.running,
        "waiting": busy.waiting,
    })
}

pub(crate) fn opening(opening: &OpeningStatus) -> Value {
    json!({
        "path": opening.path,
        "seconds": opening.elapsed.as_secs(),
        "percent": opening.percent,
    })
}

pub(crate) fn database(database: &DatabaseStatus) -> Value {
    json!({
        "path": database.path,
        "name": database.name,
        "format": database.format,
        "title": database.title,
        "games": database.games,
        "counted": database.is_counted,
        "sizes_known": database.sizes_known,
        "pass": match database.pass {
            PassState::Waiting => "waiting",
            PassState::Running => "running",
            PassState::Done => "done",
            PassState::GivenUp => "given up",
        },
        "index": match database.index {
            IndexState::Unused => "unused",
            IndexState::Building { .. } => "building",
            IndexState::Ready => "ready",
            IndexState::Failed => "failed",
        },
        "index_read": match database.index {
            IndexState::Building { read } => Some(read),
            _ => None,
        },
        "has_lines": database.has_lines,
        "problems": database.problems,
        "silence": database.silence.map(|silence| silence.as_secs()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use pgnfs_server::CacheStatus;

    #[test]
    fn a_user_sees_own_refused_names_and_root_those_of_all() {
        let refused = |user, path: &str| RefusedName {
            user,
            path: path.to_owned(),
            reason: "why".to_owned(),
            at: Instant::now(),
        };
        let status = Status {
            databases: Vec::new(),
            gone: None,
            opening: Vec::new(),
            cache: CacheStatus {
                games: 0,
                bytes: 0,
                capacity: 0,
                hits: 0,
                misses: 0,
            },
            refused: vec![refused(1000, "a"), refused(0, "b"), refused(1001, "c")],
        };
        let mounted = Mounted {
            point: PathBuf::new(),
            source: PathBuf::new(),
            device: 0,
            since: Instant::now(),
            is_watched: true,
        };
        let seen = |user| {
            let report = report(&mounted, &status, Uid::from_raw(user));
            let refused = report["refused"].as_array().unwrap().iter();
            let paths: Vec<String> = refused
                .map(|one| one["path"].as_str().unwrap().to_owned())
                .collect();
            paths.join(" ")
        };
        for (user, paths) in [(1000, "a"), (1001, "c"), (1002, ""), (0, "a b c")] {
            assert_eq!(seen(user), paths, "{user}");
        }
    }
}
