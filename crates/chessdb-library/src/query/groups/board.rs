//! Positions and parts of positions: what may be on each square.

use std::fmt;

use super::error::TermError;
use super::reflection::Reflection;
use crate::lines::{ALL, Change, Pieces, place_of};
use crate::positions::{Needs, Pattern, Rights, at_home, pattern_epd};
use chessdb::board::{Bitboard, ByColor, Color, Piece, Position, Role, Square};

/// A partial position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PartialBoard {
    /// What may be on each square.
    contents: [SquareContents; 64],
    /// The squares that must have one of some kinds of pieces, the fewest kinds first.
    squares: Vec<(PieceKinds, Bitboard)>,
    needs: Needs,
    /// Pawns, and for each the squares where a pawn of its colour could have come from, including its own square.
    origins: Vec<(Color, Bitboard)>,
}

impl PartialBoard {
    /// Reads the board of a FEN with signs for what may be on a square. Later fields are ignored.
    pub(super) fn parse(text: &str) -> Result<PartialBoard, TermError> {
        let board = text.split_ascii_whitespace().next().unwrap_or_default();
        let ranks: Vec<&str> = board.split('/').collect();
        if ranks.len() != 8 {
            return Err(TermError::Ranks(ranks.len()));
        }
        let mut contents = [SquareContents::ANY; 64];
        let ends = contents.chunks_exact_mut(8).rev().zip((1..=8).rev());
        for ((squares, number), rank) in ends.zip(ranks) {
            let read = read_rank(rank)?;
            if read.len() != squares.len() {
                return Err(TermError::Squares {
                    rank: number,
                    squares: read.len(),
                });
            }
            squares.copy_from_slice(&read);
        }
        Ok(PartialBoard::new(contents))
    }

    fn new(contents: [SquareContents; 64]) -> PartialBoard {
        let on = |wanted: &dyn Fn(SquareContents) -> bool| {
            let squares = Square::ALL
                .into_iter()
                .filter(|&square| wanted(contents[square as usize]));
            squares.collect::<Bitboard>()
        };
        let pawns = |color: Color| on(&|contents| contents.piece() == Some(color.pawn()));
        let mut different: Vec<SquareContents> = contents.to_vec();
        different.sort_unstable_by_key(|contents| (contents.number(), *contents));
        different.dedup();
        different.retain(|&contents| contents != SquareContents::ANY);
        PartialBoard {
            contents,
            squares: different
                .into_iter()
                .map(|wanted| (wanted.kinds(), on(&|contents| contents == wanted)))
                .collect(),
            needs: Needs {
                home: ByColor::new_with(|color| at_home(pawns(color), color)),
                pieces: ByColor::new_with(|color| on(&|contents| contents.is_of(color)).count() as u32),
                pawns: ByColor::new_with(|color| pawns(color).count() as u32),
            },
            origins: Color::ALL
                .into_iter()
                .flat_map(|color| {
                    let advanced = pawns(color) & !at_home(pawns(color), color);
                    advanced
                        .into_iter()
                        .map(move |pawn| (color, origins(pawn, color)))
                })
                .collect(),
        }
    }

    #[inline]
    pub(super) fn matches(&self, position: &impl Pieces) -> bool {
        self.squares
            .iter()
            .all(|(kinds, squares)| squares.is_subset(kinds.squares(position)))
    }

    /// True only if no game that has reached `position` can still reach a match.
    pub(super) fn is_past(&self, position: &impl Pieces) -> bool {
        self.needs.are_lost(position)
            || self
                .origins
                .iter()
                .any(|&(color, origins)| (origins & position.of_kind(color, Role::Pawn)).is_empty())
    }

    /// The changes by a move that can make the board match where it did not match before: moves of the pieces that it
    /// wants, or of any piece if it wants an empty square.
    pub(super) fn watched(&self) -> Change {
        let asked = self
            .contents
            .iter()
            .filter(|&&contents| contents != SquareContents::ANY);
        let places = asked.fold(0, |places, contents| places | contents.places());
        let has_empty = places & 1 == 1;
        if has_empty || places == 0 { ALL } else { places }
    }

