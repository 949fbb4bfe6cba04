"""Terms that a host changes before the match: one thing at a time, and what follows from it."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from bot.service.invitations import Invitation, agreed
from data.rulebook import DEFAULT, games, presets, rules
from engine.table import No, Refused
from engine.table.terms import Terms


def revised(terms: Terms, chosen: Mapping[str, Any]) -> Terms:
    """The terms with what was chosen of them, by the names of `Invitation`; "rule" is one option with its value.

    Another game or reading brings its own target and no single options, and a game its own reading and as many seats
    as it can have, unless these were chosen too. Raises as `agreed` does, or Refused(UNKNOWN_BUTTON) for no game.
    """
    game = str(chosen.get("game", terms.game))
    if game not in games():
        raise Refused(No.UNKNOWN_BUTTON)
    usual = terms.preset if terms.preset in presets(game) else DEFAULT
    preset = str(chosen.get("preset", usual))
    same = (game, preset) == (terms.game, terms.preset)
    found = {
        "guild_id": 0,
        "channel_id": 0,
        "host_id": 0,
        "game": game,
        "preset": preset,
        "options": tuple(f"{name}={value}" for name, value in terms.options.items()) if same else (),
        "target": terms.target if same else None,
        "seats": terms.seats,
        "by_hand": terms.by_hand,
        "theme": terms.theme,
        "clock": terms.clock,
        "absent": terms.absent,
        "rated": terms.rated,
    }
    if "rule" in chosen:
        name, value = chosen["rule"]
        usual_value = getattr(rules(game, preset), name, None)
        options = {**terms.options, name: value}
        found["options"] = tuple(
            f"{one}={now}" for one, now in options.items() if one != name or now != str(usual_value)
        )
        chosen = {key: one for key, one in chosen.items() if key != "rule"}
    if game != terms.game:
        playing = rules(game)
        found["seats"] = min(max(terms.seats, playing.min_seats), playing.max_seats)
    return replace(agreed(Invitation(**{**found, **chosen})), deal=terms.deal, deal_until=terms.deal_until)
