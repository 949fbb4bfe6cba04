"""The bracket of a knock-out tournament: who meets, who advances, and what is still to come."""

from dataclasses import dataclass
from typing import Final, Literal

from engine.leagues.knockout import Slots, count_bracket_rounds, find_fixture, list_seeds, list_slots
from engine.leagues.season import Fixture, FixtureResult, Season

BracketState = Literal["ahead", "waiting", "running", "over", "bye", "empty"]
"""Players unknown; match opens soon; match runs; match over; advances by a bye; empty."""
MAX_SECTION_ROUNDS: Final = 4  # rounds of a section at most: a bracket of sixteen


@dataclass(frozen=True, slots=True, kw_only=True)
class BracketMatch:
    players: tuple[int | None, int | None] = (None, None)  # top to bottom; None if unknown or empty
    state: BracketState = "ahead"
    winner: int | None = None  # who advances
    result: FixtureResult | None = None  # for the players from top to bottom


@dataclass(frozen=True, slots=True)
class BracketSection:
    """A part of a bracket shown at once: these rounds, from 0, with the matches that lead to them."""

    first: int
    rounds: int
    place: int  # index from top to bottom among the sections that begin with the same round

    def slice_round(self, round_: int) -> slice:
        """Return the matches of a round that are in it."""
        many = 1 << (self.first + self.rounds - 1 - round_)
        return slice(self.place * many, (self.place + 1) * many)


def build_bracket(season: Season) -> tuple[tuple[BracketMatch, ...], ...]:
    """Return the matches by round, from top to bottom; the last round has one."""
    players = season.divisions[0]
    count = count_bracket_rounds(len(players))
    found = []
    for number in range(count):
        slots = _list_known_slots(season, number)
        found.append(tuple(_build_match(season, number, slots[at : at + 2]) for at in range(0, len(slots), 2)))
    return tuple(found)


def list_sections(season: Season) -> tuple[BracketSection, ...]:
    """Return the sections in page order: a large bracket has its last rounds first, then the earlier ones."""
    count = count_bracket_rounds(len(season.divisions[0]))
    if count <= MAX_SECTION_ROUNDS:
        return (BracketSection(0, count, 0),)
    parts = tuple(BracketSection(0, MAX_SECTION_ROUNDS, place) for place in range(1 << (count - MAX_SECTION_ROUNDS)))
    # The last rounds begin with the last eight, whom each section shows too.
    return (BracketSection(count - 3, 3, 0), *parts)


def choose_section(season: Season, player: int | None) -> int:
    """Return the index of the section to show first: that of a player's last match, else the fullest one."""
    all_sections = list_sections(season)
    if len(all_sections) == 1 or season.round >= all_sections[0].first:
        return 0
    size = 1 << count_bracket_rounds(len(season.divisions[0]))
    order = [season.divisions[0][seed] if seed < len(season.divisions[0]) else None for seed in list_seeds(size)]
    at = order.index(player) if player in order and player is not None else 0
    return 1 + at // (1 << MAX_SECTION_ROUNDS)


def _list_known_slots(season: Season, number: int) -> Slots:
    """Return the players at the start of a round. No player advances after a moderator ended it."""
    if number > season.round + (not season.is_stopped):
        return (None,) * (2 << (count_bracket_rounds(len(season.divisions[0])) - 1 - number))
    return list_slots(season, number)


def _build_match(season: Season, number: int, pair: Slots) -> BracketMatch:
    upper, lower = pair
    if number > season.round:
        over = season.state != "running"
        return BracketMatch(players=(upper, lower), state="empty" if over else "ahead")
    fixture = find_fixture(season, number, pair)
    if fixture is not None:
        return _build_played_match(season, fixture, (upper, lower))
    bye_players = [one for one in pair if one in season.byes.get(number, ())]
    winner = bye_players[0] if bye_players else None
    return BracketMatch(players=(upper, lower), state="empty" if winner is None else "bye", winner=winner)


def _build_played_match(season: Season, fixture: Fixture, pair: tuple[int | None, int | None]) -> BracketMatch:
    result = season.decisions.get(fixture.number)
    if result is None:
        return BracketMatch(players=pair, state="running" if fixture.number in season.match_ids else "waiting")
    if fixture.first != pair[0]:
        totals = result.totals and (result.totals[1], result.totals[0])
        result = FixtureResult((result.points[1], result.points[0]), result.how, totals)
    advancing = {*list_slots(season, fixture.round + 1)}
    # A match that a moderator ended has no winner.
    was_stopped = season.is_stopped and result.how == "unplayed"
    winner = next((one for one in pair if one in advancing and not was_stopped), None)
    return BracketMatch(players=pair, state="over", winner=winner, result=result)
