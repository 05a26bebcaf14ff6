"""Compares tables of moves in a mount with what python-chess counts in the same games.

usage: counts.py GAMES.pgn MOUNT

All positions of the main lines are counted. Compared are those that some game has within its first 40 plies: all that
two games or more have, and a sample of the others.
"""

import random
import sys
import time
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

import chess
import chess.pgn

from tables import rows_of

# Positions that occur up to this ply are compared.
DEEPEST = 40
# Number of positions of one game only that are compared.
SINGLE = 5_000


class Facts(NamedTuple):
    result: str
    year: int | None
    # Ratings by colour; 0 is unknown.
    elos: dict[chess.Color, int]


def rating(text: str) -> int:
    return int(text) if text.strip().isdigit() and 100 <= int(text) <= 3999 else 0


def facts_of(headers: chess.pgn.Headers) -> Facts:
    year = headers.get("Date", "")[:4]
    elos = {chess.WHITE: rating(headers.get("WhiteElo", "")), chess.BLACK: rating(headers.get("BlackElo", ""))}
    return Facts(headers["Result"], int(year) if year.isdigit() and int(year) else None, elos)


class Count:
    """All positions of some games. A position is an EPD: rights and en passant count, the latter if it is legal."""

    def __init__(self) -> None:
        # The games that have a position, each with the move after its first occurrence; None where the game ends.
        self.games: defaultdict[str, list[tuple[int, chess.Move | None]]] = defaultdict(list)
        self.facts: list[Facts] = []
        self.early: set[str] = set()

    def add(self, game: chess.pgn.Game) -> None:
        number = len(self.facts)
        self.facts.append(facts_of(game.headers))
        board = game.board()
        seen: set[str] = set()
        moves: list[chess.Move | None] = [*game.mainline_moves(), None]
        for ply, move in enumerate(moves):
            position = board.epd()
            if position not in seen:
                seen.add(position)
                self.games[position].append((number, move))
                if ply <= DEEPEST:
                    self.early.add(position)
            if move is not None:
                board.push(move)

    def table(self, position: str) -> list[tuple[str, ...]]:
        """What moves.csv says of a position, apart from its columns performance and eco."""
        board = chess.Board(position + " 0 1")
        played: defaultdict[chess.Move | None, list[int]] = defaultdict(list)
        for game, move in self.games[position]:
            played[move].append(game)
        rows = []
        for move in {*board.legal_moves, *played}:
            games = played.get(move, [])
            san, uci, reached = "", "", games
            if move is not None:
                san, uci = (board.san(move), move.uci()) if move else ("null", "0000")
                board.push(move)
                reached = [game for game, _ in self.games.get(board.epd(), [])]
                board.pop()
            # A move that was not played here is in the table if several games have the position after it.
            if games or len(reached) > 1:
                rows.append((move is None, -len(games), san, self.row(san, uci, games, reached, board.turn)))
        return [row for *_, row in sorted(rows)]

    def row(self, san: str, uci: str, games: list[int], reached: list[int], mover: chess.Color) -> tuple[str, ...]:
        facts = [self.facts[game] for game in games]
        white, draws, black = (
            sum(fact.result == result for fact in facts) for result in ("1-0", "1/2-1/2", "0-1")
        )
        decided = white + draws + black
        # Halves are rounded to even in both languages.
        score = f"{100 * (white + draws / 2) / decided:.1f}" if decided else ""
        elos = [fact.elos[mover] for fact in facts if fact.elos[mover]]
        elo = str((sum(elos) + len(elos) // 2) // len(elos)) if elos else ""
        years = [fact.year for fact in facts if fact.year is not None]
        first, last = (str(min(years)), str(max(years))) if years else ("", "")
        counts = (str(number) for number in (len(games), white, draws, black))
        return (san, uci, *counts, score, elo, first, last, str(len(reached)), str((games or reached)[0] + 1))


def main() -> None:
    games, mount = map(Path, sys.argv[1:])
    count = Count()
    begin = time.monotonic()
    with games.open(encoding="utf-8") as file:
        while (game := chess.pgn.read_game(file)) is not None:
            count.add(game)
    print(f"python-chess counted {len(count.games)} positions of {len(count.facts)} games", end=" ")
    print(f"in {time.monotonic() - begin:.0f} s")
    shared = sorted(position for position in count.early if len(count.games[position]) > 1)
    single = sorted(position for position in count.early if len(count.games[position]) == 1)
    chosen = shared + random.Random(1).sample(single, min(SINGLE, len(single)))
    differ = 0
    begin = time.monotonic()
    for position in chosen:
        expected, found = count.table(position), rows_of(mount, position)
        if expected != found:
            differ += 1
            if differ <= 10:
                print(f"{position}\n  python-chess {expected}\n  pgnfs        {found}")
    print(f"{len(chosen)} tables compared in {time.monotonic() - begin:.0f} s: {len(shared)} of positions that")
    print(f"several games have to ply {DEEPEST}, the others of {len(single)} that one game has: {differ} differ")
    sys.exit(differ > 0)


if __name__ == "__main__":
    main()
