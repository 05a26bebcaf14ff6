"""Reads tables until Ctrl-C comes in the middle of one, and says what came of it. Started by `test_interrupts.py`."""

import os
import signal
import sys
import threading
import time
from typing import Any, Callable

import duckdb
import pandas
import polars
import pyarrow

import chessdb


def with_duckdb(games: chessdb.Table) -> Any:
    return duckdb.execute("SELECT sum(length(pgn)) FROM games").fetchall()


READERS: "dict[str, Callable[[chessdb.Table], Any]]" = {
    "pyarrow": pyarrow.table,
    "polars": polars.DataFrame,
    "pandas": pandas.DataFrame.from_arrow,
    "duckdb": with_duckdb,
}


def interrupt(begin: float, seconds: float) -> None:
    """Ctrl-C, as soon as this process has computed for so long."""
    while time.process_time() < begin + seconds:
        time.sleep(0.01)
    os.kill(os.getpid(), signal.SIGINT)


def main(path: str, threads: int, reader: str, seconds: float) -> None:
    table = chessdb.open_database(path, threads=threads).table(["plies", "pgn"])
    thread = threading.Thread(target=interrupt, args=(time.process_time(), seconds), daemon=True)
    try:
        thread.start()
        # As people write loops that are to go on after an error; in vain if the signal is lost.
        for _ in range(3):
            try:
                READERS[reader](table)
                print("read to the end")
            except Exception as error:
                print(f"error: {error}")
    except KeyboardInterrupt:
        print("interrupted")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3], float(sys.argv[4]))
