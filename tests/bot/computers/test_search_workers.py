"""Levels that search in worker processes."""

import asyncio
import itertools
import os
import signal
import sys
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from random import Random
from time import process_time, sleep

import pytest

from bot.computers.external_players import ExternalPlayers
from bot.computers.player_names import ComputationError, get_player
from bot.computers.service import ComputerPlayers
from bot.computers.thinking import FALLBACK_LEVELS, MoveChooser
from bot.computers.worker_pool import MAX_QUEUED_PER_USER, ShutdownError, Worker, WorkerPool
from bot.playground.server import LocalDiscord
from bot.tables.lobbies import TableRequest
from bot.tables.service import TableCache
from data.rulebook import list_games, load_rules
from data.store.store import Store
from engine.match.actions import Draw
from engine.match.decide import decide, start
from engine.match.events import Passed, Placed
from engine.match.player_view import view_for
from engine.match.state import replay
from engine.players import greedy
from engine.players.levels import LEVELS
from engine.table.commands import Join, TakeAction
from tests.bot.computers.workers import (
    DYING_WORKER,
    INVALID_ANSWER_WORKER,
    MISSING_PROGRAM,
    SILENT_WORKER,
    build_view,
    count_thoughts,
    is_alive,
    play_to_computer_turn,
)
from tests.bot.local_bot import LocalBot, play_by_typing, run_local_bot
from tests.bot.operating.runner import run_bot_process
from tests.bot.simulated_guild import TIMEOUT_SECONDS, derive_secret
from tests.bot.use_cases import ADA, GRACE, UseCases, ignore_moves
from tests.bot.waiting import wait_until
from tests.playground.page_user import PageUser

FLOODING_WORKER = (
    sys.executable,
    "-c",
    "import sys; sys.stdin.buffer.read(4)\nwhile True: sys.stdout.buffer.write(b'\\xff' * 65536)",
)
UNKNOWN_CLASS_WORKER = (
    sys.executable,
    "-c",
    "import sys, time; sys.stdin.buffer.read(4); said = b'cengine.actions\\nNobody\\n.'\n"
    "sys.stdout.buffer.write(len(said).to_bytes(4, 'big') + said); sys.stdout.flush(); time.sleep(600)",
)
QUICK_WORKER = (
    sys.executable,
    "-c",
    "import sys, time; from bot.computers.thinker import LENGTH_PREFIX, PartialAnswer; import pickle\n"
    "from engine.match.actions import Draw\n"
    "def say(value): packed = pickle.dumps(value); sys.stdout.buffer.write(LENGTH_PREFIX.pack(len(packed)) + packed)\n"
    "sys.stdin.buffer.read(4); say(PartialAnswer(1)); sys.stdout.flush()\n"
    "time.sleep(0.1); say(Draw(0)); sys.stdout.flush(); time.sleep(600)",
)


@pytest.fixture
async def pool() -> AsyncIterator[Callable[..., WorkerPool]]:
    made: list[WorkerPool] = []

    def make(*program: str, **limits: float) -> WorkerPool:
        made.append(WorkerPool(**({"command": program} if program else {}), **{"most_workers": 1, **limits}))
        return made[-1]

    yield make
    for one in made:
        await one.end()
        assert not one.pids


async def test_master_plays_legal_moves_from_worker_process(pool: Callable[..., WorkerPool]) -> None:
    workers, before = pool(silence_timeout=TIMEOUT_SECONDS), count_thoughts("thought")
    assert not workers.pids, "none is begun before there is something to think about"
    log = start(load_rules("triominoes"), seats=2, computers=(0, 1), by_hand=False, secret=derive_secret(3))
    match = replay(log)
    action = await MoveChooser(Random(1), workers).choose("master", view_for(match, match.turn), owner_id=1)
    assert decide(match, action, derive_secret(3))
    assert count_thoughts("thought") == before + 1
    assert len(workers.pids) == 1
    assert os.getpid() not in workers.pids


@pytest.mark.parametrize(
    ("program", "how"),
    [
        (SILENT_WORKER, "late"),
        (DYING_WORKER, "failed"),
        (INVALID_ANSWER_WORKER, "failed"),
        (UNKNOWN_CLASS_WORKER, "failed"),
        (FLOODING_WORKER, "failed"),
        (MISSING_PROGRAM, "failed"),
    ],
)
async def test_failed_worker_is_counted_and_faster_level_moves(
    pool: Callable[..., WorkerPool], program: tuple[str, ...], how: str
) -> None:
    workers, before, seen = (
        pool(*program, silence_timeout=0.5 if how == "late" else TIMEOUT_SECONDS),
        count_thoughts(how),
        build_view(),
    )
    action = await MoveChooser(Random(1), workers).choose("master", seen, owner_id=1)
    assert action == await MoveChooser(Random(1), workers).choose("hard", seen, owner_id=1)
    assert count_thoughts(how) == before + 1
    assert not workers.pids, "a process that was late or raves is killed"


