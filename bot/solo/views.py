"""The views of solo puzzles, for the player and for everyone."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any, Final, Self

import discord
from discord import ui

from bot.core.formats import GroupedNumber
from bot.core.layout import (
    CALM_COLOUR,
    GOLD,
    CustomId,
    Item,
    build_button,
    build_layout,
    build_menu,
    build_primary_button,
    build_rows,
    build_select_options,
)
from bot.core.pictures import build_gallery
from bot.solo.service import FigureState
from data.words import Words
from engine.board.board import Placement
from engine.board.lattice import Cell
from engine.board.tiles import Tile, format_labels, format_tile_notation, rotate_tile, to_canonical
from engine.solo.catalogue import FIGURES
from engine.solo.filling import Filling
from engine.solo.search import SearchResult
from render.canvas.picture import Captions, Picture
from render.solo.picture import render_solo_puzzle

FIGURE_FILE: Final = "figure.png"
TODAY: Final = "today"  # the score attack's name among the puzzles
MENU_OPTIONS: Final = 25  # options of a menu, by Discord's limit
MAX_PLACES: Final = 8  # the most places that a note names
_REFERENCE_PATTERN: Final = re.compile(
    r"(?P<name>[a-z]{1,12})\.(?P<version>\d{1,9})(?:\.(?P<rest>[\d.]{1,20}))?", re.ASCII
)


@dataclass(frozen=True, slots=True)
class FigureReference:
    """What a button or option refers to: `bar.12.013.5.1` is the tile 0-1-3 on the sixth cell."""

    name: str
    version: int = 0  # the version that was shown with it
    tile: Tile | None = None
    cell: int | None = None
    turn: int = 0

    @classmethod
    def parse(cls, text: str) -> Self | None:
        """Parse an id; None if it names no puzzle. The other parts are checked where they are used."""
        found = _REFERENCE_PATTERN.fullmatch(text)
        if found is None or found["name"] not in FIGURES:
            return None
        reference = cls(found["name"], int(found["version"]))
        parts = (found["rest"] or "").split(".")
        if parts[0]:
            reference = replace(reference, tile=to_canonical(tuple(map(int, parts[0]))))
        if len(parts) > 1 and parts[1]:
            reference = replace(reference, cell=int(parts[1]))
        return replace(reference, turn=int(parts[2])) if len(parts) > 2 and parts[2] else reference

    def __str__(self) -> str:
        parts = [self.name, str(self.version)]
        if self.tile is not None or self.cell is not None:
            parts.append("" if self.tile is None else format_labels(self.tile))
        if self.cell is not None:
            parts += [str(self.cell), str(self.turn)]
        return ".".join(parts)

    def build_id(self, verb: str) -> CustomId:
        return CustomId(verb, argument=str(self))

    def find_cell(self) -> Cell | None:
        """The cell that is meant; None if the puzzle has no such cell."""
        cells = FIGURES[self.name].cells
        return cells[self.cell] if self.cell is not None and self.cell < len(cells) else None


def render_figure(
    filling: Filling, words: Words, scheme: str, *, tile: Tile | None = None, chosen: Placement | None = None
) -> tuple[Picture, str]:
    lettered = filling.cells_by_tile.get(tile, ()) if tile is not None else filling.empty_cells
    progress, rule = _format_progress(filling, words), format_figure_rule(filling, words)
    captions = Captions(progress, rule, format_title(filling, words), "")
    image = render_solo_puzzle(filling, captions, selectable_cells=lettered, chosen=chosen, picked=tile, scheme=scheme)
    return image, format_alt(filling, words)


def format_title(filling: Filling, words: Words) -> str:
    return words(f"solo.{filling.figure.name}")


def format_figure_rule(filling: Filling, words: Words) -> str:
    figure = filling.figure
    return words("solo.rule_corners") if figure.edge is None else words("solo.rule_edge", edge=figure.edge)


def _format_progress(filling: Filling, words: Words) -> str:
    return words("solo.lies", laid=len(filling.placed), all=len(filling.figure.cells))


def format_alt(filling: Filling, words: Words) -> str:
    figure, letters = filling.figure, filling.figure.cell_letters
    title, rule = format_title(filling, words), format_figure_rule(filling, words)
    parts = [f"{title}. {rule} {_format_progress(filling, words)}."]
    if open_cells := ", ".join(_iterate_open_cells(filling)):
        parts.append(words(f"alt.places_{figure.lattice.name}_{figure.labels}", places=open_cells))
    if filling.unused_tiles:
        parts.append(words("solo.left", tiles=", ".join(map(format_tile_notation, filling.unused_tiles))))
    placed = [(letters[cell], filling.placed[cell].shown_labels) for cell in figure.cells if cell in filling.placed]
    if placed:
        tiles = ", ".join(f"{letter} {format_tile_notation(labels)}" for letter, labels in placed)
        parts.append(words("solo.lying", tiles=tiles))
    return " ".join(parts)


def _iterate_open_cells(filling: Filling) -> Iterator[str]:
    """Return the open cells with the numbers that they need. Large puzzles list cells without any together."""
    letter = filling.figure.cell_letters
    for needs, run in groupby(filling.empty_cells, lambda cell: _format_needs(filling, cell)):
        cells = [letter[cell] for cell in run]
        if len(cells) > 2 and len(letter) > MENU_OPTIONS:
            yield f"{cells[0]}–{cells[-1]} {needs}"
        else:
            yield from (f"{one} {needs}" for one in cells)


def _format_needs(filling: Filling, cell: Cell) -> str:
    return "-".join("?" if need is None else str(need) for need in filling.get_needs(cell))


def build_figure_view(
    state: FigureState, words: Words, alt: str, *, note: str, tile: Tile | None, chosen: Placement | None
) -> ui.LayoutView:
    """Return a puzzle with the next choice: a tile, its place, its rotation."""
    filling, reference = state.filling, FigureReference(state.filling.figure.name, state.stored.version)
    items: list[Item] = [ui.TextDisplay(f"### {format_title(filling, words)}\n{_format_state(state, words)}")]
    items.append(build_gallery(FIGURE_FILE, alt))
    if note:
        items.append(ui.TextDisplay(note[:2000]))
    if chosen is not None:
        items += _build_rotation_choice(filling, reference, chosen, words)
    elif tile is not None and tile in filling.cells_by_tile:
        items += _build_cell_choice(filling, reference, tile, words)
    else:
        items += _build_tile_choice(filling, reference, words)
    return build_layout(*items, colour=GOLD if filling.is_full else CALM_COLOUR)


def _format_state(state: FigureState, words: Words) -> str:
    filling = state.filling
    facts = [_format_progress(filling, words)]
    if state.stored.hints:
        facts.append(words("count.hints", n=state.stored.hints))
    lines = [f"{format_figure_rule(filling, words)}\n-# {' · '.join(facts)}"]
    if filling.is_full:
        lines.append(words("solo.full"))
    elif not filling.cells_by_tile:
        lines.append(words("solo.stuck"))
    elif filling.dead_cells:
        letters = ", ".join(filling.figure.cell_letters[cell] for cell in filling.dead_cells)
        lines.append(words("solo.dead", places=letters))
    return "\n".join(lines)


def _build_tight_place(filling: Filling, reference: FigureReference, words: Words) -> list[Item]:
    """Return the menu that fills the place with the fewest choices at once; empty if one menu cannot list them."""
    options: dict[Cell, list[discord.SelectOption]] = {}
    for tile, cells in filling.cells_by_tile.items():
        for cell in cells:
            placement = replace(reference, tile=tile, cell=filling.figure.cells.index(cell))
            for turn, rotation in enumerate(filling.list_rotations(tile, cell)):
                label, value = format_tile_notation(rotate_tile(tile, rotation)), str(replace(placement, turn=turn))
                options.setdefault(cell, []).append(discord.SelectOption(label=label, value=value))
    if not options:
        return []
    place, choices = min(options.items(), key=lambda item: len(item[1]))
    prompt = words("solo.fill", place=filling.figure.cell_letters[place])
    return [build_menu(CustomId("sololay"), prompt, choices)] if len(choices) <= MENU_OPTIONS else []


def _build_tile_choice(filling: Filling, reference: FigureReference, words: Words) -> list[Item]:
    items = _build_tight_place(filling, reference, words)
    if filling.cells_by_tile:
        options = [
            discord.SelectOption(
                label=format_tile_notation(tile),
                value=str(replace(reference, tile=tile)),
                description=words("count.cells", n=len(filling.cells_by_tile[tile])),
            )
            for tile in filling.cells_by_tile
        ]
        items += _build_menus("solotile", words("solo.which"), options, words)
    placed = list(filling.placed)[::-1]
    if len(placed) > MENU_OPTIONS:
        placed.sort(key=filling.figure.cells.index)
    if placed and not filling.is_full:
        removals = [_build_removal(filling, reference, cell, words) for cell in placed]
        items += _build_menus("sololift", words("solo.lift"), removals, words)
    items += build_rows(_build_buttons(filling, reference, words))
    items.append(build_figures_menu(words, reference.name))
    return items


def _build_menus(verb: str, prompt: str, options: Sequence[discord.SelectOption], words: Words) -> list[Item]:
    """Return as many menus as needed. With several, each label has its first and last option."""
    if len(options) <= MENU_OPTIONS:
        return [build_menu(CustomId(verb), prompt, options)]
    pages = [options[start : start + MENU_OPTIONS] for start in range(0, len(options), MENU_OPTIONS)]
    menus: list[Item] = []
    for number, page in enumerate(pages, 1):  # the number keeps their ids different
        label = words("solo.range", prompt=prompt, first=page[0].label, last=page[-1].label)
        menus.append(build_menu(CustomId(verb, number), label, page))
    return menus


def build_figures_menu(words: Words, name: str = TODAY) -> Item:
    """Return the menu of the puzzles and the score attack."""
    values = {figure: str(FigureReference(figure)) for figure in FIGURES} | {TODAY: TODAY}
    options = build_select_options({value: words(f"solo.{one}") for one, value in values.items()}, values[name])
    return build_menu(CustomId("solo"), words("solo.other"), options)


def _build_removal(filling: Filling, reference: FigureReference, cell: Cell, words: Words) -> discord.SelectOption:
    notation = format_tile_notation(filling.placed[cell].shown_labels)
    label = words("and.colon", what=filling.figure.cell_letters[cell], more=notation)
    return discord.SelectOption(label=label, value=str(replace(reference, cell=filling.figure.cells.index(cell))))


def _build_buttons(filling: Filling, reference: FigureReference, words: Words) -> list[ui.Button[Any]]:
    undo = build_button(words("hand.undo"), reference.build_id("soloundo"), disabled=not filling.acts)
    if filling.is_full:
        share = build_primary_button(words("solo.share"), reference.build_id("soloshare"))
        return [undo, share, build_button(words("solo.again"), reference.build_id("soloagain"))]
    ways = build_button(words("solo.ways"), reference.build_id("soloways"))
    return [undo, ways, build_button(words("hint.button"), reference.build_id("solohint"))]


def _build_cell_choice(filling: Filling, reference: FigureReference, tile: Tile, words: Words) -> list[Item]:
    figure = filling.figure
    options = [
        discord.SelectOption(
            label=figure.cell_letters[cell],
            value=str(replace(reference, tile=tile, cell=figure.cells.index(cell))),
            description=_format_needs(filling, cell) if set(filling.get_needs(cell)) != {None} else words("text.any"),
        )
        for cell in filling.cells_by_tile[tile]
    ]
    menus = _build_menus("soloplace", words("solo.where", tile=format_tile_notation(tile)), options, words)
    back = build_button(words("hand.back"), FigureReference(reference.name).build_id("solo"))
    return [*menus, *build_rows([back])]


def _build_rotation_choice(filling: Filling, reference: FigureReference, chosen: Placement, words: Words) -> list[Item]:
    turns = filling.list_rotations(chosen.tile, chosen.cell)
    number = turns.index(chosen.rotation)
    tile_reference = replace(reference, tile=chosen.tile)
    placement = replace(tile_reference, cell=filling.figure.cells.index(chosen.cell), turn=number)
    notation = format_tile_notation(rotate_tile(chosen.tile, chosen.rotation))
    label = words("solo.lay", tile=notation, place=filling.figure.cell_letters[chosen.cell])
    buttons = [build_primary_button(label, placement.build_id("sololay"))]
    if len(turns) > 1:
        turned = replace(placement, turn=(number + 1) % len(turns))
        buttons.append(build_button(words("solo.turn"), turned.build_id("soloplace")))
    return build_rows([*buttons, build_button(words("hand.back"), tile_reference.build_id("solotile"))])


def format_ways(found: SearchResult | None, words: Words) -> str:
    if found is None:
        return words("solo.busy")
    if not found.solutions:
        return words("solo.ways_none" if found.is_exhaustive else "solo.ways_unknown")
    if not found.is_exhaustive and found.solutions == 1:
        return words("solo.ways_some")
    key = "solo.ways_all" if found.is_exhaustive else "solo.ways_least"
    return words(key, n=GroupedNumber(found.solutions, words.language))


def format_differences(filling: Filling, words: Words) -> str:
    """Return the tiles that differ from the known solution; empty if they are too many."""
    letter, cells = filling.figure.cell_letters, filling.wrong_cells
    if not 0 < len(cells) <= MAX_PLACES:
        return ""
    return words("solo.strayed", places=", ".join(letter[cell] for cell in cells))


def build_shared_view(state: FigureState, name: str, words: Words, alt: str) -> ui.LayoutView:
    hints = state.stored.hints
    helped = words("count.hints", n=hints) if hints else words("solo.unhelped")
    text = words("solo.shared", name=name, figure=format_title(state.filling, words), hints=helped)
    try_button = build_button(words("solo.try"), FigureReference(state.filling.figure.name).build_id("solo"))
    return build_layout(ui.TextDisplay(text), build_gallery(FIGURE_FILE, alt), *build_rows([try_button]), colour=GOLD)
