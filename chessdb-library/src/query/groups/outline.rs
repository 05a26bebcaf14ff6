//! What stored moves show before they are tested: which pieces are where, how many there are, and where they go.
//!
//! Looking at the squares of the moves, or following them on a plain board, takes a fraction of the time of a replay, and
//! most games have nowhere what is asked for. Legal moves come first, so whatever their positions have is seen here, too.

use super::board_outline::BoardsOutline;
use super::group::GroupTest;
use super::piece_outline::PieceOutline;
use super::plain_board::{PlainBoard, side_of};
use super::sketch::{MovedSquares, lost_at_most};
use super::term::Condition;
use chessdb::board::{Bitboard, Color, PackedMove};

/// The largest number of terms of each kind that are looked at. A mask has a bit for each.
pub(super) const MOST: usize = 64;

/// What a game must have in outline to have one of several sequences of groups.
#[derive(Debug)]
pub(super) struct Outline<'a> {
    images: Vec<ImageOutline<'a>>,
    /// The least that each side loses in any of them.
    lost: [u32; 2],
    /// True if the squares of the moves exclude games.
    has_squares: bool,
}

impl<'a> Outline<'a> {
    /// `None` if the outline could exclude no game: some sequence has no term that shows, or its terms hold in the start
    /// position.
    pub(super) fn new(sequences: impl Iterator<Item = &'a [GroupTest]>) -> Option<Outline<'a>> {
        let images: Vec<_> = sequences.map(ImageOutline::new).collect();
        let least = |side: usize| images.iter().map(|image| image.counts.lost[side]).min();
        let lost = [0, 1].map(|side| least(side).unwrap_or(0));
        let is_open = |image: &ImageOutline<'_>| !image.admits(&[], [u32::MAX; 2]);
        let shows = !images.is_empty() && images.iter().all(is_open);
        shows.then_some(Outline {
            has_squares: images.iter().any(ImageOutline::has_squares),
            lost,
            images,
        })
    }

    /// False if a game with these moves from the normal start position cannot have any of them.
    pub(super) fn admits(&self, moves: &[PackedMove]) -> bool {
        let squares = self.has_squares.then(|| MovedSquares::of(moves));
        let mut images = self.images.iter().filter(|image| {
            let admits =
                |squares: &MovedSquares| image.played.admits(squares) && image.boards.admits_squares(squares);
            squares.as_ref().is_none_or(admits)
        });
        let lost = match self.lost {
            [0, 0] => Some([u32::MAX; 2]),
            least => lost_at_most(moves, least),
        };
        lost.is_some_and(|lost| images.any(|image| image.admits(moves, lost)))
    }
}

/// The terms of a sequence that show in an outline.
#[derive(Debug)]
struct ImageOutline<'a> {
    counts: CountsOutline<'a>,
    played: PlayedOutline<'a>,
    boards: BoardsOutline,
    pieces: PieceOutline<'a>,
}

impl<'a> ImageOutline<'a> {
    fn new(groups: &'a [GroupTest]) -> ImageOutline<'a> {
        let terms = || groups.iter().flat_map(|group| &group.terms).map(Vec::as_slice);
        let with = |shows: fn(&Condition) -> bool| {
            let terms = terms().filter(|term| term.iter().all(shows));
            terms.take(MOST).collect()
        };
        ImageOutline {
            counts: CountsOutline::new(with(Condition::is_of_counts)),
            played: PlayedOutline::new(with(|condition| matches!(condition, Condition::Played(_)))),
            boards: BoardsOutline::new(terms()),
            pieces: PieceOutline::new(with(Condition::is_of_piece_board)),
        }
    }

    /// True if the squares of moves are worth a look.
    fn has_squares(&self) -> bool {
        !self.played.terms.is_empty() || self.boards.has_squares()
    }

    fn admits(&self, moves: &[PackedMove], lost: [u32; 2]) -> bool {
        self.counts.admits(moves, lost)
            && self.played.admits_moves(moves)
            && self.boards.admits(moves)
            && self.pieces.admits(moves)
    }
}

/// Terms of numbers of pieces, each with its alternatives.
#[derive(Debug)]
struct CountsOutline<'a> {
    terms: Vec<&'a [Condition]>,
    /// The least that each side has where each of these holds.
    least: Vec<[u32; 2]>,
    /// The least that each side has lost where all have held.
    lost: [u32; 2],
}

