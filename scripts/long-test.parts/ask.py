"""Asking pgnfs and other programs, and comparing what they find and how long they take."""

import io
import mmap
import random
import re
import resource
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Iterable, NamedTuple, Optional

import chess
import chess.pgn

from oracle.answers import Found, Games

# Differences that are printed of each witness, and games of each.
MOST_SHOWN = 20
MOST_GAMES = 4
# Each time is the best of so many runs, in turns.
ROUNDS = 3


class Answer(NamedTuple):
    """What a program has written, and its processor time in seconds."""

    text: str
    seconds: float


def run(command: list[str], codes: Iterable[int] = (0,)) -> Answer:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    ended = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if ended.returncode not in codes:
        sys.exit(f"{command} ended with {ended.returncode}\n{ended.stderr}")
    return Answer(ended.stdout, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def find(pgnfs: str, query: str, source: str, *options: str) -> Answer:
    """Without a cache and on one thread."""
    kept = ["--cache-dir=none", "--threads=1", *options]
    return run([pgnfs, "find", *kept, "--", query, source], (0, 1))


def numbers(answer: Answer) -> dict[int, int]:
    """The plies of the games found, by the games' numbers."""
    rows = re.findall(r"(\d+)\.pgn\t(\d+)$", answer.text, re.MULTILINE)
    return {int(number): int(ply) for number, ply in rows}


def asked(pgnfs: str, options: list[str], question: list[str], database: Path) -> Found:
    """What `find` says, with a cache."""
    command = [pgnfs, "find", *options, *question, str(database)]
    ended = subprocess.run(command, capture_output=True, text=True)
    if ended.returncode not in (0, 1) or (ended.returncode == 1) != (ended.stdout == ""):
        sys.exit(f"{command} ended with {ended.returncode}\n{ended.stderr}")
    return numbers(Answer(ended.stdout, 0))


def compared(
    kind: str,
    questions: list[list[str]],
    answers: list[Found],
    pgnfs: str,
    database: Path,
    numbers: Optional[list[int]] = None,
) -> int:
    """Asks questions without kept files, with kept lines, and with an index, and prints how many answers are wrong, which is
    returned. `numbers` are those of the games in the database, if only some of its games are looked at."""
    hits = sum(map(len, answers))
    wrong = 0
    for how, options in (
        ("without kept files", ["--index=no", "--cache-dir=none"]),
        ("with kept lines", ["--index=no"]),
        ("with an index", ["--index=yes"]),
    ):
        differ = 0
        for question, answer in zip(questions, answers):
            found = asked(pgnfs, options, question, database)
            if numbers is not None:
                found = {place: found[number] for place, number in enumerate(numbers, 1) if number in found}
            if found != answer:
                differ += 1
                pairs = (answer.items() - found.items(), found.items() - answer.items())
                missing, more = (sorted(pair)[:5] for pair in pairs)
                print(f"{question} {how}: missing {missing}, not expected {more}")
        print(f"{kind}: {len(questions)} questions with {hits} hits {how}, {differ} differ", flush=True)
        wrong += differ
    return wrong


def compared_queries(
    kind: str, texts: list[str], games: Games, pgnfs: str, database: Path, numbers: Optional[list[int]] = None
) -> int:
    """The same for queries, which the oracle answers."""
    return compared(kind, [[text] for text in texts], list(map(games.answer, texts)), pgnfs, database, numbers)


class Differences:
    """Counts questions and prints those that are answered differently."""

    def __init__(self, witness: str) -> None:
        self.witness = witness
        self.questions = self.hits = self.differ = 0

    def compare(self, query: str, ours: set, theirs: set, detail: str = "") -> None:
        self.questions += 1
        self.hits += len(theirs)
        if ours == theirs:
            return
        self.differ += 1
        if self.differ <= MOST_SHOWN:
            print(f"DIFFERENT: {query}: pgnfs {len(ours)} games, {self.witness} {len(theirs)}")
            for name, some in (("pgnfs", ours - theirs), (self.witness, theirs - ours)):
                if some:
                    print(f"    only {name}: {len(some)}, such as {sorted(some)[:MOST_GAMES]}")
            if detail:
                print(f"    {detail}")

    def report(self, about: str = "") -> None:
        counts = f"{self.questions} questions with {self.hits} hits, {self.differ} differ"
        print(f"{self.witness}{about and f', {about}'}: {counts}", flush=True)


class Times:
    """Processor times of questions, in seconds."""

    def __init__(self, title: str, columns: list[str]) -> None:
        self.columns = columns
        self.rows: list[list[float]] = []
        print(
            f"\n{title}: processor time in ms, best of {ROUNDS}\n{'':60}" + "".join(f"{name:>18}" for name in columns)
        )

    def add(self, question: str, *seconds: float) -> None:
        self.rows.append(list(seconds))
        shown = question if len(question) < 60 else question[:56] + "..."
        print(f"{shown:60}" + "".join(f"{1000 * value:18.1f}" for value in seconds), flush=True)

    def report(self, theirs: int, ours: int, aim: float) -> None:
        """How many times as fast column `ours` is as column `theirs`."""
        ratios = [row[theirs] / max(row[ours], 1e-6) for row in self.rows]
        whole = sum(row[theirs] for row in self.rows) / sum(row[ours] for row in self.rows)
        median, least, most = statistics.median(ratios), min(ratios), max(ratios)
        figures = f"{whole:.2f} for all, median {median:.2f}, {least:.2f} to {most:.2f} (aim {aim})"
        print(f"{self.columns[theirs]} / {self.columns[ours]}: {figures}")


def positions(games: Path, number: int, chance: random.Random) -> list[chess.Board]:
    """Positions of random games, at random plies."""
    boards: list[chess.Board] = []
    with games.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as text:
        starts = [match.start() for match in re.finditer(rb'^\[Event "', text, re.MULTILINE)] + [len(text)]
        while len(boards) < number:
            place = chance.randrange(len(starts) - 1)
            game = chess.pgn.read_game(io.StringIO(text[starts[place] : starts[place + 1]].decode()))
            assert game is not None
            board, moves = game.board(), list(game.mainline_moves())
            for move in moves[: chance.randint(0, len(moves))]:
                board.push(move)
            boards.append(board)
    return boards
