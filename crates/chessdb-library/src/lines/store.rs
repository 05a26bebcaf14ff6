//! The main lines of a database in a kept file.
//!
//! | section | content |
//! |---|---|
//! | `ends` | for every 64 games 136 bytes: eight for the place of the first one's words in `words`, then two for the number of words of each |
//! | `words` | the games: the moves of each as [`KeptMove`]s, perhaps with others before them |
//! | `starts` | start positions, each once: FEN in 128 bytes, padded with blanks |
//!
//! | words before the moves | what |
//! |---|---|
//! | two, if the number of words is 65,535 | the real number of the words after these |
//! | `0x7000`, and two more | the game begins in the start position with this number; nowhere for `0xffff_ffff`; for `0xffff_fffe` it has to be read from the database |
//!
//! The numbers in the header say how many games and how many start positions there are.

use chessdb::board::Fen;
use chessdb::bytes::{le_u16, le_u32, le_u64};

use super::packed::{KeptMove, LineStart, PackedLine};
use crate::kept::{Damaged, Numbers, SectionId, Sections};

/// Games with a common place.
pub(super) const BLOCK: u32 = 64;

/// Bytes of `ends` for these.
pub(super) const BLOCK_BYTES: usize = 8 + 2 * BLOCK as usize;

/// Bytes of a start position.
pub(super) const START_BYTES: usize = 128;

/// The number of words where it has more digits than two bytes hold.
pub(super) const LONG: u16 = u16::MAX;

/// The word in front of the number of a start position. As a move it would be an impossible promotion, so it cannot be
/// mistaken for one.
pub(super) const HAS_START: u16 = 0x7000;

/// The numbers of no start position.
pub(super) const NOWHERE: u32 = u32::MAX;
pub(super) const UNPACKED: u32 = u32::MAX - 1;

/// The numbers in the header.
pub(super) const GAMES: usize = 0;
pub(super) const STARTS: usize = 1;

#[derive(Clone, Copy, Debug)]
pub(super) enum LinesSection {
    Ends,
    Words,
    Starts,
}

impl SectionId for LinesSection {
    fn place(self) -> usize {
        self as usize
    }

    fn are_valid(numbers: &Numbers) -> bool {
        let len = |section: LinesSection| numbers.sections[section.place()].1;
        let blocks = u64::from(numbers.own[GAMES].div_ceil(BLOCK));
        len(LinesSection::Ends) == blocks * BLOCK_BYTES as u64
            && len(LinesSection::Starts) == u64::from(numbers.own[STARTS]) * START_BYTES as u64
            && len(LinesSection::Words) % 2 == 0
    }
}

/// The number of games that the sections are of.
pub(super) fn games(sections: &Sections<LinesSection>) -> u32 {
    sections.numbers().own[GAMES]
}

/// Reads the line of a game. False if it has to be read from the database.
///
/// # Errors
/// If the file is damaged.
pub(super) fn read(
    sections: &Sections<LinesSection>,
    game: u32,
    line: &mut PackedLine,
) -> Result<bool, Damaged> {
    let block = sections.get(
        LinesSection::Ends,
        (game / BLOCK) as usize * BLOCK_BYTES,
        BLOCK_BYTES,
    )?;
    let (place, lens) = block.split_at_checked(8).ok_or(Damaged)?;
    let mut at = le_u64(place, 0)
        .and_then(|place| usize::try_from(place).ok())
        .ok_or(Damaged)?;
    let mut lens = lens.as_chunks::<2>().0.iter().map(|&len| u16::from_le_bytes(len));
    for _ in 0..game % BLOCK {
        let (begin, len) = words_of(sections, at, lens.next().ok_or(Damaged)?)?;
        at = begin.checked_add(len).ok_or(Damaged)?;
    }
    let (begin, len) = words_of(sections, at, lens.next().ok_or(Damaged)?)?;
    let start = begin.checked_mul(2).ok_or(Damaged)?;
    let mut words = sections.get(LinesSection::Words, start, len.checked_mul(2).ok_or(Damaged)?)?;
    line.start = LineStart::Usual;
    if le_u16(words, 0) == Some(HAS_START) {
        let number = le_u32(words, 2).ok_or(Damaged)?;
        words = words.get(6..).ok_or(Damaged)?;
        line.start = match number {
            UNPACKED => return Ok(false),
            NOWHERE => LineStart::Nowhere,
            number => start_position(sections, number)?,
        };
    }
    let moves = words.as_chunks::<2>().0.iter();
    line.moves.clear();
    line.moves
        .extend(moves.map(|&word| KeptMove(u16::from_le_bytes(word))));
    if sections.is_lost() {
        return Err(Damaged);
    }
    Ok(true)
}

/// Where the words of a game begin, and how many there are.
#[inline]
fn words_of(sections: &Sections<LinesSection>, at: usize, len: u16) -> Result<(usize, usize), Damaged> {
    match len {
        LONG => {
            let start = at.checked_mul(2).ok_or(Damaged)?;
            let len = le_u32(sections.get(LinesSection::Words, start, 4)?, 0).ok_or(Damaged)?;
            Ok((at.checked_add(2).ok_or(Damaged)?, len as usize))
        }
        len => Ok((at, len.into())),
    }
}

fn start_position(sections: &Sections<LinesSection>, number: u32) -> Result<LineStart, Damaged> {
    let start = (number as usize).checked_mul(START_BYTES).ok_or(Damaged)?;
    let bytes = sections.get(LinesSection::Starts, start, START_BYTES)?;
    let fen = String::from_utf8_lossy(bytes);
    let fen = Fen::parse(fen.trim_ascii_end()).map_err(|_| Damaged)?;
    Ok(LineStart::At(fen.position))
}
