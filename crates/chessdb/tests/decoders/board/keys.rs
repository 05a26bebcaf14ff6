use chessdb::board::{EnPassantMode, Fen, Position, RunningKey, Undo};
use shakmaty::zobrist::Zobrist64;
use shakmaty::{CastlingMode, Chess, Position as _};

use super::oracle::{our_move, theirs};
use super::random_games::{our_position, random_games};

const MODES: [EnPassantMode; 3] = [
    EnPassantMode::PseudoLegal,
    EnPassantMode::Legal,
    EnPassantMode::Always,
];

/// Asserts that the key and the running key are the same as shakmaty's. Returns true if the rules for en passant make
/// a difference.
fn compare(ours: &Position, running: RunningKey, theirs: &Chess) -> bool {
    let keys = MODES.map(|mode| {
        let expected = theirs.zobrist_hash::<Zobrist64>(mode).0;
        assert_eq!(ours.key_with(mode), expected, "{mode:?} in {theirs:?}");
        assert_eq!(
            running.key_with(ours, mode),
            expected,
            "running, {mode:?} in {theirs:?}"
        );
        expected
    });
    assert_eq!(ours.key(), keys[0], "in {theirs:?}");
    keys[0] != keys[1]
}

#[test]
fn keys_are_shakmatys_from_scratch_and_move_by_move() {
    let (mut positions, mut pinned) = (0, 0);
    for game in random_games(1600, 120) {
        let mut theirs = game.start;
        let mut ours = our_position(&theirs);
        let mut running = RunningKey::new(&ours);
        for mv in game.moves {
            pinned += u32::from(compare(&ours, running, &theirs));
            positions += 1;
            let (before, running_before) = (ours, running);
            let mut undo = Undo::default();
            ours.play_legal(our_move(mv), &mut undo).unwrap();
            running.follow(&undo, &ours);
            theirs.play_unchecked(mv);
            let mut back = ours;
            back.take_back(&undo);
            assert_eq!(running_before.key(&back), before.key());
        }
        compare(&ours, running, &theirs);
        positions += 1;
    }
    assert!(positions > 100_000, "only {positions} positions");
    assert!(pinned > 0, "no pawn that is kept from taking en passant");
}

#[test]
fn a_game_that_comes_back_has_its_key_again() {
    let mut position = Position::initial();
    let mut running = RunningKey::new(&position);
    for text in ["Nf3", "Nf6", "Ng1", "Ng8"] {
        let mut undo = Undo::default();
        position
            .play_legal(position.read_move(text).unwrap(), &mut undo)
            .unwrap();
        running.follow(&undo, &position);
    }
    assert_eq!(running.key(&position), Position::initial().key());
}

/// Castling rooks in Chess960 count for their side, wherever they are.
#[test]
fn rights_of_inner_rooks_count() {
    for fen in [
        "1r1kr3/8/8/8/8/8/8/1R1KR3 w EBeb - 0 1",
        "rr1k4/8/8/8/8/8/8/RR1K2RR w BGb - 0 1",
    ] {
        let theirs = theirs(fen, CastlingMode::Chess960);
        let ours = Fen::parse(fen).unwrap().position;
        compare(&ours, RunningKey::new(&ours), &theirs);
    }
}

#[test]
fn fen_sets_up_what_it_was_written_from() {
    for game in random_games(200, 60) {
        let mut ours = our_position(&game.start);
        for mv in game.moves {
            ours.play_legal(our_move(mv), &mut Undo::default()).unwrap();
            assert_eq!(Fen::parse(&ours.fen()).unwrap().position, ours, "{}", ours.fen());
        }
    }
}
