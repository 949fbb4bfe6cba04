"""Sealed deals: make them, sit down at their tables, open them, and compare the tables."""

import secrets
import tomllib
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from random import Random
from statistics import fmean
from typing import Any, Final

from bot.tables.lobbies import DealSeats, Invitation, agreed
from bot.tables.service import Tables
from data.store.duplicates.deals import SealedDeal, WeeklyDeal, WeeklySet
from data.store.duplicates.store import DealStore
from data.store.store import Store
from engine.match.shuffle import seed_of
from engine.table.refusals import No, Refused
from engine.table.table_events import OF_MATCH, is_sealed
from engine.table.table_state import TableState
from engine.table.terms import DAY, HOUR, Terms

PAIR = 2  # the tables, and the seats of each, of a match of two teams


@dataclass(frozen=True, slots=True)
class SeatLine:
    """The result of one seat at one table."""

    match_id: int
    seat: int
    user_id: int | None  # None for a computer, or after the user's data was erased
    computer: str | None
    total: int


@dataclass(frozen=True, slots=True)
class LinePlaced:
    """A line compared with the field."""

    line: SeatLine
    ahead: float  # points above the mean of all results of this seat
    place: int  # from 1; equal lines share one


@dataclass(frozen=True, slots=True)
class Field:
    """The compared results, best first."""

    placed: tuple[LinePlaced, ...]
    means: tuple[float, ...]  # by seat, over all tables that count
    tables: int  # the tables that count
    spoilt: int  # tables that do not count: a player left, or the match cannot be read
    running: int  # tables that are being played, or were when the deal was opened

    @property
    def teams(self) -> tuple[tuple[SeatLine, SeatLine], tuple[SeatLine, SeatLine]] | None:
        """The two teams: the first seat of each table plays with the second seat of the other."""
        if self.tables != PAIR or len(self.means) != PAIR:
            return None
        at = sorted((one.line for one in self.placed), key=lambda line: (line.match_id, line.seat))
        return (at[0], at[3]), (at[2], at[1])


def compared(lines: Sequence[SeatLine], *, spoilt: int = 0, running: int = 0) -> Field:
    """Compare tables that have the same seats. The differences of a seat add up to 0."""
    seats = 1 + max((line.seat for line in lines), default=-1)
    means = tuple(fmean(line.total for line in lines if line.seat == seat) for seat in range(seats))
    ahead = {line: line.total - means[line.seat] for line in lines}
    order = sorted(lines, key=lambda line: (-ahead[line], line.match_id, line.seat))
    placed = tuple(LinePlaced(one, ahead[one], 1 + sum(ahead[other] > ahead[one] for other in lines)) for one in order)
    return Field(placed, means, len({line.match_id for line in lines}), spoilt, running)


MOST_SEALED: Final = 10  # the most sealed deals of a server
MOST_DAYS: Final = 28  # the longest time that a deal is sealed
WEEK: Final = 7 * DAY
FRESH: Final = HOUR  # milliseconds for which an unplayed deal keeps its place
NAMES_DRAWN: Final = 50  # names that are drawn before one with a number


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    game: str
    seats: int
    target: int | None = None
    preset: str = "default"
    options: tuple[str, ...] = ()
    days: int = 7
    tables: int = 0

    def told(self) -> dict[str, Any]:
        """Return what all its tables play, as plain values."""
        return {
            "game": self.game,
            "seats": self.seats,
            "target": self.target,
            "preset": self.preset,
            "options": list(self.options),
        }


