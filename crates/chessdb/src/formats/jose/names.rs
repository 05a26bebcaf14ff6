//! Players, events, sites and openings: names by number (section 7.3).

use super::columns::{Column, Known};
use super::myisam::Table;
use super::text::TextDecoder;
use crate::files::Files;
use crate::problem::Problem;

/// The placeholder for an unknown name.
pub(super) const UNKNOWN: &str = "?";

/// The names of one table.
#[derive(Default)]
pub(super) struct Names {
    /// Pairs of number and index, sorted by number.
    ids: Vec<(i32, u32)>,
    /// End of each name in `text`; index 0 is the unknown name.
    ends: Vec<u32>,
    text: String,
}

impl Names {
    /// Reads a table. If it is missing, no name is known.
    pub(super) fn open(
        files: &Files,
        table: &str,
        known: &[&Known],
        texts: TextDecoder,
        warnings: &mut Vec<String>,
        problems: &mut Vec<Problem>,
    ) -> Names {
        let mut names = Names {
            ends: vec![0],
            ..Names::default()
        };
        let Some(table) = Table::open(files, table, known, "its names are unknown", warnings, problems)
        else {
            return names;
        };
        let found = table.walk(|row| {
            let Some(id) = row.int(Column::Id) else { return };
            let name = texts.line(
                row.bytes(Column::Name).unwrap_or_default(),
                row.charset(Column::Name),
            );
            names.add(id, &name);
        });
        problems.extend(found);
        // If several rows have the same number, the first one counts.
        names.ids.sort_by_key(|(id, _)| *id);
        names.ids.dedup_by_key(|(id, _)| *id);
        names
    }

    fn add(&mut self, id: i32, name: &str) {
        if id == 0 || is_unknown(name) {
            return;
        }
        let place = u32::try_from(self.ends.len());
        let end = u32::try_from(self.text.len() + name.len());
        if let (Ok(place), Ok(end)) = (place, end) {
            self.text.push_str(name);
            self.ends.push(end);
            self.ids.push((id, place));
        }
    }

    /// The index of the name with this number; 0 if it is unknown.
    pub(super) fn place(&self, id: Option<i32>) -> u32 {
        let Some(id) = id.filter(|&id| id != 0) else {
            return 0;
        };
        // Numbers are usually consecutive.
        let first = self.ids.first().map_or(0, |(first, _)| *first);
        let guess = usize::try_from(i64::from(id) - i64::from(first)).unwrap_or(usize::MAX);
        match self.ids.get(guess) {
            Some(&(found, place)) if found == id => place,
            _ => match self.ids.binary_search_by_key(&id, |(id, _)| *id) {
                Ok(found) => self.ids.get(found).map_or(0, |(_, place)| *place),
                Err(_) => 0,
            },
        }
    }

    /// The name at an index, `?` if it is unknown.
    pub(super) fn text(&self, place: u32) -> &str {
        let place = place as usize;
        let (Some(before), Some(&end)) = (place.checked_sub(1), self.ends.get(place)) else {
            return UNKNOWN;
        };
        let start = self.ends.get(before).copied().unwrap_or(0);
        self.text.get(start as usize..end as usize).unwrap_or(UNKNOWN)
    }
}

/// Placeholders for unknown values.
pub(super) fn is_unknown(text: &str) -> bool {
    matches!(text, "" | "-" | "?")
}
