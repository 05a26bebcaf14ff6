//! The same game in several places.

use chessdb_library::duplicates::Duplicates;

use crate::groups::asking::games;

#[test]
fn groups_and_their_games_are_counted() {
    let game = |players: [&str; 2], moves: &str| {
        let [white, black] = players;
        format!("[Date \"1958.11.09\"]\n[White \"{white}\"]\n[Black \"{black}\"]\n\n{moves} *\n\n")
    };
    let long = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6 8. c3 O-O 9. h3 Na5 10. Bc2 c5";
    let other = "1. d4 d5 2. c4 e6 3. Nc3 Nf6 4. Bg5 Be7 5. e3 O-O 6. Nf3 h6 7. Bh4 b6 8. cxd5 Nxd5 9. Bxe7 Qxe7 10. Nxd5";
    let (tal, giri) = (["Tal, M", "Ivkov, B"], ["Giri, A", "So, W"]);
    let all = [
        game(tal, long),
        game(tal, other),
        game(tal, long),
        game(giri, "1. c4"),
        game(giri, other),
        game(tal, other),
        game(tal, long),
    ];
    let database = games(&all.concat());
    assert_eq!(database.len(), 7);
    let found = Duplicates::find(&[&*database], 1);
    assert_eq!((found.groups(), found.len()), (2, 5));
    let groups: Vec<_> = (0..found.len()).map(|n| found.get(n).unwrap().0).collect();
    assert_eq!(groups, [0, 0, 0, 1, 1]);
    assert_eq!(found.unique(&[&*database])[0].len(), 4);
    assert_eq!(Duplicates::find(&[], 1).groups(), 0);
}
