"""What a term about positions says of one position, as python-chess and 64 letters show it."""

import re
from functools import cache
from operator import le
from typing import Callable

import chess

from oracle.games import Played, View, begins_words, words, worth_of
from oracle.language import Term, Value

Holds = Callable[[View], bool]

SIGNS = {1: "!", 2: "?", 3: "!!", 4: "??", 5: "!?", 6: "?!", 10: "=", 14: "+=", 15: "=+", 16: "+/-", 17: "-/+", 18: "+-", 146: "N"}


def holds(term: Term) -> Holds:
    """True for a position for which one of the term's values holds."""
    make = TERMS.get(term.field) or number_of_pawns(*term.field.split("_"))
    some = [make(value) for value in term.values]
    return some[0] if len(some) == 1 else lambda view: any(one(view) for one in some)


def board(value: Value) -> Holds:
    pattern = ""
    for sign in re.findall(r"\[[^]]*\]|[^/]", value.text):
        if sign.isdigit():
            pattern += "." * int(sign)
        else:
            others = {"?": ".", "!": "[^ ]", "A": "[A-Z]", "a": "[a-z]"}
            pattern += others.get(sign) or f"[{sign.strip('[]').replace('-', ' ')}]"
    matches = re.compile(pattern).fullmatch
    return lambda view: matches(view.squares) is not None


@cache
def pawns_of(squares: str) -> str:
    return re.sub("[^Pp]", " ", squares)


def pawns(value: Value) -> Holds:
    placed = value.text.split()[0]
    own = pawns_of(re.sub(r"\d", lambda digit: " " * int(digit[0]), placed).replace("/", ""))
    return lambda view: pawns_of(view.squares) == own


PIECES = "QRBNPqrbnp"


@cache
def counts_of(squares: str) -> tuple[int, ...]:
    return tuple(map(squares.count, PIECES))


def material(value: Value) -> Holds:
    low: dict[str, int] = {}
    high: dict[str, int] = {}
    others = set()
    side = "K"
    for letter, count in re.findall(r"([KQRBNPkqrbnp]|(?<![QRBNPqrbnp])\*)(\d+-\d+|\d+|\+|(?<![Kk])\*)?", value.text):
        if letter == "*":
            others.add(side)
            continue
        if letter in "Kk":
            side = letter
            continue
        least, most = (0, 64) if count == "*" else (1, 64) if count == "+" else (1, 1)
        if count[:1].isdigit():
            least, most = int(count.split("-")[0]), int(count.split("-")[-1])
        low[letter], high[letter] = low.get(letter, 0) + least, high.get(letter, 0) + most
    for side, letters in (("K", "QRBNP"), ("k", "qrbnp")):
        for letter in letters:
            low.setdefault(letter, 0)
            high.setdefault(letter, 64 if side in others else 0)
    least, most = (tuple(map(ends.__getitem__, PIECES)) for ends in (low, high))
    if least == most:
        return lambda view: counts_of(view.squares) == least
    return lambda view: all(map(le, least, counts_of(view.squares))) and all(map(le, counts_of(view.squares), most))


def diff(value: Value) -> Holds:
    low, high = value.range()
    return lambda view: low <= worth_of(view) <= high


def imbalance(value: Value) -> Holds:
    """The sides' pieces are counted letter by letter; pawns only if the text has one."""
    first, second = value.text.split("v")
    letters = "QRBN" + "P" * ("P" in value.text.upper())
    wanted = {letter: first.upper().count(letter) - second.upper().count(letter) for letter in letters}
    signs = (1, -1) if first.isupper() == second.isupper() else (1,) if first.isupper() else (-1,)

    def is_so(view: View) -> bool:
        own = {letter: view.squares.count(letter) - view.squares.count(letter.lower()) for letter in letters}
        return any(all(own[letter] == sign * wanted[letter] for letter in letters) for sign in signs)

    return is_so


def fen(value: Value) -> Holds:
    own = re.split("[ _]", value.text)[:4]
    # In names of directories, slashes are written as hyphens.
    own[0] = own[0].replace("-", "/")
    return lambda view: own[0] == view.fields[0] and all(a == b or b == "any" for a, b in zip(own, view.fields))


def line(value: Value) -> Holds:
    reached = chess.Board()
    for san in re.sub(r"\d+\.+", " ", value.text).replace(",", " ").split():
        reached.push_san(san)
    own = reached.epd().split()
    return lambda view: view.fields == own


