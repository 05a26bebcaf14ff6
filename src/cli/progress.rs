//! A progress bar on a terminal.

use indicatif::{ProgressBar, ProgressStyle};

/// A bar for work on so many games, on standard error. Nothing is seen where that is no terminal.
pub fn bar(games: u64) -> ProgressBar {
    let looks = "[{bar:20}] {percent:>3}%  {pos} of {len} games, {eta} left";
    let bar = ProgressBar::new(games);
    match ProgressStyle::with_template(looks) {
        Ok(style) => bar.with_style(style.progress_chars("# ")),
        Err(_) => bar,
    }
}
