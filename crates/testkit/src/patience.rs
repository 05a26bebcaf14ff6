//! How long tests wait for a program before they call it a failure.
//!
//! Time is measured in seconds of a quiet machine: while more threads want to run than there are processors, a second
//! counts only as much as one thread's share of it. So a busy machine makes no test fail, and a program that hangs is
//! noticed soon.

use std::fs;
use std::thread;
use std::time::{Duration, Instant};

/// The longest time for any step of a test.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// The pause between two looks.
const PAUSE: Duration = Duration::from_millis(10);

/// Time that a thread had on its processor, if it wanted it.
pub struct Waiting {
    last: Instant,
    spent: Duration,
}

impl Waiting {
    pub fn begin() -> Waiting {
        Waiting {
            last: Instant::now(),
            spent: Duration::ZERO,
        }
    }

    /// The time since the beginning. Must be called often, because the present load is taken as the load since the last
    /// call.
    pub fn spent(&mut self) -> Duration {
        let now = Instant::now();
        self.spent += now.duration_since(self.last).mul_f64(share());
        self.last = now;
        self.spent
    }
}

/// Waits until something is so, and returns how long that took on a quiet machine.
///
/// # Panics
/// After [`PATIENCE`], with the name of what did not happen.
pub fn wait_for(what: &str, mut is_so: impl FnMut() -> bool) -> Duration {
    let mut waiting = Waiting::begin();
    while !is_so() {
        assert!(waiting.spent() < PATIENCE, "waited in vain for {what}");
        thread::sleep(PAUSE);
    }
    waiting.spent()
}

/// The share of a processor that each thread gets now.
fn share() -> f64 {
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    share_of(&load, thread::available_parallelism().map_or(1, usize::from))
}

/// The fourth word of `/proc/loadavg` is the number of threads that want to run and the number of all, as `3/512`.
fn share_of(load: &str, processors: usize) -> f64 {
    let running = load
        .split(' ')
        .nth(3)
        .and_then(|threads| threads.split('/').next()?.parse::<u32>().ok());
    match running {
        Some(running) if running as usize > processors => processors as f64 / f64::from(running),
        _ => 1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_of_a_busy_machine_counts_less() {
        for (running, share) in [("0", 1.0), ("2", 1.0), ("4", 0.5), ("32", 0.0625)] {
            let load = format!("9.10 3.20 1.00 {running}/512 12345\n");
            assert_eq!(share_of(&load, 2), share, "{load}");
        }
        assert_eq!(share_of("", 2), 1.0);
    }
}
