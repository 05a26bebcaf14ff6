//! Sections 1.10 and 1.11: `moves/` and `positions/`.

use super::mounted::Mounted;
use testkit::has;

/// The movetext of every game that is not deleted, one a line, with the path of its file before it.
const MOVETEXTS: &str = r#"for game in games/*/*.pgn; do
    grep -q '^.Deleted' $game || { printf '%s ' $game; sed '/^\[/d' $game | tr '\n' ' '; echo; }
  done"#;

#[test]
fn section_1_10_every_game_stands_in_moves_once() {
    let Some(mounted) = Mounted::new(&[]) else { return };
    let of = |path: &str| format!("cd club/classics.dci; find {path} -name '*.pgn' -printf '%i\\n' | sort");
    let games = "cd club/classics.dci; grep -L '^.Deleted' games/*/*.pgn | xargs stat -c %i | sort";
    assert_eq!(mounted.shell(&of("moves")), mounted.shell(games));
    // Each of these directories, named directly or by a link, has as many games as begin with its moves.
    for (path, begin) in [
        ("moves/e4", "1. e4 "),
        ("moves/e4/e5/Nf3", "1. e4 e5 2. Nf3 "),
        ("moves/1.\\ e4\\ c5\\ 2.\\ Nf3/", "1. e4 c5 2. Nf3 "),
        ("moves/d4/d5/c4/e6", "1. d4 d5 2. c4 e6 "),
        ("moves/d2d4/g8f6/", "1. d4 Nf6 "),
    ] {
        let movetexts = format!("cd club/classics.dci; {MOVETEXTS}");
        let begin = format!("games/000001-001000/[0-9]*.pgn  *{}", begin.replace('.', "\\."));
        let played = mounted.shell(&format!("({movetexts}) | grep -c '^{begin}'"));
        let listed = mounted.shell(&format!("{} | wc -l", of(path)));
        assert_eq!(listed, played, "{path}");
    }
    let listed = mounted.lines("cd club/classics.dci/moves; find . -type d -links 1 -printf '%p\\n'");
    let most = "for d in $(find club/classics.dci/moves -type d); do ls $d | grep -c '.pgn$'; done | sort -n | tail -1";
    assert!(listed.len() > 3 && mounted.shell(most).trim().parse::<u32>().unwrap() <= 32);
}

#[test]
fn section_1_10_and_1_11_all_has_the_games_of_every_database() {
    let Some(mounted) = Mounted::new(&[]) else { return };
    let all = mounted.shell("find all/moves -name '*.pgn' -printf '%i\\n' | sort");
    let own = "find . -path ./all -prune -o -path '*/moves/*.pgn' -printf '%i\\n' | sort";
    assert_eq!(all, mounted.shell(own));
    // The number of games of each move, which is the third column.
    let sum = |tables: &str| {
        mounted.shell(&format!(
            "cat {tables} | awk -F, '$3 ~ /^[0-9]+$/ {{ n[$1] += $3 }} END {{ for (m in n) print m, n[m] }}' | sort"
        ))
    };
    assert_eq!(
        sum("all/moves/moves.csv"),
        sum("annotated.dci/moves/moves.csv club/classics.dci/moves/moves.csv")
    );
    let fen = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1";
    let listed = mounted.shell(&format!("ls 'all/positions/{fen}/games' | wc -l"));
    let rows = mounted.shell(&format!("sed 1d 'all/positions/{fen}/games.csv' | wc -l"));
    let played = mounted.shell("grep -lE '(^|[}] )1\\. e4( |$)' all/moves/e4/position/games/* | wc -l");
    assert_eq!((&rows, &played), (&listed, &listed));
}

#[test]
fn section_1_10_names_of_moves_and_links_to_them() {
    let Some(mounted) = Mounted::new(&[]) else { return };
    let links = "cd club/classics.dci/moves; readlink e2e4 e4/1...e5 'e4!?' '1. e4 c5 2. Nf3' e4,c5,Nf3";
    assert_eq!(mounted.lines(links), ["e4", "e5", "e4", "e4/c5/Nf3", "e4/c5/Nf3"]);
    let listed = mounted.lines("cd club/classics.dci/moves; ls; find . -name 'e2e4' -o -name '*,*'");
    assert!(listed.contains(&"moves.csv".to_owned()) && listed.contains(&"position".to_owned()));
    assert!(
        !listed
            .iter()
            .any(|name| name.contains("e2e4") || name.contains(',')),
        "{listed:?}"
    );
    // The Opera Game to its last move. Directories list only its beginning.
    let opera = "e4/e5/Nf3/d6/d4/Bg4/dxe5/Bxf3/Qxf3/dxe5/Bc4/Nf6/Qb3/Qe7/Nc3/c6/Bg5/b5/Nxb5/cxb5/Bxb5+/Nbd7/O-O-O/Rd8/Rxd7/Rxd7/Rd1/Qe6/Bxd7+/Nxd7/Qb8+/Nxb8/Rd8#";
    let games = mounted.lines(&format!(
        "cd club/classics.dci/moves/{opera}; ls; readlink ../Rd8"
    ));
    assert_eq!(games.len(), 2, "{games:?}");
    assert!(games[0].contains("Morphy") && games[1] == "Rd8#", "{games:?}");
    let missing = mounted.shell("ls club/classics.dci/moves/e4/e5/Ke3 2>&1 || true");
    assert!(missing.contains("No such file"), "{missing}");
}

