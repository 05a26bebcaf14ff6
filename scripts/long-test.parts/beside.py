"""Measures how long light requests take beside the heavy searches of another visitor.

usage: beside.py PGNFS SOURCE SECONDS

Serves SOURCE, waits for its index, and asks for what a board and a file manager ask for, over one connection: for half of
the time alone, and for the other half while a visitor from another address has four searches that look through all games,
one after another on each connection. Prints the median and the time within which 99 % are answered.
"""

import http.client
import itertools
import json
import random
import subprocess
import sys
import threading
import time
import urllib.parse

# Each address is a visitor.
LIGHT, HEAVY = "127.0.0.2", "127.0.0.3"

SEARCHES = 4


class Client:
    def __init__(self, address: str, visitor: str) -> None:
        self.connection = http.client.HTTPConnection(address, timeout=600, source_address=(visitor, 0))

    def get(self, path: str) -> tuple[int, bytes]:
        self.connection.request("GET", path)
        answer = self.connection.getresponse()
        return answer.status, answer.read()

    def json(self, path: str) -> dict:
        status, body = self.get(path)
        assert status == 200, f"{path}: {status}"
        return json.loads(body)


def opening(client: Client, path: str) -> str:
    """The position after the first moves of a game, as the parameters of a request."""
    game = client.json(f"/api/game?path={urllib.parse.quote(path)}")
    moves, line, tags = game["moves"], [], dict(game["tags"])
    parent = None
    while len(line) < 8 and (next_ones := [place for place, move in enumerate(moves) if move["parent"] == parent]):
        parent = next_ones[0]
        line.append(moves[parent]["uci"])
    return urllib.parse.urlencode({"play": ",".join(line), "fen": tags.get("FEN", "")})


def light(client: Client, games: int) -> list[str]:
    """Requests of somebody who looks around, of each kind as many."""
    asked = ["/", "/files/", "/api/databases"]
    listed = client.json(f"/api/games?from={random.randrange(games - 100)}&count=100")["games"]
    paths = [game["path"] for game in random.sample(listed, 3)]
    asked.append(f"/api/games?from={random.randrange(games - 100)}&count=100")
    asked.append(f"/api/game?path={urllib.parse.quote(paths[0])}")
    asked += [f"/files/{urllib.parse.quote(path)}" for path in paths[1:]]
    position = opening(client, paths[0])
    asked += [f"/masters?{position}", f"/api/moves?{position}"]
    return asked


def measured(client: Client, games: int, seconds: float) -> dict[str, list[float]]:
    times: dict[str, list[float]] = {}
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for path in light(client, games):
            begin = time.perf_counter()
            status, _ = client.get(path)
            kind = path.split("?")[0]
            kind = "/files/ of a game" if kind.endswith(".pgn") else kind
            times.setdefault(kind, []).append((time.perf_counter() - begin) * 1000)
            assert status == 200, f"{path}: {status}"
    return times


def shown(what: str, times: dict[str, list[float]]) -> None:
    for kind, own in [*sorted(times.items()), ("all", list(itertools.chain(*times.values())))]:
        own = sorted(own)
        p50, p99 = own[len(own) // 2], own[len(own) * 99 // 100]
        print(f"{what}, {kind}, {len(own)} requests: {p50:.2f} ms, 99 % within {p99:.2f} ms, all within {own[-1]:.1f} ms")


def main() -> None:
    pgnfs, source, seconds = sys.argv[1], sys.argv[2], float(sys.argv[3])
    random.seed(20261127)
    command = [pgnfs, "serve", "--listen", "127.0.0.1:0", "--index=yes", source]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            address = server.stdout.readline().strip().removeprefix("http://").rstrip("/")
            client = Client(address, LIGHT)

            def is_ready() -> bool:
                database = client.json("/api/databases")["databases"][0]
                return database["index"] == "ready" and database["pass"] == "done"

            while not is_ready():
                client.json("/api/moves")
                time.sleep(0.5)
            games = client.json("/api/games?count=1")["count"]
            shown("alone", measured(client, games, seconds / 2))
            numbers, done = itertools.count(), []

            def search() -> None:
                heavy = Client(address, HEAVY)
                while True:
                    query = urllib.parse.quote(f"sacrifice:3.. elo:{1000 + next(numbers)}..")
                    try:
                        status, _ = heavy.get(f"/api/games?q={query}&count=1")
                    except (http.client.HTTPException, OSError):
                        return
                    done.append(status)

            for _ in range(SEARCHES):
                threading.Thread(target=search, daemon=True).start()
            time.sleep(1)
            shown("beside heavy searches", measured(client, games, seconds / 2))
            print(f"heavy searches that were answered meanwhile: {done.count(200)}; refused for now: {done.count(503)}")
        finally:
            server.terminate()


main()
