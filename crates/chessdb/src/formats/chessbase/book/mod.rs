//! Opening books of Fritz (`.fbk`, section 14): two bytes a move, no header.
//!
//! | byte | bits | meaning |
//! |---|---|---|
//! | 1 | 0-5 | square of departure, a1 = 0, b1 = 1, h8 = 63 |
//! | 1 | 6 | clear: begins a variant |
//! | 1 | 7 | ends it |
//! | 2 | 0-5 | target square |
//! | 2 | 7 | weak move, not to be played |
//!
//! Each line of the book is a game; [`tree`] makes one game with all lines.

mod lines;
mod tree;

use std::ops::ControlFlow;

use self::lines::{BookReading, Lines};
use crate::board::{CastlingSide, Move, Position, Rank, Role, Square};
use crate::database::{
    AsFiles, Database, Decoded, Format, Info, Keys, NamedDatabase, NotADatabase, Options, Rows, TextId,
};
use crate::files::{Files, SourceFile, by_stem};
use crate::game::{Date, Game, Outcome, Tags};
use crate::problem::Problem;
use crate::replay::{
    Fault, Limits, MainLine, Notation, Origin, PlaceForm, Ply, Replay, Sink, StoredLine, Tree, Unplayed,
};

/// The format's row.
pub const FORMAT: Format = Format {
    name: "chessbase-book",
    title: "ChessBase opening book (FBK)",
    find: |directory| by_stem(directory, &["fbk"], &[]),
    by_content: None,
    small_files: None,
    readings: || BookReading::ALL.map(|reading| reading.name().to_owned()).to_vec(),
    open: |files, options| Ok(NamedDatabase::only(Book::open(files, options)?)),
};

/// The event of all games of a book.
const EVENT: &str = "Opening book";
const EVENT_ID: TextId = TextId(1);
/// The glyph of a weak move: a mistake.
const WEAK: u8 = 2;
/// Maximum number of plies of a line (section 14.5).
const MOST_PLIES: usize = 512;

/// A stored move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct BookMove([u8; 2]);

impl BookMove {
    fn starts(self) -> bool {
        self.0[0] & 0x40 == 0
    }

    fn ends(self) -> bool {
        self.0[0] & 0x80 != 0
    }

    fn is_weak(self) -> bool {
        self.0[1] & 0x80 != 0
    }

    /// Departure and target square.
    fn squares(self) -> (Square, Square) {
        let [from, to] = self.0.map(|byte| Square::new(u32::from(byte & 63)));
        (from, to)
    }

    /// The move in a position. Castling is stored as the king's move; a pawn on the last rank becomes a
    /// queen.
    fn in_position(self, position: &Position) -> Move {
        let (from, to) = self.squares();
        let us = position.turn();
        let is_own = position.pieces(us).contains(from);
        let role = position.role_at(from).filter(|_| is_own);
        if role == Some(Role::King) && matches!(from, Square::E1 | Square::E8) && to.rank() == from.rank() {
            match to as i32 - from as i32 {
                2 => return Move::Castle(CastlingSide::KingSide),
                -2 => return Move::Castle(CastlingSide::QueenSide),
                _ => {}
            }
        }
        let promotes = role == Some(Role::Pawn) && to.rank() == us.relative_rank(Rank::Eighth);
        Move::Normal {
            from,
            to,
            promotion: promotes.then_some(Role::Queen),
        }
    }
}

/// An open book.
struct Book {
    fbk: SourceFile,
    moves: Rows,
    lines: Lines,
    info: Info,
    problems: Vec<Problem>,
}

/// Size of a move in bytes.
const MOVE: usize = 2;

/// The offset of a move.
fn offset_of(moves: &Rows, number: u32) -> usize {
    moves.place(number).saturating_mul(MOVE)
}

/// The stored move with this number; zeros after the end.
fn stored(fbk: &SourceFile, moves: &Rows, number: u32) -> BookMove {
    let bytes = fbk.bytes.get(offset_of(moves, number)..);
    BookMove(
        bytes
            .and_then(|bytes| bytes.first_chunk())
            .copied()
            .unwrap_or_default(),
    )
}

