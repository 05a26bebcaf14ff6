"""Every example in a docstring or on the page runs."""

import doctest
from pathlib import Path

import pytest

import chessdb
import chessdb.polars
from chessdb import _open
from conftest import REPOSITORY


def test_examples_in_docstrings(own_games: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(own_games)
    examples = 0
    for module in [chessdb, _open, chessdb.polars]:
        result = doctest.testmod(module)
        assert result.failed == 0
        examples += result.attempted
    assert examples >= 30


@pytest.mark.parametrize("name", ["python.md", "recipes.md"])
def test_examples_on_the_pages(name: str, own_games: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(own_games)
    page = REPOSITORY / "docs" / name
    result = doctest.testfile(str(page), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert result.failed == 0
    assert result.attempted >= 10


def test_every_public_item_has_a_docstring() -> None:
    for name in chessdb.__all__:
        item = getattr(chessdb, name)
        assert item.__doc__, name
        for member, value in vars(item).items() if isinstance(item, type) else []:
            assert member.startswith("_") or value.__doc__, f"{name}.{member}"
