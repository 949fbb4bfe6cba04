"""The texts of tournaments: brackets, pairings, rounds and tables."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from typing import Final, Literal

from bot.core.formats import moment
from bot.tables import move_labels
from bot.tables.move_labels import listed
from data.words import Words
from engine.leagues.bracket import BracketMatch, Section, bracket, sections
from engine.leagues.knockout import slots_of
from engine.leagues.season import WIN, Conditions, Fixture, Season
from engine.leagues.standings import RoundMark, TableLine, division_table, round_marks, winners
from engine.leagues.tournament import planned_rounds
from engine.table.terms import MINUTE
from render.leagues.bracket_picture import BracketBox, BracketRow, BracketWords, MatchSign

Names = Mapping[int, str]

COLUMNS: Final = ("final", "semifinals", "quarterfinals", "last_sixteen")
"""The last rounds of a bracket by name, the final first."""
SIGNS: Final[tuple[MatchSign, ...]] = ("running", "waiting", "held", "judged", "forfeit", "tied", "unplayed")


def bracket_boxes(
    season: Season, section: Section, names: Names, words: Words, *, held: bool
) -> list[list[BracketBox]]:
    """Return the boxes of one part of a bracket, by round. If `held`, no match opens now."""
    rounds = bracket(season)
    last = section.first + section.rounds
    return [
        [_box(season, one, names, words, held=held) for one in rounds[number][section.matches(number)]]
        for number in range(section.first, last)
    ]


def bracket_words(
    season: Season, section: Section, boxes: Sequence[Sequence[BracketBox]], title: str, names: Names, words: Words
) -> BracketWords:
    there = {box.sign for column in boxes for box in column}
    count = len(bracket(season))
    won = winners(season) if section.first + section.rounds == count else []
    return BracketWords(
        title=title,
        subtitle=subtitle_of(season, section, words),
        columns=[column_name(count, number, words) for number in range(section.first, section.first + section.rounds)],
        signs=[(sign, words(f"bracket.{sign}")) for sign in SIGNS if sign in there],
        champion=names[won[0]] if won else "",
        now=season.round - section.first if season.state == "running" else None,
    )


def subtitle_of(season: Season, section: Section, words: Words) -> str:
    kind, parts = words("tournament.kind_knockout"), sections(season)
    if len(parts) == 1:
        return kind
    return words("bracket.part", kind=kind, n=parts.index(section) + 1, all=len(parts))


def column_name(count: int, number: int, words: Words) -> str:
    left = count - 1 - number
    return words(f"bracket.{COLUMNS[left]}") if left < len(COLUMNS) else words("bracket.round", n=number + 1)


def bracket_drawing(
    season: Season, page: int, title: str, names: Names, words: Words, *, held: bool
) -> tuple[list[list[BracketBox]], BracketWords]:
    section = sections(season)[page]
    boxes = bracket_boxes(season, section, names, words, held=held)
    return boxes, bracket_words(season, section, boxes, title, names, words)


def bracket_alt(season: Season, page: int, title: str, names: Names, words: Words) -> str:
    """Return the alt text of a part of a bracket, the last round first. The first rounds go if it is too long."""
    section, rounds = sections(season)[page], bracket(season)
    count = len(rounds)
    told, won = [], winners(season)
    if season.state == "over":
        told.append(words("tournament.over", winner=names[won[0]]) if won else words("tournament.over_nobody"))
    for number in reversed(range(section.first, section.first + section.rounds)):
        last = number + 1 == count
        played = rounds[number][section.matches(number)]
        here = [text for one in played if (text := _told(one, names, words, last=last))]
        if here:
            column = column_name(count, number, words)
            told.append(words("bracket.column", column=column, matches="; ".join(here)))
    facts = {"title": title, "division": subtitle_of(season, section, words)}
    return move_labels.clipped(words("bracket.alt", **facts, rounds=" ".join(told)))


def sign_of(one: BracketMatch, *, held: bool) -> MatchSign | None:
    if one.state == "running":
        return "running"
    if one.state == "waiting":
        return "held" if held else "waiting"
    if one.state == "bye" and None not in one.players:
        return "forfeit"
    if one.result is None:
        return None
    first, second = one.result.points
    match one.result.how:
        case "played":
            return "tied" if first == second else None
        case "resigned" | "forfeit":
            return "forfeit"
        case "judged":
            return "judged"
        case "unplayed" | "struck":
            return "unplayed"


def _box(season: Season, one: BracketMatch, names: Names, words: Words, *, held: bool) -> BracketBox:
    totals = (None, None) if one.result is None or one.result.totals is None else one.result.totals
    none = words("bracket.bye") if one.state == "bye" else ""
    upper, lower = (
        BracketRow(name=none, stands="nobody") if player is None else _row(season, one, player, total, names)
        for player, total in zip(one.players, totals, strict=True)
    )
    return BracketBox(upper=upper, lower=lower, sign=sign_of(one, held=held))


def _row(season: Season, one: BracketMatch, player: int, total: int | None, names: Names) -> BracketRow:
    stands: Literal["plays", "wins", "out"] = "plays"
    if player == one.winner:
        stands = "wins"
    elif one.state in ("over", "bye", "empty") or player in season.gone:
        stands = "out"
    seed = season.divisions[0].index(player) + 1
    return BracketRow(name=names[player], seed=seed, score="" if total is None else str(total), stands=stands)


def _told(one: BracketMatch, names: Names, words: Words, *, last: bool) -> str:
    here = [player for player in one.players if player is not None]
    if not here:
        return ""
    if one.state == "bye" and one.winner is not None:
        return words("tournament.rests_final" if last else "tournament.rests_knockout", name=names[one.winner])
    first, second = (words("bracket.nobody") if player is None else names[player] for player in one.players)
    sign = sign_of(one, held=False)
    if one.state != "over":
        return words("tournament.runs" if sign == "running" else "tournament.waits", first=first, second=second)
    text = words("tournament.waits", first=first, second=second)
    if one.winner is not None:
        key = "tournament.wins" if last else "tournament.goes_on"
        text = words(key, first=first, second=second, winner=names[one.winner])
    totals = one.result and one.result.totals
    facts = [f"{totals[0]} : {totals[1]}"] if totals else []
    facts += [words(f"bracket.{sign}")] if sign else []
    return f"{text} ({', '.join(facts)})" if facts else text


ROUND_SIGNS: Final[dict[RoundMark, str]] = {
    "won": "●",
    "tied": "◐",
    "lost": "○",
    "unplayed": "✗",
    "bye": "–",
    "open": "◌",
    "none": "·",
}
"""The signs of the picture in a message."""


def with_signs(row: str, rounds: Sequence[RoundMark]) -> str:
    return f"{row} · {''.join(ROUND_SIGNS[mark] for mark in rounds)}" if _any(rounds) else row


def signs_told(season: Season, players: Iterable[int], words: Words) -> list[str]:
    """Return the legend of the signs of these players; empty without signs."""
    there = {mark for player in players if player not in season.gone for mark in round_marks(season, player)}
    told = [f"{sign} {words(f'league.round_{mark}')}" for mark, sign in ROUND_SIGNS.items() if mark in there - {"none"}]
    return [words("league.rounds", signs=" · ".join(told))] if told else []


def rounds_in_words(rounds: Sequence[RoundMark], words: Words) -> str:
    """Return a player's rounds as text, for screen readers."""
    if not _any(rounds):
        return ""
    each = (ROUND_SIGNS["none"] if mark == "none" else words(f"league.round_{mark}") for mark in rounds)
    return f" ({words('and.comma').join(each)})"


