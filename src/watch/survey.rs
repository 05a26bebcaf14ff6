//! What is in a source at one moment.

use std::fs::{self, Metadata};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::Xxh3;

/// What a source is.
#[derive(Default)]
pub struct Survey {
    /// Another one as soon as a file or folder comes, goes, or is not what it was.
    pub fingerprint: u64,
    /// Some of it is on a file system where changes can come from elsewhere.
    pub has_others: bool,
    /// There is nothing.
    pub is_missing: bool,
}

impl Survey {
    /// Looks at a folder and everything below it, or at a file and all beside it; `enter` is called with each folder
    /// before that is looked at. Links are not followed: where they may lead is looked at anyway.
    pub fn of(source: &Path, mut enter: impl FnMut(&Path)) -> Survey {
        let mut survey = Survey::default();
        let mut hash = Xxh3::new();
        match fs::canonicalize(source).and_then(|real| Ok((real.metadata()?, real))) {
            Ok((meta, real)) if meta.is_dir() => {
                survey.has_others = has_others(&real);
                let mut devices = vec![meta.dev()];
                let mut folders = vec![real];
                while let Some(folder) = folders.pop() {
                    enter(&folder);
                    for (below, meta) in list(&folder, &mut hash) {
                        if !devices.contains(&meta.dev()) {
                            devices.push(meta.dev());
                            survey.has_others |= has_others(&below);
                        }
                        folders.push(below);
                    }
                }
            }
            Ok((_, real)) => {
                let folder = real.parent().unwrap_or(Path::new("/"));
                survey.has_others = has_others(folder);
                enter(folder);
                list(folder, &mut hash);
                add(&mut hash, &real, None);
            }
            Err(_) => survey.is_missing = true,
        }
        survey.fingerprint = hash.digest();
        survey
    }
}

/// Adds what is in a folder, and gives the folders in it.
fn list(folder: &Path, hash: &mut Xxh3) -> Vec<(PathBuf, Metadata)> {
    add(hash, folder, None);
    let mut entries: Vec<(PathBuf, Metadata)> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| Some((entry.path(), entry.metadata().ok()?)))
        .collect();
    entries.sort_by(|a, b| a.0.cmp(&b.0));
    for (path, meta) in &entries {
        add(hash, path, Some(meta));
    }
    entries.retain(|(_, meta)| meta.is_dir());
    entries
}

fn add(hash: &mut Xxh3, path: &Path, meta: Option<&Metadata>) {
    hash.update(path.as_os_str().as_bytes());
    hash.update(&[0]);
    // The times of folders follow from what is in them.
    if let Some(meta) = meta {
        let times = match meta.is_dir() {
            true => [0; 4],
            false => [meta.mtime(), meta.mtime_nsec(), meta.ctime(), meta.ctime_nsec()],
        };
        let numbers = [meta.dev(), meta.ino(), meta.mode().into(), meta.size()];
        for number in numbers.into_iter().chain(times.map(i64::cast_unsigned)) {
            hash.update(&number.to_le_bytes());
        }
    }
}

/// File systems on which changes can come from elsewhere: other machines, other programs, other layers.
const OTHERS: [(u64, &str); 14] = [
    (0x6969, "nfs"),
    (0x517b, "smb"),
    (0xff53_4d42, "cifs"),
    (0xfe53_4d42, "smb2"),
    (0x6573_5546, "fuse"),
    (0x0102_1997, "9p"),
    (0x00c3_6400, "ceph"),
    (0x5346_414f, "afs"),
    (0x7375_7245, "coda"),
    (0x7461_636f, "ocfs2"),
    (0x0116_1970, "gfs2"),
    (0x0bd0_0bd0, "lustre"),
    (0x786f_4256, "vboxsf"),
    (0x794c_7630, "overlay"),
];

fn has_others(folder: &Path) -> bool {
    let kind = rustix::fs::statfs(folder).map(|system| system.f_type.cast_unsigned() & 0xffff_ffff);
    OTHERS.iter().any(|(number, _)| kind == Ok(*number))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fingerprint(path: &Path) -> u64 {
        Survey::of(path, |_| ()).fingerprint
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
    fn a_file_is_watched_with_those_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let mut folders = Vec::new();
        let mut look = || Survey::of(&path, |folder| folders.push(folder.to_owned()));
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
