""" "My hand": the private message of one player, and the menus of their moves."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import discord
from discord import ui

from bot.computers.hints import hint_button
from bot.core.formats import moment, resumes
from bot.core.layout import CALM_COLOUR, Item, Press, button, layout, menu, primary, rows, said
from bot.core.names import Names
from bot.core.pictures import picture
from bot.tables import move_labels
from bot.tables.board_views import NAME_LENGTH, captions, own_buttons, own_note, seat_colour
from bot.tables.move_labels import MOST, MoveNotes, TileChoice, by_tile, tile_name, tile_token, token
from bot.tables.service import Table
from data.words import Words
from engine.board.board import Placement
from engine.board.tiles import Tile
from engine.match.event_log import EventLog
from engine.match.player_view import Move, PlayerView
from engine.table.table_state import Premove, dropped, places_stay
from render.canvas.lettering import cut, readable
from render.canvas.picture import Captions
from render.table.hand import HandWords

IF_AWAY: Final = "most"  # menu value: play the move with the most points
ASK: Final = "ask"  # in a button id: ask the player which bonus to take
LINES: Final = 25  # options in a Discord menu


def may_decide(table: Table, seat: int) -> bool:
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


def offers_most(table: Table) -> bool:
    """Return whether the computer may play a turn for a player: only where no rating is at stake."""
    return table.hints


def waiting_one(table: Table, seen: PlayerView) -> Premove | None:
    mine = own_premove(table, seen)
    return mine if mine is not None and mine.waits and dropped(table.match, mine) is None else None


def own_premove(table: Table, seen: PlayerView) -> Premove | None:
    user = None if seen.viewer is None else table.seats[seen.viewer].user_id
    return None if user is None or seen.ended else table.premoves.get(user)


def ghost_of(table: Table, seen: PlayerView) -> Placement | None:
    mine = None if seen.my_turn else waiting_one(table, seen)
    return None if mine is None else mine.placement


def premove_text(table: Table, seen: PlayerView, words: Words) -> str:
    """Describe the viewer's premove or its outcome; empty if there is none."""
    mine = own_premove(table, seen)
    if mine is None:
        return ""
    lies = mine.placement
    tile = words("premove.whatever") if lies is None else tile_name(lies.tile, table.terms.theme)
    if mine.became is not None:
        return words(f"premove.{mine.became}", tile=tile)
    place = None if lies is None else seen.place(lies.cell)
    if seen.my_turn or (lies is not None and place is None):
        return ""
    if place is None:
        return words("premove.armed_most")
    told = words("premove.armed", tile=tile, letter=place.letter)
    return f"{told} {words(f'premove.then_{mine.then}')}" if mine.then else told


def premove_items(
    table: Table, seen: PlayerView, words: Words, *, tile: Tile | None = None, chosen: Move | None = None
) -> list[Item]:
    """Return the premove menu; the places of one `tile`; or the bonus choice for the `chosen` move."""
    if seen.viewer is None or not may_decide(table, seen.viewer):
        return []
    if chosen is not None:
        return _bonus_items(table, words, chosen)
    mine, head = own_premove(table, seen), table.head
    armed = mine is not None and mine.waits
    cancel = rows([button(words("premove.cancel"), Press("unpremove", head.match_id))] * armed)
    options = _premove_options(table, seen, words, tile)
    if not options:
        return cancel
    key = "menu" if tile is not None or len(seen.moves) <= LINES else "menu_tile"
    where = "" if tile is None else words("premove.menu_place", tile=tile_name(tile, table.terms.theme))
    prompt = where or words(f"premove.{key}")
    return [menu(Press("premove", head.match_id, head.seq), prompt, options), *cancel]


