"""A mount in a temporary folder, and the memory, threads and files that its program uses."""

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


def is_mounted(path):
    with open("/proc/self/mountinfo") as table:
        return any(f" {path} " in line for line in table)


class Place:
    """A folder with the subfolders `source` and `mount`, which is unmounted and removed at the end."""

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
        for name in os.listdir(self.path):
            while is_mounted(os.path.join(self.path, name)):
                subprocess.run(["pgnfs", "unmount", os.path.join(self.path, name)], check=True)
        shutil.rmtree(self.path)

    def processes(self):
        """The ids of the processes with the mount point in their command line."""
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
    """`pgnfs mount -f`, whose log is in a file."""

    def __init__(self, place, options, mount=None):
        self.mount = mount or place.mount
        self.log = os.path.join(place.path, f"log of {os.path.basename(self.mount)}")
        with open(self.log, "w") as log:
            command = ["pgnfs", "mount", "-f", "-o", options, place.source, self.mount]
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=log
            )
        wait_for("the mount", lambda: is_mounted(self.mount))

    def memory(self):
        """Resident anonymous memory in KiB."""
        with open(f"/proc/{self.process.pid}/status") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("RssAnon"))

    def open_files(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def threads(self):
        return len(os.listdir(f"/proc/{self.process.pid}/task"))

    def lines(self):
        with open(self.log) as log:
            return log.read().splitlines()

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(PATIENCE)
