"""What is said at a table is taken at once and noted at once. What would have it said twice, late, or not at all: a
kill in between, a second process, a table that moves, and people who are quicker than Discord.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

import pytest

from bot.operating.wiring import build
from bot.posting import lease
from bot.posting.publisher import SOON
from bot.posting.sending import Outgoing
from bot.service.tables import Table
from bot.views import messages
from bot.views.parts import said
from data.store import BOARD, TURN, Batch, Change, Fate, OutboxRow, Post, Store
from data.store.outbox import LEASE
from data.store.transactions import Transactions
from engine.actions import Play
from engine.seen import Seen, see
from engine.table.commands import Act, Look, MoveTable
from engine.table.events import Rearmed
from render import Picture, table_picture
from tests.bot.at_it import left
from tests.bot.parlour import Parlour, parlour, words_of
from tests.bot.test_outbox_trouble import EDIT, shows_the_head
from tests.bot.test_watchdog import until


@pytest.fixture
async def house(url: str) -> AsyncIterator[Parlour]:
    async with parlour(url) as found:
        yield found


async def going_on(house: Parlour) -> None:
    """Whoever is next looks at their hand, and is away again: there is a board to show and a call to send; nobody has
    begun with it.
    """
    await house.place_tile()
    following = (await house.client.services.tables.load(1)).turn_user()
    assert following is not None
    await house.client.services.acts.act(1, Look(following))
    await left(house.store, 1, house.client.services.now())


async def plays(house: Parlour) -> None:
    """Whoever is to move does, without asking Discord for anything."""
    services = house.client.services
    table = await services.tables.load(1)
    user, seat = table.turn_user(), table.match.turn
    assert user is not None
    lies = see(table.match, seat).moves[0].placement
    await services.acts.act(1, Act(user, lambda seat: Play(seat, lies.tile, lies.cell, lies.rotation)))


def dies(house: Parlour, monkeypatch: pytest.MonkeyPatch, when: Callable[[Sequence[Fate], Batch | None], bool]) -> None:
    """Whoever publishes is no more, once: before what became of its posts is noted (the batch is None), or after
    others were taken.
    """
    take, dead = house.store.take_posts, asyncio.Event()

    async def killed(match_id: int, became: Sequence[Fate] = (), **given: Any) -> Batch | None:
        if not dead.is_set() and when(became, None):
            dead.set()
            raise asyncio.CancelledError
        batch = await take(match_id, became, **given)
        if not dead.is_set() and batch is not None and when((), batch):
            dead.set()
            raise asyncio.CancelledError
        return batch

    monkeypatch.setattr(house.store, "take_posts", killed)


async def published(house: Parlour) -> None:
    """All that can be said by now is said."""
    await asyncio.wait([house.client.services.announcer.refresh(1)])


async def note_posts(house: Parlour, count: int) -> None:
    """Something happened that leads to so many posts, which say their number."""

    async def written(_: Table, row: OutboxRow) -> Outgoing:
        return Outgoing(said(f"Post {row.body['number']}."))

    house.client.services.announcer.publisher.writers["test"] = written
    posts = [Post(kind="test", body={"number": number}) for number in range(count)]
    head = await house.head()
    change = Change(match_id=1, expected_seq=head.seq, events=[Rearmed()], outbox=posts)
    await house.store.commit(change, now=house.client.services.now())


async def numbers(house: Parlour) -> list[str]:
    """Which of these stand in the channel, in order."""
    return [words_of(one)[5:-1] for one in await house.public() if words_of(one).startswith("Post ")]


@pytest.mark.parametrize(
    "when",
    [
        pytest.param(lambda became, batch: batch is not None, id="between taking and sending"),
        pytest.param(lambda became, batch: batch is None and bool(became), id="between sending and noting"),
    ],
)
async def test_a_kill_makes_nobody_be_called_twice_and_leaves_nothing_out(
    house: Parlour, monkeypatch: pytest.MonkeyPatch, when: Callable[[Sequence[Fate], Batch | None], bool]
) -> None:
    await house.table()
    await house.ada.listen()
    await house.grace.listen()
    await going_on(house)
    dies(house, monkeypatch, when)
    await published(house)
    taken = await house.pending()
    assert {(row.kind, row.attempts) for row in taken} >= {(BOARD, 1), (TURN, 1)}, (
        "it is said for as long as sending takes"
    )
    house.asked()
    await house.later(LEASE / 1000 - 5)
    assert house.asked() == [], "nobody else touches it before that"
    await house.later(10)
    assert await shows_the_head(house)
    rung = Counter(event["type"] for person in (house.ada, house.grace) for event in person.events)
    assert rung["mention"] == 1


async def test_who_was_not_there_while_it_was_theirs_says_nothing_any_more(
    house: Parlour, monkeypatch: pytest.MonkeyPatch
) -> None:
    await house.table()
    await going_on(house)
    take, slept = house.store.take_posts, asyncio.Event()

    async def sleeps(match_id: int, became: Sequence[Fate] = (), **given: Any) -> Batch | None:
        batch = await take(match_id, became, **given)
        if not slept.is_set():
            slept.set()
            house.skipped[0] += LEASE + 1  # the machine was suspended just then
        return batch

    monkeypatch.setattr(house.store, "take_posts", sleeps)
    batches: list[Batch] = []
    deal = house.client.services.announcer.publisher._dealt_with

    async def dealt_with(batch: Batch) -> list[Fate]:
        batches.append(batch)
        said = len(house.faults.lines)
        became = await deal(batch)
        if len(batches) == 1:
            assert house.faults.lines[said:] == [], "it is somebody else's by now"
        return became

    monkeypatch.setattr(house.client.services.announcer.publisher, "_dealt_with", dealt_with)
    await published(house)
    await house.later(LEASE / 1000 + 1)
    assert len(batches) > 1
    assert await shows_the_head(house)


async def test_a_kill_between_the_board_and_the_call_leaves_the_call_to_be_sent(
    house: Parlour, monkeypatch: pytest.MonkeyPatch
) -> None:
    await house.table()
    await going_on(house)
    sender = house.client.services.announcer._sender
    send = sender.send

    async def killed(*_: object, **__: object) -> None:
        raise asyncio.CancelledError

    monkeypatch.setattr(sender, "send", killed)
    await published(house)
    monkeypatch.setattr(sender, "send", send)
    assert await house.calls() == []
    await house.later(LEASE / 1000 + 1)
    assert await shows_the_head(house)


async def test_a_call_that_was_sent_and_not_noted_is_where_the_table_is_when_that_moved(
    house: Parlour, monkeypatch: pytest.MonkeyPatch
) -> None:
    await house.table()
    await going_on(house)
    dies(house, monkeypatch, lambda became, batch: batch is None and bool(became))
    await published(house)
    there, house.place = house.place, house.discord.world.add_channel("elsewhere")["id"]
    await house.client.services.acts.act(1, MoveTable(int(house.ada.id), int(house.place)))
    await house.later(LEASE / 1000 + 1)
    await house.settled()
    calls = [one for place in (there, house.place) for one in await house.ada.messages(place) if one["mentions"]]
    assert [one["channel_id"] for one in calls] == [house.place]


@pytest.mark.parametrize("elsewhere", [False, True], ids=["in this process", "in another process"])
async def test_nobody_is_called_whose_turn_ended_while_discord_asked_for_patience(
    house: Parlour, url: str, elsewhere: bool
) -> None:
    await house.table()
    await going_on(house)
    table = await house.client.services.tables.load(1)
    quick = house.people[str(table.turn_user())]
    await quick.listen()
    house.faults.next_status(EDIT, 429, retry_after=2)
    showing = house.client.services.announcer.refresh(1)
    await until(lambda: any(line.startswith(EDIT) for line in house.faults.lines))
    if elsewhere:
        second = await Store.open(url)
        head = await house.head()
        change = Change(match_id=1, expected_seq=head.seq, events=[Rearmed()], turn=None)
        await second.commit(change, now=house.client.services.now())
        await second.close()
        house.skipped[0] += SOON
    else:
        await plays(house)
    await asyncio.wait([showing])
    await house.quiet()
    assert [event for event in quick.events if event["type"] == "mention"] == []
    assert await house.calls() == []


async def test_two_processes_say_everything_once_and_in_order(house: Parlour, url: str) -> None:
    await house.table()
    second = await Store.open(url)
    other = build(second, clock=house.client.services.now)
    await other.login(house.discord.token)
    try:
        await note_posts(house, 6)
        other.services.announcer.publisher.writers |= house.client.services.announcer.publisher.writers
        await asyncio.wait([one.services.announcer.refresh(1) for one in (house.client, other)])
        await house.later(0)
        assert await numbers(house) == [str(number) for number in range(6)]
        assert await shows_the_head(house)
    finally:
        await other.close()
        await second.close()


async def test_what_was_said_is_noted_while_the_rest_waits_for_discord(
    house: Parlour, monkeypatch: pytest.MonkeyPatch
) -> None:
    await house.table()
    await note_posts(house, 2)
    monkeypatch.setattr(lease, "RENEW", 0.05)
    kept = asyncio.Event()
    keep = house.store.keep

    async def keeps(rows: Sequence[OutboxRow], became: Sequence[Fate] = (), **given: Any) -> frozenset[str]:
        mine = await keep(rows, became, **given)
        if became:
            kept.set()
        return mine

    monkeypatch.setattr(house.store, "keep", keeps)
    send = house.client.services.announcer._sender.send

    async def slow(
        channel: Any, outgoing: Outgoing, *, nonce: str, since: int | None, version: int | None = None
    ) -> Any:
        if await numbers(house):
            await asyncio.Event().wait()  # until it is killed
        return await send(channel, outgoing, nonce=nonce, since=since, version=version)

    monkeypatch.setattr(house.client.services.announcer._sender, "send", slow)
    saying = house.client.services.announcer.refresh(1)
    async with asyncio.timeout(300):
        await kept.wait()
    saying.cancel()
    await asyncio.wait([saying])
    monkeypatch.setattr(house.client.services.announcer._sender, "send", send)
    assert [row.body["number"] for row in await house.pending() if row.kind == "test"] == [1]
    await house.later(LEASE / 1000 + 1)
    assert await numbers(house) == ["0", "1"]


async def test_what_comes_behind_a_board_that_failed_is_not_looked_for(house: Parlour) -> None:
    await house.table()
    await going_on(house)
    house.faults.next_status(EDIT, 503)
    await published(house)
    assert {row.kind: row.attempts for row in await house.pending()}[TURN] == 0, "nobody has begun to send it"
    house.asked()
    await house.later(15)
    looked = [line for line in house.asked() if line.startswith("GET") and line.endswith("/messages")]
    assert len(looked) == 1, "for the board, which may have been posted"
    assert await shows_the_head(house)


# -- how often something is drawn, and the database asked


async def test_a_board_that_two_edits_show_is_drawn_once(house: Parlour, monkeypatch: pytest.MonkeyPatch) -> None:
    await house.table()
    drawn: list[Seen] = []

    def draw(seen: Seen, *given: Any, **more: Any) -> Picture:
        drawn.append(seen)
        return table_picture(seen, *given, **more)

    monkeypatch.setattr(messages, "table_picture", draw)
    for language, expected in (("", 0), ("de", 1), ("de", 1)):
        await house.store.set_guild((await house.head()).guild_id, {"language": language}, now=1)
        house.asked()
        await note_posts(house, 0)
        await published(house)
        assert [line for line in house.asked() if line.startswith(EDIT)], "it says which move it is"
        assert len(drawn) == expected, "the words in it are another language's, once"
        assert not (await house.head()).dirty


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often something is read and written. It comes before the house: a store takes these with it when it opens."""
    counts: Counter[str] = Counter()
    # A look for what is due, at a moment of its own, is not what is counted.
    monkeypatch.setattr("bot.operating.client.SWEEP", 3600.0)
    for kind in ("read", "write"):
        really = getattr(Transactions, kind)

        def count(self: Transactions, *given: Any, _kind: str = kind, _really: Any = really, **more: Any) -> Any:
            counts[_kind] += 1
            return _really(self, *given, **more)

        monkeypatch.setattr(Transactions, kind, count)
    return counts


