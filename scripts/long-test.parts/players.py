"""Compares what `pgnfs serve` says of players with what DuckDB and python-chess count.

usage: players.py PGNFS GAMES.pgn QUESTIONS

Tables of `overview.html` are compared with queries to DuckDB over the `games.csv` of the same search; what `/api/prepare`
says is new or no longer played, with what python-chess finds by following all games.
"""

import json
import random
import re
import subprocess
import sys
import urllib.parse
import urllib.request
from collections import defaultdict
from html import unescape
from typing import NamedTuple, Optional

import chess
import chess.pgn
import duckdb

# Half-moves that count as the opening, and games before which a move is not given up.
OPENING = 40
FEW = 3
SIDES = ["White", "Black"]
COUNTS = """count(*), count(*) filter (Result = {win}), count(*) filter (Result = '1/2-1/2'),
    count(*) filter (Result = {loss})"""


class Played(NamedTuple):
    tags: dict[str, str]
    # Position, move in UCI
    moves: list[tuple[object, str]]


def read(path: str) -> list[Played]:
    games = []
    with open(path, encoding="utf-8") as file:
        while (game := chess.pgn.read_game(file)) is not None:
            board = game.board()
            moves = []
            for number, move in enumerate(game.mainline_moves()):
                if number == OPENING:
                    break
                moves.append((board._transposition_key(), move.uci() if move else ""))
                board.push(move)
            games.append(Played(dict(game.headers), moves))
    return games


def rows(page: str, section: str) -> Optional[dict[str, list[str]]]:
    """The first table of a section: the texts of its cells by the first word of each row."""
    own = re.search(rf'<h2 id="{section}">(.*?)(<h2|$)', page, re.DOTALL)
    found = re.search("<table>(.*?)</table>", own[1], re.DOTALL) if own else None
    if not found:
        return None
    table = [[unescape(re.sub("<[^>]*>", "", cell)).strip() for cell in row.split("<td>")[1:]] for row in found[1].splitlines()]
    return {row[0].split(" ")[0]: row[1:5] for row in table if row}


def date(game: Played) -> tuple[int, int, int]:
    year, month, day = (game.tags.get("Date", "") + "..").split(".")[:3]
    return tuple(int(part) if part.isdigit() else 0 for part in (year, month, day))


def changes(games: list[Played], name: str, since: str) -> dict[str, dict[tuple, tuple]]:
    """New and given up moves: the numbers of games by position and move."""
    first = tuple(int(part) for part in [*since.split("-"), "1", "1"][:3])
    positions = defaultdict(lambda: [0, 0, defaultdict(lambda: [0, 0])])
    for game in games:
        year, month, day = date(game)
        # A game may be of all days that its date leaves open.
        is_new = year > 0 and (year, month or 12, day or 31) >= first
        is_white = game.tags["White"] == name
        seen = set()
        for number, (position, move) in enumerate(game.moves):
            if (number % 2 == 0) == is_white and move and position not in seen:
                seen.add(position)
                positions[position][is_new] += 1
                positions[position][2][move][is_new] += 1
    found = {"new": {}, "given_up": {}}
    for position, (before, after, moves) in positions.items():
        for move, (old, new) in moves.items():
            if before and after and not old:
                found["new"][position, move] = (new, before, after)
            if before and after and not new and old >= FEW:
                found["given_up"][position, move] = (old, before, after)
    return found


def main() -> None:
    program, path, questions = sys.argv[1], sys.argv[2], int(sys.argv[3])
    command = [program, "serve", "--listen=127.0.0.1:0", "--cache-dir=none", path]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as serving:
        try:
            compare_players(serving.stdout.readline().strip(), path, questions)
        finally:
            serving.terminate()


