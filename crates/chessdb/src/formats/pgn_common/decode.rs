//! Decoding movetext: items become the moves of a game (section 5).

mod faults;
mod usual;

pub(super) use self::faults::{left_out, short};
use super::characters::decode;
use super::form::form;
use super::game::Stored;
use super::items::{Item, Items};
use super::languages::{Language, candidates, names_piece};
use super::numbers::MoveCount;
use super::promotion::{may_name_piece, piece_apart};
use super::results::{LastWords, Written, last_words, movetext_result, usual_result};
use super::symbols;
use super::values::with_plain_signs;
use super::words::{
    Glued, LONGEST, Signs, Word, glued_len, has_marks_inside, read_move, read_word, without_marks,
    without_number,
};
use crate::board::{Move, ReadError};
use crate::game::Outcome;
use crate::replay::{Fault, Limits, Replay, Sink, Unplayed};

/// The limits of section 8.
pub(super) const LIMITS: Limits = Limits {
    depth: 255,
    moves: u32::MAX,
};

/// How often the bytes of a game may be read ahead, on average.
const AHEAD: usize = 8;

/// Decodes the movetext of one game.
pub(super) struct Decoder<'a, S> {
    stored: &'a Stored<'a>,
    /// The items, starting with the first one.
    moves: Items<'a>,
    items: Items<'a>,
    /// The language of the names of pieces; `None` for English.
    language: Option<&'static Language>,
    replay: Replay<'a, S>,
    /// Glyphs before the first move of the current line.
    early: Vec<u8>,
    /// The last move number, if nothing has followed it.
    number: Option<usize>,
    /// Words that are not moves: the start of the first one and the end of the last one.
    unread: Option<(usize, usize)>,
    /// See [`Counts`].
    counts: Option<Counts>,
    /// Offset of the parenthesis that began the last variation.
    opened: usize,
    /// A variation that is read instead of the rest of its line: the offset of its closing parenthesis, and the items after
    /// this line.
    instead: Option<(usize, Items<'a>)>,
    /// Offsets of the parentheses that are never closed, in ascending order. Computed when needed.
    unclosed: Option<Vec<usize>>,
    /// The last words of the game, if they are a result only there. `last_start` is their offset, or `usize::MAX`
    /// without them.
    last: Option<LastWords>,
    last_start: usize,
    /// How far the main line has been read.
    state: State,
    /// True once the main line has a letter of a piece that only English has. Not used for whole games.
    is_english: bool,
    /// True if a promotion without a piece is read as a queen.
    takes_queens: bool,
    has_queen: bool,
    /// See [`End`].
    is_certain: bool,
    has_failed: bool,
    needs_counts: bool,
}

/// Counts the moves of the open lines. Only used for games with words that are not moves.
struct Counts {
    line: MoveCount,
    /// Counts of the lines that enclose the current one, outermost first.
    outer: Vec<MoveCount>,
    /// An offset and a depth: up to there, words of a line at this depth that are not moves do not count as moves.
    passed: (usize, usize),
    /// Number of bytes that may still be read ahead.
    budget: usize,
}

/// State of the main line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Moves,
    /// The main line ended at a fault. Everything up to the result is skipped.
    Broken,
    /// The result has been read.
    Over(Outcome),
}

/// The results of decoding a game.
pub(super) struct End<'a, S> {
    pub(super) replay: Replay<'a, S>,
    /// The result in the movetext.
    pub(super) outcome: Option<Outcome>,
    /// A result without play in the movetext, with its offset.
    pub(super) unplayed: Option<LastWords>,
    /// True if all moves of the main line were passed to a sink that is not whole.
    pub(super) is_certain: bool,
    /// True if a word with the form of a move could not be played.
    pub(super) has_failed: bool,
    /// True if a promotion without a piece was played as a queen.
    pub(super) has_queen: bool,
    /// Set if a word of a whole game is not a move, so that the game must be decoded again with [`Decoder::counting`].
    pub(super) needs_counts: bool,
}

