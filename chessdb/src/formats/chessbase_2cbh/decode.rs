//! One game: words to tokens (sections 4, 14.3).

use super::frame::{self, Frame};
use super::setup::Start;
use super::walk::{ALTERNATIVE, Broken, END, Event, MOST_MARKS, Walk, Words, place_of};
use super::words::Table;
use crate::board::Position;
use crate::formats::chessbase_common::Annotations;
use crate::formats::{Problem, ProblemKind};
use crate::replay::{Fault, Limits, Origin, Replay, Sink, Unplayed};

/// Section 14.6.
const LIMITS: Limits = Limits {
    depth: 255,
    moves: 1_000_000,
};

/// A game with what is needed to read it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Source<'a> {
    pub(super) frame: &'a Frame<'a>,
    pub(super) start: &'a Start,
    /// The checksum of the frame is right.
    pub(super) is_sound: bool,
    pub(super) origin: Origin<'a>,
}

impl<'a> Source<'a> {
    fn words(&self) -> Words<'a> {
        Words(self.frame.content)
    }

    /// Where a word is in the file.
    fn place(&self, word: usize) -> u64 {
        place_of(self.frame.content_at(), word)
    }
}

/// Replays a game into the sink for a position, a number of the first move and a number of tokens.
pub(super) fn replay<S: Sink>(
    source: &Source<'_>,
    annotations: &Annotations<'_>,
    sink: impl FnOnce(&Position, u32, usize) -> S,
) -> (S::Output, Vec<Problem>) {
    let start = source.start;
    let sink = sink(&start.position, start.first_move, source.words().len());
    let replay = Replay::new(sink, start.position, (), LIMITS, source.origin);
    let mut game = Game {
        source,
        annotations,
        replay,
        number: 0,
        depth: 0,
        unplayed: None,
    };
    match S::WHOLE {
        true => game.whole(),
        false => game.main_line(),
    }
    game.replay.finish()
}

/// A game being replayed.
struct Game<'a, S> {
    source: &'a Source<'a>,
    annotations: &'a Annotations<'a>,
    replay: Replay<'a, S>,
    /// Moves before the next one, in the order of PGN.
    number: u32,
    /// Variations that are open.
    depth: usize,
    /// The line that is left out, with all variations on it.
    unplayed: Option<Line>,
}

/// A line that cannot be played, from its first move that cannot.
struct Line {
    /// Variations that were open when it began.
    depth: usize,
    /// The fault, and its place.
    fault: Option<(u64, Fault)>,
    /// The stored moves.
    text: String,
    /// Comments on them.
    comments: String,
    /// A variation of the replay ends with it.
    is_open: bool,
}

