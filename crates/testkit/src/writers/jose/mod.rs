//! Writes `.jose` archives: tables of MyISAM in tar and gzip (docs/formats/jose.md).

pub mod moves;
pub mod tables;

use std::collections::HashMap;
use std::error::Error;
use std::io::Write;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::writers::source::{Item, SourceGame};
use moves::MoveData;
use tables::{Column, Table, Value};

/// Writes an archive.
///
/// # Errors
/// Fails if a file cannot be written, or if the format cannot hold a game.
pub fn write(games: &[SourceGame], target: &Path) -> Result<(), Box<dyn Error>> {
    let path = target.with_extension("jose");
    let archive = archive(games)?;
    std::fs::write(&path, archive).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(())
}

/// The bytes of an archive.
///
/// # Errors
/// A game that the format cannot hold.
pub fn archive(games: &[SourceGame]) -> Result<Vec<u8>, Box<dyn Error>> {
    let mut names: [Names; 4] = Default::default();
    let mut rows = Vec::new();
    for (number, game) in games.iter().enumerate() {
        rows.push(row(game, number, &mut names).map_err(|error| format!("game {}: {error}", number + 1))?);
    }
    let [players, events, sites, openings] = names;
    let name_columns = || vec![Column::int("Id", 4), Column::text("Name", 765)];
    let named = |name, names: Names| Table {
        name,
        columns: name_columns(),
        rows: names.rows(),
    };
    let tables = [
        Table {
            name: "IO_Collection",
            columns: vec![
                Column::int("Id", 4),
                Column::int("PId", 4),
                Column::text("Name", 765),
                Column::int("Attributes", 1),
                Column::text("SourceURL", 765).nullable(),
                Column::int("GameCount", 4),
            ],
            rows: vec![vec![
                Value::Int(COLLECTION),
                Value::Int(0),
                Value::text("Games"),
                Value::Int(0),
                Value::Null,
                Value::Int(games.len() as i64),
            ]],
        },
        named("IO_Player", players),
        named("IO_Event", events),
        named("IO_Site", sites),
        Table {
            name: "IO_Opening",
            columns: vec![
                Column::int("Id", 4),
                Column::int("HashKey", 8),
                Column::int("Ply", 4).nullable(),
                Column::fixed_text("ECO", 9),
                Column::text("Name", 765),
            ],
            rows: openings
                .rows()
                .into_iter()
                .map(|row| {
                    let [id, name] = row.try_into().expect("names are an id and a text");
                    vec![id, Value::Int(0), Value::Null, Value::text(""), name]
                })
                .collect(),
        },
        Table {
            name: "IO_Game",
            columns: game_columns(),
            rows,
        },
    ];
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    for table in &tables {
        for (extension, contents) in [("frm", table.frm()), ("MYI", table.myi()), ("MYD", table.myd())] {
            packed.write_all(&member(&format!("{}.{extension}", table.name), &contents))?;
        }
    }
    // An archive of the program ends with a single empty block.
    packed.write_all(&[0; 512])?;
    Ok(packed.finish()?)
}

/// Number of the one collection.
const COLLECTION: i64 = 1001;
/// Tags with a column, or derived from one.
const COLUMN_TAGS: [&str; 18] = [
    "Event",
    "Site",
    "Date",
    "Round",
    "White",
    "Black",
    "Result",
    "WhiteElo",
    "BlackElo",
    "WhiteTitle",
    "BlackTitle",
    "EventDate",
    "Board",
    "Opening",
    "ECO",
    "Annotator",
    "SetUp",
    "FEN",
];

fn game_columns() -> Vec<Column> {
    vec![
        Column::int("CId", 4),
        Column::int("Idx", 4),
        Column::int("Attributes", 1),
        Column::int("PlyCount", 4),
        Column::int("Result", 1),
        Column::int("WhiteId", 4),
        Column::int("BlackId", 4),
        Column::int("WhiteELO", 4).nullable(),
        Column::int("BlackELO", 4).nullable(),
        Column::int("EventId", 4),
        Column::int("SiteId", 4),
        Column::date("GameDate").nullable(),
        Column::date("EventDate").nullable(),
        Column::int("DateFlags", 2),
        Column::int("OpeningId", 4),
        Column::fixed_text("ECO", 9).nullable(),
        Column::int("AnnotatorId", 4).nullable(),
        Column::text("WhiteTitle", 96).nullable(),
        Column::text("BlackTitle", 96).nullable(),
        Column::text("Round", 96).nullable(),
        Column::text("Board", 96).nullable(),
        Column::text("FEN", 384).nullable(),
        Column::text("Info", 765).nullable(),
        Column::blob("Bin").nullable(),
        Column::blob("Comments").nullable(),
        Column::blob("PosMain").nullable(),
        Column::blob("PosVar").nullable(),
        Column::blob("Eval").nullable(),
    ]
}