def _premove_options(table: Table, seen: PlayerView, words: Words, tile: Tile | None) -> list[discord.SelectOption]:
    theme, most = table.terms.theme, []
    if tile is None and offers_most(table):
        label, about = words("premove.most"), words("premove.most_about")
        most = [discord.SelectOption(label=label, value=IF_AWAY, description=about)]
    moves = [move for move in seen.moves if tile is None or move.placement.tile == tile]
    if not places_stay(table.match):
        return most
    if tile is None and len(moves) + len(most) > LINES:
        found = [
            discord.SelectOption(
                label=words("hand.move_opening", tile=tile_name(choice.tile, theme)),
                value=tile_token(choice.tile),
                description=words("hand.tile_places", n=len({move.placement.cell for move in choice.moves})),
            )
            for choice in by_tile(seen)
        ]
    else:
        found = _premove_moves(seen, words, moves, theme)
    return [*found[: LINES - len(most)], *most]


def _premove_moves(seen: PlayerView, words: Words, moves: Sequence[Move], theme: str) -> list[discord.SelectOption]:
    notes = MoveNotes(words, seen, theme)
    return [
        discord.SelectOption(
            label=words("hand.move", tile=tile_name(move.placement.tile, theme), letter=move.letter),
            value=token(move.placement),
            description=notes.under(move) or None,
        )
        for move in moves
    ]


def _bonus_items(table: Table, words: Words, chosen: Move) -> list[Item]:
    reward, head = chosen.reward, table.head
    assert reward is not None
    labels = {
        "points": words("hand.take_points", n=reward.points),
        "tiles": words("hand.take_tiles", n=reward.tiles),
        ASK: words("premove.ask"),
    }
    tile = tile_name(chosen.placement.tile, table.terms.theme)
    buttons = [
        button(label, Press("premove", head.match_id, head.seq, f"{token(chosen.placement)}.{then}"))
        for then, label in labels.items()
    ]
    buttons.append(button(words("hand.back"), Press("hand", head.match_id)))
    told: Item = ui.TextDisplay(words("premove.choose_then", tile=tile, letter=chosen.letter))
    return [told, *rows(buttons)]


HAND_FILE = "hand.png"
MENU = 25
MENUS = 4  # with the rows of buttons below, the most that is readable on a phone


def hand_view(
    table: Table,
    seen: PlayerView,
    names: Names,
    words: Words,
    *,
    alt: str,
    note: str = "",
    own: str = "",
    quick: bool = False,
    tile: Tile | None = None,
    chosen: Move | None = None,
    direct: bool = False,
    hinted: bool = False,
) -> ui.LayoutView:
    """Build the private message: a note about the last act, the picture, and what the player can do.

    `own` is the player's note; `tile` the chosen tile when there are too many moves for one menu; `chosen` the move to
    confirm; `hinted` says that `note` is a hint. A `direct` message cannot open tables.
    """
    items: list[Item] = _note_items(note)
    paused = table.head.state == "open" and table.clock.time.paused
    stands = _paused_text(table, words) if paused else ""
    title = _title(seen, names, words, stands) + _may_undo(table, seen, names, words)
    about = [*names.numbered(words), *own_note(words, own)]
    told = "\n".join(filter(None, [title, premove_text(table, seen, words), *about]))
    items += [ui.TextDisplay(told), picture(HAND_FILE, alt)]
    ahead = premove_items(table, seen, words, tile=tile, chosen=chosen)
    if chosen is not None and not paused:
        items += _confirmation(table, seen, words, chosen) if seen.my_turn else ahead
    else:
        if seen.my_turn and not paused:
            items += _choices(table, seen, words, tile)
        items += ahead
        asks = hint_button(table, seen, words, given=hinted)
        buttons = _buttons(table, seen, words, quick=quick, back=tile is not None, direct=direct)
        items += rows([*asks, *buttons] if hinted else [*buttons, *asks])
    return layout(*items, colour=seat_colour(seen))