    /// The squares whose contents differ from the usual start position.
    pub(super) fn changed(&self) -> Bitboard {
        let usual = Position::initial();
        let is_other = |&square: &Square| {
            let piece = usual.piece_at(square);
            let place = piece.map_or(0, |piece| place_of(piece.color, piece.role));
            self.contents[square as usize].places() >> place & 1 == 0
        };
        Square::ALL.into_iter().filter(is_other).collect()
    }

    pub(super) fn reflected(&self, reflection: Reflection) -> PartialBoard {
        let mut contents = self.contents;
        for square in Square::ALL {
            contents[reflection.square(square) as usize] =
                self.contents[square as usize].reflected(reflection);
        }
        PartialBoard::new(contents)
    }
}

/// The squares of a rank, from the a-file on.
fn read_rank(rank: &str) -> Result<Vec<SquareContents>, TermError> {
    let mut squares = Vec::new();
    let mut signs = rank.chars();
    while let Some(sign) = signs.next() {
        let number = match sign {
            '1'..='8' => sign as usize - '0' as usize,
            _ => 1,
        };
        let contents = match sign {
            '1'..='8' => SquareContents::ANY,
            '[' => read_set(&mut signs)?,
            _ => SquareContents::of_sign(sign).ok_or(TermError::Sign(sign))?,
        };
        squares.extend(std::iter::repeat_n(contents, number));
        // A rank of thousands of signs is not read to its end.
        if squares.len() > 64 {
            break;
        }
    }
    Ok(squares)
}

/// A set in brackets, after the opening bracket.
fn read_set(signs: &mut impl Iterator<Item = char>) -> Result<SquareContents, TermError> {
    let mut contents = SquareContents::NOTHING;
    for sign in signs {
        if sign == ']' && contents != SquareContents::NOTHING {
            return Ok(contents);
        }
        let one = SquareContents::of_sign(sign).filter(|_| sign != ']');
        contents = contents.or(one.ok_or(TermError::Brackets)?);
    }
    Err(TermError::Brackets)
}

/// The squares where a pawn on this square could have come from, including this square.
fn origins(pawn: Square, color: Color) -> Bitboard {
    let mut origins = Bitboard::from_square(pawn);
    let mut reached = origins;
    for _ in 0..6 {
        let straight = match color {
            Color::White => Bitboard(reached.0 >> 8),
            Color::Black => Bitboard(reached.0 << 8),
        };
        let not_a = Bitboard(0xfefe_fefe_fefe_fefe);
        let not_h = Bitboard(0x7f7f_7f7f_7f7f_7f7f);
        reached = straight | Bitboard((straight & not_a).0 >> 1) | Bitboard((straight & not_h).0 << 1);
        origins |= reached & !Bitboard::BACKRANKS;
    }
    origins
}

impl fmt::Display for PartialBoard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, rank) in self.contents.chunks_exact(8).rev().enumerate() {
            if number > 0 {
                f.write_str("/")?;
            }
            for same in rank.chunk_by(PartialEq::eq) {
                match same {
                    [SquareContents::ANY, ..] => write!(f, "{}", same.len())?,
                    _ => same.iter().try_for_each(|contents| write!(f, "{contents}"))?,
                }
            }
        }
        Ok(())
    }
}

/// The squares of all pawns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PawnStructure {
    pub(super) pawns: ByColor<Bitboard>,
    /// The board that has at least these pawns.
    least: PartialBoard,
}

impl PawnStructure {
    pub(super) fn new(pawns: ByColor<Bitboard>) -> PawnStructure {
        let mut contents = [SquareContents::ANY; 64];
        for color in Color::ALL {
            for square in pawns[color] {
                contents[square as usize] = SquareContents::of_piece(color.pawn());
            }
        }
        PawnStructure {
            pawns,
            least: PartialBoard::new(contents),
        }
    }

    #[inline]
    pub(super) fn matches(&self, position: &impl Pieces) -> bool {
        Color::ALL
            .into_iter()
            .all(|color| position.of_kind(color, Role::Pawn) == self.pawns[color])
    }

    /// The squares whose contents differ from the usual start position.
    pub(super) fn changed(&self) -> Bitboard {
        let usual = Position::initial();
        Color::ALL.into_iter().fold(Bitboard::EMPTY, |changed, color| {
            changed | (self.pawns[color] ^ usual.of_kind(color, Role::Pawn))
        })
    }

