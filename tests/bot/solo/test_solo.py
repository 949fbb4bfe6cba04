"""The command `/tiles solo`: private solo puzzles that can be shared."""

from collections.abc import AsyncIterator

import pytest
from simcord import MemberActor

from bot.core.languages import Languages
from bot.solo.service import FIGURE_RETENTION as KEPT_FOR
from bot.solo.service import FigureService
from bot.solo.solver import solve_figure
from bot.solo.views import format_ways
from data.store.connection.faults import DatabaseFault, DatabaseUnavailable
from data.words import list_languages, load_words
from engine.board.tiles import find_rotation, format_tile_notation, to_canonical
from engine.solo.catalogue import FIGURES
from engine.solo.filling import Filling
from engine.solo.search import SearchResult
from tests.bot.messages import Message, button_ids, menus, private, told, words_of
from tests.bot.simulated_guild import SimGuild
from tests.wording import en, says

BAR = FIGURES["bar"]
LARGE = FIGURES["horseshoe"]


async def choose(who: MemberActor, message: Message, verb: str, label: str) -> Message:
    menu = next(one for one in menus(message) if one.custom_id == f"by:{verb}")
    value = next(one.value for one in menu.options if one.label.startswith(label))
    return private(await who.select(message, [value], custom_id=menu.custom_id))


async def lay(who: MemberActor, message: Message, index: int) -> Message:
    cell = BAR.cells[index]
    shown = BAR.solution_labels[cell]
    placing = await choose(who, message, "solotile", format_tile_notation(to_canonical(shown)))
    turning = await choose(who, placing, "soloplace", BAR.cell_letters[cell])
    wanted = en("solo.lay", tile=format_tile_notation(shown), place=BAR.cell_letters[cell])
    for _ in range(3):
        if wanted in button_ids(turning):
            return private(await who.click(turning, label=wanted))
        turning = private(await who.click(turning, label="Rotate"))
    raise AssertionError(f"{wanted} never came: {list(button_ids(turning))}")


async def laid(sim: SimGuild, who: MemberActor, cells: int, *, name: str = "bar") -> None:
    figure = FIGURES[name]
    kept = (await sim.client.services[FigureService].load(who.id, name)).stored

    def fill(filling: Filling) -> Filling:
        for cell in figure.cells[:cells]:
            shown = figure.solution_labels[cell]
            turn = find_rotation(to_canonical(shown), shown)
            assert turn is not None
            filling = filling.place(to_canonical(shown), cell, turn)
        return filling

    assert (await sim.client.services[FigureService].change(who.id, name, kept.version, fill)).is_applied


@pytest.fixture(autouse=True)
async def ended(sim: SimGuild) -> AsyncIterator[None]:
    yield
    await sim.client.services[FigureService].end()


async def test_tile_is_selected_placed_rotated_removed_and_undone(sim: SimGuild, ada: MemberActor) -> None:
    shown = private(await ada.slash(sim.channel, "tiles solo", figure="bar"))
    assert en("solo.lies", laid=0, all=24) in words_of(shown)

    shown = await lay(ada, shown, 0)
    shown = await lay(ada, shown, 1)
    assert en("solo.lies", laid=2, all=24) in words_of(shown)

    shown = await choose(ada, shown, "sololift", "A:")
    assert en("solo.lies", laid=1, all=24) in words_of(shown)
    shown = private(await ada.click(shown, label="Take back"))
    assert en("solo.lies", laid=2, all=24) in words_of(shown)
    assert sim.public() == [], "nobody else sees anything"


async def test_placed_tiles_survive_restart_and_switching_figures(
    sim: SimGuild, ada: MemberActor, grace: MemberActor
) -> None:
    shown = await lay(ada, private(await ada.slash(sim.channel, "tiles solo", figure="bar")), 0)
    assert "1 of 24" in words_of(shown)
    await sim.client.services[FigureService].end()
    await sim.restart()

    assert en("solo.lies", laid=1, all=24) in told(await ada.slash(sim.channel, "tiles solo"))
    assert en("solo.lies", laid=0, all=24) in told(await grace.slash(sim.channel, "tiles solo", figure="bar"))


async def test_stale_second_device_shows_current_state(sim: SimGuild, ada: MemberActor) -> None:
    phone = private(await ada.slash(sim.channel, "tiles solo", figure="bar"))
    use_cases = private(await ada.slash(sim.channel, "tiles solo", figure="bar"))
    tile = await choose(ada, use_cases, "solotile", "0-0-1")
    ready = await choose(ada, tile, "soloplace", "B")
    await lay(ada, phone, 0)

    late = private(await ada.click(ready, label=next(one for one in button_ids(ready) if one.startswith("Play "))))

    assert en("solo.stale") in words_of(late)
    assert en("solo.lies", laid=1, all=24) in words_of(late)


