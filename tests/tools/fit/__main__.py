"""Fit the weights of computer players and write them to `data/players`.

uv run checks -m tests.tools.fit triominoes --rounds 8000
"""

import argparse
import json
from dataclasses import replace
from typing import Any

import msgspec

from data.rulebook import load_rules
from data.weights import PLAYERS, load_weights
from engine.match.rules import Rules
from engine.players.evaluation_weights import PlacementWeights, Weights
from tests.tools.fit import held_tiles, leaf, move_weights, rollout_weights


def main() -> None:
    """Fit the weights of a game and write its file."""
    parser = argparse.ArgumentParser(prog="python -m tests.tools.fit", description=__doc__)
    parser.add_argument("game")
    parser.add_argument("--rounds", type=int, default=20_000)
    parser.add_argument("--seed", default="boneyard")
    parser.add_argument("--own", action="store_true", help="fit only how a seat plays its own moves in rollouts")
    parser.add_argument("--seats", type=int, default=2, help="with --own: the number of seats")
    asked = parser.parse_args()
    rules = load_rules(asked.game)
    command = f"python -m tests.tools.fit {asked.game} --rounds {asked.rounds} --seed {asked.seed}"
    if asked.own:
        found = _fit_own(rules, asked.seats, asked.rounds, asked.seed)
    elif rules.has_boneyard:
        found = replace(_fit_thinking(rules, asked.rounds, asked.seed), fitted_by=command)
    else:
        medium, hard, regret = move_weights.fit(rules, 2, asked.rounds, asked.seed)
        print(regret)
        found = replace(load_weights(rules), fitted_by=command, medium=medium, hard=hard)
    file = PLAYERS / f"{asked.game}.json"
    file.write_text(to_text(msgspec.to_builtins(found)) + "\n", encoding="utf-8")
    print("written to", file)


def _fit_own(rules: Rules, seats: int, rounds: int, seed: str) -> Weights:
    known = load_weights(rules)
    _, start = known.choose_rollout_weights(seats)
    found, comparison = rollout_weights.fit(
        rules, seats, start or known.own or known.hard or PlacementWeights(), rounds, seed
    )
    print(comparison)
    return replace(known, **{"own" if seats == 2 else "own_of_many": found})


def _fit_thinking(rules: Rules, rounds: int, seed: str) -> Weights:
    two, explained = leaf.fit(rules, 2, rounds, seed)
    print("two seats:", explained)
    many, explained = leaf.fit(rules, 3, rounds // 2, seed)
    print("three seats:", explained)
    factors = held_tiles.fit(rules, load_weights(rules), rounds // 4, seed)
    print("doubts:", factors)
    return replace(load_weights(rules), leaf=two, leaf_of_many=many, doubts=factors)


def to_text(value: Any, indent: str = "") -> str:
    """Return JSON with each row of numbers on one line, without empty fields."""
    if isinstance(value, dict):
        lines = [f'{indent}  "{key}": {to_text(one, indent + "  ")}' for key, one in value.items() if one]
        return "{\n" + ",\n".join(lines) + f"\n{indent}}}"
    if isinstance(value, list | tuple) and any(isinstance(one, list | tuple) for one in value):
        return "[\n" + ",\n".join(f"{indent}  {to_text(one, indent + '  ')}" for one in value) + f"\n{indent}]"
    return json.dumps(value)


if __name__ == "__main__":
    main()
