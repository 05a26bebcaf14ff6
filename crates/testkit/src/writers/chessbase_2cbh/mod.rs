//! Writes ChessBase games in the format of version 17 and later: `.2cbh` and its companions, or a `.2cbv`
//! (docs/formats/chessbase-2cbh.md).
//!
//! What the format cannot store is left out: counters of half-moves, and all tags without a field. The files that
//! ChessBase derives from the others, `.2lcd` and `.2lgd`, are not written.

pub mod archive;
pub mod frames;
pub mod movetext;
pub mod names;
pub mod record;
pub mod start;
pub mod words;

use std::error::Error;
use std::path::Path;

use crate::writers::source::SourceGame;
use archive::Form;
use frames::Frames;
use movetext::Tree;
use names::Names;
use record::Record;

/// Bytes of a record of the `.2cbh`, and of its header.
const RECORD: usize = 192;

/// Writes a database as ChessBase does.
///
/// # Errors
/// Fails if a file cannot be written, or if the format cannot hold a game.
pub fn write(games: &[SourceGame], target: &Path) -> Result<(), Box<dyn Error>> {
    for (extension, bytes) in Database::of(games)?.files() {
        let path = target.with_extension(extension);
        std::fs::write(&path, bytes).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(())
}

/// Writes a database as an archive.
///
/// # Errors
/// As [`write()`].
pub fn write_archive(games: &[SourceGame], target: &Path) -> Result<(), Box<dyn Error>> {
    let stem = target.file_name().and_then(|name| name.to_str());
    let stem = stem.ok_or("the target has no name")?;
    let files = Database::of(games)?.files().into_iter();
    let members: Vec<_> = files
        .map(|(extension, bytes)| (format!("{stem}.{extension}"), bytes))
        .collect();
    let path = target.with_extension("2cbv");
    let bytes = archive::zip(&members, Form::default())?;
    Ok(std::fs::write(&path, bytes).map_err(|error| format!("{}: {error}", path.display()))?)
}

/// The extension and the bytes of a file.
pub type File = (&'static str, Vec<u8>);

/// A database in memory.
pub struct Database {
    pub records: Vec<u8>,
    pub moves: Frames,
    pub annotations: Frames,
    pub names: Names,
}

impl Default for Database {
    fn default() -> Database {
        Database {
            records: Vec::new(),
            moves: Frames::new(5),
            annotations: Frames::new(0),
            names: Names::default(),
        }
    }
}

impl Database {
    /// A database of these games.
    ///
    /// # Errors
    /// A game that the format cannot hold, with its number.
    pub fn of(games: &[SourceGame]) -> Result<Database, String> {
        let mut database = Database::default();
        for (number, game) in (1..).zip(games) {
            database
                .add(game)
                .map_err(|error| format!("game {number}: {error}"))?;
        }
        Ok(database)
    }

    /// Adds a game.
    ///
    /// # Errors
    /// If the format cannot hold it.
    pub fn add(&mut self, game: &SourceGame) -> Result<(), String> {
        let start = start::Start::of(game)?;
        let tree = Tree::of(game)?;
        let encoded = tree.encode(&start)?;
        let tag = if start.is_chess960() {
            frames::GAME_OF_CHESS960
        } else {
            frames::GAME
        };
        let moves_at = self.moves.add(tag, &words::bytes(&encoded.words));
        let annotations_at = self
            .annotations
            .add(frames::ANNOTATIONS, &encoded.annotations.bytes());
        let mut record = Record::of(game, &mut self.names)?;
        record.set_i64(0x08, moves_at);
        record.set_i64(0x10, annotations_at);
        record.set_length(&tree, game);
        record.set_flags(&tree, &start);
        self.records.extend(record.0);
        Ok(())
    }

    /// All files with their extensions.
    pub fn files(self) -> Vec<File> {
        let next = i32::try_from(self.records.len() / RECORD + 1).unwrap_or(i32::MAX);
        let mut records = vec![0; RECORD];
        records[0x08..0x0a].copy_from_slice(&38u16.to_le_bytes());
        records[0x0a..0x0c].copy_from_slice(&(RECORD as u16).to_le_bytes());
        records[0x0d] = 5;
        records[0x10..0x14].copy_from_slice(&next.to_le_bytes());
        records.extend(self.records);
        vec![
            ("2cbh", records),
            ("2cbg", self.moves.file()),
            ("2cba", self.annotations.file()),
            ("2lid", self.names.file()),
        ]
    }
}
