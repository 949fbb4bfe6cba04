"""Who of two people was luckier: under their head to head, by reviews of what both played; and for them alone."""

from collections.abc import Sequence
from dataclasses import asdict, replace

from simcord import MemberActor

from bot.views.over_time import ENOUGH, luckier_text, reviewed_between
from data.words import languages, words
from engine.review.findings import Luck, SeatReview
from engine.review.over_time import luck_between
from tests.bot.house import House
from tests.bot.reading import private, words_of
from tests.bot.test_over_time import SEAT
from tests.bot.test_profile import met

NAMES = ("Ada", "Grace")


def brought(points: float, *, error: float = 4.0, wins: bool = False) -> SeatReview:
    """A seat whom chance put so many points ahead of the mean of the others."""
    return replace(SEAT, luck=Luck(deal=points, draws=0.0, skill=0.0, rest=0.0, error=error), wins=wins)


def reviewed(*points: float, seats: int = 2, wins: bool = False) -> list[tuple[SeatReview, SeatReview, int]]:
    """Matches of two people in which the first was so lucky, and the other as unlucky."""
    return [(brought(one, wins=wins), brought(-one, wins=wins), seats) for one in points]


def told(matches: Sequence[tuple[SeatReview, SeatReview, int]], language: str = "en") -> str:
    between = reviewed_between((asdict(one), asdict(other), of) for one, other, of in matches)
    return luckier_text(words(language), NAMES, between)


def test_of_two_seats_what_chance_brought_one_it_took_from_the_other():
    found = luck_between(reviewed(30.0, 10.0, -10.0, 10.0))
    assert found is not None
    assert (found.matches, found.ahead, found.error) == (4, 10.0, 2.0)


def test_among_three_seats_two_are_set_beside_each_other_and_the_third_is_left_out():
    # Chance brought them 12, 3 and 0 points: 10.5 ahead of the mean of the others, and 3 behind.
    found = luck_between([(brought(10.5), brought(-3.0), 3)])
    assert found is not None
    assert abs(found.ahead - 9.0) < 1e-9


def test_it_is_told_once_enough_matches_were_reviewed():
    few = told(reviewed(*[20.0] * (ENOUGH - 1)))
    assert few.startswith("Who was luckier? That is told once 3 of your matches are reviewed")
    assert "so far 2." in few
    assert "`/tiles history`" in few
    assert "so far 0." in told([])
    assert told(reviewed(*[20.0] * ENOUGH)) == (
        "Luck was with **Ada**: it brought 20 points more a match (± 5; 3 matches reviewed)."
    )
    assert "with **Grace**: it brought 20 points" in told(reviewed(-30.0, -20.0, -10.0))


def test_what_is_within_its_interval_is_called_even():
    assert told(reviewed(1.0, 2.0, 3.0)) == (
        "Luck was even, as far as reviews tell: **Ada** had 2 points more of it a match (± 5; 3 matches reviewed)."
    )


def test_matches_of_a_single_deal_are_told_in_parts_of_the_win_and_never_mixed_with_points():
    mixed = reviewed(20.0, 20.0, 20.0, wins=True) + reviewed(500.0, 500.0)
    assert told(mixed, "de") == (
        "Das Glück war mit **Ada**: Es brachte je Partie 20\xa0% vom Sieg mehr (± 5; 3 Partien analysiert)."
    )


def test_what_cannot_be_read_and_what_has_no_luck_is_left_out():
    without = replace(SEAT, luck=None)
    assert "so far 2." in told([*reviewed(5.0, 5.0), (without, brought(5.0), 2)])
    assert reviewed_between([({"seat": 0}, asdict(SEAT), 2)]) is None


def test_it_is_one_line_in_every_language():
    for language in languages():
        for matches in ([], reviewed(40.0, 40.0, 40.0), reviewed(1.0, 1.0, 1.0), reviewed(40.0, 40.0, 40.0, wins=True)):
            line = told(matches, language)
            assert "\n" not in line
            assert "{" not in line
            assert len(line) < 330


async def test_the_two_of_them_are_told_and_nobody_else(
    house: House, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    for _ in range(ENOUGH):
        match_id = await met(house, (ada, 400, 40), (grace, 300, 20))
        facts = {0: asdict(brought(24.0)), 1: asdict(brought(-24.0))}
        assert await house.store.keep_review(match_id, "{}", facts, now=house.clock())

    mine = words_of(private(await ada.slash(house.channel, "tiles profile", against=grace)))
    hers = words_of(private(await grace.slash(house.channel, "tiles profile", against=ada)))
    star = words_of(private(await ada.slash(house.channel, "tiles profile", against=grace, game="star")))
    others = words_of(private(await linus.slash(house.channel, "tiles profile", person=ada, against=grace)))

    line = "Luck was with **Ada**: it brought 24 points more a match (± 5; 3 matches reviewed)."
    assert line in mine
    assert line in hers
    assert "luck" not in star.lower(), "they have not met there"
    assert "uck" not in others, "a review is for those who played"


async def test_a_seat_that_was_not_played_through_says_nothing_of_its_player(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    for _ in range(ENOUGH):
        match_id = await met(house, (ada, 400, 40), (grace, 300, 20))
        assert await house.store.keep_review(match_id, "{}", {0: asdict(brought(24.0))}, now=house.clock())
    said = words_of(private(await ada.slash(house.channel, "tiles profile", against=grace)))
    assert "both of you played to the end; so far 0." in said
