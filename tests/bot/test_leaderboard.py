"""The leaderboard in pages, by place and by time, with the asker's own rank always under it; the profile."""

import re
from collections.abc import Mapping, Sequence
from itertools import product

from simcord import MemberActor

from bot.service.ladder import rate
from data.rulebook import games
from data.store import Change, History, MatchResult, NewMatch, PlayerResult, Rating, RatingStep, SeatRow
from engine.table.events import Opened, Rearmed
from engine.table.terms import Terms
from tests.bot.house import House, secret
from tests.bot.reading import button_ids, menus, pictures, private, told, words_of

MONTH = 31 * 24


def in_full(before: Mapping[int, Rating], players: Sequence[PlayerResult], _: History) -> Mapping[int, RatingStep]:
    """Every match counts as much as it can, or it would take too many until somebody has a rank."""
    return rate(before, players)


async def finished(
    house: House, winner: MemberActor, loser: MemberActor, *, guild_id: int = 0, score: int = 400
) -> int:
    """A match that `winner`, on the first seat, has won; its number."""
    seats = [SeatRow(seat=seat, user_id=who.id, joined_at=0) for seat, who in enumerate((winner, loser))]
    terms = Terms(game="triominoes", seats=2, target=400, by_hand=False)
    new = NewMatch(
        game="triominoes",
        guild_id=guild_id or house.guild.id,
        channel_id=1,
        host_id=winner.id,
        secret=secret(1),
        events=[Opened(terms, winner.id, tuple(seats))],
        seats=seats,
    )
    head = await house.store.create(new, now=house.clock())
    players = [
        PlayerResult(user_id=winner.id, place=1, score=score, best_move=60, hexagons=2, bridges=1),
        PlayerResult(user_id=loser.id, place=2, score=score // 2, best_move=20, hexagons=0, bridges=0),
    ]
    await house.store.commit(
        Change(
            match_id=head.match_id,
            expected_seq=head.seq,
            events=[Rearmed()],
            state="done",
            result=MatchResult(seats=2, players=players, rate=in_full),
        ),
        now=house.clock(),
    )
    # Its board is nobody's concern here.
    await house.store.shown(head.match_id, seq=head.seq + 1, message_id=None)
    return head.match_id


async def crowd_of_twelve(house: House) -> list[MemberActor]:
    """Twelve people, who have each met eight others; of two the one who came first has won."""
    people = [house.person(f"Player {number:02}") for number in range(1, 13)]
    for number, apart in product(range(12), (1, 2, 3, 4)):
        better, worse = sorted((number, (number + apart) % 12))
        await finished(house, people[better], people[worse])
    return people


def rows(text: str) -> list[tuple[int, str]]:
    """The ranks, 0 for none yet, and names on a page, the asker's own line left out."""
    page = text.split("You: ")[0]
    found = re.findall(r"`\s*(\d+|–)` \*\*(.+?)\*\*", page)
    return [(0 if rank == "–" else int(rank), name) for rank, name in found]


async def test_ten_lines_a_page_and_ones_own_rank_under_each(house: House) -> None:
    crowd = await crowd_of_twelve(house)
    last = crowd[-1]
    page = private(await last.slash(house.channel, "tiles leaderboard"))
    first = rows(words_of(page))
    assert len(first) == 10
    assert [rank for rank, _ in first] == sorted(rank for rank, _ in first)
    assert "Page 1 of 2 · 12 people" in words_of(page)
    own = re.search(r"You: `\s*(\d+)` \*\*Player 12\*\* · \*\*\d+\*\* fairly sure · 0 of 8 won", words_of(page))
    assert own is not None
    assert "◀ Previous" not in button_ids(page)

    page = private(await last.click(page, label="Next ▶"))
    second = rows(words_of(page))
    assert len(second) == 2
    assert "Page 2 of 2" in words_of(page)
    assert (int(own[1]), "Player 12") in second
    assert {name for _, name in first + second} == {person.user.global_name for person in crowd}
    assert "Next ▶" not in button_ids(page)
    back = private(await last.click(page, label="◀ Previous"))
    assert rows(words_of(back)) == first


async def test_the_last_thirty_days_count_wins_and_forget_older_ones(house: House) -> None:
    crowd = await crowd_of_twelve(house)
    house.clock.skipped += MONTH * 3600 * 1000
    await house.client.services.cleanup.sweep()
    await finished(house, crowd[11], crowd[10])
    await finished(house, crowd[11], crowd[9])
    page = private(await crowd[0].slash(house.channel, "tiles leaderboard", period="month"))
    text = words_of(page)
    assert rows(text) == [(1, "Player 12"), (2, "Player 11"), (2, "Player 10")], "equal ones share a rank"
    assert "**Player 12** · 2 won of 2 · average 400" in text
    assert "You: no finished match that counts here." in text
    _, _, when = menus(page)
    ever = next(option.value for option in when.options if option.label == "All time")
    page = private(await crowd[0].select(page, [ever], custom_id=when.custom_id))
    assert len(rows(words_of(page))) == 10


async def test_where_nobody_stands_on_a_leaderboard_nobody_is_said_to_have_played_nothing(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    await finished(house, ada, grace)
    house.clock.skipped += MONTH * 3600 * 1000
    await house.client.services.cleanup.sweep()
    lately = told(await ada.slash(house.channel, "tiles leaderboard", period="month"))
    assert "Nobody stands on this leaderboard at the moment." in lately
    assert "You: no finished match that counts here." in lately
    for person in (ada, grace):
        await person.slash(house.channel, "tiles settings", leaderboard=False)
    ever = private(await ada.slash(house.channel, "tiles leaderboard"))
    assert "Nobody stands on this leaderboard at the moment." in words_of(ever)
    records = private(await ada.click(ever, label="Records"))
    assert "This game has no records here at the moment" in words_of(records)


async def test_the_game_that_is_played_here_comes_first_and_a_menu_has_the_others(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    await finished(house, ada, grace)
    await house.table(ada, grace, game="star")
    page = private(await ada.slash(house.channel, "tiles leaderboard"))
    assert "## Leaderboard · Star" in words_of(page)
    assert "Nobody stands on this leaderboard at the moment." in words_of(page)
    game, _, _ = menus(page)
    assert len(game.options) == len(games())
    triominoes = next(option.value for option in game.options if option.label == "Triominoes")
    page = private(await ada.select(page, [triominoes], custom_id=game.custom_id))
    assert rows(words_of(page)) == [(0, "Ada"), (0, "Grace")]
    line = "**Ada** · **1611** still finding out · 1 of 1 won · average 400 · no rank yet: met 1 of 3 different people"
    assert line in words_of(page)
    said = told(await ada.slash(house.channel, "tiles profile"))
    assert said == "Ada has not finished a match of Star here yet. For another game: `/tiles profile game:`"


async def test_everywhere_counts_the_matches_of_other_servers_too(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    elsewhere = house.env.create_guild("Elsewhere")
    await finished(house, ada, grace)
    await finished(house, ada, grace, guild_id=elsewhere.id)
    page = private(await ada.slash(house.channel, "tiles leaderboard"))
    assert "**Ada** · " in words_of(page)
    assert "1 of 1 won" in words_of(page)
    _, where, _ = menus(page)
    everywhere = next(option.value for option in where.options if option.label == "Everywhere")
    page = private(await ada.select(page, [everywhere], custom_id=where.custom_id))
    assert "Everywhere · All time" in words_of(page)
    assert "2 of 2 won" in words_of(page)


async def test_a_profile_says_what_somebody_has_done(house: House, ada: MemberActor, grace: MemberActor) -> None:
    nothing = told(await ada.slash(house.channel, "tiles profile", person=grace))
    assert nothing == "Grace has not finished a match of Triominoes here yet. For another game: `/tiles profile game:`"
    await finished(house, ada, grace, score=420)
    await finished(house, grace, ada, score=300)
    card = private(await grace.slash(house.channel, "tiles profile", person=ada))
    (alt,) = pictures(card)
    assert re.fullmatch(
        r"Profile of Ada: Rating, still finding out 14\d\d, Rank –, People met 1 of 3, "
        r"Matches finished 2 of 2, Wins 1, Average 285, Best score 420, Best move \d+, "
        r"Hexagons 2, Bridges 1\. Last matches, oldest first: place 1 of 2, place 2 of 2\. "
        r"Rating over the last 2 matches: from 1500 to 14\d\d, lowest 14\d\d, highest 1[56]\d\d\.",
        alt,
    )
    assert len(card.attachments) == 1


async def test_whoever_wants_to_stays_off_leaderboards_and_keeps_their_card(house: House) -> None:
    crowd = await crowd_of_twelve(house)
    first, second = crowd[:2]
    said = told(await first.slash(house.channel, "tiles settings", leaderboard=False))
    assert "You stay off leaderboards and records, also with what you played before" in said
    for period in ("all", "month"):
        page = words_of(private(await first.slash(house.channel, "tiles leaderboard", period=period)))
        assert "**Player 01**" not in page
        assert rows(page)[0] == (1, "Player 02"), "the others move up"
        assert "11 people" in page
        assert "`/tiles settings leaderboard:True` brings you back" in page
    card = private(await first.slash(house.channel, "tiles profile"))
    (alt,) = pictures(card)
    assert "Matches finished 8 of 8, Wins 8" in alt
    assert "Rank" not in alt
    (alt,) = pictures(private(await second.slash(house.channel, "tiles profile", person=first)))
    assert "Wins" not in alt, "others see what they have both played, and no more"
    assert "Matches together 1" in alt
    assert "You stand on leaderboards." in told(await first.slash(house.channel, "tiles settings", leaderboard=True))
    page = private(await second.slash(house.channel, "tiles leaderboard"))
    assert rows(words_of(page))[:2] == [(1, "Player 01"), (2, "Player 02")]
