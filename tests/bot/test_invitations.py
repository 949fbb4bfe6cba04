"""What a host types for a new table and no table can be, however long it is."""

import pytest

from bot.commands.refusals import refusal_text
from bot.service.invitations import Invitation, agreed
from data.words import words
from engine.table.refusals import Refused


@pytest.mark.parametrize("term", ["preset", "theme", "clock", "absent"])
def test_a_term_without_end_is_not_repeated_whole(term: str) -> None:
    asked = {"game": "triominoes", term: "x" * 6000}
    with pytest.raises(Refused) as refused:
        agreed(Invitation(guild_id=1, channel_id=1, host_id=1, **asked))  # type: ignore[arg-type]
    said = refusal_text(words(), refused.value, {})
    assert "x" * 60 in said
    assert "x" * 61 not in said
