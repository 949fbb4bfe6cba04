"""The command `/tiles daily`: solving puzzles privately and sharing the result."""

from datetime import UTC, datetime, timedelta

import pytest

from bot.core.environment import compute_streak
from bot.puzzles.service import SEPARATOR, compute_weight, rate_puzzle
from bot.puzzles.views import PuzzleChoice, format_answer
from data.puzzle_book import load_puzzles
from data.store.puzzles.store import PuzzleStore
from data.store.puzzles.tries import PuzzleTry
from data.words import load_words
from engine.match.player_view import view_for
from engine.puzzles.puzzle import PuzzleKind, build_proposal, parse_solution
from tests.bot.member import Member
from tests.bot.messages import (
    get_private_answer,
    iterate_components,
    list_alt_texts,
    list_menus,
    read_button_ids,
    read_private_text,
    read_text,
)
from tests.bot.puzzles.daily_puzzles import (
    FIRST_DAY,
    answer,
    choose,
    list_answers,
    list_wrong_answers,
    load_daily_puzzle,
    open_daily_puzzle,
    set_date,
)
from tests.bot.simulated_guild import SimGuild
from tests.wording import en, has_sentence


@pytest.mark.parametrize("kind", ["bridge", "count", "best", "hexagons", "out"])
async def test_each_puzzle_kind_is_solved_by_menus(sim: SimGuild, ada: Member, kind: PuzzleKind) -> None:
    puzzle = load_daily_puzzle(kind)
    page = await open_daily_puzzle(sim, ada, puzzle)
    assert load_words("en")(f"daily.task_{kind}") in read_text(page)
    assert "3 tries left" in read_text(page)
    assert list_alt_texts(page)

    result = await answer(ada, page, *list_answers(puzzle))

    assert has_sentence(read_text(result), "daily.solved", n=1)
    solution_text = SEPARATOR.join(list_answers(puzzle))
    assert en("daily.answer", answer=format_answer(puzzle, solution_text, load_words("en"))) in read_text(result)
    assert "Streak: 1 day" in read_text(result)
    assert has_sentence(read_text(result), "daily.others", solved=1, n=1)
    if kind == "best":
        assert "10000 deals" in read_text(result)


async def test_three_wrong_answers_end_puzzle(sim: SimGuild, ada: Member) -> None:
    puzzle = load_daily_puzzle("best")
    page = await open_daily_puzzle(sim, ada, puzzle)
    wrong_choices = list_wrong_answers(puzzle)
    for attempts_left, value in zip((2, 1), wrong_choices[:2], strict=True):
        before = await choose(ada, page, value)
        page = await ada.open_click(before, "Answer")
        assert f"{attempts_left} tr" in read_text(page)
        assert load_words("en")("daily.not_it", answer=format_answer(puzzle, value, load_words("en"))) in read_text(
            page
        )
    repeated_answer = await answer(ada, page, wrong_choices[0])
    assert has_sentence(read_text(repeated_answer), "daily.again")
    assert "1 try left" in read_text(repeated_answer)
    over = await answer(ada, repeated_answer, wrong_choices[2])
    assert has_sentence(read_text(over), "daily.unsolved")
    assert "Streak: 0 days" in read_text(over)

    late_message = await sim.post(
        f"by:dailyanswer|{PuzzleChoice('triominoes', puzzle.day, tuple(list_answers(puzzle)))}"
    )
    after = get_private_answer(await ada.click(late_message))

    assert has_sentence(read_text(after), "daily.unsolved")
    stored_try = await PuzzleStore(sim.store.transactions).find_try(ada.id, "triominoes", puzzle.day.isoformat())
    assert stored_try.answers == tuple(wrong_choices[:3])
    assert stored_try.rating.mu < 25


async def test_open_puzzle_does_not_reveal_answer(sim: SimGuild, ada: Member, grace: Member) -> None:
    for kind in ("bridge", "count", "best", "hexagons", "out"):
        puzzle = load_daily_puzzle(kind)
        page = await open_daily_puzzle(sim, ada, puzzle)
        seat = puzzle.match.turn
        points = {f"+{move.points}" for move in view_for(puzzle.match, seat).moves if move.points > 15}
        assert not points & {*read_text(page).replace(";", " ").split()}
        ids = [*read_button_ids(page).values()]
        assert not any("=" in one for one in ids), "ids carry what was chosen, and nothing was"
        if kind != "count":
            values = [option.value for menu in list_menus(page) for option in menu.options]
            assert {*values} == {str(one) for one in puzzle.match.list_legal_moves(seat)}
            tiles = [value.split("=")[1] for value in values]
            order = [sorted(tile) for tile in tiles]
            assert order == sorted(order), "in the order of tiles, whatever they would bring"
            for option in list_menus(page)[0].options:
                assert "hexagon" not in f"{option.label} {option.description}"
                assert "ridge" not in f"{option.label} {option.description}"
        puzzle_in_words = await ada.open_click(page, "Show as text")
        assert not points & {*read_text(puzzle_in_words).replace(";", " ").replace(",", " ").split()}
        other_message = await grace.open_command("tiles daily")
        assert [option.value for menu in list_menus(other_message) for option in menu.options] == [
            option.value for menu in list_menus(page) for option in menu.options
        ]


