"""Ctrl-C ends long work."""

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

INTERRUPTED = Path(__file__).with_name("interrupted.py")


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory, classics_text: bytes) -> Path:
    """So many games that no library reads them before it is interrupted."""
    path = tmp_path_factory.mktemp("games") / "many.pgn"
    path.write_bytes(classics_text * 2_000)
    return path


def test_ctrl_c_while_few_long_games_are_decoded(tmp_path: Path) -> None:
    """Far fewer games than a thread decodes at once."""
    moves = " ".join(f"{2 * n - 1}. Nf3 Nf6 {2 * n}. Ng1 Ng8" for n in range(1, 250))
    path = tmp_path / "long.pgn"
    path.write_text(f'[White "a"]\n\n{moves} *\n\n' * 3_000)
    program = textwrap.dedent(
        """
        import os, signal, sys, threading, time, chessdb, pyarrow
        table = chessdb.open_database(sys.argv[1], threads=1).table(["movetext", "uci"])
        begin = time.process_time()
        assert pyarrow.table(table).num_rows == 3_000
        whole = time.process_time() - begin
        begin = time.process_time()
        def interrupt():
            while time.process_time() < begin + whole / 8:
                time.sleep(0.001)
            os.kill(os.getpid(), signal.SIGINT)
        threading.Thread(target=interrupt).start()
        try:
            try:
                pyarrow.table(table)
            except OSError:
                pass
            # Python looks for signals after a call, and so only between these.
            for _ in range(6_000):
                time.sleep(0.01)
        except KeyboardInterrupt:
            print((time.process_time() - begin) / whole)
        """
    )
    command = [sys.executable, "-c", program, str(path)]
    ended = subprocess.run(command, capture_output=True, text=True, check=True)
    assert float(ended.stdout) < 0.6


@pytest.mark.parametrize("seconds", [0.0, 0.3, 0.7])
@pytest.mark.parametrize("reader", ["pyarrow", "polars", "pandas", "duckdb"])
def test_ctrl_c_while_a_library_reads_a_table(many: Path, reader: str, seconds: float) -> None:
    for threads in (1, 2):
        command = [sys.executable, str(INTERRUPTED), str(many), str(threads), reader, str(seconds)]
        ended = subprocess.run(command, capture_output=True, text=True)
        *errors, last = ended.stdout.splitlines()
        if reader == "duckdb" and errors[:1] == ["error: Query interrupted"]:
            # DuckDB has seen the signal before the table did, and ended the query with this error alone.
            continue
        assert (last, ended.returncode) == ("interrupted", 0), ended
        # A library may also raise an exception of its own before, with the reason in its text.
        assert all(error.startswith("error: ") and "nterrupt" in error for error in errors), ended
