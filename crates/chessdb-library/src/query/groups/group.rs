//! Terms that hold at one position, and sequences of such groups.

use super::matcher::Moment;
use super::matcher::{LineNeeds, WholeLine};
use super::reflection::{Mirror, Reflection};
use super::term::{Condition, PositionTerm};
use crate::lines::{ALL, Change, Pieces};
use crate::positions::Pattern;
use crate::query::Bounds;
use crate::query::sides::{Sides, side_of};
use crate::repertoire::NamedRepertoire;
use chessdb::board::Color;
use chessdb::replay::Ply;

/// Terms that must hold at one position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PositionGroup {
    /// All must hold, each if one of its alternatives holds.
    pub terms: Vec<Vec<PositionTerm>>,
    /// The same for the number of half-moves before the position.
    pub ply: Vec<Vec<Bounds>>,
    /// The side to move; either if it is `None`.
    pub mover: Option<Mover>,
    /// The number of successive positions that the group must hold at. 0 counts as 1.
    pub for_plies: u32,
    /// The most half-moves from the last position of the group before it to its first one; any number if it is `None`.
    pub within: Option<u32>,
}

impl Default for PositionGroup {
    fn default() -> PositionGroup {
        PositionGroup {
            terms: Vec::new(),
            ply: Vec::new(),
            mover: None,
            for_plies: 1,
            within: None,
        }
    }
}

impl PositionGroup {
    /// True if a move must be a sacrifice.
    pub fn has_sacrifice(&self) -> bool {
        self.terms.iter().flatten().any(PositionTerm::is_sacrifice)
    }

    /// True if all its terms are about the move that is played.
    pub fn is_of_moves(&self) -> bool {
        self.terms.iter().flatten().all(PositionTerm::is_of_move)
    }

    /// True if a repertoire must be followed.
    pub fn follows_repertoire(&self) -> bool {
        self.named_repertoires().any(|named| !named.is_left)
    }

    /// True if a repertoire must be left at more positions than there are repertoires to leave: each is left at one.
    pub fn leaves_repertoire_longer_than(&self, plies: u32) -> bool {
        self.terms.iter().any(|alternatives| {
            let are_left = |term: &PositionTerm| term.named_repertoire().is_some_and(|named| named.is_left);
            (alternatives.len() as u32) < plies && alternatives.iter().all(are_left)
        })
    }

    /// The repertoires that must be followed or left.
    pub fn named_repertoires(&self) -> impl Iterator<Item = NamedRepertoire<'_>> {
        let terms = self.terms.iter().flatten();
        terms.filter_map(PositionTerm::named_repertoire)
    }

    /// True if it depends on which side is the player.
    pub fn has_player(&self) -> bool {
        let mut terms = self.terms.iter().flatten();
        self.mover.is_some_and(Mover::is_of_player) || terms.any(PositionTerm::is_of_player)
    }

    /// For a query without one player: `lead:` is White's, and no player owns the repertoire of `left:`.
    pub fn set_no_player(&mut self) {
        let terms = self.terms.iter_mut().flatten();
        terms.for_each(PositionTerm::set_no_player);
    }

    /// Sets for how many half-moves a side has less after a sacrifice.
    pub fn set_sacrificed_plies(&mut self, plies: u32) {
        let terms = self.terms.iter_mut().flatten();
        terms.for_each(|term| term.set_plies(plies));
    }
}

/// What the main line of a game must contain.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PositionQuery {
    /// Each must hold at a later position than the previous group. It is enough if some choice of positions works for
    /// all.
    pub groups: Vec<PositionGroup>,
    /// None of these may hold anywhere, not even for one ply.
    pub excluded: Vec<PositionGroup>,
    /// The mirror images that count, too: the same for all groups.
    pub mirror: Mirror,
    /// Variations count, too: the groups must hold in one line of the game, and the excluded ones in no line.
    pub in_variations: bool,
}

