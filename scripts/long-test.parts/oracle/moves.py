"""The games that have a position, each with the move that it played there first, as python-chess reads them."""

import re
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple, Optional

import chess
import chess.pgn


class Facts(NamedTuple):
    """What tables say of a game."""

    # From 0.
    number: int
    result: str
    # Of White and Black; a rating is a number from 100 to 3999.
    names: tuple[str, str]
    ratings: tuple[Optional[int], Optional[int]]
    # What is unknown is 0.
    date: tuple[int, int, int]

    def rating(self, color: chess.Color) -> Optional[int]:
        return self.ratings[0 if color else 1]


def facts(number: int, headers: chess.pgn.Headers) -> Facts:
    names = tuple(headers.get(name) or "?" for name in ("White", "Black"))
    ratings = tuple(rating(headers.get(name, "")) for name in ("WhiteElo", "BlackElo"))
    found = re.match(r"(\d{4})(?:\.(\d\d)(?:\.(\d\d))?)?", headers.get("Date", ""))
    date = tuple(int(part or 0) for part in found.groups()) if found else (0, 0, 0)
    return Facts(number, headers.get("Result", "*"), names, ratings, date)


def rating(text: str) -> Optional[int]:
    number = int(text) if text.strip().isdigit() else 0
    return number if 100 <= number <= 3999 else None


def mean(numbers: list[int]) -> Optional[int]:
    return (sum(numbers) + len(numbers) // 2) // len(numbers) if numbers else None


class Moves:
    """All positions of the main lines of a file. A position is an EPD: rights and en passant count, the latter if it is
    legal. A game counts once, with the move after the first occurrence; `None` where the game ends."""

    def __init__(self, path: Path) -> None:
        self.games: list[Facts] = []
        self.positions: defaultdict[str, list[tuple[Facts, Optional[chess.Move]]]] = defaultdict(list)
        # The least ply at which some game has a position.
        self.plies: dict[str, int] = {}
        with path.open(encoding="utf-8", errors="replace") as file:
            while (game := chess.pgn.read_game(file)) is not None:
                self.add(game)

    def add(self, game: chess.pgn.Game) -> None:
        own = facts(len(self.games), game.headers)
        self.games.append(own)
        board, seen = game.board(), set()
        for ply, move in enumerate([*game.mainline_moves(), None]):
            position = board.epd()
            if position not in seen:
                seen.add(position)
                self.positions[position].append((own, move))
                self.plies[position] = min(ply, self.plies.get(position, ply))
            if move is not None:
                board.push(move)
