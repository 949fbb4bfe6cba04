"""The rules of one table on one screen, with its own numbers and its own readings; and why not: every refusal by a rule
explained, with its section of the rulebook.
"""

from dataclasses import fields

from discord import ui

from bot.views.parts import CALM_COLOUR, Press, button, said
from bot.views.sentences import count_points, listed
from data.rulebook import rules as game_rules
from data.words import Words
from engine.bonuses import BonusRules
from engine.errors import Why
from engine.families import DominoRules, QuadRules
from engine.options import UNLIMITED
from engine.rules import Rules


def rules_text(rules: Rules, seats: int | None, *, by_hand: bool, words: Words, here: bool = True) -> str:
    """The rules, `here` at a table or of the game in general; `seats` None is one that is not full yet, where the deal
    depends on who comes.
    """
    facts = _facts(rules, words)
    if here:
        facts["title"] = words("rules.here", title=facts["title"])
    if seats is None:
        sizes = dict.fromkeys(rules.hand_size(count) for count in range(rules.min_seats, rules.max_seats + 1))
        facts |= {"seats": f"{rules.min_seats}–{rules.max_seats}", "hand": "/".join(map(str, sizes))}
    else:
        facts |= {"seats": seats, "hand": rules.hand_size(seats)}
    lines = [words(_key(rules, words), **facts)]
    if told := differently(rules, words):
        lines += [f"**{words('rules.differently')}**", *(f"- {line}" for line in told)]
    return "\n".join([*lines, _by_itself(rules, by_hand, words)])


def _by_itself(rules: Rules, by_hand: bool, words: Words) -> str:
    """What people need not do here, or have to."""
    draws = rules.has_boneyard and rules.most_draws > 0
    if by_hand:
        return words("rules.by_hand" if draws else "rules.by_hand_pass")
    parts = ["opening", *["draw"] * draws, "pass", *["bonus"] * isinstance(rules, QuadRules)]
    return words("rules.forced", what=listed(words, [words(f"rules.forced_{part}") for part in parts]))


def _key(rules: Rules, words: Words) -> str:
    """A game may have a text of its own; else that of its family serves."""
    own = f"rules.{rules.game}"
    return own if own in words else f"rules.{rules.family}"


def _facts(rules: Rules, words: Words) -> dict[str, object]:
    """Everything that sentences about these rules may speak of."""
    facts: dict[str, object] = {item.name: getattr(rules, item.name) for item in fields(rules)}
    target_points = count_points(words, rules.target)
    facts |= {
        "title": words(f"game.{rules.game}"),
        "tiles": len(rules.tiles),
        "highest": max(max(tile) for tile in rules.tiles),
        "most_draws": rules.most_draws,
        "target_points": target_points,
        "match": words("rules.deals", target_points=target_points) if rules.target else words("rules.one_deal"),
    }
    if isinstance(rules, BonusRules):
        facts |= {f"hexagon{count}": bonus for count, bonus in enumerate(rules.hexagon_bonuses, 1)}
    if isinstance(rules, DominoRules):
        facts["pairing_told"] = words(f"rules.pairing_{rules.pairing}")
    return facts


def differently(rules: Rules, words: Words) -> list[str]:
    """What these rules read differently from the default of their game, a sentence each."""
    usual = game_rules(rules.game)
    differs = [name for name in rules.options() if name != "target" and getattr(rules, name) != getattr(usual, name)]
    return [_read(rules, name, words) for name in differs]


def read_differently(rules: Rules, name: str, value: str, words: Words) -> str:
    """The sentence about one other reading; empty where there is none, as of what a game usually does."""
    try:
        read = rules.with_option(name, value)
    except ValueError:
        return ""
    usual = getattr(game_rules(rules.game), name)
    return _read(read, name, words) if getattr(read, name) != usual else ""


def _read(rules: Rules, name: str, words: Words) -> str:
    value = getattr(rules, name)
    of_value = f"reading.{name}_{value}"
    numbered = name in rules.numbers and value != UNLIMITED
    key = of_value if of_value in words and not numbered else f"reading.{name}"
    return words(key, **_facts(rules, words), value=value)


def whynot_view(why: Why, words: Words) -> ui.LayoutView:
    """The rule behind a refusal."""
    title = words("whynot.title", name=words(f"whyname.{why}"), rule=words(f"whyrule.{why}"))
    return said(f"{title}\n{words(f'whytext.{why}')}", button(words("lobby.rules"), Press("rules")), colour=CALM_COLOUR)


def whynot_button(why: Why, table: int, words: Words) -> ui.Button[ui.LayoutView]:
    """The button under a refusal that leads here."""
    return button(words("whynot.button"), Press("why", table, argument=why.value))
