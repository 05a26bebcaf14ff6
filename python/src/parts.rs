//! Parts of a database besides its games: problems, folders, and files inside it.

use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::source::Source;
use chessdb::{Problem as Fault, ProblemKind};

/// What is wrong, in which file, at which byte.
#[pyclass(frozen, eq, get_all, module = "chessdb")]
#[derive(Clone, PartialEq)]
pub struct Problem {
    /// `damage`, `limit`, `doubt` or `unsupported`.
    kind: &'static str,
    /// Name of the file, without its folder.
    file: String,
    /// Offset of the byte in the file; `None` if the problem has no location.
    offset: Option<u64>,
    /// What is wrong.
    what: String,
}

impl From<&Fault> for Problem {
    fn from(fault: &Fault) -> Problem {
        Problem {
            kind: match fault.kind {
                ProblemKind::Damage => "damage",
                ProblemKind::Limit => "limit",
                ProblemKind::Doubt => "doubt",
                _ => "unsupported",
            },
            file: fault.file.clone(),
            offset: fault.offset,
            what: fault.what.clone(),
        }
    }
}

#[pymethods]
impl Problem {
    fn __str__(&self) -> String {
        match self.offset {
            Some(offset) => format!("{}: byte {offset} (0x{offset:x}): {}", self.file, self.what),
            None => format!("{}: {}", self.file, self.what),
        }
    }

    fn __repr__(&self) -> String {
        format!("<chessdb.Problem {}>", self.__str__())
    }
}

/// One of the database's own folders of games.
#[pyclass(frozen, get_all, module = "chessdb")]
pub struct Folder {
    /// Its name.
    name: String,
    /// Index of the folder that contains this one; `None` at the top.
    parent: Option<usize>,
    /// Indices of its games, in the folder's own order.
    games: Vec<u32>,
}

#[pymethods]
impl Folder {
    fn __repr__(&self) -> String {
        format!("<chessdb.Folder {:?}: {} games>", self.name, self.games.len())
    }
}

impl From<chessdb::Folder> for Folder {
    fn from(folder: chessdb::Folder) -> Folder {
        Folder {
            name: folder.name,
            parent: folder.parent,
            games: folder.games,
        }
    }
}

/// A file inside a database.
#[pyclass(frozen, module = "chessdb")]
pub struct Member {
    source: Source,
    index: usize,
    /// Its name.
    #[pyo3(get)]
    name: String,
    /// Directory of the mounted tree that shows it; empty for the database's own directory.
    #[pyo3(get)]
    directory: &'static str,
    /// Length in bytes.
    #[pyo3(get)]
    size: u64,
}

/// Bytes that are read at a time.
const BLOCK: usize = 1 << 20;

#[pymethods]
impl Member {
    /// All its bytes.
    fn read<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let index = self.index;
        let read = self.source.read(py, |entry| {
            let (mut bytes, mut block) = (Vec::new(), vec![0; BLOCK]);
            loop {
                let read = entry
                    .database
                    .as_files()
                    .read_member(index, bytes.len() as u64, &mut block)?;
                match block.get(..read) {
                    None | Some([]) => return Ok::<_, std::io::Error>(bytes),
                    Some(read) => bytes.extend_from_slice(read),
                }
            }
        })?;
        Ok(PyBytes::new(py, &read?))
    }

    fn __repr__(&self) -> String {
        format!("<chessdb.Member {:?}: {} bytes>", self.name, self.size)
    }
}

impl Member {
    /// The files inside a database.
    pub fn all(source: &Source) -> Vec<Member> {
        let members = source.entry.database.as_files().members().into_iter().enumerate();
        let member = |(index, member): (usize, chessdb::Member)| Member {
            source: source.clone(),
            index,
            name: member.name,
            directory: member.directory,
            size: member.size,
        };
        members.map(member).collect()
    }
}
