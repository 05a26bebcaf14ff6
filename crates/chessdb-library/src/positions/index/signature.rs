//! Signatures of games, which often show without decoding any move that a game cannot have had a position. A signature
//! contains the order in which pawns left their initial squares, and the pieces at the end.
//!
//! A position where *k* pawns have left their initial squares can only occur in games where these were the first *k* to
//! leave. The number of pieces of a kind only increases by promotion.

use chessdb::board::{Bitboard, Color, Move, Position, Role};

use super::super::wanted::Wanted;

/// The signature of a game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Signature {
    /// Four bits for each pawn that left its initial square, the first pawn lowest: its file, plus 8 for
    /// Black. After the last one, the first is repeated.
    pub(super) pawns: u64,
    /// The numbers of pieces at the end. For White in the lowest bits, then for Black: 4 bits for pawns, then 2 for
    /// each other kind except kings. Then one bit for each colour, which is set if the colour promoted a pawn, or has
    /// more pieces than fit into these bits.
    pub(super) material: u32,
}

/// The kinds of pieces that are counted, with the number of bits for each.
const COUNTED: [(Role, u32); 5] = [
    (Role::Pawn, 4),
    (Role::Knight, 2),
    (Role::Bishop, 2),
    (Role::Rook, 2),
    (Role::Queen, 2),
];

/// Bits for the pieces of a colour.
const OF_COLOR: u32 = 12;

/// Collects the signature of a game.
#[derive(Clone, Copy, Debug)]
pub(super) struct Collector {
    pawns: u64,
    left: u32,
    home: u16,
    /// The last position.
    last: Position,
    /// The bits of [`Signature::material`] for promotions.
    promoted: u32,
}

impl Collector {
    /// Begins in a position. Pawns missing from their initial squares count as the first that left.
    pub(super) fn new(start: &Position) -> Collector {
        let mut collector = Collector {
            pawns: 0,
            left: 0,
            home: 0xffff,
            last: *start,
            promoted: 0,
        };
        collector.leave(start);
        collector
    }

    /// Proceeds to the position after a move. Moves that neither move a pawn nor capture may be left out, because they
    /// change no signature.
    #[inline]
    pub(super) fn follow(&mut self, mv: Move, after: &Position) {
        if let Move::Normal {
            promotion: Some(_), ..
        } = mv
        {
            self.promoted |= promoted(!after.turn());
        }
        self.last = *after;
        self.leave(after);
    }

    #[inline]
    fn leave(&mut self, position: &Position) {
        let home = home_of(|color| position.of_kind(color, Role::Pawn));
        let mut gone = self.home & !home;
        while gone != 0 {
            let pawn = gone.trailing_zeros();
            self.pawns |= u64::from(pawn) << (4 * self.left);
            self.left += 1;
            gone &= gone - 1;
        }
        // No pawn comes back, so at most 16 leave.
        self.home &= home;
    }

    /// The signature of a game that ends here.
    pub(super) fn finish(self) -> Signature {
        let mut pawns = self.pawns;
        for place in self.left..16 {
            pawns |= (pawns & 15) << (4 * place);
        }
        Signature {
            pawns,
            material: material_of(&self.last) | self.promoted,
        }
    }
}

/// The pieces of a position, as in [`Signature::material`].
fn material_of(position: &Position) -> u32 {
    let mut material = 0;
    for (color, first) in [(Color::White, 0), (Color::Black, OF_COLOR)] {
        let mut at = first;
        for (role, bits) in COUNTED {
            let (count, most) = (position.of_kind(color, role).count() as u32, (1 << bits) - 1);
            if count > most {
                material |= promoted(color);
            }
            material |= count.min(most) << at;
            at += bits;
        }
    }
    material
}

/// Pawns on their initial squares: bits 0-7 for White, by file, and 8-15 for Black.
#[inline]
fn home_of(pawns: impl Fn(Color) -> Bitboard) -> u16 {
    let white = pawns(Color::White).0 >> 8 & 0xff;
    let black = pawns(Color::Black).0 >> 48 & 0xff;
    white as u16 | (black as u16) << 8
}

/// The bit for a promotion of a colour.
fn promoted(color: Color) -> u32 {
    color.fold_wb(1 << (2 * OF_COLOR), 2 << (2 * OF_COLOR))
}

/// A condition that the signature of every game with a match meets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Test {
    /// The first pawns to leave; `None` for any.
    left: Option<LeftPawns>,
    /// Maximum numbers of pieces at the end, in the order of [`COUNTED`], White first.
    most: [[u32; 5]; 2],
}

impl Test {
    pub(super) fn new(wanted: &Wanted) -> Test {
        match wanted {
            Wanted::Position(pattern) => Test::of_position(pattern.position()),
            Wanted::Pawns(pawns) => Test::of(
                |color| pawns[color],
                |color, role| match role {
                    Role::Pawn => pawns[color].count() as u32,
                    _ => u32::MAX,
                },
            ),
        }
    }

