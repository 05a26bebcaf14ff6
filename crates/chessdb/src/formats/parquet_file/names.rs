//! The names of players and events, without duplicates.

use std::collections::HashMap;

use crate::text::utf8_lossy;

/// The names. Number 0 is the unknown name.
#[derive(Debug)]
pub(super) struct Names {
    texts: Vec<u8>,
    /// The end of each name in `texts`.
    ends: Vec<u32>,
}

/// Names while they are collected.
#[derive(Debug)]
pub(super) struct Collected {
    names: Names,
    numbers: HashMap<Box<str>, u32>,
}

impl Collected {
    pub(super) fn new() -> Collected {
        let mut collected = Collected {
            names: Names {
                texts: Vec::new(),
                ends: Vec::new(),
            },
            numbers: HashMap::new(),
        };
        collected.push("?");
        collected
    }

    /// The number of a name; 0 if the name means unknown, or if all names together are longer than 4 GiB.
    pub(super) fn number(&mut self, name: &str) -> u32 {
        if matches!(name.trim(), "" | "?") {
            return 0;
        }
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        let number = self.push(name).unwrap_or(0);
        self.numbers.insert(name.into(), number);
        number
    }

    fn push(&mut self, name: &str) -> Option<u32> {
        let end = u32::try_from(self.names.texts.len().checked_add(name.len())?).ok()?;
        let number = u32::try_from(self.names.ends.len()).ok()?;
        self.names.texts.extend_from_slice(name.as_bytes());
        self.names.ends.push(end);
        Some(number)
    }

    /// The names.
    pub(super) fn finish(mut self) -> Names {
        self.names.texts.shrink_to_fit();
        self.names.ends.shrink_to_fit();
        self.names
    }
}

impl Names {
    /// The name with a number.
    pub(super) fn name(&self, number: u32) -> Option<String> {
        let number = usize::try_from(number).ok()?;
        let end = usize::try_from(*self.ends.get(number)?).ok()?;
        let start = number.checked_sub(1).and_then(|before| self.ends.get(before));
        let start = start.map_or(Some(0), |&start| usize::try_from(start).ok())?;
        self.texts.get(start..end).map(utf8_lossy)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_names_have_one_number() {
        let mut names = Collected::new();
        let numbers = ["Tal", "", "Réti", "Tal", " ? ", "Tal "].map(|name| names.number(name));
        assert_eq!(numbers, [1, 0, 2, 1, 0, 3]);
        let names = names.finish();
        let shown: Vec<_> = (0..5).map(|number| names.name(number)).collect();
        let expected = ["?", "Tal", "Réti", "Tal "].map(|name| Some(name.to_owned()));
        assert_eq!(shown, [&expected[..], &[None]].concat());
    }
}