    pub(super) fn is_past(&self, position: &impl Pieces) -> bool {
        self.least.is_past(position)
    }

    pub(super) fn reflected(&self, reflection: Reflection) -> PawnStructure {
        PawnStructure::new(ByColor::new_with(|color| {
            reflection.squares(self.pawns[reflection.color(color)])
        }))
    }
}

impl fmt::Display for PawnStructure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.least.fmt(f)
    }
}

/// The letters of pieces in the order of their bits, and `-` for an empty square.
const LETTERS: [u8; 13] = *b"KQRBNPkqrbnp-";

/// Kinds of pieces in the order of their bits.
const ROLES: [Role; 6] = [
    Role::King,
    Role::Queen,
    Role::Rook,
    Role::Bishop,
    Role::Knight,
    Role::Pawn,
];

/// The pieces that a square may have, or that it may be empty: a bit for each of [`LETTERS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct SquareContents(u16);

impl SquareContents {
    pub(super) const NOTHING: SquareContents = SquareContents(0);
    pub(super) const ANY: SquareContents = SquareContents(0x1fff);
    const WHITE: SquareContents = SquareContents(0x3f);
    const BLACK: SquareContents = SquareContents(0xfc0);
    const PIECE: SquareContents = SquareContents(0xfff);
    const EMPTY: SquareContents = SquareContents(0x1000);

    /// The sets that have their own sign.
    const SIGNS: [(SquareContents, char); 4] = [
        (SquareContents::ANY, '?'),
        (SquareContents::PIECE, '!'),
        (SquareContents::WHITE, 'A'),
        (SquareContents::BLACK, 'a'),
    ];

    /// The set for a sign or the letter of a piece.
    pub(super) fn of_sign(sign: char) -> Option<SquareContents> {
        let with_sign = SquareContents::SIGNS.into_iter().find(|&(_, own)| own == sign);
        with_sign.map(|(contents, _)| contents).or_else(|| {
            let bit = LETTERS.iter().position(|&letter| char::from(letter) == sign)?;
            Some(SquareContents(1 << bit))
        })
    }

    /// The contents of either set.
    pub(super) fn or(self, other: SquareContents) -> SquareContents {
        SquareContents(self.0 | other.0)
    }

    /// True if only a piece of this colour may be there.
    pub(super) fn is_of(self, color: Color) -> bool {
        let others = !color.fold_wb(SquareContents::WHITE, SquareContents::BLACK).0;
        self.0 & others == 0
    }

    /// The piece, if only one may be there.
    pub(super) fn piece(self) -> Option<Piece> {
        let mut pieces = self.pieces();
        let piece = pieces.next().filter(|_| self.0.is_power_of_two());
        piece.map(|(color, role)| role.of(color))
    }

    fn pieces(self) -> impl Iterator<Item = (Color, Role)> {
        let pieces = [Color::White, Color::Black]
            .into_iter()
            .flat_map(|color| ROLES.map(|role| (color, role)));
        pieces
            .enumerate()
            .filter_map(move |(bit, piece)| (self.0 >> bit & 1 != 0).then_some(piece))
    }

    /// The set in a mirror image.
    pub(super) fn reflected(self, reflection: Reflection) -> SquareContents {
        if reflection.colour {
            let (white, black) = (self.0 & SquareContents::WHITE.0, self.0 & SquareContents::BLACK.0);
            SquareContents(self.0 & SquareContents::EMPTY.0 | white << 6 | black >> 6)
        } else {
            self
        }
    }

    /// A single piece.
    pub(super) fn of_piece(piece: Piece) -> SquareContents {
        SquareContents::of_sign(piece.char()).unwrap_or(SquareContents::NOTHING)
    }

    /// The set as bits at the [places](place_of) of the pieces, and bit 0 for an empty square.
    pub(super) fn places(self) -> u16 {
        let empty = u16::from(self.0 & SquareContents::EMPTY.0 != 0);
        self.pieces()
            .fold(empty, |bits, (color, role)| bits | 1 << place_of(color, role))
    }

