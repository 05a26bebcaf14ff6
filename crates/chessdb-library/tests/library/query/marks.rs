//! Values that count as unknown, and tags and comments that a field reads beside the first one.

use super::rules::{database, game};
use super::{games, searched};
use chessdb_library::query::{ListOrder, SortKey};

/// A rating is 100 to 3999: SimpleCDb has 65535, and others have noise.
#[test]
fn a_number_that_is_no_rating_is_unknown() {
    let ratings = [
        "0", "1", "99", "100", "2500", "3999", "4000", "32484", "65535", "-5", "x", "",
    ];
    let pgn = ratings.map(|elo| game(&format!("White=A; Black=B; Result=*; WhiteElo={elo}"), "*"));
    let database = database(&pgn.concat());
    let searched = searched(&*database, "a.pgn");
    assert_eq!(games("white_elo:0..", &searched), [3, 4, 5]);
    assert_eq!(games("white_elo:?", &searched), [0, 1, 2, 6, 7, 8, 9, 10, 11]);
    assert_eq!(games("white_elo:65535", &searched), [0; 0]);
    // The tag stays as it is stored.
    assert_eq!(games("tag:WhiteElo==65535", &searched), [8]);
    assert_eq!(games("player:a elo:..3000", &searched), [3, 4]);
    let mut sorted: Vec<u32> = (0..12).collect();
    ListOrder::from(SortKey::Elo).arrange(&mut sorted, |&game| (&*database, game), 1);
    assert_eq!(sorted[..3], [5, 4, 3]);
}

#[test]
fn a_source_is_in_either_tag() {
    let tags = [
        "Source=Mega; SourceTitle=TWIC 1000",
        "SourceTitle=Mega 2024",
        "Source=TWIC",
        "Event=Mega",
        "Source=?; SourceTitle=Mega",
    ];
    let pgn = tags.map(|tags| game(&format!("White=A; Black=B; Result=*; {tags}"), "*"));
    let database = database(&pgn.concat());
    let searched = searched(&*database, "a.pgn");
    for (query, expected) in [
        ("source:mega", &[0, 1, 4][..]),
        ("source:twic", &[0, 2]),
        ("-source:mega", &[2, 3]),
        ("source:?", &[3]),
        ("source:?|twic", &[0, 2, 3]),
        ("source:=\"Mega 2024\"", &[1]),
        ("tag:Source=mega", &[0]),
    ] {
        assert_eq!(games(query, &searched), expected, "{query}");
    }
}

#[test]
fn times_evaluations_and_arrows_are_commands_in_comments() {
    let comments = [
        "{[%clk 0:01:00]}",
        "{[%emt 0:00:05]}",
        "{a [%egt 0:09:00] b}",
        "{[%eval 0.1]}",
        "{clk}",
        "",
        "(1. d4 {[%cal Gd2d4] [%eval #3]})",
        "{a [%csl Re4] b}",
        "{[%evaluated] [% eval 1] eval csl}",
        "{[%draw arrow,e2,e4,red]}",
    ];
    let pgn = comments.map(|comment| game("White=A; Black=B; Result=*", &format!("1. e4 {comment} *")));
    let database = database(&pgn.concat());
    let searched = searched(&*database, "a.pgn");
    for (query, expected) in [
        ("has:clock", &[0, 1, 2][..]),
        ("has:eval", &[3, 6]),
        ("has:arrows", &[6, 7, 9]),
        ("-has:Eval -has:ARROWS has:comments", &[0, 1, 2, 4, 8]),
    ] {
        assert_eq!(games(query, &searched), expected, "{query}");
    }
}

#[test]
fn words_of_comments_end_where_lines_end() {
    let comments = [
        "{fine\nonly}",
        "{fine\tonly}",
        "{fine\r\nonly}",
        "{fine only}",
        "{fineonly}",
    ];
    let pgn = comments.map(|comment| game("White=A; Black=B; Result=*", &format!("1. e4 {comment} *")));
    let database = database(&pgn.concat());
    let searched = searched(&*database, "a.pgn");
    for field in ["text", "comment"] {
        for (words, expected) in [
            ("only", &[0, 1, 2, 3][..]),
            ("fineonly", &[4]),
            ("fine", &[0, 1, 2, 3, 4]),
        ] {
            let query = format!("{field}:{words}");
            assert_eq!(games(&query, &searched), expected, "{query}");
        }
    }
}

