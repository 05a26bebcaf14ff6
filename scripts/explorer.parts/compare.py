"""Compares answers of the opening explorer with counts by python-chess.

usage: compare.py ADDRESS PGN POSITIONS

What is expected follows from the games alone: python-chess reads them, and a position is told from another by its EPD
with the en passant square only where a capture is legal. A game counts once for a position, with the first move played
from it.
"""

import json
import random
import re
import sys
import time
import urllib.parse
import urllib.request
from collections import defaultdict

import chess
import chess.pgn

SEED = 20261126

# FIDE Handbook B.02, 8.1a: the difference of ratings for a score of 50 to 100 percent.
DIFFERENCES = [
    0, 7, 14, 21, 29, 36, 43, 50, 57, 65, 72, 80, 87, 95, 102, 110, 117, 125, 133, 141, 149, 158, 166, 175, 184, 193,
    202, 211, 220, 230, 240, 251, 262, 273, 284, 296, 309, 322, 336, 351, 366, 383, 401, 422, 444, 470, 501, 538, 589,
    677, 800,
]

WINNERS = {"1-0": "white", "0-1": "black", "1/2-1/2": None}


class Game:
    """What the explorer says of a game."""

    def __init__(self, number, headers):
        self.number = number
        self.result = headers.get("Result", "*")
        self.names = [headers.get(name) or "?" for name in ("White", "Black")]
        self.ratings = [rating(headers.get(name, "")) for name in ("WhiteElo", "BlackElo")]
        found = re.match(r"(\d{4})(?:\.(\d\d)(?:\.(\d\d))?)?", headers.get("Date", ""))
        year, month, day = (int(part or 0) for part in found.groups()) if found else (0, 0, 0)
        self.date = (year, month, day)

    def answer(self):
        year, month, _ = self.date
        return {
            "winner": WINNERS[self.result],
            "white": {"name": self.names[0], "rating": self.ratings[0] or 0},
            "black": {"name": self.names[1], "rating": self.ratings[1] or 0},
            "year": year,
            "month": f"{year:04}-{month:02}" if month else None,
        }

    def strength(self):
        return sum(rating or 0 for rating in self.ratings)


def rating(text):
    """A rating is a number from 100 to 3999."""
    number = int(text) if text.strip().isdigit() else 0
    return number if 100 <= number <= 3999 else None


def epd(board):
    return board.epd(en_passant="legal")


def uci(board, move):
    """Castling is the king taking its rook."""
    if board.is_castling(move):
        rank = chess.square_rank(move.from_square)
        file = 7 if chess.square_file(move.to_square) == 6 else 0
        return chess.square_name(move.from_square) + chess.square_name(chess.square(file, rank))
    return move.uci()


def read(path):
    """The games, and for each position the games that have it, with the first move played from it."""
    games, positions = [], defaultdict(list)
    with open(path, encoding="utf-8", errors="replace") as file:
        while (found := chess.pgn.read_game(file)) is not None:
            game = Game(len(games), found.headers)
            games.append(game)
            board, seen = found.board(), set()
            for move in [*found.mainline_moves(), None]:
                key = epd(board)
                if key not in seen:
                    seen.add(key)
                    positions[key].append((game, move))
                if move is not None:
                    board.push(move)
    return games, positions


