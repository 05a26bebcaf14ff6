"""Compares the mounts of two programs: names, inodes, attributes, and contents of all files.

usage: same.py OLD NEW SOURCE...
"""

import hashlib
import os
import subprocess
import sys
import tempfile

# Opening trees are as deep as games are long.
DEEPEST_MOVES = 3

# Differences that are printed for each source.
MOST_SHOWN = 10


def mounted(program, source, place, cache):
    os.makedirs(place, exist_ok=True)
    options = ["--index=yes", "--unique", "--open-wait=60", f"--cache-dir={cache}"]
    subprocess.run([program, "mount", *options, source, place], check=True)
    subprocess.run([program, "status", "--wait", place], check=True, stdout=subprocess.DEVNULL)


def facts(path):
    about = os.lstat(path)
    row = [about.st_ino, oct(about.st_mode), about.st_size, about.st_nlink, about.st_mtime_ns]
    if os.path.islink(path):
        row.append(os.readlink(path))
    elif os.path.isfile(path):
        digest = hashlib.sha256()
        try:
            with open(path, "rb") as file:
                while part := file.read(1 << 20):
                    digest.update(part)
        except OSError as error:
            row.append(error.errno)
        row.append(digest.hexdigest())
    return row


def walk(top):
    """The facts of all paths below a folder."""
    found = {"": facts(top)}
    folders = [""]
    while folders:
        folder = folders.pop()
        for name in os.listdir(os.path.join(top, folder)):
            path = os.path.join(folder, name)
            found[path] = facts(os.path.join(top, path))
            names = path.split("/")
            is_deep = "moves" in names and len(names) - names.index("moves") > DEEPEST_MOVES
            whole = os.path.join(top, path)
            if os.path.isdir(whole) and not os.path.islink(whole) and not is_deep:
                folders.append(path)
    return found


def compare(old, new, source):
    with tempfile.TemporaryDirectory(prefix="pgnfs-same.") as place:
        trees = []
        for number, program in enumerate([old, new]):
            point = os.path.join(place, f"mount{number}")
            mounted(program, source, point, os.path.join(place, f"cache{number}"))
            try:
                trees.append(walk(point))
            finally:
                subprocess.run([program, "unmount", point], check=True)
    before, after = trees
    different = [path for path in sorted(before.keys() | after.keys()) if before.get(path) != after.get(path)]
    for path in different[:MOST_SHOWN]:
        print(f"  {path}\n    old: {before.get(path)}\n    new: {after.get(path)}")
    print(f"{source}: {len(before)} paths, {len(different)} differ", flush=True)
    return len(different)


def main():
    old, new, *sources = sys.argv[1:]
    missing = [source for source in sources if not os.path.exists(source)]
    if missing or not sources:
        sys.exit(f"no such sources: {', '.join(missing)}")
    differences = sum(compare(old, new, source) for source in sources)
    print(f"{differences} differences in {len(sources)} sources")
    sys.exit(1 if differences else 0)


main()
