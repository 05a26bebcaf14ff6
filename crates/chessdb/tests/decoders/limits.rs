//! Limits of PGN files (section 8 of their page), each at the limit and one beyond it.

use std::ops::ControlFlow;

use chessdb::Database;
use chessdb::board::Position;
use chessdb::game::Token;
use testkit::samples::open_base;

fn database(text: &str) -> Box<dyn Database> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.pgn"), text).unwrap();
    open_base(&folder.path().join("a")).unwrap()
}

/// The messages about the first game.
fn problems(database: &dyn Database) -> Vec<String> {
    let problems = database.game(0).problems.into_iter();
    problems.map(|problem| problem.what).collect()
}

/// What a tag has beyond it is text between the tags, in which a long word is left out.
#[test]
fn a_tag_has_at_most_65536_bytes() {
    // Eleven bytes besides the value.
    for (len, shown, is_cut) in [
        (65_524, 65_524, false),
        (65_525, 65_525, false),
        (65_526, 65_526, true),
        (65_527, 65_527, true),
        (65_528, 65_527, true),
    ] {
        let name = "x".repeat(len);
        let database = database(&format!("[White  \"{name}\"]\n[Black \"B\"]\n\n1. e4 e5 *\n"));
        assert_eq!(database.len(), 1, "{len}");
        let tags = database.tags(0);
        assert_eq!(tags.get("White").map(str::len), Some(shown), "{len}");
        assert_eq!(tags.get("Black"), Some("B"), "{len}");
        assert_eq!(database.text(database.keys(0).white).len(), shown, "{len}");
        let said = problems(&*database);
        let is_told = said.contains(&"the tag White is not closed".to_owned());
        assert_eq!(is_told, is_cut, "{len}: {said:?}");
    }
}

#[test]
fn a_glyph_has_a_number_up_to_255() {
    for (number, is_read) in [
        (0, true),
        (254, true),
        (255, true),
        (256, false),
        (257, false),
        (65_791, false),
    ] {
        let database = database(&format!("1. e4 ${number} e5 *\n"));
        let decoded = database.game(0);
        let glyphs = decoded
            .game
            .movetext
            .tokens()
            .iter()
            .filter_map(|token| match token {
                Token::Nag(nag) => Some(u32::from(*nag)),
                _ => None,
            });
        // The glyph 0 says nothing.
        let shown: Vec<u32> = [number].into_iter().filter(|_| is_read && number > 0).collect();
        assert_eq!(glyphs.collect::<Vec<_>>(), shown, "{number}");
        let said = decoded.problems.into_iter().map(|problem| problem.what);
        let wanted: &[&str] = if is_read {
            &[]
        } else {
            &["a glyph has a number above 255"]
        };
        assert_eq!(said.collect::<Vec<_>>(), wanted, "{number}");
    }
}

#[test]
fn the_1001st_tag_is_left_out() {
    let fen = "4k3/8/8/8/8/8/8/4K2R w - - 0 1";
    for (before, is_read) in [(998, true), (999, true), (1_000, false)] {
        // Repeated tags count as well.
        for repeated in [false, true] {
            let number = |n: usize| if repeated { 1 } else { n };
            let others = (0..before).map(|n| format!("[X{} \"x\"]\n", number(n)));
            let text = format!(
                "{}[FEN \"{fen}\"]\n\n{} *\n",
                others.collect::<String>(),
                if is_read { "1. Rh8+" } else { "1. e4" }
            );
            let database = database(&text);
            let decoded = database.game(0);
            let place = format!("{before} {repeated}");
            assert_eq!(decoded.game.tags.get("FEN").is_some(), is_read, "{place}");
            assert_eq!(database.tags(0), decoded.game.tags, "{place}");
            let said = problems(&*database);
            let is_told = said.contains(&"the game has more than 1000 tags".to_owned());
            assert_eq!(is_told, !is_read, "{place}: {said:?}");
            let mut starts = Vec::new();
            database.main_line(0, &mut |ply| {
                starts.push(ply.before() == Position::initial());
                ControlFlow::Continue(())
            });
            assert_eq!(starts, [!is_read], "{place}");
        }
    }
}

