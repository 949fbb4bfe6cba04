"""The state of a match, how each event changes it, and how placements are undone (docs/rules.md §10).

`decide` says what happens; this only applies it. A `Moment` keeps the few values that a placement, a choice or a pass
changes. Moments pile up in `Match.behind` until something hidden is revealed: a draw, a deal, the end of a round and a
seat that leaves clear the list.

`replace` is `dataclasses.replace` in a third of the time. Loading a table applies its whole log, and each event makes
about five values of up to two dozen fields.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, fields
from functools import cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple, assert_never

from engine.board.board import Board, Placement
from engine.board.lattice import Cell, Site
from engine.board.tableau import laid
from engine.board.tiles import Tile
from engine.match.events import (
    Chose,
    Dealt,
    Drew,
    Event,
    InRound,
    MatchEnded,
    Passed,
    Placed,
    Resigned,
    RoundEnded,
    Started,
    Undone,
)
from engine.match.rules import Rules
from engine.match.turns import firsts_of_bonus

if TYPE_CHECKING:
    # With its own types: what a field may be is checked.
    from dataclasses import replace as replace
else:

    def replace(value, /, **changes):
        """The same but for these fields; of a dataclass with slots, which checks nothing when it is made.

        Raises KeyError where there is no such field, TypeError for any other value.
        """
        put, taken = _ways(type(value))
        twin = object.__new__(type(value))
        for set_field, was in zip(put.values(), taken(value), strict=True):
            set_field(twin, was)
        for name, new in changes.items():
            put[name](twin, new)
        return twin


@cache
def _ways(kind: type[Any]) -> tuple[dict[str, Callable[[Any, Any], None]], Callable[[Any], tuple[Any, ...]]]:
    """How the fields of a class are set, by name and past its being frozen; and how all are read at once."""
    names = [field.name for field in fields(kind)]
    if "__slots__" not in kind.__dict__ or hasattr(kind, "__post_init__") or not all(f.init for f in fields(kind)):
        raise TypeError(f"{kind.__name__} is no plain dataclass with slots")
    one = attrgetter(*names)
    return {name: getattr(kind, name).__set__ for name in names}, one if len(names) > 1 else lambda value: (one(value),)


class Moment(NamedTuple):
    """A match right before a seat placed a tile or passed."""

    seat: int
    tile: Tile | None
    """The tile that was placed then; None for a pass."""
    at: int
    """Where in the hand it was."""
    table: tuple[Any, ...]
    """What changes of a match beside its board."""
    score: tuple[Any, ...]
    """What changes of that seat beside its hand."""
    fair: bool = True
    """Whether the seat may still come back here by itself: nobody else has shown anything since."""


def last_placement(behind: Sequence[Moment], seat: int) -> Moment | None:
    """The newest moment at which this seat placed a tile that can be gone back to."""
    return next((moment for moment in reversed(behind) if moment.seat == seat and moment.tile is not None), None)


def may_go_back(behind: Sequence[Moment], seat: int) -> bool:
    """Whether the seat placed last and may undo that without asking anybody."""
    if not behind:
        return False
    newest = behind[-1]
    return newest.seat == seat and newest.tile is not None and newest.fair


def closed(behind: tuple[Moment, ...], seat: int) -> tuple[Moment, ...]:
    """A tile that this seat took back has been seen: those who placed before it go back no further by themselves."""
    if behind and behind[-1].seat != seat:
        *rest, newest = behind
        return (*rest, newest._replace(fair=False))
    return behind


@dataclass(slots=True)
class Seat:
    """One chair at the table: what it holds and what it has earned."""

    computer: bool
    hand: list[Tile] = field(default_factory=list)
    total: int = 0
    change: int | None = None
    """Points of its last turn or award; None before the first."""
    resigned: bool = False
    hexagons: int = 0
    bridges: int = 0
    best: int = 0
    """The most points one placement of this seat has made."""


@dataclass(slots=True)
class Match:
    """Everything true of a match, hidden tiles included. It stays in the engine and the services."""

    rules: Rules
    by_hand: bool
    commitment: str
    seats: list[Seat]
    board: Board
    boneyard: list[Tile] = field(default_factory=list)
    """The next tile to draw is the last."""
    aside: tuple[Tile, ...] = ()
    """Tiles of this round that nobody gets."""
    round: int = 0
    turn: int = 0
    choices: tuple[Tile, ...] = ()
    """What the opener may open with."""
    drawn: int = 0
    """Tiles drawn in the running turn."""
    choosing: bool = False
    """Whether the running turn waits for a choice between bonuses."""
    bonus_tiles: int = 0
    """Tiles of a bonus that the running turn may still place."""
    further: bool = False
    """Whether the running turn is a further one, which may be left."""
    failed: list[int] = field(default_factory=list)
    """The seats that ended a turn without placing since the last placement, in that order."""
    latched: bool = False
    """Whether a total has reached the target in this round, or a tie is played off: then it is the last."""
    last: Placed | None = None
    history: list[InRound] = field(default_factory=list)
    """What the seats did in this round, of a draw only that there was one. What was taken back is not among it."""
    left: list[int] = field(default_factory=list)
    """The seats that resigned, first to go first."""
    newest: tuple[Site, ...] = ()
    """The hexagons the last placement closed, by their middle."""
    hexagons: tuple[Site, ...] = ()
    """All hexagons of the round, by their middle."""
    bridges: tuple[Cell, ...] = ()
    """The tiles of the round that earned a bridge."""
    contributions: tuple[str, ...] = ()
    """What each seat added to the deals; empty under the first version of the shuffle."""
    round_over: RoundEnded | None = None
    """Between the end of a round and the next deal."""
    ended: MatchEnded | None = None
    behind: tuple[Moment, ...] = ()
    """What can be gone back to, oldest first."""

    def copy(self) -> "Match":
        """The same match, to try or to carry on without touching this one."""
        return replace(
            self,
            seats=[replace(seat, hand=seat.hand.copy()) for seat in self.seats],
            board=self.board.copy(),
            boneyard=self.boneyard.copy(),
            failed=self.failed.copy(),
            left=self.left.copy(),
            history=self.history.copy(),
        )

    @property
    def active(self) -> list[int]:
        """The seats still in the match."""
        return [number for number, seat in enumerate(self.seats) if not seat.resigned]

    def next_active(self, seat: int) -> int:
        """Whose turn follows `seat`'s."""
        seats = self.seats
        following = (seat + 1) % len(seats)
        while seats[following].resigned:
            following = (following + 1) % len(seats)
        return following

    def legal(self, seat: int) -> list[Placement]:
        """Every placement this seat's hand allows now, whoever's turn it is."""
        if not self.board.placed:
            return self.board.legal(self.choices) if seat == self.turn else []
        hand = self.seats[seat].hand
        if seat == self.turn and self.bonus_tiles > 1 and not self.rules.partial_reward:
            board = self.board
            return [board.named[move] for move in sorted(firsts_of_bonus(board.tableau, board.hand(hand)))]
        return self.board.legal(hand)

    def can_draw(self) -> bool:
        """Whether the running turn may still take a tile from the boneyard."""
        return self.drawn < self.rules.most_draws and bool(self.boneyard) and not (self.bonus_tiles or self.further)

    def can_take_back(self, seat: int) -> bool:
        """Whether the seat may take its last placement back without asking anybody."""
        return not self.ended and may_go_back(self.behind, seat)


