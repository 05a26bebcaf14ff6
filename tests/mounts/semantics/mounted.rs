//! Mounts of the example games as databases, or of the sample databases.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use chessdb::formats::FORMATS;

use super::{encode_simplecdb, source};
use testkit::needs;

/// The format whose games are not rewritten.
const PGN: &str = "pgn";

/// A source and its mount point.
pub struct Mounted {
    folder: tempfile::TempDir,
    source: PathBuf,
    pub games: usize,
}

impl Mounted {
    /// Mounts `club/classics.dci`, whose third game is marked as deleted, and `annotated.dci`, with options.
    /// Returns `None` with a message if mounting is not possible.
    pub fn new(options: &[&str]) -> Option<Mounted> {
        let databases = [("classics.pgn", "club/classics"), ("annotated.pgn", "annotated")];
        let mounted = Mounted::of(&databases)?;
        std::fs::write(mounted.source().join("notes.txt"), "no database").unwrap();
        let index = mounted.source().join("club/classics.dci");
        let mut bytes = std::fs::read(&index).unwrap();
        bytes[19 + 2 * 39] = 0xff;
        std::fs::write(&index, bytes).unwrap();
        mounted.mount(options);
        Some(mounted)
    }

    /// Writes databases of some example games, each at a path without extension, without mounting them.
    pub fn of(databases: &[(&str, &str)]) -> Option<Mounted> {
        needs!(mount);
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("mount")).unwrap();
        let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/games");
        let mut games = 0;
        for (file, base) in databases {
            let read = source::read(&std::fs::read(examples.join(file)).unwrap()).unwrap();
            games += read.len();
            let base = folder.path().join("source").join(base);
            std::fs::create_dir_all(base.parent().unwrap()).unwrap();
            encode_simplecdb::write(&read, &base).unwrap();
        }
        Some(Mounted {
            source: folder.path().join("source"),
            folder,
            games,
        })
    }

    /// Mounts the sample databases of all formats but PGN, whose games are shown as they were written.
    pub fn of_samples() -> Option<Mounted> {
        let samples = needs!(samples).join("data");
        let mut mounted = Mounted::of(&[])?;
        mounted.source = samples.canonicalize().unwrap();
        let formats = FORMATS.iter().map(|format| format.name);
        let kinds: Vec<String> = formats
            .filter(|name| *name != PGN)
            .map(|name| format!("--kinds={name}"))
            .collect();
        let kinds: Vec<&str> = kinds.iter().map(String::as_str).collect();
        mounted.mount(&kinds);
        mounted.games = mounted.databases().iter().map(|(_, games)| games).sum();
        Some(mounted)
    }

    /// The directory of every database that is not a PGN file, with its number of games.
    pub fn databases(&self) -> Vec<(String, usize)> {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pgnfs"));
        let output = command.args(["info", "--json"]).arg(self.source()).output();
        let info: serde_json::Value = serde_json::from_slice(&output.unwrap().stdout).unwrap();
        let databases = info["databases"].as_array().unwrap().iter();
        let databases = databases.filter(|database| database["format"] != PGN);
        let of = |database: &serde_json::Value| {
            let games = database["games"].as_u64().unwrap();
            (database["path"].as_str().unwrap().to_owned(), games as usize)
        };
        databases.map(of).collect()
    }

    pub fn mount(&self, options: &[&str]) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pgnfs"));
        command.args(["mount", "-o", "open-wait=20"]).args(options);
        command.env("XDG_CACHE_HOME", self.folder.path().join("cache"));
        let status = command
            .arg(self.source())
            .arg(self.path())
            .stdin(Stdio::null())
            .status();
        assert!(status.unwrap().success(), "the mount");
    }

    fn is_mounted(&self) -> bool {
        !testkit::mounts::lines_at(&self.path()).is_empty()
    }

    pub fn unmount(&self) -> bool {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pgnfs"));
        let output = command.arg("unmount").arg(self.path()).output();
        output.is_ok_and(|output| output.status.success())
    }

    pub fn source(&self) -> PathBuf {
        self.source.clone()
    }

    /// The mount point.
    pub fn path(&self) -> PathBuf {
        self.folder.path().join("mount")
    }

    /// A folder for copies, outside the mount.
    pub fn copies(&self) -> PathBuf {
        let copies = self.folder.path().join("copies");
        std::fs::create_dir_all(&copies).unwrap();
        copies
    }

    /// The output of a shell command in the mount point. The command must succeed.
    #[track_caller]
    pub fn shell(&self, command: &str) -> String {
        let output = Command::new("sh")
            .args(["-c", command])
            .current_dir(self.path())
            .env("LC_ALL", "C.UTF-8")
            .env("TZ", "UTC")
            .env("COPIES", self.copies())
            .env("SOURCE", self.source())
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{command}: {said}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// The lines of the output.
    #[track_caller]
    pub fn lines(&self, command: &str) -> Vec<String> {
        self.shell(command).lines().map(str::to_owned).collect()
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        if self.is_mounted() && !self.unmount() {
            eprintln!("{} stays mounted", self.path().display());
        }
    }
}
