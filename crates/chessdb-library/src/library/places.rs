//! Paths of databases in the tree.

use std::collections::HashMap;
use std::sync::Arc;

use super::LibraryEntry;
use super::found_name::legible;
use super::names::{LONGEST_NAME, TakenNames, cut, safe_name};
use super::task::OpeningTask;

/// An open database and where it was found.
#[derive(Clone)]
pub(super) struct LocatedEntry {
    /// Names of the folders from the source down, as on disk.
    pub(super) folder: Vec<String>,
    /// Name of the directory that shows it; empty if that is the folder itself.
    pub(super) name: String,
    pub(super) entry: Arc<LibraryEntry>,
}

impl LocatedEntry {
    /// True for an earlier state of a task's database, or for a part of it.
    pub(super) fn is_of(&self, task: &OpeningTask, is_source: bool) -> bool {
        let names = self.folder.iter().chain([&self.name]);
        names.eq(names_of(task, self.entry.part.as_deref(), is_source))
    }

    /// The opened databases of a task. If an archive contains several, they are in a folder with the name of
    /// the archive, or at the root if the archive is the source, and there in folders as in the archive.
    pub(super) fn all(
        task: &OpeningTask,
        entries: &[Arc<LibraryEntry>],
        is_source: bool,
    ) -> impl Iterator<Item = LocatedEntry> {
        entries.iter().map(move |entry| {
            let names = names_of(task, entry.part.as_deref(), is_source);
            let mut folder: Vec<String> = names.map(str::to_owned).collect();
            let name = folder.pop().unwrap_or_default();
            LocatedEntry {
                folder,
                name,
                entry: Arc::clone(entry),
            }
        })
    }
}

/// The names on the way from the source to a task's database, or to a part of it, as in [`LocatedEntry`].
fn names_of<'a>(
    task: &'a OpeningTask,
    part: Option<&'a str>,
    is_source: bool,
) -> impl Iterator<Item = &'a str> {
    let name = (part.is_none() || !is_source).then_some(&task.name);
    let parts = part.into_iter().flat_map(|part| part.split('/'));
    task.folder.iter().chain(name).map(String::as_str).chain(parts)
}

/// Gives each database a safe and unique path. A database that has another path than its entry gets the entry in
/// `before` that has this path, so that a database with several paths keeps all its entries.
pub(super) fn place(found: &mut [LocatedEntry], flat: bool, before: &[Arc<LibraryEntry>]) {
    let mut by_path: HashMap<&str, Vec<&Arc<LibraryEntry>>> = HashMap::new();
    for entry in before {
        by_path.entry(&entry.path).or_default().push(entry);
    }
    found.sort_by(|a, b| (&a.folder, &a.name).cmp(&(&b.folder, &b.name)));
    let mut paths = SafePaths::default();
    let mut names = TakenNames::default();
    // Databases of one folder are neighbours, and the folder may be deep, so its path is computed once.
    let mut last: Option<(&[String], String)> = None;
    for LocatedEntry { folder, name, entry } in found {
        let own_name = match name.as_str() {
            "" => folder.last().map_or("", String::as_str),
            name => name,
        };
        let path = if flat && !own_name.is_empty() {
            names.take_name(&shown_name(own_name))
        } else {
            let above = match last.take() {
                Some((same, path)) if same == folder => path,
                _ => paths.path_of(folder),
            };
            let path = match name.as_str() {
                "" => above.clone(),
                name => paths.below(above.clone(), name, true),
            };
            last = Some((folder, above));
            path
        };
        if entry.path != path {
            let mut there = by_path.get(path.as_str()).into_iter().flatten();
            *entry = match there.find(|there| there.database.is_same(&entry.database)) {
                Some(same) => Arc::clone(same),
                None => Arc::new(LibraryEntry {
                    path,
                    ..LibraryEntry::clone(entry)
                }),
            };
        }
    }
}

/// The name of the directory that shows a file or folder. Only a name in another encoding can become too long.
fn shown_name(name: &str) -> String {
    let legible = legible(name);
    let shown = safe_name(&legible);
    let longest = if shown.len() > LONGEST {
        LONGEST_NAME
    } else {
        LONGEST
    };
    cut(&shown, longest).to_owned()
}

/// Maximum length of a name in bytes.
const LONGEST: usize = 255;

/// Safe paths, assigned folder by folder.
#[derive(Default)]
struct SafePaths {
    taken: HashMap<String, TakenNames>,
    /// The path of each folder and database by its parent's path, its name on disk, and whether it is a
    /// database. A database may have the same name as a folder next to it.
    given: HashMap<(String, String, bool), String>,
}

impl SafePaths {
    /// The path of a folder.
    fn path_of(&mut self, folder: &[String]) -> String {
        folder
            .iter()
            .fold(String::new(), |path, name| self.below(path, name, false))
    }

    /// The path of a folder or a database in a folder.
    fn below(&mut self, parent: String, name: &str, is_database: bool) -> String {
        let key = (parent, name.to_owned(), is_database);
        if let Some(path) = self.given.get(&key) {
            return path.clone();
        }
        let parent = &key.0;
        let names = self.taken.entry(parent.clone()).or_default();
        let name = names.take_name(&shown_name(name));
        let path = if parent.is_empty() {
            name
        } else {
            format!("{parent}/{name}")
        };
        self.given.insert(key, path.clone());
        path
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_of_more_than_255_bytes_is_cut() {
        for (len, shown) in [(254, 254), (255, 255), (256, LONGEST_NAME)] {
            assert_eq!(shown_name(&"x".repeat(len)).len(), shown, "{len}");
        }
    }
}
