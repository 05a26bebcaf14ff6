//! Whether the tags of a game are what a query asks for.

use super::Query;
use super::answer::Searched;
use super::asked_game::AskedGame;
use super::field::QueryField;
use super::remembered::Remembered;
use super::sides::{BOTH, PlayerSides, Sides};
use super::tag_term::{TagSource, TagSubject, TagTerm};
use super::value::TagValue;
use crate::cancel;
use crate::table::{known, opening};
use chessdb::board::ByColor;
use chessdb::formats::TextId;
use chessdb::game::Eco;

/// A query that is asked of a database.
pub(super) struct Evaluator<'a> {
    searched: &'a Searched<'a>,
    /// Sorted by what they read.
    terms: Vec<AskedTerm<'a>>,
    /// The only player that is asked for: all that is said of a player is said of this one.
    player: Option<AskedTerm<'a>>,
    /// Deleted games are left out.
    leaves_out_deleted: bool,
    /// The database is one of those that are asked for.
    pub(super) has_database: bool,
}

/// A term, and what was found out about texts for it.
struct AskedTerm<'a> {
    term: &'a TagTerm,
    source: TagSource,
    names: Option<Remembered>,
    events_or_sites: Option<Remembered>,
    openings: Option<Remembered>,
}

/// The tags that name the source of a game.
const SOURCES: [&str; 2] = ["Source", "SourceTitle"];

/// Number of opening codes from A00 to E99.
const CODES: usize = 500;

