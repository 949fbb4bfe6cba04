"""The list of a player's own matches, `/tiles history`."""

import re
import sqlite3
from contextlib import closing

from bot.operating.backup import recount
from data.rulebook import load_rules
from engine.record import read, rerun
from tests.bot.core.channels import hide_channel
from tests.bot.member import Member
from tests.bot.messages import list_alt_texts, list_match_ids, list_menus, read_button_ids, read_private_text, read_text
from tests.bot.profiles.results import save_finished_match
from tests.bot.simulated_guild import SHORT_MATCH_DEAL, SimGuild
from tests.wording import en, has_sentence

MONTH = 31 * 24


async def test_history_lists_newest_match_first(sim: SimGuild, ada: Member, grace: Member, linus: Member) -> None:
    await save_finished_match(sim, ada, grace, score=412)
    await save_finished_match(sim, linus, ada, score=402)
    await save_finished_match(sim, grace, linus)
    page = await ada.open_command("tiles history")
    lost, won = [line for line in read_text(page).split("\n") if line.startswith("**")]
    assert lost.startswith("**Place 2 of 2** · Triominoes · <t:")
    assert won.startswith("**Won** · Triominoes · <t:")
    assert "-# 201 points · against Linus 402" in read_text(page)
    assert "-# 412 points · against Grace 206" in read_text(page)
    assert "-# Page 1 of 1 · 2 matches" in read_text(page), "what others played without her is not hers"
    assert list_match_ids(page) == ["2", "1"]
    assert has_sentence(await sim.add_member("Alan").read_command("tiles history"), "history.none")


async def test_history_has_pages_and_match_menu(sim: SimGuild, ada: Member, grace: Member, linus: Member) -> None:
    for _ in range(9):
        await save_finished_match(sim, ada, grace)
    sim.clock.skipped_ms += MONTH * 3600 * 1000
    await save_finished_match(sim, ada, linus)
    first = await ada.open_command("tiles history")
    assert list_match_ids(first) == [str(number) for number in range(10, 2, -1)]
    newest = list_match_ids(first)
    second = await ada.open_click(first, "Next ▶")
    assert list_match_ids(second) == ["2", "1"]
    assert "Page 2 of 2 · 10 matches" in read_text(second)
    first = await ada.open_click(second, "◀ Previous")
    assert list_match_ids(first) == newest

    _, game, month = list_menus(first)
    star = next(option.value for option in game.options if option.label == "Star")
    nothing = await ada.open_select(first, star, custom_id=game.custom_id)
    assert has_sentence(read_text(nothing), "history.none_here")
    everything = list_menus(nothing)[0].options[0]
    assert everything.label == "All games"
    all_again = await ada.open_select(nothing, everything.value, custom_id=game.custom_id)
    assert list_match_ids(all_again) == [str(number) for number in range(10, 2, -1)]
    assert month.options[0].label == "Any time"
    before = month.options[-1]
    older = await ada.open_select(all_again, before.value, custom_id=month.custom_id)
    assert list_match_ids(older) == [str(number) for number in range(9, 1, -1)]
    assert before.label in read_text(older)
    offered = await ada.autocomplete(sim.channel, "tiles history", "month", "")
    assert [one["name"] for one in offered] == [option.label for option in month.options[1:]]
    same = await ada.open_command("tiles history", month=offered[-1]["value"])
    assert list_match_ids(same) == list_match_ids(older)

    with_linus = await ada.open_command("tiles history", **{"with": linus})
    assert f"## {en('history.title_with', name='Linus')}" in read_text(with_linus)
    assert list_match_ids(with_linus) == ["10"]
    assert list_match_ids(await ada.open_click(with_linus, "All opponents")) == newest
    assert has_sentence(await ada.read_command("tiles history", month="last week"), "history.no_month")


