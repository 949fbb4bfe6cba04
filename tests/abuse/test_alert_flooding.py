"""A host opens and closes tables to flood users with alerts.

`data.store.users.alert_posts` limits alerts per host and per user. Without limits, each opening reaches every
subscriber.
"""

from random import Random

import pytest

from data.store.log.match_values import NewMatch
from data.store.outbox.outbox_values import ALERT, OutboxRow
from data.store.store import Store
from engine.table.table_events import Closed
from engine.table.terms import DAY, HOUR, MINUTE
from tests.bot.messages import read_text
from tests.bot.simulated_guild import SimGuild
from tests.data.store.scene import GUILD, NOW, build_new_match, build_seat, commit_change
from tests.depth import scale_count

GAME = "triominoes"
SUBSCRIBERS = range(5000, 5012)


class AlertSender:
    def __init__(self, store: Store) -> None:
        self.store = store
        self.sent_alerts: list[tuple[int, int, int]] = []
        """(time, user, table)"""

    async def send_due_alerts(self, now: int) -> None:
        while rows := await self.store.alerts.list_due_alerts(now, 50):
            for row in rows:
                await self._send_alert(row, now)

    async def _send_alert(self, row: OutboxRow, now: int) -> None:
        head = await self.store.matches.find_head(row.match_id)
        if await self.store.outbox.lease(row, now=now) and head.state == "lobby":
            user = int(row.body["user"])
            if await self.store.alerts.note_alert(user, row.match_id, now=now):
                self.sent_alerts.append((now, user, row.match_id))
        await self.store.outbox.drop(row)

    def compute_daily_maximum(self, match_ids: set[int] | None = None) -> int:
        alerts = [(at, user) for at, user, match_id in self.sent_alerts if match_ids is None or match_id in match_ids]
        return max(
            (sum(user == who and at <= when < at + DAY for when, who in alerts) for at, user in alerts), default=0
        )


@pytest.fixture
async def sender(store: Store) -> AlertSender:
    """A sender of alerts to all subscribers."""
    for listener in SUBSCRIBERS:
        await store.alerts.subscribe(listener, GUILD, GAME, now=NOW)
    return AlertSender(store)


def build_lobby(host: int, channel: int) -> NewMatch:
    return build_new_match(host_id=host, channel_id=channel, seats=[build_seat(0, host)])


async def close_table(store: Store, match_id: int, now: int) -> None:
    head = await store.matches.find_head(match_id)
    assert head is not None
    await commit_change(store, head, events=[Closed("empty")], state="void", due=None, now=now)


async def test_one_host_alerts_each_user_at_most_daily(store: Store, sender: AlertSender) -> None:
    rng, now = Random(4), NOW
    flooder_match_ids, honest_tables = set(), 0
    for opened in range(scale_count(60, least=30)):
        head = await store.matches.create(build_lobby(1, 100 + opened), now=now)
        flooder_match_ids.add(head.match_id)
        now += rng.choice((1000, MINUTE // 2, 2 * MINUTE, 10 * MINUTE))
        await sender.send_due_alerts(now)
        await close_table(store, head.match_id, now)
        now += rng.choice((1000, MINUTE, 2 * HOUR))
        if opened % 30 == 10:
            found = await store.matches.create(build_lobby(2 + opened, 100_000 + opened), now=now)
            now += 2 * MINUTE
            await sender.send_due_alerts(now)
            assert {user for _, user, match_id in sender.sent_alerts if match_id == found.match_id} == set(SUBSCRIBERS)
            honest_tables += 1
    assert honest_tables > 0
    assert sender.compute_daily_maximum(flooder_match_ids) <= 1
    assert sender.compute_daily_maximum() <= 3


async def test_table_closed_within_half_minute_sends_no_alert(store: Store, sender: AlertSender) -> None:
    now = NOW
    for host in range(20):
        head = await store.matches.create(build_lobby(10 + host, 100 + host), now=now)
        for _ in range(6):
            now += 5000
            await sender.send_due_alerts(now)
        await close_table(store, head.match_id, now)
        now += HOUR
        await sender.send_due_alerts(now)
    assert sender.sent_alerts == []


async def test_many_hosts_cannot_exceed_daily_alert_limit(store: Store, sender: AlertSender) -> None:
    now = NOW
    for host in range(scale_count(40, least=20)):
        await store.matches.create(build_lobby(10 + host, 100 + host), now=now)
        now += 10 * MINUTE
        await sender.send_due_alerts(now)
    assert sender.compute_daily_maximum() == 3


async def test_alerts_written_per_table_are_bounded(store: Store) -> None:
    for listener in range(140):
        await store.alerts.subscribe(10_000 + listener, GUILD, GAME, now=NOW)
    first = await store.matches.create(build_lobby(1, 1), now=NOW)
    assert len(await store.alerts.list_due_alerts(NOW + MINUTE, 10_000)) == 100
    await close_table(store, first.match_id, NOW)
    await store.matches.create(build_lobby(1, 2), now=NOW + 1)
    assert len(await store.alerts.list_due_alerts(NOW + 6 * HOUR - 1, 10_000)) == 100
    await store.matches.create(build_lobby(1, 3), now=NOW + 6 * HOUR + 1)
    assert len(await store.alerts.list_due_alerts(NOW + 12 * HOUR, 10_000)) == 200


@pytest.mark.usefixtures("sender")
async def test_alert_messages_do_not_delay_tables(store: Store) -> None:
    head = await store.matches.create(build_lobby(1, 1), now=NOW)
    due = await store.outbox.list_due(NOW + DAY, 1000, match_id=head.match_id)
    assert ALERT not in {row.kind for row in due}
    assert await store.outbox.list_due(NOW + DAY, 1000) == due


async def test_alert_limits_hold_in_simulated_discord(sim: SimGuild) -> None:
    flooder, grace, friend = (sim.add_member(name) for name in ("Flooder", "Grace", "Friend"))
    await sim.store.alerts.subscribe(grace.id, sim.guild.id, GAME, now=0)
    for _ in range(6):
        await flooder.use_command("tiles new", seats=4)
        await sim.wait(hours=0.05)
        await sim.client.services.alerts.wait_until_idle()
        await flooder.use_command("tiles leave")
        await sim.wait(hours=0.5)
    await friend.use_command("tiles new", seats=4)
    await sim.wait(hours=0.05)
    await sim.client.services.alerts.wait_until_idle()
    alerts = [read_text(message) for message in grace.user.dm_channel.history()]
    assert [("by Flooder" in text, "by Friend" in text) for text in alerts] == [(True, False), (False, True)]
