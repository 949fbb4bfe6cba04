"""The bracket of a knock-out tournament during and after each round."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.leagues.bracket import BracketMatch, build_bracket, choose_section, list_sections
from engine.leagues.commands import EndSeason, RunSeason, Withdraw
from engine.leagues.season import MIN_PLAYERS, FixtureResult
from tests.depth import scale_count
from tests.engine.league.season_builders import (
    apply_all,
    apply_command,
    build_tournament,
    decide_fixture,
    decide_for_stronger,
    finish_for_stronger,
    finish_round_for_stronger,
    open_round,
)


def test_bracket_of_six_gives_two_byes() -> None:
    first, second, last = build_bracket(open_round(build_tournament(6, "knockout")))
    assert first == (
        BracketMatch(players=(1, None), state="bye", winner=1),
        BracketMatch(players=(4, 5), state="running"),
        BracketMatch(players=(2, None), state="bye", winner=2),
        BracketMatch(players=(3, 6), state="running"),
    )
    assert second == (BracketMatch(players=(1, None)), BracketMatch(players=(2, None)))
    assert last == (BracketMatch(),)


def test_bracket_scores_belong_to_players_in_either_seat() -> None:
    season = build_tournament(4, "knockout")
    for one in season.fixtures:
        season = decide_fixture(season, one.number, "1-0", (101, 60))
    for one, place in zip(season.fixtures[:2], build_bracket(season)[0], strict=True):
        assert place.winner == one.first
        assert dict(zip(place.players, place.result.totals or (), strict=True)) == {one.first: 101, one.second: 60}


def test_better_seed_advances_on_tie_and_opponent_on_forfeit() -> None:
    season = build_tournament(8, "knockout")
    season = decide_fixture(season, 1, "=", (80, 80))
    season = apply_all(season, Withdraw(2))
    first = build_bracket(season)[0]
    assert (first[0].winner, first[0].result) == (1, FixtureResult((1, 1), "played", (80, 80)))
    (forfeited,) = [one for one in first if 2 in one.players]
    assert (forfeited.winner, forfeited.result.how) == (7, "forfeit")


def test_player_who_leaves_between_rounds_gives_opponent_bye() -> None:
    season = decide_for_stronger(build_tournament(8, "knockout"), [1, 2, 3])
    season = apply_all(season, Withdraw(1))
    season = finish_round_for_stronger(season)
    assert build_bracket(season)[1][0] == BracketMatch(players=(1, 4), state="bye", winner=4)


def test_knockout_ended_by_moderator_leaves_last_rounds_empty() -> None:
    season = decide_for_stronger(build_tournament(8, "knockout"), [1])
    season = apply_all(season, EndSeason())
    first, second, last = build_bracket(season)
    assert first[0].winner == 1
    assert {one.winner for one in first[1:]} == {None}
    assert {one.state for one in (*second, *last)} == {"empty"}
    assert {one.players for one in (*second, *last)} == {(None, None)}


def test_match_decided_by_timeout_is_marked_unplayed() -> None:
    season = open_round(build_tournament(4, "knockout"))
    season, _ = apply_command(season, RunSeason(), season.ends)
    assert {one.result.how for one in build_bracket(season)[0] if one.result} == {"unplayed"}
    assert [one.winner for one in build_bracket(season)[0]] == [1, 2]


@pytest.mark.parametrize(("players", "looks"), [(4, [2]), (8, [3]), (16, [4]), (17, [3, 4, 4]), (60, [3, 4, 4, 4, 4])])
def test_bracket_sections_have_four_rounds_and_cover_all_matches(players: int, looks: list[int]) -> None:
    season = build_tournament(players, "knockout")
    parts = list_sections(season)
    assert [one.rounds for one in parts] == looks
    rounds = build_bracket(season)
    covered = {
        (number, place)
        for one in parts
        for number in range(one.first, one.first + one.rounds)
        for place in range(len(rounds[number]))[one.slice_round(number)]
    }
    assert covered == {(number, place) for number, row in enumerate(rounds) for place in range(len(row))}


def test_players_start_in_own_section_and_share_last_one() -> None:
    season = build_tournament(60, "knockout")
    rounds = build_bracket(season)
    for player in season.divisions[0]:
        part = list_sections(season)[choose_section(season, player)]
        assert player in {one for place in rounds[0][part.slice_round(0)] for one in place.players}
    for _ in range(3):
        season = finish_round_for_stronger(season)
    assert {choose_section(season, player) for player in season.divisions[0]} == {0}


@settings(max_examples=scale_count(6))
@given(st.integers(MIN_PLAYERS, 24), st.randoms(use_true_random=False))
def test_players_in_each_round_won_previous_round(players: int, chance: object) -> None:
    season = build_tournament(players, "knockout")
    while season.state == "running":
        for one in season.undecided_fixtures:
            if one.number not in season.decisions and chance.random() < 0.1:
                season = apply_all(season, Withdraw(one.first))
            elif one.number not in season.decisions:
                season = decide_fixture(season, one.number, chance.choice(["1-0", "0-1", "="]), (9, 5))
            rounds = build_bracket(season)
            for before, row in pairwise(rounds):
                winners = [one.winner for one in before]
                assert [player for one in row for player in one.players] == winners
    (last,) = build_bracket(season)[-1]
    assert last.winner is None or last.winner in season.order


def test_strongest_player_wins_bracket() -> None:
    for players in (4, 5, 16, 33):
        (last,) = build_bracket(finish_for_stronger(build_tournament(players, "knockout")))[-1]
        assert (last.winner, last.players) == (1, (1, 2))
