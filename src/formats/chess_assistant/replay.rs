//! A record replayed: codes to movetext (sections 6.5 to 7.4 and 9).
//!
//! A variation stands before the move that it replaces, and PGN wants it behind that move. So a variation is passed
//! over first, with the help of the [`Outline`], and read when the next code shows that all is said about the move.
//! One that no move follows becomes text. Nothing recurses: open lines are a list.

use std::borrow::Cow;

use encoding_rs::Encoding;

use super::annotation;
use super::codes::{BadCode, Code, StoredMove, read};
use super::forces::{Forces, Meant, is_possible};
use super::header::Judgement;
use super::line::{Form, Line, TextLine, Waiting};
use super::outline::{Outline, Span};
use super::reading::{Reading, Side};
use super::record::Record;
use super::setup::{self, Start};
use crate::board::{Illegal, LongMove, Position};
use crate::formats::Problem;
use crate::game::{Movetext, MovetextBuilder};

/// What is replayed, and how.
#[derive(Clone, Copy)]
pub(super) struct Source<'d> {
    pub(super) record: Record<'d>,
    /// Name of the file.
    pub(super) file: &'d str,
    pub(super) reading: Reading,
    pub(super) encoding: &'static Encoding,
}

/// A replayed record.
pub(super) struct Replay {
    pub(super) movetext: Movetext,
    /// The set-up position, where there is one.
    pub(super) fen: Option<String>,
    pub(super) problems: Vec<Problem>,
    /// All codes were understood and all moves legal.
    pub(super) is_clean: bool,
    /// Marks of user folders, which are not shown.
    pub(super) folder_marks: u32,
}

/// Replays a record. A judgement becomes a glyph of the last move.
pub(super) fn replay(source: Source<'_>, judgement: Option<Judgement>) -> Replay {
    let codes = source.record.codes;
    let set_up = setup::find(codes);
    let (start, refused) = match set_up.map(|(_, bytes)| setup::start(bytes)) {
        None => (Start::normal(), None),
        Some(Ok(start)) => (start, None),
        Some(Err(reason)) => (Start::normal(), Some(reason)),
    };
    let mut builder = MovetextBuilder::new(start.position, start.first_move);
    builder.reserve(codes.len().min(256));
    let end = match (&refused, set_up) {
        (Some(_), Some((at, _))) => at,
        _ => codes.len(),
    };
    let mut replaying = Replaying {
        source,
        builder,
        line: Line::new(0, end, start.forces, Form::Movetext),
        outer: Vec::new(),
        outline: None,
        set_up: set_up.map(|(at, _)| at),
        keeps_before: source.reading.variations == Side::After && codes.contains(&VARIATION_START),
        ended: None,
        stray_ends: Doubt::default(),
        blank_comments: Doubt::default(),
        problems: Vec::new(),
        is_clean: true,
        folder_marks: 0,
    };
    if let Some(reason) = refused {
        replaying.ended = Some((
            end,
            Cow::Owned(format!("the set-up position is refused: {reason}")),
        ));
    }
    replaying.run();
    replaying.judge(judgement);
    replaying.report_doubts();
    Replay {
        movetext: replaying.builder.finish(),
        fen: start.fen,
        problems: replaying.problems,
        is_clean: replaying.is_clean,
        folder_marks: replaying.folder_marks,
    }
}

const VARIATION_START: u8 = 231;

/// An oddity that costs nothing: its first place, and how often it occurs.
#[derive(Clone, Copy, Default)]
struct Doubt {
    first: usize,
    count: u32,
}

impl Doubt {
    fn add(&mut self, at: usize) {
        if self.count == 0 {
            self.first = at;
        }
        self.count = self.count.saturating_add(1);
    }
}

/// A record being replayed.
struct Replaying<'d> {
    source: Source<'d>,
    builder: MovetextBuilder,
    line: Line<'d>,
    /// The lines around the current one, outermost first.
    outer: Vec<Line<'d>>,
    /// Known as soon as there is a variation.
    outline: Option<Outline>,
    /// Place of the set-up position.
    set_up: Option<usize>,
    /// A variation may replace any move that was already played.
    keeps_before: bool,
    /// Why and where the codes end early.
    ended: Option<(usize, Cow<'static, str>)>,
    stray_ends: Doubt,
    blank_comments: Doubt,
    problems: Vec<Problem>,
    is_clean: bool,
    folder_marks: u32,
}

