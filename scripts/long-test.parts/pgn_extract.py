"""Compares `material:` and `for:` with what pgn-extract -y and -z find: these pieces for so many half-moves.

usage: pgn_extract.py PGNFS GAMES.pgn FOLDER QUESTIONS

N half-moves of pgn-extract are those between N+1 positions. It does not look at the last position of a game, so there
must be a later one. It takes no pawn away for a promotion, so games with promotions are not compared.
"""

import random
import re
import sys
from pathlib import Path

import chess

from ask import Differences, find, numbers, positions, run

LETTERS = "QRBNP"


def side(board: chess.Board, color: chess.Color, chance: random.Random) -> tuple[str, str]:
    """The pieces of a side as pgnfs and as pgn-extract write them: their number, or one that includes it."""
    ours, theirs = "K", ""
    for letter in LETTERS:
        count = len(board.pieces(chess.PIECE_SYMBOLS.index(letter.lower()), color))
        kind = chance.choice(["same", "same", "same", "most", "least", "any", "some"])
        if kind == "most":
            ours, theirs = ours + f"{letter}0-{count}", theirs + f"{letter}{count}-"
        elif kind == "least":
            ours, theirs = ours + f"{letter}{count}-64", theirs + f"{letter}{count}+"
        elif kind == "any":
            ours, theirs = ours + f"{letter}*", theirs + f"{letter}*"
        elif kind == "some" and count:
            ours, theirs = ours + f"{letter}+", theirs + f"{letter}+"
        elif count:
            ours, theirs = ours + f"{letter}{count}", theirs + f"{letter}{count}"
    return ours if color else ours.lower(), theirs


def main() -> None:
    pgnfs, games, folder, number = sys.argv[1:]
    chance = random.Random(1)
    wanted = Path(folder) / "material"
    promoting = set()
    for match in re.finditer(r'^\[Event "(\d+)"\]\n.*\n\n(.*)', Path(games).read_text(), re.MULTILINE):
        if "=" in match[2]:
            promoting.add(int(match[1]))
    print(f"{len(promoting)} games with promotions are left out")
    differences = Differences("pgn-extract")
    theirs = ours = 0.0
    for board in positions(Path(games), int(number), chance):
        white, black = (side(board, color, chance) for color in (chess.WHITE, chess.BLACK))
        plies = chance.choice([0, 1, 2, 3, 6, 10])
        option, mirror = chance.choice([("-y", ""), ("-z", " mirror:colour")])
        wanted.write_text(f"{plies} {white[1] or 'K'} {black[1] or 'K'}\n")
        answer = run(["pgn-extract", "-s", "-7", "-C", f"{option}{wanted}", games])
        expected = {int(game) for game in re.findall(r'^\[Event "(\d+)"\]', answer.text, re.MULTILINE)}
        query = f"material:{white[0]}{black[0]} for:{plies + 1} then ply:0..{mirror}"
        found = find(pgnfs, query, games)
        differences.compare(
            query, set(numbers(found)) - promoting, expected - promoting, f"{option}: {wanted.read_text().strip()}"
        )
        theirs, ours = theirs + answer.seconds, ours + found.seconds
    differences.report()
    print(f"    processor time: pgn-extract {theirs:.1f} s, pgnfs {ours:.1f} s: {theirs / ours:.1f} times as fast")
    sys.exit(differences.differ > 0)


if __name__ == "__main__":
    main()
