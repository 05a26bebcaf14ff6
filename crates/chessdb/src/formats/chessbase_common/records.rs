//! Files of a database: checks of the number of records, names of files, and reading bytes.

use crate::bytes::index;
use crate::files::SourceFile;
use crate::problem::Problem;

/// The problem of a file if its length does not fit `count` records of `size` bytes from `start` on.
pub(in crate::formats) fn wrong_number(
    file: &SourceFile,
    start: usize,
    size: usize,
    count: usize,
) -> Option<Problem> {
    let len = file.bytes.len();
    let records = len.saturating_sub(start) / size.max(1);
    let end = count.checked_mul(size).and_then(|bytes| bytes.checked_add(start));
    match end {
        Some(end) if end == len => None,
        Some(end) if end < len => Some(Problem::doubt(
            &file.name,
            end as u64,
            format!("the file is {} bytes longer than its header says", len - end),
        )),
        _ => Some(Problem::damage(
            &file.name,
            len as u64,
            format!("the file has {records} of the {count} records that its header gives"),
        )),
    }
}

/// The problem of a file whose header cannot be read.
pub(in crate::formats) fn no_header(file: &SourceFile) -> Problem {
    Problem::damage(&file.name, 0, "the header of the file is damaged")
}

/// Copies bytes from an offset on, and returns their number.
pub(in crate::formats) fn copy(bytes: &[u8], offset: u64, buffer: &mut [u8]) -> usize {
    let rest = bytes.get(index(offset).min(bytes.len())..).unwrap_or_default();
    let len = rest.len().min(buffer.len());
    if let (Some(to), Some(from)) = (buffer.get_mut(..len), rest.get(..len)) {
        to.copy_from_slice(from);
    }
    len
}

/// Maximum length of a file name in bytes.
const LONGEST_NAME: usize = 240;

/// The name of the file that shows a guiding text: `000003 Title.en.html`, cut if it is too long.
pub(in crate::formats) fn file_name(record: usize, title: &str, language: &str, end: &str) -> String {
    let mut name = format!("{record:06} {title}");
    let most = LONGEST_NAME.saturating_sub(language.len() + end.len());
    name.truncate(name.floor_char_boundary(most));
    format!("{}{language}{end}", name.trim_end())
}
