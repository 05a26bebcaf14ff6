"""Terms about tags, with their conditions in SQL.

The conditions follow the definition of the language. Values are those of some game. Two rules are needed beside it:
accents are what strip_accents() removes, with the letters in LETTERS for those that Unicode does not decompose; letters
and digits are the classes L and N of Unicode.
"""

import random
import re
from typing import Any, Callable, NamedTuple, Optional

LETTERS = {"ß": "ss", "ẞ": "ss", "ø": "o", "Ø": "o", "ł": "l", "Ł": "l", "đ": "d", "Đ": "d"}
LETTERS |= {"æ": "ae", "Æ": "ae", "œ": "oe", "Œ": "oe", "ı": "i"}
TEXTS = {
    "player": ("White", "Black"),
    "white": ("White",),
    "black": ("Black",),
    "event": ("Event",),
    "site": ("Site",),
    "annotator": ("Annotator",),
    "source": ("Source", "SourceTitle"),
    "team": ("WhiteTeam", "BlackTeam"),
    "opening": ("eco_name",),
    "": ("White", "Black", "Event"),
}
# Columns that are no further tags.
OTHERS = {"database", "number", "path", "ply_count", "Deleted", "Date", "Round", "Result", "ECO", "WhiteElo", "BlackElo"}
OTHERS |= {"year", "month", "day"} | {name for names in TEXTS.values() for name in names}
# has: reads these otherwise.
CONTENTS = {"comments", "variations", "chess960", "fen", "clock"}
RESERVED = {"and", "or", "not", "then"}

Row = dict[str, Any]
# The condition for an expression.
Holds = Callable[[str], str]


class Columns(NamedTuple):
    """The columns of a table of games, and those that are further tags."""

    all: list[str]
    tags: list[str]


class Term(NamedTuple):
    """A term and its conditions, for White and for Black as the player; the same unless it is about the player."""

    text: str
    white: str
    black: str


def both(text: str, condition: str) -> Term:
    return Term(text, condition, condition)


def literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def name_of(column: str) -> str:
    return '"' + column.replace('"', '""') + '"'


def folded(expression: str) -> str:
    for letter, written in LETTERS.items():
        expression = f"replace({expression}, '{letter}', '{written}')"
    return f"lower(strip_accents({expression}))"


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


def has_words(column: str, words: list[str]) -> str:
    begins = (rf"'(^|[^\p{{L}}\p{{N}}])' || {folded(literal(word))}" for word in words)
    return "(" + " AND ".join(f"regexp_matches({name_of(f'{column} folded')}, {begin})" for begin in begins) + ")"


def known(row: Row, column: str) -> Optional[str]:
    value = row.get(column)
    return value if isinstance(value, str) and value else None


def text_value(value: Optional[str], chance: random.Random) -> Optional[tuple[str, Holds]]:
    """A value like the one that some game has, and its condition for a column."""
    kind = chance.random()
    if value is None or kind < 0.05:
        return "?", lambda column: f"{name_of(column)} IS NULL"
    if kind < 0.25:
        exact = value.replace("\\", "\\\\").replace('"', '\\"')
        same = f"nfc_normalize({literal(value)})"
        return f'="{exact}"', lambda column: f"nfc_normalize({name_of(column)}) = {same}"
    words = begun(value, chance)
    if not words:
        return None
    return quoted(" ".join(words), chance), lambda column: has_words(column, words)


def text(field: str, row: Row, table: Columns, chance: random.Random) -> Optional[Term]:
    columns = [column for column in TEXTS[field] if column in table.all]
    number = chance.choice([1, 1, 1, 2])
    found = [text_value(known(row, chance.choice(columns)), chance) for _ in range(number)]
    values = [value for value in found if value is not None]
    if field == "":
        # A word without a field is one alternative, and neither unknown nor exact.
        values = [value for value in values if value[0][0] not in "?=" and ":" not in value[0]][:1]
    if not values:
        return None

    def one_of(columns: list[str]) -> str:
        # A source is unknown where neither tag has one.
        joints = [" AND " if (field, value) == ("source", "?") else " OR " for value, _ in values]
        conditions = [joint.join(holds(column) for column in columns) for joint, (_, holds) in zip(joints, values)]
        return " OR ".join(f"({condition})" for condition in conditions)

    query = (field and f"{field}:") + "|".join(value for value, _ in values)
    if field == "player":
        return Term(query, one_of(["White"]), one_of(["Black"]))
    return both(query, one_of(columns))


