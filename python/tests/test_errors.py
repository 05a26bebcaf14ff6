"""Threads that share iterators, files that are replaced, and arguments that are wrong."""

import os
import subprocess
import sys
import textwrap
import threading
from pathlib import Path
from typing import Any, Callable

import pytest

import chessdb

GAMES = 5000


def write(path: Path, name: str, games: int = GAMES) -> Path:
    path.write_text("".join(f'[Event "{name}{n}"]\n\n1. e4 e5 {{w w w}} 1-0\n\n' for n in range(games)))
    return path


@pytest.mark.parametrize("name", ["games", "headers", "pgn"])
def test_threads_share_an_iterator(tmp_path: Path, name: str) -> None:
    database = chessdb.open_database(write(tmp_path / "x.pgn", "A"), threads=2)
    iterator = getattr(database, name)()
    taken: list[object] = []
    errors: list[Exception] = []

    def take() -> None:
        try:
            taken.extend(iterator)
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=take) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    of: dict[str, Callable[[Any], str]] = {
        "games": lambda game: game.headers["Event"],
        "headers": lambda headers: headers["Event"],
        "pgn": lambda text: text.split('"')[1],
    }
    assert errors == []
    assert sorted(map(of[name], taken)) == sorted(f"A{n}" for n in range(GAMES))


def test_a_signal_handler_may_use_the_iterator_that_it_interrupts(tmp_path: Path) -> None:
    """It gets an error instead of waiting for itself."""
    path = write(tmp_path / "x.pgn", "A")
    program = textwrap.dedent(
        """
        import os, signal, sys, threading, time, chessdb
        database = chessdb.open_database(sys.argv[1], threads=2)
        texts = database.pgn()
        said = []
        def handler(*_):
            try:
                said.append("a game" if next(texts, None) else "the end")
            except ValueError as error:
                said.append(str(error))
        signal.signal(signal.SIGUSR1, handler)
        def send():
            while not over.is_set():
                os.kill(os.getpid(), signal.SIGUSR1)
                time.sleep(0.001)
        over = threading.Event()
        thread = threading.Thread(target=send)
        thread.start()
        for _ in range(20):
            sum(1 for _ in texts)
            texts = database.pgn()
        over.set()
        thread.join()
        assert set(said) <= {"a game", "the end", "iterator already executing"}, set(said)
        """
    )
    subprocess.run([sys.executable, "-c", program, str(path)], check=True, timeout=120)


def replaced(folder: Path) -> chessdb.Database:
    database = chessdb.open_database(write(folder / "x.pgn", "x"))
    os.replace(write(folder / "y.pgn", "y"), folder / "x.pgn")
    return database


READS: list[Callable[[chessdb.Database], object]] = [
    lambda database: list(database.pgn()),
    lambda database: list(database.headers()),
    lambda database: database[0].pgn(),
    lambda database: database.table(),
    lambda database: database.find(moves="e4"),
    lambda database: database.info,
]


@pytest.mark.parametrize("read", READS)
def test_a_file_that_was_replaced(tmp_path: Path, read: Callable[[chessdb.Database], object]) -> None:
    database = replaced(tmp_path)
    with pytest.raises(chessdb.ChangedError, match="was replaced after it was opened") as raised:
        read(database)
    assert raised.value.file == str(tmp_path / "x.pgn")


def test_a_file_that_was_only_removed_can_be_read(tmp_path: Path) -> None:
    path = write(tmp_path / "x.pgn", "x")
    database = chessdb.open_database(path)
    path.unlink()
    assert len(list(database.pgn())) == GAMES


@pytest.fixture
def database(tmp_path: Path) -> chessdb.Database:
    return chessdb.open_database(write(tmp_path / "x.pgn", "x", 3))


@pytest.mark.parametrize("index", [3, -4, 2**63, -(2**63) - 1, 2**100])
def test_an_index_out_of_range(database: chessdb.Database, index: int) -> None:
    with pytest.raises(IndexError):
        database[index]
    with pytest.raises(IndexError):
        chessdb.Library.__getitem__(library(database), index)


def library(database: chessdb.Database) -> chessdb.Library:
    opened = chessdb.open(Path(database.path).parent)
    assert isinstance(opened, chessdb.Library)
    return opened


def test_bounds_are_those_of_a_slice(database: chessdb.Database) -> None:
    for bound in (2**63, 2**100):
        assert len(list(database.pgn(0, bound))) == 3
        assert len(list(database.games(-bound, None))) == 3
        assert len(list(database.headers(bound))) == 0
        assert len(database.table(start=1, stop=bound)) == 2


WRONG: list[tuple[type[Exception], Callable[[Any], object]]] = [
    (TypeError, lambda database: database["0"]),
    (TypeError, lambda database: database[0.0]),
    (TypeError, lambda database: database.pgn("0")),
    (TypeError, lambda database: database.table([1])),
    (TypeError, lambda database: database.find(1)),
    (TypeError, lambda database: library(database)[0.0]),  # type: ignore[call-overload]
    (KeyError, lambda database: library(database)["y.pgn"]),
    (ValueError, lambda database: database.table([])),
    (ValueError, lambda database: database.table(["White\n"])),
    (ValueError, lambda database: database.table([""])),
    (ValueError, lambda database: database.table(["elo"])),
    (ValueError, lambda database: database.find()),
    (ValueError, lambda database: database.find(fen="x w")),
    (ValueError, lambda database: database.index_positions(memory=-1)),
    (ValueError, lambda _: chessdb.open("\0")),
    (ValueError, lambda _: chessdb.open("/", threads=-1)),
    (ValueError, lambda _: chessdb.open("/", threads=-(2**100))),
    (TypeError, lambda _: chessdb.open(1)),  # type: ignore[arg-type]
    (TypeError, lambda _: chessdb.open("nothing.zip", passwords="secret")),
    (TypeError, lambda _: chessdb.open_database("nothing.zip", passwords="secret")),
]


@pytest.mark.parametrize("kind, call", WRONG)
def test_wrong_arguments(
    database: chessdb.Database, kind: type[Exception], call: Callable[[Any], object]
) -> None:
    with pytest.raises(kind) as raised:
        call(database)
    assert raised.type is kind
    assert "\n" not in str(raised.value)


def test_a_library_is_searched_and_tabulated_as_its_databases_are(own_games: Path) -> None:
    import pyarrow

    library = chessdb.open(own_games)
    assert isinstance(library, chessdb.Library)
    found = library.find(moves="e4 e5")
    parts = [(database.name, hit.game.number, hit.ply) for database in library for hit in database.find(moves="e4 e5")]
    assert [(hit.game.database, hit.game.number, hit.ply) for hit in found] == parts
    assert len({path for path, _, _ in parts}) == 2
    rows = pyarrow.table(library.table()).to_pylist()
    assert len(rows) == sum(map(len, library))
    expected = [
        {"database": database.name, **row}
        for database in library
        for row in pyarrow.table(database.table()).to_pylist()
    ]
    assert rows == expected
    names = pyarrow.table(library.table(["ECO", "eco_name"])).to_pylist()
    assert {"ECO": "C41", "eco_name": "Philidor Defense"} in names
    assert all((row["eco_name"] is None) == (row["ECO"] is None) for row in names)
    library.close()
    with pytest.raises(ValueError, match="is closed"):
        library.find(moves="e4")


