"""The texts of tournaments: brackets, pairings, rounds and tables."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from typing import Final, Literal

from bot.core.layout import format_timestamp
from bot.tables.move_labels import clip_text, format_list
from data.words import Words
from engine.leagues.bracket import BracketMatch, BracketSection, build_bracket, list_sections
from engine.leagues.knockout import list_slots
from engine.leagues.season import WIN, Conditions, Fixture, Season
from engine.leagues.standings import RoundMark, StandingsLine, list_round_marks, list_winners, rank_division
from engine.leagues.tournament import count_planned_rounds
from engine.table.terms import MINUTE
from render.leagues.bracket_picture import BracketBox, BracketRow, BracketWords, MatchSign

Names = Mapping[int, str]

LAST_ROUNDS: Final = ("final", "semifinals", "quarterfinals", "last_sixteen")
"""The last rounds of a bracket by name, the final first."""
SIGNS: Final[tuple[MatchSign, ...]] = ("running", "waiting", "held", "judged", "forfeit", "tied", "unplayed")


def build_bracket_drawing(
    season: Season, page: int, title: str, names: Names, words: Words, *, on_hold: bool
) -> tuple[list[list[BracketBox]], BracketWords]:
    """Return the boxes of one part of a bracket, by round, and its words. If `on_hold`, no match opens now."""
    section, rounds = list_sections(season)[page], build_bracket(season)
    numbers = range(section.first, section.first + section.rounds)
    boxes = [
        [_build_box(season, one, names, words, on_hold=on_hold) for one in rounds[number][section.slice_round(number)]]
        for number in numbers
    ]
    present_signs = {box.sign for column in boxes for box in column}
    won = list_winners(season) if numbers.stop == len(rounds) else []
    return boxes, BracketWords(
        title=title,
        subtitle=format_subtitle(season, section, words),
        columns=[format_column_name(len(rounds), number, words) for number in numbers],
        signs=[(sign, words(f"bracket.{sign}")) for sign in SIGNS if sign in present_signs],
        champion=names[won[0]] if won else "",
        current_round=season.round - section.first if season.state == "running" else None,
    )


def format_subtitle(season: Season, section: BracketSection, words: Words) -> str:
    kind, parts = words("tournament.kind_knockout"), list_sections(season)
    if len(parts) == 1:
        return kind
    return words("bracket.part", kind=kind, n=parts.index(section) + 1, all=len(parts))


def format_column_name(count: int, number: int, words: Words) -> str:
    left = count - 1 - number
    return words(f"bracket.{LAST_ROUNDS[left]}") if left < len(LAST_ROUNDS) else words("bracket.round", n=number + 1)


def format_bracket_alt(season: Season, page: int, title: str, names: Names, words: Words) -> str:
    """Return the alt text of a part of a bracket, the last round first. The first rounds go if it is too long."""
    section, rounds = list_sections(season)[page], build_bracket(season)
    count = len(rounds)
    texts, won = [], list_winners(season)
    if season.state == "over":
        texts.append(words("tournament.over", winner=names[won[0]]) if won else words("tournament.over_nobody"))
    for number in reversed(range(section.first, section.first + section.rounds)):
        last = number + 1 == count
        played = rounds[number][section.slice_round(number)]
        matches = [text for one in played if (text := _format_match(one, names, words, last=last))]
        if matches:
            column = format_column_name(count, number, words)
            texts.append(words("bracket.column", column=column, matches="; ".join(matches)))
    facts = {"title": title, "division": format_subtitle(season, section, words)}
    return clip_text(words("bracket.alt", **facts, rounds=" ".join(texts)))


def find_match_sign(one: BracketMatch, *, on_hold: bool) -> MatchSign | None:
    if one.state == "running":
        return "running"
    if one.state == "waiting":
        return "held" if on_hold else "waiting"
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


def _build_box(season: Season, one: BracketMatch, names: Names, words: Words, *, on_hold: bool) -> BracketBox:
    totals = (None, None) if one.result is None or one.result.totals is None else one.result.totals
    none = words("bracket.bye") if one.state == "bye" else ""
    upper, lower = (
        BracketRow(name=none, state="nobody") if player is None else _build_row(season, one, player, total, names)
        for player, total in zip(one.players, totals, strict=True)
    )
    return BracketBox(upper=upper, lower=lower, sign=find_match_sign(one, on_hold=on_hold))


def _build_row(season: Season, one: BracketMatch, player: int, total: int | None, names: Names) -> BracketRow:
    stands: Literal["plays", "wins", "out"] = "plays"
    if player == one.winner:
        stands = "wins"
    elif one.state in ("over", "bye", "empty") or player in season.leavers:
        stands = "out"
    seed = season.divisions[0].index(player) + 1
    return BracketRow(name=names[player], seed=seed, score="" if total is None else str(total), state=stands)


def _format_match(one: BracketMatch, names: Names, words: Words, *, last: bool) -> str:
    players = [player for player in one.players if player is not None]
    if not players:
        return ""
    if one.state == "bye" and one.winner is not None:
        return words("tournament.rests_final" if last else "tournament.rests_knockout", name=names[one.winner])
    first, second = (words("bracket.nobody") if player is None else names[player] for player in one.players)
    sign = find_match_sign(one, on_hold=False)
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


def append_round_signs(row: str, rounds: Sequence[RoundMark]) -> str:
    return f"{row} · {''.join(ROUND_SIGNS[mark] for mark in rounds)}" if _has_marks(rounds) else row


def format_sign_legend(season: Season, players: Iterable[int], words: Words) -> list[str]:
    """Return the legend of the signs of these players; empty without signs."""
    marks = {mark for player in players if player not in season.leavers for mark in list_round_marks(season, player)}
    shown = [mark for mark in ROUND_SIGNS if mark in marks and mark != "none"]
    entries = [f"{ROUND_SIGNS[mark]} {words(f'league.round_{mark}')}" for mark in shown]
    return [words("league.rounds", signs=" · ".join(entries))] if entries else []


def format_rounds(rounds: Sequence[RoundMark], words: Words) -> str:
    """Return a player's rounds as text, for screen readers."""
    if not _has_marks(rounds):
        return ""
    each = (ROUND_SIGNS["none"] if mark == "none" else words(f"league.round_{mark}") for mark in rounds)
    return f" ({words('and.comma').join(each)})"


