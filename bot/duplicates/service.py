"""Sealed deals: make them, sit down at their tables, open them, and compare the tables."""

import secrets
import tomllib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from random import Random
from statistics import fmean
from typing import Any, Final

from bot.tables.lobbies import DealAccess, TableRequest, resolve_terms
from bot.tables.service import TableCache
from data.store.duplicates.deals import SealedDeal, WeeklyDeal, WeeklyDealUpdate
from data.store.duplicates.store import DealStore
from data.store.store import Store
from engine.match.shuffle import derive_seed
from engine.table.refusals import Refusal, RefusalError
from engine.table.table_events import MATCH_DEAL_PREFIX, is_sealed
from engine.table.table_state import TableState
from engine.table.terms import DAY, HOUR, Terms

TEAM_COUNT = 2  # the tables, and the seats of each, of a match of two teams


@dataclass(frozen=True, slots=True)
class SeatResult:
    """The result of one seat at one table."""

    match_id: int
    seat: int
    user_id: int | None  # None for a computer, or after the user's data was erased
    computer: str | None
    total: int


Team = tuple[SeatResult, SeatResult]


@dataclass(frozen=True, slots=True)
class RankedResult:
    """A line compared with the field."""

    result: SeatResult
    lead: float  # points above the mean of all results of this seat
    place: int  # from 1; equal lines share one


@dataclass(frozen=True, slots=True)
class Field:
    """The compared results, best first."""

    ranking: tuple[RankedResult, ...]
    means: tuple[float, ...]  # by seat, over all tables that count
    tables: int  # the tables that count
    excluded_tables: int  # tables that do not count: a player left, or the match cannot be read
    running_tables: int  # tables that are being played, or were when the deal was opened

    @property
    def teams(self) -> tuple[Team, Team] | None:
        """The two teams: the first seat of each table plays with the second seat of the other."""
        if self.tables != TEAM_COUNT or len(self.means) != TEAM_COUNT:
            return None
        at = sorted((one.result for one in self.ranking), key=lambda line: (line.match_id, line.seat))
        return (at[0], at[3]), (at[2], at[1])


def compare_results(results: Sequence[SeatResult], *, excluded_tables: int = 0, running_tables: int = 0) -> Field:
    """Compare tables that have the same seats. The differences of a seat add up to 0."""
    seats = 1 + max((line.seat for line in results), default=-1)
    means = tuple(fmean(line.total for line in results if line.seat == seat) for seat in range(seats))
    leads = {line: line.total - means[line.seat] for line in results}
    order = sorted(results, key=lambda line: (-leads[line], line.match_id, line.seat))
    placed = tuple(
        RankedResult(one, leads[one], 1 + sum(leads[other] > leads[one] for other in results)) for one in order
    )
    return Field(placed, means, len({line.match_id for line in results}), excluded_tables, running_tables)


MAX_SEALED_DEALS: Final = 10  # the most sealed deals of a server
MAX_DAYS: Final = 28  # the longest time that a deal is sealed
WEEK: Final = 7 * DAY
UNPLAYED_LIFETIME: Final = HOUR  # milliseconds for which an unplayed deal keeps its place
NAME_ATTEMPTS: Final = 50  # names that are drawn before one with a number


@dataclass(frozen=True, slots=True, kw_only=True)
class DealRequest:
    game: str
    seats: int
    target: int | None = None
    preset: str = "default"
    options: tuple[str, ...] = ()
    days: int = 7
    tables: int = 0

    def to_terms_dict(self) -> dict[str, Any]:
        """Return what all its tables play, as plain values."""
        return {
            "game": self.game,
            "seats": self.seats,
            "target": self.target,
            "preset": self.preset,
            "options": list(self.options),
        }


