//! Progress bars on a terminal.

use std::fmt;
use std::time::{Duration, Instant};

use indicatif::{HumanDuration, ProgressBar, ProgressState, ProgressStyle};

use chessdb_library::library::ProgressReport;

/// A progress bar for `games` games on standard error. It is not shown if that is not a terminal.
pub fn bar(games: u64) -> ProgressBar {
    let looks = "[{bar:20}] {percent:>3}%  {prefix}{pos} of {len} games{left}";
    styled(ProgressBar::new(games), looks)
}

/// A bar with this template, in which `{left}` is the remaining time.
fn styled(bar: ProgressBar, looks: &str) -> ProgressBar {
    let left = |state: &ProgressState, out: &mut dyn fmt::Write| {
        // Writing to the bar's line cannot fail.
        let _ = out.write_str(&left(state.elapsed(), state.eta()));
    };
    match ProgressStyle::with_template(looks) {
        Ok(style) => bar.with_style(style.progress_chars("# ").with_key("left", left)),
        Err(_) => bar,
    }
}

/// Time after which the remaining time is shown; earlier estimates would be poor.
const CERTAIN: Duration = Duration::from_secs(3);

fn left(elapsed: Duration, eta: Duration) -> String {
    if elapsed < CERTAIN {
        String::new()
    } else {
        format!(", {} left", HumanDuration(eta))
    }
}

/// A line on standard error that names work of unknown length. It is not shown if that is not a terminal.
pub fn working(what: &'static str) -> ProgressBar {
    let line = ProgressBar::new_spinner().with_message(what);
    line.enable_steady_tick(PAUSE);
    line
}

/// Time between two steps of the spinner.
const PAUSE: Duration = Duration::from_millis(200);

/// Shows the progress of building an index of `games` games in a bar. Afterwards, the bar shows again what it showed
/// before.
pub fn while_indexing<T>(bar: &ProgressBar, games: u64, build: impl FnOnce() -> T) -> T {
    let show = |prefix: &'static str, position, length| {
        bar.set_prefix(prefix);
        bar.set_length(length);
        bar.set_position(position);
        bar.reset_eta();
    };
    let (position, length) = (bar.position(), bar.length().unwrap_or_default());
    show("index: ", 0, games);
    let built = build();
    show("", position, length);
    built
}

/// Time after which the bar for reading files appears.
const SOON: Duration = Duration::from_secs(1);

/// A progress bar for the bytes that are read to open databases, and the function that moves it. It appears after a
/// second.
pub fn reading() -> (ProgressBar, ProgressReport) {
    let bar = styled(ProgressBar::new(0), "[{bar:20}] {percent:>3}%  reading{left}");
    let (moved, begin) = (bar.clone(), Instant::now());
    let report = move |read, all| {
        if all > 0 && begin.elapsed() >= SOON {
            moved.set_length(all);
            moved.set_position(read);
        }
    };
    (bar, Box::new(report))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_is_said_after_three_seconds() {
        let minutes = Duration::from_secs(300);
        assert_eq!(left(CERTAIN - Duration::from_millis(1), minutes), "");
        assert_eq!(left(CERTAIN, minutes), ", 5 minutes left");
    }

    #[test]
    fn an_index_does_not_count_as_games_of_the_search() {
        let bar = ProgressBar::hidden();
        bar.set_length(10);
        bar.inc(3);
        while_indexing(&bar, 5, || {
            assert_eq!((bar.position(), bar.length()), (0, Some(5)));
            bar.inc(5);
        });
        assert_eq!((bar.position(), bar.length()), (3, Some(10)));
    }
}
