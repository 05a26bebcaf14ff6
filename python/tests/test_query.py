"""Queries find what an evaluation of headers and moves finds."""

import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import chess.polyglot
import pyarrow
import pytest

import chessdb

Judge = Callable[["dict[str, str]", "list[str]"], bool]


def words(name: str) -> "list[str]":
    return name.lower().replace(",", " ").split()


def has(name: str, *beginnings: str) -> bool:
    own = words(name)
    return all(any(word.startswith(beginning) for word in own) for beginning in beginnings)


QUESTIONS: "list[tuple[str, Judge]]" = [
    ("", lambda tags, moves: True),
    ("white:morphy", lambda tags, moves: has(tags["White"], "morphy")),
    (
        "player:morphy result:1-0",
        lambda tags, moves: (has(tags["White"], "morphy") or has(tags["Black"], "morphy"))
        and tags["Result"] == "1-0",
    ),
    (
        "player:morphy result:win",
        lambda tags, moves: (has(tags["White"], "morphy") and tags["Result"] == "1-0")
        or (has(tags["Black"], "morphy") and tags["Result"] == "0-1"),
    ),
    ("-result:1-0", lambda tags, moves: tags["Result"] != "1-0"),
    ("result:draw|0-1", lambda tags, moves: tags["Result"] in ("1/2-1/2", "0-1")),
    ("year:1850..1860", lambda tags, moves: "1850" <= tags["Date"][:4] <= "1860"),
    ("eco:C", lambda tags, moves: tags["ECO"].startswith("C") if "ECO" in tags else is_open_game(moves)),
    ("played:O-O", lambda tags, moves: castles(moves)),
    ("-played:O-O", lambda tags, moves: not castles(moves)),
    ('line:"e4 e5 Nf3"', lambda tags, moves: moves[:3] == ["e2e4", "e7e5", "g1f3"]),
    (
        'white:morphy line:"e4 e5"',
        lambda tags, moves: has(tags["White"], "morphy") and moves[:2] == ["e2e4", "e7e5"],
    ),
]


def is_open_game(moves: "list[str]") -> bool:
    """The codes C00 to C99 are 1. e4 e6, which 1. d4 e6 2. e4 reaches too, and 1. e4 e5."""
    openings = (["e2e4", "e7e6"], ["d2d4", "e7e6", "e2e4"], ["e2e4", "e7e5"])
    return any(moves[: len(opening)] == opening for opening in openings)


def castles(moves: "list[str]") -> bool:
    board = chess.Board()
    for uci in moves:
        move = chess.Move.from_uci(uci)
        if board.is_kingside_castling(move):
            return True
        board.push(move)
    return False


@pytest.mark.parametrize("query, judge", QUESTIONS, ids=[query for query, _ in QUESTIONS])
def test_the_same_games_as_by_hand(own_games: Path, query: str, judge: Judge) -> None:
    database = chessdb.open_database(own_games / "classics.pgn")
    expected = [game.number for game in database if judge(game.headers, game.moves())]
    found = database.find(query)
    assert [one.game.number for one in found] == expected
    assert [game.number for game in found.games] == expected
    table = database.table(["number"], where=query)
    assert len(table) == len(expected)
    library = chessdb.open(own_games)
    numbers = [one.game.number for one in library.find(query) if one.game.database == "classics.pgn"]
    assert numbers == expected


def test_found_games_are_a_sequence(own_games: Path) -> None:
    database = chessdb.open_database(own_games / "classics.pgn")
    found = database.find("result:1-0")
    assert isinstance(found, chessdb.FoundGames)
    assert len(found[:3]) == 3 and len(found[::2]) == (len(found) + 1) // 2
    assert found[-1].game.number == found.games[-1].number
    with pytest.raises(IndexError, match="no game with this index"):
        found[len(found)]
    # Unknown parts come first.
    years = [one.game.headers["Date"].replace("?", "0") for one in database.find("year:1700..", sort="date")]
    assert years == sorted(years)
    assert [one.game.number for one in database.find("", limit=2)] == [1, 2]
    with pytest.raises(ValueError, match='sort: "x" is not one of'):
        database.find("", sort="x")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="at least 0"):
        database.find("", limit=-1)


