"""The rules of one table on one screen, with its own numbers."""

from data.words import Words
from engine.rules import Rules


def rules_text(rules: Rules, seats: int | None, *, by_hand: bool, words: Words) -> str:
    """The rules; `seats` None is a table that is not full yet, where the deal depends on who comes."""
    if seats is None:
        people = f"{rules.min_seats}–{rules.max_seats}"
        deal = "/".join(map(str, rules.deal))
    else:
        people, deal = str(seats), str(rules.hand_size(seats))
    one, two, three = rules.hexagons
    text = words(
        "rules.text",
        game=words(f"game.{rules.game}"),
        seats=people,
        deal=deal,
        target=rules.target,
        triple_opening=rules.triple_opening,
        zero_opening=rules.zero_opening,
        hexagon1=one,
        hexagon2=two,
        hexagon3=three,
        bridge=rules.bridge,
        draw_limit=rules.draw_limit,
        draw_penalty=rules.draw_penalty,
        failed_turn=rules.failed_turn,
        going_out=rules.going_out,
    )
    return f"{text}\n{words('rules.by_hand' if by_hand else 'rules.forced')}"
