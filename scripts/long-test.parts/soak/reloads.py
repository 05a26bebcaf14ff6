"""Replaces a database below several mounts repeatedly: `reloads.py GAMES.pgn COUNT`. No mount may grow."""

import os
import shutil
import subprocess
import sys
import time

from mount import Daemon, Place, wait_for
from sources import present

# A mount waits until its source has not changed for two seconds, so several mounts take part in each change.
MOUNTS = 12
# Maximum growth of a mount for each reload, in bytes. A state takes hundreds of kilobytes.
MOST_GROWTH = 256


def use(daemon, name):
    """Makes a mount build views, tables and sizes of a database."""
    top = os.path.join(daemon.mount, "source", name)
    with open(f"{top}/all.pgn", "rb") as file:
        first = file.read(200)
    for folder in ("players", "events", "merged/players"):
        names = os.listdir(f"{top}/{folder}")
        os.stat(f"{top}/{folder}/{names[0]}")
    os.stat(f"{top}/tables/games.csv")
    return first


def shows(daemon, name, state):
    """True if a mount shows this state of a database."""
    try:
        return state.encode() in use(daemon, name)
    except OSError:
        return False


def main(place, games, count):
    with open(games) as file:
        text = file.read()
    folder = f"{place.source}/source"
    states = ["StateA", "StateB"]
    for state in states:
        changed = f"{place.path}/{state}.pgn"
        with open(changed, "w") as file:
            file.write("\n".join(f'[Event "{state}"]' if "[Event " in line else line for line in text.splitlines()))
            file.write("\n")
        aside = f"{place.path}/{state}"
        subprocess.run(
            ["make_database", "simplecdb", f"{aside}/games", changed, "--count", "500"], check=True
        )
    # A second database does not change.
    subprocess.run(["make_database", "jose", f"{place.source}/other/games", games], check=True)
    shutil.copytree(f"{place.path}/{states[0]}", folder)
    daemons = []
    for number in range(MOUNTS):
        mount = os.path.join(place.path, f"mount{number}")
        os.mkdir(mount)
        # No cache, because texts of old states would stay in it until it is full.
        daemons.append(Daemon(place, "cache-size=0,cache-dir=none", mount))
    samples, reloads, begin = [], 0, time.monotonic()
    change = 0
    while reloads < count:
        change += 1
        state = states[change % 2]
        for path in present(f"{place.path}/{state}"):
            new = f"{place.path}/new"
            shutil.copyfile(path, new)
            os.rename(new, os.path.join(folder, os.path.basename(path)))
        for daemon in daemons:
            wait_for(f"{state} in {daemon.mount}", lambda daemon=daemon: shows(daemon, "games.dci", state))
            reloads += 1
        samples.append([daemon.memory() for daemon in daemons])
        if change % 50 == 0:
            each = (time.monotonic() - begin) / change
            print(f"{reloads} reloads, {each:.1f} s a change: {samples[-1]} KiB", flush=True)
    failures = grown(samples, daemons)
    for daemon in daemons:
        code, said = daemon.end(), daemon.lines()
        if code != 0 or said:
            print(f"exit code {code}", *said, sep="\n")
            failures += 1
    print(f"{reloads} reloads in all")
    print("all is well" if failures == 0 else f"{failures} failures")
    return 1 if failures else 0


def grown(samples, daemons):
    """Prints how much each mount has grown between the second quarter of its reloads and the last one."""
    quarter = max(len(samples) // 4, 1)
    early, late = samples[quarter : 2 * quarter] or samples, samples[-quarter:]
    failures = 0
    for number, daemon in enumerate(daemons):
        then, now = (sum(sample[number] for sample in part) / len(part) for part in (early, late))
        growth = (now - then) * 1024 / (2 * quarter)
        print(f"{os.path.basename(daemon.mount)}: {then:.0f} KiB, then {now:.0f} KiB: {growth:.0f} bytes a reload")
        # A megabyte of varying allocator pages is not growth.
        failures += growth > MOST_GROWTH and now > then + 1024
    return failures


with Place() as place:
    sys.exit(main(place, sys.argv[1], int(sys.argv[2])))
