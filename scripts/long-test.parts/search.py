"""Compares the answers of `pgnfs find QUERY` with what python-chess finds, for terms about positions.

usage: search.py PGNFS LARGE.pgn FOLDER GAMES

Each question is made for a position of some game, and answered by looking at all positions of all games as 64 letters.
Mirror images are made by python-chess. All questions are asked without an index and with one.
"""

import fnmatch
import itertools
import random
import re
import sys
import time
from pathlib import Path
from typing import Callable, NamedTuple, Optional

import chess

from find import Found, Game, Note, Question, compared, drawn, end_of, played_at_random, write

# Questions with one term of each kind, and with several terms.
OF_ONE_KIND = 30
COMBINED = 150

MIRRORS = ("", "", "colour", "side", "both")
VALUES = {"P": 1, "N": 3, "B": 3, "R": 5, "Q": 9}


class Played(NamedTuple):
    """A move: the letter of its piece, its squares, and what stands behind the target; and what it takes."""

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
    move: Optional[Played | str]
    # Of the move.
    note: Note = Note()
    # Of the position, in hundredths of a pawn.
    worth: Optional[int] = None
    # How much the side to move gives up by the move for so many half-moves.
    gives: Optional[Callable[[int], int]] = None


Holds = Callable[[View], bool]


class Term(NamedTuple):
    text: str
    holds: Holds


class Group(NamedTuple):
    terms: list[list[Term]]
    least: int
    most: int
    plies: int
    # The side to move; of `player` and `opponent`, see `of_player`.
    by: str = ""
    # The most half-moves from the end of the group before it to its beginning.
    within: int = sys.maxsize
    # How much its move gives up at least, and for how many half-moves.
    gives: int = 0
    gives_for: int = 6

    def holds(self, ply: int, view: View) -> bool:
        if not self.least <= ply <= self.most or self.by[:1] not in ("", view.fields[1]):
            return False
        if self.gives and (view.gives is None or view.gives(self.gives_for) < self.gives):
            return False
        return all(any(one.holds(view) for one in alternatives) for alternatives in self.terms)

    def of_player(self, player: str, colour: bool) -> "Group":
        """The group where `w` or `b` is the player, in an image with colours exchanged or not."""
        if self.by not in ("player", "opponent"):
            return self
        is_white = (player == "w") == (self.by == "player")
        return self._replace(by="w" if is_white != colour else "b")

    def first(self, views: list[View], begin: int) -> Optional[int]:
        """The first of so many successive positions from a ply on."""
        held = 0
        for ply in range(begin, len(views)):
            held = held + 1 if self.holds(ply, views[ply]) else 0
            if held == self.plies:
                return ply - held + 1
        return None


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
    view = View(letters(board), board.epd().split(), None)
    if side:
        view.fields[2] = "any"
    if move is None or (side and is_castling):
        return view
    if move:
        move = chess.Move(move.from_square ^ turned, move.to_square ^ turned, move.promotion)
    return view._replace(move=played(board, move))


def noted(view: View, game: Game, ply: int, colour: bool) -> View:
    """A position with its annotations. Of the glyphs from 14 to 139, even ones are about White, odd ones about Black."""
    if not game.notes:
        return view
    note = game.notes[ply + 1] if ply < len(game.moves) else Note()
    worth = game.notes[ply].worth
    if colour:
        note = note._replace(nags=tuple(nag ^ 1 if 14 <= nag <= 139 else nag for nag in note.nags))
        worth = None if worth is None else -worth
    return view._replace(note=note, worth=worth)


def worth_of(view: View) -> int:
    """White's material less Black's."""
    count = view.squares.count
    return sum(value * (count(letter) - count(letter.lower())) for letter, value in VALUES.items())


def winner_in(game: Game, colour: bool) -> str:
    return {"w": "b", "b": "w"}.get(game.winner, "") if colour else game.winner


def giving(views: list[View], winner: str) -> list[View]:
    """The positions of a game, each with what its move gives up."""
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


