"""Queries about tags, made from the tags of some game: with its values, some of them cut or changed.

Only texts are made here; what they mean is in oracle/. A row has the values of a table's columns; a column without a value
is `None`, and a name that is missing is no column.
"""

import random
import re
from typing import Any, Callable, NamedTuple, Optional

Row = dict[str, Any]

TEXTS = {
    "player": ("White", "Black"),
    "white": ("White",),
    "black": ("Black",),
    "event": ("Event",),
    "site": ("Site",),
    "annotator": ("Annotator",),
    "source": ("Source", "SourceTitle"),
    "team": ("WhiteTeam", "BlackTeam"),
    "opening": ("eco_name", "Opening", "opening_name"),
    "": ("White", "Black", "Event"),
}
# has: reads these otherwise.
CONTENTS = {"comments", "variations", "chess960", "fen", "clock"}
RESERVED = {"and", "or", "not", "then", "next"}


class Columns(NamedTuple):
    """The columns of a table of games, and those that are further tags."""

    all: list[str]
    tags: list[str]


def quoted(text: str, chance: random.Random) -> str:
    if re.fullmatch(r"[^\W_]+", text) and text.lower() not in RESERVED and chance.random() < 0.8:
        return text
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def begun(text: str, chance: random.Random) -> list[str]:
    """Beginnings of one or two words of a text."""
    words = re.findall(r"[^\W_]+", text)
    some = chance.sample(words, min(len(words), chance.choice([1, 1, 2])))
    some = [word[: chance.randint(1, len(word))] for word in some]
    return [word.upper() if chance.random() < 0.2 else word for word in some]


def known(row: Row, column: str) -> Optional[str]:
    value = row.get(column)
    return value if isinstance(value, str) and value else None


def text_value(value: Optional[str], chance: random.Random) -> Optional[str]:
    """A value like the one that some game has."""
    kind = chance.random()
    if value is None or kind < 0.05:
        return "?"
    if kind < 0.25:
        exact = value.replace("\\", "\\\\").replace('"', '\\"')
        return f'="{exact}"'
    words = begun(value, chance)
    return quoted(" ".join(words), chance) if words else None


def text(field: str, row: Row, columns: Columns, chance: random.Random) -> Optional[str]:
    own = [column for column in TEXTS[field] if column in columns.all]
    found = [text_value(known(row, chance.choice(own)), chance) for _ in range(chance.choice([1, 1, 1, 2]))]
    values = [value for value in found if value is not None]
    if field == "":
        # A word without a field is one alternative, and neither unknown nor exact.
        values = [value for value in values if value[0] not in "?=" and ":" not in value][:1]
    return (field and f"{field}:") + "|".join(values) if values else None


def tag(row: Row, columns: Columns, chance: random.Random) -> Optional[str]:
    own = [column for column in columns.tags if row.get(column) is not None] or columns.tags
    if not own:
        return None
    column = chance.choice(own)
    if chance.random() < 0.3 and column.lower() not in CONTENTS - {"fen"}:
        return f"has:{column}"
    value = text_value(known(row, column), chance)
    return value and f"tag:{column}={value}"


def range_of(value: int, spread: int, chance: random.Random) -> str:
    """A number or a range around it."""
    low, high = value - chance.randint(0, spread), value + chance.randint(0, spread)
    return chance.choice([str(value), f"{low}..{high}", f"{low}..", f"..{high}"])


def elo(row: Row, has_player: bool, chance: random.Random) -> str:
    field = chance.choice(["elo", "white_elo", "black_elo", "elo_diff"] + ["opponent_elo"] * has_player)
    white, black = row["WhiteElo"], row["BlackElo"]
    values = []
    for _ in range(chance.choice([1, 1, 2])):
        if chance.random() < 0.1:
            values.append("?")
        elif field == "elo_diff":
            number = white - black if isinstance(white, int) and isinstance(black, int) else chance.randint(-300, 300)
            values.append(range_of(chance.choice([-1, 1]) * number, 50, chance))
        else:
            values.append(range_of(white if isinstance(white, int) else chance.randint(1500, 2800), 100, chance))
    return f"{field}:" + "|".join(values)


def opponent(row: Row, chance: random.Random) -> Optional[str]:
    words = begun(known(row, chance.choice(["White", "Black"])) or "", chance)
    return f"opponent:{quoted(' '.join(words), chance)}" if words else None


