"""The board message, and the message that calls the next player."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import discord
from discord import ui

from bot.computers.hints import build_hint_buttons
from bot.core.formats import build_mute_button, build_return_buttons, format_call_time, format_clock_lines
from bot.core.layout import (
    CALM_COLOUR,
    GOLD,
    CustomId,
    Item,
    build_button,
    build_layout,
    build_plain_view,
    build_primary_button,
    build_rows,
    build_text_view,
    format_timestamp,
)
from bot.core.names import SeatNames
from bot.core.pictures import build_gallery
from bot.core.safe_text import escape_text
from bot.tables import board_text, move_labels
from bot.tables.board_text import format_event, format_turns
from bot.tables.move_labels import format_programs, format_tile
from bot.tables.service import Table
from data.words import Words, capitalize_first
from engine.board.tiles import WILD, Tile
from engine.match.event_log import EventLog
from engine.match.player_view import PlayerView, list_unseen_tiles
from engine.table.terms import CLASSIC
from render.canvas.lettering import clean_text, truncate
from render.canvas.picture import Captions
from render.canvas.theme import DARK

MAX_NOTE_LENGTH: Final = 500  # characters of a note, which shares a message with the hand
MAX_NOTE_LINES: Final = 12  # lines of a note, for the same reason

EndButtonPlace = Literal["end", "guided end", "board", "sealed board", "replay", "review"]
"""Where a finished match has buttons: its end message, its board as one user sees it, its replay, its review."""


@dataclass(frozen=True, slots=True)
class EndButton:
    """A button that a feature adds to finished matches."""

    key: str
    """The key of its text in `data/wording`."""
    verb: str
    places: frozenset[EndButtonPlace]


END_BUTTONS: Final[list[EndButton]] = []
"""The buttons of all features, in the order in which views show them."""


def build_end_buttons(place: EndButtonPlace, match_id: int, words: Words) -> list[ui.Button[Any]]:
    """Return the buttons of features for one place of a finished match."""
    return [build_button(words(one.key), CustomId(one.verb, match_id)) for one in END_BUTTONS if place in one.places]


def tidy_note(text: str) -> str:
    """Return a note without empty lines, cut to the stored size."""
    lines = [line.strip() for line in text[:MAX_NOTE_LENGTH].splitlines()]
    return "\n".join([line for line in lines if line][:MAX_NOTE_LINES])


def format_own_note(words: Words, note: str) -> list[str]:
    lines = [line for line in map(escape_text, note.splitlines()) if line]
    return [words("note.shown"), *(f"> {line}" for line in lines)] if lines else []


def build_unseen_view(table: Table, view: PlayerView, words: Words) -> ui.LayoutView:
    """List the tiles that the viewer of `view_for` has not seen in this round, and how often each number is on them."""
    left, theme = list_unseen_tiles(view), table.terms.theme
    back = build_primary_button(words("hand.back"), CustomId("hand", table.head.match_id))
    count = words("count.tiles", n=len(left))
    lines = [f"### {words('unseen.title', tiles=count)}"]
    if not left:
        return build_text_view("\n".join([*lines, words("unseen.none")]), back)
    lines += [f"-# {words('unseen.where', list=_format_hidden_counts(view, words))}"]
    groups: dict[int, list[Tile]] = {}
    for tile in left:
        groups.setdefault(_find_lowest_number(tile), []).append(tile)
    for number, tiles in sorted(groups.items()):
        named = "  ".join(format_tile(tile, theme) for tile in tiles)
        lines.append(f"**{format_tile((number,), theme)}**  {named}")
    shows = {number: sum(number in tile for tile in left) for number in _list_numbers(view)}
    counts = "  ".join(f"{format_tile((number,), theme)}×{times}" for number, times in shows.items())
    lines.append(words("unseen.numbers", list=counts))
    return build_text_view("\n".join(lines), back)


def _format_hidden_counts(view: PlayerView, words: Words) -> str:
    hidden = [seat for seat in view.seats if seat.hand is None]
    counts = {
        "board.well" if view.rules.family == "quads" else "board.boneyard": view.boneyard,
        "board.aside": view.aside,
        "unseen.hands": sum(seat.tiles for seat in hidden if not seat.resigned),
        "unseen.left": sum(seat.tiles for seat in hidden if seat.resigned),
    }
    return " · ".join(words(key, count=count) for key, count in counts.items() if count)


def _find_lowest_number(tile: Tile) -> int:
    """Return the lowest number of a tile; -1 for a tile without numbers."""
    return min((label for label in tile if label != WILD), default=WILD)


def _list_numbers(view: PlayerView) -> list[int]:
    return sorted({label for tile in view.rules.tiles for label in tile if label != WILD})


BOARD_FILE = "board.png"
NAME_LENGTH = 18  # letters of a name in the header of a picture
MAX_RECENT_LENGTH = 2200  # letters for the last turns, of the 4,000 that Discord gives a message


def build_captions(view: PlayerView, event_log: EventLog, names: SeatNames, words: Words) -> Captions:
    # A long name must not push the points out of the line.
    cleaned = [clean_text(name, f"#{seat}") for seat, name in enumerate(names.picture_names, 1)]
    plain_names = [truncate(name, NAME_LENGTH) for name in cleaned]
    newest, last = event_log.latest_event, words("board.nothing_yet")
    if newest:
        # Names are escaped, so removing the Markdown of the sentence keeps the signs of a name.
        last = format_event(words, newest, view.rules, list(map(escape_text, plain_names))) or ""
    if view.ended:
        winners = [plain_names[seat] for seat, place in enumerate(view.ended.places) if place == 1]
        key = "board.over" if len(winners) == 1 else "board.over_shared"
        turn = words(key, name=winners[0], names=move_labels.format_list(words, winners))
    elif view.round_over:
        turn = words("round.title", round=view.round)
    else:
        stage = move_labels.choose_stage_key(view)
        turn = words(f"board.turn{stage}", name=plain_names[view.turn], **move_labels.build_stage_facts(words, view))
    last_round = view.latched and not view.ended
    goal = words("board.last_round") if last_round else move_labels.format_target(words, view.rules)
    notes = [note for note in (move_labels.format_boneyard(words, view), goal) if note]
    return Captions(
        title=move_labels.format_title(words, view),
        subtitle=move_labels.strip_markdown(last).split("\n")[-1],
        turn=turn,
        note=capitalize_first(" · ".join(notes)),
    )


def format_recent_turns(
    event_log: EventLog, names: SeatNames, words: Words, theme: str = CLASSIC, viewer: int | None = None
) -> list[str]:
    """Return the lines about the last round of turns, shortened at tables with many players. They speak to the player
    on the seat `viewer`.
    """
    rules, recent, lines = event_log.match.rules, event_log.list_recent(), list[str]()
    for one in recent:
        if viewer is not None and getattr(one.event, "seat", None) == viewer:
            text = move_labels.format_own_event(words, one, rules, theme)
        else:
            text = format_event(words, one, rules, names.escaped, theme=theme, located=True)
        lines += filter(None, [text])
    if len("\n".join(lines)) <= MAX_RECENT_LENGTH:
        return lines
    return format_turns(words, recent, rules, names.escaped)


def format_full_board_alt(
    view: PlayerView, event_log: EventLog, names: SeatNames, words: Words, last: Sequence[str] | None = None
) -> str:
    """Return the alt text of the board picture; `last` are the lines of `format_recent_turns`, if known."""
    lines = format_recent_turns(event_log, names, words) if last is None else last
    return board_text.format_board_alt(words, view, names.escaped, lines)


def format_turns_and_alt(table: Table, view: PlayerView, names: SeatNames, words: Words) -> tuple[list[str], str]:
    """Return the lines about the last round of turns, and the board's alt text, which ends with them."""
    assert table.event_log is not None
    lines = format_recent_turns(table.event_log, names, words, table.terms.theme)
    last = lines if table.terms.theme == CLASSIC else None
    return lines, format_full_board_alt(view, table.event_log, names, words, last)