#[test]
fn games_are_sorted_by_the_length_of_their_main_lines() {
    let lines = [
        "1. e4 e5 2. Nf3",
        "*",
        "1. d4 (1. c4 e5 2. Nc3 Nf6 3. g3 d5) 1... d5",
        "1. e4",
        "1. d4 d5",
    ];
    let pgn = lines.map(|moves| {
        game(
            "White=A; Black=B; Result=*",
            &format!("{} *", moves.trim_end_matches('*')),
        )
    });
    let database = database(&pgn.concat());
    let sorted = |is_reversed| {
        let mut games: Vec<u32> = (0..5).collect();
        let order = ListOrder {
            is_reversed,
            ..SortKey::Length.into()
        };
        order.arrange(&mut games, |&game| (&*database, game), 2);
        games
    };
    assert_eq!(sorted(false), [1, 3, 2, 4, 0]);
    assert_eq!(sorted(true), [0, 2, 4, 3, 1]);
}

/// Each page is the same part of the list, from either end, with equal and unknown values.
#[test]
fn pages_are_parts_of_the_sorted_list() {
    let dates = [
        "1985.11.09",
        "????.??.??",
        "1985.11.09",
        "1900.??.??",
        "2001.01.01",
        "?",
        "1985.??.??",
    ];
    let pgn = dates.map(|date| game(&format!("White=A; Black=B; Result=*; Date={date}"), "1. e4 *"));
    let database = database(&pgn.concat());
    let len = dates.len() as u32;
    let sorted = [(false, [3, 6, 0, 2, 4, 1, 5]), (true, [4, 0, 2, 6, 3, 1, 5])];
    for (is_reversed, sorted) in sorted {
        let order = ListOrder {
            is_reversed,
            ..SortKey::Date.into()
        };
        for start in 0..=len {
            for end in start..=len + 1 {
                let page = order.page(len, |n| (&*database, n), start..end, 2);
                assert_eq!(
                    page,
                    sorted[start as usize..end.min(len) as usize],
                    "{start}..{end}"
                );
            }
        }
        let mut first: Vec<u32> = (0..len).collect();
        order.arrange_first(3, &mut first, |&game| (&*database, game), 2);
        assert_eq!(first, sorted[..3]);
    }
    for is_reversed in [false, true] {
        let order = ListOrder {
            key: None,
            is_reversed,
        };
        let page = order.page(len, |n| (&*database, n), 1..3, 2);
        assert_eq!(page, if is_reversed { [5, 4] } else { [1, 2] });
    }
}

/// The border of each speed: the time and 40 increments. Without the tag, only `?` matches.
#[test]
fn the_speed_follows_from_the_time_control() {
    let controls = [
        "29",
        "30",
        "179",
        "180",
        "479",
        "480",
        "1499",
        "1500",
        "60+3",
        "40/7200:3600",
        "1/86400",
        "-",
        "?",
        "",
        "G/60",
    ];
    let pgn =
        controls.map(|control| game(&format!("White=A; Black=B; Result=*; TimeControl={control}"), "*"));
    let database = database(&pgn.concat());
    let searched = searched(&*database, "a.pgn");
    for (query, expected) in [
        ("speed:ultrabullet", &[0][..]),
        ("speed:bullet", &[0, 1, 2]),
        ("speed:Blitz", &[3, 4, 8]),
        ("speed:rapid", &[5, 6]),
        ("speed:classical", &[7, 9, 14]),
        ("speed:correspondence", &[10, 11]),
        ("speed:?", &[12, 13]),
        ("speed:bullet|blitz|?", &[0, 1, 2, 3, 4, 8, 12, 13]),
        ("-speed:bullet|blitz|rapid|classical|correspondence", &[12, 13]),
    ] {
        assert_eq!(games(query, &searched), expected, "{query}");
    }
}

