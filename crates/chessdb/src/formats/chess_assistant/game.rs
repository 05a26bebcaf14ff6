//! One game: header, address, record, movetext (sections 4, 5, 8.3 and 9).

use super::ChessAssistant;
use super::address::{Found, Lost, follow};
use super::header::{Header, Judgement};
use super::names::{Kind, NoName};
use super::reading::CodeReading;
use super::record::{self, LengthForm};
use super::replay::{Replayed, Source, origin, replay};
use super::setup::Refused;
use crate::board::Position;
use crate::bytes::le_u32;
use crate::database::Decoded;
use crate::files::SourceFile;
use crate::game::{Game, Movetext, Tags};
use crate::problem::Problem;
use crate::replay::{CountedLine, Fault, Replay, Tree};

/// Decodes a game.
pub(super) fn decode(database: &ChessAssistant, game: u32) -> Decoded {
    let header = database.header(game);
    let mut problems = Vec::new();
    if database.is_blank(game) {
        let what = "the header is zeros";
        problems.push(Problem::damage(database.d00_name(), database.place(game), what));
    }
    let mut tags = database.tags_of(&header, game, &mut problems);
    let replay = moves(database, game, &header, database.reading);
    set_start(&mut tags, replay.fen);
    problems.extend(replay.problems);
    Decoded {
        game: Game {
            tags,
            movetext: replay.output,
        },
        problems,
    }
}

/// Replays the main line of a game into a sink. Returns `None` if its reading depends on the whole game.
pub(super) fn main_line(database: &ChessAssistant, game: u32, line: CountedLine<'_>) -> Option<()> {
    let (d02, address) = address(database, &database.header(game)).ok()?;
    let source = source(database, d02, address, database.reading, LengthForm::TwoBytes)?;
    if source.record.is_ambiguous {
        return None;
    }
    replay(source, None, |_, _, _| line);
    Some(())
}

/// Adds the tags of a set-up position.
pub(super) fn set_start(tags: &mut Tags, fen: Result<Option<String>, Refused>) {
    match fen {
        Ok(None) => {}
        Ok(Some(fen)) => {
            tags.set_str("SetUp", "1");
            tags.set_str("FEN", &fen);
        }
        Err(Refused) => tags.set_no_start(),
    }
}

/// Decodes the moves of a game in a reading.
pub(super) fn moves(
    database: &ChessAssistant,
    game: u32,
    header: &Header,
    reading: CodeReading,
) -> Replayed<Movetext> {
    match address(database, header) {
        Ok((d02, address)) => at_address(database, d02, address, header.judgement(), reading),
        Err(mut problem) => {
            problem.offset = problem.offset.or(Some(database.place(game)));
            without_moves(problem, header.judgement())
        }
    }
}

fn at_address(
    database: &ChessAssistant,
    d02: &SourceFile,
    address: u32,
    judgement: Option<Judgement>,
    reading: CodeReading,
) -> Replayed<Movetext> {
    if record::read(&d02.bytes, address, LengthForm::TwoBytes).is_some_and(|record| record.is_blank) {
        let what = "there are only zeros where the game should be";
        return without_moves(Problem::damage(&d02.name, u64::from(address), what), judgement);
    }
    let under = |form| {
        let source = source(database, d02, address, reading, form)?;
        let is_ambiguous = source.record.is_ambiguous;
        Some((replay(source, judgement, Tree::beginning), is_ambiguous))
    };
    match under(LengthForm::TwoBytes) {
        Some((replay, true)) if !replay.is_clean => match under(LengthForm::Leb128) {
            Some((other, _)) if other.is_clean => other,
            _ => replay,
        },
        Some((replay, _)) => replay,
        None => {
            let what = "the file ends inside the length of the game";
            without_moves(Problem::damage(&d02.name, u64::from(address), what), judgement)
        }
    }
}

/// The record at an address; `None` if the file ends inside its length.
fn source<'d>(
    database: &'d ChessAssistant,
    d02: &'d SourceFile,
    address: u32,
    reading: CodeReading,
    form: LengthForm,
) -> Option<Source<'d>> {
    Some(Source {
        record: record::read(&d02.bytes, address, form)?,
        file: &d02.name,
        reading,
        encoding: database.names.encoding,
    })
}

