"""Leagues: seasons with round robins in divisions, promotion and relegation.

They are as pure as a match: `decide_season` returns events or raises a refusal, `apply_season_event` applies them.
Players are numbers in the order of signing up, which the store maps to users. The rest of `engine` does not import this
package.
"""

from engine.leagues.commands import SeasonError, SeasonRefusal
from engine.leagues.decide_season import decide_season
from engine.leagues.season import Season
from engine.leagues.season_events import apply_season_event, replay_season

__all__ = ["Season", "SeasonError", "SeasonRefusal", "apply_season_event", "decide_season", "replay_season"]
