//! Reading a query.

use super::canonical::quoted;
use super::error::QueryError;
use super::field::QueryField;
use super::tag_term::TagTerm;
use super::terms::{LONGEST, TermHead, WrittenAlternative, WrittenTerm, terms};
use super::value::{self, TagValue};
use super::{Bounds, Mirror, Mover, PositionGroup, PositionQuery, PositionTerm, Query};

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

    /// The text of a query that may not be UTF-8.
    ///
    /// # Errors
    /// Names the first byte that is wrong.
    pub fn text_of(bytes: &[u8]) -> Result<&str, QueryError> {
        std::str::from_utf8(bytes)
            .map_err(|error| QueryError::new(error.valid_up_to(), "", "a query is written in UTF-8"))
    }
}

/// The terms of positions of one group.
#[derive(Default)]
struct WrittenGroup {
    group: PositionGroup,
    excluded: Vec<PositionGroup>,
    /// The number of plies, if the group has one.
    for_plies: Option<u32>,
    texts: Vec<String>,
}

impl WrittenGroup {
    /// True if a position must be there.
    fn asks(&self) -> bool {
        !self.group.terms.is_empty() || !self.group.ply.is_empty()
    }
}

/// A query under construction.
#[derive(Default)]
struct Parser {
    tags: Vec<TagTerm>,
    groups: Vec<WrittenGroup>,
    mirror: Option<Mirror>,
    has_fields: bool,
    is_name: bool,
}

