//! Follows games to find the positions of a query.

use std::ops::ControlFlow;

use super::filter::{LineFilter, Verdict};
use super::followed::{FollowedLines, RepertoireTest};
use super::group::{GroupTest, QueryImages, any_of_each};
use super::sacrifice::LineMaterial;
use super::term::Condition;
use crate::annotations::LineAnnotations;
use crate::lines::{BranchingLine, LineSource, LineStep, Occurrence, PackedLine, follow};
use crate::query::sides::{PlayerSides, Sides};
use chessdb::Database;
use chessdb::board::{Bitboard, ByColor, Color, Move, Position};
use chessdb::game::Game;
use chessdb::replay::Ply;

/// Plies between two checks whether a game can still match.
const LOOK_EVERY: u32 = 4;

/// The same if pieces have to be counted for the check, which takes longer.
const COUNT_EVERY: u32 = 16;

/// How far a game has got in each image of a query.
pub(super) struct Matcher<'a> {
    pub(super) query: &'a QueryImages,
    /// The excluded groups that do not depend on a move, and those that do.
    excluded: [Vec<&'a GroupTest>; 2],
    pub(super) images: Vec<ImageProgress<'a>>,
    /// The sides as whose player a game is excluded.
    players: Sides,
    pub(super) found: Option<Place>,
    /// True if the game has a position that it may not have.
    pub(super) is_excluded: bool,
    /// True if it may still have one.
    pub(super) can_be_excluded: bool,
    /// Where the lines of games are kept, or have just been packed.
    lines: Option<&'a dyn LineSource>,
    /// The filters by the groups that a game must have, and by those that it may not have.
    filter: Option<LineFilter<'a>>,
    excluded_filter: Option<LineFilter<'a>>,
    packed: PackedLine,
    pub(super) line: WholeLine,
    /// The squares of each colour's pieces in the position that was reached last.
    pub(super) pieces: ByColor<Bitboard>,
}

