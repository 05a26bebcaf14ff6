"""Databases, libraries and their errors, on the repository's own games."""

import multiprocessing
import pickle
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Optional

import chess
import pyarrow
import pytest

import chessdb


@pytest.fixture
def classics(own_games: Path) -> chessdb.Database:
    return chessdb.open_database(own_games / "classics.pgn", threads=2)


def numbers(games: Sequence[chessdb.Game]) -> "list[int]":
    return [game.number for game in games]


def test_a_database_is_a_sequence(classics: chessdb.Database) -> None:
    all_numbers = list(range(1, 64))
    assert numbers(list(classics)) == all_numbers
    for part in [slice(3), slice(-3, None), slice(50, 10, -7), slice(70, 80), slice(None, None, 5)]:
        assert numbers(classics[part]) == all_numbers[part]
    for start, stop in [(None, None), (5, 9), (-5, None), (60, 100), (9, 5), (None, -60)]:
        assert numbers(list(classics.games(start, stop))) == all_numbers[start:stop]
        assert len(list(classics.headers(start, stop))) == len(all_numbers[start:stop])
    assert (classics[-1].number, classics[0].number) == (63, 1)
    for number in [True, False]:
        with pytest.raises(TypeError):
            classics[number]
    for index in [63, -64, 1 << 40]:
        with pytest.raises(IndexError):
            classics[index]
    with pytest.raises(TypeError):
        classics["1"]  # type: ignore[call-overload]


def test_the_order_of_headers(classics: chessdb.Database) -> None:
    roster = ["Event", "Site", "Date", "Round", "White", "Black", "Result"]
    for headers in classics.headers():
        assert list(headers)[:7] == roster
        assert list(headers)[7:] == sorted(list(headers)[7:])


def test_a_closed_database(own_games: Path) -> None:
    with chessdb.open_database(own_games / "classics.pgn") as database:
        game = database[0]
    with pytest.raises(ValueError, match="closed"):
        len(database)
    with pytest.raises(ValueError, match="closed"):
        with database:
            pass
    assert database.closed
    assert not chessdb.open_database(own_games / "classics.pgn").closed
    assert game.headers["White"] == "Legall de Kermeur"


def test_games_are_equal_by_file_and_number(own_games: Path) -> None:
    one, again = (chessdb.open_database(own_games / "classics.pgn") for _ in range(2))
    library = chessdb.open(own_games)
    assert isinstance(library, chessdb.Library)
    assert one[3] == again[3] == library["classics.pgn"][3]
    assert one[3] != one[4] and one[3] != library["annotated.pgn"][3] and one[3] != 3
    assert one[3] != chessdb.open_database(own_games / "classics.pgn", encoding="koi8-r")[3]
    assert len({*one, *again, *library["classics.pgn"]}) == 63