def hand_captions(seen: PlayerView, event_log: EventLog, names: Names, words: Words) -> Captions:
    """Return the header of the picture: that of the board, but addressed to the viewer."""
    told = captions(seen, event_log, names, words)
    if not seen.my_turn or seen.round_over:
        return told
    name = cut(readable(names.pictured[seen.turn], f"#{seen.turn + 1}"), NAME_LENGTH)
    return replace(told, turn=words("hand.picture_turn", name=name))


def picture_words(seen: PlayerView, words: Words) -> HandWords:
    held = seen.mine.tiles if seen.mine else 0
    fitting = len({move.placement.tile for move in seen.moves})
    # If nothing scores, no place is better than another.
    scoring = any(move.points for move in seen.moves)
    return HandWords(
        words("hand.best_places" if scoring else "hand.what_fits"), words("hand.fitting", n=fitting, held=held)
    )


def turn_over_view(
    table: Table, seen: PlayerView, names: Names, words: Words, *, note: str, quick: bool, until: int | None
) -> ui.LayoutView:
    """Show a player whose turn has ended a message without a picture.

    Until `until` (UTC epoch ms) the next hand appears there, so the text must stay true until then.
    """
    title = _title(seen, names, words, "") if until is None else _waiting_text(table, seen, words, until)
    title += "".join(f"\n{told}" for told in [premove_text(table, seen, words)] if told)
    title += _may_undo(table, seen, names, words)
    look = primary(words("board.hand"), Press("hand", table.head.match_id))
    buttons = [look, *_buttons(table, seen, words, quick=quick, back=False, direct=False)[1:]]
    # This message stays during other players' turns, so it has no seat's colour.
    colour = seat_colour(seen) if until is None else CALM_COLOUR
    return layout(*_note_items(note), ui.TextDisplay(title), *rows(buttons), colour=colour)


def _waiting_text(table: Table, seen: PlayerView, words: Words, until: int) -> str:
    assert seen.mine is not None
    title = f"### {words('hand.title_comes', tiles=words('count.tiles', n=seen.mine.tiles))}"
    if table.clock.time.paused:
        return f"{title}\n{_paused_text(table, words)}"
    return f"{title}\n{words('hand.comes', until=moment(until, 't'))}"


def _paused_text(table: Table, words: Words) -> str:
    return words("hand.paused" if table.state.paused_until is None else "hand.paused_together")


def hand_over_view(table: Table, seen: PlayerView | None, names: Names, words: Words, *, direct: bool) -> ui.LayoutView:
    """Replace a hand that can no longer be played from; `seen` is None for a closed table."""
    if seen is None:
        again = [] if direct else [primary(words("board.rematch"), Press("rematch", table.head.match_id))]
        return said(words("lobby.closed", reason=words(f"lobby.closed_{table.state.closed}")), *again)
    if not seen.ended:
        return said(words("hand.out"), button(words("board.text"), Press("text", table.head.match_id)))
    told = f"### {words('hand.title_over')}\n{move_labels.whose_turn(words, seen, names.safe)}"
    return said(told, *_buttons(table, seen, words, quick=False, back=False, direct=direct))


def _note_items(note: str) -> list[Item]:
    return [ui.TextDisplay(note[:2500])] if note else []


def _may_undo(table: Table, seen: PlayerView, names: Names, words: Words) -> str:
    open_turn = table.state.unsettled
    if open_turn is None or seen.mine is None or open_turn.seat != seen.mine.seat:
        return ""
    return "\n" + words("hand.may_undo", until=moment(open_turn.until, "T"), name=names.safe[seen.turn])


def _title(seen: PlayerView, names: Names, words: Words, stands: str) -> str:
    assert seen.mine is not None
    tiles = words("count.tiles", n=seen.mine.tiles)
    if seen.ended:
        return f"### {words('hand.title_over')}"
    if not seen.my_turn:
        return f"### {words('hand.title_wait', tiles=tiles, name=names.safe[seen.turn])}"
    title = f"### {words('hand.title_turn', tiles=tiles)}"
    told = stands or _task_text(seen, words)
    return f"{title}\n{told}" if told else title


