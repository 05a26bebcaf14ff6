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
from typing import Callable, NamedTuple, Optional

import chess
import chess.pgn

from asking import MOST_GAMES
from find import Found, Game, asked, end_of, played_at_random
from search import MIRRORS, Games, View, combined, giving, image, winner_in

try:
    import chessdb
except ImportError:
    chessdb = None

THREADS = (1, 2, 5)
# Mirror images are made of so many games at most for one question.
MIRRORED = 500

Tags = dict[str, str]
Holds = Callable[[Tags], bool]


class TagTerm(NamedTuple):
    text: str
    holds: Holds
    # Of a player: the sides that have the name, and those of them as whom all of it holds.
    sides: Callable[[Tags], tuple[str, str]] = lambda _: ("wb", "wb")


class AllGames(Games):
    """The games, whose positions are looked at when they are first asked for."""

    def __init__(self, games: list[Game]) -> None:
        super().__init__(games)
        self.kept: dict[tuple[int, bool, bool], list[View]] = {}

    def of(self, number: int, colour: bool, side: bool) -> list[View]:
        key = (number, colour, side)
        if key in self.kept:
            return self.kept[key]
        game = self.games[number]
        views = [image(board, move, colour, side) for board, move in zip(game.positions(), [*game.moves, None])]
        views = giving(views, winner_in(game, colour))
        # The images in mirrors are as many again for each mirror.
        if not colour and not side:
            self.kept[key] = views
        return views


class SomeGames(Games):
    """The games for which terms of tags hold."""

    def __init__(self, games: AllGames, numbers: list[int], sides: list[tuple[str, str]]) -> None:
        super().__init__([games.games[number] for number in numbers])
        self.all, self.numbers, self.sides = games, numbers, sides

    def players(self, number: int) -> tuple[str, str]:
        return self.sides[number - 1]

    def views(self, colour: bool = False, side: bool = False) -> list[list[View]]:
        if (colour, side) not in self.images:
            self.images[colour, side] = [self.all.of(number, colour, side) for number in self.numbers]
        return self.images[colour, side]


def drawn(large: Path, number: int, chance: random.Random) -> list[tuple[Tags, Game]]:
    """Games from all parts of a file, some of which are their ends alone or others at random."""
    with large.open("rb") as file:
        offsets = [match.start() for match in re.finditer(rb"^\[Event ", file.read(), re.MULTILINE)]
    found = []
    with large.open(encoding="utf-8") as file:
        for offset in chance.sample(offsets, number):
            file.seek(offset)
            read = chess.pgn.read_game(file)
            assert read is not None and not read.errors, offset
            winner = {"1-0": "w", "0-1": "b"}.get(read.headers["Result"], "")
            game = Game(read.headers["Date"], read.board(), list(read.mainline_moves()))
            tags = {name: value for name, value in read.headers.items() if name not in ("FEN", "SetUp")}
            kind = chance.random()
            if kind < 0.07:
                game = end_of(game, chance)
            elif kind < 0.1:
                game = played_at_random(chance)
            found.append((tags, game._replace(winner=winner)))
    return found


def write(games: list[tuple[Tags, Game]], path: Path) -> None:
    with path.open("w", encoding="utf-8") as file:
        for tags, game in games:
            pgn = chess.pgn.Game(tags)
            if game.start != chess.Board():
                pgn.setup(game.start)
            pgn.add_line(game.moves)
            print(pgn, end="\n\n", file=file)


def number_in(tags: Tags, name: str) -> Optional[int]:
    text = tags.get(name, "")
    return int(text) if text.isdigit() and 100 <= int(text) <= 3999 else None


def begins(text: str, beginning: str) -> bool:
    return any(word.startswith(beginning) for word in re.findall(r"[^\W_]+", text.lower()))


def beginning_of(text: str, chance: random.Random) -> Optional[str]:
    words = re.findall(r"[^\W_]+", text.lower()) if text.isascii() else []
    words = [word for word in words if word not in ("and", "or", "not", "then", "next")]
    word = chance.choice(words) if words else ""
    return word[: chance.randint(min(3, len(word)), len(word))] if word else None


SIDES = (("White", "Black", "1-0", "0-1"), ("Black", "White", "0-1", "1-0"))