def _has_marks(rounds: Sequence[RoundMark]) -> bool:
    return any(mark != "none" for mark in rounds)


TEXT_LIMIT: Final = 3000  # characters for pairs and table, of the 4,000 of a message


def format_signup(conditions: Conditions, words: Words) -> str:
    until = format_timestamp(conditions.signup_until, "f")
    lines = [words("tournament.signup", until=until, minutes=_format_minutes(conditions, words))]
    if conditions.kind == "swiss" and conditions.rounds:
        rounds = words("count.rounds", n=conditions.rounds)
        lines.append(words("tournament.signup_rounds", rounds=rounds, least=conditions.rounds + 1))
    return "\n".join(lines)


def format_rules(conditions: Conditions, words: Words) -> str:
    first = words("tournament.how_swiss" if conditions.kind == "swiss" else "tournament.how_knockout")
    return f"{first}\n{words('tournament.how_common', minutes=_format_minutes(conditions, words))}"


def format_state_lines(season: Season, names: Names, words: Words) -> list[str]:
    if season.state == "off":
        return [words("tournament.off_few" if season.cancel_reason == "few" else "tournament.off_moderator")]
    if season.state == "over":
        won = [f"**{names[player]}**" for player in list_winners(season)]
        if not won:
            return [words("tournament.over_nobody")]
        return [words("tournament.over" if len(won) == 1 else "tournament.over_shared", winner=format_list(words, won))]
    fixtures = [one for one in season.fixtures if one.round == season.round]
    number = {"n": season.round + 1, "all": count_planned_rounds(season)}
    if any(one.number in season.match_ids for one in fixtures):
        done = sum(one.number in season.decisions for one in fixtures)
        when = format_timestamp(season.ends)
        return [words("tournament.running", **number, done=done, matches=len(fixtures), when=when)]
    return [words("tournament.pause", **number, when=format_timestamp(season.round_at))]


