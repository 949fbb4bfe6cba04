"""`/tiles-admin`: permissions, server settings, and moderation of matches."""

import re

import discord
import pytest
from simcord import SetupError

from bot.core.layout import CustomId
from bot.tables.lobbies import TableRequest
from data.store.log.match_values import Change
from engine.table.table_events import Rearmed
from engine.table.table_posts import Post
from engine.table.table_state import Due, Turn
from tests.bot.core.channels import create_restricted_channel
from tests.bot.member import Member
from tests.bot.messages import get_private_answer, list_menus, read_button_ids, read_private_text, read_text
from tests.bot.simulated_guild import SimGuild
from tests.bot.tables.moderation import change_settings
from tests.wording import en, has_sentence

SETTINGS = """## Boneyard on this server
**Tables allowed:** in all channels
**Default rules:** default rules, in games that have them
**Default clock:** 6 days in total, with 3 days back after each turn
**Default computer level:** medium
**Tile styles allowed:** digits, shapes
**Colours** of public pictures: dark cloth
**Language** of public messages: English, this server's Discord language
**Running tables, at most:** 20 per player, 100 on this server, one per channel
Running now: 0"""


def list_moderator_posts(sim: SimGuild) -> list[str]:
    return [read_text(message) for message in sim.list_public_messages() if "a moderator" in read_text(message)]


async def test_admin_commands_need_manage_server(sim: SimGuild, ada: Member, mary: Member) -> None:
    for command in ("show", "settings", "doctor", "end", "pause", "resume", "skip"):
        assert f"tiles-admin {command}" in mary.available_commands(sim.channel)
        assert f"tiles-admin {command}" not in ada.available_commands(sim.channel)
    with pytest.raises(SetupError, match="default-member-permissions"):
        await ada.use_command("tiles-admin show")


async def test_server_can_grant_admin_commands_to_role(sim: SimGuild, ada: Member) -> None:
    role = sim.guild.create_role("hosts")
    linda = sim.add_member("Linda", role)
    commands = await sim.client.tree.fetch_commands()
    sim.guild.set_command_permissions(next(one for one in commands if one.name == "tiles-admin"), {role: True})
    assert await linda.read_command("tiles-admin show") == SETTINGS


async def test_server_default_level_applies_to_computers(sim: SimGuild, mary: Member, ada: Member) -> None:
    assert has_sentence(await change_settings(sim, mary, level="hard"), "admin.level", level="hard")
    await ada.use_command("tiles new", seats=5, computers=1)
    old_message = await sim.post(str(CustomId("computer", (await sim.load_head()).match_id)))
    await ada.click(old_message, label="Button 0")
    await sim.add_computer(ada, "easy")
    assert [row.computer for row in (await sim.load_table()).seats] == [None, "hard", "hard", "easy"]


async def test_new_server_has_default_settings(sim: SimGuild, mary: Member) -> None:
    assert await mary.read_command("tiles-admin show") == SETTINGS
    assert await change_settings(sim, mary) == SETTINGS


async def test_server_settings_survive_restart_and_keep_other_values(sim: SimGuild, mary: Member) -> None:
    await change_settings(sim, mary, preset="goliath", clock="days 2d")
    answer = await change_settings(sim, mary, tiles="classic", person=3, server=7)
    assert has_sentence(answer, "admin.preset", preset="Goliath's rules")
    assert has_sentence(answer, "admin.clock", clock="2 days per turn")
    assert has_sentence(answer, "admin.themes", themes="digits\n")
    assert has_sentence(answer, "admin.limits", person=3, server=7)
    await sim.restart()
    assert await mary.read_command("tiles-admin show") == answer
    assert has_sentence(await change_settings(sim, mary, tiles="all"), "admin.themes", themes="digits, shapes")


async def test_unreadable_setting_is_refused_and_changes_nothing(sim: SimGuild, mary: Member) -> None:
    assert has_sentence(await change_settings(sim, mary, preset="nonsense"), "no.NO_SUCH_PRESET", preset="nonsense")
    assert "nonsense" in await change_settings(sim, mary, clock="nonsense")
    assert await change_settings(sim, mary) == SETTINGS


