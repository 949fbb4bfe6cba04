"""Everything a handler may need, in one value that `bot.operating.wiring` puts together."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from bot.base.admission import Admission
from bot.posting.announcer import Announcer
from bot.posting.cleanup import Cleanup
from bot.posting.scheduler import Scheduler
from bot.service.absence import Absence
from bot.service.agreements import Agreements
from bot.service.house import House
from bot.service.lobby import Lobby
from bot.service.matches import Matches
from bot.service.moderation import Moderation
from bot.service.privacy import Privacy
from bot.service.tables import Tables
from bot.views.languages import Languages
from bot.views.names import NameBook
from data.store import Store


@dataclass(frozen=True, slots=True)
class Services:
    """The use cases, and who says what they led to."""

    store: Store
    tables: Tables
    lobby: Lobby
    matches: Matches
    agreements: Agreements
    absence: Absence
    house: House
    moderation: Moderation
    privacy: Privacy
    scheduler: Scheduler
    announcer: Announcer
    cleanup: Cleanup
    admission: Admission
    names: NameBook
    languages: Languages
    now: Callable[[], int]
    """UTC epoch ms."""


class Served(Protocol):
    """A client that carries them: `bot.operating.client.Boneyard`."""

    services: Services
