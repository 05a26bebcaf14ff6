"""Tables of moves in a mount."""

import csv
import re
from pathlib import Path

COLUMNS = ["move", "uci", "games", "white", "draws", "black", "score", "elo", "first", "last", "reached"]


def table_of(mount: Path, position: str) -> Path:
    """The table of a position, which is given as EPD or as a part of one."""
    return mount / "positions" / position.replace("/", "-").replace(" ", "_") / "moves.csv"


def rows_of(mount: Path, position: str) -> list[tuple[str, ...]]:
    """The rows of a position's table: COLUMNS, and the number of the game in whose file's path each row ends."""
    try:
        with table_of(mount, position).open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
    except FileNotFoundError:
        return []
    number = re.compile(r"(\d+)\.pgn$")
    found = []
    for row in rows:
        game = number.search(row["path"])
        found.append((*(row[column] for column in COLUMNS), str(int(game[1])) if game else ""))
    return found
