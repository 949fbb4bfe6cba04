"""Message contents: views and their pictures, drawn outside the event loop."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import discord
from discord import ui

from bot.computers import hints
from bot.computers.hints import Advice
from bot.core.discord_errors import UNKNOWN_CHANNEL
from bot.core.formats import clock_lines
from bot.core.layout import Item, Press, address, button, layout, rows, said
from bot.core.names import NameBook, Names
from bot.core.permissions import NEEDED
from bot.core.pictures import LastPictures, drawn, file, picture
from bot.tables import agreement_views, board_text, end_views, fairness_views, lobby_views, move_labels
from bot.tables import board_views as board
from bot.tables import hand_views as hand
from bot.tables.board_text import pointed
from bot.tables.board_views import own_note
from bot.tables.end_views import MATCH_FILE, MatchCard
from bot.tables.hand_views import ghost_of, premove_text
from bot.tables.rules_text import rules_text
from bot.tables.service import Table
from data.store.log.match_values import Head
from data.store.store import Store
from data.words import Words
from engine.board.tiles import Tile
from engine.match.player_view import Move, PlayerView, view_for
from engine.match.rules import Rules
from engine.table.table_events import is_sealed
from engine.table.terms import CLASSIC
from render.table.hand import hand_picture
from render.table.rules_page import diagrams, rules_picture
from render.table.table_picture import table_picture


def closed_channel(head: Head, code: int, words: Words) -> tuple[ui.View, str]:
    """Explain by Discord's error code why the channel is closed, with a button that also works in a direct message."""
    game = words(f"game.{head.game}")
    if code == UNKNOWN_CHANNEL:
        content = words("trouble.gone", match=head.match_id, game=game)
    else:
        needed = move_labels.listed(words, [f"*{words(f'permission.{flag}')}*" for flag in NEEDED])
        content = words("trouble.closed", game=game, link=address(head), needed=needed)
    label, verb = ("lobby.rules", "rules") if head.state == "lobby" else ("board.text", "text")
    view = ui.View(timeout=None)
    view.add_item(button(words(label), Press(verb, head.match_id)))
    view.stop()
    return view, content


RULES_FILE = "rules.png"


@dataclass(frozen=True, slots=True)
class Content:
    """A message to send or edit. Its files can be sent once."""

    view: ui.LayoutView
    files: list[discord.File] = field(default_factory=list)


