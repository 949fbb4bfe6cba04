"""Message contents: views and their pictures, drawn outside the event loop."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import discord
from discord import ui

from bot.computers import hints
from bot.computers.hints import Advice
from bot.core.discord_errors import UNKNOWN_CHANNEL
from bot.core.formats import format_clock_lines
from bot.core.layout import (
    CustomId,
    Item,
    build_button,
    build_layout,
    build_plain_view,
    build_rows,
    build_text_view,
    format_board_link,
)
from bot.core.names import NameCache, SeatNames
from bot.core.permissions import REQUIRED
from bot.core.pictures import PictureCache, build_file, build_gallery, draw_in_thread
from bot.tables import agreement_views, board_text, end_views, fairness_views, lobby_views, move_labels
from bot.tables import board_views as board
from bot.tables import hand_views as hand
from bot.tables.board_text import embed_move_targets
from bot.tables.board_views import format_own_note
from bot.tables.end_views import MATCH_FILE, MatchCard
from bot.tables.hand_views import find_ghost, format_premove
from bot.tables.rules_text import format_rules, format_set_chart
from bot.tables.service import Table
from data.store.log.match_values import Head
from data.store.store import Store
from data.words import Words
from engine.board.tiles import Tile
from engine.match.events import Undone
from engine.match.player_view import Move, PlayerView, view_for
from engine.match.rules import Rules
from engine.table.table_events import is_sealed
from engine.table.terms import CLASSIC
from render.canvas.picture import Picture
from render.table.hand import render_hand
from render.table.rules_page import list_diagrams, render_rules
from render.table.set_chart import render_set_chart
from render.table.table_picture import render_table


def build_closed_channel_notice(head: Head, code: int, words: Words) -> tuple[ui.View, str]:
    """Explain by Discord's error code why the channel is closed, with a button that also works in a direct message."""
    game = words(f"game.{head.game}")
    if code == UNKNOWN_CHANNEL:
        content = words("trouble.gone", match=head.match_id, game=game)
    else:
        needed = move_labels.format_list(words, [f"*{words(f'permission.{flag}')}*" for flag in REQUIRED])
        content = words("trouble.closed", game=game, link=format_board_link(head), needed=needed)
    label, verb = ("lobby.rules", "rules") if head.state == "lobby" else ("board.text", "text")
    return build_plain_view(build_button(words(label), CustomId(verb, head.match_id))), content


RULES_FILE, CHART_FILE = "rules.png", "tiles.png"


@dataclass(frozen=True, slots=True)
class Content:
    """A message to send or edit. Its files can be sent once."""

    view: ui.LayoutView
    files: list[discord.File] = field(default_factory=list)


