//! Moves that a pattern describes, which may have `*` and `?`.
//!
//! The full form of a move is its piece, its origin, `-` or `x` with the captured piece in small letters, its target, `=`
//! with the promotion, and `+` or `#`: `Ng1-f3`, `Bd3xph7+`, `Pe7xnf8=Q#`. A pattern is matched once against all forms
//! that exist, which gives a bit for each. Castling has two forms: `O-O` and the king's squares, `Ke1-g1`.
//!
//! Parsing a pattern only searches for one form. The table is made for the first game, since a query may have many
//! patterns, and other queries wait for the threads that parse.

use std::num::NonZeroUsize;
use std::sync::{LazyLock, OnceLock};

use super::error::TermError;
use super::played::{FormPattern, FormState, SIGNS};
use super::reflection::Reflection;
use crate::lines::{KeptMove, MoveMarks, Pieces, PlainBoard};
use crate::once_lru::OnceLru;
use chessdb::board::{Bitboard, CastlingSide, Color, File, Move, Position, Rank, Role, Square};
use chessdb::shakmaty::attacks;

/// The letters of pieces that can be captured, and those that a pawn can become.
const CAPTURED: [Option<Role>; 6] = [
    None,
    Some(Role::Pawn),
    Some(Role::Knight),
    Some(Role::Bishop),
    Some(Role::Rook),
    Some(Role::Queen),
];
pub(super) const PROMOTIONS: [Option<Role>; 5] = [
    None,
    Some(Role::Knight),
    Some(Role::Bishop),
    Some(Role::Rook),
    Some(Role::Queen),
];
const SIDES: [(CastlingSide, &str); 2] = [
    (CastlingSide::KingSide, "O-O"),
    (CastlingSide::QueenSide, "O-O-O"),
];

/// Kinds of moves: six pieces with six captures each, times five promotions for a pawn.
const KINDS: usize = 5 * CAPTURED.len() + CAPTURED.len() * PROMOTIONS.len();

/// True for a text of `played:` that is a pattern: one with `*` or `?`, or a full form, which describes one move.
pub fn is_move_pattern(text: &str) -> bool {
    let (from, way) = text.as_bytes().split_at(text.len().min(3));
    let is_square = |square: &[u8]| matches!(square, [b'a'..=b'h', b'1'..=b'8']);
    let has_target = match way {
        [b'-', to @ ..] | [b'x', b'p' | b'n' | b'b' | b'r' | b'q', to @ ..] => {
            is_square(&to[..to.len().min(2)])
        }
        _ => false,
    };
    let is_full = matches!(from, [b'K' | b'Q' | b'R' | b'B' | b'N' | b'P', from @ ..] if is_square(from));
    is_full && has_target || text.contains(['*', '?'])
}

/// The moves that a pattern describes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MoveTable {
    /// The targets for each origin of each kind of move, for each sign if they differ.
    targets: Box<[Bitboard]>,
    /// Castling to each side with each sign.
    castling: [[bool; 3]; 2],
    /// All targets, without castling.
    all_targets: Bitboard,
    /// The targets of the king's steps.
    king_targets: Bitboard,
    /// Whether a move captures nothing, a pawn, and so on, in the order of [`CAPTURED`].
    captures: [bool; CAPTURED.len()],
    /// False in a mirror image where castling would be another move.
    castles: bool,
    /// The moves with `+` and those with `#` differ.
    pub(super) distinguishes_mate: bool,
    /// All moves have `#`.
    pub(super) is_mate: bool,
    /// The marks that all of them share. Computed once, because each game needs them.
    pub(super) marks: MoveMarks,
}

/// The moves of a pattern, in a table that is made when it is needed.
#[derive(Clone, Debug)]
pub(super) struct PatternMoves {
    pattern: FormPattern,
    /// The moves are mirror images of those that the pattern describes.
    reflection: Reflection,
    table: OnceLock<MoveTable>,
}

impl PatternMoves {
    /// Reads a pattern.
    ///
    /// # Errors
    /// If no move has such a form.
    pub(super) fn parse(text: &str) -> Result<PatternMoves, TermError> {
        let pattern = FormPattern::parse(text).ok_or(TermError::MovePattern)?;
        if !has_known_form(&pattern) {
            return Err(TermError::MovePattern);
        }
        Ok(PatternMoves {
            pattern,
            reflection: Reflection::default(),
            table: OnceLock::new(),
        })
    }

