//! jose databases from any bytes: sound tables, and rows of any values in them.

use crate::edits::{Codes, change};
use crate::games;
use crate::harness::frame::Input;
use crate::harness::movetext::STARTS;
use crate::harness::told::Told;
use crate::jose_rows::{Kind, Spec, files};
use crate::moves::MoveData;
use crate::tables::Value;

/// Most games of a database.
const MOST_GAMES: usize = 24;
/// Most rows of a table of names, and of the collections.
const MOST_NAMES: usize = 8;

/// Bytes of an input that change the tables; the others tell the games.
const FOR_FILES: usize = 192;

const CODES: Codes = Codes {
    size: |code| match code[0] {
        0xa0..=0xb0 => 2,
        _ => 1,
    },
    any,
    variation: [0xf0, 0xf1],
};

/// What a game brings into its row.
struct Game {
    number: i64,
    moves: MoveData,
    fen: Option<String>,
}

/// A column, and what stands in it.
type Column = (Spec, fn(&mut Told<'_>, &Game) -> Value);

const fn column(
    name: &'static str,
    kind: Kind,
    is_nullable: bool,
    value: fn(&mut Told<'_>, &Game) -> Value,
) -> Column {
    let spec = Spec {
        name,
        kind,
        is_nullable,
    };
    (spec, value)
}

const ID: Column = column("Id", Kind::Int(4), false, |_, game| Value::Int(game.number));
const GAME_ID: Column = column("GId", Kind::Int(4), false, number);

const HEADER: [Column; 17] = [
    column("CId", Kind::Int(4), false, number),
    column("Idx", Kind::Int(4), false, number),
    column("Attributes", Kind::Int(2), false, number),
    column("PlyCount", Kind::Int(4), false, number),
    column("Result", Kind::Int(1), false, |told, _| {
        Value::Int(told.below(5) as i64 - 1)
    }),
    column("WhiteId", Kind::Int(4), false, number),
    column("BlackId", Kind::Int(4), false, number),
    column("WhiteELO", Kind::Int(4), true, number),
    column("BlackELO", Kind::Int(4), true, number),
    column("EventId", Kind::Int(4), false, number),
    column("SiteId", Kind::Int(4), false, number),
    column("GameDate", Kind::Date, true, date),
    column("EventDate", Kind::Date, true, date),
    column("DateFlags", Kind::Int(2), false, |told, _| {
        Value::Int(i64::from(told.byte()) << 4)
    }),
    column("OpeningId", Kind::Int(4), false, number),
    column("ECO", Kind::Fixed(9), true, text),
    column("AnnotatorId", Kind::Int(4), true, number),
];

const MOVES: [Column; 10] = [
    column("WhiteTitle", Kind::Text(96), true, text),
    column("BlackTitle", Kind::Text(96), true, text),
    column("Round", Kind::Text(96), true, text),
    column("Board", Kind::Text(96), true, text),
    column("FEN", Kind::Text(384), true, |told, game| match &game.fen {
        Some(fen) => Value::text(fen),
        None => text(told, game),
    }),
    column("Info", Kind::Text(765), true, info),
    column("Bin", Kind::Blob, true, |_, game| {
        Value::Bytes(game.moves.bin.clone())
    }),
    column("Comments", Kind::Blob, true, |_, game| {
        Value::Bytes(game.moves.texts.clone())
    }),
    column("PosMain", Kind::Blob, true, text),
    column("Eval", Kind::Blob, true, text),
];

const NAMES: [Column; 2] = [ID, column("Name", Kind::Text(765), false, text)];

const OPENINGS: [Column; 5] = [
    ID,
    column("HashKey", Kind::Int(8), false, number),
    column("Ply", Kind::Int(4), true, number),
    column("ECO", Kind::Fixed(9), false, text),
    column("Name", Kind::Text(765), false, text),
];

const COLLECTIONS: [Column; 4] = [
    ID,
    column("PId", Kind::Int(4), true, number),
    column("Name", Kind::Text(765), false, |told, game| {
        const OWN: [&str; 3] = ["collection.trash", "collection.intray", "collection.none"];
        match told.once_in(3) {
            true => Value::text(told.one_of(&OWN)),
            false => text(told, game),
        }
    }),
    column("Attributes", Kind::Int(1), false, number),
];

/// Tables that are short, and their columns.
const SHORT: [(&str, &[Column]); 5] = [
    ("Collection", &COLLECTIONS),
    ("Player", &NAMES),
    ("Event", &NAMES),
    ("Site", &NAMES),
    ("Opening", &OPENINGS),
];

/// The database that some bytes tell: `Game` with `MoreGame`, or `IO_Game`.
pub fn input(bytes: &[u8]) -> Input {
    let (head, rest) = bytes.split_at(bytes.len().min(FOR_FILES));
    let (mut head, mut told) = (Told(head), Told(rest));
    let is_archive = head.once_in(2);
    let prefix = if is_archive { "IO_" } else { "" };
    let mut all = Vec::new();
    let mut table = |name: &str, columns: Vec<&Column>, rows: &[Game], told: &mut Told<'_>| {
        let specs: Vec<Spec> = columns.iter().map(|(spec, _)| *spec).collect();
        let values = rows
            .iter()
            .map(|game| {
                columns
                    .iter()
                    .map(|(spec, value)| spec.value(told, |told| value(told, game)))
                    .collect()
            })
            .collect();
        let name = if name.contains("Game") {
            name.to_owned()
        } else {
            format!("{prefix}{name}")
        };
        let mut made = files(&mut head, &specs, values);
        made.iter_mut().for_each(|(_, bytes)| change(&mut head, bytes));
        all.extend(
            made.into_iter()
                .map(|(extension, bytes)| (format!("{name}.{extension}"), bytes)),
        );
    };
    for (name, columns) in SHORT {
        let rows: Vec<Game> = (0..told.below(MOST_NAMES + 1))
            .map(|number| unplayed(number as i64))
            .collect();
        table(name, columns.iter().collect(), &rows, &mut told);
    }
    let mut rows = Vec::new();
    while rows.len() < MOST_GAMES && !told.is_over() {
        rows.push(game(&mut told, rows.len() as i64));
    }
    // Behind the end of the input all values are zeros, so rows have bytes of their own.
    let values: Vec<u8> = bytes.iter().rev().copied().take(1 << 10).collect();
    let mut told = Told(&values);
    if is_archive {
        table("IO_Game", HEADER.iter().chain(&MOVES).collect(), &rows, &mut told);
    } else {
        table(
            "Game",
            [&ID].into_iter().chain(&HEADER).collect(),
            &rows,
            &mut told,
        );
        table(
            "MoreGame",
            [&GAME_ID].into_iter().chain(&MOVES).collect(),
            &rows,
            &mut told,
        );
    }
    Input::new(all)
}

fn unplayed(number: i64) -> Game {
    let moves = MoveData {
        bin: Vec::new(),
        texts: Vec::new(),
        plies: 0,
    };
    Game {
        number,
        moves,
        fen: None,
    }
}

fn game(told: &mut Told<'_>, number: i64) -> Game {
    // Castling as in Chess960 as well.
    const CHESS960: &str = "bqnbrkrn/pppppppp/8/8/8/8/PPPPPPPP/BQNBRKRN w GEge - 0 1";
    let starts: Vec<&str> = STARTS.into_iter().chain([CHESS960]).collect();
    let source = games::game(told, &starts);
    let mut game = unplayed(number);
    if let Ok(moves) = MoveData::of(&source, 0xd0 + told.byte() % 4) {
        game.moves = moves;
    }
    CODES.edit(told, &mut game.moves.bin);
    change(told, &mut game.moves.bin);
    change(told, &mut game.moves.texts);
    game.fen = source.tag("FEN").map(str::to_owned);
    game
}

fn any(told: &mut Told<'_>) -> Vec<u8> {
    match told.below(16) {
        0..6 => vec![told.byte() % 0xa0],
        6..8 => vec![0xa0 + told.byte() % 16, told.byte()],
        8 => vec![0xb0, told.byte()],
        9 => vec![0xb1 + told.byte() % 31],
        10 => vec![0xd4 + told.byte() % 28],
        11 => vec![0xf0],
        12 => vec![0xf1],
        13 => vec![0xf0, told.byte() % 0xa0, 0xf1],
        14 => [&[0xe0], told.text().as_bytes(), &[0]].concat(),
        _ => vec![told.byte()],
    }
}

fn number(told: &mut Told<'_>, _: &Game) -> Value {
    Value::Int(match told.byte() {
        small @ 0..240 => i64::from(small % 16),
        _ => i64::from(i32::from_le_bytes(told.bytes())),
    })
}

fn date(told: &mut Told<'_>, _: &Game) -> Value {
    let [day, year] = told.bytes();
    Value::Int(i64::from(day) | (1900 + i64::from(year)) << 9)
}

fn text(told: &mut Told<'_>, _: &Game) -> Value {
    Value::text(&told.name())
}

fn info(told: &mut Told<'_>, _: &Game) -> Value {
    let pairs: Vec<String> = (0..told.below(4))
        .map(|_| format!("{}={}", told.name(), told.name()))
        .collect();
    Value::text(&pairs.join(";"))
}
