"""Libraries as sequences, and what is pickled."""

import pickle
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Union

import pyarrow
import pytest

import chessdb


@pytest.fixture
def library(own_games: Path) -> chessdb.Library:
    opened = chessdb.open(own_games)
    assert isinstance(opened, chessdb.Library)
    return opened


@pytest.fixture
def classics(own_games: Path) -> chessdb.Database:
    return chessdb.open_database(own_games / "classics.pgn")


def test_a_library_is_a_sequence(library: chessdb.Library) -> None:
    databases = list(library)
    assert isinstance(library, Sequence) and len(databases) == 2
    for chosen in [slice(None), slice(1, None), slice(None, None, -1), slice(5, 9), slice(-1, None)]:
        part = library[chosen]
        assert isinstance(part, chessdb.Library) and list(part) == databases[chosen]
        assert len(part.find("result:1-0")) == sum(len(database.find("result:1-0")) for database in databases[chosen])
    assert list(reversed(library)) == databases[::-1]
    assert [library.index(database) for database in databases] == [0, 1]
    assert library.count(databases[0]) == 1
    assert databases[1] in library and databases[1] not in library[:1]
    others: "list[tuple[object, bool]]" = [("classics.pgn", True), ("other.pgn", False), (3, False)]
    assert all((one in library) == is_there for one, is_there in others)
    with pytest.raises(ValueError):
        library.index("other.pgn")


def test_a_notebook_shows_the_databases(library: chessdb.Library) -> None:
    shown = library._repr_html_()  # type: ignore[attr-defined]
    assert shown.count("<tr>") == 3 and "<td>classics.pgn</td><td>pgn</td><td>63</td>" in shown


def test_names_and_paths_have_one_rule(own_games: Path, library: chessdb.Library) -> None:
    alone = chessdb.open_database(own_games / "classics.pgn")
    below = library["classics.pgn"]
    for database in (alone, below):
        assert database.name == database[0].database == "classics.pgn"
        assert database.path == str(own_games / "classics.pgn")
        assert chessdb.open_database(database.path)[0] == database[0]
    assert library.path == str(own_games)


def same(thing: object) -> object:
    return pickle.loads(pickle.dumps(thing))


def test_what_is_pickled_is_the_same(classics: chessdb.Database, library: chessdb.Library) -> None:
    for games in (classics[5:20], classics[::-3], classics[7:7]):
        copy = same(games)
        assert isinstance(copy, chessdb.Games) and list(copy) == list(games)
    for found in (
        classics.find("player:morphy played:O-O"),
        classics.find(moves="e4 e5"),
        library.find("line:e4 in:variations", sort="elo"),
        classics.find("player:nobody"),
    ):
        copy = same(found)
        assert isinstance(copy, chessdb.FoundGames) and list(copy) == list(found)
        assert [(one.san, one.line) for one in copy[:9]] == [(one.san, one.line) for one in found[:9]]
        assert [same(one) for one in found] == list(found)
    found = classics.find("player:morphy")
    copy = same(found)
    assert isinstance(copy, chessdb.FoundGames)
    columns = ["colour", "score"]
    assert pyarrow.table(copy.table(columns)).to_pylist() == pyarrow.table(found.table(columns)).to_pylist()
    for move in classics.moves_table(moves="e4"):
        again = same(move)
        assert isinstance(again, chessdb.PlayedMove)
        for name in ("san", "uci", "games", "white", "draws", "black", "score", "elo", "performance", "first", "last"):
            assert getattr(again, name) == getattr(move, name)
        assert (again.reached, again.eco, again.game) == (move.reached, move.eco, move.game)
    for position in classics[3].positions():
        again = same(position)
        assert isinstance(again, chessdb.Position)
        assert [again.fen, again.ply, again.key, again.move] == [position.fen, position.ply, position.key, position.move]
    novelties = classics.novelties()
    assert same(novelties) == novelties
    part = same(library[1:])
    assert isinstance(part, chessdb.Library) and [database.name for database in part] == ["classics.pgn"]
    whole = same(library)
    assert isinstance(whole, chessdb.Library) and len(whole) == 2


