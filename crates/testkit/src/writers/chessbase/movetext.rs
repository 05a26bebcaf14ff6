//! The moves of a game and their annotations.

use super::bytes_of;
use super::list::{EnPassant, Line, number};
use crate::writers::source::{Item, SourceGame};

/// The move area and the comment area.
pub fn movetext(game: &SourceGame, en_passant: u8) -> Result<(Vec<u8>, Vec<u8>), String> {
    let mut moves: Vec<u8> = Vec::new();
    let mut annotations: Vec<Annotation> = Vec::new();
    let mut initial: Option<Vec<u8>> = None;
    let mut line = Line {
        position: game.start.clone(),
        en_passant: EnPassant {
            file: en_passant,
            kept: false,
        },
        before: None,
    };
    let mut outer = Vec::new();
    for item in &game.items {
        match item {
            Item::Move(mv) => {
                let number = number(&line, *mv)?;
                moves.push(number);
                line = line.after(*mv);
            }
            Item::Null => return Err("a null move".to_owned()),
            Item::Nag(_) | Item::Comment(_) if line.before.is_none() => match item {
                Item::Comment(text) if outer.is_empty() && initial.is_none() => {
                    initial = Some(bytes_of(text)?)
                }
                _ => return Err("an annotation before the first move of a line".to_owned()),
            },
            Item::Nag(_) | Item::Comment(_) => {
                let at = moves.len() - 1;
                if annotations.last().is_none_or(|last| last.at != at) {
                    if matches!(moves[at], 0x7f | 0x80) {
                        return Err("an annotation of the 127th move or after a variation".to_owned());
                    }
                    moves[at] |= 0x80;
                    annotations.push(Annotation {
                        at,
                        ..Annotation::default()
                    });
                }
                if let Some(annotation) = annotations.last_mut() {
                    annotation.add(item)?;
                }
            }
            Item::VariationStart => {
                // Another variation that begins at once is not a game, but a test of decoders.
                let at_once = outer.last().map(|_| line.clone());
                let before = line.before.as_deref().cloned().or(at_once);
                let before = before.ok_or("a variation before the first move")?;
                moves.push(0xff);
                outer.push(std::mem::replace(
                    &mut line,
                    Line {
                        before: None,
                        ..before
                    },
                ));
            }
            Item::VariationEnd => {
                moves.push(0x80);
                line = outer.pop().ok_or("a variation ends that did not begin")?;
            }
        }
    }
    let initial = initial.map(|text| Annotation {
        text,
        ..Annotation::default()
    });
    let mut comments = Vec::new();
    for annotation in annotations.into_iter().chain(initial) {
        if comments.is_empty() {
            comments.push(0xff);
        }
        comments.extend(annotation.codes);
        comments.push(0);
        comments.extend(annotation.text);
        comments.push(0xff);
    }
    Ok((moves, comments))
}

/// Glyphs by byte of a comment; the code is the index in the list.
const GLYPHS: [&[u8]; 3] = [
    &[0, 1, 2, 5, 6, 3, 4, 0, 22, 32],
    &[0, 18, 16, 14, 10, 13, 15, 17, 19, 146, 44, 132, 36, 40, 138, 7],
    &[0, 145, 142, 140, 144, 0, 143],
];

/// The annotations of one move.
#[derive(Default)]
struct Annotation {
    codes: [u8; 3],
    text: Vec<u8>,
    /// Offset of the move's byte.
    at: usize,
}

impl Annotation {
    fn add(&mut self, item: &Item) -> Result<(), String> {
        match item {
            Item::Nag(nag) => {
                let code = GLYPHS.iter().enumerate().find_map(|(place, glyphs)| {
                    let code = glyphs.iter().position(|glyph| glyph == nag)?;
                    Some((place, code as u8)).filter(|_| *nag != 0)
                });
                match code {
                    Some((place, code)) if self.codes[place] == 0 => self.codes[place] = code,
                    _ => return Err(format!("the glyph ${nag} of a move")),
                }
            }
            Item::Comment(text) => {
                if !self.text.is_empty() {
                    self.text.push(b' ');
                }
                self.text.extend(bytes_of(text)?);
            }
            _ => {}
        }
        Ok(())
    }
}
