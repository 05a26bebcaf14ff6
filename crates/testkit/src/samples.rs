//! Sample databases, which are outside the repository.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use chessdb::files::{Candidate, Files, SourceFile, SourceFolder};
use chessdb::formats::{FORMATS, Format, NamedDatabase};
use chessdb::text::{decode, utf8};
use chessdb::{Database, Options};
use chessdb_library::library::advised;
use chessdb_library::mapped::Mapped;
use encoding_rs::WINDOWS_1252;

use crate::samples_folder;

/// The folder with sample data and check scripts. A test that uses it begins with `needs!(samples)`.
pub fn shared() -> PathBuf {
    let folder = samples_folder();
    assert!(folder.is_dir(), "a test of samples has no needs!(samples)");
    folder
}

/// A database with its expected PGN.
pub struct Sample {
    /// Path below the folder of the format: `small/small`.
    pub name: String,
    /// Path of the database without extension.
    pub base: PathBuf,
    /// The expected PGN.
    pub expected: String,
}

impl Sample {
    /// The databases that must result in the expected PGN: the one with its name, otherwise all databases next to it,
    /// which are one database in several forms.
    pub fn bases(&self) -> Vec<PathBuf> {
        if !candidates(&self.base).is_empty() {
            return vec![self.base.clone()];
        }
        let beside = files_below(self.base.parent().unwrap()).into_iter();
        let mut bases: Vec<PathBuf> = beside.map(|path| path.with_extension("")).collect();
        bases.dedup();
        bases.retain(|base| !candidates(base).is_empty());
        bases
    }
}

/// All samples of all formats that have an expected PGN.
pub fn all_samples() -> Vec<Sample> {
    let shared = shared();
    // If two formats share a folder, its samples come with the format of that name.
    let has_folder = |format: &&Format| shared.join("data").join(format.name).is_dir();
    let formats = FORMATS.iter().filter(has_folder);
    formats.flat_map(|format| samples(format.name)).collect()
}

/// Paths without extension of the databases of all samples, and of the ChessBase databases without an expected PGN.
pub fn all_bases() -> BTreeSet<PathBuf> {
    let samples = all_samples().into_iter().flat_map(|sample| sample.bases());
    let folders = ["data/chessbase-cbh", "data/chessbase-2cbh"];
    let files = folders
        .into_iter()
        .flat_map(|folder| files_below(&shared().join(folder)));
    let is_main = |path: &PathBuf| {
        let kind = path.extension().and_then(|kind| kind.to_str());
        kind.is_some_and(|kind| ["cbh", "cbv", "2cbh", "2cbv"].contains(&kind))
    };
    let others = files.filter(is_main).map(|path| path.with_extension(""));
    samples.chain(others).collect()
}

/// All samples of a format that have an expected PGN.
pub fn samples(format: &str) -> Vec<Sample> {
    let root = shared().join("data").join(format);
    let mut found = Vec::new();
    for path in files_below(&root) {
        let name = path.to_string_lossy().into_owned();
        let base = name
            .strip_suffix(".expected.pgn")
            .or_else(|| name.strip_suffix(".expected.pgn.gz"));
        let Some(base) = base.map(PathBuf::from) else {
            continue;
        };
        let expected = read_text(&path);
        found.extend(databases_of(&base).into_iter().map(|base| Sample {
            name: base.strip_prefix(&root).unwrap().to_string_lossy().into_owned(),
            expected: expected.clone(),
            base,
        }));
    }
    assert!(!found.is_empty(), "no samples below {}", root.display());
    found
}

/// The databases that belong to an expected PGN: the one at the same path, otherwise all whose names continue with a
/// point and a word, such as `small.main` for `small`.
fn databases_of(base: &Path) -> Vec<PathBuf> {
    let own = candidates_in(base.parent().unwrap(), |stem| {
        base.file_name() == Some(stem.as_ref())
    });
    let variants = candidates_in(base.parent().unwrap(), |stem| {
        Path::new(stem).extension().is_some() && base.ends_with(Path::new(stem).file_stem().unwrap())
    });
    match (own.is_empty(), variants.is_empty()) {
        (true, false) => {
            let stems = variants
                .iter()
                .map(|(_, found)| Path::new(&found.name).file_stem().unwrap());
            stems.map(|stem| base.with_file_name(stem)).collect()
        }
        _ => vec![base.to_owned()],
    }
}