async def test_compressed_match_is_found(sim: SimGuild, ada: Member, grace: Member, linus: Member) -> None:
    await sim.start_table(ada, grace, linus, target=60, deal=SHORT_MATCH_DEAL)
    await sim.play_to_the_end()
    played = (await sim.load_stored_match()).events
    sim.clock.skipped_ms += MONTH * 3600 * 1000
    await sim.client.services.cleanup.sweep()
    assert await sim.store.matches.list_events((await sim.load_head()).match_id) == played
    await sim.restart()

    page = await ada.open_command("tiles history")
    (chosen,) = [menu for menu in list_menus(page) if menu.custom_id.startswith("by:past")]
    end = await ada.open_select(page, chosen.options[0].value, custom_id=chosen.custom_id)
    assert "wins" in read_text(end)
    assert len(list_alt_texts(end)) == 1
    assert re.search(r"-# \[table 1\]\(https://discord.com/channels/[\d/]+\) · <t:\d+:f>", read_text(end))
    assert {"Rematch", "Replay", "Scores", "Record", "Verify", en("history.back")} <= set(read_button_ids(end))

    answer = await ada.open_click(end, "Record")
    record = read((await answer.attachments[0].read()).decode(), load_rules)
    assert record.events == played
    assert rerun(record).faults == []
    back = await ada.open_click(end, "Back to list")
    assert list_match_ids(back) == ["1"]
    end = await ada.open_select(back, "1", custom_id=chosen.custom_id)
    steps = await ada.open_click(end, "Replay")
    assert "Line 0 of" in read_text(steps)
    further = await ada.open_click(steps, "Forward")
    back = await ada.open_click(further, "Back to list")
    assert list_match_ids(back) == ["1"]
    end = await ada.open_select(back, "1", custom_id=chosen.custom_id)
    await ada.click(end, label="Rematch")
    head = await sim.load_head()
    assert (head.match_id, head.state, head.host_id) == (2, "lobby", ada.id)
    assert set((await sim.load_table()).guests.reserved_until) == {grace.id, linus.id}


async def test_match_of_other_players_is_hidden(sim: SimGuild, ada: Member, grace: Member, linus: Member) -> None:
    await save_finished_match(sim, ada, grace)
    await save_finished_match(sim, ada, grace, guild_id=sim.env.create_guild("Elsewhere").id)
    await sim.start_table(ada, grace)
    running = (await sim.load_head()).match_id
    page = await ada.open_command("tiles history")
    assert list_match_ids(page) == ["1"], "neither what runs nor what is played on another server"
    forged = await sim.post(*(f"by:past:{number}|all.all.0.0" for number in (running, 2, 1, 99)), menu="by:past|x")
    for number in range(3):
        answer = await ada.read_click(forged, f"Button {number}")
        assert has_sentence(answer, "no.NO_SUCH_TABLE") == (number < 2), answer
    assert has_sentence(answer, "history.bare")
    assert has_sentence(await linus.read_click(forged, "Button 2"), "no.NO_SUCH_TABLE"), "she did not play it"
    for value in ("nonsense", "999.U0,0.0", "🂠"):
        assert has_sentence(
            read_private_text(await ada.select(forged, [value], custom_id="by:past|x")), "no.NO_SUCH_TABLE"
        )
    strange = await sim.post("by:history|all.2026-13.0.0", "by:history|chess.all.0.0", "by:history|all.all.x.²")
    for number in range(2):
        assert list_match_ids(await ada.open_click(strange, f"Button {number}")) == ["1"]


async def test_history_does_not_name_hidden_channel(sim: SimGuild, ada: Member, grace: Member, linus: Member) -> None:
    hidden = sim.guild.create_text_channel("backroom")
    await sim.start_table(ada, grace, channel=hidden, target=60, deal=SHORT_MATCH_DEAL)
    await sim.play_to_the_end(hidden)
    number = (await sim.load_head(hidden)).match_id
    forged = await sim.post(f"by:record:{number}")
    assert (await linus.open_click(forged, "Button 0")).attachments
    hide_channel(sim, hidden)

    page = await ada.open_command("tiles history")
    assert f"table {number}" in read_text(page)
    assert "discord.com" not in read_text(page)
    assert str(hidden.id) not in read_text(page)
    assert (await ada.open_click(forged, "Button 0")).attachments, "she played it"
    refused = await linus.open_click(forged, "Button 0")
    assert has_sentence(read_text(refused), "no.NO_SUCH_TABLE")
    assert not refused.attachments


