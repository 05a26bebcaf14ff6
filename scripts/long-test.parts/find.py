"""Compares the answers of `pgnfs find` with what python-chess finds by looking at every position.

usage: find.py PGNFS LARGE.pgn FOLDER GAMES

Nine of ten games are drawn from LARGE.pgn. The others are ends of such games, from set-up positions, and games of
Chess960 at random, which have many promotions. All questions are asked without an index and with one.
"""

import random
import re
import subprocess
import sys
import time
from collections import defaultdict
from pathlib import Path
from typing import Iterator, NamedTuple, Optional

import chess
import chess.pgn

# Questions of each kind.
QUESTIONS = 150

# The first ply at which each game has something, by the game's number from 1.
Found = dict[int, int]


class Note(NamedTuple):
    """Annotations after a move, or before the first one."""

    nags: tuple[int, ...] = ()
    words: str = ""
    # Seconds, and hundredths of a pawn or 10,000 for a mate.
    clock: Optional[int] = None
    worth: Optional[int] = None

    def comment(self) -> str:
        parts = [self.words]
        if self.clock is not None:
            parts.append(f"[%clk {self.clock // 3600}:{self.clock // 60 % 60:02}:{self.clock % 60:02}]")
        if self.worth is not None:
            mate = f"#{self.worth // 5000}"
            parts.append(f"[%eval {mate if abs(self.worth) == 10_000 else format(self.worth / 100, '.2f')}]")
        return " ".join(filter(None, parts))


class Game(NamedTuple):
    date: str
    start: chess.Board
    moves: list[chess.Move]
    # Before the first move and after each.
    notes: tuple[Note, ...] = ()
    # `w` or `b` by the result.
    winner: str = ""

    def positions(self) -> Iterator[chess.Board]:
        """The positions of the main line: one board, which changes."""
        board = self.start.copy()
        yield board
        for move in self.moves:
            board.push(move)
            yield board


def kinds_of(board: chess.Board) -> Iterator[tuple[str, object]]:
    """What a question may ask of a position: the kind of question, and what it wants to be the same."""
    fields = board.epd().split()
    for count in (2, 3, 4):
        yield f"fen{count}", " ".join(fields[:count])
    pawns = board.pawns
    yield "pawns", (pawns & board.occupied_co[chess.WHITE], pawns & board.occupied_co[chess.BLACK])
    yield "material", material_of(board)


def material_of(board: chess.Board) -> str:
    return "".join(sorted(piece.symbol() for piece in board.piece_map().values()))


class Answers:
    """What python-chess finds in some games."""

    def __init__(self, games: list[Game]) -> None:
        self.found: defaultdict[tuple[str, object], Found] = defaultdict(dict)
        for number, game in enumerate(games, 1):
            for ply, board in enumerate(game.positions()):
                for kind in kinds_of(board):
                    self.found[kind].setdefault(number, ply)

    def of(self, kind: str, board: chess.Board) -> Found:
        return self.found.get((kind, dict(kinds_of(board))[kind]), {})

    def novelties(self, games: list[Game]) -> Found:
        """The number of moves before each game's first move to a position that no game of an earlier date has."""
        found = {}
        for number, game in enumerate(games, 1):
            if not known(game.date):
                continue
            for ply, board in enumerate(game.positions()):
                others = self.found["fen4", board.epd()]
                if ply > 0 and not any(earlier(games[other - 1].date, game.date) for other in others):
                    found[number] = ply - 1
                    break
        return found


def known(date: str) -> list[int]:
    """The parts of a date up to the first unknown one."""
    parts = []
    for part in date.split("."):
        if not part.isdigit() or int(part) == 0:
            break
        parts.append(int(part))
    return parts


def earlier(one: str, other: str) -> bool:
    """True if a date is certainly before another one."""
    for a, b in zip(known(one), known(other)):
        if a != b:
            return a < b
    return False


def drawn(large: Path, number: int, chance: random.Random) -> list[Game]:
    """Games from all parts of a file."""
    with large.open("rb") as file:
        offsets = [match.start() for match in re.finditer(rb"^\[Event ", file.read(), re.MULTILINE)]
    games = []
    with large.open(encoding="utf-8") as file:
        for offset in sorted(chance.sample(offsets, number)):
            file.seek(offset)
            game = chess.pgn.read_game(file)
            assert game is not None and not game.errors, offset
            games.append(Game(game.headers["Date"], game.board(), list(game.mainline_moves())))
    return games


def end_of(game: Game, chance: random.Random) -> Game:
    """The end of a game, as a game from a set-up position."""
    cut = chance.randint(0, len(game.moves))
    board = game.start.copy()
    for move in game.moves[:cut]:
        board.push(move)
    # Earlier positions would count as repetitions.
    return Game(game.date, chess.Board(board.fen()), game.moves[cut:])


def played_at_random(chance: random.Random) -> Game:
    board = chess.Board.from_chess960_pos(chance.randrange(960))
    start, moves = board.copy(), []
    while len(moves) < 160 and not board.is_game_over():
        legal = list(board.legal_moves)
        promotions = [move for move in legal if move.promotion]
        moves.append(chance.choice(promotions or legal))
        board.push(moves[-1])
    return Game(f"{chance.randint(1990, 2020)}.??.??", start, moves)


