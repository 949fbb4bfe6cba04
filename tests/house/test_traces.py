"""What is done goes a straight way: the goals that `trace_act` and `trace_datum` are held to."""

from __future__ import annotations

from tests.house import trace_act, trace_datum


async def test_an_act_changes_file_half_as_often_as_before_the_table_was_one_log() -> None:
    """104 times then, in 26 files. `trace_act` says what is counted."""
    steps = await trace_act.trace()
    assert {"decide", "Store.commit"} <= {step.function.name for step in steps}, "the way is seen from end to end"
    changed = trace_act.changes(steps)
    assert len(changed) <= trace_act.GOAL, trace_act.summary(changed)


async def test_the_id_of_a_button_hardly_climbs_on_its_way_to_the_answer() -> None:
    """18 times then. `trace_datum` says what a climb is."""
    way = await trace_datum.trace("custom id")
    assert len(way.climbs) <= trace_datum.GOAL, trace_datum.summary(way)


def test_a_call_climbs_where_imports_lead_back() -> None:
    assert trace_datum.leads_back("bot.__main__", "engine.tiles")
    assert not trace_datum.leads_back("engine.tiles", "bot.__main__")
