//! Terms of a query that are about a position, or the move played in it.

use std::fmt;

use chessdb::board::{ByColor, Color, Position, Role, Undo};

use super::annotation::AnnotationTest;
use super::board::ExactPosition;
use super::board::{PartialBoard, PawnStructure};
use super::error::TermError;
use super::filter::{Marks, Need};
use super::followed::{FollowedLine, RepertoireTest};
use super::matcher::Moment;
use super::matcher::WholeLine;
use super::played::MovePattern;
use super::reflection::Reflection;
use super::sacrifice::Sacrifice;
use super::state::{Bishops, MoverState, PawnCount, PawnKind};
use super::state::{Imbalance, MaterialRange};
use crate::lines::{ALL, COUNTS, Change, KeptMove, PieceTally, Pieces, PlainBoard, bits_of, move_name};
use crate::positions::{Pattern, WantedError, pattern_name, read_moves, read_pawns, read_position};
use crate::query::Bounds;
use crate::repertoire::{NamedRepertoire, Repertoires};

/// One alternative of a term about a position. Its text is canonical: the same term always has the same text, and
/// parsing that text gives the same term.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PositionTerm {
    text: String,
    pub(super) condition: Condition,
}

/// The condition that a position, or the move played in it, must meet.
#[derive(Clone, Debug, PartialEq, Eq)]
// A query has few terms, so their size does not matter.
#[allow(clippy::large_enum_variant)]
pub(super) enum Condition {
    Exact(ExactPosition),
    Board(PartialBoard),
    Pawns(PawnStructure),
    Material(MaterialRange),
    Difference(Bounds),
    /// The player's material minus the opponent's; White's minus Black's unless the query names exactly one player.
    /// [`Condition::of_player`] turns it into a difference.
    Lead(Bounds),
    Imbalance(Imbalance),
    State(MoverState),
    Bishops(Bishops),
    PawnCount(PawnCount),
    Played(MovePattern),
    Annotation(AnnotationTest),
    Sacrifice(Sacrifice),
    Repertoire(RepertoireTest),
}

impl PositionTerm {
    /// The position after a line of moves from the normal start position, with or without numbers, separated by blanks,
    /// commas or `_`.
    ///
    /// ```
    /// use chessdb_library::query::PositionTerm;
    ///
    /// let term = PositionTerm::line("1. e4 c5 2.Nf3").unwrap();
    /// assert_eq!(term.to_string(), "e4,c5,Nf3");
    /// ```
    ///
    /// # Errors
    /// If a word is not a legal move.
    pub fn line(text: &str) -> Result<PositionTerm, TermError> {
        let (moves, reached) = read_moves(&text.replace([',', '_'], " ")).map_err(TermError::Position)?;
        if moves.is_empty() {
            return Err(TermError::NoMoves);
        }
        let mut position = Position::initial();
        let names = moves.into_iter().filter_map(|mv| {
            let name = move_name(&position, mv);
            // Cannot fail: `read_moves` has tested the moves.
            let _ = position.advance(mv, &mut Undo::default());
            name
        });
        let text = names.collect::<Vec<_>>().join(",");
        let exact = ExactPosition::new(Pattern::new(reached));
        Ok(PositionTerm::new(text, Condition::Exact(exact)))
    }

    /// A position as FEN, or as a name in `positions/`. Fields that are left out match anything.
    ///
    /// # Errors
    /// If the text is not a position that a game can reach.
    pub fn fen(text: &str) -> Result<PositionTerm, TermError> {
        let pattern = read_position(text).map_err(TermError::Position)?;
        let exact = ExactPosition::new(pattern);
        Ok(PositionTerm::new(pattern_name(&pattern), Condition::Exact(exact)))
    }

