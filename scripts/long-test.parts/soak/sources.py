"""Databases in several generations, and changes to them.

Every name in a game contains its generation, so that any mixture is detected.
"""

import os
import random
import re
import shutil
import subprocess

KINDS = ["simplecdb", "chessbase", "chessbase-cbh", "chess-assistant", "jose", "brenner"]
# Numbers of games: two equal generations, a larger one, and a smaller one.
GAMES = [200, 200, 300, 120]
GENERATION = re.compile(rb"Gen([0-9])")


def make(folder, pgn):
    """Writes all generations of all kinds below a folder."""
    with open(pgn) as file:
        all_games = ["[Event " + game for game in file.read().split("[Event ")[1:]]
    for generation, count in enumerate(GAMES):
        games = f"{folder}/{generation}.pgn"
        numbers = iter(range(10**6))
        # Different moves for the same number, so that an index of one generation leads to games of another.
        rotated = all_games[7 * generation :] + all_games[: 7 * generation]

        def named(match):
            number = next(numbers)
            return f'[{match[1]} "Gen{generation}{match[1][0]}{number % 40:02}, A"]'

        with open(games, "w") as file:
            file.write(re.sub(r'\[(Event|White|Black) "[^"]*"\]', named, "".join(rotated)))
        for kind in KINDS:
            target = f"{folder}/{kind}/{generation}/games"
            os.makedirs(os.path.dirname(target))
            subprocess.run(["make_database", kind, target, games, "--count", str(count)], check=True)


class Expected:
    """The possible texts of a kind of database, complete or with one of its files truncated."""

    def __init__(self, folder, kind):
        self.whole = set()
        self.games = set()
        for generation in range(len(GAMES)):
            top = f"{folder}/{kind}/{generation}"
            self.add(top)
            for path in present(top):
                with open(path, "rb") as file:
                    whole = file.read()
                os.truncate(path, len(whole) // 2)
                self.add(top)
                with open(path, "wb") as file:
                    file.write(whole)

    def add(self, top):
        # If nothing can be read, the text is empty.
        whole = subprocess.run(["pgnfs", "export", top], capture_output=True).stdout
        self.whole.add(whole)
        self.games.update(split(whole))

    def is_good(self, text):
        """True for expected games of a single generation."""
        return len(set(GENERATION.findall(text))) <= 1 and self.games.issuperset(split(text))


def present(top):
    """All files below a folder."""
    return [os.path.join(folder, name) for folder, _, names in os.walk(top) for name in names]


def split(text):
    """Splits a text into games."""
    return [b"[Event " + game for game in text.split(b"[Event ")[1:]]


class Source:
    """A database that changes: a folder, a name in it, and a place for files that are not shown."""

    def __init__(self, templates, kind, folder, aside):
        self.templates, self.kind, self.folder, self.aside = templates, kind, folder, aside
        os.makedirs(folder, exist_ok=True)
        os.makedirs(aside, exist_ok=True)
        self.is_whole = True
        self.restore()

    def files(self, generation):
        """The files of a generation, by relative path."""
        top = f"{self.templates}/{self.kind}/{generation}"
        return {os.path.relpath(path, top): path for path in present(top)}

    def remove_others(self, names):
        for path in self.present():
            if os.path.relpath(path, self.folder) not in names:
                os.remove(path)
        self.is_whole = True

    def replace(self):
        """Renames new files over the old ones, as careful programs do."""
        files = self.files(random.randrange(len(GAMES)))
        for name, path in files.items():
            new = f"{self.aside}/new"
            shutil.copyfile(path, new)
            os.makedirs(os.path.dirname(f"{self.folder}/{name}"), exist_ok=True)
            os.rename(new, f"{self.folder}/{name}")
        self.remove_others(files)

    restore = replace

    def rewrite(self):
        """Rewrites the files in place."""
        files = self.files(random.randrange(len(GAMES)))
        for name, path in files.items():
            target = f"{self.folder}/{name}"
            os.makedirs(os.path.dirname(target), exist_ok=True)
            with open(path, "rb") as file:
                new = file.read()
            with open(target, "r+b" if os.path.exists(target) else "wb") as file:
                file.write(new)
                file.truncate()
        self.remove_others(files)

    def present(self):
        return present(self.folder)

    def cut(self):
        """Truncates a file to half its length, unless another one is truncated already."""
        if self.is_whole and (files := self.present()):
            path = random.choice(files)
            os.truncate(path, os.path.getsize(path) // 2)
            self.is_whole = False

    def remove(self):
        """Removes all files."""
        for path in self.present():
            os.remove(path)

    def rename(self):
        """Renames the folder and renames it back."""
        elsewhere = self.folder + "-elsewhere"
        os.rename(self.folder, elsewhere)
        os.rename(elsewhere, self.folder)

    def touch(self):
        """Changes only the times."""
        for path in self.present():
            os.utime(path)

    def chmod(self):
        """Changes only the permissions."""
        for path in self.present():
            os.chmod(path, random.choice([0o600, 0o644, 0o640]))

    def change(self):
        actions = [self.replace, self.rewrite, self.replace, self.rewrite, self.cut, self.remove]
        action = random.choice(actions + [self.rename, self.touch, self.chmod])
        action()
        return action.__name__