def test_duplicates_are_pickled(tmp_path: Path) -> None:
    path = tmp_path / "twice.pgn"
    moves = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6 8. c3 O-O"
    path.write_text(f'[White "a"]\n[Black "b"]\n[Date "2000.01.01"]\n\n{moves} *\n\n' * 2)
    groups = chessdb.open_database(path).duplicates()
    (first, second), = groups
    for one in (first, second):
        copy = same(one)
        assert isinstance(copy, chessdb.Duplicate)
        assert (copy.game, copy.reason, copy.ply_count, copy.annotations) == (one.game, one.reason, 16, 0)
    assert pyarrow.table(groups.table()).to_pylist() == [
        {"group": 1, "database": "twice.pgn", "number": n, "reason": reason, "ply_count": 16, "annotations": 0}
        for n, reason in [(1, None), (2, second.reason)]
    ]


def test_games_of_a_changed_database_are_not_unpickled(own_games: Path) -> None:
    path = own_games / "classics.pgn"
    database = chessdb.open_database(path)
    pickled = [pickle.dumps(one) for one in (database[3:5], database.find("result:1-0"), database.find("result:1-0")[0])]
    new = own_games / "new"
    new.write_text('[White "New"]\n\n1. d4 *\n')
    new.replace(path)
    for one in pickled:
        with pytest.raises(chessdb.ChangedError):
            pickle.loads(one)


GAME = '[White "{name}"]\n\n1. e4 e5 *\n\n'


def test_a_folder_is_opened_once_for_all_that_was_pickled_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(20):
        (tmp_path / f"{number}.pgn").write_text(GAME.format(name=number) * 3)
    library = chessdb.open(tmp_path)
    assert isinstance(library, chessdb.Library) and len(library) == 20
    opened: "list[Path]" = []

    def count(path: Path, **options: Any) -> Union[chessdb.Database, chessdb.Library]:
        opened.append(path)
        return chessdb.open(path, **options)

    monkeypatch.setattr("chessdb._open.open", count)
    games = {database.name: database[1] for database in library}
    assert same(games) == games
    found = library.find("result:*")
    assert same(found.games) == found.games and len(found) == 60
    databases = same(list(library))
    assert isinstance(databases, list) and [database.name for database in databases] == list(games)
    assert opened == [tmp_path]
    # Each is closed by itself.
    databases[0].close()
    assert not library[0].closed and same(games) == games
    # A database that was changed, or was not there before, needs the folder again.
    for name in ("7.pgn", "new.pgn"):
        (tmp_path / name).write_text(GAME.format(name=name))
        present = chessdb.open(tmp_path)
        assert isinstance(present, chessdb.Library)
        assert same(games["6.pgn"]) == games["6.pgn"]
        assert same(present[name][0]) == present[name][0]
    assert len(opened) == 3
    with pytest.raises(chessdb.ChangedError, match="changed after its games were pickled"):
        same(games["7.pgn"])


def test_found_games_need_only_their_own_databases(tmp_path: Path) -> None:
    for name in "abcd":
        (tmp_path / f"{name}.pgn").write_text(GAME.format(name=name) * 3)
    library = chessdb.open(tmp_path)
    assert isinstance(library, chessdb.Library)
    found = library.find("result:*")
    parts = {"ab": found[:6], "bc": found[8:3:-1], "d": found[9:], "": found[:0]}
    pickled = {names: pickle.dumps(part) for names, part in parts.items()}
    (tmp_path / "a.pgn").write_text(GAME.format(name="changed"))
    (tmp_path / "d.pgn").unlink()
    assert list(pickle.loads(pickled["bc"])) == list(parts["bc"])
    for names, message in [
        ("ab", "changed after its games were pickled"),
        ("d", r"d\.pgn: the database that was pickled is no longer there"),
        # Its hints are about all databases.
        ("", "changed after its games were pickled"),
    ]:
        with pytest.raises(chessdb.ChangedError, match=message):
            pickle.loads(pickled[names])


