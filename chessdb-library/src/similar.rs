//! Names that are probably meant by a name that does not exist.

/// Least likeness of two names, from 0 to 1, of which one is probably meant by the other.
const SIMILAR: f64 = 0.65;

/// The three of `all` that are most like `name`, whatever the letter case, the most similar first.
pub fn similar<'a>(name: &str, all: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let name = name.to_lowercase();
    let likeness = |other: &str| strsim::jaro_winkler(&name, &other.to_lowercase());
    let all = all.into_iter().map(|other| (likeness(other), other));
    let mut alike: Vec<(f64, &str)> = all.filter(|(likeness, _)| *likeness >= SIMILAR).collect();
    alike.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    alike.into_iter().take(3).map(|(_, other)| other).collect()
}
