//! A progress bar on a terminal.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

/// How often the bar is drawn.
const PAUSE: Duration = Duration::from_millis(100);

/// Work that takes long: a bar on standard error, where that is a terminal.
pub struct Progress {
    total: u64,
    done: u64,
    /// When to draw next; never where nobody looks.
    next: Option<Instant>,
    visible: bool,
}

impl Progress {
    /// Nothing is done yet.
    pub fn new(total: u64) -> Progress {
        Progress {
            total,
            done: 0,
            next: io::stderr().is_terminal().then(|| Instant::now() + PAUSE),
            visible: false,
        }
    }

    /// Draws nothing, because something else is shown there.
    pub fn hide(&mut self) {
        self.next = None;
    }

    /// `count` more are done.
    pub fn add(&mut self, count: u64) {
        self.done += count;
        let now = Instant::now();
        if self.next.is_some_and(|next| next <= now) {
            self.next = Some(now + PAUSE);
            self.visible = true;
            let _ = write!(io::stderr(), "\r{}", bar(self.done, self.total));
        }
    }

    /// Takes the bar away, for a line of text.
    pub fn clear(&mut self) {
        if std::mem::take(&mut self.visible) {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}

/// `[##########          ]  50%  123 of 246 games`.
fn bar(done: u64, total: u64) -> String {
    let percent = (done.min(total) * 100).checked_div(total).unwrap_or(100);
    let filled = "#".repeat(usize::try_from(percent / 5).unwrap_or_default());
    format!("[{filled:<20}] {percent:>3}%  {done} of {total} games")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_fills() {
        assert_eq!(bar(0, 10), "[                    ]   0%  0 of 10 games");
        assert_eq!(bar(5, 10), "[##########          ]  50%  5 of 10 games");
        assert_eq!(bar(0, 0), "[####################] 100%  0 of 0 games");
    }
}
