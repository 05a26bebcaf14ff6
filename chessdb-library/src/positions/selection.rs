//! Some of the games of a database.

/// Games of a database, for which questions about positions are answered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection(Box<[u64]>);

impl Selection {
    /// These games.
    pub fn of(games: &[u32]) -> Selection {
        let last = games.iter().max();
        let mut words = vec![0; last.map_or(0, |&last| last as usize / 64 + 1)];
        for &game in games {
            words[game as usize / 64] |= 1 << (game % 64);
        }
        Selection(words.into())
    }

    /// The memory that it takes, in bytes.
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.0)
    }

    /// Number of games.
    pub fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// True if no game is selected.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// True if a game is selected.
    #[inline]
    pub fn has(&self, game: u32) -> bool {
        let word = self.0.get(game as usize / 64);
        word.is_some_and(|word| word >> (game % 64) & 1 != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_selection_has_its_games() {
        let games = [0, 63, 64, 200];
        let selection = Selection::of(&games);
        let found: Vec<u32> = (0..300).filter(|&game| selection.has(game)).collect();
        assert_eq!(found, games);
        assert!(!Selection::of(&[]).has(0));
    }
}
