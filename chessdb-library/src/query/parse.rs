//! Reading a query.

use super::canonical::{in_quotes, quoted};
use super::error::QueryError;
use super::field::{FieldSubject, QueryField, WORD};
use super::groups::is_move_pattern;
use super::tag_term::TagTerm;
use super::terms::{LONGEST, TermHead, WrittenTerm, terms};
use super::value::{self, WrittenAlternative};
use super::written_positions::WrittenPositions;
use super::{Bounds, Mover, PositionGroup, Query};

impl Query {
    /// Reads a query. That without terms asks for all games.
    ///
    /// # Errors
    /// Names the first term that is wrong, and says what would be right.
    pub fn parse(text: &str) -> Result<Query, QueryError> {
        parse(text, false)
    }

    /// Reads a query that is the name of a directory: where a value may have slashes, `_` is one.
    ///
    /// # Errors
    /// Names the first term that is wrong, and says what would be right.
    pub fn parse_name(name: &str) -> Result<Query, QueryError> {
        parse(name, true)
    }

    /// The query of one field, with a value that is read as if it stood in double quotes.
    ///
    /// # Errors
    /// Says what would be right.
    pub fn of_term(field: &str, value: &str) -> Result<Query, QueryError> {
        parse(&format!("{field}:{}", in_quotes(value)), false)
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

/// Patterns of moves in a query at most. Each is compared with all moves that exist, and takes up to 200 KiB.
const MOST_PATTERNS: usize = 32;

/// A query under construction.
#[derive(Default)]
struct Parser {
    tags: Vec<TagTerm>,
    positions: WrittenPositions,
    has_fields: bool,
    is_name: bool,
    /// Number of patterns of moves.
    patterns: usize,
}

fn parse(text: &str, is_name: bool) -> Result<Query, QueryError> {
    let written = terms(text)?;
    let mut parser = Parser {
        is_name,
        ..Parser::default()
    };
    for term in &written {
        let read = parser.add(term);
        read.map_err(|what| QueryError::new(term.place, term.text, what))?;
    }
    parser.check(&written)?;
    let query = parser.finish();
    if query.canonical().len() > LONGEST {
        let what = "a query has at most 64 KiB, also in its canonical form";
        return Err(QueryError::new(0, "", what));
    }
    Ok(query)
}

impl Parser {
    fn add(&mut self, term: &WrittenTerm<'_>) -> Result<(), String> {
        let field = match &term.head {
            TermHead::Word => &WORD,
            TermHead::Field(field) | TermHead::Tag(field, _) => field,
            TermHead::Begin(order) => {
                let what = "needs a term for positions before it, as in played:O-O then played:Qxf7";
                let begins = self.positions.begin(*order);
                return begins.then_some(()).ok_or_else(|| what.to_owned());
            }
        };
        self.has_fields |= term.head != TermHead::Word;
        match tag_term(term, self.is_name) {
            Some(read) => {
                let term = read?;
                if !self.tags.contains(&term) {
                    self.tags.push(term);
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
                vec![quoted(&set(&mut self.positions, &one.text)?)]
            }
            FieldSubject::Number(group) => {
                let bounds = alternatives.map(|one| value::bounds(&one.text, field.example()));
                let bounds: Vec<Bounds> = bounds.collect::<Result<_, _>>()?;
                let texts = bounds.iter().map(Bounds::to_string).collect();
                self.positions.add(is_negated, group(bounds));
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
                let texts = terms.iter().map(|term| quoted(&term.to_string())).collect();
                let group = PositionGroup {
                    terms: vec![terms],
                    ..PositionGroup::default()
                };
                self.positions.add(is_negated, group);
                texts
            }
            FieldSubject::Tag(_) => Vec::new(),
        };
        let sign = if is_negated { "-" } else { "" };
        self.positions
            .add_text(format!("{sign}{name}:{}", texts.join("|")));
        Ok(())
    }

    /// Finds terms that need others.
    fn check(&self, written: &[WrittenTerm<'_>]) -> Result<(), QueryError> {
        let last = |is_wrong: &dyn Fn(&WrittenTerm<'_>) -> bool, what: &dyn Fn(&str) -> String| {
            let term = written.iter().rfind(|term| is_wrong(term));
            term.map_or(Ok(()), |term| {
                Err(QueryError::new(term.place, term.text, what(term.text)))
            })
        };
        let players = self.tags.iter().filter(|term| term.is_player()).count();
        if players != 1 && (self.positions.has_player() || self.tags.iter().any(TagTerm::needs_player)) {
            let what = |term: &str| format!("needs exactly one player:, as in player:carlsen {term}");
            last(&needs_player, &what)?;
        }
        match self.positions.fault() {
            Some((name, what)) => last(&|term| term.head.is(name), &|_| what.to_owned()),
            None => Ok(()),
        }
    }

    fn finish(self) -> Query {
        let mut tags = self.tags;
        tags.sort_by_cached_key(|term| (term.field.place(), term.text.clone()));
        let (positions, group_texts) = self.positions.finish();
        Query {
            tags,
            positions,
            group_texts,
            has_fields: self.has_fields,
        }
    }
}

/// True for a term that says nothing without a player.
fn needs_player(term: &WrittenTerm<'_>) -> bool {
    let mut alternatives = term.alternatives.iter();
    let is_mover = |one: &WrittenAlternative| Mover::of_name(&one.text).is_some_and(Mover::is_of_player);
    if term.head.is("by") {
        return alternatives.any(is_mover);
    }
    tag_term(term, false).is_some_and(|read| read.is_ok_and(|read| read.needs_player()))
}

/// Reads a term that asks for tags; none for one that is about positions.
pub(super) fn tag_term(term: &WrittenTerm<'_>, is_name: bool) -> Option<Result<TagTerm, String>> {
    let field = term.head.field()?;
    let kind = field.kind()?;
    let tag = match &term.head {
        TermHead::Tag(_, tag) => tag,
        _ => "",
    };
    let values = term
        .alternatives
        .iter()
        .map(|one| value::read(kind, field.name, one, is_name));
    let values = values.collect::<Result<Vec<_>, _>>();
    Some(values.map(|values| TagTerm::new(term.is_negated, field, tag, values)))
}
