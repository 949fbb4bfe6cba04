"""Hints at unrated tables, for the player to move only."""

import asyncio
import re
from collections.abc import AsyncIterator
from random import Random
from types import SimpleNamespace

import pytest

from bot.computers import thinking
from bot.computers.hints import (
    Advice,
    HintService,
    format_advised_move,
    format_hint_location,
    format_reason,
    format_reasons,
)
from bot.computers.player_names import get_player
from bot.computers.thinking import MoveChooser
from bot.computers.worker_pool import WorkerPool
from bot.core.layout import CustomId
from bot.core.names import SeatNames
from bot.tables.service import Table
from data.rulebook import list_games, load_rules
from data.words import list_languages, load_words
from engine.match.actions import Choose, Draw
from engine.match.decide import decide
from engine.match.player_view import view_for
from engine.match.rules import Rules
from engine.players import greedy
from engine.players.hint_reasons import FewestReplies, FewReplies, Hint, KeptBonus, OnlyOpponent, build_hint
from engine.players.levels import Player
from engine.table.commands import AddComputer, TakeComputerAction
from tests.bot.computers.workers import SILENT_WORKER
from tests.bot.core.forged_interactions import click_forged
from tests.bot.member import Member
from tests.bot.messages import Message, find_play_label, list_menus, read_button_ids, read_text
from tests.bot.simulated_guild import SHORT_MATCH_DEAL, TIMEOUT_SECONDS, SimGuild
from tests.bot.use_cases import ADA, GRACE, UseCases
from tests.bot.waiting import wait_until
from tests.engine.random_play import iterate_positions
from tests.engine.tables import act, build_match, build_play, build_tile
from tests.wording import en, has_sentence


async def start_computer_match(sim: SimGuild, person: Member) -> Message:
    await person.use_command("tiles new", computers=1)
    await sim.env.settle()
    return await sim.open_hand(person)


async def click_forged_hint(sim: SimGuild, person: Member, argument: str = "", *, seq: int | None = None) -> str:
    head = await sim.load_head()
    press = CustomId("hint", head.match_id, head.seq if seq is None else seq, argument)
    return await click_forged(sim, person, press)


async def test_hint_shows_place_first_then_move_with_reasons(sim: SimGuild, ada: Member) -> None:
    first = await ada.open_click(await start_computer_match(sim, ada), "Hint")
    look = read_text(first).split("\n")[0]
    letter, where = re.findall(r"\*\*Hint:\*\* look at \*\*([A-Z]+)\*\*, (.*)\.", look)[0]
    matching_options = [one for one in list_menus(first)[0].options if f"→ {letter} ·" in one.label]
    assert any(where in one.description for one in matching_options), "the words of the menu"

    shown = await ada.open_click(first, "Show the move")
    assert re.search(rf"\*\*[\d-]+ at {letter}\*\*", read_text(shown))
    assert has_sentence(read_text(shown), "hint.by", level="hard")
    before = (await sim.load_head()).seq
    play = find_play_label(shown)
    assert has_sentence(await ada.read_click(shown, play), "hand.played_at")
    assert (await sim.load_head()).seq > before


async def test_text_mode_player_gets_hint_as_text(sim: SimGuild, ada: Member) -> None:
    await start_computer_match(sim, ada)
    board = await ada.open_command("tiles board", text=True)
    assert en("hint.allowed") in read_text(board)
    first = await ada.open_click(board, "Hint")
    assert read_text(first).startswith("**Hint:** look at **")
    shown = await ada.open_click(first, "Show the move")
    assert re.match(r"\*\*[\d-]+ at [A-Z]+\*\*: .* · (left|right|above|below|between)", read_text(shown))
    assert has_sentence(await ada.read_click(shown, "Play"), "hand.played_at")


async def test_hint_in_guided_game_omits_guide_text(sim: SimGuild, ada: Member) -> None:
    hand = await ada.open_command("tiles help", guided=True)
    assert has_sentence(read_text(hand), "lesson.first")
    first = await ada.open_click(hand, "Hint")
    shown = await ada.open_click(first, "Show the move")
    for message in (first, shown):
        assert not has_sentence(read_text(message), "lesson.first"), "it may be another move"


async def test_lobby_shows_whether_hints_are_available(sim: SimGuild, ada: Member) -> None:
    await ada.use_command("tiles new", seats=2)
    assert f"{en('lobby.rated')} {en('hint.rated')}" in sim.read_board()
    await ada.use_command("tiles-host setup", rated=False)
    assert has_sentence(sim.read_board(), "hint.allowed")


