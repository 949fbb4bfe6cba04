"""The bracket of a knock-out tournament: who meets, who advances, and what is still to come."""

from dataclasses import dataclass
from typing import Final, Literal

from engine.leagues.knockout import Slots, bracket_rounds, fixture_between, seeds, slots_of
from engine.leagues.season import Fixture, FixtureResult, Season

BracketState = Literal["ahead", "waiting", "running", "over", "bye", "empty"]
"""Players unknown; match opens soon; match runs; match over; advances by a bye; empty."""
FEW: Final = 4  # rounds of a section at most: a bracket of sixteen


@dataclass(frozen=True, slots=True, kw_only=True)
class BracketMatch:
    """A match of the bracket."""

    players: tuple[int | None, int | None] = (None, None)  # top to bottom; None if unknown or empty
    state: BracketState = "ahead"
    winner: int | None = None  # who advances
    result: FixtureResult | None = None  # for the players from top to bottom


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a bracket shown at once: these rounds, from 0, with the matches that lead to them."""

    first: int
    rounds: int
    place: int  # index from top to bottom among the sections that begin with the same round

    def matches(self, round_: int) -> slice:
        """Return the matches of a round that are in it."""
        many = 1 << (self.first + self.rounds - 1 - round_)
        return slice(self.place * many, (self.place + 1) * many)


def bracket(season: Season) -> tuple[tuple[BracketMatch, ...], ...]:
    """Return the matches by round, from top to bottom; the last round has one."""
    players = season.divisions[0]
    count = bracket_rounds(len(players))
    found = []
    for number in range(count):
        slots = _slots(season, number)
        found.append(tuple(_match(season, number, slots[at : at + 2]) for at in range(0, len(slots), 2)))
    return tuple(found)


def sections(season: Season) -> tuple[Section, ...]:
    """Return the sections in page order: a large bracket has its last rounds first, then what leads to them."""
    count = bracket_rounds(len(season.divisions[0]))
    if count <= FEW:
        return (Section(0, count, 0),)
    parts = tuple(Section(0, FEW, place) for place in range(1 << (count - FEW)))
    # The last rounds begin with the last eight, whom each section shows too.
    return (Section(count - 3, 3, 0), *parts)


def section_of(season: Season, player: int | None) -> int:
    """Return the index of the section to show first: that of a player's last match, else the fullest one."""
    every = sections(season)
    if len(every) == 1 or season.round >= every[0].first:
        return 0
    size = 1 << bracket_rounds(len(season.divisions[0]))
    order = [season.divisions[0][seed] if seed < len(season.divisions[0]) else None for seed in seeds(size)]
    at = order.index(player) if player in order and player is not None else 0
    return 1 + at // (1 << FEW)


def _slots(season: Season, number: int) -> Slots:
    """Return the players at the start of a round. No player advances after a moderator ended it."""
    if number > season.round + (not season.stopped):
        return (None,) * (2 << (bracket_rounds(len(season.divisions[0])) - 1 - number))
    return slots_of(season, number)


def _match(season: Season, number: int, pair: Slots) -> BracketMatch:
    upper, lower = pair
    if number > season.round:
        over = season.state != "running"
        return BracketMatch(players=(upper, lower), state="empty" if over else "ahead")
    fixture = fixture_between(season, number, pair)
    if fixture is not None:
        return _played(season, fixture, (upper, lower))
    resting = [one for one in pair if one in season.byes.get(number, ())]
    winner = resting[0] if resting else None
    return BracketMatch(players=(upper, lower), state="empty" if winner is None else "bye", winner=winner)


def _played(season: Season, fixture: Fixture, pair: tuple[int | None, int | None]) -> BracketMatch:
    result = season.decisions.get(fixture.number)
    if result is None:
        return BracketMatch(players=pair, state="running" if fixture.number in season.opened else "waiting")
    if fixture.first != pair[0]:
        totals = result.totals and (result.totals[1], result.totals[0])
        result = FixtureResult((result.points[1], result.points[0]), result.how, totals)
    going_on = {*slots_of(season, fixture.round + 1)}
    # A match that a moderator ended has no winner.
    broken_off = season.stopped and result.how == "unplayed"
    winner = next((one for one in pair if one in going_on and not broken_off), None)
    return BracketMatch(players=pair, state="over", winner=winner, result=result)
