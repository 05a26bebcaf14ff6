//! Where games are found by their numbers: `games/000001-001000/000042.pgn`.

/// Number of games in a directory of `games/`.
pub const BLOCK: u32 = 1000;

/// Number of digits in the numbers of a database with `games` games.
pub fn digits(games: u32) -> usize {
    let needed = games.checked_ilog10().unwrap_or(0) as usize + 1;
    needed.max(6)
}

/// Name of a block of `games/`: `000001-001000`.
pub fn block_name(block: u32, digits: usize) -> String {
    let first = u64::from(block) * u64::from(BLOCK) + 1;
    let last = first + u64::from(BLOCK) - 1;
    format!("{first:0digits$}-{last:0digits$}")
}

/// Name of a game in its block: `000042.pgn`.
pub fn numbered_game_name(game: u32, digits: usize) -> String {
    format!("{:0digits$}.pgn", u64::from(game) + 1)
}

/// Path of a game from the directory of its database, which has `games` games: `games/000001-001000/000042.pgn`.
pub fn game_path(game: u32, games: u32) -> String {
    let digits = digits(games);
    let (block, name) = (block_name(game / BLOCK, digits), numbered_game_name(game, digits));
    format!("games/{block}/{name}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_as_many_digits_as_the_count_needs() {
        assert_eq!([0, 1, 999_999, 1_000_000].map(digits), [6, 6, 6, 7]);
        assert_eq!(block_name(0, 6), "000001-001000");
        assert_eq!(block_name(1000, 7), "1000001-1001000");
        assert_eq!(numbered_game_name(41, 6), "000042.pgn");
        assert_eq!(numbered_game_name(u32::MAX, 10), "4294967296.pgn");
    }
}
