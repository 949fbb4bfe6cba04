"""The bot and members in a Discord server simulated in this process (simcord)."""

import asyncio
import hashlib
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from random import SystemRandom
from typing import Any

import discord
from discord import ui
from simcord import ChannelHandle, Env, GuildHandle, InteractionResult, RoleHandle

from bot.app import build
from bot.client import SWEEP_INTERVAL, Boneyard
from bot.computers.player_names import get_player
from bot.computers.thinking import MoveChooser
from bot.computers.worker_pool import WorkerPool
from bot.tables.service import Table
from data.store.connection.shards import PULSE_PREFIX
from data.store.log.match_values import Head, LoadedMatch
from data.store.store import Store
from engine.match.rules import Rules
from engine.match.state import Match, replay
from engine.players.levels import Player
from engine.table.commands import ViewHand
from engine.table.terms import GENTLE, GREEDY
from tests.bot.member import Member
from tests.bot.messages import Message, find_play_label, get_private_answer, list_menus, read_button_ids, read_text
from tests.bot.sending.active_player import make_delayed_call_due
from tests.bot.waiting import TIMEOUT_SECONDS


@dataclass
class SimClock:
    skipped_ms: int = 0

    def __call__(self) -> int:
        return int(discord.utils.utcnow().timestamp() * 1000) + self.skipped_ms


def build_greedy_chooser() -> MoveChooser:
    def choose_player(name: str, rules: Rules) -> Player:
        return get_player(GENTLE if name == GENTLE else GREEDY, rules)

    return MoveChooser(SystemRandom(), WorkerPool(), choose_player, fallbacks={})


def derive_secret(number: int) -> bytes:
    return hashlib.sha256(str(number).encode()).digest()


MENU_VALUES = ("nonsense", "999.U0,0.0", "345.Z9.9", "345.U0,0.²", "triominoes.server.ever.0", "a.b.c.²", "🂠")
"""The option values of a forged menu."""

SHORT_MATCH_DEAL = 2
"""Three players to 60 points: the first move ends the match."""
BLOCKED_DEAL = 3
"""Two players: the round is blocked after the opening."""
MIXED_HAND_DEAL = 17
"""Two players: after two moves the next hand has tiles with several places and tiles with none."""
HEXAGON_DEAL = 278
"""Two players: after five moves the best move closes a hexagon."""
GOING_OUT_DEAL = 19
"""Two players: one goes out after 15 moves with more than 100 points."""


@dataclass
class DealSecrets:
    """The deal secrets of tables in opening order: first the numbers that a test wants, then 1, 2, 3 and so on."""

    next_numbers: list[int] = field(default_factory=list)
    count: int = 0

    def __call__(self) -> bytes:
        if self.next_numbers:
            return derive_secret(self.next_numbers.pop(0))
        self.count += 1
        return derive_secret(self.count)


