"""The marks by which a post is found again."""

import string

import pytest
from discord import ui
from hypothesis import given
from hypothesis import strategies as st

from bot.views.ids import Press, parse
from bot.views.marks import mark_of, put
from bot.views.parts import button, said

NONCES = st.text(string.hexdigits.lower() + "-", min_size=1, max_size=25)


@given(NONCES, st.none() | st.integers(0, 1 << 40))
def test_a_mark_is_a_few_letters_that_no_tile_can_be_read_into(nonce: str, version: int | None) -> None:
    mark = mark_of(nonce, version)
    assert set(mark) <= set("abcdefghijklmnop")
    assert len(mark) == (16 if version is None else 20)
    assert mark.startswith(mark_of(nonce))


@given(
    st.builds(
        Press,
        st.text(string.ascii_lowercase, min_size=1, max_size=12),
        st.integers(1, 10**12 - 1),
        st.none() | st.integers(0, 10**9 - 1),
        st.just("") | st.text("abz019,.@=-_", min_size=1, max_size=60),
        NONCES.map(mark_of),
    )
)
def test_a_marked_id_is_read_back(press: Press) -> None:
    assert parse(str(press)) == press


@pytest.mark.parametrize("tail", ["~", "~abcq", "~ABC", "~" + "a" * 21, "~a~b", "~a|b"])
def test_what_is_no_mark_of_ours_makes_an_id_unreadable(tail: str) -> None:
    assert parse("by:hand:1" + tail) is None


def test_a_button_means_the_same_with_its_mark() -> None:
    view = said("Hello", button("Scores", Press("scores", 7, argument="2")))
    put(view, mark_of("a-nonce"))
    (marked,) = [item for item in view.walk_children() if isinstance(item, ui.Button)]
    press = parse(marked.custom_id or "")
    assert press is not None
    assert (press.verb, press.table, press.argument, press.mark) == ("scores", 7, "2", mark_of("a-nonce"))


def test_a_post_without_buttons_carries_its_mark_as_a_number_discord_keeps() -> None:
    ids = []
    for nonce in ("one", "other"):
        view = said("Hello")
        put(view, mark_of(nonce))
        (first, *_) = view.to_components()
        ids.append(first["id"])
    assert ids[0] != ids[1]
    assert all(1 << 28 <= number < 1 << 31 for number in ids)
