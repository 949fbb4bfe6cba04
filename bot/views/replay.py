"""A match that is over, move by move: the picture after each, and what was done."""

from typing import Any

import discord
from discord import ui

from bot.service.replays import Replay
from bot.service.tables import Table
from bot.views import ending, telling
from bot.views import sentences as sentences
from bot.views.films import FRAMES, SPEEDS
from bot.views.history import Filter
from bot.views.names import Names
from bot.views.parts import CALM_COLOUR, Item, Press, button, layout, menu, primary, rows
from bot.views.pictures import picture
from bot.views.table import captions, seat_colour
from data.words import Words
from engine.events import Drew, RoundEnded
from engine.seen import see
from engine.story import Story
from render import Picture, table_picture

REPLAY_FILE = "replay.png"
FILM_FILE = "film.gif"


def still(story: Story, names: Names, words: Words, theme: str, scheme: str = "dark") -> Picture:
    """The table at a moment of its match, as everybody saw it."""
    seen = see(story.match, None)
    return table_picture(seen, names.pictured, captions(seen, story, names, words), theme=theme, scheme=scheme)


def replay_view(
    replay: Replay, number: int, table: Table, names: Names, words: Words, alt: str, *, listed: bool = False
) -> ui.LayoutView:
    """One step: the picture goes along as `replay.png`. From a match that is `listed` among the reader's own a button
    leads there.
    """
    assert table.story is not None
    seen = see(table.match, None)
    moves, match_id = {"plays": table.story.plays, "of": replay.plays}, replay.head.match_id
    title = words("replay.title", title=sentences.title_text(words, seen), **moves)
    lines = done(table.story, names, words, table.terms.theme) or [words("replay.dealt")]
    if seen.ended or seen.round_over is None:
        lines.append(sentences.whose_turn(words, seen, names.safe))
    lines.append(words("replay.line", number=number, of=replay.last))
    return layout(
        ui.TextDisplay(f"### {title}"),
        picture(REPLAY_FILE, alt),
        ui.TextDisplay("\n".join(lines)[:3000]),
        *rows(_steps(replay, number, words)),
        *rows(
            [
                button(words("replay.film"), Press("film", match_id)),
                *_review(replay, words),
                *_back(words, listed=listed),
            ]
        ),
        *_rounds(replay, number, words),
        colour=seat_colour(seen),
    )


def film_view(replay: Replay, speed: str, words: Words, alt: str, *, listed: bool = False) -> ui.LayoutView:
    """The film of a match, which goes along as `film.gif`, and how fast it may be; `listed` as in `replay_view`."""
    match_id = replay.head.match_id
    options = [discord.SelectOption(label=words(f"replay.{one}"), value=one, default=one == speed) for one in SPEEDS]
    whole = len(replay.shown) <= FRAMES
    game = words(f"game.{replay.head.game}")
    title = (
        words("replay.film_title", game=game, n=replay.plays)
        if whole
        else words("replay.film_end", game=game, of=FRAMES)
    )
    return layout(
        ui.TextDisplay(f"### {title}"),
        picture(FILM_FILE, alt),
        menu(Press("film", match_id), words("replay.speed"), options),
        *rows(
            [
                button(words("replay.steps"), Press("replay", match_id)),
                *_review(replay, words),
                *_back(words, listed=listed),
            ]
        ),
        colour=CALM_COLOUR,
    )


def film_alt(replay: Replay, names: Names, words: Words) -> str:
    """The film in words: how it ends."""
    story = replay.end.story
    assert story is not None
    return sentences.clipped(words("replay.film_alt", end=replay_alt(story, names, words)))


def asked_speed(text: str) -> str:
    """The speed that an id or a menu names, which may say anything."""
    return text if text in SPEEDS else "normal"


def done(story: Story, names: Names, words: Words, theme: str) -> list[str]:
    """What was done in the last step, with its arithmetic; nothing before the first."""
    if story.told and isinstance(drew := story.told[-1].event, Drew):
        return [words("replay.drew", name=f"**{names.safe[drew.seat]}**")]
    lines: list[str] = []
    for told in reversed(story.lately()):
        line = telling.line(words, told, story.match.rules, names.safe, theme=theme, located=True)
        lines += [line] if line else []
        if not isinstance(told.event, RoundEnded):
            break
    return lines[::-1]


def replay_alt(story: Story, names: Names, words: Words) -> str:
    """The picture in words."""
    return ending.alt(see(story.match, None), story, names, words)


def _steps(replay: Replay, number: int, words: Words) -> list[ui.Button[Any]]:
    """First, back, forward, last. Where they lead stands in their ids, no two of which are the same."""
    last, match_id = replay.last, replay.head.match_id

    def step(way: str, to: int, *, make: Any = button, off: bool) -> ui.Button[Any]:
        press = Press("replay", match_id, argument=f"{way}.{min(max(0, to), last)}")
        made: ui.Button[Any] = make(words(f"replay.{way}"), press, disabled=off)
        return made

    return [
        step("first", 0, off=number == 0),
        step("back", number - 1, off=number == 0),
        step("forward", number + 1, make=primary, off=number == last),
        step("last", last, off=number == last),
    ]


def _review(replay: Replay, words: Words) -> list[ui.Button[Any]]:
    """The way to what the match looks like move by move when it is weighed; a guided game is not."""
    return [] if replay.end.terms.guided else [button(words("review.button"), Press("review", replay.head.match_id))]


def _back(words: Words, *, listed: bool) -> list[ui.Button[Any]]:
    """The way to the list of the reader's own matches, where this one is among them."""
    return [button(words("history.back"), Press("history", argument=str(Filter())))] if listed else []


def _rounds(replay: Replay, number: int, words: Words) -> list[Item]:
    """A menu of the rounds, where there are several: those around the one that is shown, 25 at most."""
    first = replay.rounds
    if len(first) < 2:
        return []
    here = replay.steps[number].round
    near = sorted(sorted(first, key=lambda one: abs(one - here))[:25])
    options = [
        discord.SelectOption(label=words("replay.round", round=one), value=str(first[one]), default=one == here)
        for one in near
    ]
    return [menu(Press("replay", replay.head.match_id), words("replay.go"), options)]


def asked_step(text: str, last: int) -> int:
    """The step that an id or a menu names, which may say anything: the nearest there is, and the first for nonsense."""
    digits = text.rpartition(".")[2]
    return min(int(digits), last) if digits.isascii() and digits.isdigit() else 0
