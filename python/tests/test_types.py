"""The stubs: complete, and enough for mypy in strict mode."""

import subprocess
import sys
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]


def test_mypy_is_content() -> None:
    command = [sys.executable, "-m", "mypy", "--strict", "package/chessdb", "tests", "benches"]
    result = subprocess.run(command, cwd=PACKAGE, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout


def test_the_stubs_are_what_the_package_has() -> None:
    options = ["--ignore-missing-stub", "--mypy-config-file", "pyproject.toml"]
    command = [sys.executable, "-m", "mypy.stubtest", "chessdb", *options]
    result = subprocess.run(command, cwd=PACKAGE, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout
