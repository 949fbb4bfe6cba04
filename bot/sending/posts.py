"""Posts about questions, absences, deadlines, moderation and quarantine of a table."""

from discord import ui

from bot.core import formats
from bot.core.languages import Languages, alone
from bot.core.layout import CALM_COLOUR, Press, address, button, said
from bot.core.names import NameBook
from bot.core.safe_text import UNSAID, safe
from bot.sending.publisher import Writer
from bot.sending.sender import Outgoing, Sender
from bot.tables import agreement_views
from bot.tables.acts import Acts
from bot.tables.board_views import turn_view
from bot.tables.lobby_views import invitation
from bot.tables.move_labels import listed
from bot.tables.service import Table
from data.store.log.match_values import Head
from data.store.outbox.outbox_values import OutboxRow
from data.store.store import Store
from data.words import Words
from engine.table import table_posts
from engine.table.commands import Lapse
from engine.table.reminders import NEXT_UP, next_person


class Posts:
    """Writes the posts of one feature; `writers` has a method for each kind."""

    def __init__(self, store: Store, names: NameBook, languages: Languages) -> None:
        self._store = store
        self._names = names
        self._languages = languages

    async def _name(self, guild_id: int, user_id: int | None, words: Words) -> str:
        if user_id is None:
            return words("name.somebody")
        return (await self._names.people(guild_id, [user_id], words))[user_id]


class ChannelPosts(Posts):
    def __init__(self, sender: Sender, store: Store, names: NameBook, languages: Languages) -> None:
        super().__init__(store, names, languages)
        self._sender = sender


class QuestionPosts(ChannelPosts):
    def __init__(self, sender: Sender, store: Store, names: NameBook, languages: Languages, acts: Acts) -> None:
        super().__init__(sender, store, names, languages)
        self._acts = acts

    @property
    def writers(self) -> dict[str, Writer]:
        return {
            table_posts.QUESTION: self.question,
            table_posts.ANSWER: self.told,
            table_posts.SETTLED: self.settled,
            table_posts.LAPSES: self.lapses,
        }

    async def question(self, table: Table, row: OutboxRow) -> Outgoing | None:
        """Return the question to the players concerned; None if it is settled or outdated."""
        asked = table.question
        if asked is None or asked.number != row.body["number"]:
            return None
        words = await self._languages.at(table.head.guild_id)
        names = await self._names.at(table, words)
        person = await self._names.newcomer(table, asked.person, words)
        content, view = agreement_views.call(table, asked, names, person, words)
        return Outgoing(view, content, rings=tuple(agreement_views.concerned(table, asked)))

    async def told(self, table: Table, row: OutboxRow) -> Outgoing:
        words = await self._languages.at(table.head.guild_id)
        known = [row.body[who] for who in ("user", "person") if row.body.get(who) is not None]
        called = await self._names.people(table.head.guild_id, known, words)
        text = button(words("board.text"), Press("text", table.head.match_id))
        return Outgoing(said(agreement_views.outcome_text(row.body, called, words), text, colour=CALM_COLOUR))

    async def settled(self, table: Table, row: OutboxRow) -> None:
        for asked in await self._store.outbox.standing_posts(row.match_id, table_posts.QUESTION):
            if asked.body["number"] != row.body["number"] or asked.message_id is None:
                continue
            words = await self._languages.at(table.head.guild_id)
            known = [row.body[who] for who in ("by", "owner", "person", "user") if row.body[who] is not None]
            called = await self._names.people(table.head.guild_id, known, words)
            channel = self._sender.channel(asked.channel_id, table.head.guild_id)
            await self._sender.reword(
                channel, asked.message_id, agreement_views.settled_text(table, row.body, called, words)
            )
            await self._store.outbox.over(asked)

    async def lapses(self, table: Table, row: OutboxRow) -> None:
        """Settle an expired question; what follows from it is another post."""
        await self._acts.act(table.head.match_id, Lapse(int(row.body["number"])))


