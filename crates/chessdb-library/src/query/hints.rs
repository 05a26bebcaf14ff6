//! Why a query may find no game: terms that are probably mistakes, and names and tags that no game has.

use std::collections::BTreeSet;
use std::fmt;

use rustc_hash::FxHashSet;

use super::Query;
use super::answer::SearchedGames;
use super::compare::has_text;
use super::error::MOST_SHOWN;
use super::field::QueryField;
use super::tag_term::{TagTerm, tag_term};
use super::terms::{TermHead, WrittenTerm, terms};
use super::value::{TagValue, ValueKind, WrittenAlternative, names_of_parts};
use super::words::words_of;
use crate::library::{abridged, on_one_line};
use crate::openings::{names, with_other_names};
use crate::similar::{SimilarNames, similar};
use crate::table::known;
use crate::task;
use chessdb::{Keys, TextId};

/// Words between two players in the searches of other programs.
const VERSUS: [&str; 5] = ["vs", "vs.", "v.", "versus", "against"];

/// A reason why no game may answer a query. Its text says what to write instead.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum QueryHint {
    /// A word that looks like a comparison with a field: `white=carlsen`, `elo>2700`.
    Comparison {
        /// The word.
        word: String,
        /// The term that was probably meant.
        meant: String,
    },
    /// A word such as `vs`.
    Versus(String),
    /// A word has `*` in it.
    Star(String),
    /// A name that no game has.
    NoName {
        /// The term.
        term: String,
        /// What the names belong to, for the message: `opening`, for example.
        whose: &'static str,
        /// The most similar names.
        similar: Vec<String>,
    },
    /// A tag that no game has.
    NoTag {
        /// The term.
        term: String,
        /// The most similar names of tags, and of other values of `has:`.
        similar: Vec<String>,
    },
    /// A database that does not exist: the term.
    NoDatabase(String),
}

impl fmt::Display for QueryHint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let short = |text: &str| abridged(text, MOST_SHOWN);
        match self {
            QueryHint::Comparison { word, meant } => {
                let (word, meant) = (short(word), short(meant));
                write!(f, "{word} was searched for as a name; did you mean {meant}?")
            }
            QueryHint::Versus(word) => write!(
                f,
                "{} was searched for as a name; for the games of two players, write player:carlsen player:caruana",
                short(word)
            ),
            QueryHint::Star(term) => {
                let term = short(term);
                write!(
                    f,
                    "{term}: leave out the *; a word finds every name with a word that begins so"
                )
            }
            QueryHint::NoName { term, whose, similar } => {
                write!(f, "{}: no {whose} has such a name", short(term))?;
                let similar = similar.iter().map(|name| format!("\"{}\"", short(name)));
                write_similar(f, &similar.collect::<Vec<_>>())
            }
            QueryHint::NoTag { term, similar } => {
                write!(f, "{}: no game has this tag", short(term))?;
                if similar.is_empty() {
                    let names: Vec<&str> = names_of_parts().collect();
                    return write!(f, "; has: also takes {}", names.join(", "));
                }
                let similar: Vec<String> = similar
                    .iter()
                    .map(|name| format!("has:{}", short(name)))
                    .collect();
                write_similar(f, &similar)
            }
            QueryHint::NoDatabase(term) => {
                write!(
                    f,
                    "{}: no database or folder that is searched has this name",
                    short(term)
                )
            }
        }
    }
}

fn write_similar(f: &mut fmt::Formatter<'_>, similar: &[String]) -> fmt::Result {
    match similar {
        [] => Ok(()),
        [one] => write!(f, "; {one} is similar"),
        [others @ .., last] => write!(f, "; {} and {last} are similar", others.join(", ")),
    }
}

/// Possible reasons why no game of the databases matches a query, in the order of its terms. Empty for an invalid
/// query.
pub fn hints(query: &str, searched: &[SearchedGames<'_>]) -> Vec<QueryHint> {
    let written = terms(query).unwrap_or_default();
    let asked = asked(&written);
    let mut names = Vec::new();
    let mut hints: Vec<Option<QueryHint>> = Vec::new();
    for term in asked {
        let hint = of_writing(term)
            .or_else(|| of_openings(term))
            .or_else(|| of_tags(term, searched))
            .or_else(|| of_databases(term, searched));
        if hint.is_none()
            && let Some(name) = AskedName::new(term)
        {
            names.push((hints.len(), name));
        }
        hints.push(hint);
    }
    for_each_name(searched, |kind, text| {
        let mut unknown = false;
        for (_, name) in &mut names {
            name.is_known = name.is_known || name.has(kind, text);
            unknown |= !name.is_known;
        }
        unknown
    });
    names.retain(|(_, name)| !name.is_known);
    for_each_name(searched, |kind, text| {
        names.iter_mut().for_each(|(_, name)| name.compare(kind, text));
        !names.is_empty()
    });
    for (place, name) in names {
        hints[place] = Some(name.hint());
    }
    hints.into_iter().flatten().collect()
}

/// The terms that leave no games out, in or beside parentheses.
fn asked<'a, 'b>(written: &'b [WrittenTerm<'a>]) -> impl Iterator<Item = &'b WrittenTerm<'a>> {
    let mut depth_left_out = 0;
    written.iter().filter(move |term| {
        match term.head {
            TermHead::Open if term.is_negated || depth_left_out > 0 => depth_left_out += 1,
            TermHead::Close if depth_left_out > 0 => depth_left_out -= 1,
            _ => return depth_left_out == 0 && !term.is_negated,
        }
        false
    })
}

