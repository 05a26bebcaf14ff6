//! Figures that are ratios. Both sides of a ratio are measured in one run, on the same games.
//!
//! `cargo bench --bench figures` prints a table of all formats, and one of figures and targets, and whether they are met.

#![allow(missing_docs)]

mod brenner;
mod chess_assistant;
mod chessbase;
use testkit::writers::chess_assistant as encode_chess_assistant;
mod formats;
mod grown;
mod jose;
mod pgn;
mod positions;
mod query;
use testkit::writers::source;

use rustix::time::{ClockId, clock_gettime};
use testkit::needs;

/// Number of runs. The fastest one counts, because other work on the machine only makes runs slower.
const RUNS: usize = 15;

fn main() {
    let mut arguments = std::env::args_os()
        .skip(1)
        .filter(|argument| argument != "--bench");
    let first = arguments.next().unwrap_or_default();
    if first == chess_assistant::OPEN {
        let target = arguments.next().expect("the path of a database");
        return chess_assistant::report_opening(target.as_ref());
    }
    let shared = needs!(samples);
    let large = shared.join("data/simplecdb/large");
    if first == positions::ALONE {
        let games = arguments.next().and_then(|games| games.to_str()?.parse().ok());
        return positions::figures(&large, games);
    }
    if first == query::ALONE {
        return query::figures(&large);
    }
    if first == pgn::ALONE {
        return pgn::figures(&shared);
    }
    let rows = formats::table(&shared);
    println!(
        "\n{:<52} {:>12} {:>10} {:>5}",
        "figure", "measured", "target", "met"
    );
    formats::targets(&rows);
    if first == formats::ALONE {
        return;
    }
    pgn::figures(&shared);
    chessbase::figures(&shared);
    chess_assistant::figures(&shared);
    jose::figures(&shared);
    brenner::figures(&shared);
    positions::figures(&large, None);
    query::figures(&large);
}

fn row(figure: &str, measured: f64, at_least: Option<f64>) {
    let (target, met) = match at_least {
        Some(target) => (
            format!(">= {target}"),
            if measured >= target { "yes" } else { "NO" },
        ),
        None => (String::new(), ""),
    };
    println!("{figure:<52} {measured:>12.1} {target:>10} {met:>5}");
}

fn row_at_most(figure: &str, measured: f64, at_most: f64) {
    let met = if measured <= at_most { "yes" } else { "NO" };
    println!(
        "{figure:<52} {measured:>12.4} {:>10} {met:>5}",
        format!("<= {at_most}")
    );
}

/// CPU time of this thread in seconds, which other work on the machine does not affect.
fn seconds() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// Seconds of the fastest run.
fn fastest(mut run: impl FnMut() -> usize) -> f64 {
    let times = (0..RUNS).map(|_| seconds_of(&mut run));
    times.fold(f64::MAX, f64::min)
}

/// Seconds of one run.
fn seconds_of(run: impl FnOnce() -> usize) -> f64 {
    let start = seconds();
    assert_ne!(std::hint::black_box(run()), 0);
    seconds() - start
}