/// All regular files below a folder, sorted.
pub fn files_below(root: &Path) -> Vec<PathBuf> {
    let mut folders = vec![root.to_owned()];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// The text of a file, which may be compressed. Lines that are not UTF-8 are decoded as windows-1252, because
/// some programs copy texts of old databases unchanged.
pub fn read_text(path: &Path) -> String {
    let bytes = fs::read(path).unwrap();
    let bytes = if path.extension().is_some_and(|extension| extension == "gz") {
        let mut unpacked = Vec::new();
        std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(&bytes[..]), &mut unpacked).unwrap();
        unpacked
    } else {
        bytes
    };
    String::from_utf8(bytes).unwrap_or_else(|error| {
        let lines = error.as_bytes().split_inclusive(|&byte| byte == b'\n');
        let text = |line| utf8(line).unwrap_or_else(|line| decode(&line, WINDOWS_1252));
        lines.map(text).collect()
    })
}

/// The databases of a folder with this path, or whose main file has this path without its extension.
pub fn candidates(base: &Path) -> Vec<(&'static Format, Candidate)> {
    if base.is_dir() {
        candidates_in(base, str::is_empty)
    } else {
        candidates_in(base.parent().unwrap(), |stem| {
            base.file_name() == Some(stem.as_ref())
        })
    }
}

/// The databases in a folder for whose main file `is_wanted` accepts the name without extension. For a
/// database that is the folder itself the name is empty.
fn candidates_in(folder: &Path, is_wanted: impl Fn(&str) -> bool) -> Vec<(&'static Format, Candidate)> {
    let mut files: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    files.sort();
    // The expected PGN of a database is not a database itself.
    files.retain(|name| !name.ends_with(".expected.pgn"));
    let directory = SourceFolder {
        path: folder.to_owned(),
        files,
    };
    let found = FORMATS.iter().flat_map(|format| {
        let candidates = (format.find)(&directory);
        candidates.into_iter().map(move |candidate| (format, candidate))
    });
    found
        .filter(|(_, candidate)| {
            let stem = Path::new(&candidate.name).file_stem().unwrap_or_default();
            is_wanted(stem.to_str().unwrap())
        })
        .collect()
}

/// Opens a candidate; `None` if it is not a database.
pub fn open(format: &Format, candidate: &Candidate, options: &Options) -> Option<Box<dyn Database>> {
    try_open(format, candidate, options).ok()
}

/// Opens a candidate, or the first database of an archive.
///
/// # Errors
/// Why it is not a database.
pub fn try_open(
    format: &Format,
    candidate: &Candidate,
    options: &Options,
) -> Result<Box<dyn Database>, String> {
    let mut parts = try_open_all(format, candidate, options)?;
    Ok(parts.swap_remove(0).database)
}

/// Opens a candidate, or all databases of an archive.
///
/// # Errors
/// Why it is not a database.
pub fn try_open_all(
    format: &Format,
    candidate: &Candidate,
    options: &Options,
) -> Result<Vec<NamedDatabase>, String> {
    let mut files = Files::default();
    for (kind, path) in &candidate.files {
        let file = SourceFile {
            name: path.file_name().unwrap().to_string_lossy().into_owned(),
            bytes: Arc::new(Mapped::open(path).unwrap()),
        };
        files.files.push((kind.clone(), file));
    }
    files.warnings = candidate.warnings.clone();
    (format.open)(files, options).map_err(|error| advised(&error.reason, error.remedy))
}

/// Opens the only database with this base path.
pub fn open_base(base: &Path) -> Option<Box<dyn Database>> {
    let found = candidates(base);
    let databases: Vec<_> = found
        .iter()
        .filter_map(|(format, candidate)| open(format, candidate, &Options::default()))
        .collect();
    assert!(databases.len() <= 1, "several databases at {}", base.display());
    databases.into_iter().next()
}
