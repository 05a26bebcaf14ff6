//! Programs that tests use.

use std::process::{Command, Stdio};

use super::samples::missing;

/// A Python that has python-chess: `$PGNFS_PYTHON`, or `python3`.
pub fn python() -> Option<String> {
    let python = std::env::var("PGNFS_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let status = Command::new(&python)
        .args(["-c", "import chess.pgn"])
        .stderr(Stdio::null())
        .status();
    if status.is_ok_and(|status| status.success()) {
        return Some(python);
    }
    missing("python-chess (set PGNFS_PYTHON to a Python that has it)");
    None
}
