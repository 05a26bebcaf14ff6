//! A row as a game in PGN: its columns as tags, and its moves (section 5).

use std::collections::{BTreeSet, HashSet};
use std::sync::OnceLock;

use super::column::{self, PGN, Role};
use super::table::{Lost, Table};
use crate::formats::pgn_common::results::{Written, read_result};
use crate::formats::pgn_common::section::Section;
use crate::formats::pgn_common::usual_names::usual_name;
use crate::text::{TextEncoding, utf8_lossy};

/// The columns of a table that are read.
#[derive(Debug)]
pub(super) struct Columns {
    /// The tags that have a column, each with the number of its column.
    pub(super) tags: Vec<(String, usize)>,
    /// The column with the moves.
    pub(super) moves: usize,
    /// The column that says which games are marked as deleted.
    pub(super) deleted: Option<usize>,
    /// The column for all tags that have no separate column.
    others: Option<usize>,
    /// True if the texts with the moves contain tags too; computed on first use.
    is_pgn: OnceLock<bool>,
    pub(super) texts: TextEncoding,
}

/// The tag with the start position.
const FEN: &str = "FEN";

/// The part of a game that is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Tags,
    Moves,
    All,
}

/// A game as PGN.
#[derive(Debug, Default)]
pub(super) struct RowText {
    pub(super) text: String,
    /// Offset of the page with the moves.
    pub(super) at: u64,
    /// Tags that cannot be read.
    pub(super) lost: Vec<Lost>,
    /// The reason if the moves cannot be read.
    pub(super) lost_moves: Option<Lost>,
}

impl Columns {
    /// Assigns the columns of a table; `None` if no column has moves.
    pub(super) fn of(table: &Table, texts: TextEncoding) -> Option<Columns> {
        let columns = table.layout.columns.iter().enumerate();
        let moves = columns.clone().filter_map(|(number, column)| match column.role {
            Role::Moves(preference) => Some((preference, number)),
            Role::Tag(_) | Role::Deleted | Role::OtherTags => None,
        });
        let (preference, moves) = moves.min()?;
        let with_role = |role: Role| {
            let mut columns = columns.clone();
            columns
                .find(|(_, column)| column.role == role)
                .map(|(number, _)| number)
        };
        let (deleted, others) = (with_role(Role::Deleted), with_role(Role::OtherTags));
        let mut tags: Vec<(String, usize)> = Vec::new();
        for (number, column) in columns {
            let Role::Tag(tag) = &column.role else { continue };
            match tags.iter_mut().find(|(other, _)| other == tag) {
                // A text can have details that a number cannot have.
                Some((_, other)) if column.name != *tag => *other = number,
                Some(_) => {}
                None => tags.push((tag.clone(), number)),
            }
        }
        // As in PGN, a tag in another letter case is used where the usual one is missing.
        for place in 0..tags.len() {
            let usual = tags.get(place).and_then(|(tag, _)| usual_name(tag.as_bytes()));
            let missing = usual.filter(|usual| tags.iter().all(|(tag, _)| tag != usual));
            if let (Some(usual), Some((tag, _))) = (missing, tags.get_mut(place)) {
                usual.clone_into(tag);
            }
        }
        Some(Columns {
            tags,
            moves,
            deleted,
            others,
            is_pgn: if preference == PGN {
                true.into()
            } else {
                OnceLock::new()
            },
            texts,
        })
    }

    /// True if tags in the texts with the moves are used unless a column has them: in the column `pgn`, or if the first
    /// text starts with a tag.
    pub(super) fn is_pgn(&self, table: &Table) -> bool {
        *self.is_pgn.get_or_init(|| {
            let texts = (0..table.layout.rows).filter_map(|row| self.moves(table, row).ok()?.0);
            let first = texts
                .map(|text| text.trim_start().chars().next())
                .find(Option::is_some);
            first == Some(Some('['))
        })
    }

    /// True if these tags can only be in their own columns, so that no other part of a row is needed.
    pub(super) fn have_all(&self, table: &Table, tags: &[&str]) -> bool {
        let have = |tag: &&str| self.tag(tag).is_some();
        !self.is_pgn(table) && (self.others.is_none() || tags.iter().all(have))
    }

    /// The numbers of the columns that are read.
    pub(super) fn read(&self) -> BTreeSet<usize> {
        let tags = self.tags.iter().map(|(_, number)| *number);
        tags.chain([self.moves])
            .chain(self.deleted)
            .chain(self.others)
            .collect()
    }

    /// The column of a tag.
    pub(super) fn tag(&self, name: &str) -> Option<usize> {
        let found = self.tags.iter().find(|(tag, _)| tag == name);
        found.map(|(_, number)| *number)
    }

    /// Appends the text of a tag in a row. Returns false if it is null.
    ///
    /// # Errors
    /// If the value cannot be read.
    pub(super) fn value(
        &self,
        table: &Table,
        number: usize,
        row: u32,
        out: &mut String,
    ) -> Result<bool, Lost> {
        let cell = table.cell(number, row)?;
        let (Some(column), Some(value)) = (table.layout.columns.get(number), cell.value()) else {
            return Ok(false);
        };
        column::append(&column.name, column.meaning, value, self.texts, out);
        Ok(true)
    }

    /// The moves in a row; `None` if they are null.
    ///
    /// # Errors
    /// If the moves cannot be read.
    pub(super) fn moves(&self, table: &Table, row: u32) -> Result<(Option<String>, u64), Lost> {
        self.text_in(table, self.moves, row)
    }

