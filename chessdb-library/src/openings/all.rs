//! All openings that have a name.

use super::{NAMES, OpeningName};

impl OpeningName {
    /// All of them, by their codes. Several may have one name.
    pub fn all() -> impl Iterator<Item = OpeningName> {
        NAMES.lines().filter_map(|line| {
            let mut columns = line.split('\t');
            Some(OpeningName {
                eco: columns.next()?,
                name: columns.next()?,
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_has_a_name() {
        assert_eq!(OpeningName::all().count(), NAMES.lines().count());
        let najdorf =
            OpeningName::all().find(|opening| opening.name == "Sicilian Defense: Najdorf Variation");
        assert_eq!(najdorf.unwrap().eco, "B90");
    }
}
