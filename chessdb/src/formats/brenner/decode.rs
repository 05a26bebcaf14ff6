//! One game: items to tags and tokens, and what to do about damage (sections 6 to 8).

use super::headers::{Headers, set_tag};
use super::items::{Item, Items, Text, is_glyph, outcome};
use super::reading::Reading;
use super::replay::{Replay, illegal};
use super::texts::Texts;
use crate::board::Position;
use crate::formats::{Decoded, Problem};
use crate::game::{Game, MovetextBuilder, Outcome, Tags};

/// Most places of damage in one game that are told one by one.
const MOST_REMARKS: usize = 32;

/// A record and where it stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Source<'a> {
    pub(super) file: &'a str,
    pub(super) record: &'a [u8],
    /// Offset of the record in the file.
    pub(super) start: usize,
    pub(super) outcome: Outcome,
}

/// Decodes a game.
pub(super) fn game(source: Source<'_>, reading: Reading, texts: Texts) -> Decoded {
    let mut decoder = Decoder {
        tags: Tags::new(source.outcome),
        builder: MovetextBuilder::new(Position::initial(), 1),
        replay: Replay::new(reading),
        headers: Some(Headers::default()),
        prefix_at: 0,
        glyphs: Glyphs::default(),
        line: Line::Open,
        damage: Vec::new(),
        more_damage: 0,
        source,
        texts,
    };
    decoder.builder.reserve(source.record.len().min(256));
    decoder.decode();
    decoder.finish()
}

/// Whether half-moves are still played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Line {
    Open,
    /// A half-move could not be played: those behind it are skipped.
    Broken,
}

struct Decoder<'a> {
    source: Source<'a>,
    texts: Texts,
    tags: Tags,
    builder: MovetextBuilder,
    replay: Replay,
    /// Tells headers from comments; none once there was an item that is no text.
    headers: Option<Headers>,
    /// Where the prefix stands that is being held.
    prefix_at: usize,
    glyphs: Glyphs,
    line: Line,
    damage: Vec<(usize, String)>,
    /// Damage beyond [`MOST_REMARKS`].
    more_damage: usize,
}

impl<'a> Decoder<'a> {
    fn decode(&mut self) {
        let mut items = Items::new(self.source.record);
        loop {
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
                    } else if self.line == Line::Open {
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

    #[inline(always)]
    fn halfmove(&mut self, byte: u8, at: usize) {
        let at = if self.replay.has_prefix() {
            self.prefix_at
        } else {
            at
        };
        match self.replay.read(self.builder.position(), byte) {
            Ok(None) => self.prefix_at = at,
            Ok(Some(mv)) => match self.builder.play(mv) {
                Ok(()) => self.glyphs.begin_move(),
                Err(rule) => {
                    let what = illegal(self.builder.position(), mv, rule);
                    self.break_off(at, what);
                }
            },
            Err(damage) => self.break_off(at, damage.to_string()),
        }
    }

    /// Something other than a half-move comes: a prefix before it is damage.
    #[inline]
    fn interrupt(&mut self, what: &'static str) {
        if let Err(damage) = self.replay.interrupt(what) {
            self.break_off(self.prefix_at, damage.to_string());
        }
    }

    #[cold]
    fn break_off(&mut self, at: usize, what: String) {
        self.line = Line::Broken;
        self.add_damage(at, || what);
    }

    fn glyph(&mut self, byte: u8, at: usize) {
        self.interrupt("a glyph");
        match (self.line, self.builder.has_move()) {
            (Line::Broken, _) => {}
            (Line::Open, true) => {
                if let Some(nag) = self.glyphs.add(byte) {
                    self.builder.nag(nag);
                }
            }
            (Line::Open, false) => {
                if !self.glyphs.dropped {
                    self.add_damage(at, || "a glyph before the first half-move".to_owned());
                }
                self.glyphs.dropped = true;
            }
        }
    }

    /// A glyph that stands alone means what it is.
    fn end_glyphs(&mut self) {
        if let Some(nag) = self.glyphs.end() {
            self.builder.nag(nag);
        }
    }

    fn text(&mut self, text: Text<'a>, at: usize) {
        if !text.is_closed {
            self.add_damage(at, || "the text is not closed".to_owned());
        }
        let header = self.headers.as_mut().and_then(|headers| headers.take(text));
        match header {
            Some((header, value)) => set_tag(&mut self.tags, header, value, self.texts),
            None => self.builder.comment(&self.texts.line(text.bytes)),
        }
    }

    /// Notes damage at a place of the record.
    fn add_damage(&mut self, at: usize, what: impl FnOnce() -> String) {
        if self.damage.len() < MOST_REMARKS {
            self.damage.push((self.source.start.saturating_add(at), what()));
        } else {
            self.more_damage += 1;
        }
    }

    /// The game, its last comment ending with a remark on each damage.
    fn finish(mut self) -> Decoded {
        let file = self.source.file;
        if self.more_damage > 0 {
            let what = format!("{} more places like these in this game", self.more_damage);
            if let Some((_, last)) = self.damage.last_mut() {
                *last = format!("{last}, and {what}");
            }
        }
        self.damage.sort_by_key(|(at, _)| *at);
        let mut problems = Vec::with_capacity(self.damage.len());
        for (at, what) in self.damage {
            self.builder
                .comment(&format!("pgnfs: byte {at} of {file}: {what}"));
            problems.push(Problem {
                file: file.to_owned(),
                offset: Some(at as u64),
                what,
            });
        }
        Decoded {
            game: Game {
                tags: self.tags,
                movetext: self.builder.finish(),
            },
            problems,
        }
    }
}

/// Glyph bytes on their way to NAGs (section 7.3).
#[derive(Clone, Copy, Debug, Default)]
struct Glyphs {
    /// A glyph that the next one may join.
    held: Option<u8>,
    /// A bit for each NAG that the half-move has.
    given: u8,
    /// A glyph stood before the first half-move.
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

    /// The NAG of a glyph that stands alone.
    #[inline]
    fn end(&mut self) -> Option<u8> {
        let alone = self.held.take()?;
        self.once(if alone == 7 { 1 } else { 2 })
    }

    /// A NAG unless the half-move has it already.
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
