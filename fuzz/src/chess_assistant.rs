//! Chess Assistant databases from any bytes: sound files, and records of any codes in them.
//!
//! The first byte chooses one of the eight readings. Games are written for it, and it is forced or found by trial.

use chessdb::formats::FORMATS;

use crate::edits::{Codes, change};
use crate::encode_chess_assistant::{Writer, record};
use crate::games;
use crate::harness::frame::Input;
use crate::harness::movetext::STARTS;
use crate::harness::told::Told;

const FORMAT: &str = "chess-assistant";

/// Most games of a database: more than a trial looks at.
const MOST_GAMES: usize = 40;

/// Bytes of an input that change the files; the others tell the games.
const FOR_FILES: usize = 64;

const CODES: Codes = Codes {
    size,
    any,
    variation: [231, 232],
};

/// A set-up position: its code, the pieces, and what follows them.
const SET_UP: u8 = 230;
const MEN: usize = 72;
const SET_UP_SIZE: usize = 77;
const PROMOTION: u8 = 209;

/// How codes are written, in the order of the format's readings.
#[derive(Clone, Copy)]
struct Written {
    /// Steps lead to the other side.
    is_mirrored: bool,
    has_kinds_swapped: bool,
    has_variations_behind: bool,
}

/// The database that some bytes tell.
pub fn input(bytes: &[u8]) -> Input {
    let (head, rest) = bytes.split_at(bytes.len().min(FOR_FILES));
    let (mut head, mut told) = (Told(head), Told(rest));
    let reading = head.byte();
    let written = Written {
        is_mirrored: reading & 4 != 0,
        has_kinds_swapped: reading & 2 != 0,
        has_variations_behind: reading & 1 != 0,
    };
    let mut writer = Writer::default();
    for _ in 0..MOST_GAMES {
        if told.is_over() {
            break;
        }
        let game = games::game(&mut told, &STARTS);
        let mut codes = record(&game).unwrap_or_default();
        written.change(&mut codes);
        CODES.edit(&mut told, &mut codes);
        change(&mut told, &mut codes);
        // What is too long is left out.
        let _ = writer.add(&game, &codes);
    }
    let mut files = writer.files();
    for (_, bytes) in &mut files {
        change(&mut head, bytes);
    }
    let named = files.map(|(extension, bytes)| (format!("a.{extension}"), bytes));
    Input::new(named.into_iter().chain(forced(reading)))
}

/// The option that forces a reading, where it is not to be found by trial.
fn forced(reading: u8) -> Option<(String, Vec<u8>)> {
    let format = FORMATS.iter().find(|format| format.name == FORMAT);
    let readings = (format.expect("the format").readings)();
    let name = readings.get(usize::from(reading % 16))?;
    Some(("options".to_owned(), format!("reading={name}").into_bytes()))
}

impl Written {
    /// Turns codes of the first reading into those of this one.
    fn change(self, codes: &mut Vec<u8>) {
        for at in CODES.places(codes) {
            match codes[at..].first() {
                Some(&PROMOTION) if self.has_kinds_swapped => {
                    let kind = codes[at + 1] & 3;
                    codes[at + 1] ^= if matches!(kind, 1 | 2) { 3 } else { 0 };
                }
                // In the mirrored position all steps lead to the other side.
                Some(&SET_UP) if self.is_mirrored => {
                    let pieces = codes[at + 1..][..MEN].chunks_exact_mut(2);
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

fn any(told: &mut Told<'_>) -> Vec<u8> {
    match told.below(16) {
        0..6 => vec![told.byte() % 207],
        6 => vec![207 + told.byte() % 5],
        7 => vec![PROMOTION, told.byte(), told.byte()],
        8 => vec![212 + told.byte() % 8, told.byte()],
        9 => vec![231],
        10 => vec![232],
        11 => vec![231, told.byte() % 207, 232],
        12..15 => comment(told),
        _ => told.bytes::<2>().to_vec(),
    }
}

fn comment(told: &mut Told<'_>) -> Vec<u8> {
    const TYPES: [u8; 12] = [2, 3, 4, 5, 6, 7, 8, 9, 15, 21, 29, 255];
    let mut body = vec![told.one_of(&TYPES)];
    body.extend(told.text().bytes());
    let mut code = match u8::try_from(body.len()) {
        Ok(2) => vec![234],
        Ok(len) => vec![235, len],
        Err(_) => [&[236], &(body.len() as u32).to_le_bytes()[..]].concat(),
    };
    code.append(&mut body);
    code
}