def build_board_view(
    table: Table,
    view: PlayerView,
    names: SeatNames,
    words: Words,
    alt: str,
    *,
    last: Sequence[str] | None = None,
    extra_items: Sequence[Item] = (),
) -> ui.LayoutView:
    """Build the board message of a running or finished match, with the picture `board.png`.

    `last` are the lines of `format_recent_turns`, if known; `extra_items` is the open question.
    """
    assert table.event_log is not None
    recent = format_recent_turns(table.event_log, names, words, table.terms.theme) if last is None else last
    lines = [*recent] or [words("board.nothing_yet")]
    lines.append(move_labels.format_turn(words, view, names.escaped))
    lines += format_clock_lines(words, table, names.escaped)
    lines += [*names.explain_numbers(words), *format_programs(table, names, words)]
    lines += [*board_text.format_gap_signs(words, view), _format_footer(table, words)]
    title = move_labels.format_title(words, view)
    match_id = table.head.match_id
    # The id changes with each move, which shows how much of the log a board shows.
    scores = build_button(words("board.scores"), CustomId("scores", match_id, table.head.seq))
    if view.ended:
        buttons = [build_primary_button(words("board.rematch"), CustomId("rematch", match_id)), scores]
    else:
        buttons = [build_primary_button(words("board.hand"), CustomId("hand", match_id))]
        if view.by_hand:
            if view.rules.max_draws and view.rules.has_boneyard:
                buttons.append(build_button(words("board.draw"), CustomId("draw", match_id, table.head.seq)))
            buttons.append(build_button(words("board.pass"), CustomId("pass", match_id, table.head.seq)))
        buttons += [build_button(words("board.text"), CustomId("text", match_id)), scores]
        buttons.append(build_button(words("board.rules"), CustomId("rules", match_id)))
        buttons.append(build_button(words("fair.button"), CustomId("print", match_id)))
        buttons += build_return_buttons(words, table)
        if table.state.paused_until is not None:
            buttons.append(build_primary_button(words("agree.resume"), CustomId("resume", match_id)))
    note = words("board.last_round") if view.latched else move_labels.format_target(words, view.rules)
    # Players may have been deleted since, so the end message says what was rated.
    rated = table.state.is_rated if view.ended else table.is_rated
    heading = [title, note] if rated else [title, note, words("board.unrated")]
    return build_layout(
        ui.TextDisplay(f"### {' · '.join(heading)}"),
        build_gallery(BOARD_FILE, alt),
        ui.TextDisplay("\n".join(lines)[:3000]),
        *build_rows(buttons),
        *extra_items,
        colour=choose_seat_colour(view),
    )


