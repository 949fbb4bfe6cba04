"""The board message, and the message that calls the next player."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import discord
from discord import ui

from bot.computers.hints import hint_button
from bot.core.formats import call_time, clock_lines, moment, mute_button, resumes, returns
from bot.core.layout import CALM_COLOUR, GOLD, Item, Press, button, layout, primary, rows, said
from bot.core.names import Names
from bot.core.pictures import picture
from bot.core.safe_text import safe
from bot.tables import board_text, move_labels
from bot.tables.board_text import line, turn_lines
from bot.tables.move_labels import programs_told, tile_name
from bot.tables.service import Table
from data.words import Words, upper_first
from engine.board.tiles import WILD, Tile
from engine.match.event_log import EventLog
from engine.match.player_view import PlayerView, unseen
from engine.table.terms import CLASSIC
from render.canvas.lettering import cut, readable
from render.canvas.picture import Captions
from render.canvas.theme import DARK

LONGEST_NOTE: Final = 500  # characters of a note, which shares a message with the hand
MOST_LINES: Final = 12  # lines of a note, for the same reason

Place = Literal["end", "guided end", "board", "sealed board", "replay", "review"]
"""Where a finished match has buttons: its end message, its board as one user sees it, its replay, its review."""


@dataclass(frozen=True, slots=True)
class EndButton:
    """A button that a feature adds to finished matches."""

    key: str
    """The key of its text in `data/wording`."""
    verb: str
    places: frozenset[Place]


END_BUTTONS: Final[list[EndButton]] = []
"""The buttons of all features, in the order in which views show them."""


def end_buttons(place: Place, match_id: int, words: Words) -> list[ui.Button[Any]]:
    """Return the buttons of features for one place of a finished match."""
    return [button(words(one.key), Press(one.verb, match_id)) for one in END_BUTTONS if place in one.places]


def own_buttons(table: Table, words: Words) -> list[ui.Button[Any]]:
    """Return the hand's buttons for the unseen tiles and the note."""
    match_id = table.head.match_id
    return [
        button(words("unseen.button"), Press("unseen", match_id)),
        button(words("note.button"), Press("note", match_id)),
    ]


def tidied(text: str) -> str:
    """Return a note without empty lines, cut to the stored size."""
    lines = [line.strip() for line in text[:LONGEST_NOTE].splitlines()]
    return "\n".join([line for line in lines if line][:MOST_LINES])


def own_note(words: Words, note: str) -> list[str]:
    lines = [line for line in map(safe, note.splitlines()) if line]
    return [words("note.shown"), *(f"> {line}" for line in lines)] if lines else []


def unseen_view(table: Table, seen: PlayerView, words: Words) -> ui.LayoutView:
    """List the tiles that the viewer of `view_for` has not seen in this round, and how often each number is on them."""
    left, theme = unseen(seen), table.terms.theme
    back = primary(words("hand.back"), Press("hand", table.head.match_id))
    count = words("count.tiles", n=len(left))
    lines = [f"### {words('unseen.title', tiles=count)}"]
    if not left:
        return said("\n".join([*lines, words("unseen.none")]), back)
    lines += [f"-# {words('unseen.where', list=_where(seen, words))}"]
    groups: dict[int, list[Tile]] = {}
    for tile in left:
        groups.setdefault(_lowest(tile), []).append(tile)
    for number, tiles in sorted(groups.items()):
        named = "  ".join(tile_name(tile, theme) for tile in tiles)
        lines.append(f"**{tile_name((number,), theme)}**  {named}")
    shows = {number: sum(number in tile for tile in left) for number in _numbers(seen)}
    counts = "  ".join(f"{tile_name((number,), theme)}×{times}" for number, times in shows.items())
    lines.append(words("unseen.numbers", list=counts))
    return said("\n".join(lines), back)


def _where(seen: PlayerView, words: Words) -> str:
    hidden = [seat for seat in seen.seats if seat.hand is None]
    told = {
        "board.well" if seen.rules.family == "quads" else "board.boneyard": seen.boneyard,
        "board.aside": seen.aside,
        "unseen.hands": sum(seat.tiles for seat in hidden if not seat.resigned),
        "unseen.left": sum(seat.tiles for seat in hidden if seat.resigned),
    }
    return " · ".join(words(key, count=count) for key, count in told.items() if count)


def _lowest(tile: Tile) -> int:
    """Return the lowest number of a tile; -1 for a tile without numbers."""
    return min((label for label in tile if label != WILD), default=WILD)


def _numbers(seen: PlayerView) -> list[int]:
    return sorted({label for tile in seen.rules.tiles for label in tile if label != WILD})


