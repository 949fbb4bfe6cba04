"""What goes into a message: the view and its pictures, drawn away from the event loop."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import discord
from discord import ui

from bot.computers import program_text
from bot.core.discord_errors import UNKNOWN_CHANNEL
from bot.core.formats import clock_lines
from bot.core.layout import Item, Press, address, button, layout, rows, said
from bot.core.names import NameBook, Names
from bot.core.permissions import NEEDED
from bot.core.pictures import LastPictures, drawn, file, picture
from bot.tables import agreement_views, board_text, end_views, fairness_views, hints, lobby_views, move_labels
from bot.tables import board_views as board
from bot.tables import hand_views as hand
from bot.tables.board_text import pointed
from bot.tables.board_views import own_note
from bot.tables.end_views import MATCH_FILE, MatchCard
from bot.tables.hand_views import ghost_of, premove_text
from bot.tables.hints import Advice
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
    """Why it cannot, by Discord's code of the error, and a button that can be pressed in a direct message too."""
    game = words(f"game.{head.game}")
    if code == UNKNOWN_CHANNEL:
        content = words("trouble.gone", match=head.match_id, game=game)
    else:
        needed = move_labels.listed(words, [f"*{words(f'permission.{flag}')}*" for flag in NEEDED])
        content = words("trouble.closed", game=game, link=address(head), needed=needed)
    look = (
        button(words("lobby.rules"), Press("rules", head.match_id))
        if head.state == "lobby"
        else button(words("board.text"), Press("text", head.match_id))
    )
    view = ui.View(timeout=None)
    view.add_item(look)
    view.stop()
    return view, content


RULES_FILE = "rules.png"


@dataclass(frozen=True, slots=True)
class Content:
    """A message ready to send or to edit in. Files can be sent once."""

    view: ui.LayoutView
    files: list[discord.File] = field(default_factory=list)


