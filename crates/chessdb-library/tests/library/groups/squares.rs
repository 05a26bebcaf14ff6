//! Random questions, answered by looking at every square of every position that shakmaty reaches.
//!
//! Nothing here is shared with the search: boards are 64 characters, and moves are the text of their SAN.

use std::path::Path;
use std::sync::Arc;

use chessdb::Database;
use chessdb_library::kept::{KeptFiles, Space};
use chessdb_library::positions::{BuildOptions, Index, Positions, Selection};
use chessdb_library::query::{Bounds, Mirror, PositionGroup, PositionQuery, SearchedGames};

use super::questions::{Asked, Chance, board, difference, exact, material, pawns, played};
use super::shown::Shown;
use crate::positions::counted::{databases, line};
use testkit::needs;
use testkit::samples::open_base;

/// A group with the answer by squares for each of its terms.
struct AskedGroup {
    terms: Vec<Vec<Asked>>,
    ply: Option<(u32, u32)>,
    for_plies: u32,
}

impl AskedGroup {
    /// A group that holds at a position of a game, unless a term was changed.
    fn at(line: &[(String, Shown)], ply: usize, chance: &mut Chance) -> AskedGroup {
        let mut terms = Vec::new();
        let number = 1 + chance.below(2);
        while terms.len() < number {
            let (epd, shown) = &line[ply];
            let kind = chance.below(7);
            let term = match kind {
                0 | 1 => board(shown, chance),
                2 => pawns(shown),
                3 => material(shown, chance),
                4 => difference(shown, chance),
                5 => exact(shown, epd, chance),
                _ => match played(shown, chance) {
                    Some(term) => term,
                    None => continue,
                },
            };
            let mut alternatives = vec![term];
            // Queries have alternatives of one kind only: the alternatives to a move are moves.
            if kind < 6 && chance.once_in(6) {
                let (_, other) = chance.of(line);
                alternatives.push(pawns(other));
            }
            terms.push(alternatives);
        }
        let ply = ply as u32;
        AskedGroup {
            terms,
            ply: chance
                .once_in(4)
                .then(|| (ply.saturating_sub(chance.below(9) as u32), ply + 3)),
            for_plies: *chance.of(&[1, 1, 1, 1, 2, 3, 8]),
        }
    }

    fn holds(&self, ply: usize, shown: &Shown) -> bool {
        self.ply
            .is_none_or(|(least, most)| (least..=most).contains(&(ply as u32)))
            && self
                .terms
                .iter()
                .all(|alternatives| alternatives.iter().any(|(_, holds)| holds(shown)))
    }

    fn group(&self) -> PositionGroup {
        let terms = self.terms.iter();
        let ply = self.ply.map(|(least, most)| Bounds {
            least: Some(least.into()),
            most: Some(most.into()),
        });
        PositionGroup {
            terms: terms
                .map(|alternatives| alternatives.iter().map(|(term, _)| term.clone()).collect())
                .collect(),
            ply: ply.map(|bounds| vec![bounds]).into_iter().collect(),
            for_plies: self.for_plies,
            ..PositionGroup::default()
        }
    }
}

/// The ply at which the last group holds first in one game, in one mirror image.
fn first(groups: &[AskedGroup], positions: &[Shown]) -> Option<usize> {
    let (mut from, mut first) = (0, 0);
    for group in groups {
        let length = group.for_plies as usize;
        first = (from..=positions.len().checked_sub(length)?)
            .find(|&begin| (begin..begin + length).all(|ply| group.holds(ply, &positions[ply])))?;
        from = first + length;
    }
    Some(first)
}