impl PositionQuery {
    /// True if all games match.
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty() && self.excluded.is_empty()
    }

    /// True if it depends on which side is the player.
    pub fn has_player(&self) -> bool {
        let mut groups = self.groups.iter().chain(&self.excluded);
        groups.any(PositionGroup::has_player)
    }

    /// True if an index of positions, which has main lines alone, excludes games.
    pub fn uses_index(&self) -> bool {
        let mut terms = self.groups.iter().flat_map(|group| &group.terms);
        !self.in_variations && terms.any(|alternatives| alternatives.iter().all(PositionTerm::is_indexed))
    }

    /// The position, if the query has one position and nothing else about positions, apart from exclusions.
    pub fn only_position(&self) -> Option<&Pattern> {
        let [group] = &*self.groups else { return None };
        let ([alternatives], []) = (&*group.terms, &*group.ply) else {
            return None;
        };
        let is_plain = group.for_plies <= 1
            && group.mover.is_none()
            && self.mirror == Mirror::None
            && !self.in_variations;
        match &**alternatives {
            [term] if is_plain => term.position(),
            _ => None,
        }
    }
}

/// The groups of a query, for each mirror image.
#[derive(Debug)]
pub(super) struct QueryImages {
    /// The images of the query that a game can have.
    pub(super) images: Vec<QueryImage>,
    /// The excluded groups in all images.
    pub(super) excluded: Vec<GroupTest>,
    /// True if they depend on which side is the player.
    pub(super) has_player: bool,
    /// True if games must have some position.
    pub(super) asks: bool,
    /// True if some group depends on the move that is played in a position.
    pub(super) has_moves: bool,
    /// True if some group depends on none.
    pub(super) has_positions: bool,
    /// True if some group depends only on how many pieces there are, not on their squares.
    pub(super) has_counts: bool,
    /// What it needs besides positions and moves.
    pub(super) needs: LineNeeds,
    /// Variations count, too.
    pub(super) in_variations: bool,
}

impl QueryImages {
    pub(super) fn new(query: &PositionQuery) -> QueryImages {
        let (mut images, mut excluded) = (Vec::new(), Vec::new());
        let players = [Color::White, Color::Black];
        let either = query.mirror.reflections().flat_map(|reflection| {
            let players = players.into_iter();
            players.map(move |player| (reflection, player))
        });
        for (reflection, player) in either {
            let test = |group| GroupTest::new(group, reflection, player);
            if let Some(groups) = query.groups.iter().map(test).collect() {
                let image = QueryImage::new(groups);
                if !images.contains(&image) {
                    images.push(image);
                }
            }
            for group in query.excluded.iter().filter_map(test) {
                if !excluded.contains(&group) {
                    excluded.push(group);
                }
            }
        }
        let mut repertoires = Vec::new();
        let groups = images.iter_mut().flat_map(|image| &mut image.groups);
        for condition in groups
            .chain(&mut excluded)
            .flat_map(|group| group.terms.iter_mut().flatten())
        {
            if let Condition::Repertoire(test) = condition {
                test.number = repertoires.len();
                repertoires.push(test.clone());
            }
        }
        let tests = images.iter().flat_map(|image| &image.groups);
        let all = tests.clone().chain(&excluded);
        let conditions = || all.clone().flat_map(|group| group.terms.iter().flatten());
        QueryImages {
            has_moves: tests.clone().any(|group| group.has_played),
            has_positions: tests.clone().any(|group| !group.has_played),
            has_counts: tests.clone().any(|group| group.is_of_counts),
            needs: LineNeeds {
                annotations: conditions().any(|condition| matches!(condition, Condition::Annotation(_))),
                material: conditions().any(|condition| matches!(condition, Condition::Sacrifice(_))),
                repertoires,
                looks_ahead: conditions().map(Condition::looks_ahead).max().unwrap_or(0),
            },
            has_player: query.has_player(),
            in_variations: query.in_variations,
            images,
            excluded,
            asks: !query.groups.is_empty(),
        }
    }
}

