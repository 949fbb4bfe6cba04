"""Command registration: once for each command list, in the background."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Any

import pytest
from discord import app_commands

from bot.app import build
from bot.client import Boneyard
from bot.operating import command_sync
from bot.playground.commands import GLOBAL
from bot.playground.launch import redirect_clients
from bot.playground.server import LocalDiscord
from data.store.store import Store
from tests.bot.local_bot import RecordingFaults, list_button_labels, read_text
from tests.bot.waiting import wait_until
from tests.data.store.empty import prepare_database
from tests.playground.page_user import PageUser
from tests.wording import en, has_sentence

PATIENCE = 300.0


class RegistrationBench:
    def __init__(self, url: str, stack: AsyncExitStack) -> None:
        self.url, self.stack = url, stack
        self.faults = RecordingFaults()
        self.discord = LocalDiscord(None, port=0, answer_within=PATIENCE, faults=self.faults)

    async def start_process(self, *more: str) -> Boneyard:
        store = await Store.open(await prepare_database(self.url))
        self.stack.push_async_callback(store.close)
        client = build(store)
        for name in more:
            client.tree.add_command(app_commands.Command(name=name, description="newer", callback=_ignore_command))
        await client.login(self.discord.token)
        self.stack.push_async_callback(_wait_for_end, asyncio.create_task(client.connect()))
        self.stack.push_async_callback(client.close)
        async with asyncio.timeout(PATIENCE):
            await client.wait_until_ready()
        return client

    @property
    def registration_count(self) -> int:
        return sum(line.startswith("PUT ") and line.endswith("/commands") for line in self.faults.requests)

    @property
    def registered_names(self) -> set[str]:
        return {one["name"] for one in self.discord.commands.list_registered(GLOBAL)}

    async def wait_for_commands(self, registered_names: set[str]) -> None:
        await wait_until(lambda: self.registered_names == registered_names)


OWN_COMMANDS = {"tiles", "tiles-host", "tiles-league", "tiles-deal", "tiles-admin"}


async def _ignore_command(interaction: Any) -> None:
    """Stand in for a command of another version."""


async def _wait_for_end(connection: asyncio.Task[None]) -> None:
    await asyncio.gather(connection, return_exceptions=True)


@pytest.fixture
async def bench(url: str) -> AsyncIterator[RegistrationBench]:
    async with AsyncExitStack() as stack:
        bench = RegistrationBench(url, stack)
        await stack.enter_async_context(bench.discord)
        stack.callback(redirect_clients(bench.discord.url))
        yield bench


async def test_commands_are_registered_again_only_after_change(bench: RegistrationBench) -> None:
    first = await bench.start_process()
    assert (bench.registration_count, bench.registered_names) == (1, OWN_COMMANDS)
    await first.close()
    second = await bench.start_process()
    assert bench.registration_count == 1, "it knows them"
    await second.close()
    newer = await bench.start_process("newer")
    assert (bench.registration_count, bench.registered_names) == (2, OWN_COMMANDS | {"newer"})
    await newer.close()
    await bench.start_process()
    assert (bench.registration_count, bench.registered_names) == (3, OWN_COMMANDS), "the version before came back"


async def test_one_of_several_processes_registers_commands(bench: RegistrationBench) -> None:
    bench.faults.delay("PUT ", 1.0)
    await asyncio.gather(*(bench.start_process() for _ in range(3)))
    assert (bench.registration_count, bench.registered_names) == (1, OWN_COMMANDS)


async def test_commands_are_for_guild_installation_only(bench: RegistrationBench) -> None:
    bench.discord.commands.installs = [0, 1]  # as set in the developer portal
    await bench.start_process()
    for command in bench.discord.commands.list_registered(GLOBAL):
        assert (command["integration_types"], command["contexts"]) == ([0], [0]), command["name"]


@pytest.mark.parametrize(
    ("status", "code", "wait"), [(503, 0, None), (400, 50035, None), (400, 30034, None), (429, 0, 300.0)]
)
async def test_matches_continue_while_command_registration_fails(
    bench: RegistrationBench, status: int, code: int, wait: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command_sync, "MAX_START_WAIT", 0.5)
    first = await bench.start_process()
    discord = bench.discord
    async with PageUser(discord.address, "Ada") as ada:
        channel_id = discord.world.welcome_channel
        await ada.wait_for_answer(channel_id, await ada.use_command(channel_id, "tiles", "new", seats=2))
        lobby = await ada.wait_for_message(channel_id, lambda one: "Join" in list_button_labels(one))
        await first.close()
        bench.faults.inject_status("PUT /api/v10/app", status, code=code, retry_after=wait)
        await bench.start_process("newer")
        answer = await ada.wait_for_answer(channel_id, await ada.use_command(channel_id, "tiles", "join"))
        assert read_text(answer).startswith(en("no.ALREADY_SEATED"))
        assert "Join" in list_button_labels(await ada.fetch_message(channel_id, lobby["id"]))
    if wait is None:
        await bench.wait_for_commands(OWN_COMMANDS | {"newer"})


async def test_unknown_command_is_explained_and_commands_registered_again(bench: RegistrationBench) -> None:
    await (await bench.start_process()).close()
    client, world = await bench.start_process(), bench.discord.world
    tiles = next(one for one in bench.discord.commands.list_registered(GLOBAL) if one["name"] == "tiles")
    foreign = tiles | {"options": [*tiles["options"], {"type": 1, "name": "bygone", "description": "no more"}]}
    bench.discord.commands.replace(GLOBAL, [foreign])
    async with PageUser(bench.discord.address, "Ada") as ada:
        channel_id = world.welcome_channel
        answer = await ada.wait_for_answer(channel_id, await ada.use_command(channel_id, "tiles", "bygone"))
        assert has_sentence(read_text(answer), "no.OTHER_COMMANDS")
        await bench.wait_for_commands(OWN_COMMANDS)
        count_before = bench.registration_count
        assert await client.services.store.operations.lease_command_sync("newer", now=1, until=2)
        await client.services.store.operations.note_commands_registered("newer")
        bench.discord.commands.replace(GLOBAL, [foreign])
        await ada.wait_for_answer(channel_id, await ada.use_command(channel_id, "tiles", "bygone"))
        await asyncio.sleep(0.2)
    assert bench.registration_count == count_before


async def test_expired_registration_lease_is_taken_by_next_process(store: Store) -> None:
    assert await store.operations.lease_command_sync("a", now=1000, until=2000) is True
    assert await store.operations.lease_command_sync("a", now=1500, until=2500) is None, "somebody is at it"
    assert await store.operations.lease_command_sync("a", now=999, until=1999) is None, (
        "though their clock was read later"
    )
    assert await store.operations.lease_command_sync("b", now=1500, until=2500) is None
    assert await store.operations.lease_command_sync("a", now=2000, until=3000) is True, "that one's time is over"
    await store.operations.note_commands_registered("a")
    assert await store.operations.lease_command_sync("a", now=2001, until=3001) is False
    assert await store.operations.lease_command_sync("b", now=9_999_999, until=9_999_999 + 1000) is True
    assert await store.operations.lease_command_sync("a", now=5000, until=6000) is True, "no clock is that far ahead"
    await store.operations.note_commands_registered("a", is_success=False)
    assert await store.operations.lease_command_sync("a", now=5001, until=6001) is True