/// The name may come from the code, the tag, or the last named position; the code may come from the moves.
#[test]
fn openings_follow_from_codes_tags_and_moves() {
    let of = |tags: &str, moves: &str| {
        game(
            &format!("White=A; Black=B; Result=*{tags}"),
            &format!("{moves} *"),
        )
    };
    let najdorf = "1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6";
    let transposed = "1. Nf3 c5 2. e4 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6 6. a4";
    let database = database(
        &[
            of("; ECO=B90", ""),
            of("", najdorf),
            of("", transposed),
            of("; Opening=Sicilian Defence, Najdorf", "1. a4 h5 2. h4 a5"),
            of("; ECO=C65", "1. e4 e5 2. Nf3 Nc6 3. Bb5 Nf6"),
            of("", "1. e4 e5 2. Nf3 Nf6"),
            of("", "*"),
            // The tag counts before the moves do.
            of("; ECO=A00", najdorf),
        ]
        .concat(),
    );
    let searched = searched(&*database, "a.pgn");
    for (query, expected) in [
        ("opening:najdorf", &[0, 1, 2, 3, 7][..]),
        ("opening:\"sicilian najdorf\"", &[0, 1, 2, 3, 7]),
        ("opening:\"sicilian defence\"", &[0, 1, 2, 3, 7]),
        ("opening:\"sicilian defense\"", &[0, 1, 2, 3, 7]),
        // A whole name, as a table shows it.
        ("opening:=\"Sicilian Defense: Najdorf Variation\"", &[1, 2, 7]),
        ("opening:=\"Sicilian Defence, Najdorf\"", &[3]),
        ("opening:=\"Sicilian Defense Defence\"", &[]),
        ("opening:spanish", &[4]),
        ("opening:\"ruy lopez berlin defence\"", &[4]),
        ("opening:petroff|russian", &[5]),
        ("opening:?", &[6]),
        ("-opening:sicilian|petrov|lopez", &[6]),
        ("eco:B90", &[0, 1, 2]),
        ("eco:=b90", &[0, 1, 2]),
        ("eco:B", &[0, 1, 2]),
        ("eco:A", &[3, 7]),
        ("eco:C42", &[5]),
        ("eco:?", &[1, 2, 3, 5, 6]),
        ("-eco:A00..E99", &[6]),
    ] {
        assert_eq!(games(query, &searched), expected, "{query}");
    }
}

/// Apostrophes may be left out, the start of a set-up game counts, and what is called otherwise is that opening alone.
#[test]
fn openings_are_found_by_what_people_type() {
    let of = |tags: &str, moves: &str| {
        game(
            &format!("White=A; Black=B; Result=*{tags}"),
            &format!("{moves} *"),
        )
    };
    let sicilian = "rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2";
    let database = database(
        &[
            of("", "1. d4 d5 2. c4"),
            of("", "1. f4"),
            of("", "1. e4 e5 2. Nf3 Nc6 3. Bc4 Nf6"),
            of("", "1. e4 c6 2. Nc3 d5 3. Nf3"),
            of(&format!("; SetUp=1; FEN={sicilian}"), ""),
            of("", "1. e4 Nf6 2. Nc3 d5"),
            of("", "1. e4 d5"),
        ]
        .concat(),
    );
    let searched = searched(&*database, "a.pgn");
    for (query, expected) in [
        ("opening:\"queens gambit\"", &[0][..]),
        ("opening:\"queen's gambit\"", &[0]),
        ("opening:bird", &[1]),
        ("opening:birds", &[1]),
        // Not the Two Knights Attack of the Caro-Kann Defense.
        ("opening:prussian", &[2]),
        ("opening:\"two knights\"", &[2, 3]),
        ("opening:sicilian", &[4]),
        // Not the Scandinavian Variation of the Alekhine Defense.
        ("opening:\"center counter\"", &[6]),
        ("opening:scandinavian", &[5, 6]),
    ] {
        assert_eq!(games(query, &searched), expected, "{query}");
    }
}
