"""The leaderboard: its pages, places and periods, and the player's own rank."""

import re
from itertools import product

from bot.sending.departures import LISTED_AGE
from data.rulebook import list_games
from tests.bot.member import Member
from tests.bot.messages import list_alt_texts, list_menus, read_button_ids, read_text
from tests.bot.profiles.results import save_finished_match
from tests.bot.simulated_guild import SimGuild
from tests.wording import en, has_sentence

MONTH_HOURS = 31 * 24


async def create_ranked_players(sim: SimGuild) -> list[Member]:
    members = [sim.add_member(f"Player {number:02}") for number in range(1, 13)]
    for number, distance in product(range(12), (1, 2, 3, 4)):
        winner, loser = sorted((number, (number + distance) % 12))
        await save_finished_match(sim, members[winner], members[loser])
    return members


def parse_rows(text: str) -> list[tuple[int, str]]:
    page = text.split("You: ")[0]
    found = re.findall(r"`\s*(\d+|–)` \*\*(.+?)\*\*", page)
    return [(0 if rank == "–" else int(rank), name) for rank, name in found]


async def test_leaderboard_page_has_ten_rows_and_own_rank(sim: SimGuild) -> None:
    crowd = await create_ranked_players(sim)
    last = crowd[-1]
    page = await last.open_command("tiles leaderboard")
    first = parse_rows(read_text(page))
    assert len(first) == 10
    assert [rank for rank, _ in first] == sorted(rank for rank, _ in first)
    assert "Page 1 of 2 · 12 players" in read_text(page)
    own = re.search(r"You: `\s*(\d+)` \*\*Player 12\*\* · \*\*\d+\*\* \(fairly certain\) · 0 of 8 won", read_text(page))
    assert own is not None
    assert "◀ Previous" not in read_button_ids(page)

    page = await last.open_click(page, "Next ▶")
    second = parse_rows(read_text(page))
    assert len(second) == 2
    assert "Page 2 of 2" in read_text(page)
    assert (int(own[1]), "Player 12") in second
    assert {name for _, name in first + second} == {person.user.global_name for person in crowd}
    assert "Next ▶" not in read_button_ids(page)
    assert parse_rows(await last.read_click(page, "◀ Previous")) == first


async def test_last_thirty_days_exclude_older_wins(sim: SimGuild) -> None:
    crowd = await create_ranked_players(sim)
    sim.clock.skipped_ms += MONTH_HOURS * 3600 * 1000
    await sim.client.services.cleanup.sweep()
    await save_finished_match(sim, crowd[11], crowd[10])
    await save_finished_match(sim, crowd[11], crowd[9])
    page = await crowd[0].open_command("tiles leaderboard", period="month")
    text = read_text(page)
    assert parse_rows(text) == [(1, "Player 12"), (2, "Player 11"), (2, "Player 10")], "equal ones share a rank"
    assert "**Player 12** · 2 won of 2 · average 400" in text
    assert has_sentence(text, "leaders.mine_none")
    _, _, period_menu = list_menus(page)
    all_time = next(option.value for option in period_menu.options if option.label == "All time")
    assert len(parse_rows(read_text(await crowd[0].open_select(page, all_time, custom_id=period_menu.custom_id)))) == 10


async def test_empty_leaderboard_says_so(sim: SimGuild, ada: Member, grace: Member) -> None:
    await save_finished_match(sim, ada, grace)
    sim.clock.skipped_ms += MONTH_HOURS * 3600 * 1000
    await sim.client.services.cleanup.sweep()
    monthly_text = await ada.read_command("tiles leaderboard", period="month")
    assert has_sentence(monthly_text, "leaders.none")
    assert has_sentence(monthly_text, "leaders.mine_none")
    for person in (ada, grace):
        await person.use_command("tiles settings", leaderboard=False)
    all_time_message = await ada.open_command("tiles leaderboard")
    assert has_sentence(read_text(all_time_message), "leaders.none")
    records = await ada.open_click(all_time_message, "Records")
    assert has_sentence(read_text(records), "records.none")


async def test_leaderboard_starts_with_game_of_channel(sim: SimGuild, ada: Member, grace: Member) -> None:
    await save_finished_match(sim, ada, grace)
    await sim.start_table(ada, grace, game="star")
    page = await ada.open_command("tiles leaderboard")
    assert "## Leaderboard · Star" in read_text(page)
    assert has_sentence(read_text(page), "leaders.none")
    game, _, _ = list_menus(page)
    assert len(game.options) == len(list_games())
    triominoes = next(option.value for option in game.options if option.label == "Triominoes")
    page = await ada.open_select(page, triominoes, custom_id=game.custom_id)
    assert parse_rows(read_text(page)) == [(0, "Ada"), (0, "Grace")]
    line = "**Ada** · **1611** (uncertain) · 1 of 1 won · average 400 · no rank yet: played 1 of 3 different players"
    assert line in read_text(page)
    assert await ada.read_command("tiles profile") == en("profile.none", name="Ada", game="Star")


