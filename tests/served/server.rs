//! A front end without FUSE: it walks, lists and reads by path.

use std::ffi::OsStr;
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use std::process::Command;
use std::sync::mpsc::channel;
use std::time::Duration;

use chessdb_library::library::Library;
use pgnfs::fs::{FsError, Inode, Kind, PassOptions, Resolved, ServeOptions};
use pgnfs::server::Server;
use pgnfs::watch::Means;

struct FrontEnd(Server);

impl FrontEnd {
    fn find(&self, path: &str) -> Result<Resolved, FsError> {
        let mut names = path.split('/').filter(|name| !name.is_empty());
        names.try_fold(self.0.live().resolve(Inode::ROOT)?, |directory, name| {
            self.0.live().child(&directory.open()?, OsStr::new(name))
        })
    }

    fn list(&self, directory: &str) -> Result<Vec<(String, Kind)>, FsError> {
        let mut entries = Vec::new();
        self.find(directory)?.open()?.read_dir(2, &mut |entry| {
            entries.push((format!("{directory}/{}", entry.name), entry.kind));
            ControlFlow::Continue(())
        })?;
        Ok(entries)
    }

    fn read(&self, path: &str) -> Result<String, FsError> {
        let file = self.find(path)?;
        let bytes = file.open()?.read(0, u32::MAX)?.to_vec();
        assert_eq!(file.open()?.attributes()?.size, bytes.len() as u64, "{path}");
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// The paths and texts of all files below a directory.
    fn read_all(&self, directory: &str, files: &mut Vec<(String, String)>) -> Result<(), FsError> {
        for (path, kind) in self.list(directory)? {
            match kind {
                Kind::Directory => self.read_all(&path, files)?,
                Kind::File => files.push((path.clone(), self.read(&path)?)),
                Kind::Link => assert!(!self.find(&path)?.open()?.target()?.is_empty()),
            }
        }
        Ok(())
    }
}

fn write(path: &Path, players: &[&str]) {
    let games = players.iter().map(|player| {
        format!("[White \"{player}\"]\n[Date \"1851.06.21\"]\n[Result \"1-0\"]\n\n1. e4 e5 2. f4 1-0\n\n")
    });
    let aside = path.with_extension("new");
    fs::write(&aside, games.collect::<String>()).unwrap();
    fs::rename(aside, path).unwrap();
}

#[test]
fn a_front_end_reads_a_source_by_path_and_is_told_of_changes() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path();
    fs::create_dir(source.join("club")).unwrap();
    write(&source.join("a.pgn"), &["Anderssen", "Kieseritzky"]);
    write(&source.join("club/b.pgn"), &["Dufresne"]);
    let open = |source: &Path| Library::open(source, &Default::default()).map_err(std::io::Error::other);
    let (quiet, options) = (Duration::from_millis(50), ServeOptions::default());
    let mut front_end = FrontEnd(Server::open(source, Means::Auto, quiet, open, options).unwrap());
    let (sender, outdated) = channel();
    let report = move |outdated: &[_]| sender.send(outdated.to_vec()).unwrap();
    let pass = PassOptions {
        threads: 1,
        lower_priority: || (),
    };
    front_end.0.start(pass, report).unwrap();

    let mut files = Vec::new();
    front_end.read_all("", &mut files).unwrap();
    for database in ["a.pgn", "club/b.pgn"] {
        let mut export = Command::new(env!("CARGO_BIN_EXE_pgnfs"));
        let exported = export.arg("export").arg(source.join(database)).output().unwrap();
        let exported = String::from_utf8(exported.stdout).unwrap();
        let below = format!("/{database}/games/");
        let games = files.iter().filter(|(path, _)| path.starts_with(&below));
        assert_eq!(games.map(|(_, text)| text.as_str()).collect::<String>(), exported);
        assert!(files.contains(&(format!("/{database}/all.pgn"), exported)));
    }

    write(&source.join("a.pgn"), &["Anderssen", "Kieseritzky", "Dufresne"]);
    let outdated = outdated.recv_timeout(Duration::from_secs(20)).unwrap();
    let root = outdated.iter().find(|here| here.inode == Inode::ROOT).unwrap();
    assert!(root.names.contains(&"a.pgn".to_owned()), "{outdated:?}");
    assert_eq!(front_end.list("a.pgn/games/000001-001000").unwrap().len(), 3);
    front_end.0.end();
}
