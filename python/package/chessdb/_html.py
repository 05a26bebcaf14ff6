"""Games as a notebook shows them."""

from __future__ import annotations

from html import escape
from typing import Union

from chessdb._chessdb import Database, Found, FoundGames, Game, Games, Library

# Rows that are shown.
MOST = 10

COLUMNS = ("Date", "White", "Black", "Result", "ECO")


def html(sequence: Union[Database, FoundGames, Games, Library]) -> str:
    """The first games, or the first databases, as a table."""
    shown = sequence[:MOST]
    if isinstance(sequence, Library):
        names: tuple[str, ...] = ("name", "format", "games")
    elif isinstance(sequence, FoundGames):
        names = ("number", *COLUMNS, "ply")
    else:
        names = ("number", *COLUMNS)
    head = "".join(f"<th>{name}</th>" for name in names)
    rows = "".join(f"<tr>{cells(one)}</tr>" for one in shown)
    more = len(sequence) - len(shown)
    rest = f"<p>and {more:,} more</p>" if more else ""
    return f"<p>{escape(repr(sequence))}</p><table><tr>{head}</tr>{rows}</table>{rest}"


def cells(one: Union[Database, Game, Found]) -> str:
    if isinstance(one, Database):
        values = [one.name, one.format, f"{len(one):,}"]
    else:
        game = one.game if isinstance(one, Found) else one
        headers = game.headers
        values = [str(game.number), *(headers.get(name, "") for name in COLUMNS)]
        if isinstance(one, Found):
            values.append(str(one.ply))
    return "".join(f"<td>{escape(value)}</td>" for value in values)
