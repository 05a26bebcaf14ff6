use super::chessbase_cbh::{game_of_cbh, game_of_chess960};
use super::*;
use encode_chessbase_2cbh::words::{Taken, all, number_of};
use encode_chessbase_2cbh::{write, write_archive};
use shakmaty::Role;
use testkit::samples::open_base;

/// A random game with the tags that only this format has.
fn game_of_2cbh(number: u64) -> SourceGame {
    let mut game = game_of_cbh(number);
    game.set_tag("Board", &(1 + number % 40).to_string());
    let long = "a name without limit ".repeat(1 + number as usize % 9);
    game.set_tag("Title", &format!("{long}{number}"));
    game.set_tag("WhiteTeam", &format!("Team {}", number % 9));
    game.set_tag(
        "EventType",
        ["team-swiss (rapid)", "tourn", "k.o. (blitz)"][number as usize % 3],
    );
    game.set_tag("EventRounds", &(1 + number % 20).to_string());
    game.set_tag("EventCategory", &(1 + number % 22).to_string());
    game.set_tag("SourceTitle", &format!("Source {}", number % 4));
    game.set_tag("SourceVersion", "3");
    game.set_tag("SourceVersionDate", "2024.02.??");
    game.set_tag("SourceQuality", "2");
    game.set_tag("Annotator", "Tarrasch, Siegbert");
    if number.is_multiple_of(11) {
        game.set_tag("Deleted", "1");
    }
    game
}

#[test]
fn random_games_come_back_exactly() {
    let folder = tempfile::tempdir().unwrap();
    // Each tenth game has castling rights of Chess960, as far as the format can name their rooks.
    let games = (0..most_games()).map(|number| match number % 10 {
        0 => game_of_chess960(number),
        _ => game_of_2cbh(number),
    });
    let is_stored = |game: &SourceGame| encode_chessbase_2cbh::start::Start::of(game).is_ok();
    let games: Vec<SourceGame> = games.filter(is_stored).collect();
    assert!(games.len() as u64 > most_games() / 20 * 19, "{}", games.len());
    let base = folder.path().join("random");
    write(&games, &base).unwrap();
    let database = open_base(&base).unwrap();
    assert_comes_back(&*database, &games);
}

#[test]
fn random_games_come_back_from_an_archive() {
    let folder = tempfile::tempdir().unwrap();
    let games: Vec<SourceGame> = (0..200).map(game_of_2cbh).collect();
    let base = folder.path().join("random");
    write_archive(&games, &base).unwrap();
    assert_comes_back(&*open_base(&base).unwrap(), &games);
}

#[test]
fn an_alternative_to_the_first_move_of_a_variation_is_next_to_it() {
    let text = b"1. e4 e5 (1... c5 (1... c6 2. d4 (2. Nf3)) (1... d5) 2. Nf3 d6 (2... e6)) 2. d4 *";
    let games = source::read(text).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path().join("beside");
    write(&games, &base).unwrap();
    let decoded = open_base(&base).unwrap().game(0);
    assert_eq!(decoded.problems, []);
    let expected = "e4 e5 ( c5 Nf3 d6 ( e6 ) ) ( c6 d4 ( Nf3 ) ) ( d5 ) d4";
    assert_eq!(items_of_game(&decoded.game).join(" "), expected);
}

/// The number of a kind of piece in the digest of all words.
fn kind(role: Role) -> u8 {
    match role {
        Role::Pawn => 1,
        Role::Knight => 2,
        Role::Bishop => 3,
        Role::Rook => 4,
        Role::Queen => 5,
        Role::King => 6,
    }
}

/// The page of the format has the digest of all words that are no castling.
#[test]
fn the_writer_numbers_moves_as_the_page_does() {
    let words = all();
    assert_eq!(words.len(), 0xb128);
    let mut digest = flate2::Crc::new();
    for word in words {
        digest.update(&[
            word.color.fold_wb(0, 1),
            kind(word.role),
            number_of(word.from) as u8,
            number_of(word.to) as u8,
            word.promotion.map_or(0, kind),
            match word.taken {
                Taken::Nothing => 0,
                Taken::Piece(role) => kind(role),
                Taken::EnPassant => 7,
            },
        ]);
    }
    assert_eq!(digest.sum(), 0x2c53_c9b9);
}

/// The main line alone is read by other code than the whole game.
#[test]
fn a_mark_before_the_first_move_ends_the_main_line_too() {
    use encode_chessbase_2cbh::{Database, frames, words};
    let games = source::read(b"1. e4 e5 2. Nf3 *").unwrap();
    let mut database = Database::of(&games).unwrap();
    let king_pawn = 0xad3f;
    let marked = [words::MOVES, words::KEEP, king_pawn, words::END, words::END];
    let at = database.moves.add(frames::GAME, &words::bytes(&marked));
    database.records[0x08..0x10].copy_from_slice(&at.to_le_bytes());
    let folder = tempfile::tempdir().unwrap();
    for (extension, bytes) in database.files() {
        std::fs::write(folder.path().join(format!("marked.{extension}")), bytes).unwrap();
    }
    let database = open_base(&folder.path().join("marked")).unwrap();
    let decoded = database.game(0);
    assert_eq!(decoded.problems.len(), 1, "{:?}", decoded.problems);
    assert!(
        items_of_game(&decoded.game)
            .iter()
            .all(|item| item.starts_with('{'))
    );
    let mut moves = 0;
    database.main_line(0, &mut |_| {
        moves += 1;
        std::ops::ControlFlow::Continue(())
    });
    assert_eq!(moves, 0);
}

/// Opening a file in which thousands of records lead to one long text would take hours.
#[test]
fn checksums_of_texts_are_made_for_no_more_bytes_than_there_are() {
    use encode_chessbase_2cbh::Database;
    let mut database = Database::default();
    // No language, and bytes that mean nothing.
    let mut text = [&[5, 0, 4, 0, 0, 0, 0, 0, 0, 0][..], &[1; 10_000]].concat();
    let own = database.moves.add([0, 0x10], &text);
    text.push(2);
    let shared = database.moves.add([0, 0x10], &text);
    for at in [own, shared].into_iter().chain([shared; 50]) {
        let mut record = [0; 192];
        record[..3].copy_from_slice(&[3, 0, 1]);
        record[8..16].copy_from_slice(&at.to_le_bytes());
        database.records.extend(record);
    }
    let folder = tempfile::tempdir().unwrap();
    for (extension, bytes) in database.files() {
        std::fs::write(folder.path().join(format!("texts.{extension}")), bytes).unwrap();
    }
    let database = open_base(&folder.path().join("texts")).unwrap();
    assert_eq!(database.len(), 0);
    let shares = |problem: &&chessdb::Problem| problem.what.contains("shares bytes with others");
    assert_eq!(database.problems().iter().filter(shares).count(), 50);
}
