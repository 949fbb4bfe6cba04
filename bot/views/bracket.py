"""The bracket of a knock-out tournament as people see it: a picture, the same in words, its parts to turn over."""

from collections.abc import Mapping, Sequence
from typing import Final, Literal

from bot.views import sentences
from data.words import Words
from engine.league.bracket import BracketMatch, Section, bracket, sections
from engine.league.season import Season
from engine.league.standings import winners
from render import BracketBox, BracketRow, BracketWords, MatchSign

PlainNames = Mapping[int, str]
"""By player."""

COLUMNS: Final = ("final", "semifinals", "quarterfinals", "last_sixteen")
"""The last rounds of a bracket by name, the last one first."""
SIGNS: Final[tuple[MatchSign, ...]] = ("running", "waiting", "held", "judged", "forfeit", "tied", "unplayed")


def bracket_boxes(
    season: Season, section: Section, names: PlainNames, words: Words, *, held: bool
) -> list[list[BracketBox]]:
    """The matches of a part as they are drawn, by round. `held`: what is to open does not."""
    rounds = bracket(season)
    last = section.first + section.rounds
    return [
        [_box(season, one, names, words, held=held) for one in rounds[number][section.matches(number)]]
        for number in range(section.first, last)
    ]


def bracket_words(
    season: Season, section: Section, boxes: Sequence[Sequence[BracketBox]], title: str, names: PlainNames, words: Words
) -> BracketWords:
    """What is written around them."""
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
    """What is shown: of a bracket that is too large for one look which part."""
    kind, parts = words("tournament.kind_knockout"), sections(season)
    if len(parts) == 1:
        return kind
    return words("bracket.part", kind=kind, n=parts.index(section) + 1, all=len(parts))


def column_name(count: int, number: int, words: Words) -> str:
    """What sport calls a round of so many, from 0."""
    left = count - 1 - number
    return words(f"bracket.{COLUMNS[left]}") if left < len(COLUMNS) else words("bracket.round", n=number + 1)


def bracket_drawing(
    season: Season, page: int, title: str, names: PlainNames, words: Words, *, held: bool
) -> tuple[list[list[BracketBox]], BracketWords]:
    """What a page of it is drawn from."""
    section = sections(season)[page]
    boxes = bracket_boxes(season, section, names, words, held=held)
    return boxes, bracket_words(season, section, boxes, title, names, words)


def bracket_alt(season: Season, page: int, title: str, names: PlainNames, words: Words) -> str:
    """A part of it in words, the last round first: where there is too much to tell, the first rounds are left out."""
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
    return sentences.clipped(words("bracket.alt", **facts, rounds=" ".join(told)))


def sign_of(one: BracketMatch, *, held: bool) -> MatchSign | None:
    """What there is to say of a match beside its score."""
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


def _box(season: Season, one: BracketMatch, names: PlainNames, words: Words, *, held: bool) -> BracketBox:
    totals = (None, None) if one.result is None or one.result.totals is None else one.result.totals
    none = words("bracket.bye") if one.state == "bye" else ""
    upper, lower = (
        BracketRow(name=none, stands="nobody") if player is None else _row(season, one, player, total, names)
        for player, total in zip(one.players, totals, strict=True)
    )
    return BracketBox(upper=upper, lower=lower, sign=sign_of(one, held=held))


def _row(season: Season, one: BracketMatch, player: int, total: int | None, names: PlainNames) -> BracketRow:
    stands: Literal["plays", "wins", "out"] = "plays"
    if player == one.winner:
        stands = "wins"
    elif one.state in ("over", "bye", "empty") or player in season.gone:
        stands = "out"
    seed = season.divisions[0].index(player) + 1
    return BracketRow(name=names[player], seed=seed, score="" if total is None else str(total), stands=stands)


def _told(one: BracketMatch, names: PlainNames, words: Words, *, last: bool) -> str:
    """One match in words; empty where nobody is known of it yet."""
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
