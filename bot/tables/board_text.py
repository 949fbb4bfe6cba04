"""Event lines for the board, the text board, alt texts and the ledger, made from redacted events.

Points use a real minus sign.
"""

import json
from collections.abc import Sequence
from typing import Final, assert_never

from discord import ui

from bot.core.layout import CALM_COLOUR, CustomId, build_button, build_layout, build_rows
from bot.core.names import SeatNames, shorten_names
from bot.core.safe_text import count_columns
from bot.tables import move_labels
from bot.tables.service import Table
from data.store.log.match_values import Head
from data.words import Words, capitalize_first
from engine.board.board import Placement
from engine.board.demands import Place
from engine.board.tiles import Tile, format_tile_notation
from engine.match.event_log import EventLog, PublicEvent, list_neighbours
from engine.match.events import Chose, Dealt, Drew, MatchEnded, Passed, Placed, Resigned, RoundEnded, Started, Undone
from engine.match.highlights import list_totals
from engine.match.player_view import Move, PlayerView, SeatView
from engine.match.rules import Rules
from engine.table.terms import CLASSIC
from render.canvas.picture import Picture
from render.canvas.png import add_text


def format_event(
    words: Words, entry: PublicEvent, rules: Rules, names: Sequence[str], *, theme: str = CLASSIC, located: bool = False
) -> str | None:
    """Format an event as one line; None for events without a line. `located` adds where a tile was placed.

    It names no letter: letters change with the board, and players read this line beside the current board.
    """
    match entry.event:
        case Placed() as placed:
            return _format_placed(words, entry, placed, rules, names, theme=theme, located=located)
        case Chose(seat, option, points, tiles):
            chosen = "points" if option == "both" and not tiles else option
            gained = {"points": f"**{move_labels.format_points(points)}**", "tiles": words("count.more_tiles", n=tiles)}
            return words(f"event.chose_{chosen}", **_build_seat_facts(entry, names, seat), **gained)
        case Passed(seat, drawn, points):
            key = "event.passed_drew" if drawn else "event.passed"
            if rules.may_draw_freely:
                # Whether the seat could have placed a tile must stay hidden.
                key = "event.stayed_out_drew" if drawn else "event.stayed_out"
            elif not points:
                key += "_free"
            cost = f"**{move_labels.format_points(points)}**"
            return words(key, **_build_seat_facts(entry, names, seat), drawn=drawn, points=cost)
        case Resigned(seat):
            return words("event.resigned", name=f"**{names[seat]}**")
        case Undone(seat, agreed):
            assert entry.tile is not None
            key = "event.undone_agreed" if agreed else "event.undone"
            tile, totals = move_labels.format_tile(entry.tile, theme), format_totals(names, entry.totals)
            return words(key, **_build_seat_facts(entry, names, seat), tile=tile, totals=totals)
        case RoundEnded() as ended:
            return "\n".join(format_awards(words, ended, entry.totals, names))
        case Started() | Dealt() | Drew() | MatchEnded():
            return None
        case _:
            assert_never(entry.event)


def _format_placed(
    words: Words, entry: PublicEvent, placed: Placed, rules: Rules, names: Sequence[str], *, theme: str, located: bool
) -> str:
    sums = move_labels.format_arithmetic(words, placed, rules, opening=entry.opening, drawn=placed.drawn)
    at = move_labels.format_location(words, placed.cell, entry.neighbours, theme) if located else ""
    key = "event.opened" if entry.opening else "event.placed_at" if at else "event.placed"
    if placed.corner and not at:
        key = "event.corner"
    facts = {"where": at} if key == "event.placed_at" else {}
    facts |= {"tile": move_labels.format_tile(placed.tile, theme), "arithmetic": sums}
    return words(key if sums else f"{key}_bare", **_build_seat_facts(entry, names, placed.seat), **facts)