class MessageBuilder:
    def __init__(self, store: Store, names: NameCache, words: Words, scheme: str, boards: PictureCache) -> None:
        """`scheme` is the colour scheme of all pictures, one of `render.SCHEMES`."""
        self._store = store
        self._names = names
        self.words = words
        self.scheme = scheme
        self._boards = boards

    async def build_public(self, table: Table) -> Content:
        words = self.words
        names = await self.load_names(table)
        if table.head.state == "void":
            reason = words(f"lobby.closed_{table.state.close_reason}")
            return Content(lobby_views.build_closed_view(table, reason, words))
        if table.event_log is None:
            head, reserved_users = table.head, list(table.guests.reserved_until)
            names_by_user = await self._names.resolve_names(head.guild_id, [head.host_id, *reserved_users], words)
            reserved_names = {user_id: names_by_user[user_id] for user_id in reserved_users}
            host, programs = names_by_user[head.host_id], self._names.programs
            return Content(lobby_views.build_lobby_view(table, names, host, reserved_names, words, programs))
        if is_sealed(table.state):
            return Content(board.build_sealed_view(table, names, words))
        player_view = view_for(table.match, None)
        last, alt = board.format_turns_and_alt(table, player_view, names, words)
        captions = board.build_captions(player_view, table.event_log, names, words)
        match_id, inputs = table.head.match_id, (player_view, names.picture_names, captions)
        theme, scheme = table.terms.theme, self.scheme
        image = await self._boards.draw_cached(match_id, render_table, *inputs, theme=theme, scheme=scheme)
        question = await self._build_question(table, names)
        view = board.build_board_view(table, player_view, names, words, alt, last=last, extra_items=question)
        return Content(view, [build_file(board.BOARD_FILE, image, alt)])

    async def _build_question(self, table: Table, names: SeatNames) -> list[Item]:
        question = table.question
        if question is None:
            return []
        person = await self._names.resolve_newcomer_name(table, question.person, self.words)
        return agreement_views.build_question_items(table, question, names, person, self.words)

    async def build_round_end(self, table: Table, opener: int) -> Content:
        assert table.event_log is not None
        words, event_log = self.words, table.event_log
        names, player_view = await self.load_names(table), view_for(event_log.match, None)
        alt = end_views.format_alt_with_hands(player_view, event_log, names, words)
        image = await self._draw_board(table, player_view, names)
        view = end_views.build_round_view(table.head.match_id, event_log, names, words, alt, opener)
        return Content(view, [build_file(board.BOARD_FILE, image, alt)])

    async def build_match_end(
        self,
        table: Table,
        extra_items: Sequence[Item] = (),
        *,
        seat: int | None = None,
        note: str = "",
        direct: bool = False,
    ) -> Content:
        """Show the end of the match, and the items `extra_items` below it. With `seat`, to its player in private."""
        assert table.event_log is not None
        player_view, names = view_for(table.match, seat), await self.load_names(table)
        is_lesson = table.terms.guided and seat is not None
        lesson = fairness_views.format_lesson_end(self.words, player_view, names) if is_lesson else ()
        card = MatchCard(player_view, table.event_log, names, self.words)
        image, alt = await draw_in_thread(card.render, theme=table.terms.theme, scheme=self.scheme), card.format_alt()
        results = await self._store.results.list_results(table.head.match_id)
        facts = (table, player_view, names, self.words, alt, results, extra_items)
        view = end_views.build_match_view(*facts, note=note, lesson=lesson, direct=direct)
        return Content(view, [build_file(MATCH_FILE, image, alt)])

    def build_call(self, table: Table, user_id: int) -> tuple[str, ui.View]:
        view, sealed = view_for(table.match, None), is_sealed(table.state)
        content = board.format_turn_call(view, f"<@{user_id}>", self.words, sealed)
        time, more = board.build_call_extras(table, self.words)
        return content + time, board.build_turn_view(table.head.match_id, self.words, *more)

    def build_direct_call(self, table: Table) -> tuple[ui.View, str]:
        game = self.words(f"game.{table.terms.game}")
        content = self.words("direct.call", game=game, link=format_board_link(table.head))
        time, more = board.build_call_extras(table, self.words)
        return board.build_turn_view(table.head.match_id, self.words, *more), content + time

    def build_closed(self, head: Head, code: int) -> tuple[ui.View, str]:
        return build_closed_channel_notice(head, code, self.words)

    def build_moved(self, link: str) -> ui.LayoutView:
        return build_text_view(self.words("board.moved_on", link=link))

    async def build_hand(
        self,
        table: Table,
        seat: int,
        *,
        note: str = "",
        by_tile: bool = False,
        tile: Tile | None = None,
        chosen: Move | None = None,
        direct: bool = False,
        hinted: bool = False,
        with_lesson: bool = True,
    ) -> Content:
        """Build "My hand" for the user on this seat. `hinted`: the note is a hint.

        A guided game adds a lesson, unless the note is a hint, which may suggest another move.
        """
        assert table.event_log is not None
        words, event_log = self.words, table.event_log
        names = await self.load_names(table)
        player_view = view_for(table.match, seat)
        if player_view.ended and not is_sealed(table.state):
            return await self.build_match_end(table, seat=seat, note=note, direct=direct)
        if table.terms.guided:
            lesson = fairness_views.format_lesson(words, player_view, event_log) if with_lesson else ""
            note = "\n".join(filter(None, [note, lesson]))
        fitting = [move for move in player_view.moves if tile is None or move.placement.tile == tile]
        offered = fitting if tile is not None else hand.list_menu_moves(player_view)
        tiles_first = by_tile and tile is None
        cells = {move.placement.cell for move in fitting}
        captions = hand.build_hand_captions(player_view, event_log, names, words)

        def draw() -> discord.File:
            image = render_hand(
                player_view,
                names.picture_names,
                captions,
                words=hand.build_picture_words(player_view, words),
                letters=cells,
                picked=chosen.placement.tile if chosen else tile,
                ghost=chosen.placement if chosen else find_ghost(table, player_view),
                theme=table.terms.theme,
                scheme=self.scheme,
            )
            head = table.head
            written = embed_move_targets(image, head, player_view, offered, tiles_first=tiles_first, chosen=chosen)
            return build_file(hand.HAND_FILE, written, alt)

        board_alt = board.format_full_board_alt(player_view, event_log, names, words)
        alt = board_text.format_hand_alt(words, player_view, board_alt)
        picture_file = await draw_in_thread(draw)
        view = hand.build_hand_view(
            table,
            player_view,
            names,
            words,
            alt=alt,
            note=note,
            player_note=await self._load_note(table, player_view),
            by_tile=by_tile,
            tile=tile,
            chosen=chosen,
            direct=direct,
            hinted=hinted,
        )
        return Content(view, [picture_file])

    async def build_hint(self, table: Table, seat: int, advice: Advice, *, move: bool, direct: bool) -> Content:
        """Build "My hand" with a hint: where to look, or the `move` itself, shown in the picture and playable."""
        words, view = self.words, view_for(table.match, seat)
        if not move:
            note = hints.format_hint_location(table, view, words, advice)
            return await self.build_hand(table, seat, note=note, direct=direct, hinted=True, with_lesson=False)
        names, chosen = await self.load_names(table), advice.hint.move
        note = hints.format_reasons(table, view, words, advice, names, with_move=chosen is None)
        return await self.build_hand(table, seat, note=note, direct=direct, chosen=chosen, with_lesson=False)

    async def build_text_hint(self, table: Table, seat: int, advice: Advice, *, move: bool, direct: bool) -> Content:
        words, view = self.words, view_for(table.match, seat)
        if not move:
            note = hints.format_hint_location(table, view, words, advice)
            return await self.build_text_board(table, seat, direct=direct, note=note, hinted=True)
        note = hints.format_reasons(table, view, words, advice, await self.load_names(table), with_move=True)
        play = hints.build_play_button(table, view, words, advice)
        return await self.build_text_board(table, seat, direct=direct, note=note, first=[play])

    async def build_act_answer(
        self, table: Table, seat: int, *, note: str, direct: bool = False, until: int | None = None
    ) -> Content:
        """Build the answer to a player's act: their hand while it is still their turn or the match is over.

        Otherwise no picture is drawn until they look, or until their turn before `until`.
        """
        view = view_for(table.match, seat)
        if view.is_own_turn or view.ended:
            return await self.build_hand(table, seat, note=note, direct=direct)
        return await self.build_waiting(table, seat, until=until, note=note)

    async def build_next_hand(self, table: Table, seat: int, *, direct: bool) -> Content:
        """Build the hand of a player whose turn has come, with the events since their last one."""
        assert table.event_log is not None
        names = await self.load_names(table)
        note = "\n".join(board.format_recent_turns(table.event_log, names, self.words, table.terms.theme, seat))
        return await self.build_hand(table, seat, note=note, direct=direct)

    async def build_waiting(self, table: Table, seat: int, *, until: int | None, note: str = "") -> Content:
        """Build the message of a player whose turn has ended, or to whose turn the turn before was undone."""
        assert table.event_log is not None
        view, names, latest = view_for(table.match, seat), await self.load_names(table), table.event_log.latest_event
        if not note and latest is not None and isinstance(latest.event, Undone):
            note = board_text.format_event(self.words, latest, view.rules, names.escaped) or ""
        return Content(hand.build_turn_over_view(table, view, names, self.words, note=note, until=until))

    async def build_hand_over(self, table: Table, seat: int | None, why: str, *, direct: bool) -> Content:
        """Replace a hand that can no longer be played from: the match is over or closed, or the player has left."""
        view = None if why == "closed" else view_for(table.match, seat)
        if view is not None and view.ended and seat is not None and not is_sealed(table.state):
            return await self.build_match_end(table, seat=seat, direct=direct)
        names = await self.load_names(table)
        return Content(hand.build_hand_over_view(table, view, names, self.words, direct=direct))

    async def build_board(self, table: Table, *, is_player: bool, note: str = "") -> Content:
        """Build the board for one user, who `is_player` or watches, without the public buttons."""
        assert table.event_log is not None
        words, view, names = self.words, view_for(table.match, None), await self.load_names(table)
        last, alt = board.format_turns_and_alt(table, view, names, words)
        image = await self._draw_board(table, view, names)
        lines = [*last, move_labels.format_turn(words, view, names.escaped)]
        lines += [*format_clock_lines(words, table, names.escaped), *names.explain_numbers(words)]
        items = [
            *([ui.TextDisplay(note)] if note else []),
            build_gallery(board.BOARD_FILE, alt),
            ui.TextDisplay("\n".join(lines)),
            *board.build_private_buttons(table, view, words, is_player=is_player),
        ]
        layout = build_layout(*items, colour=board.choose_seat_colour(view))
        return Content(layout, [build_file(board.BOARD_FILE, image, alt)])

    async def _draw_board(self, table: Table, view: PlayerView, names: SeatNames) -> Picture:
        assert table.event_log is not None
        captions, theme = board.build_captions(view, table.event_log, names, self.words), table.terms.theme
        return await draw_in_thread(render_table, view, names.picture_names, captions, theme=theme, scheme=self.scheme)

    async def build_text_board(
        self,
        table: Table,
        seat: int | None,
        *,
        direct: bool = False,
        note: str = "",
        first: Sequence[ui.Button[Any]] = (),
        hinted: bool = False,
    ) -> Content:
        """Build the table in words for the user on this seat, or for a spectator, with the buttons `first`."""
        assert table.event_log is not None
        words = self.words
        names, view = await self.load_names(table), view_for(table.match, seat)
        last = board.format_recent_turns(table.event_log, names, words, table.terms.theme)
        lines = [f"{note}\n"] if note else []
        lines.append(board_text.format_text_board(words, view, names.escaped, last, table.terms.theme))
        lines += filter(None, [format_premove(table, view, words)])
        lines += format_own_note(words, await self._load_note(table, view))
        if table.terms.guided and not note:
            lines.append(fairness_views.format_lesson(words, view, table.event_log, text=True))
        lines += format_clock_lines(words, table, names.escaped)
        if not table.is_rated and not view.ended:
            lines.append(f"-# {lobby_views.format_unrated(words, hints=table.has_hints)}")
        lines += move_labels.format_programs(table, names, words)
        buttons = [*first, *board.build_text_buttons(table, view, words, direct=direct, hinted=hinted)]
        return Content(build_text_view("\n".join(lines), *buttons, colour=board.choose_seat_colour(view)))

    async def _load_note(self, table: Table, view: PlayerView) -> str:
        user = None if view.viewer is None else table.seats[view.viewer].user_id
        if user is None or view.ended or not table.head.private:
            return ""
        return await self._store.users.load_note(table.head.match_id, user)

    async def build_rules(
        self,
        rules: Rules,
        seats: int | None,
        *buttons: ui.Button[Any],
        at_table: bool,
        by_hand: bool = False,
        theme: str = CLASSIC,
    ) -> Content:
        """Build the rules `at_table` at a table, or of a game in general, with a picture."""
        words = self.words
        captions = {name: words(f"diagram.{name}") for name in list_diagrams(rules)}
        alt = move_labels.clip_text(words("rules.alt", told=" ".join(captions.values())))
        image = await draw_in_thread(render_rules, rules, captions, theme=theme, scheme=self.scheme)
        text: Item = ui.TextDisplay(format_rules(rules, seats, by_hand=by_hand, words=words, at_table=at_table))
        chart_title, chart_captions, chart_alt = format_set_chart(rules, words)
        chart = await draw_in_thread(
            render_set_chart, rules, chart_title, chart_captions, theme=theme, scheme=self.scheme
        )
        galleries = build_gallery(RULES_FILE, alt), build_gallery(CHART_FILE, chart_alt)
        layout = build_layout(text, *galleries, *build_rows(buttons))
        return Content(layout, [build_file(RULES_FILE, image, alt), build_file(CHART_FILE, chart, chart_alt)])

    async def load_names(self, table: Table) -> SeatNames:
        return await self._names.resolve_seat_names(table, self.words)
