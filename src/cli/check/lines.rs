//! Finds the line of a byte in a text file.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::PathBuf;

use chessdb::formats::is_converted;
use chessdb::{Options, Problem};
use chessdb_library::library::{LibraryEntry, legible_file_name};

/// Bytes that are read at a time.
const PIECE: usize = 64 << 10;

/// The text files of a database, at most one of them open. Problems come in the order of the games, so each byte is
/// read about once.
pub(super) struct TextLines<'a> {
    /// Name and path of each file.
    files: Vec<(String, PathBuf)>,
    /// The options for opening the files.
    options: &'a Options,
    open: Option<OpenText>,
}

/// A file, and the number of its lines before a byte.
struct OpenText {
    name: String,
    file: File,
    at: u64,
    line: u64,
    /// True if the byte before is a carriage return, which ends a line with or without a line feed.
    follows_return: bool,
}

impl<'a> TextLines<'a> {
    /// `None` if the database has no lines, because it has another format or is packed.
    pub(super) fn of(entry: &LibraryEntry, options: &'a Options) -> Option<TextLines<'a>> {
        let found = entry.found.as_ref().filter(|_| entry.format.name == "pgn")?;
        let plain = found.files.iter().filter(|(kind, _)| kind == "pgn");
        let files = plain.map(|(_, path)| {
            // As in problems.
            (legible_file_name(path), path.clone())
        });
        let files: Vec<_> = files.collect();
        (!files.is_empty()).then_some(TextLines {
            files,
            options,
            open: None,
        })
    }

    /// The line of a problem, from 1; `None` in a file that was converted, since offsets count converted bytes.
    pub(super) fn line_of(&mut self, problem: &Problem) -> Option<u64> {
        let to = problem.offset?;
        let is_ahead = |open: &OpenText| open.name == problem.file && open.at <= to;
        if !self.open.as_ref().is_some_and(is_ahead) {
            let mut named = self.files.iter().filter(|(name, _)| *name == problem.file);
            let (Some((name, path)), None) = (named.next(), named.next()) else {
                return None;
            };
            let mut file = File::open(path).ok()?;
            let mut first = [0; 2];
            file.read_exact(&mut first).ok()?;
            if is_converted(&first, self.options) {
                return None;
            }
            self.open = Some(OpenText {
                name: name.clone(),
                file,
                at: 0,
                line: 1,
                follows_return: false,
            });
        }
        self.open.as_mut()?.count(to)
    }
}

impl OpenText {
    /// Counts the lines up to a byte.
    fn count(&mut self, to: u64) -> Option<u64> {
        self.file.seek(SeekFrom::Start(self.at)).ok()?;
        let mut piece = vec![0; PIECE];
        while self.at < to {
            let wanted = (to - self.at).min(PIECE as u64) as usize;
            let read = self.file.read(piece.get_mut(..wanted)?).ok()?;
            let bytes = piece.get(..read)?;
            if bytes.is_empty() {
                return None;
            }
            for &byte in bytes {
                let is_end = byte == b'\r' || byte == b'\n' && !self.follows_return;
                self.line += u64::from(is_end);
                self.follows_return = byte == b'\r';
            }
            self.at += read as u64;
        }
        Some(self.line)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    /// The line of a byte, from 1, by reading all bytes before it.
    fn line(text: &[u8], to: usize) -> u64 {
        let ends = (0..to).filter(|&at| match text[at] {
            b'\r' => true,
            b'\n' => at == 0 || text[at - 1] != b'\r',
            _ => false,
        });
        ends.count() as u64 + 1
    }

    #[test]
    fn line_ends_at_the_border_of_a_piece_count_once() {
        let mut compared = 0;
        for end in ["\n", "\r\n", "\r", "\n\r\n", "\r\r\n"] {
            for before in PIECE - 4..PIECE + 2 {
                let text = ["x".repeat(before).as_str(), end, "y", end, &"z".repeat(PIECE)].concat();
                let mut file = tempfile::tempfile().unwrap();
                file.write_all(text.as_bytes()).unwrap();
                let open = || OpenText {
                    name: String::new(),
                    file: file.try_clone().unwrap(),
                    at: 0,
                    line: 1,
                    follows_return: false,
                };
                let mut step_by_step = open();
                for to in (PIECE - 6..PIECE + 12).chain([text.len() - 1]) {
                    let expected = Some(line(text.as_bytes(), to));
                    assert_eq!(open().count(to as u64), expected, "{end:?} {before} {to}");
                    assert_eq!(step_by_step.count(to as u64), expected, "{end:?} {before} {to}");
                    compared += 1;
                }
            }
        }
        assert_eq!(compared, 5 * 6 * 19);
    }
}
