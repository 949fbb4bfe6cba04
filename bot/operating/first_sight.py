"""The first view of `boneyard play`: a picture of a table, a sentence and buttons."""

from functools import cache
from random import Random
from typing import Final

from bot.playground.world_setup import Front, Shortcut, Welcome
from bot.tables import move_labels
from data.rulebook import games, rules
from data.words import words
from engine.match.decide import decide, start
from engine.match.events import Started
from engine.match.player_view import view_for
from engine.match.state import Match, evolve, started
from engine.players import greedy
from engine.players.levels import LEVELS
from render.canvas.picture import Captions
from render.table.table_picture import table_picture

SECRET: Final = bytes(range(32))  # a demonstration needs no secret
SHOWN: Final = 14  # tiles on the table in the picture
NAMES: Final = ("Ada", "Grace")


def front() -> Front:
    return Front(_opening, _picture)


def _opening(language: str) -> Welcome:
    said = words(language)
    return Welcome(
        alt=said("opening.alt", game=said(f"game.{games()[0]}")),
        sentence=said("opening.sentence"),
        play=Shortcut(said("opening.play"), "tiles", ("help",), {"guided": True}),
        more=tuple(
            Shortcut(
                said(f"game.{game}"),
                "tiles",
                ("new",),
                {"game": game, "computers": 1, "level": LEVELS[0], "rated": False},
            )
            for game in games()
        ),
    )


@cache
def _in_the_middle() -> Match:
    first, *rest = start(rules(games()[0]), seats=2, computers=(0, 1), by_hand=False, secret=SECRET)
    assert isinstance(first, Started)
    match, chance = started(first), Random(1)  # noqa: S311 - a demonstration
    for event in rest:
        evolve(match, event)
    while len(match.board.placed) < SHOWN:
        for event in decide(match, greedy.choose(view_for(match, match.turn), chance), SECRET):
            evolve(match, event)
    return match


def _picture(language: str) -> bytes:
    said, seen = words(language), view_for(_in_the_middle(), None)
    captions = Captions(
        title=move_labels.title_text(said, seen),
        subtitle="",
        turn=said("board.turn", name=NAMES[seen.turn]),
        note=move_labels.target_text(said, seen.rules),
    )
    return table_picture(seen, NAMES, captions).png
