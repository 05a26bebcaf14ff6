"""Reduces PGN to what Polyglot and Scoutfish read: main lines from the normal start position, up to a null move.

usage: main_lines.py IN.pgn OUT.pgn
       main_lines.py --numbered IN.pgn OUT.pgn [GAMES]

With --numbered it is for Scoutfish, which wants numbers of moves and crashes at more than 1,023 half-moves: the event of a
game is its number, and a game ends after 1,000 half-moves. No game with a set-up is among these.
"""

import re
import sys
from itertools import islice

LONGEST = 1000
TOKENS = re.compile(rb"\{[^}]*\}|;[^\n]*|[()]|[^\s(){};]+")
TAGS = re.compile(rb'\[(Result|FEN) "((?:[^"\\]|\\.)*)"\]')
INITIAL = b"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -"
RESULTS = (b"1-0", b"0-1", b"1/2-1/2", b"*")


def games(lines):
    """The tags and the moves of each game, as bytes."""
    tags, moves = [], []
    for line in lines:
        if line.startswith(b"[Event ") and moves:
            yield b"".join(tags), b"".join(moves)
            tags, moves = [], []
        if not moves and line.startswith(b"["):
            tags.append(line)
        elif tags and (moves or line.strip()):
            moves.append(line)
    if moves:
        yield b"".join(tags), b"".join(moves)


def main_line(moves):
    """The moves of the main line, without their numbers."""
    depth = 0
    for token in TOKENS.findall(moves):
        if token == b"(":
            depth += 1
        elif token == b")":
            depth -= 1
        elif depth == 0 and token[:1] not in b"{;$":
            if token == b"--" or token in RESULTS:
                return
            if not token.endswith(b"."):
                yield token


def numbered(moves):
    for ply, move in enumerate(islice(moves, LONGEST)):
        if ply % 2 == 0:
            yield b"%d." % (ply // 2 + 1)
        yield move


def main():
    paths = [path for path in sys.argv[1:] if path != "--numbered"]
    has_numbers = len(paths) < len(sys.argv) - 1
    most = int(paths[2]) if len(paths) > 2 else sys.maxsize
    total = written = 0
    with open(paths[0], "rb") as source, open(paths[1], "wb") as out:
        for tags, moves in games(source):
            total += 1
            found = dict(TAGS.findall(tags))
            if b"FEN" in found if has_numbers else not found.get(b"FEN", INITIAL).startswith(INITIAL):
                continue
            if written == most:
                break
            written += 1
            result, line = found[b"Result"], main_line(moves)
            event, joined = (b"%d" % written, b" ".join(numbered(line))) if has_numbers else (b"?", b"\n".join(line))
            out.write(b'[Event "%b"]\n[Result "%b"]\n\n%b %b\n\n' % (event, result, joined, result))
    print(f"{written} of {total} games, without those from set-up positions")


if __name__ == "__main__":
    main()
