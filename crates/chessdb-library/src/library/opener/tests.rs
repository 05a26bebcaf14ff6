//! Files that change while they are opened, and again before anybody has asked for the result.

use std::fs::{self, File};
use std::os::unix::fs::{FileExt, symlink};
use std::time::SystemTime;

use super::*;
use crate::library::open::open;
use crate::library::root::Root;
use chessdb::formats::FORMATS;
use tempfile::TempDir;
use testkit::writers::chessbase_2cbh::archive::{Form, zip};

/// A game; all have the same length.
fn game(number: u8) -> String {
    format!("[Event \"{number}\"]\n[White \"A\"]\n\n1. e4 *\n")
}

/// A folder with a database, of one file or of two, how it is opened, and its task.
struct Made {
    folder: TempDir,
    how: Arc<How>,
    task: Arc<OpeningTask>,
}

impl Made {
    fn of(format: &str, names: &[&str], contents: &[&[u8]]) -> Made {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for (name, content) in names.iter().zip(contents) {
            fs::write(root.join(name), content).unwrap();
        }
        let kind = |name: &str| name.rsplit_once('.').unwrap().1.to_owned();
        let candidate = Candidate {
            name: names[0].to_owned(),
            files: names.iter().map(|name| (kind(name), root.join(name))).collect(),
            warnings: Vec::new(),
        };
        let format = FORMATS.iter().find(|row| row.name == format).unwrap();
        let task = OpeningTask {
            folder: Vec::new(),
            name: names[0].to_owned(),
            candidates: vec![(format, candidate)],
            by_content: false,
            is_joined: false,
            unusable: Arc::default(),
            mount: None,
            hung: None,
        };
        let how = How {
            root: Root::open(&root).unwrap(),
            options: Options::default(),
            kept: None,
        };
        Made {
            folder,
            how: Arc::new(how),
            task: Arc::new(task),
        }
    }

    fn pgn() -> Made {
        Made::of("pgn", &["a.pgn"], &[game(1).as_bytes()])
    }

    fn simplecdb() -> Made {
        Made::of(
            "simplecdb",
            &["a.dci", "a.dcg"],
            &[b"SimpleCDbi\0\0\0\0\0\0\0\0\0\0", b"SimpleCDbg"],
        )
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }

    /// Opens it as a search does that waits for it.
    fn search(&self, openings: &Arc<Openings>) -> Attempt {
        let (options, selection) = (Options::default(), DatabaseSelection::default());
        let opener = Opener::new(&options, &selection, openings, &[], &[], Duration::ZERO);
        let mut outcomes = opener.open(vec![self.copy_of_task()], &self.how);
        outcomes.pop().unwrap().1
    }

    /// The task as another search finds it.
    fn copy_of_task(&self) -> OpeningTask {
        OpeningTask {
            folder: Vec::new(),
            name: self.task.name.clone(),
            candidates: self.task.candidates.clone(),
            by_content: false,
            is_joined: false,
            unusable: Arc::default(),
            mount: None,
            hung: None,
        }
    }

    /// Starts to open it and waits for the end. Nobody takes the result.
    fn open_late(&self, openings: &Arc<Openings>) -> Arc<Job> {
        let seen = self.task.candidates.iter().map(|(_, candidate)| {
            let files = candidate.files.iter();
            files.map(|(_, path)| Identity::at(path).ok()).collect()
        });
        let job = openings.begin(Arc::clone(&self.task), seen.collect(), &self.how, None);
        openings.wait(&[Arc::clone(&job)], None);
        assert!(job.opened().is_some());
        job
    }
}

