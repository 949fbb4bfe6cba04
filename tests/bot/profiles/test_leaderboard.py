"""The leaderboard: its pages, places and periods, and the player's own rank."""

import re
from itertools import product

from simcord import MemberActor

from data.rulebook import list_games
from tests.bot.messages import button_ids, menus, pictures, private, told, words_of
from tests.bot.profiles.results import finished
from tests.bot.simulated_guild import SimGuild
from tests.wording import en, says

MONTH = 31 * 24


async def crowd_of_twelve(sim: SimGuild) -> list[MemberActor]:
    people = [sim.person(f"Player {number:02}") for number in range(1, 13)]
    for number, apart in product(range(12), (1, 2, 3, 4)):
        better, worse = sorted((number, (number + apart) % 12))
        await finished(sim, people[better], people[worse])
    return people


def rows(text: str) -> list[tuple[int, str]]:
    page = text.split("You: ")[0]
    found = re.findall(r"`\s*(\d+|–)` \*\*(.+?)\*\*", page)
    return [(0 if rank == "–" else int(rank), name) for rank, name in found]


async def test_leaderboard_page_has_ten_rows_and_own_rank(sim: SimGuild) -> None:
    crowd = await crowd_of_twelve(sim)
    last = crowd[-1]
    page = private(await last.slash(sim.channel, "tiles leaderboard"))
    first = rows(words_of(page))
    assert len(first) == 10
    assert [rank for rank, _ in first] == sorted(rank for rank, _ in first)
    assert "Page 1 of 2 · 12 players" in words_of(page)
    own = re.search(r"You: `\s*(\d+)` \*\*Player 12\*\* · \*\*\d+\*\* \(fairly certain\) · 0 of 8 won", words_of(page))
    assert own is not None
    assert "◀ Previous" not in button_ids(page)

    page = private(await last.click(page, label="Next ▶"))
    second = rows(words_of(page))
    assert len(second) == 2
    assert "Page 2 of 2" in words_of(page)
    assert (int(own[1]), "Player 12") in second
    assert {name for _, name in first + second} == {person.user.global_name for person in crowd}
    assert "Next ▶" not in button_ids(page)
    assert rows(words_of(private(await last.click(page, label="◀ Previous")))) == first


async def test_last_thirty_days_exclude_older_wins(sim: SimGuild) -> None:
    crowd = await crowd_of_twelve(sim)
    sim.clock.skipped += MONTH * 3600 * 1000
    await sim.client.services.cleanup.sweep()
    await finished(sim, crowd[11], crowd[10])
    await finished(sim, crowd[11], crowd[9])
    page = private(await crowd[0].slash(sim.channel, "tiles leaderboard", period="month"))
    text = words_of(page)
    assert rows(text) == [(1, "Player 12"), (2, "Player 11"), (2, "Player 10")], "equal ones share a rank"
    assert "**Player 12** · 2 won of 2 · average 400" in text
    assert says(text, "leaders.mine_none")
    _, _, when = menus(page)
    ever = next(option.value for option in when.options if option.label == "All time")
    assert len(rows(words_of(private(await crowd[0].select(page, [ever], custom_id=when.custom_id))))) == 10