def mean(numbers):
    return (sum(numbers) + len(numbers) // 2) // len(numbers) if numbers else None


def performance(opponents, score, games):
    percent = (score * 100 + games) // (2 * games)
    return opponents + (DIFFERENCES[percent - 50] if percent >= 50 else -DIFFERENCES[50 - percent])


def results(games):
    return {name: sum(game.result == result for game in games) for name, result in (("white", "1-0"), ("draws", "1/2-1/2"), ("black", "0-1"))}


def expected(board, found, is_masters, bounds):
    since, until, groups = bounds
    own = 0 if board.turn else 1
    kept = [(game, move) for game, move in found if is_in(game, since, until, groups)]
    decided = [game for game, _ in kept if game.result in WINNERS]
    moves = []
    for move in {move for _, move in kept if move is not None}:
        of_move = [game for game, other in kept if other == move]
        with_result = [game for game in of_move if game.result in WINNERS]
        if not with_result:
            continue
        row = {"uci": uci(board, move), "san": board.san(move)}
        average = mean([game.ratings[own] for game in of_move if game.ratings[own]])
        if average is not None:
            row["averageRating"] = average
        row |= results(with_result)
        row["game"] = with_result[0].answer() if len(with_result) == 1 else None
        moves.append(row)
    moves.sort(key=lambda row: (-sum(row[name] for name in ("white", "draws", "black")), row["uci"]))
    strongest = sorted(decided, key=lambda game: (game.strength(), game.date, game.number), reverse=True)
    answer = results(decided) | {"moves": moves[:12], "topGames": [game.answer() for game in strongest[: 15 if is_masters else 4]]}
    if not is_masters:
        latest = sorted(decided, key=lambda game: (game.date, game.strength(), game.number), reverse=True)
        answer["recentGames"] = [game.answer() for game in latest[:4]]
    return answer


def is_in(game, since, until, groups):
    year, month, _ = game.date
    if since and not (year and (year, month)[: len(since)] >= since and (len(since) == 1 or month)):
        return False
    if until and not (year and (year, month)[: len(until)] <= until and (len(until) == 1 or month)):
        return False
    if groups is None:
        return True
    group = 0
    if all(game.ratings):
        middle = sum(game.ratings) // 2
        group = max(bound for bound in (0, 1000, 1200, 1400, 1600, 1800, 2000, 2200, 2500) if bound <= middle)
    return group in groups


def asked(answer):
    """The fields that the reference has: names of openings are tested in the crate, ids by the program's tests."""
    def game(of):
        return of and {key: of[key] for key in ("winner", "white", "black", "year", "month")}

    row = {key: answer[key] for key in ("white", "draws", "black")}
    row["moves"] = [{key: value for key, value in move.items() if key not in ("opening", "game")} | {"game": game(move["game"])} for move in answer["moves"]]
    row |= {key: [game(of) for of in answer[key]] for key in ("topGames", "recentGames") if key in answer}
    return row


def main(address, path, number):
    games, positions = read(path)
    print(f"python-chess has read {len(games)} games with {len(positions)} positions", flush=True)
    source = random.Random(SEED)
    keys = list(positions)
    common = [key for key in keys if len(positions[key]) > 1]
    chosen = [source.choice(common if n % 2 else keys) for n in range(number - 1)] + [epd(chess.Board())]
    times, differ = [], 0
    for n, key in enumerate(chosen):
        is_masters = n % 2 == 0
        bounds, query = (None, None, None), {"fen": f"{key} 0 1"}
        if n % 3 == 1:
            first, last = sorted(source.sample(range(1950, 2024), 2))
            bounds = ((first,), (last,), None)
            query |= {"since": first, "until": last}
        elif n % 3 == 2 and not is_masters:
            groups = source.sample([0, 2000, 2200, 2500], 2)
            bounds = (None, None, groups)
            query["ratings"] = ",".join(map(str, groups))
        url = f"{address}{'masters' if is_masters else 'lichess'}?{urllib.parse.urlencode(query)}"
        begin = time.perf_counter()
        with urllib.request.urlopen(url) as response:
            answer = json.load(response)
        times.append(time.perf_counter() - begin)
        wanted = expected(chess.Board(f"{key} 0 1"), positions[key], is_masters, bounds)
        if asked(answer) != wanted:
            differ += 1
            if differ <= 3:
                print(url, json.dumps(asked(answer)), json.dumps(wanted), sep="\n")
    times = sorted(times[1:])
    print(f"{len(chosen)} positions, {differ} differ; p50 {1000 * times[len(times) // 2]:.1f} ms, p99 {1000 * times[len(times) * 99 // 100]:.1f} ms, slowest {1000 * times[-1]:.1f} ms")
    sys.exit(differ > 0)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
