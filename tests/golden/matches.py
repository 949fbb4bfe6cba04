"""Whole matches of any game and options, generated from a seed, for records that are not stored."""

import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path
from random import Random

from data.rulebook import DEFAULT_PRESET, list_games, load_rules
from engine.match.actions import Action, Choose, Draw, Pass, Play, Resign, Undo
from engine.match.decide import decide, list_options, start
from engine.match.events import Event
from engine.match.player_view import view_for
from engine.match.rules import Rules
from engine.match.state import Match, apply_event, find_last_placement, replay
from engine.players import greedy
from engine.record import Record, read, write

GOLDEN = Path(__file__).parent


def read_golden_record(name: str) -> Record:
    return read((GOLDEN / f"{name}.txt").read_text(encoding="utf-8"), load_rules)


def play_random_match(
    rules: Rules,
    seats: int,
    seed: int,
    *,
    computers: Sequence[int] = (),
    by_hand: bool = False,
    resign_chance: float = 0.0,
    undo_chance: float = 0.0,
    max_actions: int = 10_000,
    contributions: Sequence[str] = (),
) -> list[Event]:
    rng = Random(seed)
    secret = rng.randbytes(32)
    log = start(rules, seats=seats, computers=computers, by_hand=by_hand, secret=secret, contributions=contributions)
    table = replay(log)
    for _ in range(max_actions):
        if table.ended:
            break
        action = _choose_undo(table, rng) if undo_chance and rng.random() < undo_chance else None
        events = decide(table, action or _choose_action(table, rng, resign_chance), secret)
        for event in events:
            apply_event(table, event)
        log += events
    return log


def _choose_action(table: Match, rng: Random, resign_chance: float) -> Action:
    seat = table.turn
    users = [other for other in table.active if not table.seats[other].computer]
    if users and rng.random() < resign_chance:
        return Resign(rng.choice(users))
    options = list_options(table)
    legal = [] if table.choosing else table.list_legal_moves(seat)
    if options and (not legal or rng.random() < 0.3):
        return Choose(seat, rng.choice(options))
    may_draw = table.rules.may_draw_freely and bool(table.board.placed) and table.can_draw()
    if legal and not (may_draw and rng.random() < 0.1):
        if rng.random() < 0.5:
            choice = rng.choice(legal)
            return Play(seat, choice.tile, choice.cell, choice.rotation)
        return greedy.choose(view_for(table, seat), rng)
    return Draw(seat) if table.can_draw() else Pass(seat)


def _choose_undo(table: Match, rng: Random) -> Action | None:
    undoable_seats = [seat for seat in table.active if find_last_placement(table.undo_stack, seat)]
    if not undoable_seats:
        return None
    seat = rng.choice(undoable_seats)
    return Undo(seat, agreed=not table.can_undo(seat))


def main() -> None:
    parser = ArgumentParser(description=main.__doc__)
    parser.add_argument("game", choices=list_games())
    parser.add_argument("--preset", default=DEFAULT_PRESET)
    parser.add_argument("--seats", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--computers", type=int, nargs="*", default=[], metavar="SEAT")
    parser.add_argument("--by-hand", action="store_true")
    parser.add_argument("--resigning", type=float, default=0.0, metavar="CHANCE")
    parser.add_argument("--wavering", type=float, default=0.0, metavar="CHANCE")
    parser.add_argument("--option", nargs="*", default=[], metavar="NAME=VALUE")
    parser.add_argument("--added", nargs="*", default=[], metavar="WORD", help="what each seat adds to the deals")
    arguments = parser.parse_args()
    rules = load_rules(arguments.game, arguments.preset)
    for option in arguments.option:
        rules = rules.with_option(*option.split("=", 1))
    log = play_random_match(
        rules,
        arguments.seats,
        arguments.seed,
        computers=arguments.computers,
        by_hand=arguments.by_hand,
        resign_chance=arguments.resigning,
        undo_chance=arguments.wavering,
        contributions=arguments.added,
    )
    sys.stdout.write(
        write(log, load_rules(arguments.game), preset="" if arguments.preset == DEFAULT_PRESET else arguments.preset)
    )


if __name__ == "__main__":
    main()