async def test_killed_worker_is_gone_despite_pending_output() -> None:
    worker = Worker(
        await asyncio.create_subprocess_exec(*FLOODING_WORKER, stdin=PIPE, stdout=PIPE, start_new_session=True)
    )
    worker.process.stdin.write(bytes(4))
    await wait_until(lambda: "paused" in repr(worker.process.stdout))
    async with asyncio.timeout(TIMEOUT_SECONDS):
        await worker.kill()
    assert worker.process.returncode == -signal.SIGKILL


async def test_request_that_times_out_as_worker_frees_reports_busy(
    pool: Callable[..., WorkerPool],
) -> None:
    workers, loop, patience = (
        pool(*QUICK_WORKER, silence_timeout=TIMEOUT_SECONDS, answer_timeout=TIMEOUT_SECONDS),
        asyncio.get_running_loop(),
        1.0,
    )
    late: list[asyncio.Task[object]] = []

    def on_part(_part: object) -> None:
        # The answer arrives before the timeout, and the event loop handles both afterwards.
        workers.queue_timeout = patience
        late.append(asyncio.ensure_future(workers.ask(2, "anything")))
        loop.call_soon(loop.call_soon, block_event_loop)

    def block_event_loop() -> None:
        sleep(patience / 2)
        loop.call_soon(sleep, patience)

    answer = await workers.work(1, "anything", (Draw,), on_part=on_part)
    assert answer == Draw(0)
    (waiting,) = late
    with pytest.raises(ComputationError, match="busy"):
        await waiting


async def test_worker_killed_during_search_is_replaced(pool: Callable[..., WorkerPool]) -> None:
    workers = pool(*SILENT_WORKER, silence_timeout=TIMEOUT_SECONDS)
    asking = asyncio.create_task(workers.ask(1, "anything"))
    await wait_until(lambda: workers.pids)
    os.kill(*workers.pids, signal.SIGKILL)
    with pytest.raises(ComputationError, match="failed"):
        await asking
    workers.command, workers.silence_timeout = WorkerPool().command, TIMEOUT_SECONDS
    thinking, before = MoveChooser(Random(1), workers), count_thoughts("thought")
    async with asyncio.timeout(TIMEOUT_SECONDS):
        while count_thoughts("thought") == before:  # after a failure no worker starts for a moment
            await thinking.choose("master", build_view(), owner_id=1)
            await asyncio.sleep(0.1)


@pytest.mark.parametrize("game", list_games())
def test_fast_levels_choose_within_hundred_view_builds(game: str) -> None:
    matches, rng = [], Random(1)
    log = start(
        load_rules(game), seats=load_rules(game).min_seats, computers=(), by_hand=False, secret=derive_secret(3)
    )
    while len(matches) < 12 and not (match := replay(log)).ended:
        matches.append(match)
        log += decide(match, greedy.choose(view_for(match, match.turn), rng), derive_secret(3))
    fast_levels = [level for level in LEVELS if level not in FALLBACK_LEVELS]
    assert {"easy", "medium", *FALLBACK_LEVELS.values()} <= set(fast_levels), (
        "whoever moves in their place is one of these"
    )
    view_seconds = measure_cpu_seconds(lambda: [view_for(match, match.turn) for match in matches])
    views = [view_for(match, match.turn) for match in matches]
    for level in fast_levels:
        player = get_player(level, load_rules(game))
        assert (
            measure_cpu_seconds(lambda player=player: [player.choose(seen, rng) for seen in views]) < 100 * view_seconds
        ), level


def measure_cpu_seconds(work: Callable[[], object]) -> float:
    durations = []
    for _ in range(3):
        began = process_time()
        work()
        durations.append(process_time() - began)
    return min(durations)


