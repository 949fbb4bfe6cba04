"""What the page sends twice is done once: a browser whose network just changed hears no answer, and asks again."""

from __future__ import annotations

import asyncio
from typing import Final

from aiohttp import web
from aiohttp.typedefs import Handler

MARK: Final = "X-Boneyard-Once"
"""The header that names what is asked: the same name again is the same thing, sent once more."""
MOST: Final = 200
"""Answers that are kept; what is older was given up by whoever asked."""


class Once:
    """Answers to what was asked last, by its mark."""

    def __init__(self) -> None:
        self._answers: dict[str, asyncio.Future[web.StreamResponse]] = {}

    async def answered(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """The handler's answer; of a request that was here before, the answer that it was given then."""
        mark = request.headers.get(MARK)
        if mark is None:
            return await handler(request)
        asked = f"{request.path} {mark}"
        if asked not in self._answers:
            self._answers[asked] = asyncio.ensure_future(handler(request))
            while len(self._answers) > MOST:
                del self._answers[next(iter(self._answers))]
        try:
            # whoever goes away takes nothing with them: it goes on for the one who asks again
            first = await asyncio.shield(self._answers[asked])
        except Exception:
            self._answers.pop(asked, None)
            raise
        assert isinstance(first, web.Response), "only the stream of events is none, and nobody marks that"
        # an answer that was begun on one connection cannot be sent on another
        return web.Response(
            body=first.body, status=first.status, headers={"Content-Type": first.headers["Content-Type"]}
        )
