"""Counts by force how many games each example of docs/search.md is about, and compares that with what pgnfs finds.

usage: examples.py PGNFS SEARCH.md FOLDER GAMES.pgn...

Each title is written below once more, as Python that looks at the tags and at all positions of a game with
python-chess. An example without a row below is an error, and so is one that no game answers: for these there are games
below that do, and others that almost do.
"""

import re
import sys
import unicodedata
from pathlib import Path
from typing import Callable, Iterator, NamedTuple, Optional

import chess
import chess.pgn

from asking import Differences, find, numbers

VALUES = {chess.PAWN: 1, chess.KNIGHT: 3, chess.BISHOP: 3, chess.ROOK: 5, chess.QUEEN: 9}


class Step(NamedTuple):
    """A position of the main line, and the move that is played in it."""

    board: chess.Board
    move: Optional[chess.Move]

    def castles(self) -> str:
        """`short`, `long` or nothing."""
        if self.move is None or not self.board.is_castling(self.move):
            return ""
        return "short" if self.board.is_kingside_castling(self.move) else "long"


    def takes_with_check(
        self, kind: chess.PieceType, target: Optional[chess.Square], taken: Optional[chess.PieceType] = None
    ) -> bool:
        if self.move is None or not self.board.is_capture(self.move) or target not in (None, self.move.to_square):
            return False
        if taken not in (None, self.board.piece_type_at(self.move.to_square)):
            return False
        return self.board.piece_type_at(self.move.from_square) == kind and self.board.gives_check(self.move)


class Game:
    def __init__(self, game: chess.pgn.Game) -> None:
        self.tags = dict(game.headers)
        self.comments = [node.comment for node in all_nodes(game) if node.comment]
        self.has_variations = any(len(node.variations) > 1 for node in all_nodes(game))
        self.nodes = list(game.mainline())
        self.all_nodes = [node for node in all_nodes(game) if isinstance(node, chess.pgn.ChildNode)]
        self.steps: list[Step] = []
        board = game.board()
        for move in [*game.mainline_moves(), None]:
            self.steps.append(Step(board.copy(stack=False), move))
            if move is not None:
                board.push(move)

    def words(self, tag: str) -> list[str]:
        text = unicodedata.normalize("NFKD", self.tags.get(tag, "").lower())
        return re.findall(r"[^\W_]+", "".join(c for c in text if not unicodedata.combining(c)))

    def has(self, tag: str, *beginnings: str) -> bool:
        """True if each is the beginning of a word."""
        return all(any(word.startswith(one) for word in self.words(tag)) for one in beginnings)

    def sides(self, name: str) -> list[chess.Color]:
        return [color for color in chess.COLORS if self.has("White" if color else "Black", name)]

    def rating(self, color: chess.Color) -> Optional[int]:
        text = self.tags.get("WhiteElo" if color else "BlackElo", "")
        return int(text) if text.isdigit() and 100 <= int(text) <= 3999 else None

    def winner(self) -> Optional[chess.Color]:
        return {"1-0": chess.WHITE, "0-1": chess.BLACK}.get(self.tags["Result"])

    def year(self) -> Optional[int]:
        text = self.tags.get("Date", "")[:4]
        return int(text) if text.isdigit() and int(text) else None

    def moves(self) -> int:
        return len(self.steps) // 2

    def castlings(self) -> list[tuple[chess.Color, str]]:
        return [(step.board.turn, step.castles()) for step in self.steps if step.castles()]

    def in_succession(self, number: int, holds: Callable[[chess.Board], bool]) -> bool:
        run = 0
        for step in self.steps:
            run = run + 1 if holds(step.board) else 0
            if run == number:
                return True
        return False


def all_nodes(game: chess.pgn.Game) -> Iterator[chess.pgn.GameNode]:
    waiting: list[chess.pgn.GameNode] = [game]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += node.variations


def before(node: chess.pgn.ChildNode) -> Iterator[chess.pgn.ChildNode]:
    """The nodes on the way to a node, without it."""
    while isinstance(node.parent, chess.pgn.ChildNode):
        node = node.parent
        yield node


def kinds(board: chess.Board) -> str:
    return "".join(sorted(piece.symbol() for piece in board.piece_map().values()))


def behind(board: chess.Board) -> int:
    """How much less White has."""
    worth = sum(value * len(board.pieces(kind, chess.BLACK)) for kind, value in VALUES.items())
    return worth - sum(value * len(board.pieces(kind, chess.WHITE)) for kind, value in VALUES.items())


