//! Which of the games with the same moves are one game.
//!
//! Two games contradict each other if they cannot have the same occasion or the same players. Agreement is not
//! transitive: a game without a date contradicts neither of two games with different dates. So games are taken one by
//! one, and each joins the first group where it contradicts no game. The games with the most known details come first
//! (parts of the date, then players, then initials, then by path and number).

use std::cmp::Reverse;

use rustc_hash::FxHashMap;

use super::occasion::{Occasion, dates_agree};
use super::player::Player;
use super::{ComparedGames, FEWEST_PLIES, LONG_PLIES};
use chessdb::Keys;
use chessdb::game::{Date, Outcome};

/// Maximum number of different names of White or of Black in a group. Names that differ do not contradict each other if
/// their words do not, so hostile files could make one large group of them.
const MOST_NAMES: usize = 16;

/// Maximum number of different occasions in a group.
const MOST_OCCASIONS: usize = 32;

/// Maximum number of groups with the same surname that a game is compared with; the newest are compared.
const MOST_GROUPS: usize = 64;

/// The groups of at least two games among games with the same moves.
pub(super) fn groups(games: &ComparedGames<'_>, same: &[u32], plies: u32) -> Vec<Vec<u32>> {
    if same.len() < 2 {
        return Vec::new();
    }
    let mut groups = if plies < FEWEST_PLIES {
        by_tags(games, same)
    } else {
        by_players(games, same, plies >= LONG_PLIES)
    };
    groups.retain(|group| group.len() > 1);
    groups
}

/// Groups short games: those with exactly the same tags, if both players and the date are known.
fn by_tags(games: &ComparedGames<'_>, same: &[u32]) -> Vec<Vec<u32>> {
    // By a hash of the tags, because there may be very many games without moves.
    let mut groups: FxHashMap<u128, Vec<u32>> = FxHashMap::default();
    for &game in same {
        let Some(known) = KnownGame::of(games, game, false).filter(KnownGame::is_complete) else {
            continue;
        };
        if let Some(seen) = games.seen.get(&known.game) {
            groups.entry(seen.tags).or_default().push(game);
        }
    }
    groups.into_values().collect()
}

/// Groups games whose players and occasions do not contradict each other.
fn by_players(games: &ComparedGames<'_>, same: &[u32], are_long: bool) -> Vec<Vec<u32>> {
    let known = same
        .iter()
        .filter_map(|&game| KnownGame::of(games, game, are_long));
    let mut known: Vec<KnownGame> = known.collect();
    known.sort_by_key(|known| (Reverse(known.amount()), known.game));
    let mut groups: Vec<AgreeingGames> = Vec::new();
    // The groups by the surname in their first game. Games with a complete date are compared first with the groups of
    // this date, because all earlier groups have complete dates, too. Only long games can belong to a group of another
    // date.
    let mut by_key: FxHashMap<PlayerKey, Vec<u32>> = FxHashMap::default();
    for game in known {
        let date = Some(game.occasion.date).filter(|&date| is_complete(date));
        let keys = game.keys(date);
        let every_date = date.map(|_| game.keys(None)).unwrap_or_default();
        let others = every_date.iter().filter(|_| are_long);
        let found = keys.iter().chain(others).flat_map(|key| {
            let groups = by_key.get(key).into_iter().flatten();
            groups.rev().take(MOST_GROUPS)
        });
        let fits =
            found.filter_map(|&group| Some((groups.get(group as usize)?.fit(&game, are_long)?, group)));
        match fits.min().and_then(|(_, group)| groups.get_mut(group as usize)) {
            Some(group) => group.add(game),
            None => {
                let number = groups.len() as u32;
                for key in keys.into_iter().chain(every_date) {
                    by_key.entry(key).or_default().push(number);
                }
                groups.push(AgreeingGames::new(game));
            }
        }
    }
    groups.into_iter().map(|group| group.games).collect()
}

/// A colour and a surname, or none if both players are unknown; with a date if it is complete.
type PlayerKey = (Option<(usize, String)>, Option<(u16, u8, u8)>);

/// What is known of a game.
pub(super) struct KnownGame {
    pub(super) game: u32,
    pub(super) occasion: Occasion,
    /// White and Black.
    pub(super) players: [Option<Player>; 2],
    outcome: Outcome,
}

impl KnownGame {
    /// Event and round of a long game or a program's game count if both players are known.
    pub(super) fn of(games: &ComparedGames<'_>, game: u32, is_long: bool) -> Option<KnownGame> {
        let (database, own) = games.get(game)?;
        let Keys {
            white,
            black,
            date,
            outcome,
            ..
        } = database.keys(own);
        let players = [white, black].map(|player| Player::read(&database.text(player)));
        let seen = games.seen.get(&game);
        let is_of_program = players.iter().flatten().any(Player::is_program);
        let occasion = match seen.filter(|_| players.iter().all(Option::is_some)) {
            Some(seen) if is_of_program => Occasion::of_program(date, &seen.place),
            Some(seen) if is_long => Occasion::of_tags(date, &seen.place),
            _ => Occasion::of_date(date),
        };
        Some(KnownGame {
            game,
            occasion,
            players,
            outcome,
        })
    }

