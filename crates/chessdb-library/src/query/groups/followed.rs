//! Whether a game follows a repertoire, and where it leaves it.

use std::ops::ControlFlow;
use std::sync::Arc;

use chessdb::Database;
use chessdb::board::{Color, EnPassantMode, Move, PackedMove, Position, RunningKey};
use chessdb::replay::Ply;

use super::reflection::Reflection;
use crate::library::{DatabasePattern, PatternError};
use crate::lines::{BranchingLine, LineStep, follow};
use crate::repertoire::{Departure, MovesByPosition, Repertoire, Repertoires};

/// Half-moves between two checks whether a game can come back to a repertoire.
const LOOK_EVERY: u32 = 4;

/// A repertoire that a game must follow or leave.
#[derive(Clone, Debug)]
pub(super) struct RepertoireTest {
    /// The databases that it is made of.
    pub(super) pattern: DatabasePattern,
    /// The game must leave it. Otherwise a side must play a move of the repertoire wherever the repertoire has one, and
    /// at least one such move must occur.
    pub(super) is_left: bool,
    /// It is the repertoire of the player of the query, which is left.
    is_of_player: bool,
    /// `None` until `look_up` has found it, or if no database matches.
    repertoire: Option<Arc<Repertoire>>,
    /// The side that must play its moves, or whose first other move leaves it, in the game itself.
    side: Option<Color>,
    /// The mirror image of a game's positions that is compared with the repertoire.
    reflection: Reflection,
    /// Its place among the repertoires of a query.
    pub(super) number: usize,
}

impl PartialEq for RepertoireTest {
    fn eq(&self, other: &RepertoireTest) -> bool {
        let key = |test: &RepertoireTest| (test.is_left, test.is_of_player, test.side, test.reflection);
        self.pattern == other.pattern && key(self) == key(other)
    }
}

impl Eq for RepertoireTest {}

impl RepertoireTest {
    /// Reads a pattern of databases, which may come from the name of a directory.
    pub(super) fn parse(text: &str, is_name: bool, is_left: bool) -> Result<RepertoireTest, PatternError> {
        let pattern = if is_name {
            DatabasePattern::parse_name(text)
        } else {
            DatabasePattern::parse(text)
        };
        Ok(RepertoireTest {
            pattern: pattern?,
            is_left,
            is_of_player: is_left,
            repertoire: None,
            side: None,
            reflection: Reflection::default(),
            number: 0,
        })
    }

    /// Looks the repertoire up.
    pub(super) fn look_up(&mut self, known: &Repertoires) {
        self.repertoire = known.get(&self.pattern);
    }

    /// The same of a mirror image.
    pub(super) fn reflected(&self, reflection: Reflection) -> RepertoireTest {
        RepertoireTest {
            reflection,
            ..self.clone()
        }
    }

    /// The same where this side is to move, which must play the moves of a repertoire that is followed.
    pub(super) fn of_side(mut self, side: Option<Color>) -> RepertoireTest {
        if !self.is_left {
            self.side = side;
        }
        self
    }

    /// The same where this side is the player, whose repertoire is left.
    pub(super) fn of_player(mut self, player: Color) -> RepertoireTest {
        if self.is_of_player {
            self.side = Some(player);
        }
        self
    }

    /// True if it is the player's repertoire that is left.
    pub(super) fn is_of_player(&self) -> bool {
        self.is_of_player
    }

    /// Lets either side leave the repertoire as an opponent does, since no player owns it.
    pub(super) fn set_no_player(&mut self) {
        self.is_of_player = false;
    }

    /// True if it has moves in no position that a game can reach from this one.
    fn is_past(&self, position: &Position) -> bool {
        let repertoire = self.repertoire.as_deref();
        repertoire.is_none_or(|repertoire| repertoire.moves().is_past(position))
    }

    /// The repertoire's moves before a move, if it has some, and the image of the move. `key` is the key of the position.
    fn answers(&self, step: &Ply<'_>, key: u64) -> Option<(&[PackedMove], Option<Move>)> {
        let repertoire = self.repertoire.as_deref()?;
        if self.reflection == Reflection::default() {
            return Some((repertoire.moves().of(key), Some(step.mv)));
        }
        let key = self.key_of_image(&step.before())?;
        Some((
            self.moves_of_images(repertoire).of(key),
            self.reflection.played(step.mv),
        ))
    }

    /// True if the repertoire has a position with this key.
    fn has(&self, position: &Position, key: u64) -> bool {
        let Some(repertoire) = self.repertoire.as_deref() else {
            return false;
        };
        if self.reflection == Reflection::default() {
            return repertoire.moves().has(key);
        }
        let key = self.key_of_image(position);
        key.is_some_and(|key| self.moves_of_images(repertoire).has(key))
    }

    fn key_of_image(&self, position: &Position) -> Option<u64> {
        let image = self.reflection.position(position)?;
        Some(image.key_with(EnPassantMode::Legal))
    }

    fn moves_of_images<'a>(&self, repertoire: &'a Repertoire) -> &'a MovesByPosition {
        if self.reflection.side {
            repertoire.moves_without_castling()
        } else {
            repertoire.moves()
        }
    }
}

/// Where a game follows a repertoire, or leaves it.
#[derive(Debug)]
pub(super) enum FollowedLine {
    /// It must follow it.
    Follow {
        /// The plies where the game plays a move of the repertoire.
        plies: Vec<u32>,
        /// The first ply where the repertoire has only other moves.
        left: Option<u32>,
    },
    /// The game must leave the repertoire: the state after each move, because another line may branch off after any
    /// move.
    Leave(Vec<Departure>),
}