    /// The pattern.
    pub(super) fn text(&self) -> &str {
        self.pattern.text()
    }

    #[inline]
    pub(super) fn table(&self) -> &MoveTable {
        self.table.get_or_init(|| MoveTable::of(&self.pattern))
    }

    /// The mirror image.
    pub(super) fn reflected(&self, reflection: Reflection) -> PatternMoves {
        PatternMoves {
            pattern: self.pattern.clone(),
            reflection: self.reflection.and(reflection),
            table: OnceLock::from(self.table().reflected(reflection)),
        }
    }
}

impl PartialEq for PatternMoves {
    fn eq(&self, other: &PatternMoves) -> bool {
        // The table is computed from these fields, so comparing them is enough.
        (self.text(), self.reflection) == (other.text(), other.reflection)
    }
}

impl Eq for PatternMoves {}

impl MoveTable {
    /// The moves with a form that a pattern describes.
    fn of(pattern: &FormPattern) -> MoveTable {
        let signs = if pattern.depends_on_check() { SIGNS } else { 1 };
        let mut targets = vec![Bitboard::EMPTY; signs * KINDS * 64].into_boxed_slice();
        let mut forms = PatternTargets::new(pattern);
        for (role, from) in pieces() {
            forms.for_each(role, from, |kind, to| {
                for (sign, &to) in to.iter().take(signs).enumerate() {
                    targets[place(sign, kind, from)] |= to;
                }
                true
            });
        }
        let castling = castling(pattern);
        let castling = castling.map(|ends| [0, 1, 2].map(|sign: usize| ends[sign.min(signs - 1)]));
        MoveTable::new(targets, castling, true)
    }

    fn new(targets: Box<[Bitboard]>, castling: [[bool; 3]; 2], castles: bool) -> MoveTable {
        let mut captures = [false; CAPTURED.len()];
        let (mut all_targets, mut king_targets) = (Bitboard::EMPTY, Bitboard::EMPTY);
        for (at, &to) in targets.iter().enumerate().filter(|(_, to)| to.any()) {
            let kind = at / 64 % KINDS;
            captures[captured_of(kind)] = true;
            all_targets |= to;
            if role_of(kind) == Role::King {
                king_targets |= to;
            }
        }
        let of_sign = |sign: usize| {
            let own = targets.chunks(KINDS * 64).nth(sign).unwrap_or(&targets);
            (own, castling.map(|signs| signs[sign]))
        };
        let exists = |sign: usize| {
            let (own, castling) = of_sign(sign);
            own.iter().any(|to| to.any()) || castling.contains(&true)
        };
        let mut table = MoveTable {
            distinguishes_mate: of_sign(1) != of_sign(2),
            is_mate: !exists(0) && !exists(1),
            targets,
            castling,
            all_targets,
            king_targets,
            captures,
            castles,
            marks: MoveMarks::ALL,
        };
        table.marks = table.find_marks();
        table
    }

    fn find_marks(&self) -> MoveMarks {
        let kinds = self.targets.iter().enumerate().filter(|(_, to)| to.any());
        let kinds = kinds.map(|(at, _)| at / 64 % KINDS);
        let moves = kinds.map(|kind| (promotion_of(kind), captured_of(kind) > 0));
        let marks = MoveMarks::of(self.all_targets, moves);
        if SIDES.iter().any(|&(side, _)| self.may_castle(side)) {
            marks.or(MoveMarks::special())
        } else {
            marks
        }
    }

    /// False if the pattern matches no castling to this side.
    #[inline]
    pub(super) fn may_castle(&self, side: CastlingSide) -> bool {
        let ends = Bitboard::from_file(side.king_to_file()) & Bitboard::BACKRANKS;
        let by_name = SIDES
            .iter()
            .zip(self.castling)
            .any(|((own, _), signs)| *own == side && signs.contains(&true));
        self.castles && (by_name || (self.king_targets & ends).any())
    }

