"""Tournaments of one evening: Swiss or knock-out rounds, and the results of each round."""

import itertools
from collections import Counter
from random import Random

import pytest

from engine.leagues import Season, decide_season, replay_season
from engine.leagues.commands import EndSeason, ReportResult, RunSeason, SignUp, Withdraw
from engine.leagues.knockout import count_bracket_rounds, find_champion, list_seeds, list_slots
from engine.leagues.season import LOSS, TIE, WIN, FixtureResult, RunningScore, SeasonKind
from engine.leagues.season_events import EndPutOff, FixtureDecided, LeftSeason, RoundBegan, SeasonEnded
from engine.leagues.standings import list_round_marks, list_winners, rank_division
from engine.leagues.tournament import ROUND_BREAK, count_planned_rounds
from tests.depth import scale_count
from tests.engine.league.season_builders import (
    MINUTE,
    START,
    apply_all,
    apply_command,
    assert_round_marks,
    build_conditions,
    build_tournament,
    decide_fixture,
    decide_for_stronger,
    finish_for_stronger,
    open_fixtures,
    open_round,
    simulate_season,
    start_season,
)


def list_round_numbers(season: Season) -> list[int]:
    return [one.number for one in season.fixtures if one.round == season.round]


def test_next_round_begins_after_all_results_and_break() -> None:
    season = build_tournament(8)
    first = list_round_numbers(season)
    assert [season.fixtures[number - 1].players for number in first] == [(1, 5), (6, 2), (3, 7), (8, 4)]
    season = decide_for_stronger(season, first[:3])
    assert season.round == 0
    season = decide_for_stronger(season, first[3:])

    assert season.round == 1
    assert season.list_ready_fixtures(START + ROUND_BREAK - 1) == []
    assert len(season.list_ready_fixtures(START + ROUND_BREAK)) == 4
    assert season.find_next_due(START) == START + ROUND_BREAK
    assert season.ends == START + ROUND_BREAK + 45 * MINUTE


def test_swiss_of_sixteen_has_one_undefeated_player_after_four_rounds() -> None:
    season = finish_for_stronger(build_tournament(16))
    table = rank_division(season, 0)

    assert (count_planned_rounds(season), len(season.fixtures)) == (4, 32)
    assert list_winners(season) == [1]
    assert Counter(line.points for line in table) == {8: 1, 6: 4, 4: 6, 2: 4, 0: 1}


def test_swiss_ties_are_ranked_by_opponents_points() -> None:
    table = rank_division(finish_for_stronger(build_tournament(16)), 0)
    for one, below in itertools.pairwise(table):
        assert (one.points, one.buchholz_cut, one.buchholz) >= (below.points, below.buchholz_cut, below.buchholz)
    # 1 has beaten 9, 5, 3 and 2.
    points = {line.player: line.points for line in table}
    first = next(line for line in table if line.player == 1)
    scores = [points[other] for other in first.cells]
    assert (first.buchholz, first.buchholz_cut) == (sum(scores), sum(scores) - min(scores))


def test_bye_counts_as_win_against_equal_opponent() -> None:
    season = build_tournament(5, rounds=1)
    assert season.byes == {0: (5,)}
    season = finish_for_stronger(season)
    line = next(line for line in rank_division(season, 0) if line.player == 5)
    assert (line.points, line.byes, line.wins) == (WIN, 1, 0)
    assert (line.buchholz, line.buchholz_cut) == (WIN, 0)


def test_knockout_of_eleven_gives_five_byes_and_strongest_final() -> None:
    assert list_seeds(8) == (0, 7, 3, 4, 1, 6, 2, 5)
    season = build_tournament(11, "knockout")
    assert season.byes == {0: (1, 4, 5, 2, 3)}
    pairs = {frozenset(season.fixtures[number - 1].players) for number in list_round_numbers(season)}
    assert pairs == {frozenset((8, 9)), frozenset((7, 10)), frozenset((6, 11))}
    season = finish_for_stronger(season)

    assert {*season.fixtures[-1].players} == {1, 2}
    assert (len(season.fixtures), count_planned_rounds(season)) == (10, 4)
    assert find_champion(season) == 1
    places = [(line.player, line.place) for line in rank_division(season, 0)]
    assert places[:5] == [(1, 1), (2, 2), (3, 3), (4, 3), (5, 5)]