@dataclass
class SimGuild:
    """A server with a channel, its members, and the bot with its database."""

    env: Env
    url: str
    store: Store
    deals: DealSecrets
    clock: SimClock
    guild: GuildHandle
    channel: ChannelHandle
    members: dict[int, Member] = field(default_factory=dict)

    @property
    def client(self) -> Boneyard:
        bot = self.env.bot
        assert isinstance(bot, Boneyard)
        return bot

    def add_member(self, name: str, *roles: RoleHandle) -> Member:
        user = self.env.create_user(name.lower(), global_name=name)
        self.guild.add_member(user, roles=roles)
        self.members[user.id] = member = Member(self.env, self.guild, user, self.channel)
        return member

    def add_moderator(self, name: str = "Mod") -> Member:
        """Add a member who may manage the server."""
        return self.add_member(
            name, self.guild.create_role("moderators", permissions=discord.Permissions(manage_guild=True))
        )

    async def restart(self, **options: Any) -> None:
        """Replace the bot by a new client and a new store on the same database. The options are those of `build`."""
        old_store, self.store = self.store, await Store.open(self.url)
        await self.env.restart_bot(
            build(self.store, clock=self.clock, secret=self.deals, thinking=build_greedy_chooser(), **options)
        )
        await old_store.close()

    async def wait(self, *, seconds: float = 0, hours: float = 0) -> None:
        self.clock.skipped_ms += int(hours * 3600 * 1000)
        if hours:
            # Without this pulse the bot would take the skipped hours for an outage.
            await self.store.operations.record_pulse(PULSE_PREFIX, now=self.clock())
        await self.env.advance_time(seconds or 2 * SWEEP_INTERVAL)

    async def post(self, *custom_ids: str, menu: str | None = None) -> discord.Message:
        """Post a message of the bot with buttons of any custom id, for example old or forged ones."""
        view = ui.View(timeout=None)
        for number, custom_id in enumerate(custom_ids):
            view.add_item(ui.Button(label=f"Button {number}", custom_id=custom_id))
        if menu is not None:
            view.add_item(ui.Select(custom_id=menu, options=[discord.SelectOption(label=one) for one in MENU_VALUES]))
        view.stop()
        return await self.client.get_partial_messageable(self.channel.id).send("Forged", view=view)

    async def start_table(
        self, *members: Member, channel: ChannelHandle | None = None, deal: int | None = None, **options: object
    ) -> ChannelHandle:
        """Start a match of these members, with a chosen deal, and return its channel."""
        channel = channel or self.channel
        if deal is not None:
            self.deals.next_numbers = [deal]
        host, *others = members
        options.setdefault("seats", len(members) + int(str(options.get("computers", 0))))
        await host.slash(channel, "tiles new", **options)
        if options.get("thread"):
            channel = channel.threads[-1]
        for other in others:
            await other.click(self.get_board(channel), label="Join")
        return channel

    async def add_computer(self, member: Member, level: str = "medium") -> InteractionResult:
        computer_menu = next(menu for menu in list_menus(self.get_board()) if menu.custom_id.startswith("by:computer"))
        return await member.select(self.get_board(), [level], custom_id=computer_menu.custom_id)

    async def load_head(self, channel: ChannelHandle | None = None) -> Head:
        """Return the head of the newest table of a channel."""
        states = ("lobby", "open", "done", "void")
        heads = await self.store.matches.list_heads_in_channel((channel or self.channel).id, states)
        return heads[0]

    async def load_stored_match(self, channel: ChannelHandle | None = None) -> LoadedMatch:
        """Load the newest table of a channel with its event log."""
        return await self.store.matches.load((await self.load_head(channel)).match_id)

    async def load_table(self, channel: ChannelHandle | None = None) -> Table:
        """Load the newest table of a channel through the service."""
        return await self.client.services.tables.load((await self.load_head(channel)).match_id)

    async def load_terms(self, channel: ChannelHandle | None = None) -> dict[str, Any]:
        return asdict((await self.load_table(channel)).terms)

    async def replay_match(self, channel: ChannelHandle | None = None) -> Match:
        """Replay the match of a channel, including hidden tiles."""
        return replay((await self.load_stored_match(channel)).events)

    async def take_snapshot(self) -> tuple[int, list[str]]:
        return (await self.load_head()).seq, self.list_public_texts()

    def list_public_messages(self, channel: ChannelHandle | None = None) -> list[discord.Message]:
        messages = (channel or self.channel).history()
        bot = self.client.user
        return [message for message in messages if not message.flags.ephemeral and message.author.id == bot.id]

    def list_boards(self, channel: ChannelHandle | None = None) -> list[discord.Message]:
        """Return the messages with a lobby or a board, running or finished."""
        return [
            message
            for message in self.list_public_messages(channel)
            if TABLE_BUTTONS & set(read_button_ids(message))
            and not message.mentions
            and message not in self.list_results(channel)
        ]

    def list_results(self, channel: ChannelHandle | None = None) -> list[discord.Message]:
        """Return the result messages of finished matches."""
        return [message for message in self.list_public_messages(channel) if "Verify" in read_button_ids(message)]

    def list_public_texts(self, channel: ChannelHandle | None = None) -> list[str]:
        return [read_text(message) for message in self.list_public_messages(channel)]

    def get_board(self, channel: ChannelHandle | None = None) -> discord.Message:
        return self.list_boards(channel)[-1]

    def read_board(self, channel: ChannelHandle | None = None) -> str:
        return read_text(self.get_board(channel))

    def list_calls(self, channel: ChannelHandle | None = None) -> list[discord.Message]:
        return [message for message in self.list_public_messages(channel) if message.mentions]

    def get_called_player(self, channel: ChannelHandle | None = None) -> Member:
        return self.members[self.list_calls(channel)[-1].mentions[0].id]

    async def load_turn_player(self, channel: ChannelHandle | None = None) -> Member:
        """Return the member whose turn it is, called or not."""
        user = (await self.load_table(channel)).find_turn_user()
        return self.members[user]

    def get_waiting_player(self, channel: ChannelHandle | None = None) -> Member:
        turn = self.get_called_player(channel).id
        return next(person for person in self.members.values() if person.id != turn)

    async def open_hand(self, person: Member, channel: ChannelHandle | None = None) -> Message:
        return get_private_answer(await person.click(self.get_board(channel), label="My hand"))

    def forget_hands(self) -> None:
        """Forget the shown hands, as after a restart: the bot can no longer edit them."""
        for person in self.client.services.live_hands.user_ids:
            self.client.services.live_hands.forget(person)

    async def settle_turns(self) -> None:
        services = self.client.services
        for person in self.members:
            for head in await self.store.matches.list_heads_of_user(person, ("open",)):
                if head.due is not None and head.due.kind == "settle" and head.turn is not None:
                    await services.acts.act(head.match_id, ViewHand(head.turn.user))
                    await make_delayed_call_due(self.store, head.match_id, self.clock())
                    services.announcer.refresh(head.match_id)
                    services.scheduler.wake(head.match_id)
        await services.announcer.wait_until_idle()

    async def play_by_menu(
        self, person: Member, channel: ChannelHandle | None = None, *, settle: bool = True
    ) -> Message:
        hand = await self.open_hand(person, channel)
        selection = await person.select(hand, [list_menus(hand)[0].options[0].value])
        preview = get_private_answer(selection)
        play = find_play_label(preview)
        answer = get_private_answer(await person.click(preview, label=play))
        if settle:
            await self.settle_turns()
        return answer

    async def play_by_typing(self, person: Member, channel: ChannelHandle | None = None) -> InteractionResult:
        """Use `/tiles play` with the first suggestion for tile and place."""
        channel = channel or self.channel
        tile = (await person.autocomplete(channel, "tiles play", "tile", ""))[0]["value"]
        place = (await person.autocomplete(channel, "tiles play", "place", "", tile=tile))[0]["value"]
        answer = await person.slash(channel, "tiles play", tile=tile, place=place)
        await self.settle_turns()
        return answer

    async def play_turns(self, count: int, channel: ChannelHandle | None = None) -> None:
        """Let the called player use `/tiles play`, this many times."""
        for _ in range(count):
            await self.play_by_typing(self.get_called_player(channel), channel)

    async def play_to_the_end(self, channel: ChannelHandle | None = None, turns: int = 400) -> int:
        for turn in range(turns):
            async with asyncio.timeout(TIMEOUT_SECONDS):
                while (state := (await self.load_head(channel)).state) != "done" and not self.list_calls(channel):  # noqa: ASYNC110
                    await asyncio.sleep(0.02)
            if state == "done":
                return turn
            await self.play_by_typing(self.get_called_player(channel), channel)
        raise AssertionError(f"the match was not over after {turns} turns")

    def list_member_lookups(self) -> list[str]:
        return [one.path for one in self.env.http_requests if one.method == "GET" and "/members/" in one.path]

    def iterate_request_bodies(self, method: str, path: str) -> Iterator[dict[str, object]]:
        """Yield the bodies of the bot's requests to paths with this ending."""
        for entry in self.env.http_requests:
            if entry.method == method and entry.path.endswith(path):
                assert isinstance(entry.json, dict)
                yield entry.json


TABLE_BUTTONS = {"Join", "My hand", "Rematch", "Open again"}
"""Every lobby or board has one of these buttons."""