/// Terms that are probably mistakes.
fn of_writing(term: &WrittenTerm<'_>) -> Option<QueryHint> {
    let is_of_words = match term.head {
        TermHead::Word => {
            let word = term.alternatives.iter().find(|word| !word.is_quoted)?;
            if VERSUS.contains(&&*word.text.to_lowercase()) {
                return Some(QueryHint::Versus(word.text.clone()));
            }
            if let Some(meant) = comparison(&word.text) {
                let word = word.text.clone();
                return Some(QueryHint::Comparison { word, meant });
            }
            true
        }
        TermHead::Field(field) | TermHead::Tag(field, _) => field.kind().is_some_and(ValueKind::is_of_words),
        _ => false,
    };
    // At the end of a word it changes nothing.
    let is_inside = |rest: &str| rest.starts_with(char::is_alphanumeric);
    let has_star = |one: &WrittenAlternative| !one.is_exact && one.text.split('*').skip(1).any(is_inside);
    let has_star = is_of_words && term.alternatives.iter().any(has_star);
    has_star.then(|| QueryHint::Star(term.text.to_owned()))
}

/// A term with words that no name of an opening has.
fn of_openings(term: &WrittenTerm<'_>) -> Option<QueryHint> {
    let read = tag_term(term, false)?.ok()?;
    if !read.field.is("opening") {
        return None;
    }
    let names: Vec<String> = names().map(with_other_names).collect();
    if names.iter().any(|name| has_text(&read.values, Some(name))) {
        return None;
    }
    let words: BTreeSet<String> = names.iter().flat_map(|name| words_of(name)).collect();
    let asked = term.alternatives.iter().flat_map(|one| words_of(&one.text));
    let unknown = asked.filter(|word| !words.iter().any(|own| own.starts_with(word)));
    let meant = unknown.flat_map(|word| {
        similar(&word, words.iter().map(String::as_str))
            .into_iter()
            .take(3)
            .map(str::to_owned)
            .collect::<Vec<_>>()
    });
    Some(QueryHint::NoName {
        term: term.text.to_owned(),
        whose: "opening",
        similar: meant.collect(),
    })
}

/// A hint for a term about a tag that no game has.
fn of_tags(term: &WrittenTerm<'_>, searched: &[SearchedGames<'_>]) -> Option<QueryHint> {
    let read = tag_term(term, false)?.ok()?;
    let is_tag = |value: &TagValue| matches!(value, TagValue::HasTag(_));
    if !read.values.iter().all(is_tag) {
        return None;
    }
    let query = Query::parse(term.text).ok()?;
    let has_none = |one| query.answer(one, 1, &|_| ()).is_ok_and(|found| found.is_empty());
    let is_unknown = searched.iter().all(has_none);
    is_unknown.then(|| QueryHint::NoTag {
        term: term.text.to_owned(),
        similar: similar_tags(&read.values, searched),
    })
}

/// The tags of any game, and other values of `has:`, that are most similar to the ones in a term.
fn similar_tags(values: &[TagValue], searched: &[SearchedGames<'_>]) -> Vec<String> {
    let mut tags: BTreeSet<String> = names_of_parts().map(str::to_owned).collect();
    for one in searched {
        for game in 0..one.database.len() {
            if game.is_multiple_of(1024) {
                task::check();
            }
            let own = one.database.tags(game);
            for (name, _) in own.iter().filter(|(_, value)| known(value).is_some()) {
                if !tags.contains(name) {
                    tags.insert(name.to_owned());
                }
            }
        }
    }
    let wanted = values.iter().filter_map(|value| match value {
        TagValue::HasTag(name) => Some(name.as_str()),
        _ => None,
    });
    let mut found: Vec<String> = Vec::new();
    for name in wanted.flat_map(|name| similar(name, tags.iter().map(String::as_str))) {
        if !found.iter().any(|other| other == name) {
            found.push(name.to_owned());
        }
    }
    found
}

/// A hint for a term that names databases that do not exist.
fn of_databases(term: &WrittenTerm<'_>, searched: &[SearchedGames<'_>]) -> Option<QueryHint> {
    let paths = searched.iter().map(|one| one.path);
    // A term alone, such as `result:win`, may not be a query.
    let query = Query::parse(term.text).ok()?;
    let is_unknown = !query.unknown_databases(paths).is_empty();
    is_unknown.then(|| QueryHint::NoDatabase(term.text.to_owned()))
}

