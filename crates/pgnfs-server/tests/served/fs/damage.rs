use pgnfs_server::inside::{Failure, FsError, ServeOptions};

use super::mounted::{mount, mount_all, mount_with};
use testkit::fake::{Fake, game, problem};

fn damaged() -> Fake {
    let mut fake = Fake::of([
        game("a", "b"),
        game("a", "b").problem("the record ends\nearly"),
        game("Panic, A", "b").date(1985, 11, 9).panics(),
        game("a", "b").problem("move 7 is illegal"),
    ]);
    fake.problems = vec![problem("the index is longer than the file")];
    fake.warnings = vec!["games.txt is ignored".to_owned()];
    fake
}

#[test]
fn a_decoder_that_panics_costs_one_game_its_moves() {
    let tree = mount(damaged());
    assert_eq!(
        tree.cat("games/000001-001000/000003.pgn"),
        "[Event \"?\"]\n[Site \"?\"]\n[Date \"1985.11.09\"]\n[Round \"?\"]\n[White \"Panic, A\"]\n[Black \"b\"]\n\
         [Result \"*\"]\n\n{pgnfs: the decoder failed: a bug in the decoder} *\n\n"
    );
    assert!(tree.exists("players/Panic, A/1985.11.09_Panic-b_open_000003.pgn"));
    assert_eq!(tree.cat("all.pgn").matches("[Event ").count(), 4);
}

#[test]
fn problems_have_one_line_each() {
    let expected = "-\tgames.fake: byte 255 (0xff): the index is longer than the file\n\
        000002\tgames.fake: byte 255 (0xff): the record ends early\n\
        000003\tgames.fake: the decoder failed: a bug in the decoder\n\
        000004\tgames.fake: byte 255 (0xff): move 7 is illegal\n";
    assert_eq!(mount(damaged()).cat("tables/problems.txt"), expected);
    let tree = mount(damaged());
    tree.cat("games/000001-001000/000004.pgn");
    tree.cat("all.pgn");
    assert_eq!(tree.cat("tables/problems.txt"), expected);
}

#[test]
fn one_game_does_not_fill_the_list_of_problems() {
    let damaged = (0..6_000).fold(game("a", "b"), |game, _| game.problem("a fault"));
    let rows = mount(Fake::of([damaged])).cat("tables/problems.txt");
    assert_eq!(rows.lines().count(), 5_001);
    let last = rows.lines().last().unwrap();
    assert_eq!(
        last,
        "000001\tgames.fake: 1000 more problems of this game are not listed"
    );
}

#[test]
fn info_says_what_is_known_without_decoding() {
    let fake = damaged();
    let decoded = fake.decoded.clone();
    let tree = mount_all(vec![fake.at("club/x.fake")]);
    assert_eq!(
        tree.cat("club/x.fake/info.txt"),
        "Database: club/x.fake\n\
         Format:   Fake\n\
         Games:    4\n\
         File:     games.fake, 12345 bytes\n\
         reading:  made up\n\
         \n\
         Warnings:\n  games.txt is ignored\n\
         \n\
         Problems:\n  games.fake: byte 255 (0xff): the index is longer than the file\n"
    );
    assert_eq!(decoded.load(std::sync::atomic::Ordering::Relaxed), 0);
}

#[test]
fn a_text_that_is_not_as_long_as_its_size_says_is_never_served() {
    let mut fake = Fake::of([game("a", "b"), game("a", "b")]);
    fake.grows = true;
    let options = ServeOptions {
        cache_size: 0,
        ..ServeOptions::default()
    };
    let tree = mount_with(vec![fake.at("")], options);
    let size = tree.stat("all.pgn").size;
    for path in [
        "all.pgn",
        "games/000001-001000/000001.pgn",
        "merged/years/unknown.pgn",
    ] {
        let read = tree.read(tree.inode(path), 0, 1000);
        assert!(
            matches!(read, Err(FsError::Io(Failure::Length(_)))),
            "{path}: {read:?}"
        );
    }
    assert_eq!(tree.stat("all.pgn").size, size);
}
