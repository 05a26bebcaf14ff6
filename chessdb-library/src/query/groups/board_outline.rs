//! What terms of squares ask of a plain board.

use super::contents::SquareContents;
use super::outline::{MOST, OpenTerms};
use super::plain_board::{PlainBoard, PlainStep, side_of};
use super::sketch::{CASTLING_ROOKS, MovedSquares};
use super::term::Condition;
use chessdb::board::{Bitboard, Color, PackedMove, Rank, Role, Square};

/// The terms of squares of a sequence of groups.
#[derive(Debug)]
pub(super) struct BoardsOutline {
    /// The alternatives of all.
    boards: Vec<BoardOutline>,
    /// The number of alternatives of each.
    alternatives: Vec<u8>,
}

impl BoardsOutline {
    /// Those of terms with their alternatives that ask for squares.
    pub(super) fn new<'a>(terms: impl Iterator<Item = &'a [Condition]>) -> BoardsOutline {
        let mut outline = BoardsOutline {
            boards: Vec::new(),
            alternatives: Vec::new(),
        };
        let terms = terms.filter_map(|term| {
            let contents = term.iter().map(Condition::contents);
            contents.collect::<Option<Vec<_>>>()
        });
        for (term, alternatives) in terms.enumerate().take(MOST) {
            if outline.boards.len() + alternatives.len() > MOST {
                break;
            }
            outline.alternatives.push(alternatives.len() as u8);
            let boards = alternatives
                .iter()
                .map(|contents| BoardOutline::new(term, contents));
            outline.boards.extend(boards);
        }
        outline
    }

    /// True if the squares of moves are worth a look.
    pub(super) fn has_squares(&self) -> bool {
        !self.boards.is_empty() && self.boards.iter().all(BoardOutline::has_squares)
    }

    /// False if no game with moves of these squares has all terms.
    pub(super) fn admits_squares(&self, squares: &MovedSquares) -> bool {
        let mut open = OpenTerms::of(self.alternatives.len());
        let admitted = self.boards.iter().filter(|board| board.admits_squares(squares));
        admitted.for_each(|board| open.close_one(board.term));
        open.is_empty()
    }

    /// False if some term holds nowhere.
    pub(super) fn admits(&self, moves: &[PackedMove]) -> bool {
        let mut open = OpenBoards::new(&self.boards, &self.alternatives);
        let mut board = PlainBoard::initial().clone();
        for &mv in moves {
            if open.open.is_empty() {
                return true;
            }
            let step = board.play(mv);
            if !open.follow(&self.boards, &step, &board) {
                return false;
            }
        }
        open.open.is_empty()
    }
}

/// An alternative of a term of squares.
#[derive(Debug)]
struct BoardOutline {
    /// The number of the term.
    term: usize,
    /// The squares that must have something, and what: a bit for each place in a tally, and the lowest for nothing.
    /// Those that have something else in the start position come first.
    contents: Vec<(u8, u16)>,
    /// Pawns that must not have moved.
    home: Bitboard,
    /// The number of pieces of each side.
    least: [u8; 2],
    /// The squares to which some move of each side must lead.
    targets: [Bitboard; 2],
    /// The squares that some move must leave or reach.
    changed: Bitboard,
}

impl BoardOutline {
    fn new(term: usize, contents: &[SquareContents; 64]) -> BoardOutline {
        let start = PlainBoard::initial();
        let mut outline = BoardOutline {
            term,
            contents: Vec::new(),
            home: Bitboard::EMPTY,
            least: [0; 2],
            targets: [Bitboard::EMPTY; 2],
            changed: Bitboard::EMPTY,
        };
        for (square, &wanted) in Square::ALL.into_iter().zip(contents) {
            if wanted == SquareContents::ANY {
                continue;
            }
            let own = Bitboard::from_square(square);
            let is_there = wanted.places() >> start.squares[square as usize] & 1 != 0;
            outline.contents.push((square as u8, wanted.places()));
            let pawn = wanted.piece().filter(|piece| piece.role == Role::Pawn);
            if pawn.is_some_and(|pawn| square.rank() == pawn.color.relative_rank(Rank::Second)) {
                outline.home |= own;
            }
            let side = Color::ALL
                .into_iter()
                .find(|&color| wanted.is_of(color))
                .map(side_of);
            if let Some(side) = side {
                outline.least[side] += 1;
            }
            match side {
                _ if is_there || CASTLING_ROOKS.contains(square) => {}
                Some(side) => outline.targets[side] |= own,
                None => outline.changed |= own,
            }
        }
        outline
            .contents
            .sort_by_key(|&(square, wanted)| wanted >> start.squares[usize::from(square)] & 1);
        outline
    }

