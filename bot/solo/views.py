"""The views of solo puzzles, for the player and for everyone."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any, Final, Self

import discord
from discord import ui

from bot.core.formats import Grouped
from bot.core.layout import CALM_COLOUR, GOLD, Item, Press, button, layout, menu, primary, rows, select_options
from bot.core.pictures import picture
from bot.solo.service import Standing
from data.words import Words
from engine.board.board import Placement
from engine.board.lattice import Cell
from engine.board.tiles import Tile, canonical, labels_text, rotated, tile_text
from engine.solo.catalogue import FIGURES
from engine.solo.filling import Filling
from engine.solo.search import WaysFound
from render.canvas.picture import Captions, Picture
from render.solo.picture import figure_picture

FIGURE_FILE: Final = "figure.png"
TODAY: Final = "today"  # the score attack's name among the puzzles
ON_PAGE: Final = 25  # options of a menu, by Discord's limit
TOLD: Final = 8  # the most places that a note names
_ASKED: Final = re.compile(r"(?P<name>[a-z]{1,12})\.(?P<version>\d{1,9})(?:\.(?P<rest>[\d.]{1,20}))?", re.ASCII)


@dataclass(frozen=True, slots=True)
class FigureAsked:
    """What a button or option refers to: `bar.12.013.5.1` is the tile 0-1-3 on the sixth cell."""

    name: str
    version: int = 0  # the version that was shown with it
    tile: Tile | None = None
    cell: int | None = None
    turn: int = 0

    @classmethod
    def parsed(cls, text: str) -> Self | None:
        """Parse an id; None if it names no puzzle. The other parts are checked where they are used."""
        found = _ASKED.fullmatch(text)
        if found is None or found["name"] not in FIGURES:
            return None
        asked = cls(found["name"], int(found["version"]))
        parts = (found["rest"] or "").split(".")
        if parts[0]:
            asked = replace(asked, tile=canonical(tuple(map(int, parts[0]))))
        if len(parts) > 1 and parts[1]:
            asked = replace(asked, cell=int(parts[1]))
        return replace(asked, turn=int(parts[2])) if len(parts) > 2 and parts[2] else asked

    def __str__(self) -> str:
        parts = [self.name, str(self.version)]
        if self.tile is not None or self.cell is not None:
            parts.append("" if self.tile is None else labels_text(self.tile))
        if self.cell is not None:
            parts += [str(self.cell), str(self.turn)]
        return ".".join(parts)

    def at(self) -> Cell | None:
        """The cell that is meant; None if the puzzle has no such cell."""
        cells = FIGURES[self.name].cells
        return cells[self.cell] if self.cell is not None and self.cell < len(cells) else None


def drawn_figure(
    filling: Filling, words: Words, scheme: str, *, tile: Tile | None, chosen: Placement | None
) -> tuple[Picture, str]:
    lettered = filling.fits.get(tile, ()) if tile is not None else filling.open
    captions = Captions(_lies(filling, words), figure_rule(filling, words), title(filling, words), "")
    image = figure_picture(filling, captions, lettered=lettered, chosen=chosen, picked=tile, scheme=scheme)
    return image, alt_text(filling, words)


def title(filling: Filling, words: Words) -> str:
    return words(f"solo.{filling.figure.name}")


def figure_rule(filling: Filling, words: Words) -> str:
    figure = filling.figure
    return words("solo.rule_corners") if figure.edge is None else words("solo.rule_edge", edge=figure.edge)


def _lies(filling: Filling, words: Words) -> str:
    return words("solo.lies", laid=len(filling.placed), all=len(filling.figure.cells))


def alt_text(filling: Filling, words: Words) -> str:
    figure = filling.figure
    letter = figure.letter_of
    shown = {cell: tile_text(filling.placed[cell].shown) for cell in figure.cells if cell in filling.placed}
    lying = ", ".join(f"{letter[cell]} {text}" for cell, text in shown.items())
    open_ones = ", ".join(_open_ones(filling))
    parts = [f"{title(filling, words)}. {figure_rule(filling, words)} {_lies(filling, words)}."]
    if open_ones:
        parts.append(words(f"alt.places_{figure.lattice.name}_{figure.labels}", places=open_ones))
    if filling.left:
        parts.append(words("solo.left", tiles=", ".join(map(tile_text, filling.left))))
    if lying:
        parts.append(words("solo.lying", tiles=lying))
    return " ".join(parts)


def _open_ones(filling: Filling) -> Iterator[str]:
    """Return the open cells with the numbers that they need. Large puzzles list cells without any together."""
    letter = filling.figure.letter_of
    for needs, run in groupby(filling.open, lambda cell: _needs(filling, cell)):
        cells = [letter[cell] for cell in run]
        if len(cells) > 2 and len(letter) > ON_PAGE:
            yield f"{cells[0]}–{cells[-1]} {needs}"
        else:
            yield from (f"{one} {needs}" for one in cells)


def _needs(filling: Filling, cell: Cell) -> str:
    return "-".join("?" if need is None else str(need) for need in filling.needs(cell))


def figure_view(
    standing: Standing, asked: FigureAsked, words: Words, alt: str, *, note: str = "", chosen: Placement | None = None
) -> ui.LayoutView:
    """Return a puzzle with the next choice: a tile, its place, its rotation."""
    filling, at = standing.filling, FigureAsked(asked.name, standing.kept.version)
    items: list[Item] = [ui.TextDisplay(f"### {title(filling, words)}\n{_state(standing, words)}")]
    items.append(picture(FIGURE_FILE, alt))
    if note:
        items.append(ui.TextDisplay(note[:2000]))
    if chosen is not None:
        items += _turning(filling, at, chosen, words)
    elif asked.tile is not None and asked.tile in filling.fits:
        items += _placing(filling, replace(at, tile=asked.tile), words)
    else:
        items += _choosing(filling, at, words)
    return layout(*items, colour=GOLD if filling.is_full else CALM_COLOUR)


def _state(standing: Standing, words: Words) -> str:
    filling = standing.filling
    told = [_lies(filling, words)]
    if standing.kept.hints:
        told.append(words("count.hints", n=standing.kept.hints))
    lines = [f"{figure_rule(filling, words)}\n-# {' · '.join(told)}"]
    if filling.is_full:
        lines.append(words("solo.full"))
    elif not filling.fits:
        lines.append(words("solo.stuck"))
    elif filling.dead:
        letters = ", ".join(filling.figure.letter_of[cell] for cell in filling.dead)
        lines.append(words("solo.dead", places=letters))
    return "\n".join(lines)


def _choosing(filling: Filling, at: FigureAsked, words: Words) -> list[Item]:
    items: list[Item] = []
    if filling.fits:
        options = [
            discord.SelectOption(
                label=tile_text(tile),
                value=str(replace(at, tile=tile)),
                description=words("count.cells", n=len(filling.fits[tile])),
            )
            for tile in filling.fits
        ]
        items += _menus("solotile", words("solo.which"), options, words)
    lying = list(filling.placed)[::-1]
    if len(lying) > ON_PAGE:
        lying.sort(key=filling.figure.cells.index)
    if lying and not filling.is_full:
        items += _menus("sololift", words("solo.lift"), [_liftable(filling, at, cell, words) for cell in lying], words)
    items += rows(_buttons(filling, at, words))
    items.append(figures_menu(words, at.name))
    return items


def _menus(verb: str, prompt: str, options: Sequence[discord.SelectOption], words: Words) -> list[Item]:
    """Return as many menus as needed. With several, each label has its first and last option."""
    if len(options) <= ON_PAGE:
        return [menu(Press(verb), prompt, options)]
    pages = [options[start : start + ON_PAGE] for start in range(0, len(options), ON_PAGE)]
    # The number keeps their ids different.
    return [
        menu(Press(verb, number), words("solo.range", prompt=prompt, first=page[0].label, last=page[-1].label), page)
        for number, page in enumerate(pages, 1)
    ]


def figures_menu(words: Words, name: str = TODAY) -> Item:
    """Return the menu of the puzzles and the score attack."""
    values = {figure: str(FigureAsked(figure)) for figure in FIGURES} | {TODAY: TODAY}
    options = select_options({value: words(f"solo.{one}") for one, value in values.items()}, values[name])
    return menu(Press("solo"), words("solo.other"), options)


def _liftable(filling: Filling, at: FigureAsked, cell: Cell, words: Words) -> discord.SelectOption:
    number = filling.figure.cells.index(cell)
    label = words("and.colon", what=filling.figure.letter_of[cell], more=tile_text(filling.placed[cell].shown))
    return discord.SelectOption(label=label, value=str(replace(at, cell=number)))


def _buttons(filling: Filling, at: FigureAsked, words: Words) -> Sequence[ui.Button[Any]]:
    found = [button(words("hand.undo"), Press("soloundo", argument=str(at)), disabled=not filling.acts)]
    if filling.is_full:
        found.append(primary(words("solo.share"), Press("soloshare", argument=str(at))))
        found.append(button(words("solo.again"), Press("soloagain", argument=str(at))))
        return found
    found.append(button(words("solo.ways"), Press("soloways", argument=str(at))))
    found.append(button(words("hint.button"), Press("solohint", argument=str(at))))
    return found


def _placing(filling: Filling, at: FigureAsked, words: Words) -> list[Item]:
    assert at.tile is not None
    figure = filling.figure
    cells = filling.fits[at.tile]
    options = [
        discord.SelectOption(
            label=figure.letter_of[cell],
            value=str(replace(at, cell=figure.cells.index(cell))),
            description=_needs(filling, cell) if set(filling.needs(cell)) != {None} else words("text.any"),
        )
        for cell in cells
    ]
    back = button(words("hand.back"), Press("solo", argument=str(FigureAsked(at.name))))
    return [*_menus("soloplace", words("solo.where", tile=tile_text(at.tile)), options, words), *rows([back])]


def _turning(filling: Filling, at: FigureAsked, chosen: Placement, words: Words) -> list[Item]:
    turns = filling.turns(chosen.tile, chosen.cell)
    number = turns.index(chosen.rotation)
    here = replace(at, tile=chosen.tile, cell=filling.figure.cells.index(chosen.cell), turn=number)
    shown, letter = tile_text(rotated(chosen.tile, chosen.rotation)), filling.figure.letter_of[chosen.cell]
    found = [primary(words("solo.lay", tile=shown, place=letter), Press("sololay", argument=str(here)))]
    if len(turns) > 1:
        turned = replace(here, turn=(number + 1) % len(turns))
        found.append(button(words("solo.turn"), Press("soloplace", argument=str(turned))))
    found.append(button(words("hand.back"), Press("solotile", argument=str(replace(at, tile=chosen.tile)))))
    return rows(found)


def ways_text(found: WaysFound | None, words: Words) -> str:
    if found is None:
        return words("solo.busy")
    if not found.solutions:
        return words("solo.ways_none" if found.whole else "solo.ways_unknown")
    if not found.whole and found.solutions == 1:
        return words("solo.ways_some")
    return words("solo.ways_all" if found.whole else "solo.ways_least", n=Grouped(found.solutions, words.language))


def strayed_text(filling: Filling, words: Words) -> str:
    """Return the tiles that differ from the known solution; empty if they are too many."""
    letter, cells = filling.figure.letter_of, filling.strayed
    if not 0 < len(cells) <= TOLD:
        return ""
    return words("solo.strayed", places=", ".join(letter[cell] for cell in cells))


def shared_view(standing: Standing, name: str, words: Words, alt: str) -> ui.LayoutView:
    hints = standing.kept.hints
    helped = words("count.hints", n=hints) if hints else words("solo.unhelped")
    told = words("solo.shared", name=name, figure=title(standing.filling, words), hints=helped)
    mine = button(words("solo.try"), Press("solo", argument=str(FigureAsked(standing.filling.figure.name))))
    return layout(ui.TextDisplay(told), picture(FIGURE_FILE, alt), *rows([mine]), colour=GOLD)
