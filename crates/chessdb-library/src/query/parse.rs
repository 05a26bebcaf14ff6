//! Reading a query.

use super::canonical::exact_text;
use super::error::QueryError;
use super::field::{FieldSubject, QueryField, WORD};
use super::groups::is_move_pattern;
use super::quotes::{in_quotes, quoted, quoted_or_range};
use super::tag_term::tag_term;
use super::terms::{LONGEST, TermHead, WrittenTerm, terms};
use super::value;
use super::written_query::{Outside, WrittenChoice, WrittenQuery};
use super::{Bounds, PositionGroup, Query};
use crate::positions::{Pattern, pattern_name};

impl Query {
    /// Reads a query. A query without terms matches all games.
    ///
    /// # Errors
    /// Names the first term that is wrong, and says what to write instead.
    pub fn parse(text: &str) -> Result<Query, QueryError> {
        parse(text, false)
    }

    /// Reads a query that is the name of a directory: where a value may have slashes, `_` is one. In a name with `%2F`,
    /// `%5F` or `%25`, these are `/`, `_` and `%`, and each other sign is itself.
    ///
    /// # Errors
    /// Names the first term that is wrong, and says what to write instead.
    pub fn parse_name(name: &str) -> Result<Query, QueryError> {
        match exact_text(name) {
            Some(text) => parse(&text, false),
            None => parse(name, true),
        }
    }

    /// The query of one field, with a value that is read as if it were in double quotes.
    ///
    /// # Errors
    /// Says what would be right.
    pub fn of_term(field: &str, value: &str) -> Result<Query, QueryError> {
        parse(&format!("{field}:{}", in_quotes(value)), false)
    }

    /// The query for the games that have a position.
    ///
    /// # Errors
    /// If no game can reach it.
    pub fn of_pattern(pattern: &Pattern) -> Result<Query, QueryError> {
        Query::of_term("fen", &pattern_name(pattern))
    }

    /// The text of a query that may not be UTF-8.
    ///
    /// # Errors
    /// Names the first byte that is wrong.
    pub fn text_of(bytes: &[u8]) -> Result<&str, QueryError> {
        std::str::from_utf8(bytes)
            .map_err(|error| QueryError::new(error.valid_up_to(), "", "a query is written in UTF-8"))
    }
}

/// Maximum number of patterns of moves in a query. When it runs, each needs a table of matching moves, of up to 200
/// KiB.
const MOST_PATTERNS: usize = 32;

/// Maximum number of texts of comments in a query. Each comment is searched for all of them.
const MOST_COMMENTS: usize = 32;

/// Choices within each other at most.
const MOST_NESTED: usize = 4;

fn parse(text: &str, is_name: bool) -> Result<Query, QueryError> {
    let written = terms(text)?;
    let mut parser = Parser {
        is_name,
        patterns: 0,
        comments: 0,
        open: Vec::new(),
        present: WrittenQuery::default(),
    };
    for term in &written {
        let read = match term.head {
            TermHead::Open => parser.open(term),
            TermHead::Bar => parser.end_side(),
            TermHead::Close => parser.close(),
            _ => parser.add(term),
        };
        read.map_err(|what| QueryError::new(term.place, term.text, what))?;
    }
    if let Some((_, choice)) = parser.open.last() {
        let (place, sign) = (choice.opened.place, choice.opened.text);
        return Err(QueryError::new(
            place,
            sign,
            "is not closed: write ) after the last side",
        ));
    }
    let query = parser.present.finish(&Outside::default())?;
    if query.canonical().len() > LONGEST {
        let what = "a query has at most 64 KiB, also in its canonical form";
        return Err(QueryError::new(0, "", what));
    }
    Ok(query)
}

/// A query under construction.
struct Parser<'a> {
    is_name: bool,
    /// Number of patterns of moves, and of texts of comments.
    patterns: usize,
    comments: usize,
    /// The choices that are still open, each with the part of the query around it.
    open: Vec<(WrittenQuery<'a>, WrittenChoice<'a>)>,
    /// The query, or the current side of the innermost open choice.
    present: WrittenQuery<'a>,
}

