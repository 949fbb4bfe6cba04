"""A pause by agreement, as the people at the table meet it: asked for, agreed on, and ended by anybody who plays."""

import pytest
from simcord import MemberActor

from data.words import languages, words
from tests.bot.house import House
from tests.bot.reading import button_ids, private, told, words_of
from tests.wording import en, says


async def test_two_people_pause_their_match_and_one_lets_it_go_on(
    house: House, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    await house.table(ada, grace, clock="days 1d")
    player = house.to_move()
    asked = await ada.slash(house.channel, "tiles match pause")
    assert told(asked).startswith("You have asked.")
    assert says(words_of(house.board()), "agree.pause")
    agreed = await grace.click(house.board(), label="Agree")
    assert says(told(agreed), "agree.done_pause")
    assert "Paused by agreement" in words_of(house.board())
    assert not says(words_of(house.board()), "clock.until")
    assert says(house.calls()[-1].content, "agree.agreed_pause")

    # Days go by: nobody's time runs out, nobody is reminded, and nobody can move.
    said = len(house.public())
    await house.wait(hours=24 * 9)
    assert len(house.public()) == said
    late = private(await house.play_by_typing(player))
    assert says(words_of(late), "no.PAUSED_TOGETHER")
    assert "Go on" in button_ids(late)
    hand = await house.hand(player)
    assert says(words_of(hand), "hand.paused_together")
    assert "Go on" in button_ids(hand)

    watching = await linus.click(house.board(), label="Go on")
    assert "watching" in told(watching)
    assert "Paused by agreement" in words_of(house.board())

    went_on = await grace.click(house.board(), label="Go on")
    assert told(went_on) == en("agree.goes_on")
    assert "Paused by agreement" not in words_of(house.board())
    assert says("\n".join(words_of(message) for message in house.public()), "notice.goes_on", name="Grace")
    assert [user.id for user in house.calls()[-1].mentions] == [player.id]
    await house.play_by_typing(player)
    again = await ada.slash(house.channel, "tiles match resume")
    assert told(again) == en("no.NOT_PAUSED")


async def test_it_ends_by_itself_after_thirty_days(house: House, ada: MemberActor, grace: MemberActor) -> None:
    await house.table(ada, grace, clock="days 1d")
    await ada.slash(house.channel, "tiles match pause")
    await grace.click(house.board(), label="Agree")
    await house.wait(hours=24 * 30 - 1)
    assert (await house.now()).state.paused_until is not None
    await house.wait(hours=1)
    assert (await house.now()).state.paused_until is None
    assert says("\n".join(words_of(message) for message in house.public()), "notice.goes_on_by_itself")
    assert len(house.calls()) >= 1


async def test_a_pause_outlives_a_restart(house: House, ada: MemberActor, grace: MemberActor) -> None:
    await house.table(ada, grace)
    await ada.slash(house.channel, "tiles match pause")
    await grace.click(house.board(), label="Agree")
    await house.restart()
    assert (await house.now()).state.paused_until is not None
    assert told(await ada.slash(house.channel, "tiles match resume")) == en("agree.goes_on")


async def test_against_computers_there_is_nobody_to_agree_with(house: House, ada: MemberActor) -> None:
    await house.table(ada, computers=1)
    refused = await ada.slash(house.channel, "tiles match pause")
    assert says(told(refused), "no.PAUSE_ALONE")


@pytest.mark.parametrize("language", languages())
def test_every_sentence_about_a_pause_says_how_it_ends(language: str) -> None:
    said = words(language)
    button = said("agree.resume")
    facts = {"name": "Ada", "until": "1 May"}
    for key in (
        "agree.pause",
        "agree.done_pause",
        "agree.agreed_pause",
        "clock.paused_together",
        "hand.paused_together",
    ):
        assert f"**{button}**" in said(key, **facts), key
    for key in ("no.PAUSED_TOGETHER", "notice.pause"):
        assert f"**{button}**" in said(key, **facts), key
