//! A temporary folder with databases and a mount point, and running the program on them.

use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use tempfile::TempDir;

use super::simplecdb::{self, IMMORTAL, OPERA};
use testkit::patience::Waiting;
pub use testkit::patience::{PATIENCE, wait_for};

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
    _watch: Watch,
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
        let watch = Watch::over(folder.path());
        Scratch {
            folder,
            source,
            mount,
            _watch: watch,
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
        testkit::mounts::lines_at(&self.mount)
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
        processes(|argument| argument == here)
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

    /// Runs a shell script in separate user and mount namespaces, see [`Scratch::run_isolated`].
    pub fn run_in_namespace(&self, script: &str) -> Option<Ended> {
        let mut command = self.isolated("-Urm", script);
        let ended = run(command.env("XDG_RUNTIME_DIR", self.path("")));
        is_possible(&ended, "a namespace for users").then_some(ended)
    }

    /// Runs a shell script as root in a mount namespace of its own, where nobody else sees what it mounts, with the
    /// scratch folder as `$1` and the program as `$2`. If it ends with 9, something that it needs is missing; then the
    /// result is `None` with a message, as where the system allows no such namespace: in many containers, and where `/`
    /// is not a mount point.
    pub fn run_isolated(&self, script: &str, prepare: impl FnOnce(&mut Command)) -> Option<Ended> {
        let what = "a mount namespace of root";
        if !is_possible(&run(&mut self.isolated("-m", "exit 0")), what) {
            return None;
        }
        let mut command = self.isolated("-m", script);
        prepare(&mut command);
        let ended = run(&mut command);
        is_possible(&ended, what).then_some(ended)
    }

    fn isolated(&self, namespaces: &str, script: &str) -> Command {
        let folder = self.folder.path().canonicalize().unwrap();
        let mut command = Command::new("unshare");
        command
            .args([namespaces, "bash", "-c", script, "bash"])
            .arg(folder)
            .arg(env!("CARGO_BIN_EXE_pgnfs"));
        command
    }
}

/// A path as messages have it for a shell: in quotation marks if it has a blank.
pub fn for_shell(path: &Path) -> String {
    let path = path.to_str().unwrap();
    match path.contains(' ') {
        true => format!("'{path}'"),
        false => path.to_owned(),
    }
}

/// False with a message if a script could not be run in its namespace, or lacked something.
fn is_possible(ended: &Ended, what: &str) -> bool {
    let is_possible = ![None, Some(1), Some(9)].contains(&ended.code);
    if !is_possible {
        testkit::missing(&format!("{what} ({})", ended.err.trim()));
    }
    is_possible
}

/// The ids of the processes with an argument like this.
fn processes(is_meant: impl Fn(&[u8]) -> bool) -> Vec<u32> {
    let names_it = |path: &Path| {
        let line = fs::read(path.join("cmdline")).unwrap_or_default();
        line.split(|&c| c == 0).any(&is_meant)
    };
    let all = fs::read_dir("/proc").unwrap().map(|entry| entry.unwrap().path());
    all.filter_map(|path| {
        let id = path.file_name()?.to_str()?.parse().ok()?;
        names_it(&path).then_some(id)
    })
    .collect()
}

/// Ends a test that takes too long, whatever the program does: a minute after the beginning all processes with the
/// scratch folder in their arguments are killed, so all that waits for them fails, reads of their mounts too.
struct Watch(#[allow(dead_code)] Sender<()>);

/// As counted by [`Waiting`].
const LONGEST_TEST: Duration = Duration::from_secs(60);

impl Watch {
    fn over(folder: &Path) -> Watch {
        let folder = folder.as_os_str().as_encoded_bytes().to_owned();
        let (test, ended) = channel();
        thread::spawn(move || {
            let mut waiting = Waiting::begin();
            while waiting.spent() < LONGEST_TEST {
                if ended.recv_timeout(Duration::from_millis(100)) == Err(RecvTimeoutError::Disconnected) {
                    return;
                }
            }
            let is_own = |argument: &[u8]| argument.windows(folder.len()).any(|part| part == folder);
            for process in processes(is_own) {
                eprintln!("the test takes longer than a minute: process {process} is killed");
                let _ = kill(process, "KILL").status();
            }
        });
        Watch(test)
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
    let ended = run(&mut kill(process, name));
    assert_eq!(ended.code, Some(0), "{ended:?}");
}

/// Stops a process and waits for it: its threads continue until each of them is stopped.
pub fn stop(process: u32) {
    signal(process, "STOP");
    wait_for("the process to stand still", || {
        let mut threads = fs::read_dir(format!("/proc/{process}/task")).unwrap();
        threads.all(|thread| {
            let stat = fs::read_to_string(thread.unwrap().path().join("stat")).unwrap_or_default();
            stat.contains(") T ")
        })
    });
}

/// A command that sends a signal. Every shell has it, and a bare system has no other program for it.
pub fn kill(process: u32, name: &str) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", "kill -s \"$1\" \"$2\"", "sh", name, &process.to_string()]);
    command
}
