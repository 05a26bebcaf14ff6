"""Which games of a table answer a query about tags: its condition in SQL, for DuckDB.

This is the oracle for `games.parquet`. Two rules are needed beside the definition of the language: accents are what
strip_accents() removes, with LETTERS for the letters that Unicode does not decompose; letters and digits are the classes L
and N of Unicode.
"""

import re
from pathlib import Path
from typing import Any, Callable

import duckdb

from oracle.games import LETTERS, TWO_WAYS
from oracle.language import Query, Term, Value, parsed
from oracle.tags import TEXTS

Row = dict[str, Any]
# A value's condition, of the expression that it is about.
Holds = Callable[[Value, str], str]

COLUMNS = {**TEXTS, "opening": ("eco_name", "Opening", "opening_name")}
# Columns that are no further tags.
OTHERS = {"database", "number", "path", "ply_count", "opening_code", "Deleted", "Date", "Round", "Result", "ECO", "WhiteElo", "BlackElo"}
OTHERS |= {"year", "month", "day"} | {name for names in COLUMNS.values() for name in names}
SIDES = (("White", "Black", "1-0", "0-1"), ("Black", "White", "0-1", "1-0"))


def literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def name_of(column: str) -> str:
    return '"' + column.replace('"', '""') + '"'


def folded(expression: str) -> str:
    for letter, written in LETTERS.items():
        expression = f"replace({expression}, '{letter}', '{written}')"
    return f"lower(strip_accents({expression}))"


def long_folded(expression: str) -> str:
    """The same with two letters for those that are also written so."""
    expression = f"nfc_normalize(lower({expression}))"
    for letter, written in TWO_WAYS.items():
        expression = f"replace({expression}, '{letter}', '{written}')"
    return folded(expression)


def has_text(value: Value, column: str) -> str:
    if value.is_unknown():
        return f"{name_of(column)} IS NULL"
    if value.is_exact:
        return f"nfc_normalize({name_of(column)}) = nfc_normalize({literal(value.text)})"
    begins = (
        rf"'(^|[^\p{{L}}\p{{N}}])(' || {folded(literal(word))} || '|' || {long_folded(literal(word))} || ')'"
        for word in re.findall(r"[^\W_]+", value.text)
    )
    return "(" + " AND ".join(f"regexp_matches({name_of(f'{column} folded')}, {begin})" for begin in begins) + ")"


def in_columns(value: Value, columns: list[str], field: str) -> str:
    # A source is unknown where neither tag has one.
    joint = " AND " if field == "source" and value.is_unknown() else " OR "
    return f"({joint.join(has_text(value, column) for column in columns)})"


def is_number(value: Value, own: str) -> str:
    if value.is_unknown():
        return f"{own} IS NULL"
    low, high = (int(end) for end in value.range())
    return f"coalesce({own} BETWEEN {low} AND {high}, false)"


def is_date(value: Value, _: str) -> str:
    if value.is_unknown():
        return "year IS NULL"
    numbers = []
    for end, open_end, rest in zip(value.ends(), ((0, 1, 1), (9999, 12, 31)), ((1, 1), (12, 31))):
        parts = tuple(int(part) for part in re.findall(r"\d+", end))
        year, month, day = (*parts, *rest[len(parts) - 1 :]) if parts else open_end
        numbers.append(year * 10_000 + month * 100 + day)
    # Some month that the game may have been played in has a day in the range.
    day = "(year::INT * 10000 + m * 100 + coalesce(day, {}))"
    may = f"(month IS NULL OR month = m) AND {day.format(1)} <= {numbers[1]} AND {day.format(31)} >= {numbers[0]}"
    return f"year IS NOT NULL AND len(list_filter(range(1, 13), lambda m: {may})) > 0"


def is_code(value: Value, _: str) -> str:
    if value.is_unknown():
        return "code IS NULL"
    low, high = (end.upper() for end in value.ends())
    # Without the tag, the code of the moves counts.
    own = "coalesce(code, opening_code)"
    from_low = f"left({own}, {len(low) or 3}) >= '{low or 'A00'}'"
    return f"{own} IS NOT NULL AND {from_low} AND left({own}, {len(high) or 3}) <= '{high or 'E99'}'"


def is_result(value: Value, win: str, loss: str) -> str:
    named = {"win": win, "loss": loss, "draw": "1/2-1/2", "?": "*"}
    return f"Result = '{named.get(value.text, value.text)}'"


def is_round(value: Value, _: str) -> str:
    if value.is_unknown():
        return "Round IS NULL"
    first = "split_part(trim(Round), '.', 1)"
    if not value.is_quoted:
        return is_number(value, f"(CASE WHEN regexp_full_match({first}, '[0-9]{{1,18}}') THEN {first}::BIGINT END)")
    wanted = folded(f"trim({literal(value.text)})")
    return f"{folded('trim(Round)')} = {wanted} OR {folded(first)} = {wanted}"


def in_database(value: Value, _: str) -> str:
    return f"lower(regexp_extract(database, '[^/]*$')) GLOB {literal(value.text.lower())}"


SIMPLE: dict[str, tuple[Holds, str]] = {
    "white_elo": (is_number, "WhiteElo"),
    "black_elo": (is_number, "BlackElo"),
    "date": (is_date, ""),
    "year": (is_date, ""),
    "month": (is_number, "month"),
    "eco": (is_code, ""),
    "round": (is_round, ""),
    "db": (in_database, ""),
    "moves": (is_number, "((ply_count + 1) // 2)"),
}


