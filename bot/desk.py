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
from bot.sheets import Sheets
from bot.tidying import Tidying
from data.store import Store
from data.words import Words


@dataclass(frozen=True, slots=True)
class Desk:
    """The use cases, the words and the pictures."""

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
    sheets: Sheets
    names: NameBook
    words: Words
    now: Callable[[], int]
    """UTC epoch ms."""
