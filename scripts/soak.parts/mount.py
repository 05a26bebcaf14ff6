"""A mount in a temporary folder, and what its program uses."""

import os
import shutil
import signal
import subprocess
import tempfile
import time

PATIENCE = 30


def wait_for(what, is_so):
    end = time.monotonic() + PATIENCE
    while not is_so():
        if time.monotonic() > end:
            raise SystemExit(f"waited in vain for {what}")
        time.sleep(0.05)


class Place:
    """A folder with `source` and `mount`, unmounted and removed at the end."""

    def __init__(self):
        self.path = tempfile.mkdtemp(prefix="pgnfs-soak.")
        self.source = os.path.join(self.path, "source")
        self.mount = os.path.join(self.path, "mount")
        os.mkdir(self.source)
        os.mkdir(self.mount)
        runtime = os.path.join(self.path, "run")
        os.mkdir(runtime, 0o700)
        os.environ["XDG_CACHE_HOME"] = os.path.join(self.path, "cache")
        os.environ["XDG_RUNTIME_DIR"] = runtime

    def __enter__(self):
        return self

    def __exit__(self, *_):
        while self.is_mounted():
            subprocess.run(["pgnfs", "unmount", self.mount], check=True)
        shutil.rmtree(self.path)

    def is_mounted(self):
        with open("/proc/self/mountinfo") as table:
            return any(f" {self.mount} " in line for line in table)

    def processes(self):
        """Numbers of the programs that name the mount point."""
        found = []
        for number in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{number}/cmdline", "rb") as line:
                    words = line.read().split(b"\0")
            except OSError:
                continue
            if self.mount.encode() in words and int(number) != os.getpid():
                found.append(int(number))
        return found


class Daemon:
    """`pgnfs mount -f` with its log in a file."""

    def __init__(self, place, options):
        self.place = place
        self.log = os.path.join(place.path, "log")
        with open(self.log, "w") as log:
            command = ["pgnfs", "mount", "-f", "-o", options, place.source, place.mount]
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=log
            )
        wait_for("the mount", place.is_mounted)

    def memory(self):
        """Resident kilobytes that are no pages of mapped files."""
        with open(f"/proc/{self.process.pid}/status") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("RssAnon"))

    def open_files(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def lines(self):
        with open(self.log) as log:
            return log.read().splitlines()

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(PATIENCE)
