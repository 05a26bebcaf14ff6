//! Tests the tags of games against a query.

use super::Query;
use super::answer::SearchedGames;
use super::asked_game::AskedGame;
use super::compare::has_database;
use super::question::{KnownTexts, TagQuestion};
use super::sides::{BOTH, PlayerSides, Sides};
use super::tag_term::TagTerm;
use super::value::TagSource;
use crate::task;

/// A query, prepared for one database.
pub(super) struct Evaluator<'a> {
    searched: &'a SearchedGames<'a>,
    /// The terms, sorted by how much they read.
    terms: Vec<AskedTerm<'a>>,
    /// The only player in the query. Every term about a player then means this one.
    player: Option<AskedTerm<'a>>,
    /// Deleted games are left out.
    leaves_out_deleted: bool,
    /// True if the query covers this database.
    pub(super) has_database: bool,
}

/// A term, with a cache of its results for texts.
struct AskedTerm<'a> {
    term: &'a TagTerm,
    source: TagSource,
    holds: fn(&TagQuestion<'_>) -> Sides,
    known: KnownTexts,
}

impl<'a> Evaluator<'a> {
    pub(super) fn new(query: &'a Query, searched: &'a SearchedGames<'a>) -> Evaluator<'a> {
        let games = searched.database.len();
        let asked = |term: &'a TagTerm| AskedTerm {
            term,
            source: term.source(),
            holds: term.field.tags().map_or(|_| BOTH, |tags| tags.holds),
            known: KnownTexts::new(games),
        };
        let mut players = query.tags.iter().filter(|term| term.is_player());
        let player = players.next().filter(|_| players.next().is_none());
        let is_player = |term: &TagTerm| player.is_some_and(|player| std::ptr::eq(player, term));
        let is_of_database = |term: &&TagTerm| term.field.is("db");
        let mut databases = query.tags.iter().filter(is_of_database);
        let has_database = databases.all(|term| has_database(&term.values, searched.path) != term.is_negated);
        let others = query
            .tags
            .iter()
            .filter(|term| !is_player(term) && !is_of_database(term));
        let mut terms: Vec<AskedTerm<'a>> = others.map(asked).collect();
        terms.sort_by_key(|term| term.source);
        Evaluator {
            searched,
            terms,
            player: player.map(asked),
            leaves_out_deleted: !query.tags.iter().any(|term| term.field.is("deleted")),
            has_database,
        }
    }

    /// True if some games, apart from deleted ones, can be left out by terms that read no more than `most` of a game.
    pub(super) fn is_choosy(&self, most: TagSource) -> bool {
        let first = self.terms.first();
        self.searched.among.is_some()
            || self.player.is_some()
            || first.is_some_and(|first| first.source <= most)
    }

    /// True if some terms read more than `most` of a game.
    pub(super) fn reads_more_than(&self, most: TagSource) -> bool {
        self.terms.last().is_some_and(|last| last.source > most)
    }

    /// True if all terms that read no more than `most` of a game hold for it.
    pub(super) fn holds(&self, game: u32, most: TagSource) -> bool {
        self.player_sides(game, most).held != 0
    }

    /// The sides for which the terms hold if that side is the player.
    pub(super) fn player_sides(&self, game: u32, most: TagSource) -> PlayerSides {
        if self.searched.among.is_some_and(|among| !among.has(game)) {
            return PlayerSides::NONE;
        }
        let asked = AskedGame::new(self.searched.database, game);
        if self.leaves_out_deleted && asked.keys.deleted {
            return PlayerSides::NONE;
        }
        let named = self
            .player
            .as_ref()
            .map_or(BOTH, |player| self.sides(player, &asked));
        let mut held = named;
        for term in self.terms.iter().take_while(|term| term.source <= most) {
            if held == 0 {
                break;
            }
            if term.source == TagSource::Game {
                task::check();
            }
            let sides = self.sides(term, &asked);
            if !term.term.is_negated {
                held &= sides;
            } else if sides & named != 0 {
                return PlayerSides::NONE;
            }
        }
        PlayerSides { named, held }
    }

    /// The sides for which a term holds if that side is the player, whether or not the term is negated.
    #[inline]
    fn sides(&self, asked: &AskedTerm<'_>, game: &AskedGame<'_>) -> Sides {
        let player = self.player.as_ref();
        (asked.holds)(&TagQuestion {
            game,
            values: &asked.term.values,
            tag: &asked.term.tag,
            known: &asked.known,
            shown: self.searched.names,
            has_player: player.is_some(),
            is_player: player.is_some_and(|player| std::ptr::eq(player, asked)),
        })
    }
}