def about_player(own: Tags, chance: random.Random) -> Optional[TagTerm]:
    """Terms of which one player must have all."""
    side, other, win, loss = chance.choice(SIDES)
    name, opponent = beginning_of(own[side], chance), beginning_of(own[other], chance)
    elo = number_in(own, f"{side}Elo") or 2400
    if not name or not opponent:
        return None
    kinds: list[tuple[str, Callable[[Tags, str, str, str, str], bool]]] = [
        ("", lambda *_: True),
        (f" opponent:{opponent}", lambda tags, _, other, *__: begins(tags[other], opponent)),
        (" result:win", lambda tags, _, __, win, ___: tags["Result"] == win),
        (" result:loss|draw", lambda tags, _, __, ___, loss: tags["Result"] in (loss, "1/2-1/2")),
        (f" elo:..{elo}", lambda tags, side, *_: 0 < (number_in(tags, f"{side}Elo") or 0) <= elo),
    ]
    text, rest = chance.choice(kinds)

    def sides(tags: Tags) -> tuple[str, str]:
        named = [side for side in SIDES if begins(tags[side[0]], name)]
        held = [side for side in named if rest(tags, *side)]
        return "".join(side[0][0].lower() for side in named), "".join(side[0][0].lower() for side in held)

    return TagTerm(f"player:{name}{text}", lambda tags: sides(tags)[1] != "", sides)


def about_game(own: Tags, chance: random.Random) -> Optional[TagTerm]:
    year, low = int(own["Date"][:4]) if own["Date"][:4].isdigit() else 0, chance.randint(2000, 2700)
    event, code = beginning_of(own["Event"], chance), own.get("ECO", "")[: chance.randint(1, 3)]
    kinds: list[TagTerm] = [
        TagTerm(f"result:{own['Result']}", lambda tags: tags["Result"] == own["Result"]),
        TagTerm("elo:?", lambda tags: not number_in(tags, "WhiteElo") and not number_in(tags, "BlackElo")),
        TagTerm(f"white_elo:{low}..", lambda tags: (number_in(tags, "WhiteElo") or 0) >= low),
        TagTerm(f"black_elo:..{low}|?", lambda tags: (number_in(tags, "BlackElo") or 0) <= low),
    ]
    if year:
        last = year + chance.randint(0, 3)
        kinds += [
            TagTerm(
                f"year:{year:04}..{last:04}",
                lambda tags: tags["Date"][:4].isdigit() and year <= int(tags["Date"][:4]) <= last,
            ),
        ] * 2
    if event:
        kinds.append(TagTerm(f"event:{event}", lambda tags: begins(tags["Event"], event)))
    if code:
        kinds.append(TagTerm(f"eco:{code}", lambda tags: tags.get("ECO", "").startswith(code)))
    return chance.choice(kinds)


def tag_terms(own: Tags, chance: random.Random) -> tuple[list[str], Holds, Optional[TagTerm]]:
    """One to three terms, of which those without a hyphen hold for a game with these tags; and that of a player."""
    texts: list[str] = []
    all_of_them: list[Holds] = []
    player = about_player(own, chance) if chance.random() < 0.4 else None
    if player is not None:
        texts.append(player.text)
        all_of_them.append(player.holds)
    for _ in range(chance.choice([0, 1, 1, 2]) if player else chance.choice([1, 2, 2])):
        term = about_game(own, chance)
        if term is None or (player and term.text.startswith("elo:")):
            continue
        if chance.random() < 0.15:
            texts.append(f"-{term.text}")
            all_of_them.append(lambda tags, term=term: not term.holds(tags))
        else:
            texts.append(term.text)
            all_of_them.append(term.holds)
    return texts, lambda tags: all(holds(tags) for holds in all_of_them), player


def question(games: list[tuple[Tags, Game]], all_games: AllGames, chance: random.Random) -> tuple[str, Found]:
    while True:
        texts, holds, player = tag_terms(chance.choice(games)[0], chance)
        numbers = [number for number, (tags, _) in enumerate(games) if holds(tags)]
        if texts and numbers:
            break
    sides = [player.sides(games[number][0]) if player else ("wb", "wb") for number in numbers]
    some = SomeGames(all_games, numbers, sides)
    movers = ("player", "opponent") if player else ()
    positions = combined(some, chance, MIRRORS if len(numbers) <= MIRRORED else ("",), movers)
    # Terms of tags may stand in any group.
    parts = re.split(" (then|next) ", positions.arguments[0])
    for text in texts:
        place = chance.randrange(0, len(parts), 2)
        parts[place] = chance.choice([f"{text} {parts[place]}", f"{parts[place]} {text}"])
    return " ".join(parts), {numbers[place - 1] + 1: ply for place, ply in positions.answer.items()}


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
    with (folder / "games.csv").open(encoding="utf-8", newline="") as file:
        numbers = {int(row["number"]) for row in csv.DictReader(file)}
    games = len(re.findall(rb"^\[Event ", (folder / "all.pgn").read_bytes(), re.MULTILINE))
    listed = {int(path.stem) for path in folder.glob("games/*/*.pgn")}
    # Anything else than what was expected is a difference.
    return numbers if games == len(numbers) and listed == numbers else {-1}


def main() -> None:
    pgnfs, large, folder = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    chance = random.Random(1)
    begin = time.monotonic()
    games = drawn(large, int(sys.argv[4]), chance)
    database, mount = folder / "games.pgn", folder / "mount"
    write(games, database)
    all_games = AllGames([game for _, game in games])
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
            query, expected = question(games, all_games, chance)
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
