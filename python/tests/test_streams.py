"""Tables are decoded when they are read, a few thousand games at a time."""

import threading
from pathlib import Path

import pyarrow
import pytest

import chessdb


@pytest.fixture
def many(own_games: Path) -> Path:
    path = own_games / "many.pgn"
    path.write_bytes((own_games / "classics.pgn").read_bytes() * 2_000)
    return path


def test_batches_come_one_by_one(many: Path) -> None:
    database = chessdb.open_database(many)
    table = database.table(["number"], start=1)
    assert len(table) == 63 * 2_000 - 1
    numbers = []
    for batch in pyarrow.RecordBatchReader.from_stream(table):
        assert 0 < batch.num_rows <= 8192
        numbers += batch["number"].to_pylist()
    assert numbers == list(range(2, 63 * 2_000 + 1))
    # It is read again from its beginning.
    assert pyarrow.table(table).num_rows == len(numbers)


def test_another_thread_reads_the_same(many: Path) -> None:
    database = chessdb.open_database(many)
    reader = pyarrow.RecordBatchReader.from_stream(database.table(["number", "uci"]))
    tables = []
    thread = threading.Thread(target=lambda: tables.append(reader.read_all()))
    thread.start()
    thread.join()
    assert tables == [pyarrow.table(database.table(["number", "uci"]))]


def test_a_file_that_changes_meanwhile_is_named(many: Path) -> None:
    """What was read before is right, and nothing follows it."""
    for is_other_thread in (False, True):
        many.write_bytes((many.parent / "classics.pgn").read_bytes() * 2_000)
        database = chessdb.open_database(many)
        reader = pyarrow.RecordBatchReader.from_stream(database.table(["White"]))
        assert reader.read_next_batch()["White"][0].as_py() == "Legall de Kermeur"
        many.write_bytes(b"")
        errors = []

        def read() -> None:
            try:
                reader.read_all()
            except OSError as error:
                errors.append(str(error))

        if is_other_thread:
            thread = threading.Thread(target=read)
            thread.start()
            thread.join()
        else:
            read()
        assert len(errors) == 1 and f"{many}: the file was cut at byte 0" in errors[0]
        with pytest.raises(chessdb.ChangedError):
            database.table(["White"])


def test_positions_are_counted(own_games: Path) -> None:
    table = chessdb.open_database(own_games / "classics.pgn").table(rows="positions")
    assert len(table) == pyarrow.table(table).num_rows > 63 * 20
    assert repr(table).startswith("<chessdb.Table of the positions of 63 games: number, ")
