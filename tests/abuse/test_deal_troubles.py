"""What befalls the tables of a sealed deal: its tiles are told to nobody too early, and its result to all in time."""

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
from tests.bot.channels import lose
from tests.bot.house import House
from tests.bot.reading import pictures, private, told, words_of
from tests.bot.traces import forget
from tests.wording import says

pytestmark = pytest.mark.deep

WEEK = 24 * 7 + 1
CLOSED = "sealed deal"


@pytest.fixture
def mary(house: House) -> MemberActor:
    role = house.guild.create_role("moderators", permissions=discord.Permissions(manage_guild=True))
    actor = house.guild.add_member(house.env.create_user("mary", global_name="Mary"), roles=[role])
    house.people[actor.id] = actor
    return actor


async def two_tables(house: House, deal: str, people: list[MemberActor], second: ChannelHandle) -> tuple[int, int]:
    for (host, other), channel in ((people[:2], house.channel), (people[2:], second)):
        await host.slash(channel, "tiles new", deal=deal)
        await other.click(house.board(channel), label="Join")
    return (await house.head()).match_id, (await house.head(second)).match_id


@pytest.fixture
async def people(house: House, ada: MemberActor, grace: MemberActor, linus: MemberActor) -> list[MemberActor]:
    return [ada, grace, linus, house.person("Alan")]


async def tries(house: House, who: MemberActor, number: int) -> list[str]:
    forged = await house.post(*(f"by:{verb}:{number}" for verb in ("record", "verify", "replay", "review")))
    answers = [private(await who.click(forged, label=f"Button {one}")) for one in range(4)]
    assert all(not one.attachments for one in answers), "no file, and no picture"
    return [words_of(one).lower() for one in answers]


async def field_told(house: House, who: MemberActor, deal: str) -> str:
    return told(await who.slash(house.channel, "tiles-deal field", deal=deal))


async def test_table_that_moderator_ends_stays_closed_until_deal_is_opened_and_no_longer(
    house: House, people: list[MemberActor], mary: MemberActor, second: ChannelHandle
) -> None:
    ada = people[0]
    deal = await sealed(house, ada, number=17, tables=2)
    number, _ = await two_tables(house, deal, people, second)
    await house.play_by_typing(house.to_move())
    await mary.slash(house.channel, "tiles-admin end", reason="noise")
    assert (await house.head()).state == "void"
    shown = [message for message in house.public() if pictures(message)]
    assert shown == []
    for who in (ada, mary):
        assert all(CLOSED in one or "no result" in one or "closed" in one for one in await tries(house, who, number))
        assert "the tables compared" not in await field_told(house, who, deal)
    assert "at another table" in told(await ada.slash(house.channel, "tiles new", deal=deal)), "it was seen"

    emmy, kurt = house.person("Emmy"), house.person("Kurt")
    await emmy.slash(house.channel, "tiles new", deal=deal)
    await kurt.click(house.board(), label="Join")
    assert (await house.head()).state == "open", "others may play it instead"
    await house.wait(hours=WEEK)
    assert (await house.client.services.tables.load(number)).state.deal_opened
    assert not any(CLOSED in one for one in await tries(house, mary, number)), "nothing is sealed any more"


async def test_somebody_who_is_deleted_in_middle_leaves_table_that_is_not_compared(
    house: House, people: list[MemberActor], second: ChannelHandle
) -> None:
    deal = await sealed(house, people[0])
    house.deals.wanted = []
    await people[0].slash(house.channel, "tiles new", deal=deal)
    await people[1].click(house.board(), label="Join")
    assert (await house.head()).state == "done", "it was blocked at once"
    long = await sealed(house, people[0], number=17)
    first, _ = await two_tables(house, long, people, second)
    await house.play_by_typing(house.to_move())
    await forget(house, people[1])
    assert (await house.head()).state != "open"
    assert all(not pictures(message) for message in house.public())
    assert all(CLOSED in one or "closed" in one for one in await tries(house, people[0], first))
    assert says(await field_told(house, people[2], long), "deal.waiting", done=1, running=1)
    await house.wait(hours=WEEK)
    said = await field_told(house, people[2], deal)
    assert "Ada" in said
    assert "Grace" not in said
    assert "Somebody" in said or "somebody" in said
    assert says(await field_told(house, people[2], long), "deal.field_none")


async def test_where_channel_is_deleted_others_are_told_how_tables_compare(
    house: House, people: list[MemberActor], second: ChannelHandle
) -> None:
    deal = await sealed(house, people[0])
    await two_tables(house, deal, people, second)
    assert {(await house.head()).state, (await house.head(second)).state} == {"done"}
    await lose(house, second)
    await house.wait(hours=WEEK)
    (said,) = [words_of(one) for one in house.public() if "the tables compared" in words_of(one)]
    assert all(name in said for name in ("Ada", "Grace", "Linus", "Alan"))