def passed_pawns(board: chess.Board) -> list[chess.Square]:
    """White's passed pawns."""

    def stops(own: chess.Square, other: chess.Square) -> bool:
        is_near = abs(chess.square_file(own) - chess.square_file(other)) <= 1
        return is_near and chess.square_rank(other) > chess.square_rank(own)

    others = board.pieces(chess.PAWN, chess.BLACK)
    return [own for own in board.pieces(chess.PAWN, chess.WHITE) if not any(stops(own, other) for other in others)]


def pawns(text: str) -> tuple[chess.SquareSet, chess.SquareSet]:
    board = chess.BaseBoard(text)
    return board.pieces(chess.PAWN, chess.WHITE), board.pieces(chess.PAWN, chess.BLACK)


CARLSBAD = pawns("8/pp3ppp/2p5/3p4/3P4/4P3/PP3PPP/8")
# Of the other side: the colours and the ranks are exchanged.
MIRRORED = pawns("8/pp3ppp/4p3/3p4/3P4/2P5/PP3PPP/8")


def gives_up(game: Game, place: int) -> int:
    """What White, who wins, gives up by a move for six half-moves, or to the end."""
    ahead = [-behind(step.board) for step in game.steps]
    after = ahead[place + 2 : place + 8]
    before = [ahead[place - back] for back in (0, 2, 4) if place >= back]
    return min(before) - max(after) if after else 0


def is_carlsbad(board: chess.Board) -> bool:
    own = (board.pieces(chess.PAWN, chess.WHITE), board.pieces(chess.PAWN, chess.BLACK))
    return own in (CARLSBAD, MIRRORED)


def reaches(game: Game, line: str) -> bool:
    wanted = chess.Board()
    for san in line.split():
        wanted.push_san(san)
    return any(step.board.epd() == wanted.epd() for step in game.steps)


def takes_on_h7(game: Game) -> bool:
    """White castles short, and later a bishop of White takes on h7 with check."""
    has_castled = False
    for board, move in game.steps:
        if move is None or board.turn == chess.BLACK:
            continue
        is_bishop = board.piece_type_at(move.from_square) == chess.BISHOP
        if has_castled and is_bishop and move.to_square == chess.H7 and board.is_capture(move) and board.gives_check(move):
            return True
        has_castled |= board.is_kingside_castling(move)
    return False


def castled_in_turn(game: Game, first: str, second: str) -> bool:
    kinds_of = [kind for _, kind in game.castlings()]
    return first in kinds_of and second in kinds_of[kinds_of.index(first) + 1 :]


def has_opposite_bishops(board: chess.Board) -> bool:
    """One bishop each, on squares of opposite colours."""
    squares = [list(board.pieces(chess.BISHOP, color)) for color in chess.COLORS]
    return [len(one) for one in squares] == [1, 1] and (squares[0][0] in chess.SquareSet(chess.BB_LIGHT_SQUARES)) != (
        squares[1][0] in chess.SquareSet(chess.BB_LIGHT_SQUARES)
    )


def of_player(game: Game, name: str, holds: Callable[[chess.Color], bool]) -> bool:
    return any(holds(color) for color in game.sides(name))


