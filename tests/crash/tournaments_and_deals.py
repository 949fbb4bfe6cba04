"""Knock-out tournaments and weekly deals during kills, and the checks of their results."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

import aiohttp

from bot.duplicates.service import DealRequest
from bot.playground.discord_limits import PageError
from data.store.connection.faults import DatabaseUnavailable
from data.store.connection.schema import to_mapping
from data.store.connection.store_errors import StaleVersion
from data.store.duplicates.deals import SealedDeal, WeeklyDeal
from data.store.duplicates.store import DealStore
from data.store.leagues.seasons import DUE_NOW, NewSeason, SeasonChange
from data.store.leagues.store import SeasonStore
from engine.leagues import decide_season, replay_season
from engine.leagues.commands import AnnounceSeason, RunSeason
from engine.leagues.season import Conditions
from tests.crash.fast_clock import hurried
from tests.crash.simulated_players import Group, Terms
from tests.crash.stored_rows import StoredRows

if TYPE_CHECKING:
    from tests.crash.delivered_messages import DeliveryLog

MINUTE: Final = 60_000  # Two seconds of real time
SIGNUP, ROUND, SEALED = 60 * MINUTE, 3 * MINUTE, 12 * MINUTE
MATCH: Final = {"game": "triominoes", "target": 60}
SEASON_POST: Final = re.compile(r"season(\d+)(signup|running|over|off)\d*")
DEAL_POST: Final = re.compile(r"deal-([0-9a-f]+)-[so]-[0-9a-f]+")
GATHERED: Final = ("over", "off")


class Evening(Group):
    """Four players who sign up for one knock-out tournament and leave its matches when a round ends."""

    begun: bool = False

    async def stay(self) -> None:
        while not (self.begun and self.leaving.is_set()):
            with suppress(DatabaseUnavailable, PageError, TimeoutError, aiohttp.ClientError, StaleVersion):
                await self._next()
            await asyncio.sleep(0.4)

    async def _next(self) -> None:
        guild = self.guild
        heads = [
            one
            for one in await SeasonStore(self.store.transactions).list_seasons(guild)
            if one.channel_id == int(self.channel)
        ]
        if not heads:
            now = hurried()
            conditions = Conditions(
                name="Evening",
                clock="live 10m",
                signup_until=now + SIGNUP,
                length=0,
                at_once=1,
                kind="knockout",
                round_time=ROUND,
                **MATCH,
            )
            events = decide_season(None, AnnounceSeason(conditions), now)
            new = NewSeason(guild_id=guild, channel_id=int(self.channel), events=events, due_at=DUE_NOW)
            await SeasonStore(self.store.transactions).announce_season(new, now=now)
        elif heads[0].state == "signup":
            newest = (await SeasonStore(self.store.transactions).list_season_messages(heads[0].season_id))[-1:]
            if not newest or newest[0].message_id is None:
                return
            message = await self.people[0].fetch_message(self.channel, str(newest[0].message_id))
            for person in self.people:
                await person.click(message, label="Sign up")
                self.asked += 1
            await self._begin(heads[0].season_id)
        else:
            self.begun = self.begun or heads[0].state != "signup"

    async def _begin(self, season_id: int) -> None:
        kept = await SeasonStore(self.store.transactions).find_season(season_id)
        if kept is None or len(kept.user_ids) < len(self.people):
            return
        season, now = replay_season(kept.log), hurried()
        events = decide_season(season, RunSeason(early=True), now)
        change = SeasonChange(
            season_id=season_id, expected_seq=season.seq, events=events, state="running", due_at=DUE_NOW
        )
        await SeasonStore(self.store.transactions).change_season(change, now=now)


class WeeklyTable(Group):
    """Two players at a table of a weekly deal that opens soon."""

    async def _next(self) -> None:
        now = hurried()
        deals = await DealStore(self.store.transactions).list_deals(self.guild)
        if not deals:
            terms: Any = DealRequest(game="triominoes", seats=2, target=60).to_terms_dict()
            weekly = WeeklyDeal(guild_id=self.guild, channel_id=int(self.channel), terms=terms, next_at=now)
            await DealStore(self.store.transactions).set_weekly_deal(weekly)
            deal = SealedDeal(
                guild_id=self.guild,
                channel_id=int(self.channel),
                name="",
                terms=terms,
                secret=bytes(range(32)),
                made_at=now,
                closes_at=now + SEALED,
            )
            await DealStore(self.store.transactions).create_weekly_deal(weekly, deal, ["amber-otter"])
        elif deals[-1].opened_at is None:
            heads = await self.store.matches.list_heads_in_channel(int(self.channel))
            if not heads:
                await self.people[0].use_command(self.channel, "tiles", "new", deal=deals[-1].name)
            elif heads[0].state == "lobby":
                await self.people[1].use_command(self.channel, "tiles", "join")
            self.asked += 1
        await asyncio.sleep(0.4)


EVENING: Final = Terms(4, MATCH, gathers=Evening)
WEEKLY: Final = Terms(2, MATCH, gathers=WeeklyTable)


def gathered(found: StoredRows) -> bool:
    over = all(row["state"] in GATHERED and row["shown_seq"] == row["seq"] for row in found.seasons)
    over = over and len(found.season_messages) == len(found.seasons)
    told = all(row["next_at"] is None for row in found.deal_news)
    return over and told and all(row["opened_at"] is not None for row in found.deals[:1])


def told_of(nonce: str, found: StoredRows) -> bool:
    """Return whether a message without an outbox item belongs to an existing season or deal."""
    season, deal = SEASON_POST.fullmatch(nonce), DEAL_POST.fullmatch(nonce)
    if season is not None:
        return int(season[1]) in {row["season_id"] for row in found.seasons}
    return deal is not None and int(deal[1], 16) in {row["deal_id"] for row in found.deals}


def gone_wrong(found: StoredRows, ledger: DeliveryLog, threads: list[str]) -> Iterator[tuple[str, str]]:
    """Kinds of faults in tournaments and deals, with a description of each."""
    alive = Counter(str(body.get("nonce", "")) for body in ledger.alive())
    for row in found.seasons:
        number = row["season_id"]
        log = [one for one in found.season_events if one["season_id"] == number]
        if [one["seq"] for one in log] != list(range(1, row["seq"] + 1)):
            yield "broken", f"season {number}: head {row['seq']}, {len(log)} events"
        bodies = [(one["kind"], to_mapping(one["body"])) for one in log]
        pairs = Counter(
            frozenset((one["first"], one["second"]))
            for kind, body in bodies
            if kind in ("seasonbegan", "roundbegan")
            for one in body["fixtures"]
        )
        opened = Counter(body["number"] for kind, body in bodies if kind == "fixtureopened")
        decided = Counter(body["number"] for kind, body in bodies if kind == "fixturedecided")
        twice = [str(one) for counted in (pairs, opened, decided) for one, many in counted.items() if many > 1]
        for one in twice:
            yield "twice", f"season {number}: {one}"
        matches = {one["number"]: one["match_id"] for one in found.fixtures if one["season_id"] == number}
        if {body["number"]: body["match"] for kind, body in bodies if kind == "fixtureopened"} != matches:
            yield "broken", f"season {number}: its matches are not those of its log"
        if row["state"] not in GATHERED:
            yield "deadlines", f"season {number} is {row['state']}"
        for fixture in matches:
            if (many := sum(name.endswith(f" · {number}.{fixture}") for name in threads)) != 1:
                yield "doubled", f"season {number}: {many} threads for fixture {fixture}"
        standing = [nonce for nonce in alive if nonce.startswith(f"season{number}{row['state']}")]
        others = [nonce for nonce in alive if (named := SEASON_POST.fullmatch(nonce)) and int(named[1]) == number]
        if len(standing) != 1:
            yield "missing", f"season {number} is {row['state']}, and says so {len(standing)} times"
        if len(others) > 1:
            yield "left", f"season {number}: {others}"
    for row in found.deals:
        here = [one["match_id"] for one in found.deal_matches if one["deal_id"] == row["deal_id"]]
        for match_id in here:
            many = sum(one["kind"] == "dealopened" for one in found.events[match_id])
            if many != (row["opened_at"] is not None):
                yield "twice", f"deal {row['deal_id']} was opened {many} times at table {match_id}"
    if found.deals and found.deals[0]["opened_at"] is None:
        yield "deadlines", f"deal {found.deals[0]['deal_id']} is sealed"
    if len(found.deals) > 2:
        yield "twice", f"{len(found.deals)} deals of one week and the next"
