"""What happened and what is there, in words: lines for the board, the text board, alt texts, a ledger.

Everything here is made from `Seen` and redacted events. Points carry a real minus sign.
"""

import re
from collections.abc import Sequence
from typing import assert_never

from bot.service.story import Told
from data.words import Words
from engine.events import Dealt, Drew, MatchEnded, Passed, Placed, Resigned, RoundEnded, Started
from engine.lattice import Cell
from engine.rules import Rules
from engine.seen import Move, Place, Seen
from engine.tiles import Needs, Tile, is_triple, tile_text

ALT_LIMIT = 1024  # Discord's limit for the description of an attachment


def points_text(points: int) -> str:
    """`+46`, `−15`, `0`."""
    return f"+{points}" if points > 0 else number_text(points)


def number_text(number: int) -> str:
    """A number with a real minus sign."""
    return str(number).replace("-", "−")


def listed(words: Words, items: Sequence[str]) -> str:
    """`A`, `A and B`, `A, B and C`."""
    if len(items) < 2:
        return "".join(items)
    return words("and.two", first=words("and.comma").join(items[:-1]), last=items[-1])


def corner_name(words: Words, cell: Cell, corner: int) -> str:
    """`left`, `top right`: how a person would point at it."""
    return words(f"corner.{cell.kind}{corner}")


def arithmetic(words: Words, placed: Placed | Move, rules: Rules, *, tile: Tile, opening: bool, drawn: int) -> str:
    """`10 + 50 hexagon − 5 for 1 drawn = +55`, or just `+7`."""
    bonus = placed.points + rules.draw_penalty * drawn - placed.base
    bridge = rules.bridge if placed.bridge else 0
    parts = [str(placed.base)]
    if opening and is_triple(tile) and bonus:
        parts.append(words("event.bonus_triple", bonus=f"+ {bonus}"))
    if placed.hexagons:
        parts.append(words("event.bonus_hexagons", n=placed.hexagons, bonus=f"+ {bonus - bridge}"))
    if placed.bridge:
        parts.append(words("event.bonus_bridge", bonus=f"+ {bridge}"))
    if drawn:
        parts.append(words("event.cost_drawn", cost=f"− {rules.draw_penalty * drawn}", drawn=drawn))
    total = f"**{points_text(placed.points)}**"
    return total if len(parts) == 1 else f"{' '.join(parts)} = {total}"


def line(words: Words, told: Told, rules: Rules, names: Sequence[str]) -> str | None:
    """One line about what happened; None for what needs no line of its own.

    It names no letter: letters move on with the board, and people read this beside the board as it is now.
    """
    match told.event:
        case Placed() as placed:
            return words(
                "event.opened" if told.opening else "event.placed",
                name=f"**{names[placed.seat]}**",
                tile=tile_text(placed.tile),
                arithmetic=arithmetic(words, placed, rules, tile=placed.tile, opening=told.opening, drawn=placed.drawn),
                total=number_text(told.totals[placed.seat]),
            )
        case Passed(seat, drawn, points):
            key = "event.passed_drew" if drawn else "event.passed"
            if rules.voluntary_draw == "on":
                # Whether the seat could have placed a tile is nobody else's business.
                key = "event.stayed_out_drew" if drawn else "event.stayed_out"
            return words(
                key,
                name=f"**{names[seat]}**",
                drawn=drawn,
                points=f"**{points_text(points)}**",
                total=number_text(told.totals[seat]),
            )
        case Resigned(seat):
            return words("event.resigned", name=f"**{names[seat]}**")
        case RoundEnded() as ended:
            return "\n".join(award_lines(words, ended, told.totals, names))
        case Started() | Dealt() | Drew() | MatchEnded():
            return None
        case _:
            assert_never(told.event)


def award_lines(words: Words, ended: RoundEnded, totals: Sequence[int], names: Sequence[str]) -> list[str]:
    """How a round ended and who gained by it."""
    lines = [] if ended.out is not None else [words("event.blocked")]
    for seat, award in enumerate(ended.awards):
        if award:
            key = "event.out" if seat == ended.out else "event.award"
            told = f"**{points_text(award)}**"
            lines.append(words(key, name=f"**{names[seat]}**", points=told, total=number_text(totals[seat])))
    return lines


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
    key = "board.whose_drawn" if seen.drawn else "board.whose"
    return words(key, name=names[seen.turn], drawn=seen.drawn)


def needs_text(words: Words, cell: Cell, needs: Needs) -> str:
    """`left 3, top 3, right free`."""
    parts = []
    for corner, need in enumerate(needs):
        name = corner_name(words, cell, corner)
        parts.append(words("text.free", corner=name) if need is None else words("text.need", corner=name, label=need))
    return ", ".join(parts)


