//! Which of the games with the same moves are one game.
//!
//! Two games contradict each other if they cannot have the same occasion or the same players. Agreement is not
//! transitive: a game without a date contradicts neither of two games with different dates. So games are taken one by
//! one, and each joins the first group where it contradicts no game. The games with the most known details come first
//! (parts of the date, then players, then initials, then by path and number).

use std::cmp::Reverse;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::compared::ComparedGames;
use super::occasion::{EventRound, Occasion, dates_agree};
use super::player::Player;
use super::seen::{Places, SeenGame};
use super::{FEWEST_PLIES, LONG_PLIES};
use chessdb::game::{Date, Outcome};
use chessdb::{Keys, TextId};

/// Maximum number of different names of White or of Black in a group. Names that differ do not contradict each other if
/// their words do not, so hostile files could make one large group of them.
const MOST_NAMES: usize = 16;

/// Maximum number of different occasions in a group.
const MOST_OCCASIONS: usize = 32;

/// Maximum number of groups with the same surname that a game is compared with; the newest are compared.
const MOST_GROUPS: usize = 64;

/// A game of a group.
#[derive(Clone, Copy)]
pub(super) struct SameGame {
    pub(super) seen: SeenGame,
    pub(super) date: Date,
}

/// The groups of at least two games among games with the same moves; of short games, which have the same tags, too.
pub(super) fn groups(
    games: &ComparedGames<'_>,
    places: &Places,
    players: &mut Players,
    same: &[SeenGame],
) -> Vec<Vec<SameGame>> {
    let plies = same.first().map_or(0, |seen| seen.plies);
    let is_long = plies >= LONG_PLIES;
    let known = same.iter().filter_map(|seen| {
        let place = places.get(seen.event, seen.round);
        let known = KnownGame::of(games, players, seen.game, place, is_long)?;
        Some((*seen, known))
    });
    let known: Vec<(SeenGame, KnownGame)> = known.collect();
    let mut groups = if plies < FEWEST_PLIES {
        // Both players and the date must be known.
        let complete = known.into_iter().filter(|(_, game)| game.is_complete());
        let same = complete.map(|(seen, game)| SameGame {
            seen,
            date: game.occasion.date,
        });
        vec![same.collect()]
    } else {
        by_players(known, is_long)
    };
    groups.retain(|group| group.len() > 1);
    groups
}

/// Groups games whose players and occasions do not contradict each other.
fn by_players(mut known: Vec<(SeenGame, KnownGame)>, are_long: bool) -> Vec<Vec<SameGame>> {
    known.sort_by_key(|(_, game)| (Reverse(game.amount()), game.game));
    let mut groups: Vec<AgreeingGames> = Vec::new();
    // The groups by the surname in their first game. Games with a complete date are compared first with the groups of
    // this date, because all earlier groups have complete dates, too. Only long games can belong to a group of another
    // date.
    let mut by_key: FxHashMap<PlayerKey, Vec<u32>> = FxHashMap::default();
    // The group of each game, by everything that is compared, and how many changes there had been to groups by then. A
    // game with the same details joins the same group unless a group has changed since.
    let mut by_details: FxHashMap<_, (u32, u32)> = FxHashMap::default();
    let mut changes = 0;
    for (seen, game) in known {
        let details = (
            game.texts,
            game.occasion.date,
            game.outcome,
            seen.event,
            seen.round,
        );
        let same = SameGame {
            seen,
            date: game.occasion.date,
        };
        let earlier = by_details.get(&details).filter(|(at, _)| *at == changes);
        let number = match earlier {
            Some(&(_, number)) => number,
            None => {
                let (number, has_changed) = join(&mut groups, &mut by_key, game, are_long);
                changes += u32::from(has_changed);
                by_details.insert(details, (changes, number));
                number
            }
        };
        if let Some(group) = groups.get_mut(number as usize) {
            group.games.push(same);
        }
    }
    groups.into_iter().map(|group| group.games).collect()
}

