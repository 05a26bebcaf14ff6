//! The status as JSON.

use std::path::PathBuf;
use std::time::Instant;

use serde_json::{Value, json};

use crate::fs::{DatabaseStatus, IndexState, OpeningStatus, PassState, Status};
use chessdb_library::workers::{Busy, busy};

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

/// The keys are documented in `docs/commands.md`. Keys may be added but not removed.
pub(super) fn report(mounted: &Mounted, status: &Status) -> Value {
    let databases = status.databases.iter();
    let games = databases.clone().map(|database| u64::from(database.games));
    let known = databases.clone().map(|database| u64::from(database.sizes_known));
    let cache = &status.cache;
    json!({
        "mount_point": mounted.point.to_string_lossy(),
        "source": mounted.source.to_string_lossy(),
        "version": env!("CARGO_PKG_VERSION"),
        "process": std::process::id(),
        "uptime": mounted.since.elapsed().as_secs(),
        "watched": mounted.is_watched,
        "games": games.sum::<u64>(),
        "counted": databases.clone().all(|database| database.is_counted),
        "sizes_known": known.sum::<u64>(),
        "databases": databases.map(database).collect::<Vec<_>>(),
        "opening": status.opening.iter().map(opening).collect::<Vec<_>>(),
        "cache": {
            "games": cache.games,
            "bytes": cache.bytes,
            "capacity": cache.capacity,
            "hits": cache.hits,
            "misses": cache.misses,
        },
        "workers": busy().into_iter().map(workers).collect::<Vec<_>>(),
    })
}

fn workers(busy: Busy) -> Value {
    json!({
        "name": busy.name,
        "running": busy.running,
        "waiting": busy.waiting,
    })
}

fn opening(opening: &OpeningStatus) -> Value {
    json!({
        "path": opening.path,
        "seconds": opening.elapsed.as_secs(),
        "percent": opening.percent,
    })
}

fn database(database: &DatabaseStatus) -> Value {
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
        "problems": database.problems,
        "silence": database.silence.map(|silence| silence.as_secs()),
    })
}
