//! Decoding a game: items to tags and tokens, and the handling of damage (sections 6 to 8).

use super::headers::{Headers, set_tag};
use super::items::{Item, Items, Text, is_glyph, outcome};
use super::numbers::Numbers;
use super::reading::HalfMoveReading;
use super::texts::TextReader;
use crate::board::{Move, Position};
use crate::database::Decoded;
use crate::game::{Game, Outcome, Tags};
use crate::replay::{Fault, Limits, MainLine, Origin, PlaceForm, Replay, Sink, Tree};

/// A record and its place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Source<'a> {
    pub(super) file: &'a str,
    pub(super) record: &'a [u8],
    /// Offset of the record in the file.
    pub(super) start: usize,
    pub(super) outcome: Outcome,
}

/// Decodes a game.
pub(super) fn game(source: Source<'_>, reading: HalfMoveReading, texts: TextReader) -> Decoded {
    let sink = Tree::beginning(&Position::initial(), 1, source.record.len());
    let decoder = decode(source, reading, texts, sink);
    let tags = decoder.tags;
    let (movetext, problems) = decoder.replay.finish();
    Decoded {
        game: Game { tags, movetext },
        problems,
    }
}

/// Replays the main line of a game into a sink.
pub(super) fn main_line(source: Source<'_>, reading: HalfMoveReading, texts: TextReader, sink: MainLine<'_>) {
    decode(source, reading, texts, sink);
}

fn decode<S: Sink>(
    source: Source<'_>,
    reading: HalfMoveReading,
    texts: TextReader,
    sink: S,
) -> Decoder<'_, S> {
    let origin = Origin {
        file: source.file,
        place: PlaceForm::Decimal,
    };
    let mut decoder = Decoder {
        tags: Tags::new(source.outcome),
        replay: Replay::new(sink, Position::initial(), (), Limits::NONE, origin),
        numbers: Numbers::new(reading),
        headers: Some(Headers::default()),
        prefix_at: 0,
        glyphs: Glyphs::default(),
        line: LineState::Open,
        damage: Vec::new(),
        source,
        texts,
    };
    decoder.decode();
    decoder.report_damage();
    decoder
}

/// Whether half-moves are played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LineState {
    Open,
    /// A half-move could not be played, so the half-moves after it are skipped.
    Broken,
}

struct Decoder<'a, S> {
    source: Source<'a>,
    texts: TextReader,
    tags: Tags,
    replay: Replay<'a, S>,
    numbers: Numbers,
    /// Distinguishes headers from comments; `None` after the first item that is not a text.
    headers: Option<Headers>,
    /// Offset of the pending prefix.
    prefix_at: usize,
    glyphs: Glyphs,
    line: LineState,
    /// Faults with their offsets in the record, and the half-moves before them.
    damage: Vec<(usize, u32, Fault)>,
}

impl<'a, S: Sink> Decoder<'a, S> {
    fn decode(&mut self) {
        let mut items = Items::new(self.source.record);
        loop {
            self.play_steps(&mut items);
            if self.replay.is_done() {
                break;
            }
            let at = items.at;
            let Some(item) = items.next() else { break };
            match item {
                Item::Byte(byte) if is_glyph(byte) => {
                    self.headers = None;
                    self.glyph(byte, at);
                }
                Item::Byte(byte) => {
                    self.headers = None;
                    self.end_glyphs();
                    if outcome(byte).is_some() {
                        self.interrupt("the result");
                    } else if self.line == LineState::Open {
                        self.halfmove(byte, at);
                    }
                }
                Item::Text(text) => {
                    self.end_glyphs();
                    self.interrupt("a text");
                    self.text(text, at);
                }
            }
        }
        self.end_glyphs();
        self.interrupt("the end of the game");
    }

    /// A fast path that plays legal steps up to the first other item. Nearly all bytes of most games are such steps.
    fn play_steps(&mut self, items: &mut Items<'_>) {
        let is_pending = self.numbers.has_prefix() || self.glyphs.held.is_some() || self.headers.is_some();
        if is_pending || self.line == LineState::Broken {
            return;
        }
        while let Some(&byte) = items.rest().first()
            && !self.replay.is_done()
        {
            let position = self.replay.position();
            let us = position.turn();
            let Some((from, to)) = self.numbers.step(us, byte) else {
                return;
            };
            let taken = position.capture_square(from, to);
            if self.replay.play(Move::normal(from, to)).is_err() {
                return;
            }
            self.numbers.follow_step(us, from, to, taken);
            self.glyphs.begin_move();
            items.at += 1;
        }
    }

