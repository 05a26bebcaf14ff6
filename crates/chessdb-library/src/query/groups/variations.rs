//! Tests groups in all lines of a game: the main line first, then the lines that end with a variation, in the order in
//! which these end in the text.
//!
//! A line is followed from the move where it differs from the line before it, with the progress that was saved there.
//! Some answers depend on the whole line, such as the move with which it leaves a repertoire. Progress is saved for
//! each of the last few sets of these answers. Otherwise lines that alternately leave the repertoire and return to it
//! would all be followed from the first move.

use std::ops::ControlFlow;

use super::matcher::Matcher;
use super::matcher::{ImageProgress, Place, WholeLine};
use crate::annotations::LineAnnotations;
use crate::lines::{BranchingLine, Occurrence};
use crate::query::sides::PlayerSides;
use crate::task;
use chessdb::Database;
use chessdb::board::{Bitboard, ByColor, Color};
use chessdb::game::{Game, Token};

/// Maximum number of sets of answers for which progress is saved at one place.
const MOST_ANSWERS: usize = 4;

/// The progress of a line after some moves.
#[derive(Clone)]
struct KeptProgress<'a> {
    images: Vec<ImageProgress<'a>>,
    pieces: ByColor<Bitboard>,
    can_be_excluded: bool,
}

/// A number of moves after which lines branch, with the progress that is saved there.
struct KeptPlace<'a> {
    moves: u32,
    /// The answers of a line ([`WholeLine::answers_before`]) and its progress, the latest last. The progress is `None` if no
    /// line with these moves and answers can change the result any more.
    progress: Vec<(Vec<Option<u32>>, Option<KeptProgress<'a>>)>,
}

impl<'a> KeptPlace<'a> {
    /// The progress that is saved for a line with these answers, if there is any.
    fn of(&self, line: &WholeLine) -> Option<&Option<KeptProgress<'a>>> {
        let is_same = |(answers, _): &&(Vec<Option<u32>>, _)| {
            #[cfg(test)]
            tests::LOOKED_AT.set(tests::LOOKED_AT.get() + 1);
            line.answers_before(self.moves).eq(answers.iter().copied())
        };
        let found = self.progress.iter().rfind(is_same);
        found.map(|(_, progress)| progress)
    }

    fn keep(&mut self, answers: Vec<Option<u32>>, progress: Option<KeptProgress<'a>>) {
        if self.progress.len() == MOST_ANSWERS {
            #[cfg(test)]
            tests::GIVEN_UP.set(tests::GIVEN_UP.get() + 1);
            self.progress.remove(0);
        }
        self.progress.push((answers, progress));
    }
}

/// The places where lines branch, up to some number of moves: in ascending order and without a gap.
#[derive(Default)]
struct KeptPlaces<'a>(Vec<KeptPlace<'a>>);

impl<'a> KeptPlaces<'a> {
    /// Drops the places beyond this number of moves. Every line does this, and the list may be long, so it is cut and not
    /// searched.
    fn forget_after(&mut self, moves: u32) {
        let is_before = |place: &KeptPlace<'_>| {
            #[cfg(test)]
            tests::LOOKED_AT.set(tests::LOOKED_AT.get() + 1);
            place.moves <= moves
        };
        self.0.truncate(self.0.partition_point(is_before));
    }

    /// The last place with progress of a line with these answers, and the number of places up to it; 0 without such a place.
    /// The places after it get that progress while the line is followed, so no line with the same answers passes them again.
    fn last_of(&self, line: &WholeLine) -> (usize, Option<&KeptPlace<'a>>) {
        let found = self.0.iter().rposition(|place| place.of(line).is_some());
        (
            found.map_or(0, |last| last + 1),
            found.and_then(|last| self.0.get(last)),
        )
    }

    /// Saves the progress of a line at the place with this number. The place exists, or is added as the last one.
    fn keep(&mut self, number: usize, moves: u32, line: &WholeLine, progress: Option<KeptProgress<'a>>) {
        let answers = line.answers_before(moves).collect();
        match self.0.get_mut(number) {
            Some(place) => place.keep(answers, progress),
            None => self.0.push(KeptPlace {
                moves,
                progress: vec![(answers, progress)],
            }),
        }
    }

    /// Notes at these places that no line with these answers can change the result any more. False if no such place exists.
    fn keep_end(&mut self, from: usize, line: &WholeLine) -> bool {
        let places = self.0.get_mut(from..).unwrap_or_default();
        for place in &mut *places {
            place.keep(line.answers_before(place.moves).collect(), None);
        }
        !places.is_empty()
    }
}

