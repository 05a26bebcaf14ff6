"""What a term about tags says of a game, for White or Black as the player: as read by python-chess."""

import re
import unicodedata
from typing import Callable, Optional

from oracle.games import Game, begins_words, words
from oracle.language import Term, Value

# `w` or `b` is the side that is the player; `is_one` says whether the query is about one.
Holds = Callable[[Game, str, bool], bool]

SIDES = {"w": "White", "b": "Black"}
OTHER = {"w": "b", "b": "w"}
TEXTS = {
    "white": ("White",),
    "black": ("Black",),
    "event": ("Event",),
    "site": ("Site",),
    "annotator": ("Annotator",),
    "source": ("Source", "SourceTitle"),
    "team": ("WhiteTeam", "BlackTeam"),
    "": ("White", "Black", "Event"),
}
# Of names of openings, which the oracle does not know, the codes: the caller adds what it asks for.
OPENINGS: dict[str, str] = {}


def known(game: Game, tag: str) -> Optional[str]:
    text = game.tags.get(tag, "")
    return None if text in ("", "?", "????.??.??") else text


def rating(game: Game, side: str) -> Optional[int]:
    text = game.tags.get(f"{SIDES[side]}Elo", "").strip()
    return int(text) if text.isdigit() and 100 <= int(text) <= 3999 else None


def difference(game: Game, side: str) -> Optional[int]:
    own, other = rating(game, side), rating(game, OTHER[side])
    return None if own is None or other is None else own - other


def date(game: Game) -> list[Optional[int]]:
    """Year, month and day as far as they are known."""
    parts = [int(part) if part.isdigit() and int(part) else None for part in game.tags.get("Date", "").split(".")]
    return (parts + [None] * 3)[:3]


def has_words(value: Value, text: Optional[str]) -> bool:
    if value.is_unknown() or text is None:
        return value.is_unknown() and text is None
    if value.is_exact:
        return unicodedata.normalize("NFC", text) == unicodedata.normalize("NFC", value.text)
    return begins_words(value.text, text)


def is_in_dates(value: Value, game: Game) -> bool:
    """True if the game may have been played on a day of the range: what is not known may be any month and day."""
    year, month, day = date(game)
    if value.is_unknown() or year is None:
        return value.is_unknown() and year is None
    first, last = ([int(part) for part in re.findall(r"\d+", end)] for end in value.ends())
    begin = (first + [1, 1][max(0, len(first) - 1) :])[:3] if first else [0, 1, 1]
    end = (last + [12, 31][max(0, len(last) - 1) :])[:3] if last else [9999, 12, 31]
    months = range(1, 13) if month is None else [month]
    return any([year, one, day or 1] <= end and [year, one, day or 31] >= begin for one in months)


def code(game: Game) -> Optional[str]:
    found = re.match("[A-Z0-9]{3}", game.tags.get("ECO", "").upper())
    return found[0] if found else None


def is_in_codes(value: Value, own: Optional[str]) -> bool:
    if value.is_unknown() or own is None:
        return value.is_unknown() and own is None
    low, high = (end.upper() for end in value.ends())
    return (low or "A00") <= own[: len(low) or 3] and own[: len(high) or 3] <= (high or "E99")


def is_result(value: Value, game: Game, side: str) -> bool:
    own, win, loss = game.tags.get("Result", "*"), {"w": "1-0", "b": "0-1"}, {"w": "0-1", "b": "1-0"}
    return own == {"win": win[side], "loss": loss[side], "draw": "1/2-1/2", "?": "*"}.get(value.text, value.text)


def is_round(value: Value, text: Optional[str]) -> bool:
    if value.is_unknown() or text is None:
        return value.is_unknown() and text is None
    first = text.strip().split(".")[0]
    if re.fullmatch(r"\d*(\.\.)?\d*", value.text):
        return first.isdigit() and value.has(int(first))
    return words(value.text) in (words(text), words(first))


def has(value: Value, game: Game) -> bool:
    name = value.text.lower()
    contents = {
        "comments": lambda: game.comments != [],
        "variations": lambda: len(game.lines) > 1,
        "clock": lambda: has_command(game, "clk|emt|egt"),
        "eval": lambda: has_command(game, "eval"),
        "arrows": lambda: has_command(game, "cal|csl"),
    }
    return contents[name]() if name in contents else any(known(game, tag) for tag in game.tags if tag.lower() == name)


def has_command(game: Game, names: str) -> bool:
    return any(re.search(rf"\[%({names})\b", comment) for comment in game.comments)


def one_value(term: Term, value: Value, game: Game, side: str, is_one: bool) -> bool:
    field = term.field
    if field in TEXTS or field in ("player", "opponent"):
        own = {"player": side, "opponent": OTHER[side]}.get(field)
        return any(has_words(value, known(game, tag)) for tag in ([SIDES[own]] if own else TEXTS[field]))
    if field == "tag":
        return any(has_words(value, known(game, tag)) for tag in {term.name, *game.tags} if tag.lower() == term.name.lower())
    ratings = {"white_elo": "w", "black_elo": "b", "elo": side, "opponent_elo": OTHER[side]}
    if field in ratings:
        return value.has(rating(game, ratings[field]))
    if field == "elo_diff":
        return value.has(difference(game, side if is_one else "w"))
    if field in ("date", "year"):
        return is_in_dates(value, game)
    if field == "month":
        return value.has(date(game)[1])
    if field == "eco":
        return is_in_codes(value, code(game))
    if field == "opening":
        return re.match(OPENINGS[value.text], code(game) or "") is not None
    if field == "result":
        return is_result(value, game, side)
    if field == "round":
        return is_round(value, known(game, "Round"))
    if field == "moves":
        return value.has((len(game.lines[0].moves) + 1) // 2)
    if field == "has":
        return has(value, game)
    assert field == "text", field
    return any(has_words(value, comment) for comment in game.comments)


def holds(term: Term, game: Game, side: str, is_one: bool) -> bool:
    """True if one of the values holds where this side is the player. Without one player, both have the rating."""
    sides = "wb" if term.field == "elo" and not is_one else side
    return all(any(one_value(term, value, game, own, is_one) for value in term.values) for own in sides)