def annotated(game: Game, chance: random.Random) -> Game:
    def note() -> Note:
        return Note(
            tuple(sorted(set(chance.choices(list(SIGNS) + [0, 22, 139, 140, 255], k=2)))) if chance.random() < 0.25 else (),
            " ".join(chance.sample(WORDS, chance.randint(1, 3))) if chance.random() < 0.3 else "",
            chance.choice([0, 9, 60, 3599, chance.randrange(9000)]) if chance.random() < 0.3 else None,
            chance.choice([0, 5, -5, 10_000, -10_000, chance.randint(-900, 900)]) if chance.random() < 0.3 else None,
        )

    start = note()._replace(nags=())
    return game._replace(notes=(start, *(note() for _ in game.moves)))


class Games:
    """All positions of some games, and of their images when these are first asked for."""

    def __init__(self, games: list[Game]) -> None:
        self.games = games
        # Of which questions are made.
        self.kinds = KINDS
        self.images: dict[tuple[bool, bool], list[list[View]]] = {}

    def views(self, colour: bool = False, side: bool = False) -> list[list[View]]:
        if (colour, side) not in self.images:
            self.images[colour, side] = [
                giving(
                    [
                        noted(image(board, move, colour, side), game, ply, colour)
                        for ply, (board, move) in enumerate(zip(game.positions(), [*game.moves, None]))
                    ],
                    winner_in(game, colour),
                )
                for game in self.games
            ]
        return self.images[colour, side]

    def players(self, _: int) -> tuple[str, str]:
        """The sides of a game that have the player's name, and those of them as whom its tags hold."""
        return "wb", "wb"

    def answer(self, groups: list[Group], excluded: list[Group], mirror: str) -> Found:
        found: Found = {}
        images = [
            [(colour, views) for views in self.views(colour, side)]
            for colour in (False, True)
            for side in (False, True)
            if (not colour or mirror in ("colour", "both")) and (not side or mirror in ("side", "both"))
        ]
        for number, views in enumerate(zip(*images), 1):
            named, held = self.players(number)
            if any(
                group.of_player(player, colour).first(image, 0) is not None
                for group in excluded
                for colour, image in views
                for player in named
            ):
                continue
            sequences = (
                sequence([group.of_player(player, colour) for group in groups], image)
                for colour, image in views
                for player in held
            )
            plies = [ply for ply in sequences if ply is not None]
            if plies:
                found[number] = min(plies)
        return found


def sequence(groups: list[Group], views: list[View]) -> Optional[int]:
    """The first position of the last group, or 0 without groups. All choices of positions are tried."""
    # The least beginning for each end of the groups so far.
    ends = {-1: 0}
    for number, group in enumerate(groups):
        holds = [group.holds(ply, view) for ply, view in enumerate(views)]
        found: dict[int, int] = {}
        for first in range(len(views)):
            if number and not any(0 < first - end <= group.within for end in ends):
                continue
            # Without `for:`, a group holds at one position.
            for end in range(first, len(views) if group.plies > 1 else first + 1):
                if not holds[end]:
                    break
                if end - first + 1 >= group.plies:
                    found[end] = min(first, found.get(end, first))
        if not found:
            return None
        ends = found
    return ends[min(ends)]


def board(view: View, chance: random.Random) -> Term:
    """A partial board that the position has, but for a sign that is sometimes changed."""
    ranks, pattern = [], ""
    is_changed = chance.random() < 0.15
    asked = chance.choice([0.08, 0.2, 0.5])
    for begin in range(0, 64, 8):
        rank = ""
        for piece in view.squares[begin : begin + 8]:
            sign, wanted = "?", "."
            if chance.random() < asked:
                own = "-" if piece == " " else piece
                kinds = [own, f"[{own}{chance.choice('KQRBNPkqrbnp-')}]"]
                if piece != " ":
                    kinds += ["!", "A" if piece.isupper() else "a"]
                sign = chance.choice(kinds)
                if is_changed and chance.random() < 0.1:
                    sign = chance.choice("KQRBNPkqrbnp-Aa!")
                inner = sign.strip("[]").replace("-", " ")
                wanted = {"!": "[^ ]", "A": "[A-Z]", "a": "[a-z]"}.get(sign, f"[{inner}]")
            rank += sign
            pattern += wanted
        ranks.append(re.sub(r"\?+", lambda run: chance.choice([run[0], str(len(run[0]))]), rank))
    compiled = re.compile(pattern)
    return Term(f"board:{'/'.join(ranks)}", lambda other: compiled.fullmatch(other.squares) is not None)


