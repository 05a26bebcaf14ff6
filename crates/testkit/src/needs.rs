//! Requirements of tests. A test without them prints that and is skipped; with `CI=true` it fails.

use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Ends a test with a message if something is missing; with `CI=true` the test fails.
///
/// `needs!(mount)`, `needs!(terminal)`, `needs!(root)`, `needs!(samples)`, which returns their folder, `needs!(program "jq", in
/// "jq")` with the Debian package, and `needs!(if condition, "message with {}", arguments)`.
#[macro_export]
macro_rules! needs {
    (mount) => {
        if let Err(what) = $crate::may_mount() {
            $crate::missing(what);
            return Default::default();
        }
    };
    (terminal) => {
        $crate::needs!(if ::std::path::Path::new("/dev/ptmx").exists(), "/dev/ptmx")
    };
    (root) => {
        $crate::needs!(if $crate::is_root(), "the right of root")
    };
    (samples) => {{
        let folder = $crate::samples_folder();
        $crate::needs!(if folder.is_dir(), "sample data ({})", folder.display());
        folder
    }};
    (program $name:expr, in $package:expr) => {
        if !$crate::has($name, $package) {
            return Default::default();
        }
    };
    (if $there:expr, $($what:tt)+) => {
        if !$there {
            $crate::missing(&format!($($what)+));
            return Default::default();
        }
    };
}

/// Prints that a test is skipped because something is missing; with `CI=true` it fails.
pub fn missing(what: &str) {
    assert_ne!(
        std::env::var("CI").as_deref(),
        Ok("true"),
        "missing in CI: {what}"
    );
    // Written directly, because the test runner captures what tests print, and in one piece.
    let line = format!("SKIPPED: {what} is missing\n");
    let _ = std::io::stderr().write_all(line.as_bytes());
    // A runner that shows the output of failed tests only passes a file for these lines.
    if let Some(file) = std::env::var_os("PGNFS_SKIPPED") {
        let file = std::fs::OpenOptions::new().append(true).open(file);
        let _ = file.and_then(|mut file| file.write_all(line.as_bytes()));
    }
}

/// The folder with sample data and check scripts: `$PGNFS_SHARED`, or `../shared` next to the repository.
pub fn samples_folder() -> PathBuf {
    // For scripts/test, which runs the tests that take samples without them, too.
    if let Some(file) = std::env::var_os("PGNFS_TAKE_SAMPLES") {
        let file = std::fs::OpenOptions::new().append(true).open(file);
        let line = std::thread::current().name().map(|test| format!("{test}\n"));
        let _ = file.and_then(|mut file| file.write_all(line.unwrap_or_default().as_bytes()));
    }
    let given = std::env::var_os("PGNFS_SHARED").map(PathBuf::from);
    given.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared"))
}

/// How much a sweep tries: `few` in an ordinary run, which is over in minutes, and `all` in `scripts/long-test cases`.
pub fn cases<T>(few: T, all: T) -> T {
    if std::env::var_os("PGNFS_ALL_CASES").is_some() {
        all
    } else {
        few
    }
}

/// Whether this user may mount file systems of FUSE: as root with the right to mount, which containers often take away,
/// or with `fusermount3`.
///
/// # Errors
/// Says what is missing.
pub fn may_mount() -> Result<(), &'static str> {
    let device = File::options().read(true).write(true).open("/dev/fuse");
    device.map_err(|_| "/dev/fuse, which this user may open")?;
    if is_root() {
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let rights = status.lines().find_map(|line| line.strip_prefix("CapEff:"));
        let rights = rights.and_then(|rights| u64::from_str_radix(rights.trim(), 16).ok());
        let may_mount = rights.is_some_and(|rights| rights >> CAP_SYS_ADMIN & 1 == 1);
        return may_mount.then_some(()).ok_or("the right to mount");
    }
    let sets_user = |folder: PathBuf| {
        let found = fs::metadata(folder.join("fusermount3"));
        found.is_ok_and(|found| found.permissions().mode() & 0o4000 != 0)
    };
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let is_there = std::env::split_paths(&folders).any(sets_user);
    is_there
        .then_some(())
        .ok_or("fusermount3 with the bit setuid (Debian package fuse3)")
}

/// The number of the capability in `linux/capability.h`.
const CAP_SYS_ADMIN: u32 = 21;

pub fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// True if a program is installed; otherwise prints that it is missing. Debian installs some in folders that
/// are not in every PATH.
pub fn has(program: &str, package: &str) -> bool {
    let found = Command::new("sh")
        .args([
            "-c",
            r#"PATH=$PATH:/usr/games:/usr/sbin; command -v "$1""#,
            "sh",
            program,
        ])
        .stdout(Stdio::null())
        .status();
    let found = found.is_ok_and(|status| status.success());
    if !found {
        missing(&format!("{program} (Debian package {package})"));
    }
    found
}

/// A Python with a module: `$PGNFS_PYTHON`, or `python3`. `package` is the name of the package with the
/// module.
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
