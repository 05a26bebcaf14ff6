//! What stored moves show before they are tested: the numbers of pieces, and which piece goes where.
//!
//! Following them on a plain board takes a fraction of the time of a replay, and most games have nowhere what is asked
//! for. Legal moves come first, so whatever their positions have is seen here, too.

use std::sync::LazyLock;

use super::group::GroupTest;
use super::material::{PieceTally, place_of, tally};
use super::term::Condition;
use chessdb::board::{Color, File, Move, PackedMove, Position, Role, Square};

/// What a game must have in outline to have one of several sequences of groups.
#[derive(Debug)]
pub(super) struct Outline<'a>(Vec<ImageOutline<'a>>);

/// The terms of a sequence that show in an outline, each with its alternatives.
#[derive(Debug)]
struct ImageOutline<'a> {
    /// Those of numbers of pieces.
    counts: Vec<&'a [Condition]>,
    /// Those of moves.
    played: Vec<&'a [Condition]>,
}

impl<'a> Outline<'a> {
    /// `None` if no term of some sequence shows.
    pub(super) fn new(sequences: impl Iterator<Item = &'a [GroupTest]>) -> Option<Outline<'a>> {
        let outlines: Vec<_> = sequences.map(ImageOutline::new).collect();
        let shows = |outline: &ImageOutline<'_>| !outline.counts.is_empty() || !outline.played.is_empty();
        (!outlines.is_empty() && outlines.iter().all(shows)).then_some(Outline(outlines))
    }

    /// False if a game with these moves from the normal start position cannot have any of them.
    pub(super) fn admits(&self, moves: &[PackedMove]) -> bool {
        self.0.iter().any(|image| image.admits(moves))
    }
}

impl<'a> ImageOutline<'a> {
    fn new(groups: &'a [GroupTest]) -> ImageOutline<'a> {
        let with = |shows: fn(&Condition) -> bool| {
            let terms = groups.iter().flat_map(|group| &group.terms).map(Vec::as_slice);
            terms.filter(|term| term.iter().all(shows)).take(64).collect()
        };
        ImageOutline {
            counts: with(Condition::is_of_counts),
            played: with(|condition| matches!(condition, Condition::Played(_))),
        }
    }

    fn admits(&self, moves: &[PackedMove]) -> bool {
        let mut board = PlainBoard::initial();
        let (mut counts, mut played) = (OpenTerms::of(&self.counts), OpenTerms::of(&self.played));
        counts.close(&self.counts, |condition| condition.holds_for(&board.pieces));
        for mv in moves {
            if (counts.0 | played.0) == 0 {
                break;
            }
            let Some(step) = board.play(mv.unpack()) else {
                break;
            };
            if step.changes {
                counts.close(&self.counts, |condition| condition.holds_for(&board.pieces));
            }
            played.close(&self.played, |condition| match condition {
                Condition::Played(wanted) => wanted.may_be_stored(step.role, step.mv, step.takes),
                _ => false,
            });
        }
        (counts.0 | played.0) == 0
    }
}

/// The terms, at most 64, that have held nowhere so far: a bit for each.
struct OpenTerms(u64);

impl OpenTerms {
    fn of(terms: &[&[Condition]]) -> OpenTerms {
        OpenTerms(terms.iter().fold(0, |bits, _| bits << 1 | 1))
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

/// The pieces on a board on which any move is played.
#[derive(Clone)]
struct PlainBoard {
    /// The place of each square's piece in a tally, 0 for none.
    squares: [u8; 64],
    pieces: PieceTally,
}

/// What a move did.
struct PlainStep {
    mv: Move,
    role: Role,
    takes: bool,
    /// True if the numbers of pieces have changed.
    changes: bool,
}

impl PlainBoard {
    fn initial() -> PlainBoard {
        static INITIAL: LazyLock<PlainBoard> = LazyLock::new(|| {
            let position = Position::initial();
            let place = |square| {
                let piece = position.piece_at(square);
                piece.map_or(0, |piece| place_of(piece.color, piece.role) as u8)
            };
            PlainBoard {
                squares: Square::ALL.map(place),
                pieces: tally(&position),
            }
        });
        INITIAL.clone()
    }

    /// Plays a move. `None` if no piece stands there, so that no legal move follows.
    #[inline]
    fn play(&mut self, mv: Move) -> Option<PlainStep> {
        let Move::Normal { from, to, promotion } = mv else {
            return None;
        };
        let piece = std::mem::take(&mut self.squares[from as usize]);
        let role = Role::try_from(u32::from(piece & 7)).ok()?;
        let color = if piece >> 3 == Color::White as u8 {
            Color::White
        } else {
            Color::Black
        };
        let mut taken = std::mem::replace(&mut self.squares[to as usize], piece);
        match role {
            Role::Pawn if taken == 0 && from.file() != to.file() => {
                let beside = Square::from_coords(to.file(), from.rank());
                taken = std::mem::take(&mut self.squares[beside as usize]);
            }
            Role::King if from.file() == File::E && matches!(to.file(), File::C | File::G) => {
                let (rook, rook_to) = if to.file() == File::G {
                    (File::H, File::F)
                } else {
                    (File::A, File::D)
                };
                let rook = Square::from_coords(rook, from.rank());
                self.squares[Square::from_coords(rook_to, from.rank()) as usize] =
                    std::mem::take(&mut self.squares[rook as usize]);
            }
            _ => {}
        }
        if taken != 0 {
            let number = &mut self.pieces[usize::from(taken)];
            *number = number.saturating_sub(1);
        }
        if let Some(promotion) = promotion {
            let promoted = place_of(color, promotion);
            self.squares[to as usize] = promoted as u8;
            let (pawns, pieces) = (usize::from(piece), &mut self.pieces);
            pieces[pawns] = pieces[pawns].saturating_sub(1);
            pieces[promoted] = pieces[promoted].saturating_add(1);
        }
        Some(PlainStep {
            mv,
            role,
            takes: taken != 0,
            changes: taken != 0 || promotion.is_some(),
        })
    }
}
