//! Mounts started in unusual environments.

use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::scratch::{CACHE, Scratch, pgnfs, run, wait_for};
use testkit::needs;

/// The program with the name that mount(8) calls it by.
fn helper(scratch: &Scratch) -> PathBuf {
    let path = scratch.path("mount.pgnfs");
    symlink(env!("CARGO_BIN_EXE_pgnfs"), &path).unwrap();
    path
}

/// The files in the scratch folder.
fn names(scratch: &Scratch) -> Vec<String> {
    let entries = fs::read_dir(scratch.path("")).unwrap();
    let mut names: Vec<_> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn no_variable_keeps_a_mount_from_working() {
    needs!(mount);
    let scratch = Scratch::new();
    let helper = helper(&scratch);
    let long = "x".repeat(100_000);
    let rows: [&[(&str, &str)]; 11] = [
        &[],
        &[("LD_PRELOAD", "/no/such.so"), ("LD_AUDIT", "/no/such.so")],
        &[("LD_LIBRARY_PATH", "/dev/null:/proc"), ("LD_BIND_NOW", "1")],
        &[("RUST_LOG", "/etc/passwd")],
        &[("RUST_LOG", "trace"), ("RUST_BACKTRACE", "full")],
        &[("RUST_LOG", "\u{9b}31m=%,,==,pgnfs=\u{202e}")],
        &[("RUST_LOG", &long), ("RUST_BACKTRACE", &long), ("HOME", &long)],
        &[("HOME", "/proc"), ("XDG_RUNTIME_DIR", "/proc"), (CACHE, "/proc")],
        &[("HOME", "."), ("XDG_RUNTIME_DIR", "."), (CACHE, ".")],
        &[
            ("HOME", ""),
            ("XDG_RUNTIME_DIR", "/dev/null"),
            (CACHE, "/dev/null"),
        ],
        &[("LC_ALL", "\u{1b}"), ("TZ", "/dev/zero"), ("TMPDIR", "/no/such")],
    ];
    let before = names(&scratch);
    for row in rows {
        let environment = || row.iter().copied();
        let mut mount = Command::new(&helper);
        mount.args([&scratch.source, &scratch.mount]).args(["-o", "ro"]);
        let ended = run(mount
            .current_dir(scratch.path(""))
            .env_clear()
            .envs(environment()));
        assert_eq!(ended.code, Some(0), "{row:?}: {ended:?}");
        assert!(!ended.err.contains(['\u{9b}', '\u{1b}']), "{row:?}: {ended:?}");
        let text = fs::read_to_string(&scratch.games()[0]).unwrap();
        assert!(text.contains("Morphy"), "{row:?}");
        let ended = run(pgnfs()
            .arg("unmount")
            .arg(&scratch.mount)
            .env_clear()
            .envs(environment()));
        assert_eq!(ended.code, Some(0), "{row:?}: {ended:?}");
        wait_for("the end of daemon and guardian", || {
            scratch.processes().is_empty()
        });
        assert_eq!(names(&scratch), before, "{row:?}");
    }
}

#[test]
fn no_file_gets_a_standard_descriptor_that_was_closed() {
    needs!(mount);
    for closed in ["0<&-", "1>&-", "2>&-", "0<&- 1>&- 2>&-"] {
        let scratch = Scratch::new();
        let script = format!(r#"exec "$@" {closed}"#);
        let ended = run(Command::new("sh")
            .args(["-c", &script, "sh"])
            .arg(helper(&scratch))
            .args([&scratch.source, &scratch.mount])
            .env("RUST_LOG", "trace"));
        assert_eq!(ended.code, Some(0), "{closed}: {ended:?}");
        for process in scratch.daemon_and_guardian() {
            for number in 0..3 {
                let file = fs::read_link(format!("/proc/{process}/fd/{number}")).unwrap();
                let file = file.to_str().unwrap();
                // The guardian's standard input is a pipe.
                assert!(
                    file == "/dev/null" || file.starts_with("pipe:"),
                    "{closed}: {file}"
                );
            }
        }
        assert_eq!(scratch.games().len(), 2, "{closed}");
        scratch.unmount();
    }
}

#[test]
fn a_bad_rust_log_needs_no_standard_error() {
    needs!(if Path::new("/dev/full").exists(), "/dev/full");
    let scratch = Scratch::new();
    let info = |stderr: Stdio| {
        let mut info = pgnfs();
        info.arg("info")
            .arg(&scratch.source)
            .env("RUST_LOG", "pgnfs=loud=1");
        info.stdout(Stdio::null()).stderr(stderr).output().unwrap()
    };
    let full = File::options().write(true).open("/dev/full").unwrap();
    assert_eq!(info(full.into()).status.code(), Some(0));
    let said = String::from_utf8(info(Stdio::piped()).stderr).unwrap();
    assert!(
        said.starts_with("pgnfs: RUST_LOG is not used: ") && said.lines().count() == 1,
        "{said}"
    );
}

#[test]
fn a_removed_current_folder_affects_only_relative_paths() {
    needs!(mount);
    let scratch = Scratch::new();
    let helper = helper(&scratch);
    let mount = |source: &str, point: &str| {
        let script = r#"mkdir gone && cd gone && rmdir ../gone && exec "$@""#;
        run(Command::new("sh")
            .args(["-c", script, "sh"])
            .arg(&helper)
            .args([source, point])
            .current_dir(scratch.path("")))
    };
    let ended = mount("../source", "../mount");
    assert_eq!(ended.code, Some(32), "{ended:?}");
    assert!(ended.err.starts_with("pgnfs: "), "{ended:?}");
    let ended = mount(scratch.source.to_str().unwrap(), scratch.mount.to_str().unwrap());
    assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""));
    assert_eq!(scratch.games().len(), 2);
    scratch.unmount();
}
