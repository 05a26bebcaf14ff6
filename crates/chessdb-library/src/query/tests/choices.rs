//! Choices: `( QUERY | QUERY )`.

use crate::query::Query;

#[test]
fn choices_have_one_spelling() {
    for (text, canonical) in [
        ("( eco:b | year:1985 )", "( eco:B | year:1985 )"),
        // After the tags, before the positions; sides are sorted, and repeated sides and choices appear once.
        (
            "played:O-O ( year:1985 | eco:B | year:1985 ) then ply:20.. white:tal",
            "white:tal ( eco:B | year:1985 ) played:O-O then ply:20..",
        ),
        ("( x | y ) ( y | x | x )", "( x | y )"),
        ("-( b a )", "-( a b )"),
        ("( c ) -( a ) ( b )", "( b ) ( c ) -( a )"),
        ("( a ( d | ( e ) | c ) | b )", "( a ( ( e ) | c | d ) | b )"),
        ("( ( ( ( a ) ) ) )", "( ( ( ( a ) ) ) )"),
        // A side has the player outside, which is not written in it.
        (
            "( result:win | result:loss ) player:tal",
            "player:tal ( result:loss | result:win )",
        ),
        ("( player:tal opponent:keres )", "( player:tal opponent:keres )"),
        (
            "( played:O-O then played:O-O-O | ply:9 ) mirror:colour played:e4",
            "( played:O-O then played:O-O-O | ply:9 ) mirror:colour played:e4",
        ),
        // In double quotes, or after a colon, they are text.
        ("\"( a | b )\"", "\"a b\""),
        ("event:(a)", "event:a"),
    ] {
        let query = Query::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(query.canonical(), canonical, "{text}");
        assert_eq!(Query::parse(canonical), Ok(query), "{text}");
    }
    let name = Query::parse("( result:1/2-1/2 | board:8/8/8/8/8/8/8/8 )")
        .unwrap()
        .name();
    assert_eq!(name, "( board:8_8_8_8_8_8_8_8 | result:draw )");
    assert_eq!(Query::parse_name(&name).unwrap().name(), name);
}

/// Signs that touch are read as if there were blanks between them, unless they may be part of a value.
#[test]
fn blanks_around_the_signs_may_be_left_out() {
    for (text, with_blanks) in [
        ("(result:1-0|result:0-1)", "( result:1-0 | result:0-1 )"),
        ("(result:1-0|0-1)", "( result:1-0|0-1 )"),
        ("(result:1-0 |result:0-1 )", "( result:1-0 | result:0-1 )"),
        ("(tal|karpov keres)", "( tal | karpov keres )"),
        (
            "player:tal -(result:loss|-played:O-O)",
            "player:tal -( result:loss | -played:O-O )",
        ),
        ("((a|b)|(c d))", "( ( a | b ) | ( c d ) )"),
        (
            "(eco:B|(eco:C year:1985)|eco:D)",
            "( eco:B | ( eco:C year:1985 ) | eco:D )",
        ),
        ("(event:\"a b\"|site:\"c\")", "( event:\"a b\" | site:\"c\" )"),
        (
            "(fen:8/8/4k3/8/8/8/8/4K3 w - - 0 1|fen:8/8/4k3/8/8/8/8/4K3 b - - 0 1)",
            "( fen:\"8/8/4k3/8/8/8/8/4K3 w - - 0 1\" | fen:\"8/8/4k3/8/8/8/8/4K3 b - - 0 1\" )",
        ),
        (
            "(played:O-O then played:Qxh7+)",
            "( played:O-O then played:Qxh7+ )",
        ),
        ("(white:?|black:?)", "( white:? | black:? )"),
        ("(player:=Tal|eco:B)", "( player:=Tal | eco:B )"),
        // Parts of values.
        ("( db:a(1).pgn|b(2).pgn )", "( db:\"a(1).pgn\"|\"b(2).pgn\" )"),
        ("( db:a|(b) )", "( db:a|\"(b)\" )"),
        ("(db:a(1))", "( db:\"a(1)\" )"),
        ("db:a)|b(", "db:\"a)\"|\"b(\""),
        ("( db:a|x:y )", "( db:a|\"x:y\" )"),
        ("db:a|year:1985", "db:a|\"year:1985\""),
    ] {
        let read = |text: &str| Query::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        let query = read(text);
        assert_eq!(query, read(with_blanks), "{text}");
        assert_eq!(read(&query.canonical()), query, "{text}");
        let name = query.name();
        assert_eq!(Query::parse_name(&name).unwrap().name(), name, "{text}");
    }
}

