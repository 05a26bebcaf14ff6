//! Tests groups in all lines of a game: the main line first, then the lines that end with a variation, in the order in
//! which these end in the text.
//!
//! A line is followed from the move where it differs from the line before it, with the progress that was saved there.

use std::ops::ControlFlow;

use super::matcher::Matcher;
use super::matcher::{ImageProgress, Place};
use crate::annotations::LineAnnotations;
use crate::lines::{BranchingLine, Occurrence};
use crate::query::sides::PlayerSides;
use crate::task;
use chessdb::Database;
use chessdb::board::{Bitboard, ByColor, Color};
use chessdb::game::{Game, Token};

/// The progress of the current line after a number of moves.
#[derive(Clone)]
struct KeptProgress<'a> {
    moves: u32,
    images: Vec<ImageProgress<'a>>,
    pieces: ByColor<Bitboard>,
    can_be_excluded: bool,
}

/// The lines of a game, one after the other.
struct LinesOfGame<'a> {
    line: BranchingLine,
    /// The plies where the tests of lines start, in ascending order.
    branches: Vec<u32>,
    /// The saved progress of the last line after these numbers of moves, in ascending order, as long as it can still be
    /// used.
    kept: Vec<KeptProgress<'a>>,
    /// Number of moves that the line shares with it.
    shared: u32,
    /// The annotations of moves that are replaced by open variations.
    replaced: Vec<Vec<(u32, Token)>>,
}

impl<'a> LinesOfGame<'a> {
    fn new(game: &Game, branches: Vec<u32>) -> LinesOfGame<'a> {
        LinesOfGame {
            line: BranchingLine::new(game.start()),
            branches,
            kept: Vec::new(),
            shared: 0,
            replaced: Vec::new(),
        }
    }

    /// Drops the saved progress beyond this number of moves. Every line does this, and the list may be long, so it is
    /// cut and not searched.
    fn forget_after(&mut self, moves: u32) {
        let is_before = |kept: &KeptProgress<'_>| {
            #[cfg(test)]
            tests::LOOKED_AT.set(tests::LOOKED_AT.get() + 1);
            kept.moves <= moves
        };
        self.kept.truncate(self.kept.partition_point(is_before));
    }

    /// Keeps the annotations of the line up to a token that was read.
    fn annotate(&mut self, annotations: &mut LineAnnotations, token: Token) {
        let moves = self.line.len();
        match token {
            // A comment before the first move of a variation belongs to no move.
            Token::Nag(_) | Token::Comment(_) if self.line.is_main() || self.line.has_own_move() => {
                annotations.push(moves, token);
            }
            Token::VariationStart => self.replaced.push(annotations.cut(moves)),
            Token::VariationEnd => {
                annotations.cut(moves.saturating_sub(1));
                let replaced = self.replaced.pop().unwrap_or_default();
                for (moves, token) in replaced {
                    annotations.push(moves, token);
                }
            }
            _ => {}
        }
    }
}

/// The plies where the tests of a game's lines start, in ascending order: where each leaves the line before it, or
/// `looks_ahead` half-moves earlier.
fn branches(game: &Game, looks_ahead: u32) -> Vec<u32> {
    let (mut moves, mut open, mut branches) = (0u32, Vec::new(), Vec::new());
    for token in game.movetext.tokens() {
        match token {
            Token::Move(..) => moves += 1,
            Token::VariationStart => {
                open.push(moves);
                moves = moves.saturating_sub(1);
                branches.push(moves.saturating_sub(looks_ahead));
            }
            Token::VariationEnd => moves = open.pop().unwrap_or(moves),
            _ => {}
        }
    }
    branches.sort_unstable();
    branches.dedup();
    branches
}

impl<'a> Matcher<'a> {
    /// The first position of a game that completes the match in any line, where one of these sides is the player.
    pub(super) fn first_in_variations(
        &mut self,
        database: &dyn Database,
        number: u32,
        players: PlayerSides,
    ) -> Option<Occurrence> {
        let game = database.game(number).game;
        self.can_be_excluded = self.query.excluded.iter().any(|group| group.is_of(players.named));
        self.found = (!self.query.asks).then(Place::default);
        for (image, progress) in self.query.images.iter().zip(&mut self.images) {
            progress.begin(self.query.asks && image.is_of(players.held));
        }
        let start = self.progress(0);
        let winner = database.keys(number).outcome.winner();
        let mut first = self.found.map(|place| (place, 0));
        let mut lines = LinesOfGame::new(&game, Vec::new());
        self.line.begin(&self.query.needs, &game);
        for &token in game.movetext.main_line_tokens() {
            if !self.read(&mut lines, token) {
                break;
            }
        }
        self.look_along(&mut lines, &start, winner, &mut first);
        if game.movetext.tokens().contains(&Token::VariationStart) {
            lines = LinesOfGame::new(&game, branches(&game, self.query.needs.looks_ahead));
            self.line.begin(&self.query.needs, &game);
            for &token in game.movetext.tokens() {
                if self.is_excluded || (first.is_some() && !start.can_be_excluded) {
                    break;
                }
                if token == Token::VariationEnd {
                    self.look_along(&mut lines, &start, None, &mut first);
                }
                if !self.read(&mut lines, token) {
                    break;
                }
            }
        }
        let (place, variation) = first.filter(|_| !self.is_excluded)?;
        Some(Occurrence {
            game: number,
            ply: place.ply,
            next: place.next,
            variation,
        })
    }

