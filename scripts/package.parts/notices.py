"""Writes the licences of the crates that the program is made of, for cargo's lock file of today.

usage: notices.py [TARGET [MANIFEST]] >NOTICES

TARGET is that of the program, such as x86_64-unknown-linux-gnu, by default this machine's, and MANIFEST its Cargo.toml. Every crate is listed, with
the texts in its package. For one without any that may be used under Apache-2.0, another crate has the text, which names no
holder of rights; others fail, unless their licence is that of the project.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

TEXTS = re.compile(r"(licen[cs]e|copying|copyright|notice|unlicense)([-._].*)?", re.IGNORECASE)
# The text of the project's own licence is beside the program.
OWN = "GPL-3.0-or-later"


def this_machine():
    about = subprocess.check_output(["rustc", "-vV"], text=True)
    return re.search("^host: (.*)", about, re.MULTILINE)[1]


def crates(target, manifest):
    """The crates that are linked, by name: not those of tests, build scripts and macros."""
    options = ["--locked", "--manifest-path", manifest]
    tree = ["cargo", "tree", *options, "--target", target, "--edges=normal,no-proc-macro", "--prefix=none", "--format={p}"]
    linked = {tuple(line.split()[:2]) for line in subprocess.check_output(tree, text=True).splitlines() if line}
    metadata = ["cargo", "metadata", *options, "--format-version=1", "--filter-platform", target]
    packages = json.loads(subprocess.check_output(metadata))["packages"]
    found = (crate for crate in packages if crate["source"] and (crate["name"], "v" + crate["version"]) in linked)
    return sorted(found, key=lambda crate: (crate["name"], crate["version"]))


def texts(crate):
    """The texts of licences in a crate and in the sources of others that it contains."""
    folder = Path(crate["manifest_path"]).parent
    files = (path for path in sorted(folder.rglob("*")) if TEXTS.fullmatch(path.name) and path.is_file())
    return [path.read_text(errors="replace").strip() + "\n" for path in files if path.suffix not in (".rs", ".c", ".h")]


def apache(found):
    """The text of Apache-2.0, as some crate has it."""
    return next(text for crate in found for text in texts(crate) if text.split()[:2] == ["Apache", "License"])


def main():
    target = sys.argv[1] if len(sys.argv) > 1 else this_machine()
    found = crates(target, sys.argv[2] if len(sys.argv) > 2 else "Cargo.toml")
    print(f"The program is licensed under {OWN}. It contains the following crates, with these licences.\n")
    users = {}
    for crate in found:
        print(f"    {crate['name']} {crate['version']}: {crate['license']}")
        own = texts(crate)
        if not own and "Apache-2.0" in crate["license"].split(" OR "):
            own = [apache(found)]
        if not own and crate["license"] != OWN:
            sys.exit(f"notices.py: {crate['name']} has no text of its licence: add one, or do without the crate")
        for text in dict.fromkeys(own):
            users.setdefault(text, []).append(crate["name"])
    print("\nThe names of openings are those of lichess-org/chess-openings, which is in the public domain (CC0-1.0).")
    for text, names in users.items():
        print(f"\n{'=' * 79}\n{', '.join(dict.fromkeys(names))}\n{'=' * 79}\n\n{text}", end="")


main()
