"""A review in sentences, for whoever asks at the command line."""

from collections.abc import Sequence

from bot.referee.sentences import counted
from engine.actions import Action, Choose, Draw, Play
from engine.board import Placement
from engine.events import Drew, Event, MatchEnded, Passed, Placed, Resigned, Started
from engine.record.text import seat_name
from engine.review.curve import Swing, swings
from engine.review.findings import ChoiceReview, Luck, Review, SeatReview

SURE = 1.96
"""An interval of 95 % is so many standard errors wide on each side."""
CALLED = {"good": "good", "inaccuracy": "an inaccuracy", "mistake": "a mistake", "blunder": "a blunder"}


def review_told(
    found: Review, log: Sequence[Event], plays: Sequence[int], names: Sequence[str], most: int
) -> list[str]:
    """The lines of it. `plays` are the record's lines by event; `names` those of the first seats."""
    first, ended = log[0], log[-1]
    assert isinstance(first, Started)
    assert isinstance(ended, MatchEnded)
    called = [*names, *map(seat_name, range(len(names), first.seats))]
    ranks = ", ".join(
        f"{called[seat]} {total} (place {place})"
        for seat, (total, place) in enumerate(zip(ended.totals, ended.places, strict=True))
    )
    told = [f"{first.rules.game}, {counted(len(found.rounds), 'round')}: {ranks}."]
    told.append("Compared with our best guess, from what each seat could see at that time; ± is an interval of 95 %.")
    if found.wins:
        told.append("A single deal decides this match: a point is a hundredth of the win.")
    for seat in found.seats:
        told += ["", *_seat_told(seat, called[seat.seat])]
        told += [f"  {_choice_told(one, plays[one.at])}" for one in found.costliest(seat.seat, most)]
    if found.moments:
        told += ["", "The match was decided by:"]
        winner = ended.places.index(1)
        told += [
            f"  {_moment_told(turn, winner, log[turn.at], plays[turn.at], called)}"
            for turn in swings(found.curve)
            if turn.at in found.moments
        ]
    if found.draws:
        told += ["", "The luckiest draws:"]
        told += [
            f"  line {plays[draw.at]}, round {draw.round}: {called[draw.seat]} drew {counted(draw.tiles, 'tile')}, "
            f"worth {draw.ahead:+.0f} ± {SURE * draw.error:.0f} points."
            for draw in found.draws
        ]
    return told


def _seat_told(seat: SeatReview, name: str) -> list[str]:
    if seat.accuracy is None:
        told = [f"{name} had no choice."]
    else:
        kinds = [
            f"{number} {one if number == 1 else more}"
            for number, one, more in (
                (seat.inaccuracies, "inaccuracy", "inaccuracies"),
                (seat.mistakes, "mistake", "mistakes"),
                (seat.blunders, "blunder", "blunders"),
            )
            if number
        ]
        labels = ", ".join([f"{seat.good} good", *kinds])
        lost = f"{max(0.0, seat.lost):.0f} ± {SURE * seat.error:.0f} points lost"
        told = [f"{name}: accuracy {seat.accuracy:.0f} of 100, {lost}; {counted(seat.choices, 'choice')}: {labels}."]
    missed = [
        counted(number, what)
        for number, what in ((seat.missed_hexagons, "hexagon"), (seat.missed_bridges, "bridge"))
        if number
    ]
    if missed:
        told.append(f"  Missed: {', '.join(missed)}.")
    if seat.luck is not None:
        told.append(f"  {_luck_told(seat.luck)}")
    return told


def _luck_told(luck: Luck) -> str:
    deal, draws, skill, rest = luck.in_points
    unsure, skill_unsure = SURE * luck.error, SURE * luck.skill_error
    return (
        f"{deal + draws + skill + rest:+} points ahead: luck {deal + draws:+} ± {unsure:.0f} (deal {deal:+}, draws "
        f"{draws:+}), skill {skill:+} ± {skill_unsure:.0f}, what is left {rest:+}."
    )


def _choice_told(one: ChoiceReview, line: int) -> str:
    missed = ""
    if one.missed_hexagons:
        missed = f" {counted(one.missed_hexagons, 'hexagon')} missed."
    elif one.missed_bridge:
        missed = " A bridge missed."
    return (
        f"line {line}, round {one.round}: {action_told(one.made)}; {action_told(one.best)} would have been better by "
        f"{one.cost:.1f} ± {SURE * one.error:.1f} points: {CALLED[one.label]}.{missed}"
    )


def action_told(action: Action) -> str:
    """What somebody does, in the record's words."""
    match action:
        case Play(_, tile, cell, rotation):
            return str(Placement(tile, cell, rotation))
        case Choose(_, "stop"):
            return "to stop"
        case Choose(_, option):
            return f"the {option}"
        case Draw():
            return "to draw"
        case _:
            return "to pass"


def _moment_told(turn: Swing, winner: int, event: Event, line: int, called: Sequence[str]) -> str:
    match event:
        case Placed(seat, tile, cell, rotation):
            done = f"{called[seat]} placed {Placement(tile, cell, rotation)}"
        case Drew(seat):
            done = f"{called[seat]} drew"
        case Passed(seat):
            # Where drawing is a choice, whoever passes may have had something that fitted.
            done = f"{called[seat]} passed"
        case Resigned(seat):
            done = f"{called[seat]} resigned"
        case _:
            done = f"{called[turn.after.seat or 0]} chose"
    return (
        f"line {line}, round {turn.after.round}: {done}; before it {called[winner]} could expect "
        f"{turn.before.ahead[winner]:+.0f} points, after it {turn.after.ahead[winner]:+.0f}."
    )
