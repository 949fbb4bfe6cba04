"""What comparing a result with the field takes out of its luck: `python -m tests.bench.fields PLAYER DEALS`.

Somebody plays deals of Triominoes, one match each; at other tables of the same deal others play. Their result is their
margin less the mean margin of the field on the same seat, as `/tiles-deal field` has it of points. For the same number
of matches of theirs its variance is laid beside that of the margins alone. With `--file` deals are kept, and gone on
with.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from random import Random
from statistics import fmean, variance
from typing import Annotated, Any, Final

import typer

from bot.arena.playing import play_match
from bot.arena.seating import Resident
from data.rulebook import rules
from data.weights import weights
from engine.players.levels import player

GAME: Final = "triominoes"
FIELD: Final = ("greedy", "medium", "easy")
"""Who plays at the other tables, and against whom: drawn for each seat."""
TABLES: Final = (4, 8, 16)
DRAWN: Final = 400
"""How often the deals are drawn anew for an interval."""

Deal = dict[str, Any]


def played(who: str, deal: int, *, single: bool) -> Deal:
    """One deal: `own`, by the seat they sat on, and `f`, the other tables; totals by seat."""
    playing = rules(GAME)
    chance = Random(_number("who", deal))
    players = {name: player(name, playing, weights(playing)) for name in {who, *FIELD}}

    def match(names: Sequence[str], *tag: object) -> list[int]:
        lucks = [Random(_number("c", deal, seat, *tag)) for seat in range(2)]
        sitters = [Resident(players[name], luck, Counter()) for name, luck in zip(names, lucks, strict=True)]
        return [*play_match(playing, sitters, _number("deal", deal), single=single).totals]

    own = []
    for seat in range(2):
        names = [chance.choice(FIELD)] * 2
        names[seat] = who
        own.append(match(names, "own", seat))
    others = [match([chance.choice(FIELD), chance.choice(FIELD)], "f", table) for table in range(max(TABLES))]
    return {"d": deal, "own": own, "f": others}


def left(deals: Sequence[Deal], tables: int) -> float:
    """The part of the variance of a margin that is left of the margin against a field of so many tables."""
    alone, compared = [], []
    for seat in range(2):
        own = [deal["own"][seat][seat] - deal["own"][seat][1 - seat] for deal in deals]
        field = [fmean(table[seat] - table[1 - seat] for table in deal["f"][:tables]) for deal in deals]
        alone.append(variance(own))
        compared.append(variance([one - other for one, other in zip(own, field, strict=True)]))
    return fmean(compared) / fmean(alone)


def row(who: str, deals: Sequence[Deal]) -> str:
    """A row of docs/duplicate.md: 95 % lie between the numbers in brackets, by drawing the deals anew."""
    chance = Random(len(deals))
    cells = []
    for tables in TABLES:
        drawn = sorted(left(chance.choices(deals, k=len(deals)), tables) for _ in range(DRAWN))
        low, high = drawn[DRAWN // 40], drawn[-1 - DRAWN // 40]
        cells.append(f"{100 * left(deals, tables):.0f} ({100 * low:.0f} to {100 * high:.0f})")
    return f"| {who} | {len(deals)} | {' | '.join(cells)} |"


def _number(*of: object) -> bytes:
    return sha256(" ".join(map(str, ("field", *of))).encode()).digest()


def main(
    who: str,
    deals: int,
    whole: Annotated[bool, typer.Option(help="Matches to 400, and not their first rounds.")] = False,
    file: Annotated[Path | None, typer.Option(help="Where deals are kept.")] = None,
) -> None:
    """Play, and print the row."""
    known = [] if file is None or not file.exists() else [json.loads(line) for line in file.read_text().splitlines()]
    for deal in range(len(known), deals):
        known.append(played(who, deal, single=not whole))
        if file is not None:
            with file.open("a") as kept:
                kept.write(json.dumps(known[-1]) + "\n")
    typer.echo(row(who, known[:deals]))


if __name__ == "__main__":
    typer.run(main)
