"""Reads a mount while a part of its source does not answer: `hang.py GAMES.pgn SECONDS`.

What is elsewhere must be served meanwhile, every request must be answered, what is read must be right, and all must be
there again when the source answers.
"""

import collections
import errno
import os
import random
import subprocess
import sys
import threading
import time

from mount import Daemon, Place, is_mounted, wait_for

# What is made, and the ending of the file that its games are exported from.
FORMATS = {"simplecdb": "dci", "scid": "si4", "chessbase-cbh": "cbh", "parquet": "parquet"}
OPERATIONS = ["lookup", "attributes", "open", "read", "list", "flush"]
# Seconds that a request may wait for the source, as the mount is told.
TIMEOUT = 2
# Seconds that an answer may take otherwise; other programs may run on the machine.
SLACK = 5
PIECE = 65536


class Source:
    """Databases of which those in `far` may not answer."""

    def __init__(self, place, games):
        folder = os.path.join(place.path, "folder")
        self.point = os.path.join(place.source, "far")
        os.mkdir(self.point)
        self.expected = {}
        for prefix, where in (("", place.source), ("far/", folder)):
            for made, ending in FORMATS.items():
                target = os.path.join(where, made)
                subprocess.run(["make_database", made, target, games, "--count", "3000"], check=True)
                export = ["pgnfs", "export", f"{target}.{ending}"]
                exported = subprocess.run(export, check=True, capture_output=True)
                self.expected[f"{prefix}{made}.{ending}"] = exported.stdout
        self.process = subprocess.Popen(
            ["hanging_folder", folder, self.point], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        wait_for("the source", lambda: is_mounted(self.point))

    def told(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline() == "done\n"

    def end(self):
        self.process.stdin.close()
        self.process.wait()


class Readers:
    """Threads that read pieces of all databases, and note what was wrong."""

    def __init__(self, mount, source, is_exact):
        self.mount, self.source, self.is_exact = mount, source, is_exact
        self.is_over = threading.Event()
        self.read, self.longest = collections.Counter(), collections.Counter()
        self.wrong = []
        self.threads = [threading.Thread(target=self.run, args=(name,), daemon=True) for name in source.expected]
        for thread in self.threads:
            thread.start()

    def run(self, name):
        side = "far" if name.startswith("far/") else "near"
        while not self.is_over.is_set():
            began = time.monotonic()
            try:
                self.piece(name)
                self.read[side] += 1
            except OSError as error:
                allowed = (errno.EIO, errno.ESTALE, errno.ENOENT) if side == "far" else ()
                if error.errno not in allowed:
                    self.wrong.append(f"{name}: {error}")
                self.read["refused"] += 1
                time.sleep(0.05)
            except Exception as error:
                self.wrong.append(f"{name}: {error!r}")
                return
            took = time.monotonic() - began
            self.longest[side] = max(self.longest[side], took)
            # Looking up a path, opening and reading may each wait once.
            most = SLACK if side == "near" else 3 * TIMEOUT + SLACK
            if took > most:
                self.wrong.append(f"{name}: {took:.1f} s")
            time.sleep(0.02)

    def piece(self, name):
        expected = self.source.expected[name]
        path = f"{self.mount}/{name}/all.pgn"
        with open(path, "rb", buffering=0) as file:
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
            offset = random.randrange(len(expected))
            got = os.pread(file.fileno(), PIECE, offset)
        if got != expected[offset : offset + PIECE] and self.is_exact(name):
            self.wrong.append(f"{name}: other bytes at {offset}")

    def end(self):
        self.is_over.set()
        for thread in self.threads:
            thread.join()


def is_whole(mount, source):
    for name, expected in source.expected.items():
        try:
            with open(f"{mount}/{name}/all.pgn", "rb") as file:
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
                if file.read() != expected:
                    return False
        except OSError:
            return False
    return True


def disturbance():
    """A command for the source, and for how many seconds it is in force."""
    kind = random.choice(["hang", "hang", "hang", "fail", "size"])
    if kind == "size":
        return f"size {random.choice([0, 1, 4096, 1 << 45])}", random.uniform(0.5, 4)
    some = random.sample(OPERATIONS, random.choice([1, 1, 2, len(OPERATIONS)]))
    return " ".join([kind, *some]), random.uniform(0.5, 12)


def main(place, source, seconds):
    daemon = Daemon(place, f"cache-size=1M,cache-dir=none,source-timeout={TIMEOUT}")
    wait_for("all databases", lambda: is_whole(daemon.mount, source))
    failures = rounds = 0
    total, longest = collections.Counter(), collections.Counter()
    before = None
    end = time.monotonic() + seconds
    while time.monotonic() < end or before is None:
        command, duration = disturbance()
        # A database of which files are shorter for a while has changed.
        is_exact = lambda name: not (name.startswith("far/") and command.startswith("size"))
        readers = Readers(daemon.mount, source, is_exact)
        source.told(command)
        pause = time.monotonic() + duration
        while time.monotonic() < pause:
            began = time.monotonic()
            subprocess.run(["pgnfs", "status", daemon.mount], check=True, stdout=subprocess.DEVNULL)
            longest["status"] = max(longest["status"], time.monotonic() - began)
            time.sleep(0.2)
        source.told("recover")
        readers.end()
        for what in readers.wrong[:10]:
            print(what)
        failures += len(readers.wrong)
        wait_for("all to be there again", lambda: is_whole(daemon.mount, source))
        rounds += 1
        total += readers.read
        # The greater of both.
        longest |= readers.longest
        if rounds == 10:
            # By now allocators and pools have reached their usual sizes.
            before = daemon.threads(), daemon.memory(), daemon.open_files()
    print(f"the source did not answer, or failed, {rounds} times")
    print(f"read: {total['near']} pieces near, {total['far']} far; refused: {total['refused']}")
    print("longest:", ", ".join(f"{what} {seconds:.1f} s" for what, seconds in longest.items()))
    wait_for("threads to end", lambda: daemon.threads() <= before[0])
    after = daemon.threads(), daemon.memory(), daemon.open_files()
    for name, then, now in zip(("threads", "KiB of memory", "open files"), before, after):
        print(f"{name}: {then} after ten times, {now} after all")
    if after[1] > before[1] + 8192 or after[2] > before[2] or longest["status"] > SLACK:
        print("the program grows, or its status takes long")
        failures += 1
    source.told("hang " + " ".join(OPERATIONS))
    began = time.monotonic()
    code = daemon.end()
    took = time.monotonic() - began
    print(f"ended after {took:.1f} s while the source did not answer")
    if code != 0 or took > SLACK:
        print(f"exit code {code}", *daemon.lines()[-20:], sep="\n")
        failures += 1
    print("all is well" if failures == 0 else f"{failures} failures")
    return 1 if failures else 0


with Place() as place:
    source = Source(place, sys.argv[1])
    try:
        failures = main(place, source, int(sys.argv[2]))
    finally:
        source.end()
sys.exit(failures)
