//! Records of the `.2cbh` (section 2.1).

use shakmaty::Position;

use super::RECORD;
use super::movetext::Tree;
use super::names::{self, Names, date, known, number_of};
use super::start::Start;
use crate::writers::source::SourceGame;

/// The record of a game.
pub struct Record(pub [u8; RECORD]);

impl Record {
    /// What the tags of a game say. Its names are added to `names`.
    ///
    /// # Errors
    /// If a name is too long.
    pub fn of(game: &SourceGame, names: &mut Names) -> Result<Record, String> {
        let mut record = Record([0; RECORD]);
        let is_deleted = game.tag("Deleted") == Some("1");
        record.0[0] = if is_deleted { 0x81 } else { 1 };
        record.0[2] = 1;
        record.set_i64(0x18, names.id(names::PLAYER, names::player(game.tag("White")))?);
        record.set_i64(0x20, names.id(names::PLAYER, names::player(game.tag("Black")))?);
        record.set_i64(0x28, names.id(names::TOURNAMENT, names::tournament(game))?);
        record.set_i64(
            0x30,
            names.id(names::PLAYER, names::player(game.tag("Annotator")))?,
        );
        record.set_i64(0x38, names.id(names::SOURCE, names::source(game))?);
        for (at, tag) in [(0x40, "WhiteTeam"), (0x48, "BlackTeam")] {
            let id = match known(game.tag(tag)) {
                "" => -1,
                name => names.id(names::TEAM, names::team(name))?,
            };
            record.set_i64(at, id);
        }
        let title = names::title(known(game.tag("Title")));
        record.set_i64(0x50, names.id(names::TITLE, title)?);
        record.0[0x58] = match game.tag("Result") {
            Some("0-1") => 0,
            Some("1/2-1/2") => 1,
            Some("1-0") => 2,
            _ => 3,
        };
        let mut rounds = known(game.tag("Round"))
            .split('.')
            .map(|part| part.parse::<i16>().unwrap_or(0));
        let mut round = || rounds.next().unwrap_or(0);
        record.set_i16(0x5a, round());
        record.set_i16(0x5c, round());
        record.set_i16(0x5e, number_of(game.tag("Board")) as i16);
        for (at, tag) in [(0x60, "WhiteElo"), (0x70, "BlackElo")] {
            let elo = number_of(game.tag(tag)) as i16;
            record.set_i16(at, elo);
            record.set_i16(at + 2, i16::from(elo != 0));
        }
        record.set_i16(0x80, opening(game) as i16);
        record.set(0xb8, &1i32.to_le_bytes());
        record.set(0xbc, &date(game.tag("Date")).to_le_bytes());
        Ok(record)
    }

    /// The number of full moves. If Black begins, his move counts as one.
    pub fn set_length(&mut self, tree: &Tree, game: &SourceGame) {
        let plies = tree.main_line_len();
        let begins_with_black = plies > 0 && game.start.turn().is_black();
        let moves = (plies + usize::from(begins_with_black)).div_ceil(2);
        self.set_i16(0x8a, moves as i16);
    }

    /// The contents of a game, as bits that are informative only.
    pub fn set_flags(&mut self, tree: &Tree, start: &Start) {
        let [variations, texts, glyphs] = tree.contents();
        let flags = [
            (start.is_set_up(), 1),
            (variations, 2),
            (texts, 4),
            (glyphs, 8),
            (start.is_chess960(), 0x0800_0000),
        ];
        let set = flags.iter().filter(|(is_set, _)| *is_set);
        let flags: u32 = set.map(|(_, bit)| bit).sum();
        self.set(0x84, &flags.to_le_bytes());
    }

    pub fn set(&mut self, at: usize, field: &[u8]) {
        self.0[at..at + field.len()].copy_from_slice(field);
    }

    pub fn set_i16(&mut self, at: usize, number: i16) {
        self.set(at, &number.to_le_bytes());
    }

    pub fn set_i64(&mut self, at: usize, number: i64) {
        self.set(at, &number.to_le_bytes());
    }
}

/// The opening and its sub-code.
fn opening(game: &SourceGame) -> u16 {
    let code = game.tag("ECO").and_then(|code| {
        let letter = "ABCDE".find(code.get(..1)?)?;
        let number: u16 = code.get(1..3)?.parse().ok()?;
        Some(128 * (100 * letter as u16 + number + 1))
    });
    let sub = number_of(game.tag("ECOSub")) as u16;
    code.map_or(0, |code| code + sub % 128)
}