def started(event: Started) -> Match:
    """The match that this first event begins."""
    return Match(
        rules=event.rules,
        by_hand=event.by_hand,
        commitment=event.commitment,
        seats=[Seat(computer=number in event.computers) for number in range(event.seats)],
        board=event.rules.board(),
        contributions=event.contributions,
    )


def replay(events: Iterable[Event]) -> Match:
    """Fold a whole log. Raises ValueError when it does not begin with Started."""
    log = iter(events)
    first = next(log, None)
    if not isinstance(first, Started):
        raise ValueError("a match begins with Started")
    match = started(first)
    for event in log:
        evolve(match, event)
    return match


def evolve(match: Match, event: Event) -> None:
    """Change the match by what happened."""
    match event:
        case Placed():
            _place(match, event)
        case Drew(seat, tile):
            if tile is None or match.boneyard[-1:] != [tile]:
                raise ValueError("the log draws a tile that is not next in the boneyard")
            match.boneyard.pop()
            match.seats[seat].hand.append(tile)
            match.drawn += 1
            match.behind = ()
            match.history.append(Drew(seat, None))
        case Dealt():
            _deal(match, event)
        case Chose(seat, _, points, tiles):
            if points:
                _score(match, seat, points)
            match.choosing, match.further = False, False
            match.bonus_tiles += tiles
            match.history.append(event)
            if event.option == "stop" or not match.bonus_tiles:
                _hand_over(match, seat)
        case Passed(seat, _, points):
            _remember(match, seat)
            _score(match, seat, points)
            # A new list: moments keep the one before.
            match.failed = [*match.failed, seat]
            match.history.append(event)
            _hand_over(match, seat)
        case RoundEnded(awards=awards):
            for seat, award in enumerate(awards):
                if award:
                    _score(match, seat, award)
            match.round_over = event
            match.behind = ()
        case Undone(seat):
            _take_back(match, seat)
        case Resigned(seat):
            match.behind = ()
            match.seats[seat].resigned = True
            match.left.append(seat)
            match.history.append(event)
            if match.turn == seat:
                _hand_over(match, seat)
        case MatchEnded():
            match.ended = event
        case Started():
            raise ValueError("a match starts once")
        case _:
            assert_never(event)


