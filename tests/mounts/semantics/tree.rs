//! Section 1: the tree.

use super::mounted::Mounted;
use testkit::has;

#[test]
fn section_1_1_every_database_is_a_directory_at_its_place() {
    let Some(mounted) = Mounted::new(&[]) else { return };
    assert_eq!(mounted.lines("ls"), ["all", "annotated.dci", "club", "info.txt"]);
    assert_eq!(mounted.lines("ls club"), ["classics.dci"]);
    let info = mounted.shell("cat info.txt");
    assert!(
        info.contains("club/classics.dci") && info.contains("annotated.dci"),
        "{info}"
    );
    // Files that belong to no database are not shown.
    assert_eq!(mounted.shell("find . -name 'notes*'"), "");
}

#[test]
fn section_1_2_all_databases_are_one_directory_too() {
    let Some(mounted) = Mounted::new(&[]) else { return };
    let top = "all.pgn eco events info.txt material merged moves players positions search tables years";
    assert_eq!(mounted.lines("ls all").join(" "), top);
    // A player's games come from all databases, each the same file as there.
    let inodes = |folders: &str, player: &str| {
        let path = format!("'*/players/{player}/*'");
        mounted.lines(&format!("find {folders} -path {path} -printf '%i\\n' | sort"))
    };
    for player in ["Tal, Mikhail", "Fischer, Robert James"] {
        let of_all = inodes("all", player);
        assert!(of_all.len() > 2, "{player}");
        assert_eq!(of_all, inodes("annotated.dci club", player));
    }
    // Names sort by date and end with the code of the database, which info.txt explains, and the number there.
    for name in mounted.lines("ls 'all/players/Tal, Mikhail'") {
        let (before, number) = name.trim_end_matches(".pgn").rsplit_once('-').unwrap();
        let (before, code) = before.rsplit_once('_').unwrap();
        let path = mounted.shell(&format!("sed -n 's/^  {code}  \\(.*\\), .*/\\1/p' all/info.txt"));
        let own = format!("'{}/players/Tal, Mikhail/{before}_{number}.pgn'", path.trim());
        assert_eq!(
            mounted.shell(&format!("cmp {own} 'all/players/Tal, Mikhail/{name}'")),
            ""
        );
    }
    mounted.shell("cat annotated.dci/all.pgn club/classics.dci/all.pgn | cmp - all/all.pgn");
    mounted.shell(
        r#"cd all/merged/players; for player in *.pgn; do
             cat "../../../annotated.dci/merged/players/$player" \
                 "../../../club/classics.dci/merged/players/$player" 2> /dev/null | cmp - "$player" || exit 1
           done"#,
    );
    // Every row of the tables leads to its game from the root.
    assert_eq!(
        mounted.lines("wc -l < all/tables/games.csv"),
        [(mounted.games + 1).to_string()]
    );
    mounted.shell("sed 's/.*,//' all/tables/games.csv | tail -n +2 | xargs ls > /dev/null");
}

#[test]
fn section_1_2_a_database_shows_its_games_in_every_view() {
    let Some(mounted) = Mounted::new(&[]) else { return };
    let top = "all.pgn eco events games info.txt material merged moves players positions search tables years";
    assert_eq!(mounted.lines("ls annotated.dci").join(" "), top);
    let count = |command: &str| mounted.lines(command).len();
    assert_eq!(count("find */games club/*/games -name '*.pgn'"), mounted.games);
    assert_eq!(count("find . -path '*/games/000001-001000/000001.pgn'"), 2);

    // The directories of both players, of the event with its year, of the year and of the opening contain the
    // same file.
    let name = "1851.06.21_Anderssen-Kieseritzky_1-0_";
    let paths = mounted.lines(&format!("find . -name '{name}*'"));
    let has = |part: &str| paths.iter().any(|path| path.contains(part));
    for part in [
        "/players/Anderssen, Adolf/",
        "/players/Kieseritzky, Lionel/",
        "/years/1851/",
        "/events/",
        "/eco/",
        "/material/",
    ] {
        assert!(has(part), "{part} in {paths:?}");
    }

    // A merged file consists of the games of its directory in database order, which is the order of their
    // numbers.
    let players = mounted.lines("cd club/classics.dci/players; ls -d *");
    assert!(players.len() > 30);
    mounted.shell(
        r#"cd club/classics.dci; for player in players/*; do
             ls "$player" | sed 's/.*_\([0-9]*\).pgn/\1 &/' | sort -n | cut -d' ' -f2- |
               (cd "$player"; xargs cat) | cmp - "merged/$player.pgn" || exit 1
           done"#,
    );
    mounted.shell("cd club/classics.dci; cat games/*/*.pgn | cmp - all.pgn");

    // A deleted game is in games/ and all.pgn, but in no view.
    assert_eq!(
        mounted
            .lines("grep -l -r 'Deleted \"1\"' club/classics.dci/games")
            .len(),
        1
    );
    assert_eq!(
        mounted
            .lines("find club -path '*games*' -o -name '*_000003.pgn' -print")
            .len(),
        0
    );
    assert_eq!(
        mounted.shell("grep -c 'Deleted \"1\"' club/classics.dci/all.pgn"),
        "1\n"
    );
    assert_eq!(
        mounted.shell("cat */tables/problems.txt club/*/tables/problems.txt"),
        ""
    );
}