def played(value: Value) -> Holds:
    text = value.text
    if "*" in text or "?" in text:
        return pattern(text)
    bare, sign = text.rstrip("+#"), text[len(text.rstrip("+#")) :]
    if bare in ("O-O", "O-O-O"):

        def castles(view: View) -> bool:
            if not isinstance(view.move, str) or view.move.rstrip("+#") != bare:
                return False
            return sign in ("", view.move[len(bare) :], view.move[len(bare) :].replace("#", "+"))

        return castles
    found = re.fullmatch(r"([KQRBN]?)([a-h]?[1-8]?)(x?)([a-h][1-8])(=[QRBN])?", bare)
    assert found is not None, text
    piece, origin, takes, target, promotion = found[1] or "P", found[2], found[3] != "", found[4], found[5] or ""

    def moves(view: View) -> bool:
        if not isinstance(view.move, Played):
            return False
        own = view.move
        return (
            (piece, target, promotion, takes) == (own.piece, own.target, own.promotion, own.takes)
            and (origin in ("", own.origin, own.origin[0], own.origin[1]))
            # A check may be mate.
            and (sign in ("", own.sign) or sign == "+" and own.sign == "#")
        )

    return moves


def pattern(text: str) -> Holds:
    """The whole move is compared. A pattern that does not end with *, + or # says nothing of check."""
    says_of_check = text[-1] in "*+#"
    matches = re.compile(re.escape(text).replace(r"\*", ".*").replace(r"\?", ".")).fullmatch

    def moves(view: View) -> bool:
        if isinstance(view.move, Played):
            bare, *with_sign = view.move.forms()
            forms = with_sign if with_sign and says_of_check else [bare]
        elif view.move in (None, "null"):
            return False
        else:
            bare, sign = view.move.rstrip("+#"), view.move.lstrip("O-")
            place = view.squares.index("K" if view.fields[1] == "w" else "k")
            king = f"{chess.FILE_NAMES[place % 8]}{8 - place // 8}"
            squares = f"K{king}-{'g' if bare == 'O-O' else 'c'}{king[1]}"
            ends = {sign, sign.replace("#", "+")} if says_of_check else {""}
            forms = [one + end for one in (bare, squares) for end in ends]
        return any(matches(form) for form in forms)

    return moves


def squares(view: View) -> list[tuple[str, int, int]]:
    """The pieces with their files and ranks, from 0."""
    return [(piece, place % 8, 7 - place // 8) for place, piece in enumerate(view.squares) if piece != " "]


def count_of_pawns(view: View, side: str, kind: str) -> int:
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


def number_of_pawns(side: str, kind: str) -> Callable[[Value], Holds]:
    def make(value: Value) -> Holds:
        low, high = value.range()
        return lambda view: low <= count_of_pawns(view, side, kind) <= high

    return make


def bishops_of(view: View) -> list[int]:
    """The colours of the bishops' squares, if each side has one bishop."""
    found = {piece: (file + rank) % 2 for piece, file, rank in squares(view) if piece in "Bb"}
    return list(found.values()) if len(found) == 2 == sum(map(view.squares.count, "Bb")) else []


def bishops(value: Value) -> Holds:
    wanted = 1 if value.text == "same" else 2
    return lambda view: len(colours := bishops_of(view)) == 2 and len(set(colours)) == wanted


STATES: dict[str, str] = {}


def state_of(view: View) -> str:
    """What python-chess says of the position itself, which is kept by its text."""
    key = " ".join(view.fields)
    if key not in STATES:
        place = chess.Board(" ".join([*(field.replace("any", "-") for field in view.fields[:4]), "0 1"]))
        legal = any(place.legal_moves)
        STATES[key] = ("check" if legal else "mate") if place.is_check() else "" if legal else "stalemate"
    return STATES[key]


def state(value: Value) -> Holds:
    # A mate is a check.
    wanted = ("check", "mate") if value.text == "check" else (value.text,)
    return lambda view: state_of(view) in wanted


def nag(value: Value) -> Holds:
    numbers = {sign: number for number, sign in SIGNS.items()}
    text = "=" * value.is_exact + value.text
    own = numbers[text] if text in numbers else int(text.removeprefix("$"))
    # $0 says nothing.
    return lambda view: own > 0 and own in view.note.nags


def comment(value: Value) -> Holds:
    return lambda view: begins_words(value.text, view.note.words)


def clock(value: Value) -> Holds:
    low, high = value.range()
    return lambda view: view.note.clock is not None and low <= view.note.clock <= high


def evaluation(value: Value) -> Holds:
    low, high = value.range(100)
    return lambda view: view.worth is not None and low <= view.worth <= high


TERMS: dict[str, Callable[[Value], Holds]] = {
    "board": board,
    "pawns": pawns,
    "material": material,
    "diff": diff,
    # Without a player, White's.
    "lead": diff,
    "imbalance": imbalance,
    "fen": fen,
    "line": line,
    "played": played,
    "bishops": bishops,
    "is": state,
    "nag": nag,
    "comment": comment,
    "clock": clock,
    "eval": evaluation,
}
