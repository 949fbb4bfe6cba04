"""What one seat, or the public, may know of a match. Pictures, computer players and messages take only this.

A `PlayerView` consists of frozen values: another thread can use it while the match continues.
"""

from dataclasses import dataclass, replace

from engine.board.board import Placement
from engine.board.demands import Place
from engine.board.lattice import Cell, Site
from engine.board.tiles import Tile, count_pips
from engine.match.actions import Action, Choose, Draw, Option, Pass, Play
from engine.match.decide import compute_reward, list_options
from engine.match.events import Dealt, Drew, Event, MatchEnded, Placed, RoundEnded, RoundEvent
from engine.match.rules import Reward, Rules
from engine.match.state import Match


@dataclass(frozen=True, slots=True)
class SeatView:
    """A seat as others see it."""

    seat: int
    total: int
    change: int | None  # points of the last turn or award; None before the first
    tiles: int  # number in its hand
    computer: bool
    resigned: bool
    hexagons: int
    bridges: int
    best: int
    hand: tuple[Tile, ...] | None  # visible tiles: the viewer's own, and all hands after the round


@dataclass(frozen=True, slots=True)
class Move:
    """A legal placement of the viewer's hand, and its score after the cost of drawing."""

    placement: Placement
    letter: str
    points: int
    base: int
    hexagons: int
    bridge: bool
    matched: int
    corner: bool
    beside: int | None
    reward: Reward | None  # the bonus to choose besides the points


@dataclass(frozen=True, slots=True)
class PlayerView:
    """The table as one seat sees it, or as the public does (`viewer` None)."""

    rules: Rules
    viewer: int | None
    by_hand: bool
    commitment: str
    round: int
    turn: int  # meaningless once the match has ended
    drawn: int  # in the running turn
    can_draw: bool
    options: tuple[Option, ...]  # choices of the viewer, if it is to act; they depend on the hand
    reward: Reward | None  # the bonus to choose from
    bonus_tiles: int  # tiles of a bonus that may still be placed
    further: bool  # whether it is a further turn, which may be left
    can_undo: bool  # whether the viewer may undo its last placement
    resigned_seats: tuple[int, ...]  # seats that resigned, in order
    failed: tuple[int, ...]  # seats that passed since the last placement, in order
    latched: bool  # whether the target was reached, so that this round is the last
    seats: tuple[SeatView, ...]
    boneyard: int
    aside: int  # number of tiles out of this round
    tiles: tuple[Placement, ...]  # in the order of play
    places: tuple[Place, ...]
    """Cells that some unplayed tile fits, top to bottom and left to right; letters are the same for all."""
    dead: tuple[Cell, ...]  # open cells that no unplayed tile fits
    impossible: tuple[Cell, ...]  # those of `dead` that no tile of the set fits
    hexagons: tuple[Site, ...]
    newest: tuple[Site, ...]  # hexagons that the last placement closed; a part of `hexagons`
    bridges: tuple[Cell, ...]
    last: Placed | None
    history: tuple[RoundEvent, ...]  # what the seats did in this round, in order, without drawn tiles and undone moves
    round_over: RoundEnded | None
    """End of the round, hands open. If the end of the match cut it short: no seat out, no awards."""
    ended: MatchEnded | None
    choices: tuple[Tile, ...]  # before the opening: tiles that the viewer may open with
    moves: tuple[Move, ...]  # legal placements of the viewer's hand, best first, in any turn; empty after the match

    @property
    def own_seat(self) -> SeatView | None:
        return None if self.viewer is None else self.seats[self.viewer]

    @property
    def is_own_turn(self) -> bool:
        return self.viewer is not None and self.ended is None and self.turn == self.viewer

    def find_place(self, cell: Cell) -> Place | None:
        return next((place for place in self.places if place.cell == cell), None)