BOARD_FILE = "board.png"
NAME_LENGTH = 18  # letters of a name in the header of a picture
LATELY = 2200  # letters for the last turns, of the 4,000 that Discord gives a message


def captions(seen: PlayerView, event_log: EventLog, names: Names, words: Words) -> Captions:
    # A long name must not push the points out of the line.
    plain = [cut(readable(name, f"#{seat + 1}"), NAME_LENGTH) for seat, name in enumerate(names.pictured)]
    newest = event_log.newest
    # Names are escaped, so removing the Markdown of the sentence keeps the signs of a name.
    last = line(words, newest, seen.rules, list(map(safe, plain))) if newest else words("board.nothing_yet")
    if seen.ended:
        winners = [plain[seat] for seat, place in enumerate(seen.ended.places) if place == 1]
        key = "board.over" if len(winners) == 1 else "board.over_shared"
        turn = words(key, name=winners[0], names=move_labels.listed(words, winners))
    elif seen.round_over:
        turn = words("round.title", round=seen.round)
    else:
        stage = move_labels.stage(seen)
        turn = words(f"board.turn{stage}", name=plain[seen.turn], **move_labels.stage_facts(words, seen))
    last_round = seen.latched and not seen.ended
    goal = words("board.last_round") if last_round else move_labels.target_text(words, seen.rules)
    notes = [note for note in (move_labels.boneyard_text(words, seen), goal) if note]
    return Captions(
        title=move_labels.title_text(words, seen),
        subtitle=move_labels.plain(last or "").split("\n")[-1],
        turn=turn,
        note=upper_first(" · ".join(notes)),
    )


def lately(event_log: EventLog, names: Names, words: Words, theme: str = CLASSIC) -> list[str]:
    """Return the lines about the last round of turns, shortened at tables with many players."""
    rules, told = event_log.match.rules, event_log.lately()
    said = (line(words, one, rules, names.safe, theme=theme, located=True) for one in told)
    lines = [text for text in said if text]
    if len("\n".join(lines)) <= LATELY:
        return lines
    return turn_lines(words, told, rules, names.safe)


def board_alt_text(
    seen: PlayerView, event_log: EventLog, names: Names, words: Words, last: Sequence[str] | None = None
) -> str:
    """Return the alt text of the board picture; `last` are the lines of `lately`, if known."""
    return board_text.board_alt(words, seen, names.safe, lately(event_log, names, words) if last is None else last)


def told_lately(table: Table, seen: PlayerView, names: Names, words: Words) -> tuple[list[str], str]:
    """Return the lines about the last round of turns, and the board's alt text, which ends with them."""
    assert table.event_log is not None
    lines = lately(table.event_log, names, words, table.terms.theme)
    last = lines if table.terms.theme == CLASSIC else None
    return lines, board_alt_text(seen, table.event_log, names, words, last)


def board_view(
    table: Table,
    seen: PlayerView,
    names: Names,
    words: Words,
    alt: str,
    *,
    last: Sequence[str] | None = None,
    under: Sequence[Item] = (),
) -> ui.LayoutView:
    """Build the board message of a running or finished match, with the picture `board.png`.

    `last` are the lines of `lately`, if known; `under` is the open question.
    """
    assert table.event_log is not None
    told = lately(table.event_log, names, words, table.terms.theme) if last is None else last
    lines = [*told] or [words("board.nothing_yet")]
    lines.append(move_labels.whose_turn(words, seen, names.safe))
    lines += clock_lines(words, table, names.safe)
    lines += [*names.numbered(words), *programs_told(table, names, words)]
    lines.append(_footer(table, words))
    title = move_labels.title_text(words, seen)
    match_id = table.head.match_id
    # The id changes with each move, which shows how much of the log a board shows.
    scores = button(words("board.scores"), Press("scores", match_id, table.head.seq))
    if seen.ended:
        buttons = [primary(words("board.rematch"), Press("rematch", match_id)), scores]
    else:
        buttons = [primary(words("board.hand"), Press("hand", match_id))]
        if seen.by_hand:
            if seen.rules.most_draws and seen.rules.has_boneyard:
                buttons.append(button(words("board.draw"), Press("draw", match_id, table.head.seq)))
            buttons.append(button(words("board.pass"), Press("pass", match_id, table.head.seq)))
        buttons += [button(words("board.text"), Press("text", match_id)), scores]
        buttons.append(button(words("board.rules"), Press("rules", match_id)))
        buttons.append(button(words("fair.button"), Press("print", match_id)))
        buttons += [*returns(words, table), *resumes(words, table)]
    note = words("board.last_round") if seen.latched else move_labels.target_text(words, seen.rules)
    # Players may have been deleted since, so the end message says what was rated.
    rated = table.state.rated if seen.ended else table.rated
    heading = [title, note] if rated else [title, note, words("board.unrated")]
    return layout(
        ui.TextDisplay(f"### {' · '.join(heading)}"),
        picture(BOARD_FILE, alt),
        ui.TextDisplay("\n".join(lines)[:3000]),
        *rows(buttons),
        *under,
        colour=seat_colour(seen),
    )


