use proptest::prelude::*;

use super::*;

mod choices;
mod errors;

/// Every rule by queries and their canonical forms.
#[test]
fn queries_have_one_spelling() {
    for (query, canonical) in [
        // Terms, blanks, quotes.
        ("", ""),
        ("  ", ""),
        ("carlsen", "carlsen"),
        ("Carlsen  M\u{fc}ller", "carlsen m\u{fc}ller"),
        ("\"Wijk aan Zee\"", "\"wijk aan zee\""),
        ("-draw", "-draw"),
        ("\"then\" \"AND\"", "\"and\" \"then\""),
        (r#"player:"a\"b\\c""#, r#"player:"a b c""#),
        (r#"player:="a\"b\\c""#, r#"player:="a\"b\\c""#),
        ("player:\"carlsen\"", "player:carlsen"),
        // Alternatives and repeated terms are sorted, and appear once.
        ("player:b|a|b", "player:a|b"),
        ("player:b player:a player:b", "player:a player:b"),
        ("-player:b player:c", "-player:b player:c"),
        // The order of the fields.
        (
            "year:1985 white:karpov result:draw event:wch",
            "white:karpov event:wch year:1985 result:draw",
        ),
        // Names.
        ("player:\"CARLSEN, M.\"", "player:\"carlsen m\""),
        (
            "player:=\"Carlsen, Magnus\"|tal",
            "player:=\"Carlsen, Magnus\"|tal",
        ),
        ("player:=Tal", "player:=Tal"),
        ("player:=\"a|b\"", "player:=\"a|b\""),
        ("player:?", "player:?"),
        ("site:=?", "site:=\"?\""),
        ("team:\"\u{d8}st\"", "team:\u{f8}st"),
        ("event:\"a..b\"", "event:\"a b\""),
        ("round:1|02|1.2|Final", "round:1|1.2|2|final"),
        ("round:1..3|5..", "round:1..3|5.."),
        // A circled number, and a spacing accent.
        ("round:\u{2460}", "round:1"),
        ("round:\"a\u{a8}\"", "round:a"),
        ("tag:TimeControl=180|?", "tag:timecontrol=180|?"),
        ("tag:TimeControl==\"180+2\"", "tag:timecontrol==180+2"),
        ("tag:Mode=\"over the board\"", "tag:mode=\"over the board\""),
        ("has:WhiteClock|comments|FEN", "has:comments|fen|whiteclock"),
        // Dates and numbers.
        ("date:1985-11-9", "date:1985.11.09"),
        ("date:1985.1..1986", "date:1985.01..1986"),
        ("year:..1985|2001..", "year:..1985|2001.."),
        ("elo:2500..|?", "elo:2500..|?"),
        ("elo:2500..2500", "elo:2500"),
        ("elo_diff:-100..100", "elo_diff:-100..100"),
        ("player:a opponent_elo:..2000", "player:a opponent_elo:..2000"),
        ("moves:..20", "moves:..20"),
        // Codes and results.
        ("eco:b9|C", "eco:B9|C"),
        ("eco:b90..b99", "eco:B9"),
        ("eco:B90..B90", "eco:B90"),
        ("eco:B91..B99", "eco:B91..B"),
        ("eco:..c1", "eco:A..C1"),
        ("eco:c12..", "eco:C12..E"),
        ("opening:\"Gr\u{fc}nfeld\"", "opening:gr\u{fc}nfeld"),
        ("result:1/2-1/2|1-0", "result:1-0|draw"),
        ("result:*", "result:*"),
        ("player:a result:WIN", "player:a result:win"),
        ("deleted:any", "deleted:any"),
        ("db:Club/*.PGN", "db:club/*.pgn"),
        ("db:?", "db:\"?\""),
        ("text:\"Fine move!\"", "text:\"fine move\""),
        // Positions.
        ("played:e4 year:1985", "year:1985 played:e4"),
        ("line:\"1. e4 e5\"", "line:e4,e5"),
        ("played:e4|d4", "played:e4|d4"),
        ("ply:..20 -played:O-O", "ply:..20 -played:O-O"),
        ("-ply:80..", "-ply:80.."),
        ("played:O-O by:WHITE", "played:O-O by:white"),
        (
            "by:Opponent player:a played:O-O then -played:e4 played:d4 by:black",
            "player:a by:opponent played:O-O then -played:e4 played:d4 by:black",
        ),
        ("by:player -played:O-O player:a", "player:a by:player -played:O-O"),
        // The side to move may be left out.
        (
            "fen:8/8/4k3/8/r7/4P3/4K3/7R",
            "fen:8-8-4k3-8-r7-4P3-4K3-7R_w|8-8-4k3-8-r7-4P3-4K3-7R_b",
        ),
        // Black cannot be to move when White is in check.
        ("fen:4k3/8/8/8/8/8/4r3/4K3", "fen:4k3-8-8-8-8-8-4r3-4K3_w"),
        (
            "material:KRPkr for:4 mirror:COLOUR",
            "material:KRPkr for:4 mirror:colour",
        ),
        ("diff:-3..3", "diff:-3..3"),
        (
            "played:O-O then white:a played:O-O-O then ply:40",
            "white:a played:O-O then played:O-O-O then ply:40",
        ),
        (
            "fen:\"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\"",
            "fen:rnbqkbnr-pppppppp-8-8-8-8-PPPPPPPP-RNBQKBNR_w_KQkq_-",
        ),
        // A pasted FEN needs no quotes, as far as its fields are no words.
        (
            "fen:rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1 player:tal",
            "player:tal fen:rnbqkbnr-pppppppp-8-8-4P3-8-PPPP1PPP-RNBQKBNR_b_KQkq_-",
        ),
        (
            "-fen:4k3/8/8/8/8/8/8/4K2R w K -|4k3/8/8/8/8/8/8/R3K3 w Q moves:9",
            "moves:9 -fen:4k3-8-8-8-8-8-8-4K2R_w_K_-|4k3-8-8-8-8-8-8-R3K3_w_Q",
        ),
        (
            "fen:4k3/8/8/8/8/8/8/4K3 w - - 12 60 1985",
            "1985 fen:4k3-8-8-8-8-8-8-4K3_w_-_-",
        ),
        (
            "fen:4k3-8-8-8-8-8-8-4K3_w kq -x",
            "-x kq fen:4k3-8-8-8-8-8-8-4K3_w",
        ),
    ] {
        let read = Query::parse(query).unwrap_or_else(|error| panic!("{query}: {error}"));
        assert_eq!(read.canonical(), canonical, "{query}");
        let again = Query::parse(canonical).unwrap_or_else(|error| panic!("{canonical}: {error}"));
        assert_eq!(again, read, "{query}");
    }
}

#[test]
fn each_query_has_a_name_of_its_own() {
    for (text, name) in [
        ("event:=\"Hastings 1934/35\"", "event:=\"Hastings 1934%2F35\""),
        ("event:=\"Hastings 1934_35\"", "event:=\"Hastings 1934_35\""),
        ("event:\"Hastings 1934/35\"", "event:\"hastings 1934 35\""),
        ("round:1/2", "round:1%2F2"),
        ("round:1_2", "round:1_2"),
        ("result:1/2-1/2", "result:draw"),
        ("db:club/x.pgn", "db:club%2Fx.pgn"),
        ("db:club_x.pgn", "db:club%5Fx.pgn"),
        ("db:club_x/y.pgn", "db:club_x%2Fy.pgn"),
        ("db:clubx.pgn", "db:clubx.pgn"),
        ("tag:TimeControl==40/7200", "tag:timecontrol==40%2F7200"),
        ("event:=\"100%\"", "event:=100%"),
        ("event:=%2F", "event:=%252F"),
        ("event:=%25", "event:=%2525"),
        ("event:=%2f", "event:=%2f"),
        ("event:=%/_", "event:=%25%2F_"),
        ("white_isolated:3..", "white_isolated:3.."),
        ("white_isolated:3.. db:a_b", "db:a%5Fb white%5Fisolated:3.."),
        ("board:8/8/8/3P4/8/8/8/8", "board:8_8_8_3P4_8_8_8_8"),
        (
            "board:8/8/8/3P4/8/8/8/8 round:1/2",
            "round:1%2F2 board:8%2F8%2F8%2F3P4%2F8%2F8%2F8%2F8",
        ),
    ] {
        let query = Query::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(query.name(), name, "{text}");
        assert_eq!(Query::parse_name(name).as_ref(), Ok(&query), "{name}");
    }
    // In the name of a directory, an underscore in `db:` may be a slash; in a query it is not.
    assert_ne!(Query::parse("db:a_b"), Query::parse_name("db:a_b"));
    assert_eq!(Query::parse_name("db:a_b").unwrap().name(), "db:a_b");
}

#[test]
fn a_name_has_no_slashes() {
    for (name, canonical) in [
        ("result:1_2-1_2", "result:draw"),
        ("player:o_kelly", "player:\"o kelly\""),
        ("event:=a_b", "event:=a_b"),
        ("db:club_*", "db:club_*"),
        ("pawns:8_8_8_3p4_3P4_8_8_8", "pawns:8/8/8/3p4/3P4/8/8/8"),
        ("fen:8-8-4k3-8-r7-4P3-4K3-7R_w", "fen:8-8-4k3-8-r7-4P3-4K3-7R_w"),
        (
            "fen:\"8_8_4k3_8_r7_4P3_4K3_7R w\"",
            "fen:8-8-4k3-8-r7-4P3-4K3-7R_w",
        ),
        ("fen:8_8_4k3_8_r7_4P3_4K3_7R_w", "fen:8-8-4k3-8-r7-4P3-4K3-7R_w"),
        (
            "fen:rnbqkbnr_pppp1ppp_8_4p3_4PP2_8_PPPP2PP_RNBQKBNR b KQkq - 0 2",
            "fen:rnbqkbnr-pppp1ppp-8-4p3-4PP2-8-PPPP2PP-RNBQKBNR_b_KQkq_-",
        ),
        ("player:\u{1e9e}a", "player:ssa"),
        ("board:8_8_8_3P4_8_8_8_8", "board:8/8/8/3P4/8/8/8/8"),
        ("line:e4_e5", "line:e4,e5"),
    ] {
        let query = Query::parse_name(name).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(query.canonical(), canonical, "{name}");
        let own = query.name();
        assert!(!own.contains('/'));
        assert_eq!(Query::parse_name(&own).unwrap().name(), own, "{name}");
    }
    for (name, has_fields) in [
        ("desktop.ini", false),
        ("-draft", false),
        ("a player:b", true),
        ("line:e4", true),
    ] {
        assert_eq!(
            Query::parse_name(name).unwrap().has_fields(),
            has_fields,
            "{name}"
        );
    }
}

#[test]
fn hostile_queries_are_refused_at_once() {
    let long = format!("player:{}", "a".repeat(64 << 10));
    let error = Query::parse(&long).unwrap_err();
    assert_eq!((error.offset, error.term.as_str()), ((64 << 10) + 1, ""));
    let allowed = "a".repeat(64 << 10);
    assert!(Query::parse(&allowed).is_ok());
    let many = "a ".repeat(10_000);
    let error = Query::parse(&many).unwrap_err();
    assert_eq!(error.offset, 513);
    assert!(error.to_string().contains("at most 256 terms"), "{error}");
    assert!(Query::parse(&"a ".repeat(256)).is_ok());
    let open = format!("player:\"{}", "a ".repeat(30_000));
    let error = Query::parse(&open).unwrap_err();
    assert!(error.to_string().len() < 200, "{error}");
    let hidden = Query::parse("player:\"\u{202e}").unwrap_err();
    assert!(!hidden.to_string().contains('\u{202e}'));
    assert_eq!(Query::text_of(b"a\xff").unwrap_err().offset, 2);
    for text in [
        "|",
        "\"",
        "=",
        ":",
        "-:",
        "\\",
        "player:|",
        "player:\"\\",
        "..",
        "tag:a=|",
    ] {
        assert!(Query::parse(&text.repeat(1000)).is_err(), "{text}");
    }
}

/// A letter that is folded to many can make the canonical form longer than a query may be.
#[test]
fn a_query_is_no_longer_than_its_canonical_form_may_be() {
    let text = format!("player:{}", "\u{fdf4}".repeat(10_000));
    let error = Query::parse(&text).unwrap_err();
    assert!(error.what.contains("at most 64 KiB"), "{error}");
}

#[test]
fn the_page_has_every_field() {
    for (name, _) in fields() {
        assert!(SYNTAX.contains(&format!("{name}:")), "{name}");
    }
}

#[test]
fn the_page_fits_into_a_terminal() {
    for line in SYNTAX.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
}

/// Signs that are read, folded or written in a special way.
const SIGNS: &str = "\"|=_/.:-?*\\ '1aA\u{a8}\u{2003}\u{2026}\u{2100}\u{130}\u{bc}\u{2460}\u{df}\u{1e9e}\u{fdfa}\u{301}\u{3c2}";

/// Any values of any fields.
fn any_query() -> impl Strategy<Value = String> {
    let signs = prop::sample::select(SIGNS.chars().collect::<Vec<_>>());
    let signs = prop::collection::vec(signs, 0..6).prop_map(String::from_iter);
    let positions = prop::sample::select(vec![
        "e4",
        "N*f7+",
        "8/8/4k3/8/r7/4P3/4K3/7R",
        "8/8/4k3/8/r7/4P3/4K3/7R w - -",
        "KRP3-5kr",
        "..3",
        "white",
        "colour",
        "2",
    ]);
    let value = prop_oneof![signs, "\\PC{0,8}", positions.prop_map(str::to_owned)];
    let mut heads: Vec<String> = fields().map(|(name, _)| format!("{name}:")).collect();
    heads.extend(["", "-", "tag:a=", "-player:", "player:a|", "round:1|", "site:="].map(str::to_owned));
    heads.extend(["( eco:B | ", "-( ", ") ", "| ", "( player:b "].map(str::to_owned));
    let term = (prop::sample::select(heads), value, any::<bool>()).prop_map(|(head, value, is_quoted)| {
        if is_quoted {
            format!("{head}\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\""))
        } else {
            format!("{head}{value}")
        }
    });
    let terms = prop::collection::vec(term, 0..4);
    (terms, 0..3usize).prop_map(|(terms, closed)| terms.join(" ") + &" )".repeat(closed))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4096))]

    #[test]
    fn the_canonical_form_is_its_own(text in any_query()) {
        if let Ok(query) = Query::parse(&text) {
            let canonical = query.canonical();
            let again = Query::parse(&canonical);
            prop_assert_eq!(again.as_ref(), Ok(&query), "{}", canonical);
            let name = query.name();
            let again = Query::parse_name(&name);
            prop_assert!(!name.contains('/'));
            prop_assert_eq!(again.as_ref(), Ok(&query), "{}", name);
        }
        if let Ok(query) = Query::parse_name(&text.replace('/', "_")) {
            let name = query.name();
            let again = Query::parse_name(&name);
            prop_assert_eq!(again.as_ref(), Ok(&query), "{}", name);
        }
    }

    #[test]
    fn no_text_breaks_the_language(text in "[-a-c:\"|=.?\\\\ _0-9/()]{0,40}") {
        if let Ok(query) = Query::parse(&text) {
            let canonical = query.canonical();
            let again = Query::parse(&canonical);
            prop_assert_eq!(again.map(|again| again.canonical()), Ok(canonical));
        }
        if let Ok(query) = Query::parse_name(&text.replace('/', "")) {
            let name = query.name();
            prop_assert_eq!(Query::parse_name(&name).map(|again| again.name()), Ok(name));
        }
    }

    #[test]
    fn terms_in_any_order_are_the_same(
        mut terms in prop::sample::subsequence(
            vec!["player:a", "-player:b", "white:c|d", "year:1985..", "elo:2500|?", "x", "\"y z\"", "db:q_r", "has:fen"],
            1..9,
        ).prop_shuffle(),
    ) {
        let canonical = Query::parse(&terms.join(" ")).unwrap().canonical();
        terms.reverse();
        prop_assert_eq!(Query::parse(&terms.join("  ")).unwrap().canonical(), canonical);
    }
}

