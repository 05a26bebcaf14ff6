//! The repository itself: its layers, documents and what is installed.

mod caches;
mod circles;
mod dependencies;
mod docs;
mod install;
mod layering;
mod problems;
mod scripts;
mod sizes;
mod version;

use std::process::{Command, Stdio};

/// Runs a command that must succeed, and returns its output.
fn run(command: &mut Command) -> String {
    let ended = command.stdin(Stdio::null()).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    let (out, err) = (text(ended.stdout), text(ended.stderr));
    assert!(ended.status.success(), "{command:?}: {out}{err}");
    out
}
