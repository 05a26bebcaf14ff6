//! Repertoires against a slow search that keeps nothing and skips nothing, of games that transpose all the time.

use std::collections::{HashMap, HashSet};
use std::fmt::Write;
use std::sync::Arc;

use chessdb::board::{Color, EnPassantMode, Move, Position, Undo};
use chessdb_library::library::Library;
use chessdb_library::positions::{AnswerOptions, BuildOptions, DatabasePart, Positions};
use chessdb_library::query::Query;
use chessdb_library::repertoire::Repertoires;
use testkit::Random;

/// The only moves, so that games leave a repertoire and come back to it.
const MOVES: [&str; 12] = [
    "Nf3", "Nf6", "Nc3", "Nc6", "Ng1", "Ng8", "Nb1", "Nb8", "e4", "e5", "d4", "d5",
];

const PLAYERS: [&str; 3] = ["Tal", "Keres", "Smyslov"];

/// The positions and moves of a line, and its last position.
#[derive(Clone)]
struct Line {
    steps: Vec<(Position, Move)>,
    end: Position,
    text: String,
}

fn line(random: &mut Random, plies: usize) -> Line {
    let (mut position, mut steps, mut text) = (Position::initial(), Vec::new(), String::new());
    while steps.len() < plies {
        let san = random.pick(&MOVES);
        if let Ok(mv) = position.read_move(san) {
            steps.push((position, mv));
            position.play_legal(mv, &mut Undo::default()).unwrap();
            write!(text, "{san} ").unwrap();
        }
    }
    Line {
        steps,
        end: position,
        text,
    }
}

fn pgn(lines: &[([&str; 2], Line)]) -> String {
    let game = |([white, black], line): &([&str; 2], Line)| {
        format!("[White \"{white}\"]\n[Black \"{black}\"]\n\n{}*\n\n", line.text)
    };
    lines.iter().map(game).collect()
}

fn key(position: &Position) -> u64 {
    position.key_with(EnPassantMode::Legal)
}

/// The moves of a repertoire by position, and all its positions.
#[derive(Default)]
struct Slow {
    moves: HashMap<u64, Vec<Move>>,
    positions: HashSet<u64>,
}

impl Slow {
    fn of<'a>(lines: impl IntoIterator<Item = &'a Line>) -> Slow {
        let mut slow = Slow::default();
        for line in lines {
            for (position, mv) in &line.steps {
                slow.moves.entry(key(position)).or_default().push(*mv);
                slow.positions.insert(key(position));
            }
            slow.positions.insert(key(&line.end));
        }
        slow
    }

    /// For each move of a line where there are moves, its number and whether it is one of them.
    fn looked_at(&self, line: &Line) -> Vec<(u32, Color, bool)> {
        let steps = (0..).zip(&line.steps);
        let known = steps.filter_map(|(ply, (position, mv))| {
            let moves = self.moves.get(&key(position))?;
            Some((ply, position.turn(), moves.contains(mv)))
        });
        known.collect()
    }

    /// The plies at which the side plays a move of it; none if it ever plays another one.
    fn followed(&self, line: &Line, side: Color) -> HashSet<u32> {
        let own = || {
            self.looked_at(line)
                .into_iter()
                .filter(|(_, turn, _)| *turn == side)
        };
        let leaves = own().any(|(_, _, is_known)| !is_known);
        own().filter(|_| !leaves).map(|(ply, _, _)| ply).collect()
    }

    /// The first other move of the side whose repertoire it is, or of another side if no later position belongs to it.
    fn left(&self, line: &Line, side: Option<Color>) -> Option<u32> {
        let after = |ply: u32| {
            line.steps
                .iter()
                .map(|(position, _)| position)
                .chain([&line.end])
                .skip(ply as usize + 1)
        };
        let others = self
            .looked_at(line)
            .into_iter()
            .filter(|(_, _, is_known)| !is_known);
        let mut left = others.filter(|(ply, turn, _)| {
            Some(*turn) == side || !after(*ply).any(|position| self.positions.contains(&key(position)))
        });
        left.next().map(|(ply, _, _)| ply)
    }
}

/// By whom moves are played, in a query.
#[derive(Clone, Copy, Debug)]
enum By {
    White,
    Black,
    Player,
    Opponent,
}

impl By {
    const ALL: [(By, &str, &str); 4] = [
        (By::White, "", "by:white"),
        (By::Black, "", "by:black"),
        (By::Player, "player:tal ", "by:player"),
        (By::Opponent, "player:tal ", "by:opponent"),
    ];

