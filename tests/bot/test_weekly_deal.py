"""The weekly deal of a server: announced once in its channel, and told of once as it is opened, whoever is killed."""

import asyncio
import re
from typing import Any

import discord
import pytest
from simcord import ChannelHandle, MemberActor
from simcord.backend.models import Overwrite

from bot.duplicates.posts import AT_ONCE, LEASE, DealNewsPosts, DealPosts
from bot.duplicates.service import MOST_SEALED, DuplicateDeals, Wanted
from bot.sending.sender import Sender
from data.store.connection.store_errors import StoreClosed
from data.store.duplicates.deals import DealNews, WeeklyDeal
from data.store.duplicates.store import DealStore
from data.store.store import Store
from engine.match.shuffle import commitment
from tests.abuse.sealed_deals import sealed
from tests.bot.channels import lose, without
from tests.bot.house import BLOCKED, PATIENCE, House
from tests.bot.reading import private, told, words_of
from tests.wording import says

WEEK = 24 * 7


@pytest.fixture
def mary(house: House) -> MemberActor:
    role = house.guild.create_role("moderators", permissions=discord.Permissions(manage_guild=True))
    actor = house.guild.add_member(house.env.create_user("mary", global_name="Mary"), roles=[role])
    house.people[actor.id] = actor
    return actor


async def weekly_deal(house: House, ada: MemberActor) -> tuple[ChannelHandle, str]:
    await ada.slash(house.channel, "tiles-deal list")  # the bot is there by now
    channel = house.guild.create_text_channel("deals")
    house.deals.wanted = [BLOCKED, BLOCKED]
    short = Wanted(game="triominoes", seats=2, target=10)
    await house.client.services[DuplicateDeals].set_weekly(house.guild.id, channel.id, short)
    await news_told(house)
    (deal,) = announced(house, channel)
    return channel, deal


async def news_told(house: House) -> None:
    await house.wait(seconds=65)
    await house.client.services[DealNewsPosts].idle()


async def next_week(house: House) -> None:
    await house.wait(hours=WEEK + 1)
    await news_told(house)


def announced(house: House, channel: ChannelHandle) -> list[str]:
    found = [words_of(one) for one in house.public(channel) if "The deal of the week" in words_of(one)]
    return [re.findall(r"deal:([a-z]+-[a-z]+)", one)[0] for one in found]


def results(house: House, channel: ChannelHandle) -> list[discord.Message]:
    return [one for one in house.public(channel) if "the tables compared" in words_of(one)]


async def played(house: House, deal: str, people: list[MemberActor]) -> None:
    await people[0].slash(house.channel, "tiles new", deal=deal)
    await people[1].click(house.board(), label="Join")
    assert (await house.head()).state == "done"


async def test_server_waits_for_no_other_whose_deals_are_due(house: House, mary: MemberActor) -> None:
    await mary.slash(house.channel, "tiles-deal list")  # the bot is there by now
    terms = Wanted(game="triominoes", seats=2, target=10).told()
    for number in range(1, 61):
        await DealStore(house.store.transactions).set_weekly_deal(
            WeeklyDeal(guild_id=number, channel_id=number, terms=terms, next_at=1)
        )
    answer = told(await mary.slash(house.channel, "tiles-deal weekly"))
    (deal,) = await DealStore(house.store.transactions).deals(house.guild.id)
    assert f"**{deal.name}**" in answer


async def test_deal_is_opened_once_over_restarts(house: House, ada: MemberActor, grace: MemberActor) -> None:
    chosen, deal = await weekly_deal(house, ada)
    (message,) = house.public(chosen)
    kept = await DealStore(house.store.transactions).deal(house.guild.id, deal)
    assert commitment(kept.secret) in words_of(message)
    assert house.public() == [], "nobody reads of it anywhere else"
    await house.restart()
    await news_told(house)
    await played(house, deal, [ada, grace])
    assert len(house.public(chosen)) == 1
    await next_week(house)
    await house.restart()
    await news_told(house)
    (result,) = results(house, chosen)
    assert [one.filename for one in result.attachments] == ["field.png"]
    assert all(name in words_of(result) for name in ("Ada", "Grace"))
    assert len(results(house, house.channel)) == 1, "where its table stands, too"
    first, second = announced(house, chosen)
    assert first == deal
    told_in_order = [words_of(one) for one in house.public(chosen)]
    assert "the tables compared" in told_in_order[1]
    assert second in told_in_order[2]


