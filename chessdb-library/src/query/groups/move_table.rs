//! Moves that a pattern describes, which may have `*` and `?`.
//!
//! The full form of a move is its piece, its origin, `-` or `x` with the captured piece in small letters, its target, `=`
//! with the promotion, and `+` or `#`: `Ng1-f3`, `Bd3xph7+`, `Pe7xnf8=Q#`. A pattern is matched once against all forms
//! that exist, which gives a bit for each. Castling has two forms: `O-O` and the king's squares, `Ke1-g1`.

use chessdb::board::{Bitboard, CastlingSide, Color, File, Move, Position, Rank, Role, Square};
use chessdb::shakmaty::attacks;
use regex::Regex;

use super::error::TermError;
use super::reflection::Reflection;

/// The longest pattern, in bytes: the ten of the longest form, `Pe7xnf8=Q#`, with a star around each.
const LONGEST_PATTERN: usize = 21;

/// The letters of pieces that can be captured, and those that a pawn can become.
const CAPTURED: [Option<Role>; 6] = [
    None,
    Some(Role::Pawn),
    Some(Role::Knight),
    Some(Role::Bishop),
    Some(Role::Rook),
    Some(Role::Queen),
];
const PROMOTIONS: [Option<Role>; 5] = [
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

/// The signs at the end of a form: none, check, and mate, which is a check, too.
const SIGNS: [&[&str]; 3] = [&[""], &["+"], &["#", "+"]];

/// Kinds of moves: of six pieces with six captures, of which those of a pawn have five promotions.
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
    pub(super) pattern: String,
    /// The targets for each origin of each kind of move, for each sign if they differ.
    targets: Box<[Bitboard]>,
    /// Likewise for each piece, whatever it captures or becomes.
    of_roles: Box<[Bitboard]>,
    /// Castling to each side with each sign.
    castling: [[bool; 3]; 2],
    /// All targets, those of castling included.
    all_targets: Bitboard,
    /// Those of the king's steps.
    king_targets: Bitboard,
    /// Whether a move captures nothing, a pawn, and so on, in the order of [`CAPTURED`].
    captures: [bool; CAPTURED.len()],
    /// False in an image in which castling is another move.
    castles: bool,
}

impl MoveTable {
    /// Reads a pattern.
    ///
    /// # Errors
    /// If no move has such a form.
    pub(super) fn parse(text: &str) -> Result<MoveTable, TermError> {
        let mut pattern = text.to_owned();
        let mut last = None;
        // Stars that follow each other are one.
        pattern.retain(|sign| last.replace(sign) != Some('*') || sign != '*');
        if pattern.len() > LONGEST_PATTERN {
            return Err(TermError::MovePattern);
        }
        let expression = compiled(&pattern).map_err(|_| TermError::MovePattern)?;
        let says_of_check = pattern.ends_with(['*', '+', '#']);
        let signs = if says_of_check && pattern != "*" {
            SIGNS.len()
        } else {
            1
        };
        let has_sign = |form: &mut String, sign: usize| {
            let ends: &[&str] = if says_of_check { SIGNS[sign] } else { &[""] };
            let len = form.len();
            ends.iter().any(|end| {
                form.push_str(end);
                let is_so = expression.is_match(form);
                form.truncate(len);
                is_so
            })
        };
        let mut targets = vec![Bitboard::EMPTY; signs * KINDS * 64].into_boxed_slice();
        for_each_form(|form, kind, from, to| {
            for sign in (0..signs).filter(|&sign| has_sign(form, sign)) {
                targets[place(sign, kind, from)] |= Bitboard::from_square(to);
            }
        });
        let castling = SIDES.map(|(_, form)| {
            let mut form = form.to_owned();
            [0, 1, 2].map(|sign| has_sign(&mut form, sign.min(signs - 1)))
        });
        let table = MoveTable::new(pattern, targets, castling, true);
        if table.all_targets.is_empty() {
            return Err(TermError::MovePattern);
        }
        Ok(table)
    }

    fn new(pattern: String, targets: Box<[Bitboard]>, castling: [[bool; 3]; 2], castles: bool) -> MoveTable {
        let mut of_roles = vec![Bitboard::EMPTY; Role::ALL.len() * 64].into_boxed_slice();
        for (at, &squares) in targets.iter().enumerate() {
            of_roles[role_of(at / 64 % KINDS) as usize * 64 - 64 + at % 64] |= squares;
        }
        let mut all_targets = of_roles
            .iter()
            .fold(Bitboard::EMPTY, |all, &squares| all | squares);
        let mut captures = [false; CAPTURED.len()];
        for (at, _) in targets.iter().enumerate().filter(|(_, to)| to.any()) {
            captures[captured_of(at / 64 % KINDS)] = true;
        }
        let of_king = of_roles.get(Role::King as usize * 64 - 64..).unwrap_or_default();
        let king_targets = of_king
            .iter()
            .fold(Bitboard::EMPTY, |all, &squares| all | squares);
        for ((side, _), signs) in SIDES.iter().zip(castling) {
            if castles && signs.contains(&true) {
                all_targets |= Bitboard::from_file(side.king_to_file()) & Bitboard::BACKRANKS;
            }
        }
        MoveTable {
            pattern,
            targets,
            of_roles,
            castling,
            all_targets,
            king_targets,
            captures,
            castles,
        }
    }

    /// The squares to which such moves lead.
    pub(super) fn targets(&self) -> Bitboard {
        self.all_targets
    }