def compare_players(address: str, path: str, questions: int) -> None:
    get = lambda place: urllib.request.urlopen(address + urllib.parse.quote(place, safe="/?=&%")).read().decode()
    games = [game for game in read(path) if game.tags.get("SetUp") != "1"]
    by_name = defaultdict(list)
    for game in games:
        for side in SIDES:
            by_name[game.tags[side]].append(game)
    random.seed(1)
    names = [name for name, own in by_name.items() if len(own) >= 8 and not re.search(r'["?/_]', name)]
    compared = differ = 0

    def compare(what: str, ours: object, theirs: object) -> None:
        nonlocal compared, differ
        compared += 1
        if ours != theirs:
            differ += 1
            print(f"{what}\n  pgnfs: {ours}\n  witness: {theirs}")

    for name in random.sample(names, min(questions, len(names))):
        query = f'player:="{name}"'
        folder = "files/search/" + urllib.parse.quote(query, safe="")
        page, table = get(f"{folder}/tables/overview.html"), get(f"{folder}/tables/games.csv")
        with open(f"{path}.csv", "w", encoding="utf-8") as file:
            file.write(table)
        # A table has no column for a tag that no game has.
        missing = [name for name in ["WhiteElo", "BlackElo", "ECO"] if name not in table.split("\n", 1)[0].split(",")]
        added = "".join(f", null::varchar as {name}" for name in missing)
        read_csv = f"(select *{added} from read_csv('{path}.csv', all_varchar=true))"
        literal = "'" + name.replace("'", "''") + "'"

        def asked(side: str, column: str, where: str = "true") -> dict[str, list[str]]:
            win, loss = ("'1-0'", "'0-1'") if side == "White" else ("'0-1'", "'1-0'")
            counts = COUNTS.format(win=win, loss=loss)
            found = duckdb.sql(
                f"select {column}, {counts} from {read_csv} where {side} = {literal} and {where} group by 1"
            ).fetchall()
            return {str(key): [str(count) for count in counts] for key, *counts in found if key is not None}

        def both(column: str) -> dict[str, list[str]]:
            sum: dict[str, list[int]] = {}
            for side, other in [SIDES, SIDES[::-1]]:
                for key, counts in asked(side, column.replace("OTHER", other)).items():
                    sum[key] = [old + int(new) for old, new in zip(sum.get(key, [0] * 4), counts)]
            return {key: [str(count) for count in counts] for key, counts in sum.items()}

        scores = rows(page, "scores")
        for side in SIDES:
            whole = asked(side, "'all'").get("all", ["0"] * 4)
            compare(f"{name} as {side}", scores[side], whole)
            codes = asked(side, "left(ECO, 3)")
            shown = rows(page, f"openings-{side.lower()}")
            compare(f"{name}, openings as {side}", shown, {code: codes.get(code) for code in shown})
            compare(f"{name}, number of openings", len(shown), min(len(codes), 20))
        compare(f"{name}, years", rows(page, "scores-years"), both("nullif(left(Date, 4), '????')"))
        ratings = both("try_cast(OTHERElo as int) // 100 * 100")
        ratings = {f"{first}-{int(first) + 99}": counts for first, counts in ratings.items()}
        # Where no opponent has a rating there is no such table.
        compare(f"{name}, ratings", rows(page, "scores-ratings") or {}, ratings)
        own = by_name[name]
        since = random.choice(["", f"{max(date(game)[0] for game in own)}", f"{date(random.choice(own))[0] or 2000}-0{random.randint(1, 9)}"])
        answer = json.loads(get(f"api/prepare?player={urllib.parse.quote('=' + name)}&since={since}"))
        expected = changes(own, name, answer["since"]) if re.match(r"\d{4}", answer["since"]) else {}
        for kind, all in expected.items():
            ours = {}
            for change in answer[kind]:
                board = chess.Board()
                for uci in change["play"][:-1]:
                    board.push_uci(uci)
                ours[board._transposition_key(), change["play"][-1]] = (change["games"], change["before"], change["after"])
            compare(f"{name}, {kind} since {since}", ours, {change: all.get(change) for change in ours})
            compare(f"{name}, number of {kind} since {since}", len(ours), min(len(all), 12))
            shown = sorted((counts[0] for counts in ours.values()), reverse=True)
            most = sorted((counts[0] for counts in all.values()), reverse=True)[:12]
            compare(f"{name}, most frequent {kind} since {since}", shown, most)
    print(f"{min(questions, len(names))} players, {compared} comparisons: {differ} differ")
    sys.exit(differ > 0)


main()