fn parse(text: &str, is_name: bool) -> Result<Query, QueryError> {
    let written = terms(text)?;
    let mut parser = Parser {
        groups: vec![WrittenGroup::default()],
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
        match term.head {
            TermHead::Then => {
                if self.groups.last().is_some_and(WrittenGroup::asks) {
                    self.groups.push(WrittenGroup::default());
                    Ok(())
                } else {
                    Err("needs a term for positions before it, as in played:O-O then played:Qxf7".to_owned())
                }
            }
            TermHead::Field(field) if field.is_of_positions() => {
                self.has_fields = true;
                self.add_position(field, term)
            }
            TermHead::Word => {
                let read = |word: &WrittenAlternative| value::words(&word.text, word.is_quoted);
                self.add_tags(term, read)
            }
            TermHead::Field(_) | TermHead::Tag(_) => {
                self.has_fields = true;
                let is_name = self.is_name;
                self.add_tags(term, |written| value::read(&term.head, written, is_name))
            }
        }
    }

    fn add_tags(
        &mut self,
        term: &WrittenTerm<'_>,
        read: impl Fn(&WrittenAlternative) -> Result<(TagValue, String), String>,
    ) -> Result<(), String> {
        let values = term.alternatives.iter().map(read).collect::<Result<_, _>>()?;
        let term = TagTerm::new(term.is_negated, &term.head, values);
        if !self.tags.contains(&term) {
            self.tags.push(term);
        }
        Ok(())
    }

    fn add_position(&mut self, field: QueryField, term: &WrittenTerm<'_>) -> Result<(), String> {
        if let Some(sign) = term
            .alternatives
            .iter()
            .find(|one| one.is_exact || one.is_unknown())
        {
            return Err(if sign.is_exact {
                value::no_exact_texts(field)
            } else {
                format!("{}: cannot be unknown", field.name())
            });
        }
        let texts = match field {
            QueryField::By | QueryField::For | QueryField::Mirror => {
                let [one] = &*term.alternatives else {
                    return Err(format!("{}: takes one value", field.name()));
                };
                if term.is_negated {
                    return Err(format!(
                        "{}: leaves no games out: write it without a hyphen",
                        field.name()
                    ));
                }
                vec![self.set(field, &one.text)?]
            }
            QueryField::Ply => {
                let bounds = term
                    .alternatives
                    .iter()
                    .map(|one| value::bounds(&one.text, "..20"));
                let bounds: Vec<Bounds> = bounds.collect::<Result<_, _>>()?;
                let texts = bounds.iter().map(Bounds::to_string).collect();
                let one = PositionGroup {
                    ply: vec![bounds],
                    ..PositionGroup::default()
                };
                self.add_terms(term.is_negated, one);
                texts
            }
            _ => {
                let read = |one: &WrittenAlternative| position_terms(field, &one.text, self.is_name);
                let terms: Vec<Vec<PositionTerm>> =
                    term.alternatives.iter().map(read).collect::<Result<_, _>>()?;
                let terms = terms.concat();
                let texts = terms.iter().map(PositionTerm::to_string).collect();
                let one = PositionGroup {
                    terms: vec![terms],
                    ..PositionGroup::default()
                };
                self.add_terms(term.is_negated, one);
                texts
            }
        };
        let is_range = matches!(field, QueryField::Ply | QueryField::Diff);
        let texts = texts
            .iter()
            .map(|text| if is_range { text.clone() } else { quoted(text) });
        let sign = if term.is_negated { "-" } else { "" };
        let text = format!("{sign}{}:{}", field.name(), texts.collect::<Vec<_>>().join("|"));
        if let Some(group) = self.groups.last_mut() {
            group.texts.push(text);
        }
        Ok(())
    }

    /// Adds the only term of `one` to the present group, or to what it leaves out.
    fn add_terms(&mut self, is_negated: bool, one: PositionGroup) {
        let Some(present) = self.groups.last_mut() else {
            return;
        };
        if is_negated {
            present.excluded.push(one);
        } else {
            present.group.terms.extend(one.terms);
            present.group.ply.extend(one.ply);
        }
    }

    /// Sets `by:`, `for:` or `mirror:`, and gives its canonical value.
    fn set(&mut self, field: QueryField, text: &str) -> Result<String, String> {
        const MIRRORS: [(&str, Mirror); 3] = [
            ("colour", Mirror::Colour),
            ("side", Mirror::Side),
            ("both", Mirror::Both),
        ];
        if field == QueryField::Mirror {
            let mirror = MIRRORS.iter().find(|(name, _)| text.eq_ignore_ascii_case(name));
            let (name, mirror) = mirror.ok_or("expected colour, side or both")?;
            if self.mirror.replace(*mirror).is_some() {
                return Err(
                    "mirror: can be given once in a query: mirror:both finds all mirror images".to_owned(),
                );
            }
            return Ok((*name).to_owned());
        }
        let group = self.groups.last_mut();
        if field == QueryField::By {
            let mover = Mover::of_name(text).ok_or("expected white, black, player or opponent")?;
            if group.is_some_and(|group| group.group.mover.replace(mover).is_some()) {
                return Err("by: can be given once in a group".to_owned());
            }
            return Ok(mover.name().to_owned());
        }
        let plies = text
            .parse()
            .ok()
            .filter(|&plies| plies > 0 && !text.starts_with('+'));
        let plies: u32 = plies.ok_or("expected a number of half-moves, at least 1")?;
        if group.is_some_and(|group| group.for_plies.replace(plies).is_some()) {
            return Err("for: can be given once in a group".to_owned());
        }
        Ok(plies.to_string())
    }

    /// Finds terms that need others.
    fn check(&self, written: &[WrittenTerm<'_>]) -> Result<(), QueryError> {
        let error = |head: &dyn Fn(&WrittenTerm<'_>) -> bool, what: &str| {
            let term = written.iter().rfind(|term| head(term));
            term.map_or(Ok(()), |term| Err(QueryError::new(term.place, term.text, what)))
        };
        let is_of = |field: QueryField| move |term: &WrittenTerm<'_>| term.head == TermHead::Field(field);
        let players = self.tags.iter().filter(|term| term.is_player()).count();
        let movers = self.groups.iter().filter_map(|group| group.group.mover);
        let has_mover = movers.clone().any(Mover::is_of_player);
        if players != 1 && (has_mover || self.tags.iter().any(TagTerm::needs_player)) {
            let needs_player = |term: &WrittenTerm<'_>| {
                let is_of_player =
                    |one: &WrittenAlternative| matches!(&*one.text.to_lowercase(), "win" | "loss");
                let is_mover =
                    |one: &WrittenAlternative| Mover::of_name(&one.text).is_some_and(Mover::is_of_player);
                is_of(QueryField::By)(term) && term.alternatives.iter().any(is_mover)
                    || is_of(QueryField::Opponent)(term)
                    || is_of(QueryField::OpponentElo)(term)
                    || is_of(QueryField::Result)(term) && term.alternatives.iter().any(is_of_player)
            };
            let term = written.iter().rfind(|term| needs_player(term));
            let term = term.map_or("", |term| term.text);
            let what = format!("needs exactly one player:, as in player:carlsen {term}");
            error(&needs_player, &what)?;
        }
        let has_several = self.groups.len() > 1;
        if has_several && self.groups.last().is_some_and(|last| !last.asks()) {
            let is_then = |term: &WrittenTerm<'_>| term.head == TermHead::Then;
            error(
                &is_then,
                "needs a term for positions after it, as in played:O-O then played:Qxf7",
            )?;
        }
        if self
            .groups
            .iter()
            .any(|group| group.for_plies.is_some() && !group.asks())
        {
            error(
                &is_of(QueryField::For),
                "needs a term for positions in its group, as in material:KRPkr for:4",
            )?;
        }
        let has_positions = |group: &WrittenGroup| group.asks() || !group.excluded.is_empty();
        let mut with_mover = self.groups.iter().filter(|group| group.group.mover.is_some());
        if with_mover.clone().any(|group| !has_positions(group)) {
            error(
                &is_of(QueryField::By),
                "needs a term for positions in its group, as in played:O-O-O by:white",
            )?;
        }
        if with_mover.any(|group| group.for_plies.is_some_and(|plies| plies > 1)) {
            error(
                &is_of(QueryField::By),
                "the sides take turns, so no two consecutive half-moves match: leave out by: or for:",
            )?;
        }
        if self.mirror.is_some() && !self.groups.iter().any(has_positions) {
            error(
                &is_of(QueryField::Mirror),
                "needs a term for positions, as in pawns:8/8/8/3p4/3P4/8/8/8 mirror:colour",
            )?;
        }
        Ok(())
    }

    fn finish(self) -> Query {
        let mut tags = self.tags;
        tags.sort_by(|a, b| {
            let key = |term: &TagTerm| (term.field(), term.text.clone());
            key(a).cmp(&key(b))
        });
        let mut positions = PositionQuery {
            mirror: self.mirror.unwrap_or_default(),
            ..PositionQuery::default()
        };
        let mut group_texts = Vec::new();
        for written in self.groups {
            let (asks, ply, mover) = (written.asks(), written.group.ply.clone(), written.group.mover);
            positions
                .excluded
                .extend(written.excluded.into_iter().map(|mut excluded| {
                    excluded.ply.extend(ply.iter().cloned());
                    excluded.mover = mover;
                    excluded
                }));
            if asks {
                positions.groups.push(PositionGroup {
                    for_plies: written.for_plies.unwrap_or(1),
                    ..written.group
                });
            }
            group_texts.push(written.texts);
        }
        Query {
            tags,
            positions,
            group_texts,
            has_fields: self.has_fields,
        }
    }
}

/// Reads an alternative of a term of positions, which may be several.
fn position_terms(field: QueryField, text: &str, is_name: bool) -> Result<Vec<PositionTerm>, String> {
    let with_slashes = || {
        if is_name {
            text.replace('_', "/")
        } else {
            text.to_owned()
        }
    };
    let term = match field {
        QueryField::Fen => {
            let mut terms = PositionTerm::fens(text);
            // The underscores after those between ranks are between fields.
            if terms.is_err() && is_name && text.matches('_').count() >= 7 {
                terms = PositionTerm::fens(&text.replacen('_', "/", 7));
            }
            return terms.map_err(|error| error.to_string());
        }
        QueryField::Line => PositionTerm::line(text),
        QueryField::Board => PositionTerm::board(&with_slashes()),
        QueryField::Pawns => PositionTerm::pawns(&with_slashes()),
        QueryField::Material => PositionTerm::material(text),
        QueryField::Diff => Ok(PositionTerm::diff(value::bounds(text, "3..")?)),
        _ => PositionTerm::played(text),
    };
    term.map(|term| vec![term]).map_err(|error| error.to_string())
}