def view_for(match: Match, viewer: int | None) -> PlayerView:
    """Return the match as `viewer` may know it."""
    # A match that ends within a round leaves no place open.
    places, dead, impossible = match.board.list_places() if match.ended is None else ((), (), ())
    letters = {place.cell: place.letter for place in places}
    opening = not match.board.placed and match.round_over is None
    return PlayerView(
        rules=match.rules,
        viewer=viewer,
        by_hand=match.by_hand,
        commitment=match.commitment,
        round=match.round,
        turn=match.turn,
        drawn=match.drawn,
        can_draw=match.can_draw(),
        options=list_options(match) if viewer == match.turn else (),
        reward=compute_reward(match) if match.choosing else None,
        bonus_tiles=match.bonus_tiles,
        further=match.further,
        can_undo=viewer is not None and match.can_undo(viewer),
        resigned_seats=tuple(match.resigned_seats),
        failed=tuple(match.failed),
        latched=match.latched,
        seats=tuple(_build_seat_view(match, number, viewer) for number in range(len(match.seats))),
        boneyard=len(match.boneyard),
        aside=len(match.aside),
        tiles=tuple(match.board.placed.values()),
        places=places,
        dead=dead,
        impossible=impossible,
        hexagons=match.hexagons,
        newest=match.newest,
        bridges=match.bridges,
        last=match.last,
        history=tuple(match.history),
        round_over=match.round_over or _build_cut_round_end(match),
        ended=match.ended,
        choices=match.choices if opening and viewer == match.turn else (),
        moves=() if viewer is None or match.ended else _list_moves(match, viewer, letters),
    )


def _build_cut_round_end(match: Match) -> RoundEnded | None:
    if match.ended is None:
        return None
    hands = tuple(() if seat.resigned else tuple(seat.hand) for seat in match.seats)
    return RoundEnded(match.round, None, hands, (0,) * len(hands))


def list_unseen_tiles(view: PlayerView) -> list[Tile]:
    """Return the tiles that are neither on the table nor in a hand that the viewer sees, lowest first."""
    hands = (tile for seat in view.seats for tile in seat.hand or ())
    return sorted({*view.rules.tiles} - {*hands} - {placement.tile for placement in view.tiles})


def redact_event(event: Event, viewer: int | None) -> Event:
    """Return the event without others' draws and hands, the boneyard and tiles set aside."""
    match event:
        case Drew(seat) if seat != viewer:
            return Drew(seat, None)
        case Dealt(hands=hands, opener=opener):
            return replace(
                event,
                hands=tuple(hand if seat == viewer else () for seat, hand in enumerate(hands)),
                boneyard=(),
                aside=(),
                choices=event.choices if opener == viewer else (),
            )
        case _:
            return event


def _build_seat_view(match: Match, number: int, viewer: int | None) -> SeatView:
    seat = match.seats[number]
    shown = number == viewer or match.round_over is not None or match.ended is not None
    return SeatView(
        seat=number,
        total=seat.total,
        change=seat.change,
        tiles=len(seat.hand),
        computer=seat.computer,
        resigned=seat.resigned,
        hexagons=seat.hexagons,
        bridges=seat.bridges,
        best=seat.best,
        hand=tuple(sorted(seat.hand)) if shown else None,
    )


def _list_moves(match: Match, viewer: int, letters: dict[Cell, str]) -> tuple[Move, ...]:
    rules, is_own_turn = match.rules, match.turn == viewer
    cost = rules.draw_cost * match.drawn if is_own_turn else 0
    moves = []
    for placement in match.list_legal_moves(viewer):
        earned = rules.score_placement(match.board, placement)
        bonus_tile = is_own_turn and match.bonus_tiles > 0
        moves.append(
            Move(
                placement=placement,
                letter=letters[placement.cell],
                points=earned.points - cost,
                base=earned.base,
                hexagons=earned.hexagons,
                bridge=earned.bridge,
                matched=earned.matched,
                corner=earned.corner,
                beside=earned.beside,
                reward=rules.find_reward(placement.tile, earned, opening=not match.board.placed, bonus_tile=bonus_tile),
            )
        )
    return tuple(sorted(moves, key=_rank_move))


def _rank_move(move: Move) -> tuple[int, int, Tile, str, int]:
    """Sort by points; of equal ones the heaviest tile first, because tiles left in the hand cost points."""
    tile = move.placement.tile
    return -move.points, -count_pips(tile), tile, move.letter, move.placement.rotation


def list_legal_actions(view: PlayerView) -> tuple[Action, ...]:
    """Return the legal actions of the viewer, best placement first; without resigning and undoing. Empty in another
    seat's turn or after the round, never empty while the seat is to act.
    """
    if not view.is_own_turn or view.round_over is not None:
        return ()
    seat = view.turn
    choices = [Choose(seat, option) for option in view.options]
    if view.reward is not None:
        return tuple(choices)
    plays = [
        Play(seat, placement.tile, placement.cell, placement.rotation)
        for placement in (move.placement for move in view.moves)
    ]
    if choices or (plays and not (view.rules.may_draw_freely and view.tiles)):
        return (*plays, *choices)
    if view.can_draw:
        return (*plays, Draw(seat))
    # After a voluntary draw a player may pass, but not without one.
    return (*plays, Pass(seat)) if view.drawn or not plays else tuple(plays)
