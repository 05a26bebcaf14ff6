//! The guiding texts of a database, and their problems.

use crate::files::SourceFile;
use crate::problem::Problem;

/// Maximum number of damaged texts that are reported one by one. Further ones are only counted.
const MOST_PROBLEMS: usize = 100;

/// The guiding texts of a database, one for each language.
#[derive(Debug)]
pub(in crate::formats) struct Texts<T> {
    pub(in crate::formats) texts: Vec<T>,
    pub(in crate::formats) problems: Vec<Problem>,
}

/// The place of damage in a text, and its description.
pub(in crate::formats) type Damage = (Option<u64>, String);

impl<T> Texts<T> {
    /// Reads the texts of the records with these numbers, from 1.
    ///
    /// In a damaged file, many records may refer to the same bytes, and their texts could take much more memory than
    /// the file. So at most as many texts are read as fit into the file if each has `shortest` bytes.
    pub(in crate::formats) fn read(
        cbg: &SourceFile,
        shortest: usize,
        records: impl Iterator<Item = usize>,
        mut read: impl FnMut(usize) -> (Vec<T>, Option<Damage>),
    ) -> Texts<T> {
        let most = 1 + cbg.data_len() / shortest.max(1);
        let mut all = Texts {
            texts: Vec::new(),
            problems: Vec::new(),
        };
        let mut damaged = 0;
        for record in records {
            let room = most - all.texts.len();
            if room == 0 || cbg.bytes.is_lost() {
                let what = format!("the guiding texts from record {record} on are not read");
                all.problems.push(Problem::damage(&cbg.name, None, what));
                break;
            }
            let (texts, damage) = read(record);
            all.texts.extend(texts.into_iter().take(room));
            let Some((at, what)) = damage else { continue };
            damaged += 1;
            if damaged <= MOST_PROBLEMS {
                let what = format!("the guiding text of record {record} {what}");
                all.problems.push(Problem::damage(&cbg.name, at, what));
            }
        }
        if damaged > MOST_PROBLEMS {
            let what = format!("{} more guiding texts are damaged", damaged - MOST_PROBLEMS);
            all.problems.push(Problem::damage(&cbg.name, None, what));
        }
        all
    }

    /// The result if the file of texts is missing: a problem, if the database has texts.
    pub(in crate::formats) fn missing(texts: usize, cbg: &str) -> Texts<T> {
        let what = format!("{texts} guiding texts are missing: they are in this file");
        let problem = (texts > 0).then(|| Problem::damage(cbg, None, what));
        Texts {
            texts: Vec::new(),
            problems: problem.into_iter().collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn a_hundred_damaged_texts_are_listed() {
        let file = SourceFile {
            name: "x.cbg".to_owned(),
            bytes: Arc::new(Vec::new()),
        };
        for (damaged, more) in [
            (99, None),
            (100, None),
            (101, Some("1 more guiding texts are damaged")),
        ] {
            let read = |_| (Vec::<()>::new(), Some((None, "is damaged".to_owned())));
            let problems = Texts::read(&file, 1, 1..=damaged, read).problems;
            assert_eq!(problems.len(), damaged.min(100) + usize::from(more.is_some()));
            let last = problems.last().map(|problem| problem.what.as_str());
            assert!(more.is_none_or(|more| last == Some(more)), "{last:?}");
        }
    }
}