@pytest.mark.parametrize("points", [(TIE, TIE), (LOSS, LOSS)])
def test_better_seed_advances_from_match_without_winner(points: tuple[int, int]) -> None:
    season = open_round(build_tournament(4, "knockout"))
    result = FixtureResult(points, "played")
    season = apply_all(season, *(ReportResult(number, result) for number in list_round_numbers(season)))
    assert list_slots(season, 1) == (1, 2)


def test_round_end_decides_by_score_but_against_absent_players() -> None:
    season = open_round(build_tournament(8, rounds=3))
    scores = {
        1: RunningScore((80, 60), turn=0, waited=2 * MINUTE - 1),
        2: RunningScore((80, 60), turn=0, waited=2 * MINUTE),
        3: RunningScore((80, 60), turn=1, absent=(0,)),
        4: RunningScore((80, 60), absent=(0, 1)),
    }
    season, found = apply_command(season, RunSeason(scores=scores), season.ends)

    assert [season.decisions[number].points for number in (1, 2, 3, 4)] == [
        (WIN, LOSS),
        (LOSS, WIN),
        (LOSS, WIN),
        (LOSS, LOSS),
    ]
    leavers = {season.fixtures[2].first, *season.fixtures[3].players}
    assert {one.player for one in found if isinstance(one, LeftSeason)} == leavers, "nobody waits for them again"
    assert isinstance(found[-1], RoundBegan)
    assert not leavers & {player for one in found[-1].fixtures for player in one.players}


def test_absent_loser_is_removed_from_tournament() -> None:
    season = open_round(build_tournament(4))
    one = season.fixtures[0]
    season = apply_all(season, ReportResult(1, FixtureResult((LOSS, WIN), "forfeit"), absent=(0,)))
    assert season.leavers == {one.first: False}


def test_leaver_loses_running_match_and_keeps_played_results() -> None:
    season = before_leaving = decide_for_stronger(build_tournament(8), [1, 2, 3, 4])
    season = apply_all(season, Withdraw(1))
    forfeited = next(one for one in season.iterate_fixtures(1) if one.round == 1)
    assert season.decisions[forfeited.number].how == "forfeit"
    assert season.decisions[1] == before_leaving.decisions[1]
    other = next(player for player in forfeited.players if player != 1)
    assert next(line for line in rank_division(season, 0) if line.player == other).points == 2 * WIN


def test_player_leaving_in_break_gives_opponent_bye() -> None:
    season = finish_for_stronger(apply_all(build_tournament(11, "knockout"), Withdraw(1)))
    assert find_champion(season) == 2
    # 8 or 9 would have met 1.
    assert 8 in season.byes[1]


def test_winner_is_champion_when_both_other_semifinalists_leave() -> None:
    season = open_round(build_tournament(4, "knockout"))
    season = apply_all(season, *map(Withdraw, season.fixtures[0].players))
    season, found = apply_command(season, ReportResult(2, FixtureResult((WIN, LOSS), "played")), START)
    assert isinstance(found[-1], SeasonEnded)
    assert find_champion(season) == season.fixtures[1].first


