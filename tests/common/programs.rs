//! Programs that tests use.

use std::process::{Command, Stdio};

use super::samples::missing;

/// A Python that has a module, which is in a package: `$PGNFS_PYTHON`, or `python3`.
pub fn python(module: &str, package: &str) -> Option<String> {
    let python = std::env::var("PGNFS_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let status = Command::new(&python)
        .args(["-c", &format!("import {module}")])
        .stderr(Stdio::null())
        .status();
    if status.is_ok_and(|status| status.success()) {
        return Some(python);
    }
    missing(&format!("{package} (set PGNFS_PYTHON to a Python that has it)"));
    None
}
