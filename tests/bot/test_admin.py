"""`/tiles-admin`: who may use it, what it allows and forbids, and stepping in at a match."""

import re

import discord
import pytest
from simcord import MemberActor, SetupError

from bot.core.layout import Press
from bot.tables.lobbies import Invitation
from data.store.log.match_values import Change
from engine.table.table_events import Rearmed
from engine.table.table_posts import Post
from engine.table.table_state import Due, Turn
from tests.bot.channels import without
from tests.bot.house import House
from tests.bot.moderation import set_here
from tests.bot.reading import button_ids, menus, private, told, words_of
from tests.wording import en, says

SETTINGS = """## Boneyard on this server
**Tables may stand** everywhere
**Rules**, where the host names none: default rules, in the games that have them
**Clock**, where the host says nothing: up to 6 days for one turn, and each turn gives 3 days back
**Computers**, where the host says nothing: medium
**Tiles** may show digits, shapes
**Colours** of the pictures that everybody sees: dark cloth
**Language** in public: English, as Discord says of this server
**Running tables, at most**: a person 20, the server 100, a channel one
Running now: 0"""


def posts(house: House) -> list[str]:
    return [words_of(message) for message in house.public() if "a moderator" in words_of(message)]


async def test_admin_commands_need_manage_server(house: House, ada: MemberActor, mary: MemberActor) -> None:
    for command in ("show", "settings", "doctor", "end", "pause", "resume", "skip"):
        assert f"tiles-admin {command}" in mary.available_commands(house.channel)
        assert f"tiles-admin {command}" not in ada.available_commands(house.channel)
    with pytest.raises(SetupError, match="default-member-permissions"):
        await ada.slash(house.channel, "tiles-admin show")


async def test_server_may_give_commands_to_others(house: House, ada: MemberActor) -> None:
    role = house.guild.create_role("hosts")
    linda = house.guild.add_member(house.env.create_user("linda"), roles=[role])
    commands = await house.client.tree.fetch_commands()
    house.guild.set_command_permissions(next(one for one in commands if one.name == "tiles-admin"), {role: True})
    assert told(await linda.slash(house.channel, "tiles-admin show")) == SETTINGS


async def test_server_default_level_applies_to_computers(house: House, mary: MemberActor, ada: MemberActor) -> None:
    assert says(await set_here(house, mary, level="hard"), "admin.level", level="hard")
    await ada.slash(house.channel, "tiles new", seats=5, computers=1)
    old = await house.post(str(Press("computer", (await house.head()).match_id)))
    await ada.click(old, label="Button 0")
    await house.add_computer(ada, "easy")
    assert [row.computer for row in (await house.now()).seats] == [None, "hard", "hard", "easy"]


async def test_server_that_has_set_nothing_allows_what_is_usual(house: House, mary: MemberActor) -> None:
    assert told(await mary.slash(house.channel, "tiles-admin show")) == SETTINGS
    assert await set_here(house, mary) == SETTINGS


async def test_what_is_set_is_kept_and_rest_stays(house: House, mary: MemberActor) -> None:
    await set_here(house, mary, preset="goliath", clock="days 2d")
    said = await set_here(house, mary, tiles="classic", person=3, server=7)
    assert says(said, "admin.preset", preset="Goliath's rules")
    assert says(said, "admin.clock", clock="2 days a turn")
    assert says(said, "admin.themes", themes="digits\n")
    assert says(said, "admin.limits", person=3, server=7)
    await house.restart()
    assert told(await mary.slash(house.channel, "tiles-admin show")) == said
    assert says(await set_here(house, mary, tiles="all"), "admin.themes", themes="digits, shapes")


async def test_what_cannot_be_read_is_refused_and_nothing_is_set(house: House, mary: MemberActor) -> None:
    assert says(await set_here(house, mary, preset="nonsense"), "no.NO_SUCH_PRESET", preset="nonsense")
    assert "nonsense" in await set_here(house, mary, clock="nonsense")
    assert await set_here(house, mary) == SETTINGS