def test_games_of_many_small_files_are_equal(tmp_path: Path) -> None:
    for number in range(1001):
        (tmp_path / f"{number:04}.pgn").write_text(f'[White "{number}"]\n\n1. e4 *\n')

    def opened() -> chessdb.Database:
        database = chessdb.open_database(tmp_path)
        assert (database.name, len(database)) == ("small-files.pgn", 1001)
        return database

    one, again = opened(), opened()
    assert one[3] == again[3] != one[4] and again[3] in one
    assert len({*one, *again}) == 1001
    assert pickle.loads(pickle.dumps(one[3])) == one[3]
    (tmp_path / "0003.pgn").write_text('[White "changed"]\n\n1. d4 *\n')
    assert opened()[3] != one[3] == again[3]


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_games_go_to_other_processes(own_games: Path, method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(own_games)
    library = chessdb.open(".")
    assert isinstance(library, chessdb.Library)
    games = [chessdb.open_database("classics.pgn", encoding="windows-1252")[12], library["annotated.pgn"][0]]
    with multiprocessing.get_context(method).Pool(1) as pool:
        assert pool.map(chessdb.Game.moves, games) == [game.moves() for game in games]
        assert pool.map(len, [library]) == [2]
        assert pool.map(len, [library["classics.pgn"]]) == [63]
    assert pickle.loads(pickle.dumps(games)) == games
    library.close()
    with pytest.raises(ValueError, match="closed"):
        pickle.dumps(library)


def test_a_pickled_game_is_never_another_one(own_games: Path) -> None:
    below = own_games / "below"
    below.mkdir()
    (below / "mine.pgn").write_text('[White "Old"]\n\n1. e4 *\n')
    library = chessdb.open(own_games)
    assert isinstance(library, chessdb.Library)
    for path, game, white in [
        (own_games / "classics.pgn", chessdb.open_database(own_games / "classics.pgn")[0], "Legall de Kermeur"),
        (below / "mine.pgn", library["below/mine.pgn"][0], "Old"),
    ]:
        pickled = pickle.dumps(game)
        assert pickle.loads(pickled) == game
        assert pickle.loads(pickled).headers["White"] == white
        new = own_games / "new"
        new.write_text('[White "New"]\n\n1. d4 *\n')
        new.replace(path)
        with pytest.raises(chessdb.ChangedError, match="changed after its games were pickled"):
            pickle.loads(pickled)
        present = chessdb.open_database(path)[0]
        assert pickle.loads(pickle.dumps(present)).headers["White"] == "New"


def test_one_is_no_plural(own_games: Path) -> None:
    (own_games / "annotated.pgn").unlink()
    (own_games / "classics.pgn").write_text("1. e4 *\n")
    assert repr(chessdb.open(own_games)).endswith(": 1 database>")
    # A folder with one database is this database, if one is asked for.
    assert repr(chessdb.open_database(own_games)).endswith(": 1 game>")
    assert chessdb.__version__.count(".") == 2


def test_a_library(own_games: Path) -> None:
    (own_games / "broken.si4").write_bytes(b"no database")
    with chessdb.open(own_games) as library:
        assert isinstance(library, chessdb.Library)
        assert [database.name for database in library] == ["annotated.pgn", "classics.pgn"]
        assert library[-1] is library["classics.pgn"]
        assert [path for path, _ in library.left_out] == ["broken.si4"]
        with pytest.raises(KeyError):
            library["nothing.pgn"]
        with pytest.raises(IndexError):
            library[2]
    with pytest.raises(chessdb.OpenError) as raised:
        chessdb.open_database(own_games)
    assert raised.value.file == str(own_games)


def test_what_cannot_be_opened(own_games: Path) -> None:
    with pytest.raises(FileNotFoundError) as missing:
        chessdb.open(own_games / "nothing.cbh")
    assert missing.value.filename == str(own_games / "nothing.cbh")
    text = own_games / "text.si4"
    text.write_bytes(b"no database")
    with pytest.raises(chessdb.OpenError) as raised:
        chessdb.open(text)
    assert raised.value.file == str(text)
    with pytest.raises(ValueError, match="encoding: 'klingon'"):
        chessdb.open(own_games, encoding="klingon")
    with pytest.raises(ValueError, match="reading: no format has 'upside down'"):
        chessdb.open(own_games, reading="upside down")
    with pytest.raises(ValueError, match="threads"):
        chessdb.open(own_games, threads=0)


def test_a_file_that_is_cut(own_games: Path) -> None:
    """The interpreter lives on, and what was read from the rest of the file is not given."""
    path = own_games / "many.pgn"
    path.write_bytes((own_games / "classics.pgn").read_bytes() * 400)
    database = chessdb.open_database(path)
    iterator = database.pgn()
    assert next(iterator) == database[0].pgn()
    with path.open("r+b") as file:
        file.truncate(5_000)
    reads: list[Callable[[], object]] = [
        lambda: database[-1].pgn(),
        lambda: database[-1].headers,
        lambda: database[0].moves(),
        lambda: list(iterator),
        lambda: list(database.headers()),
        lambda: database.table(["pgn"]),
    ]
    for read in reads:
        with pytest.raises(chessdb.ChangedError) as raised:
            read()
        assert raised.value.file == str(path)
        assert raised.value.offset == 5_000


def test_a_damaged_game(samples: Path) -> None:
    library = chessdb.open(samples / "simplecdb" / "corrupt")
    assert isinstance(library, chessdb.Library)
    damaged = [(game, game.problems) for database in library for game in database if game.problems]
    assert damaged
    for game, problems in damaged:
        assert all(problem.file and problem.what and str(problem) for problem in problems)
        assert any(problem.offset is not None for problem in problems)
        assert game.pgn().startswith("[Event ")


def test_four_threads(classics: chessdb.Database) -> None:
    expected = [(game.headers, game.pgn(), game.moves()) for game in classics]
    failures = []

    def read() -> None:
        for _ in range(20):
            given = [(game.headers, game.pgn(), game.moves()) for game in classics]
            if given != expected or [text for _, text, _ in given] != list(classics.pgn()):
                failures.append(given)

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_games_in_any_order(classics: chessdb.Database) -> None:
    """Some games are decoded before they are asked for, which does not show."""
    texts, headers = list(classics.pgn()), list(classics.headers())
    places = [*range(63), *range(62, -1, -1), 5, 5, 6, 7, 7, 8, 9, 10, 3, *range(0, 63, 2), 62, 62]
    for place in places:
        assert classics[place].pgn() == texts[place]
        assert classics[place].headers == headers[place]
    changed = classics[0].headers
    changed["White"] = "Nobody"
    assert classics[0].headers == headers[0]


def test_the_interpreter_runs_on_while_games_are_decoded(own_games: Path) -> None:
    path = own_games / "many.pgn"
    path.write_bytes((own_games / "classics.pgn").read_bytes() * 400)
    database = chessdb.open_database(path, threads=1)
    steps = 0
    is_over = threading.Event()

    def decode() -> None:
        pyarrow.table(database.table(["plies"]))
        is_over.set()

    thread = threading.Thread(target=decode)
    thread.start()
    while not is_over.is_set():
        steps += 1
        time.sleep(0)
    thread.join()
    assert steps > 10


def test_what_to_find_is_said_once(classics: chessdb.Database) -> None:
    assert len(classics.find(pawns="8/pppppppp/8/8/8/8/PPPPPPPP/8")) == 63
    assert len(classics.find(material="Kk")) == 0
    # In any order; what follows a letter belongs to it.
    for material, query in [("krKQ", "KQkr"), ("kr+KP3", "KP3kr+"), ("KR2Pkr", "KR2Pkr")]:
        assert list(classics.find(material=material)) == list(classics.find(f"material:{query}"))
    cases: "list[dict[str, Any]]" = [
        {},
        {"fen": "x"},
        {"moves": "e5"},
        {"moves": "e4", "pawns": "8/8"},
        {"material": "KR"},
    ]
    for wrong in cases:
        with pytest.raises(ValueError, match="fen|moves|material"):
            classics.find(**wrong)


def test_positions_are_those_of_python_chess(classics: chessdb.Database) -> None:
    board = chess.Board()
    for uci in ["e2e4", "e7e5", "g1f3"]:
        board.push_uci(uci)
    played: "Counter[Optional[str]]" = Counter()
    expected = []
    for number, game in enumerate(classics, 1):
        position = chess.Board()
        moves: "list[Optional[str]]" = [*game.moves(), None]
        for ply, move in enumerate(moves):
            if position.epd() == board.epd():
                san = None if move is None else position.san(chess.Move.from_uci(move))
                expected.append((number, ply, san))
                played[san] += 1
                break
            if move is not None:
                position.push_uci(move)
    found = classics.find(board.fen())
    assert [(one.game.number, one.ply, one.san) for one in found] == expected
    table = {row.san: row for row in classics.moves_table(board.epd()) if row.games}
    assert {san: row.games for san, row in table.items()} == played
    assert all(row.white + row.draws + row.black <= row.games <= row.reached for row in table.values())
    most = classics.moves_table(moves="1. e4 e5 2. Nf3")[0]
    assert (most.san, most.uci) == ("Nc6", "b8c6")
    assert most.game is not None and most.game.moves()[3] == "b8c6"
