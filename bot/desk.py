"""Everything a handler may need, in one value that `bot.wiring` puts together."""

from collections.abc import Callable
from dataclasses import dataclass

from bot.announce import Announcer
from bot.clockwork import Clockwork
from bot.door import Door
from bot.names import NameBook
from bot.service.absence import Absence
from bot.service.agreements import Agreements
from bot.service.house import House
from bot.service.lobby import Lobby
from bot.service.matches import Matches
from bot.service.moderation import Moderation
from bot.service.privacy import Privacy
from bot.service.tables import Tables
from bot.tidying import Tidying
from bot.tongues import Tongues
from data.store import Store


@dataclass(frozen=True, slots=True)
class Desk:
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
    clockwork: Clockwork
    announcer: Announcer
    tidying: Tidying
    door: Door
    names: NameBook
    tongues: Tongues
    now: Callable[[], int]
    """UTC epoch ms."""
