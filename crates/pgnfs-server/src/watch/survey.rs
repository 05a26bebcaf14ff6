//! The state of a source at one moment.

use std::fs::{self, Metadata};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::Xxh3;

use chessdb_library::mounts::{self, Mount, Mounts};
use chessdb_library::task;
use chessdb_library::workers::hung::{self, Hung};

/// Result of examining a source.
#[derive(Default)]
pub struct Survey {
    /// Changes whenever a file or folder is added, removed or changed, or a file system does not answer.
    pub fingerprint: u64,
    /// True if part of it is on a file system that can change without events from the kernel.
    pub has_others: bool,
    /// True if the source does not exist.
    pub is_missing: bool,
}

impl Survey {
    /// Examines a folder and everything below it, or a file and those next to it. Calls `enter` for each
    /// folder before it is examined, with its mount unless that is local. Links are not followed, because
    /// their targets within the source are examined anyway, and mounts of this program are not entered, because nothing
    /// in them is served.
    pub fn of(source: &Path, mounts: &Mounts, mut enter: impl FnMut(&Path, Option<&Mount>)) -> Survey {
        let mut survey = Survey::default();
        let mut hash = Xxh3::new();
        match locate(source, mounts) {
            Ok(Some((real, true))) => {
                survey.has_others = has_others(mounts, &real);
                let points: Vec<&Path> = mounts.below(&real).collect();
                let mut folders = vec![(real.clone(), mounts.not_local(&real))];
                folders.retain(|(real, _)| !is_of_this_program(mounts, real));
                while let Some((folder, mount)) = folders.pop() {
                    enter(&folder, mount);
                    for below in list(&folder, mount, mounts, &mut hash) {
                        let is_point = points.contains(&below.as_path());
                        if is_point && is_of_this_program(mounts, &below) {
                            continue;
                        }
                        survey.has_others |= is_point && has_others(mounts, &below);
                        let mount = if is_point { mounts.not_local(&below) } else { mount };
                        folders.push((below, mount));
                    }
                }
            }
            Ok(Some((real, false))) => {
                let folder = real.parent().unwrap_or(Path::new("/"));
                let mount = mounts.not_local(folder);
                survey.has_others = has_others(mounts, folder);
                enter(folder, mount);
                list(folder, mount, mounts, &mut hash);
                add(&mut hash, &real, None);
            }
            Ok(None) => survey.is_missing = true,
            Err(Hung { point }) => {
                survey.has_others = true;
                add(&mut hash, &point, None);
            }
        }
        survey.fingerprint = hash.digest();
        survey
    }
}

/// The real path of a source, and whether it is a folder; `None` if it does not exist.
fn locate(source: &Path, mounts: &Mounts) -> Result<Option<(PathBuf, bool)>, Hung> {
    let Ok(real) = hung::real_path(mounts, source)? else {
        return Ok(None);
    };
    let path = real.clone();
    let meta = hung::ask(mounts.not_local(&real), move || path.metadata())?;
    Ok(meta.ok().map(|meta| (real, meta.is_dir())))
}

/// Adds the entries of a folder to the hash and returns its subfolders. A folder that does not answer changes
/// the hash.
fn list(folder: &Path, mount: Option<&Mount>, mounts: &Mounts, hash: &mut Xxh3) -> Vec<PathBuf> {
    add(hash, folder, None);
    let path = folder.to_owned();
    // The metadata of a mount point comes from another file system, which may not answer.
    let points = mounts
        .below(folder)
        .filter(|point| point.parent() == Some(folder));
    let points: Vec<PathBuf> = points.map(Path::to_owned).collect();
    let Ok(mut entries) = hung::ask(mount, move || entries(&path, &points)) else {
        hash.update(b"does not answer");
        return Vec::new();
    };
    for (path, meta) in entries.iter_mut().filter(|(_, meta)| meta.is_none()) {
        if is_of_this_program(mounts, path) {
            continue;
        }
        let point = path.clone();
        let asked = hung::ask(mounts.not_local(path), move || point.symlink_metadata());
        *meta = asked.ok().and_then(Result::ok);
    }
    entries.sort_by(|a, b| a.0.cmp(&b.0));
    for (path, meta) in &entries {
        add(hash, path, meta.as_ref());
    }
    entries.retain(|(_, meta)| meta.as_ref().is_none_or(Metadata::is_dir));
    entries.into_iter().map(|(path, _)| path).collect()
}

/// The entries of a folder, without metadata for mount points.
fn entries(folder: &Path, points: &[PathBuf]) -> Vec<(PathBuf, Option<Metadata>)> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let entries = entries.filter_map(|entry| {
        task::report_progress();
        let path = entry.path();
        let meta = if points.contains(&path) {
            None
        } else {
            Some(entry.metadata().ok()?)
        };
        Some((path, meta))
    });
    entries.collect()
}

fn add(hash: &mut Xxh3, path: &Path, meta: Option<&Metadata>) {
    hash.update(path.as_os_str().as_bytes());
    hash.update(&[0]);
    // Times of folders are ignored: they follow from the entries.
    if let Some(meta) = meta {
        let times = if meta.is_dir() {
            [0; 4]
        } else {
            [meta.mtime(), meta.mtime_nsec(), meta.ctime(), meta.ctime_nsec()]
        };
        let numbers = [meta.dev(), meta.ino(), meta.mode().into(), meta.size()];
        for number in numbers.into_iter().chain(times.map(i64::cast_unsigned)) {
            hash.update(&number.to_le_bytes());
        }
    }
}

