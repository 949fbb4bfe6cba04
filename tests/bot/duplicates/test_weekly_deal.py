"""The weekly deal of a guild: announced once and opened once, even if the bot is killed."""

import asyncio
import re
from typing import Any

import discord
import pytest
from simcord import ChannelHandle

from bot.duplicates.posts import LEASE, MAX_POSTS, DealNewsPosts, DealPosts
from bot.duplicates.service import MAX_SEALED_DEALS, DealRequest, DuplicateDeals
from bot.sending.sender import Sender
from data.store.connection.store_errors import StoreClosed
from data.store.duplicates.deals import DealNews, WeeklyDeal
from data.store.duplicates.store import DealStore
from data.store.store import Store
from engine.match.shuffle import compute_commitment
from tests.abuse.sealed_deals import seal_deal
from tests.bot.core.channels import create_restricted_channel, delete_channel, hide_channel
from tests.bot.member import Member
from tests.bot.messages import read_private_text, read_text
from tests.bot.simulated_guild import BLOCKED_DEAL, TIMEOUT_SECONDS, SimGuild
from tests.wording import en, has_sentence

WEEK = 24 * 7


async def start_weekly_deal(sim: SimGuild, ada: Member) -> tuple[ChannelHandle, str]:
    await ada.use_command("tiles-deal list")  # the bot is connected
    channel = sim.guild.create_text_channel("deals")
    sim.deals.next_numbers = [BLOCKED_DEAL, BLOCKED_DEAL]
    short = DealRequest(game="triominoes", seats=2, target=10)
    await sim.client.services[DuplicateDeals].set_weekly(sim.guild.id, channel.id, short)
    await wait_for_deal_news(sim)
    (deal,) = list_announced_deals(sim, channel)
    return channel, deal


async def wait_for_deal_news(sim: SimGuild) -> None:
    await sim.wait(seconds=65)
    await sim.client.services[DealNewsPosts].wait_until_idle()


async def skip_to_next_week(sim: SimGuild) -> None:
    await sim.wait(hours=WEEK + 1)
    await wait_for_deal_news(sim)


def list_announced_deals(sim: SimGuild, channel: ChannelHandle) -> list[str]:
    texts = [
        read_text(one) for one in sim.list_public_messages(channel) if has_sentence(read_text(one), "deal.weekly_title")
    ]
    return [re.findall(r"deal:([a-z]+-[a-z]+)", one)[0] for one in texts]


def list_results(sim: SimGuild, channel: ChannelHandle) -> list[discord.Message]:
    return [one for one in sim.list_public_messages(channel) if has_sentence(read_text(one), "deal.field_title")]


async def play_deal(sim: SimGuild, deal: str, people: list[Member]) -> None:
    await people[0].use_command("tiles new", deal=deal)
    await people[1].click(sim.get_board(), label="Join")
    assert (await sim.load_head()).state == "done"


async def test_guild_with_due_deals_delays_no_other(sim: SimGuild, mary: Member) -> None:
    await mary.use_command("tiles-deal list")  # the bot is connected
    terms = DealRequest(game="triominoes", seats=2, target=10).to_terms_dict()
    for number in range(1, 61):
        await DealStore(sim.store.transactions).set_weekly_deal(
            WeeklyDeal(guild_id=number, channel_id=number, terms=terms, next_at=1)
        )
    answer = await mary.read_command("tiles-deal weekly")
    (deal,) = await DealStore(sim.store.transactions).list_deals(sim.guild.id)
    assert f"**{deal.name}**" in answer


async def test_deal_is_opened_once_across_restarts(sim: SimGuild, ada: Member, grace: Member) -> None:
    chosen, deal = await start_weekly_deal(sim, ada)
    (message,) = sim.list_public_messages(chosen)
    stored_deal = await DealStore(sim.store.transactions).find_deal(sim.guild.id, deal)
    assert compute_commitment(stored_deal.secret) in read_text(message)
    assert sim.list_public_messages() == [], "nobody reads of it anywhere else"
    await sim.restart()
    await wait_for_deal_news(sim)
    await play_deal(sim, deal, [ada, grace])
    assert len(sim.list_public_messages(chosen)) == 1
    await skip_to_next_week(sim)
    await sim.restart()
    await wait_for_deal_news(sim)
    (result,) = list_results(sim, chosen)
    assert [one.filename for one in result.attachments] == ["field.png"]
    assert all(name in read_text(result) for name in ("Ada", "Grace"))
    assert len(list_results(sim, sim.channel)) == 1, "where its table stands, too"
    first, second = list_announced_deals(sim, chosen)
    assert first == deal
    texts = sim.list_public_texts(chosen)
    assert has_sentence(texts[1], "deal.field_title")
    assert second in texts[2]