    /// The test for a position, whichever of its rights count.
    pub(super) fn of_position(position: &Position) -> Test {
        Test::of(
            |color| position.of_kind(color, Role::Pawn),
            |color, role| position.of_kind(color, role).count() as u32,
        )
    }

    /// The test for these pawns, and for at most these numbers of pieces.
    fn of(pawns: impl Fn(Color) -> Bitboard, most: impl Fn(Color, Role) -> u32) -> Test {
        Test {
            left: LeftPawns::new(!home_of(pawns)),
            most: [Color::White, Color::Black].map(|color| COUNTED.map(|(role, _)| most(color, role))),
        }
    }

    /// False if the game cannot have a match.
    #[inline]
    pub(super) fn admits(&self, signature: Signature) -> bool {
        self.left
            .as_ref()
            .is_none_or(|left| left.are_first(signature.pawns))
            && self.admits_material(signature.material)
    }

    /// False if no game can have a match in a row of games that all start with these pawns.
    pub(super) fn admits_some(&self, first: FirstPawns) -> bool {
        self.left.as_ref().is_none_or(|left| left.may_be_first(first))
    }

    // Tested after the pawns, which exclude most games: the numbers of pieces would otherwise be computed for every
    // game.
    #[inline(never)]
    fn admits_material(&self, material: u32) -> bool {
        let sides = [(Color::White, 0), (Color::Black, OF_COLOR)];
        sides.into_iter().zip(self.most).all(|((color, first), most)| {
            // A promotion can increase the number of any pieces but pawns.
            let counted = match material & promoted(color) {
                0 => COUNTED.len(),
                _ => 1,
            };
            let mut at = first;
            COUNTED.iter().zip(most).take(counted).all(|(&(_, bits), most)| {
                let count = material >> at & ((1 << bits) - 1);
                at += bits;
                count <= most
            })
        })
    }
}

/// Pawns that have left their initial squares, at least one.
#[derive(Clone, Debug, PartialEq, Eq)]
struct LeftPawns {
    /// With the same bits as [`home_of`].
    set: u16,
    /// The bits of [`Signature::pawns`] for the number of pawns.
    bits: u64,
    /// Number of lookups of four pawns each.
    fours: u32,
    /// A lookup table by the bits of three pawns in a signature: [`LeftPawns::set`] if it has all three, otherwise no
    /// pawns.
    with: Box<[u16; 1 << 12]>,
}

impl LeftPawns {
    fn new(set: u16) -> Option<LeftPawns> {
        let bits = u64::MAX.checked_shr(64 - 4 * set.count_ones())?;
        let has = |pawn: usize| set >> (pawn & 15) & 1 == 1;
        let mut with = Box::new([0; 1 << 12]);
        for (three, with) in with.iter_mut().enumerate() {
            if has(three) && has(three >> 4) && has(three >> 8) {
                *with = set;
            }
        }
        let fours = set.count_ones().div_ceil(4);
        Some(LeftPawns {
            set,
            bits,
            fours,
            with,
        })
    }

    /// True if these pawns are the first that left in a game, in any order.
    #[inline]
    fn are_first(&self, pawns: u64) -> bool {
        // Pawns that left later are replaced by the first one, so that they do not count.
        let pawns = pawns & self.bits | repeated(pawns) & !self.bits;
        // The set has all these pawns, but fewer may have left than it has.
        self.has(pawns) && self.are_all(pawns)
    }

    /// False if no game that starts with the pawns `first` can have these pawns as its first.
    fn may_be_first(&self, first: FirstPawns) -> bool {
        let known = first.known() & self.bits;
        let any = repeated(u64::from(self.set.trailing_zeros()));
        self.has(first.0 & known | any & !known)
    }

    /// True if the set has all pawns of a signature.
    #[inline]
    fn has(&self, pawns: u64) -> bool {
        let has_four = |pawns: u64| self.with[(pawns >> 4 & 0xfff) as usize] >> (pawns & 15) & 1;
        // Without a branch, which the processor would often predict wrongly.
        (0..self.fours).fold(1, |all, four| all & has_four(pawns >> (16 * four))) != 0
    }

    /// True if these are all pawns of a signature.
    fn are_all(&self, pawns: u64) -> bool {
        let left = pawns
            .to_le_bytes()
            .iter()
            .fold(0, |left, &two| left | SETS[usize::from(two)]);
        left == self.set
    }
}

/// The first of these pawns, sixteen times.
fn repeated(pawns: u64) -> u64 {
    (pawns & 15) * 0x1111_1111_1111_1111
}

/// The pawns that left first, in the same order, in every game of a group: at most 15, as in [`Signature::pawns`], and
/// their number in the highest 4 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FirstPawns(u64);

