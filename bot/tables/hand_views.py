""" "My hand": the private message of one player, and the menus of their moves."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import discord
from discord import ui

from bot.computers.hints import build_hint_buttons
from bot.core.layout import (
    CALM_COLOUR,
    CustomId,
    Item,
    build_button,
    build_layout,
    build_menu,
    build_primary_button,
    build_rows,
    build_text_view,
    format_timestamp,
)
from bot.core.names import SeatNames
from bot.core.pictures import build_gallery
from bot.tables.board_views import NAME_LENGTH, build_captions, choose_seat_colour, format_own_note
from bot.tables.move_labels import (
    MAX_DESCRIPTION,
    MoveNotes,
    TileChoice,
    encode_placement,
    encode_tile,
    format_arithmetic,
    format_points,
    format_shortcut,
    format_tile,
    format_turn,
    group_moves_by_tile,
)
from bot.tables.service import Table
from data.words import Words
from engine.board.board import Placement
from engine.board.tiles import Tile
from engine.match.event_log import EventLog
from engine.match.following import FollowUpProbe
from engine.match.player_view import Move, PlayerView
from engine.match.rules import Reward
from engine.table.table_state import Premove, find_drop_reason, has_stable_places
from render.canvas.lettering import clean_text, truncate
from render.canvas.picture import Captions
from render.table.hand import HandWords

MAX_POINTS: Final = "most"  # menu value: play the move with the most points
MORE_MOVES: Final = "more"  # menu value: show the menu of tiles, which leads to all moves
ASK_BONUS: Final = "ask"  # in a button id: ask the player which bonus to take
MAX_PREMOVE_OPTIONS: Final = 25  # options in a Discord menu


def can_set_premove(table: Table, seat: int) -> bool:
    """Return whether the player on a seat may set a premove now: they wait for their turn, and play themselves."""
    match = table.match
    return (
        table.head.state == "open"
        and match.ended is None
        and match.turn != seat
        and seat in match.active
        and bool(match.board.placed)
        and not table.clock.time.paused
        and seat not in table.clock.standins
        and not table.terms.guided
    )


def can_computer_play(table: Table) -> bool:
    """Return whether the computer may play a turn for a player: only where no rating is at stake."""
    return table.has_hints


def find_waiting_premove(table: Table, view: PlayerView) -> Premove | None:
    premove = find_own_premove(table, view)
    is_possible = premove is not None and premove.is_waiting and find_drop_reason(table.match, premove) is None
    return premove if is_possible else None


def find_own_premove(table: Table, view: PlayerView) -> Premove | None:
    user = None if view.viewer is None else table.seats[view.viewer].user_id
    return None if user is None or view.ended else table.premoves.get(user)


def find_ghost(table: Table, view: PlayerView) -> Placement | None:
    premove = None if view.is_own_turn else find_waiting_premove(table, view)
    return None if premove is None else premove.placement


def format_premove(table: Table, view: PlayerView, words: Words) -> str:
    """Describe the viewer's premove or its outcome; empty if there is none."""
    premove = find_own_premove(table, view)
    if premove is None:
        return ""
    placement = premove.placement
    tile = words("premove.whatever") if placement is None else format_tile(placement.tile, table.terms.theme)
    if premove.became is not None:
        return words(f"premove.{premove.became}", tile=tile)
    place = None if placement is None else view.find_place(placement.cell)
    if view.is_own_turn or (placement is not None and place is None):
        return ""
    if place is None:
        return words("premove.armed_most")
    text = words("premove.armed", tile=tile, letter=place.letter)
    return f"{text} {words(f'premove.then_{premove.then}')}" if premove.then else text


