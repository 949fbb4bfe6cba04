"""What follows a move: the further tiles of a bonus, a further turn, and the places that it opens."""

from functools import cached_property
from typing import Final

from engine.board.board import Board, Placement
from engine.match.player_view import Move, PlayerView
from engine.match.rules import Rules
from engine.match.turns import can_place_bonus


class Following:
    """Tries the moves of whoever is looking on a table of its own, laid once."""

    def __init__(self, seen: PlayerView) -> None:
        self._seen: Final = seen

    @cached_property
    def _board(self) -> Board:
        board = self._seen.rules.board()
        for lies in self._seen.tiles:
            board.place(lies)
        return board

    def brings_tiles(self, move: Move) -> bool:
        """Whether its bonus can be taken as further tiles, too: where they cannot be placed there are the points."""
        return move.reward is not None and self._fits(move, bonus=True)

    def brings_turn(self, move: Move) -> bool:
        """Whether a further turn follows in which a tile can be placed: without one it is over at once."""
        return move.corner and self._fits(move, bonus=False)

    def _fits(self, move: Move, *, bonus: bool) -> bool:
        board, mine = self._board, self._seen.mine
        assert mine is not None, "nobody is looking"
        tableau, kept = board.tableau, board.hand([tile for tile in mine.hand or () if tile != move.placement.tile])
        tableau.place(*board.plies[move.placement])
        try:
            return can_place_bonus(tableau, kept, self._seen.rules) if bonus else tableau.has_legal(kept)
        finally:
            tableau.undo()


class Outlook:
    """A table on which moves are tried, to tell what they would open."""

    def __init__(self, rules: Rules, tiles: tuple[Placement, ...]) -> None:
        self._board = rules.board()
        for lies in tiles:
            self._board.place(lies)

    def opened(self, placement: Placement) -> int:
        """How many new places there would be that some unplayed tile fits."""
        tableau = self._board.tableau
        before = tableau.open()
        tableau.place(*self._board.plies[placement])
        table = tableau.table
        unplayed = table.whole & ~tableau.played
        found = sum(
            bool(table.masks[demand] & unplayed) for cell, demand in tableau.open().items() if cell not in before
        )
        tableau.undo()
        return found
