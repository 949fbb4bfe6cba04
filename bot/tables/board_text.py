"""Event lines for the board, the text board, alt texts and the ledger, made from redacted events.

Points use a real minus sign.
"""

import json
from collections.abc import Sequence
from typing import Final, assert_never

from discord import ui

from bot.core.layout import CALM_COLOUR, Press, button, layout, rows
from bot.core.names import Names
from bot.tables import move_labels
from bot.tables.service import Table
from data.store.log.match_values import Head
from data.words import Words, upper_first
from engine.board.board import Placement
from engine.board.demands import Place
from engine.board.tiles import Tile, tile_text
from engine.match.event_log import Told, neighbours
from engine.match.events import Chose, Dealt, Drew, MatchEnded, Passed, Placed, Resigned, RoundEnded, Started, Undone
from engine.match.player_view import Move, PlayerView, SeatView
from engine.match.rules import Rules
from engine.table.terms import CLASSIC
from render.canvas.picture import Picture
from render.canvas.png import labelled


def line(
    words: Words, told: Told, rules: Rules, names: Sequence[str], *, theme: str = CLASSIC, located: bool = False
) -> str | None:
    """Format an event as one line; None for events without a line. `located` adds where a tile was placed.

    It names no letter: letters change with the board, and players read this line beside the current board.
    """
    match told.event:
        case Placed() as placed:
            return _placed(words, told, placed, rules, names, theme=theme, located=located)
        case Chose(seat, option, points, tiles):
            chosen = "points" if option == "both" and not tiles else option
            gained = {"points": f"**{move_labels.points_text(points)}**", "tiles": words("count.more_tiles", n=tiles)}
            return words(f"event.chose_{chosen}", **_seat_facts(told, names, seat), **gained)
        case Passed(seat, drawn, points):
            key = "event.passed_drew" if drawn else "event.passed"
            if rules.may_draw_freely:
                # Whether the seat could have placed a tile must stay hidden.
                key = "event.stayed_out_drew" if drawn else "event.stayed_out"
            elif not points:
                key += "_free"
            cost = f"**{move_labels.points_text(points)}**"
            return words(key, **_seat_facts(told, names, seat), drawn=drawn, points=cost)
        case Resigned(seat):
            return words("event.resigned", name=f"**{names[seat]}**")
        case Undone(seat, agreed):
            assert told.tile is not None
            key = "event.undone_agreed" if agreed else "event.undone"
            tile, totals = move_labels.tile_name(told.tile, theme), totals_text(names, told.totals)
            return words(key, **_seat_facts(told, names, seat), tile=tile, totals=totals)
        case RoundEnded() as ended:
            return "\n".join(award_lines(words, ended, told.totals, names))
        case Started() | Dealt() | Drew() | MatchEnded():
            return None
        case _:
            assert_never(told.event)


def _placed(
    words: Words, told: Told, placed: Placed, rules: Rules, names: Sequence[str], *, theme: str, located: bool
) -> str:
    sums = move_labels.arithmetic(words, placed, rules, tile=placed.tile, opening=told.opening, drawn=placed.drawn)
    at = move_labels.where(words, placed.cell, told.beside, theme) if located else ""
    key = "event.opened" if told.opening else "event.placed_at" if at else "event.placed"
    if placed.corner and not at:
        key = "event.corner"
    facts = {"where": at} if key == "event.placed_at" else {}
    facts |= {"tile": move_labels.tile_name(placed.tile, theme), "arithmetic": sums}
    return words(key if sums else f"{key}_bare", **_seat_facts(told, names, placed.seat), **facts)


def _seat_facts(told: Told, names: Sequence[str], seat: int) -> dict[str, str]:
    return {"name": f"**{names[seat]}**", "total": move_labels.number_text(told.totals[seat])}


def turn_lines(words: Words, told: Sequence[Told], rules: Rules, names: Sequence[str]) -> list[str]:
    """Format one short line for each turn: its tiles, its score and the total."""
    turns: list[list[Told]] = []
    for one in told:
        seat = getattr(one.event, "seat", None)
        if seat is not None and turns and getattr(turns[-1][-1].event, "seat", None) == seat:
            turns[-1].append(one)
        else:
            turns.append([one])
    return [text for turn in turns for text in _in_short(words, turn, rules, names)]


def _in_short(words: Words, turn: Sequence[Told], rules: Rules, names: Sequence[str]) -> list[str]:
    placed = [one.event for one in turn if isinstance(one.event, Placed)]
    if not placed:
        return [text for one in turn if (text := line(words, one, rules, names))]
    points = sum(one.event.points for one in turn if isinstance(one.event, Placed | Chose))
    tiles = words("and.comma").join(tile_text(event.tile) for event in placed)
    facts = _seat_facts(turn[-1], names, placed[0].seat)
    return [words("event.turn", **facts, tiles=tiles, points=f"**{move_labels.points_text(points)}**")]