/// The lines of a game, one after the other.
struct LinesOfGame<'a> {
    line: BranchingLine,
    /// False if the game has no start position.
    has_start: bool,
    /// The plies where the tests of lines start, in ascending order.
    branches: Vec<u32>,
    /// The places on the current line, up to where it leaves the previous line.
    kept: KeptPlaces<'a>,
    /// Number of moves that the line shares with it.
    shared: u32,
    /// The annotations of moves that are replaced by open variations.
    replaced: Vec<Vec<(u32, Token)>>,
}

impl<'a> LinesOfGame<'a> {
    fn new(game: &Game, branches: Vec<u32>) -> LinesOfGame<'a> {
        LinesOfGame {
            line: BranchingLine::new(game.start().unwrap_or_default()),
            has_start: game.start().is_some(),
            branches,
            kept: KeptPlaces::default(),
            shared: 0,
            replaced: Vec::new(),
        }
    }

    /// The next number of moves after which lines branch, if the current line is long enough.
    fn branch_after(&self, moves: u32) -> Option<u32> {
        let after = self.branches.partition_point(|&branch| branch <= moves);
        let branch = self.branches.get(after).copied();
        branch.filter(|&branch| branch <= self.line.len())
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
        let start = self.progress();
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

    fn progress(&self) -> KeptProgress<'a> {
        KeptProgress {
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

    /// Follows the current line, which `winner` has won, to its end. Stores in `first` where the query matches first,
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
        self.line.follow(&self.query.needs, line, lines.shared, winner);
        // Some terms depend on the moves that follow.
        let shared = lines.shared.saturating_sub(self.query.needs.looks_ahead);
        lines.shared = line.len();
        lines.kept.forget_after(shared);
        let (mut places, last) = lines.kept.last_of(&self.line);
        let from = last.map_or(0, |place| place.moves);
        let kept = last.map_or(Some(start), |place| place.of(&self.line)?.as_ref());
        let Some(kept) = kept else {
            lines.kept.keep_end(places, &self.line);
            return;
        };
        self.images.clone_from(&kept.images);
        (self.pieces, self.can_be_excluded) = (kept.pieces, kept.can_be_excluded);
        let line = &lines.line;
        let mut flow = ControlFlow::Continue(());
        if from == 0 && lines.has_start {
            flow = self.start(line.start());
        }
        let mut moves = from;
        for step in line.moves_from(from) {
            if flow.is_break() {
                break;
            }
            #[cfg(test)]
            tests::STEPS.set(tests::STEPS.get() + 1);
            flow = self.step(&step);
            if flow.is_break() {
                break;
            }
            moves = step.number + 1;
            if lines.branches.binary_search(&moves).is_ok() {
                lines.kept.keep(places, moves, &self.line, Some(self.progress()));
                places += 1;
            }
        }
        if flow.is_break()
            && !lines.kept.keep_end(places, &self.line)
            && let Some(branch) = lines.branch_after(moves)
        {
            lines.kept.keep(places, branch, &self.line, None);
        }
        let line = &lines.line;
        if first.is_none() {
            *first = self.found.map(|place| (place, line.variation_at(place.ply)));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::fmt::Write;

    use super::super::group::QueryImages;
    use super::*;
    use crate::library::Library;
    use crate::query::Query;
    use crate::repertoire::Repertoires;
    use chessdb::board::{Position, Undo};
    use testkit::Random;

    thread_local! {
        /// How often a place was visited, or the answers at a place.
        pub(super) static LOOKED_AT: Cell<usize> = const { Cell::new(0) };
        /// How many moves were followed.
        pub(super) static STEPS: Cell<usize> = const { Cell::new(0) };
        /// How often progress was dropped to make room for other answers.
        pub(super) static GIVEN_UP: Cell<usize> = const { Cell::new(0) };
    }

    /// The databases of files with these names and texts.
    fn library(files: &[(&str, &str)]) -> Library {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        Library::open(folder.path(), &Default::default()).unwrap()
    }

    fn query(text: &str, library: &Library) -> Query {
        let known = Repertoires::of(library.databases().iter().cloned(), 1);
        Query::parse(text).unwrap().with_repertoires(&known)
    }

    /// The first answer of each game of a database.
    fn answers(text: &str, library: &Library, name: &str) -> Vec<Option<Occurrence>> {
        let query = query(text, library);
        let images = QueryImages::new(&query.positions);
        let named = library.databases().iter().find(|entry| entry.name() == name);
        let database = &*named.unwrap().database;
        let mut matcher = Matcher::new(&images, None);
        let games = 0..database.len();
        games
            .map(|game| matcher.first_in(database, game, PlayerSides::BOTH))
            .collect()
    }

    /// The number of visits to places and answers, and of followed moves, in a game that repeats a round of moves.
    fn looked_at(start: &str, round: &str, rounds: usize, text: &str) -> (usize, usize) {
        let game = format!("{start} {}*\n", round.repeat(rounds));
        let library = library(&[("a.pgn", &game), ("own.pgn", "1. e4 e5 *\n")]);
        LOOKED_AT.set(0);
        STEPS.set(0);
        let found = answers(text, &library, "a.pgn");
        assert!(found[0].is_none());
        (LOOKED_AT.get(), STEPS.get())
    }

    #[test]
    fn the_time_for_a_game_is_in_proportion_to_its_variations() {
        let looked_at = |rounds| {
            let round = "Nf3 (Nc3 Nf6 Nb1 Ng8) Nf6 (Nc6) Ng1 (Rg1) Ng8 ";
            looked_at("", round, rounds, "played:N* then played:Qxh7# in:variations")
        };
        let ((few, few_steps), (many, many_steps)) = (looked_at(100), looked_at(1600));
        // Three variations each time, and the binary digits of what is kept.
        assert!(few >= 3 * 100 && many <= 3 * 1600 * 16, "{few} {many}");
        // Each of the ten moves of a round is followed at least once, and few of them again.
        assert!(
            few_steps >= 10 * 100 && many_steps <= 3 * 10 * 1600,
            "{few_steps} {many_steps}"
        );
    }

    #[test]
    fn variations_that_return_to_a_repertoire_do_not_begin_anew() {
        // The game leaves the repertoire with its first move. The first variation of a round comes back to the usual position.
        let round = "Nc3 (Ng1 Ng8) Nc6 (Na6) Nb1 Nb8 ";
        for text in [
            "left:own.pgn then played:Qxh7# in:variations",
            "left:own.pgn then played:Qxh7# -played:Kxe8 in:variations",
            "played:Qxh7# -left:own.pgn ply:3.. in:variations",
            "repertoire:own.pgn by:white then played:Qxh7# in:variations",
        ] {
            let looked_at = |rounds| looked_at("Nf3 Nf6", round, rounds, text);
            let ((few, few_steps), (many, many_steps)) = (looked_at(100), looked_at(1600));
            assert!(few >= 2 * 100 && many <= 2 * 1600 * 20, "{text}: {few} {many}");
            // The seven moves of a round, once for the lines that come back and once for the others.
            assert!(
                few_steps <= 3 * 7 * 100 && many_steps <= 3 * 7 * 1600,
                "{text}: {few_steps} {many_steps}"
            );
        }
    }

    /// The only moves, so that games leave a repertoire and come back to it.
    const MOVES: [&str; 12] = [
        "Nf3", "Nf6", "Nc3", "Nc6", "Ng1", "Ng8", "Nb1", "Nb8", "e4", "e5", "d4", "d5",
    ];

    /// The movetext from a position on, whose moves and variations are added to `text`. What a line has played is in `path`, and
    /// the lines that end are added to `lines`.
    fn grow(
        random: &mut Random,
        mut position: Position,
        plies: usize,
        depth: usize,
        path: &mut Vec<&'static str>,
        (text, lines): (&mut String, &mut Vec<String>),
    ) {
        let before = path.len();
        let mut played = 0;
        while played < plies {
            let san = random.pick(&MOVES);
            let Ok(mv) = position.read_move(san) else {
                continue;
            };
            write!(text, "{san} ").unwrap();
            if depth < 3 && random.below(5) < 2 {
                text.push_str("( ");
                let plies = 1 + random.below(5);
                let place = (&mut *text, &mut *lines);
                grow(random, position, plies, depth + 1, path, place);
                text.push_str(") ");
            }
            path.push(san);
            position.play_legal(mv, &mut Undo::default()).unwrap();
            played += 1;
        }
        lines.push(path.join(" "));
        path.truncate(before);
    }

    #[test]
    fn lines_are_answered_as_if_each_were_a_game() {
        let mut random = Random(11);
        let (mut found, mut excluded, mut rounds) = (0, 0, 0);
        GIVEN_UP.set(0);
        while rounds < testkit::cases(6, 100) || (GIVEN_UP.get() == 0 && rounds < 60) {
            rounds += 1;
            let (mut games, mut all_lines, mut counts) = (String::new(), String::new(), Vec::new());
            for _ in 0..20 {
                let (mut text, mut lines) = (String::new(), Vec::new());
                let plies = 4 + random.below(10);
                let place = (&mut text, &mut lines);
                grow(&mut random, Position::initial(), plies, 0, &mut Vec::new(), place);
                // The main line comes first.
                lines.rotate_right(1);
                writeln!(games, "[Event \"a\"]\n\n{text}*\n").unwrap();
                lines
                    .iter()
                    .for_each(|line| writeln!(all_lines, "[Event \"a\"]\n\n{line} *\n").unwrap());
                counts.push(lines.len());
            }
            let mut repertoire = || {
                let mut lines = Vec::new();
                for _ in 0..3 {
                    let (plies, mut text) = (2 + random.below(6), String::new());
                    let place = (&mut text, &mut lines);
                    grow(&mut random, Position::initial(), plies, 3, &mut Vec::new(), place);
                }
                let games = lines.iter().map(|line| format!("[Event \"a\"]\n\n{line} *\n\n"));
                games.collect::<String>()
            };
            let [a, b, c, d] = [repertoire(), repertoire(), repertoire(), repertoire()];
            let library = library(&[
                ("games.pgn", &games),
                ("lines.pgn", &all_lines),
                ("a.pgn", &a),
                ("b.pgn", &b),
                ("c.pgn", &c),
                ("d.pgn", &d),
            ]);
            // What one line must contain, what no line may contain, and both in one query.
            for (asked, left_out, text) in [
                ("left:a.pgn", "", "left:a.pgn"),
                ("left:a.pgn then played:Nf3", "", "left:a.pgn then played:Nf3"),
                (
                    "left:a.pgn by:white then left:b.pgn by:black",
                    "",
                    "left:a.pgn by:white then left:b.pgn by:black",
                ),
                (
                    "left:a.pgn|b.pgn then played:Nc3 then played:d4",
                    "",
                    "left:a.pgn|b.pgn then played:Nc3 then played:d4",
                ),
                (
                    "repertoire:a.pgn by:white then played:e5",
                    "",
                    "repertoire:a.pgn by:white then played:e5",
                ),
                (
                    "left:a.pgn then left:b.pgn then left:c.pgn then left:d.pgn",
                    "",
                    "left:a.pgn then left:b.pgn then left:c.pgn then left:d.pgn",
                ),
                (
                    "left:a.pgn then left:b.pgn",
                    "left:c.pgn",
                    "left:a.pgn then left:b.pgn -left:c.pgn",
                ),
                (
                    "left:a.pgn by:white",
                    "repertoire:b.pgn by:white",
                    "left:a.pgn -repertoire:b.pgn by:white",
                ),
                (
                    "played:Nf3 ply:3..",
                    "left:a.pgn ply:3..",
                    "played:Nf3 -left:a.pgn ply:3..",
                ),
            ] {
                let whole = answers(&format!("{text} in:variations"), &library, "games.pgn");
                let of_lines = answers(asked, &library, "lines.pgn");
                let not_allowed = match left_out {
                    "" => vec![None; of_lines.len()],
                    left_out => answers(left_out, &library, "lines.pgn"),
                };
                let mut first_line = 0;
                for (game, count) in whole.iter().zip(&counts) {
                    let own = first_line..first_line + count;
                    first_line += count;
                    let is_excluded = not_allowed[own.clone()].iter().any(Option::is_some);
                    let place = |one: &Occurrence| (one.ply, one.next);
                    let first = of_lines[own].iter().flatten().next().map(place);
                    let expected = first.filter(|_| !is_excluded);
                    assert_eq!(game.as_ref().map(place), expected, "{text}\n{games}");
                    found += usize::from(expected.is_some());
                    excluded += usize::from(first.is_some() && is_excluded);
                }
            }
        }
        let given_up = GIVEN_UP.get();
        assert!(
            found > 200 && excluded > 20 && given_up > 0,
            "{found} {excluded} {given_up}"
        );
    }
}
