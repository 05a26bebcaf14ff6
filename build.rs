//! Gives the program its version, with the commit if it is built from a checkout.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=PGNFS_COMMIT");
    let version = variable("CARGO_PKG_VERSION");
    let built_from = match commit() {
        Some(commit) => format!("{version} ({commit})"),
        None => version,
    };
    println!("cargo::rustc-env=PGNFS_VERSION={built_from}");
}

/// The commit that `PGNFS_COMMIT` names, or no commit if that is empty; otherwise the commit that is checked out.
/// Builds without optimisation name no commit: otherwise the program would be compiled again after each commit.
fn commit() -> Option<String> {
    if let Ok(named) = env::var("PGNFS_COMMIT") {
        return Some(named).filter(|commit| !commit.is_empty());
    }
    let root = PathBuf::from(variable("CARGO_MANIFEST_DIR"));
    // Without this, git would find a repository that has the sources in one of its folders.
    if variable("PROFILE") == "debug" || !root.join(".git").exists() {
        return None;
    }
    // Of a file that is missing, cargo would think that it has always changed.
    for file in ["HEAD", "logs/HEAD"] {
        let path = root.join(git(&root, &["rev-parse", "--git-path", file])?);
        if path.exists() {
            println!("cargo::rerun-if-changed={}", path.display());
        }
    }
    // Git shortens a hash to what is unique, which depends on the clone.
    Some(git(&root, &["rev-parse", "HEAD"])?.get(..12)?.to_owned())
}

/// What git prints; `None` if it is missing or fails.
fn git(root: &Path, arguments: &[&str]) -> Option<String> {
    let ended = Command::new("git")
        .arg("-C")
        .arg(root)
        .args(arguments)
        .output()
        .ok()?;
    let printed = String::from_utf8(ended.stdout).ok()?;
    ended.status.success().then(|| printed.trim_end().to_owned())
}

/// A variable that cargo sets for each build script.
fn variable(name: &str) -> String {
    env::var(name).unwrap_or_else(|error| panic!("{name}: {error}"))
}
