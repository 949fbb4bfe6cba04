"""Posts about questions, absences, deadlines, moderation and quarantine of a table."""

from discord import ui

from bot.core import formats
from bot.core.languages import Languages, choose_direct_words
from bot.core.layout import CALM_COLOUR, CustomId, build_button, build_text_view, format_board_link
from bot.core.names import NameCache
from bot.core.safe_text import EMPTY_REASON, escape_text
from bot.sending.publisher import Writer
from bot.sending.sender import Outgoing, Sender
from bot.tables import agreement_views
from bot.tables.acts import TableActions
from bot.tables.board_views import build_turn_view
from bot.tables.lobby_views import build_invitation
from bot.tables.move_labels import format_list
from bot.tables.service import Table
from data.store.log.match_values import Head
from data.store.outbox.outbox_values import OutboxRow
from data.store.store import Store
from data.words import Words
from engine.table import table_posts
from engine.table.commands import ExpireQuestion
from engine.table.reminders import NEXT_UP, find_next_user


class Posts:
    """Writes the posts of one feature; `writers` has a method for each kind."""

    def __init__(self, store: Store, names: NameCache, languages: Languages) -> None:
        self._store = store
        self._names = names
        self._languages = languages

    async def _resolve_name(self, guild_id: int, user_id: int | None, words: Words) -> str:
        if user_id is None:
            return words("name.somebody")
        return (await self._names.resolve_names(guild_id, [user_id], words))[user_id]


class ChannelPosts(Posts):
    def __init__(self, sender: Sender, store: Store, names: NameCache, languages: Languages) -> None:
        super().__init__(store, names, languages)
        self._sender = sender

    async def _send_direct(self, user_id: int, outgoing: Outgoing, row: OutboxRow) -> bool:
        """Send a post as a direct message; return whether the user accepts it."""
        since = row.first_attempt_at
        return await self._sender.send_direct(user_id, outgoing, nonce=row.nonce, since=since) is not None


class QuestionPosts(ChannelPosts):
    def __init__(
        self, sender: Sender, store: Store, names: NameCache, languages: Languages, acts: TableActions
    ) -> None:
        super().__init__(sender, store, names, languages)
        self._acts = acts

    @property
    def writers(self) -> dict[str, Writer]:
        return {
            table_posts.QUESTION: self.build_question,
            table_posts.ANSWER: self.build_answer,
            table_posts.QUESTION_CLOSED: self.edit_settled_question,
            table_posts.QUESTION_EXPIRED: self.settle_expired,
        }

    async def build_question(self, table: Table, row: OutboxRow) -> Outgoing | None:
        """Return the question to the players concerned; None if it is settled or outdated."""
        pending = table.question
        if pending is None or pending.number != row.body["number"]:
            return None
        words = await self._languages.load_guild_words(table.head.guild_id)
        names = await self._names.resolve_seat_names(table, words)
        person = await self._names.resolve_newcomer_name(table, pending.person, words)
        content, view = agreement_views.build_call(table, pending, names, person, words)
        return Outgoing(view, content, pinged_users=tuple(agreement_views.list_asked_users(table, pending)))

    async def build_answer(self, table: Table, row: OutboxRow) -> Outgoing:
        words = await self._languages.load_guild_words(table.head.guild_id)
        user_ids = [row.body[who] for who in ("user", "person") if row.body.get(who) is not None]
        names = await self._names.resolve_names(table.head.guild_id, user_ids, words)
        button = build_button(words("board.text"), CustomId("text", table.head.match_id))
        text = agreement_views.format_outcome(row.body, names, words)
        return Outgoing(build_text_view(text, button, colour=CALM_COLOUR))

    async def edit_settled_question(self, table: Table, row: OutboxRow) -> None:
        for question in await self._store.outbox.list_sent_posts(row.match_id, table_posts.QUESTION):
            if question.body["number"] != row.body["number"] or question.message_id is None:
                continue
            words = await self._languages.load_guild_words(table.head.guild_id)
            user_ids = [row.body[who] for who in ("by", "owner", "person", "user") if row.body[who] is not None]
            names = await self._names.resolve_names(table.head.guild_id, user_ids, words)
            channel = self._sender.get_channel(question.channel_id, table.head.guild_id)
            text = agreement_views.format_settled(table, row.body, names, words)
            await self._sender.reword(channel, question.message_id, text)
            await self._store.outbox.clear(question)

    async def settle_expired(self, table: Table, row: OutboxRow) -> None:
        """Settle an expired question; what follows from it is another post."""
        await self._acts.act(table.head.match_id, ExpireQuestion(int(row.body["number"])))