/// The groups of a query in one mirror image, with one side as the player.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct QueryImage {
    pub(super) groups: Vec<GroupTest>,
    /// The side that is the player, if that matters.
    player: Option<Color>,
}

impl QueryImage {
    fn new(groups: Vec<GroupTest>) -> QueryImage {
        QueryImage {
            player: groups.iter().find_map(|group| group.player),
            groups,
        }
    }

    /// True if it is tested on a game where one of these sides is the player.
    pub(super) fn is_of(&self, players: Sides) -> bool {
        is_among(self.player, players)
    }

    /// False if this game does not have it.
    pub(super) fn admits(&self, line: &WholeLine) -> bool {
        self.groups.iter().all(|group| group.admits(line))
    }
}

/// True if the player is one of these sides, or does not matter (`None`).
fn is_among(player: Option<Color>, players: Sides) -> bool {
    player.is_none_or(|player| side_of(player) & players != 0)
}

/// A group in one mirror image, with one side as the player.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct GroupTest {
    pub(super) terms: Vec<Vec<Condition>>,
    ply: Vec<Vec<Bounds>>,
    /// What a move must change so that the group may hold after it but not before it.
    pub(super) watched: Change,
    /// The largest ply where the group can hold.
    pub(super) last: Option<i64>,
    /// The side to move, if that matters.
    turn: Option<Color>,
    /// The side that is the player, if that matters.
    pub(super) player: Option<Color>,
    pub(super) for_plies: u32,
    /// The most half-moves from the last position of the group before it to its first one.
    pub(super) within: Option<u32>,
    /// True if it depends on the move that is played in the position.
    pub(super) has_played: bool,
    /// False if [`is_past`](GroupTest::is_past) is never true.
    pub(super) ends: bool,
    /// True if it depends only on how many pieces of each kind there are.
    pub(super) is_of_counts: bool,
}

impl GroupTest {
    /// `None` if the group never holds.
    fn new(group: &PositionGroup, reflection: Reflection, player: Color) -> Option<GroupTest> {
        let turn = group.mover.map(|mover| mover.color(player, reflection));
        let mut terms = Vec::new();
        for alternatives in &group.terms {
            let conditions = alternatives.iter().map(|term| &term.condition);
            let conditions: Vec<_> = conditions
                .filter_map(|condition| condition.reflected(reflection))
                .map(|condition| condition.of_side(turn).of_player(player))
                .collect();
            if conditions.is_empty() {
                return None;
            }
            terms.push(conditions);
        }
        let is_of_counts = |conditions: &Vec<Condition>| conditions.iter().all(Condition::is_of_counts);
        // Counting takes longer than looking at squares.
        terms.sort_by_key(is_of_counts);
        let last = |bounds: &Vec<Bounds>| {
            let ends = bounds.iter().map(|bounds| bounds.most);
            ends.collect::<Option<Vec<_>>>()
                .and_then(|ends| ends.into_iter().max())
        };
        let has_played = terms.iter().flatten().any(Condition::is_of_move);
        let watched = terms.iter().flatten().map(Condition::watched);
        let is_of_board = !has_played && !terms.is_empty() && group.ply.is_empty() && turn.is_none();
        Some(GroupTest {
            watched: if is_of_board {
                watched.fold(0, |all, own| all | own)
            } else {
                ALL
            },
            has_played,
            is_of_counts: group.ply.is_empty() && group.mover.is_none() && terms.iter().all(is_of_counts),
            turn,
            player: group.has_player().then_some(player),
            ends: terms.iter().any(|term| term.iter().all(Condition::ends)) || !group.ply.is_empty(),
            last: group.ply.iter().filter_map(last).min(),
            terms,
            ply: group.ply.clone(),
            for_plies: group.for_plies.max(1),
            within: group.within,
        })
    }

    /// The condition, if the group has nothing else, and no move is needed to decide it.
    pub(super) fn only_condition(&self) -> Option<&Condition> {
        let [alternatives] = self.terms.as_slice() else {
            return None;
        };
        match alternatives.as_slice() {
            [only] if self.ply.is_empty() && self.turn.is_none() && !self.has_played => Some(only),
            _ => None,
        }
    }

