"""Changes bytes of databases through memory maps while they are read: `flip.py GAMES.pgn SECONDS [FOLDER]`."""

import collections
import errno
import gzip
import mmap
import multiprocessing
import os
import random
import shutil
import subprocess
import sys
import tarfile
import threading
import time
import traceback

from mount import Daemon, Place

KINDS = (
    "brenner",
    "brenner-alternate",
    "chess-assistant",
    "chessbase",
    "chessbase-2cbh",
    "chessbase-2cbv",
    "chessbase-book",
    "chessbase-book-flat",
    "chessbase-cbh",
    "jose",
    "scid",
    "simplecdb",
)
READERS = 3
MOST_CHANGED = 2000
MOST_BYTES = 4 << 20
EXPLAINED = (errno.EIO, errno.ENOENT, errno.ESTALE)
TEXTS = (".pgn", ".txt", ".csv", ".ndjson")
BAD_WORDS = (b"panicked", b"the decoder failed", b"Sanitizer")


def make(source, games, samples):
    for kind in KINDS:
        subprocess.run(["make_database", kind, f"{source}/{kind}/games", games], check=True)
    os.mkdir(f"{source}/pgn")
    shutil.copy(games, f"{source}/pgn/games.pgn")
    with open(games, "rb") as text, gzip.open(f"{source}/pgn/packed.pgn.gz", "wb") as packed:
        shutil.copyfileobj(text, packed)
    # Tables in an archive are not mapped, so they are extracted to a folder.
    with tarfile.open(f"{source}/jose/games.jose") as archive:
        archive.extractall(f"{source}/tables", filter="data")
    if samples:

        def large(folder, names):
            return [name for name in names if os.path.getsize(os.path.join(folder, name)) > MOST_BYTES]

        shutil.copytree(samples, f"{source}/samples", ignore=large)


class Flipper(threading.Thread):
    """Replaces bytes in the files of a folder and restores them. The times of the files rarely change."""

    def __init__(self, folder):
        super().__init__()
        self.paths = [path for path in below(folder) if os.path.getsize(path)]
        self.is_over = False

    def __enter__(self):
        self.start()

    def __exit__(self, *_):
        self.is_over = True
        self.join()

    def run(self):
        if random.random() < 0.2:
            os.utime(random.choice(self.paths))
        maps = []
        for path in self.paths:
            with open(path, "r+b") as file:
                maps.append(mmap.mmap(file.fileno(), 0))
        while not self.is_over:
            each = random.choice(maps)
            places = random.sample(range(len(each)), min(len(each) // 16 + 1, MOST_CHANGED))
            before = [each[place] for place in places]
            odd = random.choice((0xF0, 0xF0, 0xFF, 0, random.randrange(256)))
            for _ in range(20):
                for place in places:
                    each[place] = odd
                for place, byte in zip(places, before):
                    each[place] = byte


def below(folder):
    """The paths of all files below a folder."""
    return [os.path.join(folder, name) for folder, _, names in os.walk(folder) for name in names]


def run(command, counts):
    """Checks that a program ends by itself, writes text, and prints no message about a panic or a sanitizer."""
    ended = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True)
    if ended.returncode not in (0, 1, 2) or any(word in ended.stderr for word in BAD_WORDS):
        raise AssertionError(f"{command} ended with {ended.returncode}: {ended.stderr.decode(errors='replace')}")
    try:
        ended.stdout.decode()
    except UnicodeDecodeError as error:
        raise AssertionError(f"{command} wrote no text") from error
    counts[f"{command[0]} {command[1]}"] += 1


def read(path, counts):
    try:
        with open(path, "rb") as file:
            contents = file.read()
    except OSError as error:
        if error.errno not in EXPLAINED:
            raise
        counts[errno.errorcode[error.errno]] += 1
        return
    # Files in an .emb and guiding texts are shown byte for byte.
    if path.endswith(TEXTS) and "/emb/" not in path and "/texts/" not in path:
        try:
            contents.decode()
        except UnicodeDecodeError as error:
            raise AssertionError(f"{path} is no text") from error
    counts["files"] += 1


def reader(seed, source, mount, end, results):
    random.seed(seed)
    counts = collections.Counter()
    folders = sorted({os.path.dirname(path) for path in below(source)})
    try:
        while time.monotonic() < end:
            # Each reader changes files of its own: two could not restore each other's changes.
            folder = random.choice(folders[seed::READERS])
            shown = os.path.join(mount, os.path.relpath(folder, source))
            with Flipper(folder):
                run(["pgnfs", random.choice(("info", "export", "check")), folder], counts)
                run(["ls", "-R", shown], counts)
                files = below(shown)
                for path in random.sample(files, min(100, len(files))):
                    read(path, counts)
    except BaseException:
        counts["failures"] += 1
        traceback.print_exc()
    results.put(counts)


def main(place, games, seconds, samples):
    make(place.source, games, samples)
    daemon = Daemon(place, "cache-size=1M")
    end = time.monotonic() + seconds
    results = multiprocessing.Queue()
    arguments = [(n, place.source, place.mount, end, results) for n in range(READERS)]
    readers = [multiprocessing.Process(target=reader, args=each) for each in arguments]
    for process in readers:
        process.start()
    counts = sum((results.get() for _ in readers), collections.Counter())
    for process in readers:
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
