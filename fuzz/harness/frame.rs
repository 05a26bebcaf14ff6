//! Several files in one string of bytes.
//!
//! Each file begins with a line feed, `@file `, its name and a line feed, and goes on to the next one. There are no
//! lengths, so that bytes put in or taken out anywhere leave the rest as it is. A file called `options` is none of
//! the database: its lines `reading=NAME` and `encoding=LABEL` are what the user may say.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use chessdb::formats::{Candidate, Directory, Files, Options, SourceFile};

const MARK: &[u8] = b"\n@file ";

/// Most files of an input: more than any database has.
const MOST_FILES: usize = 64;

/// The files of an input.
#[derive(Clone, Debug, Default)]
pub struct Input {
    /// Names and bytes, sorted by name, each name once.
    pub files: Vec<(String, Arc<Vec<u8>>)>,
    pub options: Options,
}

impl Input {
    /// Reads framed files; what stands before the first is skipped.
    pub fn parse(bytes: &[u8]) -> Input {
        let starts: Vec<usize> = marks(bytes).take(MOST_FILES).collect();
        let ends = starts.iter().skip(1).copied().chain([bytes.len()]);
        let files = starts.iter().zip(ends).filter_map(|(&start, end)| {
            let file = &bytes[start + MARK.len()..end];
            let line = file.iter().position(|&byte| byte == b'\n')?;
            let name = std::str::from_utf8(&file[..line]).ok()?;
            // A file in a folder has neither.
            (!name.contains(['/', '\0'])).then(|| (name.to_owned(), file[line + 1..].to_vec()))
        });
        Input::new(files)
    }

    pub fn new(files: impl IntoIterator<Item = (String, Vec<u8>)>) -> Input {
        let mut input = Input::default();
        for (name, bytes) in files {
            if name == "options" {
                input.options = options(&String::from_utf8_lossy(&bytes));
            } else if input.files.iter().all(|(other, _)| *other != name) {
                input.files.push((name, Arc::new(bytes)));
            }
        }
        input.files.sort();
        input
    }

    /// The files of a database on disk.
    pub fn read(candidate: &Candidate) -> Input {
        let read = |(_, path): &(String, PathBuf)| (file_name(path), std::fs::read(path).unwrap());
        Input::new(candidate.files.iter().map(read))
    }

    /// Bytes of all files.
    pub fn len(&self) -> usize {
        self.files.iter().map(|(_, bytes)| bytes.len()).sum()
    }

    /// What [`Input::parse`] reads.
    pub fn framed(&self) -> Vec<u8> {
        let framed = self.files.iter().map(|(name, bytes)| {
            let head = [MARK, name.as_bytes(), b"\n"].concat();
            [head.as_slice(), bytes].concat()
        });
        framed.collect::<Vec<_>>().concat()
    }

    /// The folder that the files would be in. It does not exist.
    pub fn directory(&self) -> Directory {
        Directory {
            path: PathBuf::from("/input"),
            files: self.files.iter().map(|(name, _)| name.clone()).collect(),
        }
    }

    /// The files of a database among them.
    pub fn open(&self, candidate: &Candidate) -> Files {
        let files = candidate.files.iter().filter_map(|(kind, path)| {
            let name = file_name(path);
            let (_, bytes) = self.files.iter().find(|(other, _)| *other == name)?;
            let bytes = Arc::clone(bytes) as Arc<_>;
            Some((kind.clone(), SourceFile { name, bytes }))
        });
        Files {
            files: files.collect(),
            warnings: candidate.warnings.clone(),
        }
    }
}

fn marks(bytes: &[u8]) -> impl Iterator<Item = usize> {
    let windows = bytes.windows(MARK.len()).enumerate();
    windows
        .filter(|(_, window)| *window == MARK)
        .map(|(start, _)| start)
}

fn file_name(path: &Path) -> String {
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

fn options(text: &str) -> Options {
    let value = |name: &str| {
        let value = text
            .lines()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix('='));
        value.map(str::to_owned)
    };
    Options {
        encoding: value("encoding"),
        reading: value("reading"),
        ..Options::default()
    }
}
