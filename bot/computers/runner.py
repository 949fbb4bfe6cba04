"""The worker process that starts a new external program for each move: `python -m bot.computers.runner`."""

import time
from collections.abc import Callable
from typing import Final

from bot.computers import protocol
from bot.computers.player_names import ComputationError
from bot.computers.program import AnswerTimeoutError, OutputLimitError, Program, ProgramEndedError
from bot.computers.protocol import InvalidAnswerError, JsonObject
from bot.computers.thinker import MEMORY, serve_requests
from engine.match.actions import Action
from engine.match.player_view import PlayerView
from engine.table.table_state import Stumble

PROGRAM_ERRORS: Final = (AnswerTimeoutError, OutputLimitError, ProgramEndedError, InvalidAnswerError)


def perform_handshake(program: Program, limit: float, timeout: float) -> None:
    """Say hello and check the protocol version; `limit` (s) is for later answers. Raises one of BROKEN."""
    program.send(protocol.encode_line(protocol.build_hello(limit)))
    protocol.require_protocol(protocol.parse_answer(program.read_line(time.monotonic() + timeout)))


def read_answer(program: Program, number: int, limit: float) -> JsonObject:
    """Return the answer to a question within `limit` seconds; skip late answers. Raises one of BROKEN."""
    until = time.monotonic() + limit
    while True:
        answer = dict(protocol.parse_answer(program.read_line(until)))
        question = answer.get("ask")
        if question == number and not isinstance(question, bool):
            return answer
        if not isinstance(question, int) or not 0 < question < number:
            raise InvalidAnswerError(f"the answer is to question {ascii(question)[:20]}, and {number} was asked")


ERROR_REASONS: Final[dict[type[Exception], Callable[[Exception], tuple[Stumble, str]]]] = {
    AnswerTimeoutError: lambda _: ("late", "no answer in time"),
    OutputLimitError: lambda _: ("flood", "it wrote more than anybody reads"),
    ProgramEndedError: lambda error: ("gone", f"it has ended ({error})"),
    InvalidAnswerError: lambda error: ("nonsense", str(error)),
}


EXIT_TIMEOUT: Final = 0.2  # seconds to exit
MAX_CPU_SECONDS: Final = 20  # of each process, on all its cores
MAX_FILE_BYTES: Final = 64 * 1024 * 1024  # bytes of a file that the program may write
# Limits of each process. RLIMIT_AS is not among them: other runtimes reserve addresses that they never use.
LIMITS: Final = {"RLIMIT_DATA": MEMORY, "RLIMIT_FSIZE": MAX_FILE_BYTES, "RLIMIT_CORE": 0}


def request_action(command: str, view: PlayerView, seed: int, start: float, limit: float) -> Action:
    """Return a program's action: it has `start` seconds to say hello and `limit` to answer. Raises ComputationError."""
    program: Program | None = None
    try:
        program = Program(command, MAX_CPU_SECONDS)
        perform_handshake(program, limit, start)
        assert view.viewer is not None
        start_message = protocol.build_match_start(view.rules, 1, len(view.seats), view.viewer, seed)
        program.send(protocol.encode_line(start_message))
        program.reset_limits()
        program.send(protocol.encode_line(protocol.build_question(1, view, limit)))
        return protocol.parse_action(read_answer(program, 1, limit), view)
    except PROGRAM_ERRORS as error:
        why, _ = ERROR_REASONS[type(error)](error)
        raise ComputationError(why) from None
    finally:
        if program is not None:
            program.close(EXIT_TIMEOUT)


if __name__ == "__main__":
    serve_requests(request_action, LIMITS)
