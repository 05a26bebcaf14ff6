//! A decoder that panics costs one answer for every reader: no reader fails, and other games are read as before.

use std::io;
use std::ops::{ControlFlow, Range};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;

use chessdb::board::ByColor;
use chessdb::game::{Game, Outcome, Tags};
use chessdb::replay::Ply;
use chessdb::{AsFiles, Database, Decoded, Folder, Info, Keys, Member, Problem, TextId};
use chessdb_library::annotations::evaluations;
use chessdb_library::duplicates::Duplicates;
use chessdb_library::explorer::{Explored, ExplorerFilter, ExplorerLimits, GameCard};
use chessdb_library::kept::{KeptFiles, Space};
use chessdb_library::library::{GuardedDatabase, LibraryEntry, document_text, problems_of, text_of};
use chessdb_library::lines::line_names;
use chessdb_library::polyglot::{BookMoves, BookOptions};
use chessdb_library::positions::{
    AnswerOptions, Answers, BuildOptions, DatabasePart, IndexUse, LineEnd, Pattern, Positions,
};
use chessdb_library::query::{ListOrder, Query, SortKey};
use chessdb_library::table::{Columns, RowKind, TableForm, TableRow};
use chessdb_library::task::{self, Cancel, Cancelled};
use testkit::fake::{self, Fake, game};

use super::table::row;

/// The game whose decoder panics.
const FAILING: u32 = 1;

/// The method that panics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Method {
    Text,
    Game,
    Tags,
    Site,
    Ratings,
    MainLine,
    /// After a move.
    AfterMove,
    Info,
    Problems,
    Folders,
    RecordLen,
    StoredLen,
    AppendStored,
    Members,
    ReadMember,
    Documents,
    Document,
}

const METHODS: [Method; 17] = [
    Method::Text,
    Method::Game,
    Method::Tags,
    Method::Site,
    Method::Ratings,
    Method::MainLine,
    Method::AfterMove,
    Method::Info,
    Method::Problems,
    Method::Folders,
    Method::RecordLen,
    Method::StoredLen,
    Method::AppendStored,
    Method::Members,
    Method::ReadMember,
    Method::Documents,
    Method::Document,
];

/// A database in which one method panics.
struct Failing(Fake, Option<Method>);

impl Failing {
    fn pass(&self, method: Method) -> &Fake {
        assert!(self.1 != Some(method), "a bug in the decoder");
        &self.0
    }

    fn pass_for(&self, method: Method, game: u32) -> &Fake {
        assert!(self.1 != Some(method) || game != FAILING, "a bug in the decoder");
        &self.0
    }
}

impl Database for Failing {
    fn len(&self) -> u32 {
        self.0.len()
    }

    fn keys(&self, game: u32) -> Keys {
        self.0.keys(game)
    }

    fn text(&self, id: TextId) -> String {
        self.pass_for(Method::Text, id.0 / 3).text(id)
    }

    fn game(&self, game: u32) -> Decoded {
        self.pass_for(Method::Game, game).game(game)
    }

    fn tags(&self, game: u32) -> Tags {
        self.pass_for(Method::Tags, game).tags(game)
    }

    fn site(&self, game: u32) -> Option<TextId> {
        self.pass_for(Method::Site, game).site(game)
    }

    fn ratings(&self, game: u32) -> ByColor<Option<u16>> {
        self.pass_for(Method::Ratings, game).ratings(game)
    }

    fn main_line(&self, game: u32, each: &mut dyn FnMut(&Ply<'_>) -> ControlFlow<()>) {
        self.pass_for(Method::MainLine, game).main_line(game, &mut |ply| {
            let flow = each(ply);
            self.pass_for(Method::AfterMove, game);
            flow
        });
    }

    fn info(&self) -> Info {
        self.pass(Method::Info).info()
    }

    fn problems(&self) -> &[Problem] {
        self.pass(Method::Problems).problems()
    }

    fn folders(&self) -> Vec<Folder> {
        self.pass(Method::Folders).folders()
    }

    fn as_files(&self) -> &dyn AsFiles {
        self
    }
}

impl AsFiles for Failing {
    fn record_len(&self, game: u32) -> Option<u64> {
        self.pass_for(Method::RecordLen, game).record_len(game)
    }

    fn stored_len(&self, game: u32) -> Option<u32> {
        self.pass_for(Method::StoredLen, game).stored_len(game)
    }

    fn append_stored(&self, game: u32, out: &mut Vec<u8>) -> bool {
        out.extend(b"some of it");
        self.pass_for(Method::AppendStored, game);
        out.truncate(out.len() - 10);
        false
    }

    fn members(&self) -> Vec<Member> {
        self.pass(Method::Members).members()
    }

    fn read_member(&self, member: usize, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        self.pass(Method::ReadMember).read_member(member, offset, buffer)
    }

    fn documents(&self) -> &[&'static str] {
        self.pass(Method::Documents).documents()
    }