    /// The text in a column, and the offset of its page.
    fn text_in(&self, table: &Table, number: usize, row: u32) -> Result<(Option<String>, u64), Lost> {
        let cell = table.cell(number, row)?;
        let text = match cell.value() {
            Some(super::page::Value::Text(text)) => Some(self.texts.decode(text)),
            _ => None,
        };
        Ok((text, cell.at))
    }

    /// A row as PGN, with no more than `part` needs.
    pub(super) fn text(&self, table: &Table, row: u32, part: Part) -> RowText {
        let mut read = RowText {
            text: String::with_capacity(1024),
            ..RowText::default()
        };
        let mut value = String::new();
        let mut has_result = false;
        let mut others = String::new();
        let mut written: HashSet<&[u8]> = HashSet::with_capacity(self.tags.len());
        for (name, number) in &self.tags {
            if part == Part::Moves && !matches!(name.as_str(), FEN | "Result") {
                continue;
            }
            value.clear();
            match self.value(table, *number, row, &mut value) {
                Ok(true) if !value.is_empty() => {
                    has_result |= name == "Result" && is_result(&value);
                    append_tag(&mut read.text, name, &value);
                    written.insert(name.as_bytes());
                }
                Ok(_) => {}
                Err(lost) => read.lost.push(lost),
            }
        }
        // Moves alone need the other tags only if these may contain the start position.
        let others_count = part != Part::Moves || self.tag(FEN).is_none();
        if let Some(number) = self.others.filter(|_| others_count) {
            match self.text_in(table, number, row) {
                Ok((text, _)) => others = text.unwrap_or_default(),
                Err(lost) => read.lost.push(lost),
            }
        }
        let has_no_column = |name: &[u8]| self.tags.iter().all(|(tag, _)| tag.as_bytes() != name);
        append_other_tags(&mut read.text, &others, &mut written, has_no_column);
        // If the column does not have the result, it is in the moves.
        if part == Part::Tags && has_result && !self.is_pgn(table) {
            return read;
        }
        let moves = match self.moves(table, row) {
            Ok((moves, at)) => {
                read.at = at;
                moves.unwrap_or_default()
            }
            Err(lost) => {
                read.at = lost.at;
                read.lost_moves = Some(lost);
                String::new()
            }
        };
        if self.is_pgn(table) {
            append_pgn(&mut read.text, &moves, &mut written);
        } else {
            read.text.push('\n');
            read.text.push_str(&moves);
        }
        read
    }
}

/// True for a result that is certain without the moves.
pub(super) fn is_result(text: &str) -> bool {
    read_result(text).is_some_and(Written::is_certain)
}

fn append_tag(text: &mut String, name: &str, value: &str) {
    text.push('[');
    text.push_str(name);
    text.push_str(" \"");
    for character in value.chars() {
        if matches!(character, '"' | '\\') {
            text.push('\\');
        }
        text.push(character);
    }
    text.push_str("\"]\n");
}

/// Appends a game without the tags that are written already. Lines between its tags become comments before its moves.
fn append_pgn<'a>(text: &mut String, pgn: &'a str, written: &mut HashSet<&'a [u8]>) {
    let section = append_other_tags(text, pgn, written, |_| true);
    text.push('\n');
    for lines in &section.between {
        let lines = pgn.get(lines.clone()).unwrap_or_default().trim();
        match lines.strip_prefix('{').and_then(|lines| lines.strip_suffix('}')) {
            Some(comment) if !comment.contains(['{', '}']) => text.push_str(lines),
            _ => text.extend(["{", &lines.trim_start_matches(';').replace('}', ")"), "}"]),
        }
        text.push('\n');
    }
    text.push_str(pgn.get(section.at..).unwrap_or_default());
}

/// Appends the wanted tags of a game that are not written yet. Returns their section.
fn append_other_tags<'a>(
    text: &mut String,
    pgn: &'a str,
    written: &mut HashSet<&'a [u8]>,
    is_wanted: impl Fn(&[u8]) -> bool,
) -> Section<'a> {
    let mut section = Section::new(pgn.as_bytes(), b'\n');
    for (_, tag) in section.by_ref() {
        if !is_wanted(tag.name) || !written.insert(tag.name) {
            continue;
        }
        // The tag is copied as it is stored, with its escapes.
        text.push('[');
        text.push_str(&utf8_lossy(tag.name));
        text.push_str(" \"");
        text.push_str(&utf8_lossy(tag.value).replace(['\r', '\n'], " "));
        text.push_str("\"]\n");
    }
    section
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The time is proportional to the number of tags. If it were proportional to its square, this would take hours.
    #[test]
    fn each_tag_of_very_many_is_written_once() {
        const TAGS: usize = 1_000_000;
        let pgn: String = (0..TAGS).map(|n| format!("[T{n} \"a\"]\n")).collect();
        let given = format!("{pgn}[T7 \"b\"]\n\n1. e4 *");
        let (mut text, mut written) = (String::new(), HashSet::from([&b"T0"[..]]));
        let section = append_other_tags(&mut text, &given, &mut written, |_| true);
        assert_eq!(given[section.at..].trim(), "1. e4 *");
        assert_eq!(written.len(), TAGS);
        assert!(text.starts_with("[T1 \"a\"]\n[T2 \"a\"]\n"));
        assert_eq!(text.lines().count(), TAGS - 1);
    }
}