    /// Like [`PositionTerm::fen`], but the side to move is optional. Without it, returns a term for each side that may
    /// be to move.
    ///
    /// ```
    /// use chessdb_library::query::PositionTerm;
    ///
    /// let terms = PositionTerm::fens("8/8/4k3/8/r7/4P3/4K3/7R").unwrap();
    /// let names: Vec<String> = terms.iter().map(ToString::to_string).collect();
    /// assert_eq!(names, ["8-8-4k3-8-r7-4P3-4K3-7R_w", "8-8-4k3-8-r7-4P3-4K3-7R_b"]);
    /// ```
    ///
    /// # Errors
    /// If the text is not a position that a game can reach.
    pub fn fens(text: &str) -> Result<Vec<PositionTerm>, TermError> {
        let read = PositionTerm::fen(text);
        if !matches!(read, Err(TermError::Position(WantedError::NoTurn))) {
            return read.map(|term| vec![term]);
        }
        let [white, black] = ["w", "b"].map(|turn| PositionTerm::fen(&format!("{text} {turn}")));
        match (white, black) {
            (Err(error), Err(_)) => Err(error),
            (white, black) => Ok(white.into_iter().chain(black).collect()),
        }
    }

    /// A partial position: the board of a FEN, with wildcards and sets of pieces for some squares.
    ///
    /// ```
    /// use chessdb_library::query::PositionTerm;
    ///
    /// let term = PositionTerm::board("8/8/8/3P4/2[PB]?[RQ]A!-/8/8/7?").unwrap();
    /// assert_eq!(term.to_string(), "8/8/8/3P4/2[BP]1[QR]A!-/8/8/8");
    /// assert!(PositionTerm::board("8/8/8/8/8/8/8").is_err());
    /// ```
    ///
    /// # Errors
    /// If it does not have eight ranks of eight squares, or has another sign.
    pub fn board(text: &str) -> Result<PositionTerm, TermError> {
        PartialBoard::parse(text).map(|board| PositionTerm::new(board.to_string(), Condition::Board(board)))
    }

    /// The squares of all pawns, as the board of a FEN whose other pieces are ignored.
    ///
    /// # Errors
    /// If the text is not FEN.
    pub fn pawns(text: &str) -> Result<PositionTerm, TermError> {
        let pawns = PawnStructure::new(read_pawns(text).map_err(TermError::Position)?);
        Ok(PositionTerm::new(pawns.to_string(), Condition::Pawns(pawns)))
    }

    /// All pieces of both sides, White's first: `KRP3-5kr`, `K*R+k*r+`.
    ///
    /// # Errors
    /// If the text is not a list of pieces with counts and both kings.
    pub fn material(text: &str) -> Result<PositionTerm, TermError> {
        let material = MaterialRange::parse(text)?;
        Ok(PositionTerm::new(
            material.to_string(),
            Condition::Material(material),
        ))
    }

    /// White's material less Black's: a pawn is 1, knights and bishops 3, rooks 5, queens 9.
    pub fn diff(bounds: Bounds) -> PositionTerm {
        PositionTerm::new(bounds.to_string(), Condition::Difference(bounds))
    }

    /// The player's material minus the opponent's; White's minus Black's unless the query names exactly one player.
    pub fn lead(bounds: Bounds) -> PositionTerm {
        PositionTerm::new(bounds.to_string(), Condition::Lead(bounds))
    }

    /// An imbalance of material: the pieces of one side and those that the other side has for them. Returns one term if
    /// letter case assigns the pieces to sides, as in `Rvbn` (White has the rook), otherwise one for each assignment.
    ///
    /// ```
    /// use chessdb_library::query::PositionTerm;
    ///
    /// let terms = PositionTerm::imbalance("RvNB").unwrap();
    /// let names: Vec<String> = terms.iter().map(ToString::to_string).collect();
    /// assert_eq!(names, ["Rvbn", "BNvr"]);
    /// ```
    ///
    /// # Errors
    /// If the text does not name pieces of two sides.
    pub fn imbalance(text: &str) -> Result<Vec<PositionTerm>, TermError> {
        let terms = Imbalance::parse(text)?.into_iter();
        let terms = terms.map(|own| PositionTerm::new(own.to_string(), Condition::Imbalance(own)));
        Ok(terms.collect())
    }

    /// The side to move is in `check`, `mate` or `stalemate`.
    ///
    /// # Errors
    /// If the text is another word.
    pub fn state(text: &str) -> Result<PositionTerm, TermError> {
        let (name, state) = MoverState::parse(text)?;
        Ok(PositionTerm::new(name.to_owned(), Condition::State(state)))
    }

