//! Errors of queries.

use crate::query::Query;

#[test]
fn an_error_shows_only_the_beginning_of_a_long_value() {
    let long = "x".repeat(10_000);
    for query in [
        format!("{long}:b"),
        format!("elo:{long}"),
        format!("line:{long}"),
        format!("player:a line:\"e4 {long}\""),
    ] {
        let said = Query::parse(&query).unwrap_err().to_string();
        assert!(said.len() < 600 && said.contains("xxx..."), "{said}");
    }
}

/// Every rule by queries that break it: the place, the term, and a part of what is said.
#[test]
fn errors_have_a_place_and_a_remedy() {
    let board = "pawns:8/8/8/8/8/8/8";
    for (query, offset, term, what) in [
        (
            "year:1985 elo:abc",
            11,
            "elo:abc",
            "expected a number or a range such as 2500..",
        ),
        ("elo:2600..2500", 1, "elo:2600..2500", "the wrong way round"),
        ("year:1985..1984", 1, "year:1985..1984", "the wrong way round"),
        ("eco:B9..B8", 1, "eco:B9..B8", "the wrong way round"),
        ("eco:F", 1, "eco:F", "a code such as B"),
        ("eco:..", 1, "eco:..", "a code such as B"),
        ("elo:..", 1, "elo:..", "a number or a range"),
        ("round:3..1", 1, "round:3..1", "the wrong way round"),
        ("round:\" \"", 1, "round:\" \"", "a round such as"),
        ("round:\u{a8}|1", 1, "round:\u{a8}|1", "a round such as"),
        ("round:a..b", 1, "round:a..b", "a number or a range"),
        ("moves:x", 1, "moves:x", "such as ..20"),
        (
            "a  playr:b",
            4,
            "playr:b",
            "unknown field 'playr'; did you mean player:?",
        ),
        ("Player:b", 1, "Player:b", "did you mean player:?"),
        (
            "\u{e9} xyz:b",
            4,
            "xyz:b",
            "unknown field 'xyz'; to search for the text, quote it",
        ),
        (":b", 1, ":b", "unknown field ''"),
        (
            "player:",
            1,
            "player:",
            "needs a value, such as player:tal, or ? for unknown",
        ),
        (
            "year:",
            1,
            "year:",
            "needs a value, such as year:1985, or ? for unknown",
        ),
        ("has:", 1, "has:", "needs a value, such as has:comments"),
        (
            "tag:Mode=",
            1,
            "tag:Mode=",
            "needs a value, such as tag:TimeControl=180, or ? for unknown",
        ),
        ("player:a|", 1, "player:a|", "needs a value"),
        ("player:a||b", 1, "player:a||b", "needs a value"),
        ("player:\"\"", 1, "player:\"\"", "needs a value"),
        ("player:=", 1, "player:=", "needs a value"),
        ("-", 1, "-", "expected a word or a field"),
        ("player:,", 1, "player:,", "expected a letter or a digit"),
        ("!", 1, "!", "expected a letter or a digit"),
        ("?", 1, "?", "expected a letter or a digit"),
        ("player:\"a", 1, "player:\"a", "the double quotes are not closed"),
        ("a \"b c", 3, "\"b c", "the double quotes are not closed"),
        (
            "player:\"a\\\"",
            1,
            "player:\"a\\\"",
            "the double quotes are not closed",
        ),
        (
            "player:\"a\"b",
            1,
            "player:\"a\"b",
            "after the closing double quotes",
        ),
        ("player:a\"b\"", 1, "player:a\"b\"", "within them"),
        ("player:a..b", 1, "player:a..b", "expected words, not a range"),
        ("2500..", 1, "2500..", "a range needs a field"),
        ("a|b", 1, "a|b", "player:carlsen|tal"),
        ("=a", 1, "=a", "needs a field"),
        ("a and b", 3, "and", "all terms must hold anyway"),
        (
            "a OR b",
            3,
            "OR",
            "write player:carlsen|tal or ( eco:B | year:1985 )",
        ),
        ("not a", 1, "not", "-result:draw"),
        ("Then", 1, "Then", "double quotes"),
        ("-then", 1, "-then", "double quotes"),
        ("then played:e4", 1, "then", "for positions before it"),
        ("year:1985 then played:e4", 11, "then", "for positions before it"),
        ("played:e4 then", 11, "then", "for positions after it"),
        (
            "played:e4 then then played:d4",
            16,
            "then",
            "for positions before it",
        ),
        ("played:e4 then -played:d4", 11, "then", "for positions after it"),
        ("tag:x", 1, "tag:x", "the name of a tag and its value"),
        ("tag:=x", 1, "tag:=x", "the name of a tag and its value"),
        ("tag:a-b=x", 1, "tag:a-b=x", "the name of a tag and its value"),
        ("has:a-b", 1, "has:a-b", "the name of a tag"),
        ("has:?", 1, "has:?", "the name of a tag"),
        ("text:?", 1, "text:?", "a letter or a digit"),
        ("deleted:maybe", 1, "deleted:maybe", "expected yes, no or any"),
        ("result:2-0", 1, "result:2-0", "1-0, 0-1"),
        (
            "result:win",
            1,
            "result:win",
            "needs exactly one player:, as in player:carlsen result:win",
        ),
        ("a opponent:b", 3, "opponent:b", "needs exactly one player:"),
        (
            "player:a player:b opponent:c",
            19,
            "opponent:c",
            "needs exactly one player:",
        ),
        (
            "-player:a opponent_elo:2000..",
            11,
            "opponent_elo:2000..",
            "needs exactly one player:",
        ),
        ("elo:=2500", 1, "elo:=2500", "leave out the equals sign"),
        ("line:=e4", 1, "line:=e4", "leave out the equals sign"),
        ("fen:?", 1, "fen:?", "cannot be unknown"),
        ("date:85", 1, "date:85", "a date such as 1985"),
        ("db:[a", 1, "db:[a", "a pattern such as"),
        (
            "line:\"e4 e4\"",
            1,
            "line:\"e4 e4\"",
            "'e4' is not a legal move after 1. e4: no pawn can go to e4",
        ),
        (board, 1, board, ""),
        ("board:8/8/8/8/8/8/8", 1, "board:8/8/8/8/8/8/8", "8 ranks"),
        ("material:x", 1, "material:x", ""),
        (
            "played:x",
            1,
            "played:x",
            "expected a move such as Bxh7+, O-O-O or e8=N",
        ),
        (
            "line:\"e4 e9\"",
            1,
            "line:\"e4 e9\"",
            "'e9' is not a legal move after 1. e4",
        ),
        ("diff:x", 1, "diff:x", "a number or a range"),
        ("ply:x", 1, "ply:x", "a number or a range"),
        ("played:e4 for:0", 11, "for:0", "at least 1"),
        ("played:e4 for:2..3", 11, "for:2..3", "at least 1"),
        ("played:e4 for:2 for:2", 17, "for:2", "once in a group"),
        ("played:e4 -for:2", 11, "-for:2", "without a hyphen"),
        ("for:2", 1, "for:2", "for positions in its group"),
        ("left:a.pgn for:2", 12, "for:2", "holds at one position"),
        (
            "left:a.pgn|b.pgn ply:..20 for:3",
            27,
            "for:3",
            "holds at one position",
        ),
        ("by:white", 1, "by:white", "for positions in its group"),
        (
            "played:e4 then by:white year:1985",
            11,
            "then",
            "for positions after it",
        ),
        (
            "played:e4 by:both",
            11,
            "by:both",
            "white, black, player or opponent",
        ),
        (
            "played:e4 by:white -played:e4 by:black",
            31,
            "by:black",
            "once in a group: put what each side did, or did not do, in parentheses, as in ( played:O-O by:white ) -( ",
        ),
        (
            "played:e4 by:white|black",
            11,
            "by:white|black",
            "takes one value",
        ),
        ("played:e4 -by:white", 11, "-by:white", "without a hyphen"),
        ("played:e4 by:?", 11, "by:?", "cannot be unknown"),
        (
            "played:e4 by:player",
            11,
            "by:player",
            "needs exactly one player:",
        ),
        (
            "player:a player:b played:e4 by:opponent",
            29,
            "by:opponent",
            "needs exactly one player:",
        ),
        ("diff:3.. by:white for:2", 10, "by:white", "the sides take turns"),
        ("fen:8/8/8/8/8/8/8/8", 1, "fen:8/8/8/8/8/8/8/8", "king"),
        ("mirror:side", 1, "mirror:side", "needs a term for positions"),
        (
            "repertoire:a.pgn",
            1,
            "repertoire:a.pgn",
            "needs the side that plays its moves",
        ),
        (
            "played:e4 by:white -repertoire:a.pgn then repertoire:b.pgn",
            43,
            "repertoire:b.pgn",
            "needs the side",
        ),
        (
            "repertoire:a**b by:white",
            1,
            "repertoire:a**b",
            "expected a pattern of databases",
        ),
        (
            "repertoire:=a.pgn by:white",
            1,
            "repertoire:=a.pgn",
            "no exact texts",
        ),
        (
            "tal in:variations",
            5,
            "in:variations",
            "needs a term for positions",
        ),
        ("played:e4 in:x", 11, "in:x", "expected variations"),
        (
            "played:e4 in:variations in:variations",
            25,
            "in:variations",
            "once in a query",
        ),
        (
            "played:e4 -in:variations",
            11,
            "-in:variations",
            "without a hyphen",
        ),
        ("played:e4 mirror:x", 11, "mirror:x", "colour, side or both"),
        (
            "played:e4 mirror:side mirror:side",
            23,
            "mirror:side",
            "once in a query",
        ),
        (
            "played:e4 mirror:side|both",
            11,
            "mirror:side|both",
            "takes one value",
        ),
        ("a\tb", 2, "", "a control character"),
        ("a\u{85}", 2, "", "a control character"),
    ] {
        let error = Query::parse(query).expect_err(query);
        assert_eq!(
            (error.offset, error.term.as_str()),
            (offset, term),
            "{query}: {error}"
        );
        assert!(error.what.contains(what), "{query}: {error}");
    }
}
