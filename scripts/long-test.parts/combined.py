"""Compares queries for tags and positions at once with what python-chess finds, in every place where they can be asked.

usage: combined.py PGNFS LARGE.pgn FOLDER GAMES QUESTIONS

The games are drawn from LARGE.pgn; some are ends of these from set-up positions, or games of Chess960 at random. Each
query is asked of `pgnfs find` without an index, with one, and with one in which a byte is changed, on several numbers
of threads; of search/ in a mount, where games.csv, all.pgn and games/ must have the games; and of Python, if chessdb is
installed in its environment.
"""

import csv
import os
import random
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Optional

from ask import MOST_GAMES, asked
from made import drawn, end_of, of_line, played_at_random, write
from oracle.answers import Games
from oracle.games import Game
from oracle.tags import code, date, known, rating
from questions import MIRRORS, Maker
from tag_questions import TEXTS, Columns, Row, terms

try:
    import chessdb
except ImportError:
    chessdb = None

THREADS = (1, 2, 5)
# Mirror images are made of so many games at most for one question.
MIRRORED = 500
COLUMNS = Columns(sorted({name for names in TEXTS.values() for name in names} - {"eco_name", "Opening", "opening_name"}), [])


def games_of(large: Path, number: int, chance: random.Random) -> list[Game]:
    """Games from all parts of a file, some of which are their ends alone or others at random."""
    games = []
    for game in drawn(large, number, chance, in_order=False):
        line, kind = game.lines[0], chance.random()
        if kind < 0.07:
            line = end_of(line, chance)
        elif kind < 0.1:
            line = played_at_random(chance)._replace(winner=line.winner)
        games.append(of_line(game.tags, line))
    return games


def row_of(game: Game) -> Row:
    year, month, day = date(game)
    row: Row = {name: known(game, name) for name in [*COLUMNS.all, "Round"]}
    row |= {"year": year, "month": month, "day": day, "code": code(game), "Result": game.tags.get("Result", "*")}
    row |= {"WhiteElo": rating(game, "w"), "BlackElo": rating(game, "b"), "ply_count": len(game.lines[0].moves)}
    return row


class Asking:
    """Makes queries of which the terms about tags are about one game, and those about positions about the games found."""

    def __init__(self, games: list[Game], chance: random.Random) -> None:
        self.games, self.chance = Games(games, keeps_mirrors=False), chance

    def query(self) -> str:
        while True:
            texts = terms(COLUMNS, row_of(self.chance.choice(self.games.games)), self.chance)
            numbers = self.games.answer(" ".join(texts)) if texts else []
            if texts and numbers:
                break
        some = [self.games.games[number - 1] for number in numbers]
        movers = ("player", "opponent") if texts[0].startswith("player:") else ()
        mirrors = MIRRORS if len(numbers) <= MIRRORED else ("",)
        positions = Maker(some, self.chance).combined(mirrors, movers)
        # Terms of tags may stand in any group.
        parts = re.split(" (then|next) ", positions)
        for text in texts:
            place = self.chance.randrange(0, len(parts), 2)
            parts[place] = self.chance.choice([f"{text} {parts[place]}", f"{parts[place]} {text}"])
        return " ".join(parts)


def damaged(kept: Path, copy: Path, chance: random.Random) -> None:
    """Copies a cache folder and changes a byte of its index of positions."""
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(kept, copy)
    (index,) = copy.rglob("*.positions")
    data = bytearray(index.read_bytes())
    data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    index.write_bytes(data)


def in_mount(mount: Path, query: str) -> Optional[set[int]]:
    """The games in the directory of a query; `None` if its name is too long."""
    name = query.replace("/", "_")
    if len(name.encode()) > 255:
        return None
    folder = mount / "search" / name
    with (folder / "tables/games.csv").open(encoding="utf-8", newline="") as file:
        numbers = {int(row["number"]) for row in csv.DictReader(file)}
    games = len(re.findall(rb"^\[Event ", (folder / "all.pgn").read_bytes(), re.MULTILINE))
    listed = {int(path.stem) for path in folder.glob("games/*/*.pgn")}
    # Anything else than what was expected is a difference.
    return numbers if games == len(numbers) and listed == numbers else {-1}


def main() -> None:
    pgnfs, large, folder = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    chance = random.Random(1)
    begin = time.monotonic()
    games = games_of(large, int(sys.argv[4]), chance)
    database, mount = folder / "games.pgn", folder / "mount"
    write(games, database)
    asking = Asking(games, chance)
    print(f"{len(games)} games were drawn in {time.monotonic() - begin:.0f} s", flush=True)
    caches = {name: folder / name for name in ("kept", "damaged", "mounted")}
    for cache in caches.values():
        cache.mkdir()
    mount.mkdir()
    os.environ["XDG_CACHE_HOME"] = str(caches["kept"])
    asked(pgnfs, ["--index=yes"], ["line:e4"], database)
    subprocess.run([pgnfs, "mount", "--index=no", database, mount], check=True)
    differ: dict[str, int] = {}
    counts: dict[str, int] = {}
    hits = 0
    try:
        while not (mount / "info.txt").exists():
            time.sleep(0.1)
        opened = chessdb.open(str(database)) if chessdb else None
        for _ in range(int(sys.argv[5])):
            query = asking.query()
            expected = asking.games.answer(query)
            hits += len(expected)
            found: dict[str, object] = {}
            for threads in THREADS:
                option = f"--threads={threads}"
                os.environ["XDG_CACHE_HOME"] = str(caches["kept"])
                found[f"find, no index, {threads} threads"] = asked(pgnfs, ["--index=no", option], [query], database)
                found[f"find, index, {threads} threads"] = asked(pgnfs, ["--index=yes", option], [query], database)
                damaged(caches["kept"], caches["damaged"], chance)
                os.environ["XDG_CACHE_HOME"] = str(caches["damaged"])
                found[f"find, damaged index, {threads} threads"] = asked(pgnfs, [option], [query], database)
            listed = in_mount(mount, query)
            if listed is not None:
                found["search/ in a mount"] = listed
            if opened is not None:
                found["Python"] = {one.game.number: one.ply for one in opened.find(query)}
            for place, answer in found.items():
                counts[place] = counts.get(place, 0) + 1
                wanted = expected if isinstance(answer, dict) else set(expected)
                if answer != wanted:
                    differ[place] = differ.get(place, 0) + 1
                    only = [
                        sorted({*one} - {*other})[:MOST_GAMES] for one, other in ((answer, wanted), (wanted, answer))
                    ]
                    print(f"DIFFERENT: {place}: {query}: only pgnfs {only[0]}, only python-chess {only[1]}", flush=True)
    finally:
        subprocess.run([pgnfs, "unmount", mount], check=True)
    for place, count in counts.items():
        print(f"{place}: {count} questions, {differ.get(place, 0)} differ")
    print(f"{sys.argv[5]} questions with {hits} hits in {time.monotonic() - begin:.0f} s")
    if chessdb is None:
        print("NOT COMPARED with Python: chessdb is not installed in its environment")
    sys.exit(bool(differ))


if __name__ == "__main__":
    main()
