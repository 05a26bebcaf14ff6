//! A query, or a side of a choice, while it is parsed.

use super::choice::Choice;
use super::error::QueryError;
use super::tag_term::{TagTerm, tag_term};
use super::terms::WrittenTerm;
use super::value::WrittenAlternative;
use super::written_positions::WrittenPositions;
use super::{Mirror, Mover, Query};

/// What has been read so far.
#[derive(Default)]
pub(super) struct WrittenQuery<'a> {
    /// Its terms, except the terms within choices.
    pub(super) terms: Vec<&'a WrittenTerm<'a>>,
    pub(super) tags: Vec<TagTerm>,
    pub(super) choices: Vec<WrittenChoice<'a>>,
    pub(super) positions: WrittenPositions,
    /// A term is a field with a value.
    pub(super) has_fields: bool,
}

/// A choice whose sides are not finished.
pub(super) struct WrittenChoice<'a> {
    /// `(` or `-(`.
    pub(super) opened: &'a WrittenTerm<'a>,
    pub(super) sides: Vec<WrittenQuery<'a>>,
}

/// What a side of a choice gets from outside.
#[derive(Clone, Default)]
pub(super) struct Outside {
    /// The only player that is named there. A side that names one itself has no other.
    player: Option<TagTerm>,
    /// `deleted:`.
    deleted: Vec<TagTerm>,
    mirror: Option<Mirror>,
    in_variations: bool,
}

impl WrittenQuery<'_> {
    pub(super) fn is_empty(&self) -> bool {
        self.terms.is_empty() && self.choices.is_empty()
    }

    /// True if it has terms about positions, also within choices.
    fn has_positions(&self) -> bool {
        let mut sides = self.choices.iter().flat_map(|choice| &choice.sides);
        self.positions.has_positions() || sides.any(WrittenQuery::has_positions)
    }

    /// The query.
    ///
    /// # Errors
    /// If a term needs another term that is missing; the error names the last such term.
    pub(super) fn finish(self, outside: &Outside) -> Result<Query, QueryError> {
        let mut players = self.tags.iter().filter(|term| term.is_player());
        let player = match (players.next(), players.next()) {
            (None, _) => outside.player.clone(),
            (Some(player), None) => Some(player.clone()),
            _ => None,
        };
        let has_player = player.is_some();
        self.check(has_player)?;
        let deleted = self.tags.iter().filter(|term| term.field.is("deleted"));
        let inside = Outside {
            player,
            deleted: outside.deleted.iter().chain(deleted).cloned().collect(),
            mirror: outside.mirror.or(self.positions.mirror),
            in_variations: outside.in_variations || self.positions.in_variations,
        };
        let choices = self.choices.into_iter().map(|choice| choice.finish(&inside));
        let mut choices = choices.collect::<Result<Vec<Choice>, _>>()?;
        choices.sort_by(|a, b| a.text.cmp(&b.text));
        choices.dedup_by(|a, b| a.text == b.text);
        let mut sides = choices.iter().flat_map(|choice| &choice.sides);
        let has_fields = self.has_fields || sides.any(Query::has_fields);
        let mut tags = self.tags;
        tags.sort_by_cached_key(|term| (term.field.place(), term.text.clone()));
        let (positions, group_texts) = self.positions.finish(has_player);
        Ok(Query {
            tags,
            choices,
            positions,
            group_texts,
            has_fields,
        })
    }

    /// Finds terms that need others.
    fn check(&self, has_player: bool) -> Result<(), QueryError> {
        let last = |is_wrong: &dyn Fn(&WrittenTerm<'_>) -> bool, what: &dyn Fn(&str) -> String| {
            let term = self.terms.iter().rfind(|term| is_wrong(term));
            term.map_or(Ok(()), |term| {
                Err(QueryError::new(term.place, term.text, what(term.text)))
            })
        };
        if !has_player && (self.positions.has_player() || self.tags.iter().any(TagTerm::needs_player)) {
            let what = |term: &str| format!("needs exactly one player:, as in player:carlsen {term}");
            last(&needs_player, &what)?;
        }
        match self.positions.fault(self.has_positions()) {
            Some((name, what)) => last(&|term| term.head.is(name), &|_| what.to_owned()),
            None => Ok(()),
        }
    }
}

impl WrittenChoice<'_> {
    fn finish(self, outside: &Outside) -> Result<Choice, QueryError> {
        let sides = self.sides.into_iter().map(|side| {
            let has_player = side.tags.iter().any(TagTerm::is_player);
            let mut query = side.finish(outside)?;
            let text = query.canonical();
            query
                .tags
                .extend(outside.player.iter().filter(|_| !has_player).cloned());
            query.tags.extend(outside.deleted.iter().cloned());
            query.positions.mirror = outside.mirror.unwrap_or_default();
            query.positions.in_variations = outside.in_variations;
            Ok((text, query))
        });
        let mut sides = sides.collect::<Result<Vec<(String, Query)>, _>>()?;
        sides.sort_by(|(a, _), (b, _)| a.cmp(b));
        sides.dedup_by(|(a, _), (b, _)| a == b);
        let (texts, sides): (Vec<String>, _) = sides.into_iter().unzip();
        Ok(Choice {
            is_negated: self.opened.is_negated,
            sides,
            text: format!("{} {} )", self.opened.text, texts.join(" | ")),
        })
    }
}

/// True for a term that has no meaning without a player.
fn needs_player(term: &WrittenTerm<'_>) -> bool {
    let mut alternatives = term.alternatives.iter();
    let is_mover = |one: &WrittenAlternative| Mover::of_name(&one.text).is_some_and(Mover::is_of_player);
    if term.head.is("by") {
        return alternatives.any(is_mover);
    }
    tag_term(term, false).is_some_and(|read| read.is_ok_and(|read| read.needs_player()))
}