#[test]
fn section_1_3_names_sort_by_date_and_need_no_quotes() {
    let Some(mounted) = Mounted::new(&[]) else { return };
    let names = mounted.lines(
        "find club annotated.dci -path '*/players/*' -name '*.pgn' ! -path '*/merged/*' -printf '%f\\n'",
    );
    assert!(names.len() > mounted.games);
    for name in &names {
        let parts: Vec<&str> = name.trim_end_matches(".pgn").split('_').collect();
        let [date, players, result, number] = parts[..] else {
            panic!("{name}")
        };
        assert_eq!(date.len(), 10, "{name}");
        assert!(
            date.chars().all(|c| c.is_ascii_digit() || c == '.' || c == 'x'),
            "{name}"
        );
        assert!(players.chars().all(|c| c.is_alphanumeric() || c == '-'), "{name}");
        assert!(["1-0", "0-1", "draw", "open"].contains(&result), "{name}");
        assert!(number.len() == 6 && number.parse::<u32>().is_ok(), "{name}");
    }
    let years = mounted.lines("cd 'club/classics.dci/players/Morphy, Paul'; ls | cut -c1-4");
    assert!(years.is_sorted() && years.len() > 2, "{years:?}");
}

#[test]
fn section_1_4_directories_have_the_databases_own_names() {
    let Some(mounted) = Mounted::new(&[]) else { return };
    assert!(
        mounted
            .lines("ls annotated.dci/players")
            .contains(&"Réti, Richard".to_owned())
    );
    assert_eq!(
        mounted.lines("cd annotated.dci/merged/players; ls | sed 's/.pgn$//'"),
        mounted.lines("ls annotated.dci/players")
    );
}

#[test]
fn section_1_5_a_game_is_one_inode_in_all_views() {
    let Some(mounted) = Mounted::new(&[]) else { return };
    let list = "find . -name '*_000005.pgn' -path './club*' ! -path '*/moves/*' -printf '%i %n\\n'";
    let views = mounted.lines(list);
    assert!(views.len() >= 4);
    assert!(views.iter().all(|row| *row == views[0]), "{views:?}");
    let game = mounted.shell("stat -c '%i %h' club/classics.dci/games/000001-001000/000005.pgn");
    assert_eq!(game.trim_end(), views[0]);
    // The link count is the number of names: those in views and the one in games/.
    let links: usize = views[0].split(' ').nth(1).unwrap().parse().unwrap();
    assert_eq!(links, views.len() + 1);

    let all = "find . -printf '%i %p\\n' | sort";
    let before = mounted.shell(all);
    assert!(mounted.unmount());
    mounted.mount(&[]);
    assert_eq!(mounted.shell(all), before, "inodes of another mount");
}

#[test]
fn section_1_6_sizes_are_exact_and_times_are_the_days_of_play() {
    let Some(mounted) = Mounted::new(&[]) else { return };
    mounted.shell(
        "find . -type f | while read -r f; do test $(stat -c %s \"$f\") = $(wc -c < \"$f\") || exit 1; done",
    );
    let found = mounted.lines("find club/*/games -newermt 1858-01-01 ! -newermt 1859-01-01 -name '*.pgn'");
    let tagged = mounted.lines("grep -l -r 'Date \"1858' club/classics.dci/games");
    assert!(!found.is_empty());
    assert_eq!(found.len(), tagged.len(), "{found:?} {tagged:?}");
    assert_eq!(
        mounted
            .shell("stat -c %y club/classics.dci/years/1851/1851.06.21_Anderssen-Kieseritzky*")
            .trim_end(),
        "1851-06-21 12:00:00.000000000 +0000"
    );
    assert_eq!(
        mounted.shell("find . -type f ! -perm 0444 -o -type d ! -perm 0555"),
        ""
    );
}

#[test]
fn section_1_7_attributes_and_counts() {
    let Some(mounted) = Mounted::new(&["-o", "xattr"]) else {
        return;
    };
    if has("getfattr", "attr") {
        let tags = mounted.shell("cd annotated.dci/games/*/; getfattr -d 000001.pgn");
        assert!(
            tags.contains("user.pgn.White=") && tags.contains("user.pgn.Result="),
            "{tags}"
        );
        assert_eq!(
            mounted.shell("cd annotated.dci/games/*/; getfattr -n user.pgn.Result --only-values 000001.pgn"),
            mounted
                .shell("cd annotated.dci/games/*/; sed -n 's/.Result \"\\(.*\\)\".$/\\1/p' 000001.pgn")
                .trim_end()
        );
    }
    assert_eq!(
        mounted.lines("df --output=iused,ipcent . | tail -n 1 | tr -s ' '"),
        [format!(" {} 50%", mounted.games)]
    );
    let bytes = mounted.lines("df --output=pcent . | tail -n 1");
    assert_eq!(bytes, [" 50%"]);
    // du counts a game once, however many names it has.
    let kib = |paths: &str| -> u64 {
        let lines = mounted.lines(&format!("cd club/classics.dci; du -sk {paths}"));
        lines
            .iter()
            .map(|line| line.split_whitespace().next().unwrap().parse::<u64>().unwrap())
            .sum()
    };
    assert!(kib("games") > 0);
    assert_eq!(kib("games players events years eco material"), kib("games"));
}

