"""The guided game."""

import re

from tests.bot.member import Member
from tests.bot.messages import Message, find_play_label, list_menus, read_button_ids, read_private_text, read_text
from tests.bot.simulated_guild import SimGuild
from tests.bot.tables.greedy_clicks import click_next
from tests.wording import has_sentence


async def begin_guided_game(sim: SimGuild, person: Member) -> Message:
    help_message = await person.open_command("tiles help")
    return await person.open_click(help_message, "Guided game")


async def play_until_over(sim: SimGuild, person: Member, hand: Message) -> list[str]:
    texts = [read_text(hand)]
    while (await sim.load_head()).state == "open":
        if "### Your turn" in read_text(hand):
            hand, _ = await click_next(person, hand)
        else:
            hand = await sim.open_hand(person)
        await sim.env.settle()
        texts.append(read_text(hand))
    return texts


async def test_first_tile_takes_three_presses(sim: SimGuild, ada: Member) -> None:
    hand = await begin_guided_game(sim, ada)
    assert "### Your turn · 6 tiles" in read_text(hand)
    best = list_menus(hand)[0].options[0]
    tile, letter = re.findall(r"The best move now is \*\*([0-5-]+)\*\* at \*\*(\w)\*\*", read_text(hand))[0]
    assert best.label.startswith(f"{tile} → {letter} · ")

    preview = await ada.open_select(hand, best.value)
    answer = await ada.click(preview, label=find_play_label(preview))

    assert re.search(rf"You played {tile} (left of|right of|above|below|between) \d-\d-\d", read_private_text(answer))
    assert "**A corner match.**" in read_text(await sim.open_hand(ada))


async def test_guided_game_teaches_and_counts_for_no_record(sim: SimGuild, ada: Member) -> None:
    hand = await begin_guided_game(sim, ada)
    assert has_sentence(await ada.read_click(sim.get_board(), "Fingerprint"), "fair.guided")
    texts = await play_until_over(sim, ada, hand)

    for lesson in ("A corner match.", "A draw.", "A bridge!", "A hexagon!", "Look closely:"):
        assert any(f"**{lesson}**" in text for text in texts), lesson
    assert sum(has_sentence(text, "lesson.first") for text in texts) <= 2, "in one turn: in the hand, and beside it"
    assert "## You win, " in texts[-1]
    (end,) = [message for message in sim.list_public_messages() if "Ada wins" in read_text(message)]
    assert "Guided game" in read_text(end)
    assert not {"Verify", "Record", "Review"} & read_button_ids(end).keys()
    assert "Verify" not in read_text(end)

    match_id = (await sim.load_head()).match_id
    assert "Ada" in await ada.read_command("tiles profile")
    assert await sim.store.results.list_results(match_id) == (), "it is in nobody's record"
    forged = await sim.post(f"by:verify:{match_id}", f"by:rematch:{match_id}")
    assert has_sentence(await ada.read_click(forged, "Button 0"), "fair.guided")
    assert "### Your turn · 6 tiles" in await ada.read_click(forged, "Button 1")


async def test_guided_game_continues_until_player_leaves(sim: SimGuild, ada: Member) -> None:
    await begin_guided_game(sim, ada)
    before = await sim.load_head()
    for _ in range(3):
        assert "### Your turn · 6 tiles" in await ada.read_command("tiles help", guided=True)

    assert (await sim.load_head()).match_id == before.match_id
    assert sim.channel.threads == []

    await ada.use_command("tiles leave")
    assert (await sim.load_head()).state == "void"
    assert "### Your turn · 6 tiles" in read_text(await begin_guided_game(sim, ada)), "the next one is another table"


async def test_guided_game_in_busy_channel_opens_thread(room: SimGuild) -> None:
    linus = room.add_member("Linus")
    hand = await begin_guided_game(room, linus)

    (thread,) = room.channel.threads
    assert thread.name == "Guided game · Linus"
    assert f"/{thread.id}" in read_text(hand) or f"<#{thread.id}>" in read_text(hand)
    assert (await room.load_head(thread)).state == "open"


async def test_new_table_moves_guided_game_to_thread(sim: SimGuild, ada: Member, grace: Member) -> None:
    await begin_guided_game(sim, ada)
    lesson = (await sim.load_head()).match_id
    await sim.start_table(grace, sim.add_member("Linus"))

    after = await sim.store.matches.find_head(lesson)
    assert after.channel_id in [thread.id for thread in sim.channel.threads]


async def test_guided_game_shows_same_hand_after_restart(sim: SimGuild, ada: Member) -> None:
    hand = await begin_guided_game(sim, ada)
    for _ in range(2):
        hand, _ = await click_next(ada, hand)
    before = read_text(await sim.open_hand(ada))
    await sim.restart()

    assert "**A corner match.**" in before
    assert read_text(await sim.open_hand(ada)) == before
