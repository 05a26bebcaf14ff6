"""Writes the main lines of games alone, with the number of each as its event.

usage: numbered.py IN.pgn OUT.pgn [GAMES]

Scoutfish indexes neither games from set-up positions nor null moves, and crashes at more than 1,023 half-moves. So the
former are left out, and a game ends at a null move and after 1,000 half-moves.
"""

import sys
from collections.abc import Iterable, Iterator
from itertools import islice

from main_lines import TAGS, games, main_line

LONGEST = 1000


def numbered(moves: Iterable[bytes]) -> Iterator[bytes]:
    """Moves with their numbers, without which Scoutfish reads none."""
    for ply, move in enumerate(islice(moves, LONGEST)):
        if ply % 2 == 0:
            yield b"%d." % (ply // 2 + 1)
        yield move


def main() -> None:
    most = int(sys.argv[3]) if len(sys.argv) > 3 else sys.maxsize
    written = 0
    with open(sys.argv[1], "rb") as source, open(sys.argv[2], "wb") as out:
        for tags, moves in games(source):
            found = dict(TAGS.findall(tags))
            if b"FEN" in found:
                continue
            if written == most:
                break
            written += 1
            line = b" ".join(numbered(main_line(moves)))
            result = found[b"Result"]
            out.write(b'[Event "%d"]\n[Result "%b"]\n\n%b %b\n\n' % (written, result, line, result))


if __name__ == "__main__":
    main()