#[test]
fn annotations_have_one_spelling() {
    for (text, canonical) in [
        ("nag:!!|$3|?!", "nag:3|3|6"),
        ("nag:?|=", "nag:2|10"),
        ("nag:\"+/-\" nag:0 nag:255", "nag:16 nag:0 nag:255"),
        (
            "comment:\"Fine, MOVE\"|Größe",
            "comment:\"fine move\"|gr\u{f6}sse",
        ),
        ("clock:..30|3600", "clock:..30|3600"),
        ("eval:+1.50..3 eval:-.5 eval:-0", "eval:1.5..3 eval:-0.5 eval:0"),
        ("eval:..-0.256 eval:2..", "eval:..-0.25 eval:2.."),
        ("sacrifice:3.. for:8 by:white", "sacrifice:3.. for:8 by:white"),
    ] {
        assert_eq!(Query::parse(text).unwrap().canonical(), canonical, "{text}");
    }
    assert_eq!(Query::parse_name("nag:+_-").unwrap().name(), "nag:16");
    for (text, what) in [
        ("nag:256", "a number up to 255"),
        ("nag:-1", "a number up to 255"),
        ("nag:+1", "a number up to 255"),
        ("nag:good", "expected a sign such as !!"),
        ("nag:", "needs a value, such as nag:!!"),
        ("comment:!", "expected a letter or a digit"),
        ("clock:1:00", "expected a number or a range"),
        ("eval:mate", "expected a number of pawns"),
        ("eval:..", "expected a number of pawns"),
        ("eval:2..1", "expected a number of pawns"),
        ("eval:?", "cannot be unknown"),
        ("sacrifice:0", "at least 1"),
        ("sacrifice:..3", "at least 1"),
        ("sacrifice:knight", "at least 1"),
    ] {
        let error = Query::parse(text).unwrap_err();
        assert!(error.what.contains(what), "{text}: {error}");
    }
}

