//! Material from the player's side, and pieces of one side for pieces of the other.

use chessdb_library::query::Query;

use super::rules::{database, game};
use super::{answer, games, searched};

/// White loses a bishop with half-move 6, and wins a queen with the next one.
const WHITE_WINS: &str = "1. e4 e5 2. d4 Qg5 3. Nf3 Qxc1 4. Qxc1 Nf6";
/// White wins a pawn with half-move 9, loses the queen for it, and takes Black's.
const EXCHANGE: &str = "1. Nf3 e5 2. e4 d5 3. Qe2 Bg4 4. Qb5+ c6 5. Qxd5 Qxd5 6. exd5";

#[test]
fn the_lead_is_from_the_side_of_the_player() {
    let of = |white: &str, black: &str, moves: &str| {
        game(
            &format!("White={white}; Black={black}; Result=*"),
            &format!("{moves} *"),
        )
    };
    let database = database(
        &[
            of("Tal", "Keres", WHITE_WINS),
            of("Keres", "Tal", WHITE_WINS),
            of("Tal", "Tal", WHITE_WINS),
        ]
        .concat(),
    );
    let whole = searched(&*database, "a.pgn");
    for (query, expected) in [
        ("lead:6", &[(0, 7), (1, 7), (2, 7)][..]),
        ("lead:-3", &[(0, 6), (1, 6), (2, 6)]),
        ("player:tal lead:6", &[(0, 7), (2, 7)]),
        ("player:tal lead:-6", &[(1, 7), (2, 7)]),
        ("player:tal lead:3", &[(1, 6), (2, 6)]),
        ("player:tal lead:3 then lead:-6", &[(1, 7), (2, 7)]),
        ("player:keres lead:6", &[(1, 7)]),
        ("player:keres -lead:6", &[(0, 0)]),
        ("player:keres ( lead:6 | lead:-6 )", &[(0, 7), (1, 7)]),
        // The player has the same side in all images.
        ("player:keres lead:6 mirror:colour", &[(1, 7)]),
        ("lead:6 mirror:colour", &[(0, 7), (1, 7), (2, 7)]),
        ("lead:-6 mirror:colour", &[(0, 7), (1, 7), (2, 7)]),
        // Two players are no one's side.
        ("player:tal player:keres lead:6", &[(0, 7), (1, 7)]),
    ] {
        assert_eq!(answer(query, &whole), expected, "{query}");
    }
}

#[test]
fn pieces_of_one_side_stand_against_pieces_of_the_other() {
    let set_up = |board: &str| {
        let tags = format!("White=A; Black=B; Result=*; SetUp=1; FEN={board} w - - 0 1");
        game(&tags, "*")
    };
    let boards = [
        // A rook for bishop and knight, White's and Black's, with pawns that differ.
        "4k1nb/8/8/8/8/8/PPP5/4K2R",
        "4k2r/pppp4/8/8/8/8/P7/4K1NB",
        // Queens do not matter where both have one.
        "3qk1nb/8/8/8/8/8/8/3QK2R",
        "4k1nb/8/8/8/8/8/8/3QK2R",
        // Two rooks for a queen.
        "3qk3/8/8/8/8/8/8/R3K2R",
        // A rook for a bishop and two pawns, and for a bishop and one.
        "4kb2/pp6/8/8/8/8/8/4K2R",
        "4kb2/ppp5/8/8/8/8/P7/4K2R",
        "4kb2/p7/8/8/8/8/8/4K2R",
    ];
    let database = database(&boards.map(set_up).concat());
    let whole = searched(&*database, "a.pgn");
    for (query, expected) in [
        ("imbalance:RvBN", &[0, 1, 2][..]),
        ("imbalance:RvNB", &[0, 1, 2]),
        ("imbalance:Rvbn", &[0, 2]),
        ("imbalance:rvBN", &[1]),
        ("imbalance:BNvr", &[1]),
        ("imbalance:rvbn", &[0, 1, 2]),
        ("imbalance:QRvbn", &[3]),
        ("imbalance:RRvQ", &[4]),
        ("imbalance:Qvrr", &[]),
        ("imbalance:RvB", &[5, 6, 7]),
        ("imbalance:RvBPP", &[5, 6]),
        ("imbalance:RvBP", &[7]),
        // Pawns that are named on both sides are as many.
        ("imbalance:RPvBP", &[]),
        ("imbalance:RvBN|RRvQ", &[0, 1, 2, 4]),
        ("imbalance:Rvbn mirror:colour", &[0, 1, 2]),
        ("-imbalance:RvBN|RvB|RRvQ", &[3]),
    ] {
        assert_eq!(games(query, &whole), expected, "{query}");
    }
    for (text, canonical) in [
        ("imbalance:RvNB", "imbalance:Rvbn|BNvr"),
        ("imbalance:rvBN", "imbalance:BNvr"),
        ("imbalance:RPvbnp", "imbalance:RPvbnp"),
        // Both sides keep a letter.
        ("imbalance:PPvp", "imbalance:PPvp"),
        ("imbalance:PvPP", "imbalance:Pvpp|PPvp"),
        ("imbalance:RPPvp", "imbalance:RPPvp"),
        ("imbalance:PPPPPPPPPPPPPPPPvp", "imbalance:PPPPPPPPPPPPPPPPvp"),
    ] {
        let query = Query::parse(text).unwrap();
        assert_eq!(query.canonical(), canonical);
        assert_eq!(Query::parse(canonical).unwrap(), query);
    }
    for wrong in [
        "R",
        "RvK",
        "RvbN",
        "Rv",
        "vbn",
        "RvR",
        "RBvbbn",
        "Rvx",
        "QQQQQQQQQQQQQQQQQvr",
    ] {
        let error = Query::parse(&format!("imbalance:{wrong}")).unwrap_err();
        assert!(
            error.to_string().contains("RvBN for either side"),
            "{wrong}: {error}"
        );
    }
}

#[test]
fn counts_are_found_where_they_first_hold() {
    let database = database(&game("White=A; Black=B; Result=*", &format!("{EXCHANGE} *")));
    let whole = searched(&*database, "a.pgn");
    for (query, expected) in [
        ("imbalance:QvP", &[(0, 10)][..]),
        ("diff:1", &[(0, 9)]),
        ("diff:-8", &[(0, 10)]),
        ("diff:1 ply:10..", &[(0, 11)]),
        ("material:KR2B2N2P8kr2b2n2p7", &[(0, 11)]),
        ("diff:-8 for:1", &[(0, 10)]),
        ("diff:-8 for:2", &[]),
    ] {
        assert_eq!(answer(query, &whole), expected, "{query}");
    }
}
