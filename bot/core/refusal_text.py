"""Texts for refusals and broken rules. Each says what to do next."""

from collections.abc import Mapping
from typing import Any

from bot.core.names import Names
from bot.tables import move_labels
from bot.tables.move_labels import tile_name
from bot.tables.rules_text import refused_facts
from data.words import Words
from engine.board.demands import Touch
from engine.board.tiles import Tile, tile_text
from engine.match.errors import RuleBroken, Why
from engine.match.player_view import Move, PlayerView
from engine.table.refusals import Refused
from engine.table.terms import CLASSIC


def refusal_text(words: Words, refused: Refused, facts: Mapping[str, Any]) -> str:
    return words(f"no.{refused.why}", **{**refused.facts, **refused_facts(words, refused.facts), **facts})


def rule_text(
    words: Words, broken: RuleBroken, seen: PlayerView | None, names: Names | None, theme: str = CLASSIC
) -> str:
    """Return the text of a broken rule, and where the tile would fit; tiles are named by the table's theme."""
    facts = dict(broken.facts)
    hand = seen.mine.hand if seen and seen.mine and seen.mine.hand else ()
    if "turn" in facts and names is not None:
        facts["name"] = names.safe[int(str(facts["turn"]))]
    if isinstance(shown := facts.get("shown"), tuple):
        facts["shown"] = tile_text(shown)  # as typed: the labels may have no shape in the theme
    for key in ("tile", "by", "exists"):
        if isinstance(facts.get(key), tuple):
            facts[key] = tile_name(facts[key], theme)  # type: ignore[arg-type]
    for key in ("choices", "hand"):
        if isinstance(facts.get(key), tuple):
            tiles: Any = facts[key]
            facts[key] = move_labels.listed(words, [tile_name(tile, theme) for tile in tiles])
    match broken.why:
        case Why.CORNER_MISMATCH | Why.SIDE_MISMATCH | Why.NOT_NEXT_TO_LAST:
            facts |= _place_facts(words, seen, broken, theme)
        case Why.MUST_CHOOSE:
            options = broken.facts["options"]
            told = [words(f"option.{option}") for option in options] if isinstance(options, tuple) else []
            facts["options"] = move_labels.listed(words, told, last="and.or")
        case Why.MUST_PLAY:
            facts["moves"] = _best_moves(words, seen, theme)
        case Why.NOT_IN_HAND:
            facts["hand"] = move_labels.listed(words, [tile_name(tile, theme) for tile in hand])
    key = f"why.{broken.why}{_key_suffix(broken, facts, seen)}"
    text = words(key, **facts)
    tile = broken.facts.get("tile")
    if seen is not None and tile in hand and broken.why in PLACING:
        text += " " + _fits_at(words, seen, tile)
    return text


def _key_suffix(broken: RuleBroken, facts: Mapping[str, Any], seen: PlayerView | None) -> str:
    match broken.why:
        case Why.NO_SUCH_TILE if facts.get("exists"):
            return "_MIRROR"
        case Why.CORNER_MISMATCH if isinstance(broken.facts["needs"], tuple):
            return "_TOUCH"
        case Why.SIDE_MISMATCH if "beside" in facts:
            return "_FIVES"
        case Why.BONUS_TILES_IMPOSSIBLE if "tile" in broken.facts:
            return "_TILE"
        case Why.MUST_DRAW if seen is not None and seen.rules.most_draws >= len(seen.rules.tiles):
            return "_UNLIMITED"
        case _:
            return ""


def _place_facts(words: Words, seen: PlayerView | None, broken: RuleBroken, theme: str) -> dict[str, Any]:
    def name(label: int) -> str:
        return tile_name((label,), theme)

    cell: Any = broken.facts["cell"]
    place = seen.place(cell) if seen else None
    facts: dict[str, Any] = {"letter": place.letter if place else str(cell)}
    number, needs, shows = (broken.facts.get(name) for name in ("place", "needs", "shows"))
    if seen is None or not isinstance(number, int):
        return facts
    if isinstance(needs, tuple) and isinstance(shows, tuple):
        facts["place"] = words(f"corner.{cell.kind}{number}")
        facts["needs"] = move_labels.touch_text(words, Touch(number, (needs[0], needs[1])), name)
        facts["shows"] = move_labels.touch_text(words, Touch(number, (shows[0], shows[1])), name)
        return facts
    facts["place"] = move_labels.place_name(words, seen.rules, cell, number)
    if isinstance(shows, int):
        facts["shows"] = name(shows)
    if isinstance(needs, int):
        facts |= {"beside": name(needs)} if seen.rules.fit.fives else {}
        facts["needs"] = move_labels.wanted(seen.rules, needs, name)
    return facts


PLACING = frozenset({Why.OCCUPIED, Why.NO_SIDE_CONTACT, Why.NOT_NEXT_TO_LAST, Why.SIDE_MISMATCH, Why.CORNER_MISMATCH})


def _fits_at(words: Words, seen: PlayerView, tile: Tile) -> str:
    moves = [move for move in seen.moves if move.placement.tile == tile]
    if not moves:
        return words("why.FITS_NOWHERE")
    places = list(dict.fromkeys(_point_text(seen, move) for move in moves))
    return words("why.FITS_AT", places=move_labels.listed(words, places[:5]))


def _point_text(seen: PlayerView, move: Move) -> str:
    return f"{move.letter} ({move_labels.points_text(move.points)})" if seen.rules.scores_tiles else move.letter


def _best_moves(words: Words, seen: PlayerView | None, theme: str) -> str:
    moves = seen.moves if seen else ()
    lies = dict.fromkeys((tile_name(move.placement.tile, theme), move.letter) for move in moves)
    told = [words("alt.move", tile=tile, where=letter) for tile, letter in lies]
    text = move_labels.listed(words, told[:3])
    return words("and.more", list=text, n=len(told) - 3) if len(told) > 3 else text