def _deal(match: Match, event: Dealt) -> None:
    match.round = event.round
    for seat, hand in zip(match.seats, event.hands, strict=True):
        seat.hand = list(hand)
    match.boneyard = list(reversed(event.boneyard))
    match.aside = event.aside
    match.board = match.rules.board()
    match.turn, match.choices = event.opener, event.choices
    match.drawn = match.bonus_tiles = 0
    match.choosing = match.further = False
    match.failed = []
    match.last = match.round_over = None
    match.newest = match.hexagons = ()
    match.bridges = ()
    match.behind = ()
    match.history = []
    # Once somebody has the target, another round is dealt only to play off a tie, and that one decides (RULES §3.1).
    if any(0 < match.rules.target <= match.seats[seat].total for seat in match.active):
        match.latched = True


def _place(match: Match, event: Placed) -> None:
    seat, tile = match.seats[event.seat], event.tile
    at = seat.hand.index(tile)
    _remember(match, event.seat, tile, at)
    del seat.hand[at]
    match.board.place(laid(Placement, (tile, event.cell, event.rotation)))
    seat.hexagons += event.hexagons
    seat.bridges += event.bridge
    if event.points > seat.best:
        seat.best = event.points
    match.newest = ()
    if event.hexagons:
        match.newest = match.board.closed(event.cell)
        match.hexagons += match.newest
    if event.bridge:
        match.bridges += (event.cell,)
    match.last = event
    match.history.append(event)
    match.failed = []
    match.drawn = 0
    if match.bonus_tiles:
        match.bonus_tiles -= 1
    match.choosing = event.follows == "choice"
    match.further = event.follows == "further"
    _score(match, event.seat, event.points)
    if event.follows == "next":
        _hand_over(match, event.seat)


def _score(match: Match, seat: int, points: int) -> None:
    scorer = match.seats[seat]
    scorer.total += points
    scorer.change = points
    # Once reached, the target makes this round the last even if the total drops again (RULES §3, Game end).
    if not match.latched and 0 < match.rules.target <= scorer.total:
        match.latched = match.rules.finish == "latched"


def _hand_over(match: Match, seat: int) -> None:
    match.drawn = match.bonus_tiles = 0
    match.choosing = match.further = False
    if len(match.left) < len(match.seats):
        match.turn = match.next_active(seat)


def _remember(match: Match, seat: int, tile: Tile | None = None, at: int = 0) -> None:
    """Keep this moment, before the seat places this tile, which is there in its hand, or passes."""
    if tile is not None and not match.board.placed and len(match.choices) == 1:
        # The rules lay this tile: whoever took it back would lay it again.
        match.behind = ()
        return
    holder = match.seats[seat]
    table = (
        match.turn,
        match.drawn,
        match.choosing,
        match.bonus_tiles,
        match.further,
        match.failed,
        match.latched,
        match.last,
        match.newest,
        match.hexagons,
        match.bridges,
    )
    score = (holder.total, holder.change, holder.hexagons, holder.bridges, holder.best)
    match.behind = (*match.behind, laid(Moment, (seat, tile, at, table, score, True)))


def _restore(match: Match, moment: Moment) -> None:
    """Set the match, and the seat that acted, to what they were; board and hand are not among it."""
    (
        match.turn,
        match.drawn,
        match.choosing,
        match.bonus_tiles,
        match.further,
        match.failed,
        match.latched,
        match.last,
        match.newest,
        match.hexagons,
        match.bridges,
    ) = moment.table
    holder = match.seats[moment.seat]
    holder.total, holder.change, holder.hexagons, holder.bridges, holder.best = moment.score


def _take_back(match: Match, seat: int) -> None:
    """Undo the last placement of this seat and whatever came after it. Raises ValueError where there is none."""
    while match.behind:
        *rest, moment = match.behind
        match.behind = tuple(rest)
        # The moment is the one before a placement or a pass, and choices may have followed that.
        while isinstance(match.history.pop(), Chose):
            pass
        holder = match.seats[moment.seat]
        if moment.tile is not None:
            match.board.undo()
            holder.hand.insert(moment.at, moment.tile)
        _restore(match, moment)
        if moment.tile is not None and moment.seat == seat:
            match.behind = closed(match.behind, seat)
            return
    raise ValueError(f"seat {seat} has no placement that could be taken back")
