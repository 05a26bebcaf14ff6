//! Fields that no sample has.

use std::fs::File;
use std::os::unix::fs::FileExt;

use super::chessbase_cbh_hostile::{cbh, open, record};
use super::*;
use testkit::samples::open_base;

/// A file of records with a head of 32 bytes, little endian.
fn extended(records: &[[u8; 120]]) -> Vec<u8> {
    let mut bytes = vec![0; 32];
    for (place, number) in [(0, 11), (4, 120), (8, records.len() as u32)] {
        bytes[place..place + 4].copy_from_slice(&number.to_le_bytes());
    }
    bytes.extend(records.as_flattened());
    bytes
}

/// A `.cbj` record without teams, with a place in the `.cbg`, and with a title.
fn extended_record(moves_at: u64, title: i32) -> [u8; 120] {
    let mut record = [0; 120];
    record[..8].fill(0xff);
    record[30..38].copy_from_slice(&moves_at.to_be_bytes());
    record[116..].copy_from_slice(&title.to_be_bytes());
    record
}

/// A `.cbl`: titles in eight languages for each game.
fn titles(games: &[[&str; 8]]) -> Vec<u8> {
    let count = games.len() as u32;
    let mut bytes = Vec::new();
    for field in [count, 0, 1_234_567_890, 1608, u32::MAX, count, 4, 0] {
        bytes.extend(field.to_le_bytes());
    }
    for game in games {
        bytes.extend([[0xff; 4], [0xff; 4]].concat());
        bytes.push(0);
        for title in game {
            let mut field = title.as_bytes().to_vec();
            field.resize(200, 0);
            bytes.extend(field);
        }
        bytes.extend([0; 8]);
    }
    bytes
}

#[test]
fn the_first_title_of_a_game_is_a_tag() {
    let english = ["The Immortal Game", "Die Unsterbliche", "", "", "", "", "", ""];
    let german = ["", "Die Immergr\u{fc}ne", "L'Immortelle", "", "", "", "", ""];
    let records = [0, 1, 2, -1, 3].map(|title| extended_record(26, title));
    let files = |cbl: Option<Vec<u8>>| {
        let mut files = vec![
            ("cbh", cbh(&[26; 5])),
            ("cbg", [vec![0; 26], record(&[])].concat()),
            ("cbj", extended(&records)),
        ];
        files.extend(cbl.map(|cbl| ("cbl", cbl)));
        open(&files).unwrap()
    };
    let database = files(Some(titles(&[english, german, [""; 8]])));
    let shown = |game| database.tags(game).get("Title").map(str::to_owned);
    assert_eq!(shown(0).as_deref(), Some("The Immortal Game"));
    assert_eq!(shown(1).as_deref(), Some("Die Immergr\u{fc}ne"));
    assert_eq!([2, 3, 4].map(shown), [None, None, None]);
    let told = |database: &dyn Database, game: u32| {
        let problems = database.game(game).problems.into_iter();
        problems
            .filter(|problem| problem.what.contains("the title"))
            .count()
    };
    assert_eq!(
        [0, 1, 2, 3, 4].map(|game| told(&*database, game)),
        [0, 0, 0, 0, 1]
    );

    let database = files(None);
    assert_eq!(database.tags(0).get("Title"), None);
    let lost =
        |problem: &chessdb::Problem| problem.file == "x.cbl" && problem.what.contains("titles of games");
    assert!(database.problems().iter().any(lost), "{:?}", database.problems());
}

#[test]
fn a_guiding_text_may_be_beyond_4_gib() {
    let far: u64 = (1 << 32) + 26;
    let mut cbh = cbh(&[26]);
    cbh[46] = 3;
    let mut body = vec![0x80, 0, 0, 0, 3, 0, 1, 0, 0, 0, 3, 0];
    body.extend(b"Far");
    body.extend([1, 1, 0, 0, 0, 7, 0, 0, 0]);
    body.extend(b"<p>far");
    body.extend([b'.', 0, 0, 0, 0]);
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path().join("x");
    std::fs::write(base.with_extension("cbh"), cbh).unwrap();
    std::fs::write(base.with_extension("cbj"), extended(&[extended_record(far, -1)])).unwrap();
    let cbg = File::create(base.with_extension("cbg")).unwrap();
    cbg.write_at(&body, far).unwrap();
    let database = open_base(&base).unwrap();
    let files = database.as_files();
    let members = files.members();
    let names: Vec<&str> = members.iter().map(|member| &*member.name).collect();
    assert_eq!(names, ["000001 Far.en.html"]);
    let mut text = [0; 7];
    files.read_member(0, 0, &mut text).unwrap();
    assert_eq!(&text, b"<p>far.");
}

#[test]
fn the_glyph_of_a_line_belongs_to_its_last_move() {
    let word = |from: u16, to: u16| from | to << 6;
    let (e4, e5, illegal) = (word(33, 35), word(38, 36), word(32, 40));
    for (result, glyph, moves, shown) in [
        (3, 19, &[e4, e5 | 0x4000][..], "1. e4 e5 $19 *"),
        (3, 0, &[e4, e5 | 0x4000], "1. e4 e5 *"),
        (2, 19, &[e4, e5 | 0x4000], "1. e4 e5 1-0"),
        (3, 19, &[], "*"),
    ] {
        let mut cbh = cbh(&[26]);
        (cbh[46 + 27], cbh[46 + 28]) = (result, glyph);
        let cbg = [vec![0; 26], record(moves)].concat();
        let database = open(&[("cbh", cbh), ("cbg", cbg)]).unwrap();
        let text = String::from_utf8(to_pgn(&database.game(0).game)).unwrap();
        assert_eq!(text.split_once("\n\n").unwrap().1.trim_end(), shown);
    }
    // The rest of the line is missing, so the glyph is not of the last move that is shown.
    let mut cbh = cbh(&[26]);
    (cbh[46 + 27], cbh[46 + 28]) = (3, 19);
    let cbg = [vec![0; 26], record(&[e4, e5, illegal | 0x4000])].concat();
    let database = open(&[("cbh", cbh), ("cbg", cbg)]).unwrap();
    let text = String::from_utf8(to_pgn(&database.game(0).game)).unwrap();
    assert!(text.contains("1. e4 e5 {") && !text.contains('$'), "{text}");
}
