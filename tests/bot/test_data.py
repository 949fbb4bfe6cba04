"""`/tiles data`: what is held about somebody as a file, and its deletion; and a server that sends the bot away."""

import json
import sqlite3
from contextlib import closing

import discord
from simcord import MemberActor

from bot.core.privacy import KEPT_AFTER_LEAVING
from tests.bot.house import SHORT_MATCH, House
from tests.bot.reading import button_ids, private, told, words_of
from tests.bot.traces import forget, traces
from tests.wording import en, says

DAY_HOURS = 24


async def test_export_has_all_own_data(house: House, ada: MemberActor, grace: MemberActor, linus: MemberActor) -> None:
    house.deals.wanted = [SHORT_MATCH]
    await house.table(ada, grace, linus, target=60)
    await house.play_to_the_end()
    await ada.slash(house.channel, "tiles settings", quiet="22-7", zone="Europe/Berlin")
    answer = private(await ada.slash(house.channel, "tiles data export"))
    (file,) = answer.attachments
    assert file.filename == "boneyard-data.json"
    assert says(words_of(answer), "data.export")
    held = json.loads(await file.read())
    assert held["user_id"] == ada.id
    assert held["settings"][0]["preferences"]["zone"] == "Europe/Berlin"
    assert [(row["game"], row["seat"], row["state"]) for row in held["seats"]] == [("triominoes", 0, "done")]
    assert len(held["results"]) == 1
    assert {row["guild_id"] for row in held["standings"]} == {0, house.guild.id}
    with closing(sqlite3.connect(house.url.removeprefix("sqlite:///"))) as base:
        pressed = {number for (number,) in base.execute("SELECT interaction_id FROM requests")}
    assert len(pressed) > 3
    assert [number for number in pressed if str(number) in json.dumps(held)] == [], "nobody's presses are in it"
    assert str(grace.id) not in json.dumps(held)


async def test_of_stranger_export_holds_nothing(house: House, ada: MemberActor) -> None:
    answer = private(await ada.slash(house.channel, "tiles data export"))
    held = json.loads(await answer.attachments[0].read())
    assert {key: value for key, value in held.items() if value and key not in ("user_id", "at")} == {}


async def test_delete_asks_first_and_can_be_cancelled(house: House, ada: MemberActor, grace: MemberActor) -> None:
    await house.table(ada, grace)
    before = traces(house, ada)
    asked = private(await ada.slash(house.channel, "tiles data delete"))
    assert says(words_of(asked), "data.ask", tables=en("count.tables", n=1))
    assert list(button_ids(asked)) == ["Delete everything", "Keep it"]
    assert told(await ada.click(asked, label="Keep it")) == "Nothing was deleted."
    assert traces(house, ada) == before


async def test_delete_removes_player(house: House, ada: MemberActor, grace: MemberActor, linus: MemberActor) -> None:
    await house.table(ada, grace, linus, target=50)
    player = house.to_move()
    others = [person for person in (ada, grace, linus) if person is not player]
    await player.slash(house.channel, "tiles settings", vacation=3, every="6h")
    assert {"matches", "people", "seats"} <= set(traces(house, player))
    said = await forget(house, player)
    assert said == en("data.deleted")
    assert traces(house, player) == []
    assert f"**{player.name.capitalize()}**" not in words_of(house.board())
    assert "**Somebody** resigned." in words_of(house.board())
    while (await house.head()).state == "open":
        assert house.to_move() in others
        await house.play_by_typing(house.to_move())
    results = await house.store.results.of_match((await house.head()).match_id)
    assert {result.user_id for result in results} == {person.id for person in others}
    assert all(result.rated for result in results)
    assert "**Somebody** · " in words_of(house.ends()[0])
    assert traces(house, player) == []


async def test_deleted_opponent_gives_no_win_or_rating(house: House, ada: MemberActor, grace: MemberActor) -> None:
    await house.table(ada, grace)
    await forget(house, ada)
    profile = await house.store.results.profile(grace.id, house.guild.id, "triominoes")
    assert (profile.matches, profile.finished, profile.wins, profile.rating) == (1, 1, 0, None)
    assert await house.store.results.profile(ada.id, house.guild.id, "triominoes") is None
    assert "Ada" not in told(await grace.slash(house.channel, "tiles leaderboard"))


