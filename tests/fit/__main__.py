"""`python -m tests.fit GAME`: fits what computer players weigh, and writes it to `data/players`."""

import argparse
import json
from dataclasses import replace
from typing import Any

import msgspec

from data.rulebook import rules as rules_of
from data.weights import PLAYERS, weights
from engine.players.weights import Taste, Weights
from engine.rules import Rules
from tests.fit import doubts, leaf, own, taste


def main() -> None:
    """Fit, and write the file."""
    parser = argparse.ArgumentParser(prog="python -m tests.fit", description=__doc__)
    parser.add_argument("game")
    parser.add_argument("--rounds", type=int, default=20_000)
    parser.add_argument("--seed", default="boneyard")
    parser.add_argument("--own", action="store_true", help="only how a seat plays on itself in what it tries")
    parser.add_argument("--seats", type=int, default=2, help="with --own: how many play; three and more are alike")
    asked = parser.parse_args()
    rules = rules_of(asked.game)
    command = f"python -m tests.fit {asked.game} --rounds {asked.rounds} --seed {asked.seed}"
    if asked.own:
        known = weights(rules)
        _, start = known.playing_on(asked.seats)
        start = start or known.own or known.hard or Taste()
        taste_of_its_own, told = own.fit(rules, asked.seats, start, asked.rounds, asked.seed)
        print(told)
        of = "own" if asked.seats == 2 else "own_of_many"
        found = replace(known, **{of: taste_of_its_own})
    elif rules.has_boneyard:
        found = replace(_thinking(rules, asked.rounds, asked.seed), fitted_by=command)
    else:
        medium, hard, told = taste.fit(rules, 2, asked.rounds, asked.seed)
        print(told)
        found = replace(weights(rules), fitted_by=command, medium=medium, hard=hard)
    file = PLAYERS / f"{asked.game}.json"
    file.write_text(as_text(msgspec.to_builtins(found)) + "\n", encoding="utf-8")
    print("written to", file)


def _thinking(rules: Rules, rounds: int, seed: str) -> Weights:
    """What is weighed where tiles are drawn."""
    two, told = leaf.fit(rules, 2, rounds, seed)
    print("two seats:", told)
    many, told = leaf.fit(rules, 3, rounds // 2, seed)
    print("three seats:", told)
    doubted = doubts.fit(rules, weights(rules), rounds // 4, seed)
    print("doubts:", doubted)
    return replace(weights(rules), leaf=two, leaf_of_many=many, doubts=doubted)


def as_text(value: Any, indent: str = "") -> str:
    """JSON that is read by people too: rows of numbers on one line, and nothing that is not there."""
    if isinstance(value, dict):
        lines = [f'{indent}  "{key}": {as_text(one, indent + "  ")}' for key, one in value.items() if one]
        return "{\n" + ",\n".join(lines) + f"\n{indent}}}"
    if isinstance(value, list | tuple) and any(isinstance(one, list | tuple) for one in value):
        return "[\n" + ",\n".join(f"{indent}  {as_text(one, indent + '  ')}" for one in value) + f"\n{indent}]"
    return json.dumps(value)


if __name__ == "__main__":
    main()
