"""Which games of python-chess answer a query, and at which half-move: all positions are looked at.

This is the oracle for everything but tables: `Games.answer(text)` reads the text by itself.
"""

from typing import Callable, Iterator, NamedTuple, Optional

from oracle import positions, tags
from oracle.games import Game, View
from oracle.language import Group, Query, parsed
from oracle.repertoires import Repertoire

# The first ply at which each game has something, by the game's number from 1.
Found = dict[int, int]


class Asked(NamedTuple):
    """A group of which one side is to move, and what holds in its positions."""

    group: Group
    holds: list[Callable[[View], bool]]
    # The range of what its move gives up, and for how many half-moves.
    gives: Optional[tuple[float, float]] = None
    gives_for: int = 6
    repertoires: tuple[Repertoire, ...] = ()

    def plies(self) -> int:
        return 1 if self.gives else self.group.plies or 1

    def in_line(self, views: list[View], player: str, colour: bool) -> Iterator[bool]:
        """For each position of a line whether the group holds there, where `w` or `b` is the player."""
        turn = turn_of(self.group.by, player, colour)
        least, most = self.group.least, self.group.most
        low, high = self.gives or (0, 0)
        plies = [repertoire.plies(views, turn) for repertoire in self.repertoires]
        for ply, view in enumerate(views):
            yield (
                least <= ply <= most
                and turn in ("", view.fields[1])
                and (len(self.holds) == 0 or self.holds[0](view))
                and all(one(view) for one in self.holds[1:])
                and (not self.gives or view.gives is not None and low <= view.gives(self.gives_for) <= high)
                and all(ply in some for some in plies)
            )

    def first(self, views: list[View], player: str, colour: bool) -> Optional[int]:
        """The first position in which it holds."""
        is_plain = self.group._replace(terms=(), excluded=()) == Group() and not self.gives and not self.repertoires
        if is_plain and len(self.holds) == 1:
            # Most questions are such, and nothing else takes as long.
            holds = self.holds[0]
            return next((ply for ply, view in enumerate(views) if holds(view)), None)
        return next((ply for ply, held in enumerate(self.in_line(views, player, colour)) if held), None)


def turn_of(by: str, player: str, colour: bool) -> str:
    """The side to move in an image with colours exchanged or not. The player's side is exchanged with them."""
    if by not in ("player", "opponent"):
        return by[:1]
    is_white = (player == "w") == (by == "player")
    return "w" if is_white != colour else "b"


def sequence(groups: list[Asked], views: list[View], player: str, colour: bool) -> Optional[int]:
    """The first position of the last group. All choices of positions are tried."""
    if len(groups) == 1 and groups[0].plies() == 1:
        return groups[0].first(views, player, colour)
    # The least beginning for each end of the groups so far.
    ends = {-1: 0}
    for number, group in enumerate(groups):
        held = list(group.in_line(views, player, colour))
        plies = group.plies()
        found: dict[int, int] = {}
        for first in range(len(views)):
            if not held[first] or number and not any(0 < first - end <= group.group.within for end in ends):
                continue
            # Without `for:`, a group holds at one position.
            for end in range(first, len(views) if plies > 1 else first + 1):
                if not held[end]:
                    break
                if end - first + 1 >= plies:
                    found[end] = min(first, found.get(end, first))
        if not found:
            return None
        ends = found
    return ends[min(ends)]


class Question:
    """A query whose terms are made to look at positions."""

    def __init__(self, query: Query, whole: Query, repertoire: Callable[[str], Repertoire]) -> None:
        self.query, self.whole = query, whole
        self.groups = [self.asked(group, repertoire) for group in query.groups if group.is_asked()]
        # The plies and the side of the group in which it stands hold for an excluded term, too.
        self.excluded = [
            self.asked(group._replace(terms=(term,), plies=None), repertoire)
            for group in query.groups
            for term in group.excluded
        ]
        self.choices = [
            (choice, [Question(side, whole, repertoire) for side in choice.sides]) for choice in query.choices
        ]

    @staticmethod
    def asked(group: Group, repertoire: Callable[[str], Repertoire]) -> Asked:
        gives = [term.values[0].range() for term in group.terms if term.field == "sacrifice"]
        others = [term for term in group.terms if term.field not in ("sacrifice", "repertoire")]
        some = [repertoire(term.values[0].text) for term in group.terms if term.field == "repertoire"]
        return Asked(group, [positions.holds(term) for term in others], gives[0] if gives else None, group.plies or 6, tuple(some))

    def images(self) -> Iterator[tuple[bool, bool]]:
        mirror = self.whole.mirror
        for colour in (False, True):
            for side in (False, True):
                if (not colour or mirror in ("colour", "both")) and (not side or mirror in ("side", "both")):
                    yield colour, side

    def first(self, game: Game, outside: str = "wb", is_one: bool = False) -> Optional[int]:
        """The first ply of the answer in a game, or 0 if the query asks for no position; `None` without an answer.
        `outside` are the sides of the player whom a query around this one names."""
        players = self.query.players()
        is_one = len(players) == 1 or is_one and not players
        named = outside
        if len(players) == 1:
            named = "".join(side for side in "wb" if tags.holds(players[0], game, side, True))
        elif players:
            named = "wb" if all(any(tags.holds(one, game, side, True) for side in "wb") for one in players) else ""
        rest = [term for term in self.query.tags if term.field != "player"]
        held = [side for side in named if all(tags.holds(term, game, side, is_one) for term in rest)]
        left_out = any(tags.holds(term, game, side, is_one) for term in self.query.excluded_tags for side in named)
        if not held or left_out:
            return None
        plies = []
        for choice, sides in self.choices:
            found = [ply for side in sides if (ply := side.first(game, named, is_one)) is not None]
            if (found == []) != choice.is_negated:
                return None
            plies += found
        if not self.groups and not self.excluded:
            return min(plies, default=0)
        images = [(colour, game.views(colour, side, self.whole.in_variations)) for colour, side in self.images()]
        if any(
            group.first(views, player, colour) is not None
            for group in self.excluded
            for colour, lines in images
            for views in lines
            for player in named
        ):
            return None
        if not self.groups:
            return min(plies, default=0)
        for place in range(len(images[0][1])):
            found = [
                ply
                for colour, lines in images
                for player in held
                if (ply := sequence(self.groups, lines[place], player, colour)) is not None
            ]
            if found:
                return min(found)
        return None


class Games:
    """Some games, of which questions are asked and made."""

    def __init__(self, games: list[Game], keeps_mirrors: bool = True) -> None:
        self.games = games
        self.keeps_mirrors = keeps_mirrors
        self.repertoires: dict[str, Repertoire] = {}

    def answer(self, text: str) -> Found:
        query = parsed(text)
        question = Question(query, query, self.repertoires.__getitem__)
        found = {}
        for number, game in enumerate(self.games, 1):
            ply = question.first(game)
            if ply is not None:
                found[number] = ply
            if not self.keeps_mirrors:
                game.forget_mirrors()
        return found
