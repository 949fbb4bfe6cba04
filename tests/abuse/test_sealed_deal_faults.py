"""Faults and interruptions at tables of sealed deals."""

import re
from typing import Any

import discord
import pytest
from simcord import ChannelHandle, MemberActor
from sqlalchemy import text

from bot.core.command_groups import tiles
from data.store.connection.engines import make_engine, parse_url
from data.store.connection.store_errors import StoreClosed
from data.store.duplicates.store import DealStore
from data.store.store import Store
from tests.abuse.sealed_deals import sealed
from tests.bot.core.channels import lose
from tests.bot.core.stored_traces import forget
from tests.bot.messages import pictures, private, told, words_of
from tests.bot.simulated_guild import SimGuild
from tests.wording import en, says

pytestmark = pytest.mark.deep

WEEK = 24 * 7 + 1
CLOSED = "sealed until"


@pytest.fixture
def mary(sim: SimGuild) -> MemberActor:
    role = sim.guild.create_role("moderators", permissions=discord.Permissions(manage_guild=True))
    actor = sim.guild.add_member(sim.env.create_user("mary", global_name="Mary"), roles=[role])
    sim.people[actor.id] = actor
    return actor


async def two_tables(sim: SimGuild, deal: str, people: list[MemberActor], second: ChannelHandle) -> tuple[int, int]:
    for (host, other), channel in ((people[:2], sim.channel), (people[2:], second)):
        await host.slash(channel, "tiles new", deal=deal)
        await other.click(sim.board(channel), label="Join")
    return (await sim.head()).match_id, (await sim.head(second)).match_id


@pytest.fixture
async def people(sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor) -> list[MemberActor]:
    return [ada, grace, linus, sim.person("Alan")]


async def tries(sim: SimGuild, who: MemberActor, number: int) -> list[str]:
    forged = await sim.post(*(f"by:{verb}:{number}" for verb in ("record", "verify", "replay", "review")))
    answers = [private(await who.click(forged, label=f"Button {one}")) for one in range(4)]
    assert all(not one.attachments for one in answers), "no file, and no picture"
    return [words_of(one).lower() for one in answers]


async def field_told(sim: SimGuild, who: MemberActor, deal: str) -> str:
    return told(await who.slash(sim.channel, "tiles-deal field", deal=deal))


async def test_table_ended_by_moderator_stays_sealed_until_deal_opens(
    sim: SimGuild, people: list[MemberActor], mary: MemberActor, second: ChannelHandle
) -> None:
    ada = people[0]
    deal = await sealed(sim, ada, number=17, tables=2)
    number, _ = await two_tables(sim, deal, people, second)
    await sim.play_by_typing(sim.to_move())
    await mary.slash(sim.channel, "tiles-admin end", reason="noise")
    assert (await sim.head()).state == "void"
    shown = [message for message in sim.public() if pictures(message)]
    assert shown == []
    for who in (ada, mary):
        assert all(CLOSED in one or "no result" in one or "closed" in one for one in await tries(sim, who, number))
        assert not says(await field_told(sim, who, deal), "deal.field_title")
    assert "at another table" in told(await ada.slash(sim.channel, "tiles new", deal=deal)), "it was seen"

    emmy, kurt = sim.person("Emmy"), sim.person("Kurt")
    await emmy.slash(sim.channel, "tiles new", deal=deal)
    await kurt.click(sim.board(), label="Join")
    assert (await sim.head()).state == "open", "others may play it instead"
    await sim.wait(hours=WEEK)
    assert (await sim.client.services.tables.load(number)).state.is_deal_open
    assert not any(CLOSED in one for one in await tries(sim, mary, number)), "nothing is sealed any more"


async def test_table_of_deleted_player_is_not_compared(
    sim: SimGuild, people: list[MemberActor], second: ChannelHandle
) -> None:
    deal = await sealed(sim, people[0])
    sim.deals.wanted = []
    await people[0].slash(sim.channel, "tiles new", deal=deal)
    await people[1].click(sim.board(), label="Join")
    assert (await sim.head()).state == "done", "it was blocked at once"
    long = await sealed(sim, people[0], number=17)
    first, _ = await two_tables(sim, long, people, second)
    await sim.play_by_typing(sim.to_move())
    await forget(sim, people[1])
    assert (await sim.head()).state != "open"
    assert all(not pictures(message) for message in sim.public())
    assert all(CLOSED in one or "closed" in one for one in await tries(sim, people[0], first))
    assert says(await field_told(sim, people[2], long), "deal.waiting", done=1, running=1)
    await sim.wait(hours=WEEK)
    said = await field_told(sim, people[2], deal)
    assert "Ada" in said
    assert "Grace" not in said
    assert en("name.somebody") in said
    assert says(await field_told(sim, people[2], long), "deal.field_none")


async def test_comparison_is_sent_although_one_channel_is_deleted(
    sim: SimGuild, people: list[MemberActor], second: ChannelHandle
) -> None:
    deal = await sealed(sim, people[0])
    await two_tables(sim, deal, people, second)
    assert {(await sim.head()).state, (await sim.head(second)).state} == {"done"}
    await lose(sim, second)
    await sim.wait(hours=WEEK)
    (said,) = [words_of(one) for one in sim.public() if says(words_of(one), "deal.field_title")]
    assert all(name in said for name in ("Ada", "Grace", "Linus", "Alan"))