async def test_lobby_is_left_and_goes_on_without_its_host(house: House, ada: MemberActor, grace: MemberActor) -> None:
    await ada.slash(house.channel, "tiles new", seats=3)
    await grace.click(house.board(), label="Join")
    await forget(house, ada)
    assert "1. Grace · host" in words_of(house.board())
    assert "Ada" not in words_of(house.board())
    assert traces(house, ada) == []


async def test_delete_works_in_paused_match(
    house: House, ada: MemberActor, grace: MemberActor, mary: MemberActor
) -> None:
    await house.table(ada, grace)
    mover = house.to_move()
    await mary.slash(house.channel, "tiles-admin pause", reason="tea")
    await forget(house, mary)
    assert traces(house, mary) == []
    assert told(await house.play_by_typing(mover)).startswith(en("no.PAUSED", name="Somebody", reason="tea"))
    await forget(house, ada)
    assert traces(house, ada) == []
    assert (await house.head()).state == "done"


async def test_second_delete_is_harmless(house: House, ada: MemberActor, grace: MemberActor) -> None:
    await house.table(ada, grace)
    several = [private(await ada.slash(house.channel, "tiles data delete")) for _ in range(2)]
    for asked in several:
        assert told(await ada.click(asked, label="Delete everything")) == en("data.deleted")
        await house.restart()
    assert await forget(house, ada) == en("data.deleted")
    assert traces(house, ada) == []


async def test_rematch_of_forgotten_hosts_table_works(house: House, ada: MemberActor, grace: MemberActor) -> None:
    await house.table(ada, grace)
    await forget(house, ada)
    await grace.click(house.board(), label="Rematch")
    assert says(words_of(house.board()), "lobby.title", host="Grace")
    await ada.click(house.board(), label="Join")
    assert {row.user_id for row in await house.store.matches.seats((await house.head()).match_id)} == {ada.id, grace.id}


async def left(house: House, guild_id: int) -> int | None:
    return (await house.store.guilds.guild(guild_id)).left_at


async def test_left_guild_is_deleted_after_thirty_days(house: House, ada: MemberActor, grace: MemberActor) -> None:
    await house.table(ada, grace)
    match_id, guild = (await house.head()).match_id, discord.Object(house.guild.id)
    await house.client.on_guild_remove(guild)  # type: ignore[arg-type]
    assert await left(house, house.guild.id) is not None
    await house.wait(hours=29 * DAY_HOURS)
    assert await house.store.matches.head(match_id) is not None
    await house.wait(hours=2 * DAY_HOURS)
    assert await house.store.matches.head(match_id) is None
    assert traces(house, ada) == []


async def test_guild_that_returns_keeps_its_matches(house: House, ada: MemberActor, grace: MemberActor) -> None:
    await house.table(ada, grace)
    match_id, guild = (await house.head()).match_id, house.client.get_guild(house.guild.id)
    await house.client.on_guild_remove(guild)
    await house.wait(hours=29 * DAY_HOURS)
    await house.client.on_guild_join(guild)
    await house.wait(hours=40 * DAY_HOURS)
    assert await left(house, house.guild.id) is None
    assert await house.store.matches.head(match_id) is not None


async def test_start_corrects_guild_membership(house: House, ada: MemberActor) -> None:
    now = house.clock()
    await ada.slash(house.channel, "tiles new")
    await house.store.guilds.set_guild(12345, {}, now=now)
    # By the store the bot has been gone from here for long, and it was never seen to leave the other one.
    await house.store.guilds.guild_left(house.guild.id, now - 2 * KEPT_AFTER_LEAVING, now=now)
    await house.restart()
    await house.wait(hours=1)
    assert await left(house, house.guild.id) is None
    assert await left(house, 12345) is not None
    assert (await house.head()).state == "lobby"
