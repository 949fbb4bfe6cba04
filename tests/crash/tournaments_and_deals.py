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
from tests.crash.fast_clock import read_fast_clock
from tests.crash.simulated_players import PlayerGroup, TableTerms
from tests.crash.stored_rows import StoredRows

if TYPE_CHECKING:
    from tests.crash.delivered_messages import DeliveryLog

MINUTE: Final = 60_000  # Two seconds of real time
SIGNUP_TIME, ROUND_TIME, SEALED_TIME = 60 * MINUTE, 3 * MINUTE, 12 * MINUTE
MATCH: Final = {"game": "triominoes", "target": 60}
SEASON_POST: Final = re.compile(r"season(\d+)(signup|running|over|off)\d*")
DEAL_POST: Final = re.compile(r"deal-([0-9a-f]+)-[so]-[0-9a-f]+")
FINAL_STATES: Final = ("over", "off")


class TournamentGroup(PlayerGroup):
    """Four players who sign up for one knock-out tournament and leave its matches when a round ends."""

    has_begun: bool = False

    async def play(self) -> None:
        while not (self.has_begun and self.stop_event.is_set()):
            with suppress(DatabaseUnavailable, PageError, TimeoutError, aiohttp.ClientError, StaleVersion):
                await self._take_step()
            await asyncio.sleep(0.4)

    async def _take_step(self) -> None:
        guild = self.guild
        heads = [
            one
            for one in await SeasonStore(self.store.transactions).list_seasons(guild)
            if one.channel_id == int(self.channel)
        ]
        if not heads:
            now = read_fast_clock()
            conditions = Conditions(
                name="Evening",
                clock="live 10m",
                signup_until=now + SIGNUP_TIME,
                length=0,
                at_once=1,
                kind="knockout",
                round_time=ROUND_TIME,
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
            await self._begin(heads[0].season_id)
        else:
            self.has_begun = self.has_begun or heads[0].state != "signup"

    async def _begin(self, season_id: int) -> None:
        stored = await SeasonStore(self.store.transactions).find_season(season_id)
        if stored is None or len(stored.user_ids) < len(self.people):
            return
        season, now = replay_season(stored.log), read_fast_clock()
        events = decide_season(season, RunSeason(early=True), now)
        change = SeasonChange(
            season_id=season_id, expected_seq=season.seq, events=events, state="running", due_at=DUE_NOW
        )
        await SeasonStore(self.store.transactions).change_season(change, now=now)


class WeeklyDealGroup(PlayerGroup):
    """Two players at a table of a weekly deal that opens soon."""

    async def _take_step(self) -> None:
        now = read_fast_clock()
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
                closes_at=now + SEALED_TIME,
            )
            await DealStore(self.store.transactions).create_weekly_deal(weekly, deal, ["amber-otter"])
        elif deals[-1].opened_at is None:
            heads = await self.store.matches.list_heads_in_channel(int(self.channel))
            if not heads:
                await self.people[0].use_command(self.channel, "tiles", "new", deal=deals[-1].name)
            elif heads[0].state == "lobby":
                await self.people[1].use_command(self.channel, "tiles", "join")
        await asyncio.sleep(0.4)


TOURNAMENT: Final = TableTerms(4, MATCH, group_class=TournamentGroup)
WEEKLY_DEAL: Final = TableTerms(2, MATCH, group_class=WeeklyDealGroup)


def is_finished(stored: StoredRows) -> bool:
    is_over = all(row["state"] in FINAL_STATES and row["shown_seq"] == row["seq"] for row in stored.seasons)
    is_over = is_over and len(stored.season_messages) == len(stored.seasons)
    is_announced = all(row["next_at"] is None for row in stored.deal_news)
    return is_over and is_announced and all(row["opened_at"] is not None for row in stored.deals[:1])


def is_known_message(nonce: str, stored: StoredRows) -> bool:
    """Return whether a message without an outbox item belongs to an existing season or deal."""
    season, deal = SEASON_POST.fullmatch(nonce), DEAL_POST.fullmatch(nonce)
    if season is not None:
        return int(season[1]) in {row["season_id"] for row in stored.seasons}
    return deal is not None and int(deal[1], 16) in {row["deal_id"] for row in stored.deals}


def iterate_faults(stored: StoredRows, delivery_log: DeliveryLog, threads: list[str]) -> Iterator[tuple[str, str]]:
    """Kinds of faults in tournaments and deals, with a description of each."""
    live_nonces = Counter(str(body.get("nonce", "")) for body in delivery_log.list_live_messages())
    for row in stored.seasons:
        number = row["season_id"]
        log = [one for one in stored.season_events if one["season_id"] == number]
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
        duplicates = [str(one) for counted in (pairs, opened, decided) for one, count in counted.items() if count > 1]
        for one in duplicates:
            yield "twice", f"season {number}: {one}"
        matches = {one["number"]: one["match_id"] for one in stored.fixtures if one["season_id"] == number}
        if {body["number"]: body["match"] for kind, body in bodies if kind == "fixtureopened"} != matches:
            yield "broken", f"season {number}: its matches are not those of its log"
        if row["state"] not in FINAL_STATES:
            yield "deadlines", f"season {number} is {row['state']}"
        for fixture in matches:
            if (many := sum(name.endswith(f" · {number}.{fixture}") for name in threads)) != 1:
                yield "doubled", f"season {number}: {many} threads for fixture {fixture}"
        current_nonces = [nonce for nonce in live_nonces if nonce.startswith(f"season{number}{row['state']}")]
        season_nonces = [
            nonce
            for nonce in live_nonces
            if (nonce_match := SEASON_POST.fullmatch(nonce)) and int(nonce_match[1]) == number
        ]
        if len(current_nonces) != 1:
            yield "missing", f"season {number} is {row['state']}, and says so {len(current_nonces)} times"
        if len(season_nonces) > 1:
            yield "left", f"season {number}: {season_nonces}"
    for row in stored.deals:
        match_ids = [one["match_id"] for one in stored.deal_matches if one["deal_id"] == row["deal_id"]]
        for match_id in match_ids:
            many = sum(one["kind"] == "dealopened" for one in stored.events[match_id])
            if many != (row["opened_at"] is not None):
                yield "twice", f"deal {row['deal_id']} was opened {many} times at table {match_id}"
    if stored.deals and stored.deals[0]["opened_at"] is None:
        yield "deadlines", f"deal {stored.deals[0]['deal_id']} is sealed"
    if len(stored.deals) > 2:
        yield "twice", f"{len(stored.deals)} deals of one week and the next"
