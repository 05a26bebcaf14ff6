"""Games as python-chess has them: their lines, and the positions of these in all mirrors."""

import logging
import re
import unicodedata
from typing import Callable, Iterator, NamedTuple, Optional, TextIO

import chess
import chess.pgn

Node = chess.pgn.GameNode
VALUES = {"P": 1, "N": 3, "B": 3, "R": 5, "Q": 9}
WINNERS = {"1-0": "w", "0-1": "b"}
# Letters that are written without accents although they have no decomposition.
LETTERS = {"ß": "ss", "ẞ": "ss", "ø": "o", "Ø": "o", "ł": "l", "Ł": "l", "đ": "d", "Đ": "d"}
LETTERS |= {"æ": "ae", "Æ": "ae", "œ": "oe", "Œ": "oe", "ı": "i"}


class Note(NamedTuple):
    """Annotations after a move, or before the first one."""

    nags: tuple[int, ...] = ()
    # The words of all comments, folded but for letters that are written in two ways.
    words: str = ""
    # Seconds, and hundredths of a pawn or 10,000 for a mate.
    clock: Optional[int] = None
    worth: Optional[int] = None

    def comment(self) -> str:
        parts = [self.words]
        if self.clock is not None:
            parts.append(f"[%clk {self.clock // 3600}:{self.clock // 60 % 60:02}:{self.clock % 60:02}]")
        if self.worth is not None:
            mate = f"#{self.worth // 5000}"
            parts.append(f"[%eval {mate if abs(self.worth) == 10_000 else format(self.worth / 100, '.2f')}]")
        return " ".join(filter(None, parts))


class Line(NamedTuple):
    """The moves from the first one to the end of the game or of a variation."""

    start: chess.Board
    moves: list[chess.Move]
    # Before the first move and after each.
    notes: tuple[Note, ...] = ()
    # `w` or `b` by the result, of the main line.
    winner: str = ""

    def positions(self) -> Iterator[chess.Board]:
        """One board, which changes."""
        board = self.start.copy()
        yield board
        for move in self.moves:
            board.push(move)
            yield board


class Played(NamedTuple):
    """A move: the letter of its piece, its squares, and what stands on the target; and what it takes."""

    piece: str
    origin: str
    target: str
    takes: bool
    promotion: str
    sign: str
    taken: str

    def forms(self) -> list[str]:
        """The full form without and with its sign; mate is a check, too."""
        takes = f"x{self.taken}" if self.takes else "-"
        bare = f"{self.piece}{self.origin}{takes}{self.target}{self.promotion}"
        return [bare, *({bare + self.sign, bare + self.sign.replace("#", "+")} if self.sign else ())]


class View(NamedTuple):
    """A position, from a8 to h1, with the move that is played in it: None at the end, and text for castling."""

    squares: str
    fields: list[str]
    move: Optional[Played | str] = None
    uci: Optional[str] = None
    # Of the move.
    note: Note = Note()
    # Of the position, in hundredths of a pawn.
    worth: Optional[int] = None
    # How much the side to move gives up by the move for so many half-moves.
    gives: Optional[Callable[[int], int]] = None


class Game:
    """A game. Its lines are the main line, then those of the variations in the order in which these end in the text."""

    def __init__(self, tags: dict[str, str], lines: list[Line], comments: Optional[list[str]] = None) -> None:
        self.tags, self.lines = tags, lines
        # Each with what programs keep in it, such as times.
        self.comments = comments or []
        self.kept: dict[tuple[bool, bool], list[list[View]]] = {}

    def views(self, colour: bool = False, side: bool = False, all_lines: bool = False) -> list[list[View]]:
        """The positions of the main line, or of all lines."""
        kept = self.kept.setdefault((colour, side), [])
        for line in self.lines[len(kept) : len(self.lines) if all_lines else 1]:
            kept.append(views_of(line, colour, side))
        return kept if all_lines else kept[:1]

    def forget_mirrors(self) -> None:
        self.kept = {image: views for image, views in self.kept.items() if not any(image)}


def views_of(line: Line, colour: bool, side: bool) -> list[View]:
    views = []
    for ply, (board, move) in enumerate(zip(line.positions(), [*line.moves, None])):
        views.append(noted(image(board, move, colour, side), line, ply, colour))
    return giving(views, {"w": "b", "b": "w"}.get(line.winner, "") if colour else line.winner)


