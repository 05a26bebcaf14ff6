"""The stubs: complete, and enough for mypy in strict mode."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from chessdb import _chessdb

PACKAGE = Path(__file__).resolve().parents[1]


def test_mypy_is_content() -> None:
    command = [sys.executable, "-m", "mypy", "--strict", "package/chessdb", "tests", "benches"]
    result = subprocess.run(command, cwd=PACKAGE, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout


def test_the_stubs_are_what_the_package_has() -> None:
    command = [sys.executable, "-m", "mypy.stubtest", "chessdb", "--mypy-config-file", "pyproject.toml"]
    result = subprocess.run(command, cwd=PACKAGE, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout


def described(body: list[ast.stmt], owner: object) -> Iterator[tuple[str, str, str]]:
    """Names in the stubs, with what they say of each and what the package says first."""
    for node in body:
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and not node.name.startswith("__"):
            own = getattr(owner, node.name)
            text = ast.get_docstring(node)
            if text is not None:
                first = (own.__doc__ or "").strip().split("\n\n")[0]
                yield node.name, " ".join(text.split()), " ".join(first.split())
            if isinstance(node, ast.ClassDef):
                yield from described(node.body, own)


def test_the_stubs_say_what_the_package_says() -> None:
    stubs = ast.parse((PACKAGE / "package/chessdb/_chessdb.pyi").read_text())
    found = list(described(stubs.body, _chessdb))
    assert {"Database", "find", "table", "duplicates", "reason"} <= {name for name, _, _ in found}
    assert [entry for entry in found if entry[1] != entry[2]] == []