def build_premove_items(
    table: Table, view: PlayerView, words: Words, *, tile: Tile | None = None, chosen: Move | None = None
) -> list[Item]:
    """Return the premove menu; the places of one `tile`; or the bonus choice for the `chosen` move."""
    if view.viewer is None or not can_set_premove(table, view.viewer):
        return []
    if chosen is not None:
        return _build_bonus_items(table, words, chosen)
    premove, head = find_own_premove(table, view), table.head
    is_armed = premove is not None and premove.is_waiting
    cancel = build_rows([build_button(words("premove.cancel"), CustomId("unpremove", head.match_id))] * is_armed)
    options = _build_premove_options(table, view, words, tile)
    if not options:
        return cancel
    key = "menu" if tile is not None or len(view.moves) <= MAX_PREMOVE_OPTIONS else "menu_tile"
    where = "" if tile is None else words("premove.menu_place", tile=format_tile(tile, table.terms.theme))
    prompt = where or words(f"premove.{key}")
    return [build_menu(CustomId("premove", head.match_id, head.seq), prompt, options), *cancel]


def _build_premove_options(
    table: Table, view: PlayerView, words: Words, tile: Tile | None
) -> list[discord.SelectOption]:
    theme, most_points = table.terms.theme, []
    if tile is None and can_computer_play(table):
        label, about = words("premove.most"), words("premove.most_about")
        most_points = [discord.SelectOption(label=label, value=MAX_POINTS, description=about)]
    moves = [move for move in view.moves if tile is None or move.placement.tile == tile]
    if not has_stable_places(table.match):
        return most_points
    if tile is None and len(moves) + len(most_points) > MAX_PREMOVE_OPTIONS:
        found = []
        for choice in group_moves_by_tile(view):
            label = words("hand.move_opening", tile=format_tile(choice.tile, theme))
            about = _count_places(words, choice)
            found.append(discord.SelectOption(label=label, value=encode_tile(choice.tile), description=about))
    else:
        found = build_move_options(words, view, moves, theme, with_points=False)
    return [*found[: MAX_PREMOVE_OPTIONS - len(most_points)], *most_points]


def _build_bonus_items(table: Table, words: Words, chosen: Move) -> list[Item]:
    reward, head = chosen.reward, table.head
    assert reward is not None
    labels = {
        "points": words("hand.take_points", n=reward.points),
        "tiles": words("hand.take_tiles", n=reward.tiles),
        ASK_BONUS: words("premove.ask"),
    }
    tile, placement = format_tile(chosen.placement.tile, table.terms.theme), encode_placement(chosen.placement)
    buttons = [
        build_button(label, CustomId("premove", head.match_id, head.seq, f"{placement}.{then}"))
        for then, label in labels.items()
    ]
    buttons.append(build_button(words("hand.back"), CustomId("hand", head.match_id)))
    prompt: Item = ui.TextDisplay(words("premove.choose_then", tile=tile, letter=chosen.letter))
    return [prompt, *build_rows(buttons)]


HAND_FILE = "hand.png"
MENU_SIZE = 25
MAX_BEST_MOVES: Final = 3  # moves with a button; with a bonus to choose, a move has two
MAX_MENUS = 4  # with the rows of buttons below, the most that is readable on a phone


def build_hand_view(
    table: Table,
    view: PlayerView,
    names: SeatNames,
    words: Words,
    *,
    alt: str,
    note: str = "",
    player_note: str = "",
    by_tile: bool = False,
    tile: Tile | None = None,
    chosen: Move | None = None,
    direct: bool = False,
    hinted: bool = False,
) -> ui.LayoutView:
    """Build the private message: a note about the last act, the picture, and what the player can do.

    `player_note` is the player's note; `by_tile` asks for a tile and `tile` is the chosen one, when there are too many
    moves for one menu; `chosen` is the move to confirm; `hinted` says that `note` is a hint. A `direct` message cannot
    open tables.
    """
    items: list[Item] = _build_note_items(note)
    paused = table.head.state == "open" and table.clock.time.paused
    pause_text = _format_paused(table, words) if paused else ""
    title = _format_title(view, names, words, pause_text) + _format_undo_offer(table, view, names, words)
    about = [*names.explain_numbers(words), *format_own_note(words, player_note)]
    text = "\n".join(filter(None, [title, format_premove(table, view, words), *about]))
    items += [ui.TextDisplay(text), build_gallery(HAND_FILE, alt)]
    premove_menu = build_premove_items(table, view, words, tile=tile, chosen=chosen)
    if chosen is not None and not paused:
        items += _build_confirmation(table, view, words, chosen) if view.is_own_turn else premove_menu
    else:
        if view.is_own_turn and not paused:
            items += _build_choices(table, view, words, tile, by_tile=by_tile)
        items += premove_menu
        hint_buttons = build_hint_buttons(table, view, words, is_given=hinted)
        buttons = _build_buttons(table, view, words, back=by_tile or tile is not None, direct=direct)
        items += build_rows([*hint_buttons, *buttons] if hinted else [*buttons, *hint_buttons])
    return build_layout(*items, colour=choose_seat_colour(view))