impl<'d> Replaying<'d> {
    fn run(&mut self) {
        let codes = self.source.record.codes;
        loop {
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

    fn other(&mut self, code: Code<'d>, at: usize) {
        match code {
            Code::Comment(body) => self.comment(body, at),
            Code::VariationStart => self.variation(at),
            // Those of variations end their lines.
            Code::VariationEnd => self.stray_ends.add(at),
            Code::SetUp(_) if self.set_up != Some(at) => self.end_at(at, BadCode::LateSetUp),
            Code::SetUp(_) | Code::Mark | Code::Move(_) => {}
        }
    }

    fn end_at(&mut self, at: usize, bad: BadCode) {
        self.line.end = at;
        self.line.at = at;
        self.ended = Some((at, self.reason_of(bad)));
    }

    fn reason_of(&self, bad: BadCode) -> Cow<'static, str> {
        if bad == BadCode::Cut && self.source.record.missing > 0 {
            Cow::Owned(self.describe_missing())
        } else {
            Cow::Owned(bad.to_string())
        }
    }

    fn describe_missing(&self) -> String {
        format!(
            "the file ends {} bytes before the game does",
            self.source.record.missing
        )
    }

    fn position(&self) -> &Position {
        match &self.line.form {
            Form::Movetext => self.builder.position(),
            Form::Text(text) => &text.position,
        }
    }

    /// The position before the last move of the line; the one at its start where it has none.
    fn position_before(&self) -> Position {
        match &self.line.form {
            Form::Movetext => self.builder.position_before().unwrap_or(*self.builder.position()),
            Form::Text(text) => text.before,
        }
    }

    #[inline(always)]
    fn play(&mut self, stored: StoredMove, at: usize) {
        let meant = self
            .line
            .forces
            .find(stored, self.position().turn(), self.source.reading);
        let meant = match meant {
            Ok(meant) => meant,
            Err(none) => return self.impossible(at, &none.to_string()),
        };
        if !self.line.waiting.is_empty() || self.keeps_before {
            self.line.before = self.line.forces;
            if self.position().test(meant.mv).is_ok() {
                self.say_what_waits();
            }
        }
        let position = match &self.line.form {
            Form::Movetext => self.builder.position(),
            Form::Text(text) => &text.position,
        };
        self.line.forces.follow(position, meant);
        let played = match &mut self.line.form {
            Form::Movetext => self.builder.play(meant.mv),
            Form::Text(text) => text.play(meant.mv),
        };
        match played {
            Ok(()) => {
                self.line.has_move = true;
                if !self.line.waiting.is_empty() {
                    self.attach_what_waits();
                }
            }
            Err(illegal) => self.illegal(illegal, meant, at),
        }
    }

    /// Writes the texts that stand before the next move.
    fn say_what_waits(&mut self) {
        for waiting in &mut self.line.waiting {
            let (text, is_variation) = match waiting {
                Waiting::Text(text) => (&**text, false),
                Waiting::Rendered(text) => (text.as_str(), true),
                _ => continue,
            };
            match &mut self.line.form {
                Form::Movetext => self.builder.comment(text),
                Form::Text(line) if is_variation => line.append(text),
                Form::Text(line) => line.comment(text),
            }
            *waiting = Waiting::Text(Cow::Borrowed(""));
        }
    }

    /// Gives the move just played the glyphs and the variations that stood before it.
    fn attach_what_waits(&mut self) {
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
            Form::Movetext => self.builder.nag(nag),
            Form::Text(text) => text.nag(nag),
        }
    }

    fn say(&mut self, text: &str) {
        match &mut self.line.form {
            Form::Movetext => self.builder.comment(text),
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
                self.say(&text);
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
            self.line.waiting.push(Waiting::Text(text));
        }
    }

    /// Ends the current line for a move that cannot be.
    #[cold]
    fn impossible(&mut self, at: usize, reason: &str) {
        let remark = self.remark(at, reason, "");
        self.line.remark = Some(remark);
        self.line.end = self.line.at;
    }

    #[cold]
    fn illegal(&mut self, illegal: Illegal, meant: Meant, at: usize) {
        let rest = if illegal.is_pseudo_legal() {
            let (position, forces) = (*self.position(), self.line.forces);
            self.stored_rest(position, forces, meant, self.line.at, self.line.end)
        } else {
            String::new()
        };
        let remark = self.remark(at, &illegal.to_string(), &rest);
        self.line.remark = Some(remark);
        self.line.end = self.line.at;
    }

    /// The moves of a line from one on that hurts the king's safety, in long algebraic notation. `forces` have
    /// followed it already; the codes behind it are those from `at` to `end`.
    fn stored_rest(
        &mut self,
        mut position: Position,
        mut forces: Forces,
        mut meant: Meant,
        mut at: usize,
        end: usize,
    ) -> String {
        let mut rest = String::from("; the stored line goes on");
        loop {
            rest.push(' ');
            rest.push_str(&LongMove(&position, meant.mv).to_string());
            position.play(meant.mv);
            let stored = loop {
                match read(self.source.record.codes, at) {
                    Ok(Some((code, size))) if at < end => match code {
                        Code::Move(stored) => {
                            at += size;
                            break stored;
                        }
                        Code::VariationStart => at = self.span(at).end + 1,
                        _ => at += size,
                    },
                    _ => return rest,
                }
            };
            match forces.find(stored, position.turn(), self.source.reading) {
                Ok(next) if is_possible(position.test(next.mv)) => {
                    forces.follow(&position, next);
                    meant = next;
                }
                _ => return rest + " ...",
            }
        }
    }

