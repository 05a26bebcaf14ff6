use super::super::views::{BuiltInView, By, Group};
use super::*;
use chessdb::formats::{Database, Decoded, Format, Info, Keys, NotADatabase, TextId};
use chessdb::game::{Date, Game, Outcome, Tags};

/// Games with the years 0, 1, 2 and so on.
struct Years(u16);

impl Database for Years {
    fn len(&self) -> u32 {
        self.0.into()
    }

    fn keys(&self, game: u32) -> Keys {
        Keys {
            white: TextId(0),
            black: TextId(0),
            event: TextId(0),
            date: Date::new(game as u16, 0, 0),
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

static FORMAT: Format = Format {
    name: "years",
    title: "Years",
    find: |_| Vec::new(),
    by_content: None,
    small_files: None,
    readings: Vec::new,
    open: |_, _| Err(NotADatabase(String::new())),
};

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

#[test]
fn a_game_has_any_number_of_groups_and_stands_beside_directories() {
    let entry = Arc::new(LibraryEntry {
        path: String::new(),
        format: &FORMAT,
        database: Arc::new(Years(5)),
        files: Vec::new(),
        maps: Vec::new(),
        copies: None,
        part: None,
        found: None,
        is_local: true,
    });
    let database = &*entry.database;
    let view = View::BuiltIn(&UP_TO);
    let sorting = Sorting {
        view: view.clone(),
        entry: Arc::clone(&entry),
        spelling: Spelling::Stored,
    };
    let index = ViewIndex::of(sorting, None);
    let own = |games| match games {
        GameList::Own(games) => games.iter().collect(),
        GameList::InParts(_) => panic!("there is one database"),
    };
    let listed = |directory| {
        let name = |child| (index.name(child).unwrap(), own(index.games(child)));
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
