"""A tournament of an evening as people see it: the round that runs, who meets whom, how it stands, how it goes."""

from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Final

from bot.views import rounds
from bot.views.sentences import listed
from bot.views.times import moment
from data.words import Words
from engine.league.knockout import slots_of
from engine.league.lines import TableLine, round_marks
from engine.league.season import WIN, Conditions, Fixture, Season, SeasonKind
from engine.league.standings import division_table, winners
from engine.league.tournament import planned_rounds
from engine.table.pace import MINUTE

Names = Mapping[int, str]
"""By player."""

LENGTH: Final = 3000
"""Characters that pairs and table may fill of the 4000 of a message: sixty people have longer names than that."""


def kind_text(kind: SeasonKind, words: Words) -> str:
    """What kind of tournament it is."""
    return words("tournament.kind_swiss" if kind == "swiss" else "tournament.kind_knockout")


def signup_text(conditions: Conditions, words: Words) -> str:
    """Until when people sign up, and how long a round takes."""
    return words("tournament.signup", until=moment(conditions.signup_until, "f"), minutes=_minutes(conditions, words))


def how_text(conditions: Conditions, words: Words) -> str:
    """How it goes, told before anybody signs up."""
    first = words("tournament.how_swiss" if conditions.kind == "swiss" else "tournament.how_knockout")
    return f"{first}\n{words('tournament.how_common', minutes=_minutes(conditions, words))}"


def state_lines(season: Season, names: Names, words: Words) -> list[str]:
    """How it stands, once sign-up is over."""
    if season.state == "off":
        return [words("tournament.off_few" if season.off == "few" else "tournament.off_moderator")]
    if season.state == "over":
        won = [f"**{names[player]}**" for player in winners(season)]
        if not won:
            return [words("tournament.over_nobody")]
        return [words("tournament.over" if len(won) == 1 else "tournament.over_shared", winner=listed(words, won))]
    here = [one for one in season.fixtures if one.round == season.round]
    number = {"n": season.round + 1, "all": planned_rounds(season)}
    if any(one.number in season.opened for one in here):
        done = sum(one.number in season.decisions for one in here)
        when = moment(season.ends)
        return [words("tournament.running", **number, done=done, matches=len(here), when=when)]
    return [words("tournament.pause", **number, when=moment(season.round_at))]


def round_text(season: Season, words: Words) -> str:
    """Which round it is."""
    return words("tournament.round", n=season.round + 1, all=planned_rounds(season))


def table_lines(season: Season, names: Names, words: Words) -> list[str]:
    """The round that runs, and beneath it the table; of a knock-out the whole bracket."""
    if not season.divisions:
        return []
    if season.conditions.kind == "knockout":
        return pairing_lines(season, names, words)
    table = division_table(season, 0)
    lines = [] if season.state == "over" else pairing_lines(season, names, words)
    for line in table:
        name = names[line.player]
        if line.left:
            lines.append(words("tournament.row_left", name=name))
            continue
        record = {"won": line.wins, "tied": line.ties, "lost": line.losses, "buchholz": line.buchholz}
        row = words("tournament.row", place=line.place, name=name, points=line.points, **record)
        lines.append(rounds.with_signs(row, round_marks(season, line.player)))
    return [*_fitting(lines), words("tournament.how"), *rounds.signs_told(season, season.divisions[0], words)]


def pairing_lines(season: Season, names: Names, words: Words) -> list[str]:
    """Who meets whom: in this round, of a knock-out in all, the newest first."""
    first = 0 if season.conditions.kind == "knockout" else season.round
    lines: list[str] = []
    for number in range(season.round, first - 1, -1):
        lines.append(f"**{words('tournament.round', n=number + 1, all=planned_rounds(season))}**")
        here = [one for one in season.fixtures if one.round == number]
        lines += [_pair_line(season, one, names, words) for one in here]
        rests = "tournament.rests_swiss"
        if season.conditions.kind == "knockout":
            last = number + 1 == planned_rounds(season)
            rests = "tournament.rests_final" if last else "tournament.rests_knockout"
        lines += [words(rests, name=names[player]) for player in season.byes.get(number, ())]
    return _fitting(lines)


def _fitting(lines: Sequence[str]) -> list[str]:
    """As many of these as fit; the rest is in the picture, and each player's own matches are behind the button."""
    room = list(accumulate(len(line) + 1 for line in lines))
    return [line for line, used in zip(lines, room, strict=True) if used <= LENGTH]


def alt_line(line: TableLine, name: str, words: Words) -> str:
    """A line of the table in the words of its picture."""
    if line.left:
        return words("tournament.alt_left", name=name)
    facts = {"points": line.points, "possible": WIN * (line.played + line.byes), "buchholz": line.buchholz}
    return words("tournament.alt_row", place=line.place, name=name, **facts)


def _pair_line(season: Season, one: Fixture, names: Names, words: Words) -> str:
    first, second = (names[player] for player in one.players)
    decision = season.decisions.get(one.number)
    if decision is None:
        key = "tournament.runs" if one.number in season.opened else "tournament.waits"
        return words(key, first=first, second=second)
    if season.conditions.kind == "knockout":
        here = [player for player in slots_of(season, one.round + 1) if player in one.players]
        if here and here[0] is not None:
            # Nobody goes on from the last match.
            key = "tournament.wins" if one.round + 1 == planned_rounds(season) else "tournament.goes_on"
            return words(key, first=first, second=second, winner=names[here[0]])
    mine, theirs = decision.points
    return words("tournament.done", first=first, second=second, mine=mine, theirs=theirs)


def _minutes(conditions: Conditions, words: Words) -> str:
    return words("count.minutes", n=conditions.round_time // MINUTE)
