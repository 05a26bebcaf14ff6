"""Measures how long the opening explorer takes.

usage: times.py ADDRESS PGN POSITIONS

Asks for positions after 0 to 60 half-moves of random games, over one connection, when all indexes are built. Each position
is asked once, since answers are kept.
"""

import http.client
import json
import random
import sys
import time
import urllib.parse

import chess.pgn

GAMES = 3000


def positions(path: str, number: int) -> list[str]:
    """Random positions as FEN, without repetition."""
    games = []
    with open(path, encoding="utf-8") as file:
        while len(games) < GAMES and (game := chess.pgn.read_game(file)) is not None:
            games.append(game)
    found = set()
    while len(found) < number:
        game = random.choice(games)
        board = game.board()
        for move in list(game.mainline_moves())[: random.randint(0, 60)]:
            board.push(move)
        found.add(board.fen(en_passant="legal"))
    return sorted(found)


def main() -> None:
    address, path, number = sys.argv[1].removeprefix("http://").rstrip("/"), sys.argv[2], int(sys.argv[3])
    random.seed(20261126)
    asked = positions(path, number)
    random.shuffle(asked)
    client = http.client.HTTPConnection(address, timeout=600)

    def get(place: str) -> bytes:
        client.request("GET", place)
        return client.getresponse().read()

    while any(database["index"] == "building" for database in json.loads(get("/api/databases"))["databases"]):
        time.sleep(0.5)
    for route in ["/masters?topGames=15", "/lichess?recentGames=8", "/lichess?history=true"]:
        several, single = [], []
        for fen in asked:
            begin = time.perf_counter()
            answer = json.loads(get(f"{route}&fen={urllib.parse.quote(fen)}"))
            seconds = time.perf_counter() - begin
            games = answer["white"] + answer["draws"] + answer["black"]
            (several if games > 1 else single).append(seconds * 1000)
        for name, times in [("several games", several), ("one game or none", single)]:
            times.sort()
            if times:
                p50, p99 = times[len(times) // 2], times[len(times) * 99 // 100]
                print(f"{route}, {len(times)} positions of {name}: {p50:.2f} ms, 99 % within {p99:.2f} ms, all within {times[-1]:.1f} ms")


main()