async def test_global_leaderboard_includes_matches_of_other_guilds(sim: SimGuild, ada: Member, grace: Member) -> None:
    other_guild = sim.env.create_guild("Elsewhere")
    await save_finished_match(sim, ada, grace)
    await save_finished_match(sim, ada, grace, guild_id=other_guild.id)
    page = await ada.open_command("tiles leaderboard")
    assert "**Ada** · " in read_text(page)
    assert "1 of 1 won" in read_text(page)
    _, scope_menu, _ = list_menus(page)
    global_value = next(option.value for option in scope_menu.options if option.label == "Everywhere")
    page = await ada.open_select(page, global_value, custom_id=scope_menu.custom_id)
    assert "Everywhere · All time" in read_text(page)
    assert "2 of 2 won" in read_text(page)


async def test_profile_shows_statistics_of_player(sim: SimGuild, ada: Member, grace: Member) -> None:
    empty_profile = await ada.read_command("tiles profile", person=grace)
    assert empty_profile == en("profile.none", name="Grace", game="Triominoes")
    await save_finished_match(sim, ada, grace, score=420)
    await save_finished_match(sim, grace, ada, score=300)
    card = await grace.open_command("tiles profile", person=ada)
    (alt,) = list_alt_texts(card)
    statistics = {"rank": "–", "met": "1 of 3", "finished": "2 of 2", "wins": "1", "average": "285", "best": "420"}
    for key, value in (statistics | {"best_move": "60", "hexagons": "2", "bridges": "1"}).items():
        assert f", {en(f'profile.{key}')} {value}" in alt
    assert re.search(r"\(uncertain\) 14\d\d, .* 1500\D+14\d\d, \D+14\d\d, \D+1[56]\d\d\.$", alt)
    assert has_sentence(alt, "profile.form_alt", places="place 1 of 2, place 2 of 2")
    assert len(card.attachments) == 1


async def test_opted_out_player_leaves_leaderboard_but_keeps_profile(sim: SimGuild) -> None:
    crowd = await create_ranked_players(sim)
    first, second = crowd[:2]
    assert has_sentence(await first.read_command("tiles settings", leaderboard=False), "settings.listed_off")
    for period in ("all", "month"):
        page = await first.read_command("tiles leaderboard", period=period)
        assert "**Player 01**" not in page
        assert parse_rows(page)[0] == (1, "Player 02"), "the others move up"
        assert "11 players" in page
        assert has_sentence(page, "leaders.mine_hidden")
    card = await first.open_command("tiles profile")
    (alt,) = list_alt_texts(card)
    assert f"{en('profile.finished')} 8 of 8, Wins 8" in alt
    assert "Rank" not in alt
    (alt,) = list_alt_texts(await second.open_command("tiles profile", person=first))
    assert "Wins" not in alt, "others see what they have both played, and no more"
    assert "Matches together 1" in alt
    assert has_sentence(await first.read_command("tiles settings", leaderboard=True), "settings.listed_on")
    page = await second.open_command("tiles leaderboard")
    assert parse_rows(read_text(page))[:2] == [(1, "Player 01"), (2, "Player 02")]


async def test_leaderboard_hides_departed_member_until_return(sim: SimGuild) -> None:
    crowd = await create_ranked_players(sim)
    first, second = crowd[:2]
    assert parse_rows(await second.read_command("tiles leaderboard"))[0] == (1, "Player 01")
    sim.guild.remove_member(first)
    await sim.wait(hours=2 * LISTED_AGE / 3_600_000)
    lookups = len(sim.list_member_lookups())
    for view in range(1, 12):
        await second.use_command("tiles leaderboard")
        await sim.wait()
        assert len(sim.list_member_lookups()) - lookups <= view + 1, "one user of a view, and the name of the next one"
    for period in ("all", "month"):
        page = await second.read_command("tiles leaderboard", period=period)
        assert "Player 01" not in page
        assert parse_rows(page)[0] == (1, "Player 02")
    assert has_sentence(await second.read_command("tiles leaderboard", where="everywhere"), "leaders.title")
    await sim.restart()
    assert await sim.store.results.rebuild_standings()
    assert parse_rows(await second.read_command("tiles leaderboard"))[0] == (1, "Player 02")
    sim.guild.add_member(first.user)
    await first.use_command("tiles board")
    await sim.wait()
    assert parse_rows(await second.read_command("tiles leaderboard"))[0] == (1, "Player 01")
