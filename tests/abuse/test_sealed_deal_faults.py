"""Faults and interruptions at tables of sealed deals."""

import re
from typing import Any

import discord
import pytest
from simcord import ChannelHandle
from sqlalchemy import text

from bot.core.command_groups import tiles
from data.store.connection.engines import make_engine, parse_url
from data.store.connection.store_errors import StoreClosed
from data.store.duplicates.store import DealStore
from data.store.store import Store
from tests.abuse.sealed_deals import open_sealed_table, seal_deal
from tests.bot.core.channels import delete_channel
from tests.bot.core.stored_traces import forget
from tests.bot.member import Member
from tests.bot.messages import list_alt_texts, read_text
from tests.bot.simulated_guild import SimGuild
from tests.wording import en, has_sentence

WEEK = 24 * 7 + 1
SEALED_TEXT = "sealed until"


async def open_two_tables(
    sim: SimGuild, deal: str, people: list[Member], second_channel: ChannelHandle
) -> tuple[int, int]:
    for (host, other), channel in ((people[:2], sim.channel), (people[2:], second_channel)):
        await open_sealed_table(sim, deal, host, other, channel=channel)
    return (await sim.load_head()).match_id, (await sim.load_head(second_channel)).match_id


@pytest.fixture
async def people(sim: SimGuild, ada: Member, grace: Member, linus: Member) -> list[Member]:
    return [ada, grace, linus, sim.add_member("Alan")]


async def click_record_buttons(sim: SimGuild, player: Member, number: int) -> list[str]:
    forged = await sim.post(*(f"by:{verb}:{number}" for verb in ("record", "verify", "replay", "review")))
    answers = [await player.open_click(forged, f"Button {one}") for one in range(4)]
    assert all(not one.attachments for one in answers), "no file, and no picture"
    return [read_text(one).lower() for one in answers]


async def read_field(sim: SimGuild, player: Member, deal: str) -> str:
    return await player.read_command("tiles-deal field", deal=deal)


async def test_table_ended_by_moderator_stays_sealed_until_deal_opens(
    sim: SimGuild, people: list[Member], mary: Member, second: ChannelHandle
) -> None:
    ada = people[0]
    deal = await seal_deal(sim, ada, number=17, tables=2)
    number, _ = await open_two_tables(sim, deal, people, second)
    await sim.play_by_typing(sim.get_called_player())
    await mary.use_command("tiles-admin end", reason="noise")
    assert (await sim.load_head()).state == "void"
    messages = [message for message in sim.list_public_messages() if list_alt_texts(message)]
    assert messages == []
    for who in (ada, mary):
        assert all(
            SEALED_TEXT in one or "no result" in one or "closed" in one
            for one in await click_record_buttons(sim, who, number)
        )
        assert not has_sentence(await read_field(sim, who, deal), "deal.field_title")
    assert "at another table" in await ada.read_command("tiles new", deal=deal), "it was seen"

    emmy, kurt = sim.add_member("Emmy"), sim.add_member("Kurt")
    await open_sealed_table(sim, deal, emmy, kurt)
    assert (await sim.load_head()).state == "open", "others may play it instead"
    await sim.wait(hours=WEEK)
    assert (await sim.client.services.tables.load(number)).state.is_deal_open
    assert not any(SEALED_TEXT in one for one in await click_record_buttons(sim, mary, number)), (
        "nothing is sealed any more"
    )


async def test_table_of_deleted_player_is_not_compared(
    sim: SimGuild, people: list[Member], second: ChannelHandle
) -> None:
    deal = await seal_deal(sim, people[0])
    sim.deals.next_numbers = []
    await open_sealed_table(sim, deal, people[0], people[1])
    assert (await sim.load_head()).state == "done", "it was blocked at once"
    long_deal = await seal_deal(sim, people[0], number=17)
    first, _ = await open_two_tables(sim, long_deal, people, second)
    await sim.play_by_typing(sim.get_called_player())
    await forget(sim, people[1])
    assert (await sim.load_head()).state != "open"
    assert all(not list_alt_texts(message) for message in sim.list_public_messages())
    assert all(SEALED_TEXT in one or "closed" in one for one in await click_record_buttons(sim, people[0], first))
    assert has_sentence(await read_field(sim, people[2], long_deal), "deal.waiting", done=1, running=1)
    await sim.wait(hours=WEEK)
    field = await read_field(sim, people[2], deal)
    assert "Ada" in field
    assert "Grace" not in field
    assert en("name.somebody") in field
    assert has_sentence(await read_field(sim, people[2], long_deal), "deal.field_none")


async def test_comparison_is_sent_although_one_channel_is_deleted(
    sim: SimGuild, people: list[Member], second: ChannelHandle
) -> None:
    deal = await seal_deal(sim, people[0])
    await open_two_tables(sim, deal, people, second)
    assert {(await sim.load_head()).state, (await sim.load_head(second)).state} == {"done"}
    await delete_channel(sim, second)
    await sim.wait(hours=WEEK)
    (field,) = [
        read_text(one) for one in sim.list_public_messages() if has_sentence(read_text(one), "deal.field_title")
    ]
    assert all(name in field for name in ("Ada", "Grace", "Linus", "Alan"))


