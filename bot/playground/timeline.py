"""The messages of one channel in order: those for everybody, and those only one person sees."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass

from bot.playground.shapes import Json

MOST_PRIVATE = 50
"""So many ephemeral messages a person keeps in a channel; older ones go, as when Discord's client restarts."""


@dataclass(slots=True)
class Post:
    """A message as Discord shows it, and the one person who sees it (None: everybody)."""

    body: Json
    owner: str | None = None

    @property
    def id(self) -> str:
        """The message's id."""
        return str(self.body["id"])

    @property
    def channel_id(self) -> str:
        """The channel it was posted in."""
        return str(self.body["channel_id"])


class _Strand:
    """Posts ordered by id, found and paged by binary search."""

    def __init__(self) -> None:
        self.ids: list[int] = []
        self.posts: dict[int, Post] = {}

    def add(self, post: Post) -> None:
        key = int(post.id)
        if self.ids and key < self.ids[-1]:
            self.ids.insert(bisect_left(self.ids, key), key)
        else:
            self.ids.append(key)
        self.posts[key] = post

    def remove(self, key: int) -> None:
        if self.posts.pop(key, None) is not None:
            del self.ids[bisect_left(self.ids, key)]

    def before(self, key: int | None, limit: int) -> list[int]:
        end = len(self.ids) if key is None else bisect_left(self.ids, key)
        return self.ids[max(0, end - limit) : end]

    def after(self, key: int, limit: int) -> list[int]:
        start = bisect_right(self.ids, key)
        return self.ids[start : start + limit]


class Timeline:
    """All messages of one channel."""

    def __init__(self) -> None:
        self._public = _Strand()
        self._private: dict[str, _Strand] = {}
        self._owners: dict[int, str] = {}

    def add(self, post: Post) -> Post | None:
        """Take in a message; the ephemeral one that had to go for it is returned, if any."""
        if post.owner is None:
            self._public.add(post)
            return None
        strand = self._private.setdefault(post.owner, _Strand())
        strand.add(post)
        self._owners[int(post.id)] = post.owner
        if len(strand.ids) <= MOST_PRIVATE:
            return None
        oldest = strand.posts[strand.ids[0]]
        self.remove(oldest.id)
        return oldest

    def get(self, message_id: str) -> Post | None:
        """The message with this id, whoever may see it."""
        key = int(message_id)
        owner = self._owners.get(key)
        strand = self._public if owner is None else self._private[owner]
        return strand.posts.get(key)

    def remove(self, message_id: str) -> None:
        """Forget a message."""
        key = int(message_id)
        owner = self._owners.pop(key, None)
        (self._public if owner is None else self._private[owner]).remove(key)

    def everything(self) -> list[Post]:
        """All public messages, oldest first."""
        return [self._public.posts[key] for key in self._public.ids]

    def page(
        self, limit: int, *, before: str | None = None, after: str | None = None, seen_by: str | None = None
    ) -> list[Post]:
        """At most `limit` messages, oldest first: the last ones (before an id), or the first ones after an id.

        With `seen_by`, that person's ephemeral messages are among them.
        """
        strands = [self._public]
        if seen_by is not None and seen_by in self._private:
            strands.append(self._private[seen_by])
        found: list[tuple[int, Post]] = []
        for strand in strands:
            keys = (
                strand.after(int(after), limit)
                if after is not None
                else strand.before(None if before is None else int(before), limit)
            )
            found += [(key, strand.posts[key]) for key in keys]
        found.sort(key=lambda pair: pair[0])
        chosen = found[:limit] if after is not None else found[-limit:]
        return [post for _, post in chosen]
