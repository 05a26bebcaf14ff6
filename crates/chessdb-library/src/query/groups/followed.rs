//! Whether a game follows a repertoire.

use std::ops::ControlFlow;
use std::sync::Arc;

use chessdb::Database;
use chessdb::board::{Color, EnPassantMode, Move, PackedMove, Position, RunningKey};
use chessdb::replay::Ply;

use super::reflection::Reflection;
use crate::library::{DatabasePattern, PatternError};
use crate::lines::{BranchingLine, LineStep, follow};
use crate::repertoire::{Repertoire, Repertoires};

/// Half-moves between two looks whether a game can come back to a repertoire.
const LOOK_EVERY: u32 = 4;

/// A repertoire whose moves a side must play wherever it has some, which must occur.
#[derive(Clone, Debug)]
pub(super) struct RepertoireTest {
    /// The databases that it is made of.
    pub(super) pattern: DatabasePattern,
    /// `None` until it is looked up, or if no database matches.
    repertoire: Option<Arc<Repertoire>>,
    /// The side that must play its moves, in the game itself.
    side: Option<Color>,
    /// The mirror image of a game's positions that the repertoire is asked about.
    reflection: Reflection,
    /// Its place among the repertoires of a query.
    pub(super) number: usize,
}

impl PartialEq for RepertoireTest {
    fn eq(&self, other: &RepertoireTest) -> bool {
        (&self.pattern, self.side, self.reflection) == (&other.pattern, other.side, other.reflection)
    }
}

impl Eq for RepertoireTest {}

impl RepertoireTest {
    /// Reads a pattern of databases, which may be that of the name of a directory.
    pub(super) fn parse(text: &str, is_name: bool) -> Result<RepertoireTest, PatternError> {
        let pattern = if is_name {
            DatabasePattern::parse_name(text)
        } else {
            DatabasePattern::parse(text)
        };
        Ok(RepertoireTest {
            pattern: pattern?,
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

    /// The same, where this side must play its moves.
    pub(super) fn of_side(mut self, side: Option<Color>) -> RepertoireTest {
        self.side = side;
        self
    }

    /// True if it has moves in no position that a game can reach from this one.
    fn is_past(&self, position: &Position) -> bool {
        let repertoire = self.repertoire.as_deref();
        repertoire.is_none_or(|repertoire| repertoire.moves().is_past(position))
    }

    /// The repertoire's moves before a move of the side, if it has some, and the image of the move. `key` is that of the position.
    fn answers(&self, step: &Ply<'_>, key: u64) -> Option<(&[PackedMove], Option<Move>)> {
        if self.side != Some(!step.position.turn()) {
            return None;
        }
        let repertoire = self.repertoire.as_deref()?;
        if self.reflection == Reflection::default() {
            return Some((repertoire.moves().of(key), Some(step.mv)));
        }
        let image = self.reflection.position(&step.before())?;
        let moves = if self.reflection.side {
            repertoire.moves_without_castling()
        } else {
            repertoire.moves()
        };
        let key = image.key_with(EnPassantMode::Legal);
        Some((moves.of(key), self.reflection.played(step.mv)))
    }
}

/// Where a game follows a repertoire.
#[derive(Debug, Default)]
pub(super) struct FollowedLine {
    /// The plies at which it has the moves that are played.
    plies: Vec<u32>,
    /// The first ply at which it has other moves.
    left: Option<u32>,
}

impl FollowedLine {
    /// True if the game follows it, and plays one of its moves after so many others.
    pub(super) fn holds(&self, ply: u32) -> bool {
        self.left.is_none() && self.plies.binary_search(&ply).is_ok()
    }

    /// True if the game follows it.
    pub(super) fn is_anywhere(&self) -> bool {
        self.left.is_none() && !self.plies.is_empty()
    }

    fn step(&mut self, test: &RepertoireTest, step: &Ply<'_>, key: u64) {
        let answers = test.answers(step, key).filter(|_| self.left.is_none());
        let Some((moves, played)) = answers.filter(|(moves, _)| !moves.is_empty()) else {
            return;
        };
        if played.is_some_and(|mv| moves.contains(&PackedMove::new(mv))) {
            self.plies.push(step.number);
        } else {
            self.left = Some(step.number);
        }
    }

    /// Goes back to a ply.
    fn cut(&mut self, ply: u32) {
        let kept = self.plies.partition_point(|&own| own < ply);
        self.plies.truncate(kept);
        self.left = self.left.filter(|&left| left < ply);
    }
}

/// Where a line follows the repertoires of a query.
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
                if is_looked_at
                    && lines.all(|(line, test)| line.left.is_some() || test.is_past(step.position))
                {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            }
        });
    }

    /// Reads another line, whose first `shared` moves are those of the line before. True if it follows the same repertoires,
    /// so that the answers at the plies of these moves are the same.
    pub(super) fn follow(&mut self, tests: &[RepertoireTest], line: &BranchingLine, shared: u32) -> bool {
        if shared == 0 {
            self.begin(tests);
        }
        let before: Vec<bool> = self.followed().collect();
        self.0.iter_mut().for_each(|line| line.cut(shared));
        let mut running = begun(line.position_after(shared));
        for step in line.moves_from(shared) {
            if self.followed().all(|is_followed| !is_followed) {
                break;
            }
            self.step(tests, &step, &mut running);
        }
        self.followed().eq(before)
    }

    /// Whether the line follows each of them.
    fn followed(&self) -> impl Iterator<Item = bool> {
        self.0.iter().map(|line| line.left.is_none())
    }

    fn begin(&mut self, tests: &[RepertoireTest]) {
        self.0.clear();
        self.0.resize_with(tests.len(), FollowedLine::default);
    }

    #[inline]
    fn step(&mut self, tests: &[RepertoireTest], step: &Ply<'_>, running: &mut (RunningKey, u64)) {
        let (pieces, key) = running;
        for (line, test) in self.0.iter_mut().zip(tests) {
            line.step(test, step, *key);
        }
        pieces.follow(step.undo, step.position);
        *key = pieces.key_with(step.position, EnPassantMode::Legal);
    }
}

/// The key of the pieces, and that of the position.
fn begun(position: &Position) -> (RunningKey, u64) {
    let pieces = RunningKey::new(position);
    (pieces, pieces.key_with(position, EnPassantMode::Legal))
}