    /// False if the move that leads to a position and takes such a piece does not match. Exact except for castling,
    /// where true may be wrong.
    #[inline]
    pub(super) fn may_be(&self, mv: Move, after: &Position, captured: Option<Role>) -> bool {
        let (from, to, promotion) = match mv {
            Move::Normal { from, to, promotion } => (from, to, promotion),
            Move::Castle(side) => return self.may_castle(side),
            Move::Null => return false,
        };
        if !self.captures[captured.map_or(0, |role| role as usize % CAPTURED.len())] {
            return false;
        }
        let role = promotion.map_or_else(|| after.role_at(to), |_| Some(Role::Pawn));
        let Some(kind) = role.and_then(|role| kind_of(role, captured, promotion)) else {
            return false;
        };
        let has = |sign: usize| self.targets[place(sign, kind, from)].contains(to);
        match self.signs() {
            1 => has(0),
            signs => (0..signs).any(has) && has(self.sign_of(after)),
        }
    }

    /// Whether the move that is played next on a board matches without a sign, with `+`, and with `#`.
    #[inline]
    pub(super) fn signs_of(&self, board: &PlainBoard, next: KeptMove) -> [bool; 3] {
        if !self.marks.are_in(std::slice::from_ref(&next)) {
            return [false; 3];
        }
        let with_signs = |kind: usize, from: Square, to: Square| {
            [0, 1, 2].map(|sign: usize| {
                let sign = sign.min(self.signs() - 1);
                self.targets[place(sign, kind, from)].contains(to)
            })
        };
        if let Some((side, king, _)) = next.castling() {
            let to = Square::from_coords(side.king_to_file(), king.rank());
            let step = kind_of(Role::King, None, None);
            let by_squares = step.map_or([false; 3], |kind| with_signs(kind, king, to));
            return [0, 1, 2].map(|sign| self.castles_with(side, sign, by_squares[sign]));
        }
        let Move::Normal { from, to, promotion } = next.unpack() else {
            return [false; 3];
        };
        // A pawn that is taken in passing is not on the target.
        let captured = next.takes().then(|| board.role_at(to).unwrap_or(Role::Pawn));
        let role = board.role_at(from);
        let kind = role.and_then(|role| kind_of(role, captured, promotion));
        kind.map_or([false; 3], |kind| with_signs(kind, from, to))
    }

    /// True if castling matches with a sign: by its name, or because its squares do.
    fn castles_with(&self, side: CastlingSide, sign: usize, by_squares: bool) -> bool {
        let mut named = SIDES.iter().zip(self.castling);
        let by_name = named.any(|((own, _), signs)| *own == side && signs[sign]);
        self.castles && (by_name || by_squares)
    }

    /// Number of signs that differ.
    fn signs(&self) -> usize {
        self.targets.len() / (KINDS * 64)
    }

    /// The place in [`SIGNS`] of a move that leads to a position, if the signs differ.
    fn sign_of(&self, after: &Position) -> usize {
        match self.signs() {
            1 => 0,
            _ if !after.is_check() => 0,
            _ => 1 + usize::from(after.is_checkmate()),
        }
    }

    /// True if the move matches that leads from one position to another, and takes such a piece.
    pub(super) fn matches(
        &self,
        before: &Position,
        mv: Move,
        after: &Position,
        captured: Option<Role>,
    ) -> bool {
        let sign = self.sign_of(after);
        match mv {
            Move::Normal { .. } => self.may_be(mv, after, captured),
            Move::Castle(side) => {
                let by_squares = || {
                    let from = before.king(before.turn())?;
                    let to = Square::from_coords(side.king_to_file(), from.rank());
                    let kind = kind_of(Role::King, None, None)?;
                    Some(self.targets[place(sign, kind, from)].contains(to))
                };
                self.castles_with(side, sign, by_squares().unwrap_or(false))
            }
            _ => false,
        }
    }

    /// The mirror image.
    pub(super) fn reflected(&self, reflection: Reflection) -> MoveTable {
        let mut targets = vec![Bitboard::EMPTY; self.targets.len()].into_boxed_slice();
        for (at, &squares) in self.targets.iter().enumerate() {
            let from = reflection.square(Square::new(at as u32 % 64));
            targets[at / 64 * 64 + from as usize] = reflection.squares(squares);
        }
        let castles = self.castles && !reflection.side;
        MoveTable::new(targets, self.castling, castles)
    }
}

/// The index in the table of targets for a kind of move from a square.
fn place(sign: usize, kind: usize, from: Square) -> usize {
    (sign * KINDS + kind) * 64 + from as usize
}

