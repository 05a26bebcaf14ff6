"""Compares the answers of `pgnfs find 'repertoire:FILE by:...'` with what python-chess finds in all lines of all games.

usage: repertoires.py PGNFS LARGE.pgn FOLDER GAMES

Repertoires are beginnings of some of the games, with variations at random. Deviations are compared, too.
"""

import csv
import io
import random
import subprocess
import sys
from pathlib import Path
from typing import Iterator, NamedTuple, Optional

import chess

from find import Found, Game, Question, compared, drawn
from variations import Tree

# Repertoires, and questions about each.
REPERTOIRES, QUESTIONS = 12, 12

# The moves of positions, as UCI, by their first four fields of FEN.
Moves = dict[str, set[str]]


def key(board: chess.Board, has_castling: bool) -> str:
    fields = board.epd().split()[:4]
    if not has_castling:
        fields[2] = "-"
    return " ".join(fields)


def image(board: chess.Board, move: chess.Move, colour: bool, side: bool) -> tuple[chess.Board, Optional[chess.Move]]:
    is_castling, turned = board.is_castling(move), 0
    if colour:
        board, turned = board.mirror(), turned ^ 56
    if side:
        board, turned = board.transform(chess.flip_horizontal), turned ^ 7
        board.castling_rights = chess.BB_EMPTY
    if side and is_castling:
        return board, None
    return board, chess.Move(move.from_square ^ turned, move.to_square ^ turned, move.promotion)


class Repertoire:
    def __init__(self, trees: list[Tree], path: Path) -> None:
        self.moves: dict[bool, Moves] = {True: {}, False: {}}
        with path.open("w", encoding="utf-8") as file:
            for tree in trees:
                print(tree.root, end="\n\n", file=file)
        self.path = path
        for line in (line for tree in trees for line in tree.lines):
            for board, move in zip(line.positions(), [*line.moves, None]):
                for has_castling, moves in self.moves.items():
                    own = moves.setdefault(key(board, has_castling), set())
                    if move is not None and (has_castling or not board.is_castling(move)):
                        own.add(move.uci())

    def plies(self, line: Game, by: chess.Color, colour: bool, side: bool) -> list[int]:
        """The plies at which a line plays a move of the repertoire, if it does wherever the repertoire has some."""
        found = []
        for ply, (board, move) in enumerate(zip(line.positions(), line.moves)):
            if board.turn != (by != colour):
                continue
            seen, played = image(board, move, colour, side)
            moves = self.moves[not side].get(key(seen, not side), set())
            if not moves:
                continue
            if played is None or played.uci() not in moves:
                return []
            found.append(ply)
        return found

    def left(self, line: Game, by: chess.Color) -> Optional[tuple[str, ...]]:
        moves, left = self.moves[True], None
        for ply, board in enumerate(line.positions()):
            own = moves.get(key(board, True))
            if own is not None:
                left = None
            move = line.moves[ply] if ply < len(line.moves) else None
            if own and move and move.uci() not in own:
                sans = sorted(board.san(chess.Move.from_uci(uci)) for uci in own)
                left = str(ply), "white" if board.turn else "black", board.san(move), " ".join(sans)
                if board.turn == by:
                    return left
        return left


class Asked(NamedTuple):
    text: str
    by: chess.Color
    is_negated: bool
    mirror: str
    in_variations: bool
    # The least ply.
    least: int


def images(mirror: str) -> Iterator[tuple[bool, bool]]:
    for colour in (False, True):
        for side in (False, True):
            if (not colour or mirror in ("colour", "both")) and (not side or mirror in ("side", "both")):
                yield colour, side


def asked(path: Path, chance: random.Random) -> Asked:
    by, mirror = chance.choice(chess.COLORS), chance.choice(["", "", "colour", "side", "both"])
    is_negated, in_variations = chance.random() < 0.3, chance.random() < 0.4
    least = 0 if is_negated else chance.choice([0, 0, 3, 6])
    text = f"{'-' * is_negated}repertoire:{path} by:{'white' if by else 'black'}"
    text += f" ply:{least}.." * (least > 0) + f" mirror:{mirror}" * (mirror != "") + " in:variations" * in_variations
    return Asked(text, by, is_negated, mirror, in_variations, least)


def answer(trees: list[Tree], repertoire: Repertoire, one: Asked) -> Found:
    found: Found = {}
    for number, tree in enumerate(trees, 1):
        lines = tree.lines if one.in_variations else tree.lines[:1]
        first = None
        for line in lines:
            plies = (repertoire.plies(line, one.by, *turned) for turned in images(one.mirror))
            late = [ply for some in plies for ply in some if ply >= one.least]
            if late:
                first = min(late)
                break
        if one.is_negated:
            if first is None:
                found[number] = 0
        elif first is not None:
            found[number] = first
    return found


def deviations(pgnfs: str, text: str, database: Path) -> dict[int, tuple[str, ...]]:
    command = [pgnfs, "find", "--show=deviations", text, str(database)]
    rows = csv.DictReader(io.StringIO(subprocess.run(command, capture_output=True, text=True).stdout))
    return {
        int(row["path"][-10:-4]): (row["ply"], row["by"], row["move"], " ".join(sorted(row["repertoire"].split())))
        for row in rows
    }


def main() -> None:
    pgnfs, large, folder, number = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]), int(sys.argv[4])
    chance = random.Random(3)
    games = drawn(large, number, chance)
    trees = [Tree(game, chance) for game in games]
    database = folder / "games.pgn"
    with database.open("w", encoding="utf-8") as file:
        for tree in trees:
            print(tree.root, end="\n\n", file=file)
    wrong = 0
    for place in range(REPERTOIRES):
        some = chance.sample(games, min(len(games), chance.choice([1, 3, 10, 40])))
        begun = [Tree(game._replace(moves=game.moves[: chance.randint(1, 24)]), chance) for game in some]
        repertoire = Repertoire(begun, folder / f"own{place}.pgn")
        questions = [asked(repertoire.path, chance) for _ in range(QUESTIONS)]
        wrong += compared(
            f"repertoire {place}", [Question([one.text], answer(trees, repertoire, one)) for one in questions], pgnfs, database
        )
        for by, name in ((chess.WHITE, "white"), (chess.BLACK, "black")):
            for sign in ("", "-"):
                text = f"{sign}repertoire:{repertoire.path} by:{name}"
                expected = {}
                for game in answer(trees, repertoire, Asked("", by, sign == "-", "", False, 0)):
                    left = repertoire.left(trees[game - 1].lines[0], by)
                    if left is not None:
                        expected[game] = left
                found = deviations(pgnfs, text, database)
                differ = {game for game in {*found, *expected} if found.get(game) != expected.get(game)}
                print(f"deviations of {text}: {len(expected)}, {len(differ)} differ", flush=True)
                wrong += len(differ)
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