async def begun(house: Parlour) -> None:
    """All that a bot reads when it begins is read: what is due, and which of its servers the store knows."""
    async with asyncio.timeout(300):
        await house.client.wait_until_ready()
        told = [task for task in asyncio.all_tasks() if task.get_name().startswith("discord.py: on_")]
        await asyncio.gather(*told)
    house.client._sweeper.cancel()


async def test_all_that_follows_a_move_in_public_is_two_transactions(counted: Counter[str], house: Parlour) -> None:
    await house.table()
    await going_on(house)
    await begun(house)
    counted.clear()
    house.asked()
    await published(house)
    assert counted == {"write": 2}, "one takes it, one notes it and finds that there is nothing more"
    assert [line.partition(" /")[0] for line in house.asked()] == ["PATCH", "POST"]
    assert await shows_the_head(house)


async def test_whoever_asks_while_it_is_being_said_costs_nothing_more(counted: Counter[str], house: Parlour) -> None:
    await house.table()
    await going_on(house)
    await begun(house)
    counted.clear()
    announcer = house.client.services.announcer
    showing = [announcer.refresh(1) for _ in range(5)]
    await asyncio.sleep(0)
    showing += [announcer.refresh(1) for _ in range(5)]
    await asyncio.wait(showing)
    await house.quiet()
    assert counted == {"write": 2}


async def test_who_wakes_up_where_only_a_person_is_to_move_reads_nothing(counted: Counter[str], house: Parlour) -> None:
    await house.table()
    await house.quiet()
    await begun(house)
    scheduler = house.client.services.scheduler
    counted.clear()
    scheduler.soon(1)
    await scheduler._running[1]
    assert counted == {}
    # The sweep has seen more than this process knows of.
    scheduler.soon(1, seq=(await house.head()).seq)
    await scheduler._running[1]
    assert counted["read"] > 1
