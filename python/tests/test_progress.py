"""How far long searches are."""

from pathlib import Path
from typing import Callable

import pytest

import chessdb

Search = Callable[[chessdb.Database, Callable[[int, int], object]], object]

SEARCHES: "list[Search]" = [
    lambda database, told: database.find("text:nothing", progress=told),
    lambda database, told: database.find(material="KRPkr", progress=told),
    lambda database, told: database.index_positions(progress=told),
    lambda database, told: database.novelties(progress=told),
]


@pytest.fixture
def many(own_games: Path) -> chessdb.Database:
    path = own_games / "many.pgn"
    path.write_bytes((own_games / "classics.pgn").read_bytes() * 200)
    return chessdb.open_database(path, threads=1)


@pytest.mark.parametrize("search", SEARCHES)
def test_games_are_counted_to_the_end(many: chessdb.Database, search: Search) -> None:
    told: "list[tuple[int, int]]" = []
    search(many, lambda done, total: told.append((done, total)))
    numbers = [done for done, _ in told]
    assert numbers == sorted(numbers) and len({total for _, total in told}) == 1
    assert told[-1][0] == told[-1][1] >= len(many)


@pytest.mark.parametrize("search", SEARCHES)
def test_an_exception_ends_the_search(many: chessdb.Database, search: Search) -> None:
    def tell(done: int, total: int) -> None:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        search(many, tell)


def test_a_library_counts_all_games(own_games: Path) -> None:
    library = chessdb.open(own_games)
    assert isinstance(library, chessdb.Library)
    told: "list[tuple[int, int]]" = []
    library.find("text:nothing", progress=lambda done, total: told.append((done, total)))
    assert told[-1] == (79, 79)


def test_a_bar(many: chessdb.Database, capfd: pytest.CaptureFixture[str]) -> None:
    many.find("text:nothing", progress=True)
    shown = capfd.readouterr().err
    assert "100%" in shown and "12.6k/12.6k" in shown
    many.find("text:nothing", progress=False)
    assert capfd.readouterr().err == ""
    with pytest.raises(TypeError):
        many.find("text:nothing", progress=3)  # type: ignore[arg-type]