async def test_unrated_table_offers_hints_on_own_turn_only(sim: SimGuild, ada: Member, grace: Member) -> None:
    await sim.start_table(ada, grace, rated=False)
    turn = await sim.load_turn_player()
    other = next(one for one in (ada, grace) if one is not turn)
    assert "Hint" in read_button_ids(await sim.open_hand(turn))
    assert "Hint" not in read_button_ids(await sim.open_hand(other))
    assert "Hint" not in read_button_ids(await other.open_command("tiles board", text=True))
    assert "Hint:" not in await click_forged_hint(sim, other)


@pytest.mark.parametrize("game", list_games())
def test_every_hint_is_translated(game: str) -> None:
    table = SimpleNamespace(terms=SimpleNamespace(theme="picture"))
    people = ("Ada", "Grace", "Linus", "Mary", "Nina", "Otto")
    names = SeatNames(people, people)
    for seen, action, _ in iterate_positions(game, 25):
        advice = Advice(build_hint(seen, action), "hard")
        for language in list_languages():
            texts = [
                format_part(table, seen, load_words(language), advice)
                for format_part in (format_hint_location, format_advised_move)
            ]
            texts.append(format_reasons(table, seen, load_words(language), advice, names))
            assert all(one.strip() for one in texts)
            assert "{" not in "".join(texts)
            assert len(seen.seats) == 2 or not any(f"**{name}**" in texts[-1] for name in people)


@pytest.mark.parametrize(
    ("holder", "says"),
    [
        (None, ""),
        (OnlyOpponent(1, 7), ""),
        (OnlyOpponent(1, 3), f"{en('hint.leaves_whom', name='Grace')} "),
        (OnlyOpponent(1, 10), " " + en("hint.holds_all", name="Grace")),
    ],
)
def test_reason_names_opponent_if_only_one_is_restricted(holder: OnlyOpponent | None, says: str) -> None:
    table, names = (
        SimpleNamespace(terms=SimpleNamespace(theme="classic")),
        SeatNames(("Ada", "Grace"), ("Ada", "Grace")),
    )
    advice = Advice(Hint(Draw(0), None, (FewReplies(10, 3, 8, holder),)), "hard")
    first_reason = format_reasons(table, None, load_words("en"), advice, names).split("\n")[0]
    few = en("hint.leaves", unseen=10, n=3, before=8)
    assert first_reason == (f"- {says}{few}" if says.endswith(" ") else f"- {few}{says}")


def test_reason_omits_opponent_whose_last_tile_probably_fits() -> None:
    def format_reason_after(after: int) -> str:
        reason = FewestReplies(10, after, OnlyOpponent(1, 1))
        return format_reason(None, load_words("en"), reason, SeatNames(("Ada", "Grace"), ("Ada", "Grace")))

    assert (
        format_reason_after(5) == f"{en('hint.leaves_whom', name='Grace')} {en('hint.leaves_fewest', unseen=10, n=5)}"
    )
    assert format_reason_after(9) == en("hint.leaves_fewest", unseen=10, n=9)


@pytest.mark.parametrize(("kept", "look"), [("4-4-4-4 2-4-4-4", "hint.look_bonus"), ("0-0-0-0", "hint.look_nowhere")])
def test_hint_compares_points_only_if_drawing_is_possible(kept: str, look: str) -> None:
    quads = load_rules("quad-ominos")
    playing = build_match([f"1-2-4-4 {kept}", "3-3-3-3"], position="0,0=4455 1,0=4445 1,1=2244", rules=quads)
    act(playing, build_play(0, "0,1=1244", quads))
    table, advice = (
        SimpleNamespace(terms=SimpleNamespace(theme="classic")),
        Advice(Hint(Choose(0, "points"), None, ()), "hard"),
    )
    assert format_hint_location(table, view_for(playing, 0), load_words("en"), advice) == en(look)


@pytest.mark.parametrize("language", list_languages())
def test_hint_text_has_no_double_punctuation(language: str) -> None:
    seen = view_for(build_match(["0-0-1 0-2-2", "3-3-3"], position="U0,0=012 D0,0=122"), 0)
    reason = KeptBonus(build_tile("0-0-1"), seen.places[0].cell, 40)
    text = format_reason(seen, load_words(language), reason, SeatNames(("Ada", "Grace"), ("Ada", "Grace")))
    assert "1-2-2" in text
    assert not re.search(r",\s*[:;,.]", text)


async def test_rated_table_offers_no_hints(room: SimGuild, ada: Member, grace: Member) -> None:
    before = await room.take_snapshot()
    for person in (ada, grace):
        for shown in (await room.open_hand(person), await person.open_command("tiles board", text=True)):
            assert "Hint" not in read_button_ids(shown)
            assert en("hint.allowed") not in read_text(shown)
        for argument in ("", "move", "text", "move.text"):
            assert has_sentence(await click_forged_hint(room, person, argument), "no.NO_HINTS")
    assert await room.take_snapshot() == before


