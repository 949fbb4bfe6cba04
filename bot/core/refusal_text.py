"""Texts for refusals and broken rules. Each says what to do next."""

from collections.abc import Mapping
from typing import Any

from bot.core.names import SeatNames
from bot.tables import move_labels
from bot.tables.move_labels import format_tile
from bot.tables.rules_text import format_refusal_facts
from data.words import Words
from engine.board.demands import Touch
from engine.board.tiles import Tile, format_tile_notation
from engine.match.errors import RuleError, Violation
from engine.match.player_view import Move, PlayerView
from engine.table.refusals import RefusalError
from engine.table.terms import CLASSIC


def format_refusal(words: Words, refused: RefusalError, facts: Mapping[str, Any]) -> str:
    return words(f"no.{refused.why}", **{**refused.facts, **format_refusal_facts(words, refused.facts), **facts})


def format_broken_rule(
    words: Words, broken: RuleError, view: PlayerView | None, names: SeatNames | None, theme: str = CLASSIC
) -> str:
    """Return the text of a broken rule, and where the tile would fit; tiles are named by the table's theme."""
    facts = dict(broken.facts)
    hand = view.own_seat.hand if view and view.own_seat and view.own_seat.hand else ()
    if "turn" in facts and names is not None:
        facts["name"] = names.escaped[int(str(facts["turn"]))]
    if isinstance(shown := facts.get("shown"), tuple):
        facts["shown"] = format_tile_notation(shown)  # as typed: the labels may have no shape in the theme
    for key in ("tile", "by", "exists"):
        if isinstance(facts.get(key), tuple):
            facts[key] = format_tile(facts[key], theme)  # type: ignore[arg-type]
    for key in ("choices", "hand"):
        if isinstance(facts.get(key), tuple):
            tiles: Any = facts[key]
            facts[key] = move_labels.format_list(words, [format_tile(tile, theme) for tile in tiles])
    match broken.why:
        case Violation.CORNER_MISMATCH | Violation.SIDE_MISMATCH | Violation.NOT_NEXT_TO_LAST:
            facts |= _build_place_facts(words, view, broken, theme)
        case Violation.MUST_CHOOSE:
            options = broken.facts["options"]
            labels = [words(f"option.{option}") for option in options] if isinstance(options, tuple) else []
            facts["options"] = move_labels.format_list(words, labels, last="and.or")
        case Violation.MUST_PLAY:
            facts["moves"] = _format_best_moves(words, view, theme)
        case Violation.NOT_IN_HAND:
            facts["hand"] = move_labels.format_list(words, [format_tile(tile, theme) for tile in hand])
    key = f"why.{broken.why}{_choose_key_suffix(broken, facts, view)}"
    text = words(key, **facts)
    tile = broken.facts.get("tile")
    if view is not None and tile in hand and broken.why in PLACEMENT_REASONS:
        text += " " + _format_fitting_places(words, view, tile)
    return text


def _choose_key_suffix(broken: RuleError, facts: Mapping[str, Any], view: PlayerView | None) -> str:
    match broken.why:
        case Violation.NO_SUCH_TILE if facts.get("exists"):
            return "_MIRROR"
        case Violation.CORNER_MISMATCH if isinstance(broken.facts["needs"], tuple):
            return "_TOUCH"
        case Violation.SIDE_MISMATCH if "beside" in facts:
            return "_FIVES"
        case Violation.BONUS_TILES_IMPOSSIBLE if "tile" in broken.facts:
            return "_TILE"
        case Violation.MUST_DRAW if view is not None and view.rules.max_draws >= len(view.rules.tiles):
            return "_UNLIMITED"
        case _:
            return ""


def _build_place_facts(words: Words, view: PlayerView | None, broken: RuleError, theme: str) -> dict[str, Any]:
    def name_label(label: int) -> str:
        return format_tile((label,), theme)

    cell: Any = broken.facts["cell"]
    place = view.find_place(cell) if view else None
    facts: dict[str, Any] = {"letter": place.letter if place else str(cell)}
    number, needed, shown = (broken.facts.get(name) for name in ("place", "needs", "shows"))
    if view is None or not isinstance(number, int):
        return facts
    if isinstance(needed, tuple) and isinstance(shown, tuple):
        facts["place"] = words(f"corner.{cell.kind}{number}")
        facts["needs"] = move_labels.format_touch(words, Touch(number, (needed[0], needed[1])), name_label)
        facts["shows"] = move_labels.format_touch(words, Touch(number, (shown[0], shown[1])), name_label)
        return facts
    facts["place"] = move_labels.format_place_name(words, view.rules, cell, number)
    if isinstance(shown, int):
        facts["shows"] = name_label(shown)
    if isinstance(needed, int):
        facts |= {"beside": name_label(needed)} if view.rules.fit.sums_of_five else {}
        facts["needs"] = move_labels.format_need(view.rules, needed, name_label)
    return facts


PLACEMENT_REASONS = frozenset(
    {
        Violation.OCCUPIED,
        Violation.NO_SIDE_CONTACT,
        Violation.NOT_NEXT_TO_LAST,
        Violation.SIDE_MISMATCH,
        Violation.CORNER_MISMATCH,
    }
)


def _format_fitting_places(words: Words, view: PlayerView, tile: Tile) -> str:
    moves = [move for move in view.moves if move.placement.tile == tile]
    if not moves:
        return words("why.FITS_NOWHERE")
    places = list(dict.fromkeys(_format_point(view, move) for move in moves))
    return words("why.FITS_AT", places=move_labels.format_list(words, places[:5]))


def _format_point(view: PlayerView, move: Move) -> str:
    return f"{move.letter} ({move_labels.format_points(move.points)})" if view.rules.scores_tiles else move.letter


def _format_best_moves(words: Words, view: PlayerView | None, theme: str) -> str:
    moves = view.moves if view else ()
    placements = dict.fromkeys((format_tile(move.placement.tile, theme), move.letter) for move in moves)
    labels = [words("alt.move", tile=tile, where=letter) for tile, letter in placements]
    text = move_labels.format_list(words, labels[:3])
    return words("and.more", list=text, n=len(labels) - 3) if len(labels) > 3 else text