async def test_worker_has_neither_token_nor_database(
    pool: Callable[..., WorkerPool], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DISCORD_TOKEN", "secret")
    monkeypatch.setenv("BONEYARD_DATABASE_URL", "sqlite:///secret.db")
    workers = pool(*SILENT_WORKER, silence_timeout=TIMEOUT_SECONDS)
    asking = asyncio.create_task(workers.ask(1, "anything"))
    await wait_until(lambda: workers.pids)
    environment = Path(f"/proc/{workers.pids[0]}/environ").read_text(encoding="utf-8")  # noqa: ASYNC240 - it is no disk
    assert "secret" not in environment
    assert "PATH=" in environment
    await workers.end()
    with pytest.raises(ShutdownError):
        await asking


async def test_worker_queue_is_fair_to_other_hosts(pool: Callable[..., WorkerPool]) -> None:
    # Search briefly for each request, and return the order of the requests.
    slow = pool(silence_timeout=TIMEOUT_SECONDS, queue_timeout=TIMEOUT_SECONDS)
    seen, order = build_view(), []

    async def send_request(user_id: int) -> None:
        with suppress(ComputationError):
            await slow.ask(user_id, ("master", seen, 1, 1.0))
            order.append(user_id)

    flood = [asyncio.create_task(send_request(1)) for _ in range(40)]
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    other = asyncio.create_task(send_request(2))
    await asyncio.gather(*flood, other)
    assert order.count(1) == 1 + MAX_QUEUED_PER_USER, "one thinks, a few wait, the siblings of all others move at once"
    assert order.index(2) <= 2, "whoever comes after them all waits for one of them and no more"


async def open_twenty_tables(at: LocalBot) -> list[int]:
    acts, match_ids = at.client.services.acts, []
    for number in range(20):
        channel = at.discord.world.add_channel(f"flood-{number}")
        request = TableRequest(
            guild_id=int(channel["guild_id"]),
            channel_id=int(channel["id"]),
            host_id=99,
            game="triominoes",
            seats=6,
            computers=("master",) * 5,
        )
        opened = await acts.open(request, request=1000 + number)
        if opened.find_turn_user() is None:
            match_ids.append(opened.head.match_id)
    return match_ids


async def list_waiting_tables(at: LocalBot, tables: list[int]) -> list[int]:
    heads = [await at.store.matches.find_head(match_id) for match_id in tables]
    return [
        head.match_id for head in heads if head is not None and head.due is not None and head.due.kind == "computer"
    ]


async def test_twenty_tables_with_masters_block_no_other_table(url: str) -> None:
    stuck = WorkerPool(
        most_workers=1, command=SILENT_WORKER, silence_timeout=TIMEOUT_SECONDS, queue_timeout=TIMEOUT_SECONDS
    )
    async with run_local_bot(url, thinking=MoveChooser(Random(1), stuck)) as at:
        await at.start_table()
        flood = await open_twenty_tables(at)
        for match_id in flood:
            at.client.services.scheduler.wake(match_id)
        await wait_until(lambda: stuck.pids)
        before = (await at.load_head()).seq
        for _ in range(4):
            assert await at.move()
        assert (await at.load_head()).seq >= before + 4, "people play on"
        waiting_tables = flood
        async with asyncio.timeout(TIMEOUT_SECONDS):
            for pause in itertools.repeat(0.05):
                if len(waiting_tables := await list_waiting_tables(at, flood)) <= 1 + MAX_QUEUED_PER_USER:
                    break
                await asyncio.sleep(pause)
        assert 1 <= len(waiting_tables) < len(flood), (
            "the few that think stand still; where they do not, the sibling moved"
        )
        await at.client.drain()
        assert not stuck.pids
        assert await list_waiting_tables(at, waiting_tables) == waiting_tables, (
            "nothing was played in a hurry, and all of it is due again"
        )


async def test_interrupted_computer_turn_is_played_after_restart(
    use_cases: UseCases, pool: Callable[..., WorkerPool]
) -> None:
    stuck, ours = pool(*SILENT_WORKER, silence_timeout=TIMEOUT_SECONDS), pool()
    opened = await use_cases.acts.open(build_master_request(), request=1)
    first, second = (
        ComputerPlayers(
            use_cases.tables, use_cases.acts, thinking, ExternalPlayers(), lambda: use_cases.time, Random(1)
        )
        for thinking in (MoveChooser(Random(1), stuck), MoveChooser(Random(1), ours))
    )
    table = await play_to_computer_turn(use_cases, opened)
    playing = asyncio.create_task(first.play(table.head.match_id, ignore_moves))
    await wait_until(lambda: stuck.pids)
    await first.end()
    with pytest.raises(ShutdownError):
        await playing
    (due,) = await use_cases.store.matches.list_due_heads(use_cases.time, limit=5)
    assert (due.seq, due.due and due.due.kind) == (table.head.seq, "computer"), "nothing happened, and it is due"
    after = await second.play(table.head.match_id, ignore_moves)
    assert after.head.seq > due.seq
    assert after.find_turn_user() == ADA


def build_master_request() -> TableRequest:
    return TableRequest(guild_id=1, channel_id=2, host_id=ADA, game="triominoes", computers=("master",))


@pytest.mark.parametrize(("people", "waits"), [(1, False), (2, True)])
async def test_computer_waits_with_several_players_but_not_with_one(
    use_cases: UseCases, pool: Callable[..., WorkerPool], people: int, waits: bool
) -> None:
    def build_computers() -> ComputerPlayers:
        thinking, pace = MoveChooser(Random(1), pool()), (900_000, 900_000)
        return ComputerPlayers(
            use_cases.tables, use_cases.acts, thinking, ExternalPlayers(), lambda: use_cases.time, Random(1), delay=pace
        )

    computers = build_computers()
    request = replace(build_master_request(), computers=("easy",), seats=1 + people)
    table = await use_cases.acts.open(request, request=1)
    if people == 2:
        table = await use_cases.act(table, Join(GRACE), request=2)
    while (user := table.find_turn_user()) is not None:
        action = greedy.choose(view_for(table.match, table.match.turn), Random(1))
        table = await use_cases.interact(table, TakeAction(user, lambda _, action=action: action))
        table = await use_cases.settle_turn(table)
    playing = asyncio.create_task(computers.play(table.head.match_id, ignore_moves))
    if waits:
        assert not (await asyncio.wait([playing], timeout=0.3))[0]
        # The move is overdue, after an outage or a long search.
        await computers.end()
        with pytest.raises(ShutdownError):
            await playing
        use_cases.time += 1_000_000
        computers = build_computers()
        playing = asyncio.create_task(computers.play(table.head.match_id, ignore_moves))
    async with asyncio.timeout(TIMEOUT_SECONDS):
        assert (await playing).find_turn_user() is not None


ORPHAN_SCRIPT = r"""
import asyncio, sys
from bot.computers.worker_pool import WorkerPool

SPINS = (
    "import bot.computers.thinker as it\ndef spin(*_):\n    while True: pass\n"
    "it.choose_action = spin\nit.serve_requests()"
)

async def main():
    workers = WorkerPool(most_workers=1, silence_timeout=600, command=(sys.executable, "-c", SPINS))
    asking = asyncio.create_task(workers.ask(1, ("anything",)))
    while not workers.pids:
        await asyncio.sleep(0.01)
    print(*workers.pids, flush=True)
    await asyncio.sleep(600)

asyncio.run(main())
"""


async def test_workers_exit_with_bot_even_during_search() -> None:
    bot = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", ORPHAN_SCRIPT), stdout=asyncio.subprocess.PIPE, env={**os.environ, "PYTHONPATH": "."}
    )
    pid = int(await asyncio.wait_for(bot.stdout.readline(), TIMEOUT_SECONDS))
    assert is_alive(pid)
    bot.kill()
    await bot.wait()
    await wait_until(lambda: not is_alive(pid))