async def test_clicking_other_players_button_affects_own_figure(
    sim: SimGuild, ada: MemberActor, grace: MemberActor
) -> None:
    await laid(sim, ada, 3)
    copied = await sim.post("by:soloundo|bar.1", "by:soloshare|bar.1", "by:soloagain|bar.1", "by:sololay|bar.1.9.9.9")

    for number in range(4):
        await grace.click(copied, label=f"Button {number}")

    figures = sim.client.services[FigureService]
    assert len((await figures.load(ada.id, "bar")).filling.placed) == 3
    assert (await figures.load(grace.id, "bar")).stored.version == 0
    assert len(sim.public()) == 1, "nothing was shown to all"


async def test_solution_count_is_shown_and_hint_leads_to_solution(sim: SimGuild, ada: MemberActor) -> None:
    await laid(sim, ada, 20)
    shown = private(await ada.slash(sim.channel, "tiles solo", figure="bar"))

    asked = private(await ada.click(shown, label="Count solutions"))
    assert says(words_of(asked), "solo.ways_all", n=1)

    for _ in range(4):
        hinted = private(await ada.click(asked, label="Hint"))
        assert says(words_of(hinted), "solo.hinted")
        asked = private(
            await ada.click(hinted, label=next(one for one in button_ids(hinted) if one.startswith("Play ")))
        )
    assert en("solo.full") in words_of(asked)
    assert "4 hints" in words_of(asked)


async def test_unsolvable_figure_is_reported_and_has_no_hint(sim: SimGuild, ada: MemberActor) -> None:
    await laid(sim, ada, 20)
    shown = private(await ada.slash(sim.channel, "tiles solo", figure="bar"))
    figures, kept = (
        sim.client.services[FigureService],
        (await sim.client.services[FigureService].load(ada.id, "bar")).stored,
    )
    before = (await figures.load(ada.id, "bar")).filling
    wrong = next(
        (tile, cell, turn)
        for tile, cells in before.cells_by_tile.items()
        for cell in cells
        for turn in before.list_rotations(tile, cell)
        if not solve_figure("bar", str(before.place(tile, cell, turn)), 1).solutions
    )
    await figures.change(ada.id, "bar", kept.version, lambda filling: filling.place(*wrong))

    for label in ("Count solutions", "Hint"):
        asked = private(await ada.click(shown, label=label))
        assert says(words_of(asked), "solo.ways_none")
        assert "hint" not in words_of(asked).lower().replace("hint**", "")


async def test_full_triominoes_figure_splits_tiles_into_menus(sim: SimGuild, ada: MemberActor) -> None:
    shown = private(await ada.slash(sim.channel, "tiles solo", figure=LARGE.name))
    assert en("solo.lies", laid=0, all=56) in words_of(shown)
    tiles = [one for one in menus(shown) if one.custom_id.startswith("by:solotile")]
    assert [line.label for one in tiles for line in one.options] == [format_tile_notation(tile) for tile in LARGE.tiles]
    assert tiles[0].placeholder == "Which tile? 0-0-0 … 1-1-4"

    placing = private(await ada.select(shown, [tiles[2].options[-1].value], custom_id=tiles[2].custom_id))
    places = [one for one in menus(placing) if one.custom_id.startswith("by:soloplace")]
    assert [line.label for one in places for line in one.options] == list(LARGE.cell_letters.values())
    turning = private(await ada.select(placing, [places[2].options[0].value], custom_id=places[2].custom_id))
    laid_one = private(await ada.click(turning, label=f"Play 5-5-5 at {LARGE.cell_letters[LARGE.cells[50]]}"))
    assert en("solo.lies", laid=1, all=56) in words_of(laid_one)
    await ada.click(laid_one, label="Take back")

    await laid(sim, ada, 54, name=LARGE.name)
    lifting = [one for one in menus(private(await ada.slash(sim.channel, "tiles solo"))) if "lift" in one.custom_id]
    assert sum(len(one.options) for one in lifting) == 54


async def test_early_position_shows_whether_known_solution_is_reachable(sim: SimGuild, ada: MemberActor) -> None:
    shown = private(await ada.slash(sim.channel, "tiles solo", figure=LARGE.name))
    assert says(words_of(private(await ada.click(shown, label="Count solutions"))), "solo.ways_some")
    hinted = private(await ada.click(shown, label="Hint"))
    assert says(words_of(hinted), "solo.hinted")

    figures, first = sim.client.services[FigureService], LARGE.cells[0]
    version = (await figures.load(ada.id, LARGE.name)).stored.version
    other = next(tile for tile in LARGE.tiles if tile != to_canonical(LARGE.solution_labels[first]))
    await figures.change(ada.id, LARGE.name, version, lambda filling: filling.place(other, first, 0))
    shown = private(await ada.slash(sim.channel, "tiles solo", figure=LARGE.name))
    asked = private(await ada.click(shown, label="Count solutions"))
    assert says(words_of(asked), "solo.ways_unknown")
    assert "known" not in words_of(asked), "where it was left is a hint"
    asked = private(await ada.click(shown, label="Hint"))
    assert says(words_of(asked), "solo.strayed", places="A")
    assert "2 hints" in words_of(asked)