def tag(row: Row, table: Columns, chance: random.Random) -> Optional[Term]:
    columns = [column for column in table.tags if row.get(column) is not None] or table.tags
    if not columns:
        return None
    column = chance.choice(columns)
    if chance.random() < 0.3 and column.lower() not in CONTENTS - {"fen"}:
        return both(f"has:{column}", f"{name_of(column)} IS NOT NULL")
    value = text_value(known(row, column), chance)
    return value and both(f"tag:{column}={value[0]}", value[1](column))


def rated(bounds: Holds, own: str) -> str:
    return f"coalesce({bounds(own)}, false)"


def range_of(value: int, spread: int, chance: random.Random) -> tuple[str, Holds]:
    """A number or a range around it, and its condition for an expression."""
    low, high = value - chance.randint(0, spread), value + chance.randint(0, spread)
    return chance.choice(
        [
            (str(value), lambda own: f"{own} = {value}"),
            (f"{low}..{high}", lambda own: f"{own} BETWEEN {low} AND {high}"),
            (f"{low}..", lambda own: f"{own} >= {low}"),
            (f"..{high}", lambda own: f"{own} <= {high}"),
        ]
    )


def elo(row: Row, has_player: bool, chance: random.Random) -> Optional[Term]:
    fields = ["elo", "white_elo", "black_elo", "elo_diff"] + ["opponent_elo"] * has_player
    field = chance.choice(fields)
    white, black = row["WhiteElo"], row["BlackElo"]
    values = []
    for _ in range(chance.choice([1, 1, 2])):
        if chance.random() < 0.1:
            values.append(("?", lambda own: f"{own} IS NULL"))
        elif field == "elo_diff":
            number = white - black if isinstance(white, int) and isinstance(black, int) else chance.randint(-300, 300)
            values.append(range_of(chance.choice([-1, 1]) * number, 50, chance))
        else:
            number = white if isinstance(white, int) else chance.randint(1500, 2800)
            values.append(range_of(number, 100, chance))
    text = f"{field}:" + "|".join(value for value, _ in values)

    def holds(own: str) -> str:
        return "(" + " OR ".join(f"coalesce({bounds(own)}, false)" for _, bounds in values) + ")"

    if field in ("white_elo", "black_elo"):
        return both(text, holds("WhiteElo" if field == "white_elo" else "BlackElo"))
    if field == "elo_diff":
        difference = holds("(WhiteElo - BlackElo)")
        return Term(text, difference, holds("(BlackElo - WhiteElo)") if has_player else difference)
    if field == "opponent_elo":
        return Term(text, holds("BlackElo"), holds("WhiteElo"))
    if has_player:
        return Term(text, holds("WhiteElo"), holds("BlackElo"))
    return both(text, f"{holds('WhiteElo')} AND {holds('BlackElo')}")


def opponent(row: Row, chance: random.Random) -> Optional[Term]:
    value = known(row, chance.choice(["White", "Black"]))
    words = begun(value or "", chance)
    if not words:
        return None
    return Term(f"opponent:{quoted(' '.join(words), chance)}", has_words("Black", words), has_words("White", words))


def date(row: Row, chance: random.Random) -> Term:
    field = chance.choice(["date", "date", "year"])
    if row["year"] is None or chance.random() < 0.05:
        return both(f"{field}:?", "year IS NULL")
    parts = [row["year"], row["month"], row["day"]]
    known_parts = parts[: parts.index(None)] if None in parts else parts
    asked = known_parts[: chance.randint(1, len(known_parts))]
    mark = chance.choice([".", ".", "-"])
    text = mark.join(f"{part:04}" if place == 0 else f"{part:02}" for place, part in enumerate(asked))
    first, last = (*asked, 1, 1)[:3], (*asked, *([12, 31][len(asked) - 1 :]))[:3]
    kind = chance.choice(["same", "from", "to", "between"])
    if kind == "from":
        text, last = f"{text}..", (9999, 12, 31)
    elif kind == "to":
        text, first = f"..{text}", (0, 1, 1)
    elif kind == "between":
        end = min(9999, asked[0] + chance.randint(1, 5))
        text, last = f"{text}..{end:04}", (end, 12, 31)
    begin, end = (part[0] * 10_000 + part[1] * 100 + part[2] for part in (first, last))
    # Some month that the game may have been played in has a day in the range.
    day = "(year::INT * 10000 + m * 100 + coalesce(day, {}))"
    may = f"(month IS NULL OR month = m) AND {day.format(1)} <= {end} AND {day.format(31)} >= {begin}"
    return both(f"{field}:{text}", f"year IS NOT NULL AND len(list_filter(range(1, 13), lambda m: {may})) > 0")


