"""The public card of a puzzle, without its answer."""

import sqlite3
from contextlib import closing

import pytest
from simcord import MemberActor

from bot.core.environment import to_epoch_ms
from bot.operating.backup import recount
from bot.puzzles.service import DailyPuzzle, PuzzleStanding
from bot.puzzles.views import format_answer, format_solution, render_card
from data.puzzle_book import load_puzzles
from data.rulebook import list_games
from data.store.puzzles.tries import PuzzleTry
from data.words import list_languages, load_words
from engine.puzzles.puzzle import parse_solution
from tests.bot.messages import pictures, private, words_of
from tests.bot.puzzles.daily_puzzles import answer, answer_of, daily, opened, wrong_answers
from tests.bot.simulated_guild import SimGuild
from tests.data.store.scene import RESULT
from tests.render.zlib_pictures import zlib_pictures
from tests.wording import en, says

__all__ = ["zlib_pictures"]  # the fixture


def standing(*answers: str, solved: bool, hinted: bool = False, streak: int = 1) -> PuzzleStanding:
    day = daily("best").day.isoformat()
    return PuzzleStanding(PuzzleTry(7, "triominoes", day, True, hinted, answers, solved, 5, None), streak, None, None)


async def test_card_alt_text_has_numbers_without_answer(sim: SimGuild, ada: MemberActor) -> None:
    before, puzzle = daily("count"), daily("best")
    await answer(ada, await opened(sim, ada, before), *answer_of(before))
    page = await answer(ada, await opened(sim, ada, puzzle), wrong_answers(puzzle)[0])
    page = private(await ada.click(page, label="Hint (half credit)"))
    done = await answer(ada, page, *answer_of(puzzle))

    card = (await ada.click(done, label="Show to all")).followups[-1]

    (alt,) = pictures(card)
    assert alt.startswith(f"{en('daily.title', day='Nov 11, 2026', game='Triominoes')}. ")
    solved = en("daily.card_solved", name="Ada", n=2, most=3, marks="🔺🟢💡").replace("**", "")
    assert alt.endswith(f"{solved}. {en('daily.hint_taken')} {en('daily.streak_of', n=2)}.")
    tile, _, letter = format_answer(puzzle, puzzle.puzzle.line[0], load_words("en")).partition(" ")
    assert not {tile, letter} & set((alt + words_of(card)).split())
    assert "of 2 puzzles" in await recount(sim.url)


async def test_unlisted_solver_learns_how_to_be_listed(sim: SimGuild, ada: MemberActor, linus: MemberActor) -> None:
    puzzle, shown = daily("bridge"), {}
    played = {"user": ada.id, "rated": True, "at": to_epoch_ms(puzzle.day), "guild": sim.guild.id}
    with closing(sqlite3.connect(sim.url.removeprefix("sqlite:///"))) as connection, connection:
        connection.execute(RESULT, played)
    for person in (ada, linus):
        done = await answer(person, await opened(sim, person, puzzle), *answer_of(puzzle))
        shown[person.id] = (await person.click(done, label="Show to all")).followups
    assert [words_of(one) for one in shown[ada.id] if one.ephemeral] == []
    card, aside = shown[linus.id]
    assert says(words_of(card), "daily.card_solved", name="Linus", n=1)
    assert "1. Ada 🟢" in words_of(card)
    assert "2." not in words_of(card)
    assert aside.ephemeral
    assert words_of(aside) == en("daily.unlisted")


@pytest.mark.usefixtures("zlib_pictures")
def test_picture_does_not_depend_on_answer() -> None:
    puzzle = daily("best")
    right = str(parse_solution(puzzle.puzzle, puzzle.match.rules)[0])
    files = [
        render_card(puzzle, standing(wrong, right, solved=True), "Ada", load_words("en"), "dark")
        for wrong in wrong_answers(puzzle, 4)
    ]
    assert len(files) > 1
    assert len({(picture.png, alt) for picture, alt in files}) == 1


def test_single_deal_puzzle_explains_points() -> None:
    last = {}
    for game in list_games():
        day, puzzle = next((day, one) for day, one in load_puzzles(game).items() if one.kind == "best")
        last[game] = format_solution(DailyPuzzle(game, day, puzzle), load_words("en"))[-1]
    of_a_win = {game for game, line in last.items() if line == load_words("en")("review.one_deal")}
    assert of_a_win == {"muggins", "points", "star", "trioker"}
    assert all("10000 deals" in last[game] for game in list_games() if game not in of_a_win)


@pytest.mark.parametrize("language", list_languages())
def test_card_text_has_no_markup_in_any_language(language: str) -> None:
    said = load_words(language)
    for went in (standing("a", solved=True, hinted=True, streak=12), standing("a", "b", "c", solved=False)):
        _, alt = render_card(daily("best"), went, "Ada *the* **first**", said, "light")
        assert "Ada *the* **first**" in alt
        assert "**" not in alt.replace("Ada *the* **first**", "")
        assert ("12" in alt, "🟢💡" in alt) == ((True, True) if went.attempt.solved else (False, False))
        assert (said("daily.hint_taken").removesuffix(".") in alt) == went.attempt.hinted
