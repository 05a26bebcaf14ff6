use super::super::views::{BuiltInView, By, Group, View};
use super::*;
use chessdb::formats::Format;
use chessdb::game::{Date, Game, Outcome, Tags};
use chessdb::{Database, Decoded, Info, Keys, NotADatabase, TextId};
use chessdb_library::library::{GuardedDatabase, LibraryEntry};
use chessdb_library::spelling::Spelling;

/// Games with the years 0, 1, 2 and so on, up to 9972 and again.
struct Years(u32);

impl Database for Years {
    fn len(&self) -> u32 {
        self.0
    }

    fn keys(&self, game: u32) -> Keys {
        Keys {
            white: TextId(0),
            black: TextId(0),
            event: TextId(0),
            date: Date::new((game % 9973) as u16, 0, 0),
            event_year: 0,
            eco: None,
            outcome: Outcome::Unknown,
            deleted: false,
        }
    }

    fn text(&self, _: TextId) -> String {
        String::new()
    }

    fn tags(&self, _: u32) -> Tags {
        Tags::default()
    }

    fn game(&self, _: u32) -> Decoded {
        let (game, problems) = (Game::default(), Vec::new());
        Decoded { game, problems }
    }

    fn info(&self) -> Info {
        Info::default()
    }
}

static FORMAT: Format = Format::new(
    "years",
    "Years",
    |_| Vec::new(),
    |_, _| Err(NotADatabase::new(String::new())),
);

/// A game is in a directory for each number up to its year. Even numbers share the directory of number 0.
static UP_TO: BuiltInView = BuiltInView {
    name: "up to",
    by: By::Keys(|keys, each| (0..=keys.date.year).for_each(|year| each(Group(year.into())))),
    text: |_, Group(number), depth| match (depth, number % 2) {
        (0, 1) => Some(format!("odd {number}")),
        (0, _) => Some("even".to_owned()),
        (1, 0) if number > 0 => Some(format!("even {number}")),
        _ => None,
    },
};

/// A game is in the directories of its year and of the next one, and every two years share a directory.
static TWO_YEARS: BuiltInView = BuiltInView {
    name: "two years",
    by: By::Keys(|keys, each| (0..2).for_each(|n| each(Group(u64::from(keys.date.year) + n)))),
    text: |_, Group(year), depth| (depth == 0).then(|| format!("{:05}", year / 2)),
};

fn entry(games: u32) -> Arc<LibraryEntry> {
    Arc::new(LibraryEntry {
        path: String::new(),
        format: &FORMAT,
        database: GuardedDatabase::of(Years(games)),
        files: Vec::new(),
        maps: Vec::new(),
        copies: None,
        part: None,
        found: None,
        is_local: true,
    })
}

#[test]
fn a_game_has_any_number_of_groups_and_stands_beside_directories() {
    let entry = entry(5);
    let database = &*entry.database;
    let view = View::BuiltIn(&UP_TO);
    let sorting = Sorting {
        view: view.clone(),
        entry: Arc::clone(&entry),
        spelling: Spelling::Stored,
        line_ends: Arc::default(),
        threads: 2,
    };
    let index = ViewIndex::of(sorting, None);
    let listed = |directory| {
        let name = |child| {
            (
                index.name(child).unwrap(),
                index.games(child).iter().collect::<Vec<_>>(),
            )
        };
        index.children(directory).map(name).collect::<Vec<_>>()
    };
    let top = [
        ("even".to_owned(), vec![0, 1, 2, 3, 4]),
        ("odd 1".to_owned(), vec![1, 2, 3, 4]),
        ("odd 3".to_owned(), vec![3, 4]),
    ];
    assert_eq!(listed(0), top);
    let even = index.child(0, "even").unwrap();
    let below = [
        ("even 2".to_owned(), vec![2, 3, 4]),
        ("even 4".to_owned(), vec![4]),
    ];
    assert_eq!(listed(even), below);
    assert_eq!(index.merged_len(0), 5);
    let directories = |game| view.directories(database, game, &database.keys(game));
    assert_eq!([0, 1, 4].map(directories), [1, 2, 5]);
}

#[test]
fn many_games_are_sorted_like_few() {
    let games = 230_001;
    let sorting = Sorting {
        view: View::BuiltIn(&TWO_YEARS),
        entry: entry(games),
        spelling: Spelling::Stored,
        line_ends: Arc::default(),
        threads: 2,
    };
    let index = ViewIndex::of(sorting, None);
    let years = |game: u32| [game % 9973, game % 9973 + 1];
    let mut expected = vec![Vec::new(); 9974usize.div_ceil(2)];
    for game in 0..games {
        let [first, second] = years(game).map(|year| year as usize / 2);
        expected[first].push(game);
        if second != first {
            expected[second].push(game);
        }
    }
    assert_eq!(index.children(0).len(), expected.len());
    for (n, (directory, expected)) in index.children(0).zip(expected).enumerate() {
        assert_eq!(index.name(directory), Some(format!("{n:05}")));
        assert_eq!(index.games(directory).iter().collect::<Vec<_>>(), expected);
    }
}