def _format_footer(table: Table, words: Words) -> str:
    plays = 0 if table.event_log is None else table.event_log.play_count
    return words("board.footer", match=table.head.match_id, plays=plays)


def build_sealed_view(table: Table, names: SeatNames, words: Words) -> ui.LayoutView:
    """Build the public message of a sealed deal: players and turn, but no tiles."""
    match, match_id, terms = table.match, table.head.match_id, table.terms
    title = f"### {words(f'game.{terms.game}')} · {words('deal.title', deal=terms.deal)}"
    if match.ended is not None:
        lines = [title, words("deal.over", until=format_timestamp(terms.deal_until, "f"))]
        again = build_primary_button(words("board.rematch"), CustomId("rematch", match_id))
        buttons = [again, *build_end_buttons("sealed board", match_id, words)]
        return build_text_view("\n".join(lines), *buttons, colour=CALM_COLOUR)
    who = words("deal.turn_of", name=names.escaped[match.turn], round=match.round)
    lines = [title, words("deal.closed", until=format_timestamp(terms.deal_until, "f")), who]
    lines += [*format_clock_lines(words, table, names.escaped), *names.explain_numbers(words)]
    buttons = [
        build_primary_button(words("board.hand"), CustomId("hand", match_id)),
        build_button(words("board.text"), CustomId("text", match_id)),
        build_button(words("board.scores"), CustomId("scores", match_id, table.head.seq)),
        build_button(words("board.rules"), CustomId("rules", match_id)),
        build_button(words("fair.button"), CustomId("print", match_id)),
    ]
    return build_text_view("\n".join(lines), *buttons, colour=GOLD)


def choose_seat_colour(view: PlayerView) -> discord.Colour:
    return CALM_COLOUR if view.ended else discord.Colour.from_rgb(*DARK.get_seat_colour(view.turn))


def format_turn_call(view: PlayerView, mention: str, words: Words, sealed: bool = False) -> str:
    """Return the line that mentions the player. It must not reveal how many tiles fit, nor a `sealed` deal."""
    if sealed:
        return words("deal.ping", mention=mention)
    if not view.tiles:
        return words("turn.ping_opening", mention=mention, round=view.round)
    return words("turn.ping", mention=mention, tiles=words("count.tiles", n=view.seats[view.turn].tiles))


def build_call_extras(table: Table, words: Words) -> tuple[str, list[ui.Button[Any]]]:
    time = format_call_time(words, table)
    return (f" {time}", [build_mute_button(words, table)]) if time else ("", [])


def build_turn_view(match_id: int, words: Words, *more: ui.Button[Any]) -> ui.View:
    return build_plain_view(build_primary_button(words("board.hand"), CustomId("hand", match_id)), *more)


def build_private_buttons(table: Table, view: PlayerView, words: Words, *, is_player: bool) -> list[Item]:
    match_id = table.head.match_id
    if view.ended:
        again = build_primary_button(words("board.rematch"), CustomId("rematch", match_id))
        return build_rows([again, *build_end_buttons("board", match_id, words)])
    hand = [build_primary_button(words("board.hand"), CustomId("hand", match_id))] if is_player else []
    return build_rows([*hand, build_button(words("board.text"), CustomId("text", match_id))])


def build_text_buttons(
    table: Table, view: PlayerView, words: Words, *, direct: bool = False, hinted: bool = False
) -> list[ui.Button[Any]]:
    """Return the buttons under a text board: spectators have no hand, and a `direct` message cannot open tables."""
    match_id = table.head.match_id
    hand = [] if view.own_seat is None else [build_primary_button(words("board.hand"), CustomId("hand", match_id))]
    if view.ended:
        again = build_primary_button(words("board.rematch"), CustomId("rematch", match_id))
        return hand if direct else [again, *build_end_buttons("board", match_id, words)]
    hint_buttons = build_hint_buttons(table, view, words, is_given=hinted, text=True)
    buttons = [*hand, build_button(words("hand.refresh"), CustomId("text", match_id)), *hint_buttons]
    if view.own_seat is not None:
        buttons.append(build_button(words("unseen.button"), CustomId("unseen", match_id)))
        buttons.append(build_button(words("note.button"), CustomId("note", match_id)))
    return buttons
