"""Compares the answers of `pgnfs find QUERY` over sample databases with those of python-chess over the PGN expected of them.

usage: formats.py PGNFS SAMPLES FOLDER QUESTIONS

The expected PGN stands beside its database, as NAME.expected.pgn. So many questions are made of some of its games. Each
is asked of the database and of the PGN, without an index and with one. Games that python-chess cannot read, those from
impossible positions and very long ones are left out, and times of a database in which pgnfs finds none: the PGN of some is
older than the database. Texts in UTF-8 and Latin-1 are read.
"""

import gzip
import io
import logging
import random
import re
import subprocess
import sys
import time
import unicodedata
from pathlib import Path
from typing import Callable, Iterator, NamedTuple, Optional

import chess
import chess.pgn

from find import Game, Note, Question, compared
from search import (
    KINDS,
    Games,
    Term,
    View,
    alone,
    clock,
    combined,
    comment,
    either,
    evaluation,
    line,
    nag,
    sacrifice,
    usual,
)

# By these files a database is opened; one of jose may be a folder.
OPENED = (".si3", ".si4", ".si5", ".cbf", ".cbh", ".2cbh", ".cdp", ".dci", ".jose", ".main.brn", ".alternate.brn")
EXPECTED = re.compile(r"(.+)\.expected\.pgn(\.gz)?")

# Games of a database at most, and positions after which no further game is taken.
GAMES, POSITIONS = 60, 6000
# Half-moves of a game at most: trying all choices of positions takes long.
LONGEST = 600

# Letters that are written without accents although they have no decomposition.
LETTERS = str.maketrans({"ß": "ss", "ø": "o", "ł": "l", "đ": "d", "æ": "ae", "œ": "oe", "ı": "i"})

Node = chess.pgn.GameNode


class Read(NamedTuple):
    """A game, and each comment by itself."""

    game: chess.pgn.Game
    comments: dict[Node, list[str]]


class Reader(chess.pgn.GameBuilder[chess.pgn.Game]):
    """Keeps each comment."""

    def begin_game(self) -> None:
        super().begin_game()
        self.comments: dict[Node, list[str]] = {}

    def visit_comment(self, comment: str) -> None:
        node = self.variation_stack[-1]
        before = node.comment
        super().visit_comment(comment)
        # A comment before the first move of a variation is about no move.
        if node.comment != before:
            self.comments.setdefault(node, []).append(comment)

    def result(self) -> Read:  # type: ignore[override]
        return Read(self.game, self.comments)


class Sample(NamedTuple):
    """A database, the PGN that is expected of it, and some of its games with their numbers."""

    database: Path
    pgn: Path
    games: list[Game]
    numbers: list[int]


def main_line_of(read: Read) -> Optional[Game]:
    try:
        start = read.game.board()
    except ValueError:
        return None
    if read.game.errors or not start.is_valid():
        return None
    notes = tuple(note(node, read.comments.get(node, [])) for node in (read.game, *read.game.mainline()))
    winner = {"1-0": "w", "0-1": "b"}.get(read.game.headers.get("Result", "*"), "")
    return Game("", start, list(read.game.mainline_moves()), notes, winner)


def note(node: Node, comments: list[str]) -> Note:
    nags = tuple(sorted(nag for nag in node.nags if 0 < nag < 256))
    own = " ".join(words(comment) for comment in comments if not comment.startswith("pgnfs:"))
    return Note(nags, own, seconds_left(node), worth(node))


def seconds_left(node: Node) -> Optional[int]:
    """The time on the clock, of which hours and minutes may be left out. python-chess wants them all."""
    time_left = re.search(r"\[%clk\s+((?:\d+:){0,2}\d+)(?:\.\d*)?\s*\]", node.comment)
    parts = time_left[1].split(":") if time_left else []
    return sum(int(part) * 60**place for place, part in enumerate(reversed(parts))) if parts else None


def worth(node: Node) -> Optional[int]:
    """Hundredths of a pawn, as which ChessBase writes it if a depth follows."""
    of_chessbase = re.search(r"\[%eval ([+-]?\d+),\d+\]", node.comment)
    if of_chessbase:
        return int(of_chessbase[1])
    score = node.eval()
    if score is None:
        return None
    mate = score.white().mate()
    return score.white().score() if mate is None else 10_000 if mate > 0 else -10_000


def words(text: str) -> str:
    """The words of a text in small letters without accents."""
    letters = unicodedata.normalize("NFKD", text)
    plain = "".join(letter for letter in letters if not unicodedata.category(letter).startswith("M"))
    small = plain.lower().translate(LETTERS)
    return " ".join("".join(letter if letter.isalnum() else " " for letter in small).split())


def word_of_comment(remarks: list[str]) -> Callable[[View, random.Random], Term]:
    """A word of a comment, none of a remark. One, because a format may have two comments where the PGN has one."""

    def one_word(view: View, chance: random.Random) -> Term:
        known = [word for word in view.note.words.split() if word.isascii()]
        begun = [word[: chance.randint(1, len(word))] for word in known]
        begun = [one for one in begun if not any(word.startswith(one) for word in remarks)]
        wanted = chance.choice(begun or ["novelty"])
        return Term(f'comment:"{wanted}"', lambda other: f" {wanted}" in f" {other.note.words}")

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
        read = chess.pgn.read_game(io.StringIO(pieces[place]), Visitor=Reader)
        game = main_line_of(read) if read is not None else None
        if game is not None and len(game.moves) <= LONGEST:
            games.append(game)
            numbers.append(place + 1)
            positions += len(game.moves) + 1
    return Sample(database, pgn, games, numbers)


def export_of(pgnfs: str, database: Path) -> str:
    return subprocess.run([pgnfs, "export", database], capture_output=True, text=True, errors="replace").stdout


def remarks_of(exported: str) -> list[str]:
    """The words of the remarks on damage."""
    return sorted({word for remark in re.findall(r"\{pgnfs:[^}]*\}", exported) for word in words(remark).split()})


def questions(games: Games, number: int, chance: random.Random) -> list[Question]:
    """Those with one term, with several, and with choices."""
    kinds = [*games.kinds, sacrifice]
    if usual(games):
        kinds.append(line)

    def of_one_kind() -> Question:
        kind = chance.choice(kinds)
        return kind(games, chance) if kind in (sacrifice, line) else alone(kind, games, chance)

    makers = [of_one_kind, lambda: combined(games, chance), of_one_kind, lambda: either(games, chance)]
    return [makers[place % len(makers)]() for place in range(number)]


def main() -> None:
    pgnfs, folder, place, number = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]), int(sys.argv[4])
    logging.getLogger("chess.pgn").setLevel(logging.CRITICAL)
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
        games = Games(some.games)
        games.kinds = [word if kind is comment else kind for kind in KINDS]
        if not any(one.nags or one.words for game in some.games for one in game.notes):
            # Some PGN was written without annotations.
            games.kinds = [kind for kind in games.kinds if kind not in (nag, word, clock, evaluation)]
        made = questions(games, number, chance)
        made = [Question([f"{one.arguments[0]} deleted:any"], one.answer) for one in made]
        asked += len(made)
        for source, form in ((database, ""), (some.pgn, " as PGN")):
            wrong += compared(f"{database.relative_to(folder)}{form}", made, pgnfs, source, some.numbers)
    print(f"{asked} questions about {databases} databases in {time.monotonic() - begin:.0f} s, {wrong} answers differ")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
