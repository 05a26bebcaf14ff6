"""Queries about positions, made from positions of some games: most of them have an answer, and some are changed.

Only texts are made here; what they mean is in oracle/.
"""

import itertools
import random
import re
from typing import Callable

import chess

from made import WORDS
from oracle.games import Game, Line, Played, View, worth_of
from oracle.positions import SIGNS, bishops_of, count_of_pawns, state_of

# Questions with one term of each kind, and with several terms.
OF_ONE_KIND = 30
COMBINED = 150

MIRRORS = ("", "", "colour", "side", "both")

Kind = Callable[[View, random.Random], str]


INFINITE = float("inf")


def ends(low: float, high: float, scale: float = 1) -> str:
    """A range in which an end may be infinite."""
    texts = ["" if abs(end) == INFINITE else f"{end / scale:g}" for end in (low, high)]
    return texts[0] if low == high else "..".join(texts)


def board(view: View, chance: random.Random) -> str:
    """A partial board that the position has, but for a sign that is sometimes changed."""
    ranks = []
    is_changed = chance.random() < 0.15
    asked = chance.choice([0.08, 0.2, 0.5])
    for begin in range(0, 64, 8):
        rank = ""
        for piece in view.squares[begin : begin + 8]:
            sign = "?"
            if chance.random() < asked:
                own = "-" if piece == " " else piece
                kinds = [own, f"[{own}{chance.choice('KQRBNPkqrbnp-')}]"]
                if piece != " ":
                    kinds += ["!", "A" if piece.isupper() else "a"]
                sign = chance.choice(kinds)
                if is_changed and chance.random() < 0.1:
                    sign = chance.choice("KQRBNPkqrbnp-Aa!")
            rank += sign
        ranks.append(re.sub(r"\?+", lambda run: chance.choice([run[0], str(len(run[0]))]), rank))
    return f"board:{'/'.join(ranks)}"


def pasted(view: View, _: random.Random) -> str:
    """The board of a FEN, which asks for at least its pieces."""
    return f"board:{view.fields[0]}"


def pawns(view: View, _: random.Random) -> str:
    return f"pawns:{view.fields[0]}"


def material(view: View, chance: random.Random) -> str:
    text = ""
    for side in ("KQRBNP", "kqrbnp"):
        others = chance.random() < 0.3
        text += side[0]
        for letter in side[1:]:
            count = view.squares.count(letter)
            kind = chance.choice(["exact", "exact", "range", "some", "any", "unnamed"])
            if kind == "range":
                text += f"{letter}{max(0, count - 1)}-{count + chance.randint(0, 1)}"
            elif kind == "some" and count:
                text += f"{letter}+"
            elif kind == "any":
                text += f"{letter}*"
            elif kind == "unnamed" and others:
                pass
            elif count or others:
                text += chance.choice([f"{letter}{count}", letter * count]) if count else f"{letter}0"
        if others:
            text += " * "
    return f'material:"{text.strip()}"'


def diff(view: View, chance: random.Random) -> str:
    own = worth_of(view)
    low, high = own - chance.randint(0, 1), own + chance.randint(0, 1)
    if chance.random() < 0.3:
        return f"diff:{max(low, 1)}.."
    return f"diff:{ends(low, high)}"


def imbalance(view: View, chance: random.Random) -> str:
    letters = "QRBN" + "P" * (chance.random() < 0.4)
    more = {letter: view.squares.count(letter) - view.squares.count(letter.lower()) for letter in letters}
    white = "".join(letter * max(0, count) for letter, count in more.items())
    black = "".join(letter * max(0, -count) for letter, count in more.items())
    if not white or not black:
        white, black = chance.choice([("R", "BN"), ("N", "B"), ("RR", "Q"), ("RP", "BN")])
    return f"imbalance:{white}v{chance.choice([black, black.lower()])}"


def fen(view: View, chance: random.Random) -> str:
    own = view.fields[: chance.choice([1, 2, 3, 4, 4])]
    if chance.random() < 0.5:
        return f"fen:{'_'.join(own).replace('/', '-')}"
    return f'fen:"{" ".join(own)}"'


def move(view: View, chance: random.Random) -> str:
    own = view.move
    if own is None:
        return diff(view, chance)
    if isinstance(own, str):
        return f"played:{chance.choice([own, own.rstrip('+#')])}"
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
    return f"played:{piece}{origin}{takes}{own.target}{own.promotion}{own.sign if has_sign else ''}"