def pasted(view: View, _: random.Random) -> Term:
    """The board of a FEN, which asks for at least its pieces."""
    compiled = re.compile(view.squares.replace(" ", "."))
    return Term(f"board:{view.fields[0]}", lambda other: compiled.fullmatch(other.squares) is not None)


def pawns(view: View, _: random.Random) -> Term:
    def only(squares: str) -> str:
        return re.sub("[^Pp]", " ", squares)

    own = only(view.squares)
    return Term(f"pawns:{view.fields[0]}", lambda other: only(other.squares) == own)


def material(view: View, chance: random.Random) -> Term:
    text, ranges = "", []
    for side in ("KQRBNP", "kqrbnp"):
        others = chance.random() < 0.3
        text += side[0]
        for letter in side[1:]:
            count = view.squares.count(letter)
            kind = chance.choice(["exact", "exact", "range", "some", "any", "unnamed"])
            low, high = count, count
            if kind == "range":
                low, high = max(0, count - 1), count + chance.randint(0, 1)
                text += f"{letter}{low}-{high}"
            elif kind == "some" and count:
                low, high = 1, 64
                text += f"{letter}+"
            elif kind == "any":
                low, high = 0, 64
                text += f"{letter}*"
            elif kind == "unnamed" and others:
                low, high = 0, 64
            elif count or others:
                text += chance.choice([f"{letter}{count}", letter * count]) if count else f"{letter}0"
            ranges.append((letter, low, high))
        if others:
            text += " * "

    def holds(other: View) -> bool:
        return all(low <= other.squares.count(letter) <= high for letter, low, high in ranges)

    return Term(f'material:"{text.strip()}"', holds)


def diff(view: View, chance: random.Random) -> Term:
    def worth(other: View) -> int:
        count = other.squares.count
        return sum(value * (count(letter) - count(letter.lower())) for letter, value in VALUES.items())

    own = worth(view)
    low, high = own - chance.randint(0, 1), own + chance.randint(0, 1)
    if chance.random() < 0.3:
        return Term(f"diff:{max(low, 1)}..", lambda other: worth(other) >= max(low, 1))
    text = str(low) if low == high else f"{low}..{high}"
    return Term(f"diff:{text}", lambda other: low <= worth(other) <= high)


def fen(view: View, chance: random.Random) -> Term:
    number = chance.choice([1, 2, 3, 4, 4])
    own = view.fields[:number]
    is_name = chance.random() < 0.5
    text = "_".join(own).replace("/", "-") if is_name else " ".join(own)

    def holds(other: View) -> bool:
        same = [a == b or b == "any" for a, b in zip(own, other.fields)]
        return all(same)

    return Term(f"fen:{text}" if is_name else f'fen:"{text}"', holds)


def move(view: View, chance: random.Random) -> Term:
    own = view.move
    if own is None:
        return diff(view, chance)
    if isinstance(own, str):
        bare = own.rstrip("+#")
        text = chance.choice([own, bare])

        def castles(other: View) -> bool:
            signs = (other.move, other.move.rstrip("+#"), other.move.replace("#", "+")) if isinstance(other.move, str) else ()
            return text in signs

        return Term(f"played:{text}", castles)
    has_sign, either = own.sign != "" and chance.random() < 0.5, chance.random() < 0.4
    origin = chance.choice(["", "", own.origin[0], own.origin[1], own.origin])
    if own.piece == "P":
        origin = own.origin[0] if own.takes and chance.random() < 0.7 else ""
    piece = "" if own.piece == "P" else own.piece
    takes = "*" if either else "x" if own.takes else ""
    if either:
        # A pattern has the piece and its whole origin.
        file = origin if len(origin) == 1 and origin.isalpha() else "?"
        rank = origin if len(origin) == 1 and origin.isdigit() else "?"
        piece, origin = own.piece, origin if len(origin) == 2 else file + rank
    text = piece + origin + takes + own.target + own.promotion + (own.sign if has_sign else "")

    def holds(other: View) -> bool:
        if not isinstance(other.move, Played):
            return False
        piece, start, target, takes, promotion, sign, _ = other.move
        return (
            (piece, target, promotion) == (own.piece, own.target, own.promotion)
            and (either or takes == own.takes)
            and (either and fnmatch.fnmatchcase(start, origin) or start == origin or origin in ("", start[0], start[1]))
            # A check may be mate.
            and (not has_sign or sign == own.sign or own.sign == "+" and sign == "#")
        )

    return Term(f"played:{text}", holds)


