"""`/tiles-admin`: who may use it, what it allows and forbids, and stepping in at a match."""

import re

import discord
import pytest
from simcord import MemberActor, SetupError

from bot.service.invitations import Invitation
from bot.views.ids import Press
from data.store import Change, Due, Post, Turn
from engine.table.events import Rearmed
from tests.bot.house import House
from tests.bot.reading import button_ids, menus, private, told, words_of
from tests.bot.test_places import without

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


@pytest.fixture
def mary(house: House) -> MemberActor:
    """Mary, who may manage the server."""
    role = house.guild.create_role("moderators", permissions=discord.Permissions(manage_guild=True))
    actor = house.guild.add_member(house.env.create_user("mary", global_name="Mary"), roles=[role])
    house.people[actor.id] = actor
    return actor


async def set_here(house: House, mary: MemberActor, **settings: object) -> str:
    """Mary sets something; what she is told is set then."""
    return told(await mary.slash(house.channel, "tiles-admin settings", **settings))


def posts(house: House) -> list[str]:
    """What the channel was told of moderators."""
    return [words_of(message) for message in house.public() if "a moderator" in words_of(message)]


# -- who may ------------------------------------------------------------------------------------------------


async def test_only_who_may_manage_the_server_is_offered_the_commands(
    house: House, ada: MemberActor, mary: MemberActor
) -> None:
    for command in ("show", "settings", "doctor", "end", "pause", "resume", "skip"):
        assert f"tiles-admin {command}" in mary.available_commands(house.channel)
        assert f"tiles-admin {command}" not in ada.available_commands(house.channel)
    with pytest.raises(SetupError, match="default-member-permissions"):
        await ada.slash(house.channel, "tiles-admin show")


async def test_the_server_may_give_the_commands_to_others(house: House, ada: MemberActor) -> None:
    role = house.guild.create_role("hosts")
    linda = house.guild.add_member(house.env.create_user("linda"), roles=[role])
    commands = await house.client.tree.fetch_commands()
    house.guild.set_command_permissions(next(one for one in commands if one.name == "tiles-admin"), {role: True})
    assert told(await linda.slash(house.channel, "tiles-admin show")) == SETTINGS


async def test_the_usual_level_of_computers_is_a_servers_to_choose(
    house: House, mary: MemberActor, ada: MemberActor
) -> None:
    assert "**Computers**, where the host says nothing: hard" in await set_here(house, mary, level="hard")
    await ada.slash(house.channel, "tiles new", seats=5, computers=1)
    old = await house.post(str(Press("computer", (await house.head()).match_id)))
    await ada.click(old, label="Button 0")
    await house.add_computer(ada, "easy")
    assert [row.computer for row in (await house.now()).seats] == [None, "hard", "hard", "easy"]


# -- what is set --------------------------------------------------------------------------------------------


async def test_a_server_that_has_set_nothing_allows_what_is_usual(house: House, mary: MemberActor) -> None:
    assert told(await mary.slash(house.channel, "tiles-admin show")) == SETTINGS
    assert await set_here(house, mary) == SETTINGS


async def test_what_is_set_is_kept_and_the_rest_stays(house: House, mary: MemberActor) -> None:
    await set_here(house, mary, preset="goliath", clock="days 2d")
    said = await set_here(house, mary, tiles="classic", person=3, server=7)
    assert "**Rules**, where the host names none: Goliath's rules" in said
    assert "**Clock**, where the host says nothing: 2 days a turn" in said
    assert "**Tiles** may show digits\n" in said
    assert "**Running tables, at most**: a person 3, the server 7," in said
    await house.restart()
    assert told(await mary.slash(house.channel, "tiles-admin show")) == said
    assert "may show digits, shapes" in await set_here(house, mary, tiles="all")


async def test_what_cannot_be_read_is_refused_and_nothing_is_set(house: House, mary: MemberActor) -> None:
    assert "no rules called “nonsense”" in await set_here(house, mary, preset="nonsense")
    assert "nonsense" in await set_here(house, mary, clock="nonsense")
    assert await set_here(house, mary) == SETTINGS


async def test_the_lists_offer_presets_and_clocks(house: House, mary: MemberActor) -> None:
    found = await mary.autocomplete(house.channel, "tiles-admin settings", "preset", "gol")
    assert [one["value"] for one in found] == ["goliath"]
    found = await mary.autocomplete(house.channel, "tiles-admin settings", "clock", "36h")
    assert [one["value"] for one in found] == ["days 1d12h"]