impl<'a> Parser<'a> {
    /// Begins a choice.
    fn open(&mut self, opened: &'a WrittenTerm<'a>) -> Result<(), String> {
        if self.present.positions.groups.len() > 1 {
            return Err("is about the whole game: write it before then and next".to_owned());
        }
        if self.open.len() == MOST_NESTED {
            return Err(format!("parentheses can be nested at most {MOST_NESTED} deep"));
        }
        let choice = WrittenChoice {
            opened,
            sides: Vec::new(),
        };
        self.open.push((std::mem::take(&mut self.present), choice));
        Ok(())
    }

    /// Ends a side of a choice.
    fn end_side(&mut self) -> Result<(), String> {
        let Some((_, choice)) = self.open.last_mut() else {
            return Err("stands between parentheses, as in ( eco:B | year:1985 )".to_owned());
        };
        if self.present.is_empty() {
            return Err("needs a term before it, as in ( eco:B | year:1985 )".to_owned());
        }
        choice.sides.push(std::mem::take(&mut self.present));
        Ok(())
    }

    /// Ends a choice.
    fn close(&mut self) -> Result<(), String> {
        self.end_side()?;
        if let Some((outside, choice)) = self.open.pop() {
            self.present = outside;
            self.present.choices.push(choice);
        }
        Ok(())
    }

    fn add(&mut self, term: &'a WrittenTerm<'a>) -> Result<(), String> {
        self.present.terms.push(term);
        let field = match &term.head {
            TermHead::Begin(order) => {
                return self.present.positions.begin(*order);
            }
            head => head.field().unwrap_or(&WORD),
        };
        if field.is_of_whole_query() && !self.open.is_empty() {
            let name = field.name;
            return Err(format!(
                "{name}: is about the whole query: write it outside the parentheses"
            ));
        }
        self.present.has_fields |= term.head != TermHead::Word;
        if field.is("comment") || field.is("text") {
            self.comments += term.alternatives.len();
        }
        if self.comments > MOST_COMMENTS {
            return Err(format!("a query has at most {MOST_COMMENTS} texts of comments"));
        }
        match tag_term(term, self.is_name) {
            Some(read) => {
                let term = read?;
                if !self.present.tags.contains(&term) {
                    self.present.tags.push(term);
                }
                Ok(())
            }
            None => self.add_position(field, term),
        }
    }

    fn add_position(&mut self, field: &QueryField, term: &WrittenTerm<'_>) -> Result<(), String> {
        let (name, is_negated) = (field.name, term.is_negated);
        let mut signs = term.alternatives.iter();
        if let Some(sign) = signs.find(|one| one.is_exact || one.is_unknown()) {
            return Err(if sign.is_exact {
                value::no_exact_texts(name)
            } else {
                format!("{name}: cannot be unknown")
            });
        }
        let alternatives = term.alternatives.iter();
        let texts: Vec<String> = match &field.subject {
            FieldSubject::Setting(set) => {
                let [one] = &*term.alternatives else {
                    return Err(format!("{name}: takes one value"));
                };
                if is_negated {
                    return Err(format!("{name}: leaves no games out: write it without a hyphen"));
                }
                vec![quoted(&set(&mut self.present.positions, &one.text)?)]
            }
            FieldSubject::Number(group) => {
                let bounds = alternatives.map(|one| value::bounds(&one.text, field.example()));
                let bounds: Vec<Bounds> = bounds.collect::<Result<_, _>>()?;
                let texts = bounds.iter().map(Bounds::to_string).collect();
                self.present.positions.add(is_negated, group(bounds));
                texts
            }
            FieldSubject::Position(read) => {
                if field.is("played") {
                    self.patterns += alternatives
                        .clone()
                        .filter(|one| is_move_pattern(&one.text))
                        .count();
                }
                if self.patterns > MOST_PATTERNS {
                    return Err(format!("a query has at most {MOST_PATTERNS} patterns of moves"));
                }
                let terms = alternatives.map(|one| read(&one.text, self.is_name));
                let terms = terms.collect::<Result<Vec<_>, _>>()?.concat();
                let texts = terms
                    .iter()
                    .map(|term| quoted_or_range(&term.to_string()))
                    .collect();
                let group = PositionGroup {
                    terms: vec![terms],
                    ..PositionGroup::default()
                };
                self.present.positions.add(is_negated, group);
                texts
            }
            FieldSubject::Tag(_) => Vec::new(),
        };
        let sign = if is_negated { "-" } else { "" };
        self.present
            .positions
            .add_text(format!("{sign}{name}:{}", texts.join("|")));
        Ok(())
    }
}
