"""The checks of tournaments and weekly deals detect each kind of fault."""

import json
from dataclasses import dataclass, field, replace
from typing import Any, cast

import pytest

from tests.crash.delivered_messages import DeliveryLog
from tests.crash.stored_rows import StoredRows
from tests.crash.tournaments_and_deals import gathered, gone_wrong, told_of

pytestmark = pytest.mark.deep

PAIR = {"number": 1, "division": 0, "round": 0, "first": 1, "second": 2}
LOG: tuple[tuple[str, dict[str, Any]], ...] = (
    ("announced", {}),
    ("seasonbegan", {"fixtures": [PAIR]}),
    ("fixtureopened", {"number": 1, "match": 7}),
    ("fixturedecided", {"number": 1}),
    ("seasonended", {}),
)


@dataclass
class Shown:
    nonces: list[str] = field(default_factory=lambda: ["season3over", "b1"])

    def alive(self) -> list[dict[str, Any]]:
        return [{"nonce": nonce} for nonce in self.nonces]


def books(*log: tuple[str, dict[str, Any]], opened: int | None = 5, told: int = 1) -> StoredRows:
    events = [
        {"season_id": 3, "seq": seq, "kind": kind, "body": json.dumps(body)}
        for seq, (kind, body) in enumerate(log or LOG, 1)
    ]
    return StoredRows(
        {},
        {9: [{"kind": "dealopened"}] * told},
        {},
        [],
        {},
        seasons=[{"season_id": 3, "seq": len(events), "shown_seq": len(events), "state": "over"}],
        season_events=cast(Any, events),
        season_messages=[{"season_id": 3}],
        fixtures=[{"season_id": 3, "number": 1, "match_id": 7}],
        deals=[{"deal_id": 4, "opened_at": opened}],
        deal_matches=[{"deal_id": 4, "match_id": 9}],
        deal_news=[{"next_at": None}],
    )


def faults(found: StoredRows, *nonces: str, threads: int = 1) -> list[str]:
    shown = Shown([*nonces]) if nonces else Shown()
    return [kind for kind, _ in gone_wrong(found, cast(DeliveryLog, shown), ["Ada – Grace · Evening · 3.1"] * threads)]


def test_correct_rows_have_no_fault() -> None:
    assert faults(books()) == []
    assert gathered(books())
    assert told_of("season3running", books())
    assert told_of("deal-4-s-1f", books())


@pytest.mark.parametrize(
    ("log", "kind"),
    [
        ((*LOG[:4], LOG[2], LOG[4]), "twice"),
        ((*LOG[:4], LOG[3], LOG[4]), "twice"),
        ((*LOG[:4], ("roundbegan", {"fixtures": [{**PAIR, "number": 2, "first": 2, "second": 1}]}), LOG[4]), "twice"),
        ((*LOG[:2], ("fixtureopened", {"number": 1, "match": 8}), *LOG[3:]), "broken"),
    ],
)
def test_duplicate_openings_results_and_pairings_are_detected(log: tuple[Any, ...], kind: str) -> None:
    assert kind in faults(books(*log))


def test_duplicate_and_missing_channel_messages_are_detected() -> None:
    assert faults(books(), threads=2) == ["doubled"]
    assert faults(books(), "season3running") == ["missing"]
    assert faults(books(), "season3over", "season3running") == ["left"]
    assert not told_of("season4over", books())
    assert not told_of("deal-5-s-1f", books())


def test_unfinished_tournament_and_twice_opened_deal_are_detected() -> None:
    found = books()
    running = replace(found, seasons=[{**found.seasons[0], "state": "running"}])
    assert "deadlines" in faults(running, "season3running")
    assert not gathered(running)
    assert not gathered(replace(found, season_messages=[*found.season_messages] * 2)), "one is yet to be deleted"
    assert faults(books(opened=None, told=0)) == ["deadlines"]
    assert faults(books(told=2)) == ["twice"]
    assert faults(books(told=0)) == ["twice"]
    assert faults(replace(found, deals=[*found.deals] * 3)).count("twice") == 1