impl FirstPawns {
    /// The first pawns of games with these [`Signature::pawns`].
    pub(super) fn of(games: impl Iterator<Item = u64> + Clone) -> FirstPawns {
        let pawns = games.clone().next().unwrap_or(0);
        let differ = games.fold(0, |differ, game| differ | game ^ pawns);
        let number = (differ.trailing_zeros() / 4).min(15);
        FirstPawns(pawns & !(u64::MAX << (4 * number)) | u64::from(number) << 60)
    }

    /// The bits of the pawns.
    fn known(self) -> u64 {
        !(u64::MAX << (4 * (self.0 >> 60)))
    }
}

/// For the eight bits of two pawns in a signature, the set of these pawns.
const SETS: [u16; 256] = {
    let mut sets = [0; 256];
    let mut two = 0;
    while two < sets.len() {
        sets[two] = 1 << (two & 15) | 1 << (two >> 4);
        two += 1;
    }
    sets
};

#[cfg(test)]
mod tests {
    use super::super::super::wanted::{Pattern, read_moves, read_pawns};
    use super::*;
    use chessdb::board::Undo;

    #[test]
    fn the_first_pawns_that_left_are_a_set() {
        // The pawns of the files d, c and a, and Black's of file h; then the pawn of file d again, since no more left.
        let pawns = 0x3333_3333_3333_f023;
        for (set, are_first) in [
            (0b1000, true),
            (0b1100, true),
            (0b1101, true),
            (0x8000 | 0b1101, true),
            (0b0100, false),
            (0b1001, false),
            (0x8000 | 0b1100, false),
            (0x8000 | 0b1111, false),
            (u16::MAX, false),
        ] {
            assert_eq!(
                LeftPawns::new(set).unwrap().are_first(pawns),
                are_first,
                "{set:b}"
            );
        }
        assert!(LeftPawns::new(u16::MAX).unwrap().are_first(0xfedc_ba98_7654_3210));
        assert_eq!(LeftPawns::new(0), None);
    }

    #[test]
    fn games_with_the_same_first_pawns_are_passed_over_together() {
        let games = [
            0x3333_3333_3333_f023,
            0x3333_3333_3333_3023,
            0x3333_3333_3331_f023,
        ];
        let set = |pawns| LeftPawns::new(pawns).unwrap();
        for (games, pawns, may_be_first) in [
            (&games[..1], 0x8000 | 0b1101, true),
            (&games[..1], 0x8000 | 0b1111, true),
            (&games[..1], 0b1011, false),
            // All games have the pawns of the files d, c and a.
            (&games, 0b1000, true),
            (&games, 0b0100, false),
            (&games, 0b1101, true),
            (&games, 0b1011, false),
            // Only some have the fourth one.
            (&games, 0b1111, true),
            (&games, 0x8000 | 0b1101, true),
        ] {
            let first = FirstPawns::of(games.iter().copied());
            assert_eq!(
                set(pawns).may_be_first(first),
                may_be_first,
                "{pawns:b} of {games:x?}"
            );
            let any = games.iter().any(|&game| set(pawns).are_first(game));
            assert!(!any || may_be_first, "{pawns:b} of {games:x?}");
        }
        let nothing_in_common = FirstPawns::of([0x4444_4444_4444_4444, 0x3333_3333_3333_3333].into_iter());
        assert!(set(0b1).may_be_first(nothing_in_common));
    }

    const LINE: &str = "e4 d5 exd5 e6 dxe6 a6 exf7 Ke7 fxg8=Q Rxg8 h4";

    fn signature(line: &str) -> Signature {
        let mut position = Position::initial();
        let mut collector = Collector::new(&position);
        for mv in read_moves(line).unwrap().0 {
            position.advance(mv, &mut Undo::default()).unwrap();
            collector.follow(mv, &position);
        }
        collector.finish()
    }

    #[test]
    fn a_game_admits_all_that_it_has() {
        let signature = signature(LINE);
        let words: Vec<&str> = LINE.split(' ').collect();
        for plies in 0..=words.len() {
            let (_, position) = read_moves(&words[..plies].join(" ")).unwrap();
            let wanted = [
                Wanted::Position(Pattern::new(position)),
                Wanted::Pawns(read_pawns(&position.fen()).unwrap()),
            ];
            assert!(
                wanted.iter().all(|wanted| Test::new(wanted).admits(signature)),
                "{plies}"
            );
        }
    }

    #[test]
    fn a_game_admits_little_else() {
        let signature = signature(LINE);
        let after = |line| *Pattern::of_moves(line).unwrap().position();
        let ending = Pattern::parse("8/8/4k3/8/r7/4P3/4K3/7R w").unwrap();
        for position in [
            after("d4"),
            after("e4 e6"),
            after("e4 d5 exd5 c6"),
            *ending.position(),
        ] {
            assert!(!Test::of_position(&position).admits(signature), "{position:?}");
        }
    }
}
