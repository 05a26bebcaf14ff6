//! Impossible values in a game's record. They are reported, and the game is read nevertheless.

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
    /// An empty list for the record at a place, from 0. The header of the file must be as long as a record.
    pub(in crate::formats) fn new(file: &'a SourceFile, record: usize, size: usize) -> Doubts<'a> {
        Doubts {
            file: &file.name,
            at: (record as u64 + 1) * size as u64,
            problems: Vec::new(),
        }
    }

    /// Reports damage at a place in the record.
    pub(in crate::formats) fn damage(&mut self, at: usize, what: impl Into<String>) {
        let at = self.at + at as u64;
        self.problems.push(Problem::damage(self.file, at, what.into()));
    }

    /// Reports that the record refers to an entity that does not exist in a file.
    pub(in crate::formats) fn no_entity(&mut self, at: usize, what: &str, number: impl Display, file: &str) {
        self.damage(
            at,
            format!("{what} is number {number} of {file}, which has no such record"),
        );
    }

    /// Reports a wrong number of full moves, unless the game is damaged. The stored number is at `at` in the record.
    pub(in crate::formats) fn full_moves(
        &mut self,
        at: usize,
        [counted, stored]: [u32; 2],
        of_game: &[Problem],
    ) {
        let is_damaged = of_game.iter().any(|problem| problem.kind == ProblemKind::Damage);
        if counted != stored && !is_damaged {
            let what = format!("the game has {counted} full moves, but its record counts {stored}");
            let at = self.at + at as u64;
            self.problems.push(Problem::doubt(self.file, at, what));
        }
    }

    pub(in crate::formats) fn problems(self) -> Vec<Problem> {
        self.problems
    }
}