async def test_tables_stand_only_in_the_channels_that_are_allowed(
    house: House, ada: MemberActor, mary: MemberActor
) -> None:
    lounge = house.guild.create_text_channel("lounge")
    said = await set_here(house, mary, allow=lounge)
    assert f"**Tables may stand** <#{lounge.id}>" in said
    refused = await ada.slash(house.channel, "tiles new")
    assert told(refused) == (
        f"On this server tables stand in other channels: <#{lounge.id}> are the places for `/tiles new`."
    )
    thread = await ada.slash(house.channel, "tiles new", thread=True)
    assert "in other channels" in told(thread)
    assert house.public() == []
    assert house.channel.threads == []
    await ada.slash(lounge, "tiles new", thread=True)
    await ada.slash(lounge.threads[-1], "tiles join")
    await ada.slash(lounge, "tiles new")
    assert len(house.boards(lounge)) == 1
    assert "**Tables may stand** everywhere\n" in await set_here(house, mary, everywhere=True)
    await ada.slash(house.channel, "tiles new")
    assert len(house.boards()) == 1


async def test_a_channel_is_taken_off_the_list_again_but_not_the_only_one(house: House, mary: MemberActor) -> None:
    lounge, attic = house.guild.create_text_channel("lounge"), house.guild.create_text_channel("attic")
    await set_here(house, mary, allow=lounge)
    assert await set_here(house, mary, disallow=lounge, person=3) == (
        f"<#{lounge.id}> is the only channel where tables may stand, so it stays on the list. Allow another one first; "
        "or `/tiles-admin settings everywhere:True` lets them stand everywhere."
    )
    said = await set_here(house, mary)
    assert f"**Tables may stand** <#{lounge.id}>\n" in said
    assert "**Running tables, at most**: a person 20," in said, "what came with it is not set either"
    said = await set_here(house, mary, allow=attic, disallow=lounge)
    assert f"**Tables may stand** <#{attic.id}>\n" in said


async def test_the_host_who_names_nothing_gets_what_is_usual_here(
    house: House, ada: MemberActor, mary: MemberActor
) -> None:
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
    assert told(refused) == (
        "This server does not allow tiles drawn like that. Leave `theme:` out, or choose tiles that it allows."
    )
    assert house.public() == []


async def test_nobody_has_more_tables_than_the_server_allows(
    house: House, ada: MemberActor, grace: MemberActor, mary: MemberActor
) -> None:
    await set_here(house, mary, person=1, server=2)
    lounge, attic = house.guild.create_text_channel("lounge"), house.guild.create_text_channel("attic")
    await ada.slash(house.channel, "tiles new")
    assert "You sit at as many running tables as this server allows a person: 1." in told(
        await ada.slash(lounge, "tiles new")
    )
    await grace.slash(lounge, "tiles new")
    for asked in (await ada.click(house.board(lounge), label="Join"), await ada.slash(lounge, "tiles join")):
        assert "You sit at as many running tables" in told(asked)
    assert "You are already at this table." in told(await grace.click(house.board(lounge), label="Join"))
    assert "As many tables are running as this server allows: 2." in told(await mary.slash(attic, "tiles new"))
    await ada.slash(house.channel, "tiles leave")
    await mary.slash(attic, "tiles new")
    assert len(house.boards(attic)) == 1


async def test_practice_and_rematch_keep_to_what_the_server_allows(
    house: House, ada: MemberActor, mary: MemberActor
) -> None:
    await set_here(house, mary, tiles="picture", person=1)
    help_ = private(await ada.slash(house.channel, "tiles help"))
    await ada.click(help_, label="Practice against the computer")
    assert (await house.terms())["theme"] == "picture"
    help_ = private(await ada.slash(house.channel, "tiles help"))
    refused = await ada.click(help_, label="Practice against the computer")
    assert "You sit at as many running tables as this server allows a person: 1." in told(refused)
    assert len(house.boards()) == 1


# -- stepping in --------------------------------------------------------------------------------------------