def _any(rounds: Sequence[RoundMark]) -> bool:
    return any(mark != "none" for mark in rounds)


LENGTH: Final = 3000  # characters for pairs and table, of the 4,000 of a message


def signup_text(conditions: Conditions, words: Words) -> str:
    return words("tournament.signup", until=moment(conditions.signup_until, "f"), minutes=_minutes(conditions, words))


def how_text(conditions: Conditions, words: Words) -> str:
    first = words("tournament.how_swiss" if conditions.kind == "swiss" else "tournament.how_knockout")
    return f"{first}\n{words('tournament.how_common', minutes=_minutes(conditions, words))}"


def state_lines(season: Season, names: Names, words: Words) -> list[str]:
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
    return words("tournament.round", n=season.round + 1, all=planned_rounds(season))


def table_lines(season: Season, names: Names, words: Words) -> list[str]:
    """Return the current round and the table; in a knock-out the whole bracket."""
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
        lines.append(with_signs(row, round_marks(season, line.player)))
    return [*_fitting(lines), words("tournament.how"), *signs_told(season, season.divisions[0], words)]


def pairing_lines(season: Season, names: Names, words: Words) -> list[str]:
    """Return the pairings of this round; in a knock-out of all rounds, newest first."""
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
    """Return the lines that fit. The picture and a button show the others."""
    room = list(accumulate(len(line) + 1 for line in lines))
    return [line for line, used in zip(lines, room, strict=True) if used <= LENGTH]


def alt_line(line: TableLine, name: str, words: Words) -> str:
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
            # The final has no next round.
            key = "tournament.wins" if one.round + 1 == planned_rounds(season) else "tournament.goes_on"
            return words(key, first=first, second=second, winner=names[here[0]])
    mine, theirs = decision.points
    return words("tournament.done", first=first, second=second, mine=mine, theirs=theirs)


def _minutes(conditions: Conditions, words: Words) -> str:
    return words("count.minutes", n=conditions.round_time // MINUTE)
