"""Random reads while the source changes: `soak.py GAMES.pgn SECONDS READERS`."""

import collections
import errno
import multiprocessing
import os
import random
import sys
import time
import traceback

from mount import Daemon, Place, wait_for
from sources import KINDS, Expected, Source, make, split

# Errors that a change of the source explains.
EXPLAINED = {errno.EIO, errno.ENOENT, errno.ESTALE}


def read(path, wait=0.0):
    """Reads a file from the mount, not from the page cache, and checks its size."""
    with open(path, "rb", buffering=0) as file:
        size = os.fstat(file.fileno()).st_size
        if wait:
            time.sleep(wait)
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        text = b""
        while piece := file.read(1 << 16):
            text += piece
    if len(text) != size:
        raise AssertionError(f"{path}: {len(text)} bytes of {size}")
    total["bytes"] += size
    return text


# Counters of this process.
total = collections.Counter()


def one_of(folder):
    return os.path.join(folder, random.choice(os.listdir(folder) or [""]))


def look(database, expected):
    """Reads something in a database, checks it, and returns what it was."""
    what = random.choice(["game", "open", "all", "view", "merged", "listing", "missing", "info", "problems"])
    if what in ("game", "open"):
        path = one_of(one_of(f"{database}/games"))
        wait = random.uniform(0, 4) if what == "open" and random.random() < 0.2 else 0
        check(path, read(path, wait), expected, 1)
    elif what == "all":
        text = read(f"{database}/all.pgn")
        if text not in expected.whole:
            check(f"{database}/all.pgn", text, expected, None)
    elif what == "view":
        path = one_of(one_of(f"{database}/{random.choice(['players', 'events', 'years'])}"))
        check(path, read(path), expected, 1)
    elif what == "merged":
        path = one_of(f"{database}/merged/{random.choice(['players', 'events', 'years'])}")
        check(path, read(path), expected, None)
    elif what == "listing":
        for entry in os.scandir(one_of(f"{database}/players")):
            entry.stat()
    elif what == "missing":
        try:
            os.stat(f"{database}/players/Nobody {random.randrange(100)}")
            raise AssertionError("a player who is nobody")
        except FileNotFoundError:
            pass
    elif what == "info":
        read(f"{database}/info.txt")
    elif what == "problems":
        read(f"{database}/tables/problems.txt")
    return what


def check(path, text, expected, games):
    count = text.count(b"[Event ")
    if (games and count != games) or not expected.is_good(text):
        wrong = next((game for game in split(text) if game not in expected.games), text)
        raise AssertionError(f"{path} is a mix, or nothing that was ever there:\n{wrong[:500]!r}")


def reader(seed, mount, databases, end, results):
    random.seed(seed)
    counts = collections.Counter()
    try:
        while time.monotonic() < end.value:
            path, expected = random.choice(databases)
            try:
                counts[look(find(os.path.join(mount, path)), expected)] += 1
            except OSError as error:
                if error.errno not in EXPLAINED:
                    raise
                counts[errno.errorcode[error.errno]] += 1
    except BaseException:
        counts["failures"] += 1
        traceback.print_exc()
    results.put(counts + total)


def find(folder):
    """The folder itself if it is a database's directory, or else an entry of it."""
    names = os.listdir(folder)
    if "all.pgn" in names:
        return folder
    return os.path.join(folder, random.choice(names or ["nothing"]))


def main(place, games, seconds, number_of_readers):
    templates = os.path.join(place.path, "templates")
    os.mkdir(templates)
    make(templates, games)
    expected = {kind: Expected(templates, kind) for kind in KINDS}
    sources, databases = [], []
    for kind in KINDS:
        for number in (1, 2):
            name = f"{kind}/{number}"
            sources.append(Source(templates, kind, f"{place.source}/{name}", f"{place.path}/aside/{name}"))
            databases.append((name, expected[kind]))
    daemon = Daemon(place, "cache-size=1M")
    end = multiprocessing.Value("d", time.monotonic() + seconds)
    results = multiprocessing.Queue()
    readers = [
        multiprocessing.Process(target=reader, args=(n, place.mount, databases, end, results)) for n in range(number_of_readers)
    ]
    for process in readers:
        process.start()
    changes = collections.Counter()
    samples = []
    while time.monotonic() < end.value and daemon.process.poll() is None:
        changes[random.choice(sources).change()] += 1
        samples.append((daemon.memory(), daemon.open_files()))
        if len(samples) % 30 == 0:
            print(f"{len(samples)} s: {samples[-1][0]} KiB, {samples[-1][1]} open files", flush=True)
        time.sleep(1)
    counts = sum((results.get() for _ in readers), collections.Counter())
    for process in readers:
        process.join()
    failures, read_bytes = counts.pop("failures", 0), counts.pop("bytes", 0)
    print("changes:", dict(changes))
    print("looks:", dict(counts))
    print(f"{number_of_readers} readers compared {counts.total()} looks and {read_bytes} bytes with pgnfs export")

    # After the last change the mount must show the present state and close all other files.
    for source in sources:
        source.restore()
    for path, of_kind in databases:

        def is_there(path=path, of_kind=of_kind):
            try:
                return read(find(os.path.join(place.mount, path)) + "/all.pgn") in of_kind.whole
            except OSError:
                return False

        wait_for(f"{path} as it is", is_there)
    files = sum(len(source.present()) for source in sources)
    print(f"open files: {max(sample[1] for sample in samples)} at most, {daemon.open_files()} now for {files} mapped")
    most = 5 * files
    if os.geteuid() == 0:
        # Dentries in use during a change remain in the kernel's caches until they are dropped.
        with open("/proc/sys/vm/drop_caches", "w") as caches:
            caches.write("2")
        most = files
    wait_for("old files to be closed", lambda: daemon.open_files() <= most + 20)
    third = max(len(samples) // 3, 1)
    early, late = (max(part, default=(0, 0))[0] for part in (samples[third : 2 * third], samples[2 * third :]))
    print(f"memory: {early} KiB at most in the second third, {late} KiB in the last")
    print(f"open files: {daemon.open_files()} at the end")
    if late > early * 1.3 + 8192:
        print("the program grows")
        failures += 1
    code = daemon.end()
    said = [line for line in daemon.lines() if not any(word in line for word in ("was changed", "left out", "left away"))]
    if code != 0 or said:
        print(f"exit code {code}", *said, sep="\n")
        failures += 1
    print("all is well" if failures == 0 else f"{failures} failures")
    return 1 if failures else 0


with Place() as place:
    sys.exit(main(place, sys.argv[1], float(sys.argv[2]), int(sys.argv[3])))
