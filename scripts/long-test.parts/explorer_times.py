"""Measures how long the explorer, lists and *Prepare* of `pgnfs serve` take.

usage: explorer_times.py ADDRESS PID PGN POSITIONS

Asks for positions after 0 to 60 half-moves of random games when all indexes are built, each position once, since answers are
kept. PID is the server's process, whose processor time stands beside the first answer for a player.
"""

import http.client
import json
import multiprocessing
import os
import random
import sys
import time
import urllib.parse

import chess.pgn

GAMES = 3000
ROUTES = ["/masters?topGames=15", "/lichess?recentGames=8", "/lichess?history=true"]
BOUNDED = "/lichess?since=1990-01&until=2019-12&ratings=2000,2200"
CONNECTIONS, SECONDS = 8, 5


class Client:
    def __init__(self, address: str, visitor: str = "127.0.0.1") -> None:
        self.connection = http.client.HTTPConnection(address, timeout=600, source_address=(visitor, 0))

    def get(self, path: str) -> bytes:
        self.connection.request("GET", path)
        answer = self.connection.getresponse()
        body = answer.read()
        assert answer.status == 200, f"{path}: {answer.status} {body[:200]}"
        return body

    def timed(self, path: str) -> tuple[float, bytes]:
        """Milliseconds and the answer."""
        begin = time.perf_counter()
        body = self.get(path)
        return (time.perf_counter() - begin) * 1000, body


def games_of(path: str) -> list[chess.pgn.Game]:
    games = []
    with open(path, encoding="utf-8") as file:
        while len(games) < GAMES and (game := chess.pgn.read_game(file)) is not None:
            games.append(game)
    return games


def positions(games: list[chess.pgn.Game], number: int) -> list[str]:
    """Random positions as FEN, without repetition, as parameters of a request."""
    found = set()
    while len(found) < number:
        game = random.choice(games)
        board = game.board()
        for move in list(game.mainline_moves())[: random.randint(0, 60)]:
            board.push(move)
        found.add(board.fen(en_passant="legal"))
    shuffled = sorted(found)
    random.shuffle(shuffled)
    return [f"&fen={urllib.parse.quote(fen)}" for fen in shuffled]


def shown(what: str, times: list[float]) -> None:
    if times:
        times.sort()
        p50, p99 = times[len(times) // 2], times[len(times) * 99 // 100]
        print(f"{what}, {len(times)}: {p50:.2f} ms, 99 % within {p99:.2f} ms, all within {times[-1]:.1f} ms", flush=True)


def explorer(client: Client, asked: list[str]) -> None:
    for route in [*ROUTES, BOUNDED]:
        several, single = [], []
        for position in asked:
            took, body = client.timed(route + position)
            answer = json.loads(body)
            (several if answer["white"] + answer["draws"] + answer["black"] > 1 else single).append(took)
        shown(f"{route}, positions of several games", several)
        shown(f"{route}, positions of one game or none", single)
    shown(f"{BOUNDED.replace('1990', '1991')}, the start position", [client.timed(BOUNDED.replace("1990", "1991"))[0]])


def asks(address: str, place: int, connections: int, asked: list[str]) -> int:
    """Requests that one connection has answered in SECONDS. The number of moves makes them new: answers are kept."""
    client, own, done = Client(address, f"127.0.0.{place + 2}"), random.Random(place), 0
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        client.get(f"/masters?moves={100 * connections + own.randrange(100)}{own.choice(asked)}")
        done += 1
    return done


def together(address: str, asked: list[str]) -> None:
    rates = []
    for connections in (1, CONNECTIONS):
        with multiprocessing.Pool(connections) as pool:
            done = pool.starmap(asks, [(address, place, connections, asked) for place in range(connections)], chunksize=1)
        rates.append(sum(done) / SECONDS)
    print(f"/masters: {rates[0]:.0f} requests a second by one connection, {rates[1]:.0f} by {CONNECTIONS}: "
          f"{rates[1] / rates[0]:.2f} times", flush=True)


def processor_time(pid: int) -> float:
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK") * 1000


def players(client: Client, pid: int, games: list[chess.pgn.Game]) -> None:
    names = sorted({game.headers["White"] for game in games})
    first, again, work = [], [], []
    for name in random.sample(names, min(30, len(names))):
        asked = f"/player?player={urllib.parse.quote('=' + name)}&color=white"
        before = processor_time(pid)
        first.append(client.timed(asked)[0])
        work.append(processor_time(pid) - before)
        again.append(client.timed(asked)[0])
    shown("first answer for a player and colour", first)
    shown("the same, processor time", work)
    shown("the same, again", again)


def prepared(client: Client, games: list[chess.pgn.Game]) -> None:
    """*Prepare* for the player whose number of games is nearest to 2,000, among those of the games read."""
    counted = {}
    for name in {game.headers["White"] for game in games}:
        # Another search than that of *Prepare*, which is to be made anew.
        query = urllib.parse.quote(f'player:="{name}" result:*|1-0|0-1|1/2-1/2')
        counted[name] = json.loads(client.get(f"/api/games?q={query}&count=1"))["count"]
        if len(counted) == 400:
            break
    name = min(counted, key=lambda name: abs(counted[name] - 2000))
    asked = f"/api/prepare?player={urllib.parse.quote('=' + name)}"
    first, again = client.timed(asked)[0], client.timed(asked)[0]
    print(f"*Prepare* for {name} with {counted[name]} games: {first:.0f} ms, again {again:.0f} ms", flush=True)


def lists(client: Client) -> None:
    games = json.loads(client.get("/api/games?count=1"))["count"]
    pages = [client.timed(f"/api/games?from={random.randrange(games - 100)}&count=100")[0] for _ in range(200)]
    shown(f"a page of the list of {games} games", pages)
    for sort in ("date", "-elo", "length"):
        first = client.timed(f"/api/games?sort={sort}&count=100")[0]
        pages = [client.timed(f"/api/games?sort={sort}&from={random.randrange(games - 100)}&count=100")[0] for _ in range(50)]
        shown(f"a page sorted by {sort} after {first:.0f} ms for the first", pages)


def main() -> None:
    address, pid, path, number = sys.argv[1].removeprefix("http://").rstrip("/"), int(sys.argv[2]), sys.argv[3], int(sys.argv[4])
    random.seed(20261126)
    games = games_of(path)
    asked = positions(games, number)
    client = Client(address)
    begin = time.monotonic()
    while any(database["index"] != "ready" for database in json.loads(client.get("/api/databases"))["databases"]):
        time.sleep(0.5)
    print(f"indexes ready after {time.monotonic() - begin:.0f} s", flush=True)
    explorer(client, asked)
    together(address, asked)
    lists(client)
    players(client, pid, games)
    prepared(client, games)


if __name__ == "__main__":
    main()