EXAMPLES: dict[str, Callable[[Game], bool]] = {
    "player:carlsen": lambda game: game.sides("carlsen") != [],
    "player:kasparov player:karpov": lambda game: game.sides("kasparov") != [] and game.sides("karpov") != [],
    "player:carlsen result:win opponent_elo:2750..": lambda game: of_player(
        game, "carlsen", lambda color: game.winner() == color and (game.rating(not color) or 0) >= 2750
    ),
    "black:carlsen result:1-0": lambda game: game.has("Black", "carlsen") and game.tags["Result"] == "1-0",
    "white:carlsen player:carlsen -result:loss": lambda game: game.has("White", "carlsen")
    and not of_player(game, "carlsen", lambda color: game.winner() == (not color)),
    'player:="Tal, M"': lambda game: "Tal, M" in (game.tags["White"], game.tags["Black"]),
    'tata "wijk aan zee"': lambda game: any(game.has(tag, "tata") for tag in ("White", "Black", "Event"))
    and any(game.has(tag, "wijk", "aan", "zee") for tag in ("White", "Black", "Event")),
    "event:linares|dortmund year:1990..1999": lambda game: (game.has("Event", "linares") or game.has("Event", "dortmund"))
    and 1990 <= (game.year() or 0) <= 1999,
    "date:1985.11": lambda game: re.fullmatch(r"1985\.(11|\?\?)\.(\d\d|\?\?)", game.tags["Date"]) is not None,
    "elo:2700..": lambda game: all((game.rating(color) or 0) >= 2700 for color in chess.COLORS),
    "elo_diff:..-200 result:1-0": lambda game: game.tags["Result"] == "1-0"
    and game.rating(chess.WHITE) is not None
    and (game.rating(chess.BLACK) or 0) - (game.rating(chess.WHITE) or 0) >= 200,
    "elo:? date:?": lambda game: all(game.rating(color) is None for color in chess.COLORS) and game.year() is None,
    "eco:B90..B99 -moves:..20": lambda game: re.match("B9[0-9]", game.tags.get("ECO", "")) is not None
    and game.moves() > 20,
    # The codes of this name with its variations; from D43 to D49 it is the Semi-Slav.
    "opening:\"queen's gambit declined\" year:..1950": lambda game: re.match(
        "D(3[0-9]|4[0-2]|[56][0-9])", game.tags.get("ECO", "")
    )
    is not None
    and 0 < (game.year() or 0) <= 1950,
    "tag:TimeControl==180|=180+2 has:clock": lambda game: game.tags.get("TimeControl") in ("180", "180+2")
    and any(re.search(r"\[%(clk|emt|egt)", comment) for comment in game.comments),
    "has:annotator has:comments has:variations": lambda game: game.tags.get("Annotator", "?") not in ("", "?")
    and game.comments != []
    and game.has_variations,
    'white:kasparov line:"d4 Nf6 c4 g6"': lambda game: game.has("White", "kasparov") and reaches(game, "d4 Nf6 c4 g6"),
    "white_elo:2500.. played:O-O by:white then played:Bxh7+ by:white": lambda game: (game.rating(chess.WHITE) or 0) >= 2500
    and takes_on_h7(game),
    "played:O-O then played:O-O-O": lambda game: castled_in_turn(game, "short", "long"),
    "player:carlsen played:O-O-O by:player": lambda game: of_player(
        game, "carlsen", lambda color: (color, "long") in game.castlings()
    ),
    "player:carlsen -played:O-O|O-O-O by:opponent": lambda game: game.sides("carlsen") != []
    and all(not any(by == (not color) for by, _ in game.castlings()) for color in game.sides("carlsen")),
    "-played:O-O|O-O-O ply:..29 moves:15..": lambda game: game.moves() >= 15
    and not any(step.castles() for step in game.steps[:30]),
    "played:O-O by:white next played:O-O by:black": lambda game: any(
        one.castles() == two.castles() == "short" and one.board.turn for one, two in zip(game.steps, game.steps[1:])
    ),
    "played:N*xq*+": lambda game: any(step.takes_with_check(chess.KNIGHT, None, chess.QUEEN) for step in game.steps),
    "played:Qxh7+ then is:mate within:3": lambda game: any(
        step.takes_with_check(chess.QUEEN, chess.H7)
        and any(later.board.is_checkmate() for later in game.steps[place + 1 : place + 4])
        for place, step in enumerate(game.steps)
    ),
    "material:KBP*kbp* bishops:opposite": lambda game: any(
        re.fullmatch("BKP*bkp*", kinds(step.board))
        and has_opposite_bishops(step.board)
        for step in game.steps
    ),
    "white_passed:2.. month:12": lambda game: game.tags.get("Date", "")[5:7] == "12"
    and any(len(passed_pawns(step.board)) >= 2 for step in game.steps),
    "sacrifice:3.. by:white result:1-0": lambda game: game.tags["Result"] == "1-0"
    and any(step.board.turn and gives_up(game, place) >= 3 for place, step in enumerate(game.steps)),
    "nag:?? by:black": lambda game: any(4 in node.nags and node.turn() for node in game.nodes),
    "played:Q* clock:..29": lambda game: any(
        (left := node.clock()) is not None and left < 30 and node.board().piece_type_at(node.move.to_square) == chess.QUEEN and not node.move.promotion
        for node in game.nodes
    ),
    "eval:2.. -result:1-0": lambda game: game.tags["Result"] != "1-0"
    and any((value := node.eval()) is not None and value.white().score(mate_score=10_000) >= 200 for node in game.nodes),
    "comment:sacrifice played:Bxh7+|Bxh2+": lambda game: any(
        re.search(r"\bsacrifice", node.comment.lower()) and re.fullmatch(r"Bxh[27][+#]", node.san()) for node in game.nodes
    ),
    'line:"e4 c5" in:variations': lambda game: any(
        node.board().epd() == "rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq -" for node in game.all_nodes
    ),
    "played:Bxh7+ then is:mate in:variations": lambda game: any(
        node.board().is_checkmate()
        and any(re.fullmatch(r"Bxh7[+#]", earlier.san()) and earlier is not node for earlier in [node, *before(node)])
        for node in game.all_nodes
    ),
    "( white:tal result:1-0 | black:tal result:0-1 moves:..25 )": lambda game: game.has("White", "tal")
    and game.tags["Result"] == "1-0"
    or game.has("Black", "tal")
    and game.tags["Result"] == "0-1"
    and game.moves() <= 25,
    "( played:O-O then played:O-O-O | played:O-O-O then played:O-O | bishops:opposite )": lambda game: castled_in_turn(
        game, "short", "long"
    )
    or castled_in_turn(game, "long", "short")
    or any(has_opposite_bishops(step.board) for step in game.steps),
    "player:carlsen -( result:loss | result:draw moves:..20 )": lambda game: game.sides("carlsen") != []
    and not of_player(game, "carlsen", lambda color: game.winner() == (not color))
    and not (game.tags["Result"] == "1/2-1/2" and game.moves() <= 20),
    "pawns:8/pp3ppp/2p5/3p4/3P4/4P3/PP3PPP/8 mirror:colour": lambda game: any(
        is_carlsbad(step.board) for step in game.steps
    ),
    "board:8/8/8/4N3/3P4/8/8/8": lambda game: any(
        step.board.piece_at(chess.E5) == chess.Piece.from_symbol("N")
        and step.board.piece_at(chess.D4) == chess.Piece.from_symbol("P")
        for step in game.steps
    ),
    "material:KRP*krp* for:20": lambda game: game.in_succession(
        20, lambda board: re.fullmatch("KP*Rkp*r", kinds(board)) is not None
    ),
    "diff:..-3 for:10 result:1-0": lambda game: game.tags["Result"] == "1-0"
    and game.in_succession(10, lambda board: behind(board) >= 3),
}

