//! One game: tokens to movetext, and what to do about damage (sections 3.5 to 3.10, 12).

use super::codes::{Coded, Effect, Impossible, coded, is_possible, recovered};
use super::pieces::PieceLists;
use super::rest::Style;
use super::tokens::{Cursor, Token, Tokens, Variation};
use crate::board::{Illegal, Position};
use crate::formats::Problem;
use crate::game::{Movetext, MovetextBuilder, NoMove};

/// Most variations that are open at once (section 3.10).
pub(super) const DEEPEST: usize = 4096;
/// Most remarks of a game; further ones are only counted.
const MOST_REMARKS: usize = 1000;

/// Where the move data stand.
#[derive(Clone, Copy, Debug)]
pub(super) struct Origin<'a> {
    pub(super) file: &'a str,
    /// The first byte of the move data; none where their row is in pieces.
    pub(super) data: Option<u64>,
    /// The row.
    pub(super) row: u64,
}

impl Origin<'_> {
    /// Puts a remark into the game, and a row without the detail into the problems.
    pub(super) fn remark(
        &self,
        builder: &mut MovetextBuilder,
        problems: &mut Vec<Problem>,
        at: Option<usize>,
        what: String,
        detail: &str,
    ) {
        let offset = match (self.data, at) {
            (Some(data), Some(at)) => data + at as u64,
            _ => self.row,
        };
        let place = at.map_or(String::new(), |at| format!(" at offset {at} of the move data"));
        builder.comment(&format!(
            "pgnfs: {what}{place} ({} byte {offset}){detail}",
            self.file
        ));
        problems.push(Problem {
            file: self.file.to_owned(),
            offset: Some(offset),
            what,
        });
    }
}

/// A decoded game, and how well it went.
pub(super) struct Reading {
    pub(super) movetext: Movetext,
    pub(super) problems: Vec<Problem>,
    /// Moves of the main line.
    pub(super) plies: u32,
    /// The end of the data was reached.
    pub(super) is_finished: bool,
    /// There was a move that cannot be played at all.
    pub(super) has_undecodable: bool,
    /// There was a move that breaks a rule.
    pub(super) has_illegal: bool,
}

/// A game being decoded.
pub(super) struct Decoder<'a> {
    pub(super) tokens: Tokens<'a>,
    origin: Origin<'a>,
    cursor: Cursor,
    /// What is read when the cursor's range ends, the next last.
    frames: Vec<Frame>,
    pub(super) builder: MovetextBuilder,
    pub(super) lists: PieceLists,
    /// Variations that came before the first move of their line, with the depth of the line (section 3.5).
    early: Vec<(usize, Cursor)>,
    /// All variations, once one of them came early.
    variations: Option<Vec<Variation>>,
    pub(super) reading: Reading,
    lacks_texts: bool,
    is_too_deep: bool,
    has_stray_end: bool,
    /// Remarks beyond [`MOST_REMARKS`].
    untold: u32,
}

/// A piece of the data that waits.
enum Frame {
    /// The line goes on, at this depth.
    Line(Cursor, usize),
    /// A variation of the line's first move.
    Variation(Cursor, usize),
}