async def test_who_played_it_for_themselves_is_in_no_team(
    house: House, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    chosen, deal = await weekly_deal(house, ada)
    await played(house, deal, [ada, grace])
    other = house.guild.create_text_channel("elsewhere")
    await linus.slash(other, "tiles new", deal=deal)
    await house.person("Alan").click(house.board(other), label="Join")
    await next_week(house)
    said = words_of(results(house, chosen)[0])
    assert all(name in said for name in ("Ada", "Grace", "Linus", "Alan"))
    assert "over both tables" not in said


async def test_table_in_deal_channel_gets_one_result(house: House, ada: MemberActor, grace: MemberActor) -> None:
    chosen, deal = await weekly_deal(house, ada)
    await ada.slash(chosen, "tiles new", deal=deal)
    await grace.click(house.board(chosen), label="Join")
    await next_week(house)
    assert len(results(house, chosen)) == 1


async def test_button_opens_one_table(house: House, ada: MemberActor, grace: MemberActor, linus: MemberActor) -> None:
    chosen, deal = await weekly_deal(house, ada)
    (news,) = house.public(chosen)
    await ada.click(news, label="Play it")
    first = await house.head(chosen)
    assert (first.state, first.host_id) == ("lobby", ada.id)
    assert (await house.client.services.tables.load(first.match_id)).terms.deal == deal
    assert says(told(await ada.click(news, label="Play it")), "deal.mine")

    offered = private(await grace.click(news, label="Play it"))
    assert "Ada" in words_of(offered)
    await grace.click(offered, label=f"Join table {first.match_id}")
    assert (await house.head(chosen)).state == "done", "its first deal is over as soon as it is begun"
    assert "Ada" in told(await ada.click(news, label="Play it")), "who has played it does not play it again"

    await linus.click(news, label="Play it")
    second = await house.head(chosen)
    assert (second.state, second.host_id) == ("lobby", linus.id)


async def test_second_table_of_deal_opens_in_thread(house: House, ada: MemberActor, grace: MemberActor) -> None:
    chosen, _ = await weekly_deal(house, ada)
    (news,) = house.public(chosen)
    await ada.click(news, label="Play it")
    offered = private(await grace.click(news, label="Play it"))
    await grace.click(offered, label="Open another table")
    heads = await house.store.matches.lobbies(house.guild.id, 10)
    assert {head.host_id: head.channel_id == chosen.id for head in heads} == {ada.id: True, grace.id: False}


async def test_forged_deal_is_refused(house: House, ada: MemberActor, grace: MemberActor, linus: MemberActor) -> None:
    hidden = house.guild.create_text_channel("backroom")
    house.deals.wanted = [BLOCKED]
    await house.table(ada, grace, channel=hidden, target=10)
    assert (await house.head(hidden)).state == "done"
    see = discord.Permissions(view_channel=True).value
    house.env.backend.set_overwrite(hidden.id, Overwrite(house.guild.id, 0, deny=see))
    forged = await house.post(
        *(f"by:playdeal|{value}" for value in ("1", "match-1", "amber-otter")), menu="by:playdeal"
    )
    said = [told(await linus.click(forged, label=f"Button {number}")) for number in range(3)]
    said += [told(await linus.select(forged, [value], custom_id="by:playdeal")) for value in ("nonsense", "🂠")]
    assert [one for one in said if not says(one, "no.NO_SUCH_DEAL")] == []
    assert await DealStore(house.store.transactions).deals(house.guild.id) == []
    assert await house.store.matches.lobbies(house.guild.id, 10) == []


async def test_opened_deal_cannot_be_played_from_list(house: House, ada: MemberActor, grace: MemberActor) -> None:
    _, deal = await weekly_deal(house, ada)
    listed, kept = [private(await one.slash(house.channel, "tiles-deal list")) for one in (grace, ada)]
    await grace.select(listed, [deal])
    assert (await house.head()).host_id == grace.id
    await next_week(house)
    assert "open by now" in told(await ada.select(kept, [deal]))


async def test_of_one_that_nobody_has_played_nothing_is_left_standing(house: House, ada: MemberActor) -> None:
    chosen, before = await weekly_deal(house, ada)
    for _ in range(3):
        await next_week(house)
    (now,) = announced(house, chosen)
    assert now != before
    assert len(house.public(chosen)) == 1


async def test_bot_that_is_killed_as_it_tells_of_it_tells_of_it_once(
    house: House, ada: MemberActor, grace: MemberActor, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen, deal = await weekly_deal(house, ada)
    await played(house, deal, [ada, grace])
    really, kills = DealStore.deal_news_told, []

    async def killed(store: Store, news: DealNews, message_id: int | None) -> None:
        kills.append(news.kind)
        raise StoreClosed

    monkeypatch.setattr(DealStore, "deal_news_told", killed)
    for _ in range(3):
        await house.wait(hours=0 if kills else WEEK + 1)
        await news_told(house)
        await house.restart()
        house.clock.skipped += 2 * LEASE
    monkeypatch.setattr(DealStore, "deal_news_told", really)
    await news_told(house)
    assert kills.count("opened") >= 2, "it was sent, and nobody knew"
    assert len(results(house, chosen)) == 1
    assert len(announced(house, chosen)) == 2


async def test_unnoted_announcement_goes_with_its_deal(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    channel = house.guild.create_text_channel("deals")
    services = house.client.services
    await services[DuplicateDeals].set_weekly(house.guild.id, channel.id, Wanted(game="triominoes", seats=2))

    async def killed(store: Store, news: DealNews, message_id: int | None) -> None:
        raise StoreClosed

    with monkeypatch.context() as patched:
        patched.setattr(DealStore, "deal_news_told", killed)
        await services[DuplicateDeals].make_weekly()
        await services[DealNewsPosts].sweep()
        await services[DealNewsPosts].idle()
    (before,) = announced(house, channel)
    house.clock.skipped += 8 * 24 * 3600 * 1000  # and nobody starts it for a week
    await house.restart()
    await news_told(house)
    (now,) = announced(house, channel)
    assert now != before
    assert len(house.public(channel)) == 1


async def test_servers_that_are_away_keep_no_other_waiting(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    channel = house.guild.create_text_channel("deals")
    services = house.client.services
    monkeypatch.setattr(Sender, "is_away", lambda _, guild_id: guild_id != house.guild.id)
    for server in (*range(1, AT_ONCE + 1), house.guild.id):
        await services[DuplicateDeals].set_weekly(server, channel.id, Wanted(game="triominoes", seats=2))
        assert await services[DuplicateDeals].make_weekly()
    for _ in range(2):
        await services[DealNewsPosts].sweep()
        await services[DealNewsPosts].idle()
    assert len(announced(house, channel)) == 1


async def test_rate_limited_server_delays_no_other(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    other = house.env.create_guild("The Saloon")
    places = [one.create_text_channel("deals") for one in (house.guild, other)]
    services, really, goes_on = house.client.services, Sender.send, asyncio.Event()
    for place, guild in zip(places, (house.guild, other), strict=True):
        await services[DuplicateDeals].set_weekly(guild.id, place.id, Wanted(game="triominoes", seats=2))
        await services[DuplicateDeals].make_weekly()

    async def patient(sender: Sender, channel: discord.PartialMessageable, *what: Any, **how: Any) -> Any:
        if channel.id == places[0].id:
            await goes_on.wait()
        return await really(sender, channel, *what, **how)

    monkeypatch.setattr(Sender, "send", patient)
    await services[DealNewsPosts].sweep()
    async with asyncio.timeout(PATIENCE):
        while not announced(house, places[1]):  # noqa: ASYNC110
            await asyncio.sleep(0.02)
    assert house.public(places[0]) == []
    goes_on.set()
    await services[DealNewsPosts].idle()
    assert len(announced(house, places[0])) == 1


async def test_two_bots_at_it_tell_of_it_once(house: House) -> None:
    channel = house.guild.create_text_channel("deals")
    services = house.client.services
    await services[DuplicateDeals].set_weekly(house.guild.id, channel.id, Wanted(game="triominoes", seats=2))
    made = await asyncio.gather(services[DuplicateDeals].make_weekly(), services[DuplicateDeals].make_weekly())
    assert sum(map(len, made)) == 1
    sender = Sender(house.client, house.clock)
    other = DealNewsPosts(sender, house.store, services[DealPosts], services.languages, house.clock)
    await asyncio.gather(other.sweep(), services[DealNewsPosts].sweep())
    await asyncio.gather(other.idle(), services[DealNewsPosts].idle())
    await news_told(house)
    assert len(announced(house, channel)) == 1


async def test_deal_goes_on_without_its_channel(house: House, ada: MemberActor, grace: MemberActor) -> None:
    chosen, deal = await weekly_deal(house, ada)
    await played(house, deal, [ada, grace])
    await lose(house, chosen)
    await next_week(house)
    assert len(results(house, house.channel)) == 1
    (following,) = [
        one for one in await DealStore(house.store.transactions).deals(house.guild.id) if one.opened_at is None
    ]
    assert following.name in told(await ada.slash(house.channel, "tiles-deal list"))
    await next_week(house)
    waiting = await DealStore(house.store.transactions).deal_news_due(house.clock() + 24 * 3600 * 1000, 100)
    assert {one.kind for one in waiting if one.created_at < house.clock() - 2 * 3600 * 1000} == set(), "it is given up"


async def test_weekly_deal_needs_permissions(house: House, ada: MemberActor, mary: MemberActor) -> None:
    assert says(told(await ada.slash(house.channel, "tiles-deal weekly")), "no.DEAL_MODERATORS")
    closed = without(house, "send_messages")
    assert told(await mary.slash(closed, "tiles-deal weekly")).startswith("I need **")
    assert await DealStore(house.store.transactions).deals(house.guild.id) == []
    assert says(told(await mary.slash(house.channel, "tiles-deal weekly")), "deal.weekly_on")
    await news_told(house)
    assert len(announced(house, house.channel)) == 1
    assert says(told(await mary.slash(house.channel, "tiles-deal weekly", off=True)), "deal.weekly_off")


async def test_setting_it_again_makes_and_announces_no_other_deal_that_week(house: House, mary: MemberActor) -> None:
    await mary.slash(house.channel, "tiles-deal weekly")
    await news_told(house)
    (deal,) = await DealStore(house.store.transactions).deals(house.guild.id)
    again = told(await mary.slash(house.channel, "tiles-deal weekly"))
    until = f"<t:{deal.closes_at // 1000}:f>"
    assert says(again, "deal.weekly_same", deal=deal.name, until=until)
    assert "Triominoes" in again
    elsewhere = house.guild.create_text_channel("elsewhere")
    for channel, terms in ((house.channel, {"seats": 3}), (elsewhere, {}), (elsewhere, {"game": "star"})):
        said = told(await mary.slash(channel, "tiles-deal weekly", **terms))
        assert says(said, "deal.weekly_next", deal=deal.name), terms
    await mary.slash(elsewhere, "tiles-deal weekly", off=True)
    said = told(await mary.slash(elsewhere, "tiles-deal weekly", game="star", seats=3))
    assert says(said, "deal.weekly_next", deal=deal.name, until=until), "nor by ending and beginning anew"
    assert "week: Star · " in said
    await news_told(house)
    assert [one.name for one in await DealStore(house.store.transactions).deals(house.guild.id)] == [deal.name]
    assert (announced(house, house.channel), house.public(elsewhere)) == ([deal.name], [])

    await next_week(house)
    following, before = await DealStore(house.store.transactions).deals(house.guild.id)
    assert (before.name, before.opened_at is not None) == (deal.name, True)
    assert (following.terms["game"], following.terms["seats"]) == ("star", 3)
    assert following.closes_at - before.closes_at == 7 * 24 * 3600 * 1000
    assert announced(house, elsewhere) == [following.name]


async def test_two_moderators_who_set_it_at_same_moment_get_one_deal(house: House, mary: MemberActor) -> None:
    await mary.slash(house.channel, "tiles-deal list")  # the bot is there by now
    deals = house.client.services[DuplicateDeals]
    wanted = Wanted(game="triominoes", seats=2)

    async def sets() -> None:
        done = await deals.set_weekly(house.guild.id, house.channel.id, wanted)
        if done.current is None:
            await deals.make_this_week(done.weekly)

    await asyncio.gather(sets(), sets(), sets())
    (made,) = await DealStore(house.store.transactions).deals(house.guild.id)
    assert await deals.this_weeks(house.guild.id) == made


async def test_full_list_of_deals_keeps_weekly_deal(house: House, ada: MemberActor) -> None:
    _, deal = await weekly_deal(house, ada)
    for number in range(MOST_SEALED - 1):
        await sealed(house, ada, number=number)
    house.clock.skipped += 2 * 3600 * 1000
    await sealed(house, ada)
    assert await DealStore(house.store.transactions).deal(house.guild.id, deal) is not None