async def damage(house: House, number: int) -> None:
    engine = make_engine(parse_url(house.url))
    async with engine.begin() as connection:
        broken = "UPDATE events SET body = '{' WHERE match_id = :match AND seq = 3"
        await connection.execute(text(broken), {"match": number})
    await engine.dispose()
    house.client.services.tables._remembered.clear()


async def test_table_that_cannot_be_read_is_not_compared_and_keeps_no_other_from_it(
    house: House, people: list[MemberActor], second: ChannelHandle, nothing_broke: list[str]
) -> None:
    deal = await sealed(house, people[0])
    first, _ = await two_tables(house, deal, people, second)
    await damage(house, first)
    assert "is sealed until" in await field_told(house, people[2], deal)
    await house.wait(hours=WEEK)
    assert any("is set aside" in line for line in nothing_broke)
    nothing_broke.clear()
    said = await field_told(house, people[2], deal)
    assert re.findall(r"\*\*(\w+)\*\*", said) == ["Linus", "Alan"]
    assert says(said, "deal.field_spoilt", n=1)
    assert sum("the tables compared" in words_of(one) for one in house.public(second)) == 1
    assert not any("the tables compared" in words_of(one) for one in house.public())


async def test_table_that_was_set_aside_while_it_ran_is_open_to_all_when_it_goes_on_after_deal(
    house: House, people: list[MemberActor], nothing_broke: list[str]
) -> None:
    deal = await sealed(house, people[0], number=17)
    await people[0].slash(house.channel, "tiles new", deal=deal)
    await people[1].click(house.board(), label="Join")
    number = (await house.head()).match_id
    whole = (await house.loaded()).events
    engine = make_engine(parse_url(house.url))
    async with engine.begin() as connection:
        query = text("SELECT body FROM events WHERE match_id = :match AND seq = 3")
        body = (await connection.execute(query, {"match": number})).scalar_one()
    await damage(house, number)
    assert "cannot be read" in told(await people[0].slash(house.channel, "tiles board"))
    assert (await house.head()).state == "void"
    await house.wait(hours=WEEK)
    async with engine.begin() as connection:
        mended = text("UPDATE events SET body = :body WHERE match_id = :match AND seq = 3")
        await connection.execute(mended, {"match": number, "body": body})
    await engine.dispose()
    await house.wait(seconds=130)
    assert (await house.head()).state == "open"
    table = await house.now()
    assert table.state.deal_opened
    assert (await house.loaded()).events[: len(whole)] == whole
    assert pictures(house.board()), "it goes on before everybody's eyes"
    assert says(await field_told(house, people[2], deal), "deal.field_running", n=1)
    nothing_broke.clear()


async def test_bot_that_is_killed_as_deal_ends_tells_it_once_and_no_sooner(
    house: House, people: list[MemberActor], second: ChannelHandle, monkeypatch: pytest.MonkeyPatch
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
    deal = await sealed(house, people[0], tables=2)
    await two_tables(house, deal, people, second)
    assert {(await house.head()).state, (await house.head(second)).state} == {"done"}
    await house.wait(seconds=60)
    assert "before" in kills
    assert "is sealed until" in await field_told(house, people[0], deal)
    assert not any(pictures(one) for channel in (house.channel, second) for one in house.public(channel))
    fatal = "after"
    await house.restart()
    await house.wait(seconds=60)
    assert kills[-1] == "after"
    fatal = ""
    await house.restart()
    await house.wait(seconds=60)
    for channel in (house.channel, second):
        assert sum("the tables compared" in words_of(one) for one in house.public(channel)) == 1
        assert pictures(house.board(channel)), "the boards are there for all to see"


async def test_what_server_has_of_deals_goes_with_it_though_bot_was_sent_away_unseen(
    house: House, mary: MemberActor
) -> None:
    await mary.slash(house.channel, "tiles-deal weekly")
    assert house.guild.id in await house.store.guilds.guilds_known()
    guild: Any = discord.Object(house.guild.id)
    await house.client.on_guild_remove(guild)
    await house.wait(hours=24 * 15)
    sealed_now = [
        one for one in await DealStore(house.store.transactions).deals(house.guild.id) if one.opened_at is None
    ]
    assert sealed_now == [], "nothing is made for a server that the bot has left"
    await house.wait(hours=24 * 16)
    assert await DealStore(house.store.transactions).deals(house.guild.id) == []
    assert not await DealStore(house.store.transactions).no_weekly_deal(house.guild.id)


def test_there_are_no_tables_in_direct_messages() -> None:
    assert tiles.guild_only
    assert tiles.allowed_contexts is None or not tiles.allowed_contexts.dm_channel