async def test_trying_a_choice_does_not_reveal_closed_hexagon(sim: SimGuild, ada: Member) -> None:
    puzzle = load_daily_puzzle("hexagons")
    page = await open_daily_puzzle(sim, ada, puzzle)
    first, *_ = list_answers(puzzle)
    right = await choose(ada, page, first)
    wrong_choice = await choose(ada, await ada.open_click(right, "Back"), list_wrong_answers(puzzle, 1)[0])
    for message in (right, wrong_choice):
        assert "losed" not in read_text(message)
        assert has_sentence(read_button_ids(message), "daily.give_one")
    stored_try = await PuzzleStore(sim.store.transactions).find_try(ada.id, "triominoes", puzzle.day.isoformat())
    assert stored_try.answers == (), "to look is no try"


async def test_hint_halves_points_and_stays_visible(sim: SimGuild, ada: Member, grace: Member) -> None:
    puzzle = load_daily_puzzle("bridge")
    page = await open_daily_puzzle(sim, ada, puzzle)
    page_with_hint = await ada.open_click(page, "Hint (half credit)")
    assert "**Hint:** look at" in read_text(page_with_hint)
    assert "Hint (then" not in str([*read_button_ids(page_with_hint)])
    page = await ada.open_command("tiles daily")
    assert "**Hint:**" in read_text(page), "it is not forgotten, and not to be had for nothing"
    result = await answer(ada, page, *list_answers(puzzle))
    assert has_sentence(read_text(result), "daily.solved_hinted", n=1)
    other_page = await open_daily_puzzle(sim, grace, puzzle)
    await answer(grace, other_page, *list_answers(puzzle))
    with_hint, without = [
        await PuzzleStore(sim.store.transactions).find_solver_rating(who.id, "triominoes") for who in (ada, grace)
    ]
    assert 25 < with_hint.mu < without.mu


async def test_card_is_shared_once_without_answer(sim: SimGuild, ada: Member, grace: Member) -> None:
    puzzle = load_daily_puzzle("best")
    wrong_choices = list_wrong_answers(puzzle)
    page = await answer(ada, await open_daily_puzzle(sim, ada, puzzle), wrong_choices[0])
    result = await answer(ada, page, *list_answers(puzzle))
    share_answer = await ada.click(result, label="Show to all")
    card = share_answer.followups[-1]
    assert not card.ephemeral
    text = read_text(card)
    assert has_sentence(text, "daily.card_solved", name="Ada", n=2, most="3", marks="🔺🟢")
    assert "1. Ada 🔺🟢" in text
    letters = format_answer(puzzle, puzzle.puzzle.line[0], load_words("en"))
    assert letters not in text
    assert letters.split(" ")[0] not in text
    assert all(value not in str(list(iterate_components(card))) for value in wrong_choices)
    second_answer = await ada.click(result, label="Show to all")
    assert has_sentence(read_private_text(second_answer), "daily.shared_before")
    assert all(one.ephemeral for one in second_answer.followups)

    other_page = await grace.open_click(card, "Solve it")
    first = await answer(grace, other_page, *list_answers(puzzle))
    assert "1. Ada 🔺🟢" in read_text(first)
    assert "Grace" not in read_text(first), "nobody stands there who has not shown it"
    newest = (await grace.click(first, label="Show to all")).followups[-1]
    assert "1. Grace 🟢\n2. Ada 🔺🟢" in read_text(newest)
    set_date(sim, puzzle.day + timedelta(days=2))
    old_page = await ada.open_command("tiles daily", date=puzzle.day.isoformat())
    assert "Show to all" not in str([*read_button_ids(old_page)])
    forged = await sim.post(f"by:dailyshare|{PuzzleChoice('triominoes', puzzle.day)}")
    late_answer = read_private_text(await ada.click(forged))
    assert "🔺" not in late_answer, "nobody fills a channel with old ones"
    assert late_answer == en("daily.share_late")


async def test_help_has_button_for_daily_puzzle(sim: SimGuild, ada: Member) -> None:
    last = max(load_puzzles("triominoes"))
    for day, game_name in (
        (FIRST_DAY + timedelta(days=3), "Nov 4, 2026"),
        (last + timedelta(days=9), f"{last:%b} {last.day},"),
    ):
        set_date(sim, day)
        help_message = await ada.open_command("tiles help")
        assert f"Puzzle of {game_name}" in await ada.read_click(help_message, en("help.daily"))
    help_message = await ada.open_command("tiles help")
    assert "MacMahon’s hexagon" in await ada.read_click(help_message, "Solo puzzles")


