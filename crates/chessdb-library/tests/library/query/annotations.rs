//! Glyphs, comments, times and evaluations.

use super::rules::{database, game};
use super::{answer, searched};

#[test]
fn annotations_are_about_the_move_that_is_played() {
    let database = database(
        &[
            game(
                "White=A; Black=B; Result=1-0",
                "{Start words} 1. e4 {[%clk 1:00:00] [%eval 0.3] best by test} e5 $6 {[%clk 0:59:58.9] [%eval 0.45]} \
                 2. Nf3 ! (2. f4 ?? {gambit} exf4 !!) 2... Nc6 {after the variation} 3. Bb5 += {[%eval #2]} 1-0",
            ),
            game(
                "White=C; Black=D; Result=0-1",
                "1. e4 {[%eval -50,20]} c5 ? {a Sicilian} 2. Nf3 {first} {second} d6 -+ {[%eval #-3] [%clk 9]} 0-1",
            ),
            game("White=E; Black=F; Result=*", "1. e4 e5 2. Nf3 *"),
            game("White=G; Black=H; Result=0-1", "1. f3 e5 2. g4 Qh4# {[%eval #0]} 0-1"),
            game("White=I; Black=J; Result=1-0", "1. e4 g5 2. d4 f6 3. Qh5# {[%eval #-0]} 1-0"),
        ]
        .concat(),
    );
    let whole = searched(&*database, "a.pgn");
    for (query, expected) in [
        // The ply counts to the position in which the move is played.
        ("nag:!", &[(0, 2)][..]),
        ("nag:?!", &[(0, 1)]),
        ("nag:6|$2", &[(0, 1), (1, 1)]),
        ("nag:?", &[(1, 1)]),
        ("nag:+=", &[(0, 4)]),
        ("nag:=", &[]),
        // Glyphs of variations do not count.
        ("nag:??|!!", &[]),
        ("nag:14 mirror:colour", &[(0, 4)]),
        ("nag:15 mirror:colour", &[(0, 4)]),
        ("nag:18 mirror:colour", &[(1, 3)]),
        ("nag:18 mirror:side", &[]),
        ("nag:1 mirror:colour", &[(0, 2)]),
        ("-nag:!|?!", &[(1, 0), (2, 0), (3, 0), (4, 0)]),
        ("-nag:! by:black", &[(0, 0), (1, 0), (2, 0), (3, 0), (4, 0)]),
        ("comment:best", &[(0, 0)]),
        ("comment:\"test bes\"", &[(0, 0)]),
        ("comment:start|gambit", &[]),
        ("comment:variation played:Nc6", &[(0, 3)]),
        // Comments that are stored separately stay separate.
        ("comment:first", &[(1, 2)]),
        ("comment:\"first second\"", &[]),
        ("comment:sicilian nag:?", &[(1, 1)]),
        ("comment:sicilian next played:Nf3", &[(1, 2)]),
        ("clock:3600", &[(0, 0)]),
        ("clock:3598", &[(0, 1)]),
        ("clock:..60", &[(1, 3)]),
        ("clock:3600 by:black", &[]),
        // Of the position, after the move with the comment.
        ("eval:0.3", &[(0, 1)]),
        ("eval:0.31..0.45", &[(0, 2)]),
        ("eval:..-0.5", &[(1, 1), (3, 4)]),
        // Mate on the board is the mate of the side that moved.
        ("eval:100", &[(0, 5), (4, 5)]),
        ("eval:-100", &[(1, 4), (3, 4)]),
        ("eval:-100 mirror:colour", &[(0, 5), (1, 4), (3, 4), (4, 5)]),
        ("eval:50.. by:black", &[(0, 5), (4, 5)]),
        ("eval:0.3 played:e5", &[(0, 1)]),
        ("eval:0.. for:2", &[(0, 1)]),
        ("eval:0.. for:3", &[]),
        ("nag:! then nag:+=", &[(0, 4)]),
        ("nag:+= then nag:!", &[]),
        ("( nag:! | nag:-+ )", &[(0, 2), (1, 3)]),
        ("-eval:-100..100", &[(2, 0)]),
    ] {
        assert_eq!(answer(query, &whole), expected, "{query}");
    }
}