class MessageBuilder:
    def __init__(self, store: Store, names: NameBook, words: Words, scheme: str, boards: LastPictures) -> None:
        """`scheme` is the colour scheme of all pictures, one of `render.SCHEMES`."""
        self._store = store
        self._names = names
        self.words = words
        self.scheme = scheme
        self._boards = boards

    async def public(self, table: Table) -> Content:
        words = self.words
        names = await self._names.at(table, words)
        if table.head.state == "void":
            return Content(lobby_views.closed_view(table, words(f"lobby.closed_{table.state.closed}"), words))
        if table.event_log is None:
            head, waited = table.head, list(table.guests.kept)
            called = await self._names.people(head.guild_id, [head.host_id, *waited], words)
            kept = {user_id: called[user_id] for user_id in waited}
            host, programs = called[head.host_id], self._names.programs
            return Content(lobby_views.lobby_view(table, names, host, kept, words, programs))
        if is_sealed(table.state):
            return Content(board.sealed_view(table, names, words))
        seen = view_for(table.match, None)
        last, alt = board.told_lately(table, seen, names, words)
        captions = board.captions(seen, table.event_log, names, words)
        image = await self._boards.drawn(
            table.head.match_id,
            table_picture,
            seen,
            names.pictured,
            captions,
            theme=table.terms.theme,
            scheme=self.scheme,
        )
        view = board.board_view(table, seen, names, words, alt, last=last, under=await self._question(table, names))
        return Content(view, [file(board.BOARD_FILE, image, alt)])

    async def _question(self, table: Table, names: Names) -> list[Item]:
        asked = table.question
        if asked is None:
            return []
        person = await self._names.newcomer(table, asked.person, self.words)
        return agreement_views.under_board(table, asked, names, person, self.words)

    async def round_end(self, table: Table, opener: int) -> Content:
        assert table.event_log is not None
        words, event_log = self.words, table.event_log
        names, seen = await self._names.at(table, words), view_for(event_log.match, None)
        alt = end_views.alt(seen, event_log, names, words)
        captions = board.captions(seen, event_log, names, words)
        image = await drawn(table_picture, seen, names.pictured, captions, theme=table.terms.theme, scheme=self.scheme)
        view = end_views.round_view(table.head.match_id, event_log, names, words, alt, opener)
        return Content(view, [file(board.BOARD_FILE, image, alt)])

    async def match_end(self, table: Table, under: Sequence[Item] = ()) -> Content:
        """Show the end of the match, and the items `under` it."""
        assert table.event_log is not None
        seen, names = view_for(table.match, None), await self._names.at(table, self.words)
        card = MatchCard(seen, table.event_log, names, self.words)
        image, alt = await drawn(card.picture, theme=table.terms.theme, scheme=self.scheme), card.alt()
        results = await self._store.results.of_match(table.head.match_id)
        view = end_views.match_view(table, seen, names, self.words, alt, results, under)
        return Content(view, [file(MATCH_FILE, image, alt)])

    def call(self, table: Table, user_id: int) -> tuple[str, ui.View]:
        content = board.turn_content(view_for(table.match, None), f"<@{user_id}>", self.words, is_sealed(table.state))
        time, more = board.call_extras(table, self.words)
        return content + time, board.turn_view(table.head.match_id, self.words, *more)

    def direct_call(self, table: Table) -> tuple[ui.View, str]:
        content = self.words("direct.call", game=self.words(f"game.{table.terms.game}"), link=address(table.head))
        time, more = board.call_extras(table, self.words)
        return board.turn_view(table.head.match_id, self.words, *more), content + time

    def closed(self, head: Head, code: int) -> tuple[ui.View, str]:
        return closed_channel(head, code, self.words)

    def moved(self, link: str) -> ui.LayoutView:
        return said(self.words("board.moved_on", link=link))

    async def hand(
        self,
        table: Table,
        seat: int,
        *,
        note: str = "",
        quick: bool = False,
        tile: Tile | None = None,
        chosen: Move | None = None,
        direct: bool = False,
        hinted: bool = False,
        teaches: bool = True,
    ) -> Content:
        """Build "My hand" for the user on this seat. `hinted`: the note is a hint.

        A guided game adds a lesson, unless the note is a hint, which may suggest another move.
        """
        assert table.event_log is not None
        words, event_log = self.words, table.event_log
        names = await self._names.at(table, words)
        seen = view_for(table.match, seat)
        if table.terms.guided:
            if seen.ended:
                return Content(fairness_views.lesson_over_view(words, seen, note))
            lesson = fairness_views.lesson_text(words, seen, event_log) if teaches else ""
            note = "\n".join(filter(None, [note, lesson]))
        offered = [move for move in seen.moves if tile is None or move.placement.tile == tile]
        tiles_first = tile is None and len(offered) > hand.MENU
        cells = {move.placement.cell for move in offered}
        captions = hand.hand_captions(seen, event_log, names, words)

        def draw() -> discord.File:
            image = hand_picture(
                seen,
                names.pictured,
                captions,
                said=hand.picture_words(seen, words),
                letters=cells,
                picked=chosen.placement.tile if chosen else tile,
                ghost=chosen.placement if chosen else ghost_of(table, seen),
                theme=table.terms.theme,
                scheme=self.scheme,
            )
            written = pointed(image, table.head, seen, offered, tiles_first=tiles_first, chosen=chosen)
            return file(hand.HAND_FILE, written, alt)

        alt = board_text.hand_alt(words, seen, board.board_alt_text(seen, event_log, names, words))
        picture_file = await drawn(draw)
        view = hand.hand_view(
            table,
            seen,
            names,
            words,
            alt=alt,
            note=note,
            own=await self._note(table, seen),
            quick=quick,
            tile=tile,
            chosen=chosen,
            direct=direct,
            hinted=hinted,
        )
        return Content(view, [picture_file])

    async def hint(self, table: Table, seat: int, advice: Advice, *, move: bool, direct: bool) -> Content:
        """Build "My hand" with a hint: where to look, or the `move` itself, shown in the picture and playable."""
        words, seen, quick = self.words, view_for(table.match, seat), _is_quick(table, seat)
        if not move:
            note = hints.look_text(table, seen, words, advice)
            return await self.hand(table, seat, note=note, quick=quick, direct=direct, hinted=True, teaches=False)
        names, chosen = await self._names.at(table, words), advice.hint.move
        note = hints.reasons_text(table, seen, words, advice, names, deed=chosen is None)
        return await self.hand(table, seat, note=note, quick=quick, direct=direct, chosen=chosen, teaches=False)

    async def hint_text(self, table: Table, seat: int, advice: Advice, *, move: bool, direct: bool) -> Content:
        words, seen = self.words, view_for(table.match, seat)
        if not move:
            note, buttons = hints.look_text(table, seen, words, advice), []
        else:
            names, buttons = await self._names.at(table, words), [hints.play_button(table, seen, words, advice)]
            note = hints.reasons_text(table, seen, words, advice, names, deed=True)
        return await self.text(table, seat, direct=direct, note=note, first=buttons, hinted=not move)

    async def acted(
        self, table: Table, seat: int, *, note: str, direct: bool = False, until: int | None = None
    ) -> Content:
        """Build the answer to a player's act: their hand while it is still their turn or the match is over.

        Otherwise no picture is drawn until they look, or until their turn before `until`.
        """
        seen = view_for(table.match, seat)
        if seen.my_turn or seen.ended:
            return await self.hand(table, seat, note=note, quick=_is_quick(table, seat), direct=direct)
        return await self.waiting(table, seat, until=until, note=note)

    async def next_hand(self, table: Table, seat: int, *, direct: bool) -> Content:
        """Build the hand of a player whose turn has come, with the events since their last one."""
        assert table.event_log is not None
        names = await self._names.at(table, self.words)
        note = "\n".join(board.lately(table.event_log, names, self.words))
        return await self.hand(table, seat, note=note, quick=_is_quick(table, seat), direct=direct)

    async def waiting(self, table: Table, seat: int, *, until: int | None, note: str = "") -> Content:
        """Build the message of a player whose turn has ended."""
        words, seen, quick = self.words, view_for(table.match, seat), _is_quick(table, seat)
        names = await self._names.at(table, words)
        return Content(hand.turn_over_view(table, seen, names, words, note=note, quick=quick, until=until))

    async def hand_over(self, table: Table, seat: int | None, why: str, *, direct: bool) -> Content:
        """Replace a hand that can no longer be played from: the match is over or closed, or the player has left."""
        words = self.words
        seen = None if why == "closed" else view_for(table.match, seat)
        if seen is not None and seen.ended and seat is not None and table.terms.guided:
            return Content(fairness_views.lesson_over_view(words, seen, ""))
        names = await self._names.at(table, words)
        return Content(hand.hand_over_view(table, seen, names, words, direct=direct))

    async def board(self, table: Table, *, plays: bool, note: str = "") -> Content:
        """Build the board for one user, who `plays` or watches, without the public buttons."""
        assert table.event_log is not None
        words, event_log = self.words, table.event_log
        names = await self._names.at(table, words)
        seen = view_for(table.match, None)
        last, alt = board.told_lately(table, seen, names, words)
        captions = board.captions(seen, event_log, names, words)
        image = await drawn(table_picture, seen, names.pictured, captions, theme=table.terms.theme, scheme=self.scheme)
        lines = [*last, move_labels.whose_turn(words, seen, names.safe)]
        lines += [*clock_lines(words, table, names.safe), *names.numbered(words)]
        items = [
            *([ui.TextDisplay(note)] if note else []),
            picture(board.BOARD_FILE, alt),
            ui.TextDisplay("\n".join(lines)),
            *board.private_buttons(table, seen, words, plays=plays),
        ]
        return Content(layout(*items, colour=board.seat_colour(seen)), [file(board.BOARD_FILE, image, alt)])

    async def text(
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
        names, seen = await self._names.at(table, words), view_for(table.match, seat)
        last = board.lately(table.event_log, names, words, table.terms.theme)
        text = board_text.text_board(words, seen, names.safe, last, table.terms.theme)
        ahead = [told for told in [premove_text(table, seen, words)] if told]
        text = "\n".join([text, *ahead, *own_note(words, await self._note(table, seen))])
        if table.terms.guided and not note:
            text = "\n".join([text, fairness_views.lesson_text(words, seen, table.event_log)])
        unrated = [] if table.rated or seen.ended else [f"-# {lobby_views.unrated_text(words, hints=table.hints)}"]
        told = [*clock_lines(words, table, names.safe), *unrated, *move_labels.programs_told(table, names, words)]
        text = "\n".join([text, *told])
        buttons = [*first, *board.text_buttons(table, seen, words, direct=direct, hinted=hinted)]
        return Content(said(f"{note}\n\n{text}" if note else text, *buttons, colour=board.seat_colour(seen)))

    async def _note(self, table: Table, seen: PlayerView) -> str:
        user = None if seen.viewer is None else table.seats[seen.viewer].user_id
        if user is None or seen.ended or not table.head.private:
            return ""
        return await self._store.users.own_note(table.head.match_id, user)

    async def rules(
        self,
        rules: Rules,
        seats: int | None,
        *buttons: ui.Button[Any],
        here: bool,
        by_hand: bool = False,
        theme: str = CLASSIC,
    ) -> Content:
        """Build the rules `here` at a table, or of a game in general, with a picture."""
        words = self.words
        told = {name: words(f"diagram.{name}") for name in diagrams(rules)}
        alt = move_labels.clipped(words("rules.alt", told=" ".join(told.values())))
        image = await drawn(rules_picture, rules, told, theme=theme, scheme=self.scheme)
        text: Item = ui.TextDisplay(rules_text(rules, seats, by_hand=by_hand, words=words, here=here))
        return Content(layout(text, picture(RULES_FILE, alt), *rows(buttons)), [file(RULES_FILE, image, alt)])

    def plain(self, view: ui.LayoutView) -> Content:
        return Content(view)

    async def names(self, table: Table) -> Names:
        return await self._names.at(table, self.words)

    def seen(self, table: Table, seat: int | None) -> PlayerView:
        return view_for(table.match, seat)


def _is_quick(table: Table, seat: int) -> bool:
    return table.person(table.seats[seat].user_id or 0).quick