impl<'a> AskedTerm<'a> {
    fn new(term: &'a TagTerm, games: u32) -> AskedTerm<'a> {
        use QueryField as F;
        let field = term.field();
        let has_names = matches!(field, None | Some(F::Player | F::White | F::Black | F::Opponent));
        let has_ids = matches!(field, None | Some(F::Event | F::Site));
        AskedTerm {
            term,
            source: term.source(),
            names: has_names.then(|| Remembered::new(2 * games as usize)),
            events_or_sites: has_ids.then(|| Remembered::new(2 * games as usize)),
            openings: (field == Some(F::Opening)).then(|| Remembered::new(CODES)),
        }
    }
}

impl<'a> Evaluator<'a> {
    pub(super) fn new(query: &'a Query, searched: &'a Searched<'a>) -> Evaluator<'a> {
        let games = searched.database.len();
        let asked = |term| AskedTerm::new(term, games);
        let mut players = query.tags.iter().filter(|term| term.is_player());
        let player = players.next().filter(|_| players.next().is_none());
        let is_player = |term: &TagTerm| player.is_some_and(|player| std::ptr::eq(player, term));
        let is_of_database = |term: &&TagTerm| term.field() == Some(QueryField::Db);
        let mut databases = query.tags.iter().filter(is_of_database);
        let has_database = databases.all(|term| term.has_database(searched.path) != term.is_negated);
        let others = query
            .tags
            .iter()
            .filter(|term| !is_player(term) && !is_of_database(term));
        let mut terms: Vec<AskedTerm<'a>> = others.map(asked).collect();
        terms.sort_by_key(|term| term.source);
        let mut fields = query.tags.iter().map(TagTerm::field);
        Evaluator {
            searched,
            terms,
            player: player.map(asked),
            leaves_out_deleted: !fields.any(|field| field == Some(QueryField::Deleted)),
            has_database,
        }
    }

    /// True if terms that read no more than `most` of a game leave out some, apart from deleted ones.
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

    /// True if all terms hold for a game that read no more than `most` of it.
    pub(super) fn holds(&self, game: u32, most: TagSource) -> bool {
        self.player_sides(game, most).held != 0
    }

    /// The sides as whose player they hold.
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
                cancel::check();
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

    /// The sides as whose player a term holds, whether or not it is negated.
    fn sides(&self, asked: &AskedTerm<'_>, game: &AskedGame<'_>) -> Sides {
        use QueryField as F;
        let has_player = self.player.is_some();
        let keys = &game.keys;
        let both = |is_held: bool| if is_held { BOTH } else { 0 };
        let each = |white: bool, black: bool| Sides::from(white) | Sides::from(black) << 1;
        let name = |id: TextId| self.has_name(asked, id);
        let number = |number: Option<i64>| asked.term.values.iter().any(|value| value.has_number(number));
        let tag = |name: &str| asked.term.has_text(game.tag(name).as_deref());
        let field = match &asked.term.subject {
            TagSubject::Word => {
                let is_held =
                    name(keys.white) || name(keys.black) || self.has_event_or_site(asked, keys.event);
                return both(is_held);
            }
            TagSubject::Tag(wanted) => {
                let mut tags = game.tags().iter();
                let value = tags.find(|(name, _)| name.eq_ignore_ascii_case(wanted));
                return both(
                    asked
                        .term
                        .has_text(value.and_then(|(_, value)| known(value)).as_deref()),
                );
            }
            TagSubject::Field(field) => *field,
        };
        match field {
            F::Player => {
                let sides = each(name(keys.white), name(keys.black));
                let is_the_player = self
                    .player
                    .as_ref()
                    .is_some_and(|player| std::ptr::eq(player, asked));
                if is_the_player { sides } else { both(sides != 0) }
            }
            F::Opponent => each(name(keys.black), name(keys.white)),
            F::White => both(name(keys.white)),
            F::Black => both(name(keys.black)),
            F::Event => both(self.has_event_or_site(asked, keys.event)),
            F::Site => both(match game.site() {
                Some(site) => self.has_event_or_site(asked, site),
                None => tag("Site"),
            }),
            F::Annotator => both(tag("Annotator")),
            F::Source => {
                let sources = SOURCES.map(|name| game.tag(name));
                let mut known = sources.iter().flatten().peekable();
                both(match known.peek() {
                    Some(_) => known.any(|source| asked.term.has_text(Some(source))),
                    None => asked.term.has_text(None),
                })
            }
            F::Team => both(tag("WhiteTeam") || tag("BlackTeam")),
            F::Round => both(asked.term.has_round(game.tag("Round").as_deref())),
            F::Elo => {
                let ByColor { white, black } = game.ratings();
                let sides = each(number(white), number(black));
                if has_player { sides } else { both(sides == BOTH) }
            }
            F::WhiteElo => both(number(game.ratings().white)),
            F::BlackElo => both(number(game.ratings().black)),
            F::OpponentElo => {
                let ByColor { white, black } = game.ratings();
                each(number(black), number(white))
            }
            F::EloDiff => {
                let ByColor { white, black } = game.ratings();
                let difference = white.zip(black).map(|(white, black)| white - black);
                if has_player {
                    each(
                        number(difference),
                        number(difference.map(|difference| -difference)),
                    )
                } else {
                    both(number(difference))
                }
            }
            F::Moves => both(number(Some(game.moves()))),
            F::Eco => {
                let code = keys.eco.map(code);
                both(asked.term.values.iter().any(|value| value.has_code(code)))
            }
            F::Opening => both(asked.has_opening(keys.eco.map(code))),
            F::Result => {
                let sides = |value: &TagValue| value.sides_of_result(keys.outcome);
                asked
                    .term
                    .values
                    .iter()
                    .map(sides)
                    .fold(0, |all, sides| all | sides)
            }
            F::Text => both(
                game.comments()
                    .any(|comment| asked.term.has_text(known(comment).as_deref())),
            ),
            _ => both(asked.term.values.iter().any(|value| match value {
                TagValue::Unknown => keys.date.year == 0,
                TagValue::Date(days) => days.may_have(keys.date),
                TagValue::Deleted(is_deleted) => keys.deleted == *is_deleted,
                TagValue::Any => true,
                TagValue::Has(content) => game.has(*content),
                TagValue::HasTag(wanted) => {
                    let mut tags = game.tags().iter();
                    tags.any(|(name, value)| name.eq_ignore_ascii_case(wanted) && known(value).is_some())
                }
                _ => false,
            })),
        }
    }

    /// True if a player's name is asked for: as it is stored, or as it is shown.
    #[inline]
    fn has_name(&self, asked: &AskedTerm<'_>, id: TextId) -> bool {
        let has_name = || {
            let stored = self.searched.database.text(id);
            let shown = self.searched.names.and_then(|names| names.other(&stored));
            asked.term.has_text(known(&stored).as_deref())
                || shown.is_some_and(|shown| asked.term.has_text(known(shown).as_deref()))
        };
        let names = asked.names.as_ref();
        names.is_some_and(|names| names.get(id, has_name))
    }

    /// True if an event or a site is asked for.
    #[inline]
    fn has_event_or_site(&self, asked: &AskedTerm<'_>, id: TextId) -> bool {
        let is_held = || {
            let text = self.searched.database.text(id);
            asked.term.has_text(known(&text).as_deref())
        };
        let texts = asked.events_or_sites.as_ref();
        texts.is_some_and(|texts| texts.get(id, is_held))
    }
}

impl AskedTerm<'_> {
    fn has_opening(&self, code: Option<[u8; 3]>) -> bool {
        let has_opening = || {
            let name = code
                .as_ref()
                .and_then(|code| opening(std::str::from_utf8(code).ok()?));
            self.term.has_text(name)
        };
        let number = match code {
            Some([letter @ b'A'..=b'E', tens @ b'0'..=b'9', ones @ b'0'..=b'9']) => {
                u32::from(letter - b'A') * 100 + u32::from(tens - b'0') * 10 + u32::from(ones - b'0')
            }
            // It has no name.
            _ => return has_opening(),
        };
        let openings = self.openings.as_ref();
        openings.is_some_and(|openings| openings.get(TextId(number), has_opening))
    }
}

/// A code in capital letters.
fn code(eco: Eco) -> [u8; 3] {
    let mut code = [0; 3];
    for (to, from) in code.iter_mut().zip(eco.as_str().bytes()) {
        *to = from.to_ascii_uppercase();
    }
    code
}
