//! Moves that are played in a position.

use std::fmt;
use std::sync::Arc;

use super::error::TermError;
use super::move_table::{PROMOTIONS, PatternMoves, is_move_pattern};
use super::reflection::Reflection;
use super::state::ends;
use crate::lines::{KeptMove, MoveMarks, Pieces, PlainBoard};
use chessdb::board::{Bitboard, CastlingSide, File, Move, Position, Rank, Role, San, Square};

/// Names of castling and of the null move.
const SPECIAL: [(&str, Move); 9] = [
    ("O-O", Move::Castle(CastlingSide::KingSide)),
    ("O-O-O", Move::Castle(CastlingSide::QueenSide)),
    ("0-0", Move::Castle(CastlingSide::KingSide)),
    ("0-0-0", Move::Castle(CastlingSide::QueenSide)),
    ("o-o", Move::Castle(CastlingSide::KingSide)),
    ("o-o-o", Move::Castle(CastlingSide::QueenSide)),
    ("null", Move::Null),
    ("--", Move::Null),
    ("Z0", Move::Null),
];

/// The moves that a text in SAN describes, in any position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MovePattern {
    what: Moved,
    sign: Option<CheckSign>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Moved {
    /// Castling, or a null move.
    Special(Move),
    Piece(PieceMove),
    /// What a pattern describes.
    Pattern(Arc<PatternMoves>),
}

/// The move of one piece. Fields that are `None` match anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct PieceMove {
    role: Role,
    file: Option<File>,
    rank: Option<Rank>,
    to: Square,
    takes: bool,
    promotion: Option<Role>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CheckSign {
    Check,
    Mate,
}

impl MovePattern {
    /// Reads SAN, or a pattern with `*` and `?`: see [`PatternMoves`]. In SAN the sign of check, and what distinguishes the
    /// piece from others of its kind, may be missing. `+` is check or mate, `#` mate alone.
    pub(super) fn parse(text: &str) -> Result<MovePattern, TermError> {
        if is_move_pattern(text) {
            let what = Moved::Pattern(Arc::new(PatternMoves::parse(text)?));
            return Ok(MovePattern { what, sign: None });
        }
        let (text, sign) = match text.as_bytes() {
            [.., b'+'] => (&text[..text.len() - 1], Some(CheckSign::Check)),
            [.., b'#'] => (&text[..text.len() - 1], Some(CheckSign::Mate)),
            _ => (text, None),
        };
        let special = SPECIAL.iter().find(|(name, _)| *name == text);
        let what = match special {
            Some(&(_, mv)) => Some(Moved::Special(mv)),
            None => PieceMove::parse(text).map(Moved::Piece),
        };
        what.map(|what| MovePattern { what, sign })
            .ok_or(TermError::Played)
    }

    /// False if the move that leads to `after`, and takes such a piece, does not match.
    #[inline]
    pub(super) fn may_be(&self, mv: Move, after: &Position, captured: Option<Role>) -> bool {
        match (&self.what, mv) {
            (Moved::Piece(piece), Move::Normal { from, to, promotion }) => {
                piece.has_squares(from, to)
                    && piece.takes == captured.is_some()
                    && promotion.map_or_else(
                        || after.role_at(to) == Some(piece.role),
                        |_| piece.role == Role::Pawn,
                    )
                    && (piece.promotion.is_none() || promotion == piece.promotion)
            }
            (Moved::Pattern(pattern), mv) => pattern.table().may_be(mv, after, captured),
            (Moved::Special(special), mv) => *special == mv,
            (Moved::Piece(_), _) => false,
        }
    }

    /// Marks that a main line with such a move has, to test it without a board.
    pub(super) fn marks(&self) -> MoveMarks {
        match &self.what {
            Moved::Piece(piece) => {
                let last = Bitboard::from_square(piece.to) & Bitboard::BACKRANKS;
                let promotions: &[Option<Role>] = match piece.promotion {
                    Some(_) => &[piece.promotion],
                    None if piece.role == Role::Pawn && last.any() => &PROMOTIONS,
                    None => &[None],
                };
                let moves = promotions.iter().map(|&promotion| (promotion, piece.takes));
                MoveMarks::of(Bitboard::from_square(piece.to), moves)
            }
            Moved::Pattern(pattern) => pattern.table().marks,
            Moved::Special(_) => MoveMarks::special(),
        }
    }

