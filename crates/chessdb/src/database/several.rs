//! Archives with several databases.

use std::collections::{HashMap, HashSet};

use super::{Database, NamedDatabase};

/// The databases of an archive, with the names of their main files.
pub(crate) fn several<D: Database + 'static>(
    databases: impl IntoIterator<Item = (String, D)>,
) -> Vec<NamedDatabase> {
    let part = |(name, database)| NamedDatabase {
        name: Some(name),
        database: Box::new(database) as Box<dyn Database>,
    };
    distinct(databases).map(part).collect()
}

/// Makes names distinct. Members of different folders may have the same name; the later ones get ` (2)` and so on.
fn distinct<T>(named: impl IntoIterator<Item = (String, T)>) -> impl Iterator<Item = (String, T)> {
    let mut taken = HashSet::new();
    // The last number of each name, so that a name that occurs very often takes no longer than others.
    let mut numbers: HashMap<String, u32> = HashMap::new();
    named.into_iter().map(move |(own, of)| {
        let mut name = own.clone();
        while !taken.insert(name.clone()) {
            let number = numbers.entry(own.clone()).or_insert(1);
            *number = number.saturating_add(1);
            name = format!("{own} ({number})");
        }
        (name, of)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_names_are_numbered() {
        let names = ["a.pgn", "b.pgn", "a.pgn", "a.pgn"].map(|name| (name.to_owned(), ()));
        let names: Vec<String> = distinct(names).map(|(name, ())| name).collect();
        assert_eq!(names, ["a.pgn", "b.pgn", "a.pgn (2)", "a.pgn (3)"]);
    }
}
