"""The list of a player's own matches, `/tiles history`."""

import re
import sqlite3
from contextlib import closing

from discord import Permissions
from simcord import MemberActor
from simcord.backend.models import Overwrite

from bot.operating.backup import recount
from data.rulebook import load_rules
from engine.record import read, rerun
from tests.bot.messages import button_ids, games_of, menus, pictures, private, told, words_of
from tests.bot.profiles.results import finished
from tests.bot.simulated_guild import SHORT_MATCH, SimGuild
from tests.wording import en, says

MONTH = 31 * 24


async def test_history_lists_newest_match_first(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    await finished(sim, ada, grace, score=412)
    await finished(sim, linus, ada, score=402)
    await finished(sim, grace, linus)
    page = private(await ada.slash(sim.channel, "tiles history"))
    lost, won = [line for line in words_of(page).split("\n") if line.startswith("**")]
    assert lost.startswith("**Place 2 of 2** · Triominoes · <t:")
    assert won.startswith("**Won** · Triominoes · <t:")
    assert "-# 201 points · against Linus 402" in words_of(page)
    assert "-# 412 points · against Grace 206" in words_of(page)
    assert "-# Page 1 of 1 · 2 matches" in words_of(page), "what others played without her is not hers"
    assert games_of(page) == ["2", "1"]
    assert says(told(await sim.person("Alan").slash(sim.channel, "tiles history")), "history.none")


async def test_history_has_pages_and_match_menu(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    for _ in range(9):
        await finished(sim, ada, grace)
    sim.clock.skipped += MONTH * 3600 * 1000
    await finished(sim, ada, linus)
    first = private(await ada.slash(sim.channel, "tiles history"))
    assert games_of(first) == [str(number) for number in range(10, 2, -1)]
    newest = games_of(first)
    second = private(await ada.click(first, label="Next ▶"))
    assert games_of(second) == ["2", "1"]
    assert "Page 2 of 2 · 10 matches" in words_of(second)
    first = private(await ada.click(second, label="◀ Previous"))
    assert games_of(first) == newest

    _, game, month = menus(first)
    star = next(option.value for option in game.options if option.label == "Star")
    nothing = private(await ada.select(first, [star], custom_id=game.custom_id))
    assert says(words_of(nothing), "history.none_here")
    everything = menus(nothing)[0].options[0]
    assert everything.label == "All games"
    all_again = private(await ada.select(nothing, [everything.value], custom_id=game.custom_id))
    assert games_of(all_again) == [str(number) for number in range(10, 2, -1)]
    assert month.options[0].label == "Any time"
    before = month.options[-1]
    older = private(await ada.select(all_again, [before.value], custom_id=month.custom_id))
    assert games_of(older) == [str(number) for number in range(9, 1, -1)]
    assert before.label in words_of(older)
    offered = await ada.autocomplete(sim.channel, "tiles history", "month", "")
    assert [one["name"] for one in offered] == [option.label for option in month.options[1:]]
    same = private(await ada.slash(sim.channel, "tiles history", month=offered[-1]["value"]))
    assert games_of(same) == games_of(older)

    with_linus = private(await ada.slash(sim.channel, "tiles history", **{"with": linus}))
    assert f"## {en('history.title_with', name='Linus')}" in words_of(with_linus)
    assert games_of(with_linus) == ["10"]
    assert games_of(private(await ada.click(with_linus, label="All opponents"))) == newest
    assert says(told(await ada.slash(sim.channel, "tiles history", month="last week")), "history.no_month")


async def test_compressed_match_is_found(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    sim.deals.wanted = [SHORT_MATCH]
    await sim.table(ada, grace, linus, target=60)
    await sim.play_to_the_end()
    played = (await sim.loaded()).events
    sim.clock.skipped += MONTH * 3600 * 1000
    await sim.client.services.cleanup.sweep()
    assert await sim.store.matches.list_events((await sim.head()).match_id) == played
    await sim.restart()

    page = private(await ada.slash(sim.channel, "tiles history"))
    (chosen,) = [menu for menu in menus(page) if menu.custom_id.startswith("by:past")]
    end = private(await ada.select(page, [chosen.options[0].value], custom_id=chosen.custom_id))
    assert "wins" in words_of(end)
    assert len(pictures(end)) == 1
    assert re.search(r"-# \[table 1\]\(https://discord.com/channels/[\d/]+\) · <t:\d+:f>", words_of(end))
    assert {"Rematch", "Replay", "Scores", "Record", "Verify", en("history.back")} <= set(button_ids(end))

    answer = private(await ada.click(end, label="Record"))
    record = read((await answer.attachments[0].read()).decode(), load_rules)
    assert record.events == played
    assert rerun(record).faults == []
    back = private(await ada.click(end, label="Back to list"))
    assert games_of(back) == ["1"]
    end = private(await ada.select(back, ["1"], custom_id=chosen.custom_id))
    steps = private(await ada.click(end, label="Replay"))
    assert "Line 0 of" in words_of(steps)
    further = private(await ada.click(steps, label="Forward"))
    back = private(await ada.click(further, label="Back to list"))
    assert games_of(back) == ["1"]
    end = private(await ada.select(back, ["1"], custom_id=chosen.custom_id))
    await ada.click(end, label="Rematch")
    head = await sim.head()
    assert (head.match_id, head.state, head.host_id) == (2, "lobby", ada.id)
    assert set((await sim.now()).guests.reserved_until) == {grace.id, linus.id}


async def test_match_of_other_players_is_hidden(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    await finished(sim, ada, grace)
    await finished(sim, ada, grace, guild_id=sim.env.create_guild("Elsewhere").id)
    await sim.table(ada, grace)
    running = (await sim.head()).match_id
    page = private(await ada.slash(sim.channel, "tiles history"))
    assert games_of(page) == ["1"], "neither what runs nor what is played on another server"
    forged = await sim.post(*(f"by:past:{number}|all.all.0.0" for number in (running, 2, 1, 99)), menu="by:past|x")
    for number in range(3):
        said = told(await ada.click(forged, label=f"Button {number}"))
        assert says(said, "no.NO_SUCH_TABLE") == (number < 2), said
    assert says(said, "history.bare")
    assert says(told(await linus.click(forged, label="Button 2")), "no.NO_SUCH_TABLE"), "she did not play it"
    for value in ("nonsense", "999.U0,0.0", "🂠"):
        assert says(told(await ada.select(forged, [value], custom_id="by:past|x")), "no.NO_SUCH_TABLE")
    strange = await sim.post("by:history|all.2026-13.0.0", "by:history|chess.all.0.0", "by:history|all.all.x.²")
    for number in range(2):
        assert games_of(private(await ada.click(strange, label=f"Button {number}"))) == ["1"]


async def test_history_does_not_name_hidden_channel(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    hidden = sim.guild.create_text_channel("backroom")
    sim.deals.wanted = [SHORT_MATCH]
    await sim.table(ada, grace, channel=hidden, target=60)
    await sim.play_to_the_end(hidden)
    number = (await sim.head(hidden)).match_id
    forged = await sim.post(f"by:record:{number}")
    assert private(await linus.click(forged, label="Button 0")).attachments
    see = Permissions(view_channel=True).value
    sim.env.backend.set_overwrite(hidden.id, Overwrite(sim.guild.id, 0, deny=see))

    page = private(await ada.slash(sim.channel, "tiles history"))
    assert f"table {number}" in words_of(page)
    assert "discord.com" not in words_of(page)
    assert str(hidden.id) not in words_of(page)
    assert private(await ada.click(forged, label="Button 0")).attachments, "she played it"
    refused = private(await linus.click(forged, label="Button 0"))
    assert says(words_of(refused), "no.NO_SUCH_TABLE")
    assert not refused.attachments


async def test_deleted_opponent_is_nameless_in_history(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    sim.deals.wanted = [SHORT_MATCH]
    await sim.table(ada, grace, target=60)
    await sim.play_to_the_end()
    page = private(await ada.slash(sim.channel, "tiles history"))
    assert "Grace" in words_of(page)
    await sim.store.erasure.erase_user(grace.id, left_match_ids=[], now=sim.clock())
    page = private(await ada.slash(sim.channel, "tiles history"))
    assert "Grace" not in words_of(page)
    assert "against another player" in words_of(page)
    assert "Grace" not in str([option for menu in menus(page) for option in menu.options])
    assert games_of(private(await ada.slash(sim.channel, "tiles history", **{"with": grace}))) == []
    assert says(told(await grace.slash(sim.channel, "tiles history")), "history.none")


async def test_substitute_finds_match_in_history(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    sim.deals.wanted = [SHORT_MATCH]
    await sim.table(ada, grace, target=60)
    for _ in range(4):
        await sim.play_by_typing(sim.to_move())
    await ada.slash(sim.channel, "tiles match substitute", person=linus)
    await linus.click(sim.calls()[-1], label="Agree")
    assert games_of(private(await linus.slash(sim.channel, "tiles history"))) == [], "it is not over yet"
    await sim.play_to_the_end()
    await finished(sim, linus, grace)

    page = private(await linus.slash(sim.channel, "tiles history"))
    assert games_of(page) == ["2", "1"]
    own, substitute = [line for line in words_of(page).split("\n") if line.startswith("**")]
    assert own.startswith("**Won** · ")
    assert substitute.startswith("**Substitute** · Triominoes · <t:")
    (lent,) = [line for line in words_of(page).split("\n") if says(line, "history.lent")]
    assert re.search(r"· (Ada|Grace) \d+, (Ada|Grace) −?\d+$", lent)
    assert "-# Page 1 of 1 · 2 matches" in words_of(page)
    assert games_of(private(await linus.slash(sim.channel, "tiles history", **{"with": ada}))) == ["1"]
    chosen = menus(page)[0]
    end = private(await linus.select(page, ["1"], custom_id=chosen.custom_id))
    assert {"Replay", "Review", "Record"} <= set(button_ids(end))
    assert games_of(private(await ada.slash(sim.channel, "tiles history"))) == ["1"], "the result is hers"
    assert "Left" in words_of(private(await ada.slash(sim.channel, "tiles history")))


async def test_spectator_has_no_history(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    sim.deals.wanted = [SHORT_MATCH]
    await sim.table(ada, grace, target=60)
    await sim.play_to_the_end()
    steps = private(await linus.click(sim.ends()[-1], label="Replay"))
    assert en("history.back") not in button_ids(steps), "there is nothing of this match in it"
    film = private(await ada.slash(sim.channel, "tiles replay", film=True))
    assert games_of(private(await ada.click(film, label=en("history.back")))) == ["1"]


async def test_recount_includes_moves_of_older_matches(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    sim.deals.wanted = [SHORT_MATCH]
    await sim.table(ada, grace, target=60)
    await sim.play_to_the_end()
    event_log = (await sim.now()).event_log
    longest = f"Longest match: **{event_log.play_count} moves** · "
    assert longest in words_of(private(await ada.slash(sim.channel, "tiles profile")))
    await finished(sim, ada, grace)
    with closing(sqlite3.connect(sim.url.removeprefix("sqlite:///"))) as connection, connection:
        connection.execute("UPDATE results SET moves = NULL")
        connection.execute("UPDATE bests SET longest = NULL, longest_match = NULL")
    assert "Longest match" not in words_of(private(await ada.slash(sim.channel, "tiles profile")))

    told = await recount(sim.url)

    assert told.endswith(" 1 older match."), "of the other there is no log of a match"
    for person in (ada, grace):
        assert longest in words_of(private(await person.slash(sim.channel, "tiles profile")))
    assert "older match" not in await recount(sim.url)
