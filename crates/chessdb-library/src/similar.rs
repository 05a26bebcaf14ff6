//! Suggestions for a name that does not exist: the existing names that are most like it.

/// Two words with at least this likeness, from 0 to 1, are probably the same word.
const LEAST_OF_WORDS: f64 = 0.65;

/// The same for two names. It is higher because a database has very many names.
const LEAST_OF_NAMES: f64 = 0.8;

/// Maximum number of names.
const MOST: usize = 3;

/// The three names in `all` that are most like `name` in any letter case, the most similar first.
pub fn similar<'a>(name: &str, all: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let name = name.to_lowercase();
    let mut best = Vec::new();
    for other in all {
        let likeness = strsim::jaro_winkler(&name, &other.to_lowercase());
        keep_best(&mut best, LEAST_OF_WORDS, likeness, || other);
    }
    best.into_iter().map(|(_, name)| name).collect()
}

/// The name in `all` that is most like `name`, if any name is similar.
pub fn nearest<'a>(name: &str, all: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    similar(name, all).into_iter().next()
}

/// The three names that are most like a wanted one, the most similar first.
pub(crate) struct SimilarNames {
    /// The words of the wanted name, or of each of several.
    wanted: Vec<Vec<String>>,
    /// The names found so far with their likeness, the most similar first.
    best: Vec<(f64, String)>,
}

impl SimilarNames {
    pub(crate) fn to(wanted: Vec<Vec<String>>) -> SimilarNames {
        SimilarNames {
            wanted,
            best: Vec::new(),
        }
    }

    /// Keeps a name with these words if it is one of the most similar.
    pub(crate) fn compare(&mut self, name: &str, words: &[String]) {
        if self.best.iter().any(|(_, other)| other == name) {
            return;
        }
        let likeness = self.wanted.iter().map(|wanted| likeness_of_words(wanted, words));
        let likeness = likeness.max_by(f64::total_cmp).unwrap_or(0.0);
        keep_best(&mut self.best, LEAST_OF_NAMES, likeness, || name.to_owned());
    }

    pub(crate) fn names(self) -> Vec<String> {
        self.best.into_iter().map(|(_, name)| name).collect()
    }
}

/// The similarity of a name's words to the wanted ones, from 0 to 1.
fn likeness_of_words(wanted: &[String], name: &[String]) -> f64 {
    let best = |wanted: &String| {
        let all = name.iter().map(|word| strsim::jaro_winkler(wanted, word));
        all.max_by(f64::total_cmp).unwrap_or(0.0)
    };
    wanted.iter().map(best).sum::<f64>() / wanted.len().max(1) as f64
}

/// Adds a name to the most similar ones if it is one of them and has at least the likeness `least`.
fn keep_best<T>(best: &mut Vec<(f64, T)>, least: f64, likeness: f64, name: impl FnOnce() -> T) {
    let place = best.partition_point(|(better, _)| *better >= likeness);
    if likeness >= least && place < MOST {
        best.insert(place, (likeness, name()));
        best.truncate(MOST);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_three_most_similar_are_named() {
        let all = ["moves", "movs", "mov", "moves_of", "Move", "other"];
        assert_eq!(similar("MOVE", all), ["Move", "moves", "mov"]);
        assert_eq!(similar("other", all), ["other"]);
        assert_eq!(similar("xyz", all), [""; 0]);
    }
}