#[test]
fn section_1_8_nothing_can_be_changed() {
    let Some(mounted) = Mounted::new(&[]) else { return };
    for command in [
        "touch new",
        "mkdir new",
        "rm info.txt",
        "mv info.txt new",
        "echo x > info.txt",
        "chmod 600 info.txt",
    ] {
        let said = mounted.shell(&format!("LC_ALL=C; export LC_ALL; ({command}) 2>&1 || true"));
        assert!(said.contains("Read-only file system"), "{command}: {said}");
    }
    let said = mounted.shell("LC_ALL=C; export LC_ALL; cat no/such/game.pgn 2>&1 || true");
    assert!(said.contains("No such file or directory"), "{said}");
}

#[test]
fn section_1_9_the_tree_follows_its_source() {
    let Some(mounted) = Mounted::new(&[]) else { return };
    let said = mounted.shell(
        r#"until_so() { for n in $(seq 200); do eval "$1" && return; sleep 0.1; done; echo "never: $1"; }
           game=games/000001-001000/000001.pgn
           inode() { stat -c %i "$1"; }
           neighbour=$(inode club/classics.dci/$game); before=$(inode annotated.dci/$game)
           cp annotated.dci/$game "$COPIES/old.pgn"; ls new.dci 2>/dev/null
           exec 3< annotated.dci/$game

           # Replaced: the path shows the new state, the open file the old one, and the neighbour is
           # unchanged.
           for file in "$SOURCE"/club/classics.*; do
             cp "$file" "$COPIES/new"; mv "$COPIES/new" "$SOURCE/annotated.${file##*.}"
             cp "$file" "$SOURCE/new.${file##*.}"
           done
           until_so 'cmp -s annotated.dci/all.pgn club/classics.dci/all.pgn'
           until_so 'cmp -s new.dci/all.pgn club/classics.dci/all.pgn'
           cmp "$COPIES/old.pgn" - <&3; exec 3<&-
           [ $neighbour = $(inode club/classics.dci/$game) ] || echo the neighbour is another one
           [ $before != $(inode annotated.dci/$game) ] || echo the inode is the same
           grep -q new.dci info.txt || echo info.txt is as it was

           # Rewritten in place: never a mixture, an error until the new state is available.
           exec 3< new.dci/games/000001-001000/000017.pgn
           printf XXXXXX | dd of="$SOURCE/new.dcn" bs=1 seek=10 conv=notrunc status=none
           cat <&3 > "$COPIES/read" 2> "$COPIES/error" && cmp "$COPIES/read" club/classics.dci/games/000001-001000/000017.pgn
           until_so 'ls new.dci/players 2>/dev/null | grep -q ^XXXXXX'

           # Removed, and its folder renamed.
           rm "$SOURCE"/new.* && mv "$SOURCE/club" "$SOURCE/team"
           until_so '[ ! -e new.dci ] && [ ! -e club ] && [ -e team/classics.dci ]'
           rm -r "$SOURCE"
           until_so 'grep -q "no such file or folder" info.txt'
           ls"#,
    );
    assert_eq!(said, "info.txt\n");
}

#[test]
fn section_1_14_a_query_is_a_directory() {
    let Some(mounted) = Mounted::new(&[]) else { return };
    let (base, own) = ("club/classics.dci", "'club/classics.dci/search/player:morphy'");
    assert_eq!(mounted.lines(&format!("ls {base}/search")), ["syntax.txt"]);
    let listing = |directory: &str| mounted.lines(&format!("ls -iL {directory}/players/'Morphy, Paul'"));
    assert!(listing(base).len() > 3);
    assert_eq!(listing(own), listing(base), "with the same inodes");
    let events = |file: &str| mounted.lines(&format!("grep -c '^.Event ' {file}"));
    assert_eq!(
        events(&format!("{own}/all.pgn")),
        events(&format!("{base}/merged/players/'Morphy, Paul.pgn'"))
    );
    assert_eq!(
        mounted.lines(&format!("readlink '{base}/search/player:MORPHY'")),
        ["player:morphy"]
    );
    let everywhere =
        mounted.lines("cut -d, -f1 'all/search/player:morphy db:classics.dci/tables/games.csv' | sort -u");
    assert_eq!(everywhere, ["club/classics.dci", "database"]);
    mounted.shell(&format!(
        "! ls '{base}/search/colour:white' 2> /dev/null && ! ls '{base}/search/.git' 2> /dev/null"
    ));
}