    /// Each side has one bishop, on squares of the `same` colour or of `opposite` ones.
    ///
    /// # Errors
    /// If the text is another word.
    pub fn bishops(text: &str) -> Result<PositionTerm, TermError> {
        let (name, bishops) = Bishops::parse(text)?;
        Ok(PositionTerm::new(name.to_owned(), Condition::Bishops(bishops)))
    }

    /// How many pawns of this kind a side has.
    pub fn pawn_count(kind: PawnKind, color: Color, bounds: Bounds) -> PositionTerm {
        let count = PawnCount { kind, color, bounds };
        PositionTerm::new(bounds.to_string(), Condition::PawnCount(count))
    }

    /// A move that is played next: `Bxh7+`, `O-O`, `e8=N`, `N*f7`.
    ///
    /// # Errors
    /// If the text is not SAN.
    pub fn played(text: &str) -> Result<PositionTerm, TermError> {
        let played = MovePattern::parse(text)?;
        Ok(PositionTerm::new(played.to_string(), Condition::Played(played)))
    }

    /// A glyph of the move that is played next, by its sign or number: `!!`, `14`.
    ///
    /// # Errors
    /// If the text is neither.
    pub fn nag(text: &str) -> Result<PositionTerm, TermError> {
        AnnotationTest::nag(text).map(PositionTerm::of_annotation)
    }

    /// Words of a comment on the move that is played next. Each word of the text must be the start of a word of the
    /// comment.
    ///
    /// # Errors
    /// If the text has no word.
    pub fn comment(text: &str) -> Result<PositionTerm, TermError> {
        AnnotationTest::comment(text).map(PositionTerm::of_annotation)
    }

    /// The seconds that are left on the clock after the move that is played next.
    pub fn clock(seconds: Bounds) -> PositionTerm {
        PositionTerm::of_annotation(AnnotationTest::Clock(seconds))
    }

    /// The seconds that were spent on the move that is played next.
    pub fn spent(seconds: Bounds) -> PositionTerm {
        PositionTerm::of_annotation(AnnotationTest::Spent(seconds))
    }

    /// The evaluation of the position as recorded in the game, in pawns from White's side: `1.5`, `-0.25..0.25`. A mate
    /// is 100 or -100.
    ///
    /// # Errors
    /// If the text is not a number or a range.
    pub fn evaluation(text: &str) -> Result<PositionTerm, TermError> {
        AnnotationTest::evaluation(text).map(PositionTerm::of_annotation)
    }

    /// The move that is played next gives up this much material: a number or a range, at least 1, which is a pawn. The
    /// side must have less for six half-moves (`for:` changes this), until mate, or to the end of a game that it wins.
    ///
    /// # Errors
    /// If the text is not such a number or range.
    pub fn sacrifice(text: &str) -> Result<PositionTerm, TermError> {
        let sacrifice = Sacrifice::parse(text)?;
        Ok(PositionTerm::new(
            sacrifice.bounds.to_string(),
            Condition::Sacrifice(sacrifice),
        ))
    }

    /// The side to move follows a repertoire: wherever the repertoire has moves for it, it plays one of them. The text
    /// is a pattern for the names of the repertoire's databases; `is_name` says that it comes from the name of a
    /// directory.
    ///
    /// # Errors
    /// If the text is not a pattern.
    pub fn repertoire(text: &str, is_name: bool) -> Result<PositionTerm, TermError> {
        PositionTerm::of_repertoire(text, is_name, false)
    }

    /// The move with which a game leaves a repertoire. If the query names one player, this is the player's first move
    /// that differs from all moves of the repertoire, or a different move of the opponent after which the game never
    /// returns to the repertoire. Otherwise the rule for the opponent holds for both sides. Parameters as for
    /// [`PositionTerm::repertoire`].
    ///
    /// # Errors
    /// If the text is not a pattern.
    pub fn left(text: &str, is_name: bool) -> Result<PositionTerm, TermError> {
        PositionTerm::of_repertoire(text, is_name, true)
    }

    fn of_repertoire(text: &str, is_name: bool, is_left: bool) -> Result<PositionTerm, TermError> {
        let test = RepertoireTest::parse(text, is_name, is_left).map_err(TermError::Repertoire)?;
        Ok(PositionTerm::new(text.to_owned(), Condition::Repertoire(test)))
    }

