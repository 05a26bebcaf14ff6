//! Chess Assistant databases from arbitrary bytes: valid files whose records contain arbitrary codes.
//!
//! The first byte selects one of the eight readings. Games are written in it, and it is then forced or found
//! by trial.

use chessdb::formats::FORMATS;

use crate::harness::choices::Choices;
use crate::harness::frame::Input;
use crate::harness::movetext::STARTS;
use crate::inputs::edits::{Codes, change};
use crate::inputs::games;
use crate::writers::chess_assistant::{Writer, record};

const FORMAT: &str = "chess-assistant";

/// Maximum number of games in a database: more than are examined to choose a reading.
const MOST_GAMES: usize = 40;

/// Number of bytes of an input that change the files; the others describe the games.
const FOR_FILES: usize = 64;

const CODES: Codes = Codes {
    size,
    any,
    variation: [231, 232],
};

/// A set-up position: its code, and the sizes of its pieces and of the whole code.
const SET_UP: u8 = 230;
const PIECES: usize = 72;
const SET_UP_SIZE: usize = 77;
const PROMOTION: u8 = 209;

/// How codes are written, in the order of the format's readings.
#[derive(Clone, Copy)]
struct Written {
    /// Steps lead to the opposite side.
    is_mirrored: bool,
    has_kinds_swapped: bool,
    has_variations_behind: bool,
}

/// The database that the choices in `bytes` describe.
pub fn input(bytes: &[u8]) -> Input {
    let (head, rest) = bytes.split_at(bytes.len().min(FOR_FILES));
    let (mut head, mut choices) = (Choices(head), Choices(rest));
    let reading = head.byte();
    let written = Written {
        is_mirrored: reading & 4 != 0,
        has_kinds_swapped: reading & 2 != 0,
        has_variations_behind: reading & 1 != 0,
    };
    let mut writer = Writer::default();
    for _ in 0..MOST_GAMES {
        if choices.is_over() {
            break;
        }
        let game = games::game(&mut choices, &STARTS);
        let mut codes = record(&game).unwrap_or_default();
        written.change(&mut codes);
        CODES.edit(&mut choices, &mut codes);
        change(&mut choices, &mut codes);
        // Games that are too long are left out.
        let _ = writer.add(&game, &codes);
    }
    let mut files = writer.files();
    for (_, bytes) in &mut files {
        change(&mut head, bytes);
    }
    let named = files.map(|(extension, bytes)| (format!("a.{extension}"), bytes));
    Input::new(named.into_iter().chain(forced(reading)))
}

/// The option that forces a reading, unless it is to be found by trial.
fn forced(reading: u8) -> Option<(String, Vec<u8>)> {
    let format = FORMATS.iter().find(|format| format.name == FORMAT);
    let readings = (format.expect("the format").readings)();
    let name = readings.get(usize::from(reading % 16))?;
    Some(("options".to_owned(), format!("reading={name}").into_bytes()))
}

impl Written {
    /// Converts codes from the first reading to this one.
    fn change(self, codes: &mut Vec<u8>) {
        for at in CODES.places(codes) {
            match codes[at..].first() {
                Some(&PROMOTION) if self.has_kinds_swapped => {
                    let kind = codes[at + 1] & 3;
                    codes[at + 1] ^= if matches!(kind, 1 | 2) { 3 } else { 0 };
                }
                // In the mirrored position all steps lead to the opposite side.
                Some(&SET_UP) if self.is_mirrored => {
                    let pieces = codes[at + 1..][..PIECES].chunks_exact_mut(2);
                    pieces
                        .filter(|piece| **piece != [8, 0])
                        .for_each(|piece| piece[0] ^= 7);
                }
                _ => {}
            }
        }
        if self.has_variations_behind {
            *codes = CODES.variations_behind(codes);
        }
    }
}

fn size(code: &[u8]) -> usize {
    match code {
        [PROMOTION | 234, ..] => 3,
        [212..=219 | 233, ..] => 2,
        [SET_UP, ..] => SET_UP_SIZE,
        [235, len, ..] => 2 + usize::from(*len),
        [236, a, b, c, d, ..] => 5 + u32::from_le_bytes([*a, *b, *c, *d]) as usize,
        _ => 1,
    }
}

fn any(choices: &mut Choices<'_>) -> Vec<u8> {
    match choices.below(16) {
        0..6 => vec![choices.byte() % 207],
        6 => vec![207 + choices.byte() % 5],
        7 => vec![PROMOTION, choices.byte(), choices.byte()],
        8 => vec![212 + choices.byte() % 8, choices.byte()],
        9 => vec![231],
        10 => vec![232],
        11 => vec![231, choices.byte() % 207, 232],
        12..15 => comment(choices),
        _ => choices.bytes::<2>().to_vec(),
    }
}

fn comment(choices: &mut Choices<'_>) -> Vec<u8> {
    const TYPES: [u8; 12] = [2, 3, 4, 5, 6, 7, 8, 9, 15, 21, 29, 255];
    let mut body = vec![choices.one_of(&TYPES)];
    body.extend(choices.text().bytes());
    let mut code = match u8::try_from(body.len()) {
        Ok(2) => vec![234],
        Ok(len) => vec![235, len],
        Err(_) => [&[236], &(body.len() as u32).to_le_bytes()[..]].concat(),
    };
    code.append(&mut body);
    code
}