def build_hand_captions(view: PlayerView, event_log: EventLog, names: SeatNames, words: Words) -> Captions:
    """Return the header of the picture: that of the board, but addressed to the viewer."""
    board_captions = build_captions(view, event_log, names, words)
    if not view.is_own_turn or view.round_over:
        return board_captions
    name = truncate(clean_text(names.picture_names[view.turn], f"#{view.turn + 1}"), NAME_LENGTH)
    return replace(board_captions, turn=words("hand.picture_turn", name=name))


def build_picture_words(view: PlayerView, words: Words) -> HandWords:
    held = view.own_seat.tiles if view.own_seat else 0
    fitting = len({move.placement.tile for move in view.moves})
    # If nothing scores, no place is better than another.
    scoring = any(move.points for move in view.moves)
    title = words("hand.best_places" if scoring else "hand.what_fits")
    return HandWords(title, words("hand.fitting", n=fitting, held=held))


def build_turn_over_view(
    table: Table, view: PlayerView, names: SeatNames, words: Words, *, note: str, until: int | None
) -> ui.LayoutView:
    """Show a player whose turn has ended a message without a picture.

    Until `until` (UTC epoch ms) the next hand appears there, so the text must stay true until then.
    """
    title = _format_title(view, names, words, "") if until is None else _format_waiting(table, view, words, until)
    title += "".join(f"\n{premove_line}" for premove_line in [format_premove(table, view, words)] if premove_line)
    title += _format_undo_offer(table, view, names, words)
    look = build_primary_button(words("board.hand"), CustomId("hand", table.head.match_id))
    buttons = [look, *_build_buttons(table, view, words)[1:]]
    # This message stays during other players' turns, so it has no seat's colour.
    colour = choose_seat_colour(view) if until is None else CALM_COLOUR
    return build_layout(*_build_note_items(note), ui.TextDisplay(title), *build_rows(buttons), colour=colour)


def _format_waiting(table: Table, view: PlayerView, words: Words, until: int) -> str:
    assert view.own_seat is not None
    title = f"### {words('hand.title_comes', tiles=words('count.tiles', n=view.own_seat.tiles))}"
    if table.clock.time.paused:
        return f"{title}\n{_format_paused(table, words)}"
    return f"{title}\n{words('hand.comes', until=format_timestamp(until, 't'))}"


def _format_paused(table: Table, words: Words) -> str:
    return words("hand.paused" if table.state.paused_until is None else "hand.paused_together")


def build_hand_over_view(
    table: Table, view: PlayerView | None, names: SeatNames, words: Words, *, direct: bool
) -> ui.LayoutView:
    """Replace a hand that can no longer be played from; `view` is None for a closed table."""
    match_id = table.head.match_id
    if view is None:
        again = build_primary_button(words("board.rematch"), CustomId("rematch", match_id))
        text = words("lobby.closed", reason=words(f"lobby.closed_{table.state.close_reason}"))
        return build_text_view(text, *([] if direct else [again]))
    if not view.ended:
        return build_text_view(words("hand.out"), build_button(words("board.text"), CustomId("text", match_id)))
    text = f"### {words('hand.title_over')}\n{format_turn(words, view, names.escaped)}"
    return build_text_view(text, *_build_buttons(table, view, words, direct=direct))