def totals_text(names: Sequence[str], totals: Sequence[int]) -> str:
    return " · ".join(f"{name} {move_labels.number_text(total)}" for name, total in zip(names, totals, strict=True))


def award_lines(words: Words, ended: RoundEnded, totals: Sequence[int], names: Sequence[str]) -> list[str]:
    lines = [] if ended.out is not None else [words("event.blocked")]
    if ended.out is not None and not ended.awards[ended.out]:
        lines.append(words("event.out_bare", name=f"**{names[ended.out]}**"))
    for seat, award in enumerate(ended.awards):
        if award:
            key = "event.out" if seat == ended.out else "event.award"
            told = f"**{move_labels.points_text(award)}**"
            lines.append(
                words(key, name=f"**{names[seat]}**", points=told, total=move_labels.number_text(totals[seat]))
            )
    return lines


TEXT_LIMIT = 4000  # Discord's limit for the text of a message


def text_board(
    words: Words, seen: PlayerView, names: Sequence[str], last: Sequence[str], theme: str = CLASSIC, *, target: str = ""
) -> str:
    """Describe the whole table in words, including the viewer's own tiles, within one message.

    `target` replaces the target score of the rules.
    """
    # A table of squares can have fifty open places and twelve seats, so the text is shortened until it fits.
    for brief, told in ((False, last), (True, last), (True, last[-1:])):
        text = _text_board(words, seen, names, told, theme, target, brief=brief)
        if len(text) <= TEXT_LIMIT:
            break
    return text


def _text_board(
    words: Words, seen: PlayerView, names: Sequence[str], last: Sequence[str], theme: str, target: str, *, brief: bool
) -> str:
    rules = seen.rules
    title = words(
        "text.title", title=move_labels.title_text(words, seen), target=target or move_labels.target_text(words, rules)
    )
    lines = [f"## {title}"]
    for seat in seen.seats:
        mark = "▶" if seat.seat == seen.turn and not seen.ended else "·"
        key = "text.seat_resigned" if seat.resigned else "text.seat"
        tiles = words("count.tiles", n=seat.tiles)
        change = "" if seat.change is None else words("text.change", points=move_labels.points_text(seat.change))
        total = move_labels.number_text(seat.total)
        lines.append(words(key, mark=mark, name=names[seat.seat], total=total, change=change, tiles=tiles))
    if rest := move_labels.boneyard_text(words, seen):
        lines.append(f"{upper_first(rest)}.")
    lines += [*last, move_labels.whose_turn(words, seen, names)]
    if seen.tiles:
        lines += _describe_tiles(words, seen, theme, brief=brief)
    if seen.round_over is not None:
        lines += [words("text.hands"), *(_hand_of(words, seat, names, theme) for seat in seen.seats)]
    if not seen.ended:
        if seen.tiles:
            lines += ["", *_place_lines(words, seen, theme, brief=brief)]
        lines += ["", *_hand_lines(words, seen, theme)]
    return "\n".join(lines)


def _describe_tiles(words: Words, seen: PlayerView, theme: str, *, brief: bool) -> list[str]:
    tiles = [] if brief else [move_labels.tile_name(lies.tile, theme) for lies in seen.tiles]
    laid = words("text.laid", n=len(seen.tiles))
    laid = words("and.colon", what=laid, more=words("and.comma").join(tiles)) if tiles else laid
    made = [words("count.hexagons", n=len(seen.hexagons))] if seen.hexagons else []
    made += [words("count.bridges", n=len(seen.bridges))] if seen.bridges else []
    made += [words("text.dead", n=len(seen.dead))] if seen.dead else []
    return [f"{laid}.", *([f"{upper_first(move_labels.listed(words, made))}."] if made else [])]


def _hand_of(words: Words, seat: SeatView, names: Sequence[str], theme: str) -> str:
    tiles = " ".join(move_labels.tile_name(tile, theme) for tile in seat.hand or ()) or words("alt.empty_hand")
    return words("alt.hand_of", name=names[seat.seat], tiles=tiles)


def _place_lines(words: Words, seen: PlayerView, theme: str, *, brief: bool) -> list[str]:
    rules, places = seen.rules, seen.places
    if brief:
        return [_short_places(words, rules, places, len(places))]
    there, lines = move_labels.lying(seen), [words("text.places")]
    for place in places:
        at = move_labels.where(words, place.cell, neighbours(rules.plane, there, place.cell), theme)
        key = "text.place_at" if at else "text.place"
        facts = {"where": at} if at else {}
        lines.append(words(key, letter=place.letter, needs=move_labels.needs_text(words, rules, place), **facts))
    return lines


