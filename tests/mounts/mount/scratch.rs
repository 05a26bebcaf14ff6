//! A temporary folder with databases and a mount point, and running the program on them.

use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::simplecdb::{self, IMMORTAL, OPERA};
use testkit::needs;

/// Maximum time for any step of a test.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// Changes count sooner than by default, which allows programs some time between the files of a database.
const QUIET: &str = "quiet=500";

/// A mount has all databases from the beginning, however slowly they are opened, for example with a sanitizer.
pub const PATIENT: &str = "open-wait=20";

/// The program.
pub fn pgnfs() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pgnfs"));
    command.env_remove("RUST_LOG");
    command
}

/// The result of a command.
#[derive(Debug)]
pub struct Ended {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

/// Variable that contains the folder for size files.
pub const CACHE: &str = "XDG_CACHE_HOME";

/// Runs a command to its end. Mounts in it write nothing to the user's own cache.
pub fn run(command: &mut Command) -> Ended {
    if command.get_envs().all(|(name, _)| name != CACHE) {
        command.env(CACHE, concat!(env!("CARGO_TARGET_TMPDIR"), "/cache"));
    }
    let Output {
        status,
        stdout,
        stderr,
    } = command.stdin(Stdio::null()).output().unwrap();
    Ended {
        code: status.code(),
        out: String::from_utf8(stdout).unwrap(),
        err: String::from_utf8(stderr).unwrap(),
    }
}

/// `source` with the databases `a.dci` (two games) and `sub/b.dci` (one), and an empty `mount`.
pub struct Scratch {
    folder: TempDir,
    pub source: PathBuf,
    pub mount: PathBuf,
}

impl Scratch {
    pub fn new() -> Scratch {
        let folder = TempDir::new().unwrap();
        // Other users need access to the folder.
        fs::set_permissions(folder.path(), PermissionsExt::from_mode(0o755)).unwrap();
        let (source, mount) = (folder.path().join("source"), folder.path().join("mount"));
        fs::create_dir_all(source.join("sub")).unwrap();
        fs::create_dir(&mount).unwrap();
        simplecdb::write(&source.join("a"), &[OPERA, IMMORTAL]);
        simplecdb::write(&source.join("sub/b"), &[OPERA]);
        Scratch {
            folder,
            source,
            mount,
        }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// `pgnfs mount` with options, source and mount point.
    pub fn mount_command(&self, options: &[&str]) -> Command {
        let mut command = pgnfs();
        command
            .arg("mount")
            .args(["-o", QUIET, "-o", PATIENT])
            .args(options)
            .args([&self.source, &self.mount])
            .env(CACHE, self.path("cache"));
        command
    }

    /// Mounts in the background.
    pub fn mount(&self, options: &[&str]) {
        let ended = run(&mut self.mount_command(options));
        assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""), "{ended:?}");
        assert_eq!(ended.out, "");
    }

    /// Mounts in the foreground, with the log in the file `log`.
    pub fn mount_in_foreground(&self, options: &[&str], log: &str) -> Foreground {
        let mut command = self.mount_command(&["-f"]);
        self.start(command.args(options).env("RUST_LOG", log))
    }

    /// Like [`Scratch::mount_in_foreground`], with the default level of the log.
    pub fn mount_in_foreground_as_usual(&self, options: &[&str]) -> Foreground {
        let mut command = self.mount_command(&["-f"]);
        self.start(command.args(options))
    }

    fn start(&self, command: &mut Command) -> Foreground {
        let file = File::options()
            .create(true)
            .append(true)
            .open(self.path("log"))
            .unwrap();
        let child = command.stdin(Stdio::null()).stderr(file).spawn().unwrap();
        wait_for("the mount", || self.is_mounted() && self.games().len() == 2);
        Foreground(child)
    }

    pub fn log(&self) -> String {
        fs::read_to_string(self.path("log")).unwrap()
    }

    /// The games of `a.dci`, sorted by number.
    pub fn games(&self) -> Vec<PathBuf> {
        let folder = self.mount.join("a.dci/games/000001-001000");
        let mut games: Vec<_> = fs::read_dir(folder)
            .into_iter()
            .flatten()
            .map(|entry| entry.unwrap().path())
            .collect();
        games.sort();
        games
    }

