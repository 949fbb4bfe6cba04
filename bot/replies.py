"""One mapping from what went wrong to what a person reads. Every answer says what to do next."""

from collections.abc import Mapping
from typing import Any

from bot import narrate
from bot.names import Names
from bot.service.refusals import Refused
from data.words import Words
from engine.errors import RuleBroken, Why
from engine.seen import Seen
from engine.tiles import Tile, tile_text


def refusal_text(words: Words, refused: Refused, facts: Mapping[str, Any]) -> str:
    """Why a table says no; `facts` adds names and links to what the refusal knows."""
    return words(f"no.{refused.why}", **{**refused.facts, **facts})


def rule_text(words: Words, broken: RuleBroken, seen: Seen | None, names: Names | None) -> str:
    """Why a rule says no, and where the tile would fit instead."""
    facts = dict(broken.facts)
    hand = seen.mine.hand if seen and seen.mine and seen.mine.hand else ()
    if "turn" in facts and names is not None:
        facts["name"] = names.safe[int(str(facts["turn"]))]
    for key in ("tile", "by", "shown", "exists"):
        if isinstance(facts.get(key), tuple):
            facts[key] = tile_text(facts[key])  # type: ignore[arg-type]
    for key in ("choices", "hand"):
        if isinstance(facts.get(key), tuple):
            facts[key] = narrate.listed(words, [tile_text(tile) for tile in facts[key]])  # type: ignore[attr-defined]
    match broken.why:
        case Why.CORNER_MISMATCH:
            facts["corner"] = narrate.corner_name(words, facts["cell"], int(str(facts["corner"])))  # type: ignore[arg-type]
            place = seen.place(facts["cell"]) if seen else None  # type: ignore[arg-type]
            facts["letter"] = place.letter if place else str(facts["cell"])
        case Why.MUST_PLAY:
            facts["moves"] = _best_moves(words, seen)
        case Why.NOT_IN_HAND:
            facts["hand"] = narrate.listed(words, [tile_text(tile) for tile in hand])
    key = f"why.{broken.why}"
    if broken.why is Why.NO_SUCH_TILE and facts.get("exists"):
        key += "_MIRROR"
    text = words(key, **facts)
    tile = broken.facts.get("tile")
    if seen is not None and tile in hand and broken.why in PLACING:
        text += " " + _fits_at(words, seen, tile)
    return text


PLACING = frozenset({Why.OCCUPIED, Why.NO_SIDE_CONTACT, Why.CORNER_MISMATCH})
"""The refusals after which a person wants to know where the tile does fit."""


def _fits_at(words: Words, seen: Seen, tile: Tile) -> str:
    moves = [move for move in seen.moves if move.placement.tile == tile]
    if not moves:
        return words("why.FITS_NOWHERE")
    places = [f"{move.letter} ({narrate.points_text(move.points)})" for move in moves[:5]]
    return words("why.FITS_AT", places=narrate.listed(words, places))


def _best_moves(words: Words, seen: Seen | None) -> str:
    moves = seen.moves if seen else ()
    told = [f"{tile_text(move.placement.tile)} at {move.letter}" for move in moves[:3]]
    text = narrate.listed(words, told)
    return words("and.more", list=text, n=len(moves) - 3) if len(moves) > 3 else text
