//! Excludes games by their kept lines, before any position is made.
//!
//! One pass over the moves, of two bytes each, excludes most games: too few pieces are taken, or no move goes to a
//! square where a piece has to be. The others are played on a plain board, which decides most terms. The remaining
//! games are [followed](super::matcher::Matcher) as without kept lines, unless the board has decided it.

use super::group::{GroupTest, QueryImages, any_of_each};
use super::matcher::Place;
use super::state::MoverState;
use super::term::Condition;
use crate::lines::{ALL, Change, KeptMove, LineStart, Mailbox, MoveMarks, PackedLine, Pieces, PlainBoard};
use chessdb::board::{Bitboard, ByColor, Color};

/// Half-moves between two checks whether a game can still match.
const PAST_EVERY: u32 = 8;

/// Half-moves after which a game has left its opening. If all groups must hold earlier, a search sees little of each
/// line, and keeping the lines would cost much more.
const EARLY: i64 = 40;

/// What the line of a game shows.
pub(super) enum Verdict {
    /// The game does not match.
    Never,
    /// It may have it.
    Maybe,
    /// It has it, here first.
    At(Place),
}

/// Tests of moves that a game must pass to have one of several sequences of groups.
#[derive(Debug)]
pub(super) struct LineFilter<'a> {
    images: Vec<ImageFilter<'a>>,
    /// True if a plain board shows where the first of them holds.
    decides: bool,
    /// The groups that have held nowhere in the game so far, and the number of their image.
    open: Vec<(usize, &'a GroupTest)>,
}

/// Tests of moves that a game must pass to have one sequence of groups.
#[derive(Debug)]
struct ImageFilter<'a> {
    groups: &'a [GroupTest],
    /// For each term that can exclude games by their moves alone, the test of the moves.
    marks: Vec<Marks>,
}

/// How much of a game must be read to evaluate a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Need {
    /// The whole line, as [read](super::matcher::WholeLine) before.
    Line,
    /// The pieces on the board, and the moves that follow.
    Board,
    /// The position with its rights; a board shows where it may hold.
    Position,
}

/// Marks that the moves of a game must have if a term holds anywhere in it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Marks {
    /// The most pieces of each side at the end.
    pub(super) most: ByColor<u32>,
    /// Properties that at least one of its moves has.
    pub(super) moves: MoveMarks,
    /// Squares that its moves must leave or reach, if the game begins in the usual position.
    pub(super) changed: Bitboard,
}

impl Marks {
    /// The marks of every game.
    pub(super) const NONE: Marks = Marks {
        most: ByColor {
            black: u32::MAX,
            white: u32::MAX,
        },
        moves: MoveMarks::ALL,
        changed: Bitboard::EMPTY,
    };

    /// The marks of a term with these alternatives.
    fn of(alternatives: &[Condition]) -> Marks {
        let marks = alternatives.iter().map(Condition::marks);
        let either = |one: Marks, other: Marks| Marks {
            most: ByColor::new_with(|color| one.most[color].max(other.most[color])),
            moves: one.moves.or(other.moves),
            changed: one.changed & other.changed,
        };
        marks.reduce(either).unwrap_or(Marks::NONE)
    }

    /// False if every game has them.
    fn can_exclude(&self) -> bool {
        self.most.iter().any(|&most| most < 16) || self.moves != MoveMarks::ALL || self.changed.any()
    }
}

impl<'a> LineFilter<'a> {
    /// `None` if moves cannot exclude some sequence. The filter may also accept games only if `may_decide` is set.
    fn new(sequences: impl Iterator<Item = &'a [GroupTest]>, may_decide: bool) -> Option<LineFilter<'a>> {
        let images: Vec<_> = sequences.map(ImageFilter::new).collect();
        let shows = |image: &ImageFilter<'_>| image.groups.iter().any(GroupTest::shows_on_board);
        let decides = |image: &ImageFilter<'_>| match image.groups {
            [group] => group.is_decided_on_board(),
            _ => false,
        };
        (!images.is_empty() && images.iter().all(shows)).then(|| LineFilter {
            decides: may_decide && images.iter().all(decides),
            images,
            open: Vec::new(),
        })
    }

