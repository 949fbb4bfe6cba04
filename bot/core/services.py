"""Everything a handler may need, in one value that `bot.app` puts together."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from bot.computers.external_players import Programs
from bot.core.admission import Admission
from bot.core.guild_settings import Guilds
from bot.core.languages import Languages, PersonalSettings
from bot.core.names import NameBook
from bot.core.privacy import Privacy
from bot.core.user_settings import People
from bot.duplicates.posts import DealNewsPosts, DealPosts
from bot.duplicates.service import DuplicateDeals
from bot.history.films import Films
from bot.leagues.season_jobs import Seasons
from bot.leagues.service import LeagueBook, SeasonTitles
from bot.puzzles.service import Dailies
from bot.reviews.posts import AwaitedReviews
from bot.reviews.service import Reviews
from bot.sending.alerts import Alerts
from bot.sending.announcer import Announcer
from bot.sending.cleanup import Cleanup
from bot.sending.guild_presence import Presence
from bot.sending.live_hands import LiveHands
from bot.sending.scheduler import Scheduler
from bot.solo.service import Figures, ScoreAttackDays
from bot.tables.acts import Acts
from bot.tables.hints import Hints
from bot.tables.lobbies import Offers
from bot.tables.service import OpenLobbies, Tables
from data.store.store import Store


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
    """A client that carries them: `bot.client.Boneyard`."""

    services: Services