def _hand_lines(words: Words, seen: PlayerView, theme: str) -> list[str]:
    if seen.mine is None or seen.mine.hand is None:
        return [words("text.no_hand")]
    lines = []
    if seen.my_turn and seen.options:
        options = [words(f"option.{option}") for option in seen.options]
        lines.append(words("text.options", options=move_labels.listed(words, options, last="and.or")))
    lines.append(words("text.hand"))
    nowhere = []
    for tile in seen.mine.hand:
        moves = [move for move in seen.moves if move.placement.tile == tile]
        if moves:
            told = ", ".join(move_labels.move_text(seen, move) for move in moves)
            lines.append(words("text.fits", tile=move_labels.tile_name(tile, theme), moves=told))
        else:
            nowhere.append(move_labels.tile_name(tile, theme))
    if nowhere:
        lines.append(words("text.fits_none", tiles=", ".join(nowhere)))
    return lines


def board_alt(words: Words, seen: PlayerView, names: Sequence[str], last: Sequence[str], *, target: str = "") -> str:
    """Describe the public picture as an alt text that is complete enough to play from.

    `target` replaces the target score of the rules.
    """
    scores = [(seat, move_labels.number_text(seat.total), words("count.tiles", n=seat.tiles)) for seat in seen.seats]
    rest = move_labels.boneyard_text(words, seen)
    facts = {
        "title": move_labels.title_text(words, seen).replace(" · ", words("and.comma")),
        "target": target or move_labels.target_text(words, seen.rules),
        # Between two rounds no player has the turn.
        "whose": move_labels.whose_turn(words, seen, names) if seen.ended or not seen.round_over else "",
        "scores": ", ".join(
            words("alt.score", name=names[seat.seat], total=total, tiles=tiles) for seat, total, tiles in scores
        ),
        "boneyard": f"{upper_first(rest)}." if rest else "",
    }

    def told(places: str, lines: Sequence[str] = last[-1:]) -> str:
        said = " ".join(one.rstrip(".") + "." for line in lines for one in line.split("\n"))
        return move_labels.plain(words("alt.board", **facts, last=said, places=places))

    def fullest(places: str) -> str:
        texts = (told(places, last[-lines:]) for lines in range(len(last), 1, -1))
        return next((text for text in texts if len(text) <= move_labels.ALT_LIMIT), told(places))

    if seen.ended or seen.round_over:
        return move_labels.clipped(fullest(""))
    if not seen.tiles:
        return move_labels.clipped(fullest(words("alt.opening")))
    if not seen.places:
        return move_labels.clipped(fullest(words("alt.no_places")))
    for shown in range(len(seen.places), -1, -1):
        places = _short_places(words, seen.rules, seen.places, shown)
        # First try all of the last turns; if they do not fit, as many as possible.
        if len(text := told(places, last)) <= move_labels.ALT_LIMIT:
            return text
        if len(told(places)) <= move_labels.ALT_LIMIT:
            return fullest(places)
    return move_labels.clipped(told(""))


def _short_places(words: Words, rules: Rules, places: Sequence[Place], shown: int) -> str:
    text = ", ".join(f"{place.letter} {_short_needs(words, rules, place)}" for place in places[:shown])
    text += words("alt.more", n=len(places) - shown) if shown < len(places) else ""
    return words(f"alt.places_{rules.lattice}_{rules.labels}", places=text)


def _short_needs(words: Words, rules: Rules, place: Place) -> str:
    short = "-".join("?" if need is None else move_labels.wanted(rules, need) for need in place.needs)
    return (
        short
        if place.touch is None
        else words("alt.touch", needs=short, numbers=move_labels.touch_text(words, place.touch))
    )


def hand_alt(words: Words, seen: PlayerView, board: str, listed_as: str = "alt.hand_moves") -> str:
    """Describe the private picture: the viewer's tiles and moves first, then as much of the board as fits.

    `listed_as` is the key of the sentence with the moves.
    """
    assert seen.mine is not None
    hand = seen.mine.hand or ()
    tiles = ", ".join(tile_text(tile) for tile in hand) or words("alt.empty_hand")
    if seen.ended is not None:
        # After the match no tile can be played.
        return move_labels.clipped(f"{words('alt.hand', tiles=tiles, moves='').rstrip()} {board}")
    each = [
        words("alt.move", tile=tile_text(move.placement.tile), where=move_labels.move_text(seen, move))
        for move in seen.moves
    ]
    for shown in range(len(each), -1, -1):
        told = "; ".join(each[:shown])
        if shown < len(seen.moves):
            told += words("alt.more", n=len(seen.moves) - shown)
        listed = words(listed_as, moves=told) if seen.moves else words("alt.hand_no_moves")
        text = words("alt.hand", tiles=tiles, moves=listed)
        # The hand gets half of the space; the board picture has its own alt text.
        if len(text) <= move_labels.ALT_LIMIT // 2 or shown == 0:
            return move_labels.clipped(f"{text} {board}")
    return move_labels.clipped(board)