# Both sides may castle to both sides after these moves.
DEVELOPED = "1. d4 d5 2. Nc3 Nc6 3. Bf4 Bf5 4. Qd2 Qd7 5. e3 e6 6. Bd3 Bd6 7. Nf3 Nf6"
QUIET = "1. Nf3 Nf6 2. Ng1 Ng8"
OWN_GAMES = [
    ("White=Carlsen, M; Black=Nepo; BlackElo=2760; Result=1-0", f"{DEVELOPED} 8. O-O-O O-O"),
    ("White=Nepo; Black=Carlsen, M; WhiteElo=2760; Result=1-0", f"{DEVELOPED} 8. O-O O-O-O"),
    ("White=Nepo; Black=Carlsen, M; WhiteElo=2749; Result=0-1", f"{DEVELOPED} 8. O-O-O"),
    ("White=Carlsen, M; Black=Carlsen, H; Result=1-0", f"{DEVELOPED} 8. O-O O-O-O"),
    ("White=Carlsen, M; Black=Tal, M", f"{DEVELOPED} 8. O-O"),
    ("White=Karpov; Black=Kasparov; Event=Linares; Date=1990.??.??; WhiteElo=2699; BlackElo=2700", QUIET),
    ("White=Tal, M; Black=Tal, Mihail; Event=Tata Wijk aan Zee; Date=1985.??.??; WhiteElo=2700; BlackElo=2700", QUIET),
    ("White=Tata; Black=Zee; Event=Wijk aan; Date=1985.11.09", QUIET),
    ("White=A; Black=B; Date=1985.12.??; WhiteElo=2500; BlackElo=65535; Result=1-0", QUIET),
    ("White=A; Black=B; WhiteElo=32484; BlackElo=0; Result=1-0", QUIET),
    ("White=A; Black=B; WhiteElo=2300; BlackElo=2500; Result=1-0", QUIET),
    ("White=A; Black=B; TimeControl=180+2", "1. e4 {[%emt 0:00:01]} e5"),
    ("White=A; Black=B; TimeControl=1800", "1. e4 {[%clk 0:30:00]} e5"),
    ("White=A; Black=B; Annotator=C", "1. e4 {good} (1. d4) 1... e5"),
    ("White=A; Black=B; Annotator=C", "1. e4 {good} e5"),
    ("White=Kasparov; Black=B", "1. c4 Nf6 2. d4 g6"),
    ("White=A; Black=B; WhiteElo=2500", "1. e4 e6 2. d4 d5 3. Nc3 Nf6 4. Nf3 Bb4 5. Bd3 O-O 6. O-O Nc6 7. e5 Ne8 8. Bxh7+"),
    ("White=A; Black=B; WhiteElo=2500", "1. e4 e6 2. d4 d5 3. Nc3 Nf6 4. Nf3 Bb4 5. Bd3 O-O 6. e5 Ne8 7. Bxh7+ Kxh7 8. O-O"),
    ("White=A; Black=B", "1. d4 d5 2. c4 e6 3. Nc3 Nf6 4. cxd5 exd5 5. Bg5 c6 6. e3"),
    ("White=A; Black=B", "1. d4 d5 2. Nf3 Nf6 3. Ne5"),
    ("White=A; Black=B", " ".join([QUIET, *(f"{number}. Nf3 Nf6 {number + 1}. Ng1 Ng8" for number in range(3, 17, 2))])),
    ("White=A; Black=B", f"{DEVELOPED} 8. O-O O-O"),
    ("White=A; Black=B", "1. Nc3 e6 2. Ne4 Qf6 3. Nxf6+"),
    ("White=A; Black=B", "1. Nc3 e6 2. Ne4 Qg5 3. Nxg5"),
    ("White=A; Black=B", "1. e4 e5 2. Qh5 Nf6 3. Qxe5+ Qe7 4. Bc4 d5 5. Qxe7+ Bxe7"),
    ("White=A; Black=B; Result=1-0", "1. e4 g6 2. Qh5 gxh5 3. d4 h6"),
    ("White=A; Black=B; Result=1-0", "1. d4 f5 2. e4 fxe4 3. Nc3 Nf6 4. Bg5 e6 5. Nxe4 Be7 6. Bxf6 Bxf6 7. Nf3 O-O 8. Bd3 b6 9. Ne5 Bb7 10. Qh5 Qe7 11. Qxh7+ Kxh7 12. Nxf6+ Kh6 13. Neg4+ Kg5 14. h4+ Kf4 15. g3+ Kf3 16. Be2+ Kg2 17. Rh2+ Kg1 18. Kd2#"),
    ("White=A; Black=B; Result=1-0", "1. e4 e6 2. d4 d5 3. Nc3 Nf6 4. Bg5 Be7 5. e5 Nfd7 6. h4 O-O 7. Bd3 b6 8. Bxh7+ Kxh7 9. Qh5+ Kg8 10. Bxe7 Qxe7 11. Qh7+"),
    ("White=A; Black=B; Result=1/2-1/2", "1. e4 ?? {[%eval 1.99]} e5 2. Qh5 {[%clk 0:00:30] [%eval 2]} Nc6 ?? 3. Qxe5+ {[%clk 0:00:29]}"),
    ("White=A; Black=B; Result=1-0", "1. e4 ?? {[%eval #-1]} e5 2. Nf3 {[%clk 0:00:29] [%eval 2]} Nc6"),
    ("White=A; Black=B; Result=0-1", "1. e4 e6 2. d4 d5 3. Bd3 Bd6 4. Nf3 Nf6 5. O-O O-O 6. e5 Ne4 7. exd6 Qxd6 8. Bxe4 dxe4 9. Ng5 Qxh2+ {a sacrifice}"),
    ("White=A; Black=B; Result=0-1", "1. e4 e6 2. d4 d5 3. Nc3 Nf6 4. Nf3 Bb4 5. Bd3 O-O 6. O-O Nc6 7. e5 Ne8 8. Bxh7+ {the sacrifices begin}"),
    ("White=A; Black=B", "1. e4 e5 (1... c5 2. Nf3) 2. Nf3"),
    ("White=A; Black=B", "1. e4 e6 2. d4 d5 3. Bd3 Nf6 4. Nf3 Be7 5. e5 Nfd7 6. O-O O-O (6... a6 7. h4 O-O 8. Bxh7+ Kxh7 9. Ng5+ Kg8 10. Qh5 Re8 (10... Bxg5 11. hxg5) 11. Qxf7+ Kh8 12. Qh5+ Kg8 13. Qh7+ Kf8 14. Qh8#) 7. Re1"),
    ("White=Tal, M; Black=B; Result=1-0", QUIET),
    ("White=A; Black=Tal, M; Result=0-1", QUIET),
    ("White=Carlsen, M; Black=B; Result=1/2-1/2", QUIET),
    ("White=A; Black=B; Date=1990.12.??", "1. a4 b5 2. axb5 a6 3. bxa6 c5 4. h4 g5 5. hxg5 h6 6. gxh6 f5"),
    ("White=A; Black=B; Result=1-0", "1. e4 d5 2. Nc3 dxe4 3. d3 exd3 4. Bf4 dxc2 5. Nf3 Nf6 6. Be2 e6 7. O-O Be7 8. Re1 O-O"),
]