impl<S: Sink> Game<'_, S> {
    /// The moves of the main line alone.
    fn main_line(&mut self) {
        let (Some(mut at), true) = (self.source.start.moves, self.can_be_played()) else {
            return;
        };
        let words = self.source.words();
        let table = Table::get();
        let (first, mut marks) = (at, 0);
        while !self.replay.is_done() {
            let Some(word) = words.get(at).filter(|word| *word != END) else {
                return;
            };
            at += 1;
            if word == ALTERNATIVE {
                marks += 1;
                // Here reading ends in `whole`, too.
                if at == first + 1 || marks > MOST_MARKS {
                    return;
                }
                continue;
            }
            let mv = table
                .meaning(word)
                .and_then(|word| word.on(self.replay.position()));
            if mv.is_none_or(|mv| self.replay.play(mv).is_err()) {
                return;
            }
        }
    }

    fn can_be_played(&self) -> bool {
        let is_game = matches!(self.source.frame.tag, frame::GAME | frame::CHESS960);
        is_game && self.source.start.flaw.is_none()
    }

    fn whole(&mut self) {
        let (frame, start) = (self.source.frame, self.source.start);
        let has_moves = matches!(frame.tag, frame::GAME | frame::CHESS960 | frame::WITHOUT_KING);
        let is_playable = self.can_be_played();
        self.faults_of_frame();
        match !has_moves || is_playable {
            true => self.annotations.begin(&mut self.replay),
            false => self.annotations.report(&mut self.replay),
        }
        if !has_moves {
            let what = format!(
                "the frame of the game has the unknown kind {:04x}",
                frame.tag.swap_bytes()
            );
            self.fault(frame.at, &Fault::damage(what));
            self.annotations.after(0, &mut self.replay);
            self.annotations.end(&mut self.replay);
            return;
        }
        if let Some((word, what)) = start.damage {
            self.fault(self.source.place(word), &Fault::damage(what));
        }
        if !is_playable {
            self.begin_without_board();
        }
        match start.moves {
            Some(first) => self.walk(first),
            None => self.fault(
                self.source.place(0),
                &Fault::damage("the beginning of the moves is not marked"),
            ),
        }
        self.end_line();
        if start.has_added_rights {
            let what = "the game castles without a stored right, which is added to the start position";
            self.replay.doubt(frame.content_at(), what);
        }
        self.annotations.after(self.number, &mut self.replay);
        self.annotations.end(&mut self.replay);
    }

    fn walk(&mut self, first: usize) {
        let mut walk = Walk::new(self.source.words(), first);
        let mut has_end = true;
        for event in &mut walk {
            has_end &= !matches!(event, Event::Broken(Broken::NoEnd, _));
            match event {
                Event::Move(word, at) => self.one_move(word, at),
                Event::Open(at) => self.open(at),
                Event::Close => self.close(),
                Event::Broken(broken, at) => self.broken(broken, at),
            }
        }
        let frame = self.source.frame;
        if frame.is_cut && has_end {
            self.fault(frame.at, &Fault::Cut);
        }
        if let Some(rest) = walk.rest().filter(|_| !frame.is_cut) {
            let what = "words follow the end of the game, which mean nothing";
            self.replay.problem(Problem::damage(
                self.source.origin.file,
                self.source.place(rest),
                what,
            ));
        }
    }

    /// What is wrong with the frame though its content can be read (section 14.1).
    fn faults_of_frame(&mut self) {
        let Source { frame, origin, .. } = *self.source;
        if !self.source.is_sound && !frame.is_cut {
            let what = "the checksum of the moves is wrong: some of them may be";
            self.fault(frame.at, &Fault::damage(what));
        }
        let mut problem = |what| self.replay.problem(Problem::damage(origin.file, frame.at, what));
        if !frame.has_end && !frame.is_cut {
            problem("the length at the end of the frame is wrong");
        }
        if !frame.content.len().is_multiple_of(2) && !frame.is_cut {
            problem("the moves end inside of a word");
        }
    }

    fn fault(&mut self, at: u64, fault: &Fault) {
        self.replay.fault(at, fault);
    }

    #[inline(always)]
    fn one_move(&mut self, word: u16, at: usize) {
        let number = self.number;
        self.number = number.saturating_add(1);
        if self.unplayed.is_some() {
            return self.unplayed_move(word, number);
        }
        let meaning = Table::get().meaning(word);
        let mv = meaning.and_then(|word| word.on(self.replay.position()));
        let Some(mv) = mv else {
            let what = match meaning {
                None => format!("no move has the word {word:04x}"),
                Some(word) => format!("{word} is no move of a piece that is there, or takes another"),
            };
            return self.stop(word, number, at, Fault::damage(what));
        };
        self.annotations.before_move(number, &mut self.replay);
        match self.replay.play(mv) {
            Ok(()) => self.annotations.after_move(number, &mut self.replay),
            Err(unplayed) => self.stop(word, number, at, unplayed.into()),
        }
    }

    /// The line goes on with a move that cannot be played.
    #[cold]
    fn stop(&mut self, word: u16, number: u32, at: usize, fault: Fault) {
        let fault = Some((self.source.place(at), fault));
        self.leave(fault, self.depth > 0);
        self.unplayed_move(word, number);
    }

    /// What follows in this line is left out.
    fn leave(&mut self, fault: Option<(u64, Fault)>, is_open: bool) {
        self.unplayed = Some(Line {
            depth: self.depth,
            fault,
            text: String::new(),
            comments: String::new(),
            is_open,
        });
    }

    /// Adds a move to the line that is left out.
    #[cold]
    fn unplayed_move(&mut self, word: u16, number: u32) {
        let is_listed = self.replay.lists_faults() && number < LIMITS.moves;
        let Some(line) = &mut self.unplayed else { return };
        if is_listed {
            let text = match (self.source.frame.tag, Table::get().meaning(word)) {
                (frame::WITHOUT_KING, _) => squares_of(word),
                (_, Some(word)) => word.to_string(),
                (_, None) => format!("{word:04x}"),
            };
            if !line.text.is_empty() && !line.text.ends_with('(') {
                line.text.push(' ');
            }
            line.text += &text;
        }
        self.annotations.append_comments(number, &mut line.comments);
    }

    fn open(&mut self, at: usize) {
        self.depth += 1;
        if let Some(line) = &mut self.unplayed {
            line.text += " (";
        } else if let Err(fault) = self.replay.start_variation() {
            self.leave(Some((self.source.place(at), fault)), false);
        }
    }

    fn close(&mut self) {
        match &mut self.unplayed {
            Some(line) if line.depth < self.depth => line.text.push(')'),
            Some(_) => self.end_line(),
            None => {
                self.replay.end_variation();
            }
        }
        self.depth = self.depth.saturating_sub(1);
    }

    /// Reports a line that is left out.
    fn end_line(&mut self) {
        let Some(line) = self.unplayed.take() else { return };
        let stored = match line.text.as_str() {
            "" => String::new(),
            text => format!("; the stored line goes on {text}"),
        };
        match line.fault {
            Some((at, fault)) => self.replay.fault_with(at, &fault, &stored),
            None => self.without_board(&stored),
        }
        self.replay.comment(&line.comments);
        if line.is_open {
            self.replay.end_variation();
        }
    }

    #[cold]
    fn broken(&mut self, broken: Broken, at: usize) {
        let place = self.source.place(at);
        let fault = match broken {
            Broken::NoEnd if self.source.frame.is_cut => Fault::Cut,
            Broken::NoEnd if self.depth > 0 => Fault::OpenVariations,
            Broken::NoEnd => Fault::damage("the game has no end"),
            Broken::Mark => Fault::damage("an alternative to no move is announced: the rest is not read"),
            Broken::Limit => Unplayed::Limit(LIMITS.moves).into(),
        };
        self.fault(place, &fault);
    }

    /// No move can be played from the start: all of them are text (section 4.4).
    #[cold]
    fn begin_without_board(&mut self) {
        self.leave(None, false);
        if let Some(line) = &mut self.unplayed {
            self.annotations.append_comments_of_game(&mut line.comments);
        }
    }

    #[cold]
    fn without_board(&mut self, stored: &str) {
        let Source {
            frame, start, origin, ..
        } = *self.source;
        let why = start.flaw.map_or_else(
            || "its moves are not those of games".to_owned(),
            |flaw| flaw.to_string(),
        );
        let what = format!("no game can be played from the start position: {why}");
        let detail = format!(" ({}){stored}", start.shown_fen());
        let fault = Fault::damage(what);
        if frame.tag == frame::WITHOUT_KING {
            // No damage, but PGN has no such games.
            let (problem, remark) = fault.report(origin, frame.content_at(), &detail);
            self.replay.comment(&remark);
            self.replay.problem(Problem {
                kind: ProblemKind::Unsupported,
                ..problem
            });
        } else {
            self.replay.fault_with(frame.content_at(), &fault, &detail);
        }
    }
}

/// The squares of a word of a game without kings, or its digits where it has others.
fn squares_of(word: u16) -> String {
    match (super::words::square(word & 63), super::words::square(word >> 6)) {
        (Some(from), Some(to)) => format!("{from}-{to}"),
        _ => format!("{word:04x}"),
    }
}
