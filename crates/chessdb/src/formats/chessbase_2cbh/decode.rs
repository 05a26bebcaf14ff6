//! One game: words to tokens (sections 4, 14.3).

mod unplayed;

use self::unplayed::Line;
use super::frame::{self, Frame};
use super::setup::Start;
use super::walk::{ALTERNATIVE, Broken, END, Event, MOST_MARKS, Walk, Words, place_of};
use super::words::Table;
use crate::board::Position;
use crate::formats::chessbase_common::Annotations;
use crate::problem::Problem;
use crate::replay::{Fault, Limits, Origin, Replay, Sink};

/// The limits of section 14.6.
const LIMITS: Limits = Limits {
    depth: 255,
    moves: 1_000_000,
};

/// A game with the data for reading it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Source<'a> {
    pub(super) frame: &'a Frame<'a>,
    pub(super) start: &'a Start,
    /// True if the checksum of the frame is right.
    pub(super) is_sound: bool,
    pub(super) origin: Origin<'a>,
}

impl<'a> Source<'a> {
    fn words(&self) -> Words<'a> {
        Words::new(self.frame.content)
    }

    /// The place of a word in the file.
    fn place(&self, word: usize) -> u64 {
        place_of(self.frame.content_at(), word)
    }
}

/// Replays a game. `sink` creates the sink from the start position, the number of the first move and an estimate of the
/// number of tokens.
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
        is_full: false,
    };
    if S::WHOLE {
        game.whole();
    } else {
        game.main_line();
    }
    game.replay.finish()
}

/// A game being replayed.
struct Game<'a, S> {
    source: &'a Source<'a>,
    annotations: &'a Annotations<'a>,
    replay: Replay<'a, S>,
    /// Number of moves before the next one, in the order of PGN.
    number: u32,
    /// Variations that are open.
    depth: usize,
    /// The line that is left out, with all variations on it.
    unplayed: Option<Line>,
    /// True if no further moves are read, because the game has reached the limit.
    is_full: bool,
}

impl<S: Sink> Game<'_, S> {
    /// The moves of the main line alone.
    fn main_line(&mut self) {
        let (Some(first), true) = (self.source.start.moves, self.can_be_played()) else {
            return;
        };
        let words = self.source.words();
        let table = Table::get();
        let (mut at, mut marks) = (first, 0);
        // Steps are looked up one move ahead, because the table is larger than the processor's fast caches and a load
        // may take long.
        let step_of = |at| words.get(at).and_then(|word| table.step(word));
        let mut next = step_of(at);
        while !self.replay.is_done() {
            let step = std::mem::replace(&mut next, step_of(at + 1));
            at += 1;
            if let Some(step) = step
                && self.replay.play_step(step)
            {
                continue;
            }
            match words.get(at - 1) {
                Some(ALTERNATIVE) => {
                    marks += 1;
                    // `whole` also stops reading at such a mark.
                    if at == first + 1 || marks > MOST_MARKS {
                        return;
                    }
                }
                Some(word) if word != END && self.play_word(word).is_ok() => {}
                _ => return,
            }
        }
    }

    /// Plays a move of any kind. Changes nothing if the move cannot be played.
    fn play_word(&mut self, word: u16) -> Result<(), Fault> {
        let meaning = Table::get().meaning(word);
        let meaning = meaning.ok_or_else(|| Fault::damage(format!("no move has the word {word:04x}")))?;
        let mv = meaning.on(self.replay.position()).ok_or_else(|| {
            let what = format!("{meaning} is no move of a piece that is there, or takes another");
            Fault::damage(what)
        })?;
        self.replay.play(mv).map_err(Fault::from)
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
        if !has_moves || is_playable {
            self.annotations.begin(&mut self.replay);
        } else {
            self.annotations.report(&mut self.replay);
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
        // If the game was cut at the limit, annotations of the moves that were not read are not misplaced.
        if !self.is_full {
            self.annotations.after(self.number, &mut self.replay);
        }
        self.annotations.end(&mut self.replay);
    }

    fn walk(&mut self, first: usize) {
        let mut walk = Walk::new(self.source.words(), first);
        let mut has_end = true;
        if let Some(line) = walk.only_line() {
            for (word, at) in line {
                self.one_move(word, at);
                if self.is_full {
                    return;
                }
            }
            walk.end();
        }
        for event in &mut walk {
            has_end &= !matches!(event, Event::Broken(Broken::NoEnd, _));
            match event {
                Event::Move(word, at) => self.one_move(word, at),
                Event::Open(at) => self.open(at),
                Event::Close => self.close(),
                Event::Broken(broken, at) => self.broken(broken, at),
            }
            if self.is_full {
                return;
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

    /// Reports flaws of a frame whose content can be read nevertheless (section 14.1).
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
        if number >= LIMITS.moves {
            return self.stop_at_limit(at);
        }
        self.number = number + 1;
        if self.unplayed.is_some() {
            return self.unplayed_move(word, number);
        }
        self.annotations
            .before_move(number, &mut self.replay, |position| {
                let mv = Table::get().meaning(word).and_then(|word| word.on(position));
                mv.is_some_and(|mv| position.test(mv).is_ok())
            });
        let step = Table::get().step(word);
        if step.is_none_or(|step| !self.replay.play_step(step))
            && let Err(fault) = self.play_word(word)
        {
            return self.stop(word, number, at, fault);
        }
        self.annotations.after_move(number, &mut self.replay);
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

    #[cold]
    fn broken(&mut self, broken: Broken, at: usize) {
        let place = self.source.place(at);
        let fault = match broken {
            Broken::NoEnd if self.source.frame.is_cut => Fault::Cut,
            Broken::NoEnd if self.depth > 0 => Fault::OpenVariations,
            Broken::NoEnd => Fault::damage("the game has no end"),
            Broken::Mark => Fault::damage("an alternative to no move is announced: the rest is not read"),
            Broken::Limit => Fault::TooLong(LIMITS.moves),
        };
        self.fault(place, &fault);
    }
}
