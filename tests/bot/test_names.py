"""What people are called, and how seldom Discord is asked for it."""

from __future__ import annotations

import pytest
from simcord import MemberActor

from bot.views.names import NameBook
from data.words import words
from tests.bot.house import House


def lookups(house: House) -> list[str]:
    """The members that the bot asked Discord for."""
    return [one.path for one in house.env.http_requests if one.method == "GET" and "/members/" in one.path]


async def test_somebody_who_left_is_asked_for_once_in_a_while_and_not_for_every_picture(
    house: House, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    await house.table(ada, grace, linus)
    house.guild.remove_member(linus)
    await house.restart()
    before = len(lookups(house))
    for _ in range(3):
        await ada.slash(house.channel, "tiles board")
    gone = [path for path in lookups(house)[before:] if path.endswith(f"/{linus.id}")]
    assert len(gone) == 1
    house.clock.skipped += NameBook.GONE
    await ada.slash(house.channel, "tiles board")
    gone = [path for path in lookups(house)[before:] if path.endswith(f"/{linus.id}")]
    assert len(gone) == 2, "they may have come back"


async def test_somebody_who_comes_back_and_acts_has_a_name_at_once(house: House, ada: MemberActor) -> None:
    house.guild.remove_member(ada)
    names = house.client.services.names
    assert await names.name(house.guild.id, ada.id, words()) == "Somebody"
    again = house.guild.add_member(ada.user)
    await again.slash(house.channel, "tiles new")
    assert await names.name(house.guild.id, ada.id, words()) == "Ada"


async def test_a_failure_of_discord_is_no_sign_that_somebody_left(house: House, ada: MemberActor) -> None:
    await house.restart()
    house.env.inject_error("GET", f"/guilds/*/members/{ada.id}", status=503, message="Service Unavailable")
    names = house.client.services.names
    assert await names.name(house.guild.id, ada.id, words()) == "Somebody"
    assert await names.name(house.guild.id, ada.id, words()) == "Ada"


async def test_those_who_are_gone_are_bounded_as_the_others_are(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(NameBook, "KEPT", 2)
    names = house.client.services.names
    before = len(lookups(house))
    for stranger in (1, 2, 3, 3, 2, 1):
        assert await names.name(house.guild.id, stranger, words()) == "Somebody"
    asked = [int(path.rsplit("/", 1)[1]) for path in lookups(house)[before:]]
    assert asked == [1, 2, 3, 1], "only the first had to make room"