def own_games() -> str:
    games = []
    for tags, moves in OWN_GAMES:
        pairs = dict(tag.split("=", 1) for tag in tags.split("; "))
        text = "".join(f'[{name} "{value}"]\n' for name, value in {"Result": "*", **pairs}.items())
        games.append(f"{text}\n{moves} {pairs.get('Result', '*')}\n\n")
    for fen, moves in [
        # Mate on h7 and beside it, a bishop of each colour or of one.
        ("6k1/5ppp/8/3B3Q/8/3B4/8/6K1 w - - 0 1", "1. Qxh7+ Kf8 2. Qh8+ Ke7"),
        ("5rk1/5ppp/8/7Q/8/3B4/8/6K1 w - - 0 1", "1. Qxh7#"),
        ("4k3/p7/2b5/8/8/2B5/P7/4K3 w - - 0 1", "1. Kd2 Kd7"),
        ("4k3/p7/2b5/8/2B5/8/P7/4K3 w - - 0 1", "1. Kd2 Kd7"),
    ]:
        games.append(f'[White "A"]\n[Black "B"]\n[Result "*"]\n[SetUp "1"]\n[FEN "{fen}"]\n\n{moves} *\n\n')
    rook_ending = " ".join(f"{n}. Ra{1 + n % 2} Rh{8 - n % 2}" for n in range(1, 13))
    setup = '[SetUp "1"]\n[FEN "4k2r/8/8/8/8/8/8/R3K3 w - - 0 1"]\n'
    games.append(f'[White "A"]\n[Black "B"]\n[Result "*"]\n{setup}\n{rook_ending} *\n\n')
    return "".join(games)