#[test]
fn random_questions_are_answered_as_by_a_look_at_every_square() {
    needs!(samples);
    let mut chance = Chance(1);
    let (mut questions, mut hits) = (0, 0);
    let mut all = databases(testkit::cases(12, 120));
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/games/classics");
    let examples: Arc<dyn Database> = Arc::from(open_base(&examples).unwrap());
    all.push(("examples".to_owned(), examples));
    for (name, database) in all {
        let lines: Vec<Vec<(String, Shown)>> = (0..database.len())
            .map(|game| {
                let line = line(&database.game(game).game);
                let shown: Vec<Shown> = line.iter().map(|(epd, san)| Shown::new(epd, san)).collect();
                let after = shown.iter().skip(1).map(Some).chain([None]);
                let shown = shown.clone().into_iter().zip(after);
                let shown = shown.map(|(shown, next)| shown.followed_by(next));
                line.iter().map(|(epd, _)| epd.clone()).zip(shown).collect()
            })
            .collect();
        let usable: Vec<_> = lines.iter().filter(|line| line.len() > 1).collect();
        if usable.is_empty() {
            continue;
        }
        let index = Index::in_memory(&database, BuildOptions::default(), &|_| ()).unwrap();
        let cache = tempfile::tempdir().unwrap();
        let entry = testkit::fake::entry(Arc::clone(&database), "a", 1);
        let positions = Positions::new(&Arc::new(entry), BuildOptions::default());
        positions.keep_in(&KeptFiles::open(cache.path(), "", Space::default()).unwrap());
        positions.lines().make(2, &|_| ());
        assert!(positions.lines().are_kept());
        for _ in 0..12 {
            let line = *chance.of(&usable);
            let number = *chance.of(&[0, 1, 1, 1, 1, 2, 2, 3]);
            let mut plies: Vec<usize> = (0..number).map(|_| chance.below(line.len())).collect();
            plies.sort_unstable();
            plies.dedup();
            let groups: Vec<_> = plies
                .iter()
                .map(|&ply| AskedGroup::at(line, ply, &mut chance))
                .collect();
            let mut excluded = Vec::new();
            if number == 0 || chance.once_in(5) {
                let ply = chance.below(line.len());
                let other = *chance.of(&usable);
                let mut group = AskedGroup::at(other, 0, &mut chance);
                if chance.once_in(2) {
                    group = AskedGroup::at(line, ply, &mut chance);
                }
                excluded.push(AskedGroup {
                    for_plies: 1,
                    ..group
                });
            }
            let (mirror, images) = *chance.of(&[
                (Mirror::None, &[(false, false)][..]),
                (Mirror::Colour, &[(false, false), (true, false)][..]),
                (Mirror::Side, &[(false, false), (false, true)][..]),
                (
                    Mirror::Both,
                    &[(false, false), (true, false), (false, true), (true, true)][..],
                ),
            ]);
            let query = PositionQuery {
                groups: groups.iter().map(AskedGroup::group).collect(),
                excluded: excluded.iter().map(AskedGroup::group).collect(),
                mirror,
                ..PositionQuery::default()
            };
            let among = chance.once_in(3).then(|| {
                let games = (0..database.len()).filter(|_| chance.below(3) > 0);
                Selection::of(games.collect::<Vec<u32>>())
            });
            let mut expected = Vec::new();
            for (game, line) in (0..).zip(&lines) {
                if among.as_ref().is_some_and(|games| !games.has(game)) {
                    continue;
                }
                let mirrored = images.iter().map(|&(colour, side)| {
                    line.iter()
                        .map(|(_, shown)| shown.mirrored(colour, side))
                        .collect::<Vec<_>>()
                });
                let mirrored: Vec<Vec<Shown>> = mirrored.collect();
                let is_excluded = mirrored.iter().any(|line| {
                    excluded
                        .iter()
                        .any(|group| first(std::slice::from_ref(group), line).is_some())
                });
                let ply = mirrored.iter().filter_map(|line| first(&groups, line)).min();
                expected.extend(ply.filter(|_| !is_excluded).map(|ply| (game, ply as u32)));
            }
            let with_lines = &*positions.entry().database;
            for (database, index, lines) in [
                (&*database, None, None),
                (&*database, Some(&index), None),
                (with_lines, None, Some(&**positions.lines())),
            ] {
                let found = query
                    .find(
                        &SearchedGames {
                            among: among.as_ref(),
                            index,
                            lines,
                            ..SearchedGames::all(database)
                        },
                        2,
                        &|_| (),
                    )
                    .unwrap();
                let found: Vec<_> = found.iter().map(|found| (found.game, found.ply)).collect();
                assert_eq!(
                    found,
                    expected,
                    "{name}: {query:?}, with an index: {}, with kept lines: {}",
                    index.is_some(),
                    lines.is_some()
                );
            }
            questions += 1;
            hits += expected.len();
        }
    }
    assert!(
        questions > 300 && hits > 1000,
        "{questions} questions with {hits} hits"
    );
}
