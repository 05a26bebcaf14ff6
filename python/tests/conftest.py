"""What the tests share."""

import os
import shutil
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
GAMES = REPOSITORY / "examples" / "games"
SHARED = Path(os.environ.get("PGNFS_SHARED", REPOSITORY.parent / "shared"))


def missing(what: str) -> None:
    """Skips a test for want of something; with CI=true it fails."""
    if os.environ.get("CI") == "true":
        pytest.fail(f"missing in CI: {what}")
    print(f"SKIPPED: {what} is missing")
    pytest.skip(what)


@pytest.fixture(scope="session")
def samples() -> Path:
    """The folder with sample databases."""
    folder = SHARED / "data"
    if not folder.is_dir():
        missing(f"sample data ({SHARED})")
    return folder


@pytest.fixture(scope="session")
def program() -> str:
    """The program pgnfs of the same sources."""
    target = Path(os.environ.get("CARGO_TARGET_DIR", REPOSITORY / "target"))
    program = os.environ.get("PGNFS_PROGRAM", str(target / "debug" / "pgnfs"))
    if shutil.which(program) is None:
        missing(f"the program {program} (cargo build makes it)")
    return program


@pytest.fixture
def own_games(tmp_path: Path) -> Path:
    """A folder with the repository's example games as PGN files."""
    for path in GAMES.glob("*.pgn"):
        shutil.copy(path, tmp_path)
    return tmp_path


@pytest.fixture(scope="session")
def classics_text() -> bytes:
    """The games of the file that most tests read."""
    return (GAMES / "classics.pgn").read_bytes()