def examples(page: str) -> Iterator[tuple[str, str]]:
    """The titles and queries of the page."""
    section = page.split("## Examples", 1)[1].split("\n## ", 1)[0]
    title = ""
    for line in section.splitlines():
        if line.startswith("    "):
            yield title, line.strip()
        elif line:
            title = line


def main() -> None:
    pgnfs, page, folder = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    own = folder / "examples.pgn"
    own.write_text(own_games(), encoding="utf-8")
    asked = list(examples(page.read_text(encoding="utf-8")))
    missing = [query for _, query in asked if query not in EXAMPLES]
    if missing or len(asked) < len(EXAMPLES):
        sys.exit(f"{page} and this file have different examples: {missing or sorted({*EXAMPLES} - {q for _, q in asked})}")
    answers: dict[str, int] = {}
    differences = Differences("by force")
    for path in [own, *map(Path, sys.argv[4:])]:
        counted: dict[str, set[int]] = {query: set() for _, query in asked}
        with path.open(encoding="utf-8") as file:
            number = 0
            while (read := chess.pgn.read_game(file)) is not None:
                number += 1
                assert not read.errors, (path, number, read.errors)
                game = Game(read)
                for query, holds in EXAMPLES.items():
                    if holds(game):
                        counted[query].add(number)
        for title, query in asked:
            found = set(numbers(find(pgnfs, query, str(path))))
            differences.compare(query, found, counted[query], title)
            answers[query] = answers.get(query, 0) + len(found)
        print(f"{path.name}: {number} games")
    for title, query in asked:
        print(f"{answers[query]:6} {query}")
        if not answers[query]:
            print(f"NOT ANSWERED by any game: {title}")
            differences.differ += 1
    differences.report()
    sys.exit(differences.differ > 0)


if __name__ == "__main__":
    main()
