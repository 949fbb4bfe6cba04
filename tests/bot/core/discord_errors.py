"""HTTP errors of Discord."""

from types import SimpleNamespace
from typing import Any

import discord


def build_discord_error(status: int, code: int = 0, **headers: str) -> discord.HTTPException:
    response: Any = SimpleNamespace(status=status, reason="because", headers=headers)
    return discord.HTTPException(response, {"code": code, "message": "Grace holds 3-4-5"})