ROOM = 3000  # of the 4,000 characters that Discord gives a message


def ledger_view(table: Table, names: Names, words: Words, number: int) -> ui.LayoutView:
    """Show round `number`, or the nearest existing one."""
    assert table.event_log is not None
    match, event_log = table.match, table.event_log
    number = min(max(1, number), match.round)
    entries = [told for told in event_log.told if told.round == number and not isinstance(told.event, Drew)]
    lines = [one for told in entries if (one := line(words, told, match.rules, names.safe))]
    kept: list[str] = []
    for entry in reversed(lines):
        if sum(map(len, kept)) + len(kept) + len(entry) > ROOM:
            break
        kept.insert(0, entry)
    if len(kept) < len(lines):
        kept.insert(0, words("scores.more", n=len(lines) - len(kept)))
    totals = totals_text(names.safe, [seat.total for seat in match.seats])
    title = f"### {words('scores.title', round=number, rounds=match.round)}"
    text = [title, *(kept or [words("scores.nothing")]), words("scores.totals", totals=totals)]
    match_id = table.head.match_id
    buttons = []
    if number > 1:
        earlier = Press("scores", match_id, argument=str(number - 1))
        buttons.append(button(words("scores.earlier", round=number - 1), earlier))
    if number < match.round:
        later = Press("scores", match_id, argument=str(number + 1))
        buttons.append(button(words("scores.later", round=number + 1), later))
    return layout(ui.TextDisplay("\n".join(text)), *rows(buttons), colour=CALM_COLOUR)


KEYWORD: Final = "targets"  # PNG text chunk with the targets
Target = tuple[str, int | None, int | None, str]
"""A choice: the option's value or button id, the indexes of its tile and place, and for each corner of the tile the
corner of the place that it covers.
"""


def pointed(
    image: Picture, head: Head, seen: PlayerView, offered: Sequence[Move], *, tiles_first: bool, chosen: Move | None
) -> bytes:
    """Return the file of a private picture with its targets embedded.

    `offered` are the moves in the menu; with `tiles_first` the menu lists only their tiles; a `chosen` move has a
    confirm button.
    """
    if not seen.my_turn:
        return image.png
    if chosen is not None:
        lies = chosen.placement
        return pointed_at(image, [(str(Press("play", head.match_id, head.seq, move_labels.token(lies))), lies)])
    if tiles_first:
        return pointed_at(
            image, [(move_labels.tile_token(choice.tile), choice.tile) for choice in move_labels.by_tile(seen)]
        )
    return pointed_at(image, [(move_labels.token(move.placement), move.placement) for move in offered])


def pointed_at(image: Picture, choices: Sequence[tuple[str, Placement | Tile]]) -> bytes:
    """Embed choices into a private picture: each is an option value or button id, with its placement or tile."""
    tiles, places = list(image.spots.tiles), list(image.spots.places)

    def target(value: str, which: Placement | Tile) -> Target:
        lies = which if isinstance(which, Placement) else None
        tile = which.tile if isinstance(which, Placement) else which
        place = places.index(lies.cell) if lies is not None and lies.cell in image.spots.places else None
        return value, tiles.index(tile) if tile in image.spots.tiles else None, place, _corner_map(lies) if lies else ""

    # {"tiles": [corners], "places": [corners], "targets": [[value, tile, place, turned]]}, in ASCII
    told = {"tiles": list(image.spots.tiles.values()), "places": list(image.spots.places.values())}
    written = {**told, "targets": [target(value, which) for value, which in choices]}
    return labelled(image.png, KEYWORD, json.dumps(written, separators=(",", ":")))


def _corner_map(lies: Placement) -> str:
    """Return e.g. `120`: the tile's corner 0 covers the place's corner 1, corner 1 covers 2, corner 2 covers 0."""
    size, shown = len(lies.tile), list(lies.shown)
    for turn in range(size):
        if all(shown[(corner + turn) % size] == label for corner, label in enumerate(lies.tile)):
            return "".join(str((corner + turn) % size) for corner in range(size))
    # On a flipped tile, each corner takes the first free one with its label.
    free = list(range(size))
    found = []
    for label in lies.tile:
        found.append(next(corner for corner in free if shown[corner] == label))
        free.remove(found[-1])
    return "".join(map(str, found))