async def test_rated_match_offers_no_hints_after_opponents_leave(use_cases: UseCases) -> None:
    table = await use_cases.start_match(GRACE)
    assert not (await use_cases.resign(table, GRACE)).has_hints
    table = await use_cases.open(seats=3, channel_id=77)
    assert not table.has_hints, "somebody may come yet"


async def test_spectator_gets_no_hint(sim: SimGuild, ada: Member, grace: Member, linus: Member) -> None:
    await sim.start_table(ada, grace, rated=False, computers=1, target=60, deal=SHORT_MATCH_DEAL)
    assert has_sentence(await click_forged_hint(sim, linus), "no.NOT_SEATED")
    await sim.play_to_the_end()
    assert has_sentence(await click_forged_hint(sim, ada), "why.MATCH_OVER")


async def test_stale_or_forged_hint_button_gives_no_hint(sim: SimGuild, ada: Member) -> None:
    await start_computer_match(sim, ada)
    assert has_sentence(await click_forged_hint(sim, ada, seq=1), "no.STALE")
    for argument in ("move.move", "other", "2"):
        assert "Hint:" not in await click_forged_hint(sim, ada, argument)


@pytest.fixture
async def workers() -> AsyncIterator[WorkerPool]:
    made = WorkerPool(most_workers=1, silence_timeout=TIMEOUT_SECONDS, queue_timeout=TIMEOUT_SECONDS)
    yield made
    await made.end()


async def open_computer_table(use_cases: UseCases, **terms: object) -> Table:
    table = await use_cases.open(seats=2, **terms)
    table = await use_cases.interact(table, AddComputer(ADA, "easy"))
    while table.find_turn_user() is None:
        action = greedy.choose(view_for(table.match, table.match.turn), Random(1))
        table = await use_cases.act(table, TakeComputerAction(action, table.state.seq))
    return table


async def test_simultaneous_hint_clicks_are_computed_once(use_cases: UseCases, workers: WorkerPool) -> None:
    requested_levels: list[str] = []

    def get_counted_player(name: str, rules: Rules) -> Player:
        requested_levels.append(name)
        return get_player(name, rules)

    hints, table = (
        HintService(MoveChooser(Random(1), workers, get_counted_player, fallbacks={})),
        await open_computer_table(use_cases),
    )
    found = await asyncio.gather(*(hints.advise(table, 0, ADA) for _ in range(20)))
    assert requested_levels == ["hard"]
    assert len({one.hint.action for one in found}) == 1
    assert decide(table.match, found[0].hint.action, b"") is not None


async def test_free_worker_computes_hint_at_master_level(
    use_cases: UseCases, workers: WorkerPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(thinking, "HINT_TIMEOUT", TIMEOUT_SECONDS)
    table = await open_computer_table(use_cases)
    advice = await HintService(MoveChooser(Random(1), workers)).advise(table, 0, ADA)
    assert advice.level == "master"
    assert advice.hint == build_hint(view_for(table.match, 0), advice.hint.action)


async def test_busy_workers_fall_back_to_hard_hint(
    use_cases: UseCases, workers: WorkerPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(thinking, "HINT_TIMEOUT", TIMEOUT_SECONDS)
    workers.command = SILENT_WORKER
    busy = asyncio.create_task(workers.ask(1, "anything"))
    await asyncio.sleep(0)
    advice = await asyncio.wait_for(
        HintService(MoveChooser(Random(1), workers)).advise(await open_computer_table(use_cases), 0, ADA),
        TIMEOUT_SECONDS / 2,
    )
    assert advice.level == "hard"
    busy.cancel()


async def test_silent_worker_falls_back_to_hard_hint(
    use_cases: UseCases, workers: WorkerPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(thinking, "HINT_TIMEOUT", 0.05)
    workers.command = SILENT_WORKER
    advice = await asyncio.wait_for(
        HintService(MoveChooser(Random(1), workers)).advise(await open_computer_table(use_cases), 0, ADA),
        TIMEOUT_SECONDS / 2,
    )
    assert advice.level == "hard"
    await wait_until(lambda: workers.pids)


async def test_user_has_at_most_one_hint_in_workers(
    use_cases: UseCases, workers: WorkerPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(thinking, "HINT_TIMEOUT", TIMEOUT_SECONDS)
    workers.command, workers.most_workers = SILENT_WORKER, 4
    hints = HintService(MoveChooser(Random(1), workers))
    first = asyncio.create_task(hints.advise(await open_computer_table(use_cases), 0, ADA))
    await wait_until(lambda: workers.pids)
    other = await asyncio.wait_for(
        hints.advise(await open_computer_table(use_cases, channel_id=21), 0, ADA), TIMEOUT_SECONDS / 2
    )
    assert other.level == "hard"
    assert len(workers.pids) == 1
    await workers.end()
    assert (await first).level == "hard", "whoever waits when the bot ends is answered all the same"