async def damage_log(sim: SimGuild, number: int) -> None:
    engine = make_engine(parse_url(sim.url))
    async with engine.begin() as connection:
        broken = "UPDATE events SET body = '{' WHERE match_id = :match AND seq = 3"
        await connection.execute(text(broken), {"match": number})
    await engine.dispose()
    sim.client.services.tables._cached.clear()


async def test_unreadable_table_is_excluded_from_comparison(
    sim: SimGuild, people: list[Member], second: ChannelHandle, logged_errors: list[str]
) -> None:
    deal = await seal_deal(sim, people[0])
    first, _ = await open_two_tables(sim, deal, people, second)
    await damage_log(sim, first)
    assert "is sealed until" in await read_field(sim, people[2], deal)
    await sim.wait(hours=WEEK)
    assert any("is in quarantine" in line for line in logged_errors)
    logged_errors.clear()
    field = await read_field(sim, people[2], deal)
    assert re.findall(r"\*\*(\w+)\*\*", field) == ["Linus", "Alan"]
    assert has_sentence(field, "deal.field_spoilt", n=1)
    assert sum(has_sentence(read_text(one), "deal.field_title") for one in sim.list_public_messages(second)) == 1
    assert not any(has_sentence(read_text(one), "deal.field_title") for one in sim.list_public_messages())


async def test_table_resumed_after_deal_opens_is_public(
    sim: SimGuild, people: list[Member], logged_errors: list[str]
) -> None:
    deal = await seal_deal(sim, people[0], number=17)
    await open_sealed_table(sim, deal, people[0], people[1])
    number = (await sim.load_head()).match_id
    whole = (await sim.load_stored_match()).events
    engine = make_engine(parse_url(sim.url))
    async with engine.begin() as connection:
        query = text("SELECT body FROM events WHERE match_id = :match AND seq = 3")
        body = (await connection.execute(query, {"match": number})).scalar_one()
    await damage_log(sim, number)
    assert has_sentence(await people[0].read_command("tiles board"), "no.SET_ASIDE", match=str(number))
    assert (await sim.load_head()).state == "void"
    await sim.wait(hours=WEEK)
    async with engine.begin() as connection:
        mended = text("UPDATE events SET body = :body WHERE match_id = :match AND seq = 3")
        await connection.execute(mended, {"match": number, "body": body})
    await engine.dispose()
    await sim.wait(seconds=130)
    assert (await sim.load_head()).state == "open"
    table = await sim.load_table()
    assert table.state.is_deal_open
    assert (await sim.load_stored_match()).events[: len(whole)] == whole
    assert list_alt_texts(sim.get_board()), "it goes on before everybody's eyes"
    assert has_sentence(await read_field(sim, people[2], deal), "deal.field_running", n=1)
    logged_errors.clear()


async def test_bot_killed_at_deal_end_announces_result_once(
    sim: SimGuild, people: list[Member], second: ChannelHandle, monkeypatch: pytest.MonkeyPatch
) -> None:
    kill_point, original_open_deal, kills = "before", DealStore.open_deal, []

    async def open_deal_or_die(store: Store, deal_id: int, *, now: int) -> list[int]:
        if kill_point == "before":
            kills.append(kill_point)
            raise StoreClosed
        found = await original_open_deal(store, deal_id, now=now)
        if kill_point == "after":
            kills.append(kill_point)
            raise StoreClosed
        return found

    monkeypatch.setattr(DealStore, "open_deal", open_deal_or_die)
    deal = await seal_deal(sim, people[0], tables=2)
    await open_two_tables(sim, deal, people, second)
    assert {(await sim.load_head()).state, (await sim.load_head(second)).state} == {"done"}
    await sim.wait(seconds=60)
    assert "before" in kills
    assert "is sealed until" in await read_field(sim, people[0], deal)
    assert not any(
        list_alt_texts(one) for channel in (sim.channel, second) for one in sim.list_public_messages(channel)
    )
    kill_point = "after"
    await sim.restart()
    await sim.wait(seconds=60)
    assert kills[-1] == "after"
    kill_point = ""
    await sim.restart()
    await sim.wait(seconds=60)
    for channel in (sim.channel, second):
        assert sum(has_sentence(read_text(one), "deal.field_title") for one in sim.list_public_messages(channel)) == 1
        assert list_alt_texts(sim.get_board(channel)), "the boards are there for all to see"


async def test_deals_of_guild_are_deleted_after_unnoticed_removal(sim: SimGuild, mary: Member) -> None:
    await mary.use_command("tiles-deal weekly")
    assert sim.guild.id in await sim.store.guilds.list_known_guilds()
    guild: Any = discord.Object(sim.guild.id)
    await sim.client.on_guild_remove(guild)
    await sim.wait(hours=24 * 15)
    sealed_deals = [
        one for one in await DealStore(sim.store.transactions).list_deals(sim.guild.id) if one.opened_at is None
    ]
    assert sealed_deals == [], "nothing is made for a server that the bot has left"
    await sim.wait(hours=24 * 16)
    assert await DealStore(sim.store.transactions).list_deals(sim.guild.id) == []
    assert not await DealStore(sim.store.transactions).delete_weekly_deal(sim.guild.id)


def test_tables_cannot_be_opened_in_direct_messages() -> None:
    assert tiles.guild_only
    assert tiles.allowed_contexts is None or not tiles.allowed_contexts.dm_channel
