"""Lost answers: the bot never says "try again" about a completed action."""

import asyncio
from random import Random

import pytest

from bot.core import context, discord_errors
from bot.tables import opening_commands
from tests.bot.local_bot import Json, LocalBot, list_button_labels, play_by_typing, read_text
from tests.playground.page_user import PageUser
from tests.wording import has_sentence

ANSWER = "PATCH /api/v10/webhooks"
ANSWERS = DONE, UNCERTAIN, BROKEN = "no.DONE_UNSAID", "no.PERHAPS_DONE", "no.BROKEN"


async def wait_for_answer(local: LocalBot, person: PageUser, interaction: str, key: str) -> Json:
    outcome = await person.fetch_outcome(interaction)
    async with asyncio.timeout(300):
        while True:
            found = await person.fetch_message(local.channel_id, outcome["message_id"])
            if any(has_sentence(read_text(found), answer) for answer in ANSWERS):
                break
            await asyncio.sleep(0.02)
    assert has_sentence(read_text(found), key)
    return found


def lose_answer(local: LocalBot, how: str) -> None:
    if how == "refused":
        local.faults.inject_status(ANSWER, 400, code=50035)
    elif how == "a 429 in front of Discord":
        local.faults.inject_proxy_page(ANSWER, 429)
    else:
        local.faults.lose_responses(1.0, Random(1), part=ANSWER, times=1)


@pytest.mark.parametrize("how", ["refused", "a 429 in front of Discord", "the connection breaks"])
async def test_move_with_lost_answer_is_reported_as_done(
    local: LocalBot, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(context, "ACKNOWLEDGE_AFTER", 0.0)  # forces an acknowledgement before the answer
    before = await local.start_table()
    mover = await local.get_mover()
    interaction = play_by_typing(mover, local.channel_id)
    lose_answer(local, how)
    found = await wait_for_answer(local, mover, await interaction, DONE)
    assert (await local.load_head()).seq > before.seq
    await mover.click(found, label="My hand")
    await mover.wait_for_message(local.channel_id, lambda one: "Your hand" in read_text(one))


async def test_opened_table_with_lost_answer_is_reported_as_done(local: LocalBot) -> None:
    lose_answer(local, "refused")
    await wait_for_answer(
        local, local.ada, await local.ada.use_command(local.channel_id, "tiles", "new", seats=2), DONE
    )
    assert (await local.load_head()).state == "lobby"


async def test_setting_with_lost_answer_is_reported_as_uncertain(local: LocalBot) -> None:
    lose_answer(local, "refused")
    await wait_for_answer(
        local, local.ada, await local.ada.use_command(local.channel_id, "tiles", "settings", remind=False), UNCERTAIN
    )
    assert not (await local.client.services.user_settings.load_preferences(int(local.ada.id))).remind


async def test_query_with_lost_answer_asks_to_retry(stage: LocalBot) -> None:
    mover = await stage.get_mover()
    (waiting,) = [person for person in stage.people.values() if person is not mover]
    lose_answer(stage, "refused")
    await wait_for_answer(stage, waiting, await waiting.use_command(stage.channel_id, "tiles", "hand"), BROKEN)


async def test_move_saved_by_other_process_is_reported_as_done(
    stage: LocalBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    mover = await stage.get_mover()
    store = stage.client.services.store
    find_request = store.matches.find_request

    async def find_saved_request(interaction_id: int) -> tuple[int, int] | None:
        return await find_request(interaction_id) or (1, 1)

    async def raise_timeout(*_: object, **__: object) -> None:
        raise TimeoutError

    monkeypatch.setattr(store.matches, "find_request", find_saved_request)
    monkeypatch.setattr(stage.client.services.acts, "act", raise_timeout)
    await wait_for_answer(stage, mover, await play_by_typing(mover, stage.channel_id), DONE)


async def test_answer_does_not_wait_for_rate_limited_board(local: LocalBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening_commands, "SHOW_TIMEOUT", 0.2)
    local.faults.inject_status("POST /api/v10/channels", 429, retry_after=3.0, scope="global")
    opened = await local.use_command(local.ada, "tiles", "new", seats=2)
    assert has_sentence(read_text(opened), "lobby.opened")
    assert await local.list_boards() == [], "Discord is still waited for"
    await local.wait_until_idle()
    assert len(await local.list_boards()) == 1
    assert "Join" in list_button_labels((await local.list_boards())[0])
    assert discord_errors.RESPONSE_TIMEOUT > 3.0, "nothing of ours was over"
