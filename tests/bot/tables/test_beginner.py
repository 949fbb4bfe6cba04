"""A new player wins the guided game within two minutes, at three seconds a click."""

import asyncio
from dataclasses import dataclass, field
from random import Random
from typing import Any

from bot.core.layout import parse_custom_id
from bot.playground import components
from tests.bot.local_bot import LocalBot
from tests.playground.page_user import PageUser
from tests.wording import has_sentence

SECONDS_PER_PRESS = 3
MAX_PRESSES_TO_FIRST_TILE = 2
MAX_PRESSES = 12
MAX_SECONDS = 120
BEST_MOVES = 3
VERB_PRIORITY = {"play": 0, "move": 1, "tile": 1, "choose": 2, "draw": 2, "pass": 2}

Json = dict[str, Any]


@dataclass
class GuidedGame:
    presses: int = 0
    presses_to_first_tile: int = 0
    texts: list[str] = field(default_factory=list)


async def play_guided_game(person: PageUser, channel_id: str, rng: Random) -> GuidedGame:
    game = GuidedGame(presses=1)
    message = await person.wait_for_answer(
        channel_id, await person.use_command(channel_id, "tiles", "help", guided=True)
    )
    while True:
        while not (is_over(message) or find_choices(message)):
            message = await wait_for_change(person, message)
        game.texts.append(read_text(message))
        if is_over(message):
            return game
        buttons = [one for one in find_choices(message) if one["type"] == components.BUTTON]
        choice = rng.choice(buttons[: 1 if has_sentence(game.texts[-1], "lesson.first") else BEST_MOVES])
        await person.click(message, custom_id=choice["custom_id"])
        game.presses += 1
        message = await wait_for_change(person, message)
        if not game.presses_to_first_tile and has_played(message):
            game.presses_to_first_tile = game.presses


async def wait_for_change(person: PageUser, message: Json) -> Json:
    found = message
    async with asyncio.timeout(60):
        while found["components"] == message["components"]:
            await asyncio.sleep(0.05)
            found = await person.fetch_message(message["channel_id"], message["id"])
    return found


def find_choices(message: Json) -> list[Json]:
    components_by_id = [
        (parse_custom_id(str(one.get("custom_id", ""))), one) for one in components.walk(message["components"])
    ]
    found = [
        (VERB_PRIORITY[press.verb], one)
        for press, one in components_by_id
        if press is not None and press.verb in VERB_PRIORITY
    ]
    return [one for _, one in sorted(found, key=lambda pair: pair[0])]


def is_over(message: Json) -> bool:
    return any(str(one.get("custom_id", "")).startswith("by:guide") for one in components.walk(message["components"]))


def has_played(message: Json) -> bool:
    return any(has_sentence(read_text(message), f"hand.played{end}") for end in ("", "_at", "_bare", "_at_bare"))


def read_text(message: Json) -> str:
    return "\n".join(components.list_texts(message["components"]))


async def test_new_player_wins_guided_game_in_two_minutes(local: LocalBot) -> None:
    for number, person in enumerate((local.ada, local.grace)):
        game = await play_guided_game(person, local.channel_id, Random(number))

        assert 0 < game.presses_to_first_tile <= MAX_PRESSES_TO_FIRST_TILE
        assert game.presses <= MAX_PRESSES
        assert game.presses * SECONDS_PER_PRESS <= MAX_SECONDS
        assert has_sentence(game.texts[-1], "lesson.won")
        all_text = "\n".join(game.texts)
        assert has_sentence(all_text, "lesson.corner")
        assert has_sentence(all_text, "lesson.draw_own") or has_sentence(all_text, "lesson.draw_other")
