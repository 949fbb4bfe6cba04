"""What happened and what is there, in words: lines for the board, the text board, alt texts, a ledger.

Everything here is made from `Seen` and redacted events. Points carry a real minus sign.
"""

import re
from collections.abc import Callable, Sequence

from data.words import Words
from engine.bonuses import BonusRules
from engine.demands import Place, Touch
from engine.events import Placed
from engine.lattice import Cell
from engine.rules import Rules
from engine.seen import Move, Seen
from engine.tiles import BOSS, Tile, is_triple, pips, tile_text

MARKUP = re.compile(r"\\([^0-9A-Za-z\s])|\*\*|^-# ")
"""What is left out of a text without Markdown: bold and small type, the backslash before what is meant as it stands."""

ALT_LIMIT = 1024  # Discord's limit for the description of an attachment


def points_text(points: int) -> str:
    """`+46`, `−15`, `0`."""
    return f"+{points}" if points > 0 else number_text(points)


def number_text(number: int) -> str:
    """A number with a real minus sign."""
    return str(number).replace("-", "−")


def count_points(words: Words, points: int) -> str:
    """`1 point`, `312 points`, `−15 points`."""
    told = words("count.points", n=abs(points))
    return f"−{told}" if points < 0 else told


def listed(words: Words, items: Sequence[str], *, last: str = "and.two") -> str:
    """`A`, `A and B`, `A, B and C`; with `last` "and.or" the last one is an alternative."""
    if len(items) < 2:
        return "".join(items)
    return words(last, first=words("and.comma").join(items[:-1]), last=items[-1])


def place_name(words: Words, rules: Rules, cell: Cell, place: int) -> str:
    """`left`, `top right`: how a person would point at a corner, or at a side, of a cell."""
    return words(f"{'side' if rules.labels == 'sides' else 'corner'}.{cell.kind}{place}")


def wanted(rules: Rules, need: int, name: Callable[[int], str] = str) -> str:
    """What must be shown where this number lies: the same, or what makes a multiple of five with it (`0/5`)."""
    if not rules.fit.fives:
        return name(need)
    values = sorted({label for tile in rules.tiles for label in tile if label >= 0 and (label + need) % 5 == 0})
    return "/".join(map(name, values))


def boneyard_text(words: Words, seen: Seen) -> str:
    """How many tiles can still be drawn, or were set aside; empty where neither is so."""
    if seen.rules.has_boneyard:
        return words("board.well" if seen.rules.family == "quads" else "board.boneyard", count=seen.boneyard)
    return words("board.aside", count=seen.aside) if seen.aside else ""


def target_text(words: Words, rules: Rules) -> str:
    """What is played to."""
    return words("board.target", target=rules.target) if rules.target else words("board.one_deal")


def title_text(words: Words, seen: Seen) -> str:
    """The game, and the round where there are several."""
    game = words(f"game.{seen.rules.game}")
    return words("board.title", game=game, round=seen.round) if seen.rules.target else game


def stage(seen: Seen) -> str:
    """Where the running turn stands, as the end of a key of words: `choice`, `bonus`, `further`, `drawn` or nothing.

    `further_must` where the rules make whoever can go on do so; whether this seat can does not show.
    """
    if seen.reward is not None:
        return "_choice"
    if seen.bonus_tiles:
        return "_bonus"
    if seen.further:
        return "_further_must" if seen.rules.must_go_on else "_further"
    return "_drawn" if seen.drawn else ""


def stage_facts(words: Words, seen: Seen) -> dict[str, object]:
    """What sentences about the stage of a turn need."""
    points, tiles = (seen.reward.points, seen.reward.tiles) if seen.reward else (0, 0)
    return {
        "drawn": seen.drawn,
        "bonus": words("hand.take_points", n=points),
        "tiles": words("count.more_tiles", n=tiles or seen.bonus_tiles),
    }