async def test_last_puzzle_stays_available_for_practice(sim: SimGuild, ada: Member) -> None:
    last = max(load_puzzles("points"))
    set_date(sim, last + timedelta(days=40))
    message = await ada.open_command("tiles daily", game="points")
    date_text = f"{last:%b} {last.day}, {last.year}"
    assert has_sentence(read_text(message), "daily.none", first="Nov 1, 2026", last=date_text)
    assert f"Puzzle of {date_text} · Points" in read_text(message)
    assert has_sentence(read_text(message), "daily.practice")
    refusal_text = await ada.read_command("tiles daily", game="points", date=str(last + timedelta(days=1)))
    assert has_sentence(refusal_text, "daily.none")
    assert "Puzzle of" not in refusal_text, "who names a day is told that it has none"


async def test_future_and_missing_puzzles_are_explained(sim: SimGuild, ada: Member) -> None:
    set_date(sim, FIRST_DAY + timedelta(days=3))
    ask_for_day = lambda day: ada.use_command("tiles daily", date=day)  # noqa: E731
    assert has_sentence(read_private_text(await ask_for_day("2026-11-05")), "daily.to_come")
    assert has_sentence(read_private_text(await ask_for_day("9999-12-31")), "daily.to_come")
    assert has_sentence(
        read_private_text(await ask_for_day("2026-10-31")), "daily.none", first="Nov 1, 2026", last="Nov 4, 2026"
    )
    assert has_sentence(read_private_text(await ask_for_day("tomorrow")), "daily.no_date")
    assert has_sentence(read_private_text(await ask_for_day("2026-02-30")), "daily.no_date")
    suggestions = await ada.autocomplete(sim.channel, "tiles daily", "date", "")
    assert [one["value"] for one in suggestions] == ["2026-11-04", "2026-11-03", "2026-11-02", "2026-11-01"]
    forged = await sim.post(
        *(
            f"by:{verb}|{PuzzleChoice('triominoes', FIRST_DAY + timedelta(days=9), ('5',))}"
            for verb in ("daily", "dailyhint", "dailyanswer", "dailytext", "dailyshare")
        )
    )
    for one in read_button_ids(forged).values():
        assert has_sentence(read_private_text(await ada.click(forged, custom_id=one)), "daily.to_come")
    assert await PuzzleStore(sim.store.transactions).find_try(ada.id, "triominoes", "2026-11-10") is None


@pytest.mark.parametrize(
    "argument",
    [
        *("", "chess@20261102", "triominoes", "triominoes@2026110", "triominoes@20261399", "triominoes@20261103@1"),
        *("triominoes@20261102@U0,0=9", "triominoes@20261102@U9,9=555", "triominoes@20261102@345@345@345@345"),
    ],
)
async def test_forged_choices_are_refused_without_costing_attempt(sim: SimGuild, ada: Member, argument: str) -> None:
    set_date(sim, FIRST_DAY + timedelta(days=3))
    press = f"by:dailyanswer|{argument}" if argument else "by:dailyanswer"
    forged = await sim.post(press)
    assert read_private_text(await ada.click(forged, custom_id=press))
    for day in ("2026-11-02", "2026-11-03"):
        stored_try = await PuzzleStore(sim.store.transactions).find_try(ada.id, "triominoes", day)
        assert stored_try is None or stored_try.answers == ()


async def test_puzzle_still_counts_one_hour_after_midnight(sim: SimGuild, ada: Member, grace: Member) -> None:
    puzzle = load_daily_puzzle("bridge")
    set_date(sim, puzzle.day, hour=23.9)
    first_page = await ada.open_command("tiles daily")
    second_page = await grace.open_command("tiles daily")
    assert has_sentence(read_text(first_page), "daily.counts")
    set_date(sim, puzzle.day, hour=24.5)
    viewed_page = await ada.open_command("tiles daily", date=puzzle.day.isoformat())
    end = int(datetime(puzzle.day.year, puzzle.day.month, puzzle.day.day, tzinfo=UTC).timestamp()) + 25 * 3600
    assert has_sentence(read_text(viewed_page), "daily.counts_late", tries="3 tries left", until=f"<t:{end}:f>")
    result = await answer(ada, first_page, *list_answers(puzzle))
    assert "Streak: 1 day" in read_text(result)
    set_date(sim, puzzle.day, hour=25.5)
    late_answer = await answer(grace, second_page, *list_answers(puzzle))
    assert "**Solved**" in read_text(late_answer)
    assert "Streak" not in read_text(late_answer)
    assert await PuzzleStore(sim.store.transactions).find_solver_rating(grace.id, "triominoes") is None
    assert await PuzzleStore(sim.store.transactions).find_solver_rating(ada.id, "triominoes") is not None
    practice = await ada.open_command("tiles daily", date=(FIRST_DAY).isoformat())
    assert has_sentence(read_text(practice), "daily.practice")