    /// The sides of a game, White first.
    fn sides(self, names: [&str; 2]) -> Vec<Color> {
        let tal = names.map(|name| name == "Tal");
        let [white, black] = match self {
            By::White => [true, false],
            By::Black => [false, true],
            By::Player => tal,
            By::Opponent => [tal[1], tal[0]],
        };
        [(white, Color::White), (black, Color::Black)]
            .into_iter()
            .filter_map(|(is, side)| is.then_some(side))
            .collect()
    }

    /// True for a game with the player, if there has to be one.
    fn is_asked(self, names: [&str; 2]) -> bool {
        matches!(self, By::White | By::Black) || names.contains(&"Tal")
    }
}

/// For each side that is asked about, the plies at which it follows one of these.
fn plies(by: By, names: [&str; 2], line: &Line, of: &[Slow]) -> Vec<HashSet<u32>> {
    let of_side = |side| of.iter().flat_map(|slow| slow.followed(line, side)).collect();
    by.sides(names).into_iter().map(of_side).collect()
}

#[test]
fn repertoires_are_followed_and_left_as_a_slow_search_says() {
    let mut random = Random(7);
    let (mut found, mut left, mut returned, mut departed) = (0, 0, 0, 0);
    for _ in 0..testkit::cases(12, 200) {
        let mut lines = |number: usize, plies: usize| -> Vec<([&str; 2], Line)> {
            let line = |_| {
                let names = [random.pick(&PLAYERS), random.pick(&PLAYERS)];
                let plies = 1 + random.below(plies);
                (names, line(&mut random, plies))
            };
            (0..number).map(line).collect()
        };
        let (games, a, b) = (lines(60, 14), lines(3, 8), lines(3, 8));
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("own")).unwrap();
        for (name, lines) in [("games.pgn", &games), ("own/a.pgn", &a), ("own/b.pgn", &b)] {
            std::fs::write(folder.path().join(name), pgn(lines)).unwrap();
        }
        let library = Library::open(folder.path(), &Default::default()).unwrap();
        let entries = library.databases();
        let own = entries.iter().find(|entry| entry.name() == "games.pgn").unwrap();
        let part = DatabasePart::of(Arc::new(Positions::new(own, BuildOptions::default())));
        let fresh = || AnswerOptions {
            threads: 2,
            repertoires: Arc::new(Repertoires::of(entries.iter().cloned(), 2)),
            ..AnswerOptions::default()
        };
        // Earlier questions must not matter.
        let kept = fresh();
        let slow =
            |lines: &[&[([&str; 2], Line)]]| Slow::of(lines.iter().copied().flatten().map(|(_, line)| line));
        let repertoires = [
            ("repertoire:a.pgn", vec![slow(&[&a])]),
            ("repertoire:b.pgn", vec![slow(&[&b])]),
            ("repertoire:own/*", vec![slow(&[&a, &b])]),
            ("repertoire:own/?.pgn", vec![slow(&[&a, &b])]),
            // One or the other, and not both together.
            ("repertoire:a.pgn|b.pgn", vec![slow(&[&a]), slow(&[&b])]),
        ];
        let ask = |text: &str, holds: &dyn Fn([&str; 2], &Line) -> bool| {
            let query = Query::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
            // Of two players with one name, no page says which one must not follow a repertoire.
            let has_no_or_one_player = |names: [&str; 2]| names != ["Tal", "Tal"] || !text.contains(" -");
            let wanted: Vec<u32> = (0..)
                .zip(&games)
                .filter(|(_, (names, line))| has_no_or_one_player(*names) && holds(*names, line))
                .map(|(game, _)| game)
                .collect();
            for options in [&kept, &fresh()] {
                let found = query.find(&part, options, &|_| ());
                let found = found.iter().map(|found| found.game);
                let compared = found.filter(|&game| has_no_or_one_player(games[game as usize].0));
                assert_eq!(compared.collect::<Vec<_>>(), wanted, "{text}");
            }
            wanted
        };
        for (term, one) in &repertoires {
            // By a move of either side.
            let leaving = term.replace("repertoire:", "left:");
            ask(&leaving, &|_, line| {
                one.iter().any(|slow| slow.left(line, None).is_some())
            });
            ask(&format!("{leaving} white:tal"), &|names, line| {
                let leaves = |slow: &Slow| slow.left(line, None).is_some();
                names[0] == "Tal" && one.iter().any(leaves)
            });
            for (by, player, mover) in By::ALL {
                let text = format!("{player}{term} {mover}");
                let games_found = ask(&text, &|names, line| {
                    by.is_asked(names) && plies(by, names, line, one).iter().any(|plies| !plies.is_empty())
                });
                found += games_found.len();
                // Where they leave it.
                if let [one] = &one[..] {
                    let query = Query::parse(&text).unwrap();
                    let wanted: Vec<(u32, u32)> = games_found
                        .iter()
                        .filter_map(|&game| {
                            let (names, line) = &games[game as usize];
                            let mut sides = by.sides(*names).into_iter();
                            let ply = sides.find_map(|side| one.left(line, Some(side)))?;
                            returned += usize::from(
                                one.looked_at(line)
                                    .iter()
                                    .any(|(own, _, is_known)| !is_known && *own < ply),
                            );
                            Some((game, ply))
                        })
                        .collect();
                    for options in [&kept, &fresh()] {
                        let rows = query.left_in(&part, &games_found, options, &|_| ());
                        let rows: Vec<(u32, u32)> = rows.iter().map(|left| (left.game, left.ply)).collect();
                        assert_eq!(rows, wanted, "{text}");
                    }
                    left += wanted.len();
                    // The query for these games alone, also of those that do not follow it.
                    for text in [&text, &text.replace("repertoire:", "-repertoire:")] {
                        let query = Query::parse(text).unwrap();
                        let Some(leaving) = query.for_games_that_leave() else {
                            assert!(!matches!(by, By::Player), "{text}");
                            continue;
                        };
                        let games = query.find(&part, &kept, &|_| ());
                        let games: Vec<u32> = games.iter().map(|found| found.game).collect();
                        let rows = query.left_in(&part, &games, &kept, &|_| ());
                        let rows: Vec<u32> = rows.iter().map(|left| left.game).collect();
                        let found = leaving.find(&part, &kept, &|_| ());
                        let found: Vec<u32> = found.iter().map(|found| found.game).collect();
                        assert_eq!(found, rows, "{text}");
                    }
                }
                // Games that leave one of them, by a move of that side.
                let text = text.replace("repertoire:", "left:");
                let leaves = |names: [&str; 2], line: &Line| -> Vec<u32> {
                    let has_player = !player.is_empty();
                    let owners = [Color::White, Color::Black].map(Some);
                    let owners = owners.into_iter().filter(|side| {
                        side.is_some_and(|side| names[usize::from(side == Color::Black)] == "Tal")
                    });
                    let owners: Vec<_> = if has_player { owners.collect() } else { vec![None] };
                    let is_mover = |ply: u32, owner: Option<Color>| {
                        let turn = line.steps[ply as usize].0.turn();
                        match by {
                            By::White => turn == Color::White,
                            By::Black => turn == Color::Black,
                            By::Player => Some(turn) == owner,
                            By::Opponent => Some(turn) != owner,
                        }
                    };
                    let plies = owners.into_iter().flat_map(|owner| {
                        let plies = one.iter().filter_map(move |slow| slow.left(line, owner));
                        plies.filter(move |&ply| is_mover(ply, owner))
                    });
                    plies.collect()
                };
                let games_left = ask(&text, &|names, line| !leaves(names, line).is_empty());
                departed += games_left.len();
                if one.len() == 1 {
                    let wanted: Vec<(u32, u32)> = games_left
                        .iter()
                        .map(|&game| {
                            let (names, line) = &games[game as usize];
                            (game, leaves(*names, line).into_iter().min().unwrap())
                        })
                        .collect();
                    let query = Query::parse(&text).unwrap();
                    let found = query.find(&part, &kept, &|_| ());
                    let found: Vec<_> = found.iter().map(|found| (found.game, found.ply)).collect();
                    assert_eq!(found, wanted, "{text}");
                    let rows = query.left_in(&part, &games_left, &kept, &|_| ());
                    let rows: Vec<_> = rows.iter().map(|left| (left.game, left.ply)).collect();
                    assert_eq!(rows, wanted, "{text}");
                }
                for (other_term, other) in &repertoires {
                    // Both at the same move.
                    ask(&format!("{player}{term} {other_term} {mover}"), &|names, line| {
                        let (one, other) = (plies(by, names, line, one), plies(by, names, line, other));
                        by.is_asked(names)
                            && one.iter().zip(&other).any(|(one, other)| !one.is_disjoint(other))
                    });
                    // One, and not the other.
                    ask(
                        &format!("{player}{term} -{other_term} {mover}"),
                        &|names, line| {
                            let (one, other) = (plies(by, names, line, one), plies(by, names, line, other));
                            by.is_asked(names)
                                && one
                                    .iter()
                                    .zip(&other)
                                    .any(|(one, other)| !one.is_empty() && other.is_empty())
                        },
                    );
                }
            }
        }
    }
    assert!(
        found > 1_000 && left > 500 && returned > 50 && departed > 1_000,
        "{found} {left} {returned} {departed}"
    );
}