    /// The repertoire that a game must follow or leave.
    pub fn named_repertoire(&self) -> Option<NamedRepertoire<'_>> {
        match &self.condition {
            Condition::Repertoire(test) => Some(NamedRepertoire {
                pattern: &test.pattern,
                is_left: test.is_left,
            }),
            _ => None,
        }
    }

    /// Finds the repertoire that it names among the `known` ones.
    pub fn look_up(&mut self, known: &Repertoires) {
        if let Condition::Repertoire(test) = &mut self.condition {
            test.look_up(known);
        }
    }

    /// Sets for how many half-moves the material of a sacrifice must stay given up.
    pub(super) fn set_plies(&mut self, plies: u32) {
        if let Condition::Sacrifice(sacrifice) = &mut self.condition {
            sacrifice.plies = plies;
        }
    }

    /// True if it depends on which side is the player: `lead:` and `left:`.
    pub(super) fn is_of_player(&self) -> bool {
        match &self.condition {
            Condition::Lead(_) => true,
            Condition::Repertoire(test) => test.is_of_player(),
            _ => false,
        }
    }

    /// For a query that does not name exactly one player: `lead:` is then White's, and no player owns the repertoire of
    /// `left:`.
    pub(super) fn set_no_player(&mut self) {
        match &mut self.condition {
            Condition::Lead(bounds) => self.condition = Condition::Difference(*bounds),
            Condition::Repertoire(test) => test.set_no_player(),
            _ => {}
        }
    }

    /// True for a sacrifice.
    pub(super) fn is_sacrifice(&self) -> bool {
        matches!(self.condition, Condition::Sacrifice(_))
    }

    /// True if it is about the move that is played.
    pub(super) fn is_of_move(&self) -> bool {
        self.condition.is_of_move()
    }

    fn of_annotation(test: AnnotationTest) -> PositionTerm {
        PositionTerm::new(test.to_string(), Condition::Annotation(test))
    }

    /// True if an index of positions can rule out games that do not have this term.
    pub(super) fn is_indexed(&self) -> bool {
        matches!(self.condition, Condition::Exact(_) | Condition::Pawns(_))
    }

    /// The position, if the term is one.
    pub(super) fn position(&self) -> Option<&Pattern> {
        match &self.condition {
            Condition::Exact(exact) => Some(&exact.pattern),
            _ => None,
        }
    }

    fn new(text: String, condition: Condition) -> PositionTerm {
        PositionTerm { text, condition }
    }
}

impl fmt::Display for PositionTerm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Condition {
    /// True if the condition depends on the move that is played.
    pub(super) fn is_of_move(&self) -> bool {
        match self {
            Condition::Played(_) => true,
            Condition::Annotation(test) => test.is_of_move(),
            Condition::Sacrifice(_) | Condition::Repertoire(_) => true,
            _ => false,
        }
    }

    /// The condition for a group in which this side is to move; `None` for either side. Only repertoires change.
    pub(super) fn of_side(self, side: Option<Color>) -> Condition {
        match self {
            Condition::Repertoire(test) => Condition::Repertoire(test.of_side(side)),
            other => other,
        }
    }

    /// The condition when this side is the player.
    pub(super) fn of_player(self, player: Color) -> Condition {
        match self {
            Condition::Lead(bounds) => Condition::Difference(player.fold_wb(bounds, bounds.negated())),
            Condition::Repertoire(test) => Condition::Repertoire(test.of_player(player)),
            other => other,
        }
    }

    /// How many half-moves after a position must be known to decide it.
    pub(super) fn looks_ahead(&self) -> u32 {
        match self {
            Condition::Sacrifice(sacrifice) => sacrifice.looks_ahead(),
            _ => 0,
        }
    }

    /// False if it holds in no position of this game.
    pub(super) fn admits(&self, line: &WholeLine) -> bool {
        match self {
            Condition::Annotation(test) => test.is_anywhere(&line.annotations),
            Condition::Sacrifice(sacrifice) => sacrifice.is_anywhere(&line.material),
            Condition::Repertoire(test) => line.followed.of(test).is_some_and(FollowedLine::is_anywhere),
            _ => true,
        }
    }

