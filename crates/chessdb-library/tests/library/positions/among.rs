//! An index among some games answers as one of a database that has these games alone.

use std::ops::ControlFlow;
use std::sync::Arc;

use chessdb::board::Position;
use chessdb::game::Tags;
use chessdb::replay::Ply;
use chessdb::{Database, Decoded, Info, Keys, TextId};
use chessdb_library::lines::Occurrence;
use chessdb_library::positions::{Index, MovesTable, Novelty, Pattern, Selection, TreeNode, scan_moves};

use super::counted::databases;
use super::index::{built, material, positions};
use crate::groups::asking::games;
use crate::query::{answer, searched};
use chessdb_library::query::SearchedGames;
use testkit::needs;

/// Some games of a database, numbered by themselves.
struct Alone {
    database: Arc<dyn Database>,
    games: Vec<u32>,
}

impl Database for Alone {
    fn len(&self) -> u32 {
        self.games.len() as u32
    }

    fn keys(&self, game: u32) -> Keys {
        self.database.keys(self.games[game as usize])
    }

    fn text(&self, id: TextId) -> String {
        self.database.text(id)
    }

    fn tags(&self, game: u32) -> Tags {
        self.database.tags(self.games[game as usize])
    }

    fn game(&self, game: u32) -> Decoded {
        self.database.game(self.games[game as usize])
    }

    fn main_line(&self, game: u32, each: &mut dyn FnMut(&Ply<'_>) -> ControlFlow<()>) {
        self.database.main_line(self.games[game as usize], each);
    }

    fn info(&self) -> Info {
        self.database.info()
    }
}

/// The answers of both, with the numbers that the games have in the whole database.
struct Both {
    games: Vec<u32>,
    among: Index,
    alone: Index,
}

impl Both {
    fn found(&self, found: Occurrence) -> Occurrence {
        Occurrence {
            game: self.games[found.game as usize],
            ..found
        }
    }

    fn table(&self, mut table: MovesTable) -> MovesTable {
        for row in &mut table.rows {
            row.game = row.game.map(|game| self.games[game as usize]);
        }
        table
    }

    fn compare_find(&self, wanted: &Pattern) {
        let expected = self.alone.find(wanted).unwrap().into_iter();
        let expected: Vec<Occurrence> = expected.map(|found| self.found(found)).collect();
        assert_eq!(self.among.find(wanted).unwrap(), expected, "{wanted:?}");
        assert_eq!(self.among.count(wanted).unwrap() as usize, expected.len());
    }

    fn compare_novelties(&self) {
        let expected = self.alone.novelties(&|_| ()).unwrap().into_iter();
        let expected: Vec<Novelty> = expected
            .map(|novelty| Novelty {
                found: self.found(novelty.found),
                ..novelty
            })
            .collect();
        assert_eq!(self.among.novelties(&|_| ()).unwrap(), expected);
    }

