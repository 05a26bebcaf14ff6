"""Opening books as files: what they replace, and what they must not."""

import os
import stat
import threading
from pathlib import Path

import pytest

import chessdb


@pytest.fixture
def database(own_games: Path) -> chessdb.Database:
    return chessdb.open_database(own_games / "classics.pgn")


@pytest.fixture
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder without games."""
    return tmp_path_factory.mktemp("books")


@pytest.fixture
def book(database: chessdb.Database, folder: Path) -> bytes:
    path = folder / "book.bin"
    entries = database.polyglot(path)
    written = path.read_bytes()
    path.unlink()
    assert len(written) == 16 * entries > 0
    return written


def test_a_file_of_the_source_is_not_replaced(own_games: Path, folder: Path) -> None:
    classics, other = own_games / "classics.pgn", own_games / "notes.txt"
    other.write_text("notes")
    (folder / "link").symlink_to(classics)
    os.link(classics, folder / "hard")
    (folder / "notes").symlink_to(other)
    text = classics.read_bytes()
    alone = chessdb.open_database(classics)
    library = chessdb.open(own_games)
    assert isinstance(library, chessdb.Library)
    for database, paths in [
        (alone, [classics, folder / "link", folder / "hard"]),
        (library["classics.pgn"], [own_games / "annotated.pgn", folder / "link", folder / "hard", other, folder / "notes"]),
    ]:
        for path in paths:
            with pytest.raises(ValueError, match=f"{path.name} belongs to the source, which is only read"):
                database.polyglot(path)
    assert classics.read_bytes() == text and other.read_text() == "notes"
    assert sorted(path.name for path in folder.iterdir()) == ["hard", "link", "notes"]
    # A file that was not opened may be next to the database.
    assert alone.polyglot(other) == len(other.read_bytes()) // 16
    assert len(chessdb.open_database(classics)) == len(alone)


def test_the_target_of_a_link_is_replaced_and_keeps_its_permissions(
    database: chessdb.Database, folder: Path, book: bytes
) -> None:
    old, link = folder / "old.bin", folder / "link.bin"
    old.write_text("old")
    old.chmod(0o640)
    link.symlink_to(old.name)
    database.polyglot(link)
    assert link.is_symlink() and old.read_bytes() == book
    assert stat.S_IMODE(old.stat().st_mode) == 0o640
    link.unlink()
    link.symlink_to("nowhere.bin")
    with pytest.raises(OSError, match="link.bin: No such file"):
        database.polyglot(link)
    with pytest.raises(OSError, match="new.bin/: is a directory"):
        database.polyglot(f"{folder}/new.bin/")
    assert sorted(path.name for path in folder.iterdir()) == ["link.bin", "old.bin"]


def test_a_new_file_has_the_usual_permissions(
    database: chessdb.Database, folder: Path, book: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    (folder / "other").touch()
    database.polyglot("book.bin")
    assert (folder / "book.bin").read_bytes() == book
    assert (folder / "book.bin").stat().st_mode == (folder / "other").stat().st_mode


def test_a_book_goes_into_a_pipe(database: chessdb.Database, folder: Path, book: bytes) -> None:
    pipe = folder / "pipe"
    os.mkfifo(pipe)
    read: list[bytes] = []
    thread = threading.Thread(target=lambda: read.append(pipe.read_bytes()), daemon=True)
    thread.start()
    database.polyglot(pipe)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    thread.join()
    assert read == [book]


def test_a_book_that_fails_leaves_the_old_one(own_games: Path, folder: Path) -> None:
    database = chessdb.open_database(own_games / "classics.pgn")
    path = folder / "book.bin"
    path.write_text("old")
    (own_games / "classics.pgn").write_bytes(b"")
    with pytest.raises(chessdb.ChangedError):
        database.polyglot(path)
    assert path.read_text() == "old" and list(folder.iterdir()) == [path]


def test_threads_write_the_same_book(database: chessdb.Database, folder: Path, book: bytes) -> None:
    path = folder / "book.bin"
    errors: list[Exception] = []

    def write() -> None:
        try:
            for _ in range(20):
                database.polyglot(path)
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=write) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert path.read_bytes() == book and list(folder.iterdir()) == [path]
