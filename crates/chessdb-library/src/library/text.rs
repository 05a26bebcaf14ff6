//! The text of one game, even if its decoder panics.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::LibraryEntry;
use crate::task;
use chessdb::board::Position;
use chessdb::game::{Game, Tags};
use chessdb::replay::Replay;
use chessdb::{Database, Decoded, Problem, ProblemKind, pgn};

/// Longest text of a game: its size fits into 32 bits.
const LONGEST_TEXT: usize = u32::MAX as usize;

/// Bytes of a usual game's text, and some more.
const USUAL_TEXT: usize = 2048;

/// Maximum number of problems that are listed for one game. Decoders stop at 1,000 remarks.
const MOST_PROBLEMS: usize = 5_000;

/// The PGN of a game, and its problems.
#[derive(Clone, Debug, Default)]
pub struct GameText {
    /// The PGN; never empty.
    pub pgn: Vec<u8>,
    /// One row of `problems.txt` each.
    pub problems: Vec<Problem>,
}

/// The text of a game as it is shown: from the database if that stores text, otherwise decoded. If the decoder panics,
/// only the movetext of this game is lost.
pub fn text_of(entry: &LibraryEntry, game: u32) -> GameText {
    let mut pgn = Vec::with_capacity(USUAL_TEXT);
    let problems = append_text(&mut pgn, entry, game);
    GameText { pgn, problems }
}

/// Appends the text that [`text_of`] returns. Returns the problems found in decoding; none if the text was copied from
/// the file.
pub fn append_text(out: &mut Vec<u8>, entry: &LibraryEntry, game: u32) -> Vec<Problem> {
    append_by(out, entry, game, |out, database| {
        if database.as_files().append_stored(game, out) {
            Vec::new()
        } else {
            append_decoded(out, database, game)
        }
    })
}

/// The problems found in decoding a game, also if its text is copied from the file.
pub fn problems_of(entry: &LibraryEntry, game: u32) -> Vec<Problem> {
    append_by(&mut Vec::new(), entry, game, |out, database| {
        append_decoded(out, database, game)
    })
}

fn append_decoded(out: &mut Vec<u8>, database: &dyn Database, game: u32) -> Vec<Problem> {
    let Decoded { game, mut problems } = database.game(game);
    limit(&mut problems);
    pgn::append_game_with(out, &game, REMARK);
    problems
}

/// The first word of remarks.
pub const REMARK: &str = "pgnfs:";

/// The PGN of a game as pgnfs shows it.
pub fn to_pgn(game: &Game) -> Vec<u8> {
    let mut out = Vec::with_capacity(USUAL_TEXT);
    pgn::append_game_with(&mut out, game, REMARK);
    out
}

/// Appends a text of a database; where that panics, the tags of the game and a remark.
fn append_by(
    out: &mut Vec<u8>,
    entry: &LibraryEntry,
    game: u32,
    append: impl FnOnce(&mut Vec<u8>, &dyn Database) -> Vec<Problem>,
) -> Vec<Problem> {
    let start = out.len();
    let decoded = written(entry, |database| append(out, database));
    let what = match decoded {
        Ok(problems) if out.len() - start <= LONGEST_TEXT => return problems,
        Ok(_) => "the game is longer than 4 GiB".to_owned(),
        Err(panic) => {
            let what = format!("the decoder failed: {panic}");
            log::error!("{}: game {}: {what}", entry.name(), u64::from(game) + 1);
            what
        }
    };
    out.truncate(start);
    let GameText { pgn, problems } = tags_and_remark(entry, game, &what);
    out.extend(pgn);
    problems
}

/// Replaces the problems beyond the limit by one row with their number.
fn limit(problems: &mut Vec<Problem>) {
    let more = problems.len().saturating_sub(MOST_PROBLEMS);
    if more > 0 {
        problems.truncate(MOST_PROBLEMS);
        let what = format!("{more} more problems of this game are not listed");
        let file = problems.last().map(|last| last.file.clone());
        problems.extend(file.map(|file| Problem::new(ProblemKind::Limit, file, None, what)));
    }
}

/// The PGN of a document; where its decoder panics, a game that says so.
pub fn document_text(entry: &LibraryEntry, document: u32) -> Vec<u8> {
    let decoded = written(entry, |database| {
        to_pgn(&database.as_files().document(document as usize))
    });
    decoded.unwrap_or_else(|panic| {
        let what = format!("the decoder failed: {panic}");
        log::error!("{}: document {document}: {what}", entry.name());
        to_pgn(&remark(Tags::default(), &what))
    })
}

/// The text that is written for a database. Its decoders are not [guarded](super::GuardedDatabase), because a text
/// says why one failed, and the writer of PGN is guarded, too.
///
/// # Errors
/// The message of a panic.
fn written<T>(entry: &LibraryEntry, write: impl FnOnce(&dyn Database) -> T) -> Result<T, String> {
    let written = catch_unwind(AssertUnwindSafe(|| write(entry.database.unguarded())));
    written
        .inspect(|_| task::report_progress())
        .map_err(|panic| task::panic_message(&*panic).to_owned())
}

/// A game of tags only, with a remark that says why.
fn tags_and_remark(entry: &LibraryEntry, game: u32, what: &str) -> GameText {
    let remark = remark(entry.database.tags(game), what);
    let file = entry.files.first().map_or("", |(name, _)| name.as_str());
    GameText {
        pgn: to_pgn(&remark),
        problems: vec![Problem::damage(file, None, what)],
    }
}

/// A game without moves and with a remark.
fn remark(tags: Tags, what: &str) -> Game {
    let mut movetext = Replay::builder(Position::initial(), 1);
    movetext.remark(what);
    Game {
        tags,
        movetext: movetext.finish().0,
    }
}