async def test_solo_player_of_deal_is_in_no_team(sim: SimGuild, ada: Member, grace: Member, linus: Member) -> None:
    chosen, deal = await start_weekly_deal(sim, ada)
    await play_deal(sim, deal, [ada, grace])
    other = sim.guild.create_text_channel("elsewhere")
    await linus.slash(other, "tiles new", deal=deal)
    await sim.add_member("Alan").click(sim.get_board(other), label="Join")
    await skip_to_next_week(sim)
    text = read_text(list_results(sim, chosen)[0])
    assert all(name in text for name in ("Ada", "Grace", "Linus", "Alan"))
    assert "over both tables" not in text


async def test_table_in_deal_channel_gets_one_result(sim: SimGuild, ada: Member, grace: Member) -> None:
    chosen, deal = await start_weekly_deal(sim, ada)
    await ada.slash(chosen, "tiles new", deal=deal)
    await grace.click(sim.get_board(chosen), label="Join")
    await skip_to_next_week(sim)
    assert len(list_results(sim, chosen)) == 1


async def test_deal_button_opens_one_table(sim: SimGuild, ada: Member, grace: Member, linus: Member) -> None:
    chosen, deal = await start_weekly_deal(sim, ada)
    (news,) = sim.list_public_messages(chosen)
    await ada.click(news, label="Play it")
    first = await sim.load_head(chosen)
    assert (first.state, first.host_id) == ("lobby", ada.id)
    assert (await sim.client.services.tables.load(first.match_id)).terms.deal == deal
    assert has_sentence(await ada.read_click(news, "Play it"), "deal.mine")

    offered = await grace.open_click(news, "Play it")
    assert "Ada" in read_text(offered)
    await grace.click(offered, label=f"Join table {first.match_id}")
    assert (await sim.load_head(chosen)).state == "done", "its first deal is over as soon as it is begun"
    assert "Ada" in await ada.read_click(news, "Play it"), "who has played it does not play it again"

    await linus.click(news, label="Play it")
    second = await sim.load_head(chosen)
    assert (second.state, second.host_id) == ("lobby", linus.id)


async def test_second_table_of_deal_opens_in_thread(sim: SimGuild, ada: Member, grace: Member) -> None:
    chosen, _ = await start_weekly_deal(sim, ada)
    (news,) = sim.list_public_messages(chosen)
    await ada.click(news, label="Play it")
    offered = await grace.open_click(news, "Play it")
    await grace.click(offered, label="Open another table")
    heads = await sim.store.matches.list_lobbies(sim.guild.id, 10)
    assert {head.host_id: head.channel_id == chosen.id for head in heads} == {ada.id: True, grace.id: False}


async def test_forged_deal_is_refused(sim: SimGuild, ada: Member, grace: Member, linus: Member) -> None:
    hidden = sim.guild.create_text_channel("backroom")
    await sim.start_table(ada, grace, channel=hidden, target=10, deal=BLOCKED_DEAL)
    assert (await sim.load_head(hidden)).state == "done"
    hide_channel(sim, hidden)
    forged = await sim.post(*(f"by:playdeal|{value}" for value in ("1", "match-1", "amber-otter")), menu="by:playdeal")
    answers = [await linus.read_click(forged, f"Button {number}") for number in range(3)]
    answers += [
        read_private_text(await linus.select(forged, [value], custom_id="by:playdeal")) for value in ("nonsense", "🂠")
    ]
    assert [one for one in answers if not has_sentence(one, "no.NO_SUCH_DEAL")] == []
    assert await DealStore(sim.store.transactions).list_deals(sim.guild.id) == []
    assert await sim.store.matches.list_lobbies(sim.guild.id, 10) == []


async def test_opened_deal_cannot_be_played_from_list(sim: SimGuild, ada: Member, grace: Member) -> None:
    _, deal = await start_weekly_deal(sim, ada)
    listed, old_list = [await one.open_command("tiles-deal list") for one in (grace, ada)]
    await grace.select(listed, [deal])
    assert (await sim.load_head()).host_id == grace.id
    await skip_to_next_week(sim)
    assert en("no.DEAL_OVER") in read_private_text(await ada.select(old_list, [deal]))


async def test_unplayed_deal_leaves_no_message(sim: SimGuild, ada: Member) -> None:
    chosen, before = await start_weekly_deal(sim, ada)
    for _ in range(3):
        await skip_to_next_week(sim)
    (now,) = list_announced_deals(sim, chosen)
    assert now != before
    assert len(sim.list_public_messages(chosen)) == 1