    /// True if the squares of moves are worth a look. Pawns that must not have moved exclude games sooner.
    fn has_squares(&self) -> bool {
        let must_change = self.targets[0] | self.targets[1] | self.changed;
        must_change.any() && self.home.is_empty()
    }

    fn admits_squares(&self, squares: &MovedSquares) -> bool {
        let all = squares.origins | squares.targets[0] | squares.targets[1];
        self.changed.is_subset(all)
            && self.targets[0].is_subset(squares.targets[0])
            && self.targets[1].is_subset(squares.targets[1])
    }

    /// A square that has something else.
    #[inline]
    fn flaw(&self, board: &PlainBoard) -> Option<u8> {
        let is_flaw = |&&(square, wanted): &&(u8, u16)| wanted >> board.squares[usize::from(square)] & 1 == 0;
        self.contents.iter().find(is_flaw).map(|&(square, _)| square)
    }

    /// True if the board cannot come up any more after a move.
    #[inline]
    fn is_past(&self, step: &PlainStep, after: &PlainBoard) -> bool {
        (self.home & step.changed).any()
            || (step.takes && (after.sides[0] < self.least[0] || after.sides[1] < self.least[1]))
    }
}

/// The terms of squares that have held nowhere so far.
struct OpenBoards {
    open: OpenTerms,
    /// The alternatives that can still hold.
    alive: OpenTerms,
    /// Their number for each term.
    alternatives: [u8; MOST],
    /// For each alternative, a square that has something else. As long as it does not change, the board does not come
    /// up.
    flaws: [u8; MOST],
    /// The squares of a move after which something has to be looked at.
    watched: Bitboard,
}

impl OpenBoards {
    fn new(boards: &[BoardOutline], alternatives: &[u8]) -> OpenBoards {
        let mut own = OpenBoards {
            open: OpenTerms::of(alternatives.len()),
            alive: OpenTerms::of(boards.len()),
            alternatives: [0; MOST],
            flaws: [0; MOST],
            watched: Bitboard::EMPTY,
        };
        own.alternatives[..alternatives.len()].copy_from_slice(alternatives);
        let start = PlainBoard::initial();
        for (place, board) in boards.iter().enumerate() {
            match board.flaw(start) {
                Some(flaw) => own.watch(place, board, flaw),
                None => own.open.close_one(board.term),
            }
        }
        own
    }

    fn watch(&mut self, place: usize, board: &BoardOutline, flaw: u8) {
        self.flaws[place] = flaw;
        self.watched |= board.home | Bitboard::from_square(Square::new(flaw.into()));
    }

    /// Proceeds to the position after a move. False if a term can no longer hold.
    #[inline]
    fn follow(&mut self, boards: &[BoardOutline], step: &PlainStep, after: &PlainBoard) -> bool {
        if !step.takes && (self.watched & step.changed).is_empty() {
            return true;
        }
        for (place, board) in boards.iter().enumerate() {
            if !self.alive.has(place) || !self.open.has(board.term) {
                continue;
            }
            if board.is_past(step, after) {
                self.alive.close_one(place);
                self.alternatives[board.term] -= 1;
                if self.alternatives[board.term] == 0 {
                    return false;
                }
            } else if step.changed.contains(Square::new(self.flaws[place].into())) {
                match board.flaw(after) {
                    Some(flaw) => self.watch(place, board, flaw),
                    None => self.open.close_one(board.term),
                }
            }
        }
        true
    }
}
