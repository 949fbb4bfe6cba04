"""Names in every script are drawn with a font that has the letters, shaped, and in their writing direction."""

from pathlib import Path
from random import Random
from string import ascii_letters, digits

import pytest
from PIL import Image, ImageDraw

from render.canvas import scripts
from render.canvas.canvas import Canvas
from render.canvas.lettering import (
    Style,
    clean_text,
    compute_ink_box,
    draw_text,
    load_manrope,
    measure_text,
    render_text,
    truncate,
    truncate_to_width,
    wrap_lines,
)
from render.canvas.scripts import FallbackFont, iterate_runs
from render.canvas.theme import mix
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
def test_name_without_visible_characters_becomes_seat_number(name: str) -> None:
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


def test_empty_text_has_no_lines() -> None:
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


SIZE = 40
needs_raqm = pytest.mark.skipif(
    not scripts.can_shape_text(), reason="FriBiDi is not here (Debian: apt install libfribidi0)"
)

SHAPED = ["محمد علي", "שָׁלוֹם", "नरेन्द्र", "น้ำผึ้ง"]
PLAIN = ["Ẑalgo", "Ольга Ђорђе", "Ελένη", "Nguyễn Thị Ánh", "გიორგი", "Արմեն", "Ӱ"]


def render_ink(text: str) -> Image.Image:
    return render_text(text, Style.TEXT, SIZE)


def is_equal(one: Image.Image, other: Image.Image) -> bool:
    return one.size == other.size and one.tobytes() == other.tobytes()


@needs_raqm
@pytest.mark.usefixtures("bare")
@pytest.mark.parametrize("name", [*SHAPED, *PLAIN])
def test_name_is_drawn_with_bundled_fonts(name: str) -> None:
    kept = clean_text(name, "#1")
    assert kept != "#1"
    assert "·" not in kept
    unknown = render_ink("\U0010ffff" * 3)
    assert not is_equal(render_ink(kept), unknown)
    assert render_ink(kept).getbbox() is not None


@needs_raqm
def test_joining_letters_and_marks_are_shaped_correctly() -> None:
    word = render_ink("محمد")
    inked = [word.crop((x, 0, x + 1, word.height)).getbbox() is not None for x in range(word.width)]
    begun = sum(now and not before for before, now in zip([False, *inked], inked, strict=False))
    assert begun == 1, "four letters, and no gap between them"
    assert measure_text("क्ष", Style.TEXT, SIZE) < sum(measure_text(letter, Style.TEXT, SIZE) for letter in "क्ष")
    assert compute_ink_box("น้", Style.TEXT, SIZE)[1] < compute_ink_box("น", Style.TEXT, SIZE)[1], "the mark is above"


@needs_raqm
def test_right_to_left_text_starts_at_right() -> None:
    first, word = render_ink("א"), render_ink("אב")
    assert word.width > first.width
    assert is_equal(word.crop((word.width - first.width, word.height - first.height, word.width, word.height)), first)


@needs_raqm
def test_right_to_left_run_is_ordered_within_latin_line() -> None:
    line = "דוד 12 محمد: +3 Ada"
    parts = list(iterate_runs(line, [letter.isascii() for letter in line]))
    assert [part.text for part in parts] == ["محمد", " 12 ", "דוד", ": +3 Ada"]
    assert [part.is_rtl for part in parts] == [True, False, True, False]
    assert measure_text(line, Style.TEXT, SIZE) == sum(measure_text(part.text, Style.TEXT, SIZE) for part in parts)


@pytest.mark.usefixtures("bare")
def test_word_is_set_in_one_font() -> None:
    name = "Łukasz Ẑalgo"
    assert [run.text for run in iterate_runs(name, [letter != "Ẑ" for letter in name])] == ["Łukasz ", "Ẑalgo"]


@pytest.mark.usefixtures("furnished")
@pytest.mark.parametrize("name", ["田中さん", "김민준", "李明", "🦊", "🔥 Fox", "👩‍👩‍👧"])
def test_east_asian_names_and_emoji_are_kept_with_system_fonts(name: str) -> None:
    assert clean_text(name, "#1") == name


@pytest.mark.usefixtures("furnished")
def test_emoji_keep_their_colours_and_joined_ones_are_one_picture() -> None:
    canvas = Canvas(200, 80, true_colour=True)
    ground = canvas.image.getpixel((0, 0))
    draw_text(canvas, "🦊", 20, 60, style=Style.TEXT, size=SIZE, colour=(0, 0, 255), ground=ground[:3])
    colours = {colour for _, colour in canvas.image.getcolors(20_000) or ()}
    assert any(red > 180 and green < 160 and blue < 90 for red, green, blue in colours), "a fox is orange"
    assert mix(ground[:3], (0, 0, 255), 1.0) not in colours
    assert measure_text("👩‍👩‍👧", Style.TEXT, SIZE) < 1.5 * measure_text("🦊", Style.TEXT, SIZE)


@pytest.mark.usefixtures("furnished")
def test_combined_character_is_never_split() -> None:
    family = "👩‍👩‍👧"
    for width in range(20, 400, 7):
        kept = truncate_to_width(f"A {family} {family}", Style.TEXT, SIZE, width).removesuffix("…").strip()
        assert kept in ("", "A", f"A {family}", f"A {family} {family}")
    assert truncate(f"Ada {family}", 8) == "Ada…"
    assert truncate("नरेन्द्र", 4) in ("नरे…", "न…")
    assert truncate("Ada", 3) == "Ada"


@pytest.mark.usefixtures("bare")
def test_names_that_need_shaping_are_replaced_without_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scripts, "can_shape_text", lambda: False)
    assert clean_text("محمد", "#1") == "#1"
    assert clean_text("Ольга Ђорђе გიორგი", "#1") == "Ольга Ђорђе გიორგი"


@pytest.mark.usefixtures("bare")
def test_invalid_system_font_is_ignored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "NotoSansCJK-Bold.ttc").write_bytes(b"no font")
    monkeypatch.setenv("BONEYARD_FONTS", str(tmp_path))
    scripts.find_system_fonts.cache_clear()
    scripts.find_east_asian_font.cache_clear()
    assert scripts.find_east_asian_font() == FallbackFont(tmp_path / "NotoSansCJK-Bold.ttc", needs_shaping=False)
    assert clean_text("田中", "#1") == "#1"