class SeatPosts(ChannelPosts):
    @property
    def writers(self) -> dict[str, Writer]:
        return {table_posts.INVITATION: self.call, table_posts.ANSWERED: self.settled}

    async def call(self, table: Table, row: OutboxRow) -> Outgoing | None:
        """Return the call to users who have not answered yet; None if there are none in the channel."""
        kept = table.guests.kept
        called = [user_id for user_id in row.body["users"] if user_id in kept]
        if table.head.state != "lobby" or not called:
            return None
        words, guild_id = await self._languages.at(table.head.guild_id), table.head.guild_id
        host = (await self._names.people(guild_id, [table.head.host_id], words))[table.head.host_id]
        until, link = min(kept[user_id] for user_id in called), address(table.head)
        here = []
        for user_id in called:
            person = await self._store.users.person(user_id)
            content, view = invitation(table, f"<@{user_id}>", host, until, link, alone(person, words))
            direct = Outgoing(view, content)
            if person.pings == "channel" or (
                person.pings == "dm"
                and await self._sender.send_direct(user_id, direct, nonce=row.nonce, since=row.tried_since) is None
            ):
                here.append(user_id)
        if not here:
            return None
        mentions = listed(words, [f"<@{user_id}>" for user_id in here])
        content, view = invitation(table, mentions, host, until, link, words)
        return Outgoing(view, content, rings=tuple(here))

    async def settled(self, table: Table, row: OutboxRow) -> None:
        """Edit calls of which every mentioned user has answered."""
        words, guild_id = await self._languages.at(table.head.guild_id), table.head.guild_id
        for call in await self._store.outbox.standing_posts(row.match_id, table_posts.INVITATION, alone=True):
            users = [user_id for user_id in call.body["users"] if user_id is not None]
            if any(user_id in table.guests.kept for user_id in users):
                continue
            for user_id in users:
                person = await self._store.users.person(user_id)
                if person.pings == "dm":
                    told = alone(person, words)("lobby.call_over_alone", link=address(table.head))
                    await self._sender.reword_direct(user_id, call.nonce, told, since=call.created_at)
            if call.message_id is None:
                await self._store.outbox.over(call)
                continue
            # The host may have changed. The names of deleted users are unknown.
            names = await self._names.people(guild_id, users, words)
            told = words("lobby.call_over", people=listed(words, list(names.values())) or words("name.somebody"))
            await self._sender.reword(self._sender.channel(call.channel_id, guild_id), call.message_id, told)
            await self._store.outbox.over(call)


class TimePosts(ChannelPosts):
    @property
    def writers(self) -> dict[str, Writer]:
        asked = {
            table_posts.ABSENCE: self.asked,
            table_posts.ASKED_ON: self.asked_on,
            table_posts.UNASKED: self.unasked,
        }
        return {"remind": self.remind, NEXT_UP: self.next_up, "notice": self.notice, **asked}

    async def remind(self, table: Table, row: OutboxRow) -> Outgoing | None:
        """Return a reminder, direct if the player wants it. None if the turn is over or they have it."""
        user_id = table.turn_user()
        watch = table.clock.watch
        if user_id is None or watch.began != row.body["began"] or watch.asking is not None or table.state.unsettled:
            return None
        words = await self._languages.at(table.head.guild_id)
        person = await self._store.users.person(user_id)
        mention = f"<@{user_id}>"
        if person.pings == "dm":
            own = alone(person, words)
            text = formats.reminder_text(own, table, mention, address(table.head))
            direct = Outgoing(formats.reminder_view(table, own), content=text)
            if await self._sender.send_direct(user_id, direct, nonce=row.nonce, since=row.tried_since) is not None:
                return None
        text = formats.reminder_text(words, table, mention, address(table.head))
        return Outgoing(formats.reminder_view(table, words), content=text, rings=user_id)

    async def next_up(self, table: Table, row: OutboxRow) -> Outgoing | None:
        """Return the notice to the next player, direct if they want it. None if the previous turn is over."""
        turn, watch = table.head.turn, table.clock.watch
        if turn is None or turn.user is None or watch.began != row.body["began"] or table.clock.time.paused:
            return None
        seat = next_person(table.state, table.match, turn)
        user_id = None if seat is None else table.seats[seat].user_id
        if seat != row.body["seat"] or user_id is None:
            return None
        person = await self._store.users.person(user_id)
        if not person.preferences.next_up or person.pings == "none":
            return None
        words = await self._languages.at(table.head.guild_id)
        if person.pings == "dm":
            own = alone(person, words)
            content = own("direct.next_up", **await self._next_facts(table, turn.seat, own))
            direct = Outgoing(turn_view(table.head.match_id, own), content=content)
            if await self._sender.send_direct(user_id, direct, nonce=row.nonce, since=row.tried_since) is not None:
                return None
        content = words("turn.next_up", mention=f"<@{user_id}>", **await self._next_facts(table, turn.seat, words))
        return Outgoing(turn_view(table.head.match_id, words), content=content, rings=user_id)

    async def _next_facts(self, table: Table, seat: int, words: Words) -> dict[str, str]:
        name = (await self._names.at(table, words)).safe[seat]
        return {"game": words(f"game.{table.terms.game}"), "name": name, "link": address(table.head)}

    async def asked(self, table: Table, row: OutboxRow) -> Outgoing | None:
        if table.head.state != "open" or table.clock.watch.asking != row.body["asked"]:
            return None
        words = await self._languages.at(table.head.guild_id)
        names = await self._names.at(table, words)
        return Outgoing(formats.absence_view(table, names, words))

    async def asked_on(self, table: Table, row: OutboxRow) -> None:
        if table.head.state != "open" or table.clock.watch.asking != row.body["asked"]:
            return
        for asked in await self._store.outbox.standing_posts(row.match_id, table_posts.ABSENCE):
            if asked.body["asked"] != row.body["asked"] or asked.message_id is None:
                continue
            words = await self._languages.at(table.head.guild_id)
            view = formats.absence_view(table, await self._names.at(table, words), words)
            await self._sender.edit(self._sender.channel(asked.channel_id, table.head.guild_id), asked.message_id, view)

    async def unasked(self, table: Table, row: OutboxRow) -> None:
        """Edit the question about a silent player: its outcome, without buttons."""
        for asked in await self._store.outbox.standing_posts(row.match_id, table_posts.ABSENCE):
            if asked.body["asked"] != row.body["asked"] or asked.message_id is None:
                continue
            words = await self._languages.at(table.head.guild_id)
            name = (await self._names.at(table, words)).safe[int(row.body["seat"])]
            channel = self._sender.channel(asked.channel_id, table.head.guild_id)
            view = formats.settled_view(words, name, str(row.body["outcome"]))
            await self._sender.edit(channel, asked.message_id, view)
            await self._store.outbox.over(asked)

    async def notice(self, table: Table, row: OutboxRow) -> Outgoing | None:
        words = await self._languages.at(table.head.guild_id)
        names = await self._names.at(table, words)
        text = formats.notice_text(words, names, row.body)
        return Outgoing(said(f"-# {text}", colour=CALM_COLOUR))


