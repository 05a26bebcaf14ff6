//! The options of all commands that read games.

use super::row::{CACHE, OptionRow, READ, SHOW, SPEED};
use super::settings::CacheFolder;
use super::values::{bytes, passwords};
use chessdb::PgnForm;
use chessdb::formats::FORMATS;
use chessdb_library::positions::IndexUse;

pub(super) static ROWS: &[OptionRow] = &[
    OptionRow {
        name: "encoding",
        heading: READ,
        short: "Code page of the texts",
        value: "LABEL",
        help: "Code page of the texts, such as windows-1252 or koi8-r [default: depends on the format]",
        repeats: false,
        set: |settings, value| {
            encoding_rs::Encoding::for_label(value.as_bytes())
                .ok_or("a code page such as utf-8, windows-1252, ibm866 or koi8-r")?;
            settings.formats.encoding = Some(value.to_owned());
            Ok(())
        },
    },
    OptionRow {
        name: "reading",
        heading: READ,
        short: "",
        value: "NAME",
        help: "For a format that can be read in several ways: the reading to use, as info.txt names it",
        repeats: false,
        set: |settings, value| {
            let mut known = FORMATS.iter().flat_map(|format| (format.readings)());
            if !known.any(|name| name == value) {
                return Err("a reading of any format; pgnfs info SOURCE lists those that apply".into());
            }
            settings.formats.reading = Some(value.to_owned());
            Ok(())
        },
    },
    OptionRow {
        name: "fix-dates",
        heading: READ,
        short: "",
        value: "yes|no",
        help: "Corrects dates that show a known bug of the program that wrote them [default: yes]",
        repeats: false,
        set: |settings, value| {
            settings.formats.fix_dates = match value {
                "yes" => true,
                "no" => false,
                _ => return Err("yes or no".into()),
            };
            Ok(())
        },
    },
    OptionRow {
        name: "pgn",
        heading: SHOW,
        short: "cleaned, export or verbatim: how games of PGN files are shown",
        value: "FORM",
        help: "How games of PGN files are shown; cleaned: as they are written, but in UTF-8 with line feeds; export: read and \
               written again; verbatim: byte for byte [default: cleaned]",
        repeats: false,
        set: |settings, value| {
            settings.formats.pgn = match value {
                "cleaned" => PgnForm::Cleaned,
                "export" => PgnForm::Export,
                "verbatim" => PgnForm::Verbatim,
                _ => return Err("cleaned, export or verbatim".into()),
            };
            Ok(())
        },
    },
    OptionRow {
        name: "password-file",
        heading: READ,
        short: "Passwords of encrypted archives",
        value: "FILE",
        help: "Passwords of encrypted archives (.cbz), one a line, in a file that only its owner can read",
        repeats: false,
        set: |settings, value| {
            settings.formats.passwords = passwords(value)?;
            Ok(())
        },
    },
    OptionRow {
        name: "threads",
        heading: SPEED,
        short: "Number of threads that decode",
        value: "NUMBER",
        help: "Number of threads that decode [default: the number of processors]",
        repeats: false,
        set: |settings, value| {
            let threads = value.parse().ok().filter(|threads| (1..=1024).contains(threads));
            settings.serve.threads = threads.ok_or("a number from 1 to 1024")?;
            Ok(())
        },
    },
    OptionRow {
        name: "only",
        heading: READ,
        short: "Only databases with such a name or path",
        value: "GLOB",
        help: "Only databases whose name matches, or whose path in SOURCE if GLOB contains a /; may be repeated",
        repeats: true,
        set: |settings, value| {
            let wrong = |error| format!("a pattern: {error}");
            Ok(settings.selection.add_only(value).map_err(wrong)?)
        },
    },
    OptionRow {
        name: "kinds",
        heading: READ,
        short: "Only databases of these kinds, such as cbh,pgn",
        value: "LIST",
        help: "Only databases of these kinds: extensions of their files or formats, such as cbh,si4,pgn",
        repeats: true,
        set: |settings, value| Ok(settings.selection.add_kinds(value)?),
    },
    OptionRow {
        name: "flat",
        heading: SHOW,
        short: "Shows all databases side by side, without folders",
        value: "",
        help: "Shows all databases side by side, without the folders that lead to them",
        repeats: false,
        set: |settings, _| {
            settings.selection.flat = true;
            Ok(())
        },
    },
    OptionRow {
        name: "cache-dir",
        heading: CACHE,
        short: "Cache folder, or none",
        value: "PATH",
        help: "Cache folder: sizes of games, views, tables, indexes of PGN files and of positions; none keeps nothing [default: \
               $XDG_CACHE_HOME/pgnfs or ~/.cache/pgnfs]",
        repeats: false,
        set: |settings, value| {
            settings.cache_folder = match value {
                "" => return Err("a path or none".into()),
                "none" => CacheFolder::Nowhere,
                path => CacheFolder::At(path.into()),
            };
            Ok(())
        },
    },
    OptionRow {
        name: "cache-space",
        heading: CACHE,
        short: "Maximum size of the cache folder",
        value: "BYTES",
        help: "Maximum size of all files in the cache folder [default: 16G]",
        repeats: false,
        set: |settings, value| {
            settings.cache_space = bytes(value).ok_or("a number of bytes such as 512M or 20G")? as u64;
            Ok(())
        },
    },
    OptionRow {
        name: "index",
        heading: SPEED,
        short: "auto, yes or no: whether to use an index of positions",
        value: "auto|yes|no",
        help: "Index of positions. auto: find uses it if it exists, a mount builds it on the first use of moves/ or \
               positions/; yes: built if it is missing, by a mount in the background; no: never, and a mount has no \
               moves/ and positions/ [default: auto]",
        repeats: false,
        set: |settings, value| {
            settings.index = match value {
                "auto" => IndexUse::Auto,
                "yes" => IndexUse::Yes,
                "no" => IndexUse::No,
                _ => return Err("auto, yes or no".into()),
            };
            Ok(())
        },
    },
    OptionRow {
        name: "index-memory",
        heading: SPEED,
        short: "",
        value: "BYTES",
        help: "About how much memory to use for building an index [default: 512M]",
        repeats: false,
        set: |settings, value| {
            let memory = bytes(value).filter(|&memory| memory >= 16 << 20);
            settings.index_memory = memory.ok_or("a number of bytes such as 512M or 2G, at least 16M")?;
            Ok(())
        },
    },
];
