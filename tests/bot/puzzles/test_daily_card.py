"""The public card of a puzzle, without its answer."""

import sqlite3
from contextlib import closing

import pytest

from bot.core.environment import to_epoch_ms
from bot.operating.backup import recount
from bot.puzzles.service import DailyPuzzle, PuzzleStanding
from bot.puzzles.views import format_answer, format_solution, render_card
from data.puzzle_book import load_puzzles
from data.rulebook import list_games
from data.store.puzzles.tries import PuzzleTry
from data.words import list_languages, load_words
from engine.puzzles.puzzle import parse_solution
from tests.bot.member import Member
from tests.bot.messages import list_alt_texts, read_text
from tests.bot.puzzles.daily_puzzles import (
    answer,
    list_answers,
    list_wrong_answers,
    load_daily_puzzle,
    open_daily_puzzle,
)
from tests.bot.simulated_guild import SimGuild
from tests.data.store.scene import INSERT_RESULT
from tests.render.zlib_pictures import zlib_pictures
from tests.wording import en, has_sentence

__all__ = ["zlib_pictures"]  # the fixture


def build_standing(*answers: str, solved: bool, hinted: bool = False, streak: int = 1) -> PuzzleStanding:
    day = load_daily_puzzle("best").day.isoformat()
    return PuzzleStanding(PuzzleTry(7, "triominoes", day, True, hinted, answers, solved, 5, None), streak, None, None)


async def test_card_alt_text_has_numbers_without_answer(sim: SimGuild, ada: Member) -> None:
    before, puzzle = load_daily_puzzle("count"), load_daily_puzzle("best")
    await answer(ada, await open_daily_puzzle(sim, ada, before), *list_answers(before))
    page = await answer(ada, await open_daily_puzzle(sim, ada, puzzle), list_wrong_answers(puzzle)[0])
    page = await ada.open_click(page, "Hint (half credit)")
    result = await answer(ada, page, *list_answers(puzzle))

    card = (await ada.click(result, label="Show to all")).followups[-1]

    (alt,) = list_alt_texts(card)
    assert alt.startswith(f"{en('daily.title', day='Nov 11, 2026', game='Triominoes')}. ")
    solved_text = en("daily.card_solved", name="Ada", n=2, most=3, marks="🔺🟢💡").replace("**", "")
    assert alt.endswith(f"{solved_text}. {en('daily.hint_taken')} {en('daily.streak_of', n=2)}.")
    tile, _, letter = format_answer(puzzle, puzzle.puzzle.line[0], load_words("en")).partition(" ")
    assert not {tile, letter} & set((alt + read_text(card)).split())
    assert "Puzzle ratings: 2." in await recount(sim.url)


async def test_unlisted_solver_learns_how_to_be_listed(sim: SimGuild, ada: Member, linus: Member) -> None:
    puzzle, cards = load_daily_puzzle("bridge"), {}
    attempt = {"user": ada.id, "rated": True, "at": to_epoch_ms(puzzle.day), "guild": sim.guild.id}
    with closing(sqlite3.connect(sim.url.removeprefix("sqlite:///"))) as connection, connection:
        connection.execute(INSERT_RESULT, attempt)
    for person in (ada, linus):
        result = await answer(person, await open_daily_puzzle(sim, person, puzzle), *list_answers(puzzle))
        cards[person.id] = (await person.click(result, label="Show to all")).followups
    assert [read_text(one) for one in cards[ada.id] if one.ephemeral] == []
    card, note = cards[linus.id]
    assert has_sentence(read_text(card), "daily.card_solved", name="Linus", n=1)
    assert "1. Ada 🟢" in read_text(card)
    assert "2." not in read_text(card)
    assert note.ephemeral
    assert read_text(note) == en("daily.unlisted")


@pytest.mark.usefixtures("zlib_pictures")
def test_picture_does_not_depend_on_answer() -> None:
    puzzle = load_daily_puzzle("best")
    right = str(parse_solution(puzzle.puzzle, puzzle.match.rules)[0])
    files = [
        render_card(puzzle, build_standing(wrong, right, solved=True), "Ada", load_words("en"), "dark")
        for wrong in list_wrong_answers(puzzle, 4)
    ]
    assert len(files) > 1
    assert len({(picture.png, alt) for picture, alt in files}) == 1


def test_single_deal_puzzle_explains_points() -> None:
    last = {}
    for game in list_games():
        day, puzzle = next((day, one) for day, one in load_puzzles(game).items() if one.kind == "best")
        last[game] = format_solution(DailyPuzzle(game, day, puzzle), load_words("en"))[-1]
    single_deal_games = {game for game, line in last.items() if line == load_words("en")("review.one_deal")}
    assert single_deal_games == {"muggins", "points", "star", "trioker"}
    assert all("10000 deals" in last[game] for game in list_games() if game not in single_deal_games)


@pytest.mark.parametrize("language", list_languages())
def test_card_text_has_no_markup_in_any_language(language: str) -> None:
    words = load_words(language)
    for puzzle_standing in (
        build_standing("a", solved=True, hinted=True, streak=12),
        build_standing("a", "b", "c", solved=False),
    ):
        _, alt = render_card(load_daily_puzzle("best"), puzzle_standing, "Ada *the* **first**", words, "light")
        assert "Ada *the* **first**" in alt
        assert "**" not in alt.replace("Ada *the* **first**", "")
        assert ("12" in alt, "🟢💡" in alt) == ((True, True) if puzzle_standing.attempt.solved else (False, False))
        assert (words("daily.hint_taken").removesuffix(".") in alt) == puzzle_standing.attempt.hinted
