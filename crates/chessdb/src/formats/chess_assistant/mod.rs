//! Chess Assistant, the Russian database program (1990s on), by the description of its closed format.
//!
//! | file | contents |
//! |---|---|
//! | `.cdp` | the program that made the database, number of games, a comment ([`cdp`]) |
//! | `.d00` | headers of 38 bytes ([`header`]) |
//! | `.a02` | i32 per GameID: place of the record in `.d02`, or the negated id of another entry ([`address`]) |
//! | `.d02` | records: length, then codes for moves, variations and comments ([`record`], [`codes`]) |
//! | `.emb` | a mini file system ([`emb`]) with players, events, places and sources ([`names`]) |
//!
//! All integers are little endian. Section numbers in this module refer to `docs/formats/chess-assistant.md`.

mod address;
mod annotation;
mod cdp;
mod codes;
mod emb;
mod encoding;
mod game;
mod header;
mod line;
mod names;
mod open;
mod outline;
mod pieces;
mod reading;
mod record;
mod replay;
mod setup;
mod steps;

use std::io;
use std::ops::ControlFlow;

use self::header::Header;
use self::names::{Kind, Names, text_id};
use self::reading::CodeReading;
use crate::board::ByColor;
use crate::bytes::slice;
use crate::database::{
    AsFiles, Database, Decoded, Format, Info, Keys, Member, NamedDatabase, Rows, TextId, ratings_of_numbers,
};
use crate::files::SourceFile;
use crate::game::Tags;
use crate::problem::Problem;
use crate::replay::{Ply, main_line_or};
use crate::text::decode;

/// The format's row.
pub const FORMAT: Format = Format {
    name: "chess-assistant",
    title: "Chess Assistant",
    find: open::find,
    by_content: None,
    small_files: None,
    readings: || CodeReading::all().map(CodeReading::name).collect(),
    open: |files, options| Ok(NamedDatabase::only(ChessAssistant::open(files, options)?)),
};

/// Directory of the files in the `.emb`.
const EMB_DIRECTORY: &str = "emb";

/// The placeholder for an unknown text.
const UNKNOWN: &str = "?";

/// An open Chess Assistant database.
struct ChessAssistant {
    d00: Option<SourceFile>,
    a02: Option<SourceFile>,
    d02: Option<SourceFile>,
    names: Names,
    reading: CodeReading,
    headers: Rows,
    info: Info,
    problems: Vec<Problem>,
}

impl ChessAssistant {
    fn header(&self, game: u32) -> Header {
        self.d00.as_ref().map_or_else(Header::default, |d00| {
            Header::read(&d00.bytes, self.headers.place(game))
        })
    }

    /// True if the header of a game is zeros.
    fn is_blank(&self, game: u32) -> bool {
        let bytes = self.d00.as_ref().and_then(|d00| {
            let at = self.headers.place(game).checked_mul(header::SIZE)?;
            slice(&d00.bytes, at, header::SIZE)
        });
        bytes.is_some_and(|bytes| bytes.iter().all(|&byte| byte == 0))
    }

    fn d00_name(&self) -> &str {
        self.d00.as_ref().map_or("(missing .d00)", |d00| &d00.name)
    }

    /// The name of a file in the EMB, including control characters, which the tree replaces.
    fn member_name(&self, bytes: &[u8]) -> String {
        decode(bytes, self.names.encoding)
    }

    /// Offset of the header of a game.
    fn place(&self, game: u32) -> u64 {
        self.headers.place(game).saturating_mul(header::SIZE) as u64
    }
}

impl Database for ChessAssistant {
    fn len(&self) -> u32 {
        self.headers.len()
    }

    fn keys(&self, game: u32) -> Keys {
        let header = self.header(game);
        Keys {
            white: text_id(Kind::Players, header.white),
            black: text_id(Kind::Players, header.black),
            event: text_id(Kind::Events, header.event),
            date: header.date(),
            event_year: 0,
            eco: header.eco(),
            outcome: header.outcome(),
            deleted: false,
        }
    }

    fn text(&self, id: TextId) -> String {
        match self.names.text_of(id) {
            text if text.is_empty() => UNKNOWN.to_owned(),
            text => text,
        }
    }

    fn tags(&self, game: u32) -> Tags {
        let header = self.header(game);
        let mut tags = self.tags_of(&header, game, &mut Vec::new());
        game::set_start(&mut tags, self.fen(&header));
        tags
    }

    fn site(&self, game: u32) -> Option<TextId> {
        Some(text_id(Kind::Places, self.header(game).place))
    }

    fn ratings(&self, game: u32) -> ByColor<Option<u16>> {
        let header = self.header(game);
        ratings_of_numbers([header.white_elo, header.black_elo])
    }

    fn game(&self, game: u32) -> Decoded {
        game::decode(self, game)
    }

    fn main_line(&self, game: u32, each: &mut dyn FnMut(&Ply<'_>) -> ControlFlow<()>) {
        main_line_or(
            each,
            |sink| game::main_line(self, game, sink).is_some(),
            || self.game(game).game,
        );
    }

    fn info(&self) -> Info {
        self.info.clone()
    }

    fn problems(&self) -> &[Problem] {
        &self.problems
    }

    fn as_files(&self) -> &dyn AsFiles {
        self
    }
}

impl AsFiles for ChessAssistant {
    fn members(&self) -> Vec<Member> {
        let files = self.names.emb().files().iter();
        files
            .map(|file| Member {
                directory: EMB_DIRECTORY,
                name: self.member_name(&file.name),
                size: file.size(),
            })
            .collect()
    }

    fn read_member(&self, member: usize, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let copied = self.names.emb().copy(member, offset, buffer);
        copied.ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}