def pattern(view: View, chance: random.Random) -> str:
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
    if text[-1] not in "*+#":
        matches = re.escape(text).replace(r"\*", ".*").replace(r"\?", ".")
        if not re.fullmatch(matches, view.move.forms()[0]):
            # Its last sign stood for that of a check.
            return move(view, chance)
    return f"played:{text}"


def number_of_pawns(view: View, chance: random.Random) -> str:
    kind, side = chance.choice(["pawns", "passed", "isolated", "doubled"]), chance.choice(["white", "black"])
    own = count_of_pawns(view, side, kind)
    low, high = chance.choice([(own, own), (own, INFINITE), (0, own), (max(0, own - 1), own + 1)])
    return f"{side}_{kind}:{ends(low, high)}"


def bishops(view: View, chance: random.Random) -> str:
    own = bishops_of(view)
    are_same = len(set(own)) == 1 if own else chance.random() < 0.5
    return f"bishops:{'same' if are_same else 'opposite'}"


def state(view: View, chance: random.Random) -> str:
    return f"is:{state_of(view) or chance.choice(['check', 'mate', 'stalemate'])}"


def nag(view: View, chance: random.Random) -> str:
    own = chance.choice(view.note.nags or [*SIGNS, 23, 138])
    return f"nag:{chance.choice([SIGNS.get(own, f'${own}'), str(own)])}"


def comment(view: View, chance: random.Random) -> str:
    own = view.note.words.split() or WORDS
    begun = [word[: chance.randint(2, len(word))] for word in chance.sample(own, min(len(own), chance.choice([1, 1, 2])))]
    return f'comment:"{" ".join(begun)}"'


def clock(view: View, chance: random.Random) -> str:
    own = view.note.clock if view.note.clock is not None else chance.choice([0, 60, 5000])
    low, high = chance.choice([(own, own), (0, own), (own, INFINITE), (own - 5, own + 5)])
    return f"clock:{ends(low, high)}"


def evaluation(view: View, chance: random.Random) -> str:
    own = view.worth if view.worth is not None else chance.choice([0, 100, 10_000])
    low, high = chance.choice([(own, own), (-INFINITE, own), (own, INFINITE), (own - 50, own + 50)])
    return f"eval:{ends(low, high, 100)}"


KINDS: tuple[Kind, ...] = (
    board, pasted, pawns, material, diff, imbalance, fen, move, pattern, number_of_pawns, bishops, state, nag, comment, clock, evaluation,
)  # fmt: skip


