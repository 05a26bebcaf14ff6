//! Counts the moves of some positions, and keeps those that belong in the book.

use std::cmp::Reverse;

use rustc_hash::FxHashMap;

use super::BookOptions;

/// If a move reaches this number of games, the numbers of all moves of the position are halved, so that they fit into
/// 16 bits.
const MOST_GAMES: u32 = 16_384;

/// A move that was played in a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PlayedMove {
    /// The key of the position.
    pub(super) key: u64,
    /// The move, as in a book.
    pub(super) mv: u16,
    /// Twice the points of the side that played it.
    pub(super) points: u8,
}

/// The moves of some positions.
#[derive(Default)]
pub(super) struct BookEntries {
    /// In the order in which they were first played.
    entries: Vec<BookEntry>,
    /// The index of the first entry of each position.
    places: FxHashMap<u64, usize>,
}

struct BookEntry {
    key: u64,
    mv: u16,
    games: u32,
    points: u32,
    /// The index of the next entry of the position, which is beyond the end after the last one.
    next: usize,
}

impl BookEntries {
    /// Counts a move. The result depends on the order only for moves of very many games.
    pub(super) fn count(&mut self, played: PlayedMove) {
        let PlayedMove { key, mv, points } = played;
        let new = self.entries.len();
        let first = *self.places.entry(key).or_insert(new);
        let (mut place, mut last) = (first, None);
        while let Some(entry) = self.entries.get(place).filter(|entry| entry.mv != mv) {
            (place, last) = (entry.next, Some(place));
        }
        if place >= new {
            place = new;
            if let Some(last) = last {
                self.entries[last].next = new;
            }
            self.entries.push(BookEntry {
                key,
                mv,
                games: 0,
                points: 0,
                next: usize::MAX,
            });
        }
        let entry = &mut self.entries[place];
        entry.games += 1;
        entry.points += u32::from(points);
        if entry.games >= MOST_GAMES {
            let mut place = first;
            while let Some(entry) = self.entries.get_mut(place) {
                entry.games = entry.games.div_ceil(2);
                entry.points = entry.points.div_ceil(2);
                place = entry.next;
            }
        }
    }

    /// The bytes of the entries that belong in the book, in its order.
    pub(super) fn bytes(mut self, options: &BookOptions) -> Vec<u8> {
        let min_score = options.min_score / 100.0;
        self.entries.retain(|entry| {
            let score = f64::from(entry.points) / f64::from(entry.games) / 2.0;
            entry.games >= options.min_games && entry.points > 0 && score >= min_score
        });
        let weight = |entry: &BookEntry| if options.uniform { 1 } else { entry.points };
        // Moves of the same weight stay in the order in which they were first played.
        self.entries
            .sort_by_key(|entry| (entry.key, Reverse(weight(entry))));
        let entries = self.entries.iter().flat_map(|entry| {
            let (key, mv) = (u128::from(entry.key), u128::from(entry.mv));
            (key << 64 | mv << 48 | u128::from(weight(entry)) << 32).to_be_bytes()
        });
        entries.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(played: impl IntoIterator<Item = (u64, u16, u8)>) -> BookEntries {
        let mut entries = BookEntries::default();
        for (key, mv, points) in played {
            entries.count(PlayedMove { key, mv, points });
        }
        entries
    }

    /// Key, move and weight of each entry.
    fn read(bytes: &[u8]) -> Vec<(u64, u16, u16)> {
        let entries = bytes.chunks(16).map(|entry| {
            assert_eq!(entry[12..], [0; 4]);
            let key = u64::from_be_bytes(entry[..8].try_into().unwrap());
            let numbers = [8, 10].map(|at| u16::from_be_bytes([entry[at], entry[at + 1]]));
            (key, numbers[0], numbers[1])
        });
        entries.collect()
    }

    const ALL: BookOptions = BookOptions {
        max_ply: 1024,
        min_games: 1,
        min_score: 0.0,
        side: None,
        uniform: false,
    };

    #[test]
    fn entries_are_sorted_by_key_weight_and_first_game() {
        let played = [
            (u64::MAX, 3, 1),
            (9, 7, 1),
            (9, 4, 1),
            (9, 5, 2),
            (9, 6, 0),
            (9, 2, 2),
            (2, 1, 2),
        ];
        assert_eq!(
            read(&counted(played).bytes(&ALL)),
            [
                (2, 1, 2),
                (9, 5, 2),
                (9, 2, 2),
                (9, 7, 1),
                (9, 4, 1),
                (u64::MAX, 3, 1)
            ]
        );
        let uniform = BookOptions { uniform: true, ..ALL };
        let order = read(&counted(played).bytes(&uniform));
        let order: Vec<_> = order.into_iter().map(|(_, mv, weight)| (mv, weight)).collect();
        assert_eq!(order, [(1, 1), (7, 1), (4, 1), (5, 1), (2, 1), (3, 1)]);
    }

    #[test]
    fn moves_of_few_games_or_few_points_are_left_out() {
        let played = || [(1, 1, 2), (1, 2, 1), (1, 2, 1), (1, 3, 2), (1, 3, 0), (1, 4, 0)];
        for (min_games, min_score, kept) in [
            (1, 0.0, &[(1, 1, 2), (1, 2, 2), (1, 3, 2)][..]),
            (2, 0.0, &[(1, 2, 2), (1, 3, 2)]),
            (1, 50.0, &[(1, 1, 2), (1, 2, 2), (1, 3, 2)]),
            (1, 50.1, &[(1, 1, 2)]),
            (3, 0.0, &[]),
        ] {
            let options = BookOptions {
                min_games,
                min_score,
                ..ALL
            };
            assert_eq!(
                read(&counted(played()).bytes(&options)),
                kept,
                "{min_games} {min_score}"
            );
        }
    }

    #[test]
    fn numbers_that_are_too_large_are_halved_for_the_whole_position() {
        // 100 drawn games with one move, then wins with another: it is halved when it has 16,384.
        let drawn = std::iter::repeat_n((1, 1, 1), 101);
        let other = [(2, 1, 2)];
        let won = std::iter::repeat_n((1, 2, 2), 16_384);
        let entries = counted(drawn.chain(other).chain(won).chain([(1, 2, 0)]));
        assert_eq!(
            read(&entries.bytes(&ALL)),
            [(1, 2, 16_384), (1, 1, 51), (2, 1, 2)]
        );
        // The moves of several positions may come in any order.
        let moves = (0..30_000u64).map(|n| (n % 3, (n % 7) as u16, 1));
        let mut read = read(&counted(moves).bytes(&ALL));
        read.sort_unstable();
        let wanted: Vec<_> = (0..21)
            .map(|n| (n / 7, (n % 7) as u16))
            .map(|(key, mv)| {
                let of_move = |n: &u64| n % 3 == key && (n % 7) as u16 == mv;
                (key, mv, (0..30_000).filter(of_move).count() as u16)
            })
            .collect();
        assert_eq!(read, wanted);
    }
}
