//! The repertoires that a query names.

use super::choice::Choice;
use super::{Mirror, Mover, PositionGroup, PositionTerm, Query};
use crate::library::DatabasePattern;
use crate::repertoire::{RepertoireError, Repertoires};

impl Query {
    /// The patterns of databases that `repertoire:` has, in choices, too.
    pub fn repertoires(&self) -> Vec<&DatabasePattern> {
        let own = self
            .groups_and_excluded()
            .flat_map(|group| group.terms.iter().flatten());
        let own = own.filter_map(PositionTerm::pattern_of_repertoire);
        let sides = self.choices.iter().flat_map(|choice| &choice.sides);
        own.chain(sides.flat_map(Query::repertoires)).collect()
    }

    /// Checks that each of these patterns matches a database, and not too many games.
    ///
    /// # Errors
    /// If one does not.
    pub fn check_repertoires(&self, known: &Repertoires) -> Result<(), RepertoireError> {
        self.repertoires()
            .into_iter()
            .try_for_each(|pattern| known.check(pattern))
    }

    /// The only repertoire that it names outside choices, and the side that plays its moves. `None` if it names
    /// no repertoire or several, or if mirror images count.
    pub fn only_repertoire(&self) -> Option<(&DatabasePattern, Mover)> {
        if self.positions.mirror != Mirror::None {
            return None;
        }
        let named = |group: &PositionGroup| {
            let terms = group.terms.iter().flatten();
            let patterns = terms.filter_map(PositionTerm::pattern_of_repertoire);
            patterns.count() > 0
        };
        let mut groups = self.groups_and_excluded().filter(|group| named(group));
        let (group, None) = (groups.next()?, groups.next()) else {
            return None;
        };
        let mut patterns = group.terms.iter().flatten();
        let pattern = patterns.find_map(PositionTerm::pattern_of_repertoire);
        let others = patterns.filter_map(PositionTerm::pattern_of_repertoire).count();
        pattern.zip(group.mover).filter(|_| others == 0)
    }

    /// The same query with these repertoires, without which `repertoire:` holds nowhere.
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

    fn groups_and_excluded(&self) -> impl Iterator<Item = &PositionGroup> {
        self.positions.groups.iter().chain(&self.positions.excluded)
    }
}
