"""Tables that are not rated say so, count as played, and move nobody's rating."""

from simcord import MemberActor

from data.store import EVERYWHERE, Profile
from tests.bot.house import GOING_OUT, SHORT_MATCH, House
from tests.bot.reading import button_ids, private, told, words_of
from tests.wording import says

GAME = "triominoes"


async def profiles(house: House, *people: MemberActor) -> list[Profile | None]:
    """What they have done everywhere."""
    return [await house.store.profile(person.id, EVERYWHERE, GAME) for person in people]


async def test_an_unrated_match_is_announced_as_one_and_moves_no_rating(
    house: House, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    house.deals.wanted = [SHORT_MATCH]
    await ada.slash(house.channel, "tiles new", seats=3, target=60, rated=False)
    assert says(words_of(house.board()), "lobby.unrated")
    for person in (grace, linus):
        await person.click(house.board(), label="Join")
    assert words_of(house.board()).split("\n")[0].endswith("· to 60 · not rated")
    await house.play_to_the_end()
    assert says(words_of(house.ends()[-1]), "end.unrated_chosen")
    assert "rating" not in words_of(house.ends()[-1]).replace("Not rated", "")
    assert [(one.matches, one.rating) for one in await profiles(house, ada, grace, linus) if one] == [(1, None)] * 3
    # A rematch is as the match was.
    await ada.click(house.board(), label="Rematch")
    assert says(words_of(house.board()), "lobby.unrated")


async def test_a_rated_match_says_so_in_the_lobby_and_rates_who_played(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    house.deals.wanted = [GOING_OUT]
    await ada.slash(house.channel, "tiles new", seats=2, target=100)
    assert says(words_of(house.board()), "lobby.rated")
    await grace.click(house.board(), label="Join")
    assert "not rated" not in words_of(house.board())
    await house.play_to_the_end()
    assert all(one and one.rating for one in await profiles(house, ada, grace))


async def test_against_computers_alone_nothing_is_rated_whatever_was_asked_for(house: House, ada: MemberActor) -> None:
    await ada.slash(house.channel, "tiles new", computers=2, rated=True)
    assert "· not rated" in words_of(house.board())
    in_words = told(await ada.slash(house.channel, "tiles board", text=True))
    assert says(in_words, "lobby.unrated")


async def test_practice_is_not_rated_and_says_so(house: House, ada: MemberActor) -> None:
    answer = private(await ada.slash(house.channel, "tiles help"))
    assert says(button_ids(answer), "help.practice")
    opened = await ada.click(answer, label="Practice against the computer")
    assert says(told(opened), "lobby.opened")
    assert not (await house.now()).rated
    assert (await house.terms())["rated"] is False
    assert "· not rated" in words_of(house.board())
