//! Lines that are not the main one.

use super::rules::{database, game};
use super::{answer, searched};
use chessdb::Database;
use chessdb_library::lines::line_of;
use chessdb_library::positions::san_of;
use chessdb_library::query::Query;

fn annotated() -> std::sync::Arc<dyn Database> {
    database(
        &[
            // The variations, in the order of the text: 1 c5, 2 c3, 3 f5, 4 Qh5.
            game(
                "White=A; Black=B; Result=0-1",
                "1. e4 e5 (1... c5 {Sicilian} 2. Nf3 (2. c3 ! d5) 2... d6) 2. Nf3 Nc6 (2... f5 $6) 3. Bc4 Bc5 0-1",
            ),
            game(
                "White=C; Black=D; Result=1/2-1/2",
                "1. e4 e5 2. Bc4 Nc6 3. Nf3 (3. Qh5 {threatens} Nf6 4. Qxf7#) 3... Nf6 1/2-1/2",
            ),
            game("White=E; Black=F; Result=1-0", "1. e4 c5 {no Sicilian here} 2. Nf3 1-0"),
        ]
        .concat(),
    )
}

#[test]
fn groups_hold_in_one_line_from_the_first_move_on() {
    let database = annotated();
    let whole = searched(&*database, "a.pgn");
    for (query, expected) in [
        ("played:c5", &[(2, 1)][..]),
        ("played:c5 in:variations", &[(0, 1), (2, 1)]),
        ("line:e4,c5 in:variations", &[(0, 2), (2, 2)]),
        ("line:e4,e5 in:variations", &[(0, 2), (1, 2)]),
        ("is:mate", &[]),
        ("is:mate in:variations", &[(1, 7)]),
        ("played:*# in:variations", &[(1, 6)]),
        // Moves of different variations are not of one line.
        ("played:c5 then played:c3 in:variations", &[(0, 2)]),
        ("played:Nf3 then played:d5 in:variations", &[]),
        ("played:c3 then played:d6 in:variations", &[]),
        ("played:c5 then played:Bc4 in:variations", &[]),
        (
            "played:e5 next played:Nf3 next played:f5 in:variations",
            &[(0, 3)],
        ),
        ("played:e4 next played:c5 next played:c3 in:variations", &[(0, 2)]),
        ("played:e4 then played:d6 within:3 in:variations", &[(0, 3)]),
        ("played:e4 then played:d6 within:2 in:variations", &[]),
        ("played:Nc6 next played:Qh5 in:variations", &[(1, 4)]),
        ("played:Nc6 then played:Nf6 by:black in:variations", &[(1, 5)]),
        // An excluded term holds in no line.
        ("-played:c5", &[(0, 0), (1, 0)]),
        ("-played:c5 in:variations", &[(1, 0)]),
        ("played:Nf3 -played:*# in:variations", &[(0, 2), (2, 2)]),
        ("played:*# -played:Nf6 in:variations", &[]),
        // The main line comes first.
        ("played:Nf3 in:variations", &[(0, 2), (1, 4), (2, 2)]),
        (
            "( played:Nf3 | played:c5 ) in:variations",
            &[(0, 2), (1, 4), (2, 1)],
        ),
        (
            "( played:c5 | played:Nf3 ) in:variations",
            &[(0, 2), (1, 4), (2, 1)],
        ),
        (
            "( played:Qh5 | played:Nf3 ) in:variations",
            &[(0, 2), (1, 4), (2, 2)],
        ),
        ("( played:Qh5 | played:Nf6 ) in:variations", &[(1, 5)]),
        ("played:Nf6 in:variations", &[(1, 5)]),
        // Annotations of the moves of each line. A comment before the first move of a variation belongs to no move.
        ("nag:! in:variations", &[(0, 2)]),
        ("nag:?! in:variations", &[(0, 3)]),
        ("nag:!", &[]),
        ("comment:sicilian in:variations", &[(0, 1), (2, 1)]),
        ("comment:threatens in:variations", &[(1, 4)]),
        ("comment:sicilian then played:c3 in:variations", &[(0, 2)]),
        ("comment:sicilian then played:d6 in:variations", &[(0, 3)]),
        // Mirror images, and choices, which ask of variations what the whole query does.
        ("line:c4,e5 mirror:side in:variations", &[]),
        ("played:f4 mirror:side in:variations", &[]),
        ("played:f6 mirror:both in:variations", &[(0, 2)]),
        ("( played:*# | played:c3 ) in:variations", &[(0, 2), (1, 6)]),
        ("( is:mate | played:Bc5 ) in:variations result:0-1", &[(0, 5)]),
        ("played:Nf6 in:variations -( is:mate )", &[]),
    ] {
        assert_eq!(answer(query, &whole), expected, "{query}");
    }
}

#[test]
fn the_line_of_an_answer_leads_to_its_position() {
    let database = annotated();
    let whole = searched(&*database, "a.pgn");
    for (query, variation, line, san) in [
        ("played:Bc5 in:variations", 0, "e4 e5 Nf3 Nc6 Bc4", "Bc5"),
        ("played:c3 in:variations", 2, "e4 c5", "c3"),
        ("played:d6 in:variations", 1, "e4 c5 Nf3", "d6"),
        ("played:f5 in:variations", 3, "e4 e5 Nf3", "f5"),
        ("is:mate in:variations", 1, "e4 e5 Bc4 Nc6 Qh5 Nf6 Qxf7#", ""),
        ("nag:! in:variations", 2, "e4 c5", "c3"),
    ] {
        let found = Query::parse(query).unwrap().answer(&whole, 1, &|_| ()).unwrap();
        let found = found.first().unwrap();
        assert_eq!(found.variation, variation, "{query}");
        assert_eq!(line_of(&*database, found).join(" "), line, "{query}");
        assert_eq!(san_of(&*database, found), san, "{query}");
    }
}

#[test]
fn what_a_variation_gives_up_counts_to_its_end() {
    // The queen is given up for six half-moves in the first variation, and for five in the second; the third mates.
    let database = database(
        &[
            game(
                "White=A; Black=B; Result=1-0",
                "1. e4 e5 2. Qh5 Nc6 (2... Nf6 3. Qxf7+ Kxf7 4. a3 a6 5. b3 b6 6. c3) 3. Bc4 (3. Qxf7+ Kxf7 4. a3 a6 5. b3) 1-0",
            ),
            game(
                "White=C; Black=D; Result=0-1",
                "1. e4 e5 2. Nf3 d6 3. Bc4 Bg4 4. Nc3 g6 5. O-O (5. Nxe5 Bxd1 6. Bxf7+ Ke7 7. Nd5#) 5... Bg7 0-1",
            ),
        ]
        .concat(),
    );
    let whole = searched(&*database, "a.pgn");
    for (query, expected) in [
        ("sacrifice:3..", &[][..]),
        ("sacrifice:3.. in:variations", &[(0, 4), (1, 8)]),
        ("sacrifice:3.. for:7 in:variations", &[(1, 8)]),
        ("sacrifice:3.. for:5 in:variations", &[(0, 4), (1, 8)]),
        ("sacrifice:3.. then played:c3 in:variations", &[(0, 10)]),
    ] {
        assert_eq!(answer(query, &whole), expected, "{query}");
    }
}
