//! How far a game has got in the groups of a query.
//!
//! A group that may begin within a few half-moves of the one before it can hold too early: so as long as the next group
//! has such a limit, later positions of a group count, too. Of all ends of a group, the last one is enough, since it leaves
//! the next group the most room.

use super::group::GroupTest;
use chessdb::board::Move;

/// A position of a game.
#[derive(Clone, Copy, Default)]
pub(super) struct Place {
    pub(super) ply: u32,
    pub(super) next: Option<Move>,
}

/// How far a game has got in one image of a query.
#[derive(Clone)]
pub(super) struct ImageProgress<'a> {
    groups: &'a [GroupTest],
    progress: Vec<GroupProgress>,
    /// The first group that may still hold. Those before it have held early enough for all that follows.
    from: usize,
    is_open: bool,
}

/// How far a game has got in one group.
#[derive(Clone, Default)]
struct GroupProgress {
    /// The first position from which on the group has held up to now, and which is late and early enough.
    first: Option<Place>,
    /// The plies of the last two positions at which it was complete, the later one first.
    ends: [Option<u32>; 2],
    /// Whether it held at the last position, if it depends on counts alone.
    by_counts: Option<bool>,
}

impl GroupProgress {
    /// The ply of the last position before this one at which the group was complete.
    #[inline]
    fn end_before(&self, ply: u32) -> Option<u32> {
        self.ends.into_iter().flatten().find(|&end| end < ply)
    }
}

impl<'a> ImageProgress<'a> {
    pub(super) fn new(groups: &'a [GroupTest]) -> ImageProgress<'a> {
        ImageProgress {
            groups,
            progress: vec![GroupProgress::default(); groups.len()],
            from: 0,
            is_open: false,
        }
    }

    /// Begins a game, which may be one that is not asked for the image.
    pub(super) fn begin(&mut self, is_open: bool) {
        self.progress.fill(GroupProgress::default());
        self.from = 0;
        self.is_open = is_open;
    }

    /// True if the game may still have all groups.
    #[inline]
    pub(super) fn is_open(&self) -> bool {
        self.is_open
    }

    /// Closes the image if a group that has not begun is past.
    #[inline]
    pub(super) fn close_if(&mut self, is_past: impl Fn(&GroupTest) -> bool) {
        if !self.is_open {
            return;
        }
        let begun = |group: &GroupProgress| group.first.is_some() || group.ends[0].is_some();
        let next = self.progress.iter().rposition(begun).map_or(0, |last| last + 1);
        let mut others = self.groups.iter().skip(next.max(self.from));
        self.is_open = !others.any(is_past);
    }

    /// Forgets what depends on the numbers of pieces.
    #[inline]
    pub(super) fn count_again(&mut self) {
        self.progress.iter_mut().for_each(|group| group.by_counts = None);
    }

    /// Notes the move that is played at a place where the last group began.
    #[inline]
    pub(super) fn play(&mut self, place: Place) {
        let first = self.progress.last_mut().and_then(|last| last.first.as_mut());
        if let Some(first) = first.filter(|first| first.ply == place.ply) {
            first.next = place.next;
        }
    }

    /// Looks at a place, for groups that depend on the move played there, or for the others. Returns the first place of
    /// the last group if all are complete. `holds` may use what it has kept of the numbers of pieces.
    #[inline]
    pub(super) fn look(
        &mut self,
        place: Place,
        is_move: bool,
        mut holds: impl FnMut(&GroupTest, &mut Option<bool>) -> bool,
    ) -> Option<Place> {
        if !self.is_open {
            return None;
        }
        // Later groups first: what holds here is too late for another group to hold here, too.
        for n in (self.from..self.groups.len()).rev() {
            let group = &self.groups[n];
            if group.has_played != is_move {
                continue;
            }
            let may_begin = n == 0 || {
                let end = self.progress[n - 1].end_before(place.ply);
                end.is_some_and(|end| group.within.is_none_or(|most| place.ply - end <= most))
            };
            let own = &mut self.progress[n];
            if group.for_plies <= 1 {
                // It holds at one position.
                own.first = None;
            }
            if own.first.is_none() && !may_begin {
                own.by_counts = None;
                continue;
            }
            if !holds(group, &mut own.by_counts) {
                own.first = None;
                continue;
            }
            let first = *own.first.get_or_insert(place);
            if place.ply + 1 - first.ply < group.for_plies {
                continue;
            }
            if n + 1 == self.groups.len() {
                return Some(first);
            }
            own.ends = [Some(place.ply), own.end_before(place.ply)];
            if self.groups[n + 1].within.is_none() {
                self.from = n + 1;
                break;
            }
        }
        None
    }
}
