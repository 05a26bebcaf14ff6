//! Replaying a record: codes to movetext (sections 6.4 to 7.4 and 9).
//!
//! A variation is stored before the move that it replaces, but in PGN it comes after this move. Therefore a variation
//! is first skipped with the help of the [`Outline`], and read when the next code shows that the annotations of the
//! move end. A variation without a move after it is written as text. There is no recursion: open lines are a list.

mod damage;
mod variations;

use std::borrow::Cow;

use encoding_rs::Encoding;

use self::damage::Doubt;
use super::annotation;
use super::codes::{BadCode, Code, CodedMove, read};
use super::header::Judgement;
use super::line::{Form, OpenLine, Waiting};
use super::outline::Outline;
use super::reading::{CodeReading, Side};
use super::record::Record;
use super::setup::{self, Refused, Start};
use crate::board::{Move, Position};
use crate::problem::Problem;
use crate::replay::{Fault, Limits, Origin, PlaceForm, Replay, Sink, Unplayed};

/// The record to be replayed, with the options for reading it.
#[derive(Clone, Copy)]
pub(super) struct Source<'d> {
    pub(super) record: Record<'d>,
    /// Name of the file.
    pub(super) file: &'d str,
    pub(super) reading: CodeReading,
    pub(super) encoding: &'static Encoding,
}

/// A replayed record.
pub(super) struct Replayed<O> {
    pub(super) output: O,
    /// The set-up position, if there is one.
    pub(super) fen: Result<Option<String>, Refused>,
    pub(super) problems: Vec<Problem>,
    /// True if all codes were understood and all moves were legal.
    pub(super) is_clean: bool,
    /// Number of marks of user folders, which are not shown.
    pub(super) folder_marks: u32,
}

/// Replays a record. `sink` creates the sink from the start position, the number of the first move and an estimate of
/// the number of tokens. A judgement becomes a glyph of the last move.
pub(super) fn replay<S: Sink>(
    source: Source<'_>,
    judgement: Option<Judgement>,
    sink: impl FnOnce(&Position, u32, usize) -> S,
) -> Replayed<S::Output> {
    let codes = source.record.codes;
    let set_up = setup::find(codes);
    let (start, refused) = match set_up.map(|(_, bytes)| setup::start(bytes)) {
        None => (Start::normal(), None),
        Some(Ok(start)) => (start, None),
        Some(Err(reason)) => (Start::normal(), Some(reason)),
    };
    let fen = match refused {
        Some(_) => Err(Refused),
        None => Ok(start.fen),
    };
    let sink = sink(&start.position, start.first_move, codes.len());
    let end = match (&refused, set_up) {
        (Some(_), Some((at, _))) => at,
        _ => codes.len(),
    };
    let mut replaying = Replaying {
        source,
        replay: Replay::new(sink, start.position, (), Limits::NONE, origin(source.file)),
        line: OpenLine::new(0, end, start.pieces, Form::Movetext),
        outer: Vec::new(),
        outline: None,
        set_up: set_up.map(|(at, _)| at),
        keeps_before: S::WHOLE
            && source.reading.variations == Side::After
            && codes.contains(&VARIATION_START),
        ended: None,
        stray_ends: Doubt::default(),
        blank_comments: Doubt::default(),
        is_clean: true,
        folder_marks: 0,
    };
    if let Some(reason) = refused {
        replaying.ended = Some((
            end,
            Fault::damage(format!("the set-up position is refused: {reason}")),
        ));
    }
    replaying.run();
    replaying.judge(judgement);
    replaying.report_doubts();
    let (output, problems) = replaying.replay.finish();
    Replayed {
        output,
        fen,
        problems,
        is_clean: replaying.is_clean,
        folder_marks: replaying.folder_marks,
    }
}

/// The form of locations in remarks.
pub(super) fn origin(file: &str) -> Origin<'_> {
    Origin {
        file,
        place: PlaceForm::Decimal,
    }
}

const VARIATION_START: u8 = 231;

/// A record being replayed.
struct Replaying<'d, S> {
    source: Source<'d>,
    replay: Replay<'d, S>,
    line: OpenLine,
    /// The lines around the current one, outermost first.
    outer: Vec<OpenLine>,
    /// Computed at the first variation.
    outline: Option<Outline>,
    /// Place of the set-up position.
    set_up: Option<usize>,
    /// True if variations may follow, so that the state before each move is needed.
    keeps_before: bool,
    /// The place where the codes end early, and the reason.
    ended: Option<(usize, Fault)>,
    stray_ends: Doubt,
    blank_comments: Doubt,
    is_clean: bool,
    folder_marks: u32,
}

impl<'d, S: Sink> Replaying<'d, S> {
    fn run(&mut self) {
        let codes = self.source.record.codes;
        loop {
            self.play_steps();
            if self.replay.is_done() {
                return;
            }
            let at = self.line.at;
            if at >= self.line.end {
                if self.close() {
                    return;
                }
                continue;
            }
            match read(codes, at) {
                Ok(Some((Code::Move(stored), size))) => {
                    let waits = !self.line.owed.is_empty() || !self.line.waiting.is_empty();
                    if waits && self.enter_variation() {
                        continue;
                    }
                    self.line.at += size;
                    self.play(stored, at);
                }
                Ok(Some((code, size))) => {
                    self.line.at += size;
                    self.other(code, at);
                }
                Ok(None) => self.line.end = at,
                Err(bad) => self.end_at(at, bad),
            }
        }
    }

