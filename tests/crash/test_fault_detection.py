"""The checks of tournaments and weekly deals detect each kind of fault."""

import json
from dataclasses import dataclass, field, replace
from typing import Any, cast

import pytest

from tests.crash.delivered_messages import DeliveryLog
from tests.crash.stored_rows import StoredRows
from tests.crash.tournaments_and_deals import is_finished, is_known_message, iterate_faults

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
class StubDeliveryLog:
    nonces: list[str] = field(default_factory=lambda: ["season3over", "b1"])

    def list_live_messages(self) -> list[dict[str, Any]]:
        return [{"nonce": nonce} for nonce in self.nonces]


def build_rows(*log: tuple[str, dict[str, Any]], opened_at: int | None = 5, opening_count: int = 1) -> StoredRows:
    events = [
        {"season_id": 3, "seq": seq, "kind": kind, "body": json.dumps(body)}
        for seq, (kind, body) in enumerate(log or LOG, 1)
    ]
    return StoredRows(
        {},
        {9: [{"kind": "dealopened"}] * opening_count},
        {},
        [],
        {},
        seasons=[{"season_id": 3, "seq": len(events), "shown_seq": len(events), "state": "over"}],
        season_events=cast(Any, events),
        season_messages=[{"season_id": 3}],
        fixtures=[{"season_id": 3, "number": 1, "match_id": 7}],
        deals=[{"deal_id": 4, "opened_at": opened_at}],
        deal_matches=[{"deal_id": 4, "match_id": 9}],
        deal_news=[{"next_at": None}],
    )


def list_faults(stored: StoredRows, *nonces: str, threads: int = 1) -> list[str]:
    delivery_log = StubDeliveryLog([*nonces]) if nonces else StubDeliveryLog()
    return [
        kind
        for kind, _ in iterate_faults(
            stored, cast(DeliveryLog, delivery_log), ["Ada – Grace · Evening · 3.1"] * threads
        )
    ]


def test_correct_rows_have_no_fault() -> None:
    assert list_faults(build_rows()) == []
    assert is_finished(build_rows())
    assert is_known_message("season3running", build_rows())
    assert is_known_message("deal-4-s-1f", build_rows())


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
    assert kind in list_faults(build_rows(*log))


def test_duplicate_and_missing_channel_messages_are_detected() -> None:
    assert list_faults(build_rows(), threads=2) == ["doubled"]
    assert list_faults(build_rows(), "season3running") == ["missing"]
    assert list_faults(build_rows(), "season3over", "season3running") == ["left"]
    assert not is_known_message("season4over", build_rows())
    assert not is_known_message("deal-5-s-1f", build_rows())


def test_unfinished_tournament_and_twice_opened_deal_are_detected() -> None:
    stored = build_rows()
    running = replace(stored, seasons=[{**stored.seasons[0], "state": "running"}])
    assert "deadlines" in list_faults(running, "season3running")
    assert not is_finished(running)
    assert not is_finished(replace(stored, season_messages=[*stored.season_messages] * 2)), "one is yet to be deleted"
    assert list_faults(build_rows(opened_at=None, opening_count=0)) == ["deadlines"]
    assert list_faults(build_rows(opening_count=2)) == ["twice"]
    assert list_faults(build_rows(opening_count=0)) == ["twice"]
    assert list_faults(replace(stored, deals=[*stored.deals] * 3)).count("twice") == 1
