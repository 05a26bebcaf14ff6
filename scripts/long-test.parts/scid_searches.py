"""Compares searches of Scid 4.7 with queries: the games and the time.

usage: scid_searches.py PGNFS GAMES.pgn DATABASE FOLDER QUESTIONS

FOLDER is where Scid puts its copy of GAMES.pgn, which are those of DATABASE. Questions are made such that both programs
mean the same:

- Scid looks for a text anywhere in a name without its blanks: words are asked for that are only at the beginning of
  words.
- Its dates are compared as numbers: whole years are asked for.
- The difference of unknown ratings is 0, which is left out.
- A board has no rights, and one side is to move: material is searched for with either side. The search for pawns
  depends on the other pieces of the board, so it is left out.

Scid's time is that of the search alone, in a base that is open. That of pgnfs is of the whole program, and of looking
a search up in a mount, where the database is open, too.
"""

import os
import random
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

import chess

from ask import ROUNDS, Differences, Times, find, numbers, positions, run

HERE = Path(__file__).parent / "scid"
# How many times as fast pgnfs should be.
AIM = 10
# A name that Tcl and queries read as it is.
PLAIN = re.compile(r"[A-Za-z][A-Za-z ,.'-]*[A-Za-z]")


class Question(NamedTuple):
    query: str
    # The commands, each with the position that is on Scid's board if it needs one.
    commands: list[tuple[str, str]]


class Names:
    """The values of a tag in all games."""

    def __init__(self, pgn: str, *tags: str) -> None:
        found = re.findall(rf'^\[(?:{"|".join(tags)}) "(.*)"\]', pgn, re.MULTILINE)
        self.all = sorted(set(found))
        self.joined = "\n".join(self.all).lower()
        self.without_blanks = self.joined.replace(" ", "")

    def exact(self, chance: random.Random) -> str:
        while not PLAIN.fullmatch(name := chance.choice(self.all)):
            pass
        return name

    def word(self, chance: random.Random) -> str:
        """A word that is never inside another one."""
        while True:
            words = re.findall(r"[A-Za-z]{4,}", chance.choice(self.all))
            word = chance.choice(words).lower() if words else ""
            begun = re.findall(rf"(?<![^\W_]){word}", self.joined)
            if word and len(begun) == self.without_blanks.count(word):
                return word


def header(pgn: str, names: dict[str, Names], chance: random.Random) -> Question:
    terms: dict[str, tuple[str, str]] = {}
    for _ in range(chance.choice([1, 1, 2, 3])):
        kind = chance.choice(["white", "black", "player", "event", "elo", "diff", "year", "result", "eco"])
        if kind in ("white", "black", "player", "event"):
            some = names["event" if kind == "event" else "player"]
            if kind != "event" and chance.random() < 0.5:
                name = some.exact(chance)
                terms[kind] = (f'{kind}:="{name}"', f'-{kind} {{"{name}"}}')
            else:
                word = some.word(chance)
                terms[kind] = (f"{kind}:{word}", f"-{kind} {word}")
        elif kind == "elo" and "player" not in terms:
            field, option = chance.choice([("white_elo", "-welo"), ("black_elo", "-belo"), ("elo", "-elo")])
            low = chance.randint(1800, 2750)
            high = low + chance.choice([5, 50, 200])
            terms[option] = (f"{field}:{low}..{high}", f"{option} {{{low} {high}}}")
        elif kind == "diff":
            low = chance.choice([chance.randint(-300, -51), chance.randint(1, 300)])
            terms[kind] = (f"elo_diff:{low}..{low + 50}", f"-delo {{{low} {low + 50}}}")
        elif kind == "year":
            first = chance.randint(1900, 2020)
            last = first + chance.choice([0, 1, 10])
            terms[kind] = (f"year:{first}..{last}", f"-date {{{first}.00.00 {last}.12.31}}")
        elif kind == "result":
            terms[kind] = chance.choice(
                [("result:1-0", "-result 1"), ("result:0-1", "-result 0"), ("result:draw|1-0", "-result {=1}")]
            )
        elif kind == "eco":
            letter, low = chance.choice("ABCDE"), chance.randint(0, 99)
            high = min(99, low + chance.choice([0, 9, 30]))
            terms[kind] = (f"eco:{letter}{low:02}..{letter}{high:02}", f"-eco {{{letter}{low:02} {letter}{high:02}z}}")
    if "player" in terms:
        # With it, ratings would be those of the player.
        terms = {kind: term for kind, term in terms.items() if kind not in ("-elo", "diff")}
    query = " ".join(term for term, _ in terms.values())
    options = " ".join(option for _, option in terms.values())
    return Question(query, [("", f"sc_filter search $base dbfilter header -filter RESET {options}")])


def board(one: chess.Board, chance: random.Random) -> Question:
    fen = one.board_fen()
    turn, other = ("w", "b") if one.turn else ("b", "w")
    # A king in check cannot be one of the side that does not move.
    if one.is_check() or chance.random() < 0.5:
        to_move = chance.choice([f'"{fen} {turn}"', f'"{fen}" by:{chess.COLOR_NAMES[one.turn]}'])
        return Question(f"fen:{to_move}", [(one.fen(), "sc_search board RESET Exact false 0")])
    letters = "".join(piece.symbol() for piece in one.piece_map().values())
    pieces = "".join(sorted(letters, key="KQRBNPkqrbnp".index))
    sides = ((turn, "RESET"), (other, "OR"))
    return Question(
        f"material:{pieces}",
        [(f"{fen} {side} - - 0 1", f"sc_search board {operation} Material false 0") for side, operation in sides],
    )