    /// True if every such move is mate.
    pub(super) fn is_mate(&self) -> bool {
        let (others, is_any) = (2 * KINDS * 64, |squares: &[Bitboard]| {
            squares.iter().any(|to| to.any())
        });
        let castles = self
            .castling
            .iter()
            .flat_map(|signs| &signs[..2])
            .any(|&castles| castles);
        self.targets.len() > others && !is_any(&self.targets[..others]) && !castles
    }

    /// False if a piece makes no such move between these squares.
    #[inline]
    pub(super) fn has_squares(&self, role: Role, from: Square, to: Square) -> bool {
        self.of_roles[role as usize * 64 - 64 + from as usize].contains(to)
    }

    /// False if no move of a piece captures something, or if each does.
    #[inline]
    pub(super) fn may_take(&self, takes: bool) -> bool {
        let [nothing, others @ ..] = self.captures;
        if takes { others.contains(&true) } else { nothing }
    }

    /// False if there is no such castling, as a step of the king or not.
    #[inline]
    pub(super) fn may_castle(&self, side: CastlingSide) -> bool {
        let ends = Bitboard::from_file(side.king_to_file()) & Bitboard::BACKRANKS;
        let by_name = SIDES
            .iter()
            .zip(self.castling)
            .any(|((own, _), signs)| *own == side && signs.contains(&true));
        self.castles && (by_name || (self.king_targets & ends).any())
    }

    /// False if the move that leads to a position, and takes such a piece, does not match. Only for castling true may be wrong.
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
            Move::Castle(side) if self.castles => {
                let is_side = |(own, _): &(CastlingSide, &str)| *own == side;
                let by_name = SIDES
                    .iter()
                    .position(is_side)
                    .is_some_and(|n| self.castling[n][sign]);
                let by_squares = || {
                    let from = before.king(before.turn())?;
                    let to = Square::from_coords(side.king_to_file(), from.rank());
                    let kind = kind_of(Role::King, None, None)?;
                    Some(self.targets[place(sign, kind, from)].contains(to))
                };
                by_name || by_squares().unwrap_or(false)
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
        MoveTable::new(self.pattern.clone(), targets, self.castling, castles)
    }
}

/// Where the targets are of a kind of moves from a square.
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

/// The place in [`CAPTURED`] of what a kind of moves captures.
fn captured_of(kind: usize) -> usize {
    let of_pawn = kind.checked_sub(5 * CAPTURED.len());
    of_pawn.map_or(kind % CAPTURED.len(), |of_pawn| of_pawn / PROMOTIONS.len())
}

/// The piece of a kind of moves.
fn role_of(kind: usize) -> Role {
    let after_pawn = Role::ALL.get(1 + kind / CAPTURED.len());
    after_pawn.copied().unwrap_or(Role::Pawn)
}

/// Calls `each` with the form of every move that exists, without a sign, its kind and its squares.
fn for_each_form(mut each: impl FnMut(&mut String, usize, Square, Square)) {
    let mut form = String::new();
    for (role, from) in Role::ALL
        .into_iter()
        .flat_map(|role| Square::ALL.map(|from| (role, from)))
    {
        for to in steps(role, from) | captures(role, from) {
            for (captured, promotion) in changes(role, from, to) {
                form.clear();
                form.push(role.upper_char());
                form += &from.to_string();
                match captured {
                    None => form.push('-'),
                    Some(captured) => form.extend(['x', captured.char()]),
                }
                form += &to.to_string();
                form.extend(promotion.iter().flat_map(|role| ['=', role.upper_char()]));
                if let Some(kind) = kind_of(role, captured, promotion) {
                    each(&mut form, kind, from, to);
                }
            }
        }
    }
}

/// What a move between two squares can capture, and what a pawn can become by it.
fn changes(role: Role, from: Square, to: Square) -> impl Iterator<Item = (Option<Role>, Option<Role>)> {
    let is_last_rank = Bitboard::BACKRANKS.contains(to);
    let captured = CAPTURED.into_iter().filter(move |captured| match captured {
        None => steps(role, from).contains(to),
        Some(captured) => captures(role, from).contains(to) && !(*captured == Role::Pawn && is_last_rank),
    });
    let becomes = role == Role::Pawn && is_last_rank;
    captured.flat_map(move |captured| {
        let promotions = PROMOTIONS.into_iter().filter(move |own| own.is_some() == becomes);
        promotions.map(move |promotion| (captured, promotion))
    })
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

/// A pattern as a regular expression: `*` is any signs, `?` one.
fn compiled(pattern: &str) -> Result<Regex, regex::Error> {
    let signs = pattern.chars().map(|sign| match sign {
        '*' => ".*".to_owned(),
        '?' => ".".to_owned(),
        sign => regex::escape(sign.encode_utf8(&mut [0; 4])),
    });
    Regex::new(&format!("^{}$", signs.collect::<String>()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_stand_for_others() {
        for (pattern, text, is_it) in [
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
        ] {
            assert_eq!(
                compiled(pattern).unwrap().is_match(text),
                is_it,
                "{pattern} {text}"
            );
        }
    }

    #[test]
    fn every_move_of_a_bare_board_has_a_form() {
        let mut forms = std::collections::HashSet::new();
        for_each_form(|form, kind, from, to| {
            assert!(forms.insert((form.clone(), kind)), "{form}");
            assert_eq!(role_of(kind).upper_char(), form.chars().next().unwrap());
            assert!(from != to && kind < KINDS);
        });
        let count = |beginning: &str| {
            forms
                .iter()
                .filter(|(form, _)| form.starts_with(beginning))
                .count()
        };
        // A knight in a corner has two squares, of which each may have one of five pieces or none. A white pawn on e2 has
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
}
