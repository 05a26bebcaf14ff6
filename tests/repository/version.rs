//! `build.rs`: the version that the program shows.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;
use testkit::needs;

use crate::run;

/// The build script, compiled, and a folder in which it finds sources of version 0.1.0.
struct BuildScript {
    place: TempDir,
    program: PathBuf,
}

impl BuildScript {
    fn compile() -> BuildScript {
        let place = TempDir::new().unwrap();
        let program = place.path().join("build-script");
        run(Command::new("rustc")
            .args(["--edition", "2024", "-o"])
            .arg(&program)
            .arg("build.rs"));
        BuildScript { place, program }
    }

    /// The instructions to cargo that the build script prints, with `settings` as environment variables.
    fn instructions(&self, sources: &Path, settings: &[(&str, &str)]) -> String {
        let mut command = Command::new(&self.program);
        command.env_remove("PGNFS_COMMIT").envs(settings.iter().copied());
        run(command
            .env("CARGO_PKG_VERSION", "0.1.0")
            .env("CARGO_MANIFEST_DIR", sources))
    }

    fn version(&self, sources: &Path, settings: &[(&str, &str)]) -> String {
        let printed = self.instructions(sources, settings);
        let mut lines = printed.lines();
        let version = lines.find_map(|line| line.strip_prefix("cargo::rustc-env=PGNFS_VERSION="));
        version.unwrap().to_owned()
    }

    /// A checkout with one commit.
    fn checkout(&self) -> PathBuf {
        let checkout = self.place.path().join("checkout");
        fs::create_dir(&checkout).unwrap();
        git(&checkout, &["init", "--quiet"]);
        commit(&checkout);
        checkout
    }
}

fn git(checkout: &Path, arguments: &[&str]) -> String {
    let identity = ["user.name=Nobody", "user.email=nobody@localhost"];
    let mut command = Command::new("git");
    command.arg("-C").arg(checkout);
    for setting in identity {
        command.args(["-c", setting]);
    }
    run(command.args(arguments)).trim_end().to_owned()
}

fn commit(checkout: &Path) {
    git(
        checkout,
        &["commit", "--quiet", "--allow-empty", "--message", "Change"],
    );
}

const RELEASE: (&str, &str) = ("PROFILE", "release");

#[test]
fn a_release_build_of_a_checkout_shows_the_commit() {
    needs!(program "git", in "git");
    let script = BuildScript::compile();
    let checkout = script.checkout();
    let hash = git(&checkout, &["rev-parse", "HEAD"]);
    let expected = format!("0.1.0 ({})", &hash[..12]);
    assert_eq!(script.version(&checkout, &[RELEASE]), expected);
    assert_eq!(script.version(&checkout, &[("PROFILE", "debug")]), "0.1.0");
    // A packager who builds from a tarball may name the commit, or none.
    let named = ("PGNFS_COMMIT", "v0.1.0");
    assert_eq!(script.version(&checkout, &[RELEASE, named]), "0.1.0 (v0.1.0)");
    let none = ("PGNFS_COMMIT", "");
    assert_eq!(script.version(&checkout, &[RELEASE, none]), "0.1.0");
}

#[test]
fn sources_in_a_folder_of_another_repository_show_no_commit() {
    needs!(program "git", in "git");
    let script = BuildScript::compile();
    let vendored = script.checkout().join("vendor/pgnfs");
    fs::create_dir_all(&vendored).unwrap();
    assert_eq!(script.version(&vendored, &[RELEASE]), "0.1.0");
}

#[test]
fn cargo_builds_again_after_a_commit_and_only_then() {
    needs!(program "git", in "git");
    let script = BuildScript::compile();
    let checkout = script.checkout();
    let watched = || {
        let printed = script.instructions(&checkout, &[RELEASE]);
        let paths = printed
            .lines()
            .filter_map(|line| line.strip_prefix("cargo::rerun-if-changed=/"));
        // A missing file would let cargo build each time.
        let read = |path: &str| fs::read(format!("/{path}")).unwrap();
        paths.map(read).collect::<Vec<_>>()
    };
    let before = watched();
    assert_eq!(before.len(), 2);
    assert_eq!(watched(), before);
    commit(&checkout);
    assert_ne!(watched(), before);
    // A build for development does not look at the repository.
    let printed = script.instructions(&checkout, &[("PROFILE", "debug")]);
    assert!(!printed.contains("git"), "{printed}");
}
