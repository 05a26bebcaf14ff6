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
    let mut name = String::new();
    append_block_name(&mut name, block, digits);
    name
}

/// Name of a game in its block: `000042.pgn`.
pub fn numbered_game_name(game: u32, digits: usize) -> String {
    let mut name = String::new();
    append_game_name(&mut name, game, digits);
    name
}

/// Path of a game from the directory of its database, which has `games` games: `games/000001-001000/000042.pgn`.
pub fn game_path(game: u32, games: u32) -> String {
    let mut path = String::new();
    append_game_path(&mut path, game, digits(games));
    path
}

/// Appends the path of a game from the directory of its database. Numbers of games have `digits` digits there.
pub fn append_game_path(path: &mut String, game: u32, digits: usize) {
    path.push_str("games/");
    append_block_name(path, game / BLOCK, digits);
    path.push('/');
    append_game_name(path, game, digits);
}

fn append_block_name(name: &mut String, block: u32, digits: usize) {
    let first = u64::from(block) * u64::from(BLOCK) + 1;
    append_number(name, first, digits);
    name.push('-');
    append_number(name, first + u64::from(BLOCK) - 1, digits);
}

fn append_game_name(name: &mut String, game: u32, digits: usize) {
    append_number(name, u64::from(game) + 1, digits);
    name.push_str(".pgn");
}

/// Appends a number, with zeros in front if it has fewer than `digits` digits.
fn append_number(text: &mut String, number: u64, digits: usize) {
    let mut buffer = itoa::Buffer::new();
    let number = buffer.format(number);
    (number.len()..digits).for_each(|_| text.push('0'));
    text.push_str(number);
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