#[test]
fn groups_have_distances() {
    for (text, canonical) in [
        ("played:O-O next played:O-O", "played:O-O next played:O-O"),
        (
            "played:O-O then within:4 played:O-O-O",
            "played:O-O then within:4 played:O-O-O",
        ),
    ] {
        let query = Query::parse(text).unwrap();
        assert_eq!(query.canonical(), canonical);
        assert_eq!(Query::parse(canonical).unwrap(), query);
    }
    let differ = ["then", "next"].map(|word| Query::parse(&format!("played:O-O {word} played:O-O")).unwrap());
    assert_ne!(differ[0], differ[1]);
    for (text, place, what) in [
        ("within:4 played:O-O", 0, "needs a group before it"),
        (
            "played:O-O next within:4 played:O-O",
            16,
            "is not needed after next",
        ),
        (
            "played:O-O then within:4 within:5 played:O-O",
            25,
            "can be given once",
        ),
        ("played:O-O then played:O-O within:0", 27, "at least 1"),
        ("next played:O-O", 0, "needs a term for positions before it"),
        (
            "played:O-O next player:tal",
            11,
            "needs a term for positions after it",
        ),
        ("-next", 0, "write next without a sign"),
        ("month:13", 0, "from 1 to 12"),
        ("month:0..3", 0, "from 1 to 12"),
        ("is:checked", 0, "check, mate or stalemate"),
        ("bishops:none", 0, "same or opposite"),
        ("white_passed:many", 0, "number or a range"),
    ] {
        let error = Query::parse(text).unwrap_err();
        assert_eq!(error.offset, place + 1, "{text}: {error}");
        assert!(error.what.contains(what), "{text}: {error}");
    }
    assert_eq!(Query::parse("\"next\"").unwrap().canonical(), "\"next\"");
}