    /// True if [`MovePattern::may_be_next`] is exact, so that a match needs no further test.
    pub(super) fn shows_on_board(&self) -> bool {
        match &self.what {
            Moved::Pattern(pattern) => !pattern.table().distinguishes_mate,
            _ => self.sign != Some(CheckSign::Mate),
        }
    }

    /// The number of the first move that may match, judged without a board; `None` if no move may.
    pub(super) fn first_chance(&self, moves: &[KeptMove]) -> Option<usize> {
        let is_mate = match &self.what {
            Moved::Pattern(pattern) => pattern.table().is_mate,
            _ => self.sign == Some(CheckSign::Mate),
        };
        if is_mate {
            return (0..moves.len()).find(|&ply| ends(&moves[ply + 1..]));
        }
        let marks = self.marks();
        moves.iter().position(|mv| marks.are_in(std::slice::from_ref(mv)))
    }

    /// False if the first of these moves, which is played on this board, does not match.
    #[inline]
    pub(super) fn may_be_next(&self, board: &PlainBoard, moves: &[KeptMove]) -> bool {
        let Some((&next, rest)) = moves.split_first() else {
            return false;
        };
        let is_move = match (&self.what, next.unpack()) {
            (Moved::Piece(piece), Move::Normal { from, to, promotion }) => {
                piece.has_squares(from, to)
                    && piece.takes == next.takes()
                    && board.role_at(from) == Some(piece.role)
                    && (piece.promotion.is_none() || promotion == piece.promotion)
            }
            (Moved::Pattern(pattern), _) => {
                let signs = pattern.table().signs_of(board, next);
                return may_have_sign(signs, board, next, rest);
            }
            (Moved::Special(special), mv) => *special == mv,
            (Moved::Piece(_), _) => false,
        };
        let signs = match self.sign {
            None => [true; 3],
            Some(CheckSign::Check) => [false, true, true],
            Some(CheckSign::Mate) => [false, false, true],
        };
        is_move && may_have_sign(signs, board, next, rest)
    }

    /// True if the move that leads from one position to the other matches.
    pub(super) fn matches(&self, before: &Position, mv: Move, after: &Position) -> bool {
        let captured = match mv {
            Move::Normal { from, to, .. } => before.role_at(before.capture_square(from, to)),
            _ => None,
        };
        if let Moved::Pattern(pattern) = &self.what {
            return pattern.table().matches(before, mv, after, captured);
        }
        self.may_be(mv, after, captured)
            && match self.sign {
                None => true,
                Some(CheckSign::Check) => after.is_check(),
                Some(CheckSign::Mate) => after.is_checkmate(),
            }
    }

    /// True only if a game that has reached `position` can no longer have such a move.
    pub(super) fn is_past(&self, position: &impl Pieces) -> bool {
        matches!(self.what, Moved::Special(Move::Castle(_))) && !position.may_castle()
    }

    /// The mirror image. `None` for castling if the wings are exchanged, because there are no castling rights in such
    /// an image.
    pub(super) fn reflected(&self, reflection: Reflection) -> Option<MovePattern> {
        let what = match &self.what {
            Moved::Special(Move::Castle(_)) if reflection.side => return None,
            Moved::Special(mv) => Moved::Special(*mv),
            Moved::Pattern(pattern) if reflection == Reflection::default() => {
                Moved::Pattern(Arc::clone(pattern))
            }
            Moved::Pattern(pattern) => Moved::Pattern(Arc::new(pattern.reflected(reflection))),
            Moved::Piece(piece) => Moved::Piece(PieceMove {
                file: piece.file.map(|file| {
                    if reflection.side {
                        file.flip_horizontal()
                    } else {
                        file
                    }
                }),
                rank: piece.rank.map(|rank| reflection.rank(rank)),
                to: reflection.square(piece.to),
                ..*piece
            }),
        };
        Some(MovePattern {
            what,
            sign: self.sign,
        })
    }
}