class DuplicateDeals(DealAccess):
    def __init__(self, store: Store, tables: TableCache, now: Callable[[], int], secret: Callable[[], bytes]) -> None:
        self._store = store
        self._deal_store = DealStore(store.transactions)
        self._tables = tables
        self._now = now
        self._secret = secret

    async def create(self, guild_id: int, channel_id: int, deal_request: DealRequest) -> SealedDeal:
        """Make a deal. Raises RefusalError(DEALS_ENOUGH), and what `resolve_terms_and_deal` raises."""
        terms = deal_request.to_terms_dict()
        resolve_terms(_build_table_request(terms, guild_id, channel_id))
        await self._check_room(guild_id)
        until = self._now() + deal_request.days * DAY
        deal = self._build_deal(guild_id, channel_id, terms, until, deal_request.tables)
        for name in _draw_names():
            if (made := await self._deal_store.create_deal(replace(deal, name=name))) is not None:
                return made
        raise RuntimeError("a server has all names of deals there are")

    async def resolve_terms_and_deal(self, table_request: TableRequest) -> tuple[Terms, SealedDeal | None]:
        """Return the terms of a table and its sealed deal. Raises what `resolve_sealed_deal`, `build_table_terms` and
        `resolve_terms_and_deal` raise.
        """
        if not table_request.deal:
            return resolve_terms(table_request), None
        deal = await self.resolve_sealed_deal(table_request)
        return build_table_terms(deal, table_request), deal

    async def resolve_sealed_deal(self, table_request: TableRequest) -> SealedDeal:
        """Return the deal of a new table. Raises RefusalError(NO_SUCH_DEAL, DEAL_OVER, DEAL_SEEN, ...)."""
        deal_name = table_request.deal.strip().lower().removeprefix("#")
        number = int(deal_name) if deal_name.isdecimal() and len(deal_name) <= 12 else 0
        stored_name = f"{MATCH_DEAL_PREFIX}{number}" if number else deal_name
        deal = await self._deal_store.find_deal(table_request.guild_id, stored_name)
        if deal is None and deal_name.isdecimal():
            deal = await self._create_from_match(table_request, number)
        if deal is None:
            raise RefusalError(Refusal.NO_SUCH_DEAL, text=table_request.deal[:40])
        if deal.opened_at is not None or deal.closes_at <= self._now():
            raise RefusalError(Refusal.DEAL_OVER)
        await self._check_users(deal, {table_request.host_id}, 0)
        return deal

    async def _check_room(self, guild_id: int) -> None:
        """Raise RefusalError(DEALS_ENOUGH) if a server has too many deals. It drops an old unplayed deal first."""
        if await self._deal_store.count_sealed_deals(guild_id) < MAX_SEALED_DEALS:
            return
        if not await self._deal_store.drop_unplayed_deal(guild_id, before=self._now() - UNPLAYED_LIFETIME):
            raise RefusalError(Refusal.DEALS_ENOUGH, most=MAX_SEALED_DEALS)

    async def _create_from_match(self, table_request: TableRequest, number: int) -> SealedDeal:
        """Return a deal of the tiles of a finished match. Raises RefusalError(DEAL_MATCH, DEAL_SEEN)."""
        head = await self._store.matches.find_head(number)
        is_finished = head is not None and head.guild_id == table_request.guild_id and head.state == "done"
        table = await self._tables.load(number) if is_finished else None
        if table is None or table.event_log is None or table.terms.guided or is_sealed(table.state):
            raise RefusalError(Refusal.DEAL_MATCH)
        if table_request.host_id in table.state.match_players:
            raise RefusalError(Refusal.DEAL_SEEN, people=(table_request.host_id,))
        await self._check_room(table_request.guild_id)
        terms, now = table.terms, self._now()
        deal = SealedDeal(
            guild_id=table_request.guild_id,
            channel_id=table_request.channel_id,
            name=f"{MATCH_DEAL_PREFIX}{number}",
            terms={
                "game": terms.game,
                "seats": len(table.seats),
                "target": terms.target,
                "preset": terms.preset,
                "options": [f"{name}={value}" for name, value in terms.options.items()],
            },
            # The secret of that match decides all tiles of the new deal.
            secret=derive_seed(table.head.secret, table.event_log.match.contributions),
            made_at=table.head.created_at,  # users whose data was erased may have played it
            closes_at=now + WEEK,
        )
        made = await self._deal_store.create_deal(deal, of_match=number, seen_by=table.state.match_players)
        if made is None:
            raise RefusalError(Refusal.STALE)  # another process has made the same deal
        return made

    async def check(self, guild_id: int, match_id: int, table: TableState, people: Collection[int]) -> None:
        """Raise RefusalError(DEAL_SEEN, DEAL_FORGOTTEN) if one of these users may not play a sealed deal at this
        table.
        """
        deal = await self._deal_store.find_deal(guild_id, table.terms.deal)
        if deal is not None and deal.opened_at is None:
            await self._check_users(deal, people, match_id)

    async def _check_users(self, deal: SealedDeal, people: Collection[int], match_id: int) -> None:
        found = await self._deal_store.find_deal_refusal(deal, people, match_id=match_id)
        if found is not None:
            why, user_id = found
            raise RefusalError(Refusal.DEAL_SEEN if why == "seen" else Refusal.DEAL_FORGOTTEN, people=(user_id,))

    async def compute_field(self, deal: SealedDeal) -> Field:
        """Compare the tables of a deal. The result is computed from their event logs."""
        heads = await self._deal_store.list_deal_tables(deal.deal_id)
        results: list[SeatResult] = []
        running_tables = excluded_tables = 0
        for head in heads:
            if head.state != "done":
                running_tables += head.state == "open"
                continue
            try:
                table = await self._tables.load_from_head(head)
            except RefusalError:
                excluded_tables += 1  # unreadable log
                continue
            match = table.match
            if table.state.has_outlived_deal:
                running_tables += 1
                continue
            if match.resigned_seats or match.ended is None or (deal.opened_at is not None and table.state.early_end):
                excluded_tables += 1
                continue
            for row, total in zip(table.seats, match.ended.totals, strict=True):
                results.append(SeatResult(head.match_id, row.seat, row.user_id, row.computer, total))
        return compare_results(results, excluded_tables=excluded_tables, running_tables=running_tables)

    async def open_due_deals(self) -> list[int]:
        """Open the deals that are due. Return the tables that have to be shown again."""
        refreshed_tables: list[int] = []
        for deal_id in await self._deal_store.list_due_deals(self._now()):
            refreshed_tables += await self._deal_store.open_deal(deal_id, now=self._now())
        return refreshed_tables

    async def create_due_weekly(self) -> list[SealedDeal]:
        """Make the weekly deals that are due and return them; after a long outage one for each server."""
        made: list[SealedDeal] = []
        for weekly in await self._deal_store.list_due_weekly_deals(self._now()):
            this_week = await self.create_this_week(weekly)
            made += [] if this_week is None else [this_week]
        return made

    async def create_this_week(self, weekly: WeeklyDeal) -> SealedDeal | None:
        """Make the due deal of one server. None if another process has made it."""
        behind = max(0, self._now() - weekly.next_at) // WEEK
        until = weekly.next_at + (behind + 1) * WEEK
        deal = self._build_deal(weekly.guild_id, weekly.channel_id, dict(weekly.terms), until)
        return await self._deal_store.create_weekly_deal(weekly, deal, _draw_names())

    async def set_weekly(self, guild_id: int, channel_id: int, deal_request: DealRequest) -> WeeklyDealUpdate:
        """Make a deal every week: now, or when the current one is opened, never two a week. Raises as `create` does."""
        terms = deal_request.to_terms_dict()
        resolve_terms(_build_table_request(terms, guild_id, channel_id))
        if await self.find_this_week(guild_id) is None:
            await self._check_room(guild_id)
        weekly = WeeklyDeal(guild_id=guild_id, channel_id=channel_id, terms=terms, next_at=self._now())
        return await self._deal_store.set_weekly_deal(weekly)

    async def find_this_week(self, guild_id: int) -> SealedDeal | None:
        return await self._deal_store.find_weekly_deal(guild_id, self._now())

    def _build_deal(
        self, guild_id: int, channel_id: int, terms: dict[str, Any], until: int, tables: int = 0
    ) -> SealedDeal:
        return SealedDeal(
            guild_id=guild_id,
            channel_id=channel_id,
            name="",
            terms=terms,
            secret=self._secret(),
            tables=tables,
            made_at=self._now(),
            closes_at=until,
        )