/// Adds what is known about a game to the group where it fits best, or to a new group. Returns the number of the group,
/// and true if it is new or has something that none of its games had.
fn join(
    groups: &mut Vec<AgreeingGames>,
    by_key: &mut FxHashMap<PlayerKey, Vec<u32>>,
    game: KnownGame,
    are_long: bool,
) -> (u32, bool) {
    let date = Some(game.occasion.date).filter(|&date| is_complete(date));
    let keys = game.keys(date);
    let every_date = date.map(|_| game.keys(None)).unwrap_or_default();
    let others = every_date.iter().filter(|_| are_long);
    let found = keys.iter().chain(others).flat_map(|key| {
        let groups = by_key.get(key).into_iter().flatten();
        groups.rev().take(MOST_GROUPS)
    });
    let fits = found.filter_map(|&group| Some((groups.get(group as usize)?.fit(&game, are_long)?, group)));
    match fits
        .min()
        .and_then(|(_, number)| Some((number, groups.get_mut(number as usize)?)))
    {
        Some((number, group)) => (number, group.add(game)),
        None => {
            let number = groups.len() as u32;
            for key in keys.into_iter().chain(every_date) {
                by_key.entry(key).or_default().push(number);
            }
            groups.push(AgreeingGames::new(game));
            (number, true)
        }
    }
}

/// A colour and a surname, or none if both players are unknown; with a date if it is complete.
type PlayerKey = (Option<(usize, String)>, Option<(u16, u8, u8)>);

/// Players that were read before, by the number of the database and the id of the name.
pub(super) type Players = FxHashMap<(usize, TextId), Option<Rc<Player>>>;

/// What is known about a game.
pub(super) struct KnownGame {
    pub(super) game: u32,
    pub(super) occasion: Occasion,
    /// White and Black.
    pub(super) players: [Option<Rc<Player>>; 2],
    pub(super) outcome: Outcome,
    /// The number of its database, and the ids of the players there.
    texts: (usize, [TextId; 2]),
}

impl KnownGame {
    /// The event and round matter in a game of programs, and in a long game whose players are both known.
    pub(super) fn of(
        games: &ComparedGames<'_>,
        known: &mut Players,
        game: u32,
        place: Option<EventRound>,
        is_long: bool,
    ) -> Option<KnownGame> {
        let (number, compared, own) = games.place(game)?;
        let database = compared.database;
        let Keys {
            white,
            black,
            date,
            outcome,
            ..
        } = database.keys(own);
        let players = [white, black].map(|player| {
            let read = || Player::read(&database.text(player)).map(Rc::new);
            known.entry((number, player)).or_insert_with(read).clone()
        });
        let is_of_program = players.iter().flatten().any(|player| player.is_program());
        let counts = is_of_program || is_long && players.iter().all(Option::is_some);
        let place = place.filter(|_| counts);
        Some(KnownGame {
            game,
            occasion: Occasion {
                date,
                is_of_program: is_of_program && place.is_some(),
                place,
            },
            players,
            outcome,
            texts: (number, [white, black]),
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

    /// The keys of groups that may accept the game.
    fn keys(&self, date: Option<Date>) -> Vec<PlayerKey> {
        let date = date.map(|date| (date.year, date.month, date.day));
        let players = self.players.iter().enumerate();
        let named = players.flat_map(|(color, player)| {
            let readings = player.iter().flat_map(|player| player.readings());
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
    games: Vec<SameGame>,
    /// Whether the first game has a known White and a known Black.
    has_player: [bool; 2],
    /// The different occasions.
    occasions: Vec<Occasion>,
    /// The different names of White and of Black.
    players: [Vec<Rc<Player>>; 2],
    /// The different known results.
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
            let agrees = |player: &Rc<Player>| names.iter().all(|name| name.agrees(player));
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

    /// True if one player is the same in all the games, the other player is spelled differently, and neither results
    /// nor occasions differ.
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

    /// Adds what is known about a game. True if that is more than what is known about the other games.
    fn add(&mut self, game: KnownGame) -> bool {
        let mut is_new = false;
        if game.outcome != Outcome::Unknown {
            is_new |= add_new(&mut self.outcomes, game.outcome);
        }
        is_new |= add_new(&mut self.occasions, game.occasion);
        for (names, player) in self.players.iter_mut().zip(game.players) {
            is_new |= player.is_some_and(|player| add_new(names, player));
        }
        is_new
    }
}

/// Adds a value unless it is there. True if it was added.
fn add_new<T: PartialEq>(values: &mut Vec<T>, value: T) -> bool {
    let is_new = !values.contains(&value);
    if is_new {
        values.push(value);
    }
    is_new
}

/// True if the whole date is known.
pub(super) fn is_complete(date: Date) -> bool {
    date.year > 0 && date.month > 0 && date.day > 0
}
