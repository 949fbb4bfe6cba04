"""The colours of pictures: a server's for what everybody sees, a person's own for what only they see."""

from __future__ import annotations

from io import BytesIO

import discord
from PIL import Image
from simcord import MemberActor, ResponseMessage

from render import SCHEMES
from tests.bot.house import House
from tests.bot.reading import private, told
from tests.bot.test_admin import mary, set_here

__all__ = ["mary"]


async def colours_of(message: discord.Message | ResponseMessage) -> str:
    """The scheme a picture is drawn in: its cloth is the colour that it has most of."""
    picture = Image.open(BytesIO(await message.attachments[0].read())).convert("RGB")
    most = max(picture.getcolors(picture.width * picture.height) or (), key=lambda counted: counted[0])[1]
    return next((name for name, scheme in SCHEMES.items() if scheme.cloth == most), str(most))


async def hand_of(house: House, person: MemberActor) -> str:
    """The colours of somebody's private picture."""
    return await colours_of(private(await person.click(house.board(), label="My hand")))


async def test_a_person_chooses_those_of_private_pictures_and_nobody_else_sees_a_difference(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    assert "as on this server" in told(await ada.slash(house.channel, "tiles settings"))
    said = told(await ada.slash(house.channel, "tiles settings", colours="light"))
    assert "Pictures that only you see: light linen.\n" in said
    await house.table(ada, grace)
    assert [await hand_of(house, ada), await hand_of(house, grace)] == ["light", "dark"]
    assert await colours_of(house.board()) == "dark"
    await house.restart()
    assert await hand_of(house, ada) == "light"
    await ada.slash(house.channel, "tiles settings", colours="discord")
    assert await hand_of(house, ada) == "dark"


async def test_a_server_chooses_those_of_public_ones_and_of_private_ones_of_whoever_chose_none(
    house: House, ada: MemberActor, grace: MemberActor, mary: MemberActor
) -> None:
    said = await set_here(house, mary, colours="contrast")
    assert "**Colours** of the pictures that everybody sees: high contrast\n" in said
    await ada.slash(house.channel, "tiles settings", colours="light")
    await house.table(ada, grace)
    assert await colours_of(house.board()) == "contrast"
    assert [await hand_of(house, ada), await hand_of(house, grace)] == ["light", "contrast"]
    await house.restart()
    assert await hand_of(house, grace) == "contrast"
    assert await colours_of(private(await grace.slash(house.channel, "tiles rules"))) == "contrast"
