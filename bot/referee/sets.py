"""Which tiles a case is played with, where its game comes in several sets and nobody says which.

Triangular Dominoes are played with 35 or 56 tiles and with the boss or without, and RULES §5 prefers none of them: the
tiles on the table tell. An option that names the set, or the boss, is taken at its word.
"""

from collections.abc import Collection
from itertools import product

from engine.families import DominoRules
from engine.rules import Rules
from engine.tiles import Tile, kind_of_set


def with_set_of(rules: Rules, shown: Collection[Tile], named: Collection[str] = ()) -> Rules:
    """The rules with the smallest set that adds to theirs what is shown, as far as there is such a set.

    `named` are the options that somebody chose; `shown` is every tile that the case speaks of, in any order. Rules of
    other families come back as they are.

    A tile that no set has is left to the judge, who says so.
    """
    if not isinstance(rules, DominoRules):
        return rules
    # Of one kind: beside the mirror image of a tile there would be nothing that no set has.
    alike = [name for name in rules.tile_sets if kind_of_set(name) == kind_of_set(rules.tile_set)]
    sets = (rules.tile_set,) if "tile_set" in named else dict.fromkeys((rules.tile_set, *alike))
    bosses = (rules.boss,) if "boss" in named else dict.fromkeys((rules.boss, *rules.readings()["boss"]))
    offered = [rules.with_option("tile_set", name).with_option("boss", boss) for name, boss in product(sets, bosses)]
    wider = sorted((one for one in offered if {*rules.tiles} <= {*one.tiles}), key=lambda one: len(one.tiles))
    needed = {*shown} & {*wider[-1].tiles}
    return next(one for one in wider if needed <= {*one.tiles})