/// A change that gives a file another identity.
type Change = (&'static str, fn(&Path));

/// Puts another file in its place that has the same length and times.
fn replace(path: &Path) {
    let (mut bytes, new) = (fs::read(path).unwrap(), path.with_extension("new"));
    // The number of the game, or a byte of the header that is not read.
    let at = bytes
        .iter()
        .position(|&byte| byte == b'1')
        .unwrap_or(bytes.len() - 1);
    bytes[at] = if bytes[at] == b'1' { b'2' } else { bytes[at] };
    fs::write(&new, bytes).unwrap();
    let time = path.metadata().unwrap().modified().unwrap();
    File::options()
        .write(true)
        .open(&new)
        .unwrap()
        .set_modified(time)
        .unwrap();
    fs::rename(new, path).unwrap();
}

const CHANGES: [Change; 5] = [
    ("replaced", replace),
    ("removed", |path| fs::remove_file(path).unwrap()),
    ("a link to another file", |path| {
        let other = path.with_extension("other");
        fs::copy(path, &other).unwrap();
        fs::remove_file(path).unwrap();
        symlink(other, path).unwrap();
    }),
    ("written in place", |path| {
        let file = File::options().write(true).open(path).unwrap();
        let first = fs::read(path).unwrap()[0];
        file.write_at(&[first], 0).unwrap();
        file.set_modified(SystemTime::UNIX_EPOCH).unwrap();
    }),
    ("longer", |path| {
        let file = File::options().append(true).open(path).unwrap();
        file.set_len(file.metadata().unwrap().len() + 7).unwrap();
    }),
];

#[test]
fn a_file_that_changes_while_it_is_opened_is_not_served() {
    for (make, names) in [
        (Made::pgn as fn() -> Made, &["a.pgn"][..]),
        (Made::simplecdb, &["a.dci", "a.dcg"]),
    ] {
        for name in names {
            for (what, change) in CHANGES {
                let made = make();
                let path = made.path(name);
                // All files are mapped before any is read.
                let count = Cell::new(0);
                let opened = open(&made.task, &made.how, None, &Arc::default(), &|_| {
                    count.set(count.get() + 1);
                    if count.get() == names.len() {
                        change(&path);
                    }
                });
                let refusal = opened.err().unwrap_or_else(|| panic!("{name} {what}: opened"));
                assert!(refusal.is_changing, "{name} {what}: {refusal:?}");
            }
        }
    }
}

/// Makes each change after a database was opened late, also if it could not be opened then. A search must find the
/// same contents as a new process.
#[test]
fn a_database_that_opened_late_and_changed_is_opened_again() {
    let events = |outcome: &Attempt| match outcome {
        Attempt::Open(entries) => {
            let database = &entries[0].database;
            let games = (0..database.len())
                .map(|game| database.tags(game).get("Event").unwrap_or_default().to_owned());
            Ok(games.collect::<Vec<_>>())
        }
        Attempt::Refused(refusal) => Err(refusal.reasons.clone()),
        Attempt::Opening(_) => panic!("nobody waits"),
    };
    let archive = |number| {
        let members = [("a.pgn".to_owned(), game(number).into_bytes())];
        zip(&members, Form::default()).unwrap()
    };
    let text = |text: &str| text.as_bytes().to_vec();
    // How often it was refused late, is refused, and is opened.
    let mut outcomes = [0, 0, 0];
    for (name, first, others) in [
        (
            "a.pgn",
            text(&game(1)),
            [
                text(&game(2)),
                text(&(game(2) + "\n" + &game(3))),
                text("none here"),
            ],
        ),
        (
            "a.zip",
            text("no archive"),
            [archive(1), archive(2), text("none at all")],
        ),
        ("a.zip", archive(1), [archive(2), text("no archive"), Vec::new()]),
    ] {
        for second in others.into_iter().map(Some).chain([None]) {
            for is_replaced in [false, true] {
                let made = Made::of("pgn", &[name], &[&first]);
                let openings = Arc::default();
                let job = made.open_late(&openings);
                let late = job.opened().cloned();
                if let Some(second) = &second {
                    let place = made.path(name);
                    let written = if is_replaced {
                        made.path("new")
                    } else {
                        place.clone()
                    };
                    fs::write(&written, second).unwrap();
                    // The clock of a file system may stand still between two changes.
                    File::options()
                        .write(true)
                        .open(&written)
                        .unwrap()
                        .set_modified(SystemTime::UNIX_EPOCH)
                        .unwrap();
                    fs::rename(written, place).unwrap();
                }
                let found = made.search(&openings);
                let fresh = made.search(&Arc::default());
                assert_eq!(events(&found), events(&fresh), "{name} {second:?}");
                outcomes[0] += usize::from(matches!(late, Some(Err(_))));
                outcomes[1 + usize::from(events(&found).is_ok())] += 1;
                // A database that did not change is not opened twice.
                if let (Attempt::Open(found), Some(Ok(late)), None) = (&found, &late, &second) {
                    assert!(Arc::ptr_eq(&found[0], &late[0]));
                }
            }
        }
    }
    assert!(outcomes.iter().all(|number| *number >= 4), "{outcomes:?}");
}