def test_outage_or_unopened_matches_delay_round_end_once() -> None:
    for season, at in ((open_round(build_tournament(4)), 5 * MINUTE), (build_tournament(4), 0)):
        late_time = season.ends + at
        delayed, found = apply_command(season, RunSeason(), late_time)
        assert found == (EndPutOff(late_time + 45 * MINUTE // 2),)
        ended, found = apply_command(delayed, RunSeason(), delayed.ends)
        assert isinstance(found[0], FixtureDecided)
        assert (ended.round, ended.is_delayed) == (1, False)
    on_time = open_round(build_tournament(4))
    assert isinstance(decide_season(on_time, RunSeason(), on_time.ends)[0], FixtureDecided)


def test_last_remaining_player_wins_at_once() -> None:
    for kind in ("swiss", "knockout"):
        season = apply_all(build_tournament(4, kind), *map(Withdraw, (4, 3, 2)))
        assert (season.state, season.find_next_due(START)) == ("over", None)
        assert list_winners(season) == [1]


def test_knockout_ended_by_moderator_has_no_winner() -> None:
    season = decide_for_stronger(build_tournament(4, "knockout"), [1, 2])
    season, found = apply_command(season, EndSeason(), START)
    assert isinstance(found[-1], SeasonEnded)
    assert list_winners(season) == []


@pytest.mark.parametrize("kind", ["swiss", "knockout"])
def test_tournaments_of_all_sizes_end_when_players_leave(kind: SeasonKind) -> None:
    for seed in range(scale_count(16, 4)):
        chance = Random(seed)
        player_count, rounds = chance.randrange(4, 40), chance.randrange(6) if kind == "swiss" else 0
        terms = build_conditions(kind=kind, round_time=45 * MINUTE, rounds=rounds)
        signups = map(SignUp, range(1, player_count + 1))
        log, season = simulate_season(chance, terms, signups, step=5 * MINUTE, leaving=0.05)
        assert replay_season(log) == season
        assert season.decisions.keys() == {one.number for one in season.fixtures}
        assert season.round < count_planned_rounds(season)
        for number in range(season.round + 1):
            round_players = [player for one in season.fixtures if one.round == number for player in one.players]
            round_players += season.byes[number]
            assert len(round_players) == len({*round_players}), "nobody twice in a round"
        if kind == "swiss":
            pairs = [frozenset(one.players) for one in season.fixtures]
            assert len(pairs) == len({*pairs}), "nobody meets twice"
        else:
            results = [(one.players, season.decisions[one.number].points) for one in season.fixtures]
            losers = [players[points.index(LOSS)] for players, points in results if WIN in points]
            assert len(losers) == len({*losers}), "nobody loses twice"
            assert season.round + 1 <= count_bracket_rounds(len(season.divisions[0]))
            (best,) = list_winners(season) or [None]
            assert best is None or best not in losers
        table = rank_division(season, 0)
        assert {line.player for line in table} == {*season.divisions[0]}
        assert_round_marks(season, table)


def test_round_marks_show_every_state_of_swiss_round() -> None:
    season = build_tournament(5)  # 1-3 and 4-2 meet, 5 has a bye
    assert [list_round_marks(season, player) for player in (1, 5)] == [("none",), ("bye",)]

    season = open_fixtures(season, [1])
    assert [list_round_marks(season, player) for player in (1, 2, 3)] == [("open",), ("none",), ("open",)]

    season = decide_fixture(decide_fixture(season, 1, "1-0"), 2, "=")
    assert [list_round_marks(season, player)[0] for player in range(1, 6)] == ["won", "tied", "lost", "tied", "bye"]


def test_later_match_that_ends_first_keeps_its_position() -> None:
    season = start_season(4)
    (first, second, third) = season.iterate_fixtures(1)
    season = decide_for_stronger(season, [third.number])
    assert list_round_marks(season, 1) == ("none", "none", "won")
    season = decide_for_stronger(season, [first.number])
    assert list_round_marks(season, 1) == ("won", "none", "won")
    assert second.round == 1


def test_marks_of_struck_matches_are_not_shown() -> None:
    season = decide_fixture(start_season(5), 1, "1-0")
    assert season.fixtures[0].players == (2, 5)
    season = apply_all(season, Withdraw(2))
    assert {mark for player in season.divisions[0] for mark in list_round_marks(season, player)} <= {"none"}


def test_unplayed_match_ended_by_moderator_is_not_lost() -> None:
    season = decide_fixture(start_season(4), 1, "1-0")
    season = apply_all(season, EndSeason())
    lines = rank_division(season, 0)
    assert {mark for line in lines for mark in list_round_marks(season, line.player)} == {"won", "lost", "unplayed"}
    assert sorted((line.wins, line.ties, line.losses) for line in lines) == [(0, 0, 0), (0, 0, 0), (0, 0, 1), (1, 0, 0)]
    assert {line.played for line in lines} == {3}
