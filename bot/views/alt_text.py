"""A whole table in words: the text board to play from, and the alt texts of pictures.

Everything here is made from `Seen`. Points carry a real minus sign.
"""

from collections.abc import Sequence

from bot.views.moves import lying, tile_name, where
from bot.views.sentences import (
    ALT_LIMIT,
    boneyard_text,
    clipped,
    listed,
    move_text,
    needs_text,
    number_text,
    plain,
    points_text,
    target_text,
    title_text,
    touch_text,
    wanted,
    whose_turn,
)
from data.words import Words, upper_first
from engine.demands import Place
from engine.rules import Rules
from engine.seen import SeatSeen, Seen
from engine.story import neighbours
from engine.table.terms import CLASSIC
from engine.tiles import tile_text

TEXT_LIMIT = 4000  # Discord's limit for the text of a message


def text_board(
    words: Words, seen: Seen, names: Sequence[str], last: Sequence[str], theme: str = CLASSIC, *, target: str = ""
) -> str:
    """The whole table in words, the viewer's own tiles included: all that its picture shows, enough to play from, and
    never more than a message. `target` is what is played to, where that is not what the rules say.
    """
    # A table of squares may have fifty open places and twelve seats: then less is said of each, and of the past.
    for brief, told in ((False, last), (True, last), (True, last[-1:])):
        text = _text_board(words, seen, names, told, theme, target, brief=brief)
        if len(text) <= TEXT_LIMIT:
            break
    return text


def _text_board(
    words: Words, seen: Seen, names: Sequence[str], last: Sequence[str], theme: str, target: str, *, brief: bool
) -> str:
    rules = seen.rules
    title = words("text.title", title=title_text(words, seen), target=target or target_text(words, rules))
    lines = [f"## {title}"]
    for seat in seen.seats:
        mark = "▶" if seat.seat == seen.turn and not seen.ended else "·"
        key = "text.seat_resigned" if seat.resigned else "text.seat"
        tiles = words("count.tiles", n=seat.tiles)
        change = "" if seat.change is None else words("text.change", points=points_text(seat.change))
        total = number_text(seat.total)
        lines.append(words(key, mark=mark, name=names[seat.seat], total=total, change=change, tiles=tiles))
    if rest := boneyard_text(words, seen):
        lines.append(f"{upper_first(rest)}.")
    lines += [*last, whose_turn(words, seen, names)]
    if seen.tiles:
        lines += _laid(words, seen, theme, brief=brief)
    if seen.round_over is not None:
        lines += [words("text.hands"), *(_hand_of(words, seat, names, theme) for seat in seen.seats)]
    if not seen.ended:
        if seen.tiles:
            lines += ["", *_places(words, seen, theme, brief=brief)]
        lines += ["", *_own_tiles(words, seen, theme)]
    return "\n".join(lines)


def _laid(words: Words, seen: Seen, theme: str, *, brief: bool) -> list[str]:
    """The tiles on the table in the order of play, and what they have made."""
    tiles = [] if brief else [tile_name(lies.tile, theme) for lies in seen.tiles]
    laid = words("text.laid", n=len(seen.tiles))
    laid = words("and.colon", what=laid, more=words("and.comma").join(tiles)) if tiles else laid
    made = [words("count.hexagons", n=len(seen.hexagons))] if seen.hexagons else []
    made += [words("count.bridges", n=len(seen.bridges))] if seen.bridges else []
    made += [words("text.dead", n=len(seen.dead))] if seen.dead else []
    return [f"{laid}.", *([f"{upper_first(listed(words, made))}."] if made else [])]


def _hand_of(words: Words, seat: SeatSeen, names: Sequence[str], theme: str) -> str:
    tiles = " ".join(tile_name(tile, theme) for tile in seat.hand or ()) or words("alt.empty_hand")
    return words("alt.hand_of", name=names[seat.seat], tiles=tiles)


def _places(words: Words, seen: Seen, theme: str, *, brief: bool) -> list[str]:
    rules, places = seen.rules, seen.places
    if brief:
        short = _short_places(words, rules, places, len(places))
        return [words(f"alt.places_{rules.lattice}_{rules.labels}", places=short)]
    there, lines = lying(seen), [words("text.places")]
    for place in places:
        at = where(words, place.cell, neighbours(rules.plane, there, place.cell), theme)
        key = "text.place_at" if at else "text.place"
        facts = {"where": at} if at else {}
        lines.append(words(key, letter=place.letter, needs=needs_text(words, rules, place), **facts))
    return lines