class DuplicateDeals(DealSeats):
    def __init__(self, store: Store, tables: Tables, now: Callable[[], int], secret: Callable[[], bytes]) -> None:
        self._store = store
        self._deal_store = DealStore(store.transactions)
        self._tables = tables
        self._now = now
        self._secret = secret

    async def make(self, guild_id: int, channel_id: int, wanted: Wanted) -> SealedDeal:
        """Make a deal. Raises Refused(DEALS_ENOUGH), and what `agreed` raises."""
        agreed(_invitation(wanted.told(), guild_id, channel_id))
        await self._check_room(guild_id)
        deal = self._drawn(guild_id, channel_id, wanted.told(), self._now() + wanted.days * DAY, wanted.tables)
        for name in _drawn_names():
            if (made := await self._deal_store.make_deal(replace(deal, name=name))) is not None:
                return made
        raise RuntimeError("a server has all names of deals there are")

    async def agreed(self, asked: Invitation) -> tuple[Terms, SealedDeal | None]:
        """Return the terms of a table and its sealed deal. Raises what `sealed`, `terms_of` and `agreed` raise."""
        if not asked.deal:
            return agreed(asked), None
        deal = await self.sealed(asked)
        return terms_of(deal, asked), deal

    async def sealed(self, asked: Invitation) -> SealedDeal:
        """Return the deal of a new table. Raises Refused(NO_SUCH_DEAL, DEAL_OVER, DEAL_SEEN, ...)."""
        named = asked.deal.strip().lower().removeprefix("#")
        number = int(named) if named.isdecimal() and len(named) <= 12 else 0
        deal = await self._deal_store.deal(asked.guild_id, f"{OF_MATCH}{number}" if number else named)
        if deal is None and named.isdecimal():
            deal = await self._of_match(asked, number)
        if deal is None:
            raise Refused(No.NO_SUCH_DEAL, text=asked.deal[:40])
        if deal.opened_at is not None or deal.closes_at <= self._now():
            raise Refused(No.DEAL_OVER)
        await self._check(deal, {asked.host_id}, 0)
        return deal

    async def _check_room(self, guild_id: int) -> None:
        """Raise Refused(DEALS_ENOUGH) if a server has too many deals. It drops an old unplayed deal first."""
        if await self._deal_store.sealed_deals(guild_id) < MOST_SEALED:
            return
        if not await self._deal_store.drop_unplayed_deal(guild_id, before=self._now() - FRESH):
            raise Refused(No.DEALS_ENOUGH, most=MOST_SEALED)

    async def _of_match(self, asked: Invitation, number: int) -> SealedDeal:
        """Return a deal of the tiles of a finished match. Raises Refused(DEAL_MATCH, DEAL_SEEN)."""
        head = await self._store.matches.head(number)
        over = head is not None and head.guild_id == asked.guild_id and head.state == "done"
        table = await self._tables.load(number) if over else None
        if table is None or table.event_log is None or table.terms.guided or is_sealed(table.state):
            raise Refused(No.DEAL_MATCH)
        if asked.host_id in table.state.played:
            raise Refused(No.DEAL_SEEN, people=(asked.host_id,))
        await self._check_room(asked.guild_id)
        terms, now = table.terms, self._now()
        deal = SealedDeal(
            guild_id=asked.guild_id,
            channel_id=asked.channel_id,
            name=f"{OF_MATCH}{number}",
            terms={
                "game": terms.game,
                "seats": len(table.seats),
                "target": terms.target,
                "preset": terms.preset,
                "options": [f"{name}={value}" for name, value in terms.options.items()],
            },
            # The secret of that match decides all tiles of the new deal.
            secret=seed_of(table.head.secret, table.event_log.match.contributions),
            made_at=table.head.created_at,  # users whose data was erased may have played it
            closes_at=now + WEEK,
        )
        made = await self._deal_store.make_deal(deal, of_match=number, seen_by=table.state.played)
        if made is None:
            raise Refused(No.STALE)  # another process has made the same deal
        return made

    async def check(self, guild_id: int, match_id: int, table: TableState, people: Collection[int]) -> None:
        """Raise Refused(DEAL_SEEN, DEAL_FORGOTTEN) if one of these users may not play a sealed deal at this table."""
        deal = await self._deal_store.deal(guild_id, table.terms.deal)
        if deal is not None and deal.opened_at is None:
            await self._check(deal, people, match_id)

    async def _check(self, deal: SealedDeal, people: Collection[int], match_id: int) -> None:
        found = await self._deal_store.deal_refusal(deal, people, match_id=match_id)
        if found is not None:
            why, user_id = found
            raise Refused(No.DEAL_SEEN if why == "seen" else No.DEAL_FORGOTTEN, people=(user_id,))

    async def field(self, deal: SealedDeal) -> Field:
        """Compare the tables of a deal. The result is computed from their event logs."""
        heads = await self._deal_store.deal_tables(deal.deal_id)
        lines: list[SeatLine] = []
        running = spoilt = 0
        for head in heads:
            if head.state != "done":
                running += head.state == "open"
                continue
            try:
                table = await self._tables.at(head)
            except Refused:
                spoilt += 1  # unreadable log
                continue
            match = table.match
            if table.state.deal_outrun:
                running += 1
                continue
            if match.left or match.ended is None or (deal.opened_at is not None and table.state.ended):
                spoilt += 1
                continue
            for row, total in zip(table.seats, match.ended.totals, strict=True):
                lines.append(SeatLine(head.match_id, row.seat, row.user_id, row.computer, total))
        return compared(lines, spoilt=spoilt, running=running)

    async def open_due(self) -> list[int]:
        """Open the deals that are due. Return the tables that have to be shown again."""
        shown: list[int] = []
        for deal in await self._deal_store.deals_due(self._now()):
            shown += await self._deal_store.open_deal(deal.deal_id, now=self._now())
        return shown

    async def make_weekly(self) -> list[SealedDeal]:
        """Make the weekly deals that are due and return them; after a long outage one for each server."""
        made: list[SealedDeal] = []
        for weekly in await self._deal_store.weekly_deals_due(self._now()):
            this_week = await self.make_this_week(weekly)
            made += [] if this_week is None else [this_week]
        return made

    async def make_this_week(self, weekly: WeeklyDeal) -> SealedDeal | None:
        """Make the due deal of one server. None if another process has made it."""
        behind = max(0, self._now() - weekly.next_at) // WEEK
        until = weekly.next_at + (behind + 1) * WEEK
        deal = self._drawn(weekly.guild_id, weekly.channel_id, dict(weekly.terms), until)
        return await self._deal_store.make_weekly_deal(weekly, deal, _drawn_names())

    async def set_weekly(self, guild_id: int, channel_id: int, wanted: Wanted) -> WeeklySet:
        """Make a deal every week: now, or when the current one is opened, never two a week. Raises as `make` does."""
        agreed(_invitation(wanted.told(), guild_id, channel_id))
        if await self.this_weeks(guild_id) is None:
            await self._check_room(guild_id)
        weekly = WeeklyDeal(guild_id=guild_id, channel_id=channel_id, terms=wanted.told(), next_at=self._now())
        return await self._deal_store.set_weekly_deal(weekly)

    async def this_weeks(self, guild_id: int) -> SealedDeal | None:
        return await self._deal_store.this_weeks_deal(guild_id, self._now())

    def _drawn(self, guild_id: int, channel_id: int, told: dict[str, Any], until: int, tables: int = 0) -> SealedDeal:
        return SealedDeal(
            guild_id=guild_id,
            channel_id=channel_id,
            name="",
            terms=told,
            secret=self._secret(),
            tables=tables,
            made_at=self._now(),
            closes_at=until,
        )


