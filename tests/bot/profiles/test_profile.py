"""The command `/tiles profile`: best results, comparisons, guild records and privacy."""

from simcord import MemberActor

from data.store.log.match_values import Change, NewMatch
from data.store.results.scores import MatchResult, PlayerResult
from engine.table.table_events import Opened, Rearmed
from engine.table.table_state import SeatRow
from engine.table.terms import Terms
from tests.bot.messages import button_ids, games_of, menus, pictures, private, told, words_of
from tests.bot.profiles.results import finished, in_full
from tests.bot.simulated_guild import GOING_OUT, SimGuild, secret
from tests.wording import en, says


async def met(sim: SimGuild, *scores: tuple[MemberActor, int, int], moves: int = 40, game: str = "triominoes") -> int:
    seats = [SeatRow(seat=seat, user_id=who.id, joined_at=0) for seat, (who, _, _) in enumerate(scores)]
    opened = Opened(Terms(game=game, seats=len(seats), target=400, by_hand=False), seats[0].user_id, tuple(seats))
    new = NewMatch(
        game=game,
        guild_id=sim.guild.id,
        channel_id=sim.channel.id,
        host_id=scores[0][0].id,
        secret=secret(1),
        events=[opened],
        seats=seats,
    )
    head = await sim.store.matches.create(new, now=sim.clock())
    players = [
        PlayerResult(user_id=who.id, place=place, score=score, best_move=best, hexagons=best // 40)
        for place, (who, score, best) in enumerate(scores, 1)
    ]
    result = MatchResult(seats=len(seats), players=players, rate=in_full, moves=moves)
    change = Change(match_id=head.match_id, expected_seq=head.seq, events=[Rearmed()], state="done", result=result)
    await sim.store.matches.commit(change, now=sim.clock())
    await sim.store.outbox.note_shown(head.match_id, seq=head.seq + 1, message_id=None)
    sim.clock.skipped += 1000
    return head.match_id


async def off(sim: SimGuild, person: MemberActor) -> None:
    await person.slash(sim.channel, "tiles settings", leaderboard=False)


async def test_profile_names_match_of_best_result(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    await met(sim, (ada, 400, 40), (grace, 300, 20), moves=50)
    await met(sim, (ada, 410, 86), (grace, 200, 43), moves=77)
    await met(sim, (grace, 420, 20), (ada, 100, 60), moves=30)
    card = private(await ada.slash(sim.channel, "tiles profile"))
    text = words_of(card)
    here = f"<#{sim.channel.id}>"
    assert f"Best move: **86 points** · table 2 · {here}" in text
    assert f"{en('records.hexagons')}: **2 hexagons** · table 2 · {here}" in text
    assert "Longest winning streak: **2 wins**" in text
    assert "Longest match: **77 moves**" in text
    titles = next(line for line in text.split("\n") if line.startswith("**Titles**"))
    assert says(titles, "profile.title_record", what="Best move")
    assert "Most points" not in titles, "that is Grace's"
    (alt,) = pictures(card)
    places = [en("profile.form_place", place=place, of=2) for place in (1, 1, 2)]
    assert says(alt, "profile.form_alt", places=", ".join(places))
    assert says(alt, "profile.graph_alt", matches="3 matches", first="1500")
    own = private(await ada.click(card, label="Matches"))
    assert games_of(own) == ["3", "2", "1"]
    others = private(await grace.slash(sim.channel, "tiles profile", person=ada))
    assert "Matches" not in button_ids(others), "a history is its owner's"


async def test_guild_records_are_shown_below_leaderboard(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    nothing = private(await ada.click(private(await ada.slash(sim.channel, "tiles leaderboard")), label="Records"))
    assert says(words_of(nothing), "records.none")
    await met(sim, (ada, 400, 40), (grace, 300, 120))
    await met(sim, (linus, 500, 66), (ada, 100, 12))
    board = private(await ada.slash(sim.channel, "tiles leaderboard"))
    page = private(await ada.click(board, label="Records"))
    lines = words_of(page).split("\n")
    assert lines[0] == f"## {en('records.title', game='Triominoes')}"
    best = lines.index("**Best move**")
    assert [line.split(" · ")[0] for line in lines[best + 1 : best + 4]] == ["**Grace**", "**Linus**", "**Ada**"]
    (games,) = menus(page)
    star = next(option.value for option in games.options if option.label == "Star")
    assert "· Star" in words_of(private(await ada.select(page, [star], custom_id=games.custom_id)))
    await off(sim, grace)
    board = private(await ada.slash(sim.channel, "tiles leaderboard"))
    page = private(await ada.click(board, label="Records"))
    assert "Grace" not in words_of(page)
    await sim.store.erasure.erase_user(linus.id, left_match_ids=[], now=sim.clock())
    page = private(await ada.click(private(await ada.slash(sim.channel, "tiles leaderboard")), label="Records"))
    assert "Linus" not in words_of(page)
    assert "**Ada** · 40 points" in words_of(page)


async def test_two_players_are_compared_side_by_side(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    await met(sim, (ada, 400, 40), (linus, 350, 10), (grace, 300, 20), moves=60)
    await met(sim, (grace, 410, 80), (ada, 200, 43), moves=77)
    star = await met(sim, (ada, 55, 12), (grace, 40, 8), game="star")
    card = private(await ada.slash(sim.channel, "tiles profile", against=grace))
    (alt,) = pictures(card)
    assert alt.startswith("Head to head, Ada – Grace: Ada ahead – Grace ahead 2 – 1, Matches together 3")
    assert ", Points 655 – 750, Best move 43 – 80, Hexagons 2 – 2, Longest match 77 moves" in alt
    assert alt.endswith(
        en("rivals.lead_alt", name="Ada", lowest="0", low="0", highest="+1", high="+1", last="+1", now="+1")
    )
    assert "**Ada** leads 2 : 1 after 3 matches." in words_of(card)
    (games,) = menus(card)
    other = next(option.value for option in games.options if option.label == "Triominoes")
    card = private(await ada.select(card, [other], custom_id=games.custom_id))
    assert says(words_of(card), "rivals.even", matches="2 matches", most="1", least="1")
    both = private(await ada.click(card, label="Matches"))
    assert games_of(both) == ["2", "1"]
    assert says(words_of(both), "history.title_with", name="Grace")
    assert str(star) not in games_of(both)
    turned = private(await linus.slash(sim.channel, "tiles profile", person=grace, against=ada))
    assert "Grace ahead – Ada ahead 1 – 2" in pictures(turned)[0]
    assert "Matches" not in button_ids(turned)
    alan = sim.person("Alan")
    assert says(
        told(await ada.slash(sim.channel, "tiles profile", against=alan)), "rivals.none", one="Ada", other="Alan"
    )
    assert says(told(await ada.slash(sim.channel, "tiles profile", against=ada)), "rivals.self")


async def test_opted_out_profile_shows_others_only_shared_matches(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    await met(sim, (ada, 400, 40), (grace, 300, 20))
    await met(sim, (grace, 500, 90), (linus, 300, 20))
    await off(sim, grace)
    card = private(await ada.slash(sim.channel, "tiles profile", person=grace))
    text = words_of(card) + pictures(card)[0]
    assert says(text, "rivals.unlisted", name="Grace")
    assert "Matches together 1" in text
    assert "90" not in text
    assert "500" not in text
    for person, against in ((grace, linus), (linus, grace)):
        said = private(await ada.slash(sim.channel, "tiles profile", person=person, against=against))
        assert says(words_of(said), "rivals.private")
        assert not pictures(said)
    forged = await sim.post(f"by:rivals|{grace.id}.{linus.id}.all", "by:rivals|1.2", "by:rivals|x.y.z")
    assert says(told(await ada.click(forged, label="Button 0")), "rivals.private")
    for label in ("Button 1", "Button 2"):
        assert says(told(await ada.click(forged, label=label)), "rivals.self")
    assert pictures(private(await linus.slash(sim.channel, "tiles profile", against=grace))), "they played it"
    assert "90" in pictures(private(await grace.slash(sim.channel, "tiles profile")))[0], "her own card shows all"


async def test_profile_counts_actual_moves(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    sim.deals.wanted = [GOING_OUT]
    await sim.table(ada, grace, target=60)
    await sim.play_to_the_end()
    table = await sim.now()
    results = await sim.store.results.list_results(table.head.match_id)
    assert [one.moves for one in results] == [table.event_log.play_count] * 2
    text = words_of(private(await ada.slash(sim.channel, "tiles profile")))
    assert f"Longest match: **{table.event_log.play_count} moves** · [table 1](https://discord.com/channels/" in text


async def test_profile_hides_matches_of_other_guilds(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    elsewhere = sim.env.create_guild("Elsewhere")
    await finished(sim, ada, grace, guild_id=elsewhere.id, score=999)
    await met(sim, (ada, 400, 40), (grace, 300, 20))
    for asked in ({}, {"against": grace}):
        card = private(await ada.slash(sim.channel, "tiles profile", **asked))
        assert "999" not in words_of(card) + pictures(card)[0]
