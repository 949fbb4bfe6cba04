"""Names of users on the page: emoji of several code points are allowed, and a long name is cut and reported."""

import pytest

from bot.playground.discord_limits import PageError
from bot.playground.members import MAX_NAME_LENGTH, clean_name
from bot.playground.server import LocalDiscord
from tests.playground.page_user import PageUser
from tests.wording import en

ASTRONAUT = "👩\N{ZERO WIDTH JOINER}🚀"
FAMILY = "👨\N{ZERO WIDTH JOINER}👩\N{ZERO WIDTH JOINER}👧\N{ZERO WIDTH JOINER}👦"


@pytest.mark.parametrize(
    "name", ["Ada", "Łukasz", "علی\N{ZERO WIDTH NON-JOINER}رضا", f"{ASTRONAUT} Mae", FAMILY, "👍🏽", "**bold**"]
)
def test_visible_name_is_not_changed(name: str) -> None:
    assert clean_name(f" {name} ") == name


@pytest.mark.parametrize("name", ["", "  ", "\N{ZERO WIDTH JOINER}", "a\nb", "a\N{RIGHT-TO-LEFT OVERRIDE}b"])
def test_invisible_name_is_refused(name: str) -> None:
    assert clean_name(name) == ""


@pytest.mark.parametrize("emoji", [ASTRONAUT, FAMILY, "👍🏽", "e\N{COMBINING ACUTE ACCENT}"])
@pytest.mark.parametrize("before", range(MAX_NAME_LENGTH - 8, MAX_NAME_LENGTH + 1))
def test_long_name_is_cut_between_characters(emoji: str, before: int) -> None:
    found = clean_name("a" * before + emoji + "zzzzzzzz")
    assert len(found) <= MAX_NAME_LENGTH
    assert found == ("a" * before + emoji + "z" * MAX_NAME_LENGTH)[: len(found)]
    rest = found[before:]
    assert not rest or rest.startswith(emoji), "the emoji is there as a whole, or not at all"


async def test_adding_person_reports_whether_name_was_cut() -> None:
    async with LocalDiscord(None, port=0) as local, PageUser(local.address, "Ada") as ada:
        whole = await ada.post("/local/people", name=f"Mae {ASTRONAUT}")
        assert (whole["username"], whole["cut"]) == (f"Mae {ASTRONAUT}", False)
        long = await ada.post("/local/people", name="Wolfeschlegelsteinhausenbergerdorff")
        assert (long["username"], long["cut"]) == ("Wolfeschlegelsteinhausenbergerdo", True)
        with pytest.raises(PageError) as caught:
            await ada.post("/local/people", name="\N{ZERO WIDTH JOINER}")
        assert str(caught.value) == en("page.refused_name")