    fn halfmove(&mut self, byte: u8, at: usize) {
        let at = if self.numbers.has_prefix() {
            self.prefix_at
        } else {
            at
        };
        match self.numbers.read(self.replay.position(), byte) {
            Ok(None) => self.prefix_at = at,
            Ok(Some(mv)) => match self.replay.play(mv) {
                Ok(()) => self.glyphs.begin_move(),
                Err(unplayed) => self.break_off(at, unplayed.into()),
            },
            Err(damage) => self.break_off(at, Fault::damage(damage.to_string())),
        }
    }

    /// Called before anything but a half-move. A pending prefix is damage.
    #[inline]
    fn interrupt(&mut self, what: &'static str) {
        if let Err(damage) = self.numbers.interrupt(what) {
            self.break_off(self.prefix_at, Fault::damage(damage.to_string()));
        }
    }

    #[cold]
    fn break_off(&mut self, at: usize, fault: Fault) {
        self.line = LineState::Broken;
        self.add_damage(at, fault);
    }

    /// Keeps a fault for the end of the game.
    fn add_damage(&mut self, at: usize, fault: Fault) {
        self.damage.push((at, self.replay.plies(), fault));
    }

    fn glyph(&mut self, byte: u8, at: usize) {
        self.interrupt("a glyph");
        match (self.line, self.replay.has_move()) {
            (LineState::Broken, _) => {}
            (LineState::Open, true) => {
                if let Some(nag) = self.glyphs.add(byte) {
                    self.replay.nag(nag);
                }
            }
            (LineState::Open, false) => {
                if !self.glyphs.dropped {
                    let fault = Fault::damage("a glyph before the first half-move");
                    self.add_damage(at, fault);
                }
                self.glyphs.dropped = true;
            }
        }
    }

    /// Ends a pair of glyphs: a single glyph has its own NAG.
    fn end_glyphs(&mut self) {
        if let Some(nag) = self.glyphs.end() {
            self.replay.nag(nag);
        }
    }

    fn text(&mut self, text: Text<'a>, at: usize) {
        if !text.is_closed {
            self.add_damage(at, Fault::damage("the text is not closed"));
        }
        let header = self.headers.as_mut().and_then(|headers| headers.take(text));
        match header {
            Some((header, value)) if S::WHOLE => set_tag(&mut self.tags, header, value, self.texts),
            None if S::WHOLE => self.replay.comment(&self.texts.line(text.bytes)),
            _ => {}
        }
    }

    /// Adds a remark for each damage.
    fn report_damage(&mut self) {
        self.damage.sort_by_key(|(at, ..)| *at);
        for (at, plies, fault) in &self.damage {
            let offset = self.source.start.saturating_add(*at);
            self.replay.fault_of_ply(*plies, offset as u64, fault);
        }
    }
}

/// Combines glyph bytes into NAGs (section 7.3).
#[derive(Clone, Copy, Debug, Default)]
struct Glyphs {
    /// A glyph that may form a pair with the next one.
    held: Option<u8>,
    /// One bit for each NAG that the half-move already has.
    given: u8,
    /// True if there was a glyph before the first half-move.
    dropped: bool,
}

impl Glyphs {
    fn begin_move(&mut self) {
        self.given = 0;
    }

    /// The NAG that a glyph completes.
    fn add(&mut self, byte: u8) -> Option<u8> {
        match self.held.take() {
            None => {
                self.held = Some(byte);
                None
            }
            Some(first) => self.once(match (first, byte) {
                (7, 7) => 3,
                (6, 6) => 4,
                (7, _) => 5,
                _ => 6,
            }),
        }
    }

    /// The NAG of a single glyph.
    #[inline]
    fn end(&mut self) -> Option<u8> {
        let alone = self.held.take()?;
        self.once(if alone == 7 { 1 } else { 2 })
    }

    /// The NAG, unless the half-move already has it.
    fn once(&mut self, nag: u8) -> Option<u8> {
        let bit = 1 << nag;
        let is_new = self.given & bit == 0;
        self.given |= bit;
        is_new.then_some(nag)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nags(glyphs: &[u8]) -> Vec<u8> {
        let mut state = Glyphs::default();
        let mut nags: Vec<u8> = glyphs.iter().filter_map(|&byte| state.add(byte)).collect();
        nags.extend(state.end());
        nags
    }

    #[test]
    fn glyphs_pair_from_the_left() {
        assert_eq!(nags(&[7]), [1]);
        assert_eq!(nags(&[6]), [2]);
        assert_eq!(nags(&[7, 7]), [3]);
        assert_eq!(nags(&[6, 6]), [4]);
        assert_eq!(nags(&[7, 6]), [5]);
        assert_eq!(nags(&[6, 7]), [6]);
        assert_eq!(nags(&[7, 7, 6]), [3, 2]);
        assert_eq!(nags(&[7, 7, 7, 7, 7]), [3, 1]);
    }
}