fn row(game: &SourceGame, number: usize, names: &mut [Names; 4]) -> Result<Vec<Value>, String> {
    let [players, events, sites, openings] = names;
    let text = |name: &str| match game.tag(name) {
        None | Some("" | "-" | "?") => Value::Null,
        Some(text) => Value::text(text),
    };
    let number_of = |name: &str| match game.tag(name).and_then(|value| value.parse().ok()) {
        Some(number) => Value::Int(number),
        None => Value::Null,
    };
    let (result, token) = match game.tag("Result") {
        Some("0-1") => (0, 0xd0),
        Some("1/2-1/2") => (1, 0xd1),
        Some("1-0") => (2, 0xd2),
        _ => (-1, 0xd3),
    };
    let (event_date, event_flags) = date(game.tag("EventDate"));
    let (date, flags) = date(game.tag("Date"));
    let moves = MoveData::of(game, token)?;
    let has = |found: fn(&Item) -> bool| i64::from(game.items.iter().any(found));
    let attributes = [
        has(|item| *item == Item::VariationStart),
        2 * has(|item| matches!(item, Item::Comment(_) | Item::Nag(_))),
        8 * i64::from(game.tag("Variant") == Some("Chess960")),
    ];
    Ok(vec![
        Value::Int(COLLECTION),
        Value::Int(number as i64 + 1),
        Value::Int(attributes.iter().sum()),
        Value::Int(moves.plies),
        Value::Int(result),
        players.id(game.tag("White")),
        players.id(game.tag("Black")),
        number_of("WhiteElo"),
        number_of("BlackElo"),
        events.id(game.tag("Event")),
        sites.id(game.tag("Site")),
        date,
        event_date,
        Value::Int(flags | event_flags << 8),
        openings.id(game.tag("Opening")),
        text("ECO"),
        players.id(game.tag("Annotator")),
        text("WhiteTitle"),
        text("BlackTitle"),
        text("Round"),
        text("Board"),
        text("FEN"),
        info(game)?,
        Value::Bytes(moves.bin),
        if moves.texts.is_empty() {
            Value::Null
        } else {
            Value::Bytes(moves.texts)
        },
        Value::Null,
        Value::Null,
        Value::Null,
    ])
}

/// A date and the flags of its unknown parts, which are stored as 1.
fn date(text: Option<&str>) -> (Value, i64) {
    let parts: Vec<i64> = text
        .unwrap_or_default()
        .split('.')
        .map(|part| part.parse().unwrap_or(0))
        .collect();
    let part = |place: usize| parts.get(place).copied().unwrap_or(0);
    if parts.iter().all(|&part| part == 0) {
        return (Value::Null, 0);
    }
    let unknown = |place: usize, flag: i64| if part(place) == 0 { flag } else { 0 };
    let number = part(2).max(1) | part(1).max(1) << 5 | part(0).max(1) << 9;
    (
        Value::Int(number),
        unknown(2, 0x10) | unknown(1, 0x20) | unknown(0, 0x40),
    )
}

/// All other tags in one text.
fn info(game: &SourceGame) -> Result<Value, String> {
    let is_other = |name: &str| !COLUMN_TAGS.contains(&name) && name != "PlyCount";
    let others = game.tags.iter().filter(|(name, _)| is_other(name));
    let pairs: Vec<String> = others.map(|(name, value)| format!("{name}={value}")).collect();
    let text = pairs.join(";");
    match text.chars().count() {
        0 => Ok(Value::Null),
        1..=255 => Ok(Value::text(&text)),
        _ => Err("its further tags are longer than 255 characters".to_owned()),
    }
}

/// Names, numbered in the order of their occurrence.
#[derive(Default)]
struct Names {
    ids: HashMap<String, i64>,
}

impl Names {
    /// The number of a name; 0 for an unknown one.
    fn id(&mut self, name: Option<&str>) -> Value {
        let next = self.ids.len() as i64 + 1;
        Value::Int(match name {
            None | Some("" | "-" | "?") => 0,
            Some(name) => *self.ids.entry(name.to_owned()).or_insert(next),
        })
    }

    fn rows(self) -> Vec<Vec<Value>> {
        let mut names: Vec<(i64, String)> = self.ids.into_iter().map(|(name, id)| (id, name)).collect();
        names.sort_unstable();
        let rows = names
            .into_iter()
            .map(|(id, name)| vec![Value::Int(id), Value::text(&name)]);
        rows.collect()
    }
}

/// Header, contents and padding of a member. Octal numbers begin with spaces.
fn member(name: &str, contents: &[u8]) -> Vec<u8> {
    let mut header = vec![0; 512];
    header[..name.len()].copy_from_slice(name.as_bytes());
    header[124..136].copy_from_slice(format!("{:>11o} ", contents.len()).as_bytes());
    header[148..156].copy_from_slice(b"        ");
    header[156] = b'0';
    let sum: u32 = header.iter().map(|&byte| u32::from(byte)).sum();
    header[148..155].copy_from_slice(format!("{sum:>6o}\0").as_bytes());
    header.extend(contents);
    header.resize(header.len().next_multiple_of(512), 0);
    header
}