async def test_admin_autocomplete_offers_presets_and_clocks(sim: SimGuild, mary: Member) -> None:
    found = await mary.autocomplete(sim.channel, "tiles-admin settings", "preset", "gol")
    assert [one["value"] for one in found] == ["goliath"]
    found = await mary.autocomplete(sim.channel, "tiles-admin settings", "clock", "36h")
    assert [one["value"] for one in found] == ["days 1d12h"]


async def test_tables_open_only_in_allowed_channels(sim: SimGuild, ada: Member, mary: Member) -> None:
    lounge = sim.guild.create_text_channel("lounge")
    answer = await change_settings(sim, mary, allow=lounge)
    assert f"**Tables allowed:** <#{lounge.id}>" in answer
    refused = await ada.use_command("tiles new")
    assert read_private_text(refused) == (en("no.CHANNEL_NOT_ALLOWED", channels=f"<#{lounge.id}>"))
    thread = await ada.use_command("tiles new", thread=True)
    assert read_private_text(thread) == read_private_text(refused)
    assert sim.list_public_messages() == []
    assert sim.channel.threads == []
    await ada.slash(lounge, "tiles new", thread=True)
    await ada.slash(lounge.threads[-1], "tiles join")
    await ada.slash(lounge, "tiles new")
    assert len(sim.list_boards(lounge)) == 1
    assert has_sentence(
        await change_settings(sim, mary, everywhere=True), "admin.channels", channels="in all channels\n"
    )
    await ada.use_command("tiles new")
    assert len(sim.list_boards()) == 1


async def test_last_allowed_channel_cannot_be_removed(sim: SimGuild, mary: Member) -> None:
    lounge, other_channel = sim.guild.create_text_channel("lounge"), sim.guild.create_text_channel("attic")
    await change_settings(sim, mary, allow=lounge)
    assert await change_settings(sim, mary, disallow=lounge, person=3) == (
        en("no.ONLY_CHANNEL", channel=f"<#{lounge.id}>")
    )
    answer = await change_settings(sim, mary)
    assert f"**Tables allowed:** <#{lounge.id}>\n" in answer
    assert has_sentence(answer, "admin.limits", person=20), "what came with it is not set either"
    answer = await change_settings(sim, mary, allow=other_channel, disallow=lounge)
    assert f"**Tables allowed:** <#{other_channel.id}>\n" in answer


async def test_new_table_uses_server_defaults(sim: SimGuild, ada: Member, mary: Member) -> None:
    await change_settings(sim, mary, preset="goliath", clock="36h", tiles="picture")
    await ada.use_command("tiles new", seats=3)
    terms = await sim.load_terms()
    assert (terms["preset"], terms["clock"], terms["theme"]) == ("goliath", "days 1d12h", "picture")
    await ada.use_command("tiles leave")
    await ada.use_command("tiles new", preset="pressman", clock="relaxed")
    terms = await sim.load_terms()
    assert (terms["preset"], terms["clock"], terms["theme"]) == ("pressman", "relaxed", "picture")
    await ada.use_command("tiles leave")
    # A game without this preset uses its own default.
    await ada.use_command("tiles new", game="star")
    assert (await sim.load_terms())["preset"] == "default"


async def test_disallowed_tile_theme_is_refused(sim: SimGuild, ada: Member, mary: Member) -> None:
    await change_settings(sim, mary, tiles="classic")
    refused = await ada.use_command("tiles new", theme="picture")
    assert read_private_text(refused) == (en("no.THEME_NOT_ALLOWED"))
    assert sim.list_public_messages() == []


async def test_table_limits_are_enforced(sim: SimGuild, ada: Member, grace: Member, mary: Member) -> None:
    await change_settings(sim, mary, person=1, server=2)
    lounge, other_channel = sim.guild.create_text_channel("lounge"), sim.guild.create_text_channel("attic")
    await ada.use_command("tiles new")
    assert has_sentence(read_private_text(await ada.slash(lounge, "tiles new")), "no.TOO_MANY_TABLES_PERSON", most=1)
    await grace.slash(lounge, "tiles new")
    for answer in (await ada.click(sim.get_board(lounge), label="Join"), await ada.slash(lounge, "tiles join")):
        assert has_sentence(read_private_text(answer), "no.TOO_MANY_TABLES_PERSON", most=1)
    assert has_sentence(await grace.read_click(sim.get_board(lounge), "Join"), "no.ALREADY_SEATED")
    assert has_sentence(
        read_private_text(await mary.slash(other_channel, "tiles new")), "no.TOO_MANY_TABLES_SERVER", most=2
    )
    await ada.use_command("tiles leave")
    await mary.slash(other_channel, "tiles new")
    assert len(sim.list_boards(other_channel)) == 1


