"""Decodes a table until a signal comes, and says what came of it. Started by `test_interrupts.py`."""

import sys

import pyarrow

import chessdb

database = chessdb.open_database(sys.argv[1], threads=int(sys.argv[2]))
try:
    print("begin", flush=True)
    while True:
        try:
            pyarrow.table(database.table(["plies", "pgn"]))
        except OSError as error:
            # What reads a stream of Arrow knows no exceptions of Python. It comes once more.
            assert "KeyboardInterrupt" in str(error)
except KeyboardInterrupt:
    print("interrupted", flush=True)