    /// The lines of the kernel's table with the mount point.
    pub fn mounts(&self) -> Vec<String> {
        let table = fs::read_to_string("/proc/self/mountinfo").unwrap();
        let here = format!(" {} ", self.mount.display());
        table
            .lines()
            .filter(|line| line.contains(&here))
            .map(str::to_owned)
            .collect()
    }

    pub fn is_mounted(&self) -> bool {
        !self.mounts().is_empty()
    }

    /// All files of the mount.
    pub fn files(&self) -> Vec<PathBuf> {
        let mut files = Vec::new();
        let mut folders = vec![self.mount.clone()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
                let kind = entry.file_type().unwrap();
                if kind.is_dir() {
                    folders.push(entry.path());
                } else if kind.is_file() {
                    files.push(entry.path());
                }
            }
        }
        files
    }

    /// Unmounts by `pgnfs unmount`.
    pub fn unmount(&self) {
        let ended = run(pgnfs().args(["unmount", "--lazy"]).arg(&self.mount));
        assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""));
        assert!(!self.is_mounted());
    }

    /// The ids of the processes with the mount point in their arguments.
    pub fn processes(&self) -> Vec<u32> {
        let here = self.mount.as_os_str().as_encoded_bytes();
        let names_it = |path: &Path| {
            let line = fs::read(path.join("cmdline")).unwrap_or_default();
            line.split(|&c| c == 0).any(|word| word == here)
        };
        let processes = fs::read_dir("/proc").unwrap().map(|entry| entry.unwrap().path());
        processes
            .filter(|path| names_it(path))
            .filter_map(|path| path.file_name()?.to_str()?.parse().ok())
            .collect()
    }

    /// The ids of the two processes of a mount.
    pub fn daemon_and_guardian(&self) -> [u32; 2] {
        // The guardian has no arguments while its program is being loaded.
        wait_for("daemon and guardian", || self.processes().len() == 2);
        let mut processes = self.processes();
        // The daemon starts the guardian, which therefore has the greater id.
        processes.sort_unstable();
        processes.try_into().unwrap()
    }

    /// Runs a shell script in separate user and mount namespaces, with the scratch folder as `$1` and the
    /// program as `$2`. If the script ends with 9, something that it needs is missing, and the result is
    /// `None` with a message.
    pub fn run_in_namespace(&self, script: &str) -> Option<Ended> {
        let ended = run(Command::new("unshare")
            .args(["-Urm", "sh", "-c", script, "sh"])
            .arg(self.path(""))
            .arg(env!("CARGO_BIN_EXE_pgnfs"))
            .env("XDG_RUNTIME_DIR", self.path("")));
        let is_possible = ![None, Some(1), Some(9)].contains(&ended.code);
        needs!(if is_possible, "a namespace for users ({})", ended.err.trim());
        Some(ended)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        while self.is_mounted() {
            let ended = run(pgnfs().arg("unmount").arg(&self.mount));
            if ended.code != Some(0) {
                eprintln!("{ended:?}");
                return;
            }
        }
    }
}

/// A running `pgnfs mount -f`.
pub struct Foreground(Child);

impl Foreground {
    pub fn id(&self) -> u32 {
        self.0.id()
    }

    pub fn signal(&self, name: &str) {
        signal(self.id(), name);
    }

    /// Waits for its end.
    pub fn end(mut self) -> ExitStatus {
        let mut status = None;
        wait_for("the end of the program", || {
            status = self.0.try_wait().unwrap();
            status.is_some()
        });
        status.unwrap()
    }
}

impl Drop for Foreground {
    fn drop(&mut self) {
        // In a successful test it has ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

pub fn signal(process: u32, name: &str) {
    let ended = run(Command::new("kill").args(["-s", name, &process.to_string()]));
    assert_eq!(ended.code, Some(0), "{ended:?}");
}

pub fn wait_for(what: &str, mut is_so: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !is_so() {
        assert!(begin.elapsed() < PATIENCE, "waited in vain for {what}");
        thread::sleep(Duration::from_millis(10));
    }
}