    /// The kinds of pieces that determine which squares have these contents.
    pub(super) fn kinds(self) -> PieceKinds {
        match self {
            SquareContents::WHITE => PieceKinds::Side(Color::White),
            SquareContents::BLACK => PieceKinds::Side(Color::Black),
            SquareContents::PIECE => PieceKinds::Both,
            SquareContents::EMPTY => PieceKinds::Empty,
            _ => match self.piece() {
                Some(piece) => PieceKinds::One(piece.color, piece.role),
                None => PieceKinds::Some {
                    pieces: self.pieces().collect(),
                    empty: self.0 & SquareContents::EMPTY.0 != 0,
                },
            },
        }
    }

    /// Number of different contents.
    pub(super) fn number(self) -> u32 {
        self.0.count_ones()
    }
}

/// The kinds of pieces of [`SquareContents`], in a form that makes finding the squares quick.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PieceKinds {
    One(Color, Role),
    Side(Color),
    Both,
    Empty,
    Some { pieces: Vec<(Color, Role)>, empty: bool },
}

impl PieceKinds {
    /// The squares of a position that have one of them.
    #[inline]
    pub(super) fn squares(&self, position: &impl Pieces) -> Bitboard {
        match self {
            PieceKinds::One(color, role) => position.of_kind(*color, *role),
            PieceKinds::Side(color) => position.pieces(*color),
            PieceKinds::Both => position.occupied(),
            PieceKinds::Empty => !position.occupied(),
            PieceKinds::Some { pieces, empty } => {
                let empty = if *empty {
                    !position.occupied()
                } else {
                    Bitboard::EMPTY
                };
                pieces.iter().fold(empty, |squares, &(color, role)| {
                    squares | position.of_kind(color, role)
                })
            }
        }
    }
}

impl fmt::Display for SquareContents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((_, sign)) = SquareContents::SIGNS.iter().find(|(own, _)| own == self) {
            return write!(f, "{sign}");
        }
        let letters = (0..LETTERS.len()).filter(|bit| self.0 >> bit & 1 != 0);
        let letters: String = letters.map(|bit| char::from(LETTERS[bit])).collect();
        match self.number() {
            1 => f.write_str(&letters),
            _ => write!(f, "[{letters}]"),
        }
    }
}

/// A position with the rights that count.
#[derive(Clone, Copy, Debug)]
pub(super) struct ExactPosition {
    pub(super) pattern: Pattern,
    /// The en passant square where the pattern ignores all rights and this one counts nevertheless.
    en_passant: Option<Option<Square>>,
}

impl ExactPosition {
    pub(super) fn new(pattern: Pattern) -> ExactPosition {
        ExactPosition {
            pattern,
            en_passant: None,
        }
    }

    /// The pattern, if it matches the same positions.
    pub(super) fn only_pattern(&self) -> Option<&Pattern> {
        self.en_passant.is_none().then_some(&self.pattern)
    }

    #[inline]
    pub(super) fn matches(&self, position: &Position) -> bool {
        self.pattern.matches(position) && self.has_en_passant(position)
    }

    fn has_en_passant(&self, position: &Position) -> bool {
        self.en_passant
            .is_none_or(|wanted| wanted == position.legal_en_passant())
    }

    /// The mirror image. `None` if no game can reach it.
    pub(super) fn reflected(&self, reflection: Reflection) -> Option<ExactPosition> {
        let position = reflection.position(self.pattern.position())?;
        let rights = self.pattern.rights();
        let pattern = Pattern::new(position);
        Some(if reflection.side {
            ExactPosition {
                pattern: pattern.with_rights(Rights::None),
                en_passant: (rights == Rights::All).then(|| position.legal_en_passant()),
            }
        } else {
            ExactPosition::new(pattern.with_rights(rights))
        })
    }
}

/// Positions that differ only in an en passant square are the same if no pawn can capture there.
impl PartialEq for ExactPosition {
    fn eq(&self, other: &ExactPosition) -> bool {
        let parts = |exact: &ExactPosition| (pattern_epd(&exact.pattern), exact.en_passant);
        parts(self) == parts(other)
    }
}

impl Eq for ExactPosition {}
