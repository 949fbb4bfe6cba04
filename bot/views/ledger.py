"""The ledger of a match: a page a round, every entry with its reason."""

from discord import ui

from bot.service.tables import Table
from bot.views import sentences as sentences
from bot.views.names import Names
from bot.views.parts import CALM_COLOUR, Press, button, layout, rows
from bot.views.telling import line
from data.words import Words
from engine.events import Drew

ROOM = 3000  # of the 4,000 characters that Discord gives a message


def ledger_view(table: Table, names: Names, words: Words, number: int) -> ui.LayoutView:
    """Round `number`, or the nearest there is."""
    assert table.story is not None
    match, story = table.match, table.story
    number = min(max(1, number), match.round)
    entries = [told for told in story.told if told.round == number and not isinstance(told.event, Drew)]
    lines = [one for told in entries if (one := line(words, told, match.rules, names.safe))]
    kept: list[str] = []
    for entry in reversed(lines):
        if sum(map(len, kept)) + len(kept) + len(entry) > ROOM:
            break
        kept.insert(0, entry)
    if len(kept) < len(lines):
        kept.insert(0, words("scores.more", n=len(lines) - len(kept)))
    totals = " · ".join(
        f"{name} {sentences.number_text(seat.total)}" for name, seat in zip(names.safe, match.seats, strict=True)
    )
    text = [
        f"### {words('scores.title', round=number, rounds=match.round)}",
        *(kept or [words("scores.nothing")]),
        words("scores.totals", totals=totals),
    ]
    match_id = table.head.match_id
    buttons = []
    if number > 1:
        earlier = Press("scores", match_id, argument=str(number - 1))
        buttons.append(button(words("scores.earlier", round=number - 1), earlier))
    if number < match.round:
        later = Press("scores", match_id, argument=str(number + 1))
        buttons.append(button(words("scores.later", round=number + 1), later))
    return layout(ui.TextDisplay("\n".join(text)), *rows(buttons), colour=CALM_COLOUR)
