"""What the bot writes about itself: each line with its table, server, interaction and move, never a hand, a name or a
token. JSON, one object a line, unless somebody reads along at a terminal.

Two rules keep secrets out. What is said is a fixed sentence; facts beside it are numbers and codes. And an exception is
told by where it happened and what kind it was, because its own words may quote a tile, a name or an address.
"""

import logging
import re
import sys
import traceback
from collections.abc import Iterator, MutableMapping
from contextlib import contextmanager
from typing import Any, Final, TextIO

import structlog
from structlog.typing import ExcInfo, Processor

from data.store.connection.faults import DatabaseUnavailable

FACTS: Final = ("match", "seq", "server", "interaction")
"""What a line says it is about. All are Discord's numbers or the store's."""

CHATTY: Final = ("aiosqlite", "alembic", "asyncio", "discord", "PIL", "sqlalchemy")
"""Libraries that tell every step they take, some with all that they are given: only their warnings are wanted."""

_SECRETS: Final = re.compile(
    r"(?P<before>/(?:webhooks|interactions)/\d+/)[\w.-]+"  # the token of an interaction
    r"|[\w-]{23,28}\.[\w-]{6,7}\.[\w-]{27,}"  # a bot's token, whoever's it is
)
_HIDDEN: Final = "[hidden]"

Line = MutableMapping[str, Any]


def logger(name: str) -> structlog.stdlib.BoundLogger:
    """A logger whose lines go where those of the standard library go."""
    found: structlog.stdlib.BoundLogger = structlog.stdlib.get_logger(name)
    return found


@contextmanager
def bound(**facts: int | None) -> Iterator[None]:
    """Everything that is logged inside, here and in tasks that begin here, is about these `FACTS`."""
    with structlog.contextvars.bound_contextvars(**{name: fact for name, fact in facts.items() if fact is not None}):
        yield


def about(**facts: int | None) -> None:
    """From now on the lines of this task are about these `FACTS` too."""
    structlog.contextvars.bind_contextvars(**{name: fact for name, fact in facts.items() if fact is not None})


def begin(*, level: int = logging.INFO, stream: TextIO | None = None, secrets: tuple[str, ...] = ()) -> logging.Handler:
    """Write logs to a stream (standard error); `secrets` are texts that must not appear. Returns the handler in use."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(formatter(as_json=not handler.stream.isatty(), secrets=secrets))
    handler.addFilter(_worth_a_line)
    for library in CHATTY:
        logging.getLogger(library).setLevel(logging.WARNING)
    logging.basicConfig(level=level, handlers=[handler], force=True)
    return handler


def _worth_a_line(record: logging.LogRecord) -> bool:
    """Suggestions that came too late, or that another process had given, are nobody's concern, nor are connections
    that break when they have been given up.
    """
    error = record.exc_info[1] if record.exc_info else None
    if record.name.startswith("discord") and DatabaseUnavailable in (
        type(error),
        type(error.__cause__ if error else None),
    ):
        return False  # the store has told it, once a minute
    if record.name == "asyncio" and isinstance(error, ConnectionError) and "never retrieved" in record.getMessage():
        return False  # asyncpg was reaching for a server that hung
    return not (record.name == "discord.app_commands.tree" and getattr(error, "code", None) in (10062, 40060))


def formatter(*, as_json: bool, secrets: tuple[str, ...] = ()) -> logging.Formatter:
    """Makes a line of a record, of ours or of a library's."""
    last: Processor = structlog.processors.JSONRenderer() if as_json else structlog.dev.ConsoleRenderer(colors=True)
    return structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=_SHARED,
        processors=[
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            _where_it_broke,
            _without(secrets),
            last,
        ],
    )


def _where_it_broke(_: Any, __: str, line: Line) -> Line:
    """The places an exception went through and its kind, in place of the exception."""
    info = line.pop("exc_info", None)
    if info:
        line["broke"] = exception_told(sys.exc_info() if info is True else info)
    return line


def exception_told(info: ExcInfo | tuple[None, None, None] | BaseException) -> str:
    """An exception with its causes: kinds and places, innermost last. None of its own words."""
    error = info if isinstance(info, BaseException) else info[1]
    kinds: list[str] = []
    while error is not None and len(kinds) < 5:
        frames = traceback.extract_tb(error.__traceback__)[-8:]
        places = " > ".join(f"{_short(frame.filename)}:{frame.lineno} {frame.name}" for frame in frames)
        kinds.append(f"{type(error).__name__}{_number(error)} at {places or 'an unknown place'}")
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    return " from ".join(kinds)


def _short(filename: str) -> str:
    return "/".join(filename.replace("\\", "/").split("/")[-2:])


def _number(error: BaseException) -> str:
    """Discord's or the system's number of an error, where it has one."""
    number = getattr(error, "code", None) or getattr(error, "errno", None)
    return f" {number}" if isinstance(number, int) else ""


def _without(secrets: tuple[str, ...]) -> Processor:
    """Hides tokens, ours and those in addresses, wherever a library put them."""
    hidden = [secret for secret in secrets if secret]

    def clean(text: str) -> str:
        for secret in hidden:
            text = text.replace(secret, _HIDDEN)
        return _SECRETS.sub(lambda found: (found["before"] or "") + _HIDDEN, text)

    def hide(_: Any, __: str, line: Line) -> Line:
        return {key: clean(value) if isinstance(value, str) else value for key, value in line.items()}

    return hide


_SHARED: Final[list[Processor]] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_log_level,
    structlog.stdlib.add_logger_name,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
]

# At import, so that a line goes the same way whoever logs first, in tests too.
structlog.configure(
    processors=[
        structlog.stdlib.filter_by_level,
        *_SHARED,
        structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
    ],
    logger_factory=structlog.stdlib.LoggerFactory(),
    wrapper_class=structlog.stdlib.BoundLogger,
    cache_logger_on_first_use=True,
)
