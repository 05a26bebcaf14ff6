//! A progress bar on a terminal.

use indicatif::{ProgressBar, ProgressStyle};

/// A progress bar for `games` games on standard error. It is not shown if that is not a terminal.
pub fn bar(games: u64) -> ProgressBar {
    let looks = "[{bar:20}] {percent:>3}%  {pos} of {len} games, {eta} left";
    let bar = ProgressBar::new(games);
    match ProgressStyle::with_template(looks) {
        Ok(style) => bar.with_style(style.progress_chars("# ")),
        Err(_) => bar,
    }
}