async def test_lists_offer_presets_and_clocks(house: House, mary: MemberActor) -> None:
    found = await mary.autocomplete(house.channel, "tiles-admin settings", "preset", "gol")
    assert [one["value"] for one in found] == ["goliath"]
    found = await mary.autocomplete(house.channel, "tiles-admin settings", "clock", "36h")
    assert [one["value"] for one in found] == ["days 1d12h"]


async def test_tables_open_only_in_allowed_channels(house: House, ada: MemberActor, mary: MemberActor) -> None:
    lounge = house.guild.create_text_channel("lounge")
    said = await set_here(house, mary, allow=lounge)
    assert f"**Tables may stand** <#{lounge.id}>" in said
    refused = await ada.slash(house.channel, "tiles new")
    assert told(refused) == (en("no.CHANNEL_NOT_ALLOWED", channels=f"<#{lounge.id}>"))
    thread = await ada.slash(house.channel, "tiles new", thread=True)
    assert "in other channels" in told(thread)
    assert house.public() == []
    assert house.channel.threads == []
    await ada.slash(lounge, "tiles new", thread=True)
    await ada.slash(lounge.threads[-1], "tiles join")
    await ada.slash(lounge, "tiles new")
    assert len(house.boards(lounge)) == 1
    assert says(await set_here(house, mary, everywhere=True), "admin.channels", channels="everywhere\n")
    await ada.slash(house.channel, "tiles new")
    assert len(house.boards()) == 1


async def test_channel_is_taken_off_list_again_but_not_only_one(house: House, mary: MemberActor) -> None:
    lounge, attic = house.guild.create_text_channel("lounge"), house.guild.create_text_channel("attic")
    await set_here(house, mary, allow=lounge)
    assert await set_here(house, mary, disallow=lounge, person=3) == (en("no.ONLY_CHANNEL", channel=f"<#{lounge.id}>"))
    said = await set_here(house, mary)
    assert f"**Tables may stand** <#{lounge.id}>\n" in said
    assert says(said, "admin.limits", person=20), "what came with it is not set either"
    said = await set_here(house, mary, allow=attic, disallow=lounge)
    assert f"**Tables may stand** <#{attic.id}>\n" in said


async def test_new_table_uses_server_defaults(house: House, ada: MemberActor, mary: MemberActor) -> None:
    await set_here(house, mary, preset="goliath", clock="36h", tiles="picture")
    await ada.slash(house.channel, "tiles new", seats=3)
    terms = await house.terms()
    assert (terms["preset"], terms["clock"], terms["theme"]) == ("goliath", "days 1d12h", "picture")
    await ada.slash(house.channel, "tiles leave")
    await ada.slash(house.channel, "tiles new", preset="pressman", clock="relaxed")
    terms = await house.terms()
    assert (terms["preset"], terms["clock"], terms["theme"]) == ("pressman", "relaxed", "picture")
    await ada.slash(house.channel, "tiles leave")
    # A game without that reading has its own.
    await ada.slash(house.channel, "tiles new", game="star")
    assert (await house.terms())["preset"] == "default"


async def test_tiles_that_are_not_allowed_are_refused(house: House, ada: MemberActor, mary: MemberActor) -> None:
    await set_here(house, mary, tiles="classic")
    refused = await ada.slash(house.channel, "tiles new", theme="picture")
    assert told(refused) == (en("no.THEME_NOT_ALLOWED"))
    assert house.public() == []


async def test_table_limits_are_enforced(house: House, ada: MemberActor, grace: MemberActor, mary: MemberActor) -> None:
    await set_here(house, mary, person=1, server=2)
    lounge, attic = house.guild.create_text_channel("lounge"), house.guild.create_text_channel("attic")
    await ada.slash(house.channel, "tiles new")
    assert says(told(await ada.slash(lounge, "tiles new")), "no.TOO_MANY_TABLES_PERSON", most=1)
    await grace.slash(lounge, "tiles new")
    for asked in (await ada.click(house.board(lounge), label="Join"), await ada.slash(lounge, "tiles join")):
        assert says(told(asked), "no.TOO_MANY_TABLES_PERSON", most=1)
    assert says(told(await grace.click(house.board(lounge), label="Join")), "no.ALREADY_SEATED")
    assert says(told(await mary.slash(attic, "tiles new")), "no.TOO_MANY_TABLES_SERVER", most=2)
    await ada.slash(house.channel, "tiles leave")
    await mary.slash(attic, "tiles new")
    assert len(house.boards(attic)) == 1


