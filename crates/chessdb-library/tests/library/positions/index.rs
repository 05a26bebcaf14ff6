//! An index returns the same results as a scan.

use std::collections::BTreeMap;
use std::sync::Arc;

use chessdb::Database;
use chessdb::board::Position;
use chessdb_library::positions::{BuildOptions, Index, Pattern, TreeNode, scan, scan_moves};
use std::ops::ControlFlow;

use super::counted::databases;
use crate::query::{answer, searched};
use chessdb_library::query::SearchedGames;
use testkit::needs;

/// Number of positions of a database that are searched for.
const LOOKED_FOR: u32 = 16;

pub fn built(database: &Arc<dyn Database>) -> Index {
    let options = BuildOptions {
        threads: 2,
        memory: 64 << 20,
        ..BuildOptions::default()
    };
    Index::in_memory(database, options, &|_| ()).unwrap()
}

/// The query for all pieces of a board.
pub fn material(board: &str) -> String {
    let pieces = board.chars().filter(char::is_ascii_alphabetic);
    let (white, black): (String, String) = pieces.partition(char::is_ascii_uppercase);
    format!("material:{white}{black}")
}

/// Positions up to ply 60, and those after one more move that was not played, which few games have.
pub fn positions(database: &dyn Database) -> Vec<Position> {
    let mut positions = vec![Position::initial()];
    let games = database.len().max(1);
    for n in 0..LOOKED_FOR {
        let (game, wanted) = (n * 7919 % games, n * 31 % 61);
        database.main_line(game, &mut |ply| {
            positions.extend((ply.number == wanted).then_some(*ply.position));
            if ply.number < wanted {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        });
        if let Some(last) = positions.last().copied()
            && let Some(&mv) = last.legal_moves().get(n as usize % 20)
        {
            let mut unusual = last;
            unusual.play(mv);
            positions.push(unusual);
        }
    }
    positions
}

#[test]
fn an_index_answers_as_a_scan() {
    needs!(samples);
    let mut compared = 0;
    // The variants contain the same games in other layouts.
    let originals = databases(testkit::cases(60, 300))
        .into_iter()
        .filter(|(name, _)| !name.contains("variants"));
    for (name, database) in originals {
        let index = built(&database);
        for (n, position) in positions(&*database).into_iter().enumerate() {
            let pattern = Pattern::new(position);
            let fen = position.fen();
            let mut wanted = vec![pattern];
            if n % 10 == 0 {
                let board: Vec<&str> = fen.split(' ').collect();
                wanted.push(Pattern::parse(&board[..2].join(" ")).unwrap());
                wanted.push(Pattern::parse(&board[..3].join(" ")).unwrap());
                let scanned = searched(&*database, "");
                let indexed = SearchedGames {
                    index: Some(&index),
                    ..scanned
                };
                for query in [format!("pawns:{}", board[0]), material(board[0])] {
                    let expected = answer(&query, &scanned);
                    assert_eq!(answer(&query, &indexed), expected, "{name}: {query}");
                }
            }
            for wanted in &wanted {
                let found = scan(&*database, None, wanted, None, 2, &|_| ());
                assert_eq!(index.find(wanted).unwrap(), found, "{name}: {fen} {wanted:?}");
                assert_eq!(
                    index.count(wanted).unwrap() as usize,
                    found.len(),
                    "{name}: {fen}"
                );
            }
            compared += wanted.len();
            if n % 4 == 0 {
                let table = scan_moves(&*database, None, &pattern, None, 2, &|_| ());
                assert_eq!(index.moves(&pattern).unwrap(), table, "{name}: {fen}");
            }
        }
    }
    assert!(compared > testkit::cases(300, 1000), "{compared}");
}

/// The games below a node, counted at the ends of their lines.
fn walk(index: &Index, node: &TreeNode, ends: &mut BTreeMap<u32, Option<u32>>) {
    let mut open = vec![*node];
    while let Some(node) = open.pop() {
        if node.games() == 1 {
            // Its only line continues to the end of the game, which may be far.
            let game = index.first_game_of(&node).unwrap();
            assert_eq!(ends.insert(game, None), None, "game {game}");
            continue;
        }
        let (children, ended) = index.children(&node).unwrap();
        let below: u32 = children.iter().map(|(_, child)| child.games()).sum();
        assert_eq!(below + ended.len() as u32, node.games());
        for game in ended {
            assert_eq!(ends.insert(game, Some(node.depth())), None, "game {game}");
        }
        open.extend(children.into_iter().map(|(_, child)| child));
    }
}

#[test]
fn every_game_ends_once_in_the_opening_tree() {
    needs!(samples);
    for (name, database) in databases(testkit::cases(60, 300)) {
        let index = built(&database);
        let mut ends = BTreeMap::new();
        if let Some(root) = index.root().unwrap() {
            walk(&index, &root, &mut ends);
        }
        let mut expected = BTreeMap::new();
        for game in (0..database.len()).filter(|&game| !database.keys(game).deleted) {
            let tags = database.tags(game);
            let mut is_usual = tags.get("FEN").is_none() && tags.start().is_some();
            let mut plies = 0;
            database.main_line(game, &mut |ply| {
                if ply.number == 0 {
                    is_usual = ply.before() == Position::initial();
                }
                plies += 1;
                ControlFlow::Continue(())
            });
            if is_usual {
                expected.insert(game, plies);
            }
            if game % 7 != 0 {
                continue;
            }
            let node = index.node_of(game, plies / 2).unwrap();
            assert_eq!(node.is_some(), is_usual, "{name}: game {game}");
            assert_eq!(index.node_of(game, plies + 1).unwrap(), None);
            if let Some(node) = node {
                assert_eq!(node.depth(), plies / 2);
                assert!(index.games(&node).unwrap().contains(&game));
                assert!(index.first_game_of(&node).unwrap() <= game);
                check_line(&index, &*database, &node, game);
            }
        }
        assert!(ends.keys().eq(expected.keys()), "{name}");
        for (game, plies) in ends.into_iter().filter_map(|(game, plies)| Some((game, plies?))) {
            assert_eq!(expected[&game], plies, "{name}: game {game}");
        }
    }
}

/// The line of a node is the line of its games, and its moves lead to the node.
fn check_line(index: &Index, database: &dyn Database, node: &TreeNode, game: u32) {
    let (line, reached) = index.line(node).unwrap();
    let mut moves = Vec::new();
    let mut position = Position::initial();
    database.main_line(game, &mut |ply| {
        if ply.number < node.depth() {
            moves.push(ply.mv);
            position = *ply.position;
        }
        ControlFlow::Continue(())
    });
    assert_eq!((&line, &reached), (&moves, &position));
    let mut at = index.root().unwrap().unwrap();
    for mv in line.into_iter().take(30) {
        at = index.child(&at, mv).unwrap().unwrap();
    }
    assert!(node.depth() > 30 || at == *node);
}