def _build_note_items(note: str) -> list[Item]:
    return [ui.TextDisplay(note[:2500])] if note else []


def _format_undo_offer(table: Table, view: PlayerView, names: SeatNames, words: Words) -> str:
    """Say until when the last turn can be undone, to the player who made it and to the next one; else empty."""
    open_turn = table.state.tentative_turn
    if open_turn is None or view.viewer not in (open_turn.seat, view.turn):
        return ""
    key, other = ("may_undo", view.turn) if view.viewer == open_turn.seat else ("other_may_undo", open_turn.seat)
    return "\n" + words(f"hand.{key}", until=format_timestamp(open_turn.until, "T"), name=names.escaped[other])


def _format_title(view: PlayerView, names: SeatNames, words: Words, pause_text: str) -> str:
    assert view.own_seat is not None
    tiles = words("count.tiles", n=view.own_seat.tiles)
    if view.ended:
        return f"### {words('hand.title_over')}"
    if not view.is_own_turn:
        return f"### {words('hand.title_wait', tiles=tiles, name=names.escaped[view.turn])}"
    title = f"### {words('hand.title_turn', tiles=tiles)}"
    subtitle = pause_text or _format_task(view, words)
    return f"{title}\n{subtitle}" if subtitle else title


def _format_task(view: PlayerView, words: Words) -> str:
    """Return the sentence that the buttons below answer; empty if the player only chooses a move."""
    if not view.tiles:
        return words("hand.opening")
    if view.reward is not None:
        return words("hand.choice" if "tiles" in view.options else "hand.choice_only")
    if view.bonus_tiles:
        more = words("count.more_tiles", n=view.bonus_tiles)
        return words("hand.bonus" if view.moves else "hand.bonus_lapsed", tiles=more)
    if view.further:
        may_stop = "hand.further" if view.moves else "hand.further_only"
        return words(may_stop if "stop" in view.options else "hand.further_must")
    return "" if view.moves else _format_obligation(view, words)


def _format_obligation(view: PlayerView, words: Words) -> str:
    rules = view.rules
    if view.can_draw:
        cost = f"−{rules.draw_cost}"
        if not rules.draw_cost:
            return words("hand.must_draw_free")
        if rules.max_draws >= len(rules.tiles):
            return words("hand.must_draw_unlimited", drawn=view.drawn, cost=cost)
        return words("hand.must_draw", drawn=view.drawn, limit=rules.max_draws, cost=cost)
    lost = -rules.compute_failed_turn_cost(view.drawn, view.boneyard)
    return words("hand.must_pass" if lost else "hand.must_pass_free", points=format_points(lost))


def _build_choices(table: Table, view: PlayerView, words: Words, tile: Tile | None, *, by_tile: bool) -> list[Item]:
    options = [] if tile is not None else _build_option_buttons(table, view, words)
    if view.reward is not None:
        return build_rows(options)
    if not view.moves:
        return build_rows(options or [_build_turn_button(table, view, words)])
    best_moves = [] if by_tile or tile is not None else _build_best_moves(table, view, words)
    menus = _build_menus(table, view, words, tile, by_tile=by_tile)
    if view.rules.may_draw_freely and view.tiles and (view.can_draw or view.drawn):
        options.append(_build_turn_button(table, view, words))
    return [*build_rows(best_moves), *menus, *build_rows(options)]