impl<'a> Decoder<'a> {
    /// A decoder at the beginning of a game.
    pub(super) fn new(
        tokens: Tokens<'a>,
        origin: Origin<'a>,
        position: Position,
        first_move: u32,
    ) -> Decoder<'a> {
        let mut builder = MovetextBuilder::new(position, first_move);
        builder.reserve(tokens.bin.len().min(512));
        Decoder {
            tokens,
            origin,
            cursor: tokens.start(),
            frames: Vec::new(),
            builder,
            lists: PieceLists::new(&position),
            early: Vec::new(),
            variations: None,
            reading: Reading {
                movetext: Movetext::default(),
                problems: Vec::new(),
                plies: 0,
                is_finished: false,
                has_undecodable: false,
                has_illegal: false,
            },
            lacks_texts: false,
            is_too_deep: false,
            has_stray_end: false,
            untold: 0,
        }
    }

    /// Decodes the game.
    pub(super) fn decode(mut self) -> Reading {
        loop {
            let at = self.cursor.at;
            match self.tokens.next(&mut self.cursor) {
                Some(Token::Move { code, second }) => self.play(code, second, at),
                Some(Token::Nag(nag)) => self.builder.nag(nag),
                Some(Token::Text(byte, text)) => self.comment(byte, text),
                Some(Token::Start) => self.start_variation(at),
                Some(Token::End) => self.end_variation(at),
                Some(Token::Result(_) | Token::Nothing) => {}
                Some(Token::Finish) => {
                    self.reading.is_finished = true;
                    break;
                }
                Some(Token::Cut) => self.remark(at, "the second byte of a code is cut off".to_owned()),
                None if !self.next_frame() => break,
                None => {}
            }
        }
        if self.builder.depth() > 0 {
            self.remark(self.cursor.at, "variations are still open at the end".to_owned());
        }
        while self.builder.depth() > 0 {
            self.close_line();
        }
        self.show_early();
        if !self.reading.is_finished {
            self.remark(self.tokens.bin.len(), "the move data has no end mark".to_owned());
        }
        if self.untold > 0 {
            let what = format!("{} more faults are not told", self.untold);
            let problems = &mut self.reading.problems;
            self.origin.remark(&mut self.builder, problems, None, what, "");
        }
        self.reading.movetext = self.builder.finish();
        self.reading
    }

    /// Tells a game that begins where none can be played.
    pub(super) fn tell(mut self, position: Position, reason: &str) -> Reading {
        let mut cursor = self.cursor;
        let rest = self.rest(position, &mut cursor, Style::Line { has_outer: false });
        self.fault(Some(0), reason.to_owned(), &format!("; the moves are {rest}"));
        self.reading.movetext = self.builder.finish();
        self.reading
    }

    #[inline(always)]
    fn play(&mut self, code: u8, second: u8, at: usize) {
        let position = self.builder.position();
        let Some(coded) = coded(position, &self.lists, code, second) else {
            return self.play_doubtful(code, second, at);
        };
        let effect = coded.effect(position);
        match self.builder.play(coded.mv) {
            Ok(()) => self.played(effect),
            Err(_) => self.play_doubtful(code, second, at),
        }
    }

    #[inline(always)]
    fn played(&mut self, effect: Effect) {
        effect.apply(&mut self.lists);
        if self.builder.depth() == 0 {
            self.reading.plies += 1;
        }
        if !self.early.is_empty() {
            self.replay_early();
        }
    }

    /// A code that is no legal move by its rule (section 3.6).
    #[cold]
    fn play_doubtful(&mut self, code: u8, second: u8, at: usize) {
        let position = *self.builder.position();
        let has_outer = self.builder.depth() > 0;
        match choose(&position, &self.lists, code, second) {
            Ok((coded, None)) => match self.builder.play(coded.mv) {
                Ok(()) => self.played(coded.effect(&position)),
                Err(illegal) => self.undecodable(code, at, Impossible::Rule(illegal)),
            },
            Ok((_, Some(illegal))) => {
                self.reading.has_illegal = true;
                self.cursor.at = at;
                let mut cursor = self.cursor;
                let rest = self.rest(position, &mut cursor, Style::Line { has_outer });
                self.cursor = cursor;
                let detail = format!("; the file goes on with {rest}");
                self.fault(Some(at), format!("illegal move, {illegal}"), &detail);
            }
            Err(impossible) => self.undecodable(code, at, impossible),
        }
    }

    /// The rest of the line cannot be read (section 12.1).
    fn undecodable(&mut self, code: u8, at: usize, impossible: Impossible) {
        self.reading.has_undecodable = true;
        self.remark(
            at,
            format!("move code 0x{code:02x} cannot be played, {impossible}"),
        );
        let has_outer = self.builder.depth() > 0;
        self.tokens.skip_line(&mut self.cursor, has_outer);
    }

    fn comment(&mut self, byte: u8, text: Option<&[u8]>) {
        if let Some(comment) = self.tokens.comment(byte, text) {
            self.builder.comment(&comment);
        }
        if text.is_none() {
            self.miss_text();
        }
    }

    /// A text is missing: one remark for the game (section 4.4).
    pub(super) fn miss_text(&mut self) {
        if !self.lacks_texts {
            self.lacks_texts = true;
            self.fault(None, "texts of comments are missing".to_owned(), "");
        }
    }

    fn start_variation(&mut self, at: usize) {
        if self.builder.depth() >= DEEPEST {
            if !self.is_too_deep {
                self.is_too_deep = true;
                self.remark(at, format!("variations are nested deeper than {DEEPEST} levels"));
            }
            if self.tokens.skip_line(&mut self.cursor, true) {
                // The end of what was skipped.
                self.tokens.next(&mut self.cursor);
            }
            return;
        }
        match self.builder.start_variation() {
            Ok(()) => self.lists.start_variation(),
            Err(NoMove) => self.put_off_variation(at),
        }
    }

    /// A variation before the first move of its line is read after that move.
    #[cold]
    fn put_off_variation(&mut self, at: usize) {
        let tokens = self.tokens;
        let variations = self.variations.get_or_insert_with(|| tokens.variations());
        let found = variations.binary_search_by_key(&(at + 1), |variation| variation.inside.at);
        let found = found.ok().and_then(|found| variations.get(found).copied());
        let Some(variation) = found else { return };
        self.early.push((self.builder.depth(), variation.inside));
        let end = self.cursor.end;
        self.cursor = variation.behind;
        self.cursor.end = end;
    }

    /// The line has its first move: the variations that came before it are read now.
    #[cold]
    fn replay_early(&mut self) {
        let depth = self.builder.depth();
        if self.early.last().is_none_or(|(line, _)| *line != depth) {
            return;
        }
        self.frames.push(Frame::Line(self.cursor, depth));
        while let Some((_, variation)) = self.early.pop_if(|(line, _)| *line == depth) {
            self.frames.push(Frame::Variation(variation, depth));
        }
        self.cursor.end = self.cursor.at;
    }

    /// The variations that came before a first move that never came, as comments.
    fn show_early(&mut self) {
        let depth = self.builder.depth();
        if self.builder.has_move() {
            return;
        }
        let first = self.early.partition_point(|(line, _)| *line < depth);
        for (_, mut variation) in self.early.split_off(first) {
            self.lists.start_variation();
            let position = *self.builder.position();
            let text = self.rest(position, &mut variation, Style::Variation);
            self.lists.end_variation();
            self.builder.comment(&format!("( {text} )"));
        }
    }

    fn end_variation(&mut self, at: usize) {
        if self.builder.depth() > 0 {
            self.close_line();
        } else if !self.has_stray_end {
            self.has_stray_end = true;
            self.remark(at, "a variation ends that did not begin".to_owned());
        }
    }

    fn close_line(&mut self) {
        self.show_early();
        self.builder.end_variation();
        self.lists.end_variation();
    }

    /// Goes on with what waits; false where nothing does.
    fn next_frame(&mut self) -> bool {
        let (depth, cursor, is_variation) = match self.frames.pop() {
            Some(Frame::Line(cursor, depth)) => (depth, cursor, false),
            Some(Frame::Variation(cursor, depth)) => (depth, cursor, true),
            None => return false,
        };
        while self.builder.depth() > depth {
            self.close_line();
        }
        if is_variation && self.builder.start_variation().is_ok() {
            self.lists.start_variation();
        }
        self.cursor = cursor;
        true
    }

    /// Puts a remark on the current move, and a row into the problems.
    pub(super) fn remark(&mut self, at: usize, what: String) {
        self.fault(Some(at), what, "");
    }

    /// Puts a remark on a row at the beginning of the game.
    pub(super) fn remark_row(&mut self, origin: &Origin<'_>, what: &str) {
        let problems = &mut self.reading.problems;
        origin.remark(&mut self.builder, problems, None, what.to_owned(), "");
    }

    fn fault(&mut self, at: Option<usize>, what: String, detail: &str) {
        let problems = &mut self.reading.problems;
        if problems.len() >= MOST_REMARKS {
            self.untold = self.untold.saturating_add(1);
            return;
        }
        self.origin.remark(&mut self.builder, problems, at, what, detail);
    }
}

/// The move that a code means: legal as it is or recovered, else possible with the rule that it breaks.
#[cold]
pub(super) fn choose(
    position: &Position,
    lists: &PieceLists,
    code: u8,
    second: u8,
) -> Result<(Coded, Option<Illegal>), Impossible> {
    let by_rule = coded(position, lists, code, second);
    let illegal = match by_rule {
        Some(coded) => match position.test(coded.mv) {
            Ok(()) => return Ok((coded, None)),
            Err(illegal) => Some(illegal),
        },
        None => None,
    };
    if let Some(recovered) = recovered(position, lists, code) {
        return Ok((recovered, None));
    }
    match (by_rule, illegal) {
        (Some(coded), Some(illegal)) if is_possible(position, coded.mv, illegal) => {
            Ok((coded, Some(illegal)))
        }
        (_, Some(illegal)) => Err(Impossible::Rule(illegal)),
        _ => Err(Impossible::NoTarget),
    }
}