def material(one: chess.Board, chance: random.Random, bishops: str = "either") -> Question:
    sides, options = [], []
    for color, side in ((chess.WHITE, "w"), (chess.BLACK, "b")):
        text = "K"
        for letter in "QRBNP":
            count = len(one.pieces(chess.PIECE_SYMBOLS.index(letter.lower()), color))
            low, high = chance.choice([(count, count), (count, count), (max(0, count - 1), count + 1), (0, 10)])
            if letter == "B" and bishops != "either":
                low, high = 1, 1
            text += f"{letter}{low}-{high}"
            options.append(f"-{side}{letter.lower()} {{{low} {high}}}")
        sides.append(text if color else text.lower())
        options.append(f"-{side}m {{0 20}}")
    plies = chance.choice([1, 1, 2, 5, 10, 20])
    flip = chance.choice([0, 0, 1])
    term = "" if bishops == "either" else f" bishops:{bishops}"
    query = f"material:{''.join(sides)}{term} for:{plies}{' mirror:colour' * flip}"
    rest = f"-flip {flip} -filter RESET -range {{0 9999}} -length {plies} -bishops {bishops.title()} -diff {{-99 99}}"
    return Question(query, [("", f"sc_search material {' '.join(options)} {rest}")])


def of_bishops(one: chess.Board, chance: random.Random) -> Question:
    """One bishop each. Scid does not ask for that: it compares their colours only if it is so."""
    return material(one, chance, chance.choice(["same", "opposite"]))


def asked_of_scid(base: Path, file: Path, games: bool) -> list[tuple[float, set[int]]]:
    answer = run(["tkscid", str(HERE / "questions.tcl"), str(base), str(file), "yes" if games else "no"])
    rows = [list(map(int, line.split())) for line in answer.text.splitlines() if line[:1].isdigit()]
    return [(row[0] / 1e6, set(row[2:])) for row in rows]


def opening(base: Path, file: Path) -> float:
    """The seconds in which Scid starts and opens its base."""
    file.write_text("")
    return min(run(["tkscid", str(HERE / "questions.tcl"), str(base), str(file), "no"]).seconds for _ in range(ROUNDS))


def processor_seconds(process: int) -> float:
    # After the name, which is in parentheses: fields 14 and 15 of all.
    fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def in_mount(pgnfs: str, database: str, place: Path, queries: list[str]) -> float:
    """The seconds of finding the games of all these queries in a mount."""
    place.mkdir(exist_ok=True)
    options = ["--cache-dir=none", "--index=no", "--threads=1"]
    process = subprocess.Popen([pgnfs, "mount", "-f", *options, database, str(place)])
    try:
        while not place.is_mount():
            assert process.poll() is None, "pgnfs mount has ended"
            time.sleep(0.1)
        # Opening may go on after mounting, and games are decoded in the background.
        subprocess.run([pgnfs, "status", "--wait", str(place)], check=True, stdout=subprocess.DEVNULL)
        begin = processor_seconds(process.pid)
        for query in queries:
            (place / "search" / query.replace("/", "_") / "info.txt").read_text()
        return processor_seconds(process.pid) - begin
    finally:
        subprocess.run([pgnfs, "unmount", str(place)], check=True, stdout=subprocess.DEVNULL)
        process.wait()


def main() -> None:
    pgnfs, pgn, database, folder, number = sys.argv[1:]
    chance = random.Random(1)
    base, file = Path(folder) / "scid", Path(folder) / "questions"
    imported = run(["tkscid", str(HERE / "import.tcl"), str(base), pgn])
    print(f"Scid imported the games in {imported.seconds:.0f} s of processor time")
    print(f"Scid starts and opens its base in {1000 * opening(base, file):.0f} ms of processor time")
    text = Path(pgn).read_text()
    names = {"player": Names(text, "White", "Black"), "event": Names(text, "Event")}
    boards = positions(Path(pgn), 2 * int(number), chance)
    kinds = {
        "header": [header(text, names, chance) for _ in range(int(number))],
        "board": [board(one, chance) for one in boards[::2]],
        "material": [material(one, chance) for one in boards[1::2]],
        "bishops": [of_bishops(one, chance) for one in boards[1::2]],
    }
    differ = 0
    for kind, questions in kinds.items():
        lines = (" ".join(f"{{{fen}}} {{{command}}}" for fen, command in one.commands) for one in questions)
        file.write_text("".join(f"{line}\n" for line in lines))
        rounds = []
        for place in range(ROUNDS):
            theirs = asked_of_scid(base, file, place == 0)
            assert len(theirs) == len(questions), f"Scid answered {len(theirs)} questions"
            rounds.append((theirs, [find(pgnfs, one.query, database) for one in questions]))
        differences = Differences(f"Scid, {kind} search")
        times = Times(f"{kind} search", ["Scid", "pgnfs"])
        for place, one in enumerate(questions):
            expected, found = rounds[0][0][place][1], rounds[0][1][place]
            differences.compare(one.query, set(numbers(found)), expected, one.commands[0][1])
            scid = min(theirs[place][0] for theirs, _ in rounds)
            times.add(one.query, scid, min(ours[place].seconds for _, ours in rounds))
        times.report(0, 1, AIM)
        mounted = in_mount(pgnfs, database, Path(folder) / "mount", [one.query for one in questions])
        scid = sum(row[0] for row in times.rows)
        print(f"in an open database, all: Scid {scid:.2f} s, pgnfs {mounted:.2f} s: {scid / mounted:.2f} times as fast")
        differences.report()
        differ += differences.differ
    sys.exit(differ > 0)


if __name__ == "__main__":
    main()
