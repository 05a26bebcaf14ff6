use std::time::Duration;

use super::read::rows;
use super::*;

fn parse(scope: Scope, words: &[&str]) -> Result<Settings, OptionError> {
    let command = clap::Command::new("test")
        .no_binary_name(true)
        .args(arguments(scope));
    settings(&command.get_matches_from(words), scope, false)
}

#[test]
fn words_that_completions_offer_are_accepted() {
    for (option, words) in CHOICES {
        let row = rows(Scope::Mount).find(|row| row.name == option).unwrap();
        for word in words {
            assert!(
                (row.set)(&mut Settings::default(), word).is_ok(),
                "{option}: {word}"
            );
        }
    }
}

#[test]
fn both_spellings_say_the_same() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let passwords = format!("--password-file={}", file.path().display());
    let long = [
        "--encoding=koi8-r",
        "--reading=text",
        "--fix-dates=no",
        "--pgn=export",
        &*passwords,
        "--threads=3",
        "--only=a*",
        "--kinds=cbh",
        "--flat",
        "--view=a=%{white}",
        "--search=wins=result:1-0",
        "--name=%{year}%{number}",
        "--unique",
        "--eco=moves",
        "--spelling=fold",
        "--mtime=source",
        "--cache-size=2K",
        "--cache-dir=/x",
        "--cache-space=3G",
        "--index=yes",
        "--index-memory=1G",
        "--watch=poll:7",
        "--source-timeout=5",
        "--open-wait=9",
        "--wait-for-source",
        "--xattr",
        "--uid=7",
        "--gid=8",
        "--umask=027",
        "--allow_other",
        "--default_permissions",
    ];
    assert_eq!(
        long.len(),
        rows(Scope::Mount).filter(|row| row.is_shown()).count()
    );
    let short: Vec<_> = long.iter().map(|word| word.trim_start_matches('-')).collect();
    let settings = parse(Scope::Mount, &long).unwrap();
    assert_eq!(parse(Scope::Mount, &["-o", &short.join(",")]).unwrap(), settings);
    let repeated: Vec<_> = short.iter().flat_map(|word| ["-o", word]).collect();
    assert_eq!(parse(Scope::Mount, &repeated).unwrap(), settings);
    assert_eq!(settings.serve.cache_size, 2048);
    assert_eq!(settings.serve.source_timeout, Duration::from_secs(5));
    assert_eq!(
        (settings.uid, settings.gid, settings.umask),
        (Some(7), Some(8), 0o27)
    );
}

#[test]
fn every_option_is_documented() {
    let page = include_str!("../../../docs/commands.md");
    let rows_of_page = page
        .lines()
        .filter_map(|line| line.strip_prefix("    ")?.split_once("  "));
    for row in rows(Scope::Mount).filter(|row| row.is_shown()) {
        let mut names = rows_of_page.clone().flat_map(|(names, _)| names.split(", "));
        assert!(names.any(|name| name == row.name), "{}", row.name);
    }
}

#[test]
fn what_fstab_says_is_passed_over() {
    let list = "rw,dev,,suid,exec,atime,users,user=joe,nofail,_netdev,x-systemd.automount,defaults";
    assert_eq!(parse(Scope::Mount, &["-o", list]), Ok(Settings::default()));
    assert_eq!(
        parse(Scope::Games, &["-o", "ro"]),
        Err(OptionError::Unknown("ro".to_owned(), Scope::Games))
    );
}

#[test]
fn what_is_wrong_is_named() {
    for (word, error) in [
        (
            "nonsense=1",
            OptionError::Unknown("nonsense".to_owned(), Scope::Mount),
        ),
        ("uid", OptionError::NoValue("uid", "NUMBER")),
        ("xattr=1", OptionError::NeedlessValue("xattr")),
        ("nonempty", OptionError::NonEmpty),
    ] {
        assert_eq!(parse(Scope::Mount, &["-o", word]), Err(error));
    }
    for word in [
        "threads=0",
        "cache-size=12Q",
        "cache-size=M",
        "umask=8",
        "umask=1000",
        "mtime=x",
        "spelling=",
        "spelling=/nonexistent",
        "spelling=/dev/null",
        "encoding=x",
        "reading=main/order",
        "uid=-1",
        "uid=4294967295",
        "gid=4294967295",
        "watch=poll:0",
        "source-timeout=0",
        "cache-dir=",
        "index=maybe",
        "index-memory=1M",
        "open-wait=-1",
        "password-file=/dev/null",
    ] {
        let error = parse(Scope::Mount, &["-o", word]).unwrap_err();
        assert!(matches!(error, OptionError::BadValue(..)), "{word}: {error}");
    }
    assert_eq!(
        parse(Scope::Games, &["-o", "uid=1"]),
        Err(OptionError::OnlyFor("uid", "mount"))
    );
}

#[test]
fn a_spelling_file_may_be_compressed() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        format!("--spelling={}", path.display())
    };
    let text = b"@PLAYER\nKasparov, Garry\n= Kasparow, G\n";
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    std::io::Write::write_all(&mut packed, text).unwrap();
    let packed = packed.finish().unwrap();
    let plain = parse(Scope::Mount, &[&write("a.ssp", text)]).unwrap();
    assert_ne!(plain, Settings::default());
    let same = parse(Scope::Mount, &[&write("a.ssp.gz", &packed)]);
    assert_eq!(same.as_ref(), Ok(&plain));
    let cut = parse(Scope::Mount, &[&write("b.ssp", &packed[..packed.len() - 9])]).unwrap_err();
    assert!(cut.to_string().contains("cannot be unpacked"), "{cut}");
}