    /// A fast path that plays legal steps up to the first other code, in movetext where no item waits for the next
    /// move. Nearly all codes of most games are such steps.
    fn play_steps(&mut self) {
        let line = &mut self.line;
        let waits = !line.owed.is_empty() || !line.waiting.is_empty();
        if waits || self.keeps_before || !matches!(line.form, Form::Movetext) {
            return;
        }
        let codes = self.source.record.codes.get(..line.end).unwrap_or_default();
        let files = self.source.reading.files;
        while let Some(&code) = codes.get(line.at)
            && !self.replay.is_done()
        {
            let position = self.replay.position();
            let us = position.turn();
            let Some((from, to)) = line.pieces.step(code, us, files) else {
                return;
            };
            let taken = position.capture_square(from, to);
            if self.replay.play(Move::normal(from, to)).is_err() {
                return;
            }
            line.pieces.follow_step(us, from, to, taken);
            line.has_move = true;
            line.at += 1;
        }
    }

    fn other(&mut self, code: Code<'d>, at: usize) {
        match code {
            Code::Comment(body) if S::WHOLE => self.comment(body, at),
            Code::VariationStart => self.variation(at),
            // Within a variation, this code has already ended the line.
            Code::VariationEnd => self.stray_ends.add(at),
            Code::SetUp(_) if self.set_up != Some(at) => self.end_at(at, BadCode::LateSetUp),
            Code::SetUp(_) | Code::Mark | Code::Move(_) | Code::Comment(_) => {}
        }
    }

    fn end_at(&mut self, at: usize, bad: BadCode) {
        self.line.end = at;
        self.line.at = at;
        self.ended = Some((at, self.fault_of(bad)));
    }

    fn position(&self) -> &Position {
        match &self.line.form {
            Form::Movetext => self.replay.position(),
            Form::Text(text) => &text.position,
        }
    }

    /// The position before the last move of the line, or at its start if it has no move.
    fn position_before(&self) -> Position {
        match &self.line.form {
            Form::Movetext => self.replay.position_before().unwrap_or(*self.replay.position()),
            Form::Text(text) => text.before,
        }
    }

    #[inline(always)]
    fn play(&mut self, stored: CodedMove, at: usize) {
        let meant = self
            .line
            .pieces
            .find(stored, self.position().turn(), self.source.reading);
        let meant = match meant {
            Ok(meant) => meant,
            Err(none) => return self.impossible(at, &Fault::damage(none.to_string())),
        };
        if !self.line.waiting.is_empty() || self.keeps_before {
            self.line.before = self.line.pieces;
            if self.position().test(meant.mv).is_ok() {
                self.write_waiting_texts();
            }
        }
        let position = match &self.line.form {
            Form::Movetext => self.replay.position(),
            Form::Text(text) => &text.position,
        };
        self.line.pieces.follow(position, meant);
        let played = match &mut self.line.form {
            Form::Movetext => self.replay.play(meant.mv),
            Form::Text(text) => text.play(meant.mv).map_err(Unplayed::Illegal),
        };
        match played {
            Ok(()) => {
                self.line.has_move = true;
                if !self.line.waiting.is_empty() {
                    self.attach_waiting();
                }
            }
            Err(unplayed) => self.unplayed(unplayed, meant, at),
        }
    }

    /// Writes the texts before the next move.
    fn write_waiting_texts(&mut self) {
        for waiting in &mut self.line.waiting {
            match (&*waiting, &mut self.line.form) {
                (Waiting::Remark(text), _) => self.replay.remark(text),
                (Waiting::Text(text), Form::Movetext) => self.replay.comment(text),
                (Waiting::Text(text), Form::Text(line)) => line.comment(text),
                (Waiting::Rendered(text), Form::Movetext) => self.replay.comment(text),
                (Waiting::Rendered(text), Form::Text(line)) => line.append(text),
                _ => continue,
            }
            *waiting = Waiting::Text(Cow::Borrowed(""));
        }
    }

    /// Attaches the waiting glyphs and variations to the move just played.
    fn attach_waiting(&mut self) {
        for waiting in std::mem::take(&mut self.line.waiting) {
            match waiting {
                Waiting::Glyph(glyph) => self.nag(glyph.nag),
                Waiting::Variation(span) => self.line.owed.push_back(span),
                _ => {}
            }
        }
        self.line.rendered = 0;
    }

    fn nag(&mut self, nag: u8) {
        match &mut self.line.form {
            Form::Movetext => self.replay.nag(nag),
            Form::Text(text) => text.nag(nag),
        }
    }

    fn text_comment(&mut self, text: &str) {
        match &mut self.line.form {
            Form::Movetext => self.replay.comment(text),
            Form::Text(line) => line.comment(text),
        }
    }

    fn comment(&mut self, body: &'d [u8], at: usize) {
        let Some((&kind, body)) = body.split_first() else {
            return self.blank_comments.add(at);
        };
        let Some(said) = annotation::read(kind, body, self.source.encoding) else {
            self.folder_marks = self.folder_marks.saturating_add(1);
            return;
        };
        if self.line.has_move && !said.is_before {
            if let Some(glyph) = said.glyph {
                self.nag(glyph.nag);
            }
            if let Some(text) = said.text {
                self.text_comment(&text);
            }
            return;
        }
        if let Some(glyph) = said.glyph {
            self.line.waiting.push(if said.is_before {
                Waiting::Glyph(glyph)
            } else {
                Waiting::Text(Cow::Borrowed(glyph.sign))
            });
        }
        if let Some(text) = said.text {
            self.line.waiting.push(Waiting::Text(Cow::Owned(text)));
        }
    }

    /// Writes the judgement stored instead of a result, as a glyph of the last move, or as a comment in a game without
    /// moves.
    fn judge(&mut self, judgement: Option<Judgement>) {
        match judgement {
            Some(judgement) if self.replay.has_move() => self.replay.nag(judgement.nag),
            Some(judgement) => self.replay.comment(judgement.sign),
            None => {}
        }
    }
}
