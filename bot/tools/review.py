"""`boneyard review`: the cost of choices, luck, and the decisive moments of a match (docs/explanation/review.md)."""

import json
import sys
from collections.abc import Iterator, Sequence
from random import Random
from typing import Annotated

import typer

from bot.tools.position_reading import UnreadableError, format_count
from bot.tools.replay import Json, PlayerNames, RecordFile, exit_on_unreadable, read_text
from data.rulebook import load_rules
from data.weights import load_weights
from engine.board.board import Placement
from engine.match.actions import Action, Play
from engine.match.events import Drew, Event, MatchEnded, Passed, Placed, Resigned, Started
from engine.record import DamagedRecordError, read, rerun
from engine.record.reading import NumberedEvent
from engine.record.text import format_choice, format_seat
from engine.reviews.costs import Effort
from engine.reviews.curve import Swing, list_swings
from engine.reviews.findings import ChoiceReview, Luck, PlainReview, Review, SeatReview, to_plain
from engine.reviews.review_match import Reviewer, ReviewProgress

ERRORS_PER_SIDE = 1.96  # standard errors of a 95 % interval, on each side
LABEL_NAMES = {"good": "good", "inaccuracy": "an inaccuracy", "mistake": "a mistake", "blunder": "a blunder"}


def format_review_lines(
    found: Review, log: Sequence[Event], plays: Sequence[int], names: Sequence[str], most: int
) -> list[str]:
    """Return the review as text. `plays` are the record's lines by event; `names` are those of the first seats."""
    first, ended = log[0], log[-1]
    assert isinstance(first, Started)
    assert isinstance(ended, MatchEnded)
    seat_names = [*names, *map(format_seat, range(len(names), first.seats))]
    ranks = ", ".join(
        f"{seat_names[seat]} {total} (place {place})"
        for seat, (total, place) in enumerate(zip(ended.totals, ended.places, strict=True))
    )
    lines = [f"{first.rules.game}, {format_count(len(found.rounds), 'round')}: {ranks}."]
    lines.append("Compared with our best guess, from what each seat could see at that time; ± is an interval of 95 %.")
    if found.wins:
        lines.append("A single deal decides this match: a point is a hundredth of the win.")
    for seat in found.seats:
        lines += ["", *_format_seat_lines(seat, seat_names[seat.seat])]
        lines += [f"  {_format_choice(one, plays[one.at])}" for one in found.list_costliest(seat.seat, most)]
    if found.moments:
        lines += ["", "The match was decided by:"]
        winner = ended.places.index(1)
        lines += [
            f"  {_format_moment(turn, winner, log[turn.at], plays[turn.at], seat_names)}"
            for turn in list_swings(found.curve)
            if turn.at in found.moments
        ]
    if found.draws:
        lines += ["", "The luckiest draws:"]
        lines += [
            f"  line {plays[draw.at]}, round {draw.round}: {seat_names[draw.seat]} drew "
            f"{format_count(draw.tiles, 'tile')}, worth {draw.ahead:+.0f} ± {ERRORS_PER_SIDE * draw.error:.0f} points."
            for draw in found.draws
        ]
    return lines


def _format_seat_lines(seat: SeatReview, name: str) -> list[str]:
    if seat.accuracy is None:
        lines = [f"{name} had no choice."]
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
        labels = ", ".join([f"{seat.good_choices} good", *kinds])
        lost = f"{max(0.0, seat.lost):.0f} ± {ERRORS_PER_SIDE * seat.error:.0f} points lost"
        lines = [
            f"{name}: accuracy {seat.accuracy:.0f} of 100, {lost}; {format_count(seat.choices, 'choice')}: {labels}."
        ]
    missed = [
        format_count(number, what)
        for number, what in ((seat.missed_hexagons, "hexagon"), (seat.missed_bridges, "bridge"))
        if number
    ]
    if missed:
        lines.append(f"  Missed: {', '.join(missed)}.")
    if seat.luck is not None:
        lines.append(f"  {_format_luck(seat.luck)}")
    return lines


def _format_luck(luck: Luck) -> str:
    deal, draws, skill, rest = luck.rounded_parts
    unsure, skill_unsure = ERRORS_PER_SIDE * luck.error, ERRORS_PER_SIDE * luck.skill_error
    return (
        f"{deal + draws + skill + rest:+} points ahead: luck {deal + draws:+} ± {unsure:.0f} (deal {deal:+}, draws "
        f"{draws:+}), skill {skill:+} ± {skill_unsure:.0f}, what is left {rest:+}."
    )