/// The term for a comparison such as `elo>2700`.
fn comparison(word: &str) -> Option<String> {
    let is_sign = |c: char| matches!(c, '=' | '<' | '>');
    let (name, rest) = word.split_at(word.find(is_sign)?);
    let value = rest.trim_start_matches(is_sign);
    let sign = &rest[..rest.len() - value.len()];
    let field = QueryField::nearest_name(name).filter(|_| !value.is_empty())?;
    let number = |step: i64| {
        let number = value
            .parse()
            .ok()
            .and_then(|number: i64| number.checked_add(step));
        number.map_or_else(|| value.to_owned(), |number| number.to_string())
    };
    Some(match sign {
        ">" => format!("{field}:{}..", number(1)),
        ">=" | "=>" => format!("{field}:{value}.."),
        "<" => format!("{field}:..{}", number(-1)),
        "<=" | "=<" => format!("{field}:..{value}"),
        _ => format!("{field}:{value}"),
    })
}

/// A term about a name.
struct AskedName<'a> {
    term: &'a WrittenTerm<'a>,
    read: TagTerm,
    kind: ValueKind,
    is_known: bool,
    similar: SimilarNames,
}

impl<'a> AskedName<'a> {
    /// `None` for a term about something else, or about an unknown name.
    fn new(term: &'a WrittenTerm<'a>) -> Option<AskedName<'a>> {
        let kind = term.head.field()?.kind()?;
        let is_of_name = term.head == TermHead::Word || matches!(kind, ValueKind::Player | ValueKind::Event);
        if !is_of_name || term.alternatives.iter().any(WrittenAlternative::is_unknown) {
            return None;
        }
        let words = term.alternatives.iter().map(|one| words_of(&one.text));
        Some(AskedName {
            read: tag_term(term, false)?.ok()?,
            kind,
            similar: SimilarNames::to(words.collect()),
            term,
            is_known: false,
        })
    }

    /// True if names of a kind are compared with it.
    fn is_of(&self, kind: ValueKind) -> bool {
        self.kind == kind || self.kind == ValueKind::Words
    }

    fn has(&self, kind: ValueKind, text: &str) -> bool {
        self.is_of(kind) && has_text(&self.read.values, Some(text))
    }

    /// Keeps a name if it is one of the most similar.
    fn compare(&mut self, kind: ValueKind, text: &str) {
        if self.is_of(kind) {
            self.similar.compare(text, &words_of(text));
        }
    }

    fn hint(self) -> QueryHint {
        QueryHint::NoName {
            term: self.term.text.to_owned(),
            whose: match self.kind {
                ValueKind::Event => "event",
                ValueKind::Player => "player",
                _ => "player and no event",
            },
            similar: self.similar.names(),
        }
    }
}

/// Calls `each` with the names of all players and events until it returns false.
fn for_each_name(searched: &[SearchedGames<'_>], mut each: impl FnMut(ValueKind, &str) -> bool) {
    for one in searched {
        let mut seen: FxHashSet<(bool, TextId)> = FxHashSet::default();
        for game in 0..one.database.len() {
            if game.is_multiple_of(1024) {
                task::check();
            }
            let Keys {
                white, black, event, ..
            } = one.database.keys(game);
            for (kind, id) in [
                (ValueKind::Player, white),
                (ValueKind::Player, black),
                (ValueKind::Event, event),
            ] {
                if !seen.insert((kind == ValueKind::Player, id)) {
                    continue;
                }
                let stored = one.database.text(id);
                let shown = one.names.and_then(|names| names.other(&stored));
                let shown = shown.filter(|_| kind == ValueKind::Player);
                let names = known(&stored).into_iter().chain(shown.and_then(known));
                for name in names {
                    if !each(kind, &on_one_line(&name)) {
                        return;
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comparisons_are_meant_as_fields() {
        for (word, meant) in [
            ("white=carlsen", Some("white:carlsen")),
            ("White==Carlsen", Some("white:Carlsen")),
            ("elo>2700", Some("elo:2701..")),
            ("elo>=2700", Some("elo:2700..")),
            ("WhiteElo<2000", Some("white_elo:..1999")),
            ("year<=1950", Some("year:..1950")),
            ("date>1985.11", Some("date:1985.11..")),
            ("elo>9223372036854775807", Some("elo:9223372036854775807..")),
            ("elo>", None),
            ("=a", None),
            ("xyz=1", None),
            ("carlsen", None),
        ] {
            assert_eq!(comparison(word).as_deref(), meant, "{word}");
        }
    }
}
