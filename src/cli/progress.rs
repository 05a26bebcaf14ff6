//! Progress bars on a terminal.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use crate::library::Report;

/// A progress bar for `games` games on standard error. It is not shown if that is not a terminal.
pub fn bar(games: u64) -> ProgressBar {
    let looks = "[{bar:20}] {percent:>3}%  {pos} of {len} games, {eta} left";
    let bar = ProgressBar::new(games);
    match ProgressStyle::with_template(looks) {
        Ok(style) => bar.with_style(style.progress_chars("# ")),
        Err(_) => bar,
    }
}

/// Time after which reading files shows a bar.
const SOON: Duration = Duration::from_secs(1);

/// A progress bar for bytes that are read to open databases, and the function that moves it. It is shown if that
/// takes longer than a second.
pub fn reading() -> (ProgressBar, Report) {
    let looks = "[{bar:20}] {percent:>3}%  reading, {eta} left";
    let bar = ProgressBar::new(0);
    let bar = match ProgressStyle::with_template(looks) {
        Ok(style) => bar.with_style(style.progress_chars("# ")),
        Err(_) => bar,
    };
    let (moved, begin) = (bar.clone(), Instant::now());
    let report = move |read, all| {
        if all > 0 && begin.elapsed() >= SOON {
            moved.set_length(all);
            moved.set_position(read);
        }
    };
    (bar, Box::new(report))
}