/// Whether the next move may have a sign that makes the pattern match: `signs` says whether it matches without a sign,
/// with `+`, and with `#`. False is certain; true is certain unless only one of `+` and `#` matches.
fn may_have_sign(signs: [bool; 3], board: &PlainBoard, next: KeptMove, rest: &[KeptMove]) -> bool {
    let [quiet, check, mate] = signs;
    if quiet == check && check == mate {
        return quiet;
    }
    let mut after = board.clone();
    after.play(next);
    if !after.is_check() {
        return quiet;
    }
    // No move is played after mate.
    check || mate && ends(rest) && after.may_be_mated()
}

impl PieceMove {
    #[inline]
    fn has_squares(&self, from: Square, to: Square) -> bool {
        to == self.to
            && self.file.is_none_or(|file| from.file() == file)
            && self.rank.is_none_or(|rank| from.rank() == rank)
    }

    fn parse(text: &str) -> Option<PieceMove> {
        let (text, promotion) = match text.split_once('=') {
            Some((text, letter)) => (text, Some(promotion_of(letter)?)),
            None => (text, None),
        };
        let mut signs: Vec<char> = text.chars().collect();
        let role = signs.first().and_then(|&letter| role_of(letter));
        if role.is_some() {
            signs.remove(0);
        }
        let role = role.unwrap_or(Role::Pawn);
        let to = Square::from_coords(
            File::from_char(signs.len().checked_sub(2).map(|at| signs[at])?)?,
            Rank::from_char(signs.pop()?)?,
        );
        signs.pop();
        let takes = signs.last() == Some(&'x');
        if takes {
            signs.pop();
        }
        let rank = signs.last().and_then(|&sign| Rank::from_char(sign));
        if rank.is_some() {
            signs.pop();
        }
        let file = signs.last().and_then(|&sign| File::from_char(sign));
        if file.is_some() {
            signs.pop();
        }
        let ends = Rank::First == to.rank() || Rank::Eighth == to.rank();
        let is_move = match role {
            // The file of a pawn that takes nothing follows from its target.
            Role::Pawn => rank.is_none() && (takes || file.is_none()) && (promotion.is_none() || ends),
            _ => promotion.is_none(),
        };
        (signs.is_empty() && is_move).then_some(PieceMove {
            role,
            file,
            rank,
            to,
            takes,
            promotion,
        })
    }
}

fn role_of(letter: char) -> Option<Role> {
    let role = Role::from_char(letter.to_ascii_lowercase());
    role.filter(|_| letter.is_ascii_uppercase())
}

fn promotion_of(letter: &str) -> Option<Role> {
    let mut letters = letter.chars();
    let role = role_of(letters.next()?)?;
    let can_be = letters.next().is_none() && !matches!(role, Role::King | Role::Pawn);
    can_be.then_some(role)
}

impl fmt::Display for MovePattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.what {
            Moved::Special(Move::Castle(side)) => write!(f, "{}", San::castle(*side))?,
            Moved::Special(_) => f.write_str("null")?,
            Moved::Pattern(pattern) => f.write_str(pattern.text())?,
            Moved::Piece(piece) => piece.fmt(f)?,
        }
        f.write_str(match self.sign {
            None => "",
            Some(CheckSign::Check) => "+",
            Some(CheckSign::Mate) => "#",
        })
    }
}

impl fmt::Display for PieceMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.role != Role::Pawn {
            write!(f, "{}", self.role.upper_char())?;
        }
        if let Some(file) = self.file {
            write!(f, "{}", file.char())?;
        }
        if let Some(rank) = self.rank {
            write!(f, "{}", rank.char())?;
        }
        if self.takes {
            f.write_str("x")?;
        }
        write!(f, "{}", self.to)?;
        match self.promotion {
            Some(role) => write!(f, "={}", role.upper_char()),
            None => Ok(()),
        }
    }
}

/// The longest pattern in bytes: the ten characters of the longest written move, `Pe7xnf8=Q#`, with a star before each
/// and after the last.
pub(super) const LONGEST_PATTERN: usize = 21;

/// The number of ways to end a written move: without a sign, with `+`, and with `#`. Mate also counts as check.
pub(super) const SIGNS: usize = 3;