/// The number of a kind of moves.
fn kind_of(role: Role, captured: Option<Role>, promotion: Option<Role>) -> Option<usize> {
    let captured = captured.map_or(0, |role| role as usize);
    let promotion = promotion.map_or(0, |role| role as usize - 1);
    let exists = captured < CAPTURED.len() && promotion < PROMOTIONS.len();
    exists.then_some(match role {
        Role::Pawn => 5 * CAPTURED.len() + captured * PROMOTIONS.len() + promotion,
        _ => (role as usize - 2) * CAPTURED.len() + captured,
    })
}

/// The place in [`CAPTURED`] of the piece that a kind of moves captures.
fn captured_of(kind: usize) -> usize {
    let of_pawn = kind.checked_sub(5 * CAPTURED.len());
    of_pawn.map_or(kind % CAPTURED.len(), |of_pawn| of_pawn / PROMOTIONS.len())
}

/// The piece that the pawn becomes in a kind of moves.
fn promotion_of(kind: usize) -> Option<Role> {
    let of_pawn = kind.checked_sub(5 * CAPTURED.len())?;
    PROMOTIONS[of_pawn % PROMOTIONS.len()]
}

/// The piece of a kind of moves.
fn role_of(kind: usize) -> Role {
    let after_pawn = Role::ALL.get(1 + kind / CAPTURED.len());
    after_pawn.copied().unwrap_or(Role::Pawn)
}

/// All pieces on all squares.
fn pieces() -> impl Iterator<Item = (Role, Square)> {
    Role::ALL
        .into_iter()
        .flat_map(|role| Square::ALL.map(|from| (role, from)))
}

/// Whether castling by name matches a pattern with each sign.
fn castling(pattern: &FormPattern) -> [[bool; 3]; 2] {
    SIDES.map(|(_, form)| {
        pattern.ends(
            form.bytes()
                .fold(pattern.start(), |state, sign| pattern.step(state, sign)),
        )
    })
}

/// Whether moves have the forms of the patterns that were read last. One access to the path of a search parses its name
/// several times.
static KNOWN: LazyLock<OnceLru<String, bool>> = LazyLock::new(|| OnceLru::new(MOST_KNOWN));

/// Number of patterns whose result is cached.
const MOST_KNOWN: NonZeroUsize = NonZeroUsize::new(4096).unwrap();

/// Like [`has_form`], with a cache.
fn has_known_form(pattern: &FormPattern) -> bool {
    let known = KNOWN.get(&pattern.text().to_owned());
    known.unwrap_or_else(|| {
        let has_form = has_form(pattern);
        KNOWN.put(pattern.text().to_owned(), has_form);
        has_form
    })
}

/// True if some move that exists has a form that a pattern describes.
fn has_form(pattern: &FormPattern) -> bool {
    let mut forms = PatternTargets::new(pattern);
    castling(pattern).as_flattened().contains(&true)
        || pieces().any(|(role, from)| !forms.for_each(role, from, |_, to| to.iter().all(|to| to.is_empty())))
}

/// The squares that moves may lead to, for each sign at the end of their forms.
type Targets = [Bitboard; SIGNS];

/// Finds the moves that a pattern describes. Which targets it has depends only on what the form before the target has
/// left of it, and few rests occur; so this is computed once for each rest.
struct PatternTargets<'a> {
    pattern: &'a FormPattern,
    /// Targets of moves without promotion, by the rest of the pattern.
    plain: Vec<(FormState, Targets)>,
    /// The same for the targets of each promotion.
    promoting: Vec<(FormState, [Targets; PROMOTIONS.len()])>,
}

