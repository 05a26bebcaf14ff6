"""Compares what pgnfs finds for each example of docs/search.md with what the oracle finds.

usage: examples.py PGNFS SEARCH.md FOLDER GAMES.pgn...

An example that no game answers is an error: for these there are games below that do, and others that almost do.
"""

import re
import sys
from pathlib import Path
from typing import Iterator

from ask import Differences, find, numbers
from oracle import tags
from oracle.answers import Games
from oracle.games import read

# The codes of this name with its variations; from D43 to D49 it is the Semi-Slav.
tags.OPENINGS["queen's gambit declined"] = "D(3[0-9]|4[0-2]|[56][0-9])"

# Both sides may castle to both sides after these moves.
DEVELOPED = "1. d4 d5 2. Nc3 Nc6 3. Bf4 Bf5 4. Qd2 Qd7 5. e3 e6 6. Bd3 Bd6 7. Nf3 Nf6"
QUIET = "1. Nf3 Nf6 2. Ng1 Ng8"
OWN_GAMES = [
    ("White=Carlsen, M; Black=Nepo; BlackElo=2760; Result=1-0", f"{DEVELOPED} 8. O-O-O O-O"),
    ("White=Nepo; Black=Carlsen, M; WhiteElo=2760; Result=1-0", f"{DEVELOPED} 8. O-O O-O-O"),
    ("White=Nepo; Black=Carlsen, M; WhiteElo=2749; Result=0-1", f"{DEVELOPED} 8. O-O-O"),
    ("White=Carlsen, M; Black=Carlsen, H; Result=1-0", f"{DEVELOPED} 8. O-O O-O-O"),
    ("White=Carlsen, M; Black=Tal, M", f"{DEVELOPED} 8. O-O"),
    ("White=Karpov; Black=Kasparov; Event=Linares; Date=1990.??.??; WhiteElo=2699; BlackElo=2700", QUIET),
    ("White=Tal, M; Black=Tal, Mihail; Event=Tata Wijk aan Zee; Date=1985.??.??; WhiteElo=2700; BlackElo=2700", QUIET),
    ("White=Tata; Black=Zee; Event=Wijk aan; Date=1985.11.09", QUIET),
    ("White=A; Black=B; Date=1985.12.??; WhiteElo=2500; BlackElo=65535; Result=1-0", QUIET),
    ("White=A; Black=B; WhiteElo=32484; BlackElo=0; Result=1-0", QUIET),
    ("White=A; Black=B; WhiteElo=2300; BlackElo=2500; Result=1-0", QUIET),
    ("White=A; Black=B; TimeControl=180+2", "1. e4 {[%emt 0:00:01]} e5"),
    ("White=A; Black=B; TimeControl=1800", "1. e4 {[%clk 0:30:00]} e5"),
    ("White=A; Black=B; Annotator=C", "1. e4 {good} (1. d4) 1... e5"),
    ("White=A; Black=B; Annotator=C", "1. e4 {good} e5"),
    ("White=Kasparov; Black=B", "1. c4 Nf6 2. d4 g6"),
    ("White=A; Black=B; WhiteElo=2500", "1. e4 e6 2. d4 d5 3. Nc3 Nf6 4. Nf3 Bb4 5. Bd3 O-O 6. O-O Nc6 7. e5 Ne8 8. Bxh7+"),
    ("White=A; Black=B; WhiteElo=2500", "1. e4 e6 2. d4 d5 3. Nc3 Nf6 4. Nf3 Bb4 5. Bd3 O-O 6. e5 Ne8 7. Bxh7+ Kxh7 8. O-O"),
    ("White=A; Black=B", "1. d4 d5 2. c4 e6 3. Nc3 Nf6 4. cxd5 exd5 5. Bg5 c6 6. e3"),
    ("White=A; Black=B", "1. d4 d5 2. Nf3 Nf6 3. Ne5"),
    ("White=A; Black=B", " ".join([QUIET, *(f"{number}. Nf3 Nf6 {number + 1}. Ng1 Ng8" for number in range(3, 17, 2))])),
    ("White=A; Black=B", f"{DEVELOPED} 8. O-O O-O"),
    ("White=A; Black=B", "1. Nc3 e6 2. Ne4 Qf6 3. Nxf6+"),
    ("White=A; Black=B", "1. Nc3 e6 2. Ne4 Qg5 3. Nxg5"),
    ("White=A; Black=B", "1. e4 e5 2. Qh5 Nf6 3. Qxe5+ Qe7 4. Bc4 d5 5. Qxe7+ Bxe7"),
    ("White=A; Black=B; Result=1-0", "1. e4 g6 2. Qh5 gxh5 3. d4 h6"),
    ("White=A; Black=B; Result=1-0", "1. d4 f5 2. e4 fxe4 3. Nc3 Nf6 4. Bg5 e6 5. Nxe4 Be7 6. Bxf6 Bxf6 7. Nf3 O-O 8. Bd3 b6 9. Ne5 Bb7 10. Qh5 Qe7 11. Qxh7+ Kxh7 12. Nxf6+ Kh6 13. Neg4+ Kg5 14. h4+ Kf4 15. g3+ Kf3 16. Be2+ Kg2 17. Rh2+ Kg1 18. Kd2#"),
    ("White=A; Black=B; Result=1-0", "1. e4 e6 2. d4 d5 3. Nc3 Nf6 4. Bg5 Be7 5. e5 Nfd7 6. h4 O-O 7. Bd3 b6 8. Bxh7+ Kxh7 9. Qh5+ Kg8 10. Bxe7 Qxe7 11. Qh7+"),
    ("White=A; Black=B; Result=1/2-1/2", "1. e4 ?? {[%eval 1.99]} e5 2. Qh5 {[%clk 0:00:30] [%eval 2]} Nc6 ?? 3. Qxe5+ {[%clk 0:00:29]}"),
    ("White=A; Black=B; Result=1-0", "1. e4 ?? {[%eval #-1]} e5 2. Nf3 {[%clk 0:00:29] [%eval 2]} Nc6"),
    ("White=A; Black=B; Result=1/2-1/2", "1. e4 {[%eval 20]} e5 {[%eval 205,24]} 2. Nf3 {[%cal Gf3e5] [%eval -3,20]} Nc6"),
    ("White=A; Black=B; Result=0-1", "1. e4 e6 2. d4 d5 3. Bd3 Bd6 4. Nf3 Nf6 5. O-O O-O 6. e5 Ne4 7. exd6 Qxd6 8. Bxe4 dxe4 9. Ng5 Qxh2+ {a sacrifice}"),
    ("White=A; Black=B; Result=0-1", "1. e4 e6 2. d4 d5 3. Nc3 Nf6 4. Nf3 Bb4 5. Bd3 O-O 6. O-O Nc6 7. e5 Ne8 8. Bxh7+ {the sacrifices begin}"),
    ("White=A; Black=B", "1. e4 e5 (1... c5 2. Nf3) 2. Nf3"),
    ("White=A; Black=B", "1. e4 e6 2. d4 d5 3. Bd3 Nf6 4. Nf3 Be7 5. e5 Nfd7 6. O-O O-O (6... a6 7. h4 O-O 8. Bxh7+ Kxh7 9. Ng5+ Kg8 10. Qh5 Re8 (10... Bxg5 11. hxg5) 11. Qxf7+ Kh8 12. Qh5+ Kg8 13. Qh7+ Kf8 14. Qh8#) 7. Re1"),
    ("White=Tal, M; Black=B; Result=1-0", QUIET),
    ("White=A; Black=Tal, M; Result=0-1", QUIET),
    ("White=Carlsen, M; Black=B; Result=1/2-1/2", QUIET),
    ("White=A; Black=B; Date=1990.12.??", "1. a4 b5 2. axb5 a6 3. bxa6 c5 4. h4 g5 5. hxg5 h6 6. gxh6 f5"),
    ("White=A; Black=B; Result=1-0", "1. e4 d5 2. Nc3 dxe4 3. d3 exd3 4. Bf4 dxc2 5. Nf3 Nf6 6. Be2 e6 7. O-O Be7 8. Re1 O-O"),
]


