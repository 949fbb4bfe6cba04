"""Luck of two players, compared across their reviewed matches."""

from collections.abc import Sequence
from dataclasses import asdict, replace

from bot.reviews.views import MIN_MATCHES, compare_reviewed_luck, format_luck_comparison
from bot.tables.move_labels import format_point_count
from data.store.reviews.store import ReviewStore
from data.words import list_languages, load_words
from engine.reviews.findings import Luck, SeatReview
from engine.reviews.over_time import compare_luck
from tests.bot.member import Member
from tests.bot.profiles.results import save_finished_match
from tests.bot.simulated_guild import SimGuild
from tests.wording import en

NAMES = ("Ada", "Grace")
COUNTS = {"inaccuracies": 4, "mistakes": 3, "blunders": 1, "missed_hexagons": 1, "missed_bridges": 0}
SEAT = SeatReview(seat=0, choices=20, accuracy=83.4, lost=40.6, error=3.0, **COUNTS)


def build_seat_review(points: float, *, error: float = 4.0, wins: bool = False) -> SeatReview:
    return replace(SEAT, luck=Luck(deal=points, draws=0.0, skill=0.0, rest=0.0, error=error), wins=wins)


def build_reviewed_matches(
    *points: float, seats: int = 2, wins: bool = False
) -> list[tuple[SeatReview, SeatReview, int]]:
    return [(build_seat_review(one, wins=wins), build_seat_review(-one, wins=wins), seats) for one in points]


def format_line(name: str, points: int = 20, language: str = "en") -> str:
    words = load_words(language)
    facts = {"points": format_point_count(words, points), "error": "5", "matches": words("count.matches", n=3)}
    return words("rivals.luck", name=name, **facts)


def format_comparison(matches: Sequence[tuple[SeatReview, SeatReview, int]], language: str = "en") -> str:
    comparison = compare_reviewed_luck((asdict(one), asdict(other), of) for one, other, of in matches)
    return format_luck_comparison(load_words(language), NAMES, comparison)


def test_luck_difference_of_two_seats_has_mean_and_error():
    found = compare_luck(build_reviewed_matches(30.0, 10.0, -10.0, 10.0))
    assert (found.matches, found.ahead, found.error) == (4, 10.0, 2.0)


def test_luck_of_two_players_is_compared_among_three_seats():
    # Chance brought the seats 12, 3 and 0 points: +10.5 and -3 against the mean of the others.
    found = compare_luck([(build_seat_review(10.5), build_seat_review(-3.0), 3)])
    assert abs(found.ahead - 9.0) < 1e-9


def test_luck_comparison_requires_minimum_of_reviewed_matches():
    assert format_comparison(build_reviewed_matches(*[20.0] * (MIN_MATCHES - 1))) == en(
        "rivals.luck_few", need=3, have=2
    )
    assert format_comparison([]) == en("rivals.luck_few", need=3, have=0)
    assert format_comparison(build_reviewed_matches(*[20.0] * MIN_MATCHES)) == format_line("Ada")
    assert format_comparison(build_reviewed_matches(-30.0, -20.0, -10.0)) == format_line("Grace")


def test_difference_within_interval_is_called_even():
    expected = en("rivals.luck_even", name="Ada", points="2 points", error="5", matches="3 matches")
    assert format_comparison(build_reviewed_matches(1.0, 2.0, 3.0)) == expected


def test_single_deal_luck_is_shown_as_win_share_separately():
    mixed_matches = build_reviewed_matches(20.0, 20.0, 20.0, wins=True) + build_reviewed_matches(500.0, 500.0)
    facts = {
        "points": load_words("de")("rivals.of_win", n=20),
        "error": "5",
        "matches": load_words("de")("count.matches", n=3),
    }
    assert format_comparison(mixed_matches, "de") == load_words("de")("rivals.luck", name="Ada", **facts)


def test_unreadable_reviews_and_reviews_without_luck_are_skipped():
    without = replace(SEAT, luck=None)
    assert "(so far: 2)" in format_comparison([*build_reviewed_matches(5.0, 5.0), (without, build_seat_review(5.0), 2)])
    assert compare_reviewed_luck([({"seat": 0}, asdict(SEAT), 2)]) is None


def test_luck_comparison_is_one_line_in_every_language():
    for language in list_languages():
        for matches in (
            [],
            build_reviewed_matches(40.0, 40.0, 40.0),
            build_reviewed_matches(1.0, 1.0, 1.0),
            build_reviewed_matches(40.0, 40.0, 40.0, wins=True),
        ):
            text = format_comparison(matches, language)
            assert not {"\n", "{"} & set(text)
            assert len(text) < 330


async def test_luck_comparison_is_shown_to_both_players_only(
    sim: SimGuild, ada: Member, grace: Member, linus: Member
) -> None:
    for _ in range(MIN_MATCHES):
        match_id = await save_finished_match(sim, ada, grace)
        facts = {0: asdict(build_seat_review(24.0)), 1: asdict(build_seat_review(-24.0))}
        assert await ReviewStore(sim.store.transactions).save_review(match_id, "{}", facts, now=sim.clock())

    own_text = await ada.read_command("tiles profile", against=grace)
    other_text = await grace.read_command("tiles profile", against=ada)
    star = await ada.read_command("tiles profile", against=grace, game="star")
    others = await linus.read_command("tiles profile", person=ada, against=grace)

    for text in (own_text, other_text):
        assert format_line("Ada", 24) in text
    assert "luck" not in star.lower(), "they have not met there"
    assert "uck" not in others, "a review is for those who played"


async def test_unfinished_seat_has_no_luck(sim: SimGuild, ada: Member, grace: Member) -> None:
    for _ in range(MIN_MATCHES):
        match_id = await save_finished_match(sim, ada, grace)
        assert await ReviewStore(sim.store.transactions).save_review(
            match_id, "{}", {0: asdict(build_seat_review(24.0))}, now=sim.clock()
        )
    text = await ada.read_command("tiles profile", against=grace)
    assert en("rivals.luck_few", need=3, have=0) in text
