"""Solo puzzle figures are stored by version, kept for months, and deleted with a forgotten user."""

from dataclasses import replace

from data.store.solo.store import SoloStore, StoredFigure
from data.store.store import Store
from tests.data.store.scene import ADA, GRACE, NOW
from tests.data.store.server import BOTH_DATABASES

DAY = 86_400_000


async def test_second_device_saving_same_figure_version_is_refused(solo: SoloStore, other: Store) -> None:
    begun = await solo.load_figure(ADA, "bar")
    assert begun == StoredFigure("bar")
    assert await solo.save_figure(ADA, replace(begun, acts="+U0,0=012"), now=NOW)
    assert not await SoloStore(other.transactions).save_figure(ADA, replace(begun, acts="+U0,0=013"), now=NOW), (
        "both began it"
    )
    stored = await solo.load_figure(ADA, "bar")
    assert await SoloStore(other.transactions).save_figure(ADA, replace(stored, acts="", hints=1), now=NOW + 1)
    assert not await solo.save_figure(ADA, replace(stored, acts="+U0,0=333"), now=NOW + 2), "both went on"
    assert await solo.load_figure(ADA, "bar") == StoredFigure("bar", 2, "", 1, None, NOW + 1)


async def test_players_have_own_figures_and_continue_last_one(solo: SoloStore) -> None:
    for user, name, at in ((ADA, "bar", 1), (ADA, "hexagon", 3), (GRACE, "sphinx", 2)):
        await solo.save_figure(user, StoredFigure(name), now=NOW + at)
    assert await solo.find_last_figure(ADA) == "hexagon"
    assert await solo.find_last_figure(GRACE) == "sphinx"
    assert (await solo.load_figure(GRACE, "bar")).version == 0


async def test_figure_is_shared_once_per_day_unless_sharing_failed(solo: SoloStore) -> None:
    await solo.save_figure(ADA, StoredFigure("bar"), now=NOW)
    assert not await solo.begin_sharing_figure(GRACE, "bar", again=NOW - DAY, now=NOW), "she has none"
    assert await solo.begin_sharing_figure(ADA, "bar", again=NOW - DAY, now=NOW)
    assert not await solo.begin_sharing_figure(ADA, "bar", again=NOW - DAY + 1, now=NOW + 1)
    await solo.cancel_sharing_figure(ADA, "bar", at=NOW)
    assert await solo.begin_sharing_figure(ADA, "bar", again=NOW - DAY + 2, now=NOW + 2)


@BOTH_DATABASES
async def test_old_figures_and_figures_of_forgotten_player_are_deleted(store: Store, solo: SoloStore) -> None:
    await solo.save_figure(ADA, StoredFigure("bar", acts="+U0,0=012"), now=NOW)
    await solo.save_figure(GRACE, StoredFigure("bar"), now=NOW + DAY)
    held = (await store.erasure.export_user(ADA))["figures"]
    assert [(row["figure"], row["acts"]) for row in held] == [("bar", "+U0,0=012")]
    assert await store.erasure.erase_user(ADA, left_match_ids=(), now=NOW)
    assert (await store.erasure.export_user(ADA))["figures"] == []
    assert (await solo.load_figure(GRACE, "bar")).version == 1
    assert await solo.prune_figures(NOW + DAY) == 0
    assert await solo.prune_figures(NOW + DAY + 1) == 1