    /// The variation that begins at a place.
    fn span(&mut self, start: usize) -> Span {
        let codes = self.source.record.codes;
        let is_main = self.outline.is_none();
        let outline = self.outline.get_or_insert_with(|| Outline::new(codes, start));
        let span = outline.span(start).unwrap_or(Span {
            start,
            end: outline.end,
        });
        if is_main {
            let (end, bad) = (outline.end, outline.bad);
            self.line.end = end;
            self.ended = bad.map(|bad| (end, self.reason_of(bad)));
        }
        span
    }

    /// A variation begins: it waits for its move, or for all that is said about it.
    fn variation(&mut self, at: usize) {
        let span = self.span(at);
        if self.source.reading.variations == Side::After {
            if !self.line.has_move {
                self.line.at = span.end + 1;
                return self.impossible(at, "a variation begins where no move stands that it replaces");
            }
            let position = self.position_before();
            if self.has_moves(span, &position, &self.line.before) {
                self.line.owed.push_back(span);
            } else {
                self.empty_variation(span, position, self.line.before);
            }
        } else if self.has_moves(span, self.position(), &self.line.forces) {
            self.line.waiting.push(Waiting::Variation(span));
        } else {
            self.empty_variation(span, *self.position(), self.line.forces);
        }
        self.line.at = span.end + 1;
    }

    /// True where the first move of a variation can be played.
    fn has_moves(&self, span: Span, position: &Position, forces: &Forces) -> bool {
        let mut at = span.start + 1;
        while at < span.end {
            match read(self.source.record.codes, at) {
                Ok(Some((Code::Move(stored), _))) => {
                    let meant = forces.find(stored, position.turn(), self.source.reading);
                    return meant.is_ok_and(|meant| position.test(meant.mv).is_ok());
                }
                Ok(Some((Code::VariationStart, _))) => match self.outline.as_ref() {
                    Some(outline) if self.source.reading.variations == Side::Before => {
                        at = outline.span(at).map_or(span.end, |inner| inner.end + 1);
                    }
                    _ => return false,
                },
                Ok(Some((_, size))) => at += size,
                _ => return false,
            }
        }
        false
    }

    /// What a variation without a move holds stands before the next move (section 7.4).
    fn empty_variation(&mut self, span: Span, position: Position, forces: Forces) {
        let mut ends = vec![span.end];
        let mut at = span.start + 1;
        while at < span.end {
            let Ok(Some((code, size))) = read(self.source.record.codes, at) else {
                return;
            };
            let from = at;
            at += size;
            let why = match code {
                Code::Comment(body) => {
                    let has_move = std::mem::replace(&mut self.line.has_move, false);
                    self.comment(body, from);
                    self.line.has_move = has_move;
                    continue;
                }
                Code::VariationEnd => {
                    ends.pop();
                    continue;
                }
                Code::VariationStart if self.source.reading.variations == Side::Before => {
                    let inner = self.span(from);
                    if self.has_moves(inner, &position, &forces) {
                        self.line.waiting.push(Waiting::Stray(inner));
                        at = inner.end + 1;
                    } else {
                        ends.push(inner.end);
                    }
                    continue;
                }
                Code::VariationStart => {
                    let reason = "a variation begins where no move stands that it replaces";
                    self.remark(from, reason, "")
                }
                Code::Move(stored) => {
                    let end = ends.last().copied().unwrap_or(span.end);
                    self.why_no_move(stored, from, (at, end), &position, forces)
                }
                Code::Mark | Code::SetUp(_) => continue,
            };
            self.line.waiting.push(Waiting::Text(Cow::Owned(why)));
            // The rest of this variation is passed over.
            at = ends.pop().map_or(span.end, |end| end + 1);
        }
    }

    /// The remark on the first move of a variation, which cannot be played.
    fn why_no_move(
        &mut self,
        stored: StoredMove,
        at: usize,
        (next, end): (usize, usize),
        position: &Position,
        mut forces: Forces,
    ) -> String {
        let meant = match forces.find(stored, position.turn(), self.source.reading) {
            Ok(meant) => meant,
            Err(none) => return self.remark(at, &none.to_string(), ""),
        };
        match position.test(meant.mv) {
            Err(illegal) if illegal.is_pseudo_legal() => {
                forces.follow(position, meant);
                let rest = self.stored_rest(*position, forces, meant, next, end);
                self.remark(at, &illegal.to_string(), &rest)
            }
            Err(illegal) => self.remark(at, &illegal.to_string(), ""),
            Ok(()) => String::new(),
        }
    }