def _drawn_names() -> list[str]:
    """Return names for a deal to be tried in order: words, then words with a number."""
    draw = Random(secrets.randbits(64))  # noqa: S311 - a name hides nothing
    first, second = names()
    plain = [f"{draw.choice(first)}-{draw.choice(second)}" for _ in range(NAMES_DRAWN)]
    return [*plain, *(f"{name}-{draw.randrange(2, 10_000)}" for name in plain)]


def terms_of(deal: SealedDeal, asked: Invitation) -> Terms:
    """Return the terms of a table: those of the deal, with the clock, theme and company of this table.

    Raises Refused(DEAL_SAYS) if other rules were asked for, and what `agreed` raises.
    """
    own = (asked.seats, asked.target, asked.options, asked.by_hand)
    if own != (None, None, (), False):
        raise Refused(No.DEAL_SAYS)
    fixed = _invitation(dict(deal.terms), asked.guild_id, asked.channel_id)
    asked = replace(
        asked,
        game=fixed.game,
        seats=fixed.seats,
        target=fixed.target,
        preset=fixed.preset,
        options=fixed.options,
        deal=deal.name,
    )
    # Anyone may have read the record of a finished match.
    rated = asked.rated and not deal.name.startswith(OF_MATCH)
    return replace(agreed(asked), deal=deal.name, deal_until=deal.closes_at, rated=rated)


def common_terms(deal: SealedDeal) -> Terms:
    return terms_of(deal, Invitation(guild_id=deal.guild_id, channel_id=deal.channel_id, host_id=0, game=""))


def _invitation(told: dict[str, Any], guild_id: int, channel_id: int) -> Invitation:
    return Invitation(
        guild_id=guild_id,
        channel_id=channel_id,
        host_id=0,
        game=str(told["game"]),
        seats=told["seats"],
        target=told["target"],
        preset=str(told["preset"]),
        options=tuple(told["options"]),
    )


@cache
def names() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the first and the second words of deal names."""
    lists = tomllib.loads(files("data").joinpath("deals.toml").read_text(encoding="utf-8"))
    return tuple(lists["first"]), tuple(lists["second"])
