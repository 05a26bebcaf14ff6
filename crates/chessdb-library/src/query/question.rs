//! Tests a term on a game.

use std::sync::OnceLock;

use super::asked_game::AskedGame;
use super::compare::{has_round, has_text};
use super::sides::{Sides, both, each};
use super::value::TagValue;
use super::verdicts::TextVerdicts;
use crate::openings::{opening, with_other_names};
use crate::spelling::Names;
use crate::table::known;
use crate::time_control::Speed;
use chessdb::TextId;
use chessdb::board::{Fen, Position};
use chessdb::game::Eco;

/// The game and the term that the test of a field decides about.
pub(super) struct TagQuestion<'a> {
    pub(super) game: &'a AskedGame<'a>,
    /// The values of the term. At least one must hold.
    pub(super) values: &'a [TagValue],
    /// The tag of `tag:`, in small letters.
    pub(super) tag: &'a str,
    pub(super) known: &'a KnownTexts,
    /// The names that are shown for players, if spellings are joined.
    pub(super) shown: Option<&'a Names>,
    /// The query speaks of one player.
    pub(super) has_player: bool,
    /// The term names this player.
    pub(super) is_player: bool,
}

/// The results of comparing texts with a term.
pub(super) struct KnownTexts {
    /// Names of players, which count in two spellings.
    names: OnceLock<TextVerdicts>,
    /// Other texts.
    texts: OnceLock<TextVerdicts>,
    /// A number that most ids are below.
    ids: usize,
}

impl KnownTexts {
    /// For a database with a number of games.
    pub(super) fn new(games: u32) -> KnownTexts {
        KnownTexts {
            names: OnceLock::new(),
            texts: OnceLock::new(),
            ids: 2 * games as usize,
        }
    }

    #[inline]
    fn name(&self, id: TextId, is_wanted: impl FnOnce() -> bool) -> bool {
        let names = self.names.get_or_init(|| TextVerdicts::new(self.ids));
        names.get(id, is_wanted)
    }

    #[inline]
    fn text(&self, id: TextId, is_wanted: impl FnOnce() -> bool) -> bool {
        let texts = self.texts.get_or_init(|| TextVerdicts::new(self.ids));
        texts.get(id, is_wanted)
    }
}

