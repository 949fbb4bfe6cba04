"""The services of the bot, which `bot.app` connects."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar, cast

import discord
from discord import app_commands

from bot.computers.external_players import ExternalPlayers
from bot.computers.hints import HintService
from bot.computers.worker_pool import WorkerPool
from bot.core.admission import Admission
from bot.core.guild_settings import Guilds
from bot.core.languages import Languages, PersonalSettings
from bot.core.names import NameCache
from bot.core.privacy import Privacy
from bot.core.user_settings import UserSettings
from bot.sending.alerts import Alerts
from bot.sending.announcer import Announcer
from bot.sending.cleanup import Cleanup
from bot.sending.departures import Departures
from bot.sending.guild_presence import Presence
from bot.sending.live_hands import LiveHands
from bot.sending.publisher import Publisher
from bot.sending.scheduler import Scheduler
from bot.sending.sender import Sender
from bot.tables.acts import TableActions
from bot.tables.lobbies import Offers
from bot.tables.service import LobbyFinder, TableCache
from data.store.store import Store

T = TypeVar("T")
Job = Callable[[], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Services:
    store: Store
    tables: TableCache
    acts: TableActions
    user_settings: UserSettings
    personal: PersonalSettings
    guilds: Guilds
    lobbies: LobbyFinder
    privacy: Privacy
    scheduler: Scheduler
    presence: Presence
    announcer: Announcer
    departures: Departures
    live_hands: LiveHands
    alerts: Alerts
    cleanup: Cleanup
    admission: Admission
    names: NameCache
    languages: Languages
    hints: HintService
    programs: ExternalPlayers
    now: Callable[[], int]  # UTC epoch ms
    offers: Offers = field(default_factory=Offers)
    features: dict[type, Any] = field(default_factory=dict)  # added with `App.add`

    def __getitem__(self, kind: type[T]) -> T:
        """Return a feature's service by its type. Raises KeyError if the feature is not registered."""
        return cast(T, self.features[kind])


@dataclass(slots=True)
class App:
    """The parts of the core, and what features register in their `register(app)`.

    Handlers register with `bot.core.dispatch.register_handler`, subcommands with the decorator of `/tiles`, and stored
    data with `data.store.connection.hooks`, each at import.
    """

    services: Services
    client: discord.Client
    sender: Sender
    publisher: Publisher
    names: NameCache  # for posts, which may wait for Discord
    secret: Callable[[], bytes]  # draws the secret of a deal
    workers: Mapping[str, WorkerPool] = field(default_factory=dict)  # by feature, if not the default
    groups: list[app_commands.Group] = field(default_factory=list)  # command groups beside `/tiles`
    sweep_jobs: list[Job] = field(default_factory=list)  # called every few seconds
    shutdown_jobs: list[Job] = field(default_factory=list)  # called once at shutdown, before the scheduler ends
    drain_jobs: list[Job] = field(default_factory=list)  # called once at shutdown, to finish sending
    on_message: list[Callable[[discord.Message], Awaitable[None]]] = field(default_factory=list)
    on_thread_delete: list[Callable[[int, int], Awaitable[None]]] = field(default_factory=list)

    def add(self, part: T) -> T:
        """Add a feature's service; handlers find it by its type: `ctx.services[LeagueBook]`."""
        self.services.features[type(part)] = part
        return part


class ClientWithServices(Protocol):
    services: Services