/// A pattern with `*` and `?`, which is compared with a written move one character at a time.
#[derive(Clone, Debug)]
pub(super) struct FormPattern {
    text: String,
    /// The places of stars, one bit each.
    stars: u32,
    /// For each ASCII character, the places where the pattern has it or a question mark.
    places: [u32; 128],
}

#[cfg(test)]
thread_local! {
    /// How many characters this thread has compared.
    pub(super) static COMPARED: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// The places in a pattern where the next character can be compared, one bit each, and one bit for the end of the
/// pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FormState(u32);

impl FormState {
    /// Nothing can match any more.
    pub(super) const NONE: FormState = FormState(0);
}

impl FormPattern {
    /// Reads a pattern; `None` if it is too long.
    pub(super) fn parse(text: &str) -> Option<FormPattern> {
        let mut pattern = text.to_owned();
        let mut last = None;
        // Stars that follow each other are one.
        pattern.retain(|sign| last.replace(sign) != Some('*') || sign != '*');
        if pattern.len() > LONGEST_PATTERN {
            return None;
        }
        let (mut stars, mut any, mut places) = (0, 0, [0; 128]);
        for (place, sign) in pattern.bytes().enumerate() {
            match sign {
                b'*' => stars |= 1 << place,
                b'?' => any |= 1 << place,
                sign => {
                    if let Some(places) = places.get_mut(usize::from(sign)) {
                        *places |= 1 << place;
                    }
                }
            }
        }
        Some(FormPattern {
            text: pattern,
            stars,
            places: places.map(|places: u32| places | any),
        })
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// True if adding `+` or `#` to a written move may change whether it matches.
    pub(super) fn depends_on_check(&self) -> bool {
        self.text.ends_with(['*', '+', '#']) && self.text != "*"
    }

    /// The state before the first character.
    pub(super) fn start(&self) -> FormState {
        self.with_stars(1)
    }

    /// The state after the next character.
    pub(super) fn step(&self, FormState(state): FormState, sign: u8) -> FormState {
        #[cfg(test)]
        COMPARED.with(|compared| compared.set(compared.get() + 1));
        let own = self.places.get(usize::from(sign)).copied().unwrap_or(0);
        self.with_stars((state & own) << 1 | state & self.stars)
    }

    /// Whether a written move that ends here matches without a sign, with `+`, and with `#`.
    pub(super) fn ends(&self, state: FormState) -> [bool; SIGNS] {
        let is_end = |FormState(state): FormState| state >> self.text.len() & 1 == 1;
        let [plain, check, mate] = [
            is_end(state),
            is_end(self.step(state, b'+')),
            is_end(self.step(state, b'#')),
        ];
        [plain, check, check || mate]
    }

    /// Adds the places after stars, because a star may match nothing. One step is enough: two stars in a row were made
    /// one.
    fn with_stars(&self, state: u32) -> FormState {
        FormState(state | (state & self.stars) << 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chessdb::board::{Fen, Undo};
    use chessdb::replay::Ply;

    /// Patterns and moves in SAN, with and without signs, which are tested on plain boards and on whole positions.
    const ASKED: [&str; 21] = [
        "*", "*+", "*#", "N*", "R*xr*", "Bxh7+", "*=*", "*=Q#", "P*xp*", "K*", "Ke1-g1", "Ke1-c1+", "O-O*",
        "O-O-O", "O-O-O+", "O-O#", "exd6", "e8=N", "Qf7#", "Qf7", "--",
    ];

    #[test]
    fn a_board_shows_what_positions_show() {
        let starts = [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "rk2r3/8/8/8/8/8/8/RK2R3 w EAea - 0 1",
            "4k3/pppp4/8/4PPPP/4pppp/8/PPPP4/4K3 w - - 0 1",
            "1n2k1n1/P1P4P/8/8/8/8/p1p4p/1N2K1N1 w - - 0 1",
            // Castling that checks or mates, and mates by a queen and by a pawn.
            "5k2/8/8/8/8/8/8/4K2R w K - 0 1",
            "3k4/R7/8/8/8/8/8/R3K3 w Q - 0 1",
            "4rkr1/3pp1p1/8/8/8/8/8/R3K2R w KQ - 0 1",
            "7k/5Q2/6K1/8/8/8/8/8 w - - 0 1",
            "6k1/7p/8/8/8/3B4/8/4K3 w - - 0 1",
            "k7/2P5/1K6/8/8/8/8/8 w - - 0 1",
        ];
        let patterns = ASKED.map(|text| (text, MovePattern::parse(text).unwrap()));
        let mut found = [(0, 0); ASKED.len()];
        let mut random = testkit::Random(3);
        for start in starts.repeat(60) {
            let start = Fen::parse(start).unwrap().position;
            let (mut position, mut undo) = (start, Undo::default());
            let mut boards = vec![PlainBoard::of(&start)];
            let (mut moves, mut positions) = (Vec::new(), vec![start]);
            for number in 0..60 {
                let legal = position.legal_moves();
                if legal.is_empty() {
                    break;
                }
                // Mates are rare among random moves, so a mate is played where there is one.
                let mates = |mv: &&Move| {
                    let mut after = position;
                    after.advance(**mv, &mut Undo::default()).unwrap();
                    after.is_checkmate()
                };
                let mates: Vec<Move> = legal.iter().filter(mates).copied().collect();
                let mv = random.pick(if mates.is_empty() { &legal } else { &mates });
                position.advance(mv, &mut undo).unwrap();
                moves.push(KeptMove::of(&Ply::new(number, mv, &position, &undo)).unwrap());
                positions.push(position);
                let mut board = boards[boards.len() - 1].clone();
                board.play(moves[moves.len() - 1]);
                boards.push(board);
            }
            for (at, (text, pattern)) in patterns.iter().enumerate() {
                let holds =
                    |ply: usize| pattern.matches(&positions[ply], moves[ply].unpack(), &positions[ply + 1]);
                for ply in 0..moves.len() {
                    let (is, may_be) = (holds(ply), pattern.may_be_next(&boards[ply], &moves[ply..]));
                    assert!(
                        may_be || !is,
                        "{text} {:?} {}",
                        moves[ply].unpack(),
                        positions[ply].fen()
                    );
                    assert!(
                        is == may_be || !pattern.shows_on_board(),
                        "{text} {:?} {}",
                        moves[ply].unpack(),
                        positions[ply].fen()
                    );
                    found[at].0 += usize::from(is);
                    found[at].1 += usize::from(may_be);
                }
                if let Some(first) = (0..moves.len()).find(|&ply| holds(ply)) {
                    assert!(
                        pattern.first_chance(&moves).is_some_and(|chance| chance <= first),
                        "{text}"
                    );
                }
            }
        }
        for ((text, pattern), (found, may_be)) in patterns.iter().zip(found) {
            assert!(found > 0 || *text == "--", "{text} is never played");
            // Most of the moves that a board admits are mates.
            assert!(
                pattern.shows_on_board() || may_be < 2 * found.max(4),
                "{text} {found} {may_be}"
            );
        }
    }

    #[test]
    fn signs_stand_for_others() {
        for (pattern, text, is_same) in [
            ("*", "", true),
            ("*#", "Qh5xpf7#", true),
            ("*#", "Qh5xpf7+", false),
            ("*xq*", "Pe5xqd6", true),
            ("N*-?6*", "Ng4-f6+", true),
            ("N*-?6*", "Ng4xpf6", false),
            ("????-f3", "Ng1-f3", false),
            ("???-f3", "Ng1-f3", true),
            ("*a*b*a", "abba", true),
            ("*a*b*c", "abba", false),
            ("**a***b", "xaab", true),
            ("*a?*", "ba", false),
        ] {
            let pattern = FormPattern::parse(pattern).unwrap();
            let state = text
                .bytes()
                .fold(pattern.start(), |state, sign| pattern.step(state, sign));
            assert_eq!(pattern.ends(state)[0], is_same, "{pattern:?} {text}");
        }
    }

    #[test]
    fn a_pattern_has_at_most_21_signs() {
        let longest = "?".repeat(LONGEST_PATTERN);
        let pattern = FormPattern::parse(&longest).unwrap();
        let state = longest
            .bytes()
            .fold(pattern.start(), |state, sign| pattern.step(state, sign));
        assert!(pattern.ends(state)[0]);
        assert!(FormPattern::parse(&format!("{longest}?")).is_none());
    }
}