impl<'a> PatternTargets<'a> {
    fn new(pattern: &'a FormPattern) -> PatternTargets<'a> {
        PatternTargets {
            pattern,
            plain: Vec::new(),
            promoting: Vec::new(),
        }
    }

    /// Calls `each` with every kind of move of a piece from a square, and with the targets that the pattern matches,
    /// while it returns true. Returns its last result.
    fn for_each(&mut self, role: Role, from: Square, mut each: impl FnMut(usize, Targets) -> bool) -> bool {
        let pattern = self.pattern;
        let step = |state: FormState, sign: char| pattern.step(state, sign as u8);
        let piece = step(pattern.start(), role.upper_char());
        let origin = step(step(piece, from.file().char()), from.rank().char());
        if origin == FormState::NONE {
            return true;
        }
        CAPTURED.into_iter().all(|captured| {
            let (possible, state) = match captured {
                None => (steps(role, from), step(origin, '-')),
                Some(Role::Pawn) => {
                    let possible = captures(role, from) & !Bitboard::BACKRANKS;
                    (possible, step(step(origin, 'x'), Role::Pawn.char()))
                }
                Some(captured) => (captures(role, from), step(step(origin, 'x'), captured.char())),
            };
            if state == FormState::NONE || possible.is_empty() {
                return true;
            }
            let plain = match role {
                Role::Pawn => possible & !Bitboard::BACKRANKS,
                _ => possible,
            };
            let mut give = |promotion: Option<Role>, possible: Bitboard, targets: Targets| {
                let kind = kind_of(role, captured, promotion);
                kind.is_none_or(|kind| each(kind, targets.map(|targets| targets & possible)))
            };
            let own = self.plain(state);
            if plain.any() && !give(None, plain, own) {
                return false;
            }
            let last_rank = possible & !plain;
            if last_rank.is_empty() {
                return true;
            }
            let own = self.promoting(state);
            let promotions = PROMOTIONS.into_iter().zip(own).skip(1);
            promotions
                .into_iter()
                .all(|(promotion, targets)| give(promotion, last_rank, targets))
        })
    }

    fn plain(&mut self, state: FormState) -> Targets {
        if let Some((_, known)) = self.plain.iter().find(|(known, _)| *known == state) {
            return *known;
        }
        let found = self.targets(state, Square::ALL, "");
        self.plain.push((state, found));
        found
    }

    fn promoting(&mut self, state: FormState) -> [Targets; PROMOTIONS.len()] {
        if let Some((_, known)) = self.promoting.iter().find(|(known, _)| *known == state) {
            return *known;
        }
        let found = PROMOTIONS.map(|promotion| match promotion {
            None => Targets::default(),
            Some(role) => {
                let end = format!("={}", role.upper_char());
                self.targets(state, Bitboard::BACKRANKS, &end)
            }
        });
        self.promoting.push((state, found));
        found
    }

    /// The target squares, out of these, that let a form continue in front of these letters.
    fn targets(&self, state: FormState, squares: impl IntoIterator<Item = Square>, end: &str) -> Targets {
        let mut targets = Targets::default();
        for to in squares {
            let [file, rank] = [to.file().char(), to.rank().char()].map(|sign| sign as u8);
            let form = [file, rank].into_iter().chain(end.bytes());
            let state = form.fold(state, |state, sign| self.pattern.step(state, sign));
            for (targets, ends) in targets.iter_mut().zip(self.pattern.ends(state)) {
                if ends {
                    *targets |= Bitboard::from_square(to);
                }
            }
        }
        targets
    }
}

/// Where a piece of either side can go from a square without capturing, castling included.
fn steps(role: Role, from: Square) -> Bitboard {
    let forward = |color: Color, steps: i32| from.offset(color.fold_wb(8, -8) * steps);
    match role {
        Role::Pawn if Bitboard::BACKRANKS.contains(from) => Bitboard::EMPTY,
        Role::Pawn => {
            let one = Color::ALL.into_iter().filter_map(|color| forward(color, 1));
            let starts = |color: &Color| from.rank() == color.relative_rank(Rank::Second);
            let two = Color::ALL
                .into_iter()
                .filter(starts)
                .filter_map(|color| forward(color, 2));
            one.chain(two).collect()
        }
        Role::King if Bitboard::BACKRANKS.contains(from) => {
            let targets = [File::C, File::G].map(|file| Square::from_coords(file, from.rank()));
            captures(role, from) | (targets.into_iter().collect::<Bitboard>() & !Bitboard::from_square(from))
        }
        _ => captures(role, from),
    }
}

/// Where a piece of either side can capture from a square.
fn captures(role: Role, from: Square) -> Bitboard {
    match role {
        Role::Pawn if Bitboard::BACKRANKS.contains(from) => Bitboard::EMPTY,
        Role::Pawn => {
            let [white, black] = Color::ALL.map(|color| attacks::pawn_attacks(color, from));
            white | black
        }
        Role::Knight => attacks::knight_attacks(from),
        Role::Bishop => attacks::bishop_attacks(from, Bitboard::EMPTY),
        Role::Rook => attacks::rook_attacks(from, Bitboard::EMPTY),
        Role::Queen => attacks::queen_attacks(from, Bitboard::EMPTY),
        Role::King => attacks::king_attacks(from),
    }
}

#[cfg(test)]
mod tests {
    use super::super::played::COMPARED;
    use super::*;