impl<'a> Matcher<'a> {
    pub(super) fn new(query: &'a QueryImages, lines: Option<&'a dyn LineSource>) -> Matcher<'a> {
        let (of_moves, others) = query.excluded.iter().partition(|group| group.has_played);
        Matcher {
            query,
            excluded: [others, of_moves],
            images: query
                .images
                .iter()
                .map(|image| ImageProgress::new(&image.groups))
                .collect(),
            players: 0,
            found: None,
            is_excluded: false,
            can_be_excluded: false,
            lines,
            filter: query.filter(),
            excluded_filter: query.excluded_filter(),
            packed: PackedLine::default(),
            line: WholeLine::default(),
            pieces: ByColor::default(),
        }
    }

    /// The first position of a game that completes the match, where one of these sides is the player.
    pub(super) fn first_in(
        &mut self,
        database: &dyn Database,
        game: u32,
        players: PlayerSides,
    ) -> Option<Occurrence> {
        let query = self.query;
        self.is_excluded = false;
        self.players = players.named;
        if query.in_variations {
            return self.first_in_variations(database, game, players);
        }
        self.can_be_excluded = query.excluded.iter().any(|group| group.is_of(players.named));
        let is_useful = self.filter.is_some() || self.excluded_filter.is_some() || query.needs.material;
        let is_read = is_useful && self.lines.is_some_and(|lines| lines.read(game, &mut self.packed));
        let packed = is_read.then_some(&self.packed);
        if let (Some(filter), Some(packed)) = (&mut self.filter, packed) {
            match filter.look(packed) {
                Verdict::Never => return None,
                Verdict::At(Place { ply, next }) => {
                    return Some(Occurrence {
                        game,
                        ply,
                        next,
                        variation: 0,
                    });
                }
                Verdict::Maybe => {}
            }
        }
        if let (Some(filter), Some(packed)) = (&mut self.excluded_filter, packed)
            && self.can_be_excluded
        {
            self.can_be_excluded = !matches!(filter.look(packed), Verdict::Never);
        }
        self.line.read(&query.needs, database, game, packed);
        if let (Some(group), Some(packed)) = (query.sacrifices(), packed) {
            let place = group.first_sacrifice(&self.line.material, packed)?;
            return Some(Occurrence {
                game,
                ply: place.ply,
                next: place.next,
                variation: 0,
            });
        }
        let mut excluded = query.excluded.iter();
        self.can_be_excluded &= excluded.any(|group| group.admits(&self.line));
        if !query.asks && !self.can_be_excluded {
            return Some(Occurrence {
                game,
                ply: 0,
                next: None,
                variation: 0,
            });
        }
        self.found = (!query.asks).then(Place::default);
        for (image, progress) in query.images.iter().zip(&mut self.images) {
            progress.begin(query.asks && image.is_of(players.held) && image.admits(&self.line));
        }
        if query.asks && !self.images.iter().any(ImageProgress::is_open) {
            return None;
        }
        follow(database, game, |step| match step {
            LineStep::Start(position) => self.start(position),
            LineStep::Ply(step) => self.step(step),
        });
        let found = self.found.filter(|_| !self.is_excluded)?;
        Some(Occurrence {
            game,
            ply: found.ply,
            next: found.next,
            variation: 0,
        })
    }

    /// Tests the first position.
    #[inline]
    pub(super) fn start(&mut self, position: &Position) -> ControlFlow<()> {
        self.pieces = ByColor::new_with(|color| position.pieces(color));
        self.reach(0, position)
    }

    /// Tests a move and the position after it.
    #[inline]
    pub(super) fn step(&mut self, step: &Ply<'_>) -> ControlFlow<()> {
        self.play(step)?;
        if self.query.has_counts && self.counts_change(step) {
            self.images.iter_mut().for_each(ImageProgress::count_again);
        }
        self.reach(step.number + 1, step.position)
    }

    /// True if a move has taken a piece or was a promotion. All moves must be passed.
    #[inline]
    fn counts_change(&mut self, step: &Ply<'_>) -> bool {
        let (position, mover) = (step.position, !step.position.turn());
        let is_promotion = matches!(
            step.mv,
            Move::Normal {
                promotion: Some(_),
                ..
            }
        );
        let others = position.pieces(!mover);
        self.pieces[mover] = position.pieces(mover);
        std::mem::replace(&mut self.pieces[!mover], others) != others || is_promotion
    }

    /// Tests the position before a move, for groups that depend on the move.
    #[inline]
    fn play(&mut self, step: &Ply<'_>) -> ControlFlow<()> {
        let (ply, mv, line) = (step.number, step.mv, &self.line);
        let holds = |group: &GroupTest| {
            group.may_hold_before(step)
                && group.holds(&Moment {
                    ply,
                    position: &step.before(),
                    played: Some((mv, step.position)),
                    line,
                })
        };
        match &mut self.found {
            Some(found) => {
                if self.query.asks && found.ply == ply {
                    found.next = Some(mv);
                }
            }
            None => {
                let place = Place { ply, next: Some(mv) };
                for image in &mut self.images {
                    image.play(place);
                    if self.query.has_moves {
                        let found = image.look(place, true, |group, _| holds(group));
                        self.found = self.found.or(found);
                    }
                }
            }
        }
        let [_, excluded] = &self.excluded;
        if self.can_be_excluded && !excluded.is_empty() {
            let mut excluded = excluded.iter().filter(|group| group.is_of(self.players));
            self.is_excluded = excluded.any(|group| holds(group));
        }
        self.flow()
    }

    /// Tests a position.
    #[inline]
    fn reach(&mut self, ply: u32, position: &Position) -> ControlFlow<()> {
        let moment = Moment {
            ply,
            position,
            played: None,
            line: &self.line,
        };
        if self.found.is_none() && self.query.has_positions {
            let place = Place { ply, next: None };
            for image in &mut self.images {
                let found = image.look(place, false, |group, by_counts| {
                    let holds = || group.holds(&moment);
                    if group.is_of_counts {
                        *by_counts.get_or_insert_with(holds)
                    } else {
                        holds()
                    }
                });
                self.found = self.found.or(found);
            }
        }
        let [excluded, _] = &self.excluded;
        if self.can_be_excluded && !excluded.is_empty() {
            let mut excluded = excluded.iter().filter(|group| group.is_of(self.players));
            self.is_excluded = excluded.any(|group| group.holds(&moment));
        }
        let look_every = if self.query.has_counts {
            COUNT_EVERY
        } else {
            LOOK_EVERY
        };
        if ply.is_multiple_of(look_every) {
            let is_past = |group: &GroupTest| group.is_past(ply, position);
            self.images.iter_mut().for_each(|image| image.close_if(is_past));
            let mut excluded = self.query.excluded.iter();
            let is_open = |group: &GroupTest| group.is_of(self.players) && !is_past(group);
            self.can_be_excluded = self.can_be_excluded && excluded.any(is_open);
        }
        self.flow()
    }

    /// Ends the game when the answer is certain.
    #[inline]
    fn flow(&self) -> ControlFlow<()> {
        let is_open = match self.found {
            Some(found) => self.can_be_excluded || (self.query.asks && found.next.is_none()),
            None => {
                // Another line may match.
                let may_exclude = self.query.in_variations && self.can_be_excluded;
                may_exclude || self.images.iter().any(ImageProgress::is_open)
            }
        };
        if is_open && !self.is_excluded {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    }
}

impl QueryImages {
    /// The only group, if it is about sacrifices and nothing else: then no position is needed.
    pub(super) fn sacrifices(&self) -> Option<&GroupTest> {
        let ([image], []) = (&*self.images, &*self.excluded) else {
            return None;
        };
        let [group] = &*image.groups else { return None };
        let mut conditions = group.terms.iter().flatten();
        let is_plain = group.for_plies == 1 && group.player.is_none() && !group.terms.is_empty();
        let are_sacrifices = conditions.all(|condition| matches!(condition, Condition::Sacrifice(_)));
        (is_plain && are_sacrifices).then_some(group)
    }
}