def test_a_text_with_ranks_is_a_fen(own_games: Path) -> None:
    database = chessdb.open_database(own_games / "classics.pgn")
    fen = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w"
    numbers = [(one.game.number, one.ply) for one in database.find(fen)]
    assert numbers == [(one.game.number, one.ply) for one in database.find(fen=fen)]
    assert numbers == [(one.game.number, one.ply) for one in database.find(f'fen:"{fen}"')]
    with pytest.raises(ValueError, match="one of query, fen"):
        database.find("white:morphy", moves="e4")


def test_a_table_of_moves_of_some_games(own_games: Path) -> None:
    database = chessdb.open_database(own_games / "classics.pgn")
    for _ in range(2):
        rows = database.moves_table(moves="", where="white:morphy")
        expected: "dict[str, int]" = {}
        for one in database.find("white:morphy"):
            first = chess.Board().san(chess.Move.from_uci(one.game.moves()[0]))
            expected[first] = expected.get(first, 0) + 1
        assert {str(row.san): row.games for row in rows if row.games} == expected
        database.index_positions()


@pytest.mark.parametrize(
    "query, offset, term",
    [("elo:abc", 1, "elo:abc"), ("white:x colour:w", 9, "colour:w"), ("year:1990..1980", 1, "year:1990..1980")],
)
def test_a_wrong_query_names_its_place(own_games: Path, query: str, offset: int, term: str) -> None:
    database = chessdb.open_database(own_games / "classics.pgn")
    with pytest.raises(chessdb.QueryError) as raised:
        database.find(query)
    assert isinstance(raised.value, ValueError)
    assert (raised.value.offset, raised.value.term) == (offset, term)
    assert str(raised.value).startswith(f"query, byte {offset}: ")
    with pytest.raises(chessdb.QueryError):
        database.table(where=query)
    with pytest.raises(chessdb.QueryError):
        database.moves_table(moves="", where=query)


def test_a_book_is_that_of_the_program(own_games: Path, tmp_path: Path, program: str) -> None:
    database = chessdb.open_database(own_games / "classics.pgn")
    ours, theirs = tmp_path / "ours.bin", tmp_path / "theirs.bin"
    cases: "list[tuple[str, dict[str, Any]]]" = [
        ("", {}),
        ("result:1-0", {"min_games": 1}),
        ("year:1850..", {"side": "white"}),
    ]
    for where, options in cases:
        entries = database.polyglot(ours, where=where, **options)
        command = [program, "export", "--to", "polyglot", "--output", str(theirs), "--where", where]
        for name, value in options.items():
            command += ["--" + name.replace("_", "-"), str(value)]
        theirs.unlink(missing_ok=True)
        subprocess.run([*command, str(own_games / "classics.pgn")], check=True)
        assert ours.read_bytes() == theirs.read_bytes()
        assert entries == ours.stat().st_size // 16 > 0
    with chess.polyglot.open_reader(ours) as book:
        assert any(entry.move.uci() == "e2e4" for entry in book.find_all(chess.Board()))
    with pytest.raises(ValueError, match="neither white nor black"):
        database.polyglot(ours, side="red")  # type: ignore[arg-type]
    with pytest.raises(OSError, match="nowhere"):
        database.polyglot(tmp_path / "nowhere" / "book.bin")
    assert sorted(file.name for file in tmp_path.glob("*.bin*")) == ["ours.bin", "theirs.bin"]


def test_the_line_of_an_answer_may_be_a_variation(tmp_path: Path) -> None:
    path = tmp_path / "a.pgn"
    path.write_text('[White "A"]\n\n1. e4 e5 (1... c5 2. Nf3 (2. c3 d5)) 2. Nf3 *\n')
    with chessdb.open_database(path) as database:
        [found] = database.find("played:c3 in:variations")
        assert (found.ply, found.san, found.line) == (2, "c3", ["e4", "c5"])
        [found] = database.find("played:Nf3 in:variations")
        assert (found.ply, found.san, found.line) == (2, "Nf3", ["e4", "e5"])
        assert not database.find("played:c3")


