"""Compares questions about tags with what DuckDB finds in games.parquet.

usage: tags.py PGNFS FOLDER QUESTIONS SOURCE...
"""

import random
import sys
import time
from pathlib import Path

from ask import Differences, find, run
from oracle.tables import Table
from tag_questions import Columns, terms


def compared(pgnfs: str, folder: Path, number: int, source: str) -> Differences:
    parquet, plies = folder / "games.parquet", folder / "plies.parquet"
    export = [pgnfs, "export", "--cache-dir=none", "--to=parquet", source]
    run([*export, f"--output={parquet}"])
    run([*export, f"--output={plies}", "--columns=path,ply_count,opening_code,opening_name"])
    table = Table(parquet, plies)
    chance = random.Random(Path(source).name)
    rows = table.rows(500)
    differences = Differences("DuckDB")
    theirs = ours = 0.0
    while differences.questions < number:
        made = terms(Columns(table.columns, table.tags), chance.choice(rows), chance)
        if made is None:
            continue
        if chance.random() < 0.1:
            made.append(chance.choice(["deleted:yes", "deleted:any"]))
        chance.shuffle(made)
        query = " ".join(made)
        begin = time.process_time()
        condition = table.condition(query)
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
