//! What a cache shows after a change of the source, compared with a fresh walk: all names and attributes of all paths.

use std::collections::{BTreeMap, HashMap};
use std::ffi::OsStr;
use std::ops::ControlFlow;
use std::sync::Arc;

use chessdb_library::library::{Library, LibraryEntry};
use pgnfs_server::inside::{Attributes, ChessFs, CurrentState, Inode, Kind, Outdated, ServeOptions};

use testkit::fake::{Fake, MODIFIED, game};

/// A kernel keeps what a reply said until the server reports that it is outdated.
#[derive(Default)]
struct Cache {
    attributes: HashMap<Inode, Attributes>,
    names: HashMap<(Inode, String), Inode>,
    entries: HashMap<Inode, Vec<String>>,
}

impl Cache {
    fn drop_outdated(&mut self, outdated: &[Outdated]) {
        for Outdated { inode, names } in outdated {
            self.attributes.remove(inode);
            self.entries.remove(inode);
            for name in names {
                self.names.remove(&(*inode, name.clone()));
            }
        }
    }

    fn attributes(&mut self, live: &CurrentState, inode: Inode) -> Attributes {
        let ask = || live.resolve(inode).unwrap().open().unwrap().attributes().unwrap();
        *self.attributes.entry(inode).or_insert_with(ask)
    }

    fn child(&mut self, live: &CurrentState, directory: Inode, name: &str) -> Inode {
        let ask = || {
            let found = live.child(
                &live.resolve(directory).unwrap().open().unwrap(),
                OsStr::new(name),
            );
            let inode = found.unwrap().inode();
            assert!(live.hold(&[inode]).is_empty(), "{name}");
            inode
        };
        *self.names.entry((directory, name.to_owned())).or_insert_with(ask)
    }

    fn entries(&mut self, live: &CurrentState, directory: Inode) -> Vec<String> {
        let ask = || {
            let mut names = Vec::new();
            let resolved = live.resolve(directory).unwrap();
            let mut each = |entry: pgnfs_server::inside::Entry<'_>| {
                names.push(entry.name.to_string());
                ControlFlow::Continue(())
            };
            resolved.open().unwrap().read_dir(0, &mut each).unwrap();
            names.retain(|name| name != "." && name != "..");
            names.sort();
            names
        };
        self.entries.entry(directory).or_insert_with(ask).clone()
    }

    /// What `stat` shows of each path, without the number of the inode.
    fn stat(&mut self, live: &CurrentState) -> BTreeMap<String, Attributes> {
        let mut all = BTreeMap::new();
        let mut rest = vec![(String::new(), Inode::ROOT)];
        while let Some((path, inode)) = rest.pop() {
            let attributes = self.attributes(live, inode);
            let told = Attributes {
                inode: Inode::ROOT,
                ..attributes
            };
            if attributes.kind == Kind::Directory {
                for name in self.entries(live, inode) {
                    let child = self.child(live, inode, &name);
                    rest.push((format!("{path}/{name}"), child));
                }
            }
            all.insert(path, told);
        }
        all
    }
}

/// A database in a state: its path, and which contents it has. With a higher number they are longer and newer.
fn database(path: &str, state: usize) -> Arc<LibraryEntry> {
    let comment = "x".repeat(state);
    let mut entry = Fake::of([game("a", "b").comment(comment).date(1985, 11, 9), game("c", "d")]).at(path);
    entry.files[0].1.modified = MODIFIED + 1_000_000_000 * state as i128;
    Arc::new(entry)
}

/// States of a source: the paths of its databases, each with the state of the database.
const STATES: [&[(&str, usize)]; 9] = [
    &[("top", 0), ("a/near", 0), ("a/b/c/deep", 0)],
    // One is newer, at each depth.
    &[("top", 3), ("a/near", 0), ("a/b/c/deep", 0)],
    &[("top", 0), ("a/near", 3), ("a/b/c/deep", 0)],
    &[("top", 0), ("a/near", 0), ("a/b/c/deep", 3)],
    // Two have changed.
    &[("top", 1), ("a/near", 0), ("a/b/c/deep", 2)],
    // One is gone, and one has come.
    &[("top", 0), ("a/near", 0)],
    &[("top", 0), ("a/near", 0), ("a/b/c/deep", 0), ("a/b/other", 2)],
    // A folder has become a database, and no database has a folder.
    &[("top", 0), ("a/near", 0), ("a/b", 1)],
    &[("top", 4)],
];

/// The same database is the same entry in all states.
struct Databases(BTreeMap<(&'static str, usize), Arc<LibraryEntry>>);

impl Databases {
    fn library(&mut self, state: &[(&'static str, usize)]) -> Library {
        let entry = |&(path, number): &(&'static str, usize)| {
            let entry = self.0.entry((path, number));
            Arc::clone(entry.or_insert_with(|| database(path, number)))
        };
        Library::from_shared(state.iter().map(entry).collect())
    }
}

#[track_caller]
fn assert_same(cached: &BTreeMap<String, Attributes>, fresh: &BTreeMap<String, Attributes>, what: &str) {
    let paths = cached.keys().chain(fresh.keys());
    for path in paths {
        assert_eq!(cached.get(path), fresh.get(path), "{path} after {what}");
    }
}

#[test]
fn after_each_change_all_attributes_are_those_of_a_fresh_mount() {
    let mut compared = 0;
    for (from, before) in STATES.iter().enumerate() {
        for (to, after) in STATES.iter().enumerate().filter(|(to, _)| *to != from) {
            let mut databases = Databases(BTreeMap::new());
            let live = CurrentState::new(ChessFs::new(databases.library(before), ServeOptions::default()));
            let mut cache = Cache::default();
            cache.stat(&live);
            // Forward and back: old answers must not stay either.
            for (state, what) in [
                (after, format!("{from} to {to}")),
                (before, format!("{from} to {to} and back")),
            ] {
                let outdated = live.replace(databases.library(state));
                cache.drop_outdated(&outdated);
                let cached = cache.stat(&live);
                let fresh =
                    CurrentState::new(ChessFs::new(databases.library(state), ServeOptions::default()));
                let fresh = Cache::default().stat(&fresh);
                assert_same(&cached, &fresh, &what);
                compared += fresh.len();
            }
        }
    }
    assert!(compared > 10_000, "{compared}");
}