    /// Begins to read a variation that must be read before the next move is played; false where there is none.
    fn enter_variation(&mut self) -> bool {
        let (span, slot) = match self.line.owed.pop_front() {
            Some(span) => (span, None),
            None => match self.line.next_stray() {
                Some((slot, span)) => (span, Some(slot)),
                None => return false,
            },
        };
        let (position, forces) = match slot {
            Some(_) => (*self.position(), self.line.forces),
            None => (self.position_before(), self.line.before),
        };
        let is_text = slot.is_some() || matches!(self.line.form, Form::Text(_));
        let form = if is_text {
            Form::Text(Box::new(TextLine::new(position, slot)))
        } else if self.builder.start_variation().is_ok() {
            Form::Movetext
        } else {
            return false;
        };
        let inner = Line::new(span.start + 1, span.end, forces, form);
        self.outer.push(std::mem::replace(&mut self.line, inner));
        true
    }

    /// Ends the current line, or begins a variation that must be read before; true at the end of the main line.
    fn close(&mut self) -> bool {
        if self.enter_variation() {
            return false;
        }
        self.line.strand_variations();
        if self.enter_variation() {
            return false;
        }
        for waiting in std::mem::take(&mut self.line.waiting) {
            match waiting {
                Waiting::Text(text) => self.say(&text),
                Waiting::Glyph(glyph) if self.line.has_move => self.nag(glyph.nag),
                Waiting::Glyph(glyph) => self.say(glyph.sign),
                Waiting::Rendered(text) => match &mut self.line.form {
                    Form::Movetext => self.builder.comment(&text),
                    Form::Text(line) => line.append(&text),
                },
                Waiting::Variation(_) | Waiting::Stray(_) => {}
            }
        }
        if let Some(remark) = self.line.remark.take() {
            self.say(&remark);
        } else if self.outer.is_empty() {
            self.say_how_it_ends();
        }
        let Some(outer) = self.outer.pop() else {
            return true;
        };
        let inner = std::mem::replace(&mut self.line, outer);
        match inner.form {
            Form::Movetext => {
                self.builder.end_variation();
            }
            Form::Text(text) => {
                let slot = text.slot;
                let text = text.finish();
                match (slot, &mut self.line.form) {
                    (Some(slot), _) => {
                        if let Some(place) = self.line.waiting.get_mut(slot) {
                            *place = Waiting::Rendered(text);
                        }
                    }
                    (None, Form::Text(line)) => line.append(&text),
                    (None, Form::Movetext) => {}
                }
            }
        }
        false
    }

    /// What is wrong where the codes of the main line end.
    fn say_how_it_ends(&mut self) {
        let open = self.outline.as_ref().map_or(0, |outline| outline.open);
        let ended = self.ended.take().or_else(|| {
            let is_cut = self.source.record.missing > 0;
            is_cut.then(|| {
                let reason = Cow::Owned(self.describe_missing());
                (self.source.record.codes.len(), reason)
            })
        });
        let not_closed = format!("{open} variations are not closed");
        let (at, reason) = match (ended, open) {
            (None, 0) => return,
            (Some(ended), 0) => ended,
            (None, _) => (self.source.record.codes.len(), Cow::Owned(not_closed)),
            (Some((at, reason)), _) => (at, Cow::Owned(format!("{reason}, and {not_closed}"))),
        };
        let remark = self.remark(at, &reason, "");
        self.say(&remark);
    }

    /// A remark, which makes a row in the problems as well.
    fn remark(&mut self, at: usize, reason: &str, rest: &str) -> String {
        self.is_clean = false;
        let offset = self.source.record.start + at;
        self.problem(at, reason.to_owned());
        format!("pgnfs: {reason} at byte {offset} of {}{rest}", self.source.file)
    }

    fn problem(&mut self, at: usize, what: String) {
        self.problems.push(Problem {
            file: self.source.file.to_owned(),
            offset: Some((self.source.record.start + at) as u64),
            what,
        });
    }

    fn report_doubts(&mut self) {
        let doubts = [
            (self.stray_ends, "a variation ends that did not begin"),
            (self.blank_comments, "a comment has no bytes"),
        ];
        for (doubt, what) in doubts {
            match doubt.count {
                0 => {}
                1 => self.problem(doubt.first, what.to_owned()),
                count => self.problem(doubt.first, format!("{what}: here and {} times more", count - 1)),
            }
        }
    }

    /// The judgement that stands for a result is a glyph of the last move, or a comment without one.
    fn judge(&mut self, judgement: Option<Judgement>) {
        match judgement {
            Some(judgement) if self.builder.has_move() => self.builder.nag(judgement.nag),
            Some(judgement) => self.builder.comment(judgement.sign),
            None => {}
        }
    }
}
