//! Games that are marked as deleted: every answer is the same as from a database without them.

use std::sync::Arc;

use chessdb::game::Outcome;
use chessdb_library::duplicates::Duplicates;
use chessdb_library::explorer::{Explored, ExplorerFilter, ExplorerLimits};
use chessdb_library::library::LibraryEntry;
use chessdb_library::player::Preparation;
use chessdb_library::positions::{
    AnswerOptions, Answers, BuildOptions, DatabasePart, IndexUse, Pattern, Positions,
};
use chessdb_library::query::{GameNames, Query};
use chessdb_library::repertoire::Repertoires;
use testkit::fake::{Fake, FakeGame, game};

/// Lines of games; some are the beginnings of others.
const LINES: [&str; 8] = [
    "e4",
    "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7",
    "e4 e5 Nf3 Nc6 Bc4",
    "e4 c5",
    "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6",
    "d4 d5 c4 e6",
    "Nf3 d5 d4",
    "",
];

fn games() -> Vec<FakeGame> {
    let game = |(n, line): (usize, &'static str)| {
        let (white, black) = [("Tal", "Keres"), ("Keres", "Tal"), ("Smyslov", "Tal")][n % 3];
        let outcome = [Outcome::WhiteWins, Outcome::Draw, Outcome::BlackWins][n / 3 % 3];
        game(white, black)
            .line(line)
            .outcome(outcome)
            .date(1950 + n as u16, 1 + (n % 12) as u8, 1)
            .event(&format!("Event {}", n % 2))
            .tag("WhiteElo", &(2400 + n).to_string())
    };
    LINES.into_iter().cycle().take(24).enumerate().map(game).collect()
}

/// Deleted games. Some are like other games of the database, some have a player, an event, a year and moves that occur
/// nowhere else.
fn deleted() -> Vec<FakeGame> {
    let others = ["e4 e6", "e4 e5 Nf3 d6", "e4 e5 Nf3 Nc6 Bb5 d6", "b4 e5"];
    let others = others.into_iter().map(|line| {
        game("Gone", "Tal")
            .line(line)
            .outcome(Outcome::WhiteWins)
            .date(2001, 1, 1)
            .event("Gone")
            .tag("WhiteElo", "2900")
    });
    games().into_iter().chain(others).map(FakeGame::deleted).collect()
}

/// All answers about games, by a scan or an index, where the first of them are also a repertoire. `more` are further games of
/// both.
fn answers(more: &[FakeGame], index: IndexUse) -> Vec<(String, String)> {
    let with_more = |number: usize| Fake::of(games().into_iter().take(number).chain(more.iter().cloned()));
    let of_games = Arc::new(with_more(usize::MAX).at("games"));
    let repertoire = Arc::new(with_more(3).at("own"));
    let entries: [Arc<LibraryEntry>; 2] = [of_games, repertoire];
    let positions = Arc::new(Positions::new(&entries[0], BuildOptions::default()));
    if index == IndexUse::Yes {
        positions.build(&|_| ()).unwrap();
    }
    let options = AnswerOptions {
        index,
        threads: 2,
        repertoires: Arc::new(Repertoires::of(entries.iter().cloned(), 2)),
        ..AnswerOptions::default()
    };
    let answers = Answers::new(DatabasePart::all([positions]), options);
    let parts = answers.parts();
    let mut all = Vec::new();
    let mut answer = |question: &str, answer: String| all.push((question.to_owned(), answer));
    for line in [
        "",
        "e4",
        "e4 e5",
        "e4 e5 Nf3",
        "e4 e5 Nf3 Nc6",
        "e4 c5",
        "d4 d5",
        "b4",
        "e4 e6",
    ] {
        let pattern = Pattern::of_moves(line).unwrap();
        let moves = answers.moves(&pattern, &|_| ()).unwrap();
        answer(
            &format!("moves {line}"),
            moves.csv(|row| Some(row.game?.to_string())),
        );
        let found = answers.find(&pattern, &|_| ()).unwrap();
        answer(&format!("games {line}"), format!("{found:?}"));
        let limits = ExplorerLimits {
            moves: 9,
            strongest: 9,
            latest: 9,
            months: true,
            side: None,
        };
        let explored = Explored::find(&answers, &pattern, &ExplorerFilter::default(), limits, |_| ());
        answer(&format!("explored {line}"), format!("{explored:?}"));
    }
    for text in [
        "tal",
        "event:gone",
        "year:2001",
        "line:e4",
        "played:b4",
        "elo:2900",
        "repertoire:own by:white",
        "white:tal repertoire:own by:white",
        "-repertoire:own by:black",
        "left:own",
        "player:tal left:own by:opponent",
    ] {
        let query = Query::parse(text).unwrap();
        let found = query.find(&parts[0], answers.options(), &|_| ());
        answer(text, format!("{found:?}"));
    }
    let query = Query::parse("player:tal").unwrap();
    let played = query.games_of_player(parts, answers.options());
    let preparation = Preparation::of(parts, &played, None, 100);
    answer("preparation", format!("{preparation:?}"));
    let names = GameNames::of(parts);
    answer("names", format!("{names:?}"));
    let databases = [parts[0].database()];
    let duplicates = Duplicates::find(&databases, 2);
    let members = (0..duplicates.len()).map(|n| format!("{:?}", duplicates.get(n)));
    answer("duplicates", members.collect::<Vec<_>>().join("\n"));
    all
}

#[test]
fn games_that_are_marked_as_deleted_count_in_no_answer() {
    for index in [IndexUse::No, IndexUse::Yes] {
        let expected = answers(&[], index);
        let with_deleted = answers(&deleted(), index);
        for ((question, found), (_, expected)) in with_deleted.iter().zip(&expected) {
            assert_eq!(found, expected, "{question}");
        }
        assert!(expected.iter().any(|(_, answer)| answer.len() > 200));
    }
}
