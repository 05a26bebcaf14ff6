//! What in a game's record cannot be as it is stored, though the game can be read.

use std::fmt::Display;

use crate::files::SourceFile;
use crate::problem::{Problem, ProblemKind};

/// The problems of a record.
pub(in crate::formats) struct Doubts<'a> {
    file: &'a str,
    /// The place of the record in the file.
    at: u64,
    problems: Vec<Problem>,
}

impl<'a> Doubts<'a> {
    /// Those of the record at a place, from 0, in a file whose header is as long as each of its records.
    pub(in crate::formats) fn new(file: &'a SourceFile, record: usize, size: usize) -> Doubts<'a> {
        Doubts {
            file: &file.name,
            at: (record as u64 + 1) * size as u64,
            problems: Vec::new(),
        }
    }

    /// Something is damaged at a place of the record.
    pub(in crate::formats) fn damage(&mut self, at: usize, what: impl Into<String>) {
        let at = self.at + at as u64;
        self.problems.push(Problem::damage(self.file, at, what.into()));
    }

    /// The record refers to an entity that a file does not have.
    pub(in crate::formats) fn no_entity(&mut self, at: usize, what: &str, number: impl Display, file: &str) {
        self.damage(
            at,
            format!("{what} is number {number} of {file}, which has no such record"),
        );
    }

    /// Compares the full moves of a game with those that its record has at a place, unless the game is damaged.
    pub(in crate::formats) fn full_moves(
        &mut self,
        at: usize,
        [counted, stored]: [u32; 2],
        of_game: &[Problem],
    ) {
        let is_damaged = of_game.iter().any(|problem| problem.kind == ProblemKind::Damage);
        if counted != stored && !is_damaged {
            let what = format!("the game has {counted} full moves, of which its record counts {stored}");
            let at = self.at + at as u64;
            self.problems.push(Problem::doubt(self.file, at, what));
        }
    }

    pub(in crate::formats) fn problems(self) -> Vec<Problem> {
        self.problems
    }
}
