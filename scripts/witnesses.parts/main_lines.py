"""Reduces PGN to what Polyglot reads: main lines from the normal start position, up to a null move.

usage: main_lines.py IN.pgn OUT.pgn
"""

import re
import sys

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


def main():
    total = left_out = 0
    with open(sys.argv[1], "rb") as source, open(sys.argv[2], "wb") as out:
        for tags, moves in games(source):
            total += 1
            found = dict(TAGS.findall(tags))
            if not found.get(b"FEN", INITIAL).startswith(INITIAL):
                left_out += 1
                continue
            result = found[b"Result"]
            line = b"\n".join(main_line(moves))
            out.write(b'[Event "?"]\n[Result "%b"]\n\n%b %b\n\n' % (result, line, result))
    print(f"{total} games, {left_out} of them from set-up positions")


if __name__ == "__main__":
    main()
