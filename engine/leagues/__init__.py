"""Leagues: seasons in which everybody of a division meets everybody, promotion and relegation between them.

As pure as a match: `decide_season` answers with events or refuses with a reason, `evolve_season` folds them. People are
numbers in the order in which they signed up; who they are, the store says. Nothing in the rest of `engine` knows of it.
"""

from engine.leagues.commands import Objection, SeasonRefused
from engine.leagues.decide_season import decide_season
from engine.leagues.season import Season
from engine.leagues.season_events import evolve_season, replay_season

__all__ = ["Objection", "Season", "SeasonRefused", "decide_season", "evolve_season", "replay_season"]
