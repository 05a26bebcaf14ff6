//! The options of `mount` and `serve`.

use std::sync::Arc;
use std::time::Duration;

use super::row::{OptionRow, READ, SHOW, SPEED};
use super::values::{bytes, means};

pub(super) static ROWS: &[OptionRow] = &[
    OptionRow {
        name: "view",
        heading: SHOW,
        short: "Adds a view, such as openings=%{eco}/%{player}",
        value: "NAME=TEMPLATE",
        help: "Adds a view, such as openings=%{eco}/%{player}; may be repeated",
        repeats: true,
        set: |settings, value| {
            let wrong = |error| format!("a view: {error}");
            Ok(Arc::make_mut(&mut settings.serve.layout)
                .add_view(value)
                .map_err(wrong)?)
        },
    },
    OptionRow {
        name: "search",
        heading: SHOW,
        short: "Adds a search, such as 'najdorf=eco:B9'",
        value: "NAME=QUERY",
        help: "Adds a search to every search/, such as 'najdorf=eco:B9 white_elo:2600..'; may be repeated",
        repeats: true,
        set: |settings, value| {
            let wrong = |error| format!("a search: {error}");
            Ok(Arc::make_mut(&mut settings.serve.layout)
                .add_search(value)
                .map_err(wrong)?)
        },
    },
    OptionRow {
        name: "name",
        heading: SHOW,
        short: "Names of games in views",
        value: "TEMPLATE",
        help: "Names of games in views [default: %{date}_%{white}-%{black}_%{result}_%{number}]",
        repeats: false,
        set: |settings, value| {
            let wrong = |error| format!("a template for names: {error}");
            Ok(Arc::make_mut(&mut settings.serve.layout)
                .name_games(value)
                .map_err(wrong)?)
        },
    },
    OptionRow {
        name: "unique",
        heading: SHOW,
        short: "Adds all/unique/, which shows each game only once",
        value: "",
        help: "Adds all/unique/, which shows each game only once",
        repeats: false,
        set: |settings, _| {
            settings.serve.unique = true;
            Ok(())
        },
    },
    OptionRow {
        name: "eco",
        heading: SHOW,
        short: "tag or moves: where eco/ has its codes from",
        value: "tag|moves",
        help: "Where eco/ has its codes from; tag: the tag ECO alone; moves: the moves, for games without the tag [default: tag]",
        repeats: false,
        set: |settings, value| {
            let by_moves = match value {
                "tag" => false,
                "moves" => true,
                _ => return Err("tag or moves".into()),
            };
            Arc::make_mut(&mut settings.serve.layout).sort_eco_by_moves(by_moves);
            Ok(())
        },
    },
    OptionRow {
        name: "mtime",
        heading: SHOW,
        short: "played or source: the time of a game's file",
        value: "played|source",
        help: "Time of a game's file; played: the day of the game; source: the time of the database [default: played]",
        repeats: false,
        set: |settings, value| {
            settings.serve.mtime_from_source = match value {
                "played" => false,
                "source" => true,
                _ => return Err("played or source".into()),
            };
            Ok(())
        },
    },
    OptionRow {
        name: "cache-size",
        heading: SPEED,
        short: "Maximum size of decoded games in memory",
        value: "BYTES",
        help: "Maximum size of decoded games in memory, such as 500000, 64M or 2G [default: 64M]",
        repeats: false,
        set: |settings, value| {
            settings.serve.cache_size = bytes(value).ok_or("a number of bytes such as 500000, 64M or 2G")?;
            Ok(())
        },
    },
    OptionRow {
        name: "watch",
        heading: READ,
        short: "auto, inotify, poll or off: how to notice changes",
        value: "MODE",
        help: "How to notice changes of the source: auto, inotify, poll or poll:SECONDS, or off [default: auto]",
        repeats: false,
        set: |settings, value| {
            settings.watch = means(value).ok_or("auto, inotify, poll, poll:SECONDS (1 to 86400) or off")?;
            Ok(())
        },
    },
    OptionRow {
        name: "quiet",
        heading: READ,
        short: "",
        value: "MILLISECONDS",
        help: "",
        repeats: false,
        set: |settings, value| {
            let milliseconds = value.parse().ok().filter(|wanted| (1..=60_000).contains(wanted));
            settings.quiet = milliseconds
                .map(Duration::from_millis)
                .ok_or("a number from 1 to 60000")?;
            Ok(())
        },
    },
    OptionRow {
        name: "source-timeout",
        heading: READ,
        short: "",
        value: "SECONDS",
        help: "How long to wait for files on a network or on another FUSE file system before a request fails [default: 30]",
        repeats: false,
        set: |settings, value| {
            let seconds = value.parse().ok().filter(|seconds| (1..=86400).contains(seconds));
            let seconds = seconds.ok_or("a number of seconds from 1 to 86400")?;
            settings.serve.source_timeout = Duration::from_secs(seconds);
            Ok(())
        },
    },
    OptionRow {
        name: "open-wait",
        heading: READ,
        short: "",
        value: "SECONDS",
        help: "How long to wait for databases that open slowly; they appear when they are open [default: 2]",
        repeats: false,
        set: |settings, value| {
            let seconds = value.parse().ok().filter(|seconds| *seconds <= 86_400);
            settings.open_wait = seconds
                .map(Duration::from_secs)
                .ok_or("a number from 0 to 86400")?;
            Ok(())
        },
    },
    OptionRow {
        name: "wait-for-source",
        heading: READ,
        short: "Mounts even if SOURCE does not exist yet",
        value: "",
        help: "Mounts even if SOURCE does not exist or has no databases yet",
        repeats: false,
        set: |settings, _| {
            settings.wait_for_source = true;
            Ok(())
        },
    },
];