async def test_practice_table_obeys_server_settings(sim: SimGuild, ada: Member, mary: Member) -> None:
    await change_settings(sim, mary, tiles="picture", person=1)
    help_ = await ada.open_command("tiles help")
    await ada.click(help_, label="Practice vs computer")
    assert (await sim.load_terms())["theme"] == "picture"
    help_ = await ada.open_command("tiles help")
    refused = await ada.click(help_, label="Practice vs computer")
    assert has_sentence(read_private_text(refused), "no.TOO_MANY_TABLES_PERSON", most=1)
    assert len(sim.list_boards()) == 1


async def test_pause_stops_match_and_names_moderator(sim: SimGuild, ada: Member, grace: Member, mary: Member) -> None:
    await sim.start_table(ada, grace, clock="days 1d")
    player = sim.get_called_player()
    answer = await mary.read_command("tiles-admin pause", reason="Fire drill *now*")
    assert answer.startswith("Paused: https://discord.com/channels/")
    assert list_moderator_posts(sim) == [en("moderated.paused", name="Mary", reason="Fire drill \\*now\\*")]
    assert sim.list_calls() == []
    before = (await sim.load_head()).seq
    for _ in range(2):
        assert read_private_text(await sim.play_by_typing(player)) == (
            en("no.PAUSED", name="Mary", reason="Fire drill \\*now\\*")
        )
        await sim.restart()
    await sim.wait(hours=100)
    head = await sim.load_head()
    assert head.seq == before
    assert head.due.kind == "idle"
    await mary.use_command("tiles-admin resume", reason="All clear")
    assert list_moderator_posts(sim)[-1] == en("moderated.resumed", name="Mary", reason="All clear")
    due = (await sim.load_head()).due
    assert due.at > sim.clock()
    assert [[user.id for user in call.mentions] for call in sim.list_calls()] == [[player.id]]
    acts = await sim.store.matches.list_moderations(head.match_id)
    assert [(act.kind, act.reason, act.user_id) for act in acts] == [
        ("paused", "Fire drill *now*", mary.id),
        ("resumed", "All clear", mary.id),
    ]
    await sim.play_by_typing(player)
    assert (await sim.load_head()).seq > head.seq + 1


async def test_computer_does_not_move_in_paused_match(sim: SimGuild, ada: Member, mary: Member) -> None:
    await sim.start_table(ada, computers=1)
    await mary.use_command("tiles-admin pause", reason="tea")
    head = await sim.load_head()
    computers = Change(
        match_id=head.match_id,
        expected_seq=head.seq,
        events=[Rearmed()],
        turn=Turn(seat=head.turn.seat),
        due=Due(at=sim.clock(), kind="computer"),
    )
    await sim.store.matches.commit(computers, now=sim.clock())
    await sim.wait(seconds=30)
    assert (await sim.load_head()).seq == head.seq + 1


async def test_paused_match_refuses_every_action(room: SimGuild, ada: Member, grace: Member, mary: Member) -> None:
    await room.play_turns(3)
    await mary.use_command("tiles-admin pause", reason="tea")
    paused_text, before = en("no.PAUSED", name="Mary", reason="tea"), (await room.load_head()).seq
    for command in ("draw", "pass", "undo"):
        for person in (ada, grace):
            assert (await person.read_command(f"tiles {command}")).startswith(paused_text)
    for command in ("match resign", "match abort"):
        answer = await ada.open_command(f"tiles {command}")
        confirm_label = next(iter(read_button_ids(answer)))
        assert (await ada.read_click(answer, confirm_label)).startswith(paused_text)
    assert (await room.load_head()).seq == before
    assert "round 1" in await ada.read_command("tiles board", text=True), "looking is free"
    hand = await (await room.load_turn_player()).open_command("tiles hand")
    assert has_sentence(read_text(hand), "hand.paused")
    assert list_menus(hand) == []