    fn document(&self, document: usize) -> Game {
        self.pass(Method::Document).document(document)
    }
}

/// Some games, two of them equal, in a database whose method panics for one of them.
fn entry(failing: Option<Method>) -> LibraryEntry {
    let games = (0..9).map(|n| {
        game(&format!("White{n}, A"), &format!("Black{n}, B"))
            .event("Riga")
            .date(1960 + n, 1, 1)
            .tag("WhiteElo", &(2000 + 10 * n).to_string())
            .tag("BlackElo", "2000")
            .tag("Site", "Riga")
            .outcome(Outcome::WhiteWins)
            .comment("[%eval 0.3] good")
            .line(["e4 e5 Nf3", "e4 d5 exd5 Qxd5"][usize::from(n % 2)])
    });
    let mut games: Vec<_> = games.collect();
    games.push(games[4].clone());
    let fake = Fake {
        documents: vec!["book.pgn"],
        members: vec![("note.txt".to_owned(), b"text".to_vec())],
        problems: vec![fake::problem("small")],
        ..Fake::of(games)
    };
    fake::entry(Arc::new(Failing(fake, failing)), "a", 1)
}

fn part(entry: &LibraryEntry) -> DatabasePart {
    DatabasePart::of(Arc::new(Positions::new(
        &Arc::new(entry.clone()),
        BuildOptions::default(),
    )))
}

/// What a reader finds, each with its game.
type Answer = Vec<(u32, String)>;

/// An answer that consists of games.
fn numbers(games: impl IntoIterator<Item = u32>) -> Answer {
    games.into_iter().map(|game| (game, String::new())).collect()
}

fn find(query: &str, entry: &LibraryEntry, options: &AnswerOptions) -> Answer {
    let query = Query::parse(query).unwrap();
    numbers(
        query
            .find(&part(entry), options, &|_| ())
            .iter()
            .map(|found| found.game),
    )
}

fn each(entry: &LibraryEntry, text: impl Fn(u32) -> String) -> Answer {
    (0..entry.database.len()).map(|game| (game, text(game))).collect()
}

fn table(entry: &LibraryEntry) -> Answer {
    let names = [
        "number",
        "White",
        "WhiteElo",
        "eco_name",
        "ply_count",
        "moves",
        "uci",
        "final_fen",
        "evals",
        "movetext",
        "pgn",
        "other_tags",
        "path",
        "year",
    ];
    let columns = Columns::of_names(RowKind::Games, names.into_iter()).unwrap();
    let positions =
        Columns::of_names(RowKind::Positions, ["number", "ply", "move", "fen"].into_iter()).unwrap();
    let rows = |_, games: Range<u32>, each: &mut dyn FnMut(&dyn TableRow)| {
        games.for_each(|game| columns.each_row(&row(entry, game), &mut *each));
    };
    for form in [TableForm::Csv, TableForm::Ndjson, TableForm::Parquet] {
        let (mut table, games) = (Vec::new(), [entry.database.len()]);
        columns.write(&mut table, form, &games, 2, rows, |_| ()).unwrap();
        assert!(!table.is_empty());
    }
    each(entry, |game| {
        let mut text = Vec::new();
        columns.append_row(&mut text, &row(entry, game));
        positions.each_row(&row(entry, game), |row| positions.append_row(&mut text, row));
        String::from_utf8(text).unwrap()
    })
}

/// Every way to read games, with a name.
fn answers(entry: &LibraryEntry) -> Vec<(String, Answer)> {
    let database = &*entry.database;
    let scan = AnswerOptions {
        index: IndexUse::No,
        threads: 2,
        ..AnswerOptions::default()
    };
    let index = AnswerOptions {
        index: IndexUse::Yes,
        ..scan.clone()
    };
    let mut answers = Vec::new();
    let mut add = |name: String, answer: Answer| answers.push((name, answer));
    for query in [
        "white:white",
        "elo:1990..",
        "site:riga",
        "text:good",
        "has:comments",
        "moves:1..",
        "event:riga year:1963..",
        "line:e4",
        "played:exd5",
        "diff:1..",
        "played:Nf3 in:variations",
        "eval:0..",
        "sacrifice:1..",
    ] {
        add(format!("find {query}"), find(query, entry, &scan));
        add(format!("find {query} with an index"), find(query, entry, &index));
    }
    for key in [SortKey::Date, SortKey::Elo, SortKey::Length] {
        let all = database.len();
        let order = ListOrder::from(key).page(all, |n| (database, n), 0..all, 2);
        add(format!("order by {key:?}"), numbers(order));
    }
    add("table".to_owned(), table(entry));
    add(
        "export".to_owned(),
        each(entry, |game| String::from_utf8(text_of(entry, game).pgn).unwrap()),
    );
    add(
        "problems".to_owned(),
        each(entry, |game| format!("{:?}", problems_of(entry, game))),
    );
    let found = Duplicates::find(&[database], 2);
    add(
        "duplicates".to_owned(),
        numbers((0..found.len()).map(|n| found.get(n).unwrap().2.game)),
    );
    let cache = tempfile::tempdir().unwrap();
    let kept = part(entry);
    kept.positions
        .keep_in(&KeptFiles::open(cache.path(), "", Space::default()).unwrap());
    kept.positions.lines().make(2, &|_| ());
    assert!(kept.positions.lines().are_kept());
    for (name, database) in [("", database), (" with kept lines", kept.database())] {
        add(
            format!("lines{name}"),
            each(entry, |game| {
                let names: Vec<_> = (0..4).map(|ply| line_names(database, game, ply)).collect();
                let end = LineEnd::of(database, game);
                format!("{names:?} {end:?} {:?}", evaluations(database, game))
            }),
        );
    }
    let limits = ExplorerLimits {
        moves: 12,
        strongest: 15,
        latest: 15,
        months: true,
        side: None,
    };
    for options in [&scan, &index] {
        let explored = Explored::find(
            &Answers::new(vec![part(entry)], options.clone()),
            &Pattern::of_moves("e4").unwrap(),
            &ExplorerFilter::default(),
            limits,
            |_| (),
        );
        let games = explored.unwrap().latest.into_iter().map(|found| found.game);
        add(format!("explorer {:?}", options.index), numbers(games));
    }
    add(
        "cards".to_owned(),
        each(entry, |game| format!("{:?}", GameCard::of(database, game))),
    );
    let mut book = BookMoves::new(BookOptions::default()).unwrap();
    book.add(database, database.len(), |games| games, 2, &|_| ())
        .unwrap();
    book.write(&mut Vec::new(), 2).unwrap();
    answers
}

#[test]
fn no_reader_fails_with_a_decoder() {
    let sound = answers(&entry(None));
    for (name, answer) in &sound {
        assert!(!answer.is_empty() || name.contains("sacrifice"), "{name}");
    }
    for method in METHODS {
        let failing = entry(Some(method));
        for ((name, expected), (_, answer)) in sound.iter().zip(answers(&failing)) {
            let others = |answer: &Answer| -> Answer {
                let others = answer.iter().filter(|(game, _)| *game != FAILING);
                others.cloned().collect()
            };
            assert_eq!(others(expected), others(&answer), "{name}, {method:?}");
        }
        let database = &failing.database;
        let files = database.as_files();
        assert_eq!(database.info().rows.is_empty(), method == Method::Info);
        assert_eq!(database.problems().is_empty(), method == Method::Problems);
        assert!(database.folders().is_empty());
        assert_eq!(files.record_len(FAILING).is_none(), method == Method::RecordLen);
        assert_eq!(files.stored_len(FAILING), None);
        let mut text = b"before".to_vec();
        assert!(!files.append_stored(FAILING, &mut text));
        assert_eq!(text, b"before");
        assert_eq!(files.members().is_empty(), method == Method::Members);
        let read = files.read_member(0, 0, &mut [0; 4]);
        assert_eq!(read.is_err(), method == Method::ReadMember);
        assert_eq!(files.documents().is_empty(), method == Method::Documents);
        let document = String::from_utf8(document_text(&failing, 0)).unwrap();
        let says_why = document.contains("the decoder failed: a bug in the decoder");
        assert_eq!(says_why, method == Method::Document, "{document}");
    }
}

#[test]
fn the_text_of_a_game_says_why_its_decoder_failed_and_the_line_before_that_is_kept() {
    let entry = entry(Some(Method::Game));
    let text = String::from_utf8(text_of(&entry, FAILING).pgn).unwrap();
    assert!(
        text.contains("the decoder failed: a bug in the decoder"),
        "{text}"
    );
    assert!(text.contains("[White \"White1, A\"]"), "{text}");
    assert_eq!(problems_of(&entry, FAILING).len(), 1);
    let entry = self::entry(Some(Method::AfterMove));
    assert_eq!(line_names(&*entry.database, FAILING, 1).unwrap(), ["e4"]);
    assert_eq!(line_names(&*entry.database, FAILING, 2), None);
}

#[test]
fn a_panic_of_the_caller_and_cancelled_work_are_not_the_decoders() {
    let entry = entry(None);
    let caught = catch_unwind(AssertUnwindSafe(|| {
        entry.database.main_line(0, &mut |_| resume_unwind(Box::new(7)));
    }));
    assert_eq!(caught.unwrap_err().downcast_ref(), Some(&7));
    let cancel = Cancel::default();
    let cancelled = cancel.run(|| {
        cancel.cancel();
        entry.database.main_line(0, &mut |_| {
            task::check();
            ControlFlow::Continue(())
        });
    });
    assert_eq!(cancelled, Err(Cancelled));

    /// A database that itself ends with the work.
    struct Ends;

    impl Database for Ends {
        fn len(&self) -> u32 {
            1
        }

        fn keys(&self, _: u32) -> Keys {
            unreachable!()
        }

        fn text(&self, _: TextId) -> String {
            unreachable!()
        }

        fn game(&self, _: u32) -> Decoded {
            task::unwind()
        }
    }

    let ends = GuardedDatabase::of(Ends);
    assert_eq!(Cancel::default().run(|| drop(ends.tags(0))), Err(Cancelled));
}