class MessageBuilder:
    """Makes every message that shows a table."""

    def __init__(self, store: Store, names: NameBook, words: Words, scheme: str, boards: LastPictures) -> None:
        """`scheme` are the colours of all pictures, one of `render.SCHEMES`."""
        self._store = store
        self._names = names
        self._words = words
        self.scheme = scheme
        self._boards = boards

    @property
    def words(self) -> Words:
        """What it says things with."""
        return self._words

    async def public(self, table: Table) -> Content:
        """The board message, or the lobby before it."""
        words = self._words
        names = await self._names.at(table, words)
        if table.head.state == "void":
            return Content(lobby_views.closed_view(table, words(f"lobby.closed_{table.state.closed}"), words))
        if table.event_log is None:
            head, waited = table.head, list(table.guests.kept)
            called = await self._names.people(head.guild_id, [head.host_id, *waited], words)
            kept = {user_id: called[user_id] for user_id in waited}
            return Content(
                lobby_views.lobby_view(table, names, called[head.host_id], kept, words, self._names.programs)
            )
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
        """What the people at the table are being asked, with the buttons to answer."""
        asked = table.question
        if asked is None:
            return []
        person = await self._names.newcomer(table, asked.person, self._words)
        return agreement_views.under_board(table, asked, names, person, self._words)

    async def round_end(self, table: Table, opener: int) -> Content:
        """What stays when a round is over: `table` as it stood at that moment; the seat `opener` begins the next."""
        assert table.event_log is not None
        alt, image = await self._ending(table)
        names = await self._names.at(table, self._words)
        view = end_views.round_view(table.head.match_id, table.event_log, names, self._words, alt, opener)
        return Content(view, [image])

    async def match_end(self, table: Table, under: Sequence[Item] = ()) -> Content:
        """What stays when the match is over; and what stands `under` it for somebody who looks back on it."""
        assert table.event_log is not None
        seen, names = view_for(table.match, None), await self._names.at(table, self._words)
        card = MatchCard(seen, table.event_log, names, self._words)
        image, alt = await drawn(card.picture, theme=table.terms.theme, scheme=self.scheme), card.alt()
        results = await self._store.results.of_match(table.head.match_id)
        view = end_views.match_view(table, seen, names, self._words, alt, results, under)
        return Content(view, [file(MATCH_FILE, image, alt)])

    async def _ending(self, table: Table) -> tuple[str, discord.File]:
        assert table.event_log is not None
        words, event_log = self._words, table.event_log
        names = await self._names.at(table, words)
        seen = view_for(event_log.match, None)
        alt = end_views.alt(seen, event_log, names, words)
        captions = board.captions(seen, event_log, names, words)
        image = await drawn(table_picture, seen, names.pictured, captions, theme=table.terms.theme, scheme=self.scheme)
        return alt, file(board.BOARD_FILE, image, alt)

    def call(self, table: Table, user_id: int) -> tuple[str, ui.View]:
        """The line that tells a player it is their turn."""
        content = board.turn_content(view_for(table.match, None), f"<@{user_id}>", self._words, is_sealed(table.state))
        time, more = board.call_extras(table, self._words)
        return content + time, board.turn_view(table.head.match_id, self._words, *more)

    def direct_call(self, table: Table) -> tuple[ui.View, str]:
        """The same for them alone, with the way to the table."""
        content = self._words("direct.call", game=self._words(f"game.{table.terms.game}"), link=address(table.head))
        time, more = board.call_extras(table, self._words)
        return board.turn_view(table.head.match_id, self._words, *more), content + time

    def closed(self, head: Head, code: int) -> tuple[ui.View, str]:
        """What the host is told, alone, when the bot cannot write to the channel of the table any more."""
        return closed_channel(head, code, self._words)

    def moved(self, link: str) -> ui.LayoutView:
        """What is left where a board was."""
        return said(self._words("board.moved_on", link=link))

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
        """My hand, for the person on this seat; `direct` in a direct message. `hinted`: the note says where to look.
        In a guided game it `teaches`, unless the note is a hint, which may think of another move.
        """
        assert table.event_log is not None
        words, event_log = self._words, table.event_log
        names = await self._names.at(table, words)
        seen = view_for(table.match, seat)
        if table.terms.guided:
            if seen.ended:
                return Content(fairness_views.lesson_over_view(words, seen, note))
            note = "\n".join(
                filter(None, [note, fairness_views.lesson_text(words, seen, event_log) if teaches else ""])
            )
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
        """My hand with a hint: where to look, or the `move` itself, which lies in the picture and can be played."""
        words, seen = self._words, view_for(table.match, seat)
        quick = table.person(table.seats[seat].user_id or 0).quick
        if not move:
            note = hints.look_text(table, seen, words, advice)
            return await self.hand(table, seat, note=note, quick=quick, direct=direct, hinted=True, teaches=False)
        names, chosen = await self._names.at(table, words), advice.hint.move
        note = hints.reasons_text(table, seen, words, advice, names, deed=chosen is None)
        return await self.hand(table, seat, note=note, quick=quick, direct=direct, chosen=chosen, teaches=False)

    async def hint_text(self, table: Table, seat: int, advice: Advice, *, move: bool, direct: bool) -> Content:
        """The same above the table in words."""
        words, seen = self._words, view_for(table.match, seat)
        if not move:
            note, buttons = hints.look_text(table, seen, words, advice), []
        else:
            names, buttons = await self._names.at(table, words), [hints.play_button(table, seen, words, advice)]
            note = hints.reasons_text(table, seen, words, advice, names, deed=True)
        return await self.text(table, seat, direct=direct, note=note, first=buttons, hinted=not move)

    async def acted(
        self, table: Table, seat: int, *, note: str, direct: bool = False, until: int | None = None
    ) -> Content:
        """What somebody on this seat is told who has just acted: their hand, while it is their turn still or the match
        is over. A picture of what they wait with is drawn when they look, or when it is their turn before `until`.
        """
        seen = view_for(table.match, seat)
        quick = table.person(table.seats[seat].user_id or 0).quick
        if seen.my_turn or seen.ended:
            return await self.hand(table, seat, note=note, quick=quick, direct=direct)
        names = await self._names.at(table, self._words)
        return Content(hand.turn_over_view(table, seen, names, self._words, note=note, quick=quick, until=until))

    async def next_hand(self, table: Table, seat: int, *, direct: bool) -> Content:
        """The hand of somebody whose turn has come, with what has happened since their last."""
        assert table.event_log is not None
        names = await self._names.at(table, self._words)
        quick = table.person(table.seats[seat].user_id or 0).quick
        note = "\n".join(board.lately(table.event_log, names, self._words))
        return await self.hand(table, seat, note=note, quick=quick, direct=direct)

    async def waiting(self, table: Table, seat: int, *, until: int) -> Content:
        """What somebody waits with whose turn ended without a press of theirs."""
        names, seen = await self._names.at(table, self._words), view_for(table.match, seat)
        quick = table.person(table.seats[seat].user_id or 0).quick
        return Content(hand.turn_over_view(table, seen, names, self._words, note="", quick=quick, until=until))

    async def hand_over(self, table: Table, seat: int | None, why: str, *, direct: bool) -> Content:
        """What is left of a hand that nobody can play from any more: the match is over, was closed, or goes on without
        whoever had it.
        """
        words = self._words
        seen = None if why == "closed" else view_for(table.match, seat)
        if seen is not None and seen.ended and seat is not None and table.terms.guided:
            return Content(fairness_views.lesson_over_view(words, seen, ""))
        names = await self._names.at(table, words)
        return Content(hand.hand_over_view(table, seen, names, words, direct=direct))

    async def board(self, table: Table, *, plays: bool, note: str = "") -> Content:
        """The board for one person who asks, who `plays` there or watches, without the buttons of the public one."""
        assert table.event_log is not None
        words, event_log = self._words, table.event_log
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
        """The whole table in words, for the person on this seat or for somebody who watches; or in a direct message.
        A `note` stands above it, and `first` of the buttons.
        """
        assert table.event_log is not None
        words = self._words
        names, seen = await self._names.at(table, words), view_for(table.match, seat)
        last = board.lately(table.event_log, names, words, table.terms.theme)
        text = board_text.text_board(words, seen, names.safe, last, table.terms.theme)
        ahead = [told for told in [premove_text(table, seen, words)] if told]
        text = "\n".join([text, *ahead, *own_note(words, await self._note(table, seen))])
        if table.terms.guided and not note:
            text = "\n".join([text, fairness_views.lesson_text(words, seen, table.event_log)])
        unrated = [] if table.rated or seen.ended else [f"-# {lobby_views.unrated_text(words, hints=table.hints)}"]
        told = [*clock_lines(words, table, names.safe), *unrated, *program_text.programs_told(table, names, words)]
        text = "\n".join([text, *told])
        buttons = [*first, *board.text_buttons(table, seen, words, direct=direct, hinted=hinted)]
        return Content(said(f"{note}\n\n{text}" if note else text, *buttons, colour=board.seat_colour(seen)))

    async def _note(self, table: Table, seen: PlayerView) -> str:
        """What the viewer has written down at a match that runs."""
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
        """The rules as they are set `here` at a table, or of a game, with a picture of what they speak of."""
        words = self._words
        told = {name: words(f"diagram.{name}") for name in diagrams(rules)}
        alt = move_labels.clipped(words("rules.alt", told=" ".join(told.values())))
        image = await drawn(rules_picture, rules, told, theme=theme, scheme=self.scheme)
        text: Item = ui.TextDisplay(rules_text(rules, seats, by_hand=by_hand, words=words, here=here))
        return Content(layout(text, picture(RULES_FILE, alt), *rows(buttons)), [file(RULES_FILE, image, alt)])

    def plain(self, view: ui.LayoutView) -> Content:
        """A message without pictures."""
        return Content(view)

    async def names(self, table: Table) -> Names:
        """Who sits where."""
        return await self._names.at(table, self._words)

    def seen(self, table: Table, seat: int | None) -> PlayerView:
        """The table from a seat."""
        return view_for(table.match, seat)
