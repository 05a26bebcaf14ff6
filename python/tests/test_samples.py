"""All samples: the same games as the program writes, and what python-chess makes of them."""

import io
import re
import subprocess
from collections.abc import Iterable
from pathlib import Path

import chess
import chess.pgn
import chess.polyglot
import pytest

import chessdb

# Games of one database that are compared game by game. As text all games are compared.
MOST = 40


@pytest.fixture(scope="module")
def library(samples: Path) -> chessdb.Library:
    library = chessdb.open(samples)
    assert isinstance(library, chessdb.Library)
    return library


def test_every_format_is_there(library: chessdb.Library) -> None:
    formats = {database.format for database in library}
    assert formats >= {
        "brenner",
        "chess-assistant",
        "chessbase",
        "chessbase-cbh",
        "jose",
        "pgn",
        "scid",
        "simplecdb",
    }


def test_the_text_is_that_of_the_program(library: chessdb.Library, samples: Path, program: str) -> None:
    games = 0
    process = subprocess.Popen([program, "export", str(samples)], stdout=subprocess.PIPE)
    assert process.stdout is not None
    for database in library:
        for text in database.pgn():
            expected = text.encode()
            assert process.stdout.read(len(expected)) == expected, f"{database.path}: {text}"
            games += 1
    assert process.stdout.read() == b""
    assert process.wait() == 0
    assert games > 500_000


def test_headers_and_text_agree(library: chessdb.Library) -> None:
    for database in library:
        for game, headers, text in zip(database.games(0, MOST), database.headers(), database.pgn()):
            assert game.headers == headers
            assert game.pgn() == text


def test_games_of_python_chess(
    library: chessdb.Library, samples: Path, program: str, caplog: pytest.LogCaptureFixture
) -> None:
    """`to_chess` is what python-chess reads from the export form, with every variation, glyph and comment."""
    compared = 0
    for database in library:
        texts: Iterable[str] = (game.pgn() for game in database.games(0, MOST))
        if database.format == "pgn":
            texts = exported(program, samples / database.path)
        for game, text in zip(database.games(0, MOST), texts):
            expected = chess.pgn.read_game(io.StringIO(in_pawns(text)))
            assert expected is not None
            given = game.to_chess()
            assert dict(given.headers) == dict(expected.headers), f"{database.path}: {game}"
            assert list(given.headers) == list(expected.headers)
            assert str(given.errors) == str(expected.errors), f"{database.path}: {game}"
            assert_same(given, expected, f"{database.path}: {game}", in_pawns(text) != text)
            compared += 1
    assert compared > 3_000


def in_pawns(text: str) -> str:
    """A game with evaluations in pawns, where they are hundredths: with a depth, and none with a decimal point."""
    found = re.findall(r"\[%eval\s([+-]?[\d.]+)(,\d+)?\]", text)
    if any("." in number for number, _ in found) or not any(depth for _, depth in found):
        return text
    return re.sub(r"(?<=\[%eval\s)[+-]?\d+", lambda number: format(int(number[0]) / 100, ".2f"), text)


def exported(program: str, path: Path) -> list[str]:
    """The games of a PGN file in export form, each with its empty line at the end."""
    # A file in an archive is named after it.
    source = next(folder for folder in (path, *path.parents) if folder.exists())
    database = [str(path.relative_to(source))] if source != path else []
    command = [program, "export", "--pgn=export", str(source), *database]
    text = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout.decode()
    parts = text.split("\n\n")[:-1]
    return ["\n\n".join(pair) + "\n\n" for pair in zip(parts[::2], parts[1::2])]


def test_a_game_that_python_chess_reads_otherwise(tmp_path: Path) -> None:
    """After two empty lines python-chess sees no moves."""
    path = tmp_path / "two-empty-lines.pgn"
    path.write_text('[Event "a"]\n[Result "1-0"]\n\n\n1. e4 e5 2. Nf3 1-0\n')
    game = chessdb.open_database(path)[0]
    assert "\n\n\n" in game.pgn()
    moves = [move.uci() for move in game.to_chess().mainline_moves()]
    assert moves == game.moves() == ["e2e4", "e7e5", "g1f3"]


def assert_same(
    given: chess.pgn.GameNode, expected: chess.pgn.GameNode, place: str, is_changed: bool = False
) -> None:
    # A number with another length breaks lines at other places.
    def lines(comment: str) -> object:
        return comment.split() if is_changed else comment

    nodes = [(given, expected)]
    while nodes:
        one, other = nodes.pop()
        assert lines(one.comment) == lines(other.comment), place
        assert one.nags == other.nags, place
        assert len(one.variations) == len(other.variations), place
        for a, b in zip(one.variations, other.variations):
            assert a.move == b.move, place
            assert lines(a.starting_comment) == lines(b.starting_comment), place
            nodes.append((a, b))


def test_moves_and_positions(library: chessdb.Library) -> None:
    """Moves, plies, keys and positions of the main line are those of python-chess."""
    compared = 0
    for database in library:
        if database.format == "pgn":
            # Their text may have moves that cannot be played.
            continue
        for game in database.games(0, MOST // 2):
            parsed = game.to_chess()
            moves = [node.move for node in parsed.mainline()]
            assert game.moves() == [move.uci() for move in moves], f"{database.path}: {game}"
            plies = game.plies
            positions = game.positions()
            assert len(plies) == 2 * len(moves)
            if not positions:
                # No game can be played from the set-up position that is stored, and a problem says why.
                assert not moves and game.problems, f"{database.path}: {game}"
                continue
            assert len(positions) == len(moves) + 1
            board = parsed.board()
            for ply, position in enumerate(positions):
                assert position.ply == ply
                assert position.key == chess.polyglot.zobrist_hash(board), f"{database.path}: {game}: {ply}"
                assert position.fen == board.fen(en_passant="fen"), f"{database.path}: {game}: {ply}"
                if ply < len(moves):
                    packed = int.from_bytes(plies[2 * ply : 2 * ply + 2], "little")
                    assert unpacked(packed, board) == moves[ply]
                    board.push(moves[ply])
            compared += 1
    assert compared > 1_000


def unpacked(packed: int, board: chess.Board) -> chess.Move:
    """A move as python-chess reads it from a Polyglot book."""
    if packed == 0:
        return chess.Move.null()
    promotion = [None, chess.KNIGHT, chess.BISHOP, chess.ROOK, chess.QUEEN][packed >> 12]
    move = chess.Move(packed >> 6 & 63, packed & 63, promotion)
    return board._from_chess960(board.chess960, move.from_square, move.to_square, promotion)


def test_problems_are_those_of_the_program(library: chessdb.Library, samples: Path, program: str) -> None:
    for folder in ["simplecdb/corrupt", "scid/corrupt"]:
        output = subprocess.run(
            [program, "check", str(samples / folder)], capture_output=True, text=True
        ).stdout
        for database in library:
            if database.name.startswith(folder):
                for game in database:
                    for problem in game.problems:
                        # The program names the move instead.
                        assert problem.what.removeprefix("illegal move: ") in output
                        assert problem.offset is None or str(problem.offset) in output


def test_members_and_folders(library: chessdb.Library) -> None:
    members = [member for database in library for member in database.members]
    assert members
    assert all(len(member.read()) == member.size for member in members)
    with_folders = [database for database in library if database.folders]
    assert {database.format for database in with_folders} == {"jose"}
    for database in with_folders:
        for place, folder in enumerate(database.folders):
            assert folder.parent is None or folder.parent < place
            assert all(game < len(database) for game in folder.games)