impl GroupTest {
    /// The first sacrifice of a game that this group, from [`QueryImages::sacrifices`], finds.
    pub(super) fn first_sacrifice(&self, material: &LineMaterial, line: &PackedLine) -> Option<Place> {
        let turn = line.start.position()?.turn();
        let is_given = |condition: &Condition, ply: u32| match condition {
            Condition::Sacrifice(sacrifice) => sacrifice.holds(ply, material),
            _ => false,
        };
        let ply = material.losses().find(|&ply| {
            let turn = if ply.is_multiple_of(2) { turn } else { !turn };
            self.has_ply(ply)
                && self.has_turn(turn)
                && any_of_each(&self.terms, |condition| is_given(condition, ply))
        })?;
        let next = line.moves.get(ply as usize).map(|mv| mv.unpack());
        Some(Place { ply, next })
    }
}

/// A position of a game.
#[derive(Clone, Copy)]
pub(super) struct Moment<'a> {
    /// Number of moves before it.
    pub(super) ply: u32,
    pub(super) position: &'a Position,
    /// The move that is played in it, and the position after it; `None` for the last position of a game, and for terms
    /// that depend on no move.
    pub(super) played: Option<(Move, &'a Position)>,
    /// What terms need to know about the whole game.
    pub(super) line: &'a WholeLine,
}

/// The data of a whole game that a query needs; empty where it needs none.
#[derive(Debug, Default)]
pub(super) struct WholeLine {
    pub(super) annotations: LineAnnotations,
    pub(super) material: LineMaterial,
    pub(super) followed: FollowedLines,
}

/// Which of this a query needs.
#[derive(Debug)]
pub(super) struct LineNeeds {
    pub(super) annotations: bool,
    pub(super) material: bool,
    /// Each has its place as its number.
    pub(super) repertoires: Vec<RepertoireTest>,
    /// Number of half-moves after a position on which terms depend.
    pub(super) looks_ahead: u32,
}

impl WholeLine {
    /// Begins a game whose lines are followed one after the other.
    pub(super) fn begin(&mut self, needs: &LineNeeds, game: &Game) {
        if needs.annotations {
            self.annotations = LineAnnotations::beginning(game);
        }
    }

    /// Reads a line, which `winner` has won, and whose first `shared` moves are the same as in the line before.
    pub(super) fn follow(
        &mut self,
        needs: &LineNeeds,
        line: &BranchingLine,
        shared: u32,
        winner: Option<Color>,
    ) {
        if needs.material {
            self.material.follow(line, shared, winner);
        }
        if !needs.repertoires.is_empty() {
            self.followed.follow(&needs.repertoires, line, shared);
        }
    }

    /// What decides the answers at the first `moves` plies, apart from these moves and the half-moves that terms look
    /// ahead: where the line leaves each repertoire within these moves, or whether it follows it to its end.
    pub(super) fn answers_before(&self, moves: u32) -> impl Iterator<Item = Option<u32>> {
        self.followed.answers_before(moves)
    }

    /// Reads a game, whose main line may be packed.
    pub(super) fn read(
        &mut self,
        needs: &LineNeeds,
        database: &dyn Database,
        game: u32,
        packed: Option<&PackedLine>,
    ) {
        if needs.annotations {
            self.annotations = LineAnnotations::of(database, game);
        }
        if needs.material {
            self.material.read(database, game, packed);
        }
        if !needs.repertoires.is_empty() {
            self.followed.read(&needs.repertoires, database, game);
        }
    }
}

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
    /// The first group that may still hold. Earlier groups have held early enough for all that follow.
    from: usize,
    is_open: bool,
}

/// How far a game has got in one group.
#[derive(Clone, Default)]
struct GroupProgress {
    /// The first position of the current run where the group has held, within the allowed plies.
    first: Option<Place>,
    /// The plies of the last two positions where it was complete, the later one first.
    ends: [Option<u32>; 2],
    /// Whether it held at the last position, if it depends on counts alone.
    by_counts: Option<bool>,
}

impl GroupProgress {
    /// The ply of the last position before this one where the group was complete.
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

    /// Starts a game. `is_open` is false if this image is not tested on the game.
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

    /// Closes the image if a group that has not started cannot hold any more.
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

    /// Resets what depends on the numbers of pieces.
    #[inline]
    pub(super) fn count_again(&mut self) {
        self.progress.iter_mut().for_each(|group| group.by_counts = None);
    }

    /// Records the move that is played at a place where the last group began.
    #[inline]
    pub(super) fn play(&mut self, place: Place) {
        let first = self.progress.last_mut().and_then(|last| last.first.as_mut());
        if let Some(first) = first.filter(|first| first.ply == place.ply) {
            first.next = place.next;
        }
    }

    /// Tests a place, either for the groups that depend on the move played there, or for the other groups. Returns the
    /// first place of the last group if all are complete. `holds` may cache results for the same numbers of pieces.
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
        // Later groups first: a position can serve only one group of a sequence, so the state from before this position
        // counts.
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
