//! The mounts in the kernel's table.

use std::fs;
use std::path::Path;

/// The lines of the kernel's table with this mount point, which must be absolute and without links. Empty if nothing is
/// mounted there.
pub fn lines_at(point: &Path) -> Vec<String> {
    let table = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    let here = format!(" {} ", as_in_table(point));
    let lines = table.lines().filter(|line| line.contains(&here));
    lines.map(str::to_owned).collect()
}

/// A path as the table has it: with octal numbers for blanks, tabs, line feeds and backslashes.
pub fn as_in_table(path: &Path) -> String {
    let path = path.to_str().expect("tests have paths in UTF-8");
    let is_special = |c: char| matches!(c, ' ' | '\t' | '\n' | '\\');
    let written = |c: char| match is_special(c) {
        true => format!("\\{:03o}", u32::from(c)),
        false => c.to_string(),
    };
    path.chars().map(written).collect()
}
