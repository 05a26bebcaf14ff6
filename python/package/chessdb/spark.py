"""Databases as a data source of Spark."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, Optional

from chessdb import _open
from chessdb._chessdb import Database, Library
from chessdb._errors import ChangedError
from chessdb._parts import databases, empty, needing, ranges

with needing("spark"):
    import pyarrow
    from pyspark.sql import SparkSession
    from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition
    from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema
    from pyspark.sql.types import StructType

# Games of a task: some seconds of work, and few enough that all workers have some.
GAMES = 20_000


def register(spark: SparkSession) -> None:
    """Lets a session read databases: ``spark.read.format("chessdb").load(folder)``.

    Options are ``where``, a query that the games answer; ``rows``, ``games`` or ``positions``; and ``columns``, names with
    commas between them, by default the usual ones. The package must be installed wherever Spark runs Python, and the folder
    have the same path there.
    """
    spark.dataSource.register(ChessSource)


class ChessSource(DataSource):
    """The databases of a folder, or a database."""

    @classmethod
    def name(cls) -> str:
        return "chessdb"

    def schema(self) -> StructType:
        options = Options.of(self.options)
        fields = pyarrow.table(empty(options.open(), options.columns, options.rows, options.where)).schema
        # Spark has times in microseconds alone.
        time = pyarrow.time64("us")
        known = [field.with_type(time) if pyarrow.types.is_time(field.type) else field for field in fields]
        return from_arrow_schema(pyarrow.schema(known))

    def reader(self, schema: StructType) -> DataSourceReader:
        return ChessReader(Options.of(self.options), schema)


@dataclass(frozen=True)
class Options:
    """What the user wants."""

    path: str
    columns: Optional[list[str]]
    rows: Literal["games", "positions"]
    where: Optional[str]

    @staticmethod
    def of(options: Any) -> Options:
        """Raises :class:`ValueError` if one is missing."""
        path = options.get("path")
        if path is None:
            raise ValueError("no folder is named: give it to load()")
        names = options.get("columns")
        return Options(
            path=path,
            columns=None if names is None else [name.strip() for name in names.split(",")],
            rows=options.get("rows", "games"),
            where=options.get("where"),
        )

    def open(self) -> Database | Library:
        # Spark has a process for each thread.
        return _open.open(self.path, threads=1)


@dataclass(frozen=True)
class GamesPartition(InputPartition):
    """Some games of a database."""

    # How the database is opened.
    database: Any
    # Its files when the work was planned.
    files: list[tuple[str, int, int]]
    start: int
    stop: int


class ChessReader(DataSourceReader):
    """Reads the columns of a schema."""

    def __init__(self, options: Options, schema: StructType) -> None:
        self.options = options
        self.schema = schema

    def partitions(self) -> list[InputPartition]:
        opened = self.options.open()
        # A column or a query that is wrong fails here and not in each task.
        empty(opened, self.schema.names, self.options.rows, self.options.where)
        parts: list[InputPartition] = []
        for database in databases(opened):
            _, arguments = database.__reduce__()
            files = database._files()
            for start in range(0, len(database), GAMES):
                stop = min(start + GAMES, len(database))
                parts.append(GamesPartition(arguments, files, start, stop))
        return parts

    def read(self, partition: InputPartition) -> Iterator[pyarrow.RecordBatch]:
        assert isinstance(partition, GamesPartition)
        database = _open.database(partition.database)
        compare(partition.files, database._files())
        columns, options = self.schema.names, self.options
        schema = to_arrow_schema(self.schema)
        for games in ranges(range(partition.start, partition.stop), options.rows):
            part = database._part(columns, options.rows, games.start, games.stop, options.where)
            # Spark takes no other types, such as long texts.
            yield from pyarrow.table(part).cast(schema).to_batches()


def compare(planned: list[tuple[str, int, int]], found: list[tuple[str, int, int]]) -> None:
    """Raises :class:`ChangedError` if files are not what they were when the work was planned."""
    if planned == found:
        return
    changed = sorted(set(planned) ^ set(found))
    file = changed[0][0] if changed else planned[0][0]
    raise ChangedError(
        f"{file}: the file was changed after the work was planned: load the folder again", file
    )
