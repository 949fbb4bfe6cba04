"""Each way in which the bot gets a permission back lets a closed table go on at once."""

from collections.abc import Callable
from dataclasses import dataclass

import discord
import pytest
from simcord import ChannelHandle, MemberActor
from simcord.backend import serializers
from simcord.backend.models import Overwrite

from tests.bot.house import House
from tests.bot.reading import shown_seq

SEND = discord.Permissions(send_messages=True).value
ROLE, MEMBER = 0, 1


@dataclass(frozen=True)
class Way:
    shut: Callable[[House, ChannelHandle], object]
    reopen: Callable[[House, ChannelHandle], object]


def everyone(house: House, channel: ChannelHandle, **bits: int) -> None:
    house.env.backend.set_overwrite(channel.id, Overwrite(house.guild.id, ROLE, **bits))


def bot_id(house: House) -> int:
    return house.env.backend.bot_user.id


def role(house: House, name: str) -> int:
    roles = house.env.backend.get_guild(house.guild.id).roles
    found = next((one.id for one in roles.values() if one.name == name), None)
    return house.env.backend.create_role(house.guild.id, name).id if found is None else found


def own(house: House) -> int:
    return house.env.backend.get_member(house.guild.id, bot_id(house)).role_ids[0]


def has_role(house: House, name: str, *, has: bool) -> None:
    backend, guild = house.env.backend, house.guild.id
    change = backend.add_member_role if has else backend.remove_member_role
    change(guild, bot_id(house), role(house, name))
    # Discord sends a bot its own updates whatever its intents are; simcord does not.
    member = backend.get_member(guild, bot_id(house))
    told = {**serializers.member_payload(backend, backend.get_guild(guild), member), "guild_id": str(guild)}
    house.client._connection.parsers["GUILD_MEMBER_UPDATE"](told)


def bot_role_may(house: House, *, send: bool) -> None:
    backend, guild = house.env.backend, house.guild.id
    for number in (own(house), guild):
        before = backend.get_guild(guild).roles[number].permissions
        backend.edit_role(guild, number, {"permissions": before | SEND if send else before & ~SEND})


def speakers_only(house: House, channel: ChannelHandle) -> None:
    everyone(house, channel, deny=SEND)
    house.env.backend.set_overwrite(channel.id, Overwrite(role(house, "speakers"), ROLE, allow=SEND))


def muted(house: House, channel: ChannelHandle) -> None:
    house.env.backend.set_overwrite(channel.id, Overwrite(role(house, "muted"), ROLE, deny=SEND))
    has_role(house, "muted", has=True)


WAYS = {
    "the channel forbids it no more": Way(
        lambda house, channel: everyone(house, channel, deny=SEND), lambda house, channel: everyone(house, channel)
    ),
    "the channel allows the bot": Way(
        lambda house, channel: everyone(house, channel, deny=SEND),
        lambda house, channel: house.env.backend.set_overwrite(
            channel.id, Overwrite(bot_id(house), MEMBER, allow=SEND)
        ),
    ),
    "an overwrite is taken away": Way(
        lambda house, channel: everyone(house, channel, deny=SEND),
        lambda house, channel: house.env.backend.delete_overwrite(channel.id, house.guild.id),
    ),
    "its role may": Way(
        lambda house, _: bot_role_may(house, send=False), lambda house, _: bot_role_may(house, send=True)
    ),
    "it gets a role": Way(speakers_only, lambda house, _: has_role(house, "speakers", has=True)),
    "it loses a role": Way(muted, lambda house, _: has_role(house, "muted", has=False)),
    "a role goes": Way(muted, lambda house, _: house.env.backend.delete_role(house.guild.id, role(house, "muted"))),
}


@pytest.mark.parametrize("way", WAYS.values(), ids=list(WAYS))
async def test_closed_table_resumes(house: House, ada: MemberActor, grace: MemberActor, way: Way) -> None:
    elsewhere = house.guild.create_text_channel("elsewhere")
    cellar = await house.table(ada, grace, channel=house.guild.create_text_channel("cellar"))
    role(house, "speakers")
    way.shut(house, cellar)
    mover = house.to_move(cellar)
    await house.play_by_typing(mover, elsewhere)
    match_id = (await house.head(cellar)).match_id
    announcer = house.client.services.announcer
    await house.wait(hours=1)
    assert announcer.is_closed(match_id)
    assert house.calls(cellar) == [], "the channel knows nothing of the next turn"

    way.reopen(house, cellar)
    await house.env.settle()
    await announcer.idle()

    assert not announcer.is_closed(match_id)
    assert house.to_move(cellar) is not mover
    head = await house.head(cellar)
    assert (head.shown_seq, await house.store.outbox.blocked()) == (head.seq, [])
    assert shown_seq(house.board(cellar)) == head.seq


async def test_unrelated_change_leaves_channel_closed(house: House, ada: MemberActor, grace: MemberActor) -> None:
    elsewhere = house.guild.create_text_channel("elsewhere")
    cellar = await house.table(ada, grace, channel=house.guild.create_text_channel("cellar"))
    everyone(house, cellar, deny=SEND)
    await house.play_by_typing(house.to_move(cellar), elsewhere)
    head = await house.head(cellar)
    requests = len(house.env.http_requests)
    house.env.backend.set_overwrite(elsewhere.id, Overwrite(bot_id(house), MEMBER, allow=SEND))
    house.env.backend.edit_role(house.guild.id, role(house, "speakers"), {"permissions": SEND})
    has_role(house, "speakers", has=True)
    await house.env.settle()
    await house.client.services.announcer.idle()
    assert house.client.services.announcer.is_closed(head.match_id)
    assert len(house.env.http_requests) == requests, "nobody knocks at a closed door"
