"""Games as a notebook shows them."""

from __future__ import annotations

from html import escape
from typing import Union

from chessdb._chessdb import Database, Found, FoundGames, Game, Games

# Rows that are shown.
MOST = 10

COLUMNS = ("Date", "White", "Black", "Result", "ECO")


def html(games: Union[Database, FoundGames, Games]) -> str:
    """The first games as a table."""
    shown = games[:MOST]
    names = ("number", *COLUMNS, "ply") if isinstance(games, FoundGames) else ("number", *COLUMNS)
    head = "".join(f"<th>{name}</th>" for name in names)
    rows = "".join(f"<tr>{cells(one)}</tr>" for one in shown)
    more = len(games) - len(shown)
    rest = f"<p>and {more:,} more</p>" if more else ""
    return f"<p>{escape(repr(games))}</p><table><tr>{head}</tr>{rows}</table>{rest}"


def cells(one: Union[Game, Found]) -> str:
    game = one.game if isinstance(one, Found) else one
    headers = game.headers
    values = [str(game.number), *(headers.get(name, "") for name in COLUMNS)]
    if isinstance(one, Found):
        values.append(str(one.ply))
    return "".join(f"<td>{escape(value)}</td>" for value in values)
