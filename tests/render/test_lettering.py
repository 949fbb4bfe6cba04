"""Names as people write them, drawn with the letters that are there."""

from random import Random
from string import ascii_letters, digits

import pytest
from PIL import Image, ImageDraw

from render.canvas.lettering import (
    Style,
    clean_text,
    compute_ink_box,
    load_manrope,
    measure_text,
    render_text,
    truncate_to_width,
    wrap_lines,
)
from tests.depth import scale_count


@pytest.mark.usefixtures("bare")
@pytest.mark.parametrize(
    ("name", "drawn"),
    [
        ("Ada", "Ada"),
        ("Björn Ångström", "Björn Ångström"),
        ("Bjo\u0308rn", "Björn"),
        ("Ольга", "Ольга"),
        ("🦊 Fox 🔥", "Fox"),
        ("👩‍👩‍👧 Kim", "Kim"),
        ("田中 Aki", "· Aki"),
        ("𝓐𝓭𝓪", "Ada"),
        ("Ｗｉｄｅ", "Wide"),
        ("\u202eevil\u202c", "evil"),
        ("Z\u0351\u0322a\u0489lgo", "Zalgo"),
        ("Łukasz Ẑalgo", "Łukasz Ẑalgo"),
        ("two\nlines\tand   gaps", "two lines and gaps"),
        ("a\u200bb", "ab"),
    ],
)
def test_readable_name_keeps_supported_characters(name: str, drawn: str) -> None:
    assert clean_text(name) == drawn


@pytest.mark.usefixtures("bare")
@pytest.mark.parametrize("name", ["", "   ", "🦊🔥", "田中さん", "\u200b\u200d", "…", "বাংলা"])
def test_name_with_nothing_to_show_becomes_number_of_seat(name: str) -> None:
    assert clean_text(name, "#3") == "#3"


@pytest.mark.parametrize("width", [1, 40, 90, 200, 5000])
def test_long_text_ends_in_ellipsis_and_fits(width: int) -> None:
    text = "Wolfeschlegelsteinhausenbergerdorff"
    cut = truncate_to_width(text, Style.TEXT, 28, width)
    assert measure_text(cut, Style.TEXT, 28) <= width or cut == "…"
    assert cut == text or cut.endswith("…")


@pytest.mark.parametrize("width", [140, 300, 900, 2000])
def test_sentence_is_broken_at_spaces_into_lines_that_fit(width: int) -> None:
    text = "The sixth tile around a point closes a hexagon, which earns fifty points."
    lines = wrap_lines(text, Style.TEXT, 28, width)
    assert " ".join(lines) == text
    assert all(measure_text(line, Style.TEXT, 28) <= width for line in lines)
    assert (len(lines) > 1) == (measure_text(text, Style.TEXT, 28) > width)


def test_word_that_is_wider_than_its_line_is_cut() -> None:
    lines = wrap_lines("a Wolfeschlegelsteinhausenbergerdorff b", Style.TEXT, 28, 200)
    assert [lines[0], lines[2]] == ["a", "b"]
    assert lines[1].endswith("…")


def test_no_words_make_no_lines() -> None:
    assert wrap_lines(" ", Style.TEXT, 28, 200) == []


@pytest.mark.parametrize("style", Style)
@pytest.mark.parametrize("size", [11, 18, 25, 26, 28, 34, 46, 75])
def test_text_composed_of_glyphs_equals_text_drawn_by_font(style: Style, size: int) -> None:
    rng, letters = Random(size), f"{ascii_letters}{digits} -+−=:·…'#äöüßÄÖÜéñÅ,.()/"
    texts = ["AVATAR WAY Toyota fjord", "Ada: 5-3-1 = −15", " a ", "+"]
    texts += ["".join(rng.choices(letters, k=rng.randint(1, 20))) for _ in range(scale_count(20))]
    for text in texts:
        whole = load_manrope(style, size)
        left, top, right, bottom = (int(edge) for edge in whole.getbbox(text, anchor="ls"))
        sheet = Image.new("L", (right - left, bottom - top), 0)
        ImageDraw.Draw(sheet).text((-left, -top), text, fill=255, font=whole, anchor="ls")
        assert measure_text(text, style, size) == round(whole.getlength(text)), text
        assert compute_ink_box(text, style, size) == (left, top, right, bottom), text
        assert render_text(text, style, size).tobytes() == sheet.tobytes(), text
