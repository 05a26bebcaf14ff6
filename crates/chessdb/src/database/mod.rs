//! A database of any format, and code that the formats share.

#![deny(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used
)]

mod format;
mod options;
mod rows;
mod several;

use std::io;
use std::ops::ControlFlow;

use crate::board::ByColor;
use crate::game::{Date, Eco, Game, Outcome, RATINGS, Tags, rating};
use crate::problem::Problem;
use crate::replay::{Ply, main_line};
pub use format::{ByContent, Format, NotADatabase, Opened, SmallFiles};
pub use options::{Options, Passwords, PgnForm};
pub(crate) use rows::Rows;
pub(crate) use several::several;

/// The id of a text of one database, such as a player or an event. An id always means the same text, but a text may
/// have several ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TextId(pub u32);

/// The values that sort games: a few integers, read without decoding a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Keys {
    /// White's name.
    pub white: TextId,
    /// Black's name.
    pub black: TextId,
    /// The event.
    pub event: TextId,
    /// The day on which the game was played.
    pub date: Date,
    /// Year of the event if the format stores it in addition to the date, otherwise 0.
    pub event_year: u16,
    /// Opening code.
    pub eco: Option<Eco>,
    /// Result.
    pub outcome: Outcome,
    /// True if the game is marked as deleted in its database.
    pub deleted: bool,
}

impl Keys {
    /// The keys of a game that does not exist.
    pub(crate) const UNKNOWN: Keys = Keys {
        white: TextId(u32::MAX),
        black: TextId(u32::MAX),
        event: TextId(u32::MAX),
        date: Date {
            year: 0,
            month: 0,
            day: 0,
        },
        event_year: 0,
        eco: None,
        outcome: Outcome::Unknown,
        deleted: false,
    };

    /// Year of the event or, if it is not known, of the game; 0 if neither is known.
    pub fn year_of_event(&self) -> u16 {
        match self.event_year {
            0 => self.date.year,
            year => year,
        }
    }
}

/// An open database. Games are numbered from 0 here, and from 1 in everything that users see.
///
/// Reading never fails as a whole: damage is a [`Problem`] and a remark in the game.
///
/// # Required
///
/// [`len`](Database::len), [`keys`](Database::keys), [`text`](Database::text) and [`game`](Database::game) are enough
/// for a format: `examples/own_format.rs` has one in forty lines. The other methods have defaults that use these.
///
/// # Tags
///
/// Implement [`tags`](Database::tags), [`site`](Database::site) and [`ratings`](Database::ratings) if the format can
/// read them without decoding a move. Searches and tables call them for all games.
///
/// # Fast paths
///
/// [`main_line`](Database::main_line) is for formats whose main lines are quicker to read than whole games. Searches
/// for positions call it for every game. [`has_only_moves`](Database::has_only_moves) saves decoding games that occur
/// more than once.
///
/// # Apart from the games
///
/// [`info`](Database::info), [`problems`](Database::problems) and [`folders`](Database::folders) are about the
/// database as a whole, [`as_files`](Database::as_files) is for programs that mount it.
pub trait Database: Send + Sync {
    // Required.

    /// Number of games. If counting needs a pass over all records, and a file was changed before that pass, it is
    /// [`AsFiles::uncounted`].
    fn len(&self) -> u32;

    /// The values that games are sorted by. All are unknown unless `game < len()`.
    fn keys(&self, game: u32) -> Keys;

    /// The text of an id, as stored in the database; `?` if it is unknown.
    fn text(&self, id: TextId) -> String;

    /// The whole game.
    fn game(&self, game: u32) -> Decoded;

    // Tags.

    /// All tags of a game. Most formats decode no move for them.
    fn tags(&self, game: u32) -> Tags {
        self.game(game).game.tags
    }

    /// The text of the tag `Site`, as an id; `None` if it has to be read from [`Database::tags`].
    fn site(&self, game: u32) -> Option<TextId> {
        let _ = game;
        None
    }

    /// The ratings of the players; `None` for a tag without a valid [rating].
    fn ratings(&self, game: u32) -> ByColor<Option<u16>> {
        ratings_of(&self.tags(game))
    }

    // Fast paths.