def _build_seat_facts(entry: PublicEvent, names: Sequence[str], seat: int) -> dict[str, str]:
    return {"name": f"**{names[seat]}**", "total": move_labels.format_number(entry.totals[seat])}


def format_turns(words: Words, entries: Sequence[PublicEvent], rules: Rules, names: Sequence[str]) -> list[str]:
    """Format one short line for each turn: its tiles, its score and the total."""
    turns: list[list[PublicEvent]] = []
    for one in entries:
        seat = getattr(one.event, "seat", None)
        if seat is not None and turns and getattr(turns[-1][-1].event, "seat", None) == seat:
            turns[-1].append(one)
        else:
            turns.append([one])
    return [text for turn in turns for text in _format_turn(words, turn, rules, names)]


def _format_turn(words: Words, turn: Sequence[PublicEvent], rules: Rules, names: Sequence[str]) -> list[str]:
    placed = [one.event for one in turn if isinstance(one.event, Placed)]
    if not placed:
        return [text for one in turn if (text := format_event(words, one, rules, names))]
    points = sum(one.event.points for one in turn if isinstance(one.event, Placed | Chose))
    tiles = words("and.comma").join(format_tile_notation(event.tile) for event in placed)
    facts = _build_seat_facts(turn[-1], names, placed[0].seat)
    return [words("event.turn", **facts, tiles=tiles, points=f"**{move_labels.format_points(points)}**")]


def format_totals(names: Sequence[str], totals: Sequence[int]) -> str:
    return " · ".join(f"{name} {move_labels.format_number(total)}" for name, total in zip(names, totals, strict=True))


def format_awards(words: Words, ended: RoundEnded, totals: Sequence[int], names: Sequence[str]) -> list[str]:
    lines = [] if ended.out is not None else [words("event.blocked")]
    if ended.out is not None and not ended.awards[ended.out]:
        lines.append(words("event.out_bare", name=f"**{names[ended.out]}**"))
    for seat, award in enumerate(ended.awards):
        if award:
            key, total = "event.out" if seat == ended.out else "event.award", move_labels.format_number(totals[seat])
            points = f"**{move_labels.format_points(award)}**"
            lines.append(words(key, name=f"**{names[seat]}**", points=points, total=total))
    return lines


TEXT_LIMIT = 4000  # Discord's limit for the text of a message


def format_text_board(
    words: Words, view: PlayerView, names: Sequence[str], last: Sequence[str], theme: str = CLASSIC, *, target: str = ""
) -> str:
    """Describe the whole table in words, including the viewer's own tiles, within one message.

    `target` replaces the target score of the rules.
    """
    # A table of squares can have fifty open places and twelve seats, so the text is shortened until it fits.
    for brief, lines in ((False, last), (True, last), (True, last[-1:])):
        text = _format_text_board(words, view, names, lines, theme, target, brief=brief)
        if len(text) <= TEXT_LIMIT:
            break
    return text


def _format_text_board(
    words: Words, view: PlayerView, names: Sequence[str], last: Sequence[str], theme: str, target: str, *, brief: bool
) -> str:
    target = target or move_labels.format_target(words, view.rules)
    lines = [f"## {words('text.title', title=move_labels.format_title(words, view), target=target)}"]
    for seat in view.seats:
        mark = "▶" if seat.seat == view.turn and not view.ended else "·"
        key = "text.seat_resigned" if seat.resigned else "text.seat"
        tiles = words("count.tiles", n=seat.tiles)
        change = "" if seat.change is None else words("text.change", points=move_labels.format_points(seat.change))
        total = move_labels.format_number(seat.total)
        lines.append(words(key, mark=mark, name=names[seat.seat], total=total, change=change, tiles=tiles))
    if rest := move_labels.format_boneyard(words, view):
        lines.append(f"{capitalize_first(rest)}.")
    lines += [*last, move_labels.format_turn(words, view, names)]
    if view.tiles:
        lines += _format_tiles(words, view, theme, brief=brief)
    if view.round_over is not None:
        lines += [words("text.hands"), *(_format_hand(words, seat, names, theme) for seat in view.seats)]
    if not view.ended:
        if view.tiles:
            lines += ["", *_format_places(words, view, theme, brief=brief)]
        lines += ["", *_format_own_hand(words, view, theme)]
    return "\n".join(lines)


