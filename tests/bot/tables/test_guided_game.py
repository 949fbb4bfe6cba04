"""The guided game."""

import re

from tests.bot.member import Member
from tests.bot.messages import Message, list_menus, read_button_ids, read_private_text, read_text
from tests.bot.simulated_guild import SimGuild
from tests.bot.tables.greedy_clicks import click_next
from tests.wording import en, has_sentence


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


async def test_lesson_names_button_that_plays_first_tile(sim: SimGuild, ada: Member) -> None:
    hand = await begin_guided_game(sim, ada)
    assert "### Your turn · 6 tiles" in read_text(hand)
    best = list_menus(hand)[0].options[0]
    tile, letter, _ = re.match(r"([0-5-]+) → (\w) · (.*)", best.label).groups()
    assert has_sentence(read_text(hand), "lesson.first", tile=tile, letter=letter)
    others = {label for label, verb in read_button_ids(hand).items() if not verb.startswith("by:play:")}
    assert others == {en("hint.button")}, "a lesson offers nothing else"
    button = next(label for label in read_button_ids(hand) if label.startswith(letter))
    assert has_sentence(read_text(hand), "lesson.first_press", button=button)

    answer = await ada.click(hand, label=button)

    assert re.search(rf"You played {tile} (left of|right of|above|below|between) \d-\d-\d", read_private_text(answer))
    assert "**A corner match.**" in read_text(await sim.open_hand(ada))


async def test_guided_game_teaches_and_counts_for_no_record(sim: SimGuild, ada: Member) -> None:
    hand = await begin_guided_game(sim, ada)
    assert has_sentence(await ada.read_click(sim.get_board(), "Fingerprint"), "fair.guided")
    texts = await play_until_over(sim, ada, hand)

    for lesson in ("A corner match.", "A draw.", "A pass.", "A bridge!", "A hexagon!", "Look closely:"):
        assert any(f"**{lesson}**" in text for text in texts), lesson
    assert sum(has_sentence(text, "lesson.first") for text in texts) <= 2, "in one turn: in the hand, and beside it"
    assert "## You win, " in texts[-1]
    assert has_sentence(texts[-1], "lesson.out_own")
    (end,) = [message for message in sim.list_public_messages() if "Ada wins" in read_text(message)]
    assert "Guided game" in read_text(end)
    assert {*read_button_ids(end)} == {en("lesson.real"), en("help.daily"), "Replay"}
    assert "Verify" not in read_text(end)

    match_id = (await sim.load_head()).match_id
    assert "Ada" in await ada.read_command("tiles profile")
    assert await sim.store.results.list_results(match_id) == (), "it is in nobody's record"
    forged = await sim.post(f"by:verify:{match_id}", f"by:rematch:{match_id}")
    assert has_sentence(await ada.read_click(forged, "Button 0"), "fair.guided")
    assert has_sentence(await ada.read_click(forged, "Button 1"), "lobby.opened")
    assert not (await sim.load_table()).terms.guided, "a rematch is a real match"


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