    /// Compares the opening trees and returns their number of nodes.
    fn compare_trees(&self) -> usize {
        let roots = (self.among.root().unwrap(), self.alone.root().unwrap());
        let mut open: Vec<(TreeNode, TreeNode)> = match roots {
            (Some(among), Some(alone)) => vec![(among, alone)],
            roots => {
                assert_eq!(roots, (None, None));
                Vec::new()
            }
        };
        let mut nodes = 0;
        while let Some((among, alone)) = open.pop() {
            nodes += 1;
            assert_eq!((among.games(), among.depth()), (alone.games(), alone.depth()));
            let number = |game: u32| self.games[game as usize];
            let games = self.alone.games(&alone).unwrap().into_iter().map(number);
            let games: Vec<u32> = games.collect();
            assert_eq!(self.among.games(&among).unwrap(), games);
            assert_eq!(self.among.first_game_of(&among).unwrap(), games[0]);
            let last = games[games.len() - 1];
            assert_eq!(self.among.node_of(last, among.depth()).unwrap(), Some(among));
            if among.games() == 1 {
                continue;
            }
            let (children, ended) = self.among.children(&among).unwrap();
            let (expected, expected_ended) = self.alone.children(&alone).unwrap();
            assert!(ended.into_iter().eq(expected_ended.into_iter().map(number)));
            assert_eq!(children.len(), expected.len());
            for ((mv, child), (expected_mv, expected)) in children.into_iter().zip(expected) {
                assert_eq!(mv, expected_mv);
                assert_eq!(self.among.child(&among, mv).unwrap(), Some(child));
                assert_eq!(self.among.above(&child).unwrap(), Some(among));
                open.push((child, expected));
            }
        }
        nodes
    }
}

/// Enough games with equal moves that positions have stored tables and that the index passes over 4,096 games at once.
const MANY: u32 = 9_500;

#[test]
fn a_table_of_a_popular_position_counts_the_chosen_games_only() {
    let pgn: String = (0..MANY)
        .map(|n| {
            let (reply, result) = match n % 19 {
                0 => ("c5", "0-1"),
                1 => ("e6", "1/2-1/2"),
                _ => ("e5", "1-0"),
            };
            format!("[White \"{n}\"]\n[Result \"{result}\"]\n\n1. e4 {reply} {result}\n\n")
        })
        .collect();
    let database: Arc<dyn Database> = Arc::from(games(&pgn));
    let index = built(&database);
    let after_e4 = Pattern::parse("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -").unwrap();
    for pattern in [Pattern::new(Position::initial()), after_e4] {
        for chosen in [2_047, 2_048, 2_049, MANY - 1, MANY] {
            let chosen: Vec<u32> = (MANY - chosen..MANY).collect();
            let selection = Arc::new(Selection::of(&*chosen));
            let scanned = scan_moves(&*database, None, &pattern, Some(&selection), 2, &|_| ());
            let total: u32 = scanned.rows.iter().map(|row| row.tally.games).sum();
            assert_eq!(total as usize, chosen.len());
            assert_eq!(index.among(&selection).moves(&pattern).unwrap(), scanned);
        }
        let scanned = scan_moves(&*database, None, &pattern, None, 2, &|_| ());
        assert_eq!(index.moves(&pattern).unwrap(), scanned);
    }
    // The replies begin at the games 500 and 9,000 of the index.
    let root = index.root().unwrap().unwrap();
    let (moves, _) = index.children(&root).unwrap();
    let (replies, _) = index.children(&moves[0].1).unwrap();
    let mut games: Vec<u32> = replies.iter().map(|(_, reply)| reply.games()).collect();
    games.sort_unstable();
    assert_eq!((moves.len(), games), (1, vec![500, 500, 8_500]));
}

#[test]
fn an_index_among_some_games_answers_as_one_of_these_alone() {
    needs!(samples);
    let (mut compared, mut nodes) = (0, 0);
    let originals = databases(testkit::cases(60, 300))
        .into_iter()
        .filter(|(name, _)| !name.contains("variants"));
    // Most games, and so few that their places are listed.
    let choices: [fn(&u32) -> bool; 2] = [|game| game % 3 != 1, |game| game % 20 == 3];
    for ((name, database), is_chosen) in
        originals.flat_map(|original| choices.map(|choice| (original.clone(), choice)))
    {
        let games: Vec<u32> = (0..database.len()).filter(is_chosen).collect();
        let selection = Arc::new(Selection::of(&*games));
        let alone: Arc<dyn Database> = Arc::new(Alone {
            database: Arc::clone(&database),
            games: games.clone(),
        });
        let index = built(&database);
        let both = Both {
            among: index.among(&selection),
            alone: built(&alone),
            games,
        };
        for (n, position) in positions(&*database).into_iter().enumerate() {
            let fen = position.fen();
            let fields: Vec<&str> = fen.split(' ').collect();
            let mut patterns = vec![Pattern::new(position)];
            if n % 5 == 0 {
                let loose = [2, 3].map(|count| Pattern::parse(&fields[..count].join(" ")).unwrap());
                patterns.extend(loose);
                for query in [format!("pawns:{}", fields[0]), material(fields[0])] {
                    let of_alone = SearchedGames {
                        index: Some(&both.alone),
                        ..searched(&*alone, "")
                    };
                    let of_chosen = SearchedGames {
                        index: Some(&index),
                        among: Some(&selection),
                        ..searched(&*database, "")
                    };
                    let expected = answer(&query, &of_alone).into_iter();
                    let expected: Vec<(u32, u32)> = expected
                        .map(|(game, ply)| (both.games[game as usize], ply))
                        .collect();
                    assert_eq!(answer(&query, &of_chosen), expected, "{name}: {query}");
                }
            }
            for pattern in patterns {
                both.compare_find(&pattern);
                let expected = both.table(both.alone.moves(&pattern).unwrap());
                assert_eq!(both.among.moves(&pattern).unwrap(), expected, "{name}: {fen}");
                if n % 10 == 0 {
                    let scanned = scan_moves(&*database, None, &pattern, Some(&selection), 2, &|_| ());
                    assert_eq!(scanned, expected, "{name}: {fen}");
                }
                compared += 1;
            }
        }
        both.compare_novelties();
        nodes += both.compare_trees();
    }
    let least = testkit::cases(300, 1000);
    assert!(compared > least && nodes > least, "{compared} {nodes}");
}
