"""Ctrl-C ends long work."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize("threads", [1, 2])
def test_ctrl_c(own_games: Path, threads: int) -> None:
    path = own_games / "many.pgn"
    path.write_bytes((own_games / "classics.pgn").read_bytes() * 2_000)
    command = [sys.executable, str(Path(__file__).with_name("interrupted.py")), str(path), str(threads)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "begin\n"
        process.send_signal(signal.SIGINT)
        assert process.stdout.read() == "interrupted\n"
        assert process.wait() == 0
