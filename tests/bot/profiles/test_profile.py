"""The command `/tiles profile`: best results, comparisons, guild records and privacy."""

from typing import Any

from data.store.results.scores import PlayerResult
from tests.bot.member import Member
from tests.bot.messages import list_alt_texts, list_match_ids, list_menus, read_button_ids, read_text
from tests.bot.profiles.results import save_finished_match, save_match
from tests.bot.simulated_guild import GOING_OUT_DEAL, SimGuild
from tests.wording import en, has_sentence


async def save_scores(sim: SimGuild, *scores: tuple[Member, int, int], **facts: Any) -> int:
    """Store a match with these totals and best moves, in the order of the places."""
    players = [
        PlayerResult(user_id=who.id, place=place, score=score, best_move=best, hexagons=best // 40)
        for place, (who, score, best) in enumerate(scores, 1)
    ]
    match_id = await save_match(sim, *players, channel_id=sim.channel.id, **{"moves": 40, **facts})
    sim.clock.skipped_ms += 1000
    return match_id


async def leave_leaderboard(sim: SimGuild, person: Member) -> None:
    await person.use_command("tiles settings", leaderboard=False)


async def test_profile_names_match_of_best_result(sim: SimGuild, ada: Member, grace: Member) -> None:
    await save_scores(sim, (ada, 400, 40), (grace, 300, 20), moves=50)
    await save_scores(sim, (ada, 410, 86), (grace, 200, 43), moves=77)
    await save_scores(sim, (grace, 420, 20), (ada, 100, 60), moves=30)
    card = await ada.open_command("tiles profile")
    text = read_text(card)
    channel_mention = f"<#{sim.channel.id}>"
    assert f"Best move: **86 points** · table 2 · {channel_mention}" in text
    assert f"{en('records.hexagons')}: **2 hexagons** · table 2 · {channel_mention}" in text
    assert "Longest winning streak: **2 wins**" in text
    assert "Longest match: **77 moves**" in text
    titles = next(line for line in text.split("\n") if line.startswith("**Titles**"))
    assert has_sentence(titles, "profile.title_record", what="Best move")
    assert "Most points" not in titles, "that is Grace's"
    (alt,) = list_alt_texts(card)
    places = [en("profile.form_place", place=place, of=2) for place in (1, 1, 2)]
    assert has_sentence(alt, "profile.form_alt", places=", ".join(places))
    assert has_sentence(alt, "profile.graph_alt", matches="3 matches", first="1500")
    own = await ada.open_click(card, "Matches")
    assert list_match_ids(own) == ["3", "2", "1"]
    others = await grace.open_command("tiles profile", person=ada)
    assert "Matches" not in read_button_ids(others), "a history is its owner's"


async def test_guild_records_are_shown_below_leaderboard(
    sim: SimGuild, ada: Member, grace: Member, linus: Member
) -> None:
    empty_records = await ada.open_click(await ada.open_command("tiles leaderboard"), "Records")
    assert has_sentence(read_text(empty_records), "records.none")
    await save_scores(sim, (ada, 400, 40), (grace, 300, 120))
    await save_scores(sim, (linus, 500, 66), (ada, 100, 12))
    board = await ada.open_command("tiles leaderboard")
    page = await ada.open_click(board, "Records")
    lines = read_text(page).split("\n")
    assert lines[0] == f"## {en('records.title', game='Triominoes')}"
    best = lines.index("**Best move**")
    assert [line.split(" · ")[0] for line in lines[best + 1 : best + 4]] == ["**Grace**", "**Linus**", "**Ada**"]
    (games,) = list_menus(page)
    star = next(option.value for option in games.options if option.label == "Star")
    assert "· Star" in read_text(await ada.open_select(page, star, custom_id=games.custom_id))
    await leave_leaderboard(sim, grace)
    board = await ada.open_command("tiles leaderboard")
    page = await ada.open_click(board, "Records")
    assert "Grace" not in read_text(page)
    await sim.store.erasure.erase_user(linus.id, left_match_ids=[], now=sim.clock())
    page = await ada.open_click(await ada.open_command("tiles leaderboard"), "Records")
    assert "Linus" not in read_text(page)
    assert "**Ada** · 40 points" in read_text(page)


async def test_two_players_are_compared_side_by_side(sim: SimGuild, ada: Member, grace: Member, linus: Member) -> None:
    await save_scores(sim, (ada, 400, 40), (linus, 350, 10), (grace, 300, 20), moves=60)
    await save_scores(sim, (grace, 410, 80), (ada, 200, 43), moves=77)
    star = await save_scores(sim, (ada, 55, 12), (grace, 40, 8), game="star")
    card = await ada.open_command("tiles profile", against=grace)
    (alt,) = list_alt_texts(card)
    assert alt.startswith("Head to head, Ada – Grace: Ada ahead – Grace ahead 2 – 1, Matches together 3")
    assert ", Points 655 – 750, Best move 43 – 80, Hexagons 2 – 2, Longest match 77 moves" in alt
    assert alt.endswith(
        en("rivals.lead_alt", name="Ada", lowest="0", low="0", highest="+1", high="+1", last="+1", now="+1")
    )
    assert "**Ada** leads 2 : 1 after 3 matches." in read_text(card)
    (games,) = list_menus(card)
    other = next(option.value for option in games.options if option.label == "Triominoes")
    card = await ada.open_select(card, other, custom_id=games.custom_id)
    assert has_sentence(read_text(card), "rivals.even", matches="2 matches", most="1", least="1")
    both = await ada.open_click(card, "Matches")
    assert list_match_ids(both) == ["2", "1"]
    assert has_sentence(read_text(both), "history.title_with", name="Grace")
    assert str(star) not in list_match_ids(both)
    reversed_comparison = await linus.open_command("tiles profile", person=grace, against=ada)
    assert "Grace ahead – Ada ahead 1 – 2" in list_alt_texts(reversed_comparison)[0]
    assert "Matches" not in read_button_ids(reversed_comparison)
    alan = sim.add_member("Alan")
    assert has_sentence(await ada.read_command("tiles profile", against=alan), "rivals.none", one="Ada", other="Alan")
    assert has_sentence(await ada.read_command("tiles profile", against=ada), "rivals.self")


async def test_opted_out_profile_shows_others_only_shared_matches(
    sim: SimGuild, ada: Member, grace: Member, linus: Member
) -> None:
    await save_scores(sim, (ada, 400, 40), (grace, 300, 20))
    await save_scores(sim, (grace, 500, 90), (linus, 300, 20))
    await leave_leaderboard(sim, grace)
    card = await ada.open_command("tiles profile", person=grace)
    text = read_text(card) + list_alt_texts(card)[0]
    assert has_sentence(text, "rivals.unlisted", name="Grace")
    assert "Matches together 1" in text
    assert "90" not in text
    assert "500" not in text
    for person, other_player in ((grace, linus), (linus, grace)):
        profile = await ada.open_command("tiles profile", person=person, against=other_player)
        assert has_sentence(read_text(profile), "rivals.private")
        assert not list_alt_texts(profile)
    forged = await sim.post(f"by:rivals|{grace.id}.{linus.id}.all", "by:rivals|1.2", "by:rivals|x.y.z")
    assert has_sentence(await ada.read_click(forged, "Button 0"), "rivals.private")
    for label in ("Button 1", "Button 2"):
        assert has_sentence(await ada.read_click(forged, label), "rivals.self")
    assert list_alt_texts(await linus.open_command("tiles profile", against=grace)), "they played it"
    assert "90" in list_alt_texts(await grace.open_command("tiles profile"))[0], "her own card shows all"


async def test_profile_counts_actual_moves(sim: SimGuild, ada: Member, grace: Member) -> None:
    await sim.start_table(ada, grace, target=60, deal=GOING_OUT_DEAL)
    await sim.play_to_the_end()
    table = await sim.load_table()
    results = await sim.store.results.list_results(table.head.match_id)
    assert [one.moves for one in results] == [table.event_log.play_count] * 2
    text = await ada.read_command("tiles profile")
    assert f"Longest match: **{table.event_log.play_count} moves** · [table 1](https://discord.com/channels/" in text


async def test_profile_hides_matches_of_other_guilds(sim: SimGuild, ada: Member, grace: Member) -> None:
    other_guild = sim.env.create_guild("Elsewhere")
    await save_finished_match(sim, ada, grace, guild_id=other_guild.id, score=999)
    await save_scores(sim, (ada, 400, 40), (grace, 300, 20))
    for options in ({}, {"against": grace}):
        card = await ada.open_command("tiles profile", **options)
        assert "999" not in read_text(card) + list_alt_texts(card)[0]
