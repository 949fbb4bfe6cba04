"""The rules of one table on one screen, with its own numbers and its own readings."""

from data.rulebook import rules as game_rules
from data.words import Words
from engine.rules import CHOICES, UNLIMITED, Rules


def rules_text(rules: Rules, seats: int | None, *, by_hand: bool, words: Words) -> str:
    """The rules; `seats` None is a table that is not full yet, where the deal depends on who comes."""
    if seats is None:
        people = f"{rules.min_seats}–{rules.max_seats}"
        deal = "/".join(map(str, rules.deal))
    else:
        people, deal = str(seats), str(rules.hand_size(seats))
    one, two, three = rules.hexagon_bonuses
    text = words(
        "rules.text",
        game=words(f"game.{rules.game}"),
        seats=people,
        deal=deal,
        target=rules.target,
        triple_opening=rules.triple_opening,
        zero_opening=rules.zero_opening_score,
        hexagon1=one,
        hexagon2=two,
        hexagon3=three,
        bridge=rules.bridge,
        draw_limit=rules.most_draws,
        draw_penalty=rules.draw_penalty,
        failed_turn=rules.failed_turn,
        going_out=rules.going_out,
    )
    lines = [text, *_differently(rules, words), words("rules.by_hand" if by_hand else "rules.forced")]
    return "\n".join(lines)


def _differently(rules: Rules, words: Words) -> list[str]:
    """What this table reads differently from the default, a sentence each."""
    usual = game_rules(rules.game)
    told = [
        words(f"reading.{name}_{getattr(rules, name)}")
        for name in CHOICES
        if getattr(rules, name) != getattr(usual, name)
    ]
    if rules.draw_limit == UNLIMITED:
        told.append(words("reading.draw_limit_unlimited"))
    if rules.empty_boneyard_penalty != usual.empty_boneyard_penalty:
        told.append(words("reading.empty_boneyard_penalty", penalty=rules.empty_boneyard_penalty))
    return [f"**{words('rules.differently')}**", *(f"- {line}" for line in told)] if told else []
