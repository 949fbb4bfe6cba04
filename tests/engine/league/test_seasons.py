"""A season from its announcement to its final table: events, refusals and due times."""

from random import Random

import pytest

from engine.leagues import SeasonError, SeasonRefusal, decide_season, replay_season
from engine.leagues.commands import EndSeason, ReportResult, RunSeason, SignUp, Withdraw
from engine.leagues.season import LOSS, MAX_PLAYERS, TIE, WIN, FixtureResult, RunningScore
from engine.leagues.season_events import CalledOff, EndPutOff, SeasonEnded
from engine.leagues.standings import rank_division
from tests.depth import scale_count
from tests.engine.league.season_builders import (
    DAY,
    NOW,
    START,
    apply_all,
    apply_command,
    assert_standings_add_up,
    build_conditions,
    build_sign_up_season,
    decide_fixture,
    decide_for_stronger,
    open_fixtures,
    simulate_season,
    start_season,
)


def test_double_or_late_sign_up_is_refused_but_returning_works() -> None:
    season = build_sign_up_season(4)
    with pytest.raises(SeasonError) as double_error:
        decide_season(season, SignUp(1), NOW)
    with pytest.raises(SeasonError) as late_error:
        decide_season(season, SignUp(5), START)
    season = apply_all(season, Withdraw(1), SignUp(1), now=NOW)

    assert double_error.value.why is SeasonRefusal.ALREADY_SIGNED_UP
    assert late_error.value.why is SeasonRefusal.SIGNUP_OVER
    assert season.players == (1, 2, 3, 4)


def test_sign_up_is_refused_when_season_is_full() -> None:
    with pytest.raises(SeasonError) as full:
        decide_season(build_sign_up_season(MAX_PLAYERS), SignUp(MAX_PLAYERS + 1), NOW)
    assert (full.value.why, full.value.facts) == (SeasonRefusal.SEASON_FULL, {"most": MAX_PLAYERS})


def test_season_with_too_few_entrants_is_cancelled() -> None:
    season, found = apply_command(build_sign_up_season(3), RunSeason(), START)
    assert found == (CalledOff("few"),)
    assert (season.state, season.find_next_due(START)) == ("off", None)


def test_divisions_are_by_rating_and_all_pairings_are_made_once() -> None:
    ratings = {player: 1500.0 + player for player in range(1, 13)}
    season = start_season(12, ratings, size=4)

    assert season.divisions == ((12, 11, 10, 9), (8, 7, 6, 5), (4, 3, 2, 1))
    pairs = [frozenset(one.players) for one in season.fixtures]
    assert len(pairs) == len({*pairs}) == 3 * 6


def test_nothing_begins_before_sign_up_is_over() -> None:
    assert decide_season(build_sign_up_season(4), RunSeason(), START - 1) == ()


def test_rounds_open_in_first_half_within_limit_per_player() -> None:
    season = start_season(6)
    assert [one.round for one in season.list_ready_fixtures(START)] == [0, 0, 0]
    assert season.find_next_due(START) == season.compute_opening_time(1)
    assert season.compute_opening_time(4) < START + 14 * DAY
    last_opening = START + 14 * DAY
    season = open_fixtures(season, [one.number for one in season.list_ready_fixtures(last_opening)])
    assert {season.count_running(player) for player in season.players} == {2}
    assert season.list_ready_fixtures(last_opening) == []
    assert season.find_next_due(last_opening) == season.ends


def test_match_of_fixture_counts_once() -> None:
    season = decide_fixture(start_season(4), 1, "1-0", (100, 40))

    assert decide_season(season, ReportResult(1, FixtureResult((LOSS, WIN))), START) == ()
    assert decide_season(season, ReportResult(2, FixtureResult((LOSS, WIN))), START) == ()


def test_players_tied_on_points_are_ranked_by_direct_match() -> None:
    season = start_season(4)  # 1: 1-4, 2: 2-3, 3: 4-3, 4: 1-2, 5: 2-4, 6: 3-1
    for number, result in ((1, "1-0"), (2, "0-1"), (3, "1-0"), (4, "0-1"), (5, "0-1"), (6, "0-1")):
        season = decide_fixture(season, number, result)

    table = rank_division(season, 0)

    assert [(line.player, line.points, line.direct) for line in table] == [(1, 4, 2), (4, 4, 0), (3, 2, 2), (2, 2, 0)]
    assert [line.place for line in table] == [1, 2, 3, 4]


