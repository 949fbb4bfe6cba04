"""What one seat, or the public, may know of a match. Pictures, computer players and messages take only this.

A `PlayerView` is made of plain frozen values: it can go to another thread while the match goes on.
"""

from dataclasses import dataclass, replace

from engine.board.board import Placement
from engine.board.demands import Place
from engine.board.lattice import Cell, Site
from engine.board.tiles import Tile
from engine.match.actions import Action, Choose, Draw, Option, Pass, Play
from engine.match.decide import options, reward
from engine.match.events import Dealt, Drew, Event, InRound, MatchEnded, Placed, RoundEnded
from engine.match.rules import Reward, Rules
from engine.match.state import Match


@dataclass(frozen=True, slots=True)
class SeatView:
    """A seat from across the table."""

    seat: int
    total: int
    change: int | None
    """Points of its last turn or award; None before the first."""
    tiles: int
    """Tiles left in its hand."""
    computer: bool
    resigned: bool
    hexagons: int
    bridges: int
    best: int
    hand: tuple[Tile, ...] | None
    """Its tiles where they may be seen: one's own, and everybody's once the round is over."""


@dataclass(frozen=True, slots=True)
class Move:
    """A placement that the viewer's hand allows, and what it would score after the cost of drawing."""

    placement: Placement
    letter: str
    points: int
    base: int
    hexagons: int
    bridge: bool
    matched: int
    corner: bool
    beside: int | None
    reward: Reward | None
    """What may be taken for it beside its points."""


@dataclass(frozen=True, slots=True)
class PlayerView:
    """The table from one chair, or from the audience when `viewer` is None."""

    rules: Rules
    viewer: int | None
    by_hand: bool
    commitment: str
    round: int
    turn: int
    """Whose turn it is; meaningless once the match has ended."""
    drawn: int
    """Tiles drawn in the running turn."""
    can_draw: bool
    options: tuple[Option, ...]
    """What the viewer, when it is to act, may choose now beside placing a tile. It depends on the hand."""
    reward: Reward | None
    """The bonus that it is to choose from."""
    bonus_tiles: int
    """The tiles of a bonus that it may still place."""
    further: bool
    """Whether it has a further turn, which it may leave."""
    can_take_back: bool
    """Whether the viewer may take its last placement back."""
    left: tuple[int, ...]
    """The seats that resigned, first to go first."""
    failed: tuple[int, ...]
    """The seats that ended a turn without placing since the last placement, in that order."""
    latched: bool
    """Whether the target was reached, so that this round is the last."""
    seats: tuple[SeatView, ...]
    boneyard: int
    aside: int
    """Tiles that nobody gets in this round."""
    tiles: tuple[Placement, ...]
    """The table in the order of play."""
    places: tuple[Place, ...]
    """Where some unplayed tile could go, top to bottom and left to right; the letters are the same for everybody."""
    dead: tuple[Cell, ...]
    """Open cells that no unplayed tile fits."""
    hexagons: tuple[Site, ...]
    newest: tuple[Site, ...]
    """The hexagons that the last placement closed; a part of `hexagons`."""
    bridges: tuple[Cell, ...]
    last: Placed | None
    history: tuple[InRound, ...]
    """What the seats did in the running round, in order: of a draw only that there was one. What was taken back is not
    among it."""
    round_over: RoundEnded | None
    """How the round ended, hands open. One that the end of the match cut short ended with nobody out and no award."""
    ended: MatchEnded | None
    choices: tuple[Tile, ...]
    """Before the opening: the tiles the viewer may open with; empty for anybody else."""
    moves: tuple[Move, ...]
    """What the viewer's hand allows on this table, best first, whoever's turn it is; nothing once all is decided."""

    @property
    def mine(self) -> SeatView | None:
        """The viewer's own seat."""
        return None if self.viewer is None else self.seats[self.viewer]

    @property
    def my_turn(self) -> bool:
        """Whether the viewer is to act."""
        return self.viewer is not None and self.ended is None and self.turn == self.viewer

    def place(self, cell: Cell) -> Place | None:
        """The lettered place at a cell."""
        return next((place for place in self.places if place.cell == cell), None)


