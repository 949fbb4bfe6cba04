"""A pause by agreement, as the people at the table meet it: asked for, agreed on, and ended by anybody who plays."""

import pytest
from simcord import MemberActor

from data.words import languages, words
from tests.bot.house import House
from tests.bot.reading import button_ids, private, told, words_of


async def test_two_people_pause_their_match_and_one_lets_it_go_on(
    house: House, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    await house.table(ada, grace, clock="days 1d")
    player = house.to_move()
    asked = await ada.slash(house.channel, "tiles match pause")
    assert told(asked).startswith("You have asked.")
    assert "**Ada** would like to pause this match" in words_of(house.board())
    agreed = await grace.click(house.board(), label="Agree")
    assert told(agreed).startswith("The match is paused. No time runs until somebody who plays presses **Go on**")
    assert "Paused by agreement" in words_of(house.board())
    assert "Time to move until" not in words_of(house.board())
    assert house.calls()[-1].content.endswith("is paused until somebody who plays presses **Go on**, 30 days at most.")

    # Days go by: nobody's time runs out, nobody is reminded, and nobody can move.
    said = len(house.public())
    await house.wait(hours=24 * 9)
    assert len(house.public()) == said
    late = private(await house.play_by_typing(player))
    assert words_of(late).startswith("You all agreed to pause this match")
    assert "Go on" in button_ids(late)
    hand = await house.hand(player)
    assert "You all have paused this match" in words_of(hand)
    assert "Go on" in button_ids(hand)

    watching = await linus.click(house.board(), label="Go on")
    assert "watching" in told(watching)
    assert "Paused by agreement" in words_of(house.board())

    went_on = await grace.click(house.board(), label="Go on")
    assert told(went_on) == "The match goes on."
    assert "Paused by agreement" not in words_of(house.board())
    assert "Grace lets the match go on." in "\n".join(words_of(message) for message in house.public())
    assert [user.id for user in house.calls()[-1].mentions] == [player.id]
    await house.play_by_typing(player)
    again = await ada.slash(house.channel, "tiles match resume")
    assert told(again) == "This match is not paused: there is nothing to resume."


async def test_it_ends_by_itself_after_thirty_days(house: House, ada: MemberActor, grace: MemberActor) -> None:
    await house.table(ada, grace, clock="days 1d")
    await ada.slash(house.channel, "tiles match pause")
    await grace.click(house.board(), label="Agree")
    await house.wait(hours=24 * 30 - 1)
    assert (await house.now()).state.paused_until is not None
    await house.wait(hours=1)
    assert (await house.now()).state.paused_until is None
    assert "The pause is over: the match goes on." in "\n".join(words_of(message) for message in house.public())
    assert len(house.calls()) >= 1


async def test_a_pause_outlives_a_restart(house: House, ada: MemberActor, grace: MemberActor) -> None:
    await house.table(ada, grace)
    await ada.slash(house.channel, "tiles match pause")
    await grace.click(house.board(), label="Agree")
    await house.restart()
    assert (await house.now()).state.paused_until is not None
    assert told(await ada.slash(house.channel, "tiles match resume")) == "The match goes on."


async def test_against_computers_there_is_nobody_to_agree_with(house: House, ada: MemberActor) -> None:
    await house.table(ada, computers=1)
    refused = await ada.slash(house.channel, "tiles match pause")
    assert told(refused).startswith("A pause is for people who agree on it")


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