def test_circular_tie_is_ranked_by_scores_or_shares_place() -> None:
    season = start_season(4)
    for number, result, totals in (
        (1, "0-1", (50, 60)),
        (2, "1-0", (90, 50)),
        (3, "0-1", (50, 60)),
        (4, "1-0", (90, 50)),
        (5, "=", (70, 70)),
        (6, "=", (70, 70)),
    ):
        season = decide_fixture(season, number, result, totals)

    table = rank_division(season, 0)

    assert {(line.points, line.direct, line.wins, line.sonneborn) for line in table} == {(3, 3, 1, 9)}
    assert [(line.player, line.place, line.difference) for line in table] == [
        (1, 1, 30),
        (2, 2, 0),
        (4, 2, 0),
        (3, 4, -30),
    ]


def test_early_leaver_is_removed_and_late_leaver_forfeits_rest() -> None:
    early_season = decide_fixture(start_season(5), 1, "1-0")
    assert early_season.fixtures[0].players == (2, 5)
    early_season = apply_all(early_season, Withdraw(2))
    assert [line.points for line in rank_division(early_season, 0)] == [0, 0, 0, 0, 0]
    assert {decision.how for number, decision in early_season.decisions.items() if number != 1} == {"struck"}

    season = start_season(4)
    numbers = [one.number for one in season.iterate_fixtures(1)]
    season = decide_for_stronger(season, numbers[:2])
    season = apply_all(season, Withdraw(1))

    last = season.decisions[numbers[2]]
    assert last.how == "forfeit"
    one = season.fixtures[numbers[2] - 1]
    assert last.points == ((LOSS, WIN) if one.first == 1 else (WIN, LOSS))
    line = next(line for line in rank_division(season, 0) if line.player == 1)
    assert (line.points, line.place, line.has_left) == (4, 0, True)


def test_player_who_left_cannot_rejoin_same_season() -> None:
    season, _ = apply_command(start_season(5), Withdraw(2), START)
    for command in (SignUp(2), Withdraw(2)):
        with pytest.raises(SeasonError):
            decide_season(season, command, START)


def test_season_end_decides_by_score_but_against_stalling_player() -> None:
    season = start_season(4)
    season = open_fixtures(season, (1, 2, 3))
    scores = {
        1: RunningScore((80, 60)),
        2: RunningScore((80, 60), turn=0, waited=DAY),
        3: RunningScore((70, 70), turn=1, waited=DAY - 1),
    }

    season, found = apply_command(season, RunSeason(scores=scores), season.ends)

    assert [season.decisions[number].points for number in (1, 2, 3, 4)] == [
        (WIN, LOSS),
        (LOSS, WIN),
        (TIE, TIE),
        (0, 0),
    ]
    assert {season.decisions[number].how for number in (4, 5, 6)} == {"unplayed"}
    assert isinstance(found[-1], SeasonEnded)
    assert found[-1].how == "time"


def test_outage_at_season_end_delays_it_one_day_once() -> None:
    season = start_season(4)
    late_time = season.ends + 5 * DAY
    season, found = apply_command(season, RunSeason(), late_time)
    assert found == (EndPutOff(late_time + DAY),)
    assert apply_all(season, RunSeason(), now=late_time + 9 * DAY).state == "over"


def test_last_match_ends_season_and_sets_promotion_order() -> None:
    season = start_season(8, size=4)
    season = decide_for_stronger(season, range(1, len(season.fixtures) + 1))

    assert season.state == "over"
    assert season.order == (1, 2, 3, 5, 4, 6, 7, 8)


def test_moderator_can_cancel_or_end_season_once() -> None:
    assert decide_season(build_sign_up_season(5), EndSeason(), NOW) == (CalledOff("moderator"),)
    season = decide_fixture(start_season(4), 1, "1-0")
    season, found = apply_command(season, EndSeason(), START)
    assert isinstance(found[-1], SeasonEnded)
    assert found[-1].how == "moderator"
    with pytest.raises(SeasonError):
        decide_season(season, EndSeason(), START)


def test_three_random_seasons_keep_consistent_tables() -> None:
    for seed in range(scale_count(6, 3)):
        chance, last_places, user_ids = Random(seed), {}, [*range(100, 100 + Random(seed).randrange(4, 41))]
        for number in range(3):
            terms = build_conditions(size=chance.randrange(4, 7), number=number + 1)
            signups = [SignUp(player, last_places.get(user_id)) for player, user_id in enumerate(user_ids, 1)]
            log, season = simulate_season(chance, terms, signups, step=DAY, leaving=0.02)
            assert replay_season(log) == season
            assert_standings_add_up(season)
            if season.state != "over":
                break
            last_places = {user_ids[player - 1]: place for place, player in enumerate(season.order)}