def test_found_games_are_a_table_and_pgn(own_games: Path) -> None:
    with chessdb.open(own_games) as library:
        assert isinstance(library, chessdb.Library)
        found = library.find("played:Bxf7+", sort="date")
        table = pyarrow.table(found.table(["database", "number", "White", "pgn"])).to_pylist()
        assert len(table) == len(found) > 2
        for row, one, text in zip(table, found, found.pgn()):
            assert (row["database"], row["number"]) == (one.game.database, one.game.number)
            assert row["White"] == one.game.headers["White"]
            assert text == one.game.pgn()
        # Of several databases, it says which one.
        assert found.table().columns[:2] == ["database", "number"]
        assert len(library.find("player:nobody").table()) == 0
        only = library["classics.pgn"].find("white:morphy")
        assert only.table().columns[0] == "number"
        assert only.table(["number"]).schema == {"number": "Int32"}
        with pytest.raises(ValueError, match="no table has a column"):
            only.table(["nothing"])


def test_databases_and_found_games_are_sequences(own_games: Path) -> None:
    database = chessdb.open_database(own_games / "classics.pgn")
    other = chessdb.open_database(own_games / "annotated.pgn")
    assert isinstance(database, Sequence)
    assert database[12] in database and other[12] not in database
    assert database.index(database[12]) == 12 and database.count(database[12]) == 1
    assert next(reversed(database)).number == len(database)
    with pytest.raises(ValueError):
        database.index(other[0])
    found = database.find("played:O-O")
    assert isinstance(found, Sequence)
    assert found[3] == found[3] and found[3] != found[4] and len({found[3], found[3]}) == 1
    assert found.index(found[3]) == 3
    assert found[3] != database.find("played:Nf3")[0]


def test_a_notebook_shows_ten_games(own_games: Path) -> None:
    database = chessdb.open_database(own_games / "classics.pgn")
    page = database._repr_html_()  # type: ignore[attr-defined]
    assert page.count("<tr>") == 11 and f"and {len(database) - 10} more" in page
    assert database[0].headers["White"] in page
    few = database.find("white:morphy result:1-0")._repr_html_()  # type: ignore[attr-defined]
    assert few.count("<tr>") == 3 and "more" not in few and "<td>13</td>" in few


def test_clocks_and_evaluations_of_a_game(tmp_path: Path) -> None:
    text = "1. e4 {[%clk 1:00:01.5] [%eval 0.3]} e5 2. Nf3 {[%eval #-2]} (2. f4 {[%clk 0:01]}) 2... d6 {[%clk 0:09]} *"
    (tmp_path / "a.pgn").write_text(f'[White "A<b>"]\n\n{text}\n')
    database = chessdb.open_database(tmp_path / "a.pgn")
    game = database[0]
    assert game.clocks() == [3601.5, None, None, 9.0]
    assert game.evals() == [30, None, -31998, None]
    row = pyarrow.table(database.table(["clocks", "evals"])).to_pylist()[0]
    assert row["clocks"] == [None if time is None else int(time * 100) for time in game.clocks()]
    assert row["evals"] == game.evals()
    # What a database has as a name is no markup.
    assert "A&lt;b&gt;" in database._repr_html_()  # type: ignore[attr-defined]


def test_the_points_of_a_player_are_those_of_games_in_any_order(tmp_path: Path) -> None:
    # The later games come first by date, and there are more than the bits of a word.
    years = [2100 - n for n in range(300)]
    text = "".join(f'[Date "{year}.01.01"]\n[White "A"]\n[Black "Tal"]\n[Result "0-1"]\n\n1. e4 0-1\n\n' for year in years)
    (tmp_path / "games.pgn").write_text(text)
    database = chessdb.open_database(tmp_path / "games.pgn")
    for found in [database.find("player:tal", sort="date"), database.find("player:tal")[::-1]]:
        rows = pyarrow.table(found.table(["number", "colour", "score"])).to_pylist()
        assert rows == [{"number": number, "colour": "black", "score": 1.0} for number in range(300, 0, -1)]