    /// Tests a game.
    pub(super) fn look(&mut self, line: &PackedLine) -> Verdict {
        let moves = line.moves.as_slice();
        self.open.clear();
        let Some(mut board) = PlainBoard::at(&line.start) else {
            return Verdict::Never;
        };
        for (number, image) in self.images.iter().enumerate() {
            if image.admits(&board, line) {
                self.open.extend(image.groups.iter().map(|group| (number, group)));
            }
        }
        if self.open.is_empty() {
            return Verdict::Never;
        }
        if let [(_, group)] = *self.open {
            return match first_on_board(group, board, moves) {
                Some(place) if self.decides => Verdict::At(place),
                Some(_) => Verdict::Maybe,
                None => Verdict::Never,
            };
        }
        let mut change = ALL;
        for ply in 0.. {
            let rest = moves.get(ply as usize..).unwrap_or_default();
            if let Some(verdict) = self.look_at(ply, &board, change, rest) {
                return verdict;
            }
            if ply % PAST_EVERY == PAST_EVERY - 1 && !self.close_past(ply, &board) {
                return Verdict::Never;
            }
            let Some(&mv) = rest.first() else { break };
            change = board.play(mv);
        }
        Verdict::Never
    }

    /// Tests a position after a move that made this change; `rest` follows. `None` if the answer is not known yet.
    #[inline]
    fn look_at(
        &mut self,
        ply: u32,
        board: &PlainBoard,
        change: Change,
        rest: &[KeptMove],
    ) -> Option<Verdict> {
        let mut at = 0;
        while let Some(&(image, group)) = self.open.get(at) {
            if change & group.watched == 0 || !group.may_hold_on(ply, board, rest) {
                at += 1;
                continue;
            }
            if self.decides {
                let next = rest.first().map(|mv| mv.unpack());
                return Some(Verdict::At(Place { ply, next }));
            }
            self.open.remove(at);
            if self.open.iter().all(|&(other, _)| other != image) {
                return Some(Verdict::Maybe);
            }
        }
        None
    }

    /// Closes the sequences with a group that can no longer hold. False if none is left.
    fn close_past(&mut self, ply: u32, board: &PlainBoard) -> bool {
        let mut at = 0;
        while let Some(&(image, group)) = self.open.get(at) {
            if group.is_past(ply, board) {
                self.open.retain(|&(other, _)| other != image);
                at = 0;
            } else {
                at += 1;
            }
        }
        !self.open.is_empty()
    }
}

impl<'a> ImageFilter<'a> {
    fn new(groups: &'a [GroupTest]) -> ImageFilter<'a> {
        let terms = groups.iter().flat_map(|group| &group.terms);
        ImageFilter {
            marks: terms
                .map(|term| Marks::of(term))
                .filter(Marks::can_exclude)
                .collect(),
            groups,
        }
    }

    /// False if the moves of a game show that it does not have it.
    fn admits(&self, start: &PlainBoard, line: &PackedLine) -> bool {
        let (mut left, mut touched_squares) = (None, None);
        self.marks.iter().all(|marks| {
            let has_few = marks.most.iter().all(|&most| most >= 16) || {
                let left = left.get_or_insert_with(|| pieces_left(start, &line.moves));
                Color::ALL
                    .into_iter()
                    .all(|color| left[color] <= marks.most[color])
            };
            has_few
                && (marks.moves == MoveMarks::ALL || marks.moves.are_in(&line.moves))
                && (marks.changed.is_empty() || line.start != LineStart::Usual || {
                    let touched = touched_squares.get_or_insert_with(|| touched(&line.moves));
                    marks.changed.is_subset(*touched)
                })
        })
    }
}

/// The first position of a game where a group may hold. Most queries have one group in one image, so this case has its
/// own loop with nothing but its test.
fn first_on_board(group: &GroupTest, start: PlainBoard, moves: &[KeptMove]) -> Option<Place> {
    if group.is_of_counts {
        return first_by_counts(group, start, moves);
    }
    match group.only_condition() {
        Some(only) => first_where(group, start, moves, |_, board, rest| {
            only.may_hold_on(board, rest)
        }),
        None => first_where(group, start, moves, |ply, board, rest| {
            group.may_hold_on(ply, board, rest)
        }),
    }
}

/// The first position of a game where this holds. The test gets the number of moves so far, the board, and the moves
/// that follow. Each kind of test has a loop of its own, because a call through a pointer would take longer than most
/// tests.
#[inline(always)]
fn first_where(
    group: &GroupTest,
    start: PlainBoard,
    moves: &[KeptMove],
    holds: impl Fn(u32, &PlainBoard, &[KeptMove]) -> bool,
) -> Option<Place> {
    let first = group.first_chance(moves)?;
    let mut board = start.after(&moves[..first]);
    let mut change = ALL;
    for ply in first as u32.. {
        let rest = moves.get(ply as usize..).unwrap_or_default();
        // Most moves change nothing that affects the group, and need no call.
        if change & group.watched != 0 && holds(ply, &board, rest) {
            let next = rest.first().map(|mv| mv.unpack());
            return Some(Place { ply, next });
        }
        if group.ends && ply % PAST_EVERY == PAST_EVERY - 1 && group.is_past(ply, &board) {
            return None;
        }
        change = board.play(*rest.first()?);
    }
    None
}

/// Like `first_on_board`, for a group that is only about numbers of pieces: it needs no bitboards, only the mailbox.
fn first_by_counts(group: &GroupTest, start: PlainBoard, moves: &[KeptMove]) -> Option<Place> {
    let holds = |mailbox: &Mailbox| {
        let counts = &mailbox.counts;
        any_of_each(&group.terms, |condition| condition.has_counts(counts))
    };
    let mut mailbox = start.mailbox;
    let place = |ply: usize| Place {
        ply: ply as u32,
        next: moves.get(ply).map(|mv| mv.unpack()),
    };
    if holds(&mailbox) {
        return Some(place(0));
    }
    let mut played = moves.iter();
    let found = played.position(|&mv| mailbox.play(mv) && holds(&mailbox))?;
    Some(place(found + 1))
}

/// Number of pieces of each side at the end of a line.
fn pieces_left(start: &PlainBoard, moves: &[KeptMove]) -> ByColor<u32> {
    // The moves of one side are every second move.
    let mut taken = [0u32; 2];
    let (pairs, last) = moves.as_chunks::<2>();
    for [first, second] in pairs {
        taken[0] += u32::from(first.takes());
        taken[1] += u32::from(second.takes());
    }
    taken[0] += last.iter().filter(|mv| mv.takes()).count() as u32;
    ByColor::new_with(|color| {
        let lost = taken[usize::from(color == start.turn())];
        (start.pieces(color).count() as u32).saturating_sub(lost)
    })
}

/// The squares that moves leave or reach.
fn touched(moves: &[KeptMove]) -> Bitboard {
    let mut touched = Bitboard::EMPTY;
    for mv in moves {
        touched |= Bitboard::from_square(mv.from()) | Bitboard::from_square(mv.to());
        if let Some((side, king, _)) = mv.castling() {
            let files = Bitboard::from_file(side.king_to_file()) | Bitboard::from_file(side.rook_to_file());
            touched |= files & Bitboard::from_rank(king.rank());
        }
    }
    touched
}

impl QueryImages {
    /// The filter by the groups that a game must have.
    pub(super) fn filter(&self) -> Option<LineFilter<'_>> {
        let images = self.images.iter().map(|image| &*image.groups);
        LineFilter::new(images, self.asks && self.excluded.is_empty())
    }