async def test_a_paused_match_waits_and_says_who_paused_it_and_why(
    house: House, ada: MemberActor, grace: MemberActor, mary: MemberActor
) -> None:
    await house.table(ada, grace, clock="days 1d")
    player = house.to_move()
    said = told(await mary.slash(house.channel, "tiles-admin pause", reason="Fire drill *now*"))
    assert said.startswith("Paused: https://discord.com/channels/")
    assert posts(house) == [
        "**Mary**, a moderator, paused this match: “Fire drill \\*now\\*”. No time runs until it goes on."
    ]
    before = (await house.head()).seq
    for _ in range(2):
        assert told(await house.play_by_typing(player)) == (
            "Mary has paused this match: “Fire drill \\*now\\*”. "
            "It goes on when a moderator resumes it; until then no time runs."
        )
        await house.restart()
    await house.wait(hours=100)
    head = await house.head()
    assert head.seq == before
    assert head.due is not None
    assert head.due.kind == "idle"
    await mary.slash(house.channel, "tiles-admin resume", reason="All clear")
    assert posts(house)[-1] == "**Mary**, a moderator, lets this match go on: “All clear”"
    due = (await house.head()).due
    assert due is not None
    assert due.at > house.clock()
    await house.play_by_typing(player)
    assert (await house.head()).seq > head.seq + 1


async def test_a_hand_at_a_paused_match_says_so_and_offers_no_move(
    house: House, ada: MemberActor, grace: MemberActor, mary: MemberActor
) -> None:
    await house.table(ada, grace)
    player = house.to_move()
    assert menus(private(await player.slash(house.channel, "tiles hand")))
    await mary.slash(house.channel, "tiles-admin pause", reason="tea")
    held = private(await player.slash(house.channel, "tiles hand"))
    assert "A moderator has paused this match: nobody can move until it goes on." in words_of(held)
    assert menus(held) == []
    await mary.slash(house.channel, "tiles-admin resume", reason="had it")
    assert menus(private(await player.slash(house.channel, "tiles hand")))


async def test_a_pause_takes_the_call_back_and_the_player_is_called_again_when_the_match_goes_on(
    house: House, ada: MemberActor, grace: MemberActor, mary: MemberActor
) -> None:
    await house.table(ada, grace, clock="days 1d")
    player = house.to_move()
    await mary.slash(house.channel, "tiles-admin pause", reason="dinner")
    assert house.calls() == []
    await mary.slash(house.channel, "tiles-admin resume", reason="fed")
    (call,) = house.calls()
    assert [user.id for user in call.mentions] == [player.id]


async def test_a_paused_match_stays_so_for_computers_too(house: House, ada: MemberActor, mary: MemberActor) -> None:
    await house.table(ada, computers=1)
    await mary.slash(house.channel, "tiles-admin pause", reason="tea")
    head = await house.head()
    assert head.turn is not None
    computers = Change(
        match_id=head.match_id,
        expected_seq=head.seq,
        events=[Rearmed()],
        turn=Turn(seat=head.turn.seat),
        due=Due(at=house.clock(), kind="computer"),
    )
    await house.store.commit(computers, now=house.clock())
    await house.wait(seconds=30)
    assert (await house.head()).seq == head.seq + 1


async def test_in_a_paused_match_nobody_can_do_anything_else_either(
    house: House, ada: MemberActor, grace: MemberActor, mary: MemberActor
) -> None:
    await house.table(ada, grace)
    for _ in range(3):
        await house.play_by_typing(house.to_move())
    await mary.slash(house.channel, "tiles-admin pause", reason="tea")
    before = (await house.head()).seq
    for command in ("draw", "pass", "undo"):
        for person in (ada, grace):
            assert told(await person.slash(house.channel, f"tiles {command}")).startswith("Mary has paused this match")
    for command in ("match resign", "match abort"):
        asked = private(await ada.slash(house.channel, f"tiles {command}"))
        sure = next(iter(button_ids(asked)))
        assert told(await ada.click(asked, label=sure)).startswith("Mary has paused this match")
    assert (await house.head()).seq == before
    assert "round 1" in told(await ada.slash(house.channel, "tiles board", text=True)), "looking is free"


async def test_pausing_and_resuming_twice_says_so(
    house: House, ada: MemberActor, grace: MemberActor, mary: MemberActor
) -> None:
    await house.table(ada, grace)
    resumed = await mary.slash(house.channel, "tiles-admin resume", reason="?")
    assert told(resumed) == "This match is not paused: there is nothing to resume."
    await mary.slash(house.channel, "tiles-admin pause", reason="tea")
    for command in ("pause", "skip"):
        again = await mary.slash(house.channel, f"tiles-admin {command}", reason="tea")
        assert told(again) == "This match is paused. `/tiles-admin resume` lets it go on."
    assert len(posts(house)) == 1


