"""The guided game."""

import re

from simcord import MemberActor

from engine.table.terms import Terms
from tests.bot.messages import Message, button_ids, menus, private, told, words_of
from tests.bot.simulated_guild import SimGuild
from tests.bot.tables.greedy_clicks import click_next
from tests.wording import says


async def begin_guided_game(sim: SimGuild, person: MemberActor) -> Message:
    asked = private(await person.slash(sim.channel, "tiles help"))
    return private(await person.click(asked, label="Guided game"))


async def play_until_over(sim: SimGuild, person: MemberActor, hand: Message) -> list[str]:
    said = [words_of(hand)]
    while (await sim.head()).state == "open":
        if "### Your turn" in words_of(hand):
            hand, _ = await click_next(person, hand)
        else:
            hand = await sim.hand(person)
        await sim.env.settle()
        said.append(words_of(hand))
    return said


async def test_first_tile_takes_three_presses(sim: SimGuild, ada: MemberActor) -> None:
    hand = await begin_guided_game(sim, ada)
    assert "### Your turn · 6 tiles" in words_of(hand)
    best = menus(hand)[0].options[0]
    tile, letter = re.findall(r"The best move now is \*\*([0-5-]+)\*\* at \*\*(\w)\*\*", words_of(hand))[0]
    assert best.label.startswith(f"{tile} → {letter} · ")

    preview = private(await ada.select(hand, [best.value]))
    played = await ada.click(preview, label=next(label for label in button_ids(preview) if label.startswith("Play ")))

    assert re.search(rf"You played {tile} (left of|right of|above|below|between) \d-\d-\d", told(played))
    assert "**A corner match.**" in words_of(await sim.hand(ada))


async def test_guided_game_teaches_and_counts_for_no_record(sim: SimGuild, ada: MemberActor) -> None:
    hand = await begin_guided_game(sim, ada)
    assert says(told(await ada.click(sim.board(), label="Fingerprint")), "fair.guided")
    said = await play_until_over(sim, ada, hand)

    for lesson in ("A corner match.", "A draw.", "A bridge!", "A hexagon!", "Look closely:"):
        assert any(f"**{lesson}**" in text for text in said), lesson
    assert sum(says(text, "lesson.first") for text in said) <= 2, "in one turn: in the hand, and beside it"
    assert "## You win, " in said[-1]
    (end,) = [message for message in sim.public() if "Ada wins" in words_of(message)]
    assert "Guided game" in words_of(end)
    assert not {"Verify", "Record", "Review"} & button_ids(end).keys()
    assert "Verify" not in words_of(end)

    match_id = (await sim.head()).match_id
    assert "Ada" in told(await ada.slash(sim.channel, "tiles profile"))
    assert await sim.store.results.list_results(match_id) == (), "it is in nobody's record"
    forged = await sim.post(f"by:verify:{match_id}", f"by:rematch:{match_id}")
    assert says(told(await ada.click(forged, label="Button 0")), "fair.guided")
    assert "### Your turn · 6 tiles" in told(await ada.click(forged, label="Button 1"))


async def test_guided_game_continues_until_player_leaves(sim: SimGuild, ada: MemberActor) -> None:
    await begin_guided_game(sim, ada)
    before = await sim.head()
    for _ in range(3):
        assert "### Your turn · 6 tiles" in words_of(private(await ada.slash(sim.channel, "tiles help", guided=True)))

    assert (await sim.head()).match_id == before.match_id
    assert sim.channel.threads == []

    await ada.slash(sim.channel, "tiles leave")
    assert (await sim.head()).state == "void"
    assert "### Your turn · 6 tiles" in words_of(await begin_guided_game(sim, ada)), "the next one is another table"


async def test_guided_game_in_busy_channel_opens_thread(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    await sim.table(ada, grace)
    linus = sim.person("Linus")
    hand = await begin_guided_game(sim, linus)

    (thread,) = sim.channel.threads
    assert thread.name == "Guided game · Linus"
    assert f"/{thread.id}" in words_of(hand) or f"<#{thread.id}>" in words_of(hand)
    assert (await sim.head(thread)).state == "open"


async def test_new_table_moves_guided_game_to_thread(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    await begin_guided_game(sim, ada)
    lesson = (await sim.head()).match_id
    await sim.table(grace, sim.person("Linus"))

    after = await sim.store.matches.find_head(lesson)
    assert after.channel_id in [thread.id for thread in sim.channel.threads]


async def test_guided_game_shows_same_hand_after_restart(sim: SimGuild, ada: MemberActor) -> None:
    hand = await begin_guided_game(sim, ada)
    for _ in range(2):
        hand, _ = await click_next(ada, hand)
    before = words_of(await sim.hand(ada))
    await sim.restart()

    assert "**A corner match.**" in before
    assert words_of(await sim.hand(ada)) == before


def test_terms_without_lesson_are_not_guided() -> None:
    assert Terms(game="triominoes", seats=2, target=400, by_hand=False).guided is False