async def test_practice_table_obeys_server_settings(house: House, ada: MemberActor, mary: MemberActor) -> None:
    await set_here(house, mary, tiles="picture", person=1)
    help_ = private(await ada.slash(house.channel, "tiles help"))
    await ada.click(help_, label="Practice against the computer")
    assert (await house.terms())["theme"] == "picture"
    help_ = private(await ada.slash(house.channel, "tiles help"))
    refused = await ada.click(help_, label="Practice against the computer")
    assert says(told(refused), "no.TOO_MANY_TABLES_PERSON", most=1)
    assert len(house.boards()) == 1


async def test_pause_stops_match_and_names_moderator(
    house: House, ada: MemberActor, grace: MemberActor, mary: MemberActor
) -> None:
    await house.table(ada, grace, clock="days 1d")
    player = house.to_move()
    said = told(await mary.slash(house.channel, "tiles-admin pause", reason="Fire drill *now*"))
    assert said.startswith("Paused: https://discord.com/channels/")
    assert posts(house) == [en("moderated.paused", name="Mary", reason="Fire drill \\*now\\*")]
    assert house.calls() == []
    before = (await house.head()).seq
    for _ in range(2):
        assert told(await house.play_by_typing(player)) == (en("no.PAUSED", name="Mary", reason="Fire drill \\*now\\*"))
        await house.restart()
    await house.wait(hours=100)
    head = await house.head()
    assert head.seq == before
    assert head.due.kind == "idle"
    await mary.slash(house.channel, "tiles-admin resume", reason="All clear")
    assert posts(house)[-1] == en("moderated.resumed", name="Mary", reason="All clear")
    due = (await house.head()).due
    assert due.at > house.clock()
    assert [[user.id for user in call.mentions] for call in house.calls()] == [[player.id]]
    acts = await house.store.matches.moderations(head.match_id)
    assert [(act.kind, act.reason, act.user_id) for act in acts] == [
        ("paused", "Fire drill *now*", mary.id),
        ("resumed", "All clear", mary.id),
    ]
    await house.play_by_typing(player)
    assert (await house.head()).seq > head.seq + 1


async def test_paused_match_stays_so_for_computers_too(house: House, ada: MemberActor, mary: MemberActor) -> None:
    await house.table(ada, computers=1)
    await mary.slash(house.channel, "tiles-admin pause", reason="tea")
    head = await house.head()
    computers = Change(
        match_id=head.match_id,
        expected_seq=head.seq,
        events=[Rearmed()],
        turn=Turn(seat=head.turn.seat),
        due=Due(at=house.clock(), kind="computer"),
    )
    await house.store.matches.commit(computers, now=house.clock())
    await house.wait(seconds=30)
    assert (await house.head()).seq == head.seq + 1


async def test_paused_match_refuses_every_action(
    house: House, ada: MemberActor, grace: MemberActor, mary: MemberActor
) -> None:
    await house.table(ada, grace)
    for _ in range(3):
        await house.play_by_typing(house.to_move())
    await mary.slash(house.channel, "tiles-admin pause", reason="tea")
    paused, before = en("no.PAUSED", name="Mary", reason="tea"), (await house.head()).seq
    for command in ("draw", "pass", "undo"):
        for person in (ada, grace):
            assert told(await person.slash(house.channel, f"tiles {command}")).startswith(paused)
    for command in ("match resign", "match abort"):
        asked = private(await ada.slash(house.channel, f"tiles {command}"))
        sure = next(iter(button_ids(asked)))
        assert told(await ada.click(asked, label=sure)).startswith(paused)
    assert (await house.head()).seq == before
    assert "round 1" in told(await ada.slash(house.channel, "tiles board", text=True)), "looking is free"
    hand = private(await (await house.turn()).slash(house.channel, "tiles hand"))
    assert says(words_of(hand), "hand.paused")
    assert menus(hand) == []