class ModerationPosts(Posts):
    @property
    def writers(self) -> dict[str, Writer]:
        return {table_posts.RULING: self.write}

    async def write(self, table: Table, row: OutboxRow) -> Outgoing | None:
        act = await self._store.matches.moderation(row.match_id, row.body["seq"])
        if act is None:
            return None
        words = await self._languages.at(table.head.guild_id)
        name = await self._name(table.head.guild_id, act.user_id, words)
        player = "" if act.seat is None else (await self._names.at(table, words)).safe[act.seat]
        text = words(f"moderated.{act.kind}", name=name, player=player, reason=safe(act.reason) or UNSAID)
        label, verb = ("board.text", "text") if table.head.state == "open" else ("lobby.rules", "rules")
        return Outgoing(said(text, button(words(label), Press(verb, table.head.match_id)), colour=CALM_COLOUR))


class QuarantinePosts(Posts):
    """Writes posts about quarantined tables, which mention the players."""

    @property
    def writers(self) -> dict[str, Writer]:
        return {table_posts.ASIDE: self.write}

    async def write(self, table: Table, row: OutboxRow) -> Outgoing | None:
        """Return the post; None if the table has been closed since, or if its restoration was already posted."""
        if "ended" in row.body:
            return await self._ended(table.head, row.body["ended"])
        aside, back = await self._store.quarantine.quarantine_of(row.match_id), bool(row.body.get("back"))
        if back != (aside is None) or (aside is not None and aside.state not in ("lobby", "open")):
            return None
        words = await self._languages.at(table.head.guild_id)
        sitting = [one.user_id for one in await self._store.matches.seats(row.match_id) if one.user_id is not None]
        people = list(dict.fromkeys([table.head.host_id, *sitting] if table.head.host_id else sitting))
        text = words("trouble.reads_again" if back else "trouble.set_aside", match=row.match_id)
        view = ui.LayoutView(timeout=None)
        called = listed(words, [f"<@{user_id}>" for user_id in people])
        view.add_item(ui.TextDisplay(f"{called}\n{text}" if people else text))
        return Outgoing(view, rings=people)

    async def _ended(self, head: Head, seq: int) -> Outgoing | None:
        ruling = await self._store.matches.moderation(head.match_id, seq)
        if ruling is None:
            return None
        words = await self._languages.at(head.guild_id)
        name, reason = await self._name(head.guild_id, ruling.user_id, words), safe(ruling.reason) or UNSAID
        text = words("trouble.aside_ended", match=head.match_id, name=name, reason=reason)
        return Outgoing(said(text, colour=CALM_COLOUR))
