"""The colours of pictures: a server's for what everybody sees, a person's own for what only they see."""

from io import BytesIO

import discord
from PIL import Image
from simcord import MemberActor, ResponseMessage

from render import SCHEMES
from tests.bot.house import House
from tests.bot.moderation import set_here
from tests.bot.reading import private, told
from tests.wording import says


async def colours_of(message: discord.Message | ResponseMessage) -> str:
    """The scheme a picture is drawn in: its cloth is the colour that it has most of."""
    picture = Image.open(BytesIO(await message.attachments[0].read())).convert("RGB")
    most = max(picture.getcolors(picture.width * picture.height) or (), key=lambda counted: counted[0])[1]
    return next((name for name, scheme in SCHEMES.items() if scheme.cloth == most), str(most))


async def hand_of(house: House, person: MemberActor) -> str:
    return await colours_of(private(await person.click(house.board(), label="My hand")))


async def test_player_colours_change_own_pictures_only(house: House, ada: MemberActor, grace: MemberActor) -> None:
    assert says(told(await ada.slash(house.channel, "tiles settings")), "settings.scheme_by_itself")
    said = told(await ada.slash(house.channel, "tiles settings", colours="light"))
    assert says(said, "settings.scheme", scheme="light linen")
    await house.table(ada, grace)
    assert [await hand_of(house, ada), await hand_of(house, grace)] == ["light", "dark"]
    assert await colours_of(house.board()) == "dark"
    await house.restart()
    assert await hand_of(house, ada) == "light"
    await ada.slash(house.channel, "tiles settings", colours="discord")
    assert await hand_of(house, ada) == "dark"


async def test_server_colours_apply_where_player_chose_none(
    house: House, ada: MemberActor, grace: MemberActor, mary: MemberActor
) -> None:
    said = await set_here(house, mary, colours="contrast")
    assert says(said, "admin.scheme", scheme="high contrast")
    await ada.slash(house.channel, "tiles settings", colours="light")
    await house.table(ada, grace)
    assert await colours_of(house.board()) == "contrast"
    assert [await hand_of(house, ada), await hand_of(house, grace)] == ["light", "contrast"]
    await house.restart()
    assert await hand_of(house, grace) == "contrast"
    assert await colours_of(private(await grace.slash(house.channel, "tiles rules"))) == "contrast"
