//! jose databases from arbitrary bytes: valid tables with rows of arbitrary values.

use crate::harness::choices::Choices;
use crate::harness::frame::Input;
use crate::harness::movetext::STARTS;
use crate::inputs::edits::{Codes, change};
use crate::inputs::games;
use crate::inputs::jose_rows::{Kind, Spec, files};
use crate::writers::jose::moves::MoveData;
use crate::writers::jose::tables::Value;

/// Maximum number of games in a database.
const MOST_GAMES: usize = 24;
/// Maximum number of rows in a table of names, and in the collections.
const MOST_NAMES: usize = 8;

/// Number of bytes of an input that change the tables; the others describe the games.
const FOR_FILES: usize = 192;

const CODES: Codes = Codes {
    size: |code| match code[0] {
        0xa0..=0xb0 => 2,
        _ => 1,
    },
    any,
    variation: [0xf0, 0xf1],
};

/// The data of a game for its row.
struct Game {
    number: i64,
    moves: MoveData,
    fen: Option<String>,
}

/// A column, and a function that chooses its values.
type Column = (Spec, fn(&mut Choices<'_>, &Game) -> Value);

const fn column(
    name: &'static str,
    kind: Kind,
    is_nullable: bool,
    value: fn(&mut Choices<'_>, &Game) -> Value,
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
    column("Result", Kind::Int(1), false, |choices, _| {
        Value::Int(choices.below(5) as i64 - 1)
    }),
    column("WhiteId", Kind::Int(4), false, number),
    column("BlackId", Kind::Int(4), false, number),
    column("WhiteELO", Kind::Int(4), true, number),
    column("BlackELO", Kind::Int(4), true, number),
    column("EventId", Kind::Int(4), false, number),
    column("SiteId", Kind::Int(4), false, number),
    column("GameDate", Kind::Date, true, date),
    column("EventDate", Kind::Date, true, date),
    column("DateFlags", Kind::Int(2), false, |choices, _| {
        Value::Int(i64::from(choices.byte()) << 4)
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
    column("FEN", Kind::Text(384), true, |choices, game| match &game.fen {
        Some(fen) => Value::text(fen),
        None => text(choices, game),
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
    column("Name", Kind::Text(765), false, |choices, game| {
        const OWN: [&str; 3] = ["collection.trash", "collection.intray", "collection.none"];
        if choices.once_in(3) {
            Value::text(choices.one_of(&OWN))
        } else {
            text(choices, game)
        }
    }),
    column("Attributes", Kind::Int(1), false, number),
];

/// Tables with few rows, and their columns.
const SHORT: [(&str, &[Column]); 5] = [
    ("Collection", &COLLECTIONS),
    ("Player", &NAMES),
    ("Event", &NAMES),
    ("Site", &NAMES),
    ("Opening", &OPENINGS),
];

/// The database that the choices in `bytes` describe: `Game` with `MoreGame`, or `IO_Game`.
pub fn input(bytes: &[u8]) -> Input {
    let (head, rest) = bytes.split_at(bytes.len().min(FOR_FILES));
    let (mut head, mut choices) = (Choices(head), Choices(rest));
    let is_archive = head.once_in(2);
    let prefix = if is_archive { "IO_" } else { "" };
    let mut all = Vec::new();
    let mut table = |name: &str, columns: Vec<&Column>, rows: &[Game], choices: &mut Choices<'_>| {
        let specs: Vec<Spec> = columns.iter().map(|(spec, _)| *spec).collect();
        let values = rows
            .iter()
            .map(|game| {
                columns
                    .iter()
                    .map(|(spec, value)| spec.value(choices, |choices| value(choices, game)))
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
        let rows: Vec<Game> = (0..choices.below(MOST_NAMES + 1))
            .map(|number| unplayed(number as i64))
            .collect();
        table(name, columns.iter().collect(), &rows, &mut choices);
    }
    let mut rows = Vec::new();
    while rows.len() < MOST_GAMES && !choices.is_over() {
        rows.push(game(&mut choices, rows.len() as i64));
    }
    // After the end of the input all values are zeros, so rows are filled from other bytes.
    let values: Vec<u8> = bytes.iter().rev().copied().take(1 << 10).collect();
    let mut choices = Choices(&values);
    if is_archive {
        table(
            "IO_Game",
            HEADER.iter().chain(&MOVES).collect(),
            &rows,
            &mut choices,
        );
    } else {
        table(
            "Game",
            [&ID].into_iter().chain(&HEADER).collect(),
            &rows,
            &mut choices,
        );
        table(
            "MoreGame",
            [&GAME_ID].into_iter().chain(&MOVES).collect(),
            &rows,
            &mut choices,
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

fn game(choices: &mut Choices<'_>, number: i64) -> Game {
    // Includes castling as in Chess960.
    const CHESS960: &str = "bqnbrkrn/pppppppp/8/8/8/8/PPPPPPPP/BQNBRKRN w GEge - 0 1";
    let starts: Vec<&str> = STARTS.into_iter().chain([CHESS960]).collect();
    let source = games::game(choices, &starts);
    let mut game = unplayed(number);
    if let Ok(moves) = MoveData::of(&source, 0xd0 + choices.byte() % 4) {
        game.moves = moves;
    }
    CODES.edit(choices, &mut game.moves.bin);
    change(choices, &mut game.moves.bin);
    change(choices, &mut game.moves.texts);
    game.fen = source.tag("FEN").map(str::to_owned);
    game
}

fn any(choices: &mut Choices<'_>) -> Vec<u8> {
    match choices.below(16) {
        0..6 => vec![choices.byte() % 0xa0],
        6..8 => vec![0xa0 + choices.byte() % 16, choices.byte()],
        8 => vec![0xb0, choices.byte()],
        9 => vec![0xb1 + choices.byte() % 31],
        10 => vec![0xd4 + choices.byte() % 28],
        11 => vec![0xf0],
        12 => vec![0xf1],
        13 => vec![0xf0, choices.byte() % 0xa0, 0xf1],
        14 => [&[0xe0], choices.text().as_bytes(), &[0]].concat(),
        _ => vec![choices.byte()],
    }
}

fn number(choices: &mut Choices<'_>, _: &Game) -> Value {
    Value::Int(match choices.byte() {
        small @ 0..240 => i64::from(small % 16),
        _ => i64::from(i32::from_le_bytes(choices.bytes())),
    })
}

fn date(choices: &mut Choices<'_>, _: &Game) -> Value {
    let [day, year] = choices.bytes();
    Value::Int(i64::from(day) | (1900 + i64::from(year)) << 9)
}

fn text(choices: &mut Choices<'_>, _: &Game) -> Value {
    Value::text(&choices.name())
}

fn info(choices: &mut Choices<'_>, _: &Game) -> Value {
    let pairs: Vec<String> = (0..choices.below(4))
        .map(|_| format!("{}={}", choices.name(), choices.name()))
        .collect();
    Value::text(&pairs.join(";"))
}
