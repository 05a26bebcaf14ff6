use super::random::{Kinds, game, game_from};
use super::*;
use encode_chessbase_cbh::Mode;
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, CastlingSide, Chess, Color, EnPassantMode, Position};
use testkit::Random;
use testkit::samples::open_base;

const ALL: Kinds = Kinds {
    variations: true,
    comments: true,
    nags: true,
    set_ups: true,
    null_moves: true,
};

/// A random game that a `.cbh` can store.
pub fn game_of_cbh(number: u64) -> SourceGame {
    let mut game = game(number, ALL);
    game.items = without_variations_of_first_moves(&game.items);
    if let Some(fen) = game.tag("FEN").map(str::to_owned) {
        // The half-move clock is not stored.
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
    // A point would be appended to a first name of one letter.
    game.set_tag("White", &format!("Vachier-Lagrave, Maxime {}", number % 300));
    game.set_tag("Black", &format!("Fritz {}", number % 20));
    game
}

/// Like [`game_of_cbh`], from a start position of Chess960 or one soon after it.
pub fn game_of_chess960(number: u64) -> SourceGame {
    let mut game = game_from(chess960(number), number, ALL);
    game.items = without_variations_of_first_moves(&game.items);
    // Castling rights are the files of the rooks.
    let castles = game.start.castles();
    let mut rights = String::new();
    for color in Color::ALL {
        for side in [CastlingSide::KingSide, CastlingSide::QueenSide] {
            if let Some(rook) = castles.rook(color, side) {
                let file = rook.file().char();
                rights.push(color.fold_wb(file.to_ascii_uppercase(), file));
            }
        }
    }
    let fen = Fen::from_position(&game.start, EnPassantMode::Legal).to_string();
    let mut fields: Vec<&str> = fen.split(' ').collect();
    fields[2] = if rights.is_empty() { "-" } else { &rights };
    fields[4] = "0";
    game.set_tag("FEN", &fields.join(" "));
    game.set_tag("SetUp", "1");
    game.set_tag("Variant", "chess 960");
    game.set_tag("White", "Vachier-Lagrave, Maxime");
    game.set_tag("Black", "Fritz");
    game
}

/// A start position of Chess960, or one after some moves.
fn chess960(number: u64) -> Chess {
    let mut random = Random(number);
    let mut rank = *b"........";
    let mut free = |piece, step: usize, parity: usize| {
        let places: Vec<usize> = (parity..8)
            .step_by(step)
            .filter(|&place| rank[place] == b'.')
            .collect();
        rank[places[random.below(places.len())]] = piece;
    };
    free(b'B', 2, 0);
    free(b'B', 2, 1);
    free(b'Q', 1, 0);
    free(b'N', 1, 0);
    free(b'N', 1, 0);
    let rest: Vec<usize> = (0..8).filter(|&place| rank[place] == b'.').collect();
    for (place, piece) in rest.into_iter().zip(*b"RKR") {
        rank[place] = piece;
    }
    let white = String::from_utf8(rank.to_vec()).unwrap();
    let black = white.to_lowercase();
    let fen = format!("{black}/pppppppp/8/8/8/8/PPPPPPPP/{white} w KQkq - 0 1");
    let setup = fen.parse::<Fen>().unwrap().into_setup();
    let mut start: Chess = setup.position(CastlingMode::Chess960).unwrap();
    for _ in 0..random.below(20) {
        let moves = start.legal_moves();
        if moves.is_empty() {
            break;
        }
        start.play_unchecked(moves[random.below(moves.len())]);
    }
    // State that a FEN lacks is not stored.
    let fen = Fen::from_position(&start, EnPassantMode::Legal);
    fen.into_position(CastlingMode::Chess960).unwrap()
}

/// Removes alternatives to the first move of a variation, which are read back next to it; another test checks
/// these.
fn without_variations_of_first_moves(items: &[Item]) -> Vec<Item> {
    let mut kept = Vec::new();
    // Number of moves in each open line, and whether it is left out.
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
fn random_games_come_back_exactly_in_all_modes() {
    let folder = tempfile::tempdir().unwrap();
    let modes: Vec<Mode> = (0..12).filter_map(Mode::of).collect();
    let each = most_games() / modes.len() as u64;
    for (turn, mode) in (0..).zip(modes) {
        let numbers = each * turn..each * (turn + 1);
        let games: Vec<SourceGame> = if mode.is_chess960() {
            numbers.map(game_of_chess960).collect()
        } else {
            numbers.map(game_of_cbh).collect()
        };
        let base = folder.path().join(format!("mode{}", mode.number()));
        encode_chessbase_cbh::write_in(|_| mode, &games, &base).unwrap();
        let database = open_base(&base).unwrap();
        assert_comes_back(&*database, &games);
    }
}