async def test_skipped_turn_is_played_by_computer(room: SimGuild, ada: Member, grace: Member, mary: Member) -> None:
    player, other = room.get_called_player(), room.get_waiting_player()
    if other is mary:
        other = grace if player is ada else ada
    turn = (await room.load_head()).turn
    await mary.use_command("tiles-admin skip", reason="asleep")
    await room.wait()
    assert list_moderator_posts(room) == [
        en("moderated.skipped", name="Mary", player=player.name.capitalize(), reason="asleep")
    ]
    after = (await room.load_head()).turn
    assert after.seat != turn.seat
    assert after.user == other.id, "the next turn is a person's own again"
    assert (await room.load_table()).clock.standins == {}


async def test_match_ended_by_moderator_has_no_result(room: SimGuild, ada: Member, mary: Member) -> None:
    player = room.get_called_player()
    hand = await player.open_click(room.get_board(), "My hand")
    room.forget_hands()
    await mary.use_command("tiles-admin end", reason="Wrong channel")
    head = await room.load_head()
    assert (head.state, head.turn, head.due) == ("void", None, None)
    assert list_moderator_posts(room)[-1] == en("moderated.stopped", name="Mary", reason="Wrong channel")
    assert has_sentence(room.read_board(), "lobby.closed", reason=en("lobby.closed_stopped"))
    assert await room.store.results.list_results(head.match_id) == ()
    assert (await room.store.matches.list_moderations(head.match_id))[0].user_id == mary.id
    assert (await player.read_click(hand, "Refresh")).startswith(en("no.CLOSED"))
    await ada.click(room.get_board(), label="Open again")
    assert (await room.load_head()).state == "lobby"


async def test_moderator_can_only_close_lobby(sim: SimGuild, ada: Member, mary: Member) -> None:
    await ada.use_command("tiles new")
    for command in ("pause", "resume", "skip"):
        answer = await mary.use_command(f"tiles-admin {command}", reason="tea")
        assert has_sentence(read_private_text(answer), "no.NOT_STARTED")
    await mary.use_command("tiles-admin end", reason="tidying up")
    assert has_sentence(read_text(sim.list_boards()[0]), "lobby.closed_stopped")
    second_answer = await mary.use_command("tiles-admin end", reason="tidying up")
    assert has_sentence(read_private_text(second_answer), "no.NO_TABLE_HERE")


async def test_moderator_reaches_tables_of_own_server_only(
    sim: SimGuild, ada: Member, grace: Member, mary: Member
) -> None:
    lounge = sim.guild.create_text_channel("lounge")
    await sim.start_table(ada, grace, channel=lounge)
    number = (await sim.load_head(lounge)).match_id
    await mary.use_command("tiles-admin pause", reason="tea", table=number)
    assert (await sim.store.matches.list_moderations(number))[-1].kind == "paused"
    for wrong_number in (number + 1, 0, -5, 2**52):
        answer = await mary.use_command("tiles-admin end", reason="tea", table=wrong_number)
        assert read_private_text(answer).startswith(en("no.NO_SUCH_TABLE"))
    other_guild = sim.env.create_guild("Elsewhere")
    role = other_guild.create_role("mods", permissions=discord.Permissions(manage_guild=True))
    other_moderator = other_guild.add_member(sim.env.create_user("zed"), roles=[role])
    channel = other_guild.create_text_channel("tiles")
    answer = await other_moderator.slash(channel, "tiles-admin end", reason="mischief", table=number)
    assert read_private_text(answer).startswith(en("no.NO_SUCH_TABLE"))
    assert (await sim.load_head(lounge)).state == "open"


async def test_ending_closed_table_offers_rematch(sim: SimGuild, ada: Member, grace: Member, mary: Member) -> None:
    lounge = sim.guild.create_text_channel("lounge")
    await sim.start_table(ada, grace, channel=lounge)
    number = (await sim.load_head(lounge)).match_id
    for _ in range(2):
        answer = await mary.use_command("tiles-admin end", reason="tea", table=number)
    assert read_private_text(answer).startswith(en("no.CLOSED"))
    assert read_button_ids(get_private_answer(answer)) == {"Rematch": f"by:rematch:{number}"}


