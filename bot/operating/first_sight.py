"""The first view of `boneyard play`: a picture of a table, a sentence and buttons."""

from functools import cache
from random import Random
from typing import Final

from bot.playground.world_setup import Shortcut, Welcome, WelcomeSource
from bot.tables import move_labels
from data.rulebook import list_games, load_rules
from data.words import load_words
from engine.match.decide import decide, start
from engine.match.events import Started
from engine.match.player_view import view_for
from engine.match.state import Match, apply_event, create_match
from engine.players import greedy
from engine.players.levels import LEVELS
from render.canvas.picture import Captions
from render.table.table_picture import render_table

SECRET: Final = bytes(range(32))  # a demonstration needs no secret
SHOWN_TILES: Final = 14  # tiles on the table in the picture
NAMES: Final = ("Ada", "Grace")


def build_front() -> WelcomeSource:
    return WelcomeSource(_build_welcome, _render_picture)


def _build_welcome(language: str) -> Welcome:
    texts = load_words(language)
    options = {"computers": 1, "level": LEVELS[0], "rated": False}
    return Welcome(
        alt=texts("opening.alt", game=texts(f"game.{list_games()[0]}")),
        sentence=texts("opening.sentence"),
        play=Shortcut(texts("opening.play"), "tiles", ("help",), {"guided": True}),
        more=tuple(
            Shortcut(texts(f"game.{game}"), "tiles", ("new",), {"game": game} | options) for game in list_games()
        ),
    )


@cache
def _build_match() -> Match:
    first, *rest = start(load_rules(list_games()[0]), seats=2, computers=(0, 1), by_hand=False, secret=SECRET)
    assert isinstance(first, Started)
    match, rng = create_match(first), Random(1)  # noqa: S311 - a demonstration
    for event in rest:
        apply_event(match, event)
    while len(match.board.placed) < SHOWN_TILES:
        for event in decide(match, greedy.choose(view_for(match, match.turn), rng), SECRET):
            apply_event(match, event)
    return match


def _render_picture(language: str) -> bytes:
    texts, view = load_words(language), view_for(_build_match(), None)
    captions = Captions(
        title=move_labels.format_title(texts, view),
        subtitle="",
        turn=texts("board.turn", name=NAMES[view.turn]),
        note=move_labels.format_target(texts, view.rules),
    )
    return render_table(view, NAMES, captions).png