class SeatPosts(ChannelPosts):
    @property
    def writers(self) -> dict[str, Writer]:
        return {table_posts.INVITATION: self.build_call, table_posts.INVITATION_CLOSED: self.edit_answered_calls}

    async def build_call(self, table: Table, row: OutboxRow) -> Outgoing | None:
        """Return the call to users who have not answered yet; None if there are none in the channel."""
        kept = table.guests.reserved_until
        called = [user_id for user_id in row.body["users"] if user_id in kept]
        if table.head.state != "lobby" or not called:
            return None
        words, guild_id = await self._languages.load_guild_words(table.head.guild_id), table.head.guild_id
        host = (await self._names.resolve_names(guild_id, [table.head.host_id], words))[table.head.host_id]
        until, link = min(kept[user_id] for user_id in called), format_board_link(table.head)
        in_channel = []
        for user_id in called:
            person = await self._store.users.load_person(user_id)
            own_words = choose_direct_words(person, words)
            content, view = build_invitation(table, f"<@{user_id}>", host, until, link, own_words)
            is_sent = person.pings == "dm" and await self._send_direct(user_id, Outgoing(view, content), row)
            if person.pings != "none" and not is_sent:
                in_channel.append(user_id)
        if not in_channel:
            return None
        mentions = format_list(words, [f"<@{user_id}>" for user_id in in_channel])
        content, view = build_invitation(table, mentions, host, until, link, words)
        return Outgoing(view, content, pinged_users=tuple(in_channel))

    async def edit_answered_calls(self, table: Table, row: OutboxRow) -> None:
        """Edit calls of which every mentioned user has answered."""
        words, guild_id = await self._languages.load_guild_words(table.head.guild_id), table.head.guild_id
        for call in await self._store.outbox.list_sent_posts(row.match_id, table_posts.INVITATION, include_dms=True):
            users = [user_id for user_id in call.body["users"] if user_id is not None]
            if any(user_id in table.guests.reserved_until for user_id in users):
                continue
            for user_id in users:
                person = await self._store.users.load_person(user_id)
                if person.pings == "dm":
                    own_words = choose_direct_words(person, words)
                    text = own_words("lobby.call_over_alone", link=format_board_link(table.head))
                    await self._sender.reword_direct(user_id, call.nonce, text, since=call.created_at)
            if call.message_id is None:
                await self._store.outbox.clear(call)
                continue
            # The host may have changed. The names of deleted users are unknown.
            names = await self._names.resolve_names(guild_id, users, words)
            text = words("lobby.call_over", people=format_list(words, list(names.values())) or words("name.somebody"))
            await self._sender.reword(self._sender.get_channel(call.channel_id, guild_id), call.message_id, text)
            await self._store.outbox.clear(call)


class TimePosts(ChannelPosts):
    @property
    def writers(self) -> dict[str, Writer]:
        return {
            "remind": self.build_reminder,
            NEXT_UP: self.build_next_notice,
            "notice": self.build_notice,
            table_posts.ABSENCE: self.build_absence_question,
            table_posts.ABSENCE_UPDATED: self.edit_absence_question,
            table_posts.ABSENCE_CLOSED: self.edit_absence_outcome,
        }

    async def build_reminder(self, table: Table, row: OutboxRow) -> Outgoing | None:
        """Return a reminder, direct if the player wants it. None if the turn is over or they have it."""
        user_id = table.find_turn_user()
        watch = table.clock.watch
        if (
            user_id is None
            or watch.began != row.body["began"]
            or watch.absence_question is not None
            or table.state.tentative_turn
        ):
            return None
        words = await self._languages.load_guild_words(table.head.guild_id)
        person = await self._store.users.load_person(user_id)
        mention = f"<@{user_id}>"
        if person.pings == "dm":
            own_words = choose_direct_words(person, words)
            text = formats.format_reminder(own_words, table, mention, format_board_link(table.head))
            if await self._send_direct(user_id, Outgoing(formats.build_reminder_view(table, own_words), text), row):
                return None
        text = formats.format_reminder(words, table, mention, format_board_link(table.head))
        return Outgoing(formats.build_reminder_view(table, words), content=text, pinged_users=user_id)

    async def build_next_notice(self, table: Table, row: OutboxRow) -> Outgoing | None:
        """Return the notice to the next player, direct if they want it. None if the previous turn is over."""
        turn, watch = table.head.turn, table.clock.watch
        if turn is None or turn.user is None or watch.began != row.body["began"] or table.clock.time.paused:
            return None
        seat = find_next_user(table.state, table.match, turn)
        user_id = None if seat is None else table.seats[seat].user_id
        if seat != row.body["seat"] or user_id is None:
            return None
        person = await self._store.users.load_person(user_id)
        if not person.preferences.next_up or person.pings == "none":
            return None
        words = await self._languages.load_guild_words(table.head.guild_id)
        if person.pings == "dm":
            own_words = choose_direct_words(person, words)
            content = own_words("direct.next_up", **await self._build_next_facts(table, turn.seat, own_words))
            direct = Outgoing(build_turn_view(table.head.match_id, own_words), content)
            if await self._send_direct(user_id, direct, row):
                return None
        facts = await self._build_next_facts(table, turn.seat, words)
        content = words("turn.next_up", mention=f"<@{user_id}>", **facts)
        return Outgoing(build_turn_view(table.head.match_id, words), content=content, pinged_users=user_id)

    async def _build_next_facts(self, table: Table, seat: int, words: Words) -> dict[str, str]:
        name = (await self._names.resolve_seat_names(table, words)).escaped[seat]
        return {"game": words(f"game.{table.terms.game}"), "name": name, "link": format_board_link(table.head)}

    async def build_absence_question(self, table: Table, row: OutboxRow) -> Outgoing | None:
        if table.head.state != "open" or table.clock.watch.absence_question != row.body["asked"]:
            return None
        words = await self._languages.load_guild_words(table.head.guild_id)
        names = await self._names.resolve_seat_names(table, words)
        return Outgoing(formats.build_absence_view(table, names, words))

    async def edit_absence_question(self, table: Table, row: OutboxRow) -> None:
        if table.head.state != "open" or table.clock.watch.absence_question != row.body["asked"]:
            return
        for question in await self._store.outbox.list_sent_posts(row.match_id, table_posts.ABSENCE):
            if question.body["asked"] != row.body["asked"] or question.message_id is None:
                continue
            words = await self._languages.load_guild_words(table.head.guild_id)
            view = formats.build_absence_view(table, await self._names.resolve_seat_names(table, words), words)
            channel = self._sender.get_channel(question.channel_id, table.head.guild_id)
            await self._sender.edit(channel, question.message_id, view)

    async def edit_absence_outcome(self, table: Table, row: OutboxRow) -> None:
        """Edit the question about a silent player: its outcome, without buttons."""
        for question in await self._store.outbox.list_sent_posts(row.match_id, table_posts.ABSENCE):
            if question.body["asked"] != row.body["asked"] or question.message_id is None:
                continue
            words = await self._languages.load_guild_words(table.head.guild_id)
            name = (await self._names.resolve_seat_names(table, words)).escaped[int(row.body["seat"])]
            channel = self._sender.get_channel(question.channel_id, table.head.guild_id)
            view = formats.build_absence_outcome_view(
                words, name, str(row.body["outcome"]), left=bool(row.body.get("left"))
            )
            await self._sender.edit(channel, question.message_id, view)
            await self._store.outbox.clear(question)

    async def build_notice(self, table: Table, row: OutboxRow) -> Outgoing | None:
        words = await self._languages.load_guild_words(table.head.guild_id)
        names = await self._names.resolve_seat_names(table, words)
        text = formats.format_notice(words, names, row.body)
        return Outgoing(build_text_view(f"-# {text}", colour=CALM_COLOUR))


