"""Compares the answers of `pgnfs find` about one position, and its novelties, with what python-chess finds in every one.

usage: find.py PGNFS LARGE.pgn FOLDER GAMES

All questions are asked without kept files, with kept lines, and with an index.
"""

import random
import re
import sys
from collections import defaultdict
from pathlib import Path

import chess

from ask import compared, compared_queries
from made import mixed, write
from oracle.answers import Found, Games
from oracle.games import Game, Line
from oracle.tags import date

# Questions of each kind.
QUESTIONS = 150


def novelties(games: list[Game]) -> Found:
    """The number of moves before each game's first move to a position that no game of an earlier date has."""
    positions = [[" ".join(view.fields) for view in game.views()[0]] for game in games]
    having: defaultdict[str, set[int]] = defaultdict(set)
    for number, own in enumerate(positions):
        for position in own:
            having[position].add(number)

    def is_new(position: str, game: Game) -> bool:
        return not any(earlier(games[other], game) for other in having[position])

    found = {}
    for number, (game, own) in enumerate(zip(games, positions), 1):
        new = [ply for ply, position in enumerate(own) if ply > 0 and known(game) and is_new(position, game)]
        if new:
            found[number] = new[0] - 1
    return found


def known(game: Game) -> list[int]:
    """The parts of a date up to the first unknown one."""
    parts = date(game)
    return [part for place, part in enumerate(parts) if part is not None and None not in parts[:place]]


def earlier(one: Game, other: Game) -> bool:
    """True if a date is certainly before another one."""
    pairs = zip(known(one), known(other))
    return next((a < b for a, b in pairs if a != b), False)


class Asking:
    """Makes queries."""

    def __init__(self, games: list[Game], chance: random.Random) -> None:
        self.lines, self.chance = [game.lines[0] for game in games], chance

    def somewhere(self) -> chess.Board:
        """A position of some game; in one case of five one that a move leads to which was perhaps not played."""
        line = self.chance.choice(self.lines)
        board = line.start.copy()
        for move in line.moves[: self.chance.randint(0, len(line.moves))]:
            board.push(move)
        legal = list(board.legal_moves)
        if legal and self.chance.random() < 0.2:
            board.push(self.chance.choice(legal))
        return board

    def fen(self) -> str:
        text = " ".join(self.somewhere().fen().split()[: self.chance.choice([2, 3, 4, 4, 6])])
        return f'fen:"{text}"'

    def line(self) -> str:
        line: Line = self.chance.choice([line for line in self.lines if line.start == chess.Board()])
        moves = line.moves[: self.chance.randint(0, min(40, len(line.moves)))]
        text = chess.Board().variation_san(moves)
        if self.chance.random() < 0.5:
            text = re.sub(r"\d+\.+ ?", "", text)
        return f'line:"{text}"'

    def pawns(self) -> str:
        return f"pawns:{self.somewhere().board_fen()}"

    def material(self) -> str:
        board = self.somewhere()
        if self.chance.random() < 0.2:
            others = [square for square, piece in board.piece_map().items() if piece.piece_type != chess.KING]
            if others:
                board.remove_piece_at(self.chance.choice(others))
        text = [piece.symbol() for piece in board.piece_map().values()]
        return f"material:{''.join(sorted(text, key='KQRBNPkqrbnp'.index))}"


def main() -> None:
    pgnfs, large, folder, number = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]), int(sys.argv[4])
    chance = random.Random(1)
    some = mixed(large, number, chance)
    database = folder / "games.pgn"
    write(some, database)
    games, asking = Games(some), Asking(some, chance)
    print(f"{sum(len(game.lines[0].moves) + 1 for game in some)} positions of {number} games", flush=True)
    wrong = 0
    for kind in ("fen", "line", "pawns", "material"):
        queries = [getattr(asking, kind)() for _ in range(QUESTIONS)]
        wrong += compared_queries(kind, queries, games, pgnfs, database)
    wrong += compared("novelty", [["--novelty"]], [novelties(some)], pgnfs, database)
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