    /// The filter by the groups that it may not have.
    pub(super) fn excluded_filter(&self) -> Option<LineFilter<'_>> {
        LineFilter::new(self.excluded.iter().map(std::slice::from_ref), false)
    }

    /// True if a search of all games has to see most of their lines to the end, so that keeping them costs little more.
    pub(super) fn reads_whole_lines(&self) -> bool {
        let groups = self.images.iter().flat_map(|image| &image.groups);
        let ends_early = |condition: &Condition| {
            matches!(
                condition,
                Condition::Exact(_) | Condition::State(MoverState::Check)
            )
        };
        let is_early = |group: &GroupTest| group.last.is_some_and(|last| last < EARLY);
        let may_be_late = groups.clone().any(|group| !is_early(group)) || groups.clone().next().is_none();
        let mut conditions = groups.flat_map(|group| group.terms.iter().flatten());
        !self.in_variations
            && may_be_late
            && (self.filter().is_some() || self.needs.material || !self.needs.repertoires.is_empty())
            && !conditions.any(ends_early)
    }
}

impl GroupTest {
    /// False if every term of it may hold on any board.
    fn shows_on_board(&self) -> bool {
        self.terms
            .iter()
            .any(|term| term.iter().all(|condition| condition.need() != Need::Line))
    }

    /// True if a plain board shows where it holds.
    fn is_decided_on_board(&self) -> bool {
        let mut conditions = self.terms.iter().flatten();
        self.for_plies == 1
            && self.player.is_none()
            && conditions.all(|condition| condition.need() == Need::Board)
    }

    /// Number of moves before the first position where it may hold, judged by the moves alone; `None` if it cannot hold
    /// anywhere.
    fn first_chance(&self, moves: &[KeptMove]) -> Option<usize> {
        let of_term = |term: &Vec<Condition>| {
            let chances = term.iter().filter_map(|condition| condition.first_chance(moves));
            chances.min()
        };
        let mut chances = self.terms.iter().map(of_term);
        chances.try_fold(0, |latest, own| Some(latest.max(own?)))
    }

    /// False if it does not hold at a position before these moves. Needs a test only if the move before changed what is
    /// [watched](Self::watched).
    fn may_hold_on(&self, ply: u32, board: &PlainBoard, rest: &[KeptMove]) -> bool {
        (!self.has_played || !rest.is_empty())
            && self.has_ply(ply)
            && self.has_turn(board.turn())
            && any_of_each(&self.terms, |condition| condition.may_hold_on(board, rest))
    }
}