class ModerationPosts(Posts):
    @property
    def writers(self) -> dict[str, Writer]:
        return {table_posts.RULING: self.build_post}

    async def build_post(self, table: Table, row: OutboxRow) -> Outgoing | None:
        act = await self._store.matches.find_moderation(row.match_id, row.body["seq"])
        if act is None:
            return None
        words = await self._languages.load_guild_words(table.head.guild_id)
        name = await self._resolve_name(table.head.guild_id, act.user_id, words)
        player = "" if act.seat is None else (await self._names.resolve_seat_names(table, words)).escaped[act.seat]
        text = words(f"moderated.{act.kind}", name=name, player=player, reason=escape_text(act.reason) or EMPTY_REASON)
        label, verb = ("board.text", "text") if table.head.state == "open" else ("lobby.rules", "rules")
        button = build_button(words(label), CustomId(verb, table.head.match_id))
        return Outgoing(build_text_view(text, button, colour=CALM_COLOUR))


class QuarantinePosts(Posts):
    """Writes posts about quarantined tables, which mention the players."""

    @property
    def writers(self) -> dict[str, Writer]:
        return {table_posts.QUARANTINE: self.build_post}

    async def build_post(self, table: Table, row: OutboxRow) -> Outgoing | None:
        """Return the post; None if the table has been closed since, or if its restoration was already posted."""
        if "ended" in row.body:
            return await self._build_end_notice(table.head, row.body["ended"])
        quarantine = await self._store.quarantine.find_quarantined(row.match_id)
        is_restored = bool(row.body.get("back"))
        if is_restored != (quarantine is None) or (
            quarantine is not None and quarantine.state not in ("lobby", "open")
        ):
            return None
        words = await self._languages.load_guild_words(table.head.guild_id)
        seated = [one.user_id for one in await self._store.matches.list_seats(row.match_id) if one.user_id is not None]
        people = list(dict.fromkeys([table.head.host_id, *seated] if table.head.host_id else seated))
        text = words("trouble.reads_again" if is_restored else "trouble.set_aside", match=row.match_id)
        view = ui.LayoutView(timeout=None)
        mentions = format_list(words, [f"<@{user_id}>" for user_id in people])
        view.add_item(ui.TextDisplay(f"{mentions}\n{text}" if people else text))
        return Outgoing(view, pinged_users=people)

    async def _build_end_notice(self, head: Head, seq: int) -> Outgoing | None:
        ruling = await self._store.matches.find_moderation(head.match_id, seq)
        if ruling is None:
            return None
        words = await self._languages.load_guild_words(head.guild_id)
        name = await self._resolve_name(head.guild_id, ruling.user_id, words)
        reason = escape_text(ruling.reason) or EMPTY_REASON
        text = words("trouble.aside_ended", match=head.match_id, name=name, reason=reason)
        return Outgoing(build_text_view(text, colour=CALM_COLOUR))