impl Book {
    fn open(files: Files, options: &Options) -> Result<Book, NotADatabase> {
        let fbk = files
            .get("fbk")
            .ok_or_else(|| NotADatabase::new("there is no .fbk"))?;
        let forced = options.reading.as_deref().and_then(BookReading::of_name);
        let rows = Rows::new(fbk, 0, MOVE, usize::MAX);
        let moves = || fbk.numbers(rows.len()).map(|number| stored(fbk, &rows, number));
        let reading = forced.unwrap_or_else(|| BookReading::choose(moves()));
        let lines = Lines::read(moves(), reading);
        let mut problems = files.holes();
        let mut report = |offset: usize, what: &str| {
            problems.push(Problem::damage(fbk.name.clone(), offset as u64, what));
        };
        if fbk.bytes.len() % 2 == 1 {
            report(
                fbk.bytes.len() - 1,
                "half a move at the end of the file is ignored",
            );
        }
        if let Some(last) = lines.unended() {
            report(offset_of(&rows, last), "the last line of the book has no end");
        }
        let described = vec![
            ("reading", reading.name().to_owned()),
            ("moves", rows.len().to_string()),
        ];
        Ok(Book {
            fbk: fbk.clone(),
            moves: rows,
            lines,
            info: Info {
                rows: described,
                warnings: files.warnings.clone(),
            },
            problems,
        })
    }

    fn stored(&self, number: u32) -> BookMove {
        stored(&self.fbk, &self.moves, number)
    }

    fn offset_of(&self, number: u32) -> usize {
        offset_of(&self.moves, number)
    }

    fn origin(&self) -> Origin<'_> {
        Origin {
            file: &self.fbk.name,
            place: PlaceForm::Hexadecimal(".fbk"),
        }
    }

    /// Replays a line of the book.
    fn replay<S: Sink>(&self, game: u32, sink: S) -> (S::Output, Vec<Problem>) {
        let line = self.lines.line(game);
        let mut replay = Replay::new(sink, Position::initial(), (), Limits::NONE, self.origin());
        let (shown, beyond) = line.split_at(line.len().min(MOST_PLIES));
        let mut rest = shown.iter();
        while let Some(&number) = rest.next()
            && !replay.is_done()
        {
            let stored = self.stored(number);
            if let Err(unplayed) = play(&mut replay, stored, stored.is_weak()) {
                let mut stored_line = StoredLine::new(*replay.position(), (), Notation::Long);
                for stored in std::iter::once(stored).chain(rest.map(|&number| self.stored(number))) {
                    stored_line.play(stored.in_position(stored_line.position()), ());
                }
                let offset = self.offset_of(number) as u64;
                replay.fault_with(offset, &unplayed.into(), &stored_line.detail());
                return replay.finish();
            }
        }
        if let Some(&number) = beyond.first() {
            let offset = self.offset_of(number) as u64;
            replay.fault(offset, &Fault::LongLine(MOST_PLIES));
        }
        replay.finish()
    }
}

/// Plays a stored move and adds its glyph.
fn play<S: Sink>(replay: &mut Replay<'_, S>, stored: BookMove, is_weak: bool) -> Result<(), Unplayed> {
    replay.play(stored.in_position(replay.position()))?;
    if is_weak {
        replay.nag(WEAK);
    }
    Ok(())
}

impl Database for Book {
    fn len(&self) -> u32 {
        self.lines.len()
    }

    fn keys(&self, game: u32) -> Keys {
        let event = if game < self.len() { EVENT_ID } else { TextId(0) };
        Keys {
            white: TextId(0),
            black: TextId(0),
            event,
            date: Date::default(),
            event_year: 0,
            eco: None,
            outcome: Outcome::Unknown,
            deleted: false,
        }
    }

    fn text(&self, id: TextId) -> String {
        let text = if id == EVENT_ID { EVENT } else { "?" };
        text.to_owned()
    }

    fn tags(&self, game: u32) -> Tags {
        let mut tags = Tags::new(Outcome::Unknown);
        if game < self.len() {
            tags.set_str("Event", EVENT);
            tags.set_number("Round", game.saturating_add(1));
        }
        tags
    }

    fn game(&self, game: u32) -> Decoded {
        let tokens = self.lines.line(game).len();
        let (movetext, problems) = self.replay(game, Tree::beginning(&Position::initial(), 1, tokens));
        Decoded {
            game: Game {
                tags: self.tags(game),
                movetext,
            },
            problems,
        }
    }

    fn main_line(&self, game: u32, each: &mut dyn FnMut(&Ply<'_>) -> ControlFlow<()>) {
        self.replay(game, MainLine(each));
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

impl AsFiles for Book {
    fn documents(&self) -> &[&'static str] {
        &["book.pgn"]
    }

    fn document(&self, document: usize) -> Game {
        if document == 0 {
            tree::game(self)
        } else {
            Game::default()
        }
    }
}