#[test]
fn only_fields_make_a_search() {
    for (text, has_fields) in [
        ("( a | eco:B )", true),
        ("( a | b )", false),
        ("( a | ( -year:1985 ) )", true),
    ] {
        assert_eq!(Query::parse(text).unwrap().has_fields(), has_fields, "{text}");
    }
}

#[test]
fn errors_of_choices_have_a_place_and_a_remedy() {
    for (text, offset, term, what) in [
        (
            "( a )b",
            5,
            ")b",
            "put a space after the parenthesis, as in ( eco:B | year:1985 )",
        ),
        ("( a -)", 5, "-)", "put a space after the parenthesis"),
        (")a", 1, ")a", "put a space after the parenthesis"),
        (
            "(player:a|eco:B",
            1,
            "(",
            "is not closed: write ) after the last side",
        ),
        ("( a | ( b )", 1, "(", "is not closed"),
        ("(event:a) | eco:B )", 11, "|", "stands between parentheses"),
        ("(player:)", 2, "player:)", "needs a value"),
        ("(a|)", 4, ")", "needs a term before it"),
        ("(a||b)", 4, "|", "needs a term before it"),
        ("()", 2, ")", "needs a term before it"),
        ("a )", 3, ")", "stands between parentheses"),
        ("a|b", 1, "a|b", "alternatives need a field"),
        (
            "a | b",
            3,
            "|",
            "stands between parentheses, as in ( eco:B | year:1985 )",
        ),
        ("( )", 3, ")", "needs a term before it"),
        ("( | a )", 3, "|", "needs a term before it"),
        ("( a | )", 7, ")", "needs a term before it"),
        ("( ( a ) | | b )", 11, "|", "needs a term before it"),
        (
            "played:e4 then ( a | b )",
            16,
            "(",
            "write it before then and next",
        ),
        (
            "( deleted:any | a )",
            3,
            "deleted:any",
            "write it outside the parentheses",
        ),
        (
            "( a | played:e4 in:variations )",
            17,
            "in:variations",
            "is about the whole query: write it outside the parentheses",
        ),
        (
            "( a | ( mirror:side ) )",
            9,
            "mirror:side",
            "write it outside the parentheses",
        ),
        ("( a | result:win )", 7, "result:win", "needs exactly one player:"),
        (
            "player:a player:b ( result:win )",
            21,
            "result:win",
            "needs exactly one player:",
        ),
        (
            "( player:a | opponent:b ) player:c player:d",
            14,
            "opponent:b",
            "needs exactly one player:",
        ),
        (
            "( played:e4 then )",
            13,
            "then",
            "needs a term for positions after it",
        ),
        ("( within:3 )", 3, "within:3", "needs a group before it"),
    ] {
        let error = Query::parse(text).unwrap_err();
        assert_eq!((error.offset, &*error.term), (offset, term), "{text}: {error}");
        assert!(error.what.contains(what), "{text}: {error}");
    }
}

#[test]
fn choices_are_nested_four_deep() {
    assert!(Query::parse("( ( ( ( a ) ) ) ) ( ( b ) )").is_ok());
    let error = Query::parse("( ( ( ( ( a ) ) ) ) )").unwrap_err();
    assert_eq!((error.offset, &*error.term), (9, "("));
    assert!(error.what.contains("can be nested at most 4 deep"), "{error}");
}

#[test]
fn patterns_are_counted_in_all_sides() {
    let query = |number: usize| {
        let patterns = |number| vec!["N*f7"; number].join("|");
        format!("played:{} ( played:{} | eco:B )", patterns(30), patterns(number))
    };
    assert!(Query::parse(&query(2)).is_ok());
    assert!(Query::parse(&query(3)).is_err());
}