def eco(row: Row, chance: random.Random) -> Term:
    code = row["code"]
    if not isinstance(code, str) or chance.random() < 0.05:
        return both("eco:?", "code IS NULL")
    low = code[: chance.randint(1, 3)]
    high = min(f"{chance.choice('ABCDE')}{chance.randint(0, 99):02}", "E99")
    if chance.random() < 0.3:
        low = low.lower()
    begins = f"starts_with(code, upper('{low}'))"
    from_low = f"left(code, {len(low)}) >= upper('{low}')"
    kinds = [
        (low, begins),
        (f"{low}|{high}", f"{begins} OR code = '{high}'"),
        (f"{low}..", f"{from_low} AND code <= 'E99'"),
    ]
    kinds.append((f"..{low}", f"code >= 'A00' AND left(code, {len(low)}) <= upper('{low}')"))
    if low.upper() <= high[: len(low)]:
        kinds.append((f"{low}..{high}", f"{from_low} AND code <= '{high}'"))
    text, condition = chance.choice(kinds)
    return both(f"eco:{text}", f"code IS NOT NULL AND ({condition})")


def result(row: Row, has_player: bool, chance: random.Random) -> Term:
    own = str(row["Result"])
    kinds = [(own, f"Result = '{own}'"), ("draw", "Result = '1/2-1/2'"), ("?", "Result = '*'")]
    kinds.append(("1-0|0-1", "Result IN ('1-0', '0-1')"))
    if has_player and chance.random() < 0.8:
        win, loss = "Result = '1-0'", "Result = '0-1'"
        return chance.choice(
            [
                Term("result:win", win, loss),
                Term("result:loss", loss, win),
                Term("result:*|win", f"{win} OR Result = '*'", f"{loss} OR Result = '*'"),
            ]
        )
    text, condition = chance.choice(kinds)
    return both(f"result:{text}", condition)


def of_round(row: Row, chance: random.Random) -> Optional[Term]:
    value = known(row, "Round")
    if value is None:
        return both("round:?", "Round IS NULL")
    first = "split_part(trim(Round), '.', 1)"
    number = f"(CASE WHEN regexp_full_match({first}, '[0-9]{{1,18}}') THEN {first}::BIGINT END)"
    part = value.strip().split(".")[0]
    if re.fullmatch("[0-9]{1,9}", part) and chance.random() < 0.7:
        text, bounds = range_of(int(part), int(part) and 3, chance)
        if not text.startswith("-") and "-" not in text:
            return both(f"round:{text}", rated(bounds, number))
    if value.strip().isdigit():
        return both(f"round:{value.strip()}", rated(lambda own: f"{own} = {int(value)}", number))
    if not re.fullmatch(r"[\w. ]+", value) or ".." in value:
        return None
    wanted = folded(f"trim({literal(value)})")
    return both(f'round:"{value}"', f"{folded('trim(Round)')} = {wanted} OR {folded(first)} = {wanted}")


def moves(row: Row, chance: random.Random) -> Term:
    number = max(1, (int(str(row["ply_count"])) + 1) // 2)
    text, bounds = range_of(number, min(5, number), chance)
    # The number of moves of a game from a set-up depends on the side that begins.
    return both(f"moves:{text} -has:fen", f"FEN IS NULL AND {bounds('((ply_count + 1) // 2)')}")


def database(row: Row, table: Columns, chance: random.Random) -> Optional[Term]:
    if "database" not in table.all:
        return None
    name = str(row["database"]).rsplit("/", 1)[-1]
    begin = re.match(r"[\w-]*", name[: chance.randint(1, len(name))])
    if not begin or not begin[0]:
        return None
    own = "lower(regexp_extract(database, '[^/]*$'))"
    return both(f"db:{begin[0]}*", f"starts_with({own}, lower('{begin[0]}'))")


def deleted(chance: random.Random) -> Term:
    return chance.choice([both("deleted:yes", "coalesce(is_deleted, false)"), both("deleted:any", "true")])


def term(table: Columns, row: Row, has_player: bool, chance: random.Random) -> Optional[Term]:
    fields = [field for field in TEXTS if field != "player" and set(TEXTS[field]) & set(table.all)]
    kinds: list[Callable[[], Optional[Term]]] = [
        lambda: text(chance.choice(fields), row, table, chance),
        lambda: tag(row, table, chance),
        lambda: elo(row, has_player, chance),
        lambda: elo(row, has_player, chance),
        lambda: date(row, chance),
        lambda: date(row, chance),
        lambda: eco(row, chance),
        lambda: result(row, has_player, chance),
        lambda: of_round(row, chance),
        lambda: moves(row, chance),
        lambda: database(row, table, chance),
    ]
    if has_player:
        kinds += [lambda: opponent(row, chance), lambda: result(row, True, chance), lambda: elo(row, True, chance)]
    return chance.choice(kinds)()
