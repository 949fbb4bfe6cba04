"""The house stays easy to walk through: what `tests.house.measures` counts keeps to its goals."""

import pytest

from tests.house import measures
from tests.house.imports import circles, floors


@pytest.mark.parametrize("typing", [False, True], ids=["runtime", "types-too"])
def test_no_module_imports_one_that_imports_it(typing: bool) -> None:
    assert measures.import_circles(typing=typing) == []


@pytest.mark.parametrize("typing", [False, True], ids=["runtime", "types-too"])
def test_no_two_members_of_a_package_import_one_another(typing: bool) -> None:
    assert measures.sibling_circles(typing=typing) == {}


def test_a_change_of_a_table_is_built_written_and_tried_again_at_one_place_each() -> None:
    assert len(measures.builders()) == measures.BUILDERS, measures.builders()
    assert len(measures.writers()) == measures.WRITERS, measures.writers()
    assert len(measures.retries()) == measures.RETRIES, measures.retries()


def test_every_event_of_a_table_has_fields_of_its_own() -> None:
    assert measures.lobby_events() == []
    assert measures.untyped_facts() == []


def test_every_file_is_read_at_one_sitting_and_worth_opening() -> None:
    assert measures.sizes() == {}


def test_few_names_mean_two_things_and_each_of_them_has_a_reason() -> None:
    assert len(measures.twice()) <= measures.TWICE, measures.twice()
    assert set(measures.twice()) == set(measures.REASONS)


def test_every_module_of_the_bot_lies_in_a_room() -> None:
    assert measures.flat() == []


def test_a_circle_is_found_by_its_shortest_way_round() -> None:
    knot = {("a", "b"), ("b", "c"), ("c", "a"), ("c", "b"), ("c", "d")}

    assert circles(knot) == [["b", "c", "b"]]
    assert circles({("a", "b"), ("a", "c"), ("b", "c")}) == []


def test_each_stands_above_what_it_imports() -> None:
    assert floors({("a", "b"), ("b", "c"), ("a", "c"), ("d", "c")}) == 3