    /// True if both players and the whole date are known.
    fn is_complete(&self) -> bool {
        self.players.iter().all(Option::is_some) && is_complete(self.occasion.date)
    }

    /// How complete the tags are: parts of the date, players, and initials of players, compared in this order.
    fn amount(&self) -> (usize, usize, usize) {
        let Date { year, month, day } = self.occasion.date;
        let parts = [year > 0, month > 0, day > 0];
        let players = self.players.iter().flatten();
        (
            parts.into_iter().filter(|&is_known| is_known).count(),
            players.clone().count(),
            players.filter(|player| player.has_initial()).count(),
        )
    }

    /// The keys under which the groups are found that may accept the game.
    fn keys(&self, date: Option<Date>) -> Vec<PlayerKey> {
        let date = date.map(|date| (date.year, date.month, date.day));
        let players = self.players.iter().enumerate();
        let named = players.flat_map(|(color, player)| {
            let readings = player.iter().flat_map(Player::readings);
            readings.map(move |reading| (Some((color, reading.surname.clone())), date))
        });
        let mut keys: Vec<PlayerKey> = named.collect();
        if keys.is_empty() {
            keys.push((None, date));
        }
        keys
    }
}

/// Games that do not contradict each other.
struct AgreeingGames {
    games: Vec<u32>,
    /// Whether the first game has a White and a Black that are known.
    has_player: [bool; 2],
    /// The different occasions.
    occasions: Vec<Occasion>,
    /// The different names of White and of Black.
    players: [Vec<Player>; 2],
    /// The different results that are known.
    outcomes: Vec<Outcome>,
}

/// How a game fits into a group, the better first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    /// Its date contradicts no other.
    Date,
    /// The dates differ, but the games are too long for a coincidence.
    Moves,
    /// A player is spelled differently in it, which is allowed in long games.
    Spelling,
}

impl AgreeingGames {
    fn new(game: KnownGame) -> AgreeingGames {
        let mut group = AgreeingGames {
            games: Vec::new(),
            has_player: game.players.each_ref().map(Option::is_some),
            occasions: Vec::new(),
            players: [Vec::new(), Vec::new()],
            outcomes: Vec::new(),
        };
        group.add(game);
        group
    }

    /// How a game fits if it contradicts none of the games and has a player in common with the first one. Games whose
    /// players are both unknown go together. In long games one player may have another spelling.
    fn fit(&self, game: &KnownGame, are_long: bool) -> Option<Fit> {
        let mut colors = self.players.iter().zip(&game.players);
        let players_agree = colors.all(|(names, player)| {
            let agrees = |player: &Player| names.iter().all(|name| name.agrees(player));
            player.as_ref().is_none_or(agrees)
        });
        let mut colors = self.players.iter().zip(&game.players);
        let has_names = colors.all(|(names, player)| {
            let is_there = |player| names.len() < MOST_NAMES || names.contains(player);
            player.as_ref().is_none_or(is_there)
        });
        let has_player = game.players.each_ref().map(Option::is_some);
        let is_shared = (0..2).any(|color| has_player[color] && self.has_player[color]);
        let is_unknown = !has_player.contains(&true) && !self.has_player.contains(&true);
        let occasion = &game.occasion;
        let has_room = has_names
            && (is_shared || is_unknown)
            && (self.occasions.len() < MOST_OCCASIONS || self.occasions.contains(occasion));
        if has_room && are_long && !players_agree && self.has_other_spelling(game) {
            return Some(Fit::Spelling);
        }
        let fits = has_room && players_agree && self.occasions.iter().all(|other| other.agrees(occasion));
        let mut dates = self.occasions.iter().map(|other| other.date);
        fits.then(|| {
            if dates.all(|date| dates_agree(date, occasion.date)) {
                Fit::Date
            } else {
                Fit::Moves
            }
        })
    }

    /// True if one player of the game is the same in all the games, the other one has another spelling, and neither
    /// results nor occasions differ.
    fn has_other_spelling(&self, game: &KnownGame) -> bool {
        let [mut is_shared, mut are_alike] = [false, true];
        for (names, player) in self.players.iter().zip(&game.players) {
            let Some(player) = player else { continue };
            is_shared |= !names.is_empty() && names.iter().all(|name| name.agrees(player));
            are_alike &= names
                .iter()
                .all(|name| name.agrees(player) || name.is_alike(player));
        }
        let is_result =
            game.outcome == Outcome::Unknown || self.outcomes.iter().all(|outcome| *outcome == game.outcome);
        let occasion = &game.occasion;
        is_shared && are_alike && is_result && self.occasions.iter().all(|other| other.may_be(occasion))
    }

    fn add(&mut self, game: KnownGame) {
        self.games.push(game.game);
        if game.outcome != Outcome::Unknown && !self.outcomes.contains(&game.outcome) {
            self.outcomes.push(game.outcome);
        }
        if !self.occasions.contains(&game.occasion) {
            self.occasions.push(game.occasion);
        }
        for (names, player) in self.players.iter_mut().zip(game.players) {
            if let Some(player) = player.filter(|player| !names.contains(player)) {
                names.push(player);
            }
        }
    }
}

/// True if the whole date is known.
pub(super) fn is_complete(date: Date) -> bool {
    date.year > 0 && date.month > 0 && date.day > 0
}