    /// The position, if the group has nothing else.
    pub(super) fn one_position(&self) -> Option<&Pattern> {
        match self.only_condition()? {
            Condition::Exact(exact) if self.for_plies == 1 => exact.only_pattern(),
            _ => None,
        }
    }

    /// True if the group holds at a position.
    #[inline]
    pub(super) fn holds(&self, moment: &Moment<'_>) -> bool {
        self.has_ply(moment.ply)
            && self.has_turn(moment.position.turn())
            && any_of_each(&self.terms, |condition| condition.holds(moment))
    }

    /// False if it holds nowhere in this game.
    pub(super) fn admits(&self, line: &WholeLine) -> bool {
        any_of_each(&self.terms, |condition| condition.admits(line))
    }

    /// False if the group does not hold at the position before a move.
    #[inline]
    pub(super) fn may_hold_before(&self, step: &Ply<'_>) -> bool {
        let (after, captured) = (step.position, step.captured().map(|piece| piece.role));
        let may_be = |condition: &Condition| match condition {
            Condition::Played(wanted) => wanted.may_be(step.mv, after, captured),
            _ => true,
        };
        self.has_ply(step.number) && self.has_turn(!after.turn()) && any_of_each(&self.terms, may_be)
    }

    /// True if it is tested on a game where one of these sides is the player.
    #[inline]
    pub(super) fn is_of(&self, players: Sides) -> bool {
        is_among(self.player, players)
    }

    #[inline]
    pub(super) fn has_turn(&self, turn: Color) -> bool {
        self.turn.is_none_or(|wanted| wanted == turn)
    }

    #[inline]
    pub(super) fn has_ply(&self, ply: u32) -> bool {
        any_of_each(&self.ply, |bounds| bounds.contains(ply.into()))
    }

    /// True only if the group holds at no position from this one on.
    pub(super) fn is_past(&self, ply: u32, position: &impl Pieces) -> bool {
        self.last.is_some_and(|last| last < ply.into())
            || self
                .terms
                .iter()
                .any(|alternatives| alternatives.iter().all(|condition| condition.is_past(position)))
    }
}

/// True if one alternative of each term holds.
#[inline]
pub(super) fn any_of_each<T>(terms: &[Vec<T>], holds: impl Fn(&T) -> bool) -> bool {
    terms.iter().all(|alternatives| alternatives.iter().any(&holds))
}

/// The side to move at the positions of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mover {
    /// White; Black in an image with sides and colours exchanged.
    White,
    /// Black; White in such an image.
    Black,
    /// The player of whom a query speaks, in all images.
    Player,
    /// The other side.
    Opponent,
}

impl Mover {
    const NAMES: [(&str, Mover); 4] = [
        ("white", Mover::White),
        ("black", Mover::Black),
        ("player", Mover::Player),
        ("opponent", Mover::Opponent),
    ];

    /// The side with a name.
    pub fn of_name(name: &str) -> Option<Mover> {
        let row = Mover::NAMES
            .iter()
            .find(|(own, _)| own.eq_ignore_ascii_case(name));
        row.map(|(_, mover)| *mover)
    }

    /// The name of the side.
    pub fn name(self) -> &'static str {
        let row = Mover::NAMES.iter().find(|(_, mover)| *mover == self);
        row.map_or("", |(name, _)| name)
    }

    /// True if it depends on who the player is.
    pub fn is_of_player(self) -> bool {
        matches!(self, Mover::Player | Mover::Opponent)
    }

    /// The colour to move in the position itself, so that the side is to move in its image.
    pub(super) fn color(self, player: Color, reflection: Reflection) -> Color {
        match self {
            Mover::White => reflection.color(Color::White),
            Mover::Black => reflection.color(Color::Black),
            Mover::Player => player,
            Mover::Opponent => !player,
        }
    }
}
