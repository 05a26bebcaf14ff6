//! Compares novelties with those computed from the positions of the crate shakmaty.

use std::collections::HashMap;

use chessdb::game::Date;
use chessdb_library::positions::{BuildOptions, Index, novelties_csv};

use super::counted::{databases, line};
use testkit::needs;

/// The first and the last day that a date may stand for; `None` if the year is unknown.
fn days(date: Date) -> Option<[(u16, u8, u8); 2]> {
    let Date { year, month, day } = date;
    if year == 0 {
        return None;
    }
    Some(match (month, day) {
        (0, _) => [(year, 0, 0), (year, 99, 99)],
        (month, 0) => [(year, month, 0), (year, month, 99)],
        (month, day) => [(year, month, day); 2],
    })
}

#[test]
fn novelties_are_what_no_earlier_game_has() {
    needs!(samples);
    let mut compared = 0;
    let originals = databases(testkit::cases(60, 300))
        .into_iter()
        .filter(|(name, _)| !name.contains("variants"));
    for (name, database) in originals {
        let games: Vec<u32> = (0..database.len())
            .filter(|&game| !database.keys(game).deleted)
            .collect();
        let lines: Vec<_> = games
            .iter()
            .map(|&game| line(&database.game(game).game))
            .collect();
        let dates: Vec<_> = games.iter().map(|&game| days(database.keys(game).date)).collect();
        let mut dates_of: HashMap<&str, Vec<(u16, u8, u8)>> = HashMap::new();
        for (line, date) in lines.iter().zip(&dates) {
            let Some([_, last]) = *date else { continue };
            let mut keys: Vec<&str> = line.iter().map(|(key, _)| key.as_str()).collect();
            keys.sort_unstable();
            keys.dedup();
            keys.into_iter()
                .for_each(|key| dates_of.entry(key).or_default().push(last));
        }
        let earlier = |key: &str, first| dates_of[key].iter().filter(|&&last| last < first).count();
        let mut expected = Vec::new();
        for ((game, line), date) in games.iter().zip(&lines).zip(&dates) {
            let Some([first, _]) = *date else { continue };
            let novelty = line.windows(2).position(|two| earlier(&two[1].0, first) == 0);
            expected.extend(novelty.map(|ply| {
                let (key, san) = &line[ply];
                format!("{},{ply},{san},{},{game}", game + 1, earlier(key, first))
            }));
        }
        let options = BuildOptions::default();
        let index = Index::in_memory(&database, options, &|_| ()).unwrap();
        let novelties = index.novelties(&|_| ()).unwrap();
        let csv = novelties_csv(&*database, &novelties, |game| game.to_string());
        let rows: Vec<&str> = csv.lines().skip(1).collect();
        assert_eq!(rows, expected, "{name}");
        compared += rows.len();
    }
    assert!(compared > testkit::cases(150, 500), "{compared}");
}
