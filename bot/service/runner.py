"""The process from which somebody else's program is asked for one move: `python -m bot.service.runner`, begun by
`bot.service.workers`.

The program is begun for this move and ended after it, so it carries nothing from one table or seat to another, and
however it behaves the next move has a fresh one. Whatever it writes is read here and not in the bot. It ends with this
process, and this one with the bot.
"""

from typing import Final

from bot.service import protocol
from bot.service.asking import BROKEN, WHY, answer_of, greet
from bot.service.players import Unthought
from bot.service.program import Program
from bot.service.thinker import MEMORY, think
from engine.actions import Action
from engine.seen import Seen

FAREWELL: Final = 0.2
"""Seconds that a program has to end in by itself."""
LARGEST: Final = 64 * 1024 * 1024
"""Bytes of a file that it writes."""
LIMITS: Final = {"RLIMIT_DATA": MEMORY, "RLIMIT_FSIZE": LARGEST, "RLIMIT_CORE": 0}
"""Each of its processes. Those of other languages reserve addresses that they never use, so they are not counted."""


def move_of(command: str, seen: Seen, luck: int, start: float, limit: float) -> Action:
    """What a program does: it has `start` seconds to say hello and `limit` to answer. Raises Unthought."""
    program: Program | None = None
    try:
        program = Program(command)
        greet(program, limit, start)
        assert seen.viewer is not None
        program.tell(protocol.as_line(protocol.match_begins(seen.rules, 1, len(seen.seats), seen.viewer, luck)))
        program.forget()
        program.tell(protocol.as_line(protocol.to_choose(1, seen, limit)))
        return protocol.action_of(answer_of(program, 1, limit), seen)
    except BROKEN as error:
        why, _ = WHY[type(error)](error)
        raise Unthought(why) from None
    finally:
        if program is not None:
            program.close(FAREWELL)


if __name__ == "__main__":
    think(move_of, LIMITS)
