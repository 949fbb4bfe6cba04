"""Everything a handler may need, in one value that `bot.operating.wiring` puts together."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from bot.base.admission import Admission
from bot.posting.alerts import Alerts
from bot.posting.announcer import Announcer
from bot.posting.awaited_reviews import AwaitedReviews
from bot.posting.cleanup import Cleanup
from bot.posting.deal_news import DealNewsPosts
from bot.posting.deal_posts import DealPosts
from bot.posting.live_hands import LiveHands
from bot.posting.presence import Presence
from bot.posting.scheduler import Scheduler
from bot.posting.seasons import Seasons
from bot.service.acts import Acts
from bot.service.daily import Dailies
from bot.service.deals import DuplicateDeals
from bot.service.figures import Figures
from bot.service.guild_settings import Guilds
from bot.service.hints import Hints
from bot.service.invitations import Offers
from bot.service.leagues import LeagueBook
from bot.service.open_lobbies import OpenLobbies
from bot.service.people import People
from bot.service.privacy import Privacy
from bot.service.programs import Programs
from bot.service.reviews import Reviews
from bot.service.score_attack import ScoreAttackDays
from bot.service.season_titles import SeasonTitles
from bot.service.tables import Tables
from bot.views.films import Films
from bot.views.languages import Languages, PersonalSettings
from bot.views.names import NameBook
from data.store import Store


@dataclass(frozen=True, slots=True)
class Services:
    """The use cases, and who says what they led to."""

    store: Store
    tables: Tables
    acts: Acts
    people: People
    personal: PersonalSettings
    guilds: Guilds
    lobbies: OpenLobbies
    privacy: Privacy
    scheduler: Scheduler
    presence: Presence
    announcer: Announcer
    live_hands: LiveHands
    alerts: Alerts
    leagues: LeagueBook
    titles: SeasonTitles
    seasons: Seasons
    cleanup: Cleanup
    admission: Admission
    names: NameBook
    languages: Languages
    films: Films
    hints: Hints
    programs: Programs
    reviews: Reviews
    awaited: AwaitedReviews
    deals: DuplicateDeals
    deal_posts: DealPosts
    deal_news: DealNewsPosts
    figures: Figures
    attacks: ScoreAttackDays
    dailies: Dailies
    now: Callable[[], int]
    """UTC epoch ms."""
    offers: Offers = field(default_factory=Offers)


class Served(Protocol):
    """A client that carries them: `bot.operating.client.Boneyard`."""

    services: Services
