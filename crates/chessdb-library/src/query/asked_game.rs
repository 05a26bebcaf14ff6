//! The parts of a game that terms read.

use std::borrow::Cow;
use std::cell::OnceCell;

use super::value::GamePart;
use crate::annotations::is_evaluated;
use crate::openings::OpeningName;
use crate::table::known;
use chessdb::board::ByColor;
use chessdb::game::{Tags, Token};
use chessdb::{Database, Decoded, Keys, TextId};

/// The names of the commands in comments that a part of a game is made of.
fn commands(part: GamePart) -> &'static [&'static str] {
    match part {
        // Time left, time used for the move, and used in all.
        GamePart::Clock => &["clk", "emt", "egt"],
        GamePart::Evaluations => &["eval"],
        // Arrows and marked squares; Scid draws both with one command.
        GamePart::Arrows => &["cal", "csl", "draw"],
        GamePart::Comments | GamePart::Variations | GamePart::Chess960 => &[],
    }
}

/// The name at the start of a command's text.
fn name_of_command(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric());
    text.get(..end.unwrap_or(text.len())).unwrap_or_default()
}

/// A game to test terms on. Reads only what they need.
pub(super) struct AskedGame<'a> {
    database: &'a dyn Database,
    game: u32,
    pub(super) keys: Keys,
    tags: OnceCell<Tags>,
    ratings: OnceCell<ByColor<Option<i64>>>,
    opening: OnceCell<Option<OpeningName>>,
    decoded: OnceCell<Decoded>,
}

impl<'a> AskedGame<'a> {
    pub(super) fn new(database: &'a dyn Database, game: u32) -> AskedGame<'a> {
        AskedGame {
            database,
            game,
            keys: database.keys(game),
            tags: OnceCell::new(),
            ratings: OnceCell::new(),
            opening: OnceCell::new(),
            decoded: OnceCell::new(),
        }
    }

    pub(super) fn text(&self, id: TextId) -> String {
        self.database.text(id)
    }

    pub(super) fn tags(&self) -> &Tags {
        self.tags.get_or_init(|| self.database.tags(self.game))
    }

    pub(super) fn tag(&self, name: &str) -> Option<Cow<'_, str>> {
        self.tags().get(name).and_then(known)
    }

    pub(super) fn site(&self) -> Option<TextId> {
        self.database.site(self.game)
    }

    pub(super) fn decoded(&self) -> &Decoded {
        self.decoded.get_or_init(|| self.database.game(self.game))
    }

    /// The opening by the moves of the main line.
    pub(super) fn opening(&self) -> Option<OpeningName> {
        let of_game = || OpeningName::of_game(self.database, self.game);
        *self.opening.get_or_init(of_game)
    }

    pub(super) fn ratings(&self) -> ByColor<Option<i64>> {
        *self.ratings.get_or_init(|| {
            let ratings = self.database.ratings(self.game);
            ratings.map(|rating| rating.map(i64::from))
        })
    }

    /// Number of full moves of the main line.
    pub(super) fn moves(&self) -> i64 {
        let plies = self.decoded().game.movetext.main_line().count();
        (plies as i64 + 1) / 2
    }

    pub(super) fn comments(&self) -> impl Iterator<Item = &str> {
        let movetext = &self.decoded().game.movetext;
        movetext.tokens().iter().filter_map(|token| match token {
            Token::Comment(range) => Some(movetext.text(*range)),
            _ => None,
        })
    }

    pub(super) fn has(&self, content: GamePart) -> bool {
        match content {
            GamePart::Comments => self.comments().next().is_some(),
            GamePart::Clock | GamePart::Evaluations | GamePart::Arrows => {
                let has_one = |comment: &str| {
                    let mut names = comment.split("[%").skip(1).map(name_of_command);
                    names.any(|name| commands(content).contains(&name))
                        || content == GamePart::Evaluations && is_evaluated(comment)
                };
                self.comments().any(has_one)
            }
            GamePart::Chess960 => self.tags().is_chess960(),
            GamePart::Variations => {
                let tokens = self.decoded().game.movetext.tokens();
                tokens.contains(&Token::VariationStart)
            }
        }
    }
}
