"""Changes bytes of databases through memory maps while they are read: `flip.py GAMES.pgn SECONDS [FOLDER]`."""

import collections
import errno
import mmap
import multiprocessing
import os
import random
import shutil
import subprocess
import sys
import tarfile
import time
import traceback

from mount import Daemon, Place

KINDS = (
    "brenner",
    "brenner-alternate",
    "chess-assistant",
    "chessbase",
    "chessbase-book",
    "chessbase-book-flat",
    "jose",
    "simplecdb",
)
READERS = 3
CHANGED = 64
MOST_BYTES = 4 << 20
EXPLAINED = (errno.EIO, errno.ENOENT, errno.ESTALE)
BAD_WORDS = (b"panicked", b"the decoder failed", b"Sanitizer")


def make(source, games, samples):
    for kind in KINDS:
        subprocess.run(["make_database", kind, f"{source}/{kind}/games", games], check=True)
    # The tables of an archive are not mapped, those in a folder are.
    with tarfile.open(f"{source}/jose/games.jose") as archive:
        archive.extractall(f"{source}/tables", filter="data")
    if samples:

        def large(folder, names):
            return [name for name in names if os.path.getsize(os.path.join(folder, name)) > MOST_BYTES]

        shutil.copytree(samples, f"{source}/samples", ignore=large)


def flip(source, end):
    """Puts bytes in the place of others and these back; the times of a file change now and then."""
    paths = [os.path.join(folder, name) for folder, _, names in os.walk(source) for name in names]
    maps = []
    for path in filter(os.path.getsize, paths):
        with open(path, "r+b") as file:
            maps.append(mmap.mmap(file.fileno(), 0))
    passes = 0
    while time.monotonic() < end.value:
        for each in random.sample(maps, min(20, len(maps))):
            places = [random.randrange(len(each)) for _ in range(CHANGED)]
            before = [each[place] for place in places]
            odd = random.choice((0xF0, 0xF0, 0xFF, 0, random.randrange(256)))
            for _ in range(20):
                for place in places:
                    each[place] = odd
                for place, byte in reversed(list(zip(places, before))):
                    each[place] = byte
        passes += 1
        if passes % 200 == 0:
            os.utime(random.choice(paths))


def run(command, counts):
    """Whatever it reads, a program ends by itself and says nothing that it should not."""
    ended = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    if ended.returncode not in (0, 1, 2) or any(word in ended.stderr for word in BAD_WORDS):
        raise AssertionError(f"{command} ended with {ended.returncode}: {ended.stderr.decode(errors='replace')}")
    counts[f"{command[0]} {command[1]}"] += 1


def read(path, counts):
    try:
        with open(path, "rb") as file:
            file.read()
        counts["files"] += 1
    except OSError as error:
        if error.errno not in EXPLAINED:
            raise
        counts[errno.errorcode[error.errno]] += 1


def reader(seed, source, mount, end, results):
    random.seed(seed)
    counts = collections.Counter()
    folders = [folder for folder, _, names in os.walk(source) if names]
    try:
        while time.monotonic() < end.value:
            folder = random.choice(folders)
            shown = os.path.join(mount, os.path.relpath(folder, source))
            run(["pgnfs", random.choice(("info", "export", "check")), folder], counts)
            run(["ls", "-R", shown], counts)
            files = [os.path.join(below, name) for below, _, names in os.walk(shown) for name in names]
            for path in random.sample(files, min(100, len(files))):
                read(path, counts)
    except BaseException:
        counts["failures"] += 1
        traceback.print_exc()
    results.put(counts)


def main(place, games, seconds, samples):
    make(place.source, games, samples)
    daemon = Daemon(place, "cache-size=1M")
    end = multiprocessing.Value("d", time.monotonic() + seconds)
    results = multiprocessing.Queue()
    flipper = multiprocessing.Process(target=flip, args=(place.source, end))
    arguments = [(n, place.source, place.mount, end, results) for n in range(READERS)]
    readers = [multiprocessing.Process(target=reader, args=each) for each in arguments]
    for process in (flipper, *readers):
        process.start()
    counts = sum((results.get() for _ in readers), collections.Counter())
    for process in (flipper, *readers):
        process.join()
    failures = counts.pop("failures", 0)
    print("looks:", dict(counts))
    if daemon.process.poll() is not None:
        print(f"the mount ended with {daemon.process.returncode}")
        failures += 1
    elif (code := daemon.end()) != 0:
        print(f"exit code {code}")
        failures += 1
    said = [line for line in daemon.lines() if any(word.decode() in line for word in BAD_WORDS)]
    print(*said, sep="\n")
    print("all is well" if failures == 0 and not said else f"{failures + len(said)} failures")
    return 1 if failures or said else 0


with Place() as place:
    sys.exit(main(place, sys.argv[1], float(sys.argv[2]), *sys.argv[3:] or [None]))