def squares(view: View) -> list[tuple[str, int, int]]:
    """The pieces with their files and ranks, from 0."""
    return [(piece, place % 8, 7 - place // 8) for place, piece in enumerate(view.squares) if piece != " "]


def count(view: View, kind: str, side: str) -> int:
    """The number of pawns of a kind: what each of them sees on its file and the files beside."""
    own = [(file, rank) for piece, file, rank in squares(view) if piece == ("P" if side == "white" else "p")]
    others = [(file, rank) for piece, file, rank in squares(view) if piece == ("p" if side == "white" else "P")]
    ahead = 1 if side == "white" else -1

    def counts(file: int, rank: int) -> bool:
        before = [(other, (place - rank) * ahead > 0) for other, place in own]
        if kind == "passed":
            return not any(abs(other - file) <= 1 and (place - rank) * ahead > 0 for other, place in others)
        if kind == "isolated":
            return not any(abs(other - file) == 1 for other, _ in own)
        return kind == "pawns" or (file, True) in before

    return sum(counts(file, rank) for file, rank in own)


def number_of_pawns(view: View, chance: random.Random) -> Term:
    kind, side = chance.choice(["pawns", "passed", "isolated", "doubled"]), chance.choice(["white", "black"])
    own = count(view, kind, side)
    low, high = chance.choice([(own, own), (own, sys.maxsize), (0, own), (max(0, own - 1), own + 1)])
    text = str(low) if low == high else f"{low}.." if high == sys.maxsize else f"{low}..{high}"
    return Term(f"{side}_{kind}:{text}", lambda other: low <= count(other, kind, side) <= high)


def nag(view: View, chance: random.Random) -> Term:
    own = chance.choice(view.note.nags or [*SIGNS, 23, 138])
    text = chance.choice([SIGNS.get(own, f"${own}"), str(own)])
    # $0 says nothing.
    return Term(f"nag:{text}", lambda other: own > 0 and own in other.note.nags)


def comment(view: View, chance: random.Random) -> Term:
    own = view.note.words.split() or WORDS
    begun = [word[: chance.randint(2, len(word))] for word in chance.sample(own, min(len(own), chance.choice([1, 1, 2])))]

    def holds(other: View) -> bool:
        return all(any(word.startswith(one) for word in other.note.words.split()) for one in begun)

    return Term(f'comment:"{" ".join(begun)}"', holds)


def clock(view: View, chance: random.Random) -> Term:
    own = view.note.clock if view.note.clock is not None else chance.choice([0, 60, 5000])
    low, high = chance.choice([(own, own), (0, own), (own, sys.maxsize), (own - 5, own + 5)])
    text = str(low) if low == high else f"{low}.." if high == sys.maxsize else f"{low}..{high}"
    return Term(f"clock:{text}", lambda other: other.note.clock is not None and low <= other.note.clock <= high)


def evaluation(view: View, chance: random.Random) -> Term:
    own = view.worth if view.worth is not None else chance.choice([0, 100, 10_000])
    low, high = chance.choice([(own, own), (-sys.maxsize, own), (own, sys.maxsize), (own - 50, own + 50)])
    ends = ["" if abs(end) == sys.maxsize else f"{end / 100:g}" for end in (low, high)]
    text = ends[0] if low == high else "..".join(ends)
    return Term(f"eval:{text}", lambda other: other.worth is not None and low <= other.worth <= high)


SIGNS = {1: "!", 2: "?", 3: "!!", 4: "??", 5: "!?", 6: "?!", 10: "=", 14: "+=", 15: "=+", 16: "+/-", 17: "-/+", 18: "+-", 146: "N"}
WORDS = ["novelty", "weak", "strong", "nothing", "better", "pin", "fork", "time", "trouble", "draw", "attack"]


def bishops(view: View, chance: random.Random) -> Term:
    def colours(other: View) -> list[int]:
        """The colours of the bishops' squares, if each side has one bishop."""
        found = {piece: (file + rank) % 2 for piece, file, rank in squares(other) if piece in "Bb"}
        return list(found.values()) if len(found) == 2 == sum(map(other.squares.count, "Bb")) else []

    own = colours(view)
    are_same = len(set(own)) == 1 if own else chance.random() < 0.5
    return Term(
        f"bishops:{'same' if are_same else 'opposite'}",
        lambda other: len(colours(other)) == 2 and (len(set(colours(other))) == 1) == are_same,
    )


def state(view: View, chance: random.Random) -> Term:
    """What python-chess says of the position itself, which is kept by its text."""

    def states(other: View) -> str:
        key = " ".join(other.fields)
        if key not in STATES:
            place = chess.Board(" ".join([*(field.replace("any", "-") for field in other.fields[:4]), "0 1"]))
            legal = any(place.legal_moves)
            STATES[key] = ("check" if legal else "mate") if place.is_check() else "" if legal else "stalemate"
        return STATES[key]

    own = states(view) or chance.choice(["check", "mate", "stalemate"])
    # A mate is a check.
    return Term(f"is:{own}", lambda other: states(other) == own or own == "check" and states(other) == "mate")


STATES: dict[str, str] = {}

def pattern(view: View, chance: random.Random) -> Term:
    """The full form of the move with some signs replaced."""
    if not isinstance(view.move, Played):
        return move(view, chance)
    form = chance.choice(view.move.forms())
    signs = list(form)
    for _ in range(chance.randint(1, 3)):
        begin = chance.choice([place for place, sign in enumerate(signs) if sign != "*"] or [0])
        if chance.random() < 0.6:
            signs[begin : begin + chance.randint(0, 5)] = ["*"]
        else:
            signs[begin] = "?"
    text = "".join(signs)
    if "*" not in text and "?" not in text or text == "?":
        text = f"{form}*"
    says_of_check = text[-1] in "*+#"
    compiled = re.compile(re.escape(text).replace(r"\*", ".*").replace(r"\?", "."))
    if not says_of_check and not compiled.fullmatch(view.move.forms()[0]):
        # Its last sign stood for that of a check.
        return move(view, chance)

    def holds(other: View) -> bool:
        if isinstance(other.move, Played):
            bare, *with_sign = other.move.forms()
            forms = with_sign if with_sign and says_of_check else [bare]
        elif other.move in (None, "null"):
            return False
        else:
            bare, sign = other.move.rstrip("+#"), other.move.lstrip("O-")
            place = other.squares.index("K" if other.fields[1] == "w" else "k")
            king = f"{chess.FILE_NAMES[place % 8]}{8 - place // 8}"
            squares = f"K{king}-{'g' if bare == 'O-O' else 'c'}{king[1]}"
            ends = {sign, sign.replace("#", "+")} if says_of_check else {""}
            forms = [one + end for one in (bare, squares) for end in ends]
        return any(compiled.fullmatch(form) for form in forms)

    return Term(f"played:{text}", holds)


KINDS = (board, pasted, pawns, material, diff, fen, move, pattern, number_of_pawns, bishops, state, nag, comment, clock, evaluation)


def sacrifice(games: Games, chance: random.Random) -> Question:
    gives, gives_for = chance.choice([1, 2, 3, 4, 5, 8]), chance.choice([1, 2, 6, 6, 6, 12])
    by = chance.choice(["", "white", "black"])
    texts = [f"sacrifice:{gives}..", *([f"for:{gives_for}"] if gives_for != 6 else []), *([f"by:{by}"] if by else [])]
    group = Group([], 0, sys.maxsize, 1, by, gives=gives, gives_for=gives_for)
    return Question([" ".join(texts)], games.answer([group], [], ""))


def usual(games: Games) -> list[Game]:
    """Those that begin with a move from the normal position."""
    return [game for game in games.games if game.start == chess.Board() and any(game.moves[:1])]


def line(games: Games, chance: random.Random) -> Question:
    game = chance.choice(usual(games))
    moves = game.moves[: chance.randint(1, min(30, len(game.moves)))]
    moves = list(itertools.takewhile(bool, moves))
    reached = chess.Board()
    text = reached.variation_san(moves)
    for one in moves:
        reached.push(one)
    if chance.random() < 0.5:
        text = re.sub(r"\d+\.+ ?", "", text).replace(" ", ",")
    own = reached.epd().split()
    group = Group([[Term("", lambda view: view.fields == own)]], 0, sys.maxsize, 1)
    return Question([f'line:"{text}"'], games.answer([group], [], ""))


def somewhere(games: Games, chance: random.Random) -> tuple[int, int]:
    """A game and a ply of it."""
    number = chance.randrange(len(games.games))
    return number, chance.randint(0, len(games.games[number].moves))


def alone(kind: Callable[[View, random.Random], Term], games: Games, chance: random.Random) -> Question:
    number, ply = somewhere(games, chance)
    term = kind(games.views()[number][ply], chance)
    return Question([term.text], games.answer([Group([[term]], 0, sys.maxsize, 1)], [], ""))


def group_at(
    games: Games, number: int, ply: int, chance: random.Random, movers: tuple[str, ...]
) -> tuple[Group, str]:
    """A group that holds at a position, unless a term was changed."""
    view = games.views()[number][ply]
    terms, texts = [], []
    for _ in range(chance.choice([1, 1, 2])):
        kind = chance.choice(games.kinds)
        alternatives = [kind(view, chance)]
        if kind in (pawns, pasted) and chance.random() < 0.3:
            other = games.views()[number]
            alternatives.append(kind(chance.choice(other), chance))
        texts.append("|".join([alternatives[0].text, *(one.text.split(":", 1)[1] for one in alternatives[1:])]))
        terms.append(alternatives)
    least, most, plies = 0, sys.maxsize, 1
    if chance.random() < 0.25:
        least = max(0, ply - chance.randint(0, 8))
        texts.append(f"ply:{least}..")
        if chance.random() < 0.5:
            most = ply + chance.randint(0, 8)
            texts[-1] += str(most)
    by, gives, gives_for = "", 0, 6
    if chance.random() < 0.1:
        # Something that the side has less for some time.
        gives, gives_for = chance.choice([1, 1, 2, 3]), chance.choice([6, 6, 3, 9])
        texts.append(f"sacrifice:{gives}..")
        if gives_for != 6 or chance.random() < 0.5:
            texts.append(f"for:{gives_for}")
        if chance.random() < 0.5:
            by = chance.choice(["white", "black", *movers])
            texts.append(f"by:{by}")
    elif chance.random() < 0.25:
        plies = chance.randint(2, 6)
        texts.append(f"for:{plies}")
    elif chance.random() < 0.4:
        mover = "white" if (view.fields[1] == "w") != (chance.random() < 0.2) else "black"
        by = chance.choice([mover, mover, *movers])
        texts.append(f"by:{by}")
    chance.shuffle(texts)
    group = Group(terms, least, most, plies, by, gives=gives, gives_for=gives_for)
    return group, " ".join(texts)


class Part(NamedTuple):
    """A query, or a side of a choice."""

    text: str
    answer: Found
    # The plies are those of groups.
    has_groups: bool


def combined(
    games: Games, chance: random.Random, mirrors: tuple[str, ...] = MIRRORS, movers: tuple[str, ...] = ()
) -> Question:
    text, answer, _ = part(games, chance, chance.choice(mirrors), movers)
    return Question([text], answer)


def part(games: Games, chance: random.Random, mirror: str, movers: tuple[str, ...]) -> Part:
    number, _ = somewhere(games, chance)
    last = len(games.games[number].moves)
    plies = {chance.randint(0, last) for _ in range(chance.choice([0, 1, 1, 2, 2, 3]))}
    # Some groups follow each other at once.
    plies |= {ply + 1 for ply in plies if ply < last and chance.random() < 0.3}
    groups, texts, joins = [], [], []
    for ply in sorted(plies):
        group, text = group_at(games, number, ply, chance, movers)
        join = "then"
        if groups and chance.random() < 0.5:
            distance = max(1, ply - before + chance.randint(-2, 3))
            join = "next" if chance.random() < 0.5 else "then"
            if join == "then":
                text = f"{text} within:{distance}"
            group = group._replace(within=1 if join == "next" else distance)
        before = ply
        groups.append(group)
        texts.append(text)
        joins.append(join)
    excluded = []
    if not groups or chance.random() < 0.25:
        number, ply = somewhere(games, chance)
        term = chance.choice(games.kinds)(games.views()[number][ply], chance)
        # The plies and the side of the group in which it stands hold for it, too.
        inside = groups[0] if groups else Group([], 0, sys.maxsize, 1)
        if not groups and chance.random() < 0.5:
            inside = inside._replace(by=chance.choice(["white", "black", *movers]))
            texts = [f"by:{inside.by}"]
        excluded.append(Group([[term]], inside.least, inside.most, 1, inside.by))
        texts = [" ".join([f"-{term.text}", *texts[:1]]), *texts[1:]]
    if mirror:
        texts[-1] += f" mirror:{mirror}"
    query = texts[0] + "".join(f" {join} {text}" for join, text in zip(joins[1:], texts[1:]))
    return Part(query, games.answer(groups, excluded, mirror), groups != [])


def either(games: Games, chance: random.Random) -> Question:
    """Choices within each other, each beside terms for positions."""
    mirror = chance.choice(MIRRORS)
    inside = with_choice(games, chance, mirror, 0)
    return Question([inside.text + (f" mirror:{mirror}" if mirror else "")], inside.answer)


def with_choice(games: Games, chance: random.Random, mirror: str, depth: int) -> Part:
    def side() -> Part:
        if depth < 3 and chance.random() < 0.25:
            return with_choice(games, chance, mirror, depth + 1)
        text, *others = part(games, chance, mirror, ())
        return Part(text.removesuffix(f" mirror:{mirror}"), *others)

    sides = [side() for _ in range(chance.choice([1, 2, 2, 3]))]
    is_negated = chance.random() < 0.25
    least: Found = {}
    for one in sides:
        least = {game: min(found.get(game, sys.maxsize) for found in (least, one.answer)) for game in {*least, *one.answer}}
    text = f"{'-' * is_negated}( {' | '.join(one.text for one in sides)} )"
    has_groups = not is_negated and any(one.has_groups for one in sides)
    if is_negated:
        answer = {number: 0 for number in range(1, len(games.games) + 1) if number not in least}
    else:
        answer = least if has_groups else dict.fromkeys(least, 0)
    # At the top, something with a mirror image must be asked.
    if chance.random() < 0.4:
        beside, found, gives_ply = part(games, chance, mirror, ())
        beside = beside.removesuffix(f" mirror:{mirror}")
        plies = found if gives_ply else answer
        answer = {game: plies[game] for game in answer if game in found}
        return Part(f"{text} {beside}", answer, has_groups or gives_ply)
    return Part(text, answer, has_groups)


def main() -> None:
    pgnfs, large, folder, number = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]), int(sys.argv[4])
    chance = random.Random(1)
    begin = time.monotonic()
    some = drawn(large, number * 9 // 10, chance)
    some += [end_of(chance.choice(some), chance) for _ in range(number // 15)]
    some += [played_at_random(chance) for _ in range(number - len(some))]
    chance.shuffle(some)
    some = [annotated(game, chance) if chance.random() < 0.7 else game for game in some]
    database = folder / "games.pgn"
    write(some, database)
    games = Games(some)
    positions = sum(len(views) for views in games.views())
    print(f"python-chess reached {positions} positions of {number} games", end=" ")
    print(f"in {time.monotonic() - begin:.0f} s", flush=True)
    wrong = 0
    for kind in KINDS:
        questions = [alone(kind, games, chance) for _ in range(OF_ONE_KIND)]
        wrong += compared(kind.__name__, questions, pgnfs, database)
    wrong += compared("sacrifice", [sacrifice(games, chance) for _ in range(OF_ONE_KIND)], pgnfs, database)
    wrong += compared("line", [line(games, chance) for _ in range(OF_ONE_KIND)], pgnfs, database)
    wrong += compared("combined", [combined(games, chance) for _ in range(COMBINED)], pgnfs, database)
    wrong += compared("either", [either(games, chance) for _ in range(COMBINED)], pgnfs, database)
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
