"""Monthly statistics of reviewed matches in a profile."""

from dataclasses import asdict, replace
from datetime import UTC, datetime

from bot.reviews.views import format_months, summarize_months
from data.store.reviews.store import ReviewStore
from data.words import list_languages, load_words
from engine.reviews.findings import HabitCount, Luck, SeatReview
from tests.bot.member import Member
from tests.bot.profiles.results import save_finished_match
from tests.bot.simulated_guild import SimGuild
from tests.wording import en

SEAT = SeatReview(
    seat=0,
    choices=20,
    accuracy=83.4,
    lost=40.6,
    error=3.0,
    inaccuracies=4,
    mistakes=3,
    blunders=1,
    missed_hexagons=1,
    missed_bridges=0,
    luck=Luck(deal=20.0, draws=-8.0, skill=-7.6, rest=3.0, error=4.4, skill_error=5.0),
    habits=(HabitCount("heavy", 6, 24.0), HabitCount("hexagon", 1, 12.0), HabitCount("place", 1, 4.0)),
)


COST_TEXT = en("over_time.lost", points="41 points")


def to_ms(year: int, month: int, day: int) -> int:
    return int(datetime(year, month, day, 23, tzinfo=UTC).timestamp() * 1000)


def test_months_are_newest_first_with_accuracy_luck_and_costliest_error():
    months = summarize_months(
        [(to_ms(2026, 10, 31), asdict(SEAT)), (to_ms(2026, 11, 1), asdict(SEAT)), (to_ms(2026, 11, 20), asdict(SEAT))]
    )

    assert format_months(load_words("en"), months).splitlines() == [
        en("over_time.title"),
        en("over_time.month", month="November 2026", matches="2 matches", accuracy="83"),
        f"{COST_TEXT} {en('over_time.luck', luck='+12', error='6', skill='−8')}",
        en("over_time.habits", habits="kept a higher tile (12×) and missed a hexagon (2×)"),
        en("over_time.month", month="October 2026", matches="1 match", accuracy="83"),
        f"{COST_TEXT} {en('over_time.luck', luck='+12', error='9', skill='−8')}",
        en("over_time.habits", habits="kept a higher tile (6×) and missed a hexagon (1×)"),
        load_words("en")("over_time.about"),
    ]


def test_negative_choice_cost_is_shown_as_zero():
    win_share_text = en("over_time.lost_of_win", n="0")
    for wins, expected in ((False, en("over_time.lost", points="0 points")), (True, win_share_text)):
        months = summarize_months([(to_ms(2026, 11, 1), asdict(replace(SEAT, wins=wins, lost=-1.2)))])

        assert format_months(load_words("en"), months).splitlines()[2].startswith(expected)


def test_single_deal_month_is_shown_as_win_share():
    months = summarize_months([(to_ms(2026, 11, 1), asdict(replace(SEAT, wins=True, habits=())))])

    assert format_months(load_words("de"), months).splitlines()[1:3] == [
        "**November 2026** · 1 Partie · Genauigkeit **83** von 100",
        "Deine Fehler kosten 41\xa0% Gewinnchance pro Partie. "
        "Glück: +12 ± 9\xa0% Gewinnchance pro Partie. Können: −8\xa0%.",
    ]


def test_month_without_choices_or_reviews_is_shorter():
    empty_review = replace(SEAT, choices=0, accuracy=None, lost=0.0, luck=None, habits=())

    assert format_months(load_words("en"), summarize_months([(to_ms(2026, 11, 1), asdict(empty_review))])).splitlines()[
        1:-1
    ] == ["**November 2026** · 1 match"]
    assert format_months(load_words("en"), {}) == ""


def test_unreadable_reviews_are_skipped():
    assert summarize_months([(to_ms(2026, 11, 1), {"seat": 0}), (to_ms(2026, 11, 1), {"luck": 3})]) == {}


def test_newest_months_fit_profile_in_every_language():
    months = summarize_months([(to_ms(2026, month, 2), asdict(SEAT)) for month in range(1, 13)])
    for language in list_languages():
        text = format_months(load_words(language), months)
        assert len(text) < 2500
        assert text.count("**") == 4 * 6
        shortened_text = format_months(load_words(language), months, used=3100)
        assert text.startswith(shortened_text.rsplit("\n", 1)[0])
        assert 0 < len(shortened_text) <= 800
    assert format_months(load_words("en"), months, used=3800) == ""


async def test_monthly_statistics_are_visible_to_profile_owner_only(sim: SimGuild, ada: Member, grace: Member) -> None:
    match_id = await save_finished_match(sim, ada, grace)
    assert "month by month" not in await ada.read_command("tiles profile")

    assert await ReviewStore(sim.store.transactions).save_review(match_id, "{}", {0: asdict(SEAT)}, now=sim.clock())

    own_profile = await ada.read_command("tiles profile")
    assert "1 match · accuracy **83** of 100" in own_profile
    assert "Most costly mistakes: kept a higher tile (6×)" in own_profile
    for reader, owner in ((grace, ada), (grace, grace), (ada, grace)):
        other = await reader.read_command("tiles profile", person=owner)
        assert "accuracy" not in other
