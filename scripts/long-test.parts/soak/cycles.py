"""Mounts and unmounts repeatedly: `cycles.py GAMES.pgn COUNT`."""

import os
import subprocess
import sys
import time

from mount import Place, wait_for


def main(place, games, count):
    subprocess.run(["make_database", "simplecdb", f"{place.source}/games", games], check=True)
    before = mounts()
    begin = time.monotonic()
    for cycle in range(1, count + 1):
        subprocess.run(["pgnfs", "mount", place.source, place.mount], check=True)
        with open(f"{place.mount}/games.dci/games/000001-001000/000001.pgn", "rb") as game:
            assert game.read().startswith(b"[Event "), cycle
        subprocess.run(["pgnfs", "unmount", place.mount], check=True)
        if cycle % 100 == 0 or cycle == count:
            print(f"{cycle} of {count} cycles, {1000 * (time.monotonic() - begin) / cycle:.0f} ms each", flush=True)
    wait_for("the end of all programs", lambda: not place.processes())
    left = {
        "mounts": mounts() - before,
        "sockets": len(os.listdir(f"{place.path}/run/pgnfs")),
        "size files beside one": len(os.listdir(f"{place.path}/cache/pgnfs")) - 1,
    }
    print(", ".join(f"{name}: {number}" for name, number in left.items()))
    return 1 if any(number > 0 for number in left.values()) else 0


def mounts():
    with open("/proc/self/mountinfo") as table:
        return len(table.readlines())


with Place() as place:
    sys.exit(main(place, sys.argv[1], int(sys.argv[2])))