    /// Patterns that differ in one sign, in both orders: a remembered result of one must not be used for another.
    #[test]
    fn a_pattern_is_right_whatever_was_asked_before() {
        let texts = [
            "Qf3", "Bf3", "Qf9", "Qg3", "Qf3+", "f3", "Q*", "exf3", "O-O", "O-O-O", "O-O-O-O", "e8=Q",
            "e8=K", "e7=Q",
        ];
        let patterns: Vec<FormPattern> = texts.into_iter().filter_map(FormPattern::parse).collect();
        let right: Vec<bool> = patterns.iter().map(has_form).collect();
        assert!(right.contains(&true) && right.contains(&false), "{right:?}");
        for first in 0..patterns.len() {
            for second in 0..patterns.len() {
                for number in [first, second, first] {
                    assert_eq!(
                        has_known_form(&patterns[number]),
                        right[number],
                        "{}",
                        patterns[number].text()
                    );
                }
            }
        }
    }

    /// The form of every move that exists, without a sign, with its kind and its squares.
    fn every_form() -> Vec<(String, usize, Square, Square)> {
        let mut forms = Vec::new();
        for (role, from) in pieces() {
            for to in steps(role, from) | captures(role, from) {
                let is_last_rank = Bitboard::BACKRANKS.contains(to);
                for captured in CAPTURED {
                    let exists = match captured {
                        None => steps(role, from).contains(to),
                        Some(Role::Pawn) if is_last_rank => false,
                        Some(_) => captures(role, from).contains(to),
                    };
                    let promotions = PROMOTIONS
                        .into_iter()
                        .filter(|own| own.is_some() == (role == Role::Pawn && is_last_rank));
                    for promotion in promotions.filter(|_| exists) {
                        let way = captured.map_or("-".to_owned(), |role| format!("x{}", role.char()));
                        let end = promotion.map_or(String::new(), |role| format!("={}", role.upper_char()));
                        let form = format!("{}{from}{way}{to}{end}", role.upper_char());
                        forms.push((form, kind_of(role, captured, promotion).unwrap(), from, to));
                    }
                }
            }
        }
        forms
    }

    #[test]
    fn every_move_of_a_bare_board_has_a_form() {
        let forms = every_form();
        let mut different = std::collections::HashSet::new();
        for (form, kind, from, to) in &forms {
            assert!(different.insert((form.clone(), *kind)), "{form}");
            assert_eq!(role_of(*kind).upper_char(), form.chars().next().unwrap());
            assert!(from != to && *kind < KINDS);
        }
        let count = |beginning: &str| {
            forms
                .iter()
                .filter(|(form, ..)| form.starts_with(beginning))
                .count()
        };
        // A knight in a corner has two squares, each empty or with one of five pieces. A white pawn on e2 has
        // two steps and two captures of five pieces; a black one has promotions, and no pawn to capture.
        assert_eq!(
            (count("Na1"), count("Ng1-"), count("Pe2"), count("Pe7-")),
            (12, 3, 48, 6)
        );
        assert!(
            ["Pe7xnf8=Q", "Pe5xpd6", "Ke1-g1", "Bd3xph7"]
                .iter()
                .all(|form| count(form) == 1)
        );
    }

    /// Signs that stand for others, tried one after the other.
    fn matches(pattern: &[u8], form: &[u8]) -> bool {
        match (pattern, form) {
            ([], []) => true,
            ([b'*', rest @ ..], _) => (0..=form.len()).any(|n| matches(rest, &form[n..])),
            ([b'?', rest @ ..], [_, form @ ..]) => matches(rest, form),
            ([sign, rest @ ..], [first, form @ ..]) => sign == first && matches(rest, form),
            _ => false,
        }
    }