#[test]
fn the_256th_open_variation_is_left_out() {
    for (depth, shown) in [(254, 254), (255, 255), (256, 255), (257, 255)] {
        let text = format!("1. e4 {}{} e5 *\n", "(1. d4 ".repeat(depth), ")".repeat(depth));
        let database = database(&text);
        let game = database.game(0).game;
        let tokens = game.movetext.tokens().iter();
        let starts = tokens.filter(|token| matches!(token, Token::VariationStart));
        assert_eq!(starts.count(), shown, "{depth}");
        assert_eq!(game.main_line().count(), 2, "{depth}");
        let is_told = problems(&*database)
            .iter()
            .any(|what| what.contains("nested deeper than 255"));
        assert_eq!(is_told, depth > shown, "{depth}");
    }
}

#[test]
fn a_quotation_in_a_problem_has_40_characters() {
    for (len, is_whole) in [(39, true), (40, true), (41, false)] {
        let word = format!("Q{}", "ä".repeat(len - 1));
        let database = database(&format!("1. e4 e5 {{x}} {word} {{y}} 2. Nf3 *\n"));
        let said = problems(&*database);
        assert_eq!(
            said.iter().any(|what| what.contains(&word)),
            is_whole,
            "{len}: {said:?}"
        );
        let kept: String = word.chars().take(40).collect();
        assert!(
            said.iter().any(|what| what.contains(&kept)) || !is_whole,
            "{said:?}"
        );
    }
}

#[test]
fn a_thousand_comments_without_an_end_are_reported() {
    for (comments, reported) in [(999, 999), (1_000, 1_000), (1_001, 1_000)] {
        let text = "[Event \"x\"]\n[Site \"?\"]\n\n1. e4 {open\n\n".repeat(comments)
            + "[Event \"x\"]\n[Site \"?\"]\n\n1. d4 *\n";
        let database = database(&text);
        assert_eq!(database.len() as usize, comments + 1);
        let said = database.problems();
        assert_eq!(said.len(), reported, "{comments}");
        assert!(
            said.iter().all(|problem| problem.what.contains("comment")),
            "{said:?}"
        );
    }
}

/// Rows of games are made in shares of 4,096, and in batches of 65,536.
#[test]
fn games_at_the_ends_of_batches_have_their_names() {
    for games in [4_095, 4_096, 4_097, 65_535, 65_536, 65_537] {
        let game = |n: usize| format!("[White \"W{}\"]\n[Black \"B{n}\"]\n\n*\n\n", n % 1_000);
        let database = database(&(0..games).map(game).collect::<String>());
        assert_eq!(database.len() as usize, games);
        for number in 0..database.len() {
            let keys = database.keys(number);
            let names = [keys.white, keys.black].map(|id| database.text(id));
            assert_eq!(
                names,
                [format!("W{}", number % 1_000), format!("B{number}")],
                "{games}"
            );
        }
    }
}

/// A word that may be no move is skipped if a number that fits is among the next 64 words.
#[test]
fn a_number_is_looked_for_among_64_words() {
    for (between, plies) in [(62, 3), (63, 3), (64, 2)] {
        let database = database(&format!("1. e4 e5 N@d2 {}2. Nf3 *\n", "x ".repeat(between)));
        assert_eq!(database.game(0).game.main_line().count(), plies, "{between}");
    }
}

#[test]
fn a_move_has_at_most_64_bytes() {
    for (len, plies) in [(63, 2), (64, 2), (65, 1)] {
        let signs = "~".repeat(len - "Nf6".len());
        let database = database(&format!("1. e4 Nf6{signs} *\n"));
        assert_eq!(database.game(0).game.main_line().count(), plies, "{len}");
    }
}
