"""Builds the bot: creates its parts and connects them."""

import secrets
from collections.abc import Callable, Mapping
from random import SystemRandom

from bot.client import Boneyard
from bot.computers.external_players import ExternalPlayers
from bot.computers.hints import HintService
from bot.computers.service import MOVE_DELAY, NO_DELAY, ComputerPlayers
from bot.computers.thinking import MoveChooser
from bot.computers.worker_pool import WorkerPool
from bot.core.admission import Admission, create_unlimited_admission
from bot.core.environment import read_clock
from bot.core.guild_settings import Guilds
from bot.core.languages import Languages, PersonalSettings
from bot.core.names import GuildCache, NameCache
from bot.core.privacy import Privacy
from bot.core.services import App, Services
from bot.core.user_settings import UserSettings
from bot.features import load
from bot.operating.sharding import ONE_SHARD, ShardAssignment
from bot.sending.alerts import Alerts
from bot.sending.announcer import Announcer
from bot.sending.cleanup import Cleanup, ClockCorrection
from bot.sending.departures import Departures
from bot.sending.guild_presence import Presence
from bot.sending.live_hands import LiveHands
from bot.sending.outage_credit import OutageCredit
from bot.sending.posts import ModerationPosts, QuarantinePosts, QuestionPosts, SeatPosts, TimePosts
from bot.sending.publisher import Publisher
from bot.sending.scheduler import Scheduler
from bot.sending.scroll import ScrollCounter
from bot.sending.sender import Sender
from bot.tables.acts import QuarantineRestorer, TableActions
from bot.tables.service import LobbyFinder, TableCache
from data.store.store import Store
from engine.match.shuffle import SECRET_BYTES


def build(
    store: Store,
    *,
    clock: Callable[[], int] = read_clock,
    secret: Callable[[], bytes] | None = None,
    presses: bool | None = None,
    admission: Admission | None = None,
    division: ShardAssignment = ONE_SHARD,
    thinking: MoveChooser | None = None,
    programs: ExternalPlayers | None = None,
    workers: Mapping[str, WorkerPool] | None = None,
    guild_ready_timeout: float = 2.0,
) -> Boneyard:
    """Return a client with all its services, around an open store.

    With `secret`, as in tests, clicks add no entropy unless `presses` is set, and computers move at once. `admission`
    limits users' rates, `thinking` chooses moves of computers, `workers` are worker pools by feature.
    """
    client = Boneyard(division, guild_ready_timeout=guild_ready_timeout)
    tables = TableCache(store, clock)
    chosen = secret or (lambda: secrets.token_bytes(SECRET_BYTES))
    acts = TableActions(store, tables, clock, chosen, presses=secret is None if presses is None else presses)
    people, guilds = UserSettings(store, tables, acts, clock), Guilds(store, clock)
    servers = GuildCache(client, clock)
    programs = programs or ExternalPlayers()
    names = NameCache(client, servers, clock, tuple(programs.commands))
    personal = PersonalSettings(store, clock)
    languages = Languages(servers, store, guilds, personal, names)
    sender, scroll = Sender(client, clock), ScrollCounter()
    live_hands = LiveHands(tables, languages, clock)
    publisher = Publisher(sender, store, tables, languages, scroll, live_hands, clock)
    publisher.writers |= QuestionPosts(sender, store, names, languages, acts).writers
    publisher.writers |= SeatPosts(sender, store, names, languages).writers
    publisher.writers |= TimePosts(sender, store, names, languages).writers
    publisher.writers |= ModerationPosts(store, names, languages).writers
    publisher.writers |= QuarantinePosts(store, names, languages).writers
    announcer = Announcer(publisher, sender, store, languages, scroll, clock)
    departures = Departures(store, tables, acts, names, announcer, clock)
    publisher.on_call = departures.check_called
    lobbies = LobbyFinder(store, tables, guilds, clock)
    chance, pace = SystemRandom(), MOVE_DELAY if secret is None else NO_DELAY
    chooser = thinking or MoveChooser(chance, WorkerPool())
    computers = ComputerPlayers(tables, acts, chooser, programs, clock, chance, delay=pace)
    presence, steps = Presence(store, clock), ClockCorrection(store, acts, clock)
    scheduler = Scheduler(
        store,
        OutageCredit(store, tables, acts),
        people,
        tables,
        computers,
        announcer,
        presence,
        steps,
        QuarantineRestorer(store, tables, acts, clock),
        clock,
    )
    client.services = Services(
        store=store,
        tables=tables,
        acts=acts,
        user_settings=people,
        personal=personal,
        guilds=guilds,
        lobbies=lobbies,
        privacy=Privacy(store, acts, clock),
        scheduler=scheduler,
        presence=presence,
        announcer=announcer,
        departures=departures,
        live_hands=live_hands,
        alerts=Alerts(sender, store, tables, lobbies, languages, names, announcer, clock),
        cleanup=Cleanup(store, clock),
        admission=admission or create_unlimited_admission(),
        names=names.with_short_wait(),
        languages=languages,
        hints=HintService(chooser),
        programs=programs,
        now=clock,
    )
    app = App(client.services, client, sender, publisher, names, chosen, workers or {})
    app.sweep_jobs.append(departures.sweep)
    for feature in load():
        feature.register(app)
    client.install(app)
    return client