impl<'a, S: Sink> Decoder<'a, S> {
    /// A decoder for the movetext of a game, which starts at an offset, with names of pieces in a language or in
    /// English. A sink that takes only the main line must use English. `tag` is the result in the tag.
    pub(super) fn new(
        stored: &'a Stored<'a>,
        moves_at: usize,
        tag: impl Fn() -> Option<Written>,
        language: Option<&'static Language>,
        replay: Replay<'a, S>,
    ) -> Decoder<'a, S> {
        let items = stored.items(moves_at);
        let last = last_words(items, tag, || stored.encoding());
        Decoder {
            last,
            last_start: last.map_or(usize::MAX, |last| last.start),
            stored,
            moves: items,
            items,
            language,
            replay,
            early: Vec::new(),
            number: None,
            unread: None,
            counts: None,
            opened: 0,
            instead: None,
            unclosed: None,
            state: State::Moves,
            is_english: false,
            takes_queens: true,
            has_queen: false,
            is_certain: true,
            has_failed: false,
            needs_counts: false,
        }
    }

    /// Also counts moves, starting from a number of half-moves, to compare them with the move numbers in the game.
    pub(super) fn counting(self, plies: u64) -> Decoder<'a, S> {
        let counts = Counts {
            line: MoveCount::new(plies, self.moves, self.stored.encoding()),
            outer: Vec::new(),
            passed: (0, 0),
            budget: AHEAD * self.items.text.len(),
        };
        Decoder {
            counts: Some(counts),
            ..self
        }
    }

    /// Does not accept promotions without a piece.
    pub(super) fn without_queens(self) -> Decoder<'a, S> {
        Decoder {
            takes_queens: false,
            ..self
        }
    }

    /// Decodes all movetext.
    pub(super) fn decode(mut self) -> End<'a, S> {
        loop {
            self.usual_moves();
            if self.is_finished() {
                break;
            }
            let Some(item) = self.items.next() else { break };
            match item {
                _ if self.items.start == self.last_start && self.last_words() => {}
                Item::Word(word) => self.word(word),
                Item::Comment(text, is_closed) => self.comment(text, is_closed),
                Item::Nag(nag) => self.nag(nag),
                Item::Open => self.open(),
                Item::Close => self.close(),
                Item::Bracket => self.broken(self.items.start, &Fault::damage("this is no movetext")),
                Item::Sign(sign) => self.sign(sign),
            }
            if self.is_finished() {
                break;
            }
        }
        self.end()
    }

    /// True if the sink needs no more moves, or decoding cannot continue in this way.
    fn is_finished(&self) -> bool {
        self.replay.is_done()
            || !self.is_certain
            || self.needs_counts
            || !S::WHOLE && self.state != State::Moves
    }

    fn end(mut self) -> End<'a, S> {
        self.report_unread();
        if S::WHOLE && self.replay.depth() > 0 {
            self.fault(self.items.at, &Fault::OpenVariations);
        } else if !self.early.is_empty() {
            self.fault(self.moves.at, &Fault::damage("glyphs belong to no move"));
        }
        let outcome = match self.state {
            State::Over(outcome) => Some(outcome),
            _ => None,
        };
        let unplayed = self
            .last
            .filter(|last| last.result.is_unplayed && outcome.is_some());
        End {
            replay: self.replay,
            outcome,
            unplayed,
            is_certain: self.is_certain,
            has_failed: self.has_failed,
            has_queen: self.has_queen,
            needs_counts: self.needs_counts,
        }
    }

    #[inline(always)]
    fn word(&mut self, word: &'a [u8]) {
        let start = self.items.start;
        if S::WHOLE
            && let Some(counts) = &mut self.counts
        {
            counts.line.word(word, self.items);
        }
        let (rest, is_number) = without_number(word);
        if is_number {
            self.number = Some(start);
            if rest.is_empty() {
                return;
            }
        }
        if self.state == State::Moves
            && let Some(outcome) = usual_result(rest)
        {
            return self.result(outcome);
        }
        let at = start + word.len() - rest.len();
        // Only the first bytes of a long word are read: it may have many words.
        let is_long = rest.len() > LONGEST;
        let mut first = rest;
        if is_long {
            first = self.first_of(first, at);
        }
        // Other languages, and signs after moves, matter only for a whole game.
        let is_english = !S::WHOLE || self.language.is_none();
        if self.unread.is_none() && self.state == State::Moves && is_english {
            let (text, marks) = without_marks(first);
            if !(S::WHOLE && has_marks_inside(text))
                && let Ok(mv) = self.replay.position().read_move(text)
            {
                if self.is_certain_of(*text.first().unwrap_or(&0)) {
                    self.play(mv, symbols::of_marks(marks), start);
                }
                return;
            }
        }
        if !is_long {
            first = self.first_of(first, at);
        }
        self.other_word(first, start);
    }

    /// The move at the start of a word, if another word is glued to it, which will be read next; otherwise the word, which
    /// begins at `at`.
    #[cold]
    fn first_of(&mut self, word: &'a [u8], at: usize) -> &'a [u8] {
        if self.state != State::Moves {
            return word;
        }
        let next = self.counts.as_ref().map(|counts| counts.line.number_after_next());
        let len = match glued_len(word, next) {
            Some(Glued::Marks(len)) => len,
            Some(Glued::Number(len)) if next.is_some() => len,
            // Only counting moves shows whether this is the next number.
            Some(Glued::Number(_)) => {
                self.needs_counts |= S::WHOLE;
                self.is_certain &= S::WHOLE;
                return word;
            }
            None => return word,
        };
        self.items.at = at + len;
        word.get(..len).unwrap_or(word)
    }

    /// True if a move of the main line is the same in every language that the game may be written in. Not called for a
    /// whole game.
    #[inline(always)]
    fn is_certain_of(&mut self, first: u8) -> bool {
        if S::WHOLE || self.is_english {
            return true;
        }
        match first {
            // No other language has these letters.
            b'N' | b'B' | b'Q' => self.is_english = true,
            // Other languages have these letters for other pieces.
            b'R' | b'P' => return self.is_certainly_english(),
            _ => {}
        }
        true
    }

    #[cold]
    fn is_certainly_english(&mut self) -> bool {
        self.is_english = self.is_english || candidates(self.moves, self.stored.encoding()).is_empty();
        self.is_certain &= self.is_english;
        self.is_english
    }

    /// Plays a move. Returns false if that is not possible.
    #[inline(always)]
    fn play(&mut self, mv: Move, nag: u8, start: usize) -> bool {
        self.number = None;
        if let Err(unplayed) = self.replay.play(mv) {
            self.unplayed(unplayed, start);
            return false;
        }
        if S::WHOLE {
            if let Some(counts) = &mut self.counts {
                counts.line.play();
            }
            if !self.early.is_empty() {
                self.early_glyphs();
            }
            if nag != 0 {
                self.replay.nag(nag);
            }
        }
        true
    }

    /// Adds the glyphs before the first move of a line to this move.
    #[cold]
    fn early_glyphs(&mut self) {
        for nag in std::mem::take(&mut self.early) {
            self.replay.nag(nag);
        }
    }

    /// Plays a move with the signs after it.
    fn play_with(&mut self, mv: Move, signs: &Signs, start: usize) {
        if !self.play(mv, 0, start) {
            return;
        }
        for &nag in &signs.glyphs {
            self.replay.nag(nag);
        }
        if signs.is_queen {
            self.has_queen = true;
            self.fault(
                start,
                &Fault::damage("the promotion names no piece: a queen is taken"),
            );
        }
        if !signs.unknown.is_empty() {
            let what = format!("a sign after the move is not known: {}", signs.unknown);
            self.fault(start, &Fault::damage(what));
        }
    }

    #[cold]
    fn unplayed(&mut self, unplayed: Unplayed, start: usize) {
        self.broken(start, &unplayed.into());
    }

    #[cold]
    fn other_word(&mut self, word: &[u8], start: usize) {
        if self.is_finished() {
            return;
        }
        let text = with_plain_signs(&decode(word, self.stored.encoding()));
        let text = text.trim();
        let meaning = match self.state {
            State::Moves => read_word(self.replay.position(), text, self.language),
            _ if text.is_empty() => Word::Nothing,
            // Everything except a result is text.
            State::Broken => {
                movetext_result(word, self.stored.encoding()).map_or(Word::Unreadable, Word::Result)
            }
            State::Over(_) => Word::Unreadable,
        };
        let meaning = match meaning {
            Word::Move(mv, signs) if signs.is_queen => self.with_piece_apart(text, mv, signs),
            meaning => meaning,
        };
        match meaning {
            Word::Unreadable if self.state == State::Moves => self.no_move(word, start),
            Word::Unreadable => self.unreadable(),
            Word::Nothing => {}
            Word::Glyphs(nags) => nags.into_iter().for_each(|nag| self.glyph(nag)),
            Word::Result(outcome) => self.result(outcome),
            Word::Move(_, signs) if signs.is_queen && !(S::WHOLE && self.takes_queens) => {
                self.is_certain &= S::WHOLE;
                self.unplayable(ReadError::Promotion, start);
            }
            Word::Move(mv, signs) => {
                self.report_unread();
                if self.is_certain_of(*text.as_bytes().first().unwrap_or(&0)) {
                    self.play_with(mv, &signs, start);
                }
            }
            Word::Unplayable(error) => self.unplayable(error, start),
        }
    }

    /// A promotion that names no piece, with the piece that comes next, as in `b8 (N)`.
    fn with_piece_apart(&mut self, text: &str, queen: Move, signs: Signs) -> Word {
        let is_queen = |signs| Word::Move(queen, signs);
        let (Some(piece), Some(form)) = (piece_apart(self.items.text, self.items.at), form(text)) else {
            return is_queen(signs);
        };
        let name = decode(
            self.items.text.get(piece.name).unwrap_or_default(),
            self.stored.encoding(),
        );
        // A single byte may be a blank or a dash in its encoding.
        if !may_name_piece(&name) {
            return is_queen(signs);
        }
        let word = format!("{}={name}", form.squares);
        match read_move(self.replay.position(), &word, self.language) {
            Ok(mv) => {
                self.items.at = piece.end;
                let mut signs = signs;
                signs.is_queen = false;
                // In `b8=(N)` and `b8= N`, the sign is part of the promotion.
                if text.ends_with('=') {
                    signs.glyphs.pop_if(|nag| symbols::nag_of_sign("=") == Some(*nag));
                }
                Word::Move(mv, signs)
            }
            // A sign such as `D` (diagram), or a word such as `I`, which is a piece in no language, is not part of the
            // promotion.
            Err(_)
                if !piece.has_sign
                    && (symbols::nag_of_sign(&name).is_some()
                        || !piece.has_bracket && !names_piece(&name)) =>
            {
                is_queen(signs)
            }
            Err(error) => {
                self.items.at = piece.end;
                Word::Unplayable(error)
            }
        }
    }

    /// Handles a result, which is ignored in a variation.
    fn result(&mut self, outcome: Outcome) {
        self.report_unread();
        if self.replay.depth() == 0 {
            self.state = State::Over(outcome);
        }
    }

    /// Handles the last words of the game, which are its result. Returns false inside a variation and after another
    /// result.
    #[cold]
    fn last_words(&mut self) -> bool {
        let is_main_line = self.replay.depth() == 0 && !matches!(self.state, State::Over(_));
        if let Some(last) = self.last.filter(|_| is_main_line) {
            self.result(last.result.outcome);
            self.items.at = last.end;
            return true;
        }
        self.last = None;
        false
    }

    fn comment(&mut self, text: &[u8], is_closed: bool) {
        if !S::WHOLE {
            return;
        }
        // The remark about words before the comment comes after it.
        self.replay.comment(&decode(text, self.stored.encoding()));
        if !is_closed {
            self.fault(self.items.start, &Fault::damage("the comment is not closed"));
        }
    }

    fn nag(&mut self, nag: Option<u8>) {
        self.report_unread();
        match nag {
            Some(nag) => self.glyph(nag),
            None => self.fault(self.items.start, &Fault::damage("a glyph has a number above 255")),
        }
    }

    /// Handles a sign that is left out.
    fn sign(&mut self, sign: u8) {
        if self.state != State::Moves || self.unread.is_some() {
            return self.unreadable();
        }
        let what = format!("a sign has no meaning here: {}", char::from(sign));
        self.fault(self.items.start, &Fault::damage(what));
    }

    /// Adds a glyph to the last move, or keeps it for the first move of the line.
    fn glyph(&mut self, nag: u8) {
        if self.replay.has_move() {
            self.replay.nag(nag);
        } else if S::WHOLE {
            self.early.push(nag);
        }
    }

    /// Handles the start of a variation.
    fn open(&mut self) {
        let start = self.items.start;
        if !S::WHOLE {
            // The first move of a variation that is never closed may be part of the main line.
            self.is_certain &= self.items.skip_variation();
            return;
        }
        self.report_unread();
        self.number = None;
        if self.state != State::Moves {
            self.items.skip_variation();
            self.unread = Some((start, self.items.at));
            return;
        }
        if let Err(fault) = self.replay.start_variation() {
            self.items.skip_variation();
            let text = self.text(start, self.items.at);
            let detail = format!(": {text}");
            self.replay.fault_with(self.stored.place(start), &fault, &detail);
            return;
        }
        self.opened = start;
        if let Some(counts) = &mut self.counts {
            counts.outer.push(counts.line);
            counts.line = counts.line.of_variation();
        }
    }

    fn close(&mut self) {
        self.report_unread();
        self.number = None;
        if let Some((close, after)) = self.instead
            && close == self.items.start
        {
            self.instead = None;
            self.items = after;
            return;
        }
        if S::WHOLE && !self.replay.has_move() && !self.early.is_empty() {
            let text = self.text(self.opened, self.items.at);
            let what = format!("a variation has no move: {text}");
            self.fault(self.opened, &Fault::damage(what));
        }
        self.early.clear();
        if S::WHOLE && !self.end_variation() {
            self.fault(self.items.start, &Fault::StrayEnd);
        }
    }

    /// Ends the current variation. Returns false if none is open.
    fn end_variation(&mut self) -> bool {
        if let Some(counts) = &mut self.counts
            && let Some(outer) = counts.outer.pop()
        {
            counts.line = outer;
        }
        self.replay.end_variation()
    }
}
