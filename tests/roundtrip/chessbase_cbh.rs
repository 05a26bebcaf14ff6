use super::*;
use crate::common::samples::open_base;
use crate::random::{Kinds, game};
use encode_chessbase_cbh::Mode;

/// A random game without what a `.cbh` cannot hold.
fn game_of_cbh(number: u64) -> SourceGame {
    let kinds = Kinds {
        variations: true,
        comments: true,
        nags: true,
        set_ups: true,
        null_moves: true,
    };
    let mut game = game(number, kinds);
    game.items = without_variations_of_first_moves(&game.items);
    if let Some(fen) = game.tag("FEN").map(str::to_owned) {
        // There is no half-move clock.
        let mut fields: Vec<&str> = fen.split(' ').collect();
        fields[4] = "0";
        game.set_tag("FEN", &fields.join(" "));
    }
    if !number.is_multiple_of(3) {
        let code = number % 500;
        let letter = char::from(b"ABCDE"[code as usize / 100]);
        game.set_tag("ECO", &format!("{letter}{:02}", code % 100));
        let sub = number % 128;
        if sub > 0 {
            game.set_tag("ECOSub", &format!("{sub:02}"));
        }
    }
    game.set_tag("Round", &format!("{}.{}", 1 + number % 17, 1 + number % 3));
    game.set_tag("WhiteElo", &(1000 + number % 2000).to_string());
    game.set_tag("Site", &format!("Zürich {}", number % 7));
    // A first name of one letter gets a point.
    game.set_tag("White", &format!("Vachier-Lagrave, Maxime {}", number % 300));
    game.set_tag("Black", &format!("Fritz {}", number % 20));
    game
}

/// Alternatives to the first move of a variation come back beside it, which another test looks at.
fn without_variations_of_first_moves(items: &[Item]) -> Vec<Item> {
    let mut kept = Vec::new();
    // Moves of each line that is open, and whether it is left out.
    let mut lines = vec![(0, false)];
    for item in items {
        let depth = lines.len();
        let (moves, is_out) = lines.last_mut().unwrap();
        match item {
            Item::VariationStart => {
                let is_out = *is_out || (depth > 1 && *moves == 1);
                lines.push((0, is_out));
            }
            Item::VariationEnd => {}
            Item::Move(_) | Item::Null => *moves += 1,
            Item::Nag(_) | Item::Comment(_) => {}
        }
        if !lines.last().unwrap().1 {
            kept.push(item.clone());
        }
        if *item == Item::VariationEnd {
            lines.pop();
        }
    }
    kept
}

#[test]
fn an_alternative_to_the_first_move_of_a_variation_stands_beside_it() {
    let text = b"1. e4 e5 (1... c5 (1... c6 2. d4 (2. Nf3)) (1... d5) 2. Nf3 d6 (2... e6)) 2. d4 *";
    let games = source::read(text).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path().join("beside");
    encode_chessbase_cbh::write(&games, &base).unwrap();
    let decoded = open_base(&base).unwrap().game(0);
    assert_eq!(decoded.problems, []);
    let expected = "e4 e5 ( c5 Nf3 d6 ( e6 ) ) ( c6 d4 ( Nf3 ) ) ( d5 ) d4";
    assert_eq!(items_of_game(&decoded.game).join(" "), expected);
}

#[test]
fn twenty_thousand_random_games_come_back_exactly_in_all_modes() {
    const MODES: u8 = 8;
    let folder = tempfile::tempdir().unwrap();
    for number in 0..MODES {
        let each = GAMES / u64::from(MODES);
        let first = each * u64::from(number);
        let games: Vec<SourceGame> = (first..first + each).map(game_of_cbh).collect();
        let base = folder.path().join(format!("mode{number}"));
        encode_chessbase_cbh::write_in(Mode::of(number).unwrap(), &games, &base).unwrap();
        let database = open_base(&base).unwrap();
        assert_comes_back(&*database, &games);
    }
}