def _task_text(seen: PlayerView, words: Words) -> str:
    """Return the sentence that the buttons below answer; empty if the player only chooses a move."""
    if not seen.tiles:
        return words("hand.opening")
    if seen.reward is not None:
        return words("hand.choice" if "tiles" in seen.options else "hand.choice_only")
    if seen.bonus_tiles:
        more = words("count.more_tiles", n=seen.bonus_tiles)
        return words("hand.bonus" if seen.moves else "hand.bonus_lapsed", tiles=more)
    if seen.further:
        may_stop = "hand.further" if seen.moves else "hand.further_only"
        return words(may_stop if "stop" in seen.options else "hand.further_must")
    return "" if seen.moves else _must_text(seen, words)


def _must_text(seen: PlayerView, words: Words) -> str:
    rules = seen.rules
    if seen.can_draw:
        cost = f"−{rules.draw_cost}"
        if not rules.draw_cost:
            return words("hand.must_draw_free")
        if rules.most_draws >= len(rules.tiles):
            return words("hand.must_draw_unlimited", drawn=seen.drawn, cost=cost)
        return words("hand.must_draw", drawn=seen.drawn, limit=rules.most_draws, cost=cost)
    lost = -rules.failing_costs(seen.drawn, seen.boneyard)
    return words("hand.must_pass" if lost else "hand.must_pass_free", points=move_labels.points_text(lost))


def _choices(table: Table, seen: PlayerView, words: Words, tile: Tile | None) -> list[Item]:
    options = [] if tile is not None else _options(table, seen, words)
    if seen.reward is not None:
        return rows(options)
    if not seen.moves:
        return rows(options or [_draw_or_pass(table, seen, words)])
    menus = _menus(table, seen, words, tile)
    if seen.rules.may_draw_freely and seen.tiles and (seen.can_draw or seen.drawn):
        options.append(_draw_or_pass(table, seen, words))
    return [*menus, *rows(options)]


def _options(table: Table, seen: PlayerView, words: Words) -> list[ui.Button[ui.LayoutView]]:
    points, tiles = (seen.reward.points, seen.reward.tiles) if seen.reward else (0, 0)
    labels = {
        "points": words("hand.take_points", n=points),
        "tiles": words("hand.take_tiles", n=tiles),
        "stop": words("hand.stop"),
    }
    head = table.head
    presses = {option: Press("choose", head.match_id, head.seq, option) for option in seen.options}
    return [
        (button if option == "stop" and seen.moves else primary)(labels[option], press)
        for option, press in presses.items()
    ]


def _draw_or_pass(table: Table, seen: PlayerView, words: Words) -> ui.Button[ui.LayoutView]:
    verb = "draw" if seen.can_draw else "pass"
    return primary(words(f"hand.{verb}"), Press(verb, table.head.match_id, table.head.seq))


def _menus(table: Table, seen: PlayerView, words: Words, tile: Tile | None) -> list[Item]:
    theme = table.terms.theme
    if tile is not None:
        moves = [move for move in seen.moves if move.placement.tile == tile]
        prompt = words("hand.choose_place", tile=tile_name(tile, theme))
        return _split_menu(table, words, "move", prompt, move_options(words, seen, moves, theme))
    if len(seen.moves) <= MENU:
        prompt = words("hand.choose" if seen.tiles else "hand.choose_opening")
        return _split_menu(table, words, "move", prompt, move_options(words, seen, seen.moves, theme))
    notes = MoveNotes(words, seen, theme)
    options = [_tile_option(words, seen, choice, theme, notes) for choice in by_tile(seen)]
    return _split_menu(table, words, "tile", words("hand.choose_tile"), options)


