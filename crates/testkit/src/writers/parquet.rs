//! Writes a table of games as Parquet: a column of texts for each tag, and `movetext` unless there is a tag `pgn`
//! (docs/formats/parquet.md).

use std::error::Error;
use std::path::Path;
use std::sync::Arc;

use parquet::basic::{Compression, LogicalType, Repetition, Type as PhysicalType};
use parquet::data_type::{ByteArray, ByteArrayType};
use parquet::file::properties::{WriterProperties, WriterVersion};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;

use crate::writers::source::SourceGame;

/// How a table is written.
#[derive(Clone, Copy, Debug)]
pub struct Form {
    /// Rows in a group, and at most on a page.
    pub group: usize,
    pub page: usize,
    pub has_dictionaries: bool,
    pub is_packed: bool,
    /// True for pages of version 2.
    pub is_new: bool,
}

/// Writes a file in the usual form.
///
/// # Errors
/// Fails if a file cannot be written.
pub fn write(games: &[SourceGame], target: &Path) -> Result<(), Box<dyn Error>> {
    let form = Form {
        group: 1000,
        page: 100,
        has_dictionaries: true,
        is_packed: true,
        is_new: false,
    };
    std::fs::write(target.with_extension("parquet"), bytes(games, form)?)?;
    Ok(())
}

/// The bytes of a file.
///
/// # Errors
/// Returns the errors of the crate that writes it.
pub fn bytes(games: &[SourceGame], form: Form) -> Result<Vec<u8>, Box<dyn Error>> {
    let mut names: Vec<&str> = Vec::new();
    for (name, _) in games.iter().flat_map(|game| &game.tags) {
        if !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    if !names.contains(&"pgn") {
        names.push("movetext");
    }
    let field = |name: &&str| {
        let field = Type::primitive_type_builder(name, PhysicalType::BYTE_ARRAY)
            .with_repetition(Repetition::OPTIONAL)
            .with_logical_type(Some(LogicalType::String));
        field.build().map(Arc::new)
    };
    let fields = names.iter().map(field).collect::<Result<Vec<_>, _>>()?;
    let schema = Type::group_type_builder("games").with_fields(fields).build()?;
    let properties = WriterProperties::builder()
        .set_compression(if form.is_packed {
            Compression::SNAPPY
        } else {
            Compression::UNCOMPRESSED
        })
        .set_dictionary_enabled(form.has_dictionaries)
        .set_writer_version(if form.is_new {
            WriterVersion::PARQUET_2_0
        } else {
            WriterVersion::PARQUET_1_0
        })
        .set_data_page_row_count_limit(form.page)
        .set_write_batch_size(form.page)
        .build();
    let mut writer = SerializedFileWriter::new(Vec::new(), Arc::new(schema), Arc::new(properties))?;
    for games in games.chunks(form.group) {
        let mut group = writer.next_row_group()?;
        for name in &names {
            let texts: Vec<Option<String>> = games
                .iter()
                .map(|game| match *name {
                    "movetext" => Some(movetext(game)),
                    name => game.tag(name).map(str::to_owned),
                })
                .collect();
            let levels: Vec<i16> = texts.iter().map(|text| i16::from(text.is_some())).collect();
            let values: Vec<ByteArray> = texts
                .iter()
                .flatten()
                .map(|text| ByteArray::from(text.as_str()))
                .collect();
            let mut column = group.next_column()?.ok_or("a column is missing")?;
            column
                .typed::<ByteArrayType>()
                .write_batch(&values, Some(&levels), None)?;
            column.close()?;
        }
        group.close()?;
    }
    Ok(writer.into_inner()?)
}

/// The items of a game as movetext, without numbers of moves.
fn movetext(game: &SourceGame) -> String {
    let mut words = game.texts();
    words.extend(game.tag("Result").map(str::to_owned));
    words.join(" ")
}
