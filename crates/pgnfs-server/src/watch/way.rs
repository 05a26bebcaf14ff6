//! The folders on a path.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use chessdb_library::links::NamesLeft;
use chessdb_library::mounts::Mounts;
use chessdb_library::workers::hung::{self, names};

/// Every folder that the kernel searches for a name when it resolves an absolute path, with that name, including names
/// in targets of symbolic links. If a name does not exist, the rest of the path is used as written.
pub fn steps(path: &Path, mounts: &Mounts) -> Vec<(PathBuf, OsString)> {
    let mut steps = Vec::new();
    let mut folder = PathBuf::from("/");
    let mut rest = NamesLeft::of(names(path));
    while let Some(name) = rest.next() {
        if name == ".." {
            folder.pop();
            continue;
        }
        let here = folder.join(&name);
        steps.push((folder.clone(), name));
        let link = here.clone();
        // A path that does not answer is treated as if it were not a link.
        match hung::ask(mounts.not_local(&here), move || fs::read_link(link)) {
            Ok(Ok(target)) if rest.follow(names(&target)) => {
                if target.is_absolute() {
                    folder = PathBuf::from("/");
                }
            }
            _ => folder = here,
        }
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn steps_go_through_links() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        let below = |path: &Path| -> Vec<String> {
            let mounts = Mounts::read().unwrap();
            let steps = steps(path, &mounts)
                .into_iter()
                .map(|(folder, name)| folder.join(name));
            let below = steps.filter_map(|step| step.strip_prefix(&top).map(Path::to_owned).ok());
            let texts = below.map(|step| step.display().to_string());
            texts.filter(|step| !step.is_empty()).collect()
        };
        fs::create_dir_all(top.join("a/b")).unwrap();
        assert_eq!(below(&top.join("a/b/c")), ["a", "a/b", "a/b/c"]);
        symlink("a/b", top.join("near")).unwrap();
        assert_eq!(below(&top.join("near/c")), ["near", "a", "a/b", "a/b/c"]);
        symlink("../../near", top.join("a/b/back")).unwrap();
        assert_eq!(
            below(&top.join("a/b/back")),
            ["a", "a/b", "a/b/back", "near", "a", "a/b"]
        );
        symlink(top.join("a"), top.join("far")).unwrap();
        assert_eq!(below(&top.join("far/../x")), ["far", "a", "x"]);
        symlink("loop", top.join("loop")).unwrap();
        assert_eq!(below(&top.join("loop")).len(), 41);
    }
}
