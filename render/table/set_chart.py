"""The chart of a tile set: every tile, grouped by equal numbers, and how many tiles have each number."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final

from engine.board.tiles import WILD, Tile
from engine.match.rules import Rules
from render.canvas.canvas import Canvas
from render.canvas.cell_outline import Outline
from render.canvas.geometry import OUTLINES
from render.canvas.lettering import Style, clean_text, draw_fitted_text, draw_text
from render.canvas.picture import MARGIN, RIM, WIDTH, Picture, build_picture, draw_cloth
from render.faces import Face, build_face
from render.table.hand import find_readable_edge
from render.table.legend import render_value_disc
from render.table.tile import paint_tile_with_shadow

WILD_KIND: Final = "wild"
TITLE_SIZE, HEADING_SIZE, COUNT_SIZE = 52, 41, 44
TITLE_HEIGHT, HEADING_HEIGHT = 92, 66
TILE_GAP: Final = 8  # pixels between two tiles
DISC_SIZE, COUNT_WIDTH, COUNT_HEIGHT = 56, 185, 76  # size of a number's disc, and of its cell with the number of tiles


def group_tiles(tiles: Iterable[Tile]) -> dict[str, list[Tile]]:
    """Group tiles by how many of their labels are equal, most first: `3`, `21`, `111`; wild tiles come last."""
    groups: dict[str, list[Tile]] = {}
    for tile in sorted(tiles):
        counts = sorted(Counter(tile).values(), reverse=True)
        groups.setdefault(WILD_KIND if WILD in tile else "".join(map(str, counts)), []).append(tile)
    return dict(sorted(groups.items(), key=lambda group: (group[0] != WILD_KIND, group[0]), reverse=True))


def count_tiles_by_value(tiles: Iterable[Tile]) -> dict[int, int]:
    """For each number, how many tiles have it, once or more often."""
    counts = Counter(label for tile in tiles for label in set(tile) - {WILD})
    return dict(sorted(counts.items()))


def render_set_chart(
    rules: Rules, title: str, captions: Mapping[str, str], *, theme: str = "classic", scheme: str = "dark"
) -> Picture:
    """Draw the chart, 1200 pixels wide. `captions` has a heading for each key of `group_tiles`, and for `numbers`."""
    face, groups = build_face(rules, theme, scheme).hand_face, group_tiles(rules.tiles)
    outline = OUTLINES[rules.plane.first.kind]
    edge = find_readable_edge(outline, face)
    step = (edge if outline is Outline.SQUARE else edge // 2) + TILE_GAP
    across = 1 + (WIDTH - 2 * RIM - edge) // step
    row_height = outline.compute_height(edge) + 2 * TILE_GAP
    rows = {kind: _split_rows(tiles, across) for kind, tiles in groups.items()}
    counts = count_tiles_by_value(rules.tiles)
    count_rows = -(-len(counts) // ((WIDTH - 2 * RIM) // COUNT_WIDTH))
    height = TITLE_HEIGHT + HEADING_HEIGHT * (len(rows) + 1) + row_height * sum(map(len, rows.values()))
    canvas = Canvas(WIDTH, height + COUNT_HEIGHT * count_rows + RIM, face.theme)
    draw_cloth(canvas)
    room, colours = WIDTH - 2 * MARGIN, canvas.theme
    draw_fitted_text(canvas, clean_text(title), MARGIN, 74, Style.LOUD, (TITLE_SIZE, 46, 41), room, colours.text)
    top = TITLE_HEIGHT
    for kind, lines in rows.items():
        _draw_heading(canvas, captions[kind], top)
        top += HEADING_HEIGHT
        for line in lines:
            for number, tile in enumerate(line):
                shape = Outline.DOWN if outline is Outline.UP and number % 2 else outline
                x = RIM + number * step
                paint_tile_with_shadow(canvas, edge, shape, tile, face, x, top)
            top += row_height
    _draw_heading(canvas, captions["numbers"], top)
    _draw_counts(canvas, counts, face, top + HEADING_HEIGHT)
    return build_picture(canvas)


def _split_rows(tiles: list[Tile], across: int) -> list[list[Tile]]:
    """Split tiles into rows of similar length with at most `across` tiles each."""
    length = -(-len(tiles) // -(-len(tiles) // across))
    return [tiles[at : at + length] for at in range(0, len(tiles), length)]


def _draw_heading(canvas: Canvas, text: str, top: int) -> None:
    room, colour = WIDTH - 2 * MARGIN, canvas.theme.quiet
    draw_fitted_text(canvas, clean_text(text), MARGIN, top + 46, Style.TEXT, (HEADING_SIZE,), room, colour)


def _draw_counts(canvas: Canvas, counts: Mapping[int, int], face: Face, top: int) -> None:
    """Draw each number, and beside it how many tiles have it."""
    across = (WIDTH - 2 * RIM) // COUNT_WIDTH
    for number, (value, count) in enumerate(counts.items()):
        x, y = MARGIN + number % across * COUNT_WIDTH, top + number // across * COUNT_HEIGHT
        canvas.paste_sprite(render_value_disc(canvas.theme, value, DISC_SIZE, shapes=face.signs == "shapes"), x, y)
        draw_text(canvas, f"× {count}", x + DISC_SIZE + 12, y + 43, Style.TEXT, COUNT_SIZE, canvas.theme.text)
