"""The command `/tiles daily`: solving puzzles privately and sharing the result."""

from datetime import UTC, datetime, timedelta

import pytest
from simcord import MemberActor

from bot.core.environment import compute_streak
from bot.puzzles.service import SEPARATOR, compute_weight, rate_puzzle
from bot.puzzles.views import PuzzleChoice, format_answer
from data.puzzle_book import load_puzzles
from data.store.puzzles.store import PuzzleStore
from data.store.puzzles.tries import PuzzleTry
from data.words import load_words
from engine.match.player_view import view_for
from engine.puzzles.puzzle import PuzzleKind, build_proposal, parse_solution
from tests.bot.messages import Message, button_ids, menus, parts, pictures, private, told, words_of
from tests.bot.puzzles.daily_puzzles import FIRST, answer, answer_of, choose, daily, go_to, opened, wrong_answers
from tests.bot.simulated_guild import SimGuild
from tests.wording import en, says


@pytest.mark.parametrize("kind", ["bridge", "count", "best", "hexagons", "out"])
async def test_each_puzzle_kind_is_solved_by_menus(sim: SimGuild, ada: MemberActor, kind: PuzzleKind) -> None:
    puzzle = daily(kind)
    page = await opened(sim, ada, puzzle)
    assert load_words("en")(f"daily.task_{kind}") in words_of(page)
    assert "3 tries left" in words_of(page)
    assert pictures(page)

    done = await answer(ada, page, *answer_of(puzzle))

    assert says(words_of(done), "daily.solved", n=1)
    solved = SEPARATOR.join(answer_of(puzzle))
    assert en("daily.answer", answer=format_answer(puzzle, solved, load_words("en"))) in words_of(done)
    assert "Streak: 1 day" in words_of(done)
    assert says(words_of(done), "daily.others", solved=1, n=1)
    if kind == "best":
        assert "10000 deals" in words_of(done)


async def test_three_wrong_answers_end_puzzle(sim: SimGuild, ada: MemberActor) -> None:
    puzzle = daily("best")
    page = await opened(sim, ada, puzzle)
    wrong = wrong_answers(puzzle)
    for left, value in zip((2, 1), wrong[:2], strict=True):
        before = await choose(ada, page, value)
        page = private(await ada.click(before, label="Answer"))
        assert f"{left} tr" in words_of(page)
        assert load_words("en")("daily.not_it", answer=format_answer(puzzle, value, load_words("en"))) in words_of(page)
    again = await answer(ada, page, wrong[0])
    assert says(words_of(again), "daily.again")
    assert "1 try left" in words_of(again)
    over = await answer(ada, again, wrong[2])
    assert says(words_of(over), "daily.unsolved")
    assert "Streak: 0 days" in words_of(over)

    late = await sim.post(f"by:dailyanswer|{PuzzleChoice('triominoes', puzzle.day, tuple(answer_of(puzzle)))}")
    after = private(await ada.click(late))

    assert says(words_of(after), "daily.unsolved")
    tried = await PuzzleStore(sim.store.transactions).find_try(ada.id, "triominoes", puzzle.day.isoformat())
    assert tried.answers == tuple(wrong[:3])
    assert tried.rating.mu < 25