    /// True if the condition holds in a position.
    #[inline]
    pub(super) fn holds(&self, moment: &Moment<'_>) -> bool {
        let position = moment.position;
        match self {
            Condition::Exact(exact) => exact.matches(position),
            Condition::Board(board) => board.matches(position),
            Condition::Pawns(pawns) => pawns.matches(position),
            Condition::Material(material) => material.has(&PieceTally::of(position)),
            Condition::Difference(bounds) | Condition::Lead(bounds) => {
                bounds.contains(PieceTally::of(position).difference())
            }
            Condition::Imbalance(imbalance) => imbalance.is_in(&PieceTally::of(position)),
            Condition::State(state) => state.holds(position),
            Condition::Bishops(bishops) => bishops.holds_for(|color| position.of_kind(color, Role::Bishop)),
            Condition::PawnCount(count) => count.holds_for(|color| position.of_kind(color, Role::Pawn)),
            Condition::Played(wanted) => {
                let matches = |(mv, after)| wanted.matches(position, mv, after);
                moment.played.is_some_and(matches)
            }
            Condition::Annotation(test) => {
                (moment.played.is_some() || !test.is_of_move())
                    && test.holds(moment.ply, &moment.line.annotations)
            }
            Condition::Sacrifice(sacrifice) => {
                moment.played.is_some() && sacrifice.holds(moment.ply, &moment.line.material)
            }
            Condition::Repertoire(test) => {
                let followed = moment.line.followed.of(test);
                moment.played.is_some() && followed.is_some_and(|line| line.holds(moment.ply))
            }
        }
    }

    /// True if the condition depends only on the number of pieces of each kind.
    pub(super) fn is_of_counts(&self) -> bool {
        matches!(
            self,
            Condition::Material(_) | Condition::Difference(_) | Condition::Lead(_) | Condition::Imbalance(_)
        )
    }

    /// What is needed to decide whether it holds: a plain board, a position, or the whole line.
    pub(super) fn need(&self) -> Need {
        match self {
            Condition::Board(_)
            | Condition::Pawns(_)
            | Condition::Material(_)
            | Condition::Difference(_)
            | Condition::Lead(_)
            | Condition::Imbalance(_)
            | Condition::Bishops(_)
            | Condition::PawnCount(_)
            | Condition::State(MoverState::Check) => Need::Board,
            Condition::Played(wanted) if wanted.shows_on_board() => Need::Board,
            Condition::Exact(_) | Condition::State(_) | Condition::Played(_) => Need::Position,
            Condition::Annotation(_) | Condition::Sacrifice(_) | Condition::Repertoire(_) => Need::Line,
        }
    }

    /// The changes by a move that can make it hold where it did not hold before.
    pub(super) fn watched(&self) -> Change {
        match self {
            own if own.is_of_counts() => COUNTS,
            Condition::Bishops(_) => bits_of(Role::Bishop),
            Condition::Board(board) => board.watched(),
            Condition::PawnCount(count) => count.watched(),
            Condition::Pawns(_) => bits_of(Role::Pawn),
            _ => ALL,
        }
    }

    /// False if it certainly does not hold on this board, where the moves `rest` follow. True is certain only for
    /// conditions that need no more than a [board](Need::Board).
    #[inline]
    pub(super) fn may_hold_on(&self, board: &PlainBoard, rest: &[KeptMove]) -> bool {
        match self {
            Condition::Exact(exact) => exact.pattern.has_pieces_of(board),
            Condition::Board(wanted) => wanted.matches(board),
            Condition::Pawns(pawns) => pawns.matches(board),
            Condition::Material(_)
            | Condition::Difference(_)
            | Condition::Lead(_)
            | Condition::Imbalance(_) => self.has_counts(&board.mailbox.counts),
            Condition::State(state) => state.may_hold_on(board, rest),
            Condition::Bishops(bishops) => bishops.holds_for(|color| board.of_kind(color, Role::Bishop)),
            Condition::PawnCount(count) => count.holds_for(|color| board.of_kind(color, Role::Pawn)),
            Condition::Played(wanted) => wanted.may_be_next(board, rest),
            Condition::Annotation(_) | Condition::Sacrifice(_) | Condition::Repertoire(_) => true,
        }
    }

