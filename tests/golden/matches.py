"""Whole matches of any game and reading, played out from a number: for records that are made, not kept."""

import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from random import Random

from data.rulebook import DEFAULT_PRESET, list_games, load_rules
from engine.match.actions import Action, Choose, Draw, Pass, Play, Resign, Undo
from engine.match.decide import decide, list_options, start
from engine.match.events import Event
from engine.match.player_view import view_for
from engine.match.rules import Rules
from engine.match.state import Match, apply_event, find_last_placement, replay
from engine.players import greedy
from engine.record import write


def played(
    reading: Rules,
    seats: int,
    seed: int,
    *,
    computers: Sequence[int] = (),
    by_hand: bool = False,
    resigning: float = 0.0,
    wavering: float = 0.0,
    most: int = 10_000,
    added: Sequence[str] = (),
) -> list[Event]:
    rng = Random(seed)
    secret = rng.randbytes(32)
    log = start(reading, seats=seats, computers=computers, by_hand=by_hand, secret=secret, contributions=added)
    table = replay(log)
    for _ in range(most):
        if table.ended:
            break
        action = _second_thought(table, rng) if wavering and rng.random() < wavering else None
        happened = decide(table, action or _action(table, rng, resigning), secret)
        for event in happened:
            apply_event(table, event)
        log += happened
    return log


def _action(table: Match, rng: Random, resigning: float) -> Action:
    seat = table.turn
    people = [other for other in table.active if not table.seats[other].computer]
    if people and rng.random() < resigning:
        return Resign(rng.choice(people))
    open_ = list_options(table)
    legal = [] if table.choosing else table.list_legal_moves(seat)
    if open_ and (not legal or rng.random() < 0.3):
        return Choose(seat, rng.choice(open_))
    may_draw = table.rules.may_draw_freely and bool(table.board.placed) and table.can_draw()
    if legal and not (may_draw and rng.random() < 0.1):
        if rng.random() < 0.5:
            choice = rng.choice(legal)
            return Play(seat, choice.tile, choice.cell, choice.rotation)
        return greedy.choose(view_for(table, seat), rng)
    return Draw(seat) if table.can_draw() else Pass(seat)


def _second_thought(table: Match, rng: Random) -> Action | None:
    behind = [seat for seat in table.active if find_last_placement(table.undo_stack, seat)]
    if not behind:
        return None
    seat = rng.choice(behind)
    return Undo(seat, agreed=not table.can_undo(seat))


def main() -> None:
    ask = ArgumentParser(description=main.__doc__)
    ask.add_argument("game", choices=list_games())
    ask.add_argument("--preset", default=DEFAULT_PRESET)
    ask.add_argument("--seats", type=int, default=2)
    ask.add_argument("--seed", type=int, default=1)
    ask.add_argument("--computers", type=int, nargs="*", default=[], metavar="SEAT")
    ask.add_argument("--by-hand", action="store_true")
    ask.add_argument("--resigning", type=float, default=0.0, metavar="CHANCE")
    ask.add_argument("--wavering", type=float, default=0.0, metavar="CHANCE")
    ask.add_argument("--option", nargs="*", default=[], metavar="NAME=VALUE")
    ask.add_argument("--added", nargs="*", default=[], metavar="WORD", help="what each seat adds to the deals")
    told = ask.parse_args()
    reading = load_rules(told.game, told.preset)
    for option in told.option:
        reading = reading.with_option(*option.split("=", 1))
    log = played(
        reading,
        told.seats,
        told.seed,
        computers=told.computers,
        by_hand=told.by_hand,
        resigning=told.resigning,
        wavering=told.wavering,
        added=told.added,
    )
    sys.stdout.write(write(log, load_rules(told.game), preset="" if told.preset == DEFAULT_PRESET else told.preset))


if __name__ == "__main__":
    main()
