"""The text and alt text of the picture at the end of a match."""

from dataclasses import replace

import pytest
from simcord import MemberActor

from bot.core.names import SeatNames
from bot.tables.board_text import format_board_alt
from bot.tables.board_views import build_captions
from bot.tables.end_views import MatchCard
from data.rulebook import load_rules
from data.words import load_words
from engine.board.board import Placement
from engine.board.lattice import TRIANGLES
from engine.match.decide import start
from engine.match.event_log import EventLog, PublicEvent, build_event_log
from engine.match.events import MatchEnded, Placed
from engine.match.player_view import view_for
from engine.match.state import replay
from engine.record import read, rerun
from tests.bot.messages import button_ids, parts, private, words_of
from tests.bot.simulated_guild import GOING_OUT, SHORT_MATCH, SimGuild
from tests.bot.tables.stacked_deals import dealt, played
from tests.wording import en, says

NAMES = SeatNames(("Ada *the* Great", "Björn"), ("Ada", "Björn"))


def event_log(*points: int, totals: tuple[int, int], places: tuple[int, int]) -> EventLog:
    told = build_event_log(start(load_rules("triominoes"), seats=2, computers=(), by_hand=False, secret=bytes(32)))
    total = 0
    for made in points:
        total += made
        event = Placed(0, (0, 2, 5), TRIANGLES.first, 0, made, int(made > 50), False, 0, 0, made)
        told.events.append(PublicEvent(event, 1, (total, 0), False))
    told.match.board.place(Placement((0, 2, 5), TRIANGLES.first, 0))
    told.match.ended = MatchEnded(totals, places, "")
    for seat, total in zip(told.match.seats, totals, strict=True):
        seat.total = total
    return told


@pytest.mark.parametrize(
    ("language", "title", "move"),
    [
        ("en-US", "Ada *the* Great wins", "The decisive move: 0-2-5 closes a hexagon, +57, from 340 to 397"),
        ("de", "Ada *the* Great gewinnt", "Der entscheidende Zug: 0-2-5 schließt ein Sechseck, +57, von 340 auf 397"),
    ],
)
def test_alt_text_names_winner_and_winning_move(language: str, title: str, move: str) -> None:
    told = event_log(340, 57, totals=(397, 375), places=(1, 2))
    told.events[0] = replace(told.events[0], event=replace(told.events[0].event, points=9))  # type: ignore[call-overload]
    alt = MatchCard(view_for(told.match, None), told, NAMES, load_words(language)).format_alt()
    assert alt.startswith(title)
    assert move in alt
    assert "1. Ada *the* Great" in alt
    assert "2. Björn" in alt


def test_shared_win_has_no_leader_and_can_be_rendered() -> None:
    told = event_log(20, totals=(20, 20), places=(1, 1))
    card = MatchCard(view_for(told.match, None), told, NAMES, load_words())
    assert "share the win" in card.format_alt()
    assert "ahead" not in card.format_alt()
    assert card.render(theme="classic", scheme="dark").width == 1200


LONG = "Bartholomew Montgomery the Third"


def header(*names: str) -> tuple[str, str]:
    log, _ = played(dealt(load_rules("triominoes"), "135 000", "123 444", by_hand=True), "U0,0=135")
    event_log = build_event_log(log)
    told = build_captions(view_for(event_log.match, None), event_log, SeatNames(names, names), load_words())
    return told.subtitle, told.turn


def alt(*last: str) -> str:
    log = start(load_rules("triominoes"), seats=2, computers=(), by_hand=True, secret=bytes(32))
    return format_board_alt(load_words(), view_for(replay(log), None), ("Ada", "Grace"), last)


def test_undrawable_name_is_replaced_by_seat_number():
    assert header("李小龍 🐉", "東京") == ("#1 opened with 1-3-5: +9 → 9", en("board.turn", name="#2"))


def test_long_name_is_shortened_but_score_is_not():
    assert header(LONG, LONG) == (
        "Bartholomew Montg… opened with 1-3-5: +9 → 9",
        en("board.turn", name="Bartholomew Montg…"),
    )


def test_alt_text_has_no_doubled_spaces_or_full_stops():
    assert "  " not in alt()
    assert "Scores: Ada 0" in alt()
    assert "Grace resigned. Scores:" in alt("**Grace** resigned.")


FILE = 13  # Discord's component type of a file


async def test_record_of_finished_match_is_public(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    sim.deals.wanted = [GOING_OUT]
    await sim.table(ada, grace, target=60, preset="goliath")
    await sim.play_to_the_end()
    alan = sim.person("Alan")
    (end,) = sim.ends()
    public = len(sim.public())

    answer = private(await alan.click(end, label="Record"))

    assert says(words_of(answer), "record.here")
    assert [part["file"]["url"] for part in parts(answer) if part["type"] == FILE]
    (attached,) = answer.attachments
    assert attached.filename == "match.txt"
    record = read((await attached.read()).decode(), load_rules)
    loaded = await sim.loaded()
    assert record.events == loaded.events
    assert rerun(record).faults == []
    assert rerun(record).is_proved
    assert record.header.preset == "goliath"
    assert len(sim.public()) == public, "nobody else sees it"


async def test_record_contains_seats_but_no_names(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    sim.deals.wanted = [SHORT_MATCH]
    await sim.table(ada, grace, target=60)
    await sim.play_to_the_end()

    answer = private(await ada.click(sim.ends()[0], label="Record"))

    text = (await answer.attachments[0].read()).decode()
    assert not any(name in text for name in ("Ada", "Grace", str(ada.id), str(grace.id)))


async def test_running_match_has_no_record(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    await sim.table(ada, grace)
    assert "Record" not in button_ids(sim.board())
    match_id = (await sim.head()).match_id
    forged = await sim.post(f"by:record:{match_id}")

    answer = private(await grace.click(forged, label="Button 0"))

    assert words_of(answer) == en("record.not_over")
    assert not answer.attachments
