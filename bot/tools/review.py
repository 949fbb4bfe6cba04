"""`boneyard review`: the cost of choices, luck, and the decisive moments of a match (docs/explanation/review.md)."""

import json
import sys
from collections.abc import Iterator, Sequence
from random import Random
from typing import Annotated

import typer

from bot.tools.position_reading import Unreadable, counted
from bot.tools.replay import exit_on_unreadable, text_in
from data.rulebook import rules as shelf
from data.weights import weights
from engine.board.board import Placement
from engine.match.actions import Action, Choose, Draw, Play
from engine.match.events import Drew, Event, MatchEnded, Passed, Placed, Resigned, Started
from engine.record import RecordDamaged, read, rerun
from engine.record.reading import Plain
from engine.record.text import seat_name
from engine.reviews.costs import Effort
from engine.reviews.curve import Swing, swings
from engine.reviews.findings import ChoiceReview, Luck, PlainReview, Review, SeatReview, as_plain
from engine.reviews.review_match import Reviewer, SoFar

SURE = 1.96  # standard errors of a 95 % interval, on each side
CALLED = {"good": "good", "inaccuracy": "an inaccuracy", "mistake": "a mistake", "blunder": "a blunder"}


def review_told(
    found: Review, log: Sequence[Event], plays: Sequence[int], names: Sequence[str], most: int
) -> list[str]:
    """Return the review as text. `plays` are the record's lines by event; `names` are those of the first seats."""
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
        told += ["", *_seat_lines(seat, called[seat.seat])]
        told += [f"  {_choice_text(one, plays[one.at])}" for one in found.costliest(seat.seat, most)]
    if found.moments:
        told += ["", "The match was decided by:"]
        winner = ended.places.index(1)
        told += [
            f"  {_moment_text(turn, winner, log[turn.at], plays[turn.at], called)}"
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


def _seat_lines(seat: SeatReview, name: str) -> list[str]:
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
        told.append(f"  {_luck_text(seat.luck)}")
    return told


def _luck_text(luck: Luck) -> str:
    deal, draws, skill, rest = luck.in_points
    unsure, skill_unsure = SURE * luck.error, SURE * luck.skill_error
    return (
        f"{deal + draws + skill + rest:+} points ahead: luck {deal + draws:+} ± {unsure:.0f} (deal {deal:+}, draws "
        f"{draws:+}), skill {skill:+} ± {skill_unsure:.0f}, what is left {rest:+}."
    )


def _choice_text(one: ChoiceReview, line: int) -> str:
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


def _moment_text(turn: Swing, winner: int, event: Event, line: int, called: Sequence[str]) -> str:
    match event:
        case Placed(seat, tile, cell, rotation):
            done = f"{called[seat]} placed {Placement(tile, cell, rotation)}"
        case Drew(seat):
            done = f"{called[seat]} drew"
        case Passed(seat):
            # Where drawing is optional, a seat that passes may have had a tile that fits.
            done = f"{called[seat]} passed"
        case Resigned(seat):
            done = f"{called[seat]} resigned"
        case _:
            done = f"{called[turn.after.seat or 0]} chose"
    return (
        f"line {line}, round {turn.after.round}: {done}; before it {called[winner]} could expect "
        f"{turn.before.ahead[winner]:+.0f} points, after it {turn.after.ahead[winner]:+.0f}."
    )


def review(
    file: Annotated[str, typer.Argument(metavar="FILE|-", help="A record; a dash reads it from standard input.")],
    name: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="The name of each player, seat by seat; can be repeated.")
    ] = None,
    most: Annotated[
        int, typer.Option(min=0, metavar="N", help="Number of costliest choices to print for each seat.")
    ] = 3,
    effort: Annotated[
        float,
        typer.Option(
            min=0.01, max=100, metavar="N", help="Factor of the computing time; 4 halves the margins of error."
        ),
    ] = 1.0,
    seed: Annotated[
        str, typer.Option(help="Seed of the randomness; the same seed gives the same review.")
    ] = "boneyard",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of sentences.")] = False,
) -> None:
    """Review a finished match.

    Every choice is compared with the best move that could be found from what
    its player could see. Luck is measured with all tiles known. Line numbers
    are those of the record: boneyard replay FILE --at N shows the table there.

    A review takes some seconds to half a minute, depending on the number of
    choices. Status 2: the record cannot be read, has a wrong line, or its
    match is not finished.
    """
    with exit_on_unreadable():
        log = _log_in(file)
    found = _finish_with_progress(so_far(log, seed, effort))
    plays = plays_of(log)
    if as_json:
        typer.echo(json.dumps(told_to_programs(found, log, plays)))
    else:
        typer.echo("\n".join(review_told(found, log, plays, name or (), most)))


def log_of(record: str) -> list[Event]:
    """Return the events of a finished match from its record. Raises RecordDamaged or Unreadable, saying what to do."""
    checked = rerun(read(record, shelf))
    if checked.faults:
        raise Unreadable(f"line {checked.faults[0].line} is wrong; boneyard replay tells what it should be")
    if not isinstance(checked.log[-1], MatchEnded):
        raise Unreadable("this match is not over; there is nothing to be told of it before")
    return checked.log


def _log_in(file: str) -> list[Event]:
    record, source = text_in(file), "standard input" if file == "-" else file
    try:
        return log_of(record)
    except RecordDamaged as damage:
        raise Unreadable(f"{source}, {damage}") from damage
    except Unreadable as error:
        raise Unreadable(f"{source}: {error}") from error


def so_far(log: Sequence[Event], seed: str, effort: float = 1.0) -> Iterator[SoFar]:
    first = log[0]
    assert isinstance(first, Started)
    # A seed may contain surrogates, from a terminal or JSON.
    chance = lambda name: Random(f"{seed} {name}".encode(errors="surrogatepass"))  # noqa: E731, S311 - a game
    return Reviewer(weights(first.rules), chance, Effort().times(effort)).progress(log)


def plays_of(log: Sequence[Event]) -> list[int]:
    """Return the record's line number of each event, or of the one before it."""
    found, plays = [], 0
    for event in log:
        plays += isinstance(event, Plain)
        found.append(plays)
    return found


def told_to_programs(found: Review, log: Sequence[Event], plays: Sequence[int]) -> PlainReview:
    """Return the value that `--json` prints: the stored form, with line numbers of the record."""
    first, ended = log[0], log[-1]
    assert isinstance(first, Started)
    assert isinstance(ended, MatchEnded)
    told = as_plain(found)
    for one in (*told["choices"], *told["curve"]):
        one["line"] = plays[one["at"]]
    lines = [plays[at] for at in found.moments]
    head = {"game": first.rules.game, "totals": list(ended.totals), "places": list(ended.places)}
    return head | told | {"lines_of_moments": lines}


def _finish_with_progress(progress: Iterator[SoFar]) -> Review:
    at = next(progress)
    with typer.progressbar(length=at.of, label="Looking back", file=sys.stderr, hidden=not sys.stderr.isatty()) as bar:
        bar.update(at.done)
        for at in progress:  # noqa: B007 - the last is the whole
            bar.update(1)
    return at.review