async def test_deleted_opponent_is_nameless_in_history(sim: SimGuild, ada: Member, grace: Member) -> None:
    await sim.start_table(ada, grace, target=60, deal=SHORT_MATCH_DEAL)
    await sim.play_to_the_end()
    page = await ada.open_command("tiles history")
    assert "Grace" in read_text(page)
    await sim.store.erasure.erase_user(grace.id, left_match_ids=[], now=sim.clock())
    page = await ada.open_command("tiles history")
    assert "Grace" not in read_text(page)
    assert "against another player" in read_text(page)
    assert "Grace" not in str([option for menu in list_menus(page) for option in menu.options])
    assert list_match_ids(await ada.open_command("tiles history", **{"with": grace})) == []
    assert has_sentence(await grace.read_command("tiles history"), "history.none")


async def test_substitute_finds_match_in_history(sim: SimGuild, ada: Member, grace: Member, linus: Member) -> None:
    await sim.start_table(ada, grace, target=60, deal=SHORT_MATCH_DEAL)
    await sim.play_turns(4)
    await ada.use_command("tiles match substitute", person=linus)
    await linus.click(sim.list_calls()[-1], label="Agree")
    assert list_match_ids(await linus.open_command("tiles history")) == [], "it is not over yet"
    await sim.play_to_the_end()
    await save_finished_match(sim, linus, grace)

    page = await linus.open_command("tiles history")
    assert list_match_ids(page) == ["2", "1"]
    own, substitute = [line for line in read_text(page).split("\n") if line.startswith("**")]
    assert own.startswith("**Won** · ")
    assert substitute.startswith("**Substitute** · Triominoes · <t:")
    (lent,) = [line for line in read_text(page).split("\n") if has_sentence(line, "history.lent")]
    assert re.search(r"· (Ada|Grace) \d+, (Ada|Grace) −?\d+$", lent)
    assert "-# Page 1 of 1 · 2 matches" in read_text(page)
    assert list_match_ids(await linus.open_command("tiles history", **{"with": ada})) == ["1"]
    chosen = list_menus(page)[0]
    end = await linus.open_select(page, "1", custom_id=chosen.custom_id)
    assert {"Replay", "Review", "Record"} <= set(read_button_ids(end))
    assert list_match_ids(await ada.open_command("tiles history")) == ["1"], "the result is hers"
    assert "Left" in await ada.read_command("tiles history")


async def test_spectator_has_no_history(sim: SimGuild, ada: Member, grace: Member, linus: Member) -> None:
    await sim.start_table(ada, grace, target=60, deal=SHORT_MATCH_DEAL)
    await sim.play_to_the_end()
    steps = await linus.open_click(sim.list_results()[-1], "Replay")
    assert en("history.back") not in read_button_ids(steps), "there is nothing of this match in it"
    film = await ada.open_command("tiles replay", film=True)
    assert list_match_ids(await ada.open_click(film, en("history.back"))) == ["1"]


async def test_recount_includes_moves_of_older_matches(sim: SimGuild, ada: Member, grace: Member) -> None:
    await sim.start_table(ada, grace, target=60, deal=SHORT_MATCH_DEAL)
    await sim.play_to_the_end()
    event_log = (await sim.load_table()).event_log
    longest = f"Longest match: **{event_log.play_count} moves** · "
    assert longest in await ada.read_command("tiles profile")
    await save_finished_match(sim, ada, grace)
    with closing(sqlite3.connect(sim.url.removeprefix("sqlite:///"))) as connection, connection:
        connection.execute("UPDATE results SET moves = NULL")
        connection.execute("UPDATE bests SET longest = NULL, longest_match = NULL")
    assert "Longest match" not in await ada.read_command("tiles profile")

    report = await recount(sim.url)

    assert report.endswith(": 1."), "of the other there is no log of a match"
    for person in (ada, grace):
        assert longest in await person.read_command("tiles profile")
    assert "older match" not in await recount(sim.url)
