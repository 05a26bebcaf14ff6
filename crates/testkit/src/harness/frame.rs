//! Several files in a sequence of bytes.
//!
//! Each file begins with a line feed, `@file `, its name and a line feed, and extends to the next file. There
//! are no lengths, so inserted or removed bytes do not affect the rest. A file named `options` does not
//! belong to the database: its lines `reading=NAME`, `encoding=LABEL` and `pgn=FORM` are options of the user.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use chessdb::files::{Candidate, Files, SourceFile, SourceFolder};
use chessdb::{Options, PgnForm};

const MARK: &[u8] = b"\n@file ";

/// Maximum number of files in an input, more than any database has.
const MOST_FILES: usize = 64;

/// The files of an input.
#[derive(Clone, Debug, Default)]
pub struct Input {
    /// Names and bytes, sorted by name without duplicates.
    pub files: Vec<(String, Arc<Vec<u8>>)>,
    pub options: Options,
}

impl Input {
    /// Parses framed files. Bytes before the first file are skipped.
    pub fn parse(bytes: &[u8]) -> Input {
        let starts: Vec<usize> = marks(bytes).take(MOST_FILES).collect();
        let ends = starts.iter().skip(1).copied().chain([bytes.len()]);
        let files = starts.iter().zip(ends).filter_map(|(&start, end)| {
            let file = &bytes[start + MARK.len()..end];
            let line = file.iter().position(|&byte| byte == b'\n')?;
            let name = std::str::from_utf8(&file[..line]).ok()?;
            // Such a name could not exist in a folder.
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

    /// Total length of all files in bytes.
    pub fn total_len(&self) -> usize {
        self.files.iter().map(|(_, bytes)| bytes.len()).sum()
    }

    /// The input in the form that [`Input::parse`] reads.
    pub fn framed(&self) -> Vec<u8> {
        let framed = self.files.iter().map(|(name, bytes)| {
            let head = [MARK, name.as_bytes(), b"\n"].concat();
            [head.as_slice(), bytes].concat()
        });
        framed.collect::<Vec<_>>().concat()
    }

    /// The folder of the files, which does not exist.
    pub fn directory(&self) -> SourceFolder {
        SourceFolder {
            path: PathBuf::from("/input"),
            files: self.files.iter().map(|(name, _)| name.clone()).collect(),
        }
    }

    /// The files of a database in the input.
    pub fn open(&self, candidate: &Candidate) -> Files {
        let files = candidate.files.iter().filter_map(|(kind, path)| {
            let name = file_name(path);
            let (_, bytes) = self.files.iter().find(|(other, _)| *other == name)?;
            let bytes = Arc::clone(bytes) as Arc<_>;
            Some((kind.clone(), SourceFile { name, bytes }))
        });
        let mut files = Files::new(files.collect());
        files.warnings.clone_from(&candidate.warnings);
        files
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
    let mut options = Options::default();
    options.encoding = value("encoding");
    options.reading = value("reading");
    options.pgn = match value("pgn").as_deref() {
        Some("export") => PgnForm::Export,
        Some("verbatim") => PgnForm::Verbatim,
        _ => PgnForm::Cleaned,
    };
    options
}