    /// Passes the legal moves of a game's main line to `each`, one by one, until it breaks. No text is decoded and no
    /// SAN is made if the format does not need them, so this is much faster than [`Database::game`].
    fn main_line(&self, game: u32, each: &mut dyn FnMut(&Ply<'_>) -> ControlFlow<()>) {
        main_line(&self.game(game).game, each);
    }

    /// True if a game certainly has no comments, glyphs and variations, and a format sees that faster than it decodes the
    /// game.
    fn has_only_moves(&self, game: u32) -> bool {
        let _ = game;
        false
    }

    /// True without games.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    // Apart from the games.

    /// Information about the database besides its games.
    fn info(&self) -> Info {
        Info::default()
    }

    /// Problems of the database itself that were found when it was opened or its games were counted.
    fn problems(&self) -> &[Problem] {
        &[]
    }

    /// The database's own folders of games.
    fn folders(&self) -> Vec<Folder> {
        Vec::new()
    }

    /// The methods for a program that shows databases as files.
    fn as_files(&self) -> &dyn AsFiles {
        &NoFiles
    }
}

/// The ratings in tags.
pub(crate) fn ratings_of(tags: &Tags) -> ByColor<Option<u16>> {
    let rating = |name: &str| tags.get(name).and_then(rating);
    ByColor {
        white: rating("WhiteElo"),
        black: rating("BlackElo"),
    }
}

/// The ratings in tags with these numbers; 0 means that the tag is missing.
pub(crate) fn ratings_of_numbers<N: TryInto<u16>>([white, black]: [N; 2]) -> ByColor<Option<u16>> {
    let rating = |number: N| {
        let number = number.try_into().ok();
        number.filter(|number| RATINGS.contains(number))
    };
    ByColor {
        white: rating(white),
        black: rating(black),
    }
}

/// Additional methods for a program that shows databases as files: whether calls take long, stored texts whose length
/// is known in advance, and files besides the games.
pub trait AsFiles {
    /// An upper bound for the number of games, as long as [`Database::len`] would have to read all records. `None` if
    /// it returns at once.
    ///
    /// If a file is changed before the records are read, the bound remains.
    fn uncounted(&self) -> Option<u32> {
        None
    }

    /// False if the next call of [`Database::keys`] has to read all records first.
    fn is_prepared(&self) -> bool {
        true
    }

    /// Size in bytes of a game's record; decoding takes time in proportion. `None` if finding the size would mean
    /// reading the record.
    fn record_len(&self, game: u32) -> Option<u64> {
        let _ = game;
        None
    }

    /// Size in bytes of the stored text that is shown for a game; `None` if games are decoded to be shown. Either all
    /// games of a database have such texts, or no game has one.
    fn stored_len(&self, game: u32) -> Option<u32> {
        let _ = game;
        None
    }

    /// Appends the text whose length [`AsFiles::stored_len`] returns; returns false if games are shown decoded.
    fn append_stored(&self, game: u32, out: &mut Vec<u8>) -> bool {
        let _ = (game, out);
        false
    }

    /// The directory of the members, if all records must be read to find them. It is shown even if it turns out to be
    /// empty.
    fn member_directory(&self) -> Option<&'static str> {
        None
    }

    /// Raw files inside the database.
    fn members(&self) -> Vec<Member> {
        Vec::new()
    }

    /// Reads bytes of a member from `offset` into `buffer` and returns their number; 0 at its end.
    ///
    /// # Errors
    /// [`io::ErrorKind::NotFound`] for a member that does not exist.
    fn read_member(&self, member: usize, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let _ = (member, offset, buffer);
        Err(io::ErrorKind::NotFound.into())
    }

    /// Names of further PGN documents of the database, each with one game: `book.pgn`.
    fn documents(&self) -> &[&'static str] {
        &[]
    }

    /// The game of a document, made on demand. The games already report its problems.
    fn document(&self, document: usize) -> Game {
        let _ = document;
        Game::default()
    }
}

/// The default, for a database without files besides its games, whose methods all return at once.
struct NoFiles;

impl AsFiles for NoFiles {}

impl dyn Database + '_ {
    /// All games, in the order of their numbers.
    pub fn games(&self) -> impl DoubleEndedIterator<Item = Decoded> + ExactSizeIterator {
        (0..self.len()).map(|game| self.game(game))
    }
}

/// A database, or one of several in an archive.
pub struct NamedDatabase {
    /// The name of its main file, if the archive has several databases.
    pub name: Option<String>,
    /// The database.
    pub database: Box<dyn Database>,
}

impl NamedDatabase {
    /// The only database of its files.
    pub fn only(database: impl Database + 'static) -> Vec<NamedDatabase> {
        vec![NamedDatabase {
            name: None,
            database: Box::new(database),
        }]
    }
}

/// A decoded game and its problems.
#[derive(Clone, Debug, Default)]
pub struct Decoded {
    /// The game. Parts that cannot be read are missing.
    pub game: Game,
    /// The problems found in it.
    pub problems: Vec<Problem>,
}

/// Information about an open database.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Info {
    /// Rows of name and value, such as layout, reading and encoding.
    pub rows: Vec<(&'static str, String)>,
    /// Oddities that affect no game, in lower case, without a full stop.
    pub warnings: Vec<String>,
}

/// A raw file inside a database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// The directory that shows it, such as `emb`; empty if it is shown next to the games.
    pub directory: &'static str,
    /// Its own name, as stored in the database.
    pub name: String,
    /// Length in bytes.
    pub size: u64,
}

/// One of the database's own folders. Folders form a forest; a parent precedes its children.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folder {
    /// Index of the parent in the list; `None` for a root.
    pub parent: Option<usize>,
    /// Its own name, as stored in the database.
    pub name: String,
    /// Its games, in the order of the folder.
    pub games: Vec<u32>,
}
