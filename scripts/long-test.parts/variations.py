"""Compares the answers of `pgnfs find QUERY in:variations` with what python-chess finds in all lines of all games.

usage: variations.py PGNFS LARGE.pgn FOLDER GAMES

Variations at random, also within each other, are added to games. A line leads from the first move to the end of the game
or of a variation. The main line comes first, then the lines in the order in which their variations end in the text.
"""

import random
import sys
from pathlib import Path
from typing import Iterator, Optional

import chess
import chess.pgn

from find import Found, Game, Note, Question, compared, drawn, end_of
from search import (
    COMBINED,
    KINDS,
    OF_ONE_KIND,
    Games,
    Group,
    View,
    alone,
    annotated,
    combined,
    either,
    giving,
    image,
    noted,
    sacrifice,
    sequence,
)

# Half-moves of a variation at most, and how deep they are nested.
LONGEST, DEEPEST = 10, 3


class Tree:
    """A game with variations."""

    def __init__(self, game: Game, chance: random.Random) -> None:
        self.root = chess.pgn.Game()
        self.root.setup(game.start)
        self.root.headers["Date"] = game.date
        self.notes: dict[chess.pgn.GameNode, Note] = {}
        notes = game.notes or (Note(),) * (len(game.moves) + 1)
        node: chess.pgn.GameNode = self.root
        self.notes[node] = notes[0]
        for move, note in zip(game.moves, notes[1:]):
            node = node.add_variation(move)
            self.notes[node] = note
        self.has_notes = bool(game.notes)
        self.branch(self.root, chance, 0)
        for node, note in self.notes.items():
            node.comment = note.comment()
            if isinstance(node, chess.pgn.ChildNode):
                node.nags.update(note.nags)
        self.lines = [self.line(end) for end in self.ends()]

    def branch(self, node: Optional[chess.pgn.GameNode], chance: random.Random, depth: int) -> None:
        while node is not None and node.variations:
            following = node.variations[0]
            others = [move for move in node.board().legal_moves if move != following.move]
            if others and chance.random() < 0.08 and depth < DEEPEST:
                other: chess.pgn.GameNode = node.add_variation(chance.choice(others))
                self.note(other, chance)
                first, board = other, other.board()
                for _ in range(chance.randint(0, LONGEST)):
                    legal = list(board.legal_moves)
                    if not legal:
                        break
                    taking = [move for move in legal if board.is_capture(move)]
                    move = chance.choice(taking if taking and chance.random() < 0.5 else legal)
                    board.push(move)
                    other = other.add_variation(move)
                    self.note(other, chance)
                self.branch(first, chance, depth + 1)
            node = following

    def note(self, node: chess.pgn.GameNode, chance: random.Random) -> None:
        note = annotated(Game("", chess.Board(), [chess.Move.null()]), chance).notes[1] if self.has_notes else Note()
        self.notes[node] = note

    def ends(self) -> Iterator[chess.pgn.GameNode]:
        """The last node of each line."""
        yield self.root.end()
        yield from self.variations(self.root)

    def variations(self, node: chess.pgn.GameNode) -> Iterator[chess.pgn.GameNode]:
        while node.variations:
            for other in node.variations[1:]:
                yield from self.variations(other)
                yield other.end()
            node = node.variations[0]

    def line(self, end: chess.pgn.GameNode) -> Game:
        nodes = [end]
        while nodes[-1].parent is not None:
            nodes.append(nodes[-1].parent)
        nodes.reverse()
        notes = tuple(self.notes[node] for node in nodes) if self.has_notes else ()
        return Game("", self.root.board(), [node.move for node in nodes[1:]], notes)


class Trees(Games):
    """Some games, and one line of each, of which questions are made."""

    def __init__(self, trees: list[Tree], chance: random.Random) -> None:
        super().__init__([chance.choice(tree.lines) for tree in trees])
        self.trees = trees
        self.all: dict[tuple[bool, bool], list[list[list[View]]]] = {}

    def lines(self, colour: bool, side: bool) -> list[list[list[View]]]:
        """The positions of all lines of each game."""
        if (colour, side) not in self.all:
            self.all[colour, side] = [
                [
                    giving(
                        [
                            noted(image(board, move, colour, side), line, ply, colour)
                            for ply, (board, move) in enumerate(zip(line.positions(), [*line.moves, None]))
                        ],
                        "",
                    )
                    for line in tree.lines
                ]
                for tree in self.trees
            ]
        return self.all[colour, side]

    def answer(self, groups: list[Group], excluded: list[Group], mirror: str) -> Found:
        found: Found = {}
        images = [
            (colour, self.lines(colour, side))
            for colour in (False, True)
            for side in (False, True)
            if (not colour or mirror in ("colour", "both")) and (not side or mirror in ("side", "both"))
        ]
        for number in range(len(self.trees)):
            lines = [(colour, line) for colour, all_lines in images for line in all_lines[number]]
            if any(group.first(line, 0) is not None for group in excluded for _, line in lines):
                continue
            for place in range(len(self.trees[number].lines)):
                plies = [sequence(groups, all_lines[number][place]) for _, all_lines in images]
                known = [ply for ply in plies if ply is not None]
                if known:
                    found[number + 1] = min(known)
                    break
        return found


def main() -> None:
    pgnfs, large, folder, number = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]), int(sys.argv[4])
    chance = random.Random(2)
    some = drawn(large, number * 9 // 10, chance)
    some += [end_of(chance.choice(some), chance) for _ in range(number - len(some))]
    some = [annotated(game, chance) if chance.random() < 0.7 else game for game in some]
    trees = [Tree(game, chance) for game in some]
    database = folder / "trees.pgn"
    with database.open("w", encoding="utf-8") as file:
        for tree in trees:
            print(tree.root, end="\n\n", file=file)
    games = Trees(trees, chance)
    lines = sum(len(tree.lines) for tree in trees)
    print(f"{number} games with {lines} lines of {sum(map(len, sum(games.lines(False, False), [])))} positions", flush=True)
    wrong = 0

    def ask(name: str, questions: list[Question]) -> int:
        within = [question._replace(arguments=[f"{question.arguments[0]} in:variations"]) for question in questions]
        return compared(f"{name} in variations", within, pgnfs, database)

    for kind in KINDS:
        wrong += ask(kind.__name__, [alone(kind, games, chance) for _ in range(OF_ONE_KIND)])
    wrong += ask("sacrifice", [sacrifice(games, chance) for _ in range(OF_ONE_KIND)])
    wrong += ask("combined", [combined(games, chance) for _ in range(COMBINED)])
    wrong += ask("either", [either(games, chance) for _ in range(COMBINED)])
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