def _format_tiles(words: Words, view: PlayerView, theme: str, *, brief: bool) -> list[str]:
    tiles = [] if brief else [move_labels.format_tile(placement.tile, theme) for placement in view.tiles]
    tiles_text = words("text.laid", n=len(view.tiles))
    tiles_text = words("and.colon", what=tiles_text, more=words("and.comma").join(tiles)) if tiles else tiles_text
    counts = [words("count.hexagons", n=len(view.hexagons))] if view.hexagons else []
    counts += [words("count.bridges", n=len(view.bridges))] if view.bridges else []
    gaps = {"text.dead": len(view.dead) - len(view.impossible), "text.impossible": len(view.impossible)}
    counts += [words(key, n=count) for key, count in gaps.items() if count]
    return [f"{tiles_text}.", *([f"{capitalize_first(move_labels.format_list(words, counts))}."] if counts else [])]


def format_gap_signs(words: Words, view: PlayerView) -> list[str]:
    """Explain the signs that the picture has on gaps that no tile can fill."""
    if view.round_over is not None:
        return []
    has_signs = {"board.gap_played": set(view.dead) > set(view.impossible), "board.gap_impossible": view.impossible}
    signs = [words(key) for key, shown in has_signs.items() if shown]
    return [f"-# {' · '.join(signs)}"] if signs else []


def _format_hand(words: Words, seat: SeatView, names: Sequence[str], theme: str) -> str:
    tiles = " ".join(move_labels.format_tile(tile, theme) for tile in seat.hand or ()) or words("alt.empty_hand")
    return words("alt.hand_of", name=names[seat.seat], tiles=tiles)


def _format_places(words: Words, view: PlayerView, theme: str, *, brief: bool) -> list[str]:
    rules, places = view.rules, view.places
    if brief:
        return [_format_short_places(words, rules, places, len(places))]
    tiles_by_cell, lines = move_labels.map_tiles_by_cell(view), [words("text.places")]
    for place in places:
        near = list_neighbours(rules.plane, tiles_by_cell, place.cell)
        at = move_labels.format_location(words, place.cell, near, theme)
        key = "text.place_at" if at else "text.place"
        facts = {"where": at} if at else {}
        lines.append(words(key, letter=place.letter, needs=move_labels.format_needs(words, rules, place), **facts))
    return lines


def _format_own_hand(words: Words, view: PlayerView, theme: str) -> list[str]:
    if view.own_seat is None or view.own_seat.hand is None:
        return [words("text.no_hand")]
    lines = []
    if view.is_own_turn and view.options:
        options = [words(f"option.{option}") for option in view.options]
        lines.append(words("text.options", options=move_labels.format_list(words, options, last="and.or")))
    lines.append(words("text.hand"))
    unplayable = []
    for tile in view.own_seat.hand:
        moves = [move for move in view.moves if move.placement.tile == tile]
        if moves:
            move_list = ", ".join(move_labels.format_move(view, move) for move in moves)
            lines.append(words("text.fits", tile=move_labels.format_tile(tile, theme), moves=move_list))
        else:
            unplayable.append(move_labels.format_tile(tile, theme))
    if unplayable:
        lines.append(words("text.fits_none", tiles=", ".join(unplayable)))
    return lines