def format_round(season: Season, words: Words) -> str:
    return words("tournament.round", n=season.round + 1, all=count_planned_rounds(season))


def format_table_lines(season: Season, names: Names, words: Words) -> list[str]:
    """Return the current round and the table; in a knock-out the whole bracket."""
    if not season.divisions:
        return []
    if season.conditions.kind == "knockout":
        return format_pairing_lines(season, names, words)
    table = rank_division(season, 0)
    lines = [] if season.state == "over" else format_pairing_lines(season, names, words)
    for line in table:
        name = names[line.player]
        if line.has_left:
            lines.append(words("tournament.row_left", name=name))
            continue
        record = {"won": line.wins, "tied": line.ties, "lost": line.losses, "buchholz": line.buchholz}
        row = words("tournament.row", place=line.place, name=name, points=line.points, **record)
        lines.append(append_round_signs(row, list_round_marks(season, line.player)))
    return [*_truncate_lines(lines), words("tournament.how"), *format_sign_legend(season, season.divisions[0], words)]


def format_pairing_lines(season: Season, names: Names, words: Words) -> list[str]:
    """Return the pairings of this round; in a knock-out of all rounds, newest first."""
    first = 0 if season.conditions.kind == "knockout" else season.round
    lines: list[str] = []
    for number in range(season.round, first - 1, -1):
        lines.append(f"**{words('tournament.round', n=number + 1, all=count_planned_rounds(season))}**")
        fixtures = [one for one in season.fixtures if one.round == number]
        lines += [_format_pairing(season, one, names, words) for one in fixtures]
        bye_key = "tournament.rests_swiss"
        if season.conditions.kind == "knockout":
            last = number + 1 == count_planned_rounds(season)
            bye_key = "tournament.rests_final" if last else "tournament.rests_knockout"
        lines += [words(bye_key, name=names[player]) for player in season.byes.get(number, ())]
    return _truncate_lines(lines)


def _truncate_lines(lines: Sequence[str]) -> list[str]:
    """Return the lines that fit. The picture and a button show the others."""
    room = list(accumulate(len(line) + 1 for line in lines))
    return [line for line, used in zip(lines, room, strict=True) if used <= TEXT_LIMIT]


def format_alt_line(line: StandingsLine, name: str, words: Words) -> str:
    if line.has_left:
        return words("tournament.alt_left", name=name)
    facts = {"points": line.points, "possible": WIN * (line.played + line.byes), "buchholz": line.buchholz}
    return words("tournament.alt_row", place=line.place, name=name, **facts)


def _format_pairing(season: Season, one: Fixture, names: Names, words: Words) -> str:
    first, second = (names[player] for player in one.players)
    decision = season.decisions.get(one.number)
    if decision is None:
        key = "tournament.runs" if one.number in season.match_ids else "tournament.waits"
        return words(key, first=first, second=second)
    if season.conditions.kind == "knockout":
        advancing = [player for player in list_slots(season, one.round + 1) if player in one.players]
        if advancing and advancing[0] is not None:
            # The final has no next round.
            key = "tournament.wins" if one.round + 1 == count_planned_rounds(season) else "tournament.goes_on"
            return words(key, first=first, second=second, winner=names[advancing[0]])
    mine, theirs = decision.points
    return words("tournament.done", first=first, second=second, mine=mine, theirs=theirs)


def _format_minutes(conditions: Conditions, words: Words) -> str:
    return words("count.minutes", n=conditions.round_time // MINUTE)