    #[test]
    fn a_table_has_the_moves_whose_forms_match() {
        let forms = every_form();
        for text in [
            "*",
            "*#",
            "*+",
            "Q*#",
            "*x*",
            "*xq*",
            "N*-?6*",
            "???-f3",
            "*a*1*",
            "*=*",
            "*=N",
            "P*",
            "P*8*",
            "P*5",
            "K*",
            "Ke1-?1",
            "*-g1",
            "?e?-e?",
            "*e*4",
            "*p*#",
            "O*",
            "O-O*",
            "*O",
            "*O+",
            "R?1x??1*",
            "Bd3xph7+",
            "Pe7xnf8=Q#",
            "*b*b*b*",
            "?????",
            "??????#",
        ] {
            let moves = PatternMoves::parse(text).unwrap_or_else(|_| panic!("{text}"));
            let table = moves.table();
            let depends_on_check = text != "*" && text.ends_with(['*', '+', '#']);
            assert_eq!(table.signs(), if depends_on_check { 3 } else { 1 }, "{text}");
            let mut found = 0;
            for (form, kind, from, to) in &forms {
                for (sign, ends) in [&[""][..], &["+"], &["#", "+"]]
                    .into_iter()
                    .enumerate()
                    .take(table.signs())
                {
                    let is_wanted = ends
                        .iter()
                        .any(|end| matches(text.as_bytes(), format!("{form}{end}").as_bytes()));
                    let has = table.targets[place(sign, *kind, *from)].contains(*to);
                    assert_eq!(has, is_wanted, "{text} {form} {sign}");
                    found += usize::from(has);
                }
            }
            let of_table: usize = table.targets.iter().map(|to| to.count()).sum();
            assert_eq!(of_table, found, "{text}");
            for ((_, form), signs) in SIDES.iter().zip(table.castling) {
                for (sign, has) in signs.into_iter().enumerate() {
                    let ends = if depends_on_check {
                        [&[""][..], &["+"], &["#", "+"]][sign]
                    } else {
                        &[""]
                    };
                    let is_wanted = ends
                        .iter()
                        .any(|end| matches(text.as_bytes(), format!("{form}{end}").as_bytes()));
                    assert_eq!(has, is_wanted, "{text} {form}{ends:?}");
                }
            }
        }
    }

    #[test]
    fn a_pattern_without_a_move_is_refused() {
        for text in [
            "*Z*", "K?9*", "*=K", "Pe8*", "Na1-a?", "?", "O-O-O-O*", "*\u{e4}*", "**#*#", "R?1x?8=Q",
        ] {
            assert!(PatternMoves::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn reading_a_pattern_makes_no_table() {
        let moves = PatternMoves::parse("*a*1*").unwrap();
        let same = moves.clone();
        assert!(moves == same && moves.table.get().is_none());
        let colour = Reflection {
            colour: true,
            side: false,
        };
        let image = moves.reflected(colour);
        assert!(moves.table.get().is_some() && same.table.get().is_none());
        // Comparing does not make one either.
        assert!(moves == same && image != same && image.reflected(colour) == same);
        assert!(same.table.get().is_none());
    }

    #[test]
    fn a_pattern_that_was_read_is_remembered() {
        for text in ["*g*7*g*7", "*g*7*g*9"] {
            let is_right = PatternMoves::parse(text).is_ok();
            let before = COMPARED.get();
            assert_eq!(PatternMoves::parse(text).is_ok(), is_right);
            assert_eq!(COMPARED.get(), before, "{text}");
        }
    }

    /// Reading follows a pattern along the beginnings of forms that have a piece and an origin, not along all forms.
    #[test]
    fn few_signs_are_compared_to_read_a_pattern() {
        let files = "abcdefgh".chars();
        let worst = files.flat_map(|file| (1..=8).map(move |rank| format!("*{file}*{rank}*{file}*")));
        for text in worst.chain(
            [
                "*Z*",
                "*-?9",
                "*a*b*c*d*e",
                "*#*#",
                "*xk*",
                "?*?*?*?*?*?*?*?*?*?*Z",
            ]
            .map(str::to_owned),
        ) {
            let pattern = FormPattern::parse(&text).unwrap();
            let before = COMPARED.get();
            has_form(&pattern);
            let compared = COMPARED.get() - before;
            assert!(compared < 12_000, "{text}: {compared}");
        }
    }
}