def letters(board: chess.Board) -> str:
    symbols = (board.piece_at(square) for square in chess.SQUARES_180)
    return "".join(piece.symbol() if piece else " " for piece in symbols)


def played(board: chess.Board, move: chess.Move) -> Played | str:
    if not move:
        return "null"
    san = board.san(move)
    sign = san[-1] if san[-1] in "+#" else ""
    if board.is_castling(move):
        return san
    piece = chess.piece_symbol(board.piece_type_at(move.from_square) or 0).upper()
    promotion = f"={chess.piece_symbol(move.promotion).upper()}" if move.promotion else ""
    origin, target = chess.square_name(move.from_square), chess.square_name(move.to_square)
    taken = "p" if board.is_en_passant(move) else chess.piece_symbol(board.piece_type_at(move.to_square) or 1)
    return Played(piece, origin, target, board.is_capture(move), promotion, sign, taken)


def image(board: chess.Board, move: Optional[chess.Move], colour: bool, side: bool) -> View:
    """A position and its move in a mirror; without castling where files are exchanged."""
    is_castling = move is not None and board.is_castling(move)
    turned = 0
    if colour:
        board, turned = board.mirror(), turned ^ 56
    if side:
        board, turned = board.transform(chess.flip_horizontal), turned ^ 7
        board.castling_rights = chess.BB_EMPTY
    view = View(letters(board), board.epd().split())
    if side:
        view.fields[2] = "any"
    if move is None or (side and is_castling):
        return view
    if move:
        move = chess.Move(move.from_square ^ turned, move.to_square ^ turned, move.promotion)
    return view._replace(move=played(board, move), uci=move.uci())


def noted(view: View, line: Line, ply: int, colour: bool) -> View:
    """A position with its annotations. Of the glyphs from 14 to 139, even ones are about White, odd ones about Black."""
    if not line.notes:
        return view
    note = line.notes[ply + 1] if ply < len(line.moves) else Note()
    worth = line.notes[ply].worth
    if colour:
        note = note._replace(nags=tuple(nag ^ 1 if 14 <= nag <= 139 else nag for nag in note.nags))
        worth = None if worth is None else -worth
    return view._replace(note=note, worth=worth)


def worth_of(view: View) -> int:
    """White's material less Black's."""
    count = view.squares.count
    return sum(value * (count(letter) - count(letter.lower())) for letter, value in VALUES.items())


def giving(views: list[View], winner: str) -> list[View]:
    """The positions of a line, each with what its move gives up."""
    worth = [worth_of(view) for view in views]
    last = [field.replace("any", "-") for field in views[-1].fields[:4]]
    is_mate = chess.Board(" ".join(last)).is_checkmate()

    def gives(ply: int) -> Callable[[int], int]:
        side = 1 if views[ply].fields[1] == "w" else -1
        before = min(side * worth[earlier] for earlier in (ply, ply - 2, ply - 4) if earlier >= 0)

        def amount(plies: int) -> int:
            after = worth[ply + 2 : ply + 2 + plies]
            turn = views[ply].fields[1]
            wins = turn == winner or is_mate and last[1] != turn
            if not after or len(after) < plies and not wins:
                return -100
            return before - max(side * one for one in after)

        return amount

    return [view._replace(gives=gives(ply) if view.move else None) for ply, view in enumerate(views)]


def words(text: str) -> str:
    """The words of a text in small letters without accents."""
    plain = unicodedata.normalize("NFKD", "".join(LETTERS.get(letter, letter) for letter in text))
    small = "".join(letter for letter in plain if not unicodedata.category(letter).startswith("M")).lower()
    return " ".join("".join(letter if letter.isalnum() else " " for letter in small).split())


