//! Some of the games of a database.

/// Selected games of a database, for answers about positions in these games only.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    games: Box<[u32]>,
    /// A bit for each game up to the last one.
    words: Box<[u64]>,
}

impl Selection {
    /// These games, which are in ascending order.
    pub fn of(games: impl Into<Box<[u32]>>) -> Selection {
        let games = games.into();
        let last = games.last();
        let mut words = vec![0; last.map_or(0, |&last| last as usize / 64 + 1)];
        for &game in &games {
            words[game as usize / 64] |= 1 << (game % 64);
        }
        Selection {
            games,
            words: words.into(),
        }
    }

    /// The memory that it takes, in bytes.
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.games) + size_of_val(&*self.words)
    }

    /// The games, in ascending order.
    pub fn games(&self) -> &[u32] {
        &self.games
    }

    /// Number of games.
    pub fn len(&self) -> usize {
        self.games.len()
    }

    /// True if no game is selected.
    pub fn is_empty(&self) -> bool {
        self.games.is_empty()
    }

    /// True if a game is selected.
    #[inline]
    pub fn has(&self, game: u32) -> bool {
        let word = self.words.get(game as usize / 64);
        word.is_some_and(|word| word >> (game % 64) & 1 != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_selection_has_its_games() {
        let games = [0, 63, 64, 200];
        let selection = Selection::of(games);
        let found: Vec<u32> = (0..300).filter(|&game| selection.has(game)).collect();
        assert_eq!(found, games);
        assert!(!Selection::of([]).has(0));
    }
}
