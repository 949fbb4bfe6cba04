"""What befalls an evening: people of one name, a message that is moved, a match that is refused, everybody leaves."""

from __future__ import annotations

import pytest
from simcord import MemberActor

from engine.table.refusals import No, Refused
from tests.bot.house import House
from tests.bot.reading import button_ids, private, told, words_of
from tests.bot.seasons import MINUTE, announced, begun, message, round_over, season_of, settled
from tests.wording import says


async def test_two_of_one_name_are_told_apart_wherever_the_tournament_names_them(
    house: House, guests: list[MemberActor], organizer: MemberActor
) -> None:
    twin = house.guild.add_member(house.env.create_user("other", global_name="Ann"))
    house.people[twin.id] = twin
    found = await begun(house, organizer, [*guests[:3], twin], "knockout")
    shown = words_of(message(house))
    assert shown.count("Ann (1)") == shown.count("Ann (2)") == 1
    assert "Ben" in shown
    assert "Ben (" not in shown
    picture = message(house).attachments[0].description or ""
    assert picture.count("Ann (1)") == picture.count("Ann (2)") == 1
    assert sum("Ann (1)" in one.name for one in house.channel.threads) == 1
    assert found.people[1] == guests[0].id


async def test_a_tournament_that_is_moved_has_one_message_and_one_that_is_over_stays(
    house: House, guests: list[MemberActor], organizer: MemberActor
) -> None:
    await begun(house, organizer, guests[:4])
    assert says(told(await organizer.slash(house.channel, "tiles-league move")), "league.moved")
    await settled(house)
    assert len(house.public()) == 1, "it came to the bottom, and no second one stands above"
    elsewhere = house.guild.create_text_channel("elsewhere")
    await organizer.slash(elsewhere, "tiles-league move")
    await settled(house)
    assert (len(house.public()), len(house.public(elsewhere))) == (0, 1)
    assert "Table" in button_ids(house.public(elsewhere)[-1])
    await organizer.slash(elsewhere, "tiles-league end")
    await settled(house)
    before = [one.id for one in house.public(elsewhere)]
    assert says(told(await organizer.slash(house.channel, "tiles-league move")), "no.TOURNAMENT_OVER")
    assert [one.id for one in house.public(elsewhere)] == before


async def test_when_all_but_one_have_left_that_one_has_won_and_there_is_nothing_to_press_any_more(
    house: House, guests: list[MemberActor], organizer: MemberActor
) -> None:
    for kind in ("knockout", "swiss"):
        found = await begun(house, organizer, guests[:4], kind)
        for person in guests[:3]:
            asked = private(await person.click(message(house), label="Withdraw"))
            await person.click(asked, label="Leave the tournament")
            await settled(house)
        for _ in range(3):
            if (found := await season_of(house)).season.state == "running":
                found = await round_over(house)
        assert found.season.state == "over"
        assert "won by **Dan**" in words_of(message(house))
        assert {"Table", "How it goes"} == set(button_ids(message(house)))


async def test_a_match_that_is_refused_is_no_endless_errand_but_is_seen(
    house: House, guests: list[MemberActor], organizer: MemberActor, monkeypatch: pytest.MonkeyPatch
) -> None:
    await announced(house, organizer, guests[:4])
    book, tries = house.client.services.leagues, []

    async def refused(*_: object) -> None:
        tries.append(house.clock())
        raise Refused(No.CHANNEL_BUSY)

    with monkeypatch.context() as patched:
        patched.setattr(book, "open", refused)
        await house.wait(hours=31 * MINUTE)
        for _ in range(5):
            await house.client.services.seasons.sweep()
            await house.client.services.seasons.idle()
    assert 1 <= len(tries) <= 2, "it waits for longer each time before it tries again"
    assert len((await house.store.backlog(now=house.clock(), guild_id=house.guild.id)).held) == 1
    assert "I keep trying" in words_of(message(house))
    await house.wait(hours=2 * MINUTE)
    await settled(house)
    assert len(house.channel.threads) == 2
    assert "I keep trying" not in words_of(message(house))