def date(row: Row, chance: random.Random) -> str:
    field = chance.choice(["date", "date", "year"])
    if row["year"] is None or chance.random() < 0.05:
        return f"{field}:?"
    parts = [row["year"], row["month"], row["day"]]
    known_parts = parts[: parts.index(None)] if None in parts else parts
    asked = known_parts[: chance.randint(1, len(known_parts))]
    mark = chance.choice([".", ".", "-"])
    text = mark.join(f"{part:04}" if place == 0 else f"{part:02}" for place, part in enumerate(asked))
    kind = chance.choice(["same", "from", "to", "between"])
    if kind == "between":
        return f"{field}:{text}..{min(9999, asked[0] + chance.randint(1, 5)):04}"
    return f"{field}:{'..' * (kind == 'to')}{text}{'..' * (kind == 'from')}"


def eco(row: Row, chance: random.Random) -> str:
    code = row["code"]
    if not isinstance(code, str) or chance.random() < 0.05:
        return "eco:?"
    low = code[: chance.randint(1, 3)]
    high = min(f"{chance.choice('ABCDE')}{chance.randint(0, 99):02}", "E99")
    if chance.random() < 0.3:
        low = low.lower()
    kinds = [low, f"{low}|{high}", f"{low}..", f"..{low}"]
    if low.upper() <= high[: len(low)]:
        kinds.append(f"{low}..{high}")
    return f"eco:{chance.choice(kinds)}"


def result(row: Row, has_player: bool, chance: random.Random) -> str:
    if has_player and chance.random() < 0.8:
        return f"result:{chance.choice(['win', 'loss', '*|win', 'loss|draw'])}"
    return f"result:{chance.choice([str(row['Result']), 'draw', '?', '1-0|0-1'])}"


def of_round(row: Row, chance: random.Random) -> Optional[str]:
    value = known(row, "Round")
    if value is None:
        return "round:?"
    part = value.strip().split(".")[0]
    if re.fullmatch("[0-9]{1,9}", part) and chance.random() < 0.7:
        text = range_of(int(part), int(part) and 3, chance)
        if "-" not in text:
            return f"round:{text}"
    if value.strip().isdigit():
        return f"round:{value.strip()}"
    return f'round:"{value}"' if re.fullmatch(r"[\w. ]+", value) and ".." not in value else None


def moves(row: Row, chance: random.Random) -> str:
    number = max(1, (int(str(row["ply_count"])) + 1) // 2)
    # The number of moves of a game from a set-up depends on the side that begins.
    return f"moves:{range_of(number, min(5, number), chance)} -has:fen"


def database(row: Row, columns: Columns, chance: random.Random) -> Optional[str]:
    if "database" not in columns.all:
        return None
    name = str(row["database"]).rsplit("/", 1)[-1]
    begin = re.match(r"[\w-]*", name[: chance.randint(1, len(name))])
    return f"db:{begin[0]}*" if begin and begin[0] else None


def one_term(columns: Columns, row: Row, has_player: bool, chance: random.Random) -> Optional[str]:
    fields = [field for field in TEXTS if field != "player" and set(TEXTS[field]) & set(columns.all)]
    kinds: list[Callable[[], Optional[str]]] = [
        lambda: text(chance.choice(fields), row, columns, chance),
        lambda: tag(row, columns, chance),
        lambda: elo(row, has_player, chance),
        lambda: elo(row, has_player, chance),
        lambda: date(row, chance),
        lambda: date(row, chance),
        lambda: eco(row, chance),
        lambda: result(row, has_player, chance),
        lambda: of_round(row, chance),
        lambda: moves(row, chance),
        lambda: database(row, columns, chance),
    ]
    if has_player:
        kinds += [lambda: opponent(row, chance), lambda: result(row, True, chance), lambda: elo(row, True, chance)]
    return chance.choice(kinds)()


def terms(columns: Columns, row: Row, chance: random.Random) -> Optional[list[str]]:
    """Up to five terms, mostly about one game, so that some game answers them. A player is the first one."""
    has_player = chance.random() < 0.4
    player = text("player", row, columns, chance) if has_player else None
    texts = []
    for _ in range(chance.choice([1, 1, 2, 2, 3])):
        one = one_term(columns, row, has_player, chance)
        if one is None:
            return None
        is_negative = chance.random() < 0.25 and not one.startswith("moves:")
        texts.append(f"-{one}" if is_negative else one)
    if has_player and player is None:
        return None
    return ([player] if player else []) + texts
