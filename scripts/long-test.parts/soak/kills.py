"""Kills readers of a file: `kills.py GAMES.pgn COUNT`. Threads and memory of the mount must not increase."""

import os
import random
import subprocess
import sys
import time

from mount import Daemon, Place, wait_for

# Number of simultaneous readers.
AT_ONCE = 8


def forget(path):
    """Drops a file from the page cache, so that the kernel requests it again."""
    with open(path, "rb") as file:
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def kill_some(path, number):
    forget(path)
    readers = [subprocess.Popen(["cat", path], stdout=subprocess.DEVNULL) for _ in range(number)]
    time.sleep(random.uniform(0, 0.03))
    for reader in readers:
        reader.kill()
    # A reader that had read the whole file was not killed.
    return sum(reader.wait() < 0 for reader in readers)


def main(place, games, count):
    subprocess.run(
        ["make_database", "simplecdb", f"{place.source}/games", games, "--count", "50000"], check=True
    )
    expected = subprocess.run(["pgnfs", "export", place.source], check=True, capture_output=True).stdout
    daemon = Daemon(place, "cache-size=1M,cache-dir=none")
    path = f"{place.mount}/games.dci/all.pgn"

    def is_whole():
        forget(path)
        with open(path, "rb") as file:
            return file.read() == expected

    failures = 0
    # Afterwards allocators and pools have reached their usual sizes.
    while kill_some(path, AT_ONCE) == 0:
        pass
    failures += not is_whole()
    before = daemon.threads(), daemon.memory(), daemon.open_files()
    killed = most_threads = 0
    while killed < count:
        killed += kill_some(path, min(AT_ONCE, count - killed))
        most_threads = max(most_threads, daemon.threads())
    failures += not is_whole()
    print(f"{killed} readers were killed; {most_threads} threads at most")
    wait_for("threads to end", lambda: daemon.threads() <= before[0])
    after = daemon.threads(), daemon.memory(), daemon.open_files()
    for name, then, now in zip(("threads", "KiB of memory", "open files"), before, after):
        print(f"{name}: {then} before, {now} after")
    if after[1] > before[1] + 8192 or after[2] > before[2]:
        print("the program grows")
        failures += 1
    code, said = daemon.end(), daemon.lines()
    if code != 0 or said:
        print(f"exit code {code}", *said, sep="\n")
        failures += 1
    print("all is well" if failures == 0 else f"{failures} failures")
    return 1 if failures else 0


with Place() as place:
    sys.exit(main(place, sys.argv[1], int(sys.argv[2])))