async def test_skipped_turn_is_played_by_computer(
    house: House, ada: MemberActor, grace: MemberActor, mary: MemberActor
) -> None:
    await house.table(ada, grace)
    player, other = house.to_move(), house.waiting()
    if other is mary:
        other = grace if player is ada else ada
    turn = (await house.head()).turn
    await mary.slash(house.channel, "tiles-admin skip", reason="asleep")
    await house.wait()
    assert posts(house) == [en("moderated.skipped", name="Mary", player=player.name.capitalize(), reason="asleep")]
    after = (await house.head()).turn
    assert after.seat != turn.seat
    assert after.user == other.id, "the next turn is a person's own again"


async def test_ended_match_has_no_result(house: House, ada: MemberActor, grace: MemberActor, mary: MemberActor) -> None:
    await house.table(ada, grace)
    player = house.to_move()
    hand = private(await player.click(house.board(), label="My hand"))
    house.lapse()
    await mary.slash(house.channel, "tiles-admin end", reason="Wrong channel")
    head = await house.head()
    assert (head.state, head.turn, head.due) == ("void", None, None)
    assert posts(house)[-1] == en("moderated.stopped", name="Mary", reason="Wrong channel")
    assert says(words_of(house.board()), "lobby.closed", reason=en("lobby.closed_stopped"))
    assert await house.store.results.of_match(head.match_id) == ()
    assert (await house.store.matches.moderations(head.match_id))[0].user_id == mary.id
    assert told(await player.click(hand, label="Refresh")).startswith(en("no.CLOSED"))
    await ada.click(house.board(), label="Open again")
    assert (await house.head()).state == "lobby"


async def test_moderator_can_only_close_lobby(house: House, ada: MemberActor, mary: MemberActor) -> None:
    await ada.slash(house.channel, "tiles new")
    for command in ("pause", "resume", "skip"):
        asked = await mary.slash(house.channel, f"tiles-admin {command}", reason="tea")
        assert says(told(asked), "no.NOT_STARTED")
    await mary.slash(house.channel, "tiles-admin end", reason="tidying up")
    assert says(words_of(house.boards()[0]), "lobby.closed_stopped")
    again = await mary.slash(house.channel, "tiles-admin end", reason="tidying up")
    assert says(told(again), "no.NO_TABLE_HERE")


async def test_moderator_reaches_tables_of_own_server_only(
    house: House, ada: MemberActor, grace: MemberActor, mary: MemberActor
) -> None:
    lounge = house.guild.create_text_channel("lounge")
    await house.table(ada, grace, channel=lounge)
    number = (await house.head(lounge)).match_id
    await mary.slash(house.channel, "tiles-admin pause", reason="tea", table=number)
    assert (await house.store.matches.moderations(number))[-1].kind == "paused"
    for wrong in (number + 1, 0, -5, 2**52):
        asked = await mary.slash(house.channel, "tiles-admin end", reason="tea", table=wrong)
        assert told(asked).startswith(en("no.NO_SUCH_TABLE"))
    foreign = house.env.create_guild("Elsewhere")
    role = foreign.create_role("mods", permissions=discord.Permissions(manage_guild=True))
    stranger = foreign.add_member(house.env.create_user("zed"), roles=[role])
    channel = foreign.create_text_channel("tiles")
    asked = await stranger.slash(channel, "tiles-admin end", reason="mischief", table=number)
    assert told(asked).startswith(en("no.NO_SUCH_TABLE"))
    assert (await house.head(lounge)).state == "open"


async def test_ending_closed_table_offers_rematch(
    house: House, ada: MemberActor, grace: MemberActor, mary: MemberActor
) -> None:
    lounge = house.guild.create_text_channel("lounge")
    await house.table(ada, grace, channel=lounge)
    number = (await house.head(lounge)).match_id
    for _ in range(2):
        asked = await mary.slash(house.channel, "tiles-admin end", reason="tea", table=number)
    assert told(asked).startswith(en("no.CLOSED"))
    assert button_ids(private(asked)) == {"Rematch": f"by:rematch:{number}"}


