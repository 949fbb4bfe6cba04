"""A whole table in words: the text board to play from, and the alt texts of pictures.

Everything here is made from `Seen`. Points carry a real minus sign.
"""

from collections.abc import Sequence

from bot.views.sentences import (
    ALT_LIMIT,
    boneyard_text,
    clipped,
    listed,
    move_text,
    needs_text,
    number_text,
    plain,
    target_text,
    title_text,
    touch_text,
    wanted,
    whose_turn,
)
from data.words import Words, upper_first
from engine.places import Place
from engine.rules import Rules
from engine.seen import Seen
from engine.tiles import tile_text

TEXT_LIMIT = 4000  # Discord's limit for the text of a message


def text_board(words: Words, seen: Seen, names: Sequence[str], last: Sequence[str]) -> str:
    """The whole table in words, the viewer's own tiles included: enough to play from, and never more than a message."""
    text = _text_board(words, seen, names, last, brief=False)
    # A table of squares may have fifty open places and twelve seats.
    return text if len(text) <= TEXT_LIMIT else _text_board(words, seen, names, last, brief=True)


def _text_board(words: Words, seen: Seen, names: Sequence[str], last: Sequence[str], *, brief: bool) -> str:
    rules = seen.rules
    title = words("text.title", title=title_text(words, seen), target=target_text(words, rules))
    lines = [f"## {title}"]
    for seat in seen.seats:
        mark = "▶" if seat.seat == seen.turn and not seen.ended else "·"
        key = "text.seat_resigned" if seat.resigned else "text.seat"
        tiles = words("count.tiles", n=seat.tiles)
        lines.append(words(key, mark=mark, name=names[seat.seat], total=number_text(seat.total), tiles=tiles))
    if rest := boneyard_text(words, seen):
        lines.append(f"{upper_first(rest)}.")
    lines += [*last, whose_turn(words, seen, names)]
    if not seen.ended:
        if seen.tiles:
            lines += ["", *_places(words, seen, brief=brief)]
        lines += ["", *_own_tiles(words, seen)]
    return "\n".join(lines)


def _places(words: Words, seen: Seen, *, brief: bool) -> list[str]:
    rules, places = seen.rules, seen.places
    if brief:
        short = _short_places(words, rules, places, len(places))
        return [words(f"alt.places_{rules.lattice}_{rules.labels}", places=short)]
    told = [words("text.place", letter=place.letter, needs=needs_text(words, rules, place)) for place in places]
    return [words("text.places"), *told]


def _own_tiles(words: Words, seen: Seen) -> list[str]:
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
            lines.append(words("text.fits", tile=tile_text(tile), moves=told))
        else:
            nowhere.append(tile_text(tile))
    if nowhere:
        lines.append(words("text.fits_none", tiles=", ".join(nowhere)))
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

    rest = boneyard_text(words, seen)

    def told(places: str) -> str:
        return plain(
            words(
                "alt.board",
                game=words(f"game.{seen.rules.game}"),
                round=seen.round,
                target=target_text(words, seen.rules),
                # Between two rounds it is nobody's turn.
                whose=whose_turn(words, seen, names) if seen.ended or not seen.round_over else "",
                last=last[-1].split("\n")[-1].rstrip(".") + "." if last else "",
                scores=scores,
                boneyard=f"{upper_first(rest)}." if rest else "",
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
        text = told(
            words(
                f"alt.places_{seen.rules.lattice}_{seen.rules.labels}",
                places=_short_places(words, seen.rules, seen.places, shown),
            )
        )
        if len(text) <= ALT_LIMIT:
            return text
    return clipped(told(""))


def _short_places(words: Words, rules: Rules, places: Sequence[Place], shown: int) -> str:
    text = ", ".join(f"{place.letter} {_short_needs(words, rules, place)}" for place in places[:shown])
    return text if shown == len(places) else text + words("alt.more", n=len(places) - shown)


def _short_needs(words: Words, rules: Rules, place: Place) -> str:
    short = "-".join("?" if need is None else wanted(rules, need) for need in place.needs)
    return short if place.touch is None else words("alt.touch", needs=short, numbers=touch_text(words, place.touch))


def hand_alt(words: Words, seen: Seen, board: str) -> str:
    """The private picture in words: the viewer's tiles and moves first, then as much of the board as there is room."""
    assert seen.mine is not None
    hand = seen.mine.hand or ()
    tiles = ", ".join(tile_text(tile) for tile in hand) or words("alt.empty_hand")
    for shown in range(len(seen.moves), -1, -1):
        told = "; ".join(
            words("alt.move", tile=tile_text(move.placement.tile), where=move_text(seen, move))
            for move in seen.moves[:shown]
        )
        if shown < len(seen.moves):
            told += words("alt.more", n=len(seen.moves) - shown)
        moves = words("alt.hand_moves", moves=told) if seen.moves else words("alt.hand_no_moves")
        text = words("alt.hand", tiles=tiles, moves=moves)
        # Half the room is for the hand; the board picture's own alt text has the rest of the table.
        if len(text) <= ALT_LIMIT // 2 or shown == 0:
            return clipped(f"{text} {board}")
    return clipped(board)