#[test]
fn what_takes_long_is_limited() {
    let comments = |number| format!("comment:{} text:b", vec!["a"; number].join("|"));
    assert!(Query::parse(&comments(31)).is_ok());
    let error = Query::parse(&comments(32)).unwrap_err();
    assert!(error.what.contains("at most 32 texts"), "{error}");
    assert!(Query::parse(&format!("player:{}", vec!["a"; 33].join("|"))).is_ok());
    let groups = |number| vec!["ply:1.."; number].join(" then ");
    assert!(Query::parse(&groups(16)).is_ok());
    let error = Query::parse(&groups(17)).unwrap_err();
    assert!(error.what.contains("at most 16 groups"), "{error}");
    for query in ["sacrifice:1.. for:", "-sacrifice:1.. played:e4 for:"] {
        assert!(Query::parse(&format!("{query}1000")).is_ok(), "{query}");
        let error = Query::parse(&format!("{query}1001")).unwrap_err();
        assert!(error.what.contains("at most 1000 half-moves"), "{error}");
    }
    assert!(Query::parse("material:Kk for:1001").is_ok());
}

#[test]
fn a_whole_move_is_a_pattern() {
    for (form, pattern) in [
        ("Ng1-f3", "Ng1-f3*"),
        ("Pe5xpd6", "Pe5xpd6*"),
        ("Ke1-g1", "Ke1-g1*"),
        ("Pe7xnf8=Q", "Pe7xnf8=Q*"),
    ] {
        for sign in ["", "+", "#"] {
            assert!(
                Query::parse(&format!("played:{form}{sign}")).is_ok(),
                "{form}{sign}"
            );
        }
        assert!(Query::parse(&format!("played:{pattern}")).is_ok(), "{pattern}");
    }
    // SAN with a whole origin is no pattern.
    assert_eq!(
        Query::parse("played:Bd3xh7+").unwrap().canonical(),
        "played:Bd3xh7+"
    );
    for wrong in ["Ng1-f4", "Ng1-f", "Ng1-", "Xg1-f3", "Ng1xkf3"] {
        assert!(Query::parse(&format!("played:{wrong}")).is_err(), "{wrong}");
    }
}