def write(games: list[Game], path: Path) -> None:
    with path.open("w", encoding="utf-8") as file:
        for number, game in enumerate(games, 1):
            pgn = chess.pgn.Game()
            pgn.setup(game.start)
            pgn.headers.update({"Event": str(number), "Date": game.date})
            pgn.add_line(game.moves)
            for node, note in zip([pgn, *pgn.mainline()], game.notes):
                node.comment = note.comment()
                node.nags.update(note.nags)
            print(pgn, end="\n\n", file=file)


def somewhere(games: list[Game], chance: random.Random) -> chess.Board:
    """A position of some game; in one case of five one that a move leads to which was perhaps not played."""
    game = chance.choice(games)
    board = game.start.copy()
    for move in game.moves[: chance.randint(0, len(game.moves))]:
        board.push(move)
    legal = list(board.legal_moves)
    if legal and chance.random() < 0.2:
        board.push(chance.choice(legal))
    return board


class Question(NamedTuple):
    arguments: list[str]
    answer: Found


def fen(games: list[Game], answers: Answers, chance: random.Random) -> Question:
    board = somewhere(games, chance)
    fields = chance.choice([2, 3, 4, 4, 6])
    text = " ".join(board.fen().split()[:fields])
    return Question(["--fen", text], answers.of(f"fen{min(fields, 4)}", board))


def line(games: list[Game], answers: Answers, chance: random.Random) -> Question:
    usual = [game for game in games if game.start == chess.Board()]
    game = chance.choice(usual)
    moves = game.moves[: chance.randint(0, min(40, len(game.moves)))]
    board = chess.Board()
    text = board.variation_san(moves)
    if chance.random() < 0.5:
        text = re.sub(r"\d+\.+ ?", "", text)
    for move in moves:
        board.push(move)
    return Question(["--moves", text], answers.of("fen4", board))


def pawns(games: list[Game], answers: Answers, chance: random.Random) -> Question:
    board = somewhere(games, chance)
    text = board.fen() if chance.random() < 0.5 else board.board_fen()
    return Question(["--pawns", text], answers.of("pawns", board))


def material(games: list[Game], answers: Answers, chance: random.Random) -> Question:
    board = somewhere(games, chance)
    if chance.random() < 0.2:
        others = [square for square, piece in board.piece_map().items() if piece.piece_type != chess.KING]
        if others:
            board.remove_piece_at(chance.choice(others))
    text = list(material_of(board))
    chance.shuffle(text)
    return Question(["--material", "".join(text)], answers.of("material", board))


def asked(pgnfs: str, options: list[str], question: list[str], database: Path) -> Found:
    command = [pgnfs, "find", *options, *question, str(database)]
    ended = subprocess.run(command, capture_output=True, text=True)
    if ended.returncode not in (0, 1) or (ended.returncode == 1) != (ended.stdout == ""):
        sys.exit(f"{command} ended with {ended.returncode}\n{ended.stderr}")
    rows = [row.split("\t") for row in ended.stdout.splitlines()]
    return {int(re.search(r"(\d+)\.pgn$", path)[1]): int(ply) for path, ply in rows}


def main() -> None:
    pgnfs, large, folder, number = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]), int(sys.argv[4])
    chance = random.Random(1)
    begin = time.monotonic()
    games = drawn(large, number * 9 // 10, chance)
    games += [end_of(chance.choice(games), chance) for _ in range(number // 15)]
    games += [played_at_random(chance) for _ in range(number - len(games))]
    chance.shuffle(games)
    database = folder / "games.pgn"
    write(games, database)
    answers = Answers(games)
    positions = sum(len(game.moves) + 1 for game in games)
    print(f"python-chess looked at {positions} positions of {len(games)} games", end=" ")
    print(f"in {time.monotonic() - begin:.0f} s", flush=True)
    wrong = 0
    for kind in (fen, line, pawns, material):
        questions = [kind(games, answers, chance) for _ in range(QUESTIONS)]
        wrong += compared(kind.__name__, questions, pgnfs, database)
    novelty = Question(["--novelty"], answers.novelties(games))
    wrong += compared("novelty", [novelty], pgnfs, database)
    sys.exit(wrong > 0)


def compared(
    kind: str, questions: list[Question], pgnfs: str, database: Path, numbers: Optional[list[int]] = None
) -> int:
    """Asks questions and prints how many answers are wrong, which is returned. `numbers` are those of the games in the
    database, if only some of its games are looked at."""
    hits = sum(len(question.answer) for question in questions)
    wrong = 0
    for index, options in (("without", ["--index=no"]), ("with", ["--index=yes"])):
        differ = 0
        for question in questions:
            found = asked(pgnfs, options, question.arguments, database)
            if numbers is not None:
                found = {place: found[number] for place, number in enumerate(numbers, 1) if number in found}
            if found != question.answer:
                differ += 1
                pairs = (question.answer.items() - found.items(), found.items() - question.answer.items())
                missing, more = (sorted(pair)[:5] for pair in pairs)
                print(f"{question.arguments} {index} an index: missing {missing}, not expected {more}")
        print(f"{kind}: {len(questions)} questions with {hits} hits {index} an index, {differ} differ", flush=True)
        wrong += differ
    return wrong


if __name__ == "__main__":
    main()