def format_board_alt(
    words: Words, view: PlayerView, names: Sequence[str], last: Sequence[str], *, target: str = ""
) -> str:
    """Describe the public picture as an alt text that is complete enough to play from.

    `target` replaces the target score of the rules.
    """
    scores = [(seat, move_labels.format_number(seat.total), words("count.tiles", n=seat.tiles)) for seat in view.seats]
    rest = move_labels.format_boneyard(words, view)
    facts = {
        "title": move_labels.format_title(words, view).replace(" · ", words("and.comma")),
        "target": target or move_labels.format_target(words, view.rules),
        # Between two rounds no player has the turn.
        "whose": move_labels.format_turn(words, view, names) if view.ended or not view.round_over else "",
        "scores": ", ".join(
            words("alt.score", name=names[seat.seat], total=total, tiles=tiles) for seat, total, tiles in scores
        ),
        "boneyard": f"{capitalize_first(rest)}." if rest else "",
    }

    def format_text(places: str, lines: Sequence[str] = last[-1:]) -> str:
        recent_text = " ".join(one.rstrip(".") + "." for line in lines for one in line.split("\n"))
        return move_labels.strip_markdown(words("alt.board", **facts, last=recent_text, places=places))

    def choose_fullest(places: str) -> str:
        texts = (format_text(places, last[-lines:]) for lines in range(len(last), 1, -1))
        return next((text for text in texts if len(text) <= move_labels.ALT_LIMIT), format_text(places))

    if view.ended or view.round_over:
        return move_labels.clip_text(choose_fullest(""))
    if not view.tiles:
        return move_labels.clip_text(choose_fullest(words("alt.opening")))
    if not view.places:
        return move_labels.clip_text(choose_fullest(words("alt.no_places")))
    for shown in range(len(view.places), -1, -1):
        places = _format_short_places(words, view.rules, view.places, shown)
        # First try all of the last turns; if they do not fit, as many as possible.
        if len(text := format_text(places, last)) <= move_labels.ALT_LIMIT:
            return text
        if len(format_text(places)) <= move_labels.ALT_LIMIT:
            return choose_fullest(places)
    return move_labels.clip_text(format_text(""))


def _format_short_places(words: Words, rules: Rules, places: Sequence[Place], shown: int) -> str:
    text = ", ".join(f"{place.letter} {_format_short_needs(words, rules, place)}" for place in places[:shown])
    text += words("alt.more", n=len(places) - shown) if shown < len(places) else ""
    return words(f"alt.places_{rules.lattice}_{rules.labels}", places=text)


def _format_short_needs(words: Words, rules: Rules, place: Place) -> str:
    short = "-".join("?" if need is None else move_labels.format_need(rules, need) for need in place.needs)
    if place.touch is None:
        return short
    return words("alt.touch", needs=short, numbers=move_labels.format_touch(words, place.touch))


def format_hand_alt(words: Words, view: PlayerView, board: str, moves_key: str = "alt.hand_moves") -> str:
    """Describe the private picture: the viewer's tiles and moves first, then as much of the board as fits.

    `moves_key` is the key of the sentence with the moves.
    """
    assert view.own_seat is not None
    hand = view.own_seat.hand or ()
    tiles = ", ".join(format_tile_notation(tile) for tile in hand) or words("alt.empty_hand")
    if view.ended is not None:
        # After the match no tile can be played.
        return move_labels.clip_text(f"{words('alt.hand', tiles=tiles, moves='').rstrip()} {board}")
    move_texts = [
        words("alt.move", tile=format_tile_notation(move.placement.tile), where=move_labels.format_move(view, move))
        for move in view.moves
    ]
    for shown in range(len(move_texts), -1, -1):
        move_list = "; ".join(move_texts[:shown])
        if shown < len(view.moves):
            move_list += words("alt.more", n=len(view.moves) - shown)
        listed = words(moves_key, moves=move_list) if view.moves else words("alt.hand_no_moves")
        text = words("alt.hand", tiles=tiles, moves=listed)
        # The hand gets half of the space; the board picture has its own alt text.
        if len(text) <= move_labels.ALT_LIMIT // 2 or shown == 0:
            return move_labels.clip_text(f"{text} {board}")
    return move_labels.clip_text(board)