#[test]
fn a_whole_game_counts_pawns_or_hundredths() {
    let database = database(
        &[
            // As ChessBase writes it; an evaluation without a depth counts the same.
            "1. e4 {[%eval 20]} e5 {[%eval 250,24]} 2. Nf3 {[%eval -3,20]} *",
            // A decimal point anywhere, even in a variation, says that these are pawns.
            "1. e4 {[%eval 2,24]} e5 {[%eval 3]} *",
            "1. e4 {[%eval 2,24]} (1. d4 {[%eval 0.3]}) 1... e5 {[%eval 3]} *",
            "1. e4 {[%eval 2]} e5 {[%eval #5,20]} *",
        ]
        .map(|moves| game("White=A; Black=B; Result=*", moves))
        .concat(),
    );
    let whole = searched(&*database, "a.pgn");
    for (query, expected) in [
        ("eval:0.2", &[(0, 1)][..]),
        ("eval:2.5", &[(0, 2)]),
        ("eval:-0.03", &[(0, 3)]),
        ("eval:0.02", &[(1, 1)]),
        ("eval:2", &[(2, 1), (3, 1)]),
        ("eval:3", &[(2, 2)]),
        // In its variation, too.
        ("eval:0.3 in:variations", &[(2, 1)]),
        ("eval:200", &[]),
    ] {
        assert_eq!(answer(query, &whole), expected, "{query}");
    }
}

#[test]
fn comments_of_engine_matches_have_evaluations_and_times() {
    let database = database(
        &[
            // cutechess: from the side that moved.
            game(
                "White=A; Black=B; Result=1-0",
                "1. e4 {+0.31/13 0.6s} e5 {-0.45/12 61s} 2. Nf3 {book} Nc6 {+M4/20 1.2s} 3. Bb5 {-M4/20 0.1s, adjudicated} 1-0",
            ),
            // TCEC: from White's side; milliseconds.
            game(
                "White=C; Black=D; Result=*",
                "1. e4 {d=25, mt=3018, wv=-0.18} e5 {wv=-0.18, mt=70999} 2. Nf3 {[%eval 0.7] -0.9/3 2s} *",
            ),
        ]
        .concat(),
    );
    let whole = searched(&*database, "a.pgn");
    for (query, expected) in [
        ("eval:0.31", &[(0, 1)][..]),
        ("eval:0.45", &[(0, 2)]),
        // Black mates, and White is mated.
        ("eval:-100 ply:4", &[(0, 4)]),
        ("eval:-100 ply:5", &[(0, 5)]),
        ("eval:-0.18 ply:1", &[(1, 1)]),
        ("eval:-0.18 ply:2", &[(1, 2)]),
        // A command counts first.
        ("eval:0.7", &[(1, 3)]),
        ("eval:-0.9", &[]),
        ("has:eval", &[(0, 0), (1, 0)]),
        ("spent:60..", &[(0, 1), (1, 1)]),
        ("spent:61", &[(0, 1)]),
        ("spent:70 by:black", &[(1, 1)]),
        ("spent:3", &[(1, 0)]),
        ("spent:0 ply:2..", &[(0, 4)]),
    ] {
        assert_eq!(answer(query, &whole), expected, "{query}");
    }
}

#[test]
fn time_spent_is_what_the_clock_lost_but_for_the_increment() {
    let moves = "1. e4 {[%clk 0:03:00]} e5 {[%clk 0:03:00]} 2. Nf3 {[%clk 0:02:57]} Nc6 {[%clk 0:03:02]} \
                 3. Bb5 {[%clk 0:01:00.5] [%emt 0:00:07]} a6 {[%clk 0:03:05]} 4. Ba4 {[%clk 0:01:01]} Nf6 *";
    let control = |control: &str| game(&format!("White=A; Black=B; Result=*{control}"), moves);
    let database = database(&[control("; TimeControl=180+2"), control("")].concat());
    let whole = searched(&*database, "a.pgn");
    for (query, expected) in [
        // 180 + 2 - 177.
        ("spent:5", &[(0, 2)][..]),
        ("spent:3", &[(1, 2)]),
        ("spent:0", &[(0, 3)]),
        // A comment that says it counts more than the clock.
        ("spent:7", &[(0, 4), (1, 4)]),
        ("spent:118..", &[]),
        // 60.5 + 2 - 61.
        ("spent:1", &[(0, 6)]),
        // The clock gained more than the increment, or is unknown: the time spent is not known.
        ("spent:0.. ply:5", &[]),
        ("spent:0.. ply:7", &[]),
        ("spent:0.. ply:..1", &[]),
    ] {
        assert_eq!(answer(query, &whole), expected, "{query}");
    }
}
