"""Compares the answers of `pgnfs find QUERY` over sample databases with those of python-chess over the PGN expected of them.

usage: formats.py PGNFS SAMPLES FOLDER QUESTIONS

The expected PGN is beside its database, as NAME.expected.pgn. So many questions are made of some of its games. Each is
asked of the database and of the PGN, without an index and with one. Games that python-chess cannot read, games from
impossible positions and very long ones are left out, and times of a database in which pgnfs finds none: the PGN of some is
older than the database. Texts in UTF-8 and Latin-1 are read.
"""

import gzip
import io
import random
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Iterator, NamedTuple

from ask import compared_queries
from oracle.answers import Games
from oracle.games import Game, View, read, words
from questions import KINDS, Kind, Maker, clock, comment, evaluation, nag

# By these files a database is opened; one of jose may be a folder.
OPENED = (".si3", ".si4", ".si5", ".cbf", ".cbh", ".2cbh", ".cdp", ".dci", ".jose", ".main.brn", ".alternate.brn")
EXPECTED = re.compile(r"(.+)\.expected\.pgn(\.gz)?")

# Games of a database at most, and positions after which no further game is taken.
GAMES, POSITIONS = 60, 6000
# Half-moves of a game at most: trying all choices of positions takes long.
LONGEST = 600


class Sample(NamedTuple):
    """A database, the PGN that is expected of it, and some of its games with their numbers."""

    database: Path
    pgn: Path
    games: list[Game]
    numbers: list[int]


def word_of_comment(remarks: list[str]) -> Kind:
    """A word of a comment, none of a remark. One, because a format may have two comments where the PGN has one."""

    def one_word(view: View, chance: random.Random) -> str:
        begun = [word[: chance.randint(1, len(word))] for word in view.note.words.split() if word.isascii()]
        begun = [one for one in begun if not any(word.startswith(one) for word in remarks)]
        return f'comment:"{chance.choice(begun or ["novelty"])}"'

    return one_word


def samples(folder: Path) -> Iterator[tuple[Path, Path]]:
    """The databases of which PGN is expected, each with that."""
    for expected in sorted(folder.rglob("*.expected.pgn*")):
        name = EXPECTED.fullmatch(expected.name)
        for path in sorted(expected.parent.iterdir()) if name else []:
            is_of_jose = path.name == name[1] and path.is_dir() and any(path.rglob("*.MYD"))
            if is_of_jose or path.name.startswith(name[1]) and path.name.removeprefix(name[1]).lower() in OPENED:
                yield path, expected


def text_of(expected: Path) -> str:
    data = expected.read_bytes()
    data = gzip.decompress(data) if expected.suffix == ".gz" else data
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        # A damaged text has a few wrong bytes among those of UTF-8.
        is_utf_8 = not data[: error.start].isascii()
        return data.decode("utf-8", "replace") if is_utf_8 else data.decode("latin-1")


def sample(database: Path, expected: Path, exported: str, folder: Path, chance: random.Random) -> Sample:
    text = text_of(expected)
    if "[%clk" not in exported:
        text = re.sub(r"\[%clk[^]]*\]", "", text)
    # Scid writes an empty line after a comment before the first move.
    text = re.sub(r"\}[ \t]*\n[ \t]*\n(?=[^\[\s])", "}\n", text)
    begins = [match.start() for match in re.finditer(r"^\[Event ", text, re.MULTILINE)]
    pieces = [text[begin:end] for begin, end in zip(begins, [*begins[1:], len(text)])]
    pgn = folder / f"{database.stem}.pgn"
    pgn.write_text(text, encoding="utf-8")
    games, numbers, positions = [], [], 0
    for place in chance.sample(range(len(pieces)), len(pieces)):
        if len(games) == GAMES or positions >= POSITIONS:
            break
        game = next(read(io.StringIO(pieces[place])), None)
        if game is not None and len(game.lines[0].moves) <= LONGEST:
            games.append(game)
            numbers.append(place + 1)
            positions += len(game.lines[0].moves) + 1
    return Sample(database, pgn, games, numbers)


def export_of(pgnfs: str, database: Path) -> str:
    return subprocess.run([pgnfs, "export", database], capture_output=True, text=True, errors="replace").stdout


def remarks_of(exported: str) -> list[str]:
    """The words of the remarks on damage."""
    return sorted({word for remark in re.findall(r"\{pgnfs:[^}]*\}", exported) for word in words(remark).split()})


def questions(maker: Maker, number: int) -> list[str]:
    """Those with one term, with several, and with choices."""
    kinds = [lambda kind=kind: maker.alone(kind) for kind in maker.kinds] + [maker.sacrifice]
    if maker.usual():
        kinds.append(maker.line)
    makers = [lambda: maker.chance.choice(kinds)(), maker.combined, lambda: maker.chance.choice(kinds)(), maker.either]
    return [f"{makers[place % len(makers)]()} deleted:any" for place in range(number)]


def main() -> None:
    pgnfs, folder, place, number = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]), int(sys.argv[4])
    chance = random.Random(3)
    begin = time.monotonic()
    asked = databases = wrong = 0
    for database, expected in samples(folder):
        exported = export_of(pgnfs, database)
        some = sample(database, expected, exported, place, chance)
        if not some.games:
            continue
        databases += 1
        word = word_of_comment(remarks_of(exported))
        kinds = tuple(word if kind is comment else kind for kind in KINDS)
        if not any(one.nags or one.words for game in some.games for one in game.lines[0].notes):
            # Some PGN was written without annotations.
            kinds = tuple(kind for kind in kinds if kind not in (nag, word, clock, evaluation))
        made = questions(Maker(some.games, chance, kinds), number)
        asked += len(made)
        for source, form in ((database, ""), (some.pgn, " as PGN")):
            name = f"{database.relative_to(folder)}{form}"
            wrong += compared_queries(name, made, Games(some.games), pgnfs, source, some.numbers)
    print(f"{asked} questions about {databases} databases in {time.monotonic() - begin:.0f} s, {wrong} answers differ")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