MAX_LEDGER_LENGTH: Final = 3000  # of the 4,000 characters that Discord gives a message
MAX_SHEET_WIDTH: Final = 36  # columns of a line of code on a phone
MIN_SEAT_WIDTH: Final = 8  # columns of a player, with the gap before
SHEET_GAP: Final = "  "
MAX_SHEET_ROUNDS: Final = 12


def format_score_sheet(event_log: EventLog, names: Sequence[str]) -> str:
    """Format the score sheet as code: a column for each player, a row for each round, and the totals below. The oldest
    rounds of a long match share a row; the columns of many players are in several blocks.
    """
    last_by_round = {entry.round: entry for entry in event_log.events}
    before, rows = list_totals(event_log)[0], list[tuple[str, tuple[int, ...]]]()
    if any(before):
        rows.append(("0", before))  # the head start
    for number in range(1, event_log.match.round + 1):
        last = last_by_round.get(number)
        after = last.totals if last else before
        label = str(number) if last and isinstance(last.event, RoundEnded) else f"{number}…"
        rows.append((label, tuple(new - old for new, old in zip(after, before, strict=True))))
        before = after
    if len(rows) > MAX_SHEET_ROUNDS:
        older, rows = rows[: 1 - MAX_SHEET_ROUNDS], rows[1 - MAX_SHEET_ROUNDS :]
        sums = tuple(map(sum, zip(*(points for _, points in older), strict=True)))
        rows.insert(0, (f"{older[0][0]}–{older[-1][0]}", sums))
    rows.append(("Σ", before))
    labels = max(len(label) for label, _ in rows)
    blocks = -(-len(names) // ((MAX_SHEET_WIDTH - labels) // MIN_SEAT_WIDTH))
    size = -(-len(names) // blocks)
    short_names = shorten_names(names, _find_name_limit(names, size, MAX_SHEET_WIDTH - labels))
    return "\n\n".join(
        _format_sheet_block(short_names[seat : seat + size], [(row[0], row[1][seat : seat + size]) for row in rows])
        for seat in range(0, len(names), size)
    )


def _find_name_limit(names: Sequence[str], size: int, room: int) -> int:
    """Return how many columns a name may have, with `size` names in a block of `room` columns. If all are in one
    block, long names get the room that short ones leave.
    """
    least = room // size - len(SHEET_GAP)
    for limit in range(max(map(count_columns, names)), least, -1):
        widths = [max(min(count_columns(name), limit), MIN_SEAT_WIDTH - len(SHEET_GAP)) for name in names]
        if size == len(names) and sum(widths) + size * len(SHEET_GAP) <= room:
            return limit
    return least


def _format_sheet_block(names: Sequence[str], rows: Sequence[tuple[str, Sequence[int]]]) -> str:
    labels = ["", *(label for label, _ in rows)]
    columns = [[label.ljust(max(map(len, labels))) for label in labels]]
    for seat, name in enumerate(names):
        cells = [name, *(move_labels.format_number(row[seat]) for _, row in rows)]
        width = max(map(count_columns, cells))
        columns.append([" " * (width - count_columns(cell)) + cell for cell in cells])
    lines = [SHEET_GAP.join(line) for line in zip(*columns, strict=True)]
    return "\n".join([*lines[:-1], "─" * count_columns(lines[-1]), lines[-1]])


def build_ledger_view(table: Table, names: SeatNames, words: Words, number: int) -> ui.LayoutView:
    """Show round `number`, or the nearest existing one."""
    assert table.event_log is not None
    match, number = table.match, min(max(1, number), table.match.round)
    entries = [one for one in table.event_log.events if one.round == number and not isinstance(one.event, Drew)]
    lines = [line for one in entries if (line := format_event(words, one, match.rules, names.escaped))]
    sheet = format_score_sheet(table.event_log, names.picture_names)
    shown_lines: list[str] = []
    for entry in reversed(lines):
        if len(sheet) + sum(map(len, shown_lines)) + len(shown_lines) + len(entry) > MAX_LEDGER_LENGTH:
            break
        shown_lines.insert(0, entry)
    if len(shown_lines) < len(lines):
        shown_lines.insert(0, words("scores.more", n=len(lines) - len(shown_lines)))
    totals = format_totals(names.escaped, [seat.total for seat in match.seats])
    title = f"### {words('scores.title', round=number, rounds=match.round)}"
    text = [
        title,
        f"```\n{sheet}\n```",
        *(shown_lines or [words("scores.nothing")]),
        words("scores.totals", totals=totals),
    ]
    match_id = table.head.match_id
    buttons = []
    if number > 1:
        earlier = CustomId("scores", match_id, argument=str(number - 1))
        buttons.append(build_button(words("scores.earlier", round=number - 1), earlier))
    if number < match.round:
        later = CustomId("scores", match_id, argument=str(number + 1))
        buttons.append(build_button(words("scores.later", round=number + 1), later))
    return build_layout(ui.TextDisplay("\n".join(text)), *build_rows(buttons), colour=CALM_COLOUR)


TARGETS_KEYWORD: Final = "targets"  # PNG text chunk with the targets
Target = tuple[str, int | None, int | None, str]
"""A choice: the option's value or button id, the indexes of its tile and place, and for each corner of the tile the
corner of the place that it covers.
"""


def embed_move_targets(
    image: Picture, head: Head, view: PlayerView, offered: Sequence[Move], *, tiles_first: bool, chosen: Move | None
) -> bytes:
    """Return the file of a private picture with its targets embedded.

    `offered` are the moves in the menu; with `tiles_first` the menu lists only their tiles; a `chosen` move has a
    confirm button.
    """
    if not view.is_own_turn:
        return image.png
    if chosen is not None:
        press = CustomId("play", head.match_id, head.seq, move_labels.encode_placement(chosen.placement))
        return embed_targets(image, [(str(press), chosen.placement)])
    if tiles_first:
        tiles = [choice.tile for choice in move_labels.group_moves_by_tile(view)]
        return embed_targets(image, [(move_labels.encode_tile(tile), tile) for tile in tiles])
    return embed_targets(image, [(move_labels.encode_placement(move.placement), move.placement) for move in offered])


def embed_targets(image: Picture, choices: Sequence[tuple[str, Placement | Tile]]) -> bytes:
    """Embed choices into a private picture: each is an option value or button id, with its placement or tile."""
    tiles, places = list(image.click_areas.tiles), list(image.click_areas.places)

    def build_target(value: str, which: Placement | Tile) -> Target:
        tile = which.tile if isinstance(which, Placement) else which
        tile_index = tiles.index(tile) if tile in tiles else None
        if not isinstance(which, Placement):
            return value, tile_index, None, ""
        place_index = places.index(which.cell) if which.cell in places else None
        return value, tile_index, place_index, _format_corner_map(which)

    # {"tiles": [corners], "places": [corners], "targets": [[value, tile, place, turned]]}, in ASCII
    corners = {"tiles": list(image.click_areas.tiles.values()), "places": list(image.click_areas.places.values())}
    payload = {**corners, "targets": [build_target(value, which) for value, which in choices]}
    return add_text(image.png, TARGETS_KEYWORD, json.dumps(payload, separators=(",", ":")))


def _format_corner_map(placement: Placement) -> str:
    """Return e.g. `120`: the tile's corner 0 covers the place's corner 1, corner 1 covers 2, corner 2 covers 0."""
    size, shown = len(placement.tile), list(placement.shown_labels)
    for turn in range(size):
        if all(shown[(corner + turn) % size] == label for corner, label in enumerate(placement.tile)):
            return "".join(str((corner + turn) % size) for corner in range(size))
    # On a flipped tile, each corner covers the first free corner of the place with its label.
    free = list(range(size))
    found = []
    for label in placement.tile:
        found.append(next(corner for corner in free if shown[corner] == label))
        free.remove(found[-1])
    return "".join(map(str, found))