async def damage(sim: SimGuild, number: int) -> None:
    engine = make_engine(parse_url(sim.url))
    async with engine.begin() as connection:
        broken = "UPDATE events SET body = '{' WHERE match_id = :match AND seq = 3"
        await connection.execute(text(broken), {"match": number})
    await engine.dispose()
    sim.client.services.tables._cached.clear()


async def test_unreadable_table_is_excluded_from_comparison(
    sim: SimGuild, people: list[MemberActor], second: ChannelHandle, nothing_broke: list[str]
) -> None:
    deal = await sealed(sim, people[0])
    first, _ = await two_tables(sim, deal, people, second)
    await damage(sim, first)
    assert "is sealed until" in await field_told(sim, people[2], deal)
    await sim.wait(hours=WEEK)
    assert any("is set aside" in line for line in nothing_broke)
    nothing_broke.clear()
    said = await field_told(sim, people[2], deal)
    assert re.findall(r"\*\*(\w+)\*\*", said) == ["Linus", "Alan"]
    assert says(said, "deal.field_spoilt", n=1)
    assert sum(says(words_of(one), "deal.field_title") for one in sim.public(second)) == 1
    assert not any(says(words_of(one), "deal.field_title") for one in sim.public())


async def test_table_resumed_after_deal_opens_is_public(
    sim: SimGuild, people: list[MemberActor], nothing_broke: list[str]
) -> None:
    deal = await sealed(sim, people[0], number=17)
    await people[0].slash(sim.channel, "tiles new", deal=deal)
    await people[1].click(sim.board(), label="Join")
    number = (await sim.head()).match_id
    whole = (await sim.loaded()).events
    engine = make_engine(parse_url(sim.url))
    async with engine.begin() as connection:
        query = text("SELECT body FROM events WHERE match_id = :match AND seq = 3")
        body = (await connection.execute(query, {"match": number})).scalar_one()
    await damage(sim, number)
    assert says(told(await people[0].slash(sim.channel, "tiles board")), "no.SET_ASIDE", match=str(number))
    assert (await sim.head()).state == "void"
    await sim.wait(hours=WEEK)
    async with engine.begin() as connection:
        mended = text("UPDATE events SET body = :body WHERE match_id = :match AND seq = 3")
        await connection.execute(mended, {"match": number, "body": body})
    await engine.dispose()
    await sim.wait(seconds=130)
    assert (await sim.head()).state == "open"
    table = await sim.now()
    assert table.state.is_deal_open
    assert (await sim.loaded()).events[: len(whole)] == whole
    assert pictures(sim.board()), "it goes on before everybody's eyes"
    assert says(await field_told(sim, people[2], deal), "deal.field_running", n=1)
    nothing_broke.clear()


async def test_bot_killed_at_deal_end_announces_result_once(
    sim: SimGuild, people: list[MemberActor], second: ChannelHandle, monkeypatch: pytest.MonkeyPatch
) -> None:
    fatal, really, kills = "before", DealStore.open_deal, []

    async def mortal(store: Store, deal_id: int, *, now: int) -> list[int]:
        if fatal == "before":
            kills.append(fatal)
            raise StoreClosed
        found = await really(store, deal_id, now=now)
        if fatal == "after":
            kills.append(fatal)
            raise StoreClosed
        return found

    monkeypatch.setattr(DealStore, "open_deal", mortal)
    deal = await sealed(sim, people[0], tables=2)
    await two_tables(sim, deal, people, second)
    assert {(await sim.head()).state, (await sim.head(second)).state} == {"done"}
    await sim.wait(seconds=60)
    assert "before" in kills
    assert "is sealed until" in await field_told(sim, people[0], deal)
    assert not any(pictures(one) for channel in (sim.channel, second) for one in sim.public(channel))
    fatal = "after"
    await sim.restart()
    await sim.wait(seconds=60)
    assert kills[-1] == "after"
    fatal = ""
    await sim.restart()
    await sim.wait(seconds=60)
    for channel in (sim.channel, second):
        assert sum(says(words_of(one), "deal.field_title") for one in sim.public(channel)) == 1
        assert pictures(sim.board(channel)), "the boards are there for all to see"


async def test_deals_of_guild_are_deleted_after_unnoticed_removal(sim: SimGuild, mary: MemberActor) -> None:
    await mary.slash(sim.channel, "tiles-deal weekly")
    assert sim.guild.id in await sim.store.guilds.list_known_guilds()
    guild: Any = discord.Object(sim.guild.id)
    await sim.client.on_guild_remove(guild)
    await sim.wait(hours=24 * 15)
    sealed_now = [
        one for one in await DealStore(sim.store.transactions).list_deals(sim.guild.id) if one.opened_at is None
    ]
    assert sealed_now == [], "nothing is made for a server that the bot has left"
    await sim.wait(hours=24 * 16)
    assert await DealStore(sim.store.transactions).list_deals(sim.guild.id) == []
    assert not await DealStore(sim.store.transactions).delete_weekly_deal(sim.guild.id)


def test_tables_cannot_be_opened_in_direct_messages() -> None:
    assert tiles.guild_only
    assert tiles.allowed_contexts is None or not tiles.allowed_contexts.dm_channel