    fn progress(&self, moves: u32) -> KeptProgress<'a> {
        KeptProgress {
            moves,
            images: self.images.clone(),
            pieces: self.pieces,
            can_be_excluded: self.can_be_excluded,
        }
    }

    /// Reads the next token of a game. False if it cannot be followed.
    fn read(&mut self, lines: &mut LinesOfGame<'a>, token: Token) -> bool {
        let is_read = lines.line.read(token);
        if matches!(token, Token::VariationStart | Token::VariationEnd) {
            let shared = lines.line.len() - u32::from(token == Token::VariationEnd);
            lines.shared = lines.shared.min(shared);
        }
        if self.query.needs.annotations {
            lines.annotate(&mut self.line.annotations, token);
        }
        is_read
    }

    /// Follows the present line, which `winner` has won, to its end. Stores in `first` where the query matches first,
    /// and in which variation.
    fn look_along(
        &mut self,
        lines: &mut LinesOfGame<'a>,
        start: &KeptProgress<'a>,
        winner: Option<Color>,
        first: &mut Option<(Place, u32)>,
    ) {
        task::check();
        let line = &lines.line;
        let is_same = self.line.follow(&self.query.needs, line, lines.shared, winner);
        // Some terms depend on the moves that follow.
        let from = if is_same {
            lines.shared.saturating_sub(self.query.needs.looks_ahead)
        } else {
            0
        };
        lines.shared = line.len();
        lines.forget_after(from);
        let line = &lines.line;
        let kept = match lines.kept.last().filter(|kept| kept.moves == from) {
            Some(kept) => kept,
            None if from == 0 => start,
            // The line before was left after fewer moves, because later ones could not change the answer. They cannot
            // here, either.
            None => return,
        };
        self.images.clone_from(&kept.images);
        (self.pieces, self.can_be_excluded) = (kept.pieces, kept.can_be_excluded);
        let mut flow = ControlFlow::Continue(());
        if from == 0 {
            flow = self.start(line.start());
        }
        for step in line.moves_from(from) {
            if flow.is_break() {
                break;
            }
            #[cfg(test)]
            tests::STEPS.set(tests::STEPS.get() + 1);
            flow = self.step(&step);
            let moves = step.number + 1;
            if lines.branches.binary_search(&moves).is_ok() {
                lines.kept.push(self.progress(moves));
            }
        }
        if first.is_none() {
            *first = self.found.map(|place| (place, line.variation_at(place.ply)));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::super::group::QueryImages;
    use super::*;
    use crate::library::Library;
    use crate::query::Query;

    thread_local! {
        /// How often progress that is kept was looked at.
        pub(super) static LOOKED_AT: Cell<usize> = const { Cell::new(0) };
        /// How many moves were followed.
        pub(super) static STEPS: Cell<usize> = const { Cell::new(0) };
    }

    /// How often kept progress is looked at, and how many moves are followed, in a game with variations at each of this
    /// number of moves.
    fn looked_at(rounds: usize) -> (usize, usize) {
        let text = "Nf3 (Nc3 Nf6 Nb1 Ng8) Nf6 (Nc6) Ng1 (Rg1) Ng8 ".repeat(rounds) + "*\n";
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.pgn"), text).unwrap();
        let library = Library::open(folder.path(), &Default::default()).unwrap();
        let database = &library.databases()[0].database;
        let query = Query::parse("played:N* then played:Qxh7# in:variations").unwrap();
        let images = QueryImages::new(&query.positions);
        LOOKED_AT.set(0);
        STEPS.set(0);
        let found = Matcher::new(&images, None).first_in(&**database, 0, PlayerSides::BOTH);
        assert!(found.is_none());
        (LOOKED_AT.get(), STEPS.get())
    }

    #[test]
    fn the_time_for_a_game_is_in_proportion_to_its_variations() {
        let ((few, few_steps), (many, many_steps)) = (looked_at(100), looked_at(1600));
        // Three variations each time, and the binary digits of what is kept.
        assert!(few >= 3 * 100 && many <= 3 * 1600 * 16, "{few} {many}");
        // Each of the ten moves of a round at least once, and few of them again.
        assert!(
            few_steps >= 10 * 100 && many_steps <= 3 * 10 * 1600,
            "{few_steps} {many_steps}"
        );
    }
}