/// True for a folder in a mount of this program.
fn is_of_this_program(mounts: &Mounts, folder: &Path) -> bool {
    let mount = mounts.containing(folder);
    mount.is_some_and(|mount| mount.kind == mounts::TYPE)
}

/// True if files can change without an event from the kernel: by other machines, other programs or other
/// layers.
fn has_others(mounts: &Mounts, folder: &Path) -> bool {
    let mount = mounts.containing(folder);
    mount.is_some_and(|mount| !mount.is_local() || mount.kind == "overlay")
}

#[cfg(test)]
mod tests {
    use super::*;

    use std::fs::{File, Permissions};
    use std::os::unix::fs::PermissionsExt;
    use std::time::{Duration, SystemTime};

    use chessdb_library::mounts::Device;

    fn fingerprint(path: &Path) -> u64 {
        Survey::of(path, &Mounts::read().unwrap(), |_, _| ()).fingerprint
    }

    #[test]
    fn every_change_has_another_fingerprint() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let mut seen = vec![fingerprint(folder.path())];
        let mut expect_another = |what: &str| {
            let now = fingerprint(folder.path());
            assert_eq!(now, fingerprint(folder.path()));
            assert!(!seen.contains(&now), "{what}");
            seen.push(now);
        };
        fs::create_dir(at("sub")).unwrap();
        expect_another("a folder comes");
        fs::write(at("sub/file"), "1").unwrap();
        expect_another("a file comes");
        fs::write(at("sub/file"), "12").unwrap();
        expect_another("it grows");
        let time = at("sub/file").metadata().unwrap().modified().unwrap();
        fs::write(at("sub/new"), "21").unwrap();
        File::open(at("sub/new")).unwrap().set_modified(time).unwrap();
        fs::rename(at("sub/new"), at("sub/file")).unwrap();
        expect_another("another file of the same size and time replaces it");
        fs::set_permissions(at("sub/file"), Permissions::from_mode(0o600)).unwrap();
        expect_another("others may no longer read it");
        File::open(at("sub/file"))
            .unwrap()
            .set_modified(time + Duration::from_nanos(1))
            .unwrap();
        expect_another("its time is another one by a nanosecond");
        fs::rename(at("sub/file"), at("sub/other")).unwrap();
        expect_another("it gets another name");
        fs::rename(at("sub"), at("folder")).unwrap();
        expect_another("its folder gets another name");
        std::os::unix::fs::symlink("folder", at("link")).unwrap();
        expect_another("a link comes");
        fs::remove_file(at("folder/other")).unwrap();
        expect_another("a file goes");
    }

    #[test]
    fn mounts_of_this_program_are_not_entered() {
        let folder = tempfile::tempdir().unwrap();
        let real = folder.path().canonicalize().unwrap();
        let mount = Mount {
            id: 1,
            device: Device(1),
            path: real.join("mounted"),
            kind: mounts::TYPE.to_owned(),
            source: "/games".into(),
            user: None,
        };
        let mounts = Mounts::from_iter([mount]);
        let mut folders = Vec::new();
        let mut look =
            |source: &Path| Survey::of(source, &mounts, |folder, _| folders.push(folder.to_owned()));
        fs::create_dir_all(real.join("mounted/players")).unwrap();
        fs::create_dir(real.join("other")).unwrap();
        let before = look(&real);
        fs::write(real.join("mounted/players/a.pgn"), "").unwrap();
        let after = look(&real);
        assert_eq!(before.fingerprint, after.fingerprint);
        assert!(!after.has_others, "a change of the mount changes nothing");
        look(&real.join("mounted"));
        let expected = [real.clone(), real.join("other")];
        assert_eq!(folders, [&expected[..], &expected].concat());
    }

    /// Both times are in the same second, and the file has the same size.
    #[test]
    fn a_change_within_a_second_has_another_fingerprint() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let mut tried = 0;
        for time in [0, 999_999_998] {
            loop {
                fs::write(&path, "before").unwrap();
                let modified =
                    |nanoseconds| SystemTime::UNIX_EPOCH + Duration::new(1_000_000_000, nanoseconds);
                File::open(&path).unwrap().set_modified(modified(time)).unwrap();
                let (before, first) = (path.metadata().unwrap().ctime(), fingerprint(folder.path()));
                fs::write(&path, "behind").unwrap();
                File::open(&path)
                    .unwrap()
                    .set_modified(modified(time + 1))
                    .unwrap();
                let (after, second) = (path.metadata().unwrap().ctime(), fingerprint(folder.path()));
                assert_ne!(first, second);
                tried += 1;
                // A second may end between the two.
                if before == after {
                    break;
                }
            }
        }
        assert!(tried >= 2);
    }

    #[test]
    fn a_file_is_watched_with_those_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let mut folders = Vec::new();
        let mounts = Mounts::read().unwrap();
        let mut look = || Survey::of(&path, &mounts, |folder, _| folders.push(folder.to_owned()));
        assert!(look().is_missing);
        fs::write(&path, "").unwrap();
        let alone = look();
        assert!(!alone.is_missing);
        fs::write(folder.path().join("companion"), "").unwrap();
        assert_ne!(look().fingerprint, alone.fingerprint);
        let real = folder.path().canonicalize().unwrap();
        assert_eq!(folders, [real.clone(), real]);
    }
}
