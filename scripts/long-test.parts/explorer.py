"""Compares answers of the opening explorer with counts by python-chess.

usage: explorer.py ADDRESS PGN POSITIONS

What is expected follows from the games alone: python-chess reads them, and a position is told from another by its EPD
with the en passant square only where a capture is legal. A game counts once for a position, with the first move played
from it.
"""

import json
import random
import sys
import time
import urllib.parse
import urllib.request
from pathlib import Path

import chess

from oracle.moves import Facts, Moves, mean

SEED = 20261126

WINNERS = {"1-0": "white", "0-1": "black", "1/2-1/2": None}


def answer_about(game: Facts) -> dict:
    """What the explorer says of a game."""
    year, month, _ = game.date
    (white, black), (white_rating, black_rating) = game.names, game.ratings
    return {
        "winner": WINNERS[game.result],
        "white": {"name": white, "rating": white_rating or 0},
        "black": {"name": black, "rating": black_rating or 0},
        "year": year,
        "month": f"{year:04}-{month:02}" if month else None,
    }


def strength(game: Facts) -> int:
    return sum(rating or 0 for rating in game.ratings)


def uci(board, move):
    """Castling is the king taking its rook."""
    if board.is_castling(move):
        rank = chess.square_rank(move.from_square)
        file = 7 if chess.square_file(move.to_square) == 6 else 0
        return chess.square_name(move.from_square) + chess.square_name(chess.square(file, rank))
    return move.uci()


def results(games):
    return {name: sum(game.result == result for game in games) for name, result in (("white", "1-0"), ("draws", "1/2-1/2"), ("black", "0-1"))}


def expected(board, found, is_masters, bounds):
    since, until, groups = bounds
    kept = [(game, move) for game, move in found if is_in(game, since, until, groups)]
    decided = [game for game, _ in kept if game.result in WINNERS]
    moves = []
    for move in {move for _, move in kept if move is not None}:
        of_move = [game for game, other in kept if other == move]
        with_result = [game for game in of_move if game.result in WINNERS]
        if not with_result:
            continue
        row = {"uci": uci(board, move), "san": board.san(move)}
        average = mean([own for game in of_move if (own := game.rating(board.turn))])
        if average is not None:
            row["averageRating"] = average
        row |= results(with_result)
        row["game"] = answer_about(with_result[0]) if len(with_result) == 1 else None
        moves.append(row)
    moves.sort(key=lambda row: (-sum(row[name] for name in ("white", "draws", "black")), row["uci"]))
    strongest = sorted(decided, key=lambda game: (strength(game), game.date, game.number), reverse=True)
    answer = results(decided) | {"moves": moves[:12], "topGames": [answer_about(game) for game in strongest[: 15 if is_masters else 4]]}
    if not is_masters:
        latest = sorted(decided, key=lambda game: (game.date, strength(game), game.number), reverse=True)
        answer["recentGames"] = [answer_about(game) for game in latest[:4]]
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
    moves = Moves(Path(path))
    positions = moves.positions
    print(f"python-chess has read {len(moves.games)} games with {len(positions)} positions", flush=True)
    source = random.Random(SEED)
    keys = list(positions)
    common = [key for key in keys if len(positions[key]) > 1]
    chosen = [source.choice(common if n % 2 else keys) for n in range(number - 1)] + [chess.Board().epd()]
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
