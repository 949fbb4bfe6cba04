"""Refusals: in Discord's words to the bot, in plain words to a person at the page."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from bot.playground.shapes import Json
from data.words import Words, words

Path = tuple[str | int, ...]
"""Where in a request something is wrong, for instance `("components", 0, "label")`."""


NO_SERVER_IN_COMMON = 50278
"""The code for a person who shares no server with the bot, so that no message reaches them."""


class ApiError(Exception):
    """Discord says no to the bot: an HTTP status and Discord's JSON error body."""

    def __init__(self, status: int, code: int, message: str, errors: Json | None = None) -> None:
        super().__init__(f"{status} {code}: {message} {errors or ''}".rstrip())
        self.status = status
        self.body: Json = {"message": message, "code": code}
        if errors:
            self.body["errors"] = errors


Fact = str | int | Callable[[Words], str]
"""What a sentence is filled with; a part of it that is words itself is said in the same language."""


class PageError(Exception):
    """The page may not do this; the message is one plain sentence for the person, in English."""

    def __init__(self, message: str, status: int = 400) -> None:
        super().__init__(message)
        self.status = status

    def told(self, said: Words) -> str:
        """The sentence in the reader's language."""
        return str(self)


class RefusedError(PageError):
    """The same, with its sentence in every language: `page.refused_*` in `data/wording`."""

    def __init__(self, key: str, status: int = 400, **facts: Fact) -> None:
        self._key, self._facts = f"page.refused_{key}", facts
        super().__init__(self.told(words()), status)

    def told(self, said: Words) -> str:
        """The sentence in the reader's language."""
        return said(self._key, **{name: fact(said) if callable(fact) else fact for name, fact in self._facts.items()})


class Complaints:
    """Everything wrong with one request body, collected as Discord's nested `errors` tree."""

    def __init__(self) -> None:
        self._tree: Json = {}

    def add(self, path: Path, code: str, message: str) -> None:
        """Note one complaint about the value at `path`."""
        node = self._tree
        for step in path:
            node = node.setdefault(str(step), {})
        node.setdefault("_errors", []).append({"code": code, "message": message})

    def length(self, path: Path, value: object, least: int, most: int) -> None:
        """Complain unless the value is a text of `least` to `most` characters."""
        if not isinstance(value, str):
            self.add(path, "BASE_TYPE_REQUIRED", "This field is required")
        elif not least <= len(value) <= most:
            self.add(path, "BASE_TYPE_BAD_LENGTH", f"Must be between {least} and {most} in length.")

    def count(self, path: Path, items: Sequence[object], most: int) -> None:
        """Complain about more than `most` items."""
        if len(items) > most:
            self.add(path, "BASE_TYPE_MAX_LENGTH", f"Must be {most} or fewer in length.")

    @property
    def empty(self) -> bool:
        """Whether nothing is wrong so far."""
        return not self._tree

    def refuse(self) -> None:
        """Raise 50035 Invalid Form Body if there was any complaint."""
        if not self.empty:
            raise self.error()

    def error(self) -> ApiError:
        """50035 with everything noted."""
        return ApiError(400, 50035, "Invalid Form Body", self._tree)


def invalid(path: Path, code: str, message: str) -> ApiError:
    """50035 with a single complaint."""
    complaints = Complaints()
    complaints.add(path, code, message)
    return complaints.error()


def unauthorized() -> ApiError:
    """The token is not the one this Discord gave out."""
    return ApiError(401, 0, "401: Unauthorized")


def unknown(what: str, code: int) -> ApiError:
    """`Unknown <what>` with Discord's code for it."""
    return ApiError(404, code, f"Unknown {what}")


def unknown_channel() -> ApiError:
    """The channel was deleted or never existed."""
    return unknown("Channel", 10003)


def unknown_message() -> ApiError:
    """The message was deleted, never existed, or is not visible on this route."""
    return unknown("Message", 10008)


def unknown_interaction() -> ApiError:
    """The three seconds for a first response are over."""
    return unknown("interaction", 10062)


def already_acknowledged() -> ApiError:
    """A second first response."""
    return ApiError(400, 40060, "Interaction has already been acknowledged.")


def invalid_webhook_token() -> ApiError:
    """The fifteen minutes of an interaction token are over."""
    return ApiError(401, 50027, "Invalid Webhook Token")


def missing_access() -> ApiError:
    """The bot cannot see this channel."""
    return ApiError(403, 50001, "Missing Access")


def missing_permissions() -> ApiError:
    """The bot sees the channel but may not do this in it."""
    return ApiError(403, 50013, "Missing Permissions")
