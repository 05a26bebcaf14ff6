//! Which of the games with the same moves are one game.
//!
//! Two games contradict each other if the date or a player of one cannot be that of the other. This is not
//! transitive: a game without a date contradicts neither of two games with different dates. So games are taken one by
//! one, those of which most is known first, and each joins the first group in which it contradicts no game.

use std::cmp::Reverse;

use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::Xxh3;

use super::player::Player;
use super::{FEWEST_PLIES, Games};
use crate::library::tags_of;
use chessdb::formats::Keys;
use chessdb::game::Date;

/// Maximum number of different names of White or of Black in a group. Names that differ do not contradict each other if
/// their words do not, so hostile files could make one large group of them.
const MOST_NAMES: usize = 16;

/// Maximum number of groups with a surname that a game is compared with, the newest ones.
const MOST_GROUPS: usize = 64;

/// The groups of at least two games among games with the same moves.
pub(super) fn groups(games: &Games<'_>, same: &[u32], plies: u32) -> Vec<Vec<u32>> {
    if same.len() < 2 {
        return Vec::new();
    }
    let mut groups = match plies < FEWEST_PLIES {
        true => by_tags(games, same),
        false => by_players(games, same),
    };
    groups.retain(|group| group.len() > 1);
    groups
}

/// Groups short games: those with exactly the same tags, if both players and the date are known.
fn by_tags(games: &Games<'_>, same: &[u32]) -> Vec<Vec<u32>> {
    // By a hash of the tags, because there may be very many games without moves.
    let mut groups: FxHashMap<u128, Vec<u32>> = FxHashMap::default();
    for &game in same {
        let Some(known) = Known::of(games, game).filter(Known::is_complete) else {
            continue;
        };
        let Some((database, own)) = games.get(known.game) else {
            continue;
        };
        let mut hash = Xxh3::new();
        for (name, value) in tags_of(database, own).iter() {
            // No tag contains this byte.
            for text in [name, value] {
                hash.update(text.as_bytes());
                hash.update(&[0xff]);
            }
        }
        groups.entry(hash.digest128()).or_default().push(game);
    }
    groups.into_values().collect()
}

/// Groups games whose players and dates do not contradict each other.
fn by_players(games: &Games<'_>, same: &[u32]) -> Vec<Vec<u32>> {
    let known = same.iter().filter_map(|&game| Known::of(games, game));
    let mut known: Vec<Known> = known.collect();
    known.sort_by_key(|known| (Reverse(known.amount()), known.game));
    let mut groups: Vec<Group> = Vec::new();
    // The groups whose first game has a surname. Games with a complete date are only compared with those of this date,
    // because all groups before them have complete dates, too.
    let mut by_key: FxHashMap<Key, Vec<u32>> = FxHashMap::default();
    for game in known {
        let date = Some(game.date).filter(|&date| is_complete(date));
        let keys = game.keys(date);
        let found = keys.iter().flat_map(|key| {
            let groups = by_key.get(key).into_iter().flatten();
            groups.rev().take(MOST_GROUPS)
        });
        let joined = found
            .copied()
            .filter(|&group| groups.get(group as usize).is_some_and(|group| group.takes(&game)))
            .min();
        match joined.and_then(|group| groups.get_mut(group as usize)) {
            Some(group) => group.add(game),
            None => {
                let number = groups.len() as u32;
                let every_date = date.map(|_| game.keys(None)).unwrap_or_default();
                for key in keys.into_iter().chain(every_date) {
                    by_key.entry(key).or_default().push(number);
                }
                groups.push(Group::of(game));
            }
        }
    }
    groups.into_iter().map(|group| group.games).collect()
}

/// A colour and a surname, or none if both players are unknown; with a date if it is complete.
type Key = (Option<(usize, String)>, Option<(u16, u8, u8)>);

/// What is known of a game.
struct Known {
    game: u32,
    date: Date,
    /// White and Black.
    players: [Option<Player>; 2],
}