def _format_choice(one: ChoiceReview, line: int) -> str:
    missed = " A bridge missed." if one.missed_bridge else ""
    if one.missed_hexagons:
        missed = f" {format_count(one.missed_hexagons, 'hexagon')} missed."
    return (
        f"line {line}, round {one.round}: {format_action(one.made)}; {format_action(one.best)} would have been better "
        f"by {one.cost:.1f} ± {ERRORS_PER_SIDE * one.error:.1f} points: {LABEL_NAMES[one.label]}.{missed}"
    )


def format_action(action: Action) -> str:
    text = format_choice(action)
    if isinstance(action, Play):
        return text
    return f"the {text}" if text in ("points", "tiles") else f"to {text}"


def _format_moment(turn: Swing, winner: int, event: Event, line: int, seat_names: Sequence[str]) -> str:
    match event:
        case Placed(seat, tile, cell, rotation):
            done = f"{seat_names[seat]} placed {Placement(tile, cell, rotation)}"
        case Drew(seat):
            done = f"{seat_names[seat]} drew"
        case Passed(seat):
            # Where drawing is optional, a seat that passes may have had a tile that fits.
            done = f"{seat_names[seat]} passed"
        case Resigned(seat):
            done = f"{seat_names[seat]} resigned"
        case _:
            done = f"{seat_names[turn.after.seat or 0]} chose"
    return (
        f"line {line}, round {turn.after.round}: {done}; before it {seat_names[winner]} could expect "
        f"{turn.before.ahead[winner]:+.0f} points, after it {turn.after.ahead[winner]:+.0f}."
    )


def run_review(
    file: RecordFile,
    name: PlayerNames = None,
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
    as_json: Json = False,
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
        log = _read_log_file(file)
    found = _finish_with_progress(iterate_review(log, seed, effort))
    plays = list_line_numbers(log)
    if as_json:
        typer.echo(json.dumps(build_review_json(found, log, plays)))
    else:
        typer.echo("\n".join(format_review_lines(found, log, plays, name or (), most)))


def read_log(record: str) -> list[Event]:
    """Return the events of a finished match from its record. Raises DamagedRecordError or UnreadableError, saying
    what to do.
    """
    checked = rerun(read(record, load_rules))
    if checked.faults:
        raise UnreadableError(f"line {checked.faults[0].line} is wrong; boneyard replay tells what it should be")
    if not isinstance(checked.log[-1], MatchEnded):
        raise UnreadableError("this match is not over; there is nothing to be told of it before")
    return checked.log


def _read_log_file(file: str) -> list[Event]:
    record, source = read_text(file), "standard input" if file == "-" else file
    try:
        return read_log(record)
    except DamagedRecordError as damage:
        raise UnreadableError(f"{source}, {damage}") from damage
    except UnreadableError as error:
        raise UnreadableError(f"{source}: {error}") from error


def iterate_review(log: Sequence[Event], seed: str, effort: float = 1.0) -> Iterator[ReviewProgress]:
    first = log[0]
    assert isinstance(first, Started)
    # A seed may contain surrogates, from a terminal or JSON.
    chance = lambda name: Random(f"{seed} {name}".encode(errors="surrogatepass"))  # noqa: E731, S311 - a game
    return Reviewer(load_weights(first.rules), chance, Effort().scale(effort)).iterate_progress(log)


def list_line_numbers(log: Sequence[Event]) -> list[int]:
    """Return the record's line number of each event, or of the one before it."""
    found, plays = [], 0
    for event in log:
        plays += isinstance(event, NumberedEvent)
        found.append(plays)
    return found


def build_review_json(found: Review, log: Sequence[Event], plays: Sequence[int]) -> PlainReview:
    """Return the value that `--json` prints: the stored form, with line numbers of the record."""
    first, ended = log[0], log[-1]
    assert isinstance(first, Started)
    assert isinstance(ended, MatchEnded)
    values = to_plain(found)
    for one in (*values["choices"], *values["curve"]):
        one["line"] = plays[one["at"]]
    lines = [plays[at] for at in found.moments]
    head = {"game": first.rules.game, "totals": list(ended.totals), "places": list(ended.places)}
    return head | values | {"lines_of_moments": lines}


def _finish_with_progress(progress: Iterator[ReviewProgress]) -> Review:
    at = next(progress)
    with typer.progressbar(
        length=at.total, label="Looking back", file=sys.stderr, hidden=not sys.stderr.isatty()
    ) as bar:
        bar.update(at.done)
        for at in progress:  # noqa: B007 - the last is the whole
            bar.update(1)
    return at.review
