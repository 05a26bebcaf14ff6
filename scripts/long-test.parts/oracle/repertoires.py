"""What a repertoire says of the lines of games."""

from typing import Optional

import chess

from oracle.games import Game, Line, View


def key(fields: list[str], has_castling: bool) -> str:
    return " ".join([*fields[:2], fields[2] if has_castling else "-", fields[3]])


class Repertoire:
    """The moves of its positions as UCI, with and without castling: the latter for files that are exchanged."""

    def __init__(self, games: list[Game]) -> None:
        self.moves: dict[bool, dict[str, set[str]]] = {True: {}, False: {}}
        for view in (view for game in games for line in game.views(all_lines=True) for view in line):
            for has_castling, moves in self.moves.items():
                own = moves.setdefault(key(view.fields, has_castling), set())
                is_castling = isinstance(view.move, str) and view.move.startswith("O-O")
                if view.uci is not None and (has_castling or not is_castling):
                    own.add(view.uci)

    def plies(self, views: list[View], by: str) -> list[int]:
        """The plies at which a line plays a move of the repertoire, if it does wherever the repertoire has some."""
        found = []
        for ply, view in enumerate(views[:-1]):
            has_castling = view.fields[2] != "any"
            moves = self.moves[has_castling].get(key(view.fields, has_castling))
            if view.fields[1] != by or not moves:
                continue
            if view.uci not in moves:
                return []
            found.append(ply)
        return found

    def left(self, line: Line, by: Optional[chess.Color]) -> Optional[tuple[str, ...]]:
        """Where a line leaves it: ply, side, move, and the moves of the repertoire, which belongs to a side or nobody."""
        moves, left = self.moves[True], None
        for ply, board in enumerate(line.positions()):
            own = moves.get(" ".join(board.epd().split()[:4]))
            if own is not None:
                left = None
            move = line.moves[ply] if ply < len(line.moves) else None
            if own and move and move.uci() not in own:
                sans = sorted(board.san(chess.Move.from_uci(uci)) for uci in own)
                left = str(ply), "white" if board.turn else "black", board.san(move), " ".join(sans)
                if board.turn == by:
                    return left
        return left