async def test_late_position_of_full_figure_counts_all_solutions(sim: SimGuild, ada: MemberActor) -> None:
    await laid(sim, ada, 50, name=LARGE.name)
    shown = private(await ada.slash(sim.channel, "tiles solo", figure=LARGE.name))

    assert "exactly" in words_of(private(await ada.click(shown, label="Count solutions")))


async def test_solution_is_shared_once_and_puzzle_can_restart(sim: SimGuild, ada: MemberActor) -> None:
    await laid(sim, ada, 24)
    shown = private(await ada.slash(sim.channel, "tiles solo", figure="bar"))

    for _ in range(3):
        await ada.click(shown, label="Show to all")
    (public,) = sim.public()
    assert words_of(public).startswith(en("solo.shared", name="Ada", figure="The bar (Trioker)", hints="no hints"))

    anew = private(await ada.click(shown, label="Start over"))
    assert en("solo.lies", laid=0, all=24) in words_of(anew)
    assert not says(button_ids(anew), "solo.share")


async def test_failed_rendering_is_retried_at_next_click(
    sim: SimGuild, ada: MemberActor, monkeypatch: pytest.MonkeyPatch
) -> None:
    await laid(sim, ada, 24)
    shown = private(await ada.slash(sim.channel, "tiles solo", figure="bar"))

    async def fails(*_: object, **__: object) -> object:
        raise DatabaseUnavailable(DatabaseFault.LOST)

    with monkeypatch.context() as patched:
        patched.setattr(Languages, "load_guild_messages", fails)
        await ada.click(shown, label="Show to all")
    assert sim.public() == []

    await ada.click(shown, label="Show to all")

    assert len(sim.public()) == 1


async def test_incomplete_figure_cannot_be_shared(sim: SimGuild, ada: MemberActor) -> None:
    await laid(sim, ada, 23)
    shown = private(await ada.slash(sim.channel, "tiles solo", figure="bar"))

    assert not says(button_ids(shown), "solo.share")
    forged = await sim.post("by:soloshare|bar.1")
    await ada.click(forged, label="Button 0")
    assert len(sim.public()) == 1


async def test_frequent_requests_are_rate_limited_and_block_no_other_user(sim: SimGuild, ada: MemberActor) -> None:
    await laid(sim, ada, 24)
    figures, found = sim.client.services[FigureService], []
    filling = (await figures.load(ada.id, "bar")).filling
    for cell in BAR.cells[:12]:
        filling = filling.remove(cell)
        found.append(await figures.search_ways(ada.id, filling))

    assert None in found, "eight at once, then one in five seconds"
    assert says(format_ways(None, load_words("en")), "solo.busy")


async def test_figure_is_deleted_after_half_a_year(sim: SimGuild, ada: MemberActor) -> None:
    await laid(sim, ada, 3)
    services = sim.client.services

    sim.clock.skipped += KEPT_FOR - 3600 * 1000
    await services.cleanup.sweep()
    assert len((await services[FigureService].load(ada.id, "bar")).filling.placed) == 3

    sim.clock.skipped += 2 * 3600 * 1000
    await services.cleanup.sweep()
    assert (await services[FigureService].load(ada.id, "bar")).stored.version == 0


@pytest.mark.parametrize("language", list_languages())
def test_incomplete_search_reports_partial_result(language: str) -> None:
    said = load_words(language)
    told_of = [
        format_ways(found, said)
        for found in (
            SearchResult(1, is_exhaustive=True, steps=1),
            SearchResult(5, is_exhaustive=True, steps=1),
            SearchResult(5, is_exhaustive=False, steps=1),
            SearchResult(1, is_exhaustive=False, steps=1),
            SearchResult(0, is_exhaustive=True, steps=1),
            SearchResult(0, is_exhaustive=False, steps=1),
            None,
        )
    ]

    assert len(set(told_of)) == 7
    assert all("{" not in text for text in told_of)
    many = [format_ways(solve_figure("hexagon", "", 1), load_words(language)) for language in ("en", "de")]
    assert "11,853,792" in many[0]
    assert "11.853.792" in many[1]


async def test_unconstrained_place_is_described_in_words(sim: SimGuild, ada: MemberActor) -> None:
    shown = private(await ada.slash(sim.channel, "tiles solo", figure="bar"))
    placing = await choose(ada, shown, "solotile", "0-0-0")
    assert {one.description for one in menus(placing)[0].options} == {"any number"}