#[test]
fn section_1_10_tools_walk_through_moves_to_its_end() {
    let Some(mounted) = Mounted::new(&[]) else { return };
    mounted.shell("cd club/classics.dci; du -s moves; ls -lR moves");
    let found = mounted.lines("cd club/classics.dci; grep -rl 'White .Morphy' moves | sed 's/.*_//' | sort");
    let games = "cd club/classics.dci; grep -l 'White .Morphy' $(grep -L '^.Deleted' games/*/*.pgn) | sed 's/.*\\///' | sort";
    assert!(!found.is_empty());
    assert_eq!(found, mounted.lines(games));
    if has("rsync", "rsync") {
        // The links are copied as links and lead to nothing there.
        mounted.shell(
            r#"cd club/classics.dci; rsync -a moves "$COPIES/"; diff -r --no-dereference moves "$COPIES/moves""#,
        );
    }
}

#[test]
fn section_1_10_moves_csv_counts_by_position() {
    let Some(mounted) = Mounted::new(&[]) else { return };
    let table = mounted.lines("cat club/classics.dci/moves/moves.csv");
    assert_eq!(
        table[0],
        "move,uci,games,white,draws,black,score,elo,performance,first,last,reached,eco,path"
    );
    let movetexts = mounted.lines(&format!("cd club/classics.dci; {MOVETEXTS}"));
    for row in &table[1..] {
        let fields: Vec<&str> = row.split(',').collect();
        let begin = format!(".pgn  1. {} ", fields[0]);
        let games: Vec<&String> = movetexts.iter().filter(|text| text.contains(&begin)).collect();
        let with = |result: &str| {
            games
                .iter()
                .filter(|text| text.trim_end().ends_with(result))
                .count()
        };
        let counts =
            [games.len(), with(" 1-0"), with(" 1/2-1/2"), with(" 0-1")].map(|count| count.to_string());
        assert_eq!(fields[2..6], counts, "{row}");
        assert!(games[0].starts_with(fields[13]), "{row}");
    }
    // The counts of the moves add up to the number of games with the position, whichever moves led to it.
    let counted = mounted.lines("cd club/classics.dci/moves/d4/Nf6/c4/e6; tail -n +2 moves.csv | cut -d, -f3; ls position/games/ | wc -l");
    let counted: Vec<usize> = counted.iter().map(|line| line.parse().unwrap()).collect();
    let (games, rows) = counted.split_last().unwrap();
    assert_eq!(rows.iter().sum::<usize>(), *games);
}

#[test]
fn section_1_11_positions_have_their_games() {
    let Some(mounted) = Mounted::new(&[]) else { return };
    assert_eq!(
        mounted.lines("ls club/classics.dci/positions"),
        ["info.txt", "novelties.csv", "start"]
    );
    let said = mounted.shell(
        r#"cd club/classics.dci/positions
           [ "$(ls start/games | wc -l)" = "$(find ../moves -name '*.pgn' | wc -l)" ] || echo games
           grep -q '^Games: *62$' start/info.txt || cat start/info.txt
           cat start/games/* | wc -c > "$COPIES/together"; wc -c < start/games.pgn | diff - "$COPIES/together"
           [ "$(wc -l < start/games.csv)" = 63 ] || echo games.csv
           cmp start/moves.csv ../moves/moves.csv
           # The same position in all its spellings.
           epd=rnbqkbnr-pppppppp-8-8-4P3-8-PPPP1PPP-RNBQKBNR_b_KQkq_-
           for name in "$(echo ${epd%-} | tr - .)-" "$(echo $epd | sed 's/_/ /g; s/-$/e3 0 1/')" "$(echo $epd | sed 's/-\(.*-\)/%2F\1/')"; do
             [ "$(readlink "$name")" = $epd ] || echo "$name"
           done
           fen='rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1'
           cmp "$fen/moves.csv" $epd/moves.csv; [ "$(cd "$fen" && pwd -P)" = "$PWD/$epd" ] || echo fen
           [ "$(readlink -f start/moves/e4)" = "$PWD/$epd" ] || echo moves
           [ "$(readlink -f ../moves/e4/position)" = "$PWD/$epd" ] || echo position
           ls -d 8-8-8-8-8-8-8-8_w_-_- 2> /dev/null; ls rnbqkbnr-pppppppp-8-8-8-8-PPPPPPPP-RNBQKBNR_b_KQkq_- 2> /dev/null
           inode=$(stat -c %i start/games/*_000005.pgn); [ $inode = $(stat -c %i ../games/*/000005.pgn) ] || echo inode"#,
    );
    assert_eq!(said, "");
}

#[test]
fn section_1_11_index_no_leaves_both_out() {
    let Some(mounted) = Mounted::new(&["-o", "index=no"]) else {
        return;
    };
    let said = mounted.shell("cd club/classics.dci; ls -d moves positions 2>&1 || true");
    assert!(said.contains("'moves'") && said.contains("'positions'"), "{said}");
}
