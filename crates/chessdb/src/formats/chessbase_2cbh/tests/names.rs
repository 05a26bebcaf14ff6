//! Names, titles, and the header of the database (sections 2, 5).

use super::*;

#[test]
fn an_analysis_has_the_tags_that_it_has() {
    let mut made = Made::of(&GAME);
    made.record[2] = 2;
    made.record[0x18..0x58].fill(0);
    made.record[0x58..].fill(9);
    let database = made.open();
    let tags = database.tags(0);
    assert_eq!(
        (tags.get("White"), tags.get("Event"), tags.get("Result")),
        (Some("?"), Some("?"), Some("*"))
    );
    assert_eq!(
        (tags.get("Title"), tags.get("SourceTitle")),
        (Some("A title"), Some("Book"))
    );
    assert_eq!(
        (tags.get("Annotator"), tags.get("PlyCount")),
        (Some("Tal, M."), Some("5"))
    );
    assert_eq!(
        (tags.get("Date"), tags.get("WhiteElo")),
        (Some("????.??.??"), None)
    );
    assert_eq!(database.game(0).problems, []);
}

#[test]
fn boards_and_rounds_are_their_own_tags() {
    for (round, subround, board, shown) in [
        (3, 0, 0, (Some("3"), None)),
        (3, 1, 2, (Some("3.1"), Some("2"))),
        (0, 4, 0, (Some("?"), Some("4"))),
        (0, 4, 5, (Some("?"), Some("5"))),
        (0, 0, 0, (Some("?"), None)),
    ] {
        let mut made = Made::of(&GAME);
        for (at, value) in [(0x5a, round), (0x5c, subround), (0x5e, board)] {
            made.record[at] = value;
        }
        let tags = made.open().tags(0);
        assert_eq!((tags.get("Round"), tags.get("Board")), shown);
    }
}

#[test]
fn names_that_are_not_there_are_problems() {
    let what = |change: &dyn Fn(&mut Made)| {
        let mut made = Made::of(&GAME);
        change(&mut made);
        let (_, problems) = made.read();
        problems
            .into_iter()
            .map(|problem| problem.what)
            .collect::<Vec<_>>()
    };
    let number = |at: usize, number: i64| {
        move |made: &mut Made| made.record[at..at + 8].copy_from_slice(&number.to_le_bytes())
    };
    for (at, of) in [
        (0x18, "White"),
        (0x28, "the tournament"),
        (0x38, "the source"),
        (0x40, "White's team"),
    ] {
        for other in [1, -2, i64::MAX, i64::MIN] {
            let expected = format!("{of} is number {other} of a.2lid, which has no such record");
            assert_eq!(what(&number(at, other)), [expected]);
        }
    }
    assert_eq!(what(&number(0x18, -1)).len(), 1);
    assert_eq!(what(&number(0x40, 0)), [""; 0]);
    // Deleted, and a text that is longer than its container.
    let deleted = |made: &mut Made| {
        made.lid[140..144].copy_from_slice(&16u32.to_le_bytes());
        made.lid[144..152].copy_from_slice(&[0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99]);
    };
    assert_eq!(what(&deleted).len(), 3);
    let cut = |made: &mut Made| made.lid[144] = 200;
    assert!(
        what(&cut)[0].ends_with("of a.2lid, whose texts are cut"),
        "{:?}",
        what(&cut)
    );
}

/// The rest of a text that is longer than its container is part of the text, not another field.
#[test]
fn nothing_is_read_behind_a_text_that_is_cut() {
    // A length of 200 bytes, then bytes that look like a text, and like a date and a country.
    let cut = [&[200, 0, 0, 0, 1, 0, 0, 0, b'x'][..], &[53; 40]].concat();
    let title = title_in(&[(42, "A title")]);
    for kept in [false, true] {
        let first = if kept { string(b"Whole") } else { Vec::new() };
        let fields = [first, cut.clone()].concat();
        let mut made = Made::of(&GAME);
        made.record[0x40..0x50].fill(0);
        let entities = [
            fields.clone(),
            fields.clone(),
            fields.clone(),
            Vec::new(),
            cut.clone(),
            title.clone(),
        ];
        made.lid = lid_of(64, entities.map(|fields| vec![fields]));
        let tags = made.open().tags(0);
        let shown = |name: &str| tags.get(name).map(str::to_owned);
        let whole = |other: Option<&str>| if kept { Some("Whole") } else { other }.map(str::to_owned);
        for (name, expected) in [
            ("White", whole(Some("?"))),
            ("Site", whole(Some("?"))),
            ("SourceTitle", whole(None)),
            ("Event", Some("?".to_owned())),
            ("EventDate", None),
            ("EventCountry", None),
            ("WhiteTeam", None),
            ("WhiteTeamCountry", None),
        ] {
            assert_eq!(shown(name), expected, "{name}");
        }
    }
}