impl<'a> CountsOutline<'a> {
    fn new(terms: Vec<&'a [Condition]>) -> CountsOutline<'a> {
        let mut outline = CountsOutline {
            least: vec![[0; 2]; terms.len()],
            lost: [0; 2],
            terms,
        };
        for (term, least) in outline.terms.iter().zip(&mut outline.least) {
            for color in Color::ALL {
                let (side, ranges) = (
                    side_of(color),
                    term.iter().map(|condition| condition.pieces_of(color)),
                );
                let most = ranges.clone().map(|range| *range.end()).max();
                let lost = 16u32.saturating_sub(most.unwrap_or(16));
                outline.lost[side] = outline.lost[side].max(lost);
                least[side] = ranges.map(|range| *range.start()).min().unwrap_or(0);
            }
        }
        outline
    }

    /// False if some term holds nowhere. No side loses more than `lost`.
    fn admits(&self, moves: &[PackedMove], lost: [u32; 2]) -> bool {
        if self.lost[0] > lost[0] || self.lost[1] > lost[1] {
            return false;
        }
        let mut board = PlainBoard::initial().clone();
        let mut open = OpenTerms::of(self.terms.len());
        open.close(&self.terms, |condition| condition.holds_for(&board.pieces));
        for &mv in moves {
            if open.is_empty() {
                return true;
            }
            if board.play(mv).takes || mv.has_promotion() {
                open.close(&self.terms, |condition| condition.holds_for(&board.pieces));
                let [black, white] = board.sides.map(u32::from);
                let mut terms = self.least.iter().enumerate();
                if terms.any(|(term, least)| open.has(term) && (black < least[0] || white < least[1])) {
                    return false;
                }
            }
        }
        open.is_empty()
    }
}

/// Terms of moves, each with its alternatives.
#[derive(Debug)]
struct PlayedOutline<'a> {
    terms: Vec<&'a [Condition]>,
    /// The squares to which the moves of each of these lead.
    targets: Vec<Bitboard>,
}

impl<'a> PlayedOutline<'a> {
    fn new(terms: Vec<&'a [Condition]>) -> PlayedOutline<'a> {
        let targets = |term: &&[Condition]| {
            let targets = term.iter().map(Condition::targets);
            targets.fold(Bitboard::EMPTY, |all, targets| all | targets)
        };
        PlayedOutline {
            targets: terms.iter().map(targets).collect(),
            terms,
        }
    }

    /// False if no game with moves of these squares has all terms.
    fn admits(&self, squares: &MovedSquares) -> bool {
        let all = squares.targets[0] | squares.targets[1];
        self.targets.iter().all(|&targets| (targets & all).any())
    }

    /// False if some term holds nowhere.
    fn admits_moves(&self, moves: &[PackedMove]) -> bool {
        let targets = self
            .targets
            .iter()
            .fold(Bitboard::EMPTY, |all, &targets| all | targets);
        let leads_there = |mv: &PackedMove| targets.contains(mv.squares().1);
        let last = moves.iter().rposition(leads_there).map_or(0, |last| last + 1);
        let mut open = OpenTerms::of(self.terms.len());
        let mut board = PlainBoard::initial().clone();
        for mv in moves.iter().take(last) {
            let step = board.play(*mv);
            if leads_there(mv) {
                open.close(&self.terms, |condition| condition.may_be_stored(&step, *mv));
                if open.is_empty() {
                    return true;
                }
            }
        }
        open.is_empty()
    }
}

/// The terms that have held nowhere so far: a bit for each.
#[derive(Clone, Copy)]
pub(super) struct OpenTerms(u64);

impl OpenTerms {
    pub(super) fn of(number: usize) -> OpenTerms {
        OpenTerms((0..number).fold(0, |bits, _| bits << 1 | 1))
    }

    #[inline]
    pub(super) fn is_empty(self) -> bool {
        self.0 == 0
    }

    #[inline]
    pub(super) fn has(self, term: usize) -> bool {
        self.0 >> term & 1 != 0
    }

    #[inline]
    pub(super) fn close_one(&mut self, term: usize) {
        self.0 &= !(1 << term);
    }

    /// Closes those of which an alternative holds.
    #[inline]
    pub(super) fn close(&mut self, terms: &[&[Condition]], holds: impl Fn(&Condition) -> bool) {
        let mut open = self.0;
        while open != 0 {
            let term = open.trailing_zeros() as usize;
            open &= open - 1;
            if terms[term].iter().any(&holds) {
                self.close_one(term);
            }
        }
    }
}