async def test_empty_leaderboard_says_so(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    await finished(sim, ada, grace)
    sim.clock.skipped += MONTH * 3600 * 1000
    await sim.client.services.cleanup.sweep()
    lately = told(await ada.slash(sim.channel, "tiles leaderboard", period="month"))
    assert says(lately, "leaders.none")
    assert says(lately, "leaders.mine_none")
    for person in (ada, grace):
        await person.slash(sim.channel, "tiles settings", leaderboard=False)
    ever = private(await ada.slash(sim.channel, "tiles leaderboard"))
    assert says(words_of(ever), "leaders.none")
    records = private(await ada.click(ever, label="Records"))
    assert says(words_of(records), "records.none")


async def test_leaderboard_starts_with_game_of_channel(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    await finished(sim, ada, grace)
    await sim.table(ada, grace, game="star")
    page = private(await ada.slash(sim.channel, "tiles leaderboard"))
    assert "## Leaderboard · Star" in words_of(page)
    assert says(words_of(page), "leaders.none")
    game, _, _ = menus(page)
    assert len(game.options) == len(list_games())
    triominoes = next(option.value for option in game.options if option.label == "Triominoes")
    page = private(await ada.select(page, [triominoes], custom_id=game.custom_id))
    assert rows(words_of(page)) == [(0, "Ada"), (0, "Grace")]
    line = "**Ada** · **1611** (uncertain) · 1 of 1 won · average 400 · no rank yet: played 1 of 3 different players"
    assert line in words_of(page)
    assert told(await ada.slash(sim.channel, "tiles profile")) == en("profile.none", name="Ada", game="Star")


async def test_global_leaderboard_includes_matches_of_other_guilds(
    sim: SimGuild, ada: MemberActor, grace: MemberActor
) -> None:
    elsewhere = sim.env.create_guild("Elsewhere")
    await finished(sim, ada, grace)
    await finished(sim, ada, grace, guild_id=elsewhere.id)
    page = private(await ada.slash(sim.channel, "tiles leaderboard"))
    assert "**Ada** · " in words_of(page)
    assert "1 of 1 won" in words_of(page)
    _, where, _ = menus(page)
    everywhere = next(option.value for option in where.options if option.label == "Everywhere")
    page = private(await ada.select(page, [everywhere], custom_id=where.custom_id))
    assert "Everywhere · All time" in words_of(page)
    assert "2 of 2 won" in words_of(page)


async def test_profile_shows_statistics_of_player(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    nothing = told(await ada.slash(sim.channel, "tiles profile", person=grace))
    assert nothing == en("profile.none", name="Grace", game="Triominoes")
    await finished(sim, ada, grace, score=420)
    await finished(sim, grace, ada, score=300)
    card = private(await grace.slash(sim.channel, "tiles profile", person=ada))
    (alt,) = pictures(card)
    shown = {"rank": "–", "met": "1 of 3", "finished": "2 of 2", "wins": "1", "average": "285", "best": "420"}
    for key, value in (shown | {"best_move": "60", "hexagons": "2", "bridges": "1"}).items():
        assert f", {en(f'profile.{key}')} {value}" in alt
    assert re.search(r"\(uncertain\) 14\d\d, .* 1500\D+14\d\d, \D+14\d\d, \D+1[56]\d\d\.$", alt)
    assert says(alt, "profile.form_alt", places="place 1 of 2, place 2 of 2")
    assert len(card.attachments) == 1


async def test_opted_out_player_leaves_leaderboard_but_keeps_profile(sim: SimGuild) -> None:
    crowd = await crowd_of_twelve(sim)
    first, second = crowd[:2]
    assert says(told(await first.slash(sim.channel, "tiles settings", leaderboard=False)), "settings.listed_off")
    for period in ("all", "month"):
        page = words_of(private(await first.slash(sim.channel, "tiles leaderboard", period=period)))
        assert "**Player 01**" not in page
        assert rows(page)[0] == (1, "Player 02"), "the others move up"
        assert "11 players" in page
        assert says(page, "leaders.mine_hidden")
    card = private(await first.slash(sim.channel, "tiles profile"))
    (alt,) = pictures(card)
    assert f"{en('profile.finished')} 8 of 8, Wins 8" in alt
    assert "Rank" not in alt
    (alt,) = pictures(private(await second.slash(sim.channel, "tiles profile", person=first)))
    assert "Wins" not in alt, "others see what they have both played, and no more"
    assert "Matches together 1" in alt
    assert says(told(await first.slash(sim.channel, "tiles settings", leaderboard=True)), "settings.listed_on")
    page = private(await second.slash(sim.channel, "tiles leaderboard"))
    assert rows(words_of(page))[:2] == [(1, "Player 01"), (2, "Player 02")]