#[test]
fn a_header_that_cannot_be_leaves_no_names() {
    for (at, bytes) in [
        (0, [0, 1, 0, 0]),
        (0, [0, 0, 0, 100]),
        (4, [0, 0, 0, 0]),
        (4, [0, 0, 0, 33]),
        (8, [0, 0x20, 0, 0]),
        (8, [0xff, 0, 0, 0]),
    ] {
        let mut made = Made::of(&GAME);
        made.lid[at..at + 4].copy_from_slice(&bytes);
        let database = made.open();
        assert_eq!(database.tags(0).get("White"), Some("?"), "{at} {bytes:?}");
        assert_eq!(database.problems().len(), 1);
        assert_eq!(Made::of(&GAME).movetext(), made.movetext());
    }
}

#[test]
fn records_may_start_directly_after_the_types() {
    // Six types, so that the shortest header has 8 + 6 * 20 bytes.
    for (size, white) in [(129, "Tal, M."), (128, "Tal, M."), (127, "?")] {
        let mut made = Made::of(&GAME);
        made.lid.drain(size..140);
        made.lid[..4].copy_from_slice(&(size as u32).to_be_bytes());
        assert_eq!(made.open().tags(0).get("White"), Some(white), "{size}");
    }
}

#[test]
fn titles_show_the_first_text_that_is_not_empty() {
    let mut made = Made::of(&GAME);
    let fields = [
        &2u32.to_le_bytes()[..],
        &42u32.to_le_bytes(),
        &string(b""),
        &53u32.to_le_bytes(),
        &string(b"Titel"),
    ];
    let fields = fields.concat();
    let start = 140 + 5 * 64;
    made.lid[start..start + 4].copy_from_slice(&(fields.len() as u32).to_le_bytes());
    made.lid[start + 4..start + 4 + fields.len()].copy_from_slice(&fields);
    made.record[0x50..0x58].fill(0);
    assert_eq!(made.open().tags(0).get("Title"), Some("Titel"));
    // Moves in the title of an analysis, as in comments.
    let mut made = Made::of(&GAME);
    made.record[0x50..0x58].fill(0);
    let none = Vec::new;
    let title = title_in(&[(42, "1.d4 {\u{e028}f6}")]);
    made.lid = lid_of(64, [none(), none(), none(), none(), none(), vec![title]]);
    assert_eq!(made.open().tags(0).get("Title"), Some("1.d4 {Nf6}"));
}

#[test]
fn the_title_is_that_of_its_section() {
    let title = |ini: &[u8]| title_of(ini, Characters::choose(None, &mut Vec::new()));
    let ini = b"[Other]\r\nTitle=no\r\n[Descr2CBG]\r\nKind=1\r\ntitle= Mega =2\r\n[More]\r\nTitle=no";
    assert_eq!(title(ini).as_deref(), Some("Mega =2"));
    assert_eq!(title(b"[Descr2CBG]\nTitle=\n"), None);
    assert_eq!(title(b"Title=no\n"), None);
    // Only the first 65,536 bytes are searched for the title.
    for (len, shown) in [(65_535, "abc"), (65_536, "abc"), (65_537, "ab")] {
        let [before, after] = ["[Descr2CBG]\n", "\nTitle=abc"];
        let ini = format!("{before}{}{after}", ";".repeat(len - before.len() - after.len()));
        assert_eq!(title(ini.as_bytes()).as_deref(), Some(shown), "{len}");
    }
}

#[test]
fn the_header_is_known_by_the_size_of_a_record() {
    let header = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut cbh = vec![0; RECORD];
        (cbh[0x0a], cbh[0x10]) = (192, 1);
        change(&mut cbh);
        open(&[("2cbh", cbh)])
    };
    assert!(header(&|_| {}).is_ok_and(|database| database.len() == 0 && database.problems().is_empty()));
    assert!(header(&|cbh| cbh[0x0a] = 46).is_err());
    assert!(header(&|cbh| cbh.truncate(191)).is_err());
    let problems = |change: &dyn Fn(&mut Vec<u8>)| header(change).map(|database| database.problems().len());
    assert_eq!(problems(&|cbh| cbh[0x10] = 4).ok(), Some(1));
    assert_eq!(problems(&|cbh| cbh[0x10] = 0).ok(), Some(1));
    assert_eq!(problems(&|cbh| cbh.resize(300, 1)).ok(), Some(1));
    // With a record, three files are missing.
    assert_eq!(problems(&|cbh| cbh.resize(500, 1)).ok(), Some(2 + 3));
}