def text_board(words: Words, seen: Seen, names: Sequence[str], last: Sequence[str]) -> str:
    """The whole table in words, the viewer's own tiles included: enough to play from."""
    rules = seen.rules
    title = words("text.title", game=words(f"game.{rules.game}"), round=seen.round, target=rules.target)
    lines = [f"## {title}"]
    for seat in seen.seats:
        mark = "▶" if seat.seat == seen.turn and not seen.ended else "·"
        key = "text.seat_resigned" if seat.resigned else "text.seat"
        tiles = words("count.tiles", n=seat.tiles)
        lines.append(words(key, mark=mark, name=names[seat.seat], total=number_text(seat.total), tiles=tiles))
    lines.append(words("board.boneyard", count=seen.boneyard).capitalize() + ".")
    lines += [*last, whose_turn(words, seen, names)]
    if not seen.ended:
        if seen.tiles:
            lines += ["", words("text.places")]
            lines += [
                words("text.place", letter=place.letter, needs=needs_text(words, place.cell, place.needs))
                for place in seen.places
            ]
        lines += ["", *_own_tiles(words, seen)]
    return "\n".join(lines)


def _own_tiles(words: Words, seen: Seen) -> list[str]:
    if seen.mine is None or seen.mine.hand is None:
        return [words("text.no_hand")]
    lines = [words("text.hand")]
    for tile in seen.mine.hand:
        moves = [move for move in seen.moves if move.placement.tile == tile]
        if not moves:
            lines.append(words("text.fits_none", tile=tile_text(tile)))
            continue
        told = ", ".join(words("text.move", letter=move.letter, points=points_text(move.points)) for move in moves)
        lines.append(words("text.fits", tile=tile_text(tile), moves=told))
    return lines


def board_alt(words: Words, seen: Seen, names: Sequence[str], last: Sequence[str]) -> str:
    """The public picture in words, short enough for an alt text, complete enough to play from."""
    scores = ", ".join(
        words(
            "alt.score",
            name=names[seat.seat],
            total=number_text(seat.total),
            tiles=words("count.tiles", n=seat.tiles),
        )
        for seat in seen.seats
    )

    def told(places: str) -> str:
        return plain(
            words(
                "alt.board",
                game=words(f"game.{seen.rules.game}"),
                round=seen.round,
                target=seen.rules.target,
                # Between two rounds it is nobody's turn.
                whose=whose_turn(words, seen, names) if seen.ended or not seen.round_over else "",
                last=last[-1].split("\n")[-1].rstrip(".") + "." if last else "",
                scores=scores,
                boneyard=words("board.boneyard", count=seen.boneyard).capitalize(),
                places=places,
            )
        )

    if seen.ended or seen.round_over:
        return clipped(told(""))
    if not seen.tiles:
        return clipped(told(words("alt.opening")))
    if not seen.places:
        return clipped(told(words("alt.no_places")))
    for shown in range(len(seen.places), -1, -1):
        text = told(words("alt.places", places=_short_places(words, seen.places, shown)))
        if len(text) <= ALT_LIMIT:
            return text
    return clipped(told(""))


def _short_places(words: Words, places: Sequence[Place], shown: int) -> str:
    text = ", ".join(f"{place.letter} {_short_needs(place.needs)}" for place in places[:shown])
    return text if shown == len(places) else text + words("alt.more", n=len(places) - shown)


def _short_needs(needs: Needs) -> str:
    return "-".join("?" if need is None else str(need) for need in needs)


def hand_alt(words: Words, seen: Seen, board: str) -> str:
    """The private picture in words: the viewer's tiles and moves first, then as much of the board as there is room."""
    assert seen.mine is not None
    hand = seen.mine.hand or ()
    tiles = ", ".join(tile_text(tile) for tile in hand) or words("alt.empty_hand")
    for shown in range(len(seen.moves), -1, -1):
        told = "; ".join(
            words("alt.move", tile=tile_text(m.placement.tile), letter=m.letter, points=points_text(m.points))
            for m in seen.moves[:shown]
        )
        if shown < len(seen.moves):
            told += words("alt.more", n=len(seen.moves) - shown)
        moves = words("alt.hand_moves", moves=told) if seen.moves else words("alt.hand_no_moves")
        text = words("alt.hand", tiles=tiles, moves=moves)
        # Half the room is for the hand; the board picture's own alt text has the rest of the table.
        if len(text) <= ALT_LIMIT // 2 or shown == 0:
            return clipped(f"{text} {board}")
    return clipped(board)


def plain(text: str) -> str:
    """The text without the signs that only mean something in Markdown, and without the gaps of facts left out."""
    return re.sub(r" {2,}", " ", text.replace("**", "").replace("\\", "")).strip()


def clipped(text: str) -> str:
    """At most as long as an alt text may be."""
    return text if len(text) <= ALT_LIMIT else text[: ALT_LIMIT - 1] + "…"
