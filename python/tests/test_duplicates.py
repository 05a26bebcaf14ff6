"""Games that occur more than once."""

import shutil
from pathlib import Path

import pytest

import chessdb

GAME = """\
[White "{white}"]
[Black "Black, B"]
[Date "{date}"]
[Result "1-0"]

1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 {more}1-0

"""


def test_each_game_of_a_copy_is_a_duplicate(own_games: Path, tmp_path: Path) -> None:
    folder = tmp_path / "twice"
    folder.mkdir()
    for name in ("a.pgn", "b.pgn"):
        shutil.copy(own_games / "classics.pgn", folder / name)
    with chessdb.open(folder) as library:
        assert isinstance(library, chessdb.Library)
        groups = library.duplicates()
        pairs = [[(one.game.database, one.game.number) for one in group] for group in groups]
        # Shorter games are only if their whole date is known.
        games = [game for game in library["a.pgn"] if len(game.moves()) >= 10 or "?" not in game.headers["Date"]]
        assert pairs == [[("a.pgn", game.number), ("b.pgn", game.number)] for game in games]
        assert len(games) > 60
        assert [one.reason is None for one in groups[0]] == [True, False]
        assert [one.ply_count for one in groups[5]] == 2 * [len(library["a.pgn"][5].moves())]
        assert library["a.pgn"].duplicates() == []


def test_the_best_game_is_first_and_the_others_have_a_reason(tmp_path: Path) -> None:
    games = [("White, W", "2001.??.??", ""), ("White, W", "2001.05.05", "{good} "), ("White, X", "2001.??.??", "")]
    text = "".join(GAME.format(white=white, date=date, more=more) for white, date, more in games)
    path = tmp_path / "games.pgn"
    path.write_text(text)
    with chessdb.open_database(path) as database:
        (group,) = database.duplicates()
        assert [(one.game.number, one.reason, one.annotations) for one in group] == [(2, None, 1), (1, "date", 0)]
        assert repr(group[1]) == "<chessdb.Duplicate: game 1, date>"
    with pytest.raises(ValueError):
        database.duplicates()
