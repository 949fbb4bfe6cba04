"""The whole bracket of a knock-out tournament as it stands: who meets whom, who goes on, and what is still to come."""

from dataclasses import dataclass
from typing import Final, Literal

from engine.leagues.knockout import Slots, bracket_rounds, seeds, slots_of
from engine.leagues.season import Fixture, FixtureResult, Season

BracketState = Literal["ahead", "waiting", "running", "over", "bye", "empty"]
"""It is not known yet who meets; both are, and their match opens soon; it is played; somebody goes on by it; somebody
goes on without one; nobody plays here any more.
"""
FEW: Final = 4
"""Rounds of a bracket that are looked at together at most: of sixteen people."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BracketMatch:
    """A place of the bracket where two meet."""

    players: tuple[int | None, int | None] = (None, None)
    """From top to bottom; None where it is not known yet, or nobody is there."""
    state: BracketState = "ahead"
    winner: int | None = None
    """Who goes on."""
    result: FixtureResult | None = None
    """What its match came to, for the players from top to bottom."""


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a bracket that is looked at as one: these rounds, from 0, and of each the matches that lead here."""

    first: int
    rounds: int
    place: int
    """Which one it is from top to bottom of those that begin with the same round."""

    def matches(self, round_: int) -> slice:
        """Which matches of a round are in it."""
        many = 1 << (self.first + self.rounds - 1 - round_)
        return slice(self.place * many, (self.place + 1) * many)


def bracket(season: Season) -> tuple[tuple[BracketMatch, ...], ...]:
    """The matches by round, from top to bottom; the last round has one."""
    players = season.divisions[0]
    count = bracket_rounds(len(players))
    found = []
    for number in range(count):
        slots = _slots(season, number)
        found.append(tuple(_match(season, number, slots[at : at + 2]) for at in range(0, len(slots), 2)))
    return tuple(found)


def sections(season: Season) -> tuple[Section, ...]:
    """The parts of a bracket in the order in which they are turned over: where all of it is too much for one look, the
    last rounds, then what leads to them from top to bottom.
    """
    count = bracket_rounds(len(season.divisions[0]))
    if count <= FEW:
        return (Section(0, count, 0),)
    parts = tuple(Section(0, FEW, place) for place in range(1 << (count - FEW)))
    # The last rounds begin with the last eight, whom each of the parts shows, too.
    return (Section(count - 3, 3, 0), *parts)


def section_of(season: Season, player: int | None) -> int:
    """The part to begin with: of somebody the one where they play, or played last; else where most is to be seen."""
    every = sections(season)
    if len(every) == 1 or season.round >= every[0].first:
        return 0
    size = 1 << bracket_rounds(len(season.divisions[0]))
    order = [season.divisions[0][seed] if seed < len(season.divisions[0]) else None for seed in seeds(size)]
    at = order.index(player) if player in order and player is not None else 0
    return 1 + at // (1 << FEW)


def _slots(season: Season, number: int) -> Slots:
    """Who stands where when a round begins. A moderator who ends it sends nobody on."""
    if number > season.round + (not season.stopped):
        return (None,) * (2 << (bracket_rounds(len(season.divisions[0])) - 1 - number))
    return slots_of(season, number)


def _match(season: Season, number: int, pair: Slots) -> BracketMatch:
    upper, lower = pair
    if number > season.round:
        over = season.state != "running"
        return BracketMatch(players=(upper, lower), state="empty" if over else "ahead")
    fixture = _fixture(season, number, upper, lower)
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
    # What nobody played because a moderator ended the tournament has no winner.
    broken_off = season.stopped and result.how == "unplayed"
    winner = next((one for one in pair if one in going_on and not broken_off), None)
    return BracketMatch(players=pair, state="over", winner=winner, result=result)


def _fixture(season: Season, number: int, upper: int | None, lower: int | None) -> Fixture | None:
    pair = {upper, lower}
    return next((one for one in season.fixtures if one.round == number and {*one.players} == pair), None)
