"""`boneyard seat`: a program plays some matches, and its results and faults are printed."""

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import typer

from bot.tools.contest import Contest, PlayedMatch, Times, compute_quantile, compute_shares, shorten_name
from bot.tools.seating import Arena
from data.private import write_private
from data.rulebook import DEFAULT_PRESET, load_rules
from engine.record import write


def play_seat(contest: Contest, matches: int, record: Path | None, *, as_json: bool) -> int:
    """Play matches with the first player on another seat in each; print the results, and return the status."""
    times: tuple[Times, ...] = tuple(Counter() for _ in contest.players)
    matches_json: list[dict[str, Any]] = []
    with Arena(contest) as arena:
        for number in range(matches):
            played = arena.play_rotation(number, number % contest.seats, times)
            matches_json.append(_build_match_json(contest, number, played))
            if not as_json:
                typer.echo(_format_match(contest, matches_json[-1]))
        programs = list(arena.programs)
        faults = sum((program.faults for program in programs), Counter[str]())
        lost = sum(program.forfeits for program in programs)
        complaints = [one for program in programs for one in program.complaints]
    quantiles = [compute_quantile(times[0], part) for part in (0.5, 0.99)]
    if as_json:
        summary = {"matches": matches_json, "choices": times[0].total(), "faults": dict(faults), "forfeits": lost}
        typer.echo(json.dumps({**summary, "p50_ms": quantiles[0], "p99_ms": quantiles[1], "complaints": complaints}))
    else:
        waited = ""
        if quantiles[0] is not None and quantiles[1] is not None:
            waited = f", {quantiles[0]:.2g} ms each (p99 {quantiles[1]:.2g})"
        wrong = ", ".join(f"{count} {why}" for why, count in sorted(faults.items())) or "no faults"
        forfeited = f", {lost} lost by them" if lost else ""
        typer.echo(f"{times[0].total():,} choices{waited}; {wrong}{forfeited}.")
        for complaint in complaints:
            print(complaint, file=sys.stderr)
    if record is not None:
        preset = "" if contest.preset == DEFAULT_PRESET else contest.preset
        write_private(record, write(played.log, load_rules(contest.game), preset=preset).encode())
    return 1 if lost else 0


def _build_match_json(contest: Contest, number: int, played: PlayedMatch) -> dict[str, Any]:
    mine = next(seat for seat in range(contest.seats) if contest.compute_place(seat, number % contest.seats) == 0)
    return {
        "match": number + 1,
        "seat": mine,
        "totals": list(played.totals),
        "places": list(played.places),
        "won": compute_shares(played.places)[mine],
    }


def _format_match(contest: Contest, match: dict[str, Any]) -> str:
    names = [
        contest.players[contest.places[contest.compute_place(seat, match["match"] - 1)]]
        for seat in range(contest.seats)
    ]
    scores = ", ".join(f"{shorten_name(name)} {total}" for name, total in zip(names, match["totals"], strict=True))
    ended = "won" if match["won"] == 1 else "shared" if match["won"] else "lost"
    return f"match {match['match']}: {scores}: {ended}"