impl TagQuestion<'_> {
    /// True if one of the values holds.
    pub(super) fn any(&self, holds: impl Fn(&TagValue) -> bool) -> bool {
        self.values.iter().any(holds)
    }

    /// True if a player's name matches, as stored or as shown.
    #[inline]
    pub(super) fn name(&self, id: TextId) -> bool {
        self.known.name(id, || {
            let stored = self.game.text(id);
            let shown = self.shown.and_then(|names| names.other(&stored));
            self.text(known(&stored).as_deref())
                || shown.is_some_and(|shown| self.text(known(shown).as_deref()))
        })
    }

    /// True if the text of an event or a site matches.
    #[inline]
    pub(super) fn text_of(&self, id: TextId) -> bool {
        let is_wanted = || self.text(known(&self.game.text(id)).as_deref());
        self.known.text(id, is_wanted)
    }

    /// True if a text matches; `None` is an unknown one.
    pub(super) fn text(&self, text: Option<&str>) -> bool {
        has_text(self.values, text)
    }

    /// True if the value of a tag matches.
    pub(super) fn tag(&self, name: &str) -> bool {
        self.text(self.game.tag(name).as_deref())
    }

    /// True if a number matches; `None` is an unknown one.
    pub(super) fn number(&self, number: Option<i64>) -> bool {
        self.any(|value| value.has_number(number))
    }

    /// The sides whose player is named.
    pub(super) fn player(&self) -> Sides {
        let keys = &self.game.keys;
        let sides = each(self.name(keys.white), self.name(keys.black));
        if self.is_player { sides } else { both(sides != 0) }
    }

    /// True if White, Black or the event has the words.
    pub(super) fn word(&self) -> bool {
        let keys = &self.game.keys;
        self.name(keys.white) || self.name(keys.black) || self.text_of(keys.event)
    }

    pub(super) fn site(&self) -> bool {
        match self.game.site() {
            Some(site) => self.text_of(site),
            None => self.tag("Site"),
        }
    }

    /// True if one of several tags with the same meaning matches; the value is unknown if the game has none of them.
    pub(super) fn tags(&self, names: &[&str]) -> bool {
        let known: Vec<_> = names.iter().filter_map(|name| self.game.tag(name)).collect();
        if known.is_empty() {
            return self.text(None);
        }
        known.iter().any(|value| self.text(Some(value)))
    }

    /// True if the value of the tag that the term names matches.
    pub(super) fn named_tag(&self) -> bool {
        let mut tags = self.game.tags().iter();
        let value = tags.find(|(name, _)| name.eq_ignore_ascii_case(self.tag));
        self.text(value.and_then(|(_, value)| known(value)).as_deref())
    }

    pub(super) fn round(&self) -> bool {
        has_round(self.values, self.game.tag("Round").as_deref())
    }

    /// The sides whose ratings match: both together or, for a player, each by its own rating.
    pub(super) fn ratings(&self) -> Sides {
        let ratings = self.game.ratings();
        let (white, black) = (self.number(ratings.white), self.number(ratings.black));
        if self.has_player {
            each(white, black)
        } else {
            both(white && black)
        }
    }

    /// White's rating minus Black's, or the player's minus the opponent's.
    pub(super) fn difference(&self) -> Sides {
        let ratings = self.game.ratings();
        let difference = ratings.white.zip(ratings.black);
        let difference = difference.map(|(white, black)| white - black);
        let white = self.number(difference);
        if self.has_player {
            each(white, self.number(difference.map(|difference| -difference)))
        } else {
            both(white)
        }
    }

    /// True if the month of the game matches.
    pub(super) fn month(&self) -> bool {
        let month = self.game.keys.date.month;
        self.number((month > 0).then_some(month.into()))
    }

    pub(super) fn date(&self) -> bool {
        let date = self.game.keys.date;
        self.any(|value| match value {
            TagValue::Unknown => date.year == 0,
            TagValue::Date(days) => days.may_have(date),
            _ => false,
        })
    }

    /// True if the opening code matches: from the tag or, if the tag is missing, from the moves. Only a missing tag
    /// counts as unknown.
    pub(super) fn code(&self) -> bool {
        let code = self.game.keys.eco.map(code);
        let by_moves = || self.game.opening()?.eco.as_bytes().try_into().ok();
        self.any(|value| match (value, code) {
            (TagValue::Unknown, code) => code.is_none(),
            (value, Some(code)) => value.has_code(Some(code)),
            (value, None) => value.has_code(by_moves()),
        })
    }

    /// True if the name of the opening matches: by the code, in the tag `Opening`, or by the moves.
    pub(super) fn opening(&self) -> bool {
        let code = self.game.keys.eco.map(code);
        let number = code.as_ref().and_then(number_of_code);
        let name = || opening(std::str::from_utf8(code.as_ref()?).ok()?);
        // A whole name is compared without its other names.
        let is_wanted = |name: &str| self.text(Some(name)) || self.text(Some(&with_other_names(name)));
        let by_code = number.map(|number| {
            let is_wanted = || name().is_some_and(is_wanted);
            self.known.text(TextId(number), is_wanted)
        });
        if by_code == Some(true) {
            return true;
        }
        let tag = self.game.tag("Opening");
        if tag.as_deref().is_some_and(is_wanted) {
            return true;
        }
        let by_moves = self.game.opening();
        match by_moves {
            Some(opening) => {
                // After the numbers of codes.
                let number = TextId(CODES + u32::from(opening.number));
                self.known.text(number, || is_wanted(opening.name))
            }
            None => by_code.is_none() && tag.is_none() && self.text(None),
        }
    }

    /// True if the speed that follows from a known time control matches.
    pub(super) fn speed(&self) -> bool {
        let speed = self
            .game
            .tag("TimeControl")
            .map(|control| Speed::of_time_control(&control));
        self.any(|value| match (value, speed) {
            (TagValue::Unknown, speed) => speed.is_none(),
            (TagValue::Speed(wanted), Some(speed)) => wanted.contains(&speed),
            _ => false,
        })
    }

    /// The sides for whose player the result matches.
    pub(super) fn result(&self) -> Sides {
        let sides = self
            .values
            .iter()
            .map(|value| value.sides_of_result(self.game.keys.outcome));
        sides.fold(0, |all, sides| all | sides)
    }

    pub(super) fn deleted(&self) -> bool {
        self.any(|value| match value {
            TagValue::Deleted(is_deleted) => self.game.keys.deleted == *is_deleted,
            value => *value == TagValue::Any,
        })
    }

    /// True if the game has one of the wanted tags or parts.
    pub(super) fn part(&self) -> bool {
        self.any(|value| match value {
            TagValue::Has(part) => self.game.has(*part),
            TagValue::HasTag(wanted) => {
                let mut tags = self.game.tags().iter();
                tags.any(|(name, value)| {
                    name.eq_ignore_ascii_case(wanted)
                        && known(value).is_some()
                        && !(name == "FEN" && is_usual_start(value))
                })
            }
            _ => false,
        })
    }

    /// True if a comment has the words.
    pub(super) fn comment(&self) -> bool {
        let mut comments = self.game.comments();
        comments.any(|comment| self.text(Some(comment)))
    }
}

/// Number of ECO codes.
const CODES: u32 = 500;

/// The number of an ECO code.
fn number_of_code(code: &[u8; 3]) -> Option<u32> {
    let [letter @ b'A'..=b'E', tens @ b'0'..=b'9', ones @ b'0'..=b'9'] = code else {
        return None;
    };
    let digits = u32::from(tens - b'0') * 10 + u32::from(ones - b'0');
    Some(u32::from(letter - b'A') * 100 + digits)
}

/// A code in capital letters.
fn code(eco: Eco) -> [u8; 3] {
    let mut code = [0; 3];
    for (to, from) in code.iter_mut().zip(eco.as_str().bytes()) {
        *to = from.to_ascii_uppercase();
    }
    code
}

/// True for a FEN of the usual start position.
fn is_usual_start(fen: &str) -> bool {
    Fen::parse(fen).is_ok_and(|read| read.position == Position::initial())
}
