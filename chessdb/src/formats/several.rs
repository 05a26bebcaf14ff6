//! Archives of several databases.

use std::collections::{HashMap, HashSet};

use super::{Database, Decoded, Info, Keys, Part, TextId};
use crate::game::Tags;

/// An archive of several databases. The archive itself has no games.
pub(super) struct Several(Vec<Part>);

impl Several {
    /// An archive of these databases. Of equal names, which members of different folders may have, the later ones
    /// get ` (2)` and so on.
    pub(super) fn new(parts: impl Iterator<Item = Part>) -> Several {
        let mut taken = HashSet::new();
        // The last number of each name, so that many equal ones cost no more than others.
        let mut numbers: HashMap<String, u32> = HashMap::new();
        let parts = parts.map(|mut part| {
            let own = part.name.clone();
            while !taken.insert(part.name.clone()) {
                let number = numbers.entry(own.clone()).or_insert(1);
                *number = number.saturating_add(1);
                part.name = format!("{own} ({number})");
            }
            part
        });
        Several(parts.collect())
    }
}

impl Database for Several {
    fn len(&self) -> u32 {
        0
    }

    fn keys(&self, _: u32) -> Keys {
        Keys::UNKNOWN
    }

    fn text(&self, _: TextId) -> String {
        "?".to_owned()
    }

    fn tags(&self, _: u32) -> Tags {
        Tags::default()
    }

    fn game(&self, _: u32) -> Decoded {
        Decoded::default()
    }

    fn info(&self) -> Info {
        let names: Vec<&str> = self.0.iter().map(|part| part.name.as_str()).collect();
        Info {
            rows: vec![("databases", names.join(", "))],
            warnings: Vec::new(),
        }
    }

    fn take_parts(&mut self) -> Vec<Part> {
        std::mem::take(&mut self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_names_are_numbered() {
        let names = ["a.pgn", "b.pgn", "a.pgn", "a.pgn"];
        let parts = names.map(|name| Part {
            name: name.to_owned(),
            database: Box::new(Several(Vec::new())),
        });
        let mut several = Several::new(parts.into_iter());
        let names: Vec<String> = several.take_parts().into_iter().map(|part| part.name).collect();
        assert_eq!(names, ["a.pgn", "b.pgn", "a.pgn (2)", "a.pgn (3)"]);
    }
}
