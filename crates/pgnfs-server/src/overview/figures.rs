//! Numbers of games by year, result, opening, rating and player, from their tags.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::Hash;

use chessdb_library::library::LibraryEntry;
use chessdb_library::spelling::Names;
use chessdb_library::table::{Column, GamePath, GameRow, Value};

/// Width of a group of ratings.
pub(super) const RATINGS: i64 = 100;

/// How often each text or number occurs.
#[derive(Clone, Debug)]
pub struct Counts<T = String>(HashMap<T, u64>);

/// The numbers of an overview.
#[derive(Clone, Debug, Default)]
pub struct Figures {
    /// Number of games.
    pub games: u64,
    /// Games of each year.
    pub years: Counts<i64>,
    /// Games with each result.
    pub results: Counts,
    /// Games with each opening code, from the moves where the tag is missing.
    pub openings: Counts,
    /// Games whose code is from the moves.
    pub coded_by_moves: u64,
    /// Number of games for each name of an opening. The moves give the name, not the tags.
    pub opening_names: Counts,
    /// Players by their rating, in groups by their lowest rating.
    pub ratings: Counts<i64>,
    /// Games of each player, with either colour.
    pub players: Counts,
}

impl<T> Default for Counts<T> {
    fn default() -> Counts<T> {
        Counts(HashMap::new())
    }
}

impl<T: Eq + Hash> Counts<T> {
    /// Counts something `times` times more.
    pub fn add<Q: Eq + Hash + ToOwned<Owned = T> + ?Sized>(&mut self, what: &Q, times: u64)
    where
        T: Borrow<Q>,
    {
        match self.0.get_mut(what) {
            Some(count) => *count += times,
            None => {
                self.0.insert(what.to_owned(), times);
            }
        }
    }

    fn append(&mut self, others: Counts<T>) {
        for (what, times) in others.0 {
            *self.0.entry(what).or_default() += times;
        }
    }

    /// Sum of all counts.
    pub fn sum(&self) -> u64 {
        self.0.values().sum()
    }

    /// Number of different texts or numbers.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}

impl Counts<i64> {
    /// The numbers in ascending order.
    pub(super) fn by_number(&self) -> Vec<(i64, u64)> {
        let mut numbers: Vec<_> = self.0.iter().map(|(&number, &times)| (number, times)).collect();
        numbers.sort_unstable();
        numbers
    }
}

impl Counts {
    /// The most frequent texts, the most frequent one first.
    pub(super) fn most(&self, number: usize) -> Vec<(&str, u64)> {
        let texts = self.0.iter();
        let mut texts: Vec<_> = texts.map(|(text, &times)| (text.as_str(), times)).collect();
        texts.sort_unstable_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
        texts.truncate(number);
        texts
    }
}

impl Figures {
    /// Reads the tags of some games of a database. `names` are the names that are shown for players.
    pub fn of(entry: &LibraryEntry, games: impl Iterator<Item = u32>, names: Option<&Names>) -> Figures {
        let mut figures = Figures::default();
        for game in games {
            figures.add(&GameRow::new(entry, GamePath::of(entry, game)).with_names(names));
        }
        figures
    }

    fn add(&mut self, row: &GameRow<'_>) {
        let number = |column| match row.value(&column) {
            Some(Value::Number(number)) => Some(number),
            _ => None,
        };
        self.games += 1;
        if let Some(year) = number(Column::Year) {
            self.years.add(&year, 1);
        }
        self.results.add(row.tag("Result").as_deref().unwrap_or("*"), 1);
        let text = |column| match row.value(&column) {
            Some(Value::Text(text)) => Some(text),
            _ => None,
        };
        let code = row.tag("ECO").or_else(|| {
            let by_moves = text(Column::OpeningCode)?;
            self.coded_by_moves += 1;
            Some(by_moves)
        });
        if let Some(code) = code {
            self.openings.add(&*code, 1);
        }
        if let Some(name) = text(Column::OpeningName) {
            self.opening_names.add(&*name, 1);
        }
        for rating in [Column::WhiteElo, Column::BlackElo]
            .into_iter()
            .filter_map(number)
        {
            self.ratings.add(&(rating / RATINGS * RATINGS), 1);
        }
        let (white, black) = (row.tag("White"), row.tag("Black"));
        let black = black.filter(|black| Some(black) != white.as_ref());
        for player in [white, black].into_iter().flatten() {
            self.players.add(&*player, 1);
        }
    }

    /// Adds the figures of other games.
    pub fn append(&mut self, others: Figures) {
        self.games += others.games;
        self.years.append(others.years);
        self.results.append(others.results);
        self.openings.append(others.openings);
        self.coded_by_moves += others.coded_by_moves;
        self.opening_names.append(others.opening_names);
        self.ratings.append(others.ratings);
        self.players.append(others.players);
    }
}
