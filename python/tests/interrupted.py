"""Decodes a table until a signal comes, and says what came of it. Started by `test_interrupts.py`."""

import sys

import chessdb

database = chessdb.open_database(sys.argv[1], threads=int(sys.argv[2]))
try:
    print("begin", flush=True)
    while True:
        database.table(["plies", "pgn"])
except KeyboardInterrupt:
    print("interrupted", flush=True)
