"""Comparison of the points of a seat with its field."""

from io import BytesIO

from PIL import Image

from bot.duplicates.service import SeatResult, compare_results
from bot.duplicates.views import render_field
from data.store.duplicates.deals import SealedDeal
from data.words import load_words


def build_result(match: int, seat: int, total: int) -> SeatResult:
    return SeatResult(match, seat, 10 * match + seat, None, total)


def test_points_are_compared_with_mean_of_same_seat():
    lines = [
        build_result(1, 0, 400),
        build_result(1, 1, 100),
        build_result(2, 0, 300),
        build_result(2, 1, 400),
        build_result(3, 0, 200),
        build_result(3, 1, 250),
    ]
    field = compare_results(lines, excluded_tables=1, running_tables=2)
    assert field.means == (300, 250)
    assert [(one.result.user_id, one.lead, one.place) for one in field.ranking] == [
        (21, 150, 1),
        (10, 100, 2),
        (20, 0, 3),
        (31, 0, 3),
        (30, -100, 5),
        (11, -150, 6),
    ]
    assert sum(one.lead for one in field.ranking) == 0
    assert (field.tables, field.excluded_tables, field.running_tables) == (3, 1, 2)
    assert field.teams is None


def test_teams_combine_opposite_seats_of_two_tables():
    field = compare_results(
        [build_result(7, 0, 400), build_result(7, 1, 350), build_result(9, 0, 300), build_result(9, 1, 410)]
    )
    ours, theirs = field.teams
    assert [one.user_id for one in ours] == [70, 91]
    assert [one.user_id for one in theirs] == [90, 71]


def test_field_without_results_has_no_comparison():
    field = compare_results([])
    assert (field.ranking, field.means, field.tables, field.teams) == ((), (), 0, None)


def test_field_is_shown_as_picture_and_text():
    deal = SealedDeal(guild_id=1, channel_id=2, name="amber-otter", terms={}, secret=b"", made_at=0, closes_at=1)
    field = compare_results(
        [build_result(1, 0, 400), build_result(1, 1, 350), build_result(2, 0, 300), build_result(2, 1, 410)]
    )
    names = {10: "Ada", 11: "Grace", 20: "Linus", 21: "Mary"}
    rendered = render_field(deal, field, names, load_words("en"), "dark")
    assert rendered is not None
    image, alt = rendered
    with Image.open(BytesIO(image.png)) as seen:
        assert seen.size == (1200, 498)
    assert (
        alt
        == f"{load_words('en')('deal.field_title', deal='amber-otter')}. Ada: +50. Mary: +30. Grace: −30. Linus: −50."
    )
    assert render_field(deal, compare_results([]), names, load_words("en"), "dark") is None
