"""What each round brought a player: the signs beside a name."""

from engine.league.commands import EndSeason, OpenFixture, Withdraw
from engine.league.lines import round_marks
from engine.league.standings import division_table
from tests.engine.league.sketch import START, after, begun, decided, stronger_wins, tournament


def test_a_swiss_round_is_won_lost_tied_being_played_or_without_an_opponent() -> None:
    season = tournament(5)  # 1-3 and 4-2 meet, 5 rests
    assert [round_marks(season, player) for player in (1, 5)] == [("none",), ("bye",)]

    season, _ = after(season, OpenFixture(1, 7), START)
    assert [round_marks(season, player) for player in (1, 2, 3)] == [("open",), ("none",), ("open",)]

    season = decided(decided(season, 1, "1-0"), 2, "=")
    assert [round_marks(season, player)[0] for player in range(1, 6)] == ["won", "tied", "lost", "tied", "bye"]


def test_matches_of_a_later_round_that_end_first_stand_in_their_place() -> None:
    season = begun(4)
    (first, second, third) = season.fixtures_of(1)
    season = stronger_wins(season, [third.number])
    assert round_marks(season, 1) == ("none", "none", "won")
    season = stronger_wins(season, [first.number])
    assert round_marks(season, 1) == ("won", "none", "won")
    assert second.round == 1


def test_what_is_struck_is_shown_to_nobody() -> None:
    season = decided(begun(5), 1, "1-0")
    assert season.fixtures[0].players == (2, 5)
    season, _ = after(season, Withdraw(2), START)
    assert {mark for player in season.divisions[0] for mark in round_marks(season, player)} <= {"none"}


def test_what_a_moderator_ends_before_anybody_played_is_lost_to_nobody() -> None:
    season = decided(begun(4), 1, "1-0")
    season, _ = after(season, EndSeason(), START)
    lines = division_table(season, 0)
    assert {mark for line in lines for mark in round_marks(season, line.player)} == {"won", "lost", "unplayed"}
    assert sorted((line.wins, line.ties, line.losses) for line in lines) == [(0, 0, 0), (0, 0, 0), (0, 0, 1), (1, 0, 0)]
    assert {line.played for line in lines} == {3}