impl Known {
    fn of(games: &Games<'_>, game: u32) -> Option<Known> {
        let (database, own) = games.get(game)?;
        let Keys {
            white, black, date, ..
        } = database.keys(own);
        let players = [white, black].map(|player| Player::read(&database.text(player)));
        Some(Known { game, date, players })
    }

    /// True if both players and the whole date are known.
    fn is_complete(&self) -> bool {
        self.players.iter().all(Option::is_some) && is_complete(self.date)
    }

    /// How much is known: parts of the date, players, and initials of players, compared in this order.
    fn amount(&self) -> (usize, usize, usize) {
        let parts = [self.date.year > 0, self.date.month > 0, self.date.day > 0];
        let players = self.players.iter().flatten();
        (
            parts.into_iter().filter(|&is_known| is_known).count(),
            players.clone().count(),
            players.filter(|player| player.has_initial()).count(),
        )
    }

    /// The keys under which groups are found that may take the game.
    fn keys(&self, date: Option<Date>) -> Vec<Key> {
        let date = date.map(|date| (date.year, date.month, date.day));
        let players = self.players.iter().enumerate();
        let named = players.flat_map(|(color, player)| {
            let readings = player.iter().flat_map(Player::readings);
            readings.map(move |reading| (Some((color, reading.surname.clone())), date))
        });
        let mut keys: Vec<Key> = named.collect();
        if keys.is_empty() {
            keys.push((None, date));
        }
        keys
    }
}

/// Games that do not contradict each other.
struct Group {
    games: Vec<u32>,
    /// Whether the first game has a White and a Black that are known.
    has_player: [bool; 2],
    /// What is known of the date from all games together.
    date: Date,
    /// The different names of White and of Black.
    players: [Vec<Player>; 2],
}

impl Group {
    fn of(game: Known) -> Group {
        let mut group = Group {
            games: Vec::new(),
            has_player: game.players.each_ref().map(Option::is_some),
            date: Date::default(),
            players: [Vec::new(), Vec::new()],
        };
        group.add(game);
        group
    }

    /// True if a game contradicts none of the games, and has a player in common with the first one. Games whose
    /// players are both unknown go together.
    fn takes(&self, game: &Known) -> bool {
        let may_be_equal = |a, b| a == 0 || b == 0 || a == b;
        let dates_agree = may_be_equal(self.date.year, game.date.year)
            && may_be_equal(self.date.month.into(), game.date.month.into())
            && may_be_equal(self.date.day.into(), game.date.day.into());
        let mut colors = self.players.iter().zip(&game.players);
        let players_agree = colors.all(|(names, player)| {
            let agrees = |player: &Player| names.iter().all(|name| name.agrees(player));
            player.as_ref().is_none_or(agrees)
        });
        let mut colors = self.players.iter().zip(&game.players);
        let has_room = colors.all(|(names, player)| {
            let is_there = |player| names.len() < MOST_NAMES || names.contains(player);
            player.as_ref().is_none_or(is_there)
        });
        let has_player = game.players.each_ref().map(Option::is_some);
        let is_shared = (0..2).any(|color| has_player[color] && self.has_player[color]);
        let is_unknown = !has_player.contains(&true) && !self.has_player.contains(&true);
        dates_agree && players_agree && has_room && (is_shared || is_unknown)
    }

    fn add(&mut self, game: Known) {
        self.games.push(game.game);
        for (own, part) in [
            (&mut self.date.month, game.date.month),
            (&mut self.date.day, game.date.day),
        ] {
            *own = part.max(*own);
        }
        self.date.year = game.date.year.max(self.date.year);
        for (names, player) in self.players.iter_mut().zip(game.players) {
            if let Some(player) = player.filter(|player| !names.contains(player)) {
                names.push(player);
            }
        }
    }
}

fn is_complete(date: Date) -> bool {
    date.year > 0 && date.month > 0 && date.day > 0
}
