"""The language of queries: what a text asks, as groups of terms. Both oracles read queries with this."""

import re
import sys
from typing import NamedTuple, Optional

# Terms about positions, and what else is part of a group or of the whole query. All other fields are about tags.
POSITIONS = {"line", "fen", "board", "pawns", "material", "diff", "bishops", "is", "played", "sacrifice", "repertoire"}
POSITIONS |= {f"{side}_{kind}" for side in ("white", "black") for kind in ("pawns", "passed", "isolated", "doubled")}
POSITIONS |= {"nag", "comment", "clock", "eval", "lead", "imbalance"}
TAGS = {"player", "white", "black", "opponent", "event", "site", "annotator", "source", "team", "round", "tag", "has", "date"}
TAGS |= {"year", "month", "elo", "white_elo", "black_elo", "opponent_elo", "elo_diff", "eco", "opening", "result", "moves"}
TAGS |= {"db", "text"}
OPTIONS = {"by", "ply", "for", "within", "mirror", "in", "deleted"}

QUOTED = r'"(?:[^"\\]|\\.)*"'
TOKENS = re.compile(rf'(?:{QUOTED}|[^\s"])+')
VALUES = re.compile(rf'(?:{QUOTED}|[^|"])+')


class Value(NamedTuple):
    text: str
    is_exact: bool = False
    is_quoted: bool = False

    def is_unknown(self) -> bool:
        return self.text == "?" and not self.is_exact and not self.is_quoted

    def ends(self) -> tuple[str, str]:
        """The texts of both ends of a range; one that is open is empty."""
        low, dots, high = self.text.partition("..")
        return (low, high) if dots else (low, low)

    def range(self, unit: float = 1) -> tuple[float, float]:
        low, high = self.ends()
        # Hundredths have no exact form in binary.
        begin, end = (round(float(end) * unit, 6) if end else None for end in (low, high))
        return -sys.maxsize if begin is None else begin, sys.maxsize if end is None else end

    def has(self, number: Optional[float], unit: float = 1) -> bool:
        """True if a number is in the range, or unknown where that is asked for."""
        if self.is_unknown() or number is None:
            return self.is_unknown() and number is None
        low, high = self.range(unit)
        return low <= number <= high


class Term(NamedTuple):
    field: str
    values: tuple[Value, ...]
    # Of `tag:NAME=`.
    name: str = ""


class Group(NamedTuple):
    """Terms for one position, and terms that hold in none with these plies and this side."""

    terms: tuple[Term, ...] = ()
    excluded: tuple[Term, ...] = ()
    least: int = 0
    most: int = sys.maxsize
    by: str = ""
    # Half-moves in a row; of a sacrifice, those for which it is given up.
    plies: Optional[int] = None
    # The most half-moves from the end of the group before it to its beginning.
    within: int = sys.maxsize

    def is_asked(self) -> bool:
        """False if it only says where its excluded terms do not hold."""
        return self.terms != () or not self.excluded and self != Group(within=self.within)


class Choice(NamedTuple):
    sides: tuple["Query", ...]
    is_negated: bool


class Query(NamedTuple):
    tags: tuple[Term, ...]
    excluded_tags: tuple[Term, ...]
    choices: tuple[Choice, ...]
    groups: tuple[Group, ...]
    mirror: str = ""
    in_variations: bool = False
    deleted: str = "no"

    def players(self) -> list[Term]:
        return [term for term in self.tags if term.field == "player"]


def value(text: str) -> Value:
    is_exact, bare = text.startswith("="), text.removeprefix("=")
    is_quoted = bare.startswith('"')
    return Value(re.sub(r"\\(.)", r"\1", bare[1:-1]) if is_quoted else bare, is_exact, is_quoted)


def term(token: str) -> Term:
    field, colon, rest = token.partition(":")
    if not colon or field not in POSITIONS | TAGS | OPTIONS:
        field, rest = "", token
    name = ""
    if field == "tag":
        name, _, rest = rest.partition("=")
    return Term(field, tuple(value(one) for one in VALUES.findall(rest)), name)


def parsed(text: str) -> Query:
    tokens = TOKENS.findall(text)
    query, rest = read(tokens)
    assert not rest, f"{text}: {rest}"
    return query


def read(tokens: list[str]) -> tuple[Query, list[str]]:
    """A query up to the end of its side of a choice, and the tokens from there on."""
    tags: list[Term] = []
    excluded_tags: list[Term] = []
    choices: list[Choice] = []
    groups = [Group()]
    whole = {}
    while tokens and tokens[0] not in ("|", ")"):
        token, tokens = tokens[0], tokens[1:]
        if token in ("then", "next"):
            groups.append(Group(within=1 if token == "next" else sys.maxsize))
            continue
        if token in ("(", "-("):
            sides, end = [], ""
            while end != ")":
                side, (end, *tokens) = read(tokens)
                sides.append(side)
            choices.append(Choice(tuple(sides), token == "-("))
            continue
        is_negated = token.startswith("-")
        one = term(token.removeprefix("-"))
        group = groups[-1]
        first = one.values[0] if one.values else Value("")
        if one.field in POSITIONS:
            kind = "excluded" if is_negated else "terms"
            groups[-1] = group._replace(**{kind: (*getattr(group, kind), one)})
        elif one.field == "ply":
            low, high = first.range()
            groups[-1] = group._replace(least=max(0, int(low)), most=int(high))
        elif one.field in ("for", "within"):
            groups[-1] = group._replace(**{"plies" if one.field == "for" else "within": int(first.text)})
        elif one.field == "by":
            groups[-1] = group._replace(by=first.text)
        elif one.field in ("mirror", "in", "deleted"):
            whole[one.field] = first.text
        else:
            (excluded_tags if is_negated else tags).append(one)
    query = Query(
        tuple(tags),
        tuple(excluded_tags),
        tuple(choices),
        tuple(groups),
        whole.get("mirror", ""),
        "in" in whole,
        whole.get("deleted", "no"),
    )
    return query, tokens