async def test_doctor_lists_every_check(sim: SimGuild, mary: Member) -> None:
    answer = await mary.read_command("tiles-admin doctor")
    assert answer.splitlines()[0] == en("doctor.well")
    assert answer.count("✓") == 15
    assert f"✓ {en('doctor.database')}" in answer


async def test_doctor_names_missing_permission_and_its_fix(sim: SimGuild, mary: Member) -> None:
    restricted_channel = create_restricted_channel(sim, "attach_files", "create_public_threads")
    answer = read_private_text(await mary.slash(restricted_channel, "tiles-admin doctor"))
    assert answer.splitlines()[0] == "## Something needs fixing"
    for name, fix_key in (("Attach Files", "permission_fix"), ("Create Public Threads", "threads")):
        permission = en("doctor.permission", name=name)
        assert f"✗ **{permission}** · {en(f'doctor.{fix_key}', name=name)}" in answer
    assert answer.count("✗") == 2


async def test_doctor_reports_wrong_clock(sim: SimGuild, mary: Member) -> None:
    sim.clock.skipped_ms = 6_000
    answer = await mary.read_command("tiles-admin doctor")
    assert f"✗ **{en('doctor.clock', seconds='6.0')}** · {en('doctor.clock_fix')}" in answer


async def test_doctor_reports_overdue_posts(sim: SimGuild, ada: Member, mary: Member) -> None:
    await ada.use_command("tiles new")
    head = await sim.load_head()
    late_post = Post(kind="moderated", body={"seq": 99}, at=sim.clock() + 10**6)
    await sim.store.matches.commit(
        Change(match_id=head.match_id, expected_seq=head.seq, events=[Rearmed()], outbox=[late_post]),
        now=sim.clock() - 61_000,
    )
    await sim.client.services.announcer.refresh(head.match_id)
    answer = await mary.read_command("tiles-admin doctor")
    assert f"✓ {en('doctor.backlog', posts=0, boards=0)}" in answer, "its time has not come"
    (row,) = await sim.store.outbox.list_due(sim.clock() + 10**6, 10)
    assert await sim.store.outbox.lease(row, now=sim.clock())
    answer = await mary.read_command("tiles-admin doctor")
    assert f"✗ **{en('doctor.backlog', posts=1, boards=0)}** · " in answer


async def test_doctor_lists_closed_channels_of_own_server(sim: SimGuild, ada: Member, mary: Member) -> None:
    closed_channel = sim.guild.create_text_channel("cellar")
    await ada.slash(closed_channel, "tiles new")
    other_request = TableRequest(guild_id=4711, channel_id=4712, host_id=ada.id, game="triominoes", seats=2)
    other_table = await sim.client.services.acts.open(other_request, request=1)
    for head in (await sim.load_head(closed_channel), other_table.head):
        assert await sim.store.outbox.block(head.match_id, head.channel_id, 50013, now=sim.clock() - 10**7)
    answer = await mary.read_command("tiles-admin doctor")
    assert f"✗ **{en('doctor.closed', n=1)}** · " in answer
    closed_text = en("doctor.closed_table", table=1, channel=closed_channel.mention)
    assert has_sentence(answer, "doctor.closed_fix", tables=closed_text)
    assert f"✓ {en('doctor.backlog', posts=0, boards=0)}" in answer
    await mary.use_command("tiles-admin end", reason="closed", table=1)
    answer = await mary.read_command("tiles-admin doctor")
    assert answer.splitlines()[0] == en("doctor.well")


async def test_doctor_counts_closed_channels_beyond_ten(sim: SimGuild, ada: Member, mary: Member) -> None:
    for number in range(1, 13):
        closed_channel = sim.guild.create_text_channel(f"cellar-{number}")
        await ada.slash(closed_channel, "tiles new")
        await sim.store.outbox.block(number, closed_channel.id, 50013, now=sim.clock())
    answer = await mary.read_command("tiles-admin doctor")
    assert f"✗ **{en('doctor.closed', n=12)}** · " in answer
    assert re.search(r", 10 in <#\d+> and 2 more:", answer)