#[test]
fn patterns_of_moves_are_few_and_short() {
    let alternatives = |number| format!("played:{}", vec!["N*f7"; number].join("|"));
    assert!(Query::parse(&alternatives(32)).is_ok());
    let error = Query::parse(&alternatives(33)).unwrap_err();
    assert!(error.what.contains("at most 32 patterns"), "{error}");
    // Other moves do not count.
    assert!(Query::parse(&format!("played:{}", vec!["Nf7"; 33].join("|"))).is_ok());
    // The longest form with stars that may be nothing, and one sign more than it has.
    let longest = "*P*e*7*x*n*f*8*=*Q*#*";
    assert!(Query::parse(&format!("played:{longest}")).is_ok());
    let error = Query::parse(&format!("played:{longest}?")).unwrap_err();
    assert!(error.what.contains("no move is written like that"), "{error}");
    let least = format!("played:N*f{}", "*".repeat(100));
    assert_eq!(Query::parse(&least).unwrap().canonical(), "played:N*f*");
    for text in [
        "played:n*f7",
        "played:e*d5",
        "played:N5*f7",
        "played:*=K*",
        "played:*xk*",
        "played:?",
    ] {
        assert!(Query::parse(text).is_err(), "{text}");
    }
    assert!(
        Query::parse("played:=N*f7")
            .unwrap_err()
            .what
            .contains("no exact texts")
    );
}
