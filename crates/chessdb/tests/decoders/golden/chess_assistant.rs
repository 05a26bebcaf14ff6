use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use chessdb::Options;
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::*;
use testkit::samples::{candidates, open};

/// Removes differences that do not matter: the samples replace `}` by `)` in tags too, where PGN allows it,
/// and lose the space before such a `)`; the wording of remarks is not compared.
fn normalize(game: &mut Read) {
    for value in game.tags.values_mut() {
        *value = value.replace('}', ")");
    }
    for item in &mut game.movetext {
        if let Some(comment) = item.strip_prefix('{').and_then(|item| item.strip_suffix('}')) {
            let comment = match comment.find("pgnfs: ") {
                Some(at) => &comment[..at],
                None => comment,
            };
            let mut comment = comment.trim().replace(" )", ")");
            // The writer breaks words of more than 250 bytes.
            if comment.split(' ').any(|word| word.len() >= 247) {
                comment.retain(|c| c != ' ');
            }
            *item = format!("{{{comment}}}");
        }
    }
    game.movetext.retain(|item| item != "{}");
}

#[test]
fn every_game_equals_its_expected_pgn() {
    needs!(samples);
    check_samples("chess-assistant", normalize);
}

/// The contents of `emb/`: safe names as in the mounted tree, sizes, and digests.
fn members(database: &dyn Database) -> BTreeMap<String, (u64, String)> {
    let mut shown = BTreeMap::new();
    for (number, member) in database.as_files().members().into_iter().enumerate() {
        assert_eq!(member.directory, "emb");
        let mut bytes = vec![0; usize::try_from(member.size).unwrap()];
        // Read in two parts that do not end at the ends of fragments.
        let cut = bytes.len() / 3;
        let first = database
            .as_files()
            .read_member(number, 0, &mut bytes[..cut])
            .unwrap();
        let rest = database
            .as_files()
            .read_member(number, cut as u64, &mut bytes[cut..])
            .unwrap();
        assert_eq!((first as u64 + rest as u64), member.size, "{}", member.name);
        assert_eq!(
            database
                .as_files()
                .read_member(number, member.size, &mut [0; 9])
                .unwrap(),
            0
        );
        let name = match member.name.replace(|c: char| c == '/' || c.is_control(), "_") {
            name if matches!(name.as_str(), "" | "." | "..") => "unknown".to_owned(),
            name => name,
        };
        let name = if shown.contains_key(&name) {
            format!("{name} (2)")
        } else {
            name
        };
        let digest: String = Sha256::digest(&bytes)
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        shown.insert(name, (member.size, digest));
    }
    assert!(
        database
            .as_files()
            .read_member(shown.len(), 0, &mut [0; 9])
            .is_err()
    );
    shown
}

/// The files listed in a JSON object.
fn listed(files: &Value) -> BTreeMap<String, (u64, String)> {
    let rows = files.as_object().unwrap().iter();
    rows.map(|(name, file)| {
        let digest = file["sha256"].as_str().unwrap().to_owned();
        (name.clone(), (file["size"].as_u64().unwrap(), digest))
    })
    .collect()
}

fn json(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

fn row<'i>(info: &'i chessdb::Info, name: &str) -> &'i str {
    let found = info.rows.iter().find(|(other, _)| *other == name);
    found.map_or("", |(_, value)| value)
}

#[test]
fn mini_files_encodings_and_comments_are_as_stated() {
    needs!(samples);
    let mut seen = 0;
    for sample in samples("chess-assistant") {
        let path = sample.base.with_extension("emb.json");
        if !path.is_file() {
            continue;
        }
        let stated = json(&path);
        let database = open_base(&sample.base).unwrap();
        assert_eq!(
            members(&*database),
            listed(&stated["files"]),
            "emb/ of {}",
            sample.name
        );
        let info = database.info();
        let encoding = match stated["charset"].as_str().unwrap() {
            "cp1251" => "windows-1251",
            "cp1252" => "windows-1252",
            _ => "UTF-8",
        };
        assert_eq!(row(&info, "encoding"), encoding, "{}", sample.name);
        assert_eq!(row(&info, "comment"), stated["cdp_comment"], "{}", sample.name);
        seen += 1;
    }
    assert!(seen >= 18, "{seen} lists of mini-files");
}

