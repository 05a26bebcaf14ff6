"""Compares questions about tags with what DuckDB finds in games.parquet.

usage: tags.py PGNFS FOLDER QUESTIONS SOURCE...

Terms are those of tag_terms.py, about random games.
"""

import random
import re
import sys
import time
from pathlib import Path
from typing import Optional

import duckdb

from asking import Differences, find, run
from tag_terms import OTHERS, TEXTS, Columns, Row, Term, both, deleted, folded, name_of, term, text


class Table:
    """The games of a source, with the texts that words are looked for in small letters without accents."""

    def __init__(self, parquet: Path, plies: Path) -> None:
        self.connection = duckdb.connect()
        self.connection.execute(
            f"CREATE TABLE games AS SELECT * FROM '{parquet}' JOIN (SELECT path, ply_count FROM '{plies}') USING (path)"
        )
        described = self.connection.execute("DESCRIBE games").fetchall()
        columns = [str(row[0]) for row in described]
        spellings = [re.sub(r"_\d+$", "", column.lower()) for column in columns]
        # A tag that is there in several spellings is left out.
        tags = [
            column
            for column, spelling in zip(columns, spellings)
            if column not in OTHERS and spellings.count(spelling) == 1 and re.fullmatch(r"[A-Za-z]\w*", column)
        ]
        self.columns = Columns(columns, tags)
        for column in {*tags, *(name for names in TEXTS.values() for name in names)} & {*columns}:
            self.connection.execute(f"ALTER TABLE games ADD COLUMN {name_of(f'{column} folded')} VARCHAR")
            fold = f"{name_of(f'{column} folded')} = {folded(name_of(column))}"
            self.connection.execute(f"UPDATE games SET {fold} WHERE {name_of(column)} IS NOT NULL")
        for column in {"ECO", "FEN", "Deleted", "database"} - {*columns}:
            self.connection.execute(f"ALTER TABLE games ADD COLUMN {column} VARCHAR")
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


def question(table: Table, rows: list[Row], chance: random.Random) -> Optional[tuple[str, str]]:
    """A query and its condition. Terms of one query are mostly about one game, so that some game answers it."""
    row = chance.choice(rows)
    has_player = chance.random() < 0.4
    player = text("player", row, table.columns, chance) if has_player else both("", "true")
    positive: list[Term] = []
    negative: list[Term] = []
    for _ in range(chance.choice([1, 1, 2, 2, 3])):
        one = term(table.columns, row, has_player, chance)
        if one is None:
            return None
        is_negative = chance.random() < 0.25 and not one.text.startswith("moves:")
        (negative if is_negative else positive).append(one)
    if player is None:
        return None

    def side(own: str, conditions: list[str]) -> str:
        return " AND ".join(f"coalesce(({condition}), false)" for condition in [own, *conditions])

    def holds(some: list[Term]) -> str:
        whites, blacks = ([one.white for one in some], [one.black for one in some])
        return f"(({side(player.white, whites)}) OR ({side(player.black, blacks)}))"

    condition = " AND ".join([holds(positive), *(f"NOT {holds([one])}" for one in negative)])
    texts = [player.text] * has_player + [one.text for one in positive] + [f"-{one.text}" for one in negative]
    if chance.random() < 0.1:
        mark = deleted(chance)
        texts.append(mark.text)
        condition += f" AND {mark.white}"
    else:
        condition += " AND NOT coalesce(is_deleted, false)"
    chance.shuffle(texts)
    return " ".join(texts), condition


def compared(pgnfs: str, folder: Path, number: int, source: str) -> Differences:
    parquet, plies = folder / "games.parquet", folder / "plies.parquet"
    export = [pgnfs, "export", "--cache-dir=none", "--to=parquet", source]
    run([*export, f"--output={parquet}"])
    run([*export, f"--output={plies}", "--columns=path,ply_count"])
    table = Table(parquet, plies)
    chance = random.Random(Path(source).name)
    rows = table.rows(500)
    differences = Differences("DuckDB")
    theirs = ours = 0.0
    while differences.questions < number:
        asked = question(table, rows, chance)
        if asked is None:
            continue
        query, condition = asked
        begin = time.process_time()
        expected = table.paths(condition)
        theirs += time.process_time() - begin
        answer = find(pgnfs, query, source)
        ours += answer.seconds
        found = {line.split("\t")[0] for line in answer.text.splitlines()}
        differences.compare(query, found, expected, condition)
    differences.report(f"{len(table.paths('true'))} games of {source}")
    print(f"    processor time: DuckDB {theirs:.1f} s, pgnfs {ours:.1f} s with opening the source for each question")
    return differences


def main() -> None:
    pgnfs, folder, number, *sources = sys.argv[1:]
    all_of_them = [compared(pgnfs, Path(folder), int(number), source) for source in sources]
    differ = sum(one.differ for one in all_of_them)
    print(f"DuckDB: {sum(one.questions for one in all_of_them)} questions, {differ} differ")
    sys.exit(differ > 0)


if __name__ == "__main__":
    main()