class Table:
    """The games of a source, with the texts that words are looked for in small letters without accents."""

    def __init__(self, parquet: Path, plies: Path) -> None:
        self.connection = duckdb.connect()
        self.connection.execute(
            f"CREATE TABLE games AS SELECT * FROM '{parquet}' JOIN (SELECT path, ply_count, opening_code, opening_name FROM '{plies}') USING (path)"
        )
        kinds = {str(row[0]): row[1] for row in self.connection.execute("DESCRIBE games").fetchall()}
        self.columns = list(kinds)
        spellings = [re.sub(r"_\d+$", "", column.lower()) for column in self.columns]
        # A tag that is there in several spellings is left out, and one that is no text in the table.
        self.tags = [
            column
            for column, spelling in zip(self.columns, spellings)
            if column not in OTHERS and spellings.count(spelling) == 1 and re.fullmatch(r"[A-Za-z]\w*", column)
            if kinds[column] == "VARCHAR"
        ]
        for column in {*self.tags, *(name for names in COLUMNS.values() for name in names)} & {*self.columns}:
            self.connection.execute(f"ALTER TABLE games ADD COLUMN {name_of(f'{column} folded')} VARCHAR")
            own = name_of(column)
            fold = f"{name_of(f'{column} folded')} = {folded(own)} || chr(10) || {long_folded(own)}"
            self.connection.execute(f"UPDATE games SET {fold} WHERE {name_of(column)} IS NOT NULL")
        for column in {"ECO", "FEN", "Deleted", "database", "Round", "WhiteElo", "BlackElo"} - {*self.columns}:
            kind = "INTEGER" if column.endswith("Elo") else "VARCHAR"
            self.connection.execute(f"ALTER TABLE games ADD COLUMN {column} {kind}")
        # A PGN file has no marks: there it is a tag like others.
        self.connection.execute("ALTER TABLE games ADD COLUMN is_deleted BOOLEAN")
        self.connection.execute("UPDATE games SET is_deleted = Deleted = '1' AND NOT contains(database, '.pgn')")
        self.connection.execute("ALTER TABLE games ADD COLUMN code VARCHAR")
        self.connection.execute("UPDATE games SET code = nullif(regexp_extract(upper(ECO), '^[A-Z0-9]{3}'), '')")

    def rows(self, number: int) -> list[Row]:
        """Random games."""
        found = self.connection.execute(
            f"SELECT * FROM games USING SAMPLE reservoir({number} ROWS) REPEATABLE (1)"
        ).fetchall()
        names = [column[0] for column in self.connection.description]
        return [dict(zip(names, row)) for row in found]

    def paths(self, condition: str) -> set[str]:
        return {row[0] for row in self.connection.execute(f"SELECT path FROM games WHERE {condition}").fetchall()}

    def condition(self, text: str) -> str:
        query = parsed(text)
        player = query.players()
        assert len(player) < 2 and not query.choices, text
        positive = [term for term in query.tags if term.field != "player"]

        def holds(terms: list[Term]) -> str:
            """As one of the sides that the player may be."""
            sides = []
            for side in SIDES:
                own = ["true", *(self.term(term, side, player != []) for term in [*player, *terms])]
                sides.append(" AND ".join(f"coalesce(({condition}), false)" for condition in own))
            return f"(({sides[0]}) OR ({sides[1]}))"

        parts = [holds(positive), *(f"NOT {holds([term])}" for term in query.excluded_tags)]
        return " AND ".join([*parts, *self.marked(query)])

    @staticmethod
    def marked(query: Query) -> list[str]:
        mark = "coalesce(is_deleted, false)"
        return {"yes": [mark], "no": [f"NOT {mark}"], "any": []}[query.deleted]

    def term(self, term: Term, side: tuple[str, ...], is_one: bool) -> str:
        """The condition of a term where a side is the player."""
        own, other, win, loss = side
        field = term.field

        def any_of(holds: Callable[[Value], str]) -> str:
            return "(" + " OR ".join(holds(value) for value in term.values) + ")"

        if field in ("player", "opponent"):
            return any_of(lambda value: has_text(value, own if field == "player" else other))
        if field in COLUMNS:
            columns = [column for column in COLUMNS[field] if column in self.columns]
            return any_of(lambda value: in_columns(value, columns, field))
        if field == "tag":
            return any_of(lambda value: has_text(value, term.name))
        if field == "has":
            return any_of(lambda value: f"{name_of(value.text)} IS NOT NULL")
        if field == "result":
            return any_of(lambda value: is_result(value, win, loss))
        if field in SIMPLE:
            holds, about = SIMPLE[field]
            return any_of(lambda value: holds(value, about))
        if field == "elo" and not is_one:
            return " AND ".join(any_of(lambda value, one=one: is_number(value, f"{one}Elo")) for one in (own, other))
        first, second = (own, other) if is_one else ("White", "Black")
        about = {"elo": f"{own}Elo", "opponent_elo": f"{other}Elo", "elo_diff": f"({first}Elo - {second}Elo)"}[field]
        return any_of(lambda value: is_number(value, about))
