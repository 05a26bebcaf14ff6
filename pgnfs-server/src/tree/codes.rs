//! Short codes of databases, which make names of games unique across databases.

use std::collections::HashMap;

use xxhash_rust::xxh3::xxh3_64;

/// Characters of a code that no other database has.
const USUAL: usize = 3;

/// Maximum number of characters of a code: the whole hash.
const MOST: usize = 13;

/// The codes of some databases.
pub(super) struct Codes {
    codes: Vec<String>,
    databases: HashMap<String, usize>,
}

impl Codes {
    /// Makes a code from each path and nothing else, so a new database changes no other code. If two codes
    /// collide, the later database gets a longer one.
    pub(super) fn new<'a>(paths: impl Iterator<Item = &'a str>) -> Codes {
        let mut codes = Codes {
            codes: Vec::new(),
            databases: HashMap::new(),
        };
        for (number, path) in paths.enumerate() {
            let mut salt = 0;
            let code = loop {
                let whole = characters(xxh3_64(path.as_bytes()).wrapping_add(salt));
                let mut beginnings = (USUAL..=MOST).filter_map(|len| whole.get(..len));
                match beginnings.find(|code| !codes.databases.contains_key(*code)) {
                    Some(free) => break free.to_owned(),
                    None => salt += 1,
                }
            };
            codes.databases.insert(code.clone(), number);
            codes.codes.push(code);
        }
        codes
    }

    /// The code of a database.
    pub(super) fn get(&self, database: usize) -> &str {
        self.codes.get(database).map_or("", String::as_str)
    }

    /// The databases whose codes are at the end of a text, the shortest code first.
    pub(super) fn ends_of(&self, text: &str) -> impl Iterator<Item = usize> {
        let code = |len: usize| text.get(text.len().checked_sub(len)?..);
        (USUAL..=MOST).filter_map(move |len| self.databases.get(code(len)?).copied())
    }
}

/// A hash in base 36, in digits and small letters, the least significant first: even a short code depends on
/// the whole hash.
fn characters(mut hash: u64) -> String {
    let mut text = String::with_capacity(MOST);
    for _ in 0..MOST {
        text.extend(char::from_digit((hash % 36) as u32, 36));
        hash /= 36;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_short_and_differ() {
        let paths: Vec<String> = (0..2000).map(|n| format!("folder/{n}.dci")).collect();
        let codes = Codes::new(paths.iter().map(String::as_str));
        let mut seen = std::collections::HashSet::new();
        for (n, path) in paths.iter().enumerate() {
            let code = codes.get(n);
            assert!(seen.insert(code), "{code}");
            assert!((USUAL..USUAL + 3).contains(&code.len()), "{code}");
            assert!(codes.ends_of(&format!("1-0_{code}")).any(|found| found == n));
            // Without the other paths, the code would be the same or a prefix of it.
            let alone = Codes::new([path.as_str()].into_iter());
            assert!(code.starts_with(alone.get(0)), "{code}");
        }
        let is_longer = |n: &usize| codes.get(*n).len() > USUAL;
        let longer = (0..paths.len()).filter(is_longer).count();
        assert!((1..200).contains(&longer), "{longer}");
        assert_eq!(codes.ends_of("").count(), 0);
    }
}