impl FollowedLine {
    fn new(test: &RepertoireTest) -> FollowedLine {
        if test.is_left {
            return FollowedLine::Leave(Vec::new());
        }
        FollowedLine::Follow {
            plies: Vec::new(),
            left: None,
        }
    }

    /// True if the game follows, or leaves, the repertoire with the move at this ply.
    pub(super) fn holds(&self, ply: u32) -> bool {
        match self {
            FollowedLine::Follow { plies, left } => left.is_none() && plies.binary_search(&ply).is_ok(),
            FollowedLine::Leave(_) => self.left() == Some(ply),
        }
    }

    /// True if the game follows, or leaves, the repertoire at all.
    pub(super) fn is_anywhere(&self) -> bool {
        match self {
            FollowedLine::Follow { plies, left } => left.is_none() && !plies.is_empty(),
            FollowedLine::Leave(_) => self.left().is_some(),
        }
    }

    /// The ply where it leaves the repertoire.
    fn left(&self) -> Option<u32> {
        match self {
            FollowedLine::Follow { left, .. } => *left,
            FollowedLine::Leave(departures) => departures.last().and_then(|departure| departure.ply()),
        }
    }

    /// True if no later move matters.
    fn is_decided(&self) -> bool {
        match self {
            FollowedLine::Follow { left, .. } => left.is_some(),
            FollowedLine::Leave(departures) => {
                departures.last().is_some_and(|departure| departure.is_final())
            }
        }
    }

    /// Reads the next move, where these are the keys of the positions before and after it.
    fn step(&mut self, test: &RepertoireTest, step: &Ply<'_>, [before, after]: [u64; 2]) {
        if self.is_decided() {
            return;
        }
        let is_of_side = test.side == Some(!step.position.turn());
        let is_asked = is_of_side || test.is_left;
        let answers = is_asked.then(|| test.answers(step, before)).flatten();
        let answers = answers.filter(|(moves, _)| !moves.is_empty());
        // Whether the move is one of the repertoire, where it has some.
        let is_known =
            answers.map(|(moves, played)| played.is_some_and(|mv| moves.contains(&PackedMove::new(mv))));
        match self {
            FollowedLine::Follow { plies, left } => match is_known {
                Some(true) => plies.push(step.number),
                Some(false) => *left = Some(step.number),
                None => {}
            },
            FollowedLine::Leave(departures) => {
                let departure = departures.last().copied().unwrap_or_default();
                let departure = departure.then(step.number, is_known, is_of_side, || {
                    test.has(step.position, after)
                });
                departures.push(departure);
            }
        }
    }

    /// Goes back to a ply.
    fn cut(&mut self, ply: u32) {
        match self {
            FollowedLine::Follow { plies, left } => {
                let kept = plies.partition_point(|&own| own < ply);
                plies.truncate(kept);
                *left = left.filter(|&left| left < ply);
            }
            FollowedLine::Leave(departures) => departures.truncate(ply as usize),
        }
    }
}

/// For each repertoire of a query, where the line follows or leaves it.
#[derive(Debug, Default)]
pub(super) struct FollowedLines(Vec<FollowedLine>);

impl FollowedLines {
    pub(super) fn of(&self, test: &RepertoireTest) -> Option<&FollowedLine> {
        self.0.get(test.number)
    }

    /// Reads the main line of a game.
    pub(super) fn read(&mut self, tests: &[RepertoireTest], database: &dyn Database, game: u32) {
        self.begin(tests);
        let mut running: Option<(RunningKey, u64)> = None;
        follow(database, game, |step| match step {
            LineStep::Start(position) => {
                running = Some(begun(position));
                ControlFlow::Continue(())
            }
            LineStep::Ply(step) => {
                if let Some(running) = &mut running {
                    self.step(tests, step, running);
                }
                let mut lines = self.0.iter().zip(tests);
                let is_looked_at = step.number.is_multiple_of(LOOK_EVERY);
                if is_looked_at && lines.all(|(line, test)| line.is_decided() || test.is_past(step.position))
                {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            }
        });
    }

    /// Reads another line, whose first `shared` moves are the same as in the line before.
    pub(super) fn follow(&mut self, tests: &[RepertoireTest], line: &BranchingLine, shared: u32) {
        if shared == 0 {
            self.begin(tests);
        }
        self.0.iter_mut().for_each(|line| line.cut(shared));
        let mut running = begun(line.position_after(shared));
        for step in line.moves_from(shared) {
            if self.0.iter().all(FollowedLine::is_decided) {
                break;
            }
            self.step(tests, &step, &mut running);
        }
    }

    /// What decides the answers before a ply: where the line leaves each repertoire, or whether it follows it.
    pub(super) fn answers_before(&self, ply: u32) -> impl Iterator<Item = Option<u32>> {
        self.0.iter().map(move |line| match line {
            FollowedLine::Follow { left, .. } => left.map(|_| 0),
            FollowedLine::Leave(_) => line.left().filter(|&left| left < ply),
        })
    }

    fn begin(&mut self, tests: &[RepertoireTest]) {
        self.0.clear();
        self.0.extend(tests.iter().map(FollowedLine::new));
    }

    #[inline]
    fn step(&mut self, tests: &[RepertoireTest], step: &Ply<'_>, running: &mut (RunningKey, u64)) {
        let (pieces, key) = running;
        pieces.follow(step.undo, step.position);
        let after = pieces.key_with(step.position, EnPassantMode::Legal);
        let keys = [std::mem::replace(key, after), after];
        for (line, test) in self.0.iter_mut().zip(tests) {
            line.step(test, step, keys);
        }
    }
}

/// The key of the pieces, and the key of the position.
fn begun(position: &Position) -> (RunningKey, u64) {
    let pieces = RunningKey::new(position);
    (pieces, pieces.key_with(position, EnPassantMode::Legal))
}
