"""Ctrl-C ends long work."""

import subprocess
import sys
from pathlib import Path

import pytest

INTERRUPTED = Path(__file__).with_name("interrupted.py")


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory, classics_text: bytes) -> Path:
    """So many games that no library reads them before it is interrupted."""
    path = tmp_path_factory.mktemp("games") / "many.pgn"
    path.write_bytes(classics_text * 2_000)
    return path


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