def _footer(table: Table, words: Words) -> str:
    plays = 0 if table.event_log is None else table.event_log.plays
    return words("board.footer", match=table.head.match_id, plays=plays)


def sealed_view(table: Table, names: Names, words: Words) -> ui.LayoutView:
    """Build the public message of a sealed deal: players and turn, but no tiles."""
    match, match_id, terms = table.match, table.head.match_id, table.terms
    title = f"### {words(f'game.{terms.game}')} · {words('deal.title', deal=terms.deal)}"
    if match.ended is not None:
        lines = [title, words("deal.over", until=moment(terms.deal_until, "f"))]
        again = primary(words("board.rematch"), Press("rematch", match_id))
        buttons = [again, *end_buttons("sealed board", match_id, words)]
        return layout(ui.TextDisplay("\n".join(lines)), *rows(buttons), colour=CALM_COLOUR)
    who = words("deal.turn_of", name=names.safe[match.turn], round=match.round)
    lines = [title, words("deal.closed", until=moment(terms.deal_until, "f")), who]
    lines += [*clock_lines(words, table, names.safe), *names.numbered(words)]
    buttons = [
        primary(words("board.hand"), Press("hand", match_id)),
        button(words("board.text"), Press("text", match_id)),
        button(words("board.scores"), Press("scores", match_id, table.head.seq)),
        button(words("board.rules"), Press("rules", match_id)),
        button(words("fair.button"), Press("print", match_id)),
    ]
    return layout(ui.TextDisplay("\n".join(lines)), *rows(buttons), colour=GOLD)


def seat_colour(seen: PlayerView) -> discord.Colour:
    return CALM_COLOUR if seen.ended else discord.Colour.from_rgb(*DARK.seat(seen.turn))


def turn_content(seen: PlayerView, mention: str, words: Words, sealed: bool = False) -> str:
    """Return the line that mentions the player. It must not reveal how many tiles fit, nor a `sealed` deal."""
    if sealed:
        return words("deal.ping", mention=mention)
    if not seen.tiles:
        return words("turn.ping_opening", mention=mention, round=seen.round)
    return words("turn.ping", mention=mention, tiles=words("count.tiles", n=seen.seats[seen.turn].tiles))


def call_extras(table: Table, words: Words) -> tuple[str, list[ui.Button[Any]]]:
    time = call_time(words, table)
    return (f" {time}", [mute_button(words, table)]) if time else ("", [])


def turn_view(match_id: int, words: Words, *more: ui.Button[Any]) -> ui.View:
    view = ui.View(timeout=None)
    for item in (primary(words("board.hand"), Press("hand", match_id)), *more):
        view.add_item(item)
    view.stop()
    return view


def private_buttons(table: Table, seen: PlayerView, words: Words, *, plays: bool) -> list[Item]:
    match_id = table.head.match_id
    if seen.ended:
        return list(
            rows([primary(words("board.rematch"), Press("rematch", match_id)), *end_buttons("board", match_id, words)])
        )
    return list(
        rows(
            [
                *([primary(words("board.hand"), Press("hand", match_id))] if plays else []),
                button(words("board.text"), Press("text", match_id)),
            ]
        )
    )


def text_buttons(
    table: Table, seen: PlayerView, words: Words, *, direct: bool = False, hinted: bool = False
) -> list[ui.Button[Any]]:
    """Return the buttons under a text board: spectators have no hand, and a `direct` message cannot open tables."""
    match_id = table.head.match_id
    hand = [] if seen.mine is None else [primary(words("board.hand"), Press("hand", match_id))]
    if seen.ended:
        again = primary(words("board.rematch"), Press("rematch", match_id))
        return hand if direct else [again, *end_buttons("board", match_id, words)]
    asks = hint_button(table, seen, words, given=hinted, text=True)
    own = [] if seen.mine is None else own_buttons(table, words)
    return [*hand, button(words("hand.refresh"), Press("text", match_id)), *asks, *own]
