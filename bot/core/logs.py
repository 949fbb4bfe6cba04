"""Structured logs with table, guild, interaction and move: JSON lines, or coloured text on a terminal.

`structlog.contextvars` adds `match`, `seq`, `server` and `interaction` to the lines of a task and of the tasks that it
starts. Logs contain no hands, names or tokens. An exception is logged by class and place: its text may quote these.
"""

import logging
import re
import sys
import traceback
from collections.abc import MutableMapping
from typing import Any, Final, TextIO

import structlog
from structlog.typing import ExcInfo, Processor

from data.store.connection.faults import DatabaseUnavailable

# Libraries of which only warnings are logged; some log all that they get.
NOISY_LIBRARIES: Final = ("aiosqlite", "alembic", "asyncio", "discord", "PIL", "sqlalchemy")

_SECRETS: Final = re.compile(
    r"(?P<before>/(?:webhooks|interactions)/\d+/)[\w.-]+"  # an interaction token
    r"|[\w-]{23,28}\.[\w-]{6,7}\.[\w-]{27,}"  # any bot token
)
_REDACTED: Final = "[hidden]"
Line = MutableMapping[str, Any]


def get_logger(name: str) -> structlog.stdlib.BoundLogger:
    found: structlog.stdlib.BoundLogger = structlog.stdlib.get_logger(name)
    return found


def configure_logging(
    *, level: int = logging.INFO, stream: TextIO | None = None, secrets: tuple[str, ...] = ()
) -> logging.Handler:
    """Log to a stream (default: standard error); `secrets` are texts that must not appear. Return the handler."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(build_formatter(as_json=not handler.stream.isatty(), secrets=secrets))
    handler.addFilter(_is_relevant)
    for library in NOISY_LIBRARIES:
        logging.getLogger(library).setLevel(logging.WARNING)
    logging.basicConfig(level=level, handlers=[handler], force=True)
    return handler


def _is_relevant(record: logging.LogRecord) -> bool:
    """Filter out late autocomplete answers, and connections that break after they were given up."""
    error = record.exc_info[1] if record.exc_info else None
    if record.name.startswith("discord") and DatabaseUnavailable in (
        type(error),
        type(error.__cause__ if error else None),
    ):
        return False  # the store logs it once a minute
    if record.name == "asyncio" and isinstance(error, ConnectionError) and "never retrieved" in record.getMessage():
        return False  # asyncpg was connecting to a server that hung
    return not (record.name == "discord.app_commands.tree" and getattr(error, "code", None) in (10062, 40060))


def build_formatter(*, as_json: bool, secrets: tuple[str, ...] = ()) -> logging.Formatter:
    renderer: Processor = structlog.processors.JSONRenderer() if as_json else structlog.dev.ConsoleRenderer(colors=True)
    return structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=_SHARED_PROCESSORS,
        processors=[
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            _add_traceback,
            _build_redactor(secrets),
            renderer,
        ],
    )


def _add_traceback(_: Any, __: str, line: Line) -> Line:
    info = line.pop("exc_info", None)
    if info:
        line["broke"] = format_exception(sys.exc_info() if info is True else info)
    return line


def format_exception(info: ExcInfo | tuple[None, None, None] | BaseException) -> str:
    """Return the classes and places of an exception and its causes, innermost last, without their texts."""
    error = info if isinstance(info, BaseException) else info[1]
    kinds: list[str] = []
    while error is not None and len(kinds) < 5:
        frames = traceback.extract_tb(error.__traceback__)[-8:]
        places = " > ".join(f"{_shorten_path(frame.filename)}:{frame.lineno} {frame.name}" for frame in frames)
        kinds.append(f"{type(error).__name__}{_format_error_number(error)} at {places or 'an unknown place'}")
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    return " from ".join(kinds)


def _shorten_path(filename: str) -> str:
    return "/".join(filename.replace("\\", "/").split("/")[-2:])


def _format_error_number(error: BaseException) -> str:
    number = getattr(error, "code", None) or getattr(error, "errno", None)
    return f" {number}" if isinstance(number, int) else ""


def _build_redactor(secrets: tuple[str, ...]) -> Processor:
    hidden = [secret for secret in secrets if secret]

    def clean(text: str) -> str:
        for secret in hidden:
            text = text.replace(secret, _REDACTED)
        return _SECRETS.sub(lambda found: (found["before"] or "") + _REDACTED, text)

    def hide(_: Any, __: str, line: Line) -> Line:
        return {key: clean(value) if isinstance(value, str) else value for key, value in line.items()}

    return hide


_SHARED_PROCESSORS: Final[list[Processor]] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_log_level,
    structlog.stdlib.add_logger_name,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
]

structlog.configure(
    processors=[
        structlog.stdlib.filter_by_level,
        *_SHARED_PROCESSORS,
        structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
    ],
    logger_factory=structlog.stdlib.LoggerFactory(),
    wrapper_class=structlog.stdlib.BoundLogger,
    cache_logger_on_first_use=True,
)