def _build_best_moves(table: Table, view: PlayerView, words: Words) -> list[ui.Button[ui.LayoutView]]:
    """Return the buttons that play the best moves at once. If a bonus can be taken in two ways, each has a button."""
    head, following, buttons = table.head, FollowUpProbe(view), []
    for move in view.moves[:MAX_BEST_MOVES]:
        reward, placement = move.reward or Reward(0, 0), encode_placement(move.placement)
        endings = {placement: format_shortcut(words, view, move, table.terms.theme, bonus=reward.points)}
        if not reward.both and following.can_take_tiles(move):
            tiles = words("count.more_tiles", n=reward.tiles)
            without = format_shortcut(words, view, move, table.terms.theme)
            endings = {f"{placement}.points": endings[placement], f"{placement}.tiles": f"{without} · {tiles}"}
        for argument, label in endings.items():
            buttons.append(build_primary_button(label, CustomId("play", head.match_id, head.seq, argument)))
    return buttons


def _build_option_buttons(table: Table, view: PlayerView, words: Words) -> list[ui.Button[ui.LayoutView]]:
    reward, head, buttons = view.reward or Reward(0, 0), table.head, []
    labels = {"points": words("hand.take_points", n=reward.points), "tiles": words("hand.take_tiles", n=reward.tiles)}
    for option in view.options:
        build = build_button if option == "stop" and view.moves else build_primary_button
        label = words("hand.stop") if option == "stop" else labels[option]
        buttons.append(build(label, CustomId("choose", head.match_id, head.seq, option)))
    return buttons


def _build_turn_button(table: Table, view: PlayerView, words: Words) -> ui.Button[ui.LayoutView]:
    verb, head = "draw" if view.can_draw else "pass", table.head
    # What the rules force waits while the turn before can be undone. Looking at the hand ends that.
    waits = table.state.tentative_turn is not None and not view.by_hand and not view.moves
    # Discord refuses two buttons with one custom id, and *Refresh* has none of these arguments.
    press = CustomId("hand", head.match_id, argument=verb) if waits else CustomId(verb, head.match_id, head.seq)
    return build_primary_button(words(f"hand.{verb}"), press)


def list_menu_moves(view: PlayerView) -> Sequence[Move]:
    """Return the moves of the menu, best first: all, or those that fit above *More*."""
    return view.moves if len(view.moves) <= MENU_SIZE else view.moves[: MENU_SIZE - 1]


def _build_menus(table: Table, view: PlayerView, words: Words, tile: Tile | None, *, by_tile: bool) -> list[Item]:
    theme = table.terms.theme
    if tile is not None:
        moves = [move for move in view.moves if move.placement.tile == tile]
        prompt = words("hand.choose_place", tile=format_tile(tile, theme))
        return _split_menu(table, words, "move", prompt, build_move_options(words, view, moves, theme))
    if not by_tile:
        prompt, listed = words("hand.choose" if view.tiles else "hand.choose_opening"), list_menu_moves(view)
        options = build_move_options(words, view, listed, theme)
        if left := len(view.moves) - len(listed):
            options.append(discord.SelectOption(label=words("hand.more_moves", n=left), value=MORE_MOVES))
        return _split_menu(table, words, "move", prompt, options)
    notes = MoveNotes(words, view, theme)
    options = [_build_tile_option(words, view, choice, theme, notes) for choice in group_moves_by_tile(view)]
    return _split_menu(table, words, "tile", words("hand.choose_tile"), options)


def _split_menu(
    table: Table, words: Words, verb: str, prompt: str, options: Sequence[discord.SelectOption]
) -> list[Item]:
    """Split the options into menus, best first; a Discord menu takes 25."""
    pages = [options[start : start + MENU_SIZE] for start in range(0, len(options), MENU_SIZE)][:MAX_MENUS]
    head = table.head
    return [
        build_menu(
            CustomId(verb, head.match_id, head.seq, "" if number == 1 else str(number)),
            prompt if len(pages) == 1 else words("hand.more", prompt=prompt, number=number, of=len(pages)),
            page,
        )
        for number, page in enumerate(pages, 1)
    ]


