"""The first answer to an interaction: one request if it is fast, and each move counts once despite faults."""

import asyncio
from random import Random
from typing import Any

import pytest

from bot.core import context
from bot.tables import hand_commands, messages
from render.table.hand import render_hand
from tests.bot.local_bot import Json, LocalBot, list_button_labels, list_components, read_text
from tests.bot.waiting import wait_until
from tests.playground.page_user import PageUser
from tests.wording import has_sentence

CALLBACK = "/callback"
ORIGINAL = "/messages/@original"
NEVER_SECONDS = 3600.0


async def open_preview(sim: LocalBot) -> tuple[PageUser, Json]:
    await sim.start_table()
    mover = await sim.get_mover()
    await sim.store.users.set_person(int(mover.id), quick=False, now=1)
    (call,) = await sim.list_calls()
    shown = await sim.click(mover, call, "My hand")
    (menu,) = [one for one in list_components(shown["components"]) if one["type"] == 3][:1]
    interaction = await mover.select(shown, [menu["options"][0]["value"]])
    shown = await sim.wait_for_answer(mover, interaction)
    assert get_play_label(shown)
    sim.faults.requests.clear()
    return mover, shown


def get_play_label(shown: Json) -> str:
    return next(label for label in list_button_labels(shown) if label.startswith("Play "))


def list_answer_requests(sim: LocalBot) -> list[str]:
    return [
        CALLBACK if line.endswith(CALLBACK) else ORIGINAL
        for line in sim.faults.requests
        if line.endswith((CALLBACK, ORIGINAL))
    ]


@pytest.fixture
def no_acknowledgement(monkeypatch: pytest.MonkeyPatch) -> None:
    for module, name in ((context, "OLD_AFTER"), (context, "ACKNOWLEDGE_AFTER"), (hand_commands, "NOTE_TIMEOUT")):
        monkeypatch.setattr(module, name, NEVER_SECONDS)


@pytest.mark.usefixtures("no_acknowledgement")
async def test_immediate_answer_is_one_request(local: LocalBot) -> None:
    mover, shown = await open_preview(local)
    before = await local.load_head()
    answer = await local.click(mover, shown, get_play_label(shown))
    assert read_text(answer).startswith("You played ")
    assert answer["id"] == shown["id"], "in place of what was pressed"
    assert list_answer_requests(local) == [CALLBACK]
    assert (await local.load_head()).seq > before.seq


@pytest.mark.usefixtures("no_acknowledgement")
async def test_typed_move_is_answered_before_board_edit(local: LocalBot) -> None:
    await local.start_table()
    await local.get_mover()
    local.faults.requests.clear()
    assert (await local.place_tile()).startswith("You played ")
    lines = [line for line in local.faults.requests if "/interactions/" in line or "/messages/" in line]
    shown = next(
        at for at, line in enumerate(lines) if line.startswith("PATCH") and f"/channels/{local.channel_id}" in line
    )
    assert list_answer_requests(local)[-1] == CALLBACK
    assert ORIGINAL not in list_answer_requests(local)
    assert lines[shown - 1].endswith(CALLBACK)


async def test_slow_answer_is_acknowledged_first(local: LocalBot, monkeypatch: pytest.MonkeyPatch) -> None:
    mover, shown = await open_preview(local)
    acknowledged = asyncio.Event()
    monkeypatch.setattr(context, "ACKNOWLEDGE_AFTER", 0.0)
    draw_in_thread = messages.draw_in_thread

    async def draw_slowly(draw: Any, *given: Any, **more: Any) -> Any:
        if draw is render_hand:
            await acknowledged.wait()
        return await draw_in_thread(draw, *given, **more)

    monkeypatch.setattr(messages, "draw_in_thread", draw_slowly)
    interaction = await mover.click(shown, label=get_play_label(shown))
    await wait_until(lambda: list_answer_requests(local))
    acknowledged.set()
    await mover.wait_for_message(local.channel_id, lambda one: read_text(one).startswith("You played "))
    assert interaction
    assert list_answer_requests(local) == [CALLBACK, ORIGINAL]


@pytest.mark.usefixtures("no_acknowledgement")
async def test_lost_first_answer_is_sent_once(local: LocalBot) -> None:
    mover, shown = await open_preview(local)
    before = await local.load_head()
    local.faults.lose_responses(1.0, Random(1), part=CALLBACK, times=1)
    await mover.click(shown, label=get_play_label(shown))
    await mover.wait_for_message(local.channel_id, lambda one: read_text(one).startswith("You played "))
    await local.wait_until_idle()
    assert local.faults.lost_responses == 1
    answers = [one for one in await mover.fetch_messages(local.channel_id) if read_text(one).startswith("You played ")]
    assert [one["id"] for one in answers] == [shown["id"]]
    assert (await local.load_head()).seq > before.seq


@pytest.mark.usefixtures("no_acknowledgement")
async def test_move_counts_when_discord_refuses_answer(local: LocalBot) -> None:
    mover, shown = await open_preview(local)
    before = await local.load_head()
    local.faults.inject_status(CALLBACK, 400, code=50035)
    await mover.click(shown, label=get_play_label(shown))
    await mover.wait_for_message(local.channel_id, lambda one: has_sentence(read_text(one), "no.DONE_UNSAID"))
    assert (await local.load_head()).seq > before.seq


async def test_old_interaction_acts_only_after_acknowledgement(
    local: LocalBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    mover, shown = await open_preview(local)
    monkeypatch.setattr(context, "OLD_AFTER", -60.0)
    before = await local.load_head()
    local.faults.inject_status(CALLBACK, 404, code=10062)
    await mover.click(shown, label=get_play_label(shown))
    await wait_until(lambda: list_answer_requests(local))
    await asyncio.sleep(0.2)
    assert (await local.load_head()).seq == before.seq
    assert list_answer_requests(local) == [CALLBACK]
