"""What the referee says to a person: one plain sentence for each answer."""

from collections.abc import Sequence

from engine.errors import RuleBroken, Why
from engine.families import StarRules
from engine.rules import Reward, Rules, Score
from engine.tiles import WILD, WILD_TEXT, tile_text


def refusal(broken: RuleBroken, rules: Rules) -> str:
    """Why a placement is not legal by these rules, with the facts of the case."""
    facts = broken.facts
    match broken.why:
        case Why.NO_SUCH_TILE:
            twin = facts["exists"]
            hint = f"; the set has {_tile(twin)}, which reads the other way round" if twin else ""
            return f"there is no tile that reads {_tile(facts['tile'])} clockwise{hint}"
        case Why.OCCUPIED:
            return f"{facts['cell']} already holds {_tile(facts['by'])}"
        case Why.TILE_ALREADY_PLAYED:
            return f"{_tile(facts['tile'])} is already on the table"
        case Why.OFF_THE_BOARD:
            return f"{facts['cell']} is not on the board"
        case Why.NO_SIDE_CONTACT:
            return f"{facts['cell']} shares no side with a tile"
        case Why.NOT_NEXT_TO_LAST:
            # Where corners may meet, a cell is out of reach by its corners too.
            corner = " and no corner that can be played" if isinstance(rules, StarRules) else ""
            return f"{facts['cell']} shares no side{corner} with the last tile"
        case Why.SIDE_MISMATCH | Why.CORNER_MISMATCH:
            return _mismatch(broken, rules)
        case _:
            # A referee knows no hands and no turns, so no other reason comes up.
            return "the rules forbid it"


def _mismatch(broken: RuleBroken, rules: Rules) -> str:
    facts = broken.facts
    needs, shows = facts["needs"], facts["shows"]
    place = "side" if broken.why is Why.SIDE_MISMATCH else "corner"
    where = f"{place} {facts['place']} of {facts['cell']}"
    if isinstance(needs, tuple) and isinstance(shows, tuple):
        return f"{where} must lie between {_pair(needs)} and lies between {_pair(shows)}"
    said = f"{where} carries {needs} and the tile shows {shows}"
    return f"{said}, which make no multiple of five" if rules.fit.fives else said


def _pair(numbers: Sequence[int | None]) -> str:
    return " and ".join("any" if one is None else WILD_TEXT if one == WILD else str(one) for one in numbers)


def scored(earned: Score, *, opens: bool, drawn: int, cost: int, follows: str = "") -> str:
    """What a legal placement earns, with its arithmetic: `Legal, 45 points: 5 + 50 (1 hexagon) - 10 (2 drawn).`

    `follows` is what comes with it: `25 points or 2 more tiles`.
    """
    arithmetic = str(earned.base)
    if earned.bonus:
        arithmetic += f" + {earned.bonus} ({_reason(earned, opens=opens)})"
    if drawn:
        arithmetic += f" - {cost} ({drawn} drawn)"
    then = f", then {follows}" if follows else ""
    return f"Legal, {counted(earned.points - cost, 'point')}: {arithmetic}{then}."


def follows(reward: Reward | None, *, extra_turn: bool) -> str:
    """What a placement brings beside its points; empty where it brings nothing."""
    if reward is not None:
        joined = "and" if reward.both else "or"
        return f"{counted(reward.points, 'point')} {joined} {counted(reward.tiles, 'more tile')}"
    return "a further turn" if extra_turn else ""


def _reason(earned: Score, *, opens: bool) -> str:
    if opens:
        return "opening"
    reasons = [counted(earned.hexagons, "hexagon")] if earned.hexagons else []
    return " and ".join([*reasons, "bridge"] if earned.bridge else reasons)


def opening(seat: int, tiles: Sequence[str], points: Sequence[int], rewards: Sequence[str]) -> str:
    """Who opens a round; `rewards` is what comes with each tile, empty where nothing does."""
    scores = points[:1] if len(set(points)) == 1 else points
    told = f"Seat {seat} opens with {' or '.join(tiles)} and scores {' or '.join(map(str, scores))}"
    if not any(rewards):
        return f"{told}."
    brought = [f"{tile} brings {reward}" for tile, reward in zip(tiles, rewards, strict=True) if reward]
    return f"{told}; {', '.join(brought)}."


def block(awards: Sequence[int]) -> str:
    """What each seat gets when nobody can place."""
    return f"Awards by seat: {', '.join(map(str, awards))}."


def counted(number: int, noun: str) -> str:
    """`1 point`, `2 points`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _tile(tile: object) -> str:
    assert isinstance(tile, tuple)
    return tile_text(tile)