def test_a_search_says_that_its_repertoire_was_changed(tmp_path: Path) -> None:
    (tmp_path / "games.pgn").write_text("1. e4 e5 *\n\n" * 3)
    mine = tmp_path / "mine.txt.pgn"
    database = chessdb.open_database(tmp_path / "games.pgn")
    for line, number in [("1. e4 *", 3), ("1. d4 *", 0)]:
        # Each search reads it anew.
        mine.write_text(line)
        assert len(database.find(f"repertoire:{mine} by:white")) == number
    done: "list[int]" = []

    def change(read: int, total: int) -> None:
        if not done:
            mine.write_text("1. c4 *")
        done.append(read)

    with pytest.raises(chessdb.ChangedError, match="mine.txt.pgn"):
        database.find(f"repertoire:{mine} by:white", progress=change)


def test_a_repertoire_is_opened_with_the_passwords_of_the_database(samples: Path, tmp_path: Path) -> None:
    (tmp_path / "games.pgn").write_text("1. e4 e5 *\n\n")
    query = f"repertoire:{samples / 'chessbase-cbh' / 'archives' / 'small.cbz'} by:white"
    for passwords in ([], ["wrong"]):
        with pytest.raises(ValueError, match="password"):
            chessdb.open(tmp_path / "games.pgn", passwords=passwords).find(query)
    database = chessdb.open(tmp_path / "games.pgn", passwords=["wrong", "password"])
    # The archive has no games.
    assert len(database.find(query)) == 0 and len(database.find(f"-{query}")) == 1


def test_the_points_of_a_player_are_a_column(own_games: Path) -> None:
    library = chessdb.open(own_games)
    assert isinstance(library, chessdb.Library)
    database = library["classics.pgn"]
    columns = ["White", "Result", "colour", "score"]
    query = "player:morphy year:1858"
    tables = [database.find(query).table(columns), database.table(columns, where=query)]
    tables.append(library.find(query, sort="date").table(columns))
    tables.append(library.table(columns, where=query))
    for table in tables:
        rows = pyarrow.table(table).to_pylist()
        assert len(rows) >= 3
        for row in rows:
            is_white = "Morphy" in row["White"]
            won = "1-0" if is_white else "0-1"
            points = {won: 1.0, "1/2-1/2": 0.5, "*": None}.get(row["Result"], 0.0)
            assert (row["colour"], row["score"]) == ("white" if is_white else "black", points)
    for order in [database.find(query, sort="date"), database.find(query)[::-1]]:
        assert pyarrow.table(order.table(columns)).num_rows == len(order)
    positions = pyarrow.table(database.find(query).table(["ply", "score"], rows="positions"))
    assert set(positions["score"].to_pylist()) == set(pyarrow.table(tables[0])["score"].to_pylist())
    refused: "list[Callable[[], object]]" = [
        lambda: database.table(["score"]),
        lambda: database.table(["score"], where="white:morphy"),
        lambda: database.find("white:morphy").table(["colour"]),
        lambda: database.find(moves="e4").table(["colour"]),
        lambda: database[3:9].table(["score"]),
    ]
    for wrong in refused:
        with pytest.raises(ValueError, match="give a query with one player:NAME"):
            wrong()


def test_an_empty_answer_has_hints(own_games: Path) -> None:
    database = chessdb.open_database(own_games / "classics.pgn")
    found = database.find("has:whit")
    assert found.hints == ["has:whit: no game has this tag; has:White, has:WhiteElo and has:Site are similar"]
    assert repr(found) == f"<chessdb.FoundGames: 0; {found.hints[0]}>"
    (hint,) = database.find("player:morfy").hints
    assert hint.startswith("player:morfy: no player has such a name; ") and "Morphy, Paul" in hint
    assert database.find("year:1700").hints == database.find("has:white").hints == database.find(moves="a3").hints == []
    library = chessdb.open(own_games)
    assert isinstance(library, chessdb.Library)
    assert library.find("has:evaluation").hints[0].startswith("has:evaluation: no game has this tag; ")


def test_evaluations_and_arrows_are_found(tmp_path: Path) -> None:
    path = tmp_path / "drawn.pgn"
    comments = ["[%eval 0.3]", "[%cal Ge2e4]", "[%csl Re4] [%eval #3]", "eval"]
    path.write_text("".join(f'[White "a"]\n\n1. e4 {{{comment}}} *\n\n' for comment in comments))
    database = chessdb.open_database(path)
    assert [one.game.number for one in database.find("has:eval")] == [1, 3]
    assert [one.game.number for one in database.find("has:arrows")] == [2, 3]