/// The file with the moves, and the address of a game's record in it.
///
/// # Errors
/// If the record is missing, with the reason and the offset of the table's entry, or without offset if the header's
/// GameID is invalid.
pub(super) fn address<'d>(
    database: &'d ChessAssistant,
    header: &Header,
) -> Result<(&'d SourceFile, u32), Problem> {
    let missing = |file: &str| Problem::damage(file, None, "the file is missing: put it beside the others");
    let a02 = database.a02.as_ref().ok_or_else(|| missing("(missing .a02)"))?;
    let d02 = database.d02.as_ref().ok_or_else(|| missing("(missing .d02)"))?;
    let id = header.game_id;
    let problem = |offset: Option<u32>, what: String| {
        Problem::damage(a02.name.clone(), offset.map(|id| u64::from(id) * 4), what)
    };
    let entry = |id: u32| {
        let place = usize::try_from(id).ok()?.checked_mul(4)?;
        le_u32(&a02.bytes, place).map(u32::cast_signed)
    };
    let found = follow(id, entry).map_err(|lost| match lost {
        Lost::Outside(outside) => problem(Some(outside), format!("GameID {id} leads out of the table")),
        Lost::Endless => problem(Some(id), format!("redirects of GameID {id} do not end")),
    })?;
    let Found { id: entry, address } = found;
    if (address as usize) < d02.bytes.len() {
        Ok((d02, address))
    } else {
        Err(problem(
            Some(entry),
            format!(
                "the record would begin at byte {address}, which {} does not have",
                d02.name
            ),
        ))
    }
}

/// Movetext that has only a remark.
fn without_moves(problem: Problem, judgement: Option<Judgement>) -> Replayed<Movetext> {
    let mut replay = Replay::builder(Position::initial(), 1);
    if let Some(judgement) = judgement {
        replay.comment(judgement.sign);
    }
    let fault = Fault::damage(problem.what);
    let origin = origin(&problem.file);
    replay.fault_in(
        origin,
        problem.offset.unwrap_or(0),
        &fault,
        ": there are no moves",
    );
    let (output, problems) = replay.finish();
    Replayed {
        output,
        fen: Ok(None),
        problems,
        is_clean: false,
        folder_marks: 0,
    }
}

impl ChessAssistant {
    /// The tags of a header (section 4). Adds problems for ids without a name and for unknown values.
    pub(super) fn tags_of(&self, header: &Header, game: u32, problems: &mut Vec<Problem>) -> Tags {
        let mut tags = Tags::new(header.outcome());
        let mut doubt = |what: String| {
            problems.push(Problem::doubt(self.d00_name(), self.place(game), what));
        };
        if let Some(value) = header.unknown_outcome() {
            doubt(format!("unknown outcome {value}"));
        }
        let names = [
            ("Event", Kind::Events, header.event),
            ("Site", Kind::Places, header.place),
            ("Annotator", Kind::Players, header.annotator),
            ("Source", Kind::Sources, header.source),
        ];
        for (tag, kind, id) in names {
            match self.names.name(kind, id) {
                Ok(name) if !name.is_empty() => tags.set_str(tag, &name),
                Ok(_) => {}
                Err(NoName(why)) => doubt(format!("{tag}: id {id}: {why}")),
            }
        }
        let sides = [
            (
                ["White", "WhiteTitle", "WhiteFideId", "WhiteElo"],
                header.white,
                header.white_elo,
            ),
            (
                ["Black", "BlackTitle", "BlackFideId", "BlackElo"],
                header.black,
                header.black_elo,
            ),
        ];
        for ([name, title, fide_id, rating], id, elo) in sides {
            match self.names.player(id) {
                Ok(player) => {
                    if !player.name.is_empty() {
                        tags.set_str(name, &player.name);
                    }
                    if !player.title.is_empty() {
                        tags.set_str(title, &player.title);
                    }
                    if player.fide_id != 0 {
                        tags.set_number(fide_id, player.fide_id);
                    }
                }
                Err(NoName(why)) => doubt(format!("{name}: id {id}: {why}")),
            }
            if elo != 0 {
                tags.set_number(rating, elo.into());
            }
        }
        tags.set_date("Date", header.date());
        match (header.round / 2, header.round % 2) {
            (0, 0) => {}
            (round, 0) => tags.set_number("Round", round.into()),
            (round, _) => tags.set("Round", format_args!("{round}.5")),
        }
        if let Some(eco) = header.eco() {
            tags.set_str("ECO", eco.as_str());
        }
        if let Some(game_type) = header.game_type() {
            tags.set_str("GameType", &game_type);
        }
        tags
    }
}
