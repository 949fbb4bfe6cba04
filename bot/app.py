"""Builds the bot: creates its parts and connects them."""

import secrets
from collections.abc import Callable, Mapping
from random import SystemRandom

from bot.client import Boneyard
from bot.computers.external_players import Programs
from bot.computers.hints import Hints
from bot.computers.service import AT_ONCE, UNHURRIED, Computers
from bot.computers.thinking import Chooser
from bot.computers.worker_pool import Workers
from bot.core.admission import Admission, open_to_all
from bot.core.environment import now
from bot.core.guild_settings import Guilds
from bot.core.languages import Languages, PersonalSettings
from bot.core.names import NameBook, Servers
from bot.core.privacy import Privacy
from bot.core.services import App, Services
from bot.core.user_settings import People
from bot.features import load
from bot.operating.sharding import ONE, Division
from bot.sending.alerts import Alerts
from bot.sending.announcer import Announcer
from bot.sending.cleanup import Cleanup, ClockSteps
from bot.sending.guild_presence import Presence
from bot.sending.live_hands import LiveHands
from bot.sending.outage_credit import Repayment
from bot.sending.posts import ModerationPosts, QuarantinePosts, QuestionPosts, SeatPosts, TimePosts
from bot.sending.publisher import Publisher
from bot.sending.scheduler import Scheduler
from bot.sending.scroll import Scroll
from bot.sending.sender import Sender
from bot.tables.acts import Acts, QuarantineCheck
from bot.tables.service import OpenLobbies, Tables
from data.store.store import Store
from engine.match.shuffle import SECRET_BYTES


def build(
    store: Store,
    *,
    clock: Callable[[], int] = now,
    secret: Callable[[], bytes] | None = None,
    presses: bool | None = None,
    admission: Admission | None = None,
    division: Division = ONE,
    thinking: Chooser | None = None,
    programs: Programs | None = None,
    workers: Mapping[str, Workers] | None = None,
    guild_ready_timeout: float = 2.0,
) -> Boneyard:
    """Return a client with all its services, around an open store.

    With `secret`, as in tests, clicks add no entropy unless `presses` is set, and computers move at once. `admission`
    limits users' rates, `thinking` chooses moves of computers, `workers` are worker pools by feature.
    """
    client = Boneyard(division, guild_ready_timeout=guild_ready_timeout)
    tables = Tables(store, clock)
    chosen = secret or (lambda: secrets.token_bytes(SECRET_BYTES))
    acts = Acts(store, tables, clock, chosen, presses=secret is None if presses is None else presses)
    people, guilds = People(store, tables, acts, clock), Guilds(store, clock)
    servers = Servers(client, clock)
    programs = programs or Programs()
    names = NameBook(client, servers, clock, tuple(programs.commands))
    personal = PersonalSettings(store, clock)
    languages = Languages(servers, store, guilds, personal, names)
    sender, scroll = Sender(client, clock), Scroll()
    live_hands = LiveHands(tables, languages, clock)
    publisher = Publisher(sender, store, tables, languages, scroll, live_hands, clock)
    publisher.writers |= QuestionPosts(sender, store, names, languages, acts).writers
    publisher.writers |= SeatPosts(sender, store, names, languages).writers
    publisher.writers |= TimePosts(sender, store, names, languages).writers
    publisher.writers |= ModerationPosts(store, names, languages).writers
    publisher.writers |= QuarantinePosts(store, names, languages).writers
    announcer = Announcer(publisher, sender, store, languages, scroll, clock)
    lobbies = OpenLobbies(store, tables, guilds, clock)
    chance, pace = SystemRandom(), UNHURRIED if secret is None else AT_ONCE
    chooser = thinking or Chooser(chance, Workers())
    computers = Computers(tables, acts, chooser, programs, clock, chance, pace=pace)
    presence, steps = Presence(store, clock), ClockSteps(store, acts, clock)
    scheduler = Scheduler(
        store,
        Repayment(store, tables, acts),
        people,
        tables,
        computers,
        announcer,
        presence,
        steps,
        QuarantineCheck(store, tables, acts, clock),
        clock,
    )
    client.services = Services(
        store=store,
        tables=tables,
        acts=acts,
        people=people,
        personal=personal,
        guilds=guilds,
        lobbies=lobbies,
        privacy=Privacy(store, acts, clock),
        scheduler=scheduler,
        presence=presence,
        announcer=announcer,
        live_hands=live_hands,
        alerts=Alerts(sender, store, tables, lobbies, languages, names, announcer, clock),
        cleanup=Cleanup(store, clock),
        admission=admission or open_to_all(),
        names=names.hurried(),
        languages=languages,
        hints=Hints(chooser),
        programs=programs,
        now=clock,
    )
    app = App(client.services, client, sender, publisher, names, chosen, workers or {})
    for feature in load():
        feature.register(app)
    client.use(app)
    return client
