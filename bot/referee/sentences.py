"""What the referee says to a person: one plain sentence for each answer."""

from collections.abc import Sequence

from engine.bonuses import Score
from engine.errors import RuleBroken, Why
from engine.tiles import tile_text


def refusal(broken: RuleBroken) -> str:
    """Why a placement is not legal, with the facts of the case."""
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
        case Why.NO_SIDE_CONTACT:
            return f"{facts['cell']} shares no side with a tile"
        case Why.CORNER_MISMATCH:
            where = f"corner {facts['corner']} of {facts['cell']}"
            return f"{where} carries {facts['needs']} and the tile shows {facts['shows']}"
        case _:
            # A referee knows no hands and no turns, so no other reason comes up.
            return "the rules forbid it"


def scored(earned: Score, *, opens: bool, drawn: int, cost: int) -> str:
    """What a legal placement earns, with its arithmetic: `Legal, 45 points: 5 + 50 (1 hexagon) - 10 (2 drawn).`"""
    arithmetic = str(earned.base)
    if earned.bonus:
        arithmetic += f" + {earned.bonus} ({_reason(earned, opens=opens)})"
    if drawn:
        arithmetic += f" - {cost} ({drawn} drawn)"
    points = earned.points - cost
    return f"Legal, {points} point{'' if points == 1 else 's'}: {arithmetic}."


def _reason(earned: Score, *, opens: bool) -> str:
    if opens:
        return "opening"
    reasons = [f"{earned.hexagons} hexagon{'' if earned.hexagons == 1 else 's'}"] if earned.hexagons else []
    return " and ".join([*reasons, "bridge"] if earned.bridge else reasons)


def opening(seat: int, tiles: Sequence[str], points: Sequence[int]) -> str:
    """Who opens a round."""
    scores = points[:1] if len(set(points)) == 1 else points
    return f"Seat {seat} opens with {' or '.join(tiles)} and scores {' or '.join(map(str, scores))}."


def block(awards: Sequence[int]) -> str:
    """What each seat gets when nobody can place."""
    return f"Awards by seat: {', '.join(map(str, awards))}."


def _tile(tile: object) -> str:
    assert isinstance(tile, tuple)
    return tile_text(tile)
