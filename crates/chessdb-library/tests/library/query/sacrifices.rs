//! Moves that give something up.

use super::rules::{database, game};
use super::{answer, searched};

/// Anderssen - Kieseritzky, London 1851. White gives a bishop, both rooks and the queen.
const IMMORTAL: &str = "1. e4 e5 2. f4 exf4 3. Bc4 Qh4+ 4. Kf1 b5 5. Bxb5 Nf6 6. Nf3 Qh6 7. d3 Nh5 8. Nh4 Qg5 9. Nf5 c6 \
    10. g4 Nf6 11. Rg1 cxb5 12. h4 Qg6 13. h5 Qg5 14. Qf3 Ng8 15. Bxf4 Qf6 16. Nc3 Bc5 17. Nd5 Qxb2 18. Bd6 Bxg1 \
    19. e5 Qxa1+ 20. Ke2 Na6 21. Nxg7+ Kd8 22. Qf6+ Nxf6 23. Be7# 1-0";
/// The Opera Game, Paris 1858: a knight on move 10, the exchange on 13, the queen on 16.
const OPERA: &str = "1. e4 e5 2. Nf3 d6 3. d4 Bg4 4. dxe5 Bxf3 5. Qxf3 dxe5 6. Bc4 Nf6 7. Qb3 Qe7 8. Nc3 c6 9. Bg5 b5 \
    10. Nxb5 cxb5 11. Bxb5+ Nbd7 12. O-O-O Rd8 13. Rxd7 Rxd7 14. Rd1 Qe6 15. Bxd7+ Nxd7 16. Qb8+ Nxb8 17. Rd8# 1-0";
/// D. Byrne - Fischer, New York 1956: Black lets the queen be taken by his seventeenth move.
const FISCHER: &str = "1. Nf3 Nf6 2. c4 g6 3. Nc3 Bg7 4. d4 O-O 5. Bf4 d5 6. Qb3 dxc4 7. Qxc4 c6 8. e4 Nbd7 9. Rd1 Nb6 \
    10. Qc5 Bg4 11. Bg5 Na4 12. Qa3 Nxc3 13. bxc3 Nxe4 14. Bxe7 Qb6 15. Bc4 Nxc3 16. Bc5 Rfe8+ 17. Kf1 Be6 18. Bxb6 Bxc4+ \
    19. Kg1 Ne2+ 20. Kf1 Nxd4+ 21. Kg1 Ne2+ 22. Kf1 Nc3+ 23. Kg1 axb6 24. Qb4 Ra4 25. Qxb6 Nxd1 0-1";
/// Greco's gift of a bishop on h7.
const GRECO: &str =
    "1. e4 e6 2. d4 Nf6 3. Bd3 Nc6 4. Nf3 Be7 5. h4 O-O 6. e5 Nd5 7. Bxh7+ Kxh7 8. Ng5+ Kg6 9. h5+ Kh6 1-0";
/// Legall's mate: White leaves the queen, and has two pawns for it when he mates.
const LEGALL: &str = "1. e4 e5 2. Nf3 d6 3. Bc4 Bg4 4. Nc3 g6 5. Nxe5 Bxd1 6. Bxf7+ Ke7 7. Nd5# *";
/// Black gives his queen for two pieces by a mistake, and plays on.
const BLUNDER: &str = "1. e4 e5 2. Nf3 Qg5 3. Nxg5 d6 4. d4 exd4 5. Qxd4 Nc6 6. Bb5 1-0";
/// What is taken is taken back: at once, after some moves, and a pawn within six half-moves.
const EXCHANGES: [&str; 3] = [
    "1. e4 d5 2. exd5 Qxd5 3. Nc3 Qd8 4. d4 Nf6 5. Nf3 Bg4 6. Be2 e6 1/2-1/2",
    "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Bxc6 dxc6 5. O-O f6 6. d4 exd4 7. Nxd4 c5 8. Nb3 Qxd1 9. Rxd1 Bd6 10. Nc3 Ne7 1/2-1/2",
    "1. d4 d5 2. c4 dxc4 3. e3 b5 4. a4 c6 5. axb5 cxb5 6. Qf3 Nc6 7. Qxc6+ Bd7 8. Qf3 e6 1/2-1/2",
];

#[test]
fn what_is_given_up_for_some_time_is_found() {
    let result = |moves: &str| moves.split_whitespace().last().unwrap().to_owned();
    let all = [
        IMMORTAL,
        OPERA,
        FISCHER,
        GRECO,
        BLUNDER,
        EXCHANGES[0],
        EXCHANGES[1],
        EXCHANGES[2],
        LEGALL,
    ];
    let all = all.map(|moves| game(&format!("White=A; Black=B; Result={}", result(moves)), moves));
    let database = database(&all.concat());
    let whole = searched(&*database, "a.pgn");
    // Games with the ply of the first such move. Between 20 and 42, White of the first game gives a piece, a rook, another
    // one and the queen for a bishop that it has taken.
    for (query, expected) in [
        (
            "sacrifice:1..",
            &[(0, 20), (1, 30), (2, 33), (3, 12), (4, 3), (8, 8)][..],
        ),
        ("sacrifice:3..", &[(0, 20), (1, 30), (2, 33), (4, 3), (8, 8)]),
        ("sacrifice:8..", &[(0, 42), (4, 3)]),
        ("sacrifice:9..", &[]),
        // A bishop for a pawn; a queen for bishop and knight, and a pawn less.
        ("sacrifice:2", &[(3, 12)]),
        ("sacrifice:4..5", &[(0, 34), (2, 33)]),
        ("sacrifice:7|8 by:white", &[(0, 42), (1, 30), (8, 8)]),
        ("sacrifice:3.. by:black", &[(2, 33), (4, 3)]),
        (
            "sacrifice:3.. by:black mirror:colour",
            &[(0, 20), (1, 30), (2, 33), (4, 3), (8, 8)],
        ),
        ("sacrifice:3.. is:check", &[]),
        ("sacrifice:3.. then played:Be7# within:10", &[(0, 44)]),
        ("-sacrifice:3..", &[(3, 0), (5, 0), (6, 0), (7, 0)]),
        // A pawn that is taken back in the sixth half-move after the reply, or in the fifth.
        ("sacrifice:1 played:f4 for:5 by:white", &[(0, 2)]),
        ("sacrifice:1 played:f4 for:6", &[]),
        // `for:` also says which sacrifices are left out.
        ("played:f4 -sacrifice:1 by:white for:6", &[(0, 2)]),
        ("played:f4 -sacrifice:1 by:white for:5", &[]),
        ("-sacrifice:1.. for:5 played:f4 ply:2", &[]),
        // Beside terms that can last, it is about these. No game has 100 half-moves.
        ("white_isolated:0.. for:100 -sacrifice:1", &[]),
        ("white_isolated:0.. for:2000 -sacrifice:1", &[]),
        ("sacrifice:1 played:c4 for:5", &[(7, 2)]),
        ("sacrifice:1 played:c4", &[]),
    ] {
        assert_eq!(answer(query, &whole), expected, "{query}");
    }
}