def view_for(match: Match, viewer: int | None) -> PlayerView:
    """The table as `viewer` may know it."""
    # Where a match is decided in the middle of a round, no place is open any more.
    places, dead = match.board.places() if match.ended is None else ((), ())
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
        options=options(match) if viewer == match.turn else (),
        reward=reward(match) if match.choosing else None,
        bonus_tiles=match.bonus_tiles,
        further=match.further,
        can_take_back=viewer is not None and match.can_take_back(viewer),
        left=tuple(match.left),
        failed=tuple(match.failed),
        latched=match.latched,
        seats=tuple(_seat(match, number, viewer) for number in range(len(match.seats))),
        boneyard=len(match.boneyard),
        aside=len(match.aside),
        tiles=tuple(match.board.placed.values()),
        places=places,
        dead=dead,
        hexagons=match.hexagons,
        newest=match.newest,
        bridges=match.bridges,
        last=match.last,
        history=tuple(match.history),
        round_over=match.round_over or _cut_short(match),
        ended=match.ended,
        choices=match.choices if opening and viewer == match.turn else (),
        moves=() if viewer is None or match.ended else _moves(match, viewer, letters),
    )


def _cut_short(match: Match) -> RoundEnded | None:
    """The end of a round that the end of the match cut short: all hands are open now, as after any other."""
    if match.ended is None:
        return None
    hands = tuple(() if seat.resigned else tuple(seat.hand) for seat in match.seats)
    return RoundEnded(match.round, None, hands, (0,) * len(hands))


def unseen(seen: PlayerView) -> list[Tile]:
    """The tiles of the set that lie neither on the table nor in a hand that the viewer sees, lowest first."""
    hands = (tile for seat in seen.seats for tile in seat.hand or ())
    return sorted({*seen.rules.tiles} - {*hands} - {lies.tile for lies in seen.tiles})


def redacted(event: Event, viewer: int | None) -> Event:
    """The event as `viewer` may know it: others' drawn tiles, hands, the order of the boneyard and what
    was set aside are left out."""
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


def _seat(match: Match, number: int, viewer: int | None) -> SeatView:
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


def _moves(match: Match, viewer: int, letters: dict[Cell, str]) -> tuple[Move, ...]:
    rules, mine = match.rules, match.turn == viewer
    cost = rules.draw_cost * match.drawn if mine else 0
    moves = []
    for placement in match.legal(viewer):
        earned = rules.score(match.board, placement)
        bonus_tile = mine and match.bonus_tiles > 0
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
                reward=rules.reward(placement.tile, earned, opening=not match.board.placed, bonus_tile=bonus_tile),
            )
        )
    return tuple(
        sorted(moves, key=lambda move: (-move.points, move.placement.tile, move.letter, move.placement.rotation))
    )


def legal_actions(seen: PlayerView) -> tuple[Action, ...]:
    """The actions of the seat that is looking that the rules allow, its placements first, best first.

    It is what `decide` takes, resigning and taking back left out; nothing where it is somebody else's turn or the round
    is over. Never empty while the seat is to act.
    """
    if not seen.my_turn or seen.round_over is not None:
        return ()
    seat = seen.turn
    chosen = [Choose(seat, option) for option in seen.options]
    if seen.reward is not None:
        return tuple(chosen)
    plays = [Play(seat, lies.tile, lies.cell, lies.rotation) for lies in (move.placement for move in seen.moves)]
    if chosen or (plays and not (seen.rules.may_draw_freely and seen.tiles)):
        return (*plays, *chosen)
    if seen.can_draw:
        return (*plays, Draw(seat))
    # Who may draw instead of playing may stay out after it, but not without.
    return (*plays, Pass(seat)) if seen.drawn or not plays else tuple(plays)
