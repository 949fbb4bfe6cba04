"""`/tiles data`: export and deletion of user data, and deletion of departed servers."""

import json
import sqlite3
from contextlib import closing

import discord

from bot.core.privacy import RETENTION_AFTER_LEAVING
from tests.bot.core.stored_traces import forget, list_user_tables
from tests.bot.member import Member
from tests.bot.messages import read_button_ids, read_private_text, read_text
from tests.bot.simulated_guild import SHORT_MATCH_DEAL, SimGuild
from tests.wording import en, has_sentence

DAY_HOURS = 24


async def test_export_has_all_own_data(sim: SimGuild, ada: Member, grace: Member, linus: Member) -> None:
    await sim.start_table(ada, grace, linus, target=60, deal=SHORT_MATCH_DEAL)
    await sim.play_to_the_end()
    await ada.use_command("tiles settings", quiet="22-7", zone="Europe/Berlin")
    answer = await ada.open_command("tiles data export")
    (file,) = answer.attachments
    assert file.filename == "boneyard-data.json"
    assert has_sentence(read_text(answer), "data.export")
    export = json.loads(await file.read())
    assert export["user_id"] == ada.id
    assert export["settings"][0]["preferences"]["zone"] == "Europe/Berlin"
    assert [(row["game"], row["seat"], row["state"]) for row in export["seats"]] == [("triominoes", 0, "done")]
    assert len(export["results"]) == 1
    assert {row["guild_id"] for row in export["standings"]} == {0, sim.guild.id}
    with closing(sqlite3.connect(sim.url.removeprefix("sqlite:///"))) as base:
        pressed = {number for (number,) in base.execute("SELECT interaction_id FROM requests")}
    assert len(pressed) > 3
    assert [number for number in pressed if str(number) in json.dumps(export)] == [], "nobody's presses are in it"
    assert str(grace.id) not in json.dumps(export)


async def test_delete_asks_first_and_can_be_cancelled(room: SimGuild, ada: Member) -> None:
    before = list_user_tables(room, ada)
    question = await ada.open_command("tiles data delete")
    assert has_sentence(read_text(question), "data.ask", tables=en("count.tables", n=1))
    assert list(read_button_ids(question)) == ["Delete everything", "Keep my data"]
    assert await ada.read_click(question, "Keep my data") == en("data.kept")
    assert list_user_tables(room, ada) == before


async def test_delete_removes_all_data_of_player(sim: SimGuild, ada: Member, grace: Member, linus: Member) -> None:
    await sim.start_table(ada, grace, linus, target=50)
    player = sim.get_called_player()
    others = [person for person in (ada, grace, linus) if person is not player]
    await player.use_command("tiles settings", vacation=3, every="6h")
    assert {"matches", "people", "seats"} <= set(list_user_tables(sim, player))
    answer = await forget(sim, player)
    assert answer == en("data.deleted")
    assert list_user_tables(sim, player) == []
    assert f"**{player.name.capitalize()}**" not in sim.read_board()
    assert en("event.resigned", name=f"**{en('name.somebody')}**") in sim.read_board()
    while (await sim.load_head()).state == "open":
        assert sim.get_called_player() in others
        await sim.play_by_typing(sim.get_called_player())
    results = await sim.store.results.list_results((await sim.load_head()).match_id)
    assert {result.user_id for result in results} == {person.id for person in others}
    assert all(result.rated for result in results)
    assert f"**{en('name.somebody')}** · " in read_text(sim.list_results()[0])
    assert list_user_tables(sim, player) == []


async def test_deleted_opponent_gives_no_win_or_rating(room: SimGuild, ada: Member, grace: Member) -> None:
    await forget(room, ada)
    profile = await room.store.results.find_profile(grace.id, room.guild.id, "triominoes")
    assert (profile.matches, profile.finished, profile.wins, profile.rating) == (1, 1, 0, None)
    assert await room.store.results.find_profile(ada.id, room.guild.id, "triominoes") is None
    assert "Ada" not in await grace.read_command("tiles leaderboard")


async def test_deleted_host_leaves_lobby_to_guest(sim: SimGuild, ada: Member, grace: Member) -> None:
    await ada.use_command("tiles new", seats=3)
    await grace.click(sim.get_board(), label="Join")
    await forget(sim, ada)
    assert "1. Grace · host" in sim.read_board()
    assert "Ada" not in sim.read_board()
    assert list_user_tables(sim, ada) == []


async def test_delete_works_in_paused_match(room: SimGuild, ada: Member, mary: Member) -> None:
    mover = room.get_called_player()
    await mary.use_command("tiles-admin pause", reason="tea")
    await forget(room, mary)
    assert list_user_tables(room, mary) == []
    assert read_private_text(await room.play_by_typing(mover)).startswith(en("no.PAUSED", name="Someone", reason="tea"))
    await forget(room, ada)
    assert list_user_tables(room, ada) == []
    assert (await room.load_head()).state == "done"


async def test_second_delete_is_harmless(room: SimGuild, ada: Member) -> None:
    several = [await ada.open_command("tiles data delete") for _ in range(2)]
    for question in several:
        assert await ada.read_click(question, "Delete everything") == en("data.deleted")
        await room.restart()
    assert await forget(room, ada) == en("data.deleted")
    assert list_user_tables(room, ada) == []


async def test_rematch_works_after_deletion_of_host(room: SimGuild, ada: Member, grace: Member) -> None:
    await forget(room, ada)
    await grace.click(room.get_board(), label="Rematch")
    assert has_sentence(room.read_board(), "lobby.title", host="Grace")
    await ada.click(room.get_board(), label="Join")
    assert {row.user_id for row in await room.store.matches.list_seats((await room.load_head()).match_id)} == {
        ada.id,
        grace.id,
    }


async def find_left_at(sim: SimGuild, guild_id: int) -> int | None:
    return (await sim.store.guilds.load_guild(guild_id)).left_at


async def test_left_guild_is_deleted_after_thirty_days(room: SimGuild, ada: Member) -> None:
    match_id, guild = (await room.load_head()).match_id, discord.Object(room.guild.id)
    await room.client.on_guild_remove(guild)
    assert await find_left_at(room, room.guild.id) is not None
    await room.wait(hours=29 * DAY_HOURS)
    assert await room.store.matches.find_head(match_id) is not None
    await room.wait(hours=2 * DAY_HOURS)
    assert await room.store.matches.find_head(match_id) is None
    assert list_user_tables(room, ada) == []


async def test_guild_that_returns_keeps_its_matches(room: SimGuild) -> None:
    match_id, guild = (await room.load_head()).match_id, room.client.get_guild(room.guild.id)
    await room.client.on_guild_remove(guild)
    await room.wait(hours=29 * DAY_HOURS)
    await room.client.on_guild_join(guild)
    await room.wait(hours=40 * DAY_HOURS)
    assert await find_left_at(room, room.guild.id) is None
    assert await room.store.matches.find_head(match_id) is not None


async def test_restart_corrects_stored_guild_membership(sim: SimGuild, ada: Member) -> None:
    now = sim.clock()
    await ada.use_command("tiles new")
    await sim.store.guilds.set_guild(12345, {}, now=now)
    # The store is wrong about both servers: the bot is in this one and not in the other one.
    await sim.store.guilds.note_guild_left(sim.guild.id, now - 2 * RETENTION_AFTER_LEAVING, now=now)
    await sim.restart()
    await sim.wait(hours=1)
    assert await find_left_at(sim, sim.guild.id) is None
    assert await find_left_at(sim, 12345) is not None
    assert (await sim.load_head()).state == "lobby"