def test_tables_of_pickled_games_have_the_same_columns(library: chessdb.Library) -> None:
    found = library.find("player:morphy")
    assert len({one.game.database for one in found}) == 1
    for games in (found, found[:0], library["classics.pgn"].find("player:morphy")):
        copy = same(games)
        assert isinstance(copy, chessdb.FoundGames)
        assert copy.table().columns == games.table().columns
        assert pyarrow.table(copy.table()) == pyarrow.table(games.table())
    nobody = library.find("has:evnt")
    copy = same(nobody)
    assert isinstance(copy, chessdb.FoundGames) and copy.hints == nobody.hints != []


def test_what_is_not_pickled_games_is_refused(classics: chessdb.Database) -> None:
    native = chessdb._chessdb
    for rows in ((0, 64), (5, 4), b"abc", (63).to_bytes(4, "little")):
        with pytest.raises(ValueError, match="not the pickled games"):
            native._games(classics, rows)
    for found in (b"abc", bytes(19), b"\1" + bytes(19), (63).to_bytes(8, "big") + bytes(12)):
        with pytest.raises(ValueError, match="not the pickled games"):
            native._found_games([classics], found, None, False)


def white_wins(games: chessdb.Games) -> int:
    return sum(headers["Result"] == "1-0" for headers in games.headers())


def test_slices_go_to_processes(classics: chessdb.Database) -> None:
    parts = [classics[start : start + 20] for start in range(0, len(classics), 20)]
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        assert sum(pool.map(white_wins, parts)) == len(classics.find("result:1-0"))


def test_lists_are_tables(classics: chessdb.Database) -> None:
    moves = classics.moves_table(moves="e4 e5")
    rows = pyarrow.table(moves.table()).to_pylist()
    assert len(rows) == len(moves) == 3
    for row, move in zip(rows, moves):
        number = row.pop("number")
        assert number == (move.game and move.game.number)
        assert row == {name: getattr(move, name) for name in row}
    assert len(rows[0]) == 13
    novelties = classics.novelties()
    assert pyarrow.table(novelties.table()).to_pylist() == [
        {"number": one.game.number, "ply": one.ply, "san": one.san, "before": one.before} for one in novelties
    ]
    assert pyarrow.table(classics.duplicates().table()).num_rows == 0


def test_type_checkers_know_all_names(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text("import chessdb\nchessdb.open_databse('a.pgn')\niterator: chessdb.GameIterator\n")
    result = subprocess.run([sys.executable, "-m", "mypy", program], capture_output=True, text=True)
    assert result.returncode == 1 and "open_databse" in result.stdout and "1 error" in result.stdout
    with pytest.raises(AttributeError, match="open_databse"):
        getattr(chessdb, "open_databse")


def test_a_lone_surrogate_is_named(classics: chessdb.Database) -> None:
    for call in (
        lambda: classics.find("player:\udc80"),
        lambda: classics.find(fen="player:\udc80"),
        lambda: classics.table(where="player:\udc80"),
        lambda: classics.moves_table(moves="e4 e5 a\udc80"),
        lambda: classics.table("player:\udc80"),
    ):
        with pytest.raises(ValueError, match=r"character 8 of the text is the lone surrogate U\+DC80"):
            call()


def test_a_text_is_one_column(classics: chessdb.Database) -> None:
    table = classics.table("White")
    assert table.columns == ["White"]
    assert pyarrow.table(table) == pyarrow.table(classics.table(["White"])) == pyarrow.table(classics[:].table(("White",)))
    with pytest.raises(TypeError, match="the name of a column is a text, not 'int'"):
        classics.table([3])  # type: ignore[list-item]
    with pytest.raises(TypeError, match="a query is a text, not 'int'"):
        classics.table(where=3)  # type: ignore[arg-type]
