"""A closed table continues at once when the bot regains its permission."""

from collections.abc import Callable
from dataclasses import dataclass

import discord
import pytest
from simcord import ChannelHandle
from simcord.backend import serializers
from simcord.backend.models import Overwrite

from tests.bot.member import Member
from tests.bot.messages import read_shown_seq
from tests.bot.simulated_guild import SimGuild

SEND = discord.Permissions(send_messages=True).value
ROLE, MEMBER = 0, 1


@dataclass(frozen=True)
class PermissionChange:
    close: Callable[[SimGuild, ChannelHandle], object]
    reopen: Callable[[SimGuild, ChannelHandle], object]


def set_everyone_overwrite(sim: SimGuild, channel: ChannelHandle, **bits: int) -> None:
    sim.env.backend.set_overwrite(channel.id, Overwrite(sim.guild.id, ROLE, **bits))


def get_bot_id(sim: SimGuild) -> int:
    return sim.env.backend.bot_user.id


def ensure_role(sim: SimGuild, name: str) -> int:
    roles = sim.env.backend.get_guild(sim.guild.id).roles
    found = next((one.id for one in roles.values() if one.name == name), None)
    return sim.env.backend.create_role(sim.guild.id, name).id if found is None else found


def change_bot_role(sim: SimGuild, name: str, *, has: bool) -> None:
    backend, guild = sim.env.backend, sim.guild.id
    change = backend.add_member_role if has else backend.remove_member_role
    change(guild, get_bot_id(sim), ensure_role(sim, name))
    # Discord sends the updates of the bot's member without any intent; simcord does not.
    member = backend.get_member(guild, get_bot_id(sim))
    payload = {**serializers.member_payload(backend, backend.get_guild(guild), member), "guild_id": str(guild)}
    sim.client._connection.parsers["GUILD_MEMBER_UPDATE"](payload)


def allow_bot_role(sim: SimGuild, *, send: bool) -> None:
    backend, guild = sim.env.backend, sim.guild.id
    for number in (backend.get_member(guild, get_bot_id(sim)).role_ids[0], guild):
        before = backend.get_guild(guild).roles[number].permissions
        backend.edit_role(guild, number, {"permissions": before | SEND if send else before & ~SEND})


def restrict_to_speakers(sim: SimGuild, channel: ChannelHandle) -> None:
    set_everyone_overwrite(sim, channel, deny=SEND)
    sim.env.backend.set_overwrite(channel.id, Overwrite(ensure_role(sim, "speakers"), ROLE, allow=SEND))


def mute_bot(sim: SimGuild, channel: ChannelHandle) -> None:
    sim.env.backend.set_overwrite(channel.id, Overwrite(ensure_role(sim, "muted"), ROLE, deny=SEND))
    change_bot_role(sim, "muted", has=True)


CHANGES = {
    "the channel forbids it no more": PermissionChange(
        lambda sim, channel: set_everyone_overwrite(sim, channel, deny=SEND),
        lambda sim, channel: set_everyone_overwrite(sim, channel),
    ),
    "the channel allows the bot": PermissionChange(
        lambda sim, channel: set_everyone_overwrite(sim, channel, deny=SEND),
        lambda sim, channel: sim.env.backend.set_overwrite(channel.id, Overwrite(get_bot_id(sim), MEMBER, allow=SEND)),
    ),
    "an overwrite is taken away": PermissionChange(
        lambda sim, channel: set_everyone_overwrite(sim, channel, deny=SEND),
        lambda sim, channel: sim.env.backend.delete_overwrite(channel.id, sim.guild.id),
    ),
    "its role may": PermissionChange(
        lambda sim, _: allow_bot_role(sim, send=False), lambda sim, _: allow_bot_role(sim, send=True)
    ),
    "it gets a role": PermissionChange(restrict_to_speakers, lambda sim, _: change_bot_role(sim, "speakers", has=True)),
    "it loses a role": PermissionChange(mute_bot, lambda sim, _: change_bot_role(sim, "muted", has=False)),
    "a role goes": PermissionChange(
        mute_bot, lambda sim, _: sim.env.backend.delete_role(sim.guild.id, ensure_role(sim, "muted"))
    ),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=list(CHANGES))
async def test_closed_table_resumes_when_permission_returns(
    sim: SimGuild, ada: Member, grace: Member, change: PermissionChange
) -> None:
    elsewhere = sim.guild.create_text_channel("elsewhere")
    cellar = await sim.start_table(ada, grace, channel=sim.guild.create_text_channel("cellar"))
    ensure_role(sim, "speakers")
    change.close(sim, cellar)
    mover = sim.get_called_player(cellar)
    await sim.play_by_typing(mover, elsewhere)
    match_id = (await sim.load_head(cellar)).match_id
    announcer = sim.client.services.announcer
    await sim.wait(hours=1)
    assert announcer.is_closed(match_id)
    assert sim.list_calls(cellar) == [], "the channel knows nothing of the next turn"

    change.reopen(sim, cellar)
    await sim.env.settle()
    await announcer.wait_until_idle()

    assert not announcer.is_closed(match_id)
    assert sim.get_called_player(cellar) is not mover
    head = await sim.load_head(cellar)
    assert (head.shown_seq, await sim.store.outbox.list_blocked()) == (head.seq, [])
    assert read_shown_seq(sim.get_board(cellar)) == head.seq


async def test_unrelated_change_leaves_channel_closed(sim: SimGuild, ada: Member, grace: Member) -> None:
    elsewhere = sim.guild.create_text_channel("elsewhere")
    cellar = await sim.start_table(ada, grace, channel=sim.guild.create_text_channel("cellar"))
    set_everyone_overwrite(sim, cellar, deny=SEND)
    await sim.play_by_typing(sim.get_called_player(cellar), elsewhere)
    head = await sim.load_head(cellar)
    requests = len(sim.env.http_requests)
    sim.env.backend.set_overwrite(elsewhere.id, Overwrite(get_bot_id(sim), MEMBER, allow=SEND))
    sim.env.backend.edit_role(sim.guild.id, ensure_role(sim, "speakers"), {"permissions": SEND})
    change_bot_role(sim, "speakers", has=True)
    await sim.env.settle()
    await sim.client.services.announcer.wait_until_idle()
    assert sim.client.services.announcer.is_closed(head.match_id)
    assert len(sim.env.http_requests) == requests, "nobody knocks at a closed door"
