//! What stored moves show before they are tested: which pieces are where, how many there are, and where they go.
//!
//! Following them on a plain board takes a fraction of the time of a replay, and most games have nowhere what is asked
//! for. Legal moves come first, so whatever their positions have is seen here, too.

use super::contents::SquareContents;
use super::group::GroupTest;
use super::plain_board::{PlainBoard, PlainStep, side_of};
use super::term::Condition;
use chessdb::board::{Bitboard, Color, PackedMove, Rank, Role, Square};

/// The largest number of terms of each kind that are looked at. A mask has a bit for each.
const MOST: usize = 64;

/// What a game must have in outline to have one of several sequences of groups.
#[derive(Debug)]
pub(super) struct Outline<'a>(Vec<ImageOutline<'a>>);

impl<'a> Outline<'a> {
    /// `None` if no term of some sequence shows.
    pub(super) fn new(sequences: impl Iterator<Item = &'a [GroupTest]>) -> Option<Outline<'a>> {
        let outlines: Vec<_> = sequences.map(ImageOutline::new).collect();
        (!outlines.is_empty() && outlines.iter().all(ImageOutline::shows)).then_some(Outline(outlines))
    }

    /// False if a game with these moves from the normal start position cannot have any of them.
    pub(super) fn admits(&self, moves: &[PackedMove]) -> bool {
        self.0.iter().any(|outline| outline.admits(moves))
    }
}

/// The terms of a sequence that show in an outline, each with its alternatives.
#[derive(Debug)]
struct ImageOutline<'a> {
    /// Those of numbers of pieces.
    counts: Vec<&'a [Condition]>,
    /// Those of moves.
    played: Vec<&'a [Condition]>,
    /// Those of squares: the alternatives of all.
    boards: Vec<BoardOutline>,
    /// Number of alternatives of each of these.
    alternatives: [u8; MOST],
}

/// What a term asks of squares.
#[derive(Debug)]
struct BoardOutline {
    /// The number of the term.
    term: usize,
    /// What may be on each square: a bit for each place in a tally, and the lowest for nothing.
    contents: [u16; 64],
    /// Number of squares of the start position that have something else.
    missing: i8,
    /// Pawns that must not have moved.
    home: Bitboard,
    /// Number of pieces of each side.
    least: [u8; 2],
}

impl<'a> ImageOutline<'a> {
    fn new(groups: &'a [GroupTest]) -> ImageOutline<'a> {
        let terms = || groups.iter().flat_map(|group| &group.terms).map(Vec::as_slice);
        let with = |shows: fn(&Condition) -> bool| {
            let terms = terms().filter(|term| term.iter().all(shows));
            terms.take(MOST).collect()
        };
        let mut outline = ImageOutline {
            counts: with(Condition::is_of_counts),
            played: with(|condition| matches!(condition, Condition::Played(_))),
            boards: Vec::new(),
            alternatives: [0; MOST],
        };
        let boards = terms().filter_map(|term| {
            let contents = term.iter().map(Condition::contents);
            contents.collect::<Option<Vec<_>>>()
        });
        for (term, alternatives) in boards.enumerate().take(MOST) {
            if outline.boards.len() + alternatives.len() > MOST {
                break;
            }
            outline.alternatives[term] = alternatives.len() as u8;
            let boards = alternatives
                .iter()
                .map(|contents| BoardOutline::new(term, contents));
            outline.boards.extend(boards);
        }
        outline
    }

    fn shows(&self) -> bool {
        !(self.counts.is_empty() && self.played.is_empty() && self.boards.is_empty())
    }

    fn admits(&self, moves: &[PackedMove]) -> bool {
        let mut board = PlainBoard::initial();
        let (mut counts, mut played) = (OpenTerms::of(self.counts.len()), OpenTerms::of(self.played.len()));
        let mut squares = OpenBoards::of(self);
        counts.close(&self.counts, |condition| condition.holds_for(&board.pieces));
        for mv in moves {
            if (counts.0 | played.0 | squares.open.0) == 0 {
                break;
            }
            let Some(step) = board.play(mv.unpack()) else {
                break;
            };
            if counts.0 != 0 && step.changes_counts() {
                counts.close(&self.counts, |condition| condition.holds_for(&board.pieces));
            }
            played.close(&self.played, |condition| match condition {
                Condition::Played(wanted) => wanted.may_be_stored(step.role, step.mv, step.takes),
                _ => false,
            });
            if squares.open.0 != 0 && !squares.follow(&self.boards, &step, &board) {
                return false;
            }
        }
        (counts.0 | played.0 | squares.open.0) == 0
    }
}

/// The terms that have held nowhere so far: a bit for each.
struct OpenTerms(u64);

impl OpenTerms {
    fn of(number: usize) -> OpenTerms {
        OpenTerms((0..number).fold(0, |bits, _| bits << 1 | 1))
    }