def arithmetic(words: Words, placed: Placed | Move, rules: Rules, *, tile: Tile, opening: bool, drawn: int) -> str:
    """`10 + 50 hexagon − 5 for 1 drawn = +55`, or just `+7`; empty where placing a tile scores nothing."""
    if not rules.scores_tiles:
        return ""
    total = f"**{points_text(placed.points)}**"
    if placed.beside is not None:
        return _fives(words, tile, placed.beside, placed.points, total)
    cost = rules.draw_cost * drawn
    bonus = placed.points + cost - placed.base
    bridge = rules.bridge if placed.bridge and isinstance(rules, BonusRules) else 0
    parts = [str(placed.base)]
    if opening and is_triple(tile) and bonus:
        parts.append(words("event.bonus_triple", bonus=f"+ {bonus}"))
    if placed.hexagons:
        parts.append(words("event.bonus_hexagons", n=placed.hexagons, bonus=f"+ {bonus - bridge}"))
    if placed.bridge:
        parts.append(words("event.bonus_bridge", bonus=f"+ {bridge}"))
    if drawn:
        parts.append(words("event.cost_drawn", cost=f"− {cost}", drawn=drawn))
    return total if len(parts) == 1 else f"{' '.join(parts)} = {total}"


def _fives(words: Words, tile: Tile, beside: int, points: int, total: str) -> str:
    """`7 + 8 = +15`, `10 + 8 = 18, no multiple of five: 0`, `beside 8, rounded up: +10`."""
    if tile == BOSS:
        return words("event.boss_beside", beside=beside, total=total)
    own = pips(tile)
    key = "event.fives" if points or not own + beside else "event.no_fives"
    return words(key, own=own, beside=beside, sum=own + beside, total=total)


def whose_turn(words: Words, seen: Seen, names: Sequence[str]) -> str:
    """Who is to play, or who won."""
    if seen.ended:
        winners = [names[seat] for seat, place in enumerate(seen.ended.places) if place == 1]
        total = number_text(max(seen.ended.totals[seat] for seat, p in enumerate(seen.ended.places) if p == 1))
        if len(winners) == 1:
            return words("board.is_over", name=winners[0], total=total)
        return words("board.is_over_shared", names=listed(words, winners), total=total)
    if not seen.tiles:
        return words("board.whose_opening", name=names[seen.turn])
    return words(f"board.whose{stage(seen)}", name=names[seen.turn], **stage_facts(words, seen))


def needs_text(words: Words, rules: Rules, place: Place) -> str:
    """`left 3, top 3, right free`; for a corner play what must lie beside the corner."""
    parts = []
    if place.touch is not None:
        corner = words(f"corner.{place.cell.kind}{place.touch.corner}")
        parts.append(words("text.touch", corner=corner, numbers=touch_text(words, place.touch)))
    for number, need in enumerate(place.needs):
        name = place_name(words, rules, place.cell, number)
        if need is not None:
            parts.append(words("text.need", corner=name, label=wanted(rules, need)))
        elif place.touch is None:
            parts.append(words("text.free", corner=name))
    return ", ".join(parts)


def touch_text(words: Words, touch: Touch, name: Callable[[int], str] = str) -> str:
    """`3 and 4`: the numbers that must lie beside a corner."""
    return listed(words, [words("text.any") if number is None else name(number) for number in touch.numbers])


def move_text(seen: Seen, move: Move, between: str = " ") -> str:
    """`G +60`, with the way the tile is turned where there are several: `G 4-2-4-4 +14`."""
    parts = [move.letter]
    if is_turned(seen, move):
        parts.append(tile_text(move.placement.shown))
    # Where no move scores, or none is to tell what it would, noughts would say nothing.
    if seen.rules.scores_tiles and any(other.points for other in seen.moves):
        parts.append(points_text(move.points))
    return between.join(parts)


def is_turned(seen: Seen, move: Move) -> bool:
    """Whether the same tile fits the same place in another rotation too, so that a move must say which."""
    lies = move.placement
    return any(
        other.placement.cell == lies.cell and other.placement.tile == lies.tile and other.placement != lies
        for other in seen.moves
    )


def plain(text: str) -> str:
    """The text without the signs that only mean something in Markdown, and without the gaps of facts left out."""
    return re.sub(r" {2,}", " ", MARKUP.sub(lambda sign: sign[1] or "", text)).strip()


def clipped(text: str, most: int = ALT_LIMIT) -> str:
    """The text with at most so many letters: by default as many as an alt text may have."""
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"
