"""Games that questions are asked about: drawn from a file, ends of such games, played at random, annotated."""

import random
import re
from pathlib import Path
from typing import Iterator, Optional

import chess
import chess.pgn

from oracle.games import WINNERS, Game, Line, Node, Note, ends_of, line_to
from oracle.positions import SIGNS

WORDS = ["novelty", "weak", "strong", "nothing", "better", "pin", "fork", "time", "trouble", "draw", "attack"]
# Half-moves of a variation at most, and how deep they are nested.
LONGEST, DEEPEST = 10, 3


def of_line(tags: dict[str, str], line: Line) -> Game:
    return Game(tags, [line])


def starts_in(path: Path) -> list[int]:
    """The offsets of the games of a file."""
    return [match.start() for match in re.finditer(rb"^\[Event ", path.read_bytes(), re.MULTILINE)]


def drawn(path: Path, number: int, chance: random.Random, in_order: bool = True) -> Iterator[Game]:
    """The main lines of games from all parts of a file, without comments."""
    chosen = chance.sample(starts_in(path), number)
    with path.open(encoding="utf-8") as file:
        for offset in sorted(chosen) if in_order else chosen:
            file.seek(offset)
            read = chess.pgn.read_game(file)
            assert read is not None and not read.errors, offset
            tags = {name: value for name, value in read.headers.items() if name not in ("FEN", "SetUp")}
            winner = WINNERS.get(tags["Result"], "")
            yield of_line(tags, Line(read.board(), list(read.mainline_moves()), winner=winner))


def end_of(line: Line, chance: random.Random) -> Line:
    """The end of a game, as a game from a set-up position."""
    cut = chance.randint(0, len(line.moves))
    board = line.start.copy()
    for move in line.moves[:cut]:
        board.push(move)
    # Earlier positions would count as repetitions.
    return line._replace(start=chess.Board(board.fen()), moves=line.moves[cut:])


def played_at_random(chance: random.Random) -> Line:
    """A game of Chess960, which has many promotions."""
    board = chess.Board.from_chess960_pos(chance.randrange(960))
    start, moves = board.copy(), []
    while len(moves) < 160 and not board.is_game_over():
        legal = list(board.legal_moves)
        promotions = [move for move in legal if move.promotion]
        moves.append(chance.choice(promotions or legal))
        board.push(moves[-1])
    return Line(start, moves)


def mixed(path: Path, number: int, chance: random.Random) -> list[Game]:
    """Nine of ten games of a file; the others are ends of such games, and games at random."""
    games = list(drawn(path, number * 9 // 10, chance))
    for _ in range(number // 15):
        one = chance.choice(games)
        games.append(of_line(one.tags, end_of(one.lines[0], chance)))
    for _ in range(number - len(games)):
        line = played_at_random(chance)
        games.append(of_line({"Date": f"{chance.randint(1990, 2020)}.??.??"}, line))
    chance.shuffle(games)
    return games


def note(chance: random.Random) -> Note:
    return Note(
        tuple(sorted(set(chance.choices(list(SIGNS) + [0, 22, 139, 140, 255], k=2)))) if chance.random() < 0.25 else (),
        " ".join(chance.sample(WORDS, chance.randint(1, 3))) if chance.random() < 0.3 else "",
        chance.choice([0, 9, 60, 3599, chance.randrange(9000)]) if chance.random() < 0.3 else None,
        chance.choice([0, 5, -5, 10_000, -10_000, chance.randint(-900, 900)]) if chance.random() < 0.3 else None,
    )


def annotated(game: Game, chance: random.Random) -> Game:
    """The game with annotations, in seven cases of ten."""
    if chance.random() >= 0.7:
        return game
    line = game.lines[0]
    notes = (note(chance)._replace(nags=()), *(note(chance) for _ in line.moves))
    return of_line(game.tags, line._replace(notes=notes))


class Tree:
    """A game with variations at random, also within each other."""

    def __init__(self, game: Game, chance: random.Random) -> None:
        line = game.lines[0]
        self.pgn = chess.pgn.Game({"Date": game.tags.get("Date", "")})
        self.pgn.setup(line.start)
        self.has_notes = line.notes != ()
        notes = line.notes or (Note(),) * (len(line.moves) + 1)
        node: Node = self.pgn
        self.notes: dict[Node, Note] = {node: notes[0]}
        for move, one in zip(line.moves, notes[1:]):
            node = node.add_variation(move)
            self.notes[node] = one
        self.branch(self.pgn, chance, 0)
        for node, one in self.notes.items():
            node.comment = one.comment()
            if isinstance(node, chess.pgn.ChildNode):
                node.nags.update(one.nags)
        self.game = Game({}, [line_to(end, self.notes if self.has_notes else {}) for end in ends_of(self.pgn)])

    def branch(self, node: Optional[Node], chance: random.Random, depth: int) -> None:
        while node is not None and node.variations:
            following = node.variations[0]
            others = [move for move in node.board().legal_moves if move != following.move]
            if others and chance.random() < 0.08 and depth < DEEPEST:
                self.branch(self.variation(node, chance.choice(others), chance), chance, depth + 1)
            node = following

    def variation(self, node: Node, move: chess.Move, chance: random.Random) -> Node:
        """The first node of a new variation."""
        first = other = self.add(node, move, chance)
        board = first.board()
        for _ in range(chance.randint(0, LONGEST)):
            legal = list(board.legal_moves)
            if not legal:
                break
            taking = [move for move in legal if board.is_capture(move)]
            move = chance.choice(taking if taking and chance.random() < 0.5 else legal)
            board.push(move)
            other = self.add(other, move, chance)
        return first

    def add(self, node: Node, move: chess.Move, chance: random.Random) -> Node:
        added = node.add_variation(move)
        self.notes[added] = note(chance) if self.has_notes else Note()
        return added


def write(games: list[Game], path: Path) -> None:
    """Writes the main lines of games with their tags."""
    with path.open("w", encoding="utf-8") as file:
        for number, game in enumerate(games, 1):
            line = game.lines[0]
            pgn = chess.pgn.Game({"Event": str(number), **game.tags})
            if line.start != chess.Board():
                pgn.setup(line.start)
            pgn.add_line(line.moves)
            for node, one in zip([pgn, *pgn.mainline()], line.notes):
                node.comment = one.comment()
                node.nags.update(one.nags)
            print(pgn, end="\n\n", file=file)


def write_trees(trees: list[Tree], path: Path) -> None:
    with path.open("w", encoding="utf-8") as file:
        for tree in trees:
            print(tree.pgn, end="\n\n", file=file)

