//! Variations, as deep as the decoder of each format reads them, and one deeper.

use chessdb::game::Token;
use shakmaty::{Chess, Move, Position, Role};
use testkit::samples::open_base;
use testkit::writers::WRITERS;

use super::source::{Item, SourceGame};

/// How many variations may be open at once.
const DEEPEST: [(&str, usize); 6] = [
    ("chessbase", 255),
    ("chessbase-cbh", 255),
    ("chessbase-2cbh", 255),
    ("jose", 4_096),
    ("scid", 255),
    ("simplecdb", 255),
];

/// A game with `depth` nested variations. Each replaces the second move of the previous one.
fn nested(depth: usize) -> SourceGame {
    let start = Chess::default();
    // Quiet ones, so that there are always two.
    let knight_moves = |position: &Chess| {
        let is_quiet = |mv: &Move| !mv.is_capture() && !position.clone().play(*mv).unwrap().is_check();
        let moves = position.legal_moves().into_iter();
        let mut moves = moves.filter(|mv| mv.role() == Role::Knight && is_quiet(mv));
        [moves.next().unwrap(), moves.next().unwrap()]
    };
    let (mut before, mut items) = (start.clone(), Vec::new());
    for _ in 0..depth {
        let [played, other] = knight_moves(&before);
        items.extend([Item::Move(played), Item::VariationStart, Item::Move(other)]);
        before.play_unchecked(other);
    }
    items.extend(vec![Item::VariationEnd; depth]);
    let tags = ["White", "Black", "Event"].map(|name| (name.to_owned(), "x".to_owned()));
    SourceGame {
        tags: tags.into(),
        start,
        items,
    }
}

#[test]
fn variations_are_read_up_to_the_limit_of_their_format() {
    for (format, deepest) in DEEPEST {
        let (_, write) = WRITERS.iter().find(|(name, _)| *name == format).unwrap();
        for depth in [deepest - 1, deepest, deepest + 1] {
            let folder = tempfile::tempdir().unwrap();
            let base = folder.path().join("x");
            write(&[nested(depth)], &base).unwrap_or_else(|error| panic!("{format}: {error}"));
            let decoded = open_base(&base).unwrap().game(0);
            let tokens = decoded.game.movetext.tokens().iter();
            let starts = tokens
                .filter(|token| matches!(token, Token::VariationStart))
                .count();
            assert_eq!(starts, depth.min(deepest), "{format}");
            let said = format!("variations are nested deeper than {deepest} levels");
            let is_told = decoded.problems.iter().any(|problem| problem.what == said);
            assert_eq!(
                is_told,
                depth > deepest,
                "{format}, {depth}: {:?}",
                decoded.problems
            );
        }
    }
}