def _own_tiles(words: Words, seen: Seen, theme: str) -> list[str]:
    if seen.mine is None or seen.mine.hand is None:
        return [words("text.no_hand")]
    lines = []
    if seen.my_turn and seen.options:
        options = [words(f"option.{option}") for option in seen.options]
        lines.append(words("text.options", options=listed(words, options, last="and.or")))
    lines.append(words("text.hand"))
    nowhere = []
    for tile in seen.mine.hand:
        moves = [move for move in seen.moves if move.placement.tile == tile]
        if moves:
            told = ", ".join(move_text(seen, move) for move in moves)
            lines.append(words("text.fits", tile=tile_name(tile, theme), moves=told))
        else:
            nowhere.append(tile_name(tile, theme))
    if nowhere:
        lines.append(words("text.fits_none", tiles=", ".join(nowhere)))
    return lines


def board_alt(words: Words, seen: Seen, names: Sequence[str], last: Sequence[str], *, target: str = "") -> str:
    """The public picture in words, short enough for an alt text, complete enough to play from. `target` is what is
    played to, where that is not what the rules say.
    """
    scores = ", ".join(
        words(
            "alt.score",
            name=names[seat.seat],
            total=number_text(seat.total),
            tiles=words("count.tiles", n=seat.tiles),
        )
        for seat in seen.seats
    )

    rest = boneyard_text(words, seen)
    facts = {
        "title": title_text(words, seen).replace(" · ", words("and.comma")),
        "target": target or target_text(words, seen.rules),
        # Between two rounds it is nobody's turn.
        "whose": whose_turn(words, seen, names) if seen.ended or not seen.round_over else "",
        "scores": scores,
        "boneyard": f"{upper_first(rest)}." if rest else "",
    }

    def told(places: str, lines: Sequence[str] = last[-1:]) -> str:
        said = " ".join(one.rstrip(".") + "." for line in lines for one in line.split("\n"))
        return plain(words("alt.board", **facts, last=said, places=places))

    def fullest(places: str) -> str:
        """With as many of the last turns as there is room for."""
        texts = (told(places, last[-lines:]) for lines in range(len(last), 1, -1))
        return next((text for text in texts if len(text) <= ALT_LIMIT), told(places))

    if seen.ended or seen.round_over:
        return clipped(fullest(""))
    if not seen.tiles:
        return clipped(fullest(words("alt.opening")))
    if not seen.places:
        return clipped(fullest(words("alt.no_places")))
    for shown in range(len(seen.places), -1, -1):
        places = words(
            f"alt.places_{seen.rules.lattice}_{seen.rules.labels}",
            places=_short_places(words, seen.rules, seen.places, shown),
        )
        # With all of the last turns, as nearly always; else with those for which there is room.
        if len(text := told(places, last)) <= ALT_LIMIT:
            return text
        if len(told(places)) <= ALT_LIMIT:
            return fullest(places)
    return clipped(told(""))


def _short_places(words: Words, rules: Rules, places: Sequence[Place], shown: int) -> str:
    text = ", ".join(f"{place.letter} {_short_needs(words, rules, place)}" for place in places[:shown])
    return text if shown == len(places) else text + words("alt.more", n=len(places) - shown)


def _short_needs(words: Words, rules: Rules, place: Place) -> str:
    short = "-".join("?" if need is None else wanted(rules, need) for need in place.needs)
    return short if place.touch is None else words("alt.touch", needs=short, numbers=touch_text(words, place.touch))


def hand_alt(words: Words, seen: Seen, board: str, listed_as: str = "alt.hand_moves") -> str:
    """The private picture in words: the viewer's tiles and moves first, then as much of the board as there is room.

    `listed_as` is the key of the sentence with the moves.
    """
    assert seen.mine is not None
    hand = seen.mine.hand or ()
    tiles = ", ".join(tile_text(tile) for tile in hand) or words("alt.empty_hand")
    if seen.ended is not None:
        # Nothing is played any more: nothing fits, and nothing does not.
        return clipped(f"{words('alt.hand', tiles=tiles, moves='').rstrip()} {board}")
    each = [words("alt.move", tile=tile_text(move.placement.tile), where=move_text(seen, move)) for move in seen.moves]
    for shown in range(len(each), -1, -1):
        told = "; ".join(each[:shown])
        if shown < len(seen.moves):
            told += words("alt.more", n=len(seen.moves) - shown)
        moves = words(listed_as, moves=told) if seen.moves else words("alt.hand_no_moves")
        text = words("alt.hand", tiles=tiles, moves=moves)
        # Half the room is for the hand; the board picture's own alt text has the rest of the table.
        if len(text) <= ALT_LIMIT // 2 or shown == 0:
            return clipped(f"{text} {board}")
    return clipped(board)