async def test_bot_killed_during_search_resumes_turn_after_restart(url: str) -> None:
    async with (
        LocalDiscord(None, port=0, answer_within=TIMEOUT_SECONDS) as discord,
        PageUser(discord.address, "Ada") as ada,
    ):
        channel_id = discord.world.welcome_channel
        async with run_bot_process(url, discord) as bot:
            async with asyncio.timeout(TIMEOUT_SECONDS):
                await discord.gateway.connected.wait()
            await ada.wait_for_answer(
                channel_id, await ada.use_command(channel_id, "tiles", "new", computers=1, level="master")
            )
            call_ids: list[str] = []
            async with asyncio.timeout(TIMEOUT_SECONDS):
                while not list_child_pids(bot.process.pid):
                    calls = [one["id"] for one in await ada.fetch_messages(channel_id) if one["mentions"]]
                    if fresh := [call for call in calls if call not in call_ids]:
                        call_ids += fresh
                        await play_by_typing(ada, channel_id)
            worker_pids = list_child_pids(bot.process.pid)
            bot.process.kill()
            await bot.wait_for_exit()
            await wait_until(lambda: not any(map(is_alive, worker_pids)))
        async with run_bot_process(url, discord):
            call = await ada.wait_for_message(channel_id, lambda one: one["mentions"] and one["id"] not in call_ids)
            assert "your turn" in call["content"]
    store = await Store.open(url)
    (table,) = await TableCache(store).list_of_user(int(ada.id))
    await store.close()
    turns = [(one.round, one.event.seat) for one in table.event_log.events if isinstance(one.event, Placed | Passed)]
    assert {seat for _, seat in turns} == {0, 1}
    assert all(first != second for first, second in pairwise(turns)), "a player moved twice in a row"


def list_child_pids(pid: int) -> list[int]:
    child_pids: list[int] = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        # A thread may end while it is inspected.
        with suppress(FileNotFoundError, ProcessLookupError):
            child_pids += map(int, (task / "children").read_text().split())
    return child_pids