#[test]
fn the_first_500_names_decide_on_the_guess_of_an_encoding() {
    // Cyrillic letters in Windows-1251.
    let with_name_at = |place: usize| {
        let mut players = vec![[string(b"Tal"), string(b"")].concat(); 502];
        players[place] = [string(&[0xd2, 0xe0, 0xeb, 0xfc]), string(b"")].concat();
        let mut made = Made::of(&GAME);
        made.lid = lid_of(
            64,
            [
                players,
                Vec::new(),
                Vec::new(),
                Vec::new(),
                Vec::new(),
                Vec::new(),
            ],
        );
        let warnings = made.open().info().warnings;
        warnings.iter().any(|warning| warning.contains("Cyrillic"))
    };
    assert_eq!([0, 499, 500].map(with_name_at), [true, true, false]);
}

#[test]
fn a_comment_beyond_the_first_500_annotations_does_not_count_for_the_guess() {
    let cyrillic = [&[2, 0, 0, 0, 0, 0][..], &string(&[0xd2, 0xe0, 0xeb, 0xfc])].concat();
    let after = |glyphs: usize| {
        let mut items: Vec<(i32, &[u8])> = vec![(0, &[3, 0, 1, 0, 0]); glyphs];
        items.push((0, &cyrillic));
        let warnings = Made::with(&items).open().info().warnings;
        warnings.iter().any(|warning| warning.contains("Cyrillic"))
    };
    assert_eq!([0, 499, 500].map(after), [true, true, false]);
}

/// A database with a guiding text in some languages, and a title in some languages.
fn with_text(title: &[(u32, &str)], languages: &[u32]) -> ChessBase2Cbh {
    let mut made = Made::of(&[]);
    (made.record[0], made.tag) = (3, frame::TEXT);
    made.record[0x28..0x30].fill(0);
    let none = Vec::new;
    made.lid = lid_of(
        2048,
        [none(), none(), none(), none(), none(), vec![title_in(title)]],
    );
    let mut texts = (languages.len() as u32).to_le_bytes().to_vec();
    for language in languages {
        texts.extend(language.to_le_bytes());
        texts.extend(string(b"<p>"));
    }
    let mut content = [&[5, 0][..], &(texts.len() as u32).to_le_bytes(), &texts].concat();
    // Padded with zeros, which have no meaning, because frames of moves consist of words.
    content.resize(content.len().next_multiple_of(2), 0);
    made.words = content
        .chunks(2)
        .map(|pair| u16::from_le_bytes([pair[0], pair[1]]))
        .collect();
    made.open()
}

fn names_of_texts(database: &ChessBase2Cbh) -> Vec<String> {
    database
        .as_files()
        .members()
        .into_iter()
        .map(|member| member.name)
        .collect()
}

#[test]
fn files_of_guiding_texts_are_named_by_their_title_and_language() {
    // English, German, Polish, a number without a country, no language.
    let languages = [42, 53, 116, 999, 0];
    let shown = names_of_texts(&with_text(
        &[(42, ""), (53, "Vorwort"), (103, "Voorwoord")],
        &languages,
    ));
    let expected = [
        "000001 Vorwort.en.html",
        "000001 Vorwort.de.html",
        "000001 Vorwort.pol.html",
        "000001 Vorwort.999.html",
        "000001 Vorwort.html",
    ];
    assert_eq!(shown, expected);
    let own = names_of_texts(&with_text(&[(42, "Preface"), (53, "Vorwort")], &[53, 42]));
    assert_eq!(own, ["000001 Vorwort.de.html", "000001 Preface.en.html"]);
    assert_eq!(names_of_texts(&with_text(&[], &[42])), ["000001.en.html"]);
}

#[test]
fn long_names_of_guiding_texts_are_cut_between_characters() {
    let long = "\u{e4}".repeat(900);
    let [name] = &names_of_texts(&with_text(&[(42, &long)], &[42]))[..] else {
        panic!("one text");
    };
    assert!(name.ends_with("\u{e4}.en.html"), "{name}");
    assert!((238..=240).contains(&name.len()), "{}", name.len());
}
