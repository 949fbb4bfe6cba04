"""`boneyard seat`: a program plays some matches, and its results and faults are printed."""

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import typer

from bot.tools.contest import Contest, Played, Times, quantile, shares, short_name
from bot.tools.seating import Arena
from data.private import write_private
from data.rulebook import DEFAULT
from data.rulebook import rules as shelf
from engine.record import write


def play_seat(contest: Contest, matches: int, record: Path | None, *, as_json: bool) -> int:
    """Play matches with the first player on another seat in each; print the results, and return the status."""
    times: tuple[Times, ...] = tuple(Counter() for _ in contest.players)
    told: list[dict[str, Any]] = []
    with Arena(contest) as arena:
        for number in range(matches):
            played = arena.match(number, number % contest.seats, times)
            told.append(_told(contest, number, played))
            if not as_json:
                typer.echo(_line(contest, told[-1]))
        programs = list(arena.programs)
        faults = sum((program.faults for program in programs), Counter[str]())
        lost = sum(program.forfeits for program in programs)
        complaints = [one for program in programs for one in program.complaints]
    took = [quantile(times[0], part) for part in (0.5, 0.99)]
    if as_json:
        summary = {"matches": told, "choices": times[0].total(), "faults": dict(faults), "forfeits": lost}
        typer.echo(json.dumps({**summary, "p50_ms": took[0], "p99_ms": took[1], "complaints": complaints}))
    else:
        waited = "" if took[0] is None or took[1] is None else f", {took[0]:.2g} ms each (p99 {took[1]:.2g})"
        wrong = ", ".join(f"{count} {why}" for why, count in sorted(faults.items())) or "no faults"
        forfeited = f", {lost} lost by them" if lost else ""
        typer.echo(f"{times[0].total():,} choices{waited}; {wrong}{forfeited}.")
        for complaint in complaints:
            print(complaint, file=sys.stderr)
    if record is not None:
        preset = "" if contest.preset == DEFAULT else contest.preset
        write_private(record, write(played.log, shelf(contest.game), preset=preset).encode())
    return 1 if lost else 0


def _told(contest: Contest, number: int, played: Played) -> dict[str, Any]:
    mine = next(seat for seat in range(contest.seats) if contest.place_at(seat, number % contest.seats) == 0)
    return {
        "match": number + 1,
        "seat": mine,
        "totals": list(played.totals),
        "places": list(played.places),
        "won": shares(played.places)[mine],
    }


def _line(contest: Contest, told: dict[str, Any]) -> str:
    names = [
        contest.players[contest.places[contest.place_at(seat, told["match"] - 1)]] for seat in range(contest.seats)
    ]
    scores = ", ".join(f"{short_name(name)} {total}" for name, total in zip(names, told["totals"], strict=True))
    ended = "won" if told["won"] == 1 else "shared" if told["won"] else "lost"
    return f"match {told['match']}: {scores}: {ended}"