def _draw_names() -> list[str]:
    """Return names for a deal to be tried in order: words, then words with a number."""
    draw = Random(secrets.randbits(64))  # noqa: S311 - a name hides nothing
    first, second = load_name_words()
    word_pairs = [f"{draw.choice(first)}-{draw.choice(second)}" for _ in range(NAME_ATTEMPTS)]
    return [*word_pairs, *(f"{name}-{draw.randrange(2, 10_000)}" for name in word_pairs)]


def build_table_terms(deal: SealedDeal, table_request: TableRequest) -> Terms:
    """Return the terms of a table: those of the deal, with the clock, theme and company of this table.

    Raises RefusalError(DEAL_SAYS) if other rules were asked for, and what `resolve_terms_and_deal` raises.
    """
    requested_terms = (table_request.seats, table_request.target, table_request.options, table_request.by_hand)
    if requested_terms != (None, None, (), False):
        raise RefusalError(Refusal.DEAL_SAYS)
    table_request = replace(table_request, **_read_terms(deal.terms), deal=deal.name)
    # Anyone may have read the record of a finished match.
    rated = table_request.rated and not deal.name.startswith(MATCH_DEAL_PREFIX)
    return replace(resolve_terms(table_request), deal=deal.name, deal_until=deal.closes_at, rated=rated)


def build_common_terms(deal: SealedDeal) -> Terms:
    return build_table_terms(deal, TableRequest(guild_id=deal.guild_id, channel_id=deal.channel_id, host_id=0, game=""))


def _build_table_request(terms: Mapping[str, Any], guild_id: int, channel_id: int) -> TableRequest:
    return TableRequest(guild_id=guild_id, channel_id=channel_id, host_id=0, **_read_terms(terms))


def _read_terms(terms: Mapping[str, Any]) -> dict[str, Any]:
    """Return the stored terms of a deal as arguments of a `TableRequest`."""
    names = ("game", "seats", "target", "preset")
    return {name: terms[name] for name in names} | {"options": tuple(terms["options"])}


@cache
def load_name_words() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the first and the second words of deal names."""
    lists = tomllib.loads(files("data").joinpath("deals.toml").read_text(encoding="utf-8"))
    return tuple(lists["first"]), tuple(lists["second"])
