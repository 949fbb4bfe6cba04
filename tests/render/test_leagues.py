"""The bracket of a knock-out tournament and the standings of a league: both are readable without colours."""

from collections.abc import Sequence
from itertools import combinations

import pytest
from PIL import ImageChops

from render.canvas.picture import Picture
from render.canvas.theme import SCHEMES, get_theme
from render.leagues.bracket_picture import (
    SIGN_SIZE,
    BracketBox,
    BracketRow,
    BracketWords,
    MatchSign,
    render_bracket,
    render_sign,
)
from render.leagues.picture import NAME_X, POINTS_X, ROUND_SIZE, LeagueLine, RoundSign, render_league_table
from tests.render.pixels import count_pixels, to_rgb

SIGNS: tuple[MatchSign, ...] = ("running", "waiting", "held", "judged", "forfeit", "tied", "unplayed")
NAMES = ("Ada", "Grace Hopper", "Linus", "Mary", "Alan", "Emmy", "Sofia Kovalevskaya", "Дмитрий")


def build_box(upper: str, lower: str, *, wins: int | None = None, sign: MatchSign | None = None) -> BracketBox:
    rows = [
        BracketRow(
            name=name,
            seed=seat + 1,
            score="" if wins is None else ("104", "61")[seat != wins],
            state="plays" if wins is None else "wins" if seat == wins else "out",
        )
        for seat, name in enumerate((upper, lower))
    ]
    return BracketBox(upper=rows[0], lower=rows[1], sign=sign)


def build_rounds(columns: int, first: Sequence[BracketBox] | None = None) -> list[list[BracketBox]]:
    match_count = 1 << (columns - 1)
    boxes = first or [build_box(NAMES[at % 8], NAMES[(at + 3) % 8]) for at in range(match_count)]
    return [list(boxes), *([BracketBox()] * (match_count >> number) for number in range(1, columns))]


def build_words(columns: int, champion: str = "", *signs: MatchSign) -> BracketWords:
    names = ("Last 16", "Quarter-finals", "Semi-finals", "Final")[-columns:]
    kind = "Knock-out tournament"
    return BracketWords(
        title="Friday", subtitle=kind, columns=names, signs=[(one, one) for one in signs], champion=champion
    )


def render_sample(columns: int, *signs: MatchSign, champion: str = "", scheme: str = "dark") -> Picture:
    match_count = 1 << (columns - 1)
    all_signs = (*signs, *[None] * match_count)
    first = [
        build_box(NAMES[at % 8], NAMES[(at + 3) % 8], wins=None if at < len(signs) else 0, sign=all_signs[at])
        for at in range(match_count)
    ]
    rounds = build_rounds(columns, first)
    if champion:
        rounds[-1] = [build_box(champion, "Grace", wins=0)]
    return render_bracket(rounds, build_words(columns, champion, *signs), scheme=scheme)


@pytest.mark.parametrize(("columns", "high"), [(2, 800), (3, 960), (4, 1440)])
def test_bracket_has_table_width_and_fits_phone_height(columns: int, high: int) -> None:
    picture = render_sample(columns)
    assert picture.width == 1200
    assert picture.height == pytest.approx(high, abs=25)
    assert picture.height * 369 / 1200 < 500


def test_champion_is_drawn_with_brass_wreath() -> None:
    for columns in (2, 3, 4):
        crowned, plain = (to_rgb(render_sample(columns, champion=name)) for name in ("Ada", ""))
        right = (1200 - 1100 // columns, 200, 1200, crowned.height // 2)
        brass = get_theme("dark").brass
        assert count_pixels(crowned, brass, right) > count_pixels(plain, brass, right) + 2000


def test_every_sign_has_a_distinct_shape() -> None:
    covers = [render_sign(sign, SIGN_SIZE) for sign in SIGNS]
    for at, one in enumerate(covers):
        for other in covers[at + 1 :]:
            difference = sum(ImageChops.difference(one, other).histogram()[128:])
            assert difference > 0.2 * sum(ImageChops.lighter(one, other).histogram()[128:])


@pytest.mark.parametrize("scheme", SCHEMES)
def test_advancing_player_differs_in_brightness_in_every_theme(scheme: str) -> None:
    image = to_rgb(render_sample(3, scheme=scheme)).convert("L")
    plan_left, first_row, second_row = 330, 250, 320  # next to the score of the first match, which has ended
    on, out = (image.getpixel((plan_left - 90, y)) for y in (first_row, second_row))
    assert abs(int(on) - int(out)) > 50  # type: ignore[arg-type]


def test_long_or_unsupported_names_stay_in_their_match_box() -> None:
    usual = to_rgb(render_bracket(build_rounds(4), build_words(4)))
    wide = [build_box("W" * 32, "𐎀𐎁𐎂", wins=0, sign="judged"), *build_rounds(4)[0][1:]]
    changed = to_rgb(render_bracket(build_rounds(4, wide), build_words(4)))
    box = ImageChops.difference(usual, changed).getbbox()
    assert box[2] < 28 + 263 + 40, "they stay in their column"
    assert box[3] < 222 + 148 + 10, "and in their match"


ROUND_SIGNS: tuple[RoundSign, ...] = ("won", "tied", "lost", "unplayed", "bye", "open", "none")
ROUND_COUNT = 13


def render_standings(*rounds: RoundSign, name: str = "Ada", scheme: str = "dark", first: bool = False) -> Picture:
    line = LeagueLine(place="1", name=name, points="6", record="3–0–0", difference="8", rounds=rounds, is_first=first)
    return render_league_table("Tuesday", "Round 3 of 4", ["Points", "W–T–L", "Buchholz"], [line], scheme=scheme)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("first", [False, True])
def test_every_round_sign_has_a_distinct_shape(scheme: str, first: bool) -> None:
    images = [to_rgb(render_standings(sign, "won", scheme=scheme, first=first)).convert("L") for sign in ROUND_SIGNS]
    for one, other in combinations(images, 2):
        difference = sum(ImageChops.difference(one, other).histogram()[40:])
        assert difference > 0.07 * ROUND_SIZE * ROUND_SIZE


def test_signs_of_many_rounds_stay_beneath_name() -> None:
    long = "Wilhelmina Quartermaine-Featherstonehaugh"
    few, many = (
        to_rgb(render_standings("lost", name=long)),
        to_rgb(render_standings(*["lost"] * ROUND_COUNT, name=long)),
    )  # type: ignore[list-item]
    box = ImageChops.difference(few, many).getbbox()
    assert box[0] > NAME_X + ROUND_SIZE
    assert box[2] < POINTS_X - 50
    assert box[3] - box[1] <= ROUND_SIZE


def test_line_before_first_round_has_its_name_in_middle() -> None:
    assert ImageChops.difference(to_rgb(render_standings()), to_rgb(render_standings("none"))).getbbox() is not None
