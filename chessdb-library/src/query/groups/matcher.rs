//! Follows games and finds the positions that a query asks for.

use std::ops::ControlFlow;

use super::filter::{LineFilter, Verdict};
use super::group::{GroupTest, QueryImages, any_of_each};
use super::moment::Moment;
use super::progress::{ImageProgress, Place};
use super::sacrifice::LineMaterial;
use super::term::Condition;
use super::whole_line::WholeLine;
use crate::lines::{LineSource, LineStep, Occurrence, PackedLine, follow};
use crate::query::sides::{PlayerSides, Sides};
use chessdb::Database;
use chessdb::board::{Bitboard, ByColor, Move, Position};
use chessdb::replay::Ply;

/// Plies between two checks whether a game can still have what is asked for.
const LOOK_EVERY: u32 = 4;

/// Likewise, where pieces have to be counted for it.
const COUNT_EVERY: u32 = 16;

/// How far a game has got in each image of a query.
pub(super) struct Matcher<'a> {
    pub(super) query: &'a QueryImages,
    /// The excluded groups that depend on no move, and those that do.
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
    /// What these show of the groups that a game must have, and of those that it may not have.
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

    /// The first position of a game with which the query holds, where one of these sides is the player.
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

    /// Looks at the first position.
    #[inline]
    pub(super) fn start(&mut self, position: &Position) -> ControlFlow<()> {
        self.pieces = ByColor::new_with(|color| position.pieces(color));
        self.reach(0, position)
    }

    /// Looks at a move, and at the position after it.
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

    /// Looks at the position before a move, for groups that depend on the move.
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

    /// Looks at a position.
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
                // Another line may have what is asked for.
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
    /// The group that asks for sacrifices and nothing else, if that is all that is asked: then no position is needed.
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
    /// The first sacrifice of a game that this group [asks for](QueryImages::sacrifices).
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