async def test_abandoned_puzzle_counts_as_unsolved(sim: SimGuild, ada: Member) -> None:
    puzzle = load_daily_puzzle("best")
    await answer(ada, await open_daily_puzzle(sim, ada, puzzle), list_wrong_answers(puzzle)[0])
    assert await PuzzleStore(sim.store.transactions).find_solver_rating(ada.id, "triominoes") is None
    set_date(sim, puzzle.day + timedelta(days=1))
    await ada.use_command("tiles daily")
    rating_after = await PuzzleStore(sim.store.transactions).find_solver_rating(ada.id, "triominoes")
    assert rating_after.mu < 25
    over = await ada.open_command("tiles daily", date=puzzle.day.isoformat())
    assert has_sentence(read_text(over), "daily.unsolved")


async def test_viewed_puzzle_becomes_practice_later_with_free_hint(sim: SimGuild, ada: Member) -> None:
    puzzle = load_daily_puzzle("best")
    await open_daily_puzzle(sim, ada, puzzle)
    set_date(sim, puzzle.day + timedelta(days=3))
    late_answer = await ada.open_command("tiles daily", date=puzzle.day.isoformat())
    assert has_sentence(read_text(late_answer), "daily.practice")
    await ada.click(late_answer, label="Hint (half credit)")
    await ada.use_command("tiles daily")
    assert await PuzzleStore(sim.store.transactions).find_solver_rating(ada.id, "triominoes") is None
    second_answer = await ada.open_command("tiles daily", date=puzzle.day.isoformat())
    assert "3 tries left" in read_text(second_answer)
    assert "**Hint:**" in read_text(second_answer)


async def test_unsolved_puzzle_ends_streak(sim: SimGuild, ada: Member) -> None:
    before, puzzle = load_daily_puzzle("count"), load_daily_puzzle("best")
    assert "Streak: 1 day" in read_text(
        await answer(ada, await open_daily_puzzle(sim, ada, before), *list_answers(before))
    )
    page = await open_daily_puzzle(sim, ada, puzzle)
    for value in list_wrong_answers(puzzle):
        page = await answer(ada, page, value)
    assert has_sentence(read_text(page), "daily.unsolved")
    assert "Streak: 0 days" in read_text(page)


async def test_every_game_has_puzzles_in_every_language(sim: SimGuild, ada: Member) -> None:
    set_date(sim, FIRST_DAY + timedelta(days=3))
    for game in ("trioker", "triominoes"):
        page = await ada.open_command("tiles daily", game=game)
        assert load_words("en")(f"game.{game}") in read_text(page)
        assert list_menus(page)


def test_streak_counts_consecutive_days() -> None:
    days = [FIRST_DAY + timedelta(days=offset) for offset in (9, 8, 7, 5)]
    assert [compute_streak(days, FIRST_DAY + timedelta(days=offset)) for offset in (9, 10, 11, 5, 7, 4)] == [
        3,
        3,
        0,
        1,
        1,
        0,
    ]


def test_rating_changes_less_with_more_help() -> None:
    def build_try(answers: int, *, solved: bool = True, hinted: bool = False) -> PuzzleTry:
        return PuzzleTry(1, "triominoes", "2026-11-02", True, hinted, ("a",) * answers, solved, 1, None)

    steps = [build_try(1), build_try(1, hinted=True), build_try(2), build_try(3), build_try(3, hinted=True)]
    assert [compute_weight(one) for one in steps] == [1.0, 0.5, 0.6, 0.3, 0.15]
    solver_rating, puzzle_rating = rate_puzzle(None, None, build_try(1))
    assert solver_rating.mu > 25 > puzzle_rating.mu
    solver_rating_lost, puzzle_rating_won = rate_puzzle(None, None, build_try(3, solved=False))
    assert solver_rating_lost.mu < 25 < puzzle_rating_won.mu
    assert all(rate_puzzle(None, None, one)[0].mu > 25 for one in steps)


def test_answer_is_accepted_in_any_order() -> None:
    puzzle = load_daily_puzzle("hexagons")
    line = parse_solution(puzzle.puzzle, puzzle.match.rules)
    if len(line) == 2 and line[1] in puzzle.match.list_legal_moves(puzzle.match.turn):
        assert build_proposal(puzzle.puzzle, puzzle.match, line[::-1]).solved