async def test_open_puzzle_does_not_reveal_answer(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    for kind in ("bridge", "count", "best", "hexagons", "out"):
        puzzle = daily(kind)
        page = await opened(sim, ada, puzzle)
        seat = puzzle.match.turn
        points = {f"+{move.points}" for move in view_for(puzzle.match, seat).moves if move.points > 15}
        assert not points & {*words_of(page).replace(";", " ").split()}
        ids = [*button_ids(page).values()]
        assert not any("=" in one for one in ids), "ids carry what was chosen, and nothing was"
        if kind != "count":
            values = [option.value for menu in menus(page) for option in menu.options]
            assert {*values} == {str(one) for one in puzzle.match.list_legal_moves(seat)}
            tiles = [value.split("=")[1] for value in values]
            order = [sorted(tile) for tile in tiles]
            assert order == sorted(order), "in the order of tiles, whatever they would bring"
            for option in menus(page)[0].options:
                assert "hexagon" not in f"{option.label} {option.description}"
                assert "ridge" not in f"{option.label} {option.description}"
        puzzle_in_words = private(await ada.click(page, label="Show as text"))
        assert not points & {*words_of(puzzle_in_words).replace(";", " ").replace(",", " ").split()}
        theirs = private(await grace.slash(sim.channel, "tiles daily"))
        assert [option.value for menu in menus(theirs) for option in menu.options] == [
            option.value for menu in menus(page) for option in menu.options
        ]


async def test_trying_a_choice_does_not_reveal_closed_hexagon(sim: SimGuild, ada: MemberActor) -> None:
    puzzle = daily("hexagons")
    page = await opened(sim, ada, puzzle)
    first, *_ = answer_of(puzzle)
    right = await choose(ada, page, first)
    wrong = await choose(ada, private(await ada.click(right, label="Back")), wrong_answers(puzzle, 1)[0])
    for shown in (right, wrong):
        assert "losed" not in words_of(shown)
        assert says(button_ids(shown), "daily.give_one")
    tried = await PuzzleStore(sim.store.transactions).find_try(ada.id, "triominoes", puzzle.day.isoformat())
    assert tried.answers == (), "to look is no try"


async def test_hint_halves_points_and_stays_visible(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    puzzle = daily("bridge")
    page = await opened(sim, ada, puzzle)
    hinted = private(await ada.click(page, label="Hint (half credit)"))
    assert "**Hint:** look at" in words_of(hinted)
    assert "Hint (then" not in str([*button_ids(hinted)])
    page = private(await ada.slash(sim.channel, "tiles daily"))
    assert "**Hint:**" in words_of(page), "it is not forgotten, and not to be had for nothing"
    done = await answer(ada, page, *answer_of(puzzle))
    assert says(words_of(done), "daily.solved_hinted", n=1)
    hers = await opened(sim, grace, puzzle)
    await answer(grace, hers, *answer_of(puzzle))
    with_hint, without = [
        await PuzzleStore(sim.store.transactions).find_solver_rating(who.id, "triominoes") for who in (ada, grace)
    ]
    assert 25 < with_hint.mu < without.mu


async def test_card_is_shared_once_without_answer(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    puzzle = daily("best")
    wrong = wrong_answers(puzzle)
    page = await answer(ada, await opened(sim, ada, puzzle), wrong[0])
    done = await answer(ada, page, *answer_of(puzzle))
    shared = await ada.click(done, label="Show to all")
    card = shared.followups[-1]
    assert not card.ephemeral
    text = words_of(card)
    assert says(text, "daily.card_solved", name="Ada", n=2, most="3", marks="🔺🟢")
    assert "1. Ada 🔺🟢" in text
    letters = format_answer(puzzle, puzzle.puzzle.line[0], load_words("en"))
    assert letters not in text
    assert letters.split(" ")[0] not in text
    assert all(value not in str(list(parts(card))) for value in wrong)
    again = await ada.click(done, label="Show to all")
    assert says(told(again), "daily.shared_before")
    assert all(one.ephemeral for one in again.followups)

    hers = private(await grace.click(card, label="Solve it"))
    first = await answer(grace, hers, *answer_of(puzzle))
    assert "1. Ada 🔺🟢" in words_of(first)
    assert "Grace" not in words_of(first), "nobody stands there who has not shown it"
    newest = (await grace.click(first, label="Show to all")).followups[-1]
    assert "1. Grace 🟢\n2. Ada 🔺🟢" in words_of(newest)
    go_to(sim, puzzle.day + timedelta(days=2))
    old = private(await ada.slash(sim.channel, "tiles daily", date=puzzle.day.isoformat()))
    assert "Show to all" not in _labels(old)
    forged = await sim.post(f"by:dailyshare|{PuzzleChoice('triominoes', puzzle.day)}")
    late = told(await ada.click(forged))
    assert "🔺" not in late, "nobody fills a channel with old ones"
    assert late == en("daily.share_late")


def _labels(message: Message) -> str:
    return str([*button_ids(message)])


async def test_help_has_button_for_daily_puzzle(sim: SimGuild, ada: MemberActor) -> None:
    last = max(load_puzzles("triominoes"))
    for day, named in (
        (FIRST + timedelta(days=3), "Nov 4, 2026"),
        (last + timedelta(days=9), f"{last:%b} {last.day},"),
    ):
        go_to(sim, day)
        helped = private(await ada.slash(sim.channel, "tiles help"))
        assert f"Puzzle of {named}" in words_of(private(await ada.click(helped, label=en("help.daily"))))
    helped = private(await ada.slash(sim.channel, "tiles help"))
    assert "MacMahon’s hexagon" in words_of(private(await ada.click(helped, label="Solo puzzles")))


async def test_last_puzzle_stays_available_for_practice(sim: SimGuild, ada: MemberActor) -> None:
    last = max(load_puzzles("points"))
    go_to(sim, last + timedelta(days=40))
    shown = private(await ada.slash(sim.channel, "tiles daily", game="points"))
    named = f"{last:%b} {last.day}, {last.year}"
    assert says(words_of(shown), "daily.none", first="Nov 1, 2026", last=named)
    assert f"Puzzle of {named} · Points" in words_of(shown)
    assert says(words_of(shown), "daily.practice")
    typed = told(await ada.slash(sim.channel, "tiles daily", game="points", date=str(last + timedelta(days=1))))
    assert says(typed, "daily.none")
    assert "Puzzle of" not in typed, "who names a day is told that it has none"


async def test_future_and_missing_puzzles_are_explained(sim: SimGuild, ada: MemberActor) -> None:
    go_to(sim, FIRST + timedelta(days=3))
    ask = lambda day: ada.slash(sim.channel, "tiles daily", date=day)  # noqa: E731
    assert says(told(await ask("2026-11-05")), "daily.to_come")
    assert says(told(await ask("9999-12-31")), "daily.to_come")
    assert says(told(await ask("2026-10-31")), "daily.none", first="Nov 1, 2026", last="Nov 4, 2026")
    assert says(told(await ask("tomorrow")), "daily.no_date")
    assert says(told(await ask("2026-02-30")), "daily.no_date")
    offered = await ada.autocomplete(sim.channel, "tiles daily", "date", "")
    assert [one["value"] for one in offered] == ["2026-11-04", "2026-11-03", "2026-11-02", "2026-11-01"]
    forged = await sim.post(
        *(
            f"by:{verb}|{PuzzleChoice('triominoes', FIRST + timedelta(days=9), ('5',))}"
            for verb in ("daily", "dailyhint", "dailyanswer", "dailytext", "dailyshare")
        )
    )
    for one in button_ids(forged).values():
        assert says(told(await ada.click(forged, custom_id=one)), "daily.to_come")
    assert await PuzzleStore(sim.store.transactions).find_try(ada.id, "triominoes", "2026-11-10") is None


@pytest.mark.parametrize(
    "argument",
    [
        *("", "chess@20261102", "triominoes", "triominoes@2026110", "triominoes@20261399", "triominoes@20261103@1"),
        *("triominoes@20261102@U0,0=9", "triominoes@20261102@U9,9=555", "triominoes@20261102@345@345@345@345"),
    ],
)
async def test_forged_choices_are_refused_without_costing_attempt(
    sim: SimGuild, ada: MemberActor, argument: str
) -> None:
    go_to(sim, FIRST + timedelta(days=3))
    press = f"by:dailyanswer|{argument}" if argument else "by:dailyanswer"
    forged = await sim.post(press)
    assert told(await ada.click(forged, custom_id=press))
    for day in ("2026-11-02", "2026-11-03"):
        tried = await PuzzleStore(sim.store.transactions).find_try(ada.id, "triominoes", day)
        assert tried is None or tried.answers == ()


async def test_puzzle_still_counts_one_hour_after_midnight(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    puzzle = daily("bridge")
    go_to(sim, puzzle.day, hour=23.9)
    hers = private(await ada.slash(sim.channel, "tiles daily"))
    others = private(await grace.slash(sim.channel, "tiles daily"))
    assert says(words_of(hers), "daily.counts")
    go_to(sim, puzzle.day, hour=24.5)
    looked = private(await ada.slash(sim.channel, "tiles daily", date=puzzle.day.isoformat()))
    end = int(datetime(puzzle.day.year, puzzle.day.month, puzzle.day.day, tzinfo=UTC).timestamp()) + 25 * 3600
    assert says(words_of(looked), "daily.counts_late", tries="3 tries left", until=f"<t:{end}:f>")
    done = await answer(ada, hers, *answer_of(puzzle))
    assert "Streak: 1 day" in words_of(done)
    go_to(sim, puzzle.day, hour=25.5)
    late = await answer(grace, others, *answer_of(puzzle))
    assert "**Solved**" in words_of(late)
    assert "Streak" not in words_of(late)
    assert await PuzzleStore(sim.store.transactions).find_solver_rating(grace.id, "triominoes") is None
    assert await PuzzleStore(sim.store.transactions).find_solver_rating(ada.id, "triominoes") is not None
    practice = private(await ada.slash(sim.channel, "tiles daily", date=(FIRST).isoformat()))
    assert says(words_of(practice), "daily.practice")


async def test_abandoned_puzzle_counts_as_unsolved(sim: SimGuild, ada: MemberActor) -> None:
    puzzle = daily("best")
    await answer(ada, await opened(sim, ada, puzzle), wrong_answers(puzzle)[0])
    assert await PuzzleStore(sim.store.transactions).find_solver_rating(ada.id, "triominoes") is None
    go_to(sim, puzzle.day + timedelta(days=1))
    await ada.slash(sim.channel, "tiles daily")
    lost = await PuzzleStore(sim.store.transactions).find_solver_rating(ada.id, "triominoes")
    assert lost.mu < 25
    over = private(await ada.slash(sim.channel, "tiles daily", date=puzzle.day.isoformat()))
    assert says(words_of(over), "daily.unsolved")


async def test_viewed_puzzle_becomes_practice_later_with_free_hint(sim: SimGuild, ada: MemberActor) -> None:
    puzzle = daily("best")
    await opened(sim, ada, puzzle)
    go_to(sim, puzzle.day + timedelta(days=3))
    late = private(await ada.slash(sim.channel, "tiles daily", date=puzzle.day.isoformat()))
    assert says(words_of(late), "daily.practice")
    await ada.click(late, label="Hint (half credit)")
    await ada.slash(sim.channel, "tiles daily")
    assert await PuzzleStore(sim.store.transactions).find_solver_rating(ada.id, "triominoes") is None
    again = private(await ada.slash(sim.channel, "tiles daily", date=puzzle.day.isoformat()))
    assert "3 tries left" in words_of(again)
    assert "**Hint:**" in words_of(again)


async def test_unsolved_puzzle_ends_streak(sim: SimGuild, ada: MemberActor) -> None:
    before, puzzle = daily("count"), daily("best")
    assert "Streak: 1 day" in words_of(await answer(ada, await opened(sim, ada, before), *answer_of(before)))
    page = await opened(sim, ada, puzzle)
    for value in wrong_answers(puzzle):
        page = await answer(ada, page, value)
    assert says(words_of(page), "daily.unsolved")
    assert "Streak: 0 days" in words_of(page)


async def test_every_game_has_puzzles_in_every_language(sim: SimGuild, ada: MemberActor) -> None:
    go_to(sim, FIRST + timedelta(days=3))
    for game in ("trioker", "triominoes"):
        page = private(await ada.slash(sim.channel, "tiles daily", game=game))
        assert load_words("en")(f"game.{game}") in words_of(page)
        assert menus(page)


def test_streak_counts_consecutive_days() -> None:
    days = [FIRST + timedelta(days=offset) for offset in (9, 8, 7, 5)]
    assert [compute_streak(days, FIRST + timedelta(days=offset)) for offset in (9, 10, 11, 5, 7, 4)] == [
        3,
        3,
        0,
        1,
        1,
        0,
    ]


def test_rating_changes_less_with_more_help() -> None:
    def tried(answers: int, *, solved: bool = True, hinted: bool = False) -> PuzzleTry:
        return PuzzleTry(1, "triominoes", "2026-11-02", True, hinted, ("a",) * answers, solved, 1, None)

    steps = [tried(1), tried(1, hinted=True), tried(2), tried(3), tried(3, hinted=True)]
    assert [compute_weight(one) for one in steps] == [1.0, 0.5, 0.6, 0.3, 0.15]
    mine, theirs = rate_puzzle(None, None, tried(1))
    assert mine.mu > 25 > theirs.mu
    lost, won = rate_puzzle(None, None, tried(3, solved=False))
    assert lost.mu < 25 < won.mu
    assert all(rate_puzzle(None, None, one)[0].mu > 25 for one in steps)


def test_answer_is_accepted_in_any_order() -> None:
    puzzle = daily("hexagons")
    line = parse_solution(puzzle.puzzle, puzzle.match.rules)
    if len(line) == 2 and line[1] in puzzle.match.list_legal_moves(puzzle.match.turn):
        assert build_proposal(puzzle.puzzle, puzzle.match, line[::-1]).solved