    /// False if it requires other numbers of pieces.
    #[inline]
    pub(super) fn has_counts(&self, counts: &PieceTally) -> bool {
        match self {
            Condition::Material(material) => material.has(counts),
            Condition::Difference(bounds) | Condition::Lead(bounds) => bounds.contains(counts.difference()),
            Condition::Imbalance(imbalance) => imbalance.is_in(counts),
            _ => true,
        }
    }

    /// Number of moves before the first position where it may hold, judged by the moves alone; `None` if it cannot hold
    /// anywhere.
    pub(super) fn first_chance(&self, moves: &[KeptMove]) -> Option<usize> {
        match self {
            Condition::State(state) => state.first_chance(moves),
            Condition::Played(wanted) => wanted.first_chance(moves),
            _ => Some(0),
        }
    }

    /// Marks that the moves of a game must have if it holds anywhere in the game.
    pub(super) fn marks(&self) -> Marks {
        match self {
            Condition::Material(material) => Marks {
                most: ByColor::new_with(|color| *material.pieces_of(color).end()),
                ..Marks::NONE
            },
            Condition::Played(wanted) => Marks {
                moves: wanted.marks(),
                ..Marks::NONE
            },
            Condition::Board(board) => Marks {
                changed: board.changed(),
                ..Marks::NONE
            },
            Condition::Pawns(pawns) => Marks {
                changed: pawns.changed(),
                ..Marks::NONE
            },
            _ => Marks::NONE,
        }
    }

    /// True if the condition cannot hold in any position that a game can reach from this one. False means that it is
    /// not known.
    pub(super) fn is_past(&self, position: &impl Pieces) -> bool {
        match self {
            Condition::Exact(exact) => exact.pattern.is_past(position),
            Condition::Board(board) => board.is_past(position),
            Condition::Pawns(pawns) => pawns.is_past(position),
            Condition::Material(material) => material.is_past(position),
            Condition::Difference(_)
            | Condition::Lead(_)
            | Condition::Imbalance(_)
            | Condition::State(_)
            | Condition::Bishops(_)
            | Condition::PawnCount(_)
            | Condition::Annotation(_)
            | Condition::Sacrifice(_)
            | Condition::Repertoire(_) => false,
            Condition::Played(wanted) => wanted.is_past(position),
        }
    }

    /// False if [`is_past`](Condition::is_past) is never true.
    pub(super) fn ends(&self) -> bool {
        matches!(
            self,
            Condition::Exact(_)
                | Condition::Board(_)
                | Condition::Pawns(_)
                | Condition::Material(_)
                | Condition::Played(_)
        )
    }

    /// The condition for the mirror image of a position, so that it holds there exactly if this one holds in the
    /// position itself. `None` if it never holds.
    pub(super) fn reflected(&self, reflection: Reflection) -> Option<Condition> {
        if reflection == Reflection::default() {
            return Some(self.clone());
        }
        Some(match self {
            Condition::Exact(exact) => Condition::Exact(exact.reflected(reflection)?),
            Condition::Board(board) => Condition::Board(board.reflected(reflection)),
            Condition::Pawns(pawns) => Condition::Pawns(pawns.reflected(reflection)),
            Condition::Material(material) => Condition::Material(material.reflected(reflection)),
            Condition::Difference(bounds) if reflection.colour => Condition::Difference(bounds.negated()),
            Condition::Difference(bounds) => Condition::Difference(*bounds),
            // The player has the same side in all images.
            Condition::Lead(bounds) => Condition::Lead(*bounds),
            Condition::Imbalance(imbalance) => Condition::Imbalance(imbalance.reflected(reflection)),
            Condition::State(state) => Condition::State(*state),
            Condition::Bishops(bishops) => Condition::Bishops(*bishops),
            Condition::PawnCount(count) => Condition::PawnCount(PawnCount {
                color: reflection.color(count.color),
                ..*count
            }),
            Condition::Played(wanted) => Condition::Played(wanted.reflected(reflection)?),
            Condition::Annotation(test) => Condition::Annotation(test.reflected(reflection)),
            Condition::Sacrifice(sacrifice) => Condition::Sacrifice(*sacrifice),
            Condition::Repertoire(test) => Condition::Repertoire(test.reflected(reflection)),
        })
    }
}