# Letters that are also written as two.
TWO_WAYS = {"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "ø": "oe"}


def long_words(text: str) -> str:
    """The words of a text with two letters for those that are also written so."""
    return words("".join(TWO_WAYS.get(letter, letter) for letter in unicodedata.normalize("NFC", text.lower())))


def kept_words(text: str) -> str:
    """The words of a text in small letters without accents, except on the letters that are also written as two."""

    def kept(letter: str) -> str:
        is_mark = unicodedata.category(letter).startswith("M")
        return letter if letter in TWO_WAYS else "" if is_mark else words(letter) or " "

    return " ".join("".join(map(kept, unicodedata.normalize("NFC", text.lower()))).split())


def begins_words(wanted: str, text: str) -> bool:
    """Whether each word of a query is the beginning of a word of a text."""
    writings = [f" {words(text)}", f" {long_words(text)}"]
    each = zip(words(wanted).split(), long_words(wanted).split())
    return all(any(f" {one}" in writing for one in ways for writing in writings) for ways in each)


class Reader(chess.pgn.GameBuilder[chess.pgn.Game]):
    """Keeps each comment by itself."""

    def begin_game(self) -> None:
        super().begin_game()
        self.comments: dict[Node, list[str]] = {}

    def visit_comment(self, comment: str) -> None:
        node = self.variation_stack[-1]
        before = node.comment
        super().visit_comment(comment)
        # A comment before the first move of a variation is about no move.
        if node.comment != before:
            self.comments.setdefault(node, []).append(comment)

    def result(self) -> tuple[Optional["Game"]]:  # type: ignore[override]
        # No result at all is the end of the text.
        return (game_of(self.game, self.comments),)


def read(text: TextIO) -> Iterator[Optional[Game]]:
    """The games of a PGN text. `None` is one that python-chess cannot read, or that has an impossible start position."""
    logging.getLogger("chess.pgn").setLevel(logging.CRITICAL)
    while (found := chess.pgn.read_game(text, Visitor=Reader)) is not None:
        yield found[0]


def game_of(game: chess.pgn.Game, comments: dict[Node, list[str]]) -> Optional[Game]:
    try:
        start = game.board()
    except ValueError:
        return None
    if game.errors or not start.is_valid():
        return None
    unit = counts_hundredths(game)
    notes = {node: note_of(node, comments.get(node, []), unit) for node in nodes_of(game)}
    winner = WINNERS.get(game.headers.get("Result", "*"), "")
    lines = [line_to(end, notes, "" if place else winner) for place, end in enumerate(ends_of(game))]
    return Game(dict(game.headers), lines, [one for node in nodes_of(game) for one in comments.get(node, [])])


def nodes_of(root: Node) -> Iterator[Node]:
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += node.variations


def ends_of(root: Node) -> Iterator[Node]:
    """The last node of each line."""

    def of_variations(node: Node) -> Iterator[Node]:
        while node.variations:
            for other in node.variations[1:]:
                yield from of_variations(other)
                yield other.end()
            node = node.variations[0]

    yield root.end()
    yield from of_variations(root)


def line_to(end: Node, notes: dict[Node, Note], winner: str = "") -> Line:
    nodes = [end]
    while nodes[-1].parent is not None:
        nodes.append(nodes[-1].parent)
    nodes.reverse()
    moves = [node.move for node in nodes[1:] if isinstance(node, chess.pgn.ChildNode)]
    return Line(nodes[0].board(), moves, tuple(notes[node] for node in nodes) if notes else (), winner)


def counts_hundredths(game: chess.pgn.Game) -> bool:
    """Whether all evaluations of a game are hundredths of a pawn: one has a depth, and none a decimal point."""
    found = [found for node in nodes_of(game) for found in re.findall(r"\[%eval ([+-]?[\d.]+)(,\d+)?\]", node.comment)]
    return any(depth for _, depth in found) and not any("." in number for number, _ in found)


def note_of(node: Node, comments: list[str], hundredths: bool) -> Note:
    nags = tuple(sorted(nag for nag in node.nags if 0 < nag < 256))
    own = " ".join(kept_words(comment) for comment in comments if not comment.startswith("pgnfs:"))
    return Note(nags, own, seconds_left(node), worth_in(node, hundredths))


def seconds_left(node: Node) -> Optional[int]:
    """The time on the clock, of which hours and minutes may be left out. python-chess wants them all."""
    time_left = re.search(r"\[%clk\s+((?:\d+:){0,2}\d+)(?:\.\d*)?\s*\]", node.comment)
    parts = time_left[1].split(":") if time_left else []
    return sum(int(part) * 60**place for place, part in enumerate(reversed(parts))) if parts else None


def worth_in(node: Node, hundredths: bool) -> Optional[int]:
    """Hundredths of a pawn, which python-chess takes for pawns where a game counts them."""
    integer = re.search(r"\[%eval ([+-]?\d+)(,\d+)?\]", node.comment)
    if integer and hundredths:
        return int(integer[1])
    score = node.eval()
    if score is None:
        return None
    mate = score.white().mate()
    return score.white().score() if mate is None else 10_000 if mate > 0 else -10_000