def own_games() -> str:
    games = []
    for tags, moves in OWN_GAMES:
        pairs = dict(tag.split("=", 1) for tag in tags.split("; "))
        text = "".join(f'[{name} "{value}"]\n' for name, value in {"Result": "*", **pairs}.items())
        games.append(f"{text}\n{moves} {pairs.get('Result', '*')}\n\n")
    for fen, moves in [
        # Mate on h7 and beside it, a bishop of each colour or of one.
        ("6k1/5ppp/8/3B3Q/8/3B4/8/6K1 w - - 0 1", "1. Qxh7+ Kf8 2. Qh8+ Ke7"),
        ("5rk1/5ppp/8/7Q/8/3B4/8/6K1 w - - 0 1", "1. Qxh7#"),
        ("4k3/p7/2b5/8/8/2B5/P7/4K3 w - - 0 1", "1. Kd2 Kd7"),
        ("4k3/p7/2b5/8/2B5/8/P7/4K3 w - - 0 1", "1. Kd2 Kd7"),
    ]:
        games.append(f'[White "A"]\n[Black "B"]\n[Result "*"]\n[SetUp "1"]\n[FEN "{fen}"]\n\n{moves} *\n\n')
    rook_ending = " ".join(f"{n}. Ra{1 + n % 2} Rh{8 - n % 2}" for n in range(1, 13))
    setup = '[SetUp "1"]\n[FEN "4k2r/8/8/8/8/8/8/R3K3 w - - 0 1"]\n'
    games.append(f'[White "A"]\n[Black "B"]\n[Result "*"]\n{setup}\n{rook_ending} *\n\n')
    return "".join(games)


def examples(page: str) -> Iterator[tuple[str, str]]:
    """The titles and queries of the page."""
    section = page.split("## Examples", 1)[1].split("\n## ", 1)[0]
    title = ""
    for line in section.splitlines():
        if line.startswith("    "):
            yield title, line.strip()
        elif line:
            title = line


def main() -> None:
    pgnfs, page, folder = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    own = folder / "examples.pgn"
    own.write_text(own_games(), encoding="utf-8")
    asked = list(examples(page.read_text(encoding="utf-8")))
    answers: dict[str, int] = {}
    differences = Differences("python-chess")
    for path in [own, *map(Path, sys.argv[4:])]:
        with path.open(encoding="utf-8") as file:
            some = list(read(file))
        assert all(some), f"{path}: python-chess cannot read games {[n for n, game in enumerate(some, 1) if not game]}"
        games = Games([game for game in some if game is not None])
        for title, query in asked:
            found = set(numbers(find(pgnfs, query, str(path))))
            differences.compare(query, found, set(games.answer(query)), title)
            answers[query] = answers.get(query, 0) + len(found)
        print(f"{path.name}: {len(some)} games")
    for title, query in asked:
        print(f"{answers[query]:6} {query}")
        if not answers[query]:
            print(f"NOT ANSWERED by any game: {title}")
            differences.differ += 1
    differences.report(f"{len(asked)} examples")
    sys.exit(differences.differ > 0)


if __name__ == "__main__":
    main()