async def test_bot_killed_during_announcement_announces_deal_once(
    sim: SimGuild, ada: Member, grace: Member, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen, deal = await start_weekly_deal(sim, ada)
    await play_deal(sim, deal, [ada, grace])
    note_sent, kills = DealStore.note_deal_news_sent, []

    async def fail_to_note(store: Store, news: DealNews, message_id: int | None) -> None:
        kills.append(news.kind)
        raise StoreClosed

    monkeypatch.setattr(DealStore, "note_deal_news_sent", fail_to_note)
    for _ in range(3):
        await sim.wait(hours=0 if kills else WEEK + 1)
        await wait_for_deal_news(sim)
        await sim.restart()
        sim.clock.skipped_ms += 2 * LEASE
    monkeypatch.setattr(DealStore, "note_deal_news_sent", note_sent)
    await wait_for_deal_news(sim)
    assert kills.count("opened") >= 2, "it was sent, and nobody knew"
    assert len(list_results(sim, chosen)) == 1
    assert len(list_announced_deals(sim, chosen)) == 2


async def test_unrecorded_announcement_is_deleted_with_its_deal(sim: SimGuild, monkeypatch: pytest.MonkeyPatch) -> None:
    channel = sim.guild.create_text_channel("deals")
    services = sim.client.services
    await services[DuplicateDeals].set_weekly(sim.guild.id, channel.id, DealRequest(game="triominoes", seats=2))

    async def fail_to_note(store: Store, news: DealNews, message_id: int | None) -> None:
        raise StoreClosed

    with monkeypatch.context() as patched:
        patched.setattr(DealStore, "note_deal_news_sent", fail_to_note)
        await services[DuplicateDeals].create_due_weekly()
        await services[DealNewsPosts].sweep()
        await services[DealNewsPosts].wait_until_idle()
    (before,) = list_announced_deals(sim, channel)
    sim.clock.skipped_ms += 8 * 24 * 3600 * 1000  # no player starts it for a week
    await sim.restart()
    await wait_for_deal_news(sim)
    (now,) = list_announced_deals(sim, channel)
    assert now != before
    assert len(sim.list_public_messages(channel)) == 1


async def test_unavailable_guilds_delay_no_other(sim: SimGuild, monkeypatch: pytest.MonkeyPatch) -> None:
    channel = sim.guild.create_text_channel("deals")
    services = sim.client.services
    monkeypatch.setattr(Sender, "is_unavailable", lambda _, guild_id: guild_id != sim.guild.id)
    for server in (*range(1, MAX_POSTS + 1), sim.guild.id):
        await services[DuplicateDeals].set_weekly(server, channel.id, DealRequest(game="triominoes", seats=2))
        assert await services[DuplicateDeals].create_due_weekly()
    for _ in range(2):
        await services[DealNewsPosts].sweep()
        await services[DealNewsPosts].wait_until_idle()
    assert len(list_announced_deals(sim, channel)) == 1


async def test_rate_limited_guild_delays_no_other(sim: SimGuild, monkeypatch: pytest.MonkeyPatch) -> None:
    other = sim.env.create_guild("The Saloon")
    places = [one.create_text_channel("deals") for one in (sim.guild, other)]
    services, send, released = sim.client.services, Sender.send, asyncio.Event()
    for place, guild in zip(places, (sim.guild, other), strict=True):
        await services[DuplicateDeals].set_weekly(guild.id, place.id, DealRequest(game="triominoes", seats=2))
        await services[DuplicateDeals].create_due_weekly()

    async def send_slowly(sender: Sender, channel: discord.PartialMessageable, *what: Any, **how: Any) -> Any:
        if channel.id == places[0].id:
            await released.wait()
        return await send(sender, channel, *what, **how)

    monkeypatch.setattr(Sender, "send", send_slowly)
    await services[DealNewsPosts].sweep()
    async with asyncio.timeout(TIMEOUT_SECONDS):
        while not list_announced_deals(sim, places[1]):  # noqa: ASYNC110
            await asyncio.sleep(0.02)
    assert sim.list_public_messages(places[0]) == []
    released.set()
    await services[DealNewsPosts].wait_until_idle()
    assert len(list_announced_deals(sim, places[0])) == 1


async def test_two_bots_announce_deal_once(sim: SimGuild) -> None:
    channel = sim.guild.create_text_channel("deals")
    services = sim.client.services
    await services[DuplicateDeals].set_weekly(sim.guild.id, channel.id, DealRequest(game="triominoes", seats=2))
    made = await asyncio.gather(
        services[DuplicateDeals].create_due_weekly(), services[DuplicateDeals].create_due_weekly()
    )
    assert sum(map(len, made)) == 1
    sender = Sender(sim.client, sim.clock)
    other = DealNewsPosts(sender, sim.store, services[DealPosts], services.languages, sim.clock)
    await asyncio.gather(other.sweep(), services[DealNewsPosts].sweep())
    await asyncio.gather(other.wait_until_idle(), services[DealNewsPosts].wait_until_idle())
    await wait_for_deal_news(sim)
    assert len(list_announced_deals(sim, channel)) == 1


async def test_deal_continues_without_its_channel(sim: SimGuild, ada: Member, grace: Member) -> None:
    chosen, deal = await start_weekly_deal(sim, ada)
    await play_deal(sim, deal, [ada, grace])
    await delete_channel(sim, chosen)
    await skip_to_next_week(sim)
    assert len(list_results(sim, sim.channel)) == 1
    (following,) = [
        one for one in await DealStore(sim.store.transactions).list_deals(sim.guild.id) if one.opened_at is None
    ]
    assert following.name in await ada.read_command("tiles-deal list")
    await skip_to_next_week(sim)
    waiting = await DealStore(sim.store.transactions).list_due_deal_news(sim.clock() + 24 * 3600 * 1000, 100)
    assert {one.kind for one in waiting if one.created_at < sim.clock() - 2 * 3600 * 1000} == set(), "it is given up"


async def test_weekly_deal_needs_permissions(sim: SimGuild, ada: Member, mary: Member) -> None:
    assert has_sentence(await ada.read_command("tiles-deal weekly"), "no.DEAL_MODERATORS")
    closed = create_restricted_channel(sim, "send_messages")
    assert has_sentence(read_private_text(await mary.slash(closed, "tiles-deal weekly")), "no.MISSING_PERMISSION")
    assert await DealStore(sim.store.transactions).list_deals(sim.guild.id) == []
    assert has_sentence(await mary.read_command("tiles-deal weekly"), "deal.weekly_on")
    await wait_for_deal_news(sim)
    assert len(list_announced_deals(sim, sim.channel)) == 1
    assert has_sentence(await mary.read_command("tiles-deal weekly", off=True), "deal.weekly_off")


async def test_setting_weekly_deal_again_creates_no_second_deal(sim: SimGuild, mary: Member) -> None:
    await mary.use_command("tiles-deal weekly")
    await wait_for_deal_news(sim)
    (deal,) = await DealStore(sim.store.transactions).list_deals(sim.guild.id)
    answer = await mary.read_command("tiles-deal weekly")
    until = f"<t:{deal.closes_at // 1000}:f>"
    assert has_sentence(answer, "deal.weekly_same", deal=deal.name, until=until)
    assert "Triominoes" in answer
    elsewhere = sim.guild.create_text_channel("elsewhere")
    for channel, terms in ((sim.channel, {"seats": 3}), (elsewhere, {}), (elsewhere, {"game": "star"})):
        next_answer = read_private_text(await mary.slash(channel, "tiles-deal weekly", **terms))
        assert has_sentence(next_answer, "deal.weekly_next", deal=deal.name), terms
    await mary.slash(elsewhere, "tiles-deal weekly", off=True)
    next_answer = read_private_text(await mary.slash(elsewhere, "tiles-deal weekly", game="star", seats=3))
    assert has_sentence(next_answer, "deal.weekly_next", deal=deal.name, until=until), (
        "nor by ending and beginning anew"
    )
    assert "week: Star · " in next_answer
    await wait_for_deal_news(sim)
    assert [one.name for one in await DealStore(sim.store.transactions).list_deals(sim.guild.id)] == [deal.name]
    assert (list_announced_deals(sim, sim.channel), sim.list_public_messages(elsewhere)) == ([deal.name], [])

    await skip_to_next_week(sim)
    following, before = await DealStore(sim.store.transactions).list_deals(sim.guild.id)
    assert (before.name, before.opened_at is not None) == (deal.name, True)
    assert (following.terms["game"], following.terms["seats"]) == ("star", 3)
    assert following.closes_at - before.closes_at == 7 * 24 * 3600 * 1000
    assert list_announced_deals(sim, elsewhere) == [following.name]


async def test_two_simultaneous_moderators_create_one_weekly_deal(sim: SimGuild, mary: Member) -> None:
    await mary.use_command("tiles-deal list")  # the bot is connected
    deals = sim.client.services[DuplicateDeals]
    wanted = DealRequest(game="triominoes", seats=2)

    async def set_weekly() -> None:
        done = await deals.set_weekly(sim.guild.id, sim.channel.id, wanted)
        if done.current is None:
            await deals.create_this_week(done.weekly)

    await asyncio.gather(set_weekly(), set_weekly(), set_weekly())
    (made,) = await DealStore(sim.store.transactions).list_deals(sim.guild.id)
    assert await deals.find_this_week(sim.guild.id) == made


async def test_full_deal_list_keeps_weekly_deal(sim: SimGuild, ada: Member) -> None:
    _, deal = await start_weekly_deal(sim, ada)
    for number in range(MAX_SEALED_DEALS - 1):
        await seal_deal(sim, ada, number=number)
    sim.clock.skipped_ms += 2 * 3600 * 1000
    await seal_deal(sim, ada)
    assert await DealStore(sim.store.transactions).find_deal(sim.guild.id, deal) is not None