#[test]
fn readings_are_recognised() {
    needs!(samples);
    let mut seen = BTreeSet::new();
    for sample in samples("chess-assistant") {
        let Some(variant) = sample.name.strip_prefix("variants/") else {
            continue;
        };
        let reading = match variant.split('/').next().unwrap() {
            "xleft" => "left/as-listed/before",
            "promoswap" => "right/swapped/before",
            "varafter" => "right/as-listed/after",
            _ => "right/as-listed/before",
        };
        let info = open_base(&sample.base).unwrap().info();
        assert_eq!(row(&info, "reading"), reading, "{variant}");
        assert_eq!(info.warnings, [] as [&str; 0], "{variant}");
        seen.insert(reading);
    }
    assert_eq!(seen.len(), 4, "{seen:?}");
}

#[test]
fn readings_and_encodings_can_be_forced() {
    let shared = needs!(samples);
    let base = shared.join("data/chess-assistant/small/small");
    let (format, candidate) = candidates(&base).remove(0);
    let forced = |encoding: &str, reading: &str| {
        let mut options = Options::default();
        options.encoding = Some(encoding.to_owned());
        options.reading = Some(reading.to_owned());
        open(format, &candidate, &options).unwrap()
    };
    let database = forced("windows-1252", "left/swapped/after");
    let info = database.info();
    assert_eq!(row(&info, "reading"), "left/swapped/after");
    assert_eq!(row(&info, "encoding"), "windows-1252");
    let with_remarks = (0..database.len()).filter(|&game| !database.game(game).problems.is_empty());
    assert!(with_remarks.count() > 20);

    let info = forced("klingon", "main/order/own").info();
    assert_eq!(row(&info, "reading"), "right/as-listed/before");
    assert_eq!(row(&info, "encoding"), "windows-1251");
    assert_eq!(info.warnings.len(), 1);
}

/// The offsets in remarks, except those on whole records.
fn offsets(pgn: &str) -> Vec<u64> {
    let text = pgn.split_whitespace().collect::<Vec<_>>().join(" ");
    let remarks = text.split("pgnfs: ").skip(1);
    remarks
        .filter(|remark| !remark.contains("no moves") && !remark.contains(" past the end"))
        .filter_map(|remark| remark.split_once("at byte ")?.1.split(' ').next()?.parse().ok())
        .collect()
}

#[test]
fn damage_costs_what_it_must_and_no_more() {
    let shared = needs!(samples);
    let folder = shared.join("data/chess-assistant/corrupt");
    let cases = json(&folder.join("corrupt.json"));
    for case in cases.as_array().unwrap() {
        let name = case["path"].as_str().unwrap();
        let base = folder.join(name).join("c");
        let database = open_base(&base).unwrap();
        assert_eq!(
            u64::from(database.len()),
            case["games"].as_u64().unwrap(),
            "{name}"
        );
        let decoded: Vec<_> = (0..database.len()).map(|game| database.game(game)).collect();
        let texts: Vec<String> = decoded
            .iter()
            .map(|decoded| String::from_utf8(to_pgn(&decoded.game)).unwrap())
            .collect();
        let with_remarks: Vec<u64> = (1..)
            .zip(&texts)
            .filter(|(_, text)| text.contains("pgnfs: "))
            .map(|(number, _)| number)
            .collect();
        assert_eq!(with_remarks, numbers(&case["remarks"]), "remarks of {name}");
        for &number in &with_remarks {
            assert!(!decoded[number as usize - 1].problems.is_empty(), "{name}");
        }
        if let Some(files) = case.get("emb_files") {
            assert_eq!(members(&*database), listed(files), "emb/ of {name}");
        }
        let expects = case["expect"].as_str().unwrap();
        if expects.contains("warning") {
            let is_said = !database.info().warnings.is_empty() || !database.problems().is_empty();
            assert!(is_said, "{name}");
        }
        if expects.contains("problems.txt") {
            assert_eq!(decoded[0].problems.len(), 1, "{name}");
        }
        if name.ends_with("_missing") && name != "cdp_missing" {
            assert_eq!(database.problems().len(), 1, "{name}");
        }
        let expected = std::fs::read_to_string(base.with_extension("expected.pgn")).unwrap();
        let stated = offsets(&expected);
        for offset in offsets(&texts.concat()) {
            assert!(
                stated.contains(&offset) || name == "rec_past_end",
                "{name}: byte {offset}"
            );
        }
    }
}

fn numbers(list: &Value) -> Vec<u64> {
    list.as_array()
        .unwrap()
        .iter()
        .map(|n| n.as_u64().unwrap())
        .collect()
}
