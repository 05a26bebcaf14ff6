//! The limit on the number of mapped files.

use std::io;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Maximum number of mapped files: three quarters of the memory maps and of the open files that the kernel allows the
/// process. The rest is for heap memory and for other files: the process always needs a few.
pub(super) static MOST_FILES: LazyLock<usize> = LazyLock::new(|| {
    let text = std::fs::read_to_string("/proc/sys/vm/max_map_count").unwrap_or_default();
    let most_maps = text.trim().parse().unwrap_or(65_530);
    let open_files = raise_open_files();
    let most_files = open_files.saturating_sub(NEEDED_FILES).min(open_files / 4 * 3);
    most_files.min(most_maps / 4 * 3)
});

/// Number of open files that a mount needs for other purposes.
const NEEDED_FILES: usize = 32;

/// Raises the limit of open files to its maximum and returns it.
fn raise_open_files() -> usize {
    let before = getrlimit(Resource::Nofile);
    let raised = Rlimit {
        current: before.maximum,
        maximum: before.maximum,
    };
    let limit = match setrlimit(Resource::Nofile, raised) {
        Ok(()) => raised.current,
        Err(_) => before.current,
    };
    // Without a limit, the value is `None`.
    limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX))
}

/// Number of mapped files.
static FILES: AtomicUsize = AtomicUsize::new(0);

/// Counts one mapped file until it is dropped.
#[derive(Debug)]
pub(super) struct Ticket;

impl Ticket {
    pub(super) fn take(most: usize) -> io::Result<Ticket> {
        let ticket = Ticket;
        if FILES.fetch_add(1, Ordering::Relaxed) < most {
            return Ok(ticket);
        }
        Err(io::Error::new(
            io::ErrorKind::QuotaExceeded,
            "too many files are open: name a part of the folder as the source, or raise vm.max_map_count and the \
             limit of open files (ulimit -n)",
        ))
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        FILES.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_files_is_limited() {
        assert!(Ticket::take(0).is_err());
        assert!(*MOST_FILES > 100);
        assert!(Ticket::take(usize::MAX).is_ok());
    }
}
