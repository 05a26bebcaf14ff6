//! Stored answers for the most frequent positions, where adding up all games would take too long: tables of moves, and
//! the strongest and latest games.
//!
//! A table consists of the number of rows and, for each row: the bits of the move as a [`PackedMove`], 0 for games that end; the
//! numbers of a [`Tally`]; `reached`; the game plus 1, 0 for none. After it come the number of the strongest games and
//! these, and the number of the latest games and these. All integers are LEB128.

use super::super::table::{MoveRow, MovesTable};
use super::super::tally::{Facts, SLACK, Tally, keep_greatest};
use super::leb;
use chessdb::board::{PackedMove, Position};

/// A position is popular if at least this many games have it.
pub(super) const POPULAR: u32 = 2048;

/// The values that are stored for a popular position.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PopularPosition {
    /// The moves played in it.
    pub table: MovesTable,
    /// The games with a result and the highest [strength](Facts::strength), in this order; with the same strength, the
    /// latest first.
    pub strongest: Vec<u32>,
    /// The games with a result of the latest days, the last one first; of one day the strongest first.
    pub latest: Vec<u32>,
}

impl PopularPosition {
    /// Number of the strongest games that are kept.
    pub const STRONGEST: usize = 15;
    /// Number of the latest games that are kept.
    pub const LATEST: usize = 8;

    /// A position with this table and these games.
    pub(super) fn new(table: MovesTable, games: impl Iterator<Item = (u32, Facts)>) -> PopularPosition {
        let (mut strongest, mut latest) = (Vec::new(), Vec::new());
        for (game, facts) in games.filter(|(_, facts)| facts.is_decided()) {
            strongest.push((facts.strength(), facts.day(), game));
            keep_greatest(&mut strongest, PopularPosition::STRONGEST, SLACK, |&key| key);
            latest.push((facts.day(), facts.strength(), game));
            keep_greatest(&mut latest, PopularPosition::LATEST, SLACK, |&key| key);
        }
        keep_greatest(&mut strongest, PopularPosition::STRONGEST, 0, |&key| key);
        keep_greatest(&mut latest, PopularPosition::LATEST, 0, |&key| key);
        let games = |keys: Vec<(u32, u32, u32)>| keys.into_iter().map(|(.., game)| game).collect();
        PopularPosition {
            table,
            strongest: games(strongest),
            latest: games(latest),
        }
    }
}

/// Appends the stored form of a position.
pub(super) fn append(bytes: &mut Vec<u8>, popular: &PopularPosition) {
    leb::append(bytes, popular.table.rows.len() as u64);
    for row in &popular.table.rows {
        leb::append(bytes, row.mv.map_or(0, |mv| PackedMove::new(mv).bits()).into());
        row.tally
            .numbers()
            .into_iter()
            .for_each(|number| leb::append(bytes, number));
        leb::append(bytes, row.reached.into());
        leb::append(bytes, row.game.map_or(0, |game| u64::from(game) + 1));
    }
    for games in [&popular.strongest, &popular.latest] {
        leb::append(bytes, games.len() as u64);
        games.iter().for_each(|&game| leb::append(bytes, game.into()));
    }
}

/// Reads the stored form of a position. `None` if it is damaged.
pub(super) fn read(mut bytes: &[u8], position: &Position) -> Option<PopularPosition> {
    let rows = leb::take(&mut bytes)?;
    let mut table = MovesTable::default();
    for _ in 0..rows {
        let mv = match u16::try_from(leb::take(&mut bytes)?).ok()? {
            0 => None,
            bits => Some(PackedMove::of_bits(bits).unpack()),
        };
        let mut row = MoveRow::new(position, mv);
        row.tally = Tally::of_numbers(|| leb::take(&mut bytes))?;
        row.reached = leb::take(&mut bytes)?.try_into().ok()?;
        row.game = match leb::take(&mut bytes)? {
            0 => None,
            game => Some(u32::try_from(game - 1).ok()?),
        };
        table.rows.push(row);
    }
    let mut games = |most: usize| {
        let number = usize::try_from(leb::take(&mut bytes)?)
            .ok()
            .filter(|&number| number <= most)?;
        (0..number)
            .map(|_| u32::try_from(leb::take(&mut bytes)?).ok())
            .collect::<Option<Vec<u32>>>()
    };
    let popular = PopularPosition {
        strongest: games(PopularPosition::STRONGEST)?,
        latest: games(PopularPosition::LATEST)?,
        table,
    };
    bytes.is_empty().then_some(popular)
}