class Maker:
    """Makes queries about some games, of terms of some kinds."""

    def __init__(self, games: list[Game], chance: random.Random, kinds: tuple[Kind, ...] = KINDS) -> None:
        self.games, self.chance, self.kinds = games, chance, kinds
        # Each question is made from one line of a game.
        self.places: list[int] = [0] * len(games)

    def lines(self) -> list[Line]:
        return [game.lines[place] for game, place in zip(self.games, self.places)]

    def views(self, number: int) -> list[View]:
        place = self.places[number]
        return self.games[number].views(all_lines=place > 0)[place]

    def somewhere(self) -> tuple[int, int]:
        """A game and a ply of it."""
        number = self.chance.randrange(len(self.games))
        return number, self.chance.randint(0, len(self.games[number].lines[self.places[number]].moves))

    def alone(self, kind: Kind) -> str:
        number, ply = self.somewhere()
        return kind(self.views(number)[ply], self.chance)

    def sacrifice(self) -> str:
        gives, gives_for = self.chance.choice([1, 2, 3, 4, 5, 8]), self.chance.choice([1, 2, 6, 6, 6, 12])
        by = self.chance.choice(["", "white", "black"])
        return f"sacrifice:{gives}.." + f" for:{gives_for}" * (gives_for != 6) + f" by:{by}" * (by != "")

    def usual(self) -> list[Line]:
        """Those that begin with a move from the normal position."""
        return [line for line in self.lines() if line.start == chess.Board() and any(line.moves[:1])]

    def line(self) -> str:
        chosen = self.chance.choice(self.usual())
        moves = chosen.moves[: self.chance.randint(1, min(30, len(chosen.moves)))]
        text = chess.Board().variation_san(list(itertools.takewhile(bool, moves)))
        if self.chance.random() < 0.5:
            text = re.sub(r"\d+\.+ ?", "", text).replace(" ", ",")
        return f'line:"{text}"'

    def group_at(self, number: int, ply: int, movers: tuple[str, ...]) -> str:
        """A group that holds at a position, unless a term was changed."""
        chance = self.chance
        view = self.views(number)[ply]
        texts = []
        for _ in range(chance.choice([1, 1, 2])):
            kind = chance.choice(self.kinds)
            alternatives = [kind(view, chance)]
            if kind in (pawns, pasted) and chance.random() < 0.3:
                alternatives.append(kind(chance.choice(self.views(number)), chance))
            texts.append("|".join([alternatives[0], *(one.split(":", 1)[1] for one in alternatives[1:])]))
        if chance.random() < 0.25:
            span = f"ply:{max(0, ply - chance.randint(0, 8))}.."
            if chance.random() < 0.5:
                span += str(ply + chance.randint(0, 8))
            texts.append(span)
        if chance.random() < 0.1:
            # Something that the side has less for some time.
            gives, gives_for = chance.choice([1, 1, 2, 3]), chance.choice([6, 6, 3, 9])
            texts.append(f"sacrifice:{gives}..")
            if gives_for != 6 or chance.random() < 0.5:
                texts.append(f"for:{gives_for}")
            if chance.random() < 0.5:
                texts.append(f"by:{chance.choice(['white', 'black', *movers])}")
        elif chance.random() < 0.25:
            texts.append(f"for:{chance.randint(2, 6)}")
        elif chance.random() < 0.4:
            mover = "white" if (view.fields[1] == "w") != (chance.random() < 0.2) else "black"
            texts.append(f"by:{chance.choice([mover, mover, *movers])}")
        chance.shuffle(texts)
        return " ".join(texts)

    def part(self, movers: tuple[str, ...] = ()) -> str:
        """Groups that hold in a game one after another, and sometimes a term that holds nowhere."""
        chance = self.chance
        number, _ = self.somewhere()
        last = len(self.games[number].lines[self.places[number]].moves)
        plies = {chance.randint(0, last) for _ in range(chance.choice([0, 1, 1, 2, 2, 3]))}
        # Some groups follow each other at once.
        plies |= {ply + 1 for ply in plies if ply < last and chance.random() < 0.3}
        texts: list[str] = []
        joins: list[str] = []
        before = 0
        for ply in sorted(plies):
            text = self.group_at(number, ply, movers)
            join = "then"
            if texts and chance.random() < 0.5:
                distance = max(1, ply - before + chance.randint(-2, 3))
                join = "next" if chance.random() < 0.5 else "then"
                if join == "then":
                    text = f"{text} within:{distance}"
            before = ply
            texts.append(text)
            joins.append(join)
        if not texts or chance.random() < 0.25:
            number, ply = self.somewhere()
            term = chance.choice(self.kinds)(self.views(number)[ply], chance)
            if not texts and chance.random() < 0.5:
                texts = [f"by:{chance.choice(['white', 'black', *movers])}"]
            # The plies and the side of the group in which it stands hold for it, too.
            texts = [" ".join([f"-{term}", *texts[:1]]), *texts[1:]]
        return texts[0] + "".join(f" {join} {text}" for join, text in zip(joins[1:], texts[1:]))

    def combined(self, mirrors: tuple[str, ...] = MIRRORS, movers: tuple[str, ...] = ()) -> str:
        mirror = self.chance.choice(mirrors)
        return self.part(movers) + f" mirror:{mirror}" * (mirror != "")

    def either(self) -> str:
        """Choices within each other, each beside terms for positions."""
        mirror = self.chance.choice(MIRRORS)
        return self.with_choice(0) + f" mirror:{mirror}" * (mirror != "")

    def with_choice(self, depth: int) -> str:
        chance = self.chance

        def side() -> str:
            return self.with_choice(depth + 1) if depth < 3 and chance.random() < 0.25 else self.part()

        sides = [side() for _ in range(chance.choice([1, 2, 2, 3]))]
        text = f"{'-' * (chance.random() < 0.25)}( {' | '.join(sides)} )"
        # At the top, something with a mirror image must be asked.
        return f"{text} {self.part()}" if chance.random() < 0.4 else text