def build_move_options(
    words: Words, view: PlayerView, moves: Sequence[Move], theme: str, *, with_points: bool = True
) -> list[discord.SelectOption]:
    """Return menu entries for moves, `3-3-4 → G · +60`, each with its effect, place and rotation."""
    key = "hand.move" if view.tiles else "hand.move_opening"
    notes, options = MoveNotes(words, view, theme), []
    for move in moves:
        label = words(key, tile=format_tile(move.placement.tile, theme), letter=move.letter)
        if with_points and view.rules.scores_tiles:
            label += f" · {format_points(move.points)}"
        value, about = encode_placement(move.placement), notes.format_note(move) or None
        options.append(discord.SelectOption(label=label, value=value, description=about))
    return options


def _build_tile_option(
    words: Words, view: PlayerView, choice: TileChoice, theme: str, notes: MoveNotes
) -> discord.SelectOption:
    key = "hand.tile_choice" if view.rules.scores_tiles else "hand.tile_choice_bare"
    label = words(key, tile=format_tile(choice.tile, theme), points=format_points(choice.best_points))
    about = " · ".join(filter(None, [_count_places(words, choice), notes.format_gains(choice.moves[0])]))
    return discord.SelectOption(label=label, value=encode_tile(choice.tile), description=about[:MAX_DESCRIPTION])


def _count_places(words: Words, choice: TileChoice) -> str:
    return words("hand.tile_places", n=len({move.placement.cell for move in choice.moves}))


def _build_confirmation(table: Table, view: PlayerView, words: Words, chosen: Move) -> list[Item]:
    head, theme = table.head, table.terms.theme
    tile = format_tile(chosen.placement.tile, theme)
    sums = format_arithmetic(words, chosen, view.rules, opening=not view.tiles, drawn=view.drawn)
    bare = "" if sums else "_bare"
    key = f"hand.preview{bare}" if view.tiles else f"hand.preview_opening{bare}"
    preview = words(key, tile=tile, letter=chosen.letter, arithmetic=sums)
    # The arithmetic already names the figures that the tile closes.
    about = MoveNotes(words, view, theme)
    earned = about.format_gains(chosen) if chosen.reward is not None or chosen.corner else ""
    notes = filter(None, [about.format_location(chosen), about.format_rotation(chosen), earned])
    play = CustomId("play", head.match_id, head.seq, encode_placement(chosen.placement))
    label = words(f"hand.play{bare}", points=format_points(chosen.points))
    back = build_button(words("hand.back"), CustomId("hand", head.match_id))
    buttons = [build_button(label, play, style=discord.ButtonStyle.success), back]
    return [ui.TextDisplay(" · ".join([preview, *notes])), *build_rows(buttons)]


def _build_buttons(
    table: Table, view: PlayerView, words: Words, *, back: bool = False, direct: bool = False
) -> list[ui.Button[ui.LayoutView]]:
    match_id = table.head.match_id
    text = build_button(words("hand.text"), CustomId("text", match_id))
    if view.ended:
        return [text] if direct else [build_primary_button(words("board.rematch"), CustomId("rematch", match_id))]
    buttons = [build_button(words("hand.back" if back else "hand.refresh"), CustomId("hand", match_id)), text]
    if table.terms.guided:
        return buttons[:1] * back  # a lesson offers nothing but its moves and hints
    user_id = None if view.viewer is None else table.seats[view.viewer].user_id
    setting = "off" if user_id is not None and table.get_person(user_id).quick else "on"
    buttons.append(build_button(words(f"hand.quick_{setting}"), CustomId("quick", match_id, argument=setting)))
    if table.state.paused_until is not None:
        buttons.append(build_primary_button(words("agree.resume"), CustomId("resume", match_id)))
    buttons.append(build_button(words("unseen.button"), CustomId("unseen", match_id)))
    buttons.append(build_button(words("note.button"), CustomId("note", match_id)))
    if view.can_undo and view.own_seat is not None and table.state.can_undo(view.own_seat.seat, view.turn):
        buttons.append(build_button(words("hand.undo"), CustomId("undo", match_id, table.head.seq)))
    return buttons