async def test_a_skipped_turn_is_taken_by_the_computer_and_told_by_name(
    house: House, ada: MemberActor, grace: MemberActor, mary: MemberActor
) -> None:
    await house.table(ada, grace)
    player, other = house.to_move(), house.waiting()
    if other is mary:
        other = grace if player is ada else ada
    turn = (await house.head()).turn
    await mary.slash(house.channel, "tiles-admin skip", reason="asleep")
    await house.wait()
    assert posts(house) == [
        f"**Mary**, a moderator, lets the computer take {player.name.capitalize()}'s turn: “asleep”"
    ]
    after = (await house.head()).turn
    assert turn is not None
    assert after is not None
    assert after.seat != turn.seat
    assert after.user == other.id, "the next turn is a person's own again"


async def test_an_ended_match_has_no_result_and_says_who_ended_it(
    house: House, ada: MemberActor, grace: MemberActor, mary: MemberActor
) -> None:
    await house.table(ada, grace)
    player = house.to_move()
    hand = private(await player.click(house.board(), label="My hand"))
    house.lapse()
    await mary.slash(house.channel, "tiles-admin end", reason="Wrong channel")
    head = await house.head()
    assert (head.state, head.turn, head.due) == ("void", None, None)
    assert posts(house)[-1] == "**Mary**, a moderator, ended this match without a result: “Wrong channel”"
    assert "This table was closed: a moderator ended it, without a result." in words_of(house.board())
    assert await house.store.results(head.match_id) == ()
    assert (await house.store.moderations(head.match_id))[0].user_id == mary.id
    assert told(await player.click(hand, label="Refresh")).startswith("This table was closed.")
    await ada.click(house.board(), label="Open again")
    assert (await house.head()).state == "lobby"


async def test_a_lobby_can_be_closed_and_nothing_else_be_done_to_it(
    house: House, ada: MemberActor, mary: MemberActor
) -> None:
    await ada.slash(house.channel, "tiles new")
    for command in ("pause", "resume", "skip"):
        asked = await mary.slash(house.channel, f"tiles-admin {command}", reason="tea")
        assert "The match has not begun" in told(asked)
    await mary.slash(house.channel, "tiles-admin end", reason="tidying up")
    assert "a moderator ended it" in words_of(house.boards()[0])
    again = await mary.slash(house.channel, "tiles-admin end", reason="tidying up")
    assert "There is no table in this channel" in told(again)


async def test_a_table_of_another_channel_is_named_by_its_number_and_of_another_server_not_at_all(
    house: House, ada: MemberActor, grace: MemberActor, mary: MemberActor
) -> None:
    lounge = house.guild.create_text_channel("lounge")
    await house.table(ada, grace, channel=lounge)
    number = (await house.head(lounge)).match_id
    await mary.slash(house.channel, "tiles-admin pause", reason="tea", table=number)
    assert (await house.store.moderations(number))[-1].kind == "paused"
    for wrong in (number + 1, 0, -5, 2**52):
        asked = await mary.slash(house.channel, "tiles-admin end", reason="tea", table=wrong)
        assert told(asked).startswith("That table does not exist.")
    foreign = house.env.create_guild("Elsewhere")
    role = foreign.create_role("mods", permissions=discord.Permissions(manage_guild=True))
    stranger = foreign.add_member(house.env.create_user("zed"), roles=[role])
    channel = foreign.create_text_channel("tiles")
    asked = await stranger.slash(channel, "tiles-admin end", reason="mischief", table=number)
    assert told(asked).startswith("That table does not exist.")
    assert (await house.head(lounge)).state == "open"


async def test_a_table_of_another_channel_that_is_over_is_told_to_be_over_with_a_button_for_it(
    house: House, ada: MemberActor, grace: MemberActor, mary: MemberActor
) -> None:
    lounge = house.guild.create_text_channel("lounge")
    await house.table(ada, grace, channel=lounge)
    number = (await house.head(lounge)).match_id
    for _ in range(2):
        asked = await mary.slash(house.channel, "tiles-admin end", reason="tea", table=number)
    assert told(asked).startswith("This table was closed.")
    assert button_ids(private(asked)) == {"Rematch": f"by:rematch:{number}"}