    /// Closes those of which an alternative holds.
    #[inline]
    fn close(&mut self, terms: &[&[Condition]], holds: impl Fn(&Condition) -> bool) {
        let mut open = self.0;
        while open != 0 {
            let place = open.trailing_zeros();
            open &= open - 1;
            if terms[place as usize].iter().any(&holds) {
                self.0 &= !(1 << place);
            }
        }
    }
}

/// The terms of squares that have held nowhere so far.
struct OpenBoards {
    open: OpenTerms,
    /// For each alternative, the number of squares that have something else.
    missing: [i8; MOST],
    /// The alternatives that can still hold: a bit for each.
    alive: u64,
    /// Their number for each term.
    alternatives: [u8; MOST],
}

impl OpenBoards {
    fn of(outline: &ImageOutline<'_>) -> OpenBoards {
        let mut open = OpenTerms(0);
        let mut missing = [0; MOST];
        for (missing, board) in missing.iter_mut().zip(&outline.boards) {
            *missing = board.missing;
            open.0 |= 1 << board.term;
        }
        let held = outline.boards.iter().filter(|board| board.missing == 0);
        held.for_each(|board| open.0 &= !(1 << board.term));
        OpenBoards {
            open,
            missing,
            alive: u64::MAX,
            alternatives: outline.alternatives,
        }
    }

    /// Proceeds to the position after a move. False if a term can no longer hold.
    #[inline]
    fn follow(&mut self, boards: &[BoardOutline], step: &PlainStep, after: &PlainBoard) -> bool {
        for (place, board) in boards.iter().enumerate() {
            if (self.open.0 >> board.term & self.alive >> place & 1) == 0 {
                continue;
            }
            self.missing[place] += board.change(step);
            if self.missing[place] == 0 {
                self.open.0 &= !(1 << board.term);
            } else if board.is_past(step, after) {
                self.alive &= !(1 << place);
                self.alternatives[board.term] -= 1;
                if self.alternatives[board.term] == 0 {
                    return false;
                }
            }
        }
        true
    }
}

impl BoardOutline {
    fn new(term: usize, contents: &[SquareContents; 64]) -> BoardOutline {
        let start = PlainBoard::initial();
        let number = |color| contents.iter().filter(|contents| contents.is_of(color)).count() as u8;
        let is_home = |&square: &Square| {
            let piece = contents[square as usize].piece();
            piece.is_some_and(|piece| {
                piece.role == Role::Pawn && square.rank() == piece.color.relative_rank(Rank::Second)
            })
        };
        let mut outline = BoardOutline {
            term,
            contents: contents.map(SquareContents::places),
            missing: 0,
            home: Square::ALL.into_iter().filter(is_home).collect(),
            least: [0; 2],
        };
        for color in Color::ALL {
            outline.least[side_of(color)] = number(color);
        }
        let has = |square: usize| outline.contents[square] >> start.squares[square] & 1 != 0;
        outline.missing = (0..64).filter(|&square| !has(square)).count() as i8;
        outline
    }

    /// How many squares more have something else after a move.
    #[inline]
    fn change(&self, step: &PlainStep) -> i8 {
        let changes = step.changes().iter().map(|&(square, before, after)| {
            let contents = self.contents[usize::from(square)];
            (contents >> before & 1) as i8 - (contents >> after & 1) as i8
        });
        changes.sum()
    }

    /// True if the board cannot come up any more after a move that changed squares that it had.
    #[inline]
    fn is_past(&self, step: &PlainStep, after: &PlainBoard) -> bool {
        let changed = step
            .changes()
            .iter()
            .fold(0, |squares, change| squares | 1u64 << change.0);
        (self.home.0 & changed) != 0
            || (step.takes && (after.sides[0] < self.least[0] || after.sides[1] < self.least[1]))
    }
}
