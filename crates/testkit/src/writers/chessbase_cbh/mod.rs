//! Writes ChessBase games in the later format: `.cbh` and its companions (docs/formats/chessbase-cbh.md).
//!
//! What the format cannot store is left out: counters of half-moves, and all tags without a field. Names
//! longer than their fields are refused. The trees in which ChessBase searches for names have no branches.

mod mode;
mod movetext;
mod names;
mod pieces;
mod start;

use std::error::Error;
use std::path::Path;

use crate::writers::source::SourceGame;
use movetext::{Annotation, Tree};
use names::Table;

pub use mode::Mode;

/// Size of the header of `.cbg` and `.cba` in bytes.
const HEADER: usize = 26;

/// Writes a database as ChessBase does.
///
/// # Errors
/// Fails if a file cannot be written, or if the format cannot hold a game.
pub fn write(games: &[SourceGame], target: &Path) -> Result<(), Box<dyn Error>> {
    write_in(Mode::usual, games, target)
}

/// Writes a database; `mode` selects how the moves of each game are encoded.
///
/// # Errors
/// As [`write()`].
pub fn write_in(
    mode: impl Fn(&SourceGame) -> Mode,
    games: &[SourceGame],
    target: &Path,
) -> Result<(), Box<dyn Error>> {
    let mut database = Database::new();
    for (number, game) in (1..).zip(games) {
        database
            .add(mode(game), number, game)
            .map_err(|error| format!("game {number}: {error}"))?;
    }
    for (extension, bytes) in database.files()? {
        let path = target.with_extension(extension);
        std::fs::write(&path, bytes).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(())
}

/// The extension and the bytes of a file.
type File = (&'static str, Vec<u8>);

struct Database {
    cbh: Vec<u8>,
    cbg: Vec<u8>,
    cba: Vec<u8>,
    players: Table,
    tournaments: Table,
    annotators: Table,
    sources: Table,
}

impl Database {
    fn new() -> Database {
        Database {
            cbh: Vec::new(),
            cbg: vec![0; HEADER],
            cba: vec![0; HEADER],
            players: Table::new(58),
            tournaments: Table::new(90),
            annotators: Table::new(53),
            sources: Table::new(59),
        }
    }

    fn add(&mut self, mode: Mode, number: u32, game: &SourceGame) -> Result<(), String> {
        let tree = Tree::of(game);
        let moves = tree.encode(mode, &game.start)?;
        let record_at = u32::try_from(self.cbg.len()).map_err(|_| "too many games")?;
        let set_up = game.tag("FEN").is_some();
        let flags = mode.number() | if set_up { 0x40 } else { 0 };
        let mut start = if set_up {
            start::bytes(&game.start)?
        } else {
            Vec::new()
        };
        if set_up && mode.is_chess960() {
            start.extend(start::rooks(&game.start));
        }
        let size = u32::try_from(4 + start.len() + moves.bytes.len()).map_err(|_| "too many moves")?;
        let head = size.to_be_bytes();
        self.cbg.push(flags);
        self.cbg.extend(&head[1..]);
        self.cbg.extend(start);
        self.cbg.extend(moves.bytes);
        let annotations_at = if moves.annotations.is_empty() {
            0
        } else {
            u32::try_from(self.cba.len()).map_err(|_| "too many annotations")?
        };
        if annotations_at != 0 {
            self.add_annotations(number, &moves.annotations)?;
        }

        let mut record = vec![1];
        record.extend(record_at.to_be_bytes());
        record.extend(annotations_at.to_be_bytes());
        let [white, black] = ["White", "Black"].map(|tag| names::player(game.tag(tag)));
        let ids = [
            self.players.id(white?)?,
            self.players.id(black?)?,
            self.tournaments.id(names::tournament(game)?)?,
            self.annotators
                .id(names::field(known(game.tag("Annotator")), 45)?)?,
            self.sources.id(Vec::new())?,
        ];
        for id in ids {
            record.extend(&id.to_be_bytes()[1..]);
        }
        record.extend(&names::date(game.tag("Date")).to_be_bytes()[1..]);
        record.push(match game.tag("Result") {
            Some("0-1") => 0,
            Some("1/2-1/2") => 1,
            Some("1-0") => 2,
            _ => 3,
        });
        record.push(0);
        let mut rounds = known(game.tag("Round"))
            .split('.')
            .map(|part| part.parse::<u8>().unwrap_or(0));
        record.extend([rounds.next().unwrap_or(0), rounds.next().unwrap_or(0)]);
        for tag in ["WhiteElo", "BlackElo"] {
            let elo = game.tag(tag).and_then(|elo| elo.parse::<u16>().ok());
            record.extend(elo.unwrap_or(0).to_be_bytes());
        }
        record.extend(opening(game).to_be_bytes());
        record.extend([0; 8]);
        let plies = tree.main_line_len();
        let begins_with_black = set_up && plies > 0 && shakmaty::Position::turn(&game.start).is_black();
        let full_moves = (plies + usize::from(begins_with_black)).div_ceil(2);
        record.push(u8::try_from(full_moves).unwrap_or(u8::MAX));
        self.cbh.extend(record);
        Ok(())
    }

    fn add_annotations(&mut self, number: u32, annotations: &[Annotation]) -> Result<(), String> {
        let mut items = Vec::new();
        for annotation in annotations {
            items.extend(&annotation.position.to_be_bytes()[1..]);
            items.push(annotation.kind);
            let size = u16::try_from(annotation.data.len() + 6).map_err(|_| "too long a comment")?;
            items.extend(size.to_be_bytes());
            items.extend(&annotation.data);
        }
        self.cba.extend(&number.to_be_bytes()[1..]);
        self.cba.extend([1, 0, 14, 14]);
        let count = u32::try_from(annotations.len() + 1).map_err(|_| "too many annotations")?;
        self.cba.extend(&count.to_be_bytes()[1..]);
        let size = u32::try_from(items.len() + 14).map_err(|_| "too many annotations")?;
        self.cba.extend(size.to_be_bytes());
        self.cba.extend(items);
        Ok(())
    }

    /// All files with their extensions.
    fn files(mut self) -> Result<Vec<File>, Box<dyn Error>> {
        for file in [&mut self.cbg, &mut self.cba] {
            let len = u32::try_from(file.len())?;
            let header = u16::try_from(HEADER)?;
            file[..2].copy_from_slice(&header.to_be_bytes());
            file[2..6].copy_from_slice(&len.to_be_bytes());
            file[10..18].copy_from_slice(&u64::from(len).to_be_bytes());
        }
        let next = u32::try_from(self.cbh.len() / 46 + 1)?.to_be_bytes();
        let mut cbh = vec![0; 46];
        cbh[..6].copy_from_slice(&[0, 0, 0x2c, 0, 46, 1]);
        cbh[6..10].copy_from_slice(&next);
        for place in [12, 16, 20] {
            cbh[place + 3] = 1;
        }
        cbh[40..44].copy_from_slice(&next);
        cbh.extend(self.cbh);
        Ok(vec![
            ("cbh", cbh),
            ("cbg", self.cbg),
            ("cba", self.cba),
            ("cbp", self.players.bytes()),
            ("cbt", self.tournaments.bytes()),
            ("cbc", self.annotators.bytes()),
            ("cbs", self.sources.bytes()),
            ("cbe", Table::new(63).bytes()),
            ("cbj", extended_header()),
        ])
    }
}

/// A `.cbj` without records.
fn extended_header() -> Vec<u8> {
    let mut bytes = vec![0; 32];
    bytes[0] = 11;
    bytes[4] = 120;
    bytes
}

/// The opening and its sub-code.
fn opening(game: &SourceGame) -> u16 {
    let code = game.tag("ECO").and_then(|code| {
        let letter = "ABCDE".find(code.get(..1)?)?;
        let number: u16 = code.get(1..3)?.parse().ok()?;
        Some(128 * (100 * letter as u16 + number + 1))
    });
    let sub = game.tag("ECOSub").and_then(|sub| sub.parse::<u16>().ok());
    code.map_or(0, |code| code + sub.unwrap_or(0) % 128)
}

/// The value of a tag; empty if it is unknown.
fn known(value: Option<&str>) -> &str {
    value.filter(|&value| value != "?").unwrap_or_default()
}