async def test_doctor_looks_at_everything_one_by_one(house: House, mary: MemberActor) -> None:
    said = told(await mary.slash(house.channel, "tiles-admin doctor"))
    assert said.splitlines()[0] == en("doctor.well")
    assert said.count("✓") == 14
    assert f"✓ {en('doctor.database')}" in said


async def test_doctor_names_missing_permission_and_where_to_allow_it(house: House, mary: MemberActor) -> None:
    study = without(house, "attach_files", "create_public_threads")
    said = told(await mary.slash(study, "tiles-admin doctor"))
    assert said.splitlines()[0] == "## Something needs fixing"
    for name, fix in (("Attach Files", "permission_fix"), ("Create Public Threads", "threads")):
        permission = en("doctor.permission", name=name)
        assert f"✗ **{permission}** · {en(f'doctor.{fix}', name=name)}" in said
    assert said.count("✗") == 2


async def test_doctor_notices_clock_that_is_off(house: House, mary: MemberActor) -> None:
    house.clock.skipped = 6_000
    said = told(await mary.slash(house.channel, "tiles-admin doctor"))
    assert f"✗ **{en('doctor.clock', seconds='6.0')}** · {en('doctor.clock_fix')}" in said


async def test_doctor_notices_posts_that_wait(house: House, ada: MemberActor, mary: MemberActor) -> None:
    await ada.slash(house.channel, "tiles new")
    head = await house.head()
    late = Post(kind="moderated", body={"seq": 99}, at=house.clock() + 10**6)
    await house.store.matches.commit(
        Change(match_id=head.match_id, expected_seq=head.seq, events=[Rearmed()], outbox=[late]),
        now=house.clock() - 61_000,
    )
    await house.client.services.announcer.refresh(head.match_id)
    said = told(await mary.slash(house.channel, "tiles-admin doctor"))
    assert f"✓ {en('doctor.backlog', posts=0, boards=0)}" in said, "its time has not come"
    (row,) = await house.store.outbox.due_outbox(house.clock() + 10**6, 10)
    assert await house.store.outbox.take(row, now=house.clock())
    said = told(await mary.slash(house.channel, "tiles-admin doctor"))
    assert f"✗ **{en('doctor.backlog', posts=1, boards=0)}** · " in said


async def test_doctor_lists_closed_channels_of_own_server(house: House, ada: MemberActor, mary: MemberActor) -> None:
    cellar = house.guild.create_text_channel("cellar")
    await ada.slash(cellar, "tiles new")
    elsewhere = Invitation(guild_id=4711, channel_id=4712, host_id=ada.id, game="triominoes", seats=2)
    theirs = await house.client.services.acts.open(elsewhere, request=1)
    for head in (await house.head(cellar), theirs.head):
        assert await house.store.outbox.block(head.match_id, head.channel_id, 50013, now=house.clock() - 10**7)
    said = told(await mary.slash(house.channel, "tiles-admin doctor"))
    assert f"✗ **{en('doctor.closed', n=1)}** · " in said
    where = en("doctor.closed_table", table=1, channel=cellar.mention)
    assert says(said, "doctor.closed_fix", tables=where)
    assert f"✓ {en('doctor.backlog', posts=0, boards=0)}" in said
    await mary.slash(house.channel, "tiles-admin end", reason="closed", table=1)
    said = told(await mary.slash(house.channel, "tiles-admin doctor"))
    assert said.splitlines()[0] == en("doctor.well")


async def test_doctor_counts_closed_channels_beyond_ten(house: House, ada: MemberActor, mary: MemberActor) -> None:
    for number in range(1, 13):
        cellar = house.guild.create_text_channel(f"cellar-{number}")
        await ada.slash(cellar, "tiles new")
        await house.store.outbox.block(number, cellar.id, 50013, now=house.clock())
    said = told(await mary.slash(house.channel, "tiles-admin doctor"))
    assert f"✗ **{en('doctor.closed', n=12)}** · " in said
    assert re.search(r", 10 in <#\d+> and 2 more:", said)
