//! The repertoires that a query names.

use super::choice::Choice;
use super::{Mirror, Mover, PositionGroup, Query};
use crate::repertoire::{NamedRepertoire, RepertoireError, Repertoires};

impl Query {
    /// The repertoires that `repertoire:` and `left:` name, in choices, too.
    pub fn repertoires(&self) -> Vec<NamedRepertoire<'_>> {
        let groups = self.positions.groups.iter().chain(&self.positions.excluded);
        let own = groups.flat_map(PositionGroup::named_repertoires);
        let sides = self.choices.iter().flat_map(|choice| &choice.sides);
        own.chain(sides.flat_map(Query::repertoires)).collect()
    }

    /// Checks that each of them matches a database, and not too many games.
    ///
    /// # Errors
    /// If one does not.
    pub fn check_repertoires(&self, known: &Repertoires) -> Result<(), RepertoireError> {
        self.repertoires().iter().try_for_each(|named| known.check(named))
    }

    /// The only repertoire that it names outside choices, and the side that follows or leaves it. `None` if it names no
    /// repertoire or several, if games must not leave it, or if mirror images count. Also `None` if games may leave it
    /// in a variation, because [`Query::left_in`] reads only main lines.
    pub fn only_repertoire(&self) -> Option<(NamedRepertoire<'_>, Option<Mover>)> {
        fn all(groups: &[PositionGroup]) -> impl Iterator<Item = (NamedRepertoire<'_>, Option<Mover>)> {
            groups
                .iter()
                .flat_map(|group| group.named_repertoires().map(|named| (named, group.mover)))
        }
        if self.positions.mirror != Mirror::None {
            return None;
        }
        let mut excluded = all(&self.positions.excluded);
        let mut named = all(&self.positions.groups);
        match (named.next(), excluded.next()) {
            (Some((only, _)), None) if only.is_left && self.positions.in_variations => None,
            (Some(only), None) => Some(only).filter(|_| named.next().is_none()),
            (None, Some(only)) => Some(only).filter(|(only, _)| excluded.next().is_none() && !only.is_left),
            _ => None,
        }
    }

    /// The query that finds the games of [`Query::left_in`] alone: the games of this query that leave its only repertoire.
    ///
    /// `None` if the query names no repertoire or several, or if no query finds just these games: the side that plays the
    /// moves of the repertoire must be the only player, and with `in:variations` a variation could leave it, too.
    pub fn for_games_that_leave(&self) -> Option<Query> {
        let (named, mover) = self.only_repertoire()?;
        if named.is_left {
            return Some(self.clone());
        }
        let is_of_player = mover == Some(Mover::Player) && self.has_one_player();
        if !is_of_player || self.positions.in_variations {
            return None;
        }
        let left = Query::of_term("left", &named.pattern.to_string()).ok()?;
        Query::parse(&format!("( {} ) {}", left.canonical(), self.canonical())).ok()
    }

    /// The same query with these repertoires. Without them `repertoire:` and `left:` never hold.
    #[must_use]
    pub fn with_repertoires(&self, known: &Repertoires) -> Query {
        let mut query = self.clone();
        query.look_up(known);
        query
    }

    fn look_up(&mut self, known: &Repertoires) {
        let groups = self
            .positions
            .groups
            .iter_mut()
            .chain(&mut self.positions.excluded);
        let terms = groups.flat_map(|group| group.terms.iter_mut().flatten());
        terms.for_each(|term| term.look_up(known));
        let sides = self.choices.iter_mut().flat_map(|Choice { sides, .. }| sides);
        sides.for_each(|side| side.look_up(known));
    }
}