def _split_menu(
    table: Table, words: Words, verb: str, prompt: str, options: Sequence[discord.SelectOption]
) -> list[Item]:
    """Split the options into menus, best first; a Discord menu takes 25."""
    pages = [options[start : start + MENU] for start in range(0, len(options), MENU)][:MENUS]
    head = table.head
    return [
        menu(
            Press(verb, head.match_id, head.seq, "" if number == 1 else str(number)),
            prompt if len(pages) == 1 else words("hand.more", prompt=prompt, number=number, of=len(pages)),
            page,
        )
        for number, page in enumerate(pages, 1)
    ]


def move_options(words: Words, seen: PlayerView, moves: Sequence[Move], theme: str) -> list[discord.SelectOption]:
    """Return menu entries for moves, `3-3-4 → G · +60`, each with its effect, place and rotation."""
    key = "hand.move" if seen.tiles else "hand.move_opening"
    notes, options = MoveNotes(words, seen, theme), []
    for move in moves:
        label = words(key, tile=tile_name(move.placement.tile, theme), letter=move.letter)
        if seen.rules.scores_tiles:
            label += f" · {move_labels.points_text(move.points)}"
        about = notes.under(move)
        options.append(discord.SelectOption(label=label, value=token(move.placement), description=about or None))
    return options


def _tile_option(
    words: Words, seen: PlayerView, choice: TileChoice, theme: str, notes: MoveNotes
) -> discord.SelectOption:
    best = move_labels.points_text(choice.best)
    key = "hand.tile_choice" if seen.rules.scores_tiles else "hand.tile_choice_bare"
    about = [words("hand.tile_places", n=len({move.placement.cell for move in choice.moves}))]
    about += filter(None, [notes.earns(choice.moves[0])])
    return discord.SelectOption(
        label=words(key, tile=tile_name(choice.tile, theme), points=best),
        value=tile_token(choice.tile),
        description=" · ".join(about)[:MOST],
    )


def _confirmation(table: Table, seen: PlayerView, words: Words, chosen: Move) -> list[Item]:
    head, theme = table.head, table.terms.theme
    tile = tile_name(chosen.placement.tile, theme)
    sums = move_labels.arithmetic(
        words, chosen, seen.rules, tile=chosen.placement.tile, opening=not seen.tiles, drawn=seen.drawn
    )
    bare = "" if sums else "_bare"
    key = f"hand.preview{bare}" if seen.tiles else f"hand.preview_opening{bare}"
    told = words(key, tile=tile, letter=chosen.letter, arithmetic=sums)
    # The arithmetic already names the figures that the tile closes.
    about = MoveNotes(words, seen, theme)
    earned = about.earns(chosen) if chosen.reward is not None or chosen.corner else ""
    notes = filter(None, [about.where(chosen), about.lies(chosen), earned])
    play = Press("play", head.match_id, head.seq, token(chosen.placement))
    label = words(f"hand.play{bare}", points=move_labels.points_text(chosen.points))
    back = button(words("hand.back"), Press("hand", head.match_id))
    buttons = [button(label, play, style=discord.ButtonStyle.success), back]
    return [ui.TextDisplay(" · ".join([told, *notes])), *rows(buttons)]


def _buttons(
    table: Table, seen: PlayerView, words: Words, *, quick: bool, back: bool, direct: bool
) -> list[ui.Button[ui.LayoutView]]:
    match_id = table.head.match_id
    text = button(words("hand.text"), Press("text", match_id))
    if seen.ended:
        return [text] if direct else [primary(words("board.rematch"), Press("rematch", match_id))]
    buttons = [button(words("hand.back" if back else "hand.refresh"), Press("hand", match_id)), text]
    switch = "off" if quick else "on"
    buttons.append(button(words(f"hand.quick_{switch}"), Press("quick", match_id, argument=switch)))
    buttons += [*resumes(words, table), *own_buttons(table, words)]
    if seen.can_take_back and seen.mine is not None and table.state.takes_back(seen.mine.seat, seen.turn):
        buttons.append(button(words("hand.undo"), Press("undo", match_id, table.head.seq)))
    return buttons
