//! Files of records that say how many they have.

use crate::formats::{Problem, SourceFile};

/// What is wrong with the length of a file whose header says that `count` records of `size` bytes begin at `start`.
pub(super) fn wrong_number(file: &SourceFile, start: usize, size: usize, count: usize) -> Option<Problem> {
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

/// What to say of a file without a header that can be read.
pub(super) fn no_header(file: &SourceFile) -> Problem {
    let what = match file.bytes.is_empty() {
        true => "the file is empty",
        false => "the header of the file is damaged",
    };
    Problem::damage(&file.name, 0, what)
}
