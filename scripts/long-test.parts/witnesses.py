"""Compares games as pgnfs writes them with the same games as another program writes or reads them.

usage: witnesses.py OURS.pgn THEIRS.pgn WITNESS [LEFT_OUT...]

Both files are read by python-chess. Compared are the tags that both have, the moves of all lines, glyphs and comments,
but for the words in LEFT_OUT: tags, variations, glyphs, comments. Every difference is printed.
"""

import io
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import chess
import chess.pgn

REMARK = re.compile(r"pgnfs: .*", re.DOTALL)
UNKNOWN = ["", "?", "????.??.??"]
PARTS = ["tags", "variations", "glyphs", "comments"]


def games(path: Path) -> Iterator[chess.pgn.Game]:
    text = io.StringIO(path.read_bytes().decode("utf-8-sig", errors="replace"))
    while (game := chess.pgn.read_game(text)) is not None:
        yield game


def words(text: str | list[str]) -> str:
    # Later versions of python-chess have a list of comments.
    text = text if isinstance(text, str) else " ".join(text)
    return " ".join(REMARK.sub("", text).split())


def items(game: chess.pgn.Game, left_out: set[str]) -> list[str]:
    """The movetext as items: moves in UCI, glyphs, comments, parentheses."""
    out: list[str] = []

    def annotations(node: chess.pgn.GameNode) -> None:
        if "glyphs" not in left_out:
            out.extend(f"${nag}" for nag in sorted(node.nags))
        if "comments" not in left_out and words(node.comment):
            out.append(f"{{{words(node.comment)}}}")

    def move(node: chess.pgn.ChildNode) -> None:
        if "comments" not in left_out and words(node.starting_comment):
            out.append(f"{{{words(node.starting_comment)}}}")
        out.append(node.move.uci())
        annotations(node)

    annotations(game)
    # What is still to be done; a string is an item.
    stack: list[chess.pgn.GameNode | str] = [game]
    while stack:
        node = stack.pop()
        if isinstance(node, str):
            out.append(node)
            continue
        if isinstance(node, Start):
            out.append("(")
            move(node.node)
            node = node.node
        if not node.variations:
            continue
        main, *others = node.variations
        move(main)
        stack.append(main)
        if "variations" not in left_out:
            for other in reversed(others):
                stack.extend([")", Start(other)])
    return out


class Start:
    """The beginning of a variation."""

    def __init__(self, node: chess.pgn.ChildNode) -> None:
        self.node = node


def tag_differences(ours: chess.pgn.Game, theirs: chess.pgn.Game) -> Iterator[str]:
    for name, value in theirs.headers.items():
        if value in UNKNOWN and ours.headers.get(name, "?") in UNKNOWN:
            continue
        if name in ours.headers and words(ours.headers[name]) != words(value):
            yield f"tag {name}: pgnfs {ours.headers[name]!r}, witness {value!r}"


def main() -> None:
    ours, theirs, witness, *rest = sys.argv[1:]
    left_out = set(rest)
    assert left_out <= set(PARTS), f"unknown: {left_out - set(PARTS)}"
    ours_games, their_games = games(Path(ours)), games(Path(theirs))
    number = differ = 0
    while True:
        one, other = next(ours_games, None), next(their_games, None)
        if one is None and other is None:
            break
        number += 1
        if one is None or other is None:
            print(f"game {number} and those after it: only {witness if one is None else 'pgnfs'} has them")
            differ += 1
            break
        found = [] if "tags" in left_out else list(tag_differences(one, other))
        a, b = items(one, left_out), items(other, left_out)
        if a != b:
            at = next((n for n, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
            near = [" ".join(side[max(0, at - 3) : at + 4]) or "nothing" for side in (a, b)]
            found.append(f"movetext, item {at + 1}:\n    pgnfs   {near[0]}\n    witness {near[1]}")
        if found:
            differ += 1
            print(f"game {number}, {one.headers['White']} - {one.headers['Black']}")
            print("".join(f"  {what}\n" for what in found), end="")
    print(f"{witness}: {number} games compared, {differ} differ")
    sys.exit(differ > 0)


if __name__ == "__main__":
    sys.setrecursionlimit(100_000)
    main()