async def test_the_reason_stands_in_the_log_and_the_name_beside_it(
    house: House, ada: MemberActor, grace: MemberActor, mary: MemberActor
) -> None:
    await house.table(ada, grace)
    await mary.slash(house.channel, "tiles-admin pause", reason="tea")
    await mary.slash(house.channel, "tiles-admin resume", reason="drunk")
    acts = await house.store.moderations((await house.head()).match_id)
    assert [(act.kind, act.reason, act.user_id) for act in acts] == [
        ("paused", "tea", mary.id),
        ("resumed", "drunk", mary.id),
    ]


# -- the doctor ---------------------------------------------------------------------------------------------


async def test_the_doctor_looks_at_everything_one_by_one(house: House, mary: MemberActor) -> None:
    said = told(await mary.slash(house.channel, "tiles-admin doctor"))
    assert said.splitlines()[0] == "## All is well here"
    assert said.count("✓") == 14
    assert "✓ Database: read and written" in said


async def test_the_doctor_names_a_missing_permission_and_where_to_allow_it(house: House, mary: MemberActor) -> None:
    study = without(house, "attach_files", "create_public_threads")
    said = told(await mary.slash(study, "tiles-admin doctor"))
    assert said.splitlines()[0] == "## Something needs fixing"
    assert (
        "✗ **Permission: Attach Files** · Allow me *Attach Files* in this channel: "
        "*Edit Channel → Permissions*, or in my role." in said
    )
    assert "✗ **Permission: Create Public Threads** · " in said
    assert said.count("✗") == 2


async def test_the_doctor_notices_a_clock_that_is_off(house: House, mary: MemberActor) -> None:
    house.clock.skipped = 6_000
    said = told(await mary.slash(house.channel, "tiles-admin doctor"))
    assert "✗ **Clock: 6.0 s from Discord's** · Deadlines are off by as much." in said


async def test_the_doctor_notices_posts_that_wait(house: House, ada: MemberActor, mary: MemberActor) -> None:
    await ada.slash(house.channel, "tiles new")
    head = await house.head()
    late = Post(kind="moderated", body={"seq": 99}, at=house.clock() + 10**6)
    await house.store.commit(
        Change(match_id=head.match_id, expected_seq=head.seq, events=[Rearmed()], outbox=[late]),
        now=house.clock() - 61_000,
    )
    await house.client.services.announcer.refresh(head.match_id)
    said = told(await mary.slash(house.channel, "tiles-admin doctor"))
    assert "✓ Waiting to be sent on this server: posts 0, boards 0" in said, "its time has not come"
    (row,) = await house.store.due_outbox(house.clock() + 10**6, 10)
    assert await house.store.take(row, now=house.clock())
    said = told(await mary.slash(house.channel, "tiles-admin doctor"))
    assert "✗ **Waiting to be sent on this server: posts 1, boards 0** · " in said


async def test_the_doctor_names_the_closed_channels_of_this_server_and_of_no_other(
    house: House, ada: MemberActor, mary: MemberActor
) -> None:
    cellar = house.guild.create_text_channel("cellar")
    await ada.slash(cellar, "tiles new")
    elsewhere = Invitation(guild_id=4711, channel_id=4712, host_id=ada.id, game="triominoes", seats=2)
    theirs = await house.client.services.acts.open(elsewhere, request=1)
    for head in (await house.head(cellar), theirs.head):
        assert await house.store.block(head.match_id, head.channel_id, 50013, now=house.clock() - 10**7)
    said = told(await mary.slash(house.channel, "tiles-admin doctor"))
    assert f"✗ **Tables whose channel is closed to me: 1** · Table 1 in {cellar.mention}: let me write there" in said
    assert "✓ Waiting to be sent on this server: posts 0, boards 0" in said
    await mary.slash(house.channel, "tiles-admin end", reason="closed", table=1)
    said = told(await mary.slash(house.channel, "tiles-admin doctor"))
    assert said.splitlines()[0] == "## All is well here"


async def test_the_doctor_counts_the_closed_channels_that_it_does_not_name(
    house: House, ada: MemberActor, mary: MemberActor
) -> None:
    for number in range(1, 13):
        cellar = house.guild.create_text_channel(f"cellar-{number}")
        await ada.slash(cellar, "tiles new")
        await house.store.block(number, cellar.id, 50013, now=house.clock())
    said = told(await mary.slash(house.channel, "tiles-admin doctor"))
    assert "✗ **Tables whose channel is closed to me: 12** · Table 1 in <#" in said
    assert re.search(r", 10 in <#\d+> and 2 more: let me write there again", said)
